"""Run by Python for pyelfprobe: what the loader (tools/pyelfprobe/loader.h) does, within Python.

    load.py LIST REPORT|- signal|- NAME:FUNCTION|- wait|-

LIST has the directory of a set, and then names of modules to import and paths of files to open, one a line; or an
empty line, and then paths of files to open. Files are opened with ctypes.
"""

import importlib
import os
import resource
import signal
import sys
import time


def objects():
    with open("/proc/self/maps", "rb") as maps:
        return len({line.split(maxsplit=5)[5] for line in maps if b".so" in line})


def look():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.monotonic(), used.ru_utime + used.ru_stime, used.ru_minflt + used.ru_majflt


def main(names, report, to_signal, call, wait):
    with open(names, "rb") as file:  # paths need not be text
        directory, *names = [os.fsdecode(line) for line in file.read().splitlines()]
    signal.signal(signal.SIGUSR1, lambda *_: None)
    opened = {}
    if directory:
        sys.path.insert(0, directory)
    if any("/" in name for name in names):
        import ctypes

    def open_one(name):
        return ctypes.CDLL(name, os.RTLD_LAZY) if "/" in name else importlib.import_module(name)

    there, before, failed, why = objects(), look(), 0, ""
    for name in names:
        try:
            opened[name] = open_one(name)
        except (ImportError, OSError) as error:
            why = why or " ".join(str(error).split())
            failed += 1
    wall, cpu, faults = (now - then for now, then in zip(look(), before))
    if report != "-":
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with open(report + ".new", "w", errors="surrogateescape") as file:
            file.write(f"{objects() - there} {wall:.9f} {cpu:.6f} {peak} {faults} {failed} {why}\n")
        os.rename(report + ".new", report)
    name, _, function = call.rpartition(":")
    called = getattr(opened.get(name), function, None)
    if called:
        if not directory:
            called.restype = ctypes.c_ulong
        print(called())
    if to_signal != "-":
        os.kill(os.getpid(), signal.SIGUSR1)
    while wait != "-":
        signal.pause()


main(*sys.argv[1:])
