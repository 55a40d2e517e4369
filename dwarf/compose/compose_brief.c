/* Encodes entries of functions and inlined calls with dialect.lines. */
#include "dwarf/compose/compose.h"

/* Writes a name of the library's own. */
static uint8_t *put_own_name(struct composer *c, uint8_t *p, uint32_t name)
{
    bytes_u32(&c->out->named, compose_offset_of(c, p));
    return put_u32(p, name);
}

uint8_t *compose_caller(struct composer *c, const struct debug_function *f)
{
    const struct dialect d = c->corpus->dialect;
    uint8_t *p = put_u8(c->info, f->is_linked                 ? LINES_LINKED_CALLER
                                 : f->kind == FUNCTION_STATIC ? LINES_STATIC_CALLER
                                                              : LINES_CALLER);
    p = dialect_put_constant(d, put_own_name(c, p, f->is_linked ? f->method : f->name), DIALECT_SOURCE_FILE);
    p = dialect_put_constant(d, put_uleb128(p, f->line), LINES_COLUMN);
    return f->is_linked ? put_own_name(c, p, f->name) : p;
}

uint8_t compose_without_calls(uint32_t code)
{
    return code == LINES_CALLER ? LINES_FUNCTION : code == LINES_LINKED_CALLER ? LINES_LINKED : LINES_STATIC;
}

/* Writes where the source calls an inlined function. */
static uint8_t *put_called(const struct composer *c, uint8_t *p, uint32_t line)
{
    enum { COLUMN = 9 };
    p = dialect_put_constant(c->corpus->dialect, p, DIALECT_SOURCE_FILE);
    return put_u8(put_uleb128(p, line), COLUMN);
}

void compose_line_inlined(struct composer *c, uint32_t k, uint32_t line, bool is_outer, uint64_t from, uint64_t to)
{
    const enum lines_code code = is_outer ? LINES_INLINED_OUTER : LINES_INLINED;
    uint8_t *p = put_u32(compose_code(c->out, c->info, code), c->corpus->inlines[k].at);
    c->info = put_called(c, put_u64(put_u64(p, c->text + from), to - from), line);
}

void compose_last_inlined(struct composer *c, uint32_t k, uint32_t line, uint64_t from, uint32_t ranges)
{
    uint8_t *p = put_u32(compose_code(c->out, c->info, LINES_INLINED_RANGES), c->corpus->inlines[k].at);
    c->info = put_called(c, put_u32(put_u64(p, c->text + from), ranges), line);
}
