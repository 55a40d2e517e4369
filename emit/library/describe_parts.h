/* What the describe_*.c files share. describe.c walks over the code, describe_unit.c opens and closes units,
 * describe_detail.c chooses how much is written, describe_more.c adds to what blocks bring, describe_tune.c adds the
 * last bytes. */
#ifndef EMIT_LIBRARY_DESCRIBE_PARTS_H
#define EMIT_LIBRARY_DESCRIBE_PARTS_H

#include "base/shares.h"
#include "base/words.h"
#include "emit/library/describe.h"

/* How many bytes of one kind should have been written at each point of the walk over the code, so that the goal is met
 * at the end of the walk. */
struct pace {
    uint64_t rate;  /* bytes to write for each byte of code, times 2^20 */
    uint64_t start; /* bytes that are written before any code is described */
};

/* The class of the functions that the walk is at (describe_class.c). */
struct class_walk {
    uint32_t scope_name, class_name; /* offsets of these names in .debug_str; 0: none yet */
    uint32_t named;                  /* the number of the class */
    uint32_t unit;                   /* the unit that has declared it last */
    uint32_t name[MANGLE_METHODS], linkage_name[MANGLE_METHODS];
    uint32_t place[MANGLE_METHODS];      /* of the methods' declarations in `unit` */
    uint32_t method_name[WORDS_METHODS]; /* offset of each method name in .debug_str; 0: not used yet */
    uint32_t text_length;
    char text[NAME_PREFIX_MOST + MANGLE_CLASS_MOST + WORDS_METHOD_MOST + 32]; /* "library::Class::", a method */
};

/* The state of the walk over a library's code. */
struct walk {
    struct library *l;
    const struct corpus *corpus;
    const struct filler *filler;
    enum describe_level level;
    const struct describe_goal *goal;
    bool is_plain; /* see plain_is_told */
    struct pace info, line, lists, ranges;
    struct pace in_calls;     /* code in inlined calls; nothing where the row does not say how much */
    struct pace entry_values; /* of location lists' entries, how many are of this kind */
    uint64_t code;            /* bytes of code that the walk covers in all, without cold parts */
    uint64_t code_all;        /* the same with cold parts, where these are described */
    uint64_t apart;           /* bytes of cold parts of the functions so far */
    uint32_t cold;            /* how many cold parts these are */
    uint32_t parted_most;     /* how many units may have cold parts that are described; those are units of at least */
    uint64_t parted_weight;   /* this weight, */
    uint32_t parted_rest;     /* and of the units of just that weight this many more */
    bool parted;              /* some unit has */
    uint32_t parted_unit;     /* up to this one it is known which units are of these; */
    uint32_t parted_spare;    /* so many of these have no part, and leave their place to others; */
    bool parted_may;          /* whether the last one may have parts */
    uint64_t rows_before;     /* rows of small functions, which are described first, */
    uint64_t defined_before;  /* and entries of these */
    uint64_t rows_due;        /* bytes that rows of a cold part will take, which are not written yet */
    uint64_t besides;         /* bytes of entries of further locals (goal->besides) */
    struct pace names;        /* of the variables' names among the library's own (describe_plain.c) */
    uint32_t variables;       /* how many variables have a name of the library's own */
    uint32_t inlined;         /* inlined calls so far, with lines alone */
    uint32_t inner_rows;      /* instructions inside statements so far; only a part of them gets rows (plain_has_row) */
    bool skips;               /* some statements have no row of their own (describe_plain.c) */
    uint64_t line_header;     /* bytes of the line table's header of a unit */
    struct composer composer;
    bool has_objects;     /* the library's objects have been described */
    uint32_t units;       /* units opened so far */
    uint32_t unit_rest;   /* how many more functions go into the open unit */
    uint64_t told;        /* functions begun so far */
    struct shares shares; /* the units' shares of the code, if the row says how many units there are; else zero */
    uint64_t unit_until;  /* with `shares`: offset in the code at which the open unit should end */
    uint32_t line_number;
    uint64_t lines, low_lines; /* lines of functions in the complete units, and how many of these are below 256 */
    uint32_t first_line;       /* of the open unit's functions */
    uint32_t ahead; /* the rows of blocks may name lines up to this one, so the next function begins behind it */
    uint64_t end;   /* end of the last function, offset in the code */
    uint64_t name;  /* offset of the next numbered function's name */
    uint32_t helper_name[SHAPE_HELPERS];
    uint32_t helper[SHAPE_HELPERS];              /* places of their entries in the open unit, or COMPOSE_UNKNOWN */
    uint32_t lists_kind, ranges_kind, rows_kind; /* kinds of stamps and rows chosen last, for detail_fetch */
    struct class_walk classes;
};

