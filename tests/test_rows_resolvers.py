"""Extensions of the ABI that rows have: functions that are found by calling a resolver (STT_GNU_IFUNC), slots that are
filled like that without a symbol (R_X86_64_IRELATIVE), objects of which a process has only one (STB_GNU_UNIQUE). The
judges are binutils, elfutils, gdb, the dynamic linker and CPython.
"""

import ctypes
import json
import re
import subprocess
import sys

import pytest

from captures import Capture
from objects import ask, tool

# The first is a module that imports most of what the second exports. All are linked with -z lazy or -z now. The third
# has a symbol table, and some of its indirect functions are local. The last has only slots.
ROWS = """\
- {kind: module, text: 60000, data: 6000, bss: 900, functions: 62, dynamic: {functions: 62, undefined: 290, dynstr: 9000},
   plt: 280, needed: '1:240', outside: 1, bind: %(bind)s, cf-protection: %(cf)s}
- {kind: utility, text: 100000, data: 9000, bss: 900, functions: 400, dynamic: {functions: 400, objects: 60, undefined: 30,
   weak: 140, weak-functions: 120, weak-objects: 16, aliases: 100, unique: 40, dynstr: 12000}, plt: 50, outside: 1,
   bind: %(bind)s, cf-protection: %(cf)s, ifunc: 90, relocations: {relative: 30, jump-slot: 33, irelative: 17, glob-dat: 30, "64": 60,
   symbols: 60}, function-sizes: '3*3 20*5 30 33*2 40 60*4 75 90 150 200 460'}
- {kind: utility, text: 60000, data: 3000, bss: 900, functions: 150, dynamic: {functions: 20, undefined: 40, ifunc: 5}, symtab: 9000,
   strtab: 7000, local: {functions: 130, objects: 90, other: 10}, plt: 30, outside: 1, bind: %(bind)s, cf-protection: %(cf)s, ifunc: 12,
   relocations: {relative: 30, jump-slot: 24, irelative: 6, glob-dat: 4, symbols: 4},
   function-sizes: '4*3 20*5 30 33*2 40 90 200*2 230 250 400 500 800 900'}
- {kind: utility, text: 30000, data: 3000, bss: 900, functions: 60, dynamic: {functions: 60, undefined: 40}, plt: 30, outside: 1,
   bind: %(bind)s, cf-protection: %(cf)s, relocations: {relative: 30, jump-slot: 25, irelative: 5, glob-dat: 4, symbols: 4},
   function-sizes: '4*3 20*5 30 33*2 40 60 90 120*2 200*4 250'}
"""
PROFILE = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 4, unreadable: 0}\nlibraries:\n" + ROWS
KINDS = [{"bind": bind, "cf": cf} for bind in ("lazy", "now") for cf in ("false", "true")]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: f"{kind['bind']}-{kind['cf']}")
def made(request, programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("resolvers")
    (directory / "rows.prof").write_text(PROFILE % request.param)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set", "-q")
    programs.run("pyelfprof", "-o", directory / "made.prof", directory / "set")
    return directory / "set"


def symbols(path, which):
    """Returns (address, size, type, binding, section, name) of each named symbol of a table."""
    rows = [line.split() for line in ask("readelf", which, "-W", path).splitlines()]
    return [
        (int(row[1], 16), int(row[2]), row[3], row[4], row[6], row[7]) for row in rows if len(row) > 7 and row[0][:-1].isdigit()
    ]


def resolvers(path):
    return re.findall(r"R_X86_64_IRELATIV\w*\s+([0-9a-f]+)", ask("readelf", "-r", "-W", path))


def test_there_are_as_many_as_the_rows_say(made):
    utility, local, other = (made / f"libutility{i}.so" for i in range(3))
    functions = [s for s in symbols(utility, "--dyn-syms") if s[2] == "IFUNC"]
    assert len(functions) == 90 and len({address for address, *_ in functions}) < 90  # some are aliases
    assert len(resolvers(utility)) == 17 and len(resolvers(local)) == 6 and len(resolvers(other)) == 5
    assert len([s for s in symbols(local, "--dyn-syms") if s[2] == "IFUNC"]) == 5
    found = [s for s in symbols(local, "--symbols") if s[2] == "IFUNC" and s[3] == "LOCAL"]
    assert len(found) == 7
    assert {int(address, 16) for address in resolvers(local)} <= {address for address, *_ in found}
    unique = [s for s in symbols(utility, "--dyn-syms") if s[3] == "UNIQUE"]
    assert len(unique) == 40 and {kind for _, _, kind, *_ in unique} == {"OBJECT"}
    referred = set(re.findall(r"R_X86_64_GLOB_DAT +\w+ (\w+)", ask("readelf", "-r", "-W", utility)))
    assert len({name for *_, name in unique} & referred) > 20  # by GLOB_DAT, as code refers to them
    told = json.loads((made / "differences.json").read_text())["libraries"]
    keys = ("ifunc", "dynamic: ifunc", "dynamic: unique", "relocations: irelative", "relocations: jump-slot", "plt")
    assert not [key for library in told for key in library["differs"] if key in keys]


def test_a_capture_says_the_same(made):
    _, utility, local, other = Capture(made.parent / "made.prof").rows
    assert utility["ifunc"] == 90 and utility["dynamic"]["unique"] == 40 and local["ifunc"] == 12 and "ifunc" not in other
    assert local["dynamic"]["ifunc"] == 5 and "ifunc" not in utility["dynamic"]
    assert [row["relocations"]["irelative"] for row in (utility, local, other)] == [17, 6, 5]
    assert [row["relocations"]["jump-slot"] for row in (utility, local, other)] == [33, 24, 25]


def test_readers_take_it_for_what_it_is(made):
    for name, abi in (("libmodule0", "System V"), ("libutility0", "GNU"), ("libutility1", "GNU"), ("libutility2", "System V")):
        path = made / f"{name}.so"
        assert re.search(rf"OS/ABI:.*{abi}$", ask("readelf", "-h", path), re.M), name
        checked = subprocess.run([tool("eu-elflint"), "--gnu-ld", path], stdout=subprocess.PIPE, text=True)
        assert checked.stdout == "No errors\n", name
    undefined = [s for s in symbols(made / "libmodule0.so", "--dyn-syms") if s[4] == "UND"]
    assert {kind for _, _, kind, *_ in undefined} <= {"FUNC", "NOTYPE", "OBJECT"}  # as ld writes them


def test_what_they_return_is_another_function(made):
    """The dynamic linker calls each resolver. What a resolver returns is another function, which can be called."""
    library = ctypes.CDLL(str(made / "libutility0.so"))
    table = symbols(made / "libutility0.so", "--dyn-syms")
    plain = next(s for s in table if s[2] == "FUNC" and s[4] != "UND")
    base = ctypes.cast(library[plain[5]], ctypes.c_void_p).value - plain[0]
    indirect = {s[5].split("@")[0]: s[0] for s in table if s[2] == "IFUNC"}
    starts = {s[0] for s in table if s[2] == "FUNC" and s[4] != "UND"}
    found = {ctypes.cast(library[name], ctypes.c_void_p).value - base for name in indirect}
    frame_dummy = {s[0] for s in symbols(made / "libutility1.so", "--symbols") if s[5] == "frame_dummy"}
    other = ctypes.CDLL(str(made / "libutility1.so"))
    local = symbols(made / "libutility1.so", "--dyn-syms")
    plain_there = next(s for s in local if s[2] == "FUNC" and s[4] != "UND")
    base_there = ctypes.cast(other[plain_there[5]], ctypes.c_void_p).value - plain_there[0]
    returned = {ctypes.cast(other[s[5]], ctypes.c_void_p).value - base_there for s in local if s[2] == "IFUNC"}
    assert len(returned) > 2 and not returned & frame_dummy
    assert len(found) > 4 and found <= starts and not found & set(indirect.values())
    for name in indirect:
        library[name]()


def test_slots_without_symbols_are_filled(made):
    """The slots are filled before anything runs, whether binding is lazy or not."""
    text = ask("readelf", "-r", "-W", made / "libutility1.so")
    slots = [int(row.split()[0], 16) for row in text.splitlines() if "R_X86_64_IRELATIV" in row]
    library = ctypes.CDLL(str(made / "libutility1.so"))
    plain = next(s for s in symbols(made / "libutility1.so", "--dyn-syms") if s[2] == "FUNC" and s[4] != "UND")
    base = ctypes.cast(library[plain[5]], ctypes.c_void_p).value - plain[0]
    inside = {s[0] for s in symbols(made / "libutility1.so", "--symbols") if s[2] == "FUNC"}
    filled = {ctypes.c_uint64.from_address(base + slot).value - base for slot in slots}
    assert filled <= inside


def test_the_set_runs(programs, made):
    programs.run("pyelfrun", made)
    programs.run("pyelfrun", "--memory", made.parent / "rows.prof")


def test_programs_are_linked_with_it(made, tmp_path):
    """ld links a program with such a library without complaint. The program calls each indirect function, takes the
    address of one, and runs."""
    names = [s[5].split("@")[0] for s in symbols(made / "libutility0.so", "--dyn-syms") if s[2] == "IFUNC"]
    calls = "".join(f"    {name}();\n" for name in names)
    declared = "".join(f"void {name}(void);\n" for name in names)
    (tmp_path / "main.c").write_text(f"{declared}int main(void)\n{{\n{calls}    return {names[0]} == 0;\n}}\n")
    command = [tool("gcc"), "-o", tmp_path / "main", tmp_path / "main.c", f"-L{made}", f"-Wl,-rpath,{made}", "-lutility0"]
    linked = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert linked.returncode == 0 and not linked.stdout, linked.stdout
    assert subprocess.run([tmp_path / "main"]).returncode == 0


# The second library has a symbol table and little room, so all its dynamic functions are small ones that others call.
# Some are too small for a resolver, and some have no code.
CALLED = """\
- {kind: module, text: 60000, data: 6000, bss: 900, functions: 62, dynamic: {functions: 62, undefined: 190, dynstr: 9000},
   plt: 180, needed: '1:140', outside: 1}
- {kind: utility, text: %d, data: 9000, bss: 900, functions: 160, dynamic: {functions: %d, undefined: 30, ifunc: %d}, symtab: 9000,
   strtab: 7000, local: {functions: 10, objects: 90, other: 10}, plt: 30, outside: 1, ifunc: 20, constructors: 30,
   relocations: {relative: 60, jump-slot: 24, irelative: 6, glob-dat: 4, symbols: 4}, share: {code: 15001},
   function-sizes: '0*5 20*5 30 33*2 40 60*2 90 200*2 230 250'}
"""


@pytest.mark.parametrize("text, functions, indirect", [(32000, 150, 20), (30000, 150, 5), (34000, 20, 20), (28000, 150, 0)])
def test_functions_without_code_are_not_called(programs, tmp_path, text, functions, indirect):
    said = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 2, unreadable: 0}\nlibraries:\n"
    (tmp_path / "rows.prof").write_text(said + CALLED % (text, functions, indirect))
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", "-q")
    programs.run("pyelfrun", tmp_path / "set")
    path = tmp_path / "set" / "libutility0.so"
    sizes = {s[0]: s[1] for s in symbols(path, "--symbols") if s[2] == "FUNC" and s[5] != "frame_dummy"}
    table = re.search(r"Contents of section \.init_array:\n((?: .*\n)+)", ask("objdump", "-s", "-j", ".init_array", path))[1]
    words = bytes.fromhex("".join("".join(line.split()[1:5]) for line in table.splitlines())[: 30 * 16])
    starts = [int.from_bytes(words[i : i + 8], "little") for i in range(0, len(words), 8)]
    assert all(sizes[start] for start in starts if start in sizes) and len(starts) > 20
    found = [s for s in symbols(path, "--dyn-syms") if s[2] == "IFUNC"]
    assert len(found) == indirect or functions < 150 and indirect * 0.8 < len(found) < indirect
    assert len(resolvers(path)) == 6


def test_gdb_stops_where_a_resolver_leads(made):
    table = symbols(made / "libutility0.so", "--dyn-syms")
    name = next(s[5].split("@")[0] for s in table if s[2] == "IFUNC")
    load = f"import ctypes; l = ctypes.CDLL('{made / 'libutility0.so'}'); l['{name}']()"
    commands = ["set breakpoint pending on", f"break {name}", "run", "info symbol $pc"]
    done = subprocess.run(
        [tool("gdb"), "-batch", "-nx", *(x for c in commands for x in ("-ex", c)), "--args", sys.executable, "-c", load],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    assert re.search(r"^\S+( \+ \d+)? in section \.text of \S*libutility0\.so$", done.stdout, re.M), done.stdout
