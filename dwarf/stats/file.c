/* Reading one file: its units and line tables; see stats.h.
 *
 * libdwarf's register of what it has allocated costs a third of the time and is off: everything is freed where it was
 * taken.
 *
 * Of a unit that alone is more than is to be read of the file, only the beginning is read. */
#include <fcntl.h>
#include <inttypes.h>
#include <libdwarf/dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "dwarf/stats/parts.h"

/* ---- line tables ---- */

/* libdwarf 20210528 also says that rows end a sequence that begin an epilogue. Those that end one begin none. */
static bool ends_sequence(Dwarf_Line row)
{
    Dwarf_Error error = NULL;
    Dwarf_Bool ends = 0;
    Dwarf_Bool prologue = 0;
    Dwarf_Bool epilogue = 0;
    Dwarf_Unsigned no; /* other registers do not matter here */
    return dwarf_lineendsequence(row, &ends, &error) == DW_DLV_OK && ends &&
           dwarf_prologue_end_etc(row, &prologue, &epilogue, &no, &no, &error) == DW_DLV_OK && !epilogue;
}

static void count_rows(struct stats_file *f, Dwarf_Line_Context table)
{
    Dwarf_Error error = NULL;
    Dwarf_Line *rows = NULL;
    Dwarf_Signed count = 0;
    int answer = dwarf_srclines_from_linecontext(table, &rows, &count, &error);
    if (answer == DW_DLV_ERROR)
        stats_unreadable(f, &error, "the rows of a line table");
    if (answer != DW_DLV_OK)
        return;
    f->s->number[STATS_LINE_ROWS] += (uint64_t)count;
    Dwarf_Addr last = 0;
    for (Dwarf_Signed i = 0; i < count; i++) {
        Dwarf_Addr address = 0;
        if (dwarf_lineaddr(rows[i], &address, &error) != DW_DLV_OK)
            stats_unreadable(f, &error, "the address of a row");
        f->s->number[STATS_LINE_ADDRESSES] += i == 0 || address != last;
        f->s->number[STATS_LINE_SEQUENCES] += ends_sequence(rows[i]);
        last = address;
    }
}

/* Sets *offset to where the unit's line table lies; false if it has none. */
static bool find_line_table(struct stats_file *f, Dwarf_Die root, Dwarf_Off *offset)
{
    Dwarf_Error error = NULL;
    Dwarf_Attribute attribute;
    int answer = dwarf_attr(root, DW_AT_stmt_list, &attribute, &error);
    if (answer == DW_DLV_OK) {
        answer = dwarf_global_formref(attribute, offset, &error);
        dwarf_dealloc_attribute(attribute);
    }
    if (answer == DW_DLV_ERROR)
        stats_unreadable(f, &error, "the place of a line table");
    return answer == DW_DLV_OK;
}

/* Counts the unit's line table, unless another unit had it already. */
static bool count_lines(struct stats_file *f, Dwarf_Die root)
{
    Dwarf_Off offset;
    if (!find_line_table(f, root, &offset))
        return true;
    bool added;
    if (!stats_set_add(&f->line_tables, offset, &added))
        return stats_no_memory(f);
    if (!added)
        return true;
    Dwarf_Error error = NULL;
    Dwarf_Unsigned version;
    Dwarf_Small tables;
    Dwarf_Line_Context table = NULL;
    int answer = dwarf_srclines_b(root, &version, &tables, &table, &error);
    if (answer == DW_DLV_ERROR)
        stats_unreadable(f, &error, "a line table");
    if (answer != DW_DLV_OK)
        return true;
    f->s->number[STATS_LINE_TABLES]++;
    if (tables)
        count_rows(f, table);
    dwarf_srclines_dealloc_b(table);
    return true;
}

/* ---- units ---- */

static bool is_split(struct stats_file *f, Dwarf_Die root)
{
    Dwarf_Error error = NULL;
    const char *section = NULL;
    if (dwarf_get_die_section_name_b(root, &section, &error) == DW_DLV_OK && section)
        return strstr(section, ".dwo");
    stats_forget(f, &error);
    return false;
}

