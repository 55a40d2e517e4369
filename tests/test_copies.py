"""--copies: an application several times as large."""

import json

import pytest

from objects import counted_libraries
from sets import manifest_of

ROW = "text: 60000, data: 4000, bss: 900, debug: 90000, symtab: 4800, strtab: 4000, functions: 60"
CAPTURED = """\
pyelfgen-profile: 1
captured: {from: files, libraries: %d, unreadable: 0}
distributions: {tags: 'subprogram:%d formal_parameter:%d', attributes: 'name:%d'}
libraries:
"""
EDGES = [("module", "2:9"), ("utility", None), ("utility", "1:5")]


def rows(copies):
    """The rows of so many copies, as somebody would write them."""
    for c in range(copies):
        for kind, needed in EDGES:
            row, _, symbols = (needed or "").partition(":")
            edge = f", needed: '{int(row) + 3 * c}:{symbols}', outside: 1" if needed else ""
            yield f"- {{kind: {kind}, {ROW}{edge}}}\n"


def profile(copies):
    return CAPTURED % (3 * copies, 180 * copies, 400 * copies, 900 * copies) + "".join(rows(copies))


def generate(programs, directory, text, *options):
    directory.mkdir()
    (directory / "a.prof").write_text(text)
    programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / "set", "-q", *options)
    return directory / "set"


def test_copies_are_what_rows_written_again_are(programs, tmp_path):
    once = generate(programs, tmp_path / "once", profile(1), "--copies", "3")
    written = generate(programs, tmp_path / "written", profile(3))
    assert len(counted_libraries(once)) == 9
    assert manifest_of(once)["profile"] == manifest_of(written)["profile"]
    names = sorted(file.name for file in once.iterdir())
    assert names == sorted(file.name for file in written.iterdir())
    assert all((once / name).read_bytes() == (written / name).read_bytes() for name in names)
    programs.run("pyelfrun", once)


def test_one_copy_is_the_profile_itself(programs, tmp_path):
    one = generate(programs, tmp_path / "one", profile(1), "--copies=1")
    assert manifest_of(one)["profile"] == manifest_of(generate(programs, tmp_path / "none", profile(1)))["profile"]


def test_profiles_without_rows(programs, tmp_path):
    text = "pyelfgen-profile: 1\nmodules: 2\nutilities: 1\nfunctions: 30\n"
    sizes = "sections: {text: %d B, data: %d B, debug: %d B, symtab: %d B, strtab: %d B}\n"
    one = generate(programs, tmp_path / "one", text + sizes % (90_000, 9_000, 300_000, 12_000, 20_000))
    more = generate(programs, tmp_path / "more", (tmp_path / "one" / "a.prof").read_text(), "--copies", "4")
    kinds = [library["kind"] for library in manifest_of(more)["libraries"]]
    assert (kinds.count("module"), kinds.count("utility")) == (8, 4)
    assert manifest_of(more)["wanted"] == {name: 4 * size for name, size in manifest_of(one)["wanted"].items()}
    programs.run("pyelfrun", more)


def test_settled_profiles_are_searched_again(programs, tmp_path):
    """What was found is for the profile as it is. It does not count here, and does no harm."""
    generate(programs, tmp_path / "one", profile(1))
    programs.run("pyelfgen", "--profile", tmp_path / "one" / "a.prof", "--settle", tmp_path / "settled.prof", "-q")
    text = (tmp_path / "settled.prof").read_text()
    settled = generate(programs, tmp_path / "settled", text, "--copies", "2")
    plain = generate(programs, tmp_path / "plain", profile(1), "--copies", "2")
    said = programs.run("pyelfgen", "-P", tmp_path / "settled.prof", "--copies", "2", "--dry-run").stdout
    assert "what the profile has as 'settled' is for other keys, options or another pyelfgen: it was not used\n" in said
    done = programs.run("pyelfgen", "-P", tmp_path / "settled.prof", "--copies", "2", "--settle", "-", status=2)
    assert "leave --copies out: what is found is not used for copies" in done.stderr
    assert json.loads((settled / "manifest.json").read_text()) == json.loads((plain / "manifest.json").read_text())


@pytest.mark.parametrize(
    "copies, status, said",
    [
        ("0", 2, "the number of copies '0' is not a whole number from 1 to 100000"),
        ("100001", 2, "the number of copies '100001' is not a whole number"),
        ("100000", 1, "--copies: 100000 times the profile's libraries are more than the most, 1000000"),
    ],
)
def test_too_many(programs, tmp_path, copies, status, said):
    done = programs.run("pyelfgen", "-P", "llnl-2007", "-o", tmp_path / "set", "--copies", copies, status=status)
    assert said in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "set").exists()


def test_bytes_beyond_the_most(programs, tmp_path):
    text = profile(1).replace("bss: 900", f"bss: {2**47}")
    (tmp_path / "a.prof").write_text(text)
    done = programs.run("pyelfgen", "-P", tmp_path / "a.prof", "-o", tmp_path / "set", "--copies", "9", status=1)
    assert "--copies: 9 times the profile's bytes are more than the most, 1125899906842624" in done.stderr


def test_more_rows_than_a_profile_may_have(programs, tmp_path):
    (tmp_path / "a.prof").write_text(profile(1))
    done = programs.run("pyelfgen", "-P", tmp_path / "a.prof", "--dry-run", "--copies", "7000", status=1)
    assert "--copies: 7000 times the profile's rows are more than the most, 20000" in done.stderr
