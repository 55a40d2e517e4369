/* Writes the profile; see prof.h, and docs/capture.md for the keys.
 *
 * Nothing goes into it but numbers, words of this file and of rows.c, and words of DWARF. Only --names adds
 * the names of libraries. The file appears under its name when it is whole.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/profile_words.h"
#include "base/result_file.h"
#include "elf/read/capture_limits.h"
#include "tools/capture/flow.h"
#include "tools/capture/prof.h"

static const char *const from_names[] = {"files", "exec", "python", "run", "pid", "core"};

static void write_histogram(FILE *to, const char *key, const struct histogram *h)
{
    bool begun = false;
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
        if (!h->count[b])
            continue;
        if (begun)
            fprintf(to, " %" PRIu64 ":%" PRIu64, histogram_least(b), h->count[b]);
        else
            fprintf(to, "  %s: '%" PRIu64 ":%" PRIu64, key, histogram_least(b), h->count[b]);
        begun = true;
    }
    if (begun)
        fputs("'\n", to);
}

/* Writes a key that ends in `of`. */
static void write_tally(FILE *to, const char *key, const char *of, const struct debug_stats *s, enum stats_tally tally,
                        enum profile_words words)
{
    const struct stats_tally_table *t = &s->tally[tally];
    uint64_t rest = t->rest;
    if (t->count == 0)
        return;
    fprintf(to, "  %s%s: '", key, of);
    for (uint32_t i = 0; i < t->count; i++) {
        char text[STATS_NAME];
        const char *name = stats_key_name(tally, t->of[i].key, text);
        if (!profile_words_have(words, name, strlen(name)))
            rest += t->of[i].uses; /* a word that only this file has, or that readers of profiles do not know */
        else
            fprintf(to, "%s:%" PRIu64 " ", name, t->of[i].uses);
    }
    fprintf(to, "others:%" PRIu64 "'\n", rest);
}

/* The sums. bss is not one of the five; it is written only where rows have it too. */
static void write_sections(FILE *to, const struct file_sizes *s, bool bss)
{
    fprintf(to,
            "sections: {text: %" PRIu64 " B, data: %" PRIu64 " B, debug: %" PRIu64 " B, symtab: %" PRIu64
            " B, strtab: %" PRIu64 " B",
            s->text, s->data, s->debug, s->symtab, s->strtab);
    if (bss)
        fprintf(to, ", bss: %" PRIu64 " B", s->bss);
    fputs("}\n", to);
}

/* What most of the debug information is like, by its bytes. */
struct majority {
    bool old; /* DWARF 4 or before */
    bool clang, views, zlib, zstd;
    enum prof_language language;
    uint64_t units, described; /* of all: compile units, and functions that these describe */
};

static struct majority majority_of(const struct prof *p)
{
    uint64_t known = 0, old = 0, views = 0, clang = 0, zlib = 0, zstd = 0;
    uint64_t in[PROF_LANGUAGES] = {0};
    struct majority m = {.language = PROF_C};
    for (size_t i = 0; i < p->count; i++) {
        const struct capture *c = &p->file[i].capture;
        const struct prof_dwarf *d = &p->file[i].dwarf;
        if (!d->known)
            continue;
        known += c->sizes.debug / 2; /* half: more than that is most */
        old += d->version < 5 ? c->sizes.debug : 0;
        in[prof_language_of(d->language)] += c->sizes.debug;
        views += d->views ? c->sizes.debug : 0;
        clang += d->clang ? c->sizes.debug : 0;
        zlib += c->compression == ELFCOMPRESS_ZLIB ? c->sizes.debug : 0;
        zstd += c->compression && c->compression != ELFCOMPRESS_ZLIB ? c->sizes.debug : 0;
        m.units += d->units;
        m.described += c->functions.count;
    }
    m.old = old > known;
    m.clang = clang > known && !m.old;        /* clang's form exists in version 5 alone, */
    m.views = views > known && !m.clang;      /* has no views, */
    if (in[PROF_FORTRAN] > known && !m.clang) /* and exists for no Fortran */
        m.language = PROF_FORTRAN;
    if (in[PROF_CPP] > known)
        m.language = PROF_CPP;
    m.zlib = zlib > known;
    m.zstd = zstd > known;
    return m;
}

