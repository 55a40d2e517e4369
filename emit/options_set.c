/* See options_set.h. */
#include "emit/options_set.h"

#include <limits.h>
#include <string.h>

#include "base/utf8.h"
#include "base/workers.h"
#include "emit/profile/copies.h"

/* The library that the build has found, or NULL. */
#ifndef PYELFGEN_LIBPYTHON
#define PYELFGEN_LIBPYTHON NULL
#endif

bool options_set_start(struct options *o, struct error *e)
{
    memset(o, 0, sizeof *o);
    return profile_init(&o->counts, e);
}

/* Takes a choice that replaces the profile's. `wrong`: what a message says of a text that is no choice. */
static bool take_choice(struct options *o, enum profile_key_id key, const char *text, const char *wrong,
                        struct error *e)
{
    const char *const *choice = profile_keys[key].choices;
    while (*choice && strcmp(text, *choice) != 0)
        choice++;
    o->instead[key] = *choice;
    return *choice || error_set(e, ERROR_USAGE, "'%.60s' is no %s", text, wrong);
}

/* Whether the text is a name of a file that a manifest can have. */
static bool is_soname(const char *text)
{
    size_t left = strlen(text);
    if (!left || left > NAME_MAX || strchr(text, '/'))
        return false;
    for (size_t length; left; text += length, left -= length) {
        length = utf8_length(text, left);
        if (!length || utf8_is_control(text))
            return false;
    }
    return true;
}

/* The name becomes a DT_NEEDED. The dynamic linker takes a name with a '/' for a path, so there may be none. */
static bool take_libpython(struct options *o, const char *text, struct error *e)
{
    o->executables.libpython = text;
    if (!is_soname(text))
        return error_set(e, ERROR_USAGE,
                         "--libpython: '%.60s' is not the SONAME of a library; give one as in libpython3.11.so.1.0",
                         text);
    return true;
}

bool options_set_take(struct options *o, int key, const char *value, struct error *e)
{
    uint64_t number;
    switch (key) {
    case OPTION_SEED:
        o->has_seed = true;
        return cli_number(value, "the seed", 0, UINT64_MAX, &o->seed, e);
    case OPTION_COPIES:
        if (!cli_number(value, "the number of copies", 1, PROFILE_COPIES_MOST, &number, e))
            return false;
        o->copies = (uint32_t)number;
        return true;
    case 'j':
        if (!cli_number(value, "the number of threads", 1, WORKERS_MOST, &number, e))
            return false;
        o->threads = (unsigned)number;
        return true;
    case OPTION_COMPRESS:
        return take_choice(o, KEY_COMPRESS, value, "way to compress; use none, zlib or zstd", e);
    case OPTION_SEPARATE:
        return take_choice(o, KEY_SEPARATE, value, "way to separate; use none, debuglink or build-id", e);
    case OPTION_INDEX:
        return take_choice(o, KEY_INDEX, value, "index of names; use none, gdb_index or debug_names", e);
    case OPTION_HASH:
        return take_choice(o, KEY_HASH, value, "style of hash tables; use gnu, sysv or both", e);
    case OPTION_RELR:
        o->instead[KEY_RELR] = "true";
        return true;
    case OPTION_CF_PROTECTION:
        o->instead[KEY_CF_PROTECTION] = "true";
        return true;
    case OPTION_TYPE_UNITS:
        o->instead[KEY_TYPE_UNITS] = "true";
        return true;
    case OPTION_SPLIT:
        o->instead[KEY_SPLIT] = "true";
        return true;
    case OPTION_LINK:
        return o->executables.link = true;
    case OPTION_LIBPYTHON:
        return take_libpython(o, value, e);
    default:
        return error_set(e, ERROR_USAGE, "option %d is of no set", key);
    }
}

bool options_set_check(struct options *o, struct error *e)
{
    struct plan_executables *x = &o->executables;
    const char *which = x->link ? "--link" : "--static";
    if (x->alone && !x->joined)
        return error_set(e, ERROR_USAGE, "--no-libraries leaves nothing to write; give --static too");
    if (x->alone && x->link)
        return error_set(e, ERROR_USAGE,
                         "--link is linked with the libraries that --no-libraries leaves out; give one "
                         "of the two");
    if (!x->link && !x->joined)
        return (!x->libpython && !x->big) ||
               error_set(e, ERROR_USAGE, "%s is for the executable that --link or --static writes; give one",
                         x->big ? "--bigexe" : "--libpython");
    if (!x->libpython)
        x->libpython = PYELFGEN_LIBPYTHON;
    if (!x->libpython)
        return error_set(e, ERROR_USAGE,
                         "%s needs --libpython SONAME, as in libpython3.11.so.1.0: pyelfgen was built without "
                         "Python and knows none",
                         which);
    return true;
}

void options_free(struct options *o)
{
    profile_free(&o->counts);
}
