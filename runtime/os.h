/* The launcher's side of what the operating system counts. */
#ifndef RUNTIME_OS_H
#define RUNTIME_OS_H

#include <stdbool.h>

#include "base/error.h"

/* Puts into the environment what this process has caused so far, so that it is not counted for the program that the
 * same process executes next. */
bool os_hand_on(struct error *e);

#endif
