"""What rows of large applications in C++ have: functions with two names, imports of the same few functions, very many
small local functions, long mangled names, code that repeats itself. The judges are binutils, elfutils and the dynamic
linker.
"""

import collections
import ctypes
import json
import re
import subprocess

import pytest

from captures import Capture, edges
from objects import ask, demangled, section, tool

# The first row is like that of OpenEXR's libIex: three in seven functions are second names of others, and only the
# others have unwind entries. Three libraries import from the second, the last two mostly the same functions.
ROWS = """\
- {kind: utility, text: 100000, data: 4000, bss: 32, functions: 600, dynamic: {functions: 600, objects: 90, undefined: 30,
   weak: 300, weak-functions: 200, weak-objects: 90, aliases: 260, dynstr: 40000}, plt: 20, outside: 1, runpath: 1,
   relocations: {relative: 4, jump-slot: 20, glob-dat: 60, symbols: 60, pages: 3}, unwind-entries: 345,
   mangled: 690, demangled: 75000, share: {code: 12000, unwind: 13200, symbols: 64500}, function-sizes: '5 14*4 19*4 23*2 25*8 27 459',
   name-lengths: '6 24 27 30 34 37 40 43 46 50 54 58 62 66 70 75 80 86 92 98 120'}
- {kind: utility, text: 200000, data: 9000, bss: 900, functions: 500, dynamic: {functions: 500, objects: 20,
   undefined: 40, weak: 4, dynstr: 20000}, plt: 100, outside: 1, used: 90, share: {code: 90000, unwind: 24000},
   unwind-entries: 520}
- {kind: utility, text: 60000, data: 3000, bss: 900, functions: 60, dynamic: {functions: 60, undefined: 90, weak: 4,
   dynstr: 5000}, plt: 90, needed: '1:80', outside: 1, share: {code: 20000, unwind: 5000}, unwind-entries: 80}
- {kind: utility, text: 60000, data: 3000, bss: 900, functions: 60, dynamic: {functions: 60, undefined: 90, weak: 4,
   dynstr: 5000}, plt: 90, needed: '1:70', outside: 1, share: {code: 20000, unwind: 5000}, unwind-entries: 80}
- {kind: utility, text: 60000, data: 3000, bss: 900, functions: 60, dynamic: {functions: 60, undefined: 90, weak: 4,
   dynstr: 5000}, plt: 90, needed: '1:60', outside: 1, share: {code: 20000, unwind: 5000}, unwind-entries: 80}
"""
CAPTURED = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: %d, unreadable: 0}\nlibraries:\n%s"


def make(programs, directory, rows):
    (directory / "rows.prof").write_text(CAPTURED % (rows.count("- {"), rows))
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set", "-q")
    programs.run("pyelfprof", "-o", directory / "made.prof", directory / "set")
    return directory / "set"


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("cpp"), ROWS)


def differs(directory, number):
    return json.loads((directory / "differences.json").read_text())["libraries"][number]["differs"]


def functions_of(path):
    """Returns the library's dynamic functions as (address, size, binding, name)."""
    rows = [line.split() for line in ask("readelf", "--dyn-syms", "-W", path).splitlines()]
    return [
        (int(row[1], 16), int(row[2]), row[4], row[7])
        for row in rows
        if len(row) > 7 and row[3] == "FUNC" and row[6] != "UND"
    ]


def test_so_many_functions_have_the_address_of_another(made):
    functions = functions_of(made / "libutility0.so")
    at = collections.defaultdict(set)
    for address, size, _, _ in functions:
        at[address].add(size)
    assert len(functions) == 600 and len(functions) - len(at) == 260
    assert all(len(sizes) == 1 for sizes in at.values())
    assert len({name for *_, name in functions}) == 600
    assert sum(binding == "WEAK" for _, _, binding, _ in functions) == 200
    assert not {"dynamic: aliases", "unwind-entries", "dynamic: functions", "share: unwind"} & differs(made, 0).keys()
    assert Capture(made.parent / "made.prof").rows[0]["dynamic"]["aliases"] == 260


def test_all_names_lead_to_functions(made):
    """The dynamic linker finds each name, at the address that its symbol says."""
    library = ctypes.CDLL(str(made / "libutility0.so"))
    functions = sorted(functions_of(made / "libutility0.so"))
    base = ctypes.cast(getattr(library, functions[0][3]), ctypes.c_void_p).value - functions[0][0]
    for address, _, _, name in functions:
        assert ctypes.cast(getattr(library, name), ctypes.c_void_p).value == base + address


@pytest.mark.parametrize("number", range(5))
def test_elfutils_finds_nothing(made, number):
    assert "No errors" in ask("eu-elflint", "--gnu-ld", made / f"libutility{number}.so")


def test_imports_are_of_so_many_functions(made):
    undefined = [
        set(re.findall(r" UND (u1\w+|_ZN2u1\w+)", ask("readelf", "--dyn-syms", "-W", made / f"libutility{number}.so")))
        for number in (2, 3, 4)
    ]
    assert [len(names) for names in undefined] == [80, 70, 60]
    assert len(set.union(*undefined)) == 90
    rows = Capture(made.parent / "made.prof").rows
    assert rows[1]["used"] == 90 and "used" not in rows[0]
    assert [edges(row) for row in rows[2:]] == [{1: 80}, {1: 70}, {1: 60}]


