/* Profiles as files: finding one by name, reading it whole, replacing it.
 *
 * A profile is read once into memory, so that what was checked is what is
 * used, and only from a regular file, so that a FIFO or a device cannot hold
 * up or flood a program. It is written under a temporary name and renamed: a
 * reader sees the old file or the new one, never half of it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replacement.h"
#include "base/whole.h"
#include "emit/profile_keys.h"

static const char suffix[] = ".prof";

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool refuse_kind(const char *path, mode_t mode, struct error *e)
{
    error_set(e, ERROR_INPUT, "is %s, not a profile; name a regular file",
              S_ISDIR(mode)    ? "a directory"
              : S_ISFIFO(mode) ? "a FIFO"
                               : "a device or socket");
    return error_at(e, path, 0);
}

static bool load_from(int fd, struct profile *p, const char *path, struct error *e)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_errno(e, path, "cannot read the profile");
    if (!S_ISREG(st.st_mode))
        return refuse_kind(path, st.st_mode, e);
    /* One byte more than a profile may have, so that profile_parse sees it. */
    size_t most = PROFILE_BYTES_MOST + 1;
    char *data = malloc(most);
    if (!data)
        return error_set(e, ERROR_MEMORY, "no memory for reading a profile");
    ssize_t size = whole_read(fd, data, most);
    bool ok =
        size >= 0 ? profile_parse(p, data, (size_t)size, path, e) : error_errno(e, path, "cannot read the profile");
    free(data);
    return ok;
}

bool profile_load(struct profile *p, const char *path, struct error *e)
{
    memset(p, 0, sizeof *p);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_errno(e, path, "cannot open the profile");
    bool ok = load_from(fd, p, path, e);
    close(fd);
    return ok;
}

bool profile_save(const struct profile *p, const char *path, struct error *e)
{
    struct replacement to;
    char *text;
    size_t size;
    if (!profile_text(p, &text, &size, e))
        return false;
    bool well = replacement_open(&to, path, e);
    if (well) {
        fwrite(text, 1, size, to.file);
        well = replacement_keep(&to, e);
    }
    free(text);
    return well;
}

/* Where shipped profiles may be, in the order in which they are looked for. */
struct directories {
    char path[3][PATH_MAX];
    size_t count;
};

static void add_directory(struct directories *d, const char *path)
{
    int length = snprintf(d->path[d->count], PATH_MAX, "%s", path);
    if (length > 0 && length < PATH_MAX)
        d->count++;
}

static void find_directories(struct directories *d)
{
    d->count = 0;
    const char *chosen = getenv("PYELFGEN_PROFILES");
    if (chosen)
        add_directory(d, chosen);

    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    program[length] = '\0';
#if defined PYELFGEN_SOURCE_PROFILES && defined PYELFGEN_BUILD_DIR
    char build[PATH_MAX];
    if (realpath(PYELFGEN_BUILD_DIR, build)) {
        size_t n = strlen(build);
        if (strncmp(program, build, n) == 0 && program[n] == '/')
            add_directory(d, PYELFGEN_SOURCE_PROFILES);
    }
#endif
    *strrchr(program, '/') = '\0';
    /* from bin/, or from libexec/pyelfgen/ */
    char installed[PATH_MAX + 32];
    const char *directory = strrchr(program, '/');
    const char *up = directory && strcmp(directory, "/pyelfgen") == 0 ? ".." : ".";
    snprintf(installed, sizeof installed, "%s/%s/../share/pyelfgen/profiles", program, up);
    add_directory(d, installed);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the profiles in the directories: sorted, each once, separated
 * by ", ". What does not fit, or no memory is left for, is left out: this is
 * for a message. */
static void list_profiles(const struct directories *d, char *list, size_t list_size)
{
    char *names[64] = {0};
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++) {
        DIR *dir = opendir(d->path[i]);
        const struct dirent *entry;
        while (dir && count < sizeof names / sizeof names[0] && (entry = readdir(dir))) {
            size_t length = strlen(entry->d_name), end = sizeof suffix - 1;
            if (length <= end || entry->d_name[0] == '.' || strcmp(entry->d_name + length - end, suffix) != 0)
                continue;
            char *name = strndup(entry->d_name, length - end);
            if (name)
                names[count++] = name;
        }
        if (dir)
            closedir(dir);
    }
    qsort(names, count, sizeof names[0], compare_names);
    list[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = i && strcmp(names[i], names[i - 1]) == 0;
        size_t length = strlen(names[i]) + (used ? 2 : 0);
        if (!again && used + length < list_size)
            used += (size_t)snprintf(list + used, list_size - used, "%s%s", used ? ", " : "", names[i]);
    }
    for (size_t i = 0; i < count; i++)
        free(names[i]);
}

static bool give_path(const char *found, char *path, size_t path_size, struct error *e)
{
    int length = snprintf(path, path_size, "%s", found);
    if (length >= 0 && (size_t)length < path_size)
        return true;
    if (path_size)
        path[0] = '\0';
    errno = ENAMETOOLONG;
    return error_errno(e, found, "cannot open the profile");
}

bool profile_find(const char *name, char *path, size_t path_size, struct error *e)
{
    if (path_size)
        path[0] = '\0';
    if (strchr(name, '/') || is_file(name)) {
        struct stat st;
        if (stat(name, &st) != 0)
            return error_errno(e, name, "cannot open the profile");
        return give_path(name, path, path_size, e);
    }

    struct directories directories;
    find_directories(&directories);
    size_t length = strlen(name), end = sizeof suffix - 1;
    bool named_as_file = length >= end && strcmp(name + length - end, suffix) == 0;
    for (size_t i = 0; *name && !named_as_file && i < directories.count; i++) {
        char candidate[PATH_MAX];
        int n = snprintf(candidate, sizeof candidate, "%s/%s%s", directories.path[i], name, suffix);
        if (n > 0 && (size_t)n < sizeof candidate && is_file(candidate))
            return give_path(candidate, path, path_size, e);
    }

    /* It is there, but no file, and no profile has its name. */
    struct stat st;
    if (*name && stat(name, &st) == 0 && !S_ISREG(st.st_mode))
        return refuse_kind(name, st.st_mode, e);

    char list[512], shown[PROFILE_SHOWN];
    list_profiles(&directories, list, sizeof list);
    if (list[0])
        return error_set(e, ERROR_INPUT, "there is no %s '%s'; name a file, or one of the profiles %s",
                         named_as_file ? "file" : "profile", profile_shown(name, shown), list);
    return error_set(e, ERROR_INPUT,
                     "there is no %s '%s', and no directory of profiles; name a file, or set PYELFGEN_PROFILES",
                     named_as_file ? "file" : "profile", profile_shown(name, shown));
}
