/* What a captured profile tells about the manner of its application's debug information (dwarf/corpus/manner.h). */
#ifndef EMIT_STOCK_PROFILE_MANNER_H
#define EMIT_STOCK_PROFILE_MANNER_H

#include "dwarf/corpus/manner.h"
#include "emit/stock/profile_entries.h"

/* The manner that follows from the tags and attributes of a captured application, if these count enough entries;
 * otherwise the usual manner. Whatever the profile says, headers and blocks can be made in it. */
struct manner profile_manner(const struct profile_entries *said);

/* The manner of each language that a set's libraries are in. */
struct manners {
    struct manner of[DEBUG_LANGUAGES];
};

/* Those that follow from the profile. Languages of which it says nothing by themselves have the manner of the profile's
 * own. */
struct manners profile_manners(const struct profile *p);

/* Gives those languages that manner again, when it has changed. */
void profile_manners_share(struct manners *m, const struct profile *p);

/* Whether tags and attributes tell how entries are made. */
bool profile_has_manner(const struct profile_entries *said);

/* Whether nearly all declarations of the application have DW_AT_decl_file as a constant in the abbreviation. This is so
 * where hardly anything but functions and their contents is described (dialect.one_file). */
bool profile_has_one_file(const struct profile_entries *said);

/* Whether the application's units of C declare things in several headers each, as far as forms tell
 * (dialect.several_files). */
bool profile_has_several_files(const struct profile_entries *said);

/* How many structures of C are only declared, by the counts: so many types have no size. In clang's form a pointer has
 * none either. 0 in other languages. */
uint64_t profile_incomplete(const struct profile_entries *said);

/* Whether nearly all rows of the application's line tables are at an address of their own (dialect.one_row). */
bool profile_has_one_row(const struct profile_entries *said);

/* Whether a row has functions and line tables alone, as code that was compiled with -g1 (dialect.lines). */
bool profile_row_has_lines(const struct profile *p, const struct profile_row *row);

/* Whether a row has so little debug information that its units of C have to be small (dialect.terse). */
bool profile_row_is_terse(const struct profile *p, const struct profile_row *row);

#endif
