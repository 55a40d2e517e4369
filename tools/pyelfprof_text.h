/* A profile as YAML, for whoever only reads it: it says nothing but what a profile may, which pyelfgen's reader has
 * checked; what is not there is NULL or 0.
 */
#ifndef TOOLS_PYELFPROF_TEXT_H
#define TOOLS_PYELFPROF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/error.h"

struct text {
    yaml_document_t document;
    yaml_node_t *root;
    bool comments; /* has some */
};

/* Reads the profile; only where this is true there is something to free. */
bool text_read(struct text *t, const char *path, struct error *e);
void text_free(struct text *t);

/* The value of a key; NULL where the mapping has no such key, or is none. */
yaml_node_t *text_get(struct text *t, yaml_node_t *mapping, const char *key);
const char *text_of(struct text *t, yaml_node_t *mapping, const char *key);
/* A number, or a size in bytes. */
double text_number(struct text *t, yaml_node_t *mapping, const char *key);

/* The rows of a list: how many, and one of them. */
size_t text_rows(yaml_node_t *list);
yaml_node_t *text_row(struct text *t, yaml_node_t *list, size_t i);

/* The sum over all rows of a key, of a mapping in the row where `in` is not NULL. */
double text_sum(struct text *t, yaml_node_t *list, const char *in, const char *key);
/* Rows that have the key with this text; NULL for any. */
size_t text_having(struct text *t, yaml_node_t *list, const char *key, const char *text);
/* Rows that have the key in the mapping `in`. */
size_t text_having_in(struct text *t, yaml_node_t *list, const char *in, const char *key);

#endif
