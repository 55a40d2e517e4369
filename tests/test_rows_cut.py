"""Captured rows that no library can meet. They make pyelfgen refuse no application: the library becomes larger than its
row says, and differences.json tells it. The judges are binutils and the dynamic linker.
"""

import json
import re
import subprocess

import pytest

from objects import ask, elflint, tool

HEAD = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 1, unreadable: 0}\n"
# What gcc -shared -nostdlib makes of constants, as a library of data for others is made.
DATA = """\
- {kind: utility, text: 1000135, data: 192, bss: 0, symtab: 72, strtab: 14, functions: 0,
   dynamic: {objects: 1, dynstr: 15}, local: {objects: 1}, plt: 0, outside: 0, constructors: 0, destructors: 0,
   loads: 2, share: {constants: 1000000, symbols: 99}}
"""
# 61 functions, after strip -s -K of one of them.
CUT = """\
- {kind: utility, text: 12218, data: 896, bss: 8, symtab: 48, strtab: 8, functions: 1, dynamic: {functions: 61,
   objects: 60, undefined: 4, weak: 4, dynstr: 854}, global: {functions: 1}, relocations: {relative: 63, glob-dat: 4,
   symbols: 4, pages: 2}, plt: 0, outside: 0, soname: false,
   share: {code: 2148, plt: 24, unwind: 3508, symbols: 4894, relocations: 1608}}
"""
# An object file with a single function, compiled with -g.
OBJECT = """\
- {kind: utility, text: 52, data: 0, bss: 0, debug: 427, symtab: 216, strtab: 11, functions: 1, local: {other: 7},
   global: {functions: 1}, plt: 0, outside: 0, hash: none, relro: none, build-id: false, soname: false, constructors: 0,
   destructors: 0, loads: 0, share: {code: 4, unwind: 48}, dwarf: {version: 5, language: c, units: 1, dies: 4,
   defined: 2, attributes: 28, rows: 5}, mix: {info: 101, abbrev: 77, line: 83, str: 80, line_str: 38, aranges: 48}}
"""
# The name of its single function is longer than names of a set are.
LONG = DATA.replace("strtab: 14", "strtab: 900000")


def make(programs, directory, row, *options, head=HEAD):
    """Generates a set of one row. Returns the library and what differences.json says of it."""
    (directory / "p").write_text(f"{head}libraries:\n{row}")
    programs.run("pyelfgen", "-q", *options, "-P", directory / "p", "-o", directory / "set")
    programs.run("pyelfgen", "--verify", directory / "set")
    (library,) = json.loads((directory / "set" / "differences.json").read_text())["libraries"]
    return directory / "set" / library["name"], library


def sizes(path):
    """{section: size} of a file."""
    found = re.findall(r"^ +\[ *\d+\] (\.\S+) +\S+ +\w+ \w+ (\w+)", ask("readelf", "-SW", path), flags=re.M)
    return {name: int(size, 16) for name, size in found}


@pytest.mark.parametrize(
    "row, symtab", [(DATA, 72), (CUT, 48), (OBJECT, 216), (LONG, 72)], ids=["data", "cut", "object", "long"]
)
def test_a_table_of_symbols_that_is_too_small_is_larger(programs, tmp_path, row, symtab):
    path, library = make(programs, tmp_path, row)
    found = sizes(path)
    assert library["differs"]["symtab"] == [symtab, found[".symtab"]] and found[".symtab"] > symtab
    assert library["differs"]["strtab"][1] == found[".strtab"]
    programs.run("pyelfrun", "--no-python", "--phases", "import", tmp_path / "set")
    (tmp_path / "p").write_text(f"pyelfgen-profile: 1\nlibraries:\n{row}- {{kind: module}}\n")
    done = programs.run("pyelfgen", "-P", tmp_path / "p", "-o", tmp_path / "other", status=1)
    assert "libraries: row 0: " in done.stderr and "bytes are too " in done.stderr


def test_sums_of_the_profile_do_not_make_it_fail(programs, tmp_path):
    sums = "sections: {text: 52 B, data: 0 B, debug: 427 B, symtab: 216 B, strtab: 11 B, bss: 0 B}\n"
    path, library = make(programs, tmp_path, OBJECT, head=f"{HEAD}{sums}")
    assert library["differs"]["data"][0] == 0 and sizes(path)[".data"] > 0


def test_dynamic_functions_stay_where_the_other_table_was_cut_down(programs, tmp_path):
    path, library = make(programs, tmp_path, CUT)
    dynamic = ask("readelf", "--dyn-syms", "-W", path)
    count = sum(" FUNC " in line and " UND " not in line for line in dynamic.splitlines())
    assert library["differs"]["dynamic: functions"] == [61, count] and count > 45
    assert sizes(path)[".dynsym"] and "text" not in library["differs"]


@pytest.mark.parametrize("options", [["--index=gdb_index"], ["--index=debug_names"], ["--split"]])
def test_too_little_debug_information_beside_an_index_or_split(programs, tmp_path, options):
    """There are names alone. The other library has units, which the option is of."""
    other = "- {kind: utility, text: 60000, data: 1500, bss: 100, debug: 90000, symtab: 4800, strtab: 4000}\n"
    head = HEAD.replace("libraries: 1", "libraries: 2")
    (tmp_path / "p").write_text(f"{head}libraries:\n{OBJECT.replace('427', '2980')}{other}")
    programs.run("pyelfgen", "-q", *options, "-P", tmp_path / "p", "-o", tmp_path / "set")
    programs.run("pyelfgen", "--verify", tmp_path / "set")
    library = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"][0]
    assert "units of debug information" in library["without"] and "debug" not in library["differs"]
    found = sizes(tmp_path / "set" / "libutility0.so")
    assert {name: size for name, size in found.items() if ".debug" in name or "gdb" in name} == {".debug_str": 2980}
    assert ".debug_info" in sizes(tmp_path / "set" / "libutility1.so")
    done = subprocess.run(
        [tool("gdb"), "-nx", "-batch", "-ex", "info functions frame_dummy", tmp_path / "set" / "libutility0.so"],
        capture_output=True,
        text=True,
    )
    assert not done.stderr and "Non-debugging symbols" in done.stdout