/* Before DWARF 5 a skeleton is a unit that names a .dwo file. clang's units inside .dwo files name one too. */
static bool is_old_skeleton(struct stats_file *f, const struct stats_unit *u, Dwarf_Die root)
{
    Dwarf_Error error = NULL;
    Dwarf_Bool has_name = 0;
    if (u->version >= 5 || u->split)
        return false;
    if (dwarf_hasattr(root, DW_AT_GNU_dwo_name, &has_name, &error) == DW_DLV_OK)
        return has_name;
    stats_forget(f, &error);
    return false;
}

/* The text of an attribute that may not be there; NULL where it is not, or cannot be read. */
static const char *text_of(struct stats_file *f, Dwarf_Die root, Dwarf_Half name)
{
    Dwarf_Error error = NULL;
    Dwarf_Attribute attribute;
    char *text = NULL;
    int answer = dwarf_attr(root, name, &attribute, &error);
    if (answer == DW_DLV_OK) {
        answer = dwarf_formstring(attribute, &text, &error);
        dwarf_dealloc_attribute(attribute);
    }
    if (answer == DW_DLV_ERROR)
        stats_unreadable(f, &error, "the name of a .dwo file");
    return answer == DW_DLV_OK ? text : NULL;
}

/* What a skeleton and the unit that it stands for have in common; 0: nothing. Before DWARF 5 it is an attribute. */
static uint64_t dwo_id_of(struct stats_file *f, const struct stats_unit *u, Dwarf_Die root)
{
    Dwarf_Error error = NULL;
    Dwarf_Attribute attribute;
    Dwarf_Sig8 signature = {{0}};
    uint64_t id = u->dwo_id;
    if (u->version >= 5)
        return id;
    int answer = dwarf_attr(root, DW_AT_GNU_dwo_id, &attribute, &error);
    if (answer == DW_DLV_OK) {
        answer = dwarf_formsig8_const(attribute, &signature, &error);
        dwarf_dealloc_attribute(attribute);
    }
    if (answer == DW_DLV_ERROR)
        stats_unreadable(f, &error, "the id of a .dwo file");
    memcpy(&id, &signature, sizeof id);
    return id;
}

/* Notes where a skeleton's .dwo file is, or that this is a unit of one. */
static bool note_dwo(struct stats_file *f, const struct stats_unit *u, Dwarf_Die root)
{
    struct bytes *const dwos = &f->s->dwos;
    const char *const newer = u->split ? "" : text_of(f, root, DW_AT_dwo_name);
    const char *const name = newer ? newer : text_of(f, root, DW_AT_GNU_dwo_name);
    const char *const directory = u->split ? "" : text_of(f, root, DW_AT_comp_dir);
    char id[17];
    snprintf(id, sizeof id, "%" PRIx64, dwo_id_of(f, u, root));
    if (!name || dwos->size + strlen(name) + (directory ? strlen(directory) : 0) + sizeof id + 2 > STATS_DWOS)
        return true;
    bytes_string(dwos, directory ? directory : "");
    bytes_string(dwos, name);
    bytes_string(dwos, id);
    return !dwos->failed || stats_no_memory(f);
}

static enum stats_number unit_kind(struct stats_file *f, const struct stats_unit *u, Dwarf_Die root, Dwarf_Half type,
                                   Dwarf_Half tag)
{
    if (!u->in_info || type == DW_UT_type || type == DW_UT_split_type)
        return STATS_TYPE_UNITS;
    if (type == DW_UT_skeleton || is_old_skeleton(f, u, root))
        return STATS_SKELETON_UNITS;
    return type == DW_UT_partial || tag == DW_TAG_partial_unit ? STATS_PARTIAL_UNITS : STATS_COMPILE_UNITS;
}

static void count_language(struct stats_file *f, Dwarf_Die root)
{
    Dwarf_Error error = NULL;
    Dwarf_Unsigned language;
    int answer = dwarf_srclang(root, &language, &error);
    if (answer == DW_DLV_OK)
        stats_tally_add(f->s, STATS_LANGUAGE, language <= UINT32_MAX ? (uint32_t)language : UINT32_MAX, 1);
    else if (answer == DW_DLV_ERROR)
        stats_unreadable(f, &error, "the language of a unit");
}

