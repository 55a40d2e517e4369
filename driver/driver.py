"""Imports the modules of the set beside this file, visits their functions and tests MPI.

    python3 driver.py
    mpirun -n 4 python3 driver.py

The results are compared with manifest.json: what each entry returns, how many
functions each module has and has visited, and the visit marks of every
library. It needs CPython 3.8 or newer and nothing else; where mpi4py is
installed, the ranks of one mpirun go through the phases together.

Exit status: 0 when everything ran and every result was right, 1 when something
failed on any rank, 2 when the command line is wrong.
"""

# Up to where the version is checked, this file is written so that any Python
# since 2.7 can read it and say in one line why it cannot run it.
import sys
import time


def refuse(reason):
    sys.stderr.write("driver.py: %s\n" % reason)
    sys.stderr.flush()
    sys.exit(1)


def check_python():
    """The modules are laid out for the default builds of CPython 3.8 and newer."""
    version = ".".join(str(number) for number in sys.version_info[:3])
    if sys.version_info < (3, 8):
        refuse("this is Python %s; run it with CPython 3.8 or newer" % version)
    if sys.implementation.name != "cpython":
        refuse("this is %s; the modules of a set need CPython" % sys.implementation.name)
    if "t" in getattr(sys, "abiflags", ""):
        refuse(
            "this Python %s is a free-threaded build, for which a set's modules are not made; "
            "run it with a default build" % version
        )
    if hasattr(sys, "getobjects"):
        refuse(
            "this Python %s traces references (--with-trace-refs), for which a set's modules are "
            "not made; run it with a default build" % version
        )


check_python()
STARTED = time.clock_gettime(time.CLOCK_MONOTONIC), time.clock_gettime(time.CLOCK_BOOTTIME)
sys.dont_write_bytecode = True

import argparse  # noqa: E402
import importlib  # noqa: E402
import json  # noqa: E402
import math  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402

DIRECTORY = os.path.dirname(os.path.abspath(__file__))
MANIFEST_VERSION = 1
LIBRARIES_MOST = 1000000 + 2
ADVICE = "check the set with pyelfgen --verify"
ADVICE_ON_PATH = "look for another set's libraries in LD_LIBRARY_PATH, or " + ADVICE
ADVICE_ON_MAPS = "check 'ulimit -v', vm.max_map_count, and that the set's file system is not mounted noexec"


class Failure(Exception):
    """What is wrong on this rank, in one line."""


# --- ranks --------------------------------------------------------------------


class Alone:
    """The one rank of a run without MPI."""

    rank = 0
    count = 1
    mpi = False

    def agree(self, failure):
        return failure is None

    def spread(self, seconds):
        return None if math.isnan(seconds) else (seconds, seconds, seconds)

    def abort(self):
        sys.exit(1)


class Ranks:
    """All ranks of one mpirun, through mpi4py.

    Between two collective calls a rank may fail on its own; every such
    stretch ends in agree(), after which all ranks go the same way.
    """

    mpi = True

    def __init__(self, module):
        self.module = module
        self.world = module.COMM_WORLD
        self.rank = self.world.Get_rank()
        self.count = self.world.Get_size()

    def agree(self, failure):
        return self.world.allreduce(0 if failure is None else 1, op=self.module.MAX) == 0

    def spread(self, seconds):
        values = self.world.allgather(seconds)
        if any(math.isnan(value) for value in values):
            return None
        return max(values), min(values), sum(values) / len(values)

    def abort(self):
        self.world.Abort(1)


def find_ranks(with_mpi):
    if not with_mpi:
        return Alone(), None
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # RuntimeError: it finds no libmpi
        return Alone(), "%s: %s" % (type(error).__name__, error)
    return Ranks(MPI), None


LAUNCHERS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # mpirun of Open MPI
    ("PMI_RANK", "PMI_SIZE"),  # mpiexec of MPICH, and srun with PMI
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),  # srun; a batch script has SLURM_NTASKS too
)


def launched():
    """The rank and number of processes that a launcher started, as the environment tells."""
    for rank, count in LAUNCHERS:
        try:
            return int(os.environ[rank]), int(os.environ[count])
        except (KeyError, ValueError):
            pass
    return 0, 1


def complain(ranks, text):
    line = "".join(c if c.isprintable() else "?" for c in text)
    rank = ranks.rank if ranks.mpi else launched()[0]
    sys.stderr.write("driver.py: rank %d on %s: %s\n" % (rank, socket.gethostname(), line))
    sys.stderr.flush()


