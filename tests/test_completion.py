"""Completion of command lines in bash: what tools/completion.bash offers is what the programs take."""

import os
import re
import subprocess

import pytest

from conftest import SOURCE
from objects import tool

PROGRAMS = ["pyelfgen", "pyelfrun", "pyelfstat", "pyelfprof", "pyelfprobe", "pyelfmount"]
OF_PYELFGEN = ["--compress", "--hash", "--separate", "--index"]


def complete(programs, *words, cwd=None):
    """What bash would offer for the last word. '=' is a word."""
    script = f'source "{SOURCE}/tools/completion.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
    script += '_pyelf "$1" "${@: -1}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    directory = os.path.dirname(programs.path("pyelfgen"))
    environment = {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}
    command = [tool("bash"), "-c", script, "-", *words]
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("program", PROGRAMS)
def test_options_are_those_of_the_help(program, programs):
    offered = complete(programs, program, "--")
    text = programs.run(program, "--help").stdout
    listed = re.findall(r"^  (?:-\w, | {4})(--[a-z-]+)", text, flags=re.M)
    assert [option.rstrip("=") for option in offered] == listed and len(listed) > 3
    assert complete(programs, program, "--vers") == ["--version"]


def test_profiles_and_files(programs, tmp_path):
    (tmp_path / "smooth.prof").write_text("")
    for words in (["--profile", "=", "sm"], ["--profile", "sm"], ["-P", "sm"]):
        assert complete(programs, "pyelfgen", *words, cwd=tmp_path) == ["small", "smooth.prof"]
    assert set(complete(programs, "pyelfgen", "--profile", "=", cwd=tmp_path)) > {"c++", "llnl-2007", "smooth.prof"}
    assert complete(programs, "pyelfstat", "sm", cwd=tmp_path) == ["smooth.prof"]


@pytest.mark.parametrize("option", OF_PYELFGEN)
def test_pyelfgen_takes_the_values(option, programs, tmp_path):
    values = complete(programs, "pyelfgen", option, "=", cwd=tmp_path)
    assert len(values) >= 3
    for value in values:
        programs.run("pyelfgen", "-P", "small", "--dry-run", "-q", f"{option}={value}")
    said = programs.run("pyelfgen", "--help").stdout
    assert re.search(rf"^ +{option}=.*: {', '.join(values[:-1])} or {values[-1]}(;|$)", said, flags=re.M)


@pytest.mark.parametrize("option", ["--mode", "--phases", "--import-order", "--visit-order", "--dlopen-flags", "--counters"])
def test_pyelfrun_takes_the_values(option, programs, tmp_path):
    """It looks for the set then."""
    values = complete(programs, "pyelfrun", option, "=", cwd=tmp_path)
    assert len(values) >= 3
    for value in values:
        given = "import,visit" if value == "visit" else value
        assert "manifest.json" in programs.run("pyelfrun", f"{option}={given}", tmp_path, status=1).stderr


def test_pyelfstat_takes_the_phases(programs, tmp_path):
    for value in complete(programs, "pyelfstat", "--limit", "=", cwd=tmp_path):
        assert "no-such" in programs.run("pyelfstat", "--runs", f"--limit={value}1", "no-such", status=1).stderr
