"""Visit marks of libraries whose rows have no dynamic objects. The marks are there, no dynamic symbol leads to them,
and both drivers find them where the manifest says.
"""

import json
import re
import sys

import pytest

from objects import ask, tool

ROWS = """\
- {kind: module, text: 30000, data: 2500, bss: 900, functions: 50, dynamic: {functions: 50, objects: 0, undefined: 30},
   needed: '1:5'}
- {kind: utility, text: 30000, data: 2500, bss: 900, debug: 60000, symtab: 2400, strtab: 4000, functions: 50,
   dynamic: {functions: 20, objects: 0}}
- {kind: utility, text: 30000, data: 2500, bss: 900, functions: 50, dynamic: {functions: 50, objects: 3}}
- {kind: utility, text: 30000, data: 2500, bss: 180, functions: 50, dynamic: {functions: 50, objects: 0}, tls: 100}
- {kind: utility, text: 30000, data: 2500, bss: 900, functions: 50}
"""
NAMES = ["libmodule0.so", "libutility0.so", "libutility1.so", "libutility2.so", "libutility3.so"]


@pytest.fixture
def made(programs, tmp_path):
    text = "\n".join(["pyelfgen-profile: 1", "libraries:", ROWS])
    (tmp_path / "rows.prof").write_text(text)
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set")
    return tmp_path / "set"


def libraries_of(directory):
    manifest = json.loads((directory / "manifest.json").read_text())
    return {library["name"]: library for library in manifest["libraries"]}


def said_by_drivers(programs, directory, status):
    """Runs driver.py and pyelfrun, which complain in the same words, with this status."""
    driver = [sys.executable, directory / "driver.py", "--no-mpi"]
    pyelfrun = [programs.path("pyelfrun"), "--quiet", directory]
    return [programs.command(command, status=status, leaks=False) for command in (driver, pyelfrun)]


def change(directory, old, new):
    """Replaces the first occurrence in the manifest."""
    path = directory / "manifest.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_dynamic_objects_are_those_of_the_row(made):
    told = json.loads((made / "differences.json").read_text())["libraries"]
    for library in told:
        assert "dynamic: objects" not in library["differs"]
    counts = [ask("readelf", "--dyn-syms", "-W", made / name).count(" OBJECT ") for name in NAMES]
    assert counts == [0, 0, 3, 0, 1]


def test_the_manifest_says_where_marks_are(made):
    libraries = libraries_of(made)
    assert ["marks-at" in libraries[name] for name in NAMES] == [True, True, False, False, False]
    symbols = ask("readelf", "--symbols", "-W", made / "libutility0.so")
    at, size = re.search(r": (\w+) +(\d+) OBJECT +LOCAL .* u0_visits$", symbols, flags=re.M).groups()
    assert int(at, 16) == libraries["libutility0.so"]["marks-at"]
    assert int(size) == libraries["libutility0.so"]["marks"] >= libraries["libutility0.so"]["functions"] > 0


def test_marks_give_way_to_thread_local_memory(made):
    """The row's thread-local memory is complete. What is left is not enough for marks."""
    assert libraries_of(made)["libutility2.so"]["marks"] == 0
    told = json.loads((made / "differences.json").read_text())["libraries"]
    [library] = [library for library in told if library["name"] == "libutility2.so"]
    assert library["without"] == ["visit marks"]
    assert "tls" not in library["differs"]
    [segment] = re.findall(r"^ +TLS +.*$", ask("readelf", "-lW", made / "libutility2.so"), flags=re.M)
    assert int(segment.split()[5], 16) == 100


def test_both_drivers_count_them(programs, made):
    for done in said_by_drivers(programs, made, 0):
        assert done.stderr == ""
    marks = libraries_of(made)["libmodule0.so"]
    change(made, f'"marks-at": {marks["marks-at"]}', f'"marks-at": {marks["marks-at"] + marks["marks"]}')
    for done in said_by_drivers(programs, made, 1):  # no marks are set behind the real ones
        assert re.search(r": libmodule0: \d+ marks are set, the manifest says \d+; ", done.stderr)


@pytest.mark.parametrize("at", [16, 2**39])
def test_marks_that_cannot_be(programs, made, at):
    """The address leads to memory that the library cannot write, or to memory outside of it."""
    marks = libraries_of(made)["libmodule0.so"]
    change(made, f'"marks-at": {marks["marks-at"]}', f'"marks-at": {at}')
    said = {re.sub(r"^\S+: rank 0 on \S+: ", "", done.stderr) for done in said_by_drivers(programs, made, 1)}
    wanted = f"libmodule0: has no memory for {marks['marks']} marks at 0x{at:x}; check the set with pyelfgen --verify\n"
    assert said == {wanted}


def test_an_address_that_is_none(programs, made):
    change(made, '"marks-at": ', '"marks-at": -')
    for done in said_by_drivers(programs, made, None):
        assert done.returncode != 0 and "'marks-at' is" in done.stderr


def test_readers_have_nothing_to_complain_of(made):
    for name in NAMES:
        assert ask(tool("eu-elflint"), "--gnu-ld", made / name) == "No errors\n"
        ask("readelf", "-aW", made / name)
    ask("gdb", "-batch", "-ex", "print u0_visits[0]", made / "libutility0.so")
