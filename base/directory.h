/* What a directory holds, whole or not at all: readdir tells an error from the end by errno alone, and who takes the
 * one for the other has seen a part of a directory on a network file system and believes that it is all. */
#ifndef BASE_DIRECTORY_H
#define BASE_DIRECTORY_H

#include <stdbool.h>

/* Takes an entry of an open directory; returns whether to go on. */
typedef bool directory_function(void *context, int directory, const char *name);

/* Calls `visit` for each entry of the directory `name` in the open directory `at` but . and .., in no order, until it
 * returns false. A symbolic link is no directory. Returns 0, or an errno where the directory cannot be read to its end.
 */
int directory_each(int at, const char *name, directory_function *visit, void *context);

#endif
