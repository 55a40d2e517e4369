"""What a library with a row has besides its functions: methods of modules, constructors and destructors, versions of
the C library, thread-local memory. The judges are CPython, the dynamic linker and binutils.
"""

import json
import re
import subprocess
import sys

import pytest
import yaml

from objects import ask, tool
from test_python import PYTHONS

# In this order: room for all methods; relocations for some methods only, and documentation for some of these; stripped,
# so no function is free for methods; more methods than there are names of two words; the same with too little data for
# most of them; a row that does not say how many relocations.
MODULES = [
    """{kind: module, text: 60000, data: 9000, bss: 8, debug: 90000, symtab: 4800, strtab: 4000, functions: 120,
        dynamic: {functions: 1, undefined: 30}, plt: 25, relocations: {relative: 190}, outside: 1, methods: 40,
        function-sizes: '0 4 9 12 16*2 20 24 30 36 40 44 50 60 80 100 130 160 200 300 900'}""",
    """{kind: module, text: 40000, data: 9000, bss: 900, relocations: {relative: 99}, outside: 1, methods: 40}""",
    """{kind: module, text: 40000, data: 9000, bss: 900, functions: 30, relocations: {relative: 200}, methods: 40}""",
    """{kind: module, text: 90000, data: 40000, bss: 900, functions: 9, relocations: {relative: 2200}, methods: 700}""",
    """{kind: module, text: 60000, data: 1600, bss: 900, functions: 9, relocations: {relative: 2200}, methods: 700}""",
    """{kind: module, functions: 9, methods: 12}""",
]

METHODS = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
for number in range(int(sys.argv[2])):
    module = importlib.import_module(f"libmodule{number}")
    methods = [getattr(module, name) for name in dir(module) if not name.startswith("__")]
    methods = [method for method in methods if callable(method)]
    documented = sum(method.__doc__ is not None for method in methods)
    print(json.dumps([len(methods), documented, [method() for method in methods]]))
