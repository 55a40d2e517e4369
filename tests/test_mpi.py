"""The MPI test of pyelfrun: the picture that the ranks draw, and the Python objects that they send."""

import os
import re
import struct
import subprocess
import zlib

import pytest

SIDE = 400
PYTHON = "/usr/bin/python3"


def chunks(png):
    """The chunks of a PNG file (PNG specification, section 5). Their check sums must be right."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        data = png[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + data) == struct.unpack_from(">I", png, at + 8 + size)[0]
        yield kind, data
        at += 12 + size


def points(png):
    """Rows of points of a picture that has a palette and no filters."""
    found = dict(chunks(png))
    assert struct.unpack(">IIBBBBB", found[b"IHDR"]) == (SIDE, SIDE, 8, 3, 0, 0, 0)
    assert len(found[b"PLTE"]) == 3 * 256
    data = zlib.decompress(b"".join(data for kind, data in chunks(png) if kind == b"IDAT"))
    rows = [data[i * (SIDE + 1) : (i + 1) * (SIDE + 1)] for i in range(SIDE)]
    assert all(len(row) == SIDE + 1 and row[0] == 0 for row in rows)
    return [row[1:] for row in rows]


def iterations(row, column):
    """Iterations at a point of the Mandelbrot set over [-2, 1) by [-1.5, 1.5), in integers with 24 fractional bits."""
    one = 1 << 24

    def divide(a, b):
        return a // b if a >= 0 else -(-a // b)

    cr, ci = -2 * one + divide(3 * one * column, SIDE), divide(-3 * one, 2) + divide(3 * one * row, SIDE)
    zr = zi = 0
    for n in range(255):
        zr2, zi2 = divide(zr * zr, one), divide(zi * zi, one)
        if zr2 + zi2 > 4 * one:
            return n
        zr, zi = zr2 - zi2 + cr, divide(2 * zr * zi, one) + ci
    return 255


def has_mpi4py():
    return subprocess.run([PYTHON, "-c", "import mpi4py.MPI"], capture_output=True).returncode == 0


@pytest.fixture
def draw(programs, small, tmp_path):
    def run(*command, **options):
        picture = tmp_path / "picture.png"
        done = programs.command([*command, "--phases", "mpi", "--picture", picture, small], leaks=False, **options)
        return done, picture.read_bytes()

    return run


def test_the_picture_is_the_fractal(draw, programs):
    drawn = points(draw(programs.path("pyelfrun"))[1])
    for row in range(0, SIDE, 29):
        assert list(drawn[row]) == [iterations(row, column) for column in range(SIDE)], row


@pytest.mark.parametrize("ranks", [3, 7])
def test_any_number_of_ranks_draws_it(ranks, draw, programs):
    """Neither number of ranks divides the 400 rows."""
    pyelfrun = programs.path("pyelfrun")
    assert draw("mpirun", "-n", ranks, pyelfrun)[1] == draw(pyelfrun)[1]


def test_the_picture_replaces_one(draw, programs, tmp_path):
    (tmp_path / "picture.png").write_bytes(b"before")
    (tmp_path / "picture.png").chmod(0o600)
    _, picture = draw(programs.path("pyelfrun"))
    assert points(picture)
    assert [path.name for path in tmp_path.iterdir()] == ["picture.png"]
    assert (tmp_path / "picture.png").stat().st_mode & 0o777 == 0o600
    (tmp_path / "picture.png").unlink()
    draw(programs.path("pyelfrun"))
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "picture.png").stat().st_mode & 0o777 == 0o666 & ~mask


def test_nothing_half_written_on_a_full_disk(programs, small):
    done = programs.run("pyelfrun", "--picture", "/dev/full/p.png", small, status=1)
    assert "/dev/full/p.png: cannot be written" in done.stderr and done.stdout == ""


def test_libpng_is_no_need_of_a_rank(programs):
    """If libpyelfrun needed libpng, the dynamic linker would search that for every symbol of the set."""
    needed = subprocess.run(
        ["readelf", "-dW", programs.build / "lib" / "libpyelfrun.so.0"], capture_output=True, text=True, check=True
    ).stdout
    assert "libmpi" in needed and "libpng" not in needed


def objects_line(done):
    [line] = re.findall(r"^MPI test passed, (.*)$", done.stdout, flags=re.M)
    return line


@pytest.mark.alike(2)
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_objects(ranks, draw, programs):
    if not has_mpi4py():
        pytest.skip("there is no mpi4py")
    done, _ = draw("mpirun", "-n", ranks, programs.path("pyelfrun"))
    assert re.fullmatch(r"Python objects sent with mpi4py [0-9.]+", objects_line(done)) and done.stderr == ""


@pytest.fixture
def stand_in(tmp_path):
    """Makes a package mpi4py of this text, and the environment that finds it."""

    def make(mpi):
        package = tmp_path / "python" / "mpi4py"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("__version__ = '0'\nclass rc: pass\n")
        (package / "MPI.py").write_text(mpi)
        return {"PYTHONPATH": str(tmp_path / "python")}

    return make


def test_objects_without_mpi4py(draw, programs, stand_in):
    done, _ = draw(programs.path("pyelfrun"), env=stand_in("raise ImportError('there is none here')"))
    assert objects_line(done) == "Python objects not sent: rank 0: ImportError: there is none here"
    assert done.stderr == ""


def test_objects_where_one_rank_has_no_mpi4py(draw, programs, stand_in):
    """The other ranks must not wait for that one."""
    [(name, path)] = stand_in("raise ImportError('not on this host')").items()
    script = f'[ "$OMPI_COMM_WORLD_RANK" != 2 ] || export {name}="{path}"; exec "$@"'
    done, _ = draw("mpirun", "-n", "3", "bash", "-c", script, "-", programs.path("pyelfrun"), timeout=120)
    wanted = "Python objects not sent: rank 2: ImportError: not on this host"
    assert objects_line(done) == wanted or not has_mpi4py()


def test_objects_of_another_mpi(draw, programs, stand_in):
    done, _ = draw(programs.path("pyelfrun"), env=stand_in("def Is_initialized(): return False"))
    assert "mpi4py 0 belongs to another MPI than pyelfrun" in objects_line(done)


def test_objects_of_an_mpi_that_must_not_be_called(draw, programs, stand_in, tmp_path):
    """An extension module that needs another libmpi is not imported: it would abort."""
    environment = stand_in("")
    package = tmp_path / "python" / "mpi4py"
    (package / "MPI.py").unlink()
    for name, text, more in (
        ("libother-mpi.so", "int MPI_Init(int *c, char ***v) { return 0; }", []),
        ("MPI.so", "int MPI_Init(int *, char ***); void abort(void);", [package / "libother-mpi.so"]),
    ):
        source = package / "source.c"
        source.write_text(f"{text}\nvoid *PyInit_MPI(void) {{ {'MPI_Init(0, 0); abort();' if more else ''} return 0; }}\n")
        command = ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-Wl,-rpath,$ORIGIN", "-o", package / name, source]
        subprocess.run([*command, *more], check=True)
    done, _ = draw(programs.path("pyelfrun"), env=environment)
    assert "mpi4py 0 belongs to another MPI than pyelfrun" in objects_line(done) and done.stderr == ""


def test_objects_without_an_interpreter(draw, programs):
    done, _ = draw(programs.path("pyelfrun"), "--no-python")
    assert objects_line(done) == "Python objects not sent: there is no interpreter (--no-python)"


WORLD = """
SUM, MAX = sum, max
def Is_initialized(): return True
class COMM_WORLD:
    def Get_rank(): return 0
    def Get_size(): return 1
    def bcast(value, root): return value
    def allreduce(value, op): return value
    def reduce(value, op, root): return value
    def isend(value, dest, tag):
        COMM_WORLD.sent = value
        return COMM_WORLD
    def wait(): pass
    def recv(source, tag): return COMM_WORLD.sent
    def sendrecv(value, dest, source): return value
