"""What a linker adds, in libraries whose rows give sizes of shares: .plt.got, buckets of .gnu.hash, libraries whose
versions are needed, the last bytes of .text and .eh_frame. The judges are binutils and the dynamic linker.
"""

import ctypes
import json
import re
import struct

import pytest

from objects import ask, dwarfdump_complaints, section, tool

# The first two are linked with -O1 and need versions of one library. The third is linked without -O1, has entries of
# .plt.got for other functions too, and needs versions of two libraries.
ROWS = """\
- {kind: module, text: 148272, data: 4200, bss: 336, functions: 175, dynamic: {functions: 175, objects: 31, undefined: 162,
   weak: 4, dynstr: 4320}, relocations: {relative: 194, jump-slot: 152, glob-dat: 27, symbols: 27, pages: 2}, plt: 152,
   outside: 3, soname: false, versions: 3, constructors: 2, constructor-code: 168, init-code: 1103, unwind-entries: 263,
   mangled: 32, function-sizes: '5*2 9 14 16 19 30 39 47 103 1103', share: {code: 102286, plt: 2456, constants: 4512,
   unwind: 13324, symbols: 16706, relocations: 8952}}
- {kind: module, text: 11178, data: 1224, bss: 24, functions: 2, dynamic: {functions: 2, undefined: 38, weak: 4,
   dynstr: 705}, relocations: {relative: 19, jump-slot: 27, glob-dat: 11, symbols: 11, pages: 2}, plt: 27, outside: 2,
   soname: false, versions: 2, init-code: 601, unwind-entries: 12, share: {code: 4601, plt: 456, constants: 1402,
   unwind: 1452, symbols: 1863, relocations: 1368}}
- {kind: module, text: 11282, data: 1224, bss: 24, functions: 2, dynamic: {functions: 2, undefined: 38, weak: 4,
   dynstr: 705}, relocations: {relative: 19, jump-slot: 27, glob-dat: 11, symbols: 11, pages: 2}, plt: 27, outside: 2,
   soname: false, versions: 3, init-code: 601, unwind-entries: 12, share: {code: 4601, plt: 472, constants: 1462,
   unwind: 1452, symbols: 1891, relocations: 1368}}
"""
SAID = [{"direct": 1, "buckets": 408, "needs": 1}, {"direct": 1, "buckets": 3, "needs": 1}, {"direct": 3, "buckets": 2, "needs": 2}]


@pytest.fixture(scope="module")
def linked(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("linked")
    (directory / "rows.prof").write_text(
        "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 3, unreadable: 0}\nlibraries:\n" + ROWS
    )
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    told = json.loads((directory / "set" / "differences.json").read_text())["libraries"]
    return [(directory / "set" / library["name"], library["differs"]) for library in told]


def size_of(path, *names):
    return sum(section(path, name)[2] for name in names)


def test_shares_are_those_of_the_rows_to_the_byte(linked):
    for path, differs in linked:
        assert not [key for key in differs if key.startswith("share") or key in ("versions", "outside", "unwind-entries")], path
    path, _ = linked[0]
    assert size_of(path, ".init", ".text", ".fini") == 102286
    assert size_of(path, ".eh_frame", ".eh_frame_hdr") == 13324


def test_what_has_a_word_in_got_is_called_through_plt_got(linked):
    """crtbeginS.o calls __cxa_finalize like this. objdump names the entries by the words through which they jump."""
    for (path, _), said in zip(linked, SAID, strict=True):
        code = ask("objdump", "-d", "--no-show-raw-insn", path)
        entries_of = code[code.index("Disassembly of section .plt.got:") : code.index("Disassembly of section .text:")]
        entries = re.findall(r"^\w+ <(\S+)@plt>:\n.*jmp +\*0x\w+\(%rip\) +# \w+ <(\S+)>\n.*xchg +%ax,%ax$", entries_of, flags=re.M)
        assert len(entries) == said["direct"] == size_of(path, ".plt.got") / 8
        assert entries[0][0] == "__cxa_finalize" and all(at.split("@")[0] == name for name, at in entries)
        assert re.search(r"addr32 call +\w+ <__cxa_finalize@plt>", code)
        frames = ask("readelf", "--debug-dump=frames-interp", path)
        start = int(re.search(r"^(\w+) <__cxa_finalize@plt>", entries_of, flags=re.M)[1], 16)
        assert re.search(rf"FDE .*pc={start:016x}\.\.{start + 8 * said['direct']:016x}\n", frames)


def test_symbols_are_found_with_as_many_buckets(linked):
    for (path, _), said in zip(linked, SAID, strict=True):
        histogram = ask("readelf", "-I", path)
        found = re.search(r"`\.gnu\.hash' bucket list length \(total of (\d+) buckets\)", histogram)
        assert int(found[1]) == said["buckets"]
        names = re.findall(r" (?:FUNC|OBJECT) +GLOBAL DEFAULT +\d+ (\S+)$", ask("readelf", "--dyn-syms", "-W", path), flags=re.M)
        library = ctypes.CDLL(path)
        assert names and all(hasattr(library, name.split("@")[0]) for name in names)


def test_names_stand_in_another_order_than_symbols(linked):
    """ld takes symbols from a hash table, so looking one up reads strings in many places. In .symtab names are in
    order."""
    for path, _ in linked:
        contents = path.read_bytes()
        _, start, size = section(path, ".dynsym")
        names = [struct.unpack_from("<I", contents, at)[0] for at in range(start + 24, start + size, 24)]
        rising = sum(first < second for first, second in zip(names, names[1:]))
        assert 0.25 < rising / len(names) < 0.75 and len(set(names)) == len(names)
        strings = ask("strings", "-n", "1", path).split("\n")
        assert strings.count("__cxa_finalize") == 1


def test_versions_are_needed_of_as_many_libraries(linked):
    """The library needs each of these libraries. Each has the version: the dynamic linker has loaded the library
    above."""
    for (path, _), said in zip(linked, SAID, strict=True):
        needs = re.findall(r"Version: 1  File: (\S+)  Cnt: (\d+)", ask("readelf", "-V", path))
        assert len(needs) == said["needs"] and needs[0][0] == "libc.so.6"
        needed = re.findall(r"\(NEEDED\) +Shared library: \[(\S+)\]", ask("readelf", "-d", path))
        assert {name for name, _ in needs} <= set(needed)


def test_readers_have_nothing_to_complain_of(linked):
    for path, _ in linked:
        assert ask(tool("eu-elflint"), "--gnu-ld", path) == "No errors\n"
        assert not re.search("[Ww]arning|[Ee]rror:", ask("readelf", "-aW", path))
        assert dwarfdump_complaints(ask(tool("dwarfdump"), "-ka", path)) == []
