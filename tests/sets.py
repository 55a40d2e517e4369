"""The sets that the tests share: their profiles, and the class that generates each set once.

A test that changes a set copies it first.
"""

import json
import pathlib
import shutil

import pytest

# The profile of the set `small`: the shipped profile `small` with a fifth of its bytes, because tests spend most of
# their time reading.
SMALL = pathlib.Path(__file__).with_name("small.prof")

# Sizes that are no multiples of any unit, and that no number of libraries divides.
SECTIONS = {"text": 700_001, "data": 60_003, "debug": 1_500_007, "symtab": 60_011, "strtab": 300_013}
PLAIN = {"application": "a test", "modules": 4, "utilities": 2, "sections": SECTIONS}

# Each variant turns one knob; all other keys are as in PLAIN.
VARIANTS = {
    "odd": {},
    "hash-sysv": {"elf": {"hash": "sysv"}},
    "hash-both": {"elf": {"hash": "both"}},
    "relro-full": {"elf": {"bind": "now", "relro": "full"}},
    "relro-none": {"elf": {"relro": "none"}},
    "relr": {"elf": {"relr": True}},
    "cf-protection": {"elf": {"cf-protection": True}},
    "exceptions": {"elf": {"exceptions": True}},
    "no-soname": {"elf": {"soname": False}},
    "repeated-calls": {"calls": {"repeat": 10}},
    "random-calls": {"calls": {"random": True}},
    "as-pynamic": {"calls": {"repeat": 3, "random": True, "need-all": True, "cross-module": False}, "elf": {"soname": False}},
    "no-build-id": {"elf": {"build-id": False}},
    "noseparate-code": {"elf": {"separate-code": False}},
    "page-64k": {"elf": {"max-page-size": 65536}},
    "coverage-half": {"calls": {"coverage": 0.5}},
    "depth-1": {"calls": {"depth": 1}},
    "not-cross-module": {"calls": {"cross-module": False}},
    "twelve-modules": {"modules": 12},
    "one-extern-chain": {"calls": {"cross-module-chain": 0}, "modules": 12},
    "two-calls": {"calls": {"utility": 2}},
    "no-utilities": {"utilities": 0},
    "no-debug": {"sections": {**SECTIONS, "debug": 0}},
    "stripped": {"sections": {**SECTIONS, "symtab": 0, "strtab": 0}},
    "bare": {"sections": {**SECTIONS, "debug": 0, "symtab": 0, "strtab": 0}},
    "large-bss": {"sections": {**SECTIONS, "bss": 3_000_017}},
    "units-of-one": {"dwarf": {"units": 1}},
    "gdb-index": {"dwarf": {"index": "gdb_index"}},
    "debug-names": {"dwarf": {"index": "debug_names"}},
    "type-units": {"dwarf": {"type-units": True}},
    "type-units-4": {"dwarf": {"type-units": True, "version": 4}},
    "views": {"dwarf": {"views": True}},
    "views-4": {"dwarf": {"views": True, "version": 4}},
    "entry-values": {"dwarf": {"entry-values": True}},
    "clang": {"dwarf": {"compiler": "clang"}},
    "clang-cpp": {"names": {"style": "itanium", "length": 70}, "dwarf": {"language": "c++", "compiler": "clang"}},
    "clang-natural": {"dwarf": {"compiler": "clang"}, "sections": None, "functions": 60},
    "fortran": {"dwarf": {"language": "fortran"}},
    "fortran-4": {"dwarf": {"language": "fortran", "version": 4, "views": True}},
    "short-names": {"names": {"length": 17}},
    "itanium": {"names": {"style": "itanium"}},
    "itanium-natural": {
        "names": {"style": "itanium"},
        "elf": {"hash": "both"},
        "sections": None,
        "functions": 60,
    },
    "cpp": {"names": {"style": "itanium", "length": 70}, "dwarf": {"language": "c++"}},
    "cpp-4": {"names": {"style": "itanium", "length": 70}, "dwarf": {"language": "c++", "version": 4}},
    "cpp-few": {"functions": 3, "dwarf": {"language": "c++"}},
    "few-functions": {"functions": 30},
    # the coverage is too low for any function of the one module, but not for the utilities, which are then not called
    "idle-utilities": {
        "modules": 1,
        "functions": 9,
        "utility-functions": 200,
        "calls": {"coverage": 0.1},
        "sections": None,
    },
    "without-sizes": {"sections": None, "functions": 60},
    "one-function": {"sections": None, "functions": 1},
}
EXACT = [name for name, change in VARIANTS.items() if "sections" not in change or change["sections"]]


def mostly(mark, names, *quick):
    """Parameters for pytest: these names, all with the mark except the quick ones."""
    return [name if name in quick else pytest.param(name, marks=mark) for name in names]


def mostly_long(names, *quick):
    """Parameters for pytest: ./dev test runs the quick ones, ./dev check the others."""
    return mostly(pytest.mark.long, names, *quick)


def value_text(value, size=False):
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value} B" if size and value else str(value)


def profile_text(**keys):
    """The text of a profile with these keys; numbers in `sections` are bytes, and None leaves a key out."""
    lines = ["pyelfgen-profile: 1"]
    for key, value in keys.items():
        if isinstance(value, dict):
            inner = (f"{name}: {value_text(member, key == 'sections')}" for name, member in value.items())
            value = "{" + ", ".join(inner) + "}"
        if value is not None:
            lines.append(f"{key.replace('_', '-')}: {value_text(value)}")
    return "\n".join(lines) + "\n"


def variant_text(name):
    return profile_text(**{**PLAIN, **VARIANTS[name]})


def manifest_of(directory):
    return json.loads((directory / "manifest.json").read_text())


def libraries_of(directory, *kinds):
    """The manifest's rows of libraries of these kinds, or of all kinds if none is given."""
    return [row for row in manifest_of(directory)["libraries"] if row["kind"] in (kinds or row["kind"])]


class Sets:
    def __init__(self, programs, directory):
        self.programs = programs
        self.directory = directory
        self.made = {}

    def write_profile(self, name, text):
        path = self.directory / f"{name}.prof"
        path.write_text(text)
        return path

    def get(self, name):
        """The directory of a set, generated at the first call; tests must not change it.

        `name` is a variant, `small`, or a shipped profile, with or without "shipped-" in front.
        """
        if name not in self.made:
            profile = SMALL if name == "small" else name.removeprefix("shipped-")
            if name in VARIANTS:
                profile = self.write_profile(name, variant_text(name))
            self.made[name] = self.directory / name
            self.programs.run("pyelfgen", "--profile", profile, "-o", self.made[name], "--quiet")
        return self.made[name]

    def copy(self, name, to):
        return shutil.copytree(self.get(name), to)
