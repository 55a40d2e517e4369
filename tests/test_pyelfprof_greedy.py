"""Files that ask for far more memory or time than their bytes are worth. They are refused, or read only in part."""

import os
import resource
import struct

import pytest

MEMORY = 2 << 30  # bytes of address space that pyelfprof gets


def shared_object(path, sections):
    """Writes an object with these sections, (name, type, address, contents, link, bytes of an entry), and their names.
    Contents are bytes, or (offset, size) of bytes in the file. A section whose name ends in _packed is marked as
    compressed."""
    sections = [("", 0, 0, b"", 0, 0), *sections, (".shstrtab", 3, 0, None, 0, 0)]
    names = b"".join(name.encode() + b"\0" for name, *_ in sections)
    body, headers = b"", []
    for name, kind, address, contents, link, entry in sections:
        contents = names if contents is None else contents
        flags = 2 if address else 0x800 if name.endswith("_packed") else 0
        body += bytes(-len(body) % 16)
        offset, size = contents if isinstance(contents, tuple) else (64 + len(body), len(contents))
        place = names.index(name.encode() + b"\0") if name else 0
        headers.append(struct.pack("<IIQQQQIIQQ", place, kind, flags, address, offset, size, link, 1, 8, entry))
        body += contents if isinstance(contents, bytes) else b""
    body += bytes(-len(body) % 16)
    headers[0] = bytes(64)
    ident = b"\x7fELF\2\1\1" + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64 + len(body), 0, 64, 56, 0, 64, len(headers), len(headers) - 1)
    path.write_bytes(ident + header + body + b"".join(headers))
    return path


@pytest.fixture
def captured(programs, tmp_path):
    def run(*arguments, status=0, timeout=60):
        def limited():
            if not programs.sanitized:  # with sanitizers the shadow memory takes more
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        arguments = ["-o", tmp_path / "it.prof", *arguments]
        done = programs.run("pyelfprof", *arguments, status=status, timeout=timeout, preexec_fn=limited)
        return done.stderr

    return run


def test_a_long_name_that_is_needed_often(captured, tmp_path):
    """60,000 entries share one name of a megabyte, in a file of two megabytes."""
    strings = b"\0" + b"a" * (1 << 20) + b"\0"
    needed = struct.pack("<QQ", 1, 1) * 60000 + bytes(16)
    sections = [(".dynstr", 3, 0x1000, strings, 0, 0), (".dynamic", 6, 0x200000, needed, 1, 16)]
    said = captured("--no-dwarf", shared_object(tmp_path / "needed.so", sections), status=1)
    assert "needed.so: needs a library whose name has 4096 characters or more\n" in said


def test_a_name_that_is_needed_very_often(captured, tmp_path):
    strings = b"\0" + b"a" * 4000 + b"\0"
    needed = struct.pack("<QQ", 1, 1) * 60000 + bytes(16)
    sections = [(".dynstr", 3, 0x1000, strings, 0, 0), (".dynamic", 6, 0x200000, needed, 1, 16)]
    said = captured("--no-dwarf", shared_object(tmp_path / "needed.so", sections), status=1)
    assert "needed.so: has tables that overlap, or of more than " in said


def test_names_that_double(captured, tmp_path):
    """Each of 20,000 names would demangle to a million characters or more. Only the first ones are demangled, as far as
    is fair, and count for all."""
    name = "_Z1f1AIiiE" + "".join(
        f"S_I{one}{one}E" for one in (f"S{digit}_" for digit in "0123456789ABCDEFGHIJ")
    )
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000, 16) * 20000
    strings = b"\0" + name.encode() + b"\0"
    sections = [(".dynstr", 3, 0x1000, strings, 0, 0), (".dynsym", 11, 0x200000, symbols, 1, 24)]
    captured("--no-dwarf", shared_object(tmp_path / "names.so", sections))
    assert f"demangled: {20000 * 65536}" in (tmp_path / "it.prof").read_text()


def test_a_debug_link_to_a_device(captured, tmp_path):
    """Computing the checksum of /dev/zero would never end."""
    link = b"it.debug\0\0\0\0" + struct.pack("<I", 1)
    (tmp_path / "it.debug").symlink_to("/dev/zero")
    captured("--no-dwarf", shared_object(tmp_path / "it.so", [(".gnu_debuglink", 1, 0, link, 0, 0)]))


