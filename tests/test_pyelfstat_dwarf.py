"""pyelfstat --dwarf: its counts are those of LLVM's and GNU's readers, and no hostile file ends it by a signal."""

import collections
import json
import random
import re
import shutil
import subprocess
import sys

import pytest

from objects import FIVE, ask, code_by_readelf, sizes_by_binutils, sums, tool
from sets import SMALL

C_SOURCE = r"""
#include <stdio.h>
#include <string.h>
struct node { struct node *next; int value[4]; const char *name; union { float f; int i; } u; };
enum color { RED, GREEN, BLUE };
static int sum(const struct node *n)
{
    int s = 0;
    for (; n; n = n->next)
        for (int i = 0; i < 4; i++)
            s += n->value[i];
    return s;
}
int work(const struct node *a, const struct node *b, const char *text, enum color c)
{
    const int limit = 100;
    int x = sum(a), y = sum(b);
    if (strcmp(text, a->name)) {
        char buffer[100];
        snprintf(buffer, sizeof buffer, "%d %s", x, text);
        puts(buffer);
        return y < limit ? y : limit;
    }
    return x + y + (int)c;
}
"""

CXX_SOURCE = r"""
#include <map>
#include <string>
#include <vector>
namespace shapes {
struct base { virtual ~base() {} virtual int area(int) = 0; };
template <class T> struct of : base { T side; int area(int x) override { return x + (int)side; } };
}
std::map<std::string, std::vector<int>> table;
shapes::base *make(int kind) { return kind & 1 ? (shapes::base *)new shapes::of<double>() : new shapes::of<int>(); }
int use(const std::string &key)
{
    auto &row = table[key];
    row.push_back(1);
    int r = 0;
    for (auto x : row)
        r += x;
    try { r += make(r)->area(2); } catch (int e) { r = e; }
    return r;
}
"""


def compile_to(path, source, *flags):
    """Compiles a shared library, or with -c an object, with gcc or g++ at -O2 -g."""
    compiler = tool("g++" if source is CXX_SOURCE else "gcc")
    file = path.with_suffix(".cc" if source is CXX_SOURCE else ".c")
    file.write_text(source)
    kind = [] if "-c" in flags else ["-shared"]
    # A .dwo file goes to the working directory, so this is the directory of the result.
    subprocess.run([compiler, "-g", "-O2", "-fPIC", *kind, *flags, "-o", path, file], check=True, cwd=path.parent)
    return path


@pytest.fixture
def dwarf(programs):
    """Returns the sum that pyelfstat --dwarf --json gives for these files."""

    def read(*files):
        return json.loads(programs.run("pyelfstat", "--dwarf", "--json", *files).stdout)["dwarf"]

    return read



# ---- what others say ----


def dies_by_llvm(path):
    """Returns for each DIE its depth, the table of its unit's abbreviations, its abbreviation, its tag, and its
    attributes as [name, form, value, entries of its list]."""
    dump = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "-v", "--debug-info", "--debug-types", path)
    unit = None
    dies = []
    for line in dump.splitlines():
        if found := re.match(r"0x[0-9a-f]+: (?:Compile|Type) Unit: .*abbr_offset = (0x[0-9a-f]+)", line):
            unit = found[1]
        elif found := re.match(r"0x[0-9a-f]+:( +)DW_TAG_(\w+) \[(\d+)\]", line):
            dies.append((len(found[1]), unit, found[3], found[2], []))
        elif found := re.match(r" +DW_AT_(\w+) \[DW_FORM_(\w+)\]\t\((.*)", line):
            dies[-1][-1].append([*found.groups(), []])
        elif found := re.match(r" +\[(0x[0-9a-f]+), (0x[0-9a-f]+)\)", line):
            dies[-1][-1][-1][-1].append([int(end, 16) for end in found.groups()])
    return dies


def code_of(attributes):
    """Returns how many bytes of code a DIE covers; none where the linker has discarded it, which is then at 0."""
    at = {name: (form, value, spans) for name, form, value, spans in attributes}
    if "ranges" in at:
        return sum(end - begin for begin, end in at["ranges"][2] if begin > 1)
    low, high = (int(at[name][1].rstrip(")").split()[0], 16) if name in at else 0 for name in ("low_pc", "high_pc"))
    size = high if at.get("high_pc", ("",))[0].startswith("data") else high - low
    return size if low > 1 and size > 0 else 0


def begin_of(attributes):
    """Returns where the code of a DIE begins."""
    at = {name: (value, spans) for name, _, value, spans in attributes}
    if "ranges" in at:
        return next(begin for begin, end in at["ranges"][1] if begin > 1 and end > begin)
    return int(at["low_pc"][0].rstrip(")").split()[0], 16)


def location_of(forms):
    """Returns how a variable with these attributes is placed."""
    if "location" in forms:
        return "list" if forms["location"] == "sec_offset" else "expression"
    return "constant" if "const_value" in forms else "none"


