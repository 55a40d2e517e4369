"""Generates sets while something goes wrong: tests/faults/faults.py [RUNS [SEED]]

Each run chooses by its seed what the directory holds before, how many threads there are, and what goes wrong:

- a system call fails (no space, quota, input/output error, no descriptor);
- writes are short or interrupted;
- the process is killed;
- limits of file size, descriptors or memory are low, or the file system is small (as root);
- two generators want one directory;
- the directory goes away.

These must hold in every run:

- A file with a final name has the bytes of a clean set, or those that it had before.
- If there is a manifest, --verify agrees with it.
- A run that failed has said so in one line and with status 1.
- It has left no temporary files, unless it was killed or system calls failed.
- The same command without faults makes the set complete.

PYELFGEN_BUILD names the build. A run in which something does not hold is printed with its seed.
tests/faults/faults.py 1 SEED repeats it.
"""

import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = SOURCE / os.environ.get("PYELFGEN_BUILD", "build")
PROFILE = """pyelfgen-profile: 1
modules: 3
utilities: 2
sections: {text: 300 kB, data: 40 kB, debug: 500 kB, symtab: 30 kB, strtab: 60 kB}
"""
OPTIONS = [[], [], ["--separate=debuglink"], ["--separate=build-id"], ["--split"], ["--static"], ["--sources"]]
ERRORS = ["eio", "enospc", "edquot", "emfile"]
KINDS = [*ERRORS, *ERRORS, "short", "eintr", "kill", "kill", "kill", "late kill", "size", "files", "memory", "full", "two", "gone"]
BEFORE = ["nothing", "empty", "the same", "another", "an interrupted one", "a damaged one"]
CALLS = {"--sources": 900, "--split": 300}  # about as many calls as inject.c counts in a run with this option
CALLS_USUAL = 60  # and in one with another or none


class Wrong(Exception):
    """Something that must hold does not; the text says what."""


