"""What pyelfrun writes about runs, and what pyelfstat --runs reads."""

import copy
import fcntl
import json
import os
import re
import signal
import subprocess
import termios
import time

import pytest

from conftest import closed_schema
from shells import as_in_a_shell

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")

SCHEMA = closed_schema("results")
PHASES = ["startup", "import", "visit", "mpi"]


def load(path):
    """Returns the results in a file, checked."""
    return checked(path.read_text())


def checked(text):
    """Returns these results, after a check against the schema and of figures against each other."""
    results = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(results)
    for run in results["runs"]:
        if run["status"] != "done":
            continue
        assert len(run["rank-hosts"]) == run["ranks"]
        for phase in run["phases"]:
            for figure in [phase["seconds"], *phase["counters"]]:
                check_figure(run, figure)
    return results


def check_figure(run, figure):
    known = [value for value in figure["per-rank"] if value is not None]
    assert len(figure["per-rank"]) == (run["ranks"] if known else 0)
    assert ("absent" in figure) == (len(known) < run["ranks"])
    if known:
        assert (figure["min"], figure["max"]) == (min(known), max(known))
        assert figure["mean"] == pytest.approx(sum(known) / len(known), abs=1e-8)
        assert figure["per-rank"].index(figure["max"]) == figure["max-rank"]
        assert figure["max-host"] == run["hosts"][run["rank-hosts"][figure["max-rank"]]]["name"]


def leftovers(directory):
    return [name for name in os.listdir(directory) if "part" in name or name.count(".") > 1]


# ---- JSON ----


def test_ranks(altered, programs, tmp_path):
    path = tmp_path / "a.json"
    done = programs.mpirun(3, "pyelfrun", "--json", path, "--visit-order", "random:7", altered.directory)
    results = load(path)
    [run] = results["runs"]
    assert (run["mode"], run["repeat"], run["status"], run["ranks"]) == ("vanilla", 1, "done", 3)
    assert [phase["name"] for phase in run["phases"]] == PHASES
    assert all(min(phase["seconds"]["per-rank"]) > 0 for phase in run["phases"])
    assert results["options"]["visit-order"] == "random:7"
    assert run["loader"].startswith("CPython 3.") and "MPI" in run["mpi"]
    assert run["hosts"] == [{"name": run["hosts"][0]["name"], "kernel": kernel(), "glibc": glibc()}]
    # The table has the same figures.
    for label, phase in zip(["import", "visit"], run["phases"][1:]):
        shown = re.search(rf"^{label} +(\S+) +(\S+)", done.stdout, flags=re.M)
        assert shown[1] in (f"{phase['seconds']['max']:.4f}", "<0.0001")
    assert leftovers(tmp_path) == []


def kernel():
    return subprocess.run(["uname", "-srm"], check=True, capture_output=True, text=True).stdout.strip()


def glibc():
    return os.confstr("CS_GNU_LIBC_VERSION").split()[1]


@pytest.mark.parametrize("more", [[], ["--repeat", "2"], ["--pynamic"]], ids=["one", "two", "pynamic"])
def test_the_standard_output(more, altered, programs, tmp_path):
    """With --json - nothing else is printed, and it has another name."""
    for name in ("-", "/dev/stdout"):
        done = programs.run("pyelfrun", *more, "--json", name, altered.directory, cwd=tmp_path)
        assert len(checked(done.stdout)["runs"]) == (2 if "2" in more else 1)
    assert os.listdir(tmp_path) == ["set"]


@pytest.mark.parametrize("more", [[], ["--repeat", "2"]], ids=["one", "two"])
def test_a_pipe(more, altered, programs, tmp_path):
    """What a shell makes of >(...) is written to, and the tables are printed all the same."""
    read, write = os.pipe()
    with open(read, encoding="utf-8") as results:
        command = ["pyelfrun", *more, "--json", f"/dev/fd/{write}", altered.directory]
        done = programs.run(*command, cwd=tmp_path, pass_fds=[write])
        os.close(write)
        assert len(checked(results.read())["runs"]) == (2 if more else 1)
    assert "every result right" in done.stdout
    assert os.listdir(tmp_path) == ["set"]


def test_identity_of_the_set(altered, programs, tmp_path):
    path = tmp_path / "a.json"
    programs.run("pyelfrun", "--json", path, "--phases", "mpi", "--no-python", altered.directory)
    results = load(path)
    manifest = json.loads((altered.directory / "manifest.json").read_text())
    digest = programs.command(["xxh128sum", altered.directory / "manifest.json"]).stdout.split()[0]
    assert results["set"] == {
        "path": str(altered.directory.resolve()),
        "manifest": digest,
        **{key: manifest[key] for key in ("application", "profile", "modules", "utilities", "functions")},
    }
    assert [phase["name"] for phase in results["runs"][0]["phases"]] == ["startup", "mpi"]
    assert results["runs"][0]["loader"] == "dlopen" and results["options"]["python"] == "no"


