"""pyelfprobe: real debuggers and tools on the set `small`, tools that are absent, and tools that hang.

No test asserts how long anything takes.
"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import pytest

from conftest import closed_schema
from captures import symbols_by_readelf
from objects import ask, tool
from sets import SMALL, libraries_of, mostly_long

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")

SCHEMA = closed_schema("probe")
PHASES = ["phase1", "break", "functions", "backtrace", "phase2", "attach"]
PYTHON = "/usr/bin/python3"


class Probe:
    def __init__(self, programs, directory):
        self.programs = programs
        self.temporary = directory / "temporary"
        self.temporary.mkdir()
        self.json = directory / "probe.json"

    def environment(self, path=None, libraries=None):
        variables = {"LD_LIBRARY_PATH": str(libraries)} if libraries else {}
        return {"TMPDIR": str(self.temporary), "PATH": path or os.environ["PATH"], **variables}

    def run(self, *arguments, status=0, path=None, libraries=None):
        """Returns what --json writes, after a check against the schema. Nothing else is left behind."""
        command = ["--json", self.json, "--python", PYTHON, "--warm-up=0", *arguments]
        done = self.programs.run("pyelfprobe", *command, status=status, env=self.environment(path, libraries), timeout=300)
        report = json.loads(self.json.read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(report)
        self.clean()
        self.out, self.err = done.stdout, done.stderr
        return report

    def fail(self, *arguments, status=1, path=None, libraries=None):
        """Returns the one line with which a run ends that makes no report."""
        env = self.environment(path, libraries)
        done = self.programs.run("pyelfprobe", *arguments, status=status, env=env, timeout=300)
        assert done.stdout == "" and done.stderr.count("\n") == 1
        self.clean()
        return done.stderr

    def clean(self):
        assert list(self.temporary.iterdir()) == []


@pytest.fixture
def probe(programs, tmp_path):
    return Probe(programs, tmp_path)


def cells(report, name, cache="warm", application=0):
    """Returns a tool's measurements by step."""
    wanted = {"tool": name, "cache": cache, "application": application}
    return {cell["step"]: cell for cell in report["measurements"] if wanted.items() <= cell.items()}


def found(report, name, **where):
    return {step: cell["median"].get("found") for step, cell in cells(report, name, **where).items()}


@pytest.fixture
def bare_path(tmp_path):
    """Makes a PATH with these programs only: the real one where the value is None, otherwise a script with this
    text."""

    def make(**scripts):
        directory = tmp_path / "bin"
        directory.mkdir()
        for name, text in scripts.items():
            if text is None:
                (directory / name).symlink_to(tool(name))
            else:
                (directory / name).write_text(f"#!/bin/sh\n{text}\n")
                (directory / name).chmod(0o755)
        return str(directory)

    return make


SLEEP = shutil.which("sleep") + " 4711"
HANGS = f'case "$*" in *--version*) echo fake 1.0;; *) {SLEEP} & {SLEEP};; esac'


def sleepers():
    """Returns the processes of HANGS that still run."""
    lines = []
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(process.read_bytes())
        except OSError:
            pass  # has ended
    return [line for line in lines if line == SLEEP.replace(" ", "\0").encode() + b"\0"]


# --- debuggers --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def debugged(programs, small, tmp_path_factory):
    tool("gdb")
    probe = Probe(programs, tmp_path_factory.mktemp("debugged"))
    return probe.run("--repeat=2", "--cache=warm", "--tools=load,gdb", "--pattern=_fun1", small), probe.out


@pytest.mark.long
def test_every_step_of_gdb(debugged):
    report, _ = debugged
    steps = cells(report, "gdb")
    assert list(steps) == ["start", *PHASES]
    assert {cell["status"] for cell in steps.values()} == {"done"}
    assert {step: len(cell["runs"]) for step, cell in steps.items() if step != "start"} == dict.fromkeys(PHASES, 2)


@pytest.mark.slow
def test_gdb_saw_the_libraries(debugged, small):
    """In phases 1 and 2 and when it attaches, gdb sees all libraries of the set, and a few others."""
    report, _ = debugged
    libraries = len(libraries_of(small))
    assert report["applications"][0]["files"] == libraries
    for step in ("phase1", "phase2", "attach"):
        assert libraries < found(report, "gdb")[step] < libraries + 60
    assert found(report, "load")["whole"] == libraries


@pytest.mark.slow
def test_gdb_came_to_the_end_of_a_chain(debugged, small):
    """The backtrace has ten functions, the entry, the method and Python's frames."""
    report, _ = debugged
    counts = found(report, "gdb")
    assert counts["break"] == 1 and counts["backtrace"] > 15
    functions = sum(row["functions"] for row in libraries_of(small, "module", "utility"))
    assert functions / 10 < counts["functions"] < 2 * functions
    assert report["applications"][0]["break"].startswith("libmodule7_fun9")


@pytest.mark.slow
def test_steps_are_parts_of_one_session(debugged):
    """Peak memory never falls from step to step. A step uses no more processor time than there are processors for."""
    report, _ = debugged
    steps = cells(report, "gdb")
    peaks = [min(run["peak-bytes"] for run in steps[step]["runs"]) for step in ("phase1", "break", "functions", "backtrace")]
    assert peaks == sorted(peaks) and peaks[0] > 10_000_000
    for cell in steps.values():
        for run in cell["runs"]:
            assert run["cpu-seconds"] <= run["wall-seconds"] * os.cpu_count() + 0.02


@pytest.mark.slow
def test_table_has_the_medians(debugged):
    report, out = debugged
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in out.splitlines() if line.startswith("gdb ")}
    assert [step for _, step in rows] == ["start", *PHASES]
    median = cells(report, "gdb")["phase1"]["median"]
    runs = sorted(run["wall-seconds"] for run in cells(report, "gdb")["phase1"]["runs"])
    assert rows["gdb", "phase1"] == [
        f"{median['wall-seconds']:.4f}",
        f"{runs[0]:.4f}",
        f"{runs[1]:.4f}",
        f"{median['cpu-seconds']:.4f}",
        f"{median['peak-bytes'] / 1e6:.1f}",
        str(median["found"]),
    ]
    assert median["wall-seconds"] == pytest.approx(sum(runs) / 2, abs=1e-9)


@pytest.mark.slow
def test_lldb(probe, small):
    tool("lldb-14", "lldb")
    report = probe.run("--repeat=1", "--cache=warm", "--tools=lldb", small)
    counts = found(report, "lldb")
    libraries = len(libraries_of(small))
    assert all(libraries < counts[step] < libraries + 60 for step in ("phase1", "phase2", "attach"))
    assert counts["break"] == 1 and counts["backtrace"] > 15


@pytest.mark.alike(2)
@pytest.mark.slow
@pytest.mark.parametrize("debugger", ["gdb", "lldb"])
@pytest.mark.parametrize("how", ["build-id", "debuglink"])
def test_debug_files_beside_the_libraries(probe, programs, tmp_path, debugger, how):
    """Debuggers find local functions through debug files, which alone have their names. This works for a list and for a
    set."""
    tool("lldb-14", "lldb") if debugger == "lldb" else tool("gdb")
    made = tmp_path / "set"
    programs.run("pyelfgen", "-P", SMALL, "-o", made, "-q", f"--separate={how}")
    (tmp_path / "list").write_text("set/libutility0.so\nset/libutility1.so\n")
    wanted = ["--repeat=1", "--cache=warm", f"--tools={debugger}", "--phases=functions", "--pattern=utility1_helper"]
    for application in (made, tmp_path / "list"):
        assert found(probe.run(*wanted, "--break=libutility0_fun0", application), debugger)["functions"] > 0


