/* See ranks.h. */
#include "emit/set/ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/launched.h"
#include "base/process.h"
#include "base/version.h"
#include "base/workers.h"
#include "emit/plan/digest.h"

/* How long a rank that failed waits for the others, seconds: they finish the library that they are at. */
static const double grace = 60;

struct ranks ranks_one(void)
{
    return (struct ranks){.place = {.count = 1, .nodes = 1}, .sets = 1, .set_count = 1};
}

/* --- finding each other --------------------------------------------------------------- */

/* Names a process that cannot reach the others by the number that the launcher gave it. */
static void name_alone(struct ranks *r, const struct launched *l)
{
    r->launched = true;
    r->tells = l->local == 0; /* one line for each host */
    r->place.rank = (int)l->rank;
    if (gethostname(r->place.host, sizeof r->place.host) != 0)
        strcpy(r->place.host, "localhost");
    r->place.host[sizeof r->place.host - 1] = '\0';
}

static bool refuse(struct ranks *r, const struct launched *l, const char *why, struct error *e)
{
    name_alone(r, l);
    return error_set(e, ERROR_SYSTEM,
                     "%s has started %ld processes, which cannot share the work: %s; or give --alone, and each makes a "
                     "set by itself",
                     l->by, l->count, why);
}

/* Opens the library in the first of the places, relative to this program, that has it. NULL, with `why`, where that
 * fails. */
static void *load(const char *own, char *why, size_t size)
{
    static const char *const places[] = {PYELFGEN_TO_LIBEXEC, "../libexec/pyelfgen"};
    snprintf(why, size, "%s is missing beside %.300s; install pyelfgen again, with MPI", RANKS_LIBRARY, own);
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[PATH_MAX + sizeof PYELFGEN_TO_LIBEXEC + sizeof RANKS_LIBRARY + 32];
        snprintf(path, sizeof path, "%s/%s/%s", own, places[i], RANKS_LIBRARY);
        if (access(path, F_OK) != 0)
            continue;
        /* RTLD_GLOBAL: MPI loads parts of itself that look for its symbols in the global scope */
        void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (!library)
            snprintf(why, size, "%.300s; is the MPI here that pyelfgen was built with?", dlerror());
        return library;
    }
    return NULL;
}

static const struct ranks_library *find_library(char *why, size_t size)
{
    char own[PATH_MAX];
    struct error e;
    if (!process_directory(own, &e)) {
        snprintf(why, size, "%.300s", e.text);
        return NULL;
    }
    void *library = load(own, why, size);
    const struct ranks_library *found = library ? dlsym(library, RANKS_LIBRARY_SYMBOL) : NULL;
    if (library && (!found || strcmp(found->version, PYELFGEN_VERSION) != 0)) {
        snprintf(why, size, "%s is of another version; install pyelfgen again", RANKS_LIBRARY);
        found = NULL;
    }
    return found;
}

/* A number that tells this run's files from those of others. */
static uint64_t make_token(void)
{
    uint64_t token;
    if (getrandom(&token, sizeof token, GRND_NONBLOCK) != (ssize_t)sizeof token)
        token = (uint64_t)getpid();
    return token;
}

bool ranks_start(struct ranks *r, bool alone, struct error *e)
{
    const struct launched launched = launched_by();
    char why[512];
    *r = ranks_one();
    if (alone) {
        r->place.rank = (int)launched.rank; /* for %t */
        return true;
    }
    if (launched_uncounted())
        return error_set(e, ERROR_SYSTEM,
                         "PMIX_RANK says that this is one of several processes, and nothing how many there are: start "
                         "them with mpirun, mpiexec or srun; or give --alone, and each makes a set by itself");
    if (launched.count <= 1)
        return true;
    r->library = find_library(why, sizeof why);
    if (!r->library)
        return refuse(r, &launched, why, e);
    r->state = r->library->start(&r->place);
    if (!r->state) {
        name_alone(r, &launched);
        r->tells = true;
        return error_set(e, ERROR_MEMORY, "out of memory for MPI");
    }
    if (r->place.count <= 1) {
        r->library->end(r->state);
        *r = ranks_one();
        return refuse(
            r, &launched,
            "MPI knows nothing of them; use the launcher of the MPI that pyelfgen was built with, or srun with "
            "one of --mpi=list",
            e);
    }
    r->launched = true;
    r->set_rank = r->place.rank;
    r->set_count = r->place.count;
    r->token = make_token();
    ranks_broadcast(r, &r->token, sizeof r->token);
    return true;
}

