"""Pynamic's own driver and executable on sets of ours.

PYNAMIC_DIR names a checkout of github.com/LLNL/pynamic, which is no part of this project. Without it these tests are
skipped.
"""

import os
import re

import pytest

from conftest import SOURCE

PYNAMIC = os.environ.get("PYNAMIC_DIR")
pytestmark = pytest.mark.skipif(not PYNAMIC, reason="PYNAMIC_DIR names no checkout of github.com/LLNL/pynamic")

# The lines that scripts look for, in this order.
SECONDS = r"[0-9.e-]+ secs\n"
OUTPUT = (
    r"Pynamic: Version 1\.3\.3\nPynamic: run on .* with 2 MPI tasks\n\n"
    r"{startup}"
    r"Pynamic: driver beginning\.\.\. now importing modules\n"
    r"Pynamic: driver finished importing all modules\.\.\. visiting all module functions\n"
    rf"Pynamic: module import time = {SECONDS}Pynamic: module visit time = {SECONDS}"
    r"Pynamic: module test passed!\n\nPynamic: testing mpi capability\.\.\.\n\n"
    rf"[^:]*\nPynamic: fractal mpi time = {SECONDS}Pynamic: mpi test passed!\n"
)


def run_pynamic(programs, directory, arguments):
    programs.run("pyelfgen", *arguments.split(), "-o", directory / "set", "--quiet")
    script = SOURCE / "tests" / "pynamic.sh"
    done = programs.command([script, PYNAMIC, directory / "set", directory / "work"], leaks=False, timeout=3600)
    executable, driver = done.stdout.split("== driver\n")
    assert set(re.findall("rank - [0-9]+\n", executable)) == {"rank - 0\n", "rank - 1\n"}
    assert re.search(OUTPUT.format(startup=""), executable), executable
    assert re.search(OUTPUT.format(startup=rf"Pynamic: startup time = {SECONDS}"), driver), driver
    assert done.stderr == ""


@pytest.mark.slow
def test_small(programs, tmp_path):
    run_pynamic(programs, tmp_path, "30 100 -e -u 10 100 -n 20")


@pytest.mark.long
def test_trinity(programs, roomy):
    directory = roomy / "pynamic"
    directory.mkdir()
    run_pynamic(programs, directory, "495 1850 -e -u 215 1850 -n 100")
