/* libFuzzer target of dwarf/stats: any bytes as a file, of which a sample is read. libdwarf itself ends the process on
 * some broken files; this target looks for errors in our part of the reading. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "dwarf/stats/stats.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct debug_stats s;
    struct fuzz_file file;
    if (!fuzz_file_make(&file, data, size))
        return 0;
    struct error e = {0};
    if (stats_read_here(file.path, size / 4, &s, &e)) {
        assert(s.sample.bytes_read <= s.sample.bytes && s.sample.units_read <= s.sample.units);
        double error = stats_scale(&s);
        assert(error >= 0);
    } else {
        assert(e.code != ERROR_NONE && e.text[0] && e.file[0]);
    }
    stats_free(&s);
    close(file.fd);
    return 0;
}
