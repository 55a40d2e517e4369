"""As many rows of the line table begin a statement as in gcc's optimised code, among them all that debuggers need."""

import collections
import re
import subprocess

import pytest

from objects import ask, counted_libraries, functions, tool
from sets import SECTIONS, profile_text

pytestmark = pytest.mark.slow

ROW = re.compile(r"^0x([0-9a-f]{16}) +(\d+) +\d+ +(\d+) +\d+ +\d+ +(.*)$", re.M)
Row = collections.namedtuple("Row", "address line file begins ends")
SOURCE_FILE = 1
# In code of -O1 to -O3, 0.38 to 0.54 of the rows begin a statement; 0.32 to 0.55 differ in that from the row before.
SHARE, TURNS = (0.38, 0.56), (0.32, 0.56)
COMPILED = """
#include <stdlib.h>
struct node { struct node *next; long value; };
static inline long weigh(const struct node *n, long by) { return n->value > by ? n->value * by : by - n->value; }
long sum(struct node *n, long by)
{
    long total = 0;
    for (; n; n = n->next)
        if (n->value & 1)
            total += weigh(n, by);
        else
            total -= weigh(n, by + 1);
    return total;
}
struct node *push(struct node *n, long value)
{
    struct node *made = malloc(sizeof *made);
    if (!made)
        abort();
    made->next = n;
    made->value = weigh(made, value);
    return made;
}
"""



@pytest.fixture(scope="module", params=["c", "c++"])
def library(request, sets, programs, tmp_path_factory):
    """A library whose blocks are described in debug information."""
    if request.param == "c":
        return counted_libraries(sets.get("small"))[0]
    directory = tmp_path_factory.mktemp("statements")
    keys = {"modules": 1, "utilities": 0, "sections": {**SECTIONS, "text": 300_001}, "dwarf": {"language": "c++"}}
    (directory / "a.prof").write_text(profile_text(functions=30, names={"style": "itanium", "length": 70}, **keys))
    programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / "set", "--quiet")
    return counted_libraries(directory / "set")[0]


def rows(path):
    table = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-line", path)
    return [
        Row(int(address, 16), int(line), int(file), "is_stmt" in flags, "end_sequence" in flags)
        for address, line, file, flags in ROW.findall(table)
    ]


def shares(path):
    """(share of the rows that begin a statement, share that differs in that from the row before)"""
    found = rows(path)
    told = [row for row in found if not row.ends]
    turns = sum(row.begins != before.begins for before, row in zip(found, found[1:]) if not before.ends and not row.ends)
    return sum(row.begins for row in told) / len(told), turns / len(told)


def test_half_of_them(library):
    share, turns = shares(library)
    assert SHARE[0] < share < SHARE[1]
    assert TURNS[0] < turns < TURNS[1]


def test_a_compiler_has_as_many(tmp_path):
    """gcc -O2 has a similar share of rows that begin a statement; with -O0 nearly all rows do."""
    (tmp_path / "a.c").write_text(COMPILED)
    found = {}
    for level in "02":
        library = tmp_path / f"{level}.so"
        options = ["-g", f"-O{level}", "-fPIC", "-shared", "-o", library]
        subprocess.run(["gcc", *options, tmp_path / "a.c"], check=True)
        found[level] = shares(library)[0]
    assert found["0"] > 0.9
    assert SHARE[0] < found["2"] < 0.65


def test_where_debuggers_stop(library):
    """A statement begins at each function's first instruction, and on nearly all lines of the unit's own source."""
    found = rows(library)
    begins = {row.address for row in found if row.begins and not row.ends}
    assert all(start in begins for _, start in functions(library))
    lines, unit = collections.defaultdict(bool), 0
    for row in found:
        unit += row.ends
        if row.file == SOURCE_FILE and not row.ends:
            lines[unit, row.line] |= row.begins
    assert sum(lines.values()) > 0.97 * len(lines)
