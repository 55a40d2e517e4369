/* What this process has loaded, and what the runner has done. These are counted here, so no machine lacks them, and
 * offered to PAPI's tools as software-defined events: sde:::pyelf::libraries_loaded and so on.
 *
 * What is loaded is found at each reading, from the dynamic linker (dl_iterate_phdr) and the dynamic sections of the
 * objects (gABI, "Dynamic Section"). Nothing is counted between readings, and a tool that reads in the middle of an
 * import sees that state.
 *
 * libsde is PAPI's library for programs that offer such events. If a tool has loaded it, it is used. Otherwise it is
 * loaded only if it is asked for, with global symbols, because PAPI looks there when it is initialised.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/relr.h"
#include "runtime/source.h"

/* name, unit, description */
#define EVENTS(X)                                                                                                      \
    X(libraries_loaded, "objects", "Objects that the dynamic linker has loaded since the process began")               \
    X(bytes_mapped, "bytes", "Address space of the segments of all objects that are loaded")                           \
    X(relocations_relative, "relocations", "Relocations without a symbol, of all objects that are loaded")             \
    X(relocations_symbolic, "relocations", "Relocations of data that name a symbol, of all objects that are loaded")   \
    X(relocations_plt, "relocations", "Relocations of calls through the PLT, of all objects that are loaded")          \
    X(symbols_looked_up, "symbols", "Relocations whose symbol was looked up when their object was loaded")             \
    X(modules_imported, "modules", "Libraries of the set that pyelfrun has imported or opened")                        \
    X(entries_visited, "calls", "Entries of modules that pyelfrun has called")

enum event {
#define EVENT(name, unit, text) EVENT_##name,
    EVENTS(EVENT)
#undef EVENT
        COUNT
};

static const struct {
    const char *name, *unit, *text;
} events[COUNT] = {
#define EVENT(name, unit, text) {#name, unit, text},
    EVENTS(EVENT)
#undef EVENT
};

struct published {
    const struct sde *sde;
    enum event event;
};

struct sde {
    uint64_t done[COUNTERS_EVENTS];
    size_t before; /* objects that were loaded before bind_now was set */
    bool bind_now;
    bool always;           /* LD_BIND_NOW, which the dynamic linker has read at the start */
    char unpublished[160]; /* why PAPI's tools do not see the events; "" if they do */
    void *handle;          /* of libsde */
    struct published published[COUNT];
};

struct walk {
    const struct sde *sde;
    bool relocations; /* are wanted: of large sets there are millions, and a tool may read often */
    size_t objects;
    uint64_t values[COUNT];
};

/* How many relocations of a table name a symbol, from one up to another. */
static uint64_t count_named(const ElfW(Rela) * of, size_t first, size_t end)
{
    uint64_t named = 0;
    for (size_t i = first; i < end; i++)
        named += ELF64_R_SYM(of[i].r_info) != 0;
    return named;
}

/* What a dynamic section says of an object's relocations. */
struct relocations {
    uint64_t rela, rela_size, relative; /* relative: of so many, which come first, nobody looks a symbol up */
    uint64_t plt, plt_size;
    uint64_t relr, relr_size;
    bool bind_now;
};

static void read_dynamic(struct relocations *r, const ElfW(Dyn) * d)
{
    for (; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_RELA:
            r->rela = d->d_un.d_ptr;
            break;
        case DT_RELASZ:
            r->rela_size = d->d_un.d_val;
            break;
        case DT_RELACOUNT:
            r->relative = d->d_un.d_val;
            break;
        case DT_JMPREL:
            r->plt = d->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            r->plt_size = d->d_un.d_val;
            break;
        case DT_RELR:
            r->relr = d->d_un.d_ptr;
            break;
        case DT_RELRSZ:
            r->relr_size = d->d_un.d_val;
            break;
        case DT_BIND_NOW:
            r->bind_now = true;
            break;
        case DT_FLAGS:
            r->bind_now |= (d->d_un.d_val & DF_BIND_NOW) != 0;
            break;
        case DT_FLAGS_1:
            r->bind_now |= (d->d_un.d_val & DF_1_NOW) != 0;
            break;
        default:
            break;
        }
    }
    /* Some linkers include the PLT's relocations, which come last, in DT_RELASZ as well. */
    if (r->plt >= r->rela && r->plt < r->rela + r->rela_size)
        r->rela_size -= r->plt_size;
}

