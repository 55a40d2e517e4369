/* See sources.h. */
#include "emit/set/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/workers.h"
#include "emit/set/ours.h"
#include "emit/set/text_file.h"
#include "emit/source/header.h"

enum { PATH_MOST = 600 };

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for the sources");
}

/* Opens the directory, which is made if it is not there. */
static bool open_directory(int within, const char *name, const char *path, int *directory, struct error *e)
{
    *directory = -1;
    if (mkdirat(within, name, 0777) == 0 || errno == EEXIST)
        *directory = openat(within, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *directory >= 0 || error_errno(e, path, "cannot make the directory");
}

static bool write_file(struct sources *s, int directory, const char *within, const char *name, const struct bytes *text,
                       struct error *e)
{
    char path[PATH_MOST];
    char part[sizeof SOURCES_DIRECTORY SOURCES_INCLUDE + 130];
    snprintf(part, sizeof part, SOURCES_DIRECTORY "/%s%s", within, name);
    snprintf(path, sizeof path, "%s/%s", s->set->path, part);
    pthread_mutex_lock(&s->lock);
    bytes_string(&s->written, part);
    pthread_mutex_unlock(&s->lock);
    return text_file_write(s->set, directory, name, path, text, e);
}

/* Refuses to overwrite others' files under names of headers. tidy.h knows the names of units' sources, but not those of
 * headers. */
static bool refuse_foreign(const struct sources *s, const char *name, struct error *e)
{
    char path[PATH_MOST];
    enum ours found;
    snprintf(path, sizeof path, "%s/" SOURCES_DIRECTORY "/" SOURCES_INCLUDE "/%s", s->set->path, name);
    if (!ours_look(s->include, name, OURS_SOURCE, &found))
        return error_errno(e, path, "cannot tell whether the file is of a set");
    if (!ours_is_not(found))
        return true;
    error_set(e, ERROR_USAGE,
              found == OURS_CLOSED ? "has the name of a header of the set, and may not be read; remove it"
                                   : "is not of a set, but has the name of one of its headers; remove it");
    return error_at(e, path, 0);
}

static const char *header_name(const struct corpus *c, uint32_t header)
{
    return (const char *)c->line_strings.data + c->header[header].file;
}

/* All names are looked at before the first header is written: nothing changes in a set that is refused. */
static bool write_headers(struct sources *s, const struct stock *stock, const struct corpus *c, struct error *e)
{
    struct bytes text = {.data = NULL};
    bool ok = true;
    for (uint32_t h = 0; h < c->headers && ok; h++)
        ok = refuse_foreign(s, header_name(c, h), e);
    for (uint32_t h = 0; h < c->headers && ok; h++) {
        ok = header_text(&text, c, &stock->blocks, h) || no_memory(e);
        ok = ok && write_file(s, s->include, SOURCES_INCLUDE "/", header_name(c, h), &text, e);
    }
    bytes_free(&text);
    return ok;
}

/* Writes all headers that line tables may name. Where types have units of their own, the headers are read from a corpus
 * without type units, which has the same declarations on the same lines. */
static bool make_headers(struct sources *s, const struct stock *stock, struct error *e)
{
    struct dialect dialect = stock->corpus.dialect;
    if (!dialect.type_units && stock->corpus.made == stock->corpus.headers)
        return write_headers(s, stock, &stock->corpus, e);
    dialect.type_units = false;
    struct corpus *whole = malloc(sizeof *whole); /* 64 kB, more than small stacks have to spare */
    const bool made = whole && corpus_make(whole, dialect, &stock->corpus.manner, stock->seed);
    const bool ok = made ? write_headers(s, stock, whole, e) : no_memory(e);
    if (made)
        corpus_free(whole);
    free(whole);
    return ok;
}

bool sources_begin(struct sources *s, struct directory *set, const struct stock *stock, enum sources_part part,
                   struct error *e)
{
    s->set = set;
    s->directory = s->include = -1;
    pthread_mutex_init(&s->lock, NULL);
    s->source = calloc(WORKERS_MOST, sizeof *s->source);
    if (!s->source || !block_texts_make(&s->blocks, &stock->blocks, &stock->filler, &stock->corpus))
        return no_memory(e);
    for (unsigned i = 0; i < WORKERS_MOST; i++)
        s->source[i].blocks = &s->blocks;
    char within[PATH_MOST];
    snprintf(within, sizeof within, "%s/" SOURCES_DIRECTORY, set->path);
    return open_directory(set->fd, SOURCES_DIRECTORY, within, &s->directory, e) &&
           open_directory(s->directory, SOURCES_INCLUDE, within, &s->include, e) &&
           (part == SOURCES_WITHOUT_HEADERS || make_headers(s, stock, e));
}

bool sources_write(struct sources *s, unsigned worker, const struct library *l, struct error *e)
{
    struct source *source = &s->source[worker];
    if (!source_library(source, l))
        return no_memory(e);
    for (uint32_t i = 0; i < l->debug.unit_count; i++) {
        if (!source_unit(source, i))
            return no_memory(e);
        if (!write_file(s, s->directory, "", source->name, &source->text, e))
            return false;
    }
    return true;
}

void sources_free(struct sources *s)
{
    for (unsigned i = 0; s->source && i < WORKERS_MOST; i++)
        source_free(&s->source[i]);
    free(s->source);
    s->source = NULL;
    block_texts_free(&s->blocks);
    bytes_free(&s->written);
    if (s->set)
        pthread_mutex_destroy(&s->lock);
    if (s->set && s->include >= 0)
        close(s->include);
    if (s->set && s->directory >= 0)
        close(s->directory);
}
