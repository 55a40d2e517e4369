"""Debug information in separate debug files: other programs find and read it, and it counts with its library."""

import filecmp
import json
import os
import re
import shutil
import subprocess

import pytest

import model
from conftest import SOURCE
from objects import FIVE, ask, counted_libraries, dwarfdump_complaints, each, sizes_of_each, tool
from sets import PLAIN, SECTIONS, SMALL, manifest_of, profile_text

KINDS = ["debuglink", "build-id"]
PYTHON = "/usr/bin/python3"
DRIVE = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.{0}_entry())"


class Separate:
    """A set with debug files, which a link or the build-id of each library leads to."""

    def __init__(self, path, kind):
        self.path, self.kind = path, kind

    def libraries(self):
        return sorted(self.path.glob("*.so"))

    def debug_files(self):
        """{library: debug file}, as the libraries themselves say."""
        return {library: self.debug_file(library) for library in self.libraries()}

    def debug_file(self, library):
        if self.kind == "debuglink":
            said = ask("readelf", "--debug-dump=links,no-follow-links", library)
            return library.parent / re.search(r"Separate debug info file: (\S+)", said)[1]
        identity = re.search(r"Build ID: ([0-9a-f]+)", ask("readelf", "-nW", library))[1]
        return self.path / ".build-id" / identity[:2] / f"{identity[2:]}.debug"

    def files(self):
        """All files in the set's directory and below, except libraries, driver and manifest."""
        found = {path for path in self.path.rglob("*") if not path.is_dir()}
        return found - set(self.path.glob("*.so")) - {self.path / "manifest.json", self.path / "driver.py"}


def generate(programs, path, kind, *arguments):
    programs.run("pyelfgen", "-P", SMALL, "-o", path, "-q", f"--separate={kind}", *arguments)
    return Separate(path, kind)


@pytest.fixture(scope="module", params=[(kind, packing) for kind in KINDS for packing in ("none", "zlib")])
def separate(programs, tmp_path_factory, request):
    kind, packing = request.param
    return generate(programs, tmp_path_factory.mktemp("separate") / "set", kind, "--compress", packing)


@pytest.fixture(scope="module", params=KINDS)
def plain(programs, tmp_path_factory, request):
    """A set that is not compressed; tests must not change it."""
    return generate(programs, tmp_path_factory.mktemp("plain") / "set", request.param)


@pytest.fixture
def copied(plain, tmp_path):
    return Separate(shutil.copytree(plain.path, tmp_path / "set"), plain.kind)


def section_names(path):
    return set(re.findall(r"\] (\.\S+)", ask("readelf", "-SW", path)))


# --- what is in the two ------------------------------------------------------------


def test_library_is_stripped(separate):
    for library in separate.libraries():
        names = section_names(library)
        assert not [name for name in names if name.startswith(".debug")]
        assert not names & {".symtab", ".strtab"}
        assert (".gnu_debuglink" in names) == (separate.kind == "debuglink")


def test_each_library_has_its_debug_file(separate):
    debug_files = set(separate.debug_files().values())
    assert len(debug_files) == len(separate.libraries()) and separate.files() == debug_files


def test_debug_file_is_that_of_its_library(separate):
    """A debug file has its library's build-id, and the same loaded sections at the same addresses."""
    for library, debug_file in separate.debug_files().items():
        both = [re.findall("Build ID: .*", ask("readelf", "-nW", path)) for path in (library, debug_file)]
        assert both[0] == both[1] and len(both[0]) == 1
        row = r"\[ *(\d+)\] (\.\S+) +\S+ +(0*[1-9a-f][0-9a-f]*) [0-9a-f]+ ([0-9a-f]+) "
        loaded = [re.findall(row, ask("readelf", "-SW", path)) for path in (library, debug_file)]
        assert loaded[0] == loaded[1] and len(loaded[0]) > 15


