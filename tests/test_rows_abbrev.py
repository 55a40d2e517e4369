"""Tables of abbreviations of libraries with rows: each is in an order of its own, as a compiler's are."""

import re
import subprocess
import zlib

import pytest

from objects import ask, tool
from test_twin import COMMON, FUNCTION, Twin

UNITS = 6
SHAPES = {"c-5": ("gcc", ["-gdwarf-5"]), "c-4": ("gcc", ["-gdwarf-4"]), "lines": ("gcc", ["-g1"]), "c++": ("g++", [])}


@pytest.fixture(scope="module", params=SHAPES)
def twin(request, programs, tmp_path_factory):
    """The twin of a library of several units."""
    directory = tmp_path_factory.mktemp(request.param)
    compiler, flags = SHAPES[request.param]
    parts = []
    for unit in range(UNITS):
        text = "".join(FUNCTION.format(n=n, name=f"part{unit}", calls="") for n in range(30 + 5 * unit))
        parts.append(directory / f"part{unit}.{'cc' if compiler == 'g++' else 'c'}")
        parts[-1].write_text(COMMON.format(size=80, functions=text))
    command = [tool(compiler), "-O2", "-g", *flags, "-fPIC", "-shared", "-o", directory / "libreal.so", *parts]
    subprocess.run(command, cwd=directory, check=True)
    made = Twin(programs, directory / "libreal.so", directory / "twin")
    made.tables_least = 1 if compiler == "g++" else 2  # so little in C++ has room for one table only
    return made


def tables(path):
    """The tables in .debug_abbrev, each a list of [code, tag and attributes]."""
    found = []
    for line in ask("readelf", "--debug-dump=abbrev", path).splitlines():
        if re.match(r" +Number TAG", line):
            found.append([])
        elif row := re.match(r" +(\d+) +(DW_TAG_.*)", line):
            found[-1].append([int(row[1]), row[2]])
        elif found and found[-1] and line.strip():
            found[-1][-1][1] += " " + line.strip()
    return found


def packed(path, section):
    """By how much zlib shortens a section."""
    rows = re.search(rf"\] {section} +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", ask("readelf", "-SW", path))
    offset, size = int(rows[1], 16), int(rows[2], 16)
    return len(zlib.compress(path.read_bytes()[offset : offset + size])) / size


def test_each_table_has_its_own_order(twin):
    library = twin.path / "libutility0.so"
    found = tables(library)
    assert len(found) >= twin.tables_least
    for table in found:
        assert [code for code, _ in table] == list(range(1, len(table) + 1))
        assert table[0][1].startswith("DW_TAG_compile_unit")
    if len(found) == 1:
        return
    whole = [[what for _, what in table] for table in found[:-1]]
    assert len({tuple(table) for table in whole}) == len(whole)
    assert len({tuple(sorted(table)) for table in whole}) == 1
    assert set(whole[0]) <= {what for _, what in found[-1]}


def test_it_compresses_no_better_for_that(twin):
    """Copies of one table take a hundredth. What gcc writes takes a fifth to a third."""
    assert packed(twin.path / "libutility0.so", ".debug_abbrev") > 0.1


def test_readers_follow(twin):
    library = twin.path / "libutility0.so"
    assert "No errors." in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", library)
    assert ask("eu-elflint", "--gnu-ld", library) == "No errors\n"
    entries = ask("readelf", "-wi", library)
    assert entries.count("(DW_TAG_compile_unit)") == UNITS
    (made,) = twin.made
    assert len(re.findall(r"Abbrev Number: [1-9]", entries)) == made["dwarf"]["dies"]
