"""What debug information says of functions of a few instructions: a library with many of them, and its twin."""

import bisect
import collections
import pathlib
import re
import subprocess

import pytest

from dies import DEMANGLED, Dies
from objects import ask, demangled, dwarfdump_complaints, tool
from sets import mostly_long
from test_twin import Twin

UNITS, TYPES, GETTERS, LARGE = 8, 150, 20, 20
KINDS = {
    "5": ["-gdwarf-5"],
    "4": ["-gdwarf-4"],
    "O1": ["-gdwarf-5", "-O1"],
    "one": ["-gdwarf-5"],
    "one-4": ["-gdwarf-4"],
}
REGISTERS = {"DW_OP_reg5 RDI": "di", "DW_OP_reg4 RSI": "si", "DW_OP_reg1 RDX": "d[xl]"}

UNIT = """
struct cell{unit} {{ long key; double weight; struct cell{unit} *next; char name[16]; int level, flags; }};
{types}
{odd}
{getters}
{large}
"""
TYPE = """
struct state{unit}_{n} {{ struct cell{unit} *first_of_state{n}; int count_of_state{n}; double weight_of_state{n}; }};
typedef enum {{ STATE{unit}_{n}_OPEN, STATE{unit}_{n}_SHUT }} state_kind{unit}_{n};
struct state{unit}_{n} of_state{unit}_{n};
state_kind{unit}_{n} kind_of_state{unit}_{n};
"""
ODD = """
#include <stdarg.h>
union word{unit} {{ float number; unsigned char byte[4]; volatile short *half; unsigned bits : 3, others : 5; }};
typedef _Bool (*check{unit})(const union word{unit} *restrict, long double, unsigned long long, ...);
static _Thread_local union word{unit} last{unit};
static inline long odd{unit}(union word{unit} w, int most)
{{
    long sum = 0;
    for (int i = 0; i < most; i++) {{
        const int byte = w.byte[i % 4] * i;
        if (byte == 77)
            goto out;
        sum += byte;
    }}
out:
    return sum;
}}
long cell{unit}_odd(check{unit} call, union word{unit} w, int most, ...)
{{
    va_list list;
    va_start(list, most);
    long sum = call(&w, 1.5L, odd{unit}(w, most), va_arg(list, int)) ? odd{unit}(last{unit}, most + 1) : 0;
    va_end(list);
    last{unit} = w;
    return sum + odd{unit}(w, 3) * (*w.half == 2);
}}
"""
GETTER = """
long cell{unit}_key_{n}(const struct cell{unit} *c) {{ return c->key + {n}; }}
static int level{unit}_{n}(struct cell{unit} *c, int by) {{ return c->level * by + {n}; }}
int (*const levels{unit}_{n})(struct cell{unit} *, int) = level{unit}_{n};
"""
LARGE_ONE = """
double cell{unit}_walk_{n}(struct cell{unit} *c, double (*visit)(double, long), long most)
{{
    double sum = {n}, last = 0;
    for (long i = 0; c && i < most; i++, c = c->next) {{
        const double here = visit(c->weight * i, c->key) + last;
        if (here > sum && c->flags)
            c->flags = levels{unit}_{n}(c, (int)i);
        sum += here * c->level;
        last = visit(sum, i) - here;
    }}
    return sum + last;
}}
"""


class Library:
    """A library's symbols, instructions and entries."""

    def __init__(self, path):
        self.path, self.dies = path, Dies(path)
        table = ask("readelf", "-sW", path).split("'.symtab'")[1]
        rows = re.findall(r"^ *\d+: ([0-9a-f]{16}) +(\d+) FUNC .* \d+ (\S+)$", table, flags=re.M)
        self.symbols = {int(address, 16): (name, int(size)) for address, size, name in rows if int(size)}
        self.names = [(int(address, 16), name) for address, _, name in rows]  # of aliases, too
        self.told = [die for die in self.dies.at.values() if die.tag == "subprogram" and "low_pc" in die]

    def functions(self):
        """The addresses at which functions begin that are described. Copies that ld has discarded are at one of them."""
        return {die.number("low_pc") for die in self.told if die.number("low_pc")}

    def small(self, most):
        return [die for die in self.told if 0 < die.number("high_pc") - die.number("low_pc") < most]


