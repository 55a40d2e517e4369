/* The text of a manifest, taken value by value.
 *
 * json-c alone would make one tree of the whole text, some ten times as large.
 * Here the outermost object and the list of libraries are walked by hand, and
 * json-c reads what stands in them, one value at a time, from a window that
 * moves over the file.
 *
 * The first failure sticks: it fills the error, with its line, and every call
 * after it fails too. For manifest.c alone.
 */
#ifndef BASE_MANIFEST_TEXT_H
#define BASE_MANIFEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "base/error.h"

struct manifest_text {
    int fd; /* borrowed; -1 when all there is is in the window */
    const char *window;
    char *buffer;      /* owned: the window's memory, NULL where the caller has the text */
    size_t at;         /* in the window: taken up to here */
    size_t end;        /* in the window: filled up to here */
    uint64_t bytes;    /* read from the file */
    unsigned line;     /* of window[at] */
    unsigned previous; /* line of the value taken last */
    struct json_tokener *tokener;
    struct error *e;
    bool failed;
};

/* The text comes from `fd` or from memory, which the caller keeps until
 * manifest_text_free (to be called in any case). */
bool manifest_text_start(struct manifest_text *t, int fd, const char *text, size_t size, struct error *e);
void manifest_text_free(struct manifest_text *t);

/* The next character that is not white space, which is not taken; '\0' after a
 * failure, of which the end of the text is one. */
char manifest_text_peek(struct manifest_text *t);

/* Takes the next character if it is `c`; fails if not. */
bool manifest_text_take(struct manifest_text *t, char c);

/* After a member of a list or object: takes ',' and is true, or takes `close`
 * and is false; fails at anything else. */
bool manifest_text_more(struct manifest_text *t, char close);

/* Takes a value of at most MANIFEST_VALUE_BYTES_MOST bytes; *value, NULL for
 * null, is the caller's to put. */
bool manifest_text_value(struct manifest_text *t, struct json_object **value);

/* Fails if anything but white space is left. */
bool manifest_text_finish(struct manifest_text *t);

#endif
