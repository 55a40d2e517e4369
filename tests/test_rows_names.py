"""Lengths of names in sets with rows, for the distributions of lengths that real applications have. The judges are
binutils, elfutils and gcc's demangler.
"""

import bisect
import collections
import json
import re
import struct
import sys

import pytest

from dies import Dies
from objects import ask, demangled, tool

NEAR = 0.05  # the largest distance of distributions, as in pyelfstat
LOAD = "import ctypes, os, sys\nfor name in sys.argv[1:]: ctypes.PyDLL(name, os.RTLD_NOW)"

# Each length of names, and how many of a hundred names have it: for wrappers of numerical libraries, and for C++.
SHORT = {3: 2, 4: 15, 5: 15, 6: 12, 7: 6, 8: 1, 10: 3, 12: 10, 14: 9, 16: 9, 18: 7, 20: 5, 23: 4, 27: 2}
CPP = {8: 4, 14: 6, 18: 6, 24: 8, 28: 8, 33: 8, 37: 8, 43: 7, 50: 7, 57: 7, 63: 6, 68: 6, 78: 6, 95: 5, 120: 5, 160: 3}


def values(lengths, count):
    """Returns `count` values of that distribution, in ascending order."""
    each = [length for length, times in lengths.items() for _ in range(times)]
    return [each[(2 * i + 1) * len(each) // (2 * count)] for i in range(count)]


def quantiles(lengths, count=101):
    each = values(lengths, 10001)
    return " ".join(str(each[10000 * i // (count - 1)]) for i in range(count))


def symbols(path, table):
    """Returns (type, binding, section, name) of each symbol that has a name."""
    found = []
    for line in ask("readelf", "-sW", path).split(f"'{table}'")[1].split("\n\n")[0].splitlines():
        parts = line.split()
        if re.fullmatch(r"[0-9]+:", parts[0] if parts else "") and len(parts) > 7 and parts[3] != "SECTION":
            found.append((parts[3], parts[4], parts[6], parts[7].split("@")[0] if table == ".dynsym" else parts[7]))
    return found


def distance(lengths, names):
    found = sorted(len(name) for *_, name in names)
    wanted = values(lengths, len(found))
    shares = [bisect.bisect(found, at) - bisect.bisect(wanted, at) for at in {*found, *wanted}]
    return max(map(abs, shares)) / len(found)


def make(programs, directory, rows, *more):
    (directory / "a.prof").write_text("\n".join(["pyelfgen-profile: 1", *more, "libraries:", *rows]) + "\n")
    programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / "set")
    return directory / "set"


def differs(directory, name="libmodule0.so"):
    libraries = json.loads((directory / "differences.json").read_text())["libraries"]
    return next(library["differs"] for library in libraries if library["name"] == name)


def check(path):
    assert ask(tool("eu-elflint"), "--gnu-ld", path) == "No errors\n"


@pytest.mark.parametrize("dynstr", [4660, 4260])
def test_undefined_names_of_a_stripped_module(programs, tmp_path, dynstr):
    """Undefined names are most of this module's names. They are short, as those of libm.so.6. The smaller .dynstr is
    that of a linker that let names share their ends, so it is smaller than the sum of their lengths."""
    row = f"""- {{kind: module, text: 150000, data: 8000, bss: 900, functions: 40, dynamic: {{functions: 40, undefined: 340,
  weak: 4, dynstr: {dynstr}}}, plt: 300, outside: 3, versions: 3, share: {{code: 110000, unwind: 4000}},
  name-lengths: '{quantiles(SHORT)}'}}"""
    directory = make(programs, tmp_path, [row])
    assert not {"name-lengths", "dynamic: undefined", "dynamic: dynstr"} & differs(directory).keys()
    path = directory / "libmodule0.so"
    names = symbols(path, ".dynsym")
    assert len({name for *_, name in names}) == len(names) == 381
    assert distance(SHORT, names) < NEAR
    check(path)
    programs.command([sys.executable, "-c", LOAD, path], leaks=False)


# Quantiles that are met exactly. The first library has no symbol table, and its names are exported or the C library's.
# The second has a symbol table.
QUANTILES = {
    "libutility0.so": (".dynsym", "4 8 11 13 15 17 19 22 26 33 71", "6 14 22 31 52 88 130 171 260 420 1900"),
    "libutility1.so": (".symtab", "5 9 12 14 16 18 20 23 27 34 90", "0 12 20 28 44 96 150 190 280 460 2100"),
}


def test_quantiles_are_at_their_places(programs, tmp_path):
    """Each quantile of lengths and of sizes is at its place, although some functions have two names and some names
    belong to two objects."""
    rows = [
        f"""- {{kind: utility, text: 90000, data: 4000, bss: 900, functions: 190, dynamic: {{functions: 190, undefined: 60,
  objects: 8, aliases: 12, dynstr: 4900}}, plt: 70, outside: 1, versions: 3, share: {{code: 52000}},
  function-sizes: '{QUANTILES["libutility0.so"][2]}', name-lengths: '{QUANTILES["libutility0.so"][1]}'}}""",
        f"""- {{kind: utility, text: 90000, data: 4000, bss: 900, symtab: 9600, strtab: 8700, functions: 190,
  dynamic: {{functions: 90, undefined: 60, dynstr: 2500}}, local: {{functions: 100, objects: 120, other: 5}}, plt: 70,
  outside: 1, share: {{code: 52000}}, function-sizes: '{QUANTILES["libutility1.so"][2]}',
  name-lengths: '{QUANTILES["libutility1.so"][1]}'}}""",
    ]
    directory = make(programs, tmp_path, rows, "captured: {from: files, libraries: 2, unreadable: 0}")
    for name, (table, lengths, sizes) in QUANTILES.items():
        found = {"lengths": sorted(len(symbol[-1]) for symbol in symbols(directory / name, table))}
        lines = ask("readelf", "-sW", directory / name).split(f"'{table}'")[1].split("\n\n")[0].splitlines()
        functions = [line.split() for line in lines if " FUNC " in line and " UND " not in line]
        found["sizes"] = sorted(int(parts[2], 0) for parts in functions)
        for what, wanted in ("lengths", lengths), ("sizes", sizes):
            places = [(len(found[what]) - 1) * i // 10 for i in range(11)]
            assert " ".join(str(found[what][place]) for place in places) == wanted, (name, what)
        check(directory / name)


@pytest.mark.parametrize(
    "row",
    [
        "kind: module, dynamic: {functions: 1, undefined: 60, dynstr: 900}",
        "kind: utility, functions: 0, dynamic: {undefined: 2, dynstr: 900}",
    ],
)
def test_no_room_for_undefined_names(programs, tmp_path, row):
    """These stripped libraries are too small for any further undefined name, and they export nothing whose name could
    be longer instead."""
    more = "text: 2350, data: 1500, bss: 8, outside: 1, versions: 1, relocations: {relative: 3, glob-dat: 4}, plt: 40"
    directory = make(programs, tmp_path, [f"- {{{row}, {more}, name-lengths: '5*5 9*6'}}"])
    (path,) = directory.glob("lib[mu]*0.so")
    undefined = {name for _, _, section, name in symbols(path, ".dynsym") if section == "UND"}
    assert {"__cxa_finalize", "__gmon_start__"} == {name for name in undefined if not name.startswith("Py")}
    check(path)


# The lengths of imports are those that their own libraries give them. What modules export makes up the difference.
ONE_LENGTH = {8: 3, 12: 4, 20: 5, 57: 58, 58: 30}
CALLED = {8: 4, 12: 4, 20: 4, 56: 18, 57: 70}


def test_exported_names_are_drawn_beside_imports(programs, tmp_path):
    """Nearly all names have one of two lengths, as in Pynamic's own libraries."""
    rows = [
        f"""- {{kind: module, text: 160000, data: 5000, bss: 900, symtab: 12000, strtab: 26700, functions: 240,
  dynamic: {{functions: 230, undefined: 220, dynstr: 25540}}, local: {{functions: 10, objects: 12, other: 5}},
  relocations: {{relative: 9}}, plt: 230, needed: '1:200', outside: 1, share: {{code: 60000}},
  name-lengths: '{quantiles(ONE_LENGTH)}'}}""",
        f"""- {{kind: utility, text: 160000, data: 5000, bss: 900, symtab: 7200, strtab: 15600, functions: 260,
  dynamic: {{functions: 250, undefined: 6, dynstr: 14590}}, local: {{functions: 10, objects: 12, other: 5}},
  relocations: {{relative: 3}}, plt: 230, outside: 1, share: {{code: 60000}}, name-lengths: '{quantiles(CALLED)}'}}""",
    ]
    directory = make(programs, tmp_path, rows, "captured: {from: files, libraries: 2, unreadable: 0}")
    for name, lengths in ("libmodule0.so", ONE_LENGTH), ("libutility0.so", CALLED):
        assert not {"name-lengths", "dynamic: dynstr", "dynamic: functions"} & differs(directory, name).keys()
        assert distance(lengths, symbols(directory / name, ".symtab")) < NEAR
        check(directory / name)


@pytest.fixture(scope="module")
def cpp(programs, tmp_path_factory):
    """Makes a C++ library with names of many lengths. Fewer names are mangled than it has functions and objects."""
    row = f"""- {{kind: utility, text: 400000, data: 9000, bss: 568, debug: 1200000, symtab: 25272, strtab: 47000,
  functions: 800, dynamic: {{functions: 500, objects: 100, undefined: 30, weak: 200, dynstr: 32000}}, local:
  {{functions: 300, objects: 30, other: 68}}, relocations: {{relative: 60, jump-slot: 100, glob-dat: 40}}, plt: 100,
  outside: 2, versions: 4, mangled: 850, demangled: 45000, name-lengths: '{quantiles(CPP)}',
  function-sizes: '0 7 17*2 24 31 40 53 75 106 116 153 171 203 250 325 432 544 914 1558 6776',
  share: {{code: 260000, unwind: 40000}}, mix: {{info: 900000, loclists: 20000}}}}"""
    head = ["names: {style: itanium}", "dwarf: {language: c++}", "captured: {from: files, libraries: 1, unreadable: 0}"]
    return make(programs, tmp_path_factory.mktemp("cpp"), [row], *head)


def test_mangled_names_are_as_long_as_the_row_s(cpp):
    assert not {"name-lengths", "mangled", "functions", "dynamic: dynstr"} & differs(cpp, "libutility0.so").keys()
    names = symbols(cpp / "libutility0.so", ".symtab")
    assert distance(CPP, names) < NEAR
    assert sum(name.startswith("_Z") for *_, name in names) == 850
    check(cpp / "libutility0.so")


def test_names_are_demangled_to_as_much_as_the_row_says(cpp):
    """Those of numbered functions are given by debug information. Small functions and objects make up the rest."""
    names = [name for *_, section, name in symbols(cpp / "libutility0.so", ".dynsym") if section != "UND"]
    shown = sum(map(len, demangled(name for name in names if name.startswith("_Z"))))
    assert shown == pytest.approx(45000, rel=0.01)
    assert differs(cpp, "libutility0.so").get("demangled", [45000, 45000])[1] == shown


def test_every_mangled_name_demangles(cpp):
    """This includes local names of small functions. For each debug entry with a linkage name, the demangled name is
    what the entry itself says."""
    path = cpp / "libutility0.so"
    names = sorted({name for *_, name in symbols(path, ".symtab") if name.startswith("_Z")})
    assert any(name.startswith("_ZL") for name in names)
    assert not [text for text in demangled(names) if text.startswith("_Z")]
    dies = Dies(path)
    named = [die for die in dies.at.values() if "linkage_name" in die]
    assert [dies.function(die) for die in named] == demangled(die.text("linkage_name") for die in named)
    own = {die.text("linkage_name") for die in named} & set(names)
    assert len(own) > 400


def test_small_functions_share_names(cpp):
    """They share as many names as .strtab has no bytes for. A name belongs to two symbols at most, and never to a
    numbered function."""
    all_of = [symbol for symbol in symbols(cpp / "libutility0.so", ".symtab") if symbol[0] in ("FUNC", "OBJECT")]
    times = collections.Counter(name for *_, name in all_of)
    shared = {name for name, count in times.items() if count > 1}
    assert shared and max(times.values()) == 2
    assert "FUNC" in {kind for kind, *_, name in all_of if name in shared}
    assert {binding for _, binding, _, name in all_of if name in shared} == {"LOCAL"}


def test_files_have_names_of_many_lengths(cpp):
    """The names of source files have many lengths, and are ends of one long name."""
    names = [name for kind, *_, name in symbols(cpp / "libutility0.so", ".symtab") if kind == "FILE"]
    assert len(names) == 66 and all(name.endswith(".c") for name in names)
    lengths = sorted(map(len, names))
    assert len(set(lengths)) > 8 and lengths[5] <= 14 and lengths[-5] > 40


@pytest.mark.parametrize("strtab, named", [(900, True), (860, False)])
def test_names_of_files_cost_no_function(programs, tmp_path, strtab, named):
    """Where .strtab has room for functions' names but not for long names of files, files have the two names that every
    library has."""
    row = f"""- {{kind: utility, text: 60000, data: 9000, bss: 900, symtab: 4800, strtab: {strtab}, functions: 60,
  dynamic: {{functions: 20, undefined: 4, dynstr: 500}}, local: {{functions: 40, other: 60}}, outside: 1, plt: 2,
  name-lengths: '4*5 8*8 12*8'}}"""
    path = make(programs, tmp_path, [row]) / "libutility0.so"
    names = symbols(path, ".symtab")
    files = [name for kind, *_, name in names if kind == "FILE"]
    assert len(files) == 58 and (len(set(files)) > 2) == named
    assert sum(kind == "FUNC" for kind, *_ in names) >= 60
    check(path)


# Lengths of names of a library whose linker let names share their ends, as `MPI_Send` and `PMPI_Send` do, and of one
# with the shortest names that there are.
ENDS = {3: 2, 5: 4, 6: 8, 7: 14, 8: 14, 9: 12, 10: 10, 11: 10, 13: 10, 15: 6, 18: 5, 22: 4, 26: 1}
FORTRAN = {4: 2, 5: 6, 6: 20, 7: 60, 8: 10, 10: 2}
FIND = "import ctypes, os, sys\nlibrary = ctypes.PyDLL(sys.argv[1], os.RTLD_NOW)\nfor name in sys.argv[2:]: library[name]"


def strings_of(path):
    """Returns {name: its offset in .dynstr} of the defined dynamic symbols."""
    raw = path.read_bytes()
    places = {
        parts[1]: (int(parts[4], 16), int(parts[5], 16))
        for line in ask("readelf", "-SW", path).splitlines()
        if len(parts := line.replace("[ ", "[").split()) > 6 and parts[1] in (".dynsym", ".dynstr")
    }
    (at, size), (strings, _) = places[".dynsym"], places[".dynstr"]
    found = {}
    for entry in range(at + 24, at + size, 24):
        name, _, _, section = struct.unpack_from("<IBBH", raw, entry)
        if section:
            found[raw[strings + name : raw.index(b"\0", strings + name)].decode()] = name
    return found


def test_dynamic_names_share_their_ends(programs, tmp_path):
    """The names come to more bytes than .dynstr has."""
    row = f"""- {{kind: utility, text: 90000, data: 4000, bss: 900, functions: 460, dynamic: {{functions: 460, objects: 33,
  undefined: 150, weak: 4, dynstr: 5750}}, plt: 300, outside: 1, share: {{code: 40000, unwind: 26000}},
  function-sizes: '4 8*4 16*4 24 40 48 60 70 80 90 100 110 130 150 600', name-lengths: '{quantiles(ENDS)}'}}"""
    directory = make(programs, tmp_path, [row])
    assert not {"name-lengths", "dynamic: functions", "dynamic: dynstr", "plt"} & differs(
        directory, "libutility0.so"
    ).keys()
    path = directory / "libutility0.so"
    names = symbols(path, ".dynsym")
    assert len({name for *_, name in names}) == len(names) == 643
    assert sum(len(name) + 1 for *_, name in names) > 6300 and distance(ENDS, names) < NEAR
    begin = strings_of(path)
    taken = [set(range(at, at + len(name))) for name, at in begin.items()]
    assert len(begin) == 493 and sum(map(len, taken)) > len(set().union(*taken)) + 500
    programs.command([sys.executable, "-c", FIND, path, *begin], leaks=False)
    check(path)


def test_defined_names_may_end_undefined_ones(programs, tmp_path):
    """The module's undefined names are longer than any that exist outside the set. Defined names are the ends of some,
    and are found although undefined names stand in .dynstr in an order of their own."""
    row = """- {kind: module, text: 360000, data: 2100, bss: 5000, functions: 60, dynamic: {functions: 5, objects: 56,
  undefined: 109, dynstr: 9000}, plt: 50, outside: 2, share: {code: 300000, unwind: 9000},
  name-lengths: '47 67 75 125 162 171 175 178 218 275 294 316 342 451 465 494 508 537 549 552 560'}"""
    path = make(programs, tmp_path, [row]) / "libmodule0.so"
    names = symbols(path, ".dynsym")
    own = [name for kind, _, section, name in names if section != "UND"]
    undefined = [name for kind, _, section, name in names if section == "UND"]
    assert sum(any(other.endswith(name) for other in undefined) for name in own) > 5
    programs.command([sys.executable, "-c", FIND, path, *own], leaks=False)
    check(path)


def test_dynamic_names_of_few_characters(programs, tmp_path):
    """Fortran has as many names of 7 characters. To have so many different ones, names get numbers with fewer
    characters than decimal numbers have."""
    row = f"""- {{kind: utility, text: 900000, data: 4000, bss: 900, functions: 1900, dynamic: {{functions: 1900,
  undefined: 30, weak: 4, dynstr: 15300}}, plt: 20, outside: 1, share: {{code: 500000, unwind: 80000}},
  name-lengths: '{quantiles(FORTRAN)}'}}"""
    path = make(programs, tmp_path, [row]) / "libutility0.so"
    names = symbols(path, ".dynsym")
    assert len({name for *_, name in names}) == len(names) == 1930
    assert distance(FORTRAN, names) < NEAR
    check(path)


# Half of the called library's names are long. The calling library has short names only.
CALLEE = {6: 10, 8: 20, 10: 20, 12: 10, 30: 10, 40: 20, 50: 10}
CALLER = {6: 10, 8: 40, 10: 40, 12: 10}


def test_imports_are_as_long_as_who_calls_has_names(programs, tmp_path):
    rows = [
        f"""- {{kind: module, text: 160000, data: 9000, bss: 900, functions: 1, dynamic: {{functions: 1, undefined: 260,
  weak: 4, dynstr: 2700}}, plt: 240, needed: '1:180', outside: 1, share: {{code: 120000, unwind: 6000}},
  name-lengths: '{quantiles(CALLER)}'}}""",
        f"""- {{kind: utility, text: 160000, data: 5000, bss: 900, functions: 500, dynamic: {{functions: 500, undefined: 6,
  dynstr: 12000}}, plt: 4, outside: 1, share: {{code: 90000, unwind: 21000}}, name-lengths: '{quantiles(CALLEE)}'}}""",
    ]
    directory = make(programs, tmp_path, rows)
    for name, lengths in ("libmodule0.so", CALLER), ("libutility0.so", CALLEE):
        assert not {"name-lengths", "dynamic: dynstr"} & differs(directory, name).keys()
        assert distance(lengths, symbols(directory / name, ".dynsym")) < NEAR
    imports = [name for *_, name in symbols(directory / "libmodule0.so", ".dynsym") if re.match("u0[A-Za-z]", name)]
    assert len(imports) == 180 and sum(map(len, imports)) < 180 * 12


WRAPPER = {5: 2, 6: 10, 7: 80, 10: 5, 14: 3}


def named_by_nobody(path):
    """Returns the undefined symbols that have names made by pyelfgen, and what relocations refer to. None is in
    both."""
    bound = re.findall(r"R_X86_64_(?:JUMP_SLOT|GLOB_DAT|64)\s+[0-9a-f]+ ([^ @]+)", ask("readelf", "-rW", path))
    made = {
        name for _, _, section, name in symbols(path, ".dynsym") if section == "UND" and re.match("[A-Za-z]*m0", name)
    }
    assert not made & set(bound)
    return made, bound


@pytest.mark.parametrize("lengths, count, dynstr", [(CPP, 240, 11500), (WRAPPER, 600, 5040)])
def test_undefined_names_that_nothing_has(programs, tmp_path, lengths, count, dynstr):
    """Modules may have undefined names longer than any outside the set, as in C++, or too many of one length. Names are
    made up for these. No relocation refers to them, so the module loads."""
    row = f"""- {{kind: module, text: 150000, data: 8000, bss: 900, functions: 1, dynamic: {{functions: 1, undefined: {count},
  weak: 4, dynstr: {dynstr}}}, relocations: {{relative: 60, jump-slot: 230, glob-dat: 9, symbols: 9}}, plt: 230,
  outside: 3, versions: 3, share: {{code: 110000, unwind: 4000}}, name-lengths: '{quantiles(lengths)}'}}"""
    directory = make(programs, tmp_path, [row], "captured: {from: files, libraries: 1, unreadable: 0}")
    wanted = {"name-lengths", "dynamic: undefined", "dynamic: dynstr", "plt", "relocations: symbols"}
    assert not wanted & differs(directory).keys()
    path = directory / "libmodule0.so"
    names = symbols(path, ".dynsym")
    assert len({name for *_, name in names}) == len(names) == count + 1
    assert distance(lengths, names) < NEAR
    made, bound = named_by_nobody(path)
    assert len(made) > 50 and len(bound) == 239
    programs.command([sys.executable, "-c", LOAD, path], leaks=False)
    check(path)


def test_undefined_names_of_the_application(programs, tmp_path):
    """The module has a symbol table and finds undefined symbols in the process, as Pynamic's modules do where ld has
    dropped DT_NEEDED. Exported names do not become longer to make up for undefined ones."""
    row = f"""- {{kind: module, text: 224564, data: 6320, bss: 8, symtab: 17640, strtab: 83618, functions: 378,
  dynamic: {{functions: 371, undefined: 341, weak: 4, dynstr: 83321}}, local: {{functions: 7, objects: 10, other: 5}},
  relocations: {{relative: 9, jump-slot: 706, glob-dat: 4, symbols: 4}}, plt: 706, outside: 0, soname: false,
  name-lengths: '5 11 14 19 115*2 116*14 117*52 118*29', share: {{code: 72823, constants: 4888, unwind: 15000}}}}"""
    directory = make(programs, tmp_path, [row], "captured: {from: files, libraries: 1, unreadable: 0}")
    assert not {"dynamic: undefined", "dynamic: dynstr", "plt", "relocations: symbols"} & differs(directory).keys()
    path = directory / "libmodule0.so"
    long = [name for *_, name in symbols(path, ".symtab") if 115 <= len(name) <= 118]
    assert len(long) > 0.94 * (371 + 341)  # 97 of 101 quantiles
    made, _ = named_by_nobody(path)
    assert len(made) > 300
    programs.command([sys.executable, "-c", LOAD, path], leaks=False)
    check(path)


def test_plug_ins_names_of_cpp(programs, tmp_path):
    """A library that is no module, and whose application is not in the set, also imports by long invented names."""
    row = f"""- {{kind: utility, text: 300000, data: 9000, bss: 900, functions: 60, dynamic: {{functions: 60, undefined: 400,
  weak: 4, dynstr: 17500}}, plt: 200, relocations: {{relative: 200, jump-slot: 200, glob-dat: 30}}, outside: 6,
  share: {{code: 120000, unwind: 6000}}, name-lengths: '{quantiles(CPP)}'}}"""
    directory = make(programs, tmp_path, [row])
    assert not {"dynamic: undefined", "dynamic: dynstr", "plt"} & differs(directory, "libutility0.so").keys()
    path = directory / "libutility0.so"
    bound = set(re.findall(r"R_X86_64_(?:JUMP_SLOT|GLOB_DAT|64)\s+[0-9a-f]+ ([^ @]+)", ask("readelf", "-rW", path)))
    own = {name for _, _, section, name in symbols(path, ".dynsym") if section == "UND" and re.search("u0[A-Z]|u0$", name)}
    assert len(own) > 100 and not own & bound
    programs.command([sys.executable, "-c", LOAD, path], leaks=False)
    check(path)


def test_small_functions_have_plt_slots(programs, tmp_path):
    """The row has more PLT slots for its own functions than there are functions large enough to be called."""
    row = """- {kind: utility, text: 200000, data: 9000, bss: 900, functions: 600, dynamic: {functions: 600, undefined: 40,
  dynstr: 9000}, plt: 500, relocations: {relative: 20, jump-slot: 500}, outside: 1, bind: now,
  share: {code: 90000, unwind: 26000}, function-sizes: '1 4*3 8 9 12 16 20 24 30 36 40 60 80 110 150 200 300 500 3000'}"""
    directory = make(programs, tmp_path, [row])
    assert not {"function-sizes", "plt", "dynamic: functions"} & differs(directory, "libutility0.so").keys()
    path = directory / "libutility0.so"
    slots = re.findall(r"R_X86_64_JUMP_SLOT\s+([0-9a-f]+) (\S+) \+ 0", ask("readelf", "-rW", path))
    assert len(slots) == len({name for _, name in slots}) == 500
    assert sum(int(value, 16) > 0 for value, _ in slots) > 400
    programs.command([sys.executable, "-c", LOAD, path], leaks=False)
    check(path)


TOO_LONG = (
    "- {kind: module, text: 756243, data: 39295, debug: 2061838, symtab: 52680, strtab: 265048, "
    "name-lengths: '5 26 120*85 126 127*13', dynamic: {functions: 31, objects: 1, undefined: 4, weak: 4, "
    "dynstr: 226782}, mix: {info: 1252675, abbrev: 60844, line: 170989, str: 330348, line_str: 1590, "
    "loclists: 227259, rnglists: 15589, aranges: 2544}}"
)


def test_no_name_is_longer_than_names_may_be(programs, tmp_path):
    """The row wants a larger .dynstr than its 32 names can fill, and .debug_str has no room for longer names of
    functions. Many static objects share what is left of .strtab."""
    path = make(programs, tmp_path, [TOO_LONG]) / "libmodule0.so"
    check(path)
    assert int(re.search(r"\.strtab +STRTAB +\w+ \w+ (\w+)", ask("readelf", "-SW", path))[1], 16) == 265048
    assert 1000 < max(len(name) for *_, name in symbols(path, ".symtab")) <= 4096


def test_more_exported_names_than_symbols(programs, tmp_path):
    """The row has far more exported functions, with mangled names, than .symtab has symbols. The numbers contradict
    each other, and pyelfgen must not write beyond its memory."""
    row = (
        "{kind: utility, text: 900000, data: 3000, bss: 100, debug: 0, symtab: 2400, strtab: 4000, functions: 5000, "
        f"dynamic: {{functions: 5000, undefined: 40, dynstr: 500000}}, name-lengths: '{quantiles(CPP, 11)}'}}"
    )
    profile = tmp_path / "rows.prof"
    profile.write_text(f"pyelfgen-profile: 1\nnames: {{style: itanium}}\nlibraries:\n- {row}\n")
    programs.run("pyelfgen", "--quiet", "--profile", profile, "-o", tmp_path / "set")
    (library,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert library["differs"]["dynamic: functions"][1] < 100


UNITS = 8
INLINED = """{{kind: module, text: 90000, data: 3000, bss: 900, debug: {debug}, symtab: 9000, strtab: 5000, functions: 240,
  share: {{code: 60000}}, dwarf: {{version: {version}, language: c, units: {units}{level}}},
  mix: {{info: {info}, abbrev: {abbrev}, line: {line}, str: {text}, {files} aranges: 384{lists}}}}}"""


def inlined(text, **keys):
    """A row of 8 units whose .debug_str has `text` bytes."""
    usual = dict(info=230000, abbrev=12000, line=50000, loclists=80000, rnglists=9000, line_str=1000)
    usual |= keys
    info, abbrev, line, line_str = (usual.pop(key) for key in ("info", "abbrev", "line", "line_str"))
    version = usual.pop("version", 5)
    level = usual.pop("level", "")
    lists = "".join(f", {name}: {size}" for name, size in usual.items())
    files = f"line_str: {line_str}," if line_str else ""
    debug = info + abbrev + line + line_str + text + 384 + sum(usual.values())
    return "- " + INLINED.format(
        version=version, units=UNITS, level=level, info=info, abbrev=abbrev, line=line, text=text, files=files,
        debug=debug, lists=lists,
    )


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(inlined(24000), id="5"),
        pytest.param(inlined(24000, version=4, line_str=0), id="4"),
        pytest.param(inlined(12000, info=30000, abbrev=2400, level=", level: 1", loclists=0, rnglists=2000), id="lines"),
    ],
)
def test_inline_functions_are_those_of_a_few_units(programs, tmp_path, row):
    """As where sources have such functions of their own."""
    library = make(programs, tmp_path, [row]) / "libmodule0.so"
    assert ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", library).endswith("No errors.\n")
    units = [
        [entry.text("name") for entry in unit.of("subprogram") if "inline" in entry] for unit in Dies(library).units
    ]
    assert len(units) == UNITS and all(units)
    assert all(len(set(names)) == len(names) for names in units)
    times = collections.Counter(name for names in units for name in names)
    assert 1 < max(times.values()) <= UNITS / 4


def test_names_of_inline_functions_where_there_is_no_room(programs, tmp_path):
    """Then all are the header's."""
    library = make(programs, tmp_path, [inlined(6000)]) / "libmodule0.so"
    names = {
        tuple(entry.text("name") for entry in unit.of("subprogram") if "inline" in entry)
        for unit in Dies(library).units
    }
    assert len(names) == 1


def test_mangled_names_of_more_functions_than_the_row_has(programs, tmp_path):
    """The library is stripped but has debug information, so its row may have few functions that are described and many
    that are dynamic, for all of which there are mangled names."""
    row = """- {kind: utility, text: 900000, data: 10000, bss: 9000, debug: 900000, symtab: 0, strtab: 0, unwind-entries: 10,
  dynamic: {functions: 2000, undefined: 10}}"""
    path = make(programs, tmp_path, [row], "names: {style: itanium}") / "libutility0.so"
    names = {name for kind, _, section, name in symbols(path, ".dynsym") if kind == "FUNC" and section != "UND"}
    assert len(names) > 1000 and all(name.startswith("_Z") for name in names)
    assert not [text for text in demangled(names) if text.startswith("_Z")]
    check(path)
