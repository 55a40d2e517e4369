/* See process.h. */
#include "base/process.h"

#include <signal.h>
#include <stddef.h>

static void go_on(int number)
{
    (void)number;
}

void process_start(void)
{
    /* What is ignored is so after exec(2), too; what is handled is not. */
    struct sigaction limit;
    if (sigaction(SIGXFSZ, NULL, &limit) == 0 && limit.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = go_on, .sa_flags = SA_RESTART}, NULL);
}
