"""gdb finds functions by name and by line, and shows the calls, arguments and results that the model says."""

import json
import re

import pytest

import model
from conftest import SOURCE
from objects import ask, functions, line_of, tool
from sets import libraries_of

pytestmark = pytest.mark.slow

PYTHON = "/usr/bin/python3"
DRIVE = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.{0}_entry())"
# Opened by ctypes with RTLD_LAZY, and not imported: every call is bound when it is first made.
CALL = "import ctypes, os, sys; ctypes.CDLL(sys.argv[1] + '/{0}.so', mode=os.RTLD_LAZY).{0}_entry()"


@pytest.fixture(scope="module")
def small(shipped_small):
    return shipped_small


@pytest.fixture(scope="module")
def expected(small):
    return model.Model(small)


@pytest.fixture(scope="module")
def probe(small, programs):
    """Runs Python under gdb; returns what gdb_probe.py shows."""
    # so that the system's own debug information is not read, whose faults are not ours
    debugger = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null"]

    def run(script, directory=small, **what):
        command = [*debugger, "-iex", "set complaints 100", "-x", SOURCE / "tests" / "gdb_probe.py"]
        command += ["--args", PYTHON, "-I", "-c", script, directory]
        environment = {"PROBE": json.dumps(what), "LD_BIND_NOW": None}
        done = programs.command(command, leaks=False, env=environment, timeout=120)
        complaints = re.findall("^.*(?:During symbol reading|[Ee]rror).*$", done.stderr, flags=re.M)
        # gdb says this of any compiler's code: the first because nothing says what a call does to %rax and
        # others, the second of every call that was inlined into an inlined one (docs/gauntlet.md)
        of_any = "unspecified registers|have different parents"
        assert [line for line in complaints if not re.search(of_any, line)] == []
        return [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("PROBE ")]

    return run


def chain_in(expected, module, number):
    """The functions of a module's chain."""
    depth = 10
    return expected.libraries[module].functions[number * depth : (number + 1) * depth]


@pytest.fixture(scope="module")
def by_name(probe, expected):
    """A stop at the last function of a chain, by its name, and what is seen there."""
    chain = chain_in(expected, "libmodule3", 7)
    shown = probe(DRIVE.format("libmodule3"), mode="stop", place=chain[-1].name, finish=11)
    return chain, shown


def arguments(frame):
    return [tuple(argument[1:]) for argument in frame["arguments"]]


def test_backtrace_of_a_chain(by_name):
    chain, shown = by_name
    names = [frame["function"] for frame in shown[0]["frames"]]
    assert names[:12] == [f.name for f in reversed(chain)] + ["libmodule3_entry", "libmodule3_method"]
    assert [frame["library"] for frame in shown[0]["frames"][:12]] == ["libmodule3.so"] * 12
    assert "PyObject_Vectorcall" in names and names[-1] == "_start"


def test_frames_of_code_that_was_inlined(by_name):
    """Callers in the midst of a chain have inlined frames, too, where one function calls the next."""
    _, shown = by_name
    callers = shown[0]["frames"][1:10]
    assert sum(bool(frame["inlined"]) for frame in callers) > 1


def test_arguments_of_each_frame(by_name):
    chain, shown = by_name
    for function, frame in zip(reversed(chain), shown[0]["frames"]):
        assert arguments(frame) == list(zip(function.types, function.passed(0)))
    assert any(len(frame["arguments"]) > 2 for frame in shown[0]["frames"][:10])


def test_names_of_arguments(by_name, small, expected):
    """No two arguments of a function have the same name, and objdump reads the same names."""
    chain, shown = by_name
    info = ask("objdump", "--dwarf=info", small / "libmodule3.so")
    for function, frame in zip(reversed(chain), shown[0]["frames"]):
        names = [argument[0] for argument in frame["arguments"]]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch("[a-z][a-z0-9_]+", name) for name in names)
        entry = info[info.index(f": {function.name}\n") :]
        entry = entry[: re.search(r"<1><[0-9a-f]+>: Abbrev", entry).start()]
        parameters = re.findall(r"DW_TAG_formal_parameter\)\n.*DW_AT_name .*: (\S+)\n", entry)
        assert names == parameters


