"""Sets that follow rows of libraries. Each library has its own sizes to the byte and needs what its row says. Where it
differs from the row, differences.json says so. The judges are binutils and elfutils.
"""

import filecmp
import json
import random
import re
import sys

import pytest
import yaml

import lsda
from captures import relocations_by_readelf
from conftest import BUILD
from objects import ask, each, sizes_of_each, tool
from sets import libraries_of, mostly_long
from test_rows_extra import constructors_of

SIZES = ["text", "data", "bss", "debug", "symtab", "strtab"]

# The rows have a cycle of utilities, a cycle of modules, edges from utilities and modules to modules, an edge without a
# number, and kinds in any order. Libraries are stripped, bare, tight, roomy, and without any functions.
ROWS = """\
- {kind: utility, text: 40000, data: 3000, bss: 5000, debug: 90000, symtab: 2400, strtab: 4000, functions: 60,
   dynamic: {functions: 20, objects: 7, undefined: 40}, plt: 31, relocations: {relative: 90, glob-dat: 12, "64": 5},
   needed: '2:3', outside: 1, dwarf: {units: 3}}
- {kind: module, text: 30000, data: 2500, bss: 8, debug: 60000, symtab: 3600, strtab: 2500, functions: 50,
   dynamic: {functions: 1, undefined: 30}, plt: 25, relocations: {relative: 60, glob-dat: 4},
   needed: '2:5 0:9 3', outside: 1, hash: sysv, bind: now, relro: full, page: 65536}
- {kind: utility, text: 25001, data: 2003, bss: 77, functions: 30, needed: '0:2', outside: 1, build-id: false, hash: both}
- {kind: module, text: 60000, data: 4000, bss: 900, debug: 150007, symtab: 4800, strtab: 90000, functions: 80,
   needed: '1:2 0:30', outside: 1, soname: false, relro: none}
- {kind: module, text: 3200, data: 1100, bss: 8, functions: 2, outside: 0, runpath: 0}
- {kind: utility, text: 2500, data: 800, bss: 1, functions: 0, needed: '1:1', outside: 2}
- {kind: module, text: 6000, data: 1500, bss: 4096, debug: 30000, symtab: 1200, strtab: 900, functions: 12, needed: '6:0', outside: 0,
   versions: 1}
"""
ROWS = ROWS.replace(", needed: '6:0'", ", needed: '5:1 0:1'")


def profile_of(rows, *more):
    return "\n".join(["pyelfgen-profile: 1", *more, "libraries:", rows])


class Made:
    """A set, and the rows of its profile as dictionaries, in the profile's order."""

    def __init__(self, directory, rows):
        self.directory = directory
        self.rows = rows
        count = {"module": 0, "utility": 0}
        self.names = []
        for row in rows:
            self.names.append(f"lib{row['kind']}{count[row['kind']]}.so")
            count[row["kind"]] += 1
        self.paths = [directory / name for name in self.names]
        told = json.loads((directory / "differences.json").read_text())["libraries"]
        self.told = {library["row"]: library for library in told}


def parsed(rows):
    """Returns the rows as dictionaries."""
    return yaml.safe_load(rows)


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("rows")
    (directory / "rows.prof").write_text(profile_of(ROWS))
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return Made(directory / "set", parsed(ROWS))


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", ask("readelf", "-dW", path))


def section_lines(path):
    """Returns a line for each section: number, name, type, address, offset, size and more."""
    lines = ask("readelf", "-SW", path).splitlines()
    return [line.replace("[", "").replace("]", "") for line in lines if re.match(r" +\[ *\d+\] \.", line)]