@pytest.mark.slow
def test_two_side_by_side(probe, small, sets):
    """The ratio is that of the medians. Both applications are started in the same way."""
    tool("gdb")
    twin = sets.get("odd")
    report = probe.run("--repeat=1", "--cache=warm", "--tools=load,gdb,nm", "--phases=phase1,phase2", small, twin)
    assert "wall-least" not in report["ratios"][0] and "least" not in probe.out
    assert [application["start"] for application in report["applications"]] == ["python", "python"]
    rows = [(ratio["tool"], ratio["step"]) for ratio in report["ratios"]]
    assert rows == [("load", "whole"), ("gdb", "start"), ("gdb", "phase1"), ("gdb", "phase2"), ("nm", "whole")]
    medians = [cells(report, "gdb", application=i)["phase1"]["median"] for i in (0, 1)]
    ratio = next(ratio for ratio in report["ratios"] if ratio["step"] == "phase1")
    assert ratio["wall"] == pytest.approx(medians[1]["wall-seconds"] / medians[0]["wall-seconds"], rel=1e-9)
    assert ratio["peak"] == pytest.approx(medians[1]["peak-bytes"] / medians[0]["peak-bytes"], rel=1e-9)
    assert "\nwarm, B/A  " in probe.out and f"A: {small}" in probe.out and f"B: {twin}" in probe.out
    assert max(map(len, probe.out.splitlines()[2:])) <= 82


UTILITIES = """pyelfgen-profile: 1
libraries:
- {kind: utility, functions: 40}
- {kind: utility, text: 30000, data: 3000, bss: 0, functions: 9, dynamic: {functions: 9}}
- {kind: utility, text: 9000, data: 900, bss: 0, functions: 0}
"""


def no_sanitizers(programs):
    if programs.sanitized:
        pytest.skip("a program that preloads libraries; the sanitizer's has to come first")


def test_a_set_of_modules_that_define_nothing_else(probe, programs, tmp_path):
    """Most extension modules define only their PyInit_. The breakpoint is at the PyInit_ of the last module."""
    no_sanitizers(programs)
    tool("gdb")
    row = "- {kind: module, text: 9000, data: 900, bss: 100, functions: 1, dynamic: {functions: 1, undefined: 30}, outside: 1}\n"
    (tmp_path / "p").write_text("pyelfgen-profile: 1\ncaptured: {from: files, libraries: 2, unreadable: 0}\nlibraries:\n" + 2 * row)
    programs.run("pyelfgen", "-P", tmp_path / "p", "-o", tmp_path / "set", "-q")
    report = probe.run("--repeat=1", "--cache=warm", "--tools=gdb", "--phases=break", tmp_path / "set")
    assert [application["break"] for application in report["applications"]] == ["PyInit_libmodule1"]
    assert found(report, "gdb")["break"] == 1


@pytest.mark.parametrize("debugger", mostly_long(["gdb", "lldb"], "gdb"))
def test_a_module_whose_functions_nothing_calls(probe, programs, tmp_path, debugger):
    """The functions that it exports are small ones, in no chain. The backtrace is where all is loaded, in a first run
    and in later ones, and a line says so."""
    no_sanitizers(programs)
    tool("lldb-14", "lldb") if debugger == "lldb" else tool("gdb")
    row = """{kind: module, text: 9000, data: 900, bss: 100, functions: 14, dynamic: {functions: 14, undefined: 30},
        outside: 1, unwind-entries: 16, unwind-small: 13, function-sizes: '8*10 60'}"""
    head = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 1, unreadable: 0}\nlibraries:\n"
    (tmp_path / "p").write_text(f"{head}- {row}\n")
    programs.run("pyelfgen", "-P", tmp_path / "p", "-o", tmp_path / "set", "-q")
    options = ["--repeat=2", "--cache=warm", f"--tools={debugger}", "--phases=break,backtrace"]
    for more in [], ["--start=loader", "--warm-up=1"]:
        report = probe.run(*options, *more, tmp_path / "set")
        backtrace = cells(report, debugger)["backtrace"]
        place = report["applications"][0]["break"]
        assert backtrace["reason"] == f"nothing calls '{place}': taken where all is loaded" and len(backtrace["runs"]) == 2
        assert f"{debugger} backtrace, warm: {backtrace['reason']}\n" in probe.out
    # one that the user names has to be called
    report = probe.run(*options, "--break=libmodule0_no_such", tmp_path / "set", status=1)
    assert missed(report, debugger)["backtrace"].startswith("not found: ")


@pytest.mark.parametrize("debugger", ["gdb", "lldb"])
def test_a_set_without_modules(probe, programs, tmp_path, debugger):
    """The last library has no function, so the place to stop is a function of the one before it. Nobody calls it: the
    place is chosen as in any directory of libraries."""
    no_sanitizers(programs)
    tool("lldb-14", "lldb") if debugger == "lldb" else tool("gdb")
    (tmp_path / "p").write_text(UTILITIES)
    programs.run("pyelfgen", "-P", tmp_path / "p", "-o", tmp_path / "set", "-q")
    functions = [sum(symbol[1] == "FUNC" and symbol[3] != "UND" for symbol in symbols_by_readelf(path, ".dynsym"))
                 for path in (tmp_path / "set" / f"libutility{i}.so" for i in range(3))]
    assert functions[1] == 9 and functions[2] == 0
    listed = tmp_path / "list"
    listed.write_text("".join(f"set/libutility{i}.so\n" for i in range(3)))
    phases = "--phases=break,functions,backtrace"
    report = probe.run("--repeat=1", "--cache=warm", f"--tools={debugger}", phases, listed, tmp_path / "set")
    places = {application["break"] for application in report["applications"]}
    assert len(places) == 1 and places <= {name for *_, name in symbols_by_readelf(
        tmp_path / "set" / "libutility1.so", ".dynsym")}
    for number in (0, 1):
        assert found(report, debugger, application=number)["break"] == 1
    assert "not to be compared" not in probe.out


@pytest.mark.long
def test_applications_with_unlike_numbers_of_functions(probe, programs, small, tmp_path):
    """Listing more functions takes longer, so pyelfprobe warns, whichever application has more of them."""
    no_sanitizers(programs)
    tool("gdb")
    listed = tmp_path / "list"
    listed.write_text(f"{small}/libmodule0.so\n")
    command = ["--repeat=1", "--cache=warm", "--tools=gdb", "--phases=functions", "--pattern=module._", "--start=loader"]
    for applications, names in ([(listed, small), "BA"], [(small, listed), "AB"]):
        report = probe.run(*command, *applications)
        counts = sorted(found(report, "gdb", application=i)["functions"] for i in (0, 1))
        assert counts[1] > 2 * counts[0]
        said = f"{counts[1]} found in {names[0]}, more than twice the {counts[0]} in {names[1]}: not to be compared"
        assert probe.out.endswith(f"\ngdb functions: {said}\n")


def test_the_spread_of_ratios(probe, small, sets):
    """The spread goes from the smallest to the largest ratio of a pair of runs; runs of different pairs are not
    compared."""
    report = probe.run("--repeat=3", "--cache=warm", "--tools=nm", small, sets.get("odd"))
    runs = [[run["wall-seconds"] for run in cells(report, "nm", application=i)["whole"]["runs"]] for i in (0, 1)]
    pairs = sorted(b / a for a, b in zip(*runs))
    (ratio,) = report["ratios"]
    assert [ratio["wall-least"], ratio["wall"], ratio["wall-most"]] == pytest.approx(pairs, rel=1e-9)
    heading, row = probe.out.partition("warm, B/A")[2].splitlines()[:2]
    assert heading.split() == ["seconds", "least", "most", "CPU", "MB", "found"]
    assert row.split()[1:4] == [f"{value:.2f}" for value in (pairs[1], pairs[0], pairs[2])]


