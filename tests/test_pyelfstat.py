"""pyelfstat from outside: tables, JSON, manifests that contradict the files, and broken files."""

import json
import os
import re
import shutil

import pytest

from objects import FIVE, sizes_by_binutils

COLUMNS = FIVE + ["total", "bss"]


def entry(name, kind="module", **more):
    """Returns a row of a manifest. Its sizes are wrong on purpose: pyelfstat must not rely on them."""
    row = {"name": name, "kind": kind, "file": 1, "xxh3-128": "0" * 32, **dict.fromkeys([*FIVE, "bss"], 1)}
    row.update(functions=0, visited=0, marks=0, marked=0)
    if kind != "utility":
        row.update(entry="entry", result=0)
    return {**row, **more}


@pytest.fixture
def make_set(tmp_path, tiny_library):
    """Makes a set of copies of the tiny library, with markers. `change` replaces keys of its manifest."""

    def make(libraries, /, wanted=None, name="set", manifest=True, **change):
        directory = tmp_path / name
        directory.mkdir()
        for library in libraries:
            shutil.copy(tiny_library, directory / library["name"])
        kinds = [library["kind"] for library in libraries]
        libraries = [
            entry("libmodulebegin.so", "marker"),
            *(library for library in libraries if library["kind"] == "module"),
            entry("libmodulefinal.so", "marker"),
            *(library for library in libraries if library["kind"] == "utility"),
        ]
        content = {
            "pyelfgen-manifest": 1,
            "version": "0.1.0",
            "application": "A tiny one",
            "wanted": wanted,
            "actual": dict.fromkeys(FIVE, len(kinds)),
            "modules": kinds.count("module"),
            "utilities": kinds.count("utility"),
            "functions": 0,
            "libraries": libraries,
            **change,
        }
        if manifest:
            (directory / "manifest.json").write_text(json.dumps(content))
        return directory

    return make


@pytest.fixture
def stat_json(programs):
    def stat(*arguments, **options):
        return json.loads(programs.run("pyelfstat", "--json", *arguments, **options).stdout)

    return stat


def test_sums_are_those_of_the_files(make_set, stat_json, tiny_library):
    one = sizes_by_binutils(tiny_library)
    wanted = {"text": one["text"] * 3 + 8, "data": one["data"], "debug": 0, "symtab": 24, "strtab": one["strtab"] * 3}
    libraries = [entry("libmodule0.so"), entry("libmodule1.so"), entry("libutility0.so", "utility")]
    report = stat_json(make_set(libraries, wanted))
    assert list(report) == ["pyelfstat", "sets", "files", "errors"]
    (found,) = report["sets"]
    assert found["application"] == "A tiny one"
    assert found["libraries"] == 3 and found["unreadable"] == 0
    assert found["actual"] == {column: one[column] * 3 for column in COLUMNS}
    assert found["wanted"] == {**wanted, "total": sum(wanted.values()), "bss": None}
    assert found["difference"] == {
        column: one[column] * 3 - found["wanted"][column] if column != "bss" else None for column in COLUMNS
    }
    assert report["files"] == [] and report["errors"] == []


def test_table(make_set, programs, tiny_library):
    one = sizes_by_binutils(tiny_library)
    wanted = {
        "text": 287_000_000,
        "data": one["data"] * 2,
        "debug": one["debug"] * 2 - 7,
        "symtab": 0,
        "strtab": 0,
        "bss": one["bss"] * 2,
    }
    directory = make_set([entry("libmodule0.so"), entry("libutility0.so", "utility")], wanted)
    lines = programs.run("pyelfstat", directory).stdout.splitlines()
    assert len(lines) == 5
    assert lines[0] == f"{directory}: A tiny one, 2 libraries"
    assert lines[1].split() == COLUMNS
    assert lines[2].split()[:4] == ["wanted,", "MB", "287.000", f"{one['data'] * 2 / 1e6:.3f}"]
    assert lines[3].split()[:3] == ["actual,", "MB", f"{one['text'] * 2 / 1e6:.3f}"]
    assert lines[4].split() == [
        "difference,",
        "bytes",
        str(one["text"] * 2 - 287_000_000),
        "0",
        "+7",
        f"+{one['symtab'] * 2}",
        f"+{one['strtab'] * 2}",
        str(one["total"] * 2 - sum(wanted[size] for size in FIVE)),
        "0",
    ]
    assert len({len(line) for line in lines[1:]}) == 1


