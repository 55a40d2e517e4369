/* One error, as a value.
 *
 * Libraries fill a `struct error` and return false. Only programs print it and exit. An error names the file (and line)
 * that it is about, if there is one. If two numbers disagree, it carries both, so a caller can act on them without
 * parsing the text.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

enum error_code {
    ERROR_NONE = 0,
    ERROR_USAGE,      /* the command line is wrong: exit status 2 */
    ERROR_INPUT,      /* a file that we read is wrong or broken */
    ERROR_INFEASIBLE, /* a valid profile that no set of libraries can meet */
    ERROR_SYSTEM,     /* the operating system refused: errno's text is included */
    ERROR_MEMORY,
    ERROR_MISMATCH,  /* a set is not what its manifest says */
    ERROR_ELSEWHERE, /* another process of this run failed, and says why */
};

struct error {
    enum error_code code;
    char file[512]; /* "" if the error is not about a file */
    unsigned line;  /* 0 if unknown */
    int64_t wanted; /* the two numbers that disagree, 0 if none do */
    int64_t possible;
    char text[768]; /* what is wrong; what to do about it. One line, no newline */
};

/* Fills `e`, which may be NULL, and returns false, so a caller can write `return error_set(e, ...)`. The formatted text
 * may quote foreign input: control characters and bytes that are not UTF-8 are replaced by '?'. */
bool error_set(struct error *e, enum error_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds the place the error is about; returns false. NULL is no file; the name "" is shown as ''. */
bool error_at(struct error *e, const char *file, unsigned line);

/* Like error_set, with the text of errno behind the message, and `path` as the file, or NULL. */
bool error_errno(struct error *e, const char *path, const char *what);

/* Prints "program: file:line: text" on stderr. Returns the exit status for the error: 2 for ERROR_USAGE, otherwise 1.
 */
int error_report(const char *program, const struct error *e);

#endif