def write_sources(directory):
    sources = []
    for unit in range(UNITS):
        getters = "".join(GETTER.format(unit=unit, n=n) for n in range(GETTERS))
        types = "".join(TYPE.format(unit=unit, n=n) for n in range(TYPES))
        large = "".join(LARGE_ONE.format(unit=unit, n=n) for n in range(LARGE))
        sources.append(directory / f"unit{unit}.c")
        parts = {"types": types, "odd": ODD.format(unit=unit), "getters": getters, "large": large}
        sources[-1].write_text(UNIT.format(unit=unit, **parts))
    return sources


def compile_pair(programs, directory, command, sources):
    """A library and its twin."""
    subprocess.run([*command, "-fPIC", "-shared", *sources, "-o", directory / "libcells.so"], check=True)
    twin = Twin(programs, directory / "libcells.so", directory / "twin")
    return Library(directory / "libcells.so"), Library(twin.path / "libutility0.so")


@pytest.fixture(scope="module", params=mostly_long(KINDS, "5", "one"))
def pair(request, programs, tmp_path_factory):
    """A library in eight units or one, and its twin."""
    directory = tmp_path_factory.mktemp(request.param)
    sources = write_sources(directory)
    if request.param.startswith("one"):
        (directory / "one.c").write_text("".join(source.read_text() for source in sources[:4]))
        sources = [directory / "one.c"]
    return compile_pair(programs, directory, ["gcc", "-O2", *KINDS[request.param]], sources)


SMALL = 48  # bytes of code


def test_as_many_are_described(pair):
    real, twin = pair
    assert len(real.told) > 0.97 * len(real.symbols)
    assert len(twin.functions()) == len(twin.told) == pytest.approx(len(real.functions()), rel=0.02)
    assert len(twin.small(SMALL)) > len(real.small(SMALL)) / 2 > GETTERS * 2


def test_they_are_those_of_the_symbol_table(pair):
    _, twin = pair
    for die in twin.told:
        place = die.number("low_pc")
        assert twin.symbols[place] == (die.text("name"), die.number("high_pc") - place)
    assert len({die.number("low_pc") for die in twin.told}) == len(twin.told)


def test_parameters_stay_where_they_are_said_to_be(pair):
    """In registers that the function does not write to."""
    _, twin = pair
    code = ask("objdump", "-d", "--no-show-raw-insn", "-j", ".text", twin.path)
    instructions = re.findall(r"^ +([0-9a-f]+):\t(\S+) *(.*)$", code, flags=re.M)
    places = [int(place, 16) for place, _, _ in instructions]
    seen = 0
    for die in twin.small(SMALL):
        for parameter in die.of("formal_parameter"):
            register = REGISTERS.get(parameter.attributes.get("location"))
            if not register:
                continue
            first = bisect.bisect_left(places, die.number("low_pc"))
            last = bisect.bisect_left(places, die.number("high_pc"))
            for _, what, operands in instructions[first:last]:
                assert not re.search(rf"%[re]?{register}$", operands), (what, operands)
                assert not what.startswith(("call", "pop", "syscall"))
            seen += 1
    assert seen > GETTERS


def test_rows_begin_at_functions_and_instructions(pair):
    _, twin = pair
    code = ask("objdump", "-d", "--no-show-raw-insn", "-j", ".text", twin.path)
    places = {int(place, 16) for place in re.findall(r"^ +([0-9a-f]+):\t", code, flags=re.M)}
    rows = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-line", twin.path)
    at = {int(row, 16) for row in re.findall(r"^0x([0-9a-f]{16})(?: +\d+){5} +is_stmt *(?:\S.*)?$", rows, re.M)}
    assert all(die.number("low_pc") in at for die in twin.told)
    ends = {int(row, 16) for row in re.findall(r"^0x([0-9a-f]{16}) .* end_sequence$", rows, re.M)}
    assert at - ends <= places


