"""The twin of libraries that gcc compiled without optimisation. There are no location lists, ranges, inlined calls and
call sites. What takes their place has the sizes of the captured rows, and is true.
"""

import collections
import json
import re
import subprocess

import pytest

from captures import Capture
from objects import ask, dwarfdump_complaints, each, tool

FUNCTIONS = {"kernel_sums": 90, "field_steps": 60}
DIGITS = "0123456789012345678901234567890123456789"

# A function as Pynamic writes it: many variables, a loop, a call of the next function, and in a scope of its own a call
# of another library.
FUNCTION = """
long {name}_fun{n}{digits}(long arg0, int arg1, const char *arg2, double arg3)
{{
    long ret_val;
    int a, b = {n}, c, loop;
    double d = 0.0, e = 1.0, f = 2.0;
    char j[10], k[100];
    for (loop = 0; loop < 10; loop++)
        a = loop;
    if (arg0 > arg1) {{
        long {name}_fun{n}{digits}_other = {other};
        ret_val = {name}_fun{n}{digits}_other;
    }}
    return ret_val = {next};
}}
"""
MODULE = """
#include <stddef.h>
long {name}_fun0{digits}(long, int, const char *, double);
struct method {{ const char *name; void *call; int flags; const char *doc; }};
static void *entry(void *self, void *unused) {{ (void)unused; {name}_fun0{digits}(1, 2, "", 0.5); return self; }}
static struct method methods[] = {{{{"entry", entry, 4, "Calls all."}}, {{0}}}};
static struct {{ long base[5]; const char *name, *doc; long size; struct method *methods; void *rest[4]; }} module = {{
    {{1}}, "{name}", NULL, -1, methods, {{NULL}}}};
extern void *PyModule_Create2(void *, int);
void *PyInit_{name}(void) {{ return PyModule_Create2(&module, 1013); }}
"""
ARGUMENTS = '(arg0, arg1, "hello", arg3)'


def source_of(name, other):
    count = FUNCTIONS[name]
    called = [f"{other}_fun{n}{DIGITS}" for n in range(count)] if other else []
    following = [f"{name}_fun{n}{DIGITS}" for n in range(1, count)]
    declared = "".join(f"long {function}(long, int, const char *, double);\n" for function in called + following)
    text = "".join(
        FUNCTION.format(
            name=name,
            n=n,
            digits=DIGITS,
            other=called[n] + ARGUMENTS if other else "arg0 + arg1",
            next=f"{name}_fun{n + 1}{DIGITS}{ARGUMENTS}" if (n + 1) % 10 and n + 1 < count else "arg0",
        )
        for n in range(count)
    )
    return declared + text + (MODULE.format(name=name, digits=DIGITS) if other else "")


class Twin:
    """A utility, a module that calls it, and the set made for both. `all` is [(row, file, file of the twin)]."""

    def __init__(self, programs, directory):
        self.programs, self.directory = programs, directory
        self.set = directory / "set"
        real = directory / "real"
        real.mkdir()
        self.compile("kernel_sums", None)
        self.compile("field_steps", "kernel_sums")
        programs.run("pyelfprof", "-o", directory / "real.prof", real / "field_steps.so", real / "kernel_sums.so")
        programs.run("pyelfgen", "--profile", directory / "real.prof", "-o", self.set)
        made = [self.set / "libmodule0.so", self.set / "libutility0.so"]
        programs.run("pyelfprof", "-o", directory / "made.prof", *made)
        names = {"module": "field_steps.so", "utility": "kernel_sums.so"}
        self.rows = Capture(directory / "real.prof").rows
        self.made = {row["kind"]: row for row in Capture(directory / "made.prof").rows}
        self.all = [(row, real / names[row["kind"]], self.set / f"lib{row['kind']}0.so") for row in self.rows]
        self.paths = [path for _, _, path in self.all]

    def compile(self, name, other):
        (self.directory / f"{name}.c").write_text(source_of(name, other))
        # .debug_line_str has the directory's name, whose length should not matter here
        place = f"-fdebug-prefix-map={self.directory}=/home/user/application/build/solver"
        command = [tool("gcc"), "-g", "-O0", "-w", "-fPIC", "-shared", place, "-Wl,-z,lazy", "-Wl,--hash-style=gnu", "-o"]
        command += [f"real/{name}.so", f"{name}.c", *([f"real/{other}.so", "-Wl,-rpath,$ORIGIN"] if other else [])]
        subprocess.run(command, check=True, cwd=self.directory)


