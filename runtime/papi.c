/* The processor's counters through PAPI: its presets, or the events named by PAPI_EVENTS, which is the variable of
 * PAPI's own high-level interface.
 *
 * PAPI is loaded when counters are started, so a machine without it needs nothing. It is loaded only if it may have
 * something to count, because it adds two libraries to those of the process. It counts what the calling thread does in
 * user mode. All events of one component run at once and are never multiplexed: an estimate would be worthless for a
 * visit of milliseconds. An event that the processor cannot count together with those before it in the list is absent.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/source.h"

struct preset {
    const char *name, *unit;
    /* the kernel's event, for processors without PAPI's preset */
    const char *otherwise;
};

static const struct preset presets[] = {
    {"PAPI_L1_DCM", "misses", "perf::L1-DCACHE-LOAD-MISSES"},
    {"PAPI_L1_ICM", "misses", "perf::L1-ICACHE-LOAD-MISSES"},
    {"PAPI_L2_TCM", "misses", NULL},
    {"PAPI_TOT_CYC", "cycles", "perf::CYCLES"},
    {"PAPI_TLB_DM", "misses", "perf::DTLB-LOAD-MISSES"},
    {"PAPI_TLB_IM", "misses", "perf::ITLB-LOAD-MISSES"},
};

enum { PRESETS = sizeof presets / sizeof presets[0] };
enum { EVENTS_MOST = SOURCE_MOST - 1 }; /* events of PAPI_EVENTS; one more counter says that there are more */

/* The value of PAPI_EVENTS if it names any event, else NULL. */
static const char *named_events(void)
{
    const char *names = getenv("PAPI_EVENTS");
    return names && names[strspn(names, ",")] ? names : NULL;
}

/* Fills the list with the events of PAPI_EVENTS, separated by commas, or else with the presets. The first event for
 * which there is no room is absent. */
static size_t wanted(struct counter *list)
{
    const char *names = named_events();
    size_t count = 0;
    while (names && *names && count <= EVENTS_MOST) {
        size_t length = strcspn(names, ",");
        if (length > 0) {
            if (count == EVENTS_MOST)
                source_absent(&list[count],
                              "PAPI_EVENTS names more than %d events, and those from here on are left out",
                              EVENTS_MOST);
            snprintf(list[count].name, sizeof list[count].name, "%.*s", (int)length, names);
            list[count++].unit = "events";
        }
        names += length + (names[length] == ',');
    }
    for (size_t i = 0; count == 0 && i < PRESETS; i++) {
        snprintf(list[i].name, sizeof list[i].name, "%s", presets[i].name);
        list[i].unit = presets[i].unit;
    }
    count = count > 0 ? count : PRESETS;
    for (size_t i = 0; i < count; i++)
        list[i].late = true;
    return count;
}

#if PYELFGEN_HAVE_PAPI

#include <papi.h>

/* The functions of PAPI that are called here, with their types. */
#define CALLS(X)                                                                                                       \
    X(PAPI_library_init)                                                                                               \
    X(PAPI_strerror)                                                                                                   \
    X(PAPI_event_name_to_code)                                                                                         \
    X(PAPI_get_event_component)                                                                                        \
    X(PAPI_get_component_info)                                                                                         \
    X(PAPI_create_eventset)                                                                                            \
    X(PAPI_assign_eventset_component)                                                                                  \
    X(PAPI_add_event)                                                                                                  \
    X(PAPI_start)                                                                                                      \
    X(PAPI_read)                                                                                                       \
    X(PAPI_stop)                                                                                                       \
    X(PAPI_cleanup_eventset)                                                                                           \
    X(PAPI_destroy_eventset)

/* The events of one component. PAPI runs one set of each component at a time. */
struct set {
    int component, papi;
    size_t count;
    size_t counters[SOURCE_MOST]; /* indices in the list, in the order in which the events were added */
};

struct papi {
#define CALL(name) __typeof__(name) *name;
    CALLS(CALL)
#undef CALL
    size_t count;
    struct set sets[2 * SOURCE_MOST]; /* a counter that the kernel counts after all may leave an empty one behind */
};

/* Loads the version of the library that the header belongs to. Returns NULL, or why it cannot. */
static const char *load(struct papi *p)
{
    char name[64];
    snprintf(name, sizeof name, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
    /* libsde looks for PAPI among the global symbols. Without libsde PAPI is loaded locally, so that searches for
     * symbols do not pass through it. It stays loaded, because tools may use it. */
    int scope = dlopen("libsde.so.1", RTLD_LAZY | RTLD_NOLOAD) ? RTLD_GLOBAL : RTLD_LOCAL;
    void *library = dlopen(name, RTLD_NOW | scope);
    if (!library)
        return dlerror();
#define CALL(call)                                                                                                     \
    do {                                                                                                               \
        void *address = dlsym(library, #call);                                                                         \
        if (!address)                                                                                                  \
            return dlerror();                                                                                          \
        memcpy(&p->call, &address, sizeof address);                                                                    \
    } while (0);
    CALLS(CALL)
#undef CALL
    int version = p->PAPI_library_init(PAPI_VER_CURRENT);
    if (version == PAPI_VER_CURRENT)
        return NULL;
    return version < 0 ? p->PAPI_strerror(version) : "the library has another version than this program was built with";
}

#define WITHOUT_PMU "the kernel has no hardware counters here (no cpu in /sys/bus/event_source/devices)"

/* Whether the kernel has a driver for the processor's counters. */
static bool has_pmu(void)
{
    return access("/sys/bus/event_source/devices/cpu", F_OK) == 0 ||
           access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0;
}

static struct set *set_of(struct papi *p, int component)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->sets[i].component == component)
            return &p->sets[i];
    }
    struct set *set = &p->sets[p->count];
    *set = (struct set){.component = component, .papi = PAPI_NULL};
    if (p->PAPI_create_eventset(&set->papi) != PAPI_OK)
        return NULL;
    p->count++;
    p->PAPI_assign_eventset_component(set->papi, component);
    return set;
}