def by_llvm(path):
    """Returns the counts of .debug_info and .debug_types, and the tallies of tags, attributes and forms."""
    count = collections.Counter()
    tally = {name: collections.Counter() for name in ("tags", "attributes", "forms")}
    abbreviations, begins = set(), set()
    lists = {"location": {}, "ranges": {}}
    function = inlined = None  # depth of the function, or inlined call, that this DIE and the next ones belong to
    kept = False
    for depth, table, abbreviation, tag, attributes in dies_by_llvm(path):
        forms = {name: form for name, form, _, _ in attributes}
        if function is None or depth <= function:
            function = depth if tag == "subprogram" and {"low_pc", "ranges"} & forms.keys() else None
            count["function_bytes"] += code_of(attributes) if function else 0
            kept = bool(function and code_of(attributes))
            if kept:
                begins.add(begin_of(attributes))
        if inlined is None or depth <= inlined:
            inlined = depth if tag == "inlined_subroutine" else None
            count["inlined_bytes"] += code_of(attributes) if inlined and function and kept else 0
        count["dies_of_functions"] += function is not None
        abbreviations.add((table, abbreviation))
        tally["tags"][tag] += 1
        tally["attributes"].update(forms.keys())
        tally["forms"].update(forms.values())
        if tag in ("compile_unit", "type_unit"):
            count[f"{tag}s"] += 1
        if tag in ("variable", "formal_parameter"):
            count[f"{tag.split('_')[-1]}s_{location_of(forms)}"] += 1
        count["functions"] += tag == "subprogram" and ("low_pc" in forms or "ranges" in forms)
        for name, form, value, entries in attributes:
            if name in ("name", "linkage_name"):
                count[f"{name}s"] += 1
                count[f"{name[:-4]}name_bytes"] += len(re.search(r'"(.*)"\)$', value)[1])
            elif form == "sec_offset" and name in ("location", "ranges"):
                # Several DIEs may refer to one list. Its entries count once, and once for each variable in a sum of
                # their own.
                count["location_entries_of_variables"] += len(entries) if name == "location" else 0
                lists[name][re.match(r"0x[0-9a-f]+", value)[0]] = len(entries)
    count["dies"] = sum(tally["tags"].values())
    count["attributes"] = sum(tally["attributes"].values())
    count["subprograms"] = tally["tags"]["subprogram"]
    count["inlined_subroutines"] = tally["tags"]["inlined_subroutine"]
    count["abbreviations"] = len(abbreviations)
    for name, entries in lists.items():
        count[f"{name.rstrip('s')}_lists"] = len(entries)
        count[f"{name.rstrip('s')}_entries"] = sum(entries.values())
    return count, tally


def lines_by_llvm(path):
    dump = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-line", path)
    rows = re.findall(r"^0x[0-9a-f]{16} +\d+ .*$", dump, flags=re.M)
    addresses = [[row.split()[0] for row in table.splitlines() if re.match("0x[0-9a-f]{16} ", row)] for table in dump.split("\nLine table prologue:")]
    return {
        "line_tables": dump.count("\nLine table prologue:"),
        "line_rows": len(rows),
        "line_addresses": sum(a != b for table in addresses for a, b in zip([None, *table], table)),
        "line_sequences": sum("end_sequence" in row for row in rows),
    }


def list_dump(what, path):
    return ask("readelf", f"--debug-dump={what}", path)


def tags_by_readelf(path):
    tags = re.findall(r"\(DW_TAG_(\w+)\)$", ask("readelf", "--debug-dump=info", path), flags=re.M)
    # readelf has the names of DWARF 3.
    return collections.Counter(re.sub(r"^template_(\w+)_param$", r"template_\1_parameter", tag) for tag in tags)


def sections_by_readelf(path):
    rows = re.findall(r"\] (\.debug\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", ask("readelf", "-SW", path))
    return {name: int(size, 16) for name, size in rows}


def text_by_readelf(path):
    rows = re.findall(r"\] \.text\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", ask("readelf", "-SW", path))
    return sum(int(size, 16) for size in rows)


def assert_as_others(found, path):
    """Checks the counts against all that llvm-dwarfdump and readelf say of the file."""
    counts, tallies = by_llvm(path)
    expected = {**counts, **lines_by_llvm(path), "text_bytes": text_by_readelf(path), "files": 1, "unreadable": 0}
    expected["code_bytes"] = code_by_readelf(path)
    assert {name: found["counts"][name] for name in expected} == expected
    for name, tally in tallies.items():
        assert found[name] == dict(tally), name
    assert {name: size["bytes"] for name, size in found["sections"].items()} == sections_by_readelf(path)
    if not counts["type_units"]:
        assert found["tags"] == dict(tags_by_readelf(path))


