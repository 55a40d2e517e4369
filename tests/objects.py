"""What binutils and other tools read from ELF files: sizes, symbols, code and lines.

The tests judge our files by programs that others wrote. So nothing here parses ELF or DWARF itself.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

import pytest

# Debian's lldb-14 looks for its own Python module in a wrong place, and for that module's imports with the python3 that
# is first in PATH.
LLDB_PYTHON = [*pathlib.Path("/usr/lib/llvm-14/lib").glob("python3.*/dist-packages"), "/usr/lib/python3/dist-packages"]
LLDB_ENVIRONMENT = {"PYTHONPATH": ":".join(map(str, LLDB_PYTHON))}

FIVE = ["text", "data", "debug", "symtab", "strtab"]


def tool(*names):
    """The path of the first of these programs that is installed; the test is skipped if none is."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    pytest.skip(f"{names[0]} is not installed")


# gdb's complaint about every call that was inlined into an inlined one: see docs/gauntlet.md.
OF_NESTED_CALLS = r"^During symbol reading: Child DIE \w+ and its abstract origin \w+ have different parents\n"


def ask(*command, timeout=120):
    """The output of a program in the C locale; asserts status 0 and nothing on stderr but OF_NESTED_CALLS."""
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    said = re.sub(OF_NESTED_CALLS, "", done.stderr, flags=re.M)
    assert done.returncode == 0 and said == "", f"{command[0]}: {done.returncode}\n{said[:2000]}"
    return done.stdout


# elfutils 0.188 does not know SHT_RELR and says this about packed relocations, ld's too.
RELR_UNKNOWN = r"^section \[ *\d+\] '\.relr\.dyn' has wrong type: expected REL, is <unknown>: 19\n"


def elflint(path, *options, timeout=120):
    """The output of eu-elflint without RELR_UNKNOWN; 'No errors' if it found nothing else."""
    command = [tool("eu-elflint"), "--gnu-ld", *options, path]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    found = re.sub(RELR_UNKNOWN, "", done.stdout, flags=re.M)
    assert done.stderr == "" and (done.returncode == 0 or found != done.stdout)
    return found or "No errors\n"


# What dwarfdump 20210528 says about gcc's and dwz's output too (test_gauntlet.py). It does not know location views, nor
# that DW_TAG_atomic_type is the tag of a type, nor that DW_TAG_imported_unit may stand in a compile unit.
DWARFDUMP_KNOWN = (
    r"DW_TAG_\w+ -> DW_AT_GNU_locviews: check",
    r"DW_AT_GNU_locviews -> DW_FORM_CLASS_UNKNOWN: check",
    r"DW_TAG_inlined_subroutine -> DW_AT_GNU_entry_view: check",
    r"DW_AT_GNU_entry_view -> DW_FORM_CLASS_CONSTANT: check",
    r"DW_TAG_compile_unit -> DW_TAG_imported_unit: tag-tree relation is not standard",
    r"DW_AT_type offset \w+ does not point to Type info we got tag 0x47 DW_TAG_atomic_type",
)
# dwarfdump adds this for each row of a line table that a partial unit refers to, as all of dwz's do: it has no code.
DWARFDUMP_OF_PARTIAL = (*DWARFDUMP_KNOWN, r"\.debug_line: Address \w+ outside a valid \.text range")


def dwarfdump_complaints(output, known=DWARFDUMP_KNOWN):
    """The lines of the output of `dwarfdump -ka` that are complaints and not among `known`.

    Its exit status does not tell of complaints, and its headings contain the same words.
    """
    pattern = r"^.*(?:\*\*\* DWARF CHECK: (.*)|DW_DLE_.*|ERROR(?!S FOR ALL).*)$"
    found = re.finditer(pattern, output, flags=re.M)
    return [line[0] for line in found if not any(re.match(what, line[1] or "") for what in known)]


def library_of_units(directory):
    """A library of three units that include the same header, from which dwz makes a partial unit."""
    members = " ".join(f"int member_number_{i}_of_the_structure;" for i in range(100))
    (directory / "all.h").write_text(f"struct of_all {{ {members} }};\n")
    units = [directory / f"unit{i}.c" for i in range(3)]
    for source in units:
        source.write_text(f'#include "all.h"\nstruct of_all object_of_{source.stem};\n')
    library = directory / "libshared.so"
    subprocess.run([tool("gcc"), "-shared", "-fPIC", "-g", "-gdwarf-5", "-o", library, *units], check=True)
    return library


CALLER = """
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    struct link_map *m = dlopen(argv[1], RTLD_NOW);
    if (!m || argc < 3)
        return 1;
    ((long (*)(void *, void *, void *, void *, void *))(m->l_addr + strtoul(argv[2], NULL, 16)))(m, m, m, m, m);
    return 0;
}
"""


def program_that_calls(directory):
    """The path of a program that opens its first operand, a library, and calls the function at the address, in hex, that
    is the second. The function may read memory at its arguments."""
    (directory / "call.c").write_text(CALLER)
    subprocess.run([tool("gcc"), "-g", "-O0", directory / "call.c", "-o", directory / "call"], check=True)
    return directory / "call"


