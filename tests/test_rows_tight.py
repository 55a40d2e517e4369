"""Rows of small libraries, as real ones are. Libraries have as many symbols, slots and relocations as their rows say,
although their sizes have little room. Calls, name pointers, attributes and code of small functions give way instead.
The judges are binutils, elfutils, CPython and the dynamic linker.
"""

import json
import re
import subprocess
import sys

import pytest

from objects import ask, tool

COUNTS = "functions: 40, dynamic: {functions: 40, objects: 6, undefined: 9, weak: 4, dynstr: 953}"
ROWS = f"""\
- {{kind: utility, text: 30000, data: 2000, bss: 8, {COUNTS}, relocations: {{relative: 3, jump-slot: 5, glob-dat: 4,
   symbols: 4}}, plt: 5, outside: 1, versions: 1, share: {{code: 12000, unwind: 3000}}}}
- {{kind: utility, text: 4105, data: 1088, bss: 8, functions: 0, dynamic: {{objects: 3, undefined: 26, weak: 4,
   dynstr: 760}}, relocations: {{relative: 9, jump-slot: 3, glob-dat: 14, "64": 10, symbols: 24}}, plt: 3,
   needed: '0:16', outside: 1, runpath: 1, versions: 1, share: {{code: 1024, unwind: 356}}}}
- {{kind: utility, text: 9000, data: 1400, bss: 8, functions: 0, dynamic: {{undefined: 52, weak: 4, dynstr: 989}},
   relocations: {{relative: 3, jump-slot: 4, glob-dat: 44, symbols: 44, tls: 2}}, plt: 4, needed: '0:46', outside: 1,
   versions: 1, share: {{code: 1000, unwind: 356}}}}
- {{kind: utility, text: 31000, data: 480, bss: 8, functions: 0, dynamic: {{objects: 1, undefined: 4, weak: 4,
   dynstr: 114}}, relocations: {{relative: 3, glob-dat: 4, symbols: 4}}, outside: 0, share: {{code: 217, unwind: 4}}}}
- {{kind: utility, text: 12000, data: 900, bss: 8, functions: 9, dynamic: {{functions: 9, other: 3, undefined: 6,
   weak: 4, dynstr: 400}}, relocations: {{relative: 3, jump-slot: 2, glob-dat: 4, symbols: 4}}, plt: 2, needed: '3:1',
   outside: 1, share: {{code: 2000, unwind: 900}}}}
- {{kind: module, text: 3100, data: 928, bss: 8, functions: 2, dynamic: {{functions: 2, undefined: 8, weak: 4,
   dynstr: 291}}, relocations: {{relative: 8, jump-slot: 2, glob-dat: 4, symbols: 4}}, plt: 2, outside: 1,
   share: {{code: 700}}}}
- {{kind: module, text: 15180, data: 1120, bss: 64, debug: 29067, symtab: 3528, strtab: 2500, functions: 98,
   dynamic: {{functions: 89, objects: 8, undefined: 21, weak: 4, dynstr: 1700}}, plt: 14, outside: 2, versions: 3,
   relocations: {{relative: 17, jump-slot: 14, glob-dat: 13, symbols: 13}}, init-code: 12,
   share: {{code: 4700, unwind: 2964}}, function-sizes: '0 4 8*3 12*3 20 24*2 28 32 40 44 48 60 72 80 88 96'}}
- {{kind: module, text: 3400, data: 928, bss: 8, functions: 3, dynamic: {{functions: 3, undefined: 8, weak: 4,
   dynstr: 305}}, relocations: {{relative: 8, jump-slot: 1, glob-dat: 5, symbols: 5}}, plt: 1, outside: 1,
   share: {{code: 700}}}}
- {{kind: utility, text: 60000, data: 1500, bss: 100, debug: 90000, symtab: 4800, strtab: 4000, functions: 100,
   dynamic: {{functions: 60, undefined: 20, weak: 4, dynstr: 1500}}, plt: 14,
   relocations: {{relative: 9, jump-slot: 14, glob-dat: 2, symbols: 2}},
   outside: 1, share: {{code: 30000, unwind: 9004}}}}
"""
# In a captured profile, what a row leaves out is 0.
HEAD = """\
pyelfgen-profile: 1
captured: {from: files, libraries: 9, unreadable: 0}
modules: 3
utilities: 6
"""
NAMES = [f"libutility{i}.so" for i in range(5)] + ["libmodule0.so", "libmodule1.so", "libmodule2.so", "libutility5.so"]
TOLD = re.compile(r"relocations: |dynamic: (?!versioned)|plt|symbols of|functions|outside")
LOAD = "import ctypes, os, sys\nfor path in sys.argv[1:]: ctypes.PyDLL(path, os.RTLD_NOW)"


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("tight")
    (directory / "rows.prof").write_text(HEAD + "libraries:\n" + ROWS)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return directory / "set"


