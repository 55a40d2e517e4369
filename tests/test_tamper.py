"""One thing of a set is altered: it is known who notices, --verify, the driver or pyelfrun, and what they say."""

import os
import json
import re
import struct

import pytest

import model
from objects import ask, calls, functions, section
from sets import SMALL

PYTHON = "/usr/bin/python3"


@pytest.fixture
def verify(programs):
    """verify(altered, file, message) asserts that --verify says this about a file of the set, in one line."""

    def run(altered, file, message):
        done = programs.run("pyelfgen", "--verify", altered.directory, status=1)
        path = altered.directory / file if file else altered.directory
        assert done.stderr == f"pyelfgen: {path}: {message}\n"
        assert done.stdout == ""

    return run


@pytest.fixture
def drive(programs):
    """drive(altered) returns what driver.py says about a set that it finds wrong; pyelfrun must say the same."""

    def run(altered):
        said = []
        driver = [PYTHON, altered.path("driver.py"), "--no-mpi"]
        for command in (driver, [programs.path("pyelfrun"), "--quiet", altered.directory]):
            done = programs.command(command, status=1, leaks=False, env={"LD_BIND_NOW": None}, timeout=120)
            found = re.fullmatch(r"(driver\.py|pyelfrun): rank 0 on \S+: (.*)\n", done.stderr)
            assert found, done.stderr
            said.append(found[2])
        assert said[0] == said[1]
        return said[0]

    return run


DIGEST = "is not what was generated: its XXH3-128 differs from the manifest's; generate the set again"


def test_nothing_altered(altered, programs):
    done = programs.run("pyelfgen", "--verify", altered.directory)
    assert done.stdout == f"{altered.directory}: every library is as its manifest says\n" and done.stderr == ""
    assert programs.run("pyelfgen", "--verify", altered.directory, "-q").stdout == ""


def test_an_immediate(altered, drive, verify):
    """Another number in a function changes the results of every entry that reaches the function."""
    name = "libmodule2.so"
    function, address = functions(altered.path(name))[5]
    listing = ask("objdump", "-d", f"--start-address={address}", f"--stop-address={address + 80}", altered.path(name))
    at, number = re.search(r"^ *([0-9a-f]+):\t48 b8 .*\tmovabs \$0x([0-9a-f]+),%rax$", listing, flags=re.M).groups()
    offset = altered.offset(name, ".text", int(at, 16)) + 2
    before = altered.patch(name, offset, struct.pack("<Q", int(number, 16) ^ 1 << 40))
    assert before == struct.pack("<Q", int(number, 16))
    assert re.match(r"libmodule2: entry returned \d+, the manifest says \d+; ", drive(altered))
    verify(altered, name, DIGEST)


def test_a_float_constant(altered, drive, verify):
    """Other constants change the results: calls load them from .rodata, where a symbol names them."""
    name = "libmodule1.so"
    row = next(row for row in ask("nm", altered.path(name)).splitlines() if row.endswith(" libmodule1_constants"))
    offset = altered.offset(name, ".rodata", int(row.split()[0], 16))
    doubles = b"".join(struct.pack("<d", 1e6 + i) for i in range(16))
    altered.patch(name, offset, doubles)
    assert re.match(r"libmodule1: entry returned \d+, the manifest says \d+; ", drive(altered))
    verify(altered, name, DIGEST)


def test_a_relocation(altered, drive, verify):
    """A PLT slot is bound to the next slot's function, which takes an int: foreign arguments cannot crash it."""
    name = "libmodule0.so"
    taken = {f.name: f.types for f in model.Model(altered.directory).libraries["libmodule0"].functions}
    table = ask("readelf", "-rW", altered.path(name))
    bound = re.findall(r"^[0-9a-f]{16}  \S+ R_X86_64_JUMP_SLOT +\S+ (\S+) \+ 0$", table, flags=re.M)
    _, offset, size = section(altered.path(name), ".rela.plt")
    assert size == 24 * len(bound)
    slot = next(i for i in range(len(bound) - 1) if bound[i] in taken and taken.get(bound[i + 1]) == ["int"])
    content = altered.path(name).read_bytes()
    info = offset + 24 * slot + 8
    altered.patch(name, info, content[info + 24 : info + 32])
    assert re.match(r"libmodule0: entry returned \d+, the manifest says \d+; ", drive(altered))
    verify(altered, name, DIGEST)


def rename(altered, name, function):
    """Changes the last character of a function's name in .dynstr; returns the new name."""
    _, offset, size = section(altered.path(name), ".dynstr")
    strings = altered.path(name).read_bytes()[offset : offset + size]
    end = strings.index(b"\0" + function.encode() + b"\0") + len(function)
    altered.patch(name, offset + end, b"X")
    return function[:-1] + "X"


