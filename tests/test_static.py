"""pyelf-static, the executable that contains all libraries of a set: it runs, and other programs read it."""

import filecmp
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import pytest

from conftest import BUILD, SOURCE
from objects import OF_NESTED_CALLS, ask, dwarfdump_complaints, elflint, section, sizes_by_binutils, tool
from sets import SMALL, VARIANTS, libraries_of, manifest_of, mostly_long, profile_text, variant_text

# Variants with something that pyelf-static cannot have.
UNSUPPORTED = ["exceptions", "clang", "clang-cpp", "clang-natural", "gdb-index", "debug-names", "type-units", "type-units-4"]
QUICK = ["small", "version-4", "odd", "random-calls", "no-utilities", "no-debug", "stripped", "cpp", "itanium", "one-function"]
EVERY = mostly_long(["small", "version-4", *(name for name in VARIANTS if name not in UNSUPPORTED)], *QUICK)
SMALLEST = profile_text(modules=2, utilities=1, functions=30)
RUNTIME = BUILD / "lib" / "libpyelfrun.so.0"


def executable_of(directory):
    """The row of pyelf-static in the manifest."""
    (row,) = [row for row in manifest_of(directory)["executables"] if row["kind"] == "static"]
    return row


class Statics:
    """Sets whose libraries are in pyelf-static only; get() makes each once."""

    def __init__(self, programs, sets, directory):
        self.programs, self.sets, self.directory = programs, sets, directory

    def profile(self, name):
        if name == "version-4":
            return self.sets.write_profile(name, variant_text("odd") + "dwarf: {version: 4}\n")
        return self.sets.write_profile(f"{name}-static", variant_text(name)) if name in VARIANTS else SMALL

    def generate(self, name, directory, *options, **more):
        command = ["--profile", self.profile(name), "-o", directory, "--quiet", "--static", *options]
        return self.programs.run("pyelfgen", *command, **more)

    def get(self, name):
        directory = self.directory / name
        if not directory.exists():
            self.generate(name, directory, "--no-libraries")
        return directory


@pytest.fixture(scope="module")
def statics(programs, sets, tmp_path_factory):
    return Statics(programs, sets, tmp_path_factory.mktemp("statics"))


@pytest.fixture(params=EVERY)
def made(request, statics):
    return statics.get(request.param)


def starts(programs):
    return (BUILD / "bin" / "pyelfrun").exists() and (BUILD / "libexec" / "pyelfgen" / "pyelf-vanilla").exists()


def run(programs, directory, *options, **more):
    if not starts(programs):
        pytest.skip("pyelfrun is not built")
    return programs.run("pyelfrun", "--mode", "static", *options, directory, leaks=False, **more)


# --- it runs ------------------------------------------------------------------------


@pytest.mark.alike
def test_every_result_is_right(made, programs):
    done = run(programs, made, "--phases", "import,visit")
    functions = sum(row["functions"] for row in libraries_of(made))
    visited = sum(row["visited"] for row in libraries_of(made))
    assert f"{visited} of {functions} functions visited" in done.stdout and "every result" in done.stdout
    assert done.stderr == ""


def test_without_an_interpreter(statics, programs):
    done = run(programs, statics.get("odd"), "--no-python", "--phases", "import,visit")
    assert "every result right" in done.stdout


def test_two_ranks(statics, programs):
    tool("mpirun")
    if not starts(programs):
        pytest.skip("pyelfrun is not built")
    done = programs.mpirun(2, "pyelfrun", "--mode", "static", statics.get("odd"))
    assert "2 ranks" in done.stdout and "every result right" in done.stdout
    assert re.search(r"^MPI +\d", done.stdout, flags=re.M)


def test_a_wrong_result_is_noticed(statics, programs, tmp_path):
    shutil.copytree(statics.get("odd"), tmp_path / "set")
    manifest = tmp_path / "set" / "manifest.json"
    result = libraries_of(tmp_path / "set", "module")[1]["result"]
    manifest.write_text(manifest.read_text().replace(f'"result": {result}', f'"result": {result ^ 1}'))
    said = run(programs, tmp_path / "set", status=1).stderr
    assert "libmodule1" in said and str(result) in said and "every result" not in said


