"""Libraries that no module needs, such as plugins: which of them the driver opens, and that it does."""

import json
import re
import sys

import pytest

# Module 0 needs utility 0. Of the others, 1 needs 2; 3 and 4 need each other; nothing needs 5.
ROWS = """\
pyelfgen-profile: 1
modules: 1
utilities: 6
libraries:
- {kind: module, text: 12000, data: 1600, needed: '1:2'}
- {kind: utility, text: 9000, data: 1200}
- {kind: utility, text: 9000, data: 1200, needed: '3:2'}
- {kind: utility, text: 9000, data: 1200}
- {kind: utility, text: 9000, data: 1200, needed: '5:2'}
- {kind: utility, text: 9000, data: 1200, needed: '4:2'}
- {kind: utility, text: 9000, data: 1200}
"""
OPENED = ["libutility1.so", "libutility3.so", "libutility5.so"]


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("opened")
    (directory / "rows.prof").write_text(ROWS)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return directory / "set"


def loaded(programs, path, *command):
    """The libraries of the set that a run maps, as the dynamic linker sees it."""
    done = programs.command([*command, path], leaks=False, env={"LD_DEBUG": "files"})
    found = re.findall(r"file=(\S+) \[0\];\s+generating link map", done.stderr)
    return {name.rpartition("/")[2] for name in found} & {file.name for file in path.glob("lib*.so")}


def test_the_manifest_says_which(made):
    rows = json.loads((made / "manifest.json").read_text())["libraries"]
    assert [row["name"] for row in rows if row.get("opened")] == OPENED
    assert all(row["opened"] is True for row in rows if "opened" in row)


@pytest.mark.parametrize("options", [(), ("--no-python", "--phases=import")])
def test_a_run_loads_all(programs, made, options):
    done = programs.run("pyelfrun", *options, made)
    assert ", 3 other libraries opened\n" in done.stdout
    found = loaded(programs, made, programs.path("pyelfrun"), "--phases=import", *options[:1])
    assert found == {path.name for path in made.glob("lib*.so")}


def test_the_driver_in_the_set_loads_all(programs, made):
    done = programs.command([sys.executable, "-I", made / "driver.py", "--no-mpi"], leaks=False)
    assert "1 module imported by CPython" in done.stdout and ", 3 other libraries opened\n" in done.stdout
    only = programs.command([sys.executable, "-I", made / "driver.py", "--no-mpi", "--only", "libmodule0"], leaks=False)
    assert "opened" not in only.stdout


def imported(programs, directory, *options):
    """The modules that driver.py imports, in order."""
    command = [sys.executable, "-I", "-v", directory / "driver.py", "--no-mpi", *options]
    return re.findall(r"^import '(\w+)' #", programs.command(command, leaks=False).stderr, re.MULTILINE)


def test_ctypes_is_no_part_of_the_import(programs, made, small):
    """It takes longer than to import a small set. What needs it behind the import imports it there."""
    names = imported(programs, made)
    assert names.index("ctypes") < names.index("libmodulebegin")
    names = imported(programs, small)
    assert names.index("ctypes") > names.index("libmodulefinal")
    assert "ctypes" not in imported(programs, small, "--only", "libmodule0")


def test_from_memory(programs, tmp_path):
    """There libraries that need each other cannot be."""
    (tmp_path / "rows.prof").write_text(ROWS.replace(", needed: '4:2'", ""))
    done = programs.run("pyelfrun", "--memory", tmp_path / "rows.prof")
    assert "from memory, 3 other libraries opened\n" in done.stdout


def test_results_say_it(programs, made, tmp_path):
    programs.run("pyelfrun", "--json", tmp_path / "a.json", made)
    assert json.loads((tmp_path / "a.json").read_text())["set"]["opened"] == 3


def test_one_that_is_missing_is_named(programs, made, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in made.iterdir():
        if path.name != OPENED[1]:
            (copy / path.name).write_bytes(path.read_bytes())
    error = programs.run("pyelfrun", copy, status=1).stderr
    assert error.count("\n") == 1 and "libutility3: cannot be opened: " in error
    error = programs.command([sys.executable, "-I", copy / "driver.py", "--no-mpi"], status=1, leaks=False).stderr
    assert "libutility3: cannot be opened: " in error


def test_a_module_is_not_opened_so(programs, made, tmp_path):
    """The key is for utilities."""
    (tmp_path / "set").mkdir()
    for path in made.iterdir():
        (tmp_path / "set" / path.name).write_bytes(path.read_bytes())
    manifest = tmp_path / "set" / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace('"kind": "module"', '"kind": "module", "opened": true'))
    assert "'opened' is for utilities" in programs.run("pyelfrun", tmp_path / "set", status=1).stderr
    manifest.write_text(text.replace('"opened": true', '"opened": 1', 1))
    assert "'opened' is not true or false" in programs.run("pyelfrun", tmp_path / "set", status=1).stderr


def test_pyelfprobe_loads_them_too(programs, made):
    report = programs.run("pyelfprobe", "--tools=load", "--repeat=1", "--cache=warm", made).stdout
    found = int(re.search(r"^load .* (\d+)$", report, flags=re.M)[1])
    assert found >= len(list(made.glob("lib*.so"))) - 2  # it loads no markers
