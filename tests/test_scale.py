"""Descriptors and memory do not grow with a set; and programs know Linux's limit on maps of memory in a process."""

import json
import os
import re
import shutil
import sys

import pytest

from conftest import SOURCE
from objects import ask, section
from sets import manifest_of, profile_text

LIBRARIES = 300
DESCRIPTORS = 24
GB = 10**9


@pytest.fixture(scope="module")
def many(programs, tmp_path_factory):
    """(profile, set): a set of many small libraries."""
    directory = tmp_path_factory.mktemp("many")
    profile = directory / "many.prof"
    profile.write_text(profile_text(modules=200, utilities=LIBRARIES - 200, functions=3))
    programs.run("pyelfgen", "--profile", profile, "-o", directory / "set", "-q")
    return profile, directory / "set"


def limited(programs, *arguments):
    return programs.command(["prlimit", f"--nofile={DESCRIPTORS}", "--", programs.path("pyelfgen"), *arguments])


def test_descriptors_do_not_grow_with_the_libraries(programs, many, tmp_path):
    profile, wanted = many
    limited(programs, "--profile", profile, "-o", tmp_path / "set", "-q", "-j", "8")
    limited(programs, "--verify", tmp_path / "set", "-q", "-j", "8")
    assert (tmp_path / "set" / "manifest.json").read_bytes() == (wanted / "manifest.json").read_bytes()


def with_limit_of_maps(programs, most, command, tmp_path, status=1, **options):
    """Runs a command in a mount namespace whose vm.max_map_count says that Linux allows so many maps of memory."""
    limit = tmp_path / "max_map_count"
    limit.write_text(f"{most}\n")
    bind = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" /proc/sys/vm/max_map_count && exec "$@"', limit]
    if programs.command([*bind, "true"], status=None).returncode:
        pytest.skip("a file in /proc cannot be replaced here")
    return programs.command([*bind, *command], status=status, leaks=False, **options)


def complaint(most, options):
    libraries = LIBRARIES + 2
    maps = rf"its {libraries} libraries|the set's {libraries} libraries"
    return (
        rf"(?:{maps}) take about (\d+) maps of memory in one process, and Linux allows {most}\b.*"
        rf"'sysctl vm\.max_map_count=(\d+)', or {options}"
    )


@pytest.mark.parametrize("options", [[], ["--no-python"], ["--phases", "import"]], ids=" ".join)
def test_pyelfrun_says_beforehand_that_maps_are_too_few(programs, many, tmp_path, options):
    environment = {"env": programs.beside_sets}
    command = [programs.path("pyelfrun"), *options, many[1]]
    done = with_limit_of_maps(programs, 1000, command, tmp_path, **environment)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"pyelfrun: {many[1]}: "), done.stderr
    said = re.search(complaint(1000, "use fewer libraries"), done.stderr)
    assert said, done.stderr
    # a library has four segments and the protected part of one; the number that is recommended has to suffice
    assert 5 * LIBRARIES <= int(said[1]) <= 6 * LIBRARIES + 600
    with_limit_of_maps(programs, said[2], command, tmp_path, status=0, **environment)


def test_pyelfrun_does_not_mind_where_nothing_is_loaded(programs, many, tmp_path):
    command = [programs.path("pyelfrun"), "--phases", "mpi", many[1]]
    with_limit_of_maps(programs, 1000, command, tmp_path, status=0, env=programs.beside_sets)


def test_so_it_does_of_a_set_in_memory(programs, many, tmp_path):
    command = [programs.path("pyelfrun"), "--quiet", "--no-python", "--memory"]
    environment = {"env": programs.beside_sets}
    done = with_limit_of_maps(programs, 1000, [*command, many[0]], tmp_path, **environment)
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    wanted = rf"pyelfrun: rank 0 on .*: {many[0]}: " + complaint(1000, "use fewer libraries")
    assert re.match(wanted, done.stderr), done.stderr
    command.append("--phases=mpi")
    with_limit_of_maps(programs, 1000, [*command, many[0]], tmp_path, status=0, **environment)


def test_driver_py_says_beforehand_that_maps_are_too_few(programs, many, tmp_path):
    command = ["/usr/bin/python3", many[1] / "driver.py", "--no-mpi"]
    done = with_limit_of_maps(programs, 1000, command, tmp_path)
    assert re.search(complaint(1000, "choose modules with --only"), done.stderr), done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1
    with_limit_of_maps(programs, 1000, [*command, "--only", "libmodule7"], tmp_path, status=0)


def test_driver_py_counts_what_bss_takes_beyond_a_page(programs, tmp_path):
    sections = "{text: 400 kB, data: 60 kB, debug: 600 kB, symtab: 60 kB, strtab: 80 kB, bss: 400 kB}"
    (tmp_path / "bss.prof").write_text(f"pyelfgen-profile: 1\nmodules: 6\nutilities: 4\nsections: {sections}\n")
    programs.run("pyelfgen", "--profile", tmp_path / "bss.prof", "-o", tmp_path / "set", "-q")
    command = ["/usr/bin/python3", tmp_path / "set" / "driver.py", "--no-mpi"]
    maps = 12 * 5 + 10 + 600  # 12 libraries, the bss of all but the two markers, and Python itself (MAPS_OF_PYTHON)
    done = with_limit_of_maps(programs, maps - 1, command, tmp_path)
    assert f"12 libraries take about {maps} maps of memory" in done.stderr
    with_limit_of_maps(programs, maps, command, tmp_path, status=0)


