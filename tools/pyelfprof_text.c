/* See pyelfprof_text.h. */
#include "tools/pyelfprof_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/profile_find.h"
#include "base/size_text.h"

enum { BRACKETS_MOST = 10000 };

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
    const double number = strtod(text, &end); /* a count or a share */
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

/* Comments, which YAML's readers do not see, begin a line or follow a blank. */
static bool has_comments(FILE *from)
{
    int before = '\n';
    int c;
    while ((c = getc(from)) != EOF && !(c == '#' && (before == '\n' || before == ' ' || before == '\t')))
        before = c;
    rewind(from);
    return c == '#';
}

/* Whether so many brackets are open at a time that libyaml, whose time goes with the
 * square of their number, would never end. */
static bool nests_too_deep(FILE *from)
{
    int open = 0;
    for (int c; open < BRACKETS_MOST && (c = getc(from)) != EOF;)
        open += c == '[' || c == '{' ? 1 : open > 0 && (c == ']' || c == '}') ? -1 : 0;
    rewind(from);
    return open == BRACKETS_MOST;
}

static bool load(struct text *t, FILE *from, const char *path, struct error *e)
{
    if (nests_too_deep(from)) {
        error_set(e, ERROR_INPUT, "is no profile: its brackets are nested too deep");
        return error_at(e, path, 0);
    }
    t->comments = has_comments(from);
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return error_set(e, ERROR_MEMORY, "out of memory");
    yaml_parser_set_input_file(&parser, from);
    bool ok = yaml_parser_load(&parser, &t->document);
    if (!ok) {
        error_set(e, ERROR_INPUT, "is no YAML: %s", parser.problem ? parser.problem : "it cannot be read");
        error_at(e, path, (unsigned)parser.problem_mark.line + 1);
    }
    yaml_parser_delete(&parser);
    return ok;
}

bool text_read(struct text *t, const char *path, struct error *e)
{
    struct stat st;
    char found[PATH_MAX];
    *t = (struct text){0};
    if (!profile_find(path, found, sizeof found, e))
        return false;
    path = profile_find_shown(path);
    const int fd = profile_find_open(found, e);
    if (fd < 0)
        return false;
    FILE *from = fdopen(fd, "r");
    if (!from || fstat(fd, &st) != 0 || st.st_size > PROFILE_FIND_BYTES_MOST) {
        if (from)
            fclose(from);
        else
            close(fd);
        error_set(e, ERROR_INPUT, "is no profile, which has at most 64 MiB, or cannot be read");
        return error_at(e, path, 0);
    }
    bool ok = load(t, from, path, e);
    fclose(from);
    if (!ok)
        return false;
    t->root = yaml_document_get_root_node(&t->document);
    if (text_of(t, t->root, "pyelfgen-profile"))
        return true;
    text_free(t);
    error_set(e, ERROR_INPUT, "is no profile: it has no key pyelfgen-profile");
    return error_at(e, path, 0);
}

void text_free(struct text *t)
{
    yaml_document_delete(&t->document);
}
