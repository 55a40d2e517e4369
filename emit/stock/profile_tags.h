/* The numbers in the text of a profile's distribution: "structure_type:1019 member:4983". */
#ifndef EMIT_STOCK_PROFILE_TAGS_H
#define EMIT_STOCK_PROFILE_TAGS_H

#include <stdint.h>

enum { TAGS_MOST = 1 << 30 }; /* the largest number of one word */

/* The number behind `word:`, at most TAGS_MOST; 0 where there is none, or no text. */
uint64_t tags_count(const char *text, const char *word);

/* The sum of all numbers. */
uint64_t tags_sum(const char *text);

/* How many calls and arguments of calls are counted, also under gcc's names for them before DWARF 5. */
uint64_t tags_calls(const char *text);
uint64_t tags_passed(const char *text);

#endif
