"""Split debug information, .dwo files of DWARF 5 or packages of DWARF 4, is found and read as if it were not split."""

import functools
import json
import os
import re
import shutil
import subprocess

import pytest

import model
from conftest import SOURCE
from objects import FIVE, LLDB_ENVIRONMENT, ask, counted_libraries, each, every, functions, line_of, sizes_of_each, tool
from sets import PLAIN, SECTIONS, SMALL, manifest_of, mostly_long, profile_text

PYTHON = "/usr/bin/python3"
DRIVE = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.{0}_entry())"
KINDS = {
    "dwarf5": {},
    "dwarf4": {"version": 4},
    "cpp5": {"language": "c++"},
    "cpp4": {"version": 4, "language": "c++"},
    "zlib5": {"compress": "zlib"},
    "zlib4": {"version": 4, "compress": "zlib"},
    "views5": {"views": True},
    "views4": {"version": 4, "views": True},
    "fortran5": {"language": "fortran"},
    "fortran4": {"version": 4, "language": "fortran"},
}
KEYS = {**PLAIN, "sections": {**SECTIONS, "debug": 3_000_001}}


class Split:
    """A set with split debug information: in .dwo files, or in packages if it is `packed`."""

    def __init__(self, path, kind):
        self.path, self.kind = path, kind
        self.packed = kind.endswith("4")

    def libraries(self):
        return sorted(self.path.glob("*.so"))

    def skeletons(self, library):
        """The skeleton units of the library: [{attribute or field of the header: value}]."""
        return units(ask("readelf", "--debug-dump=info,no-follow-links", library))

    def files_of(self, library):
        """The paths of the library's .dwo files, as its skeletons name them, or of its package."""
        if self.packed:
            return [library.parent / f"{library.name}.dwp"]
        return [library.parent / unit["dwo_name"] for unit in self.skeletons(library)]

    def files(self):
        """All files in the set's directory except libraries, driver and manifest."""
        return set(self.path.iterdir()) - set(self.libraries()) - {self.path / "manifest.json", self.path / "driver.py"}


def units(dump):
    """[{attribute or field of the header: value}] of the units in a dump by readelf."""
    found = []
    for unit in re.split(r"^  Compilation Unit @ ", dump, flags=re.M)[1:]:
        header, entry = unit.split(" <0><", 1)
        values = dict(re.findall(r"^   ([A-Z][\w ]+): +(.+?)$", header, flags=re.M))
        entry = entry.split("\n <", 1)[0]
        pattern = r"DW_AT_(?:GNU_)?(\w+) *: (?:\(.*?\): )?(.*?)$"
        found.append({**values, **dict(re.findall(pattern, entry, flags=re.M))})
    return found


def generate(programs, path, keys, *arguments):
    profile = path.parent / f"{path.name}.prof"
    profile.write_text(profile_text(**keys))
    programs.run("pyelfgen", "-P", profile, "-o", path, "-q", *arguments)
    return path


def keys_of(kind, **more):
    dwarf = {**KINDS[kind], **more}
    return {**KEYS, "dwarf": dwarf} if dwarf else KEYS


@pytest.fixture(scope="module", params=mostly_long(KINDS, "dwarf5", "cpp4", "zlib4", "views5"))
def split(programs, tmp_path_factory, request):
    path = tmp_path_factory.mktemp("split") / "set"
    return Split(generate(programs, path, keys_of(request.param), "--split"), request.param)


@pytest.fixture(scope="module", params=["dwarf5", "dwarf4"])
def plain(programs, tmp_path_factory, request):
    """A split set of C, not compressed, of either DWARF version; tests must not change it."""
    path = tmp_path_factory.mktemp("plain") / "set"
    return Split(generate(programs, path, keys_of(request.param, split=True)), request.param)


@pytest.fixture
def copied(plain, tmp_path):
    return Split(shutil.copytree(plain.path, tmp_path / "set"), plain.kind)


@pytest.fixture(scope="module")
def whole(programs, tmp_path_factory):
    """make(kind) generates the set of a kind without splitting, once."""

    @functools.lru_cache(maxsize=None)
    def make(kind):
        return generate(programs, tmp_path_factory.mktemp("whole") / "set", keys_of(kind))

    return make


