"""The real applications of `./dev twins`: which files each consists of, and how it is captured.

None is part of this project, and none is installed here. For a missing one, Absent says where to get it.
"""

import dataclasses
import functools
import os
import pathlib
import subprocess

DIST = pathlib.Path("/usr/lib/python3/dist-packages")
LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
DYNLOAD = "lib/python3.*/lib-dynload"
# The files of the application `libc`. All others are captured without them: twins run on the C library, as the real
# applications do.
C_LIBRARY = [f"lib{name}" for name in "c.so.6 m.so.6 pthread.so.0 dl.so.2 rt.so.1 util.so.1 resolv.so.2".split()]
C_LIBRARY.append("ld-linux-x86-64.so.2")
LOAD = "--load"  # pyelfprof then measures the memory that constructors take
# What each rank of `mpi4py` runs; rank 0 prints its process id.
RANK = """import mpi4py.MPI as mpi, numpy, os, time
print(os.getpid(), flush=True) if mpi.COMM_WORLD.rank == 0 else None
time.sleep(600)"""


class Absent(Exception):
    """An application is not installed; the text says what to do."""


@dataclasses.dataclass
class Application:
    """What to capture, and how to load it."""

    capture: list  # arguments of pyelfprof
    program: pathlib.Path = None  # the one of the files that is a program and no library
    unsaid: list = ()  # libraries whose symbols others need without DT_NEEDED
    loads: bool = True  # whether its files can be loaded into a process that has a C library
    allocator: pathlib.Path = None  # the library that provides malloc, if it is not the C library


def shared_objects(*directories):
    """All ELF files *.so and *.so.* in these directories and below, each once, sorted by path."""
    found = {path.resolve(): path for top in directories for path in sorted(top.rglob("*.so*"), reverse=True)}
    return sorted(path for path in found.values() if is_elf(path))


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needs(path, *packages):
    """The last file that matches this pattern; Absent names the packages if there is none."""
    found = sorted(pathlib.Path("/").glob(str(path).lstrip("/")))
    if not found:
        raise Absent(f"there is no {path}: apt-get install {' '.join(packages)}")
    return found[-1]


def debug_file(path):
    """The separate file with its debug information, found by build-id or by name, also beside the file; or None."""
    places = f"--debuginfo-path=:.debug:/usr/lib/debug:{path.parent}"
    said = subprocess.run(["eu-unstrip", "-n", places, "-e", path], capture_output=True, text=True).stdout.split()
    return pathlib.Path(said[3]) if len(said) > 3 and said[3].startswith("/") else None


def debian_python():
    """The libpython of /usr/bin/python3."""
    name = pathlib.Path("/usr/bin/python3").resolve().name.replace("python", "libpython")
    return needs(LIBRARIES / f"{name}.so.1.0", name)


def lib_dynload(options, _):
    prefix = pathlib.Path(options.python).expanduser()
    places, pythons = sorted(prefix.glob(DYNLOAD)), sorted(prefix.glob("lib/libpython3.*.so.1.0"))
    if not places or not pythons:
        raise Absent(f"{prefix} has no {DYNLOAD} or no libpython: --python names a CPython built with --enable-shared")
    files = [pythons[0], *shared_objects(places[0])]
    return Application(files, unsaid=[pythons[0]])


def numpy(_, __):
    directories = [needs(DIST / name, f"python3-{name}") for name in ("numpy", "scipy", "matplotlib")]
    files = shared_objects(*directories)
    return Application(files, unsaid=[debian_python()])


def debian_library(pattern, package, dbg, _, __):
    path = needs(pattern, package, dbg)
    if not debug_file(path):
        raise Absent(f"{path} has no debug information: apt-get install {dbg}")
    return Application([path])


