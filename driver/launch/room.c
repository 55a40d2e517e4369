/* Checks the room for temporary files; see launch.h.
 *
 * Open MPI 4 puts some 9 MB of its own files there. If it cannot make them, it ends by SIGBUS, or prints sixteen lines
 * or more that do not name the place.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/launched.h"
#include "base/process.h"
#include "driver/launch/launch.h"

#define ROOM_LEAST (UINT64_C(10) << 20)
#define OTHER_ROOM "OMPI_MCA_orte_tmpdir_base" /* Open MPI's own variable for the place */

bool launch_has_room(struct error *e)
{
    const char *directory = process_temporary();
    struct statvfs s;
    if (launched_by().by || launched_uncounted() || getenv(OTHER_ROOM))
        return true;
    if (access(directory, W_OK | X_OK) != 0)
        return errno == ENOENT || /* Open MPI makes the directory */
               error_errno(e, directory, "there can be no temporary files; set TMPDIR to another directory");
    if (statvfs(directory, &s) != 0 || s.f_bavail >= ROOM_LEAST / s.f_frsize)
        return true;
    error_set(e, ERROR_SYSTEM,
              "has room for %" PRIu64 " bytes of temporary files, and Open MPI may need %" PRIu64
              "; make room, or set TMPDIR to another directory",
              (uint64_t)s.f_bavail * s.f_frsize, ROOM_LEAST);
    return error_at(e, directory, 0);
}
