"""Rows whose debug sections are as those of optimised code. Each section has the row's size to the byte. Units, rows
and entries are as many as the row says, or nearly.
"""

import bisect
import collections
import filecmp
import json
import re
import subprocess

import pytest
import yaml

from dies import Dies, check_origins
from objects import DWARFDUMP_OF_PARTIAL, ask, dwarfdump_complaints, each, tool

# The libraries: several units with dense line tables; little of everything, including abbreviations; long entries and
# few rows; one unit of 170 functions with more types than one header declares.
ROWS = """\
- {kind: module, text: 35371, data: 2320, bss: 64, debug: 181486,
   symtab: 3168, strtab: 2585, functions: 45, dynamic: {functions: 1, undefined: 45, weak: 4, dynstr: 926},
   local: {functions: 44, objects: 34, other: 7},
   relocations: {relative: 91, jump-slot: 35, glob-dat: 10}, plt: 35, outside: 1,
   share: {code: 24527, plt: 584, constants: 2320, unwind: 2392, symbols: 2248,
   relocations: 3264}, dwarf: {version: 5, language: c, units: 3, dies: 5503, attributes: 23048, rows: 8995, entries: 3550},
   mix: {info: 77042, abbrev: 4102, line: 39856, str: 7239, line_str: 1050, loclists: 42667, rnglists: 9386, aranges: 144}}
- {kind: module, text: 3529, data: 920, bss: 8, debug: 12170,
   symtab: 1080, strtab: 746, functions: 9, dynamic: {functions: 1, undefined: 16, weak: 4, dynstr: 346},
   local: {functions: 8, objects: 14, other: 5},
   relocations: {relative: 17, jump-slot: 8, glob-dat: 8}, plt: 8, outside: 0,
   share: {code: 956, plt: 152, constants: 487, unwind: 292, symbols: 814,
   relocations: 792}, dwarf: {version: 5, language: c, units: 1, dies: 524, attributes: 2205, rows: 169, entries: 82},
   mix: {info: 5756, abbrev: 870, line: 915, str: 3140, line_str: 592, loclists: 801, rnglists: 48, aranges: 48}}
- {kind: module, text: 15213, data: 1288, bss: 32, debug: 64202,
   symtab: 2496, strtab: 1847, functions: 12, dynamic: {functions: 1, undefined: 73, weak: 4, dynstr: 1173},
   local: {functions: 11, objects: 13, other: 5},
   relocations: {relative: 10, jump-slot: 61, glob-dat: 12}, plt: 61, outside: 1,
   share: {code: 6508, plt: 1000, constants: 1634, unwind: 820, symbols: 3223,
   relocations: 1992}, dwarf: {version: 5, language: c, units: 1, dies: 1813, attributes: 7131, rows: 1171, entries: 640},
   mix: {info: 20503, abbrev: 1651, line: 4769, str: 11115, line_str: 858, loclists: 24776, rnglists: 482, aranges: 48}}
- {kind: module, text: 97628, data: 9616, bss: 168, debug: 432248,
   symtab: 8736, strtab: 5730, functions: 168, dynamic: {functions: 1, undefined: 105, weak: 4, dynstr: 1962},
   local: {functions: 167, objects: 85, other: 5},
   relocations: {relative: 390, jump-slot: 85, glob-dat: 18, "64": 6}, plt: 85, outside: 2,
   share: {code: 59280, plt: 1400, constants: 8744, unwind: 11332, symbols: 4860,
   relocations: 11976}, dwarf: {version: 5, language: c, units: 1, dies: 12491, attributes: 52339, rows: 16683, entries: 9587},
   mix: {info: 179022, abbrev: 2091, line: 65561, str: 22165, line_str: 1439, loclists: 144818, rnglists: 17088, aranges: 64}}
"""

SECTIONS = ["info", "abbrev", "line", "str", "line_str", "loclists", "rnglists", "aranges"]


def make(programs, directory, rows):
    """Makes a set of these rows. Returns its libraries, and what differences.json says of each."""
    head = "pyelfgen-profile: 1\ndwarf: {version: 5, language: c, units: 40, views: true}\nlibraries:\n"
    (directory / "rows.prof").write_text(head + rows)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    told = json.loads((directory / "set" / "differences.json").read_text())["libraries"]
    return [directory / "set" / f"libmodule{i}.so" for i in range(len(told))], told


def variants(row, key, numbers):
    """Returns the parsed row, and the text of copies of it, one for each number as the value of `key`."""
    text = "- " + row.removeprefix("- ").strip() + "\n"
    [said] = yaml.safe_load(text)
    return said, "".join(text.replace(f"{key}: {said['dwarf'][key]}", f"{key}: {n}") for n in numbers)


@pytest.fixture(scope="module")
def libraries(programs, tmp_path_factory):
    return list(zip(yaml.safe_load(ROWS), make(programs, tmp_path_factory.mktemp("mix"), ROWS)[0], strict=True))


def sections_of(path):
    found = re.findall(r"\] \.debug_(\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", ask("readelf", "-SW", path))
    return {name: int(size, 16) for name, size in found}


def check_sections(row, path):
    """Each debug section of the library has the size that the row's `mix` gives."""
    sizes = sections_of(path)
    assert {name: sizes.get(name, 0) for name in SECTIONS} == row["mix"], path


def rows_of(path):
    lines = ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--debug-line", path)
    return len(re.findall("^0x[0-9a-f]{16} ", lines, flags=re.M))


def test_the_compilation_directory_is_not_very_long(libraries):
    """Where there are several units, their names are longer instead: addr2line puts the directory before each."""
    row, path = libraries[0]
    directory = re.search(r"DW_AT_comp_dir *: (?:\(.*?\): )?(/\S*)", ask("readelf", "--debug-dump=info", path))[1]
    assert row["dwarf"]["units"] > 1 and len(directory) < 140


def test_each_section_has_its_size(libraries):
    told = json.loads((libraries[0][1].parent / "differences.json").read_text())["libraries"]
    for (row, path), library in zip(libraries, told):
        check_sections(row, path)
        assert not [name for name in library["differs"] if name.startswith("mix")]


def test_units_rows_and_entries_are_as_many(libraries):
    for row, path in libraries:
        units = ask("readelf", "--debug-dump=info", "--dwarf-depth=1", path).count("Compilation Unit @")
        assert units == row["dwarf"]["units"], path
        if row["debug"] > 16000:
            assert abs(rows_of(path) - row["dwarf"]["rows"]) <= row["dwarf"]["rows"] / 4, path


def test_parameters_are_in_their_registers_where_a_function_begins(libraries):
    """gdb, stopped where a function of optimised code begins, finds parameters in registers, as nothing is spilled yet.
    This includes functions that are described plainly."""
    for _, path in libraries:
        dies = Dies(path)
        functions = [die for unit in dies.units for die in unit.of("subprogram") if "low_pc" in die]
        wanted = [(f.number("low_pc"), [p.text("name") for p in f.of("formal_parameter")]) for f in functions]
        scopes = [option for start, _ in wanted for option in ("-ex", f"info scope *{start:#x}")]
        out = ask(tool("gdb"), "-nx", "-batch", "-iex", "set width 0", *scopes, path)
        found = re.split(r"^(?:Scope for |Symbol table .* )\*.*\n", out, flags=re.M)[1:]
        assert any(names for _, names in wanted)
        for (start, names), scope in zip(wanted, found, strict=True):
            for name in names:
                assert re.search(rf"^Symbol {name} is multi-location:\n  Range {start:#x}-0x\w+: a variable in \$", scope, re.M)


def test_no_function_has_lines_of_the_next(libraries):
    """A breakpoint on the line where a function begins stops in this function alone."""
    for _, path in libraries:
        functions = [die for unit in Dies(path).units for die in unit.of("subprogram") if "low_pc" in die]
        functions.sort(key=lambda die: die.number("low_pc"))
        lines = ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--debug-line", path)
        rows = re.findall(r"^(0x\w+) +(\d+) +\d+ +[01] (?!.*end_sequence)", lines, flags=re.M)
        rows = sorted((int(address, 16), int(line)) for address, line in rows)
        for die, after in zip(functions, functions[1:]):
            low, high, line = die.number("low_pc"), after.number("low_pc"), after.number("decl_line")
            if die.parent is after.parent:
                own = [row[1] for row in rows[bisect.bisect(rows, (low, 0)) : bisect.bisect(rows, (high, 0))]]
                assert own and max(own) < line, (path, die.text("name"))


def test_functions_are_called_as_their_symbols(libraries):
    for _, path in libraries:
        symbols = {}
        for line in ask("nm", "--defined-only", path).splitlines():
            at, _, name = line.split()
            symbols.setdefault(int(at, 16), set()).add(name.split("@")[0])
        functions = [die for die in Dies(path).at.values() if die.tag == "subprogram" and "low_pc" in die]
        assert functions and all(die.text("name") in symbols[die.number("low_pc")] for die in functions), path