def test_what_pyelfprobe_takes_is_not_in_the_memory_of_others(probe, programs, small, tmp_path, bare_path):
    """Beside a library whose symbols make pyelfprobe itself large, a small application takes as much as alone."""
    if programs.sanitized:
        pytest.skip("sanitizers keep memory of their own")
    (tmp_path / "large.prof").write_text("pyelfgen-profile: 1\nmodules: 1\nfunctions: 100000\n")
    programs.run("pyelfgen", "--profile", tmp_path / "large.prof", "-o", tmp_path / "large", "--quiet")
    little = tmp_path / "little"
    little.mkdir()
    shutil.copy(small / "libmodulebegin.so", little)
    options = ["--start=loader", "--cache=warm", "--repeat=1", "--tools=load,nm"]
    path = bare_path(nm="echo 1")
    peaks = []
    for beside in ([], [tmp_path / "large"]):
        report = probe.run(*options, little, *beside, path=path)
        peaks.append([cells(report, name)["whole"]["median"]["peak-bytes"] for name in ("load", "nm")])
    for alone, together in zip(*peaks):
        assert together < 1.3 * alone


def test_python_that_is_none(probe, small):
    assert "--python: '/bin/false' is no Python that works\n" in probe.fail("--tools=load", "--python=/bin/false", small)


def test_python_that_says_why_it_is_none(probe, small, bare_path):
    """A wrapper that starts no Python tells the reason."""
    python = bare_path(wrapper="echo wrapper: load a module first >&2; exit 3") + "/wrapper"
    said = probe.fail("--tools=load", f"--python={python}", small)
    assert said.endswith("/wrapper' is no Python that works: wrapper: load a module first\n")


@pytest.mark.long
def test_python_opens_what_is_no_set(probe, small, tmp_path):
    """These extension modules need Python's symbols. With the loader this is an error that names what helps; Python
    itself can open them."""
    dynload = pathlib.Path("/usr/lib/python3.11/lib-dynload")
    modules = list(dynload.glob("*.cpython-311-*.so"))  # without those of a debug build
    if not modules:
        pytest.skip(f"there are none in {dynload}")
    directory = tmp_path / "modules"
    directory.mkdir()
    for module in modules:
        shutil.copy(module, directory)
    said = probe.fail("--tools=load", directory)
    assert "undefined symbol: Py" in said
    assert "; give --start=python, or --preload=the path of libpython3.11.so.1.0, for which" in said
    report = probe.run("--repeat=1", "--cache=warm", "--start=python", "--tools=load,gdb", directory, small)
    for number in (0, 1):
        files = report["applications"][number]["files"]
        assert found(report, "load", application=number)["whole"] >= files
        assert found(report, "gdb", application=number)["phase1"] > files
    assert found(report, "gdb", application=1)["backtrace"] > 15
    assert "backtrace: of B at the end of a chain of calls, of A where all is loaded: not to be compared\n" in probe.out


def test_many_libraries_may_be_there_before(programs, probe, small):
    """An application may need many libraries from elsewhere. More than 50 can be preloaded, and the same one only
    counts once."""
    if programs.sanitized:
        pytest.skip("the sanitizer wants to be the first that is preloaded")
    preload = [f"--preload={library}" for library in sorted(small.glob("lib*.so"))] * 5
    assert len(preload) > 50
    report = probe.run("--repeat=1", "--cache=warm", "--tools=load", "--start=loader", *preload, small)
    assert found(report, "load")["whole"] == 0


@pytest.mark.slow
def test_the_dynamic_linker_among_the_files(probe, tiny_library, tmp_path):
    """A list of all that a program loads has the dynamic linker, which every program has already, mostly by another
    path."""
    tool("gdb")
    linker = pathlib.Path("/lib64/ld-linux-x86-64.so.2").resolve()
    listed = tmp_path / "list"
    listed.write_text(f"{linker}\n{tiny_library}\n")
    report = probe.run("--repeat=1", "--cache=warm", "--tools=gdb", "--phases=phase1", listed)
    assert cells(report, "gdb")["phase1"]["status"] == "done"


