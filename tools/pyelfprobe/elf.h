/* What pyelfprobe has to know of a shared object, through elf/read/reader.h. A hostile file has few or no symbols,
 * which is no error. Every name is shorter than PATH_MAX, and all together are at most a few times as long as the file.
 */
#ifndef TOOLS_PYELFPROBE_ELF_H
#define TOOLS_PYELFPROBE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct object {
    const char *soname;  /* "": it has none */
    const char **needed; /* names in DT_NEEDED */
    size_t needed_count;
    const char **functions; /* names of defined global functions of .dynsym, ordered by address */
    size_t function_count;
};

/* Whether the file begins like a shared object (ET_DYN) for x86-64. */
bool object_is(const char *path);

/* Whether the file reaches to the end of its loaded segments. Loading a shorter file ends with a signal. *end is where
 * the segments end. True where the file cannot be read. */
bool object_is_whole(const char *path, uint64_t *end);

/* Whether the file itself has debug information, in .debug_info or .zdebug_info. */
bool object_has_debug(const char *path);

/* Reads what can be read; the rest of *o stays empty. *o points into the arena. False where memory ran out. */
bool object_read(const char *path, struct arena *arena, struct object *o);

#endif
