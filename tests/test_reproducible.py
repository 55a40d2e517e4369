"""The same plan gives the same bytes. Whatever is in the way of a set or interrupts it, no half of one is left."""

import contextlib
import fcntl
import filecmp
import os
import re
import resource
import shutil
import signal
import subprocess

import pytest

from conftest import SOURCE
from objects import ask, counted_libraries, sizes_of_each, tool
from sets import SMALL, libraries_of, manifest_of, profile_text, variant_text

PROFILE = profile_text(
    modules=3,
    utilities=2,
    sections={"text": 400_000, "data": 40_000, "debug": 700_000, "symtab": 30_000, "strtab": 90_000},
)


@pytest.fixture(scope="module")
def profile(sets):
    return sets.write_profile("reproducible", PROFILE)


@pytest.fixture
def generate(programs, profile, tmp_path):
    def run(name, *arguments, **options):
        programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / name, "-q", *arguments, **options)
        return tmp_path / name

    return run


# Libraries without a symbol table whose edges form circles. The lengths of a library's names depend on the names of
# others.
STRIPPED = 200
STRIPPED_ROWS = f"pyelfgen-profile: 1\nmodules: 0\nutilities: {STRIPPED}\nlibraries:\n" + "".join(
    "- {kind: utility, text: 60 kB, data: 6 kB, debug: 0 B, symtab: 0 B, strtab: 0 B, functions: 150, plt: 120,\n"
    "   dynamic: {functions: 150, undefined: 130, dynstr: 9500},\n"
    f"   needed: '{' '.join(f'{(row + apart) % STRIPPED}:40' for apart in (1, 2, 5))}',\n"
    "   name-lengths: '4 10 13*2 14 15 16 17 18 19 20 21 22 23 25 28 31 37 41 47 60'}\n"
    for row in range(STRIPPED)
)


@pytest.fixture
def refused(programs, profile, tmp_path):
    """Runs pyelfgen, which has to fail with this status and one line. Returns the line without its beginning."""

    def run(output, *arguments, status=1, **options):
        done = programs.run("pyelfgen", "--profile", profile, "-o", output, "-q", *arguments, status=status, **options)
        assert re.fullmatch(r"pyelfgen: [^\n]+\n", done.stderr) and done.stdout == ""
        return done.stderr[len("pyelfgen: ") : -1]

    return run


def same(one, other):
    """Whether `diff -r` finds no difference."""
    return subprocess.run(["diff", "-r", one, other], capture_output=True).returncode == 0


def modes(directory):
    return {path.name: oct(path.stat().st_mode) for path in directory.iterdir()}


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


# --- reproducible -------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, environment",
    [
        (["-j2"], {}),
        (["-j7"], {}),
        ([], {"LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8"}),
        ([], {"TZ": "Pacific/Kiritimati"}),
        ([], {"SOURCE_DATE_EPOCH": "1", "MALLOC_PERTURB_": "171"}),
    ],
    ids=["two-threads", "seven-threads", "locale", "time-zone", "memory"],
)
def test_same_bytes(arguments, environment, generate):
    one = generate("one", "-j1")
    other = generate("other", *arguments, env=environment)
    assert same(one, other) and modes(one) == modes(other)


def test_names_that_depend_on_others(programs, sets, tmp_path):
    profile = sets.write_profile("reproducible-stripped", STRIPPED_ROWS)
    for name, jobs in {"one": 1, "two": 2, "seven": 7}.items():
        programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / name, "-q", f"-j{jobs}")
    assert same(tmp_path / "one", tmp_path / "two")
    assert same(tmp_path / "one", tmp_path / "seven")


def test_same_bytes_from_another_place(generate, programs, profile, tmp_path):
    """A relative name of the directory and another name of the profile leave no trace in the set."""
    one = generate("one")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    shutil.copy(profile, tmp_path / "deep" / "another name")
    programs.run("pyelfgen", "-P", "another name", "-o", "er/set", "-q", cwd=tmp_path / "deep")
    assert same(one, tmp_path / "deep" / "er" / "set")


