"""Programs that read ELF, DWARF or machine code have nothing to complain of.

Some of them complain about the output of real compilers, too. Where a test looks for complaints in a program's output,
its pattern says which ones.
"""

import json
import re
import shutil
import subprocess

import pytest

from objects import ask, calls, counted_libraries, dwarfdump_complaints, each, elflint, functions, section
from objects import sizes_of_each, tool
from sets import VARIANTS, mostly_long

# Our programs ran when the sets were made. The programs that read them are not ours.
pytestmark = pytest.mark.slow

TIMEOUT = 120
QUICK = ["small", "odd", "hash-both", "relro-full", "page-64k", "no-utilities", "stripped", "bare", "few-functions", "one-function"]
EVERY = mostly_long(["small", *VARIANTS], *QUICK)
# Sets whose debug information differs with the key that was changed.
DEBUG = ["small", "odd", "page-64k", "coverage-half", "depth-1", "two-calls", "no-utilities", "no-debug", "stripped"]
DEBUG += ["units-of-one", "few-functions", "without-sizes", "one-function", "itanium"]
WITHOUT_DEBUG = ": cannot get debug context descriptor: No DWARF information found\n"


def run(*command):
    done = subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=TIMEOUT,
    )
    return done.returncode, done.stdout


def libraries_in(name, request):
    """Returns all libraries of a set, with the markers; of the large set, a sample."""
    if name == "large":
        return sorted(request.getfixturevalue("large").glob("*.so"))[::70]
    return sorted(request.getfixturevalue("sets").get(name).glob("*.so"))


LARGE = pytest.param("large", marks=pytest.mark.long)


@pytest.fixture(params=[*EVERY, LARGE])
def libraries(request):
    return libraries_in(request.param, request)


@pytest.fixture(params=[*DEBUG, LARGE])
def debug_libraries(request):
    """The libraries of a set whose debug information differs."""
    return libraries_in(request.param, request)


def silent(*command):
    """Returns a function that runs the command on a library and returns its status and what it prints to standard
    error."""

    def look(path):
        nothing = subprocess.DEVNULL
        done = subprocess.run(
            [*command, path], stdin=nothing, stdout=nothing, stderr=subprocess.PIPE, timeout=TIMEOUT
        )
        return done.returncode, done.stderr.decode(errors="replace")[:500]

    return look


def test_elflint(libraries):
    assert each(lambda path: elflint(path, "--strict"), libraries) == ["No errors\n"] * len(libraries)


def test_readelf(libraries):
    """readelf prints warnings to standard error, but also mentions broken tables among its output."""
    for output in each(lambda path: ask("readelf", "-aW", path, timeout=TIMEOUT), libraries):
        assert not re.search(r"<corrupt|<unknown|[Ww]arning|[Ee]rror:|out of range", output)


def test_readelf_debug_dump(debug_libraries):
    assert each(silent("readelf", "--debug-dump"), debug_libraries) == [(0, "")] * len(debug_libraries)


def test_objdump_dwarf(debug_libraries):
    assert each(silent("objdump", "--dwarf"), debug_libraries) == [(0, "")] * len(debug_libraries)


def test_elfutils_readelf(debug_libraries):
    """Of a library without debug information, eu-readelf says that there is none."""
    reader = tool("eu-readelf")
    found = each(silent(reader, "-N", "--debug-dump"), debug_libraries)
    has_debug = [sizes["debug"] > 0 for sizes in sizes_of_each(debug_libraries)]
    assert found == [(0, "") if has else (1, reader + WITHOUT_DEBUG) for has in has_debug]


def test_objdump_disassembles(libraries):
    for listing in each(lambda path: ask("objdump", "-d", path, timeout=TIMEOUT), libraries):
        assert "(bad)" not in listing
        assert len(listing) > 2000


def test_zydis_decodes_every_byte(libraries, programs):
    status, output = run(programs.path("decode_text"), *libraries)
    assert status == 0, output
    rows = re.findall(r"^(\S+): (\d+) instructions, (\d+) functions$", output, flags=re.M)
    assert [row[0] for row in rows] == [str(path) for path in libraries]
    assert len(rows) == len(output.splitlines())
    assert all(int(row[1]) > 60 for row in rows)


