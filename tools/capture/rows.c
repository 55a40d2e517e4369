/* Writes a library's row of a profile; see prof.h, and docs/capture.md for the keys.
 *
 * Nothing goes into it but numbers, words of this file and words of DWARF. Only --names adds the names of libraries.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/page.h"
#include "base/profile_words.h"
#include "base/utf8.h"
#include "elf/read/capture_limits.h"
#include "tools/capture/flow.h"
#include "tools/capture/prof.h"

static void put_list(struct flow *row, const char *key, const char *const *names, const uint64_t *numbers, int count)
{
    struct flow f = flow_in(row, key);
    for (int i = 0; i < count; i++)
        put_some(&f, names[i], numbers[i]);
    flow_end(&f);
}

/* `s` are the capture's symbols of one kind; not all kinds have all keys. In a profile of many libraries the usual
 * number of symbols with a version is left out. */
static void put_symbols(struct flow *row, const char *key, const struct capture *c, const struct capture_symbols *s,
                        bool many)
{
    enum { VERSIONED_USUAL = 1 /* __cxa_finalize */ };
    struct flow f = flow_in(row, key);
    put_some(&f, "functions", s->functions);
    put_some(&f, "objects", s->objects);
    put_some(&f, "other", s->other);
    if (s == &c->local) {
        put_some(&f, "sections", s->sections);
        put_some(&f, "unnamed", s->unnamed);
        put_some(&f, "aliases", s->aliases);
    }
    put_some(&f, "undefined", s->undefined);
    put_some(&f, "weak", s->weak);
    if (s == &c->dynamic) {
        put_some(&f, "weak-functions", s->weak_functions);
        put_some(&f, "weak-objects", s->weak_objects);
        put_some(&f, "unique", s->unique);
        const bool is_usual = many && c->versioned == VERSIONED_USUAL;
        const bool needs_versions = c->versions > c->versions_defined; /* it says 0 then */
        if (!is_usual && (c->versioned || needs_versions))
            put_number(&f, "versioned", c->versioned);
        put_some(&f, "ifunc", c->has_symtab ? s->ifunc : 0);
        put_some(&f, "aliases", s->aliases);
        put_some(&f, "dynstr", c->dynstr);
    }
    flow_end(&f);
}

/* Lengths of names and sizes of functions jump between a few values, which coarse quantiles do not tell from a slope.
 * So a row with enough samples has QUANTILES_FINE of them.
 *
 * Rows of a profile with more than PROFILE_WORDS_FEW_LIBRARIES are to stay below 1 kB. They have no blanks after
 * commas, no quotes around lists, and fine quantiles only where these have no more runs of equal numbers than there are
 * coarse ones. */
enum { QUANTILES_FINE = 101 };

static size_t quantile_runs(const struct samples *s, size_t count)
{
    size_t runs = 1;
    for (size_t q = 1; q < count; q++)
        runs += samples_quantile(s, q, count) != samples_quantile(s, q - 1, count);
    return runs;
}

/* "5 131*18 135 136": "*18" says that a number stands for 18. A sample of fewer than `least` has no list. */
static void put_quantiles(struct flow *row, const char *key, const struct samples *s, uint64_t least, bool many)
{
    if (s->count < least)
        return;
    const bool few = s->count < QUANTILES_LEAST;
    const size_t coarse = few ? QUANTILES_FEW : QUANTILES;
    const size_t fine = few ? QUANTILES_FEW_FINE : QUANTILES_FINE;
    const size_t count = many && quantile_runs(s, fine) > coarse ? coarse : fine;
    /* a list of a single number still has to be read as text */
    const char *quote = many && quantile_runs(s, count) > 1 ? "" : "'";
    flow_key(row, key);
    fputs(quote, row->to);
    for (size_t q = 0, last; q < count; q = last + 1) {
        const uint32_t value = samples_quantile(s, q, count);
        for (last = q; last + 1 < count && samples_quantile(s, last + 1, count) == value;)
            last++;
        fprintf(row->to, "%s%" PRIu32, q ? " " : "", value);
        if (last > q)
            fprintf(row->to, "*%zu", last - q + 1);
    }
    fputs(quote, row->to);
}