"""


@pytest.mark.alike
@pytest.mark.parametrize(
    "name, change, message",
    [
        ("none", "", None),
        ("bcast", "lambda value, root: {**value} if len(value) > 2 else value[:1]", "the broadcast"),
        ("allreduce", "lambda value, op: value + value", "the reduction"),
        ("reduce", "lambda value, op, root: value & 0xffffffff", "the reduction"),
        ("recv", "lambda source, tag: {**COMM_WORLD.sent, 'text': 'r?nge'}", "point to point"),
        ("sendrecv", "lambda value, dest, source: int(value)", "point to point"),
        ("sendrecv", "lambda value, dest, source: 1 / 0", "ZeroDivisionError"),
    ],
)
def test_objects_that_do_not_arrive(name, change, message, draw, programs, stand_in, tmp_path):
    environment = stand_in(WORLD + (f"COMM_WORLD.{name} = {change}\n" if change else ""))
    if message is None:
        assert objects_line(draw(programs.path("pyelfrun"), env=environment)[0]).endswith("mpi4py 0")
        return
    done, _ = draw(programs.path("pyelfrun"), env=environment, status=1)
    assert re.fullmatch(rf"pyelfrun: rank 0 on \S+: the MPI test: {message}.*; check MPI, mpi4py and .*\n", done.stderr)
    assert "passed" not in done.stdout
