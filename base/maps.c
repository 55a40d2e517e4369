/* See maps.h. */
#include "base/maps.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/page.h"

#define LIMIT_FILE "/proc/sys/vm/max_map_count"

enum { SEGMENTS_MOST = 64 };

uint64_t maps_limit(void)
{
    unsigned long long count = 0;
    FILE *f = fopen(LIMIT_FILE, "re");
    const bool read = f && fscanf(f, "%llu", &count) == 1;
    if (f)
        fclose(f);
    return read ? count : 0;
}

static uint64_t page_end(uint64_t address)
{
    return (address + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static unsigned count_segments(const Elf64_Phdr *segment, unsigned count)
{
    unsigned maps = 0;
    for (unsigned i = 0; i < count; i++) {
        const Elf64_Phdr *s = &segment[i];
        if (s->p_type == PT_GNU_RELRO)
            maps++;
        if (s->p_type == PT_LOAD)
            maps += page_end(s->p_vaddr + s->p_memsz) > page_end(s->p_vaddr + s->p_filesz) ? 2 : 1;
    }
    return maps;
}

unsigned maps_of(int fd)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment[SEGMENTS_MOST];
    } begin;
    const ssize_t n = pread(fd, &begin, sizeof begin, 0);
    const size_t segments = n < (ssize_t)sizeof begin.header ? 0 : begin.header.e_phnum;
    if (!segments || memcmp(begin.header.e_ident, ELFMAG, SELFMAG) != 0 || segments > SEGMENTS_MOST ||
        begin.header.e_phoff != sizeof begin.header ||
        (size_t)n < sizeof begin.header + segments * sizeof *begin.segment)
        return 0;
    return count_segments(begin.segment, (unsigned)segments);
}

bool maps_fit(size_t libraries, uint64_t average, uint64_t most, struct error *e)
{
    const uint64_t maps = libraries * average / 100 + MAPS_OWN;
    if (maps <= most)
        return true;
    error_set(e, ERROR_SYSTEM,
              "its %zu libraries take about %llu maps of memory in one process, and Linux allows %llu, some %llu "
              "libraries; raise that as root with 'sysctl vm.max_map_count=%llu', or use fewer libraries",
              libraries, (unsigned long long)maps, (unsigned long long)most,
              (unsigned long long)(most > MAPS_OWN ? (most - MAPS_OWN) * 100 / average : 0),
              (unsigned long long)(maps + maps / 4));
    if (e) {
        e->wanted = (int64_t)maps;
        e->possible = (int64_t)most;
    }
    return false;
}
