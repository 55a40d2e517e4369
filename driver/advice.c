/* See advice.h. */
#include "driver/advice.h"

#include <string.h>

const char *advice_for(const char *reason)
{
    /* glibc does not say which of these it is */
    if (strstr(reason, "failed to map segment") || strstr(reason, "Cannot allocate memory"))
        return "check 'ulimit -v', vm.max_map_count, and that the set's file system is not mounted noexec";
    return "check the set with pyelfgen --verify";
}
