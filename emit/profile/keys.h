/* The keys of a profile, and what the files that read and write profiles share.
 *
 * One table (profile_keys, in table.c) says everything about a key: where it
 * stands in the file, what kind of value it has, where that goes in struct
 * profile, its range and its default. From it come libcyaml's schema, the
 * check for unknown keys, the range checks, the defaults and the canonical
 * text. To add a key: one line in enum profile_key_id, one row in the table,
 * one row in docs/profile.md. The mappings that hold the keys, sections, are a
 * table of their own, which says what each of them stands in.
 *
 *     table.c  the table
 *     profile.c        defaults, cross-checks, file text <-> struct
 *     scan.c   checks of a YAML text that libcyaml does not make, with lines
 *     wrong.c  error messages
 *     value.c  one value: text <-> struct, and its range
 *     rows.c   what only rows of libraries have: edges, defaults, sums
 *     settled.c  what `settled` looks like
 *     file.c   finding, reading and replacing files
 *     profile_manner.c what a captured profile says of debug information (profile_manner.h)
 */
#ifndef EMIT_PROFILE_KEYS_H
#define EMIT_PROFILE_KEYS_H

#include "emit/profile/profile.h"

enum { PROFILE_VALUE_TEXT = 64 };

enum profile_section {
    SECTION_ROOT,
    SECTION_SECTIONS,
    SECTION_CALLS,
    SECTION_NAMES,
    SECTION_ELF,
    SECTION_DWARF,
    SECTION_MIX,
    SECTION_DISTRIBUTIONS,
    SECTION_CAPTURED,
    SECTION_SETTLED,
    PROFILE_SECTION_COUNT,
    SECTION_ROW = PROFILE_SECTION_COUNT, /* the sections of each item of `libraries` */
    SECTION_ROW_DYNAMIC,
    SECTION_ROW_LOCAL,
    SECTION_ROW_GLOBAL,
    SECTION_ROW_RELOCATIONS,
    SECTION_ROW_EXCEPTIONS,
    SECTION_ROW_SHARE,
    SECTION_ROW_DWARF,
    SECTION_ROW_MIX,
    SECTION_ROW_DWO,
    SECTION_ROW_ZSTD,
    PROFILE_SECTION_ALL
};

enum profile_key_id {
    KEY_FORMAT,
    KEY_APPLICATION,
    KEY_SEED,
    KEY_MODULES,
    KEY_UTILITIES,
    KEY_FUNCTIONS,
    KEY_UTILITY_FUNCTIONS,
    KEY_TEXT, /* the sizes stand in the order of enum size_kind */
    KEY_DATA,
    KEY_DEBUG,
    KEY_SYMTAB,
    KEY_STRTAB,
    KEY_BSS,
    KEY_DEPTH,
    KEY_UTILITY,
    KEY_UTILITIES_PER_MODULE,
    KEY_CROSS_MODULE,
    KEY_CROSS_MODULE_CHAIN,
    KEY_COVERAGE,
    KEY_REPEAT,
    KEY_RANDOM,
    KEY_NEED_ALL,
    KEY_STYLE,
    KEY_LENGTH,
    KEY_PAD,
    KEY_HASH,
    KEY_BIND,
    KEY_RELRO,
    KEY_BUILD_ID,
    KEY_SONAME,
    KEY_RELR,
    KEY_CF_PROTECTION,
    KEY_EXCEPTIONS,
    KEY_SEPARATE_CODE,
    KEY_MAX_PAGE_SIZE,
    KEY_VERSION,
    KEY_LANGUAGE,
    KEY_UNITS,
    KEY_COMPRESS,
    KEY_SEPARATE,
    KEY_INDEX,
    KEY_TYPE_UNITS,
    KEY_COMPILER,
    KEY_VIEWS,
    KEY_ENTRY_VALUES,
    KEY_SPLIT,
    KEY_MIX_INFO, /* the debug sections stand in the order of enum mix_kind */
    KEY_MIX_ABBREV,
    KEY_MIX_LINE,
    KEY_MIX_STR,
    KEY_MIX_LINE_STR,
    KEY_MIX_LOCLISTS,
    KEY_MIX_RNGLISTS,
    KEY_FUNCTION_SIZES, /* the distributions stand together */
    KEY_NAME_LENGTHS,
    KEY_DEGREE,
    KEY_TAGS,
    KEY_FORMS,
    KEY_ATTRIBUTES,
    KEY_TAGS_C,
    KEY_FORMS_C,
    KEY_ATTRIBUTES_C,
    KEY_TAGS_CPP,
    KEY_FORMS_CPP,
    KEY_ATTRIBUTES_CPP,
    KEY_TAGS_FORTRAN,
    KEY_FORMS_FORTRAN,
    KEY_ATTRIBUTES_FORTRAN,
    KEY_FROM,
    KEY_CAPTURED_LIBRARIES,
    KEY_UNREADABLE,
    KEY_SETTLED_OF,
    KEY_SETTLED_MANNERS,
    KEY_SETTLED_LIBRARIES,
    KEY_COUNT,
    KEY_ROW = KEY_COUNT, /* the keys of rows: enum row_value, enum row_text */
    KEY_ROW_TEXT = KEY_ROW + ROW_VALUES,
    KEY_ALL = KEY_ROW_TEXT + ROW_TEXTS
};

