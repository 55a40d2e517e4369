/* See outside.h. */
#include "emit/plan/outside.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "emit/plan/outside_beside.h"
#include "emit/plan/outside_newer.h"
#include "emit/plan/outside_parts.h"

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
        return (outside_first_python(key) + index) % PYTHON;
    return PYTHON + (outside_first_libc(key) - PYTHON + index - (module ? PYTHON : 0)) % LIBC;
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
    return 2 + outside_index()->newer_version[place - NEWER];
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
    return outside_index()->versions_bytes[count];
}

uint8_t *outside_put_digits(uint8_t *p, uint32_t count)
{
    static const char digits[] = ".19991023";
    for (uint32_t i = 0; i < count; i++)
        *p++ = (uint8_t)digits[i % (sizeof digits - 1)];
    return p;
}

/* Bytes of `count` names of a list, from place `first` to the end and then from the beginning on. */
static uint64_t bytes_round(enum list list, uint32_t first, uint32_t count)
{
    const struct outside_index *const x = outside_index();
    const uint32_t begin = x->begin[list];
    const uint32_t left = x->begin[list + 1] - first;
    const uint32_t here = count < left ? count : left;
    return x->bytes_before[first + here] - x->bytes_before[first] + x->bytes_before[begin + count - here] -
           x->bytes_before[begin];
}

uint64_t outside_bytes(bool module, uint64_t key, uint32_t count)
{
    const uint32_t python = !module ? 0 : count < PYTHON ? count : PYTHON;
    return bytes_round(LIST_PYTHON, outside_first_python(key), python) +
           bytes_round(LIST_LIBC, outside_first_libc(key), count - python);
}

uint32_t outside_supply(bool module, uint32_t needed, uint32_t *length, uint32_t count)
{
    const struct outside_index *const x = outside_index();
    uint32_t there[LENGTHS] = {0};
    uint32_t found = 0;
    for (enum list list = 0; list < LISTS; list++)
        for (uint32_t n = 0; n < LENGTHS && outside_has_list(list, module, needed); n++)
            there[n] += outside_there(x, list, n);
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
