"""Entry values: entries of location lists that say what a parameter was when the function was called."""

import json
import re

import pytest

import model
from captures import Capture
from conftest import SOURCE
from objects import ask, counted_libraries, tool
from sets import mostly_long, profile_text

KINDS = {
    "5": {},
    "4": {"version": 4},
    "views": {"views": True},
    "clang": {"compiler": "clang"},
    "split": {"split": True},
    "fortran": {"language": "fortran"},
    "c++": {"language": "c++"},
}
# What other sets have for one in ten entries is less in C++; see emit/library/describe.h.
USUAL = {"c++": 0.04}
REGISTERS = {"rdi": 5, "rsi": 4, "rdx": 1, "rcx": 2, "r8": 8}


def generate(programs, directory, **dwarf):
    names = {"style": "itanium"} if dwarf.get("language") == "c++" else None
    text = profile_text(modules=2, utilities=2, functions=150, names=names, dwarf=dwarf)
    (directory / "it.prof").write_text(text)
    programs.run("pyelfgen", "-q", "-P", directory / "it.prof", "-o", directory / "set")
    return directory / "set"


@pytest.fixture(scope="module", params=mostly_long(KINDS, "5", "4", "split", "c++"))
def kind(request, programs, tmp_path_factory):
    name = request.param
    return name, generate(programs, tmp_path_factory.mktemp(name), **{"entry-values": True, **KINDS[name]})


def counted(programs, *paths):
    """How many entries there are in all, and how many of these are entry values, as pyelfstat counts them."""
    done = programs.run("pyelfstat", "--dwarf", "--json", *paths)
    counts = json.loads(done.stdout)["dwarf"]["counts"]
    return counts["location_entries"], counts["location_entry_values"]


def entries_of(path):
    """The expressions of all entries of location lists, as readelf shows them."""
    return re.findall(r"^ .*?\((DW_OP_.*)\)", ask("readelf", "-W", "--debug-dump=loc", path), flags=re.M)


def test_their_share_is_that_of_compilers(kind, programs):
    name, directory = kind
    files = directory.glob("*.dwo") if name == "split" else counted_libraries(directory)
    entries, values = counted(programs, *files)
    assert 0.5 < values / entries / USUAL.get(name, 0.1) <= 1 and values > 100


def test_each_is_a_register_of_arguments(kind, programs):
    """readelf finds as many as pyelfstat does, and each has the standard's form, or GNU's in version 4."""
    name, directory = kind
    if name in ("split", "clang"):
        pytest.skip("readelf 2.40 does not show lists of .dwo files, nor those that are referred to by number")
    path = counted_libraries(directory)[0]
    operation = "DW_OP_GNU_entry_value" if name == "4" else "DW_OP_entry_value"
    found = [entry for entry in entries_of(path) if "entry_value" in entry]
    assert len(found) == counted(programs, path)[1] > 10
    forms = {f"{operation}: (DW_OP_reg{number} ({register})); DW_OP_stack_value" for register, number in REGISTERS.items()}
    assert set(found) <= forms and len(set(found)) > 2


def test_other_readers_say_nothing(kind):
    name, directory = kind
    path = counted_libraries(directory)[0]
    if name != "split":
        assert ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", path).endswith("No errors.\n")
    shown = ask(tool("eu-readelf"), "-N", "--debug-dump=loc", path)
    assert "entry_value" in shown or name == "split"


def test_no_set_has_them_unless_asked(programs, tmp_path):
    for path in counted_libraries(generate(programs, tmp_path)):
        assert [entry for entry in entries_of(path) if "entry_value" in entry] == []


def test_twins_have_as_many(kind, programs, tmp_path):
    """A capture counts them in each library, and the twin has as many but for some hundredths."""
    name, directory = kind
    profile = tmp_path / "it.prof"
    programs.run("pyelfprof", "-q", "-o", profile, *counted_libraries(directory))
    rows = Capture(profile).rows
    for row, path in zip(rows, counted_libraries(directory)):
        files = directory.glob(f"{path.stem}*.dwo") if name == "split" else [path]
        assert row["dwarf"]["entry-values"] == counted(programs, *files)[1]
    share = sum(row["dwarf"]["entry-values"] for row in rows) / sum(row["dwarf"]["entries"] for row in rows)
    told = f"Of the entries of location lists {100 * share:.1f} % are entry values"
    assert told in programs.run("pyelfprof", "--explain", profile).stdout
    programs.run("pyelfgen", "-q", "-P", profile, "-o", tmp_path / "twin")
    programs.run("pyelfprof", "-q", "-o", tmp_path / "twin.prof", *counted_libraries(tmp_path / "twin"))
    for row, twin in zip(rows, Capture(tmp_path / "twin.prof").rows):
        assert twin["dwarf"]["entry-values"] == pytest.approx(row["dwarf"]["entry-values"], rel=0.05, abs=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["5", "4"])
def test_gdb_finds_them_in_the_caller(name, programs, tmp_path):
    """Each argument is the model's or, where the caller does not say it, gone. What is no entry value is there."""
    directory = generate(programs, tmp_path, **{"entry-values": True, **KINDS[name]})
    expected = model.Model(directory).libraries["libmodule1"].functions
    found = lost = 0
    for chain in (expected[start : start + 10] for start in range(0, 100, 20)):
        command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null"]
        command += ["-x", SOURCE / "tests" / "gdb_probe.py", "--args", "/usr/bin/python3", "-I", "-c"]
        command += ["import sys; sys.path.insert(0, sys.argv[1]); import libmodule1; libmodule1.libmodule1_entry()"]
        environment = {"PROBE": json.dumps({"mode": "held", "place": chain[-1].name}), "LD_BIND_NOW": None}
        done = programs.command([*command, directory], leaks=False, env=environment, timeout=120)
        shown = [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("PROBE ")]
        assert [frame["function"] for frame in shown[:10]] == [function.name for function in reversed(chain)]
        for function, frame in zip(reversed(chain), shown):
            assert len(frame["arguments"]) == len(function.types)
            for (_, kind, value), held, passed in zip(frame["arguments"], frame["held"], zip(function.types, function.passed(0))):
                assert (kind, value) == passed or (held and value is None)
                found += held and value is not None
                lost += value is None
    assert found > 5 and found > lost
