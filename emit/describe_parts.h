/* What the parts of describing share: the walk (describe.c), its units (describe_unit.c), how much is told
 * (describe_detail.c), the last bytes (describe_tune.c). */
#ifndef EMIT_DESCRIBE_PARTS_H
#define EMIT_DESCRIBE_PARTS_H

#include "base/words.h"
#include "emit/describe.h"

/* One amount that is kept near its goal while the walk goes over the code. */
struct pace {
    uint64_t rate;  /* bytes for each byte of code, times 2^20 */
    uint64_t start; /* bytes that are there anyway */
};

/* The class that functions are members of (describe_class.c). */
struct class_walk {
    uint32_t scope_name, class_name; /* places of names; 0: none yet */
    uint32_t named;                  /* the number of the class */
    uint32_t unit;                   /* that has declared it last */
    uint32_t name[MANGLE_METHODS], linkage_name[MANGLE_METHODS];
    uint32_t place[MANGLE_METHODS];      /* of declarations, in that unit */
    uint32_t method_name[WORDS_METHODS]; /* of all that have come up */
    uint32_t text_length;
    char text[NAME_PREFIX_MOST + MANGLE_CLASS_MOST + WORDS_METHOD_MOST + 32]; /* "library::Class::", a method */
};

/* The walk. */
struct walk {
    struct library *l;
    const struct corpus *corpus;
    const struct filler *filler;
    enum describe_level level;
    const struct describe_goal *goal;
    bool is_plain; /* see plain_is_told */
    struct pace info, line, lists, ranges;
    uint64_t code;        /* bytes, for which the paces are */
    struct pace names;    /* of variables, among the library's own (describe_plain.c) */
    uint32_t variables;   /* that have such a name */
    uint32_t inner_rows;  /* rows inside of statements that might have been, in the function */
    uint64_t line_header; /* bytes of a unit's */
    struct composer composer;
    bool has_objects;   /* they have been told */
    uint32_t units;     /* opened so far */
    uint32_t unit_rest; /* functions that the open one still takes */
    uint32_t line_number;
    uint32_t ahead; /* the next function begins behind this line */
    uint64_t end;   /* of the last function, offset */
    uint64_t name;  /* offset of the next numbered function's name */
    uint32_t helper_name[SHAPE_HELPERS];
    uint32_t helper[SHAPE_HELPERS];              /* their entries in the open unit, or COMPOSE_UNKNOWN */
    uint32_t lists_kind, ranges_kind, rows_kind; /* of the stamps that were put last */
    struct class_walk classes;
};

enum { NO_LABEL = UINT32_MAX };

/* One function, as the walk over it goes on. */
struct subject {
    const struct body *body;
    const struct function *f;
    struct code_parameter *parameter; /* of ARGUMENTS_MOST */
    uint32_t index;
    uint64_t start, end; /* offsets in the code */
    uint64_t at;         /* where the walk is */
    uint32_t name, step; /* the next variable's name, and an odd step to the one after */
    uint32_t shortest;   /* so many names of one or two characters */
    uint32_t line;
    uint32_t label, label_piece;                              /* which label stands before that piece, */
    uint32_t last_label;                                      /* and before the end; NO_LABEL: none */
    enum { SUBJECT_RICH, SUBJECT_PLAIN, SUBJECT_LEAN } level; /* plain: no blocks, no calls */
    /* which of its own variables have lists; spilled: parameters, with the registers that they come in */
    enum { SUBJECT_LISTS_NONE, SUBJECT_LISTS_SPILLED, SUBJECT_LISTS_ALL } lists;
};

/* describe_plain.c: the next name of goal.letters characters, or of one more when all of these have been. */
uint32_t plain_name(const struct walk *w, struct subject *s);

static inline uint32_t subject_name(const struct walk *w, struct subject *s)
{
    uint32_t name = w->corpus->name[s->name % CORPUS_NAMES];
    s->name += s->step;
    return w->goal->letters && short_name_is(name) ? plain_name(w, s) : name;
}

/* The type of a function's argument. */
enum base_type describe_type(enum argument_type type);

/* describe_unit.c: bytes that are reserved for a function, and lines of the source, at most. */
struct describe_room {
    uint64_t info, lists, ranges, rows;
    uint64_t lines;
};
/* Makes room for a function whose code begins at `offset`, in a unit that still takes one. False when memory ran out.
 */
bool describe_begin(struct walk *w, uint64_t offset, const struct describe_room *room);
/* Ends the function that was begun last, whose code ends there. */
void describe_end(struct walk *w, uint64_t end);
void describe_unit_end(struct walk *w);
/* Whether no function that begins up to `lines` further on is taken into the unit. */
static inline bool describe_unit_is_full(const struct walk *w, uint32_t lines)
{
    return !w->unit_rest || w->line_number + lines > DEBUG_LINE_MOST - 4096;
}
/* Sees to it that the unit has an entry of this helper: where it is called first, it is declared. */
void describe_helper(struct walk *w, uint32_t number);
/* Appends a name to the library's own; returns its offset in .debug_str. */
uint32_t describe_name(struct library *l, const char *prefix, const char *suffix);

