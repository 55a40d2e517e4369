"""Ranks that fail: each says why, and the whole run fails with it. Ranks that do not fail have equal results.

One rank of three has a set of its own, in which something is wrong.
"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest

from conftest import Altered
from objects import ask, functions, tool
from sets import mostly_long

LINKED = ("link", "bind-now")
MODES = ("vanilla", *LINKED)
ALL_MODES = (*MODES, "static")
RANKS = (1, 2, 8)

# Code that replaces the first function of a module, in x86-64.
LOOP = b"\xeb\xfe"  # jmp .
RETURN_0 = b"\x31\xc0\xc3"  # xor %eax,%eax; ret
STORE_TO_NULL = b"\x31\xc0\x89\x00"  # xor %eax,%eax; mov %eax,(%rax)
KILL_ITSELF = (
    b"\xb8\x27\x00\x00\x00\x0f\x05"  # getpid
    b"\x89\xc7\xbe\x09\x00\x00\x00\xb8\x3e\x00\x00\x00\x0f\x05"  # kill(itself, SIGKILL)
)

# Seconds after which a run counts as hanging. No run takes a fraction of that.
GUARD = 120


def has_static(programs):
    return " --static " in programs.run("pyelfgen", "--help").stdout


@pytest.fixture
def skip_static(request, programs):
    """Skips mode static where pyelfgen makes no such executable."""
    if request.node.callspec.params["mode"] == "static" and not has_static(programs):
        pytest.skip("pyelfgen has no --static")


@pytest.fixture(scope="module")
def good(programs, sets, tmp_path_factory):
    """A set with executables; not to be changed."""
    sets.get("odd")
    directory = tmp_path_factory.mktemp("good") / "set"
    executables = ["--link", *(["--static"] if has_static(programs) else [])]
    programs.run("pyelfgen", "--profile", sets.directory / "odd.prof", *executables, "-o", directory, "-q")
    return directory


@pytest.fixture
def bad(good, tmp_path):
    """A copy of that set, to be damaged."""
    return Altered(shutil.copytree(good, tmp_path / "bad"))


def instead(altered, name, code):
    """Replaces the first function of a library by this code, and also its copy in the static executable."""
    function, address = functions(altered.path(name))[0]
    altered.patch(name, altered.offset(name, ".text", address), code)
    static = altered.path("pyelf-static")
    if static.exists():
        rows = [row.split() for row in ask("nm", "--defined-only", static).splitlines()]
        [address] = [int(row[0], 16) for row in rows if row[-1] == function]
        altered.patch(static.name, altered.offset(static.name, ".text", address), code)


@pytest.fixture
def fails(programs, good, bad):
    """Runs two ranks on the good set and a third on the bad one. Returns what pyelfrun printed."""
    tool("mpirun")

    def run(mode, *options):
        program = [programs.path("pyelfrun"), "--mode", mode, *options]
        command = ["mpirun", "-n", "2", *program, good, ":", "-n", "1", *program, bad.directory]
        done = programs.command(command, status=None, leaks=False, timeout=GUARD)
        assert done.returncode != 0
        assert "every result right" not in done.stdout
        return "\n".join(line for line in done.stderr.splitlines() if line.startswith("pyelfrun:"))

    return run


@pytest.mark.parametrize("options", [(), ("--no-python",), ("--mode", "link")], ids=["python", "dlopen", "link"])
def test_libraries_of_another_copy(options, programs, good, bad, tmp_path):
    """Another copy of a set has the same functions and results, but its files are not those that are to be measured."""

    def run(place, **wish):
        arguments = [*options, "--phases", "import", good]
        return programs.run("pyelfrun", *arguments, env={"LD_LIBRARY_PATH": str(place)}, **wish)

    said = run(bad.directory, status=1).stderr
    wanted = (
        rf"pyelfrun: rank 0 on \S+: (lib\w+): was loaded from {bad.directory}/\1\.so and not from the set; "
        r"look for it in LD_LIBRARY_PATH and LD_PRELOAD\n"
    )
    assert re.fullmatch(wanted, said), said
    (tmp_path / "link").symlink_to(good)
    run(tmp_path / "link")


@pytest.mark.slow
class TestOneRankFails:
    @pytest.mark.parametrize("name", ["libmodule2.so", "libutility1.so"])
    def test_a_missing_library(self, name, fails, bad):
        bad.path(name).unlink()
        said = fails("vanilla")
        stem = name.removesuffix(".so")
        wanted = rf"pyelfrun: rank 2 on \S+: libmodule\w+: cannot be imported: \w+Error: .*{stem}.*"
        assert re.fullmatch(wanted, said), said

    @pytest.mark.parametrize("mode", LINKED)
    def test_a_missing_library_that_is_linked(self, mode, fails, bad):
        bad.path("libmodule2.so").unlink()
        said = fails(mode)
        assert re.fullmatch(r"pyelfrun: rank 2 on \S+: ended without reporting an error in phase startup; the dynamic .*", said), said

    @pytest.mark.usefixtures("skip_static")
    @pytest.mark.parametrize("mode", ALL_MODES)
    def test_a_wrong_result(self, mode, fails, bad):
        manifest = json.loads(bad.path("manifest.json").read_text())
        [row] = [row for row in manifest["libraries"] if row["name"] == "libmodule1.so"]
        instead(bad, "libmodule1.so", RETURN_0)
        said = fails(mode)
        wanted = rf"pyelfrun: rank 2 on \S+: libmodule1: entry returned \d+, the manifest says {row['result']}; .*"
        assert re.fullmatch(wanted, said), said

    @pytest.mark.usefixtures("skip_static")
    @pytest.mark.parametrize("mode", mostly_long(ALL_MODES, "vanilla", "static"))
    @pytest.mark.parametrize(
        "code, reason",
        [(KILL_ITSELF, "ended without reporting an error"), (STORE_TO_NULL, "ended by SIGSEGV")],
        ids=["SIGKILL", "SIGSEGV"],
    )
    def test_a_signal(self, code, reason, mode, fails, bad):
        instead(bad, "libmodule1.so", code)
        said = fails(mode)
        assert re.fullmatch(rf"pyelfrun: rank 2 on \S+: {reason} in phase visit, at libmodule1; .*", said), said

    @pytest.mark.alike(1)
    @pytest.mark.usefixtures("skip_static")
    @pytest.mark.parametrize("mode", mostly_long(ALL_MODES, "vanilla"))
    def test_a_hang(self, mode, fails, bad):
        """The other ranks are done with their visit and wait. Only the rank that hangs prints a line."""
        instead(bad, "libmodule1.so", LOOP)
        said = fails(mode, "--timeout", "5")
        reason = "not done after 5 s: was in phase visit, at libmodule1; "
        assert re.fullmatch(rf"pyelfrun: rank 2 on \S+: {reason}.*\n?", said), said

    def test_a_set_that_is_none(self, fails, bad):
        bad.path("manifest.json").unlink()
        said = fails("vanilla")
        assert re.fullmatch(r"pyelfrun: rank 2 on \S+: .*/bad: is no set, or an incomplete one: .*", said), said


@pytest.mark.parametrize("place", ["\u00fcber", b"latin-\xfc"], ids=["UTF-8", "Latin-1"])
def test_a_damaged_library_in_any_directory(place, programs, bad, tmp_path):
    """The reason has the path in it, which Python takes for text of the locale."""
    directory = os.path.join(os.fsencode(tmp_path), os.fsencode(place))
    os.rename(bad.directory, directory)
    os.truncate(os.path.join(directory, b"libmodule1.so"), 0)
    said = programs.run("pyelfrun", "--quiet", os.fsdecode(directory), status=1, env={"LC_ALL": "C"}).stderr
    shown = "\u00fcber" if isinstance(place, str) else "latin-?"
    assert f"libmodule1: cannot be imported: ImportError: {tmp_path}/{shown}/libmodule1.so: file too short; " in said


def test_killed_without_a_launcher(programs, bad):
    instead(bad, "libmodule1.so", KILL_ITSELF)
    done = programs.run("pyelfrun", bad.directory, status=-9)
    assert re.fullmatch(
        r"pyelfrun: rank 0 on \S+: ended without reporting an error in phase visit, at libmodule1; was it killed, .*\n", done.stderr
    ), done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_ended_without_a_launcher(number, programs, bad):
    """A user who sends such a signal needs no explanation."""
    instead(bad, "libmodule1.so", KILL_ITSELF.replace(b"\xbe\x09", b"\xbe" + bytes([number])) + LOOP)
    usual = lambda: signal.signal(number, signal.SIG_DFL)  # nohup ignores one of these signals
    assert programs.run("pyelfrun", bad.directory, status=-number, preexec_fn=usual).stderr == ""


def test_mpi_that_does_not_start(programs, good):
    """MPI says why it cannot; whoever looks for the reason is led there."""
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    said = programs.run("pyelfrun", good, status=None, preexec_fn=few).stderr
    assert said.endswith(" in phase MPI_Init; MPI may have printed why, or it was killed\n") and said.count("\n") > 1


@pytest.mark.parametrize("options", [[], ["--repeat", "2"]], ids=["one", "several"])
def test_a_signal_ends_the_first_process_of_a_container(programs, bad, options):
    """Signals that are not handled do not end it."""
    alone = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("no process may have a namespace of its own")
    instead(bad, "libmodule1.so", LOOP)
    command = [*alone, programs.path("pyelfrun"), *options, bad.directory]
    with subprocess.Popen(command, env=programs.environment(), stderr=subprocess.DEVNULL) as process:
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        begun = time.monotonic()
        while time.monotonic() < begun + 2:  # until it is in the visit
            time.sleep(0.1)
        (first,) = pathlib.Path(children).read_text().split()
        os.kill(int(first), signal.SIGTERM)
        assert process.wait(timeout=30) == 128 + signal.SIGTERM


@pytest.mark.alike(1)
def test_killed_under_a_simulation(programs, bad, tmp_path):
    """valgrind leaves no files behind."""
    tool("valgrind")
    if programs.sanitized:
        pytest.skip("valgrind cannot run what has a sanitizer")
    instead(bad, "libmodule1.so", LOOP)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [programs.path("pyelfrun"), "--simulate", "--phases", "import,visit", bad.directory]
    environment = programs.environment(leaks=False, TMPDIR=str(temporary))
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        deadline = time.monotonic() + 120
        while "libmodule1.so" not in pathlib.Path(f"/proc/{running.pid}/maps").read_text():
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        running.kill()
    assert list(temporary.glob("vgdb-*")) == []


def test_no_room_for_the_picture(programs, good, file_system):
    """It is said as of other files, and nothing is left."""
    little = file_system("4k")
    done = programs.run("pyelfrun", "--counters", "none", "--picture", little / "p.png", good, status=1)
    assert f": {little}/p.png: cannot be written; make room, and run again: No space left on device\n" in done.stderr
    assert list(little.iterdir()) == []


@pytest.mark.parametrize("how", ["import", "plain", "driver"])
def test_too_little_address_space(programs, how, tmp_path):
    """The set is as it should be; the limit is in the way, and is named."""
    if programs.sanitized and how != "driver":
        pytest.skip("the address sanitizer needs more than that for itself")
    profile = tmp_path / "wide.prof"
    sizes = "{text: 400 kB, data: 60 kB, debug: 0 B, symtab: 0 B, strtab: 0 B, bss: 2 GB}"
    profile.write_text(f"pyelfgen-profile: 1\nmodules: 1\nfunctions: 9\nsections: {sizes}\n")
    programs.run("pyelfgen", "-q", "--profile", profile, "-o", tmp_path / "set")
    command = {
        "import": [programs.path("pyelfrun"), "--counters", "none"],
        "plain": [programs.path("pyelfrun"), "--counters", "none", "--no-python"],
        "driver": ["/usr/bin/python3", tmp_path / "set" / "driver.py"],
    }[how]
    words = [*command, *([] if how == "driver" else [tmp_path / "set"])]
    done = programs.command(["prlimit", "--as=1900000000", *words], status=1, leaks=False)
    assert "; check 'ulimit -v', vm.max_map_count, and" in done.stderr and "--verify" not in done.stderr, done.stderr


@pytest.mark.parametrize("options", [[], ["--repeat", "2"]], ids=["one", "several"])
def test_no_room_for_temporary_files(programs, good, file_system, options):
    """One line says so before anything runs. Open MPI would print many."""
    little = file_system("9m")
    done = programs.run("pyelfrun", *options, good, status=1, env={"TMPDIR": str(little)})
    assert re.fullmatch(
        rf"pyelfrun: {little}: has room for \d+ bytes of temporary files, and Open MPI may need 10485760;"
        " make room, or set TMPDIR to another directory\n",
        done.stderr,
    )
    assert done.stdout == "" and list(little.iterdir()) == []
    subprocess.run(["mount", "-o", "remount,ro", little], check=True)
    done = programs.run("pyelfrun", *options, good, status=1, env={"TMPDIR": str(little)})
    why = "there can be no temporary files; set TMPDIR to another directory: Read-only file system"
    assert done.stderr == f"pyelfrun: {little}: {why}\n"
    own = {"TMPDIR": str(little), "OMPI_MCA_orte_tmpdir_base": str(good.parent)}
    assert "every result right" in programs.run("pyelfrun", good, env=own).stdout


@pytest.mark.parametrize("options", [[], ["--repeat", "2"]], ids=["one", "several"])
def test_nobody_reads_the_results(programs, good, tmp_path, options):
    """pyelfrun says nothing to a user who has seen enough, and leaves no files behind."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {"TMPDIR": str(tmp_path)}
    with open(writing, "w") as nowhere:
        done = programs.run("pyelfrun", *options, good, status=-signal.SIGPIPE, stdout=nowhere, env=environment)
    assert done.stderr == "" and list(tmp_path.glob("pyelfrun-*")) == []


