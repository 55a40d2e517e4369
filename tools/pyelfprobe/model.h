/* The cost model of the Pynamic paper, for a debugger of N tasks, each of which loads M libraries while B breakpoints
 * are set:
 *
 *     time = M x N x (T1 + B x T2)
 *
 * T1 is the time of one library event, T2 what each breakpoint adds to it. One task is measured with several M and B,
 * and T0 + M x T1 + M x B x T2 is fitted to that by least squares; T0 is the part that depends on neither.
 *
 * The time of a debugger that looks through all libraries at each event, or for each breakpoint, is not linear in M. In
 * a second fit T1 and T2 grow with the number of libraries. The residuals of both fits say which of them to believe.
 */
#ifndef TOOLS_PYELFPROBE_MODEL_H
#define TOOLS_PYELFPROBE_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct model_point {
    double libraries, breakpoints;
    double seconds;
};

struct model_fit {
    double t0, t1, t2;           /* seconds */
    double t1_error, t2_error;   /* standard errors, seconds; NAN: no more points than unknowns */
    double t1_growth, t2_growth; /* seconds for each library; 0: not fitted */
    double residual;             /* root mean square, seconds */
    double determined;           /* R^2: 1 where the points lie on the fit */
};

/* Fits T0, T1 and T2 and, with `growth`, how T1 and T2 grow. False (ERROR_INPUT) where the points do not determine
 * them. There must be at least as many points as unknowns, with two numbers of breakpoints, and two numbers of
 * libraries, or three with `growth`. */
bool model_fit(const struct model_point *points, size_t count, bool growth, struct model_fit *fit, struct error *e);

/* Whether the fit with growth explains the points better than the one without, by more than their scatter would (an F
 * test). */
bool model_grows(const struct model_fit *straight, const struct model_fit *grown, size_t count);

/* Seconds of one task, by the fit. */
double model_predict(const struct model_fit *fit, double libraries, double breakpoints);

/* Seconds of N tasks, by the paper's formula. Where T1 and T2 grow, they are taken for the mean event. */
double model_extrapolate(const struct model_fit *fit, double libraries, double tasks, double breakpoints);

/* The paper's formula, in the unit of t1 and t2. 500 libraries, 500 tasks, 10 ms, and 10 breakpoints of 1 ms make 5,000
 * s, which is 83 minutes. */
double model_time(double libraries, double tasks, double t1, double breakpoints, double t2);

#endif
