"""Memory that constructors take: pyelfprof --load measures it, and twins take as much."""

import json
import resource
import subprocess
import sys

import pytest

from captures import Capture
from objects import ask, tool

PAGE = 4096
MEMORY = 3_000_000
TAKES = """
#include <stdlib.h>
#include <string.h>
char *taken;
__attribute__((constructor)) static void take(void) { taken = malloc(%d); memset(taken, 1, %d); }
"""
FILLS = """
#include <string.h>
static char filled[%d];
__attribute__((constructor)) static void fill(void) { memset(filled, 1, %d); }
"""
NEEDS = "int there(void); __attribute__((constructor)) static void call(void) { there(); }"
DIES = "#include <stdlib.h>\n__attribute__((constructor)) static void die(void) { %s; }"
# Opens libraries and prints how many page faults each of them takes.
FAULTS = """
import ctypes, os, resource, sys
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for path in sys.argv[1:]:
    before = faults()
    ctypes.CDLL(path, os.RTLD_LAZY)
    print(faults() - before)
"""


def built(directory, name, text, *options):
    (directory / f"{name}.c").write_text(text)
    path = directory / f"lib{name}.so"
    subprocess.run([tool("gcc"), "-shared", "-fPIC", "-o", path, directory / f"{name}.c", *options], check=True)
    return path


@pytest.fixture
def load(programs, tmp_path):
    def run(*arguments, status=0, key="constructor-memory"):
        output = tmp_path / "loaded.prof"
        done = programs.run("pyelfprof", "--names", "--load", "-o", output, *arguments, status=status)
        memory = {row["name"]: row.get(key, 0) for row in Capture(output).rows}
        return memory, done.stderr.splitlines()

    return run


@pytest.fixture
def exactly(programs):
    if programs.sanitized:
        pytest.skip("sanitizers take anonymous memory of their own")


def test_memory_is_measured_of_each(load, tmp_path, exactly):
    """The memory of a library does not include that of libraries which it needs. These are loaded first, in any order
    of arguments."""
    large = built(tmp_path, "large", TAKES % (MEMORY, MEMORY))
    small = built(tmp_path, "small", TAKES % (90_000, 90_000), "-Wl,--no-as-needed", large, f"-Wl,-rpath,{tmp_path}")
    none = built(tmp_path, "none", "int none(void) { return 0; }")
    memory, said = load(small, none, large)
    assert said == [] and memory["libnone.so"] == 0
    assert MEMORY - 2 * PAGE < memory["liblarge.so"] < MEMORY + 3 * PAGE
    assert 90_000 - 2 * PAGE < memory["libsmall.so"] < 90_000 + 3 * PAGE


def test_bss_is_measured_of_each(load, tmp_path, exactly):
    """Pages of .bss that constructors write to count by themselves: half of one library's, none of another's."""
    paths = [
        built(tmp_path, "half", FILLS % (2 * MEMORY, MEMORY)),
        built(tmp_path, "whole", FILLS % (90_000, 90_000)),
        built(tmp_path, "none", "char unused[1000000];"),
        built(tmp_path, "large", TAKES % (MEMORY, MEMORY)),
    ]
    written, said = load(*paths, key="constructor-bss")
    assert said == [] and written["libnone.so"] == written["liblarge.so"] == 0
    assert MEMORY - 2 * PAGE < written["libhalf.so"] < MEMORY + 2 * PAGE
    assert 90_000 - 2 * PAGE < written["libwhole.so"] < 90_000 + 2 * PAGE
    memory, _ = load(*paths)
    assert memory["libhalf.so"] == memory["libwhole.so"] == 0 and memory["liblarge.so"] > MEMORY - 2 * PAGE


def test_symbols_of_others_that_are_not_named(load, tmp_path, exactly):
    """A library may use symbols of another without naming it (DT_NEEDED). It is loaded after the library that has
    them."""
    needs = built(tmp_path, "needs", NEEDS + "extern int is; int *where = &is;")
    has = built(tmp_path, "has", "int is = 1; int there(void) { return is; }")
    memory, said = load(needs, has)
    assert said == [] and memory == {"libneeds.so": 0, "libhas.so": 0}


@pytest.mark.parametrize(
    "does, why", [("abort()", "was ended by signal 6 (Aborted)"), ("exit(3)", "ended with status 3")]
)
def test_a_constructor_that_ends_the_process(load, tmp_path, does, why):
    """One line says so, and the other libraries are measured."""
    paths = [built(tmp_path, "dies", DIES % does), built(tmp_path, "takes", TAKES % (MEMORY, MEMORY))]
    memory, said = load(*paths, status=1)
    assert said == [f"pyelfprof: {paths[0]}: its constructors are not known: what loads it {why}"]
    assert memory["libdies.so"] == 0 and memory["libtakes.so"] > MEMORY - 2 * PAGE


def test_a_library_that_cannot_be_loaded(load, tmp_path):
    paths = [built(tmp_path, "lost", "extern int nowhere; int *where = &nowhere;"), built(tmp_path, "fine", "int x;")]
    _, said = load(*paths, status=1)
    assert len(said) == 1
    assert said[0].startswith(f"pyelfprof: {paths[0]}: cannot be loaded, and what its constructors do is not known: ")
    assert said[0].endswith("undefined symbol: nowhere")


