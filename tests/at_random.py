"""Generates sets from random profiles with rows, and has other programs check them: tests/at_random.py [RUNS [SEED]]

Each run takes some rows from captured profiles, of our own sets and of programs on this machine. It changes numbers in
them, removes keys, draws other edges, and turns knobs. These must hold in every run:

- pyelfgen generates the set. Or it says in one line why not, exits with status 1, and leaves nothing.
- The sizes are those of the rows, or differences.json names the library and the size.
- eu-elflint, readelf and llvm-dwarfdump find nothing wrong, and --verify agrees.
- pyelfrun succeeds: it imports and visits modules, or loads the libraries of a set without modules.

PYELFGEN_BUILD names the build. PYELFGEN_RANDOM_BUILD names another for the pyelfgen that generates; one with sanitizers
finds more. A run in which something does not hold is printed with its seed. tests/at_random.py 1 SEED repeats it. Its
profile stays in build/at-random.
"""

import copy
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

from objects import RELR_UNKNOWN, sizes_by_binutils

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = SOURCE / os.environ.get("PYELFGEN_BUILD", "build")
GENERATOR = SOURCE / os.environ.get("PYELFGEN_RANDOM_BUILD", BUILD) / "bin" / "pyelfgen"
KEPT = SOURCE / "build" / "at-random"
TIMEOUT = 300

# The rows come from captures of these sets of ours, {name: more keys of the profile, None for stripped}, and of these
# programs, as far as they are installed.
MADE = {
    "c": "dwarf: {views: true, entry-values: true}",
    "c-4": "dwarf: {version: 4}",
    "c++": "names: {style: itanium}\ndwarf: {language: c++}",
    "fortran": "dwarf: {language: fortran}",
    "clang": "dwarf: {compiler: clang}",
    "stripped": None,
}
FOUND = ["/usr/bin/git", "/usr/bin/gdb", "/usr/bin/python3"]

ELF = {
    "hash": ["gnu", "sysv", "both"],
    "bind": ["lazy", "now"],
    "relro": ["none", "partial"],
    "build-id": [True, False],
    "soname": [True, False],
    "relr": [True, False],
    "cf-protection": [True, False],
    "exceptions": [True, False],
    "separate-code": [True, False],
    "max-page-size": [4096, 65536, 2097152],
}
DWARF = {
    "version": [4, 5],
    "language": ["c", "c++", "fortran"],
    "compress": ["none", "zlib"],
    "separate": ["none", "debuglink", "build-id"],
    "index": ["none", "gdb_index", "debug_names"],
    "compiler": ["gcc", "clang"],
    "views": [True, False],
    "entry-values": [True, False],
    "split": [True, False],
    "type-units": [True, False],
}
CHANGES = [
    lambda v: 0,
    lambda v: 1,
    lambda v: v // 2,
    lambda v: v * 9 // 10,
    lambda v: v * 11 // 10,
    lambda v: v * 2,
    lambda v: v + 1,
    lambda v: max(0, v - 1),
    lambda v: v * 10,
    lambda v: 1 << 20,
]
SYMBOL = 24  # bytes of an entry of .symtab
SIZES = ["text", "data", "bss", "debug", "symtab", "strtab"]
TEXT_MOST, DEBUG_MOST = 2_000_000, 4_000_000  # bytes; larger rows are not taken, because they take long
PAIRS = [("text", "data"), ("symtab", "strtab")]  # a row has both of a pair or neither


class Wrong(Exception):
    """Something that must hold does not; the text says what."""


def need(holds, what):
    if not holds:
        raise Wrong(what)


def run(*command, **options):
    environment = {**os.environ, "LC_ALL": "C", "ASAN_OPTIONS": "detect_leaks=0"}
    if os.getuid() == 0:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [str(part) for part in command]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, env=environment, **options
        )
    except subprocess.TimeoutExpired:
        raise Wrong(f"{' '.join(command)}: takes more than {TIMEOUT} s")