def test_debuggers_stop_in_them(pair):
    _, twin = pair
    named = collections.Counter(die.text("name") for die in twin.told)  # static ones may have the same name
    told = [(die, die.of("formal_parameter")) for die in twin.small(SMALL) if named[die.text("name")] == 1]
    some = [die for die, of in told if of and of[0].attributes.get("location") in REGISTERS][::20]
    assert len(some) > 3
    asked = [f"info scope {die.text('name')}" for die in some] + [f"break {die.text('name')}" for die in some]
    said = ask("gdb", "-batch", "-nx", *(word for line in asked for word in ("-ex", line)), twin.path)
    for die in some:
        assert f"Symbol {die.of('formal_parameter')[0].text('name')} is a variable in $" in said
        line = rf"file libutility0\S*\.c, line {die.number('decl_line')}\."
        twice = rf"{die.text('name')}\. \(\d locations\)"  # of static functions
        assert re.search(rf"Breakpoint \d+ at {die.number('low_pc'):#x}: (?:{line}|{twice})", said)


def test_readers_do_not_complain(pair):
    _, twin = pair
    assert "No errors" in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", twin.path)
    assert dwarfdump_complaints(ask(tool("dwarfdump"), "-ka", twin.path)) == []
    for unit in twin.dies.units:
        places = [die.number("low_pc") for die in unit.of("subprogram") if "low_pc" in die]
        assert places == sorted(places)
    code = [unit for unit in twin.dies.units if "low_pc" in unit and "high_pc" in unit]
    ranges = sorted((unit.number("low_pc"), unit.number("high_pc")) for unit in code)
    assert len(ranges) in (1, UNITS)
    assert all(end <= start for (_, end), (start, _) in zip(ranges, ranges[1:]))


CLASSES = """
namespace cells {{
struct cell{unit} {{
    long key; double weight; cell{unit} *next;
{methods}
}};
{definitions}
}}
"""
METHOD = """
    long value_of_this_key_{n}(long by) const;
    static double weigh_by_number_{n}(double w);
    double walk_over_all_{n}(double (*)(double), long);
"""
DEFINITION = """
long cell{unit}::value_of_this_key_{n}(long by) const {{ return key + by * {n}; }}
double cell{unit}::weigh_by_number_{n}(double w) {{ return w * {n}; }}
double cell{unit}::walk_over_all_{n}(double (*visit)(double), long most)
{{
    double sum = {n}, last = 0;
    const cell{unit} *c = this;
    for (long i = 0; c && i < most; i++, c = c->next) {{
        const double here = visit(c->weight * i) + last;
        sum += here > sum ? here * c->key : visit(sum) - last;
        last = here * value_of_this_key_{n}(i);
    }}
    return sum + last;
}}
"""


@pytest.fixture(scope="module", params=["c", "c++"])
def lines(request, programs, tmp_path_factory):
    """A library whose units have lines alone, and its twin."""
    directory = tmp_path_factory.mktemp("lines")
    if request.param == "c":
        return compile_pair(programs, directory, ["gcc", "-O2", "-g1"], write_sources(directory))
    sources = []
    for unit in range(UNITS):
        methods = "".join(METHOD.format(n=n) for n in range(LARGE))
        definitions = "".join(DEFINITION.format(unit=unit, n=n) for n in range(LARGE))
        sources.append(directory / f"unit{unit}.cc")
        sources[-1].write_text(CLASSES.format(unit=unit, methods=methods, definitions=definitions))
    return compile_pair(programs, directory, ["g++", "-O2", "-g1"], sources)