def counted(path):
    """Returns what readelf counts, for some of the quantities that rows have."""
    relocations = ask("readelf", "-rW", path)
    symbols = [line.split() for line in ask("readelf", "--dyn-syms", "-W", path).splitlines()]
    symbols = [row for row in symbols if row and row[0].rstrip(":").isdigit() and row[0] != "0:"]
    sections = {row[1]: int(row[5], 16) for row in map(str.split, section_lines(path))}

    def of_type(*types):
        return sum(1 for row in symbols if row[3] in types and row[6] != "UND")

    return {
        "plt": len(re.findall("R_X86_64_JUMP_SLO", relocations)),
        "relocations: jump-slot": len(re.findall("R_X86_64_JUMP_SLO", relocations)),
        "relocations: relative": len(re.findall("R_X86_64_RELATIVE", relocations)),
        "relocations: glob-dat": len(re.findall("R_X86_64_GLOB_DAT", relocations)),
        "relocations: 64": len(re.findall(r"R_X86_64_64\b", relocations)),
        "dynamic: functions": of_type("FUNC"),
        "dynamic: objects": of_type("OBJECT"),
        "dynamic: undefined": sum(1 for row in symbols if row[6] == "UND"),
        "relocations: tls": len(re.findall("R_X86_64_DTPMOD64", relocations)),
        "tls": sections.get(".tbss", 0),
        "data-rel-ro": sections.get(".data.rel.ro", 0),
        "relocations: pages": relocations_by_readelf(path)["pages"],
        "constructors": sections[".init_array"] // 8,
        "constructor-code": sum(constructors_of(path)),
        "exceptions: table": sections.get(".gcc_except_table", 0),
        "exceptions: functions": sum(1 for function in lsda.functions(path) if function.table),
        "init-code": sum(int(row[2]) for row in symbols if row[-1].startswith("PyInit_")),
        "destructors": sections[".fini_array"] // 8,
        "versions": len(re.findall(r"Name: GLIBC", ask("readelf", "-VW", path))),
        "outside": sum(1 for name in needed(path) if not re.match("lib(module|utility)", name)),
    }


def wanted(row, quantity):
    section, _, key = quantity.rpartition(": ")
    of = row.get(section, {}) if section else row
    return of.get(int(key) if key == "64" and 64 in of else key)


def check_sizes(made):
    for row, sizes in zip(made.rows, sizes_of_each(made.paths)):
        for size in SIZES:
            if "text" in row and (size in row or size not in ("bss",)):
                expected = row.get(size, 0)
                # .symtab has whole entries
                expected = (expected + 12) // 24 * 24 if size == "symtab" else expected
                assert sizes[size] == expected, (row, size)


def check_graph(made):
    """DT_NEEDED has exactly the edges of the row, in their order. The library imports symbols from these libraries
    only."""
    defined = {}
    for name, path in zip(made.names, made.paths):
        rows = ask("nm", "-D", "--defined-only", path).splitlines()
        defined[name] = {row.split()[2] for row in rows}
    for number, (row, name, path) in enumerate(zip(made.rows, made.names, made.paths)):
        edges = [edge.partition(":") for edge in str(row.get("needed", "")).split()]
        expected = [made.names[int(edge[0])] for edge in edges]
        assert [other for other in needed(path) if other in made.names] == expected
        undefined = {line.split()[1] for line in ask("nm", "-D", "--undefined-only", path).splitlines()}
        taken = {other: len(undefined & defined[other]) for other in made.names}
        less = {edge[0]: edge[2] for edge in made.told[number]["needed"]}
        for edge, other in zip(edges, expected):
            symbols = taken.pop(other)
            if edge[2]:
                assert symbols == less.get(int(edge[0]), int(edge[2])), (name, other)
            else:
                assert symbols >= 1
        assert not any(taken.values()), name


def check_differences(made):
    """What readelf counts is what the row says. Otherwise differences.json has exactly the number that readelf
    counts."""
    for number, (row, path) in enumerate(zip(made.rows, made.paths)):
        differs = made.told[number]["differs"]
        for quantity, count in counted(path).items():
            asked = wanted(row, quantity)
            if asked is None:
                assert quantity not in differs
            elif quantity in differs:
                assert differs[quantity] == [asked, count], (path, quantity)
            else:
                assert asked == count, (path, quantity)