def sections(path):
    """{name: (size, flags)}"""
    row = r"\] (\.\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Z]*) "
    return {name: (int(size, 16), flags) for name, size, flags in re.findall(row, ask("readelf", "-SW", path))}


# --- what is in the files ----------------------------------------------------------


def test_library_has_skeletons(split):
    """Libraries have skeleton units, all of the addresses, lines and sources, and no other debug sections."""
    lists = {".debug_ranges"} if split.packed else {".debug_line_str"}
    for library in split.libraries():
        names = {name for name in sections(library) if name.startswith(".debug")}
        present = {".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_addr", ".debug_aranges"}
        assert present <= names <= present | lists
        for unit in split.skeletons(library):
            assert unit["dwo_name"].endswith(".dwo")
            assert unit["comp_dir"] == ("/usr/src/application" if split.packed else ".")
            assert ("low_pc" in unit) == ("addr_base" in unit) == ("_data" not in unit["dwo_name"])
            if not split.packed:
                assert unit["Unit Type"] == "DW_UT_skeleton (4)"


def test_each_unit_has_its_file(split):
    """Each unit has a .dwo file of its own, named after its source; in DWARF 4 each library has one package instead."""
    found = [path for library in split.libraries() for path in split.files_of(library)]
    assert len(set(found)) == len(found) and set(found) == split.files()
    for library in split.libraries():
        names = [unit["dwo_name"] for unit in split.skeletons(library)]
        listed = ask("readelf", "--debug-dump=rawline,no-follow-links", library)
        suffix = {"cpp": "cpp", "fortran": "f90"}.get(split.kind[:-1], "c")
        sources = set(re.findall(rf"\b({library.stem}(?:_\w+)?)\.{suffix}$", listed, flags=re.M))
        assert {name.removesuffix(".dwo") for name in names} == sources and len(names) == len(sources)
        assert re.match(rf"{library.stem}\.dwo", names[0])


def test_sections_of_the_files(split):
    names = {"info", "abbrev", "str_offsets", "str", *(["loc"] if split.packed else ["loclists", "rnglists"])}
    wanted = {f".debug_{name}.dwo" for name in names} | ({".debug_cu_index"} if split.packed else set())
    lists = {".debug_loclists.dwo", ".debug_rnglists.dwo", ".debug_loc.dwo"}
    for library in split.libraries():
        for path in split.files_of(library):
            found = sections(path)
            found.pop(".shstrtab")
            assert wanted - lists <= set(found) <= wanted
            flags = ("" if split.packed else "E") + ("C" if split.kind.startswith("zlib") else "")
            assert set(found[".debug_info.dwo"][1]) == set(flags)
            assert "REL (Relocatable file)" in ask("readelf", "-hW", path)


@pytest.mark.alike(2)
@pytest.mark.slow
def test_units_have_the_identity_of_their_skeletons(split):
    """Each split unit has the id of its skeleton, and no two units of the set have the same id."""
    identities = []
    for library in split.libraries():
        wanted = [unit.get("DWO ID") or unit["dwo_id"] for unit in split.skeletons(library)]
        found = []
        for path in split.files_of(library):
            dump = subprocess.run(["readelf", "--debug-dump=info", path], capture_output=True, text=True).stdout
            found += [unit.get("DWO ID") or unit["dwo_id"] for unit in units(dump)]
            assert split.packed or units(dump)[0]["Unit Type"] == "DW_UT_split_compile (5)"
        assert found == wanted
        identities += found
    assert len(set(identities)) == len(identities)


def test_index_of_a_package(split):
    """The index of a package lists each unit once, and the units' parts cover every section without gaps."""
    if not split.packed:
        pytest.skip("there is no package")
    for library in split.libraries():
        (path,) = split.files_of(library)
        index = ask("readelf", "--debug-dump=cu_index", path)
        offsets, sizes = index.split("Offset table")[1].split("Size table")
        row = r"^ +\[ *\d+\] 0x([0-9a-f]+) +(.*)$"
        offsets, sizes = dict(re.findall(row, offsets, flags=re.M)), dict(re.findall(row, sizes, flags=re.M))
        assert set(offsets) == {unit["dwo_id"].removeprefix("0x") for unit in split.skeletons(library)}
        known = sections(path)
        for column, name in enumerate(["info", "abbrev", "loc", "str_offsets"]):
            parts = sorted((int(offsets[i].split()[column]), int(sizes[i].split()[column])) for i in offsets)
            end = 0
            for offset, size in parts:
                assert offset == end
                end += size
            if "zlib" not in split.kind:
                assert end == known.get(f".debug_{name}.dwo", (0,))[0]