def test_long_names_are_demangled(made):
    """Two demanglers turn them into different names of class members with parameters."""
    names = [name for *_, name in functions_of(made / "libutility0.so") if name.startswith("_Z")]
    assert len(names) == 600
    for demangler in (tool("c++filt"), tool("llvm-cxxfilt", "llvm-cxxfilt-14")):
        shown = demangled(names, demangler)
        assert len(set(shown)) == 600 and not any(name.startswith("_Z") for name in shown)
        assert sum("::" in name and " const&" in name for name in shown) > 250
    assert not {"name-lengths", "dynamic: dynstr"} & differs(made, 0).keys()


def test_names_are_demangled_to_as_much_as_the_row_says(made):
    """These are names of functions and of data. Without templates and parameters they would come to little more than
    40,000."""
    names = ask("nm", "-D", "-j", "--defined-only", made / "libutility0.so").split()
    mangled = [name for name in names if name.startswith("_Z")]
    shown = demangled(mangled)
    assert len(mangled) == 690 and abs(sum(map(len, shown)) - 75000) < 750
    assert sum(map(len, mangled)) < 40000
    assert Capture(made.parent / "made.prof").rows[0]["demangled"] == sum(map(len, shown))
    for special in ("vtable for ", "typeinfo for ", "typeinfo name for "):
        assert sum(name.startswith(special) for name in shown) > 10


@pytest.mark.parametrize("packed", [8000, 16000])
def test_names_of_the_same_words_are_demangled_to_as_much(programs, tmp_path, packed):
    """So that tables of names compress as a row says, many names may use the same words."""
    rows = ROWS.replace("name-lengths", f"zstd: {{names: {packed}}}, name-lengths", 1)
    row = Capture(make(programs, tmp_path, rows).parent / "made.prof").rows[0]
    assert row["zstd"]["names"] < 1.5 * packed  # with words of their own 23000
    assert row["demangled"] == pytest.approx(75000, rel=0.02)


@pytest.mark.parametrize("wanted", [1, 30000, 60000, 110000, 220000])
def test_names_are_demangled_to_little_and_to_much(programs, tmp_path, wanted):
    """Whatever the row asks for, each name is valid and there once. What cannot be met is in differences.json."""
    made = make(programs, tmp_path, ROWS.replace("demangled: 75000", f"demangled: {wanted}"))
    names = [name for name in ask("nm", "-D", "-j", made / "libutility0.so").split() if name.startswith("_Z")]
    for demangler in (tool("c++filt"), tool("llvm-cxxfilt", "llvm-cxxfilt-14")):
        shown = demangled(names, demangler)
        assert len(set(shown)) == 690 and not any(name.startswith("_Z") for name in shown)
    said = differs(made, 0).get("demangled", [wanted, wanted])
    assert said[0] == wanted
    assert abs(sum(map(len, demangled(names))) - said[1]) <= 0.01 * said[1]


CALLED = """\
- {kind: utility, text: 605167, data: 23440, bss: 22632, functions: 0, called: %d, outside: 0, relocations: {pages: 1},
   share: {code: 490519, constants: 113780}}
"""


@pytest.mark.parametrize("called", [519, 100_000_000])
def test_functions_that_only_calls_tell_of(programs, tmp_path, called):
    """Without symbols and unwind tables all of the code is in as many functions as calls lead to, or as there is room
    for."""
    directory = make(programs, tmp_path, CALLED % called)
    row = Capture(tmp_path / "made.prof").rows[0]
    code = 490519 if called == 519 else 300000
    assert (row["unwind-entries"] == 519) == (called == 519) and row["unwind-entries"] >= 519
    assert row["share"]["code"] >= code and row["text"] == 605167
    assert "called" in differs(directory, 0)


VERY_MANY = """\
- {kind: utility, text: 2400000, data: 30000, bss: 900, functions: 900, dynamic: {functions: 900, objects: 60,
   undefined: 90, weak: 500, weak-functions: 400, weak-objects: 60, dynstr: 60000}, plt: 500, outside: 1,
   relocations: {relative: 900, jump-slot: 500, glob-dat: 30, symbols: 30, pages: 8, relro: 900}, unwind-entries: 16000,
   exceptions: {table: 30000, functions: 900}, mangled: 960, share: {code: 1500000, unwind: 700000},
   function-sizes: '7 34 45 51 81 117 157 182 219 272 576'}
- {kind: utility, text: 900000, data: 3000, bss: 900, functions: 30, dynamic: {functions: 30, undefined: 40, weak: 4,
   dynstr: 3000}, plt: 30, outside: 1, share: {code: 800000, unwind: 3000}, unwind-entries: 40}
"""


