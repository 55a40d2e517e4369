/* See debugger.h. */
#include "tools/pyelfprobe/debugger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/pyelfprobe/gdb_py.h"
#include "tools/pyelfprobe/live.h"
#include "tools/pyelfprobe/lldb_py.h"
#include "tools/pyelfprobe/start.h"

#define LOG_FILE "log"

enum { WORDS_MOST = 8 };

/* Which steps a session has, in order, and the mark from which each is counted; NULL: the mark before it. */
struct step_mark {
    enum step step;
    enum session session;
    const char *from;
};
static const struct step_mark step_marks[] = {
    {STEP_PHASE1, SESSION_LINKED, "begin"}, {STEP_BREAK, SESSION_LINKED, "phase1"},
    {STEP_FUNCTIONS, SESSION_LINKED, NULL}, {STEP_BACKTRACE, SESSION_LINKED, "reached"},
    {STEP_PHASE2, SESSION_EVENTS, "entry"}, {STEP_ATTACH, SESSION_ATTACH, "begin"},
};
enum { STEP_MARKS = sizeof step_marks / sizeof step_marks[0] };

bool debugger_wants(const struct probe *p, enum session session)
{
    for (size_t i = 0; i < STEP_MARKS; i++)
        if (step_marks[i].session == session && p->options->step[step_marks[i].step])
            return true;
    return false;
}

bool debugger_same_session(enum step a, enum step b)
{
    enum session session[2] = {SESSIONS, SESSIONS};
    for (size_t i = 0; i < STEP_MARKS; i++) {
        if (step_marks[i].step == a)
            session[0] = step_marks[i].session;
        if (step_marks[i].step == b)
            session[1] = step_marks[i].session;
    }
    return session[0] == session[1] && session[0] != SESSIONS;
}

/* ---- one session ---- */

/* The command lines are gdb -x FILE and lldb -o 'command script import FILE'. The script finds the plan through the
 * environment. */
static bool make_words(const struct probe *p, enum tool tool, char *script, char *import, char **words, struct error *e)
{
    const bool gdb = tool == TOOL_GDB;
    const char *name = gdb ? "session_gdb.py" : "session_lldb.py";
    size_t n = 0;
    probe_path(p, name, script);
    snprintf(import, PATH_MAX + 32, "command script import %s", script);
    words[n++] = (char *)p->tools[tool].path;
    words[n++] = gdb ? "-nx" : "--no-lldbinit";
    words[n++] = gdb ? "-batch" : "-b";
    words[n++] = gdb ? "-x" : "-o";
    words[n++] = gdb ? script : import;
    words[n] = NULL;
    return probe_write(p, name, gdb ? gdb_py : lldb_py, gdb ? gdb_py_size : lldb_py_size, e);
}

static void judge(const struct probe *p, enum tool tool, const struct child_end *child, struct session_end *end)
{
    if (!child->in_time) {
        end->outcome = OUTCOME_TIMEOUT;
        snprintf(end->reason, sizeof end->reason, "took longer than the time limit of %g s", p->options->limit[tool]);
        return;
    }
    end->outcome = plan_find(&end->marks, "end") ? OUTCOME_DONE : OUTCOME_FAILED;
    snprintf(end->reason, sizeof end->reason, "%s", end->marks.error);
    if (end->outcome == OUTCOME_FAILED && !*end->reason)
        probe_last_line(p, LOG_FILE, end->reason);
    if (end->outcome == OUTCOME_FAILED && !*end->reason)
        child_how(child, end->reason, sizeof end->reason);
}

bool debugger_run(struct probe *p, enum tool tool, const struct plan *plan, struct session_end *end, struct error *e)
{
    char path[PATH_MAX], script[PATH_MAX], import[PATH_MAX + 32], log[PATH_MAX];
    char told[PATH_MAX + sizeof "PYELFPROBE_PLAN="];
    char *words[WORDS_MOST];
    struct child_end child;
    *end = (struct session_end){0};
    if (!plan_write(p, plan, path, e) || !make_words(p, tool, script, import, words, e))
        return false;
    probe_path(p, LOG_FILE, log);
    snprintf(told, sizeof told, "PYELFPROBE_PLAN=%s", path);
    const char *environment[] = {told, "LC_ALL=C", "DEBUGINFOD_URLS", "LD_PRELOAD", p->tools[tool].python, NULL};
    const struct child_order order = {words, environment, log, log, p->options->limit[tool]};
    if (!child_run(&p->children, &order, &child, e))
        return false;
    children_end();
    plan_marks(p, &end->marks);
    end->begun = child.begun;
    judge(p, tool, &child, end);
    return true;
}

