"""pyelfrun --memory runs the set that pyelfgen writes, but no file of the set is there."""

import contextlib
import json
import os
import re
import resource
import shutil

import pytest

from conftest import BUILD
from sets import PLAIN, profile_text

pytestmark = pytest.mark.skipif(not (BUILD / "bin" / "pyelfrun").exists(), reason="pyelfrun is not built")

CYCLE = """\
pyelfgen-profile: 1
libraries:
- {kind: utility, text: 40000, data: 3000, bss: 5000, debug: 90000, functions: 60, needed: '1:2'}
- {kind: utility, text: 40000, data: 3000, bss: 5000, debug: 90000, functions: 60, needed: '0:2'}
- {kind: module, text: 40000, data: 3000, bss: 5000, debug: 90000, functions: 60, needed: '0:2'}
"""


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    path = tmp_path_factory.mktemp("profile") / "odd.prof"
    path.write_text(profile_text(**PLAIN))
    return path


def run(programs, *arguments, **options):
    return programs.run("pyelfrun", "--quiet", *arguments, leaks=False, **options)


def results(programs, path, *arguments):
    run(programs, "--json", path, *arguments)
    return json.loads(path.read_text())


def counters(results, phase):
    (found,) = (p["counters"] for p in results["runs"][0]["phases"] if p["name"] == phase)
    return {counter["name"]: counter["per-rank"] for counter in found if counter["source"] in ("sde", "audit")}


def test_it_is_the_set_on_disk(programs, profile, sets, tmp_path):
    """Results, counts and the manifest are the same. The manifest has the digests of all libraries."""
    how = ["--phases=import,visit", "--counters=sde"]
    disk = results(programs, tmp_path / "disk.json", *how, sets.get("odd"))
    memory = results(programs, tmp_path / "memory.json", *how, "--memory", profile)
    assert memory["set"] == {**disk["set"], "path": str(profile)}
    assert memory["options"] == {**disk["options"], "memory": "yes"} and disk["options"]["memory"] == "no"
    assert memory["runs"][0]["functions-visited"] == disk["runs"][0]["functions-visited"] > 0
    assert memory["runs"][0]["loader"] == disk["runs"][0]["loader"] + ", from memory"
    for phase in ("import", "visit"):
        assert counters(memory, phase) == counters(disk, phase)


@pytest.mark.slow
def test_the_dynamic_linker_looks_for_no_file(programs, profile, sets, tmp_path):
    """The dynamic linker is given each library, and finds what that needs among the libraries that are loaded."""
    how = ["--phases=import", "--no-python", "--counters=none", "--audit"]
    if programs.sanitized:
        pytest.skip("the sanitizer's runtime and auditing do not go together")
    disk = counters(results(programs, tmp_path / "disk.json", *how, sets.get("odd")), "import")
    memory = counters(results(programs, tmp_path / "memory.json", *how, "--memory", profile), "import")
    assert memory["objects-opened"] == disk["objects-opened"] == [8]
    assert memory["files-tried"] == [8] and memory["files-failed"] == [0]
    assert disk["files-tried"][0] > 8


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("strace"), reason="there is no strace")
def test_no_file_of_the_set_is_opened(programs, profile, tmp_path):
    if programs.sanitized:
        pytest.skip("leaks cannot be looked for under strace")
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-o", trace, "-e", "trace=open,openat", programs.path("pyelfrun"), "--memory", profile]
    assert "every result right" in programs.command([*command, "--phases=import,visit"]).stdout
    opened = re.findall(r'open(?:at)?\((?:AT_FDCWD, )?"([^"]*)"', trace.read_text())
    assert [path for path in opened if re.search(r"libmodule|libutility|manifest\.json", path)] == []
    assert len({path for path in opened if path.startswith("/proc/self/fd/")}) >= 8


@pytest.mark.slow
def test_ranks(programs, profile):
    """Every rank has a set of its own."""
    how = ["--launcher=mpirun -n 2", "--import-order=random:3", "--visit-order=shifted"]
    done = run(programs, *how, "--counters=none", "--memory", profile)
    assert re.search(r"^mode vanilla, 2 ranks, 4 modules imported by CPython [\d.]+, from memory$", done.stdout, flags=re.M)
    assert "every result right" in done.stdout and done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--split", "--seed=9"], ["--separate=debuglink", "--hash=sysv"]])
def test_sets_of_other_options(options, programs, profile):
    memory = BUILD / "libexec" / "pyelfgen" / "pyelf-memory"
    runner = [programs.path("pyelfrun"), "--memory", "--phases=import,visit"]
    command = [memory, "-q", *options, profile, *runner, profile]
    done = programs.command(command, leaks=False, env=programs.beside_sets)
    assert "every result right" in done.stdout and done.stderr == ""


