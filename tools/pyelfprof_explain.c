/* What a profile says, in sentences; see pyelfprof.h. */
#include "tools/pyelfprof.h"

bool prof_explain(const char *path, struct error *e)
{
    error_set(e, ERROR_INPUT, "cannot be explained yet");
    return error_at(e, path, 0);
}
