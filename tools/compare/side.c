/* Reads an operand; see compare.h. Files go through pyelfprof's passes and become the text of a profile, which is read
 * like any other. The text has no room for all samples of each library, so these are taken from the passes.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_begin.h"
#include "base/profile_find.h"
#include "emit/profile/plain.h"
#include "tools/compare/compare.h"

static void hear(void *hearer, const struct error *e)
{
    compare_complain(hearer, e);
}

static bool complain(struct compare *c, const struct error *e)
{
    compare_complain(c, e);
    return false;
}

/* ---- files ---- */

static bool measure(struct compare *c, const char *path, struct prof *p)
{
    struct error e;
    *p = (struct prof){
        .options.from = FROM_FILES,
        .options.names = true,
        .options.full = c->options.full,
        .options.no_dwarf = c->options.no_dwarf,
        .options.keep = true,
        .options.hear = hear,
        .options.hearer = c,
        .options.debug_dir = c->options.debug_dir,
        .options.debug_dirs = c->options.debug_dirs,
    };
    prof_find(p, path);
    prof_capture(p);
    if (p->count == 0 && p->failed)
        return false;
    if (p->count == 0) {
        error_set(&e, ERROR_INPUT, "there is no shared object to compare; see --help");
        error_at(&e, path, 0);
        return complain(c, &e);
    }
    if (!p->options.no_dwarf)
        prof_dwarf(p);
    prof_graph(p);
    return true;
}

static void take_samples(struct compare_side *side)
{
    for (size_t i = 0; i < side->rows && i < side->prof->count; i++) {
        const struct capture *capture = &side->prof->file[i].capture;
        side->row[i].samples[SAMPLE_FUNCTIONS] = &capture->functions;
        side->row[i].samples[SAMPLE_NAMES] = &capture->name_lengths;
    }
}

static bool read_files(struct compare *c, const char *path, struct compare_keys *keys, struct compare_side *side)
{
    struct error e;
    char *text = NULL;
    size_t size = 0;
    side->prof = report_must(calloc(1, sizeof *side->prof));
    if (!measure(c, path, side->prof))
        return false;
    FILE *to = report_must(open_memstream(&text, &size));
    bool ok = prof_write_text(to, side->prof, &e);
    if (fclose(to) != 0)
        report_must(NULL);
    FILE *from = ok ? report_must(fmemopen(text, size, "r")) : NULL;
    ok = ok && compare_read_profile(c, path, from, keys, side, &e);
    if (from)
        fclose(from);
    free(text);
    take_samples(side);
    return ok || complain(c, &e);
}

/* ---- profiles ---- */

/* Whether the path is a stream, or a regular file that does not begin as ELF files do. */
static bool is_profile(const char *path)
{
    char magic[SELFMAG];
    struct stat st;
    if (profile_find_is_stream(path))
        return true;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    ssize_t n;
    return file_begin(path, magic, sizeof magic, &n) && n >= 0 && !file_begin_is_elf(magic, n);
}

/* Whether the text is a profile with known keys only. A misspelt key would be a quantity of its own, and the key that
 * was meant would be 0. */
static bool is_right(const char *text, size_t size, const char *path, struct error *e)
{
    static const char first[] = "pyelfgen-profile";
    if (size > PROFILE_FIND_BYTES_MOST || memmem(text, size, first, sizeof first - 1))
        return profile_has_known_keys(text, size, path, e);
    error_set(e, ERROR_INPUT, "is neither an ELF file nor a captured profile, which begins with pyelfgen-profile: 1");
    return error_at(e, path, 0);
}

static bool read_text(struct compare *c, const char *path, const char *text, size_t size, struct compare_keys *keys,
                      struct compare_side *side)
{
    struct error e;
    if (!is_right(text, size, path, &e))
        return complain(c, &e);
    FILE *from = report_must(fmemopen((void *)(uintptr_t)text, size, "r"));
    const bool ok = compare_read_profile(c, path, from, keys, side, &e);
    fclose(from);
    return ok || complain(c, &e);
}

static bool read_profile(struct compare *c, const char *path, struct compare_keys *keys, struct compare_side *side)
{
    struct error e;
    side->profile = true;
    size_t size;
    char *const text = profile_find_read(path, &size, &e);
    if (!text)
        return complain(c, &e);
    const bool ok = read_text(c, profile_find_shown(path), text, size, keys, side);
    free(text);
    return ok;
}

/* Whether the path is the name of a shipped profile. A file or directory of that name goes first. */
static bool is_shipped(const char *path, char found[PATH_MAX])
{
    struct stat st;
    return stat(path, &st) != 0 && profile_find(path, found, PATH_MAX, NULL);
}

bool compare_read_side(struct compare *c, const char *path, struct compare_keys *keys, struct compare_side *side)
{
    char found[PATH_MAX];
    side->path = compare_text(c, profile_find_shown(path));
    if (is_shipped(path, found))
        return read_profile(c, found, keys, side);
    return is_profile(path) ? read_profile(c, path, keys, side) : read_files(c, path, keys, side);
}

void compare_side_free(struct compare_side *side)
{
    if (side->prof)
        prof_free(side->prof);
    free(side->prof);
    free(side->row);
}
