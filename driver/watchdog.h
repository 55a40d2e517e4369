/* The time limit of a run: a thread that ends the process when the time is over, and says where the rank was. */
#ifndef DRIVER_WATCHDOG_H
#define DRIVER_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/run.h"
#include "driver/witness.h"

/* Where a rank is. Its phases write this; it is read when the time is over. */
struct watchdog {
    const struct run *run;
    uint64_t seconds; /* 0: no limit, and no thread */
    _Atomic(const char *) phase;
    atomic_size_t library; /* index into the manifest's rows, or SIZE_MAX: none */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool over;
    bool running;
};

/* `run` is borrowed until watchdog_stop. Its manifest may be filled later, before a library is named. */
bool watchdog_start(struct watchdog *w, const struct run *run, struct error *e);
void watchdog_stop(struct watchdog *w);

/* The phase of a rank that only waits for others. */
#define WATCHDOG_BARRIER "barrier"

static inline void watchdog_phase(struct watchdog *w, const char *phase)
{
    atomic_store_explicit(&w->library, SIZE_MAX, memory_order_relaxed);
    atomic_store_explicit(&w->phase, phase, memory_order_relaxed);
    witness_phase(w->run->ranks.witness, phase);
}

static inline void watchdog_library(struct watchdog *w, size_t library)
{
    atomic_store_explicit(&w->library, library, memory_order_relaxed);
    witness_library(w->run->ranks.witness, w->run->manifest.libraries[library].stem);
}

#endif