def test_very_many_functions_that_there_is_no_room_for(programs, tmp_path):
    """There are as many functions as there is room for, and nothing else gives way, as in VTK's core with 110,000
    functions of 93 bytes each. Large functions of another library make no entry longer."""
    directory = make(programs, tmp_path, VERY_MANY)
    row = Capture(tmp_path / "made.prof").rows[0]
    assert row["plt"] == 500 and row["relocations"]["relative"] == 900 and row["dynamic"]["weak"] == 500
    assert row["exceptions"] == {"table": 30000, "functions": 900}
    assert 7000 < row["unwind-entries"] < 16000 and row["share"]["unwind"] == 700000
    frames = ask("readelf", "--debug-dump=frames", directory / "libutility1.so")
    assert max(int(end, 16) - int(start, 16) for start, end in re.findall(r"pc=(\w+)\.\.(\w+)", frames)) > 0


STRIPPED = """\
- {kind: utility, text: 1400000, data: 30000, bss: 900, functions: 300, dynamic: {functions: 300, objects: 60,
   undefined: 90, weak: 20, dynstr: 20000}, plt: 120, outside: 1, unwind-entries: 5301, unwind-small: %d,
   share: {code: 900000, unwind: 230000}, function-sizes: '7 34 45 51 81 117 157 182 219 272 576'}
"""


@pytest.mark.parametrize("small", [300, 2000, 4100])
def test_small_functions_without_names(programs, tmp_path, small):
    """The unwind tables have as many small functions as the row says. Entries are in order and do not overlap. Dynamic
    functions have the row's sizes, and others the rest of the code."""
    directory = make(programs, tmp_path, STRIPPED % small)
    row = Capture(tmp_path / "made.prof").rows[0]
    assert row["unwind-entries"] == 5301 and row["share"]["code"] == 900000
    assert abs(row["unwind-small"] - small) <= small * 0.03 + 3
    assert not {"function-sizes", "unwind-entries", "dynamic: functions"} & differs(directory, 0).keys()
    path = directory / "libutility0.so"
    frames = ask("readelf", "--debug-dump=frames", path)
    code = sorted((int(start, 16), int(end, 16)) for start, end in re.findall(r" FDE .* pc=(\w+)\.\.(\w+)", frames))
    assert len(code) == 5301 and all(end <= start for (_, end), (start, _) in zip(code, code[1:]))
    named = {address for address, *_ in functions_of(path)}
    sizes = [end - start for start, end in code if start not in named]
    assert min(sizes) > 0 and sum(size < 96 for size in sizes) == row["unwind-small"]
    assert "No errors" in ask("eu-elflint", "--gnu-ld", path)


def test_more_small_functions_than_any(programs, tmp_path):
    """The numbers contradict each other. The library still has the row's code and dynamic functions."""
    make(programs, tmp_path, STRIPPED % 10**8)
    row = Capture(tmp_path / "made.prof").rows[0]
    assert row["dynamic"]["functions"] == 300 and row["share"]["code"] == 900000


LITTLE_DEBUG = """\
- {kind: utility, text: 40000000, data: 30000, bss: 900, debug: 300000, symtab: 2200000, strtab: 4000000,
   functions: 60000, dynamic: {functions: 50000, objects: 900, undefined: 400, weak: 20, dynstr: 2900000}, plt: 380,
   local: {functions: 10000, objects: 20000}, outside: 3, relocations: {relative: 900, jump-slot: 380, glob-dat: 9},
   share: {code: 20000000, unwind: 2400000}, dwarf: {version: 4, language: c, units: 20, dies: 8000},
   mix: {info: 120000, abbrev: 12000, line: 50000, str: 9000, loclists: 100000, rnglists: 9000}}
"""


def test_a_large_program_of_which_little_has_debug_information(programs, tmp_path):
    """The row has less debug information than all functions would take, as Node.js has. All of it is names, and the
    library has all functions."""
    directory = make(programs, tmp_path, LITTLE_DEBUG)
    row = Capture(tmp_path / "made.prof").rows[0]
    assert row["debug"] == 300000 and row["mix"] == {"str": 300000}
    assert row["plt"] == 380 and row["share"]["code"] == 20000000
    assert row["dynamic"]["functions"] == 50000 and row["functions"] == 60000
    assert "units of debug information" in json.loads((directory / "differences.json").read_text())["libraries"][0]["without"]


def packed(path, name):
    _, offset, size = section(path, name)
    command = [tool("zstd"), "-3", "--quiet", "--stdout"]
    code = path.read_bytes()[offset : offset + size]
    return len(subprocess.run(command, input=code, capture_output=True, check=True).stdout)


def test_code_repeats_itself_where_the_row_s_does(programs, tmp_path):
    row = (
        "- {{kind: utility, text: 900000, data: 3000, bss: 900, functions: 900, dynamic: {{functions: 900, "
        "undefined: 40, weak: 4, dynstr: 20000}}, outside: 1, share: {{code: 800000}}, zstd: {{text: {}}}}}\n"
    )
    directory = make(programs, tmp_path, "".join(row.format(text) for text in (400000, 240000, 150000)))
    found = [packed(directory / f"libutility{number}.so", ".text") for number in range(3)]
    assert found[1] < 0.95 * found[0] and found[2] < 0.95 * found[1]
