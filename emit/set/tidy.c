/* Which files are of a set, and their removal; see tidy.h. */
#include "emit/set/tidy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/executable.h"
#include "base/manifest.h"
#include "base/order.h"
#include "emit/library/files.h"
#include "emit/set/differences.h"
#include "emit/set/driver_py.h"
#include "emit/set/ours.h"
#include "emit/set/sources.h"
#include "emit/set/tidy_names.h"
#include "emit/source/header.h"

/* A walk over a set's directory, and the tree of debug files in it. */
struct walk {
    const char *path;
    int directory;
    enum tidy_kind kind;
    const struct set *set;
    const char **written; /* names of its files, sorted, for TIDY_STALE */
    size_t count;
    struct manifest manifest;
    const char **listed; /* names of the files that it lists, sorted; NULL: not read, or not readable */
    size_t listed_count;
    bool is_set, manifest_read;
    bool damaged;                /* a file that it lists is not recognisable */
    const char *within;          /* "" or ".build-id/xx/" */
    struct set_removed *removed; /* for TIDY_STALE */
};

static bool list_written(struct walk *w, struct error *e)
{
    const struct set *set = w->set;
    const struct bytes *sources = set->written;
    size_t count = 0;
    for (uint32_t i = 0; i < set->plan->library_count; i++)
        count += set->library[i].files;
    for (size_t at = 0; at < sources->size; at++)
        count += sources->data[at] == '\0';
    w->written = calloc(count, sizeof *w->written);
    if (!w->written || sources->failed)
        return error_set(e, ERROR_MEMORY, "out of memory for the names of %zu files", count);
    for (uint32_t i = 0; i < set->plan->library_count; i++)
        for (uint32_t k = 0; k < set->library[i].files; k++)
            w->written[w->count++] = set->library[i].file[k].name;
    for (size_t at = 0; at < sources->size; at += strlen(w->written[w->count++]) + 1)
        w->written[w->count] = (const char *)sources->data + at;
    qsort(w->written, count, sizeof *w->written, order_text);
    return true;
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
    return names && bsearch(&name, names, count, sizeof *names, order_text) != NULL;
}

/* Whether the file of this name, below the set, is among those written. */
static bool is_written(const struct walk *w, const char *name)
{
    return is_among(w->written, w->count, name);
}

static void list_files(struct walk *w, const struct manifest_file *file, const struct manifest_file *debug_file,
                       const struct manifest_file *split_file, size_t split_files)
{
    if (file->name)
        w->listed[w->listed_count++] = file->name;
    if (debug_file->name)
        w->listed[w->listed_count++] = debug_file->name;
    for (size_t i = 0; i < split_files; i++)
        w->listed[w->listed_count++] = split_file[i].name;
}

/* Lists the files of the manifest that is there; a broken one lists nothing. False where it could not be read. */
static bool list_manifest(struct walk *w, struct error *e)
{
    const struct manifest *m = &w->manifest;
    w->manifest_read = true;
    if (!manifest_read(&w->manifest, w->path, NULL, e))
        return e->code != ERROR_SYSTEM && e->code != ERROR_MEMORY;
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += 2 + m->libraries[i].split_files;
    for (size_t i = 0; i < m->executable_count; i++)
        count += 2 + m->executables[i].split_files;
    w->listed = calloc(count + 1, sizeof *w->listed);
    if (!w->listed)
        return error_set(e, ERROR_MEMORY, "out of memory for the files of the set");
    for (size_t i = 0; i < m->count; i++) {
        const struct manifest_library *l = &m->libraries[i];
        list_files(w, &l->file, &l->debug_file, l->split_file, l->split_files);
    }
    for (size_t i = 0; i < m->executable_count; i++) {
        const struct manifest_executable *x = &m->executables[i];
        list_files(w, &x->file, &x->debug_file, x->split_file, x->split_files);
    }
    qsort(w->listed, w->listed_count, sizeof *w->listed, order_text);
    return true;
}

/* Sets *listed to whether the set's manifest lists the file. The manifest is read when it is needed first: for a file
 * that does not show by itself that it is ours. */
static bool find_listed(struct walk *w, const char *name, bool *listed, struct error *e)
{
    if (w->is_set && !w->manifest_read && !list_manifest(w, e))
        return false;
    *listed = is_among(w->listed, w->listed_count, name);
    return true;
}

