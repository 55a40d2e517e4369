/* The indexes of names that a debugger reads instead of all of .debug_info: the standard's .debug_names (DWARF 5
 * section 6.1.1), one name index for the whole file, or .gdb_index (version 8, "Index Section Format" in gdb's manual),
 * as gdb-add-index appends it.
 *
 * Two passes. For the first, fill in the members above `size` of a struct index and call index_size; then `size` is
 * exact. Until the second, index_write, offsets and addresses of entries and units may still be filled in (see the
 * members), but nothing else may change. Both passes take the entries in the caller's order and sort nothing: the same
 * list gives the same bytes.
 *
 * Names are compared by their text: two offsets of .debug_str with the same text are one name. */
#ifndef DWARF_FORM_INDEX_H
#define DWARF_FORM_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "dwarf/form/dialect.h"

/* One name of one entry of .debug_info. */
struct index_entry {
    uint32_t name;  /* the number by which index_text finds it; for .debug_names its offset in .debug_str */
    uint32_t die;   /* its offset in the unit; may change until the write pass; unused in .gdb_index */
    uint32_t unit;  /* its unit's number; never less than that of the entry before */
    uint16_t tag;   /* below 0x80 */
    bool is_static; /* index_is_static; unused in .debug_names */
};

/* A unit. Its values may change until the write pass, but not whether it has code. */
struct index_unit {
    uint64_t offset;     /* in .debug_info */
    uint64_t length;     /* with the four bytes that state it */
    uint64_t start, end; /* addresses of its code; equal: it has none */
};

/* How names are read: `at` is asked once for each different `name`, in the size pass. The text, ASCII with a zero
 * behind it, stays where it is until the write pass. */
struct index_text {
    const char *(*at)(const void *owner, uint32_t name);
    const void *owner;
};

/* What the size of an index depends on. */
struct index_counts {
    uint64_t names; /* number of different texts */
    uint64_t text;  /* bytes of these texts, with a zero each; .gdb_index only */
    uint64_t units;
    uint64_t units_coded; /* units that have code; .gdb_index only */
    uint64_t entries;     /* entries that are listed; see index_size for .gdb_index */
    uint64_t numbers;     /* bytes of their units' numbers as ULEB128; .debug_names only */
    uint64_t tags;        /* number of different tags; .debug_names only */
};

struct index {
    enum index_kind kind;
    struct index_text text;
    const struct index_entry *entry;
    uint32_t entry_count;
    const struct index_unit *unit;
    uint32_t unit_count;

    uint64_t size; /* set by index_size, as all that follows */
    struct index_counts counts;
    struct index_name *name;
    uint32_t *name_of;  /* the number of each entry's name, or INDEX_NOT_LISTED */
    uint32_t *bucket;   /* .debug_names: scratch of the write pass */
    uint32_t *ordered;  /* .debug_names: likewise */
    uint8_t code[0x80]; /* .debug_names: the abbreviation of each tag, 0 where there is none */
};

#define INDEX_NOT_LISTED UINT32_MAX

/* What is known of one name. */
struct index_name {
    const char *text;
    uint32_t length;
    uint32_t hash;
    uint32_t name;
    uint32_t list;  /* .debug_names: bytes of its entries; .gdb_index: their number */
    uint32_t place; /* where its list, or the next entry of it, is; for the write pass */
    uint32_t unit;  /* .gdb_index: the unit of its last entry */
    uint16_t seen;  /* .gdb_index: kinds of its entries in that unit */
};

/* Sets `size` and what the write pass needs, which is in `arena`. In .gdb_index a name's entries of one kind in one
 * unit count once, and its types of all units count once together, because gdb takes only the first. Returns false when
 * memory is exhausted. */
bool index_size(struct index *x, struct arena *arena, struct error *e);

/* Writes the `size` bytes, returns their end. */
uint8_t *index_write(struct index *x, uint8_t *p);

/* The size of any index with these counts. */
uint64_t index_counted_size(enum index_kind kind, const struct index_counts *counts);

/* The most bytes of .debug_names with any counts up to these. Fewer names can mean a larger
 * index: there are fewer buckets for 1,025 names than for 1,024. */
uint64_t index_counted_most(const struct index_counts *counts);

uint32_t index_buckets(uint64_t names); /* of .debug_names */
uint32_t index_slots(uint64_t names);   /* of the hash table of .gdb_index */

/* What decides whether an index has to list an entry of .debug_info. Name, addresses and DW_AT_external also count if
 * the entry that DW_AT_abstract_origin or DW_AT_specification refers to has them; DW_AT_declaration does not. */
struct index_die {
    uint16_t tag;
    bool has_name;
    bool is_declaration;
    bool has_code;    /* DW_AT_low_pc, high_pc, ranges or entry_pc */
    bool has_address; /* a location with DW_OP_addr or of thread-local storage */
    bool has_value;   /* any location or DW_AT_const_value */
    bool is_external;
    bool is_local; /* somewhere below a subprogram */
};

/* Whether an index of this kind lists the entry. */
bool index_wants(enum index_kind kind, const struct index_die *die);

/* Whether an entry that is wanted is listed a second time, with its linkage name. */
bool index_wants_linkage_name(enum index_kind kind, uint16_t tag);

/* The static bit of .gdb_index. `is_cplus`: the language is one whose types are known by name throughout a program, as
 * C++ is and C is not. */
bool index_is_static(uint16_t tag, bool is_external, bool is_cplus);

/* The name of a base type in .gdb_index: gdb looks for "unsigned long" where DW_AT_name is "long unsigned int". Any
 * other name is returned as it is. */
const char *index_gdb_name(const char *name);

#endif
