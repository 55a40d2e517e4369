"""Run by Python for pyelfprobe: what the loader (tools/pyelfprobe_loader.h) does, with imports.

    load.py LIST REPORT|- signal|- MODULE:FUNCTION|- wait|-

LIST has the directory of the set, and then the module's names, one a line.
"""

import importlib
import os
import resource
import signal
import sys
import time


def objects():
    with open("/proc/self/maps") as maps:
        return len({line.split(maxsplit=5)[5] for line in maps if ".so" in line})


def look():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.monotonic(), used.ru_utime + used.ru_stime, used.ru_minflt + used.ru_majflt


def main(names, report, to_signal, call, wait):
    with open(names) as file:
        directory, *modules = file.read().splitlines()
    signal.signal(signal.SIGUSR1, lambda *_: None)
    sys.path.insert(0, directory)
    there, before, failed, why = objects(), look(), 0, ""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError as error:
            why = why or " ".join(str(error).split())
            failed += 1
    wall, cpu, faults = (now - then for now, then in zip(look(), before))
    if report != "-":
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with open(report + ".new", "w") as file:
            file.write(f"{objects() - there} {wall:.9f} {cpu:.6f} {peak} {faults} {failed} {why}\n")
        os.rename(report + ".new", report)
    if to_signal != "-":
        os.kill(os.getpid(), signal.SIGUSR1)
    if call != "-":
        module, function = call.split(":")
        print(getattr(sys.modules[module], function)())
    while wait != "-":
        signal.pause()


main(*sys.argv[1:])