@pytest.fixture(scope="module")
def twin(programs, tmp_path_factory):
    return Twin(programs, tmp_path_factory.mktemp("plain"))


def sections_of(path):
    found = re.findall(r"\] \.debug_(\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", ask("readelf", "-SW", path))
    return {name: int(size, 16) for name, size in found}


def dwarf(path, *options):
    return ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), *options, path)


def test_the_row_has_no_lists(twin):
    assert {row["kind"] for row in twin.rows} == {"module", "utility"}
    for row in twin.rows:
        assert not {"loclists", "rnglists"} & set(row["mix"]) and not {"entries", "level"} & set(row["dwarf"])


def test_the_producer_says_that_nothing_was_optimised(twin):
    for path in twin.paths:
        producers = re.findall(r"DW_AT_producer\t\((.*)\)", dwarf(path, "--debug-info"))
        assert producers and all(" -O0 " in producer and " -O2 " not in producer for producer in producers)


def test_each_debug_section_is_as_large_as_the_real_one(twin):
    for _, real, made in twin.all:
        sizes = sections_of(real)
        assert "info" in sizes and "loclists" not in sizes
        assert sections_of(made) == sizes, made


def test_nothing_is_told_that_only_optimised_code_has(twin):
    for path in twin.paths:
        told = dwarf(path, "--debug-info")
        assert "DW_TAG_call_site" not in told and "DW_TAG_inlined_subroutine" not in told
        assert "DW_AT_ranges" not in told
        places = re.findall(r"DW_AT_location\t\((.*)\)", told)
        assert len(places) > 500
        assert all(re.fullmatch(r"DW_OP_fbreg -\d+|DW_OP_addr 0x\w+", place) for place in places), path


def test_lexical_blocks_are_inside_of_their_function_one_in_another(twin):
    blocks = 0
    for path in twin.paths:
        around = []  # [depth, low, high]
        entry = r"^0x\w+:( +)DW_TAG_(subprogram|lexical_block)\n((?: .*\n)+)"
        for indent, tag, attributes in re.findall(entry, dwarf(path, "--debug-info"), flags=re.M):
            low = re.search(r"DW_AT_low_pc\t\((\w+)\)", attributes)
            high = re.search(r"DW_AT_high_pc\t\((\w+)\)", attributes)
            while around and around[-1][0] >= len(indent):
                around.pop()
            if not low:
                assert tag == "subprogram"
                continue
            low, high = int(low[1], 16), int(high[1], 16)
            if tag == "lexical_block":
                assert around and around[-1][1] < low < high < around[0][2], path
                blocks += 1
            around.append([len(indent), low, high])
    assert blocks


def test_what_the_rows_say_of_functions_symbols_and_relocations(twin):
    told = json.loads((twin.set / "differences.json").read_text())["libraries"]
    differs = {library["row"]: library["differs"] for library in told}
    for number, row in enumerate(twin.rows):
        made = twin.made[row["kind"]]
        for key in ("functions", "plt", "relocations"):
            assert made[key] == row[key], (row["kind"], key)
        dynamic = dict(made["dynamic"])
        # a module has one weak undefined symbol less, because it needs one more function of CPython
        assert (dynamic.pop("weak-functions", 0) == 1) == (differs[number].get("dynamic: weak-functions") == [0, 1])
        assert dynamic == row["dynamic"]
        assert made["local"]["functions"] == row["local"]["functions"]
        assert "function-sizes" not in differs[number]
        assert not [name for name in differs[number] if name.startswith("mix")]


def test_rows_of_line_tables_are_as_many(twin):
    for row in twin.rows:
        wanted = row["dwarf"]["rows"]
        assert abs(twin.made[row["kind"]]["dwarf"]["rows"] - wanted) <= wanted / 20


def test_entries_are_as_many(twin):
    """The module has fewer: entries of its functions take nearly all of .debug_info, and are a little larger than
    gcc's."""
    least = {"utility": 1, "module": 0.84}
    for row in twin.rows:
        assert least[row["kind"]] <= twin.made[row["kind"]]["dwarf"]["dies"] / row["dwarf"]["dies"] <= 1


def test_names_of_variables_are_as_short_as_real_ones_where_that_makes_room(twin):
    """Nevertheless no two names in the outermost scope of a function are alike."""
    short = 0
    for path in twin.paths:
        for function in re.split(r"^0x\w+:   DW_TAG_subprogram\n", dwarf(path, "--debug-info"), flags=re.M)[1:]:
            own = re.findall(
                r"^0x\w+:     DW_TAG_(?:variable|formal_parameter)\n +DW_AT_name\t\(\"(\w+)\"\)", function, flags=re.M
            )
            assert len(set(own)) == len(own), (path, own)
            short += sum(len(name) == 1 for name in own)
    assert short > 100


