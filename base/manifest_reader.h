/* Typed values out of one object of a manifest.
 *
 * The first failure sticks: it fills the error, and everything taken after it is 0 or NULL. So a row can be taken
 * without checks in between, and is checked once at the end. Only manifest.c and manifest_row.c use this.
 */
#ifndef BASE_MANIFEST_READER_H
#define BASE_MANIFEST_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "base/arena.h"
#include "base/error.h"

struct manifest_reader {
    struct json_object *object;
    const char *where; /* begins messages: "libmodule3.so: ", or "" for the top of the manifest */
    struct arena *arena;
    struct error *e;
    bool failed;
};

/* Set the error and return false: the value of `key` is wrong, or there is no memory. */
bool manifest_reader_fail(struct manifest_reader *r, const char *key, const char *wrong);
bool manifest_reader_memory(struct manifest_reader *r);

/* The member `key`, which has to exist and be of this type; `wrong` is the message if it is of another. Borrowed from
 * the object; NULL on failure. */
struct json_object *manifest_reader_take(struct manifest_reader *r, const char *key, enum json_type type,
                                         const char *wrong);

uint64_t manifest_reader_number(struct manifest_reader *r, const char *key, uint64_t most);

/* A text of at most `most` bytes without control characters, and so without zeros. Borrowed from the object. */
const char *manifest_reader_text(struct manifest_reader *r, const char *key, size_t most, size_t *length);

/* A copy of a text, or of the text `key`, in the arena. */
const char *manifest_reader_copy(struct manifest_reader *r, const char *text, size_t length);
const char *manifest_reader_keep(struct manifest_reader *r, const char *key, size_t most);

/* Takes 128 bits from hexadecimal digits: high, low. */
void manifest_reader_digest(struct manifest_reader *r, const char *key, uint64_t digest[2]);

#endif
