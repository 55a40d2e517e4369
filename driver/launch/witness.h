/* A process beside each rank that says where the rank was if it ended silently: killed by SIGKILL, as by a host that is
 * out of memory. */
#ifndef DRIVER_LAUNCH_WITNESS_H
#define DRIVER_LAUNCH_WITNESS_H

struct witness_page;

/* Call this before this process becomes the rank. The witness is not a child of it, has none of its descriptors but
 * standard error, and ends with it. NULL if no process can be started; then the run lacks only the witness's message.
 */
struct witness_page *launch_witness(void);

/* Call this if the process did not become the rank, which is reported anyway. Accepts NULL. */
void launch_witness_told(struct witness_page *page);

#endif