def test_a_name_that_is_called(altered, drive, verify):
    function = next(callee for _, callee in calls(altered.path("libmodule3.so"))["libmodule3_fun0" + pad(altered)])
    other = rename(altered, "libmodule3.so", function)
    said = drive(altered)
    assert said.startswith("libmodule3: cannot be imported: ImportError: ")
    assert f"undefined symbol: {other}" in said
    verify(altered, "libmodule3.so", DIGEST)


def pad(altered):
    """The digits that fill up the name of function 0 behind its number."""
    return functions(altered.path("libmodule3.so"))[0][0][len("libmodule3_fun0") :]


def test_a_name_that_is_defined(altered, drive, verify):
    """A renamed function is not found under its old name, so the module that calls it does not load."""
    function = next(callee for _, callee in calls(altered.path("libmodule0.so"))["libmodule0_fun0" + pad(altered)])
    utility = function[: function.index("_")] + ".so"
    rename(altered, utility, function)
    said = drive(altered)
    assert said.startswith("libmodule0: cannot be imported: ImportError: ")
    assert f"undefined symbol: {function}" in said
    verify(altered, utility, DIGEST)


def test_a_mark(altered, drive, verify):
    """A function sets the mark of another one: its result is right, but the number of visit marks is not."""
    name = "libutility1.so"
    _, address = functions(altered.path(name))[3]
    listing = ask("objdump", "-d", f"--start-address={address}", f"--stop-address={address + 80}", altered.path(name))
    at, operand = re.search(r"^ *([0-9a-f]+):\tc6 05 ((?:[0-9a-f]{2} ){4})01 +\tmovb", listing, flags=re.M).groups()
    displacement = struct.unpack("<i", bytes.fromhex(operand))[0]
    offset = altered.offset(name, ".text", int(at, 16)) + 2
    altered.patch(name, offset, struct.pack("<i", displacement - 1))
    assert re.match(r"libutility1: \d+ marks are set, the manifest says \d+; ", drive(altered))
    verify(altered, name, DIGEST)


def test_a_byte_that_no_visit_reads(altered, programs, verify):
    """Only --verify notices a change of the debug information, which no visit reads."""
    name = "libmodule1.so"
    _, offset, _ = section(altered.path(name), ".debug_str")
    before = altered.path(name).read_bytes()[offset + 3]
    altered.patch(name, offset + 3, bytes([before ^ 1]))
    programs.command([PYTHON, altered.path("driver.py"), "--no-mpi"], leaks=False)
    verify(altered, name, DIGEST)


def test_a_marker_library(altered, verify):
    altered.patch("libmodulefinal.so", 7, b"\x03")
    verify(altered, "libmodulefinal.so", DIGEST)


@pytest.fixture
def broken_manifest(programs):
    """Returns what --verify says about a manifest that cannot be read: one line, here without the file's name."""

    def run(altered):
        done = programs.run("pyelfgen", "--verify", altered.directory, status=1)
        found = re.fullmatch(rf"pyelfgen: {altered.directory}/manifest\.json:(?:\d+:)? ([^\n]+)\n", done.stderr)
        assert found and done.stdout == "", done.stderr
        return found[1]

    return run


# --- files ------------------------------------------------------------------------

LENGTH = "has {} bytes, the manifest says {}; generate the set again"


def test_missing_library(altered, drive, verify):
    altered.path("libutility0.so").unlink()
    assert "libutility0.so: cannot open shared object file" in drive(altered)
    verify(altered, "libutility0.so", "is missing; generate the set again")


@pytest.mark.parametrize("change", [-1, 1])
def test_other_length(change, altered, verify):
    content = altered.path("libmodule0.so").read_bytes()
    altered.path("libmodule0.so").write_bytes(content[:change] if change < 0 else content + b"\0")
    verify(altered, "libmodule0.so", LENGTH.format(len(content) + change, len(content)))


@pytest.mark.parametrize(
    ("name", "mode", "use"), [("libmodule1.so", 0, "read"), ("pyelf-link", 0o644, "execute"), ("pyelf-link", 0, "read")]
)
def test_permissions(programs, tmp_path, name, mode, use):
    """--verify refuses files that their owner cannot use, even if root can. pyelfgen mends them and writes nothing."""
    command = ["-P", SMALL, "--link", "-o", tmp_path / "set", "-q"]
    programs.run("pyelfgen", *command)
    (tmp_path / "set" / name).chmod(mode)
    done = programs.run("pyelfgen", "--verify", tmp_path / "set", status=1)
    said = f"has mode {mode:04o}, by which its owner may not {use} it; generate the set again"
    if os.geteuid() != 0 and use == "read":
        said = "cannot open the file: Permission denied"
    assert done.stderr == f"pyelfgen: {tmp_path}/set/{name}: {said}\n"
    programs.run("pyelfgen", *command)
    programs.run("pyelfgen", "--verify", tmp_path / "set")


