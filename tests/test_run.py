"""pyelfrun from outside: modes, orders, what it refuses, and ranks that fail."""

import json
import re
import shutil

import pytest

from conftest import closed_schema
from objects import ask, functions
from sets import SMALL


def run(programs, *args, **options):
    return programs.run("pyelfrun", *args, leaks=False, **options)


def row(table, name):
    found = re.search(rf"^{name} +(.*)$", table, flags=re.M)
    return found and found[1]


@pytest.fixture(scope="session")
def linked(programs, tmp_path_factory):
    """A set with an executable that is linked with its libraries."""
    at = tmp_path_factory.mktemp("linked") / "set"
    programs.run("pyelfgen", "--profile", SMALL, "--link", "-q", "-o", at)
    return at


@pytest.mark.parametrize("launcher", ["", "mpirun -n 2"])
def test_modes(launcher, linked, programs):
    """Each mode has one run, one after the other."""
    modes = "vanilla,link,bind-now"
    done = run(programs, "--mode", modes, *(["--launcher", launcher] if launcher else []), linked, timeout=120)
    assert re.findall(r"^== (\S+), run 1 of 1$", done.stdout, flags=re.M) == modes.split(",")
    assert re.findall(r"^mode (\S+), (\d) rank", done.stdout, flags=re.M) == [
        (mode, launcher[-1:] or "1") for mode in modes.split(",")
    ]
    assert done.stdout.count("every result right") == 3 and done.stderr == ""


@pytest.mark.alike
@pytest.mark.parametrize("order", ["given", "random", "random:7", "shifted"])
def test_orders(order, altered, programs):
    done = run(programs, "--import-order", order, "--visit-order", order, altered.directory)
    assert "every result right" in done.stdout and done.stderr == ""


@pytest.mark.alike
@pytest.mark.parametrize("flags", ["now", "lazy", "global", "deepbind", "lazy,global,deepbind"])
def test_flags_of_dlopen(flags, altered, programs):
    if "deepbind" in flags and programs.sanitized:
        pytest.skip("the sanitizer's runtime refuses RTLD_DEEPBIND")
    done = run(programs, "--dlopen-flags", flags, altered.directory)
    assert "every result right" in done.stdout
    assert ("bound lazily" in done.stdout) == ("lazy" in flags)


def test_phases(altered, programs):
    table = run(programs, "--phases", "import", altered.directory).stdout
    assert row(table, "import") and not row(table, "visit") and not row(table, "MPI") and "functions visited" not in table
    table = run(programs, "--phases", "import,visit", altered.directory).stdout
    assert row(table, "visit") and not row(table, "MPI") and "every result right" in table
    table = run(programs, "--phases", "mpi", altered.directory).stdout
    assert row(table, "MPI") and not row(table, "import") and "imported by" not in table


def test_set_of_one(programs, tmp_path):
    """One of anything is printed in the singular, also by driver.py and pyelfstat."""
    (tmp_path / "p").write_text("pyelfgen-profile: 1\nmodules: 1\nutilities: 1\nfunctions: 10\n")
    programs.run("pyelfgen", "-P", tmp_path / "p", "-o", tmp_path / "set", "-q")
    table = run(programs, "--json", tmp_path / "a.json", tmp_path / "set").stdout
    assert table.startswith("1 module, 1 utility\n") and ", 1 rank, 1 module imported by CPython" in table
    table = programs.command(["/usr/bin/python3", tmp_path / "set" / "driver.py"], leaks=False).stdout
    assert table.startswith("1 module, 1 utility\n") and "\n1 rank, 1 module imported by CPython" in table
    report = programs.run("pyelfstat", "--runs", tmp_path / "a.json").stdout
    assert report.startswith(f"{tmp_path}/a.json: 1 module, 1 utility\n")


UTILITIES = {
    "rows": "libraries:\n" + "- {kind: utility, functions: 40}\n" * 3 + "- {kind: utility, functions: 40, needed: '0:2'}\n",
    "no rows": "modules: 0\nutilities: 4\nfunctions: 40\n",
}