/* Counts a unit of `bytes` bytes, and if `read`, what is in it. Frees the root. */
static bool count_unit(struct stats_file *f, struct stats_unit *u, Dwarf_Half type, Dwarf_Die root, uint64_t bytes,
                       bool read)
{
    Dwarf_Error error = NULL;
    Dwarf_Half tag;
    bool ok = dwarf_tag(root, &tag, &error) == DW_DLV_OK || stats_broken(f, &error, "the root of a unit");
    if (ok) {
        const enum stats_number kind = unit_kind(f, u, root, type, tag);
        f->s->number[kind]++;
        if (kind == STATS_COMPILE_UNITS)
            uneven_add(&f->s->sizes, bytes);
        f->s->number[STATS_64BIT_UNITS] += u->offset_size == 8;
        const bool has_dwo = kind == STATS_SKELETON_UNITS || (kind == STATS_COMPILE_UNITS && u->split);
        ok = (!has_dwo || note_dwo(f, u, root)) && (!u->in_info || u->split || stats_note_code(f, u, root));
    }
    if (ok && read) {
        stats_tally_add(f->s, STATS_VERSION, u->version, 1);
        count_language(f, root);
        ok = count_lines(f, root);
    }
    if (!ok || !read) {
        dwarf_dealloc_die(root);
        return ok;
    }
    return stats_count_dies(f, u, root);
}

/* Whether the unit that ends at `next` is one of those to read. Each is as likely as the others, whatever its size and
 * its neighbours are. At least one unit is read, and never much more than was wanted. */
static bool sample_takes(const struct stats_file *f, const struct stats_unit *u, uint64_t next, uint64_t total)
{
    const struct stats_sample *p = &f->s->sample;
    if (!f->most || total <= f->most || (p->units_read == 0 && next >= total))
        return true;
    double share = (double)f->most / (double)total;
    return p->bytes_read < 2 * f->most && (double)random_at(0, u->index) < share * 0x1p64;
}

/* Notes a unit of `bytes` bytes that was met, and how many of them were read. */
static void sample_note(struct stats_file *f, const struct stats_unit *u, uint64_t bytes, uint64_t bytes_read)
{
    struct stats_sample *p = &f->s->sample;
    double x = (double)bytes_read;
    double y = (double)f->dies;
    p->units++;
    p->bytes += bytes;
    p->lined += u->split ? 0 : bytes;
    p->lined_read += u->split ? 0 : bytes_read;
    if (!bytes_read)
        return;
    p->units_read++;
    p->bytes_read += bytes_read;
    p->xx += x * x;
    p->xy += x * y;
    p->yy += y * y;
}

/* Bytes of .debug_info, or of .debug_types, which must have been loaded. */
static uint64_t units_size(struct stats_file *f, bool in_info)
{
    Dwarf_Unsigned info = 0;
    Dwarf_Unsigned types = 0;
    Dwarf_Unsigned no; /* other sections do not matter here */
    if (dwarf_get_section_max_offsets_d(f->dbg, &info, &no, &no, &no, &no, &no, &no, &no, &no, &no, &no, &types, &no,
                                        &no, &no, &no, &no, &no, &no, &no) != DW_DLV_OK)
        return 0;
    return in_info ? info : types;
}

/* Counts the units of .debug_info, or of .debug_types. */
static bool count_units(struct stats_file *f, bool in_info)
{
    const char *const what = in_info ? "a unit of .debug_info" : "a unit of .debug_types";
    for (Dwarf_Unsigned last = 0;;) {
        Dwarf_Error error = NULL;
        Dwarf_Unsigned length;
        Dwarf_Unsigned type_offset;
        Dwarf_Unsigned next;
        Dwarf_Off abbreviations;
        Dwarf_Sig8 signature = {{0}};
        Dwarf_Half address_size;
        Dwarf_Half extension;
        Dwarf_Half type;
        struct stats_unit u = {.index = f->units++, .in_info = in_info};
        int answer = dwarf_next_cu_header_d(f->dbg, in_info, &length, &u.version, &abbreviations, &address_size,
                                            &u.offset_size, &extension, &signature, &type_offset, &next, &type, &error);
        if (answer == DW_DLV_NO_ENTRY)
            return true;
        if (answer == DW_DLV_ERROR)
            return stats_broken(f, &error, what);
        if (next <= last)
            return stats_wrong(f, "its units run in circles");
        const Dwarf_Unsigned bytes = next - last;
        bool read = sample_takes(f, &u, next, units_size(f, in_info));
        const Dwarf_Off begin = last;
        f->dies = 0;
        f->reached = begin;
        f->end = f->most && bytes > f->most ? begin + f->most : 0;
        last = next;
        Dwarf_Die root = NULL;
        answer = dwarf_siblingof_b(f->dbg, NULL, in_info, &root, &error);
        if (answer == DW_DLV_ERROR)
            return stats_broken(f, &error, what);
        u.split = answer == DW_DLV_OK && is_split(f, root);
        memcpy(&u.dwo_id, &signature, sizeof u.dwo_id);
        if (answer == DW_DLV_OK && !count_unit(f, &u, type, root, bytes, read))
            return false;
        sample_note(f, &u, bytes, !read ? 0 : f->end && f->reached >= f->end ? f->reached - begin : bytes);
    }
}

