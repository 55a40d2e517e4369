/* See progress.h. */
#include "emit/set/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 40 };

void progress_start(struct progress *p, const char *what, uint32_t total, bool quiet)
{
    p->shown = !quiet && isatty(STDERR_FILENO);
    p->what = what;
    p->of = "libraries";
    p->total = total;
    atomic_store(&p->done, 0);
    atomic_store(&p->percent, 0);
}

void progress_step(struct progress *p)
{
    unsigned done = atomic_fetch_add(&p->done, 1) + 1;
    if (!p->shown || !p->total)
        return;
    unsigned percent = (unsigned)(UINT64_C(100) * done / p->total);
    unsigned before = atomic_load(&p->percent);
    if (percent <= before || !atomic_compare_exchange_strong(&p->percent, &before, percent))
        return;
    char bar[BAR + 1];
    for (unsigned i = 0; i < BAR; i++)
        bar[i] = i * 100 < percent * BAR ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "\r%s [%s] %3u %%  %u of %u %s", p->what, bar, percent, done, p->total, p->of);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->shown = false;
}