/* A table of an object; NULL where none of its segments has it. The dynamic linker makes some of these addresses
 * absolute, and leaves others as they are in the file: that of DT_RELR, and those of the vDSO. */
static const void *table_at(const struct dl_phdr_info *info, uint64_t address, uint64_t size)
{
    address = address < info->dlpi_addr ? address + info->dlpi_addr : address;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uint64_t begin = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_R) && address >= begin && address - begin <= p->p_filesz &&
            size <= p->p_filesz - (address - begin))
            return (const void *)(uintptr_t)address;
    }
    return NULL;
}

/* Relocations without a symbol are not only those that DT_RELACOUNT counts: there are thread-local ones and indirect
 * functions, and linkers that do not write it. */
static void add_relocations(struct walk *w, const struct dl_phdr_info *info, const struct relocations *r)
{
    const ElfW(Rela) *rela = table_at(info, r->rela, r->rela_size);
    const ElfW(Rela) *plt = table_at(info, r->plt, r->plt_size);
    const uint64_t *relr = table_at(info, r->relr, r->relr_size);
    const uint64_t count = rela ? r->rela_size / sizeof *rela : 0;
    const uint64_t calls = plt ? r->plt_size / sizeof *plt : 0;
    const uint64_t first = r->relative < count ? r->relative : count;
    const uint64_t symbolic = count_named(rela, first, count);
    w->values[EVENT_relocations_relative] += count - symbolic + (relr ? relr_count(relr, r->relr_size) : 0);
    w->values[EVENT_relocations_symbolic] += symbolic;
    w->values[EVENT_relocations_plt] += calls;
    w->values[EVENT_symbols_looked_up] += symbolic + (r->bind_now ? count_named(plt, 0, calls) : 0);
}

/* Adds one object. Objects come in the order in which they were loaded. */
static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct walk *w = context;
    struct relocations r = {.bind_now = w->sde->always || (w->sde->bind_now && w->objects >= w->sde->before)};
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD) {
            low = p->p_vaddr < low ? p->p_vaddr : low;
            high = p->p_vaddr + p->p_memsz > high ? p->p_vaddr + p->p_memsz : high;
        } else if (p->p_type == PT_DYNAMIC) {
            read_dynamic(&r, (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr));
        }
    }
    if (w->relocations)
        add_relocations(w, info, &r);
    w->values[EVENT_bytes_mapped] += high > low ? high - low : 0;
    if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof info->dlpi_adds)
        w->values[EVENT_libraries_loaded] = info->dlpi_adds;
    w->objects++;
    return 0;
}

static void look(struct walk *w, const struct sde *s, bool relocations)
{
    *w = (struct walk){.sde = s, .relocations = relocations};
    dl_iterate_phdr(add_object, w);
    w->values[EVENT_modules_imported] = __atomic_load_n(&s->done[COUNTERS_MODULES_IMPORTED], __ATOMIC_RELAXED);
    w->values[EVENT_entries_visited] = __atomic_load_n(&s->done[COUNTERS_ENTRIES_VISITED], __ATOMIC_RELAXED);
}

static void sde_read(void *state, uint64_t *values)
{
    struct walk w;
    look(&w, state, true);
    memcpy(values, w.values, sizeof w.values);
}

void sde_add(void *state, enum counters_event event, uint64_t count)
{
    struct sde *s = state;
    __atomic_fetch_add(&s->done[event], count, __ATOMIC_RELAXED);
}