def test_a_run_that_ends_well_has_no_witness(programs, good):
    """No process remains that watches for its end: nothing is printed, and nothing holds the pipe open."""
    assert programs.run("pyelfrun", good, timeout=GUARD).stderr == ""


def test_a_witness_ends_where_there_is_no_close_range(programs, good, without):
    """One that kept an end of its own pipe would wait for ever, and hold the standard error. Linux has it since 5.9."""
    run = [without("close_range"), programs.path("pyelfrun"), good]
    assert programs.command(run, leaks=False, env=programs.beside_sets, timeout=GUARD).stderr == ""


def test_a_witness_that_is_none(programs, good):
    """The environment variable may come from anywhere, with any text."""
    path = good / "pyelf-link"
    library = programs.build / "lib" / "libpyelfrun.so.0"
    for text in ("", "0 1", "x", "999999 999999", "-1 -1", "0 1 2"):
        environment = {"PYELFRUN_WITNESS": text, "LD_PRELOAD": str(library)}
        if not programs.sanitized:
            assert "every result right" in programs.command([path], leaks=False, env=environment).stdout
        assert "every result right" in programs.run("pyelfrun", good, env={"PYELFRUN_WITNESS": text}).stdout


@pytest.mark.alike
@pytest.mark.slow
@pytest.mark.parametrize("ranks", mostly_long(RANKS, 1, 8))
@pytest.mark.usefixtures("skip_static")
@pytest.mark.parametrize("mode", ALL_MODES)
def test_equal_results(mode, ranks, programs, good, tmp_path):
    picture = tmp_path / "picture.png"
    done = programs.mpirun(ranks, "pyelfrun", "--mode", mode, "--picture", picture, good, timeout=GUARD)
    alone = programs.run("pyelfrun", "--picture", tmp_path / "alone.png", good)
    assert done.stderr == ""
    assert f"mode {mode}, {ranks} rank{'s' if ranks > 1 else ''}," in done.stdout
    last = done.stdout.splitlines()[-2:]
    assert last == alone.stdout.splitlines()[-2:] and "every result right" in last[0]
    assert picture.read_bytes() == (tmp_path / "alone.png").read_bytes()