def test_lines_alone_tell_of_them_too(lines):
    """By the symbol's name and, where that is mangled, by the last of its words."""
    real, twin = lines
    assert len(real.told) > 0.97 * len(real.symbols)
    is_c = real.path.parent.joinpath("unit0.c").exists()
    assert len(twin.told) == pytest.approx(len(real.told), rel=0.25 if is_c else 0.4)  # names of C++ take more room
    assert len(real.small(SMALL)) > 200 and len(twin.small(SMALL)) > 40
    mangled = 0
    for die in twin.told:
        place = die.number("low_pc")
        linked = die.text("linkage_name")
        assert twin.symbols[place] == (linked or die.text("name"), die.number("high_pc") - place)
        mangled += linked is not None
        if linked:
            (shown,) = demangled([linked])
            assert shown.split("(")[0].split("<")[0].split("::")[-1] == die.text("name").split("<")[0]
    assert mangled > len(twin.told) / 2 or is_c
    assert "No errors" in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", twin.path)


MEMBERS = """
#include <map>
#include <string>
#include <vector>
namespace cells {{
std::size_t named{unit}(std::map<std::string, std::vector<double>> &of, const std::string &name)
{{ return of[name].size() + of.erase(name + "{unit}"); }}
struct grid{unit} {{ struct layer {{ struct node {{
    long key; double weight;
{methods}
}}; }}; }};
{functions}
{definitions}
}}
"""
MEMBER = """
    static long key_of_the_one_before_{n}(const node &, long, double);
    static double weight_of_what_is_here_{n}(float, double, bool, unsigned);
    double walk_over_all_{n}(double (*)(double), long);
"""
FUNCTION = "int level{unit}_{n}(int by, char of) {{ return by * {n} + of; }}\n"
MEMBER_DEFINITION = """
long grid{unit}::layer::node::key_of_the_one_before_{n}(const node &of, long by, double) {{ return of.key + by * {n}; }}
double grid{unit}::layer::node::weight_of_what_is_here_{n}(float f, double w, bool, unsigned by)
{{ return f + w * (by + {n}); }}
double grid{unit}::layer::node::walk_over_all_{n}(double (*visit)(double), long most)
{{
    double sum = {n}, last = 0;
    for (long i = 0; i < most; i++) {{
        const double here = visit(weight * i) + last;
        sum += here > sum ? here * key : visit(sum) - last;
        last = here * level{unit}_{n}((int)i, 'c');
    }}
    return sum + last;
}}
"""


MEMBER_KINDS = {
    "5": ["-gdwarf-5"],
    "4": ["-gdwarf-4"],
    "one": ["-g", "-fno-reorder-blocks-and-partition", "-fno-ipa-icf"],  # one address for each function
}


@pytest.fixture(scope="module", params=mostly_long(MEMBER_KINDS, "5", "one"))
def members(request, programs, tmp_path_factory):
    """A library with functions of a namespace and of classes in classes, and its twin."""
    directory = tmp_path_factory.mktemp("members")
    sources = []
    for unit in range(UNITS):
        numbers = range(LARGE)
        functions = "".join(FUNCTION.format(unit=unit, n=n) for n in numbers)
        methods = "".join(MEMBER.format(n=n) for n in numbers)
        definitions = "".join(MEMBER_DEFINITION.format(unit=unit, n=n) for n in numbers)
        text = {"methods": methods, "functions": functions, "definitions": definitions}
        sources.append(directory / f"unit{unit}.cc")
        sources[-1].write_text(MEMBERS.format(unit=unit, **text))
    if request.param == "one":
        (directory / "one.cc").write_text("".join(source.read_text() for source in sources))
        sources = [directory / "one.cc"]
    return compile_pair(programs, directory, ["g++", "-O2", *MEMBER_KINDS[request.param]], sources)


def small_members(library):
    """Pairs of entries, each of a function and of its declaration."""
    small = [(die, library.dies.follow(die, "specification")) for die in library.small(SMALL)]
    return [(die, declared) for die, declared in small if declared]


