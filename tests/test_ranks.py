"""Ranks of mpirun share the work of a set, or make one for each node. The bytes are those that one process makes."""

import pathlib
import random
import re
import shutil
import subprocess
import time

import pytest

from sets import SMALL, VARIANTS, profile_text, variant_text

PROFILE = profile_text(
    modules=6,
    utilities=3,
    sections={"text": 900_000, "data": 60_000, "debug": 1_500_000, "symtab": 50_000, "strtab": 150_000},
)
MANY = profile_text(modules=600, utilities=2, functions=100)
RANK = "$OMPI_COMM_WORLD_RANK"

# Starting MPI takes long, and longer with sanitizers.
slow = pytest.mark.slow
long = pytest.mark.long


@pytest.fixture(scope="module")
def profile(sets):
    return sets.write_profile("ranks", PROFILE)


@pytest.fixture(scope="module")
def alone(programs, profile, tmp_path_factory):
    """The set that one process makes; not to be changed."""
    directory = tmp_path_factory.mktemp("alone") / "set"
    programs.run("pyelfgen", "-P", profile, "-o", directory, "-q")
    return directory


@pytest.fixture
def shell(programs, tmp_path):
    """Runs a line of shell on each of several ranks. In it, pyelfgen is a function that executes the program."""

    def run(ranks, line, status=0, **options):
        script = f'pyelfgen() {{ exec {programs.path("pyelfgen")} "$@"; }}; {line}'
        command = ["mpirun", "-n", ranks, "bash", "-c", script]
        return programs.command(command, status=status, leaks=False, cwd=tmp_path, timeout=300, **options)

    return run


def same(one, other):
    """Whether `diff -r` finds no difference."""
    return subprocess.run(["diff", "-r", one, other], capture_output=True).returncode == 0


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()} if directory.exists() else {}


