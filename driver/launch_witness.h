/* A process beside each rank that says where the rank was when it ended without
 * a word: killed by SIGKILL, as a host that is out of memory does it. */
#ifndef DRIVER_LAUNCH_WITNESS_H
#define DRIVER_LAUNCH_WITNESS_H

struct witness_page;

/* Called before this process becomes the rank. The witness is not its child, has
 * none of its descriptors but standard error, and ends with it. Where there can be
 * none, for want of processes, the run lacks but its words, and this is NULL. */
struct witness_page *launch_witness(void);

/* It did not become the rank, which is going to be said. Takes NULL. */
void launch_witness_told(struct witness_page *page);

#endif
