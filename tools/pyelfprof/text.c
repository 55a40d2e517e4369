/* See text.h. */
#include "tools/pyelfprof/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/profile_find.h"
#include "base/size_text.h"
#include "emit/profile/plain.h"

/* ---- nodes ---- */

yaml_node_t *text_get(struct text *t, yaml_node_t *mapping, const char *key)
{
    if (!mapping || mapping->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = mapping->data.mapping.pairs.start; p < mapping->data.mapping.pairs.top; p++) {
        yaml_node_t *name = yaml_document_get_node(&t->document, p->key);
        if (name && name->type == YAML_SCALAR_NODE && strcmp((char *)name->data.scalar.value, key) == 0)
            return yaml_document_get_node(&t->document, p->value);
    }
    return NULL;
}

static const char *scalar(yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (char *)node->data.scalar.value : NULL;
}

const char *text_of(struct text *t, yaml_node_t *mapping, const char *key)
{
    return scalar(text_get(t, mapping, key));
}

static double number_of(const char *text)
{
    uint64_t bytes;
    char *end;
    if (!text)
        return 0;
    const double number = strtod(text, &end); /* without a unit: a count or a share */
    if (*end == '\0')
        return number >= 0 && number < 1e18 ? number : 0;
    return size_text_read(text, &bytes) == SIZE_TEXT_RIGHT ? (double)bytes : 0;
}

double text_number(struct text *t, yaml_node_t *mapping, const char *key)
{
    return number_of(text_of(t, mapping, key));
}

/* ---- rows ---- */

size_t text_rows(yaml_node_t *list)
{
    return list && list->type == YAML_SEQUENCE_NODE
               ? (size_t)(list->data.sequence.items.top - list->data.sequence.items.start)
               : 0;
}

yaml_node_t *text_row(struct text *t, yaml_node_t *list, size_t i)
{
    return yaml_document_get_node(&t->document, list->data.sequence.items.start[i]);
}

double text_sum(struct text *t, yaml_node_t *list, const char *in, const char *key)
{
    double total = 0;
    for (size_t i = 0; i < text_rows(list); i++) {
        yaml_node_t *of = text_row(t, list, i);
        total += text_number(t, in ? text_get(t, of, in) : of, key);
    }
    return total;
}

size_t text_having(struct text *t, yaml_node_t *list, const char *key, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text_rows(list); i++) {
        yaml_node_t *of = text_get(t, text_row(t, list, i), key);
        count += of && (!text || (scalar(of) && strcmp(scalar(of), text) == 0));
    }
    return count;
}

size_t text_having_in(struct text *t, yaml_node_t *list, const char *in, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < text_rows(list); i++)
        count += text_get(t, text_get(t, text_row(t, list, i), in), key) != NULL;
    return count;
}

/* ---- the file ---- */

/* YAML's readers skip comments. A comment begins a line or follows a blank. */
static bool has_comments(const char *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (from[i] == '#' && (i == 0 || strchr("\n \t", from[i - 1])))
            return true;
    }
    return false;
}

/* Loads what pyelfgen's reader accepts as a profile. That also limits how deep brackets are nested: libyaml's time goes
 * with the square of their number. */
static bool load(struct text *t, const char *from, size_t size, const char *path, struct error *e)
{
    if (!profile_is_plain(from, size, path, e))
        return false;
    t->comments = has_comments(from, size);
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return error_set(e, ERROR_MEMORY, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)from, size);
    const bool ok = yaml_parser_load(&parser, &t->document) || error_set(e, ERROR_MEMORY, "out of memory");
    yaml_parser_delete(&parser);
    return ok;
}

bool text_read(struct text *t, const char *path, struct error *e)
{
    char found[PATH_MAX];
    size_t size;
    *t = (struct text){0};
    if (!profile_find(path, found, sizeof found, e))
        return false;
    char *const from = profile_find_read(found, &size, e);
    const bool ok = from && load(t, from, size, profile_find_shown(found), e);
    free(from);
    if (ok)
        t->root = yaml_document_get_root_node(&t->document);
    return ok;
}

void text_free(struct text *t)
{
    yaml_document_delete(&t->document);
}
