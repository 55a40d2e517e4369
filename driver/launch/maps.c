/* See maps.h. */
#include "driver/launch/maps.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/manifest.h"
#include "base/maps.h"

enum {
    ROW_BYTES = 200, /* the least bytes of a library's row in the manifest */
    SAMPLES = 64,    /* libraries that are read; few, so that most of a cold set stays cold */
};

/* Maps of one library; 0 if it cannot be read. */
static unsigned count_maps(const char *set, const char *name)
{
    char path[PATH_MAX + MANIFEST_NAME_MOST + 2];
    snprintf(path, sizeof path, "%s/%s", set, name);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const unsigned maps = maps_of(fd);
    close(fd);
    return maps;
}

/* Average maps of a library in hundredths, estimated from some of them; 0 if none can be read. */
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
    return stat(path, &st) != 0 || (uint64_t)st.st_size / ROW_BYTES * MAPS_MOST + MAPS_OWN <= most;
}

bool launch_maps(const struct options *o, enum mode mode, struct error *e)
{
    const uint64_t most = maps_limit();
    struct manifest m;
    struct error ignored; /* errors of the manifest are ignored: the run reads it again and reports them */
    const bool loads = mode == MODE_VANILLA ? o->phase[PHASE_IMPORT] && !o->memory : mode != MODE_STATIC;
    if (!loads || !most || is_small(o->set, most) || !manifest_read(&m, o->set, NULL, &ignored))
        return true;
    bool fits = true;
    if (!m.joined && m.count * MAPS_MOST + MAPS_OWN > most)
        fits = maps_fit(m.count, average_maps(&m, o->set), most, e) || error_at(e, o->set, 0);
    manifest_free(&m);
    return fits;
}
