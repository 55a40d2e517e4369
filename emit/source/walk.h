/* What the parts of writing a unit's source share: source.c has the unit and its lines, function.c writes
 * functions. */
#ifndef EMIT_SOURCE_WALK_H
#define EMIT_SOURCE_WALK_H

#include "dwarf/form/entry.h"
#include "dwarf/form/line_read.h"
#include "emit/source/source.h"
#include "emit/source/text.h"

/* A text for a line other than the one that the walk is at. */
struct extra {
    uint32_t line;
    uint32_t at, size; /* in source.scratch */
};

/* The walk over a unit. */
struct source_walk {
    struct source *s;
    const struct library *l;
    const struct corpus *corpus;
    const struct debug_unit *unit;
    uint32_t number; /* of the unit */
    struct line_reader rows;
    bool in_rows;       /* the reader is at a row, and not behind the last */
    uint32_t last_line; /* the last line that has rows */
    uint32_t line;      /* the line that the text has reached */
};

/* --- source.c ----------------------------------------------------------------------- */

/* Notes that import, function or object `index` is used, so that it is declared at the beginning of the unit. */
enum used_kind { USED_IMPORT, USED_FUNCTION, USED_OBJECT, USED_KINDS };
void source_use(struct source_walk *w, enum used_kind kind, uint32_t index);

/* The name of an entry; "" where it has none. */
const char *source_name_of(const struct source_walk *w, const struct entry *e);
/* The name of a local object of the library, by its number. */
void source_put_object(struct source_walk *w, struct bytes *to, uint32_t number);

/* The line of the first row at this offset in the code; 0 where there is none. Offsets must not decrease from call to
 * call. */
uint32_t source_line_at(struct source_walk *w, uint64_t at);
/* The line of the next row behind the one that the reader is at, before `end`; 0 where there is none. */
uint32_t source_line_after(struct source_walk *w, uint64_t end);
/* Goes on to a line, unless the text is there or further already. */
void source_go_to(struct source_walk *w, uint32_t line);

/* Begins and ends a text that is put on a line of its own later (struct extra). */
size_t source_begin_extra(struct source_walk *w);
void source_end_extra(struct source_walk *w, size_t start, uint32_t line);

/* --- function.c ------------------------------------------------------------------ */

/* Writes the definition of the function with this entry, whose children stand behind it. */
void source_function(struct source_walk *w, const struct entry *e);
/* How C calls the types of arguments. */
extern const char *const source_types[ARGUMENT_TYPES];

#endif
