"""The modules in every installed CPython: they can be imported, and return what an independent model says."""

import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess

import pytest

import model
from conftest import SOURCE
from sets import VARIANTS, libraries_of, manifest_of, mostly_long, profile_text

SYSTEM = "/usr/bin/python3"
OTHERS = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")))
BIND = pytest.mark.parametrize("bind", [None, "1"], ids=["lazy", "LD_BIND_NOW"])


def version_of(python):
    out = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, check=True)
    return tuple(int(number) for number in out.stdout.split())


PYTHONS = [SYSTEM] + [python for python in OTHERS if version_of(python) >= (3, 8)]
OLD = [python for python in OTHERS if version_of(python) < (3, 8)]
EVERY = pytest.mark.parametrize("python", PYTHONS)


@pytest.fixture
def drive(programs):
    """Runs a set's driver.py without MPI. Returns its line about functions and results."""

    def run(python, directory, *arguments, bind=None):
        driver = directory / "driver.py"
        done = programs.command(
            [python, driver, "--no-mpi", *arguments], env={"LD_BIND_NOW": bind}, leaks=False, timeout=120
        )
        assert done.stderr == ""
        return done.stdout.splitlines()[-1]

    return run


@pytest.fixture(scope="module")
def expected(small):
    return model.Model(small)


def modules_of(directory):
    return [row["name"][:-3] for row in libraries_of(directory, "module")]


@EVERY
@BIND
def test_all_in_one_process(python, bind, small, drive):
    functions = manifest_of(small)["functions"]
    assert drive(python, small, bind=bind) == f"{functions} of {functions} functions visited, every result right"


@pytest.mark.alike
@EVERY
@BIND
def test_each_in_its_own_process(python, bind, small, programs, expected):
    """A second visit returns the same result and sets no further mark."""
    names = modules_of(small)
    random.Random(python).shuffle(names)
    command = [python, "-I", SOURCE / "tests" / "import_each.py", small, *names]
    out = programs.command(command, env={"LD_BIND_NOW": bind}, leaks=False, timeout=120).stdout
    found = dict(zip(names, map(json.loads, out.splitlines())))
    assert list(found) == names
    for name, one in found.items():
        functions = len(expected.libraries[name].functions)
        assert one == {
            "results": [expected.entry_result(name)] * 2,
            "functions": functions,
            "visited": [0, functions, functions],
            "loaded": [name],
        }


@pytest.mark.parametrize("seed", range(5))
def test_in_any_order(seed, small, drive):
    functions = manifest_of(small)["functions"]
    found = drive(SYSTEM, small, "--order=random", f"--seed={seed}")
    assert found == f"{functions} of {functions} functions visited, every result right"


@pytest.mark.alike(8)
@pytest.mark.parametrize("name", VARIANTS)
def test_variants(name, sets, drive):
    assert drive(SYSTEM, sets.get(name)).endswith("every result right")


@pytest.mark.parametrize("python", OLD)
def test_older_python_is_refused(python, small, programs):
    done = programs.command([python, small / "driver.py"], status=1, leaks=False)
    version = ".".join(map(str, version_of(python)))
    assert done.stderr.startswith(f"driver.py: this is Python {version}.")
    assert done.stderr.endswith("; run it with CPython 3.8 or newer\n") and done.stdout == ""


@pytest.mark.long
@BIND
def test_large_set_in_any_order(bind, large, drive):
    functions = manifest_of(large)["functions"]
    said = drive(SYSTEM, large, "--order=random", bind=bind)
    assert said == f"{functions} of {functions} functions visited, every result right"


@pytest.mark.long
@EVERY
@BIND
def test_sample_of_the_large_set(python, bind, large, drive):
    chosen = [part for name in modules_of(large)[::40] for part in ("--only", name)]
    assert drive(python, large, *chosen, bind=bind).endswith("every result right")


# --- the model ----------------------------------------------------------------------


@pytest.mark.alike
@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_long(["small", *VARIANTS], "small", *list(VARIANTS)[::3]))
def test_manifest_has_the_results_of_the_model(name, sets):
    directory = sets.get(name)
    expected = model.Model(directory)
    visited = expected.visited()
    for row in libraries_of(directory, "module"):
        assert row["result"] == expected.entry_result(row["name"][:-3])
    for row in libraries_of(directory, "module", "utility"):
        functions = expected.libraries[row["name"][:-3]].functions
        assert row["functions"] == len(functions)
        assert row["visited"] == sum(function.name in visited for function in functions)


