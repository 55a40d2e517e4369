/* See source.h. */
#include "runtime/source.h"

#include <stdarg.h>
#include <stdio.h>

void source_absent(struct counter *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->absent, sizeof c->absent, format, arguments);
    va_end(arguments);
}
