/* libFuzzer target of tools/pyelfprobe_elf: any bytes as a shared object. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/pyelfprobe_elf.h"

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
    struct arena arena = {0};
    struct object o;
    assert(object_read(path, &arena, &o));
    size_t bytes = strlen(o.soname);
    for (size_t i = 0; i < o.needed_count; i++)
        bytes += strlen(o.needed[i]);
    for (size_t i = 0; i < o.function_count; i++)
        assert(o.functions[i][0]);
    const bool debug = object_has_debug(path);
    (void)debug;
    (void)bytes;
    arena_free(&arena);
    close(fd);
    return 0;
}