def check_runs(programs, directory):
    ran = programs.run("pyelfrun", "--phases", "import,visit", directory)
    assert "every result right" in ran.stdout
    programs.command([sys.executable, directory / "driver.py", "--no-mpi"], leaks=False)
    programs.command([sys.executable, directory / "driver.py", "--no-mpi"], leaks=False, env={"LD_BIND_NOW": "1"})


def check_readers(paths):
    lint = tool("eu-elflint")
    assert each(lambda path: ask(lint, "--gnu-ld", path), paths) == ["No errors\n"] * len(paths)
    ask(BUILD / "bin" / "decode_text", *paths)
    for path in paths:
        assert "No errors" in ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--verify", path)


def test_sizes_are_those_of_each_row(made):
    check_sizes(made)


def test_libraries_need_what_their_rows_say(made):
    check_graph(made)


def test_what_is_not_followed_is_told(made):
    check_differences(made)
    # no difference: the library has as many dynamic objects as its row says
    assert made.told[0]["differs"].get("dynamic: objects") is None
    assert made.told[4]["without"][:2] == ["visit marks", "scratch memory in .bss"]
    assert made.told[6]["differs"]["outside"] == [0, 1]
    assert not {"outside", "versions"} & {*made.told[4]["differs"], *made.told[5]["differs"]}


def test_without_the_C_library_there_are_no_versions(made):
    """Row 4 has no C library: there are no tables of versions, and __cxa_finalize has no version."""
    path = made.paths[4]
    assert "NEEDED" not in ask("readelf", "-dW", path) and "NEEDED" in ask("readelf", "-dW", made.paths[6])
    assert "No version information found" in ask("readelf", "-VW", path)
    assert not re.search("VER(NEED|SYM)", ask("readelf", "-dW", path))
    assert re.search(r"WEAK +DEFAULT +UND __cxa_finalize$", ask("readelf", "--dyn-syms", "-W", path), flags=re.M)


def test_linker_options_are_each_row_s(made):
    notes = [ask("readelf", "-SW", path) for path in made.paths]
    dynamic = [ask("readelf", "-dW", path) for path in made.paths]
    assert [".note.gnu.build-id" in note for note in notes] == [True, True, False, True, True, True, True]
    assert [(".hash" in re.findall(r"\] (\.\S+)", note), ".gnu.hash" in note) for note in notes[:3]] == [
        (False, True),
        (True, False),
        (True, True),
    ]
    assert ["BIND_NOW" in text for text in dynamic] == [False, True] + [False] * 5
    assert ["SONAME" in text for text in dynamic] == [True] * 3 + [False] + [True] * 3
    assert "RUNPATH" not in dynamic[4] and "RUNPATH" in dynamic[0]
    assert "0x10000\n" in ask("readelf", "-lW", made.paths[1])
    assert "GNU_RELRO" not in ask("readelf", "-lW", made.paths[3])


def test_runs(programs, made):
    check_runs(programs, made.directory)
    programs.run("pyelfgen", "--verify", made.directory)
    rows = {row["name"]: row for row in libraries_of(made.directory)}
    assert rows["libmodule0.so"]["marks"] == 0 and rows["libmodule1.so"]["marks"] > 0
    assert rows["libmodule0.so"]["result"]


def test_readers_have_nothing_to_complain_of(made):
    check_readers(made.paths)


def test_is_the_same_everywhere(programs, made, tmp_path):
    profile = made.directory.parent / "rows.prof"
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "one", "-j", "1", "--quiet")
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "one", "-j", "3", "--quiet", "--force")
    names = [path.name for path in made.directory.iterdir() if path.is_file()]
    same, other, wrong = filecmp.cmpfiles(made.directory, tmp_path / "one", names, shallow=False)
    assert not other and not wrong and "differences.json" in same
    # a set without rows has no such file
    programs.run("pyelfgen", "--profile", "small", "-o", tmp_path / "one", "--quiet", "--force")
    assert not (tmp_path / "one" / "differences.json").exists()


