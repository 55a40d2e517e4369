"""Dynamic functions that are too small to be numbered. Stripped libraries, of which nothing else is known, have them,
and so have libraries with more dynamic functions than their text has room for. The judges are binutils, elfutils and
the dynamic linker.
"""

import json
import re
import subprocess
import sys

import pytest

from objects import ask, tool

SIZES = [1, 3, 5, 7, 9, 11, 14, 17, 20, 24, 28, 33, 40, 50, 62, 78, 98, 125, 170, 260, 900]
QUANTILES = " ".join(map(str, SIZES))
# The first three are stripped. The second calls the first, and the third is a module without numbered dynamic
# functions. The last is a module whose dynamic functions would take more than its text if they were numbered.
ROWS = f"""\
- {{kind: utility, text: 60000, data: 3000, bss: 900, functions: 220, dynamic: {{functions: 220, objects: 9,
   undefined: 40, weak: 200, dynstr: 4444}}, plt: 30, share: {{code: 25000, unwind: 12000}},
   function-sizes: '{QUANTILES}'}}
- {{kind: utility, text: 66000, data: 3000, bss: 900, functions: 250, dynamic: {{functions: 250, undefined: 90,
   dynstr: 6001}}, plt: 80, share: {{code: 29000, unwind: 15000}}, needed: '0:30', function-sizes: '{QUANTILES}'}}
- {{kind: module, text: 60000, data: 3000, bss: 900, functions: 210, dynamic: {{functions: 210, undefined: 30,
   dynstr: 4004}}, plt: 25, share: {{code: 32000, unwind: 14000}}, function-sizes: '{QUANTILES}'}}
- {{kind: module, text: 16000, data: 1500, bss: 100, debug: 30000, symtab: 3600, strtab: 2800, functions: 98,
   dynamic: {{functions: 89, undefined: 21, dynstr: 1900}}, plt: 14, share: {{code: 3800}},
   function-sizes: '0 {" ".join(str(size) for size in range(2, 61, 3))}'}}
"""
# Opens each library, looks up every function, and calls the first, which does nothing.
LOOK_UP = """
import ctypes, sys
for name, *functions in (line.split() for line in sys.stdin):
    library = ctypes.CDLL(name)
    for function in functions:
        getattr(library, function)
    getattr(library, functions[0])()
"""


def make(programs, directory, *more):
    text = "\n".join(["pyelfgen-profile: 1", *more, "libraries:", ROWS])
    (directory / "rows.prof").write_text(text)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return directory / "set"


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("small"))


NAMES = ["libutility0.so", "libutility1.so", "libmodule0.so", "libmodule1.so"]
STRIPPED = NAMES[:3]


def functions_of(path):
    """Returns the library's dynamic functions as (address, size, binding, name)."""
    found = []
    for line in ask("readelf", "--dyn-syms", "-W", path).splitlines():
        words = line.split()
        if len(words) > 7 and words[3] == "FUNC" and words[6] != "UND":
            found.append((int(words[1], 16), int(words[2]), words[4], words[7]))
    return found


def told(directory):
    libraries = json.loads((directory / "differences.json").read_text())["libraries"]
    return {library["name"]: library for library in libraries}


@pytest.mark.parametrize(("name", "count"), zip(NAMES, [220, 250, 210, 89]))
def test_as_many_are_dynamic_as_the_row_says(made, name, count):
    assert len(functions_of(made / name)) == count
    assert "dynamic: functions" not in told(made)[name]["differs"]


def test_the_manifest_counts_numbered_functions(made):
    """Small functions do not count there."""
    libraries = json.loads((made / "manifest.json").read_text())["libraries"]
    numbered = {library["name"]: library["functions"] for library in libraries}
    assert 0 < numbered["libmodule1.so"] < 60
    assert len(functions_of(made / "libmodule1.so")) + 9 <= 98


@pytest.mark.parametrize("name", STRIPPED)
def test_sizes_are_distributed_as_the_row_says(made, name):
    sizes = sorted(size for _, size, _, _ in functions_of(made / name))
    assert "function-sizes" not in told(made)[name]["differs"]
    for number, wanted in enumerate(SIZES[:-3]):
        share = sum(size <= wanted for size in sizes) / len(sizes)
        assert abs(share - number / (len(SIZES) - 1)) < 0.07, (wanted, share)


