/* See cache.h. Every regular file in the set's directory counts, whether the manifest lists it or not, and also
 * where it is a symbolic link, which the dynamic linker follows. Files in directories below do not count: separate
 * debug files and sources are not loaded. */
#include "driver/launch/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/page_cache.h"

struct treatment {
    const char *set;
    struct page_cache *cache;
    enum page_cache_wish wish;
    struct error *e;
    bool well;
};

static bool treat_one(void *context, int directory, const char *name)
{
    struct treatment *const t = context;
    char path[sizeof t->e->file];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", t->set, name);
    if (name[0] == '.' || (fstatat(directory, name, &st, 0) == 0 ? !S_ISREG(st.st_mode) : errno == ENOENT))
        return true;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return t->well = error_errno(t->e, path, "cannot be opened");
    t->well = page_cache_treat(t->cache, fd, t->wish, t->e);
    if (!t->well && !t->e->file[0])
        error_at(t->e, path, 0);
    close(fd);
    return t->well;
}

static bool treat_all(struct page_cache *c, const char *set, enum page_cache_wish wish, struct error *e)
{
    struct treatment t = {set, c, wish, e, .well = true};
    const int directory = open(set, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return error_errno(e, set, "cannot be opened");
    errno = directory_each(directory, ".", treat_one, &t);
    const bool read = errno == 0 || error_errno(e, set, "cannot be read");
    close(directory);
    return read && t.well;
}

bool launch_cache(const struct options *o, struct error *e)
{
    if (o->cache == CACHE_AS_IT_IS)
        return true;
    struct page_cache c = {0};
    const bool well = treat_all(&c, o->set, o->cache == CACHE_COLD ? PAGE_CACHE_DROP : PAGE_CACHE_READ, e);
    page_cache_free(&c);
    if (!well)
        return false;
    char text[256];
    page_cache_say(&c, text, sizeof text);
    if (o->cache == CACHE_COLD && page_cache_stays(&c))
        fprintf(stderr, "pyelfrun: %s: %s\n", o->set, text);
    if (c.untold)
        snprintf(text, sizeof text, "unknown of %" PRIu64, c.bytes);
    else
        snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, c.resident, c.bytes);
    return setenv(OPTIONS_CACHED, text, 1) == 0 || error_set(e, ERROR_MEMORY, "out of memory");
}