def test_differences_are_summed_up(programs, made, tmp_path):
    said = programs.run("pyelfgen", "--profile", made.directory.parent / "rows.prof", "-o", tmp_path / "set").stdout
    assert re.search(r"^\d of 7 libraries have no room for visit marks$", said, flags=re.M)
    assert re.search(r"^outside +1 of 7 +6 +7$", said, flags=re.M)
    assert "each library's are in differences.json beside its manifest" in said
    assert re.match(r"\S+: \d+ modules? and \d+ utilit\w+ with \d+ functions that call one another", said)


CAPTURED = """\
- {kind: utility, text: 60000, data: 9000, bss: 100, functions: 40, plt: 20, outside: 1, constructors: 0, hash: none}
- {kind: utility, text: 60000, data: 9000, bss: 100, functions: 40, plt: 20, outside: 1, constructors: 2, debug-file: true}
- {kind: utility, text: 60000, data: 9000, bss: 100, functions: 40, plt: 20, outside: 1, destructors: 0}"""


def test_differences_of_captured_rows(programs, tmp_path):
    """A key that a captured row leaves out has its usual value, which may differ too. Differences are also counted for
    words and switches."""
    text = profile_of(CAPTURED, "captured: {from: files, libraries: 3, unreadable: 0}")
    (tmp_path / "a.prof").write_text(text)
    said = programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set").stdout
    assert re.search(r"^constructors +2 of 3 +3 +3  the sums are equal, the libraries are not$", said, flags=re.M)
    assert re.search(r"^destructors +1 of 3 +2 +3$", said, flags=re.M)
    assert re.search(r"^debug-file +1 of 3 +1 +0$", said, flags=re.M)
    assert re.search(r"^hash +1 of 3 +none +gnu$", said, flags=re.M)


def test_modes_of_executables_are_refused(programs, made, tmp_path):
    """The message must not advise to generate an executable, as there can be none."""
    for mode, name in (("link", "pyelf-link"), ("static", "pyelf-static")):
        done = programs.run("pyelfrun", "--mode", mode, made.directory, status=1)
        assert f"mode {mode} runs {name}, and a set whose profile has rows" in done.stderr
        assert "use --mode vanilla\n" in done.stderr
    done = programs.run("pyelfprobe", "--start=link", made.directory, status=2)
    assert "has no pyelf-link, as no set whose profile has rows for its libraries" in done.stderr


def test_an_entry_that_only_python_finds(programs, tmp_path):
    row = "{kind: module, text: 9000, data: 2000, bss: 64, functions: 20, plt: 5, outside: 1, dynamic: {functions: 1, undefined: 5}}"
    (tmp_path / "a.prof").write_text(profile_of(f"- {row}"))
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", "-q")
    done = programs.run("pyelfrun", "--no-python", tmp_path / "set", status=1)
    assert "libmodule0: exports no libmodule0_entry, which only Python finds there; visit the set without" in done.stderr
    programs.run("pyelfrun", "--no-python", "--phases", "import", tmp_path / "set")
    programs.run("pyelfrun", "--phases", "import,visit", tmp_path / "set")


def test_a_twin_of_the_twin_is_the_same(programs, made, tmp_path):
    """Captured rows of a set are followed exactly, except for what depends on how debug information is filled. Where
    imported names leave less of .dynstr, some undefined symbols are the C library's, whose names are shorter."""
    programs.run("pyelfprof", "-o", tmp_path / "twin.prof", *made.paths)
    programs.run("pyelfgen", "--profile", tmp_path / "twin.prof", "-o", tmp_path / "twin")
    assert sizes_of_each([tmp_path / "twin" / path.name for path in made.paths]) == sizes_of_each(made.paths)
    for library in json.loads((tmp_path / "twin" / "differences.json").read_text())["libraries"]:
        differs = [name for name in library["differs"] if not name.startswith(("mix: ", "dwarf: ", "dynamic: versioned", "unwind-rbp"))]
        assert not differs and not library["needed"], library
    check_runs(programs, tmp_path / "twin")


