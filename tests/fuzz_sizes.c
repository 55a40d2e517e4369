/* libFuzzer target of elf/sizes: any bytes as a file. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/sizes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        close(fd);
        return 0;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct file_sizes sizes;
    struct error e = {0};
    uint64_t total;
    if (sizes_read(path, &sizes, &e))
        assert(sizes_total(&sizes, &total));
    else
        assert(e.code != ERROR_NONE && e.text[0] && e.file[0]);
    close(fd);
    return 0;
}
