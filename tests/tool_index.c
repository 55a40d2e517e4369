/* Writes an index of names (dwarf/form/index.h) for any DWARF file, whose entries another program has read.
 *
 *     write_index names|gdb STRINGS OUTPUT < LIST
 *
 * STRINGS is a file, in which names are offsets; for `names` it has the contents of .debug_str. LIST has a line for
 * each unit and, behind it, a line for each of the unit's entries:
 *
 *     unit OFFSET LENGTH START END
 *     die OFFSET TAG FLAGS NAME LINKAGE-NAME
 *
 * All numbers are decimal. The OFFSET of an entry is relative to its unit. FLAGS are the letters that add_die knows, or
 * - for none. A name is -1 if the entry has none. index_wants decides which entries are listed. Prints how many names
 * and entries these are.
 *
 * Exit status: 0; 1 if anything cannot be read or written.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/form/index.h"

enum { UNITS_MOST = 1000, ENTRIES_MOST = 1000000 };

static struct index_unit units[UNITS_MOST];
static struct index_entry entries[ENTRIES_MOST];

static const char *text_at(const void *strings, uint32_t name)
{
    return (const char *)strings + name;
}

static const char *gdb_text_at(const void *strings, uint32_t name)
{
    return index_gdb_name(text_at(strings, name));
}

static bool has(const char *flags, char flag)
{
    return strchr(flags, flag);
}

static void add(struct index *x, const struct index_entry *entry)
{
    if (x->entry_count < ENTRIES_MOST)
        entries[x->entry_count++] = *entry;
}

static void add_die(struct index *x, const struct index_entry *like, const char *flags, int64_t name, int64_t linkage)
{
    struct index_die die = {
        .tag = like->tag,
        .has_name = name >= 0,
        .is_declaration = has(flags, 'd'),
        .has_code = has(flags, 'c'),
        .has_address = has(flags, 'a'),
        .has_value = has(flags, 'v'),
        .is_external = has(flags, 'e'),
        .is_local = has(flags, 'l'),
    };
    if (!index_wants(x->kind, &die))
        return;
    struct index_entry entry = *like;
    entry.is_static = index_is_static(entry.tag, die.is_external, has(flags, '+'));
    entry.name = (uint32_t)name;
    add(x, &entry);
    entry.name = (uint32_t)linkage;
    if (linkage >= 0 && index_wants_linkage_name(x->kind, entry.tag))
        add(x, &entry);
}

static bool read_list(struct index *x)
{
    char line[256];
    char flags[16];
    while (fgets(line, sizeof line, stdin)) {
        struct index_unit unit;
        struct index_entry entry = {.unit = x->unit_count - 1};
        int64_t name;
        int64_t linkage;
        if (sscanf(line, "unit %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &unit.offset, &unit.length, &unit.start,
                   &unit.end) == 4 &&
            x->unit_count < UNITS_MOST)
            units[x->unit_count++] = unit;
        else if (sscanf(line, "die %" SCNu32 " %" SCNu16 " %15s %" SCNd64 " %" SCNd64, &entry.die, &entry.tag, flags,
                        &name, &linkage) == 5 &&
                 x->unit_count)
            add_die(x, &entry, flags, name, linkage);
        else
            return false;
    }
    return x->entry_count < ENTRIES_MOST;
}

static char *read_strings(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0;
    char *strings = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        size = (size_t)ftell(file);
        rewind(file);
        strings = calloc(size + 1, 1);
    }
    if (strings && fread(strings, 1, size, file) != size)
        strings[0] = 0;
    if (file)
        fclose(file);
    return strings;
}

static bool write_file(const char *path, const uint8_t *data, uint64_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

int main(int argc, char **argv)
{
    struct arena arena = {0};
    struct error error = {0};
    struct index x = {.entry = entries, .unit = units};
    if (argc != 4)
        return 1;
    x.kind = strcmp(argv[1], "gdb") == 0 ? INDEX_GDB : INDEX_DEBUG_NAMES;
    x.text.at = x.kind == INDEX_GDB ? gdb_text_at : text_at;
    char *strings = read_strings(argv[2]);
    x.text.owner = strings;
    uint8_t *section = NULL;
    bool done = strings && read_list(&x) && index_size(&x, &arena, &error) && (section = malloc(x.size)) &&
                index_write(&x, section) == section + x.size && write_file(argv[3], section, x.size);
    if (done)
        printf("%" PRIu64 " names, %" PRIu64 " entries\n", x.counts.names, x.counts.entries);
    free(section);
    free(strings);
    arena_free(&arena);
    return done ? 0 : 1;
}
