"""Plain writes, the least that any program pays to write so many bytes, and fetching the memory for them."""

import mmap
import os
import pathlib
import threading

SLICE = 128 * 1024


def available_memory():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def fetch_memory(size):
    """Writes to so many bytes of memory, at most half of what is available, and frees them.

    The host of a virtual machine may take back memory that has been free for some seconds (free page reporting). The
    next program that uses the memory waits for it, up to four times as long as for all else. Called just before each
    measurement and outside of its timed part, this makes all short measurements begin in the same state.
    """
    with mmap.mmap(-1, max(mmap.PAGESIZE, min(size, available_memory() // 2))) as memory:
        for at in range(0, len(memory), mmap.PAGESIZE):
            memory[at] = 1


def plain_writes(files, target, threads):
    """Writes files of these sizes into the new directory `target`, in slices, with this many threads."""
    target.mkdir()
    data = memoryview(os.urandom(SLICE))
    names = iter(enumerate(files))
    lock = threading.Lock()

    def work():
        while True:
            with lock:
                number, size = next(names, (None, 0))
            if number is None:
                return
            fd = os.open(target / str(number), os.O_WRONLY | os.O_CREAT)
            while size:
                size -= os.write(fd, data[: min(size, SLICE)])
            os.close(fd)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
