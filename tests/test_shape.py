"""The debug information of sets of the shipped profiles c and c++ has the shape of real libraries': see shape.py."""

import json
import os
import re
import subprocess
import sys

import pytest

from conftest import BUILD, SOURCE
from sets import profile_text

pytestmark = pytest.mark.slow


def shape(*options):
    environment = {**os.environ, "PYELFGEN_BUILD": str(BUILD)}
    command = [sys.executable, SOURCE / "tests" / "shape.py", *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.mark.alike(1)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_every_figure_is_near(language, sets):
    """All figures of sections, tags, forms, numbers and zstd's ratios that shape.py judges are near their targets."""
    done = shape("--language", language, "--misses", "--fail", sets.get(language))
    assert done.returncode == 0, done.stdout + done.stderr


def test_large_libraries_compress_as_real_ones_do(programs, sets, tmp_path):
    """zstd makes a fortieth of llnl-2007 2 to 3.5 times smaller, if names with Pynamic's row of digits are left out."""
    shipped = (SOURCE / "profiles" / "llnl-2007.prof").read_text()
    sizes = {name: int(size) * 1_000_000 // 40 for name, size in re.findall(r"(\w+): (\d+) MB", shipped)}
    assert sorted(sizes) == ["data", "debug", "strtab", "symtab", "text"]
    profile = sets.write_profile("fortieth", profile_text(application="a test", modules=7, utilities=5, sections=sizes))
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q")
    ratios = {}
    for digits in ([], ["--without-digits"]):
        done = shape("--no-counts", "--print", *digits, tmp_path / "set")
        assert done.returncode == 0, done.stderr
        ratios[bool(digits)] = json.loads(done.stdout)["zstd -3, ratio"]["whole"]
    assert 2 <= ratios[True] <= 3.5
    assert ratios[True] < ratios[False]  # the set has such names