def test_entries_are_mostly_variables(twin):
    for row, real, made in twin.all:
        counts = [(real, row["dwarf"]["dies"]), (made, twin.made[row["kind"]]["dwarf"]["dies"])]
        share = [dwarf(path, "--debug-info").count("DW_TAG_variable") / count for path, count in counts]
        assert abs(share[0] - share[1]) < 0.2, (row["kind"], share)


def test_names_compress_as_the_real_ones(twin):
    """The real names have forty digits in common."""
    for row in twin.rows:
        ratio = twin.made[row["kind"]]["zstd"]["names"] / row["zstd"]["names"]
        assert 0.75 <= ratio <= 1.4, (row["kind"], ratio)


def test_variables_have_long_names_that_begin_alike(twin):
    for path in twin.paths:
        names = re.findall(r"DW_TAG_variable\n +DW_AT_name\t\(\"(\w{24,})\"\)", dwarf(path, "--debug-info"))
        local = [name for name in names if re.search(r"_\d+$", name)]
        assert len(set(local)) == len(local) > 30, path
        assert len({name[:16] for name in local}) == 1, path


def test_functions_follow_each_other_without_gaps(twin):
    for path in twin.paths:
        rows = [row.split() for row in ask("readelf", "--dyn-syms", "-W", path).splitlines()]
        functions = [row for row in rows if len(row) == 8 and row[3] == "FUNC" and row[6] != "UND"]
        symbols = sorted((int(row[1], 16), int(row[2])) for row in functions)
        gaps = [after[0] - start - size for (start, size), after in zip(symbols, symbols[1:])]
        assert gaps.count(0) > len(gaps) * 0.9, path


def test_readers_have_nothing_to_complain_of(twin):
    lint = tool("eu-elflint")
    assert each(lambda path: ask(lint, "--gnu-ld", path), twin.paths) == ["No errors\n"] * len(twin.paths)
    for path in twin.paths:
        assert "No errors" in dwarf(path, "--verify")
        assert dwarfdump_complaints(ask(tool("dwarfdump"), "-ka", path)) == []


ENTRY = "import sys; sys.path.insert(0, sys.argv[1]); import libmodule0; print(libmodule0.libmodule0_entry())"


def test_every_call_gives_what_the_manifest_says(twin):
    expected = json.loads((twin.set / "manifest.json").read_text())["libraries"]
    expected = next(library["result"] for library in expected if library["name"] == "libmodule0.so")
    printed = ask("/usr/bin/python3", "-I", "-c", ENTRY, twin.set)
    assert int(printed) % 2**64 == int(str(expected), 0) % 2**64


REGISTERS = ["rdi", "rsi", "rdx", "rcx", "r8"]


def test_arguments_in_the_debugger_are_what_came_in_registers(twin):
    """gdb stops at the row behind the prologue. Arguments are what came in registers, also of callers further up, and
    the value that gdb shows as returned is in %rax."""
    symbols = ask("readelf", "--dyn-syms", "-W", twin.set / "libmodule0.so").splitlines()
    called = [row.split()[7] for row in symbols if re.search(r"FUNC +GLOBAL .* \d+ m0\w+$", row)]
    number = {int(re.search(r"\d+$", name)[0]): name for name in called}
    name = next(number[i] for i in sorted(number) if i % 10 > 3)
    script = twin.directory / "gdb.script"
    show = [f'printf "REGISTER {register} %ld\\n", ${register}' for register in REGISTERS]
    script.write_text("\n".join([
        "set pagination off", "set width 0", "catch load libmodule0", "run", f"break *'{name}'", "continue", *show,
        f"break {name}", "continue", 'printf "ARGUMENTS\\n"', "info args", 'printf "LOCALS\\n"', "info locals",
        'printf "CALLS\\n"', "bt 3", "finish", 'printf "RAX %ld\\n", $rax', 'printf "VALUE %ld\\n", $',
    ]))
    command = [tool("gdb"), "-nx", "-q", "-batch", "-iex", "set debug-file-directory /dev/null", "-x", script]
    command += ["--args", "/usr/bin/python3", "-I", "-c", ENTRY, twin.set]
    said = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    came = [int(value) for value in re.findall(r"REGISTER \w+ (-?\d+)", said)]
    shown = re.search(r"ARGUMENTS\n(.*?)LOCALS\n(.*?)CALLS\n(.*)", said, flags=re.S)
    assert shown, said
    arguments = re.findall(r"^(\w+) = (-?\d+)$", shown[1], flags=re.M)
    assert arguments or "No arguments" in shown[1], said
    for (argument, value), register in zip(arguments, came):
        assert (int(value) - register) % 2**32 == 0, (argument, said)
    assert len(re.findall(r"^\w+ = ", shown[2], flags=re.M)) >= 5
    assert re.match(rf"#0  {name} \(.*\n#1 .* in m0\w+ \((?:\w+=-?\d+(?:, )?)*\) at ", shown[3]), said
    returned = [int(value) for value in re.findall(r"(?:RAX|VALUE) (-?\d+)", said)]
    assert len(returned) == 2 and returned[0] == returned[1], said