def test_truncated_within_its_header(altered, drive, verify):
    content = altered.path("libmodule0.so").read_bytes()
    altered.path("libmodule0.so").write_bytes(content[:50])
    said = drive(altered)
    assert said.startswith("libmodule0: cannot be imported: ImportError: ") and "file too short" in said
    verify(altered, "libmodule0.so", LENGTH.format(50, len(content)))


def test_all_files_that_are_wrong(altered, programs):
    """--verify names all wrong files in the manifest's order, whichever thread has found them."""
    with altered.path("libmodule0.so").open("ab") as file:
        file.write(b"\0")
    altered.path("libmodule1.so").unlink()
    content = bytearray(altered.path("libutility0.so").read_bytes())
    content[100] ^= 1
    altered.path("libutility0.so").write_bytes(content)
    for threads in ("1", "4"):
        done = programs.run("pyelfgen", "--verify", altered.directory, "-j", threads, status=1)
        said = [line.split(": ")[1:3] for line in done.stderr.splitlines()]
        assert [os.path.basename(path) for path, _ in said] == ["libmodule0.so", "libmodule1.so", "libutility0.so"]
        assert [what.split(";")[0].split(",")[0] for _, what in said][1:] == ["is missing", "is not what was generated"]


def test_of_many_files_that_are_wrong_some_are_named(programs, tmp_path):
    (tmp_path / "many.prof").write_text("pyelfgen-profile: 1\nmodules: 30\nfunctions: 3\n")
    programs.run("pyelfgen", "--profile", tmp_path / "many.prof", "-o", tmp_path / "many")
    for path in (tmp_path / "many").glob("*.so"):
        path.unlink()
    done = programs.run("pyelfgen", "--verify", tmp_path / "many", status=1)
    lines = done.stderr.splitlines()
    assert len(lines) == 21 and lines[-1].startswith(f"pyelfgen: {tmp_path / 'many'}: 12 more files are not as the ")


def test_no_file_but_a_directory(altered, verify):
    altered.path("libmodule0.so").unlink()
    altered.path("libmodule0.so").mkdir()
    verify(altered, "libmodule0.so", "is not a regular file; remove it, and generate the set again")


def test_missing_manifest(altered, programs, verify):
    altered.path("manifest.json").unlink()
    message = "is no set, or an incomplete one: it has no manifest.json; "
    for command in ([PYTHON, altered.path("driver.py")], [programs.path("pyelfrun"), altered.directory]):
        said = programs.command(command, status=1, leaks=False).stderr
        assert message in said and said.count("\n") == 1
    verify(altered, "", message + "generate it with pyelfgen --profile PROFILE -o SET")


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda m: m["libraries"][1].update({"xxh3-128": "0" * 31}), "libmodule0.so: 'xxh3-128' is not 32 hexadecimal"),
        (lambda m: m["libraries"][1].pop("xxh3-128"), "libmodule0.so: 'xxh3-128' is missing"),
        (lambda m: m["libraries"][1].update(name="../x.so"), "row 2 of 'libraries': 'name' has a '/'"),
        (lambda m: m["libraries"][1].pop("name"), "row 2 of 'libraries': 'name' is missing"),
        (lambda m: m["libraries"][1].update(functions=-1), "libmodule0.so: 'functions' "),
        (lambda m: m.update({"pyelfgen-manifest": 2}), "the manifest has version 2, this program reads 1"),
        (lambda m: m.update(libraries=[]), "0 libraries are listed where 4 modules, 2 utilities and 2 markers are"),
        (lambda m: m.pop("libraries"), "'libraries' is missing"),
    ],
)
def test_altered_manifest(change, message, altered, broken_manifest):
    manifest = json.loads(altered.path("manifest.json").read_text())
    change(manifest)
    altered.path("manifest.json").write_text(json.dumps(manifest))
    assert message in broken_manifest(altered)


@pytest.mark.parametrize("content", ["", "{", "[]", "7", "null", "\0\0", "not JSON", '{"pyelfgen-manifest": 1'])
def test_manifest_that_is_none(content, altered, broken_manifest):
    altered.path("manifest.json").write_text(content)
    assert broken_manifest(altered)


def test_result_in_the_manifest(altered, drive):
    """The driver notices a wrong result in the manifest. --verify is not for that: it compares only the files."""
    text = altered.path("manifest.json").read_text()
    manifest = json.loads(text)
    row = manifest["libraries"][1]
    right = row["result"]
    row["result"] ^= 1
    altered.path("manifest.json").write_text(json.dumps(manifest))
    said = drive(altered)
    assert said.startswith(f"libmodule0: entry returned {right}, the manifest says {right ^ 1}; ")
    assert said.endswith("check the set with pyelfgen --verify")


def test_library_that_the_manifest_does_not_list(altered, verify):
    """--verify refuses a library that is not in the manifest, because a listing would take it for one of the set."""
    altered.path("libmodule4.so").write_bytes(altered.path("libmodule0.so").read_bytes())
    verify(altered, "", "libmodule4.so is not in the manifest; remove it from the set")