/* ---- cells ---- */

static bool take_mark(struct cell *cell, const struct mark *mark, double clock, double cpu, struct error *e)
{
    const struct sample sample = {.of = {[METRIC_WALL] = mark->clock - clock,
                                         [METRIC_CPU] = mark->cpu - cpu,
                                         [METRIC_RSS] = mark->rss,
                                         [METRIC_FAULTS] = NAN,
                                         [METRIC_FOUND] = mark->found}};
    return cell_add(cell, &sample) || error_set(e, ERROR_MEMORY, "out of memory");
}

/* The mark from which a step is counted; NULL: it is missing. */
static const struct mark *from_mark(const struct marks *marks, const struct step_mark *step, const struct mark *mark)
{
    return step->from ? plan_find(marks, step->from) : mark > marks->of ? mark - 1 : NULL;
}

/* Why the debugger was not asked for a step that is wanted; NULL where it was. */
static const char *not_asked(const struct plan *plan, enum step step)
{
    if (step == STEP_BREAK && !plan->place)
        return "there is no function to break at: give --break";
    if (step == STEP_BACKTRACE && !plan->backtrace)
        return "nothing says where to stop: give --break or --until";
    return NULL;
}

/* Takes the result of one step; `start` is taken elsewhere. */
static bool take_step(struct cell *cell, const struct step_mark *step, const struct plan *plan,
                      const struct session_end *end, struct error *e)
{
    const struct mark *mark = plan_find(&end->marks, step_names[step->step]);
    const struct mark *from = mark ? from_mark(&end->marks, step, mark) : NULL;
    const char *missed = plan_missed(&end->marks, step_names[step->step]);
    if (mark && from) {
        if (step->step == STEP_FUNCTIONS && mark->found == 0 && !*cell->reason)
            snprintf(cell->reason, sizeof cell->reason, "no function matches '%.150s'", plan->pattern);
        return take_mark(cell, mark, from->clock, from->cpu, e);
    }
    if (missed)
        cell_miss(cell, OUTCOME_FAILED, missed);
    else if (not_asked(plan, step->step))
        cell_miss(cell, OUTCOME_ABSENT, not_asked(plan, step->step));
    else
        cell_miss(cell, end->outcome == OUTCOME_DONE ? OUTCOME_FAILED : end->outcome, end->reason);
    return true;
}

/* Notes that nothing calls the function that was chosen to break at, if the program came to where all is loaded
 * instead. From then on it is started without the call. The backtrace is taken there, and a remark says so. */
static void note_uncalled(struct app *app, const struct plan *plan, const struct marks *marks, struct cell *cell)
{
    const struct mark *reached = plan_find(marks, "reached");
    if (app->called && plan->until && reached && reached->found == 0) {
        app->uncalled = true;
        app->call = NULL;
        app->called = NULL;
    }
    if (app->uncalled && cell->outcome == OUTCOME_DONE && !*cell->reason)
        snprintf(cell->reason, sizeof cell->reason, "nothing calls '%.150s': taken where all is loaded", app->place);
}

static bool take_marks(struct probe *p, enum tool tool, const struct plan *plan, enum cache cache, size_t number,
                       const struct session_end *end, struct error *e)
{
    struct cell(*cells)[CACHES][APPS_MOST] = p->cells.of[tool];
    const struct mark *begin = plan_find(&end->marks, "begin");
    bool well = true;
    if (begin)
        well = take_mark(&cells[STEP_BEGIN][cache][number], begin, end->begun, 0, e);
    for (size_t i = 0; i < STEP_MARKS && well; i++) {
        const struct step_mark *step = &step_marks[i];
        struct cell *cell = &cells[step->step][cache][number];
        if (step->session != plan->session || !p->options->step[step->step])
            continue;
        well = take_step(cell, step, plan, end, e);
        live_remark(&p->apps[number], cell);
        if (step->step == STEP_BACKTRACE)
            note_uncalled(&p->apps[number], plan, &end->marks, cell);
    }
    return well;
}