# --- the manifest -------------------------------------------------------------


class Library:
    """One row of the manifest, checked."""

    def __init__(self, row):
        self.name = text_of(row, "name")
        self.stem = self.name[:-3]
        self.kind = text_of(row, "kind")
        if not self.name.endswith(".so") or not self.stem or "/" in self.name:
            raise Failure("manifest.json: '%s' is not a name of a library; generate the set again" % self.name)
        if self.kind not in ("module", "utility", "marker"):
            raise Failure(
                "manifest.json: %s has the unknown kind '%s'; generate the set again" % (self.name, self.kind)
            )
        if self.kind == "marker" and "marks" not in row:
            self.functions = self.visited = self.marks = self.marked = 0
        else:
            self.functions = number_of(row, "functions", 2**28)
            self.visited = number_of(row, "visited", self.functions)
            self.marks = number_of(row, "marks", 2**28 + 2)
            self.marked = number_of(row, "marked", self.marks)
        self.marks_at = number_of(row, "marks-at", 2**40) if "marks-at" in row else 0
        self.bss = number_of(row, "bss", 2**40) if "bss" in row else 0
        self.attributes = row.get("attributes", True) is not False
        self.opened = row.get("opened", False) is True
        if self.kind != "utility":
            self.entry = text_of(row, "entry")
            self.result = number_of(row, "result", 2**64 - 1)


def text_of(row, key):
    value = row.get(key) if isinstance(row, dict) else None
    if not isinstance(value, str) or not value.isprintable():
        raise Failure("manifest.json: '%s' is missing or is not a printable text; generate the set again" % key)
    return value


def number_of(row, key, most):
    value = row.get(key)
    if type(value) is not int or not 0 <= value <= most:
        raise Failure(
            "manifest.json: '%s' is missing or is not a whole number up to %d; generate the set again" % (key, most)
        )
    return value


class Manifest:
    def __init__(self, directory):
        path = os.path.join(directory, "manifest.json")
        try:
            with open(path, encoding="utf-8") as file:
                top = json.load(file)
        except FileNotFoundError:
            raise Failure(
                "%s is no set, or an incomplete one: it has no manifest.json; generate it with "
                "pyelfgen --profile PROFILE -o SET" % directory
            )
        except (OSError, ValueError, RecursionError) as error:
            raise Failure("%s cannot be read: %s; generate the set again" % (path, error))
        if not isinstance(top, dict) or type(top.get("pyelfgen-manifest")) is not int:
            raise Failure("%s is not a manifest of pyelfgen; generate the set again" % path)
        if top["pyelfgen-manifest"] != MANIFEST_VERSION:
            raise Failure(
                "%s has version %d, this driver reads %d; use the driver.py that pyelfgen wrote into the set"
                % (path, top["pyelfgen-manifest"], MANIFEST_VERSION)
            )
        self.application = text_of(top, "application")
        rows = top.get("libraries")
        if not isinstance(rows, list) or len(rows) > LIBRARIES_MOST:
            raise Failure("%s: 'libraries' is not a list of libraries; generate the set again" % path)
        self.libraries = [Library(row) for row in rows]
        if any("file" not in row for row in rows):
            raise Failure(
                "%s has no libraries but in pyelf-static, which is its own driver; run it with "
                "pyelfrun --mode static" % directory
            )
        self.functions = number_of(top, "functions", 2**64 - 1)
        self.modules = self.of_kind("module")
        self.utilities = self.of_kind("utility")
        self.markers = self.of_kind("marker")
        if len(self.markers) != 2 or self.functions != sum(library.functions for library in self.libraries):
            raise Failure("%s: the libraries are not those that it announces; generate the set again" % path)

    def of_kind(self, kind):
        return [library for library in self.libraries if library.kind == kind]


def check_possible(manifest, ranks):
    """A run of nothing is no success; one rank says so."""
    if not manifest.modules and ranks.rank == 0:
        raise Failure(
            "%s has no modules to import or visit; pyelfrun --no-python opens its libraries with dlopen" % DIRECTORY
        )


def check_place():
    """The dynamic linker replaces these in a path, wherever they come from."""
    found = re.search(r"\$((ORIGIN|LIB|PLATFORM)(?![A-Za-z0-9_])|\{(ORIGIN|LIB|PLATFORM)\})", DIRECTORY)
    if found:
        raise Failure(
            "%s cannot be used: the dynamic linker replaces '%s' in its path; put the set elsewhere"
            % (DIRECTORY, found.group())
        )


