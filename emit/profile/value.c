/* One value of a profile: from its text to its member of struct profile and back, and its range.
 *
 * Sizes are written as in base/size_text.h. Numbers have one spelling: decimal digits, no sign, and no leading zero,
 * which YAML 1.1 reads as octal and YAML 1.2 does not. The locale does not matter.
 */
#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size_text.h"
#include "base/utf8.h"
#include "emit/profile/keys.h"

static_assert(sizeof(enum hash_style) == sizeof(unsigned) && sizeof(enum bind_mode) == sizeof(unsigned) &&
                  sizeof(enum relro_mode) == sizeof(unsigned),
              "choices are stored as unsigned");
static_assert(PROFILE_SIZE_MOST == SIZE_TEXT_MOST, "every size that can be written can be read");

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of the member of a kind that is a whole number in memory: int64_t, uint64_t, bool or an enum. Values of narrow
 * members are in the low bytes (the host is little-endian, see base/bytes.h). */
static size_t width_of(enum profile_kind kind)
{
    return kind == KIND_FLAG ? sizeof(bool) : kind == KIND_CHOICE ? sizeof(unsigned) : sizeof(uint64_t);
}

static uint64_t whole_get(const void *p, const struct profile_key *k)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)p + k->offset, width_of(k->kind));
    return v;
}

static void whole_set(void *p, const struct profile_key *k, uint64_t v)
{
    memcpy((char *)p + k->offset, &v, width_of(k->kind));
}

static double share_get(const void *p, const struct profile_key *k)
{
    double v;
    memcpy(&v, (const char *)p + k->offset, sizeof v);
    return v;
}

static void share_set(void *p, const struct profile_key *k, double v)
{
    memcpy((char *)p + k->offset, &v, sizeof v);
}

static char *text_get(const void *p, const struct profile_key *k)
{
    char *text;
    memcpy(&text, (const char *)p + k->offset, sizeof text);
    return text;
}

static void text_set(void *p, const struct profile_key *k, char *text)
{
    memcpy((char *)p + k->offset, &text, sizeof text);
}

/* Notes the two numbers that disagree, if an int64_t can hold them. Returns false. */
static bool disagree(struct error *e, uint64_t wanted, uint64_t possible)
{
    if (e && wanted <= INT64_MAX && possible <= INT64_MAX) {
        e->wanted = (int64_t)wanted;
        e->possible = (int64_t)possible;
    }
    return false;
}

static bool number_wrong(const struct profile_source *s, enum profile_key_id key, const char *text, struct error *e)
{
    const struct profile_key *k = &profile_keys[key];
    char shown[PROFILE_SHOWN];
    profile_shown(text, shown);
    if (k->least == k->most)
        return profile_wrong(s, key, e, "'%s' is not available; this version of pyelfgen knows only %llu", shown,
                             (unsigned long long)k->most);
    if (k->least + 1 == k->most)
        return profile_wrong(s, key, e, "'%s' is not %llu or %llu", shown, (unsigned long long)k->least,
                             (unsigned long long)k->most);
    return profile_wrong(s, key, e, "'%s' is not a whole number from %llu to %llu", shown, (unsigned long long)k->least,
                         (unsigned long long)k->most);
}

/* A profile with utilities need not have modules; profile_check sees to that. */
static bool may_be_none(enum profile_key_id key, uint64_t n)
{
    return key == KEY_MODULES && n == 0;
}

static bool number_read(const char *text, const struct profile_source *s, enum profile_key_id key, uint64_t *number,
                        struct error *e)
{
    const struct profile_key *k = &profile_keys[key];
    if (text[0] == '0' && is_digit(text[1]))
        return profile_wrong(s, key, e, "begins with 0, which some read as octal; write the number without");
    uint64_t n = 0;
    const char *c = text;
    for (; is_digit(*c); c++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*c - '0'), &n))
            return number_wrong(s, key, text, e);
    if (c == text || *c)
        return number_wrong(s, key, text, e);
    *number = n;
    if ((n >= k->least && n <= k->most) || may_be_none(key, n))
        return true;
    number_wrong(s, key, text, e);
    return disagree(e, n, n < k->least ? k->least : k->most);
}

static bool size_read(const char *text, const struct profile_source *s, enum profile_key_id key, uint64_t *size,
                      struct error *e)
{
    char shown[PROFILE_SHOWN];
    profile_shown(text, shown);
    switch (size_text_read(text, size)) {
    case SIZE_TEXT_RIGHT:
        return true;
    case SIZE_TEXT_NEGATIVE:
        return profile_wrong(s, key, e, "'%s' is negative; a size is 0 or more", shown);
    case SIZE_TEXT_NONE:
        return profile_wrong(s, key, e, "'%s' is not a size; write digits and a unit, as in '12.5 MB'", shown);
    case SIZE_TEXT_NO_UNIT:
        return profile_wrong(s, key, e, "'%s' has no unit; add one of " SIZE_TEXT_UNITS ", as in '%s MB'", shown,
                             shown);
    case SIZE_TEXT_UNKNOWN:
        return profile_wrong(s, key, e, "'%s' has an unknown unit; use " SIZE_TEXT_UNITS, shown);
    case SIZE_TEXT_FRACTION:
        return profile_wrong(s, key, e, "'%s' is not a whole number of bytes; correct the fraction or the unit", shown);
    case SIZE_TEXT_LARGE:
        break;
    }
    return profile_wrong(s, key, e, "'%s' is more than %llu B, the most that a size may be", shown,
                         (unsigned long long)SIZE_TEXT_MOST);
}