/* A parameter that is in a register until it is spilled to a place where it stays. */
struct describe_spill {
    uint64_t start, spilled, end;
    uint32_t reg; /* DWARF's number */
    int32_t place;
};
/* Debuggers stop where a function begins if any variable of its unit has a list (gdb's COMPUNIT_LOCATIONS_VALID): there
 * nothing is spilled yet. */
static inline void describe_spilled(struct walk *w, const struct debug_variable *v, const struct describe_spill *s)
{
    struct composer *c = &w->composer;
    compose_list_begin(c, s->start);
    compose_list_register(c, s->start, s->spilled, s->reg);
    compose_list_frame(c, s->spilled, s->end, s->place);
    compose_parameter_list(c, v, compose_list_end(c));
}

/* describe_glue.c: tells of one of the functions without a number, if it is there. False when memory ran out. */
bool describe_glue(struct walk *w, enum glue_function which);

/* describe_class.c: says of function `index`, whose turn it is, where it is declared as
 * a method and what it is called; where the unit does not declare it yet, that is
 * written. */
void class_declare(struct walk *w, uint32_t index, struct debug_function *f);
/* Bytes that this takes at most. */
uint64_t class_room(const struct walk *w);

/* describe_detail.c: sets the paces for the goal, whose sections have a header for
 * each unit. */
void detail_start(struct walk *w);
/* Whether a function that ends there has lists, if only of its parameters. */
bool detail_has_lists(const struct walk *w, uint64_t end);
/* How a function that begins here is told. */
void detail_function(const struct walk *w, struct subject *s);
/* Of a block at s->at: which stamp; which rows. */
const struct stamp *detail_stamp(struct walk *w, const struct subject *s, const struct block *block);
const struct stamp_rows *detail_rows(struct walk *w, const struct subject *s, const struct block *block);
/* Has the blocks of the functions behind this one be read ahead, with such stamps as were put last. */
void detail_fetch(const struct walk *w, uint32_t index);

/* Whether functions' entries, whose size is wanted, are more than they should be where the function
 * ends. */
bool detail_info_ahead(const struct walk *w, const struct subject *s);
/* Of what blocks may say of lists they say so many DESCRIBE_EXPRESSION_PARTS: all, but where there are to be more
 * entries than theirs are. */
uint32_t detail_lists_part(const struct walk *w);
/* Where a pace is when so much code is described. */
uint64_t detail_pace_at(const struct pace *p, uint64_t code);

/* describe_plain.c: whether the library's row says that there are no location lists; and all locals of a
 * function there. */
static inline bool plain_is_told(const struct walk *w)
{
    return w->is_plain;
}
void plain_locals(struct walk *w, struct subject *s);
/* There: how many bytes of .debug_str such names may take. */
uint64_t plain_names(const struct walk *w);
/* The column of a line's statement; and whether an instruction within one has a row. */
uint32_t plain_column(uint32_t line);
bool plain_has_row(struct walk *w, uint64_t at);
/* There: a row with a column and, where the table is behind its pace, a discriminator; those of a piece of code at
 * s->at, from the walk's line on. */
void plain_row(struct walk *w, uint64_t at, uint32_t line, uint32_t column);
void plain_block(struct walk *w, const struct subject *s, const struct block *block);
void plain_run(struct walk *w, const struct subject *s, uint32_t first, uint32_t last);
/* Bytes of entries that this takes of a function at most. */
uint64_t plain_room(const struct walk *w);

/* describe_more.c: where lists and ranges are behind their pace, tells of a function, whose
 * entries are all written, further locals and blocks; of the last one all that there is to be. */
void more(struct walk *w, struct subject *s, bool last);
/* The same of rows, at s->at, where a block begins that ends at `end` and has `most` bytes of
 * rows of its own. */
void more_rows(struct walk *w, const struct subject *s, uint64_t end, uint64_t most);
/* Whether there are more rows already than there should be up to `end`; or fewer, by some bytes. */
bool more_rows_ahead(const struct walk *w, uint64_t end);
bool more_rows_behind(const struct walk *w, uint64_t end);
/* Numbers that are added to what an expression has found, in so many bytes, from 2. */
uint8_t *more_put_numbers(uint8_t *p, uint32_t bytes, uint64_t variety);
/* Bytes that this takes at most of a function that ends at `end`. */
struct more_room {
    uint64_t info, lists, ranges, rows;
};
struct more_room more_room(const struct walk *w, uint64_t end);

/* describe_tune.c: borders of instructions from the prologue's end to the first piece. */
enum { TUNE_BORDERS_MOST = 12 };
uint32_t tune_borders(const struct subject *s, uint64_t *border);
/* Tells of the last function, whose entries are all written, what makes lists, ranges and rows
 * as long as they are wanted, if that can be. Lists are of locals at these places of the frame, whose displacement from
 * %rbp takes a byte, from border to border. */
enum { TUNE_PLACES = 2 };
uint64_t tune_lists_left(const struct walk *w); /* bytes; 0 where any size will do */
void tune_lists(struct walk *w, struct subject *s, const uint64_t *border, uint32_t borders,
                const int32_t place[TUNE_PLACES]);
void tune_ranges(struct walk *w, struct subject *s);
void tune_rows(struct walk *w, uint64_t end);
/* Bytes of line tables that units of data will have, about. */
uint64_t tune_data_headers(const struct walk *w);
/* Bytes that this takes of each at most. */
uint64_t tune_room(const struct walk *w);

#endif
