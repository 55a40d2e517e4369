"""pyelf-link with and without code of its own (--bigexe): what it needs, its sizes, and what other programs read."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess

import pytest

from conftest import BUILD, SOURCE
from objects import FIVE, OF_NESTED_CALLS, ask, dwarfdump_complaints, elflint, sizes_by_binutils, tool
from sets import manifest_of, mostly_long, variant_text

BIG = 2_000_003
OPTIONS = ["--link", "--bigexe", f"{BIG} B"]
# More than EXECUTABLE_WHOLE (emit/plan/executables.h), so that the executable is put together from parts.
LARGE = 260_000_009


def executable_of(directory):
    """The row of pyelf-link in the manifest."""
    (row,) = manifest_of(directory)["executables"]
    return row


def printed(done):
    """The sizes of pyelf-link that pyelfgen prints, in MB."""
    return re.search(r"^pyelf-link +(.*)$", done.stdout, flags=re.M)[1].split()


class Made:
    def __init__(self, directory, done):
        self.directory, self.done = directory, done
        self.path = directory / "pyelf-link"


@pytest.fixture(scope="module")
def make(programs, sets, tmp_path_factory):
    """Generates a variant's set."""

    def made(name, *options, status=0):
        profile = sets.write_profile(f"{name}-executable", variant_text(name))
        directory = tmp_path_factory.mktemp("executable") / "set"
        done = programs.run("pyelfgen", "--profile", profile, "-o", directory, *options, status=status)
        return Made(directory, done)

    return made


@pytest.fixture(scope="module")
def plain(make):
    return make("odd", "--link")


@pytest.fixture(scope="module")
def big(make):
    return make("odd", *OPTIONS)


