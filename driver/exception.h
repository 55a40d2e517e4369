/* Python's pending exception as text. */
#ifndef DRIVER_EXCEPTION_H
#define DRIVER_EXCEPTION_H

#include <stddef.h>

/* Takes the pending exception and writes it to `text`: "ImportError: what it says". */
void exception_take(char *text, size_t size);

#endif
