/* What an index of names lists of the headers, once for all units. A header lists its entries in their order, so a unit
 * that leaves it at some cut has the first of them. */
#include <assert.h>
#include <stdlib.h>

#include "dwarf/corpus/corpus_parts.h"

void corpus_list_start(struct corpus *c)
{
    const bool is_cpp = c->dialect.language == DWARF_CPP;
    bool seen[UINT8_MAX] = {false};
    for (unsigned code = 1; code <= abbrev_codes(c->dialect) && c->dialect.index; code++) {
        const struct index_die die = abbrev_index_die(code);
        c->listing[code] = (struct corpus_listing){.wanted = index_wants(c->dialect.index, &die),
                                                   .is_static = index_is_static(die.tag, die.is_external, is_cpp),
                                                   .tag = die.tag};
        if (c->listing[code].wanted && !seen[die.tag]) {
            seen[die.tag] = true;
            c->index_tags++;
        }
    }
}

void corpus_list_entry(struct header_builder *b, uint32_t at, enum abbrev_code code, uint32_t name,
                       const char *qualified)
{
    struct corpus *c = b->corpus;
    const struct corpus_listing *as = &c->listing[code];
    if (!as->wanted || c->strings.failed)
        return;
    struct index_entry entry = {.name = name, .die = at, .tag = as->tag, .is_static = as->is_static};
    if (c->dialect.index == INDEX_GDB) {
        const char *text = qualified ? qualified : index_gdb_name((const char *)c->strings.data + name);
        entry.name = (uint32_t)bytes_string(&c->index_texts, text);
    }
    bytes_append(&b->listed, &entry, sizeof entry);
}

void corpus_list_inline(struct header_builder *b, uint32_t k, uint32_t name, uint32_t linkage_name)
{
    uint32_t *names = b->corpus->header[b->header].inline_name + 2 * (size_t)k;
    names[0] = name;
    names[1] = linkage_name;
}

/* Counts the distinct names of a header up to each of its cuts. Common names that the first header lists are counted in
 * index_common only, because all headers have them. `seen` says for each name 1 + the number of the header that listed
 * it last; for such common names it stays 1. */
static void count_names(struct corpus *c, uint32_t number, uint8_t *seen)
{
    const struct corpus_header *h = &c->header[number];
    uint32_t count = 0;
    uint32_t i = 0;
    static_assert(CORPUS_HEADERS < UINT8_MAX, "a byte says which header");
    for (uint32_t cut = 0; cut < h->cuts; cut++) {
        for (; i < h->cut[cut].listed; i++) {
            uint32_t name = h->listed[i].name;
            const bool is_common = name < c->common && (!number || seen[name] == 1);
            const bool is_new = seen[name] != (is_common ? 1 : number + 1);
            count += is_new && !is_common;
            c->index_common += is_new && is_common;
            seen[name] = is_common ? 1 : (uint8_t)(number + 1);
        }
        h->cut[cut].named = count;
    }
}

bool corpus_list_end(struct corpus *c)
{
    if (c->dialect.index != INDEX_DEBUG_NAMES)
        return !c->index_texts.failed;
    uint8_t *seen = calloc(c->strings.size, 1);
    c->index_common = 0;
    for (uint32_t i = 0; seen && i < c->made; i++)
        count_names(c, i, seen);
    free(seen);
    return seen;
}
