"""Twins of applications whose debug information is split: pyelfprof reads .dwo files and packages, pyelfgen makes them."""

import json
import os
import re
import shutil
import subprocess

import pytest

from captures import Capture
from objects import ask, tool
from sets import mostly_long
from test_twin import Twin, build, check_profile_is_the_same, check_quantities, check_sizes

KINDS = {"dwarf5": [], "dwarf4": ["-gdwarf-4"], "unoptimised": ["-O0"], "lines": ["-g1"], "zlib": ["-gz"]}


def compile_split(directory, kind):
    """Three libraries; one of them is not split. The compiler's files stand beside them, as their directory is mapped."""
    (directory / "out").mkdir()
    flags = ["-gsplit-dwarf", *KINDS[kind]]
    build(directory, "base", 60, flags=flags)
    build(directory, "middle", 25, [("base", 60)], flags=KINDS[kind])
    build(directory, "entry", 45, [("middle", 25)], module=True, flags=flags)
    return directory / "out"


@pytest.fixture(scope="module", params=mostly_long(KINDS, "dwarf5", "dwarf4"))
def split(programs, tmp_path_factory, request):
    directory = tmp_path_factory.mktemp("split")
    twin = Twin(programs, compile_split(directory, request.param), directory / "twin", "--names")
    twin.kind = request.param
    return twin


def dwo_files(twin, number):
    """The .dwo files or the package of the twin's library that stands for the real row `number`."""
    stem = twin.made[number]["name"].removesuffix(".so")
    return [path for path in twin.path.iterdir() if re.fullmatch(rf"{stem}(_(data)?\d+)?\.dwo|{stem}\.so\.dwp", path.name)]


def section_sizes(path):
    """{name: bytes} of the debug sections of a file, uncompressed."""
    shown = ask("readelf", "-StW", path)
    found = dict.fromkeys(re.findall(r"\] (\.debug_\w+(?:\.dwo)?)\n", shown), 0)
    for name, size, flags, packed in re.findall(
        r"\] (\.debug_\w+(?:\.dwo)?)\n +\w+ +\w+ +\w+ +(\w+) .*\n +\[\w+\]: ?([\w, ]*)(?:\n +ZLIB, (\w+), \w+)?", shown
    ):
        found[name] = int(packed, 16) if "COMPRESSED" in flags else int(size, 16)
    return found


