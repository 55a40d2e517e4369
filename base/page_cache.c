/* See page_cache.h. */
#include "base/page_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"

enum { SLICE = 1 << 17 };

/* Whether mincore(2) tells this user about the file. Since Linux 5.2 it calls all pages of other files resident. */
static bool is_told(int fd, const struct stat *status)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return geteuid() == 0 || geteuid() == status->st_uid || eaccess(path, W_OK) == 0;
}

/* Counts how much of the file is in memory, by mincore(2). The file may end within its last page. */
static bool count_resident(struct page_cache *c, int fd, const struct stat *status, struct error *e)
{
    const uint64_t size = (uint64_t)status->st_size;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = (size_t)((size + page - 1) / page);
    if (pages > c->capacity) {
        free(c->pages);
        c->capacity = pages;
        c->pages = malloc(pages);
    }
    if (!c->pages) {
        c->capacity = 0;
        return error_set(e, ERROR_MEMORY, "out of memory");
    }
    void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return error_errno(e, "the page cache", "cannot be looked at");
    bool well = mincore(map, (size_t)size, c->pages) == 0 || error_errno(e, "the page cache", "cannot be looked at");
    munmap(map, (size_t)size);
    size_t resident = 0;
    for (size_t i = 0; i < pages && well; i++)
        resident += c->pages[i] & 1;
    c->resident += (uint64_t)resident * page;
    if (well && c->pages[pages - 1] & 1)
        c->resident -= (uint64_t)pages * page - size;
    c->untold = c->untold || (well && resident == pages && !is_told(fd, status));
    return well;
}

static bool read_all(int fd, struct error *e)
{
    char *buffer = malloc(SLICE);
    if (!buffer)
        return error_set(e, ERROR_MEMORY, "out of memory");
    ssize_t n;
    while ((n = whole_read(fd, buffer, SLICE)) > 0) {
    }
    free(buffer);
    return n == 0 || error_errno(e, NULL, "cannot be read");
}

/* Pages that were never written to disk cannot be dropped, hence fsync. If a file system cannot do it, or the file
 * belongs to others, mincore shows that. */
bool page_cache_treat(struct page_cache *c, int fd, enum page_cache_wish wish, struct error *e)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return error_errno(e, NULL, "cannot be read");
    if (!S_ISREG(status.st_mode) || status.st_size == 0)
        return true;
    c->bytes += (uint64_t)status.st_size;
    if (wish == PAGE_CACHE_READ && !read_all(fd, e))
        return false;
    if (wish == PAGE_CACHE_DROP) {
        (void)!fsync(fd);
        (void)!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    }
    return count_resident(c, fd, &status, e);
}

void page_cache_say(const struct page_cache *c, char *text, size_t size)
{
    if (c->untold)
        snprintf(
            text, size,
            "how much of %.1f MB stays in the page cache is unknown: Linux tells that only the owner of a file and "
            "who may write to it",
            (double)c->bytes / 1e6);
    else
        snprintf(text, size,
                 "%.1f of %.1f MB stay in the page cache: in use by a process, in memory only (tmpfs), or not on this "
                 "host's disk",
                 (double)c->resident / 1e6, (double)c->bytes / 1e6);
}

void page_cache_free(struct page_cache *c)
{
    free(c->pages);
    c->pages = NULL;
    c->capacity = 0;
}