def test_dynstr_and_weak_symbols_are_the_row_s(made):
    for name in NAMES:
        assert not {"dynamic: dynstr", "dynamic: weak"} & told(made)[name]["differs"].keys()
    weak = [function for function in functions_of(made / "libutility0.so") if function[2] == "WEAK"]
    assert len(weak) == 160  # the other 40 are undefined symbols


def test_calls_lead_to_numbered_functions(made):
    """The library imports as many as its row says, although most others of the called library are small functions."""
    assert told(made)["libutility1.so"]["needed"] == []


def check_names(directory):
    names = [function[3] for name in NAMES for function in functions_of(directory / name)]
    assert len(set(names)) == len(names)
    text = ""
    for name in NAMES[:2]:
        last_first = sorted(functions_of(directory / name), reverse=True)
        text += f"{directory / name} {' '.join(function[3] for function in last_first)}\n"
    subprocess.run([sys.executable, "-c", LOOK_UP], input=text, text=True, check=True, capture_output=True)
    return names


def test_names_are_unique_and_found(made):
    check_names(made)


def test_mangled_names(programs, tmp_path):
    """Where other names are mangled, those of small functions are too, at any length. Each is a valid C++ name."""
    directory = make(programs, tmp_path, "names: {style: itanium}")
    names = [name for name in check_names(directory) if not name.startswith(("PyInit_", "libmodule"))]
    assert all(name.startswith("_Z") for name in names)
    plain = ask("c++filt", *names).splitlines()
    assert not [name for name in plain if name.startswith("_Z")]
    assert not {"dynamic: functions", "dynamic: dynstr"} & told(directory)["libutility0.so"]["differs"].keys()
    for name in NAMES:
        assert ask(tool("eu-elflint"), "--gnu-ld", directory / name) == "No errors\n"


@pytest.mark.parametrize("mangled", [0, 100, 290])
def test_as_many_names_are_mangled_and_as_long_as_the_row_says(programs, tmp_path, mangled):
    """Names of objects count too."""
    lengths = "8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48"
    row = f"""{{kind: utility, text: 90000, data: 9000, bss: 900, functions: 200, dynamic: {{functions: 200,
        objects: 150, undefined: 2, dynstr: 10254}}, share: {{code: 35000, unwind: 15000}}, mangled: {mangled},
        name-lengths: '{lengths}'}}"""
    (tmp_path / "one.prof").write_text(f"pyelfgen-profile: 1\nlibraries:\n- {row}\n")
    programs.run("pyelfgen", "--profile", tmp_path / "one.prof", "-o", tmp_path / "set")
    differs = told(tmp_path / "set")["libutility0.so"]["differs"]
    assert not {"mangled", "name-lengths", "dynamic: dynstr"} & differs.keys()
    lines = ask("readelf", "--dyn-syms", "-W", tmp_path / "set" / "libutility0.so").splitlines()
    names = [line.split()[7] for line in lines if re.search(" (FUNC|OBJECT) +GLOBAL DEFAULT +[0-9]", line)]
    assert len(set(names)) == len(names) == 350
    found = [name for name in names if name.startswith("_Z")]
    assert len(found) == mangled
    assert not [name for name in ask("c++filt", "_ZN1aE", *found).splitlines() if name.startswith("_Z")]
    lengths = sorted(map(len, names))
    assert 8 <= lengths[35] <= 16 and 25 <= lengths[175] <= 31 and 40 <= lengths[-20] <= 48


