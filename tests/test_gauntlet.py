"""The gauntlet on small sets; ./dev check runs all of it."""

import subprocess
import sys

import pytest

from conftest import SOURCE


def gauntlet(*options, **more):
    command = [sys.executable, SOURCE / "tests" / "gauntlet.py", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **more)


def test_short_gauntlet(programs):
    if programs.sanitized:
        pytest.skip("what reads the sets is not ours")
    done = gauntlet("--short")
    assert done.returncode == 0, done.stdout + done.stderr
    table = done.stdout.split("\nX1: ")[0].splitlines()
    assert len(table) > 20 and "FAIL" not in done.stdout
    # what is always installed has looked at something
    looked_at = {row.split()[1] for row in table if row.split()[3] == "ok"}
    assert looked_at >= {"readelf", "objdump", "eu-elflint", "verify", "dwarfdump", "gdb", "addr2line", "libgcc"}


def test_documentation_has_the_reasons():
    reasons = gauntlet("--reasons", check=True).stdout
    assert reasons in (SOURCE / "docs" / "gauntlet.md").read_text()