enum profile_kind {
    KIND_FIXED,  /* exactly choices[0]; has no member in struct profile */
    KIND_TEXT,   /* char *: free text, or one of `choices` */
    KIND_NUMBER, /* int64_t or uint64_t: a whole number */
    KIND_SIZE,   /* int64_t: bytes, a number with a unit in the file */
    KIND_FLAG,   /* bool */
    KIND_SHARE,  /* double: above 0, at most 1 */
    KIND_CHOICE, /* an enum whose values index `choices` */
    KIND_BYTES,  /* int64_t: a whole number, or a size as KIND_SIZE has it */
    KIND_WORD,   /* int64_t: what KIND_CHOICE is in an enum */
    KIND_SWITCH, /* int64_t: what KIND_FLAG is in a bool */
};

struct profile_key {
    enum profile_section section;
    const char *name;
    enum profile_kind kind;
    size_t offset; /* of the member of struct profile, or of struct profile_row */
    uint64_t least, most;
    int64_t standard; /* the default; PROFILE_DERIVED where the plan decides */
    const char *const *choices;
};

extern const struct profile_key profile_keys[KEY_ALL];

struct profile_place {
    enum profile_section parent; /* stands before its sections; SECTION_ROOT and SECTION_ROW are their own */
    const char *name;            /* "" for these two */
};

extern const struct profile_place profile_sections[PROFILE_SECTION_ALL];

/* What stands before a key of `section` in an error: "dwarf: mix: "; nothing for SECTION_ROOT. Points into `path`. */
#define PROFILE_PATH 64
const char *profile_path(enum profile_section section, char path[PROFILE_PATH]);

/* Where a profile came from: the file's name and the lines of its keys, all 0
 * for a profile that was never text. */
struct profile_source {
    const char *name;
    unsigned key_line[KEY_COUNT]; /* 0: the key is not in the file */
    unsigned section_line[PROFILE_SECTION_COUNT];
    unsigned rows_line; /* of `libraries` */
    unsigned *row_line; /* of each row; malloc'ed by profile_scan, also where it fails; NULL: unknown */
    uint32_t rows;
    uint32_t row;                          /* the row that errors about keys refer to */
    unsigned row_key[KEY_ALL - KEY_COUNT]; /* scratch of profile_scan: lines of the present row's keys */
};
#define PROFILE_LIBRARIES "libraries"

/* The line where `section` begins or, if it is not in the file, the innermost section around it that is; 0: none is. */
unsigned profile_section_line(const struct profile_source *s, enum profile_section section);

/* Sets an ERROR_INPUT about `key`, with its path and name before the message. Where `s` is NULL, sets an ERROR_USAGE
 * with the message alone. Returns false. */
bool profile_wrong(const struct profile_source *s, enum profile_key_id key, struct error *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A text from a file as an error quotes it: at most 60 bytes, whole characters, "..." after what was cut. Points into
 * `shown`. */
#define PROFILE_SHOWN 64
const char *profile_shown(const char *text, char shown[PROFILE_SHOWN]);

/* Checks everything about a YAML text that libcyaml would let pass or would report without its line. Fills in the lines
 * of `s`, whose name must be set. Row lines are malloc'ed, also on failure. */
bool profile_scan(const char *text, size_t size, struct profile_source *s, struct error *e);

/* These take a struct profile, or for keys from KEY_ROW on a struct profile_row. */

/* Stores the value that `text` says in the key's member of `p`. Checks what is
 * written, not its range. A text replaces (and frees) the former one. */
bool profile_value_read(void *p, enum profile_key_id key, const char *text, const struct profile_source *s,
                        struct error *e);

/* Checks the range of the key's member of `p`. */
bool profile_value_check(const void *p, enum profile_key_id key, const struct profile_source *s, struct error *e);

/* Whether the member has its default. */
bool profile_value_is_standard(const void *p, enum profile_key_id key);

/* Sets the member (not of a KIND_TEXT) to its default. */
void profile_value_set_standard(void *p, enum profile_key_id key);

/* The member as a file states it, in the one canonical way. The result is in `text`; for a KIND_TEXT it is borrowed
 * from `p`. NULL when memory is exhausted. */
char *profile_value_write(const void *p, enum profile_key_id key, char text[PROFILE_VALUE_TEXT]);

/* Checks that `settled` looks as it is written (settled.c). */
#define PROFILE_SETTLED_WRONG "is not what pyelfgen writes there; remove 'settled'"
bool profile_settled_check(const struct profile *p, const struct profile_source *s, struct error *e);

/* --- rows (rows.c) ------------------------------------------------------------- */

/* Sets an ERROR_INPUT about the row source->row. Returns false. */
bool profile_row_wrong(const struct profile_source *s, struct error *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All values derived, no text. */
void profile_row_init(struct profile_row *row);
void profile_row_free(struct profile_row *row);

/* Reads `needed` into row->edge, which row owns. `rows` is how many rows there are. */
bool profile_row_edges(struct profile_row *row, uint32_t rows, const struct profile_source *s, struct error *e);

/* row->edge as text again, in the one canonical way; malloc'ed. NULL when memory is exhausted. */
char *profile_row_needed(const struct profile_row *row);

/* Check ranges and rules within rows, and between rows and the rest of the profile; check only the texts of rows; fill
 * in the counts and sums that follow from rows, with which the file must agree where it states them. */
bool profile_rows_check(const struct profile *p, const struct profile_source *s, struct error *e);
bool profile_rows_check_texts(const struct profile *p, const struct profile_source *s, struct error *e);
bool profile_rows_settle(struct profile *p, const struct profile_source *s, struct error *e);

#endif