@pytest.fixture(scope="session", params=list(UTILITIES))
def utilities(request, programs, tmp_path_factory):
    """A profile of four utilities without modules, and its set."""
    at = tmp_path_factory.mktemp("utilities")
    (at / "p").write_text(f"pyelfgen-profile: 1\n{UTILITIES[request.param]}")
    programs.run("pyelfgen", "-P", at / "p", "-o", at / "set", "-q")
    programs.run("pyelfgen", "--verify", at / "set")
    return at


@pytest.mark.alike(2)
@pytest.mark.slow
def test_set_without_modules(programs, utilities):
    """Python cannot import anything of it, which is an error. The phase mpi can run, and pyelfprobe opens the libraries
    one by one."""
    at = utilities / "set"
    why = "has no modules to import or visit; --no-python opens its libraries with dlopen"
    for options in ([], ["--phases", "import"], ["--repeat", "2"]):
        done = programs.run("pyelfrun", *options, at, status=1)
        assert re.fullmatch(rf"pyelfrun: rank 0 on \S+: {at}: {why}, and pyelfprobe measures .*\n", done.stderr)
        assert "every result right" not in done.stdout
    several = programs.mpirun(2, "pyelfrun", at, status=None)
    assert several.returncode != 0 and several.stderr.count(why) == 1
    done = programs.command(["/usr/bin/python3", at / "driver.py"], status=1, leaks=False)
    assert re.fullmatch(r"driver.py: rank 0 on \S+: (.*)\n", done.stderr)[1] == f"{at} {why.replace('--no', 'pyelfrun --no')}"
    assert done.stdout == ""
    table = run(programs, "--phases", "mpi", at).stdout
    assert "\nno library was loaded: there are no modules" in table and "MPI test passed" in table
    probed = programs.run("pyelfprobe", "--tools=load", "-r", "1", "--cache=warm", at).stdout
    assert "6 files" in probed and "started by loader" in probed and row(probed, "load").split()[-1] == "6"


@pytest.mark.alike
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("where", ["disk", "memory"])
def test_libraries_without_modules_are_opened(where, ranks, programs, utilities, tmp_path):
    """All libraries but the markers are opened, by all ranks in step, with counters and results of the import phase.
    Nothing is visited."""
    what = ["--memory", utilities / "p"] if where == "memory" else [utilities / "set"]
    how = ["--no-python", "--counters", "sde", "--json", tmp_path / "a.json", *what]
    done = run(programs, *how) if ranks == 1 else programs.mpirun(ranks, "pyelfrun", *how)
    loader = "dlopen, from memory" if where == "memory" else "dlopen"
    said = f"mode vanilla, {ranks} rank{'s' * (ranks > 1)}, 4 libraries opened by {loader}"
    assert said in done.stdout.splitlines() and "MPI test passed" in done.stdout
    assert row(done.stdout, "import") and not row(done.stdout, "visit") and "functions visited" not in done.stdout
    results = json.loads((tmp_path / "a.json").read_text())
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(closed_schema("results")).validate(results)
    (done,) = results["runs"]
    assert results["options"]["phases"] == "import,mpi" and results["set"]["modules"] == 0
    assert done["loader"] == loader and done["ranks"] == ranks and done["functions-visited"] == 0
    assert [phase["name"] for phase in done["phases"]] == ["startup", "import", "mpi"]
    counted = {counter["name"]: counter["per-rank"] for counter in done["phases"][1]["counters"]}
    for name in ("libraries_loaded", "modules_imported"):
        assert counted[f"sde:::pyelf::{name}"] == [4] * ranks


@pytest.mark.alike
@pytest.mark.parametrize("order", ["given", "random:7", "shifted"])
def test_order_of_libraries_without_modules(order, programs, utilities, tmp_path):
    """LD_DEBUG shows in which order each process opens them."""
    env = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(tmp_path / "of")}
    how = ["--no-python", "--phases", "import", "--import-order", order, utilities / "set"]
    programs.mpirun(2, "pyelfrun", *how, env=env)
    said = [path.read_text() for path in tmp_path.glob("of.*")]
    opening = re.compile(r"opening file=\S+/libutility(\d)\.so \[0\]; direct_opencount=1$", flags=re.M)
    orders = [[int(number) for number in opening.findall(text)] for text in said]
    first, second = sorted(numbers for numbers in orders if numbers)
    assert sorted(first) == sorted(second) == [0, 1, 2, 3]
    assert not any("/libmodulebegin.so" in text or "/libmodulefinal.so" in text for text in said)
    if order == "given":
        assert first == second == [0, 1, 2, 3]
    if order == "random:7":
        assert first == second
    if order == "shifted":
        assert first == [0, 1, 2, 3] and second == [2, 3, 0, 1]


