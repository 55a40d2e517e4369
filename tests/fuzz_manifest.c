/* libFuzzer target of base/manifest: any bytes as a manifest. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct manifest m;
    struct error e = {0};
    if (manifest_parse(&m, (const char *)data, size, &e))
        assert(m.count == m.imported + m.utilities && m.libraries && m.application);
    else
        assert(e.code != ERROR_NONE && e.text[0] && !m.libraries);
    manifest_free(&m);
    return 0;
}
