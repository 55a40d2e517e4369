/* See tidy_names.h. */
#include "emit/set/tidy_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/executable.h"
#include "base/manifest.h"
#include "emit/library/files.h"
#include "emit/set/differences.h"
#include "emit/set/driver_py.h"
#include "emit/set/tidy.h"

/* Whether `name` is libmodule<N>.so, libutility<N>.so or a marker's. */
static bool is_library(const char *name)
{
    static const char *const stems[] = {"libmodule", "libutility"};
    if (strcmp(name, "libmodulebegin.so") == 0 || strcmp(name, "libmodulefinal.so") == 0)
        return true;
    for (unsigned i = 0; i < 2; i++) {
        size_t n = strlen(stems[i]);
        if (strncmp(name, stems[i], n) != 0 || !isdigit((unsigned char)name[n]))
            continue;
        while (isdigit((unsigned char)name[n]))
            n++;
        return strcmp(name + n, ".so") == 0;
    }
    return false;
}

static bool is_executable(const char *name)
{
    return strcmp(name, EXECUTABLE_LINK) == 0 || strcmp(name, EXECUTABLE_STATIC) == 0;
}

bool tidy_is_object(const char *name)
{
    return is_library(name) || is_executable(name);
}

/* `name` without `end`; false where it does not end so. */
static bool strip_end(const char *name, const char *end, char stripped[256])
{
    size_t n = strlen(name);
    size_t m = strlen(end);
    if (n <= m || n - m > 255 || strcmp(name + n - m, end) != 0)
        return false;
    snprintf(stripped, 256, "%.*s", (int)(n - m), name);
    return true;
}

bool tidy_is_linked(const char *name)
{
    char object[256];
    return strip_end(name, FILES_DEBUG_SUFFIX, object) && tidy_is_object(object);
}

/* What may stand between a library's name and .dwo: _N or _dataN. */
static bool is_unit(const char *part)
{
    part += strncmp(part, "_data", 5) == 0 ? 5 : 1;
    return isdigit((unsigned char)*part) && part[strspn(part, "0123456789")] == '\0';
}

bool tidy_is_split(const char *name)
{
    char stem[256];
    char library[260];
    if (strip_end(name, ".dwp", stem))
        return tidy_is_object(stem);
    if (!strip_end(name, ".dwo", stem))
        return false;
    char *unit = strchr(stem, '_');
    if (unit && !is_unit(unit))
        return false;
    if (unit)
        *unit = '\0';
    snprintf(library, sizeof library, "%s.so", stem);
    return is_library(library) || is_executable(stem);
}

bool tidy_is_hexadecimal(const char *digits, size_t count)
{
    return strlen(digits) == count && strspn(digits, "0123456789abcdef") == count;
}

bool tidy_is_identified(const char *name)
{
    char digits[256];
    return strip_end(name, FILES_DEBUG_SUFFIX, digits) && tidy_is_hexadecimal(digits, 2 * FILE_BUILD_ID - 2);
}

bool tidy_is_top_file(const char *name)
{
    return tidy_is_object(name) || tidy_is_linked(name) || tidy_is_split(name) || strcmp(name, MANIFEST_FILE) == 0 ||
           strcmp(name, DRIVER_FILE) == 0 || strcmp(name, DIFFERENCES_FILE) == 0;
}

bool tidy_is_source_name(const char *name)
{
    static const char *const ends[] = {".c", ".cpp", ".h", ".hpp"};
    char stem[256];
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strip_end(name, ends[i], stem))
            return true;
    return false;
}

bool tidy_is_unit_source(const char *name)
{
    char stem[260];
    return (strip_end(name, ".c", stem) || strip_end(name, ".cpp", stem)) && tidy_is_split(strcat(stem, ".dwo"));
}

enum { HEADER_NAME = 11 }; /* characters of a header's name before its end: corpus.c gives all as many */

bool tidy_is_header(const char *name)
{
    char stem[256];
    return (strip_end(name, ".h", stem) || strip_end(name, ".hpp", stem)) && strlen(stem) == HEADER_NAME &&
           stem[strspn(stem, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

bool tidy_is_nfs(const char *name)
{
    return strncmp(name, ".nfs", 4) == 0 && tidy_is_hexadecimal(name + 4, 24);
}

bool tidy_is_temporary(const char *name, bool (*is_final)(const char *))
{
    char inner[256];
    return name[0] == '.' && strip_end(name + 1, ".tmp", inner) && is_final(inner);
}

bool tidy_is_meeting(const char *name)
{
    const size_t start = strlen(TIDY_MEETING_START);
    char number[256];
    return strncmp(name, TIDY_MEETING_START, start) == 0 && strip_end(name + start, TIDY_MEETING_END, number) &&
           number[strspn(number, "0123456789")] == '\0';
}

bool tidy_is_left(const char *name)
{
    return tidy_is_temporary(name, tidy_is_top_file) || tidy_is_meeting(name);
}

bool tidy_looks_like_library(const char *name)
{
    char stem[256];
    return strncmp(name, "lib", 3) == 0 && strip_end(name, ".so", stem) && strlen(stem) >= 3;
}
