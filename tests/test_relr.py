"""Packed relative relocations, as `ld -z pack-relative-relocs` makes them, by `elf: relr` and by rows with
`relocations: relr`.
"""

import ctypes
import re

import pytest

from captures import relocations_by_readelf
from objects import ask, counted_libraries

RELATIVE = r" R_X86_64_RELATIVE "
SOURCE = """
#include <stdlib.h>
static int f(int a) {return abs(a) + 1;}
static int g(int a) {return a * a;}
static int (*const table[200])(int) = {f, g, [17] = f, [100] = g, [101] = f, [199] = g};
static const char *names[300] = {"one", "two", [64] = "three", [299] = "four"};
const char *name(int i) {return names[i];}
int call(int i, int a) {return table[i](a) + name(i)[0];}
"""


def packed_places(path):
    """Returns the addresses in .relr.dyn that readelf shows."""
    text = ask("readelf", "-rW", path)
    (part,) = re.findall(r"^Relocation section '\.relr\.dyn' .*\n +\d+ offsets\n((?:[0-9a-f]{16}\n)*)", text, flags=re.M)
    return [int(place, 16) for place in part.split()]


def word_at(path, address):
    """Returns the word of the file that is loaded to this address."""
    for offset, start, size in re.findall(
        r"^ +LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) ", ask("readelf", "-lW", path), flags=re.M
    ):
        if 0 <= address - int(start, 16) < int(size, 16):
            data = path.read_bytes()[int(offset, 16) + address - int(start, 16) :][:8]
            return int.from_bytes(data, "little")
    raise AssertionError(f"{address:#x} is not in a file")


def test_all_are_packed(sets):
    """There are as many as a set without packing has relative relocations. In the file each word holds an address."""
    plain = {path.name: path for path in counted_libraries(sets.get("odd"))}
    for path in counted_libraries(sets.get("relr")):
        assert not re.search(RELATIVE, ask("readelf", "-rW", path))
        places = packed_places(path)
        there = re.findall(r"^(\w+) +\w+" + RELATIVE + r" +(\w+)", ask("readelf", "-rW", plain[path.name]), flags=re.M)
        assert len(places) == len(set(places)) == len(there)
        assert all(place % 8 == 0 for place in places)
        top = max(int(place, 16) for place, _ in there)
        assert all(0 < word_at(path, place) < 2 * top for place in places)


def test_what_the_dynamic_linker_is_told(sets):
    for path in counted_libraries(sets.get("relr")):
        dynamic = ask("readelf", "-dW", path)
        section = re.search(r"\.relr\.dyn +RELR +(\w+) \w+ (\w+) 08 +A +0 +0 +8\n", ask("readelf", "-SW", path))
        assert int(re.search(r"\(RELR\) +(0x\w+)", dynamic)[1], 16) == int(section[1], 16)
        assert int(re.search(r"\(RELRSZ\) +(\d+) ", dynamic)[1]) == int(section[2], 16)
        assert re.search(r"\(RELRENT\) +8 ", dynamic) and "RELACOUNT" not in dynamic
        needs = re.search(r"File: libc\.so\.6 .*\n((?:.*Name: .*\n)+)", ask("readelf", "-VW", path))
        assert "Name: GLIBC_ABI_DT_RELR " in needs[1] and "Name: GLIBC_2.2.5 " in needs[1]


@pytest.mark.parametrize("name", ["relr", "odd"])
def test_who_has_a_table(name, sets):
    for path in counted_libraries(sets.get(name)):
        assert (".relr.dyn" in ask("readelf", "-SW", path)) == (name == "relr")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    directory = tmp_path_factory.mktemp("relr")
    (directory / "a.c").write_text(SOURCE)
    (directory / "real").mkdir()
    path = directory / "real" / "liba.so"
    flags = ["-O2", "-g", "-fPIC", "-shared", "-Wl,-z,pack-relative-relocs"]
    ask("gcc", *flags, "-o", path, directory / "a.c")
    if ".relr.dyn" not in ask("readelf", "-SW", path):
        pytest.skip("the linker packs no relocations")
    return path


def test_a_twin_has_as_many(original, programs, tmp_path):
    """The twin has as many as the original, and loads with them."""
    twin = tmp_path / "twin"
    programs.run("pyelfprof", "-o", tmp_path / "a.prof", original)
    programs.run("pyelfgen", f"--profile={tmp_path / 'a.prof'}", "-o", twin)
    (path,) = counted_libraries(twin)
    real = relocations_by_readelf(original)
    assert real["relr"] > 10 and "relative" not in real
    found = relocations_by_readelf(path)
    assert found["relr"] == real["relr"] and "relative" not in found
    ctypes.CDLL(str(path))


ROWS = """\
- {kind: utility, text: 40000, data: 9000, relocations: {relr: 500, relative: 7}}
- {kind: utility, text: 40000, data: 9000, relocations: {relative: 507}}
- {kind: utility, text: 40000, data: 9000, relocations: {relr: 507, pages: 2}}
- {kind: utility, text: 40000, data: 9000}
"""


@pytest.mark.parametrize("knob", ["", "elf: {relr: true}\n"])
def test_rows(knob, programs, tmp_path):
    """A row says which relocations are packed. A row without `relr` follows `elf`."""
    profile = tmp_path / "rows.prof"
    rows = ROWS + "- {kind: utility, text: 40000, data: 9000, relocations: {relr: 0, relative: 507}}\n"
    profile.write_text(f"pyelfgen-profile: 1\n{knob}libraries:\n{rows}")
    made = tmp_path / "set"
    programs.run("pyelfgen", f"--profile={profile}", "-o", made)
    found = [relocations_by_readelf(path) for path in counted_libraries(made)]
    found = [(one.get("relative", 0), one.get("relr", 0)) for one in found]
    natural = found[3]
    assert found[0] == (7, 500) and found[2] == (0, 507) and found[4] == (507, 0)
    assert found[1] == ((0, 507) if knob else (507, 0))
    assert sum(natural) > 3 and (natural[1] > 0) == bool(knob)
    for path in counted_libraries(made):
        ctypes.CDLL(str(path))


def test_pages_of_packed_ones(programs, tmp_path):
    profile = tmp_path / "rows.prof"
    row = "- {kind: utility, text: 40000, data: 90000, relocations: {relr: 507, pages: 3}}\n"
    profile.write_text(f"pyelfgen-profile: 1\nlibraries:\n{row}")
    programs.run("pyelfgen", f"--profile={profile}", "-o", tmp_path / "set")
    (path,) = counted_libraries(tmp_path / "set")
    assert len({place >> 12 for place in packed_places(path)}) == 3


def test_an_option_packs_those_of_any_profile(original, programs, tmp_path):
    """This includes the profile of an application that was linked without packed relocations."""
    plain = tmp_path / "liba.so"
    ask("gcc", "-O2", "-fPIC", "-shared", "-o", plain, original.parent.parent / "a.c")
    programs.run("pyelfprof", "-o", tmp_path / "a.prof", plain)
    for option in [], ["--relr"]:
        programs.run("pyelfgen", "--profile", tmp_path / "a.prof", *option, "--force", "-o", tmp_path / "set")
        (path,) = counted_libraries(tmp_path / "set")
        found = relocations_by_readelf(path)
        assert ("relr" in found, "relative" in found) == (bool(option), not option)
        ctypes.CDLL(str(path))
