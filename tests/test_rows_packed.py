"""Rows that say what their parts compress to: the `zstd` program judges, and the capture says it again."""

import subprocess

import pytest

from captures import Capture
from objects import ask, section, tool

# Steps of the capture, from what constants of this library cannot be less than to nearly as much as they are.
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
    """Bytes after zstd -3 of the loaded sections that are writable, or are not; without the names."""
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
    """Within 2 %, which is what the reckoning is off by."""
    for number, (text, data) in enumerate(zip(TEXTS, DATAS)):
        path = made / "set" / f"libutility{number}.so"
        assert packed(path, writable=False) == pytest.approx(text, rel=0.02), number
        assert packed(path, writable=True) == pytest.approx(data, rel=0.02), number


def test_the_capture_says_it_again(made):
    rows = Capture(made / "made.prof").rows
    assert [row["zstd"]["text"] for row in rows] == TEXTS
    assert [row["zstd"]["data"] for row in rows] == DATAS


def test_addresses_among_objects_stay(made):
    """Words that relocations lead to are nothing, or what they will be: constants are made around them."""
    path = made / "set" / "libutility2.so"
    start, offset, size = section(path, ".data")
    image = path.read_bytes()
    words = 0
    for line in ask("readelf", "-rW", path).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] == "R_X86_64_RELATIVE" and 0 <= int(fields[0], 16) - start < size:
            at = offset + int(fields[0], 16) - start
            assert int.from_bytes(image[at : at + 8], "little") in (0, int(fields[3], 16))
            words += 1
    assert words > 600


def test_names_of_stripped_libraries_compress_as_rows_say(programs, tmp_path):
    """Nearly: between names that all have the same words and ones of which none have."""
    wanted = [10624, 11585, 13777]
    row = (
        "- {{kind: utility, text: 180000, data: 10000, bss: 800, debug: 0, symtab: 0, strtab: 0, functions: 800, "
        "dynamic: {{functions: 800, undefined: 20, dynstr: 20000}}, zstd: {{names: {}}}}}\n"
    )
    (tmp_path / "rows.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + "".join(row.format(n) for n in wanted))
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", "-q")
    programs.run("pyelfprof", "-o", tmp_path / "made.prof", tmp_path / "set")
    found = [row["zstd"]["names"] for row in Capture(tmp_path / "made.prof").rows]
    assert found == [pytest.approx(names, rel=0.2) for names in wanted]
