/* libFuzzer target of elf/read/capture and elf/read/unpack: any bytes as a file. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "elf/read/capture.h"
#include "elf/read/unpack.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct capture *c)
{
    uint64_t mix = 0;
    for (int m = 0; m < CAPTURE_MIXES; m++)
        mix += c->mix[m];
    assert(mix == c->sizes.debug);
    uint64_t text = 0;
    for (int s = 0; s < CAPTURE_SHARES; s++)
        text += c->share[s];
    assert(text == c->sizes.text);
    for (size_t i = 0; i < c->needed_count; i++)
        assert(c->needed[i]);
    for (size_t i = 0; i < c->filtee_count; i++)
        assert(c->filtee[i]);
    for (size_t i = 0; i < c->auxiliary_count; i++)
        assert(c->auxiliary[i]);
    uint64_t samples = 0;
    for (size_t i = 0; i < c->functions.buckets; i++)
        samples += c->functions.bucket[i].count;
    assert(samples == c->functions.count);
    assert(c->versioned <= c->dynamic.undefined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    if (!fuzz_file_make(&file, data, size))
        return 0;
    const struct capture_wish wishes[] = {{.compress = true, .full = true}, {.links_only = true}};
    for (int w = 0; w < 2; w++) {
        struct capture c;
        struct error e = {0};
        if (capture_read(file.path, &wishes[w], &c, &e))
            check(&c);
        else
            assert(e.code != ERROR_NONE && e.text[0] && e.file[0]);
        capture_free(&c);
    }
    int unpacked;
    struct error e = {0};
    if (unpack_file(file.path, &unpacked, &e))
        close(unpacked);
    else
        assert(e.code != ERROR_NONE && e.text[0] && e.file[0]);
    close(file.fd);
    return 0;
}