def test_several_runs(altered, programs, tmp_path):
    path = tmp_path / "a.json"
    done = programs.run(
        "pyelfrun", "--repeat", 3, "--launcher", "mpirun -n 2", "--phases", "import,visit", "--json", path,
        altered.directory,
    )  # fmt: skip
    results = load(path)
    runs = [(run["mode"], run["repeat"], run["ranks"]) for run in results["runs"]]
    assert runs == [("vanilla", i, 2) for i in (1, 2, 3)]
    assert results["options"]["launcher"] == "mpirun -n 2" and results["options"]["repeat"] == "3"
    # The table has the medians over all runs of the slowest rank's times.
    seconds = [[phase["seconds"]["max"] for phase in run["phases"]] for run in results["runs"]]
    medians = [sorted(column)[1] for column in [*zip(*seconds), [sum(run) for run in seconds]]]
    row = re.search(r"\n\nseconds +startup +import +visit +total +runs\nvanilla (.*) 3\n$", done.stdout)
    shown = [float(cell.strip("<")) for cell in row[1].split()]
    assert shown == [pytest.approx(value, abs=1.1e-4 if value > 1e-4 else 2e-4) for value in medians]
    assert leftovers(tmp_path) == []


def test_without_json_nothing_stays(altered, programs, tmp_path):
    env = {"TMPDIR": tmp_path}
    done = programs.run("pyelfrun", "--repeat", 2, "--phases", "import", altered.directory, leaks=False, env=env)
    assert re.search(r"^vanilla .* 2$", done.stdout, flags=re.M)
    assert leftovers(tmp_path) == []


def test_nowhere_for_the_results_of_several_runs(programs, altered, tmp_path):
    """That is said before the first run, and not after the last."""
    env = {"TMPDIR": tmp_path / "none"}
    done = programs.run("pyelfrun", "--repeat", 2, altered.directory, status=1, env=env)
    assert done.stdout == "" and done.stderr == (
        f"pyelfrun: {tmp_path}/none: cannot have the results of the runs; choose another directory with --json or"
        " TMPDIR: No such file or directory\n"
    )
    env = {**env, "OMPI_MCA_orte_tmpdir_base": str(tmp_path)}
    assert "every result right" in programs.run("pyelfrun", altered.directory, env=env).stdout


def test_a_run_that_fails(altered, programs, tmp_path):
    """The second of three runs fails. The first is kept, the second is recorded as failed, and the third does not
    start."""
    path = tmp_path / "a.json"
    script = tmp_path / "launcher"
    script.write_text('#!/bin/sh\n[ -e "$0.once" ] && exit 7\ntouch "$0.once"\nexec "$@"\n')
    script.chmod(0o755)
    arguments = ["--repeat", 3, "--launcher", script, "--phases", "import", "--json", path, altered.directory]
    done = programs.run("pyelfrun", *arguments, status=7)
    assert done.stderr == (
        f"pyelfrun: mode vanilla: {script} ended with status 7 without starting pyelfrun on this host or one that shares"
        f" {tmp_path}; see what it said, or name a directory that all hosts share with --json or TMPDIR\n"
    )
    results = load(path)
    assert [run["status"] for run in results["runs"]] == ["done", "failed"]
    assert results["runs"][1] == {"mode": "vanilla", "repeat": 2, "status": "failed", "exit-status": 7}
    assert re.search(r"^vanilla .* 1$", done.stdout, flags=re.M)
    report = programs.run("pyelfstat", "--runs", path).stdout
    assert "1 of 2 runs failed" in report

    # Where no run is done, the file from before stays.
    before = path.read_bytes()
    programs.run("pyelfrun", *arguments, status=7)
    assert path.read_bytes() == before
    assert leftovers(tmp_path) == []


