/* The command line, the same for every program.
 *
 * A program describes its options in one table. The parsing, --version and the text of --help come from this table;
 * help2man makes the man page of that text. Long options follow the GNU conventions: `--name=VALUE`, `--name VALUE`,
 * unambiguous abbreviations; `--` ends the options; operands and options may be mixed.
 */
#ifndef BASE_CLI_H
#define BASE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { CLI_END = -1, CLI_DONE = -2, CLI_WRONG = -3, CLI_OPERAND = 0 };

struct cli_option {
    int key;              /* a letter for `-k`, or a number of 256 and more for a long-only option */
    const char *name;     /* "profile" for --profile, NULL for short-only */
    const char *argument; /* "FILE", or NULL when the option takes none */
    const char *help;     /* one line, or NULL for an undocumented option */
};

struct cli_program {
    const char *name;
    const char *usage;   /* "[OPTION]... --profile PROFILE -o SET"; '\n' between several forms */
    const char *summary; /* one sentence */
    const char *details; /* paragraphs after the options: examples, exit status; may be NULL */
    const struct cli_option *options;
    size_t option_count;
};

struct cli {
    const struct cli_program *program;
    int argc;
    char **argv;
    int next;
    const char *cluster; /* rest of a group of short options */
    bool only_operands;
};

/* Begins with argv[1]; argv is borrowed. */
struct cli cli_start(const struct cli_program *program, int argc, char **argv);

/* Returns the key of the next option, CLI_OPERAND for an operand, or CLI_END at the end. *value is the option's
 * argument or the operand. --help, --version, and -h if the table has no such letter, are handled here and return
 * CLI_DONE: exit with status 0. A wrong option returns CLI_WRONG with `e` filled (ERROR_USAGE). */
int cli_next(struct cli *c, const char **value, struct error *e);

/* Reads a whole decimal number within [least, most]. Otherwise false with an ERROR_USAGE that names `what`. */
bool cli_number(const char *text, const char *what, uint64_t least, uint64_t most, uint64_t *number, struct error *e);

/* Takes the next word of *text in place, as a shell would without expanding anything: blanks divide words, quotes keep
 * them together. NULL at the end. *closed becomes false if a quote is not closed. */
char *cli_word(char **text, bool *closed);

#endif
