"""Entries, structures, functions and rows of the line table, read from readelf's dumps of debug sections."""

import functools
import re

from objects import ask, functions

STMT = re.compile(r"^(\S+) +(\d+|-) +(?:0x)?([0-9a-f]+)\b(?: +\d+)?( +x)? *(?:END)?$", re.M)


class Entry:
    """One entry: its tag, {attribute: value as readelf prints it}, and the entries below it."""

    def __init__(self, tag):
        self.tag, self.attributes, self.children = tag, {}, []

    def number(self, name):
        return int(self.attributes[name], 0)


@functools.lru_cache(maxsize=4)
def entries(path):
    """{offset: Entry} of a library."""
    found, above = {}, []
    row = r"^ <(\w+)><(\w+)>: Abbrev Number: \d+ \((DW_TAG_\w+)\)$|^    <\w+> +(DW_AT_\w+) *: (?:\(.*?\): )?(.*?)\s*$"
    for depth, offset, tag, attribute, value in re.findall(row, ask("readelf", "--debug-dump=info", path), flags=re.M):
        if tag:
            entry = found[int(offset, 16)] = Entry(tag)
            del above[int(depth, 16) :]
            if above:
                above[-1].children.append(entry)
            above.append(entry)
        else:
            above[-1].attributes[attribute] = value
    return found


def type_of(path, entry):
    """The entry that an entry's DW_AT_type refers to."""
    return entries(path)[int(re.search(r"<0x(\w+)>", entry.attributes["DW_AT_type"])[1], 16)]


def size_of(path, entry):
    """The size of a type in bytes."""
    if "DW_AT_byte_size" in entry.attributes:
        return entry.number("DW_AT_byte_size")
    if entry.tag == "DW_TAG_array_type":
        bounds = [child for child in entry.children if child.tag == "DW_TAG_subrange_type"]
        count = 1
        for bound in bounds:
            count *= bound.number("DW_AT_upper_bound") + 1
        return count * size_of(path, type_of(path, entry))
    return size_of(path, type_of(path, entry))


def structures(path):
    """{name: [(size, [[member's name, offset, size], ...]), ...]}: the different definitions of a name, each once."""
    found = {}
    for entry in entries(path).values():
        if entry.tag == "DW_TAG_structure_type" and "DW_AT_declaration" not in entry.attributes:
            members = [child for child in entry.children if child.tag == "DW_TAG_member"]
            rows = [
                [
                    member.attributes["DW_AT_name"],
                    member.number("DW_AT_data_member_location"),
                    size_of(path, type_of(path, member)),
                ]
                for member in members
            ]
            said = found.setdefault(entry.attributes.get("DW_AT_name"), [])
            if (entry.number("DW_AT_byte_size"), rows) not in said:
                said.append((entry.number("DW_AT_byte_size"), rows))
    return found


def declared(row):
    """The name that a member's declaration in C declares, also as a pointer to functions; None if there is none."""
    row = row.rstrip()
    through = re.search(r"\(\*[\s*(]*(?:const |volatile )*(\w+)", row)
    plain = re.search(r"(\w+)(?:\[\d+\])*(?: : \d+)?;$", row)
    return (through or plain)[1] if row.endswith(";") and (through or plain) else None


def names_below(entry, tag):
    """The names of all entries with this tag below an entry and its lexical blocks, at any depth."""
    for child in entry.children:
        if child.tag == tag and "DW_AT_name" in child.attributes:
            yield child.attributes["DW_AT_name"]
        if child.tag == "DW_TAG_lexical_block":
            yield from names_below(child, tag)


def subprogram(path, name):
    is_it = lambda entry: entry.tag == "DW_TAG_subprogram" and entry.attributes.get("DW_AT_name") == name  # noqa: E731
    return next(entry for entry in entries(path).values() if is_it(entry) and "DW_AT_low_pc" in entry.attributes)


def line_rows(path):
    """The line table: [(address, (file's name, line), is_stmt)]; a line of None ends a sequence."""
    table = ask("readelf", "-W", "--debug-dump=decodedline,no-follow-links", path)
    rows = STMT.findall(table)
    return [(int(at, 16), (file, None if line == "-" else int(line)), bool(stmt)) for file, line, at, stmt in rows]


def first_lines(path, name):
    """The places of a function's first statements, up to its first branch, call, or inlined code."""
    start = dict(functions(path))[name]
    listing = ask("objdump", "-d", "--no-show-raw-insn", f"--start-address={start}", f"--disassemble={name}", path)
    leaves = re.search(r"^ *([0-9a-f]+):\t(?:j|call|ret|leave)", listing, flags=re.M)
    end = int(leaves[1], 16)
    rows = sorted((row for row in line_rows(path) if start <= row[0] <= end), key=lambda row: row[0])
    lines, own, addresses = [], None, [address for address, *_ in rows]
    for address, place, is_stmt in rows:
        own = own or place[0]
        if place[0] != own or addresses.count(address) > 1:  # the first address of a block has several rows
            break
        if is_stmt and (not lines or lines[-1] != place):
            lines.append(place)
    return lines