"""


def make(programs, directory, rows):
    text = "\n".join(["pyelfgen-profile: 1", "libraries:", *(f"- {row}" for row in rows), ""])
    (directory / "rows.prof").write_text(text)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    told = json.loads((directory / "set" / "differences.json").read_text())["libraries"]
    return directory / "set", [library["differs"] for library in sorted(told, key=lambda library: library["row"])]


def check_readers(paths):
    lint = tool("eu-elflint")
    for path in paths:
        assert ask(lint, "--gnu-ld", path) == "No errors\n"
        ask("readelf", "-aW", path)


@pytest.fixture(scope="module")
def modules(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("modules"), MODULES)


def test_modules_have_as_many_methods_as_their_rows_say(modules):
    """Where the number differs, differences.json says so. Each method can be called and returns a number."""
    directory, differs = modules
    command = [sys.executable, "-c", METHODS, directory, len(MODULES)]
    out = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout
    found = [json.loads(line) for line in out.splitlines()]
    wanted = [40, 40, 40, 700, 700, 12]
    for number, (count, _, results) in enumerate(found):
        assert count == differs[number].get("methods", [wanted[number], wanted[number]])[1]
        assert all(isinstance(result, int) for result in results)
    assert [count for count, _, _ in found][:4] == [40, 40, 40, 700]
    assert 2 <= found[4][0] < 60
    assert found[5][0] == 12
    documented = [count for _, count, _ in found]
    assert documented[0] == 40 and 2 <= documented[1] < 40 and documented[2:4] == [40, 700]


def test_methods_lead_to_functions_of_their_own(modules):
    """As long as there are functions that nothing else calls, each method leads to one of its own."""
    out = ask(sys.executable, "-c", METHODS, modules[0], 1)
    results = json.loads(out)[2]
    assert len(set(results)) == 40


def test_relocations_stay_those_of_the_rows(modules):
    directory, differs = modules
    for number, wanted in enumerate([190, 99, 200, 2200, 2200]):
        relocations = ask("readelf", "-rW", directory / f"libmodule{number}.so")
        found = relocations.count("R_X86_64_RELATIVE")
        assert found == differs[number].get("relocations: relative", [wanted, wanted])[1]
        assert found == wanted or number == 4


def test_readers_have_nothing_to_complain_of(modules):
    check_readers(sorted(modules[0].glob("libmodule*.so")))


def test_the_set_runs(programs, modules):
    ran = programs.run("pyelfrun", "--phases", "import,visit", modules[0])
    assert "every result right" in ran.stdout


# Modules whose definition has no methods. In the first, CPython calls a function that adds them, as in Cython's
# modules. In the next two, PyInit_ adds them: with attributes, and without, as there are few relocations. The last two
# cannot add methods: their PyInit_ is a tail call, or no PLT slot is left.
BARE = "kind: module, text: 40000, data: 9000, bss: 900, functions: 30, methods: 0"
EMPTY = [
    f"{{{BARE}, relocations: {{relative: 60}}, init-code: 12}}",
    f"{{{BARE}, relocations: {{relative: 60}}, init-code: 400}}",
    f"{{{BARE}, relocations: {{relative: 9}}, init-code: 90}}",
    f"{{{BARE}, relocations: {{relative: 60}}, init-code: 17}}",
    f"{{{BARE}, relocations: {{relative: 60, glob-dat: 9}}, plt: 2, dynamic: {{functions: 1, undefined: 9}}, init-code: 12}}",
]
FILLED = [True, True, True, False, False]


@pytest.fixture(scope="module")
def empty(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("empty"), EMPTY)


def test_methods_are_added_later_where_the_definition_has_none(programs, empty, tmp_path):
    """The capture finds as many methods in the definition as the row says. PyInit_ and relocations are the row's
    too."""
    directory, differs = empty
    programs.run("pyelfprof", "-o", tmp_path / "made.prof", *(directory / f"libmodule{i}.so" for i in range(len(EMPTY))))
    rows = yaml.safe_load((tmp_path / "made.prof").read_text())["libraries"]
    for number, (row, told, filled) in enumerate(zip(rows, differs, FILLED)):
        path = directory / f"libmodule{number}.so"
        assert ("PyModule_AddFunctions" in ask("readelf", "-W", "--dyn-syms", path)) == filled
        assert row.get("methods", 0) == told.get("methods", [0, 0])[1] == int(not filled)
        assert row["init-code"] == int(re.search(r"init-code: (\d+)", EMPTY[number])[1])
        assert row["relocations"]["relative"] == int(re.search(r"relative: (\d+)", EMPTY[number])[1])
    check_readers(sorted(directory.glob("libmodule?.so")))


@pytest.mark.parametrize("python", PYTHONS)
def test_added_methods_run_in_every_python(programs, empty, python):
    command = [python, empty[0] / "driver.py", "--no-mpi"]
    ran = programs.command(command, leaks=False, timeout=120)
    assert ran.stdout.endswith("every result right\n") and ran.stderr == ""


def test_attributes_stay_beside_added_methods(empty):
    """Attributes stay where there is room for them, in the second of these modules, which are made in three different
    ways. Each module has its entry."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import libmodule{0} as m; print(sorted(n for n in dir(m) if n[0] != '_'))"
    attributes = [ask(sys.executable, "-c", code.format(number), empty[0]) for number in range(3)]
    entry = "['libmodule{}_entry']\n".format
    assert attributes == [entry(0), "['functions', 'libmodule1_entry', 'visited']\n", entry(2)]


# In this order: small functions; no small functions; too few relocations; little data; no sizes.
ARRAYS = [
    """{kind: utility, text: 40000, data: 3000, bss: 8, debug: 60000, symtab: 2400, strtab: 4000, functions: 60,
        relocations: {relative: 70}, constructors: 9, destructors: 4,
        function-sizes: '0 4 9 12 16*2 20 24 30 36 40 44 50 60 80 100 130 160 200 300 900'}""",
    """{kind: module, text: 30000, data: 3000, bss: 900, relocations: {relative: 70}, constructors: 30, methods: 5}""",
    """{kind: utility, text: 30000, data: 3000, bss: 900, relocations: {relative: 17}, constructors: 30}""",
    """{kind: utility, text: 30000, data: 700, bss: 900, functions: 10, constructors: 300}""",
    """{kind: module, functions: 10, constructors: 3, destructors: 2}""",
]


