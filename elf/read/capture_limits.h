/* The largest numbers that are believed of a file: what a row of a profile can have, and what a process has addresses
 * for. A file with larger ones contradicts itself.
 *
 * Those that emit/profile/profile.h has as well are repeated here, because this room may not include it;
 * test_profile_rows.c compares them.
 */
#ifndef ELF_READ_CAPTURE_LIMITS_H
#define ELF_READ_CAPTURE_LIMITS_H

#include <stdint.h>

#define CAPTURE_SIZE_MOST      (UINT64_C(1) << 50)
#define CAPTURE_COUNT_MOST     UINT64_C(100000000)
#define CAPTURE_UNEVEN_MOST    UINT64_C(100000)     /* hundredths */
#define CAPTURE_DWARF_MOST     UINT64_C(4000000000) /* entries, attributes and rows of debug information */
#define CAPTURE_FUNCTIONS_MOST UINT64_C(4000000)
#define CAPTURE_NAME_MOST      UINT64_C(200) /* bytes */
#define CAPTURE_PAGE_MOST      UINT64_C(0xffffffff)
#define CAPTURE_LOADED_MOST    (UINT64_C(1) << 47)

#endif