# --- sizes, manifest ---------------------------------------------------------------


def test_sizes(programs, split, whole):
    """Sizes are exact. The debug size counts as before splitting, so it equals that of the set that is not split."""
    rows = {row["name"]: row for row in manifest_of(split.path)["libraries"]}
    same = {row["name"]: row for row in manifest_of(whole(split.kind))["libraries"]}
    for library, ours in zip(counted_libraries(split.path), sizes_of_each(counted_libraries(split.path))):
        row = rows[library.name]
        for size in ("text", "data", "symtab", "strtab", "bss"):
            assert row[size] == ours[size] == same[library.name][size]
        assert row["debug"] == same[library.name]["debug"] > ours["debug"]
    report = json.loads(programs.run("pyelfstat", "--json", split.path).stdout)["sets"][0]
    assert {report["difference"][size] for size in FIVE} - {report["difference"]["symtab"]} == {0}


def test_manifest(plain):
    """The manifest lists each library's files with sizes and digests, and the sum of all their debug sections."""
    for row in manifest_of(plain.path)["libraries"]:
        library = plain.path / row["name"]
        paths = [plain.path / file["name"] for file in row["split"]["files"]]
        assert paths == plain.files_of(library)
        assert [path.stat().st_size for path in paths] == [file["file"] for file in row["split"]["files"]]
        done = subprocess.run([tool("xxhsum"), "-H2", *paths], capture_output=True, text=True, check=True)
        digests = done.stdout.splitlines()
        assert [line.split()[0] for line in digests] == [file["xxh3-128"] for file in row["split"]["files"]]
        found = [sections(path) for path in [library, *paths]]
        debug = sum(size for one in found for name, (size, _) in one.items() if name.startswith(".debug"))
        assert row["split"]["debug"] == debug and "debug-file" not in row


def test_pyelfstat_does_not_take_the_manifest_at_its_word(programs, copied):
    """pyelfstat counts a library's debug size from its files: with another library's .dwo file it differs."""
    path = copied.files_of(copied.path / "libmodule1.so")[0]
    shutil.copy(copied.files_of(copied.path / "libmodule2.so")[0], path)
    report = json.loads(programs.run("pyelfstat", "--json", copied.path).stdout)["sets"][0]
    assert report["difference"]["debug"] != 0


def test_pyelfstat_of_files(programs, plain):
    """pyelfstat of a single .dwo file or package counts the debug sections of that file alone."""
    path = plain.files_of(plain.path / "libmodule1.so")[0]
    sizes = json.loads(programs.run("pyelfstat", "--json", path).stdout)["files"][0]["sizes"]
    assert sizes["debug"] == sum(size for name, (size, _) in sections(path).items() if name.startswith(".debug"))


# --- readers -----------------------------------------------------------------------


