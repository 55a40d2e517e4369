#include "base/relay.h"

#include <signal.h>
#include <time.h>

int64_t relay_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum relayed relay_note(struct relay *r, int number, int64_t patience)
{
    const int64_t now = relay_now();
    const bool is_first = !r->signal;
    if (!is_first && now < r->apart)
        return RELAYED_AGAIN;
    *r =
        (struct relay){number, is_first && patience != RELAY_NEVER ? now + patience : RELAY_NEVER, now + RELAY_AT_ONCE};
    return is_first ? RELAYED_FIRST : RELAYED_ANOTHER;
}

void relay_pass(struct relay *r, pid_t process)
{
    if (relay_now() < r->due)
        return;
    kill(process, r->signal);
    r->due = RELAY_NEVER;
}
