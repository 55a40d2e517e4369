/* See manifest_text.h. */
#include "base/manifest_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/manifest.h"
#include "base/whole.h"

/* The format has four levels. Deeper nesting is possible only in keys that a later version adds. */
enum { DEPTH_MOST = 16, WINDOW = 4 * MANIFEST_VALUE_BYTES_MOST };

static bool fail_memory(struct manifest_text *t)
{
    t->failed = true;
    return error_set(t->e, ERROR_MEMORY, "there is no memory left for the manifest");
}

static bool fail_at(struct manifest_text *t, unsigned line)
{
    t->failed = true;
    if (t->e)
        t->e->line = line;
    return false;
}

static bool fail_json(struct manifest_text *t, const char *wrong)
{
    error_set(t->e, ERROR_INPUT, "is not JSON: %s; generate the set again", wrong);
    return fail_at(t, t->line);
}

static bool fail_end(struct manifest_text *t)
{
    error_set(t->e, ERROR_INPUT, "ends in the middle: the set is incomplete; generate the set again");
    return fail_at(t, t->line);
}

bool manifest_text_start(struct manifest_text *t, int fd, const char *text, size_t size, struct error *e)
{
    *t = (struct manifest_text){.fd = fd, .window = text, .end = size, .line = 1, .e = e};
    t->tokener = json_tokener_new_ex(DEPTH_MOST);
    if (fd >= 0)
        t->window = t->buffer = malloc(WINDOW);
    if (!t->tokener || (fd >= 0 && !t->buffer))
        return fail_memory(t);
    json_tokener_set_flags(t->tokener,
                           JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8 | JSON_TOKENER_ALLOW_TRAILING_CHARS);
    return true;
}

void manifest_text_free(struct manifest_text *t)
{
    if (t->tokener)
        json_tokener_free(t->tokener);
    free(t->buffer);
    *t = (struct manifest_text){.fd = -1, .failed = true};
}

/* Fills the window. Afterwards it holds at least as many bytes from `at` on as the largest value takes, or all that are
 * left. */
static bool refill(struct manifest_text *t)
{
    if (t->failed)
        return false;
    if (t->fd < 0 || t->end - t->at > MANIFEST_VALUE_BYTES_MOST)
        return true;
    memmove(t->buffer, t->buffer + t->at, t->end - t->at);
    t->end -= t->at;
    t->at = 0;
    const ssize_t n = whole_read(t->fd, t->buffer + t->end, WINDOW - t->end);
    if (n < 0) {
        t->failed = true;
        return error_errno(t->e, NULL, "cannot be read");
    }
    t->end += (size_t)n;
    t->bytes += (uint64_t)n;
    if (t->end < WINDOW)
        t->fd = -1;
    if (t->bytes > MANIFEST_BYTES_MOST) { /* the file has grown since its size was checked */
        t->failed = true;
        return error_set(t->e, ERROR_INPUT, "is longer than %d MB, which no manifest is; generate the set again",
                         MANIFEST_BYTES_MOST >> 20);
    }
    return true;
}

static void advance(struct manifest_text *t, size_t size)
{
    for (size_t i = 0; i < size; i++)
        t->line += t->window[t->at++] == '\n';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Skips white space; returns whether anything is left. */
static bool skip_space(struct manifest_text *t)
{
    while (refill(t) && t->at < t->end) {
        if (!is_space(t->window[t->at]))
            return true;
        advance(t, 1);
    }
    return false;
}

char manifest_text_peek(struct manifest_text *t)
{
    if (!skip_space(t)) {
        if (!t->failed)
            fail_end(t);
        return '\0';
    }
    if (t->window[t->at] == '\0')
        fail_json(t, "there is a byte of zero");
    return t->window[t->at];
}

bool manifest_text_take(struct manifest_text *t, char c)
{
    char wrong[] = "'_' is expected";
    char found = manifest_text_peek(t);
    if (t->failed)
        return false;
    wrong[1] = c;
    if (found != c)
        return fail_json(t, wrong);
    advance(t, 1);
    return true;
}

bool manifest_text_more(struct manifest_text *t, char close)
{
    char wrong[] = "',' or '_' is expected";
    char found = manifest_text_peek(t);
    if (t->failed)
        return false;
    wrong[8] = close;
    if (found != ',' && found != close)
        return fail_json(t, wrong);
    advance(t, 1);
    return found == ',';
}

bool manifest_text_value(struct manifest_text *t, struct json_object **value)
{
    *value = NULL;
    manifest_text_peek(t);
    if (t->failed)
        return false;
    t->previous = t->line;
    size_t rest = t->end - t->at;
    size_t given = rest < MANIFEST_VALUE_BYTES_MOST ? rest : MANIFEST_VALUE_BYTES_MOST;
    json_tokener_reset(t->tokener);
    *value = json_tokener_parse_ex(t->tokener, t->window + t->at, (int)given);
    enum json_tokener_error reason = json_tokener_get_error(t->tokener);
    size_t used = json_tokener_get_parse_end(t->tokener);
    if (reason == json_tokener_success) {
        advance(t, used);
        return true;
    }
    json_object_put(*value);
    *value = NULL;
    /* A value that was cut off may have been cut within a UTF-8 character. json-c calls that an error, too. */
    if (used < given && reason != json_tokener_continue) {
        advance(t, used);
        return fail_json(t, json_tokener_error_desc(reason));
    }
    if (given == rest) {
        advance(t, given);
        return fail_end(t);
    }
    error_set(t->e, ERROR_INPUT, "has a value of more than %d kB, which no manifest has; generate the set again",
              MANIFEST_VALUE_BYTES_MOST >> 10);
    return fail_at(t, t->previous);
}

bool manifest_text_finish(struct manifest_text *t)
{
    if (!skip_space(t))
        return !t->failed;
    error_set(t->e, ERROR_INPUT, "has something after its end; generate the set again");
    return fail_at(t, t->line);
}
