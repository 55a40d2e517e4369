/* See outside.h. */
#include "emit/outside.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "emit/outside_beside.h"
#include "emit/outside_names.h"
#include "emit/outside_newer.h"
#include "emit/outside_parts.h"

/* Libraries that programs link with. Left out are those that take names from others (libBrokenLocale.so.1,
 * libc_malloc_debug.so.0) and one that needs names of the program (libthread_db.so.1). */
static const char *const libraries[] = {"libm.so.6",    "libdl.so.2",     "libpthread.so.0",      "librt.so.1",
                                        "libutil.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2", "libanl.so.1",
                                        "libmvec.so.1"};

uint32_t outside_libraries_most(void)
{
    return sizeof libraries / sizeof libraries[0];
}

const char *outside_library(uint32_t index)
{
    return libraries[index];
}

uint32_t outside_most(bool module)
{
    return LIBC + (module ? PYTHON : 0);
}

uint32_t outside_place(bool module, uint64_t key, uint32_t index)
{
    if (module && index < PYTHON)
        return (random_below(key, PYTHON) + index) % PYTHON;
    return PYTHON + (random_below(random_mix(key), LIBC) + index - (module ? PYTHON : 0)) % LIBC;
}

const char *outside_at(uint32_t place)
{
    if (place >= NEWER)
        return outside_newer_name(place - NEWER);
    if (place >= BESIDE)
        return outside_beside_name(place - BESIDE);
    if (place >= INNER)
        return outside_inner[place - INNER];
    return place < PYTHON ? outside_python[place] : outside_libc[place - PYTHON];
}

const char *outside_name(bool module, uint64_t key, const uint16_t *choice, uint32_t index)
{
    return outside_at(choice ? choice[index] : outside_place(module, key, index));
}

uint32_t outside_version(bool module, uint64_t key, const uint16_t *choice, uint32_t index)
{
    const uint32_t place = choice ? choice[index] : outside_place(module, key, index);
    if (place < NEWER)
        return place < PYTHON || place >= BESIDE ? 0 : 1;
    return 2 + outside_newer_version_of(place - NEWER);
}

const char *outside_version_name(uint32_t version)
{
    return version < 2 ? OUTSIDE_VERSION : outside_newer_version(version - 2);
}

uint32_t outside_versions_most(void)
{
    return outside_newer_versions();
}

uint64_t outside_versions_bytes(uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += strlen(outside_newer_version(i)) + 1;
    return bytes;
}

uint8_t *outside_put_digits(uint8_t *p, uint32_t count)
{
    static const char digits[] = ".19991023";
    for (uint32_t i = 0; i < count; i++)
        *p++ = (uint8_t)digits[i % (sizeof digits - 1)];
    return p;
}

uint64_t outside_versioned_bytes(bool module, uint64_t key, const uint16_t *choice, uint32_t count, uint32_t digits)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t version = outside_version(module, key, choice, i);
        if (version)
            bytes +=
                strlen(outside_name(module, key, choice, i)) + 1 + strlen(outside_version_name(version)) + digits + 1;
    }
    return bytes;
}

uint64_t outside_bytes(bool module, uint64_t key, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += strlen(outside_name(module, key, NULL, i)) + 1;
    return bytes;
}

/* Counts the names of each length. */
static void count_lengths(bool module, uint32_t needed, uint32_t there[LENGTHS])
{
    memset(there, 0, LENGTHS * sizeof *there);
    for (uint32_t i = 0; i < outside_beside_most(needed); i++)
        there[strlen(outside_at(BESIDE + i))]++;
    for (uint32_t i = module ? 0 : PYTHON; i < BESIDE; i++)
        there[strlen(outside_at(i))]++;
}

uint32_t outside_supply(bool module, uint32_t needed, uint32_t *length, uint32_t count)
{
    uint32_t there[LENGTHS];
    uint32_t found = 0;
    count_lengths(module, needed, there);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t wanted = length[i];
        if (wanted >= LENGTHS || !there[wanted])
            continue;
        there[wanted]--;
        length[i] = length[found];
        length[found++] = wanted;
    }
    return found;
}
