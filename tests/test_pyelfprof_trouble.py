"""pyelfprof where something is wrong with what it is to capture: one line says what, and there is no wrong profile."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from captures import Capture


@pytest.fixture
def refused(programs, tmp_path):
    """Runs pyelfprof, which is to fail with one line and without a profile; returns the line."""

    def run(*arguments, status=1, **options):
        output = tmp_path / "refused.prof"
        done = programs.run("pyelfprof", "--no-dwarf", "-o", output, *arguments, status=status, leaks=False, **options)
        assert not output.exists() and len(done.stderr.splitlines()) == 1, done.stderr
        return done.stderr.removeprefix("pyelfprof: ").removesuffix("\n")

    return run


# ---- scripts ----


def debian():
    """An environment in which python3 is the one of the system."""
    return {"PATH": os.pathsep.join(["/usr/bin", os.environ["PATH"]])}


@pytest.mark.parametrize(
    "text, said",
    [
        ("import zlib\nx = = 3\n", ":2: cannot be run as Python: invalid syntax; nothing is captured"),
        (
            "x = 1\nimport no_such_module\n",
            ":2: had imported no extension module when it raised"
            " ModuleNotFoundError: No module named 'no_such_module'; nothing is captured",
        ),
        ("import sys\nsys.exit(3)\n", ": ended with status 3 and had imported no extension module; nothing is captured"),
        (
            "import os\nos._exit(0)\n",
            ": ended with status 0 before its end, where its modules are counted; nothing is captured",
        ),
        (
            "import os\nos.kill(os.getpid(), 9)\n",
            ": was ended by signal 9 (Killed) before its end, where its modules are counted; nothing is captured",
        ),
    ],
)
def test_a_script_that_fails(refused, tmp_path, text, said):
    script = tmp_path / "script.py"
    script.write_text(text)
    assert refused("--python", script, env=debian()) == f"{script}{said}"


def test_a_script_that_is_none(refused, tmp_path):
    missing = tmp_path / "missing.py"
    assert refused("--python", missing) == f"{missing}: cannot be read: No such file or directory"
    said = refused("--python", tmp_path, env=debian())
    assert said.startswith(f"{tmp_path}: cannot be run as Python: ImportError: ")
    (tmp_path / "x.py").write_text("")
    said = refused("--python", tmp_path / "x.py", env={"PATH": str(tmp_path)})
    assert said == "python3: cannot be run: No such file or directory"


@pytest.mark.parametrize(
    "end, said",
    [
        ("import no_such_module", ":2: raised ModuleNotFoundError: No module named 'no_such_module'"),
        ("import json; json.loads('{')", ":2: raised JSONDecodeError: "),
        ("import sys; sys.exit(3)", ": ended with status 3"),
    ],
)
def test_a_script_that_fails_later(programs, tmp_path, end, said):
    """What it had imported is captured, and the status says that it is not all."""
    script = tmp_path / "script.py"
    script.write_text(f"import _decimal\n{end}\nimport mmap\n")
    output = tmp_path / "x.prof"
    command = ["--no-dwarf", "--names", "-o", output, "--python", script]
    done = programs.run("pyelfprof", *command, status=1, leaks=False, env=debian())
    assert done.stderr.startswith(f"pyelfprof: {script}{said}") and len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith("; what it had imported until then is captured\n")
    names = [row["name"].split(".")[0] for row in Capture(output).rows]
    assert "_decimal" in names and "mmap" not in names


def test_a_script_imports_what_it_imports(programs, tmp_path):
    """Nothing that pyelfprof itself needs counts; archives and directories run, too."""
    script = tmp_path / "app" / "__main__.py"
    script.parent.mkdir()
    script.write_text("import sys\nprint(__name__, sys.argv[1:], sys.modules['__main__'].__dict__ is globals())\n")
    output = tmp_path / "x.prof"
    subprocess.run(["/usr/bin/python3", "-m", "zipapp", script.parent, "-o", tmp_path / "app.pyz"], check=True)
    for run in (script, script.parent, tmp_path / "app.pyz"):
        command = ["--no-dwarf", "--names", "-o", output, "--python", run, "-x", "y"]
        done = programs.run("pyelfprof", *command, leaks=False, env=debian())
        assert done.stdout == "__main__ ['-x', 'y'] True\n"
        if run == script:
            assert not any(".cpython-" in row["name"] for row in Capture(output).rows)


def test_a_script_that_leaves_a_process(programs, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import os, time\nif os.fork() == 0:\n    time.sleep(5)\n    os._exit(0)\n")
    command = [programs.path("pyelfprof"), "--no-dwarf", "-o", tmp_path / "x.prof", "--python", script]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, env=programs.environment(leaks=False), check=True, timeout=4, **silent)


# ---- signals ----

WAITS = "import _decimal, time\nprint('up', flush=True)\ntime.sleep(500)\n"
IGNORES = "import signal\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n" + WAITS


def processes_with(word):
    """The processes in whose command line the word is."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:  # it has ended
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("how", ["a script", "a command", "its descendants", "a command that ignores it"])
def test_a_signal_ends_all(programs, tmp_path, how, number):
    if programs.sanitized and how != "a script":
        pytest.skip("sanitizers and audit libraries do not go together")
    script = tmp_path / "waits.py"
    script.write_text(IGNORES if "ignores" in how else WAITS)
    shell = f"(setsid /usr/bin/python3 {script} &); /usr/bin/python3 {script}; true"
    command = {"a script": ["--python", script], "its descendants": ["--run", "/bin/sh", "-c", shell]}
    command = command.get(how, ["--run", "/usr/bin/python3", script])
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    output = tmp_path / "x.prof"
    started = subprocess.Popen(
        [programs.path("pyelfprof"), "-o", output, *command],
        env=programs.environment(leaks=False, TMPDIR=str(temporary), **debian()),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    with started:
        for _ in range(2 if how == "its descendants" else 1):
            assert started.stdout.readline() == "up\n"
        assert processes_with(str(script))
        begun = time.monotonic()
        started.send_signal(number)
        assert started.wait(timeout=30) == -number
    assert processes_with(str(script)) == []
    assert list(temporary.iterdir()) == [] and not output.exists()
    if how != "its descendants":  # a shell waits for them
        assert ("ignores" in how) == (time.monotonic() - begun > 2.5)


# ---- what cannot be captured ----


def test_a_command_that_cannot_be_run(refused, tmp_path):
    assert refused("--run", "no-such-command") == "no-such-command: cannot be run: No such file or directory"
    script = tmp_path / "script"
    script.write_text("")
    assert refused("--run", script) == f"{script}: cannot be run: Permission denied"


def test_processes_that_cannot_be_captured(refused, tmp_path):
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    assert refused("--pid", gone.pid) == f"process {gone.pid}: there is no such process; see ps(1)"
    zombie = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    without = "has no memory: it is a thread of the kernel, or has ended and was not waited for"
    assert refused("--pid", zombie.pid) == f"process {zombie.pid}: {without}"
    zombie.wait()
    if "kthreadd" in pathlib.Path("/proc/2/comm").read_text():
        assert refused("--pid", 2) == f"process 2: {without}"


def test_a_process_of_another(programs, tmp_path):
    if os.geteuid() != 0 or programs.sanitized:
        pytest.skip("only root can be another, and nobody else may run what is in root's directories")
    program = pathlib.Path("/tmp") / f"pyelfprof-{os.getpid()}"
    shutil.copy(programs.path("pyelfprof"), program)
    try:
        done = subprocess.run(
            [program, "-o", "-", "--pid", str(os.getpid())], user="nobody", capture_output=True, text=True, cwd="/"
        )
    finally:
        program.unlink()
    assert done.returncode == 1 and done.stdout == ""
    told = f"pyelfprof: process {os.getpid()}: may not be looked into; run this as its owner, or as root\n"
    assert done.stderr == told


def test_patterns_that_leave_nothing(refused, small, tmp_path, tiny_library):
    none = "none of the 12 ELF files that were found is left; see --help"
    assert refused("--only", "nosuch*", small) == f"--only 'nosuch*': {none}"
    assert refused("--only", "a", "--only", "b", "--without", "c", small) == f"--only 'a' --only 'b' --without 'c': {none}"
    shutil.copy(tiny_library, tmp_path / "one.so")
    (tmp_path / "two.so").symlink_to("one.so")
    (tmp_path / "text").write_text("no library")
    one = "the one ELF file that was found is not left; see --help"
    assert refused("--without", "*", tmp_path) == f"--without '*': {one}"
    assert refused("--without", "*", tmp_path / "one.so", tmp_path / "text") == f"--without '*': {one}"
    said = refused("--only", "nosuch", "--exec", "/bin/ls")
    assert re.fullmatch(r"--only 'nosuch': none of the [2-9] ELF files that were found is left; see --help", said)


@pytest.mark.parametrize(
    "program, operands", [("pyelfprof", ["-o", "x", "/bin/ls"]), ("pyelfstat", ["--compare", "/bin/ls", "/bin/ls"])]
)
def test_a_debug_dir_that_is_none(programs, tmp_path, program, operands):
    for path, why in ((tmp_path / "missing", "No such file or directory"), ("/etc/passwd", "Not a directory")):
        done = programs.run(program, *operands, "--debug-dir", path, status=2, cwd=tmp_path)
        assert done.stderr == f"{program}: --debug-dir: '{path}' is no directory that can be searched: {why}\n"
        assert not (tmp_path / "x").exists()
