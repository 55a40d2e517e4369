/* The size pass of a library; see library.h. */
#include "emit/library/library.h"

#include <assert.h>
#include <string.h>

#include "base/page.h"
#include "base/shares.h"
#include "elf/write/plt.h"
#include "emit/library/files.h"
#include "emit/library/join.h"
#include "emit/library/library_debug.h"
#include "emit/library/library_start.h"
#include "emit/library/objects.h"
#include "emit/library/relocated.h"
#include "emit/library/sizes_row.h"
#include "emit/library/small.h"
#include "emit/library/tables.h"
#include "emit/library/unwound.h"
#include "emit/plan/evaluate.h"
#include "emit/profile/keys.h"

/* The slot of an own function that is called. It is the next PLT slot before those that resolvers fill. Functions
 * that are called directly have no PLT slot; their numbers follow all PLT slots. */
static uint32_t next_slot(const struct library *l, uint32_t *next)
{
    if (*next == l->irelative_first)
        *next = l->shape.plt;
    return (*next)++;
}

/* Gives each callee its PLT slot, in this order: Python's functions, the entry, the extern functions, imports,
 * functions that are bound but never called, own functions. The slots that resolvers fill come last. */
static bool number_slots(struct library *l, struct arena *arena)
{
    const struct shape *s = &l->shape;
    uint32_t next = 0;
    l->slot = arena_take(arena, (l->row->functions + UINT64_C(1)) * sizeof *l->slot);
    if (!l->slot)
        return false;
    l->irelative_first = s->plt - resolvers_slots(&s->resolvers, l->row);
    l->at.python_slot = next;
    if (s->python || s->holds)
        next += shape_python_functions(l->row) - l->row->glue.result_by_got;
    if (s->python && !l->row->glue.direct_entry)
        l->at.entry_slot = next++;
    l->at.extern_before_slot = s->extern_called >= 0 ? next++ : CODE_NO_SLOT;
    l->at.own_extern_slot = s->calls_own_extern ? next++ : CODE_NO_SLOT;
    l->code.import_slot = next;
    next += l->row->imports - plan_uncalled(l->row);
    l->outside_slots = next;
    next += l->row->extra.plt.slots;
    l->small_slots = next;
    next += l->row->extra.plt.small;
    for (uint32_t i = 0; i < l->row->functions; i++) {
        bool head = i % l->plan->depth == 0;
        bool called = !head || (s->python && plan_chain_covered(l->plan, i / l->plan->depth));
        l->slot[i] = called ? next_slot(l, &next) : CODE_NO_SLOT;
    }
    if (l->row->glue.direct_entry)
        l->at.entry_slot = next_slot(l, &next);
    assert(next == s->plt + s->direct || (!s->direct && next == l->irelative_first));
    return true;
}

/* Sets where each slot's calls go: an executable's own functions need no PLT. */
static bool target_directly(struct library *l, struct arena *arena)
{
    const struct shape *s = &l->shape;
    uint64_t *target = arena_take(arena, (s->plt + s->direct + UINT64_C(1)) * sizeof *target);
    if (!target)
        return false;
    for (uint32_t i = 0; i < s->plt; i++)
        target[i] = plt_address(&l->layout, i);
    for (uint32_t i = 0; i < l->row->functions; i++)
        if (l->slot[i] != CODE_NO_SLOT)
            target[l->slot[i]] = l->code.text + l->body[i].offset;
    if (l->row->glue.direct_entry)
        target[l->at.entry_slot] = l->code.text + l->glue.place[GLUE_ENTRY].offset;
    l->code.target = target;
    return true;
}

/* A function's weight when the free code is divided: most functions get a little, some a lot. */
static uint32_t weight_of(uint64_t key, uint32_t index)
{
    uint64_t r = random_at(key, index);
    return 1 + (uint32_t)(r & 3) + ((r >> 8 & 7) == 0 ? 4 : 0);
}

/* The least bytes of .rodata: it holds static objects that have no room elsewhere. */
static uint64_t least_constants(const struct library *l)
{
    enum { OBJECT = 16 };
    return l->row->unaligned && !l->shape.rodata && l->row->locals ? OBJECT : 0;
}

