"""Libraries for processors that check where indirect branches lead: `elf: cf-protection`, as gcc -fcf-protection and
ld -z ibt make them."""

import json
import re
import subprocess

import pytest

from objects import ask, counted_libraries, elflint, tool
from sets import variant_text

SOURCE = """
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define EACH(n) char *f##n(const char *s, double d) {char *p = malloc(n + (size_t)d); return p ? strcpy(p, s) : 0;}
#define FIVE(n) EACH(n##0) EACH(n##1) EACH(n##2) EACH(n##3) EACH(n##4)
#define TEN(n) FIVE(n) FIVE(1##n)
TEN(10) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)
"""


@pytest.fixture(scope="module")
def made(sets):
    return sets.get("cf-protection")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A library that gcc and ld make, with branches checked."""
    directory = tmp_path_factory.mktemp("checked")
    (directory / "a.c").write_text(SOURCE)
    path = directory / "libchecked.so"
    command = [tool("gcc"), "-O2", "-fcf-protection", "-shared", "-fPIC", "-Wl,-z,ibt,-z,shstk,-soname,libchecked.so"]
    subprocess.run([*command, "-o", path, directory / "a.c"], check=True)
    return path


def disassembled(path, section):
    """The instructions of a section without operands, in one list for each 16 bytes."""
    text = ask("objdump", "-d", "--no-show-raw-insn", "-j", section, path)
    parts = {}
    for address, word in re.findall(r"^ +([0-9a-f]+):\t(?:bnd )?(\S+)", text, flags=re.M):
        parts.setdefault(int(address, 16) // 16, []).append(word)
    return list(parts.values())


def plt_entry(path):
    """What the unwind tables say of .plt, without its addresses."""
    address = re.search(r" \.plt +PROGBITS +0*(\w+) ", ask("readelf", "-SW", path))[1]
    frames = ask("readelf", "-wf", path)
    (entry,) = re.findall(rf"FDE cie=\w+ pc=0*{address}\.\..*\n((?:  .*\n)+)", frames)
    return re.sub(r" to \w+|  DW_CFA_nop\n", "", entry)


def test_plt_is_in_two_parts_as_ld_has_it(made, built):
    """Slots lead to the first part, calls to the second. Tools give the second the functions' names."""
    (lazy, *first), second = disassembled(built, ".plt"), disassembled(built, ".plt.sec")
    for path in counted_libraries(made):
        own_lazy, *own_first = disassembled(path, ".plt")
        own_second = disassembled(path, ".plt.sec")
        slots = len(re.findall("R_X86_64_JUMP_SLO", ask("readelf", "-rW", path)))
        assert own_lazy == lazy and len(own_first) == len(own_second) == slots
        assert all(entry == first[0] for entry in own_first) and all(entry == second[0] for entry in own_second)
        assert plt_entry(path) == plt_entry(built)
        calls = re.findall(r"\tcall +\w+ <(.*)>", ask("objdump", "-d", "-j", ".text", path))
        assert calls and not any(name.startswith(".plt") for name in calls)
        assert any(name.endswith("@plt") for name in calls)


def test_functions_begin_with_a_landing_place(made):
    """All functions with a symbol begin with endbr64, also what runs at load and unload."""
    for path in counted_libraries(made):
        code = ask("objdump", "-d", "-j", ".text", "-j", ".init", "-j", ".fini", path)
        first = re.findall(r"^\w+ <(.*)>:\n +\w+:\t[^\t]*\t(\w+)", code, flags=re.M)
        assert {name for name, word in first if word != "endbr64"} == set()
        assert {"_init", "_fini", "frame_dummy", "__do_global_dtors_aux"} <= {name for name, _ in first}


