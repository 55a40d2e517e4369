/* How the debug information of one application differs from what is usual.
 *
 * The usual proportions of headers and blocks were measured on CPython's extension modules (C) and on Ipopt (C++).
 * Where an application's own proportions are known, they are used instead: what its headers declare, and how much of
 * its code was inlined or is in blocks with locals of their own. */
#ifndef DWARF_CORPUS_MANNER_H
#define DWARF_CORPUS_MANNER_H

#include <stdbool.h>
#include <stdint.h>

/* What headers of C declare besides what every unit has. */
enum manner_piece {
    PIECE_STRUCTURE,
    PIECE_TYPEDEF, /* without those that name an unnamed structure */
    PIECE_ATOMIC,
    PIECE_POINTER, /* without those to types of functions */
    PIECE_ARRAY,
    PIECE_FUNCTION_TYPE,
    PIECE_CONST,
    PIECE_VOID_CONST,
    PIECE_UNION,
    PIECE_VARIABLE,
    PIECE_ENUMERATION,
    PIECE_RESTRICT,
    PIECE_FUNCTION,
    PIECE_INCOMPLETE, /* with dialect.various only: a structure that is only declared, and a pointer to it */
    PIECE_VOLATILE,   /* the same */
    /* In Fortran only: */
    PIECE_CONSTANT, /* with a name */
    PIECE_MATRIX,
    PIECE_CHARACTERS,      /* strings of some length */
    PIECE_DESCRIBED_ARRAY, /* one that is allocated, or passed, with a descriptor */
    PIECES
};

/* What headers of C++ declare outside of namespaces, and in these. */
enum manner_outer {
    OUTER_CLASS,
    OUTER_STRUCTURE,
    OUTER_ENUMERATION,
    OUTER_UNION,
    OUTER_ARRAY,
    OUTER_FUNCTION_TYPE,
    OUTER_TYPEDEF,
    OUTER_C_FUNCTIONS,
    OUTER_DERIVED, /* types made of other types */
    OUTERS
};
enum manner_inner { INNER_CLASS, INNER_STRUCTURE, INNER_DECLARATIONS, INNER_FUNCTIONS, INNER_DERIVED, INNERS };

enum {
    MANNER_OUTER = 171, /* these two have no common factor with the steps of corpus_cpp.c */
    MANNER_INNER = 95,
    MANNER_PIECES = 377, /* a Fibonacci number (corpus_types.c) */
    MANNER_USUAL = 64,   /* the usual value: a member of struct manner that has it changes nothing */
    MANNER_TAKEN = 8 * MANNER_USUAL,
    MANNER_ENUMERATORS = 16 * MANNER_USUAL,
    MANNER_CLASS_NAMES = 300, /* the largest struct manner.class_names */
    MANNER_LOWS = 16,
    MANNER_CONSTANTS = 6 * MANNER_USUAL,
    MANNER_BITS = 1024,
};