@pytest.mark.long
def test_model(probe, small):
    tool("gdb")
    command = ["--cache=warm", "--tools=gdb", "--phases=phase2", "--repeat=1"]
    report = probe.run(*command, "--libraries=500", "--tasks=400", "--breakpoints=4", small)
    (model,) = report["model"]
    libraries = len(libraries_of(small))
    numbers = sorted({point["libraries"] for point in model["points"]})
    assert numbers == [libraries * i // 4 for i in range(1, 5)]
    assert sorted({point["breakpoints"] for point in model["points"]}) == [0, 2, 4]
    fit = model["fit"]
    for point in model["points"]:
        expected = fit["t0"] + point["libraries"] * (fit["t1"] + point["breakpoints"] * fit["t2"])
        assert point["seconds"] - expected == pytest.approx(point["residual"], abs=1e-9)
    # least squares with a constant: the residuals add up to 0
    assert sum(point["residual"] for point in model["points"]) == pytest.approx(0, abs=1e-9)
    expected = 500 * 400 * (fit["t1"] + 4 * fit["t2"])
    assert fit["extrapolated-seconds"] == pytest.approx(expected, rel=1e-9)
    assert "500 libraries x 400 tasks x (T1 + 4 breakpoints x T2)" in probe.out


@pytest.mark.long
def test_model_of_two(probe, small, tmp_path):
    """Each application has its own points. One with too few points fails alone."""
    tool("gdb")
    (tmp_path / "one").mkdir()
    shutil.copy(small / "libutility0.so", tmp_path / "one")
    command = ["--cache=warm", "--tools=gdb", "--phases=phase2", "--repeat=1", "--start=loader", "--breakpoints=2"]
    report = probe.run(*command, small, tmp_path / "one", status=1)
    model, other = report["model"]
    assert (model["application"], model["status"], len(model["points"])) == (0, "done", 12)
    assert model["fit"]["t1-error"] > 0 and "(+-" in probe.out
    assert (other["application"], other["status"]) == (1, "failed") and "do not determine T1" in other["reason"]


@pytest.mark.slow
def test_a_command(probe):
    tool("gdb")
    command = f"--command={PYTHON} -I -c 'import _json'"
    options = ["--repeat=1", "--cache=warm", "--tools=load,gdb", "--until=PyInit__json", "--break=PyObject_Vectorcall"]
    report = probe.run(*options, command)
    (application,) = report["applications"]
    assert application["start"] == "command" and application["files"] >= 1
    steps = cells(report, "gdb")
    assert {step: cell["status"] for step, cell in steps.items()} == {
        **dict.fromkeys(["start", *PHASES], "done"),
        "attach": "absent",
    }
    assert steps["backtrace"]["median"]["found"] > 3
    # at the end of a command nothing is left to count, which is not the same as 0
    report = probe.run("--repeat=1", "--cache=warm", "--tools=gdb", "--phases=phase2", command)
    assert "found" not in cells(report, "gdb")["phase2"]["median"]


def test_a_pipe(programs, small):
    """What a shell makes of >(...) is written to."""
    read, write = os.pipe()
    with open(read, encoding="utf-8") as report:
        command = ["--json", f"/dev/fd/{write}", "--tools=nm", "--cache=warm", "--repeat=1", small]
        assert programs.run("pyelfprobe", *command, pass_fds=[write], timeout=300).stdout
        os.close(write)
        jsonschema.Draft202012Validator(SCHEMA).validate(json.load(report))


def test_files_of_two_commands(probe):
    """What one command has loaded is not among the files of the other."""
    commands = [f"--command={PYTHON} -I -c 'import {name}'" for name in ("_json", "_ctypes", "_json")]
    files = []
    for pair in (commands[:2], commands[1:]):
        report = probe.run("--repeat=1", "--warm-up=0", "--cache=warm", "--tools=load", *pair)
        files.append([(application["files"], application["bytes"]) for application in report["applications"]])
    assert files[0] == files[1][::-1]


# --- what a debugger does not find -------------------------------------------------------


def missed(report, name):
    """Returns the reasons by step. A failed step has no time."""
    wrong = {step: cell for step, cell in cells(report, name).items() if cell["status"] != "done"}
    assert not [cell for cell in wrong.values() if "median" in cell or "runs" in cell]
    assert {cell["status"] for cell in wrong.values()} <= {"failed"}
    return {step: cell["reason"] for step, cell in wrong.items()}


@pytest.fixture(params=mostly_long(["gdb", "lldb"], "gdb"))
def debugger(request):
    tool(*(["gdb"] if request.param == "gdb" else ["lldb-14", "lldb"]))
    return request.param


def test_lldb_beside_another_python(probe, small, tmp_path):
    """lldb's own Python finds Debian's modules for it, whatever Python is first in PATH."""
    tool("lldb-14", "lldb")
    for name in ("bin", "lib"):
        (tmp_path / name).mkdir()
    another = tmp_path / "bin" / "python3"
    another.write_text('#!/bin/sh\nexec /usr/bin/python3 "$@"\n')
    another.chmod(0o755)
    (tmp_path / "lib" / "python3.11").symlink_to("/usr/lib/python3.11")
    path = f"{another.parent}:{os.environ['PATH']}"
    report = probe.run("--repeat=1", "--cache=warm", "--tools=lldb", "--phases=phase1", small, path=path)
    assert "phase1" in cells(report, "lldb")


@pytest.mark.long
@pytest.mark.slow
def test_a_function_that_is_not_there(probe, small, debugger):
    """The breakpoint and its backtrace have no time. The other steps are measured."""
    options = ["--repeat=2", "--cache=warm", f"--tools={debugger}", "--phases=phase1,break,functions,backtrace"]
    report = probe.run(*options, "--break=no_such", small, status=1)
    assert missed(report, debugger) == {
        "break": "not found: no function 'no_such' in what is loaded at the entry point",
        "backtrace": "not found: no function 'no_such' to stop at",
    }
    assert cells(report, debugger)["functions"]["median"]["found"] > 0
    rows = [line.split()[1] for line in probe.out.splitlines() if line.startswith(debugger + "  ")]
    assert rows == ["start", "phase1", "functions"]
    assert f"{debugger} break, warm: failed: not found: " in probe.out
    # a name that begins like those of a module, so that its entry is called
    report = probe.run(*options, "--break=libmodule7_no_such", "--pattern=no_such", small, status=1)
    assert missed(report, debugger)["backtrace"].startswith("not found: no function 'libmodule7_no_such' in all")
    functions = cells(report, debugger)["functions"]
    assert (functions["median"]["found"], functions["reason"]) == (0, "no function matches 'no_such'")


@pytest.mark.slow
def test_a_pattern_that_is_no_regular_expression(probe, small, debugger):
    options = ["--repeat=1", "--cache=warm", f"--tools={debugger}", "--phases=break,functions,backtrace"]
    report = probe.run(*options, "--warm-up=1", "--pattern=fun[", small, status=1)
    assert list(missed(report, debugger)) == ["functions"] and len(cells(report, debugger)["break"]["runs"]) == 1
    assert missed(report, debugger)["functions"].startswith("--pattern 'fun[': ")
    assert cells(report, debugger)["backtrace"]["median"]["found"] > 15
    # a pattern with characters that separate words or end a quote on a command line
    report = probe.run(*options, "--pattern=_fun1 *\\|x'y", small)
    assert missed(report, debugger) == {}


@pytest.mark.slow
def test_an_until_that_is_not_reached(probe, debugger):
    """A function that does not exist, or that nobody calls, is no place where all is loaded."""
    command = f"--command={PYTHON} -I -c 'import _json'"
    options = ["--repeat=1", "--cache=warm", f"--tools={debugger}", "--phases=phase1,backtrace,phase2"]
    report = probe.run(*options, "--until=no_such", command, status=1)
    reason = "not found: no function 'no_such' in all that the program has loaded"
    assert missed(report, debugger) == {"backtrace": reason, "phase2": reason}
    assert f"{debugger} backtrace and phase2, warm: failed: {reason}\n" in probe.out
    report = probe.run(*options, "--until=Py_FrozenMain", command, status=1)
    reason = "the program ended, and never called 'Py_FrozenMain'"
    assert missed(report, debugger) == {"backtrace": reason, "phase2": reason}


# --- the application and the tools that read files -----------------------------------------


def test_readers(probe, small):
    """The loader opens the libraries. nm and readelf read all files in one process, dwz each file in its own."""
    tool("dwz")
    report = probe.run("--repeat=1", "--cache=warm", "--start=loader", "--tools=load,nm,readelf,dwz", small)
    assert {cell["status"] for cell in report["measurements"]} == {"done"}
    assert found(report, "load")["whole"] == len(libraries_of(small))
    assert cells(report, "load")["whole"]["median"]["page-faults"] > 0
    assert [row["name"] for row in report["tools"]] == ["load", "nm", "readelf", "dwz"]
    assert "GNU nm" in report["tools"][1]["version"]


@pytest.mark.slow
def test_tools_that_look_at_the_process(probe, small):
    tool("eu-stack")
    report = probe.run("--repeat=1", "--cache=warm", "--tools=eu-stack,perf", small)
    assert cells(report, "eu-stack")["whole"]["status"] == "done"
    # perf may be missing, or may not be allowed to record
    assert cells(report, "perf")["whole"]["status"] in ("done", "absent")


def test_runs_take_turns(probe, tmp_path, small, bare_path):
    """Each round reverses the order: A and B, then B and A."""
    log = tmp_path / "log"
    real = tool("nm")
    path = bare_path(nm=f'echo "$*" >> {log}\nexec {real} "$@"')
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(small / "libutility0.so", tmp_path / name)
    options = ["--repeat=3", "--cache=warm", "--tools=nm"]
    report = probe.run(*options, tmp_path / "a", tmp_path / "b", path=path)
    runs = [line.split("/")[-2] for line in log.read_text().splitlines() if "--version" not in line]
    assert runs == ["a", "b", "b", "a", "a", "b"]
    assert len(cells(report, "nm", application=1)["whole"]["runs"]) == 3
    log.unlink()
    report = probe.run("--repeat=2", "--warm-up=2", "--cache=warm", "--tools=nm", tmp_path / "a", tmp_path / "b", path=path)
    runs = [line.split("/")[-2] for line in log.read_text().splitlines() if "--version" not in line]
    assert runs == ["a", "b", "b", "a"] + ["a", "b", "b", "a"] and report["warm-up"] == 2
    assert len(cells(report, "nm", application=1)["whole"]["runs"]) == 2


def test_what_fails_when_warming_up(probe, small, bare_path, tmp_path):
    """A failure while warming up is reported, and the tool is not tried again. What was measured only while warming up
    gives no number."""
    log = tmp_path / "log"
    path = bare_path(nm=f'case "$*" in *--version*) echo 1;; *) echo >> {log}; exit 3;; esac', readelf=None)
    report = probe.run("--repeat=3", "--warm-up=1", "--cache=warm", "--start=loader", "--tools=nm,readelf", small, status=1, path=path)
    assert cells(report, "nm")["whole"]["status"] == "failed" and log.read_text() == "\n"
    assert len(cells(report, "readelf")["whole"]["runs"]) == 3


def test_cold_where_files_stay(probe, small, tmp_path):
    """The page cache of a file system in memory cannot be dropped. Cold is absent then, and warm is measured."""
    memory = pathlib.Path("/dev/shm")
    if not memory.is_dir() or not os.access(memory, os.W_OK):
        pytest.skip("there is no file system in memory")
    directory = memory / f"pyelfgen-test-probe-{os.getpid()}"
    directory.mkdir()
    try:
        shutil.copy(small / "libutility0.so", directory)
        report = probe.run("--repeat=1", "--tools=load,nm", directory)
    finally:
        shutil.rmtree(directory)
    assert cells(report, "nm")["whole"]["status"] == "done"
    cold = cells(report, "nm", cache="cold")["whole"]
    assert cold["status"] == "absent" and "stay in the page cache" in cold["reason"]
    assert "cold: absent: " in probe.out


def test_a_list_of_files(probe, small, tmp_path):
    """Files are taken in the order of the list's lines. Paths are relative to the list."""
    for name in ("libutility1.so", "libutility0.so"):
        shutil.copy(small / name, tmp_path)
    (tmp_path / "order").write_text("# in this order\nlibutility1.so\n\nlibutility0.so\n")
    report = probe.run("--repeat=1", "--cache=warm", "--tools=load,nm", tmp_path / "order")
    assert report["applications"][0] | {"break": None} == {
        "path": str(tmp_path / "order"),
        "start": "loader",
        "set": False,
        "files": 2,
        "bytes": sum((small / f"libutility{i}.so").stat().st_size for i in (0, 1)),
        "break": None,
    }


def test_the_list_of_a_capture(programs, probe, small, tmp_path):
    """pyelfprof says which file each library of a twin stands for: that is a list, too."""
    files = [small / f"libutility{i}.so" for i in (1, 0)]
    programs.run("pyelfprof", "-q", "--list", tmp_path / "list", *files)
    assert "\t" in (tmp_path / "list").read_text()
    report = probe.run("--repeat=1", "--cache=warm", "--tools=nm", tmp_path / "list")
    assert report["applications"][0]["files"] == 2
    (tmp_path / "it.prof").write_text("# my application\npyelfgen-profile: 1\nmodules: 1\nfunctions: 9\n")
    done = programs.run("pyelfprobe", tmp_path / "it.prof", status=None)
    said = "is a profile; give the set that pyelfgen has made of it, or the application's own files"
    assert done.returncode == 1 and done.stderr == f"pyelfprobe: {tmp_path}/it.prof: {said}\n"


def test_links_and_what_is_not_shared_are_left_out(probe, small, tmp_path):
    inner = tmp_path / "application" / "inner"
    inner.mkdir(parents=True)
    shutil.copy(small / "libutility0.so", inner / "libutility.so.1")
    (inner / "libutility.so").symlink_to("libutility.so.1")
    (inner / "script.so").write_text("/* GNU ld script */\n")
    (inner / "loop").symlink_to(tmp_path)
    report = probe.run("--repeat=1", "--cache=warm", "--tools=load", tmp_path / "application")
    assert report["applications"][0]["files"] == 1


def test_without_debug_information(probe, sets):
    tool("dwz")
    report = probe.run("--repeat=1", "--cache=warm", "--tools=load,dwz", sets.get("no-debug"))
    cell = cells(report, "dwz")["whole"]
    assert (cell["status"], cell["reason"]) == ("absent", "no file has debug information")


# --- what is absent, and what hangs ---------------------------------------------------------


def test_absent_tools(probe, small, bare_path):
    """An absent tool is no failure, and has no number."""
    report = probe.run("--repeat=1", "--start=loader", "--cache=warm", small, path=bare_path(nm=None))
    status = {row["name"]: row["status"] for row in report["tools"]}
    absent = ["gdb", "lldb", "eu-stack", "perf", "readelf", "dwz"]
    assert status == {"load": "done", "nm": "done", **dict.fromkeys(absent, "absent")}
    for cell in report["measurements"]:
        assert (cell["status"] == "absent") == (cell["tool"] in absent)
        assert ("median" in cell) == (cell["tool"] not in absent)
    reasons = [line for line in probe.out.splitlines() if ": absent: " in line]
    assert reasons[:2] == ["gdb: absent: there is no gdb in PATH", "lldb: absent: there is no lldb or lldb-N in PATH"]
    assert len(reasons) == len(absent)


def test_nothing_but_absent_tools_is_a_failure(probe, small, bare_path):
    probe.run("--repeat=1", "--tools=gdb", "--start=loader", small, status=1, path=bare_path())


def test_gdb_without_python(probe, small, bare_path):
    path = bare_path(gdb='echo "Python scripting is not supported in this copy of GDB."', nm=None)
    report = probe.run("--repeat=1", "--cache=warm", "--start=loader", "--tools=gdb,nm", small, path=path)
    gdb = report["tools"][0]
    assert gdb["status"] == "absent"
    assert gdb["reason"].endswith("runs no Python scripts: Python scripting is not supported in this copy of GDB.")


def test_a_tool_that_hangs(probe, small, bare_path):
    """A tool that hangs is ended with all that it started, and not tried again. The others are measured."""
    path = bare_path(nm=HANGS, readelf=None)
    options = ["--repeat=3", "--cache=warm", "--start=loader", "--timeout=nm=0.5"]
    report = probe.run(*options, "--tools=nm,readelf", small, status=1, path=path)
    cell = cells(report, "nm")["whole"]
    assert (cell["status"], cell["reason"]) == ("timeout", "took longer than the time limit of 0.5 s")
    assert "median" not in cell and sleepers() == []
    assert len(cells(report, "readelf")["whole"]["runs"]) == 3
    assert "nm, warm: timeout: took longer than the time limit of 0.5 s\n" in probe.out


def test_a_debugger_that_does_not_even_start(probe, small, bare_path):
    path = bare_path(gdb=SLEEP, nm=None)
    options = ["--repeat=1", "--cache=warm", "--start=loader", "--timeout=gdb=0.5"]
    report = probe.run(*options, "--tools=gdb,nm", small, status=1, path=path)
    assert [row["status"] for row in report["tools"]] == ["timeout", "done"]
    assert report["tools"][0]["reason"].endswith("gdb does not answer within 0.5 s")
    assert sleepers() == []


@pytest.mark.long
def test_a_time_limit_within_a_session(probe, small):
    """The debugger and its debuggee are ended, whatever process groups they are in."""
    gdb = tool("gdb")
    command = f"--command={PYTHON} -I -c 'import os, time; os.environ.get(\"COLUMNS\") and time.sleep(4711)'"
    report = probe.run("--repeat=1", "--cache=warm", "--tools=gdb", "--phases=phase2", "--timeout=gdb=8", command, status=1)
    assert cells(report, "gdb")["phase2"]["status"] == "timeout"
    left = [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert gdb and [line for line in left if b"time.sleep(4711)" in line] == []


@pytest.mark.long
def test_a_time_limit_when_warming_up(probe):
    """The limit ends a session while warming up. The step that was done before counts, and its run is the only one."""
    tool("gdb")
    command = f"--command={PYTHON} -I -c 'import os, time; os.environ.get(\"COLUMNS\") and time.sleep(4711)'"
    options = ["--repeat=2", "--warm-up=1", "--cache=warm", "--tools=gdb", "--phases=phase1,break,backtrace"]
    report = probe.run(*options, "--break=PyInit__json", "--timeout=gdb=8", command, status=1)
    steps = cells(report, "gdb")
    assert {step: cell["status"] for step, cell in steps.items()} == {"phase1": "done", "break": "failed", "backtrace": "timeout"}
    assert len(steps["phase1"]["runs"]) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal(number, probe, small, bare_path, tmp_path):
    """The signal ends everything. Nothing is written, and nothing is left behind."""
    began = tmp_path / "began"
    path = bare_path(nm=f'case "$*" in *--version*) echo 1;; *) : > {began}; {SLEEP} & {SLEEP};; esac')
    command = [probe.programs.path("pyelfprobe"), "--start=loader", "--tools=nm", "--json", probe.json, small]
    environment = probe.programs.environment(**probe.environment(path))
    restore = lambda: signal.signal(number, signal.SIG_DFL)  # whoever starts the tests may ignore the signal
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=restore) as process:
        while not began.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        said = process.stderr.read()
    assert process.returncode == -number
    assert said == f"pyelfprobe: ended by signal {int(number)} ({signal.strsignal(number)}); nothing was written\n"
    assert sleepers() == [] and not probe.json.exists()
    probe.clean()


# A shell that has begun children becomes the program. One of the children leaves an orphan when it is told to.
INHERITS = """(while [ ! -e {go} ]; do sleep .01; done; {sleep} & echo $! > {left}) &
{sleep} & echo $! > {child}
exec "$@"
"""


def wait_until(what):
    """Waits up to 20 seconds for this to be true, and returns whether it is."""
    deadline = time.monotonic() + 20
    while not what() and time.monotonic() < deadline:
        time.sleep(0.01)
    return what()


def ended(process):
    """Whether the process is gone or a zombie."""
    try:
        return ") Z " in pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGKILL], ids=["end", "SIGTERM", "SIGKILL"])
