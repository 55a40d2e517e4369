/* See launch_cache.h. Every regular file of the set's directory counts, whether
 * the manifest lists it or not, but none in directories below: separate debug
 * files and sources are not what is loaded. */
#include "driver/launch_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/page_cache.h"

static bool treat_all(struct page_cache *c, DIR *directory, enum page_cache_wish wish, struct error *e)
{
    const struct dirent *entry;
    bool well = true;
    while (well && (entry = readdir(directory))) {
        if (entry->d_name[0] == '.' || (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN))
            continue;
        int fd = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
            return error_errno(e, entry->d_name, "cannot be opened");
        well = page_cache_treat(c, fd, wish, e);
        if (!well && !e->file[0])
            error_at(e, "the set", 0);
        close(fd);
    }
    return well;
}

bool launch_cache(const struct options *o, struct error *e)
{
    if (o->cache == CACHE_AS_IT_IS)
        return true;
    struct page_cache c = {0};
    DIR *directory = opendir(o->set);
    if (!directory)
        return error_errno(e, o->set, "cannot be opened");
    bool well = treat_all(&c, directory, o->cache == CACHE_COLD ? PAGE_CACHE_DROP : PAGE_CACHE_READ, e);
    closedir(directory);
    page_cache_free(&c);
    if (!well)
        return false;
    if (o->cache == CACHE_COLD && page_cache_stays(&c))
        fprintf(stderr,
                "pyelfrun: %s: %.1f of %.1f MB stay in the page cache: in use by a process, in memory only (tmpfs), or "
                "not on this host's disk\n",
                o->set, (double)c.resident / 1e6, (double)c.bytes / 1e6);
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, c.resident < c.bytes ? c.resident : c.bytes, c.bytes);
    return setenv(OPTIONS_CACHED, text, 1) == 0 || error_set(e, ERROR_MEMORY, "out of memory");
}
