/* Takes checked values out of one object; see manifest_reader.h. */
#include "base/manifest_reader.h"

#include <string.h>

#include "base/manifest.h"
#include "base/utf8.h"

enum { DIGEST_DIGITS = 32 };

bool manifest_reader_fail(struct manifest_reader *r, const char *key, const char *wrong)
{
    if (!r->failed)
        error_set(r->e, ERROR_INPUT, "%s'%s' %s; generate the set again", r->where, key, wrong);
    r->failed = true;
    return false;
}

bool manifest_reader_memory(struct manifest_reader *r)
{
    if (!r->failed)
        error_set(r->e, ERROR_MEMORY, "there is no memory left for the manifest");
    r->failed = true;
    return false;
}

struct json_object *manifest_reader_take(struct manifest_reader *r, const char *key, enum json_type type,
                                         const char *wrong)
{
    struct json_object *value;
    if (r->failed)
        return NULL;
    if (!json_object_object_get_ex(r->object, key, &value)) {
        manifest_reader_fail(r, key, "is missing");
        return NULL;
    }
    if (!json_object_is_type(value, type)) {
        manifest_reader_fail(r, key, wrong);
        return NULL;
    }
    return value;
}

/* json-c keeps a number above INT64_MAX as an unsigned one. It refuses a number above UINT64_MAX; before release 0.17
 * it reads it as UINT64_MAX. That is too large for everything but a result, and a wrong result fails the later
 * comparison. */
uint64_t manifest_reader_number(struct manifest_reader *r, const char *key, uint64_t most)
{
    struct json_object *value = manifest_reader_take(r, key, json_type_int, "is not a whole number");
    if (!value)
        return 0;
    if (json_object_get_int64(value) < 0) {
        manifest_reader_fail(r, key, "is negative");
        return 0;
    }
    uint64_t number = json_object_get_uint64(value);
    if (number > most) {
        manifest_reader_fail(r, key, "is too large");
        return 0;
    }
    return number;
}

const char *manifest_reader_text(struct manifest_reader *r, const char *key, size_t most, size_t *length)
{
    struct json_object *value = manifest_reader_take(r, key, json_type_string, "is not a text");
    if (!value)
        return NULL;
    const char *text = json_object_get_string(value);
    *length = (size_t)json_object_get_string_len(value);
    const char *wrong = *length > most ? "is too long" : NULL;
    for (size_t i = 0, n; i < *length && !wrong; i += n) {
        n = utf8_length(text + i, *length - i);
        if (!n)
            wrong = "is not UTF-8";
        else if (utf8_is_control(text + i))
            wrong = "has control characters";
    }
    if (!wrong)
        return text;
    manifest_reader_fail(r, key, wrong);
    return NULL;
}

const char *manifest_reader_copy(struct manifest_reader *r, const char *text, size_t length)
{
    char *copy = arena_take(r->arena, length + 1);
    if (!copy) {
        manifest_reader_memory(r);
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

const char *manifest_reader_keep(struct manifest_reader *r, const char *key, size_t most)
{
    size_t length;
    const char *text = manifest_reader_text(r, key, most, &length);
    return text ? manifest_reader_copy(r, text, length) : NULL;
}

static uint64_t hexadecimal(const char *digits, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 4 | (uint64_t)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
    return value;
}

void manifest_reader_digest(struct manifest_reader *r, const char *key, uint64_t digest[2])
{
    size_t length;
    const char *text = manifest_reader_text(r, key, MANIFEST_TEXT_MOST, &length);
    if (!text)
        return;
    if (length != DIGEST_DIGITS || strspn(text, "0123456789abcdef") != DIGEST_DIGITS) {
        manifest_reader_fail(r, key, "is not 32 hexadecimal digits");
        return;
    }
    digest[0] = hexadecimal(text, DIGEST_DIGITS / 2);
    digest[1] = hexadecimal(text + DIGEST_DIGITS / 2, DIGEST_DIGITS / 2);
}