def relocations(path):
    return re.findall(r"^\w+ +\w+ R_X86_64_(\w+) +(.*)", ask("readelf", "-rW", path), flags=re.M)


def symbols(path):
    """Returns (type, section, name) of each symbol in .dynsym."""
    lines = ask("readelf", "--dyn-syms", "-W", path).splitlines()
    words = [line.split() for line in lines if re.match(r" +[1-9]\d*:", line)]
    return [(word[3], word[6], word[7].split("@")[0]) for word in words]


def test_nothing_that_rows_count_is_otherwise(made):
    libraries = json.loads((made / "differences.json").read_text())["libraries"]
    assert sorted(library["name"] for library in libraries) == sorted(NAMES)
    for library in libraries:
        assert not [key for key in library["differs"] if TOLD.match(key)], library
        assert not library["needed"]


def test_imports_without_room_for_calls_are_bound_alone(made):
    """One library imports sixteen functions, with three PLT slots; the other imports forty functions and all six
    objects."""
    for name, count, objects in [("libutility1.so", 16, 0), ("libutility2.so", 46, 6)]:
        own = {(kind, symbol) for kind, section, symbol in symbols(made / "libutility0.so") if section != "UND"}
        undefined = {(kind, symbol) for kind, section, symbol in symbols(made / name) if section == "UND"}
        assert len(own & undefined) == count
        assert sum(kind == "OBJECT" for kind, _ in own & undefined) == objects
        slots = [to for kind, to in relocations(made / name) if kind == "JUMP_SLOT"]
        bound = [to for kind, to in relocations(made / name) if kind != "RELATIVE" and " " in to]
        touched = {to.split()[1].split("@")[0] for to in bound}
        assert len(slots) in (3, 4)
        assert {symbol for _, symbol in own & undefined} <= touched


def test_an_edge_may_lead_to_an_object(made):
    found = [(kind, name) for kind, section, name in symbols(made / "libutility3.so") if section != "UND"]
    ((kind, thing),) = found
    assert kind == "OBJECT"
    assert ("OBJECT", "UND", thing) in symbols(made / "libutility4.so")


def test_relocations_of_few(made):
    """A utility needs relocations for initialiser, finaliser and handle. A module also needs them for two names, table
    and function. Relocations of the kind `tls` need no thread-local memory."""
    assert [kind for kind, _ in relocations(made / "libutility0.so")].count("RELATIVE") == 3
    assert [kind for kind, _ in relocations(made / "libmodule0.so")].count("RELATIVE") == 8
    for name, slots in [("libmodule0.so", 2), ("libmodule2.so", 1)]:
        assert [kind for kind, _ in relocations(made / name)].count("JUMP_SLOT") == slots
    assert [kind for kind, _ in relocations(made / "libutility2.so")].count("DTPMOD64") == 2
    assert "TLS" not in ask("readelf", "-lW", made / "libutility2.so")


def test_symbols_of_where_sections_end(made):
    path = made / "libutility4.so"
    found = {line.split()[7]: int(line.split()[1], 16) for line in ask("readelf", "--dyn-syms", "-W", path).splitlines()
             if " NOTYPE " in line and " UND " not in line}
    sections = re.findall(r"(\.data|\.bss) +\w+ +(\w+) \w+ (\w+)", ask("readelf", "-SW", path))
    at = {name: (int(start, 16), int(start, 16) + int(size, 16)) for name, start, size in sections}
    assert found == {"__bss_start": at[".bss"][0], "_edata": at[".data"][1], "_end": at[".bss"][1]}


