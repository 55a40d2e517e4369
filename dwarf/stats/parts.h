/* What the parts of stats.h share: counting, and reading one file. */
#ifndef DWARF_STATS_PARTS_H
#define DWARF_STATS_PARTS_H

#include <libdwarf/libdwarf.h>

#include "dwarf/stats/stats.h"

/* Adds `value` to the set; *added tells whether it is new. False when memory runs out. */
bool stats_set_add(struct stats_set *set, uint64_t value, bool *added);
void stats_set_free(struct stats_set *set);

/* Adds `uses` uses of a key. What does not fit into the table is added to its `rest`. */
void stats_tally_add(struct debug_stats *s, enum stats_tally tally, uint32_t key, uint64_t uses);

/* One abbreviation, as units of one version and width read it. */
struct stats_abbreviation;

/* A file that is being read. */
struct stats_file {
    const char *path;
    struct debug_stats *s; /* counts of this file only */
    struct error *e;
    Dwarf_Debug dbg;
    uint64_t units;
    uint64_t most;                /* bytes of .debug_info to read, 0 for all */
    uint64_t dies;                /* in the unit that is being read */
    Dwarf_Off end;                /* end of what is to be read of this unit, 0 for all */
    Dwarf_Off reached;            /* the last DIE of this unit that was read */
    struct stats_set line_tables; /* what was met so far, by place: units and DIEs share them */
    struct stats_set location_lists;
    struct stats_set range_lists;
    struct stats_set code_lists; /* range lists of units */
    struct stats_set functions;  /* addresses at which functions begin */
    struct bytes code;           /* struct stats_code: what units cover */
    struct stats_abbreviation *abbreviation;
    size_t abbreviation_count;
    size_t abbreviation_capacity;
    uint32_t *slot; /* hash table of indexes into `abbreviation`, plus 1 */
    size_t slots;
};

/* The unit that is being read. */
struct stats_unit {
    uint64_t index; /* in the file */
    bool in_info;   /* and not in .debug_types */
    bool split;     /* in a section for .dwo files */
    uint16_t version;
    uint16_t offset_size;
    uint64_t low;    /* lowest address of its code; 0: it says none */
    uint64_t dwo_id; /* in the header of a skeleton or of the unit that it stands for, since DWARF 5 */
};

/* libdwarf cannot go on: fills the file's error from *error, which may be NULL and is freed; returns false. */
bool stats_broken(struct stats_file *f, Dwarf_Error *error, const char *what);

/* The file is wrong in a way that libdwarf did not mind: fills the file's error; returns false. */
bool stats_wrong(struct stats_file *f, const char *what);

/* libdwarf cannot read one value: notes that, and frees *error. */
void stats_unreadable(struct stats_file *f, Dwarf_Error *error, const char *what);

/* Frees an error that came with an answer other than DW_DLV_ERROR. */
void stats_forget(struct stats_file *f, Dwarf_Error *error);

/* Memory has run out: fills the file's error; returns false. */
bool stats_no_memory(struct stats_file *f);

/* Code of an entry: how much, and where it begins. Addresses are not known in .dwo files. */
struct stats_extent {
    uint64_t bytes, from;
};

/* Counts the DIEs of a unit from its root on; the root is freed. False, with the file's error set, on failure. */
bool stats_count_dies(struct stats_file *f, const struct stats_unit *u, Dwarf_Die root);

/* Count the list that an attribute of a DIE refers to. If it is `placed`, stats_count_locations also counts its entries
 * as those of variables and parameters. stats_count_ranges sets *extent to the code that the list covers. False when
 * memory runs out. */
bool stats_count_locations(struct stats_file *f, const struct stats_unit *u, Dwarf_Die die, uint16_t name, bool placed);
bool stats_count_ranges(struct stats_file *f, const struct stats_unit *u, Dwarf_Die die, uint16_t name,
                        struct stats_extent *extent);

/* Where a list lies: an offset, or an index in a table of offsets. */
struct stats_place {
    Dwarf_Half form;
    Dwarf_Unsigned value;
};
/* Finds the attribute that says where a list lies, and reads what it says. The caller frees the attribute. */
int stats_find_list(Dwarf_Die die, uint16_t name, Dwarf_Attribute *attribute, struct stats_place *place,
                    Dwarf_Error *error);
/* A list of ranges, and what is to be called with the addresses of each of its entries, [from, to). Where these are in
 * another file, `from` is 0 and `to` the number of bytes, as far as it is known. */
struct stats_list {
    struct stats_file *file;
    uint16_t version;
    Dwarf_Die die; /* the one with the attribute */
    Dwarf_Attribute attribute;
    struct stats_place place;
};
struct stats_each {
    void (*range)(void *context, uint64_t from, uint64_t to);
    void *context;
};
/* Reads the list. `base` is the unit's lowest address. Returns one of libdwarf's answers. */
int stats_read_ranges(const struct stats_list *list, uint64_t base, const struct stats_each *each, Dwarf_Error *error);
/* A number that, almost certainly, no other list of the file has. Indexes, and offsets in split units, count from what
 * belongs to the unit, and DWARF 5 has sections of its own. */
uint64_t stats_place_key(const struct stats_place *place, const struct stats_unit *u);

/* Whether code may be at [from, to). What was discarded when the file was linked is at address 0 or 1 (GNU ld), or at
 * one of the last two (LLD, which calls these tombstones). */
static inline bool stats_is_code(uint64_t from, uint64_t to)
{
    enum { TOMBSTONES = 2 };
    return from >= TOMBSTONES && from < to && from <= UINT64_MAX - TOMBSTONES;
}

/* code.c: The code that an entry without ranges covers: none where that is not known or it was discarded. */
struct stats_extent stats_extent_of(struct stats_file *f, const struct stats_unit *u, Dwarf_Die die);
/* stats_note_code notes the code of a unit, given its root, which is not in a .dwo file, and sets u->low; false when
 * memory runs out. stats_count_code counts, at the end of a file, the bytes of all that was noted. */
bool stats_note_code(struct stats_file *f, struct stats_unit *u, Dwarf_Die root);
void stats_count_code(struct stats_file *f);

/* Counts, at the end of a file, what follows from the uses of abbreviations. False when memory runs out.
 * stats_free_abbreviations frees the abbreviations. */
bool stats_count_abbreviations(struct stats_file *f);
void stats_free_abbreviations(struct stats_file *f);

#endif