def dump(path):
    """readelf's dump of the entries of a file. It misses the library where a .dwo file stands alone."""
    command = [tool("readelf"), "--debug-dump=info,no-follow-links", path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_capture_reads_what_was_split(split):
    """Sizes are those of readelf, over all .dwo files; units count once, although a skeleton belongs to each."""
    real = split.directory.parent / "out"
    for row in split.real:
        stem = row["name"].removesuffix(".so")
        files = [path for path in real.glob("*.dwo") if path.name.startswith(stem)]
        assert ("dwo" in row) == ("split" in row) == bool(files) == (stem != "middle")
        if not files:
            continue
        assert row["dwo"]["files"] == len(files) == row["dwarf"]["units"]
        sums = {}
        for path in files:
            for name, size in section_sizes(path).items():
                key = {"loc": "loclists", "ranges": "rnglists"}.get(name[7:-4], name[7:-4])
                sums[key] = sums.get(key, 0) + size
        assert {key: size for key, size in row["dwo"].items() if key != "files"} == {key: size for key, size in sums.items() if size}


def test_entries_are_those_of_all_files(split):
    """As many entries as readelf shows in the library and its .dwo files."""
    real = split.directory.parent / "out"
    for row in split.real:
        stem = row["name"].removesuffix(".so")
        paths = [real / row["name"], *(path for path in real.glob("*.dwo") if path.name.startswith(stem))]
        entries = re.findall(r"^ <\w+><\w+>: Abbrev Number: [1-9]", "".join(map(dump, paths)), re.M)
        assert row["dwarf"]["dies"] == len(entries)


def test_the_twin_is_split_where_rows_say_so(split):
    check_sizes(split)
    check_quantities(split)
    for number, row in enumerate(split.real):
        files = dwo_files(split, number)
        if "split" not in row:
            assert not files and "split" not in split.made[number]
        elif split.kind == "dwarf4":
            assert [path.suffix for path in files] == [".dwp"]
        else:
            assert len(files) == row["dwo"]["files"]


def test_what_was_split_is_as_large(split):
    """Entries and lists of .dwo files take as many bytes within 5 %; abbreviations of all files, which may each have one
    or another more, nearly as many."""
    abbrev = [0, 0]
    for mine, row in zip(split.made, split.real):
        for key in ("info", "loclists", "rnglists"):
            wanted = row.get("dwo", {}).get(key, 0)
            if wanted > 4000:
                assert mine["dwo"][key] == pytest.approx(wanted, rel=0.05), key
        abbrev[0] += mine.get("dwo", {}).get("abbrev", 0)
        abbrev[1] += row.get("dwo", {}).get("abbrev", 0)
    assert 0.9 < abbrev[0] / abbrev[1] < 1.3


def test_how_unlike_units_are_is_told_of_what_was_split(programs, split, tmp_path):
    """With a row that no library follows, differences.json tells how unlike the units of .dwo files are."""
    text = (split.directory / "real.prof").read_text()
    (tmp_path / "a.prof").write_text(re.sub(r"\buneven: \d+", "uneven: 90000", text))
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", "-q")
    libraries = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    told = {one["name"]: one["differs"].get("dwarf: uneven") for one in libraries}
    compared = 0
    for row in json.loads((tmp_path / "set" / "manifest.json").read_text())["libraries"]:
        if "split" not in row or not told.get(row["name"]):
            continue
        files = [tmp_path / "set" / file["name"] for file in row["split"]["files"]]
        lengths = [int(number, 16) + 4 for path in files for number in re.findall(r"^ +Length: +(0x\w+)", dump(path), re.M)]
        mean = sum(lengths) / len(lengths)
        uneven = sum(length**2 for length in lengths) / len(lengths) / mean**2
        assert told[row["name"]] == [90000, int(100 * uneven + 0.5)]
        compared += 1
    assert compared


def test_the_profile_is_the_same_but_for_what_is_listed(programs, split):
    check_profile_is_the_same(programs, split)


def test_a_dry_run_tells_the_same(programs, split, tmp_path):
    profile = split.directory / "real.prof"
    planned = programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "--dry-run").stdout
    made = programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set").stdout
    differs = [text[text.index("differs from") :].split("each library's")[0] for text in (planned, made)]
    assert differs[0] == differs[1] and "2 of 3 libraries are split, as rows say" in made


def test_threads_and_mounts_give_the_same_bytes(programs, split, tmp_path):
    profile = split.directory / "real.prof"
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "one", "-q", "-j", "1")
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "two", "-q", "-j", "2")
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {path.name for path in (tmp_path / "two").iterdir()} == {path.name for path in split.path.iterdir()}
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    programs.run("pyelfgen", "--verify", split.path)


