/* The words of which names in programs consist, and names made of them.
 *
 * Every name is a function of a value (base/random.h). The lists determine bytes of a set, so a change to one of them
 * needs a new version.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdint.h>

/* Writes an identifier of exactly `length` characters, and a terminator behind them: "mesh_cell_fl". */
void words_identifier(uint64_t value, uint32_t length, char *at);

/* Like words_identifier, in CamelCase and without a terminator: "MeshCellFl". A shorter name is the beginning of a
 * longer one of the same value. */
void words_camel_case(uint64_t value, uint32_t length, char *at);

/* Writes a number in words instead of digits, one word for each six bits: "cell", "cell_mesh". Returns the place of the
 * terminator. At most WORDS_NUMBERED_MOST characters. */
enum { WORDS_NUMBERED_MOST = 48 };
char *words_numbered(uint32_t number, char *at);

/* Names of methods, a verb and a noun: "assemble_matrix". */
enum { WORDS_VERBS = 16, WORDS_NOUNS = 16, WORDS_METHODS = WORDS_VERBS * WORDS_NOUNS, WORDS_METHOD_MOST = 24 };

/* Characters in the name of method `number`, below WORDS_METHODS. */
uint32_t words_method_length(uint32_t number);

/* Writes the name of method `number` without a terminator; returns the place behind it. */
char *words_method(uint32_t number, char *at);

#endif
