/* See witness.h.
 *
 * A rank cannot report that it is killed, and a launcher that can knows no modules. The witness is forked here and not
 * by the rank: this process has hardly any pages yet whose writing a fork would make slower.
 *
 * The witness waits for the end of a pipe that only the rank holds open. If the launcher sends a signal to all of the
 * rank's process group, the witness ends too: then other ranks have failed, and there is nothing to say.
 */
#include "driver/launch/witness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/launched.h"
#include "driver/common/witness_page.h"

static void tell(const struct witness_page *page)
{
    char who[HOST_NAME_MOST + 64];
    struct error e;
    const bool links = strcmp(page->phase, WITNESS_STARTUP) == 0;
    const bool joins = strcmp(page->phase, WITNESS_MPI) == 0;
    snprintf(who, sizeof who, "pyelfrun: rank %d on %.*s", page->rank, HOST_NAME_MOST - 1, page->host);
    error_set(&e, ERROR_SYSTEM, "ended without reporting an error in phase %.*s%s%.*s; %s", (int)sizeof page->phase - 1,
              page->phase, page->library[0] ? ", at " : "", MANIFEST_NAME_MOST, page->library,
              links   ? "the dynamic linker may have printed why, or it was killed"
              : joins ? "MPI may have printed why, or it was killed"
                      : "was it killed, or the host out of memory? see its kernel's log");
    error_report(who, &e);
}

/* Closes all descriptors but standard error and `kept`. */
static void close_others(int kept)
{
    for (int fd = 0, last = (int)sysconf(_SC_OPEN_MAX); fd < kept && fd < last; fd++)
        if (fd != STDERR_FILENO)
            close(fd);
    closefrom(kept + 1); /* as close_range, which kernels before 5.9 and some containers do not have */
}

static void watch(int pipe_end, const struct witness_page *page)
{
    char byte;
    close_others(pipe_end);
    while (read(pipe_end, &byte, 1) < 0 && errno == EINTR) {
    }
    if (!atomic_load(&page->told))
        tell(page);
    _exit(EXIT_SUCCESS);
}

static struct witness_page *map_page(int fd)
{
    if (fd < 0 || ftruncate(fd, sizeof(struct witness_page)) != 0)
        return NULL;
    struct witness_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return NULL;
    page->rank = (int)launched_by().rank;
    gethostname(page->host, sizeof page->host - 1);
    snprintf(page->phase, sizeof page->phase, WITNESS_STARTUP);
    return page;
}

/* Forks the witness as a grandchild, whose end nobody has to wait for. */
static bool fork_apart(int pipe_end, const struct witness_page *page)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        pid_t witness = fork();
        if (witness == 0)
            watch(pipe_end, page);
        _exit(witness < 0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool show_to_rank(int page_fd, int pipe_end)
{
    char text[64];
    snprintf(text, sizeof text, "%d %d", page_fd, pipe_end);
    return setenv(WITNESS_VARIABLE, text, 1) == 0;
}

struct witness_page *launch_witness(void)
{
    int ends[2] = {-1, -1};
    int page_fd = memfd_create("pyelfrun-witness", 0);
    struct witness_page *page = map_page(page_fd);
    bool well = page && pipe(ends) == 0 && show_to_rank(page_fd, ends[1]) && fork_apart(ends[0], page);
    if (ends[0] >= 0)
        close(ends[0]);
    if (well)
        return page;
    unsetenv(WITNESS_VARIABLE);
    if (ends[1] >= 0)
        close(ends[1]);
    if (page_fd >= 0)
        close(page_fd);
    return NULL;
}

void launch_witness_told(struct witness_page *page)
{
    if (page)
        atomic_store(&page->told, 1);
}