static int add(struct papi *p, const char *name, size_t counter)
{
    int event;
    int status = p->PAPI_event_name_to_code(name, &event);
    if (status != PAPI_OK)
        return status;
    int component = p->PAPI_get_event_component(event);
    if (component < 0)
        return component;
    struct set *set = set_of(p, component);
    if (!set)
        return PAPI_ENOMEM;
    status = p->PAPI_add_event(set->papi, event);
    if (status == PAPI_OK)
        set->counters[set->count++] = counter;
    return status;
}

/* Says why a counter is absent. Presets belong to the first component, which knows why it has none. */
static void say_why(struct papi *p, struct counter *c, int status)
{
    const PAPI_component_info_t *cpu = p->PAPI_get_component_info(0);
    bool preset = strncmp(c->name, "PAPI_", strlen("PAPI_")) == 0;
    if (preset && !has_pmu())
        source_absent(c, "PAPI: " WITHOUT_PMU);
    else if (preset && cpu && cpu->disabled)
        source_absent(c, "PAPI: component %s is disabled: %s", cpu->short_name, cpu->disabled_reason);
    else if (status == PAPI_ECNFLCT)
        source_absent(c, "PAPI: the processor cannot count this together with those before it");
    else
        source_absent(c, "PAPI: %s", p->PAPI_strerror(status));
}

static void add_all(struct papi *p, struct counter *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].absent[0])
            continue;
        int status = add(p, list[i].name, i);
        const char *otherwise = NULL;
        for (size_t k = 0; k < PRESETS && !otherwise; k++)
            otherwise = strcmp(list[i].name, presets[k].name) == 0 ? presets[k].otherwise : NULL;
        if (status == PAPI_ENOEVNT && otherwise && add(p, otherwise, i) == PAPI_OK)
            snprintf(list[i].name, sizeof list[i].name, "%s", otherwise);
        else if (status != PAPI_OK)
            say_why(p, &list[i], status);
    }
}

/* Whether a set counts at all. If the processor works for this long and counts no cycle, it counts nothing; some
 * virtual machines have such counters. */
static bool counts(struct papi *p, const struct set *set, const struct counter *list)
{
    long long values[SOURCE_MOST];
    for (volatile int i = 0; i < 1000; i++)
        continue;
    if (p->PAPI_read(set->papi, values) != PAPI_OK)
        return false;
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(list[set->counters[i]].unit, "cycles") == 0 && values[i] == 0)
            return false;
    }
    return true;
}

static void start_all(struct papi *p, struct counter *list)
{
    for (size_t i = 0; i < p->count; i++) {
        struct set *set = &p->sets[i];
        int status = set->count > 0 ? p->PAPI_start(set->papi) : PAPI_OK;
        bool runs = status == PAPI_OK && (set->count == 0 || counts(p, set, list));
        for (size_t k = 0; k < set->count && !runs; k++)
            source_absent(&list[set->counters[k]], "PAPI: %s",
                          status == PAPI_OK ? "starts, but counts no cycles while the processor works"
                                            : p->PAPI_strerror(status));
        if (!runs)
            set->count = 0;
    }
}

static bool papi_open(void **state, struct counter *list, size_t *count, struct error *e)
{
    struct papi *p = *state = calloc(1, sizeof *p);
    if (!p)
        return error_set(e, ERROR_MEMORY, "there is no memory left for PAPI's counters");
    *count = wanted(list);
    return true;
}

static void papi_start(void *state, struct counter *list, size_t count, bool asked)
{
    struct papi *p = state;
    const char *why = asked || named_events() || has_pmu() ? load(p) : WITHOUT_PMU;
    for (size_t i = 0; i < count && why; i++)
        source_absent(&list[i], "PAPI: %s", why);
    if (!why) {
        add_all(p, list, count);
        start_all(p, list);
    }
}

static void papi_read(void *state, uint64_t *values)
{
    struct papi *p = state;
    long long read[SOURCE_MOST];
    for (size_t i = 0; i < p->count; i++) {
        const struct set *set = &p->sets[i];
        if (set->count == 0 || p->PAPI_read(set->papi, read) != PAPI_OK)
            continue;
        for (size_t k = 0; k < set->count; k++)
            values[set->counters[k]] = (uint64_t)read[k];
    }
}

static void papi_close(void *state)
{
    struct papi *p = state;
    /* PAPI itself is not shut down: a tool in this process may use it, too. */
    for (size_t i = 0; i < p->count; i++) {
        p->PAPI_stop(p->sets[i].papi, NULL);
        p->PAPI_cleanup_eventset(p->sets[i].papi);
        p->PAPI_destroy_eventset(&p->sets[i].papi);
    }
    free(p);
}

#else

static bool papi_open(void **state, struct counter *list, size_t *count, struct error *e)
{
    (void)e;
    *count = wanted(list);
    for (size_t i = 0; i < *count; i++)
        source_absent(&list[i], "PAPI: not built in; build with the Debian package libpapi-dev");
    *state = NULL;
    return true;
}

static void papi_start(void *state, struct counter *list, size_t count, bool asked)
{
    (void)state, (void)list, (void)count, (void)asked;
}

static void papi_read(void *state, uint64_t *values)
{
    (void)state, (void)values;
}

static void papi_close(void *state)
{
    (void)state;
}

#endif

const struct source source_papi = {"papi", papi_open, papi_start, papi_read, papi_close};