class TestWrongUse:
    @pytest.fixture
    def refused(self, programs):
        def run(*arguments, status=1, env=None):
            said = programs.run("pyelfrun", *arguments, status=status, env=env).stderr
            assert re.fullmatch(r"pyelfrun: .*\n", said), said
            return said

        return run

    @pytest.mark.parametrize("driver", ["pyelfrun", "driver.py"])
    def test_libraries_of_another_set(self, driver, programs, tmp_path):
        """Libraries of all sets have the same names, and LD_LIBRARY_PATH comes first."""
        for functions in (20, 80):
            profile = tmp_path / f"{functions}.prof"
            profile.write_text(f"pyelfgen-profile: 1\nmodules: 3\nutilities: 3\nfunctions: {functions}\n")
            programs.run("pyelfgen", "-q", "-P", profile, "-o", tmp_path / str(functions))
        program = [programs.path("pyelfrun")] if driver == "pyelfrun" else ["/usr/bin/python3"]
        operand = tmp_path / "80" / ("driver.py" if driver == "driver.py" else "")
        env = {"LD_LIBRARY_PATH": str(tmp_path / "20")}
        done = programs.command([*program, operand], leaks=False, env=env, status=1)  # CPython leaks
        assert "undefined symbol" in done.stderr
        assert "; look for another set's libraries in LD_LIBRARY_PATH, or check the set with " in done.stderr

    @pytest.mark.usefixtures("skip_static")
    @pytest.mark.parametrize("mode", ALL_MODES)
    def test_not_a_set(self, mode, refused, tmp_path):
        assert re.search("a set|no set", refused("--mode", mode, tmp_path))

    def test_a_directory_with_a_long_path(self, refused, bad, programs, tmp_path):
        """A path that leaves no room for the names of libraries is refused. Any other path works."""
        directory = bad.directory
        for length in (1000, 4080):
            longer = tmp_path
            while len(str(longer)) < length - 200:
                longer /= "d" * 190
            longer.mkdir(parents=True)
            directory = directory.rename(longer / ("s" * (length - len(str(longer)) - 1)))
            if length == 1000:
                programs.run("pyelfrun", "--no-python", directory)
                programs.run("pyelfrun", directory)
        assert "cannot be used; put the set elsewhere: File name too long" in refused(directory)

    @pytest.mark.parametrize("name", ["$ORIGIN", "a${LIB}b"])
    def test_a_directory_that_the_dynamic_linker_reads_otherwise(self, name, refused, bad, programs, tmp_path):
        (tmp_path / "d").mkdir()
        directory = bad.directory.rename(tmp_path / "d" / name)
        said = f"cannot be used: the dynamic linker replaces '{name.strip('ab')}"
        assert said in refused(directory) and said in refused("--no-python", directory)
        done = programs.command(["/usr/bin/python3", directory / "driver.py", "--no-mpi"], status=1, leaks=False)
        assert said in done.stderr and done.stderr.count("\n") == 1
        programs.run("pyelfrun", directory.rename(tmp_path / "d" / "$ORIGINAL"))

    def test_no_directory(self, refused, tmp_path):
        assert "nowhere: cannot be opened: No such file or directory" in refused(tmp_path / "nowhere")

    @pytest.mark.alike
    @pytest.mark.usefixtures("skip_static")
    @pytest.mark.parametrize("mode", ALL_MODES)
    def test_incomplete_set(self, mode, refused, bad):
        bad.path("manifest.json").unlink()
        said = refused("--mode", mode, bad.directory)
        assert "incomplete" in said and "pyelfgen" in said

    @pytest.mark.usefixtures("skip_static")
    @pytest.mark.parametrize("mode", ALL_MODES)
    def test_manifest_of_another_version(self, mode, refused, bad):
        path = bad.path("manifest.json")
        text = path.read_text()
        [version] = re.findall(r'"pyelfgen-manifest": *([0-9]+)', text)
        path.write_text(text.replace(f'"pyelfgen-manifest": {version}', f'"pyelfgen-manifest": {int(version) + 1}'))
        said = refused("--mode", mode, bad.directory)
        assert f"version {int(version) + 1}" in said

    def test_no_launcher(self, refused, good, programs, tmp_path):
        said = refused("--launcher", "mpirun -n 2", good, env={"PATH": str(tmp_path)})
        assert "mpirun: cannot be started; install it, or give another --launcher: No such file or directory" in said

    def test_read_only_directory_for_the_picture(self, refused, good):
        """Nobody can create a file in /sys."""
        if not os.path.isdir("/sys/kernel"):
            pytest.skip("there is no /sys")
        assert "/sys/kernel/p.png: cannot be written; choose another" in refused("--picture", "/sys/kernel/p.png", good)

    def test_picture_that_is_a_directory(self, refused, good, tmp_path):
        assert "is a directory; give another name" in refused("--picture", tmp_path, good)

    def test_picture_where_the_results_go(self, refused, good, tmp_path):
        (tmp_path / "link").symlink_to("p.png")
        (tmp_path / "p.png").touch()
        said = refused("--picture", tmp_path / "p.png", "--json", tmp_path / "link", good, status=2)
        assert "--json and --picture are to write the same file" in said

    def test_picture_of_nothing(self, refused, good):
        said = refused("--picture", "p.png", "--phases", "import", good, status=2)
        assert "--picture: it is phase mpi that draws" in said

    def test_name_of_the_picture_that_is_too_long(self, refused, good, tmp_path):
        assert "name too long" in refused("--picture", f"{tmp_path}/{'p' * 256}", good).lower()
        assert "name too long" in refused("--picture", "/p" * 4096, good).lower()

    @pytest.mark.parametrize(
        "launcher, variables",
        [
            ("mpirun", {"OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_RANK": "2"}),
            ("mpiexec", {"PMI_SIZE": "3", "PMI_RANK": "1"}),
        ],
    )
    def test_launcher_of_another_mpi(self, launcher, variables, refused, good):
        assert f"{launcher} has started 3 processes, of which MPI knows nothing: " in refused(good, env=variables)