/* "0:12 5:3 7-9". A range stands for consecutive libraries from which no symbol is taken. */
static void put_needed(struct flow *row, const struct prof_file *file)
{
    if (file->edges == 0)
        return;
    flow_key(row, "needed");
    for (size_t i = 0; i < file->edges; i++) {
        const struct prof_edge *e = &file->edge[i];
        fprintf(row->to, "%s%" PRIu32, i ? " " : "'", e->to);
        size_t last = i;
        while (e->symbols == 0 && last + 1 < file->edges && file->edge[last + 1].symbols == 0 &&
               file->edge[last + 1].to == file->edge[last].to + 1)
            last++;
        if (e->symbols)
            fprintf(row->to, ":%" PRIu64, e->symbols);
        else if (last > i)
            fprintf(row->to, "-%" PRIu32, file->edge[last].to);
        i = last;
    }
    putc('\'', row->to);
}

static const char *language_name(uint32_t language, char text[STATS_NAME])
{
    char key[STATS_NAME];
    const char *name = stats_key_name(STATS_LANGUAGE, language, key);
    const enum prof_language of = prof_language_of(language);
    if (of == PROF_CPP || of == PROF_C)
        return of == PROF_C ? "c" : "c++";
    /* A language that nobody knows is a number that the file chose: it becomes "other". */
    size_t i = 0;
    for (; name[i] && i < STATS_NAME - 1; i++)
        text[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i] == '_' ? '-' : name[i];
    text[i] = '\0';
    return profile_words_have(PROFILE_WORDS_LANGUAGES, text, i) ? text : "other";
}

static void put_dwarf(struct flow *row, const struct prof_dwarf *d)
{
    if (!d->known)
        return;
    char language[STATS_NAME];
    struct flow f = flow_in(row, "dwarf");
    put_number(&f, "version", d->version);
    if (d->language)
        put_word(&f, "language", language_name(d->language, language));
    put_some(&f, "level", d->level);
    put_number(&f, "units", d->units);
    put_some(&f, "uneven", d->uneven);
    put_some(&f, "code", d->code);
    put_some(&f, "partial", d->partial);
    put_some(&f, "type-units", d->types);
    put_number(&f, "dies", d->dies);
    put_some(&f, "defined", d->defined);
    put_some(&f, "functions", d->functions);
    put_number(&f, "attributes", d->attributes);
    put_some(&f, "rows", d->rows);
    put_some(&f, "entries", d->entries);
    put_some(&f, "addresses", d->addresses);
    put_some(&f, "entry-values", d->entry_values);
    put_some(&f, "type-names", prof_language_of(d->language) == PROF_CPP ? d->type_names : 0);
    if (d->has_inlined)
        put_number(&f, "inlined", d->inlined);
    if (d->sampled < 1) {
        put_number(&f, "sampled", (uint64_t)(100 * d->sampled + 0.5));
        flow_key(&f, "error");
        fprintf(f.to, "%.1f", 100 * d->error);
    }
    flow_end(&f);
}

static void put_dwo(struct flow *row, const struct prof_dwo *d)
{
    struct flow f = flow_in(row, "dwo");
    put_some(&f, "files", d->files);
    put_some(&f, "missing", d->missing);
    for (int i = 0; i < CAPTURE_MIXES; i++)
        put_some(&f, capture_mix_names[i], d->mix[i]);
    flow_end(&f);
}

/* Whether a profile can contain the character. YAML has neither U+FFFE nor U+FFFF, and U+2028 and U+2029 end a line. */
static bool is_plain(const char *s, size_t length)
{
    enum { NONE_FIRST = 0xfffe };
    const uint32_t code = length ? utf8_code(s, length) : 0;
    return length && !utf8_is_control(s) && !utf8_is_separator(s) && code != NONE_FIRST && code != NONE_FIRST + 1;
}

