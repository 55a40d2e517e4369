"""Real applications and their twins, side by side: `./dev twins [APPLICATION...]`.

pyelfprof captures each application, pyelfgen generates its twin, and pyelfstat --compare compares the two. The twin is
captured in turn and generated once more. pyelfprobe measures how both behave: loading, and gdb's two phases. One table
has all applications. Each application has a directory with the files behind its column. docs/twins.md explains each
line of the table.

A twin behaves like the real application if each ratio, twin over real, is 0.8 to 1.25.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile

from shells import tidy_when_ended
from twins_applications import APPLICATIONS, LOAD, Absent, debug_file

LEAST, MOST = 0.8, 1.25
NEAR = 0.05  # distance at which distributions begin to be far, as in pyelfstat
SHORTEST = 4  # least characters for a name that is new in the temporary directory
NAME_MOST = 255  # characters of a file's name, in Linux
QUANTITIES = re.compile(
    r"(text|data(-rel-ro)?|bss|debug|symtab|strtab|functions|plt|outside|indirect|dwarf\.(units|partial|dies)|"
    r"tags|forms|attributes|(dynamic|relocations|needed|exceptions|mix)\..*|degree.*)$"
)
FIXED = [("profile of the twin", "real.prof", "twin.prof"), ("profile of its twin", "twin.prof", "again.prof")]
DISTRIBUTIONS = ["function-sizes", "name-lengths"]
NEARLY = [*DISTRIBUTIONS, "dwarf.uneven"]  # what pyelfgen tells of only where it is off by 5 % or more
BEHAVIOUR = [  # label, tool, step, name of the ratio, name and format of the measure that it is a ratio of
    ("load", "load", "whole", "wall", "wall-seconds", "{:.4f} s"),
    ("load, CPU", "load", "whole", "cpu", "cpu-seconds", "{:.4f} s"),
    ("load, page faults", "load", "whole", "page-faults", "page-faults", "{:.0f}"),
    ("gdb phase 1", "gdb", "phase1", "wall", "wall-seconds", "{:.2f} s"),
    ("gdb phase 1, CPU", "gdb", "phase1", "cpu", "cpu-seconds", "{:.2f} s"),
    ("gdb phase 1, memory", "gdb", "phase1", "peak", "peak-bytes", "{:,.0f}"),
    ("gdb phase 2", "gdb", "phase2", "wall", "wall-seconds", "{:.2f} s"),
    ("gdb phase 2, CPU", "gdb", "phase2", "cpu", "cpu-seconds", "{:.2f} s"),
    ("gdb phase 2, memory", "gdb", "phase2", "peak", "peak-bytes", "{:,.0f}"),
]


class Failed(Exception):
    """A program failed; the text is its message."""


class Twin:
    """One application, its twin, and what is measured of both. All files are in one directory, which is made anew."""

    def __init__(self, build, directory, repeat):
        self.build, self.directory, self.repeat = build, directory, repeat
        self.cells = {}  # label: what the table shows
        self.outside = []  # labels of what is not near enough
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)

    def run(self, program, *arguments, most=0, to=None, allocator=None):
        """Runs one of our programs, with its output in the file `to`. A status of more than `most` is a failure."""
        command = [str(part) for part in [self.build / "bin" / program, *arguments]]
        environment = {**os.environ, "LD_PRELOAD": str(allocator)} if allocator else None
        with open(self.directory / to, "w") if to else open(os.devnull, "w") as output:
            how = {"cwd": self.directory, "env": environment, "text": True}
            done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, **how)
        if not 0 <= done.returncode <= most:
            raise Failed(f"{program}: status {done.returncode}: {done.stderr.strip()}")
        return done

    def make(self, application):
        """Makes the captures and the sets. Afterwards `real` and `made` list the files of both, row by row."""
        self.load = [word for word in application.capture if word == LOAD]
        wanted = ["-o", "real.prof", "--list", "files.list", *application.capture]
        self.run("pyelfprof", *wanted, allocator=application.allocator)
        self.generate("real.prof", "twin")
        self.generate("twin.prof", "again")
        shutil.rmtree(self.directory / "again")
        listed = [line.split("\t") for line in (self.directory / "files.list").read_text().splitlines()]
        self.made = [self.directory / "twin" / name for name, _ in listed]
        self.real = [pathlib.Path(path) for _, path in listed]
        self.cells["libraries"] = str(len(self.real))

    def generate(self, profile, name):
        """Generates the set NAME from a profile, and captures it as NAME.prof."""
        self.run("pyelfgen", "--profile", profile, "-o", name, to=f"{name}.generated.txt")
        self.run("pyelfprof", *self.load, "-o", f"{name}.prof", name)

    def compared(self, name, *arguments):
        """Runs pyelfstat --compare, which leaves NAME.txt, NAME.html and NAME.json, and returns its JSON report."""
        kept = ["--json", f"{name}.json", "--html", f"{name}.html"]
        self.run("pyelfstat", "--compare", "--match", "order", *kept, *arguments, most=1, to=f"{name}.txt")
        return json.loads((self.directory / f"{name}.json").read_text())

    def compare(self):
        """Compares the captures of the twin and of the real one, quantity by quantity."""
        report = self.compared("compared", "real.prof", "twin.prof")
        for quantity in report["set"]:
            if QUANTITIES.match(quantity["name"]):
                self.cells[quantity["name"]] = states(quantity)
        self.cells["quantities of the set"] = three(report["summary"]["set"])
        self.cells["quantities of the libraries"] = three(report["summary"]["libraries"])
        told = self.compared("told", "real.prof", "twin")["summary"]
        self.cells["of the libraries, told"] = f"{told['libraries']['told']}, {told['libraries']['off']} off besides"
        exactly = ["--told", "--tolerance", "0", *(word for name in NEARLY for word in ("--without", name))]
        told = self.compared("not-the-same", *exactly, "real.prof", "twin")["summary"]["libraries"]
        self.cells["not the same, told"] = f"{told['told']}, {told['off']} not told"
        for label, *profiles in FIXED:
            self.cells[label] = same(self.compared(label.replace(" ", "-"), "--tolerance", "0", *profiles))

    def compare_values(self, program):
        """The distances of distributions. They need all values, so the files are compared, not the profiles.

        A program among the files is left out.
        """
        for side, paths in [("real", self.real), ("made", self.made)]:
            for i, path in enumerate(paths):
                if self.real[i] != program:
                    link = self.directory / "values" / side / str(i) / path.name
                    link.parent.mkdir(parents=True)
                    link.symlink_to(path)
        report = self.compared("values-compared", "--no-dwarf", "--debug-dir", "twin", "values/real", "values/made")
        for quantity in report["set"]:
            if quantity["name"] in DISTRIBUTIONS:
                rows = [row for library in report["libraries"] for row in library["quantities"]]
                each = [row["distance"] for row in rows if row["name"] == quantity["name"] and "distance" in row]
                far = sum(distance >= NEAR for distance in each)
                self.cells[quantity["name"]] = f"{quantity['distance']:.3f}, {far} of {len(each)} far"

    def behave(self, application):
        """Measures loading and debugging of both, in turn; without the program, which cannot be opened."""
        real = [path for path in self.real if path != application.program]
        made = [path for path, of in zip(self.made, self.real) if of != application.program]
        write_list(self.directory / "real.list", real)
        preload = [f"--preload={path}" for path in self.beside(application)]
        with paths_as_long(self.directory / "twin", real, made) as paths:
            write_list(self.directory / "made.list", paths)
            self.probe(preload)
        write_list(self.directory / "made.list", made)

    def probe(self, preload):
        """Runs pyelfprobe on the files of both lists, once to warm up and then to measure."""
        for tool, repeat in [("load", 5 * self.repeat), ("gdb", self.repeat)]:
            wanted = [f"--tools={tool}", "--phases=phase1,phase2", "--cache=warm", f"--json={tool}.json", *preload]
            for times in (1, repeat):  # the first run warms up
                command = ["pyelfprobe", "--quiet", f"--repeat={times}", *wanted, "real.list", "made.list"]
                done = self.run(*command, most=1, to=f"{tool}.txt")
                if not (self.directory / f"{tool}.json").exists():
                    raise Failed(f"pyelfprobe: {done.stderr.strip()}")
            self.take(json.loads((self.directory / f"{tool}.json").read_text()))

    def take(self, report):
        """Puts the figures of one report of pyelfprobe into the table."""
        for label, tool, step, name, measure, form in BEHAVIOUR:
            real = find(report["measurements"], tool, step, application=0)
            twin = find(report["measurements"], tool, step, application=1)
            ratio = find(report.get("ratios", []), tool, step)
            if ratio and name in ratio:
                self.judge(label, ratio[name], form.format(real["median"][measure]), judged=name != "cpu")
            elif real and twin:
                self.outside.append(label)
                self.cells[label] = "; ".join({m["status"] for m in (real, twin)} - {"done"}) or "absent"
            for side, one in [("real", real), ("twin", twin)]:
                if one and "reason" in one and name == "wall":
                    print(f"  {label}: {side}: {one['reason']}")

    def beside(self, application):
        """The libraries to load before the files of either side: what the files need from outside of the set.

        Libraries that are needed without being named (`unsaid`) are copied without symbols. If the libraries themselves
        are among the files, they are then still loaded and read as their twins are.
        """
        files = {path.resolve() for path in [*self.real, *self.made]}
        found = {}
        (self.directory / "beside").mkdir()
        for path in application.unsaid:
            found[path.name] = self.directory / "beside" / path.name
            subprocess.run(["strip", "-o", found[path.name], path], check=True)
        said = subprocess.run(["ldd", *self.real, *self.made], capture_output=True, text=True).stdout
        for name, path in re.findall(r"^\t(\S+) => (/\S+)", said, flags=re.M):
            if pathlib.Path(path).resolve() not in files and name != "libc.so.6":
                found.setdefault(name, path)
        return found.values()

    def compress(self):
        """Compares the bytes of all files, debug files too, after zstd -3."""
        real = packed(self.real)
        self.judge("zstd -3", packed(self.made) / real, f"{real / 1e6:.2f} MB")

    def judge(self, label, ratio, real, judged=True):
        fine = LEAST <= ratio <= MOST or not judged
        self.cells[label] = f"{ratio:.2f} of {real}" + ("" if fine else " OUTSIDE")
        if not fine:
            self.outside.append(label)


@contextlib.contextmanager
def paths_as_long(directory, real, made):
    """A context with other paths of the twin's files, as long as the real paths on average: hard links elsewhere.

    gdb reads the path of every library whenever one is loaded, eight bytes at a time. Of two equal sets the one in the
    longer directory takes longer. Symbolic links do not help, because pyelfprobe resolves them.
    """
    length = round(sum(len(str(path)) for path in real) / len(real) - sum(len(path.name) for path in made) / len(made))
    parent = pathlib.Path(tempfile.gettempdir()).resolve()
    if parent.stat().st_dev != directory.stat().st_dev:
        parent = directory.parent
    name = min(max(length - len(str(parent)) - 2, SHORTEST), NAME_MOST)
    while (place := parent / secrets.token_hex(name)[:name]).exists():
        pass
    try:
        shutil.copytree(directory, place, copy_function=os.link)
        yield [place / path.name for path in made]
    finally:
        shutil.rmtree(place, ignore_errors=True)


def write_list(path, files):
    path.write_text("".join(f"{file}\n" for file in files))


def find(entries, tool, step, **more):
    """The first entry of a report for this tool and step, or None."""
    wanted = {"tool": tool, "step": step, **more}
    return next((entry for entry in entries if wanted.items() <= entry.items()), None)


def packed(paths):
    """The bytes of these files and their debug files after zstd -3, each compressed by itself."""
    files = [file for path in paths for file in (path.resolve(), debug_file(path.resolve())) if file]
    command = ["zstd", "-3", "--quiet", "--stdout"]
    return sum(len(subprocess.run([*command, file], capture_output=True, check=True).stdout) for file in files)


def three(states):
    return f"{states['equal']}/{states['within']}/{states['off']}"


def states(quantity):
    """The cell for a quantity: in how many libraries it is equal, within and off, and by how much the sum differs.

    If all are equal, the cell has their number only. A distribution has its distance instead.
    """
    if "distance" in quantity:
        return f"{quantity['distance']:.3f}"
    each = quantity["libraries"]
    if not each["within"] + each["off"]:
        return str(each["equal"])
    real, difference = quantity["real"], quantity["difference"]
    return three(each) + (f" {100 * difference / real:+.3g} %" if real else f" {difference:+d}" if difference else "")


def same(report):
    """The cell for two profiles: how many quantities of the set are equal, and how many rows are so in all."""
    rows = sum(not row["states"]["within"] + row["states"]["off"] for row in report["libraries"])
    set_states = report["summary"]["set"]
    return f"{set_states['equal']} of {sum(set_states.values())}, {rows} of {len(report['libraries'])} rows"


def table(twins):
    """The table in Markdown. A line that only some applications have stands behind those that precede it in them."""
    labels = []
    for twin in twins.values():
        for place, label in enumerate(twin.cells):
            if label not in labels:
                before = [labels.index(other) for other in list(twin.cells)[:place]]
                labels.insert(max(before, default=-1) + 1, label)
    rows = [["", *twins], *([label, *(twin.cells.get(label, "") for twin in twins.values())] for label in labels)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    return "".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |\n" for row in rows)


def measure(name, options, build):
    """Captures, generates, compares and measures one application."""
    with contextlib.ExitStack() as stack:
        application = APPLICATIONS[name](options, stack)
        print(f"== {name}", flush=True)
        twin = Twin(build, pathlib.Path(options.directory).resolve() / name, options.repeat)
        twin.make(application)
    twin.compare()
    twin.compare_values(application.program)
    if application.loads and not options.no_behaviour:
        twin.behave(application)
    twin.compress()
    return twin


def arguments():
    parser = argparse.ArgumentParser(prog="./dev twins", description=__doc__.splitlines()[0])
    parser.add_argument("--directory", default="build/twins", help="where to leave what was found; build/twins")
    parser.add_argument("--no-behaviour", action="store_true", help="neither load nor debug them, which takes longest")
    parser.add_argument("--pynamic", metavar="DIR", help="where a Pynamic set was compiled")
    parser.add_argument("--python", default="~/.pyenv/versions/3.11.7", metavar="PREFIX", help="CPython of lib-dynload")
    parser.add_argument("--repeat", type=int, default=5, help="pairs of runs of gdb, a fifth of those of loading; 5")
    parser.add_argument("applications", nargs="*", metavar="APPLICATION", help=f"{', '.join(APPLICATIONS)}; all")
    options = parser.parse_args()
    if unknown := set(options.applications) - set(APPLICATIONS):
        parser.error(f"no application {' '.join(sorted(unknown))}; there are {', '.join(APPLICATIONS)}")
    return options


def main():
    options = arguments()
    build = pathlib.Path(os.environ["PYELFGEN_BUILD"]).resolve()
    twins, failures = {}, []
    for name in options.applications or APPLICATIONS:
        try:
            twins[name] = measure(name, options, build)
            failures += [f"{name}: {label}" for label in twins[name].outside]
        except Absent as absent:
            print(f"{name}: absent: {absent}", flush=True)
            failures += [f"{name} is absent"] if options.applications else []
        except Failed as failed:
            print(f"{name}: {failed}", flush=True)
            failures.append(f"{name} failed")
    if twins:
        print("\n" + table(twins), end="")
    sys.exit(f"twins: outside of {LEAST} to {MOST}: " + "; ".join(failures) if failures else 0)


if __name__ == "__main__":
    tidy_when_ended()
    main()
