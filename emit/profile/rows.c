/* Rows of libraries in a profile: their edges, what values mean that a captured row leaves out, their rules and sums.
 *
 * `needed` is one text, so that a graph of many edges stays short:
 *
 *     needed: '0:12 5:3 17 20-29'    12 symbols of library 0, 3 of 5; 17 and 20 to 29, it is not said how many
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/page.h"
#include "base/profile_words.h"
#include "emit/profile/distribution.h"
#include "emit/profile/keys.h"

void profile_row_init(struct profile_row *row)
{
    *row = (struct profile_row){0};
    for (unsigned i = 0; i < ROW_VALUES; i++)
        row->value[i] = PROFILE_DERIVED;
}

void profile_row_free(struct profile_row *row)
{
    for (unsigned i = 0; i < ROW_TEXTS; i++)
        free(row->text[i]);
    free(row->edge);
    free(row->captured);
    *row = (struct profile_row){0};
}

/* --- edges ------------------------------------------------------------------------------- */

/* A whole number of at most nine digits at *text, which moves behind it. */
static bool take_number(const char **text, uint32_t *number)
{
    const size_t digits = strspn(*text, "0123456789");
    if (!digits || digits > 9 || (digits > 1 && **text == '0'))
        return false;
    *number = 0;
    for (size_t i = 0; i < digits; i++)
        *number = *number * 10 + (uint32_t)((*text)[i] - '0');
    *text += digits;
    return true;
}

/* INDEX, INDEX:SYMBOLS or FIRST-LAST. */
static bool take_edges(const char **text, uint32_t *first, uint32_t *last, uint32_t *symbols)
{
    *symbols = 0;
    if (!take_number(text, first))
        return false;
    *last = *first;
    if (**text == ':') {
        ++*text;
        return take_number(text, symbols) && *symbols > 0 && *symbols <= PROFILE_FUNCTIONS_MOST;
    }
    if (**text != '-')
        return true;
    ++*text;
    return take_number(text, last) && *last > *first;
}

static bool add_edges(struct profile_row *row, uint32_t *room, uint32_t first, uint32_t last, uint32_t symbols)
{
    const uint32_t wanted = row->edges + (last - first + 1);
    if (*room < wanted) {
        const uint32_t twice = *room ? *room * 2 : 8;
        const uint32_t next = twice < wanted ? wanted : twice;
        struct profile_edge *more = realloc(row->edge, next * sizeof *more);
        if (!more)
            return false;
        row->edge = more;
        *room = next;
    }
    for (uint32_t i = first; i <= last; i++)
        row->edge[row->edges++] = (struct profile_edge){i, symbols};
    return true;
}

bool profile_row_edges(struct profile_row *row, uint32_t rows, const struct profile_source *s, struct error *e)
{
    static const enum profile_key_id key = KEY_ROW_TEXT + ROW_TEXT_NEEDED;
    const char *text = row->text[ROW_TEXT_NEEDED];
    char shown[PROFILE_SHOWN];
    uint32_t room = 0;
    if (!text)
        return true;
    uint8_t *seen = calloc(rows, 1);
    if (!seen)
        return error_set(e, ERROR_MEMORY, "no memory for the rows of a profile");
    bool ok = true;
    for (text += strspn(text, " "); ok && *text; text += strspn(text, " ")) {
        const char *at = text;
        uint32_t first, last, symbols;
        ok = take_edges(&text, &first, &last, &symbols) && (*text == ' ' || !*text);
        if (!ok)
            profile_wrong(s, key, e, "'%s' is not INDEX, INDEX:SYMBOLS or FIRST-LAST with numbers of rows from 0",
                          profile_shown(at, shown));
        if (ok && last >= rows) {
            ok = profile_wrong(s, key, e, "there is no row %u: the last is %u", last, rows - 1);
            if (e) {
                e->wanted = last;
                e->possible = rows - 1;
            }
        }
        for (uint32_t i = first; ok && i <= last; i++) {
            if (i == s->row)
                ok = profile_wrong(s, key, e, "the library needs itself; remove that");
            else if (seen[i])
                ok = profile_wrong(s, key, e, "row %u is there twice; remove one", i);
            seen[i] = 1;
        }
        if (ok && !add_edges(row, &room, first, last, symbols))
            ok = error_set(e, ERROR_MEMORY, "no memory for the rows of a profile");
    }
    free(seen);
    return ok;
}

