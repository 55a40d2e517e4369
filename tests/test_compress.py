"""Compressed debug sections: the same contents, the same sizes, shorter files."""

import json
import re
import subprocess

import pytest

from objects import ask, tool
from sets import SMALL

KINDS = ["zlib", "zstd"]
LIBRARIES = {"zlib": "libdeflate", "zstd": "zstd"}


@pytest.fixture(scope="module")
def plain(programs, tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "set"
    programs.run("pyelfgen", "-P", SMALL, "-o", path, "-q")
    return path

@pytest.fixture(scope="module", params=KINDS)
def packed(programs, tmp_path_factory, request):
    path = tmp_path_factory.mktemp(request.param) / "set"
    programs.run("pyelfgen", "-P", SMALL, "-o", path, "-q", "--compress", request.param)
    return path

def section_bytes(path, section, tmp_path):
    """What a section holds, uncompressed by objcopy."""
    unpacked = tmp_path / "unpacked"
    subprocess.run(["objcopy", "--decompress-debug-sections", path, unpacked], check=True)
    out = tmp_path / "bytes"
    subprocess.run(
        ["objcopy", "-O", "binary", f"--only-section={section}", f"--set-section-flags={section}=alloc", unpacked, out],
        check=True,
    )
    return out.read_bytes()

@pytest.mark.parametrize("section", [".debug_info", ".debug_line", ".debug_str", ".debug_loclists", ".debug_rnglists"])
def test_contents_are_the_same(plain, packed, section, tmp_path):
    name = "libmodule3.so"
    assert section_bytes(packed / name, section, tmp_path) == section_bytes(plain / name, section, tmp_path)

def test_sections_say_that_they_are_compressed(packed):
    said = subprocess.run(["readelf", "-SW", packed / "libmodule3.so"], capture_output=True, text=True, check=True).stdout
    info = next(line for line in said.splitlines() if " .debug_info " in line).split("]")[1].split()
    assert "C" in info[6]

def test_sizes_are_those_before(programs, plain, packed):
    def sizes(path):
        return json.loads(programs.run("pyelfstat", "--json", path).stdout)["sets"][0]["actual"]

    assert sizes(packed) == sizes(plain)

def test_files_are_shorter(plain, packed):
    for path in plain.glob("libmodule[0-9].so"):
        assert (packed / path.name).stat().st_size < 0.8 * path.stat().st_size


@pytest.mark.slow
def test_readers_have_nothing_to_say(packed):
    for path in sorted(packed.glob("lib*.so")):
        lint = subprocess.run(["eu-elflint", "--gnu-ld", path], capture_output=True, text=True)
        assert lint.stdout.strip() == "No errors"
        dump = subprocess.run(["readelf", "-aW", "--debug-dump=info", path], capture_output=True, text=True)
        assert dump.stderr == ""

@pytest.mark.parametrize("kind", KINDS)
def test_several_threads_compress_the_same(programs, tmp_path, kind):
    """From 16 MB of debug information on the sections of one library are compressed by several threads."""
    profile = tmp_path / "large.prof"
    profile.write_text(
        "pyelfgen-profile: 1\nmodules: 1\nutilities: 0\n"
        "sections: {text: 6 MB, data: 500 kB, debug: 24 MB, symtab: 300 kB, strtab: 1 MB}\n"
    )
    for jobs in ("1", "3"):
        programs.run("pyelfgen", "-P", profile, "-o", tmp_path / jobs, "-q", "-j", jobs, "--compress", kind)
    library = tmp_path / "3" / "libmodule0.so"
    assert library.read_bytes() == (tmp_path / "1" / "libmodule0.so").read_bytes()
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "plain", "-q")
    for section in (".debug_info", ".debug_str"):
        plain = section_bytes(tmp_path / "plain" / "libmodule0.so", section, tmp_path)
        assert section_bytes(library, section, tmp_path) == plain


def test_dwarfdump_reads_what_repeats_itself(programs, tmp_path):
    """libdwarf refuses sections that shrink more than 16 times. So .debug_abbrev of many units is not compressed."""
    profile = tmp_path / "units.prof"
    profile.write_text(
        "pyelfgen-profile: 1\nmodules: 1\nutilities: 1\nfunctions: 400\n"
        "sections: {text: 1 MB, data: 50 kB, debug: 4 MB, symtab: 60 kB, strtab: 60 kB}\n"
        "dwarf: {units: 1, compress: zlib}\n"
    )
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set")
    library = tmp_path / "set" / "libmodule0.so"
    headers = ask("readelf", "-SW", library)
    flags = {row.split()[0]: row.split()[6] for row in re.findall(r"\] (\.debug_.*)", headers)}
    assert "C" in flags[".debug_info"] and "C" not in flags[".debug_abbrev"]
    complaints = re.findall("ERROR.*", ask(tool("dwarfdump"), "-i", library))
    assert complaints == []


def test_gdb_reads_them(packed):
    said = subprocess.run(
        ["gdb", "-nx", "-batch", "-ex", "info line libmodule3_entry", packed / "libmodule3.so"],
        capture_output=True,
        text=True,
    ).stdout
    assert '"libmodule3.c" starts at address' in said

def test_set_runs_and_verifies(programs, packed):
    programs.run("pyelfgen", "--verify", packed)
    assert "every result right" in programs.run("pyelfrun", packed).stdout
    kind = packed.parent.name.rstrip("0123456789")
    assert json.loads((packed / "manifest.json").read_text())["compressor"].startswith(LIBRARIES[kind] + " ")

def test_same_bytes_again(programs, packed, tmp_path):
    kind = packed.parent.name.rstrip("0123456789")
    programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "again", "-q", "--compress", kind, "-j", "1")
    subprocess.run(["diff", "-r", packed, tmp_path / "again"], check=True)

def test_unknown_kind_is_refused(programs, tmp_path):
    result = programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "set", "--compress", "gzip", status=2)
    assert result.stderr == "pyelfgen: 'gzip' is no way to compress; use none, zlib or zstd\n"
    assert not (tmp_path / "set").exists()
