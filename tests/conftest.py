"""Fixtures and helpers of the tests from outside: the programs of one build, an environment for them, and sets.

PYELFGEN_BUILD names the build directory, relative to the top of the source tree. Without it, the release build in
build/ is tested.
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

# The exit status of a program that a sanitizer ends; it differs from all statuses of the programs themselves.
SANITIZER_STATUS = 99


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long; left out under the sanitizers")
    config.addinivalue_line("markers", "long: takes seconds or minutes, or is one of many alike; only run by ./dev check")
    config.addinivalue_line("markers", "alike(most=4): all but so many of its variants are long")


def listed_as_long(sanitizers):
    """The lines of tests/long.txt: FILE::TEST[VARIANT], FILE::TEST for all variants, or FILE.

    Lines that begin with "sanitizers" count only if `sanitizers` is true.
    """
    lines = (SOURCE / "tests" / "long.txt").read_text().splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    return {line.removeprefix("sanitizers ") for line in lines if sanitizers or not line.startswith("sanitizers ")}


def closed(schema):
    """Returns the schema without additional members, which it allows for later versions."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: closed(part) for name, part in schema.items()}
    close = parts.get("type") == "object" and "additionalProperties" not in parts
    return {**parts, "unevaluatedProperties": False} if close else parts


def closed_schema(name):
    """The schema in docs/ that what the programs write today has to follow, without a key that it does not know."""
    return closed(json.loads((SOURCE / "docs" / f"{name}.schema.json").read_text()))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks tests as long: those in long.txt, and all but a few variants of each test with the marker `alike`.

    The few are evenly spread, the first and the last among them. Under the sanitizers, where each takes longer, half as
    many are kept.
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
    """Runs the programs of a build. Their output is read as text, and their exit status is checked."""

    def __init__(self, build):
        self.build = build
        self.sanitized = sanitized(build)
        self.beside_sets = {}
        if self.sanitized:
            # a set's executables have no sanitizers but load libpyelfrun, which has
            command = ["gcc", "-print-file-name=libasan.so"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            self.beside_sets["LD_PRELOAD"] = done.stdout.strip()

    def path(self, name):
        path = self.build / "bin" / name
        if not path.exists():
            pytest.fail(f"{path} is not built; run ./dev build")
        return str(path)

    def environment(self, leaks=True, **more):
        """The environment of the programs; `more` adds variables, and a value of None removes one.

        Programs that start Python or MPI need leaks=False: these keep memory until they end, which the address
        sanitizer would report as leaks.
        """
        environment = {**mpi_environment(), **os.environ, "LC_ALL": "C"}
        environment["ASAN_OPTIONS"] = f"exitcode={SANITIZER_STATUS}:detect_leaks={int(leaks)}"
        environment["UBSAN_OPTIONS"] = f"exitcode={SANITIZER_STATUS}:print_stacktrace=1"
        environment.update(more)
        return {name: value for name, value in environment.items() if value is not None}

    def command(self, command, status=0, leaks=True, env=None, **options):
        """Runs any command in the programs' environment and asserts its exit status; status=None accepts every status.

        `env` has more variables for the environment. The other options are those of subprocess.run.
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
        """Runs one of the programs by name; the options are those of command()."""
        options.setdefault("leaks", name != "pyelfrun")
        if name == "pyelfrun":
            options["env"] = {**self.beside_sets, **(options.get("env") or {})}
        return self.command([self.path(name), *arguments], **options)

    def twin(self, real, directory, *options):
        """Generates the set of a captured profile in directory / "set", and captures it in turn.

        Returns the report of pyelfstat --compare on the two profiles, and the text of the set's profile.
        """
        made, report = directory / "made.prof", directory / "report.json"
        self.run("pyelfgen", "--profile", real, "-o", directory / "set", "--quiet", *options)
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
    """A set like that of the shipped profile `small`, with a fifth of its bytes. Tests must not change it."""
    return sets.get("small")


@pytest.fixture(scope="session")
def shipped_small(sets):
    """The set of the shipped profile `small`. Tests must not change it."""
    return sets.get("shipped-small")


@pytest.fixture(scope="session")
def roomy(tmp_path_factory):
    """A directory for gigabytes: in memory if 6 GB are free there."""
    memory = pathlib.Path("/dev/shm")
    if memory.is_dir() and shutil.disk_usage(memory).free > 6_000_000_000:
        directory = pathlib.Path(tempfile.mkdtemp(prefix="pyelfgen-test-", dir=memory))
    else:
        directory = tmp_path_factory.mktemp("roomy")
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def file_system(tmp_path):
    """mount(size) mounts a tmpfs of that size and returns its directory, or skips the test where that is impossible."""
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


# Executes a command for which the kernel does not have the system call NUMBER, as older kernels do not, and as some
# containers say.
WITHOUT = """#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NUMBER, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        execv(words[1], words + 1);
    return 1;
}
"""


@pytest.fixture
def without(tmp_path):
    """without(name) returns a program that executes a command without this system call, or skips the test where there
    can be none."""

    def make(name):
        program = tmp_path / f"without-{name}"
        command = ["gcc", f"-DNUMBER=SYS_{name}", "-x", "c", "-", "-o", program]
        subprocess.run(command, input=WITHOUT, text=True, check=True)
        if subprocess.run([program, "/bin/true"]).returncode != 0:
            pytest.skip("seccomp cannot be used here")
        return program

    return make


@pytest.fixture(scope="session")
def large(programs, roomy):
    """The set of llnl-2007, 1.5 GB. Tests must not change it."""
    programs.run("pyelfgen", "--profile", "llnl-2007", "-o", roomy / "llnl-2007", "-q", timeout=900)
    return roomy / "llnl-2007"


@pytest.fixture(scope="session")
def tiny_library(tmp_path_factory):
    """A shared library that gcc compiles from a few lines; none of its five sizes, nor bss, is 0."""
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
    """A copy of a set whose files a test may alter."""

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
