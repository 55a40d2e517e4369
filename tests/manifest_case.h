/* A right manifest, and a way to make wrong ones: one text in the right one is replaced, so that only one thing is
 * wrong at a time. The error message is checked, too. */
#ifndef TESTS_MANIFEST_CASE_H
#define TESTS_MANIFEST_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/manifest.h"

#define DIGEST "\"xxh3-128\": \"0123456789abcdeffedcba9876543210\""

/* Sizes of a marker and of a library, in JSON. Each size of a library begins with the digits `n`. */
#define MARKER_SIZES DIGEST ", \"text\": 9, \"data\": 9, \"debug\": 9, \"symtab\": 9, \"strtab\": 9, \"bss\": 9"
#define SIZES(n)                                                                                                       \
    DIGEST ", \"text\": " n "1, \"data\": " n "2, \"debug\": " n "3, \"symtab\": " n "4, \"strtab\": " n               \
           "5, \"bss\": " n "6"

static const char right[] =
    "{\"pyelfgen-manifest\": 1, \"version\": \"0.1.0\", \"application\": \"two of each\",\n"
    " \"profile\": \"00\", \"seed\": 42, \"wanted\": {\"text\": 64, \"data\": null},\n"
    " \"actual\": {\"text\": 63, \"data\": 66, \"debug\": 69, \"symtab\": 72, \"strtab\": 75},\n"
    " \"modules\": 2, \"utilities\": 1, \"functions\": 32, \"libraries\": [\n"
    "  {\"name\": \"libmodulebegin.so\", \"kind\": \"marker\", \"file\": 50, " MARKER_SIZES ",\n"
    "   \"entry\": \"begin_break_here\", \"result\": 7},\n"
    "  {\"name\": \"libmodule0.so\", \"kind\": \"module\", \"file\": 500, " SIZES(
        "1") ",\n"
             "   \"functions\": 11, \"visited\": 10, \"marks\": 13,\n"
             "   \"marked\": 12, \"entry\": \"libmodule0_entry\", \"result\": 18446744073709551615},\n"
             "  {\"name\": \"libmodule1.so\", \"kind\": \"module\", \"file\": 501, " SIZES(
                 "2") ",\n"
                      "   \"functions\": 12, \"visited\": 12, \"marks\": 14,\n"
                      "   \"marked\": 13, \"entry\": \"libmodule1_entry\", \"result\": 9223372036854775808},\n"
                      "  {\"name\": \"libmodulefinal.so\", \"kind\": \"marker\", \"file\": 51, " MARKER_SIZES ",\n"
                      "   \"functions\": 0, \"visited\": 0, \"marks\": 0, \"marked\": 0, \"entry\": \"break_here\", "
                      "\"result\": 0},\n"
                      "  {\"name\": \"libutility0.so\", \"kind\": \"utility\", \"file\": 502, " SIZES(
                          "3") ",\n"
                               "   \"functions\": 9, \"visited\": 9, \"marks\": 9, \"marked\": 9}]}\n";

/* The right manifest with the first `from` replaced by `to`. The caller frees it. */
static char *with(const char *from, const char *to)
{
    const char *place = strstr(right, from);
    assert_non_null(place);
    size_t before = (size_t)(place - right);
    size_t size = sizeof right + strlen(to);
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "%.*s%s%s", (int)before, right, to, place + strlen(from));
    return text;
}

static void assert_refused(const char *text, size_t size, const char *message)
{
    struct manifest m;
    struct error e = {0};
    bool well = manifest_parse(&m, text, size, &e);
    if (well || !strstr(e.text, message))
        print_error("for: %.*s\nexpected: %s\ngot: %s\n", (int)size, text, message, well ? "no error" : e.text);
    assert_false(well);
    assert_non_null(strstr(e.text, message));
    assert_int_equal(e.code, ERROR_INPUT);
    assert_null(m.libraries);
}

#endif
