/* See advice.h. */
#include "driver/advice.h"

#include <stdlib.h>
#include <string.h>

const char *advice_for(const char *reason)
{
    /* glibc does not say which of these it is */
    if (strstr(reason, "failed to map segment") || strstr(reason, "Cannot allocate memory"))
        return "check 'ulimit -v', vm.max_map_count, and that the set's file system is not mounted noexec";
    const char *const path = getenv("LD_LIBRARY_PATH");
    if (path && *path && strstr(reason, "undefined symbol")) /* libraries of all sets have the same names */
        return "look for another set's libraries in LD_LIBRARY_PATH, or check the set with pyelfgen --verify";
    return "check the set with pyelfgen --verify";
}