def test_children_that_were_there_before(probe, small, bare_path, tmp_path, number):
    """pyelfprobe replaces a shell that has children. These, and what they start meanwhile, are left alone. Its own are
    ended."""
    child, left, go, began = (tmp_path / name for name in ("child", "left", "go", "began"))
    waits = f": > {go}; while [ ! -s {left} ]; do sleep .01; done; : > {began}; {SLEEP} & {SLEEP if number else ''}"
    path = bare_path(nm=f'case "$*" in *--version*) echo 1;; *) {waits};; esac', sleep=None)
    script = INHERITS.format(sleep=f"{shutil.which('sleep')} 4712", child=child, left=left, go=go)
    options = ["--start=loader", "--tools=nm", "--cache=warm", "--repeat=1", "--warm-up=0", small]
    started = subprocess.Popen(
        ["/bin/sh", "-c", script, "sh", probe.programs.path("pyelfprobe"), *options],
        env=probe.programs.environment(**probe.environment(path)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    )
    with started:
        begun = wait_until(began.exists)
        started.send_signal(number or (0 if begun else signal.SIGTERM))
        assert started.wait(timeout=30) == (-number if number else 0)
    if number == signal.SIGKILL:
        wait_until(lambda: not sleepers() and not list(probe.temporary.iterdir()))
    spared = [int(path.read_text()) for path in (child, left)]
    alive = [not ended(process) for process in spared]
    for process, there in zip(spared, alive):
        if there:
            os.kill(process, signal.SIGKILL)
    assert alive == [True, True] and sleepers() == []
    probe.clean()


# Makes a child end its parent before the child asks to end with it.
ENDS_ITS_PARENT = """#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int setpgid(pid_t process, pid_t group)
{
    const pid_t parent = getppid();
    if (process == 0)
        kill(parent, SIGKILL);
    while (process == 0 && getppid() == parent)
        usleep(1000);
    return (int)syscall(SYS_setpgid, process, group);
}
"""


def preloaded(programs, directory, text):
    """Builds a library with these functions, for LD_PRELOAD."""
    no_sanitizers(programs)
    (directory / "preloaded.c").write_text(text)
    library = directory / "preloaded.so"
    subprocess.run([tool("gcc"), "-shared", "-fPIC", "-o", library, directory / "preloaded.c"], check=True)
    return str(library)


def test_a_child_whose_parent_has_just_ended(probe, small, bare_path, tmp_path):
    """Such a child executes nothing, because nobody would end it."""
    began = tmp_path / "began"
    path = bare_path(nm=f": > {began}")
    library = preloaded(probe.programs, tmp_path, ENDS_ITS_PARENT)
    environment = probe.programs.environment(**probe.environment(path), LD_PRELOAD=library)
    command = [probe.programs.path("pyelfprobe"), "--start=loader", "--tools=nm", small]
    reading, writing = os.pipe()
    with subprocess.Popen(command, env=environment, pass_fds=[writing]) as process:
        os.close(writing)
        with open(reading, "rb") as end:
            assert end.read() == b""  # empty: all processes have ended
    assert process.returncode == -signal.SIGKILL and not began.exists()


# --- wrong use ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, says",
    [
        ([], "no APPLICATION is given"),
        (["--tools=gdb,nn", "SET"], "--tools: there is no 'nn', but: load, gdb, lldb, eu-stack, perf, nm, readelf, dwz"),
        (["--tools=", "SET"], "--tools: there is no ''"),
        (["--phases=phase3", "SET"], "--phases: there is no 'phase3', but: phase1, break"),
        (["--phases=start", "SET"], "--phases: there is no 'start'"),
        (["--cache=hot", "SET"], "--cache: there is no 'hot', but: warm, cold"),
        (["--warm-up=some", "SET"], "--warm-up 'some' is not a whole number from 0 to 1000"),
        (["--repeat=0", "SET"], "--repeat '0' is not a whole number from 1 to 1000"),
        (["--timeout=gdb=soon", "SET"], "--timeout: 'soon' is not a number of seconds"),
        (["--timeout=ldd=3", "SET"], "--timeout: there is no 'ldd'"),
        (["--timeout=0", "SET"], "--timeout: '0' is not a number of seconds"),
        (["--start=command", "SET"], "--start: there is no 'command', but: loader, python, link"),
        (["--start=link", "SET"], "has no pyelf-link; generate it with pyelfgen --link"),
        (["--break=", "SET"], "--break: one line that is not empty is needed"),
        (["--command=true", "SET"], "--command takes the place of APPLICATIONs"),
        (["--command=true", "--model"], "--model: the number of a command's libraries cannot be varied"),
        (["--command=true 'x"], "--command: a quote is not closed"),
        (["--until=main", "SET"], "--until is of a --command"),
        (["--model", "--tools=nm", "SET"], "--model is of debuggers"),
        (["--libraries=500", "--tools=load", "SET"], "--libraries is of debuggers"),
        (["SET", "SET", "SET"], "two applications are compared, no more"),
    ],
)
def test_wrong_use(arguments, says, probe, small):
    said = probe.fail(*[small if word == "SET" else word for word in arguments], status=2)
    assert says in said


