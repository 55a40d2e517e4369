/* What the files of split.h share. */
#ifndef DWARF_REWRITE_SPLIT_PARTS_H
#define DWARF_REWRITE_SPLIT_PARTS_H

#include "dwarf/rewrite/split.h"

enum { SPLIT_COLUMNS = 4 }; /* columns of an index: the sections that units share in a package */

struct split_contribution {
    uint64_t identity;
    uint32_t offset[SPLIT_COLUMNS], size[SPLIT_COLUMNS];
};

/* What becomes of an attribute's value. */
enum split_does {
    SPLIT_END, /* no attribute: behind the last of an abbreviation */
    SPLIT_COPY,
    SPLIT_DROP,   /* left out: the skeleton says it */
    SPLIT_NUMBER, /* an unsigned LEB128 */
    SPLIT_TEXT,
    SPLIT_BLOCK, /* a block of fewer than 256 bytes */
    SPLIT_STRING,
    SPLIT_LINE_STRING,
    SPLIT_ADDRESS,
    SPLIT_REFERENCE,
    SPLIT_EXPRESSION,
    SPLIT_LOCATIONS,
    SPLIT_VIEWS,    /* those of the entry's location list, which comes before */
    SPLIT_PIECES,   /* ranges */
    SPLIT_IDENTITY, /* the unit's identity, which its entry does not have so far */
};

struct split_attribute {
    uint16_t name;
    uint8_t does;
    uint8_t size; /* bytes of its value; 0: the value tells */
};

static inline bool split_is_4(const struct split *s)
{
    return dialect_is_4(s->from.dialect);
}

/* The number of an address among the unit's addresses. */
static inline uint32_t split_address(struct split *s, uint64_t address)
{
    return numbers_of(&s->addresses, address);
}

/* split_table.c. split_table reads the table of abbreviations at `table`, for the entries that are to be rewritten.
 * split_put_table appends it to the unit's parts: what they have used, and of the rest as much as there is to be. */
void split_table(struct split *s, const uint8_t *table);
void split_put_table(struct split *s);

/* The attributes of an abbreviation, without those whose values take no bytes. */
static inline const struct split_attribute *split_attributes(const struct split *s, uint64_t code)
{
    return (const struct split_attribute *)(const void *)(s->attributes.data + bytes_number(&s->first, code - 1));
}

/* split_lists.c. The number of the list at this old offset among the unit's lists; in version 4, its new offset. A list
 * is rewritten when it is met for the first time. */
uint32_t split_location_list(struct split *s, uint32_t offset);
/* The offset among the unit's lists of the views of the list that was met last, whose old offset this is. */
uint32_t split_location_views(struct split *s, uint32_t offset);
uint32_t split_range_list(struct split *s, uint32_t offset);

/* Appends the unit's lists of one kind to a part. */
void split_put_lists(struct split *s, const struct list_table *lists, struct bytes *part);

/* Writes the expression [p, end) with numbers of addresses, which takes no more bytes than before. Returns the place
 * behind it. */
uint8_t *split_expression(struct split *s, uint8_t *out, const uint8_t *p, const uint8_t *end);

/* split_index.c. Writes .debug_cu_index. */
void split_put_index(struct split *s);

#endif
