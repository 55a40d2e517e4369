"""Every tool that reads ELF or DWARF, on libraries of every variant: see docs/gauntlet.md.

Runs without pytest. Prints a table of tools by variants, then the reasons for the pairs that were left out, then the
failures. The exit status is 1 if a tool complained or, without --short, if a tool is not installed. The tools judge
what pyelfgen writes. Where a tool's answer can be compared, it is compared with what another tool reads from the
symbol table, the line table or the code.
"""

import argparse
import bisect
import concurrent.futures
import contextlib
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import entries
import objects
from conftest import BUILD, SOURCE
from objects import every
from sets import manifest_of, profile_text
from shells import tidy_when_ended

TIMEOUT = 60
LOADER = SOURCE / "tests" / "gauntlet_load.c"
SUPPRESSIONS = SOURCE / "tests" / "gauntlet.supp"

# --- variants -----------------------------------------------------------------


class Variant:
    """A kind of set: the keys of its profile, and its traits, by which EXCLUDED leaves out pairs.

    Of a `large` variant only --sample modules and utilities are looked at. --short leaves out `large` and `long`
    variants. The keys are added to the shipped profile `base`, or to SHORT or FULL without one. `options` are
    pyelfgen's.
    """

    def __init__(self, name, keys, *traits, base=None, options=()):
        self.name, self.keys, self.traits, self.base, self.options = name, keys, traits, base, options

    def profile(self, short):
        if self.base:
            text = (SOURCE / "profiles" / f"{self.base}.prof").read_text()
            added = profile_text(**self.keys).split("\n", 1)[1]
            return text + added
        return profile_text(**{**(SHORT if short else FULL), **self.keys})


SHORT = {"application": "gauntlet", "modules": 2, "utilities": 1, "functions": 60}
FULL = {"application": "gauntlet", "modules": 5, "utilities": 3, "functions": 200}

ITANIUM = {"names": {"style": "itanium"}}

# To add a variant, add a row.
VARIANTS = [
    Variant("dwarf5", {}),
    Variant("dwarf4", {"dwarf": {"version": 4}}),
    Variant("zlib", {"dwarf": {"compress": "zlib"}}, "compressed"),
    Variant("zstd", {"dwarf": {"compress": "zstd"}}, "compressed", "zstd"),
    Variant("gdb-index", {"dwarf": {"index": "gdb_index"}}, "gdb-index"),
    Variant("debug-names", {"dwarf": {"index": "debug_names"}}, "debug-names"),
    Variant("tu5", {"dwarf": {"type-units": True}}, "type-units", "tu5"),
    Variant("tu4", {"dwarf": {"type-units": True, "version": 4}}, "type-units"),
    Variant("split5", {"dwarf": {"split": True}}, "split", "split5"),
    Variant("dwp4", {"dwarf": {"split": True, "version": 4}}, "split", "dwp4"),
    Variant("c++5", {**ITANIUM, "dwarf": {"language": "c++"}}, "c++"),
    Variant("c++4", {**ITANIUM, "dwarf": {"language": "c++", "version": 4}}, "c++", "long"),
    Variant("clang", {"dwarf": {"compiler": "clang"}}, "clang"),
    Variant("clang-c++", {**ITANIUM, "dwarf": {"language": "c++", "compiler": "clang"}}, "clang", "c++"),
    Variant("fortran", {"dwarf": {"language": "fortran"}}, "fortran"),
    Variant("views5", {"dwarf": {"views": True}}),
    Variant("views4", {"dwarf": {"views": True, "version": 4}}, "long"),
    Variant("entry-values5", {"dwarf": {"entry-values": True}}),
    Variant("entry-values4", {"dwarf": {"entry-values": True, "version": 4}}, "long"),
    Variant("debuglink", {"dwarf": {"separate": "debuglink"}}, "separate", "long"),
    Variant("build-id", {"dwarf": {"separate": "build-id"}}, "separate", "build-id"),
    Variant("relr", {"elf": {"relr": True}}, "relr"),
    Variant("cf-protection", {"elf": {"cf-protection": True}}),
    Variant("noseparate-code", {"elf": {"separate-code": False, "max-page-size": 2 << 20}}),
    Variant("exceptions", {**ITANIUM, "dwarf": {"language": "c++"}, "elf": {"exceptions": True}}, "c++", "long"),
    Variant("bigexe", {}, "executable", options=["--link", "--bigexe", "2 MB"]),
    Variant("static", {}, "executable", options=["--static"]),
    Variant("llnl-2007", {}, "large", base="llnl-2007"),
    Variant("c", {}, "large", base="c"),
    Variant("c++", {}, "large", "c++", base="c++"),
]

# (traits, tools, reason): the tools are not run on variants that have all of the traits. Statements about compilers'
# output hold for gcc 12, gfortran 12 and clang 14, unless the reason names another.
EXCLUDED = [
    (
        ["zstd"],
        ["eu-readelf", "eu-addr2line", "verify", "symbolizer", "dwarfdump", "lldb", "abidw", "pahole", "valgrind"],
        "elfutils 0.188, LLVM 14, libdwarf 20210528, abidw 2.2, pahole 1.24 and valgrind 3.19 do not know zstd",
    ),
    (["zstd"], ["eu-stack-lines"], "elfutils 0.188 does not know zstd: names only, see eu-stack"),
    (["compressed"], ["dwz"], "dwz 0.15 refuses compressed sections"),
    (["debug-names"], ["dwz"], "dwz 0.15 does not know .debug_names"),
    (
        ["tu5"],
        ["dwz", "abidw", "valgrind"],
        "dwz 0.15, abidw 2.2 (an assertion) and valgrind 3.19 (exit status 1) do not know DW_UT_type",
    ),
    (["tu5"], ["objdump"], "binutils 2.40 names the unit's source where code of a header is inlined, of gcc's too"),
    (["type-units"], ["pahole"], "pahole 1.24 finds no types by their signatures"),
    (["split"], ["dwz"], "dwz 0.15 does not know .debug_addr"),
    (["split"], ["abidw", "pahole"], "abidw 2.2 and pahole 1.24 find no function or structure, or end in an assertion"),
    (["split5"], ["valgrind"], "valgrind 3.19 does not know skeleton units and ends"),
    (
        ["dwp4"],
        ["readelf-dwarf", "objdump-dwarf", "eu-readelf"],
        "binutils 2.40 and elfutils 0.188 look for .dwo files, not for a package",
    ),
    (["c++"], ["pahole"], "pahole 1.24 complains of every kind of a template's parameters, of g++'s too"),
    (["clang"], ["dwz"], "dwz 0.15 does not know .debug_addr, of clang's neither"),
    (
        ["clang"],
        ["eu-addr2line", "eu-stack-lines"],
        "elfutils 0.188 finds no unit without .debug_aranges, which clang does not write",
    ),
    (["clang"], ["valgrind"], "valgrind 3.19 ends, or reads no lines, at strings by number, of clang's too"),
    (["build-id"], ["valgrind"], "valgrind 3.19 looks for build-ids under /usr/lib/debug only, gcc's too"),
    (["relr"], ["eu-elflint"], "elfutils 0.188 does not know SHT_RELR"),
    (["fortran"], ["lldb"], "lldb 14 has no types of Fortran, and finds no function of gfortran's either"),
    (["fortran"], ["pahole"], "pahole 1.24 does not know DW_TAG_constant, of gfortran's neither"),
    (["fortran"], ["valgrind"], "valgrind 3.19 gives up at bounds of arrays that are expressions, at gfortran's too"),
]