def each(function, items):
    """[function(item), ...], with a thread for each processor."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(function, items))


def every(items, most):
    """At most so many of the items, evenly spread."""
    items = list(items)
    return items if len(items) <= most else [items[i * len(items) // most] for i in range(most)]


def sizes_by_binutils(path):
    """The sizes of a file as `size` and `readelf` show them."""
    return sizes_of_each([path])[0]


def sizes_of_each(paths):
    """The sizes of many files, in their order."""
    paths = [str(path) for path in paths]
    berkeley = ask("size", *paths).splitlines()[1:]
    sections = ask("readelf", "-SW", *paths)
    by_file = re.split(r"^File: .*\n", sections, flags=re.M)[1:] if len(paths) > 1 else [sections]
    assert len(berkeley) == len(by_file) == len(paths)
    return [sizes_of_one(*pair) for pair in zip(berkeley, by_file)]


def sizes_of_one(berkeley, sections):
    text, data, bss = (int(n) for n in berkeley.split()[:3])
    named = re.findall(r"\] (\.\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", sections)
    sizes = {
        "text": text,
        "data": data,
        "debug": sum(int(size, 16) for name, size in named if re.match(r"\.z?debug", name)),
        "symtab": sum(int(size, 16) for name, size in named if name == ".symtab"),
        "strtab": sum(int(size, 16) for name, size in named if name == ".strtab"),
    }
    return {**sizes, "total": sum(sizes.values()), "bss": bss}


def counted_libraries(directory):
    """The libraries of a set whose sizes count, all but the markers, sorted by name."""
    return sorted(path for path in directory.glob("*.so") if not re.search("module(begin|final)", path.name))


def sums(directory):
    """The five sizes and bss of a set: the sums over its libraries."""
    each_one = sizes_of_each(counted_libraries(directory))
    return {size: sum(sizes[size] for sizes in each_one) for size in FIVE + ["bss"]}


def section(path, name):
    """(address, offset in the file, size) of a section."""
    for line in ask("readelf", "-SW", path).splitlines():
        found = re.search(r"\] (\S+)\s+\S+\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) ", line)
        if found and found[1] == name:
            return tuple(int(number, 16) for number in found.groups()[1:])
    raise KeyError(f"{path} has no section {name}")


def code_by_readelf(path):
    """How many bytes of code .debug_aranges covers, each once, but for what was discarded at the beginning."""
    pairs = re.findall(r"^ +([0-9a-f]{16}) ([0-9a-f]{16})$", ask("readelf", "--debug-dump=aranges", path), flags=re.M)
    count, end = 0, 0x100
    for start, size in sorted((int(start, 16), int(size, 16)) for start, size in pairs):
        count += max(0, start + size - max(start, end)) if start > 1 else 0
        end = max(end, start + size) if start > 1 else end
    return count


def functions(path):
    """[(name, address)] of the numbered functions of a library, by address."""
    stems = (f"{path.stem}_fun", f"_ZN{len(path.stem)}{path.stem}")
    rows = ask("nm", "-D", "--defined-only", path).splitlines()
    found = [(row.split()[2], int(row.split()[0], 16)) for row in rows if row.split()[2].startswith(stems)]
    return sorted(found, key=lambda row: row[1])


def demangled(names, *programs):
    """The names as the first of these demanglers that is installed shows them; c++filt by default."""
    program = tool(*(programs or ("c++filt",)))
    done = subprocess.run([program], input="\n".join(names), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


class Code:
    """The instructions of a function on which its result depends."""

    def __init__(self):
        self.calls = []  # (address of the call, called function) of calls through the PLT
        self.number = None  # the constant that the result begins with
        self.times = []  # how often each of the calls is made: more than once in a loop, before which a counter is set


def code(path):
    """{function: Code} of a library, read from its disassembly.

    In a library without .symtab, objdump appends @@Base to the names of the dynamic symbols.
    """
    listing = ask("objdump", "-d", "--no-show-raw-insn", "-j", ".text", path)
    found = {}
    here = None
    label = r"^[0-9a-f]{16} <([^>@]+)(?:@@Base)?>:$"
    call = r"^ *([0-9a-f]+):\tcall +[0-9a-f]+ <([^>]+)@plt>$"
    counter = r"\tmovl +\$0x([0-9a-f]+),-0x80\(%rbp\)$"
    number = r"\tmovabs \$0x([0-9a-f]+),%rax$"
    for match in re.finditer(f"{label}|{call}|{number}|{counter}", listing, flags=re.M):
        if match[1]:
            here = found.setdefault(match[1], Code())
            times = 1
        elif match[2]:
            here.calls.append((int(match[2], 16), match[3]))
            here.times.append(times)
            times = 1
        elif match[5]:
            times = int(match[5], 16)
        elif here.number is None:
            here.number = int(match[4], 16)
    return found


def calls(path):
    """{function: [(address of the call, called function), ...]} of a library."""
    return {name: function.calls for name, function in code(path).items()}


def line_of(path, address, outermost=False):
    """(file's name, line) of an address; with `outermost`, that of the call if code was inlined there."""
    lines = ask("addr2line", "-i" if outermost else "-a", "-e", path, hex(address)).splitlines()
    file, line = lines[-1].rsplit(":", 1)
    return os.path.basename(file), int(line.split()[0])