def test_contents_are_those_of_one_file(plain, small):
    """Library and debug file have the contents of a library that is not separate; only the build-id is another."""
    library = plain.path / "libmodule3.so"
    whole = small / library.name
    assert section_names(library) <= section_names(whole) | {".gnu_debuglink"}
    pairs = [(library, name) for name in (".text", ".rodata", ".dynsym", ".dynstr", ".data", ".eh_frame")]
    pairs += [(plain.debug_file(library), name) for name in (".debug_info", ".debug_line", ".debug_str", ".symtab")]
    for path, name in pairs:
        dumps = [ask("readelf", "-W", f"--hex-dump={name}", p).replace(str(p), "") for p in (path, whole)]
        assert dumps[0] == dumps[1] and len(dumps[0]) > 1000


def test_sizes_are_exact(programs, separate):
    """All sizes are exact: binutils count the loaded ones in the library, the others in the debug file."""
    rows = {row["name"]: row for row in manifest_of(separate.path)["libraries"]}
    counted = counted_libraries(separate.path)
    debug_files = [separate.debug_file(library) for library in counted]
    for library, ours, debug in zip(counted, sizes_of_each(counted), sizes_of_each(debug_files)):
        row = rows[library.name]
        assert [row[size] for size in ("text", "data", "bss")] == [ours[size] for size in ("text", "data", "bss")]
        assert [ours[size] for size in ("debug", "symtab", "strtab")] == [0, 0, 0]
        assert [row[size] for size in ("symtab", "strtab")] == [debug[size] for size in ("symtab", "strtab")]
        if "compressor" not in manifest_of(separate.path):
            assert row["debug"] == debug["debug"]
    report = json.loads(programs.run("pyelfstat", "--json", separate.path).stdout)["sets"][0]
    assert {report["difference"][size] for size in FIVE} == {0}


def test_manifest_names_debug_files(separate):
    rows = manifest_of(separate.path)["libraries"]
    paths = [separate.path / row["debug-file"]["name"] for row in rows]
    assert paths == [separate.debug_file(separate.path / row["name"]) for row in rows]
    assert [path.stat().st_size for path in paths] == [row["debug-file"]["file"] for row in rows]
    digests = said(tool("xxhsum"), "-H2", *paths)[0].splitlines()
    assert [line.split()[0] for line in digests] == [row["debug-file"]["xxh3-128"] for row in rows]


def test_dwarf_statistics_are_those_of_one_file(programs, plain, small):
    def statistics(path):
        return programs.run("pyelfstat", "--dwarf", path).stdout.replace(str(path), "")

    assert statistics(plain.path) == statistics(small)


def test_a_library_alone_counts_alone(programs, plain):
    library = plain.path / "libmodule0.so"
    row = json.loads(programs.run("pyelfstat", "--json", library).stdout)["files"][0]["sizes"]
    assert row["debug"] == row["symtab"] == 0 and row["text"] == sizes_of_each([library])[0]["text"]


# --- readers -----------------------------------------------------------------------


def said(*command):
    """(stdout, stderr) of a program, whatever its status."""
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    return done.stdout, done.stderr


def complaints(*command):
    output, errors = said(*command)
    return errors, re.findall(r"DW_DLE_|ERROR|DWARF CHECK|[Ww]arning:|<corrupt", output)[:3]


READERS = [
    ["readelf", "-aW"],
    ["readelf", "--debug-dump"],
    ["objdump", "-x"],
    ["objdump", "--dwarf=info"],
    ["eu-readelf", "-a"],
    ["eu-readelf", "-N", "--debug-dump"],
    ["llvm-dwarfdump-14", "--verify"],
    ["nm"],
]


def test_elflint(separate):
    lint = tool("eu-elflint")
    for library, debug_file in separate.debug_files().items():
        assert said(lint, "--gnu-ld", "--strict", library) == ("No errors\n", "")
        assert said(lint, "--gnu-ld", "-d", debug_file) == ("No errors\n", "")


@pytest.mark.alike
@pytest.mark.slow
@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_debug_files_are_read_silently(separate, command):
    reader = tool(*command[:1])
    some = list(separate.debug_files().values())[::4]
    found = each(lambda path: complaints(reader, *command[1:], path), some)
    assert found == [("", [])] * len(found)


