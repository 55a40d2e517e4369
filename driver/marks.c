/* Reads `libmodule0_visits`, an array of bytes in the library's .bss.
 *
 * If a library's row has no dynamic objects, this is no dynamic symbol, and the manifest says where it is.
 *
 * The library is found with RTLD_NOLOAD: it must have been loaded from this very file, by an import or as another's
 * DT_NEEDED. The symbol's st_size is compared before a byte is read, so a manifest with too large a number is an error
 * and not a crash.
 */
#include "driver/marks.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "driver/memory.h"

#define MARKS_ADVICE "; check the set with pyelfgen --verify"

/* Finds the marks by their symbol. NULL with `e` filled if they are not as large as the manifest says. */
static const unsigned char *find_marks(void *handle, const struct manifest_library *l, struct error *e)
{
    char name[MANIFEST_NAME_MOST + sizeof "_visits"];
    snprintf(name, sizeof name, "%s_visits", l->stem);
    void *marks = dlsym(handle, name);
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    /* dlsym also searches the library's dependencies, where a symbol of this name would be another's. dladdr1 tells
     * what really lies there. */
    if (!marks || !dladdr1(marks, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol || !info.dli_sname ||
        strcmp(info.dli_sname, name) != 0) {
        error_set(e, ERROR_MISMATCH, "%s: has no object %s" MARKS_ADVICE, l->stem, name);
        return NULL;
    }
    if (symbol->st_size != l->marks) {
        error_set(e, ERROR_MISMATCH, "%s: %s has %" PRIu64 " bytes, the manifest says %" PRIu64 MARKS_ADVICE, l->stem,
                  name, (uint64_t)symbol->st_size, l->marks);
        return NULL;
    }
    return marks;
}

/* A range of a loaded library, and whether the library may write to it. */
struct range {
    const struct link_map *library;
    uint64_t at, size;
    bool writable;
};

/* Callback of dl_iterate_phdr: sets `writable` if the range is in a writable segment of the library. */
static int find_segment(struct dl_phdr_info *info, size_t size, void *context)
{
    struct range *r = context;
    (void)size;
    if (info->dlpi_addr != r->library->l_addr || strcmp(info->dlpi_name, r->library->l_name) != 0)
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W) && r->at >= p->p_vaddr && r->size <= p->p_memsz &&
            r->at - p->p_vaddr <= p->p_memsz - r->size)
            r->writable = true;
    }
    return 1;
}

/* Finds the marks where the manifest says that they are. */
static const unsigned char *marks_in(void *handle, const struct manifest_library *l, struct error *e)
{
    struct link_map *library = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &library) == 0 && library) {
        struct range r = {.library = library, .at = l->marks_at, .size = l->marks};
        dl_iterate_phdr(find_segment, &r);
        if (r.writable)
            return (const unsigned char *)(library->l_addr + (uintptr_t)l->marks_at);
    }
    error_set(e, ERROR_MISMATCH, "%s: has no memory for %" PRIu64 " marks at 0x%" PRIx64 MARKS_ADVICE, l->stem,
              l->marks, l->marks_at);
    return NULL;
}

/* Finds the marks of a library that is part of the executable. */
static const unsigned char *marks_within(const struct executable *x, size_t index, const struct manifest_library *l,
                                         struct error *e)
{
    const struct executable_object *o = index < x->object_count ? &x->objects[index] : NULL;
    if (o && o->visits && strcmp(o->stem, l->stem) == 0 && o->visits_size == l->marks)
        return o->visits;
    error_set(e, ERROR_MISMATCH, "%s: the executable has no such library with %" PRIu64 " marks" MARKS_ADVICE, l->stem,
              l->marks);
    return NULL;
}

static bool compare(const unsigned char *marks, const struct manifest_library *l, uint64_t *visited, struct error *e)
{
    uint64_t marked = 0;
    for (uint64_t i = 0; i < l->marks; i++) {
        marked += marks[i] != 0;
        *visited += i < l->functions && marks[i] != 0;
    }
    if (marked != l->marked)
        return error_set(e, ERROR_MISMATCH, "%s: %" PRIu64 " marks are set, the manifest says %" PRIu64 MARKS_ADVICE,
                         l->stem, marked, l->marked);
    if (*visited != l->visited)
        return error_set(e, ERROR_MISMATCH,
                         "%s: %" PRIu64 " functions were visited, the manifest says %" PRIu64 MARKS_ADVICE, l->stem,
                         *visited, l->visited);
    return true;
}

bool marks_check(const struct run *run, size_t index, uint64_t *visited, struct error *e)
{
    const struct manifest_library *l = &run->manifest.libraries[index];
    *visited = 0;
    if (l->marks == 0)
        return true;
    if (run->mode == MODE_STATIC) {
        const unsigned char *marks = marks_within(run->executable, index, l, e);
        return marks && compare(marks, l, visited, e);
    }
    char path[MEMORY_PATH_MOST];
    memory_path(run, index, path);
    void *handle = dlopen(path, RTLD_NOLOAD | RTLD_NOW);
    /* A library without visited functions need not be loaded at all. */
    if (!handle && l->marked == 0)
        return true;
    if (!handle)
        return error_set(e, ERROR_MISMATCH, "%s: was not loaded from the set" MARKS_ADVICE, l->stem);
    const unsigned char *marks = l->marks_at ? marks_in(handle, l, e) : find_marks(handle, l, e);
    bool well = marks && compare(marks, l, visited, e);
    dlclose(handle);
    return well;
}