char *profile_row_needed(const struct profile_row *row)
{
    enum { EDGE_MOST = 24 };
    char *text = malloc(row->edges * (size_t)EDGE_MOST + 1);
    size_t used = 0;
    if (!text)
        return NULL;
    text[0] = '\0';
    for (uint32_t i = 0; i < row->edges;) {
        const struct profile_edge *edge = &row->edge[i];
        uint32_t run = 1;
        while (!edge->symbols && i + run < row->edges && row->edge[i + run].row == edge->row + run &&
               !row->edge[i + run].symbols)
            run++;
        const char *separator = i ? " " : "";
        char *at = text + used;
        if (edge->symbols)
            used += (size_t)snprintf(at, EDGE_MOST, "%s%u:%u", separator, edge->row, edge->symbols);
        else if (run > 1)
            used += (size_t)snprintf(at, EDGE_MOST, "%s%u-%u", separator, edge->row, edge->row + run - 1);
        else
            used += (size_t)snprintf(at, EDGE_MOST, "%s%u", separator, edge->row);
        i += run;
    }
    return text;
}

/* --- what is left out ---------------------------------------------------------------------- */

/* Whether a value that a captured row leaves out is 0, because what it belongs to is there: sizes of debug sections
 * that some compilers do not write, or not for code without optimisation; mangled names; and data that is not there. */
static bool is_none(const struct profile_row *row, enum row_value v)
{
    switch (v) {
    case ROW_MIX_LOCLISTS:
    case ROW_MIX_RNGLISTS:
    case ROW_MIX_ARANGES:
    case ROW_MIX_ADDR:
    case ROW_MIX_STR_OFFSETS:
    case ROW_MIX_NAMES:
    case ROW_MIX_MACRO:
    case ROW_MIX_OTHER:
        return row->value[ROW_MIX_INFO] > 0;
    case ROW_MANGLED:
    case ROW_DEMANGLED:
        return row->value[ROW_TEXT] != PROFILE_DERIVED;
    case ROW_ZSTD_DATA:
        return row->value[ROW_DATA] == 0 && row->value[ROW_ZSTD_TEXT] > 0;
    default:
        return false;
    }
}

/* What a captured row leaves out because pyelfgen does it anyway, unless the profile or an option says otherwise;
 * PROFILE_DERIVED for other values. */
static int64_t usual(enum row_value v)
{
    enum { LOADS = 4 };
    switch (v) {
    case ROW_HASH:
        return HASH_GNU;
    case ROW_BIND:
        return BIND_LAZY;
    case ROW_RELRO:
        return RELRO_PARTIAL;
    case ROW_BUILD_ID:
    case ROW_SONAME:
    case ROW_CONSTRUCTORS:
    case ROW_DESTRUCTORS:
        return 1;
    case ROW_PAGE:
        return PAGE;
    case ROW_LOADS:
        return LOADS;
    default:
        return PROFILE_DERIVED;
    }
}

/* Bytes that relocations take in text; PROFILE_DERIVED where some are packed. */
static int64_t relocations_share(const struct profile *p, const struct profile_row *row)
{
    int64_t sum = 0;
    for (enum row_value v = ROW_RELATIVE; v <= ROW_RELOCATIONS_OTHER; v++)
        sum += v != ROW_RELR ? profile_row_says(p, row, v) : 0;
    return profile_row_says(p, row, ROW_RELR) ? PROFILE_DERIVED : sum * (int64_t)sizeof(Elf64_Rela);
}