@pytest.mark.slow
def test_many_that_are_alike(libraries, programs, tmp_path):
    """Of many similar rows some are solved first, and the search for the others begins where these ended. The results
    are the same with any number of threads and ranks, and about as near to the row as when a library is made alone."""
    first, *others = yaml.safe_load(ROWS)
    lines = [row.split("}}")[0] + "}}\n" for row in ROWS.split("\n- ")]
    times = 20
    profile = tmp_path / "many.prof"
    rows = "".join(line if line.startswith("- ") else f"- {line}" for line in lines) * times
    profile.write_text("pyelfgen-profile: 1\ndwarf: {version: 5, language: c, units: 40, views: true}\nlibraries:\n" + rows)
    for threads in ("1", "4"):
        programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / threads, "-q", "-j", threads)
    programs.mpirun(3, "pyelfgen", "--profile", profile, "-o", tmp_path / "ranks", "-q")
    count = times * (1 + len(others))
    names = [f"libmodule{i}.so" for i in range(count)]
    for again in ("4", "ranks"):
        assert filecmp.cmpfiles(tmp_path / "1", tmp_path / again, names, shallow=False) == (names, [], [])
    for i in range(0, count, 7):
        row, alone = libraries[i % len(libraries)]
        if row["debug"] < 16000:
            continue
        wanted = row["dwarf"]["rows"]
        found = rows_of(tmp_path / "1" / names[i])
        check_sections(row, tmp_path / "1" / names[i])
        assert abs(found - wanted) <= abs(rows_of(alone) - wanted) + wanted / 10, i


def test_readers_have_nothing_to_complain_of(libraries):
    paths = [path for _, path in libraries]
    lint = tool("eu-elflint")
    assert each(lambda path: ask(lint, "--gnu-ld", path), paths) == ["No errors\n"] * len(paths)
    for path in paths:
        assert "No errors" in ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--verify", path)
        assert dwarfdump_complaints(ask(tool("dwarfdump"), "-ka", path)) == []


# Units of a few kB, as most small modules of CPython have one. The libraries: with no functions except those that make
# it a module; with few abbreviations; with few names; with two units.
SMALL = """\
- {kind: module, text: 1825, data: 776, bss: 8, debug: 8548, symtab: 912, strtab: 631, functions: 9,
   dynamic: {functions: 1, undefined: 10, weak: 4, dynstr: 247}, local: {functions: 8, objects: 13, other: 5},
   relocations: {relative: 11, jump-slot: 3, glob-dat: 7, symbols: 7, pages: 2}, plt: 3, outside: 0, soname: false,
   runpath: 1, init-code: 12, methods: 1, share: {code: 332, plt: 72, constants: 94, unwind: 216, symbols: 571,
   relocations: 504}, dwarf: {version: 5, language: c, units: 1, dies: 403, attributes: 1690, rows: 28, entries: 11},
   mix: {info: 4231, abbrev: 641, line: 277, str: 2709, line_str: 534, loclists: 108, aranges: 48}}
- {kind: module, text: 3456, data: 856, bss: 8, debug: 11730, symtab: 1008, strtab: 693, functions: 9,
   dynamic: {functions: 1, undefined: 14, weak: 4, dynstr: 310}, local: {functions: 8, objects: 13, other: 5},
   relocations: {relative: 13, jump-slot: 7, glob-dat: 7, symbols: 7, pages: 2}, plt: 7, outside: 0, soname: false,
   runpath: 1, init-code: 12, methods: 1, share: {code: 900, plt: 136, constants: 400, unwind: 280, symbols: 700,
   relocations: 650}, dwarf: {version: 5, language: c, units: 1, dies: 504, attributes: 2100, rows: 98, entries: 45},
   mix: {info: 5438, abbrev: 830, line: 1200, str: 2825, line_str: 590, loclists: 751, rnglists: 48, aranges: 48}}
- {kind: module, text: 5462, data: 1408, bss: 32, debug: 10648, symtab: 1776, strtab: 1092, functions: 18,
   dynamic: {functions: 1, undefined: 33, weak: 4, dynstr: 637}, local: {functions: 17, objects: 22, other: 5},
   relocations: {relative: 36, jump-slot: 24, glob-dat: 9, symbols: 9, pages: 2}, plt: 24, outside: 0, soname: false,
   runpath: 1, init-code: 12, methods: 2, share: {code: 1164, plt: 408, constants: 446, unwind: 852, symbols: 1513,
   relocations: 1656}, dwarf: {version: 5, language: c, units: 1, dies: 376, attributes: 1612, rows: 310, entries: 115},
   mix: {info: 4917, abbrev: 1128, line: 1425, str: 1463, line_str: 399, loclists: 1163, rnglists: 105, aranges: 48}}
- {kind: module, text: 5462, data: 1408, bss: 32, debug: 19236, symtab: 1776, strtab: 1092, functions: 18,
   dynamic: {functions: 1, undefined: 33, weak: 4, dynstr: 637}, local: {functions: 17, objects: 22, other: 5},
   relocations: {relative: 36, jump-slot: 24, glob-dat: 9, symbols: 9, pages: 2}, plt: 24, outside: 0, soname: false,
   runpath: 1, init-code: 12, methods: 2, share: {code: 1164, plt: 408, constants: 446, unwind: 852, symbols: 1513,
   relocations: 1656}, dwarf: {version: 4, language: c, units: 2, dies: 800, attributes: 3200, rows: 310, entries: 115},
   mix: {info: 9902, abbrev: 1128, line: 1835, str: 3463, loclists: 2451, rnglists: 304, aranges: 96}}
"""