def program(path, package, *_, unsaid=(), without=(), environment=(), allocator=None):
    """A program and the libraries that it would load.

    `unsaid` has functions that find libraries which others need without DT_NEEDED; `without` has patterns of libraries
    to leave out; `environment` is set for this process and all that it starts; `allocator` is the name of a library.
    """
    program = needs(path, package)
    os.environ.update(environment)
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    paths = [word for line in said.splitlines() for word in line.split() if word.startswith("/")]
    named = {pathlib.Path(path).name: pathlib.Path(path) for path in paths}
    left_out = [f"--without={pattern}" for pattern in without]
    capture = ["--without-libc", *left_out, LOAD, "--exec", program]
    beside = [find() for find in unsaid]
    return Application(capture, program=program, unsaid=beside, allocator=named.get(allocator))


def libc(_, __):
    files = [LIBRARIES / name for name in C_LIBRARY]
    if not debug_file(files[0]):
        raise Absent(f"{files[0]} has no debug information: apt-get install libc6-dbg")
    return Application(files, loads=False)


def mapped(pid):
    """{name: file} of the files that a process has mapped, under all names that they have in their directories."""
    with open(f"/proc/{pid}/maps") as maps:
        paths = {pathlib.Path(line.split(maxsplit=5)[5].strip()) for line in maps if " /" in line}
    places = {path.parent for path in paths if path.is_file()}
    return {entry.name: entry for place in places for entry in place.iterdir() if entry.resolve() in paths}


def mpi4py(_, stack):
    for name in ("mpi4py", "numpy"):
        needs(DIST / name, f"python3-{name}")
    needs("/usr/bin/mpirun", "openmpi-bin")
    command = ["mpirun", "--oversubscribe", "-n", "2", "/usr/bin/python3", "-c", RANK]
    running = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    stack.callback(running.terminate)
    pid = running.stdout.readline().strip()
    if not pid:
        raise Absent(f"{' '.join(command[:5])} did not start")
    program = pathlib.Path(os.readlink(f"/proc/{pid}/exe"))
    named = mapped(pid)
    unsaid = [debian_python(), named["libmpi.so.40"], named["libopen-pal.so.40"]]  # Open MPI's components need these
    return Application(["--without-libc", "--pid", pid], program=program, unsaid=unsaid)


def pynamic(options, _):
    if not options.pynamic:
        raise Absent("--pynamic names the directory of no compiled Pynamic set")
    files = sorted(path for path in pathlib.Path(options.pynamic).resolve().glob("*.so") if is_elf(path))
    if not files:
        raise Absent(f"{options.pynamic} has no libraries")
    return Application(files, unsaid=[debian_python()])


PETSC = [LIBRARIES / "libpetsc_real.so.3.18.[0-9]*", "libpetsc-real3.18", "libpetsc-real3.18-dbg"]
IPOPT = ["/usr/lib/libipopt.so.1.[0-9]*", "coinor-libipopt1v5", "coinor-libipopt1v5-dbg"]
OPENFOAM = {"WM_PROJECT_DIR": "/usr/share/openfoam"}  # its constructors look for settings there
JEMALLOC = "libjemalloc.so.2"  # Blender's allocator; its thread-local memory keeps it from being opened by dlopen
APPLICATIONS = {
    "lib-dynload": lib_dynload,
    "numpy": numpy,
    "petsc": functools.partial(debian_library, *PETSC),
    "ipopt": functools.partial(debian_library, *IPOPT),
    "gdb": functools.partial(program, "/usr/bin/gdb", "gdb"),
    "mpi4py": mpi4py,
    "libc": libc,
    "pynamic": pynamic,
    "gromacs": functools.partial(program, "/usr/bin/gmx", "gromacs"),
    "lammps": functools.partial(program, "/usr/bin/lmp", "lammps"),
    "cp2k": functools.partial(program, "/usr/bin/cp2k.psmp", "cp2k"),
    "nwchem": functools.partial(program, "/usr/bin/nwchem.openmpi", "nwchem-openmpi"),
    "openfoam": functools.partial(program, "/usr/bin/simpleFoam", "openfoam", environment=OPENFOAM),
    "paraview": functools.partial(program, "/usr/bin/paraview", "paraview", unsaid=[debian_python]),
    "blender": functools.partial(program, "/usr/bin/blender", "blender", without=[JEMALLOC], allocator=JEMALLOC),
}