# --- running ------------------------------------------------------------------

ENVIRONMENT = {**os.environ, "LC_ALL": "C", "DEBUGINFOD_URLS": "", "HOME": "/nonexistent", **objects.LLDB_ENVIRONMENT}


class Missing(Exception):
    """A program is not installed."""


class Done:
    """What a program printed, and how it ended; `status` is None if it reached the time limit.

    The limit is `timeout` seconds of processor time, because a busy machine is no fault of the program. A program
    that waits for something is stopped after ten times as many seconds on the clock.
    """

    def __init__(self, *command, cwd=None, timeout=TIMEOUT):
        self.command = [str(part) for part in command]
        path = shutil.which(self.command[0])
        if not path:
            raise Missing(self.command[0])
        try:
            done = subprocess.run(
                ["prlimit", f"--cpu={timeout}:{timeout + 10}", "--", path, *self.command[1:]],
                env=ENVIRONMENT,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10 * timeout,
            )
            self.status = done.returncode
            self.out, self.err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
            if self.status == -signal.SIGXCPU:
                self.status, self.out, self.err = None, "", f"no end after {timeout} s of processor time"
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = None, "", f"no end after {10 * timeout} s"

    def complaint(self, what):
        command = " ".join(self.command)
        command = command if len(command) < 200 else f"{command[:200]}..."
        return f"{what.strip()[:400]}  [{command}]"

    def ended(self, statuses=(0,)):
        """Complains if anything is on stderr, or if the status is none of `statuses`."""
        if self.err.strip():
            yield self.complaint(self.err)
        elif self.status not in statuses:
            yield self.complaint(f"exit status {self.status}: {self.out[-200:]}")

    def without(self, pattern):
        """Complains about each line that matches the pattern, up to three."""
        for line in re.findall(f"^.*(?:{pattern}).*$", self.out, flags=re.M)[:3]:
            yield self.complaint(line)

    def check(self, right, what):
        if not right:
            yield self.complaint(what)


    def tells(self, pattern, library):
        """Complains if the output has fewer matches of the pattern than the library has numbered functions, or none."""
        said = len(re.findall(pattern, self.out))
        least = max(1, len(library.numbered))
        if said < least:
            yield self.complaint(f"{said} of at least {least} functions: {pattern}")


def same(done, what, found, wanted):
    """Complains if two lists differ, and shows the first difference."""
    found, wanted = list(found), list(wanted)
    if found != wanted:
        at = next((i for i, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]), min(len(found), len(wanted)))
        show = lambda rows: repr(rows[at]) if at < len(rows) else "nothing"  # noqa: E731
        yield done.complaint(f"{what}, row {at} of {len(wanted)}: {show(found)} where {show(wanted)} was expected")