static void write_tallies(FILE *to, const char *of, const struct debug_stats *s)
{
    write_tally(to, "tags", of, s, STATS_TAG, PROFILE_WORDS_TAGS);
    write_tally(to, "forms", of, s, STATS_FORM, PROFILE_WORDS_FORMS);
    write_tally(to, "attributes", of, s, STATS_ATTRIBUTE, PROFILE_WORDS_ATTRIBUTES);
}

/* How many entries of a language tell something by themselves, to pyelfgen, too. */
static uint64_t entries_least(enum prof_language language)
{
    return language == PROF_FORTRAN ? 1000 : 10000;
}

/* Whether a language's libraries have so many, and sets can be in that language. */
static bool stands_alone(const struct prof *p, const struct majority *m, enum prof_language language)
{
    return language != PROF_OTHERS && !(language == PROF_FORTRAN && m->clang) &&
           p->dwarf[language].number[STATS_DIES] >= entries_least(language);
}

/* Writes the tallies of each language if several stand alone. The others count with the majority's, in which, or in
 * whose manner, sets have them. */
static bool write_languages(FILE *to, const struct prof *p, const struct majority *m, struct error *e)
{
    static const char *const of[] = {[PROF_C] = "-c", [PROF_CPP] = "-c++", [PROF_FORTRAN] = "-fortran"};
    struct debug_stats most = {.number = {0}};
    bool several = false;
    bool ok = true;
    for (enum prof_language i = 0; ok && i < PROF_LANGUAGES; i++) {
        const bool is_most = i == m->language || !stands_alone(p, m, i);
        several |= !is_most;
        ok = !is_most || stats_add(&most, &p->dwarf[i], e);
    }
    several = several && most.number[STATS_DIES] >= entries_least(m->language);
    for (enum prof_language i = 0; ok && several && i < PROF_OTHERS; i++)
        if (i == m->language || stands_alone(p, m, i))
            write_tallies(to, of[i], i == m->language ? &most : &p->dwarf[i]);
    stats_free(&most);
    return ok;
}

static bool write_distributions(FILE *to, const struct prof *p, const struct majority *m, struct error *e)
{
    fputs("distributions:\n", to);
    write_histogram(to, "function-sizes", &p->functions);
    write_histogram(to, "name-lengths", &p->name_lengths);
    write_histogram(to, "degree", &p->degree);
    struct debug_stats all = {.number = {0}};
    bool ok = true;
    for (enum prof_language i = 0; ok && i < PROF_LANGUAGES; i++)
        ok = stats_add(&all, &p->dwarf[i], e);
    if (ok)
        write_tallies(to, "", &all);
    stats_free(&all);
    return ok && write_languages(to, p, m, e);
}

/* How most of the debug information in debug files is found; NULL where there are no debug files. The rows say which
 * libraries have one. */
static const char *separation(const struct prof *p)
{
    uint64_t all = 0, by_build_id = 0;
    bool any = false;
    for (size_t i = 0; i < p->count; i++) {
        const struct prof_file *file = &p->file[i];
        const struct file_sizes *s = &file->capture.sizes;
        if (!file->capture.debug_file)
            continue;
        any = true;
        all += (s->debug + s->symtab + s->strtab) / 2; /* half: more than that is most */
        by_build_id += file->by_build_id ? s->debug + s->symtab + s->strtab : 0;
    }
    return !any ? NULL : by_build_id > all ? "build-id" : "debuglink";
}

/* Whether most of the functions of any one library have mangled names, or most of all functions. The rows say which
 * libraries have them. */