/* --- agreeing --------------------------------------------------------------------------- */

static int status_of(const struct error *e)
{
    return e->code == ERROR_USAGE ? 2 : 1;
}

bool ranks_agree(struct ranks *r, bool well, struct error *e)
{
    if (!r->state)
        return well;
    const bool failed = !well && e->code != ERROR_ELSEWHERE;
    if (!r->library->agree(r->state, failed ? status_of(e) : 0, grace, &r->failed)) {
        r->tells = true;
        r->failed.count = 1;
        ranks_report(r, e);
        fflush(stderr);
        r->library->abandon(r->state);
    }
    r->tells = r->failed.count && r->failed.first == r->place.rank;
    if (r->failed.count && !failed)
        error_set(e, ERROR_ELSEWHERE, "rank %d failed", r->failed.first);
    return well && !r->failed.count;
}

void ranks_tell(struct ranks *r, const struct error *e)
{
    if (r->state && e->code != ERROR_ELSEWHERE)
        r->library->tell(r->state);
}

bool ranks_stopped(const struct ranks *r, struct error *e)
{
    if (!r->state || !r->library->told(r->state))
        return false;
    error_set(e, ERROR_ELSEWHERE, "another rank failed");
    return true;
}

int ranks_report(const struct ranks *r, const struct error *e)
{
    char who[RANKS_HOST_MOST + 100] = "pyelfgen";
    char others[40] = "";
    const int more = r->failed.count - 1;
    if (more > 0)
        snprintf(others, sizeof others, ", and %d more rank%s", more, more > 1 ? "s" : "");
    if (r->launched)
        snprintf(who, sizeof who, "pyelfgen: rank %d on %s%s", r->place.rank, r->place.host, others);
    if (!r->launched || r->tells)
        return error_report(who, e);
    return r->failed.count ? r->failed.status : status_of(e);
}

/* --- dividing ---------------------------------------------------------------------------- */

/* The first rank whose key is this one's. */
static int first_of(const uint64_t *keys, uint64_t key)
{
    int i = 0;
    while (keys[i] != key)
        i++;
    return i;
}

static void number_sets(struct ranks *r, const uint64_t *keys, uint8_t *leads)
{
    r->leader = first_of(keys, keys[r->place.rank]);
    const uint8_t mine = r->leader == r->place.rank;
    r->library->gather(r->state, &mine, sizeof mine, leads);
    r->sets = r->set = 0;
    for (int i = 0; i < r->place.count; i++) {
        r->set += i < r->leader && leads[i];
        r->sets += leads[i];
    }
}

bool ranks_divide(struct ranks *r, bool local, const char *directory, struct error *e)
{
    if (!r->state)
        return true;
    const size_t count = (size_t)r->place.count;
    uint64_t *keys = calloc(count, sizeof *keys);
    uint8_t *leads = calloc(count, sizeof *leads);
    bool ok = (keys && leads) || error_set(e, ERROR_MEMORY, "out of memory for %d ranks", r->place.count);
    ok = ranks_agree(r, ok, e);
    if (ok && local) {
        const uint64_t key = XXH3_64bits_withSeed(directory, strlen(directory), (XXH64_hash_t)r->place.node);
        r->library->gather(r->state, &key, sizeof key, keys);
    }
    if (ok) {
        number_sets(r, keys, leads);
        r->library->divide(r->state, r->leader, &r->set_rank, &r->set_count);
    }
    free(keys);
    free(leads);
    return ok;
}

