"""lldb finds functions by name and by line, and shows the calls, arguments, results and types that others say.

It is asked what test_gdb.py asks gdb, because it reads DWARF by code of its own.
"""

import json
import re

import pytest

import model
from conftest import SOURCE
from dies import Dies
from entries import declared, first_lines, names_below, structures, subprogram
from objects import LLDB_ENVIRONMENT, ask, demangled, every, functions, line_of, tool

pytestmark = pytest.mark.slow

PYTHON = "/usr/bin/python3"
DRIVE = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.{0}_entry())"
DEPTH = 10


@pytest.fixture(scope="module")
def expected(small):
    return model.Model(small)


@pytest.fixture(scope="module")
def probe(small, programs):
    """Runs lldb_probe.py in lldb; returns what it shows."""
    debugger = [tool("lldb-14", "lldb"), "--no-lldbinit", "-b"]
    # so that the system's own debug information is not read
    debugger += ["-O", "settings set target.debug-file-search-paths /nonexistent"]
    debugger += ["-o", f"command script import {SOURCE}/tests/lldb_probe.py"]

    def run(module=None, directory=small, **what):
        if module:
            what["command"] = [PYTHON, "-I", "-c", DRIVE.format(module), str(directory)]
        environment = {**LLDB_ENVIRONMENT, "PROBE": json.dumps(what), "LD_BIND_NOW": None}
        done = programs.command(debugger, leaks=False, env=environment, timeout=120)
        assert not re.search(r"^(error|warning|Traceback)", done.stderr + done.stdout, flags=re.M | re.I), done.stderr
        return [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("PROBE ")]

    return run


def chain_in(expected, module, number):
    """The functions of a module's chain."""
    return expected.libraries[module].functions[number * DEPTH : (number + 1) * DEPTH]


def arguments(frame):
    return [tuple(argument[1:]) for argument in frame["arguments"]]


@pytest.fixture(scope="module")
def by_name(probe, expected):
    """A stop at the last function of a chain, by its name. `finish` then leads back out of the entry."""
    chain = chain_in(expected, "libmodule3", 7)
    return chain, probe("libmodule3", mode="stop", name=chain[-1].name, finish=11)


def test_breakpoint_by_name(by_name):
    _, (first, *_) = by_name
    assert first == {"error": None, "reached": True, "locations": 1}


def test_backtrace_of_a_chain(by_name):
    chain, (_, shown, *_) = by_name
    names = [frame["function"] for frame in shown["frames"]]
    assert names[:12] == [f.name for f in reversed(chain)] + ["libmodule3_entry", "libmodule3_method"]
    assert [frame["library"] for frame in shown["frames"][:12]] == ["libmodule3.so"] * 12
    assert "PyObject_Vectorcall" in names and names[-1] == "_start"


def test_arguments_of_each_frame(by_name):
    chain, (_, shown, *_) = by_name
    for function, frame in zip(reversed(chain), shown["frames"]):
        assert arguments(frame) == list(zip(function.types, function.passed(0)))
    assert any(len(frame["arguments"]) > 2 for frame in shown["frames"][:10])


def test_names_of_arguments(by_name, small):
    chain, (_, shown, *_) = by_name
    for function, frame in zip(reversed(chain), shown["frames"]):
        entry = subprogram(small / "libmodule3.so", function.name)
        assert [name for name, *_ in frame["arguments"]] == list(names_below(entry, "DW_TAG_formal_parameter"))


def test_files_and_lines_of_frames(by_name, small):
    """A caller's line is that of the instruction before its return address, as addr2line sees it."""
    _, (_, shown, *_) = by_name
    for frame in shown["frames"][:12]:
        back = 0 if frame is shown["frames"][0] else 1
        assert (frame["file"], frame["line"]) == line_of(small / "libmodule3.so", frame["pc"] - back, outermost=True)


def test_finish_gives_the_result(by_name, expected):
    """`finish` gives the result of each function, from the end of the chain back, and then that of the entry."""
    chain, shown = by_name
    finished = [(row["finished"], row["returned"]) for row in shown if "finished" in row]
    results = [(f.name, f.returned()) for f in reversed(chain)]
    assert finished == results + [("libmodule3_entry", expected.entry_result("libmodule3"))]


def test_finish_leads_to_the_caller(by_name):
    chain, shown = by_name
    callers = [row["now"]["function"] for row in shown if "finished" in row]
    assert callers == [f.name for f in reversed(chain[:-1])] + ["libmodule3_entry", "libmodule3_method"]