def complaints(*command, cwd=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", cwd=cwd)
    pattern = r"DW_DLE_\w+|ERROR(?!S FOR ALL)|DWARF CHECK: .*|[Ww]arning:.*|^error.*|<corrupt"
    return done.stderr, re.findall(pattern, done.stdout, flags=re.M)[:3]


@pytest.mark.parametrize(
    "command",
    [
        ["readelf", "-aW"],
        ["objdump", "-x"],
        ["eu-readelf", "-a"],
        ["llvm-dwarfdump-14", "--verify"],
        ["dwarfdump", "-ka"],
        ["readelf", "--debug-dump=info,no-follow-links"],
    ],
    ids=" ".join,
)
def test_libraries_are_read_silently(split, command):
    """Readers that are started elsewhere, and so find no .dwo files, have no complaints about the libraries."""
    if command == ["eu-readelf", "-a"] and split.packed:
        pytest.skip("elfutils look for .dwo files, not for a package")
    if command[0] == "dwarfdump" and split.kind.startswith("zlib"):
        pytest.skip("dwarfdump thinks some compressed sections too short")
    found = each(lambda path: complaints(tool(command[0]), *command[1:], path, cwd="/"), split.libraries())
    assert found == [("", [])] * len(found)


def test_elflint(split):
    for library in split.libraries():
        assert complaints(tool("eu-elflint"), "--gnu-ld", "--strict", library) == ("", [])
        if split.packed:  # of .dwo files it complains: it does not know SHF_EXCLUDE, which gcc's have too
            assert ask(tool("eu-elflint"), "--gnu-ld", *split.files_of(library)) == "No errors\n"


@pytest.mark.alike
@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["readelf", "-aW"],
        ["llvm-dwarfdump-14", "--verify"],
        ["llvm-dwarfdump-14", "--debug-info", "--debug-loclists"],
        ["eu-readelf", "-N", "--debug-dump", "--dwarf-skeleton"],
    ],
    ids=" ".join,
)
def test_files_are_read_silently(split, command):
    if split.packed and command[-1] in ("--debug-loclists", "--dwarf-skeleton"):
        pytest.skip("LLVM 14 takes ranges for a package's, elfutils 0.188 do not know packages: also of binutils' dwp")
    for library in every(split.libraries(), 3):
        whose = [f"--dwarf-skeleton={library}"] if command[-1] == "--dwarf-skeleton" else command[-1:]
        reader = [tool(command[0]), *command[1:-1], *whose]
        found = each(lambda path: complaints(*reader, path), split.files_of(library))
        assert found == [("", [])] * len(found)


@pytest.mark.alike(2)
@pytest.mark.slow
@pytest.mark.parametrize("command", [["readelf", "--debug-dump"], ["objdump", "--dwarf"]], ids=" ".join)
def test_binutils_follow_from_the_directory_of_the_set(split, command):
    if split.packed:
        pytest.skip("binutils look for .dwo files, not for a package")
    if split.kind == "views5":
        pytest.skip("binutils take the views before lists of .dwo files for lists, in gcc's files too")
    if command[0] == "objdump" and split.kind.startswith("zlib"):
        pytest.skip("objdump refuses compressed sections that are, uncompressed, as long as the file")
    for library in every(split.libraries(), 3):
        assert complaints(*command, library, cwd=split.path) == ("", [])
        told = subprocess.run([*command, library.name], capture_output=True, text=True, cwd=split.path).stdout
        assert len(re.findall(r"\(DW_TAG_subprogram\)\n", told)) >= max(1, len(functions(library)))


def test_lines(split, whole):
    """Readers find the same lines for addresses as in the library that is not split."""
    library = split.path / "libmodule1.so"
    for name, address in every(functions(library), 6):
        place = line_of(whole(split.kind) / library.name, address)
        assert line_of(library, address) == place
        found = ask(tool("eu-addr2line"), "-fi", "-e", library, hex(address)).splitlines()
        assert (os.path.basename(found[1].split(":")[0]), int(found[1].split(":")[1])) == place
        shown = ask(tool("llvm-symbolizer-14"), "--obj=" + str(library), hex(address)).splitlines()
        assert os.path.basename(shown[-2].split(":")[0]) == place[0]


# --- debuggers ---------------------------------------------------------------------


def debugger(programs, *commands):
    """Runs gdb with commands, from a directory in which there are no .dwo files."""
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null", "-iex", "set width 0"]
    command += [part for one in commands for part in ("-ex", one)]
    return programs.command(command, leaks=False, cwd="/", timeout=240)


# gdb's complaint about every call that was inlined into an inlined one: see docs/gauntlet.md.
NESTED = r"During symbol reading: Child DIE \w+ and its abstract origin \w+ have different parents\n"


