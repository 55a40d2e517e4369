/* Reading the debug information of one file, however it is compressed; see prof.h. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/read/unpack.h"
#include "tools/capture/prof.h"

/* ---- files that change ---- */

struct prof_state prof_state_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return (struct prof_state){0};
    return (struct prof_state){st.st_dev, st.st_ino, (uint64_t)st.st_size, {st.st_mtim.tv_sec, st.st_mtim.tv_nsec}};
}

bool prof_unchanged(const char *path, const struct prof_state *state, struct error *e)
{
    const struct prof_state now = prof_state_of(path);
    if (now.inode == 0 || memcmp(&now, state, sizeof now) == 0)
        return true;
    error_set(e, ERROR_INPUT, "changes while it is read; run again when it is finished");
    return error_at(e, path, 0);
}

/* ---- reading ---- */

/* Sets r->read to the path that libdwarf is to read. libdwarf knows zlib too, if less well. So a zlib file that cannot
 * be unpacked, because it is too large or has 32 bits, is left to libdwarf. */
static bool unpack(struct prof_reading *r, uint32_t compression, struct error *e)
{
    snprintf(r->read, sizeof r->read, "%s", r->path);
    if (compression == 0)
        return true;
    if (!unpack_file(r->path, &r->unpacked, e))
        return compression == ELFCOMPRESS_ZLIB && e->code == ERROR_INPUT;
    snprintf(r->read, sizeof r->read, "/proc/self/fd/%d", r->unpacked);
    return true;
}

uint64_t prof_reading_unpacked(const struct prof_reading *r)
{
    struct stat st;
    return r->unpacked >= 0 && fstat(r->unpacked, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static void reading_close(struct prof_reading *r)
{
    if (r->unpacked >= 0)
        close(r->unpacked);
    r->unpacked = -1;
}

bool prof_reading_start(struct prof_reading *r, const char *path, const struct prof_state *state, uint32_t compression,
                        uint64_t most, struct error *e)
{
    *r = (struct prof_reading){.path = path, .state = *state, .unpacked = -1};
    if (unpack(r, compression, e) && stats_start_sample(&r->reader, r->read, most, e))
        return true;
    reading_close(r);
    return error_at(e, path, 0);
}

bool prof_reading_finish(struct prof_reading *r, struct debug_stats *s, struct error *e)
{
    const bool read = stats_finish(&r->reader, s, e);
    reading_close(r);
    return (prof_unchanged(r->path, &r->state, e) && read) || error_at(e, r->path, 0);
}