@pytest.fixture(scope="module")
def by_line(probe, expected, small):
    """A stop at the line of the last call of a function deep in its chain."""
    chain = chain_in(expected, "libmodule5", 20)[:9]
    file, line = line_of(small / "libmodule5.so", expected.libraries["libmodule5"].call_sites(chain[-1])[-1], outermost=True)
    return chain, (file, line), probe("libmodule5", mode="stop", file=file, line=line)


def test_breakpoint_by_line(by_line):
    chain, place, (first, shown, _) = by_line
    frames = shown["frames"]
    assert first == {"error": None, "reached": True, "locations": 1}
    assert (frames[0]["file"], frames[0]["line"]) == place
    names = [frame["function"] for frame in frames]
    assert names[:11] == [f.name for f in reversed(chain)] + ["libmodule5_entry", "libmodule5_method"]
    assert [arguments(frame) for frame in frames[:9]] == [list(zip(f.types, f.passed(0))) for f in reversed(chain)]


def test_locals_can_be_read(by_line, small):
    """The locals that lldb shows are variables of the function, and most have a value."""
    chain, _, (*_, shown) = by_line
    entry = subprogram(small / "libmodule5.so", chain[-1].name)
    assert {name for name, *_ in shown["locals"]} <= set(names_below(entry, "DW_TAG_variable"))
    values = [value for *_, value in shown["locals"]]
    assert len(values) > 2 and sum(value is not None for value in values) > len(values) / 2


def test_step_stops_at_the_lines_that_follow(probe, expected, small):
    """From a function's first line on, each step stops at the next line of the line table."""
    path = small / "libmodule1.so"
    chain = [f for f in expected.libraries["libmodule1"].functions if f.index % DEPTH and len(f.types) > 3]
    name, lines = next((f.name, lines) for f in chain for lines in [first_lines(path, f.name)] if len(lines) > 5)
    file, line = lines[0]
    shown = probe("libmodule1", mode="stop", file=file, line=line, step=len(lines) - 1)
    stops = [shown[1]["frames"][0], *(row["stepped"] for row in shown if "stepped" in row)]
    places = [(stop["file"], stop["line"]) for stop in stops]
    # a breakpoint at the first line is set behind the prologue; the last steps may lead into a call
    first = lines.index(places[0])
    assert first <= 2
    assert places[: len(lines) - first] == lines[first:]
    assert {stop["function"] for stop in stops[: len(lines) - first]} == {name}


def test_members_of_structures(probe, small):
    path = small / "libmodule2.so"
    wanted = structures(path)
    names = every([name for name in wanted if name], 40)
    shown = probe(mode="types", library=str(path), names=names)
    assert [row["name"] for row in shown] == names
    assert sum(len(row["members"]) for row in shown) > 2 * len(names)
    for row in shown:
        assert (row["size"], row["members"]) in wanted[row["name"]]


def test_image_lookup_of_types(probe, small):
    path = small / "libutility1.so"
    wanted = structures(path)
    names = every([name for name in wanted if name], 10)
    shown = probe(mode="said", library=str(path), commands=[f"image lookup -t {name}" for name in names])
    for name, row in zip(names, shown):
        assert not row["error"]
        sizes = re.findall(rf'name = "{name}".*byte-size = (\d+)', row["out"])
        assert {int(size) for size in sizes} == {size for size, _ in wanted[name]}
        members = [declared(line) for line in row["out"].splitlines() if line.startswith("    ")]
        assert members in [[member for member, *_ in rows] for _, rows in wanted[name]]


def test_image_lookup_of_addresses(probe, small):
    """lldb finds the symbol of an address, the distance from it, and the line."""
    path = small / "libutility0.so"
    chosen = [(name, address + 4) for name, address in every(functions(path), 20)]
    shown = probe(mode="said", library=str(path), commands=[f"image lookup -a {at:#x}" for _, at in chosen])
    for (name, address), row in zip(chosen, shown):
        found = re.search(r"Summary: libutility0\.so`(\S+) \+ 4 at (\S+?):(\d+)", row["out"])
        assert found, row
        assert found[1] == name
        assert (found[2], int(found[3])) == line_of(path, address)


