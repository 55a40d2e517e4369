"""Faults while sets are generated: 30 runs, where ./dev check makes hundreds; see faults/faults.py."""

import subprocess
import sys

import pytest

from conftest import SOURCE


@pytest.mark.slow
def test_nothing_is_lost_or_half_written(programs):
    if programs.sanitized:
        pytest.skip("what is preloaded has no sanitizers, and limits of memory do not go with them")
    command = [sys.executable, SOURCE / "tests" / "faults" / "faults.py", "30", "1000"]
    environment = programs.environment(PYELFGEN_BUILD=str(programs.build))
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "30 runs, 0 wrong" in done.stdout, done.stdout + done.stderr
