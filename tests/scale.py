"""What generating costs as sets grow, in libraries and in bytes: `./dev scale`.

There are three series: more and more small libraries; as many libraries as the demo has, larger and larger; one
library, larger and larger. Each set is generated into memory (tmpfs) if that has ample room, otherwise onto the disk,
and removed at once. Where neither has room it is only planned (--dry-run). The table has for each set:

- the shortest of several times;
- the time for each byte, without start-up, which is the time of the smallest set;
- the ratio of that to the first row of the series in the same place, which is 1 if time is linear;
- the same ratio for plain writes of as many bytes in as many files;
- the largest resident size of the process.

Table, picture and figures are written to build/scale/ too.
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from shells import tidy_when_ended
from writes import available_memory, plain_writes

# The sizes as shares of a set: the demo's, with a little more for tables, which small libraries need.
SHARES = {"text": 0.19, "data": 0.01, "debug": 0.73, "symtab": 0.012, "strtab": 0.058}
SMALL = 100_000  # bytes of a small library
DEMO = 495  # libraries
MB, GB = 10**6, 10**9
LINEAR = 1.2  # largest time per byte that counts as linear, as a multiple of the first row's

# {series: [(libraries, bytes)]}: SERIES takes a few minutes, --full adds FULL, and without it PLANNED is only planned.
SERIES = {
    "small libraries": [(n, n * SMALL) for n in (1000, 2000, 5000, 10_000, 20_000)],
    "larger libraries": [(DEMO, size) for size in (150 * MB, 500 * MB, 1500 * MB, 5 * GB)],
    "one library": [(1, size) for size in (100 * MB, 300 * MB, GB, 3 * GB)],
}
FULL = {"small libraries": [(100_000, 100_000 * SMALL)], "larger libraries": [(5000, 15 * GB), (16_500, 50 * GB)]}
PLANNED = {"larger libraries": [(16_500, 50 * GB)], "small libraries": [(100_000, 100_000 * SMALL)]}


def profile_of(libraries, size):
    utilities = libraries * 215 // 495
    sections = ", ".join(f"{name}: {int(size * share)} B" for name, share in SHARES.items())
    return (
        f"pyelfgen-profile: 1\napplication: scale\nmodules: {libraries - utilities}\nutilities: {utilities}\n"
        f"sections: {{{sections}}}\n"
    )


class Places:
    """The directories where sets can be written, and which of them has room for a set."""

    def __init__(self, disk, memory):
        self.paths = {"tmpfs": memory, "disk": disk}

    def room(self, where):
        path = self.paths[where]
        if not path or not path.is_dir():
            return 0
        free = shutil.disk_usage(path).free
        return min(free, available_memory()) // 6 if where == "tmpfs" else free * 3 // 4

    def choose(self, size):
        for where in self.paths:
            if size < self.room(where):
                return where
        return "planned"


def measure(command):
    """Runs a command; returns its seconds and its largest resident size in bytes."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"scale.py: {' '.join(command)}: exit status {process.returncode}")
    return seconds, usage.ru_maxrss * 1024