def test_the_runtime_lists_its_libraries(statics):
    """`pyelf_executable` lists the libraries in the manifest's order, with their functions and number of marks."""
    path = statics.get("odd") / "pyelf-static"
    rows = libraries_of(path.parent)
    symbols = {}
    for line in ask("readelf", "-sW", path).splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[4] == "GLOBAL":
            symbols[fields[7]] = int(fields[1], 16), int(fields[2], 0)
    content = path.read_bytes()
    address, offset, _ = section(path, ".data.rel.ro")
    at = offset + symbols["pyelf_executable"][0] - address
    version, kind, _, _, count, table = struct.unpack_from("<IIQQQQ", content, at)
    assert (version, kind, count) == (1, 2, len(rows))
    for i, row in enumerate(rows):
        stem, init, entry, visits, size = struct.unpack_from("<5Q", content, offset + table - address + 40 * i)
        name = row["name"][:-3]
        rodata, where, _ = section(path, ".rodata")
        start = where + stem - rodata
        assert content[start : content.index(0, start)].decode() == name
        assert init == symbols.get(f"PyInit_{name}", (0, 0))[0]
        assert entry == symbols.get(row.get("entry"), (0, 0))[0]
        assert (visits, size) == symbols[f"{name}_visits"] and size == row["marks"]


def test_libraries_are_not_there(statics, programs):
    """With --no-libraries there are none, and programs that want them say so."""
    directory = statics.get("odd")
    assert not list(directory.glob("lib*"))
    if starts(programs):
        said = programs.run("pyelfrun", directory, leaks=False, status=1).stderr
        assert "has no libraries but in pyelf-static; use --mode static" in said
    said = programs.command(["/usr/bin/python3", directory / "driver.py"], leaks=False, status=1).stderr
    assert "has no libraries but in pyelf-static" in said


# --- what it is -----------------------------------------------------------------------


def test_sizes_are_those_of_binutils(made):
    row = executable_of(made)
    found = sizes_by_binutils(made / "pyelf-static")
    assert {size: row[size] for size in found if size != "total"} == {
        size: found[size] for size in found if size != "total"
    }
    assert row["file"] == (made / "pyelf-static").stat().st_size


@pytest.mark.slow
def test_elflint_and_readelf(made):
    path = made / "pyelf-static"
    assert elflint(path) == "No errors\n"
    ask("readelf", "-hlSsdrnVW", path)


