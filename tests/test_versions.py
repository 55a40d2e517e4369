"""Symbol versions: libraries with rows define them, and others in the set ask for symbols of these versions.

readelf, eu-elflint and the dynamic linker judge. A library that ld gave versions is captured, too.
"""

import collections
import json
import os
import re
import subprocess
import sys

import pytest

from conftest import SOURCE
from objects import ask, elflint, tool

# In this order: a module that needs most others; a utility with some versions, and with counts of dynamic symbols; many
# versions; only two; more versions than objects; fewer needed versions than the others define; versions to define but
# no SONAME, so that none is defined; no versions defined.
ROWS = """pyelfgen-profile: 1
libraries:
- {kind: module, text: 60000, data: 4000, bss: 900, versions: 9, needed: '1:30 2:5 3:1 4:2 6:3'}
- {kind: utility, text: 40000, data: 3000, bss: 900, symtab: 3600, strtab: 3000, versions: 8, versions-defined: 5,
   dynamic: {functions: 40, objects: 12, undefined: 30, dynstr: 1900}, needed: '2:3'}
- {kind: utility, text: 40000, data: 3000, bss: 900, versions: 33, versions-defined: 30,
   dynamic: {functions: 20, objects: 40, undefined: 30}}
- {kind: utility, text: 40000, data: 3000, bss: 900, versions: 3, versions-defined: 2}
- {kind: utility, text: 40000, data: 3000, bss: 900, versions: 12, versions-defined: 9,
   dynamic: {functions: 20, objects: 3}}
- {kind: utility, text: 40000, data: 3000, bss: 900, versions: 1, needed: '1:9 2:2'}
- {kind: utility, text: 40000, data: 3000, bss: 900, versions: 3, versions-defined: 2, soname: false}
- {kind: utility, text: 40000, data: 3000, bss: 900, versions: 2, needed: '4:40 1:12'}
"""
NAMES = ["libmodule0", *(f"libutility{number}" for number in range(7))]
DEFINED = [0, 5, 30, 2, 9, 0, 0, 0]  # versions that each library defines, the base version among them


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("versions")
    (directory / "rows.prof").write_text(ROWS)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return directory / "set"


def differs(made):
    told = json.loads((made / "differences.json").read_text())["libraries"]
    return {library["name"].removesuffix(".so"): library["differs"] for library in told}


def definitions(path):
    """[(flags, index, name, parents)] of the versions that a library defines."""
    text = ask("readelf", "-VW", path)
    part = re.search(r"Version definition section.*?(?=\n\n|\Z)", text, flags=re.S)
    found = []
    for line in part[0].splitlines() if part else []:
        head = re.search(r"Flags: (\w+) +Index: (\d+) +Cnt: \d+ +Name: (\S+)", line)
        parent = re.search(r"Parent \d+: (\S+)", line)
        if head:
            found.append((head[1], int(head[2]), head[3], []))
        elif parent:
            found[-1][3].append(parent[1])
    return found


def needs(path):
    """{file: versions that a library needs of it}"""
    text = re.search(r"Version needs section.*", ask("readelf", "-VW", path), flags=re.S)[0]
    found = {}
    for file, version in re.findall(r"File: (\S+)|Name: (\S+) +Flags", text):
        if file:
            found[file] = []
        else:
            found[list(found)[-1]].append(version)
    return found


def symbols(path):
    """[(name, type, section, version)] of the dynamic symbols; the version is '' if there is none."""
    text = ask("readelf", "--dyn-syms", "-W", path)
    rows = re.findall(r"^ *\d+: \S+ +\d+ (\w+) +\w+ +\w+ +(\w+) ([^\s@]+)(?:@@?(\S+))?", text, flags=re.M)
    return [(name, kind, section, version) for kind, section, name, version in rows]


def test_libraries_define_as_many_versions_as_rows_say(made):
    for name, defined in zip(NAMES, DEFINED):
        found = definitions(made / f"{name}.so")
        assert len(found) == defined, name
        if defined:
            assert found[0][:3] == ("BASE", 1, f"{name}.so") and found[0][3] == []
            assert [index for _, index, _, _ in found] == list(range(1, defined + 1))
        parents = [[before[2]] for before in found[1:-1]] if defined > 3 else [[]] * (defined - 2)
        assert [version[3] for version in found[2:]] == parents
    assert differs(made)["libutility5"]["versions-defined"] == [2, 0]


def test_every_defined_symbol_has_one_of_them(made):
    """Every defined symbol has one of the versions, except those that ld defines.

    Each version also has an absolute symbol of its name, as far as the row has objects.
    """
    ends = {"_edata", "_end", "__bss_start", "__data_start", "data_start"}
    for name, defined in zip(NAMES, DEFINED):
        own = {version for _, _, version, _ in definitions(made / f"{name}.so")[1:]}
        table = [row for row in symbols(made / f"{name}.so") if row[2] != "UND" and row[0] not in ends]
        absolute = {symbol for symbol, _, section, _ in table if section == "ABS"}
        assert {version for _, _, section, version in table if section != "ABS"} <= (own or {""})
        assert len(absolute) == (3 if name == "libutility3" else len(own)) and absolute <= own


