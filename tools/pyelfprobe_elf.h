/* What pyelfprobe has to know of a shared object, through elf/reader.h: hostile files
 * have few or no symbols, and are no error. No name is as long as PATH_MAX, and
 * together they are not longer than what is in the file some times over. */
#ifndef TOOLS_PYELFPROBE_ELF_H
#define TOOLS_PYELFPROBE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct object {
    const char *soname;  /* "" where it has none */
    const char **needed; /* names of DT_NEEDED */
    size_t needed_count;
    const char **functions; /* defined global functions of .dynsym, by address */
    size_t function_count;
};

/* Whether the file begins like a shared object (ET_DYN, of this machine's class). */
bool object_is(const char *path);

/* Whether the file is as long as the segments that are loaded of it say; otherwise loading it ends with a signal. *end
 * is where they end. True of what cannot be read. */
bool object_is_whole(const char *path, uint64_t *end);

/* Whether the file itself has debug information: .debug_info or .zdebug_info. */
bool object_has_debug(const char *path);

/* Everything that *o points to is of the arena; false when memory ran out. What
 * cannot be read is not there. */
bool object_read(const char *path, struct arena *arena, struct object *o);

#endif