enum { NO_LABEL = UINT32_MAX };

/* The function that the walk is in. */
struct subject {
    const struct body *body;
    struct frame frame;
    const struct function *f;
    struct code_parameter *parameter; /* array of ARGUMENTS_MOST */
    uint32_t index;
    uint64_t start, end;     /* offsets in the code */
    uint64_t at;             /* where the walk is */
    uint64_t part, part_end; /* the function's cold part, below 0; equal: it is not described, or there is none */
    uint32_t name, step;     /* index of the next variable's name in corpus.name; odd step to the one after it */
    uint32_t shortest;       /* how many of its variables have a name of plain_name so far */
    uint32_t line;
    uint32_t label, label_piece; /* number of the label before piece `label_piece`; NO_LABEL: none */
    uint32_t last_label;         /* number of the label before the function's end; NO_LABEL: none */
    uint32_t stretches;          /* how many of its pieces are in inlined calls of their own (describe_inlined.c) */
    enum { SUBJECT_RICH, SUBJECT_PLAIN, SUBJECT_LEAN } level; /* plain: without blocks and calls; lean: DESCRIBE_LEAN */
    /* Which variables outside blocks have location lists. Spilled: parameters alone, with two entries: the register
     * that they arrive in and the slot. */
    enum { SUBJECT_LISTS_NONE, SUBJECT_LISTS_SPILLED, SUBJECT_LISTS_ALL } lists;
};

/* describe_plain.c: the function's next name, of goal.letters characters. When all names of one letter are used, the
 * next have two characters. */
uint32_t plain_name(const struct walk *w, struct subject *s);

static inline uint32_t subject_name(const struct walk *w, struct subject *s)
{
    uint32_t name = w->corpus->name[s->name % CORPUS_NAMES];
    s->name += s->step;
    return w->goal->letters && short_name_is(name) ? plain_name(w, s) : name;
}

/* How debug information describes the type of a function's argument. */
enum base_type describe_type(enum argument_type type);

/* Whether an argument of the function is an integer or an address. */
static inline bool describe_passes_integers(const struct function *f)
{
    for (uint32_t j = 0; j < f->count; j++)
        if (f->type[j] != TYPE_FLOAT && f->type[j] != TYPE_DOUBLE)
            return true;
    return false;
}

/* describe_unit.c: the weight by which a unit gets its share of the code. */
uint64_t describe_weight(const struct walk *w, uint32_t unit);

/* describe_passed.c: describes the call in piece `piece`, which passes words on the stack and ends at s->at. Entries
 * that this takes at most; bit i: one of the function's pieces calls helper i like that. */
enum { PASSED_ENTRIES = 3 + CODE_WORDS_MOST };
void passed_describe(struct walk *w, const struct subject *s, uint32_t piece);
uint32_t passed_helpers(const struct walk *w, const struct subject *s);

/* Ends the entry of a call, as compose_end_child does, with a reference to its sibling or, as often as the manner says,
 * without one. `r`: a random number. */
void describe_call_end(struct walk *w, uint64_t r, uint8_t *begin, uint8_t *sibling);

/* describe_inlined.c: describes the code [from, to) as an inlined call on a line of the source, whose parameters and
 * variables are nowhere. */
void describe_inlined(struct walk *w, uint32_t inlined, uint32_t line, uint64_t from, uint64_t to);
/* Pieces of a function that are together one inlined call. */
struct inlined_stretch {
    uint32_t inlined; /* the function of the header */
    uint32_t rest;    /* how many pieces are still to come; 0: there is no such call */
    uint32_t line;    /* of the call */
    uint32_t lines;   /* of the header's function, so far */
    uint64_t from;
};
/* Whether the piece at s->at is in an inlined call, which may begin with it. inlined_piece writes its rows, and, where
 * the call ends behind it, the call. inlined_room: bytes of entries that a function's calls take at most. */
bool inlined_takes(struct walk *w, const struct subject *s, struct inlined_stretch *t);
void inlined_piece(struct walk *w, struct subject *s, struct inlined_stretch *t, const struct piece *piece,
                   bool is_last);
uint64_t inlined_room(const struct walk *w, const struct body *b);
/* describe_unit.c: upper bounds of what one function takes: bytes of each kind, and lines of the source. */
struct describe_room {
    uint64_t info, lists, ranges, rows;
    uint64_t lines;
};
/* Makes room for a function whose code begins at `offset`. Opens a new unit if the open one is full. False when memory
 * ran out. */