def test_nothing_wanted(make_set, programs, stat_json):
    directory = make_set([entry("libmodule0.so")], None)
    lines = programs.run("pyelfstat", directory).stdout.splitlines()
    assert lines[0].endswith(", 1 library")
    assert lines[2].split() == ["wanted,", "MB"] + ["-"] * 7
    assert lines[4].split() == ["difference,", "bytes"] + ["-"] * 7
    (found,) = stat_json(directory)["sets"]
    assert set(found["wanted"].values()) == {None} and set(found["difference"].values()) == {None}


def test_single_sizes_wanted(make_set, stat_json):
    (found,) = stat_json(make_set([entry("libmodule0.so")], {"text": 5, "data": None}))["sets"]
    assert found["wanted"] == {**dict.fromkeys(COLUMNS), "text": 5}


def test_each(make_set, programs, stat_json, tiny_library):
    one = sizes_by_binutils(tiny_library)
    directory = make_set([entry("libmodule10.so"), entry("libmodule9.so")])
    lines = programs.run("pyelfstat", "--each", directory).stdout.splitlines()
    assert lines[5] == ""
    assert lines[6].split() == ["bytes", *COLUMNS, "file"]
    numbers = [str(one[column]) for column in COLUMNS]
    assert lines[7].split() == [*numbers, "libmodule10.so"]
    assert lines[8].split() == [*numbers, "libmodule9.so"]
    assert lines[9].split() == [*(str(one[column] * 2) for column in COLUMNS), "(all)"]
    assert len(lines) == 10
    (found,) = stat_json("--each", directory)["sets"]
    assert found["each"] == [{"name": name, "sizes": one} for name in ("libmodule10.so", "libmodule9.so")]


def test_directory_without_manifest(make_set, stat_json):
    names = ["lib10.so", "lib9.so", "lib9a.so", "libmodulebegin.so"]
    directory = make_set([entry(name) for name in names], manifest=False)
    for other in ("notes.txt", "lib9.so.1", ".lib.so", ".so"):
        (directory / other).write_text("not a library")
    (found,) = stat_json("--each", directory)["sets"]
    assert [row["name"] for row in found["each"]] == ["lib9.so", "lib9a.so", "lib10.so", "libmodulebegin.so"]
    assert set(found["wanted"].values()) == {None}


def test_incomplete_set(make_set, programs):
    directory = make_set([entry("libmodule0.so"), entry("libmodule1.so")], manifest=False)
    assert programs.run("pyelfstat", directory).stderr == ""
    said = f"pyelfstat: {directory}: looks like an incomplete set; numbers are those of the files that are there; run pyelfgen again\n"
    for left in (".libmodule2.so.tmp", "libmodulebegin.so"):
        shutil.copy(directory / "libmodule0.so", directory / left)
        done = programs.run("pyelfstat", directory)
        assert done.stderr == said and f"{directory}: {2 + (left[0] != '.')} libraries" in done.stdout
        (directory / left).unlink()


def test_each_file_counts_once(make_set, stat_json, tmp_path):
    """The file counts under its own name. If only links to it are there, it counts under the name of one of them."""
    directory = make_set([entry("lib5.so"), entry("lib7.so")], manifest=False)
    (directory / "lib7.so").rename(tmp_path / "elsewhere")
    (directory / "lib0.so").symlink_to("lib5.so")
    os.link(directory / "lib5.so", directory / "lib6.so")
    for name in ("lib7.so", "lib8.so"):
        (directory / name).symlink_to(tmp_path / "elsewhere")
    (found,) = stat_json("--each", directory)["sets"]
    assert [row["name"] for row in found["each"]] == ["lib5.so", "lib7.so"] and found["libraries"] == 2


def test_empty_directory(programs, tmp_path):
    done = programs.run("pyelfstat", tmp_path, status=1)
    assert done.stderr == f"pyelfstat: {tmp_path}: has neither a manifest.json nor any *.so\n"
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.so").write_bytes(b"")
    done = programs.run("pyelfstat", tmp_path, status=1)
    said = "has neither a manifest.json nor any *.so, but 1 in directories below it; name these"
    assert done.stderr == f"pyelfstat: {tmp_path}: {said}\n"
    assert done.stdout == ""


def test_files(programs, stat_json, tiny_library):
    other = shutil.which("ls")
    expected = [{"name": str(path), "sizes": sizes_by_binutils(path)} for path in (tiny_library, other)]
    assert stat_json(tiny_library, other)["files"] == expected
    lines = programs.run("pyelfstat", tiny_library, other).stdout.splitlines()
    assert lines[1].split() == [*(str(expected[0]["sizes"][column]) for column in COLUMNS), str(tiny_library)]
    assert lines[3].split()[-1] == "(all)"