bool profile_size(const char *text, uint64_t *size, struct error *e)
{
    return size_read(text, NULL, KEY_TEXT, size, e);
}

/* strtod and printf use the decimal point of the locale, which the program around us may have set. So this thread is in
 * locale "C" for a moment. */
static bool c_locale_enter(locale_t *ours, locale_t *former)
{
    *ours = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (*ours == (locale_t)0)
        return false;
    *former = uselocale(*ours);
    return true;
}

static void c_locale_leave(locale_t ours, locale_t former)
{
    uselocale(former);
    freelocale(ours);
}

static bool share_is_right(double v)
{
    return isfinite(v) && v > 0 && v <= 1;
}

static bool share_read(const char *text, const struct profile_source *s, enum profile_key_id key, double *share,
                       struct error *e)
{
    /* strtod alone would take hexadecimal, "nan", "infinity" and leading space. */
    bool right = is_digit(text[0]) && text[strspn(text, "0123456789.eE+-")] == '\0';
    if (right) {
        locale_t ours, former;
        if (!c_locale_enter(&ours, &former))
            return error_set(e, ERROR_MEMORY, "no memory for reading a profile");
        char *end;
        *share = strtod(text, &end);
        right = *end == '\0';
        c_locale_leave(ours, former);
    }
    if (right && share_is_right(*share))
        return true;
    char shown[PROFILE_SHOWN];
    return profile_wrong(s, key, e, "'%s' is not a number above 0 and at most 1", profile_shown(text, shown));
}

/* The shortest text that reads back as the same number. */
static bool share_write(double share, char text[PROFILE_VALUE_TEXT])
{
    locale_t ours, former;
    if (!c_locale_enter(&ours, &former))
        return false;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, PROFILE_VALUE_TEXT, "%.*g", digits, share);
        if (strtod(text, NULL) == share)
            break;
    }
    c_locale_leave(ours, former);
    return true;
}

/* Free text goes into the manifest, reports and terminals, so it must be one line. */
static bool text_check(const char *text, const struct profile_source *s, enum profile_key_id key, struct error *e)
{
    size_t length = strlen(text);
    if (length > profile_keys[key].most) {
        profile_wrong(s, key, e, "is %zu bytes long; shorten it to %llu", length,
                      (unsigned long long)profile_keys[key].most);
        return disagree(e, length, profile_keys[key].most);
    }
    for (size_t i = 0, n; i < length; i += n) {
        n = utf8_length(text + i, length - i);
        if (n == 0)
            return profile_wrong(s, key, e, "is not UTF-8 text; correct it");
        if (utf8_is_control(text + i) || utf8_is_separator(text + i))
            return profile_wrong(s, key, e, "has a control character or line break (U+%04X) inside; remove it",
                                 (unsigned)utf8_code(text + i, n));
    }
    return true;
}