def ranges_of_inlined_calls(library):
    """Where the ranges of inlined calls begin that have several, as llvm-dwarfdump shows them."""
    dump = ask(tool("llvm-dwarfdump", "llvm-dwarfdump-14"), "--debug-info", library)
    calls = re.findall(r"DW_TAG_inlined_subroutine\n(?:\s+(?:DW_AT|\[).*\n)*", dump)
    of_calls = [re.findall(r"^\s+\[(0x\w+), 0x\w+\)", call, flags=re.M) for call in calls if "DW_AT_ranges" in call]
    return [int(low, 16) for ranges in of_calls for low in ranges]


@pytest.mark.parametrize("variant", ["views", "views-4", "type-units-4"])
def test_inlined_calls_of_several_ranges(variant, probe, sets):
    """lldb finds the inlined call that a range belongs to, in either version, as llvm-symbolizer does."""
    library = sets.get(variant) / "libmodule0.so"
    chosen = every(ranges_of_inlined_calls(library), 20)
    assert len(chosen) > 5
    symbolizer = [tool("llvm-symbolizer", "llvm-symbolizer-14"), "-e", library, "-fi"]
    commands = [f"image lookup -v -a {at:#x} {library.name}" for at in chosen]
    for at, row in zip(chosen, probe(mode="said", library=str(library), commands=commands)):
        function = ask(*symbolizer, hex(at)).splitlines()[0]
        found = re.search(r"Summary: libmodule0\.so`.* \[inlined\] (.*?)(?: \+ \d+)? at ", row["out"])
        assert found and found[1] == function, (row, function)


# --- every library ---------------------------------------------------------------------


@pytest.mark.alike
@pytest.mark.parametrize("number", range(8))
def test_every_module(number, probe, expected):
    """At a stop deep in a chain of each module lldb shows the callers and their arguments."""
    name = f"libmodule{number}"
    chain = chain_in(expected, name, 4 + number)
    frames = probe(name, mode="stop", name=chain[-1].name)[1]["frames"]
    stack = [*reversed(chain)]
    names = [f.name for f in stack] + [f"{name}_entry", f"{name}_method"]
    assert [frame["function"] for frame in frames[: len(names)]] == names
    assert [arguments(frame) for frame in frames[: len(stack)]] == [list(zip(f.types, f.passed(0))) for f in stack]


@pytest.mark.parametrize("number", range(4))
def test_every_utility(number, probe, expected):
    """A stop in the function of each utility that a module calls first: callers in both libraries, and its result."""
    for module in (library for name, library in expected.libraries.items() if name.startswith("libmodule")):
        into = [
            (caller, called, n)
            for caller in module.functions
            for called, n in caller.calls_with_callers()
            if called.library.name == f"libutility{number}"
        ]
        if into:
            break
    caller, called, n = into[0]
    _, shown, _, finished = probe(module.name, mode="stop", name=called.name, finish=1)
    frames = shown["frames"]
    head = caller.index // DEPTH * DEPTH
    stack = [called, *reversed(module.functions[head : caller.index + 1])]
    assert [frame["function"] for frame in frames[: len(stack)]] == [f.name for f in stack]
    assert [frame["library"] for frame in frames[:2]] == [called.library.name + ".so", module.name + ".so"]
    assert arguments(frames[0]) == list(zip(called.types, called.passed(n)))
    passed = [list(zip(f.types, f.passed(0))) for f in stack[1:]]
    assert [arguments(frame) for frame in frames[1 : len(stack)]] == passed
    assert (finished["finished"], finished["returned"]) == (called.name, called.returned(n))


# --- C++ ---------------------------------------------------------------------------------


class Cpp:
    """A set whose functions are methods, and what the model says of one module's chain."""

    def __init__(self, directory):
        self.directory = directory
        self.expected = model.Model(directory)
        self.module = self.expected.libraries["libmodule1"]
        self.path = self.module.path
        self.chain = self.module.functions[2 * DEPTH : 3 * DEPTH]

    def stack(self):
        """The functions of the chain, the innermost first."""
        return [*reversed(self.chain)]


@pytest.fixture(scope="module", params=["cpp", "cpp-4"])
def cpp(request, sets):
    return Cpp(sets.get(request.param))


def texts_of(functions):
    """Names as lldb shows them: with parameters, and those of instances of templates with the result's type."""
    return demangled(function.name for function in functions)


