"""pyelfmount shows a set that is not stored, name for name and byte for byte as pyelfgen writes it."""

import contextlib
import errno
import os
import pathlib
import random
import re
import signal
import subprocess
import threading
import time

import pytest

from conftest import BUILD
from sets import PLAIN, manifest_of, profile_text
from shells import as_in_a_shell

PROGRAM = BUILD / "bin" / "pyelfmount"
VARIANTS = {
    "plain": [],
    "debuglink": ["--separate=debuglink"],
    "build-id": ["--separate=build-id", "--hash=both"],
    "compressed": ["--compress=zlib", "--seed=7"],
    "split": ["--split"],
    "link": ["--link", "--index=debug_names"],
}


def why_not():
    if not PROGRAM.exists():
        return "pyelfmount is not built: no libfuse 3"
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        return f"/dev/fuse cannot be opened: {error.strerror}"
    return None


@pytest.fixture(scope="module")
def fuse(tmp_path_factory, profile):
    """Skips a test where nothing can be mounted, and says why."""
    why = why_not()
    directory = tmp_path_factory.mktemp("possible")
    if not why:
        done = subprocess.run([PROGRAM, profile, directory], capture_output=True, text=True)
        if done.returncode == 0:
            subprocess.run(["fusermount3", "-u", directory], check=True)
            return
        why = done.stderr.strip()
        # any other message is a failure of pyelfmount
        assert "cannot mount the set: " in why, why
    pytest.skip(why)


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    path = tmp_path_factory.mktemp("profile") / "odd.prof"
    path.write_text(profile_text(**PLAIN))
    return path