def test_another_copy_that_the_dynamic_linker_would_take(probe, small, tmp_path):
    copy, utility = tmp_path / "copy", small / "libutility3.so"
    shutil.copytree(small, copy)
    said = probe.fail("--tools=load", small, libraries=copy)
    assert re.match(rf"pyelfprobe: {small}/libutility\d\.so: .* LD_LIBRARY_PATH leads them to {copy}/libutility", said)
    # neither a link to the set, which comes first, nor what has another name, or is for another machine, is in the way
    link, others = tmp_path / "link", tmp_path / "others"
    link.symlink_to(small)
    others.mkdir()
    (others / "libother.so").write_bytes(utility.read_bytes())
    (others / utility.name).write_bytes(b"\x7fELF\x01" + utility.read_bytes()[5:])
    report = probe.run("--repeat=1", "--cache=warm", "--tools=load", small, libraries=f"{others}:{link}:{copy}")
    assert found(report, "load")["whole"] == len(libraries_of(small))
    (others / utility.name).write_text("not ELF")
    assert f"leads them to {others}/{utility.name}," in probe.fail("--tools=load", small, libraries=f"{others};{link}")


@pytest.mark.parametrize("how", [[], ["--start=python"], ["--start=loader"]], ids=["usual", "python", "loader"])
def test_a_path_that_is_no_text(probe, small, tmp_path, how):
    directory = os.fsdecode(os.fsencode(tmp_path) + b"/x\xff\xfe")
    shutil.copytree(small, directory)
    report = probe.run("--repeat=1", "--cache=warm", "--tools=load", *how, directory)
    assert found(report, "load")["whole"] == len(libraries_of(small))


@pytest.mark.alike(2)
@pytest.mark.slow
@pytest.mark.parametrize("start", ["python", "loader"])
@pytest.mark.parametrize("debugger", ["gdb", "lldb"])
def test_debuggers_with_a_path_that_is_no_text(probe, small, tmp_path, debugger, start):
    """They are told of it by LD_PRELOAD, and as an argument."""
    tool(*{"gdb": ["gdb"], "lldb": ["lldb-14", "lldb"]}[debugger])
    directory = os.fsdecode(os.fsencode(tmp_path) + b"/x\xff\xc3\xbc")
    shutil.copytree(small, directory)
    command = ["--repeat=1", "--cache=warm", f"--tools={debugger}", "--phases=phase1,break,backtrace,phase2"]
    report = probe.run(*command, f"--start={start}", directory)
    steps = cells(report, debugger)
    assert {step: (cell["status"], cell.get("reason")) for step, cell in steps.items()} == dict.fromkeys(
        ["start", "phase1", "break", "backtrace", "phase2"], ("done", None)
    )
    assert found(report, debugger)["phase1"] > len(libraries_of(small))


