/* Access to a profile's YAML for readers that only look at it. pyelfgen's own reader has checked that it says nothing
 * but what a profile may. What is not there reads as NULL or 0.
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
    bool comments; /* the text has some */
};

/* Reads the profile. Call text_free only where this returns true. */
bool text_read(struct text *t, const char *path, struct error *e);
void text_free(struct text *t);

/* The node of a key, or its text; NULL where the mapping has no such key or is no mapping. */
yaml_node_t *text_get(struct text *t, yaml_node_t *mapping, const char *key);
const char *text_of(struct text *t, yaml_node_t *mapping, const char *key);
/* The value as a number; a size counts in bytes. 0 where it is neither. */
double text_number(struct text *t, yaml_node_t *mapping, const char *key);

/* How many rows the list has, and row i of it. */
size_t text_rows(yaml_node_t *list);
yaml_node_t *text_row(struct text *t, yaml_node_t *list, size_t i);

/* The sum of a key over all rows. With `in`, the key is looked for in that mapping of each row. */
double text_sum(struct text *t, yaml_node_t *list, const char *in, const char *key);
/* How many rows have this text for the key; with NULL, any value. */
size_t text_having(struct text *t, yaml_node_t *list, const char *key, const char *text);
/* How many rows have the key in their mapping `in`. */
size_t text_having_in(struct text *t, yaml_node_t *list, const char *in, const char *key);

#endif
