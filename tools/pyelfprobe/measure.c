/* See measure.h. */
#include "tools/pyelfprobe/measure.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/pyelfprobe/debugger.h"
#include "tools/pyelfprobe/live.h"
#include "tools/pyelfprobe/readers.h"

/* Notes for every wanted step of the tool that there is no measurement. */
static void miss_tool(struct probe *p, enum tool tool, enum cache cache, size_t number, enum outcome outcome,
                      const char *reason)
{
    for (int step = 0; step < STEPS; step++)
        if (cells_has(tool, (enum step)step) && p->options->step[step])
            cell_miss(&p->cells.of[tool][step][cache][number], outcome, reason);
}

/* Reads the files into the page cache or drops them, before each run. Where they stay in memory, *ready becomes false,
 * and the tool's cells say why. */
static bool prepare_cache(struct probe *p, enum tool tool, enum cache cache, size_t number, bool *ready,
                          struct error *e)
{
    struct page_cache seen;
    const struct app *app = &p->apps[number];
    *ready = true;
    if (!app_cache(app, cache == CACHE_COLD ? PAGE_CACHE_DROP : PAGE_CACHE_READ, &seen, e))
        return false;
    if (cache == CACHE_COLD && page_cache_stays(&seen)) {
        char reason[REASON_SIZE];
        page_cache_say(&seen, reason, sizeof reason);
        miss_tool(p, tool, cache, number, OUTCOME_ABSENT, reason);
        *ready = false;
    }
    return true;
}

/* Runs a tool, or each of a debugger's sessions, once on one application. */
static bool measure(struct probe *p, enum tool tool, enum cache cache, size_t number, struct error *e)
{
    bool ready;
    if (tool != TOOL_GDB && tool != TOOL_LLDB) {
        if (!prepare_cache(p, tool, cache, number, &ready, e))
            return false;
        if (!ready)
            return true;
        return tool == TOOL_LOAD ? live_measure(p, cache, number, e) : readers_measure(p, tool, cache, number, e);
    }
    for (int session = 0; session < SESSIONS; session++) {
        if (!debugger_wants(p, (enum session)session))
            continue;
        if (!prepare_cache(p, tool, cache, number, &ready, e))
            return false;
        if (!ready)
            return true;
        if (!debugger_measure(p, tool, (enum session)session, cache, number, e))
            return false;
    }
    return true;
}

/* Runs a tool once on each application. `what` is shown on a terminal: "run 2 of 3", or "warm-up". */
static bool measure_turn(struct probe *p, const char *what, uint64_t turn, enum cache cache, enum tool tool,
                         struct error *e)
{
    for (size_t i = 0; i < p->app_count; i++) {
        const size_t number = turn % 2 ? p->app_count - 1 - i : i;
        if (p->tools[tool].outcome != OUTCOME_DONE) {
            miss_tool(p, tool, cache, number, p->tools[tool].outcome, p->tools[tool].reason);
            continue;
        }
        probe_progress(p, "%s, %s: %s on %s", what, cache_names[cache], tool_names[tool], p->apps[number].label);
        if (!measure(p, tool, cache, number, e))
            return false;
    }
    return true;
}

/* Whether the step's session took too long, so that it is not tried again. What it had measured before the limit then
 * counts, because there will be nothing else. */
static bool is_last(const struct probe *p, int tool, int step, enum cache cache, size_t app)
{
    for (int other = 0; other < STEPS; other++)
        if (p->cells.of[tool][other][cache][app].outcome == OUTCOME_TIMEOUT &&
            debugger_same_session((enum step)step, (enum step)other))
            return true;
    return false;
}

/* Runs everything without counting it, so that what each tool reads of its own is in memory afterwards. What fails here
 * is not tried again. */
static bool warm_up(struct probe *p, struct error *e)
{
    const enum cache cache = p->options->cache[CACHE_WARM] ? CACHE_WARM : CACHE_COLD;
    for (uint64_t turn = 0; turn < p->options->warm_up; turn++)
        for (int tool = 0; tool < TOOLS; tool++)
            if (p->options->tool[tool] && !measure_turn(p, "warm-up", turn, cache, (enum tool)tool, e))
                return false;
    for (int tool = 0; tool < TOOLS; tool++)
        for (int step = 0; step < STEPS; step++)
            for (size_t app = 0; app < p->app_count; app++)
                if (!is_last(p, tool, step, cache, app))
                    cell_forget(&p->cells.of[tool][step][cache][app]);
    return true;
}

/* Drops the files of two applications, so that both are read from the disk. Files that have just been written are in
 * the page cache in larger pieces than files that were read, and load faster by up to a tenth. */
static bool forget_how_cached(const struct probe *p, struct error *e)
{
    for (size_t i = 0; i < p->app_count && p->app_count > 1; i++) {
        struct page_cache seen;
        if (!app_cache(&p->apps[i], PAGE_CACHE_DROP, &seen, e))
            return false;
    }
    return true;
}

bool measure_all(struct probe *p, struct error *e)
{
    char what[64];
    if (!forget_how_cached(p, e) || !warm_up(p, e))
        return false;
    for (uint64_t turn = 0; turn < p->options->repeat; turn++) {
        snprintf(what, sizeof what, "run %" PRIu64 " of %" PRIu64, turn + 1, p->options->repeat);
        for (int cache = 0; cache < CACHES; cache++)
            for (int tool = 0; tool < TOOLS; tool++)
                if (p->options->cache[cache] && p->options->tool[tool] &&
                    !measure_turn(p, what, turn, (enum cache)cache, (enum tool)tool, e))
                    return false;
    }
    return true;
}

bool measure_well(const struct probe *p)
{
    bool well = true, any = false;
    for (int tool = 0; tool < TOOLS; tool++)
        for (int step = 0; step < STEPS; step++)
            for (int cache = 0; cache < CACHES; cache++)
                for (size_t app = 0; app < p->app_count; app++) {
                    const enum outcome outcome = p->cells.of[tool][step][cache][app].outcome;
                    well = well && outcome != OUTCOME_FAILED && outcome != OUTCOME_TIMEOUT;
                    any = any || outcome == OUTCOME_DONE;
                }
    return well && any;
}
