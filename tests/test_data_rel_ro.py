"""Rows with `data-rel-ro`: how much data is read-only once it is relocated, such as tables of virtual functions."""

import json
import re
import sys

import pytest

from captures import symbols_by_readelf
from objects import ask, elflint, section, sizes_by_binutils

DATA = 20000
WORDS = 400 + 90  # at most, because some relative relocations are those of arrays, methods and the like
SIZES = [0, 24, 64, 1000, 3000, 4096, 7003, 15000, 1_000_000]
ROW = (
    "- {{kind: {kind}, text: 60000, data: 20000, bss: 5000, debug: 0, functions: 60, data-rel-ro: {size}, bind: {bind}, "
    "dynamic: {{functions: 60, objects: 40}}, relocations: {{relative: 400, '64': 90, symbols: 70}}}}\n"
)


def rows(bind):
    return "".join(ROW.format(kind=kind, size=size, bind=bind) for kind in ("utility", "module") for size in SIZES)


@pytest.fixture(scope="module", params=["lazy", "now", "packed"])
def made(request, programs, tmp_path_factory):
    """The libraries, each with the size that its row wants; and how relocations are stored and bound."""
    directory = tmp_path_factory.mktemp("relro")
    head = "elf: {relr: true}\n" if request.param == "packed" else "elf: {relro: full, bind: now}\n"
    bind = "now" if request.param == "now" else "lazy"
    (directory / "p").write_text(f"pyelfgen-profile: 1\n{head * (request.param != 'lazy')}libraries:\n{rows(bind)}")
    programs.run("pyelfgen", "-P", directory / "p", "-o", directory / "set", "-q")
    names = [f"libutility{i}.so" for i in range(len(SIZES))] + [f"libmodule{i}.so" for i in range(len(SIZES))]
    return [(directory / "set" / name, size) for name, size in zip(names, 2 * SIZES)]


def differs(path):
    told = json.loads((path.parent / "differences.json").read_text())["libraries"]
    return next((library["differs"] for library in told if library["name"] == path.name), {})


def size_of(path):
    try:
        return section(path, ".data.rel.ro")[2]
    except KeyError:
        return 0


def places(path):
    """The addresses that are relocated, of any kind but the PLT's."""
    text = re.sub(r"^.*R_X86_64_JUMP_SLO.*\n", "", ask("readelf", "-rW", path), flags=re.M)
    found = re.findall(r"^(?:\d+: +[0-9a-f]{16} +)?([0-9a-f]{16})\b", text, flags=re.M)
    return [int(address, 16) for address in found]


def inside(path):
    """The places in .data.rel.ro that are relocated."""
    start, _, size = section(path, ".data.rel.ro") if size_of(path) else (0, 0, 0)
    return [address for address in places(path) if start <= address < start + size]


def test_sizes(made):
    """The size is the row's, but at most what of .data need not be writable. Then differences.json says so."""
    for path, size in made:
        found = size_of(path)
        assert sizes_by_binutils(path)["data"] == DATA
        if size > DATA:
            assert found > DATA * 3 / 4
            assert differs(path)["data-rel-ro"] == [size, found]
        else:
            assert found == size and "data-rel-ro" not in differs(path)


def test_relocated_words_are_there(made):
    """As many relocated words are in the section as it has room for. The others are in .data."""
    for path, size in made:
        if not size:
            continue
        found, words = size_of(path), inside(path)
        data, _, length = section(path, ".data")
        behind = [address for address in places(path) if data <= address < data + length]
        assert all(address % 8 == 0 for address in words)
        assert len(words) == found // 8 if found < 3000 else len(words) > 370, (path, size)
        # in .data stay __dso_handle, and the definition and methods of the module
        assert len(behind) < 20 if found > 8 * WORDS else len(behind) > 370 - found // 8


def test_it_is_protected(made):
    """The segment that is made read-only covers the section."""
    for path, size in made:
        found = re.search(r"GNU_RELRO +\S+ 0x(\w+) \S+ \S+ 0x(\w+)", ask("readelf", "-lW", path))
        first, length = (int(number, 16) for number in found.groups())
        if size:
            start, _, found = section(path, ".data.rel.ro")
            assert first <= start and start + found <= first + length


def test_objects_of_others_are_in_the_largest(made):
    for path, size in made:
        text = ask("readelf", "-SW", path)
        number = re.search(r"\[ *(\d+)\] \.data\.rel\.ro", text)
        objects = [row for row in symbols_by_readelf(path, ".dynsym") if row[1] == "OBJECT" and row[3] != "UND"]
        inside = [row for row in objects if number and row[3] == number[1]]
        assert len(objects) >= 40
        if size == 15000:
            assert len(inside) >= 39
        if size < 1000:
            assert not inside


def test_readers_and_the_dynamic_linker_take_them(made):
    for path, _ in made:
        assert "No errors" in elflint(path)
    code = "import ctypes, sys; [ctypes.CDLL(path) for path in sys.argv[1:]]"
    ask(sys.executable, "-c", code, *[path for path, _ in made])


def test_the_set_runs(programs, made):
    ran = programs.run("pyelfrun", "--phases", "import,visit", made[0][0].parent)
    assert "every result right" in ran.stdout


def test_it_is_captured(programs, made, tmp_path):
    for path, _ in made:
        programs.run("pyelfprof", "-q", "-o", tmp_path / "p", path)
        text = (tmp_path / "p").read_text()
        found, words = (re.search(rf"\b{key}: (\d+)", text) for key in ("data-rel-ro", "relro"))
        assert int(words[1] if words else 0) == len(inside(path))
        assert (int(found[1]) if found else 8 * len(inside(path))) == size_of(path)


def test_as_many_words_as_the_row_says(programs, tmp_path):
    """What the section has besides these words is constants. A captured row without a size has these words alone."""
    row = ROW.format(kind="utility", size=8000, bind="lazy").replace("symbols: 70", "symbols: 70, relro: 150")
    captured = row.replace(" data-rel-ro: 8000,", "")
    for rows_, head, size in ([row, "", 8000], [captured, "captured: {from: files, libraries: 1}\n", 1200]):
        (tmp_path / "p").write_text(f"pyelfgen-profile: 1\n{head}libraries:\n{rows_}")
        programs.run("pyelfgen", "-P", tmp_path / "p", "-o", tmp_path / "set", "-q", "--force")
        path = tmp_path / "set" / "libutility0.so"
        assert size_of(path) == size and len(inside(path)) == 150
