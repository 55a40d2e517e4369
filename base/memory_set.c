/* See memory_set.h. */
#include "base/memory_set.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_WORD "manifest"

bool memory_set_given(void)
{
    return getenv(MEMORY_SET_VARIABLE) != NULL;
}

bool memory_set_write(FILE *f, int fd, const char *name, const char *const *need, size_t needs)
{
    bool ok = name ? fprintf(f, "%d %s", fd, name) > 0 : fprintf(f, MANIFEST_WORD " %d", fd) > 0;
    for (size_t i = 0; i < needs && ok; i++)
        ok = fprintf(f, " %s", need[i]) > 0;
    return ok && fputc('\n', f) != EOF;
}

static bool broken(struct error *e)
{
    return error_set(e, ERROR_INPUT, MEMORY_SET_VARIABLE " names no set in memory; start pyelfrun --memory PROFILE");
}

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "there is no memory left for the list of libraries");
}

/* A descriptor that is open, is none of the standard streams, and whose number `text` is. */
static bool take_fd(const char *text, int *fd)
{
    char *end;
    const long number = strtol(text, &end, 10);
    *fd = (int)number;
    return *text >= '0' && *text <= '9' && !*end && number > STDERR_FILENO && number <= INT_MAX &&
           fcntl(*fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* The text of the list; NULL with `e`. */
static char *read_all(int fd, struct error *e)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0) {
        broken(e);
        return NULL;
    }
    char *text = malloc((size_t)status.st_size + 1);
    if (!text)
        no_memory(e);
    for (off_t at = 0; text && at < status.st_size;) {
        const ssize_t n = pread(fd, text + at, (size_t)(status.st_size - at), at);
        if (n <= 0) {
            free(text);
            broken(e);
            return NULL;
        }
        at += n;
    }
    if (text)
        text[status.st_size] = '\0';
    return text;
}

/* How many of the character there are. */
static size_t count_of(const char *text, char c)
{
    size_t count = 0;
    for (; (text = strchr(text, c)); text++)
        count++;
    return count;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const struct memory_library *const *)a)->name, (*(const struct memory_library *const *)b)->name);
}

/* The libraries without their needs; what follows a name is left in rest[]. */
static bool take_libraries(struct memory_set *s, char **rest)
{
    char *line = s->text;
    char *next = strchr(line, '\n');
    if (!next || strncmp(line, MANIFEST_WORD " ", sizeof MANIFEST_WORD) != 0)
        return false;
    *next = '\0';
    if (!take_fd(line + sizeof MANIFEST_WORD, &s->manifest))
        return false;
    for (line = next + 1; (next = strchr(line, '\n')); line = next + 1) {
        *next = '\0';
        char *name = strchr(line, ' ');
        struct memory_library *l = &s->library[s->count];
        if (!name)
            return false;
        *name++ = '\0';
        rest[s->count] = name + strcspn(name, " ");
        if (*rest[s->count])
            *rest[s->count]++ = '\0';
        l->name = name;
        if (!take_fd(line, &l->fd))
            return false;
        s->count++;
    }
    return s->count;
}

static bool take_needs(struct memory_set *s, char **rest, struct memory_library **sorted)
{
    uint32_t *need = s->need;
    for (size_t i = 0; i < s->count; i++)
        sorted[i] = &s->library[i];
    qsort(sorted, s->count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < s->count; i++) {
        struct memory_library *l = &s->library[i];
        char *position = NULL;
        l->need = need;
        for (char *name = strtok_r(rest[i], " ", &position); name; name = strtok_r(NULL, " ", &position)) {
            const struct memory_library wanted = {.name = name};
            const struct memory_library *key = &wanted;
            struct memory_library **found = bsearch(&key, sorted, s->count, sizeof *sorted, compare_names);
            if (!found)
                return false;
            *need++ = (uint32_t)(*found - s->library);
        }
        l->needs = (uint32_t)(need - l->need);
    }
    return true;
}

bool memory_set_take(struct memory_set *s, struct error *e)
{
    const char *variable = getenv(MEMORY_SET_VARIABLE);
    int fd;
    *s = (struct memory_set){.manifest = -1};
    if (!variable || !take_fd(variable, &fd))
        return broken(e);
    if (!(s->text = read_all(fd, e)))
        return false;
    close(fd);
    unsetenv(MEMORY_SET_VARIABLE);
    const size_t lines = count_of(s->text, '\n');
    const size_t words = lines + count_of(s->text, ' ');
    char **rest = calloc(lines + 1, sizeof *rest);
    struct memory_library **sorted = calloc(lines + 1, sizeof(struct memory_library *));
    s->library = calloc(lines + 1, sizeof *s->library);
    s->need = calloc(words + 1, sizeof *s->need);
    bool ok = rest && sorted && s->library && s->need;
    if (!ok)
        no_memory(e);
    else
        ok = (take_libraries(s, rest) && take_needs(s, rest, sorted)) || broken(e);
    free(rest);
    free(sorted);
    if (!ok)
        memory_set_free(s);
    return ok;
}

void memory_set_free(struct memory_set *s)
{
    free(s->library);
    free(s->need);
    free(s->text);
    *s = (struct memory_set){.manifest = -1};
}
