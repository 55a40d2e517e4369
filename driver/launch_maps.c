/* Counts what the kernel counts: each loaded segment is a map, the part of the writable one
 * that is protected when it is relocated (PT_GNU_RELRO) another, and so is .bss as far as it
 * goes beyond the file's last page. See launch_maps.h. */
#include "driver/launch_maps.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/manifest.h"

#define LIMIT_FILE "/proc/sys/vm/max_map_count"

enum {
    OWN_MAPS = 600,  /* of CPython and MPI, about, and of threads */
    MOST_MAPS = 7,   /* of a library, at most */
    ROW_BYTES = 200, /* of a library in the manifest, at the least */
    SAMPLES = 64,    /* libraries that are looked at, so that most of a cold set stays cold */
    SEGMENTS_MOST = 64,
    PAGE = 4096,
};

/* 0 where it cannot be read. */
static uint64_t limit(void)
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

/* Of one library; 0 where it cannot be read, which loading it will say. */
static unsigned count_maps(const char *set, const char *name)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment[SEGMENTS_MOST];
    } begin;
    char path[PATH_MAX + MANIFEST_NAME_MOST + 2];
    snprintf(path, sizeof path, "%s/%s", set, name);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : pread(fd, &begin, sizeof begin, 0);
    if (fd >= 0)
        close(fd);
    const size_t segments = n < (ssize_t)sizeof begin.header ? 0 : begin.header.e_phnum;
    if (!segments || memcmp(begin.header.e_ident, ELFMAG, SELFMAG) != 0 || segments > SEGMENTS_MOST ||
        begin.header.e_phoff != sizeof begin.header ||
        (size_t)n < sizeof begin.header + segments * sizeof *begin.segment)
        return 0;
    return count_segments(begin.segment, (unsigned)segments);
}

/* Of each library of the set, in hundredths, as far as some of them tell. */
static uint64_t average_maps(const struct manifest *m, const char *set)
{
    uint64_t maps = 0;
    uint64_t looked_at = 0;
    const size_t samples = m->count < SAMPLES ? m->count : SAMPLES;
    for (size_t i = 0; i < samples; i++) {
        const unsigned of_one = count_maps(set, m->libraries[i * m->count / samples].name);
        maps += of_one;
        looked_at += of_one > 0;
    }
    return looked_at ? 100 * maps / looked_at : 0;
}

/* Whether the manifest is so short that its libraries cannot be too many. */
static bool is_small(const char *set, uint64_t most)
{
    char path[PATH_MAX + sizeof "/" MANIFEST_FILE];
    struct stat st;
    snprintf(path, sizeof path, "%s/" MANIFEST_FILE, set);
    return stat(path, &st) != 0 || (uint64_t)st.st_size / ROW_BYTES * MOST_MAPS + OWN_MAPS <= most;
}

static bool refuse(const struct options *o, size_t libraries, uint64_t average, uint64_t most, struct error *e)
{
    const uint64_t maps = libraries * average / 100 + OWN_MAPS;
    error_set(e, ERROR_SYSTEM,
              "its %zu libraries take about %llu maps of memory in one process, and Linux allows %llu, some %llu "
              "libraries; raise that as root with 'sysctl vm.max_map_count=%llu', or use fewer libraries",
              libraries, (unsigned long long)maps, (unsigned long long)most,
              (unsigned long long)(most > OWN_MAPS ? (most - OWN_MAPS) * 100 / average : 0),
              (unsigned long long)(maps + maps / 4));
    if (e) {
        e->wanted = (int64_t)maps;
        e->possible = (int64_t)most;
    }
    return error_at(e, o->set, 0);
}

bool launch_maps(const struct options *o, enum mode mode, struct error *e)
{
    const uint64_t most = limit();
    struct manifest m;
    struct error ignored; /* of the manifest: the run reads it again, and says so */
    const bool loads = mode == MODE_VANILLA ? o->phase[PHASE_IMPORT] : mode != MODE_STATIC;
    if (!loads || !most || is_small(o->set, most) || !manifest_read(&m, o->set, NULL, &ignored))
        return true;
    bool fits = true;
    if (!m.joined && m.count * MOST_MAPS + OWN_MAPS > most) {
        const uint64_t average = average_maps(&m, o->set);
        fits = m.count * average / 100 + OWN_MAPS <= most || refuse(o, m.count, average, most, e);
    }
    manifest_free(&m);
    return fits;
}