@pytest.mark.alike(1)
@pytest.mark.slow
def test_what_libraries_without_modules_cannot(programs, utilities):
    """Such a set has no entry to visit and no executable. A user who asks for one is told."""
    at = utilities / "set"
    done = run(programs, "--no-python", "--phases", "import,visit", at, status=1)
    why = "has no modules, and only these have an entry to visit; leave visit out of --phases"
    assert re.fullmatch(rf"pyelfrun: rank 0 on \S+: {at}: {why}\n", done.stderr) and done.stdout == ""
    several = programs.mpirun(2, "pyelfrun", "--no-python", "--phases", "import,visit", at, status=None)
    assert several.returncode != 0 and several.stderr.count(why) == 1
    rows = "libraries:" in (utilities / "p").read_text()
    why = "a set whose profile has rows for its libraries has no executables; use --mode vanilla" if rows else "this set has no"
    for mode in ("link", "bind-now", "static"):
        assert why in run(programs, "--no-python", "--mode", mode, at, status=1).stderr
    done = run(programs, "--no-python", "--lazy", "--repeat", "2", at)
    assert done.stdout.count(", 4 libraries opened by dlopen, functions bound lazily\n") == 2
    assert re.fullmatch(r"\d\S+ +\S+ +- +- +2", row(done.stdout, "vanilla"))


@pytest.mark.parametrize("mode", ["link", "bind-now"])
def test_executable_of_a_set_without_modules(mode, programs, tmp_path):
    """The utilities are loaded when the process starts, and dlopen finds them."""
    (tmp_path / "p").write_text(f"pyelfgen-profile: 1\n{UTILITIES['no rows']}")
    programs.run("pyelfgen", "-P", tmp_path / "p", "-o", tmp_path / "set", "-q", "--link")
    how = ["--no-python", "--mode", mode, "--phases", "import", "--counters", "sde", "--json", tmp_path / "a.json"]
    done = run(programs, *how, tmp_path / "set")
    assert f"mode {mode}, 1 rank, 4 libraries opened by dlopen" in done.stdout.splitlines()
    (done,) = json.loads((tmp_path / "a.json").read_text())["runs"]
    counted = {counter["name"]: counter["per-rank"] for counter in done["phases"][1]["counters"]}
    assert counted["sde:::pyelf::libraries_loaded"] == [0] and counted["sde:::pyelf::modules_imported"] == [4]


def test_library_without_modules_is_missing(programs, utilities, tmp_path):
    """A library that cannot be opened ends the run for all ranks, and the message names it."""
    shutil.copytree(utilities / "set", tmp_path / "set")
    (tmp_path / "set" / "libutility2.so").unlink()
    done = programs.mpirun(2, "pyelfrun", "--no-python", tmp_path / "set", status=None)
    assert done.returncode != 0 and "libutility2: cannot be opened: " in done.stderr
    assert "opened by dlopen" not in done.stdout


def test_marks_of_libraries_without_modules(programs, utilities, tmp_path):
    """Marks are compared with the manifest even in libraries that nothing visits."""
    shutil.copytree(utilities / "set", tmp_path / "set")
    path = tmp_path / "set" / "manifest.json"
    manifest = json.loads(path.read_text())
    library = manifest["libraries"][-1]
    assert library["kind"] == "utility" and library["marks"] == library["functions"] > 1
    library["visited"] = library["marked"] = 1
    path.write_text(json.dumps(manifest))
    done = run(programs, "--no-python", "--phases", "import", tmp_path / "set", status=1)
    assert "libutility3: 0 marks are set, the manifest says 1" in done.stderr