def test_files_and_lines_of_frames(by_name, small):
    """A caller's line is that of the instruction before its return address, as addr2line sees it."""
    _, shown = by_name
    frames = shown[0]["frames"]
    path = small / "libmodule3.so"
    symbols = {row.split()[2]: int(row.split()[0], 16) for row in ask("nm", path).splitlines() if len(row.split()) == 3}
    shift = None
    for frame in frames[:12]:
        if shift is None:  # where the library is loaded, by the innermost frame
            near = [address for name, address in symbols.items() if name == frame["function"]][0]
            shift = (frame["pc"] - near) // 4096 * 4096
        back = 0 if frame is frames[0] else 1
        assert (frame["file"], frame["line"]) == line_of(path, frame["pc"] - shift - back, outermost=True)
    lines = [frame["line"] for frame in frames[:10] if frame["file"] == frames[0]["file"]]
    assert lines == sorted(lines, reverse=True) and len(set(lines)) == len(lines)


def test_finish_gives_the_result(by_name, expected):
    """`finish` gives the result of each function, from the end of the chain back to the entry."""
    chain, shown = by_name
    finished = [(row["finished"], row["returned"] % 2**64) for row in shown if "finished" in row]
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
    address = expected.libraries["libmodule5"].call_sites(chain[-1])[-1]
    file, line = line_of(small / "libmodule5.so", address, outermost=True)
    shown = probe(DRIVE.format("libmodule5"), mode="stop", place=f"{file}:{line}", locals=True)
    return chain, (file, line), shown


def test_break_by_line(by_line):
    chain, place, (shown, _) = by_line
    frames = shown["frames"]
    assert (frames[0]["file"], frames[0]["line"]) == place
    names = [frame["function"] for frame in frames]
    assert names[:11] == [f.name for f in reversed(chain)] + ["libmodule5_entry", "libmodule5_method"]
    assert [arguments(frame) for frame in frames[:9]] == [list(zip(f.types, f.passed(0))) for f in reversed(chain)]


def test_locals_can_be_read(by_line):
    """`info locals` gives each local a value, or says that it has none here."""
    *_, (_, shown) = by_line
    value = r"-?(\d+|\d+\.?\d*(e[-+]\d+)?|nan\(0x[0-9a-f]+\)|inf)|0x[0-9a-f]+( .*)?|<optimized out>"
    assert [row for row in shown["locals"] if not re.fullmatch(rf"[a-z][a-z0-9_]+ = ({value})|No locals\.", row)] == []


def test_break_by_line_of_every_function(small, expected):
    """Nothing runs. gdb sets a breakpoint by name, and one at the line where that is: both are in the same function."""
    path = small / "libmodule6.so"
    chosen = expected.libraries["libmodule6"].functions[::97]

    def breakpoints(places):
        commands = [part for place in places for part in ("-ex", f"break {place}")]
        out = ask(tool("gdb"), "-nx", "-batch", *commands, "-ex", "info breakpoints", path)
        return re.findall(r"^\d+ +breakpoint .* in (\S+) at (\S+):(\d+)$", out, flags=re.M)

    by_name = breakpoints(function.name for function in chosen)
    assert [place[0] for place in by_name] == [function.name for function in chosen]
    by_line = breakpoints(f"{file}:{line}" for _, file, line in by_name)
    assert [place[:2] for place in by_line] == [place[:2] for place in by_name]
    # gdb may go on to the end of the prologue
    assert {int(there[2]) - int(here[2]) for here, there in zip(by_name, by_line)} <= {0, 1}


