"""Indexes of names in generated sets are complete and right, debuggers use them, and they count in the right size."""

import json
import re
import shutil
import subprocess

import pytest

from objects import FIVE, ask, counted_libraries, each, every, functions, sums, tool
from sets import profile_text
from test_index import ask_gdb, errors_of, first_of_variables, index_by_readelf, symbols_by_readelf

# Left out under the sanitizers: test_python.py generates and runs such sets there, and the readers are not ours.
pytestmark = pytest.mark.slow

SECTIONS = {"gdb_index": ".gdb_index", "debug_names": ".debug_names"}
# The forms of debug information that each kind of index is combined with.
WAYS = {
    "plain": (),
    "version-4": ("version: 4",),
    "separate": ("separate: debuglink", "compress: zlib"),
    "build-id": ("separate: build-id",),
    "cplus": ("language: c++",),
    "units-of-eight": ("units: 8",),
}
IN_LIBRARY = [way for way, keys in WAYS.items() if "separate" not in "".join(keys)]
CASES = [(kind, way) for kind in SECTIONS for way in WAYS if (kind, way) != ("debug_names", "version-4")]
SMALL = profile_text(modules=3, utilities=2, functions=120, sections={
    "text": 500_001, "data": 60_003, "debug": 1_500_007, "symtab": 60_000, "strtab": 200_013,
})


def generate(programs, directory, *dwarf):
    (directory / "a.prof").write_text(SMALL + f"dwarf: {{{', '.join(dwarf)}}}\n")
    programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / "set", "-q")
    return directory / "set"


class Set:
    def __init__(self, path, kind, way):
        self.path, self.kind, self.way = path, kind, way
        self.section = SECTIONS[kind]

    def debug_files(self):
        """The files that have the indexes: libraries, or their debug files."""
        return sorted(self.path.rglob("*.so" if self.way in IN_LIBRARY else "*.debug"))


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def made(request, programs, tmp_path_factory):
    kind, way = request.param
    return Set(generate(programs, tmp_path_factory.mktemp("index"), f"index: {kind}", *WAYS[way]), kind, way)


@pytest.fixture(scope="module", params=SECTIONS)
def plain(request, programs, tmp_path_factory):
    return Set(generate(programs, tmp_path_factory.mktemp("plain"), f"index: {request.param}"), request.param, "plain")


def sections(path):
    """{name: flags}"""
    return dict(re.findall(r"\] (\.\S+) .* [0-9a-f]{2} +([A-Z]*) +\d+ +\d+ +\d+$", ask("readelf", "-SW", path), flags=re.M))


def test_only_the_wanted_index_is_there(made):
    files = made.debug_files()
    assert len(files) == 7
    for path in files:
        assert set(sections(path)) & set(SECTIONS.values()) == {made.section}
    for path in set(made.path.glob("*.so")) - set(files):
        assert not set(sections(path)) & set(SECTIONS.values())


def test_debug_names_are_compressed_like_other_debug_sections(made):
    for path in made.debug_files():
        flags = sections(path)
        assert ("C" in flags[".debug_info"]) == (made.way == "separate")
        assert ("C" in flags[made.section]) == (made.way == "separate" and made.kind == "debug_names")


def test_sizes_are_exact(programs, made):
    """.debug_names counts as debug information. .gdb_index counts in no size."""
    if made.way in IN_LIBRARY:
        assert [sums(made.path)[size] for size in FIVE] == [500_001, 60_003, 1_500_007, 60_000, 200_013]
    counted = json.loads(programs.run("pyelfstat", "--json", made.path).stdout)["sets"][0]
    assert counted["actual"]["debug"] == counted["wanted"]["debug"] == 1_500_007


def test_readers_have_nothing_to_say(made):
    debug_only = [] if made.way in IN_LIBRARY else ["-d"]

    def complaints(path):
        lint = subprocess.run(["eu-elflint", "--gnu-ld", *debug_only, path], capture_output=True, text=True)
        dump = subprocess.run(["readelf", "-W", "--debug-dump=gdb_index", path], capture_output=True, text=True)
        return [lint.stdout.strip(), dump.stderr]

    assert each(complaints, made.debug_files()) == [["No errors", ""]] * 7
    for path in every(made.debug_files(), 3):
        ask(tool("eu-readelf"), "-N", "--debug-dump=gdb_index", path)


def test_llvm_verifies_everything(made):
    """llvm finds no fault in the debug information, nor an entry that .debug_names lacks."""
    command = [tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify"]

    def verify(path):
        return subprocess.run([*command, path], capture_output=True, text=True, timeout=60)

    for done in each(verify, every(made.debug_files(), 4)):
        assert errors_of(done) == []
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "No errors.")
        assert ("Verifying .debug_names" in done.stdout) == (made.kind == "debug_names")