struct manner {
    uint16_t piece[PIECES]; /* how many of MANNER_PIECES pieces are of each kind */
    uint16_t outer[OUTERS]; /* in C++: how many of MANNER_OUTER pieces outside namespaces are of each kind */
    uint16_t inner[INNERS]; /* in C++: how many of MANNER_INNER pieces in namespaces are of each kind */
    /* In C++, each in 1/MANNER_USUAL of the usual number: methods and typedefs of a class; pointers, references and
     * constants made of one; methods that are instances of templates; numbers among the arguments of such methods. */
    uint16_t methods, typedefs, derived, templates, numbers;
    uint16_t members;     /* members of a structure, union or class, in 1/MANNER_USUAL of the usual number */
    uint16_t taken;       /* C functions that namespaces of C++ import, in 1/MANNER_USUAL of the usual number, at most
                             MANNER_TAKEN */
    uint16_t enumerators; /* values of an enumeration, in 1/MANNER_USUAL of the usual number, at most
                             MANNER_ENUMERATORS */
    uint16_t bits;        /* with dialect.various: share of the members of structures that are bit fields, in
                             1/MANNER_BITS */
    uint8_t unnamed;      /* how many of five structures have no name but that of a typedef */
    uint8_t inlines;      /* functions that a header defines inline; 0: nothing is inlined */
    uint8_t of_lines;     /* the same with dialect.lines: functions that a source defines inline */
    /* Of such a function in C, on average, in 1/MANNER_USUAL of one; both are as usual if `parameters` is 0: */
    uint16_t parameters; /* from one to CORPUS_INLINE_PARAMETERS */
    uint16_t variables;  /* at most CORPUS_INLINE_VARIABLES */
    /* Calls of helpers, inlined calls and lexical blocks with locals, each in 1/MANNER_USUAL of the usual number. */
    uint16_t calls;
    uint16_t inlined;
    uint16_t lexical;
    uint8_t nested;  /* calls that are inlined into others, in 1/MANNER_USUAL of the usual number */
    uint8_t around;  /* share of inlined calls that take in the code around their run, in 1/MANNER_USUAL */
    uint16_t gone;   /* parameters and variables of inlined functions that are nowhere, in 1/MANNER_USUAL of the usual
                        number */
    uint16_t placed; /* in clang's form (indexed.h): share of these whose place is a number, in 1/MANNER_USUAL */
    uint16_t own;    /* in C: locals of a function outside blocks, in 1/MANNER_USUAL of as many as there may be */
    uint16_t told;   /* share of the constants passed together with a local that are described, in 1/MANNER_USUAL */
    uint16_t passed; /* additional arguments of a call on average, in 1/MANNER_USUAL of one argument */
    uint8_t locals;  /* most locals of a lexical block */
    uint16_t constants;   /* in Fortran: constants of a lexical block, on average, in 1/MANNER_USUAL of one, at most
                             MANNER_CONSTANTS */
    bool fortran;         /* pieces are those of Fortran */
    bool labels;          /* functions of C have labels */
    uint16_t class_names; /* in C++: mean length of the names of classes, in characters, and nearly all of these are in
                             namespaces; 0: as it comes */
    uint8_t ending; /* in C: share of calls that have no reference to a sibling, as the last one in a block has none, in
                       1/MANNER_USUAL. Such calls are not inside lexical blocks: there llvm-dwarfdump 14 --verify runs
                       for ever on one */
    uint8_t imports; /* how many units import each partial unit */
    uint8_t tables; /* share of partial units that name the line table of a unit that imports them, in 1/MANNER_USUAL */
    uint8_t brief;  /* how many of ten names of parameters and locals have three characters, and so stand in the entry
                       itself */
    uint16_t spread; /* calls that are inlined into others and spread over several ranges of these, in 1/MANNER_USUAL of
                        the usual number */
    uint16_t split;  /* ranges of a call or block beyond its first one, in 1/MANNER_USUAL of the usual number */
    bool fuller;     /* in C++: one in three inlined functions has a variable */
    bool partly;     /* many variables are known up to somewhere in their scope only, as in optimised code */
    bool far;        /* inlined calls refer to functions of another unit, as after linking with -flto */
    uint16_t names;  /* number of distinct names of parameters and locals: a power of two, at most CORPUS_NAMES */
    uint8_t further; /* in C++: additional headers, no two of which declare the same: at most CORPUS_FURTHER */
    uint8_t low; /* in C: how many of MANNER_LOWS declarations in a header have a line below 256; 0: only the first ones
                    have */
    uint8_t lows;    /* in C with partial units: share of the lines of functions, and of what is inside them, that are
                        below 256, in 1/MANNER_USUAL */
    bool shortest;   /* in C with partial units: DW_AT_high_pc is DW_FORM_udata, and units of 64 KiB and less have
                        references of two bytes, as dwz leaves them */
    uint8_t entries; /* share of .debug_info, without what every unit has, that functions' entries may take, in
                        1/MANNER_USUAL */
    uint8_t defined; /* share of entries that are defined functions or inside these, in 1/MANNER_USUAL */
};

/* The usual manner. */
struct manner manner_usual(void);

/* Sets how many pieces there are of each kind, in proportion to the weights, which are not all 0. */
void manner_share_pieces(struct manner *m, const uint64_t weight[PIECES]);
/* The same for C++. */
void manner_share_outer(struct manner *m, const uint64_t weight[OUTERS]);
void manner_share_inner(struct manner *m, const uint64_t weight[INNERS]);

/* The manner of Fortran, made from one of C; and the manner of C, made from one of Fortran. What headers declare and
 * what is inlined is as usual for the language. */
struct manner manner_fortran(struct manner m);
struct manner manner_c(struct manner m);

/* The manner of an application's small units: they have fewer names, kinds of entries and abbreviations than `m`, and
 * nothing is inlined. */
struct manner manner_terse(struct manner m);

/* Whether headers have what asks for dialect.various. */
static inline bool manner_is_various(const struct manner *m)
{
    return m->bits || m->piece[PIECE_INCOMPLETE] || m->piece[PIECE_VOLATILE];
}

/* The manner without what dialect.various adds. */
struct manner manner_plain(struct manner m);

/* The manner of an application's units with lines alone (dialect.lines): as many functions are inlined as `m` says of
 * such units. */
struct manner manner_lines(struct manner m);

#endif
