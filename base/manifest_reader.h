/* Typed values out of one object of a manifest.
 *
 * The first thing that is wrong sticks: it fills the error, and everything taken
 * after it is 0 or NULL, so that a row is taken in straight lines and checked
 * once. For manifest.c alone.
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
    const char *where; /* "libmodule3.so: ", or "" for the top of the manifest */
    struct arena *arena;
    struct error *e;
    bool failed;
};

/* False: what is said of `key` is wrong, or there is no memory. */
bool manifest_reader_fail(struct manifest_reader *r, const char *key, const char *wrong);
bool manifest_reader_memory(struct manifest_reader *r);

/* The member `key`, which must be there and of that type. */
struct json_object *manifest_reader_take(struct manifest_reader *r, const char *key, enum json_type type,
                                         const char *wrong);

uint64_t manifest_reader_number(struct manifest_reader *r, const char *key, uint64_t most);

/* A text without control characters, so also without zeros; the object's own. */
const char *manifest_reader_text(struct manifest_reader *r, const char *key, size_t most, size_t *length);

/* Copies in the arena. */
const char *manifest_reader_copy(struct manifest_reader *r, const char *text, size_t length);
const char *manifest_reader_keep(struct manifest_reader *r, const char *key, size_t most);

/* 128 bits, in hexadecimal: high, low. */
void manifest_reader_digest(struct manifest_reader *r, const char *key, uint64_t digest[2]);

#endif