/* Bytes of text that its other parts leave. */
static int64_t other_share(const struct profile *p, const struct profile_row *row)
{
    int64_t left = row->value[ROW_TEXT];
    for (enum row_value v = ROW_SHARE_CODE; v < ROW_SHARE_OTHER; v++) {
        const int64_t said = profile_row_says(p, row, v);
        left -= said != PROFILE_DERIVED ? said : 0;
    }
    return left > 0 ? left : 0;
}

/* A part of text that follows from the others; PROFILE_DERIVED where the row states none of them. */
static int64_t share_that_follows(const struct profile *p, const struct profile_row *row, enum row_value v)
{
    bool any = false;
    for (enum row_value other = ROW_SHARE_CODE; other <= ROW_SHARE_OTHER; other++)
        any |= row->value[other] != PROFILE_DERIVED;
    if (!any)
        return PROFILE_DERIVED;
    return v == ROW_SHARE_OTHER ? other_share(p, row) : v == ROW_SHARE_RELOCATIONS ? relocations_share(p, row) : 0;
}

/* The number of symbols of one kind in .symtab that are not local: as many as in .dynsym or, if the row states the
 * number of any kind, 0. PROFILE_DERIVED for other values. */
static int64_t as_dynamic(const struct profile *p, const struct profile_row *row, enum row_value v)
{
    static const enum row_value of[][2] = {
        {ROW_GLOBAL_FUNCTIONS, ROW_DYNAMIC_FUNCTIONS}, {ROW_GLOBAL_OBJECTS, ROW_DYNAMIC_OBJECTS},
        {ROW_GLOBAL_OTHER, ROW_DYNAMIC_OTHER},         {ROW_GLOBAL_UNDEFINED, ROW_DYNAMIC_UNDEFINED},
        {ROW_GLOBAL_WEAK, ROW_DYNAMIC_WEAK},
    };
    enum { KINDS = sizeof of / sizeof of[0] };
    unsigned at = KINDS;
    bool said = false;
    for (unsigned i = 0; i < KINDS; i++) {
        said |= row->value[of[i][0]] != PROFILE_DERIVED;
        at = of[i][0] == v ? i : at;
    }
    if (at == KINDS)
        return PROFILE_DERIVED;
    return said || row->value[ROW_SYMTAB] <= 0 ? 0 : profile_row_says(p, row, of[at][1]);
}

static bool has_relocations(const struct profile_row *row)
{
    bool any = row->value[ROW_PLT] > 0;
    for (enum row_value v = ROW_RELATIVE; v <= ROW_RELOCATIONS_OTHER; v++)
        any |= row->value[v] > 0;
    return any;
}

/* Whether it needs versions. A row without their number has no symbol with one that is undefined where all that it has
 * are its own. */
static bool needs_versions(const struct profile_row *row)
{
    const int64_t own = row->value[ROW_VERSIONS_DEFINED];
    return row->value[ROW_VERSIONS] > (own > 0 ? own : 0);
}

/* How many libraries were captured, also where rows have been taken out since. */
static uint64_t captured_libraries(const struct profile *p)
{
    const uint64_t copies = p->copies ? p->copies : 1;
    return (p->captured.libraries > 0 ? (uint64_t)p->captured.libraries : p->rows) / copies;
}