def test_no_room_for_results(altered, programs, file_system):
    """That there is none for a byte is said before the first run. Where a run fills the rest, that is all that is said."""
    full = file_system("64k")
    script = full / "launcher"
    script.write_text(f'#!/bin/sh\ncat /dev/zero 2>/dev/null > {full}/other\nexec "$@"\n')
    script.chmod(0o755)
    command = ["--launcher", script, "--phases", "import", "--json", full / "a.json", altered.directory]
    done = programs.run("pyelfrun", *command, status=1)
    assert "cannot be written; make room, and run again: No space left on device\n" in done.stderr
    assert done.stderr.count("\n") == 1 and "import" in done.stdout
    with pytest.raises(OSError), open(full / "more", "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    done = programs.run("pyelfrun", *command, status=1)
    assert done.stderr.endswith("choose another directory with --json or TMPDIR: No space left on device\n")
    assert done.stderr.count("\n") == 1 and done.stdout == ""


def test_a_launcher_may_name_a_thousand_hosts(altered, programs, tmp_path):
    hosts = ",".join(f"node{number:04}" for number in range(1000))
    path = tmp_path / "it.json"
    programs.run("pyelfrun", "--launcher", f"env HOSTS={hosts}", "--phases", "import", "--json", path, altered.directory)
    programs.run("pyelfstat", "--runs", path)
    assert load(path)["options"]["launcher"] == f"env HOSTS={hosts}"


@pytest.mark.alike
@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_a_signal_ends(number, altered, programs, tmp_path):
    """The status is 128 and the signal's number, as shells have it, also where pyelfrun has started the run."""
    path = tmp_path / "a.json"
    script = tmp_path / "launcher"
    script.write_text(f'#!/bin/sh\n[ -e "$0.once" ] && kill -{number.name[3:]} $$\ntouch "$0.once"\nexec "$@"\n')
    script.chmod(0o755)
    arguments = ["--repeat", 3, "--launcher", script, "--phases", "import", "--json", path, altered.directory]
    done = programs.run("pyelfrun", *arguments, status=128 + number, preexec_fn=as_in_a_shell)
    assert f"was ended by signal {int(number)} " in done.stderr and done.stderr.count("\n") == 1
    assert load(path)["runs"][1]["exit-status"] == 128 + number
    assert "1 of 2 runs failed" in programs.run("pyelfstat", "--runs", path).stdout


def test_what_a_rank_left_behind(altered, programs, tmp_path):
    """Such a file is left by a rank that is ended while it replaces its part of the results."""
    path = tmp_path / "a.json"
    script = tmp_path / "launcher"
    script.write_text('#!/bin/sh\nfor w; do case $w in --part=*) touch "${w#--part=}.AbCdEf";; esac; done\nexec "$@"\n')
    script.chmod(0o755)
    programs.run("pyelfrun", "--launcher", script, "--phases", "import", "--json", path, altered.directory)
    assert load(path)["runs"][0]["status"] == "done" and leftovers(tmp_path) == []


def test_results_that_do_not_come(altered, programs, tmp_path):
    """Results may not arrive, as from a host with another /tmp. pyelfrun says so; it neither hangs nor reports
    success."""
    script = tmp_path / "launcher"
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    arguments = ["--launcher", script, "--json", tmp_path / "a.json", altered.directory]
    done = programs.run("pyelfrun", *arguments, status=1)
    assert "the results of mode vanilla, run 1 did not come through" in done.stderr
    assert done.stderr.count("\n") == 1
    for more in ([], ["--pynamic"], ["--repeat", "2"]):
        env = {"TMPDIR": tmp_path}
        done = programs.run("pyelfrun", "--launcher", script, *more, altered.directory, status=1, env=env, leaks=False)
        assert f"did not come through {tmp_path}/pyelfrun-part" in done.stderr and done.stderr.count("\n") == 1
        assert "every result right" not in done.stdout and leftovers(tmp_path) == []
    script.write_text('#!/bin/sh\nfor w; do case $w in --part=*) rm "${w#--part=}";; esac; done\nexec "$@"\n')
    done = programs.run("pyelfrun", *arguments, status=1)
    assert re.search(r"rank 0 on \S+: .*where pyelfrun waits for the results, but not on this host", done.stderr)
    assert not (tmp_path / "a.json").exists() and leftovers(tmp_path) == []


@pytest.mark.parametrize("size, why", [(70 << 20, "is larger than the results that this program reads"), (90, "ends in ")])
def test_results_that_cannot_be_read(size, why, altered, programs, tmp_path):
    """What came is not taken for what did not come: a run of very many ranks has results that are too large."""
    script = tmp_path / "launcher"
    script.write_text(f'#!/bin/sh\n"$@"\nfor w; do case $w in --part=*) truncate -s {size} "${{w#--part=}}";; esac; done\n')
    script.chmod(0o755)
    arguments = ["--launcher", script, "--json", tmp_path / "a.json", "--phases", "import", altered.directory]
    done = programs.run("pyelfrun", *arguments, status=1)
    assert f" came through {tmp_path}/pyelfrun-part-" in done.stderr
    assert f", but cannot be read: {why}" in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "a.json").exists() and leftovers(tmp_path) == []


ENDING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1


def from_terminal(process, number):
    assert number == signal.SIGINT
    os.write(process.terminal, b"\x03")


