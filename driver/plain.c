/* The set without an interpreter: dlopen, dlsym and a call.
 *
 * The difference to the Python mode is what an import costs beyond the dynamic linker. The modules' references to the
 * Python API are bound to the libpython that this program is linked with, but nothing in it is called.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/loader.h"
#include "driver/memory.h"

struct plain {
    const struct run *run;
    void **handles; /* one for each library of the manifest; NULL: not opened */
};

static void plain_stop(void *state)
{
    /* The libraries stay open, like those that Python has imported. */
    struct plain *p = state;
    if (p)
        free(p->handles);
    free(p);
}

static bool plain_start(void **state, const struct run *run, struct error *e)
{
    struct plain *p = *state = calloc(1, sizeof *p);
    if (p)
        p->handles = calloc(run->manifest.count, sizeof *p->handles);
    if (!p || !p->handles)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the handles of the libraries");
    p->run = run;
    return true;
}

static bool plain_open(void *state, size_t library, struct error *e)
{
    struct plain *p = state;
    return p->run->mode == MODE_STATIC || memory_open(p->run, library, &p->handles[library], e);
}

/* Says why the entry is not found. A module whose row allows one exported function has only PyInit_, which passes the
 * entry to Python (docs/differences.md). */
static bool no_entry(void *handle, const struct manifest_library *l, struct error *e)
{
    char init[sizeof "PyInit_" + MANIFEST_NAME_MOST];
    snprintf(init, sizeof init, "PyInit_%s", l->stem);
    if (handle && dlsym(handle, init))
        return error_set(e, ERROR_MISMATCH,
                         "%s: exports no %s, which only Python finds there; visit the set without --no-python, or only "
                         "load it, with --phases import",
                         l->stem, l->entry);
    return error_set(e, ERROR_MISMATCH, "%s: has no function %s; check the set with pyelfgen --verify", l->stem,
                     l->entry);
}

static bool plain_visit(void *state, size_t library, uint64_t *result, struct error *e)
{
    struct plain *p = state;
    const struct manifest_library *l = &p->run->manifest.libraries[library];
    unsigned long (*entry)(void);
    void *address = NULL;
    if (p->run->mode == MODE_STATIC) {
        const struct executable *x = p->run->executable;
        entry = library < x->object_count ? x->objects[library].entry : NULL;
        memcpy(&address, &entry, sizeof address);
    } else {
        address = dlsym(p->handles[library], l->entry);
    }
    if (!address)
        return no_entry(p->handles[library], l, e);
    /* POSIX requires that both kinds of pointer are alike; C has no cast between them. */
    memcpy(&entry, &address, sizeof entry);
    *result = entry();
    return true;
}

static bool plain_check(void *state, size_t library, struct error *e)
{
    /* Only Python modules say anything of themselves. The visit marks are checked in every mode. */
    (void)state, (void)library, (void)e;
    return true;
}

static void plain_describe(const struct run *run, char *text, size_t size)
{
    snprintf(text, size,
             run->mode == MODE_STATIC ? "the executable itself"
             : run->memory            ? "dlopen, from memory"
                                      : "dlopen");
}

const struct loader loader_plain = {plain_start, plain_open, plain_visit, plain_check, plain_stop, plain_describe};
