/* The entries of a directory, all of them or an error. readdir tells an error from the end only by errno. Whoever
 * mistakes one for the other sees a part of a directory on a network file system and believes that it is all. */
#ifndef BASE_DIRECTORY_H
#define BASE_DIRECTORY_H

#include <stdbool.h>

/* Takes an entry of the open directory `directory`; returns whether to continue. */
typedef bool directory_function(void *context, int directory, const char *name);

/* Calls `visit` for each entry of the directory `name` in the open directory `at`, except . and .., in no order, until
 * it returns false. A symbolic link does not count as a directory. Returns 0, or errno if the directory cannot be read
 * to its end. */
int directory_each(int at, const char *name, directory_function *visit, void *context);

#endif