@pytest.mark.alike
def test_llvm_dwarfdump_verifies(debug_libraries):
    dwarfdump = tool("llvm-dwarfdump-14", "llvm-dwarfdump")
    for status, output in each(lambda path: run(dwarfdump, "--verify", path), debug_libraries):
        assert status == 0, output[-2000:]
        assert output.endswith("No errors.\n")
        assert not re.search(r"^(warning|error)", output, flags=re.M)


@pytest.mark.alike
def test_dwarfdump_checks(debug_libraries):
    dwarfdump = tool("dwarfdump")
    for _, output in each(lambda path: run(dwarfdump, "-ka", path), debug_libraries):
        assert dwarfdump_complaints(output) == []


def test_names_of_functions_are_all_different(libraries):
    """The dynamic linker would take two functions with one name for one."""
    names = [name for path in libraries for name, _ in functions(path)]
    assert len(names) == len(set(names))


def test_static_objects_are_aligned_as_compilers_align_them(small):
    """They stand one behind the other. The last of a section has all bytes that are left, even behind small objects."""
    for path in sorted(small.glob("lib*.so")):
        objects = {}
        for line in ask("nm", "-n", "-S", path).splitlines():
            if found := re.match(r"(\w{16}) (\w{16}) ([bdr]) lib\w+_var\d+$", line):
                objects.setdefault(found[3], []).append((int(found[1], 16), int(found[2], 16)))
        for kind, places in objects.items():
            for (address, size), (following, _) in zip(places, places[1:]):
                assert address + size == following, (path, kind, hex(address))
                assert address % (32 if size >= 64 else 16 if size >= 16 else 8) == 0, (path, kind, hex(address), size)


def test_every_function_has_its_name_and_lines(small):
    """nm -l looks up each symbol's line in the debug information, and prints none if it finds none."""
    path = small / "libmodule3.so"
    rows = ask("nm", "-l", path, timeout=TIMEOUT).splitlines()
    rows = [row for row in rows if re.match(r"\S+ [Tt] (libmodule3|PyInit)_", row)]
    named = {row.split()[2] for row in rows}
    assert named > {name for name, _ in functions(path)}
    assert named > {"PyInit_libmodule3", "libmodule3_entry", "libmodule3_method", "libmodule3_visited"}
    assert [row for row in rows if not re.search(r"\t\S*/libmodule3(_\d+)?\.c:\d+$", row)] == []


def test_rows_begin_at_instructions(small):
    """Every address of the line table is one at which objdump shows an instruction."""
    path = small / "libutility1.so"
    listing = ask("objdump", "-d", "-j", ".text", path, timeout=TIMEOUT)
    starts = {int(address, 16) for address in re.findall(r"^ *([0-9a-f]+):\t", listing, flags=re.M)}
    table = ask("readelf", "--debug-dump=decodedline", path, timeout=TIMEOUT)
    rows = re.findall(r"^\S+\.c +(\d+) +0x([0-9a-f]+)", table, flags=re.M)
    assert len(rows) > 5 * len(functions(path))
    address, _, size = section(path, ".text")
    ends = {int(at, 16) for line, at in rows if line == "-"}
    strays = {int(at, 16) for _, at in rows} - starts - ends
    assert strays == set()
    assert all(address <= int(at, 16) <= address + size for _, at in rows)


# --- the judges can say no ------------------------------------------------------


@pytest.fixture
def broken(sets, tmp_path):
    """A copy of a module in which one call leads one byte too far."""
    path = tmp_path / "libmodule0.so"
    shutil.copy(sets.get("odd") / path.name, path)
    address = calls(path)["libmodule0_entry"][0][0]
    start, offset, _ = section(path, ".text")
    content = bytearray(path.read_bytes())
    content[address - start + offset + 1] += 1
    path.write_bytes(content)
    return path, address


def test_a_call_to_no_instruction_is_seen(broken, programs):
    path, address = broken
    status, output = run(programs.path("decode_text"), path)
    assert status == 1
    assert f"decode_text: {path}: {address:#x}: leads to no instruction: 0x" in output


def test_a_byte_that_is_no_instruction_is_seen(broken, programs):
    path, address = broken
    start, offset, _ = section(path, ".text")
    content = bytearray(path.read_bytes())
    content[address - start + offset] = 0x06  # push %es, which is invalid in 64-bit mode
    path.write_bytes(content)
    status, output = run(programs.path("decode_text"), path)
    assert status == 1 and f"{address:#x}: is no instruction" in output


