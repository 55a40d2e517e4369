"""The debug information of the shipped profiles c and c++ has the shape of real libraries': see shape.py."""

import os
import subprocess
import sys

import pytest

from conftest import BUILD, SOURCE

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("language", ["c", "c++"])
def test_every_figure_is_near(language, sets):
    """Of sections, tags, forms and numbers, and of what zstd makes of them."""
    environment = {**os.environ, "PYELFGEN_BUILD": str(BUILD)}
    command = [sys.executable, SOURCE / "tests" / "shape.py", "--language", language, "--misses", "--fail"]
    done = subprocess.run([*command, sets.get(language)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