def test_sets_and_files_together(make_set, programs, tiny_library):
    first, second = (make_set([entry("libmodule0.so")], name=name) for name in ("first", "second"))
    blocks = programs.run("pyelfstat", tiny_library, first, second).stdout.split("\n\n")
    assert len(blocks) == 3
    assert blocks[0].startswith(f"{first}: ") and blocks[1].startswith(f"{second}: ")
    assert blocks[2].startswith("bytes") and blocks[2].endswith(f"{tiny_library}\n")


def test_broken_file_costs_only_its_row(make_set, programs, stat_json, tiny_library):
    one = sizes_by_binutils(tiny_library)
    directory = make_set([entry(f"libmodule{i}.so") for i in range(4)])
    whole = (directory / "libmodule1.so").read_bytes()
    (directory / "libmodule1.so").write_bytes(whole[: len(whole) // 2])
    (directory / "libmodule2.so").unlink()
    done = programs.run("pyelfstat", "--each", directory, status=1)
    complaints = done.stderr.splitlines()
    assert complaints[0].startswith(f"pyelfstat: {directory}/libmodule1.so: has its section headers")
    assert complaints[1] == f"pyelfstat: {directory}/libmodule2.so: cannot open: No such file or directory"
    assert len(complaints) == 2
    assert "4 libraries, 2 of them not readable and not counted" in done.stdout
    report = stat_json(directory, status=1)
    assert report["sets"][0]["actual"]["text"] == one["text"] * 2
    assert [os.path.basename(error["file"]) for error in report["errors"]] == ["libmodule1.so", "libmodule2.so"]


def test_what_is_no_file(programs, tmp_path, tiny_library):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "text").write_text("text")
    done = programs.run(
        "pyelfstat", tmp_path / "fifo", tiny_library, tmp_path / "text", tmp_path / "absent", status=1, timeout=60
    )
    assert done.stderr.splitlines() == [
        f"pyelfstat: {tmp_path}/fifo: is not a regular file",
        f"pyelfstat: {tmp_path}/text: is not an ELF file",
        f"pyelfstat: {tmp_path}/absent: cannot open: No such file or directory",
    ]
    assert str(tiny_library) in done.stdout


def test_what_belongs_elsewhere(programs, tmp_path):
    """Complaints about options and files of another report name that report."""
    done = programs.run("pyelfstat", "--html", "a.html", "a.prof", "twin", status=2)
    assert done.stderr == "pyelfstat: --html is of --compare: give that too; see pyelfstat --compare --help\n"
    done = programs.run("pyelfstat", "--full", tmp_path, status=2)
    assert done.stderr == "pyelfstat: --full is of --compare: give that too; see pyelfstat --compare --help\n"
    for options in (["--told"], ["--without", "zstd.*"]):
        done = programs.run("pyelfstat", *options, "a.prof", "twin", status=2)
        assert done.stderr == f"pyelfstat: {options[0]} is of --compare: give that too; see pyelfstat --compare --help\n"
    (tmp_path / "a.json").write_text('{"pyelfrun-results": 1}')
    done = programs.run("pyelfstat", tmp_path / "a.json", status=1)
    assert done.stderr == f"pyelfstat: {tmp_path}/a.json: is not an ELF file, but results of pyelfrun; give --runs for these\n"


def test_directories_below_are_told(programs, tmp_path, tiny_library):
    for name in ("", "one", "one/two", ".hidden"):
        (tmp_path / "top" / name).mkdir(exist_ok=True, parents=True)
    for name in ("a.so", "one/b.so", "one/two/c.so", "one/d.txt"):
        shutil.copy(tiny_library, tmp_path / "top" / name)
    (tmp_path / "top" / "link").symlink_to(tmp_path / "top" / "one")
    done = programs.run("pyelfstat", tmp_path / "top")
    assert "top: 1 library\n" in done.stdout or "top: 1 libraries\n" in done.stdout
    assert done.stderr == (
        f"pyelfstat: {tmp_path}/top: 2 more *.so in directories below it are not counted; name these too\n"
    )
    assert programs.run("pyelfstat", tmp_path / "top" / "one" / "two").stderr == ""


# test_manifest.c has the other errors that a manifest may have.
@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"pyelfgen-manifest": 2}, "the manifest has version 2, this program reads 1"),
        ({"libraries": {}}, "'libraries' is not a list"),
        ({"libraries": [entry("../x.so")]}, "row 1 of 'libraries': 'name' has a '/'"),
        ({"libraries": [entry("a\x1b[31m.so")]}, "row 1 of 'libraries': 'name' has control characters"),
        ({"application": "evil \x1b]0;title\x07"}, "'application' has control characters"),
        ({"wanted": 5}, "'wanted' is neither null nor an object"),
        ({"wanted": {"text": 2**63}}, "wanted: 'text' is too large"),
        ({"actual": dict.fromkeys(FIVE, 1)}, "actual: 'text' is 1, but the libraries have 0"),
    ],
)
def test_manifest_that_lies(make_set, programs, change, complaint):
    directory = make_set([], **change)
    done = programs.run("pyelfstat", directory, status=1)
    assert done.stderr.startswith(f"pyelfstat: {directory}/manifest.json:")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1 and done.stdout == ""


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "ends in the middle"),
        ('{"pyelfgen-manifest": 1,\n', "ends in the middle"),
        ("[]", "is not a manifest of pyelfgen"),
        ('{\n"a": }', "is not JSON: "),
        ("{} x", "has something after its end"),
        ('{"a": "\\ud800"}', "there is no key 'pyelfgen-manifest'"),
        ('{"a": ' + "[" * 100000, "is not JSON: nesting too deep"),
    ],
    ids=str.split("empty cut list broken more foreign deep"),
)
def test_manifest_that_is_none(tmp_path, programs, text, complaint):
    (tmp_path / "manifest.json").write_text(text)
    done = programs.run("pyelfstat", tmp_path, status=1)
    assert re.match(re.escape(f"pyelfstat: {tmp_path}/manifest.json:") + "([0-9]+:)? ", done.stderr)
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_manifest_error_has_its_line(tmp_path, programs):
    (tmp_path / "manifest.json").write_text('{\n\n"a": }')
    assert f"{tmp_path}/manifest.json:3: is not JSON" in programs.run("pyelfstat", tmp_path, status=1).stderr