def test_note_says_so(made, built):
    """The note has the contents, the place and the segments of that in ld's output."""

    def told(path):
        note = re.search(r"Properties: .*", ask("readelf", "-nW", path))[0]
        kinds = re.findall(r"^  (NOTE|GNU_PROPERTY) .* (\w+)$", ask("readelf", "-lW", path), flags=re.M)
        sections = ask("readelf", "-SW", path)
        section = re.search(r" (\.note\.gnu\.property +NOTE) +\w+ \w+ (\w+) 00 +A +0 +0 +8", sections)
        return note, kinds, section.groups()

    for path in counted_libraries(made):
        assert told(path) == told(built)


def test_readers_have_nothing_to_say(made):
    for path in counted_libraries(made):
        assert elflint(path) == "No errors\n"
        ask("readelf", "-aW", path)


def test_sets_without_have_nothing_of_it(sets):
    for path in counted_libraries(sets.get("odd")):
        text = ask("readelf", "-SlW", path)
        assert not re.search(r"plt\.sec|gnu\.property|GNU_PROPERTY", text)
        assert "endbr64" not in ask("objdump", "-d", "-j", ".plt", path)


def test_option_is_the_key(programs, tmp_path, made):
    (tmp_path / "a.prof").write_text(variant_text("odd"))
    programs.run("pyelfgen", "--cf-protection", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set")
    for path in counted_libraries(made):
        assert (tmp_path / "set" / path.name).read_bytes() == path.read_bytes()


def test_captured_and_regenerated(programs, built, tmp_path):
    """A captured row has the key. The twin does not differ from the row in it, nor in its PLT and notes."""
    programs.run("pyelfprof", "-o", tmp_path / "a.prof", built)
    assert "cf-protection: true" in (tmp_path / "a.prof").read_text()
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set")
    (told,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert not {"cf-protection", "plt", "relocations: jump-slot", "share: plt", "share: other"} & told["differs"].keys()
    programs.run("pyelfprof", "-o", tmp_path / "twin.prof", tmp_path / "set" / "libutility0.so")
    shares = [re.search("share: {.*?plt: (\\d+)", path.read_text())[1] for path in sorted(tmp_path.glob("*.prof"))]
    assert shares[0] == shares[1]


@pytest.mark.parametrize(
    "damage", [(4, b"\xff\xff\xff\x7f"), (16, b"\x01\x00\x00\x00\xff\xff\xff\xff"), (20, b"\x00\x00\x00\x00")]
)
def test_damaged_notes_are_no_properties(programs, built, tmp_path, damage):
    """pyelfprof does not follow sizes that lead beyond the note."""
    place, bytes_there = damage
    offset = int(re.search(r"\.note\.gnu\.property +NOTE +\w+ (\w+)", ask("readelf", "-SW", built))[1], 16)
    data = bytearray(built.read_bytes())
    data[offset + place : offset + place + len(bytes_there)] = bytes_there
    (tmp_path / "liba.so").write_bytes(data)
    programs.run("pyelfprof", "-o", tmp_path / "a.prof", tmp_path / "liba.so")
    assert "cf-protection" not in (tmp_path / "a.prof").read_text()


def test_parameters_are_in_their_registers_until_they_are_spilled(made):
    """Location list entries of registers end behind the instruction that writes the slot, also behind an endbr64."""
    for path in counted_libraries(made):
        (name,) = re.findall(r" (\w+_helper0)$", ask("readelf", "-sW", path), flags=re.M)
        code = ask("objdump", "-d", "--no-show-raw-insn", f"--disassemble={name}", path)
        assert "endbr64" in code
        spilled = re.findall(r"mov +%r[ds]i,-0x\w+\(%rbp\)\n +([0-9a-f]+):", code)
        entries = ask(tool("llvm-dwarfdump"), "--debug-info", f"--name={name}", "--show-children", path)
        registers = re.findall(r"0x0*[0-9a-f]+, 0x0*([0-9a-f]+)\): DW_OP_reg[45] R[DS]I\b", entries)
        assert len(spilled) == 2 and registers == spilled
