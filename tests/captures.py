"""Parses profiles that pyelfprof captured, and asks binutils for the same quantities of the same files."""

import collections
import pathlib
import re

from objects import ask

# Real libraries, where they are installed.
DYNLOAD = sorted(pathlib.Path("/usr/lib").glob("python3*/lib-dynload"))
NUMPY = sorted(pathlib.Path("/usr/lib/python3/dist-packages").glob("numpy"))
PYENV = sorted(pathlib.Path.home().glob(".pyenv/versions/3.1*/lib"))
SYSTEM = {"lib-dynload": DYNLOAD, "numpy": NUMPY, "pyenv": PYENV}

ROW = re.compile(r"- \{(.*)\}")

# {readelf's name of a relocation: its key in a row}
RELOCATIONS = {
    "R_X86_64_RELATIVE": "relative",
    "R_X86_64_JUMP_SLO": "jump-slot",
    "R_X86_64_JUMP_SLOT": "jump-slot",
    "R_X86_64_GLOB_DAT": "glob-dat",
    "R_X86_64_64": "64",
    "R_X86_64_COPY": "copy",
    "R_X86_64_IRELATIV": "irelative",
    "R_X86_64_IRELATIVE": "irelative",
    **dict.fromkeys(["R_X86_64_DTPMOD64", "R_X86_64_DTPOFF64", "R_X86_64_TPOFF64", "R_X86_64_TLSDESC"], "tls"),
}


def flow(text):
    """Parses a YAML mapping in flow style as pyelfprof writes it; `text` is what stands within its braces."""
    found = {}
    for key, nested, quoted, plain in re.findall(r"([\w\"-]+): (?:\{([^}]*)\}|'((?:[^']|'')*)'|([^,}]+))", text):
        key = key.strip('"')
        if nested:
            found[key] = flow(nested)
        elif quoted or not plain:
            found[key] = quoted.replace("''", "'")
        else:
            found[key] = int(plain) if plain.isdigit() else plain
    return found


class Capture:
    """The profile in a file: its text, its top-level keys as text, its rows, and its sections in bytes."""

    def __init__(self, path):
        self.text = path.read_text()
        lines = self.text.splitlines()
        self.top = dict(line.split(": ", 1) for line in lines if re.match(r"\w[\w-]*: ", line))
        self.rows = [flow(ROW.fullmatch(line)[1]) for line in lines if line.startswith("- {")]
        self.sections = {key: int(size.split()[0]) for key, size in flow(self.top["sections"][1:-1]).items()}

    def row(self, name):
        return next(row for row in self.rows if row["name"] == name)


def edges(row):
    """{index: symbols} of a row's `needed`."""
    found = {}
    for part in row.get("needed", "").split():
        place, _, symbols = part.partition(":")
        first, _, last = place.partition("-")
        for index in range(int(first), int(last or first) + 1):
            found[index] = int(symbols or 0)
    return found


def quantiles(text):
    """The list that a text stands for in which a value may have a number of repetitions: "5 131*3 140"."""
    found = []
    for part in text.split():
        value, _, times = part.partition("*")
        found += [int(value)] * int(times or 1)
    return found


def relocations_by_readelf(path):
    counts = collections.Counter()
    symbols = set()  # the symbols that relocations other than jump slots refer to
    pages = set()
    protected = re.search(r" \.data\.rel\.ro +PROGBITS +(\w+) \w+ (\w+) ", ask("readelf", "-SW", path))
    start, size = (int(number, 16) for number in protected.groups()) if protected else (0, 0)
    for line in ask("readelf", "-rW", path).splitlines():
        found = re.match(r"[0-9a-f]{16}  ([0-9a-f]{8})[0-9a-f]{8} (R_\w+)", line)
        if found:
            kind = RELOCATIONS.get(found[2], "other")
            counts[kind] += 1
            symbols |= {found[1]} - {"0" * 8} if kind != "jump-slot" else set()
        # of packed relocations the line has the place alone, in newer binutils behind a number and the entry
        place = re.match(r"(?:\d+: +[0-9a-f]{16} +)?([0-9a-f]{16})\b", line)
        pages |= {int(place[1], 16) >> 12} if place else set()
        if place and start <= int(place[1], 16) < start + size:
            counts["relro"] += 1
    if symbols:
        counts["symbols"] = len(symbols)
    if pages:
        counts["pages"] = len(pages)
    # "Relocation section '.relr.dyn' at offset ... contains 3 entries:\n  1198 offsets"
    for offsets in re.findall(r"^ +(\d+) offsets$", ask("readelf", "-rW", path), flags=re.M):
        counts["relr"] += int(offsets)
    return dict(counts)


def symbols_by_readelf(path, table):
    """[(size, type, binding, section, name)] of .dynsym or .symtab, without entry 0."""
    found = []
    text = ask("readelf", "-sW", path)
    part = re.search(rf"Symbol table '{re.escape(table)}' .*?\n(.*?)(?=\nSymbol table|\Z)", text, flags=re.S)
    for line in part[1].splitlines() if part else []:
        row = re.match(r" +(\d+): [0-9a-f]+ +(\w+) (\w+) +(\w+) +\w+ +(?:\[.*\] )?(\S+)(?: (.*))?$", line)
        if row and row[1] != "0":
            size = int(row[2], 0)
            found.append((size, row[3], row[4], row[5], (row[6] or "").strip()))
    return found


def local_aliases_by_readelf(path):
    """How many functions with a size in .symtab share their address only because of local ones."""
    part = ask("readelf", "-sW", path).partition("Symbol table '.symtab'")[2]
    row = r"^ *\d+: ([0-9a-f]+) +(?!0 )\w+ I?FUNC +(\w+) +\w+ +(?:\[.*\] )?(?!UND)\w+"
    found = re.findall(row, part, flags=re.M)
    others = [address for address, binding in found if binding != "LOCAL"]
    return len(found) - len({address for address, _ in found}) - (len(others) - len(set(others)))


def symbols_counted(symbols, dynamic=False, versions=True):
    """The counts of symbols as rows have them; of those of .dynsym also `weak-functions`, `unique`, `versioned` and so on."""
    counts = collections.Counter()
    for _, kind, binding, section, name in symbols:
        counts["weak"] += binding == "WEAK"
        if section == "UND":
            counts["undefined"] += 1
            counts["versioned"] += dynamic and versions and "@" in name
            continue
        functions = {"FUNC": "functions", "IFUNC": "functions"}
        key = {**functions, **dict.fromkeys(["OBJECT", "COMMON", "TLS"], "objects")}.get(kind, "other")
        counts[key] += 1
        if binding == "LOCAL":
            counts["sections"] += kind == "SECTION"
            counts["unnamed"] += kind == "NOTYPE" and not name
        if dynamic and key != "other":
            counts[f"weak-{key}"] += binding == "WEAK"
            counts["unique"] += binding == "UNIQUE"
    return {key: count for key, count in counts.items() if count}