@pytest.mark.parametrize("kind", ["module", "utility"])
def test_half_coverage_is_half_to_within_a_chain(kind, sets, drive):
    depth = 10
    directory = sets.get("coverage-half")
    for row in libraries_of(directory, kind):
        assert abs(row["visited"] - row["functions"] / 2) <= depth
        assert row["functions"] > 4 * depth
    assert "functions visited as the manifest says, every result right" in drive(SYSTEM, directory)


def test_small_reaches_every_function(small):
    for row in libraries_of(small):
        assert row["visited"] == row["functions"] and row["marked"] == row["marks"]


def test_arguments_have_every_type_and_number(expected):
    """If all functions had the same arguments, the comparison with the model would show less."""
    functions = expected.by_name.values()
    assert {len(function.types) for function in functions} == set(range(6))
    assert {kind for function in functions for kind in function.types} == set(model.TYPES)
    assert {function.types[-1] for function in functions if len(function.types) == 5} == set(model.TYPES)


# --- without the Python API ------------------------------------------------------------

VISIT = """
import ctypes, json, os, sys
found = {}
for path in sys.argv[1:]:
    library = ctypes.CDLL(path, mode=os.RTLD_LAZY)
    name = os.path.basename(path)[:-3]
    entry = getattr(library, name + "_entry")
    entry.restype = ctypes.c_ulong
    marks = ctypes.c_ubyte.in_dll(library, name + "_visits")
    before = marks.value
    found[name] = [entry(), entry(), before, marks.value]
print(json.dumps(found))
"""


def test_entries_by_ctypes(small, programs, expected):
    """The entry is called by the C ABI, after dlopen with RTLD_LAZY. The first visit binds each call; the second finds
    it bound."""
    names = modules_of(small)
    command = [SYSTEM, "-I", "-c", VISIT, *(small / f"{name}.so" for name in names)]
    found = json.loads(programs.command(command, env={"LD_BIND_NOW": None}, leaks=False).stdout)
    assert found == {name: [expected.entry_result(name)] * 2 + [0, 1] for name in names}


def test_pyelfrun_lazy_without_python(small, programs):
    functions = manifest_of(small)["functions"]
    done = programs.run("pyelfrun", "--no-python", "--lazy", "--quiet", small, timeout=120)
    assert f"{functions} of {functions} functions visited, every result right" in done.stdout


def test_modules_need_no_libpython(small):
    needed = subprocess.run(
        ["readelf", "-dW", *small.glob("*.so")], capture_output=True, text=True, check=True, env={"LC_ALL": "C"}
    ).stdout
    assert "NEEDED" in needed and "python" not in needed.replace(str(small), "")


@pytest.mark.parametrize("name, chain", [("twelve-modules", [10, 11]), ("one-extern-chain", range(12))])
def test_importing_one_loads_its_chain(name, chain, sets, programs):
    """By default calls across modules form chains of ten modules. With 0, one chain goes through all modules."""
    listed = "import sys; sys.path.insert(0, sys.argv[1]); import libmodule11; print(open('/proc/self/maps').read())"
    maps = programs.command([SYSTEM, "-I", "-c", listed, sets.get(name)], leaks=False).stdout
    assert [i for i in range(12) if f"/libmodule{i}.so" in maps] == list(chain)


@pytest.mark.alike
@EVERY
def test_libraries_of_another_copy(python, small, programs, tmp_path):
    """Another copy of a set has the same results, but its files are not those that are to be measured."""
    shutil.copytree(small, tmp_path / "copy")
    (tmp_path / "link").symlink_to(small)

    def run(place, *options, status=0):
        command = [python, small / "driver.py", "--no-mpi", *options]
        environment = {"LD_LIBRARY_PATH": str(place)}
        return programs.command(command, env=environment, status=status, leaks=False, timeout=120)

    wanted = (
        rf"driver\.py: rank 0 on \S+: (lib\w+): was loaded from {tmp_path}/copy/\1\.so and not from the set; "
        r"look for it in LD_LIBRARY_PATH and LD_PRELOAD\n"
    )
    for options in [[], ["--only", "libmodule1"]]:
        said = run(tmp_path / "copy", *options, status=1).stderr
        assert re.fullmatch(wanted, said), said
    run(tmp_path / "link")