def test_small_functions_are_dynamic_where_there_are_too_few_local_ones(programs, tmp_path):
    """As in C++, where most functions are exported and many of these are small."""
    sizes = [0, 4, 8, 11, 14, 18, 21, 25, 29, 33, 36, 41, 47, 55, 68, 85, 110, 170, 300, 700, 2000]
    row = f"""{{kind: utility, text: 227000, data: 2440, bss: 72, debug: 800000, symtab: 15216, strtab: 29760,
        functions: 500, dynamic: {{functions: 420, undefined: 59, weak: 4, dynstr: 16793}}, local: {{functions: 80}},
        plt: 30, share: {{code: 141000, unwind: 24000}}, function-sizes: '{" ".join(map(str, sizes))}'}}"""
    head = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 1, unreadable: 0}\nlibraries:\n"
    (tmp_path / "one.prof").write_text(f"{head}- {row}\n")
    programs.run("pyelfgen", "--profile", tmp_path / "one.prof", "-o", tmp_path / "set")
    library = tmp_path / "set" / "libutility0.so"
    functions = functions_of(library)
    assert len(functions) == 420 and sum(0 < size < 38 for _, size, _, _ in functions) > 100
    _, distance = told(tmp_path / "set")["libutility0.so"]["differs"].get("function-sizes", (0, 0))
    assert distance < 0.06
    assert ask(tool("eu-elflint"), "--gnu-ld", library) == "No errors\n"
    programs.run("pyelfrun", "--no-python", tmp_path / "set")


def test_a_captured_row_without_dynamic_functions(programs, tmp_path):
    """A captured row leaves out zeros, so there are none. In a row by hand there are as many as there is room for."""
    row = "{kind: utility, text: 30000, data: 2000, bss: 8, share: {code: 9000, unwind: 3000}}"
    for captured, any_are in (("captured: {from: files, libraries: 1, unreadable: 0}", False), ("", True)):
        (tmp_path / "one.prof").write_text(f"pyelfgen-profile: 1\n{captured}\nlibraries:\n- {row}\n")
        programs.run("pyelfgen", "--profile", tmp_path / "one.prof", "-o", tmp_path / "set", "--force")
        assert bool(functions_of(tmp_path / "set" / "libutility0.so")) == any_are


def test_readers_have_nothing_to_complain_of(made):
    for name in NAMES:
        assert ask(tool("eu-elflint"), "--gnu-ld", made / name) == "No errors\n"
        ask("readelf", "-aW", made / name)
        ask("objdump", "-d", made / name)


def test_small_functions_end_in_ret(made):
    """Small functions also take exactly the bytes that their symbols say."""
    for address, size, _, name in functions_of(made / "libutility0.so"):
        if 0 < size < 38:
            places = [f"--start-address={address}", f"--stop-address={address + size}"]
            code = ask("objdump", "-d", "--no-show-raw-insn", *places, made / "libutility0.so")
            assert code.split()[-1] == "ret", name


def test_is_the_same_with_any_number_of_threads(programs, made, tmp_path):
    for threads in (1, 3):
        arguments = ["--profile", made.parent / "rows.prof", "-o", tmp_path / str(threads), "-j", str(threads)]
        programs.run("pyelfgen", *arguments)
        for name in NAMES:
            assert (tmp_path / str(threads) / name).read_bytes() == (made / name).read_bytes()


def test_the_set_runs(programs, made):
    assert "every result right" in programs.run("pyelfrun", made).stdout


# A library whose functions are nearly all small, and two that use it: a module with debug information, and a utility.
CALLED = f"""\
- {{kind: utility, text: 60000, data: 9000, bss: 900, debug: 0, symtab: 0, strtab: 0, functions: 220, dynamic:
   {{functions: 220, undefined: 10, dynstr: 4000}}, plt: 30, share: {{code: 30000, unwind: 9000}},
   function-sizes: '{" ".join(["0", *map(str, range(3, 54, 3)), "60", "100", "900"])}'}}
- {{kind: module, text: 150000, data: 9000, bss: 9000, debug: 300000, symtab: 9000, strtab: 6000, functions: 200,
   plt: 260, needed: '0:150'}}
- {{kind: utility, text: 90000, data: 9000, bss: 900, functions: 120, dynamic: {{functions: 120, undefined: 90,
   dynstr: 6001}}, plt: 80, needed: '0:70'}}
"""