def test_ranges_of_code_in_several_sections(programs, twin, tmp_path):
    """For such code gcc gives ranges to units. Here blocks have them, and no two blocks side by side have the same
    code."""
    (tmp_path / "real").mkdir()
    command = [tool("gcc"), "-g", "-O0", "-w", "-fPIC", "-shared", "-ffunction-sections"]
    subprocess.run([*command, "-o", tmp_path / "real" / "apart.so", twin.directory / "kernel_sums.c"], check=True)
    programs.run("pyelfprof", "-o", tmp_path / "real.prof", tmp_path / "real")
    programs.run("pyelfgen", "--profile", tmp_path / "real.prof", "-o", tmp_path / "set")
    path = tmp_path / "set" / "libutility0.so"
    sizes = sections_of(tmp_path / "real" / "apart.so")
    assert "rnglists" in sizes and "loclists" not in sizes
    assert sections_of(path)["rnglists"] == sizes["rnglists"] and "loclists" not in sections_of(path)
    assert "No errors" in dwarf(path, "--verify")
    assert ask(tool("eu-elflint"), "--gnu-ld", path) == "No errors\n"
    undefined = [row for row in ask("readelf", "-sW", path).splitlines() if re.search(r"OBJECT +LOCAL .* UND ", row)]
    assert undefined == []


def made_of(programs, directory, row):
    """Makes the library of one captured row."""
    head = "pyelfgen-profile: 1\ndwarf: {version: 5, language: c, units: 43}\n"
    (directory / "one.prof").write_text(head + "captured: {from: files, libraries: 1, unreadable: 0}\nlibraries:\n" + row)
    programs.run("pyelfgen", "--profile", directory / "one.prof", "-o", directory / "set")
    return directory / "set" / "libutility0.so"


