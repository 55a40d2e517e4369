/* Reads lists and expressions as they were composed (compose_lists.c), so that they can be written again in another
 * form: DWARF 5 sections 2.6.2, 7.25 and 7.7.1. */
#ifndef DWARF_REWRITE_LIST_READ_H
#define DWARF_REWRITE_LIST_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/rewrite/numbers.h"

/* An entry of a list: addresses and, of a location list, the expression. */
struct list_entry {
    uint64_t from, to;
    const uint8_t *expression, *end;
};

/* Reads the next entry of a list of version 5 and moves *p on behind it; false at the end of the list. `base` is what
 * the list's addresses are relative to, at first the unit's first address. */
bool list_read_5(const uint8_t **p, uint64_t *base, bool is_location, struct list_entry *e);

/* The same of a location list of version 4. */
bool list_read_4(const uint8_t **p, uint64_t *base, struct list_entry *e);

/* Writes the expression [p, end) to `out`. DW_OP_addr becomes `operation` with the address's number, which takes no
 * more bytes. Returns the place behind it. */
uint8_t *list_put_expression(uint8_t *out, const uint8_t *p, const uint8_t *end, uint8_t operation,
                             struct numbers *addresses);

#endif