def test_the_maps_of_a_library_are_counted_as_linux_does(programs, many):
    """Each library that a process loads takes as many maps as the programs count for it: five or slightly more."""
    code = (
        "import ctypes, glob, sys\n"
        "maps = lambda: len(open('/proc/self/maps').readlines())\n"
        "paths = sorted(glob.glob(sys.argv[1] + '/libutility*.so'))\n"
        "before = maps()\n"
        "for path in paths: ctypes.CDLL(path)\n"
        "print((maps() - before) / len(paths))\n"
    )
    done = programs.command(["/usr/bin/python3", "-c", code, many[1]], leaks=False)
    assert 4.9 < float(done.stdout) < 6


def peak_memory(programs, *arguments):
    done = programs.command(["/usr/bin/time", "-f", "peak %M", programs.path("pyelfgen"), *arguments])
    return int(re.search(r"^peak (\d+)$", done.stderr, flags=re.M)[1]) * 1024


@pytest.mark.skipif(not os.access("/usr/bin/time", os.X_OK), reason="there is no /usr/bin/time")
def test_a_plan_holds_no_debug_information_of_large_libraries(programs, tmp_path):
    if programs.sanitized:
        pytest.skip("sanitizers have their own memory")
    sections = "{text: 80 MB, data: 3 MB, debug: 240 MB, symtab: 3 MB, strtab: 16 MB}"
    (tmp_path / "mix.prof").write_text(
        f"pyelfgen-profile: 1\nmodules: 1\nutilities: 0\nsections: {sections}\ndwarf: {{mix: {{line: 20 MB}}}}\n"
    )
    assert peak_memory(programs, "--profile", tmp_path / "mix.prof", "--dry-run", "-q") < 0.1 * GB


@pytest.mark.long
@pytest.mark.skipif(not os.access("/usr/bin/time", os.X_OK), reason="there is no /usr/bin/time")
def test_memory_is_that_of_functions_and_not_of_types(programs, roomy, tmp_path):
    """Memory depends on the functions, not on all debug information, most of which is here units without code."""
    if programs.sanitized:
        pytest.skip("sanitizers have their own memory")
    profile = tmp_path / "types.prof"
    sections = "{text: 50 MB, data: 3 MB, debug: 900 MB, symtab: 3 MB, strtab: 16 MB}"
    profile.write_text(f"pyelfgen-profile: 1\nmodules: 1\nutilities: 0\nsections: {sections}\n")
    target = roomy / "types"
    assert peak_memory(programs, "--profile", profile, "-o", target, "-q") < 0.25 * GB
    programs.run("pyelfgen", "--verify", target)
    shutil.rmtree(target)


@pytest.mark.long
@pytest.mark.skipif(not os.access("/usr/bin/time", os.X_OK), reason="there is no /usr/bin/time")
def test_a_library_of_3_gb_is_never_in_memory_whole(programs, roomy, tmp_path):
    if programs.sanitized:
        pytest.skip("sanitizers have their own memory")
    profile = tmp_path / "large.prof"
    profile.write_text(
        "pyelfgen-profile: 1\nmodules: 1\nutilities: 0\n"
        "sections: {text: 570 MB, data: 18 MB, debug: 2200 MB, symtab: 34 MB, strtab: 184 MB}\n"
    )
    target = roomy / "large"
    assert peak_memory(programs, "--profile", profile, "-o", target, "-q") < 1.0 * GB
    (row,) = [row for row in manifest_of(target)["libraries"] if row["kind"] == "module"]
    assert row["debug"] == 2_200_000_000 > 2**31
    library = target / row["name"]
    assert library.stat().st_size > 3 * GB
    assert section(library, ".debug_info")[2] > 2**30
    programs.run("pyelfgen", "--verify", target)
    programs.run("pyelfrun", target)
    # addr2line reads the symbol's name and line from tables that are far beyond 2 GiB in the file
    last = ask("nm", "-D", "--defined-only", library).splitlines()[-1].split()
    assert last[2] in ask("eu-addr2line", "-f", "-e", library, f"0x{last[0]}")
    shutil.rmtree(target)


@pytest.mark.long
def test_the_curve_is_measured(programs, tmp_path):
    """scale.py measures and writes its results. The speed is not judged, because other tests run at the same time."""
    if programs.sanitized:
        pytest.skip("speed is the usual build's")
    command = [sys.executable, SOURCE / "tests" / "scale.py", "--quick", "--repeat", "1", "--output", tmp_path]
    done = programs.command(command, status=None, env={"PYELFGEN_BUILD": str(programs.build)})
    assert done.returncode in (0, 1), done.stderr
    found = json.loads((tmp_path / "scale.json").read_text())["series"]
    assert [len(rows) for rows in found.values()] == [2, 2, 2]
    assert all(row["bytes"] >= row["asked"] and row["peak"] > 0 for rows in found.values() for row in rows)
    assert (tmp_path / "scale.svg").read_text().count("<circle") == 6
    assert (tmp_path / "scale.txt").read_text() in done.stdout
