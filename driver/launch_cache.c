/* See launch_cache.h. Every regular file of the set's directory counts, whether
 * the manifest lists it or not, but none in directories below: separate debug
 * files and sources are not what is loaded. */
#include "driver/launch_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct cached {
    uint64_t bytes, resident;
    uint8_t *pages; /* for mincore */
    size_t capacity;
};

/* How much of the file is in memory: mincore(2). */
static bool count_resident(struct cached *c, int fd, uint64_t size, struct error *e)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = (size_t)((size + page - 1) / page);
    if (pages > c->capacity) {
        free(c->pages);
        c->capacity = pages;
        c->pages = malloc(pages);
    }
    if (!c->pages)
        return error_set(e, ERROR_MEMORY, "out of memory");
    void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED || mincore(map, (size_t)size, c->pages) != 0)
        return error_errno(e, "the page cache", "cannot be looked at");
    munmap(map, (size_t)size);
    size_t resident = 0;
    for (size_t i = 0; i < pages; i++)
        resident += c->pages[i] & 1;
    c->resident += (uint64_t)resident * page;
    return true;
}

static bool read_all(int fd, struct error *e)
{
    static char buffer[1 << 17];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0) {
    }
    return n == 0 || error_errno(e, "the set", "cannot be read");
}

/* Pages that were never written to disk cannot be dropped, hence fsync; on a file
 * system that cannot do it, or a file of others, mincore will tell. */
static bool treat(struct cached *c, int fd, enum cache_wish wish, struct error *e)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return error_errno(e, "the set", "cannot be read");
    if (!S_ISREG(status.st_mode) || status.st_size == 0)
        return true;
    c->bytes += (uint64_t)status.st_size;
    if (wish == CACHE_WARM && !read_all(fd, e))
        return false;
    if (wish == CACHE_COLD) {
        (void)!fsync(fd);
        (void)!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    }
    return count_resident(c, fd, (uint64_t)status.st_size, e);
}

static bool treat_all(struct cached *c, DIR *directory, enum cache_wish wish, struct error *e)
{
    const struct dirent *entry;
    bool well = true;
    while (well && (entry = readdir(directory))) {
        if (entry->d_name[0] == '.' || (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN))
            continue;
        int fd = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
            return error_errno(e, entry->d_name, "cannot be opened");
        well = treat(c, fd, wish, e);
        close(fd);
    }
    return well;
}

bool launch_cache(const struct options *o, struct error *e)
{
    if (o->cache == CACHE_AS_IT_IS)
        return true;
    struct cached c = {0};
    DIR *directory = opendir(o->set);
    if (!directory)
        return error_errno(e, o->set, "cannot be opened");
    bool well = treat_all(&c, directory, o->cache, e);
    closedir(directory);
    free(c.pages);
    if (!well)
        return false;
    if (o->cache == CACHE_COLD && c.resident > c.bytes / 100)
        fprintf(stderr,
                "pyelfrun: %s: %.1f of %.1f MB stay in the page cache: in use by a process, in memory only (tmpfs), or "
                "not on this host's disk\n",
                o->set, (double)c.resident / 1e6, (double)c.bytes / 1e6);
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, c.resident < c.bytes ? c.resident : c.bytes, c.bytes);
    return setenv(OPTIONS_CACHED, text, 1) == 0 || error_set(e, ERROR_MEMORY, "out of memory");
}
