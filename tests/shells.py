"""How shells start programs."""

import signal


def as_in_a_shell():
    """A program that is started under nohup or in the background of a script goes on ignoring what these ignore."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
