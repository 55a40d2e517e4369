"""pyelfprof from outside: its counts compared with those of binutils, what it must not disclose, and broken files."""

import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import time

import pytest

import lsda
from captures import (
    DYNLOAD,
    SYSTEM,
    Capture,
    edges,
    flow,
    local_aliases_by_readelf,
    quantiles,
    relocations_by_readelf,
    symbols_by_readelf,
    symbols_counted,
)
from objects import FIVE, ask, counted_libraries, each, every, library_of_units, section, sizes_by_binutils, sizes_of_each, sums, tool
from sets import profile_text, variant_text

@pytest.fixture
def capture(programs, tmp_path):
    """Captures, with names unless `names` is false. `.said` has the complaints of pyelfprof."""

    def run(*arguments, names=True, status=0, **options):
        output = tmp_path / "captured.prof"
        output.unlink(missing_ok=True)
        named = ["--names"] if names else []
        done = programs.run("pyelfprof", *named, "-o", output, *arguments, status=status, **options)
        captured = Capture(output)
        captured.said = done.stderr
        captured.printed = done.stdout
        captured.path = output
        return captured

    return run


def python_says(code):
    return subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, check=True).stdout


def built(directory, name, text, *options, compiler="gcc"):
    source = directory / f"{name}.{'cc' if compiler == 'g++' else 'c'}"
    source.write_text(text)
    library = directory / f"{name}.so"
    subprocess.run([tool(compiler), "-shared", "-fPIC", "-o", library, source, *options], check=True)
    return library


def check_row(path, row):
    """Compares a row with what size, readelf and nm say."""
    sizes = sizes_by_binutils(path)
    assert {size: row.get(size, 0) for size in [*FIVE, "bss"]} == {size: sizes[size] for size in [*FIVE, "bss"]}, path
    dynamic = symbols_by_readelf(path, ".dynsym")
    counted = dict(row.get("dynamic", {}))
    counted.pop("dynstr", None)
    indirect = sum(kind == "IFUNC" and section != "UND" for _, kind, _, section, _ in dynamic)
    assert counted.pop("ifunc", 0) == (indirect if row.get("symtab") else 0), path
    assert counted == symbols_counted(dynamic, dynamic=True), path
    symbols = symbols_by_readelf(path, ".symtab")
    local = [symbol for symbol in symbols if symbol[2] == "LOCAL"]
    others = [symbol for symbol in symbols if symbol[2] != "LOCAL"]
    counted_local = dict(row.get("local", {}))
    assert counted_local.pop("aliases", 0) == local_aliases_by_readelf(path), path
    assert counted_local == symbols_counted(local), path
    if "global" in row or not symbols:
        assert row.get("global", {}) == symbols_counted(others), path
        alike = [symbols_counted(table, dynamic=True, versions=False) for table in (others, dynamic)]
        assert alike[0] != alike[1] or indirect or not symbols, path
    else:
        counted.pop("versioned", None)
        assert symbols_counted(others, dynamic=True, versions=False) == counted, path
    functions = [s for s in symbols or dynamic if s[1] in ("FUNC", "IFUNC") and s[3] != "UND"]
    assert row["functions"] == len(functions), path
    assert row.get("relocations", {}) == relocations_by_readelf(path), path
    assert sum(row["share"].values()) <= row["text"]
    assert sum(row.get("mix", {}).values()) == row.get("debug", 0)


def check_links(path, row):
    """Compares what a row says about dynamic linking with what readelf says."""
    told = ask("readelf", "-dW", path)
    assert row.get("soname", "true") == ("true" if "(SONAME)" in told else "false")
    assert row.get("bind", "lazy") == ("now" if re.search(r"BIND_NOW|Flags:.* NOW", told) else "lazy")
    hashes = {(True, False): "gnu", (False, True): "sysv", (True, True): "both", (False, False): "none"}
    assert row.get("hash", "gnu") == hashes["(GNU_HASH)" in told, "(HASH)" in told]
    needed = len(re.findall(r"\(NEEDED\)", told))
    assert row["outside"] + len(edges(row)) == needed, path
    headers = ask("readelf", "-lW", path)
    loads = re.findall(r"^  LOAD .* (0x[0-9a-f]+)$", headers, flags=re.M)
    assert row.get("loads", 4) == len(loads)
    assert row.get("page", 4096) == max(int(align, 16) for align in loads)
    assert (row.get("relro", "partial") == "none") == ("GNU_RELRO" not in headers)
    tls = re.search(r"^  TLS +0x\w+ 0x\w+ 0x\w+ 0x\w+ (0x\w+)", headers, flags=re.M)
    assert row.get("tls", 0) == (int(tls[1], 16) if tls else 0)


# ---- what is counted ----


def test_a_set_of_ours(capture, small):
    captured = capture("--no-dwarf", small)
    libraries = {path.name: path for path in counted_libraries(small)}
    assert [row["name"] for row in captured.rows] == sorted(
        libraries, key=lambda name: ("utility" in name, int(re.search(r"\d+", name)[0]))
    )
    assert captured.sections == {size: total for size, total in sums(small).items() if size != "total"}
    for row in captured.rows:
        check_row(libraries[row["name"]], row)
        check_links(libraries[row["name"]], row)
        assert row["kind"] == ("module" if "module" in row["name"] else "utility")


@pytest.mark.parametrize("place", SYSTEM)
def test_libraries_of_the_system(capture, place, tmp_path):
    if not SYSTEM[place]:
        pytest.skip(f"there is no {place} here")
    directory = SYSTEM[place][-1]
    captured = capture("--no-dwarf", "--debug-dir", tmp_path, "--without", "*/site-packages/*", directory)
    paths = {}
    for path in directory.rglob("*.so*"):
        paths.setdefault(path.name, path)
    rows = every(captured.rows, 12)
    assert rows

    def check(row):
        if "debug-file" not in row:
            check_row(paths[row["name"]], row)
            check_links(paths[row["name"]], row)

    each(check, rows)


def test_counts_that_are_known(capture, tmp_path):
    lower = built(tmp_path, "liblower", "int lower_a(void) {return 1;} int lower_b(void) {return 2;} int lower_v;")
    upper = built(
        tmp_path,
        "libupper",
        "int lower_a(void), lower_b(void); extern int lower_v;\n"
        "__thread int each[3];\n"
        "static int hidden(int x) {return x * lower_v;}\n"
        "__attribute__((constructor)) static void begin(void) {each[0] = 1;}\n"
        "int upper(int x) {return lower_a() + lower_b() + hidden(x) + each[1];}\n"
        "static void *resolve(void) {return upper;} void picked(void) __attribute__((ifunc(\"resolve\")));\n"
        "int PyInit_libupper(void) {return 0;}\n",
        "-L" + str(tmp_path),
        "-llower",
        "-O0",
        "-Wl,-rpath,/one:/two",
        "-Wl,-z,now",
        "-Wl,-z,max-page-size=65536",
        "-Wl,-soname,libupper.so.1",
    )
    captured = capture(lower, upper)
    low, up = captured.rows
    assert (low["kind"], up["kind"]) == ("utility", "module")
    assert (low["soname"], "soname" in up) == ("false", False)
    assert edges(up) == {0: 3} and edges(low) == {}
    assert up["runpath"] == 2 and up["page"] == 65536 and up["tls"] == 12
    assert up["bind"] == "now" and up["relro"] == "full"
    assert up["constructors"] == 2 and "constructors" not in low
    assert up["ifunc"] == 1 and up["relocations"]["jump-slot"] + up["relocations"].get("irelative", 0) == up["plt"]
    assert up["dynamic"]["functions"] == 3 and low["dynamic"] == {**low["dynamic"], "functions": 2, "objects": 1}
    for path, row in ((lower, low), (upper, up)):
        check_row(path, row)
        check_links(path, row)


def test_local_symbols_without_names(programs, capture, tmp_path):
    """ld leaves symbols of sections where it keeps relocations. Link-time optimisation leaves others, as a twin has."""
    library = built(tmp_path, "kept", "static int low(void) {return 1;} int up(void) {return low();}", "-g", "-Wl,-q")
    captured = capture(library)
    (row,) = captured.rows
    local = [symbol for symbol in symbols_by_readelf(library, ".symtab") if symbol[2] == "LOCAL"]
    assert row["local"] == symbols_counted(local)
    assert row["local"]["sections"] > 20 and "unnamed" not in row["local"]
    text = captured.path.read_text()
    text = re.sub(r"other: (\d+)(?=, sections)", lambda found: f"other: {int(found[1]) + 30}", text)
    text = re.sub(r"symtab: (\d+)", lambda found: f"symtab: {int(found[1]) + 30 * 24}", text)
    (tmp_path / "more").write_text(text.replace(", sections: ", ", unnamed: 30, sections: "))
    programs.run("pyelfgen", "-P", tmp_path / "more", "-o", tmp_path / "set")
    (row,) = capture(tmp_path / "set").rows
    check_row(tmp_path / "set" / "libutility0.so", row)
    unnamed = 30 + captured.rows[0]["local"]["sections"] - row["local"]["sections"]  # it has no sections of relocations
    assert row["local"]["unnamed"] == unnamed < 40


def test_local_names_of_functions(programs, capture, tmp_path):
    """A twin has as many functions with code and unwind entries as the real library, and as many names of these."""
    text = "".join(
        f"int f{i}(int x) {{ return x * {i} + f0(x); }}\n"
        f"extern __typeof(f{i}) g{i} __attribute__((alias(\"f{i}\"), visibility(\"hidden\")));\n"
        f"static int h{i}(int x) __attribute__((alias(\"f{i}\"), used));\n"
        for i in range(1, 90)
    )
    library = built(tmp_path, "names", "int f0(int x) { return x; }\n" + text, "-O0")
    captured = capture(library)
    (row,) = captured.rows
    check_row(library, row)
    assert row["local"]["aliases"] == 178 and "aliases" not in row["dynamic"]
    programs.run("pyelfgen", "-P", captured.path, "-o", tmp_path / "set")
    (twin,) = capture(tmp_path / "set").rows
    check_row(tmp_path / "set" / "libutility0.so", twin)
    assert twin["local"] == row["local"] and twin["functions"] == row["functions"]
    assert twin["share"]["unwind"] == row["share"]["unwind"]
    entries = ask("readelf", "--debug-dump=frames", tmp_path / "set" / "libutility0.so").count(" FDE ")
    # two of the functions that gcc's start-up files add have an entry in twins
    assert entries == ask("readelf", "--debug-dump=frames", library).count(" FDE ") + 2


def test_dynamic_aliases_are_global_ones(capture, tmp_path):
    """`global` is left out where .symtab has as many symbols that are not local as .dynsym, aliases or not."""
    text = "int f(int x) { return x; }\nextern __typeof(f) g __attribute__((alias(\"f\")));\n"
    library = built(tmp_path, "seen", text, "-O0")
    (row,) = capture(library).rows
    check_row(library, {**row, "dynamic": {key: row["dynamic"][key] for key in row["dynamic"] if key != "aliases"}})
    assert row["dynamic"]["aliases"] == 1 and "global" not in row and "aliases" not in row["local"]


def test_a_symbol_table_of_local_symbols_alone(programs, capture, tmp_path):
    """Where a row with a symbol table does not say `global`, it has as many as in `dynamic`. So it says that there are
    none."""
    whole = built(tmp_path, "whole", "static int low(void) {return 1;} int up(void) {return low();}", "-O0")
    library = tmp_path / "kept.so"
    ask("strip", "--keep-symbol=low", "-o", library, whole)
    captured = capture(library)
    (row,) = captured.rows
    assert row["dynamic"]["functions"] == 1 and row["local"] == {"functions": 1}
    check_row(library, {**row, "global": {}})
    assert row["global"] == {"functions": 0}
    told = programs.run("pyelfstat", "--compare", captured.path, whole, status=1).stdout
    assert re.search(r"^  global.functions +0 +[1-9]", told, flags=re.M)


def test_what_is_imported_again_and_has_two_names(capture, tmp_path):
    """Each imported symbol is counted once in `used`, however many libraries import it. Each function with the address
    of another one is an alias, unless it has no code."""
    lower = built(
        tmp_path,
        "liblower",
        "int one(void) {return 1;} int two(void) {return 2;} int three(void) {return 3;}\n"
        "int first(void) __attribute__((alias(\"one\"))); int again(void) __attribute__((alias(\"one\")));\n"
        "__asm__(\".globl bare, blank\\n.type bare, @function\\n.type blank, @function\\nbare:\\nblank:\");\n",
    )
    calls = "int one(void), two(void); int %s(void) {return one() + two();}\n"
    uppers = [
        built(tmp_path, name, calls % name, "-L" + str(tmp_path), "-llower", *more)
        for name, more in (("libleft", []), ("libright", []))
    ]
    low, *up = capture(lower, *uppers).rows
    assert low["dynamic"]["functions"] == 7 and low["dynamic"]["aliases"] == 2
    assert [edges(row) for row in up] == [{0: 2}, {0: 2}] and low["used"] == 2
    assert "used" not in up[0] and "aliases" not in up[0]["dynamic"]


def test_a_library_that_needs_itself(programs, capture, tmp_path):
    """A library's DT_NEEDED has its own name. That need is met by the library itself, unless another file has this
    name."""
    same = "-Wl,-soname,libsame.so"
    first = built(tmp_path, "libsame", "int one(void) {return 1;}", same)
    calls = "int one(void); int two(void) {return one();}"
    second = built(tmp_path, "libsecond", calls, same, "-L" + str(tmp_path), "-lsame")
    captured = capture(second)
    (alone,) = captured.rows
    assert "needed" not in alone and alone["outside"] == 0
    programs.run("pyelfgen", "--profile", captured.path, "--dry-run", "-o", tmp_path / "twin")
    assert [edges(row) for row in capture(first, second).rows] == [{}, {0: 1}]
    assert [edges(row) for row in capture(second, first).rows] == [{1: 1}, {}]