void sde_bind_now(void *state, bool now)
{
    struct sde *s = state;
    if (s->bind_now == now) /* what came since then stays with what was said then */
        return;
    struct walk w;
    look(&w, s, false);
    s->before = w.objects;
    s->bind_now = now;
}

const char *sde_unpublished(const void *state)
{
    const struct sde *s = state;
    return s->unpublished;
}

#if PYELFGEN_HAVE_SDE

#include <sde_lib.h>

/* libsde calls this when somebody reads an event. */
static long long int read_event(void *parameter)
{
    const struct published *p = parameter;
    struct walk w;
    look(&w, p->sde, p->event >= EVENT_relocations_relative && p->event <= EVENT_symbols_looked_up);
    return (long long int)w.values[p->event];
}

/* Registers all events. libsde copies names and texts. */
static papi_handle_t publish(const papi_sde_fptr_struct_t *f, struct published *published)
{
    papi_handle_t handle = f->init("pyelf");
    for (size_t i = 0; i < COUNT && handle; i++) {
        f->register_counter_cb(handle, events[i].name, PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, read_event,
                               &published[i]);
        f->describe_counter(handle, events[i].name, events[i].text);
    }
    return handle;
}

/* Tools call this to list the events of a library without running it. libsde prescribes the name and that there are no
 * other arguments. What it registers has to outlast the call, hence the static objects. Since nothing runs, the runner
 * has done nothing. */
__attribute__((visibility("default"))) papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t *fptr_struct)
{
    static const struct sde nothing_done;
    static struct published listed[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        listed[i] = (struct published){&nothing_done, (enum event)i};
    return publish(fptr_struct, listed);
}

/* Finds a function of libsde; NULL if there is none of that name. */
static void find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
}

static void publish_here(struct sde *s, bool asked)
{
    papi_sde_fptr_struct_t f = {0};
    void *library = dlopen("libsde.so.1", RTLD_NOW | RTLD_GLOBAL | (asked ? 0 : RTLD_NOLOAD));
    if (!library) {
        const char *why = asked ? dlerror() : "libsde is loaded only when it is asked for: --counters sde";
        snprintf(s->unpublished, sizeof s->unpublished, "%s", why);
        return;
    }
    find(library, "papi_sde_init", &f.init);
    find(library, "papi_sde_register_counter_cb", &f.register_counter_cb);
    find(library, "papi_sde_describe_counter", &f.describe_counter);
    if (!f.init || !f.register_counter_cb || !f.describe_counter) {
        snprintf(s->unpublished, sizeof s->unpublished, "libsde.so.1 has not all of its functions");
        return;
    }
    for (size_t i = 0; i < COUNT; i++)
        s->published[i] = (struct published){s, (enum event)i};
    s->handle = publish(&f, s->published);
    if (!s->handle)
        snprintf(s->unpublished, sizeof s->unpublished, "libsde is disabled");
}

#else

static void publish_here(struct sde *s, bool asked)
{
    (void)asked;
    snprintf(s->unpublished, sizeof s->unpublished, "libsde: not built in; build with the Debian package libpapi-dev");
}

#endif

static bool sde_open(void **state, struct counter *list, size_t *count, struct error *e)
{
    struct sde *s = *state = calloc(1, sizeof *s);
    if (!s)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the software-defined events");
    *count = COUNT;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(list[i].name, sizeof list[i].name, "sde:::pyelf::%s", events[i].name);
        list[i].unit = events[i].unit;
    }
    const char *bind_now = getenv("LD_BIND_NOW");
    s->always = bind_now && *bind_now;
    return true;
}

static void sde_start(void *state, struct counter *list, size_t count, bool asked)
{
    (void)list, (void)count;
    publish_here(state, asked);
}

static void sde_close(void *state)
{
    struct sde *s = state;
    /* Published events stay: tools may read them as long as the process runs, and nothing is safe after
     * papi_sde_shutdown of PAPI 7.0. */
    if (s->handle)
        return;
    free(s);
}

const struct source source_sde = {"sde", sde_open, sde_start, sde_read, sde_close};