class Library:
    """A library or executable, and what binutils read from its symbols, its line table and its code."""

    def __init__(self, path, work, row=None, loader=None):
        self.path, self.work, self.row, self.loader = path, work, row or {}, loader
        self.name = path.name

    def another(self, path, **more):
        """The same library as a tool has rewritten it: in another file, without a debug file unless `more` has one."""
        row = {key: value for key, value in self.row.items() if key != "debug-file"}
        return Library(path, self.work, {**row, **more}, self.loader)

    @property
    def separate(self):
        return "debug-file" in self.row

    @property
    def debug(self):
        """The file with the symbols and the debug information: the debug file, or the library itself."""
        return self.row["set"] / self.row["debug-file"]["name"] if self.separate else self.path

    @property
    def debug_directory(self):
        """The directory in which debuggers have to be told to look for the debug file; None if there is no need."""
        return self.row["set"] if self.separate and self.debug.parent != self.path.parent else None

    def told(self, option):
        """The option that tells a program that directory, as a list; an empty list if there is no need."""
        return [f"{option}={self.debug_directory}"] if self.debug_directory else []

    @property
    def split(self):
        """The library's .dwo files, or the package of them; an empty list if it is not split."""
        return [self.row["set"] / file["name"] for file in self.row.get("split", {"files": []})["files"]]

    @functools.cached_property
    def symbols(self):
        """{function: (address, size)}"""
        rows = (row.split() for row in objects.ask("nm", "-S", "--defined-only", self.debug).splitlines())
        return {row[3]: (int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4 and row[2] in "tT"}

    @functools.cached_property
    def starts(self):
        return sorted((address, size, name) for name, (address, size) in self.symbols.items() if size)

    def function_at(self, address):
        address_, size, name = self.starts[bisect.bisect_right(self.starts, (address, 1 << 62, "")) - 1]
        return name if address_ <= address < address_ + size else None

    @functools.cached_property
    def lines(self):
        """The line table: [(address, (file's name, line), is_stmt)]; a line of None ends a sequence."""
        return entries.line_rows(self.debug)

    @functools.cached_property
    def rows(self):
        """{address: (file's name, line)}: of several rows at one address the last counts; ends of sequences do not."""
        rows = {address: place for address, place, _ in self.lines if place[1] is not None}
        assert rows, f"readelf shows no rows of {self.path}"
        return rows

    @functools.cached_property
    def addresses(self):
        return sorted(self.rows)

    def places(self, address):
        """The places of all rows that begin where the row that covers this address begins."""
        at = self.addresses[bisect.bisect_right(self.addresses, address) - 1]
        return self.all_rows[at]

    @functools.cached_property
    def all_rows(self):
        """{address: {(file's name, line), ...}}"""
        found = {}
        for address, place, _ in self.lines:
            if place[1] is not None:
                found.setdefault(address, set()).add(place)
        return found

    def place(self, address):
        """(file's name, line) of the row that covers an address."""
        return self.rows[self.addresses[bisect.bisect_right(self.addresses, address) - 1]]

    def some_rows(self, most):
        """At most so many addresses at which rows begin a statement of a function, spread over all of the code."""
        stmt = sorted({address for address, _, is_stmt in self.lines if is_stmt and address in self.rows})
        return [address for address in every(stmt, most) if self.function_at(address)]

    @functools.cached_property
    def longest_packed(self):
        """The uncompressed bytes of the largest compressed section; 0 if there is none."""
        headers = objects.ask("readelf", "-tW", self.debug)
        return max((int(size, 16) for size in re.findall(r"^ +Z(?:LIB|STD), (\w+), ", headers, flags=re.M)), default=0)

    @functools.cached_property
    def packs_most(self):
        """The largest ratio of uncompressed bytes to compressed ones of a section; 0 if none is compressed."""
        headers = objects.ask("readelf", "-tW", self.debug)
        packed = r"^ +PROGBITS +\w+ \w+ (\w+) .*\n.*COMPRESSED\n +Z\w+, (\w+), "
        return max((int(b, 16) / (int(a, 16) - 24) for a, b in re.findall(packed, headers, flags=re.M)), default=0)

    @functools.cached_property
    def version(self):
        """The DWARF version of its debug information."""
        dump = objects.ask("readelf", "--debug-dump=info", self.debug)
        return int(re.search(r"^ +Version: +(\d)", dump, flags=re.M)[1])

    @functools.cached_property
    def source(self):
        """The suffix of its own source files."""
        return next(ending for ending in (".cpp", ".f90", ".c") for file, _ in self.rows.values() if file.endswith(ending))

    @functools.cached_property
    def demangled(self):
        """{function: demangled name with parameters}, without the result type that instances of templates have."""
        names = list(self.symbols)
        texts = objects.ask("c++filt", *names).splitlines()
        return {name: text.removeprefix("unsigned long ") for name, text in zip(names, texts)}

    def shown(self, name):
        """A function's name as debuggers list it: in C++ with parameters. Functions that are extern "C" have none."""
        if self.source != ".cpp":
            return name
        return self.demangled[name] if name.startswith("_Z") else f"{name}()"

    def qualified(self, name):
        """A function's name as debuggers show it in a frame: without parameters."""
        return self.shown(name).split("(")[0]

    @functools.cached_property
    def numbered(self):
        """[(name, address)] of the numbered functions, by address. An executable's are not dynamic symbols."""
        if self.is_executable:
            numbered = re.compile(r"(pyelf|libmodule\d+|libutility\d+)_fun\d+")
            found = [(name, address) for name, (address, _) in self.symbols.items() if numbered.fullmatch(name)]
            return sorted(found, key=lambda row: row[1])
        return objects.functions(self.path)

    @property
    def is_executable(self):
        return self.row.get("kind") in ("link", "static")

    @property
    def entry(self):
        return self.row.get("entry")

    @functools.cached_property
    def chain(self):
        """([(caller, address of its call)], last function): how the entry reaches the last function of the first chain.

        This is read from the disassembly: each function's last call leads on in the chain. The last function is None
        if the entry calls no numbered function.
        """
        calls = objects.calls(self.path)
        own = {name for name, _ in self.numbered}
        address, name = next(((at, called) for at, called in calls[self.entry] if called in own), (None, None))
        path = [(self.entry, address)]
        while name:
            further = [(at, called) for at, called in calls[name][-1:] if called in own]
            if not further:
                break
            path.append((name, further[0][0]))
            name = further[0][1]
        return path, name

    def stack(self):
        """[(function, (file, line))] of the callers of the chain's last function, innermost first."""
        path, _ = self.chain
        return [(function, self.place(address)) for function, address in reversed(path)]

    def has_chain(self):
        return self.row.get("kind") == "module" and self.chain[1] is not None

    @functools.cached_property
    def hooked(self):
        """A loader that defines the chain's last function itself, in place of the library's: see gauntlet_load.c."""
        program = self.work / f"load-{self.name}"
        compile_loader(program, f"-DHOOK={self.chain[1]}")
        return program

    def result(self):
        return f"{self.row['result']}\n"


def compile_loader(program, *options):
    command = ["gcc", "-g", "-O1", "-rdynamic", "-Wno-pedantic", *options, "-o", program, LOADER, "-ldl"]
    subprocess.run(command, check=True)


def of_frames(frames, symbols):
    """[(function, (file, line))] of the calls among frames as tools list them, the innermost first.

    The place of a call is that of the innermost function inlined there.
    """
    found, place = [], None
    for name, here in frames:
        place = place or here
        if name in symbols:
            found.append((name, place))
            place = None
    return found


def base(path):
    return path.rsplit("/", 1)[-1]


# --- tools --------------------------------------------------------------------

TOOLS = {}  # name: Tool, in the order of the table


class Tool:
    def __init__(self, name, look, most, wanted):
        self.name, self.look, self.most, self.wanted = name, look, most, wanted


def tool(name, most=None, wanted=lambda library: True):
    """Makes a generator of complaints about one library a tool, whose name is used in the table and in EXCLUDED.

    The tool looks at no more than `most` libraries of a set, and only at those for which `wanted` is true.
    """

    def add(look):
        TOOLS[name] = Tool(name, look, most, wanted)
        return look

    return add


@tool("readelf")
def readelf(library):
    """readelf -aW. Complaints about broken tables are looked for in its output too."""
    for path in [library.path, *([library.debug] if library.separate else []), *library.split]:
        done = Done("readelf", "-aW", path)
        yield from done.ended()
        yield from done.without("<corrupt|<unknown|[Ww]arning|[Ee]rror:|out of range")


# All that readelf can dump, except frames.
DUMPS = "abbrev,addr,aranges,cu_index,gdb_index,info,links,loc,macro,pubnames,pubtypes,Ranges,rawline,str,str-offsets"


@tool("readelf-dwarf")
def readelf_dwarf(library):
    """readelf --debug-dump, which follows links and build-ids.

    It exits with status 1 and no message because of the frames of debug files, gcc's too. So frames are dumped from
    the library alone.
    """
    if library.separate:
        yield from Done("readelf", "--debug-dump=frames,no-follow-links", library.path).ended()
    done = Done("readelf", f"--debug-dump={DUMPS}" if library.separate else "--debug-dump", library.path)
    yield from done.ended()
    yield from done.without(r"<corrupt|\b[Ww]arning|\b[Ee]rror:")
    yield from done.tells(r"\(DW_TAG_subprogram\)\n", library)


@tool("objdump")
def objdump(library):
    """objdump -dl shows the right line for each instruction at which a row begins."""
    done = Done("objdump", "-dl", "--no-show-raw-insn", "-j", ".text", library.path)
    yield from done.ended()
    yield from done.without(r"\(bad\)")
    if "dwz" in library.row:  # objdump names a wrong file for inlined functions in partial units
        return
    place, found = None, {}
    for line in done.out.splitlines():
        here = re.match(r"(\.?/\S+):(\d+)(?: \(discriminator \d+\))?$", line)
        instruction = re.match(r" +([0-9a-f]+):\t", line)
        if here:
            place = (base(here[1]), int(here[2]))
        elif instruction:
            found[int(instruction[1], 16)] = place
    addresses = [address for address in library.rows if library.function_at(address)]
    wanted = {address: library.rows[address] for address in addresses}
    # objdump shows a new file only where the line or the function changes too, and knows no inlined functions of
    # split debug information: there only the lines are compared
    before = None
    for address, (_, line) in sorted(wanted.items()):
        if library.split or line == before:
            wanted[address] = ((found.get(address) or ("",))[0], line)
        before = line
    yield from same(done, "lines", [(a, found.get(a)) for a in sorted(wanted)], sorted(wanted.items()))


@tool("objdump-dwarf", wanted=lambda library: library.longest_packed + 1 < library.path.stat().st_size)
def objdump_dwarf(library):
    done = Done("objdump", "--dwarf", library.path)
    yield from done.ended()
    yield from done.tells(r"\(DW_TAG_subprogram\)\n", library)


@tool("eu-readelf")
def eu_readelf(library):
    done = Done("eu-readelf", "-N", "--debug-dump", library.debug)
    yield from done.ended()
    for path in library.split:
        more = Done("eu-readelf", "-N", "--debug-dump", f"--dwarf-skeleton={library.path}", path)
        yield from more.ended()
        done.out += more.out
    yield from done.tells(r"\] +subprogram +abbrev:", library)


@tool("eu-elflint")
def eu_elflint(library):
    asked = [["--gnu-ld", library.path], ["--gnu-ld", "--strict", library.path]]
    if library.separate:
        asked.append(["--gnu-ld", "-d", library.debug])
    for arguments in asked:
        done = Done("eu-elflint", *arguments)
        yield from done.ended()
        yield from done.check(done.out == "No errors\n", done.out)


# dwz leaves namespaces empty when it moves all of their entries into partial units, in g++'s output too.
EMPTIED = ": DW_TAG_namespace has DW_CHILDREN_yes but DIE has no children: $"


@tool("verify")
def verify(library):
    """llvm-dwarfdump --verify"""
    for path in [library.debug, *library.split]:
        done = Done("llvm-dwarfdump-14", "--verify", path)
        yield from done.ended()
        yield from done.without(f"^(?:warning|error)(?!{EMPTIED})" if "dwz" in library.row else "^(?:warning|error)")
        yield from done.check(done.out.endswith("No errors.\n"), "does not end in 'No errors.'")


# dwarfdump says this about every reference to a type unit.
UNFINISHED = "DW_AT_ref_sig8 not handled so self references not fully checked"
# And this about every `restrict` pointer in a type unit, gcc's too: see test_gauntlet.py.
RESTRICT = "DW_TAG_type_unit -> DW_TAG_restrict_type: tag-tree relation is not standard"


@tool("dwarfdump", wanted=lambda library: library.packs_most < 16)
def dwarfdump(library):
    """dwarfdump -ka. Its exit status does not tell of complaints, and its headings contain their words.

    libdwarf 20210528 refuses a compressed section that is sixteen times as long as it is packed. The .debug_abbrev of
    a library of many small units is: such libraries are left out.
    """
    done = Done("dwarfdump", "-ka", library.debug)
    yield from done.check(done.status == 0 and not done.err, done.err or f"exit status {done.status}")
    for line in objects.dwarfdump_complaints(done.out, (*objects.DWARFDUMP_KNOWN, UNFINISHED, RESTRICT))[:3]:
        yield done.complaint(line)


# gdb says this about every call that was inlined into an inlined one: it takes the inner call for a child of the outer
# function's abstract entry. For the _json module of CPython 3.11, compiled by gcc 12, it does so 209 times for 383
# inlined calls.
NESTED = r"During symbol reading: Child DIE \w+ and its abstract origin \w+ have different parents"


@tool("gdb")
def gdb(library):
    """gdb reads all units, and sets breakpoints by name and by line."""
    names = [name for name, _ in every(library.numbered, 10)] or [library.entry]
    rows = library.some_rows(10)
    places = [library.rows[address] for address in rows]
    command = ["gdb", "-nx", "-batch", "-iex", "set complaints 100", "-iex", "set width 0"]
    command += ["-iex", f"set debug-file-directory {library.debug_directory or '/dev/null'}"]
    command += ["-ex", f"file {library.path}", "-ex", "maint expand-symtabs"]
    for place in [*names, *(f"{file}:{line}" for file, line in places)]:
        command += ["-ex", f"break {place}"]
    done = Done(*command, "-ex", "info breakpoints")
    yield from done.check(done.status == 0, f"exit status {done.status}")
    said = re.sub(f"^{NESTED}\n?", "", done.err, flags=re.M)
    yield from done.check(not said.strip(), said)
    listed = done.out[done.out.find("\nNum ") :]
    at = {}  # number: [(address, function, (file, line))]
    for number, address, function, file, line in re.findall(
        r"^(\d+)(?:\.\d+)? .*?0x([0-9a-f]+) in (.+) at (\S+):(\d+)$", listed, flags=re.M
    ):
        at.setdefault(int(number), []).append((int(address, 16), function, (base(file), int(line))))
    found = [[function for _, function, _ in at.get(i, [])] for i in range(1, len(names) + 1)]
    yield from same(done, "breakpoints by name", found, [[library.shown(name)] for name in names])
    for i, (address, place) in enumerate(zip(rows, places), len(names) + 1):
        stops = at.get(i, [])
        # gdb may move the breakpoint on to the end of the prologue
        right = [there for there, _, line in stops if line in library.places(there) and 0 <= line[1] - place[1] <= 1]
        right = right and len(right) == len(stops)
        yield from done.check(right, f"break {place[0]}:{place[1]}, of {address:#x}: {stops}")


@tool("lldb")
def lldb(library):
    """lldb looks up functions, sets breakpoints by name and by line, and shows the line table of a unit."""
    names = [name for name, _ in every(library.numbered, 5)] or [library.entry]
    own = [place for address, place in library.rows.items() if place[0].endswith(library.source)]
    places = every(sorted(set(own)), 5)
    commands = [f"settings append target.debug-file-search-paths {library.debug_directory or '/nonexistent'}"]
    commands += [f"target create {library.path}", *(f"image lookup -F {name}" for name in names)]
    commands += [f"breakpoint set -n {name}" for name in names]
    commands += [f"breakpoint set -f {file} -l {line}" for file, line in places]
    commands += ["breakpoint list", f"image dump line-table {own[0][0]}"]
    options = [part for command in commands for part in ("-o", command)]
    done = Done("lldb-14", "--no-lldbinit", "-b", *options)
    yield from done.ended()
    match = r"^1 match found.*\n +Address: \S+\[0x([0-9a-f]+)\] .*\n +Summary: \S+`(.+?) at "
    # lldb puts :: before functions that are extern "C", g++'s too
    bare = lambda text: text.removeprefix("unsigned long ").removeprefix("::")  # noqa: E731
    looked_up = [(int(at, 16), bare(name)) for at, name in re.findall(match, done.out, flags=re.M)]
    yield from same(done, "functions", looked_up, [(library.symbols[name][0], library.shown(name)) for name in names])
    stop = r"^ +(\d+)\.\d+: where = \S+?`(.+?)(?: \+ \d+)?(?: \[inlined\].*)? at ([^:]+):(\d+)"
    stops = re.findall(stop + r".*address = \S+\[0x([0-9a-f]+)\]", done.out, flags=re.M)
    by_name = [bare(name) for number, name, *_ in stops if int(number) <= len(names)]
    yield from same(done, "breakpoints by name", by_name, [library.shown(name) for name in names])
    for i, (file, line) in enumerate(places, len(names) + 1):
        here = [(base(f), int(n), int(at, 16)) for number, _, f, n, at in stops if int(number) == i]
        # lldb too moves it on to the end of the prologue
        right = [library.place(at) == (f, n) and f == file and 0 <= n - line <= 1 for f, n, at in here]
        yield from done.check(right and all(right), f"breakpoint at {file}:{line}: {here}")
    table = done.out[done.out.rfind("\nLine table for ") :]
    dumped = re.findall(r"^0x([0-9a-f]+): ([^:\n]+):(\d+)", table, flags=re.M)
    dumped = {int(at, 16): (base(file), int(line)) for at, file, line in dumped}
    yield from done.check(len(dumped) > 4, f"line table: {table[:200]}")
    # a sequence may begin at the address where another ends, and lldb shows the end only
    ends = {address for address, (_, line), _ in library.lines if line is None}
    found = {at: place for at, place in dumped.items() if at not in ends}
    yield from same(done, "line table", found.items(), [(at, library.rows.get(at)) for at in found])


@tool("dwz")
def dwz(library):
    """dwz makes the file shorter, and the readers that know partial units still have no complaints.

    A debug file is given only to those that read it by itself: the library no longer leads to it, because its name
    and its checksum have changed.
    """
    out = library.work / f"dwz-{library.name}"
    done = Done("dwz", "-o", out, library.debug)
    yield from done.ended()
    if out.exists():
        yield from done.check(out.stat().st_size < library.debug.stat().st_size, "the file has not become shorter")
        if library.separate:
            short = library.another(library.path, dwz=True, **{"debug-file": {"name": out}})
            yield from still(short, "readelf", "eu-elflint", "eu-readelf", "verify")
            return
        short = library.another(out, dwz=True)
        yield from still(short, "readelf", "readelf-dwarf", "objdump", "objdump-dwarf", "eu-elflint")
        yield from still(short, "eu-readelf", "abidw")
        if library.version == 5:  # llvm-dwarfdump takes partial units of version 4 for compile units with a wrong entry
            yield from still(short, "verify")


@tool("abidw")
def abidw(library):
    """abidw describes every function that others can call."""
    where = ["--debug-info-dir", library.row["set"]] if library.separate else []
    done = Done("abidw", *where, library.path)
    yield from done.ended()
    found = re.findall(r"<function-decl name='[^']+'.*elf-symbol-id='(\S+?)'", done.out)
    # abidw describes dynamic symbols only: of an executable's functions this one
    wanted = {"_start"} if library.is_executable else {name for name, _ in library.numbered}
    yield from same(done, "functions", sorted(set(found) & wanted), sorted(wanted))


def without_atomic(said):
    """pahole's messages, except those about DW_TAG_atomic_type and typedefs of it, which pahole does not know."""
    unknown = r"^die__process_unit: (?:DW_TAG_\(null\) \(0x47\) @ <(\w+)> not handled|tag not supported 0x47 \(\(null\)\))!\n"
    atomic = [at for at in re.findall(unknown, said, flags=re.M) if at]
    typedefs = rf"^tag__recode_dwarf_type: couldn't find (?:{'|'.join(atomic)}) type for \w+ \(typedef\)!\n"
    return re.sub(typedefs if atomic else "^$", "", re.sub(unknown, "", said, flags=re.M), flags=re.M)


@tool("pahole")
def pahole(library):
    """pahole shows the structures that readelf sees, with the same sizes."""
    done = Done("pahole", library.debug if library.debug_directory else library.path)
    done.err = without_atomic(done.err)
    yield from done.ended()
    dump = objects.ask("readelf", "--debug-dump=info", library.debug)
    entry = r"\(DW_TAG_structure_type\)\n +<\w+> +DW_AT_name +: (?:\(.*?\): )?(\S+)\n +<\w+> +DW_AT_byte_size +: (\d+)"
    wanted = {name: int(size) for name, size in re.findall(entry, dump)}
    shown = re.findall(r"^(?:struct|class) (\S+) \{\n.*?/\* size: (\d+),", done.out, flags=re.M | re.S)
    yield from same(done, "structures", sorted((name, int(size)) for name, size in shown), sorted(wanted.items()))


def asks_addresses(library, *command, split):
    """Compares a program's answers for addresses with the line table (innermost line) and the symbols (outermost name).

    `split` turns the output into a list for each address: [[function, file:line, ...], ...], innermost first.
    """
    addresses = library.some_rows(60)
    done = Done(*command, *(f"{address:#x}" for address in addresses))
    yield from done.ended()
    answers = [[line for line in block if line] for block in split(done.out)]
    yield from done.check(len(answers) == len(addresses), f"{len(answers)} answers for {len(addresses)} addresses")
    for address, answer in zip(addresses, answers):
        place = re.match(r"(?:.*/)?([^/]+?):(\d+)", answer[1]) if len(answer) > 1 else None
        found = (answer[-2] if len(answer) > 1 else None, (place[1], int(place[2])) if place else answer)
        wanted = (library.function_at(address), library.rows[address])
        yield from done.check(found == wanted, f"{address:#x}: {found} where {wanted} was expected")


def by_address(out):
    return [block.splitlines()[1:] for block in re.split(r"^(?=0x[0-9a-f]+$)", out, flags=re.M)[1:]]


@tool("addr2line")
def addr2line(library):
    yield from asks_addresses(library, "addr2line", "-afie", library.path, split=by_address)


@tool("eu-addr2line")
def eu_addr2line(library):
    command = ["eu-addr2line", *library.told("--debuginfo-path"), "-afi", "-e", library.path]
    unnoted = lambda out: re.sub(r" inlined at .*? in (.*)$", "", out, flags=re.M)  # noqa: E731
    yield from asks_addresses(library, *command, split=lambda out: by_address(unnoted(out)))


@tool("symbolizer")
def symbolizer(library):
    """llvm-symbolizer"""
    command = ["llvm-symbolizer-14", f"--obj={library.path}", "--no-demangle", "--addresses", "-i"]
    command += library.told("--debug-file-directory")
    yield from asks_addresses(library, *command, split=by_address)


@tool("nm")
def nm(library):
    """nm -C shows the symbols that nm shows, and no mangled names."""
    plain, done = Done("nm", library.debug), Done("nm", "-C", library.debug)
    yield from done.ended()
    yield from done.without(" _Z")
    head = lambda done: sorted(row[:18] for row in done.out.splitlines())  # noqa: E731
    yield from same(done, "symbols", head(done), head(plain))


def still(library, *names):
    """The complaints of other tools, except those excluded for the variant, about a file that a tool made."""
    for name in names:
        if name in library.row["tools"]:
            yield from (f"{name} of {library.path.name}: {said}" for said in TOOLS[name].look(library))


def loads(library):
    """Complains unless a module still loads, with the set's other libraries, and its entry returns the right result.

    An executable has to run, in a directory that has the set's other files.
    """
    if library.is_executable:
        place = library.work / f"run-{library.name}"
        place.mkdir()
        for file in library.row["set"].iterdir():
            if file.is_file() and file.name != library.path.name:
                os.link(file, place / file.name)
        shutil.copy(library.path, place / library.path.name)
        runtime = f"LD_LIBRARY_PATH={BUILD / 'lib'}"
        done = Done("env", runtime, place / library.path.name, "--phases", "import,visit")
        yield from done.ended()
        yield from done.check("every result right" in done.out, done.out)
        shutil.rmtree(place)
    if library.row["kind"] == "module":
        done = Done("env", f"LD_LIBRARY_PATH={library.row['set']}", library.loader, library.path, library.entry)
        yield from done.ended()
        yield from done.check(done.out == library.result(), f"returned {done.out}, not {library.result()}")


def whole(library):
    """Complaints, and the library, into which eu-unstrip has put back its debug file if it has one."""
    if not library.separate:
        return [], library
    out = library.work / f"whole-{library.name}"
    done = Done("eu-unstrip", "-o", out, library.path, library.debug)
    joined = library.another(out)
    readers = ["readelf", "objdump", "eu-readelf", "eu-elflint", "verify", "addr2line"]
    return [*done.ended(), *still(joined, *readers), *loads(joined)], joined


def sections_of(path):
    return re.findall(r"\] (\.\S+) ", objects.ask("readelf", "-SW", path))


def dynamic_symbols(path):
    return objects.ask("nm", "-D", path)


@tool("strip")
def strip(library):
    """strip -g removes the debug sections, strip also the symbols; other sections and the dynamic symbols stay."""
    for options, gone in (["-g"], r"\.debug_|\.gdb_index"), ([], r"\.debug_|\.gdb_index|\.symtab|\.strtab"):
        out = library.work / f"strip{''.join(options)}-{library.name}"
        done = Done("strip", *options, "-o", out, library.path)
        yield from done.ended()
        kept = [name for name in sections_of(library.path) if not re.match(gone, name)]
        yield from same(done, "sections", sections_of(out), kept)
        yield from done.check(dynamic_symbols(out) == dynamic_symbols(library.path), "dynamic symbols have changed")
        stripped = library.another(out)
        yield from still(stripped, "readelf", "eu-elflint")
        yield from loads(stripped)


def dumped(debug):
    """readelf's dump of the entries in a debug file, without following links. Where units refer to lists by number,
    readelf complains about them with that option, so it is left out."""
    has_numbers = re.search(r"\] \.debug_str_offsets ", objects.ask("readelf", "-SW", debug))
    return Done("readelf", f"--debug-dump=info{'' if has_numbers else ',no-follow-links'}", debug)


@tool("eu-strip")
def eu_strip(library):
    """eu-strip -f: eu-elflint accepts both files, the debug file with -d. Separate files are joined first."""
    said, library = whole(library)
    yield from said
    out, debug = library.work / f"eu-strip-{library.name}", library.work / f"eu-strip-{library.name}.debug"
    done = Done("eu-strip", "-o", out, "-f", debug, library.path)
    yield from done.ended()
    stripped = library.another(out)
    yield from still(stripped, "readelf", "eu-elflint")
    yield from loads(stripped)
    lint = Done("eu-elflint", "--gnu-ld", "-d", debug)
    yield from lint.check(lint.out == "No errors\n", lint.out + lint.err)
    yield from dumped(debug).ended()


@tool("objcopy")
def objcopy(library):
    """objcopy --only-keep-debug makes a debug file, and addr2line finds the lines through a link to it.

    eu-elflint is not asked about the debug file: it complains about any that objcopy makes. readelf is not asked about
    that of an executable: it finds no name of an interpreter there, in gcc's neither.
    """
    said, library = whole(library)
    yield from said
    out, debug = library.work / f"objcopy-{library.name}", library.work / f"objcopy-{library.name}.debug"
    done = Done("objcopy", "--only-keep-debug", library.path, debug)
    yield from done.ended()
    if not library.is_executable:
        yield from dumped(debug).ended()
    linked = Done("objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", library.path, out)
    yield from linked.ended()
    stripped = library.another(out)
    yield from still(stripped, "readelf", "eu-elflint")
    yield from loads(stripped)
    answers = [Done("addr2line", "-afie", path, *map(hex, library.some_rows(20))) for path in (library.path, out)]
    yield from answers[1].ended()
    yield from same(answers[1], "lines by the link", answers[1].out.splitlines(), answers[0].out.splitlines())


@tool("patchelf")
def patchelf(library):
    """patchelf prints the needed libraries. Setting the same SONAME (RUNPATH of an executable) again changes nothing.

    With another and longer one the file is still valid and loads. eu-elflint is not asked about that file: it complains
    about any that patchelf has changed.
    """
    dynamic = objects.ask("readelf", "-dW", library.path)
    done = Done("patchelf", "--print-needed", library.path)
    yield from done.ended()
    yield from same(done, "needed", done.out.split(), re.findall(r"\(NEEDED\) .*\[(.*)\]", dynamic))
    out = library.work / f"patchelf-{library.name}"
    shutil.copy(library.path, out)
    option, now = ("--set-rpath", "$ORIGIN") if library.is_executable else ("--set-soname", library.name)
    done = Done("patchelf", option, now, out)
    yield from done.ended()
    yield from done.check(out.read_bytes() == library.path.read_bytes(), "the file has changed")
    another = f"$ORIGIN:/nonexistent/{library.name}" if library.is_executable else f"another-and-longer-name-of-{now}"
    done = Done("patchelf", option, another, out)
    yield from done.ended()
    named = library.another(out)
    yield from still(named, "readelf", "verify")
    yield from loads(named)


def same_stack(done, library, frames, lines=True):
    """Compares frames, inlined ones among them, with the callers of the chain's last function, if asked with lines."""
    names = {name for name, _ in library.stack()}
    found, wanted = of_frames(frames, names), library.stack()
    if not lines:
        found, wanted = [name for name, _ in found], [name for name, _ in wanted]
    yield from same(done, "stack", found, wanted)


@tool("valgrind", most=2, wanted=Library.has_chain)
def valgrind(library):
    """valgrind runs the entry, reads the entries of variables, and shows the right stack.

    It does not report values that were never set: these depend on the code, not on the debug information.
    """
    command = ["valgrind", "-q", "--demangle=no", "--leak-check=full", "--undef-value-errors=no", "--read-var-info=yes"]
    command += ["--num-callers=40", f"--suppressions={SUPPRESSIONS}", library.hooked, library.path, library.entry]
    done = Done(*command, timeout=2 * TIMEOUT)
    marked = re.sub(r"^==\d+== |^\*\*\d+\*\* ?", "", done.err, flags=re.M)
    said = [line for line in marked.splitlines() if line.strip() and not re.match(r"(here)? +(at|by) 0x", line)]
    yield from done.check(not said and done.status == 0, "\n".join(said) or f"exit status {done.status}")
    frames = re.findall(r"^(?:here)? +(?:at|by) 0x\w+: (.+?) \(([^ ()]+?)(?::(\d+))?\)$", marked, flags=re.M)
    frames = [(name, (file, int(line or 0))) for name, file, line in frames]
    callers = [name for name, _ in frames].index(library.chain[1]) + 1
    yield from same_stack(done, library, frames[callers:])


# What gdb says about any code: memory that a core file cannot have, libraries that are not loaded yet, registers that
# unwind tables do not specify (%rax), missing sources.
GDB_WARNINGS = "|".join(
    [
        "warning: Memory read failed for corefile section",
        "warning: target file /proc/",
        "Function .* not defined",
        "During symbol reading: incomplete CFI data; unspecified registers",
        r"\d+\t\S+: No such file or directory",
        NESTED,
    ]
)


@tool("gdb-stack", most=3, wanted=Library.has_chain)
def gdb_stack(library):
    """gdb runs to the chain's last function, shows the stack, and finishes the function."""
    _, last = library.chain
    done = run_to_core(library)
    yield from done.check(done.status == 0, f"exit status {done.status}")
    said = re.sub(f"^(?:{GDB_WARNINGS}).*\\n?", "", done.err, flags=re.M)
    yield from done.check(not said.strip(), said)
    yield from done.without(r"\b[Ee]rror(?:[: ]|$)")
    rows = re.findall(r"^#\d+ +(?:0x\w+ in )?(.+?) \(.*\) at (\S+):(\d+)$", done.out, flags=re.M)
    mangled = {library.qualified(name): name for name in [last, *(name for name, _ in library.stack())]}
    frames = [(mangled.get(name, name), (base(file), int(line))) for name, file, line in rows]
    yield from done.check(frames and frames[0][0] == last, f"stopped in {frames[:1]}, not in {last}")
    yield from same_stack(done, library, frames[1:])
    yield from done.check("Value returned is $1 = " in done.out, "finish has shown no value")


def run_to_core(library):
    """Runs gdb to the chain's last function, where it writes a core file and then finishes the function."""
    _, last = library.chain
    command = ["gdb", "-nx", "-batch", "-iex", "set complaints 100", "-iex", "set width 0"]
    command += ["-iex", f"set debug-file-directory {library.debug_directory or '/dev/null'}"]
    command += ["-iex", "set breakpoint pending on"]
    for part in (f"break {last}", "run", "bt", "info locals", f"generate-core-file {core_of(library)}", "finish"):
        command += ["-ex", part]
    return Done(*command, "--args", library.loader, library.path, library.entry, timeout=2 * TIMEOUT)


def core_of(library):
    return library.work / f"core-{library.name}"


def eu_stack_of(library, *options):
    if not core_of(library).exists():
        run_to_core(library)
    options = ["--raw", *library.told("--debuginfo-path"), *options]
    done = Done("eu-stack", *options, "--core", core_of(library), "-e", library.loader)
    yield from done.ended()
    rows = re.findall(r"^#\d+ +0x\w+(?: - 1)? +(\S+?)(?:@@\S+)?(?:\n +(\S+?):(\d+)(?::\d+)?)?$", done.out, flags=re.M)
    frames = [(name, (base(file), int(line or 0))) for name, file, line in rows]
    _, last = library.chain
    yield from done.check(frames and frames[0][0] == last, f"stopped in {frames[:1]}, not in {last}")
    yield from same_stack(done, library, frames[1:], lines="-s" in options)


@tool("eu-stack", most=3, wanted=Library.has_chain)
def eu_stack(library):
    """eu-stack shows the right names for the stack in a core file."""
    yield from eu_stack_of(library)


@tool("eu-stack-lines", most=3, wanted=Library.has_chain)
def eu_stack_lines(library):
    yield from eu_stack_of(library, "-s")


def unwinds(library, unwinder):
    """The process unwinds its own stack through .eh_frame: each return address is the one after the call."""
    done = Done(library.hooked, library.path, library.entry, unwinder)
    if done.out.startswith("no unwinder: "):
        raise Missing(unwinder)
    yield from done.ended()
    found = re.findall(rf"^{re.escape(str(library.path))} 0x([0-9a-f]+)$", done.out, flags=re.M)
    wanted = [address for _, address in reversed(library.chain[0])]
    yield from same(done, "stack", [int(address, 16) - 5 for address in found], wanted)  # a call takes five bytes


@tool("libgcc", wanted=Library.has_chain)
def libgcc(library):
    yield from unwinds(library, "libgcc_s.so.1")


@tool("libunwind", wanted=Library.has_chain)
def libunwind(library):
    yield from unwinds(library, "libunwind.so.8")


# --- all of it ----------------------------------------------------------------


def excluded(variant):
    """{tool: number of the reason} of the tools that are left out for a variant."""
    numbers = {}
    for number, (traits, tools, _) in enumerate(EXCLUDED, 1):
        assert set(tools) <= set(TOOLS), tools
        if set(traits) <= set(variant.traits):
            numbers.update({name: number for name in tools})
    return numbers


def libraries_of(directory, variant, tools, sample, loader, work):
    """The executables and libraries of a set to look at: of a large variant `sample` modules and as many utilities."""
    manifest = manifest_of(directory)
    rows = manifest["libraries"]
    if "large" in variant.traits:
        kinds = ("module", "utility")
        rows = [row for kind in kinds for row in every([row for row in rows if row["kind"] == kind], sample)]
    for row in [*manifest.get("executables", []), *rows]:
        own = work / row["name"].removesuffix(".so")
        own.mkdir()
        yield Library(directory / row["name"], own, {**row, "tools": tools, "set": directory}, loader)


def look(job):
    """The library, and [(tool, seconds, complaints)] of its tools; complaints are None if the tool is not installed."""
    library, tools = job
    found = []
    for name in tools:
        began = time.monotonic()
        try:
            said = list(TOOLS[name].look(library))
        except Missing:
            said = None
        except Exception as error:  # what a tool prints may be anything
            said = [f"{type(error).__name__}: {str(error)[:600]}"]
        found.append((name, time.monotonic() - began, said))
    return library, found


def run(variant, options, directory, loader):
    """Of a variant: {tool: (seconds, {library: complaints})}, and {tools that are not installed}."""
    work = directory / variant.name
    work.mkdir()
    profile = work / "profile"
    profile.write_text(variant.profile(options.short))
    made = work / "set"
    command = [BUILD / "bin" / "pyelfgen", "--profile", profile, "-o", made, "-q", *variant.options]
    subprocess.run(command, check=True, timeout=900)
    os.chdir(made)  # from where binutils and LLVM look for .dwo files
    tools = [name for name in options.tool or TOOLS if name not in excluded(variant)]
    libraries = list(libraries_of(made, variant, set(TOOLS) - set(excluded(variant)), options.sample, loader, work))
    chosen = {library.name: [] for library in libraries}
    for name in tools:
        wanted = [library for library in libraries if TOOLS[name].wanted(library)]
        for library in every(wanted, 1 if options.short and TOOLS[name].most else TOOLS[name].most or len(wanted)):
            chosen[library.name].append(name)
    found, missing = {name: (0, {}) for name in tools}, set()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = [(library, chosen[library.name]) for library in libraries]
        for library, rows in pool.map(look, jobs):
            for name, seconds, said in rows:
                if said is None:
                    missing.add(name)
                    continue
                found[name] = (found[name][0] + seconds, {**found[name][1], library.name: said})
    if not options.keep:
        shutil.rmtree(work)
    return found, missing


def cell(variant, name, found, missing, times):
    if name in excluded(variant):
        return f"X{excluded(variant)[name]}"
    if name in missing:
        return "-"
    seconds, looked_at = found[name]
    failed = sum(len(said) > 0 for said in looked_at.values())
    text = f"FAIL {failed}/{len(looked_at)}" if failed else "ok" if looked_at else "none"
    return f"{text} {seconds:.1f} s" if times else text


def table(rows):
    """Lines of a table in Markdown."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rows = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return ["| " + " | ".join(part.ljust(width) for part, width in zip(row, widths)) + " |" for row in rows]


def reasons():
    """EXCLUDED as lines of a table; docs/gauntlet.md has the same."""
    rows = [["number", "variants that are", "tools", "because"]]
    for number, (traits, tools, why) in enumerate(EXCLUDED, 1):
        rows.append([f"X{number}", ", ".join(traits), ", ".join(tools), why])
    return table(rows)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--short", action="store_true", help="small sets, fewer of them, slow tools on one library")
    parser.add_argument("--only", action="append", metavar="VARIANT", help="this variant; may be given again")
    parser.add_argument("--tool", action="append", metavar="TOOL", help="this tool; may be given again")
    parser.add_argument("--sample", type=int, default=2, metavar="N", help="N modules and N utilities of a large set")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIRECTORY", help="leave sets and files there")
    parser.add_argument("--reasons", action="store_true", help="print only which pairs are left out, and why")
    parser.add_argument("--times", action="store_true", help="print the seconds that each tool took")
    options = parser.parse_args()
    names = [variant.name for variant in VARIANTS]
    for kind, given, known in ("variant", options.only, names), ("tool", options.tool, TOOLS):
        unknown = set(given or []) - set(known)
        if unknown:
            parser.error(f"there is no {kind} {', '.join(unknown)}; there are {', '.join(known)}")
    return options


def directory_for(options):
    """A context with the directory for the sets: --keep's, or a temporary one, in memory where that has 4 GB free."""
    if options.keep:
        options.keep.mkdir(parents=True)
        return contextlib.nullcontext(options.keep.resolve())
    memory = pathlib.Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 4_000_000_000
    return tempfile.TemporaryDirectory(prefix="pyelfgen-gauntlet-", dir=memory if roomy else None)


def main():
    options = parse()
    if options.reasons:
        print("\n".join(reasons()))
        return 0
    variants = [v for v in VARIANTS if v.name in (options.only or [v.name])]
    if options.short and not options.only:
        variants = [v for v in variants if not {"large", "long"} & set(v.traits)]
    results = {}
    with directory_for(options) as directory:
        directory = pathlib.Path(directory)
        loader = directory / "load"
        compile_loader(loader)
        for number, variant in enumerate(variants, 1):
            start = time.monotonic()
            results[variant] = run(variant, options, directory, loader)
            complaints = sum(len(lines) for _, said in results[variant][0].values() for lines in said.values())
            seconds = f"{time.monotonic() - start:.0f} s"
            print(f"{number} of {len(variants)}: {variant.name}: {complaints} complaints, {seconds}", file=sys.stderr, flush=True)
    tools = options.tool or list(TOOLS)
    rows = [["tool", *(variant.name for variant in variants)]]
    for name in tools:
        rows.append([name, *(cell(variant, name, *results[variant], options.times) for variant in variants)])
    print("\n".join(table(rows)))
    shown = {number for variant in variants for name, number in excluded(variant).items() if name in tools}
    for number in sorted(shown):
        print(f"X{number}: {EXCLUDED[number - 1][2]}")
    missing = sorted({name for _, absent in results.values() for name in absent})
    if missing:
        print(f"-: not installed: {', '.join(missing)}")
    failures = 0
    for variant in variants:
        for name, (_, said) in results[variant][0].items():
            for library, complaints in said.items():
                failures += bool(complaints)
                if complaints:
                    print(f"\n{variant.name}, {name}, {library}: {len(complaints)} complaints, the first of them:")
                    print("\n".join(f"  {line}" for line in complaints[:3]))
    return 1 if failures or (missing and not options.short) else 0


if __name__ == "__main__":
    tidy_when_ended()
    sys.exit(main())