def complaint(done):
    """Returns the one line that pyelfgen has printed, without its beginning. Lines of mpirun do not count."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("pyelfgen: ")]
    assert done.returncode != 0 and len(lines) == 1, done.stderr
    return lines[0][len("pyelfgen: ") :]


def kept(done):
    return re.search(r"^(\d+) of (\d+) files were there already", done.stdout, flags=re.M)


# --- one set --------------------------------------------------------------------------------


def test_nothing_of_mpi_without_a_launcher(programs):
    done = subprocess.run(["ldd", programs.path("pyelfgen")], capture_output=True, text=True, check=True)
    assert "libmpi" not in done.stdout and "libpmix" not in done.stdout


def test_four_ranks(programs, profile, alone, tmp_path):
    done = programs.mpirun(4, "pyelfgen", "-P", profile, "-o", tmp_path / "set")
    assert done.stdout.count("MB   ") == 1
    assert done.stdout.endswith("\n4 ranks on 1 node shared the work\n")
    assert same(alone, tmp_path / "set")


@slow
def test_rows_in_several_languages(programs, tmp_path):
    """What differs from the rows, and in which language, comes to rank 0 from the others."""
    path = pathlib.Path(__file__).parent / "languages.prof"
    programs.run("pyelfgen", "-P", path, "-o", tmp_path / "one", "-q")
    programs.mpirun(3, "pyelfgen", "-P", path, "-o", tmp_path / "three", "-q")
    assert same(tmp_path / "one", tmp_path / "three")


@slow
def test_again(programs, profile, alone, tmp_path):
    """Only files that differ are written, whichever rank they belong to."""
    shutil.copytree(alone, tmp_path / "set")
    (tmp_path / "set" / "libmodule2.so").unlink()
    (tmp_path / "set" / "libutility0.so").write_bytes(b"\x7fELF")
    (tmp_path / "set" / ".pyelfgen-3.tmp").write_text("of a run that was killed\n")
    done = programs.mpirun(3, "pyelfgen", "-P", profile, "-o", tmp_path / "set")
    assert kept(done).groups() == ("9", "11")
    assert same(alone, tmp_path / "set")


@long
@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "many"])
def test_every_variant(name, programs, sets, tmp_path):
    profile = sets.write_profile(f"ranks-{name}", variant_text(name))
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "one", "-q")
    programs.mpirun(3, "pyelfgen", "-P", profile, "-o", tmp_path / "three", "-q")
    assert same(tmp_path / "one", tmp_path / "three")


@long
@pytest.mark.parametrize(
    "options",
    [
        ["--link"],
        ["--static"],
        ["--static", "--no-libraries"],
        ["--static", "--link", "--sources"],
        ["--link", "--bigexe", "300 MB"],
        ["--sources"],
        ["--separate", "build-id"],
        ["--split"],
        ["--compress", "zstd", "--index", "gdb_index"],
    ],
    ids=" ".join,
)
def test_every_option(options, programs, tmp_path):
    """The ranks write over an older set, whose stale files go."""
    programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "one", "-q", *options)
    programs.run("pyelfgen", "-P", SMALL, "-o", tmp_path / "set", "-q", "--seed=7", "--split", "--sources")
    programs.mpirun(3, "pyelfgen", "-P", SMALL, "-o", tmp_path / "set", "-q", *options)
    assert same(tmp_path / "one", tmp_path / "set")
    done = programs.mpirun(2, "pyelfgen", "-P", SMALL, "-o", tmp_path / "set", *options)
    assert kept(done)[1] == kept(done)[2]
    programs.mpirun(2, "pyelfgen", "-P", SMALL, "-o", tmp_path / "set", "-q", "--force", *options)
    assert same(tmp_path / "one", tmp_path / "set")


@long
def test_captured_profile(programs, tmp_path):
    """Differences from the rows are printed as by one process."""
    programs.run("pyelfprof", "-o", tmp_path / "python.prof", "/usr/lib/python3.11/lib-dynload")
    one = programs.run("pyelfgen", "-P", tmp_path / "python.prof", "-o", tmp_path / "set").stdout
    (tmp_path / "set").rename(tmp_path / "one")
    four = programs.mpirun(4, "pyelfgen", "-P", tmp_path / "python.prof", "-o", tmp_path / "set").stdout
    assert same(tmp_path / "one", tmp_path / "set")
    assert four == one + "\n4 ranks on 1 node shared the work\n"


@long
def test_large(programs, large, roomy):
    for ranks in (2, 4):
        programs.mpirun(ranks, "pyelfgen", "-P", "llnl-2007", "-o", roomy / "by-ranks", "-q")
        assert same(large, roomy / "by-ranks")
        shutil.rmtree(roomy / "by-ranks")


@long
def test_dry_run(programs, profile, tmp_path):
    one = programs.run("pyelfgen", "-P", profile, "--dry-run").stdout
    assert programs.mpirun(2, "pyelfgen", "-P", profile, "--dry-run").stdout == one


# --- a set for each node -----------------------------------------------------------------------


@slow
def test_two_nodes_of_two_ranks(profile, alone, shell, tmp_path):
    """Ranks that name another directory count as ranks on another node."""
    done = shell(4, f"pyelfgen -P {profile} --node-local set$(({RANK} / 2))")
    assert done.stdout.startswith("set0: 6 modules")
    assert done.stdout.endswith("\n4 ranks on 1 node, 2 sets of which this is the first\n")
    assert same(alone, tmp_path / "set0") and same(alone, tmp_path / "set1")


@long
def test_names_of_nodes(profile, programs, alone, tmp_path):
    host = subprocess.run(["hostname", "-s"], capture_output=True, text=True, check=True).stdout.strip()
    programs.mpirun(3, "pyelfgen", "-P", profile, "--node-local", tmp_path / "%N-%n-%t-%%", "-q")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{host}-0-{rank}-%" for rank in range(3)]
    assert all(same(alone, path) for path in tmp_path.iterdir())


@slow
def test_node_local_without_a_launcher(programs, profile, alone, tmp_path):
    programs.run("pyelfgen", "-P", profile, "--node-local", tmp_path / "%n", "-q")
    assert same(alone, tmp_path / "0")
    done = programs.run("pyelfgen", "-P", profile, "--node-local", "%x", "-q", status=2)
    assert "--node-local: '%x': %N is the host's name" in done.stderr


@long
def test_one_directory_of_two_nodes(programs, profile, shell, tmp_path):
    """Locks do not keep two sets out of one directory here, as between hosts. The ranks find out nevertheless."""
    if not shutil.which("strace") or programs.sanitized:
        pytest.skip("it takes strace, and a program without sanitizers")
    (tmp_path / "set").mkdir()
    (tmp_path / "set0").symlink_to("set")
    (tmp_path / "set1").symlink_to("set")
    pyelfgen = f"{programs.path('pyelfgen')} -P {profile} --node-local set%t -q"
    done = shell(2, f"exec strace -f -o trace.{RANK} -e inject=flock:error=ENOLCK {pyelfgen}", status=None)
    assert re.fullmatch(
        r"rank 0 on [^ ]+, and 1 more rank: set0: is also the directory of another node's set; give --node-local one "
        r"that .*",
        complaint(done),
    )
    assert list((tmp_path / "set").iterdir()) == []


# --- verifying ------------------------------------------------------------------------------------


@slow
def test_verify(alone, programs, tmp_path):
    """The rank that verifies the wrong library says so."""
    shutil.copytree(alone, tmp_path / "set")
    with open(tmp_path / "set" / "libutility1.so", "r+b") as file:
        file.seek(5000)
        file.write(b"\xff\0\xff")
    done = programs.mpirun(3, "pyelfgen", "--verify", tmp_path / "set", status=None)
    assert re.match(r"rank \d on \S+: \S+/libutility1.so: is not what was generated", complaint(done))


@slow
def test_verify_what_all_ranks_find_wrong(alone, programs, tmp_path):
    shutil.copytree(alone, tmp_path / "set")
    (tmp_path / "set" / "libmodule9.so").touch()
    done = programs.mpirun(4, "pyelfgen", "--verify", tmp_path / "set", status=1)
    assert re.match(r"rank 0 on \S+, and 3 more ranks: \S+: libmodule9.so is not in the manifest", complaint(done))


@long
def test_verify_what_is_right(alone, programs, shell):
    done = programs.mpirun(3, "pyelfgen", "--verify", alone)
    assert done.stdout == f"{alone}: every library is as its manifest says\n"
    done = shell(3, f"exec {programs.path('pyelfgen')} --verify {alone}$([ {RANK} = 0 ] || echo /)")
    assert done.stdout == f"{alone}: every library is as its manifest says, as in each of 2 places\n"


# --- what goes wrong ----------------------------------------------------------------------------


def test_full_disk_of_one_rank(profile, shell, file_system, tmp_path):
    """The line says which rank it was, and no rank leaves a file."""
    little = file_system("500k")
    (tmp_path / "n0").mkdir()
    (tmp_path / "n1").symlink_to(little)
    done = shell(3, f"pyelfgen -P {profile} --node-local n$(({RANK} / 2))/set -q", status=None)
    assert re.fullmatch(
        r"rank 2 on [^ :]+: n1/set/[^ ]+: cannot write the file; make room, and run again: No space left on device", complaint(done)
    )
    assert list((tmp_path / "n0").iterdir()) == list(little.iterdir()) == []


@long
def test_full_disk_of_one_node(sets, shell, file_system, tmp_path):
    """The other rank stops too. It does not write its executable to the end, which would be of no use."""
    many = sets.write_profile("ranks-many", MANY)
    little = file_system("500k")
    (tmp_path / "n0").mkdir()
    (tmp_path / "n0" / "set").mkdir()
    (tmp_path / "n1").symlink_to(little)
    options = f"--static --no-libraries --node-local n{RANK}/set -q -j1"
    done = shell(2, f"pyelfgen -P {many} {options}", status=None)
    assert re.fullmatch(
        r"rank 1 on [^ :]+: n1/set/pyelf-static: cannot write the file; make room, and run again: No space left on device", complaint(done)
    )
    assert list((tmp_path / "n0" / "set").iterdir()) == list(little.iterdir()) == []


@long
def test_full_disk_when_the_other_node_is_done(profile, shell, file_system, tmp_path):
    """The complete set of the other node goes too, with its manifest."""
    little = file_system("50m,nr_inodes=14")  # no inode is left for the manifest
    (tmp_path / "n0").mkdir()
    (tmp_path / "n1").symlink_to(little)
    done = shell(2, f"pyelfgen -P {profile} --node-local n{RANK}/set -q", status=None)
    assert re.fullmatch(r"rank 1 on [^ :]+: n1/set/manifest.json: .*: No space left on device", complaint(done))
    assert list((tmp_path / "n0").iterdir()) == list(little.iterdir()) == []


@slow
def test_another_profile(profile, shell, tmp_path):
    done = shell(2, f"pyelfgen -P {profile} -o set --seed {RANK}", status=None)
    assert complaint(done).startswith("rank 1 on ") and "is another than on rank 0; " in complaint(done)
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []


def only(rank, options):
    """Returns words for `shell` that are these options on that rank, and nothing on the others."""
    return f"$([ {RANK} = {rank} ] && echo {options})"


OTHER_OPTIONS = r"\S+: its options are others than those of rank 0; give all ranks the same"


@long
@pytest.mark.parametrize(
    "arguments, message",
    [
        ("-P no/where -o set", r"rank 0 on \S+, and 2 more ranks: .*no/where.*"),
        (f"{only(2, '--no-such')} -P no/where -o set", r"rank 0 on \S+, and 2 more ranks: .*no/where.*"),
        ("-P small -o set --no-such", r"rank 0 on \S+, and 2 more ranks: there is no option .*"),
        (f"-P small -o set{RANK}", r"rank 1 on \S+, and 1 more rank: -o is another directory .*--alone"),
        (f"-P small -o set {only(2, '--no-such')}", r"rank 2 on \S+: there is no option .*"),
        (f"-P small -o set {only(2, '--force')}", rf"rank 2 on {OTHER_OPTIONS}"),
        (f"-P small -o set {only(2, '--dry-run -j3')}", rf"rank 2 on {OTHER_OPTIONS}"),
        (f"$([ {RANK} = 1 ] && echo -P small -o set || echo --verify .)", rf"rank 1 on {OTHER_OPTIONS}"),
    ],
)
def test_refused(arguments, message, shell, tmp_path):
    """All ranks end with the status of the first that failed, which is 2 for a wrong command line."""
    done = shell(3, f"pyelfgen {arguments}", status=None)
    assert re.fullmatch(message, complaint(done))
    assert done.returncode == (1 if "no/where" in arguments else 2)
    assert list(tmp_path.iterdir()) == []


@long
@pytest.mark.parametrize(
    "make, message",
    [
        (
            "true",
            "there/set: cannot open the directory: No such file or directory; rank 0 has just written there: give a "
            "directory that all hosts share, or --node-local DIR for a set on each",
        ),
        ("mkdir there/set", "there/set: is another directory here; rank 0 has just written there: .*"),
    ],
    ids=["missing", "another"],
)
def test_directory_that_is_not_shared(make, message, shell, programs, tmp_path):
    """Ranks 1 and 2 have file systems of their own, as if on another host."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        pytest.skip("directories cannot be made to differ between processes here")
    (tmp_path / "there").mkdir()
    command = f"{programs.path('pyelfgen')} -P small -o there/set"
    elsewhere = f"exec unshare -m bash -c 'mount -t tmpfs none there && {make} && exec {command}'"
    done = shell(3, f"[ {RANK} = 0 ] || {elsewhere}; exec {command}", status=None)
    assert re.fullmatch(rf"rank 1 on \S+, and 1 more rank: {message}", complaint(done))
    assert list((tmp_path / "there").iterdir()) == []