class Bench:
    def __init__(self, generator, threads, repeat, places):
        self.generator, self.threads, self.repeat, self.places = generator, threads, repeat, places
        self.startup = {}

    def directory(self, where):
        """A new temporary directory there. The disk is synced first, so that no earlier writes are pending."""
        if where == "disk":
            os.sync()
        return tempfile.TemporaryDirectory(dir=self.places.paths[where], prefix="scale-")

    def generate(self, profile, where):
        """Generates a set; returns the seconds, the largest resident size in bytes, and the sizes of the files."""
        command = [self.generator, "--profile", str(profile), "-q", "-j", str(self.threads)]
        if where == "planned":
            return *measure([*command, "--dry-run"]), []
        with self.directory(where) as directory:
            seconds, memory = measure([*command, "-o", f"{directory}/set"])
            return seconds, memory, [entry.stat().st_size for entry in os.scandir(f"{directory}/set")]

    def write(self, sizes, where):
        """The seconds that plain writes of files of these sizes take."""
        with self.directory(where) as directory:
            begin = time.perf_counter()
            plain_writes(sizes, pathlib.Path(directory) / "written", self.threads)
            return time.perf_counter() - begin

    def row(self, libraries, size, where):
        """Generates a set and writes as many bytes plainly, in turns; returns the row of the table.

        They take turns so that each finds the memory that the other has freed.
        """
        with tempfile.TemporaryDirectory() as directory:
            profile = pathlib.Path(directory) / "scale.prof"
            profile.write_text(profile_of(libraries, size))
            runs, plain = [self.generate(profile, where)], []
            sizes = runs[0][2]
            for number in range(self.repeat if size <= 5 * GB else 1):
                if number:
                    runs.append(self.generate(profile, where))
                if where != "planned":
                    plain.append(self.write(sizes, where))
        return {
            "libraries": libraries,
            "bytes": sum(sizes) or size,
            "where": where,
            "seconds": min(run[0] for run in runs),
            "all seconds": [run[0] for run in runs],
            "plain seconds": min(plain, default=0),
            "peak": max(run[1] for run in runs),
        }

    def start(self, where):
        """The seconds of start-up: those of the smallest set."""
        if where not in self.startup:
            self.startup[where] = self.row(2, 2 * SMALL, where)["seconds"]
        return self.startup[where]

    def series(self, points, planned):
        rows = []
        for libraries, size in points:
            where = self.places.choose(size)
            if where not in [row["where"] for row in rows] and rows and where != "planned":
                rows.append(self.row(rows[0]["libraries"], rows[0]["asked"], where) | {"asked": rows[0]["asked"]})
            rows.append(self.row(libraries, size, where) | {"asked": size})
        rows += [self.row(libraries, size, "planned") | {"asked": size} for libraries, size in planned]
        first = {}
        for row in rows:
            busy = max(row["seconds"] - self.start(row["where"]), 1e-4)
            row["nanoseconds per byte"] = busy / row["bytes"] * 1e9
            beside = first.setdefault(row["where"], row)
            row["beside the first"] = row["nanoseconds per byte"] / beside["nanoseconds per byte"]
            if row["where"] != "planned":
                each, of_first = (r["plain seconds"] / r["bytes"] for r in (row, beside))
                row["plain beside the first"] = each / of_first
        return rows


def table(results):
    yield f"{'':18}{'libraries':>10}{'MB':>9}  {'where':8}{'seconds':>9}{'MB/s':>8}{'ns/byte':>9}{'ratio':>7}{'plain':>7}{'peak MB':>9}"
    for name, rows in results.items():
        for row in rows:
            written = row["where"] != "planned"
            rate = f"{row['bytes'] / row['seconds'] / MB:8.0f}" if written else f"{'-':>8}"
            each = f"{'-':>9}{'-':>7}{'-':>7}"
            if written:
                ratios = f"{row['beside the first']:7.2f}{row['plain beside the first']:7.2f}"
                each = f"{row['nanoseconds per byte']:9.3f}{ratios}"
            yield (
                f"{name:18}{row['libraries']:10}{row['bytes'] / MB:9.0f}  {row['where']:8}{row['seconds']:9.2f}"
                f"{rate}{each}{row['peak'] / MB:9.0f}"
            )


def not_linear(results):
    """A line for each set that takes more than LINEAR times the first row's time per byte.

    The series of one library does not count, because one file has one writer.
    """
    for name, rows in results.items():
        for row in rows:
            if name != "one library" and row["where"] != "planned" and row["beside the first"] > LINEAR:
                libraries, size, plain = row["libraries"], row["bytes"] / MB, row["plain beside the first"]
                yield f"{name}: {libraries} libraries, {size:.0f} MB: {row['beside the first']:.2f}, plain writes {plain:.2f}"


# --- the picture ------------------------------------------------------------------

COLOURS = {"small libraries": "#1f6feb", "larger libraries": "#d1242f", "one library": "#2da44e"}
WIDTH, HEIGHT, MARGIN = 760, 480, 70