@pytest.mark.long
@pytest.mark.slow
def test_same_bytes_from_another_compiler(programs, tmp_path):
    """gcc evaluates the arguments of a call from the last to the first, clang from the first to the last. Two of them
    may not draw from the same random numbers."""
    if not shutil.which("clang"):
        pytest.skip("needs clang")
    build = tmp_path / "build"
    options = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_BUILD_TYPE=Debug", "-DBUILD_TESTING=OFF"]
    subprocess.run(["cmake", "-S", SOURCE, "-B", build, *options], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build, "--target", "pyelfgen", "--parallel"], check=True, capture_output=True)
    for name in ["small", "c++"]:
        command = [build / "bin" / "pyelfgen", "--profile", name, "-o", tmp_path / f"{name}-by-clang", "-q"]
        subprocess.run(command, check=True)
        programs.run("pyelfgen", "--profile", name, "-o", tmp_path / name, "-q")
        assert same(tmp_path / name, tmp_path / f"{name}-by-clang")


def test_umask_is_obeyed(generate):
    one = generate("one", umask=0o022)
    other = generate("other", umask=0o077)
    assert same(one, other)
    assert modes(one)["libmodule0.so"] == "0o100755" and modes(one)["manifest.json"] == "0o100644"
    assert modes(other)["libmodule0.so"] == "0o100700" and modes(other)["manifest.json"] == "0o100600"


def test_layout_of_the_profile_makes_no_difference(generate, programs, sets, tmp_path):
    """Comments, order and units do not matter: the digest of a profile is that of its meaning."""
    text = (
        "# the same\nutilities: 2\nmodules: 3\nseed: 42\n"
        "sections:\n  strtab: 0.09 MB\n  symtab: 30 kB\n  debug: 700 kB\n  data: 40000 B\n  text: 0.4 MB\n"
        "pyelfgen-profile: 1\n"
    )
    programs.run("pyelfgen", "-P", sets.write_profile("layout", text), "-o", tmp_path / "other", "-q")
    assert same(generate("one"), tmp_path / "other")


def test_another_seed(generate):
    """All libraries have other bytes, and the same sizes in total."""
    one, other = generate("one"), generate("other", "--seed=43")
    assert manifest_of(other)["seed"] == 43
    assert manifest_of(one)["actual"] == manifest_of(other)["actual"]
    for path in one.glob("*.so"):
        assert not filecmp.cmp(path, other / path.name, shallow=False)
    sums = [
        [sum(sizes[size] for sizes in sizes_of_each(counted_libraries(d))) for size in ("text", "data", "debug")]
        for d in (one, other)
    ]
    assert sums[0] == sums[1] == [400_000, 40_000, 700_000]