def files(directory):
    """{name: bytes} of the files in a directory and below; links are left out."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def is_temporary(name):
    return re.search(r"(^|/)\.[^/]+\.tmp$", name) is not None


def need(holds, what):
    if not holds:
        raise Wrong(what)


class Clean:
    """Sets made without faults, once for each choice of options."""

    def __init__(self, work):
        self.work = work
        self.profile = work / "faults.prof"
        self.profile.write_text(PROFILE)
        self.known = {}

    def command(self, options, output):
        return [BUILD / "bin" / "pyelfgen", "--profile", self.profile, "-q", *options, "-o", output]

    def make(self, options, output):
        subprocess.run(self.command(options, output), check=True)

    def files(self, options):
        key = tuple(options)
        if key not in self.known:
            output = self.work / "clean"
            self.make(options, output)
            self.known[key] = files(output)
            shutil.rmtree(output)
        return self.known[key]


class Run:
    """One run, chosen by its seed."""

    def __init__(self, clean, seed):
        self.clean, self.random = clean, random.Random(seed)
        self.options = self.random.choice(OPTIONS)
        self.threads = f"--jobs={self.random.choice([1, 2, 4])}"
        self.before = self.random.choice(BEFORE)
        self.kind = self.random.choice(KINDS)
        calls = max([CALLS.get(option, CALLS_USUAL) for option in self.options], default=CALLS_USUAL)
        self.at = self.random.randrange(1, calls + 20)
        self.on = self.random.random() < 0.5
        self.set = clean.work / f"set-{seed}"
        self.mounted = False  # whether the directory is a small file system, which only root can mount

    def __str__(self):
        return f"{' '.join([*self.options, self.threads])}, before: {self.before}; {self.kind} at {self.at}, on: {self.on}"

    def prepare(self):
        """Makes the directory and what it holds before the run; returns its files."""
        if self.before == "nothing" and self.kind != "full":
            return {}
        self.set.mkdir()
        if self.kind == "full":
            size = self.random.choice([100, 500, 900, 1400])
            command = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "faults", self.set]
            self.mounted = subprocess.run(command, capture_output=True).returncode == 0
            if self.mounted:
                return {}
        if self.before == "another":
            self.clean.make([*self.random.choice(OPTIONS), "--seed=7"], self.set)
        elif self.before != "empty":
            self.clean.make(self.options, self.set)
        names = sorted(files(self.set))
        if self.before == "an interrupted one":
            (self.set / "manifest.json").unlink()
            for name in self.random.sample(names, len(names) // 2):
                (self.set / name).unlink(missing_ok=True)
            (self.set / ".libmodule0.so.tmp").write_bytes(b"half")
        if self.before == "a damaged one":
            (self.set / self.random.choice([name for name in names if name.endswith(".so")])).write_bytes(b"damaged")
        return files(self.set)

    def limit(self):
        """Sets the limits of the process that generates; called in that process."""
        if self.kind == "size":
            limits = {resource.RLIMIT_FSIZE: self.random.choice([0, 1000, 40_000, 200_000])}
        elif self.kind == "files":
            limits = {resource.RLIMIT_NOFILE: self.random.randrange(4, 9)}
        elif self.kind == "memory":
            limits = {resource.RLIMIT_AS: self.random.randrange(20, 400) << 20}
        else:
            limits = {}
        for limit, value in limits.items():
            resource.setrlimit(limit, (value, value))

    def start(self, **environment):
        command = [str(part) for part in [*self.clean.command(self.options, self.set), self.threads]]
        return subprocess.Popen(
            command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True, preexec_fn=self.limit
        )

    def fail(self):
        """Runs the generators while something goes wrong; returns [(status, stderr)] of each."""
        kind = "enospc" if self.kind == "full" else self.kind
        injected = {"LD_PRELOAD": str(BUILD / "lib" / "libinject.so"), "FAULT_AT": str(self.at), "FAULT_KIND": kind}
        if self.on:
            injected["FAULT_ON"] = "1"
        if self.kind in ("size", "files", "memory") or self.mounted:
            injected = {}
        if self.kind == "two":
            running = [self.start(), self.start()]
        elif self.kind == "gone":
            running = [self.start()]
            self.pause()
            if self.set.exists():
                self.set.rename(self.clean.work / "elsewhere")
        elif self.kind == "late kill":
            running = [self.start()]
            self.pause()
            running[0].kill()
        else:
            running = [self.start(**injected)]
        said = [process.communicate()[1] for process in running]
        if (elsewhere := self.clean.work / "elsewhere").exists():
            shutil.rmtree(self.set, ignore_errors=True)
            elsewhere.rename(self.set)
        return [(process.returncode, text) for process, text in zip(running, said)]

    def pause(self):
        """Sleeps for a random time, at most about as long as a run takes."""
        with tempfile.TemporaryFile() as nothing:
            try:
                subprocess.run(["sleep", str(self.random.random() * 0.2)], stdin=nothing, timeout=10)
            except subprocess.TimeoutExpired:
                pass

    def check_end(self, ends, before, left):
        for status, said in ends:
            need(status in (0, 1, -signal.SIGKILL), f"status {status}: {said}")
            if status == 1:
                need(re.fullmatch(r"pyelfgen: [^\n]+\n", said), f"not one line: {said!r}")
        if all(status != -signal.SIGKILL for status, _ in ends) and self.kind not in ERRORS:
            # with so few descriptors or so little memory a run may end before it removes what an earlier one left
            came_before = before if self.kind in ("gone", "files", "memory") else {}
            temporary = [name for name in left if is_temporary(name) and name not in came_before]
            need(not temporary, f"temporary files are left: {temporary}")

    def check_files(self, before, left):
        wanted = self.clean.files(self.options)
        for name, content in left.items():
            if not is_temporary(name):
                need(content in (wanted.get(name), before.get(name)), f"{name} is neither as it should be nor as it was")
        if "manifest.json" in left and self.before != "a damaged one":
            done = subprocess.run([BUILD / "bin" / "pyelfgen", "-q", "--verify", self.set], capture_output=True, text=True)
            need(done.returncode == 0, f"the manifest promises what is not there: {done.stderr}")

    def check_again(self):
        done = subprocess.run(self.clean.command(self.options, self.set), capture_output=True, text=True)
        need(done.returncode == 0, f"once more: {done.stderr}")
        found, wanted = files(self.set), self.clean.files(self.options)
        differ = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
        need(not differ, f"once more: not as a clean set: {differ}")

    def clear(self):
        if self.mounted:
            subprocess.run(["umount", self.set], check=True)
        shutil.rmtree(self.set, ignore_errors=True)

    def run(self):
        """Makes the run; returns the generators' statuses, and raises Wrong if something does not hold."""
        before = self.prepare()
        ends = self.fail()
        left = files(self.set) if self.set.exists() else {}
        self.check_end(ends, before, left)
        self.check_files(before, left)
        if self.mounted:
            subprocess.run(["mount", "-o", "remount,size=99m", self.set], check=True)
        self.check_again()
        self.clear()
        return [status for status, _ in ends]


def main(runs=500, seed=1):
    """Prints what did not hold; returns in how many runs."""
    wrong, ended = 0, {}
    with tempfile.TemporaryDirectory(prefix="faults-") as work:
        clean = Clean(pathlib.Path(work))
        for number in range(seed, seed + runs):
            run = Run(clean, number)
            try:
                for status in run.run():
                    ended[status] = ended.get(status, 0) + 1
            except Wrong as e:
                wrong += 1
                print(f"{number}: {run}: {e}", flush=True)
                run.clear()
    counts = ", ".join(f"{count} with status {status}" for status, count in sorted(ended.items()))
    print(f"{runs} runs, {wrong} wrong; generators that ended: {counts}")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(*(int(argument) for argument in sys.argv[1:]))))