@pytest.mark.alike(2)
@pytest.mark.slow
def test_gdb_reads_the_same(programs, split, whole):
    """gdb lists the same functions, variables, types, and places of parameters and locals as without splitting."""
    for name in ("libmodule1.so", "libutility0.so"):
        questions = ["maint expand-symtabs", "info functions", "info variables", "info types"]
        for function, _ in every(functions(split.path / name), 25):
            questions += [f"info scope {function}", f"break {function}", f"list {function}"]
        both = []
        for path in (split.path, whole(split.kind)):
            done = debugger(programs, "set complaints 100", f"file {path / name}", *questions)
            assert re.sub(NESTED, "", done.stderr).strip() == "" or "No such file" in done.stderr
            both.append(done.stdout.replace("./lib", "lib"))
        assert both[0] == both[1] and both[0].count("Symbol ") > 50


def chain_of(path):
    return model.Model(path).libraries["libmodule3"].functions[:10]


@pytest.mark.slow
def test_gdb_session(programs, split):
    """gdb, started elsewhere, finds the files, and shows the frames, arguments and results that the model predicts."""
    if split.kind.startswith("fortran"):
        pytest.skip("types have other names; see test_gdb_reads_the_same")
    chain = chain_of(split.path)
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null", "-iex", "set complaints 100"]
    command += ["-x", SOURCE / "tests" / "gdb_probe.py"]
    command += ["--args", PYTHON, "-I", "-c", DRIVE.format("libmodule3"), split.path]
    probe = {"PROBE": json.dumps({"mode": "stop", "place": chain[-1].name, "finish": 10, "locals": True})}
    done = programs.command(command, leaks=False, env={**probe, "LD_BIND_NOW": None}, timeout=120, cwd="/")
    shown = [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("PROBE ")]
    frames = shown[0]["frames"]
    assert [frame["function"] for frame in frames[:10]] == [function.name for function in reversed(chain)]
    for function, frame in zip(reversed(chain), frames):
        assert [tuple(a[1:]) for a in frame["arguments"]] == list(zip(function.types, function.passed(0)))
        assert re.fullmatch(r".*libmodule3\S*\.c(pp)?", frame["file"]) and frame["line"] > 0
    finished = [(row["finished"], row["returned"] % 2**64) for row in shown if "finished" in row]
    assert finished == [(function.name, function.returned()) for function in reversed(chain)]
    value = r"-?(\d+|\d+\.?\d*(e[-+]\d+)?|nan\(0x[0-9a-f]+\)|inf)|0x[0-9a-f]+( .*)?|<optimized out>"
    told = next(row["locals"] for row in shown if "locals" in row)
    assert [row for row in told if not re.fullmatch(rf"[a-z][a-z0-9_]+ = ({value})|No locals\.", row)] == []


@pytest.mark.slow
def test_lldb_finds_functions(programs, split):
    """lldb, started elsewhere, finds functions with their parameters, and where to break in them."""
    if split.kind.startswith("fortran"):
        pytest.skip("lldb 14 has no types of Fortran")
    library = split.path / "libmodule3.so"
    modelled = model.Model(split.path).libraries["libmodule3"].functions
    chosen = [(function.name, function.types) for function in every(modelled, 8)]
    command = [tool("lldb-14", "lldb"), "--no-lldbinit", "-b"]
    command += ["-O", "settings set target.debug-file-search-paths /nonexistent", "-o", f"target create {library}"]
    for name, _ in chosen:
        command += ["-o", f"image lookup -v -F {name}", "-o", f"breakpoint set -n {name}"]
    done = programs.command(command, leaks=False, env=LLDB_ENVIRONMENT, cwd="/", timeout=240)
    parts = re.split(r"^\(lldb\) image lookup -v -F (\S+)$", done.stdout, flags=re.M)
    assert parts[1::2] == [name for name, _ in chosen]
    for (name, types), told in zip(chosen, parts[2::2]):
        kinds = re.search(r'compiler_type = "unsigned long \((.*)\)"', told)[1]
        plain = [kind for kind in kinds.split(", ") if kind and kind != "void"]
        assert [kind.replace(" ", "") for kind in plain] == [kind.replace(" ", "") for kind in types]
        assert len(re.findall("Variable: ", told)) >= len(types) and re.search(r"where = .*libmodule3\S*\.c", told)


# --- the set -----------------------------------------------------------------------


@pytest.mark.alike(2)
def test_set_runs_and_verifies(programs, split):
    programs.run("pyelfgen", "--verify", split.path)
    assert "every result right" in programs.run("pyelfrun", split.path).stdout
    driven = programs.command([PYTHON, split.path / "driver.py"], leaks=False)
    assert "every result right" in driven.stdout