@pytest.mark.slow
def test_dwarfdump_has_nothing_to_say(plain):
    """Uncompressed debug files only: dwarfdump takes some compressed sections for too short, wherever they are."""
    reader = tool("dwarfdump")
    for output, errors in each(lambda path: said(reader, "-ka", path), list(plain.debug_files().values())[::4]):
        assert (dwarfdump_complaints(output), errors) == ([], "")


@pytest.mark.parametrize("command", [["readelf", "-aW"], ["eu-readelf", "-a"], ["objdump", "-x"]], ids=" ".join)
def test_libraries_are_read_silently(separate, command):
    found = each(lambda path: complaints(tool(command[0]), *command[1:], path), separate.libraries())
    assert found == [("", [])] * len(found)


def test_lines_through_the_link(separate, small):
    """addr2line follows a debug link to the same lines. By build-id it looks elsewhere: it is given the debug file."""
    library = separate.path / "libmodule3.so"
    address = re.search(r"([0-9a-f]+) T libmodule3_entry\n", ask("nm", "-D", library))[1]
    wanted = ask("addr2line", "-f", "-e", small / library.name, address)
    assert re.search(r"libmodule3\.c:\d+", wanted)
    named = library if separate.kind == "debuglink" else separate.debug_file(library)
    assert ask("addr2line", "-f", "-e", named, address) == wanted
    assert ask(tool("eu-addr2line"), "-f", "-e", named, address).split(":")[0] == wanted.split(":")[0]


@pytest.mark.alike(2)
@pytest.mark.slow
def test_gdb_finds_the_debug_file(separate, small, programs):
    """gdb shows the right frames and arguments; only for build-ids it has to be told the directory."""
    chain = model.Model(small).libraries["libmodule3"].functions[70:80]
    where = separate.path if separate.kind == "build-id" else "/dev/null"
    command = [tool("gdb"), "-nx", "-batch", "-iex", f"set debug-file-directory {where}"]
    command += ["-x", SOURCE / "tests" / "gdb_probe.py"]
    command += ["--args", PYTHON, "-I", "-c", DRIVE.format("libmodule3"), separate.path]
    probe = {"PROBE": json.dumps({"mode": "stop", "place": chain[-1].name}), "LD_BIND_NOW": None}
    done = programs.command(command, leaks=False, env=probe, timeout=120)
    shown = [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("PROBE ")]
    frames = shown[0]["frames"]
    assert [frame["function"] for frame in frames[:10]] == [function.name for function in reversed(chain)]
    for function, frame in zip(reversed(chain), frames):
        assert [tuple(a[1:]) for a in frame["arguments"]] == list(zip(function.types, function.passed(0)))
        assert re.fullmatch(r".*libmodule3\S*\.c", frame["file"]) and frame["line"] > 0


# --- the set -------------------------------------------------------------------------


@pytest.mark.alike(2)
def test_set_runs_and_verifies(programs, separate):
    programs.run("pyelfgen", "--verify", separate.path)
    assert "every result right" in programs.run("pyelfrun", separate.path).stdout
    driven = programs.command([PYTHON, separate.path / "driver.py"], leaks=False)
    assert "every result right" in driven.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_same_bytes_by_any_number_of_threads(programs, tmp_path, kind):
    one = generate(programs, tmp_path / "one", kind, "-j1")
    generate(programs, tmp_path / "two", kind, "-j2")
    assert subprocess.run(["diff", "-r", tmp_path / "one", tmp_path / "two"]).returncode == 0
    assert len(one.files()) == 14


def verification(programs, copied):
    return programs.run("pyelfgen", "--verify", copied.path, status=1).stderr


def test_altered_debug_file_is_found(programs, copied):
    path = copied.debug_file(copied.path / "libutility1.so")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert verification(programs, copied).startswith(f"pyelfgen: {path}: is not what was generated: its XXH3-128")
    path.write_bytes(content[:-1])
    assert f"{path}: has {len(content) - 1} bytes, the manifest says {len(content)}; " in verification(programs, copied)


