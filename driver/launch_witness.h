/* A process beside each rank that says where the rank was when it ended without
 * a word: killed by SIGKILL, as a host that is out of memory does it. */
#ifndef DRIVER_LAUNCH_WITNESS_H
#define DRIVER_LAUNCH_WITNESS_H

/* Called before this process becomes the rank. The witness is not its child, has
 * none of its descriptors but standard error, and ends with it. Where there can be
 * none, for want of processes, the run lacks but its words. */
void launch_witness(void);

#endif
