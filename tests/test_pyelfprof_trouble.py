"""pyelfprof where something is wrong with what it is to capture. One line says what, and no wrong profile is written.
"""

import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from captures import Capture
from objects import ask, tool
from sets import mostly_long


@pytest.fixture
def refused(programs, tmp_path):
    """Runs pyelfprof, which has to fail with one line and without a profile. Returns the line."""

    def run(*arguments, status=1, **options):
        output = tmp_path / "refused.prof"
        done = programs.run("pyelfprof", "--no-dwarf", "-o", output, *arguments, status=status, leaks=False, **options)
        assert not output.exists() and len(done.stderr.splitlines()) == 1, done.stderr
        return done.stderr.removeprefix("pyelfprof: ").removesuffix("\n")

    return run


# ---- where the result goes ----

RESULTS = {
    "capture": (1, "pyelfprof", "--no-dwarf", "-o"),
    "comparison": (2, "pyelfstat", "--compare", "SET", "--json"),
    "page": (2, "pyelfstat", "--compare", "SET", "--html"),
    "run": (1, "pyelfrun", "--json"),
    "runs": (1, "pyelfrun", "--repeat=2", "--json"),
    "measurement": (1, "pyelfprobe", "-q", "--tools=nm", "--json"),
}


@pytest.mark.parametrize("what", RESULTS)
def test_a_pipe_that_has_a_name(programs, small, tmp_path, what):
    """Nobody may ever read the FIFO, so it is refused, and no file replaces it. Status 2 of --compare means that
    nothing was compared."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    status, program, *arguments = RESULTS[what]
    arguments = [small if argument == "SET" else argument for argument in arguments]
    done = programs.run(program, *arguments, fifo, small, status=status, timeout=60)
    assert done.stderr.endswith(f"{fifo}: is no regular file; give another name\n") and done.stderr.count("\n") == 1
    assert fifo.is_fifo()


def test_outputs_that_are_open(programs, small):
    """Outputs that are open already: pipes of a shell, which somebody reads, and devices."""
    text = programs.run("pyelfprof", "--no-dwarf", "-o", "-", small).stdout
    assert text.startswith("pyelfgen-profile: 1\n")
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        assert programs.run("pyelfprof", "--no-dwarf", "-o", name, small).stdout == text
    programs.run("pyelfprof", "--no-dwarf", "-o", "/dev/null", small)
    assert pathlib.Path("/dev/null").is_char_device()


def test_what_was_written_is_said(programs, small, tiny_library, tmp_path):
    """pyelfprof says what it wrote, unless something else uses standard output."""
    output = tmp_path / "x.prof"

    def said(*arguments, status=0):
        return programs.run("pyelfprof", "--no-dwarf", "-o", *arguments, status=status, leaks=False, env=debian()).stdout

    assert said(output, small) == f"{output}: 12 libraries\n"
    assert said(output, tiny_library) == f"{output}: 1 library\n"
    assert said(output, "-q", tiny_library) == ""
    (tmp_path / "text").write_text("no library")
    assert said(output, tiny_library, tmp_path / "text", status=1) == f"{output}: 1 library, 1 could not be read\n"
    assert said("/dev/null", tiny_library) == ""
    assert said("/dev/stdout", tiny_library).count("libraries") == said("-", tiny_library).count("libraries")
    script = tmp_path / "script.py"
    script.write_text("import zlib, _decimal\nprint('its own')\n")
    assert said(output, "--python", script) == "its own\n"
    (tmp_path / "x.prof").unlink()
    assert said(tmp_path / "no" / "x.prof", tiny_library, status=1) == ""


# ---- scripts ----


def debian():
    """Returns an environment in which python3 is the system's."""
    return {"PATH": os.pathsep.join(["/usr/bin", os.environ["PATH"]])}


UNTOLD = "before its end, where its modules are counted, or had closed all descriptors; nothing is captured"