def scale_of(values, length):
    """A function that maps values to places on a logarithmic axis of whole decades, and the exponents of its ticks."""
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    return (lambda value: (math.log10(value) - low) / (high - low) * length), range(low, high + 1)


def picture(results):
    rows = [row for series in results.values() for row in series if row["where"] != "planned"]
    x_of, x_ticks = scale_of([row["bytes"] / MB for row in rows], WIDTH - 2 * MARGIN)
    y_of, y_ticks = scale_of([row["seconds"] for row in rows], HEIGHT - 2 * MARGIN)
    place = lambda row: (MARGIN + x_of(row["bytes"] / MB), HEIGHT - MARGIN - y_of(row["seconds"]))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="24" text-anchor="middle" font-size="15">Seconds to generate a set, by its bytes</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 18}" text-anchor="middle">MB</text>',
        f'<text x="20" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 20 {HEIGHT / 2})">seconds</text>',
    ]
    for tick in x_ticks:
        x = MARGIN + x_of(10.0**tick)
        lines.append(f'<path d="M{x:.1f} {MARGIN}V{HEIGHT - MARGIN}" stroke="#ddd"/>')
        lines.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{10.0**tick:g}</text>')
    for tick in y_ticks:
        y = HEIGHT - MARGIN - y_of(10.0**tick)
        lines.append(f'<path d="M{MARGIN} {y:.1f}H{WIDTH - MARGIN}" stroke="#ddd"/>')
        lines.append(f'<text x="{MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**tick:g}</text>')
    for number, (name, series) in enumerate(results.items()):
        colour = COLOURS[name]
        lines.append(f'<text x="{MARGIN + 12}" y="{MARGIN + 16 + 18 * number}" fill="{colour}">{name}</text>')
        for where in ("tmpfs", "disk"):
            points = [place(row) for row in series if row["where"] == where]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            dashed = ' stroke-dasharray="5 4"' if where == "disk" else ""
            lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>')
            lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
    lines.append(f'<text x="{WIDTH - MARGIN}" y="{MARGIN - 12}" text-anchor="end">dashed: on the disk</text>')
    return "\n".join([*lines, "</svg>", ""])


def parse_options():
    build = pathlib.Path(os.environ.get("PYELFGEN_BUILD", pathlib.Path(__file__).resolve().parent.parent / "build"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="up to 100,000 libraries and 50 GB, where there is room")
    parser.add_argument("--quick", action="store_true", help="the two smallest of each series")
    parser.add_argument("--series", choices=SERIES, action="append", help="this alone; may be repeated")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each set up to 5 GB (default: 3)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--disk", type=pathlib.Path, default=build, help="a directory on the disk; default: the build directory")
    parser.add_argument("--memory", type=pathlib.Path, default=pathlib.Path("/dev/shm"), help="one in memory")
    parser.add_argument("--output", type=pathlib.Path, default=build / "scale", help="where table, SVG and JSON go")
    return build, parser.parse_args()


def main():
    build, options = parse_options()
    bench = Bench(str(build / "bin" / "pyelfgen"), options.threads, options.repeat, Places(options.disk, options.memory))
    results = {}
    for name in options.series or SERIES:
        points = SERIES[name]
        points = points[:2] if options.quick else points + (FULL.get(name, []) if options.full else [])
        planned = [] if options.quick or options.full else PLANNED.get(name, [])
        print(f"scale.py: {name} ...", file=sys.stderr, flush=True)
        results[name] = bench.series(points, planned)
    text = "\n".join(table(results)) + "\n"
    print(text, end="")
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "scale.txt").write_text(text)
    (options.output / "scale.json").write_text(
        json.dumps({"threads": options.threads, "startup": bench.startup, "series": results}, indent=2) + "\n"
    )
    (options.output / "scale.svg").write_text(picture(results))
    print(f"table, picture and figures: {options.output}/scale.txt, scale.svg, scale.json")
    slow = list(not_linear(results))
    for line in slow:
        print(f"not within {LINEAR} times the first row's time per byte: {line}")
    return 1 if slow else 0


if __name__ == "__main__":
    tidy_when_ended()
    sys.exit(main())