@pytest.mark.parametrize(
    "rows, message",
    [
        (
            "- {kind: module, text: 900, data: 1500, bss: 8}\n",
            "libraries: row 0: text: 900 bytes are too few for any module: the nearest is",
        ),
        (
            "- {kind: utility, text: 90000, data: 100, bss: 8}\n",
            "libraries: row 0: data: 100 bytes are too few for any utility: the nearest is",
        ),
        (
            "- {kind: module}\n- {kind: utility, text: 90000, data: 4000, bss: 8, symtab: 48, strtab: 500}\n",
            "libraries: row 1: symtab: 48 bytes are too few for any utility: the nearest is",
        ),
        (
            "- {kind: module}\n- {kind: utility, text: 4294967296, data: 4000}\n",
            "libraries: row 1: text: 4294967296 bytes are too many: more than 2 GiB of code in one library",
        ),
        (
            "- {kind: module}\n- {kind: utility, text: 90000, data: 2147483640}\n",
            "libraries: row 1: data: 2147483640 bytes are too many: text, constants and data would be 2147",
        ),
        (
            "- {kind: utility, text: 90000, data: 4000, bss: 4294967296}\n- {kind: module}\n",
            "libraries: row 0: bss: 4294967296 bytes are too many: section .bss would be 4294967296 bytes",
        ),
        (
            "- {kind: utility, text: 90000, data: 4000, debug: 40000000000}\n- {kind: module}\n",
            "libraries: row 0: debug: 40000000000 bytes are too many: section .debug_",
        ),
        ("- {kind: module, plt: many}\n", "libraries: row 0 (line 3): plt: 'many' is not a whole number"),
    ],
)
def test_what_cannot_be_is_refused(programs, tmp_path, rows, message):
    (tmp_path / "rows.prof").write_text(profile_of(rows))
    done = programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", status=1)
    assert message in done.stderr
    assert not (tmp_path / "set").exists()
    nearest = re.search(r"row (\d+): (\w+): \d+ bytes .* the nearest is (\d+);", done.stderr)
    if nearest:  # the figure that is named is enough
        lines = rows.splitlines()
        number, size, figure = nearest.groups()
        lines[int(number)] = re.sub(rf"{size}: \d+", f"{size}: {figure}", lines[int(number)])
        (tmp_path / "rows.prof").write_text(profile_of("\n".join(lines)))
        programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", "--quiet")


@pytest.mark.parametrize("symtab", [4294967304, 103079215128])
def test_more_symbols_than_a_section_holds(programs, tmp_path, symtab):
    """The row is refused before memory is taken for so many symbols, which would have mangled names."""
    (tmp_path / "rows.prof").write_text(
        "pyelfgen-profile: 1\nnames: {style: itanium}\nlibraries:\n"
        f"- {{kind: utility, text: 250000, data: 15000, bss: 80, symtab: {symtab} B, strtab: 50000, functions: 100,\n"
        "   mangled: 90, name-lengths: '5*5 9*6'}\n"
    )
    limit = [] if programs.sanitized else ["prlimit", f"--as={1 << 30}"]
    command = [*limit, programs.path("pyelfgen"), "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set"]
    done = programs.command(command, status=1, timeout=20)
    assert f"row 0: symtab: {symtab} bytes are too many for any utility: the nearest is 4294967280;" in done.stderr
    assert not (tmp_path / "set").exists()


def test_rows_of_which_nothing_goes_together(programs, tmp_path):
    """The library gets what its sizes have room for, after a limited number of tries."""
    row = "{kind: module, text: 3546, data: 960, bss: 8, functions: 0, outside: 1, plt: 14, versions: 0, share: {code: 962}"
    dynamic = "dynamic: {functions: 4000000, undefined: 19, weak: 4, dynstr: 353}, relocations: {relative: 14, glob-dat: 5}"
    (tmp_path / "rows.prof").write_text(profile_of(f"- {row}, {dynamic}, name-lengths: '1*25 2*25 3*25 5*25 40'}}"))
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", timeout=60)
    [sizes] = sizes_of_each([tmp_path / "set" / "libmodule0.so"])
    assert (sizes["text"], sizes["data"]) == (3546, 960)