bool describe_begin(struct walk *w, uint64_t offset, const struct describe_room *room);
/* Opens a unit whose code begins at this offset; describe_unit_end closes it. describe_unit_shared: sets how many
 * functions it has, too. False when memory ran out. */
bool describe_unit(struct walk *w, uint64_t offset);
bool describe_unit_shared(struct walk *w, uint64_t offset);
/* Ends the function begun last, whose code ends at `end`. */
void describe_end(struct walk *w, uint64_t end);
void describe_unit_end(struct walk *w);
/* Whether the open unit, whose code ends at `end`, is to take no further function, where that may take `lines`
 * lines. */
static inline bool describe_unit_is_full(const struct walk *w, uint32_t lines, uint64_t end)
{
    const bool has_code = w->shares.weights && end >= w->unit_until;
    return !w->unit_rest || has_code || w->line_number + lines > DEBUG_LINE_MOST - 4096;
}
/* Declares the helper in the open unit, unless it has been declared there. */
void describe_helper(struct walk *w, uint32_t number);
/* Append a name to the library's own, the second one `length` characters of a text; return its offset in
 * .debug_str. */
uint32_t describe_name(struct library *l, const char *prefix, const char *suffix);
uint32_t describe_word(struct library *l, const char *text, uint32_t length);

/* describe_detail.c: how many entries of location lists in a function that ends at `end` are still to say what a
 * parameter was when the function was called. */
uint64_t detail_entry_values_due(const struct walk *w, uint64_t end);

/* Whether an entry of the list of a parameter that came in register `reg` is to say just that, because it is an integer
 * or an address, and more than `later` such entries are due. */
static inline bool describe_is_held(const struct walk *w, uint32_t reg, uint64_t end, uint64_t later)
{
    enum { REGISTERS = 16 };
    return w->goal->entry_values && reg < REGISTERS && detail_entry_values_due(w, end) > later;
}

/* Adds such an entry or, if it is not to be, one of the parameter's place in the frame. Nothing stores anything else
 * there, so both are true. */
static inline void describe_kept(struct walk *w, uint64_t from, uint64_t to, uint32_t reg, int32_t place, uint64_t end,
                                 uint64_t later)
{
    if (describe_is_held(w, reg, end, later))
        compose_list_entry_value(&w->composer, from, to, reg);
    else
        compose_list_frame(&w->composer, from, to, place);
}

/* Where a parameter is: in register `reg` in [start, spilled), at `place` in the frame in [spilled, end) and [part,
 * part_end). Code offsets. */
struct describe_spill {
    uint64_t start, spilled, end;
    uint64_t part, part_end; /* also [part, part_end) */
    uint32_t reg;            /* DWARF's number */
    int32_t place;           /* from the CFA */
};
/* Describes such a parameter by a location list. It needs a list, because if any variable of the unit has one,
 * debuggers stop at a function's first instruction, where nothing is spilled yet (gdb's COMPUNIT_LOCATIONS_VALID). */
static inline void describe_spilled(struct walk *w, const struct debug_variable *v, const struct describe_spill *s)
{
    struct composer *c = &w->composer;
    compose_list_begin(c, s->start);
    compose_list_register(c, s->start, s->spilled, s->reg);
    describe_kept(w, s->spilled, s->end, s->reg, s->place, s->end, 0);
    compose_list_elsewhere(c, s->part, s->part_end, s->place);
    compose_parameter_list(c, v, compose_list_end(c));
}

/* describe_glue.c: describes a function of the glue, if the library has it. False when memory ran out. */
bool describe_glue(struct walk *w, enum glue_function which);

/* describe_small.c: describes small functions, in units of their own, before any other code. False when memory ran
 * out. */
bool small_describe(struct walk *w);

/* describe_class.c: sets in `f` the place of the declaration of function `index` as a method, and its names; where
 * functions are no methods, the place is COMPOSE_UNKNOWN. If the open unit has no such declaration yet, writes it
 * first. Call for all functions in order. */
void class_declare(struct walk *w, uint32_t index, struct debug_function *f);
/* The name of the namespace, among the library's own. */
uint32_t class_scope_name(struct walk *w);
/* With lines alone, the bytes of the names, besides those of symbols, that class_declare adds for all functions. */
uint64_t class_names_of_lines(const struct walk *w);
/* Bytes that class_declare takes at most. */
uint64_t class_room(const struct walk *w);

