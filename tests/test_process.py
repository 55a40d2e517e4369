"""How all programs deal with the process that they are started in: limits, descriptors, and where they print."""

import resource
import signal

import pytest


@pytest.fixture
def directory(tmp_path):
    """Where a program writes, and has to leave nothing when it fails."""
    path = tmp_path / "here"
    path.mkdir()
    return path


def on(directory, words):
    """A command line in which SET stands for a directory."""
    return [directory if word == "SET" else word for word in words]


def limited():
    """Limits files to 1 kB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


@pytest.mark.parametrize(
    "program, arguments, status",
    [
        ("pyelfgen", ["-P", "small", "-o", "."], 1),
        ("pyelfprof", ["-o", "a.prof", "SET"], 1),
        ("pyelfrun", ["--no-python", "--quiet", "--json", "a.json", "SET"], 1),
        ("pyelfprobe", ["--tools", "load", "-r", "1", "--json", "a.json", "SET"], 1),
        ("pyelfstat", ["--compare", "--no-dwarf", "--json", "a.json", "SET", "SET"], 2),
    ],
)
def test_a_file_beyond_the_limit(programs, directory, small, program, arguments, status):
    done = programs.run(program, *on(small, arguments), status=status, cwd=directory, preexec_fn=limited)
    assert "File too large" in done.stderr
    assert list(directory.iterdir()) == []


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=" ".join)
@pytest.mark.parametrize(
    "program", ["pyelfgen", "pyelfprobe", "pyelfprof", "pyelfrun", "pyelfstat", "../libexec/pyelfgen/pyelf-memory"]
)
def test_nothing_can_be_printed(programs, program, arguments):
    with open("/dev/full", "w") as full:
        done = programs.run(program, *arguments, status=1, stdout=full)
    assert done.stderr == f"{program.split('/')[-1]}: standard output: cannot write: No space left on device\n"


@pytest.mark.parametrize(
    "program, arguments",
    [("pyelfprof", ["-o", "-", "SET"]), ("pyelfstat", ["--compare", "--json", "-", "SET", "SET"])],
)
def test_descriptors_that_are_closed(programs, small, program, arguments):
    """Debug information is read through pipes. These get the numbers of the closed descriptors, which must do no
    harm."""
    command = [programs.path(program), *on(small, arguments)]
    done = programs.command(["sh", "-c", 'exec "$0" "$@" <&- 2>&-', *command])
    assert done.stdout == programs.command(command).stdout


@pytest.mark.parametrize("closed", [">&-", "<&- >&-"])
def test_descriptors_that_are_closed_for_a_command(programs, directory, closed):
    """No file that is opened for the command gets their numbers, where it would take what the command prints."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    shell = "echo said; /usr/bin/python3 -c 'import _decimal'"
    words = ["-q", "--no-dwarf", "-o", "a.prof", "--run", "sh", "-c", shell]
    lists = []
    for redirection in ("", closed):
        path = directory / "list"
        command = ["sh", "-c", f'exec "$0" "$@" {redirection}', programs.path("pyelfprof"), "--list", path, *words]
        programs.command(command, cwd=directory)
        lists.append(path.read_text())
    assert "_decimal." in lists[0] and lists[0] == lists[1]


def test_commands_end_at_the_limit(programs, directory):
    """A command under pyelfprof reacts to the limit as it would without: by default, SIGXFSZ ends it."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    grow = "head -c 4096 /dev/zero >grown; echo $? >ended"
    programs.run("pyelfprof", "-o", "a.prof", "--run", "sh", "-c", grow, status=None, cwd=directory, preexec_fn=limited)
    assert (directory / "ended").read_text() == f"{128 + signal.SIGXFSZ}\n"


@pytest.mark.parametrize(
    "program, arguments",
    [
        ("pyelfprof", ["--summary", "-o", "a.prof", "SET"]),
        ("pyelfprof", ["-o", "a.prof", "--run", "true"]),
        ("pyelfrun", ["--no-python", "--quiet", "SET"]),
        ("pyelfprobe", ["--tools", "load", "-r", "1", "SET"]),
        ("pyelfstat", ["--dwarf", "SET"]),
    ],
)
def test_children_that_are_ignored(programs, directory, small, program, arguments):
    """Some daemons and scripts start programs with SIGCHLD ignored, which would make the kernel forget how children
    end."""
    if programs.sanitized and "--run" in arguments:
        pytest.skip("sanitizers and audit libraries do not go together")

    def ignoring():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    programs.run(program, *on(small, arguments), leaks=False, cwd=directory, preexec_fn=ignoring)