def limited(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
def test_the_limit_of_descriptors_is_raised(programs, profile):
    """The soft limit is raised by what libraries take, up to the hard limit. If that is too low, a message says so."""
    how = ["--memory", "--no-python", "--phases=import", profile]
    assert "from memory" in run(programs, *how, preexec_fn=limited(12, 512)).stdout
    memory = BUILD / "libexec" / "pyelfgen" / "pyelf-memory"
    for soft, raised in {12: 136, 300: 308, 510: 512}.items():
        done = programs.command([memory, "-q", profile, "sh", "-c", "ulimit -n"], preexec_fn=limited(soft, 512))
        assert int(done.stdout) == raised
    done = run(programs, *how, preexec_fn=limited(40, 100), status=1)
    assert done.stderr == (
        "pyelfrun: 8 libraries in memory need a descriptor each, 136 with those of MPI and Python, and no more than "
        "100 may be open here; raise the hard limit (ulimit -Hn 136), or take fewer libraries\n"
    )


@pytest.mark.parametrize(
    "arguments, status, said",
    [
        (["--memory"], 2, "pyelfrun: which set? name its directory; see --help"),
        (["--memory", "nonesuch"], 1, "pyelfrun: there is no profile 'nonesuch'"),
        (["--memory", "--mode=link", "small"], 2, "--memory: mode link is an executable"),
        (["--memory", "--cold", "small"], 2, "--memory: no file is read, so that --cold and --warm mean nothing"),
        (["--simulate", "--warm", "small"], 2, "--simulate: nothing is timed, so that --cold and --warm mean nothing"),
    ],
)
def test_wrong_use(arguments, status, said, programs):
    done = run(programs, *arguments, status=status)
    assert said in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""


@pytest.mark.slow
def test_what_cannot_be_loaded_from_memory(programs, tmp_path):
    """Libraries without DT_SONAME, whose names only files have, and libraries that need one another."""
    nameless = tmp_path / "nameless.prof"
    nameless.write_text(profile_text(modules=2, utilities=1, functions=20, elf={"soname": False}))
    done = run(programs, "--memory", nameless, status=2)
    assert "has no DT_SONAME to be known by in memory; remove 'soname: false' from the profile" in done.stderr
    cycle = tmp_path / "cycle.prof"
    cycle.write_text(CYCLE)
    done = run(programs, "--memory", cycle, status=1)
    assert "libutility1.so needs libutility0.so, which needs it, directly or through others" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_standard_streams_that_are_closed(programs, profile):
    """No library gets the descriptor of a stream that is closed."""
    memory = BUILD / "libexec" / "pyelfgen" / "pyelf-memory"
    command = ["sh", "-c", '"$@" <&-', "sh", memory, "-q", profile, "sh", "-c", "ls -l /proc/self/fd/0 >&2"]
    done = programs.command(command, status=None)
    assert done.returncode and "memfd" not in done.stderr


def test_a_list_that_is_empty(programs):
    """An empty variable counts as none, because shells leave one that way."""
    done = run(programs, "--memory", "--no-python", "--phases", "import", "small", env={"PYELFGEN_MEMORY": ""})
    assert "8 modules imported by dlopen, from memory" in done.stdout


def test_a_list_that_is_none(programs):
    done = run(programs, "--memory", "--no-python", "small", env={"PYELFGEN_MEMORY": "999"}, status=1)
    assert "PYELFGEN_MEMORY names no set in memory, or mpirun or srun" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_set_from_elsewhere(programs, profile):
    """A set from another profile than the results would name is refused, and one that mpirun does not hand on."""
    memory = BUILD / "libexec" / "pyelfgen" / "pyelf-memory"
    command = [programs.path("pyelfrun"), "--no-python", "--memory"]
    how = {"leaks": False, "env": programs.beside_sets}
    done = programs.command([memory, "-q", profile, *command, "other"], status=1, **how)
    assert f"the set in memory was made from {profile}, not from other; give both programs one name" in done.stderr
    done = programs.command([memory, "-q", profile, "mpirun", "-n", "1", *command, profile], status=1, **how)
    assert "let them start pyelfrun --memory PROFILE, or pyelf-memory\n" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "manifest, said", [(None, "what is in memory is no manifest; start"), (b"{}", "is not a manifest of pyelfgen")]
)
def test_a_manifest_that_is_none(manifest, said, programs):
    with contextlib.ExitStack() as stack:

        def hold(fd):
            stack.callback(os.close, fd)
            return fd

        given = hold(os.open("/dev/null", os.O_RDONLY) if manifest is None else os.memfd_create("manifest"))
        os.write(given, manifest) if manifest else None
        fd = hold(os.memfd_create("list"))
        os.write(fd, b"%d small\n%d liba.so\n" % (given, given))
        how = {"env": {"PYELFGEN_MEMORY": str(fd)}, "pass_fds": [given, fd], "status": 1}
        done = run(programs, "--memory", "--no-python", "small", **how)
    assert re.fullmatch(f"pyelfrun: rank 0 on .*: manifest.json: {said}.*\n", done.stderr), done.stderr


def test_shipped_profiles_are_found_where_it_is_installed(programs, profile, tmp_path):
    """pyelf-memory finds shipped profiles from libexec/pyelfgen, which is one directory deeper than bin."""
    directory = tmp_path / "in st" / "libexec" / "pyelfgen"
    profiles = tmp_path / "in st" / "share" / "pyelfgen" / "profiles"
    for made in (directory, profiles):
        made.mkdir(parents=True)
    shutil.copy(BUILD / "libexec" / "pyelfgen" / "pyelf-memory", directory)
    shutil.copy(profile, profiles / "ours.prof")
    done = programs.command([directory / "pyelf-memory", "ours", "printenv", "PYELFGEN_MEMORY"])
    assert done.stdout.strip().isdigit()
    done = programs.command([directory / "pyelf-memory", "other", "true"], status=1)
    assert done.stderr == "pyelf-memory: there is no profile 'other'; name a file, or one of the profiles ours\n"


@pytest.mark.parametrize(
    "arguments, status, said",
    [
        ([], 2, "give a profile and a command that loads its libraries; see --help"),
        (["small"], 2, "give a profile and a command that loads its libraries; see --help"),
        (["small", "nonesuch"], 1, "nonesuch: cannot be executed: No such file or directory"),
    ],
)
def test_wrong_use_of_pyelf_memory(arguments, status, said, programs):
    done = programs.command([BUILD / "libexec" / "pyelfgen" / "pyelf-memory", *arguments], status=status)
    assert done.stderr == f"pyelf-memory: {said}\n"
