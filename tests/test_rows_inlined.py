"""How much of a library's code is in inlined calls, and how many addresses have rows, follows its row in the profile, as
llvm-dwarfdump and readelf show."""

import json
import re

import pytest

from entries import line_rows
from objects import ask, section, tool
from test_inlined import inlined_calls
from test_rows_mix import ROWS

pytestmark = pytest.mark.slow

# Of functions little is told, so that many are described plainly.
ROW = "- " + ROWS.split("\n- ")[3].strip() + "\n"
ROW = ROW.replace("dies: 12491", "dies: 12491, defined: 3000").replace("attributes: 52339, ", "")


def make(programs, directory, more, other=()):
    """Makes a set of libraries with this row; each has some more in `dwarf`, and other texts. Returns their paths."""
    rows = "".join(ROW.replace("entries: 9587", f"entries: 9587{text}") for text in more)
    for text in other:
        rows = rows.replace(text, other[text])
    head = "pyelfgen-profile: 1\ndwarf: {version: 5, language: c, units: 40}\nlibraries:\n"
    (directory / "rows.prof").write_text(head + rows)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return [directory / "set" / f"libmodule{i}.so" for i in range(len(more))]


def covered(path):
    """The code that is in inlined calls, as ranges in the order of the addresses. None has code of another one's."""
    ranges = sorted(r for depth, ranges in inlined_calls(path) if depth == 1 for r in ranges)
    assert all(one[1] <= other[0] for one, other in zip(ranges, ranges[1:]))
    return ranges


WANTED = [6000, 12000, 20000, 30000]


@pytest.fixture(scope="module")
def libraries(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("inlined"), ["", *(f", inlined: {bytes}" for bytes in WANTED)])


@pytest.mark.alike(1)
def test_as_much_code_is_in_inlined_calls_as_the_row_says(libraries):
    bytes_of = [sum(end - begin for begin, end in covered(path)) for path in libraries]
    assert bytes_of[0] < WANTED[0]
    assert bytes_of[1:] == [pytest.approx(wanted, rel=0.04) for wanted in WANTED]


def test_what_is_told_is_what_a_capture_finds(programs, libraries):
    told = json.loads((libraries[0].parent / "differences.json").read_text())["libraries"]
    for path, library, wanted in zip(libraries[1:], told[1:], WANTED):
        said = dict(re.findall(r"(\w+): (\d+)", programs.run("pyelfprof", "-o", "-", path).stdout))
        assert library["differs"].get("dwarf: inlined", [wanted, wanted]) == [wanted, int(said["inlined"])]


def test_calls_of_the_code_are_valid_and_have_rows_of_a_header(libraries):
    path = libraries[-1]
    assert "No errors" in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", path, timeout=600)
    start, _, size = section(path, ".text")
    files = {}
    for address, (file, _), _ in line_rows(path):
        files.setdefault(address, set()).add(file)
    for begin, end in covered(path):
        assert start <= begin < end <= start + size
        assert any(file.endswith(".h") for file in files[begin])


def test_where_rows_have_addresses_of_their_own_more_addresses_have_rows(programs, tmp_path):
    """Here are as few rows for the code as clang's tables have."""
    few = {"rows: 16683": "rows: 8000", "line: 65561": "line: 38000"}
    paths = make(programs, tmp_path, [", addresses: 7900, inlined: 12000"], few)
    (tmp_path / "usual").mkdir()
    paths += make(programs, tmp_path / "usual", [", addresses: 4000, inlined: 12000"], few)
    own, usual = ([address for address, _, _ in line_rows(path)] for path in paths)
    assert len(own) == pytest.approx(len(usual), rel=0.02)
    assert len(set(own)) > 1.1 * len(set(usual))
