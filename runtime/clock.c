/* The start of the process has two sources.
 *
 * PYELFRUN_START, in seconds of CLOCK_MONOTONIC, is set by the process that started us, and is exact. It means nothing
 * on another host, so a time that is not in the past is taken for one that came with the environment from elsewhere.
 * Otherwise /proc/self/stat has the start in clock ticks of CLOCK_BOOTTIME, 10 ms each (proc(5), field 22).
 */
#include "runtime/clock.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t id)
{
    struct timespec t;
    if (clock_gettime(id, &t) != 0)
        return NAN;
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double clock_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static bool start_given(double now, double *start)
{
    const char *text = getenv(CLOCK_START);
    if (!text || !*text)
        return false;
    char *end;
    *start = strtod(text, &end);
    return !*end && isfinite(*start) && *start > 0 && *start <= now;
}

/* The command (field 2) is in parentheses and may contain anything, so fields are counted from behind the last
 * parenthesis. */
static bool start_in_proc(double tick, double *start)
{
    enum { FIELD_AFTER_COMMAND = 3, FIELD_START = 22 };
    char line[1024];
    FILE *f = fopen("/proc/self/stat", "re");
    if (!f)
        return false;
    size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = '\0';
    char *rest = strrchr(line, ')');
    if (!rest)
        return false;
    char *place;
    char *word = strtok_r(rest + 1, " \n", &place);
    for (int i = FIELD_AFTER_COMMAND; word && i < FIELD_START; i++)
        word = strtok_r(NULL, " \n", &place);
    if (!word)
        return false;
    unsigned long long ticks = strtoull(word, NULL, 10);
    *start = (double)ticks * tick;
    return ticks > 0;
}

struct clock_startup clock_startup(void)
{
    double now = clock_now();
    double now_since_boot = seconds_of(CLOCK_BOOTTIME);
    double start;
    if (start_given(now, &start))
        return (struct clock_startup){now - start, 1e-9};
    long rate = sysconf(_SC_CLK_TCK);
    double tick = rate > 0 ? 1.0 / (double)rate : NAN;
    if (start_in_proc(tick, &start) && start <= now_since_boot)
        return (struct clock_startup){now_since_boot - start, tick};
    return (struct clock_startup){NAN, NAN};
}