def test_manifest_cut_anywhere(make_set, programs, tmp_path):
    text = (make_set([entry("libmodule0.so")], {"text": 1}) / "manifest.json").read_bytes()
    cut = []
    for size in range(0, len(text), 5):
        (tmp_path / f"cut{size}").mkdir()
        (tmp_path / f"cut{size}" / "manifest.json").write_bytes(text[:size])
        cut.append(tmp_path / f"cut{size}")
    done = programs.run("pyelfstat", *cut, status=1)
    assert len(done.stderr.splitlines()) == len(cut)
    assert done.stdout == ""


def test_manifest_that_is_no_file(tmp_path, programs):
    os.mkfifo(tmp_path / "manifest.json")
    done = programs.run("pyelfstat", tmp_path, status=1, timeout=60)
    assert done.stderr.startswith(f"pyelfstat: {tmp_path}/manifest.json: is not a regular file; ")


def test_foreign_text_is_made_presentable(make_set, programs, stat_json, tiny_library, tmp_path):
    out = programs.run("pyelfstat", make_set([entry("libmodule0.so")], application="name ü")).stdout
    assert "name ü, 1 library" in out.encode("utf-8", "surrogateescape").decode()
    bare = make_set([entry("lib\x1b[31m.so")], name="bare", manifest=False)
    assert " lib?[31m.so\n" in programs.run("pyelfstat", "--each", bare).stdout
    strange = os.fsencode(tmp_path) + b"/\xff\xfe.so"
    shutil.copy(tiny_library, strange)
    assert stat_json(os.fsdecode(strange))["files"][0]["name"] == f"{tmp_path}/??.so"


def test_command_line(programs):
    assert programs.run("pyelfstat", status=2).stderr == "pyelfstat: no SET or FILE is given; see --help\n"
    assert programs.run("pyelfstat", "--runs", status=2).stderr == "pyelfstat: no RESULTS are given; see --help\n"
    assert "no option '--nonsense'" in programs.run("pyelfstat", "--nonsense", status=2).stderr
    assert "takes no argument" in programs.run("pyelfstat", "--json=1", "x", status=2).stderr
    helped = programs.run("pyelfstat", "--help").stdout
    assert helped.startswith("Usage: pyelfstat [OPTION]... SET|FILE...\n")
    assert max(map(len, helped.splitlines())) <= 80
    assert re.match(r"pyelfstat \(pyelfgen\) \d+\.\d+\.\d+\n", programs.run("pyelfstat", "--version").stdout)


def test_full_disk_is_noticed(programs, tiny_library):
    with open("/dev/full", "w") as full:
        done = programs.run("pyelfstat", tiny_library, status=1, stdout=full)
    assert done.stderr == "pyelfstat: standard output: cannot write: No space left on device\n"