def test_a_build_id_in_another_section(capture, tmp_path):
    """A note counts by its type, and not by the name of its section: the kernel's vDSO has all notes in .note."""
    library = built(tmp_path, "noted", "int one(void) {return 1;}", "-Wl,--build-id")
    assert "build-id" not in capture(library).rows[0]
    ask("objcopy", "--rename-section", ".note.gnu.build-id=.note", library)
    assert "Build ID: " in ask("readelf", "-n", library)
    assert "build-id" not in capture(library).rows[0]


CONSTRUCTORS = """
static int a[9];
__attribute__((constructor)) static void first(void) {for (int i = 0; i < 9; i++) a[i] = i * a[8 - i];}
__attribute__((constructor)) static void second(void) {a[1]++;}
__attribute__((destructor)) static void last(void) {a[2] *= a[1] + 7;}
int sum(void) {return a[3] + a[4];}
"""


PACKED = "-Wl,-z,pack-relative-relocs"


def sizes_of_functions(path, *names):
    symbols = ask("nm", "-S", path)
    return [int(re.search(rf"^\w+ (\w+) t {name}$", symbols, flags=re.M)[1], 16) for name in names]


@pytest.mark.parametrize("stripped", [True, False])
@pytest.mark.parametrize("options", [[], [PACKED]])
def test_code_of_constructors(capture, tmp_path, stripped, options):
    """The code of all constructors is counted, and no other code."""
    library = built(tmp_path, "constructors", CONSTRUCTORS, "-O0", *options)
    sizes = sizes_of_functions(library, "first", "second")
    if stripped:
        ask("strip", library)
    (row,) = capture(library).rows
    assert row["constructors"] == 3 and row["constructor-code"] == sum(sizes) > 26
    frames = ask("readelf", "--debug-dump=frames", library)
    code = {int(start, 16): int(end, 16) for start, end in re.findall(r" FDE .* pc=(\w+)\.\.(\w+)", frames)}
    named = {int(line.split()[0], 16) for line in ask("nm", "-D", "--defined-only", library).splitlines()}
    small = sum(end - start < 96 for start, end in code.items() if start not in named)
    assert len(named) == 1 and len(code) > small > 3
    assert row.get("unwind-entries") == (len(code) if stripped else None)
    assert row.get("unwind-small") == (small if stripped else None)


def test_an_object_has_no_pages(capture, tmp_path):
    """An object has no segments, so nothing is aligned to pages."""
    (tmp_path / "o.c").write_text("int f(int x) { return x + 1; }\n")
    ask("gcc", "-c", "-o", tmp_path / "o.o", tmp_path / "o.c")
    [row] = capture("--no-dwarf", tmp_path / "o.o").rows
    assert "page" not in row and row["loads"] == 0


def test_constructors_of_an_executable(capture, tmp_path):
    """Only constructors of DT_INIT_ARRAY have their code counted. Those of .preinit_array and the destructors do not,
    although their addresses stand next to it."""
    early = "static void early(void) {a[5]++;} __attribute__((section(\".preinit_array\"))) void (*p[2])(void) = {early, early};"
    source = tmp_path / "program.c"
    source.write_text(CONSTRUCTORS + early + "int main(void) {return sum();}")
    program = tmp_path / "program"
    ask("gcc", "-O0", "-fPIE", "-pie", "-o", program, source)
    assert ".preinit_array" in ask("readelf", "-SW", program)
    (row,) = capture(program).rows
    assert row["constructors"] == 5
    assert row["constructor-code"] == sum(sizes_of_functions(program, "first", "second"))


def test_constructors_without_unwind_tables(capture, tmp_path):
    library = built(tmp_path, "constructors", CONSTRUCTORS, "-fno-asynchronous-unwind-tables", "-Wl,--no-eh-frame-hdr")
    (row,) = capture(library).rows
    assert row["constructors"] == 3 and not {"constructor-code", "unwind-entries", "unwind-small"} & row.keys()


CALLING = """
static int sum;
#define F(n) __attribute__((noinline, aligned(16))) static void f##n(int x) { for (int i = 0; i < x; i++) sum += i * n; }
F(1) F(2) F(3) F(4) F(5) F(6) F(7)
__attribute__((noinline, aligned(16))) static void large(int x) { f1(x); asm volatile(".fill 12000, 1, 0xe8"); f2(x); }
int called(int x) { f3(x); f4(x); f5(x); f6(x); f7(x); large(x); f1(x); return sum; }
"""


def test_functions_that_only_calls_tell_of(capture, tmp_path):
    """With neither symbols nor unwind tables those are counted that calls lead to; with either they are not."""
    options = ["-O1", "-nostdlib", "-fno-asynchronous-unwind-tables"]
    library = built(tmp_path, "calling", CALLING, *options)
    (row,) = capture(library).rows
    assert row["functions"] == 9 and "called" not in row and "unwind" not in row["share"]
    ask("strip", library)
    (row,) = capture(library).rows
    assert row["functions"] == 1 and row["called"] == 8
    calls = "".join(f".byte 0xe8\\n.long large + {16 * n} - . - 4\\n" for n in range(300))
    behind = f'asm(".section .rodata\\n.fill 1 << 20, 1, 0x90\\n{calls}.text");'  # is no code
    library = built(tmp_path, "behind", CALLING + behind, *options)
    ask("strip", library)
    (row,) = capture(library).rows
    assert row["called"] == 8
    told = built(tmp_path, "told", CALLING, "-O1")
    ask("strip", told)
    (row,) = capture(told).rows
    assert row["unwind-entries"] > 8 and "called" not in row


CATCHING = """
struct held { int *at; ~held(); };
int may_throw(int);
int cleans(int n) { held one{&n}; held two{&n}; return may_throw(n) + may_throw(n + 1); }
int catches(int n) { try { return cleans(n); } catch (int m) { return m; } catch (...) { return 0; } }
int does_not(int n) noexcept { return may_throw(n); }
int has_none(int n) { return n * n; }
"""


def tabled(library):
    """Returns the row's `exceptions` as another reader counts them."""
    functions = [function for function in lsda.functions(library) if function.table]
    return {"table": section(library, ".gcc_except_table")[2], "functions": len(functions)}


@pytest.mark.parametrize("options", [["-O0"], ["-O2"], ["-O2", "-ffunction-sections", "-Wl,--no-eh-frame-hdr", "-s"]])
def test_exception_tables(capture, tmp_path, options):
    """This holds also where the entries of .eh_frame are not counted. Code in C has no exception tables."""
    library = built(tmp_path, "catching", CATCHING, *options, compiler="g++")
    (row,) = capture(library).rows
    assert row["exceptions"] == tabled(library) and 3 <= row["exceptions"]["functions"] <= 9
    library = built(tmp_path, "constructors", CONSTRUCTORS, *options)
    (row,) = capture(library).rows
    assert "exceptions" not in row


