/* See memory_set.h. */
#include "base/memory_set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"

bool memory_set_given(void)
{
    const char *list = getenv(MEMORY_SET_VARIABLE);
    return list && *list;
}

bool memory_set_write(FILE *f, int fd, const char *name, const uint32_t *need, size_t needs)
{
    bool ok = fprintf(f, "%d %s", fd, name) > 0;
    for (size_t i = 0; i < needs && ok; i++)
        ok = fprintf(f, " %" PRIu32, need[i]) > 0;
    return ok && fputc('\n', f) != EOF;
}

static bool broken(struct error *e)
{
    return error_set(e, ERROR_INPUT,
                     MEMORY_SET_VARIABLE " names no set in memory, or mpirun or srun, which hand none on, have started "
                                         "this; let them start pyelfrun --memory PROFILE, or pyelf-memory");
}

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "there is no memory left for the list of libraries");
}

/* Whether `text` is a number up to `most`, and nothing else. */
static bool take_number(const char *text, unsigned long most, unsigned long *number)
{
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && errno == 0 && *number <= most;
}

/* Takes a descriptor, which has to be open and none of the standard streams, and closes it on exec. */
static bool take_fd(const char *text, int *fd)
{
    unsigned long number;
    if (!take_number(text, INT_MAX, &number) || number <= STDERR_FILENO)
        return false;
    *fd = (int)number;
    return fcntl(*fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* Returns the text of the list, which the caller frees; NULL with the error set. */
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
    if (text && whole_read_at(fd, text, (size_t)status.st_size, 0) != status.st_size) {
        free(text);
        broken(e);
        return NULL;
    }
    if (text)
        text[status.st_size] = '\0';
    return text;
}

/* How many times `c` occurs. */
static size_t count_of(const char *text, char c)
{
    size_t count = 0;
    for (; (text = strchr(text, c)); text++)
        count++;
    return count;
}

/* Takes the descriptor at the beginning of a line; *rest is what follows the blank. False if the line has another form.
 */
static bool take_line(char *line, int *fd, char **rest)
{
    char *blank = strchr(line, ' ');
    if (!blank)
        return false;
    *blank = '\0';
    *rest = blank + 1;
    return **rest && take_fd(line, fd);
}

/* Takes a library's line. The numbers of the libraries that it needs go to *need, which moves on behind them. */
static bool take_library(struct memory_library *l, char *line, size_t libraries, uint32_t **need)
{
    char *name, *position = NULL;
    if (!take_line(line, &l->fd, &name))
        return false;
    l->name = strtok_r(name, " ", &position);
    l->need = *need;
    for (char *word; (word = strtok_r(NULL, " ", &position)); l->needs++) {
        unsigned long number;
        if (!take_number(word, UINT32_MAX, &number) || number >= libraries)
            return false;
        *(*need)++ = (uint32_t)number;
    }
    return l->name;
}

/* Takes all lines: one for the manifest and `libraries` others. */
static bool take_lines(struct memory_set *s, size_t libraries)
{
    uint32_t *need = s->need;
    char *profile, *next = strchr(s->text, '\n');
    *next = '\0';
    if (!take_line(s->text, &s->manifest, &profile))
        return false;
    s->profile = profile;
    for (char *line = next + 1; (next = strchr(line, '\n')); line = next + 1) {
        *next = '\0';
        if (!take_library(&s->library[s->count++], line, libraries, &need))
            return false;
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
    s->library = calloc(lines + 1, sizeof *s->library);
    s->need = calloc(count_of(s->text, ' ') + 1, sizeof *s->need);
    const bool room = s->library && s->need;
    const bool ok = room ? (lines > 1 && take_lines(s, lines - 1)) || broken(e) : no_memory(e);
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
