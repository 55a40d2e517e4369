/* What the readers of code share: code.c reads single instructions, block.c the runs and blocks that
 * consist of them. */
#ifndef EMIT_SOURCE_PARTS_H
#define EMIT_SOURCE_PARTS_H

#include "emit/source/code.h"

enum {
    PHRASE_MOST = 600,
    PHRASE_HOLE_BYTES = 3, /* of a hole in a phrase: its kind, then two bytes of its number */
};

/* Text under construction; a hole in it is PHRASE_HOLE_BYTES bytes. */
struct phrase {
    char text[PHRASE_MOST];
    uint32_t size;
    char outer; /* the outermost operator, or 0 */
};

/* What has been read of a stretch of code. */
struct reading {
    struct code_text *to;
    const uint8_t *code;
    const struct fixup *fixup; /* of a block, or NULL */
    uint32_t fixups;
    struct phrase rax, rdx, rcx, xmm0;
    struct phrase condition; /* of the next statement */
    struct phrase passed;    /* arguments of a call */
    bool rax_waits, xmm0_waits, rcx_waits;
    int32_t local[FILLER_SLOTS]; /* by slot: which local of an open scope gives the slot its name, or -1 */
    uint32_t locals;             /* how many locals the block's scopes have so far */
    uint32_t stored, stored_double;
    bool stores; /* something was stored since this was last cleared */
    uint32_t depth;
    uint32_t breaks; /* lines that the next statement takes beyond its first */
    size_t line;     /* where the text of the line begins */
};

/* --- phrases -------------------------------------------------------------------------- */

void phrase_add(struct phrase *p, const char *text);
void phrase_number(struct phrase *p, uint32_t number);
void phrase_hole(struct phrase *p, enum hole_kind kind, uint32_t number);
/* Adds the name that a slot has here. */
void phrase_slot(const struct reading *r, struct phrase *p, uint32_t slot);
struct phrase phrase_of_slot(const struct reading *r, uint32_t slot);

/* --- lines ------------------------------------------------------------------------------ */

void reading_put(struct reading *r, const struct phrase *p);
void reading_text(struct reading *r, const char *text);
bool reading_at_start(const struct reading *r);
/* Indents a line, `more` steps further than statements at this depth. */
void reading_indent(struct reading *r, uint32_t more);
void reading_end_line(struct reading *r);
/* Writes a statement that assigns `value` to `to`, on as many lines as it has (reading.breaks). */
void reading_assign(struct reading *r, const struct phrase *to, const struct phrase *value);
/* Ends a stretch of code: writes an expression that was not stored, if there is one, so that the line is not empty. */
void reading_rest(struct reading *r);

/* --- code --------------------------------------------------------------------------------- */

/* Reads the instructions in [at, end), which are all of one line. */
void reading_code(struct reading *r, uint32_t at, uint32_t end);

#endif
