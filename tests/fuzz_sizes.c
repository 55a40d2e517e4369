/* libFuzzer target of elf/read/sizes: any bytes as a file. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "elf/read/sizes.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    if (!fuzz_file_make(&file, data, size))
        return 0;
    struct file_sizes sizes;
    struct error e = {0};
    uint64_t total;
    if (sizes_read(file.path, &sizes, &e))
        assert(sizes_total(&sizes, &total));
    else
        assert(e.code != ERROR_NONE && e.text[0] && e.file[0]);
    close(file.fd);
    return 0;
}