@pytest.mark.parametrize(("wanted", "told"), [("zlib", ["zlib", "none"]), ("zstd", ["zstd", "none"]), ("none", None)])
def test_nothing_is_compressed_without_debug_information(wanted, told, programs, tmp_path):
    row = f"- {{kind: utility, text: 50000, data: 1000, bss: 8, debug: 0, compressed: {wanted}, functions: 50}}\n"
    made_of(programs, tmp_path, row)
    (library,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert library["differs"].get("compressed") == told and "compressed" not in library["unknown"]


# Hardly any names but those of functions are in .debug_str. It is smaller than the names of variables that other
# libraries have.
FEW_NAMES = """\
- {kind: utility, text: 112374, data: 848, bss: 8, debug: 47952, symtab: 4776, strtab: 1734, functions: 173,
   dynamic: {functions: 42, undefined: 9, weak: 4, dynstr: 944}, local: {functions: 131, objects: 8, other: 8},
   relocations: {relative: 3, jump-slot: 36, glob-dat: 8, symbols: 8, pages: 2}, plt: 36, outside: 1, soname: false,
   versions: 1, function-sizes: '0 131 220 462 494 518 626 671 716 995 1076',
   share: {code: 93738, plt: 600, constants: 7380, unwind: 6800, symbols: 2692, relocations: 1128},
   dwarf: {version: 5, language: c, units: 4, dies: 1179, attributes: 7090, rows: 8196},
   mix: {info: 19463, abbrev: 1596, line: 23583, str: 2964, line_str: 154, aranges: 192}}
"""


def test_there_is_room_for_few_names(programs, tmp_path):
    sizes = sections_of(made_of(programs, tmp_path, FEW_NAMES))
    assert sizes == {"info": 19463, "abbrev": 1596, "line": 23583, "str": 2964, "line_str": 154, "aranges": 192}


# Line-table rows are long: each has a column and a discriminator.
LONG_ROWS = """\
- {kind: utility, text: 47897, data: 536, bss: 8, debug: 61916, symtab: 4200, strtab: 1162, functions: 156,
   dynamic: {functions: 150, undefined: 5, weak: 4, dynstr: 904}, local: {functions: 6, objects: 8, other: 5},
   relocations: {relative: 3, jump-slot: 1, glob-dat: 4, symbols: 4, pages: 2}, plt: 1, outside: 1, soname: false,
   versions: 1, function-sizes: '0 233*8 236*2',
   share: {code: 35233, plt: 40, constants: 16, unwind: 6120, symbols: 6260, relocations: 192},
   dwarf: {version: 5, language: c, units: 1, dies: 2282, attributes: 12683, rows: 4351},
   mix: {info: 30565, abbrev: 406, line: 29679, str: 1180, line_str: 38, aranges: 48}}
"""


def test_rows_are_at_addresses_of_their_own(programs, tmp_path):
    """All rows of gcc's are at addresses of their own. Here up to a third may be many at one address, to make up the
    number."""
    lines = dwarf(made_of(programs, tmp_path, LONG_ROWS), "--debug-line")
    rows = re.findall(r"^(0x\w{16}) +\d+ +\d+ +\d+ +\d+ +(\d+) (?!.*end_sequence)", lines, flags=re.M)
    at = collections.Counter(address for address, _ in rows)
    assert abs(len(rows) - 4351) < 0.1 * 4351
    assert sum(count for count in at.values() if count > 10) < len(rows) / 3 and len(at) > 1500
    assert sum(discriminator != "0" for _, discriminator in rows) > 0.7 * len(rows)


# Fortran of 73 sources: some 1000 bytes of entries, 240 of abbreviations and 530 of the line table for each, and a row
# of the line table for 39 bytes of code.
MANY_UNITS = """\
- {kind: utility, text: 387715, data: 1624, bss: 8, debug: 139826, symtab: 6336, strtab: 2526, functions: 83,
   dynamic: {functions: 73, undefined: 95, weak: 4, versioned: 4, dynstr: 1566}, local: {functions: 10, objects:
   8, other: 77}, relocations: {relative: 3, jump-slot: 133, glob-dat: 4, symbols: 4, pages: 2}, plt: 133,
   outside: 3, soname: false, versions: 4, name-lengths: '5*2 6*9 7*40 8*28 9*8 10 11 12*2 13 14*2 18 19*2 20 21
   27 38', share: {code: 367242, plt: 2152, constants: 4425, unwind: 3788, symbols: 6712, relocations: 3360},
   dwarf: {version: 5, language: fortran08, units: 73, uneven: 209, dies: 6079, defined: 4893, attributes:
   20774, rows: 9481}, mix: {info: 73005, abbrev: 17615, line: 38597, str: 4422, line_str: 2683, aranges: 3504}}
"""


def test_units_and_rows_of_many_small_sources(programs, tmp_path):
    path = made_of(programs, tmp_path, MANY_UNITS)
    wanted = {"info": 73005, "abbrev": 17615, "line": 38597, "str": 4422, "line_str": 2683, "aranges": 3504}
    assert sections_of(path) == wanted
    assert len(re.findall("DW_TAG_compile_unit", dwarf(path, "--debug-info"))) == 73
    rows = re.findall(r"^0x\w{16} .*(?<!end_sequence)$", dwarf(path, "--debug-line"), flags=re.M)
    assert abs(len(rows) - 9481) < 0.1 * 9481
    assert ask(tool("eu-elflint"), "--gnu-ld", path) == "No errors\n"
    assert "No errors." in ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--verify", path)


def test_the_first_marker_is_written_first(programs, tmp_path):
    """An interrupted set is known by this marker, whatever its libraries are."""
    rows = "".join(f"- {{kind: utility, functions: {20 + i}}}\n" for i in range(9))
    (tmp_path / "p").write_text(f"pyelfgen-profile: 1\nlibraries:\n{rows}")
    programs.run("pyelfgen", "-q", "-j1", "-P", tmp_path / "p", "-o", tmp_path / "set")
    written = sorted((tmp_path / "set").glob("*.so"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    assert written[0].name == "libmodulebegin.so"
    (tmp_path / "set" / "manifest.json").unlink()
    for path in written[3:]:
        path.unlink()
    done = programs.run("pyelfstat", tmp_path / "set", status=None)
    assert "looks like an incomplete set" in done.stderr
