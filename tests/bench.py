"""What generating a set costs beside copying it: `./dev bench`.

After a warm-up, `pyelfgen` and `cp -r` of its result run in alternating pairs. The result is the median of the ratios
of the pairs: the absolute times of a shared machine drift by a factor of three, the ratios hardly. Outside of the timed
part the former output is deleted, memory is fetched, and a disk is synced.

Each pair has five more measurements: plain writes of as many bytes in as many files by as many threads, which is the
least that any generator could take; the twin of the set, from what `pyelfprof` captures of it, and once more from that
with what `--settle` has found; the same set with an executable that is linked with it; and the set as one executable
instead. A profile that was captured already has no
executables, and is its own twin's: then there are the first two only.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from shells import tidy_when_ended
from writes import fetch_memory, plain_writes


def timed(action, size):
    """The seconds that an action takes which writes `size` bytes; memory for these is fetched first."""
    fetch_memory(size)
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def remove(path, sync):
    shutil.rmtree(path, ignore_errors=True)
    if sync:
        os.sync()


def peak_memory(command):
    """The largest resident size of a command, in MB."""
    result = subprocess.run(["/usr/bin/time", "-v", *command], capture_output=True, text=True, check=True)
    return int(re.search(r"Maximum resident set size \(kbytes\): (\d+)", result.stderr)[1]) * 1024 / 1e6


# The measurements: pyelfgen, the two that it is compared with, and pyelfgen with more options. RATIOS are printed.
GENERATED, COPIED, WRITTEN = "pyelfgen", "cp -r", "plain writes"
TWIN, SETTLED = "pyelfgen, captured", "pyelfgen, captured and settled"
LINKED, STATIC = "--link", "--static --no-libraries"
RATIOS = [
    (GENERATED, COPIED),
    (GENERATED, WRITTEN),
    (TWIN, COPIED),
    (SETTLED, COPIED),
    (LINKED, GENERATED),
    (STATIC, GENERATED),
]


def is_captured(profile):
    """Whether a profile has rows, as captures have."""
    path = pathlib.Path(profile)
    return path.is_file() and re.search(r"(?m)^libraries *:", path.read_text()) is not None


def bench(programs, profile, directory, threads, pairs, sync):
    """The bytes of the set, and a row {measurement: seconds} for each pair."""
    made, copied, written = (directory / name for name in ("made", "copied", "written"))
    capture, settled = directory / "captured.prof", directory / "settled.prof"
    more = not is_captured(profile)

    def generate(*options, of=profile):
        command = [programs / "pyelfgen", "--profile", of, "-o", made, "-j", str(threads), "--quiet", *options]
        subprocess.run(command, check=True)

    def generated(*options, of=profile):
        remove(made, sync)
        return timed(lambda: generate(*options, of=of), total)

    generate()
    if more:
        subprocess.run([programs / "pyelfprof", "--quiet", "-o", capture, made], check=True)
        subprocess.run([programs / "pyelfgen", "--profile", capture, "--settle", settled, "--quiet"], check=True)
    sizes = [path.stat().st_size for path in made.iterdir()]
    total = sum(sizes)
    rows = []
    for number in range(pairs + 1):
        row = {COPIED: timed(lambda: subprocess.run(["cp", "-r", made, copied], check=True), total)}
        remove(copied, sync)
        row[WRITTEN] = timed(lambda: plain_writes(sizes, written, threads), total)
        remove(written, sync)
        if more:
            row[STATIC] = generated("--static", "--no-libraries")
            row[LINKED] = generated("--link")
            row[TWIN] = generated(of=capture)
            row[SETTLED] = generated(of=settled)
        row[GENERATED] = generated()
        if sync:
            os.sync()
        if number:  # the first warms up
            rows.append(row)
    remove(made, False)
    return total, rows


def report(where, total, rows):
    def line(title, values):
        print(f"  {title:<40}{min(values):8.3f}{statistics.median(values):8.3f}{max(values):8.3f}")

    print(f"{where}: {total / 1e6:.0f} MB, {len(rows)} pairs{'':24}min  median     max")
    for what in (GENERATED, COPIED, WRITTEN, TWIN, SETTLED, LINKED, STATIC):
        if what in rows[0]:
            line(f"{what}, seconds", [row[what] for row in rows])
    for what, beside in RATIOS:
        if what in rows[0]:
            line(f"{what} / {beside}", [row[what] / row[beside] for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", default="llnl-2007")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--disk", default=None, help="a directory on the disk; default: the build directory")
    parser.add_argument("--no-disk", action="store_true")
    parser.add_argument("--json", help="also write the measurements to this file")
    options = parser.parse_args()
    build = pathlib.Path(os.environ.get("PYELFGEN_BUILD", pathlib.Path(__file__).resolve().parent.parent / "build"))
    programs = build / "bin"
    places = [("tmpfs", "/dev/shm", False)]
    if not options.no_disk:
        places.append(("disk", options.disk or str(build), True))
    results = {}
    for where, parent, sync in places:
        with tempfile.TemporaryDirectory(dir=parent, prefix="bench-") as directory:
            total, rows = bench(programs, options.profile, pathlib.Path(directory), options.threads, options.pairs, sync)
        report(where, total, rows)
        results[where] = {"bytes": total, "seconds": rows}
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="bench-") as directory:
        command = [programs / "pyelfgen", "--profile", options.profile, "-o", f"{directory}/set", "-q", "-j"]
        for threads in (1, options.threads):
            peak = peak_memory([*command, str(threads), "--force"])
            print(f"peak memory, {threads} thread{'s' * (threads > 1)}: {peak:.0f} MB")
            results[f"peak MB, -j{threads}"] = peak
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    tidy_when_ended()
    sys.exit(main())