int64_t profile_row_says(const struct profile *p, const struct profile_row *row, enum row_value v)
{
    const int64_t value = row->value[v];
    const bool counts =
        (v >= ROW_DYNAMIC_FUNCTIONS && v <= ROW_LOCAL_ALIASES) || (v >= ROW_RELATIVE && v <= ROW_RELOCATIONS_RELRO) ||
        v == ROW_METHODS || v == ROW_RUNPATH || v == ROW_IFUNC || v == ROW_VERSIONS || v == ROW_CONSTRUCTOR_CODE ||
        v == ROW_CONSTRUCTOR_MEMORY || v == ROW_CONSTRUCTOR_BSS || v == ROW_INIT_CODE || v == ROW_COLD ||
        v == ROW_COLD_CODE || v == ROW_EXCEPTIONS_TABLE || v == ROW_EXCEPTIONS_FUNCTIONS || v == ROW_USED;
    if (value != PROFILE_DERIVED || !profile_is_captured(p))
        return value;
    if (v == ROW_DYNAMIC_VERSIONED && needs_versions(row) && captured_libraries(p) > PROFILE_WORDS_FEW_LIBRARIES)
        return 1; /* a capture of many libraries leaves out a 1 */
    if ((v == ROW_DYNAMIC_VERSIONED && needs_versions(row)) ||
        (v == ROW_RELOCATIONS_PAGES && has_relocations(row))) /* there are some: the capture did not count them */
        return value;
    if (v == ROW_JUMP_SLOT) /* one for each PLT slot */
        return row->value[ROW_PLT] > 0 ? row->value[ROW_PLT] : 0;
    if (v == ROW_DYNAMIC_IFUNC && row->value[ROW_SYMTAB] <= 0) /* all that there are, dynamic or not */
        return profile_row_says(p, row, ROW_IFUNC);
    const int64_t global = as_dynamic(p, row, v);
    if (global != PROFILE_DERIVED)
        return global;
    if (v >= ROW_SHARE_CODE && v <= ROW_SHARE_OTHER)
        return share_that_follows(p, row, v);
    if ((v == ROW_UNWIND_ENTRIES || v == ROW_UNWIND_SMALL || v == ROW_CALLED) && row->value[ROW_SYMTAB] <= 0)
        return 0;
    if ((v == ROW_UNWIND_RSP && row->value[ROW_UNWIND_RBP] != PROFILE_DERIVED) ||
        (v == ROW_UNWIND_RBP && row->value[ROW_UNWIND_RSP] != PROFILE_DERIVED)) /* frames were counted */
        return 0;
    const bool is_off = profile_keys[KEY_ROW + v].kind == KIND_SWITCH && usual(v) == PROFILE_DERIVED;
    if (counts || is_off || is_none(row, v))
        return 0;
    if (v == ROW_DATA_REL_RO) /* relocated words and nothing else */
        return row->value[ROW_RELOCATIONS_RELRO] > 0 ? 8 * row->value[ROW_RELOCATIONS_RELRO] : 0;
    if (v == ROW_COMPRESSED && row->value[ROW_DEBUG] > 0)
        return ROW_COMPRESSED_NONE;
    return usual(v);
}

int64_t profile_row_relative(const struct profile *p, const struct profile_row *row)
{
    const int64_t plain = profile_row_says(p, row, ROW_RELATIVE);
    const int64_t packed = profile_row_says(p, row, ROW_RELR);
    if (plain == PROFILE_DERIVED || packed == PROFILE_DERIVED)
        return plain == PROFILE_DERIVED ? packed : plain;
    return plain + packed;
}

/* --- rules ------------------------------------------------------------------------------- */

static bool size_pair(const struct profile_row *row, const struct profile_source *s, struct error *e)
{
    const int64_t symtab = row->value[ROW_SYMTAB];
    const int64_t strtab = row->value[ROW_STRTAB];
    if (row->value[ROW_TEXT] == PROFILE_DERIVED) {
        for (unsigned i = ROW_DATA; i <= ROW_BSS; i++)
            if (row->value[i] != PROFILE_DERIVED)
                return profile_wrong(s, KEY_ROW + ROW_TEXT, e, "is missing, and %s is there; give both or neither",
                                     profile_keys[KEY_ROW + i].name);
        return true;
    }
    if (row->value[ROW_DATA] == PROFILE_DERIVED)
        return profile_wrong(s, KEY_ROW + ROW_DATA, e, "is missing, and text is there; give both or neither");
    if ((symtab == 0) != (strtab == 0))
        return profile_wrong(s, (enum profile_key_id)(KEY_ROW + (symtab ? ROW_STRTAB : ROW_SYMTAB)), e,
                             "is 0 and %s is not; a symbol table needs its names: give both a size, or both 0",
                             symtab ? "symtab" : "strtab");
    return true;
}