@pytest.fixture(scope="module")
def large(programs, sets, roomy):
    """A set whose executable is put together from parts. It has few libraries, so the executable is most of it."""
    profile = sets.write_profile("large-executable", variant_text("odd"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    options = ["--link", "--bigexe", f"{LARGE} B", "-j", "2"]
    done = programs.run("pyelfgen", "--profile", profile, "-o", roomy / "executable", *options, timeout=600)
    made = Made(roomy / "executable", done)
    made.memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if before < 150_000 else None  # kB
    yield made
    shutil.rmtree(made.directory)


# --- it runs --------------------------------------------------------------------


def runs(programs, directory, mode):
    done = programs.run("pyelfrun", "--mode", mode, "--phases", "import,visit", directory)
    assert done.stderr == "" and ", every result right\n" in done.stdout
    return done


@pytest.mark.alike
@pytest.mark.parametrize("mode", ["link", "bind-now"])
@pytest.mark.parametrize("which", ["plain", "big"])
def test_runs(which, mode, programs, request):
    assert f"mode {mode}, 1 rank, 4 modules" in runs(programs, request.getfixturevalue(which).directory, mode).stdout


VARIANTS = ["hash-sysv", "hash-both", "relro-full", "relro-none", "relr", "cf-protection", "no-build-id", "page-64k"]
VARIANTS += ["stripped", "bare", "no-debug", "cpp", "cpp-4", "itanium-natural", "depth-1", "units-of-one", "one-function", "large-bss"]
QUICK = ["relro-full", "stripped", "no-debug", "cpp", "one-function"]
KINDS = ["--compress=zlib", "--compress=zstd", "--separate=debuglink", "--separate=build-id", "--split"]
KINDS += ["--type-units", "--index=gdb_index", "--index=debug_names"]


@pytest.mark.alike
@pytest.mark.parametrize("name", mostly_long(VARIANTS, *QUICK))
def test_variants(name, make, programs):
    made = make(name, *OPTIONS)
    programs.run("pyelfgen", "--verify", made.directory)
    runs(programs, made.directory, "link")
    assert elflint(made.path) == "No errors\n"
    without = make(name, "--link")
    assert total(made.path) - total(without.path) == BIG


@pytest.mark.alike
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_debug_information(kind, make, programs):
    made = make("odd", *OPTIONS, kind)
    programs.run("pyelfgen", "--verify", made.directory)
    runs(programs, made.directory, "link")
    assert elflint(made.path) == "No errors\n"
    command = [tool("gdb"), "-nx", "-batch", "-iex", f"set debug-file-directory {made.directory}"]
    done = programs.command([*command, "-ex", "info functions ^pyelf_fun9[0-9]*$", made.path], cwd=made.directory)
    assert re.search(r"^File pyelf-link\w*\.c:\n\d+:\tunsigned long pyelf_fun9\d*\(.*\);$", done.stdout, flags=re.M)


def test_sources(make):
    """The sources of the executable's own code compile as C."""
    made = make("odd", *OPTIONS, "--sources")
    sources = sorted((made.directory / "sources").glob("pyelf-link*.c"))
    assert len(sources) > 10
    for source in sources:
        command = ["gcc", "-fsyntax-only", "-w", "-I", made.directory / "sources" / "include", source]
        subprocess.run(command, check=True)
    assert "int _start(void)" in sources[0].read_text()


# --- what it is -----------------------------------------------------------------


@pytest.mark.parametrize("which", ["plain", "big"])
def test_dynamic_section(which, request):
    made = request.getfixturevalue(which)
    dynamic = ask("readelf", "-dW", made.path)
    needed = re.findall(r"\(NEEDED\) .*\[(.*)\]", dynamic)
    libraries = [row["name"] for row in manifest_of(made.directory)["libraries"]]
    row = executable_of(made.directory)
    assert sorted(needed[: len(libraries)]) == sorted(libraries)
    assert needed[len(libraries) :] == ["libpyelfrun.so.0", row["libpython"], "libc.so.6"]
    assert re.findall(r"\(RUNPATH\) .*\[(.*)\]", dynamic) == ["$ORIGIN"] and "SONAME" not in dynamic
    assert re.search(r"\(FLAGS_1\) .*PIE", dynamic) and "TEXTREL" not in dynamic
    assert "DYN (Position-Independent Executable file)" in ask("readelf", "-hW", made.path)
    segments = ask("readelf", "-lW", made.path)
    assert "[Requesting program interpreter: /lib64/ld-linux-x86-64.so.2]" in segments
    assert re.search(r"GNU_STACK .* RW  ", segments) and "GNU_RELRO" in segments
    assert os.access(made.path, os.X_OK)


@pytest.mark.parametrize("which", ["plain", "big"])
def test_symbol_versions_are_the_oldest(which, request):
    """2.2.5 is the first version of glibc on x86-64, so the executable runs with any glibc."""
    versions = ask("readelf", "-VW", request.getfixturevalue(which).path)
    assert set(re.findall(r"Name: (\S+)", versions)) == {"GLIBC_2.2.5"}
    assert ask("nm", "-D", "--undefined-only", request.getfixturevalue(which).path).split() == [
        *["w", "_ITM_deregisterTMCloneTable", "w", "_ITM_registerTMCloneTable"],
        *["w", "__cxa_finalize@GLIBC_2.2.5", "w", "__gmon_start__"],
        *["U", "__libc_start_main@GLIBC_2.2.5", "U", "main"],
    ]


def test_no_path_of_this_machine(big):
    content = big.path.read_bytes()
    for path in (SOURCE, BUILD, big.directory, pathlib.Path.home(), pathlib.Path(os.sys.executable).parent):
        assert len(path.parts) < 3 or str(path).encode() not in content
    paths = set(re.findall(rb"\0(/[\w.-]+(?:/[\w.+-]+)+)\0", content))
    assert paths == {b"/lib64/ld-linux-x86-64.so.2", b"/usr/src/application"}


def test_libpython(make):
    made = make("odd", "--link", "--libpython", "libpython3.13.so.1.0")
    assert executable_of(made.directory)["libpython"] == "libpython3.13.so.1.0"
    needed = re.findall(r"\(NEEDED\) .*\[(libpython.*)\]", ask("readelf", "-dW", made.path))
    assert needed == ["libpython3.13.so.1.0"]


@pytest.mark.parametrize("mode", ["link", "bind-now", "static"])
def test_another_python(programs, make, tmp_path, mode):
    """What one version of CPython is told makes another crash. It is asked for its version, and refused."""
    (tmp_path / "python.c").write_text('const char *Py_GetVersion(void) { return "3.9.100 (of nobody)"; }\n')
    library = tmp_path / "libpythonother.so.1.0"
    command = [tool("gcc"), "-shared", "-fPIC", f"-Wl,-soname,{library.name}", "-o", library, tmp_path / "python.c"]
    subprocess.run(command, check=True)
    made = make("odd", "--static" if mode == "static" else "--link", "--libpython", library.name)
    environment = {"LD_LIBRARY_PATH": str(tmp_path)}
    said = programs.run("pyelfrun", "--mode", mode, made.directory, status=1, env=environment).stderr
    why = r"the set's executable has brought CPython 3\.9\.100, and this pyelfrun was built with (3\.\d+)\.\S+; use .* "
    found = re.fullmatch(rf"pyelfrun: rank 0 on \S+: {why}--libpython libpython(3\.\d+)\.so\.1\.0\n", said)
    assert found and found[1] == found[2]


def test_its_own_functions(big):
    """The executable's own functions are global, but no dynamic symbols, and call one another without a PLT."""
    symbols = ask("readelf", "-sW", big.path)
    dynamic, static = symbols.split("Symbol table '.symtab'")
    own = re.findall(r"FUNC +GLOBAL DEFAULT +\d+ (pyelf_fun\d+)$", static, flags=re.M)
    assert len(own) == len(set(own)) == executable_of(big.directory)["functions"] > 100
    assert not re.search("pyelf_fun|pyelf_visits", dynamic)
    assert re.search(r"OBJECT +GLOBAL DEFAULT +\d+ pyelf_executable$", dynamic, flags=re.M)
    assert len(own) == int(re.search(rf" (\d+) OBJECT +GLOBAL DEFAULT +\d+ pyelf_visits$", static, flags=re.M)[1])
    code = ask("objdump", "-d", "--no-show-raw-insn", "-j", ".text", big.path)
    called = re.findall(r"\tcall +[0-9a-f]+ <(.*)>$", code, flags=re.M)
    assert "(bad)" not in code and not [name for name in called if name.endswith("@plt")]
    # not called: the first function of each chain of ten
    assert len(set(own) - set(called)) == (len(own) + 9) // 10


def test_same_bytes(make, programs, sets, big, tmp_path):
    """The bytes depend neither on the number of threads nor on what the directory had before."""
    profile = sets.write_profile("same-executable", variant_text("odd"))
    again = tmp_path / "again"
    programs.run("pyelfgen", "--profile", profile, "-o", again, "--link", "-j", "1", "-q")
    programs.run("pyelfgen", "--profile", profile, "-o", again, *OPTIONS, "-j", "3", "--force", "-q", cwd="/")
    assert (again / "pyelf-link").read_bytes() == big.path.read_bytes()
    assert (again / "manifest.json").read_bytes() == (big.directory / "manifest.json").read_bytes()


def test_libraries_are_those_without_it(sets, big):
    plain_set = sets.get("odd")
    for library in sorted(plain_set.glob("*.so")):
        assert library.read_bytes() == (big.directory / library.name).read_bytes()


# --- sizes ------------------------------------------------------------------------


def total(path):
    return sizes_by_binutils(path)["total"]


def test_as_much_more_as_was_asked_for(plain, big):
    """All five sizes together grow by exactly --bigexe, and each has the share of this that it has in the libraries."""
    wanted = manifest_of(big.directory)["actual"]
    before, after = sizes_by_binutils(plain.path), sizes_by_binutils(big.path)
    assert after["total"] - before["total"] == BIG
    for size in FIVE:
        assert after[size] - before[size] == pytest.approx(BIG * wanted[size] / sum(wanted.values()), abs=32)


@pytest.mark.parametrize("which", ["plain", "big"])
def test_sizes_are_told(which, request, programs):
    made = request.getfixturevalue(which)
    sizes = sizes_by_binutils(made.path)
    row = executable_of(made.directory)
    assert {size: row[size] for size in [*FIVE, "bss"]} == {size: sizes[size] for size in [*FIVE, "bss"]}
    assert row["file"] == made.path.stat().st_size
    assert printed(made.done) == [f"{sizes[size] / 1e6:.3f}" for size in [*FIVE, "total"]]
    stat = programs.run("pyelfstat", made.path).stdout.splitlines()[1].split()
    assert [int(n) for n in stat[:6]] == [sizes[size] for size in [*FIVE, "total"]]


def test_dry_run_tells_the_same(programs, sets, big):
    profile = sets.write_profile("dry-executable", variant_text("odd"))
    assert printed(programs.run("pyelfgen", "--profile", profile, "--dry-run", *OPTIONS)) == printed(big.done)


def test_pynamic(programs):
    """Pynamic's -b is --link with 200 MB as --bigexe."""
    by_letter = programs.run("pyelfgen", *"12 20 -u 4 20 -b --dry-run".split())
    by_name = programs.run("pyelfgen", *"12 20 -u 4 20 --dry-run --link --bigexe".split(), "200 MB")
    assert by_letter.stdout == by_name.stdout
    without = programs.run("pyelfgen", *"12 20 -u 4 20 --dry-run --link".split())
    assert float(printed(by_letter)[-1]) - float(printed(without)[-1]) == pytest.approx(200, abs=0.002)


# --- other people's readers ----------------------------------------------------------


@pytest.mark.parametrize("which", ["plain", "big"])
def test_linters(which, request, programs):
    made = request.getfixturevalue(which)
    assert elflint(made.path) == "No errors\n"
    assert not re.search("[Ww]arning|[Ee]rror", ask("readelf", "-aW", made.path))
    verified = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", made.path)
    assert verified.endswith("No errors.\n") and "warning" not in verified
    checked = programs.command([tool("dwarfdump"), "-ka", made.path]).stdout
    assert dwarfdump_complaints(checked) == []


@pytest.fixture(scope="module")
def gdb(programs):
    def run(path, *commands, **options):
        command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null"]
        command += ["-iex", "set complaints 100", "-iex", "set width 0"]
        parts = [part for one in commands for part in ("-ex", one)]
        done = programs.command([*command, *parts, path], leaks=False, timeout=300, **options)
        assert re.sub(OF_NESTED_CALLS, "", done.stderr, flags=re.M) == ""
        return done.stdout

    return run


def own_functions(path):
    rows = (row.split() for row in ask("nm", path).splitlines())
    return {row[2]: int(row[0], 16) for row in rows if row[-1].startswith("pyelf_fun")}


def test_gdb(big, gdb):
    own = own_functions(big.path)
    some = sorted(own, key=own.get)[:: len(own) // 20]
    shown = gdb(big.path, "maint expand-symtabs", *(f"info symbol {own[name] + 4:#x}" for name in some))
    assert shown == "".join(f"{name} + 4 in section .text\n" for name in some)
    listed = gdb(big.path, "info functions ^pyelf_fun")
    assert set(re.findall(r"^\d+:\tunsigned long (pyelf_fun\d+)\(.*\);$", listed, flags=re.M)) == set(own)
    stops = gdb(big.path, *(f"break {name}" for name in some))
    stops = re.findall(r"^Breakpoint \d+ at 0x([0-9a-f]+): file (\S+), line \d+\.$", stops, flags=re.M)
    assert len(stops) == len(some)
    for name, (address, file) in zip(some, stops):
        assert 0 <= int(address, 16) - own[name] < 300 and re.fullmatch(r"pyelf-link(_\d+)?\.c", file)


def test_gdb_runs_it(big, programs):
    """gdb stops in a library, shows the callers up to _start, and calls one of the executable's own functions."""
    if programs.sanitized:
        pytest.skip("gdb would preload the sanitizer's runtime too")
    commands = ["set breakpoint pending on", "break libmodule2_entry", "run", "set backtrace past-main on", "bt -1"]
    commands += ["print (char)pyelf_visits[1]", "call pyelf_helper1(1, 2)", "info symbol &pyelf_visits"]
    parts = [part for one in commands for part in ("-ex", one)]
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null", *parts, big.path]
    done = programs.command(command, leaks=False, timeout=300, env={"LD_LIBRARY_PATH": str(BUILD / "lib")})
    said = done.stdout
    calls = "Couldn't write extended state status" not in done.stderr  # of gdb 13 on processors with AMX
    assert re.search(r"hit Breakpoint 1, libmodule2_entry \(\) at libmodule2\.c:\d+$", said, flags=re.M), said
    assert re.search(r"^#\d+ +0x[0-9a-f]+ in _start \(\) at pyelf-link\.c:\d+$", said, flags=re.M), said
    assert "$1 = 0" in said and ("$2 = " in said) == calls and re.search("^pyelf_visits in section .bss", said, flags=re.M), said


# --- large ones -----------------------------------------------------------------------


@pytest.mark.slow
def test_large_is_exact(plain, large):
    sizes = sizes_by_binutils(large.path)
    assert sizes["total"] - total(plain.path) == LARGE
    row = executable_of(large.directory)
    assert {size: row[size] for size in [*FIVE, "bss"]} == {size: sizes[size] for size in [*FIVE, "bss"]}
    assert printed(large.done) == [f"{sizes[size] / 1e6:.3f}" for size in [*FIVE, "total"]]
    assert len(own_functions_of_parts(large.path)) == row["functions"]


def own_functions_of_parts(path):
    return re.findall(r" T (pyelf\d*_fun\d+)$", ask("nm", path), flags=re.M)


@pytest.mark.slow
def test_large_takes_little_memory(large, programs):
    """Memory stays below the size of the file, because each thread has one part in memory at a time."""
    if large.memory is None or programs.sanitized:
        pytest.skip("another child has taken more")
    assert large.memory * 1000 < LARGE * 3 / 4


@pytest.mark.slow
def test_large_is_read(large, programs, gdb):
    assert elflint(large.path, timeout=300) == "No errors\n"
    programs.run("pyelfgen", "--verify", large.directory)
    runs(programs, large.directory, "link")
    names = own_functions_of_parts(large.path)
    parts = {re.match(r"pyelf\d*", name)[0] for name in names}
    assert len(parts) == 17
    some = names[:: len(names) // 8]
    shown = gdb(large.path, *(f"break {name}" for name in some))
    assert shown.count(": file pyelf") == len(some)


@pytest.mark.slow
def test_large_is_the_same_with_any_threads(large, programs, sets, roomy):
    profile = sets.write_profile("large-again", variant_text("odd"))
    again = roomy / "executable-again"
    options = ["--link", "--bigexe", f"{LARGE} B", "-j", "1", "-q"]
    programs.run("pyelfgen", "--profile", profile, "-o", again, *options, timeout=600)
    assert manifest_of(again) == manifest_of(large.directory)
    shutil.rmtree(again)


# --- wrong use ---------------------------------------------------------------------------


@pytest.fixture
def refused(programs):
    def run(*options, status=2, **more):
        done = programs.run("pyelfgen", *options, status=status, **more)
        assert done.stderr.startswith("pyelfgen: ") and done.stderr.count("\n") == 1
        return done.stderr[len("pyelfgen: ") : -1]

    return run


def test_wrong_options(refused):
    def said(*options, status=2):
        return refused("--profile", "small", "--dry-run", *options, status=status)

    assert said("--bigexe", "2 MB") == "--bigexe is for the executable that --link or --static writes; give one"
    assert said("--libpython", "libpython3.11.so.1.0") == (
        "--libpython is for the executable that --link or --static writes; give one"
    )
    assert said("--link", "--bigexe", "200").startswith("--bigexe: '200' has no unit; add one of B, kB, MB")
    assert said("--link", "--bigexe", "0 B") == "--bigexe: 0 is the executable without it; leave it out"
    assert said("--link", "--bigexe", "-1 MB").startswith("--bigexe: '-1 MB' is negative")
    for soname in "/usr/lib/libpython3.11.so.1.0", "", "x" * 300, "lib\tpython.so", "lib\udcff.so":
        assert "is not the SONAME of a library; give one as in libpython3.11.so.1.0" in said(
            "--link", "--libpython", soname
        )


def test_sizes_that_cannot_be(refused, programs):
    def said(size, *options, status=1):
        return refused("--profile", "small", "--dry-run", "--link", "--bigexe", size, *options, status=status)

    few = said("100 B")
    assert few.startswith("--bigexe: 100 bytes are too few for code like that of the libraries; ")
    enough = re.search(r"; (\d+ B) would do$", few)[1]
    programs.run("pyelfgen", "--profile", "small", "--dry-run", "--link", "--bigexe", enough)
    for size in (1000, 1_000_000):  # in GB; so many parts as the latter would have are not even planned
        many = said(f"{size} GB")
        assert many.startswith(f"--bigexe: {size}000000000 bytes are too many: an executable may load 2 GiB")


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_that_no_large_one_has(kind, refused):
    said = refused("--profile", "small", "--dry-run", "--link", "--bigexe", "300 MB", kind)
    assert re.fullmatch(r"--bigexe makes no executable with .* and more than 256000000 B; give it less", said)


def test_no_sources_of_large_ones(refused):
    said = refused("--profile", "small", "--dry-run", "--link", "--bigexe", "300 MB", "--sources")
    assert said.startswith("--sources writes none of an executable with more than 256000000 B of its own")


# --- what is left behind -------------------------------------------------------------------


@pytest.fixture
def little_room(file_system):
    """A file system of 5 MB: the libraries fit, but not the executable."""
    return file_system("5m")


@pytest.mark.parametrize("size", ["6 MB", "257 MB"])
def test_full_file_system(size, little_room, refused, sets):
    profile = sets.write_profile("little-executable", variant_text("odd"))
    options = ["-o", little_room / "set", "--link", "--bigexe", size]
    said = refused("--profile", profile, *options, status=1, timeout=600)
    assert said.endswith(": No space left on device") and f"{little_room}/set/" in said
    assert list(little_room.iterdir()) == []


def test_a_set_without_it_replaces_one_with_it(make, programs, sets):
    made = make("odd", *OPTIONS)
    profile = sets.write_profile("odd-executable", variant_text("odd"))
    programs.run("pyelfgen", "--profile", profile, "-o", made.directory, "--force", "-q")
    assert not made.path.exists() and "executables" not in json.loads(made.directory.joinpath("manifest.json").read_text())
    programs.run("pyelfgen", "--verify", made.directory)


def test_verify_looks_at_it(make, programs):
    made = make("odd", *OPTIONS)
    content = bytearray(made.path.read_bytes())
    content[len(content) // 2] ^= 1
    made.path.write_bytes(content)
    said = programs.run("pyelfgen", "--verify", made.directory, status=1).stderr
    assert f"{made.path}: is not what was generated" in said