# Code for a script that finds the pipe by which its modules are reported, the only one that is no standard stream.
FIND_REPORT = """import os
pipes = [int(n) for n in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{n}')]
report = [n for n in pipes if n > 2 and os.readlink(f'/proc/self/fd/{n}').startswith('pipe:')][0]
"""


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
            f": ended with status 0 {UNTOLD}",
        ),
        (
            "import os\nos.kill(os.getpid(), 9)\n",
            f": was ended by signal 9 (Killed) {UNTOLD}",
        ),
        (
            "import os, signal, _decimal\nos.kill(os.getpid(), signal.SIGTERM)\n",
            f": was ended by signal 15 (Terminated) {UNTOLD}",
        ),
        (f"{FIND_REPORT}os.write(report, b'x')\nos._exit(0)\n", f": ended with status 0 {UNTOLD}"),
        (f"{FIND_REPORT}os.write(report, b'0\\0x')\nos._exit(0)\n", f": ended with status 0 {UNTOLD}"),
        (f"{FIND_REPORT}os.write(report, b'0\\0\\0/x')\nos._exit(0)\n", f": ended with status 0 {UNTOLD}"),
    ],
)
def test_a_script_that_fails(refused, tmp_path, text, said):
    script = tmp_path / "script.py"
    script.write_text(text)
    assert refused("--python", script, env=debian()) == f"{script}{said}"


def test_a_script_that_closes_all_descriptors(refused, tmp_path):
    """One of the script's own files then has the descriptor of the report. Nothing may be written into it."""
    own = [tmp_path / f"own{i}" for i in range(60)]
    script = tmp_path / "script.py"
    script.write_text(f"import os\nos.closerange(3, 256)\nheld = [open(path, 'wb') for path in {[str(o) for o in own]}]\n")
    assert refused("--python", script, env=debian()) == f"{script}: ended with status 0 {UNTOLD}"
    assert all(path.read_bytes() == b"" for path in own)


@pytest.mark.parametrize("how", ["a file", "a process", "standard input", "a FIFO"])
def test_a_script_that_can_be_read_once(programs, tmp_path, how):
    """The script is read only once, and all that it imports is captured."""
    text, output = "import sys, _decimal\nassert sys.argv[1:] == ['x']\n", tmp_path / "x.prof"
    script = tmp_path / "script.py"
    script.write_text(text)
    words = {
        "a file": f"{script} x",
        "a process": f"<(cat {script}) x",
        "standard input": f"/dev/stdin x < {script}",
        "a FIFO": f"{tmp_path}/fifo x & cat {script} > {tmp_path}/fifo; wait $!",
    }
    os.mkfifo(tmp_path / "fifo")
    command = [programs.path("pyelfprof"), "-q", "--no-dwarf", "--names", "-o", output, "--python"]
    line = " ".join(map(str, command)) + " " + words[how]
    subprocess.run(["/bin/bash", "-c", line], check=True, timeout=60, env={**os.environ, **debian()})
    assert "_decimal" in output.read_text()


@pytest.mark.parametrize("words", [["-c", "import zlib"], ["-m", "json"], ["-"], ["-x"]])
def test_options_of_python_are_no_script(programs, tmp_path, words):
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", "--python", *words, status=2)
    more = " ..." if words[1:] else ""
    said = f"--python takes a SCRIPT, and '{words[0]}' is none; give --run python3 {words[0]}{more}"
    assert said in done.stderr and not (tmp_path / "x.prof").exists()


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
    """What the script had imported by then is captured. The status says that this is not all."""
    script = tmp_path / "script.py"
    script.write_text(f"import _decimal\n{end}\nimport mmap\n")
    output = tmp_path / "x.prof"
    command = ["-q", "--no-dwarf", "--names", "-o", output, "--python", script]
    done = programs.run("pyelfprof", *command, status=1, leaks=False, env=debian())
    assert done.stderr.startswith(f"pyelfprof: {script}{said}") and len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith("; what it had imported until then is captured\n")
    names = [row["name"].split(".")[0] for row in Capture(output).rows]
    assert "_decimal" in names and "mmap" not in names


def test_a_script_where_no_path_is_set(programs, tmp_path):
    """Python does not know then where it is, but is found all the same."""
    (tmp_path / "app.py").write_text("import _json\n")
    command = ["env", "-u", "PATH", programs.path("pyelfprof"), "--no-dwarf", "--names", "-o", tmp_path / "x.prof"]
    programs.command([*command, "--python", tmp_path / "app.py"], leaks=False)
    assert [row["name"] for row in Capture(tmp_path / "x.prof").rows if row["name"].startswith("python3")]


def test_a_script_imports_what_it_imports(programs, tmp_path):
    """Modules that pyelfprof itself needs in the process do not count. A script may also be a directory or an
    archive."""
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