def test_broken_unwind_tables(capture, tmp_path):
    """No more functions are counted than there can be entries, and most other values stay as before."""
    library = built(tmp_path, "catching", CATCHING, "-O2", compiler="g++")
    (whole,) = capture(library).rows
    _, offset, size = section(library, ".eh_frame")
    content = library.read_bytes()
    chance = random.Random(1)
    for _ in range(150):
        broken = bytearray(content)
        for _ in range(chance.randint(1, 9)):
            broken[offset + chance.randrange(size)] = chance.choice([0, 1, 4, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        library.write_bytes(broken)
        (row,) = capture(library).rows
        assert row["exceptions"].pop("functions", 0) <= size / 8
        assert row.pop("exceptions") == {"table": whole["exceptions"]["table"]}
        different = {key for key in row if row[key] != whole[key]}
        assert different <= {"zstd", "constructor-code", "unwind-rsp", "unwind-rbp"}


def test_packed_relocations(capture, tmp_path):
    text = "int v[99];" + "int *p[70] = {" + ", ".join(f"v + {i}" for i in range(70)) + "}; int *q = v + 1;"
    text = text.replace("int", "static int") + "void *f(void) {return p + *q;}"
    library = built(tmp_path, "packed", text, PACKED)
    if ".relr.dyn" not in ask("readelf", "-SW", library):
        pytest.skip("the linker packs no relocations")
    (row,) = capture(library).rows
    assert row["relocations"]["relr"] >= 71 and "relative" not in row["relocations"]
    assert row["relocations"] == relocations_by_readelf(library)


@pytest.mark.parametrize("options", [[], [PACKED]])
def test_methods_of_a_module(capture, tmp_path, options):
    include = python_says("import sysconfig; print(sysconfig.get_path('include'))").strip()
    if not pathlib.Path(include, "Python.h").exists():
        pytest.skip("Python.h is not installed")
    methods = "".join(f'{{"m{i}", f, METH_NOARGS, 0}},' for i in range(7))
    module = built(
        tmp_path,
        "methodical",
        "#include <Python.h>\nstatic PyObject *f(PyObject *s, PyObject *a) {return s;}\n"
        f"static PyMethodDef all[] = {{{methods} {{0}}}};\n"
        'static struct PyModuleDef d = {PyModuleDef_HEAD_INIT, "methodical", 0, -1, all};\n'
        "PyMODINIT_FUNC PyInit_methodical(void) {return PyModule_Create(&d);}\n",
        "-I" + include,
        *options,
    )
    (row,) = capture(module).rows
    assert (row["kind"], row["methods"]) == ("module", 7)


def test_addresses_are_no_definition(capture, tmp_path):
    """Packed relocations have addresses in the words, also in the first one of what is otherwise like a definition."""
    text = (
        "static int f(void) { return 1; }\n"
        'static struct { void *name, *call; long flags; void *help; } table[] = {{"m", f, 4, 0}, {0}};\n'
        "struct { void *first; long zero[4]; void *name; long more[2]; void *table; } alike =\n"
        '    {f, {0}, "name", {0}, table};\n'
        "void *PyInit_alike(void) { return 0; }\n"
    )
    library = built(tmp_path, "alike", text, PACKED)
    if ".relr.dyn" not in ask("readelf", "-SW", library):
        pytest.skip("the linker packs no relocations")
    (row,) = capture(library).rows
    assert row["kind"] == "module" and "methods" not in row


def test_methods_of_real_modules(capture):
    """The number of methods is what Python itself finds, for each module of its library that it can import."""
    if not DYNLOAD:
        pytest.skip("there is no lib-dynload here")
    captured = capture("--no-dwarf", "--without=*.cpython-*d-*", DYNLOAD[-1])  # without those of a debug build
    code = (
        "import importlib, sys\n"
        "for name in sys.argv[1].split():\n"
        "    try:\n"
        "        module = importlib.import_module(name)\n"
        "    except ImportError:\n"
        "        continue\n"
        "    own = [f for f in vars(module).values() if type(f) is type(len) and f.__self__ is module]\n"
        "    print(name, len({f.__name__ for f in own}))\n"
    )
    names = " ".join(row["name"].split(".")[0] for row in captured.rows)
    told = subprocess.run(["/usr/bin/python3", "-c", code, names], capture_output=True, text=True, check=True).stdout
    wanted = {name: int(count) for name, count in (line.split() for line in told.splitlines())}
    found = {row["name"].split(".")[0]: row.get("methods", 0) for row in captured.rows}
    assert len(wanted) > 10
    assert {name: found[name] for name in wanted} == wanted


def test_a_manifest_that_cannot_be_used(capture, programs, small, tmp_path):
    """A set's manifest is refused wherever it is cut off. Other programs have files with this name too, which do no
    harm."""
    shutil.copytree(small, tmp_path / "set")
    manifest = tmp_path / "set" / "manifest.json"
    text = manifest.read_text()
    output = tmp_path / "none.prof"
    for size in (0, 1, 5, 20, len(text) // 2):
        manifest.write_text(text[:size])
        said = programs.run("pyelfprof", "--no-dwarf", "-o", output, tmp_path / "set", status=1).stderr
        assert said.startswith(f"pyelfprof: {manifest}:") and said.count("\n") == 1
        assert "ends in the middle: the set is incomplete" in said and not output.exists()
    manifest.write_bytes(bytes(100))
    said = programs.run("pyelfstat", "--compare", "--no-dwarf", small, tmp_path / "set", status=2).stderr
    assert said.startswith(f"pyelfstat: {manifest}:") and said.count("\n") == 1
    manifest.write_text('{"name": "of a page", "icons": []}')
    captured = capture("--no-dwarf", tmp_path / "set")
    assert captured.said == "" and len(captured.rows) == len(list(small.glob("*.so")))


def test_symbols_that_each_edge_carries(capture, small):
    captured = capture("--no-dwarf", small)
    libraries = {path.name: path for path in counted_libraries(small)}
    names = [row["name"] for row in captured.rows]
    defined = [
        {s[4].split("@")[0] for s in symbols_by_readelf(libraries[name], ".dynsym") if s[3] != "UND"} for name in names
    ]
    for row in captured.rows:
        path = libraries[row["name"]]
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", ask("readelf", "-dW", path))
        undefined = {s[4].split("@")[0] for s in symbols_by_readelf(path, ".dynsym") if s[3] == "UND"}
        wanted = {}
        for name in needed:
            if name in names:
                found = undefined & defined[names.index(name)]
                wanted[names.index(name)] = len(found)
                undefined -= found
        assert edges(row) == wanted
        assert list(edges(row)) == list(wanted)  # in the order of DT_NEEDED


def test_distributions(capture, small):
    path = counted_libraries(small)[0]
    (row,) = capture("--no-dwarf", path).rows
    symbols = symbols_by_readelf(path, ".symtab")
    values = {
        "function-sizes": sorted(s[0] for s in symbols if s[1] == "FUNC" and s[3] != "UND"),
        "name-lengths": sorted(len(s[4]) for s in symbols if s[4] and s[1] != "SECTION"),
    }
    assert len(values["function-sizes"]) >= 200
    for key, all_of in values.items():
        assert quantiles(row[key]) == [all_of[(len(all_of) - 1) * q // 100] for q in range(101)], key


@pytest.mark.parametrize("names", [20, 40, 120])
def test_distributions_of_few(capture, tmp_path, names):
    """From 50 names on, and from 100 functions on, a row has their distribution in steps of 2 %."""
    text = "".join(f"int {'name' * (n % 7)}_{n}(int a) {{ return a * {n}; }}\n" for n in range(names))
    library = built(tmp_path, "few", text)
    (row,) = capture("--no-dwarf", library).rows
    all_of = symbols_by_readelf(library, ".symtab")
    lengths = sorted(len(s[4]) for s in all_of if s[4] and s[1] != "SECTION")
    sizes = sorted(s[0] for s in all_of if s[1] == "FUNC" and s[3] != "UND")
    assert ("function-sizes" in row) == (len(sizes) >= 100) == (names >= 120)
    if "function-sizes" in row:
        assert quantiles(row["function-sizes"]) == [sizes[(len(sizes) - 1) * q // 50] for q in range(51)]
    assert ("name-lengths" in row) == (len(lengths) >= 50) == (names >= 40)
    if "name-lengths" in row:
        assert quantiles(row["name-lengths"]) == [lengths[(len(lengths) - 1) * q // 50] for q in range(51)]


def test_mangled_names(capture, tmp_path):
    text = 'namespace n { int a(int) {return 1;} int b(long) {return 2;} }\nextern "C" int c() {return 3;}'
    library = built(tmp_path, "cpp", text, compiler="g++")
    (row,) = capture(library).rows
    assert row["mangled"] == len([s for s in symbols_by_readelf(library, ".symtab") if s[4].startswith("_Z")]) >= 2


# ---- debug information ----


def test_mangled_names_of_a_few_libraries(capture, programs, tmp_path):
    """In the twin the same library has mangled names as in the original, although most libraries have none."""
    plain = "".join(f"int plain{i}(int a) {{ return a * {i + 3}; }}\n" for i in range(40))
    methods = "".join(f"int Some::method{i}(int a) {{ return a * {i + 3}; }}\n" for i in range(12))
    declared = "".join(f"int method{i}(int a);" for i in range(12))
    paths = [
        built(tmp_path, "plain", plain, "-O2", "-g"),
        built(tmp_path, "mangled", f"struct Some {{ {declared} }};\n{methods}", "-O2", "-g", compiler="g++"),
    ]
    captured = capture(*paths)
    profile = tmp_path / "both.prof"
    profile.write_text(captured.text)
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "twin", "-q")
    mangled = [len(re.findall(r" T _Z", ask("nm", "--defined-only", path))) for path in counted_libraries(tmp_path / "twin")]
    assert mangled == [0, 12]


def test_debug_information(capture, tmp_path, programs):
    text = "int f(int a) {int b = a; return b;} struct s {int m;} v;"
    library = built(tmp_path, "debug", text, "-g", "-O1", "-gdwarf-5")
    (row,) = capture(library).rows
    dump = ask("readelf", "--debug-dump=info", library)
    tags = re.findall(r"^ *<\w+><(\w+)>: Abbrev Number: [1-9]", dump, flags=re.M)
    assert row["dwarf"]["dies"] == len(tags)
    assert row["dwarf"] == {**row["dwarf"], "version": 5, "language": "c", "units": 1}
    headers = ask("readelf", "-SW", library)
    sections = dict(re.findall(r"\] \.debug_(\w+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", headers))
    assert {key: row["mix"].get(key, 0) for key in sections} == {key: int(size, 16) for key, size in sections.items()}


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_versions_of_dwarf(capture, tmp_path, version):
    library = built(tmp_path, "debug", "int f(int a) {return a;}", "-g", f"-gdwarf-{version}", "-gstrict-dwarf")
    (row,) = capture(library).rows
    assert row["dwarf"]["version"] == version


@pytest.mark.parametrize("how", ["debuglink", "build-id", "under its path", "in a copy of the system"])
def test_separate_debug_files(capture, tmp_path, how):
    text = "int f(int a) {return a;} static int g(int a) {return a;} int (*h)(int) = g;"
    whole = built(tmp_path, "whole", text, "-g", "-Wl,--build-id")
    build_id = re.search(r"Build ID: (\w+)", ask("readelf", "-n", whole))[1]
    place = tmp_path / "stripped"
    place.mkdir()
    library = place / "whole.so"
    debug = tmp_path / "whole.debug"
    subprocess.run([tool("objcopy"), "--only-keep-debug", whole, debug], check=True)
    subprocess.run([tool("objcopy"), "--strip-all", f"--add-gnu-debuglink={debug}", whole, library], check=True)
    (wanted,) = capture(whole).rows
    (without,) = capture(library).rows
    assert "debug" not in without and "symtab" not in without
    assert "separate" not in capture(whole).top["dwarf"]
    directory = tmp_path / "dbg"
    directory.mkdir()
    if how == "debuglink":
        (place / ".debug").mkdir()
        shutil.copy(debug, place / ".debug")
    elif how != "build-id":
        below = directory / (place.relative_to("/") if how == "under its path" else "stripped")
        below.mkdir(parents=True)
        shutil.copy(debug, below)
    else:
        (directory / ".build-id" / build_id[:2]).mkdir(parents=True)
        shutil.copy(debug, directory / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug")
    captured = capture("--debug-dir", directory, library)
    (row,) = captured.rows
    assert row.pop("debug-file") == "true"
    assert flow(captured.top["dwarf"][1:-1])["separate"] == ("build-id" if how == "build-id" else "debuglink")
    same = ["debug", "symtab", "strtab", "functions", "local", "dwarf", "mix", "dynamic"]
    assert {key: row[key] for key in same} == {key: wanted[key] for key in same}
    if how == "debuglink":  # a file with another checksum than that of the link is not taken
        with open(place / ".debug" / debug.name, "ab") as file:
            file.write(b"x")
        (row,) = capture(library).rows
        assert "debug" not in row


# What rustc's libraries have: a section of debug information that is loaded, so that strip leaves it.
LOADED_SCRIPTS = r"""
__asm__(".pushsection .debug_gdb_scripts, \"aMS\", @progbits, 1\n.byte 1\n.asciz \"printers.py\"\n.popsection");
"""


@pytest.mark.parametrize("option", ["--only-keep-debug", "--preserve-dates"])
def test_debug_sections_that_strip_leaves(capture, tmp_path, option):
    """They are no debug information that would do without the debug file, and count once, also where the debug file is
    the whole library."""
    whole = built(tmp_path, "whole", "int f(int a) {return a;}" + LOADED_SCRIPTS, "-g")
    (tmp_path / "stripped").mkdir()
    library, debug = tmp_path / "stripped" / "whole.so", tmp_path / "stripped" / "whole.debug"
    subprocess.run([tool("objcopy"), option, whole, debug], check=True)
    subprocess.run([tool("objcopy"), "--strip-all", f"--add-gnu-debuglink={debug}", whole, library], check=True)
    assert ".debug_gdb_scripts" in ask("readelf", "-SW", library)
    (wanted,), (row,) = capture(whole).rows, capture(library).rows
    assert row["debug-file"] == "true" and row["mix"]["other"] == 1 + len("printers.py") + 1
    same = ["debug", "symtab", "strtab", "dwarf", "mix"]
    assert {key: row[key] for key in same} == {key: wanted[key] for key in same}


def test_debug_links_of_the_other_byte_order(capture, tmp_path):
    """The checksum in .gnu_debuglink is in the byte order of the file."""
    source, whole = tmp_path / "whole.c", tmp_path / "whole.so"
    source.write_text("int f(int a) {return a;}")
    target = ["--target=powerpc64-linux-gnu", "-fuse-ld=lld", "-nostdlib", "-shared", "-fPIC", "-g"]
    tool("ld.lld")
    subprocess.run([tool("clang"), *target, "-o", whole, source], check=True)
    (tmp_path / "stripped").mkdir()
    library, debug = tmp_path / "stripped" / "whole.so", tmp_path / "stripped" / "whole.debug"
    subprocess.run([tool("llvm-objcopy"), "--only-keep-debug", whole, debug], check=True)
    subprocess.run([tool("llvm-objcopy"), "--strip-all", f"--add-gnu-debuglink={debug}", whole, library], check=True)
    (wanted,), captured = capture(whole).rows, capture(library)
    (row,) = captured.rows
    assert captured.said == "" and row["debug-file"] == "true" and row["debug"] == wanted["debug"]


def test_debug_files_of_another_build(capture, tmp_path):
    """A debug file with another checksum than .gnu_debuglink states is told of in one line, also where there are
    several, unless the right one is found. That is no failure. The library itself is not taken for one."""
    libraries, right = [], tmp_path / "right"
    right.mkdir()
    for name in ("one", "two"):
        whole = built(tmp_path, name, "int f(int a) {return a;}", "-g", "-Wl,--build-id=none")
        (tmp_path / name).mkdir()
        library = tmp_path / name / whole.name
        debug = right / ("two.so" if name == "two" else "one.debug")  # the library's own name, as in .debug
        subprocess.run([tool("objcopy"), "--only-keep-debug", whole, debug], check=True)
        subprocess.run([tool("objcopy"), "--strip-all", f"--add-gnu-debuglink={debug}", whole, library], check=True)
        libraries.append(library)
    assert capture(*libraries).said == ""
    wrong = [tmp_path / "one" / "one.debug", tmp_path / "two" / ".debug" / "two.so"]
    wrong[1].parent.mkdir()
    says = "has not the checksum that .gnu_debuglink states, and the profile has nothing of it"
    for path, more in ((wrong[1], ""), (wrong[0], ", and the same goes for 1 more")):
        path.write_bytes((right / path.name).read_bytes() + b"x")
        captured = capture(*libraries)
        first = f"pyelfprof: {path}: {says}{more}; name the directory of the right debug files with --debug-dir\n"
        assert captured.said == first and not any("debug" in row for row in captured.rows)
    assert capture("--quiet", *libraries).said == ""
    found = capture("--debug-dir", right, *libraries)
    assert found.said == "" and all("debug" in row for row in found.rows)


def test_compressed_debug_information(capture, tmp_path):
    text = "int f(int a) {int b = a; return b;}" + "".join(f"struct s{i} {{int member{i};}} v{i};" for i in range(99))
    plain = built(tmp_path, "plain", text, "-g")
    for how in ("zlib", "zlib-gnu"):
        packed = tmp_path / f"{how}.so"
        subprocess.run([tool("objcopy"), f"--compress-debug-sections={how}", plain, packed], check=True)
        (wanted,) = capture(plain).rows
        (row,) = capture(packed).rows
        assert row["compressed"] == "zlib"
        assert row["dwarf"] == wanted["dwarf"]
        if how == "zlib":
            assert row["mix"] == wanted["mix"]


@pytest.mark.parametrize("how", ["zlib", "zstd"])
def test_compressed_sets(capture, programs, sets, tmp_path, how):
    """pyelfprof reads compressed sections that libdwarf does not: those so small that it takes them for broken, and
    zstd."""
    plain = sets.get("odd")
    profile = tmp_path / "odd.prof"
    profile.write_text(variant_text("odd"))
    programs.run("pyelfgen", "--profile", profile, "--compress", how, "-o", tmp_path / how, "-q")
    for wanted, row in zip(capture(plain).rows, capture(tmp_path / how).rows, strict=True):
        assert row["compressed"] == how
        same = ["debug", "mix", "dwarf"]
        assert {key: row[key] for key in same} == {key: wanted[key] for key in same}


def test_files_that_units_refer_to_are_noted(capture, tmp_path):
    split = built(tmp_path, "split", "int f(int a) {return a;}", "-g", "-gsplit-dwarf")
    (row,) = capture(split).rows
    assert row["split"] == "true"
    two = [built(tmp_path, f"multi{i}", f"struct s {{int a, b, c;}} v; int f{i};", "-g") for i in range(2)]
    if shutil.which("dwz"):
        subprocess.run(["dwz", "-m", tmp_path / "common.dwz", *two], capture_output=True)
    if (tmp_path / "common.dwz").exists():
        rows = capture(*two).rows
        assert [row.get("alternate") for row in rows] == ["true", "true"]


def test_files_that_others_share_are_named(capture, programs, tmp_path):
    """A twin without debug information names a shared file as dwz does. Readers go on without that file."""
    profile = tmp_path / "shared.prof"
    row = "{kind: utility, text: 20000, data: 1000, symtab: 2400, strtab: 2000, functions: 20, alternate: true}"
    profile.write_text(f"pyelfgen-profile: 1\nlibraries:\n- {row}\n- {row.replace('alternate: true', 'alternate: false')}\n")
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "-q")
    paths = counted_libraries(tmp_path / "set")
    assert [row.get("alternate") for row in capture(*paths).rows] == ["true", None]
    said = ask("readelf", "--debug-dump=links,no-follow-links", paths[0])
    assert "/usr/lib/debug/.dwz/x86_64-linux-gnu/application.debug" in said and "Build-ID (0x14 bytes)" in said
    assert ask("eu-elflint", "--gnu-ld", paths[0]) == "No errors\n"
    assert "0x" in ask("gdb", "-batch", "-nx", "-ex", "info address libutility0_visits", paths[0])


def test_debug_files_that_are_not_installed_are_named(capture, programs, tmp_path):
    """Debuggers look for the file that .gnu_debuglink names in three places. So a twin names one, too, which is not
    there either."""
    library = built(tmp_path, "linked", "int f(int a) {return a;}", "-g", "-Wl,--build-id")
    debug = tmp_path / "linked.debug"
    subprocess.run([tool("objcopy"), "--only-keep-debug", library, debug], check=True)
    subprocess.run([tool("objcopy"), "--strip-all", f"--add-gnu-debuglink={debug}", library], check=True)
    (row,) = capture(library).rows
    assert row["debug-file"] == "true" and "debug-link" not in row
    debug.unlink()
    (row,) = capture(library).rows
    assert row["debug-link"] == "true" and "debug-file" not in row

    profile = tmp_path / "absent.prof"
    row = "{kind: utility, text: 20000, data: 1000, functions: 20"
    links = ["true", "true, build-id: false", "false"]
    rows = "".join(f"- {row}, debug-link: {link}}}\n" for link in links)
    profile.write_text(f"pyelfgen-profile: 1\nlibraries:\n{rows}")
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "-q")
    paths = counted_libraries(tmp_path / "set")
    assert [row.get("debug-link") for row in capture(*paths).rows] == ["true", "true", None]
    (build_id,) = re.findall(r"Build ID: (\w+)", ask("readelf", "-n", paths[0]))
    for path, name in zip(paths, [f"{build_id[2:]}.debug", "libutility1.so.debug"]):
        assert f"Separate debug info file: {name}\n" in ask("readelf", "--debug-dump=links,no-follow-links", path)
        assert ask("eu-elflint", "--gnu-ld", path) == "No errors\n"


def test_partial_units_are_not_among_the_units(capture, programs, tmp_path):
    library = library_of_units(tmp_path)
    (row,) = capture(library).rows
    assert row["dwarf"]["units"] == 3 and "partial" not in row["dwarf"]
    subprocess.run([tool("dwz"), library], check=True)
    (row,) = capture(library).rows
    assert row["dwarf"]["units"] == 3 and row["dwarf"]["partial"] == 1
    said = programs.run("pyelfprof", "--explain", tmp_path / "captured.prof").stdout
    assert "and has 3 units, 1 partial unit, " in said


@pytest.mark.parametrize("version", [4, 5])
def test_type_units_are_not_among_the_units(capture, programs, tmp_path, version):
    text = "struct a {int x;} p; struct b {struct a y;} q; enum c {d} e;"
    library = built(tmp_path, "types", text, "-g", f"-gdwarf-{version}", "-fdebug-types-section")
    (row,) = capture(library).rows
    assert (row["dwarf"]["units"], row["dwarf"]["type-units"]) == (1, 3)
    said = programs.run("pyelfprof", "--explain", tmp_path / "captured.prof").stdout
    assert "and has 1 unit, 3 type units, " in said


# ---- where the files come from ----


def test_directories(capture, tmp_path, tiny_library):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    shutil.copy(tiny_library, tmp_path / "deep" / "er" / "a.so")
    (tmp_path / "deep" / "again.so").symlink_to("er/a.so")
    (tmp_path / "deep" / "loop").symlink_to(tmp_path / "deep")
    (tmp_path / "deep" / "text.so").write_text("no library")
    (tmp_path / "deep" / "empty.so").touch()
    (tmp_path / "deep" / "gone.so").symlink_to("nowhere")
    os.mkfifo(tmp_path / "deep" / "fifo.so")
    shutil.copy("/bin/true", tmp_path / "deep" / "program")
    captured = capture(tmp_path / "deep", timeout=20)
    assert [row["name"] for row in captured.rows] == ["again.so"] and captured.said == ""


def test_libraries_for_32_bits(capture, tmp_path, tiny_library):
    (tmp_path / "all").mkdir()
    shutil.copy(tiny_library, tmp_path / "all" / "a.so")
    small = built(tmp_path / "all", "b", "int called(void) { return 1; }", "-m32", "-nostdlib")
    assert [row["name"] for row in capture(tmp_path / "all").rows] == ["a.so"]
    (row,) = capture(small).rows
    assert row["name"] == "b.so" and row["machine"] == 3 and row["text"] == sizes_by_binutils(small)["text"]


def test_patterns(capture, small):
    def names(*arguments):
        return [row["name"] for row in capture("--no-dwarf", *arguments, small).rows]

    assert names("--only", "libmodule[01].so") == ["libmodule0.so", "libmodule1.so"]
    assert names("--only", "*/libmodule*", "--without", "libmodule[1-9].so") == ["libmodule0.so"]
    assert all("utility" in name for name in names("--without", "libmodule*"))


@pytest.mark.slow
@pytest.mark.parametrize("program", ["/usr/bin/python3", "/usr/bin/gdb", "/bin/ls"])
def test_what_a_program_would_load(capture, program):
    if not os.path.exists(program):
        pytest.skip(f"there is no {program}")
    loader = re.search(r"interpreter: (\S+)\]", ask("readelf", "-lW", program))[1]
    lines = ask(loader, "--list", program).splitlines()
    listed = [re.match(r"\s*(?:\S+ => )?(/\S+)", line) for line in lines]
    wanted = [os.path.realpath(found[1]) for found in listed if found]
    captured = capture("--no-dwarf", "--exec", program)
    assert captured.rows[0]["name"] == os.path.basename(program)
    found = {row["name"] for row in captured.rows[1:]}
    assert len(found) == len(wanted)
    for path in wanted:
        beside = pathlib.Path(path).parent.iterdir()
        links = {os.path.basename(path)} | {other.name for other in beside if os.path.realpath(other) == path}
        assert found & links, path
    # no library needs anything that is not there
    assert all(row["outside"] == 0 for row in captured.rows)


def test_runpath_with_origin(capture, tmp_path, programs):
    (tmp_path / "lib").mkdir()
    (tmp_path / "bin").mkdir()
    built(tmp_path / "lib", "libdeep", "int deep(void) {return 1;}")
    text = "int deep(void); int top(void) {return deep();}"
    built(tmp_path / "lib", "libtop", text, f"-L{tmp_path / 'lib'}", "-ldeep", "-Wl,-rpath,$ORIGIN")
    source = tmp_path / "main.c"
    source.write_text("int top(void); int main(void) {return top();}")
    program = tmp_path / "bin" / "main"
    flags = ["-L" + str(tmp_path / "lib"), "-ltop", f"-Wl,-rpath-link,{tmp_path / 'lib'}"]
    subprocess.run([tool("gcc"), "-o", program, source, *flags, "-Wl,-rpath,$ORIGIN/../lib"], check=True)
    names = [row["name"] for row in capture("--exec", program, "--without", "/lib*").rows]
    assert names == ["main", "libtop.so", "libdeep.so"]
    subprocess.run([tool("gcc"), "-o", program, source, *flags], check=True)
    captured = capture("--exec", program, "--without", "/lib*", status=1)
    assert "needs libtop.so, which is nowhere" in captured.said
    captured = capture("--exec", program, "--without", "/lib*", env={"LD_LIBRARY_PATH": str(tmp_path / "lib")})
    names = [row["name"] for row in captured.rows]
    assert names == ["main", "libtop.so", "libdeep.so"]


def test_what_libraries_are_filters_of(capture, tmp_path):
    """The dynamic linker loads it, and goes on without what DT_AUXILIARY names if that is nowhere."""
    for name in ["libreal", "libmore"]:
        built(tmp_path, name, f"int {name}(void) {{return 1;}}")
    filters = "--filter,libreal.so,--auxiliary,libmore.so,--auxiliary,libnowhere.so,-rpath,$ORIGIN"
    built(tmp_path, "libfilter", "int libreal(void) {return 2;}", f"-Wl,{filters}")
    (tmp_path / "main.c").write_text("int libreal(void); int main(void) {return libreal();}")
    program = tmp_path / "main"
    flags = [f"-L{tmp_path}", "-lfilter", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run([tool("gcc"), "-o", program, tmp_path / "main.c", *flags], check=True)
    names = [row["name"] for row in capture("-q", "--exec", program, "--without", "/lib*").rows]
    loaded = re.findall(rf"{tmp_path}/(\S+\.so) ", ask("env", "LD_TRACE_LOADED_OBJECTS=1", program))
    assert names[0] == "main" and set(names[1:]) == {"libfilter.so", *loaded}
    assert {"libreal.so", "libmore.so"} <= set(names)
    assert subprocess.run([program]).returncode == 1
    (tmp_path / "libreal.so").unlink()
    captured = capture("-q", "--exec", program, "--without", "/lib*", status=1)
    assert "needs libreal.so, which is nowhere" in captured.said and "libnowhere" not in captured.said


@pytest.mark.parametrize("linker, told", [("/lib/ld-musl-x86_64.so.1", True), ("/opt/lib/ld-linux-x86-64.so.2", False)])
def test_a_program_of_another_dynamic_linker(capture, tmp_path, linker, told):
    """The rules that its libraries are looked for by are not its own."""
    (tmp_path / "main.c").write_text("int main(void) {return 0;}")
    program = tmp_path / "main"
    subprocess.run([tool("gcc"), "-o", program, tmp_path / "main.c", f"-Wl,--dynamic-linker={linker}"], check=True)
    captured = capture("-q", "--exec", program, status=int(told))
    said = (
        f"pyelfprof: {program}: is started by {linker}, and its libraries are looked for as glibc's ld.so would, which "
        "may be others; capture it by --pid while it runs\n"
    )
    assert captured.said == (said if told else "") and captured.rows[0]["name"] == "main"


def need_each_other(tmp_path):
    """Builds bin/main, which needs lib/libtop.so, which needs deep/libdeep.so. Returns the program's path."""
    for name in ("bin", "lib", "deep"):
        (tmp_path / name).mkdir()
    built(tmp_path / "deep", "libdeep", "int deep(void) {return 1;}")
    built(tmp_path / "lib", "libtop", "int deep(void); int top(void) {return deep();}", f"-L{tmp_path / 'deep'}", "-ldeep")
    source = tmp_path / "main.c"
    source.write_text("int top(void); int main(void) {return top() - 1;}")
    flags = ["-L" + str(tmp_path / "lib"), "-ltop", f"-Wl,-rpath-link,{tmp_path / 'deep'}"]
    subprocess.run([tool("gcc"), "-o", tmp_path / "bin" / "main", source, *flags], check=True)
    return tmp_path / "bin" / "main"


@pytest.mark.parametrize("path", ["../lib;../deep", "../lib:", ":../lib", "$ORIGIN/../lib:$ORIGIN/../deep"])
def test_library_path_as_the_loader_reads_it(capture, tmp_path, path):
    """Semicolons separate directories, too; an empty directory is the current one; $ORIGIN is that of the program,
    whatever library is looked for."""
    program = need_each_other(tmp_path)
    environment = {"LD_LIBRARY_PATH": path}
    subprocess.run([program], cwd=tmp_path / "deep", env=environment, check=True)
    rows = capture("--exec", program, "--without", "/lib*", cwd=tmp_path / "deep", env=environment).rows
    assert [row["name"] for row in rows] == ["main", "libtop.so", "libdeep.so"]


def word_for_lib(program):
    """What the program's loader says that $LIB is: lib64, or lib/x86_64-linux-gnu."""
    loader = re.search(r"interpreter: (\S+)\]", ask("readelf", "-lW", program))[1]
    said = subprocess.run([loader, "--list-diagnostics"], capture_output=True, text=True).stdout
    found = re.search(r'dl_dst_lib="(.*)"', said)
    return found[1] if found else pytest.skip("this loader does not say what $LIB is")


def test_the_loaders_word_for_lib(capture, tmp_path):
    program = need_each_other(tmp_path)
    directory = tmp_path / "under" / word_for_lib(program)
    directory.mkdir(parents=True)
    for library in ("lib/libtop.so", "deep/libdeep.so"):
        shutil.move(tmp_path / library, directory)
    for path in ("under/$LIB", "$ORIGIN/../under/${LIB}"):
        subprocess.run([program], cwd=tmp_path, env={"LD_LIBRARY_PATH": path}, check=True)
        rows = capture("--exec", program, "--without", "/lib*", cwd=tmp_path, env={"LD_LIBRARY_PATH": path}).rows
        assert [row["name"] for row in rows] == ["main", "libtop.so", "libdeep.so"]


@pytest.mark.parametrize("path", ["$ORIGINAL/lib:$ORIGINAL/deep", "$LIB_64:$PLATFORM2", "${LIB}64:${ORIGIN}2"])
def test_names_that_begin_as_variables_do(capture, tmp_path, path):
    """Without braces, names of variables end where words do, and other variables are not replaced."""
    program = need_each_other(tmp_path)
    beside = f"{tmp_path / 'bin'}2"
    os.mkdir(beside)
    for name, library in zip(path.split(":"), ["lib/libtop.so", "deep/libdeep.so"]):
        directory = tmp_path / name.replace("${LIB}", word_for_lib(program)).replace("${ORIGIN}2", beside)
        directory.mkdir(parents=True, exist_ok=True)
        shutil.move(tmp_path / library, directory)
    environment = {"LD_LIBRARY_PATH": path}
    subprocess.run([program], cwd=tmp_path, env=environment, check=True)
    rows = capture("--exec", program, "--without", "/lib*", cwd=tmp_path, env=environment).rows
    assert [row["name"] for row in rows] == ["main", "libtop.so", "libdeep.so"]


@pytest.mark.parametrize("path", ["$ORIGIN/../lib:", ":", "$ORIGIN/../lib:$ORIGIN/../lib"])
def test_empty_directories_of_a_program(capture, tmp_path, path):
    """An empty directory in DT_RPATH is the current one. A directory that is there twice makes none."""
    program = need_each_other(tmp_path)
    shutil.copy(tmp_path / "deep" / "libdeep.so", tmp_path)
    shutil.copy(tmp_path / "lib" / "libtop.so", tmp_path)
    flags = ["-L" + str(tmp_path / "lib"), "-ltop", f"-Wl,-rpath-link,{tmp_path / 'deep'}", "-Wl,--disable-new-dtags"]
    subprocess.run([tool("gcc"), "-o", program, tmp_path / "main.c", *flags, f"-Wl,-rpath,{path}"], check=True)
    runs = subprocess.run([program], cwd=tmp_path, stderr=subprocess.DEVNULL).returncode == 0
    rows = capture("-q", "--exec", program, "--without", "/lib*", cwd=tmp_path, status=0 if runs else 1).rows
    assert runs == path.endswith(":") == ("libdeep.so" in [row["name"] for row in rows])


@pytest.fixture
def with_cache(programs, tmp_path):
    """Runs pyelfprof --exec where a file takes the place of /etc/ld.so.cache, and gives what it says and the rows'
    names."""

    def run(cache, program, status):
        output = tmp_path / "cached.prof"
        words = [programs.path("pyelfprof"), "--names", "-o", output, "--without", "/lib*", "--exec", program]
        script = 'mount --bind "$0" /etc/ld.so.cache && exec "$@"'
        said = programs.command(["unshare", "-rm", "sh", "-c", script, cache, *words], status=status).stderr
        return said, [row["name"] for row in Capture(output).rows]

    if not os.path.exists("/etc/ld.so.cache") or subprocess.run(["unshare", "-rm", "true"]).returncode != 0:
        pytest.skip("there is no cache, or no namespace for another one")
    return run


@pytest.mark.parametrize("form", ["new", "compat"])
def test_the_loaders_cache(with_cache, tmp_path, form):
    """In either of the forms that ldconfig writes. A cache that is cut off, or in which numbers are too large, is used
    as far as it goes."""
    program = need_each_other(tmp_path)
    cache = tmp_path / "cache"
    ldconfig = tool("ldconfig", "/sbin/ldconfig")
    subprocess.run([ldconfig, "-X", "-c", form, "-C", cache, "-f", "/dev/null", tmp_path / "lib", tmp_path / "deep"], check=True)
    assert with_cache(cache, program, status=0) == ("", ["main", "libtop.so", "libdeep.so"])
    whole = cache.read_bytes()
    new = whole.index(b"glibc-ld.so.cache1.1")
    assert (new > 0) == (form == "compat")
    name = whole.index(b"libtop.so\0")
    large = b"\xff\xff\xff\xff"
    entries = range(new + 48, new + 48 + 24 * int.from_bytes(whole[new + 20 : new + 24], "little"), 24)
    outside = bytearray(whole)
    for entry in entries:
        outside[entry + 4 : entry + 12] = large * 2
    broken = [whole[:length] for length in (0, 11, 16, new + 20, new + 48, new + 60, name)]
    broken += [outside, whole[:new] + whole[new + 1 :], *([whole[:12] + large + whole[16:]] if new else [])]
    for content in broken:
        cache.write_bytes(content)
        said, names = with_cache(cache, program, status=1)
        assert said.count("needs libtop.so, which is nowhere") == said.count("\n") == 1 and names == ["main"]
    cache.write_bytes(whole[: new + 20] + large + whole[new + 24 :])
    assert with_cache(cache, program, status=0) == ("", ["main", "libtop.so", "libdeep.so"])


BROKEN = {
    "no headers": (lambda path, _: path.write_bytes(headless(path.read_bytes())), "has no section headers, and"),
    "cut off": (lambda path, _: os.truncate(path, 3000), "has its section headers"),
    "text": (lambda path, _: path.write_text("INPUT(libtop.so.1)\n"), "is not an ELF file"),
    "directory": (lambda path, _: (path.unlink(), path.mkdir()), "is a directory, not an ELF file"),
    "for another": (lambda path, source: ask("gcc", "-m32", "-nostdlib", "-shared", "-o", path, source), None),
}


def headless(content):
    """An ELF file without section headers: e_shoff, e_shnum and e_shstrndx are zero. ld.so loads it."""
    return content[:40] + bytes(8) + content[48:60] + bytes(4) + content[64:]


@pytest.mark.parametrize("kind", BROKEN)
def test_the_search_ends_at_a_broken_library(capture, tmp_path, kind):
    """ld.so takes the first file of the name, or fails, whatever else is broken in it. It passes over those for another
    machine."""
    program = need_each_other(tmp_path)
    (tmp_path / "first").mkdir()
    broken = tmp_path / "first" / "libtop.so"
    shutil.copy(tmp_path / "lib" / "libtop.so", broken)
    make, said = BROKEN[kind]
    (tmp_path / "top.c").write_text("int top(void) {return 1;}")
    make(broken, tmp_path / "top.c")
    environment = {"LD_LIBRARY_PATH": ":".join(str(tmp_path / name) for name in ("first", "lib", "deep"))}
    captured = capture("--exec", program, "--without", "/lib*", env=environment, status=1 if said else 0)
    names = [row["name"] for row in captured.rows]
    assert names == (["main"] if said else ["main", "libtop.so", "libdeep.so"])
    assert captured.said.startswith(f"pyelfprof: {broken}: {said}" if said else "")
    assert captured.said.count("\n") == bool(said)
    assert f"unreadable: {int(bool(said))}" in captured.text


@pytest.mark.parametrize("path", ["wrong:lib:right", "wrong:lib::right"])
def test_a_program_of_the_path(capture, tmp_path, path):
    """The first program of the name in PATH is captured, which no directory is. An empty directory is the current
    one."""
    (tmp_path / "main.c").write_text("int main(void) {return 0;}")
    for place in (tmp_path, tmp_path / "right"):
        place.mkdir(exist_ok=True)
        subprocess.run([tool("gcc"), "-o", place / "tried", tmp_path / "main.c"], check=True)
    (tmp_path / "wrong" / "tried").mkdir(parents=True)
    environment = {"PATH": path}
    capture("--list", tmp_path / "list", "--without-libc", "--exec", "tried", cwd=tmp_path, env=environment)
    (line,) = (tmp_path / "list").read_text().splitlines()
    assert line.endswith("\t./tried" if "::" in path else "\tright/tried")


# The line that says that files of the C library are among those captured.
LIBC = (
    r"pyelfprof: \d+ files? of the C library (is|are) among them; a twin runs on the real one as well, and costs up to "
    r"1\.5 times as much to load and debug: leave (it|them) out with --without-libc\n"
)


def test_the_c_library(capture, programs, tmp_path):
    """--without-libc leaves the C library out. Without the option, one line says that it was captured, unless it was
    asked for by name."""
    program = "/usr/bin/python3"
    whole = capture("--no-dwarf", "--exec", program)
    assert re.fullmatch(LIBC, whole.said)
    glibc = ["ld-linux-x86-64.so.2", *(f"lib{name}.so.*" for name in ("c", "m", "dl", "pthread", "util", "rt"))]
    patterns = [p for p in glibc if any(fnmatch.fnmatch(row["name"], p) for row in whole.rows)]
    by_hand = capture("--no-dwarf", *(f"--without={pattern}" for pattern in patterns), "--exec", program)
    without = capture("--no-dwarf", "--without-libc", "--exec", program)
    assert without.text == by_hand.text and without.said == by_hand.said == ""
    assert {row["name"] for row in whole.rows} - {row["name"] for row in without.rows} >= {"libc.so.6", "libm.so.6"}
    quiet = capture("-q", "--no-dwarf", "--exec", program)
    assert quiet.text == whole.text and (quiet.said, quiet.printed) == ("", "")
    libc = ask("gcc", "-print-file-name=libc.so.6").strip()
    for asked in ([libc], ["--exec", libc], ["--only", "libc.so.6", "--exec", program]):
        captured = capture("--no-dwarf", *asked)
        assert "libc.so.6" in [row["name"] for row in captured.rows] and captured.said == ""
    assert re.fullmatch(LIBC, capture("--no-dwarf", "--only", "*/libc.so*", "--exec", program).said)
    done = programs.run("pyelfprof", "--without-libc", "-o", tmp_path / "none.prof", libc, status=1)
    assert done.stderr == "pyelfprof: --without-libc: the one ELF file that was found is not left; see --help\n"


def test_names_of_the_c_library(capture, tmp_path, tiny_library):
    """The C library's files are known by their names, also those from before glibc 2.34. Similar names are not taken
    for them."""
    libc = """ld-linux-x86-64.so.2 ld-2.31.so libc.so.6 libc-2.31.so libm.so.6 libm-2.31.so libmvec.so.1 libmvec-2.31.so
        libpthread.so.0 libpthread-2.31.so libdl.so.2 libdl-2.31.so librt.so.1 librt-2.31.so libutil.so.1 libutil-2.31.so
        libresolv.so.2 libresolv-2.31.so libanl.so.1 libanl-2.31.so libBrokenLocale.so.1 libBrokenLocale-2.31.so
        libnss_files.so.2 libnss_files-2.31.so libthread_db.so.1 libthread_db-1.0.so libc_malloc_debug.so.0""".split()
    others = "libcap.so.2 libcrypt.so.1 libgmodule-2.0.so libm.so.60 libmagic.so.1 libnss3.so libstdc++.so.6".split()
    for name in libc + others:
        shutil.copy(tiny_library, tmp_path / name)
    captured = capture("--no-dwarf", tmp_path)
    assert len(captured.rows) == len(libc + others)
    assert captured.said.startswith(f"pyelfprof: {len(libc)} files of the C library are among them; ")
    captured = capture("--no-dwarf", "--without-libc", tmp_path)
    assert [row["name"] for row in captured.rows] == sorted(others) and captured.said == ""


@pytest.fixture
def process(tmp_path):
    """Starts a Python process that has loaded some modules and waits."""
    script = "import _decimal, zlib, mmap, sys, time; print('ready', flush=True); time.sleep(100)"
    with subprocess.Popen(["/usr/bin/python3", "-c", script], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "ready\n"
        yield running
        running.kill()


def mapped(pid):
    lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
    paths = [line.split()[-1] for line in lines if " r-xp " in line]
    return {os.path.basename(path) for path in paths if path.startswith("/")}


def test_a_process(capture, process):
    captured = capture("--no-dwarf", "--pid", process.pid)
    assert {row["name"] for row in captured.rows} == mapped(process.pid)
    assert captured.rows[0]["name"].startswith("python3")
    assert flow_from(captured) == "pid" and re.fullmatch(LIBC, captured.said)


def test_a_process_with_line_breaks_in_paths(capture, tmp_path, tiny_library):
    """The kernel writes them as \\012, which a file's own name may have, too."""
    paths = [tmp_path / name for name in ("line\nbreak.so", "back\\012slash.so")]
    for path in paths:
        shutil.copy(tiny_library, path)
    script = "import ctypes, sys, time; [ctypes.CDLL(p) for p in sys.argv[1:]]; print('ready', flush=True); time.sleep(100)"
    with subprocess.Popen(["/usr/bin/python3", "-c", script, *paths], stdout=subprocess.PIPE, text=True) as running:
        running.stdout.readline()
        captured = capture("-q", "--no-dwarf", "--pid", running.pid)
        running.kill()
    assert {"line?break.so", "back\\012slash.so"} <= {row["name"] for row in captured.rows}


@pytest.mark.skipif(os.getuid() != 0, reason="only root may change a process's root")
def test_a_process_in_a_container(capture, tmp_path):
    """It has other files at the same paths: those that it has loaded are captured, and not ours."""
    (tmp_path / "small.c").write_text("int answer(void) { return 42; }\n")
    (tmp_path / "large.c").write_text("int answer(void) { return 42; }\nconst char many[100000] = {1};\n")
    (tmp_path / "main.c").write_text("#include <unistd.h>\nint answer(void); int main(void) { write(1, \"ready\\n\", 6); return pause() + answer(); }\n")
    inside = tmp_path / "root"
    library, within = tmp_path / "libanswer.so", inside / tmp_path.relative_to("/") / "libanswer.so"
    within.parent.mkdir(parents=True)
    gcc = [tool("gcc"), "-shared", "-fPIC"]
    subprocess.run([*gcc, "-o", library, tmp_path / "small.c"], check=True)
    subprocess.run([*gcc, "-o", within, tmp_path / "large.c"], check=True)
    subprocess.run([tool("gcc"), "-o", inside / "main", tmp_path / "main.c", library], check=True)
    for path in re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", inside / "main"], capture_output=True, text=True).stdout):
        if path != str(library):
            (inside / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, inside / path[1:])
    with subprocess.Popen(["chroot", inside, "/main"], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "ready\n"
        captured = capture("--no-dwarf", "--pid", running.pid)
        running.kill()
    (row,) = [row for row in captured.rows if row["name"] == "libanswer.so"]
    assert row["text"] > 100000


def flow_from(captured):
    return re.search(r"from: (\w+)", captured.top["captured"])[1]


def test_a_core(capture, programs, process, tmp_path):
    tool("gcore")
    subprocess.run(["gcore", "-o", tmp_path / "core", str(process.pid)], capture_output=True, check=True)
    wanted = [row["name"] for row in capture("--no-dwarf", "--pid", process.pid).rows]
    core = tmp_path / f"core.{process.pid}"
    captured = capture("--no-dwarf", core)
    assert [row["name"] for row in captured.rows] == wanted
    assert flow_from(captured) == "core"
    done = programs.run("pyelfprof", "-o", tmp_path / "none.prof", "--exec", core, status=1)
    assert f"{core}: is a core file, and no library or program; pyelfprof CORE, without --exec, captures" in done.stderr
    assert not (tmp_path / "none.prof").exists()
    content = core.read_bytes()
    core.write_bytes(content[:3000])
    done = programs.run("pyelfprof", "-o", tmp_path / "none.prof", core, status=1)
    assert f"{core}: is a core file that does not say which files were mapped" in done.stderr


def test_a_core_of_many_mappings(capture, programs, process, tmp_path):
    """Where there are 65,535 program headers or more, their number is in section 0. They may come in any order."""
    tool("gcore")
    subprocess.run(["gcore", "-o", tmp_path / "core", str(process.pid)], capture_output=True, check=True)
    core = tmp_path / f"core.{process.pid}"
    wanted = [row["name"] for row in capture("--no-dwarf", core).rows]
    content = core.read_bytes()
    place, count = struct.unpack_from("<Q", content, 32)[0], struct.unpack_from("<H", content, 56)[0]
    headers = [content[place + 56 * i :][:56] for i in range(count)]
    headers = bytes(56 * 70000) + b"".join(reversed(headers))
    first = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 70000 + count, 0, 0)
    header = content[:32] + struct.pack("<QQ", len(content) + len(first), len(content)) + content[48:56]
    header += struct.pack("<HHHH", 0xFFFF, 64, 1, 0)
    assert len(header) == 64
    core.write_bytes(header + content[64:] + first + headers)
    captured = capture("--no-dwarf", core)
    assert [row["name"] for row in captured.rows] == wanted and "no link map" not in captured.said
    for number in (70000 + count + 1, 1 << 22, 0xFFFFFFFF):  # more than the file has, or than is looked at
        first = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, number, 0, 0)
        core.write_bytes(header + content[64:] + first + headers)
        done = programs.run("pyelfprof", "-o", tmp_path / "none.prof", core, status=1)
        assert f"{core}: is a core file that does not say which files were mapped" in done.stderr


def test_a_deleted_file(capture, tmp_path, tiny_library):
    library = tmp_path / "deleted.so"
    shutil.copy(tiny_library, library)
    script = f"import ctypes, time; ctypes.CDLL({str(library)!r}); print('ready', flush=True); time.sleep(100)"
    with subprocess.Popen(["/usr/bin/python3", "-c", script], stdout=subprocess.PIPE, text=True) as running:
        running.stdout.readline()
        library.unlink()
        if os.geteuid() == 0:
            captured = capture("--no-dwarf", "--pid", running.pid)
            assert "deleted.so" in [row["name"] for row in captured.rows]
            only = capture("--no-dwarf", "--only", library, "--pid", running.pid)
            assert [row["name"] for row in only.rows] == ["deleted.so"]
        else:
            captured = capture("--no-dwarf", "--pid", running.pid, status=1)
            assert "deleted.so: is mapped by process" in captured.said
        running.kill()
    assert len(captured.rows) > 3


def test_a_script(capture, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, zlib, _decimal\nprint(sys.argv[1:], __name__)\nsys.exit(0)\n")
    path = os.pathsep.join(["/usr/bin", os.environ["PATH"]])
    captured = capture("--no-dwarf", "--python", script, "--names", "-x", env={"PATH": path}, leaks=False)
    assert captured.printed == "['--names', '-x'] __main__\n"
    assert captured.said.startswith(f"{captured.path}: {len(captured.rows)} libraries\n")
    names = [row["name"] for row in captured.rows]
    assert names[0].startswith("python3")
    code = "import zlib, _decimal, sys; print([str(getattr(m, '__file__', '')) for m in sys.modules.values()])"
    own = python_says(code)
    for module in re.findall(r"/([^/']+\.so)'", own):
        assert module in names


def test_what_the_interpreter_names_for_its_modules(capture, tmp_path):
    """The interpreter's DT_RPATH is searched for what an extension module needs, as conda relies on."""
    include, version = python_says(
        "import sysconfig; print(sysconfig.get_path('include'), sysconfig.get_config_var('LDVERSION'))"
    ).split()
    (tmp_path / "lib").mkdir()
    built(tmp_path / "lib", "libdep", "int dep(void) {return 1;}")
    module = (
        "#include <Python.h>\nint dep(void); static struct PyModuleDef is = {PyModuleDef_HEAD_INIT, \"uses\"};\n"
        "PyMODINIT_FUNC PyInit_uses(void) {return dep() ? PyModule_Create(&is) : NULL;}\n"
    )
    built(tmp_path, "uses", module, f"-I{include}", f"-L{tmp_path / 'lib'}", "-ldep")
    source = tmp_path / "python3.c"
    source.write_text("#include <Python.h>\nint main(int n, char **words) {return Py_BytesMain(n, words);}\n")
    flags = [f"-I{include}", f"-lpython{version}", "-Wl,--disable-new-dtags,-rpath,$ORIGIN/lib"]
    subprocess.run([tool("gcc"), "-o", tmp_path / "python3", source, *flags], check=True)
    (tmp_path / "script.py").write_text("import uses\n")
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    captured = capture("-q", "--no-dwarf", "--python", tmp_path / "script.py", env={"PATH": path}, leaks=False)
    names = [row["name"] for row in captured.rows]
    assert names[0] == "python3" and {"uses.so", "libdep.so"} <= set(names)


def test_a_run(capture, programs):
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    command = ["/usr/bin/python3", "-c", "import _json, _decimal; print('ran')"]
    captured = capture("-q", "--no-dwarf", "--run", *command)
    assert captured.printed == "ran\n"
    names = [row["name"] for row in captured.rows]
    assert names[0].startswith("python3")
    places = [next(i for i, name in enumerate(names) if name.startswith(module)) for module in ("_json.", "_decimal.")]
    assert places == sorted(places)
    times = [float(row["loaded"]) for row in captured.rows]
    assert times == sorted(times) and times[0] == 0
    imports = {row["name"].split(".")[0]: float(row["import"]) for row in captured.rows if "import" in row}
    assert {"_json", "_decimal"} <= set(imports) and all(0 < time < 10_000 for time in imports.values())
    assert captured.said == ""
    captured = capture("-q", "--no-dwarf", "--run", "/bin/sh", "-c", "echo one >&2; printf two >&2")
    assert captured.said == "one\ntwo"
    failed = capture("--no-dwarf", "--run", "/bin/sh", "-c", "exit 3", status=1)
    assert "/bin/sh: ended with status 3" in failed.said


def test_a_run_opens_by_relative_paths(capture, programs, tmp_path):
    """The program opens a library by dlopen after it has changed its directory, and finds another by
    LD_LIBRARY_PATH."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    (tmp_path / "there").mkdir()
    built(tmp_path / "there", "libopened", "int a(void) {return 1;}")
    built(tmp_path / "there", "liblinked", "int b(void) {return 1;}")
    source = tmp_path / "open.c"
    source.write_text('#include <dlfcn.h>\n#include <unistd.h>\nint b(void);\n'
                      'int main(void) {return chdir("there") || !dlopen("./libopened.so", RTLD_NOW) || !b();}\n')
    command = [tool("gcc"), "-o", tmp_path / "open", source, "-L" + str(tmp_path / "there"), "-l:liblinked.so", "-ldl"]
    subprocess.run(command, check=True)
    environment = {"LD_LIBRARY_PATH": "there"}
    captured = capture("-q", "--no-dwarf", "--run", tmp_path / "open", cwd=tmp_path, env=environment)
    assert {"libopened.so", "liblinked.so"} <= {row["name"] for row in captured.rows}


def test_programs_whose_messages_the_application_reads(capture, programs, tmp_path):
    """They do not report on their imports, unless the application wants that. Those that write where the command does
    report, and pyelfprof takes that out."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    script = tmp_path / "reads.py"
    script.write_text(
        "import _decimal, os, subprocess, sys\n"
        "own = [sys.executable, '-c', 'import _json; print(1)']\n"
        "def read(command, **more):\n"
        "    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **more})\n"
        "through = read(['/bin/sh', '-c', '\"$@\" 2>&1', 'sh', *own])\n"
        "done = [read(own), through, read(own, PYTHONPROFILEIMPORTTIME='1')]\n"
        "subprocess.run([sys.executable, '-c', 'import _queue'], check=True)\n"
        "print([d.stdout for d in done], [d.stderr.count('import time') > 9 for d in done])\n"
    )
    captured = capture("-q", "--no-dwarf", "--run", "/usr/bin/python3", script)
    assert captured.printed == "['1\\n', '1\\n', '1\\n'] [False, False, True]\n" and captured.said == ""
    imports = {row["name"].split(".")[0] for row in captured.rows if "import" in row}
    assert {"_decimal", "_queue"} <= imports and "_json" not in imports


@pytest.mark.parametrize("numbers", [(3, 256), (3, 65536)], ids=["as shells do", "all"])
def test_a_program_that_wants_the_number_of_the_log(capture, programs, tmp_path, numbers):
    """It has closed all descriptors that it does not know, and opens a file of its own, in which nothing else may be."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    text = (
        f"import os\nos.closerange{numbers}\n"
        f"mine = os.open({str(tmp_path / 'mine')!r}, os.O_WRONLY | os.O_CREAT)\n"
        f"for number in range(64, {min(numbers[1], 1000)}):\n    os.dup2(mine, number)\n"
        "import _decimal, _json\n"
        "os.write(mine, b'results\\n')\n"
    )
    captured = capture("-q", "--no-dwarf", "--run", "/usr/bin/python3", "-c", text)
    names = {row["name"].split(".")[0] for row in captured.rows}
    assert {"_decimal", "_json"} <= names and captured.said == ""
    assert (tmp_path / "mine").read_bytes() == b"results\n"


def test_what_a_run_prints_goes_on_as_it_comes(programs, tmp_path):
    """Output is passed on at once: prompts without the end of a line, bytes that are no text, and what a process says
    that is left running."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    shell = r"printf 'a\0b\nimport tim' >&2; printf 'e: none\nimporting\nName? ' >&2; read x; (sleep 1; echo later >&2) & exit 0"
    command = [programs.path("pyelfprof"), "-q", "--no-dwarf", "-o", tmp_path / "x.prof", "--run", "/bin/bash", "-c", shell]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        asked = b""
        while not asked.endswith(b"? "):
            asked += os.read(running.stderr.fileno(), 1000) or pytest.fail(f"{asked} is all")
        running.stdin.write(b"x\n")
        running.stdin.close()
        assert running.wait(60) == 0
        assert asked == b"a\0b\nimport time: none\nimporting\nName? " and running.stderr.read() == b"later\n"


def test_what_is_left_running_may_go_on_to_start_programs(programs, tmp_path):
    """When the command has ended there is no list any more to which they could write, and nobody misses them."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    left = "(while [ ! -e go ]; do /bin/true; done) & " * 4
    for number in range(8):
        where = tmp_path / str(number)
        where.mkdir()
        with open(where / "said", "wb") as said:
            command = [programs.path("pyelfprof"), "-q", "--no-dwarf", "-o", "a.prof", "--run", "/bin/bash", "-c", left]
            done = subprocess.run(command, stderr=said, cwd=where, timeout=60, check=False)
        (where / "go").touch()
        assert (done.returncode, (where / "said").read_bytes()) == (0, b"")


def test_what_is_left_running_keeps_no_reader_waiting(programs, tmp_path):
    """The profile goes to a pipe, which closes when pyelfprof ends, although a process of the run goes on. The
    beginning of a line that was held back is written once."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    shell = "printf import >&2; (while [ ! -e go ]; do sleep .02; done; echo ed >&2) & exit 0"
    command = [programs.path("pyelfprof"), "-q", "--no-dwarf", "-o", "-", "--run", "/bin/bash", "-c", shell]
    with open(tmp_path / "said", "wb") as said:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=said, cwd=tmp_path, timeout=60, check=True)
    assert done.stdout.startswith(b"pyelfgen-profile: 1\n")
    (tmp_path / "go").touch()
    deadline = time.monotonic() + 60
    while not (tmp_path / "said").read_bytes().endswith(b"\n") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (tmp_path / "said").read_bytes() == b"imported\n"


def test_programs_are_searched_for_one_by_one(capture, tmp_path):
    """A library that one program finds through its DT_RPATH is not found by another program."""
    (tmp_path / "lib").mkdir()
    built(tmp_path / "lib", "libhidden", "int a(void) {return 1;}")
    source = tmp_path / "main.c"
    source.write_text("int a(void);\nint main(void) {return a();}\n")
    link = [tool("gcc"), source, "-L" + str(tmp_path / "lib"), "-l:libhidden.so", "-Wl,--disable-new-dtags"]
    subprocess.run([*link, "-o", tmp_path / "finds", f"-Wl,-rpath,{tmp_path / 'lib'}"], check=True)
    subprocess.run([*link, "-o", tmp_path / "misses"], check=True)
    captured = capture("-q", "--no-dwarf", "--exec", tmp_path / "finds", tmp_path / "misses", status=1)
    assert f"{tmp_path}/misses: needs libhidden.so, which is nowhere" in captured.said
    assert [row["name"] for row in captured.rows][:3].count("libhidden.so") == 1


# ---- what a profile is ----


def test_is_whole_or_absent(programs, tmp_path, tiny_library):
    output = tmp_path / "there" / "x.prof"
    done = programs.run("pyelfprof", "-o", output, tiny_library, status=1)
    assert done.stderr == (
        f"pyelfprof: {output}: cannot be written; choose another directory: No such file or directory\n"
    )
    output.parent.mkdir()
    output.write_text("before")
    programs.run("pyelfprof", "-o", output, tmp_path / "missing", status=1)
    assert output.read_text() == "before"
    programs.run("pyelfprof", "-o", output, tiny_library)
    assert output.read_text().startswith("pyelfgen-profile: 1\n")
    assert [path.name for path in output.parent.iterdir()] == ["x.prof"]


def test_is_the_same_again(programs, small, tmp_path):
    texts = [programs.run("pyelfprof", "-o", "-", small).stdout for _ in range(2)]
    copy = tmp_path / "elsewhere"
    shutil.copytree(small, copy)
    texts.append(programs.run("pyelfprof", "-o", "-", copy).stdout)
    assert texts[0] == texts[1] == texts[2]


def test_summary_is_a_profile(programs, capture, small):
    output = small.parent / "summary.prof"
    programs.run("pyelfprof", "--summary", "-o", output, small)
    text = output.read_text()
    assert len(text.splitlines()) == 4
    assert Capture(output).sections == {size: sums(small)[size] for size in FIVE}
    programs.run("pyelfgen", "--profile", output, "--dry-run")


def test_summary_without_modules(programs, tmp_path, small):
    """pyelfgen makes a set of such a profile as of any other."""
    output, twin = tmp_path / "x.prof", tmp_path / "twin"
    utilities = sorted(small.glob("libutility*.so"))
    done = programs.run("pyelfprof", "--summary", "-o", output, *utilities)
    assert done.stderr == "" and f"modules: 0\nutilities: {len(utilities)}\n" in output.read_text()
    programs.run("pyelfgen", "--profile", output, "-o", twin)
    assert {size: sums(twin)[size] for size in FIVE} == Capture(output).sections
    assert sorted(path.name for path in twin.glob("libutility*.so")) == [path.name for path in utilities]


def test_summary_of_what_is_partly_stripped(programs, tmp_path, small):
    """Sums cannot say that some libraries have no symbols or debug information, so pyelfprof prints a line."""
    libraries = sorted(small.glob("libmodule[0-9].so"))[:3]
    for file in libraries:
        shutil.copy(file, tmp_path)
    for level, (options, said) in enumerate([(["-g"], "3 have symbols and 2 debug information"),
                                             (["-s"], "2 have symbols and 2 debug information")]):
        subprocess.run(["strip", *options, tmp_path / libraries[0].name], check=True)
        output = tmp_path / f"{level}.prof"
        ran = programs.run("pyelfprof", "--summary", "-o", output, tmp_path)
        assert f"of 3 libraries {said}" in ran.stderr and ran.stderr.count("\n") == 1
        programs.run("pyelfgen", "--profile", output, "--dry-run")
        assert programs.run("pyelfprof", "--summary", "-q", "-o", output, tmp_path).stderr == ""
        assert programs.run("pyelfprof", "-o", output, tmp_path).stderr == ""


@pytest.mark.parametrize("output", ["x.prof", "-"])
def test_summary_that_makes_no_set(programs, tmp_path, small, output):
    """Only one of 13 libraries has symbols: too few for 13. No profile is written, and one line says why."""
    for file in counted_libraries(small):
        subprocess.run(["strip", "-o", tmp_path / file.name, file], check=True)
    source = tmp_path / "libm.so.6.c"
    source.write_text("int f(void) {return 1;}")
    with_symbols = tmp_path / "libm.so.6"
    subprocess.run([tool("gcc"), "-shared", "-fPIC", "-o", with_symbols, source], check=True)
    if output != "-":
        output = tmp_path / output
        output.write_text("from before")
    done = programs.run("pyelfprof", "--summary", "-o", output, tmp_path, status=1)
    assert re.fullmatch(
        r"pyelfprof: pyelfgen makes no set of these sums: sections: s..tab: \d+ bytes are too few: lib\w+\.so needs at "
        r"least \d+, all 13 libraries together \d+; only 1 of 13 have symbols, and 0 debug information: leave out "
        r"--summary, or the C library with --without-libc\n",
        done.stderr,
    )
    assert done.stdout == "" and (output == "-" or output.read_text() == "from before")
    ran = programs.run("pyelfprof", "--summary", "--without-libc", "-o", tmp_path / "y.prof", tmp_path)
    assert ran.stderr == ""
    programs.run("pyelfgen", "--profile", tmp_path / "y.prof", "--dry-run")


def test_summary_where_the_c_library_and_another_have_symbols(programs, tmp_path, small):
    """Both have to be left out, and the advice names both."""
    first, *files = counted_libraries(small)
    shutil.copy(first, tmp_path / first.name)
    for file in files:
        subprocess.run(["strip", "-o", tmp_path / file.name, file], check=True)
    (tmp_path / "m.c").write_text("int f(void) {return 1;}")
    subprocess.run([tool("gcc"), "-shared", "-fPIC", "-o", tmp_path / "libm.so.6", tmp_path / "m.c"], check=True)
    done = programs.run("pyelfprof", "--summary", "-o", "x.prof", tmp_path, status=1, cwd=tmp_path)
    both = ["--without-libc", "--without", first.name]
    words = f"or the C library with --without-libc, and the others that have them with --without '{first.name}'\n"
    assert done.stderr.endswith(f": leave out --summary, {words}")
    programs.run("pyelfprof", "--summary", *both, "-o", "x.prof", tmp_path, cwd=tmp_path)


def test_summary_of_too_little(programs, tmp_path, tiny_library):
    """The library is smaller than any that pyelfgen makes."""
    done = programs.run("pyelfprof", "--summary", "-o", tmp_path / "x.prof", tiny_library, status=1)
    assert done.stderr.startswith("pyelfprof: pyelfgen makes no set of these sums: sections: ")
    assert done.stderr.endswith(": leave out --summary\n") and not (tmp_path / "x.prof").exists()


def test_summary_without_pyelfgen(programs, tmp_path, small):
    """Without pyelfgen beside it, pyelfprof cannot find out whether a set can be made of the sums."""
    program = tmp_path / "bin" / "pyelfprof"
    program.parent.mkdir()
    shutil.copy(programs.path("pyelfprof"), program)
    command = [program, "--summary", "-o", tmp_path / "x.prof", small]
    done = programs.command(command, status=1)
    what = "is what --summary is tried with; install it there, or leave out --summary"
    assert done.stderr == f"pyelfprof: {program.parent}/pyelfgen: {what}: No such file or directory\n"
    assert not (tmp_path / "x.prof").exists()


def test_names_only_when_asked(capture, tmp_path, tiny_library):
    name = tmp_path / "it's: {odd}, \n\u00e9.so"
    shutil.copy(tiny_library, name)
    captured = capture(name)
    assert "name: 'it''s: {odd}, ?\u00e9.so'" in captured.text
    assert "odd" not in capture(name, names=False).text


@pytest.mark.parametrize(
    "name, row",
    [
        ("n" * 252 + ".so", "n" * 200),
        ("\u00e9" * 120 + ".so", "\u00e9" * 100),
        ("n" + "\u00e9" * 120, "n" + "\u00e9" * 99),
        ("'" * 250, "'" * 200),
        ("a\u2028b\u2029c\ufffed\uffffe\ufefff\x7f\x85", "a?b?c?d?e\ufefff??"),
    ],
)
def test_names_that_a_profile_cannot_have(programs, capture, tmp_path, tiny_library, name, row):
    """Long names are cut, but not within a character. Line breaks and control characters become question marks."""
    shutil.copy(tiny_library, tmp_path / name)
    captured = capture(tmp_path / name)
    assert [found["name"] for found in captured.rows] == [row]
    programs.run("pyelfgen", "--profile", captured.path, "--dry-run", "-o", tmp_path / "twin")


def test_what_follows_is_left_out_of_many(programs, capture, sets, tmp_path):
    """Rows of 220 libraries leave out numbers that follow from others. Readers of the profile fill these in: it
    compares equal to the files, and its twin has no difference."""
    many = sets.write_profile("many-small", profile_text(modules=210, utilities=10, functions=12))
    programs.run("pyelfgen", "--profile", many, "-o", tmp_path / "many", "-q")
    captured = capture(tmp_path / "many", names=False)
    for row in captured.rows:
        assert "jump-slot" not in row["relocations"] and "relocations" not in row["share"]
    (tmp_path / "many.prof").write_text(captured.text)
    compared = programs.run("pyelfstat", "--compare", "--tolerance", "0", tmp_path / "many.prof", tmp_path / "many")
    assert re.search(r"share.relocations +(\d+) +\1 +0\n", compared.stdout)
    programs.run("pyelfgen", "--profile", tmp_path / "many.prof", "-o", tmp_path / "twin", "-q")
    for library in json.loads((tmp_path / "twin" / "differences.json").read_text())["libraries"]:
        assert "share: relocations" not in library["differs"]


@pytest.mark.long
def test_five_hundred_libraries(programs, capture, tmp_path):
    programs.run("pyelfgen", "--profile", "llnl-2007", "-o", tmp_path / "many", "-q")
    captured = capture(tmp_path / "many", names=False)
    assert len(captured.rows) == 495
    assert len(captured.text) < 495 * 1100  # bytes: a kilobyte for each library
    assert not any("jump-slot" in row["relocations"] for row in captured.rows)  # as many as slots of the PLT
    assert not any("relocations" in row["share"] for row in captured.rows)  # follows from the numbers of relocations
    # Generated names have few different lengths, so a row has their distribution in fine steps (1 %). That of
    # functions' sizes is in coarse steps (5 %).
    assert {len(quantiles(row["name-lengths"])) for row in captured.rows} == {101}
    assert {len(quantiles(row["function-sizes"])) for row in captured.rows} == {21}
    shutil.rmtree(tmp_path / "many")


def test_list(programs, small, tmp_path):
    """The list has a file for each library of the twin, and both have the same sizes. It is the same with and without a
    profile."""
    profile, listed = tmp_path / "it.prof", tmp_path / "it.list"
    programs.run("pyelfprof", "-o", profile, "--list", listed, small)
    pairs = dict(line.split("\t") for line in listed.read_text().splitlines())
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "twin", "-q")
    made = {path.name for path in (tmp_path / "twin").glob("*.so")}
    assert pairs and pairs.keys() == {name for name in made if not re.search("begin|final", name)}
    for name, path in pairs.items():
        of_twin, of_real = sizes_of_each([tmp_path / "twin" / name, path])
        assert of_twin == of_real
    alone = programs.run("pyelfprof", "--list", "-", small)
    assert alone.stdout == listed.read_text() and not alone.stderr


@pytest.mark.parametrize("tunables", [None, "glibc.malloc.check=0", "glibc.rtld.optional_static_tls=40000"])
def test_a_run_with_many_variables_of_threads(tunables, capture, programs, tmp_path):
    """Beside an audit library ld.so has little room for those at a fixed place, and rustc has 24 kB of them."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    (tmp_path / "large.c").write_text("__thread char large[30000]; int f(void) { return large[1]; }\n")
    (tmp_path / "main.c").write_text("int f(void); int main(void) { return f(); }\n")
    flags = ["-fPIC", "-shared", "-ftls-model=initial-exec", "-o", "liblarge.so"]
    subprocess.run([tool("gcc"), *flags, "large.c"], check=True, cwd=tmp_path)
    subprocess.run([tool("gcc"), "main.c", "-L.", "-llarge", "-Wl,-rpath,$ORIGIN", "-o", "main"], check=True, cwd=tmp_path)
    captured = capture("-q", "--no-dwarf", "--run", tmp_path / "main", env={"GLIBC_TUNABLES": tunables})
    assert 30000 in [row.get("tls") for row in captured.rows]


def test_list_of_a_run(programs, tmp_path, tiny_library):
    """Standard output has the list and nothing else. A line break in a name starts no line."""
    odd = tmp_path / "odd\nname.so"
    odd.symlink_to(tiny_library)
    done = programs.run("pyelfprof", "--list", "-", odd)
    assert done.stdout == f"libutility0.so\t{tmp_path}/odd?name.so\n"
    done = programs.run("pyelfprof", "--list", "-", "--run", "echo", "a word")
    assert done.stderr == "a word\n" and re.match(r"(libutility\d+\.so\t/.*\n)+$", done.stdout)


# ---- files that are broken ----


def broken(directory, library):
    """Makes files that contradict themselves, and returns their names."""
    content = library.read_bytes()
    files = {
        "zero.so": b"",
        "four.so": content[:4],
        "header.so": content[:63],
        "half.so": content[: len(content) // 2],
        "ones.so": b"\177ELF" + b"\377" * 4096,
        "count.so": content[:0x3C] + b"\xff\xfe" + content[0x3E:],
    }
    for name, text in files.items():
        (directory / name).write_bytes(text)
    os.mkfifo(directory / "fifo.so")
    (directory / "loop.so").symlink_to("loop.so")
    with open(directory / "sparse.so", "wb") as file:
        file.write(content)
        file.truncate(1 << 40)
    return sorted([*files, "fifo.so", "loop.so"])


def test_broken_files(capture, tmp_path, tiny_library):
    directory = tmp_path / "broken"
    directory.mkdir()
    names = broken(directory, tiny_library)
    good = tmp_path / "good.so"
    shutil.copy(tiny_library, good)
    captured = capture(good, *[directory / name for name in names], status=1, timeout=60)
    assert [row["name"] for row in captured.rows] == ["good.so"]
    said = captured.said.splitlines()
    assert len(said) == len(names)
    for name, line in zip(names, said):
        assert line.startswith(f"pyelfprof: {directory / name}: "), line
    assert re.search(rf"unreadable: {len(names)}", captured.top["captured"])


@pytest.mark.parametrize("offset", [1 << 40, 1 << 63, (1 << 64) - 1])
def test_an_interpreter_that_is_nowhere(programs, tmp_path, offset):
    content = bytearray(pathlib.Path("/bin/ls").read_bytes())
    table, size, count = struct.unpack_from("<Q", content, 32)[0], *struct.unpack_from("<HH", content, 54)
    headers = [table + i * size for i in range(count)]
    interpreter = next(at for at in headers if struct.unpack_from("<I", content, at)[0] == 3)
    struct.pack_into("<Q", content, interpreter + 8, offset)
    (tmp_path / "ls").write_bytes(content)
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", tmp_path / "ls", status=1)
    said = "is cut off or broken: its interpreter's name is behind its end"
    assert done.stderr == f"pyelfprof: {tmp_path}/ls: {said}\n"


def test_bits_that_are_flipped(programs, tmp_path, tiny_library):
    """Whatever the flipped bit, the status is 0 or 1, and the good library is captured."""
    content = bytearray(tiny_library.read_bytes())
    directory = tmp_path / "flipped"
    directory.mkdir()
    step = max(1, len(content) // 300)
    for i in range(0, len(content), step):
        changed = bytearray(content)
        changed[i] ^= 1 << i % 8
        (directory / f"flip{i}.so").write_bytes(changed)
    shutil.copy(tiny_library, directory / "a_good.so")
    output = tmp_path / "flipped.prof"
    done = programs.run("pyelfprof", "--names", "-o", output, directory, status=None, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    assert Capture(output).row("a_good.so")
    for line in done.stderr.splitlines():
        assert line.startswith(f"pyelfprof: {directory}/flip"), line


def test_large_claims_take_no_memory(programs, tmp_path, tiny_library):
    """Headers of tables and compressed sections claim many gigabytes."""
    sections = ask("readelf", "-SW", tiny_library)
    start = int(re.search(r"Start of section headers: +(\d+)", ask("readelf", "-h", tiny_library))[1])
    files = []
    for name in (".symtab", ".strtab", ".dynsym", ".rela.dyn", ".debug_info"):
        index = int(re.search(rf"\[ *(\d+)\] {re.escape(name)} ", sections)[1])
        changed = bytearray(tiny_library.read_bytes())
        at = start + 64 * index
        changed[at + 32 : at + 40] = (1 << 36).to_bytes(8, "little")
        path = tmp_path / f"large{name}.so"
        path.write_bytes(changed)
        os.truncate(path, 1 << 37)
        files.append(path)
    packed = tmp_path / "bomb.so"
    subprocess.run([tool("objcopy"), "--compress-debug-sections=zlib", tiny_library, packed], check=True)
    told = re.search(r"\] \.debug_info +\S+ +\w+ (\w+) ", ask("readelf", "-SW", packed))
    content = bytearray(packed.read_bytes())
    content[int(told[1], 16) + 8 : int(told[1], 16) + 16] = (1 << 40).to_bytes(8, "little")
    packed.write_bytes(content)
    limit = [] if programs.sanitized else ["prlimit", f"--as={3 << 30}"]
    command = [*limit, programs.path("pyelfprof"), "--names", "-o", tmp_path / "x.prof", tiny_library, packed, *files]
    done = programs.command(command, status=1, timeout=120)
    for path in (files[0], files[2], packed):
        assert f"pyelfprof: {path}: " in done.stderr
    assert Capture(tmp_path / "x.prof").rows[0]["name"] == tiny_library.name


def test_tables_that_overlap(programs, tmp_path, tiny_library):
    """A thousand tables each cover the whole of a file of 48 MB."""
    content = bytearray(tiny_library.read_bytes())
    start = int.from_bytes(content[0x28:0x30], "little")
    count = int.from_bytes(content[0x3C:0x3E], "little")
    index = int(re.search(r"\[ *(\d+)\] \.rela\.dyn ", ask("readelf", "-SW", tiny_library))[1])
    headers = bytes(content[start : start + 64 * count])
    table = bytearray(headers[64 * index : 64 * index + 64])
    table[24:40] = (0).to_bytes(8, "little") + (48_000_000).to_bytes(8, "little")
    content[0x28:0x30] = (48_000_000).to_bytes(8, "little")
    content[0x3C:0x3E] = (count + 1000).to_bytes(2, "little")
    path = tmp_path / "overlap.so"
    path.write_bytes(content)
    with open(path, "r+b") as file:
        file.seek(48_000_000)
        file.write(headers + 1000 * table)
    limit = [] if programs.sanitized else ["prlimit", f"--as={3 << 30}"]
    command = [*limit, programs.path("pyelfprof"), "-o", tmp_path / "x.prof", tiny_library, path]
    done = programs.command(command, status=1, timeout=60)
    assert f"{path}: has tables that overlap" in done.stderr and len(done.stderr.splitlines()) == 1


def with_section(directory, name, assembly, change):
    """Builds a library with an allocated section, of whose header it changes fields: {offset: value}, given the file's
    size."""
    library = built(directory, name, f'int v; int *p = &v; __asm__(".section .own,\\"a\\"\\n{assembly}\\n.previous\\n");')
    index = int(re.search(r"\[ *(\d+)\] \.own ", ask("readelf", "-SW", library))[1])
    content = bytearray(library.read_bytes())
    start = int.from_bytes(content[0x28:0x30], "little") + 64 * index
    for at, value in change(len(content)).items():
        content[start + at : start + at + 8] = value.to_bytes(8, "little")
    library.write_bytes(content)
    return library


# Measures in a process of its own, because a process's peak includes memory that it had before it executed a program.
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_what_is_no_table_is_not_read(programs, tmp_path):
    """400 MB of constants need not be in memory."""
    library = with_section(tmp_path, "large", ".long 1", lambda end: {24: end, 32: 400 << 20})
    os.truncate(library, library.stat().st_size + (400 << 20))
    command = [programs.path("pyelfprof"), "--no-dwarf", "-o", tmp_path / "x.prof", library]
    done = programs.command([sys.executable, "-c", PEAK, *command], leaks=False)
    assert int(done.stdout) < 200_000
    assert Capture(tmp_path / "x.prof").rows[0]["text"] > 400 << 20


def test_packed_relocations_of_many_places(programs, tmp_path):
    """Eight megabytes of bitmaps say that half a gigabyte has an address in every word."""
    library = with_section(tmp_path, "packed", ".quad 4096; .fill 8 << 20, 1, 255", lambda _: {4: 2 << 32 | 19})
    limit = [] if programs.sanitized else ["prlimit", f"--as={350 << 20}"]
    command = [*limit, programs.path("pyelfprof"), "--no-dwarf", "-o", tmp_path / "x.prof", library]
    programs.command(command)
    (row,) = Capture(tmp_path / "x.prof").rows
    places = 1 + (63 << 20)
    assert row["relocations"] == {**row["relocations"], "relr": places}
    assert 0 <= row["relocations"]["pages"] - (places * 8 // 4096 + 1) <= 3


# ---- the command line ----


EXPLAINS = "--explain takes one PROFILE, and no option that says what to capture or where to write it; see --help"


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "no --output PROFILE is given; see --help"),
        (["--run", "true", "-o", "x"], "given before --run or --python, behind which all words are the command's; see"),
        (["-o", "x"], "no FILE or DIRECTORY is given; see --help"),
        (["-o", "x", "--exec"], "it is not said of what to make the profile; see --help"),
        (["-o", "x", "--exec", "--pid", "1"], "only one of --exec, --python, --run and --pid can be; see --help"),
        (["-o", "x", "--pid", "one"], "--pid"),
        (["--explain", "a", "b"], EXPLAINS),
        (["--explain", "-o", "x", "b"], EXPLAINS),
        (["--explain", "--list", "x", "b"], EXPLAINS),
        (["--explain", "--without-libc", "b"], EXPLAINS),
        (["--explain", "--exec", "b"], EXPLAINS),
        (["--list", "", "a"], "--list: which file? see --help"),
        (["--list", "./x", "-o", "x", "a"], "--output and --list are to write the same file; give each its own"),
        (["--list", "-", "-o", "-", "a"], "--output and --list are to write the same file; give each its own"),
        (["--list", "x", "-o", "y", "--summary", "a"], "--summary has no rows to list; leave out --list"),
        (["-o", "x", "--summary", "--names", "a"], "--summary has sums and no names; leave out --names"),
    ],
)
def test_wrong_command_lines(programs, arguments, said):
    done = programs.run("pyelfprof", *arguments, status=2)
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_profile_is_no_file_of_the_application(programs, tmp_path, tiny_library):
    profile = tmp_path / "it.prof"
    programs.run("pyelfprof", "-q", "--no-dwarf", "-o", profile, tiny_library)
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", profile, status=1)
    assert done.stderr == f"pyelfprof: {profile}: is a profile already; --explain says what is in it\n"
    done = programs.run("pyelfstat", profile, status=1)
    assert f"{profile}: is not an ELF file, but a profile; give --compare for two of these\n" in done.stderr


def test_a_script_is_no_program(programs, tmp_path):
    script = tmp_path / "python3"
    script.write_text("#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n")
    script.chmod(0o755)
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", "--exec", script, status=1)
    said = "is a script; give the program that it starts, or capture a run of it with --run"
    assert done.stderr == f"pyelfprof: {script}: {said}\n"


@pytest.mark.parametrize("name, first", [("app.py", "import math"), ("app", "#!/usr/bin/env python3")])
def test_a_python_script_is_no_program(programs, tmp_path, name, first):
    script = tmp_path / name
    script.write_text(first + "\n")
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", "--exec", script, status=1)
    said = "is a Python script; give --python before it to capture what it imports"
    assert done.stderr == f"pyelfprof: {script}: {said}\n"


def test_a_debug_file_is_no_library(programs, tmp_path, tiny_library):
    """One line says so, and the library beside it is captured."""
    debug = tmp_path / "tiny.debug"
    subprocess.run([tool("objcopy"), "--only-keep-debug", tiny_library, debug], check=True)
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", debug, tiny_library, status=1)
    said = f"{debug}: has debug information alone, and no code; give the file that it belongs to"
    assert f"pyelfprof: {said}\n" in done.stderr and len(Capture(tmp_path / "x.prof").rows) == 1


@pytest.mark.parametrize("end", ["dwo", "alt"])
def test_what_debug_information_leads_to_is_no_library(programs, tmp_path, end):
    """A .dwo file of a library's, and the file that dwz moves to what several have."""
    (tmp_path / "a.c").write_text("int a(int x) { return x + 1; }\n")
    split = ["-gsplit-dwarf"] if end == "dwo" else []
    for name in "a", "b":
        library = tmp_path / f"{name}.so"
        command = [tool("gcc"), "-g", "-O2", *split, "-shared", "-fPIC", "-o", library, tmp_path / "a.c"]
        subprocess.run(command, check=True, cwd=tmp_path)
    if end == "alt":
        subprocess.run([tool("dwz"), "-m", tmp_path / "x.alt", tmp_path / "a.so", tmp_path / "b.so"], check=True)
    (file,) = tmp_path.glob("a.so-*.dwo" if end == "dwo" else "x.alt")
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", file, tmp_path / "a.so", status=1)
    said = f"{file}: has debug information alone, and no code; give the file that it belongs to"
    assert f"pyelfprof: {said}\n" in done.stderr and len(Capture(tmp_path / "x.prof").rows) == 1


@pytest.fixture
def unread(tmp_path):
    """Two libraries, of which the second has .debug_info without the abbreviations that it needs."""
    (tmp_path / "a.c").write_text("int a(int x) { return x + 1; }\n")
    (tmp_path / "all").mkdir()
    good, bad = tmp_path / "all" / "a.so", tmp_path / "all" / "b.so"
    command = [tool("gcc"), "-g", "-O2", "-shared", "-fPIC", "-o", good, tmp_path / "a.c"]
    subprocess.run(command, check=True)
    subprocess.run([tool("objcopy"), "-R", ".debug_abbrev", good, bad], check=True)
    return bad


def test_debug_information_that_cannot_be_read_is_not_none(programs, tmp_path, unread):
    """A message says so. What the row does not say is not compared, whatever the twin has."""
    done = programs.run("pyelfprof", "--names", "-o", tmp_path / "x.prof", unread.parent, status=1)
    said = "libdwarf finds no entries in its .debug_info; its row does without 'dwarf'"
    assert f"pyelfprof: {unread}: {said}\n" in done.stderr
    good, bad = Capture(tmp_path / "x.prof").rows
    assert good["dwarf"]["units"] == 1 and "dwarf" not in bad and bad["mix"]["info"] > 0
    other = tmp_path / "other"
    other.mkdir()
    for name in "a.so", "b.so":
        shutil.copy(unread.parent / "a.so", other / name)
    done = programs.run("pyelfstat", "--compare", "--json", tmp_path / "x.json", tmp_path / "x.prof", other, status=1)
    found = {one["name"]: one for one in json.loads((tmp_path / "x.json").read_text())["set"]}
    assert found["dwarf.units"]["real"] == found["dwarf.units"]["twin"] == 1  # of the one library of which both say it
    assert found["dwarf.dies"]["libraries"]["not-compared"] == 1
    assert "tags" not in found and "attributes" not in found


def test_debug_files_are_compared(programs, tmp_path, tiny_library):
    debug = tmp_path / "tiny.debug"
    subprocess.run([tool("objcopy"), "--only-keep-debug", tiny_library, debug], check=True)
    done = programs.run("pyelfstat", "--compare", debug, debug)
    assert done.stdout.count(": 1 library\n") == 2 and not done.stderr


def test_nothing_to_make_a_profile_of(programs, tmp_path):
    (tmp_path / "empty").mkdir()
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", tmp_path / "empty", status=1)
    said = "there is no shared object for 64 bits to make a profile of; see --help"
    assert done.stderr == f"pyelfprof: {tmp_path}/empty: {said}\n"
    assert not (tmp_path / "x.prof").exists()
