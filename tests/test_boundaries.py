"""Addresses that debug information names are those of instructions: a breakpoint in the midst of one breaks a program."""

import re

import pytest

from objects import ask, counted_libraries, tool
from sets import mostly_long

# A row of a module whose functions PyInit_ adds, or whose definition has none, with a frame pointer and without.
ROW = (
    "kind: {kind}, text: 60 kB, data: 8 kB, bss: 1 kB, debug: 200 kB, symtab: 12 kB, strtab: 12 kB, functions: 80, "
    "relocations: {{relative: 60, glob-dat: 8, jump-slot: 30}}, dynamic: {{functions: 1, undefined: 30}}, outside: 28"
)
MODULE, UTILITY = ROW.format(kind="module"), ROW.format(kind="utility")
ROWS = [
    f"{{{MODULE}, init-code: 90}}",
    f"{{{MODULE}, init-code: 90, unwind-rsp: 60, unwind-rbp: 0}}",
    f"{{{MODULE}, init-code: 12}}",
    f"{{{MODULE}, init-code: 200, methods: 2}}",
    f"{{{MODULE}, init-code: 17, cf-protection: true, cold: 9, cold-code: 700}}",
    f"{{{UTILITY}, constructors: 2, constructor-code: 300, destructors: 1, unwind-rsp: 50, unwind-rbp: 9}}",
]
VARIANTS = ["rows", "odd", "views-4", "cf-protection", "entry-values", "fortran", "clang-cpp", "repeated-calls"]


@pytest.fixture(scope="module", params=mostly_long(VARIANTS, "rows", "odd", "views-4", "clang-cpp"))
def libraries(request, sets, programs, tmp_path_factory):
    if request.param != "rows":
        return counted_libraries(sets.get(request.param))
    directory = tmp_path_factory.mktemp("rows")
    rows = "\n".join(f"- {row}" for row in ROWS)
    (directory / "it.prof").write_text(
        f"pyelfgen-profile: 1\ncaptured: {{from: files, libraries: {len(ROWS)}, unreadable: 0}}\nlibraries:\n{rows}\n"
    )
    programs.run("pyelfgen", "-q", "-P", directory / "it.prof", "-o", directory / "set")
    return counted_libraries(directory / "set")


def instructions(path):
    """The addresses of all instructions, as objdump disassembles the sections, and those behind each section."""
    code = ask("objdump", "-d", "--no-show-raw-insn", path)
    found = {int(at, 16) for at in re.findall(r"^ +([0-9a-f]+):\t", code, flags=re.M)}
    for at, size in re.findall(r"PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) .* AX ", ask("readelf", "-SW", path)):
        found.add(int(at, 16) + int(size, 16))
    return found


def test_rows_of_line_tables(libraries):
    for path in libraries:
        there = instructions(path)
        dump = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-line", path)
        rows = {int(at, 16) for at in re.findall(r"^0x([0-9a-f]{16}) +\d+ +\d+", dump, flags=re.M)}
        assert len(rows) > 100 and rows <= there, path


def test_places_of_entries_and_lists(libraries):
    for path in libraries:
        there = instructions(path)
        dump = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-info", path)
        places = re.findall(r"DW_AT_(?:low_pc|high_pc|entry_pc|call_return_pc|GNU_\w+)\t\(0x([0-9a-f]{16})\)", dump)
        places += [at for pair in re.findall(r"\[0x([0-9a-f]{16}), 0x([0-9a-f]{16})\)", dump) for at in pair]
        assert len(places) > 100 and {int(at, 16) for at in places} <= there, path


def test_steps_of_unwind_tables(libraries):
    for path in libraries:
        dump = ask("readelf", "--debug-dump=frames-interp", path)
        steps = {int(at, 16) for at in re.findall(r"^([0-9a-f]{16}) r\w+\+", dump, flags=re.M)}
        steps.discard(0)  # of common entries
        assert len(steps) > 100 and steps <= instructions(path), path
