"""Generates and captures with programs that the thread sanitizer was built into: tests/threads.py

Generates sets of every variant and of shipped profiles, twins of the system's Python modules, which are stripped, and a
twin of a set of ours. Also verifies, captures and compares sets. Prints what the sanitizer says, and how many runs were
silent. PYELFGEN_TSAN_BUILD names the build.
"""

import os
import pathlib
import platform
import subprocess
import sys
import tempfile

from sets import VARIANTS, variant_text

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = SOURCE / os.environ.get("PYELFGEN_TSAN_BUILD", "build-tsan")
OPTIONS = ["--static", "--link", "--separate=build-id", "--split", "--sources", "--compress=zstd", "--index=gdb_index"]
FOUND = 66


def run(program, *arguments):
    """Whether the sanitizer was silent in a run; the program may exit with 0 or 1. Addresses are not randomised:
    the sanitizer of gcc 12 needs that on newer kernels."""
    command = ["setarch", platform.machine(), "-R", BUILD / "bin" / program, *arguments]
    environment = {**os.environ, "TSAN_OPTIONS": f"exitcode={FOUND}"}
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True)
    silent = done.returncode != FOUND and "ThreadSanitizer" not in done.stderr
    if not silent:
        print(f"{program} {' '.join(map(str, arguments))}\n{done.stderr[:3000]}", flush=True)
    elif done.returncode not in (0, 1):
        sys.exit(f"{program}: status {done.returncode}: {done.stderr}")
    return silent


def profiles(work):
    """Profiles of every variant, shipped ones, those of the tests, and captured ones."""
    for name in VARIANTS:
        path = work / f"{name}.prof"
        path.write_text(variant_text(name))
        yield path
    yield from (SOURCE / "profiles" / f"{name}.prof" for name in ("small", "c", "c++"))
    yield SOURCE / "tests" / "clang.prof"
    yield SOURCE / "tests" / "fortran.prof"
    for i, directory in enumerate(sorted(pathlib.Path("/usr/lib").glob("python3*/lib-dynload"))):
        yield work / f"captured{i}.prof"
        subprocess.run([BUILD / "bin" / "pyelfprof", "-o", work / f"captured{i}.prof", directory], check=True)


def main():
    silent = []
    with tempfile.TemporaryDirectory(prefix="threads-") as directory:
        work = pathlib.Path(directory)
        for profile in profiles(work):
            silent.append(run("pyelfgen", "-j4", "-q", "--force", "--profile", profile, "-o", work / "set"))
        for option in OPTIONS:
            silent.append(run("pyelfgen", "-j4", "-q", "--force", "--profile", "small", option, "-o", work / "set"))
        silent.append(run("pyelfgen", "-j4", "-q", "--verify", work / "set"))
        silent.append(run("pyelfprof", "-o", work / "of-ours.prof", work / "set"))
        silent.append(run("pyelfgen", "-j4", "-q", "--profile", work / "of-ours.prof", "-o", work / "twin"))
        silent.append(run("pyelfstat", "--compare", work / "set", work / "twin"))
    print(f"{len(silent)} runs, {sum(silent)} of them silent")
    return all(silent)


if __name__ == "__main__":
    sys.exit(not main())
