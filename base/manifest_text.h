/* The text of a manifest, taken value by value.
 *
 * json-c alone would make one tree of the whole text, some ten times as large. So the outermost object and the lists of
 * rows are walked by hand, and json-c reads only the values in them, one at a time, from a window that moves over the
 * file.
 *
 * The first failure sticks: it fills the error, with its line, and every call after it fails too. Only manifest.c uses
 * this.
 */
#ifndef BASE_MANIFEST_TEXT_H
#define BASE_MANIFEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "base/error.h"

struct manifest_text {
    int fd; /* borrowed; -1 when the window holds all that is left */
    const char *window;
    char *buffer;      /* owned: the window's memory; NULL if the caller has the text in memory */
    size_t at;         /* index in the window of the next byte to take */
    size_t end;        /* index in the window behind the last byte */
    uint64_t bytes;    /* read from the file */
    unsigned line;     /* line of window[at] */
    unsigned previous; /* line of the value taken last */
    struct json_tokener *tokener;
    struct error *e;
    bool failed;
};

/* Begins with the text of the file `fd`, or, if that is -1, with `size` bytes of `text`, which the caller keeps until
 * manifest_text_free. Call manifest_text_free in any case. */
bool manifest_text_start(struct manifest_text *t, int fd, const char *text, size_t size, struct error *e);
void manifest_text_free(struct manifest_text *t);

/* Returns the next character that is not white space, without taking it; '\0' after a failure. The end of the text is a
 * failure. */
char manifest_text_peek(struct manifest_text *t);

/* Takes the next character if it is `c`; fails if not. */
bool manifest_text_take(struct manifest_text *t, char c);

/* After a member of a list or object: takes ',' and returns true, or takes `close` and returns false. Anything else is
 * a failure. */
bool manifest_text_more(struct manifest_text *t, char close);

/* Takes a value of at most MANIFEST_VALUE_BYTES_MOST bytes. *value is NULL for null; the caller frees it with
 * json_object_put. */
bool manifest_text_value(struct manifest_text *t, struct json_object **value);

/* Fails if anything but white space is left. */
bool manifest_text_finish(struct manifest_text *t);

#endif
