"""A profile from standard input or a FIFO, and shipped profiles by name, in all programs that take a profile."""

import json
import os
import shutil
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


def test_pyelfmount(programs, tmp_path):
    """The profile is read from standard input even when the program goes on in the background."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK) or not shutil.which("fusermount3"):
        pytest.skip("there is no FUSE here")
    programs.run("pyelfgen", "-q", "-P", SMALL, "-o", tmp_path / "set")
    (tmp_path / "seen").mkdir()
    with SMALL.open() as text:
        done = programs.run("pyelfmount", "-", tmp_path / "seen", stdin=text, status=None)
    if done.returncode != 0:
        assert "cannot mount the set: " in done.stderr
        pytest.skip(done.stderr)
    try:
        assert content(tmp_path / "seen") == content(tmp_path / "set")
    finally:
        subprocess.run(["fusermount3", "-u", tmp_path / "seen"], check=True)


def test_compare(programs, tmp_path):
    """A profile by hand may have sizes with units and fractions, which are compared as numbers."""
    programs.run("pyelfgen", "-q", "-P", SMALL, "-o", tmp_path / "set")
    compare = ["pyelfstat", "--compare", "--json", "-"]
    with SMALL.open() as text:
        of_standard = json.loads(programs.run(*compare, "-", tmp_path / "set", stdin=text).stdout)
    of_file = json.loads(programs.run(*compare, SMALL, tmp_path / "set").stdout)
    assert of_standard["real"].pop("path") == "standard input" and of_file["real"].pop("path") == str(SMALL)
    assert of_standard == of_file
    (data,) = (quantity for quantity in of_file["set"] if quantity["name"] == "data")
    assert data["real"] == 100000  # 0.1 MB


def test_another_file_in_place_of_a_set(programs, tmp_path):
    (tmp_path / "notes").write_text("nothing\n")
    for path in (tmp_path / "notes", programs.path("pyelfrun")):
        done = programs.run("pyelfrun", path, status=1)
        assert done.stderr.endswith(f"{path}: is a file; give the directory of a set\n")


@pytest.mark.parametrize("name", ["small", SMALL])
def test_a_profile_in_place_of_a_set(name, programs):
    """pyelfrun tells a user who forgot --memory. Each rank finds this out by itself."""
    why = f"{name}: is no directory, as a set is, but names a profile; pyelfrun --memory runs it\n"
    done = programs.run("pyelfrun", name, status=1)
    assert done.stderr.startswith("pyelfrun: rank 0 on ") and done.stderr.endswith(why)
    several = programs.mpirun(2, "pyelfrun", name, status=None)
    assert several.returncode != 0 and several.stderr.count(why) == 2