@pytest.mark.parametrize("how", ["--python", "--run"])
def test_what_it_prints_is_not_in_the_profile(programs, tmp_path, how):
    if programs.sanitized and how == "--run":
        pytest.skip("sanitizers and audit libraries do not go together")
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/python3\nimport zlib\nprint('said')\n")
    script.chmod(0o755)
    done = programs.run("pyelfprof", "-q", "--no-dwarf", "-o", "-", how, script, env=debian(), leaks=False)
    assert done.stderr == "said\n" and done.stdout.startswith("pyelfgen-profile: ")
    assert "said" not in done.stdout


# ---- signals ----

# os.write() writes a line at once. Unbuffered, print() would write its end separately, so two lines could mix.
WAITS = "import _decimal, os, time\nos.write(1, b'up\\n')\ntime.sleep(500)\n"
IGNORES = "import signal\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n" + WAITS


def processes_with(word):
    """Returns the processes that have this word in their command line."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:  # it has ended
            continue
    return found


def wait_for(what):
    """Waits until this is true, and returns it."""
    deadline = time.monotonic() + 30
    while not (found := what()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


@pytest.mark.alike(3)
@pytest.mark.parametrize("number", mostly_long([signal.SIGINT, signal.SIGTERM, signal.SIGHUP], signal.SIGTERM))
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
    if how != "its descendants":  # a shell waits for its children
        assert ("ignores" in how) == (time.monotonic() - begun > 2.5)


@pytest.mark.parametrize(
    "command",
    [("pyelfstat", "--dwarf"), ("pyelfstat", "--compare"), ("pyelfprof", "--full")],
    ids=["dwarf", "compare", "capture"],
)
def test_readers_of_debug_information_end_with_their_program(programs, tmp_path, command):
    """Reader processes end with their program, however it ends. They would go on reading a large file for nobody."""
    profile = tmp_path / "debug.prof"
    profile.write_text("pyelfgen-profile: 1\nmodules: 1\nsections: {text: 1 MB, data: 1 MB, debug: 20 MB, symtab: 1 MB, strtab: 1 MB}\n")
    directory = tmp_path / "set"
    programs.run("pyelfgen", "-q", "-P", profile, "-o", directory)
    program, *arguments = command
    library = directory / "libmodule0.so"
    arguments += ["-o", tmp_path / "x.prof"] if program == "pyelfprof" else []
    arguments += [library] * (2 if "--compare" in command else 1)
    started = subprocess.Popen(
        [programs.path(program), *arguments],
        env=programs.environment(leaks=False),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with started:
        reader = wait_for(lambda: [int(pid) for pid in processes_with(str(library)) if int(pid) != started.pid])[0]
        # The reader limits its own time before it reads. Stopped there, it cannot finish before the check below.
        limits = pathlib.Path(f"/proc/{reader}/limits")
        wait_for(lambda: re.search(r"Max cpu time +\d", limits.read_text()))
        os.kill(reader, signal.SIGSTOP)
        started.kill()
    try:
        wait_for(lambda: processes_with(str(library)) == [])
    finally:
        for pid in processes_with(str(library)):
            os.kill(int(pid), signal.SIGKILL)


def test_an_interrupted_script_says_nothing(programs, tmp_path):
    """This holds even where the next ^C arrives while the first one is handled."""
    script = tmp_path / "again.py"
    script.write_text(
        "import os, signal, time\n"
        "class Again(KeyboardInterrupt):\n"
        "    def __str__(self):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "try:\n"
        "    os.kill(os.getppid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
        "except KeyboardInterrupt:\n"
        "    raise Again\n"
    )
    done = subprocess.run(
        [programs.path("pyelfprof"), "-o", tmp_path / "x.prof", "--python", script],
        env=programs.environment(leaks=False, **debian()),
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_the_terminal_ends_all(programs, tmp_path):
    """^C reaches all processes of the terminal. pyelfprof does not send it on once more."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    script = tmp_path / "waits.py"
    told = "import signal\nsignal.signal(2, lambda *a: print('told', flush=True))\n"
    script.write_text(told + WAITS.replace("500", "1") + "time.sleep(500)\n")
    command = [programs.path("pyelfprof"), "-o", str(tmp_path / "x.prof"), "--run", "/usr/bin/python3", str(script)]
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TMPDIR"] = str(tmp_path)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whatever started the tests may ignore the signal
        os.execv(command[0], command)
    said = b""
    while b"up" not in said:
        said += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    try:
        while more := os.read(terminal, 1000):
            said += more
    except OSError:  # the last process has closed the terminal
        pass
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT
    assert said.count(b"told") == 1
    assert processes_with(str(script)) == [] and [path.name for path in tmp_path.iterdir()] == ["waits.py"]