def test_missing_debug_file_is_found(programs, copied):
    path = copied.debug_file(copied.path / "libmodulebegin.so")
    path.unlink()
    assert verification(programs, copied) == f"pyelfgen: {path}: is missing; generate the set again\n"
    path = copied.debug_file(copied.path / "libmodule2.so")
    path.unlink()
    done = programs.run("pyelfstat", copied.path, status=1)
    assert done.stderr == f"pyelfstat: {path}: cannot open: No such file or directory\n"
    assert "1 of them not readable and not counted" in done.stdout


@pytest.mark.parametrize("other", ["none", *KINDS])
def test_switching_leaves_nothing_stale(programs, copied, small, other):
    new = generate(programs, copied.path, other, "--force", "--seed=43")
    if other == "none":
        assert new.files() == set() and not (copied.path / ".build-id").exists()
    else:
        assert new.files() == set(new.debug_files().values())
    programs.run("pyelfgen", "--verify", copied.path)


def test_debug_files_of_others_stay(programs, copied):
    """Another set in the directory leaves debug files of others, in .build-id and beside the libraries."""
    foreign = copied.path / ".build-id" / "ab" / f"{'cd' * 19}.debug"
    foreign.parent.mkdir(parents=True, exist_ok=True)
    foreign.write_bytes(b"\x7fELF of another")
    (copied.path / "libc.so.6.debug").write_bytes(b"mine")
    new = generate(programs, copied.path, "none", "--force")
    assert new.files() == {foreign, copied.path / "libc.so.6.debug"}


def test_interrupted_set_is_gone_over_again(programs, plain, copied):
    (copied.path / "manifest.json").unlink()
    debug_file = copied.debug_file(copied.path / "libmodule1.so")
    debug_file.rename(debug_file.parent / f".{debug_file.name}.tmp")
    generate(programs, copied.path, plain.kind)
    assert subprocess.run(["diff", "-r", plain.path, copied.path]).returncode == 0


def test_emptied_debug_files_are_the_sets(programs, plain, copied):
    """A crash of the machine may empty files, or cut off their ends."""
    first, other = (copied.debug_file(copied.path / name) for name in ("libmodule0.so", "libmodule1.so"))
    (copied.path / "manifest.json").write_bytes(b"")
    first.write_bytes(b"")
    os.truncate(other, 100)
    generate(programs, copied.path, plain.kind)
    assert subprocess.run(["diff", "-r", plain.path, copied.path]).returncode == 0
    first.write_bytes(b"")
    assert generate(programs, copied.path, "none", "--force").files() == set()


@pytest.mark.parametrize("before", ["a set", "an interrupted one"])
def test_debug_file_that_cannot_be_read(before, programs, copied):
    """It is not taken for somebody else's: that would leave it there, or refuse the directory for it."""
    if programs.sanitized:
        pytest.skip("what is preloaded has no sanitizers")
    if before == "an interrupted one":
        (copied.path / "manifest.json").unlink()
    debug_file = copied.debug_file(copied.path / "libmodule0.so")
    fault = {"FAULT_AFTER": debug_file.name, "FAULT_AT": "1", "FAULT_KIND": "eio"}
    preload = {"LD_PRELOAD": str(programs.build / "lib" / "libinject.so"), **fault}
    done = programs.run("pyelfgen", "-P", SMALL, "-q", "--seed=43", "-o", copied.path, status=1, env=preload)
    wanted = f"pyelfgen: {debug_file}: cannot tell whether the file is of a set: Input/output error\n"
    assert done.stderr == wanted


def test_directory_of_which_nothing_is_told(programs, copied, tmp_path):
    """What stat does not tell of .build-id, opening it does: stale files in it go."""
    if not shutil.which("strace") or programs.sanitized:
        pytest.skip("it takes strace, and a program without sanitizers")
    command = ["strace", "-f", "-o", tmp_path / "trace", "-P", ".build-id", "-e", "inject=newfstatat:error=EIO"]
    programs.command([*command, programs.path("pyelfgen"), "-P", SMALL, "-q", "--seed=43", "-o", copied.path])
    assert "INJECTED" in (tmp_path / "trace").read_text() or copied.kind != "build-id"
    assert not (copied.path / ".build-id").exists()