def test_a_core_file_of_one_note(captured, tmp_path):
    """400 program headers lead to the same note, whose one name has 30 MB."""
    headers = 400
    text = struct.pack("<QQQQQ", 1, 4096, 0x400000, 0x401000, 0) + b"/" + b"a" * (30 << 20) + b"\0"
    note = struct.pack("<III", 5, len(text), 0x46494C45) + b"CORE\0\0\0\0" + text
    note += bytes(-len(note) % 4)
    header = struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, headers, 64, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 4, 0, 64 + 56 * headers, 0, 0, len(note), 0, 4)
    (tmp_path / "core").write_bytes(b"\x7fELF\2\1\1" + bytes(9) + header + segment * headers + note)
    said = captured("--no-dwarf", tmp_path / "core", status=1)
    assert "core: there is no shared object for 64 bits to make a profile of; see --help\n" in said


@pytest.mark.parametrize("tag", [14, 15, 29])  # DT_SONAME, DT_RPATH, DT_RUNPATH
def test_a_long_text_that_is_said_often(captured, tmp_path, tag):
    """60,000 entries share one text of a megabyte, which is not copied for each."""
    strings = b"\0" + b"a" * (1 << 20) + b"\0"
    said = struct.pack("<QQ", tag, 1) * 60000 + bytes(16)
    sections = [(".dynstr", 3, 0x1000, strings, 0, 0), (".dynamic", 6, 0x200000, said, 1, 16)]
    said = captured("--no-dwarf", shared_object(tmp_path / "said.so", sections), status=1)
    assert "said.so: has tables that overlap, or of more than " in said


def test_more_symbols_than_a_library_has(captured, tmp_path):
    """A library imports 4,000,001 symbols of one name from another. pyelfgen reads no such number, so the row says
    less."""
    strings = b"\0x\0liba.so\0"
    symbol = struct.Struct("<IBBHQQ")
    defined = [(".dynstr", 3, 0x1000, strings, 0, 0), (".dynsym", 11, 0x2000, bytes(24) + symbol.pack(1, 0x12, 0, 1, 1, 8), 1, 24)]
    defined += [(".dynamic", 6, 0x3000, struct.pack("<QQQQ", 14, 3, 0, 0), 1, 16)]
    undefined = bytes(24) + symbol.pack(1, 0x12, 0, 0, 0, 0) * 4000001
    used = [(".dynstr", 3, 0x1000, strings, 0, 0), (".dynsym", 11, 0x2000, undefined, 1, 24)]
    used += [(".dynamic", 6, 0x10000000, struct.pack("<QQQQ", 1, 3, 0, 0), 1, 16)]
    captured("--no-dwarf", shared_object(tmp_path / "liba.so", defined), shared_object(tmp_path / "libb.so", used))
    assert "needed: '0:4000000'" in (tmp_path / "it.prof").read_text()


@pytest.mark.parametrize("options", [[], ["--full"]])
def test_sections_of_more_than_any_file(captured, roomy, options):
    """The sizes of four sections, 2^62 bytes each, wrap to a sum of 0. Taken for no bytes, all of that would be
    read."""
    quarter = 1 << 62
    path = shared_object(roomy / "sparse.so", [(f".own{i}", 3, 0, (0, quarter), 0, 0) for i in range(4)])
    try:
        os.truncate(path, quarter)
    except OSError:
        pytest.skip("no file can be so large here")
    assert captured(*options, path) == ""


def library_with_directories(path, directories, names):
    """Makes a library that needs libraries that do not exist, and searches these directories for them (DT_RUNPATH)."""
    strings = b"\0" + ":".join(directories).encode() + b"\0"
    needed = []
    for name in names:
        needed.append(struct.pack("<QQ", 1, len(strings)))
        strings += name.encode() + b"\0"
    dynamic = struct.pack("<QQ", 29, 1) + b"".join(needed) + bytes(16)
    return shared_object(path, [(".dynstr", 3, 0x1000, strings, 0, 0), (".dynamic", 6, 0x1000000, dynamic, 1, 16)])


def test_directories_that_are_named_again(captured, tmp_path):
    names = [f"n{i}" for i in range(1000)]
    path = library_with_directories(tmp_path / "it.so", ["/a", "/b"] * 2000, names)
    said = captured("--no-dwarf", "--exec", path, status=1, timeout=20).splitlines()
    assert len(said) == 1000 and all("it.so: needs n" in line for line in said)


