/* Filling and printing `struct error`; see error.h. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

bool error_set(struct error *e, enum error_code code, const char *format, ...)
{
    if (!e)
        return false;
    memset(e, 0, sizeof *e);
    e->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    utf8_printable(e->text, e->text);
    return false;
}

bool error_at(struct error *e, const char *file, unsigned line)
{
    if (!e)
        return false;
    snprintf(e->file, sizeof e->file, "%s", !file ? "" : *file ? file : "''");
    utf8_printable(e->file, e->file);
    e->line = line;
    return false;
}

bool error_errno(struct error *e, const char *path, const char *what)
{
    char reason[128];
    int number = errno;
    error_set(e, number == ENOMEM ? ERROR_MEMORY : ERROR_SYSTEM, "%s: %s", what,
              strerror_r(number, reason, sizeof reason));
    return error_at(e, path, 0);
}

int error_report(const char *program, const struct error *e)
{
    /* One call is one write, so lines of several ranks do not mix. */
    char line[16] = "";
    if (e->line)
        snprintf(line, sizeof line, "%u: ", e->line);
    fprintf(stderr, "%s: %s%s%s%s\n", program, e->file, e->file[0] ? (e->line ? ":" : ": ") : "",
            e->file[0] ? line : "", e->text);
    return e->code == ERROR_USAGE ? 2 : 1;
}