static bool mix_fits(const struct profile_row *row, const struct profile_source *s, struct error *e)
{
    int64_t sum = 0;
    for (unsigned i = ROW_MIX_INFO; i <= ROW_MIX_OTHER; i++)
        sum += row->value[i] != PROFILE_DERIVED ? row->value[i] : 0;
    if (sum == 0 || row->value[ROW_DEBUG] >= sum)
        return true;
    return profile_row_wrong(s, e, "mix: the sizes together are %lld bytes, and debug is %lld; lower them, or raise it",
                             (long long)sum, (long long)(row->value[ROW_DEBUG] > 0 ? row->value[ROW_DEBUG] : 0));
}

static bool texts_are_quantiles(const struct profile_row *row, const struct profile_source *s, struct error *e)
{
    static const enum row_text texts[] = {ROW_TEXT_FUNCTION_SIZES, ROW_TEXT_NAME_LENGTHS};
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *const text = row->text[texts[i]];
        char shown[PROFILE_SHOWN];
        if (text && !distribution_are_quantiles(text))
            return profile_wrong(s, (enum profile_key_id)(KEY_ROW_TEXT + texts[i]), e,
                                 "'%s' is not 11, 51, 21, 41 ... numbers that ascend, with '*' and how often where one "
                                 "repeats; correct it, or leave it out",
                                 profile_shown(text, shown));
    }
    return true;
}

/* Digits, and perhaps a point and digits. */
static bool is_decimal(const char *text)
{
    static const char digits[] = "0123456789";
    const size_t whole = strspn(text, digits);
    const size_t part = text[whole] == '.' ? strspn(text + whole + 1, digits) : 0;
    return whole && text[whole + (part ? part + 1 : 0)] == '\0';
}

/* Checks texts that are numbers and that nothing is made of: milliseconds and percentages. */
static bool texts_are_numbers(const struct profile_row *row, const struct profile_source *s, struct error *e)
{
    static const enum row_text texts[] = {ROW_TEXT_ERROR, ROW_TEXT_LOADED, ROW_TEXT_IMPORT};
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *const text = row->text[texts[i]];
        char shown[PROFILE_SHOWN];
        if (text && !is_decimal(text))
            return profile_wrong(s, (enum profile_key_id)(KEY_ROW_TEXT + texts[i]), e,
                                 "'%s' is not a number, as '12.5' is; correct it, or leave it out",
                                 profile_shown(text, shown));
    }
    return true;
}

static bool language_is_known(const struct profile_row *row, const struct profile_source *s, struct error *e)
{
    const char *const text = row->text[ROW_TEXT_LANGUAGE];
    char shown[PROFILE_SHOWN];
    return !text || profile_words_have(PROFILE_WORDS_LANGUAGES, text, strlen(text)) ||
           profile_wrong(s, KEY_ROW_TEXT + ROW_TEXT_LANGUAGE, e, "'%s' is no language of DWARF; use 'other'",
                         profile_shown(text, shown));
}

static bool row_texts_check(const struct profile_row *row, const struct profile_source *s, struct error *e)
{
    for (enum profile_key_id key = KEY_ROW_TEXT; key < KEY_ALL; key++)
        if (!profile_value_check(row, key, s, e))
            return false;
    return texts_are_quantiles(row, s, e) && texts_are_numbers(row, s, e) && language_is_known(row, s, e);
}

static bool row_check(const struct profile_row *row, const struct profile_source *s, struct error *e)
{
    for (enum profile_key_id key = KEY_ROW; key < KEY_ROW_TEXT; key++)
        if (!profile_value_check(row, key, s, e))
            return false;
    return size_pair(row, s, e) && mix_fits(row, s, e) && row_texts_check(row, s, e);
}