SHAPES = {
    "c-5": (C_SOURCE, "-gdwarf-5"),
    "c-4": (C_SOURCE, "-gdwarf-4"),
    "c-4-strict": (C_SOURCE, "-gdwarf-4", "-gstrict-dwarf"),
    "c-0": (C_SOURCE, "-O0"),
    "c++-5": (CXX_SOURCE, "-gdwarf-5"),
    "c++-4": (CXX_SOURCE, "-gdwarf-4"),
    "c++-types-5": (CXX_SOURCE, "-gdwarf-5", "-fdebug-types-section"),
    "c++-types-4": (CXX_SOURCE, "-gdwarf-4", "-fdebug-types-section"),
    "c++-64-bit": (CXX_SOURCE, "-gdwarf-5", "-gdwarf64"),
}


@pytest.mark.alike
@pytest.mark.parametrize("shape", SHAPES)
def test_counts_are_those_of_other_readers(dwarf, tmp_path, shape):
    library = compile_to(tmp_path / "a.so", *SHAPES[shape])
    found = dwarf(library)
    assert_as_others(found, library)
    version = "4" if "-gdwarf-4" in SHAPES[shape] else "5"
    units = found["counts"]["compile_units"] + found["counts"]["type_units"]
    assert found["versions"] == {version: units}
    assert found["counts"]["64bit_units"] == (units if shape == "c++-64-bit" else 0)
    assert found["counts"]["distinct_abbreviations"] <= found["counts"]["abbreviations"]
    language = "C_plus_plus_14" if version == "5" else "C_plus_plus"
    assert set(found["languages"]) == {language if shape.startswith("c++") else "C11" if version == "5" else "C99"}


LINKED = """
#include "shared.h"
int {name}(int x) {{ return grown(x) + 1; }}
__attribute__((noinline)) int {name}_unused(int x) {{ return {name}(x) * grown(x + 2); }}
"""
SHARED = "template <class T> __attribute__((noinline)) T grown(T x) { T sum = x; while (x-- > 0) sum += x * sum; return sum; }"


@pytest.mark.parametrize("linker", ["bfd", "lld"])
@pytest.mark.parametrize("flags", [["-gdwarf-4"], ["-gdwarf-5"], ["-gdwarf-5", "-ffunction-sections"]], ids=" ".join)
def test_code_counts_once(dwarf, tmp_path, linker, flags):
    """What units say of a copy that was discarded is no code, whatever addresses the linker gives it; and code that
    several units cover is not there several times."""
    if linker == "lld" and not shutil.which("ld.lld"):
        pytest.skip("there is no ld.lld")
    (tmp_path / "shared.h").write_text(SHARED)
    script = tmp_path / "map"
    script.write_text("{ global: *one*; *two*; local: *; };")
    parts = []
    for name in ("one", "two", "three"):
        parts.append(tmp_path / f"{name}.o")
        parts[-1].with_suffix(".cc").write_text(LINKED.format(name=name))
        command = [tool("g++"), "-g", *flags, "-O1", "-fPIC", "-c", parts[-1].with_suffix(".cc"), "-o", parts[-1]]
        subprocess.run(command, check=True)
    library = tmp_path / "linked.so"
    options = [f"-fuse-ld={linker}", "-Wl,--gc-sections", f"-Wl,--version-script={script}"]
    subprocess.run([tool("g++"), "-shared", *options, *parts, "-o", library], check=True)
    counts = dwarf(library)["counts"]
    assert counts["unreadable"] == 0
    symbols = ask("readelf", "-sW", library).split("'.symtab'")[1]
    sizes = [int(size) for size in re.findall(r" (\d+) FUNC .*(?:one|two|three|grown)\S*$", symbols, flags=re.M)]
    assert 0 <= counts["code_bytes"] - sum(sizes) < 16 * len(sizes)


@pytest.mark.parametrize("version", [4, 5])
def test_list_entries_are_those_of_readelf(dwarf, tmp_path, version):
    library = compile_to(tmp_path / "a.so", CXX_SOURCE, f"-gdwarf-{version}", "-gno-variable-location-views")
    counts = dwarf(library)["counts"]
    row = r"^ +[0-9a-f]{8} [0-9a-f]{16} [0-9a-f]{16} *"
    assert counts["location_entries"] == len(re.findall(rf"{row}\(DW_OP", list_dump("loc", library), flags=re.M)) > 20
    assert counts["location_lists"] == list_dump("loc", library).count("<End of list>") > 10
    if version == 4:  # of .debug_rnglists readelf 2.40 shows only the first list
        row += r"(\(start == end\))?$"
        assert counts["range_entries"] == len(re.findall(row, list_dump("Ranges", library), flags=re.M)) > 10
        assert counts["range_lists"] == list_dump("Ranges", library).count("<End of list>") > 5