@long
def test_killed_rank(programs, sets, tmp_path):
    """No manifest is left, and the next run completes the set."""
    profile = sets.write_profile("ranks-many", MANY)
    line = f"echo $$ >{RANK}.pid; exec {programs.path('pyelfgen')} -P {profile} -o set -q -j1"
    command = ["mpirun", "-n", "2", "bash", "-c", line]
    run = subprocess.Popen(command, cwd=tmp_path, env=programs.environment(False), stderr=subprocess.DEVNULL)
    while not (tmp_path / "set").exists() or len(list((tmp_path / "set").iterdir())) < 20:
        assert run.poll() is None
        time.sleep(0.001)
    subprocess.run(["kill", "-KILL", (tmp_path / "1.pid").read_text().strip()], check=True)
    assert run.wait(60) != 0
    assert not (tmp_path / "set" / "manifest.json").exists()
    programs.mpirun(3, "pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q")
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "one", "-q")
    assert same(tmp_path / "one", tmp_path / "set")


@long
@pytest.mark.parametrize("seed", range(12))
def test_fault_of_one_rank(seed, programs, shell, profile, alone, tmp_path):
    """Some call of one rank fails, or the rank is killed there. Each file with its final name is right, one line says
    what failed, and the next run completes the set."""
    if programs.sanitized:
        pytest.skip("what is preloaded has no sanitizers")
    chance = random.Random(seed)
    kind, rank = chance.choice(["kill", "eio", "enospc", "emfile"]), chance.randrange(3)
    if seed % 2:  # an older set with some damaged libraries
        shutil.copytree(alone, tmp_path / "set")
        for library in chance.sample(sorted((tmp_path / "set").glob("*.so")), 5):
            library.write_bytes(library.read_bytes()[:-1])
    before = content(tmp_path / "set")
    fault = f"FAULT_AFTER=.pyelfgen- FAULT_KIND={kind} FAULT_AT={chance.randrange(1, 30)}"
    preload = f"export LD_PRELOAD={programs.build}/lib/libinject.so {fault}"
    done = shell(3, f"[ {RANK} != {rank} ] || {preload}; pyelfgen -P {profile} -o set -q", status=None)
    there, whole = content(tmp_path / "set"), content(alone)
    temporary = [name for name in there if name.endswith(".tmp")]
    if done.returncode == 0:
        assert there == whole
    elif kind != "kill":
        assert complaint(done).startswith(f"rank {rank} on ") and not temporary
    for name in set(there) - set(temporary):
        assert there[name] in (whole[name], before.get(name)), name
    assert "manifest.json" not in there or there in (whole, before)
    programs.mpirun(2, "pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q")
    assert same(alone, tmp_path / "set")


