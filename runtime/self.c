/* See self.h. */
#include "runtime/self.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

bool self_executable(const struct executable **here, struct error *e)
{
    *here = dlsym(RTLD_DEFAULT, EXECUTABLE_SYMBOL);
    const struct executable *x = *here;
    if (!x || (x->version == EXECUTABLE_VERSION &&
               (x->kind == EXECUTABLE_KIND_LINK || (x->kind == EXECUTABLE_KIND_STATIC && x->objects))))
        return true;
    return error_set(e, ERROR_INPUT,
                     "this executable is of version %u, kind %u, which this %s does not run; take the pyelfrun that "
                     "belongs to the pyelfgen that made it",
                     x->version, x->kind, EXECUTABLE_RUNTIME);
}
