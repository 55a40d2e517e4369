/* Reports where a rank was when the set makes it crash. */
#ifndef DRIVER_CRASH_H
#define DRIVER_CRASH_H

#include "driver/watchdog.h"

/* From now on SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGSYS are reported on standard error, with rank, host,
 * phase and module. Then they have the effect that they would have had without this. `dog` is borrowed until
 * crash_forget. */
void crash_tell(const struct watchdog *dog);
void crash_forget(void);

#endif
