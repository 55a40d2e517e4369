/* Writes what was found for a profile into it; see settled.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/result_file.h"
#include "dwarf/corpus/manner_numbers.h"
#include "emit/search/settled.h"
#include "emit/search/settled_parts.h"

#define SECTION "settled:"

static void write_manners(FILE *to, const struct plan *plan, const struct manners *manners)
{
    bool used[DEBUG_LANGUAGES] = {false};
    used[plan->profile->dwarf.language] = true;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        used[plan->library[i].debug.language] = true;
    fputs(plan->any_attributes ? SETTLED_ANY_ATTRIBUTES : SETTLED_AS_ROWS_SAY, to);
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++) {
        if (!used[i])
            continue;
        fprintf(to, " %s", settled_languages[i]);
        manner_numbers_write(to, &manners->of[i]);
    }
}

static void write_size(FILE *to, enum debug_section section, uint64_t size)
{
    fputc(SETTLED_SIZE + (int)section, to);
    if (size == DEBUG_ANY)
        fputc(SETTLED_ANY, to);
    else
        fprintf(to, "%" PRIu64, size);
}

/* Writes the word of a library. */
static void write_library(FILE *to, const struct settled_library *asked, const struct settled_library *found)
{
    int64_t value[2][SETTLED_VALUES];
    bool any = false;
    settled_values_of(asked, value[0]);
    settled_values_of(found, value[1]);
    for (unsigned i = 0; i < SETTLED_VALUES; i++) {
        if (value[1][i] == value[0][i])
            continue;
        fprintf(to, "%c%" PRId64, settled_values[i].letter, value[1][i]);
        any = true;
    }
    if (found->mix.normal != asked->mix.normal) {
        fprintf(to, "%c%" PRIu64, SETTLED_NORMAL, found->mix.normal);
        any = true;
    }
    for (enum debug_section i = 0; i < DEBUG_SECTION_COUNT; i++) {
        if (found->mix.size[i] == asked->mix.size[i])
            continue;
        write_size(to, i, found->mix.size[i]);
        any = true;
    }
    if (!any)
        fputs(SETTLED_AS_ASKED, to);
}

static void write_libraries(FILE *to, const struct plan *plan)
{
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct settled_library asked = settled_asked(plan, i);
        const struct settled_library found = {plan->mix ? plan->mix[i] : asked.mix, plan->taste[i]};
        if (i > 0)
            fputc(' ', to);
        write_library(to, &asked, &found);
    }
}

/* Writes a text as a scalar in lines. */
static void write_folded(FILE *to, const char *key, const char *text)
{
    enum { COLUMNS = 100 };
    fprintf(to, "  %s: '", key);
    for (;;) {
        const size_t least = strcspn(text, " "); /* words are not divided */
        size_t length = strnlen(text, COLUMNS + 1);
        if (length <= COLUMNS)
            break;
        while (length > least && text[length] != ' ')
            length--;
        length = length < least ? least : length;
        fprintf(to, "%.*s%s", (int)length, text, text[length] ? "\n    " : "");
        text += length + (text[length] == ' ');
    }
    fprintf(to, "%s'\n", text);
}

/* Writes what was found as `settled`. False when memory ran out. */
static bool write_section(FILE *to, const struct plan *plan, const struct manners *manners)
{
    char digest[SETTLED_DIGEST];
    char *text[2] = {NULL, NULL};
    size_t size[2];
    FILE *part[2] = {open_memstream(&text[0], &size[0]), open_memstream(&text[1], &size[1])};
    if (part[0])
        write_manners(part[0], plan, manners);
    if (part[1])
        write_libraries(part[1], plan);
    bool well = true;
    for (unsigned i = 0; i < 2; i++)
        well = part[i] && fclose(part[i]) == 0 && well;
    settled_digest(plan->digest, digest);
    if (well) {
        fprintf(to, SECTION "\n  of: '%s'\n", digest);
        write_folded(to, "manners", text[0]);
        write_folded(to, "libraries", text[1]);
    }
    free(text[0]);
    free(text[1]);
    return well;
}

/* What was found as `settled`; malloc'ed. NULL when memory ran out. */
static char *section_text(const struct plan *plan, const struct manners *manners)
{
    char *text = NULL;
    size_t size;
    FILE *const to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    const bool well = write_section(to, plan, manners);
    if (fclose(to) == 0 && well)
        return text;
    free(text);
    return NULL;
}

