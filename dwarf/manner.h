/* What the debug information of one application has more of, or less, than is usual.
 *
 * Headers and blocks are made by the proportions that were measured on CPython's extension
 * modules (C) and on Ipopt (C++). Where those of an application are known, they are made by
 * its own: what its headers declare, and how much of its code was inlined or is in
 * blocks with locals of their own.
 */
#ifndef DWARF_MANNER_H
#define DWARF_MANNER_H

#include <stdbool.h>
#include <stdint.h>

/* What headers of C declare, but for what every unit has. */
enum manner_piece {
    PIECE_STRUCTURE,
    PIECE_TYPEDEF, /* but for those of structures without a name */
    PIECE_ATOMIC,
    PIECE_POINTER, /* but for those to types of functions */
    PIECE_ARRAY,
    PIECE_FUNCTION_TYPE,
    PIECE_CONST,
    PIECE_VOID_CONST,
    PIECE_UNION,
    PIECE_VARIABLE,
    PIECE_ENUMERATION,
    PIECE_RESTRICT,
    PIECE_FUNCTION,
    PIECES
};

enum {
    MANNER_PIECES = 377, /* a Fibonacci number (corpus_types.c) */
    MANNER_USUAL = 64,
    MANNER_TAKEN = 8 * MANNER_USUAL,
    MANNER_ENUMERATORS = 16 * MANNER_USUAL,
    MANNER_LOWS = 8,
};

struct manner {
    uint16_t piece[PIECES]; /* of MANNER_PIECES pieces so many are of each kind */
    uint16_t members;       /* of a structure, union or class, in MANNER_USUALths of what is usual */
    uint16_t taken;         /* functions of C that namespaces of C++ take over, in these, too: at most MANNER_TAKEN */
    uint16_t enumerators;   /* of an enumeration in C++, in these, too: at most MANNER_ENUMERATORS */
    uint8_t unnamed;        /* of five structures, those that have no name but a typedef's */
    uint8_t inlines;        /* functions that a header defines inline; with 0 nothing was inlined */
    /* Of the code, in MANNER_USUALths of what is usual: */
    uint16_t calls;   /* calls of helpers */
    uint16_t inlined; /* calls that were inlined */
    uint16_t lexical; /* blocks with locals */
    uint16_t own;     /* locals of functions that are in no block, in C */
    uint16_t told;    /* of the constants that are passed with a local, those that are told */
    uint16_t passed;  /* MANNER_USUALths of an argument more that a call has */
    uint8_t locals;   /* of such a block, at most */
    bool labels;      /* functions of C have some */
    uint8_t ending;  /* of MANNER_USUAL calls in C, those that end their block, and have no reference to a sibling. Here
                        they are not in it: llvm-dwarfdump 14 --verify runs for ever where it meets one that is */
    uint8_t imports; /* of each partial unit */
    uint8_t brief;   /* of ten names of parameters and locals, those of three characters, which stand in the entry */
    uint16_t spread; /* calls in C++ that were inlined into others and are in several of their ranges, in
                        MANNER_USUALths of what is usual */
    bool fuller;     /* inlined functions have more than is usual: parameters in C; in C++ one in three a variable */
    bool far;        /* inlined calls are of functions in another unit, as where it was linked with -flto */
    uint16_t names;  /* of parameters and locals, those that are different: a power of two, at most CORPUS_NAMES */
    uint8_t further; /* headers in C++ of which each declares something else: at most CORPUS_FURTHER */
    uint8_t low;     /* of MANNER_LOWS declarations in headers of C, those in lines of a byte; 0: only the first ones */
    uint8_t entries; /* MANNER_USUALths of .debug_info, but for what each unit has, that functions' entries may take */
    uint8_t defined; /* of MANNER_USUAL entries, those of functions that are defined, with what these have */
};

/* The usual one. */
struct manner manner_usual(void);

/* Of an application's small units: with fewer names, kinds of entries and abbreviations than others, and nothing that
 * was inlined. */
struct manner manner_terse(struct manner m);

#endif
