/* See options.h. */
#include "tools/pyelfmount/options.h"

#include "base/cli.h"
#include "emit/options_set.h"
#include "emit/profile/profile.h"

#define CACHE_DEFAULT "256 MB"

enum { OPTION_CACHE = OPTIONS_SET_END, OPTION_OTHERS };

static const struct cli_option table[] = {
    {'f', "foreground", NULL, "stay in the foreground, print complaints, and say in the end what was made"},
    {OPTION_CACHE, "cache", "SIZE",
     "keep generated files in memory, up to SIZE as in '1 GB', but at least one library; default: " CACHE_DEFAULT},
    {OPTION_OTHERS, "allow-other", NULL, "let other users read the set too"},
    OPTIONS_SET_SEED,
    {'j', "jobs", "N", "make up to N libraries at a time; default: one for each processor"},
    OPTIONS_SET_CHOICES,
    {OPTION_LINK, "link", NULL, "also show an executable that is linked with all libraries, DIR/pyelf-link"},
    OPTIONS_SET_LIBPYTHON,
    {'q', "quiet", NULL, "with -f: do not say in the end what was made"},
};

static const struct cli_program program = {
    .name = "pyelfmount",
    .usage = "[OPTION]... PROFILE DIR",
    .summary = "Show a set of libraries in a directory, byte for byte as pyelfgen writes it, without storing it.",
    .details = "PROFILE is a file, - for standard input, or a shipped profile. DIR is an empty directory.\n"
               "\n"
               "A file is made when it is read. Its size is known before that, unless debug information is compressed\n"
               "or split. The manifest has the digests of all files, so reading it makes every library once.\n"
               "\n"
               "Without -f the program goes on in the background as soon as the set is there. It ends when the set is\n"
               "unmounted, by fusermount3 -u DIR or umount DIR. SIGINT, SIGTERM and SIGHUP unmount it too.\n"
               "\n"
               "Examples:\n"
               "  pyelfmount llnl-2007 /mnt\n"
               "                    497 libraries of 1.5 GB, none of which is made yet\n"
               "  objdump -d /mnt/libmodule7.so\n"
               "                    makes one of them\n"
               "  pyelfrun /mnt; fusermount3 -u /mnt\n"
               "                    makes all of them, then unmounts the set\n"
               "\n"
               "Exit status:\n"
               "  0  the set was mounted, and with -f unmounted again\n"
               "  1  it could not be\n"
               "  2  the command line is wrong\n",
    .options = table,
    .option_count = sizeof table / sizeof table[0],
};

static bool take_cache(struct mount_options *o, const char *text, struct error *e)
{
    struct error wrong = {0};
    return profile_size(text, &o->cache, &wrong) || error_set(e, ERROR_USAGE, "--cache: %s", wrong.text);
}

static bool take_operand(struct mount_options *o, const char *text, struct error *e)
{
    if (o->directory)
        return error_set(e, ERROR_USAGE, "'%.200s' is one argument too many; see --help", text);
    if (o->set.profile[0]) {
        o->directory = text;
        return true;
    }
    return profile_find(text, o->set.profile, sizeof o->set.profile, e);
}

static bool take(struct mount_options *o, int key, const char *value, struct error *e)
{
    switch (key) {
    case CLI_OPERAND:
        return take_operand(o, value, e);
    case OPTION_CACHE:
        return take_cache(o, value, e);
    case OPTION_OTHERS:
        return o->others = true;
    case 'f':
        return o->foreground = true;
    case 'q':
        return o->set.quiet = true;
    default:
        return options_set_take(&o->set, key, value, e);
    }
}

static bool check(struct mount_options *o, struct error *e)
{
    if (!o->set.profile[0])
        return error_set(e, ERROR_USAGE, "which profile, and where? give PROFILE and DIR; see --help");
    if (!o->directory || !*o->directory)
        return error_set(e, ERROR_USAGE, "where? give an empty directory after the profile; see --help");
    if (o->set.executables.libpython && !o->set.executables.link)
        return error_set(e, ERROR_USAGE, "--libpython is for the executable that --link shows; give that too");
    return options_set_check(&o->set, e);
}

enum options_result mount_options_parse(struct mount_options *o, int argc, char **argv, struct error *e)
{
    *o = (struct mount_options){0};
    if (!options_set_start(&o->set, e) || !take_cache(o, CACHE_DEFAULT, e))
        return OPTIONS_WRONG;
    struct cli c = cli_start(&program, argc, argv);
    for (;;) {
        const char *value;
        int key = cli_next(&c, &value, e);
        if (key == CLI_END)
            return check(o, e) ? OPTIONS_RUN : OPTIONS_WRONG;
        if (key == CLI_DONE)
            return OPTIONS_DONE;
        if (key == CLI_WRONG || !take(o, key, value, e))
            return OPTIONS_WRONG;
    }
}