def captured(work):
    """The captured profiles, parsed."""
    profiles = []
    for name, dwarf in MADE.items():
        symbols = "debug: 0, symtab: 0, strtab: 0" if dwarf is None else "debug: 600 kB, symtab: 30 kB, strtab: 60 kB"
        text = f"modules: 4\nutilities: 2\nsections: {{text: 400 kB, data: 40 kB, {symbols}}}\n{dwarf or ''}\n"
        (work / "made.prof").write_text(f"pyelfgen-profile: 1\n{text}")
        made = work / "made"
        done = run(BUILD / "bin" / "pyelfgen", "-q", "-P", work / "made.prof", "-o", made)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        profiles.append(run(BUILD / "bin" / "pyelfprof", "-o", "-", made).stdout)
        shutil.rmtree(made)
    for path in FOUND:
        if os.path.exists(path):
            profiles.append(run(BUILD / "bin" / "pyelfprof", "-o", "-", "--exec", path).stdout)
    return [yaml.load(text, Loader=yaml.CSafeLoader) for text in profiles]


def numbers(row, path=()):
    """The paths of the row's numbers, except versions and page sizes, for which only few values are valid."""
    for key, value in row.items():
        if isinstance(value, dict):
            yield from numbers(value, (*path, key))
        elif isinstance(value, int) and not isinstance(value, bool) and key not in ("version", "max-page-size"):
            yield (*path, key)


class Chance(random.Random):
    def change(self, row):
        paths = list(numbers(row))
        for _ in range(self.choice([0, 0, 1, 2, 4, 8]) if paths else 0):
            *above, key = self.choice(paths)
            inner = row
            for part in above:
                inner = inner[part]
            inner[key] = self.choice(CHANGES)(inner[key])
        if self.random() < 0.2:
            row.pop(self.choice([key for key in row if key != "kind"] or [None]), None)
        for a, b in PAIRS:
            if (a in row) != (b in row) or (not row.get(a)) != (not row.get(b)):
                row.pop(a, None), row.pop(b, None)
        if "text" not in row:
            for key in SIZES:
                row.pop(key, None)
        if row.get("dwarf", {}).get("code") and "share" in row and self.random() < 0.4:
            row["dwarf"]["code"] = int(row["share"].get("code", 0) * self.random() ** 2)
        if row.get("local", {}).get("functions") and self.random() < 0.4:
            row["cold"] = self.randint(1, 1 + row["local"]["functions"])
            row["cold-code"] = row["cold"] * self.randint(5, 300)
        if "mix" in row and "debug" in row:
            row["debug"] = sum(row["mix"].values())

    def edges(self, count, own):
        others = [i for i in range(count) if i != own]
        needed = self.sample(others, self.randint(1, len(others)))
        return " ".join(self.choice([f"{i}", f"{i}:{self.choice([1, 2, 5, 50])}"]) for i in needed)

    def knobs(self, choices, chance):
        return {key: self.choice(values) for key, values in choices.items() if self.random() < chance}

    def profile(self, profiles):
        of = self.choice(profiles)
        small = [
            row for row in of["libraries"] if row.get("text", 0) < TEXT_MOST and row.get("debug", 0) < DEBUG_MOST
        ]
        rows = [copy.deepcopy(self.choice(small)) for _ in range(self.randint(1, 5))]
        for i, row in enumerate(rows):
            for key in ("needed", "name"):
                row.pop(key, None)
            self.change(row)
            if len(rows) > 1 and self.random() < 0.7:
                row["needed"] = self.edges(len(rows), i)
        profile = {"pyelfgen-profile": 1, "seed": self.randint(0, 99)}
        elf = self.knobs(ELF, 0.3) if self.random() < 0.5 else {}
        dwarf = {**of.get("dwarf", {}), **(self.knobs(DWARF, 0.15) if self.random() < 0.5 else {})}
        profile |= {key: value for key, value in (("elf", elf), ("dwarf", dwarf)) if value}
        if self.random() < 0.8 and "style" in of.get("names", {}):
            profile["names"] = {"style": of["names"]["style"]}
        if self.random() < 0.7:
            profile["captured"] = {"from": "files", "libraries": len(rows), "unreadable": 0}
        if self.random() < 0.5 and "distributions" in of:
            profile["distributions"] = of["distributions"]
        return {**profile, "libraries": rows}


