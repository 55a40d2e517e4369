"""The twin of libraries that gcc compiled with -g1, which have line tables and functions alone: no types, no variables.
"""

import re
import subprocess

import pytest

from captures import Capture
from objects import ask, dwarfdump_complaints, tool

UNITS, FUNCTIONS = 5, 10

UNIT = "static inline long half{u}(long x) {{ return x > {u} ? x / 2 : x + 3; }}\n"
FUNCTION = """
long kernel_sums_{u}_{n}(long *p, long k)
{{
    long t = half{u}(k) * {n};
    for (long i = 0; i < k; i++)
        t += half{u}(p[i]) ^ (t >> {n});
    if (t > {n})
        t -= half{u}(t * p[0]);
    p[0] = t;
    return t + {u};
}}
"""
MODULE = """
struct definition { long base[5]; const char *name, *doc; long size; void *rest[6]; };
static struct definition definition = {{1}, "field_steps", 0, -1, {0}};
extern void *PyModule_Create2(void *, int);
void *PyInit_field_steps(void) { return PyModule_Create2(&definition, 1013); }
"""
FORTRAN = """
subroutine mesh_{u}_{n}(a, b, n)
  integer n, i
  double precision a(n), b(n)
  do i = 1, n
    a(i) = a(i) + b(i) * {n}
    if (a(i) .gt. b(n)) b(i) = sqrt(a(i)) / (1 + a(n))
  end do
  do i = 2, n
    b(i) = b(i - 1) * a(i) - a(i - 1) * b(i)
  end do
  if (a(1) .gt. {u}) a(1) = b(n)
end subroutine
"""
CPP = """
double Mesh::step_{u}_{n}(double x, int k)
{{
    for (int i = 0; i < k; i++)
        all[i] = norm(x * {n} + i) / (norm(all[k]) + 2);
    return x > 1 ? norm(all[0]) : all[k - 1];
}}
"""
CPP_UNIT = """
struct Mesh {{ double *all; double norm(double x) {{ return x > {u} ? x * all[0] : x / 3; }} {methods} }};
"""


def source_of(language, u):
    numbers = range(FUNCTIONS)
    if language == "cpp":
        methods = " ".join(f"double step_{u}_{n}(double x, int k);" for n in numbers)
        return CPP_UNIT.format(u=u, methods=methods) + "".join(CPP.format(u=u, n=n) for n in numbers)
    if language == "f90":
        return "".join(FORTRAN.format(u=u, n=n) for n in numbers)
    return UNIT.format(u=u) + "".join(FUNCTION.format(u=u, n=n) for n in numbers) + ("" if u else MODULE)


# By name: language, compiler, options. The sources in C make a module, the others utilities.
LIBRARIES = {
    "c2": ("c", "gcc", "-O2", "-gdwarf-5"),
    "c2_4": ("c", "gcc", "-O2", "-gdwarf-4"),
    "c0": ("c", "gcc", "-O0", "-gdwarf-5"),
    "f2": ("f90", "gfortran", "-O2", "-gdwarf-5"),
    "f0_4": ("f90", "gfortran", "-O0", "-gdwarf-4"),
    "cpp2": ("cpp", "g++", "-O2", "-gdwarf-5"),
}


class Twin:
    """A library and the set made for it."""

    def __init__(self, programs, directory, name):
        language, compiler, *options = LIBRARIES[name]
        sources = [directory / f"unit{u}.{language}" for u in range(UNITS)]
        for u, source in enumerate(sources):
            source.write_text(source_of(language, u))
        self.real = directory / "field_steps.so"
        # .debug_line_str has the directory's name, whose length should not matter here
        place = f"-ffile-prefix-map={directory}=/home/user/application/build"
        command = [tool(compiler), *options, "-g1", "-w", "-fPIC", "-shared", place, "-o", self.real, *sources]
        subprocess.run(command, check=True, cwd=directory)
        programs.run("pyelfprof", "-o", directory / "real.prof", self.real)
        programs.run("pyelfgen", "--profile", directory / "real.prof", "-o", directory / "set")
        self.made = directory / "set" / ("libmodule0.so" if language == "c" else "libutility0.so")
        programs.run("pyelfprof", "-o", directory / "made.prof", self.made)
        self.row, self.again = (Capture(directory / f"{which}.prof").rows[0] for which in ("real", "made"))
        self.inlines = "-O2" in options and language != "f90"
        self.language = language


@pytest.fixture(scope="module", params=list(LIBRARIES))
def twin(request, programs, tmp_path_factory):
    return Twin(programs, tmp_path_factory.mktemp(request.param), request.param)