/* --- the walk ------------------------------------------------------------------------ */

typedef bool act_function(struct walk *w, int directory, const char *name, struct error *e);

/* One walk over one directory. */
struct step {
    struct walk *w;
    act_function *act;
    struct error *e;
    bool ok;
};

static bool take_step(void *context, int directory, const char *name)
{
    struct step *const s = context;
    s->ok = s->act(s->w, directory, name, s->e);
    return s->ok;
}

/* Calls `act` for every entry of `name` but . and ..; stops when it returns false. */
static bool each_entry(struct walk *w, int directory, const char *name, act_function *act, struct error *e)
{
    struct step s = {w, act, e, true};
    errno = directory_each(directory, name, take_step, &s);
    return errno == 0 ? s.ok : error_errno(e, w->path, "cannot read the directory");
}

static bool is_directory(int directory, const char *name)
{
    struct stat st;
    return fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* Whether to go into it. Where that cannot be told, going there fails and says why. */
static bool may_be_directory(int directory, const char *name)
{
    struct stat st;
    return fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? S_ISDIR(st.st_mode) : errno != ENOENT;
}

/* As tidy_is_temporary. A directory of that name is somebody else's. */
static bool is_unfinished(int directory, const char *name, bool (*is_final)(const char *))
{
    return tidy_is_temporary(name, is_final) && !is_directory(directory, name);
}

static bool is_taken(int directory, const char *name, bool (*is_final)(const char *))
{
    return tidy_is_temporary(name, is_final) && is_directory(directory, name);
}

static bool refuse(const struct walk *w, const char *name, struct error *e)
{
    if (w->is_set)
        error_set(e, ERROR_USAGE,
                  "the set holds '%s%.100s', which is not of it; remove that, or give another directory", w->within,
                  name);
    else
        error_set(e, ERROR_USAGE, "the directory holds '%s%.100s', which is not of a set; give an empty or a new one",
                  w->within, name);
    return error_at(e, w->path, 0);
}

/* As refuse, for a directory in the place of a file of the set. */
static bool refuse_directory(const struct walk *w, const char *name, struct error *e)
{
    error_set(e, ERROR_USAGE,
              "the set holds a directory in the place of '%.100s'; remove that, or give another directory", name);
    return error_at(e, w->path, 0);
}

/* As refuse, for what ours_look has found. */
static bool refuse_found(const struct walk *w, const char *name, enum ours found, struct error *e)
{
    if (found != OURS_CLOSED)
        return refuse(w, name, e);
    error_set(
        e, ERROR_SYSTEM,
        "it cannot be told whether '%s%.100s' is of a set: it may not be read; allow that, with chmod u+r, and run "
        "again",
        w->within, name);
    return error_at(e, w->path, 0);
}

/* --- refusing ------------------------------------------------------------------------ */

static enum ours_kind kind_of(const char *name)
{
    if (strcmp(name, MANIFEST_FILE) == 0)
        return OURS_MANIFEST;
    if (strcmp(name, DIFFERENCES_FILE) == 0)
        return OURS_DIFFERENCES;
    return strcmp(name, DRIVER_FILE) == 0 ? OURS_DRIVER : OURS_ELF;
}

/* The error of errno about one of the files. */
static bool fail_at(const struct walk *w, const char *name, const char *what, struct error *e)
{
    const int number = errno;
    char path[FILE_NAME_MOST + 600];
    snprintf(path, sizeof path, "%s/%s%.100s", w->path, w->within, name);
    errno = number;
    return error_errno(e, path, what);
}

static bool look(const struct walk *w, int directory, const char *name, enum ours_kind kind, enum ours *found,
                 struct error *e)
{
    return ours_look(directory, name, kind, found) || fail_at(w, name, "cannot tell whether the file is of a set", e);
}

/* A debug file in one of the directories of .build-id. */
static bool look_identified(const struct walk *w, int directory, const char *name, enum ours *found, struct error *e)
{
    *found = OURS_FOREIGN;
    return !tidy_is_identified(name) || look(w, directory, name, OURS_ELF, found, e);
}

static bool is_among_units(const struct walk *w)
{
    return strcmp(w->within, SOURCES_DIRECTORY "/") == 0;
}

/* Whether a source of a set may have such a name, where the walk is now. */
typedef bool is_source_function(const char *name);
static is_source_function *source_names(const struct walk *w)
{
    return is_among_units(w) ? tidy_is_unit_source : tidy_is_header;
}

/* A source. An emptied one shows only by its name that it is ours. */
static bool look_source(const struct walk *w, int directory, const char *name, enum ours *found, struct error *e)
{
    *found = OURS_FOREIGN;
    if (tidy_is_source_name(name) && !look(w, directory, name, OURS_SOURCE, found, e))
        return false;
    if (*found == OURS_NOTHING && !source_names(w)(name))
        *found = OURS_FOREIGN;
    return true;
}

/* Refuses a file under one of our names, by which it would be overwritten or removed, unless it is ours. */
static bool refuse_top_file(struct walk *w, int directory, const char *name, struct error *e)
{
    enum ours found;
    if (!look(w, directory, name, kind_of(name), &found, e))
        return false;
    if (!ours_is_not(found))
        return true;
    bool listed = false;
    if (!find_listed(w, name, &listed, e))
        return false;
    if (is_directory(directory, name))
        return listed ? refuse_directory(w, name, e) : refuse(w, name, e);
    w->damaged |= listed;
    return listed || refuse_found(w, name, found, e);
}

/* For files of the set's directory and of those in .build-id. */
static bool remove_damaged(struct walk *w, int directory, const char *name, struct error *e)
{
    char path[FILE_NAME_MOST + 256];
    enum ours found;
    bool listed;
    snprintf(path, sizeof path, "%s%s", w->within, name);
    if (!(*w->within ? tidy_is_identified : tidy_is_top_file)(name))
        return true;
    if (!find_listed(w, path, &listed, e))
        return false;
    return !listed || (look(w, directory, name, kind_of(name), &found, e) &&
                       (!ours_is_not(found) || unlinkat(directory, name, 0) == 0 ||
                        fail_at(w, name, "cannot remove this damaged file of the set", e)));
}

/* Calls `act` for every entry of `name`, one of the directories of .build-id. */
static bool each_debug_file(struct walk *w, int directory, const char *name, act_function *act, struct error *e)
{
    char within[sizeof FILES_BUILD_IDS + 5];
    snprintf(within, sizeof within, FILES_BUILD_IDS "/%.2s/", name);
    w->within = within;
    const bool ok = each_entry(w, directory, name, act, e);
    w->within = "";
    return ok;
}

static bool refuse_debug_file(struct walk *w, int directory, const char *name, struct error *e)
{
    enum ours found;
    return is_unfinished(directory, name, tidy_is_identified) || tidy_is_nfs(name) ||
           (look_identified(w, directory, name, &found, e) && (!ours_is_not(found) || refuse_found(w, name, found, e)));
}

static bool refuse_identified(struct walk *w, int directory, const char *name, struct error *e)
{
    w->within = FILES_BUILD_IDS "/";
    if (!tidy_is_hexadecimal(name, 2) || !may_be_directory(directory, name))
        return refuse(w, name, e);
    return each_debug_file(w, directory, name, refuse_debug_file, e);
}

/* In a set, others' files may be there. */
static bool refuse_debug_name(struct walk *w, int directory, const char *name, struct error *e)
{
    char path[FILE_NAME_MOST + 256];
    enum ours found;
    bool listed;
    snprintf(path, sizeof path, "%s%s", w->within, name);
    if (is_taken(directory, name, tidy_is_identified))
        return refuse(w, name, e);
    if (!tidy_is_identified(name))
        return true;
    if (!look_identified(w, directory, name, &found, e))
        return false;
    if (!ours_is_not(found))
        return true;
    if (!find_listed(w, path, &listed, e))
        return false;
    w->damaged |= listed;
    return !listed || !is_directory(directory, name) || refuse(w, name, e);
}

static bool refuse_debug_names(struct walk *w, int directory, const char *name, struct error *e)
{
    return !tidy_is_hexadecimal(name, 2) || !may_be_directory(directory, name) ||
           each_debug_file(w, directory, name, refuse_debug_name, e);
}

static bool remove_damaged_debug_files(struct walk *w, int directory, const char *name, struct error *e)
{
    return !tidy_is_hexadecimal(name, 2) || !may_be_directory(directory, name) ||
           each_debug_file(w, directory, name, remove_damaged, e);
}

static bool remove_damaged_entry(struct walk *w, int directory, const char *name, struct error *e)
{
    if (strcmp(name, FILES_BUILD_IDS) == 0 && may_be_directory(directory, name))
        return each_entry(w, directory, name, remove_damaged_debug_files, e);
    return remove_damaged(w, directory, name, e);
}

/* Whether this is the directory of headers in that of sources. */
static bool is_include(const struct walk *w, int directory, const char *name)
{
    return is_among_units(w) && strcmp(name, SOURCES_INCLUDE) == 0 && may_be_directory(directory, name);
}

static bool each_header(struct walk *w, int directory, act_function *act, struct error *e)
{
    w->within = SOURCES_DIRECTORY "/" SOURCES_INCLUDE "/";
    const bool ok = each_entry(w, directory, SOURCES_INCLUDE, act, e);
    w->within = SOURCES_DIRECTORY "/";
    return ok;
}

/* Calls `act` for every entry of the directory of sources. */
static bool each_source(struct walk *w, int directory, act_function *act, struct error *e)
{
    w->within = SOURCES_DIRECTORY "/";
    const bool ok = each_entry(w, directory, SOURCES_DIRECTORY, act, e);
    w->within = "";
    return ok;
}

static bool refuse_source(struct walk *w, int directory, const char *name, struct error *e)
{
    enum ours found;
    if (is_include(w, directory, name))
        return each_header(w, directory, refuse_source, e);
    return is_unfinished(directory, name, source_names(w)) || tidy_is_nfs(name) ||
           (look_source(w, directory, name, &found, e) && (!ours_is_not(found) || refuse_found(w, name, found, e)));
}

/* In a set, others' sources may be there, but not under names that ours get. */
static bool refuse_source_name(struct walk *w, int directory, const char *name, struct error *e)
{
    enum ours found;
    if (is_include(w, directory, name))
        return each_header(w, directory, refuse_source_name, e);
    if (is_taken(directory, name, source_names(w)))
        return refuse(w, name, e);
    /* Which names headers get is not known here (sources.c). */
    return !is_among_units(w) || !tidy_is_unit_source(name) ||
           (look(w, directory, name, OURS_SOURCE, &found, e) &&
            (!ours_is_not(found) || refuse_found(w, name, found, e)));
}

static bool refuse_entry(struct walk *w, int directory, const char *name, struct error *e)
{
    if (strcmp(name, FILES_BUILD_IDS) == 0 && may_be_directory(directory, name))
        return each_entry(w, directory, name, refuse_identified, e);
    if (strcmp(name, SOURCES_DIRECTORY) == 0 && may_be_directory(directory, name))
        return each_source(w, directory, refuse_source, e);
    if (tidy_is_top_file(name))
        return refuse_top_file(w, directory, name, e);
    return (tidy_is_left(name) && !is_directory(directory, name)) || tidy_is_nfs(name) ||
           strcmp(name, "__pycache__") == 0 || refuse(w, name, e);
}

/* In a set, refuses what --verify would take for a library of the set, and others' files under our names. */
static bool refuse_library(struct walk *w, int directory, const char *name, struct error *e)
{
    if (tidy_is_top_file(name))
        return refuse_top_file(w, directory, name, e);
    if (tidy_is_left(name) && is_directory(directory, name))
        return refuse(w, name, e);
    if (strcmp(name, SOURCES_DIRECTORY) == 0 && may_be_directory(directory, name))
        return each_source(w, directory, refuse_source_name, e);
    if (strcmp(name, FILES_BUILD_IDS) == 0 && may_be_directory(directory, name))
        return each_entry(w, directory, name, refuse_debug_names, e);
    if (!tidy_looks_like_library(name))
        return true;
    return refuse(w, name, e);
}

bool tidy_take_over(int directory, const char *path, struct error *e)
{
    struct walk w = {.path = path, .directory = directory, .within = ""};
    enum ours manifest;
    if (!look(&w, directory, MANIFEST_FILE, OURS_MANIFEST, &manifest, e) ||
        (manifest == OURS_CLOSED && !refuse_found(&w, MANIFEST_FILE, manifest, e)))
        return false;
    w.is_set = manifest == OURS_MARKED;
    const bool ok = each_entry(&w, directory, ".", w.is_set ? refuse_library : refuse_entry, e) &&
                    (!w.damaged || each_entry(&w, directory, ".", remove_damaged_entry, e));
    free(w.listed);
    manifest_free(&w.manifest);
    return ok;
}

/* --- removing ------------------------------------------------------------------------ */

/* Notes which executables were removed, to tell the user that they need to be asked for, and how many libraries. */
static void count_removed(const struct walk *w, const char *name)
{
    if (!w->removed)
        return;
    w->removed->linked |= strcmp(name, EXECUTABLE_LINK) == 0;
    w->removed->joined |= strcmp(name, EXECUTABLE_STATIC) == 0;
    w->removed->libraries += tidy_is_object(name) && strncmp(name, "lib", 3) == 0;
}

static bool remove_file(const struct walk *w, int directory, const char *name, struct error *e)
{
    if (unlinkat(directory, name, 0) == 0 || w->kind != TIDY_STALE) {
        count_removed(w, name);
        return true;
    }
    return fail_at(w, name, "cannot remove this file of the set that was there before", e);
}

typedef bool look_function(const struct walk *w, int directory, const char *name, enum ours *found, struct error *e);

/* Removes a finished file below the set if it is ours and has to go. */
static bool remove_ours(const struct walk *w, int directory, const char *name, look_function *look_at, struct error *e)
{
    char path[FILE_NAME_MOST + 256];
    enum ours found;
    if (w->kind == TIDY_TEMPORARY)
        return true;
    snprintf(path, sizeof path, "%s%s", w->within, name);
    if (w->kind == TIDY_STALE && is_written(w, path))
        return true;
    if (!look_at(w, directory, name, &found, e))
        return w->kind != TIDY_STALE;
    return ours_is_not(found) || remove_file(w, directory, name, e);
}

static bool remove_debug_file(struct walk *w, int directory, const char *name, struct error *e)
{
    return is_unfinished(directory, name, tidy_is_identified) ? remove_file(w, directory, name, e)
                                                              : remove_ours(w, directory, name, look_identified, e);
}

/* Directories that are empty then go, too. */
static bool remove_identified(struct walk *w, int directory, const char *name, struct error *e)
{
    if (!tidy_is_hexadecimal(name, 2) || !may_be_directory(directory, name))
        return true;
    const bool ok = each_debug_file(w, directory, name, remove_debug_file, e);
    unlinkat(directory, name, AT_REMOVEDIR);
    return ok;
}

static bool remove_source(struct walk *w, int directory, const char *name, struct error *e)
{
    if (is_include(w, directory, name)) {
        const bool ok = each_header(w, directory, remove_source, e);
        unlinkat(directory, name, AT_REMOVEDIR);
        return ok;
    }
    return is_unfinished(directory, name, source_names(w)) ? remove_file(w, directory, name, e)
                                                           : remove_ours(w, directory, name, look_source, e);
}

static bool remove_sources(struct walk *w, int directory, struct error *e)
{
    const bool ok = each_source(w, directory, remove_source, e);
    unlinkat(directory, SOURCES_DIRECTORY, AT_REMOVEDIR);
    return ok;
}

static bool remove_entry(struct walk *w, int directory, const char *name, struct error *e)
{
    bool unwanted = tidy_is_left(name);
    if (w->kind == TIDY_STALE && (tidy_is_object(name) || tidy_is_linked(name) || tidy_is_split(name)))
        unwanted = !is_written(w, name);
    if (w->kind == TIDY_STALE && strcmp(name, DIFFERENCES_FILE) == 0)
        unwanted = !w->set->plan->profile->rows;
    if (w->kind == TIDY_ALL)
        unwanted |= tidy_is_top_file(name);
    if (unwanted)
        return remove_file(w, directory, name, e);
    if (strcmp(name, SOURCES_DIRECTORY) == 0 && may_be_directory(directory, name))
        return remove_sources(w, directory, e);
    if (strcmp(name, FILES_BUILD_IDS) != 0 || !may_be_directory(directory, name))
        return true;
    bool ok = each_entry(w, directory, name, remove_identified, e);
    unlinkat(directory, name, AT_REMOVEDIR);
    return ok;
}

bool tidy_remove(int directory, const char *path, enum tidy_kind kind, struct set *set, struct error *e)
{
    struct walk w = {.path = path, .directory = directory, .kind = kind, .set = set, .within = ""};
    w.removed = kind == TIDY_STALE ? &set->removed : NULL;
    bool ok = (kind != TIDY_STALE || list_written(&w, e)) && each_entry(&w, directory, ".", remove_entry, e);
    free(w.written);
    return ok;
}
