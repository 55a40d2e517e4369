"""Debug information as clang writes it: strings, addresses and lists by number; and the twin of what clang compiled.

Other tests, of which it is a variant (sets.py), check its sizes and that readers find nothing wrong with it.
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess

import pytest

from objects import ask, counted_libraries, functions, section, sums, tool
from sets import PLAIN, profile_text

# With room for all that debug information can say of functions.
KEYS = {**PLAIN, "sections": {**PLAIN["sections"], "debug": 3_000_001}}

# Captured from pyelfgen itself, compiled by clang 14 with -g -O2 and linked as a library: 4 MB of debug information.
REAL = pathlib.Path(__file__).with_name("clang.prof")


def uses(path):
    """{(attribute, form): how often} and {tag: how often}, as LLVM sees them."""
    attributes, tags = collections.Counter(), collections.Counter()
    dump = ask("llvm-dwarfdump", "--debug-info", "--verbose", path)
    for tag in re.findall(r"^0x\w+: +(?:\[\d+\] )?DW_TAG_(\w+)", dump, flags=re.M):
        tags[tag] += 1
    for attribute, form in re.findall(r"^ +DW_AT_(\w+) \[DW_FORM_(\w+)\]", dump, flags=re.M):
        attributes[attribute, form] += 1
    return attributes, tags


@pytest.fixture(scope="module", params=["c", "c++"])
def library(request, programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("clang")
    style = "itanium" if request.param == "c++" else "pynamic"
    dwarf = {"compiler": "clang", "language": request.param}
    (directory / "a.prof").write_text(profile_text(**KEYS, names={"style": style}, dwarf=dwarf))
    programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / request.param, "--quiet")
    return counted_libraries(directory / request.param)[0]


def test_sections(library):
    names = re.findall(r"\] (\.debug_\w+)", ask("readelf", "-SW", library))
    wanted = "info abbrev line str line_str loclists rnglists addr str_offsets".split()
    assert sorted(names) == sorted(f".debug_{name}" for name in wanted)


def test_forms_are_those_of_clang(library):
    """Where clang has a number there is no offset or address. Attributes that clang does not write are absent."""
    found, tags = uses(library)
    forms = {form for _, form in found}
    assert {"strx1", "strx2", "addrx", "loclistx", "rnglistx"} <= forms
    assert not forms & {"strp", "line_strp", "string", "addr", "data8", "strx", "strx4"}
    offsets = {attribute for attribute, form in found if form == "sec_offset"}
    assert offsets == {"stmt_list", "str_offsets_base", "addr_base", "loclists_base", "rnglists_base"}
    assert {attribute for attribute, form in found if form == "implicit_const"} == {"inline"}
    said = {attribute for attribute, _ in found}
    assert not said & {"sibling", "decl_column", "entry_pc", "upper_bound", "GNU_locviews"}
    assert {form for attribute, form in found if attribute == "high_pc"} == {"data4"}
    assert tags["compile_unit"] > 1 and tags["inlined_subroutine"] > 50


def test_numbers_of_strings_are_as_narrow_as_can_be(library):
    """The first 256 strings of each unit have numbers of one byte. A unit uses all numbers up to its last one."""
    dump = ask("llvm-dwarfdump", "--debug-info", "--verbose", library)
    for unit in dump.split("Compile Unit:")[1:]:
        numbers = {}
        for form, number in re.findall(r"\[DW_FORM_(strx\d)\]\s+\(indexed \((\w+)\)", unit):
            numbers.setdefault(form, set()).add(int(number, 16))
        assert max(numbers["strx1"]) < 256
        assert min(numbers.get("strx2", {256})) >= 256
        used = set().union(*numbers.values())
        assert used == set(range(len(used)))


def test_no_abbreviation_is_the_same_as_another(library):
    """No two abbreviations in the table of one unit are the same."""
    tables = ask("readelf", "--debug-dump=abbrev", library).split("Number TAG")[1:]
    assert len(tables) > 1
    for table in tables[:-1]:  # the last table has one that fills the section up to the wanted size
        entries = re.split(r"^ +\d+ +(?=DW_TAG)", table, flags=re.M)[1:]
        assert len(entries) == len(set(entries))


def test_files_have_checksums(library):
    """A file has the same checksum in all units that name it, and no other file has that."""
    found = collections.defaultdict(set)
    dump = ask("llvm-dwarfdump", "--debug-line", library)
    for name, checksum in re.findall(r'name: "([^"]+)"\n +dir_index: \d+\n +md5_checksum: (\w{32})\n', dump):
        found[name].add(checksum)
    assert len(found) > 3
    assert {len(checksums) for checksums in found.values()} == {1}
    assert len(set().union(*found.values())) == len(found)


def test_addr2line_finds_each_function(library):
    chosen = functions(library)[::7]
    asked = [hex(address) for _, address in chosen]
    said = ask("addr2line", "-f", "-e", library, *asked).splitlines()
    assert said[::2] == [name for name, _ in chosen]
    assert all(re.search(r"\.(c|cpp|h|hpp):\d+", line) for line in said[1::2])


def test_where_one_byte_more_is_wanted(programs, tmp_path):
    """Sizes that differ by single bytes are met, too, because what fills the sections may have any size."""
    for more in range(4):
        size = PLAIN["sections"]["debug"] + more
        profile = tmp_path / f"{more}.prof"
        keys = {**PLAIN, "sections": {**PLAIN["sections"], "debug": size}, "dwarf": {"compiler": "clang"}}
        profile.write_text(profile_text(**keys))
        out = tmp_path / str(more)
        programs.run("pyelfgen", "--profile", profile, "-o", out, "--quiet")
        assert sums(out)["debug"] == size


def test_the_same_bytes_with_any_number_of_threads(programs, sets, tmp_path):
    profile = tmp_path / "a.prof"
    profile.write_text(profile_text(**PLAIN, dwarf={"compiler": "clang", "language": "c++"}))
    for threads in (1, 3):
        programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / str(threads), "-j", threads, "--quiet")
    assert subprocess.run([tool("diff"), "-r", tmp_path / "1", tmp_path / "3"]).returncode == 0


def test_no_executable_is_made_of_it(programs, tmp_path):
    profile = tmp_path / "a.prof"
    profile.write_text(profile_text(**PLAIN, dwarf={"compiler": "clang"}))
    done = programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "a", "--static", status=2)
    assert "clang's form of debug information" in done.stderr and "leave out one of the two" in done.stderr
    assert not (tmp_path / "a").exists()


# --- the twin of what clang compiled ---------------------------------------------------


@pytest.fixture(scope="module")
def twin(programs, tmp_path_factory):
    """(directory, what pyelfstat says of the twin beside the real one, text of the twin's profile)"""
    directory = tmp_path_factory.mktemp("twin")
    return directory, *programs.twin(REAL, directory)


def test_its_profile_says_that_it_is_clangs(twin):
    assert "compiler: clang" in twin[2]


def test_a_row_with_partial_units_has_none(programs, tmp_path):
    """dwz's partial units are not in clang's form; a profile that asks for both gets units alone."""
    text = re.sub(r"\bunits: (\d+),\s+(?=uneven|dies)", r"units: \1, partial: 3, ", REAL.read_text())
    assert text.count("partial: 3") >= 1
    (tmp_path / "both.prof").write_text(text)
    programs.run("pyelfgen", "-q", "--profile", tmp_path / "both.prof", "-o", tmp_path / "set")
    (library,) = (tmp_path / "set").glob("libutility*.so")
    assert "DW_TAG_partial_unit" not in ask("readelf", "-wi", library)
    listed = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert listed[0]["differs"]["dwarf: partial"] == [3, 0]


def test_each_section_has_the_size_of_the_real_one(twin):
    """The sizes agree to the byte, also of the sections that only clang writes."""
    (library,) = twin[1]["libraries"]
    sizes = {row["name"]: (row["real"], row["twin"]) for row in library["quantities"] if row["name"].startswith("mix.")}
    assert set(sizes) >= {f"mix.{name}" for name in "info abbrev line str line_str loclists rnglists addr str_offsets".split()}
    assert {name: both for name, both in sizes.items() if both[0] != both[1]} == {}


def test_entries_are_as_the_real_ones(twin):
    found = {row["name"]: row for row in twin[1]["set"]}
    distances = {name: found[name]["distance"] for name in ("tags", "forms", "attributes")}
    assert max(distances.values()) < 0.07, distances
    assert abs(found["dwarf.dies"]["difference"]) < 0.01 * found["dwarf.dies"]["real"]


def test_what_differs_is_said_as_it_is_counted(twin):
    """pyelfprof counts as many entries and attributes as pyelfgen says in differences.json that the set has."""
    directory, report, _ = twin
    (library,) = json.loads((directory / "set" / "differences.json").read_text())["libraries"]
    quantities = {row["name"]: row.get("twin") for row in report["libraries"][0]["quantities"]}
    for name in ("dies", "attributes"):
        said = library["differs"].get(f"dwarf: {name}", [None, None])[1]
        assert said in (None, quantities[f"dwarf.{name}"])


# gtest 1.12, by clang++ 14: its entries are long, many of its names are long, and one unit has most of it
LONG_ENTRIES = """{kind: utility, text: 477424, data: 8784, bss: 528, debug: 2957678, symtab: 34920, strtab: 76958,
  functions: 742, dynamic: {functions: 672, objects: 154, undefined: 188, weak: 301, dynstr: 61883}, plt: 456, outside: 4,
  exceptions: {table: 19332, functions: 301}, mangled: 1003, demangled: 103896, share: {code: 266144, unwind: 59468},
  dwarf: {version: 5, language: c++, units: 9, uneven: 410, code: 263138, dies: 144375, defined: 83601, rows: 38517,
  entries: 23691}, mix: {info: 1419182, abbrev: 27067, line: 241189, str: 703781, line_str: 2999, loclists: 294128,
  rnglists: 59176, addr: 131856, str_offsets: 78300}}"""


def test_entries_are_not_made_longer_by_names(programs, tmp_path):
    """A name is as short as any other in .debug_info, where it is a number. Headers that units include bring entries
    instead, and the largest unit includes several."""
    profile = tmp_path / "long.prof"
    head = "pyelfgen-profile: 1\nnames: {style: itanium}\ndwarf: {language: c++, compiler: clang}\nlibraries:\n"
    profile.write_text(f"{head}- {LONG_ENTRIES}\n")
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "--quiet")
    (path,) = counted_libraries(tmp_path / "set")
    dump = ask("readelf", "--debug-dump=info", path)
    tags = re.findall(r"^ <(\w+)><\w+>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)$", dump, flags=re.M)
    assert sum(tag == ("1", "variable") for tag in tags) < len(tags) / 50
    (library,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert [name for name in library["differs"] if name.startswith("mix")] == []
    assert library["differs"].get("dwarf: uneven", [0, 410])[1] > 300


def test_gdb_reads_it(sets):
    """gdb finds types and lines of functions by way of the numbers."""
    path = counted_libraries(sets.get("clang"))[0]
    name, _ = functions(path)[3]
    commands = [f"info scope {name}", f"info line {name}", f"ptype {name}"]
    options = [option for command in commands for option in ("-ex", command)]
    done = subprocess.run([tool("gdb"), "-nx", "-batch", *options, path], capture_output=True, text=True)
    assert done.stderr == ""
    assert "Symbol" in done.stdout and re.search(r"Line \d+ of .* starts at address", done.stdout)
    assert re.search(r"type = .*\(.*\)", done.stdout)


@pytest.mark.skipif(not shutil.which("clang"), reason="no clang")
def test_clang_s_form_is_that_of_version_5(programs, tmp_path):
    """A library with one unit of clang's among others of version 4 is not said to be in a form that only version 5 has,
    and one with location views of gcc's is not said to have both. The generator takes either."""
    of_clang = built(tmp_path, "clang", "clang", "-gdwarf-5")
    for name, options in {"four": ["-gdwarf-4"], "views": ["-gdwarf-5"]}.items():
        objects = [of_clang, *(built(tmp_path, f"{name}{i}", "gcc", *options) for i in range(3))]
        subprocess.run(["gcc", "-shared", *objects, "-o", tmp_path / f"{name}.so"], check=True)
        profile = tmp_path / f"{name}.prof"
        programs.run("pyelfprof", "-o", profile, tmp_path / f"{name}.so")
        (said,) = re.findall("^dwarf: .*", profile.read_text(), flags=re.M)
        assert ("compiler: clang" in said, "views: true" in said) == ((False, True) if name == "four" else (True, False))
        programs.run("pyelfgen", "--profile", profile, "--dry-run")


def test_what_is_too_large_for_the_form_is_refused_by_the_plan(programs, tmp_path):
    """Nothing changes then: the set that is there keeps its manifest."""
    programs.run("pyelfgen", "-P", "small", "-q", "-o", tmp_path / "set")
    profile = tmp_path / "large.prof"
    sizes = "{text: 300 MB, data: 1 MB, debug: 1100 MB, symtab: 10 MB, strtab: 20 MB}"
    profile.write_text(f"pyelfgen-profile: 1\nmodules: 1\nsections: {sizes}\ndwarf: {{compiler: clang}}\n")
    for how in (["--dry-run"], ["-o", tmp_path / "set"]):
        done = programs.run("pyelfgen", "--profile", profile, *how, status=1)
        assert "with 'compiler: clang' one library at most 1073741824" in done.stderr
    programs.run("pyelfgen", "--verify", tmp_path / "set")


def built(directory, name, compiler, *options):
    """Compiles a few functions with location lists."""
    source = directory / f"{name}.c"
    source.write_text("".join(f"long {name}{i}(long a, long b) {{ long c = a * b; return c * c + a / {i + 3}; }}\n" for i in range(9)))
    subprocess.run([tool(compiler), "-O2", "-fPIC", *options, "-c", source, "-o", directory / f"{name}.o"], check=True)
    return directory / f"{name}.o"


@pytest.mark.skipif(not shutil.which("clang"), reason="no clang")
def test_what_clang_says_is_what_is_said(library, tmp_path):
    """The forms of each attribute that both have are among those that clang itself chooses for the source below."""
    source = tmp_path / ("a.cpp" if library.parent.name == "c++" else "a.c")
    source.write_text(SOURCE)
    shared = tmp_path / "a.so"
    options = ["-g", "-gdwarf-5", "-O2", "-fPIC", "-shared"]
    subprocess.run([tool("clang"), *options, source, "-o", shared], check=True)
    real, made = collections.defaultdict(set), collections.defaultdict(set)
    for path, forms in ((shared, real), (library, made)):
        for attribute, form in uses(path)[0]:
            forms[attribute].add(re.sub(r"^(strx|data)[1-4]$", r"\1", form))
    both = set(real) & set(made)
    assert len(both) > 25
    # whether a variable is in one place, or in several, or a constant depends on the source
    assert {name: made[name] for name in both - {"location", "const_value"} if not made[name] <= real[name]} == {}


SOURCE = """
typedef unsigned long size;
enum kind { NONE, SOME = 300 };
struct item { enum kind kind; const char *name; double values[3][7]; struct item *next; } first;
union both { int a; float b; } *pointer;
static size counted;
extern int other(void *restrict to, ...);
static inline double each(struct item *i, size n)
{
    double sum = 0;
    for (size k = 0; k < n; k++) {
        size left = n - k;
        sum += i->values[1][k % 7] * (double)left;
        counted += k;
    }
    return sum;
}
double both_of(struct item *i, size n)
{
    double sum = each(i, n);
    if (i->next && other(i, 3))
        sum += each(i->next, n + 1) + (double)(long)pointer;
    return sum;
}
""".replace("*restrict", "*__restrict")


def test_debug_addr_has_what_the_units_refer_to(library):
    """Parts of .debug_addr and .debug_str_offsets follow one another, each as long as its header says."""
    for name, each in ((".debug_addr", 8), (".debug_str_offsets", 4)):
        _, offset, size = section(library, name)
        data = library.read_bytes()[offset : offset + size]
        at = parts = 0
        while at < len(data):
            length = int.from_bytes(data[at : at + 4], "little")
            assert length % each == 4 % each and data[at + 4] == 5
            at += 4 + length
            parts += 1
        assert at == len(data) and parts > 1
