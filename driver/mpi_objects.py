"""What the ranks send one another through mpi4py: Python objects, which travel pickled.

pyelfrun runs this in the interpreter that has imported the set, after all that
is measured; MPI has been started by then and stays pyelfrun's.
"""

import os
import sys


def same_mpi(extension):
    """Whether an extension module needs the MPI library of this process.

    One that needs another is not to be imported: it would call this one with the
    other's handles. Opening it alone calls nothing; the functions that dlsym
    finds for it are those of what it needs.
    """
    import ctypes

    def address(library):
        return ctypes.cast(library.MPI_Init, ctypes.c_void_p).value

    return address(ctypes.CDLL(extension, mode=os.RTLD_NOW)) == address(ctypes.CDLL(None))


def find():
    """Imports mpi4py, which is the user's and not the set's; returns its version.

    The interpreter knows no directory of the user: those of PYTHONPATH and of
    site-packages are looked at here, behind its own.
    """
    import importlib.util
    import site

    sys.path += [path for path in os.environ.get("PYTHONPATH", "").split(":") if path] + site.getsitepackages()
    sys.setdlopenflags(os.RTLD_NOW)
    import mpi4py

    other = ImportError("mpi4py %s belongs to another MPI than pyelfrun" % mpi4py.__version__)
    found = importlib.util.find_spec("mpi4py.MPI")
    if found and found.origin.endswith(".so") and not same_mpi(found.origin):
        raise other
    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    mpi4py.rc.errors = "fatal"
    from mpi4py import MPI

    if not MPI.Is_initialized():
        raise other
    return mpi4py.__version__


def sample(rank):
    """An object of many kinds, larger than what MPI sends without asking the receiver."""
    return {
        "rank": rank,
        "large": 3 ** (200 + rank % 100),
        "text": "r\u00e4nge \u03c1" * (1 + rank % 7),
        "nested": [(rank, None, -0.5 * rank), {rank, rank + 1}, [[]], True],
        "bytes": bytes((rank + i) % 256 for i in range(256)) * 1000,
    }


def exchange():
    """Collective. Returns what this rank found wrong, or None."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    rank, count = world.Get_rank(), world.Get_size()
    wrong = []

    def check(what, got, wanted):
        if got != wanted:
            wrong.append("%s of Python objects: what came is not what was sent" % what)

    # A large object is from rank 0, a small one from the last.
    check("the broadcast", world.bcast(sample(0) if rank == 0 else None, root=0), sample(0))
    last = count - 1
    check("the broadcast", world.bcast((last, "last") if rank == last else None, root=last), (last, "last"))

    # Lists are joined in the order of ranks; the numbers fit no type of MPI's.
    check("the reduction", world.allreduce([rank], op=MPI.SUM), list(range(count)))
    check("the reduction", world.reduce(rank + 2**64, op=MPI.MAX, root=0), count - 1 + 2**64 if rank == 0 else None)

    # To the right in the ring of ranks, then to the left.
    right, left = (rank + 1) % count, (rank - 1) % count
    request = world.isend(sample(rank), dest=right, tag=1)
    check("point to point", world.recv(source=left, tag=1), sample(left))
    request.wait()
    check("point to point", world.sendrecv(str(rank), dest=left, source=right), str(right))
    return wrong[0] if wrong else None