/* Names the library and, if it has a row, the size in it that is too large. `by_hand` is what to do, as far as the
 * profile was not captured; NULL: nothing. */
static bool too_large(const struct library *l, const char *what, const char *by_hand, struct error *e)
{
    enum { SPARE = 64 << 20 };
    static const enum size_kind kinds[][3] = {{SIZE_TEXT, SIZE_DATA, SIZE_BSS}, {SIZE_DEBUG, SIZE_SYMTAB, SIZE_STRTAB}};
    const uint64_t *const size = l->row->size;
    const bool loaded = size[SIZE_TEXT] + size[SIZE_DATA] + size[SIZE_BSS] > INT32_MAX - SPARE;
    const enum size_kind *const kind = kinds[loaded ? 0 : 1];
    enum size_kind most = kind[0];
    for (unsigned i = 1; i < 3; i++)
        most = size[kind[i]] > size[most] ? kind[i] : most;
    const struct profile_row *const said = l->row->said;
    char text[PLAN_ADVICE];
    const char *const advice = plan_advice(l->plan, l->row, by_hand, text);
    const char *const before = advice ? "; " : "";
    if (!said || said->value[ROW_TEXT + most] == PROFILE_DERIVED)
        return error_set(e, ERROR_INFEASIBLE, "%s%s: %.600s%s%s", plan_stem(l->row), plan_ending(l->row), what, before,
                         advice ? advice : "");
    return error_set(e, ERROR_INFEASIBLE, PROFILE_LIBRARIES ": row %td: %s: %lld bytes are too many: %.600s%s%s",
                     said - l->plan->profile->row, profile_keys[KEY_TEXT + most].name,
                     (long long)said->value[ROW_TEXT + most], what, before, advice ? advice : "");
}

static bool too_much_code(const struct library *l, struct error *e)
{
    return too_large(l, "more than 2 GiB of code in one library", "use more libraries", e);
}

/* Notes in functions where their cold parts are. */
static void place_cold(struct library *l)
{
    struct small_walk walk = small_walk(l, l->row->cold.first);
    for (uint32_t i = 0; i < l->row->cold.count; i++)
        l->body[l->row->cold.host[i]].cold = (int32_t)small_walk_next(l, &walk);
}

/* Settles the frames and pieces of functions, whose sizes and cold parts are known. */
static bool compose_functions(struct library *l, const uint32_t *leasts, struct arena *arena)
{
    const struct plan_library *row = l->row;
    unwound_deal(l, leasts);
    for (uint32_t i = 0; i < row->functions; i++) {
        struct body *b = &l->body[i];
        const uint64_t bytes = b->size - leasts[i] - frame_more(b->frame);
        if (!code_compose(&l->code, i, bytes, b->cold != 0, unwound_room(l, b), arena, b))
            return false;
    }
    return true;
}