@pytest.mark.parametrize(
    "number, send",
    [
        (signal.SIGINT, lambda process, number: os.killpg(process.pid, number)),
        (signal.SIGINT, from_terminal),
        *(
            pytest.param(number, subprocess.Popen.send_signal, marks=pytest.mark.long if number != signal.SIGTERM else [])
            for number in ENDING
        ),
    ],
    ids=["group", "terminal", *(number.name for number in ENDING)],
)
@pytest.mark.parametrize("trap", ["", "trap 'exit 0' TERM HUP; trap 'exit 7' INT"], ids=["dies", "exits"])
def test_interrupted(number, send, trap, altered, programs, tmp_path):
    """The signal comes from a terminal, or goes to this process alone. All processes of the run are ended, no other run
    starts, and no file stays behind."""
    tells = bool(trap)  # a launcher that handles the signal itself leaves pyelfrun nothing but an exit status
    script = tmp_path / "launcher"
    script.write_text(f"#!/bin/sh\n{trap}\necho started $$\nwhile :; do sleep 0.1; done\n")
    script.chmod(0o755)
    command = [programs.path("pyelfrun"), "--launcher", script, "--repeat", "2", "--pynamic"]
    terminal, its = os.openpty()

    def prepare():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        signal.signal(number, signal.SIG_DFL)  # whatever started the tests may ignore the signal

    with subprocess.Popen(
        [*command, "--json", tmp_path / "a.json", altered.directory],
        env=programs.environment(), stdin=its, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=prepare,
    ) as process:  # fmt: skip
        process.terminal = terminal
        started, launcher = process.stdout.readline().split()
        assert started == "started"
        assert len([name for name in os.listdir(tmp_path) if "part" in name]) == 1
        send(process, number)
        try:
            more, said = process.communicate(timeout=60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            os.close(terminal)
            os.close(its)
    word = "interrupted" if number == signal.SIGINT and tells else "ended"
    assert process.returncode == -number and f"{word} by signal {int(number)} " in said and more == ""
    assert said.count("\n") == 1
    assert not os.path.exists(f"/proc/{launcher}")
    assert leftovers(tmp_path) == [] and not (tmp_path / "a.json").exists()


@pytest.mark.parametrize("times", [1, 2])
def test_a_signal_for_the_group_comes_once(times, altered, programs, tmp_path):
    """Whoever ends the process group has ended the launcher, too. What it gets twice makes mpirun leave its ranks
    behind. Only a second signal is passed on."""
    script = tmp_path / "launcher"
    script.write_text(
        "#!/usr/bin/python3\nimport signal, sys, time\n"
        "told = []\n"
        "def tell(*_):\n    told.append('told')\n    print('told', file=open('told', 'a'))\n"
        "signal.signal(signal.SIGTERM, tell)\n"
        "print('started', flush=True)\n"
        f"while len(told) < {times}:\n    time.sleep(0.1)\n"
        "time.sleep(0.3)\nsys.exit(3)\n"
    )
    script.chmod(0o755)
    with subprocess.Popen(
        [programs.path("pyelfrun"), "--launcher", "./launcher", "--repeat", "2", "--pynamic", altered.directory],
        env=programs.environment(), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGTERM)  # as timeout(1) does
        os.killpg(process.pid, signal.SIGTERM)
        if times == 2:
            until = time.monotonic() + 30
            while not (tmp_path / "told").exists() and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(0.6)  # what comes sooner is the same wish
            process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM and said.count("\n") == 1
    assert (tmp_path / "told").read_text() == "told\n" * times


def test_places_that_cannot_be_written(altered, programs, tmp_path):
    def refused(path, *more, status=1):
        done = programs.run("pyelfrun", *more, "--json", path, altered.directory, status=None)
        assert done.returncode in (1, 2) and done.stdout == "", done.stdout
        assert done.stderr.count("\n") == 1, done.stderr
        return done.stderr

    for several in ([], ["--repeat", "2"]):
        assert "cannot be written; choose another directory" in refused(tmp_path / "no" / "a.json", *several)
        assert "is a directory; give another name" in refused(tmp_path, *several)
        assert "which file?" in refused("", *several)
        (tmp_path / "it.prof").write_text("pyelfgen-profile: 1\n")
        assert "is a profile, which no result replaces" in refused(tmp_path / "it.prof", *several)
        done = programs.run("pyelfrun", *several, "--json", "/dev/full", altered.directory, status=1)
        assert "/dev/full: cannot be written: No space left" in done.stderr and done.stderr.count("\n") == 1
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    if os.geteuid() != 0:
        assert "cannot be written" in refused(closed / "a.json")


def test_a_full_disk(altered, programs, file_system):
    """The file system has no room for anything. One line says so, and no file is left, not even a part of one."""
    small = file_system("4k")
    (small / "filler").write_bytes(b"x" * 4096)
    done = programs.run("pyelfrun", "--json", small / "a.json", altered.directory, status=1)
    assert os.listdir(small) == ["filler"]
    assert "a.json: cannot be written; make room, and run again: No space left" in done.stderr
    assert done.stderr.count("\n") == 1 and "every result right" in done.stdout


# ---- Pynamic's lines ----

SECONDS = r"[0-9]+\.[0-9]{9} secs\n"
PYNAMIC = (
    r"Pynamic: Version 1\.3\.3\nPynamic: run on \d\d/\d\d/\d\d \d\d:\d\d:\d\d with 2 MPI tasks\n\n"
    rf"Pynamic: startup time = {SECONDS}"
    r"Pynamic: driver beginning\.\.\. now importing modules\n"
    r"Pynamic: driver finished importing all modules\.\.\. visiting all module functions\n"
    rf"Pynamic: module import time = {SECONDS}Pynamic: module visit time = {SECONDS}"
    r"Pynamic: module test passed!\n\nPynamic: testing mpi capability\.\.\.\n\n"
    rf"\nPynamic: fractal mpi time = {SECONDS}Pynamic: mpi test passed!\n\n"
)


def test_pynamic(altered, programs):
    done = programs.mpirun(2, "pyelfrun", "--pynamic", altered.directory)
    assert re.fullmatch(PYNAMIC, done.stdout), done.stdout
    # Scripts in use look for these.
    assert re.search(r"Pynamic:\s+Version\s+([0-9.]+)", done.stdout)[1] == "1.3.3"
    assert re.search(r"with\s+(\d+)\s+MPI tasks", done.stdout)[1] == "2"
    for line in ("module import time = ", "module visit time = ", "fractal mpi time", "startup time"):
        [value] = re.findall(rf"{line}[ =]*([0-9.]+) secs", done.stdout)
        assert float(value) > 0


def test_pynamic_of_several_runs(altered, programs):
    done = programs.run("pyelfrun", "--pynamic", "--repeat", 2, "--launcher", "mpirun -n 2", altered.directory)
    assert re.fullmatch(PYNAMIC * 2, done.stdout), done.stdout


def test_pynamic_of_a_run_that_fails(altered, programs):
    altered.path("libmodule1.so").unlink()
    done = programs.mpirun(2, "pyelfrun", "--pynamic", altered.directory, status=None)
    assert done.returncode != 0 and "passed" not in done.stdout


# ---- pyelfstat --runs ----


def figure(hosts, values):
    """Returns the figure for these values, one for each rank."""
    return {
        "min": min(values),
        "mean": sum(values) / len(values),
        "max": max(values),
        "max-rank": values.index(max(values)),
        "max-host": hosts[values.index(max(values))],
        "per-rank": values,
    }


def craft(path, runs, **set_keys):
    """Writes a file of results. Runs are (mode, host of each rank, {phase: seconds of the ranks}, counters of the
    import)."""
    results = {
        "pyelfrun-results": 1,
        "version": "0.1.0",
        "set": {"path": "/s", "application": "crafted", "manifest": "0" * 32, "profile": "", "modules": 4,
                "utilities": 2, "functions": 10, **set_keys},
        "options": {},
        "runs": [],
    }  # fmt: skip
    for mode, hosts, phases, counters in runs:
        names = sorted(set(hosts))
        results["runs"].append({
            "mode": mode, "repeat": 1, "status": "done", "begun": "2026-01-31T23:59:59Z", "ranks": len(hosts),
            "loader": "CPython 3.11.2", "mpi": "Some MPI 1, more", "functions-visited": 10,
            "hosts": [{"name": name, "kernel": "Linux 6.1", "glibc": "2.36"} for name in names],
            "rank-hosts": [names.index(host) for host in hosts],
            "phases": [
                {"name": name, "seconds": figure(hosts, values),
                 "counters": [{"unit": "misses", "source": "papi", "level": False, **c} for c in counters]}
                for name, values in phases.items()
            ],
        })  # fmt: skip
    path.write_text(json.dumps(results))
    load(path)
    return results


def row(report, label, table):
    """Returns the cells of a row, in the table with this heading."""
    lines = report[report.index(table) :].splitlines()
    return next(line for line in lines if line.startswith(label))[len(label) :].split()


def test_side_by_side(programs, tmp_path):
    hosts = ["n1"]
    a, b = tmp_path / "a", tmp_path / "b"
    link = {"startup": [0.5], "import": [0.25], "visit": [5.0]}
    craft(a, [("vanilla", hosts, {"startup": [0.1], "import": [5.0], "visit": [v]}, []) for v in (1.0, 9.0, 2.0)])
    craft(b, [("link", hosts, link, []), ("vanilla", hosts, {"import": [10.0], "visit": [1.0]}, [])], manifest="1" * 32)
    report = programs.run("pyelfstat", "--runs", a, b).stdout
    assert f"{b} has run another set than {a}\n" in report
    assert row(report, f"{a} vanilla ", "seconds") == ["0.1000", "5.0000", "2.0000", "7.1000", "-"]
    assert row(report, f"{a} vanilla ", "seconds over runs") == ["0.1000", "5.0000", "1.0000", "6.1000", "-", "least", "of", "3"]
    assert row(report[report.index("least of 3") :], f"{a} vanilla ", "least") == [
        *["0.1000", "5.0000", "9.0000", "14.1000", "-"],
        *["most", "of", "3"],
    ]
    assert f"{b}" not in report[report.index("seconds over runs") : report.index("most of 3")]
    assert row(report, f"{b} link ", "seconds") == ["0.5000", "0.2500", "5.0000", "5.7500", "-"]
    assert row(report, f"{b} vanilla ", "ratio") == ["-", "2.00", "0.50", "-", "-", "to", str(a), "vanilla"]
    assert "vanilla: 3 runs of 1 rank on 1 host, Linux 6.1, glibc 2.36, CPython 3.11.2, Some MPI 1\n" in report
    assert "\noutliers" not in report  # a single rank has no outliers

    for path, cache, memory in ((a, "warm", "no"), (b, "cold", "yes")):
        results = json.loads(path.read_text())
        results["options"] = {"cache": cache, "memory": memory, "repeat": str(path)}
        path.write_text(json.dumps(results))
    report = programs.run("pyelfstat", "--runs", a, b).stdout
    assert f"{b} has run with cache 'cold', {a} with 'warm'\n" in report and "repeat" not in report
    assert f"{b} has run with memory 'yes', {a} with 'no'\n" in report
    assert "\n\n\n" not in report

    report = programs.run("pyelfstat", "--runs", b).stdout
    assert row(report, f"{b} vanilla ", "ratio")[:3] == ["-", "40.00", "0.20"]


def test_runs_of_as_many_ranks_are_compared(programs, tmp_path):
    """Where an earlier file has the mode with several numbers of ranks; to any number where it has no such run."""
    a, b = tmp_path / "a", tmp_path / "b"

    def runs(*pairs):
        return [("vanilla", ["n1"] * ranks, {"import": [seconds] * ranks}, []) for ranks, seconds in pairs]

    craft(a, runs((2, 1.0), (4, 10.0)))
    craft(b, runs((4, 5.0), (2, 3.0), (8, 7.0)))
    report = programs.run("pyelfstat", "--runs", a, b).stdout
    ratios = {ranks: row(report, f"{b} vanilla {ranks} ", "ratio") for ranks in (2, 4, 8)}
    assert {ranks: found[1] for ranks, found in ratios.items()} == {2: "3.00", 4: "0.50", 8: "7.00"}
    assert [found[-1] for found in ratios.values()] == ["2", "4", "2"]


def test_counters(programs, tmp_path):
    hosts = ["n1", "n2"]
    a, b = tmp_path / "a", tmp_path / "b"
    absent = {"name": "TLB", "min": None, "mean": None, "max": None, "per-rank": [], "absent": "no PMU here"}
    times = {"import": [1.0, 1.0]}
    craft(a, [("vanilla", hosts, times, [{"name": "L1-D", **figure(hosts, [10, 30])}, absent])])
    craft(b, [("vanilla", hosts, times, [{"name": "L1-D", **figure(hosts, [400, 200])}, absent])])
    report = programs.run("pyelfstat", "--runs", a, b).stdout
    assert row(report, f"{a} vanilla ", "L1-D, misses") == ["-", "20", "-", "-"]
    assert row(report, f"{b} vanilla ", "L1-D, misses") == ["-", "300", "-", "-"]
    assert row(report[report.index("L1-D") :], f"{b} vanilla ", "ratio")[:2] == ["-", "15.00"]
    assert report.count("TLB absent: no PMU here\n") == 1
    assert "\n\n\n" not in report


def test_headings_stand_over_their_columns(programs, tmp_path):
    """This holds even where the counter's name is longer than the labels of the rows."""
    name = "relocations_that_have_a_very_long_name_" + 60 * "x"
    craft(tmp_path / "a", [("vanilla", ["n1"], {"import": [1.0]}, [{"name": name, **figure(["n1"], [10])}])])
    lines = programs.run("pyelfstat", "--runs", "a", cwd=tmp_path).stdout.splitlines()
    at = lines.index(f"{name}, misses")
    assert len(lines[at + 1]) == len(lines[at + 2]) and lines[at + 1].split() == ["startup", "import", "visit", "MPI"]
    assert lines[at + 2].index("10") + 2 == lines[at + 1].index("import") + len("import")


def test_outliers(programs, tmp_path):
    hosts = [f"n{rank // 2}" for rank in range(12)]
    even = [1.0 + rank / 1000 for rank in range(12)]

    def said(values, where=hosts):
        craft(tmp_path / "a", [("vanilla", where, {"visit": values}, [])])
        report = programs.run("pyelfstat", "--runs", tmp_path / "a").stdout
        _, _, outliers = report.partition("\n\noutliers, above the median by 6 MAD, by a tenth and by 1 ms:\n")
        return outliers.splitlines()

    def but(**changed):
        return [changed.get(f"r{rank}", value) for rank, value in enumerate(even)]

    label = f"{tmp_path}/a vanilla, visit: "
    assert said(even) == ["none"]
    assert said(but(r7=1.09)) == ["none"]  # less than a tenth
    assert said(but(r7=1.5)) == [
        # The host's median is that of its two ranks.
        f"{label}host n3, median of its 2 ranks 1.2530 s, median of all hosts 1.0065 s",
        f"{label}rank 7 on n3 1.5000 s, median of all ranks 1.0055 s",
    ]
    assert said(but(r0=0.1)) == ["none"]  # fast is no fault
    # Several outliers do not hide one another.
    several = "\n".join(said(but(r1=9.0, r3=8.0, r4=7.0, r8=6.0)))
    assert re.findall(r" rank (\d+) on ", several) == ["1", "3", "4", "8"]  # the slowest first
    # With one rank on each host, ranks are named, and hosts are not.
    assert len(said(but(r7=1.5), [f"n{rank}" for rank in range(12)])) == 1
    assert said([1e-5] * 11 + [9e-4]) == ["none"]  # less than 1 ms
    assert said([1.0] * 11 + [1.2], ["n0"] * 12) == [f"{label}rank 11 on n0 1.2000 s, median of all ranks 1.0000 s"]
    assert said([1.0, 1.0, 9.0], ["n0"] * 3) == []
    many = said([1.0] * 30 + [2.0 + i for i in range(14)], ["n0"] * 44)
    assert len(many) == 11 and "rank 43 " in many[0] and many[-1] == f"{label}and 4 ranks more"


def test_files_that_are_wrong(programs, tmp_path):
    right = tmp_path / "right"
    results = craft(right, [("vanilla", ["n1"], {"import": [1.0]}, [])])
    wrong = tmp_path / "wrong"

    def refused(text):
        if isinstance(text, bytes):
            wrong.write_bytes(text)
        elif text is not None:
            wrong.write_text(text if isinstance(text, str) else json.dumps(text))
        done = programs.run("pyelfstat", "--runs", wrong, right, status=1)
        assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"pyelfstat: {wrong}"), done.stderr
        assert f"{right} vanilla" in done.stdout  # the other file is shown all the same
        return done.stderr

    whole = right.read_text()
    for size in [0, 1, len(whole) // 2, len(whole) - 1]:
        assert "ends in the middle" in refused(whole[:size])
    assert "is not JSON" in refused(b"\xff\xfe" + whole.encode())
    assert "is not JSON" in refused(whole + whole)
    assert "is larger than" in refused("[" * 4000000)
    assert "'pyelfrun-results' is missing" in refused("{}")

    def with_run(**keys):
        changed = copy.deepcopy(results)
        changed["runs"][0].update(keys)
        return refused(changed)

    assert "'rank-hosts' names a host that is not" in with_run(**{"rank-hosts": [1]})
    assert "'ranks' is out of range" in with_run(ranks=2**63)
    assert "has characters that no text has" in with_run(mode="van\x1b[2Jilla")
    several = copy.deepcopy(results)
    several["runs"] = [{**results["runs"][0], "mode": f"m{i}"} for i in range(65)]
    assert "run 65: 'mode' and 'ranks' are of more kinds than can be compared" in refused(several)
    assert "'phases' has the wrong length" in with_run(phases=results["runs"][0]["phases"] * 5)
    os.unlink(wrong)
    assert "No such file" in refused(None)
    os.mkfifo(wrong)
    assert "is not a regular file" in refused(None)
    os.unlink(wrong)
    wrong.mkdir()
    assert "is not a regular file" in refused(None)


@pytest.mark.parametrize("values", [[-1.0, 1.0], [None, 1.0], [None, None], []], ids=str)
def test_the_schema_refuses_what_the_reader_does(values, programs, tmp_path):
    """Both refuse seconds below zero, and values that are missing without a reason. A counter may be below zero."""
    path, hosts = tmp_path / "a", ["n1", "n2"]
    results = craft(path, [("vanilla", hosts, {"import": [1.0, 2.0]}, [{"name": "c", **figure(hosts, [-3, 1])}])])
    [phase] = results["runs"][0]["phases"]
    below_zero = values[:1] == [-1.0]
    for changed in [phase["seconds"], *([] if below_zero else phase["counters"])]:
        before = dict(changed)
        changed["per-rank"] = values
        path.write_text(json.dumps(results))
        with pytest.raises(jsonschema.ValidationError):
            load(path)
        said = programs.run("pyelfstat", "--runs", path, status=1).stderr
        assert ("a number that cannot be" if below_zero else "'absent' is missing") in said
        if not below_zero:
            changed["absent"] = "no reason"
            path.write_text(json.dumps(results))
            jsonschema.Draft202012Validator(SCHEMA).validate(results)
            programs.run("pyelfstat", "--runs", path)
        changed.clear()
        changed.update(before)


def check(programs, *arguments, status):
    """What --check says at the end."""
    said = programs.run("pyelfstat", "--runs", *arguments, status=status).stdout
    return [line for line in said.splitlines() if line.startswith("check ")]


def test_results_are_checked(programs, tmp_path):
    hosts = ["n1"] * 4
    a, b, other = tmp_path / "a", tmp_path / "b", tmp_path / "other"
    even = {"startup": [0.5] * 4, "import": [1.0] * 4, "visit": [0.25] * 4}
    craft(a, [("vanilla", hosts, even, []), ("vanilla", hosts, even, [])])
    craft(b, [("link", hosts, {**even, "import": [1.0, 1.0, 1.0, 3.0]}, [])])
    craft(other, [("vanilla", hosts, even, [])], manifest="1" * 32)
    passed = "check passed: 2 runs done, of one set, without outliers"
    assert check(programs, "--check", a, status=0) == [passed]
    assert check(programs, "--limit=total=1.75", "--limit=import=1", a, status=0) == [passed + ", within 2 limits"]
    slow = f"check failed: {a} vanilla: total took 1.7500 s, the limit is 1.7 s"
    assert check(programs, "--limit=total=1.7", a, status=1) == [slow]
    assert check(programs, "--limit=mpi=9", a, status=1) == [f"check failed: {a} vanilla: MPI was not measured"]
    assert check(programs, "--check", a, b, status=1) == ["check failed: 1 outlier, as listed above"]
    assert check(programs, "--check", a, other, status=1) == [f"check failed: {other} has run another set than {a}"]
    results = json.loads(a.read_text())
    results["runs"][1] = {"mode": "vanilla", "repeat": 2, "status": "failed", "exit-status": 7}
    a.write_text(json.dumps(results))
    assert check(programs, "--check", a, status=1) == [f"check failed: {a}: 1 of 2 runs failed"]
    assert check(programs, a, status=0) == []
    assert check(programs, "--check", a, tmp_path / "none", status=1) == [f"check failed: {a}: 1 of 2 runs failed"]


@pytest.mark.parametrize(
    "option, said",
    [
        ("--limit=total", "--limit 'total' is none of startup=SECONDS, import=, visit=, total= and mpi="),
        ("--limit=tot=1", "--limit 'tot=1' is none of startup=SECONDS"),
        ("--limit=total=0", "--limit 'total=0' has no number of seconds above 0"),
        ("--limit=total=1s", "--limit 'total=1s' has no number of seconds above 0"),
        ("--limit=total=0x10", "--limit 'total=0x10' has no number of seconds above 0"),
        ("--limit=total=nan", "--limit 'total=nan' has no number of seconds above 0"),
        ("--limit=total=2 --limit=total=3", "--limit total is given twice, 2 and 3 seconds; give the one that counts"),
    ],
)
def test_limits_that_are_none(programs, option, said):
    assert said in programs.run("pyelfstat", "--runs", *option.split(), "a.json", status=2).stderr


def test_wrong_use_of_runs(programs, tmp_path):
    for option in ("--check", "--limit=total=1"):
        said = programs.run("pyelfstat", option, tmp_path / "a", status=2).stderr
        assert f"{option.split('=')[0]} is of --runs: give that too" in said
    for other in ("--json", "--dwarf", "--each"):
        said = programs.run("pyelfstat", "--runs", other, tmp_path / "a", status=2).stderr
        assert "--runs: there is a table and nothing else" in said
