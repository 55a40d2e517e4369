"""What the tests from outside share: the programs of one build, and an environment for them.

PYELFGEN_BUILD names the build directory, from the top of the source tree;
without it the release build in build/ is tested.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from objects import section
from sets import Sets

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = SOURCE / os.environ.get("PYELFGEN_BUILD", "build")

# A sanitizer's complaint must not be taken for a program's own failure.
SANITIZER_STATUS = 99


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long; left out under the sanitizers")
    config.addinivalue_line("markers", "long: takes seconds or minutes, or is one of many alike; only run by ./dev check")
    config.addinivalue_line("markers", "alike(most=4): all but so many of its variants are long")


def listed_as_long(sanitizers):
    """The tests that tests/long.txt lists: FILE::TEST with its variant, or without for all of them, or FILE alone."""
    lines = (SOURCE / "tests" / "long.txt").read_text().splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    return {line.removeprefix("sanitizers ") for line in lines if sanitizers or not line.startswith("sanitizers ")}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks those tests as long that long.txt lists, and of those that have variants which are alike all but a few.

    The few are evenly spread, the first and the last among them; under the
    sanitizers, where each takes longer, they are half as many.
    """
    half = sanitized(BUILD)
    variants = {}
    for item in items:
        if item.get_closest_marker("alike") and not item.get_closest_marker("long"):
            variants.setdefault((item.path, item.cls, item.originalname), []).append(item)
    for alike in variants.values():
        mark = alike[0].get_closest_marker("alike")
        most = mark.args[0] if mark.args else 4
        if half:
            most = -(-most // 2)
        kept = {round(i * (len(alike) - 1) / max(most - 1, 1)) for i in range(most)}
        for i, item in enumerate(alike):
            if len(alike) > most and i not in kept:
                item.add_marker(pytest.mark.long)
    listed = listed_as_long(half)
    for item in items:
        names = item.path.name, f"{item.path.name}::{item.originalname}", f"{item.path.name}::{item.name}"
        if listed.intersection(names):
            item.add_marker(pytest.mark.long)


def sanitized(build):
    return "PYELFGEN_SANITIZE:BOOL=ON" in (build / "CMakeCache.txt").read_text()


def mpi_environment():
    lines = (SOURCE / "tests" / "mpi.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


class Programs:
    """The programs of a build; each run's output is text, and its status is checked."""

    def __init__(self, build):
        self.build = build
        self.sanitized = sanitized(build)
        self.beside_sets = {}
        if self.sanitized:
            # a set's executables load libpyelfrun, which has sanitizers, and have none themselves
            command = ["gcc", "-print-file-name=libasan.so"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            self.beside_sets["LD_PRELOAD"] = done.stdout.strip()

    def path(self, name):
        path = self.build / "bin" / name
        if not path.exists():
            pytest.fail(f"{path} is not built; run ./dev build")
        return str(path)

    def environment(self, leaks=True, **more):
        """The environment of the programs; a value of None removes a variable.

        Python and MPI keep memory until their end, which is no leak of ours:
        for programs that start them, leaks=False.
        """
        environment = {**mpi_environment(), **os.environ, "LC_ALL": "C"}
        environment["ASAN_OPTIONS"] = f"exitcode={SANITIZER_STATUS}:detect_leaks={int(leaks)}"
        environment["UBSAN_OPTIONS"] = f"exitcode={SANITIZER_STATUS}:print_stacktrace=1"
        environment.update(more)
        return {name: value for name, value in environment.items() if value is not None}

    def command(self, command, status=0, leaks=True, env=None, **options):
        """Runs any command in the programs' environment; status=None accepts every status.

        env has more variables; other options are those of subprocess.run.
        """
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        done = subprocess.run(
            [str(part) for part in command],
            env=self.environment(leaks, **(env or {})),
            text=True,
            errors="surrogateescape",
            **options,
        )
        assert done.returncode != SANITIZER_STATUS, done.stderr
        if status is not None:
            assert done.returncode == status, f"{done.args}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def run(self, name, *arguments, **options):
        """Runs one of the programs; options are those of command()."""
        options.setdefault("leaks", name != "pyelfrun")
        if name == "pyelfrun":
            options["env"] = {**self.beside_sets, **(options.get("env") or {})}
        return self.command([self.path(name), *arguments], **options)

    def twin(self, real, directory):
        """Makes the set of a captured profile in directory / "set"; returns what pyelfstat says of it beside the real one,
        and the text of its own profile."""
        made, report = directory / "made.prof", directory / "report.json"
        self.run("pyelfgen", "--profile", real, "-o", directory / "set", "--quiet")
        self.run("pyelfprof", "-o", made, directory / "set")
        self.run("pyelfstat", "--compare", real, made, "--json", report, status=1)
        return json.loads(report.read_text()), made.read_text()

    def mpirun(self, ranks, name, *arguments, **options):
        """Runs one of the programs with that many ranks."""
        options.setdefault("leaks", False)
        options["env"] = {**self.beside_sets, **(options.get("env") or {})}
        return self.command(["mpirun", "-n", ranks, self.path(name), *arguments], **options)


@pytest.fixture(scope="session")
def programs():
    return Programs(BUILD)


@pytest.fixture(scope="session")
def sets(programs, tmp_path_factory):
    """Sets that are generated once; see sets.py."""
    return Sets(programs, tmp_path_factory.mktemp("sets"))


@pytest.fixture(scope="session")
def small(sets):
    """A set like that of the shipped profile `small`, with a fifth of its bytes; not to be changed."""
    return sets.get("small")


@pytest.fixture(scope="session")
def shipped_small(sets):
    """The set of the shipped profile `small`; not to be changed."""
    return sets.get("shipped-small")


@pytest.fixture(scope="session")
def roomy(tmp_path_factory):
    """A directory for gigabytes: in memory where that has room."""
    memory = pathlib.Path("/dev/shm")
    if memory.is_dir() and shutil.disk_usage(memory).free > 6_000_000_000:
        directory = pathlib.Path(tempfile.mkdtemp(prefix="pyelfgen-test-", dir=memory))
    else:
        directory = tmp_path_factory.mktemp("roomy")
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def file_system(tmp_path):
    """Mounts a file system of a size in the words of tmpfs; where that cannot be, the test is skipped."""
    with contextlib.ExitStack() as stack:

        def mount(size):
            directory = tmp_path / "little"
            directory.mkdir()
            command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", directory]
            if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
                pytest.skip(f"a file system with size={size} cannot be mounted here")
            stack.callback(subprocess.run, ["umount", directory], check=True)
            return directory

        yield mount


@pytest.fixture(scope="session")
def large(programs, roomy):
    """The set of llnl-2007, 1.5 GB; not to be changed."""
    programs.run("pyelfgen", "--profile", "llnl-2007", "-o", roomy / "llnl-2007", "-q", timeout=900)
    return roomy / "llnl-2007"


@pytest.fixture(scope="session")
def tiny_library(tmp_path_factory):
    """A shared library that gcc makes of a few lines, with all five sizes and bss."""
    directory = tmp_path_factory.mktemp("tiny")
    source = directory / "tiny.c"
    source.write_text(
        "int zero[1000]; int one[100] = {1}; const char text[] = \"constant\";\n"
        "int function(int i) { return zero[i] + one[i] + text[i % 8]; }\n"
    )
    library = directory / "tiny.so"
    compiler = shutil.which("gcc") or "cc"
    subprocess.run([compiler, "-g", "-O1", "-fPIC", "-shared", "-o", library, source], check=True)
    return library


class Altered:
    """A copy of a set, to alter files of."""

    def __init__(self, directory):
        self.directory = directory

    def path(self, name):
        return self.directory / name

    def patch(self, name, offset, content):
        file = bytearray(self.path(name).read_bytes())
        before = bytes(file[offset : offset + len(content)])
        assert before != content
        file[offset : offset + len(content)] = content
        self.path(name).write_bytes(file)
        return before

    def offset(self, name, section_name, address):
        start, offset, size = section(self.path(name), section_name)
        assert start <= address < start + size
        return offset + address - start


@pytest.fixture
def altered(sets, tmp_path):
    return Altered(sets.copy("odd", tmp_path / "set"))