def test_readers_say_nothing(split):
    """binutils and elfutils read skeletons and what they lead to."""
    for library in sorted(split.path.glob("lib*[0-9].so")):
        commands = [["readelf", "--debug-dump=info,no-follow-links"], ["eu-readelf", "--debug-dump=line"]]
        for command in [*commands, *([["objdump", "-Wl"]] if split.kind != "dwarf4" else [])]: # it knows no packages
            done = subprocess.run([tool(command[0]), *command[1:], library], capture_output=True, text=True, cwd=split.path)
            assert done.returncode == 0 and not done.stderr, command
    for path in [path for path in split.path.iterdir() if path.suffix == ".dwo"]:
        done = subprocess.run([tool("llvm-dwarfdump"), "--verify", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_gdb_finds_what_was_split(programs, split):
    """A breakpoint stops in a function of a split library, and its parameters are shown."""
    library = split.path / split.made[0]["name"]
    function = re.findall(r" T (\w+)$", ask("nm", "-D", "--defined-only", library), re.M)[1]
    shown = programs.command(
        [tool("gdb"), "-q", "-batch", "-nx", "-ex", f"info scope {function}", "-ex", f"info line {function}", library], leaks=False
    ).stdout
    assert re.search(r"Line \d+ of \"", shown), shown


def test_missing_files_are_told(programs, tmp_path):
    """What is gone is counted, and the rest captured. --debug-dir leads to it."""
    library = compile_split(tmp_path, "dwarf5") / "entry.so"

    def capture(*options):
        done = programs.run("pyelfprof", *options, "-o", tmp_path / "app.prof", library)
        return done.stderr, Capture(tmp_path / "app.prof").rows[0]

    said, whole = capture()
    files = list(library.parent.glob("entry*.dwo"))
    assert not said and whole["dwo"]["files"] == len(files) == 2
    (tmp_path / "elsewhere").mkdir()
    files[0].rename(tmp_path / "elsewhere" / files[0].name)
    said, row = capture()
    assert "pyelfprof: 1 of 2 .dwo files cannot be found" in said
    assert (row["dwo"]["files"], row["dwo"]["missing"], row["dwarf"]["units"]) == (1, 1, 2)
    assert row["debug"] == whole["debug"] and row["dwarf"]["dies"] < whole["dwarf"]["dies"]
    assert capture("--debug-dir", tmp_path / "elsewhere") == ("", whole)


def test_a_package_beside_the_library_comes_first(programs, split, tmp_path):
    """The package of the twin has the statistics of a row; one of binutils has those of the files that it was made of."""
    if split.kind != "dwarf4":
        pytest.skip("binutils packs DWARF 4 only")
    real = split.directory.parent / "out"
    for path in real.iterdir():
        shutil.copy(path, tmp_path)
    subprocess.run([tool("dwp"), "-o", "base.so.dwp", *(path.name for path in tmp_path.glob("base*.dwo"))], cwd=tmp_path, check=True)
    for path in tmp_path.glob("*.dwo"):
        path.unlink()
    programs.run("pyelfprof", "-o", tmp_path / "packed.prof", tmp_path / "base.so")
    (row,) = Capture(tmp_path / "packed.prof").rows
    assert row["dwarf"] == split.real[0]["dwarf"] and row["dwo"]["files"] == 1
    assert row["dwo"]["info"] == split.real[0]["dwo"]["info"]


def test_a_package_is_called_after_the_file(programs, split, tmp_path):
    """Not after a symbolic link to it, as libraries are given."""
    if split.kind != "dwarf4":
        pytest.skip("pyelfgen packs DWARF 4 only")
    package = next(split.path.glob("*.dwp"))
    library = split.path / package.stem
    for path in (library, package):
        shutil.copy(path, tmp_path)
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "liblink.so"
    link.symlink_to(tmp_path / library.name)
    rows = []
    for path in (tmp_path / library.name, link):
        done = programs.run("pyelfprof", "-o", tmp_path / "app.prof", path)
        assert not done.stderr
        rows += Capture(tmp_path / "app.prof").rows
    assert rows[0] == rows[1] and rows[0]["dwo"]["files"] == 1


def two_units(tmp_path, *flags):
    """Compiles util.c of either of two directories, and links both. Returns the library and their .dwo files."""
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir(exist_ok=True)
        functions = (f"int {name}_{i}(int a) {{struct {name} s = {{a, {i}}}; return s.a * s.b;}}\n" for i in range(60))
        (tmp_path / name / "util.c").write_text(f"struct {name} {{int a, b;}};\n" + "".join(functions))
        subprocess.run([tool("gcc"), "-g", "-gsplit-dwarf", "-fPIC", *flags, "-c", "util.c"], cwd=tmp_path / name, check=True)
        files.append(tmp_path / name / "util.dwo")
    library = tmp_path / "libutil.so"
    subprocess.run([tool("gcc"), "-shared", "-o", library, *(path.with_suffix(".o") for path in files)], check=True)
    return library, files


@pytest.mark.parametrize("version", [4, 5])
def test_files_of_one_name(programs, tmp_path, version):
    """Where the directories of the compilation are gone, a .dwo file is that of the skeleton which has its id, and of no
    other; one of another build is of none."""
    library, files = two_units(tmp_path, f"-gdwarf-{version}")

    def capture():
        done = programs.run("pyelfprof", "-o", tmp_path / "app.prof", library)
        return Capture(tmp_path / "app.prof").rows[0], done.stderr

    whole, said = capture()
    assert whole["dwo"]["files"] == 2 and not said
    apart = [files[0].rename(tmp_path / "util.dwo"), files[1].rename(tmp_path / "other.dwo")]
    for path in apart:
        path.rename(tmp_path / "util.dwo")
        row, said = capture()
        assert (row["dwo"]["files"], row["dwo"]["missing"], row["dwarf"]["units"]) == (1, 1, 2)
        assert "pyelfprof: 1 of 2 .dwo files cannot be found" in said
    assert row["dwarf"]["dies"] < whole["dwarf"]["dies"]
    (tmp_path / "another").mkdir()
    two_units(tmp_path / "another", f"-gdwarf-{version}", "-O2")[1][0].rename(tmp_path / "util.dwo")
    row, said = capture()
    assert row["dwo"] == {"missing": 2} and row["dwarf"]["units"] == 2
    assert "pyelfprof: 2 of 2 .dwo files cannot be found" in said


def test_objects_that_hold_skeletons_as_well(programs, tmp_path):
    """libdwarf reads the skeletons of such an object. They are the library's, and do not count a second time."""
    (tmp_path / "a.c").write_text("int f(int a) { int b = a * 3; return b + a; }\n")
    command = [tool("clang"), "-O2", "-gdwarf-5", "-gsplit-dwarf=single", "-fPIC"]
    subprocess.run([*command, "-c", "a.c", "-o", "a.o"], check=True, cwd=tmp_path)
    subprocess.run([*command, "-shared", "a.o", "-o", "a.so"], check=True, cwd=tmp_path)
    done = programs.run("pyelfprof", "-o", tmp_path / "app.prof", tmp_path / "a.so")
    (row,) = Capture(tmp_path / "app.prof").rows
    assert row["dwo"] == {"missing": 1} and "pyelfprof: 1 of 1 .dwo files cannot be found" in done.stderr
    rows = re.findall(r"^0x[0-9a-f]{16} ", ask("llvm-dwarfdump", "--debug-line", tmp_path / "a.so"), re.M)
    assert (row["dwarf"]["units"], row["dwarf"]["dies"], row["dwarf"]["rows"]) == (1, 1, len(rows))


def overwrite(path, section, content):
    (path.parent / "content").write_bytes(content)
    subprocess.run([tool("objcopy"), "--update-section", f"{section}={path.parent / 'content'}", path], check=True)


def spoil(path):
    """Packs the sections of a file by zstd, and breaks what was packed."""
    if subprocess.run([tool("objcopy"), "--compress-debug-sections=zstd", path], capture_output=True).returncode:
        pytest.skip("this objcopy does not know zstd")
    content = path.read_bytes()
    magic = b"\x28\xb5\x2f\xfd"
    assert magic in content
    path.write_bytes(content.replace(magic, b"none"))


BROKEN = {
    "not read": (lambda path: overwrite(path, ".debug_info.dwo", b"\xff" * 64), "libdwarf cannot read a unit of .debug_info"),
    "not unpacked": (spoil, "has a section that is not compressed as it says"),
    "no ELF file": (lambda path: path.write_bytes(b"nothing"), "is not an ELF file"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_files_that_cannot_be_read(programs, tmp_path, how):
    """Where debug information cannot be read, the row is there without `dwarf`: what is left of it says nothing. A set
    can be made of that."""
    library, files = two_units(tmp_path)
    make, said = BROKEN[how]
    make(files[0])
    done = programs.run("pyelfprof", "-o", tmp_path / "app.prof", library, status=1)
    assert done.stderr.startswith(f"pyelfprof: {files[0]}: {said}") and done.stderr.count("\n") == 1
    (row,) = Capture(tmp_path / "app.prof").rows
    assert "dwarf" not in row and row["split"] == "true" and row["debug"] > 0
    assert row["dwo"]["files"] == 1 and "missing" not in row["dwo"]
    assert row["dwo"]["info"] == section_sizes(files[1])[".debug_info.dwo"]
    programs.run("pyelfprof", "--explain", tmp_path / "app.prof")
    programs.run("pyelfgen", "--profile", tmp_path / "app.prof", "-o", tmp_path / "set", "-q")


def test_a_hostile_name_is_not_opened(programs, tmp_path):
    """A FIFO, a directory and a broken file in the place of .dwo files: the rest is captured, and the broken one named."""
    (tmp_path / "out").mkdir()
    for name in ("first", "second", "third"):
        build(tmp_path, name, 5, flags=["-gsplit-dwarf"])
    first, second, third = (next((tmp_path / "out").glob(f"{name}*.dwo")) for name in ("first", "second", "third"))
    for path in (first, second):
        path.unlink()
    os.mkfifo(first)
    second.mkdir()
    third.write_bytes(b"\x7fELF" + third.read_bytes()[4:900])
    done = programs.run("pyelfprof", "--names", "-o", tmp_path / "app.prof", tmp_path / "out", status=1)
    assert third.name in done.stderr and "2 of 2 .dwo files cannot be found" in done.stderr
    rows = {row["name"]: row for row in Capture(tmp_path / "app.prof").rows}
    assert [rows[f"{name}.so"].get("dwo") for name in ("first", "second")] == [{"missing": 1}] * 2
    assert "debug" in rows["third.so"]