def test_libraries_that_want_a_program_s_python(load, tmp_path):
    """Extension modules are like that where Python is no library. One line says so for all of them, and says what
    helps."""
    wants = "extern int PyLong_Type, _Py_NoneStruct; int *where[] = {&PyLong_Type, &_Py_NoneStruct};"
    paths = [built(tmp_path, name, wants) for name in ("one", "two", "three")]
    _, said = load(*paths, built(tmp_path, "fine", "int x;"), status=1)
    assert len(said) == 1 and said[0].startswith(f"pyelfprof: {paths[0]}: cannot be loaded, nor 2 others: Python is in the program")
    _, said = load(paths[0], status=1)
    assert len(said) == 1 and said[0].startswith(f"pyelfprof: {paths[0]}: cannot be loaded: Python is in the program")


def test_what_constructors_print_and_read(programs, tmp_path):
    """What constructors print goes to standard error. They read an empty input."""
    text = '#include <stdio.h>\n__attribute__((constructor)) static void f(void) { printf("%d\\n", getchar()); }'
    done = programs.run("pyelfprof", "--load", "-o", "-", built(tmp_path, "prints", text))
    assert done.stdout.startswith("pyelfgen-profile: 1\n") and done.stderr == "-1\n"


def test_sums_have_no_rows(programs, tmp_path):
    done = programs.run("pyelfprof", "--load", "--summary", "-o", tmp_path / "x", tmp_path, status=2)
    assert "leave out --load" in done.stderr


def row_text(more, bss=900):
    common = f"kind: utility, text: 60000, data: 3000, bss: {bss}, functions: 60, relocations: {{relative: 40}}"
    return f"- {{{common}, constructors: 2, {more}}}\n"


ROWS = ["constructor-code: 106, constructor-memory: 4194304", "constructor-code: 105, constructor-memory: 4194304"]
ROWS.append("constructor-code: 106")


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    """Makes libraries of three rows: one takes memory, one has too little code for that, one takes none."""
    directory = tmp_path_factory.mktemp("taking")
    text = f"pyelfgen-profile: 1\nmodules: 0\nutilities: {len(ROWS)}\nlibraries:\n" + "".join(map(row_text, ROWS))
    (directory / "a.prof").write_text(text)
    done = programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / "set")
    return [directory / "set" / f"libutility{i}.so" for i in range(len(ROWS))], done.stdout


def test_twins_take_as_much(load, made, exactly):
    """Page faults and pyelfprof both show it. Memory that a library cannot take is a difference."""
    paths, said = made
    faults = [int(count) for count in ask(sys.executable, "-c", FAULTS, *paths).split()]
    pages = 4194304 // resource.getpagesize()
    assert abs(faults[0] - faults[2] - pages) < 20 and abs(faults[1] - faults[2]) < 20
    memory, complaints = load(*paths)
    assert complaints == [] and [*memory.values()][1:] == [0, 0]
    assert abs(memory["libutility0.so"] - 4194304) <= PAGE
    assert any(line.split() == "constructor-memory 1 of 2 8388608 4194304".split() for line in said.splitlines())


# what rows say of constructors, and how many bytes of .bss they write to
TOUCHING = [
    ("constructor-code: 51, constructor-bss: 4194304", 4194304),
    ("constructor-code: 50, constructor-bss: 4194304", 0),
    ("constructor-code: 131, constructor-memory: 65536, constructor-bss: 1000000", 1003520),
    ("constructor-code: 130, constructor-memory: 65536, constructor-bss: 1000000", 0),
    ("constructor-code: 300, constructor-bss: 9000000", 4997120),
    ("constructor-code: 300", 0),
]


@pytest.fixture(scope="module")
def touching(programs, tmp_path_factory):
    """Libraries with 5,000,000 bytes of .bss, of which constructors write to a part, where their code has room for it."""
    directory = tmp_path_factory.mktemp("touching")
    rows = "".join(row_text(text, bss=5_000_000) for text, _ in TOUCHING)
    (directory / "a.prof").write_text(f"pyelfgen-profile: 1\nlibraries:\n{rows}")
    programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / "set", "--quiet")
    return directory / "set", [directory / "set" / f"libutility{i}.so" for i in range(len(TOUCHING))]


def test_twins_write_to_as_much_of_bss(load, touching, exactly):
    """Page faults and pyelfprof both show it."""
    _, paths = touching
    faults = [int(count) for count in ask(sys.executable, "-c", FAULTS, *paths).split()]
    for (text, written), count in zip(TOUCHING, faults, strict=True):
        memory = 65536 if "memory" in text else 0
        assert abs(count - faults[-1] - (written + memory) // resource.getpagesize()) < 20, text
    written, complaints = load(*paths, key="constructor-bss")
    assert complaints == []
    for (text, wanted), bytes_ in zip(TOUCHING, written.values(), strict=True):
        assert abs(bytes_ - wanted) <= PAGE, text


def test_bss_that_is_not_written_to_is_told(touching):
    made, paths = touching
    libraries = json.loads((made / "differences.json").read_text())["libraries"]
    differs = {one["name"]: one["differs"].get("constructor-bss") for one in libraries}
    told = {1: [4194304, 0], 2: [1000000, 1003520], 3: [1000000, 0], 4: [9000000, 4997120]}
    assert [differs.get(path.name) for path in paths] == [told.get(i) for i in range(len(paths))]


def test_more_than_a_library_may_take(programs, tmp_path):
    text = "pyelfgen-profile: 1\nmodules: 0\nutilities: 1\nlibraries:\n" + row_text("constructor-memory: 1073741825")
    (tmp_path / "a.prof").write_text(text)
    done = programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", status=1)
    assert "constructor-memory" in done.stderr and "1073741824" in done.stderr
