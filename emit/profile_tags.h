/* The numbers in the text of a profile's distribution: "structure_type:1019 member:4983". */
#ifndef EMIT_PROFILE_TAGS_H
#define EMIT_PROFILE_TAGS_H

#include <stdint.h>

enum { TAGS_MOST = 1 << 30 }; /* of one word */

/* The number behind `word:`, at most TAGS_MOST; 0 where there is none, or no text. */
uint64_t tags_count(const char *text, const char *word);

/* The sum of all numbers. */
uint64_t tags_sum(const char *text);

/* Calls, and arguments that are passed, also as gcc calls them before version 5. */
uint64_t tags_calls(const char *text);
uint64_t tags_passed(const char *text);

#endif