/* Where the line begins on which `settled` stands in a text; its end, if there is none. */
static const char *find_section(const char *text)
{
    const char *const at = strstr(text, "\n" SECTION);
    if (strncmp(text, SECTION, strlen(SECTION)) == 0)
        return text;
    return at ? at + 1 : text + strlen(text);
}

/* Where the first line begins behind `settled` and its indented lines. */
static const char *skip_section(const char *at)
{
    do {
        at += strcspn(at, "\n");
        at += *at == '\n';
    } while (*at == ' ');
    return at;
}

/* A profile's text, with a section instead of what it has as `settled`; malloc'ed. NULL when memory ran out. */
static char *text_with(const char *text, const char *section)
{
    const char *const before = find_section(text);
    const char *const rest = skip_section(before);
    const size_t kept = (size_t)(before - text) + strlen(rest);
    const char last = *rest ? rest[strlen(rest) - 1] : before > text ? before[-1] : '\n';
    char *const with = malloc(kept + strlen(section) + 2);
    if (with)
        sprintf(with, "%.*s%s%s%s", (int)(before - text), text, rest, last == '\n' ? "" : "\n", section);
    return with;
}

static char *read_text(const char *name, struct error *e)
{
    size_t size;
    char *const read = profile_find_read(name, &size, e);
    char *const text = read ? strndup(read, size) : NULL;
    if (read && !text)
        error_set(e, ERROR_MEMORY, "out of memory");
    free(read);
    return text;
}

/* Fails if the text cannot be read as the profile that it was made from, with a section. */
static bool refuse_text(const struct error *own, struct error *e)
{
    if (own->code == ERROR_MEMORY)
        return error_set(e, ERROR_MEMORY, "%s", own->text);
    return error_set(
        e, ERROR_INPUT,
        "nothing can be added to the text of the profile; write it as pyelfprof does, each key on a line of "
        "its own, and without 'settled'");
}

bool settled_can_be_added(const char *name, struct error *e)
{
    static const char section[] = SECTION "\n  manners: any\n";
    struct profile p;
    struct error own = {0};
    char *const text = read_text(name, e);
    if (!text)
        return false;
    bool well = profile_parse(&p, text, strlen(text), profile_find_shown(name), e);
    profile_free(&p);
    if (!well) {
        free(text);
        return false;
    }
    char *const with = text_with(text, section);
    well = with && profile_parse(&p, with, strlen(with), "", &own);
    well = well && p.settled.manners && strcmp(p.settled.manners, "any") == 0 && !p.settled.of;
    if (with)
        profile_free(&p);
    else
        error_set(&own, ERROR_MEMORY, "out of memory");
    free(with);
    free(text);
    return well || refuse_text(&own, e);
}

/* Whether what is found for all libraries is read as it was written. */
static bool reads_libraries(const struct plan *plan, const struct profile *p, struct error *e)
{
    struct plan read = *plan;
    const size_t count = plan_counted(plan);
    read.profile = p;
    read.taste = NULL;
    read.mix = plan->mix ? malloc((count + 1) * sizeof *read.mix) : NULL;
    bool well = read.mix || !plan->mix || error_set(e, ERROR_MEMORY, "out of memory");
    well = well && settled_read_libraries(&read, e);
    free(read.mix);
    free(read.taste);
    return well;
}

/* Whether a text is the profile that the plan is for, with what was found. */
static bool check_text(const char *text, const struct plan *plan, struct error *e)
{
    struct profile p;
    struct manners manners;
    struct error own = {0};
    bool is_for = false, any_attributes;
    const bool well = profile_parse(&p, text, strlen(text), "", &own) && settled_is_for(&p, &is_for, &own) && is_for &&
                      settled_read_manners(&p, &manners, &any_attributes, &own) && reads_libraries(plan, &p, &own);
    profile_free(&p);
    if (well || own.code == ERROR_MEMORY)
        return well || refuse_text(&own, e);
    return error_set(e, ERROR_INPUT, "the profile has changed meanwhile; run again");
}

static bool write_text(FILE *to, void *text, struct error *e)
{
    (void)e;
    fputs(text, to);
    return true;
}

bool settled_save(const struct plan *plan, const struct manners *manners, const char *name, const char *path,
                  struct error *e)
{
    char *const text = read_text(name, e);
    char *const section = text ? section_text(plan, manners) : NULL;
    char *const with = section ? text_with(text, section) : NULL;
    const bool well = with && check_text(with, plan, e) && result_file_write(path, RESULT_PROFILE, write_text, with, e);
    if (text && !with)
        error_set(e, ERROR_MEMORY, "out of memory");
    free(text);
    free(section);
    free(with);
    return well;
}
