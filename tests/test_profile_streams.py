"""A profile from standard input or a FIFO, and shipped profiles by name, in every program that takes a profile."""

import os
import subprocess
import threading

import pytest

from sets import SMALL


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_pyelfgen(programs, tmp_path):
    programs.run("pyelfgen", "-q", "-P", SMALL, "-o", tmp_path / "file")
    with SMALL.open() as text:
        programs.run("pyelfgen", "-q", "-P", "-", "-o", tmp_path / "standard", stdin=text)
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=lambda: (tmp_path / "fifo").write_bytes(SMALL.read_bytes()))
    writer.start()
    programs.run("pyelfgen", "-q", "-P", tmp_path / "fifo", "-o", tmp_path / "named")
    writer.join()
    assert content(tmp_path / "file") == content(tmp_path / "standard") == content(tmp_path / "named")


@pytest.mark.parametrize(
    "command, said",
    [
        (":", "the profile is empty; it needs pyelfgen-profile, modules, and sections or functions"),
        ("yes", "is larger than 64 MiB, the most that a profile may be"),
    ],
)
def test_what_comes_is_bounded_and_checked(command, said, programs, tmp_path):
    with subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as writer:
        done = programs.run("pyelfgen", "-P", "-", "-o", tmp_path / "set", stdin=writer.stdout, status=1)
        writer.stdout.close()
    assert done.stderr == f"pyelfgen: standard input: {said}\n" and not (tmp_path / "set").exists()


def test_pyelfrun(programs):
    with SMALL.open() as text:
        programs.run("pyelfrun", "--phases", "import", "--memory", "-", stdin=text)
        done = programs.run("pyelfrun", "--repeat", "2", "--memory", "-", stdin=text, status=2)
    assert "--memory: standard input can be read once only, by one run without --launcher; give a file" in done.stderr


def test_explain(programs):
    named = programs.run("pyelfprof", "--explain", "small").stdout
    assert "8 Python extension modules and 4 others" in named
    with SMALL.open() as text:
        assert programs.run("pyelfprof", "--explain", "-", stdin=text).stdout