def test_what_is_no_application(probe, small, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("nothing\n")
    os.mkfifo(tmp_path / "fifo")
    assert "empty: has no shared objects; give a set" in probe.fail(tmp_path / "empty")
    assert "text:1: 'nothing' is no shared object" in probe.fail(tmp_path / "text")
    assert "fifo: is neither a directory nor a list" in probe.fail(tmp_path / "fifo")
    assert "absent: cannot be found: No such file" in probe.fail(tmp_path / "absent")
    assert "there is no program '/no/such'" in probe.fail("--command=/no/such")
    said = probe.fail("--command=sleep 0")
    assert "'sleep 0' has loaded no shared object but those of every program, as libc; give one" in said
    for file in (small / "libutility0.so", "/bin/ls"):
        said = f"{file}: is a library or program; give the directory that libraries are in, a file with their paths, or --command"
        assert said in probe.fail(file)
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "libcut.so").write_bytes((small / "libutility0.so").read_bytes()[:3000])
    assert re.search(r"libcut\.so: is cut short: its segments end at byte \d+, and it has 3000", probe.fail(tmp_path / "cut"))


@pytest.mark.parametrize("library", ["/no/such.so", "./no-such.so", "/", "libno-such.so", "/etc/passwd"])
def test_what_cannot_be_preloaded(probe, small, library):
    """The path leads nowhere, or the dynamic linker ignores the library and goes on."""
    said = probe.fail("--tools=load", f"--preload={library}", small, status=2)
    assert "--preload: " in said and f"'{library}'" in said and "; give a library" in said


@pytest.mark.parametrize("name", ["of two", "of:two"])
def test_an_installation_that_cannot_be_preloaded(probe, programs, sets, tmp_path, name):
    """The runtime library of pyelf-link is preloaded from beside pyelfprobe."""
    place = tmp_path / name
    (place / "bin").mkdir(parents=True)
    (place / "lib").mkdir()
    shutil.copy(programs.path("pyelfprobe"), place / "bin")
    shutil.copy(programs.build / "lib" / "libpyelfrun.so.0", place / "lib")
    profile = sets.write_profile("linked", "pyelfgen-profile: 1\nmodules: 1\nfunctions: 10\n")
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "--link", "--quiet")
    command = [place / "bin" / "pyelfprobe", "--start=link", "--tools=load", tmp_path / "set"]
    said = programs.command(command, status=1, env=probe.environment()).stderr
    assert said.startswith(f"pyelfprobe: a path with a blank or a colon cannot be in LD_PRELOAD: {place}/")
    assert said.count("\n") == 1
    probe.clean()


def test_a_preloaded_library_by_its_name(programs, probe, small):
    """The dynamic linker finds the library by its name."""
    if programs.sanitized:
        pytest.skip("the sanitizer wants to be the first that is preloaded")
    report = probe.run("--repeat=1", "--cache=warm", "--start=loader", "--tools=load", "--preload=libm.so.6", small)
    assert cells(report, "load")["whole"]["status"] == "done"


def test_a_broken_manifest(probe, altered):
    altered.path("manifest.json").write_text("{")
    assert "manifest.json" in probe.fail(altered.directory)


def test_damaged_files_are_no_crash(probe, small, tmp_path):
    """Files that are cut short or overwritten. The dynamic linker and nm report errors, and the rest is measured."""
    directory = tmp_path / "application"
    directory.mkdir()
    whole = (small / "libutility0.so").read_bytes()
    for number, content in enumerate([whole, whole[:64], whole[:64] + b"\xff" * 4096]):
        (directory / f"lib{number}.so").write_bytes(content)
    report = probe.run("--repeat=1", "--cache=warm", "--tools=load,nm", directory, status=1)
    load, nm = cells(report, "load")["whole"], cells(report, "nm")["whole"]
    assert load["status"] == "done" and load["reason"].startswith("2 of 3 could not be opened, not to be compared; the first: ")
    assert nm["status"] == "failed" and "file format not recognized" in nm["reason"]
    (directory / "lib0.so").unlink()
    assert "cannot be started: " in probe.fail("--tools=load,nm", directory)


@pytest.mark.parametrize("start", ["loader", "python"])
@pytest.mark.parametrize("ending", ["abort()", "_exit(3)", "*(volatile int *)0 = 1"])
def test_a_constructor_that_ends_the_process(probe, small, tmp_path, start, ending):
    """The error names the file, which is neither the first nor the last."""
    no_sanitizers(probe.programs)
    directory = tmp_path / "application"
    directory.mkdir()
    for name in ["liba.so", "libz.so"]:
        shutil.copy(small / "libutility0.so", directory / name)
    includes = "#include <stdlib.h>\n#include <unistd.h>\n"
    (tmp_path / "end.c").write_text(f"{includes}__attribute__((constructor)) static void end(void) {{ {ending}; }}\n")
    ask(tool("gcc"), "-shared", "-fPIC", "-o", directory / "libb.so", tmp_path / "end.c")
    said = probe.fail("--tools=load,nm", f"--start={start}", directory)
    assert re.search("cannot be started: (ended by signal|exit status) [^,]+, when", said), said
    assert said.endswith(f", when it loaded {directory}/libb.so; give a list of the other files\n")


def test_dwz_refuses_some_files_of_one_application(probe, small, tmp_path):
    """What it does for the other is more, so that their ratio says nothing."""
    tool("dwz")
    directory = tmp_path / "application"
    directory.mkdir()
    for name in ["libutility0.so", "libutility1.so"]:
        shutil.copy(small / name, directory / name)
    other = tmp_path / "other"
    shutil.copytree(directory, other)
    ask(tool("objcopy"), "--update-section", f".debug_abbrev={small / 'manifest.json'}", other / "libutility1.so")
    options = ["--repeat=1", "--warm-up=0", "--cache=warm", "--tools=dwz"]
    probe.run(*options, directory, other)
    assert "\ndwz, warm, B: 1 of 2 refused; the first: " in probe.out
    assert "\ndwz: 0 refused in A, 1 in B: not to be compared\n" in probe.out
    probe.run(*options, other, other)
    assert "1 of 2 refused" in probe.out and "not to be compared" not in probe.out


def test_tools_on_files_that_cannot_be_opened(probe, small, tmp_path):
    """Tools that look at the running application say that not all of its files are in it, also without `load`."""
    directory = tmp_path / "application"
    directory.mkdir()
    whole = (small / "libutility0.so").read_bytes()
    for number, content in enumerate([whole, whole[:64]]):
        (directory / f"lib{number}.so").write_bytes(content)
    options = ["--repeat=1", "--cache=warm", "--tools=gdb,eu-stack", "--phases=phase2,attach"]
    report = probe.run(*options, small, directory, status=None)
    told = "1 of 2 could not be opened, not to be compared; the first: "
    for cell in (*(cells(report, "gdb", application=1)[step] for step in ("phase2", "attach")),
                 cells(report, "eu-stack", application=1)["whole"]):
        assert cell["status"] != "done" or cell["reason"].startswith(told), cell
    assert cells(report, "gdb", application=1)["phase2"]["status"] == "done"
    assert "reason" not in cells(report, "gdb")["phase2"]
    assert f"gdb phase2 and attach, warm, B: {told}" in probe.out or f"gdb phase2, warm, B: {told}" in probe.out


