"""pyelfrun and pyelfgen under Slurm. tests/slurm.sh starts a Slurm of one machine for each test."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import SOURCE, Altered
from test_run_failures import KILL_ITSELF, STORE_TO_NULL, instead

MISSING = 77  # status of slurm.sh if Slurm cannot be started

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def linked(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("linked") / "set"
    programs.run("pyelfgen", "--profile", "small", "--link", "-o", directory, "-q")
    return directory


@pytest.fixture
def slurm(programs, tmp_path):
    """run(command...) runs a command under a Slurm; the test is skipped where none can be started."""
    if os.geteuid() != 0 or not shutil.which("slurmctld", path=os.environ["PATH"] + ":/usr/sbin"):
        pytest.skip("no Slurm can be started: that takes root, slurm-wlm and munge")

    def run(*command, **options):
        environment = {"PATH": f"{programs.build / 'bin'}:{os.environ['PATH']}"}
        command = [SOURCE / "tests" / "slurm.sh", *command]
        done = programs.command(
            command, status=None, leaks=False, cwd=tmp_path, timeout=900, env=environment, **options
        )
        assert done.returncode != MISSING, done.stderr
        return done

    return run


def without_queueing(stderr):
    return re.sub(r"^srun: (job .* queued and waiting.*|job .* has been allocated.*)\n", "", stderr, flags=re.M)


def test_srun(slurm, linked):
    """srun starts four processes that find one another, by PMIx, as ranks of one run."""
    done = slurm("srun", "-n", "4", "pyelfrun", linked)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^mode vanilla, 4 ranks, 8 modules imported", done.stdout, flags=re.M)
    assert "every result right\nMPI test passed" in done.stdout
    assert without_queueing(done.stderr) == ""


def test_a_job_of_several_steps(slurm, linked):
    modes = "vanilla,link,bind-now"
    done = slurm("salloc", "-n", "4", "pyelfrun", "--launcher", "srun -n 4", "--mode", modes, linked)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^mode (\S+), 4 ranks", done.stdout, flags=re.M) == modes.split(",")
    assert done.stdout.count("every result right") == 3


def test_the_sample_script(slurm, linked, tmp_path):
    script = (SOURCE / "docs" / "pyelfrun.sbatch").read_text().replace("--nodes=2 ", "--nodes=1 ")
    (tmp_path / "mine.sbatch").write_text(script.replace("per-node=8", "per-node=4"))
    done = slurm("sbatch", "--wait", "mine.sbatch", linked, "--mode", "vanilla,link")
    output = next(tmp_path.glob("pyelfrun-*.out")).read_text()
    assert done.returncode == 0, output
    assert re.findall(r"^mode (\S+), 4 ranks", output, flags=re.M) == ["vanilla", "link"]
    assert output.count("every result right") == 2


@pytest.mark.parametrize("launcher", ["srun -n 4 --kill-on-bad-exit=1", "pyelfrun"])
@pytest.mark.parametrize(
    "code, reason",
    [(KILL_ITSELF, "ended without reporting an error in"), (STORE_TO_NULL, "ended by SIGSEGV in")],
    ids=["SIGKILL", "SIGSEGV"],
)
def test_a_rank_that_fails(code, reason, launcher, slurm, linked, tmp_path):
    """When a rank fails, its step ends. srun needs --kill-on-bad-exit=1 for that, except where pyelfrun starts it."""
    bad = Altered(shutil.copytree(linked, tmp_path / "bad"))
    instead(bad, "libmodule1.so", code)
    choose = f'[ "$SLURM_PROCID" = 2 ] && set={bad.directory} || set={linked}; exec pyelfrun "$set"'
    if launcher == "pyelfrun":
        (tmp_path / "ranks").write_text(f'#!/bin/bash\nexec srun -n 4 bash -c \'{choose}\'\n')
        (tmp_path / "ranks").chmod(0o755)
        done = slurm("salloc", "-n", "4", "pyelfrun", "--launcher", tmp_path / "ranks", linked)
    else:
        done = slurm(*launcher.split(), "bash", "-c", choose)
    assert done.returncode not in (0, MISSING)
    said = [line for line in done.stderr.splitlines() if line.startswith("pyelfrun: rank 2")]
    assert len(said) == 1 and f"{reason} phase visit, at libmodule1; " in said[0], done.stderr


def test_generating(slurm, linked, tmp_path):
    """Four ranks together make the set that one process makes; so do two ranks each for itself, and a job's script."""
    done = slurm("srun", "-n", "4", "pyelfgen", "-P", "small", "--link", "-o", "set")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\n4 ranks on 1 node shared the work\n")
    assert without_queueing(done.stderr) == ""
    local = "srun -n 2 pyelfgen -P small --link -q --node-local set-%N-%t && pyelfgen -P small --link -q -o by-script"
    done = slurm("salloc", "-n", "2", "bash", "-c", local)
    assert done.returncode == 0, done.stderr
    directories = [path for path in tmp_path.iterdir() if path.name.startswith(("set", "by-script"))]
    assert len(directories) == 4
    for directory in directories:
        command = ["diff", "-r", linked, directory]
        assert subprocess.run(command, capture_output=True).stdout == b""


def test_generating_without_an_mpi_of_slurm(slurm, tmp_path):
    """If srun starts four processes that cannot find one another, because there is no PMI, none of them writes."""
    done = slurm("srun", "--mpi=none", "-n", "4", "pyelfgen", "-P", "small", "-o", "set")
    assert done.returncode not in (0, MISSING) and not (tmp_path / "set").exists()
