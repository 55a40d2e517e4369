"""Rows that say to how many bytes their parts compress. `zstd` is the judge, and a capture says the same."""

import subprocess

import pytest

from captures import Capture
from objects import ask, section, tool

# Numbers as a capture rounds them, from the least that constants of this library can compress to, up to nearly all that
# the part has.
TEXTS = [32768, 46341, 65536, 92682]
DATAS = [2233, 8192, 16384, 46341]
ROW = """\
- {{kind: utility, text: 180000, data: 60000, functions: 60, relocations: {{relative: 700}}, share: {{code: 50000}},
   zstd: {{text: {}, data: {}}}}}
"""


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("packed")
    rows = [ROW.format(text, data) for text, data in zip(TEXTS, DATAS)]
    (directory / "rows.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + "".join(rows))
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    programs.run("pyelfprof", "-o", directory / "made.prof", directory / "set")
    return directory


def packed(path, writable):
    """Returns the bytes that zstd -3 makes of the loaded sections that are writable, or are not, without names."""
    parts = []
    for line in ask("readelf", "-SW", path).replace("[ ", "[").splitlines():
        fields = line.split()
        if len(fields) > 7 and fields[0].startswith("[") and "A" in fields[7] and ("W" in fields[7]) == writable:
            if fields[2] not in ("STRTAB", "DYNSYM", "NOBITS"):
                offset, size = (int(field, 16) for field in fields[4:6])
                parts.append(path.read_bytes()[offset : offset + size])
    command = [tool("zstd"), "-3", "--quiet", "--stdout"]
    return len(subprocess.run(command, input=b"".join(parts), capture_output=True, check=True).stdout)


def test_parts_compress_as_rows_say(made):
    """They do so within 2 %, the error of the estimate."""
    for number, (text, data) in enumerate(zip(TEXTS, DATAS)):
        path = made / "set" / f"libutility{number}.so"
        assert packed(path, writable=False) == pytest.approx(text, rel=0.02), number
        assert packed(path, writable=True) == pytest.approx(data, rel=0.02), number


def test_the_capture_says_it_again(made):
    rows = Capture(made / "made.prof").rows
    assert [row["zstd"]["text"] for row in rows] == TEXTS
    assert [row["zstd"]["data"] for row in rows] == DATAS


def relative(path, name):
    """For each word of the section with a relative relocation, yields what the file has and what the relocation will
    store."""
    start, offset, size = section(path, name)
    image = path.read_bytes()
    for line in ask("readelf", "-rW", path).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] == "R_X86_64_RELATIVE" and 0 <= int(fields[0], 16) - start < size:
            at = offset + int(fields[0], 16) - start
            yield int.from_bytes(image[at : at + 8], "little"), int(fields[3], 16)


def test_addresses_among_objects_stay(made):
    """Constants are made around these words. Like ld, pyelfgen leaves in them the address that the relocation will
    store."""
    words = list(relative(made / "set" / "libutility2.so", ".data"))
    assert len(words) > 600
    assert [word for word in words if word[0] != word[1]] == []


# Libraries whose data is nearly all pointers: some in C++, with mangled names, and some in C.
POINTERS = [(2000, 400), (3200, 400), (4200, 400), (2400, 0), (4600, 0)]
POINTERS_ROW = """\
- {{kind: utility, text: 180000, data: 17000, bss: 64, functions: 400, dynamic: {{functions: 400}}, mangled: {},
   relocations: {{relative: 2000, relro: 1990}}, data-rel-ro: 16000, share: {{code: 90000}}, zstd: {{data: {}}}}}
"""


@pytest.fixture(scope="module")
def pointers(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("pointers")
    rows = "".join(POINTERS_ROW.format(mangled, data) for data, mangled in POINTERS)
    (directory / "rows.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + rows)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return [directory / "set" / f"libutility{number}.so" for number in range(len(POINTERS))]


def test_pointers_repeat_themselves_as_far_as_rows_say(pointers):
    for path, (data, _) in zip(pointers, POINTERS):
        assert packed(path, writable=True) == pytest.approx(data, rel=0.08), path


def test_pointers_lead_where_they_say(pointers):
    """Each pointer leads to code, constants or data of the library. In C++ nearly all lead to code."""
    for path, (_, mangled) in zip(pointers, POINTERS):
        words = list(relative(path, ".data.rel.ro"))
        assert len(words) > 1400 and [word for word in words if word[0] != word[1]] == []
        places = [section(path, name) for name in (".text", ".rodata", ".data", ".data.rel.ro")]
        found = [[start <= word < start + size for start, _, size in places] for word, _ in words]
        assert all(sum(one) == 1 for one in found)
        code = sum(one[0] for one in found)
        assert code > 0.9 * len(words) if mangled else 0.2 * len(words) < code < 0.7 * len(words)
        functions = {int(line.split()[1], 16) for line in ask("readelf", "-sW", path).splitlines() if " FUNC " in line}
        assert {word for (word, _), one in zip(words, found) if one[0]} <= functions


# From code that hardly repeats itself to code that repeats like templates for many types.
CODES = [310000, 260000, 180000, 150000]


def test_code_repeats_itself_as_far_as_rows_say(programs, tmp_path):
    """The library has no constants that could make up for code that compresses otherwise. The set runs."""
    row = """\
- {{kind: module, text: 640000, data: 9000, bss: 6000, debug: 0, symtab: 0, strtab: 0, functions: 300,
   dynamic: {{functions: 300, undefined: 40, dynstr: 12000}}, plt: 40, share: {{code: 550000, constants: 2000,
   unwind: 48000}}, zstd: {{text: {}}}}}
"""
    (tmp_path / "rows.prof").write_text(
        "pyelfgen-profile: 1\nlibraries:\n" + "".join(row.format(text) for text in CODES)
    )
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", "-q")
    found = [packed(tmp_path / "set" / f"libmodule{number}.so", writable=False) for number in range(len(CODES))]
    assert found == [pytest.approx(text, rel=0.2) for text in CODES]
    assert "every result right" in programs.run("pyelfrun", tmp_path / "set", leaks=False).stdout


@pytest.mark.parametrize(
    ("wanted", "row"),
    [
        (
            [10624, 11585, 13777],
            "text: 180000, data: 10000, bss: 800, debug: 0, symtab: 0, strtab: 0, functions: 800, "
            "dynamic: {{functions: 800, undefined: 20, dynstr: 20000}}",
        ),
        (
            [12634, 14263, 15024],
            "text: 180000, data: 10000, bss: 800, debug: 0, symtab: 24000, strtab: 22000, functions: 800, plt: 320, "
            "dynamic: {{functions: 300, undefined: 320, dynstr: 14000}}, local: {{functions: 500}}, "
            "needed: '{}:100 {}:100'",
        ),
    ],
)
def test_names_compress_as_rows_say(programs, tmp_path, wanted, row):
    """The numbers lie between names that all have the same words and names without common words. In the second set,
    libraries also import names of others."""
    row = "- {{kind: utility, " + row + ", zstd: {{names: {names}}}}}\n"
    rows = [row.format((n + 1) % 3, (n + 2) % 3, names=names) for n, names in enumerate(wanted)]
    (tmp_path / "rows.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + "".join(rows))
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", "-q")
    programs.run("pyelfprof", "-o", tmp_path / "made.prof", tmp_path / "set")
    found = [row["zstd"]["names"] for row in Capture(tmp_path / "made.prof").rows]
    assert found == [pytest.approx(names, rel=0.06) for names in wanted]