def qualified(text):
    """The name as one types it: without result and parameters, and, for lldb, without a template's arguments."""
    return re.sub(r"<.*>", "", text.removeprefix("unsigned long ")).split("(")[0]


def test_cpp_breakpoints_by_name_and_by_mangled_name(cpp, probe):
    """A mangled name leads to a place in its function. The name leads there, and to all functions of that name."""
    texts = texts_of(cpp.module.functions)
    both = list(zip(cpp.module.functions, texts))
    of_a_kind = [next(function for function, text in both if ("<" in text) is template) for template in (False, True)]
    wanted = {function.name for function in [*every(cpp.module.functions, 20), *of_a_kind]}
    chosen, named = zip(*((function, text) for function, text in both if function.name in wanted))
    asked = [qualified(text) for text in named] + [function.name for function in chosen]
    shown = probe(mode="breakpoints", library=str(cpp.path), names=asked)
    by_name, by_mangled_name = shown[: len(chosen)], shown[len(chosen) :]
    starts = dict(functions(cpp.path))
    for function, text, one, all_of_name in zip(chosen, named, by_mangled_name, by_name):
        assert [place["function"] for place in one["places"]] == [text]
        place = one["places"][0]
        assert 0 < place["at"] - starts[function.name] < 64  # behind the prologue
        assert (place["file"], place["line"]) == line_of(cpp.path, place["at"])
        assert place in all_of_name["places"]
        alike = [other for other in texts if qualified(other) == qualified(text)]
        assert sorted(other["function"] for other in all_of_name["places"]) == sorted(alike)


@pytest.fixture(scope="module")
def cpp_stop(cpp, probe):
    """A stop at the last function of a chain by its qualified name, and `finish` twice."""
    name = qualified(texts_of(cpp.chain)[-1])
    return probe("libmodule1", cpp.directory, mode="stop", name=name, finish=2)


def test_cpp_backtrace_of_ten_frames(cpp, cpp_stop):
    """Names and arguments are the model's. The entry and its caller are declared as C, which lldb shows with `::`."""
    first, shown, *_ = cpp_stop
    assert first == {"error": None, "reached": True, "locations": 1}
    frames = shown["frames"]
    assert [frame["function"] for frame in frames[:DEPTH]] == texts_of(cpp.stack())
    assert [frame["function"] for frame in frames[DEPTH : DEPTH + 2]] == [
        "::libmodule1_entry()",
        "::libmodule1_method(void *, void *)",
    ]
    assert [frame["library"] for frame in frames[: DEPTH + 2]] == ["libmodule1.so"] * (DEPTH + 2)
    for function, frame in zip(cpp.stack(), frames):
        assert arguments(frame) == list(zip(function.types, function.passed(0)))
    assert any(len(frame["arguments"]) > 2 for frame in frames[:DEPTH])


def test_cpp_files_and_lines_of_frames(cpp, cpp_stop):
    for level, frame in enumerate(cpp_stop[1]["frames"][: DEPTH + 2]):
        assert re.fullmatch(r"libmodule1(_\d+)?\.cpp", frame["file"])
        assert (frame["file"], frame["line"]) == line_of(cpp.path, frame["pc"] - (level > 0), outermost=True)


def test_cpp_finish_gives_the_result(cpp, cpp_stop):
    finished = [row for row in cpp_stop if "finished" in row]
    stack, texts = cpp.stack(), texts_of(cpp.stack())
    assert [row["finished"] for row in finished] == texts[:2]
    assert [row["returned"] for row in finished] == [function.returned() for function in stack[:2]]
    assert [row["now"]["function"] for row in finished] == texts[1:3]


def test_cpp_stop_by_mangled_name(cpp, cpp_stop, probe):
    """A breakpoint by mangled name stops where the one by qualified name does."""
    first, shown, _ = probe("libmodule1", cpp.directory, mode="stop", name=cpp.chain[-1].name)
    assert first == {"error": None, "reached": True, "locations": 1}
    by_mangled_name, by_name = (frames[:DEPTH] for frames in (shown["frames"], cpp_stop[1]["frames"]))
    assert [frame["pc"] for frame in by_mangled_name] == [frame["pc"] for frame in by_name]


