/* What a rank says when the set brings it down: where it was. */
#ifndef DRIVER_CRASH_H
#define DRIVER_CRASH_H

#include "driver/watchdog.h"

/* From now on SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGSYS are told on
 * standard error, with rank, host, phase and module, before what would have come
 * of them without us. `dog` is borrowed until crash_forget. */
void crash_tell(const struct watchdog *dog);
void crash_forget(void);

#endif
