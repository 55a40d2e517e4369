"""`./dev twins`: its table, and what it says about applications that are absent and ratios that are outside."""

import re
import sys

import pytest

import twins
from conftest import SOURCE
from objects import tool
from test_twin import build


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A directory with a module and a library that it needs, compiled by gcc."""
    directory = tmp_path_factory.mktemp("compiled")
    (directory / "out").mkdir()
    build(directory, "base_numerics", 40)
    build(directory, "alpha_transport", 35, [("base_numerics", 40)], module=True)
    return directory / "out"


def run(programs, directory, *arguments, status=None):
    command = [sys.executable, SOURCE / "tests" / "twins.py", "--directory", directory, *arguments]
    environment = {"PYELFGEN_BUILD": str(programs.build)}
    return programs.command(command, status=status, leaks=False, env=environment, timeout=600)


def table(text):
    """{label: cell} of a table with one application."""
    return dict(re.findall(r"^\| (\S.*?) +\| (\S.*?) +\|$", text, flags=re.M))


def check_table(done, cells):
    """Asserts that the sizes are equal in both libraries, and that the status is 1 only if something is OUTSIDE."""
    assert [cells[size] for size in ("libraries", "text", "data", "debug", "symtab", "strtab")] == ["2"] * 6
    assert cells["needed.same-symbols"] == "1"
    assert done.returncode == ("OUTSIDE" in done.stdout), done.stderr


def test_what_is_equal(programs, compiled, tmp_path):
    done = run(programs, tmp_path, "--no-behaviour", "--pynamic", compiled, "pynamic")
    cells = table(done.stdout)
    check_table(done, cells)
    assert re.fullmatch(r"\d+/\d+/\d+", cells["quantities of the set"])
    assert re.fullmatch(r"\d+ of \d+, \d of 2 rows", cells["profile of its twin"])
    assert re.match(r"[01]\.\d\d of 0\.0\d MB", cells["zstd -3"])
    assert "load" not in cells
    for name in ("compared.json", "values-compared.html", "profile-of-its-twin.txt", "twin/manifest.json"):
        assert (tmp_path / "pynamic" / name).exists(), name


@pytest.mark.long
@pytest.mark.slow
def test_how_it_behaves(programs, compiled, tmp_path):
    tool("gdb")
    done = run(programs, tmp_path, "--repeat=1", "--pynamic", compiled, "pynamic")
    cells = table(done.stdout)
    check_table(done, cells)
    for label, *_ in twins.BEHAVIOUR:
        assert re.match(r"\d+\.\d\d of [\d.,]+", cells[label]), (label, cells[label])


def test_paths_are_as_long_as_the_real_ones(tmp_path, monkeypatch):
    """Links make the paths as long as wanted and are removed afterwards. Paths that would be too short get SHORTEST
    characters."""
    made = [tmp_path / "twin" / "libutility0.so"]
    made[0].parent.mkdir()
    made[0].write_text("")
    place = tmp_path / "t"
    place.mkdir()
    monkeypatch.setattr(twins.tempfile, "tempdir", str(place))
    for length in (len(str(place)) + 30, len(str(place)) + 90):
        with twins.paths_as_long(made[0].parent, ["x" * length], made) as (path,):
            assert len(str(path)) == length and path.samefile(made[0]) and path.resolve() == path
        assert not list(place.iterdir()) and made[0].exists()
    with twins.paths_as_long(made[0].parent, ["x"], made) as (path,):
        assert len(str(path.parent)) == len(str(place)) + 1 + twins.SHORTEST


def test_what_is_absent(programs, tmp_path):
    done = run(programs, tmp_path, "--python", tmp_path / "none", "lib-dynload", "pynamic", status=1)
    assert "lib-dynload: absent: " in done.stdout and "--python names a CPython" in done.stdout
    assert "pynamic: absent: --pynamic names" in done.stdout
    assert "lib-dynload is absent; pynamic is absent" in done.stderr


def test_what_is_unknown(programs, tmp_path):
    done = run(programs, tmp_path, "numpie", status=2)
    assert "no application numpie; there are lib-dynload, numpy, " in done.stderr


def measured(wall, status="done"):
    """A report of pyelfprobe about loading, with this ratio of seconds or with a twin that was not measured."""
    common = {"tool": "load", "step": "whole", "cache": "warm"}
    sample = {"wall-seconds": 2.0, "cpu-seconds": 1.0, "page-faults": 100, "peak-bytes": 1}
    done = [{**common, "application": i, "status": "done", "median": sample} for i in (0, 1)]
    if status != "done":
        return {"measurements": [done[0], {**common, "application": 1, "status": status, "reason": "because"}]}
    ratio = {**common, "wall": wall, "cpu": 3.0, "page-faults": 1.0}
    return {"measurements": done, "ratios": [ratio]}


@pytest.mark.parametrize("wall, said", [(0.79, " OUTSIDE"), (0.8, ""), (1.25, ""), (1.26, " OUTSIDE")])
def test_what_is_outside(tmp_path, wall, said):
    """A ratio of seconds is outside below 0.8 and above 1.25; one of processor time never is."""
    twin = twins.Twin(tmp_path, tmp_path / "twin", 1)
    twin.take(measured(wall))
    assert twin.cells["load"] == f"{wall:.2f} of 2.0000 s{said}"
    assert twin.cells["load, CPU"] == "3.00 of 1.0000 s"
    assert twin.outside == (["load"] if said else [])


def test_what_has_failed_is_outside(tmp_path, capsys):
    twin = twins.Twin(tmp_path, tmp_path / "twin", 1)
    twin.take(measured(1, "failed"))
    assert twin.cells["load"] == "failed" and "load" in twin.outside
    assert "load: twin: because" in capsys.readouterr().out
