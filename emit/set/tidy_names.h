/* What the names of files in a set's directory tell of them. */
#ifndef EMIT_SET_TIDY_NAMES_H
#define EMIT_SET_TIDY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `name` is that of a library or executable. */
bool tidy_is_object(const char *name);

/* The debug file of a library or executable, beside it. */
bool tidy_is_linked(const char *name);

/* Split debug information of a library or executable, beside it. */
bool tidy_is_split(const char *name);

bool tidy_is_hexadecimal(const char *digits, size_t count);

/* A debug file in one of the directories of .build-id, by its name. */
bool tidy_is_identified(const char *name);

/* A file of a set outside .build-id. */
bool tidy_is_top_file(const char *name);

/* A source, by its name. */
bool tidy_is_source_name(const char *name);

/* A source of a unit of a library or executable, by its name. */
bool tidy_is_unit_source(const char *name);

/* What a header of a set may be called. Which headers an older set has is not known here. */
bool tidy_is_header(const char *name);

/* Whether NFS calls a file so that was removed while it was open; it goes when it is closed. */
bool tidy_is_nfs(const char *name);

/* Whether `name` is what a file is called until it is finished and gets a name that is_final accepts. */
bool tidy_is_temporary(const char *name, bool (*is_final)(const char *));

/* What an interrupted run leaves in the set's directory itself, recognised by its name alone; the next run removes it.
 */
bool tidy_is_left(const char *name);

#endif
