/* Opens and closes units for the walk, and describes what units have besides functions: helpers, where they are called
 * first, and the library's objects in its first unit. */
#include "emit/library/describe_parts.h"

#include <string.h>

enum { OBJECTS = 2 };

enum base_type describe_type(enum argument_type type)
{
    static const uint8_t types[ARGUMENT_TYPES] = {
        [TYPE_INT] = BASE_INT,       [TYPE_LONG] = BASE_LONG,     [TYPE_FLOAT] = BASE_FLOAT,
        [TYPE_DOUBLE] = BASE_DOUBLE, [TYPE_STRING] = BASE_STRING,
    };
    return types[type];
}

void describe_unit_end(struct walk *w)
{
    if (!w->composer.unit)
        return;
    const uint32_t low = w->line_number < DEBUG_LINE_FIRST ? w->line_number : DEBUG_LINE_FIRST;
    w->lines += w->line_number - w->first_line;
    w->low_lines += low > w->first_line ? low - w->first_line : 0;
    compose_unit_end(&w->composer, w->end);
    if (w->l->watch)
        w->l->watch->unit(w->l->watch);
}

/* The line at which a unit's functions begin. Some units begin below the usual line, so that a part of all lines takes
 * one byte. That is possible only where entries have abbreviations for such lines. Libraries whose sources are written
 * have none, because their sources begin with other declarations. */
static uint32_t first_line(const struct walk *w, uint64_t r)
{
    enum { LOW = 16, DIFFERENT = 63, FEW = 7 };
    if (lines_are_told(w)) /* behind the inline functions */
        return corpus_line_inline(corpus_inlines(w->corpus)) + 4 + (uint32_t)(r & FEW);
    const bool has_low = w->l->debug.partials && w->corpus->lows[0].size;
    const bool is_low = has_low && w->low_lines * MANNER_USUAL <= w->lines * w->corpus->manner.lows;
    return (is_low ? LOW : DEBUG_LINE_FIRST) + (uint32_t)(r & DIFFERENT);
}

/* The same for all where the row does not say how unlike units are. */
uint64_t describe_weight(const struct walk *w, uint32_t unit)
{
    const struct uneven *of = &w->l->debug.code_uneven;
    return of->count ? uneven_weight(of, unit) : 1;
}

/* Sets where the next unit ends, of as many units as the row says: where its share of the code ends, by its weight. It
 * has at least one function, and leaves at least one to each of the units behind it. */
static void share_code(struct walk *w)
{
    const struct library *l = w->l;
    const uint32_t units = l->row->debug.units;
    if (!w->shares.weights) { /* units of small functions are before this one */
        w->shares = (struct shares){.sum = w->code};
        for (uint32_t i = w->units; i < units; i++)
            w->shares.weights += describe_weight(w, i);
    }
    const uint64_t left = l->described + (uint64_t)l->shape.glue - w->told;
    const uint32_t others = w->units + 1 < units ? units - w->units - 1 : 0;
    if (w->units < units)
        w->unit_until += shares_next(&w->shares, describe_weight(w, w->units));
    if (!others)
        w->unit_until = UINT64_MAX;
    w->unit_rest = left > others ? (uint32_t)(left - others) : 1;
}

bool describe_unit(struct walk *w, uint64_t offset)
{
    const struct library *const l = w->l;
    w->line_number = w->first_line = first_line(w, random_at(plan_key(l->row, PURPOSE_UNITS), w->units));
    w->ahead = 0;
    for (unsigned i = 0; i < SHAPE_HELPERS; i++)
        w->helper[i] = COMPOSE_UNKNOWN;
    l->debug.unit[w->units] = (struct debug_unit){0};
    return compose_unit(&w->composer, &l->debug.unit[w->units++], offset);
}

bool describe_unit_shared(struct walk *w, uint64_t offset)
{
    const struct library *const l = w->l;
    const uint64_t r = random_at(plan_key(l->row, PURPOSE_UNITS), w->units);
    const uint64_t average = (uint64_t)plan_units(l->plan, l->row);
    w->unit_rest = (uint32_t)(average / 2 + random_below(r, average + 1));
    if (!w->unit_rest)
        w->unit_rest = 1;
    if (l->row->debug.units)
        share_code(w);
    return describe_unit(w, offset);
}

void describe_helper(struct walk *w, uint32_t number)
{
    static const uint8_t types[] = {BASE_LONG, BASE_LONG};
    if (w->helper[number] == COMPOSE_UNKNOWN)
        w->helper[number] =
            compose_declaration(&w->composer, w->helper_name[number], DEBUG_LINE_FIRST + number, 2, types);
}

uint32_t describe_name(struct library *l, const char *prefix, const char *suffix)
{
    struct debug *d = &l->debug;
    size_t name = bytes_append(&d->statics, prefix, strlen(prefix));
    bytes_append(&d->statics, suffix, strlen(suffix) + 1);
    return (uint32_t)(d->names_size + name);
}

uint32_t describe_word(struct library *l, const char *text, uint32_t length)
{
    struct debug *d = &l->debug;
    size_t name = bytes_append(&d->statics, text, length);
    bytes_u8(&d->statics, 0);
    return (uint32_t)(d->names_size + name);
}

/* Describes what the first unit defines besides functions: the visit marks and the scratch object that statements write
 * to. The lines are those of emit/source/source.c. */
static void describe_objects(struct walk *w)
{
    struct library *l = w->l;
    const struct debug_object objects[OBJECTS] = {
        {.name = describe_name(l, l->shape.marks_exported ? l->row->name : plan_prefix(l->row), "_visits"),
         .line = 6,
         .column = 22,
         .type = BASE_UNSIGNED_CHAR,
         .count = l->shape.marks,
         .address = l->code.marks,
         .external = l->shape.marks_exported},
        {.name = describe_name(l, plan_prefix(l->row), "_scratch"),
         .line = 8,
         .column = 13,
         .type = BASE_LONG,
         .count = l->row->level < LEVEL_BARE ? l->code.scratch_words : 0,
         .address = l->code.scratch},
    };
    for (unsigned i = 0; i < OBJECTS; i++)
        if (objects[i].count)
            compose_object(&w->composer, &objects[i]);
    w->has_objects = true;
}

bool describe_begin(struct walk *w, uint64_t offset, const struct describe_room *room)
{
    if (w->composer.unit && !w->composer.adjoins && describe_unit_is_full(w, 0, w->end))
        describe_unit_end(w);
    if (!w->composer.unit && !describe_unit_shared(w, offset))
        return false;
    w->unit_rest--;
    w->told++;
    bool first = !w->has_objects && !lines_are_told(w);
    uint64_t objects = first ? OBJECTS * COMPOSE_OBJECT_MOST : 0;
    if (!compose_reserve(&w->composer, room->info + objects, room->lists, room->ranges, room->rows))
        return false;
    if (first)
        describe_objects(w);
    return true;
}

void describe_end(struct walk *w, uint64_t end)
{
    compose_function_end(&w->composer);
    compose_keep(&w->composer);
    w->end = end;
}
