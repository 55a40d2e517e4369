/* See profile_find.h. */
#include "base/profile_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "base/whole.h"

static const char suffix[] = ".prof";

bool profile_find_is_standard(const char *name)
{
    return strcmp(name, "-") == 0;
}

const char *profile_find_shown(const char *path)
{
    return profile_find_is_standard(path) ? "standard input" : path;
}

bool profile_find_is_stream(const char *name)
{
    struct stat st;
    return profile_find_is_standard(name) || (stat(name, &st) == 0 && S_ISFIFO(st.st_mode));
}

/* Whether this may be a profile: a file, or a FIFO to which another program writes one. */
static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode));
}

static bool refuse_kind(const char *path, mode_t mode, struct error *e)
{
    error_set(e, ERROR_INPUT, "is %s, not a profile; name a file",
              S_ISDIR(mode) ? "a directory" : "a device or socket");
    return error_at(e, path, 0);
}

/* --- opening ------------------------------------------------------------------------- */

/* Copies a stream to a file in memory, at most one byte more than a profile may have, so that the reader notices that
 * it is too large. Returns a descriptor, or -1. */
static int copy_stream(int fd, const char *path, struct error *e)
{
    enum { PIECE = 1 << 16 };
    char *piece = malloc(PIECE);
    const int copy = piece ? memfd_create("profile", MFD_CLOEXEC) : -1;
    bool well = copy >= 0;
    for (size_t size = 0; well && size <= PROFILE_FIND_BYTES_MOST;) {
        const size_t room = PROFILE_FIND_BYTES_MOST + 1 - size;
        const ssize_t n = whole_read(fd, piece, room < PIECE ? room : PIECE);
        well = n >= 0 && whole_write(copy, piece, (size_t)n);
        if (n <= 0)
            break;
        size += (size_t)n;
    }
    well = well && lseek(copy, 0, SEEK_SET) == 0;
    if (!well)
        error_errno(e, path, "cannot read the profile");
    free(piece);
    if (well || copy < 0)
        return copy;
    close(copy);
    return -1;
}

static int open_standard(struct error *e)
{
    const char *path = profile_find_shown("-");
    struct stat st;
    if (fstat(STDIN_FILENO, &st) != 0) {
        error_errno(e, path, "cannot read the profile");
        return -1;
    }
    if (S_ISDIR(st.st_mode)) {
        refuse_kind(path, st.st_mode, e);
        return -1;
    }
    return copy_stream(STDIN_FILENO, path, e);
}

/* Opens a FIFO without O_NONBLOCK, so that this waits for the writer. */
static int open_fifo(const char *path, struct error *e)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        error_errno(e, path, "cannot open the profile");
        return -1;
    }
    const int copy = copy_stream(fd, path, e);
    close(fd);
    return copy;
}

/* Returns a descriptor of a regular file at its beginning, or -1. */
static int open_found(const char *path, struct error *e)
{
    struct stat st;
    if (profile_find_is_standard(path))
        return open_standard(e);
    if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
        return open_fifo(path, e);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        error_errno(e, path, "cannot open the profile");
        return -1;
    }
    const bool known = fstat(fd, &st) == 0;
    if (known && S_ISREG(st.st_mode))
        return fd;
    if (known)
        refuse_kind(path, st.st_mode, e);
    else
        error_errno(e, path, "cannot read the profile");
    close(fd);
    return -1;
}

char *profile_find_read(const char *path, size_t *size, struct error *e)
{
    const int fd = open_found(path, e);
    if (fd < 0)
        return NULL;
    char *const text = whole_read_most(fd, (size_t)PROFILE_FIND_BYTES_MOST + 1, size);
    if (!text && errno == ENOMEM)
        error_set(e, ERROR_MEMORY, "no memory for reading a profile");
    else if (!text)
        error_errno(e, profile_find_shown(path), "cannot read the profile");
    close(fd);
    return text;
}

/* --- finding ------------------------------------------------------------------------- */

/* The directories of shipped profiles, in the order of the search. */
struct directories {
    char path[2][PATH_MAX];
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
    struct error e;
    if (!process_directory(program, &e)) /* bin/ or libexec/pyelfgen/ */
        return;
    char *directory = strrchr(program, '/');
    if (directory && strcmp(directory, "/pyelfgen") == 0) {
        *directory = '\0';
        directory = strrchr(program, '/');
    }
    if (!directory)
        return;
    char installed[PATH_MAX + 32];
    *directory = '\0';
    snprintf(installed, sizeof installed, "%s/share/pyelfgen/profiles", program);
    add_directory(d, installed);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the names of the profiles in the directories: sorted, each once, separated by ", ". Names for which there is no
 * room or memory are left out, because this is for a message. */
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
    if (profile_find_is_standard(name))
        return give_path(name, path, path_size, e);
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

    /* Something of that name exists but is not a file, and no profile has that name. */
    struct stat st;
    if (*name && stat(name, &st) == 0 && !S_ISREG(st.st_mode))
        return refuse_kind(name, st.st_mode, e);

    char list[512];
    size_t shown = length > 60 ? 60 : length;
    while (shown < length && shown && ((unsigned char)name[shown] & 0xc0) == 0x80) /* do not cut a UTF-8 character */
        shown--;
    const char *more = shown < length ? "..." : "";
    list_profiles(&directories, list, sizeof list);
    if (list[0])
        return error_set(e, ERROR_INPUT, "there is no %s '%.*s%s'; name a file, or one of the profiles %s",
                         named_as_file ? "file" : "profile", (int)shown, name, more, list);
    return error_set(e, ERROR_INPUT,
                     "there is no %s '%.*s%s', and no directory of profiles; name a file, or set PYELFGEN_PROFILES",
                     named_as_file ? "file" : "profile", (int)shown, name, more);
}