# Of g++ -O1 -g, after objcopy had taken functions from its symbol table.
CUT_CPP = """\
- {kind: utility, text: 175979, data: 4840, symtab: 10296, strtab: 39050,
   dynamic: {functions: 277, objects: 66, undefined: 88, dynstr: 43811},
   relocations: {relative: 146, glob-dat: 92, relro: 97}, zstd: {names: 13777},
   function-sizes: '0*3 1*4 10*5 16*2 18 29 30 33*5 44 53 56*2 57 64*2 68 77 81 91*2 93*2 99 101 104 114 123 125 146
   149*2 155 157*2 164 172 187 192 213 225 245 250 258 299 301 302 315 330 342*2 347 367 407 414 420 421 449*4 457*3
   467 509 540 591*2 634*2 709 736 743 823 899 962 1027 1030 1127 1190 1259 1412 1438 1462*2 1796 2323',
   name-lengths: '5 10 11 17 18*2 21 22*2 24 25 26 27 28 30*2 31 33 35 36 41 42 44 47 48 50 51 55 61 65*2 69 70*3 71
   72 73*6 74*2 75 76 78*2 79 81 82 83*2 84*3 85*2 86 87*3 88 89 91 94 95 97*2 103 105 108 114 116 117 119 123*2
   126*3 129 133 137 144 149*2 152*3 157 168 185 189 191 202 241 299 309 323'}
"""


def test_names_of_functions_where_others_were_dealt(programs, tmp_path):
    """Lengths of names are dealt when most functions are numbered. Then more of them have to be small ones, whose
    mangled names take more than those of the objects that were in their place."""
    head = HEAD.replace("captured", "names: {style: itanium}\ndwarf: {language: c++}\ncaptured")
    path, _ = make(programs, tmp_path, CUT_CPP, head=head)
    assert elflint(path) == "No errors\n"
    functions = re.findall(r" T (\S+)", ask("nm", "-D", path))
    assert len(set(functions)) == len(functions) > 200 and all(name.startswith("_Z") for name in functions)


def test_importers_of_such_functions_know_their_names(programs, tmp_path):
    """Names have been counted on when functions become small ones."""
    importer = """\
- {kind: utility, text: 90000, data: 4840, symtab: 17080, strtab: 40000, functions: 60,
   dynamic: {functions: 40, undefined: 297}, needed: '0:277'}
"""
    head = HEAD.replace("captured", "names: {style: itanium}\ndwarf: {language: c++}\ncaptured").replace("s: 1,", "s: 2,")
    (tmp_path / "p").write_text(f"{head}libraries:\n{CUT_CPP}{importer}")
    programs.run("pyelfgen", "-q", "-P", tmp_path / "p", "-o", tmp_path / "set")
    programs.run("pyelfgen", "--verify", tmp_path / "set")
    used, user = [tmp_path / "set" / f"libutility{number}.so" for number in range(2)]
    defined = set(re.findall(r" [A-Z] (\S+)$", ask("nm", "-D", "--defined-only", used), flags=re.M))
    imported = set(re.findall(r" U (\S+u0\S+)$", ask("nm", "-D", user), flags=re.M))
    assert len(imported) > 250 and imported <= defined


@pytest.mark.parametrize("page", [4096, 2 << 20])
def test_more_bss_than_a_library_may_have(programs, tmp_path, page):
    """As gcc makes it with -mcmodel=medium. The twin's is as large as can be loaded."""
    row = f"- {{kind: utility, text: 90000, data: 4000, bss: 5600000008, outside: 1, versions: 1, page: {page}}}\n"
    path, library = make(programs, tmp_path, row)
    bss = sizes(path)[".bss"]
    assert library["differs"]["bss"] == [5600000008, bss]
    assert 0 < 2**31 - 90000 - 4000 - bss < 20 * page
    programs.run("pyelfrun", "--no-python", "--phases", "import", tmp_path / "set")


@pytest.mark.parametrize(
    "row, wrong",
    [
        ("text: 4294967296, data: 4000", "text: 4294967296 bytes are too many: more than 2 GiB of code in one library"),
        (
            "text: 40000, data: 4000, debug: 40000000000",
            r"debug: 40000000000 bytes are too many: section \.debug_info would be \d+ bytes; one library holds less than "
            "4294967296",
        ),
        (
            "text: 40000, data: 4000, symtab: 8000000000, strtab: 8000000000",
            "symtab: 8000000000 bytes are too many for any utility: the nearest is 4294967280",
        ),
    ],
)
def test_advice_of_what_is_refused(programs, tmp_path, row, wrong):
    """Nobody can leave out a captured row: others refer to it by its number."""
    advice = (
        "capture the application again with --without FILE: 'pyelfprof --list' says which FILE libutility0.so stands for"
    )
    (tmp_path / "p").write_text(f"{HEAD}libraries:\n- {{kind: utility, {row}}}\n")
    done = programs.run("pyelfgen", "-q", "-P", tmp_path / "p", "-o", tmp_path / "set", status=1)
    assert re.fullmatch(f"pyelfgen: libraries: row 0: {wrong}; {advice}\n", done.stderr)