@pytest.fixture(scope="module")
def arrays(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("arrays"), ARRAYS)


def section_size(path, name):
    found = re.search(rf"{re.escape(name)} +\w+_ARRAY +\w+ \w+ (\w+)", ask("readelf", "-SW", path))
    return int(found[1], 16)


def test_as_many_constructors_as_rows_say(arrays):
    """Each array has eight bytes for each. Where the number differs, differences.json says so."""
    directory, differs = arrays
    got = []
    names = ["libutility0", "libmodule0", "libutility1", "libutility2", "libmodule1"]
    for name, row, told in zip(names, ARRAYS, differs):
        found = [section_size(directory / f"{name}.so", f".{which}_array") // 8 for which in ("init", "fini")]
        for key, count in zip(("constructors", "destructors"), found):
            said = re.search(rf"{key}: (\d+)", row)
            wanted = int(said[1]) if said else 1
            assert count == told.get(key, [wanted, wanted])[1]
        got.append(found)
    assert got[0] == [9, 4] and got[1] == [30, 1] and got[4] == [3, 2]
    assert 1 < got[2][0] < 30 and got[3][0] < 30


def test_constructors_are_functions_of_their_own(arrays):
    """Where there are small functions, each constructor is one of its own, with a symbol in .symtab."""
    path = arrays[0] / "libutility0.so"
    symbols = {int(line.split()[0], 16): line.split()[2] for line in ask("nm", "--defined-only", path).splitlines()}
    size = 8 * (9 + 4)
    start = int(re.search(r"\.init_array +\w+ +(\w+)", ask("readelf", "-SW", path))[1], 16)
    at = re.findall(r"(\w+) +\w+ R_X86_64_RELATIVE +(\w+)", ask("readelf", "-rW", path))
    targets = [int(to, 16) for place, to in at if start <= int(place, 16) < start + size]
    assert len(targets) == len(set(targets)) == 13
    assert all(target in symbols for target in targets)


def test_constructors_run(programs, arrays):
    directory = arrays[0]
    load = "import ctypes, sys; [ctypes.CDLL(path) for path in sys.argv[1:]]"
    ask(sys.executable, "-c", load, *directory.glob("libu*.so"))
    ran = programs.run("pyelfrun", "--phases", "import,visit", directory)
    assert "every result right" in ran.stdout
    check_readers(sorted(directory.glob("lib*.so")))


# In this order: stripped, with room for a loop that reads code; a single constructor, with a symbol table; too few
# bytes to do anything; more code than there is room for; more than 64 KiB of code, in a library with short unwind
# entries; a module.
CONSTRUCTING = [
    """{kind: utility, text: 900000, data: 3000, bss: 8, functions: 60, relocations: {relative: 70}, constructors: 9,
        constructor-code: 1200}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, symtab: 2400, strtab: 4000, functions: 60,
        relocations: {relative: 70}, constructor-code: 26}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, functions: 60, constructors: 3, constructor-code: 25}""",
    """{kind: utility, text: 6000, data: 3000, bss: 900, functions: 9, constructors: 3, constructor-code: 9000}""",
    """{kind: utility, text: 900000, data: 3000, bss: 900, functions: 60, constructors: 3, constructor-code: 200000}""",
    """{kind: module, text: 400000, data: 3000, bss: 900, functions: 30, constructors: 2, constructor-code: 777}""",
]
CONSTRUCTING_NAMES = ["libutility0", "libutility1", "libutility2", "libutility3", "libutility4", "libmodule0"]


@pytest.fixture(scope="module")
def constructing(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("constructing"), CONSTRUCTING)


def constructors_of(path):
    """Returns the size of each constructor, in order, by the unwind tables; 0 for those without an entry."""
    frames = re.findall(r" FDE .*pc=(\w+)\.\.(\w+)", ask("readelf", "--debug-dump=frames", "-W", path))
    sizes = {int(start, 16): int(end, 16) - int(start, 16) for start, end in frames}
    start = int(re.search(r"\.init_array +\w+ +(\w+)", ask("readelf", "-SW", path))[1], 16)
    at = re.findall(r"(\w+) +\w+ R_X86_64_RELATIVE +(\w+)", ask("readelf", "-rW", path))
    size = section_size(path, ".init_array")
    return [sizes.get(int(to, 16), 0) for place, to in at if start <= int(place, 16) < start + size]


def test_constructors_have_as_much_code_as_rows_say(constructing):
    """The second constructor has all the code, or the only one. Where there is no room it has none, and
    differences.json says so."""
    directory, differs = constructing
    found = [constructors_of(directory / f"{name}.so") for name in CONSTRUCTING_NAMES]
    assert found == [[0, 1200] + 7 * [0], [26], [0, 25, 0], [0] * 3, [0, 200000, 0], [0, 777]]
    told = [difference.get("constructor-code") for difference in differs]
    assert told == [None, None, None, [9000, 0], None, None]


def test_constructors_read_code(constructing):
    """They read the last windows of 64 KiB of .text and no byte behind it: eight windows, and one for each 512
    bytes."""
    path = constructing[0] / "libutility0.so"
    text = [int(word, 16) for word in re.search(r" \.text +\w+ +(\w+) \w+ (\w+)", ask("readelf", "-SW", path)).groups()]
    code = ask("objdump", "-d", f"--start-address={text[0]:#x}", f"--stop-address={text[0] + 1400:#x}", path)
    start, count = re.search(r"lea +0x\w+\(%rip\),%rax +# (\w+).*\n.*mov +\$0x(\w+),%ecx\n.*movzbl", code).groups()
    assert int(count, 16) * 8 == 10 * 65536
    assert sum(text) - 8 < int(start, 16) + int(count, 16) * 8 <= sum(text)


def test_constructors_that_read_code_run(programs, constructing):
    directory = constructing[0]
    load = "import ctypes, sys; [ctypes.CDLL(path) for path in sys.argv[1:]]"
    ask(sys.executable, "-c", load, *directory.glob("libu*.so"))
    ran = programs.run("pyelfrun", "--phases", "import,visit", directory)
    assert "every result right" in ran.stdout
    check_readers(sorted(directory.glob("lib*.so")))


# In this order: many versions; a size of .dynstr, with lengths of names, in a library without a symbol table; more
# versions than there are; more versions than undefined symbols; .dynstr with room for fewer; so little text that
# versions go; no sizes; no number of versions.
VERSIONED = [
    """{kind: utility, text: 40000, data: 3000, bss: 8, debug: 60000, symtab: 4400, strtab: 6000, functions: 60,
        dynamic: {functions: 9, undefined: 60}, versions: 20}""",
    """{kind: module, text: 40000, data: 3000, bss: 8, outside: 1, dynamic: {functions: 1, undefined: 90, dynstr: 1500},
        versions: 8, name-lengths: '5 6*2 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 24 30'}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, dynamic: {undefined: 60}, versions: 90}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, dynamic: {undefined: 7}, versions: 20}""",
    """{kind: module, text: 40000, data: 3000, bss: 900, dynamic: {functions: 1, undefined: 14, dynstr: 290},
        versions: 9}""",
    """{kind: utility, text: 2240, data: 900, bss: 900, functions: 4, dynamic: {undefined: 12}, versions: 9}""",
    """{kind: utility, functions: 4, dynamic: {undefined: 30}, versions: 6}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, dynamic: {undefined: 60}}""",
]
VERSIONED_NAMES = [f"lib{row[7:14]}" for row in VERSIONED]
VERSIONED_NAMES = [name.strip(",") + str(VERSIONED_NAMES[:i].count(name)) for i, name in enumerate(VERSIONED_NAMES)]


@pytest.fixture(scope="module")
def versioned(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("versioned"), VERSIONED)


def versions_of(path):
    """Returns the versions that the library needs, and (name, version) of its undefined symbols."""
    needs = re.findall(r"Name: (\S+) ", ask("readelf", "-VW", path))
    used = re.findall(r" UND (\S+?)@(\S+)", ask("readelf", "--dyn-syms", "-W", path))
    return needs, used


def test_as_many_versions_as_rows_say(versioned):
    """Where the number differs, differences.json says so. Each version belongs to some undefined symbol."""
    directory, differs = versioned
    counts = []
    for name, row, told in zip(VERSIONED_NAMES, VERSIONED, differs):
        needs, used = versions_of(directory / f"{name}.so")
        said = re.search(r"versions: (\d+)", row)
        wanted = int(said[1]) if said else 1
        assert len(needs) == len(set(needs)) == told.get("versions", [wanted, wanted])[1]
        assert {version for _, version in used} == set(needs)
        counts.append(len(needs))
    assert counts[:2] == [20, 8] and counts[6:] == [6, 1]
    assert 25 < counts[2] < 40 and 1 < counts[3] < 8 and 1 < counts[4] < 9 and counts[5] < 9


def test_versions_are_those_of_the_c_library(versioned):
    """They are the default versions of this system's C library, and none is newer than 2.34."""
    libc = re.findall(r"(\S+)@@(GLIBC_\S+)", ask("readelf", "--dyn-syms", "-W", "/lib/x86_64-linux-gnu/libc.so.6"))
    for name in VERSIONED_NAMES:
        needs, used = versions_of(versioned[0] / f"{name}.so")
        assert set(used) <= set(libc)
        assert all(int(version.split(".")[1]) <= 34 for version in needs)


def test_dynstr_is_the_row_s(versioned):
    directory, differs = versioned
    for number, wanted in ((1, 1500), (4, 290)):
        sections = ask("readelf", "-SW", directory / f"{VERSIONED_NAMES[number]}.so")
        found = int(re.search(r"\.dynstr +\w+ +\w+ \w+ (\w+)", sections)[1], 16)
        assert found == differs[number].get("dynamic: dynstr", [wanted, wanted])[1]
        assert number == 4 or found == wanted


def test_versioned_symbols_are_bound(programs, versioned):
    directory = versioned[0]
    load = "import ctypes, sys; [ctypes.CDLL(path) for path in sys.argv[1:]]"
    command = [sys.executable, "-c", load, *sorted(directory.glob("lib*.so"))]
    subprocess.run([str(part) for part in command], check=True, env={"LD_BIND_NOW": "1"})
    ran = programs.run("pyelfrun", "--phases", "import,visit", directory)
    assert "every result right" in ran.stdout
    check_readers(sorted(directory.glob("lib*.so")))


# Thread-local memory, in this order: with symbols and references; without them; more than bss has room for; with
# neither bss nor references; without sizes.
THREADED = [
    """{kind: utility, text: 40000, data: 3000, bss: 5000, debug: 60000, symtab: 4400, strtab: 6000, functions: 60,
        relocations: {relative: 40, tls: 3}, tls: 200}""",
    """{kind: module, text: 40000, data: 3000, bss: 3000, tls: 20}""",
    """{kind: utility, text: 40000, data: 3000, bss: 300, debug: 60000, symtab: 4400, strtab: 6000, functions: 60,
        relocations: {tls: 1}, tls: 3000}""",
    """{kind: utility, text: 40000, data: 3000, tls: 5}""",
    """{kind: utility, functions: 4, relocations: {tls: 9}, tls: 16}""",
]
THREADED_NAMES = ["libutility0", "libmodule0", "libutility1", "libutility2", "libutility3"]


@pytest.fixture(scope="module")
def threaded(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("threaded"), THREADED)


def test_as_much_thread_local_memory_as_rows_say(threaded):
    """Where the size differs, differences.json says so. bss, which includes this memory, is the row's."""
    directory, differs = threaded
    for name, row, told in zip(THREADED_NAMES, THREADED, differs):
        path = directory / f"{name}.so"
        wanted = int(re.search(r", tls: (\d+)\}$", row)[1])
        segments = re.findall(r" TLS +\w+ \w+ \w+ 0x0+ 0x(\w+)", ask("readelf", "-lW", path))
        assert [int(size, 16) for size in segments] == [told.get("tls", [wanted, wanted])[1]]
        assert name == "libutility1" or "tls" not in told
        bss = re.search(r"bss: (\d+)", row)
        assert not bss or int(ask("size", path).splitlines()[1].split()[2]) == int(bss[1])
        said = re.search(r"relocations: \{[^}]*tls: (\d+)", row)
        assert len(re.findall("R_X86_64_DTPMOD64", ask("readelf", "-rW", path))) == (int(said[1]) if said else 0)


def test_thread_local_objects(threaded):
    """Thread-local objects are symbols of .symtab, and all are within the memory."""
    for name, most in (("libutility0", 200), ("libutility1", 300)):
        symbols = re.findall(r": (\w+) +(\d+) TLS +LOCAL", ask("readelf", "-sW", threaded[0] / f"{name}.so"))
        assert symbols
        assert all(int(value, 16) + int(size) <= most for value, size in symbols)


def test_thread_local_memory_is_there(programs, threaded):
    directory = threaded[0]
    load = """
import ctypes, sys, threading
for path in sys.argv[1:]:
    ctypes.CDLL(path)
threads = [threading.Thread(target=print) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    ask(sys.executable, "-c", load, *sorted(directory.glob("lib*.so")))
    ran = programs.run("pyelfrun", "--phases", "import,visit", directory)
    assert "every result right" in ran.stdout
    check_readers(sorted(directory.glob("lib*.so")))


def test_thread_local_memory_beside_a_debug_file(programs, threaded, tmp_path):
    profile = threaded[0].parent / "rows.prof"
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "--separate", "debuglink")
    check_readers(sorted((tmp_path / "set").glob("lib*.so")))
    for path in (tmp_path / "set").glob("*.debug"):
        assert ask(tool("eu-elflint"), "--gnu-ld", "-d", path) == "No errors\n"


# The first two have no C library, but a symbol table. One is bound at once, with more undefined functions than CPython
# has; the other is bound lazily. The third wants more libraries than there are. The last wants versions without a
# library that could have them.
UNLINKED = [
    """{kind: module, text: 60000, data: 9000, bss: 90, debug: 60000, symtab: 24000, strtab: 30000, functions: 70,
        dynamic: {functions: 2, undefined: 600, weak: 6, dynstr: 9000}, plt: 300, outside: 0, bind: now, runpath: 0}""",
    """{kind: utility, text: 60000, data: 9000, bss: 90, symtab: 4800, strtab: 9000, functions: 70,
        dynamic: {functions: 9, undefined: 40}, plt: 30, relocations: {glob-dat: 9, "64": 9}, outside: 0, hash: both}""",
    """{kind: utility, text: 30000, data: 900, bss: 90, functions: 20, outside: 99}""",
    """{kind: utility, text: 30000, data: 900, bss: 90, functions: 20, outside: 0, versions: 3,
        dynamic: {functions: 9, undefined: 40}}""",
]


@pytest.fixture(scope="module")
def unlinked(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("unlinked"), UNLINKED)


def test_outside_is_from_0_to_10(unlinked):
    directory, differs = unlinked
    names = ["libmodule0.so", "libutility0.so", "libutility1.so", "libutility2.so"]
    found = [ask("readelf", "-dW", directory / name).count("(NEEDED)") for name in names]
    assert found == [0, 0, 10, 1]
    assert [row.get("outside") for row in differs] == [None, None, [99, 10], [0, 1]]
    assert "versions" not in differs[3]


def test_without_the_c_library_names_have_no_versions(unlinked):
    """ld leaves them like that: no version in .dynsym nor in .symtab, and no tables of versions."""
    directory, _ = unlinked
    for name in ("libmodule0.so", "libutility0.so"):
        path = directory / name
        assert "No version information found" in ask("readelf", "-VW", path)
        assert not re.search("gnu.version|VERNEED|VERSYM", ask("readelf", "-SdW", path))
        for table in (["-D"], []):
            undefined = ask("nm", *table, "--undefined-only", path).split()
            assert len(undefined) > 40 and not [word for word in undefined if "@" in word]
    check_readers(sorted(directory.glob("lib*.so")))


def test_without_the_c_library_all_is_found_in_the_process(unlinked):
    """CPython binds all symbols at once. Other programs can ask for that."""
    code = "import ctypes, os, sys; [ctypes.CDLL(path, os.RTLD_NOW) for path in sys.argv[1:]]"
    subprocess.run([sys.executable, "-c", code, *sorted(unlinked[0].glob("lib*.so"))], check=True)


def test_modules_without_the_c_library_run(programs, unlinked):
    ran = programs.run("pyelfrun", "--phases", "import,visit", unlinked[0])
    assert "every result right" in ran.stdout


# Sizes of PyInit_, in this order: the least that makes a module, and a little more; the least with a jump to
# PyModule_Create2, and a little more; the usual function, and a larger one; more than there is room for; none in the
# row; no room for attributes; bound at once.
INITS = [12, 14, 17, 59, 60, 900, 70000, None, 900, 12]
INITIALISING = [
    """{kind: module, text: 60000, data: 3000, bss: 900, debug: 70000, symtab: 2400, strtab: 4000, functions: 60%s}""",
    """{kind: module, text: 60000, data: 3000, bss: 900, functions: 60%s}""",
    """{kind: module, text: 60000, data: 3000, bss: 900, functions: 60, methods: 9, relocations: {relative: 60}%s}""",
    """{kind: module, text: 60000, data: 3000, bss: 8, functions: 60, dynamic: {functions: 1}%s}""",
    """{kind: module, text: 60000, data: 3000, bss: 900, functions: 60%s}""",
    """{kind: module, text: 60000, data: 3000, bss: 900, debug: 70000, symtab: 2400, strtab: 4000, functions: 60%s}""",
    """{kind: module, text: 30000, data: 3000, bss: 900, functions: 60%s}""",
    """{kind: module, text: 60000, data: 3000, bss: 900, functions: 60%s}""",
    """{kind: module, text: 6000, data: 720, bss: 8, functions: 20%s}""",
    """{kind: module, text: 60000, data: 3000, bss: 900, functions: 60, bind: now%s}""",
]


@pytest.fixture(scope="module")
def initialising(programs, tmp_path_factory):
    rows = [row % (f", init-code: {size}" if size else "") for row, size in zip(INITIALISING, INITS)]
    return make(programs, tmp_path_factory.mktemp("initialising"), rows)


def test_init_functions_are_as_large_as_rows_say(initialising):
    """Where the size differs, differences.json says so. Short ones end in a jump, as gcc makes them."""
    directory, differs = initialising
    for number, size in enumerate(INITS):
        path = directory / f"libmodule{number}.so"
        symbols = ask("readelf", "--dyn-syms", "-W", path)
        at, is_size = re.search(rf": (\w+) +(\d+) FUNC .* PyInit_libmodule{number}$", symbols, flags=re.M).groups()
        is_size = int(is_size)
        assert differs[number].get("init-code", [size, size]) == [size, is_size if size else None]
        assert (is_size == size) == (size not in (70000, None))
        assert ("PyModuleDef_Init" in symbols) == (size in (12, 14))
        assert ("PyModule_Create2" in symbols) == (size not in (12, 14))
        place = [f"--start-address=0x{at}", f"--stop-address={int(at, 16) + is_size}"]
        code = ask("objdump", "-d", *place, "--no-show-raw-insn", path)
        code = [line.split("\t")[1].split()[0] for line in code.splitlines() if re.match(r" +\w+:\t", line)]
        assert code[-2:] == (["leave", "ret"] if not size or size >= 60 else ["lea", "jmp"])


def test_modules_say_of_themselves_what_their_init_function_is_large_enough_for(initialising):
    directory, _ = initialising
    manifest = json.loads((directory / "manifest.json").read_text())
    attributes = {library["name"]: library.get("attributes", True) for library in manifest["libraries"]}
    said = [attributes[f"libmodule{number}.so"] for number in range(len(INITS))]
    assert said == [False, False, False, False, True, True, True, True, False, False]
    load = "import sys, importlib; sys.path.insert(0, sys.argv[1])\n"
    load += f"print(*(hasattr(importlib.import_module(f'libmodule{{i}}'), 'functions') for i in range({len(INITS)})))"
    assert ask(sys.executable, "-c", load, directory).split() == [str(is_said) for is_said in said]


def test_init_functions_run(programs, initialising):
    directory = initialising[0]
    ran = programs.run("pyelfrun", directory)
    assert "every result right" in ran.stdout
    ask(sys.executable, directory / "driver.py", "--no-mpi")
    paths = sorted(directory.glob("lib*.so"))
    check_readers(paths)
    for path in paths:
        ask(tool("llvm-dwarfdump"), "--verify", path)


def test_short_init_functions_are_seen_by_gdb(initialising):
    """gdb goes through PyInit_ line by line and shows who calls it."""
    load = f"import sys; sys.path.insert(0, '{initialising[0]}'); import libmodule0"
    gdb = [tool("gdb"), "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", "break PyInit_libmodule0"]
    steps = ["-ex", "run", "-ex", "backtrace 2", "-ex", "next", "-ex", "backtrace 2", "--args", sys.executable, "-c"]
    seen = subprocess.run([*gdb, *steps, load], capture_output=True, text=True, timeout=60).stdout
    frames = re.findall(r"^#0 .*PyInit_libmodule0 \(\) at \S+:(\d+)\n#1 +0x(\w+) in", seen, flags=re.M)
    (first, caller), (second, still) = frames
    assert caller == still and int(second) == int(first) + 1


# In this order: many entries for their bytes, of functions without symbols; few entries for their bytes; a module; a
# row without the number; more entries than there is room for; more than there could ever be.
UNWINDING = [
    """{kind: utility, text: 400000, data: 3000, bss: 8, symtab: 0, strtab: 0, functions: 60, dynamic: {functions: 60,
        undefined: 30}, plt: 30, relocations: {relative: 70}, share: {code: 300000, unwind: 30000}, unwind-entries: 641}""",
    """{kind: utility, text: 400000, data: 3000, bss: 8, symtab: 0, strtab: 0, functions: 60, dynamic: {functions: 60,
        undefined: 30}, plt: 30, relocations: {relative: 70}, share: {code: 300000, unwind: 80000}, unwind-entries: 170}""",
    """{kind: module, text: 90000, data: 9000, bss: 8, symtab: 0, strtab: 0, functions: 1, dynamic: {functions: 1,
        undefined: 40}, plt: 35, relocations: {relative: 70}, share: {code: 60000, unwind: 9000}, unwind-entries: 77}""",
    """{kind: utility, text: 400000, data: 3000, bss: 8, symtab: 0, strtab: 0, functions: 60, dynamic: {functions: 60,
        undefined: 30}, plt: 30, relocations: {relative: 70}, share: {code: 300000, unwind: 80000}}""",
    """{kind: utility, text: 40000, data: 3000, bss: 8, symtab: 0, strtab: 0, functions: 60, dynamic: {functions: 60,
        undefined: 30}, plt: 30, relocations: {relative: 70}, unwind-entries: 300}""",
    """{kind: utility, text: 40000, data: 3000, bss: 8, symtab: 0, strtab: 0, functions: 60, dynamic: {functions: 60,
        undefined: 30}, plt: 30, relocations: {relative: 70}, unwind-entries: 9000000}""",
]
UNWINDING_NAMES = ["libutility0", "libutility1", "libmodule0", "libutility2", "libutility3", "libutility4"]


def test_stripped_libraries_have_as_many_functions_as_unwind_tables_tell_of(programs, tmp_path):
    """The number is met whatever the length of entries. Without a number in the row, there are as many entries as fill
    `share: unwind` at 40 to 48 bytes each."""
    directory, differs = make(programs, tmp_path, UNWINDING)
    paths = [directory / f"{name}.so" for name in UNWINDING_NAMES]
    found = [ask("readelf", "--debug-dump=frames", path).count(" FDE ") for path in paths]
    assert found[:3] == [641, 170, 77]
    assert 80000 / 48 <= found[3] <= 80000 / 40
    assert 60 <= found[4] < 300 and 30 <= found[5] < 300
    told = [difference.get("unwind-entries") for difference in differs]
    assert told == [*[None] * 4, [300, found[4]], [9000000, found[5]]]
    for path, wanted in zip(paths, (30000, 80000, 9000, 80000)):
        found = re.findall(r"\.eh_frame(?:_hdr)? +PROGBITS +\w+ \w+ (\w+)", ask("readelf", "-SW", path))
        assert 0 <= wanted - sum(int(size, 16) for size in found) < 48
    check_readers(paths)