@pytest.fixture(scope="module")
def in_a_utility(probe, expected):
    """A stop at the end of a utility's chain, with the function of the module that is the first to reach it."""
    module = expected.libraries["libmodule2"]
    reached = set()
    for caller in module.functions:
        called, number = next((f, number) for f, number in caller.calls_with_callers() if f.library is not module)
        chain = [called]
        while chain[-1].calls:
            chain.append(chain[-1].calls[0])
        if chain[-1] not in reached and caller.index % 10 >= 4 and len(chain) >= 3:
            break
        reached.add(chain[-1])
    shown = probe(DRIVE.format("libmodule2"), mode="stop", place=chain[-1].name, finish=len(chain))
    return caller, called, number, chain, shown


def test_backtrace_across_libraries(in_a_utility, expected):
    caller, called, number, chain, shown = in_a_utility
    frames = shown[0]["frames"]
    head = caller.index // 10 * 10
    callers = expected.libraries["libmodule2"].functions[head : caller.index + 1]
    stack = [*reversed(chain), *reversed(callers)]
    assert [frame["function"] for frame in frames[: len(stack)]] == [f.name for f in stack]
    assert frames[len(chain) - 1]["library"] == called.library.name + ".so"
    assert frames[len(chain)]["library"] == "libmodule2.so"
    assert [arguments(frame) for frame in frames[: len(chain) - 1]] == [
        list(zip(f.types, f.passed(0))) for f in reversed(chain[1:])
    ]
    assert arguments(frames[len(chain) - 1]) == list(zip(called.types, called.passed(number)))


def test_result_of_a_utility(in_a_utility):
    _, called, number, chain, shown = in_a_utility
    results = [(f.name, f.returned()) for f in reversed(chain[1:])] + [(called.name, called.returned(number))]
    assert [(row["finished"], row["returned"] % 2**64) for row in shown[1:]] == results