def test_several_runs(altered, programs):
    done = run(programs, "--repeat", "3", "--phases", "import", altered.directory)
    assert re.findall(r"^== (.*)$", done.stdout, flags=re.M)[:3] == [f"vanilla, run {i} of 3" for i in (1, 2, 3)]


def test_launcher_words(altered, programs, tmp_path):
    """As in a shell, quotes keep a word together. Nothing is expanded."""
    script = tmp_path / "a launcher"
    script.write_text('#!/bin/sh\nprintf "%s|" "$1" "$2"\nshift 2\nexec "$@"\n')
    script.chmod(0o755)
    done = run(programs, "--launcher", f"'{script}' \"two  words\" $HOME", altered.directory)
    assert done.stdout.startswith("two  words|$HOME|") and "every result right" in done.stdout


def test_wrong_use(altered, programs, tmp_path):
    def refused(*args, status=2, env=None):
        said = run(programs, *args, status=status, env=env).stderr
        assert said.count("\n") == 1, said
        return said

    at = altered.directory
    assert "which set?" in refused()
    assert "one set at a time" in refused(at, at)
    assert "--mode: there is no 'fast', but: vanilla, link, bind-now, static\n" in refused("--mode", "vanilla,fast", at)
    assert "--phases: what is visited has to be imported" in refused("--phases", "visit", at)
    assert "--phases: there is no 'foo', but: import, visit, mpi\n" in refused("--phases", "foo", at)
    assert "--cold and --warm exclude one another" in refused("--cold", "--warm", at)
    assert "--cold and --warm exclude one another" in refused("--warm", "--cold", at)
    assert "now and lazy exclude" in refused("--dlopen-flags", "now,lazy", at)
    assert "--import-order: there is no 'shifted:3', but: given, random[:SEED], shifted\n" in refused("--import-order", "shifted:3", at)
    assert "--visit-order 'x' is not a whole number" in refused("--visit-order", "random:x", at)
    assert "--launcher: a quote is not closed: mpirun '-n 2" in refused("--launcher", "mpirun '-n 2", at)
    assert "in mode link nothing is opened" in refused("--mode", "link", "--lazy", at)
    assert "has no pyelf-link, which mode bind-now runs; generate it with pyelfgen --link" in refused(
        "--mode", "vanilla,bind-now", at, status=1
    )
    assert "manifest.json: cannot be read; is this a set" in refused("--mode", "static", tmp_path, status=1)
    assert "no-such-launcher: cannot be started" in refused("--launcher", "no-such-launcher -n 2", at, status=1)
    assert "--launcher: no command is given" in refused("--launcher", " ", at)
    assert "start pyelfrun without mpirun" in refused("--repeat", "2", at, env={"OMPI_COMM_WORLD_SIZE": "2"})


@pytest.mark.parametrize("code, signal", [(b"\x0f\x0b", "SIGILL"), (b"\xcc", "SIGTRAP")], ids=["ud2", "int3"])
def test_a_crash_names_the_module(code, signal, altered, programs):
    name = "libmodule2.so"
    address = functions(altered.path(name))[0][1]
    altered.patch(name, altered.offset(name, ".text", address), code)
    done = programs.command([programs.path("pyelfrun"), altered.directory], status=None, leaks=False)
    assert done.returncode != 0
    assert re.search(
        rf"^pyelfrun: rank 0 on \S+: ended by {signal} in phase visit, at libmodule2; ", done.stderr, flags=re.M
    ), done.stderr


@pytest.mark.parametrize(
    "code, said",
    [(b"\x0f\x0b", "ended by SIGILL"), (b"\xeb\xfe", "not done after 2 s: was")],
    ids=["ud2", "jmp"],
)
def test_what_is_asked_after_the_visit_has_a_name(code, said, altered, programs):
    """A rank that ends or hangs there does not only wait for others."""
    name = "libmodule2.so"
    [row] = [row for row in ask("nm", altered.path(name)).splitlines() if row.endswith(" libmodule2_visited")]
    altered.patch(name, altered.offset(name, ".text", int(row.split()[0], 16)), code)
    done = programs.command([programs.path("pyelfrun"), "--timeout", "2", altered.directory], status=None, leaks=False)
    assert done.returncode != 0
    found = rf"^pyelfrun: rank 0 on \S+: {said} in phase check, at libmodule2; "
    assert re.search(found, done.stderr, flags=re.M), done.stderr