@pytest.mark.slow
def test_debug_information_is_valid(made):
    path = made / "pyelf-static"
    verifier = tool("llvm-dwarfdump", "llvm-dwarfdump-14")
    done = subprocess.run([verifier, "--verify", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0 and done.stdout.endswith("No errors.\n"), done.stdout[-2000:]
    assert not re.search(r"^(warning|error)", done.stdout, flags=re.M)
    ask("readelf", "-W", "-wlLaroRs", path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["odd", "version-4", "cpp"])
def test_dwarfdump(name, statics):
    done = subprocess.run(
        [tool("dwarfdump"), "-ka", statics.get(name) / "pyelf-static"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert dwarfdump_complaints(done.stdout) == [] and "DW_TAG_subprogram" in done.stdout


def test_what_it_has_is_what_the_libraries_have(statics, sets):
    """The executable has the functions and objects of all libraries, with the same names, types and sizes."""

    def symbols(path, binding):
        found = []
        for line in ask("readelf", "-sW", path).split("'.symtab'")[1].splitlines():
            fields = line.split()
            if len(fields) == 8 and fields[4] == binding and fields[6] not in ("UND", "ABS"):
                found.append((fields[7], fields[3], int(fields[2], 0)))
        return found

    path = statics.get("odd") / "pyelf-static"
    libraries = [sets.get("odd") / row["name"] for row in libraries_of(path.parent)]
    wanted = sorted({symbol for library in libraries for symbol in symbols(library, "GLOBAL")})
    found = sorted(symbols(path, "GLOBAL"))
    assert len(found) == len({name for name, *_ in found})
    assert [symbol for symbol in found if symbol[0].startswith(("lib", "PyInit", "begin", "break"))] == wanted
    of_files = r"_init|_fini|_DYNAMIC|_GLOBAL_OFFSET|__|frame_dummy|completed"
    wanted = sorted(s for library in libraries for s in set(symbols(library, "LOCAL")) if not re.match(of_files, s[0]))
    found = [s for s in sorted(symbols(path, "LOCAL")) if s[0].startswith("lib")]
    assert [s[:2] for s in found] == [s[:2] for s in wanted]
    for (name, _, size), (*_, of_library) in zip(found, wanted):
        assert size == of_library, name


def test_unwind_index(made):
    """.eh_frame_hdr is sorted by address, and has an entry for each one of .eh_frame."""
    path = made / "pyelf-static"
    _, offset, size = section(path, ".eh_frame_hdr")
    content = path.read_bytes()[offset : offset + size]
    (count,) = struct.unpack_from("<I", content, 8)
    starts_at = [struct.unpack_from("<i", content, 12 + 8 * i)[0] for i in range(count)]
    assert size == 12 + 8 * count and starts_at == sorted(starts_at)
    frames = ask("readelf", "--debug-dump=frames", path)
    assert len(re.findall(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE ", frames, flags=re.M)) == count


@pytest.mark.slow
@pytest.mark.parametrize("name", ["small", "cpp-4"])
def test_gdb(name, statics, programs):
    """gdb stops at a function by its name, and shows the stack of the calls that lead there."""
    if not starts(programs):
        pytest.skip("pyelfrun is not built")
    directory = statics.get(name)
    path = directory / "pyelf-static"
    entry = "libmodule1_entry"
    rows = [line.split() for line in ask("nm", "-n", "--defined-only", path).splitlines()]
    names = [name for _, kind, name in rows if kind == "T" and re.match(r"libmodule1_fun\d|_ZN10libmodule1", name)]
    commands = ["set pagination off", f"break {entry}", "run", f"tbreak {names[3]}", "continue", "bt"]
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null"]
    command += [part for text in commands for part in ("-ex", text)]
    environment = {"LD_PRELOAD": str(RUNTIME), "LD_BIND_NOW": None}
    done = programs.command([*command, path], leaks=False, env=environment, timeout=120, status=None)
    assert re.search(rf"hit Breakpoint 1, {entry} \(\) at libmodule1\.c", done.stdout), done.stdout + done.stderr
    stack = re.findall(r"^#(\d+) +(.*)$", done.stdout, flags=re.M)
    of_ours = [text for _, text in stack if "libmodule1" in text]
    assert len(of_ours) == 4 + 2 and re.search(rf"in {entry} \(\) at libmodule1\.c(pp)?:", of_ours[-2]), done.stdout
    assert not re.search("Cannot|corrupt|warning: .*DWARF", re.sub(OF_NESTED_CALLS, "", done.stdout, flags=re.M))


def test_code_of_its_own(statics, programs, tmp_path):
    """Code of the executable's own (--bigexe) adds to its size, and changes no results of the libraries."""
    statics.generate("odd", tmp_path / "set", "--no-libraries", "--bigexe", "1 MB")
    assert "every result right" in run(programs, tmp_path / "set", "--phases", "import,visit").stdout
    path = tmp_path / "set" / "pyelf-static"
    assert elflint(path) == "No errors\n"
    more = executable_of(tmp_path / "set")["file"] - executable_of(statics.get("odd"))["file"]
    assert 800_000 < more < 1_200_000 and executable_of(tmp_path / "set")["functions"] > 0


# --- how it is made -----------------------------------------------------------------------


def test_threads_do_not_matter(statics, tmp_path):
    for jobs in ("1", "2", "7"):
        statics.generate("odd", tmp_path / jobs, "--no-libraries", "-j", jobs)
        assert filecmp.cmp(statics.get("odd") / "pyelf-static", tmp_path / jobs / "pyelf-static", shallow=False)
        assert filecmp.cmp(statics.get("odd") / "manifest.json", tmp_path / jobs / "manifest.json", shallow=False)


def test_libraries_are_the_same_with_it(statics, sets, tmp_path):
    """Libraries have the same bytes with --static and without, and pyelf-static has the same bytes with libraries."""
    statics.generate("odd", tmp_path / "set", "--link")
    for path in sets.get("odd").glob("*.so"):
        assert filecmp.cmp(path, tmp_path / "set" / path.name, shallow=False)
    assert filecmp.cmp(statics.get("odd") / "pyelf-static", tmp_path / "set" / "pyelf-static", shallow=False)
    assert [row["kind"] for row in manifest_of(tmp_path / "set")["executables"]] == ["link", "static"]
    for row in libraries_of(tmp_path / "set"):
        assert row["file"] == (tmp_path / "set" / row["name"]).stat().st_size


def test_seed_matters(statics, tmp_path):
    statics.generate("odd", tmp_path / "set", "--no-libraries", "--seed", "43")
    assert not filecmp.cmp(statics.get("odd") / "pyelf-static", tmp_path / "set" / "pyelf-static", shallow=False)


def test_nothing_of_the_machine_is_in_it(statics):
    content = (statics.get("odd") / "pyelf-static").read_bytes()
    for path in (str(SOURCE), str(pathlib.Path.home()) + "/", os.uname().nodename + "/"):
        assert path.encode() not in content


def test_libraries_of_an_older_set_go(statics, tmp_path):
    statics.generate("odd", tmp_path / "set")
    statics.generate("odd", tmp_path / "set", "--no-libraries", "--force")
    assert sorted(os.listdir(tmp_path / "set")) == ["driver.py", "manifest.json", "pyelf-static"]
    statics.programs.run("pyelfgen", "-P", statics.profile("odd"), "-o", tmp_path / "set", "--force", "-q")
    assert not (tmp_path / "set" / "pyelf-static").exists() and "executables" not in manifest_of(tmp_path / "set")


def test_full_file_system(statics, file_system):
    """On a full file system nothing of the set is left."""
    directory = file_system("1m")
    said = statics.generate("odd", directory / "set", "--no-libraries", status=1).stderr
    assert re.fullmatch(r"pyelfgen: \S+/set/pyelf-static: cannot write the file; make room, and run again: No space [^\n]+\n", said)
    assert os.listdir(directory) == []


@pytest.mark.parametrize("place", [0, 5000, -1])
def test_damage_is_seen(place, statics, programs, tmp_path):
    directory = shutil.copytree(statics.get("odd"), tmp_path / "set")
    assert "is as its manifest says" in programs.run("pyelfgen", "--verify", directory).stdout
    content = bytearray((directory / "pyelf-static").read_bytes())
    content[place] ^= 1
    (directory / "pyelf-static").write_bytes(content)
    said = programs.run("pyelfgen", "--verify", directory, status=1).stderr
    assert "pyelf-static: is not what was generated" in said
    (directory / "pyelf-static").write_bytes(content[:-1])
    assert "the manifest says" in programs.run("pyelfgen", "--verify", directory, status=1).stderr


def test_what_does_not_belong_is_seen(statics, programs, tmp_path):
    directory = shutil.copytree(statics.get("odd"), tmp_path / "set")
    (directory / "libmodule0.so").touch()
    said = programs.run("pyelfgen", "--verify", directory, status=1).stderr
    assert "libmodule0.so is not in the manifest, which has no libraries but in pyelf-static; remove it" in said


def test_manifests_that_cannot_be(statics, programs, tmp_path):
    directory = shutil.copytree(statics.get("odd"), tmp_path / "set")
    whole = manifest_of(directory)

    def refused(change):
        manifest = json.loads(json.dumps(whole))
        change(manifest)
        (directory / "manifest.json").write_text(json.dumps(manifest))
        return programs.run("pyelfgen", "--verify", directory, status=1).stderr

    digest = {"file": 1, "xxh3-128": "0" * 32}
    assert "there is no executable that has it in it" in refused(lambda m: m.pop("executables"))
    assert "is no file, and others are" in refused(lambda m: m["libraries"][2].update(digest))
    assert "'xxh3-128' is missing" in refused(lambda m: m["libraries"][0].update({"file": 1}))
    assert "is not what an executable of its kind is called" in refused(lambda m: m["executables"][0].update(kind="link"))


def test_pyelfstat_counts_it(statics, programs):
    directory = statics.get("odd")
    found = sizes_by_binutils(directory / "pyelf-static")
    done = json.loads(programs.run("pyelfstat", "--json", directory).stdout)
    assert done["sets"][0]["actual"] == found and done["sets"][0]["libraries"] == 1


WRONG = [
    (["--static", "--compress", "zlib"], "--static makes no executable with compressed debug sections"),
    (["--static", "--separate", "build-id"], "--static makes no executable with a file of its own for debug"),
    (["--static", "--split"], "--static makes no executable with split debug information"),
    (["--static", "--index", "gdb_index"], "--static makes no executable with an index of names"),
    (["--static", "--type-units"], "--static makes no executable with type units"),
    (["--no-libraries"], "--no-libraries leaves nothing to write; give --static too"),
    (["--static", "--no-libraries", "--link"], "--link is linked with the libraries that --no-libraries leaves out"),
]


@pytest.mark.parametrize("options, reason", WRONG)
def test_wrong_use(options, reason, statics, programs, tmp_path):
    command = ["--profile", statics.profile("odd"), "-o", tmp_path / "set", *options]
    said = programs.run("pyelfgen", *command, status=2).stderr
    assert said.startswith(f"pyelfgen: {reason}") and said.count("\n") == 1
    assert not (tmp_path / "set").exists()


# (sections, part of the message): more than 2 GiB are loaded; only .debug_info is too large. The latter is known when
# all libraries are sized, which comes before writing where sums are near a limit (assemble_is_near).
LARGE = [
    ({"text": 2_400_000_000, "data": 9_000_000, "debug": 90_000_000, "symtab": 900_000, "strtab": 5_000_000}, "2 GiB"),
    ({"text": 90_000_000, "data": 9_000_000, "debug": 12_000_000_000, "symtab": 900_000, "strtab": 5_000_000}, "_info"),
]


@pytest.mark.slow
@pytest.mark.parametrize("sections, reason", LARGE)
def test_too_large(sections, reason, sets, programs, tmp_path):
    """A set that is too large for one executable is refused before anything is written."""
    profile = sets.write_profile("too-large", profile_text(modules=20, utilities=4, functions=100, sections=sections))
    command = ["--profile", profile, "-o", tmp_path / "set", "--static", "-q"]
    said = programs.run("pyelfgen", *command, status=1, timeout=600).stderr
    assert said.startswith("pyelfgen: pyelf-static: ") and reason in said and said.count("\n") == 1
    assert said.endswith("; lower the profile's sections, or leave out --static\n")
    assert not (tmp_path / "set").exists()


def test_sources(statics, sets, tmp_path):
    """The sources are those of the libraries and of the executable, with libraries beside it and without."""
    statics.generate("odd", tmp_path / "alone", "--no-libraries", "--sources")
    statics.generate("odd", tmp_path / "both", "--sources")
    names = sorted(path.relative_to(tmp_path / "alone") for path in (tmp_path / "alone" / "sources").rglob("*"))
    assert names == sorted(path.relative_to(tmp_path / "both") for path in (tmp_path / "both" / "sources").rglob("*"))
    for name in names:
        if (tmp_path / "alone" / name).is_file():
            assert filecmp.cmp(tmp_path / "alone" / name, tmp_path / "both" / name, shallow=False)
    assert any(name.name == "pyelf-static.c" for name in names)


@pytest.mark.long
@pytest.mark.slow
def test_memory_does_not_grow_with_it(programs, roomy):
    """An executable of 1.3 GB is made in less than 150 MB of memory with two threads: it is never in memory whole."""
    if programs.sanitized:
        pytest.skip("sanitizers keep memory of their own")
    directory = roomy / "static"
    command = [programs.path("pyelfgen"), "-P", "llnl-2007", "--static", "--no-libraries", "-q", "-j2", "-o", directory]
    # a small process starts it, because the memory of the process that forks counts in ru_maxrss
    script = "import os, sys; pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); print(*os.wait4(pid, 0)[1:])"
    done = programs.command(["/usr/bin/python3", "-I", "-c", script, *command], leaks=False)
    size = (directory / "pyelf-static").stat().st_size
    shutil.rmtree(directory)
    most = int(re.search(r"ru_maxrss=(\d+)", done.stdout)[1]) * 1024
    assert done.stdout.startswith("0 ") and size > 1_200_000_000
    assert 10_000_000 < most < 150_000_000
