"""Location views: a pair of view numbers for each entry of a location list stands before the list."""

import re
import subprocess

import pytest

from objects import ask, counted_libraries, each, tool

VIEWS = ["views", "views-4"]
PAIR = r"^ +([0-9a-f]{8}) v0+ v0+ location view pair$"
ENTRY = r"^ +([0-9a-f]{8}) v0+ v0+ views at ([0-9a-f]{8}) for:$"


def dump(path, *what):
    done = subprocess.run(["readelf", *what, path], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("variant", VIEWS)
def test_readelf_finds_a_pair_for_each_entry(variant, sets):
    """readelf reads a view pair for each entry, in order and without gaps, at the places that the entries refer to."""
    for text in each(lambda path: dump(path, "--debug-dump=loc"), counted_libraries(sets.get(variant))):
        assert not re.search("[Ww]arning|[Hh]ole|overlap", text)
        pairs = re.findall(PAIR, text, flags=re.M)
        entries = re.findall(ENTRY, text, flags=re.M)
        assert len(pairs) > 100
        assert sorted(place for _, place in entries) == sorted(pairs)


@pytest.mark.parametrize("variant", VIEWS)
def test_where_a_location_is_a_list_there_are_views(variant, sets):
    """An entry has DW_AT_GNU_locviews if and only if its location is a list; the pairs stand just before the list."""
    for path in counted_libraries(sets.get(variant)):
        text = dump(path, "--debug-dump=info")
        lists = re.findall(r"DW_AT_location +: (0x[0-9a-f]+) \(location list\)\n(.*)", text)
        assert len(lists) > 50
        for place, next_line in lists:
            found = re.search(r"DW_AT_GNU_locviews: (0|0x[0-9a-f]+)$", next_line)
            assert found and 0 < int(place, 16) - int(found[1], 16) <= 2 * 1000
        assert text.count("DW_AT_GNU_locviews") == len(lists)


def test_other_readers_agree(sets):
    """elfutils reads as many view pairs as readelf, and LLVM shows the attribute without errors or warnings."""
    path = counted_libraries(sets.get("views"))[0]
    pairs = re.findall(PAIR, dump(path, "--debug-dump=loc"), flags=re.M)
    assert ask("eu-readelf", "-N", "--debug-dump=loc", path).count("view pair") == len(pairs)
    shown = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-info", path)
    assert shown.count("DW_AT_GNU_locviews") > 50
    assert not re.search(r"^(error|warning)", shown, flags=re.M)


@pytest.mark.parametrize("variant", VIEWS)
def test_what_is_inlined_has_a_view_of_its_entry(variant, sets):
    for path in counted_libraries(sets.get(variant)):
        text = dump(path, "--debug-dump=info")
        inlined = len(re.findall(r"Abbrev Number: \d+ \(DW_TAG_inlined_subroutine\)", text))
        assert inlined > 50
        assert len(re.findall(r"DW_AT_entry_pc .*\n.*DW_AT_GNU_entry_view: 0$", text, flags=re.M)) == inlined