def locals_by_file(path):
    """Returns (file, its local symbols) for each file symbol, in the order of .symtab."""
    text = ask("readelf", "-sW", path).partition(".symtab")[2]
    files = []
    for kind, name in re.findall(r"^ *\d+: \S+ +\w+ (\w+) +LOCAL +\w+ +\w+ ?(\S*)$", text, flags=re.M):
        if kind == "FILE":
            files.append((name, []))
        elif files:
            files[-1][1].append((kind, name))
    return files


@pytest.mark.parametrize("name", ["small", "itanium", "without-sizes"])
def test_local_symbols_stand_behind_their_file(sets, name):
    """Symbols that ld makes belong to no file. They stand behind a file symbol with an empty name."""
    made = {"_init", "_fini", "__dso_handle", "_DYNAMIC", "__GNU_EH_FRAME_HDR", "_GLOBAL_OFFSET_TABLE_"}
    for path in counted_libraries(sets.get(name)):
        files = locals_by_file(path)
        assert [file for file, _ in files] == ["crtstuff.c", f"{path.stem}.c", ""]
        crt, own, linked = [[name for _, name in symbols] for _, symbols in files]
        assert crt == ["__do_global_dtors_aux", "frame_dummy", "completed.0"] and set(linked) == made
        assert any("_helper0" in name for name in own) and any("_var0" in name for name in own)


def test_local_symbols_without_names(programs, tmp_path):
    """Symbols of sections come first, as ld has them. Those that link-time optimisation leaves lead into .debug_info.

    Where a library has fewer sections than symbols of these are asked for, the rest have no section either.
    """
    row = """{{kind: utility, text: 90000, data: 9000, bss: 900, debug: {}, symtab: 9600, strtab: 9000, functions: 200,
        local: {{other: 90, sections: {}, unnamed: {}}}}}"""
    rows = [row.format(60000, 20, 40), row.format(0, 60, 20), row.format(60000, 0, 0)]
    (tmp_path / "a.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + "".join(f"- {row}\n" for row in rows))
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set")
    found = []
    for number in range(3):
        path = tmp_path / "set" / f"libutility{number}.so"
        assert elflint(path) == "No errors\n"
        text = ask("readelf", "-sW", path).partition(".symtab")[2]
        table = re.findall(r"^ *(\d+): (\S+) +\w+ (\w+) +LOCAL +\w+ +(\w+) ?(\S*)$", text, flags=re.M)[1:]
        sections = [int(section) for _, _, kind, section, _ in table if kind == "SECTION"]
        assert [row[2] for row in table[: len(sections)]] == ["SECTION"] * len(sections)
        assert len(set(sections)) == len(sections)
        unnamed = [(section, int(value, 16)) for _, value, kind, section, name in table if kind == "NOTYPE" and not name]
        info = re.search(r"\[ *(\d+)\] \.debug_info +\S+ +\S+ \S+ (\w+)", ask("readelf", "-SW", path))
        assert {section for section, _ in unnamed} <= {info[1] if info else "ABS"}
        assert all(value < (int(info[2], 16) if info else 1) for _, value in unnamed)
        found.append((len(sections), len(unnamed), sum(row[2] in ("FILE", "NOTYPE", "SECTION") for row in table)))
    assert found[0] == (20, 40, 90) and found[2] == (0, 0, 90)
    assert found[1][0] > 20 and found[1][0] + found[1][1] == 80 and found[1][2] == 90
    told = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert [library["differs"].get("local: sections") for library in told] == [None, [60, found[1][0]], None]


def test_local_symbols_of_rows_are_dealt_to_their_files(programs, tmp_path):
    """There are as many files as `local: other` says. crtend.o's is behind all sources. Each source has functions and
    objects."""
    row = """{kind: utility, text: 90000, data: 9000, bss: 900, symtab: 9600, strtab: 9000, functions: 200,
        dynamic: {functions: 20, objects: 2, undefined: 9}, local: {functions: 150, objects: 100, other: 16}}"""
    (tmp_path / "a.prof").write_text(f"pyelfgen-profile: 1\nlibraries:\n- {row}\n")
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set")
    files = locals_by_file(tmp_path / "set" / "libutility0.so")
    names = [file for file, _ in files]
    assert len(files) == 15 and names[0] == names[-2] == "crtstuff.c" and names[-1] == ""
    assert all({kind for kind, _ in symbols} == {"FUNC", "OBJECT"} for _, symbols in files[1:-2]) and not files[-2][1]
