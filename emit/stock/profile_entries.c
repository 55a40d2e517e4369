/* See profile_entries.h. */
#include "emit/stock/profile_entries.h"

#include <string.h>

uint8_t profile_row_version(const struct profile *p, const struct profile_row *row)
{
    const int64_t version = row->value[ROW_DWARF_VERSION];
    if (version == PROFILE_DERIVED)
        return (uint8_t)p->dwarf.version;
    return version >= 5 || p->dwarf.index == NAME_INDEX_DEBUG_NAMES ? 5 : 4;
}

enum debug_language profile_row_language(const struct profile *p, const struct profile_row *row)
{
    const char *const word = row->text[ROW_TEXT_LANGUAGE];
    const bool is_clangs = p->dwarf.compiler == COMPILER_CLANG && profile_row_version(p, row) != 4;
    if (!word)
        return p->dwarf.language;
    if (strncmp(word, "fortran", strlen("fortran")) == 0 && !p->dwarf.index && !p->dwarf.type_units && !is_clangs)
        return LANGUAGE_FORTRAN;
    if (strcmp(word, "c++") == 0 && !p->dwarf.type_units)
        return LANGUAGE_CPP;
    return strcmp(word, "c") == 0 ? LANGUAGE_C : p->dwarf.language;
}

static char *const *texts_of(const struct profile *p, enum debug_language language)
{
    return &p->distributions[DISTRIBUTION_OF_LANGUAGES + language * DISTRIBUTION_KINDS];
}

static const char *text_of(char *const *texts, unsigned distribution)
{
    return texts[distribution - DISTRIBUTION_TAGS];
}

static bool has_texts(const struct profile *p, enum debug_language language)
{
    char *const *const texts = texts_of(p, language);
    return text_of(texts, DISTRIBUTION_TAGS) && text_of(texts, DISTRIBUTION_ATTRIBUTES);
}

bool profile_is_divided(const struct profile *p, enum debug_language language)
{
    return has_texts(p, language) && has_texts(p, p->dwarf.language);
}

enum debug_language profile_counted_as(const struct profile *p, const struct profile_row *row)
{
    const enum debug_language language = profile_row_language(p, row);
    return profile_is_divided(p, language) ? language : p->dwarf.language;
}

static struct profile_entries entries_of(const struct profile *p, enum debug_language language, char *const *texts)
{
    return (struct profile_entries){.profile = p,
                                    .language = language,
                                    .tags = text_of(texts, DISTRIBUTION_TAGS),
                                    .forms = text_of(texts, DISTRIBUTION_FORMS),
                                    .attributes = text_of(texts, DISTRIBUTION_ATTRIBUTES)};
}

struct profile_entries profile_entries_of_all(const struct profile *p)
{
    return entries_of(p, p->dwarf.language, &p->distributions[DISTRIBUTION_TAGS]);
}

struct profile_entries profile_entries(const struct profile *p, enum debug_language language)
{
    if (!profile_is_divided(p, language))
        return profile_entries_of_all(p);
    struct profile_entries said = entries_of(p, language, texts_of(p, language));
    said.divided = true;
    return said;
}

bool profile_entries_have(const struct profile_entries *of, const struct profile_row *row)
{
    return !of->divided || profile_counted_as(of->profile, row) == of->language;
}