/* Divides .text among the functions, and the rest of the text size between .text and the constants. */
static bool size_code(struct library *l, struct arena *arena, struct error *e)
{
    const struct plan_library *row = l->row;
    const uint32_t align = code_align(row);
    uint64_t budget = row->size[SIZE_TEXT] - l->shape.text_tables - l->shape.rodata;
    const uint64_t small = plan_small_text(row);
    uint64_t least = l->glue.end + small;
    struct shares shares = {0};
    const uint64_t weight_key = plan_key(row, PURPOSE_WEIGHT);
    const uint64_t padding_key = plan_key(row, PURPOSE_PADDING);
    uint32_t *leasts = arena_take(arena, (row->functions + UINT64_C(1)) * sizeof *leasts);
    l->body = arena_take(arena, (row->functions + UINT64_C(1)) * sizeof *l->body);
    if (!leasts || !l->body)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    for (uint32_t i = 0; i < row->functions; i++) {
        leasts[i] = code_least(&l->code, i);
        least += code_aligned(leasts[i], align);
        shares.weights += weight_of(weight_key, i);
    }
    if (row->size[SIZE_TEXT] < l->shape.text_tables + l->shape.rodata || budget < least)
        return error_set(e, ERROR_INFEASIBLE, "%s%s: its code needs %llu bytes, the plan leaves %llu", plan_stem(row),
                         plan_ending(row), (unsigned long long)least, (unsigned long long)budget);
    uint64_t free_bytes = budget - least;
    uint64_t units = row->functions ? (free_bytes - free_bytes / 8) / align : 0;
    if (units && row->said && row->said->value[ROW_SHARE_CODE] != PROFILE_DERIVED) {
        const uint64_t code = (uint64_t)row->said->value[ROW_SHARE_CODE];
        const uint64_t fixed = least + l->layout.section[SECTION_INIT].size + l->layout.section[SECTION_FINI].size;
        const uint64_t more = code > fixed ? code - fixed : 0;
        const uint64_t most = least_constants(l) < free_bytes ? free_bytes - least_constants(l) : 0;
        units = (more < most ? more : most) / align;
        l->text_tail = more < most && !plan_is_direct(row) ? (uint32_t)(more % align) : 0;
    }
    l->rodata_free = free_bytes - units * align - l->text_tail;
    if (least - small + units * align > INT32_MAX) /* before so much is composed */
        return too_much_code(l, e);
    const struct drawn_size *drawn = NULL;
    if (row->said && !sizes_row(l, leasts, units, arena, &drawn))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    l->lead = (uint32_t)plan_lead(row);
    uint64_t offset = l->glue.end;
    shares.sum = units;
    for (uint32_t i = 0; i < row->functions; i++) {
        uint64_t extra = shares_next(&shares, weight_of(weight_key, i)) * align;
        uint64_t place = code_aligned(leasts[i], align) + extra;
        uint64_t padding = extra ? random_at(padding_key, i) & (align - 1) : place - leasts[i];
        if (drawn) {
            place = (uint64_t)align * drawn[i].places;
            padding = place - drawn[i].bytes;
        }
        if (l->lead + offset + place > INT32_MAX)
            return too_much_code(l, e);
        l->body[i] = (struct body){.offset = (uint32_t)offset, .size = (uint32_t)(place - padding)};
        offset += place;
    }
    l->small = (uint32_t)offset;
    place_cold(l);
    if (!compose_functions(l, leasts, arena))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    l->layout.section[SECTION_TEXT].size = offset + small + l->text_tail;
    l->layout.section[SECTION_RODATA].size = l->shape.rodata + l->rodata_free;
    return true;
}

uint64_t library_first_described(const struct library *l)
{
    for (unsigned i = GLUE_PYINIT; i < GLUE_COUNT; i++)
        if (l->glue.place[i].size)
            return l->glue.place[i].offset;
    return library_function_at(l, 0);
}

/* Sets which functions are described: of those that the plan leaves open, as many as bring the code nearest to what is
 * wanted. */
static void choose_described(struct library *l)
{
    const struct plan_described d = plan_described(l->plan, l->row);
    const uint64_t wanted = library_first_described(l) + d.code;
    l->described = d.most;
    while (l->described > d.least) {
        const uint64_t end = library_function_at(l, l->described);
        if (end + library_function_at(l, l->described - 1) <= 2 * wanted)
            break;
        l->described--;
    }
    l->described_names = l->row->names.functions;
    if (l->described == l->row->functions)
        return;
    l->described_names = 0;
    for (uint32_t i = 0; i < l->described; i++)
        l->described_names += names_function(&l->plan->names, l->row, i, &l->code.own[i]) + UINT64_C(1);
}

/* How many of `objects` objects are in .tbss: one for each reference, if objects are words. */
static uint32_t tls_objects(const struct plan_library *row, uint32_t objects)
{
    uint32_t most = row->extra.thread.modules < row->extra.thread.bytes / 8 ? row->extra.thread.modules
                                                                            : row->extra.thread.bytes / 8;
    most = row->extra.thread.bytes && !most ? 1 : most;
    return objects < most ? objects : most;
}

/* Compilers align objects of 32 bytes and more to 32: see struct object_pitch. */
static uint32_t alignment_for(uint64_t objects)
{
    return objects < 2 * 32 ? 0 : 32;
}