/* describe_detail.c: bytes of entries written so far, without those of further locals (goal->besides). */
uint64_t detail_info_written(const struct walk *w);
/* describe_detail.c: sets the paces from the goal, less the bytes of the units' headers and what is written already. */
void detail_start(struct walk *w);
/* Whether a function that ends at `end` gets location lists, at least for its parameters. */
bool detail_has_lists(const struct walk *w, uint64_t end);
/* Sets s->level and s->lists of a function that begins at s->start. */
void detail_function(const struct walk *w, struct subject *s);
/* Choose the stamp, or the rows, of a block at s->at. */
const struct stamp *detail_stamp(struct walk *w, const struct subject *s, const struct block *block);
const struct stamp_rows *detail_rows(struct walk *w, const struct subject *s, const struct block *block);
/* Prefetches the blocks of the functions behind `index`, with the kinds of stamps that were chosen last. */
void detail_fetch(const struct walk *w, uint32_t index);

/* Whether entries have more bytes already than they should have at the function's end. Always false where no size of
 * .debug_info is wanted. */
bool detail_info_ahead(const struct walk *w, const struct subject *s);
/* Whether they have fewer. Always false where no size is wanted, too. */
bool detail_info_behind(const struct walk *w, const struct subject *s);
/* Adds an entry to the open location list. Its place is one of the registers that functions save. */
void detail_register_entry(struct walk *w, uint64_t from, uint64_t to, uint32_t number);
/* Share of the blocks' location lists that is written, in 1/DESCRIBE_EXPRESSION_PARTS. It is less than all where more
 * entries are wanted than these lists have. */
uint32_t detail_lists_part(const struct walk *w);
/* Bytes that should have been written when `code` bytes of code are described, and the cold parts of its functions. */
uint64_t detail_pace_at(const struct walk *w, const struct pace *p, uint64_t code);
/* Bytes of rows that are written so far, with those of cold parts; bytes that the rows of so much code should take. */
uint64_t detail_rows_written(const struct walk *w);
uint64_t detail_rows_for(const struct walk *w, uint64_t code);

/* describe_cold.c, in the order of use:
 *
 *     cold_units      before the walk: which units may have parts
 *     cold_size       bytes of the part of the function that comes next; 0: it has none, or none is described
 *     cold_room       bytes of entries that a function's part takes at most
 *     cold_begin      the walk comes to the function: whether its part, if it has one, is described
 *     cold_helpers    declares what the part calls
 *     cold_describe   the part's rows, which name lines of the function so far, its calls, and inlined calls in it
 *
 * Those that return a bool return false when memory ran out. */
bool cold_units(struct walk *w);
uint32_t cold_size(const struct walk *w, const struct body *b);
uint64_t cold_room(const struct walk *w, const struct body *b);
void cold_begin(struct walk *w, struct subject *s);
void cold_helpers(struct walk *w, const struct subject *s);
bool cold_describe(struct walk *w, struct subject *s);
/* Bytes of lists and ranges that a function takes at most because of its cold part. */
enum {
    COLD_LISTS_MOST = ARGUMENTS_MOST * (COMPOSE_BASE_MOST + COMPOSE_ENTRY_MOST),
    COLD_RANGES_MOST = COMPOSE_LIST_MOST + 2 * COMPOSE_ENTRY_MOST
};

/* describe_plain.c: whether the library's row says that it has no location lists, as code compiled without
 * optimisation. */
static inline bool plain_is_told(const struct walk *w)
{
    return w->is_plain;
}
/* Describes all locals of a function of such a library. plain_room: bytes of entries that it writes at most. */
void plain_locals(struct walk *w, struct subject *s);
uint64_t plain_room(const struct walk *w);
/* How many bytes of .debug_str may go to variables' names that are the library's own; 0 in other libraries. */
uint64_t plain_names(const struct walk *w);
/* The column of the statement that begins on a line; whether an instruction inside a statement has a row. */
uint32_t plain_column(uint32_t line);
bool plain_has_row(struct walk *w, uint64_t at);
/* Write rows without stamps. plain_row: one row with a column and, where the line table is behind its pace, a
 * discriminator. plain_piece: the rows of the piece at s->at, none of which is of a line behind `most`; returns how
 * many lines there are behind the first. */
struct plain_lines {
    uint32_t first, most;
};
void plain_row(struct walk *w, uint64_t at, uint32_t line, uint32_t column);
uint32_t plain_piece(struct walk *w, const struct subject *s, const struct piece *piece,
                     const struct plain_lines *lines);