static bool choice_wrong(const struct profile_source *s, enum profile_key_id key, const char *text, struct error *e)
{
    const char *const *choices = profile_keys[key].choices;
    char shown[PROFILE_SHOWN];
    profile_shown(text, shown);
    if (profile_keys[key].kind == KIND_FIXED)
        return profile_wrong(s, key, e, "'%s' is not available; this version of pyelfgen knows only %s", shown,
                             choices[0]);
    char all[128] = "";
    size_t used = 0;
    for (size_t i = 0; choices[i] && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", choices[i]);
    return profile_wrong(s, key, e, "'%s' is not one of %s", shown, all);
}

bool profile_value_read(void *p, enum profile_key_id key, const char *text, const struct profile_source *s,
                        struct error *e)
{
    const struct profile_key *k = &profile_keys[key];
    uint64_t whole = 0;
    double share = 0;
    char *copy;
    if (!*text && k->kind != KIND_TEXT)
        return profile_wrong(s, key, e, "has no value; give one, or remove the key");
    switch (k->kind) {
    case KIND_FIXED:
        return strcmp(text, k->choices[0]) == 0 || choice_wrong(s, key, text, e);
    case KIND_TEXT:
        copy = strdup(text);
        if (!copy)
            return error_set(e, ERROR_MEMORY, "no memory for a profile");
        free(text_get(p, k));
        text_set(p, k, copy);
        return true;
    case KIND_NUMBER:
        if (!number_read(text, s, key, &whole, e))
            return false;
        break;
    case KIND_SIZE:
        if (!size_read(text, s, key, &whole, e))
            return false;
        break;
    case KIND_BYTES:
        if (!(text[strspn(text, "0123456789")] ? size_read : number_read)(text, s, key, &whole, e))
            return false;
        break;
    case KIND_SWITCH:
    case KIND_FLAG:
        whole = strcmp(text, "true") == 0;
        if (!whole && strcmp(text, "false") != 0)
            return profile_wrong(s, key, e, "'%s' is neither true nor false",
                                 profile_shown(text, (char[PROFILE_SHOWN]){0}));
        break;
    case KIND_SHARE:
        if (!share_read(text, s, key, &share, e))
            return false;
        share_set(p, k, share);
        return true;
    case KIND_WORD:
    case KIND_CHOICE:
        while (k->choices[whole] && strcmp(text, k->choices[whole]) != 0)
            whole++;
        if (!k->choices[whole])
            return choice_wrong(s, key, text, e);
        break;
    }
    whole_set(p, k, whole);
    return true;
}

/* Whether the text is among the choices, if its key has any. */
static bool text_is_chosen(const char *text, const struct profile_source *s, enum profile_key_id key, struct error *e)
{
    const char *const *choices = profile_keys[key].choices;
    for (size_t i = 0; choices && strcmp(text, choices[i]) != 0; i++)
        if (!choices[i + 1])
            return choice_wrong(s, key, text, e);
    return true;
}

bool profile_value_check(const void *p, enum profile_key_id key, const struct profile_source *s, struct error *e)
{
    const struct profile_key *k = &profile_keys[key];
    if (k->kind == KIND_FIXED || k->kind == KIND_FLAG)
        return true;
    if (k->kind == KIND_TEXT)
        return !text_get(p, k) || (text_check(text_get(p, k), s, key, e) && text_is_chosen(text_get(p, k), s, key, e));
    if (k->kind == KIND_SHARE)
        return share_is_right(share_get(p, k)) ||
               profile_wrong(s, key, e, "%g is not a number above 0 and at most 1", share_get(p, k));

    uint64_t v = whole_get(p, k);
    if ((v >= k->least && v <= k->most) || may_be_none(key, v) ||
        (k->standard == PROFILE_DERIVED && v == (uint64_t)PROFILE_DERIVED))
        return true;
    char text[PROFILE_VALUE_TEXT];
    snprintf(text, sizeof text, "%lld", (long long)v);
    if (k->kind == KIND_CHOICE || k->kind == KIND_WORD)
        return choice_wrong(s, key, text, e);
    if (k->kind == KIND_NUMBER || k->kind == KIND_SWITCH)
        number_wrong(s, key, text, e);
    else
        profile_wrong(s, key, e, "%s bytes are not from %llu to %llu", text, (unsigned long long)k->least,
                      (unsigned long long)k->most);
    return disagree(e, v, v < k->least ? k->least : k->most);
}

bool profile_value_is_standard(const void *p, enum profile_key_id key)
{
    const struct profile_key *k = &profile_keys[key];
    if (k->kind == KIND_FIXED)
        return true;
    if (k->kind == KIND_TEXT)
        return !text_get(p, k) || !*text_get(p, k);
    if (k->kind == KIND_SHARE)
        return share_get(p, k) == (double)k->standard;
    return whole_get(p, k) == (uint64_t)k->standard;
}

void profile_value_set_standard(void *p, enum profile_key_id key)
{
    const struct profile_key *k = &profile_keys[key];
    if (k->kind == KIND_SHARE)
        share_set(p, k, (double)k->standard);
    else if (k->kind != KIND_FIXED && k->kind != KIND_TEXT)
        whole_set(p, k, (uint64_t)k->standard);
}

char *profile_value_write(const void *p, enum profile_key_id key, char text[PROFILE_VALUE_TEXT])
{
    const struct profile_key *k = &profile_keys[key];
    switch (k->kind) {
    case KIND_FIXED:
        snprintf(text, PROFILE_VALUE_TEXT, "%s", k->choices[0]);
        break;
    case KIND_TEXT:
        return text_get(p, k);
    case KIND_NUMBER:
    case KIND_BYTES:
        snprintf(text, PROFILE_VALUE_TEXT, "%llu", (unsigned long long)whole_get(p, k));
        break;
    case KIND_SIZE:
        size_text_write(whole_get(p, k), text);
        break;
    case KIND_FLAG:
    case KIND_SWITCH:
        snprintf(text, PROFILE_VALUE_TEXT, "%s", whole_get(p, k) ? "true" : "false");
        break;
    case KIND_SHARE:
        return share_write(share_get(p, k), text) ? text : NULL;
    case KIND_CHOICE:
    case KIND_WORD:
        snprintf(text, PROFILE_VALUE_TEXT, "%s", k->choices[whole_get(p, k)]);
        break;
    }
    return text;
}
