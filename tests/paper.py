"""Tables 1 and 2 of the Pynamic paper, measured with sets of ours: `./dev paper`.

Generates the set that `config_pynamic.py 495 1850 -e -u 215 1850 -n 100` describes, once with the hash tables of 2007
(sysv) and once with those of today (gnu). Runs it in every mode and prints the paper's figures beside ours. Table 2 is
simulated by cachegrind, because many machines have no hardware counters. Its set is smaller, because the simulation
takes fifty times as long.

The paper's seconds are those of a machine of 2007. What has to hold today is their shape: the ratios of modes. They
are checked for sysv; docs/paper.md explains them.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from shells import tidy_when_ended

PYNAMIC = ["495", "1850", "-e", "-u", "215", "1850", "-n", "100"]
MODES = ["vanilla", "link", "bind-now", "static"]
STYLES = ["sysv", "gnu"]
PHASES = ["startup", "import", "visit"]
# Smaller, because cachegrind takes fifty times as long. It has as many libraries and as long names, but fewer
# functions: the cost of a symbol search hardly depends on their number.
SIMULATED_SET = "495 100 -e -u 215 100 -n 100"
ROOM = 5_000_000_000  # bytes, for the libraries and the executable that contains them

# Table 1 of the paper: seconds of startup, import and visit. The paper has no totals that could differ from the sums.
PAPER = {"vanilla": (1.5, 152.8, 2.9), "link": (5.7, 56.4, 269.4), "bind-now": (285.6, 58.2, 2.8)}
# Table 2 of the paper: millions of misses of the first-level data cache in import and visit.
PAPER_MISSES = {"vanilla": (6269.8, 3.9), "link": (4945.2, 3076.5), "bind-now": (4945.3, 3.9)}


class Shape:
    """Prints which conditions hold, and remembers whether all did."""

    def __init__(self):
        self.held = True

    def check(self, what, figure, least=0.0, most=float("inf")):
        fine = least <= figure <= most
        self.held &= fine
        wanted = f"at least {least:g}" if most == float("inf") else f"{least:g} to {most:g}"
        print(f"  {'holds' if fine else 'FAILS':6} {figure:9.2f}  ({wanted})  {what}")


def generate(build, at, arguments):
    command = [build / "bin" / "pyelfgen", *arguments, "--force", "--quiet", "-o", at]
    subprocess.run([str(part) for part in command], check=True)


def run(build, at, modes, results, launcher, *options):
    """Runs a set in these modes; returns the runs of pyelfrun's JSON results. pyelfrun verifies each run."""
    command = [build / "bin" / "pyelfrun", "--quiet", "--mode", ",".join(modes), "--json", results, *options, at]
    if launcher:
        command[1:1] = ["--launcher", launcher]
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    return json.loads(results.read_text())["runs"]


def phases(one):
    return {phase["name"]: phase for phase in one["phases"]}


def seconds(runs, mode):
    """The seconds of startup, import and visit in a mode: of the slowest rank, and the median of repeated runs."""
    ours = [phases(one) for one in runs if one["mode"] == mode]
    return tuple(statistics.median(one[name]["seconds"]["max"] for one in ours) for name in PHASES)


def print_times(style, times):
    print(f"\nTable 1, seconds, hash tables: {style}")
    print(f"{'':12}{'paper':^40}   {'here':^40}")
    names = "".join(f"{name:>10}" for name in [*PHASES, "total"])
    print(f"{'':12}{names}   {names}")
    for mode, ours in times.items():
        theirs = PAPER.get(mode)
        row = "".join(f"{t:10.1f}" for t in [*theirs, sum(theirs)]) if theirs else " " * 36 + "   -"
        print(f"{mode:12}{row}   " + "".join(f"{t:10.3f}" for t in [*ours, sum(ours)]))


def check_times(shape, times):
    """Checks the shape of table 1."""
    vanilla, link, now = times["vanilla"], times["link"], times["bind-now"]
    print("\nits shape, with sysv:")
    shape.check("visit: link / vanilla, whose functions are bound when they are first called", link[2] / vanilla[2], 10)
    shape.check("visit: link / bind-now", link[2] / now[2], 10)
    shape.check("startup: bind-now / link, because all are bound at once", now[0] / link[0], 10)
    bound = link[2] - now[2]
    shape.check("startup of bind-now / what link's visit adds: the work is the same", now[0] / bound, 0.7, 1.3)