/* The file's name without directories, in YAML's single quotes, cut to what a row may have. */
static void put_name(struct flow *row, const char *path)
{
    const char *s = prof_base_name(path);
    flow_key(row, "name");
    size_t room = CAPTURE_NAME_MOST;
    putc('\'', row->to);
    for (size_t left = strlen(s), length, put; left; left -= length, s += length, room -= put) {
        length = utf8_length(s, left);
        const bool good = is_plain(s, length);
        put = good ? length : 1;
        length = length ? length : 1;
        if (put > room)
            break;
        if (!good)
            putc('?', row->to);
        else
            fprintf(row->to, "%.*s%s", (int)length, s, *s == '\'' ? "'" : "");
    }
    putc('\'', row->to);
}

/* A row that says nothing of jump slots has as many as slots of the PLT. In a profile of many libraries they are left
 * out where that is so, in others only where both are 0. */
static void put_relocations(struct flow *row, const struct capture *c, bool many)
{
    const uint64_t slots = c->relocation[RELOCATION_JUMP_SLOT];
    const bool follows = slots ? many && slots == c->plt : !c->plt;
    struct flow f = flow_in(row, "relocations");
    for (int i = 0; i < CAPTURE_RELOCATIONS; i++) {
        if (i != RELOCATION_JUMP_SLOT)
            put_some(&f, capture_relocation_names[i], c->relocation[i]);
        else if (!follows)
            put_number(&f, capture_relocation_names[i], slots);
    }
    flow_end(&f);
}

/* The parts of text, without the rest, which follows. In a profile of many libraries the size of the relocations is
 * left out where it follows from their number. */
static void put_share(struct flow *row, const struct capture *c, bool many)
{
    uint64_t share[SHARE_OTHER], relocations = 0;
    memcpy(share, c->share, sizeof share);
    for (int i = 0; i < RELOCATION_SYMBOLS; i++)
        relocations += c->relocation[i];
    if (many && !c->relocation[RELOCATION_RELR] && share[SHARE_RELOCATIONS] == relocations * sizeof(Elf64_Rela))
        share[SHARE_RELOCATIONS] = 0;
    put_list(row, "share", capture_share_names, share, SHARE_OTHER);
}

/* Without `global` a row with a symbol table has as many as in `dynamic`. So where there are none, it says 0. */
static void put_global(struct flow *row, const struct capture *c, bool many)
{
    static const struct capture_symbols none;
    if (c->sizes.symtab && memcmp(&c->global, &none, sizeof none) == 0)
        put_word(row, "global", "{functions: 0}");
    else
        put_symbols(row, "global", c, &c->global, many);
}

static void put_counts(struct flow *row, const struct capture *c, bool many)
{
    put_symbols(row, "dynamic", c, &c->dynamic, many);
    put_symbols(row, "local", c, &c->local, many);
    if (memcmp(&c->global, &c->dynamic, sizeof c->global) != 0)
        put_global(row, c, many);
    put_relocations(row, c, many);
    put_number(row, "plt", c->plt);
}

static void put_exceptions(struct flow *row, const struct capture *c)
{
    struct flow f = flow_in(row, "exceptions");
    put_some(&f, "table", c->unwind.exceptions);
    put_some(&f, "functions", c->unwind.tabled);
    flow_end(&f);
}

