/* JSON from a file that may say anything: all of it is read, and json-c makes a tree of it.
 *
 * A few bytes of text can make a large tree ("[[],[],"), so what it may come to is reckoned before it is made.
 */
#ifndef BASE_JSON_FILE_H
#define BASE_JSON_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct json_object;

/* What a file may be. */
struct json_file_limits {
    size_t bytes;     /* of text, at most INT_MAX */
    size_t weight;    /* bytes of memory that its tree may take, at the most */
    const char *what; /* "the results", for messages */
    const char *made; /* by what it is written: "pyelfrun --json" */
};

/* The object that the text is; NULL with the error filled, also where it is something other than an object. To be
 * freed with json_object_put. */
struct json_object *json_file_parse(const char *text, size_t size, const struct json_file_limits *limits,
                                    struct error *e);

/* The same of a regular file; the error has its name. */
struct json_object *json_file_read(const char *path, const struct json_file_limits *limits, struct error *e);

#endif