def test_small_functions_are_shorter_before_there_are_fewer(made):
    lines = ask("readelf", "-sW", made / "libmodule1.so").split("'.symtab'")[1].splitlines()
    assert sum(" FUNC " in line and " UND " not in line for line in lines) == 98


@pytest.mark.parametrize("name", NAMES)
def test_readers_have_nothing_to_complain_of(made, name):
    assert ask(tool("eu-elflint"), "--gnu-ld", made / name) == "No errors\n"


def test_unwind_tables_are_as_much_as_rows_say(made):
    """They have the row's size to 8 bytes. At every place of a function they say where its caller's frame is."""
    path = made / "libutility5.so"
    sections = re.findall(r"\.eh_frame\w* +\w+ +\w+ \w+ (\w+)", ask("readelf", "-SW", path))
    assert 9004 - 8 < sum(int(size, 16) for size in sections) <= 9004
    tables = ask("readelf", "--debug-dump=frames-interp", "-W", path).split(" FDE ")[1:]
    framed = [re.findall(r"^(\w+) +(r[sb]p\+\d+) ", table, flags=re.M) for table in tables if " rbp " in table]
    assert len(framed) > 50
    for rows in framed:
        assert [cfa for _, cfa in rows] == ["rsp+8", "rsp+16"] + ["rbp+16"] * (len(rows) - 3) + ["rsp+8"]
        places = [int(place, 16) for place, _ in rows]
        assert places == sorted(set(places)) and len(rows) > 3
    assert sum(len(rows) > 5 for rows in framed) > len(framed) - 6  # helpers' entries have no more than they need


def test_the_set_runs(programs, made):
    for name in NAMES:
        programs.command([sys.executable, "-c", LOAD, made / name], leaks=False)
    ran = programs.run("pyelfrun", "--phases", "import,visit", made)
    assert "every result right" in ran.stdout


@pytest.mark.parametrize("text", [14000, 21200, 25000, 28400, 29000])
def test_fewer_symbols_are_imported_than_there_is_room_for(programs, tmp_path, text):
    """A library without room for all the small functions that another one imports has fewer, and is not refused."""
    rows = f"""\
- {{kind: module, text: 60000, data: 4000, bss: 500, functions: 60, dynamic: {{functions: 30, undefined: 260, weak: 4,
   dynstr: 9000}}, plt: 20, relocations: {{relative: 60, jump-slot: 20, glob-dat: 8, symbols: 8}}, needed: '1:480',
   outside: 1, init-code: 12}}
- {{kind: utility, text: {text}, data: 4000, bss: 500, functions: 500, dynamic: {{functions: 500, undefined: 20, weak: 4,
   dynstr: 10000}}, plt: 5, relocations: {{relative: 60, jump-slot: 5, glob-dat: 8, symbols: 8}}, outside: 1,
   function-sizes: '20*5 40*6', share: {{code: {text - 12000}}}}}
"""
    head = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 2, unreadable: 0}\nmodules: 1\nutilities: 1\n"
    (tmp_path / "rows.prof").write_text(head + "libraries:\n" + rows)
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set")
    programs.command([sys.executable, "-c", LOAD, tmp_path / "set" / "libmodule0.so"], leaks=False)


def test_functions_stay_small_where_unwind_entries_are_narrow(programs, tmp_path):
    """The row has one function of more than 64 KiB, and an average so small that no entry has room for such a size.
    What the large one is to have goes to others."""
    sizes = "0*3 20*5 100*6 500*6 600000"
    rows = "".join(
        f"- {{kind: utility, text: {text} MB, data: 40000, symtab: 96000, strtab: 60000, functions: 2000,"
        f" function-sizes: '{sizes}'}}\n"
        for text in (3, 4)
    )
    (tmp_path / "a.prof").write_text(f"pyelfgen-profile: 1\nlibraries:\n{rows}")
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", "--quiet")
    for path in sorted((tmp_path / "set").glob("libutility*.so")):
        entries = re.findall(r"FDE cie=\w+ pc=([0-9a-f]+)\.\.([0-9a-f]+)", ask("readelf", "--debug-dump=frames", path))
        assert len(entries) > 1500
        assert 50000 < max(int(end, 16) - int(start, 16) for start, end in entries) < 1 << 16