def without_index(made, library, directory):
    shutil.copy(library, directory / library.name)
    ask("objcopy", "--remove-section", made.section, directory / library.name)
    return directory / library.name


@pytest.mark.parametrize("made", [("gdb_index", way) for way in IN_LIBRARY], indirect=True, ids=IN_LIBRARY)
def test_gdb_index_is_as_gdb_makes_it(made, tmp_path):
    for library in every(counted_libraries(made.path), 2):
        own = without_index(made, library, tmp_path)
        ask(tool("gdb-add-index"), own)
        ours, gdbs = index_by_readelf(library), index_by_readelf(own)
        assert ours["CU"] == gdbs["CU"] and ours["Address"] == gdbs["Address"]
        found, expected = symbols_by_readelf(ours["Symbol"]), symbols_by_readelf(gdbs["Symbol"])
        assert len(found) > len(functions(library)) + 50
        assert {name: first_of_variables(units) for name, units in found.items()} == expected


USED = {"gdb_index": ".gdb_index: version 8", "debug_names": ".debug_names: exists"}  # what gdb says when it uses the index


def questions(library):
    """Questions about some functions of the library, a helper, and structures of its headers."""
    names = [name for name, _ in every(functions(library), 4)]
    structures = re.findall(
        r'DW_TAG_structure_type\n +DW_AT_name\t\("(\w+)"\)',
        ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), library),
    )
    asked = [f"{what} {name}" for name in [*names, f"{library.stem}_helper1"] for what in ("break", "info line", "info scope")]
    return asked + [f"ptype struct {name}" for name in every(sorted(set(structures)), 4)]


@pytest.mark.alike(2)
def test_gdb_answers_the_same_as_without(plain, tmp_path):
    library = counted_libraries(plain.path)[1]
    without = without_index(plain, library, tmp_path)
    assert USED[plain.kind] in ask_gdb(library, ["maint print objfiles"])
    assert USED[plain.kind] not in ask_gdb(without, ["maint print objfiles"])
    asked = questions(library)
    assert len(asked) > 15

    def answers(question):
        """Without gdb's complaints, which come from reading a unit, and not from the way in which it was found."""
        both = [ask_gdb(path, [question]) for path in (without, library)]
        return [re.sub("^During symbol reading: .*\n", "", text, flags=re.M) for text in both]

    for question, (wanted, found) in zip(asked, each(answers, asked)):
        assert found == wanted, question
        assert not re.search("^No symbol|No struct|not defined", found, flags=re.M), found


@pytest.mark.parametrize("made", [(kind, "separate") for kind in SECTIONS], indirect=True, ids=list(SECTIONS))
def test_gdb_uses_the_index_of_a_debug_file(made):
    library = counted_libraries(made.path)[2]
    said = ask_gdb(library, ["maint print objfiles", f"info line {library.stem}_helper2"])
    assert USED[made.kind] in said
    assert re.search(rf'Line \d+ of "{library.stem}.c" starts at address', said)


@pytest.mark.parametrize("plain", ["gdb_index"], indirect=True)
def test_nothing_else_changes_by_a_gdb_index(programs, plain, tmp_path):
    none = generate(programs, tmp_path, "index: none")
    for library in counted_libraries(plain.path):
        pair = [ask("readelf", "-W", "--hex-dump=.debug_info", path / library.name) for path in (plain.path, none)]
        assert pair[0].split("\n")[2:] == pair[1].split("\n")[2:]


def test_without_debug_information_there_is_none(programs, tmp_path):
    (tmp_path / "a.prof").write_text(
        profile_text(modules=1, sections={"text": 50_000, "data": 9_000, "debug": 0, "symtab": 9_600, "strtab": 9_000})
    )
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "--index=gdb_index", "-o", tmp_path / "set", "-q")
    assert not set(sections(tmp_path / "set" / "libmodule0.so")) & set(SECTIONS.values())


@pytest.mark.parametrize(
    "dwarf, option, said",
    [
        ("version: 4, index: debug_names", (), "index: 'debug_names' needs 'version: 5', which is 4; use 'gdb_index'"),
        ("version: 4", ("--index=debug_names",), "index: 'debug_names' needs 'version: 5', which is 4; use 'gdb_index'"),
        ("index: names", (), "index: 'names' is "),
        ("version: 5", ("--index=names",), "'names' is no index of names; use none, gdb_index or debug_names"),
    ],
)
def test_refused(programs, tmp_path, dwarf, option, said):
    (tmp_path / "a.prof").write_text(SMALL + f"dwarf: {{{dwarf}}}\n")
    status = 2 if "no index" in said else 1
    done = programs.run("pyelfgen", "--profile", tmp_path / "a.prof", *option, "-o", tmp_path / "set", status=status)
    assert said in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "set").exists()
