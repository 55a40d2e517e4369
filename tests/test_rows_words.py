"""Words in .data with relocations: how many there are, for how many symbols, where they are, and in what order their
relocations are listed. The cost of loading follows from these.
"""

import re

import pytest

from captures import relocations_by_readelf
from objects import ask, tool
from test_rows_extra import check_readers, make

# In this order: many symbols for many words; one symbol for all words; more symbols than there are; a utility, whose
# own functions are the symbols.
ROWS = [
    """{kind: module, text: 300000, data: 400000, bss: 900, dynamic: {undefined: 140},
        plt: 50, relocations: {relative: 3000, "64": 2000, glob-dat: 60, symbols: 120}, outside: 1}""",
    """{kind: module, text: 60000, data: 90000, bss: 900, dynamic: {undefined: 60},
        plt: 20, relocations: {relative: 100, "64": 900, glob-dat: 8, symbols: 9}, outside: 1}""",
    """{kind: module, text: 60000, data: 90000, bss: 900, dynamic: {undefined: 40},
        plt: 20, relocations: {relative: 100, "64": 900, glob-dat: 8, symbols: 900}, outside: 1}""",
    """{kind: utility, text: 90000, data: 90000, bss: 900, functions: 80, dynamic: {functions: 80, undefined: 40},
        plt: 20, relocations: {relative: 900, "64": 900, glob-dat: 8, symbols: 70}, outside: 1}""",
]


@pytest.fixture(scope="module")
def words(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("words"), ROWS)


def paths(words):
    return [words[0] / name for name in ("libmodule0.so", "libmodule1.so", "libmodule2.so", "libutility0.so")]


def relocations(path):
    """Returns [(place, type, symbol)] of .rela.dyn, in its order."""
    text = ask("readelf", "-rW", path).split("'.rela.dyn'")[1].split("Relocation section")[0]
    found = re.findall(r"^([0-9a-f]{16})  ([0-9a-f]{8})[0-9a-f]{8} R_X86_64_(\w+)", text, flags=re.M)
    return [(int(place, 16), kind, int(symbol, 16)) for place, symbol, kind in found]


def test_relocations_refer_to_as_many_symbols_as_rows_say(words):
    """The third row wants more symbols than there are. Its relocations refer to every symbol without a slot."""
    differs = words[1]
    assert [difference.get("relocations: symbols") for difference in differs][:2] == [None, None]
    found = [relocations_by_readelf(path) for path in paths(words)]
    assert [counts["symbols"] for counts in found][:2] == [120, 9]
    assert found[3]["symbols"] == 70
    wanted, got = differs[2]["relocations: symbols"]
    assert wanted == 900 and got == found[2]["symbols"] > 30
    assert [(counts["64"], counts["glob-dat"]) for counts in found] == [(2000, 60), (900, 8), (900, 8), (900, 8)]


def test_relocations_are_in_the_order_of_ld(words):
    """Relative relocations come first, by place, and DT_RELACOUNT counts them. The others are in groups by symbol, in
    the order in which the symbols first occur."""
    for path in paths(words):
        rows = relocations(path)
        count = int(re.search(r"\(RELACOUNT\) +(\d+)", ask("readelf", "-dW", path))[1])
        relative, others = rows[:count], rows[count:]
        assert {kind for _, kind, _ in relative} == {"RELATIVE"} and "RELATIVE" not in {kind for _, kind, _ in others}
        assert [place for place, _, _ in relative] == sorted(place for place, _, _ in relative)
        rest = [(place, symbol) for place, _, symbol in others[2:]]  # __cxa_finalize and __gmon_start__ come first
        first = {symbol: place for place, symbol in sorted(rest, reverse=True)}
        assert rest == sorted(rest, key=lambda row: (first[row[1]], row[0]))


def test_relocated_words_are_on_all_pages_of_data(words):
    for path in paths(words):
        data = re.search(r" \.data +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) ", ask("readelf", "-SW", path))
        start, size = int(data[1], 16), int(data[2], 16)
        places = [place for place, _, _ in relocations(path) if start <= place < start + size]
        assert len(places) == len(set(places)) and all(place % 8 == 0 for place in places)
        assert {place >> 12 for place in places} == set(range(start >> 12, (start + size - 1 >> 12) + 1))


def test_readers_have_nothing_to_complain_of(words):
    check_readers(paths(words))


# In this order: some of the pages; fewer pages than so many words take; more pages than there are; some of the pages,
# with few relative relocations.
PAGED = [20, 1, 900, 60]
PAGED_ROWS = [
    f"""{{kind: module, text: 300000, data: 400000, bss: 900, dynamic: {{undefined: 140}}, plt: 50,
        relocations: {{relative: {relative}, "64": 2000, glob-dat: 60, pages: {pages}}}, outside: 1}}"""
    for pages, relative in zip(PAGED, (900, 900, 900, 100))
]


def test_relocations_touch_as_many_pages_as_rows_say(programs, tmp_path):
    """Where the number differs, differences.json says so."""
    directory, differs = make(programs, tmp_path, PAGED_ROWS)
    found = [relocations_by_readelf(directory / f"libmodule{i}.so")["pages"] for i in range(len(PAGED))]
    for pages, wanted, difference in zip(found, PAGED, differs):
        assert difference.get("relocations: pages", [wanted, wanted]) == [wanted, pages]
    assert (found[0], found[3]) == (20, 60) and 1 < found[1] < 12 and 90 < found[2] < 110
    check_readers(sorted(directory.glob("libmodule?.so")))
    programs.run("pyelfrun", directory, "--dlopen-flags=now")


def test_the_set_runs(programs, words):
    programs.run("pyelfrun", words[0], "--dlopen-flags=now")


def test_what_is_protected_begins_a_page_earlier(programs, tmp_path):
    """Rows may have one page more than tables and words would be on. Then .data.rel.ro begins a page earlier, with
    constants that would be in .data."""
    rows = [
        f"""{{kind: utility, text: 90000, data: 17000, bss: 800, functions: 30, plt: 20, outside: 1,
        dynamic: {{functions: 9, undefined: 30, weak: 4}},
        relocations: {{relative: 900, glob-dat: 10, pages: {pages}}}}}"""
        for pages in (5, 6)
    ]
    directory, differs = make(programs, tmp_path, rows)
    assert not {"relocations: pages", "data"} & (differs[0].keys() | differs[1].keys())
    sections = [ask("readelf", "-SW", directory / f"libutility{i}.so") for i in range(2)]
    size, more = (int(re.search(r"\.data\.rel\.ro +\w+ +\w+ \w+ (\w+)", text)[1], 16) for text in sections)
    assert size < more <= size + 4096
    for i in range(2):
        assert relocations_by_readelf(directory / f"libutility{i}.so")["pages"] == 5 + i
        assert ask(tool("eu-elflint"), "--gnu-ld", directory / f"libutility{i}.so") == "No errors\n"