def test_directory_with_a_foreign_debug_file_is_left(programs, tmp_path):
    foreign = tmp_path / "mine" / ".build-id" / "ab" / f"{'cd' * 19}.debug"
    foreign.parent.mkdir(parents=True)
    foreign.write_bytes(b"mine")
    done = programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "mine", "--separate=build-id", status=2)
    name = foreign.relative_to(tmp_path / "mine")
    assert f"the directory holds '{name}', which is not of a set; " in done.stderr
    assert foreign.read_bytes() == b"mine" and len(list((tmp_path / "mine").iterdir())) == 1


def test_nothing_half_written(programs, tmp_path):
    """If the largest debug file cannot be written, because of a limit, its library and the manifest are absent."""
    programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "whole", "-q", "--separate=debuglink")
    *_, largest = sorted((tmp_path / "whole").iterdir(), key=lambda path: path.stat().st_size)
    assert largest.suffix == ".debug"
    (tmp_path / "set").mkdir()
    limited = ["prlimit", f"--fsize={largest.stat().st_size - 1}", programs.path("pyelfgen")]
    done = programs.command([*limited, "-P", SMALL, "-o", tmp_path / "set", "-q", "--separate=debuglink"], status=1)
    assert done.stderr.startswith(f"pyelfgen: {tmp_path / 'set' / largest.name}: ") and done.stderr.count("\n") == 1
    assert not list((tmp_path / "set").glob(".*")) and not (tmp_path / "set" / "manifest.json").exists()
    assert not (tmp_path / "set" / largest.stem).exists() and largest.stem.endswith(".so")


# --- other profiles, and what is refused -----------------------------------------------


@pytest.mark.alike
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "change",
    [
        {"sections": {**SECTIONS, "debug": 0}},
        {"sections": {**SECTIONS, "debug": 0, "symtab": 0, "strtab": 0}},
        {"elf": {"max-page-size": 65536, "bind": "now", "relro": "full"}},
        {"elf": {"relro": "none"}},
    ],
    ids=["no-debug", "bare", "page-64k", "relro-none"],
)
def test_variants(programs, sets, tmp_path, kind, change):
    profile = sets.write_profile("separate", profile_text(**{**PLAIN, **change, "dwarf": {"separate": kind}}))
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q")
    made = Separate(tmp_path / "set", kind)
    for library, debug_file in made.debug_files().items():
        assert said(tool("eu-elflint"), "--gnu-ld", "--strict", library) == ("No errors\n", "")
        assert said(tool("eu-elflint"), "--gnu-ld", "-d", debug_file) == ("No errors\n", "")
        assert complaints("readelf", "-aW", debug_file) == ("", [])
    programs.run("pyelfrun", tmp_path / "set")


def test_debuglink_does_without_a_build_id(programs, sets, tmp_path):
    keys = {**PLAIN, "elf": {"build-id": False}}
    profile = sets.write_profile("unidentified", profile_text(**keys))
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q", "--separate=debuglink")
    for library in tmp_path.glob("set/*.so"):
        assert said(tool("eu-elflint"), "--gnu-ld", "-d", f"{library}.debug") == ("No errors\n", "")
    done = programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "other", "--separate=build-id", status=1)
    assert done.stderr == (
        "pyelfgen: dwarf: separate: 'build-id' needs 'build-id' under 'elf', which is false; "
        "remove that, or use 'debuglink'\n"
    )
    assert not (tmp_path / "other").exists()


def test_none_is_as_before(programs, small, tmp_path):
    made = generate(programs, tmp_path / "set", "none")
    assert made.files() == set()
    assert filecmp.cmp(small / "manifest.json", tmp_path / "set" / "manifest.json", shallow=False)


def test_unknown_kind_is_refused(programs, tmp_path):
    done = programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "set", "--separate", "dwo", status=2)
    assert done.stderr == "pyelfgen: 'dwo' is no way to separate; use none, debuglink or build-id\n"
    assert not (tmp_path / "set").exists()