MAPS_OF_A_LIBRARY = 5  # four segments, and what of one is protected when it is relocated
MAPS_OF_PYTHON = 600  # with MPI, about
PAGE = 4096  # what goes beyond one in .bss is a map of its own


def check_maps(manifest):
    """Linux allows so many maps of memory in a process: vm.max_map_count."""
    try:
        with open("/proc/sys/vm/max_map_count") as file:
            most = int(file.read())
    except (OSError, ValueError):
        return
    beyond = sum(library.bss > PAGE for library in manifest.libraries)
    maps = len(manifest.libraries) * MAPS_OF_A_LIBRARY + beyond + MAPS_OF_PYTHON
    if maps > most:
        raise Failure(
            "the set's %d libraries take about %d maps of memory in one process, and Linux allows %d; raise that "
            "as root with 'sysctl vm.max_map_count=%d', or choose modules with --only"
            % (len(manifest.libraries), maps, most, maps + maps // 4)
        )


# --- phases -------------------------------------------------------------------


def startup_seconds():
    """From the start of the process to STARTED, and the decimals that are known.

    As pyelfrun does: PYELFRUN_START, seconds of CLOCK_MONOTONIC on this host,
    or the start in /proc/self/stat, in ticks of 10 ms.
    """
    monotonic, boottime = STARTED
    try:
        start = float(os.environ["PYELFRUN_START"])
        if 0 < start <= monotonic:
            return monotonic - start, 4
    except (KeyError, ValueError):
        pass
    try:
        with open("/proc/self/stat", "rb") as file:
            # The command, field 2, may hold anything; start is field 22.
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        start = ticks / os.sysconf("SC_CLK_TCK")
        if 0 < start <= boottime:
            return boottime - start, 2
    except (OSError, ValueError, IndexError):
        pass
    return math.nan, 2


def advice_for(reason):
    """What to do about a library that cannot be loaded."""
    unmapped = "failed to map segment" in reason or "Cannot allocate memory" in reason
    foreign = "undefined symbol" in reason and os.environ.get("LD_LIBRARY_PATH")
    return ADVICE_ON_MAPS if unmapped else ADVICE_ON_PATH if foreign else ADVICE


def raised(library, what, error):
    """The failure of a call into a library, which may raise anything."""
    advice = advice_for(str(error))
    return Failure("%s: %s: %s: %s; %s" % (library.stem, what, type(error).__name__, error, advice))


def import_all(order):
    modules = {}
    for library in order:
        try:
            modules[library.stem] = importlib.import_module(library.stem)
        except Exception as error:
            raise raised(library, "cannot be imported", error)
    return modules


def import_ctypes():
    """None where this Python was built without it."""
    try:
        import ctypes
    except ImportError:
        return None
    return ctypes


def open_others(ctypes, libraries):
    for library in libraries:
        try:
            ctypes.CDLL(os.path.join(DIRECTORY, library.name), mode=sys.getdlopenflags())
        except OSError as error:
            raise raised(library, "cannot be opened", error)


def import_and_open(order, ctypes, others):
    modules = import_all(order)
    if ctypes:
        open_others(ctypes, others)
    return modules


def check_places(manifest):
    """What was loaded under the names of the set's libraries has to be of the set.

    The dynamic linker looks for what modules need in LD_LIBRARY_PATH before it
    looks beside them. Another copy of the set gives the same results.
    """
    names = {library.name for library in manifest.libraries}
    own = os.path.realpath(DIRECTORY)
    try:
        with open("/proc/self/maps", errors="surrogateescape") as maps:
            paths = {line[line.index("/") :].rstrip("\n") for line in maps if "/" in line}
    except OSError:
        return
    for path in sorted(paths):
        directory, name = os.path.split(path)
        if name not in names or directory == own:
            continue
        try:
            same = os.path.samefile(path, os.path.join(DIRECTORY, name))
        except OSError:  # a path of another mount namespace
            continue
        if not same:
            raise Failure(
                "%s: was loaded from %s and not from the set; look for it in LD_LIBRARY_PATH and LD_PRELOAD"
                % (os.path.splitext(name)[0], path)
            )


def visit_all(order, modules):
    for library in order:
        try:
            result = getattr(modules[library.stem], library.entry)()
        except Exception as error:
            raise raised(library, "no result from " + library.entry, error)
        if result != library.result:
            raise Failure(
                "%s: entry returned %s, the manifest says %d; %s" % (library.stem, result, library.result, ADVICE)
            )


def check_modules(chosen, modules):
    """What the modules say of themselves; returns the functions visited."""
    for library in chosen:
        if not library.attributes:
            continue
        try:
            functions = modules[library.stem].functions
            visited = modules[library.stem].visited()
        except Exception as error:
            raise raised(library, "does not tell its functions", error)
        if functions != library.functions:
            raise Failure(
                "%s: has %s functions, the manifest says %d; %s" % (library.stem, functions, library.functions, ADVICE)
            )
        if visited != (library.visited if library.marks else 0):
            raise Failure(
                "%s: visited() returned %s, the manifest says %d; %s" % (library.stem, visited, library.visited, ADVICE)
            )
    return sum(library.visited for library in chosen)


def object_size(ctypes, address):
    """The st_size of the symbol at an address; None where the C library has no dladdr1."""

    class Symbol(ctypes.Structure):
        _fields_ = [
            ("st_name", ctypes.c_uint32),
            ("st_info", ctypes.c_ubyte),
            ("st_other", ctypes.c_ubyte),
            ("st_shndx", ctypes.c_uint16),
            ("st_value", ctypes.c_uint64),
            ("st_size", ctypes.c_uint64),
        ]

    RTLD_DL_SYMENT = 1
    try:
        dladdr1 = ctypes.CDLL(None).dladdr1
    except AttributeError:
        return None
    info = (ctypes.c_void_p * 4)()  # Dl_info
    symbol = ctypes.POINTER(Symbol)()
    dladdr1.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    if not dladdr1(address, ctypes.byref(info), ctypes.byref(symbol), RTLD_DL_SYMENT) or not symbol:
        return None
    return symbol.contents.st_size


def is_writable(address, size):
    """Whether all of that memory is there, and may be written."""
    with open("/proc/self/maps", errors="surrogateescape") as maps:
        for line in maps:
            ends, mode = line.split()[:2]
            first, last = (int(end, 16) for end in ends.split("-"))
            if first <= address < last and "w" in mode:
                size -= last - address
                address = last
    return size <= 0


def marks_in(ctypes, library, loaded):
    """The marks of a library in which they are no dynamic symbol: where the manifest says."""
    RTLD_DI_LINKMAP = 2
    link_map = ctypes.POINTER(ctypes.c_uint64)()  # begins with what is added to addresses in the library
    dlinfo = ctypes.CDLL(None).dlinfo
    dlinfo.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
    if dlinfo(loaded._handle, RTLD_DI_LINKMAP, ctypes.byref(link_map)) == 0:
        address = link_map[0] + library.marks_at
        if is_writable(address, library.marks):
            return bytes((ctypes.c_ubyte * library.marks).from_address(address))
    raise Failure(
        "%s: has no memory for %d marks at 0x%x; %s" % (library.stem, library.marks, library.marks_at, ADVICE)
    )


def read_marks(ctypes, library):
    """The bytes of a library's visit marks; None of one that is rightly not loaded.

    RTLD_NOLOAD finds a library only where an import has loaded it, itself or
    as another's need, from this very file.
    """
    name = library.stem + "_visits"
    try:
        loaded = ctypes.CDLL(os.path.join(DIRECTORY, library.name), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        if library.marked == 0:
            return None
        raise Failure("%s: was not loaded from the set; %s" % (library.stem, ADVICE))
    if library.marks_at:
        return marks_in(ctypes, library, loaded)
    try:
        marks = (ctypes.c_ubyte * library.marks).in_dll(loaded, name)
    except ValueError:
        raise Failure("%s: has no object %s; %s" % (library.stem, name, ADVICE))
    size = object_size(ctypes, ctypes.addressof(marks))
    if size is not None and size != library.marks:
        raise Failure(
            "%s: %s has %d bytes, the manifest says %d; %s" % (library.stem, name, size, library.marks, ADVICE)
        )
    return bytes(marks)


def check_marks(manifest):
    """The visit marks of every library; returns the functions visited.

    None where this Python was built without ctypes.
    """
    ctypes = import_ctypes()
    if not ctypes:
        return None
    total = 0
    for library in manifest.libraries:
        marks = read_marks(ctypes, library) if library.marks else None
        if marks is None:
            continue
        marked = library.marks - marks.count(0)
        visited = library.functions - marks.count(0, 0, library.functions)
        if marked != library.marked:
            raise Failure(
                "%s: %d marks are set, the manifest says %d; %s" % (library.stem, marked, library.marked, ADVICE)
            )
        if visited != library.visited:
            raise Failure(
                "%s: %d functions were visited, the manifest says %d; %s"
                % (library.stem, visited, library.visited, ADVICE)
            )
        total += visited
    return total


# --- the MPI test -------------------------------------------------------------

SIDE = 120
ITERATIONS_MOST = 100


def draw_row(row):
    """One row of the Mandelbrot set over [-2, 1) by [-1.5, 1.5)."""
    pixels = []
    for column in range(SIDE):
        c = complex(-2 + 3 * column / SIDE, -1.5 + 3 * row / SIDE)
        z = 0j
        n = 0
        while n < ITERATIONS_MOST and z.real * z.real + z.imag * z.imag <= 4:
            z = z * z + c
            n += 1
        pixels.append(n)
    return pixels


def draw_together(ranks):
    """Every count-th row; rank 0 gathers them, all add their iterations."""
    mine = {row: draw_row(row) for row in range(ranks.rank, SIDE, ranks.count)}
    gathered = ranks.world.gather(mine, root=0)
    total = ranks.world.allreduce(sum(map(sum, mine.values())), op=ranks.module.SUM)
    return gathered, total


def check_picture(ranks, gathered, total):
    alone = [draw_row(row) for row in range(SIDE)] if ranks.rank == 0 else None
    expected = ranks.world.bcast(sum(map(sum, alone)) if alone else None, root=0)
    if alone:
        together = {}
        for rows in gathered:
            together.update(rows)
        if together != dict(enumerate(alone)):
            raise Failure("the MPI test's picture is not that of one process alone; check MPI and the hosts")
    if total != expected:
        raise Failure(
            "the MPI test's reduction returned %d instead of %d; check MPI and the hosts" % (total, expected)
        )


# --- the run ------------------------------------------------------------------


class Stopped(Exception):
    """A phase failed on some rank, which has said why."""


def phase(ranks, function, *arguments):
    """Runs one phase to the agreement of all ranks; returns its value and seconds."""
    failure = value = None
    begin = time.perf_counter()
    try:
        value = function(*arguments)
    except Failure as error:
        failure = error
    seconds = time.perf_counter() - begin
    if failure is not None:
        complain(ranks, str(failure))
    if not ranks.agree(failure):
        raise Stopped
    return value, seconds


def seconds_text(seconds, decimals):
    least = 10.0**-decimals
    return "<%.*f" % (decimals, least) if seconds < least else "%.*f" % (decimals, seconds)


def counted(number, one, several):
    return "%d %s" % (number, one if number == 1 else several)


def table(manifest, chosen, others, ranks, rows, visited, functions):
    application = manifest.application + ": " if manifest.application else ""
    modules = counted(len(manifest.modules), "module", "modules")
    lines = ["%s%s, %s" % (application, modules, counted(len(manifest.utilities), "utility", "utilities"))]
    lines += ["", "%-8s %10s %10s %10s" % ("seconds", "max", "min", "mean")]
    for name, spread, decimals in rows:
        if spread is None:
            lines.append("%-8s   not measured" % name)
        else:
            lines.append("%-8s %10s %10s %10s" % ((name,) + tuple(seconds_text(value, decimals) for value in spread)))
    python = "CPython %d.%d.%d" % sys.version_info[:3]
    imported = counted(len(chosen), "module", "modules")
    opened = ", %s opened" % counted(others, "other library", "other libraries") if others else ""
    lines += ["", "%s, %s imported by %s%s" % (counted(ranks.count, "rank", "ranks"), imported, python, opened)]
    planned = "" if visited == functions else " as the manifest says"
    lines += ["%d of %d functions visited%s, every result right" % (visited, functions, planned)]
    return lines


def hold_descriptors():
    """No library gets the number of a standard descriptor that is closed, and writing to that fails. What a terminal
    cannot show is printed as an escape sequence, as Python does with messages."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)  # the lowest that is free
    sys.stdout = sys.stdout or open(1, "w")
    sys.stderr = sys.stderr or open(2, "w")
    sys.stdout.reconfigure(errors="backslashreplace")


def print_lines(lines):
    try:
        sys.stdout.write("".join(line + "\n" for line in lines))
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        # What is still buffered must not fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        why = getattr(error, "strerror", None) or error
        raise Failure("standard output: the results cannot be written: %s" % why)


def run(options, manifest, chosen, ranks, no_mpi_reason):
    begin, end = manifest.markers
    order = list(chosen)
    if options.order == "random":
        random.Random(options.seed).shuffle(order)
    order = [begin] + order + [end]

    others = [library for library in manifest.utilities if library.opened and chosen is manifest.modules]
    # Before the import, of whose time it is no part, and only where there is something to open.
    ctypes = phase(ranks, import_ctypes)[0] if others else None
    modules, import_seconds = phase(ranks, import_and_open, order, ctypes, others)
    phase(ranks, check_places, manifest)
    _, visit_seconds = phase(ranks, visit_all, order, modules)
    visited, _ = phase(ranks, check_modules, chosen, modules)
    functions = sum(library.functions for library in chosen)
    opened = len(others) if ctypes else 0
    notes = []
    if opened < len(others):
        notes.append("%d libraries that no module needs not opened: this Python has no ctypes" % len(others))
    # Only when every module has been visited are all marks known.
    if chosen is manifest.modules:
        marked, _ = phase(ranks, check_marks, manifest)
        if marked is None:
            notes.append("visit marks of the utilities not checked: this Python has no ctypes")
        else:
            visited, functions = marked, manifest.functions

    startup, decimals = startup_seconds()
    rows = [
        ("startup", ranks.spread(startup), decimals),
        ("import", ranks.spread(import_seconds), 4),
        ("visit", ranks.spread(visit_seconds), 4),
    ]
    if ranks.mpi:
        drawn, mpi_seconds = phase(ranks, draw_together, ranks)
        phase(ranks, check_picture, ranks, *drawn)
        rows.append(("MPI", ranks.spread(mpi_seconds), 4))
    elif no_mpi_reason:
        notes.append("MPI not tested: %s" % no_mpi_reason)
    shown = ranks.rank == 0 and (ranks.mpi or launched()[0] == 0)
    lines = table(manifest, chosen, opened, ranks, rows, visited, functions) + notes if shown else []
    phase(ranks, print_lines, lines)


def parse_options():
    parser = argparse.ArgumentParser(
        prog="driver.py",
        description="Import the modules of the set beside this file, visit their functions and test MPI.",
    )
    parser.add_argument(
        "--order", choices=("given", "random"), default="given", help="order of modules (default: given)"
    )
    parser.add_argument("--seed", type=int, default=42, metavar="N", help="seed of --order=random (default: 42)")
    parser.add_argument(
        "--only",
        action="append",
        metavar="libmoduleN",
        help="import and check only this module; may be repeated",
    )
    parser.add_argument("--no-mpi", action="store_true", help="do not look for mpi4py")
    return parser, parser.parse_args()


def choose(manifest, names):
    """The modules of --only, in the manifest's order; None when one is unknown."""
    if not names:
        return manifest.modules, None
    known = {library.stem for library in manifest.modules}
    unknown = [name for name in names if name not in known]
    return [library for library in manifest.modules if library.stem in names], unknown[0] if unknown else None


def main():
    parser, options = parse_options()
    hold_descriptors()
    ranks, no_mpi_reason = find_ranks(not options.no_mpi)
    rank, count = launched()
    if ranks.count == 1:
        # A reader that leaves ends it without a word, as it ends other programs; several ranks agree on that.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if not ranks.mpi and count > 1 and rank == 0:
        why = "there is no mpi4py" if not options.no_mpi else "--no-mpi is given"
        sys.stderr.write("driver.py: %s: each of the %d processes runs alone\n" % (why, count))
    try:
        sys.path.insert(0, DIRECTORY)
        manifest, _ = phase(ranks, Manifest, DIRECTORY)
        phase(ranks, check_possible, manifest, ranks)
        phase(ranks, check_place)
        chosen, unknown = choose(manifest, options.only)
        if unknown is not None:
            if ranks.rank == 0:
                sys.stderr.write("driver.py: the set has no module '%s'; see --help\n" % unknown)
            return 2
        if chosen is manifest.modules:
            phase(ranks, check_maps, manifest)
        run(options, manifest, chosen, ranks, no_mpi_reason)
    except Stopped:
        return 1
    except Exception as error:  # perhaps amid a collective call: no agreement is possible
        complain(ranks, "%s: %s" % (type(error).__name__, error))
        ranks.abort()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