def test_same_bytes_by_any_number_of_threads(programs, plain, tmp_path):
    for threads in (1, 2):
        generate(programs, tmp_path / f"set{threads}", keys_of(plain.kind, split=True), f"-j{threads}")
        assert subprocess.run(["diff", "-r", plain.path, tmp_path / f"set{threads}"]).returncode == 0


def verification(programs, copied):
    return programs.run("pyelfgen", "--verify", copied.path, status=1).stderr


def test_altered_and_missing_files_are_found(programs, copied):
    path = copied.files_of(copied.path / "libutility1.so")[-1]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert verification(programs, copied).startswith(f"pyelfgen: {path}: is not what was generated: its XXH3-128")
    path.write_bytes(content[:-1])
    assert f"{path}: has {len(content) - 1} bytes, the manifest says {len(content)}; " in verification(programs, copied)
    path.unlink()
    assert verification(programs, copied) == f"pyelfgen: {path}: is missing; generate the set again\n"
    assert "1 of them not readable and not counted" in programs.run("pyelfstat", copied.path, status=1).stdout


@pytest.mark.parametrize(
    "other", [{}, {"split": True}, {"version": 4, "split": True}, {"separate": "debuglink"}], ids=str
)
def test_switching_leaves_nothing_stale(programs, copied, other):
    """Another set in the directory removes the older one's files, but no files of others, whatever their suffix."""
    foreign = [copied.path / name for name in ("mine.dwo", "libmodule1_x.dwo", "libc.so.6.dwp")]
    for path in foreign:
        path.write_bytes(b"mine")
    keys = {"application": "another", "modules": 2, "functions": 20}
    generate(programs, copied.path, {**keys, "dwarf": other} if other else keys, "--force")
    programs.run("pyelfgen", "--verify", copied.path)
    rows = manifest_of(copied.path)["libraries"]
    listed = {copied.path / file["name"] for row in rows for file in row.get("split", {"files": []})["files"]}
    listed |= {copied.path / row["debug-file"]["name"] for row in rows if "debug-file" in row}
    assert copied.files() == listed | set(foreign)


def test_interrupted_set_is_gone_over_again(programs, plain, copied):
    (copied.path / "manifest.json").unlink()
    path = copied.files_of(copied.path / "libmodule1.so")[0]
    path.rename(path.parent / f".{path.name}.tmp")
    generate(programs, copied.path, keys_of(plain.kind, split=True))
    assert subprocess.run(["diff", "-r", plain.path, copied.path]).returncode == 0


def test_directory_with_a_foreign_file_is_left(programs, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "application.dwo").write_bytes(b"mine")
    done = programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "mine", "--split", status=2)
    assert "the directory holds 'application.dwo', which is not of a set; " in done.stderr


def test_a_directory_in_the_place_of_a_file(programs, tmp_path):
    """A directory with the name of a .dwo file is refused before anything is written."""
    path = tmp_path / "set" / "libmodule1_1.dwo"
    path.mkdir(parents=True)
    done = programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "set", "-q", "--split", status=2)
    said = "the directory holds 'libmodule1_1.dwo', which is not of a set; give an empty or a new one"
    assert done.stderr == f"pyelfgen: {tmp_path / 'set'}: {said}\n"
    assert list((tmp_path / "set").iterdir()) == [path]


# --- other profiles, and what is refused -----------------------------------------------


@pytest.mark.alike
@pytest.mark.parametrize(
    "change",
    [
        {"sections": {**SECTIONS, "debug": 0}},
        {"sections": {**SECTIONS, "symtab": 0, "strtab": 0}},
        {"dwarf": {"split": True, "units": 1}},
        {"dwarf": {"split": True, "units": 1, "version": 4}},
        {"elf": {"build-id": False}},
        {"sections": None, "functions": 1},
    ],
    ids=["no-debug", "stripped", "units-of-one", "units-of-one-4", "no-build-id", "one-function"],
)
def test_variants(programs, tmp_path, change):
    path = generate(programs, tmp_path / "set", {**PLAIN, "dwarf": {"split": True}, **change}, "--split")
    for library in sorted(path.glob("*.so")):
        assert complaints(tool("eu-elflint"), "--gnu-ld", "--strict", library) == ("", [])
        assert complaints("llvm-dwarfdump-14", "--verify", library) == ("", [])
    done = debugger(programs, "set complaints 100", f"file {path}/libmodule1.so", "maint expand-symtabs")
    assert re.sub(NESTED, "", done.stderr).strip() == ""
    programs.run("pyelfrun", path)
    programs.run("pyelfgen", "--verify", path)
    is_empty = (change.get("sections") or SECTIONS)["debug"] == 0
    assert bool(list(path.glob("*.dw[op]"))) != is_empty


