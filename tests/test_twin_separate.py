"""Twins of applications in which some libraries have debug files, found by build-id or by debug link."""

import json
import re
import subprocess

import pytest

from captures import Capture, flow
from objects import ask, tool
from test_twin import Twin, build, check_quantities, check_sizes

SEPARATE, WHOLE, STRIPPED = ["base", "side", "entry"], "middle", "bare"


def split(library, kind, directory):
    """Moves a library's symbols and debug information into a file that its build-id or its debug link leads to."""
    if kind == "build-id":
        identity = re.search(r"Build ID: (\w+)", ask("readelf", "-n", library))[1]
        debug = directory / ".build-id" / identity[:2] / f"{identity[2:]}.debug"
    else:
        debug = library.parent / ".debug" / f"{library.name}.debug"
    debug.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([tool("objcopy"), "--only-keep-debug", library, debug], check=True)
    link = [f"--add-gnu-debuglink={debug}"] if kind == "debuglink" else []
    subprocess.run([tool("objcopy"), "--strip-all", *link, library], check=True)


@pytest.fixture(scope="module", params=["build-id", "debuglink"])
def separate(programs, tmp_path_factory, request):
    """The twin of five libraries: three have debug files, one has its debug information in place, one is stripped."""
    directory = tmp_path_factory.mktemp("separate")
    (directory / "out").mkdir()
    build(directory, "base", 40)
    build(directory, WHOLE, 25, [("base", 40)])
    build(directory, "side", 30)
    build(directory, "entry", 35, [(WHOLE, 25), ("side", 30)], module=True)
    build(directory, STRIPPED, 20, [("base", 40)])
    for name in SEPARATE:
        split(directory / "out" / f"{name}.so", request.param, directory / "debug")
    subprocess.run([tool("strip"), directory / "out" / f"{STRIPPED}.so"], check=True)
    (directory / "debug").mkdir(exist_ok=True)
    twin = Twin(programs, directory / "out", directory / "twin", "--names", "--debug-dir", directory / "debug")
    twin.kind = request.param
    return twin


def header(path):
    return flow(Capture(path).top["dwarf"][1:-1])


@pytest.mark.alike(1)
@pytest.mark.slow
def test_the_header_says_how_they_are_found(separate):
    for name in ("real", "made"):
        assert header(separate.directory / f"{name}.prof")["separate"] == separate.kind


def test_each_row_says_whether_there_is_one(separate):
    wanted = {f"{name}.so": "true" for name in SEPARATE} | {f"{name}.so": None for name in (WHOLE, STRIPPED)}
    assert {row["name"]: row.get("debug-file") for row in separate.real} == wanted
    for mine, row in zip(separate.made, separate.real, strict=True):
        assert mine.get("debug-file") == row.get("debug-file")
        assert ("debug" in mine) == ("debug" in row) == (row["name"] != f"{STRIPPED}.so")


def test_there_are_no_other_debug_files(separate):
    """Libraries have debug files if their rows say so. The markers, which have no rows, have them too."""
    made = {row["name"]: row for row in separate.made}
    for library in sorted(separate.path.glob("*.so")):
        place = f"--debuginfo-path=:{separate.path}"
        found = ask("eu-unstrip", "-n", place, "-e", library).split()[3]
        if library.name in made and "debug-file" not in made[library.name]:
            assert found == ("." if "debug" in made[library.name] else "-")
        elif separate.kind == "build-id":
            assert found.startswith(f"{separate.path}/.build-id/")
        else:
            assert found == f"{library}.debug"
    listed = json.loads((separate.path / "manifest.json").read_text())["libraries"]
    assert sum("debug-file" in row for row in listed) == len(SEPARATE) + 2


def test_sizes_and_quantities(separate):
    check_sizes(separate)
    check_quantities(separate)
    assert not [row for row in separate.differences().values() if "debug-file" in row]


def test_a_twin_of_the_twin_is_the_same(programs, separate, tmp_path):
    again = Twin(programs, separate.path, tmp_path / "again")
    assert header(tmp_path / "again" / "made.prof") == header(separate.directory / "made.prof")
    check_sizes(again)
    assert [row.get("debug-file") for row in again.made] == [row.get("debug-file") for row in again.real]


def test_compared(programs, separate):
    """pyelfstat --compare finds all quantities of debug files equal."""
    profiles = [separate.directory / f"{name}.prof" for name in ("real", "made")]
    said = programs.run("pyelfstat", "--compare", "--match", "order", "--json", "-", *profiles, status=None).stdout
    rows = [row for row in json.loads(said)["set"] if row["name"].startswith("debug-file")]
    assert rows and {row["state"] for row in rows} == {"equal"}


def test_it_is_whole_and_runs(programs, separate):
    programs.run("pyelfgen", "--verify", separate.path)
    driver = ["/usr/bin/python3", separate.path / "driver.py", "--no-mpi"]
    assert "every result right" in programs.command(driver, leaks=False, timeout=60).stdout


def test_all_are_separate_where_rows_do_not_say(programs, separate, tmp_path):
    """If no row says anything, --separate is for all libraries that have debug information."""
    profile = tmp_path / "unsaid.prof"
    text = (separate.directory / "real.prof").read_text().replace(", debug-file: true", "")
    profile.write_text(re.sub(r", separate: [\w-]+", "", text))
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q", "--separate=debuglink")
    libraries = json.loads((tmp_path / "set" / "manifest.json").read_text())["libraries"]
    rows = [row for row in libraries if row["name"] not in ("libmodulebegin.so", "libmodulefinal.so")]
    assert {"debug-file" in row for row in rows if row["debug"]} == {True}
    assert ["debug-file" in row for row in rows if not row["debug"]] == [False]


def test_without_a_build_id_there_is_a_link(programs, tmp_path):
    rows = [
        "{kind: utility, text: 30000, data: 3000, bss: 500, debug: 60 kB, symtab: 2400, strtab: 2000, functions: 40%s}" % more
        for more in ("", ", build-id: false", ", debug-file: false")
    ]
    profile = tmp_path / "rows.prof"
    profile.write_text("pyelfgen-profile: 1\ndwarf: {separate: build-id}\nlibraries:\n- " + "\n- ".join(rows) + "\n")
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q")
    libraries = json.loads((tmp_path / "set" / "manifest.json").read_text())["libraries"]
    names = {row["name"]: row.get("debug-file", {}).get("name", "none") for row in libraries}
    assert names["libutility0.so"].startswith(".build-id/")
    assert names["libutility1.so"] == "libutility1.so.debug"
    assert names["libutility2.so"] == "none"
    said = ask("eu-unstrip", "-n", "-e", tmp_path / "set" / "libutility1.so")
    assert said.split()[3] == f"{tmp_path}/set/libutility1.so.debug"
