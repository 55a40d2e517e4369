/* See probe.h. */
#include "tools/pyelfprobe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/process.h"

enum { TAIL = 4096 };

bool probe_open(struct probe *p, struct error *e)
{
    const char *parent = process_temporary();
    if (*parent != '/' || strpbrk(parent, " \t\n:'\"\\") || strlen(parent) > PATH_MAX / 2)
        return error_set(e, ERROR_SYSTEM, "TMPDIR has to be an absolute path without blanks, quotes and colons");
    snprintf(p->directory, sizeof p->directory, "%s/" PROBE_PROGRAM ".XXXXXX", parent);
    if (!mkdtemp(p->directory)) {
        const int number = errno;
        p->directory[0] = '\0';
        errno = number;
        return error_errno(e, parent, "there can be no temporary files; set TMPDIR to another directory");
    }
    return true;
}

static bool remove_one(void *context, int directory, const char *name)
{
    (void)context;
    unlinkat(directory, name, 0);
    return true;
}

void probe_tidy(struct probe *p)
{
    if (!*p->directory)
        return;
    directory_each(AT_FDCWD, p->directory, remove_one, NULL);
    rmdir(p->directory);
    p->directory[0] = '\0';
}

void probe_close(struct probe *p)
{
    probe_tidy(p);
    cells_free(&p->cells);
    arena_free(&p->arena);
}

void probe_path(const struct probe *p, const char *name, char *path)
{
    snprintf(path, PATH_MAX, "%.*s/%.64s", PATH_MAX - 80, p->directory, name);
}

bool probe_write(const struct probe *p, const char *name, const char *text, size_t size, struct error *e)
{
    char path[PATH_MAX];
    probe_path(p, name, path);
    FILE *f = fopen(path, "we");
    bool well = f && fwrite(text, 1, size, f) == size;
    well = (!f || fclose(f) == 0) && well;
    return well || error_errno(e, path, "cannot be written");
}

void probe_last_line(const struct probe *p, const char *name, char *text)
{
    char path[PATH_MAX], tail[TAIL + 1];
    struct stat st;
    probe_path(p, name, path);
    text[0] = '\0';
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        if (fd >= 0)
            close(fd);
        return;
    }
    ssize_t n = pread(fd, tail, TAIL, st.st_size > TAIL ? st.st_size - TAIL : 0);
    close(fd);
    while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' ' || tail[n - 1] == '\r'))
        n--;
    tail[n > 0 ? n : 0] = '\0';
    const char *line = strrchr(tail, '\n');
    snprintf(text, REASON_SIZE, "%.*s", REASON_SIZE - 1, line ? line + 1 : tail);
}

void probe_progress(const struct probe *p, const char *format, ...)
{
    if (!p->progress)
        return;
    fputs("\r\033[K", stderr);
    if (format) {
        va_list args;
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
    }
    fflush(stderr);
}