def test_more_objects_than_text_holds(programs, tmp_path):
    """So many objects are not named one by one each time that counts are tried."""
    row = "{kind: utility, text: 42000, data: 4300, symtab: 2700, strtab: 5100, dynamic: {functions: 70, objects: 1048576}}"
    (tmp_path / "rows.prof").write_text(profile_of(f"- {row}"))
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", timeout=60)
    [sizes] = sizes_of_each([tmp_path / "set" / "libutility0.so"])
    assert (sizes["text"], sizes["data"], sizes["symtab"]) == (42000, 4300, 2712)


def test_the_only_exported_function_calls_others(programs, tmp_path):
    """The utility calls the module that calls it. The module exports a single function and an object, so it has no
    exported function that calls no other library."""
    rows = [
        "{kind: utility, text: 900000, data: 8000, needed: '3 1:2'}",
        "{kind: module, text: 142000, data: 17000, dynamic: {functions: 1, objects: 1}, needed: '2:5 3:5 0:5'}",
        "{kind: module, text: 260000, data: 4400}",
        "{kind: module, text: 250000, data: 9000}",
    ]
    (tmp_path / "rows.prof").write_text(profile_of("\n".join(f"- {row}" for row in rows)))
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", "-q")
    called = {row["name"]: row["marked"] for row in libraries_of(tmp_path / "set")}
    assert called["libutility0.so"] == 5 * 10  # 5 calls of chains of 10 functions
    programs.run("pyelfrun", "--phases", "import,visit", tmp_path / "set")


def test_executables_and_sources_are_refused(programs, made, tmp_path):
    profile = made.directory.parent / "rows.prof"
    for option in ("--link", "--static", "--sources"):
        done = programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", option, status=2)
        assert "a profile with 'libraries'" in done.stderr


