"""A compiled Pynamic set and one of ours, in turn, mode by mode: `./dev compiled DIRECTORY`.

DIRECTORY is what config_pynamic.py of Pynamic 1.3.3 leaves for the same arguments: libraries that gcc compiled and ld
linked, the driver pynamic_driver_mpi4py.py, and the executable pynamic-mpi4py, linked with `-Wl,--no-as-needed`, which
Debian's gcc needs (docs/paper.md). The compiled set is run by its own unmodified driver: under Python (vanilla), and in
the executable with and without LD_BIND_NOW. Its startup is the time to its first line.

Our set can stand in for the compiled one if each figure is within a quarter of the compiled set's. Figures of less than
a second are not judged.
"""

import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from paper import PHASES, PYNAMIC, generate, place, run, seconds
from shells import tidy_when_ended

MODES = ["vanilla", "link", "bind-now"]
DRIVER, EXECUTABLE = "pynamic_driver_mpi4py.py", "pynamic-mpi4py"
LEAST = 1.0  # seconds; figures below are shown but not judged
NEAR = 0.25  # largest difference of the ratio from 1


def compiled(directory, mode):
    """The seconds of startup, import and visit of the compiled set.

    The driver prints those of import and visit, and is killed once it has. Startup is measured here.
    """
    python = os.environ.get("PYTHON", "/usr/bin/python3")
    command = [python, DRIVER] if mode == "vanilla" else [f"./{EXECUTABLE}"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", **({"LD_BIND_NOW": "1"} if mode == "bind-now" else {})}
    found = {}
    said = []
    start = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as child:
        for line in child.stdout:
            said.append(line)
            if line.startswith("Pynamic: Version"):
                found["startup"] = time.monotonic() - start
            if match := re.match(r"Pynamic: module (import|visit) time = ([0-9.e-]+) secs", line):
                found[match[1]] = float(match[2])
            if "visit" in found:
                os.killpg(child.pid, signal.SIGKILL)
                break
    if set(found) != set(PHASES):
        sys.exit(f"compiled: {directory}: {' '.join(command)} did not come to its visit:\n" + "".join(said[-5:]))
    return tuple(found[name] for name in PHASES)


def read_all(*directories):
    """Reads all libraries in these directories, so that they are in the page cache."""
    for directory in directories:
        for file in sorted(pathlib.Path(directory).glob("*.so")):
            with open(file, "rb") as opened:
                while opened.read(1 << 20):
                    pass


def judge(theirs, ours):
    """(median of theirs, of ours, of the ratios, whether it is near or None if it is too short to be judged)"""
    one, other = statistics.median(theirs), statistics.median(ours)
    ratio = statistics.median(b / a for a, b in zip(theirs, ours))
    return one, other, ratio, None if one < LEAST else abs(ratio - 1) <= NEAR


def main():
    parser = argparse.ArgumentParser(prog="./dev compiled", description=__doc__.splitlines()[0])
    parser.add_argument("--hash", default="gnu", help="hash tables of the compiled set: gnu (default) or sysv")
    parser.add_argument("--modes", default=",".join(MODES), help=f"of {', '.join(MODES)}, only these")
    parser.add_argument("--rounds", type=int, default=3, help="how often, in turn; default 3")
    parser.add_argument("--set", default=" ".join(PYNAMIC), help="Pynamic's arguments; default those of the paper")
    parser.add_argument("--directory", help="where to make our set; default: /dev/shm where it has room")
    parser.add_argument("compiled", help="the directory of the compiled set")
    options = parser.parse_args()
    build = pathlib.Path(os.environ["PYELFGEN_BUILD"]).resolve()
    theirs = pathlib.Path(options.compiled).resolve()
    for name in (DRIVER, EXECUTABLE):
        if not (theirs / name).is_file():
            sys.exit(f"compiled: {theirs} has no {name}; name a directory in which Pynamic was built")

    fine = True
    with tempfile.TemporaryDirectory(dir=place(options.directory)) as directory:
        directory = pathlib.Path(directory)
        ours = directory / "set"
        generate(build, ours, [*options.set.split(), "--hash", options.hash, "--link"])
        read_all(theirs, ours)
        print(f"hash tables: {options.hash}; {options.rounds} rounds\n")
        print(f"{'mode':10}{'phase':10}{'compiled':>10}{'ours':>10}{'ratio':>8}   ratios of the rounds", flush=True)
        for mode in options.modes.split(","):
            pairs = []
            for _ in range(options.rounds):
                before = compiled(theirs, mode)
                pairs.append((before, seconds(run(build, ours, [mode], directory / "a.json", ""), mode)))
            for i, phase in enumerate(PHASES):
                one, other, ratio, near = judge([a[i] for a, _ in pairs], [b[i] for _, b in pairs])
                fine &= near is not False
                rounds = " ".join(f"{b[i] / a[i]:.2f}" for a, b in pairs)
                verdict = {True: "holds", False: "FAILS", None: ""}[near]
                print(f"{mode:10}{phase:10}{one:10.2f}{other:10.2f}{ratio:8.2f}   {rounds}  {verdict}".rstrip(), flush=True)
    sys.exit(0 if fine else "compiled: a figure of more than a second is off by more than a quarter")


if __name__ == "__main__":
    tidy_when_ended()
    main()
