/* The source that a library's debug information describes, as text.
 *
 * Sources are made after the library was written, from the composed debug
 * information: names, types and lines of declarations come from the entries, lines
 * of statements from the rows. What the statements do is read from the code
 * (code.h). So the text agrees with the debug information, however much of
 * it there is, and the code that composes that knows nothing of the text.
 *
 *     line 1     includes, declarations of what other units define
 *     line 256   functions: each declaration and each statement on its line
 */
#ifndef EMIT_SOURCE_SOURCE_H
#define EMIT_SOURCE_SOURCE_H

#include "emit/library/library.h"
#include "emit/source/code.h"

/* What one thread keeps from library to library; zeroed at first. */
struct source {
    const struct block_texts *blocks;
    const struct library *library;
    struct bytes text; /* of the last unit */
    char name[64];     /* of its file */

    struct bytes head, body;      /* the text's parts: up to line 255, and from 256 on */
    struct bytes extra;           /* struct extra: texts for lines that are out of the order of functions */
    struct bytes scratch;         /* the texts of `extra` */
    struct bytes locals, scoped;  /* of one function: declarations of locals; const char *: names in blocks */
    struct bytes used;            /* uint32_t: imports, functions and objects that the unit uses, to be declared */
    struct code_text runs;        /* text of one run at a time */
    const char *own_names;        /* names of own functions, one behind the other */
    const char **own, **imported; /* name of each own function, of each import; in `arena` */
    uint32_t *declared[3];        /* unit + 1 in which each import, function, object was last used */
    struct arena arena;
    const char *inlines[CORPUS_INLINES]; /* names in the header that the unit includes */
    uint32_t next;                       /* index of the next numbered function */
    uint8_t rows[1 << 13];               /* a bit for each line: whether it has rows */
};

/* Begins with library `l`, whose image must still be in memory; false when memory ran out. */
bool source_library(struct source *s, const struct library *l);

/* Makes the text and the name of the file of a unit. Units must come in their order. False when memory ran out. */
bool source_unit(struct source *s, uint32_t unit);

void source_free(struct source *s);

#endif