/* describe_lines.c: whether units have lines alone. */
static inline bool lines_are_told(const struct walk *w)
{
    return w->corpus->dialect.lines;
}
/* Where the first of a function's inlined calls begins: behind the prologue. */
static inline uint64_t lines_first(const struct walk *w, const struct subject *s)
{
    return s->start + plan_landing(w->l->row) + frame_prologue_size(s->frame);
}
/* Describes inlined calls, behind each other, as far as there are too few entries of functions. */
void lines_inlined(struct walk *w, const struct subject *s, bool last);
/* Bytes of entries that it writes at most. */
uint64_t lines_room(const struct walk *w);
/* lines_ranges begins an inlined call with a range list, whose first range begins at code offset `from`. It has to have
 * another one inside: lines_innermost describes, with lines alone, the code between the first two borders as one. */
void lines_innermost(struct walk *w, const struct subject *s, const uint64_t *border);
void lines_ranges(struct walk *w, const struct subject *s, uint64_t from, uint32_t list);

/* describe_more.c: adds locals and blocks to the function, behind its other entries, where lists or ranges are behind
 * their pace, and rows. For the last function of the library it adds everything that is still missing. */
void more(struct walk *w, struct subject *s, bool last);
/* How many ranges the blocks with ranges have at most that `more` adds to the function, with lines alone; 0: it adds
 * none, unless the function is the last. They are the first ones between borders. */
uint32_t more_ranges_due(const struct walk *w, const struct subject *s);
/* Sets border[] to borders between instructions in the function's beginning and between its pieces. Returns how many
 * there are. */
enum { MORE_BORDERS_MOST = 48 };
uint32_t more_borders(const struct walk *w, const struct subject *s, uint64_t border[MORE_BORDERS_MOST]);
/* Begins the last block inside the function or block that is open, with this range list, which begins at code offset
 * `from`, and a local in this slot. Where units have lines alone, it is an inlined call without a local. */
void more_block(struct walk *w, struct subject *s, uint64_t from, uint32_t list, uint32_t slot);
/* Adds rows at s->at where the line table is behind its pace. A block that ends at `end` begins there; its own rows
 * will take up to `most` bytes. */
void more_rows(struct walk *w, const struct subject *s, uint64_t end, uint64_t most);
/* Whether the line table has more bytes already than it should have at `end`, or far more; whether it has fewer by more
 * than one row. */
bool more_rows_ahead(const struct walk *w, uint64_t end);
bool more_rows_far_ahead(const struct walk *w, uint64_t end);
bool more_rows_behind(const struct walk *w, uint64_t end);
/* Whether the line table has so few bytes that all instructions of a piece at s->at may have rows. */
bool more_rows_lag(const struct walk *w, const struct subject *s, const struct piece *piece);
/* Whether a row at code offset `at` has neither column nor discriminator, so that there are as many rows as wanted. */
bool more_row_is_short(const struct walk *w, uint64_t at);
/* Writes additions of numbers (DW_OP_plus_uconst) that take exactly `bytes` bytes of an expression, which are 2 or
 * more. */
uint8_t *more_put_numbers(uint8_t *p, uint32_t bytes, uint64_t variety);
/* Bytes that `more` and more_rows write at most for a function that ends at `end`. */
struct more_room {
    uint64_t info, lists, ranges, rows;
};
struct more_room more_room(const struct walk *w, uint64_t end);

/* describe_tune.c: sets border[] to code offsets of borders between instructions, from the prologue's end to the first
 * piece. Returns how many there are. */
enum { TUNE_BORDERS_MOST = 12 };
uint32_t tune_borders(const struct walk *w, const struct subject *s, uint64_t *border);
/* Add to the last function, behind its other entries, what makes lists, ranges and rows exactly as long as wanted, if
 * possible. The lists are of locals in two places of the frame, whose displacements from %rbp take one byte; each entry
 * covers the code between two neighbouring borders. */
enum { TUNE_PLACES = 2 };
uint64_t tune_lists_left(const struct walk *w); /* bytes of lists that are still missing; 0 where any size will do */
void tune_lists(struct walk *w, struct subject *s, const uint64_t *border, uint32_t borders,
                const int32_t place[TUNE_PLACES]);
void tune_ranges(struct walk *w, struct subject *s);
void tune_rows(struct walk *w, uint64_t end);
/* Estimate of the bytes that the line tables of units without code will take. */
uint64_t tune_data_headers(const struct walk *w);
/* Bytes of each kind that the tune_ functions write at most. */
uint64_t tune_room(const struct walk *w);

#endif