def random_rows(chance):
    """Returns rows with sizes as real libraries have them, from tiny to some 100 kB, and any edges between them."""
    count = chance.randint(1, 12)
    rows = []
    for number in range(count):
        functions = chance.choice([0, 1, 3, 10, 40, 150])
        row = {"kind": chance.choice(["module", "utility"]), "text": 9000 + functions * chance.randint(100, 900)}
        row["data"] = 1800 + functions * chance.randint(8, 60)
        row["bss"] = chance.choice([1, 8, 24, 100, 5000])
        if chance.random() < 0.6:
            row["debug"] = 40_000 + functions * chance.randint(800, 4000)
        if chance.random() < 0.6:
            row["symtab"] = 24 * (70 + functions * chance.randint(1, 3))
            row["strtab"] = 2000 + functions * chance.randint(30, 120)
        if chance.random() < 0.7:
            row["functions"] = functions
        if chance.random() < 0.7:
            row["plt"] = chance.randint(0, 60)
            row["dynamic"] = {"functions": chance.randint(0, functions + 2), "undefined": chance.randint(0, 80)}
            row["relocations"] = {"relative": chance.randint(0, 120), "glob-dat": chance.randint(0, 30)}
        row["outside"] = chance.randint(0, 9)
        others = [other for other in range(count) if other != number]
        edges = chance.sample(others, chance.randint(0, min(4, len(others))))
        row["needed"] = " ".join(f"{other}:{chance.randint(1, 9)}" for other in edges)
        for key, most in (
            ("methods", 90),
            ("constructors", 20),
            ("destructors", 5),
            ("versions", 35),
            ("tls", 300),
            ("cold", 40),
            ("cold-code", 4000),
        ):
            if chance.random() < 0.3:
                row[key] = chance.randint(1, most)
        if "tls" in row and "relocations" in row:
            row["relocations"]["tls"] = chance.randint(0, 3)
        rows.append(row)
    for row in rows:
        if chance.random() < 0.4:
            row["constructor-code"] = chance.choice([chance.randint(1, 90), chance.randint(90, 9000)])
            row["constructor-memory"] = chance.randint(0, 300_000)
            row["constructor-bss"] = chance.randint(0, 300_000)
        if row["kind"] == "module" and chance.random() < 0.5:
            row["init-code"] = chance.choice([12, 17, chance.randint(1, 90), chance.randint(90, 9000)])
        if "relocations" in row and chance.random() < 0.4:
            row["relocations"]["pages"] = chance.randint(0, 6)
    for row in rows[1::2]:
        if row["kind"] == "module":
            row.setdefault("methods", 0)
    for row in rows:
        if chance.random() < 0.4:
            row["exceptions"] = {"table": chance.randint(1, 9000), "functions": chance.randint(1, 90)}
    for row in rows:
        if chance.random() < 0.4:
            row["data-rel-ro"] = chance.choice([0, 8, 24, 64, chance.randint(1, 200), chance.randint(1, 9000)])
    for row in rows:
        if "debug" in row and chance.random() < 0.4:
            units = chance.choice([1, 2, 5, 30, 400])
            row["dwarf"] = {"version": 5, "language": "c", "units": units, "uneven": chance.choice([100, 150, 700, 100_000])}
    for row in rows:
        if "dynamic" in row and chance.random() < 0.4:
            row["ifunc"] = chance.choice([1, 5, 40, 2000])
            row["relocations"]["irelative"] = chance.choice([0, 1, 5, 70])
            row["dynamic"] |= {"objects": chance.randint(0, 40), "unique": chance.randint(0, 30), "aliases": chance.randint(0, 30)}
    for row in rows:
        if "dwarf" in row and chance.random() < 0.5:
            row["share"] = {"code": row["text"] * 2 // 3}
            row["dwarf"]["code"] = int(row["share"]["code"] * chance.random())
    return rows


def rows_text(rows):
    def value(v):
        if isinstance(v, dict):
            return "{" + ", ".join(f"{key}: {inner}" for key, inner in v.items()) + "}"
        return f"'{v}'" if isinstance(v, str) and " " in v or v == "" or ":" in str(v) else str(v)

    return "".join("- {" + ", ".join(f"{key}: {value(v)}" for key, v in row.items()) + "}\n" for row in rows)


# The last seed gives a large function without blocks of code, whose run of statements has many line-table rows.
@pytest.mark.alike
@pytest.mark.parametrize("seed", mostly_long([*range(12), 163], 0, 1, 2, 3, 163))
def test_random_rows(programs, tmp_path, seed):
    chance = random.Random(seed)
    rows = random_rows(chance)
    for _ in range(20):
        (tmp_path / "rows.prof").write_text(profile_of(rows_text(rows)))
        done = programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", status=None)
        if done.returncode == 0:
            break
        nearest = re.search(r"row (\d+): (\w+): \d+ bytes .* (?:the nearest is|needs) (\d+);", done.stderr)
        assert nearest and done.returncode == 1, done.stderr
        rows[int(nearest[1])][nearest[2]] = int(nearest[3])
    else:
        pytest.fail(done.stderr)
    made = Made(tmp_path / "set", rows)
    check_sizes(made)
    check_graph(made)
    check_differences(made)
    check_runs(programs, made.directory)
    check_readers(made.paths)


@pytest.mark.parametrize("dwarf", ["views: true", "compress: zlib", "split: true", "separate: debuglink", "type-units: true"])
def test_a_dry_run_tells_what_will_differ(programs, tmp_path, dwarf):
    """It prints what the run prints, and writes nothing."""
    profile = tmp_path / "rows.prof"
    profile.write_text(profile_of(ROWS, f"dwarf: {{{dwarf}}}"))
    dry = programs.run("pyelfgen", "--profile", profile, "--dry-run", "-o", tmp_path / "set").stdout
    assert not (tmp_path / "set").exists()
    done = programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set").stdout
    assert "differs from the rows" in dry
    expected = done.removeprefix(f"{tmp_path}/set: ").replace("actual ", "planned").replace("actual", "planned")
    expected = expected.replace("each library's are in differences.json beside its manifest\n", "")
    assert [line.split() for line in dry.splitlines()] == [line.split() for line in expected.splitlines()]