def test_digests_are_those_of_xxhsum(small):
    rows = libraries_of(small)
    command = [tool("xxhsum"), "-H2", *(small / row["name"] for row in rows)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [line.split()[0] for line in said] == [row["xxh3-128"] for row in rows]
    assert [(small / row["name"]).stat().st_size for row in rows] == [row["file"] for row in rows]


def test_one_library_depends_on_no_other(sets, programs, tmp_path):
    """The next run over an interrupted set makes the same files as if nothing had happened."""
    one = sets.get("odd")
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted([row["name"] for row in libraries_of(one)] + ["driver.py", "manifest.json"])
    profile = sets.write_profile("again", variant_text("odd"))
    other = tmp_path / "other"
    shutil.copytree(one, other)
    (other / "manifest.json").unlink()
    os.truncate(other / "libmodule1.so", 10_000)
    (other / "libutility0.so").unlink()
    (other / ".libmodule0.so.tmp").write_bytes(b"stale")
    (other / ".manifest.json.tmp").write_bytes(b"stale")
    programs.run("pyelfgen", "--profile", profile, "-o", other, "-q")
    assert same(one, other)


# --- what is in the way ---------------------------------------------------------------


def stamps(directory):
    """Returns what shows that a file was not touched: its inode and the time of its last change."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return {str(path.relative_to(directory)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in files}


def limit(size):
    """Limits the size of files that this process writes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def changed(before, after):
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


@pytest.mark.alike
@pytest.mark.parametrize(
    "options", [[], ["--sources"], ["--link"], ["--separate=build-id"], ["--split", "--jobs=1"]], ids=" ".join
)
def test_again_writes_nothing(options, generate):
    """The run writes nothing at all, so it succeeds even where nothing can be written."""
    one = generate("set", *options)
    before = stamps(one)
    generate("set", *options, preexec_fn=lambda: limit(0))
    assert changed(before, stamps(one)) == []


def test_again_keeps_an_executable_that_is_put_together(generate):
    one = generate("set", "--static")
    before = stamps(one)
    generate("set", "--static")
    assert changed(before, stamps(one)) == []
    with open(one / "pyelf-static", "r+b") as f:
        f.seek(-1, os.SEEK_END)
        f.write(b"x")
    generate("set", "--static")
    assert changed(before, stamps(one)) == ["manifest.json", "pyelf-static"]
    assert same(one, generate("clean", "--static"))


def test_again_gives_permissions_back(generate):
    """Each file gets back the permissions with which it was made. Additional permissions stay."""
    one = generate("set", "--link", "--static", "--sources")
    before, made = stamps(one), {path.name: path.stat().st_mode for path in one.iterdir()}
    taken = {"pyelf-link": 0o644, "pyelf-static": 0o644, "libmodule1.so": 0, "driver.py": 0o200, "manifest.json": 0o400}
    for name, mode in taken.items():
        (one / name).chmod(mode)
    (one / "libmodule0.so").chmod(0o777)
    (one / "libmodule2.so").chmod(0o2674)
    kept = {"libmodule0.so": 0o777, "libmodule2.so": 0o2674 | made["libmodule2.so"] & 0o777}
    generate("set", "--link", "--static", "--sources")
    for path in one.iterdir():
        assert path.stat().st_mode & 0o7777 == kept.get(path.name, made[path.name] & 0o7777)
    if os.geteuid() == 0:  # other users cannot read these files, so theirs are made again
        assert changed(before, stamps(one)) == []


def test_again_writes_what_is_missing_or_differs(generate, programs, profile, tmp_path):
    one, clean = generate("set"), generate("clean")
    before = stamps(one)
    (one / "libmodule1.so").unlink()
    with open(one / "libmodule2.so", "r+b") as f:
        f.seek(5000)
        f.write(b"other")
    (one / "libutility0.so").unlink()
    (one / "libutility0.so").symlink_to(clean / "libutility0.so")
    with open(one / "libutility1.so", "ab") as f:
        f.write(b"more")
    os.utime(one / "libmodule0.so", (1, 1))
    done = programs.run("pyelfgen", "--profile", profile, "-o", one)
    assert done.stdout.endswith("\n3 of 7 files were there already, as they should be\n")
    assert same(one, clean) and not (one / "libutility0.so").is_symlink()
    assert (one / "libmodule0.so").stat().st_mtime == 1
    wanted = ["libmodule0.so", "libmodule1.so", "libmodule2.so", "libutility0.so", "libutility1.so", "manifest.json"]
    assert changed(before, stamps(one)) == wanted


ROWS = """\
pyelfgen-profile: 1
elf: {build-id: false}
libraries:
- {kind: module, text: 30 kB, data: 3 kB, debug: 40 kB, symtab: 2000 B, strtab: 2000 B, functions: 30}
- {kind: module, text: 40 kB, data: 3 kB, debug: 50 kB, symtab: 2000 B, strtab: 2000 B, functions: 30}
- {kind: utility, text: 50 kB, data: 3 kB, debug: 60 kB, symtab: 2000 B, strtab: 2000 B, functions: 30}
"""


def test_another_profile_changes_what_it_says(sets, programs, tmp_path):
    """In the second profile one library is larger; in the third it is left out. Only these files change. There are no
    build-ids, as these would change with the profile."""

    def generate(name, text):
        profile = sets.write_profile("rows", text)
        programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / name, "-q")
        return tmp_path / name

    one = generate("set", ROWS)
    before = stamps(one)
    larger = ROWS.replace("debug: 50 kB", "debug: 51 kB")
    generate("set", larger)
    assert changed(before, stamps(one)) == ["libmodule1.so", "manifest.json"]
    assert same(one, generate("larger", larger))
    fewer = "".join(line for line in ROWS.splitlines(keepends=True) if "debug: 50 kB" not in line)
    generate("set", fewer)
    assert same(one, generate("fewer", fewer)) and not (one / "libmodule1.so").exists()


