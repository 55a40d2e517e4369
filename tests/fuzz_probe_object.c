/* libFuzzer target of tools/pyelfprobe/elf.c: any bytes as a shared object. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_file.h"
#include "tools/pyelfprobe/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    if (!fuzz_file_make(&file, data, size))
        return 0;
    struct arena arena = {0};
    struct object o;
    assert(object_read(file.path, &arena, &o));
    size_t bytes = strlen(o.soname);
    for (size_t i = 0; i < o.needed_count; i++)
        bytes += strlen(o.needed[i]);
    for (size_t i = 0; i < o.function_count; i++)
        assert(o.functions[i][0]);
    const bool debug = object_has_debug(file.path);
    (void)debug;
    (void)bytes;
    arena_free(&arena);
    close(file.fd);
    return 0;
}
