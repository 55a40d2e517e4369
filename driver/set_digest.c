/* See set_digest.h. The functions of xxHash are inlined, because a rank loads no library that a run does not need. */
#include "driver/set_digest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/manifest.h"
#include "base/whole.h"

static void say(XXH128_hash_t digest, char text[SET_DIGEST_TEXT])
{
    snprintf(text, SET_DIGEST_TEXT, "%016" PRIx64 "%016" PRIx64, (uint64_t)digest.high64, (uint64_t)digest.low64);
}

void set_digest_of(const void *manifest, size_t size, char text[SET_DIGEST_TEXT])
{
    say(XXH3_128bits(manifest, size), text);
}

bool set_digest(const char *directory, char text[SET_DIGEST_TEXT], struct error *e)
{
    char path[PATH_MAX + sizeof "/" MANIFEST_FILE];
    char block[1 << 16];
    XXH3_state_t state;
    ssize_t n;
    snprintf(path, sizeof path, "%s/" MANIFEST_FILE, directory);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_errno(e, path, "cannot be read");
    XXH3_128bits_reset(&state);
    while ((n = whole_read(fd, block, sizeof block)) > 0)
        XXH3_128bits_update(&state, block, (size_t)n);
    const int number = errno;
    close(fd);
    errno = number;
    if (n < 0)
        return error_errno(e, path, "cannot be read");
    say(XXH3_128bits_digest(&state), text);
    return true;
}