def test_the_model_of_files_that_cannot_be_opened(probe, small, tmp_path):
    """So do steps of an application that is linked with them, and the model, which has failed where there is no other."""
    directory = tmp_path / "application"
    directory.mkdir()
    whole = (small / "libutility0.so").read_bytes()
    for number, content in enumerate([whole, whole, whole, whole[:64]]):
        (directory / f"lib{number}.so").write_bytes(content)
    options = ["--repeat=1", "--warm-up=0", "--cache=warm", "--tools=gdb", "--phases=phase1,functions", "--model"]
    report = probe.run(*options, "--breakpoints=1", directory, status=None)
    told = "1 of 4 could not be opened, not to be compared; the first: "
    gdb = cells(report, "gdb")
    for cell in (gdb["phase1"], gdb["functions"]):
        assert told in cell["reason"]
        # a program with sanitizers does not start without one of its files: then that is said first
        assert probe.programs.sanitized or cell["reason"].startswith(told)
    assert report["model"][0]["reason"].startswith(told) and f"model, gdb: {told}" in probe.out


def test_steps_that_fail_for_a_file_that_cannot_be_opened(probe, small, tmp_path):
    """A library that needs one that is not there lets nothing start that is linked with it."""
    directory = tmp_path / "application"
    directory.mkdir()
    shutil.copy(small / "libutility0.so", directory / "liball.so")
    (directory / "x.c").write_text("int gone(void) { return 1; }\n")
    shared = ["-shared", "-fPIC", "-x", "c", "x.c"]
    subprocess.run(["gcc", *shared, "-o", "libgone.so"], cwd=directory, check=True)
    subprocess.run(["gcc", *shared, "-x", "none", "-Wl,--no-as-needed", "libgone.so", "-o", "libneeds.so"], cwd=directory, check=True)
    (directory / "libgone.so").unlink()
    options = ["--repeat=1", "--warm-up=0", "--cache=warm", "--tools=gdb", "--phases=phase1"]
    phase1 = cells(probe.run(*options, directory, status=1), "gdb")["phase1"]
    assert phase1["status"] == "failed" and "; 1 of 2 could not be opened, " in phase1["reason"]
    assert "libgone.so: cannot open shared object file" in phase1["reason"]


# Truncates libcut.so as soon as it is open.
CUTS = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
Elf *elf_begin(int fd, Elf_Cmd command, Elf *whole)
{
    Elf *(*const begin)(int, Elf_Cmd, Elf *) = (Elf * (*)(int, Elf_Cmd, Elf *))dlsym(RTLD_NEXT, "elf_begin");
    Elf *const elf = begin(fd, command, whole);
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(name, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    if (strstr(path, "/libcut.so") && truncate(path, 64) != 0)
        perror(path);
    return elf;
}
"""


def test_a_file_that_is_cut_off_while_it_is_read(probe, small, tmp_path):
    """Reading the file must not end in a signal, which would leave temporary files. It counts as one that cannot be
    opened."""
    directory = tmp_path / "application"
    directory.mkdir()
    shutil.copy(small / "libutility0.so", directory / "liball.so")
    shutil.copy(small / "libutility0.so", directory / "libcut.so")
    environment = {**probe.environment(), "LD_PRELOAD": preloaded(probe.programs, tmp_path, CUTS)}
    options = ["--tools=load", "--start=loader", "--cache=warm", "--repeat=1", "--warm-up=0", "--json", probe.json]
    probe.programs.run("pyelfprobe", *options, directory, status=None, env=environment)
    assert (directory / "libcut.so").stat().st_size == 64
    probe.clean()
    load = cells(json.loads(probe.json.read_text()), "load")["whole"]
    assert load["status"] == "done" and load["reason"].startswith("1 of 2 could not be opened")


def shared_object(strings, needed=0, functions=0):
    """Makes a shared object of two tables. Each entry has the name at byte 1 of the strings."""
    strings = b"\0" + strings + b"\0"
    dynamic = struct.pack("<qQ", 1, 1) * needed + struct.pack("<qQ", 0, 0)
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 64 + i, 1) for i in range(functions))
    names = b"\0.x\0"
    parts = [(0, b"", 0), (6, dynamic, 3), (11, symbols, 3), (3, strings, 0), (3, names, 0)]
    at, headers, contents = 64, b"", b""
    for kind, content, link in parts:
        headers += struct.pack("<IIQQQQIIQQ", 1, kind, 0, 0, at, len(content), link, 0, 1, 0)
        content += bytes(-len(content) % 8)
        at, contents = at + len(content), contents + content
    ident = b"\x7fELF\2\1\1" + bytes(9)
    return struct.pack("<16sHHIQQQIHHHHHH", ident, 3, 62, 1, 0, 0, at, 0, 64, 56, 0, 64, 5, 4) + contents + headers


@pytest.mark.parametrize("length", [1 << 20, 4000])
@pytest.mark.parametrize("table", ["needed", "functions"])
def test_names_that_many_entries_have(probe, tmp_path, table, length):
    """Copies of each name would take 60 GB for a file of 2 MB, or 240 MB."""
    no_sanitizers(probe.programs)
    directory = tmp_path / "application"
    directory.mkdir()
    (directory / "libx.so").write_bytes(shared_object(b"a" * length, **{table: 60000}))
    limited = lambda: resource.setrlimit(resource.RLIMIT_AS, (200_000_000, 200_000_000))
    options = ["--tools=load", "--start=loader", directory]
    done = probe.programs.run("pyelfprobe", *options, status=1, env=probe.environment(), preexec_fn=limited)
    assert "cannot be started: " in done.stderr
    probe.clean()


def test_a_command_that_fails(probe):
    said = probe.fail("--tools=load", f"--command={PYTHON} -c 'import no_such_module'")
    assert "did not end well: exit status 1: ModuleNotFoundError: No module named 'no_such_module'" in said
    said = probe.fail("--tools=load", "--command=/bin/false")
    assert said == "pyelfprobe: /bin/false: was started, and did not end well: exit status 1\n"


def test_the_json_cannot_be_written(probe, small, tmp_path):
    """pyelfprobe finds this out before it measures anything."""
    said = probe.fail("--tools=load", "--json", tmp_path / "no" / "x.json", small)
    assert "cannot be written; choose another directory" in said
    assert "is a directory" in probe.fail("--tools=load", "--json", tmp_path, small)


@pytest.mark.parametrize("status", [1, -signal.SIGPIPE], ids=["full", "nobody reads"])
def test_the_json_is_kept_where_nothing_can_be_printed(probe, small, status):
    arguments = ["--start=loader", "--tools=load", "--repeat=1", "--warm-up=0", "--json", probe.json, small]
    reading, writing = os.pipe()
    os.close(reading)
    with open("/dev/full", "w") if status > 0 else open(writing, "w") as nowhere:
        done = probe.programs.run("pyelfprobe", *arguments, status=status, stdout=nowhere, env=probe.environment())
    assert done.stderr == ("pyelfprobe: standard output: cannot write: No space left on device\n" if status > 0 else "")
    probe.clean()
    assert json.loads(probe.json.read_text())["pyelfprobe"] == 1


def test_the_json_on_the_standard_output(probe, small):
    """With --json=- nothing else is printed."""
    arguments = ["--start=loader", "--tools=load", "--repeat=1", "--warm-up=0", "--json=-", small]
    done = probe.programs.run("pyelfprobe", *arguments)
    assert json.loads(done.stdout)["pyelfprobe"] == 1
    with open("/dev/full", "w") as full:
        said = probe.programs.run("pyelfprobe", *arguments, status=1, stdout=full).stderr
    assert said == "pyelfprobe: standard output: cannot be written: No space left on device\n"


def test_temporary_files_cannot_be_written(programs, small):
    done = programs.run("pyelfprobe", "--tools=load", small, status=1, env={"TMPDIR": "/no/such"})
    assert "there can be no temporary files; set TMPDIR" in done.stderr