def test_a_time_limit_names_the_module(altered, programs):
    name = "libmodule1.so"
    address = functions(altered.path(name))[0][1]
    altered.patch(name, altered.offset(name, ".text", address), b"\xeb\xfe")  # jmp .
    said = run(programs, "--timeout", "1", altered.directory, status=1).stderr
    assert re.fullmatch(
        r"pyelfrun: rank 0 on \S+: not done after 1 s: was in phase visit, at libmodule1; .*\n", said
    ), said


def test_cold_and_warm(altered, programs, tmp_path):
    linked = altered.path("libmodule1.so")  # its pages count wherever they are; a link to nothing has none
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    altered.path("nothing").symlink_to(tmp_path / "nowhere")
    for wish in ("--cold", "--warm"):
        json_file = altered.directory.parent / "a.json"
        done = run(programs, wish, "--json", json_file, altered.directory)
        assert "every result right" in done.stdout
        options = json.loads(json_file.read_text())["options"]
        cached, _, of_all = options["cached-bytes"].partition(" of ")
        assert int(of_all) == sum(path.stat().st_size for path in altered.directory.iterdir() if path.is_file())
        assert options["cache"] == wish[2:] and 0 <= int(cached) <= int(of_all)
        if wish == "--warm":
            assert int(cached) > 0.9 * int(of_all)


def test_cold_and_warm_name_what_they_cannot_open(altered, programs):
    around = altered.path("around")
    around.symlink_to("around")
    for wish in ("--cold", "--warm"):
        said = run(programs, wish, altered.directory, status=1).stderr
        assert said == f"pyelfrun: {around}: cannot be opened: Too many levels of symbolic links\n"


def test_lazy_leaves_other_flags(altered, programs, tmp_path):
    for words, flags in ((["--dlopen-flags", "global", "--lazy"], "lazy,global"), (["--lazy"], "lazy")):
        run(programs, *words, "--phases", "import", "--json", tmp_path / "a.json", altered.directory)
        assert json.loads((tmp_path / "a.json").read_text())["options"]["dlopen-flags"] == flags


def test_lists_in_parts(linked, programs, tmp_path):
    """Options with lists add up, in any order. Words that exclude each other do so across options, too."""
    lists = ["--mode=link", "--mode=vanilla", "--phases=visit", "--phases=import", "--counters=os", "--counters=sde"]
    run(programs, *lists, "--json", tmp_path / "a.json", linked)
    results = json.loads((tmp_path / "a.json").read_text())
    assert [run["mode"] for run in results["runs"]] == ["link", "vanilla"]
    assert (results["options"]["phases"], results["options"]["counters"]) == ("import,visit", "os,sde")
    run(programs, "--dlopen-flags=global", "--dlopen-flags=lazy", "--json", tmp_path / "a.json", linked)
    assert json.loads((tmp_path / "a.json").read_text())["options"]["dlopen-flags"] == "lazy,global"
    for first, second in (("counters=os", "counters=none"), ("dlopen-flags=now", "dlopen-flags=lazy")):
        for words in ((first, second), (second, first)):
            done = run(programs, *(f"--{word}" for word in words), linked, status=2)
            assert re.fullmatch(r"pyelfrun: --\S+: .* excludes? .*\n", done.stderr), done.stderr


def test_an_executable_of_another_set(linked, programs, tmp_path):
    """It may be left over or copied. The libraries of both sets may have the same names."""
    copy = tmp_path / "set"
    profile = tmp_path / "other.prof"
    shutil.copytree(linked, copy)
    profile.write_text("pyelfgen-profile: 1\nmodules: 8\nutilities: 4\nfunctions: 10\n")
    programs.run("pyelfgen", "--profile", profile, "--link", "-q", "-o", tmp_path / "other")
    shutil.copy(tmp_path / "other" / "pyelf-link", copy)
    said = run(programs, "--mode", "link", copy, status=1).stderr
    assert re.search(r"^pyelfrun: rank 0 on \S+: \S+/set: the executable was made from another profile", said)