@pytest.fixture(scope="module")
def cpp_by_line(cpp, probe):
    """A stop at the last call of the function with the most arguments, of those in the chain that call another."""
    depth = max(range(DEPTH - 1), key=lambda i: len(cpp.chain[i].types))
    file, line = line_of(cpp.path, cpp.module.call_sites(cpp.chain[depth])[-1], outermost=True)
    commands = ["frame variable", "frame variable --no-args"]
    return depth, (file, line), probe("libmodule1", cpp.directory, mode="stop", file=file, line=line, commands=commands)


def test_cpp_breakpoint_by_line(cpp, cpp_by_line):
    depth, place, (first, shown, *_) = cpp_by_line
    stack = [*reversed(cpp.chain[: depth + 1])]
    frames = shown["frames"][: len(stack)]
    assert first == {"error": None, "reached": True, "locations": 1}
    assert (frames[0]["file"], frames[0]["line"]) == place
    assert [frame["function"] for frame in frames] == texts_of(stack)
    assert [arguments(frame) for frame in frames] == [list(zip(f.types, f.passed(0))) for f in stack]


def variable(row):
    """(name, type, value) of a row of `frame variable`."""
    kind, name, value = re.fullmatch(r"\(([^)]+)\) (\w+) = (.*)", row).groups()
    if kind == "const char *":
        return name, kind, json.loads(value.split(" ", 1)[1])
    return name, kind, float(value) if kind in ("float", "double") else int(value)


def test_cpp_frame_variable(cpp, cpp_by_line):
    """`frame variable` shows the arguments, with the model's values, and then the variables of the method."""
    depth, _, (*_, said, without_arguments) = cpp_by_line
    function = cpp.chain[depth]
    dies = Dies(cpp.path)
    start = dict(functions(cpp.path))[function.name]
    entry = next(d for d in dies.at.values() if d.tag == "subprogram" and "low_pc" in d and d.number("low_pc") == start)
    names = [parameter.text("name") for parameter in entry.of("formal_parameter")]
    rows = said["out"].splitlines()
    assert not said["error"] and len(names) == len(function.types) > 2
    assert [variable(row) for row in rows[: len(names)]] == [*zip(names, function.types, function.passed(0))]
    assert rows[len(names) :] == without_arguments["out"].splitlines()
    rest = [re.match(r"\([^)]+\) (\w+) = ", row)[1] for row in rows[len(names) :]]
    assert sorted(rest) == sorted(local.text("name") for local in entry.of("variable"))


def test_cpp_lookup_of_the_librarys_classes(cpp, probe):
    """Found by qualified name, with methods and parameters. lldb leaves out instances of templates, g++'s too."""
    texts = texts_of(cpp.module.functions)
    classes = every(sorted({"::".join(qualified(text).split("::")[:2]) for text in texts}), 12)
    shown = probe(mode="said", library=str(cpp.path), commands=[f"image lookup -t {name}" for name in classes])
    for name, row in zip(classes, shown):
        assert not row["error"]
        assert f'qualified = "{name}", byte-size = 1, ' in row["out"]
        assert f'compiler_type = "class {name.split("::")[1]} {{' in row["out"]
        said = re.findall(r"^    static unsigned long (\w+\(.*\));$", row["out"], flags=re.M)
        said = [text.replace("const char *", "char const*") for text in said]
        own = [text.removeprefix(f"{name}::") for text in texts if text.startswith(f"{name}::") and "<" not in text]
        assert said == own


def test_cpp_classes_of_headers(cpp, probe):
    """lldb shows size, bases, and members with their offsets as the entries have them."""
    dies, wanted = Dies(cpp.path), {}
    for die in dies.at.values():
        if die.tag in ("class_type", "structure_type") and die.text("name") and "declaration" not in die:
            members = [m for m in die.of("member") if "artificial" not in m]
            rows = [[m.text("name"), m.number("data_member_location")] for m in members]
            bases = [dies.qualified(dies.follow(base, "type")) for base in die.of("inheritance")]
            if members and not die.of("template_type_parameter", "template_value_parameter"):
                wanted.setdefault(dies.qualified(die), []).append((die.number("byte_size"), bases, rows))
    names = every(sorted(wanted), 40)
    shown = probe(mode="types", library=str(cpp.path), names=names)
    assert [row["name"] for row in shown] == names
    for row in shown:
        bases = [base.replace(" *", "*") for base in row["bases"]]  # as g++ spells arguments of templates
        found = (row["size"], bases, [member[:2] for member in row["members"]])
        assert found in wanted[row["name"]]
    assert any(row["bases"] for row in shown) and any("::" in name for name in names)