OTHERS = {
    "--separate=debuglink": "separate: debuglink",
    "--separate=build-id": "separate: build-id",
    "--index=gdb_index": "index: gdb_index",
    "--index=debug_names": "index: debug_names",
    "--type-units": "type-units: true",
}


@pytest.mark.parametrize("other", OTHERS)
def test_what_does_not_go_together(programs, tmp_path, other):
    """Conflicting options are named as options. Where the profile has the key, the message says how to take it back."""

    def refused(dwarf, *options):
        (tmp_path / "a.prof").write_text(f"{SMALL.read_text()}dwarf: {{{dwarf}}}\n")
        done = programs.run("pyelfgen", "-P", tmp_path / "a.prof", "-o", tmp_path / "set", *options, status=2)
        assert not (tmp_path / "set").exists()
        return done.stderr.removeprefix("pyelfgen: ").removesuffix("\n")

    option, key = other.split("=")[0], OTHERS[other].split(":")[0]
    assert refused("version: 5", "--split", other) == f"--split and {option} exclude each other; give one of them"
    less = "leave it out, or remove that from the profile" if key == "type-units" else f"give {option}=none too"
    assert refused(OTHERS[other], "--split") == f"--split excludes 'dwarf: {key}', which the profile has; {less}"
    more = "leave it out, or remove that from the profile"
    assert refused("split: true", other) == f"{option} excludes 'dwarf: split', which the profile has; {more}"


def test_what_is_taken_back_of_a_profile(programs, tmp_path):
    (tmp_path / "a.prof").write_text(f"{SMALL.read_text()}dwarf: {{separate: debuglink}}\n")
    programs.run("pyelfgen", "-P", tmp_path / "a.prof", "-q", "-o", tmp_path / "set", "--split", "--separate=none")
    assert list((tmp_path / "set").glob("*.dwo"))


def test_too_many_files_of_a_library_are_refused_before_anything_is_written(programs, tmp_path):
    """A library has 8000 .dwo files at most, of functions or of declarations. A set that is there stays as it is."""

    def text(functions, debug, version=5):
        sections = f"{{text: 9 MB, data: 1 MB, debug: {debug} MB, symtab: 1 MB, strtab: 2 MB}}"
        return (
            f"pyelfgen-profile: 1\nmodules: 1\nutilities: 1\nfunctions: 10\nutility-functions: {functions}\n"
            f"sections: {sections}\ndwarf: {{units: 1, split: true, version: {version}}}\n"
        )

    def refused(*arguments):
        done = programs.run("pyelfgen", "-P", tmp_path / "a.prof", "-q", *arguments, status=1)
        return done.stderr

    made, small = tmp_path / "set", tmp_path / "small.prof"
    small.write_text("pyelfgen-profile: 1\nmodules: 1\nfunctions: 10\ndwarf: {split: true}\n")
    programs.run("pyelfgen", "-P", small, "-q", "-o", made)
    for functions, debug, advice in ((17000, 120, "raise 'units' under 'dwarf'"), (400, 400, "use more modules")):
        (tmp_path / "a.prof").write_text(text(functions, debug))
        said = refused("--dry-run")
        assert "libutility0.so: its debug information has " in said and f"may have 8000; {advice}" in said
        assert refused("-o", made) == said
        (tmp_path / "a.prof").write_text(text(functions, debug, version=4))
        programs.run("pyelfgen", "-P", tmp_path / "a.prof", "-q", "--dry-run")
    programs.run("pyelfgen", "--verify", made)