def test_an_installation_under_any_path(linked, programs, tmp_path):
    """A path may have characters that separate or replace words in lists of the dynamic linker."""
    top = tmp_path / "with: blanks $ORIGIN"
    for part in ("bin/pyelfrun", "lib/libpyelfrun.so.0", "libexec/pyelfgen"):
        place = top / part
        place.parent.mkdir(parents=True, exist_ok=True)
        source = programs.build / part
        shutil.copytree(source, place) if source.is_dir() else shutil.copy(source, place)
    for mode in ("vanilla", "link"):
        done = programs.command(
            [top / "bin" / "pyelfrun", "--mode", mode, "--audit", linked], leaks=False, env=programs.beside_sets
        )
        assert "every result right" in done.stdout and done.stderr == ""
        assert re.search(r"^objects-opened +[1-9]", done.stdout, flags=re.M)


def test_an_executable_that_may_not_be_executed(linked, programs, tmp_path):
    """A file system that is mounted noexec refuses in the same way. The executable exists, so the message must not ask
    to generate it."""
    copy = tmp_path / "set"
    shutil.copytree(linked, copy)
    (copy / "pyelf-link").chmod(0o644)
    said = run(programs, "--mode", "link", copy, status=1).stderr
    assert re.fullmatch(r"pyelfrun: \S+/pyelf-link: cannot be executed; .*: Permission denied\n", said), said


def two(programs, first, second, **options):
    """Starts two ranks, each with its own command line: words of env(1), then those of pyelfrun."""
    command = ["mpirun"]
    for between, (variables, words) in (([], first), ([":"], second)):
        command += [*between, "-n", 1, "env", *variables, programs.path("pyelfrun"), *words]
    return programs.command(command, leaks=False, timeout=60, env=programs.beside_sets, **options)


@pytest.mark.slow
def test_ranks_that_are_not_alike(linked, altered, small, programs):
    """Without the check they would wait for each other forever, or the results would be taken for those of rank 0's
    options."""
    for words, said in (
        (["--phases", "import", linked], "was started with phases 'import', and rank 0 with 'import,visit,mpi'"),
        (["--mode", "link", linked], "was started with mode 'link', and rank 0 with 'vanilla'"),
        ([altered.directory], "is another set here than on rank 0"),
    ):
        done = two(programs, ([], [linked]), ([], words), status=None)
        assert done.returncode != 0 and re.search(rf"^pyelfrun: rank 1 on \S+: .*{said}", done.stderr, flags=re.M)
        assert "every result right" not in done.stdout


@pytest.mark.alike(2)
@pytest.mark.parametrize("which", [0, 1])
def test_events_that_only_some_hosts_were_told(which, linked, programs, tmp_path):
    """mpirun passes the environment to no other host, so PAPI_EVENTS may be set on rank 0's host alone, or on the other
    alone."""
    ranks = [([], ["--json", tmp_path / "a.json", linked])] * 2
    ranks[which] = (["PAPI_EVENTS=perf::PAGE-FAULTS,perf::CPU-CLOCK"], ranks[which][1])
    done = two(programs, *ranks)
    assert "every result right" in done.stdout and done.stderr == ""
    phase = json.loads((tmp_path / "a.json").read_text())["runs"][0]["phases"][1]
    papi = {counter["name"]: counter for counter in phase["counters"] if counter["source"] == "papi"}
    assert ("perf::PAGE-FAULTS" in papi) == (which == 0)
    for counter in papi.values():
        assert counter["per-rank"][1:] in ([], [None])


def test_no_file_is_taken_for_a_part_that_is_none(altered, programs, tmp_path):
    """The option is for the launching pyelfrun, which has made the file. Any other file stays as it is."""
    precious = tmp_path / "precious"
    precious.write_text("kept")
    for words in (["--tree=vanilla", f"--part={precious}"], [f"--part={tmp_path}/pyelfrun-part-x"]):
        said = run(programs, *words, altered.directory, status=2).stderr
        assert said == "pyelfrun: --part is for pyelfrun itself; use --json\n"
    assert precious.read_text() == "kept"
