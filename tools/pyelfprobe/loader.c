/* See loader.h. */
#include "tools/pyelfprobe/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tools/pyelfprobe/options.h"

enum { WORD_LIST = 2, WORD_REPORT, WORD_SIGNAL, WORD_CALL, WORD_WAIT, WORDS };

struct loaded {
    unsigned long long objects; /* loaded since the program started (dlpi_adds) */
    double seconds, cpu;
    unsigned long long faults;
    unsigned long failed;
    char why[512]; /* why the first file could not be opened */
};

static bool is_said(const char *word)
{
    return strcmp(word, "-") != 0;
}

bool loader_is_meant(int argc, char **argv)
{
    return argc == WORDS && strcmp(argv[1], PROBE_LOADER) == 0;
}

static int take_adds(struct dl_phdr_info *info, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = info->dlpi_adds;
    return 1;
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* Totals so far; the caller subtracts two of them. */
static struct loaded look(void)
{
    struct loaded now = {0};
    struct rusage used;
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    getrusage(RUSAGE_SELF, &used);
    dl_iterate_phdr(take_adds, &now.objects);
    now.seconds = (double)clock.tv_sec + (double)clock.tv_nsec * 1e-9;
    now.cpu = seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
    now.faults = (unsigned long long)(used.ru_minflt + used.ru_majflt);
    return now;
}

/* Opens every file. *called becomes the handle of the file whose path is `call`. */
static struct loaded load(FILE *list, const char *call, void **called)
{
    char path[PATH_MAX + 1];
    struct loaded l = {0};
    const struct loaded before = look();
    while (fgets(path, sizeof path, list)) {
        path[strcspn(path, "\n")] = '\0';
        void *handle = dlopen(path, RTLD_LAZY);
        if (!handle && !l.failed++)
            snprintf(l.why, sizeof l.why, "%s", dlerror());
        if (handle && strcmp(path, call) == 0)
            *called = handle;
    }
    const struct loaded after = look();
    l.objects = after.objects - before.objects;
    l.seconds = after.seconds - before.seconds;
    l.cpu = after.cpu - before.cpu;
    l.faults = after.faults - before.faults;
    return l;
}

static bool report(const char *path, const struct loaded *l)
{
    char temporary[PATH_MAX];
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
        return false;
    FILE *f = fopen(temporary, "we");
    if (!f)
        return false;
    fprintf(f, "%llu %.9f %.6f %ld %llu %lu %s\n", l->objects, l->seconds, l->cpu, used.ru_maxrss, l->faults, l->failed,
            l->why);
    return fclose(f) == 0 && rename(temporary, path) == 0;
}

static void take_no_notice(int number)
{
    (void)number;
}

int loader_run(int argc, char **argv)
{
    char call[PATH_MAX] = "";
    void *called = NULL;
    const char *function = strrchr(argv[WORD_CALL], ':');
    (void)argc;
    if (is_said(argv[WORD_CALL]) && function)
        snprintf(call, sizeof call, "%.*s", (int)(function - argv[WORD_CALL]), argv[WORD_CALL]);
    FILE *list = fopen(argv[WORD_LIST], "re");
    if (!list) {
        perror(argv[WORD_LIST]);
        return 1;
    }
    signal(SIGUSR1, take_no_notice);
    const struct loaded l = load(list, call, &called);
    fclose(list);
    if (is_said(argv[WORD_REPORT]) && !report(argv[WORD_REPORT], &l)) {
        perror(argv[WORD_REPORT]);
        return 1;
    }
    void *entry = called ? dlsym(called, function + 1) : NULL;
    if (entry) {
        unsigned long (*enter)(void);
        memcpy(&enter, &entry, sizeof enter); /* ISO C has no cast for this */
        printf("%lu\n", enter());
    }
    if (is_said(argv[WORD_SIGNAL]))
        kill(getpid(), SIGUSR1);
    while (is_said(argv[WORD_WAIT]))
        pause();
    return 0;
}