def test_sources_that_are_stale_go(generate):
    one = generate("set", "--sources")
    before = stamps(one)
    header = next((one / "sources" / "include").iterdir())
    text = header.read_text()
    (one / "sources" / "libmodule0.c").unlink()
    (one / "sources" / "libmodule9_1.c").write_text(text)
    (one / "sources" / "notes.c").write_text("mine")
    header.write_text(text + "/* edited */\n")
    generate("set", "--sources")
    assert changed(before, stamps(one)) == sorted(
        ["manifest.json", "sources/libmodule0.c", "sources/notes.c", str(header.relative_to(one))]
    )
    assert header.read_text() == text
    generate("set")
    assert [path.name for path in (one / "sources").iterdir()] == ["notes.c"]


def test_the_manifest_goes_before_anything_changes(generate, refused):
    """So a manifest never lists a file that is not there."""
    one = generate("set")
    before = stamps(one)
    (one / "libmodule1.so").unlink()
    said = refused(one, preexec_fn=lambda: limit(4096))
    assert said == f"{one}/libmodule1.so: cannot write the file: File too large"
    assert changed(before, stamps(one)) == ["libmodule1.so", "manifest.json"]
    generate("set")
    assert changed(before, stamps(one)) == ["libmodule1.so", "manifest.json"]
    assert manifest_of(one)["modules"] == 3


def test_the_manifest_goes_before_sources_change(generate, refused):
    """The largest header cannot be written, when others are there already. So nothing says that the libraries that are
    there, of another seed, have these headers."""
    one = generate("set", "--sources", "--seed=7")
    largest = max(path.stat().st_size for path in (one / "sources" / "include").iterdir())
    generate("set")
    before = stamps(one)
    said = refused(one, "--sources", "--seed=7", "--jobs=1", preexec_fn=lambda: limit(largest - 1))
    assert said.startswith(f"{one}/sources/include/") and said.endswith(".h: cannot write the file: File too large")
    after = stamps(one)
    assert "manifest.json" not in after and len(after) > len(before)
    assert all(name == "manifest.json" or name.startswith("sources/") for name in changed(before, after))


def test_force_writes_everything(generate):
    one = generate("set")
    before = stamps(one)
    generate("set", "--force")
    assert changed(before, stamps(one)) == sorted(before.keys())


def test_force_replaces(generate, programs, sets, tmp_path):
    """Libraries that the new set does not have are removed. Other files in the directory stay."""
    other = programs.run("pyelfgen", "5", "3", "-e", "-o", tmp_path / "set", "-q")
    assert other.stderr == "" and (tmp_path / "set" / "libmodule4.so").exists()
    (tmp_path / "set" / "notes.txt").write_text("mine")
    assert generate("set", "--force") == tmp_path / "set"
    assert (tmp_path / "set" / "notes.txt").read_text() == "mine"
    (tmp_path / "set" / "notes.txt").unlink()
    assert same(generate("one"), tmp_path / "set")