/* A key is left out where its value is pyelfgen's default. */
static void put_links(struct flow *row, const struct prof_file *file)
{
    static const char *const relro[] = {"none", "partial", "full"};
    const struct capture *const c = &file->capture;
    if (!c->hash_gnu || c->hash_sysv)
        put_word(row, "hash", c->hash_gnu ? "both" : c->hash_sysv ? "sysv" : "none");
    if (c->bind_now)
        put_word(row, "bind", "now");
    if (c->relro != CAPTURE_RELRO_PARTIAL)
        put_word(row, "relro", relro[c->relro]);
    if (c->data_rel_ro != 8 * c->relocation[RELOCATION_RELRO])
        put_number(row, "data-rel-ro", c->data_rel_ro);
    if (!c->links.build_id_size)
        put_word(row, "build-id", "false");
    if (!c->links.soname)
        put_word(row, "soname", "false");
    if (c->cf_protection)
        put_word(row, "cf-protection", "true");
    put_some(row, "runpath", c->runpaths);
    put_some(row, "versions", c->versions);
    put_some(row, "versions-defined", c->versions_defined);
    put_some(row, "tls", c->tls);
    put_some(row, "ifunc", c->ifunc);
    if (c->constructors != 1)
        put_number(row, "constructors", c->constructors);
    put_some(row, "constructor-code", c->constructor_code);
    put_some(row, "constructor-memory", file->constructor_memory);
    put_some(row, "constructor-bss", file->constructor_bss);
    if (c->kind.module)
        put_some(row, "init-code", c->init_code);
    if (!c->sizes.symtab) { /* otherwise .symtab says how many functions there are, and how large */
        put_some(row, "unwind-entries", c->unwind.entries);
        put_some(row, "unwind-small", c->unwind.small);
        put_some(row, "called", c->called);
    }
    if (c->unwind.rsp || !c->unwind.rbp) /* one is there in any case: frames were counted */
        put_number(row, "unwind-rsp", c->unwind.rsp);
    put_some(row, "unwind-rbp", c->unwind.rbp);
    put_exceptions(row, c);
    if (c->destructors != 1)
        put_number(row, "destructors", c->destructors);
    if (c->page && c->page != PAGE) /* an object file has no segments, and so no page size */
        put_number(row, "page", c->page);
    if (c->loads != 4)
        put_number(row, "loads", c->loads);
    put_some(row, "mangled", c->mangled);
    put_some(row, "demangled", c->demangled);
    put_some(row, "cold", c->cold);
    put_some(row, "cold-code", c->cold_code);
    put_some(row, "methods", c->methods);
    if (c->compression)
        put_word(row, "compressed", c->compression == ELFCOMPRESS_ZLIB ? "zlib" : "zstd");
    if (c->debug_file)
        put_word(row, "debug-file", "true");
    if (c->split)
        put_word(row, "split", "true");
    if (c->alternate)
        put_word(row, "alternate", "true");
    if (c->links.debuglink && !c->debug_file)
        put_word(row, "debug-link", "true");
}

void prof_write_row(FILE *to, const struct prof *p, const struct prof_file *file)
{
    const struct capture *c = &file->capture;
    const bool many = p->count > PROFILE_WORDS_FEW_LIBRARIES;
    struct flow row = {.to = to, .open = "- ", .comma = many ? "," : ", "};
    put_word(&row, "kind", c->kind.module ? "module" : "utility");
    if (p->options.names)
        put_name(&row, file->name);
    if (c->kind.machine != EM_X86_64)
        put_number(&row, "machine", c->kind.machine);
    if (file->timed) {
        flow_key(&row, "loaded");
        fprintf(to, "%.3f", (double)file->loaded / 1e6);
    }
    if (file->imported) {
        flow_key(&row, "import");
        fprintf(to, "%.3f", (double)file->imported / 1e3);
    }
    put_number(&row, "text", c->sizes.text);
    put_number(&row, "data", c->sizes.data);
    put_number(&row, "bss", c->sizes.bss);
    put_some(&row, "debug", c->sizes.debug);
    put_some(&row, "symtab", c->sizes.symtab);
    put_some(&row, "strtab", c->sizes.strtab);
    put_number(&row, "functions", c->functions.count);
    put_counts(&row, c, many);
    put_needed(&row, file);
    put_number(&row, "outside", file->outside);
    put_some(&row, "indirect", file->indirect);
    put_some(&row, "used", file->used);
    put_links(&row, file);
    put_quantiles(&row, "function-sizes", &c->functions, SIZES_FEW, many);
    put_quantiles(&row, "name-lengths", &c->name_lengths, LENGTHS_FEW, many);
    put_share(&row, c, many);
    put_list(&row, "zstd", capture_part_names, c->zstd, CAPTURE_PARTS);
    put_dwarf(&row, &file->dwarf);
    put_list(&row, "mix", capture_mix_names, c->mix, CAPTURE_MIXES);
    put_dwo(&row, &file->dwo);
    flow_end(&row);
    putc('\n', to);
}
