/* What the tests of profiles check: what is understood, and what is refused, with which message and on which line. */
#ifndef TESTS_PROFILE_TEXT_H
#define TESTS_PROFILE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emit/profile/profile.h"

/* Right beginnings of profiles: only what a test adds can be wrong. That begins on line 4 behind HEAD, on line 3 behind
 * SIZES. */
#define HEAD  "pyelfgen-profile: 1\nmodules: 280\nfunctions: 9\n"
#define SIZES "pyelfgen-profile: 1\nmodules: 280\nsections: {data: 9 MB, debug: 0, symtab: 0, strtab: 0, "

struct wrong {
    const char *text;
    unsigned line;
    const char *message;
};

static inline void assert_refused(const char *text, size_t size, unsigned line, const char *message)
{
    struct profile p;
    struct error e = {0};
    if (profile_parse(&p, text, size, "wrong.prof", &e)) {
        profile_free(&p);
        fail_msg("accepted: %s", text);
    }
    if (strcmp(e.text, message) != 0 || e.line != line)
        print_error("of: %s\n", text);
    assert_string_equal(e.text, message);
    assert_int_equal(e.line, line);
    assert_string_equal(e.file, "wrong.prof");
    assert_int_equal(e.code, ERROR_INPUT);
    static const struct profile empty;
    assert_memory_equal(&p, &empty, sizeof p);
}

static inline void assert_all_refused(const struct wrong *wrong, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused(wrong[i].text, strlen(wrong[i].text), wrong[i].line, wrong[i].message);
}
#define ALL_REFUSED(wrong) assert_all_refused(wrong, sizeof(wrong) / sizeof((wrong)[0]))

static inline struct profile understood(const char *text)
{
    struct profile p;
    struct error e = {0};
    if (!profile_parse(&p, text, strlen(text), "right.prof", &e))
        fail_msg("%u: %s\nof: %s", e.line, e.text, text);
    return p;
}

#endif
