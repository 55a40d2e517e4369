/* libFuzzer target of dwarf/stats: any bytes as a file, of which a sample is read.
 * libdwarf itself ends some processes that read broken files; what is looked for is
 * what our part of the reading does. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dwarf/stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct debug_stats s;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        close(fd);
        return 0;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct error e = {0};
    if (stats_read_here(path, size / 4, &s, &e)) {
        assert(s.sample.bytes_read <= s.sample.bytes && s.sample.units_read <= s.sample.units);
        double error = stats_scale(&s);
        assert(error >= 0);
    } else {
        assert(e.code != ERROR_NONE && e.text[0] && e.file[0]);
    }
    stats_free(&s);
    close(fd);
    return 0;
}
