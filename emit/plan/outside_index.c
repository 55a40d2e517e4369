/* Works out once what is asked of all names again and again; see outside_parts.h. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "emit/plan/outside.h"
#include "emit/plan/outside_beside.h"
#include "emit/plan/outside_names.h"
#include "emit/plan/outside_newer.h"
#include "emit/plan/outside_parts.h"

static struct outside_index made;

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

static void find_lengths(struct outside_index *x)
{
    for (uint32_t i = 0; i < BESIDE + outside_beside_most(UINT32_MAX); i++)
        x->length[i] = (uint8_t)strlen(outside_at(i));
    for (uint32_t i = 0; i < NEWER; i++)
        x->bytes_before[i + 1] = x->bytes_before[i] + x->length[i] + 1;
}

/* Sorts the places of each list by the lengths of their names. */
static void sort_places(struct outside_index *x)
{
    uint16_t places = 0;
    x->begin[LIST_LIBC] = PYTHON;
    x->begin[LIST_INNER] = INNER;
    for (uint32_t list = LIST_MATH; list <= LISTS; list++)
        x->begin[list] = (uint16_t)(BESIDE + outside_beside_most(list - LIST_MATH));
    for (uint32_t list = 0; list < LISTS; list++) {
        const uint32_t begin = x->begin[list];
        const uint32_t end = x->begin[list + 1];
        for (uint32_t length = 0; length < LENGTHS; length++) {
            x->first[list][length] = places;
            for (uint32_t i = begin; i < end; i++) {
                const uint32_t place = list == LIST_INNER ? begin + end - 1 - i : i;
                if (x->length[place] == length)
                    x->place[places++] = (uint16_t)place;
            }
        }
        x->first[list][LENGTHS] = places;
    }
}

static void list_versions(struct outside_index *x)
{
    assert(outside_newer_versions() <= VERSIONS_MOST);
    for (uint32_t version = 0; version < outside_newer_versions(); version++) {
        const uint32_t first = outside_newer_first(version);
        const uint32_t bytes = (uint32_t)strlen(outside_newer_version(version)) + 1;
        x->versions_bytes[version + 1] = x->versions_bytes[version] + bytes;
        x->newer_first[version] = (uint16_t)first;
        for (uint32_t name = first; outside_newer_name(name); name++) {
            assert(name < NEWER_MOST);
            x->length[NEWER + name] = (uint8_t)strlen(outside_newer_name(name));
            x->newer_version[name] = (uint8_t)version;
        }
    }
}

static void make(void)
{
    assert(outside_beside_most(UINT32_MAX) <= BESIDE_MOST);
    find_lengths(&made);
    sort_places(&made);
    list_versions(&made);
}

const struct outside_index *outside_index(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return &made;
}
