/* Words that names in programs are made of, and names made of them.
 *
 * All are functions of a value (base/random.h). The lists are part of a set's
 * bytes: a change to one of them is a new version.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdint.h>

/* An identifier of exactly `length` characters (with its terminator behind
 * them), a function of `value`: "mesh_cell_fl". */
void words_identifier(uint64_t value, uint32_t length, char *at);

/* As words_identifier, in CamelCase and without a terminator: "MeshCellFl". What
 * is shorter is the beginning of what is longer. */
void words_camel_case(uint64_t value, uint32_t length, char *at);

/* The number in words instead of digits, one for each six bits: "cell",
 * "cell_mesh"; with a terminator, the place of which is returned. At most
 * WORDS_NUMBERED_MOST characters. */
enum { WORDS_NUMBERED_MOST = 48 };
char *words_numbered(uint32_t number, char *at);

/* Names of methods, a verb and a noun: "assemble_matrix". */
enum { WORDS_VERBS = 16, WORDS_NOUNS = 16, WORDS_METHODS = WORDS_VERBS * WORDS_NOUNS, WORDS_METHOD_MOST = 24 };

/* Characters in the name of method `number`, below WORDS_METHODS. */
uint32_t words_method_length(uint32_t number);

/* Writes it without a terminator; returns the place behind it. */
char *words_method(uint32_t number, char *at);

#endif