/* ---- files ---- */

/* Opening a FIFO must not wait for its other end. */
static int open_file(const char *path, struct error *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0) {
        error_errno(e, path, "cannot open");
    } else if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        error_set(e, ERROR_INPUT, "is not a regular file");
        error_at(e, path, 0);
        close(fd);
        fd = -1;
    }
    return fd;
}

/* How many groups of sections have units besides the group that libdwarf has chosen: COMDAT groups of an object file,
 * as of its type units, and .dwo sections beside others. Groups come in ascending order. */
static uint64_t count_groups_left(struct stats_file *f)
{
    Dwarf_Error error = NULL;
    Dwarf_Unsigned sections, groups, chosen, count;
    uint64_t left = 0;
    if (dwarf_sec_group_sizes(f->dbg, &sections, &groups, &chosen, &count, &error) != DW_DLV_OK || groups < 2)
        return 0;
    Dwarf_Unsigned *numbers = calloc(2 * count, sizeof *numbers);
    const char **names = calloc(count, sizeof *names);
    if (numbers && names && dwarf_sec_group_map(f->dbg, count, numbers, numbers + count, names, &error) == DW_DLV_OK) {
        Dwarf_Unsigned last = chosen;
        for (Dwarf_Unsigned i = 0; i < count; i++) {
            const bool has_units =
                strncmp(names[i], ".debug_info", 11) == 0 || strncmp(names[i], ".debug_types", 12) == 0;
            if (!has_units || numbers[i] == chosen || numbers[i] == last)
                continue;
            last = numbers[i];
            left++;
        }
    }
    free(numbers);
    free(names);
    return left;
}

/* Counts an open file, whose path is in *f. */
static bool count_file(struct stats_file *f, int fd)
{
    Dwarf_Error error = NULL;
    unsigned type;
    unsigned byte_order;
    unsigned width;
    Dwarf_Unsigned size;
    int number;
    if (dwarf_object_detector_fd(fd, &type, &byte_order, &width, &size, &number) != DW_DLV_OK) {
        error_set(f->e, ERROR_INPUT, "is not an object file that libdwarf reads");
        return error_at(f->e, f->path, 0);
    }
    int answer = dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_ANY, NULL, NULL, &f->dbg, &error);
    if (answer == DW_DLV_NO_ENTRY) /* no debug information */
        return true;
    if (answer == DW_DLV_ERROR)
        return stats_broken(f, &error, "the file");
    f->s->groups_left = count_groups_left(f);
    bool ok = count_units(f, true) && count_units(f, false) && stats_count_abbreviations(f);
    stats_count_code(f);
    stats_free_abbreviations(f);
    dwarf_finish(f->dbg, &error);
    return ok;
}

bool stats_read_here(const char *path, uint64_t most, struct debug_stats *s, struct error *e)
{
    int fd = open_file(path, e);
    if (fd < 0)
        return false;
    struct debug_stats counted = {0};
    struct stats_file f = {.path = path, .s = &counted, .e = e, .most = most};
    int before = dwarf_set_de_alloc_flag(0);
    bool ok = count_file(&f, fd);
    dwarf_set_de_alloc_flag(before);
    close(fd);
    counted.number[STATS_FILES] = 1;
    counted.number[STATS_FILES_WITHOUT] = counted.number[STATS_DIES] == 0;
    ok = ok && stats_add(s, &counted, e);
    stats_set_free(&f.line_tables);
    stats_set_free(&f.location_lists);
    stats_set_free(&f.range_lists);
    stats_set_free(&f.functions);
    stats_set_free(&f.code_lists);
    bytes_free(&f.code);
    stats_free(&counted);
    return ok;
}