def test_directories_without_number(captured, tmp_path):
    path = library_with_directories(tmp_path / "it.so", [f"/{i}" for i in range(5000)], ["n1"])
    said = captured("--no-dwarf", "--exec", path, status=1).splitlines()
    assert said[0] == f"pyelfprof: {path}: names more than 4096 directories to search; only these are"
    assert len(said) == 2 and "needs n1, which is nowhere" in said[1]


def test_names_in_directories_without_number(captured, tmp_path):
    """1.2 million places are too many to look in, so the search ends early."""
    path = library_with_directories(tmp_path / "it.so", [f"/{i}" for i in range(4000)], [f"n{i}" for i in range(300)])
    said = captured("--no-dwarf", "--exec", path, status=1).splitlines()
    assert said[-1] == (
        f"pyelfprof: {path}: needs libraries that would be looked for in more than 1048576 places, with those of others"
        " before it; the search ends, and libraries are missing"
    )
    assert len(said) == 262 and all("which is nowhere" in line for line in said[:-1])


def test_packed_sections_that_overlap(captured, tmp_path):
    """401 sections share the same 4 MB, a frame that zstd skips (RFC 8878, section 3.1.2)."""
    frame = struct.pack("<II", 0x184D2A50, 4 << 20) + bytes(4 << 20)
    packed = struct.pack("<IIQQ", 2, 0, 0, 1) + frame
    sections = [(".debug_info", 1, 0, bytes(16), 0, 0), (".debug_abbrev", 1, 0, bytes(16), 0, 0)]
    sections += [(".debug_packed", 1, 0, packed, 0, 0), (".rodata", 1, 0x1000, bytes(16), 0, 0)]
    place = 64 + 2 * 16
    sections += [(".debug_again_packed", 1, 0, (place, len(packed)), 0, 0)] * 400
    said = captured(shared_object(tmp_path / "packed.so", sections), status=1)
    assert "packed.so: has compressed sections that overlap, or of more than " in said


def test_a_core_whose_link_map_has_no_end(captured, tmp_path):
    """The entry of the link map is its own next. The core also maps 400,000 files, none of which the entry belongs
    to."""
    base = 0x10000
    memory = bytearray(4096)
    struct.pack_into("<IIQQQQQQ", memory, 0, 6, 4, 0, base, base, 0, 0, 8)  # PT_PHDR
    struct.pack_into("<IIQQQQQQ", memory, 56, 2, 4, 0, base + 0x200, 0, 0, 0, 8)  # PT_DYNAMIC
    struct.pack_into("<QQ", memory, 0x200, 21, base + 0x300)  # DT_DEBUG
    struct.pack_into("<i4xQ", memory, 0x300, 1, base + 0x400)  # r_debug
    struct.pack_into("<QQQQQ", memory, 0x400, 0, 0, 1, base + 0x400, 0)  # link_map, which is its own next

    def note(kind, text):
        return struct.pack("<III", 5, len(text), kind) + b"CORE\0\0\0\0" + text + bytes(-len(text) % 4)

    files = 400000
    ranges = b"".join(struct.pack("<QQQ", at << 12, (at + 1) << 12, 0) for at in range(files, 0, -1))
    notes = note(6, struct.pack("<QQQQQQ", 3, base, 5, 2, 0, 0)) + note(0x46494C45, struct.pack("<QQ", files, 4096) + ranges + b"x\0" * files)
    place = 64 + 2 * 56
    header = struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 4, 0, place, 0, 0, len(notes), 0, 4)
    segments += struct.pack("<IIQQQQQQ", 1, 4, place + len(notes), base, 0, 4096, 4096, 4096)
    (tmp_path / "core").write_bytes(b"\x7fELF\2\1\1" + bytes(9) + header + segments + notes + memory)
    said = captured("--no-dwarf", tmp_path / "core", status=1, timeout=20)
    assert "core: there is no shared object for 64 bits to make a profile of; see --help\n" in said


def test_debug_links_to_a_sparse_file(captured, tmp_path):
    """Computing the checksum of the file would take eight seconds for each library."""
    link = b"it.debug\0\0\0\0" + struct.pack("<I", 1)
    (tmp_path / "it.debug").touch()
    os.truncate(tmp_path / "it.debug", 16 << 30)
    libraries = [shared_object(tmp_path / f"it{i}.so", [(".gnu_debuglink", 1, 0, link, 0, 0)]) for i in range(9)]
    captured("--no-dwarf", *libraries, timeout=9)