def misses(one, phase, name):
    """A counter of a phase in millions; if it is absent, the program ends with the reason."""
    counter = next((c for c in phases(one)[phase]["counters"] if c["name"] == name), None)
    if counter is None or counter["max"] is None:
        sys.exit(f"paper: no {name} of {phase}: {counter['absent'] if counter else 'pyelfrun has not counted it'}")
    return counter["max"] / 1e6


def table_two(build, directory, small, shape):
    """Prints and checks table 2: simulated misses of import and visit, of a set small enough for a simulation."""
    at = directory / "simulated"
    generate(build, at, [*small, "--hash", "sysv", "--link"])
    modes = [mode for mode in MODES if mode in PAPER_MISSES]
    runs = run(build, at, modes, directory / "simulated.json", "", "--simulate", "--phases", "import,visit")
    shutil.rmtree(at)
    counted = {}
    for one in runs:
        counters = [f"simulated_{cache}_misses" for cache in ("D1", "I1")]
        counted[one["mode"]] = [misses(one, phase, counter) for counter in counters for phase in PHASES[1:]]
    print(f"\nTable 2, millions of misses; here simulated by cachegrind, pyelfgen {' '.join(small)}, hash tables: sysv")
    print(f"{'':12}{'paper, L1-D':^20}   {'here, D1':^20}   {'here, I1':^20}")
    print(f"{'':12}" + "   ".join([f"{'import':>10}{'visit':>10}"] * 3))
    for mode, (data_import, data_visit, code_import, code_visit) in counted.items():
        theirs = "".join(f"{m:10.1f}" for m in PAPER_MISSES[mode])
        print(f"{mode:12}{theirs}   {data_import:10.3f}{data_visit:10.3f}   {code_import:10.3f}{code_visit:10.3f}")
    print("\nits shape:")
    shape.check("D1 misses of the visit: link / vanilla", counted["link"][1] / counted["vanilla"][1], 100)


def place(wanted):
    """The directory to make the sets in: as asked for, or memory if it has room, so that no disk is measured."""
    if wanted:
        pathlib.Path(wanted).mkdir(parents=True, exist_ok=True)
    candidates = [wanted] if wanted else ["/dev/shm", tempfile.gettempdir()]
    for directory in candidates:
        if os.path.isdir(directory) and shutil.disk_usage(directory).free >= ROOM:
            return directory
    sys.exit(f"paper: {candidates[-1]} has less than {ROOM / 1e9:.0f} GB free; name another place with --directory")


def main():
    parser = argparse.ArgumentParser(prog="./dev paper", description=__doc__.splitlines()[0])
    parser.add_argument("--directory", help="where to make the sets; default: /dev/shm where it has room")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each mode; medians are printed; default 1")
    parser.add_argument("--launcher", default="", help="what starts the ranks, as in 'mpirun -n 2'; default: one process")
    parser.add_argument("--hash", default=",".join(STYLES), help="styles of hash tables, for table 1; '' leaves it out")
    parser.add_argument("--set", default=" ".join(PYNAMIC), help="Pynamic's arguments; default those of the paper")
    parser.add_argument("--simulated-set", default=SIMULATED_SET, help="the same for table 2; '' leaves it out")
    options = parser.parse_args()
    build = pathlib.Path(os.environ["PYELFGEN_BUILD"]).resolve()
    shape = Shape()
    with contextlib.ExitStack() as stack:
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=place(options.directory))))
        for style in filter(None, options.hash.split(",")):
            at = directory / style
            print(f"== pyelfgen {options.set} --hash {style} --link --static", flush=True)
            generate(build, at, [*options.set.split(), "--hash", style, "--link", "--static"])
            results = directory / f"{style}.json"
            runs = run(build, at, MODES, results, options.launcher, "--warm", "--repeat", options.repeat)
            shutil.rmtree(at)
            times = {mode: seconds(runs, mode) for mode in MODES}
            print_times(style, times)
            visited = sum(one["functions-visited"] for one in runs)
            print(f"\n{len(runs)} runs, {visited} functions visited, every result right")
            if style == "sysv":
                check_times(shape, times)
        if options.simulated_set:
            table_two(build, directory, options.simulated_set.split(), shape)
    sys.exit(0 if shape.held else "paper: a shape does not hold")


if __name__ == "__main__":
    tidy_when_ended()
    main()
