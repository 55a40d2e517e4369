"""How shells start programs, and how others end them."""

import signal
import sys


def as_in_a_shell():
    """Restores the defaults of SIGHUP and SIGINT, as in a shell's foreground.

    Tests under nohup or in the background of a script inherit these signals as ignored, and would pass that on.
    """
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def tidy_when_ended():
    """Makes SIGTERM, as timeout(1) and batch systems send it, end this process by an exception: with its files gone."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