def test_libraries_need_versions_that_others_define(made):
    """Libraries need versions of each file that defines some, as far as the row has versions.

    An undefined symbol asks for the version that it has where it is defined.
    """
    for name in NAMES:
        path = made / f"{name}.so"
        of = {version: file for file, versions in needs(path).items() for version in versions}
        for symbol, _, section, version in symbols(path):
            if section == "UND" and version and not of[version].startswith("libc."):
                there = [row for row in symbols(made / of[version]) if row[0] == symbol]
                assert [row[3] for row in there] == [version]
    of = needs(made / "libmodule0.so")
    assert [len(of.get(f"libutility{number}.so", [])) for number in range(6)] == [4, 2, 1, 1, 0, 0]
    assert len(needs(made / "libutility0.so")["libutility1.so"]) == 2
    assert list(needs(made / "libutility4.so")) == ["libc.so.6"]
    assert needs(made / "libutility6.so").keys() == {"libc.so.6", "libutility3.so"}


def test_counts_and_sizes_are_the_row_s(made):
    told = differs(made)
    for name, versions in (("libutility0", 8), ("libutility1", 33), ("libutility2", 3), ("libutility6", 2)):
        path = made / f"{name}.so"
        assert len(definitions(path)) + sum(map(len, needs(path).values())) == versions
        assert "versions" not in told.get(name, {}) and "versions-defined" not in told.get(name, {})
    sections = ask("readelf", "-SW", made / "libutility0.so")
    assert int(re.search(r"\.dynstr +STRTAB +\S+ +\S+ +(\S+)", sections)[1], 16) == 1900
    kinds = [kind for _, kind, section, _ in symbols(made / "libutility0.so") if section != "UND"]
    assert kinds.count("FUNC") == 40 and kinds.count("OBJECT") == 12