/* Whether the session need not be repeated: it failed at the first step that is wanted, or took too long, and would
 * again. */
static bool has_failed(const struct probe *p, enum tool tool, enum session session, enum cache cache, size_t number)
{
    bool is_first = true, failed = false;
    for (size_t i = 0; i < STEP_MARKS; i++) {
        const enum step step = step_marks[i].step;
        const enum outcome outcome = p->cells.of[tool][step][cache][number].outcome;
        if (step_marks[i].session != session || !p->options->step[step])
            continue;
        if (outcome == OUTCOME_TIMEOUT)
            return true;
        if (is_first)
            failed = outcome != OUTCOME_NONE && outcome != OUTCOME_DONE && step != STEP_BREAK;
        is_first = false;
    }
    return failed;
}

static void miss_all(struct probe *p, enum tool tool, enum session session, enum cache cache, size_t number,
                     enum outcome outcome, const char *reason)
{
    for (size_t i = 0; i < STEP_MARKS; i++)
        if (step_marks[i].session == session && p->options->step[step_marks[i].step])
            cell_miss(&p->cells.of[tool][step_marks[i].step][cache][number], outcome, reason);
}

/* What is linked with all files does not start without one that cannot be opened. */
static void add_unopened(const struct app *app, struct session_end *end)
{
    const size_t length = strlen(end->reason);
    if (*app->unopened)
        snprintf(end->reason + length, sizeof end->reason - length, "; %s", app->unopened);
}

/* The plan for a session with an application that has been prepared for it. */
static struct plan make_plan(const struct probe *p, const struct app *app, enum session session,
                             const struct started *program)
{
    struct plan plan = {.session = session, .app = app, .program = program, .until = p->options->until};
    if (session != SESSION_LINKED)
        return plan;
    plan.place = p->options->step[STEP_BREAK] || p->options->step[STEP_BACKTRACE] ? app->place : NULL;
    plan.pattern = p->options->step[STEP_FUNCTIONS] ? p->options->pattern : NULL;
    if (!plan.until && program->calls)
        plan.until = plan.place;
    if (!plan.until && p->start == START_COMMAND)
        plan.until = plan.place;
    plan.backtrace = p->options->step[STEP_BACKTRACE] && (plan.until || program->signals);
    return plan;
}

bool debugger_measure(struct probe *p, enum tool tool, enum session session, enum cache cache, size_t number,
                      struct error *e)
{
    static const enum purpose purposes[SESSIONS] = {PURPOSE_LINKED, PURPOSE_EVENTS, PURPOSE_LIVE};
    struct app *app = &p->apps[number];
    struct started program;
    struct session_end end;
    struct error reason;
    if (has_failed(p, tool, session, cache, number))
        return true;
    if (session == SESSION_ATTACH) {
        struct live live;
        if (!live_begin(p, number, tool, &live, e))
            return false;
        if (live.outcome != OUTCOME_DONE) {
            miss_all(p, tool, session, cache, number, live.outcome, live.reason);
            return true;
        }
        const struct plan plan = {.session = session, .app = app, .pid = live.pid};
        return debugger_run(p, tool, &plan, &end, e) && take_marks(p, tool, &plan, cache, number, &end, e);
    }
    if (!start_prepare(p, app, purposes[session], NULL, &program, &reason)) {
        if (reason.code != ERROR_INPUT) {
            *e = reason;
            return false;
        }
        miss_all(p, tool, session, cache, number, OUTCOME_ABSENT, reason.text);
        return true;
    }
    const struct plan plan = make_plan(p, app, session, &program);
    if (!debugger_run(p, tool, &plan, &end, e))
        return false;
    if (session == SESSION_LINKED && end.outcome == OUTCOME_FAILED)
        add_unopened(app, &end);
    return take_marks(p, tool, &plan, cache, number, &end, e);
}
