/* See witness.h. The page is in a static variable because a signal handler gets nothing but a number. */
#include "driver/witness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic(struct witness_page *) attached;

static void on_signal(int number)
{
    sigset_t only;
    witness_told(atomic_load(&attached));
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number); /* no signal that is not handled ends the first process of a container */
}

static void expect(int number)
{
    struct sigaction before, action = {.sa_handler = on_signal};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

struct witness_page *witness_attach(void)
{
    int page_fd, pipe_fd;
    struct stat status;
    char end;
    const char *text = getenv(WITNESS_VARIABLE);
    bool given = text && sscanf(text, "%d %d%c", &page_fd, &pipe_fd, &end) == 2;
    unsetenv(WITNESS_VARIABLE);
    if (!given || fstat(page_fd, &status) != 0 || status.st_size != sizeof(struct witness_page))
        return NULL;
    struct witness_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, page_fd, 0);
    if (page == MAP_FAILED)
        return NULL;
    /* Processes that this rank starts must not keep the pipe open after its end. */
    fcntl(pipe_fd, F_SETFD, FD_CLOEXEC);
    close(page_fd);
    atomic_store(&attached, page);
    expect(SIGINT);
    expect(SIGHUP);
    expect(SIGTERM);
    expect(SIGPIPE);
    return page;
}

void witness_rank(struct witness_page *page, const struct ranks *r)
{
    if (!page)
        return;
    page->rank = r->rank;
    memccpy(page->host, r->host, 0, sizeof page->host - 1);
}
