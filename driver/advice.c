/* See advice.h. */
#include "driver/advice.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

const char *advice_for(const char *reason)
{
    struct rlimit memory;
    const bool limited = getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY;
    /* glibc leaves out the system's reason where a segment behind the first one is in the way */
    if (limited && (strstr(reason, "failed to map segment") || strstr(reason, "Cannot allocate memory")))
        return "raise 'ulimit -v'";
    return "check the set with pyelfgen --verify";
}