/* Divides the static objects: .data, .data.rel.ro and .rodata get some as far as they have room, .bss the others. */
static void size_objects(struct library *l)
{
    const struct plan_library *row = l->row;
    const uint32_t locals = row->locals - plan_local_aliases(row);
    l->data_free = row->size[SIZE_DATA] - l->shape.data_tables - l->shape.data - l->relro_free;
    uint64_t in_data = l->data_free / 16;
    uint64_t in_rodata = l->rodata_free / 32;
    l->objects_data = in_data < locals / 4 ? (uint32_t)in_data : locals / 4;
    l->objects_rodata = in_rodata < locals / 4 ? (uint32_t)in_rodata : locals / 4;
    uint64_t in_relro = l->relro_free / 16;
    l->objects_relro = in_relro < locals / 4 - l->objects_data ? (uint32_t)in_relro : locals / 4 - l->objects_data;
    l->objects_bss = locals - l->objects_data - l->objects_relro - l->objects_rodata;
    uint64_t fixed = (l->shape.bss + 7) & ~UINT64_C(7);
    const uint64_t wanted = row->size[SIZE_BSS] - row->extra.thread.bytes;
    if (row->said) {
        l->objects_tls = tls_objects(row, l->objects_bss);
        l->objects_bss -= l->objects_tls;
        const uint64_t room = wanted > fixed ? (wanted - fixed) / 16 : 0;
        const uint32_t rest = l->objects_bss > room ? l->objects_bss - (uint32_t)room : 0;
        l->objects_bss -= rest;
        const bool has_rodata = l->layout.section[SECTION_RODATA].size > 0;
        *(has_rodata ? &l->objects_rodata : &l->objects_data) += rest;
        if (wanted < fixed)
            fixed = wanted;
    }
    uint64_t bss = fixed + UINT64_C(16) * l->objects_bss;
    l->bss_free = wanted > bss ? wanted - bss : 0;
    l->layout.section[SECTION_DATA].size = l->shape.data - 8 * (uint64_t)l->relro_words + l->data_free;
    l->layout.section[SECTION_BSS].size = bss + l->bss_free;
    l->layout.section[SECTION_TBSS].size = row->extra.thread.bytes;
    l->layout.section[SECTION_DATA].align = alignment_for(objects_size(l));
    l->layout.section[SECTION_DATA_REL_RO].align = alignment_for(objects_relro_size(l));
    l->layout.section[SECTION_BSS].align = alignment_for(bss - fixed + l->bss_free);
}

static bool place(struct library *l, struct error *e)
{
    if (layout_place(&l->layout, e)) {
        if (l->joined)
            join_place(l);
        return true;
    }
    char text[sizeof e->text];
    memcpy(text, e->text, sizeof text);
    return too_large(l, text, NULL, e);
}

/* Places what is loaded, with `words` relocated words and `constants` bytes of constants in .data.rel.ro, which is
 * protected after relocation. */
static bool place_with(struct library *l, uint32_t words, uint64_t constants, struct error *e)
{
    l->layout.section[SECTION_DATA_REL_RO].size -= objects_relro_size(l);
    l->relro_words = words;
    l->relro_free = constants;
    l->layout.section[SECTION_DATA_REL_RO].size += objects_relro_size(l);
    size_objects(l);
    if (!place(l, e))
        return false;
    tables_addresses(l);
    return true;
}

/* Gives .data.rel.ro `bytes` bytes of relocated words and constants, as far as there are so many that may be there.
 * Where relocations then touch fewer pages than the row says, some words stay in .data: a few are enough. */
