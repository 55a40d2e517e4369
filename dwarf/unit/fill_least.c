/* What debug information takes at the least, for the plan; see unit.h. */
#include "dwarf/unit/unit_sizes.h"

uint64_t debug_tables(const struct corpus *c, uint64_t bytes)
{
    const uint64_t tables = bytes / unit_table_own(c);
    return tables ? tables : 1;
}

/* Bytes that the names of a unit's files take at most, in all sections. With lines alone a table names one header. */
static uint64_t unit_files_least(const struct corpus *c)
{
    enum { SOURCE_NAME_BRIEF = 40, HEADER_NAME = 48 };
    const bool is_4 = dialect_is_4(c->dialect);
    if (c->dialect.lines)
        return is_4 ? HEADER_NAME + 2 * SOURCE_NAME_BRIEF : 5 + SOURCE_NAME_BRIEF;
    return (is_4 ? c->line_strings.size + CORPUS_FILES * 4 : CORPUS_FILES * 5) + 2 * SOURCE_NAME_USUAL;
}

uint64_t debug_least(const struct corpus *c, uint64_t functions, uint64_t units, uint64_t tables, uint64_t names)
{
    const struct dialect d = c->dialect;
    const uint64_t index = d.index == INDEX_DEBUG_NAMES ? unit_index_least(c, functions, units) : 0;
    const uint64_t parameters =
        d.lines ? 0 : (abbrev_entry_size(d, ABBREV_PARAMETER) + UINT64_C(4)) * PARAMETERS_MOST + 1;
    const uint64_t function = abbrev_entry_size(d, d.lines ? LINES_FUNCTION : ABBREV_FUNCTION) + (d.lines ? 5 : 2) +
                              parameters +
                              FUNCTION_PROGRAM_LEAST; /* an expression of two bytes, and a line of up to three */
    const uint64_t files = unit_files_least(c);
    const uint64_t unit = unit_frame(c) + c->fixed + 64 + files + LINE_BEGIN + LINE_END_MOST + ARANGES_UNIT;
    const uint64_t objects = d.lines ? 0 : 2 * COMPOSE_OBJECT_MOST;
    return index + objects + functions * function + units * unit + tables * unit_table_own(c) + c->line_strings.size +
           c->common + sizeof COMPILE_DIRECTORY + unit_names_least(c) + names +
           EXTERNS_LEAST * (abbrev_entry_size(d, abbrev_tail(d)) + UINT64_C(1) + TAIL_NAME);
}
