/* See places.h.
 *
 * Modules are opened by their paths, but what they need is found by the dynamic linker, which looks in LD_LIBRARY_PATH
 * before the DT_RUNPATH that names the set (ld.so(8)), and takes what LD_PRELOAD has loaded. Another copy of the set
 * there has the same functions and results, so nothing else tells that its place was measured. Marks do (marks.h), but
 * not all sets have some, and without a visit they are not read.
 */
#include "driver/places.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/same.h"

struct search {
    const struct run *run;
    const struct manifest_library *library; /* what was found elsewhere; NULL: nothing so far */
    char path[PATH_MAX];                    /* and where it is */
};

static const struct manifest_library *of_this_name(const struct manifest *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->libraries[i].name, name) == 0)
            return &m->libraries[i];
    return NULL;
}

/* Whether both are one file: a path may lead to the set through a link or a mount. */
static bool is_file_of(const struct run *run, const char *path, const char *name)
{
    char own[PATH_MAX];
    const int length = snprintf(own, sizeof own, "%s/%s", run->directory, name);
    return length < (int)sizeof own && same_place(own, path);
}

/* Callback of dl_iterate_phdr. Names are looked up only for what is in another directory: a few dozen as a rule. */
static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *s = context;
    (void)size;
    const char *const path = info->dlpi_name;
    const char *const slash = strrchr(path, '/');
    const size_t length = strlen(s->run->directory);
    if (!slash || ((size_t)(slash - path) == length && memcmp(path, s->run->directory, length) == 0))
        return 0;
    const struct manifest_library *const l = of_this_name(&s->run->manifest, slash + 1);
    if (!l || is_file_of(s->run, path, l->name))
        return 0;
    s->library = l;
    snprintf(s->path, sizeof s->path, "%s", path);
    return 1;
}

bool places_check(const struct run *run, struct error *e)
{
    struct search s = {.run = run};
    dl_iterate_phdr(look_at, &s);
    return !s.library ||
           error_set(e, ERROR_MISMATCH,
                     "%s: was loaded from %s and not from the set; look for it in LD_LIBRARY_PATH and LD_PRELOAD",
                     s.library->stem, s.path);
}