def test_statistics_of_llvm(dwarf, tmp_path):
    library = compile_to(tmp_path / "a.so", CXX_SOURCE)
    found = dwarf(library)
    said = json.loads(ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--statistics", library))
    assert found["counts"]["inlined_subroutines"] == said["#inlined functions"]
    assert found["tags"]["call_site"] == said["#call site DIEs"]
    assert found["tags"]["call_site_parameter"] == said["#call site parameter DIEs"]
    for name, size in found["sections"].items():
        assert size == {"bytes": said[f"#bytes in {name}"], "file_bytes": said[f"#bytes in {name}"]}


@pytest.mark.slow
def test_generated_libraries(dwarf, small):
    for library in ("libutility1.so", "libmodulebegin.so"):
        assert_as_others(dwarf(small / library), small / library)


# ---- sums ----


def added(one, other):
    """Adds up two of pyelfstat's objects, number by number."""
    if isinstance(one, dict) or isinstance(other, dict):
        one, other = one or {}, other or {}
        return {name: added(one.get(name), other.get(name)) for name in {**one, **other}}
    return (one or 0) + (other or 0)


def test_files_are_summed(dwarf, tmp_path):
    c = compile_to(tmp_path / "c.so", C_SOURCE)
    cxx = compile_to(tmp_path / "cxx.so", CXX_SOURCE, "-gdwarf-4")
    both, one, other = dwarf(c, cxx), dwarf(c), dwarf(cxx)
    ratios = [found.pop("ratios") for found in (both, one, other)]
    shapes = [found["counts"].pop("distinct_abbreviations") for found in (both, one, other)]
    assert both == added(one, other)
    assert max(shapes[1:]) < shapes[0] < sum(shapes[1:])
    assert ratios[0]["dies_per_unit"] == both["counts"]["dies"] / 2
    assert ratios[0]["info_bytes_per_die"] == both["sections"][".debug_info"]["bytes"] / both["counts"]["dies"]
    lists = both["sections"][".debug_loc"]["bytes"] + both["sections"][".debug_loclists"]["bytes"]
    assert ratios[0]["bytes_per_list_entry"] == lists / both["counts"]["location_entries"]
    # The same abbreviations in another file are not distinct from these.
    assert dwarf(c, c, c)["counts"]["distinct_abbreviations"] == shapes[1]


def test_a_set(programs, small):
    report = json.loads(programs.run("pyelfstat", "--dwarf", "--json", small).stdout)
    (found,) = report["sets"]
    assert report["errors"] == [] and "dwarf" not in report
    assert found["path"] == str(small) and found["libraries"] == 12 and found["unreadable"] == 0
    assert found["dwarf"]["counts"]["files"] == 12 and "each" not in found
    assert sum(size["bytes"] for size in found["dwarf"]["sections"].values()) == sums(small)["debug"]


def test_each_file(programs, small):
    report = json.loads(programs.run("pyelfstat", "--dwarf", "--json", "--each", small).stdout)
    (found,) = report["sets"]
    assert [row["name"] for row in found["each"]] == [
        row["name"] for row in json.loads((small / "manifest.json").read_text())["libraries"] if row["kind"] != "marker"
    ]
    counts = [row["dwarf"]["counts"]["dies"] for row in found["each"]]
    assert sum(counts) == found["dwarf"]["counts"]["dies"]
    libraries = sorted(small.glob("libmodule[01].so"))
    text = programs.run("pyelfstat", "--dwarf", "--each", *libraries).stdout
    titles = [block.splitlines()[0] for block in text.split("\n\n")]
    assert titles == [*map(str, libraries), "(all)"]


def test_table(programs, tmp_path):
    library = compile_to(tmp_path / "a.so", C_SOURCE)
    found = json.loads(programs.run("pyelfstat", "--dwarf", "--json", library).stdout)["dwarf"]
    lines = programs.run("pyelfstat", "--dwarf", library).stdout.splitlines()
    assert max(map(len, lines)) <= 100
    rows = dict(re.match(r"(.*?)  +(.*)$", line).groups() for line in lines if not line.startswith(" " * 14))
    assert rows["files"] == "1" and rows["units"] == "1  1 compile"
    assert rows["debug sections, MB"] == f"{sizes_by_binutils(library)['debug'] / 1e6:.3f}"
    assert rows["DIEs"] == str(found["counts"]["dies"])
    assert rows["attributes per DIE"] == f"{found['counts']['attributes'] / found['counts']['dies']:.2f}"
    assert rows["mean length of a linkage name"] == "-"
    # Shares, the largest first, over several lines.
    text = "\n".join(lines)
    tags = re.search(r"^tags %((?:.|\n {14})*)", text, flags=re.M)[1]
    shares = [(name, float(share)) for name, share in re.findall(r"(\w+) (\d+\.\d)", tags)]
    assert [share for _, share in shares] == sorted((share for _, share in shares), reverse=True)
    dies = found["counts"]["dies"]
    assert dict(shares) == {name: round(count / dies * 100, 1) for name, count in found["tags"].items()}
    assert "languages %   C11 100.0\nversions %    5 100.0\n" in text + "\n"


def test_small_shares_are_summed(programs, small):
    lines = programs.run("pyelfstat", "--dwarf", small).stdout.splitlines()
    assert lines[0] == f"{small}: small example, 12 libraries"
    found = json.loads(programs.run("pyelfstat", "--dwarf", "--json", small).stdout)["sets"][0]["dwarf"]
    all_of_them = found["counts"]["attributes"]
    others = sum(count for count in found["attributes"].values() if count / all_of_them < 0.0005)
    text = "\n".join(lines)
    shown = re.search(r"^attributes %(?:.|\n {14})*?(?: others (\d+\.\d))?$\nforms", text, flags=re.M)[1]
    assert shown == (f"{others / all_of_them * 100:.1f}" if others / all_of_them >= 0.0005 else None)


# ---- other kinds of files ----


def test_compressed_sections(programs, dwarf, tmp_path):
    plain = compile_to(tmp_path / "a.so", C_SOURCE)
    expected = dwarf(plain)
    for kind in ("zlib", "zlib-gnu"):
        packed = tmp_path / f"{kind}.so"
        subprocess.run(["objcopy", f"--compress-debug-sections={kind}", plain, packed], check=True)
        found = dwarf(packed)
        assert sum(size["file_bytes"] for size in found["sections"].values()) == sizes_by_binutils(packed)["debug"]
        for name, size in expected["sections"].items():
            assert found["sections"][name]["bytes"] == size["bytes"]
        assert {**found, "sections": None} == {**expected, "sections": None}
        assert "in the files, compressed" in programs.run("pyelfstat", "--dwarf", packed).stdout


@pytest.mark.parametrize("kind", ["zlib", "zstd"])
def test_compressed_sets(programs, dwarf, small, tmp_path, kind):
    """libdwarf does not know zstd, and takes a section that zlib has made very small for broken."""
    programs.run("pyelfgen", "-P", SMALL, "--compress", kind, "-o", tmp_path / "set", "-q")
    for name in ("libmodule0.so", "libutility0.so"):
        plain, packed = dwarf(small / name), dwarf(tmp_path / "set" / name)
        sections = packed["sections"].values()
        assert sum(size["file_bytes"] for size in sections) < sum(size["bytes"] for size in sections)
        for section, size in plain["sections"].items():
            assert packed["sections"][section]["bytes"] == size["bytes"]
        assert {**packed, "sections": None} == {**plain, "sections": None}


def test_what_is_not_unpacked_is_left_to_libdwarf(dwarf, tmp_path):
    """pyelfstat unpacks no sections of 32-bit files. libdwarf reads their zlib."""
    source = "int f(int a) { return a; }" + "".join(f"struct s{i} {{ int a, b; }} v{i};" for i in range(20))
    counts = [
        dwarf(compile_to(tmp_path / f"{how}.o", source, "-m32", "-c", f"-gz={how}"))["counts"]
        for how in ("none", "zlib")
    ]
    assert counts[0] == counts[1] and counts[0]["dies"] > 20


def test_a_file_that_changes(programs, tmp_path):
    """If a file changes while it is read, nothing of it counts: one part would be old and the other new."""
    library = compile_to(tmp_path / "a.so", C_SOURCE)
    changes = "import os, sys\nprint(flush=True)\nfor i in range(1 << 40): os.utime(sys.argv[1], ns=(i, i))"
    with subprocess.Popen([sys.executable, "-c", changes, library], stdout=subprocess.PIPE) as changing:
        changing.stdout.readline()
        for _ in range(500):  # while the other process has no processor, the file does not change
            done = programs.run("pyelfstat", "--dwarf", library, status=None)
            if done.returncode:
                break
        changing.kill()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"pyelfstat: {library}: changes while it is read; run again when it is finished\n"


def test_without_debug_information(programs, dwarf, tmp_path):
    plain = compile_to(tmp_path / "a.so", C_SOURCE)
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", "-g", "-o", stripped, plain], check=True)
    counts = dwarf(plain, stripped)["counts"]
    assert counts["files"] == 2 and counts["files_without_units"] == 1
    assert counts["text_bytes"] == 2 * text_by_readelf(plain)
    table = programs.run("pyelfstat", "--dwarf", stripped).stdout
    assert re.search(r"^  of them without debug information +1$", table, flags=re.M)
    assert re.search(r"^DIEs per unit +-$", table, flags=re.M)


def test_separate_debug_information(dwarf, tmp_path):
    library = compile_to(tmp_path / "a.so", C_SOURCE)
    debug = tmp_path / "a.debug"
    subprocess.run(["objcopy", "--only-keep-debug", library, debug], check=True)
    assert dwarf(debug) == dwarf(library)


def test_object_file(dwarf, tmp_path):
    thing = compile_to(tmp_path / "a.o", CXX_SOURCE, "-c", "-ffunction-sections")
    counts = dwarf(thing)["counts"]
    assert counts["compile_units"] == 1 and counts["unreadable"] == 0
    assert counts["text_bytes"] > 1000 and counts["dies"] == by_llvm(thing)[0]["dies"]


@pytest.mark.parametrize("version", [4, 5])
def test_split(dwarf, tmp_path, version):
    thing = compile_to(tmp_path / "a.o", C_SOURCE, "-c", "-gsplit-dwarf", f"-gdwarf-{version}")
    found = dwarf(thing)
    assert found["counts"]["skeleton_units"] == found["counts"]["dies"] == 1
    assert found["counts"]["compile_units"] == found["counts"]["unreadable"] == 0
    assert found["counts"]["line_rows"] > 20


def in_lists(dwarf, *files):
    counts = dwarf(*files)["counts"]
    return [counts[key] for key in ("location_lists", "location_entries", "range_lists", "range_entries")]


def test_lists_of_both_versions_in_one_file(dwarf, tmp_path):
    """.debug_loc and .debug_loclists have lists at the same offsets, and .debug_ranges and .debug_rnglists too."""
    body = """
        static int part@(int x) { int s = 0; for (int i = 0; i < x; i++) { int q = g(i); if (q) s += q; } return s + #; }
        int whole@(int a, int b) { int c = g(a + #); int d = part@(b); return c < d ? part@(c) : part@(d) + c; }
    """
    objects = []
    for version in "45":
        source = "int g(int);\n" + "".join(body.replace("@", f"{version}_{i}").replace("#", f"{i}") for i in range(100))
        objects.append(compile_to(tmp_path / f"{version}.o", source, "-c", f"-gdwarf-{version}"))
    both = tmp_path / "both.so"
    subprocess.run([tool("gcc"), "-shared", *objects, "-o", both], check=True)
    apart = in_lists(dwarf, *objects)
    assert min(apart) >= 200 and in_lists(dwarf, both) == apart


def test_lists_of_a_package(dwarf, tmp_path):
    """The lists of each unit of a .dwp file begin at offset 0. With clang, unlike gcc, the first ones do as well."""
    names = ["a", "b"]
    for name in names:
        source = tmp_path / f"{name}.c"
        source.write_text(C_SOURCE.replace("work", f"work_{name}"))
        how = ["-c", "-O2", "-gdwarf-4", "-gsplit-dwarf"]
        subprocess.run([tool("clang"), *how, source.name, "-o", f"{name}.o"], check=True, cwd=tmp_path)
    files = [tmp_path / f"{name}.dwo" for name in names]
    subprocess.run([tool("dwp"), "-o", tmp_path / "ab.dwp", *files], check=True)
    apart = in_lists(dwarf, *files)
    assert apart[0] > 0 and in_lists(dwarf, tmp_path / "ab.dwp") == apart


def test_epilogues_end_no_sequence(dwarf, tmp_path):
    """libdwarf takes rows that begin an epilogue, as LLVM has them since version 17, for ends of sequences."""
    source = tmp_path / "rows.s"
    source.write_text('.file 1 "x.c"\n' + "".join(f".loc 1 {i} 0 epilogue_begin\nnop\n" for i in range(1, 9)))
    subprocess.run([tool("as"), "-gdwarf-5", source, "-o", tmp_path / "rows.o"], check=True)
    counts = dwarf(tmp_path / "rows.o")["counts"]
    assert counts["line_rows"] == 9 and counts["line_sequences"] == 1


@pytest.mark.parametrize("version", [4, 5])
def test_type_units_of_an_object_file(version, programs, tmp_path):
    """libdwarf reads them one COMDAT group at a time. They do not count, and a line says so."""
    (tmp_path / "a.cc").write_text("struct A { int x; }; struct B { A a; }; int f(A *a, B *b) { return a->x + b->a.x; }\n")
    command = [tool("g++"), "-c", "-g", f"-gdwarf-{version}", "-fdebug-types-section", tmp_path / "a.cc"]
    subprocess.run([*command, "-o", tmp_path / "a.o"], check=True)
    done = programs.run("pyelfstat", "--dwarf", tmp_path / "a.o")
    assert re.search(r"^units +1  1 compile$", done.stdout, flags=re.M)
    said = "units in 2 COMDAT or .dwo section groups do not count: libdwarf reads one group of sections of a file"
    assert done.stderr == f"pyelfstat: {said}\n"


def test_range_lists_of_dwo_files(programs, tmp_path):
    """libdwarf reads these lists only together with the library. They do not count, and this is no failure."""
    source = """
        int f(int);
        static inline int g(int x) { for (int i = 0; i < x; i++) { int q = i * x; if (q > 3) x += f(q); } return x; }
        int h(int a) { return g(a) + g(a + 1); }
    """
    for name in ("a", "b"):
        compile_to(tmp_path / f"{name}.o", source, "-c", "-O2", "-gdwarf-5", "-gsplit-dwarf")
    files = [tmp_path / "a.dwo", tmp_path / "b.dwo"]
    done = programs.run("pyelfstat", "--dwarf", "--json", *files)
    found = json.loads(done.stdout)
    assert done.stderr == (
        "pyelfstat: range lists of 2 .dwo files do not count: libdwarf reads them only together with the library\n"
    )
    assert found["errors"] == [] and found["dwarf"]["forms"]["rnglistx"] > 0
    assert found["dwarf"]["counts"]["unreadable"] == found["dwarf"]["counts"]["range_lists"] == 0
    table = programs.run("pyelfstat", "--dwarf", files[0]).stdout
    assert re.search(r"^ranges per range list +-$", table, flags=re.M)


def test_range_lists_of_a_package(programs, tmp_path):
    """libdwarf finds these lists, but not their addresses, which are in the library."""
    (tmp_path / "a.cc").write_text("""
        struct S { ~S(); int v; }; void g(S &); void h(int);
        template <class T> T t(T a) { S s; g(s); if (a > 3) h(a); return a + s.v; }
        int x(int a) { S s; g(s); return t(a) + t<long>(a) + s.v; }
    """)
    command = [tool("g++"), "-shared", "-fPIC", "-O2", "-gdwarf-5", "-gsplit-dwarf", "a.cc", "-o", "x.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    (file,) = tmp_path.glob("*.dwo")
    subprocess.run([tool("llvm-dwp"), file, "-o", tmp_path / "x.so.dwp"], check=True, timeout=60)
    done = programs.run("pyelfstat", "--dwarf", "--json", tmp_path / "x.so.dwp")
    assert done.stderr == (
        "pyelfstat: range lists of 1 .dwo file do not count: libdwarf reads them only together with the library\n"
    )
    found = json.loads(done.stdout)
    assert found["errors"] == [] and found["dwarf"]["forms"]["rnglistx"] > 0
    assert found["dwarf"]["counts"]["unreadable"] == found["dwarf"]["counts"]["range_lists"] == 0
    assert programs.run("pyelfprof", "-o", tmp_path / "x.prof", tmp_path / "x.so").stderr == ""


def test_partial_units(dwarf, tmp_path):
    dwz = tool("dwz")
    one = compile_to(tmp_path / "one.so", CXX_SOURCE, "-gdwarf-4")
    other = shutil.copy(one, tmp_path / "other.so")
    before = dwarf(one, other)["counts"]
    subprocess.run([dwz, "-m", tmp_path / "common", one, other], check=True)
    common = dwarf(tmp_path / "common")["counts"]
    assert common["partial_units"] == 1 and common["compile_units"] == 0
    after = dwarf(one, other)["counts"]
    assert after["compile_units"] == 2 and after["unreadable"] == 0
    assert after["dies"] < before["dies"] and after["location_entries"] == before["location_entries"]
    # Names that lie in the common file are not followed, so they do not count.
    assert 0 < after["names"] < after["dies"]


# ---- what is broken ----


def assembled(path, dies):
    """Assembles an object with one unit of these DIEs. Abbreviation 2 is a block with sibling and children, 3 a type
    with its size in a byte, 4 a block with children."""
    source = path.with_suffix(".s")
    source.write_text(
        f"""
        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11; .byte 1; .uleb128 0x13, 0x0b, 0, 0
        .uleb128 2, 0x0b; .byte 1; .uleb128 0x01, 0x13, 0, 0
        .uleb128 3, 0x24; .byte 0; .uleb128 0x0b, 0x0b, 0, 0
        .uleb128 4, 0x0b; .byte 1; .uleb128 0, 0
        .byte 0
        .section .debug_info,"",@progbits
        cu: .long end - start
        start: .short 4; .long 0; .byte 8
        .uleb128 1; .byte 12
        {dies}
        .zero 16 # libdwarf sees no unit of less than 24 bytes
        end:
        """
    )
    subprocess.run([tool("as"), source, "-o", path], check=True)
    return path


@pytest.mark.parametrize(
    "dies, complaint",
    [
        (
            "d: .uleb128 2; .long d-cu; .uleb128 3; .byte 4; .zero 2",
            "has broken debug information: its DIEs run in circles",
        ),
        # A DIE whose sibling is also a child of its child. Each such DIE would double the number of DIEs.
        (
            "a: .uleb128 2; .long b-cu; b: .uleb128 2; .long c-cu; c: .uleb128 3; .byte 4; .zero 4",
            "has broken debug information: its DIEs run in circles",
        ),
        (
            "a: .uleb128 3; .byte 4; .uleb128 2; .long a-cu; .uleb128 3; .byte 4; .zero 2",
            "libdwarf cannot read a DIE: DW_DLE_NEXT_DIE_LOW_ERROR",
        ),
        (".rept 600; .uleb128 4; .endr; .zero 601", "has broken debug information: its DIEs are nested too deep"),
        (".uleb128 9; .byte 0", "libdwarf cannot read a DIE: DW_DLE_ABBREV_MISSING"),
    ],
    ids=["self", "child", "back", "deep", "abbreviation"],
)
def test_trees_that_lie(programs, tmp_path, dies, complaint):
    thing = assembled(tmp_path / "a.o", dies)
    done = programs.run("pyelfstat", "--dwarf", thing, status=1)
    assert done.stdout == "" and done.stderr.startswith(f"pyelfstat: {thing}: {complaint}")


def test_deep_but_right(dwarf, tmp_path):
    thing = assembled(tmp_path / "a.o", ".rept 500; .uleb128 4; .endr; .uleb128 3; .byte 4; .zero 501")
    assert dwarf(thing)["counts"]["dies"] == 502


def test_a_broken_file_costs_only_itself(programs, tmp_path):
    good = compile_to(tmp_path / "good.so", C_SOURCE)
    bad = assembled(tmp_path / "bad.o", ".rept 600; .uleb128 4; .endr; .zero 601")
    report = json.loads(programs.run("pyelfstat", "--dwarf", "--json", good, bad, good, status=1).stdout)
    assert report["dwarf"]["counts"]["files"] == 2
    assert [error["file"] for error in report["errors"]] == [str(bad)]
    for not_elf in (tmp_path / "absent", tmp_path / "good.c"):
        done = programs.run("pyelfstat", "--dwarf", not_elf, status=1)
        assert done.stdout == "" and done.stderr.startswith(f"pyelfstat: {not_elf}: ")


def debug_sections(path):
    rows = re.findall(r"\] (\.debug\S+)\s+\S+\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", ask("readelf", "-SW", path))
    return [(name, int(offset, 16), int(size, 16)) for name, offset, size in rows]


def test_values_that_cannot_be_read_are_told(programs, tmp_path):
    library = compile_to(tmp_path / "a.so", C_SOURCE)
    before = json.loads(programs.run("pyelfstat", "--dwarf", "--json", library).stdout)["dwarf"]["counts"]
    # Without the zero at its end, the last name cannot be read.
    offset, size = next(row[1:] for row in debug_sections(library) if row[0] == ".debug_str")
    with open(library, "r+b") as file:
        file.seek(offset + size - 1)
        file.write(b"x")
    done = programs.run("pyelfstat", "--dwarf", "--json", library, status=1)
    counts = json.loads(done.stdout)["dwarf"]["counts"]
    assert counts["unreadable"] > 0 and counts["names"] + counts["unreadable"] == before["names"]
    assert counts["dies"] == before["dies"]
    complaint = r"libdwarf cannot read \d+ names, lists or tables, which do not count; first a name: DW_DLE_"
    assert re.match(f"pyelfstat: {library}: {complaint}", done.stderr)


def mutilated(path, directory, number):
    """Yields copies of the file, damaged within debug sections or cut off. They are the same each time."""
    chance = random.Random(f"{path.name} {number}")
    data = path.read_bytes()
    sections = debug_sections(path)
    for i in range(number):
        changed = bytearray(data)
        if i % 10 == 0:
            changed = changed[: chance.randrange(len(data))]
        else:
            _, offset, size = chance.choice(sections)
            for _ in range(chance.choice([1, 1, 2, 4, 8])):
                at = offset + chance.randrange(size)
                changed[at] = chance.choice([changed[at] ^ 1 << chance.randrange(8), 0, 0x7F, 0x80, 0xFF])
        copy = directory / f"{i}.so"
        copy.write_bytes(changed)
        yield copy


@pytest.mark.alike(2)
@pytest.mark.parametrize("shape", ["c-5", "c-4", "c++-types-4"])
def test_mutilated(programs, tmp_path, shape):
    library = compile_to(tmp_path / "a.so", *SHAPES[shape])
    copies = list(mutilated(library, tmp_path, 60 if programs.sanitized else 400))
    done = programs.run("pyelfstat", "--dwarf", "--json", *copies, status=1, timeout=300)
    report = json.loads(done.stdout)
    broken = {error["file"] for error in report["errors"]}
    assert broken <= set(map(str, copies))
    refused = [error for error in report["errors"] if "which do not count" not in error["text"]]
    assert report["dwarf"]["counts"]["files"] + len(refused) == len(copies)
    assert 0 < len(refused) < len(copies)
    assert all(re.match(r"pyelfstat: /", line) for line in done.stderr.splitlines())


NESTED = """\
static int square(int x) { return x * x + 1; }
static int sum(int x) { int s = 0; for (int i = 0; i < x; i++) s += square(i) ^ x; return s; }
int f(int a) { return sum(a) + square(a); }
int g(int n) { int k(int m) { return square(m) + sum(m) * n; } int (*volatile at)(int) = k; return at(n) + k(n); }
"""


def test_code_in_inlined_calls_is_counted_alike_in_all_versions(dwarf, tmp_path):
    """Lists of DWARF 4 are relative to the unit's lowest address. A function in another one counts with neither sum."""
    (tmp_path / "a.c").write_text(NESTED)
    counts = []
    for version in (4, 5):
        command = ["gcc", "-O2", "-g", f"-gdwarf-{version}", "-fPIC", "-shared", "-Wl,-z,execstack", "-o", tmp_path / "a.so"]
        subprocess.run([*command, tmp_path / "a.c"], check=True)
        found = dwarf(tmp_path / "a.so")["counts"]
        counts.append((found["function_bytes"], found["inlined_bytes"]))
    assert counts[0] == counts[1]
    assert counts[0][0] / 2 < counts[0][1] < counts[0][0]
