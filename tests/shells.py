"""How shells start programs."""

import signal


def as_in_a_shell():
    """Restores the defaults of SIGHUP and SIGINT, as in a shell's foreground.

    Tests under nohup or in the background of a script inherit these signals as ignored, and would pass that on.
    """
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
