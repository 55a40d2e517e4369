/* See crash.h. A signal handler gets nothing but a number, so what it reports is in the one static variable of this
 * file. It may call few functions, so the text is put together by hand and written at once. */
#include "driver/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static struct {
    _Atomic(const struct watchdog *) dog;
    char who[HOST_NAME_MOST + 64]; /* "pyelfrun: rank 3 on host: " */
    struct sigaction before[SIGNALS];
} crash;

static size_t append(char *text, size_t size, size_t length, const char *more)
{
    while (*more && length < size)
        text[length++] = *more++;
    return length;
}

static void tell(const struct watchdog *dog, int number)
{
    char text[1024];
    const char *name = sigabbrev_np(number);
    const size_t library = atomic_load(&dog->library);
    const struct manifest *m = &dog->run->manifest;
    witness_told(dog->run->ranks.witness);
    size_t n = append(text, sizeof text, 0, crash.who);
    n = append(text, sizeof text, n, "ended by SIG");
    n = append(text, sizeof text, n, name ? name : "NAL");
    n = append(text, sizeof text, n, " in phase ");
    n = append(text, sizeof text, n, atomic_load(&dog->phase));
    if (library < m->count) {
        n = append(text, sizeof text, n, ", at ");
        n = append(text, sizeof text, n, m->libraries[library].stem);
    }
    n = append(text, sizeof text, n, "; check the set with pyelfgen --verify\n");
    ssize_t written = write(STDERR_FILENO, text, n);
    (void)written;
}

/* Raises the signal again for its previous handler. It is blocked until this function returns. */
static void on_signal(int number)
{
    const struct watchdog *dog = atomic_exchange(&crash.dog, NULL);
    if (dog)
        tell(dog, number);
    for (unsigned i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            sigaction(number, &crash.before[i], NULL);
    raise(number);
}

void crash_tell(const struct watchdog *dog)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    snprintf(crash.who, sizeof crash.who, "pyelfrun: rank %d on %s: ", dog->run->ranks.rank, dog->run->ranks.host);
    atomic_store(&crash.dog, dog);
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &crash.before[i]);
}

void crash_forget(void)
{
    if (!atomic_exchange(&crash.dog, NULL))
        return;
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &crash.before[i], NULL);
}