@pytest.mark.parametrize("number", range(3))
def test_every_instruction(number, probe, expected, small):
    """At each instruction of a function an argument is what was passed, or said to be gone. The callers are right."""
    functions_of_all = expected.libraries["libmodule4"].functions
    function = [f for f in functions_of_all if len(f.types) == 5 and 3 <= f.index % 10 < 9][number * 20]
    chain = functions_of_all[function.index // 10 * 10 : function.index]
    shown = probe(DRIVE.format("libmodule4"), mode="walk", place=function.name)
    passed = list(zip(function.types, function.passed(0)))
    known = 0
    for row in shown:
        assert row["callers"][: len(chain) + 1] == [f.name for f in reversed(chain)] + ["libmodule4_entry"]
        assert row["callers"][-1] == "_start"
        assert [(kind, value) for _, kind, value in row["arguments"] if value is not None] == [
            (kind, value) for (kind, value), (*_, seen) in zip(passed, row["arguments"]) if seen is not None
        ]
        known += sum(seen is not None for *_, seen in row["arguments"])
    code = ask("objdump", "-d", small / "libmodule4.so", f"--disassemble={function.name}")
    assert len(shown) == len(set(row["at"] for row in shown)) > len(re.findall(r"\tret", code)) * 20
    assert known > 2 * len(shown)


def test_unwinding_from_a_lazily_bound_call(probe, expected):
    """At each instruction of the PLT stub and of PLT0 the callers are right."""
    chain = chain_in(expected, "libmodule1", 3)
    shown = probe(CALL.format("libmodule1"), mode="plt", place=chain[6].name)
    stubs = [row for row in shown if "stub" in row]
    first, *_ = chain[6].calls
    stack = [f.name for f in reversed(chain[:7])] + ["libmodule1_entry"]
    assert [row["stub"].split()[0] for row in stubs] == ["jmp", "push", "jmp", "push", "jmp"]
    assert [row["callers"][:8] for row in stubs] == [stack] * 5
    assert first.name + "@plt" in stubs[0]["symbol"]
    assert all(row["callers"][-1] == "_start" for row in stubs)
    assert "ld-linux" in shown[-1]["left_for"]


def test_unwinding_where_branches_are_checked(probe, programs, tmp_path):
    """The callers are right at each instruction of a function, from its endbr64 on, and of both parts of the PLT."""
    directory = tmp_path / "set"
    programs.run("pyelfgen", "--cf-protection", "--profile", "small", "-o", directory)
    expected = model.Model(directory)
    chain = chain_in(expected, "libmodule1", 3)
    stack = [f.name for f in reversed(chain[:7])] + ["libmodule1_entry"]
    walked = probe(DRIVE.format("libmodule1"), directory, mode="walk", place=chain[6].name)
    assert len(walked) > 20 and {tuple(row["callers"][:7]) for row in walked} == {tuple(stack[1:])[:7]}
    shown = probe(CALL.format("libmodule1"), directory, mode="plt", place=chain[6].name)
    stubs = [row for row in shown if "stub" in row]
    first, *_ = chain[6].calls
    words = [row["stub"].replace("bnd ", "").split()[0] for row in stubs]
    assert words == ["endbr64", "jmp", "endbr64", "push", "jmp", "push", "jmp"]
    assert [row["callers"][:8] for row in stubs] == [stack] * 7
    assert first.name + "@plt" in stubs[0]["symbol"] and "ld-linux" in shown[-1]["left_for"]


def test_information_about_scopes_and_types(small):
    """Nothing runs. gdb reads the whole debug information without a complaint."""
    path = small / "libutility2.so"
    name = functions(path)[100][0]
    command = ["-iex", "set complaints 1000", "-ex", "maint expand-symtabs", "-ex", f"info scope {name}"]
    command += ["-ex", f"ptype {name}", "-ex", f"info line {name}"]
    out = ask(tool("gdb"), "-nx", "-batch", *command, path)
    assert "type = unsigned long (" in out
    assert re.search(rf'^Line \d+ of "libutility2\S*\.c" starts at address 0x[0-9a-f]+ <{name}>', out, flags=re.M)


def test_small_has_chains_of_ten(small, expected):
    """What the tests above take for granted."""
    assert all(row["functions"] > 300 for row in libraries_of(small, "module"))
    assert [f.calls[-1].index for f in chain_in(expected, "libmodule3", 7)[:-1]] == list(range(71, 80))


# --- every library ---------------------------------------------------------------------


@pytest.mark.alike
@pytest.mark.parametrize("by", ["name", "line"])
@pytest.mark.parametrize("number", range(8))
def test_every_module(number, by, probe, expected, small):
    """At a stop deep in a chain of each module, by name or by line, gdb shows the callers and their arguments."""
    name = f"libmodule{number}"
    chain = chain_in(expected, name, 4 + number)
    place = chain[-1].name
    if by == "line":
        chain = chain[:9]
        file, line = line_of(small / f"{name}.so", expected.libraries[name].call_sites(chain[-1])[-1], outermost=True)
        place = f"{file}:{line}"
    frames = probe(DRIVE.format(name), mode="stop", place=place)[0]["frames"]
    stack = [*reversed(chain)]
    names = [f.name for f in stack] + [f"{name}_entry", f"{name}_method"]
    assert [frame["function"] for frame in frames[: len(names)]] == names
    assert [arguments(frame) for frame in frames[: len(stack)]] == [list(zip(f.types, f.passed(0))) for f in stack]


@pytest.mark.parametrize("number", range(4))
def test_every_utility(number, probe, expected):
    """A stop in the function of each utility that a module calls first: the callers and their arguments."""
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
    frames = probe(DRIVE.format(module.name), mode="stop", place=called.name)[0]["frames"]
    head = caller.index // 10 * 10
    stack = [called, *reversed(module.functions[head : caller.index + 1])]
    assert [frame["function"] for frame in frames[: len(stack)]] == [f.name for f in stack]
    assert arguments(frames[0]) == list(zip(called.types, called.passed(n)))
    assert [arguments(frame) for frame in frames[1 : len(stack)]] == [list(zip(f.types, f.passed(0))) for f in stack[1:]]