void ranks_broadcast(const struct ranks *r, void *bytes, size_t size)
{
    if (r->state)
        r->library->broadcast(r->state, bytes, size);
}

unsigned ranks_processors(const struct ranks *r)
{
    enum { MOST = 8192 /* processors that Linux may be configured for (NR_CPUS) */ };
    uint32_t mine[MOST] = {0};
    uint32_t sharers[MOST];
    double share = 0.5; /* rounds to the nearest whole number */
    if (!r->state)
        return workers_processors();
    cpu_set_t *set = CPU_ALLOC(MOST);
    const size_t size = CPU_ALLOC_SIZE(MOST);
    if (set && sched_getaffinity(0, size, set) == 0)
        for (size_t i = 0; i < MOST; i++)
            mine[i] = CPU_ISSET_S(i, size, set) ? 1 : 0;
    CPU_FREE(set);
    memcpy(sharers, mine, sizeof sharers);
    r->library->sum_node(r->state, sharers, MOST);
    for (size_t i = 0; i < MOST; i++)
        share += mine[i] ? 1.0 / sharers[i] : 0;
    return share < 1 ? 1 : share > WORKERS_MOST ? WORKERS_MOST : (unsigned)share;
}

/* --- handing over ------------------------------------------------------------------------- */

void ranks_give(const struct ranks *r, const struct bytes *bytes)
{
    const uint64_t size = bytes->failed ? UINT64_MAX : bytes->size;
    r->library->send(r->state, &size, sizeof size);
    if (!bytes->failed)
        r->library->send(r->state, bytes->data, bytes->size);
}

void ranks_take(const struct ranks *r, int from, struct bytes *bytes)
{
    uint64_t size;
    r->library->receive(r->state, from, &size, sizeof size);
    if (size == UINT64_MAX) {
        bytes->failed = true;
        return;
    }
    uint8_t *at = bytes_reserve(bytes, size);
    r->library->receive(r->state, from, at, size);
    if (at)
        bytes_keep(bytes, at + size);
}

/* --- names --------------------------------------------------------------------------------- */

/* Sets `part` to what replaces '%' and this letter; false for an unknown letter. */
static bool part_of(const struct ranks *r, char letter, char *part, size_t size)
{
    char host[RANKS_HOST_MOST] = "";
    switch (letter) {
    case 'N':
        if (r->state)
            snprintf(host, sizeof host, "%s", r->place.host);
        else if (gethostname(host, sizeof host - 1) != 0)
            strcpy(host, "localhost");
        snprintf(part, size, "%.*s", (int)strcspn(host, "."), host);
        return true;
    case 'n':
        snprintf(part, size, "%d", r->place.node);
        return true;
    case 't':
        snprintf(part, size, "%d", r->place.rank);
        return true;
    case '%':
        snprintf(part, size, "%%");
        return true;
    default:
        return false;
    }
}

bool ranks_path(const struct ranks *r, const char *pattern, char *path, size_t size, struct error *e)
{
    size_t length = 0;
    for (const char *p = pattern; *p; p++) {
        char part[RANKS_HOST_MOST] = {*p, '\0'};
        if (*p == '%' && !part_of(r, *++p, part, sizeof part))
            return error_set(e, ERROR_USAGE,
                             "--node-local: '%.200s': %%N is the host's name, %%n its number, %%t the rank's, %%%% a "
                             "percent sign, and there is no other",
                             pattern);
        const size_t n = strlen(part);
        if (length + n >= size)
            return error_set(e, ERROR_USAGE, "--node-local: the name is too long");
        memcpy(path + length, part, n + 1);
        length += n;
    }
    return true;
}

void ranks_stop(struct ranks *r)
{
    if (r->state)
        r->library->end(r->state);
    r->state = NULL;
}