# --- without the others -------------------------------------------------------------------------


@pytest.fixture
def without_library(programs, tmp_path):
    """A pyelfgen that was installed without pyelfgen-mpi.so."""
    (tmp_path / "bin").mkdir()
    return shutil.copy(programs.path("pyelfgen"), tmp_path / "bin")


def test_without_mpi(without_library, programs, profile, tmp_path):
    """The first rank of each host prints one line, and nothing is written."""
    for local, lines in (0, 1), (1, 0):
        environment = {name: "3" for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")}
        environment |= {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_LOCAL_RANK": str(local)}
        command = [without_library, "-P", profile, "-o", tmp_path / "set"]
        done = programs.command(command, status=1, env=environment)
        assert done.stderr.count("\n") == lines
    assert done.stdout == "" and not (tmp_path / "set").exists()
    done = programs.command(command, status=1, env={**environment, "OMPI_COMM_WORLD_LOCAL_RANK": "0"})
    assert re.match(
        r"pyelfgen: rank 2 on \S+: mpirun has started 3 processes, which cannot share the work: pyelfgen-mpi.so is "
        r"missing beside \S+/bin; .*; or give --alone, ",
        done.stderr,
    )
    done = programs.command([*command, "--no-such"], status=2, env={**environment, "OMPI_COMM_WORLD_LOCAL_RANK": "0"})
    assert re.match(r"pyelfgen: rank 2 on \S+: there is no option '--no-such'", done.stderr)
    done = programs.command([*command, "--no-such", "--al"], status=2, env=environment)
    assert done.stderr.startswith("pyelfgen: there is no option '--no-such'")
    command = [without_library, "-P", profile, "--alone", "--node-local", tmp_path / "set-%t"]
    assert programs.command(command, env=environment).stdout.startswith(f"{tmp_path}/set-2: ")


@slow
def test_several_of_which_nobody_tells_how_many(programs, profile, tmp_path):
    command = ["-P", profile, "-o", tmp_path / "set", "-q"]
    done = programs.run("pyelfgen", *command, status=1, env={"PMIX_RANK": "2"})
    assert done.stderr.startswith("pyelfgen: PMIX_RANK says that this is one of several processes, ")
    programs.run("pyelfgen", *command, env={"PMIX_RANK": "0"})


@slow
def test_mpi_that_knows_nothing(programs, profile, tmp_path):
    """The launcher belongs to another MPI."""
    command = ["-P", profile, "-o", tmp_path / "set", "-q"]
    environment = {"PMI_SIZE": "4", "PMI_RANK": "3"}
    done = programs.run("pyelfgen", *command, status=1, leaks=False, env=environment)
    assert re.match(
        r"pyelfgen: rank 3 on \S+: mpiexec has started 4 processes, which cannot share the work: MPI knows nothing of "
        "them; ",
        done.stderr,
    )
    assert not (tmp_path / "set").exists()
