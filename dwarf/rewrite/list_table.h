/* A unit's lists with numbers, as DW_FORM_loclistx and DW_FORM_rnglistx need them (DWARF 5 sections 7.28, 7.29). They
 * are made one by one from lists that are known by their old offsets.
 *
 *     header | offset of list 0, 1, ... from here | list 0 | list 1 | ... */
#ifndef DWARF_REWRITE_LIST_TABLE_H
#define DWARF_REWRITE_LIST_TABLE_H

#include "dwarf/rewrite/numbers.h"

/* Empty when zeroed. list_table_failed tells when memory has run out. */
struct list_table {
    struct numbers numbers; /* the number of each list; the keys are old offsets in the section */
    struct bytes at;        /* uint32_t: for each number, the offset of the list in `bytes` */
    struct bytes bytes;     /* the lists in their new form */
};

/* The number of the list at this old offset. *is_new tells that it is met for the first time. Then its new form begins
 * where `bytes` ends, and the caller has to append it. */
uint32_t list_table_of(struct list_table *t, uint32_t offset, bool *is_new);

/* The number of the range list that was composed at this offset of .debug_rnglists. A new list is appended with
 * DW_RLE_offset_pair entries, relative to `low`, the unit's first address. */
uint32_t list_table_ranges(struct list_table *t, const uint8_t *section, uint32_t offset, uint64_t low);

/* Puts `size` bytes of views before the newest list, of which nothing has been appended so far. */
void list_table_views(struct list_table *t, const uint8_t *views, uint32_t size);

/* Bytes of header and offsets before the first list of version 5. */
uint32_t list_table_begin(const struct list_table *t);

/* Offset of the list with this number in `bytes`. */
uint32_t list_table_at(const struct list_table *t, uint32_t number);

/* Appends header, offsets and lists of version 5; nothing if there is no list. */
void list_table_put(const struct list_table *t, struct bytes *out);

/* Forgets all lists; keeps the memory. */
void list_table_clear(struct list_table *t);
bool list_table_failed(const struct list_table *t);
void list_table_free(struct list_table *t);

#endif