def test_readers_and_the_dynamic_linker_take_them(made):
    for name in NAMES:
        assert elflint(made / f"{name}.so") == "No errors\n"
        ask("objdump", "-p", made / f"{name}.so")
    code = "import ctypes, sys; [ctypes.CDLL(path) for path in sys.argv[1:]]"
    done = subprocess.run(
        [sys.executable, "-c", code, *(str(made / f"{name}.so") for name in NAMES[1:])],
        env={**os.environ, "LD_DEBUG": "versions,bindings", "LD_BIND_NOW": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    checked = r"checking for version `LIBU1_1\.0' in file \S*libutility1\.so .* required by file \S*libutility0"
    bound = r"binding file \S*libutility6\.so .* to \S*libutility3\.so .*normal symbol `\w+' \[LIBU3_1\.0\]"
    assert re.search(checked, done.stderr) and re.search(bound, done.stderr)


def test_the_set_runs(programs, made):
    done = programs.run("pyelfrun", "--quiet", made, leaks=False)
    assert done.returncode == 0
    programs.run("pyelfgen", "--verify", made)


def test_what_ld_made_is_captured(programs, tmp_path):
    """versions-defined of a library with a version script counts the base version too, as DT_VERDEFNUM does.

    The twin defines as many, with names of its own.
    """
    compiler = tool("gcc")
    (tmp_path / "a.c").write_text("int f1(void) { return 1; }\nint f2(void) { return 2; }\n")
    (tmp_path / "a.map").write_text("ONE { global: f1; local: *; };\nTWO { global: f2; } ONE;\n")
    built = [compiler, "-shared", "-fPIC", "-o", tmp_path / "liba.so", tmp_path / "a.c", "-Wl,-soname,liba.so"]
    subprocess.run([*built, f"-Wl,--version-script={tmp_path / 'a.map'}"], check=True)
    programs.run("pyelfprof", "-o", tmp_path / "a.prof", tmp_path / "liba.so")
    profile = (tmp_path / "a.prof").read_text()
    assert re.search(r"versions-defined: 3\b", profile) and not re.search("ONE|TWO", profile)
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set")
    found = definitions(tmp_path / "set" / "libutility0.so")
    assert [version[2] for version in found] == ["libutility0.so", "LIBU0_1.0", "LIBU0_1.1"]
    assert "versions-defined" not in differs(tmp_path / "set").get("libutility0", {})


def versioned(path):
    """How many undefined symbols have a version."""
    return sum("@" in line for line in ask("readelf", "-W", "--dyn-syms", path).splitlines() if " UND " in line)


def test_as_many_undefined_symbols_have_versions_as_the_row_says(programs, tmp_path):
    """A module's other undefined symbols are CPython's. A utility that needs no other library asks for some functions of
    the C library without a version; one that imports from a library with versions counts these symbols."""
    (tmp_path / "rows.prof").write_text(
        """pyelfgen-profile: 1
libraries:
- {kind: module, text: 60000, data: 4000, bss: 900, dynamic: {undefined: 80, versioned: 30, dynstr: 1900}}
- {kind: module, text: 60000, data: 4000, bss: 900, dynamic: {undefined: 80, versioned: 3, dynstr: 2200}}
- {kind: utility, text: 60000, data: 4000, bss: 900, dynamic: {undefined: 60, versioned: 10, dynstr: 1900}}
- {kind: utility, text: 60000, data: 4000, bss: 900, versions: 3, dynamic: {undefined: 60, versioned: 40, dynstr: 1900},
   needed: '4:25', outside: 2}
- {kind: utility, text: 60000, data: 4000, bss: 900, versions: 3, versions-defined: 2}
"""
    )
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set")
    told = differs(tmp_path / "set")
    names = ["libmodule0", "libmodule1", "libutility0", "libutility1"]
    assert [versioned(tmp_path / "set" / f"{name}.so") for name in names] == [30, 3, 10, 40]
    assert not [name for name in names if "dynamic: versioned" in told[name]]
    for name in names:
        assert elflint(tmp_path / "set" / f"{name}.so") == "No errors\n"
    programs.run("pyelfrun", "--quiet", tmp_path / "set", leaks=False)


@pytest.fixture(scope="module")
def whole(programs, tmp_path_factory):
    """The twin of ls with all that it loads, the C library and the dynamic linker among it."""
    directory = tmp_path_factory.mktemp("whole")
    programs.run("pyelfprof", "--exec", "/bin/ls", "--no-dwarf", "-o", directory / "real.prof")
    programs.run("pyelfgen", "--profile", directory / "real.prof", "-o", directory / "set")
    return directory


def test_a_set_with_its_own_c_library_needs_no_other(programs, whole):
    """What gcc's start-up files import of the C library, weakly and with a version, is of the set's.

    Symbols outside the set, which are found in any process, have no version.
    """
    compare = ["pyelfstat", "--compare", "--json", "-", "--told", whole / "real.prof", whole / "set"]
    found = {row["name"]: row for row in json.loads(programs.run(*compare).stdout)["set"]}
    assert "outside" not in found  # it is 0 on both sides
    assert found["dynamic.weak-functions"]["state"] == "equal"
    assert found["dynamic.versioned"]["state"] == "within"
    paths = sorted((whole / "set").glob("libutility*.so"))
    assert len(paths) > 3
    for path in paths:
        assert "libc.so.6" not in ask("readelf", "-dW", path)
        assert "libc.so.6" not in ask("readelf", "-VW", path)
        weak = re.findall(r"WEAK +DEFAULT +UND (\S+)", ask("readelf", "--dyn-syms", "-W", path))
        assert {"__cxa_finalize", "__gmon_start__"} <= set(weak)
        assert len(weak) < 4 or any(re.match(r"\w*u\d\w+@LIBU\d", name) for name in weak)
    code = "import ctypes, os, sys; [ctypes.CDLL(path, os.RTLD_NOW) for path in sys.argv[1:]]"
    subprocess.run([sys.executable, "-c", code, *paths], check=True)


def test_few_symbols_are_asked_for_without_a_version(whole):
    """Where a library asks for fewer versions than its imports have, these are the versions that most of them have."""
    for path in sorted((whole / "set").glob("libutility*.so")):
        named = {version[2]: file for file in (whole / "set").glob("*.so") for version in definitions(file)}
        imports = [row for row in symbols(path) if row[2] == "UND" and re.match(r"\w*u\d", row[0])]
        there = {row[0]: row[3] for file in set(named.values()) for row in symbols(file) if row[2] != "UND"}
        asked = collections.Counter(row[3] for row in imports if row[3])
        left = collections.Counter(there[row[0]] for row in imports if not row[3] and there.get(row[0]))
        assert not left or max(left.values()) <= min(asked.values())


def test_every_version_has_symbols(programs, tmp_path):
    """Of a library with as many versions as the C library, importers of 140 symbols in a row find many."""
    row = "text: 400000, data: 90000, bss: 900"
    (tmp_path / "rows.prof").write_text(
        "pyelfgen-profile: 1\nlibraries:\n"
        f"- {{kind: module, {row}, versions: 60, needed: '1:140'}}\n"
        f"- {{kind: utility, {row}, versions: 40, versions-defined: 39, dynamic: {{functions: 1500, objects: 40}}}}\n"
        f"- {{kind: utility, {row}, versions: 60, needed: '1:140'}}\n"
    )
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set")
    path = tmp_path / "set" / "libutility0.so"
    own = {version for _, _, version, _ in definitions(path)[1:]}
    assert {version for _, _, section, version in symbols(path) if section not in ("UND", "ABS")} == own
    for name in ("libmodule0", "libutility1"):
        assert 12 <= len(needs(tmp_path / "set" / f"{name}.so")["libutility0.so"]) <= 20


def test_the_linker_warns_of_no_import():
    """GNU ld prints what the C library says of some functions to everybody who links with a library that imports one."""
    maps = open("/proc/self/maps").read()
    libc = re.search(r"/\S*/libc\.so\.6|/\S*/libc-2\.\d+\.so", maps)[0]
    warned = set(re.findall(r"\.gnu\.warning\.(\w+)", ask("readelf", "-SW", libc)))
    names = re.findall(r'"(\w+)"', (SOURCE / "emit" / "plan" / "outside_names.c").read_text())
    assert len(names) > 1000 and "gets" in warned and warned.isdisjoint(names)
