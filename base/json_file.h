/* JSON from a file that may contain anything. All of it is read, and json-c makes a tree of it.
 *
 * A few bytes of text can make a large tree ("[[],[],"), so the size of the tree is estimated before it is made.
 */
#ifndef BASE_JSON_FILE_H
#define BASE_JSON_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct json_object;

/* The limits of a file, and words for messages about it. */
struct json_file_limits {
    size_t bytes;     /* bytes of text, at most INT_MAX */
    size_t weight;    /* bytes of memory that its tree may take */
    const char *what; /* "the results", for messages */
    const char *made; /* what writes such files: "pyelfrun --json" */
};

/* Parses a text, which has to be an object. The caller frees it with json_object_put. NULL with the error filled. */
struct json_object *json_file_parse(const char *text, size_t size, const struct json_file_limits *limits,
                                    struct error *e);

/* The text of a regular file, or more than limits->bytes bytes of a larger one. The caller frees it. NULL with the
 * error filled, which has the file's name. */
char *json_file_text(const char *path, const struct json_file_limits *limits, size_t *size, struct error *e);

/* Reads and parses a regular file; the error has its name. */
struct json_object *json_file_read(const char *path, const struct json_file_limits *limits, struct error *e);

#endif
