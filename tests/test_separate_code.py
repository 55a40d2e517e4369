"""Libraries whose code is in one segment with what is only read, as of `ld -z noseparate-code`: by `elf: separate-code`,
and by rows with `loads`.
"""

import json
import re
import subprocess
import sys

import pytest

from objects import ask, counted_libraries, tool
from sets import PLAIN, profile_text

SOURCE = """
#include <stdlib.h>
static const char *names[20] = {"one", "two", [9] = "three"};
static char scratch[30000];
int call(int i, int a) {return abs(a) + names[i][0] + scratch[i];}
"""

# prints how many maps of memory a library takes
MAPS = """
import ctypes, os, sys
ctypes.CDLL(sys.argv[1], os.RTLD_NOW)
print(sum(line.rstrip().endswith(os.path.realpath(sys.argv[1])) for line in open("/proc/self/maps")))
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A library that ld links without separate code, and one with it."""
    directory = tmp_path_factory.mktemp("compiled")
    (directory / "a.c").write_text(SOURCE)
    paths = [directory / "libold.so", directory / "libnew.so"]
    for path, option in zip(paths, ("noseparate-code", "separate-code"), strict=True):
        command = [tool("gcc"), "-O1", "-shared", "-fPIC", f"-Wl,-z,{option},-z,lazy", "-o", path, directory / "a.c"]
        subprocess.run(command, check=True)
    return paths


def segments(path):
    """(type, flags) of each segment."""
    return re.findall(r"^  ([A-Z_]+) +0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ (.{3})", ask("readelf", "-lW", path), flags=re.M)


def loaded(path):
    """The sections of each segment that is loaded."""
    mapping = ask("readelf", "-lW", path).split("Segment Sections...\n")[1]
    loads = [number for number, (kind, _) in enumerate(segments(path)) if kind == "LOAD"]
    return [re.search(rf"^ +{number:02} +(.*?) *$", mapping, flags=re.M)[1].split() for number in loads]


def test_segments_are_those_of_ld(sets, compiled):
    for path in counted_libraries(sets.get("noseparate-code")):
        assert segments(path) == segments(compiled[0])
        constant, written = loaded(path)
        assert {".dynsym", ".rela.dyn", ".plt", ".text", ".rodata", ".eh_frame"} <= set(constant)
        assert {".dynamic", ".got", ".data", ".bss"} <= set(written)


def test_sections_are_those_with_separate_code(sets):
    """But for where they are: the same sections of the same sizes, and a file that is two gaps shorter."""

    def sections(path):
        text = ask("readelf", "-SW", path)
        return re.findall(r"^ +\[ *\d+\] (\.\S+) +(\S+) +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", text, flags=re.M)

    both = zip(counted_libraries(sets.get("noseparate-code")), counted_libraries(sets.get("odd")), strict=True)
    for path, separate in both:
        assert sections(path) == sections(separate)
        assert 0 < separate.stat().st_size - path.stat().st_size < 3 * 4096


def test_a_process_has_fewer_maps(sets):
    """One of what is executed, and two of what is written: the part that is read-only after relocation, and the rest."""
    for name, maps in (("noseparate-code", 3), ("odd", 5)):
        path = next(path for path in counted_libraries(sets.get(name)) if "utility" in path.name)
        done = subprocess.run([sys.executable, "-c", MAPS, path], capture_output=True, text=True, check=True)
        assert int(done.stdout) == maps


def test_executables(programs, tmp_path):
    profile = tmp_path / "a.prof"
    profile.write_text(profile_text(**PLAIN, elf={"separate-code": False}))
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "--link", "--static", "--quiet")
    for name in ("pyelf-link", "pyelf-static"):
        assert [flags for kind, flags in segments(tmp_path / "set" / name) if kind == "LOAD"] == ["R E", "RW "]
        assert ask(tool("eu-elflint"), "--gnu-ld", tmp_path / "set" / name) == "No errors\n"
    for mode in ("link", "static"):
        done = programs.run("pyelfrun", "--mode", mode, tmp_path / "set")
        assert "every result right" in done.stdout


def test_twins(programs, compiled, tmp_path):
    """A captured row says how many segments there are, and its twin has as many."""
    (real, set_, twin) = (tmp_path / "real.prof", tmp_path / "set", tmp_path / "twin.prof")
    programs.run("pyelfprof", "-o", real, *compiled)
    assert len(re.findall("loads: 2", real.read_text())) == 1
    programs.run("pyelfgen", "--profile", real, "-o", set_, "--quiet")
    made = [set_ / f"libutility{i}.so" for i in range(2)]
    assert [len(loaded(path)) for path in made] == [2, 4]
    assert all("loads" not in row["differs"] for row in json.loads((set_ / "differences.json").read_text())["libraries"])
    programs.run("pyelfprof", "-o", twin, set_)
    assert len(re.findall("loads: 2", twin.read_text())) == 1


@pytest.mark.parametrize("loads, got", [(1, 2), (3, 2), (5, 4)])
def test_other_numbers(programs, tmp_path, loads, got):
    """patchelf adds a segment to the two or four of ld."""
    profile = tmp_path / "a.prof"
    row = f"{{kind: utility, text: 90000, data: 4000, loads: {loads}}}"
    profile.write_text(f"pyelfgen-profile: 1\nlibraries:\n- {row}\n")
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "--quiet")
    assert len(loaded(tmp_path / "set" / "libutility0.so")) == got
    (differs,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert differs["differs"]["loads"] == [loads, got]


def test_a_set_without_rows_is_captured(programs, sets, tmp_path):
    profile = tmp_path / "a.prof"
    programs.run("pyelfprof", "-o", profile, *counted_libraries(sets.get("noseparate-code")))
    rows = profile.read_text().split("libraries:\n")[1]
    assert rows.count("loads: 2") == rows.count("- {kind: ") == len(counted_libraries(sets.get("noseparate-code")))