static bool any_mangled(const struct prof *p)
{
    uint64_t functions = 0, mangled = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct capture *c = &p->file[i].capture;
        if (c->has_symtab && c->functions.count && 2 * c->mangled_functions >= c->functions.count)
            return true;
        functions += c->functions.count;
        mangled += c->mangled_functions;
    }
    return mangled > functions / 2;
}

/* Writes what most of the debug information is like, in the keys that every profile has. Rows say where single
 * libraries differ. */
static void write_majority(FILE *to, const struct prof *p, const struct majority *m)
{
    static const char *const names[] = {[PROF_C] = "c", [PROF_CPP] = "c++", [PROF_FORTRAN] = "fortran"};
    if (any_mangled(p))
        fputs("names: {style: itanium}\n", to);
    const uint64_t each = m->units ? (m->described + m->units / 2) / m->units : 0;
    const char *const separate = separation(p);
    struct flow f = {.to = to, .open = "dwarf: ", .comma = ", "};
    if (m->units) {
        put_number(&f, "version", m->old ? 4 : 5);
        put_word(&f, "language", names[m->language]);
        put_number(&f, "units", each ? each : 1);
    }
    if (m->clang)
        put_word(&f, "compiler", "clang");
    if (m->views)
        put_word(&f, "views", "true");
    if (m->zlib || m->zstd)
        put_word(&f, "compress", m->zlib ? "zlib" : "zstd");
    if (separate)
        put_word(&f, "separate", separate);
    flow_end(&f);
    if (f.begun)
        putc('\n', to);
}

/* Whether a profile can state these sums. */
static bool is_in_range(const struct file_sizes *s)
{
    const uint64_t sizes[] = {s->text, s->data, s->debug, s->symtab, s->strtab, s->bss};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] > CAPTURE_SIZE_MOST)
            return false;
    return true;
}

bool prof_write_text(FILE *to, const struct prof *p, struct error *e)
{
    struct file_sizes sum = {0};
    size_t modules = 0;
    for (size_t i = 0; i < p->count; i++) {
        modules += p->file[i].capture.kind.module;
        if (!sizes_add(&sum, &p->file[i].capture.sizes) || !is_in_range(&sum))
            return error_set(e, ERROR_INPUT, "the libraries together have more than 2^50 bytes of one kind");
    }
    fprintf(to, "pyelfgen-profile: 1\nmodules: %zu\nutilities: %zu\n", modules, p->count - modules);
    write_sections(to, &sum, !p->options.summary);
    if (p->options.summary)
        return true;
    const struct majority m = majority_of(p);
    write_majority(to, p, &m);
    fprintf(to, "captured: {from: %s, libraries: %zu, unreadable: %zu}\n", from_names[p->options.from], p->count,
            p->unreadable);
    if (!write_distributions(to, p, &m, e))
        return false;
    fputs("libraries:\n", to);
    for (size_t i = 0; i < p->count; i++)
        prof_write_row(to, p, &p->file[i]);
    return true;
}

static bool write_profile(FILE *to, void *context, struct error *e)
{
    return prof_write_text(to, context, e);
}

bool prof_write(struct prof *p, struct error *e)
{
    return result_file_write(p->options.output, RESULT_PROFILE, write_profile, p, e);
}

/* Prints a path as the rest of a line. */
static void put_path(FILE *to, const char *path)
{
    for (const char *s = path; *s; s++)
        putc((unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s, to);
    putc('\n', to);
}

static bool write_list(FILE *to, void *context, struct error *e)
{
    const struct prof *const p = context;
    size_t modules = 0, utilities = 0;
    (void)e;
    for (size_t i = 0; i < p->count; i++) {
        const bool module = p->file[i].capture.kind.module;
        fprintf(to, "lib%s%zu.so\t", module ? "module" : "utility", module ? modules++ : utilities++);
        put_path(to, p->file[i].name);
    }
    return true;
}

bool prof_write_list(struct prof *p, struct error *e)
{
    return result_file_write(p->options.list, RESULT_REPORT, write_list, p, e);
}
