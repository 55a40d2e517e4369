"""pyelfgen where memory runs out: it says so, and ends by no signal."""

import os
import subprocess

import pytest

PROFILE = """\
pyelfgen-profile: 1
modules: 2
functions: 60
sections: {text: 150 kB, data: 20 kB, debug: 600 kB, symtab: 10 kB, strtab: 30 kB}
names: {style: itanium}
dwarf: {language: c++}
"""
STEP = 9  # of the allocations one in so many fails, each in a run of its own; a buffer that is freed twice shows in many


def test_memory_that_runs_out(programs, tmp_path):
    if programs.sanitized:
        pytest.skip("what is preloaded has no sanitizers")
    (tmp_path / "a.prof").write_text(PROFILE)
    command = [programs.build / "bin" / "pyelfgen", "-q", "-j1", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set"]
    preload = {"LD_PRELOAD": str(programs.build / "lib" / "libno_memory.so")}
    refused = 0
    for at in range(2, 2000, STEP):
        environment = {**os.environ, **preload, "NO_MEMORY_AT": str(at)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.stderr.endswith("not reached\n"):
            break
        assert done.returncode in (0, 1), (at, done)
        assert done.returncode == 0 or "memory" in done.stderr, (at, done)
        refused += done.returncode
    assert at > 100 and refused > 20