def check_refused(done, output):
    need(re.fullmatch(r"pyelfgen: [^\n]+\n", done.stderr), f"not one line: {done.stderr!r}")
    need("out of memory" not in done.stderr, done.stderr)
    need(not output.exists() or not os.listdir(output), f"left: {output}")


def check_sizes(profile, output):
    differences = json.loads((output / "differences.json").read_text())
    different = {(row["name"], what) for row in differences["libraries"] for what in row["differs"]}
    count = {"module": 0, "utility": 0}
    for row in profile["libraries"]:
        name = f"lib{row['kind']}{count[row['kind']]}.so"
        count[row["kind"]] += 1
        if "text" not in row:
            continue
        found = sizes_by_binutils(output / name)
        for size in SIZES:
            wanted = row.get(size, 0)
            near = size == "symtab" and abs(found[size] - wanted) < SYMBOL
            need(
                found[size] == wanted or near or (name, size) in different or (size == "bss" and wanted < 1),
                f"{name}: {size}: {found[size]}, and the row has {wanted}",
            )


def check_library(path, readable):
    lint = run("eu-elflint", "--gnu-ld", "-q", path)
    said = re.sub(RELR_UNKNOWN, "", lint.stdout + lint.stderr, flags=re.M)
    need(not said, f"eu-elflint {path.name}: {said[:500]}")
    commands = [["readelf", "-aW"], ["readelf", "-wiolRF"], ["llvm-dwarfdump", "--verify"]]
    for command in commands[: None if readable else 1]:
        done = run(*command, path)
        need(done.returncode == 0, f"{' '.join(command)} {path.name}: {done.returncode}: {done.stdout[-500:]}")
        need(not done.stderr, f"{' '.join(command)} {path.name}: {done.stderr[:500]}")


def check_set(profile, output):
    verified = run(BUILD / "bin" / "pyelfgen", "-q", "--verify", output)
    need(verified.returncode == 0, f"--verify: {verified.stderr}")
    dwarf = profile.get("dwarf", {})
    whole = dwarf.get("separate", "none") == "none" and not dwarf.get("split")
    if whole and dwarf.get("compress", "none") == "none":
        check_sizes(profile, output)
    for path in sorted(output.glob("lib*.so")):
        check_library(path, whole)
    kinds = {row["kind"] for row in profile["libraries"]}
    done = run(BUILD / "bin" / "pyelfrun", *([] if "module" in kinds else ["--no-python"]), output)
    need(done.returncode == 0, f"pyelfrun: {done.stderr[-500:]}")


def one(profiles, seed, work):
    """Makes one run; returns whether a set was generated, and raises Wrong if something does not hold."""
    profile = Chance(seed).profile(profiles)
    text, output = work / "random.prof", work / "set"
    text.write_text(yaml.safe_dump(profile, sort_keys=False, width=1 << 20))
    shutil.rmtree(output, ignore_errors=True)
    done = run(GENERATOR, "-q", "-P", text, "-o", output)
    need(done.returncode in (0, 1), f"status {done.returncode}: {done.stderr[-2000:]}")
    if done.returncode:
        check_refused(done, output)
    else:
        check_set(profile, output)
    return done.returncode == 0


def main(runs=300, seed=1):
    """Prints what did not hold; returns in how many runs."""
    wrong, made = 0, 0
    with tempfile.TemporaryDirectory(prefix="at-random-") as name:
        work = pathlib.Path(name)
        profiles = captured(work)
        for number in range(seed, seed + runs):
            try:
                made += one(profiles, number, work)
            except Wrong as e:
                wrong += 1
                KEPT.mkdir(parents=True, exist_ok=True)
                shutil.copy(work / "random.prof", KEPT / f"{number}.prof")
                print(f"{number}: {e}", flush=True)
    print(f"{runs} runs, {made} sets, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(*(int(argument) for argument in sys.argv[1:]))))