def functions_of(path):
    return re.findall(r" [tT] ([mu]0\w+|_ZN\w+)$", ask("nm", path), flags=re.M)


def sections_of(path):
    found = re.findall(r"\] \.debug_(\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", ask("readelf", "-SW", path))
    return {name: int(size, 16) for name, size in found}


def tags_of(path):
    return re.findall(r"DW_TAG_(\w+)", ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--debug-info", path))


def test_the_rows_say_that_there_are_lines_alone(twin):
    assert twin.row["dwarf"]["level"] == twin.again["dwarf"]["level"] == 1


def test_each_debug_section_is_as_large_as_the_real_one(twin):
    sizes = sections_of(twin.real)
    assert "info" in sizes and not {"loclists", "loc"} & set(sizes)
    assert sections_of(twin.made) == sizes


def test_entries_are_units_functions_and_inlined_calls(twin):
    tags = tags_of(twin.made)
    assert set(tags) == {"compile_unit", "subprogram"} | ({"inlined_subroutine"} if twin.inlines else set())
    assert tags.count("compile_unit") == UNITS


def test_units_entries_attributes_and_rows_are_as_many(twin):
    wanted, found = twin.row["dwarf"], twin.again["dwarf"]
    assert found["units"] == wanted["units"]
    for key in ("dies", "defined", "attributes", "rows"):
        assert abs(found[key] - wanted[key]) <= wanted[key] * 0.15, key


def test_functions_have_linkage_names_where_the_compiler_writes_them(twin):
    entries = ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--debug-info", twin.made)
    linked = set(re.findall(r'DW_AT_linkage_name\t\("(\w+)"\)', entries))
    assert bool(linked) == (twin.language != "c")
    assert linked <= set(functions_of(twin.made))


def test_readers_have_nothing_to_complain_of(twin):
    for command in ("readelf", "--debug-dump"), ("eu-readelf", "-N", "--debug-dump"):
        done = subprocess.run([tool(command[0]), *command[1:], twin.made], capture_output=True, text=True, check=True)
        assert not done.stderr, command
    verified = ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--verify", twin.made)
    assert "No errors." in verified and "warning" not in verified and "error:" not in verified
    assert not dwarfdump_complaints(ask(tool("dwarfdump"), "-ka", twin.made))


def test_the_debugger_stops_in_functions_and_inlined_calls(twin):
    entries = ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--debug-info", twin.made)
    entries = [entry for entry in re.split("^0x.*\n", entries, flags=re.M) if "DW_AT_frame_base" in entry]
    names = [re.findall(r'DW_AT_(?:linkage_)?name\t\("(\w+)"\)', entry)[-1] for entry in entries]
    some = sorted(names)[::7]
    commands = ["maint expand-symtabs", "maint check-symtabs", *(f"break {name}" for name in some)]
    done = subprocess.run(
        [tool("gdb"), "-nx", "-batch", *(part for one in commands for part in ("-ex", one)), twin.made],
        capture_output=True,
        text=True,
        check=True,
    )
    stops = re.findall(r"Breakpoint \d+ at 0x\w+: file \S+, line \d+\.", done.stdout)
    assert some and not done.stderr and len(stops) == len(some), done.stdout + done.stderr


def test_inlined_calls_are_inside_what_they_are_part_of_and_apart(twin):
    """llvm-dwarfdump --verify does not look at inlined calls beside one another."""
    entry = r"^0x\w+:( +)DW_TAG_(subprogram|inlined_subroutine)\n((?: .*\n)+)"
    around = []  # [depth, ranges, ranges of children]
    calls = 0
    for indent, tag, attributes in re.findall(
        entry, ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--debug-info", twin.made), flags=re.M
    ):
        ranges = [tuple(int(end, 16) for end in pair) for pair in re.findall(r"\[(0x\w+), (0x\w+)\)", attributes)]
        low = re.search(r"DW_AT_low_pc\t\((\w+)\)", attributes)
        if low:
            ranges = [(int(low[1], 16), int(re.search(r"DW_AT_high_pc\t\((\w+)\)", attributes)[1], 16))]
        while around and around[-1][0] >= len(indent):
            around.pop()
        if tag == "inlined_subroutine":
            outer = around[-1]
            for start, end in ranges:
                assert start < end and any(low <= start and end <= high for low, high in outer[1])
                assert not any(low < end and start < high for low, high in outer[2])
            outer[2] += ranges
            calls += 1
        around.append([len(indent), ranges, []])
    assert bool(calls) == twin.inlines