def test_a_reader_that_leaves(programs, tmp_path):
    """What the command writes to standard error is lost, and everything else goes on."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    output = tmp_path / "x.prof"
    reading, writing = os.pipe()
    os.close(reading)
    words = ["--no-dwarf", "-o", output, "--run", "/bin/sh", "-c", f"echo 1 >&2; echo 2 >&2; : >{tmp_path}/ran"]
    command = [programs.path("pyelfprof"), *words]
    subprocess.run(command, env=programs.environment(TMPDIR=str(tmp_path)), stderr=writing, check=True)
    os.close(writing)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ran", "x.prof"]


def test_nobody_reads_what_is_said(programs, tiny_library, tmp_path):
    """The profile is written by then, so that is no failure."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as nowhere:
        done = programs.run("pyelfprof", "-o", tmp_path / "p.prof", tiny_library, stdout=nowhere)
    assert done.stderr == "" and (tmp_path / "p.prof").exists()


def test_a_process_that_never_stops_writing(programs, tmp_path):
    """It was left running, and its output goes on without pyelfprof."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    output = tmp_path / "x.prof"
    shell = "yes >&2 & echo $! >writer; sleep 0.2; exit 0"
    command = [programs.path("pyelfprof"), "-q", "--no-dwarf", "-o", output, "--run", "/bin/sh", "-c", shell]
    try:
        subprocess.run(command, cwd=tmp_path, stderr=subprocess.DEVNULL, timeout=60, check=True)
    finally:
        os.kill(int((tmp_path / "writer").read_text()), signal.SIGKILL)
    assert "libraries:" in output.read_text()


# ---- what cannot be captured ----


def test_a_command_that_cannot_be_run(refused, tmp_path):
    assert refused("--run", "no-such-command") == "no-such-command: cannot be run: No such file or directory"
    script = tmp_path / "script"
    script.write_text("")
    assert refused("--run", script) == f"{script}: cannot be run: Permission denied"
    said = refused("--run", "/bin/true", env={"TMPDIR": str(tmp_path / "missing")})
    assert said.startswith(f"{tmp_path}/missing/pyelfprof.")
    assert said.endswith(": cannot be written; set TMPDIR to another directory: No such file or directory")


def test_a_command_that_resets_the_environment(programs, tmp_path):
    """The audit library is not in what is started so. The rest is captured, and one line says that some is missing."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    command = [programs.path("pyelfprof"), "-q", "--no-dwarf", "-o", tmp_path / "x.prof", "--run", "/bin/sh", "-c"]
    reset = ["env -i sh -c 'sleep 1; :'", "unset LD_AUDIT; sleep 1", "(env -u LD_AUDIT sleep 1 &); sleep 1"]
    told = (
        r"pyelfprof: /bin/sh: has started (/usr)?/bin/\w+( and \d processes more)? without LD_AUDIT, and what was "
        r"loaded there is missing: something resets the environment, as 'env -i' does; keep LD_AUDIT and "
        r"PYELFPROF_LOG in it, or use --pid\n"
    )
    for shell in reset:
        done = subprocess.run([*command, shell], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and re.fullmatch(told, done.stderr), shell
        assert "libraries:" in (tmp_path / "x.prof").read_text()
    kept = "env -i LD_AUDIT=$LD_AUDIT PYELFPROF_LOG=$PYELFPROF_LOG sh -c 'sleep 0.5; :'"
    for shell in [kept, "for i in 1 2 3 4 5 6 7 8 9; do (sleep 0.$i; :) & done; wait"]:
        done = subprocess.run([*command, shell], stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (0, ""), shell


LOSES = {
    "another user": "import os\nos.setuid(12345)\nos.execv('/bin/ls', ['ls', '/'])",
    "rights are dropped": "import os\nos.closerange(3, 65536)\nos.setuid(12345)\nimport _decimal",
    "another directory": "import os\nlog = '/missing/' + os.path.basename(os.environ['PYELFPROF_LOG'])\n"
    "os.execve('/bin/ls', ['ls', '/'], {**os.environ, 'PYELFPROF_LOG': log})",
}


@pytest.mark.parametrize("how", LOSES)
def test_a_process_that_cannot_write_to_the_list(programs, tmp_path, how):
    """One line says so, however soon it ends. What the others load is captured."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    audit = pathlib.Path(programs.path("../libexec/pyelfgen/libpyelflog.so")).resolve()
    if how != "another directory" and os.geteuid() != 0:
        pytest.skip("only root can be another")
    if how == "another user" and not all(part.stat().st_mode & 0o001 for part in audit.parents):
        pytest.skip("nobody else may read what is in root's directories")
    output = tmp_path / "x.prof"
    command = ["-q", "--no-dwarf", "--names", "-o", output, "--run", "/usr/bin/python3", "-c", LOSES[how]]
    done = programs.run("pyelfprof", *command, status=1, leaks=False)
    program = r"/usr/bin/python3[.\d]*" if how == "rights are dropped" else "(/usr)?/bin/ls"
    assert re.fullmatch(
        f"pyelfprof: /usr/bin/python3: has started {program} as another user or in another root directory, and what "
        "was loaded there is missing: the list of it cannot be written from there; run pyelfprof there, or use "
        "--pid\n",
        done.stderr,
    )
    names = output.read_text()
    assert "python3" in names and "selinux" not in names and "_decimal" not in names


def test_a_relative_directory_for_temporary_files(programs, tmp_path):
    """It is the same one for processes that change their directory."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    (tmp_path / "here").mkdir()
    command = ["-q", "--no-dwarf", "-o", "x.prof", "--list", "list", "--run", "sh", "-c"]
    shell = "cd /; /usr/bin/python3 -c 'import _decimal'; true"
    done = programs.run("pyelfprof", *command, shell, cwd=tmp_path, env={"TMPDIR": "here"}, leaks=False)
    assert done.stderr == "" and "/_decimal." in (tmp_path / "list").read_text()
    assert os.listdir(tmp_path / "here") == []


@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_a_list_beyond_the_limit_for_files(programs, tmp_path, blocks):
    """The command goes on. What of the list was cut off is taken for no path, and one line says why some is missing."""
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    shell = f"ulimit -f {blocks}; for i in $(seq 20); do /bin/true; done; python3 -c 'import _ssl' && echo done"
    command = ["-q", "--no-dwarf", "-o", "-", "--run", "bash", "-c", shell]
    done = programs.run("pyelfprof", *command, status=1, cwd=tmp_path, env=debian(), leaks=False)
    assert done.stderr.startswith("done\npyelfprof: bash: may only write files that are smaller than the list of what")
    assert "; raise 'ulimit -f'" in done.stderr and done.stderr.count("\n") == 2


def test_python_without_the_directory_of_the_script(programs, tmp_path):
    """With PYTHONSAFEPATH no directory stands in front of those of the user."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "script.py").write_text("import _decimal, helper\nprint(helper.__file__)\n")
    (tmp_path / "other" / "helper.py").write_text("")
    variables = {"PYTHONSAFEPATH": "1", "PYTHONPATH": str(tmp_path / "other"), **debian()}
    script = tmp_path / "one" / "script.py"
    done = programs.run("pyelfprof", "-q", "--no-dwarf", "-o", tmp_path / "x.prof", "--python", script, env=variables)
    assert done.stdout == f"{tmp_path}/other/helper.py\n"


def test_no_room_for_what_a_command_loads(programs, file_system, tmp_path):
    """Part of what the command loads is captured, and one line says that some is missing."""
    little = file_system("16k")
    room = os.statvfs(little)
    (little / "other").write_bytes(bytes((room.f_bavail - 1) * room.f_frsize))
    command = ["--run", "sh", "-c", "for i in $(seq 99); do /bin/true; done; python3 -c 'import _ssl'"]
    output = tmp_path / "part.prof"
    environment = {"TMPDIR": str(little), **debian()}
    done = programs.run(
        "pyelfprof", "-q", "--no-dwarf", "--names", "-o", output, *command, status=1, leaks=False, env=environment
    )
    assert done.stderr.startswith(f"pyelfprof: {little}: had no room for the list of what the command loaded")
    assert done.stderr.count("\n") == 1
    names = output.read_text()
    assert "libc.so" in names and "ssl" not in names
    assert os.listdir(little) == ["other"]


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


@pytest.fixture
def nobody(programs):
    """Runs pyelfprof as user nobody, in a directory of its own. Skips the test where that is not possible."""
    if os.geteuid() != 0 or programs.sanitized:
        pytest.skip("only root can be another, and nobody else may run what is in root's directories")
    with tempfile.TemporaryDirectory(prefix="pyelfprof-") as name:
        directory = pathlib.Path(name)
        directory.chmod(0o755)
        shutil.copy(programs.path("pyelfprof"), directory)

        def run(*arguments):
            command = [directory / "pyelfprof", "-o", "-", *arguments]
            return subprocess.run(command, user="nobody", group="nogroup", capture_output=True, text=True, cwd=directory)

        run.directory = directory
        yield run


def test_a_process_of_another(nobody):
    done = nobody("--pid", str(os.getpid()))
    assert done.returncode == 1 and done.stdout == ""
    told = "run this as its user and with all its capabilities, or with CAP_SYS_PTRACE, and see kernel.yama.ptrace_scope"
    assert done.stderr == f"pyelfprof: process {os.getpid()}: may not be looked into: {told}; ptrace(2) has more\n"


def test_files_that_may_not_be_read(nobody, tiny_library):
    directory = nobody.directory / "files"
    (directory / "below").mkdir(parents=True)
    (directory / "below").chmod(0o700)
    for name in ("a.so", "b.so"):
        shutil.copy(tiny_library, directory / name)
        (directory / name).chmod(0o644 if name == "a.so" else 0o600)
    for arguments in ([directory], [directory / "a.so", directory / "b.so"]):
        done = nobody("--names", *arguments)
        said = [f"pyelfprof: {directory}/below: cannot list: Permission denied"] if len(arguments) == 1 else []
        said.append(f"pyelfprof: {directory}/b.so: cannot open: Permission denied")
        assert done.returncode == 1 and done.stderr.splitlines() == said
        assert re.findall(r"name: '(.*?)'", done.stdout) == ["a.so"]


def test_patterns_that_leave_nothing(refused, programs, small, tmp_path, tiny_library):
    none = "none of the 12 ELF files that were found is left; see --help"
    assert refused("--only", "nosuch*", small) == f"--only 'nosuch*': {none}"
    assert refused("--only", "a", "--only", "b", "--without", "c", small) == f"--only 'a' --only 'b' --without 'c': {none}"
    shutil.copy(tiny_library, tmp_path / "one.so")
    (tmp_path / "two.so").symlink_to("one.so")
    (tmp_path / "text").write_text("no library")
    one = "the one ELF file that was found is not left; see --help"
    assert refused("--without", "*", tmp_path) == f"--without '*': {one}"
    assert refused("--without", "*", tmp_path / "one.so", tmp_path / "text") == f"--without '*': {one}"
    done = programs.run("pyelfprof", "-o", "-", "--only", "x", "--run", "/bin/sh", "-c", "exit 3", status=1, leaks=False)
    ended, left = done.stderr.splitlines()
    assert done.stdout == "" and ended == "pyelfprof: /bin/sh: ended with status 3"
    assert left.startswith("pyelfprof: --only 'x': none of the ")
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


# ---- files ----


def test_a_directory_with_broken_files(programs, tmp_path, tiny_library):
    """Files that do not claim to be libraries are passed over. Files that do and are broken are named."""
    directory = tmp_path / "all"
    directory.mkdir()
    content = tiny_library.read_bytes()
    shutil.copy(tiny_library, directory / "good.so")
    for name, text in {"half.so": content[: len(content) // 2], "four.so": content[:4], "zero.so": b""}.items():
        (directory / name).write_bytes(text)
    os.mkfifo(directory / "fifo.so")
    (directory / "device.so").symlink_to("/dev/zero")
    (directory / "itself.so").symlink_to("itself.so")
    (directory / "loop").symlink_to(directory)
    output = tmp_path / "x.prof"
    done = programs.run("pyelfprof", "--names", "-o", output, directory, status=1, timeout=30)
    four, half = sorted(done.stderr.splitlines())
    assert four == f"pyelfprof: {directory}/four.so: is cut off within its ELF header"
    assert half.startswith(f"pyelfprof: {directory}/half.so: has its section headers ")
    assert [row["name"] for row in Capture(output).rows] == ["good.so"]
    assert "unreadable: 2" in output.read_text()


@pytest.mark.parametrize(
    "at, value, said",
    [
        (54, 0, "says that a program header has 0 bytes instead of 56"),
        (56, 0xFFFE, "has its program headers (65534 at byte 64) outside the file"),
    ],
    ids=["size", "number"],
)
def test_program_headers_that_cannot_be(programs, tmp_path, tiny_library, at, value, said):
    """The dynamic linker loads no such file."""
    changed(tiny_library, tmp_path / "bad.so", at, value, 2)
    done = programs.run("pyelfprof", "-o", tmp_path / "x.prof", tmp_path / "bad.so", status=1)
    assert done.stderr == f"pyelfprof: {tmp_path}/bad.so: {said}\n"


CHANGES = """import os, sys, time
path, end = sys.argv[1], time.monotonic() + 60
print("up", flush=True)
for i in range(1, 1 << 40):
    os.utime(path, ns=(i, i))
    if time.monotonic() > end:
        break
"""

REPLACES = """import os, shutil, sys, time
end = time.monotonic() + 60
print("up", flush=True)
while time.monotonic() < end:
    shutil.copy(sys.argv[2], sys.argv[1] + ".new")
    os.rename(sys.argv[1] + ".new", sys.argv[1])
"""


@pytest.mark.parametrize("options", [[], ["--no-dwarf"]])
def test_a_file_that_changes(programs, tmp_path, tiny_library, options):
    """The file is so large that another process changes its time while it is read."""
    (tmp_path / "random").write_bytes(os.urandom(16_000_000))
    (tmp_path / "large.c").write_text(
        '__asm__(".section .rodata; .incbin \\"random\\"; .previous"); int f(int a) {return a;}'
    )
    large = tmp_path / "large.so"
    subprocess.run([tool("gcc"), "-g", "-shared", "-fPIC", "-o", large, "large.c"], check=True, cwd=tmp_path)
    output = tmp_path / "x.prof"
    command = ["--names", "-o", output, tiny_library, large]
    programs.run("pyelfprof", *command, *options)
    with subprocess.Popen([sys.executable, "-c", CHANGES, large], stdout=subprocess.PIPE, text=True) as changing:
        assert changing.stdout.readline() == "up\n"
        # without samples (--no-dwarf) reading takes so little time that it may need several tries
        for _ in range(1 if not options else 500):
            done = programs.run("pyelfprof", *command, *options, status=None)
            if done.returncode:
                break
        changing.kill()
    assert done.returncode == 1
    assert done.stderr == f"pyelfprof: {large}: changes while it is read; run again when it is finished\n"
    assert [row["name"] for row in Capture(output).rows] == [tiny_library.name]


def test_a_file_that_is_replaced_between(programs, tmp_path, tiny_library):
    """The file is replaced by another of the same kind, between reading its tables and reading its debug
    information."""
    library = tmp_path / "a.so"
    shutil.copy(tiny_library, library)
    output = tmp_path / "x.prof"
    command = [sys.executable, "-c", REPLACES, library, tiny_library]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as changing:
        assert changing.stdout.readline() == "up\n"
        said = set()
        for _ in range(300):
            done = programs.run("pyelfprof", "--names", "-o", output, tiny_library, library, status=None)
            assert done.returncode in (0, 1) and len(done.stderr.splitlines()) <= 1, done.stderr
            (first, *rest) = Capture(output).rows
            assert first["name"] == tiny_library.name and "dwarf" in first
            assert done.stderr == "" or done.stderr == (
                f"pyelfprof: {library}: changes while it is read; run again when it is finished\n"
            )
            said.add((done.returncode, len(rest), bool(rest) and "dwarf" in rest[0]))
            if (1, 1, False) in said and (1, 0, False) in said:
                break
        changing.kill()
    assert said <= {(0, 1, True), (1, 1, False), (1, 0, False)} and len(said) > 1


def test_a_profile_with_a_long_name(programs, tmp_path, tiny_library):
    """The name is as long as a name can be. A temporary file needs a name that is no longer."""
    output = tmp_path / "x" / ("n" * 250 + ".prof")
    output.parent.mkdir()
    programs.run("pyelfprof", "-o", output, tiny_library)
    assert list(output.parent.iterdir()) == [output]
    output = output.with_name("n" * 251 + ".prof")
    done = programs.run("pyelfprof", "-o", output, tiny_library, status=1)
    assert done.stderr == f"pyelfprof: {output}: cannot be written; choose another directory: File name too long\n"


@pytest.mark.parametrize("descriptors", range(6, 13))
def test_few_descriptors(programs, tmp_path, tiny_library, descriptors):
    """An error names the file that is read, and not the copy that it is unpacked to."""
    packed = tmp_path / "packed.so"
    subprocess.run([tool("objcopy"), "--compress-debug-sections=zlib", tiny_library, packed], check=True)
    output = tmp_path / "x.prof"
    command = ["prlimit", f"--nofile={descriptors}", programs.path("pyelfprof"), "-o", output, packed]
    done = programs.command(command, status=None, timeout=60)
    assert done.returncode == (1 if done.stderr else 0)
    for line in done.stderr.splitlines():
        named = line.startswith((f"pyelfprof: {packed}: ", f"pyelfprof: {output}: "))
        assert named and line.endswith(": Too many open files"), line


# ---- what headers say and no file can be ----


def changed(path, to, offset, value, size=8):
    """Makes a copy of the file with one number changed."""
    content = bytearray(path.read_bytes())
    content[offset : offset + size] = value.to_bytes(size, "little")
    to.write_bytes(content)
    return to


def header_of(path, name):
    """Returns the offset of the section's header in the file."""
    start = int(re.search(r"Start of section headers: +(\d+)", ask("readelf", "-hW", path))[1])
    return start + 64 * int(re.search(rf"\[ *(\d+)\] {re.escape(name)} ", ask("readelf", "-SW", path))[1])


def number_at(path, offset):
    return int.from_bytes(path.read_bytes()[offset : offset + 8], "little")


def lies(library, directory):
    """Makes files whose headers contradict the rest. Returns {path: the end of the complaint}."""
    wrong = "has inconsistent headers: "
    packed = directory / "packed"
    subprocess.run([tool("objcopy"), "--compress-debug-sections=zlib", library, packed], check=True)
    info = number_at(packed, header_of(packed, ".debug_info") + 24)  # sh_offset; a header of its own comes first
    align = number_at(library, 0x20) + 48  # p_align of the first segment, which is loaded
    size = header_of(library, ".bss") + 32
    symbols = number_at(library, header_of(library, ".dynsym") + 24)
    init = re.search(r"^ *(\d+): .* PyInit_", ask("readelf", "--dyn-syms", "-W", library), re.M)[1]
    init = symbols + 24 * int(init) + 16  # st_size of this symbol
    no_names = "symbols in .symtab, and no section .strtab with their names"
    return {
        changed(library, directory / "align.so", align, 2**64 - 1): f"{wrong}a segment aligned to {2**64 - 1} bytes",
        changed(library, directory / "odd.so", align, 12288): f"{wrong}a segment aligned to 12288 bytes",
        changed(library, directory / "names.so", header_of(library, ".strtab"), 1, 4): wrong + no_names,
        changed(packed, directory / "packed.so", info + 8, 2**53): f" bytes would have {2**53} uncompressed",
        changed(library, directory / "bss.so", size, 2**60): f"{wrong}{2**60} bytes of bss, where there can be {2**47}",
        changed(library, directory / "init.so", init, 2**62): f" bytes in its init function, where there can be {2**47}",
    }


def test_numbers_that_cannot_be(programs, tmp_path, small):
    """Such files are named and left out. pyelfgen accepts the profile of the others."""
    library = tmp_path / "good.so"
    shutil.copy(small / "libmodule0.so", library)
    told = lies(library, tmp_path)
    first = number_at(library, header_of(library, ".symtab") + 24) + 24
    local = changed(library, tmp_path / "local.so", first + 6, 0, 2)  # an undefined local symbol
    output = tmp_path / "x.prof"
    done = programs.run("pyelfprof", "--names", "-o", output, library, *told, local, status=1)
    for (path, why), line in zip(told.items(), done.stderr.splitlines(), strict=True):
        assert line.startswith(f"pyelfprof: {path}: ") and line.endswith(why), line
    rows = Capture(output).rows
    assert [row["name"] for row in rows] == ["good.so", "local.so"]
    assert "undefined" not in rows[1]["local"]
    programs.run("pyelfgen", "-P", output, "--dry-run")