@pytest.fixture(scope="module")
def small(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("small")
    (directory / "rows.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + SMALL)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return [(row, directory / "set" / f"libmodule{i}.so") for i, row in enumerate(yaml.safe_load(SMALL))]


def test_small_units_have_entries_and_not_long_names(small):
    """Small units declare types with members, by few abbreviations, and have no inlined calls."""
    for row, path in small:
        sizes = sections_of(path)
        if row["dwarf"]["version"] == 5:
            assert {name: size for name, size in sizes.items() if name in SECTIONS} == row["mix"]
        tags = tags_of(path)
        assert tags["compile_unit"] == row["dwarf"]["units"]
        assert 0.6 * row["dwarf"]["dies"] < sum(tags.values()) < 1.1 * row["dwarf"]["dies"], tags
        assert tags["member"] > row["dwarf"]["dies"] / 10 and not tags["inlined_subroutine"]
    test_readers_have_nothing_to_complain_of(small)
    test_parameters_are_in_their_registers_where_a_function_begins(small)


@pytest.mark.alike
@pytest.mark.parametrize(
    ("rows", "number", "wanted"),
    [
        ("ROWS", 0, range(5100, 5940, 84)),
        ("ROWS", 1, range(420, 650, 46)),
        ("ROWS", 2, range(1300, 1900, 75)),
        ("ROWS", 3, range(10600, 14900, 430)),
        ("SMALL", 0, range(340, 480, 14)),
        ("SMALL", 2, range(255, 560, 30)),
        ("SMALL", 3, range(620, 1120, 51)),
    ],
)
def test_entries_are_as_many_as_the_row_says(programs, tmp_path, rows, number, wanted):
    """This holds whether entries are longer or shorter than usual. Apart from functions, .debug_info is filled with
    types, whose names are in .debug_str already, and a few declarations at the end."""
    row, several = variants({"ROWS": ROWS, "SMALL": SMALL}[rows].split("\n- ")[number], "dies", wanted)
    paths, told = make(programs, tmp_path, several)
    for n, path, library in zip(wanted, paths, told, strict=True):
        sizes = sections_of(path)
        assert (sum(tags_of(path).values()), library["differs"].get("dwarf: dies")) == (n, None)
        if row["dwarf"]["version"] == 5:
            assert {name: sizes[name] for name in SECTIONS if name in row["mix"]} == row["mix"]
    test_readers_have_nothing_to_complain_of([(row, path) for path in paths[:: len(paths) - 1]])


# One of the C library's, which converts characters: four small units, and tables.
CONVERTS = """\
- {kind: utility, text: 7949, data: 632, bss: 8, debug: 21926, symtab: 936, strtab: 615, functions: 9,
   dynamic: {functions: 2, undefined: 9, weak: 4, versioned: 6, dynstr: 251}, local: {functions: 7, objects: 14, other: 6},
   relocations: {glob-dat: 4, relr: 3, symbols: 4, pages: 2}, plt: 5, outside: 1, hash: both, soname: false, versions: 4,
   share: {code: 4418, plt: 104, constants: 1952, unwind: 384, symbols: 751, relocations: 240},
   dwarf: {version: 5, language: c, units: 4, uneven: 281, dies: 710, attributes: 2285, rows: 821, entries: 620},
   mix: {info: 7119, abbrev: 1216, line: 3314, str: 2203, line_str: 509, loclists: 6638, rnglists: 719, aranges: 208}}
"""


@pytest.mark.parametrize("types", [1000, 300, 30])
def test_entries_are_as_many_where_few_types_are_of_functions(programs, tmp_path, types):
    """Types of functions with many parameters make up for entries that are lacking, also where tags have few of them."""
    tags = "structure_type:9000 member:18000 typedef:40000 pointer_type:17000 restrict_type:13000 const_type:9000 "
    tags += "subprogram:3000 formal_parameter:25000 variable:22000 call_site:5500 call_site_parameter:19800"
    said = json.dumps({"tags": f"{tags} subroutine_type:{types}", "attributes": "name:1"})
    captured = "captured: {from: files, libraries: 20, unreadable: 0}"
    text = f"pyelfgen-profile: 1\n{captured}\ndistributions: {said}\nlibraries:\n{CONVERTS * 20}"
    (tmp_path / "a.prof").write_text(text)
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", "-q")
    for library in json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]:
        assert "dwarf: dies" not in library["differs"], library


# An extension module in C++ with two small units and few abbreviations.
SMALL_CPP = """\
- {kind: module, text: 5715, data: 1008, bss: 32, debug: %d, symtab: 1512, strtab: 1111, functions: 11,
   dynamic: {functions: 1, undefined: 32, weak: 4, dynstr: 594}, local: {functions: 10, objects: 13, other: 6},
   relocations: {relative: 9, jump-slot: 23, glob-dat: 9, symbols: 9, pages: 2}, plt: 23, outside: 1, bind: now,
   relro: full, soname: false, versions: 3, init-code: 885, mangled: 9, methods: 2,
   share: {code: 1925, plt: 392, constants: 376, unwind: 424, symbols: 1578, relocations: 984},
   dwarf: {version: 5, language: c++, units: 2, dies: 1646, defined: 180, rows: 353, entries: 107},
   mix: {info: 17229, abbrev: %d, line: 1760, str: 8273, line_str: 709, loclists: 1033, rnglists: 149, aranges: 48}}
"""


@pytest.mark.slow
def test_units_in_cpp_have_as_few_abbreviations_as_the_row_says(programs, tmp_path):
    wanted = [*range(700, 2000, 41), 1436]
    texts = [SMALL_CPP % (29201 + n, n) for n in wanted]
    rows = [yaml.safe_load(text)[0] for text in texts]
    paths, _ = make(programs, tmp_path, "".join(texts))
    kinds = []
    for row, path in zip(rows, paths, strict=True):
        sizes = sections_of(path)
        assert {name: sizes[name] for name in SECTIONS} == row["mix"]
        tags = tags_of(path)
        assert (tags["compile_unit"], sum(tags.values())) == (row["dwarf"]["units"], row["dwarf"]["dies"])
        kinds.append(len(tags))
    assert kinds[0] < kinds[len(kinds) // 2] <= kinds[-2], "with more abbreviations there are more kinds of entries"
    test_readers_have_nothing_to_complain_of(list(zip(rows, paths, strict=True))[::8])


def below(die):
    return 1 + sum(map(below, die.children))


VARIABLE_NAMES = 256


def of_functions(path):
    """Returns the number of all entries, and of those of defined functions with all entries below them. No two
    variables of a function have the same name, as long as there are names."""
    dies = Dies(path)
    functions = [die for unit in dies.units for die in unit.of("subprogram") if "low_pc" in die]
    for function in functions:
        names = [variable.text("name") for variable in function.of("formal_parameter", "variable") if "name" in variable]
        assert len(set(names)) == len(names) or len(names) > VARIABLE_NAMES / 2, function.text("name")
    return len(dies.at), sum(map(below, functions))


@pytest.mark.parametrize("least", [1500, 2500])
def test_no_more_is_told_of_functions_than_the_row_says(programs, tmp_path, least):
    """This holds also where the number of all entries is the row's: then declarations of headers take the place of
    entries of functions, and all sections keep their sizes."""
    row, several = variants(ROWS.split("\n- ")[0].replace("dies: 5503", "dies: 5503, defined: 0"), "defined", [least, 5000])
    paths, _ = make(programs, tmp_path, several)
    (less, fewer), (all_of_them, usual) = map(of_functions, paths)
    assert (less, all_of_them) == (5503, 5503)
    assert abs(fewer - least) <= least / 16 and usual > least * 5 / 4
    for path in paths:
        check_sections(row, path)
    test_readers_have_nothing_to_complain_of([(row, path) for path in paths])


def test_no_less_is_told_of_functions_than_the_row_says(programs, tmp_path):
    """Where .debug_info has no room for as many entries and all that there is to tell, functions give up some of theirs,
    but nearly keep as many as `defined` says."""
    row, several = variants(ROWS.split("\n- ")[0].replace("dies: 5503", "dies: 7000, defined: 0"), "defined", [2500, 3600])
    paths, told = make(programs, tmp_path, several)
    found = []
    for path, library, wanted in zip(paths, told, [2500, 3600], strict=True):
        check_sections(row, path)
        found.append(of_functions(path))
        assert library["differs"].get("dwarf: defined", [0, wanted])[1] == found[-1][1]
        assert (found[-1][0], library["differs"].get("dwarf: dies")) == (7000, None)
    assert 2500 - 7000 / 32 < found[0][1] < 3000 < 3600 - 7000 / 32 < found[1][1]
    test_readers_have_nothing_to_complain_of([(row, path) for path in paths])


def test_functions_have_as_many_entries_as_the_row_says(programs, tmp_path):
    """The description of the code has fewer entries than `defined`. Locals that are optimized away make up for that."""
    wanted = [2500, 4000, 5500, 7000, 9000]
    row, several = variants(ROWS.split("\n- ")[3].replace("dies: 12491", "dies: 12491, defined: 0"), "defined", wanted)
    paths, told = make(programs, tmp_path, several)
    for path, library, number in zip(paths, told, wanted, strict=True):
        check_sections(row, path)
        assert of_functions(path) == (12491, number)
        assert not {"dwarf: dies", "dwarf: defined"} & set(library["differs"])
    test_readers_have_nothing_to_complain_of([(row, path) for path in paths])


def test_functions_without_lists_and_in_cpp_have_as_many_entries_as_the_row_says(programs, tmp_path):
    """Here further locals, which have places in the frame, make up the number."""
    plain = re.sub(r"(loclists|rnglists|entries): \d+", r"\1: 0", ROWS.split("\n- ")[3])
    plain = plain.replace("debug: 432248", "debug: 270342").replace("dies: 12491", "dies: 12491, defined: 0")
    for text, wanted in (plain, [5000, 6500, 8000]), (SMALL_CPP % (30637, 1436), [120, 140, 160]):
        row, several = variants(text.removesuffix("\n"), "defined", wanted)
        directory = tmp_path / str(wanted[0])
        directory.mkdir()
        paths, _ = make(programs, directory, several)
        for path, number in zip(paths, wanted, strict=True):
            assert abs(of_functions(path)[1] - number) <= number / 1000
        for path in paths:
            check_sections(row, path)
        test_readers_have_nothing_to_complain_of([(row, path) for path in paths])


@pytest.mark.parametrize("key", ["dies", "defined", "attributes", "rows", "entries"])
def test_more_of_anything_than_there_can_be_is_told(programs, tmp_path, key):
    """Sections keep their sizes, and memory use does not grow with the number."""
    text = ROWS.split("\n- ")[3].replace("dies: 12491", "dies: 12491, defined: 0")
    row, several = variants(text, key, [4_000_000_000])
    (path,), (library,) = make(programs, tmp_path, several)
    check_sections(row, path)
    assert library["differs"][f"dwarf: {key}"][0] == 4_000_000_000


def entries_captured(programs, paths):
    """Returns how many entries the location lists of each library have, as libdwarf reads them."""
    text = programs.run("pyelfprof", "-o", "-", *paths).stdout
    return [row["dwarf"]["entries"] for row in yaml.safe_load(text)["libraries"]]


def test_location_lists_have_as_many_entries_as_the_row_says(programs, tmp_path):
    """Neighbouring numbers are met exactly, in the same number of bytes. Numbers so high that most entries are a
    register are met to 1 %."""
    wanted = [*range(620, 640), *range(540, 800, 40), *range(800, 1250, 50)]
    row, several = variants(ROWS.split("\n- ")[2], "entries", wanted)
    paths, _ = make(programs, tmp_path, several)
    found = entries_captured(programs, paths)
    assert found[:-9] == wanted[:-9]
    assert all(abs(is_there - number) <= number / 100 for is_there, number in zip(found, wanted, strict=True))
    for path in paths:
        check_sections(row, path)
    test_readers_have_nothing_to_complain_of([(row, path) for path in paths])


BRIEF = """\
- {kind: module, text: 1326, data: 704, bss: 32, debug: 7849, symtab: 768, strtab: 480, functions: 8,
   dynamic: {functions: 1, undefined: 5, weak: 4, dynstr: 150}, local: {functions: 7, objects: 13, other: 5},
   relocations: {relative: 10, jump-slot: 1, glob-dat: 4, symbols: 4, pages: 2}, plt: 1, outside: 0, soname: false,
   runpath: 1, init-code: 12, methods: 1, share: {code: 252, plt: 40, constants: 108, unwind: 176, symbols: 354,
   relocations: 360}, dwarf: {version: 5, language: c, units: 1, dies: 387, attributes: 1612, rows: 13, entries: 1},
   mix: {info: 4015, abbrev: 530, line: 209, str: 2526, line_str: 501, loclists: 20, aranges: 48}}
"""


def test_location_lists_are_as_short_as_the_row_says(programs, tmp_path):
    """One library has a single list of one entry, as CPython's _typing has; the other has two such lists."""
    two = BRIEF.replace("loclists: 20", "loclists: 28").replace("debug: 7849", "debug: 7857").replace("entries: 1", "entries: 2")
    paths, told = make(programs, tmp_path, BRIEF + two)
    attributes = attributes_told(told, BRIEF + two)
    for lists, path, library in zip([1, 2], paths, told, strict=True):
        assert sections_of(path)["loclists"] == 12 + 8 * lists
        differs = dict(library["differs"])
        differs.pop("dwarf: attributes", None)
        assert not [name for name in differs if name.startswith(("mix", "dwarf"))]
        found = [die for die in Dies(path).at.values() if die.tag == "formal_parameter" and "name" in die]
        assert len(found) == lists
    assert attributes == attributes_captured(programs, paths)
    test_parameters_are_in_their_registers_where_a_function_begins([(None, path) for path in paths])
    test_readers_have_nothing_to_complain_of([(None, path) for path in paths])


NAMES = [12, 13, 14, 24, 36, 47, 48, 90]


def test_names_of_files_are_as_short_as_the_row_says(programs, tmp_path):
    """The unit's header and the directory in which it was compiled get short names."""
    row = "- " + SMALL.split("\n- ")[1].strip() + "\n"
    texts = [row.replace("line_str: 590", f"line_str: {n}").replace("debug: 11730", f"debug: {11140 + n}") for n in NAMES]
    paths, told = make(programs, tmp_path, "".join(texts))
    for n, path, library in zip(NAMES, paths, told, strict=True):
        assert sections_of(path)["line_str"] == n
        assert not [name for name in library["differs"] if name.startswith("mix") or name == "debug"]
        header = ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--debug-line", path).split("Address  ")[0]
        first, second = re.findall(r'^include_directories\[ +\d\] = "(.+)"$', header, flags=re.M)
        files = re.findall(r'name: "(.+)"\n +dir_index: (\d)', header)
        assert first.startswith("/s" if n < 48 else "/usr/src/application") and not second.startswith("/")
        assert files[0] == files[1] and files[0][1] == "0" and files[2][0].endswith(".h") and files[2][1] == "1"
        sources = ask(tool("gdb"), "-nx", "-batch", "-ex", "info line 1", "-ex", "info sources", path)
        assert f"{first}/{files[0][0]}" in sources
    test_readers_have_nothing_to_complain_of([(row, path) for path in paths])


@pytest.mark.parametrize("number", [0, 2, 3])
def test_line_tables_have_as_many_rows_as_the_row_says(programs, tmp_path, number):
    """Line-table rows take the same number of bytes, however many they are. What the last function's rows have besides
    an address and a line makes up the number."""
    usual = yaml.safe_load(ROWS)[number]["dwarf"]["rows"]
    wanted = [usual + more for more in (-31, -7, 0, 1, 13, 40)]
    row, several = variants(ROWS.split("\n- ")[number], "rows", wanted)
    paths, told = make(programs, tmp_path, several)
    for n, path, library in zip(wanted, paths, told, strict=True):
        assert (rows_of(path), library["differs"].get("dwarf: rows")) == (n, None)
        check_sections(row, path)


def test_where_entries_cannot_be_as_many_it_is_told_how_many_there_are(programs, tmp_path):
    text = ROWS.replace("dies: 12491", "dies: 1000").replace("dies: 5503", "dies: 100000000")
    (tmp_path / "rows.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + text)
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", "-q")
    told = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    for (row, wanted), library in zip([(0, 10**8), (3, 1000)], [told[0], told[3]]):
        found = sum(tags_of(tmp_path / "set" / f"libmodule{row}.so").values())
        assert library["differs"]["dwarf: dies"] == [wanted, found]


@pytest.mark.parametrize(("more", "wanted"), [("", "none"), ("compressed: zstd, ", "zstd")])
def test_what_a_captured_row_leaves_out_is_told_where_the_library_has_it(programs, tmp_path, more, wanted):
    """Compressed sections, .debug_aranges and constants are 0 where a captured row leaves them out, so a library that
    has them differs. So does one with another compression than the row's."""
    row = SMALL.split("\n- ")[2].replace(", aranges: 48", "").replace("constants: 446, ", "")
    row = f"- {row.strip()}\n".replace("debug: 10648, ", f"debug: 10600, {more}")
    head = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 1, unreadable: 0}\ndwarf: {compress: zlib}\nlibraries:\n"
    (tmp_path / "row.prof").write_text(head + row)
    programs.run("pyelfgen", "--profile", tmp_path / "row.prof", "-o", tmp_path / "set", "-q")
    [told] = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert told["differs"]["compressed"] == [wanted, "zlib"]
    assert told["differs"]["mix: aranges"] == [0, 48]
    assert told["differs"]["share: constants"][0] == 0 < told["differs"]["share: constants"][1]


@pytest.mark.parametrize("option", ["-q", "--split"])
def test_a_library_of_which_no_function_is_told_has_a_unit(programs, tmp_path, option):
    row = "- {{kind: utility, text: 2508, data: 672, symtab: 1056, strtab: 763, debug: {}}}\n"
    sizes = range(7000, 7500, 90)
    (tmp_path / "rows.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + "".join(row.format(size) for size in sizes))
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", option)
    for i, size in enumerate(sizes):
        path = tmp_path / "set" / f"libutility{i}.so"
        if option == "-q":
            assert tags_of(path)["compile_unit"] == 1 and sum(sections_of(path).values()) == size
        told = path.with_suffix(".dwo") if option == "--split" else path
        assert "No errors" in ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--verify", told)


def test_a_row_is_made_although_some_ways_of_meeting_it_cannot_be_sized(programs, tmp_path):
    """Some lengths of expressions that bring the row's number of entries leave too little for .debug_abbrev. These
    tries must not make the whole row fail."""
    row = """\
- {kind: utility, text: 79680, data: 4365, bss: 648, debug: 227694, symtab: 5688, strtab: 27391, functions: 198,
   dynamic: {functions: 190, objects: 1, undefined: 2, weak: 2, dynstr: 24035}, local: {functions: 8, objects: 31,
   other: 4}, relocations: {relative: 11, jump-slot: 171, glob-dat: 2, symbols: 2, pages: 2}, plt: 171, outside: 1,
   runpath: 1, versions: 1, function-sizes: '0 94 115 127 140 152 165 181 197 220 289',
   name-lengths: '5 8 11 13 17 18 19*2 21 125*82 127*4 128*6', share: {code: 32048, plt: 2752, constants: 2037,
   unwind: 7848, symbols: 30543, relocations: 4416}, zstd: {text: 21248, data: 2233, debug: 77936, names: 2656},
   dwarf: {version: 5, language: c, units: 6, dies: 12514, attributes: 58100, rows: 5889, entries: 1000},
   mix: {info: 15438, abbrev: 648, line: 146536, str: 38646, line_str: 715, loclists: 23653, rnglists: 1626,
   aranges: 432}}
"""
    (tmp_path / "row.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + row)
    programs.run("pyelfgen", "--profile", tmp_path / "row.prof", "-o", tmp_path / "set")


# ---- tags ----


def tags_of(path):
    return dies_by_tag(ask("readelf", "--debug-dump=info", path))


def dies_by_tag(text):
    return collections.Counter(re.findall(r"Abbrev Number: [1-9]\d* \(DW_TAG_(\w+)\)", text))


CODE = ("call_site", "inlined_subroutine", "lexical_block")
# as many of the others as there are without `sibling` in a program that was linked with -flto
WITHOUT_SIBLINGS = (
    "abstract_origin:2900 location:1600 GNU_locviews:1200 type:1500 name:1300 decl_file:1300 decl_line:1300 "
    "decl_column:1300 call_return_pc:1000 call_value:1100 call_origin:600 low_pc:900 high_pc:900 entry_pc:700 "
    "GNU_entry_view:700 call_file:700 call_line:700 call_column:700 ranges:300 external:300 declaration:200"
)
MANNERS = {  # tags, attributes, forms
    "usual": [],
    "little inlined": ["call_site:1000 call_site_parameter:3000 inlined_subroutine:100 lexical_block:900 variable:1000"],
    "many members": ["structure_type:1000 member:9000 typedef:100 subprogram:300 pointer_type:50", "inline:40"],
    "huge structures": ["structure_type:1000 member:90000 typedef:100 subprogram:300 pointer_type:50", "inline:40"],
    "much restricted": ["structure_type:100 restrict_type:100 pointer_type:200 member:400 typedef:100", "inline:400"],
    "little told": ["call_site:100 structure_type:900 member:4000 typedef:500 pointer_type:300", "inline:100"],
    "one file": ["call_site:1000", "decl_file:1000 name:1000", "implicit_const:900 string:600"],
    "linked as one": ["call_site:1000 inlined_subroutine:700", WITHOUT_SIBLINGS, "ref_addr:3000 strp:1000"],
}


@pytest.fixture(scope="module")
def made_in_manners(programs, tmp_path_factory):
    """Makes a set of ROWS for each manner. The manners differ in tags and forms; all sections have the rows' sizes."""
    directory = tmp_path_factory.mktemp("manners")
    found = {}
    for name, texts in MANNERS.items():
        said = {"tags": "", "attributes": "", **dict(zip(["tags", "attributes", "forms"], texts))}
        said = f"distributions: {json.dumps(said)}\n" if texts else ""
        head = "pyelfgen-profile: 1\ndwarf: {version: 5, language: c, units: 40, views: true}\n"
        profile, made = directory / f"{name}.prof", directory / name
        profile.write_text(head + said + "libraries:\n" + ROWS)
        report = programs.run("pyelfgen", "--profile", profile, "-o", made).stdout
        assert ("followed in part" in report) == bool(texts)
        found[name] = [made / f"libmodule{i}.so" for i in range(4)]
        for row, path in zip(yaml.safe_load(ROWS), found[name]):
            check_sections(row, path)
            assert dwarfdump_complaints(ask(tool("dwarfdump"), "-ka", path)) == []
    return found


@pytest.mark.alike(1)
def test_members_stand_in_their_structures_one_behind_the_other(made_in_manners):
    for name in ("usual", "huge structures"):
        for path in made_in_manners[name]:
            structures = [die for die in Dies(path).at.values() if die.tag == "structure_type" and die.children]
            for die in structures:
                places = [member.number("data_member_location") for member in die.of("member")]
                assert places == sorted(set(places)) and places[-1] < die.number("byte_size")
            assert structures


@pytest.fixture(scope="module")
def in_manners(made_in_manners):
    """Counts the tags in the set of each manner."""
    return {name: sum(each(tags_of, paths), collections.Counter()) for name, paths in made_in_manners.items()}


def test_code_is_told_as_tags_say(in_manners):
    usual, little = in_manners["usual"], in_manners["little inlined"]
    assert little["inlined_subroutine"] < 0.3 * usual["inlined_subroutine"]
    assert little["call_site_parameter"] / little["call_site"] > 1.2 * usual["call_site_parameter"] / usual["call_site"]
    assert in_manners["little told"]["call_site"] < 0.7 * usual["call_site"]


def test_headers_declare_what_tags_say(in_manners):
    usual, many = in_manners["usual"], in_manners["many members"]
    assert many["member"] / many["structure_type"] > 1.3 * usual["member"] / usual["structure_type"]
    assert many["typedef"] / many["structure_type"] < 0.5 * usual["typedef"] / usual["structure_type"]
    assert in_manners["much restricted"]["restrict_type"] > 10 * usual["restrict_type"]


def test_files_and_names_are_told_as_forms_say(made_in_manners):
    short = {}
    for name, form in [("usual", "data1"), ("one file", "implicit_const: 1")]:
        path = made_in_manners[name][3]
        abbreviations = re.findall(r"DW_TAG_formal_parameter .*\n((?: +DW_AT_.*\n)+)", ask("readelf", "-wa", path))
        files = [re.search(r"DW_AT_decl_file +DW_FORM_(.*)", text) for text in abbreviations if "DW_AT_location" in text]
        assert {file[1] for file in files if file} == {form}
        short[name] = len(re.findall(r"DW_AT_name +: [^(]", ask("readelf", "-wi", path)))
    assert short["one file"] > 2 * short["usual"]


def told_of_code(path):
    """For each entry with children that describes code within a function, returns its tag, the tag of its parent,
    whether it is the last of its siblings, and whether it has DW_AT_sibling."""
    found = [die for die in Dies(path).at.values() if die.tag in CODE and die.children]
    return [(die.tag, die.parent.tag, die is die.parent.children[-1], "sibling" in die) for die in found]


def test_the_last_of_siblings_refers_to_none(made_in_manners):
    """gcc writes no DW_AT_sibling in a last sibling either. gcc has many calls at the end of a block, but here calls
    are never in blocks. So where the application has no siblings (`linked as one`), nearly all calls go without the
    attribute."""
    for manner, least, most in [("linked as one", 0.8, 0.9), ("usual", 0, 0)]:
        told = told_of_code(made_in_manners[manner][3])
        assert all(last != sibling for tag, _, last, sibling in told if tag != "call_site")
        assert sum(last for _, _, last, _ in told) > 100
        calls = [(last, sibling) for tag, _, last, sibling in told if tag == "call_site"]
        assert not any(last and sibling for last, sibling in calls)
        others = [sibling for last, sibling in calls if not last]
        assert least <= others.count(False) / len(others) <= most


FEW_UNITS = """\
- {kind: utility, text: 200000, data: 4000, bss: 800, debug: 1130000, symtab: 9000, strtab: 9000, functions: 200,
   dwarf: {version: 5, language: c++, units: 3, rows: 40000}, mix: {info: 500000, abbrev: 5000, line: 210000, str: 250000,
   line_str: %d, loclists: 120000, rnglists: 29856, aranges: 144}}
"""


@pytest.mark.parametrize("bytes_of_names", [3000, 15000, 30000])
def test_line_tables_name_many_headers(programs, tmp_path, bytes_of_names):
    """Real line tables name hundreds of headers. Their names fill .debug_line_str, and no directory becomes long."""
    more = bytes_of_names - 15000
    row = FEW_UNITS.replace("info: 500000", f"info: {500000 - more}") % bytes_of_names
    (tmp_path / "one.prof").write_text("pyelfgen-profile: 1\nlibraries:\n" + row)
    programs.run("pyelfgen", "--profile", tmp_path / "one.prof", "-o", tmp_path / "set")
    library = tmp_path / "set" / "libutility0.so"
    check_sections(yaml.safe_load(row)[0], library)
    text = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-line", library)
    tables = [re.findall(r"name: \"(.*)\"", table) for table in text.split("debug_line[")[1:]]
    assert len(tables) == 3 and len({len(table) for table in tables}) == 1
    names = {name for table in tables for name in table}
    assert len(names) > bytes_of_names / 40 and max(len(name) for name in names) < 64
    assert all(len(set(table)) == len(table) - 1 for table in tables)  # the source is file 0 and file 1
    directories = [unit.text("comp_dir") for unit in Dies(library).units]
    assert max(len(name) for name in directories) < 130


@pytest.mark.alike(1)
def test_types_stand_before_functions(made_in_manners):
    """Compilers write them in this order, so a reader that looks for a function has to read over the types."""
    for path in made_in_manners["usual"]:
        for unit in Dies(path).units:
            tags = [(die.tag, "low_pc" in die) for die in unit.children]
            types = [i for i, (tag, _) in enumerate(tags) if tag in ("structure_type", "typedef", "subroutine_type")]
            functions = [i for i, die in enumerate(tags) if die == ("subprogram", True)]
            assert not functions or max(types, default=0) < functions[0]


def attributes_captured(programs, paths):
    """Returns how many attributes each library has, as libdwarf reads them."""
    text = programs.run("pyelfprof", "-o", "-", *paths).stdout
    return [row["dwarf"]["attributes"] for row in yaml.safe_load(text)["libraries"]]


def attributes_told(told, rows):
    """Returns how many attributes each library should have: what differences.json says or, without a difference, the
    row."""
    return [
        library["differs"].get("dwarf: attributes", [0, row["dwarf"]["attributes"]])[1]
        for library, row in zip(told, yaml.safe_load(rows), strict=True)
    ]


def test_attributes_are_as_many_as_is_told(made_in_manners, programs):
    for paths in made_in_manners.values():
        told = json.loads((paths[0].parent / "differences.json").read_text())["libraries"]
        assert attributes_told(told, ROWS) == attributes_captured(programs, paths)


def test_attributes_are_as_many_as_the_row_says(programs, tmp_path):
    """The numbers go from few to many, with the same number of entries in the same sections."""
    said, texts = variants(ROWS.split("\n- ")[2], "attributes", range(6500, 8400, 97))
    paths, told = make(programs, tmp_path, texts)
    assert [row["dwarf"]["attributes"] for row in yaml.safe_load(texts)] == attributes_captured(programs, paths)
    for path, library in zip(paths, told, strict=True):
        assert not {"dwarf: attributes", "dwarf: dies"} & set(library["differs"])
        check_sections(said, path)


# A library of code with templates, in thirteen units: the shape of one that was made for this.
TEMPLATES = """\
- {kind: utility, text: 90000, data: 2800, bss: 300, debug: 2100000, symtab: 14000, strtab: 40000, functions: 470,
   dynamic: {functions: 300, objects: 40, undefined: 40, weak: 200, dynstr: 16000}, plt: 90, outside: 3, mangled: 500,
   dwarf: {version: 5, language: c++, units: 13, dies: 130000, defined: 22000},
   mix: {info: 1494000, abbrev: 43000, line: 120000, str: 160000, line_str: 4000, loclists: 90000, rnglists: 30000}}
"""


def test_units_in_cpp_declare_a_type_in_the_same_file(programs, tmp_path):
    """gdb lists a type once that several units have, as the headers that they include declare it in one."""
    (tmp_path / "a.prof").write_text(f"pyelfgen-profile: 1\nnames: {{style: itanium}}\nlibraries:\n{TEMPLATES}")
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", "-q")
    path = tmp_path / "set" / "libutility0.so"
    files, units = collections.defaultdict(set), collections.Counter()
    for unit in Dies(path).units:
        here = {(die.tag, die.text("name"), die.number("decl_line")): die for die in unit.children if "decl_line" in die}
        for key, die in here.items():
            files[key].add(die.text("decl_file"))
        units.update(key for key in here if key[0] in ("typedef", "structure_type", "class_type", "enumeration_type"))
    several = [key for key, count in units.items() if count > 6]
    assert len(several) > 20 and all(len(files[key]) == 1 for key in several)
    listed = ask(tool("gdb"), "-nx", "-batch", "-ex", "info types .", path)
    assert listed.count("\nFile include/") == 1


@pytest.mark.alike(1)
@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "c++"])
def test_nothing_refers_to_the_end_of_its_siblings(programs, tmp_path, language):
    """Exceptions are entries at the end of a unit and, in C++, classes and functions at the end of a namespace."""
    head = f"pyelfgen-profile: 1\ndwarf: {{version: 5, language: {language}, units: 8}}\n"
    row = "- {kind: module, text: 400000, data: 4000, bss: 800, debug: 3000000, symtab: 20000, strtab: 40000}\n"
    (tmp_path / "one.prof").write_text(head + "libraries:\n" + row)
    programs.run("pyelfgen", "--profile", tmp_path / "one.prof", "-o", tmp_path / "set")
    dies = Dies(tmp_path / "set" / "libmodule0.so")
    lasts = {id(die.children[-1]) for die in dies.at.values() if die.children}
    last = [die for die in dies.at.values() if id(die) in lasts and die.children]
    wrong = [die for die in last if "sibling" in die]
    assert {(die.tag, die.parent.tag) for die in wrong if die.parent.tag != "compile_unit"} <= {
        ("class_type", "namespace"),
        ("structure_type", "namespace"),
        ("subprogram", "namespace"),
    }
    assert len(wrong) < len(last) / 10


def test_calls_are_inlined_of_other_units_functions(made_in_manners):
    """Calls are inlined from functions of all units, as in a program that was linked with -flto."""
    dies = Dies(made_in_manners["linked as one"][0])
    starts = [unit.at for unit in dies.units]
    calls = [die for die in dies.at.values() if die.tag == "inlined_subroutine"]
    homes = [bisect.bisect(starts, call.reference("abstract_origin")) for call in calls]
    assert len(calls) > 10 and set(homes) == set(range(1, len(starts) + 1))
    assert any(home != bisect.bisect(starts, call.at) for call, home in zip(calls, homes))
    check_origins(dies, calls)
    forms = {}
    for name in ("usual", "linked as one"):
        text = ask("readelf", "-wa", made_in_manners[name][0])
        forms[name] = set(re.findall(r"DW_AT_abstract_origin +DW_FORM_(\w+)", text))
    assert forms == {"usual": {"ref4"}, "linked as one": {"ref_addr"}}
    # pahole reads units together where it finds that form, for which libdw has to come as far in the table
    tables = re.split(r"^  Number TAG .*\n", text.split("Contents of the .debug_abbrev section:")[1], flags=re.M)[1:]
    seconds = [re.split(r"^   \d+ +(?=DW_TAG)", table, flags=re.M)[2] for table in tables if "DW_FORM_ref_addr" in table]
    assert seconds and all(second.startswith("DW_TAG_inlined_subroutine") for second in seconds)


def test_pahole_finds_other_units_functions(made_in_manners):
    said = subprocess.run([tool("pahole"), made_in_manners["linked as one"][0]], capture_output=True, text=True)
    assert "inlined_subroutine" not in said.stderr


@pytest.mark.slow
def test_namespaces_take_over_what_stands_at_the_top_of_headers(programs, tmp_path):
    """Namespaces import declarations from the first 255 lines of headers, as <cstdlib> does."""
    head = "pyelfgen-profile: 1\ndwarf: {version: 5, language: c++, units: 40}\n"
    row = "- {kind: utility, text: 200000, data: 4000, bss: 800, debug: 2000000, symtab: 9000, strtab: 9000, "
    row += "functions: 200, dwarf: {version: 5, language: c++, units: 3, dies: 100000}}\n"
    said = "distributions: " + json.dumps({"tags": "subprogram:900 imported_declaration:100", "attributes": "name:1"})
    lines = {}
    for name, text in [("usual", ""), ("as captured", said + "\n")]:
        profile, made = tmp_path / f"{name}.prof", tmp_path / name
        profile.write_text(head + text + "libraries:\n" + row)
        programs.run("pyelfgen", "--profile", profile, "-o", made)
        library = made / "libutility0.so"
        dies = Dies(library).at.values()
        lines[name] = [die.number("decl_line") for die in dies if die.tag == "imported_declaration"]
        assert len(lines[name]) > 20
        verify = [tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", library]
        assert subprocess.run(verify, stdout=subprocess.DEVNULL).returncode == 0
    assert all(0 < line < 256 for found in lines.values() for line in found)


def test_large_units_of_cpp_include_several_headers(programs, tmp_path):
    """Each header declares something else, so a unit declares nothing twice. Hardly anything is left over, which
    declarations of variables would fill."""
    row = "- {kind: utility, text: 200000, data: 4000, bss: 800, debug: 6000000, symtab: 9000, strtab: 9000, "
    row += "functions: 200, dwarf: {version: 5, language: c++, units: 3, dies: 130000}, mix: {str: 3400000}}\n"
    said = json.dumps({"tags": "subprogram:9000 class_type:1000 enumerator:300", "attributes": "name:1"})
    head = f"pyelfgen-profile: 1\ndwarf: {{version: 5, language: c++, units: 40}}\ndistributions: {said}\n"
    (tmp_path / "large.prof").write_text(head + "libraries:\n" + row)
    programs.run("pyelfgen", "--profile", tmp_path / "large.prof", "-o", tmp_path / "set")
    library = tmp_path / "set" / "libutility0.so"
    dies = Dies(library)
    for unit in dies.units:
        spaces = unit.of("namespace")
        assert len(spaces) > 9  # a header has seven, and the first one more
        declared = collections.Counter(
            (scope.text("name"), die.tag, die.text("name"))
            for scope in [unit, *spaces]
            for die in scope.of("class_type", "namespace", "enumeration_type", "typedef")
            if "declaration" not in die
        )
        assert len(declared) > 400 and set(declared.values()) == {1}
    variables = sum(die.tag == "variable" for die in dies.at.values())
    assert variables < len(dies.at) / 8
    verify = [tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", library]
    assert subprocess.run(verify, stdout=subprocess.DEVNULL).returncode == 0
    assert not dwarfdump_complaints(ask("dwarfdump", "-ka", library))


@pytest.mark.parametrize("language", ["c", "c++"])
def test_an_index_names_entries_where_they_are(programs, tmp_path, language):
    """Entries lose references to siblings after they are composed, which moves the entries behind them."""
    row = "- {kind: utility, text: 200000, data: 4000, bss: 800, debug: 1500000, symtab: 9000, strtab: 9000, "
    row += f"functions: 200, dwarf: {{version: 5, language: {language}, units: 3, dies: 100000}}}}\n"
    said = json.dumps({"tags": "call_site:1000 inlined_subroutine:700 lexical_block:300", "attributes": "name:1"})
    head = f"pyelfgen-profile: 1\ndwarf: {{version: 5, language: {language}, index: debug_names}}\ndistributions: {said}\n"
    (tmp_path / "rows.prof").write_text(head + "libraries:\n" + row)
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set")
    library = tmp_path / "set" / "libutility0.so"
    inlined = [die for die in Dies(library).at.values() if die.tag == "inlined_subroutine"]
    assert {"sibling" in die for die in inlined} == {True, False}
    verify = [tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", "--debug-names", library]
    done = subprocess.run(verify, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "No errors.")


# ---- functions ----


def test_local_functions_are_not_external(programs, tmp_path):
    """Seven in eight local functions with parameters are like static ones. The others are like hidden ones."""
    found = collections.Counter()
    for path in make(programs, tmp_path, ROWS)[0]:
        symbols = re.findall(r"^ +\d+: (\w+) +\d+ FUNC +(\w+) ", ask("readelf", "-sW", path), flags=re.M)
        linkage = {int(at, 16): binding for at, binding in symbols}
        for die in Dies(path).at.values():
            if die.tag == "subprogram" and "low_pc" in die and "helper" not in die.text("name"):
                named = "with" if die.of("formal_parameter") else "without"
                found[linkage[die.number("low_pc")], named, "external" in die] += 1
    assert not found["GLOBAL", "with", False] and not found["GLOBAL", "without", False]
    assert found["LOCAL", "with", False] > 4 * found["LOCAL", "with", True] > 0


# ---- sizes of units ----


def sizes_of_units(path):
    return [int(n, 16) + 4 for n in re.findall(r"^ +Length: +0x(\w+) ", ask("readelf", "--debug-dump=info", path), flags=re.M)]


def unlikeness(sizes):
    return 100 * len(sizes) * sum(size * size for size in sizes) / sum(sizes) ** 2


def test_units_are_as_unlike_in_size_as_the_row_says(programs, tmp_path):
    """This holds even where the largest unit has most of the code. Each unit has a function."""
    text = re.sub(r"\d\d+", lambda number: number[0] + "0", ROWS.split("\n- ")[0])  # ten times as large
    text = text.replace("units: 3,", "units: 20, uneven: 100,")
    text = text.replace("loclists: 426670", "loclists: 427150").replace("aranges: 1440", "aranges: 960")
    text = text.replace("line_str: 10500", "line_str: 5500").replace("info: 770420", "info: 775420")
    rows = "".join(text.replace("uneven: 100", f"uneven: {n}") + "\n" for n in (100, 200, 400))
    paths, told = make(programs, tmp_path, rows)
    found = []
    for row, path, library in zip(yaml.safe_load(rows), paths, told, strict=True):
        check_sections(row, path)
        sizes = sizes_of_units(path)
        assert len(sizes) == 20
        assert all(any("low_pc" in die for die in unit.of("subprogram")) for unit in Dies(path).units)
        found.append(unlikeness(sizes))
        assert abs(library["differs"].get("dwarf: uneven", [0, found[-1]])[1] - found[-1]) <= 1
        capture = tmp_path / "one.prof"
        programs.run("pyelfprof", "-o", capture, path)
        assert abs(yaml.safe_load(capture.read_text())["libraries"][0]["dwarf"]["uneven"] - found[-1]) <= 1
    assert found[0] < 135 and 160 < found[1] < 240 and 320 < found[2] < 480, found
    test_readers_have_nothing_to_complain_of([(row, path) for row, path in zip(yaml.safe_load(rows), paths, strict=True)])


# ---- partial units ----


@pytest.fixture(scope="module")
def partial(programs, tmp_path_factory):
    """Libraries whose rows have forty partial units each. The second row's .debug_abbrev is too small for them, so it
    has none and is left out here. The first row's has room for two tables."""
    directory = tmp_path_factory.mktemp("partial")
    text = re.sub(r"units: (\d+)", r"units: \1, partial: 40", ROWS)
    text = text.replace("info: 77042, abbrev: 4102", "info: 76042, abbrev: 5102")
    head = "pyelfgen-profile: 1\ndwarf: {version: 5, language: c, units: 40}\nlibraries:\n"
    (directory / "rows.prof").write_text(head + text)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    told = json.loads((directory / "set" / "differences.json").read_text())["libraries"]
    assert [library["differs"].get("dwarf: partial") for library in told] == [None, [40, 0], None, None]
    rows = yaml.safe_load(text)
    return [(rows[i], directory / "set" / f"libmodule{i}.so") for i in (0, 2, 3)]


def test_partial_units_are_imported(partial):
    for row, path in partial:
        text = ask("readelf", "--debug-dump=info", path)
        places = re.findall(r"<0><(\w+)>: Abbrev Number: \d+ \(DW_TAG_partial_unit\)", text)
        imported = re.findall(r"\(DW_TAG_imported_unit\)\n.*DW_AT_import +: <(?:alt )?0x(\w+)>", text)
        assert len(places) == 40 and sorted(imported) == sorted(places)
        assert text.count("(DW_TAG_compile_unit)") == row["dwarf"]["units"]
        check_sections(row, path)


def test_functions_have_types_of_the_first_partial_unit(partial):
    for _, path in partial:
        units = re.split(r"^ <0><", ask("readelf", "--debug-dump=info", path), flags=re.M)[1:]
        first, second = (int(unit.split(">")[0], 16) for unit in units[:2])
        parameters = re.findall(r"\(DW_TAG_formal_parameter\)\n((?: +<.*\n)+)", "".join(units[40:]))
        told = [text for text in parameters if "DW_AT_name" in text and "DW_AT_location" in text]
        places = [int(re.search(r"DW_AT_type +: <0x(\w+)>", text)[1], 16) for text in told]
        assert places and all(first < place < second for place in places)


def within(die):
    """Yields the entry and all entries below it."""
    yield die
    for child in die.children:
        yield from within(child)


def test_siblings_and_calls_are_referred_to_as_dwz_has_them(partial):
    calls = 0
    for _, path in partial:
        forms = re.findall(r"DW_AT_(sibling|call_origin) +DW_FORM_(\w+)", ask("readelf", "-wa", path))
        assert set(forms) == {("sibling", "ref_udata"), ("call_origin", "ref_addr")}
        for unit in Dies(path).units:
            called = {die.at for die in unit.of("subprogram")}
            for die in within(unit):
                calls += "call_origin" in die
                assert "call_origin" not in die or die.reference("call_origin") in called
                for child, following in zip(die.children, die.children[1:]):
                    assert "sibling" not in child or child.reference("sibling") == following.at
    assert calls > 100


@pytest.fixture(scope="module")
def shortest(programs, tmp_path_factory):
    """Makes a library of many small units, and one of four large units, with the forms that dwz leaves."""
    directory = tmp_path_factory.mktemp("shortest")
    tags = "partial_unit:80 imported_unit:1280 compile_unit:64 member:900 call_site:9000 inlined_subroutine:2000 lexical_block:2000"
    attributes = "inline:200 high_pc:1000 decl_line:10900 decl_file:10900 stmt_list:124"
    forms = "udata:1000 data2:7500 implicit_const:10900"
    said = json.dumps({"tags": tags, "attributes": attributes, "forms": forms})
    row = "- {kind: module, text: 300000, data: 8000, bss: 800, debug: 2600000, symtab: 30000, strtab: 30000, "
    row += "functions: 400, dwarf: {version: 5, language: c, units: UNITS, partial: 40, dies: 60000}, "
    row += "mix: {info: 800000, abbrev: 14000}}\n"
    head = f"pyelfgen-profile: 1\ndwarf: {{version: 5, language: c, views: true}}\ndistributions: {said}\n"
    (directory / "rows.prof").write_text(head + "libraries:\n" + row.replace("UNITS", "60") + row.replace("UNITS", "4"))
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    return [directory / "set" / f"libmodule{i}.so" for i in range(2)]


def test_partial_units_name_line_tables_of_units_that_import_them(shortest):
    """The attributes say that 60 of 80 partial units name a table. The first partial unit has only types and never
    does."""
    for path in shortest:
        units = Dies(path).units
        partial = [unit for unit in units if unit.tag == "partial_unit"]
        tables = {}  # line tables of the units that import a partial unit, by its place
        for unit in units:
            for imports in unit.of("imported_unit"):
                tables.setdefault(imports.reference("import"), set()).add(unit.number("stmt_list"))
        named = [unit for unit in partial if "stmt_list" in unit]
        assert len(partial) == 40 and len(named) == (len(partial) - 1) * 3 // 4
        assert all(unit.number("stmt_list") in tables[unit.at] for unit in named)
        directory = {unit.text("comp_dir") for unit in units if unit.tag == "compile_unit"}
        assert {unit.text("comp_dir") for unit in named} == directory


def test_calls_are_inlined_of_functions_in_partial_units(shortest):
    """dwz moves inline functions into partial units. Each function is in one of them, and the units that include its
    header import it, as their line tables say."""
    for path in shortest:
        units = Dies(path).units
        entries = {die.at: (unit, die) for unit in units for die in within(unit)}
        partial = [unit for unit in units if unit.tag == "partial_unit"]
        assert sum(len(list(unit.of("subprogram"))) for unit in partial) == sum("stmt_list" in unit for unit in partial) // 2
        called = {}  # by name and file of a function in partial units that is called: where it is
        used = collections.Counter()
        for unit in units:
            imports = [die.reference("import") for die in unit.of("imported_unit")]
            assert len(imports) == len(set(imports)) or len(imports) > len(partial)
            own = {die.text("decl_file") for die in unit.of("subprogram") if "inline" in die}
            for die in within(unit):
                if die.tag != "inlined_subroutine":
                    continue
                home, function = entries[die.reference("abstract_origin")]
                assert home is unit or home.at in imports
                used["its own" if home is unit else "another"] += 1
                if home is not unit:
                    called.setdefault((function.text("name"), function.text("decl_file")), set()).add(function.at)
                assert "inline" in function and {function.text("decl_file")} == own and function.text("name")
                below = [entries[x.reference("abstract_origin")][1] for x in die.children if "abstract_origin" in x]
                assert all(x in function.children or x.tag == "subprogram" for x in below)
        assert used["its own"] > 20 and used["another"] > 20, used
        assert len(called) > 1 and all(len(places) == 1 for places in called.values()), called


def test_siblings_are_entries(shortest):
    for path in shortest:
        dies = [die for unit in Dies(path).units for die in within(unit)]
        entries = {die.at for die in dies}
        assert {die.reference("sibling") for die in dies if "sibling" in die} <= entries


def test_small_units_have_references_of_two_bytes(shortest):
    forms = [set(re.findall(r"DW_AT_(sibling|high_pc) +DW_FORM_(\w+)", ask("readelf", "-wa", path))) for path in shortest]
    usual = {("high_pc", "udata"), ("sibling", "ref_udata")}
    assert forms == [usual | {("sibling", "ref2")}, usual]


@pytest.mark.long
@pytest.mark.slow
def test_entries_with_other_forms_say_what_they_are_to_say(shortest):
    for path in shortest:
        assert "No errors" in ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--verify", path)
        assert dwarfdump_complaints(ask(tool("dwarfdump"), "-ka", path), DWARFDUMP_OF_PARTIAL) == []
        symbols = re.findall(r"^ +\d+: (\w+) +(\d+) FUNC .* (\S+)$", ask("readelf", "-sW", path), flags=re.M)
        sizes = {int(at, 16): (name, int(size)) for at, size, name in symbols}
        found = 0
        for unit in Dies(path).units:
            for die in within(unit):
                if die.tag == "subprogram" and "high_pc" in die:
                    low, high = die.number("low_pc"), die.number("high_pc")
                    assert sizes[low] == (die.text("name"), high - low)
                    found += 1
                for child, following in zip(die.children, die.children[1:]):
                    assert "sibling" not in child or child.reference("sibling") == following.at
                if die.tag == "inlined_subroutine":
                    assert die.number("call_line") and die.number("call_column")
        assert found > 380


@pytest.mark.slow
def test_a_share_of_functions_lines_takes_a_byte(shortest):
    """Up to a quarter have a line below 256, as far as units have so few lines. Their entries state the file, which the
    other functions have in the abbreviation."""
    for path in shortest:
        dies = [die for unit in Dies(path).units for die in within(unit) if "low_pc" in die and "decl_line" in die]
        assert all("/libmodule" in die.text("decl_file") for die in dies)
        own = [die.number("decl_line") for die in dies if die.tag == "subprogram"]
        assert 0 < sum(line < 256 for line in own) < len(own) * 0.35
    abbreviations = re.split(r"^ +\d+ +DW_TAG_", ask("readelf", "-wa", shortest[0]), flags=re.M)
    lines = [dict(re.findall(r"DW_AT_(\w+) +DW_FORM_(\w+)", text)) for text in abbreviations]
    declared = {(said["decl_file"], said["decl_line"]) for said in lines if "frame_base" in said}
    assert declared == {("data1", "data1"), ("implicit_const", "data2")}
    calls = {(said["GNU_entry_view"], said["call_line"]) for said in lines if "GNU_entry_view" in said}
    assert calls == {("data2", "data1"), ("data1", "data2")}


def test_units_share_tables_of_abbreviations_with_codes_of_one_byte(partial):
    _, path = partial[0]
    tables = re.split(r"Number TAG", ask("readelf", "--debug-dump=abbrev", path))[1:]
    codes = [list(map(int, re.findall(r"^ +(\d+) +DW_TAG_", table, flags=re.M))) for table in tables]
    assert len(codes) == 2 and codes[0] == list(range(1, 128))


def test_readers_follow_partial_units(partial):
    test_readers_have_nothing_to_complain_of(partial)
    for _, path in partial:
        said = subprocess.run(["eu-readelf", "--debug-dump=info", path], capture_output=True, text=True)
        assert said.returncode == 0 and said.stderr == ""
        command = ["gdb", "-nx", "-batch", "-ex", "maint expand-symtabs", "-ex", "ptype long", path]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.stdout.endswith("type = long\n") and not done.stderr, done.stderr


# The tags ask for much inlined code in some functions, and the rest of the code has little of it.
CROWDED = """\
pyelfgen-profile: 1
distributions:
  tags: 'array_type:61 enumeration_type:16 formal_parameter:6288 label:103 lexical_block:457 member:785
   pointer_type:170 compile_unit:24 structure_type:144 subroutine_type:53 typedef:122 unspecified_parameters:24
   inlined_subroutine:1320 subrange_type:61 base_type:240 const_type:54 enumerator:144 subprogram:1596
   variable:3712 GNU_call_site:1447 GNU_call_site_parameter:2401 others:0'
  attributes: 'sibling:4207 location:6752 name:9864 byte_size:570 stmt_list:24 low_pc:3771 high_pc:2221 language:24
   comp_dir:24 const_value:166 inline:768 producer:24 prototyped:1649 upper_bound:61 abstract_origin:5478
   data_member_location:785 decl_column:9543 decl_file:9543 decl_line:9543 declaration:164 encoding:256
   external:874 frame_base:712 type:10021 entry_pc:1320 ranges:292 call_column:1320 call_file:1320 call_line:1320
   GNU_call_site_value:2401 GNU_all_tail_call_sites:483 GNU_all_call_sites:229 others:0'
libraries:
- {kind: utility, text: 91088, data: 8703, debug: 124098, symtab: 5304, strtab: 13413, dwarf: {version: 4,
   units: 5, dies: 3833}}
- {kind: module, text: 70626, data: 7083, debug: 100354, symtab: 5784, strtab: 10648, functions: 126, dwarf:
   {units: 1, dies: 3130}, mix: {info: 46688, str: 5301, loclists: 22987}}
- {kind: module, text: 61182, data: 6248, debug: 92808, symtab: 5184, strtab: 9278, dynamic: {undefined: 75},
   dwarf: {units: 3, dies: 3064}, mix: {info: 44399, str: 5639}}
"""


def test_a_manner_that_is_too_much_is_left(programs, tmp_path):
    """One of the manners that the search tries says more of a block than there is room for. The search drops it instead
    of failing as if memory had run out."""
    (tmp_path / "rows.prof").write_text(CROWDED)
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", timeout=120)
    for path in sorted((tmp_path / "set").glob("lib[mu]*[0-9].so")):
        ask("llvm-dwarfdump", "--verify", path)


# The line tables of version 4 have 880 bytes for each of 73 units, of which names of all headers would take 600.
MANY_UNITS = """\
- {kind: utility, text: 330961, data: 1672, bss: 8, debug: 620306, symtab: 6384, strtab: 2575, functions: 83,
   dynamic: {functions: 73, undefined: 97, weak: 4, versioned: 7, dynstr: 1614}, local: {functions: 10, objects:
   8, other: 77}, relocations: {relative: 3, jump-slot: 135, glob-dat: 4, symbols: 4, pages: 2}, plt: 135,
   outside: 5, soname: false, versions: 6, name-lengths: '5*2 6*9 7*39 8*28 9*8 10 11*2 12 13*2 14 18*2 19*2 20
   21 27 38', share: {code: 273833, plt: 2184, constants: 1992, unwind: 42648, symbols: 6860, relocations:
   3408}, dwarf: {version: 4, language: fortran95, units: 73, uneven: 291, dies: 18651, defined: 16876,
   attributes: 51449, rows: 18235, entries: 10469}, mix: {info: 200284, abbrev: 27107, line: 64426, str: 8589,
   loclists: 290380, rnglists: 26016, aranges: 3504}}
"""


def test_headers_names_leave_room_for_rows_of_line_tables(programs, tmp_path):
    head = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 1, unreadable: 0}\nlibraries:\n"
    (tmp_path / "rows.prof").write_text(head + MANY_UNITS)
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set")
    path = tmp_path / "set" / "libutility0.so"
    sizes = sections_of(path)
    assert (sizes["info"], sizes["line"], sizes["loc"]) == (200284, 64426, 290380)
    said = ask("llvm-dwarfdump", "--debug-line", path)
    rows = re.findall(r"^0x\w{16} .*(?<!end_sequence)$", said, flags=re.M)
    assert abs(len(rows) - 18235) < 0.1 * 18235
    assert len(re.findall(r"^file_names\[", said, flags=re.M)) > 2 * 73
    assert ask("eu-elflint", "--gnu-ld", path) == "No errors\n"


# As a library in Rust has them, with three times as many ranges: most of .debug_ranges is of a few large functions.
RANGED = """\
- {kind: utility, text: 330981, data: 12328, bss: 2727, debug: 5314366, symtab: 25032, strtab: 77900,
   functions: 566, dynamic: {functions: 10, undefined: 53, weak: 8, versioned: 50, dynstr: 890},
   local: {functions: 556, objects: 43, other: 380}, relocations: {relative: 593, jump-slot: 3, glob-dat: 51,
   tls: 4, symbols: 51, pages: 5, relro: 368}, plt: 3, outside: 3, data-rel-ro: 7064, soname: false,
   function-sizes: '0*2 3 5 6 9 11 13 16*2 18 19*3 20 21 24*2 25 29 31 36 40 44 49 53 55 61 70 75 77 82 85 93 97 98 100 103*4
   105 110 116 125 130 137 141 149 153 157 161 169 174 179 182 188 198 209 217 225 231 238 242 249 253
   261 268 274 283 299 313 317 329 336 357 387 402 422 448 463 485 540 598 659 725 778 810 813 887 957
   1010 1076 1328 1443 1613 1728 2454 2721 4542 16011',
   share: {code: 252675, plt: 64, constants: 21880, unwind: 37796, symbols: 2906, relocations: 15624},
   zstd: {text: 169980, data: 1448, debug: 881744, names: 23171}, dwarf: {version: 4, language: c, units: 20,
   uneven: 939, code: 209228, dies: 75260, defined: 51456, attributes: 377681, rows: 63987, entries: 2772},
   mix: {info: 1223523, abbrev: 8035, line: 463725, str: 1995045, loclists: 113590, rnglists: 1479104,
   aranges: 31344}}
"""


def test_names_of_small_functions_take_what_strtab_has(programs, tmp_path):
    """A library with few static objects and long names keeps its helpers: without these hardly any inlined calls and
    ranges would be described. Small local functions have names that may be as long."""
    row = RANGED.replace("debug: 5314366", "debug: 4314366").replace("rnglists: 1479104", "rnglists: 479104")
    _, (library,) = make(programs, tmp_path, row)
    assert "without" not in library and not {name for name in library["differs"] if name.startswith("mix")}
    wanted, made = library["differs"]["dwarf: defined"]
    assert "strtab" not in library["differs"] and made > wanted / 2


def test_there_are_fewer_ranges_where_not_all_can_be_and_not_none(programs, tmp_path):
    """What ranges leave goes to entries, and the other sections have their sizes."""
    _, (library,) = make(programs, tmp_path, RANGED)
    [row] = yaml.safe_load(RANGED)
    assert {name for name in library["differs"] if name.startswith("mix")} == {"mix: info", "mix: rnglists"}
    sizes = sections_of(tmp_path / "set" / "libutility0.so")
    assert row["mix"]["rnglists"] / 4 < sizes["ranges"] < row["mix"]["rnglists"]
    assert sizes["info"] + sizes["ranges"] == row["mix"]["info"] + row["mix"]["rnglists"]


def known_partly(path):
    """Of the parameters, and of the locals, that have a location anywhere: the share that has none in a part of its
    scope."""
    program = tool("llvm-dwarfdump-14", "llvm-dwarfdump")
    counted = json.loads(ask(program, "--statistics", path))
    shares = []
    for kind in ("params", "local vars"):
        of = lambda covered: counted[f"#{kind} with {covered} of parent scope covered by DW_AT_location"]  # noqa: B023, E731
        known = counted[f"#{kind} processed by location statistics"] - of("0%")
        shares.append(1 - of("100%") / known)
    return shares


def test_variables_are_known_in_parts_of_their_scopes(made_in_manners):
    """In optimised code of real libraries this is so of a third of the parameters that are known at all, and of two
    thirds of the locals and more."""
    parameters, variables = known_partly(made_in_manners["linked as one"][3])
    assert 0.1 < parameters < 0.4 and 0.3 < variables < 0.8
    assert known_partly(made_in_manners["usual"][3])[0] < 0.01


# the second row, with what range lists have more, entries have less
DEEP = "- " + ROWS.split("\n- ")[1].replace("info: 5756", "info: 852").replace("rnglists: 48", "rnglists: 4952") + "\n"


def test_many_range_lists_of_little_code(programs, tmp_path):
    """Blocks then stand one in another, nearly a hundred deep."""
    (path,), _ = make(programs, tmp_path, DEEP)
    depth = {}
    for die in Dies(path).at.values():
        depth[die.at] = depth[die.parent.at] + 1 if die.parent else 0
    assert max(depth.values()) > 70