static bool place_as_said(struct library *l, uint64_t bytes, uint64_t relocated, int64_t pages, struct error *e)
{
    enum { ROUNDS = 4 };
    const uint64_t others = objects_relro_at(l);
    const uint64_t said = relocated > l->shape.pointers ? relocated - l->shape.pointers : 0;
    const uint64_t size = bytes > others ? bytes - others : 0;
    const uint64_t most = l->row->size[SIZE_DATA] - l->shape.data_tables - l->shape.data;
    const uint64_t all = shape_words(l->row) / 8;
    const uint64_t room = size / 8 < said ? size / 8 : said;
    uint64_t words = room < all ? room : all;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (!place_with(l, (uint32_t)words, size - 8 * words < most ? size - 8 * words : most, e))
            return false;
        const int64_t missing = pages - (int64_t)relocated_pages(l);
        if (missing <= 0 || !words)
            break;
        words -= (uint64_t)missing < words ? (uint64_t)missing : words;
    }
    return true;
}

/* Makes relocations touch one page more or less than they do, if the row says so. For one page more, constants of
 * .data move to the protected sections, so many that these begin on the page before. For one page less, so many that
 * .data has a page less. */
static bool place_by_pages(struct library *l, int64_t wanted, struct error *e)
{
    if (!place_with(l, 0, 0, e))
        return false;
    const int64_t found = wanted == PROFILE_DERIVED ? 0 : (int64_t)relocated_pages(l);
    const uint64_t before = l->layout.section[SECTION_INIT_ARRAY].address % PAGE + (found < wanted ? 8 : 0);
    if (wanted == PROFILE_DERIVED || l->row->elf.relro == RELRO_NONE || before > l->data_free ||
        (found + 1 != wanted && found - 1 != wanted))
        return true;
    return place_with(l, 0, before, e) && ((int64_t)relocated_pages(l) == wanted || place_with(l, 0, 0, e));
}

static bool place_loaded(struct library *l, struct error *e)
{
    const struct profile_row *said = l->row->said;
    const int64_t pages = said ? said->value[ROW_RELOCATIONS_PAGES] : PROFILE_DERIVED;
    const int64_t bytes = said ? profile_row_says(l->plan->profile, said, ROW_DATA_REL_RO) : PROFILE_DERIVED;
    const int64_t relocated = said ? profile_row_says(l->plan->profile, said, ROW_RELOCATIONS_RELRO) : PROFILE_DERIVED;
    if (bytes == PROFILE_DERIVED)
        return place_by_pages(l, pages, e);
    return place_as_said(l, (uint64_t)bytes, relocated == PROFILE_DERIVED ? UINT64_MAX : (uint64_t)relocated, pages, e);
}

/* Sizes and places what is loaded. Debug information states its addresses, so they stay when the rest of the file is
 * placed. */
static bool size_loaded(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                        struct error *e)
{
    struct library *l = &b->library;
    const struct plan_library *row = &plan->library[index];
    if (!library_start(l, plan, row, stock, &b->arena) || !number_slots(l, &b->arena))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    l->code.slot = l->slot;
    l->joined = b->joined;
    l->only_sizes = b->only_sizes || b->large;
    shape_sections(plan, row, &l->shape, &l->layout);
    if (!size_code(l, &b->arena, e))
        return false;
    choose_described(l);
    if (!place_loaded(l, e))
        return false;
    if (library_is_part(l) ? !join_targets(l, &b->arena) : l->shape.direct && !target_directly(l, &b->arena))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    if (l->shape.executable)
        l->layout.entry = l->code.text + l->glue.place[GLUE_START].offset;
    if (!row->stripped)
        l->layout.section[SECTION_STRTAB].size = l->shape.strtab + row->names.locals;
    if (l->shape.python && !l->joined &&
        !evaluate_entry(plan, row, &l->calls, l->code.own, l->code.imported, &b->arena, &l->result))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    return true;
}

static bool size_rest(struct builder *b, struct error *e)
{
    return library_size_debug(b, e) && place(&b->library, e) && files_place(&b->library, e);
}

bool library_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                  struct error *e)
{
    arena_reset(&b->arena);
    b->loaded.row = NULL;
    if (!size_loaded(b, plan, stock, index, e))
        return false;
    b->loaded = b->library;
    b->mark = arena_mark(&b->arena);
    return size_rest(b, e);
}

bool library_size_again(struct builder *b, struct error *e)
{
    assert(b->loaded.row);
    b->library = b->loaded;
    arena_return(&b->arena, b->mark);
    return size_rest(b, e);
}