def test_members_have_the_scopes_and_types_of_their_names(members):
    real, twin = members
    told = small_members(twin)
    assert len(twin.functions()) == len(twin.told) == pytest.approx(len(real.functions()), rel=0.02)
    assert len(told) > len(small_members(real)) / 2 > LARGE
    names = [declared.text("linkage_name") for _, declared in told]
    for (die, declared), name, shown in zip(told, names, demangled(names)):
        place = die.number("low_pc")
        assert (name, die.number("high_pc") - place) == twin.symbols[place]
        assert twin.dies.function(declared) == shown
        assert declared.parent.tag in ("class_type", "namespace") and "declaration" in declared
        assert ("accessibility" in declared) == (declared.parent.tag == "class_type")
    assert len(set(names)) == len(names)
    spaces = {die.parent.at for die in twin.dies.at.values() if die.tag == "namespace"}
    assert len(spaces) >= len({die.parent.at for die, _ in told})


def test_members_have_their_parameters_where_they_arrive(members):
    """psABI 3.2.3"""
    integers = ["RDI", "RSI", "RDX", "RCX", "R8", "R9"]
    _, twin = members
    kinds = collections.Counter()
    for die, declared in small_members(twin):
        left = {"double": iter(f"XMM{i}" for i in range(8)), "long": iter(integers)}
        types = [parameter.attributes["type"] for parameter in declared.of("formal_parameter")]
        assert [parameter.attributes["type"] for parameter in die.of("formal_parameter")] == types
        for parameter in die.of("formal_parameter"):
            of = parameter.attributes["type"].split('"')[1]
            kind = "double" if of in ("double", "float") else "long"
            kinds[kind, of.endswith("&")] += 1
            assert parameter.attributes["location"].split()[1] == next(left[kind])
    assert len(kinds) == 3


def test_debuggers_know_members(members):
    _, twin = members
    told = small_members(twin)[::20]
    names = [twin.dies.function(declared) for _, declared in told]
    asked = [word for name in names for word in ("-ex", f"break {name}")]
    said = ask("gdb", "-batch", "-nx", *asked, twin.path)
    for die, declared in told:
        assert f"at {die.number('low_pc'):#x}: file" in said
    linked = [die.number("low_pc") for die, _ in told]
    shown = ask(tool("llvm-symbolizer-14", "llvm-symbolizer"), f"--obj={twin.path}", *(f"{at:#x}" for at in linked))
    assert shown.splitlines()[::3] == names
    assert "No errors" in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", twin.path)
    assert dwarfdump_complaints(ask(tool("dwarfdump"), "-ka", twin.path)) == []


def test_local_functions_of_cpp(programs, tmp_path):
    """Of those with mangled names the entry has the words and the parameters that the name says. The profile is that of
    libstdc++ 12 as Debian builds it for debuggers."""
    profile = pathlib.Path(__file__).with_name("locals.prof")
    programs.run("pyelfgen", "-q", "--profile", profile, "-o", tmp_path / "set")
    twin = Library(tmp_path / "set" / "libutility0.so")
    local = {die.number("low_pc"): die for die in twin.small(SMALL) if "name" in die}
    linked = [(place, name) for place, name in twin.names if place in local and name.startswith("_ZL")]
    shown = collections.defaultdict(set)
    for (place, _), name in zip(linked, demangled([name for _, name in linked])):
        shown[place].add(name)
    own = 0  # whose name the entry has, and not that of an alias
    for place, names in shown.items():
        types = [child.attributes["type"].split('"')[1] for child in local[place].of("formal_parameter")]
        named = [name for name in names if name.split("(")[0] == local[place].text("name")]
        assert named in ([], [f"{local[place].text('name')}({', '.join(DEMANGLED.get(of, of) for of in types)})"])
        own += len(named)
    assert own > 1500 and len(twin.told) > 6000
    assert "No errors" in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", twin.path)