def test_help(small, programs):
    """Python's help() shows texts of the module and of its methods."""
    ask = (
        "import sys; sys.path.insert(0, sys.argv[1]); import libmodule2 as m;"
        "print(m.__name__, m.__file__, m.__doc__, m.libmodule2_entry.__doc__, m.visited.__doc__, sep='\\n')"
    )
    lines = programs.command([SYSTEM, "-I", "-c", ask, small], leaks=False).stdout.splitlines()
    assert lines[:2] == ["libmodule2", str(small / "libmodule2.so")]
    assert lines[2].startswith("A synthetic extension module")
    assert "returns the result" in lines[3] and "have been called" in lines[4]


@pytest.mark.alike
@EVERY
@pytest.mark.parametrize("mpi", [[], ["--no-mpi"]], ids=["mpi", "alone"])
def test_closed_descriptors(python, mpi, small, programs):
    """Only standard output is missed, and one line says so. A closed standard input or standard error does no harm."""

    def run(closing):
        command = ["sh", "-c", f'exec "$@" {closing}', "sh", python, small / "driver.py", *mpi]
        return programs.command(command, status=None, leaks=False, timeout=120)

    done = run("<&- >&-")
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.endswith(": standard output: the results cannot be written: Bad file descriptor\n")
    done = run("<&- 2>&-")
    assert done.returncode == 0 and ", every result right\n" in done.stdout


@pytest.mark.parametrize("name, locale", [(b"b\xf6se", "C.UTF-8"), ("b\u00f6se".encode(), "C")], ids=["latin", "ascii"])
def test_a_directory_that_is_no_text(small, programs, tmp_path, name, locale):
    """The path of a set need not be text in the locale's encoding."""
    directory = tmp_path / os.fsdecode(name)
    shutil.copytree(small, directory)
    environment = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = programs.command([SYSTEM, directory / "driver.py", "--no-mpi"], leaks=False, env=environment)
    assert ", every result right\n" in done.stdout


def test_a_name_that_the_output_cannot_show(programs, tmp_path):
    """Results are printed whatever the locale's characters are."""
    named = profile_text(application="Str\u00f6mung", modules=2, utilities=1, functions=20)
    (tmp_path / "named.prof").write_text(named, encoding="utf-8")
    programs.run("pyelfgen", "-q", "-P", tmp_path / "named.prof", "-o", tmp_path / "set")
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = programs.command([SYSTEM, tmp_path / "set" / "driver.py", "--no-mpi"], leaks=False, env=environment)
    assert done.stdout.startswith("Str\\xf6mung: ") and ", every result right\n" in done.stdout


@pytest.mark.parametrize("rank, count", [("PMI_RANK", "PMI_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")])
def test_one_table_of_processes_that_run_alone(rank, count, small, programs):
    """Where a launcher has started several processes and they do not find one another, only the first one reports."""

    def run(**environment):
        command = [SYSTEM, small / "driver.py", "--no-mpi"]
        return programs.command(command, leaks=False, timeout=120, env=environment)

    first, second = (run(**{rank: number, count: "2"}) for number in "01")
    assert first.stderr == "driver.py: --no-mpi is given: each of the 2 processes runs alone\n"
    assert ", every result right\n" in first.stdout
    assert second.stderr == second.stdout == ""
    batch = run(SLURM_PROCID="0", SLURM_NTASKS="2")  # a batch script, which is one process
    assert batch.stderr == "" and ", every result right\n" in batch.stdout


@pytest.mark.parametrize("mpi", [[], ["--no-mpi"]], ids=["mpi", "alone"])
def test_a_reader_that_leaves(mpi, small, programs):
    reading, writing = os.pipe()
    os.close(reading)
    done = programs.command([SYSTEM, small / "driver.py", *mpi], status=-signal.SIGPIPE, leaks=False, stdout=writing)
    os.close(writing)
    assert done.stderr == ""