@pytest.fixture(scope="module")
def called(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("called")
    (directory / "rows.prof").write_text(f"pyelfgen-profile: 1\nlibraries:\n{CALLED}")
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return directory / "set"


def calls_by_name(path):
    """Yields (callee, next instruction) for each call of a function in another library."""
    lines = ask("objdump", "-d", "--no-show-raw-insn", path).splitlines()
    for line, behind in zip(lines, lines[1:]):
        if found := re.search(r"\tcall +\w+ <(\w+)@plt>", line):
            yield found[1], behind.split("\t")[-1].strip()


def test_small_functions_are_called(called):
    """What they return is not added to the caller's result."""
    sizes = {name: size for _, size, _, name in functions_of(called / "libutility0.so")}
    for caller in ("libmodule0.so", "libutility1.so"):
        calls = [(sizes[name], behind) for name, behind in calls_by_name(called / caller) if name in sizes]
        small = [size for size, behind in calls if behind == "nopl   0x0(%rax)"]
        assert len(calls) > 60 and len(small) > len(calls) / 2
        assert 0 < min(small) <= max(small) < 240
        assert all(behind == "add    %rax,-0x8(%rbp)" for size, behind in calls if size not in small)
        assert all(size in small for size, _ in calls if size < 38)


def test_a_set_in_which_small_functions_are_called_runs(programs, called):
    assert "every result right" in programs.run("pyelfrun", called).stdout


# A module as mypyc makes it when another file has its code.
SHIM = (
    "- {kind: module, text: 1737, data: 608, bss: 8, symtab: 720, strtab: 455, functions: 8, dynamic: {functions: 2, "
    "undefined: 8, weak: 4, dynstr: 237}, local: {functions: 6, objects: 8, other: 5}, relocations: {relative: 3, "
    "jump-slot: 6, glob-dat: 4, symbols: 4, pages: 2}, plt: 6, outside: 3, data-rel-ro: 8, soname: false, versions: 1, "
    "init-code: 138, share: {code: 381, plt: 112, constants: 121, unwind: 180, symbols: 595, relocations: 312}}\n"
)


def test_a_captured_module_that_is_too_small_is_larger(programs, tmp_path):
    """A captured row of this size does not make pyelfgen refuse the application. A row by hand is refused."""
    (tmp_path / "p").write_text(f"pyelfgen-profile: 1\nlibraries:\n{SHIM}")
    done = programs.run("pyelfgen", "-P", tmp_path / "p", "-o", tmp_path / "set", status=1)
    assert "row 0: data: 608 bytes are too few for any module: the nearest is " in done.stderr
    head = "pyelfgen-profile: 1\nsections: {text: 1737 B, data: 608 B, debug: 0, symtab: 720 B, strtab: 455 B}\n"
    (tmp_path / "p").write_text(f"{head}captured: {{from: files, libraries: 1}}\nlibraries:\n{SHIM}")
    programs.run("pyelfgen", "-q", "-P", tmp_path / "p", "-o", tmp_path / "set")
    (library,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    size = int(ask("size", tmp_path / "set" / "libmodule0.so").splitlines()[1].split()[1])
    assert library["differs"]["data"] == [608, size] and 608 < size < 700
    programs.run("pyelfgen", "--verify", tmp_path / "set")
    assert "every result right" in programs.run("pyelfrun", "--phases", "import,visit", tmp_path / "set").stdout


def test_where_not_all_fit_as_many_are_left_as_fit(programs, tmp_path):
    """Names of five characters and functions without code leave no room for those of a twin, which are longer. It gives
    up those that are too many, not half of all, and its sizes are the row's."""
    count = 5000
    text = "".join(f".globl t{i}\n.type t{i}, @function\nt{i}:\n" for i in range(count))
    (tmp_path / "a.s").write_text(f'{text}ret\n.section .note.GNU-stack, "", @progbits\n')
    programs.command([tool("gcc"), "-shared", "-o", tmp_path / "real.so", tmp_path / "a.s"], leaks=False)
    programs.run("pyelfprof", "-q", "-o", tmp_path / "p", tmp_path / "real.so")
    programs.run("pyelfgen", "-q", "-P", tmp_path / "p", "-o", tmp_path / "set")
    (library,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    wanted, got = library["differs"]["dynamic: functions"]
    assert wanted == count and 0.7 * count < got < count
    assert not {"text", "data", "symtab", "strtab"} & library["differs"].keys()
    programs.run("pyelfgen", "--verify", tmp_path / "set")
    load = f"import ctypes; ctypes.CDLL({str(tmp_path / 'set' / 'libutility0.so')!r})"
    subprocess.run([sys.executable, "-c", load], check=True)