/* Refuses keys that the rows' own graph, sizes and debug sections replace. */
static bool exclusive(const struct profile *p, const struct profile_source *s, struct error *e)
{
    static const enum profile_key_id keys[] = {KEY_UTILITY,      KEY_UTILITIES_PER_MODULE,
                                               KEY_CROSS_MODULE, KEY_CROSS_MODULE_CHAIN,
                                               KEY_COVERAGE,     KEY_REPEAT,
                                               KEY_RANDOM,       KEY_NEED_ALL,
                                               KEY_LENGTH,       KEY_PAD,
                                               KEY_MIX_INFO,     KEY_MIX_ABBREV,
                                               KEY_MIX_LINE,     KEY_MIX_STR,
                                               KEY_MIX_LINE_STR, KEY_MIX_LOCLISTS,
                                               KEY_MIX_RNGLISTS};
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!profile_value_is_standard(p, keys[i]))
            return profile_wrong(s, keys[i], e,
                                 "excludes '" PROFILE_LIBRARIES "', whose rows say it; remove one of them");
    return true;
}

bool profile_rows_check_texts(const struct profile *p, const struct profile_source *source, struct error *e)
{
    struct profile_source s = *source;
    for (s.row = 0; s.row < p->rows; s.row++)
        if (!row_texts_check(&p->row[s.row], &s, e))
            return false;
    return true;
}

bool profile_rows_check(const struct profile *p, const struct profile_source *source, struct error *e)
{
    struct profile_source s = *source;
    if (!p->rows)
        return true;
    if (!exclusive(p, source, e))
        return false;
    for (s.row = 0; s.row < p->rows; s.row++)
        if (!row_check(&p->row[s.row], &s, e))
            return false;
    return true;
}

/* Sets a number to what the rows come to. If the file states it as well, the two must agree. */
static bool agree(struct profile *p, enum profile_key_id key, int64_t sum, const struct profile_source *s,
                  struct error *e)
{
    int64_t *member = (int64_t *)(void *)((char *)p + profile_keys[key].offset);
    const int64_t said = *member;
    *member = sum;
    if (!s->key_line[key] || said == sum)
        return true;
    if (sum == PROFILE_DERIVED)
        return profile_wrong(s, key, e, "is there, and not every row of '" PROFILE_LIBRARIES "' has it; remove it");
    profile_wrong(s, key, e, "is %lld, and the rows of '" PROFILE_LIBRARIES "' come to %lld; correct it, or remove it",
                  (long long)said, (long long)sum);
    if (e) {
        e->wanted = said;
        e->possible = sum;
    }
    return false;
}

bool profile_rows_settle(struct profile *p, const struct profile_source *s, struct error *e)
{
    int64_t kinds[2] = {0};
    int64_t sums[SIZE_KINDS] = {0};
    for (uint32_t i = 0; i < p->rows; i++) {
        struct profile_row *row = &p->row[i];
        kinds[row->value[ROW_KIND]]++;
        p->graph |= row->text[ROW_TEXT_NEEDED] || row->value[ROW_OUTSIDE] != PROFILE_DERIVED;
        for (unsigned kind = 0; kind < SIZE_KINDS; kind++) {
            int64_t *value = &row->value[ROW_TEXT + kind];
            if (*value == PROFILE_DERIVED && row->value[ROW_TEXT] != PROFILE_DERIVED && kind >= SIZE_DEBUG &&
                kind < SIZE_BSS)
                *value = 0;
            bool known = *value != PROFILE_DERIVED && sums[kind] != PROFILE_DERIVED;
            if (!known || __builtin_add_overflow(sums[kind], *value, &sums[kind]) || sums[kind] > PROFILE_SIZE_MOST)
                sums[kind] = PROFILE_DERIVED;
        }
    }
    for (unsigned kind = 0; kind < SIZE_KINDS; kind++)
        if (!agree(p, (enum profile_key_id)(KEY_TEXT + kind), sums[kind], s, e))
            return false;
    return agree(p, KEY_MODULES, kinds[ROW_KIND_MODULE], s, e) &&
           agree(p, KEY_UTILITIES, kinds[ROW_KIND_UTILITY], s, e);
}
