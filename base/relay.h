/* A signal that ends this process, and with it a process that it has started and waits for.
 *
 * Whoever ends only this process means the other as well. Whoever ends the process group, as timeout(1) and batch
 * systems do, has ended the other already, and nothing tells the one from the other. A process such as mpirun takes a
 * second signal for a wish to end at once, and leaves its ranks and its files behind. So a signal is held back, and is
 * passed on if the other process still runs some time later.
 *
 * timeout(1) sends its signal to its command and then to the group. So what comes within RELAY_AT_ONCE is one signal.
 */
#ifndef BASE_RELAY_H
#define BASE_RELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RELAY_NEVER INT64_MAX

enum { RELAY_AT_ONCE = 500 /* milliseconds */ };

/* Starts as {.due = RELAY_NEVER}. Times are milliseconds of relay_now. */
struct relay {
    int signal;    /* the last one that came; 0: none */
    int64_t due;   /* when it is to be passed on */
    int64_t apart; /* one that comes before this is the same again */
};

/* Milliseconds since some time in the past. */
int64_t relay_now(void);

/* Notes that a signal has come, which is to be passed on after `patience` milliseconds; RELAY_NEVER: the other process
 * is known to have it. Tells whether it is the first one, or another one than the last. Another one is a wish not to
 * wait: the caller decides what comes of that, and nothing is due any more. */
enum relayed { RELAYED_FIRST, RELAYED_AGAIN, RELAYED_ANOTHER };
enum relayed relay_note(struct relay *r, int number, int64_t patience);

/* Passes the signal on if it is due. */
void relay_pass(struct relay *r, pid_t process);

#endif