def test_an_empty_directory_is_taken(generate, tmp_path):
    (tmp_path / "set").mkdir(mode=0o750)
    assert manifest_of(generate("set"))["modules"] == 3
    assert (tmp_path / "set").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("name", ["notes.txt", "libmodule.so", "libmodule1.so.bak", ".libother.so.tmp", "libc.so"])
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_a_directory_with_foreign_files_is_left(name, force, refused, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("mine")
    said = refused(tmp_path / "mine", *force, status=2)
    assert said == (
        f"{tmp_path}/mine: the directory holds '{name}', which is not of a set; give an empty or a new one"
    )
    assert content(tmp_path / "mine") == {name: b"mine"}


def test_library_that_is_not_of_the_set(programs, tmp_path):
    """A file with a library's name is refused, because --verify would refuse it. Any other file may be there."""
    generate = ["pyelfgen", "--profile", SMALL, "-o", tmp_path / "set", "-q"]
    programs.run(*generate)
    (tmp_path / "set" / "notes.txt").write_text("mine")
    programs.run(*generate)
    (tmp_path / "set" / "libextra.so").write_text("mine")
    for more in [], ["--force"]:
        done = programs.run(*generate, *more, status=2)
        assert done.stderr == (
            f"pyelfgen: {tmp_path}/set: the set holds 'libextra.so', which is not of it; remove that, or give another "
            "directory\n"
        )
    assert (tmp_path / "set" / "libextra.so").read_text() == "mine"


def test_libraries_that_are_of_the_set_no_more(programs, tmp_path):
    """They are removed, and their number is said."""
    generate = ["pyelfgen", "-o", tmp_path / "set", "--profile"]
    programs.run(*generate, SMALL, "-q")
    there = len(list((tmp_path / "set").glob("lib*.so")))
    (tmp_path / "less.prof").write_text("pyelfgen-profile: 1\nmodules: 1\nfunctions: 3\n")
    said = programs.run(*generate, tmp_path / "less.prof").stdout
    assert len(list((tmp_path / "set").glob("lib*.so"))) == 3  # two are markers
    assert said.endswith(f"\nremoved {there - 3} libraries of the set that was there before\n")
    assert "removed" not in programs.run(*generate, tmp_path / "less.prof").stdout


def test_executable_that_is_not_asked_for_any_more(programs, tmp_path):
    generate = ["pyelfgen", "--profile", SMALL, "-o", tmp_path / "set"]
    programs.run(*generate, "-q", "--link")
    assert "removed" not in programs.run(*generate, "--link").stdout
    assert programs.run(*generate).stdout.endswith("\nremoved pyelf-link, which is there with --link only\n")
    assert not (tmp_path / "set" / "pyelf-link").exists()
    assert "removed" not in programs.run(*generate).stdout



def test_a_file_in_place_of_the_directory(refused, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert refused(tmp_path / "file") == f"{tmp_path}/file: is a file; give another name"
    assert (tmp_path / "file").read_text() == "mine"


def test_a_directory_that_is_nowhere(refused, tmp_path):
    """Only the last directory of a path is made, even if the path has additional slashes. The line says which one to
    make."""
    for path, missing in (("no/set", "no"), ("no/more/set", "no/more"), ("no//set//", "no")):
        said = refused(f"{tmp_path}/{path}")
        what = f"cannot make the directory; make {tmp_path}/{missing} first: No such file or directory"
        assert said == f"{tmp_path}/{path}: {what}"
    assert not (tmp_path / "no").exists()
    what = "cannot make a directory in /proc; give another: No such file or directory"
    assert refused("/proc/no-such-set") == f"/proc/no-such-set: {what}"


def test_a_library_that_is_a_link(generate, tmp_path):
    """Where a link has the name of a set's file, the link is replaced. The file that it leads to is not written."""
    (tmp_path / "precious").write_text("mine")
    generate("set")
    (tmp_path / "set" / "libmodule0.so").unlink()
    (tmp_path / "set" / "libmodule0.so").symlink_to(tmp_path / "precious")
    (tmp_path / "set" / ".libmodule1.so.tmp").symlink_to(tmp_path / "precious")
    assert same(generate("set"), generate("one"))
    assert (tmp_path / "precious").read_text() == "mine"
    assert not (tmp_path / "set" / "libmodule0.so").is_symlink()


# --- what cuts it short ------------------------------------------------------------------


@pytest.fixture
def little_room(file_system):
    """A file system of 1 MB."""
    return file_system("1m")


def test_full_file_system(little_room, refused):
    said = refused(little_room / "set")
    path = rf"{little_room}/set/(lib(module|utility)\w+\.so|driver\.py|manifest\.json)"
    assert re.fullmatch(rf"{path}: cannot [^:]*: No space left on device", said)
    assert list(little_room.iterdir()) == []


def test_full_file_system_with_a_directory(little_room, refused):
    """A directory that was there before stays, without a manifest and without half-written files."""
    (little_room / "set").mkdir()
    assert refused(little_room / "set").endswith(": No space left on device")
    left = sorted(path.name for path in (little_room / "set").iterdir())
    assert "manifest.json" not in left and not [name for name in left if name.endswith(".tmp")]
    for path in (little_room / "set").glob("*.so"):
        assert ask(tool("eu-elflint"), "--gnu-ld", path) == "No errors\n"


def test_full_file_system_keeps_no_old_manifest(little_room, generate, refused, tmp_path, programs, sets):
    """With --force the old set goes although the new one does not fit. What is left is no set, and --verify says so."""
    programs.run("pyelfgen", "2", "3", "-o", little_room / "set", "-q")
    refused(little_room / "set", "--force")
    done = programs.run("pyelfgen", "--verify", little_room / "set", status=1)
    assert "it has no manifest.json; " in done.stderr


@pytest.fixture
def without_privilege(programs):
    """Runs pyelfgen so that permissions count. Root could write into any directory otherwise."""
    prefix = []
    if os.geteuid() == 0:
        prefix = [tool("setpriv"), "--bounding-set=-dac_override,-dac_read_search"]

    def run(*arguments, **options):
        return programs.command([*prefix, programs.path("pyelfgen"), *arguments], **options)

    return run


def test_read_only_file_system(file_system, refused):
    directory = file_system("1m,ro")
    what = "cannot make the directory; give another: Read-only file system"
    assert refused(directory / "set") == f"{directory}/set: {what}"


def test_directory_that_may_not_be_written(without_privilege, profile, tmp_path):
    directory = tmp_path / "closed"
    directory.mkdir(mode=0o555)
    done = without_privilege("-P", profile, "-o", directory / "set", "-q", status=1)
    assert done.stderr == f"pyelfgen: {directory}/set: cannot make the directory; give another: Permission denied\n"
    done = without_privilege("-P", profile, "-o", directory, "-q", status=1)
    assert re.fullmatch(rf"pyelfgen: {directory}/\S+: cannot create the file: Permission denied\n", done.stderr)
    assert list(directory.iterdir()) == []


def test_profile_that_may_not_be_read(without_privilege, tmp_path):
    (tmp_path / "a.prof").write_text(PROFILE)
    (tmp_path / "a.prof").chmod(0)
    done = without_privilege("-P", tmp_path / "a.prof", "-o", tmp_path / "set", status=1)
    assert done.stderr == f"pyelfgen: {tmp_path}/a.prof: cannot open the profile: Permission denied\n"
    assert not (tmp_path / "set").exists()


# --- two at a time -----------------------------------------------------------------------

TAKEN = (
    "another pyelfgen is writing a set there, or with --alone another rank of this one; wait for its end, or give each a "
    "directory of its own"
)


@contextlib.contextmanager
def held(directory):
    """Locks the directory as a pyelfgen does that writes into it."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def stopped_in_the_midst(programs, profile, output):
    """Starts a pyelfgen and stops it by SIGSTOP when it has written something."""
    command = [programs.path("pyelfgen"), "--profile", profile, "-o", output, "-q", "-j1"]
    process = subprocess.Popen(command, env=programs.environment())
    try:
        while not (output.exists() and list(output.iterdir())):
            assert process.poll() is None
        process.send_signal(signal.SIGSTOP)
        assert os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED).si_code == os.CLD_STOPPED
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def many(sets):
    """A profile of a set that takes some time to make."""
    return sets.write_profile("many", profile_text(modules=300, utilities=2, functions=100))


def test_two_in_one_directory(programs, many, refused, tmp_path):
    """The second run is refused and changes nothing. The first one goes on."""
    with stopped_in_the_midst(programs, many, tmp_path / "set") as first:
        before = content(tmp_path / "set")
        for more in ([], ["--force"]):
            assert refused(tmp_path / "set", *more) == f"{tmp_path}/set: {TAKEN}"
        done = programs.run("pyelfgen", "--verify", tmp_path / "set", status=1)
        assert "it has no manifest.json; " in done.stderr
        assert content(tmp_path / "set") == before
        first.send_signal(signal.SIGCONT)
        assert first.wait() == 0
    programs.run("pyelfgen", "--verify", tmp_path / "set")


def test_killed_with_the_directory(programs, many, tmp_path):
    """After SIGKILL the directory has no manifest. Nothing keeps out the next run, which completes the set."""
    with stopped_in_the_midst(programs, many, tmp_path / "set"):
        pass
    assert not (tmp_path / "set" / "manifest.json").exists()
    done = programs.run("pyelfgen", "--verify", tmp_path / "set", status=1)
    assert "it has no manifest.json; " in done.stderr
    for name in ("set", "alone"):
        programs.run("pyelfgen", "--profile", many, "-o", tmp_path / name, "-q")
    assert same(tmp_path / "set", tmp_path / "alone")


def test_interrupted(programs, many, tmp_path):
    """The next run takes over the files that were finished before Ctrl-C."""
    output = tmp_path / "set"
    process = subprocess.Popen(
        [programs.path("pyelfgen"), "--profile", many, "-o", output, "-q", "-j1"],
        env=programs.environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while len(list(output.glob("*.so"))) < 3:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait() == -signal.SIGINT and not (output / "manifest.json").exists()
    finished = {path: path.stat().st_ino for path in output.glob("*.so")}
    programs.run("pyelfgen", "--profile", many, "-o", output, "-q")
    assert {path: path.stat().st_ino for path in finished} == finished
    programs.run("pyelfgen", "--verify", output)


def test_force_beside_another(generate, refused, programs, tmp_path):
    """The existing set stays as it is and can be read, while another run holds the directory."""
    generate("set")
    with held(tmp_path / "set"):
        assert refused(tmp_path / "set", "--force") == f"{tmp_path}/set: {TAKEN}"
        programs.run("pyelfgen", "--verify", tmp_path / "set")
        programs.run("pyelfrun", "--phases", "import", tmp_path / "set")
    generate("set", "--force")
    programs.run("pyelfgen", "--verify", tmp_path / "set")


def test_two_ranks(programs, profile, tmp_path):
    """Another run holds the directory, so neither of two ranks writes into it."""
    (tmp_path / "set").mkdir()
    with held(tmp_path / "set"):
        done = programs.mpirun(2, "pyelfgen", "-P", profile, "-o", tmp_path / "set", "-q", status=None)
    assert done.returncode != 0
    assert re.search(rf"^pyelfgen: rank 0 on [^ :]+: {tmp_path}/set: {TAKEN}$", done.stderr, flags=re.M)
    assert list((tmp_path / "set").iterdir()) == []


@pytest.mark.parametrize("error", ["ENOLCK", "EOPNOTSUPP", "ENOSYS", "EBADF"])
def test_file_system_without_locks(error, programs, profile, generate, tmp_path):
    """Where directories cannot be locked, a set is made as usual."""
    if not shutil.which("strace") or programs.sanitized:
        pytest.skip("it takes strace, and a program without sanitizers")
    command = ["strace", "-f", "-o", tmp_path / "trace", "-e", f"inject=flock:error={error}"]
    programs.command([*command, programs.path("pyelfgen"), "-P", profile, "-o", tmp_path / "set", "-q"])
    assert re.search(rf"flock\(.*{error}.*INJECTED", (tmp_path / "trace").read_text())
    assert same(tmp_path / "set", generate("alone"))


def test_a_directory_that_cannot_be_opened_does_not_stay(programs, profile, tmp_path):
    """The run has made the directory, and then has no descriptor left for it."""
    if not shutil.which("strace") or programs.sanitized:
        pytest.skip("it takes strace, and a program without sanitizers")
    output = tmp_path / "set"
    command = ["strace", "-f", "-o", tmp_path / "trace", "-P", output, "-e", "inject=open,openat:error=EMFILE"]
    done = programs.command([*command, programs.path("pyelfgen"), "-P", profile, "-o", output, "-q"], status=1)
    assert done.stderr.splitlines()[-1] == f"pyelfgen: {output}: cannot open the directory: Too many open files"
    assert not output.exists()
