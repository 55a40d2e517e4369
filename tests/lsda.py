"""Parses .eh_frame and .gcc_except_table of an x86-64 library, by the Linux Standard Base (core 5.0, 10.6) and the
Itanium C++ ABI ("Exception Handling Tables"). Nothing here depends on what wrote them: g++'s tables are read as well.
"""

import dataclasses
import re
import struct

from objects import ask, section

OMIT, ULEB128, PCREL_SDATA4, INDIRECT = 0xFF, 0x01, 0x1B, 0x80


class Bytes:
    """The bytes of a section, with a place to read from that moves on."""

    def __init__(self, path, name):
        self.address, offset, size = section(path, name)
        with open(path, "rb") as file:
            file.seek(offset)
            self.data = file.read(size)
        self.at = 0

    def number(self, form):
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def leb128(self, signed=False):
        value = shift = 0
        while True:
            byte = self.number("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift if signed and byte & 0x40 else 0)

    def relative(self):
        """Reads a value encoded as pcrel sdata4 and returns it as an address; None for 0."""
        here = self.address + self.at
        value = self.number("i")
        return here + value if value else None


@dataclasses.dataclass
class Function:
    """A function with an entry (FDE) in .eh_frame; all numbers are addresses."""

    start: int
    end: int
    table: int = None  # its part of .gcc_except_table
    personality: int = None  # the word that has the address of the personality routine


def functions(path):
    """The functions that have entries in .eh_frame, in the section's order."""
    frame = Bytes(path, ".eh_frame")
    common, found = {}, []
    while frame.at + 4 <= len(frame.data):
        begin = frame.at
        length = frame.number("I")
        if not length:
            continue
        end = frame.at + length
        back = frame.number("I")
        if back:
            augmentation, personality = common[begin + 4 - back]
            start = frame.relative()
            function = Function(start, start + frame.number("I"), personality=personality)
            size = frame.leb128()
            assert size == (4 if "L" in augmentation else 0)
            function.table = frame.relative() if size else None
            found.append(function)
        else:
            common[begin] = common_entry(frame)
        assert frame.at <= end
        frame.at = end
    return found


def common_entry(frame):
    """Reads a common entry (CIE): its augmentation, and the address of the word that has the personality routine's."""
    assert frame.number("B") == 1
    end = frame.data.index(b"\0", frame.at)
    augmentation = frame.data[frame.at : end].decode()
    frame.at = end + 1
    assert frame.leb128() == 1 and frame.leb128(signed=True) == -8 and frame.number("B") == 16
    size = frame.leb128()
    end = frame.at + size
    personality = None
    assert augmentation[0] == "z"
    for letter in augmentation[1:]:
        if letter == "P":
            assert frame.number("B") == INDIRECT | PCREL_SDATA4
            personality = frame.relative()
        elif letter in "LR":
            assert frame.number("B") == PCREL_SDATA4
        else:
            assert letter == "S"
    assert frame.at == end
    return augmentation, personality


@dataclasses.dataclass
class Table:
    """The part of .gcc_except_table that belongs to a function."""

    sites: list  # (start, end, landing pad or None, action): three addresses; 0 or 1 + the place of the first action
    actions: dict  # {place: (filter, place of the next action or None)}
    types: list  # addresses; None stands for any type


def table_of(function, table, end):
    """Parses the part of .gcc_except_table that belongs to a function and ends at the offset `end`. Asserts that each
    byte has a meaning to the personality routine of C++."""
    table.at = function.table - table.address
    assert table.number("B") == OMIT
    encoding = table.number("B")
    if encoding != OMIT:
        assert encoding == INDIRECT | PCREL_SDATA4
        size = table.leb128()
        assert table.at + size == end and (table.address + end) % 4 == 0
    assert table.number("B") == ULEB128
    size = table.leb128()
    begin = table.at + size
    sites, last = [], 0
    while table.at < begin:
        start, length, pad, action = (table.leb128() for _ in range(4))
        assert start >= last and length > 0 and function.start + start + length <= function.end
        assert pad or not action
        last = start + length
        sites.append((function.start + start, function.start + last, function.start + pad if pad else None, action))
    assert table.at == begin
    actions, count = {}, 0
    while table.at < end - 4 * count:
        place = table.at - begin
        chosen = table.leb128(signed=True)
        here = table.at - begin
        onward = table.leb128(signed=True)
        actions[place] = (chosen, here + onward if onward else None)
        count = max(count, chosen)
    assert table.at == end - 4 * count and (count > 0) == (encoding != OMIT)
    assert all(action - 1 in actions for *_, action in sites if action)
    assert all(chosen >= 0 and (onward is None or onward in actions) for chosen, onward in actions.values())
    return Table(sites, actions, [table.relative() for _ in range(count)])


def tables_of(path):
    """{address of a function: (Function, Table)}; asserts that the section has nothing else."""
    tabled = [function for function in functions(path) if function.table]
    if not tabled:
        return {}
    table = Bytes(path, ".gcc_except_table")
    begins = [function.table - table.address for function in tabled]
    assert begins[0] == 0 and begins == sorted(begins)
    ends = [*begins[1:], len(table.data)]
    return {function.start: (function, table_of(function, table, end)) for function, end in zip(tabled, ends)}


def instructions(path):
    """The addresses at which instructions of .text begin."""
    listing = ask("objdump", "-d", "--no-show-raw-insn", "-j", ".text", path)
    return {int(at, 16) for at in re.findall(r"^ *([0-9a-f]+):\t", listing, flags=re.M)}