class Mount:
    """A set, mounted until the end of `with`. Then `said` is what pyelfmount printed, and `status` its exit status."""

    def __init__(self, programs, directory, *arguments, umask=-1, **environment):
        self.directory = directory
        directory.mkdir(exist_ok=True)
        command = [programs.path("pyelfmount"), "-f", *map(str, arguments), str(directory)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        how = {"env": {**programs.environment(), **environment}, "umask": umask, "preexec_fn": as_in_a_shell}
        self.process = subprocess.Popen(command, **how, **pipes)

    def __enter__(self):
        until = time.monotonic() + 30
        while not os.path.ismount(self.directory):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < until, "it is not mounted"
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None and os.path.ismount(self.directory):
            subprocess.run(["fusermount3", "-u", self.directory], check=True)
        self.end()

    def end(self):
        self.said, self.complaints = self.process.communicate(timeout=30)
        self.status = self.process.returncode
        assert (self.status, self.complaints) == (0, "")

    def counts(self):
        """(libraries made, libraries only sized, most MB of files that were kept at a time)"""
        pattern = r"made (1(?= library)|(?!1 )\d+(?= libraries)) \w+, found the sizes of (\d+); at most ([\d.]+) MB of files were kept\n"
        made, sized, kept = re.fullmatch(pattern, self.said).groups()
        return int(made), int(sized), float(kept)


def files_of(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def mode_of(path):
    return bool(path.stat().st_mode & 0o111)


# these run under the sanitizers too
QUICK = ("split", "compressed")
CASES = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in VARIANTS]


@pytest.fixture(scope="module", params=CASES)
def variant(request):
    return VARIANTS[request.param]


@pytest.fixture(scope="module")
def written(programs, profile, tmp_path_factory):
    directory = tmp_path_factory.mktemp("written") / "set"
    programs.run("pyelfgen", "-P", profile, "-o", directory, "-q")
    return directory


def test_it_is_the_set_that_is_written(programs, profile, variant, tmp_path, fuse):
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q", *variant)
    with Mount(programs, tmp_path / "seen", *variant, profile) as mount:
        wanted = files_of(tmp_path / "set")
        seen = {path: (mount.directory / path).stat().st_size for path in wanted}
        assert seen == {path: len(content) for path, content in wanted.items()}
        assert files_of(mount.directory) == wanted
        assert {p for p in wanted if mode_of(mount.directory / p)} == {p for p in wanted if mode_of(tmp_path / "set" / p)}
        programs.run("pyelfgen", "--verify", mount.directory, "-q")


def test_rows(programs, tmp_path, fuse):
    """The set of a profile with rows has differences.json as well."""
    row = "- {{kind: {}, text: 40000, data: 3000, bss: 5000, debug: 90000, functions: 60}}"
    rows = "\n".join(row.format(kind) for kind in ("module", "utility"))
    path = tmp_path / "rows.prof"
    path.write_text(f"pyelfgen-profile: 1\nlibraries:\n{rows}\n")
    programs.run("pyelfgen", "-P", path, "-o", tmp_path / "set", "-q")
    with Mount(programs, tmp_path / "seen", path) as mount:
        assert files_of(mount.directory) == files_of(tmp_path / "set")
        assert (mount.directory / "differences.json").exists()


def test_sizes_are_known_before_anything_is_made(programs, profile, written, tmp_path, fuse):
    with Mount(programs, tmp_path / "seen", profile) as mount:
        seen = {path.name: path.stat().st_size for path in mount.directory.iterdir()}
    assert seen == {path.name: path.stat().st_size for path in written.iterdir()}
    assert mount.counts() == (0, 8, 0.0)


def test_random_offsets_cost_one_library(programs, profile, written, tmp_path, fuse):
    """Reads anywhere in one file make its library once, however small the cache is: one image is always kept."""
    wanted = (written / "libmodule1.so").read_bytes()
    choose = random.Random(5)
    with Mount(programs, tmp_path / "seen", "--cache=1 B", profile) as mount:
        file = os.open(mount.directory / "libmodule1.so", os.O_RDONLY)
        for _ in range(200):
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            at, size = choose.randrange(len(wanted) + 10), choose.choice([1, 100, 5000, 300_000])
            assert os.pread(file, size, at) == wanted[at : at + size]
        os.close(file)
    assert mount.counts()[0] == 1


@pytest.mark.slow
def test_what_is_kept_is_bounded(programs, profile, written, tmp_path, fuse):
    sizes = sorted(path.stat().st_size for path in written.glob("*.so"))
    most = -(-(sizes[-1] + sizes[-2] + 1) // 1000) * 1000  # rounded up, because pyelfmount reports it in kB
    with Mount(programs, tmp_path / "seen", f"--cache={most} B", profile) as mount:
        for _ in range(2):
            for path in sorted(written.glob("*.so")):
                file = os.open(mount.directory / path.name, os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                assert os.read(file, 4) == b"\x7fELF"
                os.close(file)
    made, _, kept = mount.counts()
    assert 0 < kept * 1e6 <= most
    assert made > len(sizes)  # some images were dropped and made again


def test_readers_at_once_have_it_made_once(programs, profile, written, tmp_path, fuse):
    wanted = (written / "libutility0.so").read_bytes()
    found = []
    with Mount(programs, tmp_path / "seen", profile) as mount:

        def read():
            found.append((mount.directory / "libutility0.so").read_bytes())

        readers = [threading.Thread(target=read) for _ in range(8)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
    assert found == [wanted] * 8
    assert mount.counts()[0] == 1


def test_all_at_once(programs, profile, written, tmp_path, fuse):
    """Several readers of all files get the right bytes, although one image is kept and one thread makes libraries."""
    wanted = files_of(written)
    found = []
    with Mount(programs, tmp_path / "seen", "--cache=1 B", "-j1", profile) as mount:
        readers = [threading.Thread(target=lambda: found.append(files_of(mount.directory))) for _ in range(4)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
    assert all(files == wanted for files in found) and len(found) == 4


@pytest.mark.parametrize("cache, made", [("1 GB", 8), ("1 B", 16)])
def test_a_manifest_makes_every_library_once(programs, profile, written, tmp_path, fuse, cache, made):
    """The manifest has the digests of all libraries. Images are kept as far as there is room, for later readers."""
    with Mount(programs, tmp_path / "seen", f"--cache={cache}", profile) as mount:
        for _ in range(2):
            assert len(manifest_of(mount.directory)["libraries"]) == 8
        files = {path: content for path, content in files_of(mount.directory).items() if path.suffix == ".so"}
        assert files == {path: content for path, content in files_of(written).items() if path.suffix == ".so"}
    assert mount.counts()[0] == made


def test_what_it_says_of_files(programs, profile, tmp_path, fuse):
    """Files have the modes that pyelfgen gives them under the same umask, and the time of SOURCE_DATE_EPOCH."""
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q", "--separate=build-id", umask=0o027)
    how = {"umask": 0o027, "SOURCE_DATE_EPOCH": "1234567890"}
    with Mount(programs, tmp_path / "seen", "--separate=build-id", profile, **how) as mount:
        for path in [pathlib.Path("."), *(path.relative_to(tmp_path / "set") for path in (tmp_path / "set").rglob("*"))]:
            seen, wanted = ((top / path).stat() for top in (mount.directory, tmp_path / "set"))
            assert (seen.st_mode, seen.st_mtime) == (wanted.st_mode, 1234567890), path
            assert os.listxattr(mount.directory / path) == []


@pytest.mark.parametrize("given", ["yesterday", "", "-1", "1.5", "9223372036854775808"])
def test_a_time_that_is_none(given, programs, profile, tmp_path, fuse):
    """A SOURCE_DATE_EPOCH that is no number of seconds is refused; files would have the time of mounting."""
    how = {"env": {**programs.environment(), "SOURCE_DATE_EPOCH": given}, "capture_output": True, "text": True}
    done = subprocess.run([programs.path("pyelfmount"), profile, tmp_path], **how)
    if os.path.ismount(tmp_path):
        subprocess.run(["fusermount3", "-u", tmp_path], check=True)
    assert done.returncode == 1
    assert f"SOURCE_DATE_EPOCH is '{given}', which is not a whole number of seconds; " in done.stderr


def test_too_long_names(programs, profile, tmp_path, fuse):
    """Names have the limit that statfs tells."""
    with Mount(programs, tmp_path / "seen", profile) as mount:
        for length, number in [(255, errno.ENOENT), (256, errno.ENAMETOOLONG)]:
            with pytest.raises(OSError) as caught:
                os.stat(mount.directory / ("x" * length))
            assert caught.value.errno == number


def test_who_does_not_ask_for_sizes(programs, profile, written, tmp_path, fuse):
    """A reader that does not ask for the size gets the whole file, and nothing behind its end."""
    name = "libmodule0.so"
    content = (written / name).read_bytes()
    with Mount(programs, tmp_path / "seen", profile) as mount:
        source = os.open(mount.directory / name, os.O_RDONLY)
        with open(tmp_path / "copy", "wb") as target:
            while os.sendfile(target.fileno(), source, None, 1 << 16):
                pass
        assert (tmp_path / "copy").read_bytes() == content
        os.close(source)
        source = os.open(mount.directory / "libmodule1.so", os.O_RDONLY)
        size = (written / "libmodule1.so").stat().st_size
        assert os.pread(source, 100, size - 10) == (written / "libmodule1.so").read_bytes()[-10:]
        assert os.pread(source, 100, size) == os.pread(source, 100, size + (1 << 30)) == b""
        os.close(source)
        source = os.open(mount.directory / "libmodule2.so", os.O_RDONLY)
        assert os.lseek(source, 0, os.SEEK_END) == (written / "libmodule2.so").stat().st_size
        os.close(source)


def test_space(programs, profile, written, tmp_path, fuse):
    """df shows about as many bytes as the set has, and no free ones."""
    files = files_of(written)
    with Mount(programs, tmp_path / "seen", profile) as mount:
        space = os.statvfs(mount.directory)
    whole = sum(len(content) for content in files.values())
    assert space.f_bavail == space.f_bfree == 0 and space.f_flag & os.ST_RDONLY
    assert 0.8 * whole < space.f_blocks * space.f_frsize < 1.2 * whole
    assert space.f_files >= len([path for path in files if path.suffix == ".so"])


def test_a_long_list(programs, tmp_path, fuse):
    """A directory of more names than the kernel asks for at once is listed whole. An open list may outlive the set."""
    profile = tmp_path / "many.prof"
    profile.write_text(profile_text(modules=400, utilities=400, functions=1))
    names = [f"lib{kind}{i}.so" for kind in ("module", "utility") for i in range(400)]
    names += ["libmodulebegin.so", "libmodulefinal.so", "driver.py", "manifest.json"]
    with Mount(programs, tmp_path / "seen", profile) as mount:
        for _ in range(2):
            assert sorted(os.listdir(mount.directory)) == sorted(names)
        with os.scandir(mount.directory) as entries:
            next(entries)
            mount.process.send_signal(signal.SIGTERM)
            mount.end()


@pytest.mark.slow
def test_who_waits_for_a_size_holds_up_nobody(programs, tmp_path, fuse):
    """While a reader waits for the manifest's size, names are found and listed, and other sizes and files are there."""
    with Mount(programs, tmp_path / "seen", "-j2", "llnl-900") as mount:
        asking = subprocess.Popen(["stat", mount.directory / "manifest.json"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.05)
            assert len(os.listdir(mount.directory)) > 900
            assert not (mount.directory / "missing").exists()
            assert (mount.directory / "driver.py").stat().st_size > 0
            assert (mount.directory / "libmodule7.so").read_bytes()[:4] == b"\x7fELF"
            assert asking.poll() is None
        finally:
            asking.kill()
            asking.wait(timeout=30)


@pytest.mark.slow
def test_nothing_can_be_changed(programs, profile, tmp_path, fuse):
    with Mount(programs, tmp_path / "seen", profile) as mount:
        for change in (
            lambda: (mount.directory / "libmodule0.so").open("r+b"),
            lambda: (mount.directory / "more").write_text(""),
            lambda: (mount.directory / "libmodule0.so").unlink(),
            lambda: (mount.directory / "more").mkdir(),
        ):
            with pytest.raises(OSError) as refused:
                change()
            assert refused.value.errno == errno.EROFS
        for name in ("libmodule9.so", "x" * 200, "manifest.json.", ".build-id"):
            assert not (mount.directory / name).exists()


def test_one_of_several_mounts(programs, profile, tmp_path, fuse):
    """Of several that start at once one mounts."""
    directory = tmp_path / "seen"
    directory.mkdir()
    command = [programs.path("pyelfmount"), profile, directory]
    try:
        started = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(5)]
        said = [process.communicate(timeout=60)[1] for process in started]
        assert sorted(process.returncode for process in started) == [0, 1, 1, 1, 1]
        for process, text in zip(started, said):
            told = "is not empty" in text or "another pyelfmount is about to mount there" in text
            assert told == (process.returncode == 1), text
    finally:
        subprocess.run(["fusermount3", "-u", directory], check=True)
    assert not os.path.ismount(directory)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_unmounts(number, programs, profile, tmp_path, fuse):
    with Mount(programs, tmp_path / "seen", profile) as mount:
        mount.process.send_signal(number)
        mount.end()
    assert not os.path.ismount(mount.directory) and mount.status == 0


def processes_with(word):
    """The ids of the processes that have this argument."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            if os.fsencode(word) in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def test_in_the_background(programs, profile, written, tmp_path, fuse):
    directory = tmp_path / "seen"
    directory.mkdir()
    unique = f"--cache={os.getpid()} kB"
    done = programs.run("pyelfmount", unique, os.path.relpath(profile, tmp_path), "seen", cwd=tmp_path)
    try:
        assert done.stdout == done.stderr == ""
        assert files_of(directory) == files_of(written)
        (process,) = processes_with(unique)
        os.kill(process, signal.SIGTERM)
        until = time.monotonic() + 30
        while os.path.ismount(directory) and time.monotonic() < until:
            time.sleep(0.01)
        assert list(directory.iterdir()) == []
    finally:
        if os.path.ismount(directory):
            subprocess.run(["fusermount3", "-u", directory], check=True)


@pytest.mark.slow
def test_pyelfrun_runs_what_is_not_stored(programs, profile, tmp_path, fuse):
    if not (BUILD / "bin" / "pyelfrun").exists():
        pytest.skip("pyelfrun is not built")
    with Mount(programs, tmp_path / "seen", "-q", profile) as mount:
        assert "every result right" in programs.run("pyelfrun", "--no-python", mount.directory).stdout
    assert mount.said == ""


def test_help(programs):
    if not PROGRAM.exists():
        pytest.skip(why_not())
    said = programs.run("pyelfmount", "-h").stdout
    assert said == programs.run("pyelfmount", "--help").stdout
    assert said.startswith("Usage: pyelfmount [OPTION]... PROFILE DIR\n")
    for option in ("--cache=", "--foreground", "--allow-other", "--seed=", "--separate=", "--split", "--link"):
        assert option in said


def wrong(programs, *arguments, status, **options):
    done = programs.run("pyelfmount", *arguments, status=status, **options)
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "which profile, and where? give PROFILE and DIR"),
        (["small"], "where? give an empty directory after the profile"),
        (["small", ""], "where? give an empty directory"),
        (["small", "a", "b"], "'b' is one argument too many"),
        (["--cache=12", "small", "a"], "--cache: '12' has no unit"),
        (["--libpython=libpython3.so", "small", "a"], "--libpython is for the executable that --link shows; give that too"),
        (["--sources", "small", "a"], "sources"),
    ],
)
def test_wrong_use(arguments, said, programs):
    if not PROGRAM.exists():
        pytest.skip(why_not())
    assert said in wrong(programs, *arguments, status=2)


def test_where_it_cannot_be(programs, profile, tmp_path, fuse):
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    for name, said in {
        "missing": "nothing can be mounted there: No such file or directory; make the directory first",
        "file": "is no directory; give an empty one",
        "full": "it is not empty, and what is in it would not be seen; mount on an empty directory",
    }.items():
        line = wrong(programs, profile, tmp_path / name, status=1)
        assert line == f"pyelfmount: {tmp_path / name}: {said}\n"


NO_FUSE = """#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    if (strcmp(path, "/dev/fuse") != 0)
        return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    errno = NUMBER;
    return -1;
}
int open(const char *path, int flags, ...) __attribute__((alias("open64")));
"""


@pytest.mark.parametrize(
    "number, said",
    [
        ("EACCES", "you may not open it: Permission denied; have root make it readable and writable for all, "),
        ("EPERM", "the container may not open it: Operation not permitted; start it with --device /dev/fuse --cap-add SYS_ADMIN"),
        ("ENOENT", "there is no FUSE here: No such file or directory; load it with modprobe fuse, or give "),
        ("ENODEV", "there is no FUSE here: No such device; load it with modprobe fuse, or give "),
        ("EMFILE", "cannot be opened: Too many open files\n"),
    ],
)
def test_why_there_is_no_fuse(number, said, programs, profile, tmp_path):
    if not PROGRAM.exists():
        pytest.skip(why_not())
    if programs.sanitized:
        pytest.skip("what is preloaded has no sanitizers")
    (tmp_path / "no_fuse.c").write_text(NO_FUSE)
    library = tmp_path / "no_fuse.so"
    subprocess.run(["gcc", "-shared", "-fPIC", f"-DNUMBER={number}", "-o", library, tmp_path / "no_fuse.c"], check=True)
    (tmp_path / "seen").mkdir()
    line = wrong(programs, profile, tmp_path / "seen", status=1, env={"LD_PRELOAD": str(library)})
    assert line.startswith(f"pyelfmount: /dev/fuse: {said}")


def test_over_itself_and_over_what_is_gone(programs, profile, tmp_path, fuse):
    with Mount(programs, tmp_path / "seen", profile) as mount:
        assert "it is not empty" in wrong(programs, profile, mount.directory, status=1)
    mount = Mount(programs, tmp_path / "gone", profile).__enter__()
    mount.process.kill()
    mount.process.communicate()
    try:
        assert "fusermount3 -u it first" in wrong(programs, profile, mount.directory, status=1)
    finally:
        subprocess.run(["fusermount3", "-u", mount.directory], check=True)


def processor_time(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_who_is_ended_has_no_more_sized(programs, tmp_path, fuse):
    """The manifest's size needs that of every library. When the only reader who waits for it ends, sizing stops."""
    with Mount(programs, tmp_path / "seen", "-j1", "llnl-900") as mount:
        before = processor_time(mount.process)
        asking = subprocess.Popen(["stat", mount.directory / "manifest.json"], stdout=subprocess.DEVNULL)
        while processor_time(mount.process) < before + 0.05:
            time.sleep(0.01)
        asking.kill()
        asking.wait(timeout=30)
        after = processor_time(mount.process)
        time.sleep(0.1)
        assert processor_time(mount.process) < after + 0.05  # it rests, and the set is still mounted
    made, sized, _ = mount.counts()
    assert made == 0 < sized < 902


@pytest.mark.slow
def test_many_who_wait_let_others_go_on(programs, tmp_path, fuse):
    """More readers wait than libfuse has threads and the kernel has requests by default. Unmounting ends their work."""
    with Mount(programs, tmp_path / "seen", "-j1", "llnl-900") as mount:
        manifest = mount.directory / "manifest.json"
        manifest.stat()
        # each reads another page, so that each has a request of its own
        command = ["dd", f"if={manifest}", "of=/dev/null", "bs=4096", "count=1", "status=none"]
        readers = [subprocess.Popen([*command, f"skip={5 * i + 5}"]) for i in range(12)]
        try:
            time.sleep(0.1)  # until they wait
            assert len(os.listdir(mount.directory)) > 900
            (mount.directory / "driver.py").read_bytes()
            assert [reader.poll() for reader in readers] == [None] * 12
        finally:
            for reader in readers:
                reader.kill()
            for reader in readers:
                reader.wait(timeout=30)
    made, sized, _ = mount.counts()
    assert 0 < made < sized
