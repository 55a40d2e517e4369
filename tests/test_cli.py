"""pyelfgen's command line and profiles: a mistake is reported in one line, and nothing is made. Pynamic's arguments."""

import re
import resource
import subprocess

import pytest

from objects import FIVE, ask, calls, functions
from sets import libraries_of, manifest_of, profile_text

PYTHON = "/usr/bin/python3"
SIZES = {"text": 400_000, "data": 40_000, "debug": 700_000, "symtab": 30_000, "strtab": 90_000}


@pytest.fixture
def wrong(programs, tmp_path):
    """Runs pyelfgen, which must fail and make nothing. Returns its one line without the program's name."""

    def run(*arguments, status, **options):
        (tmp_path / "here").mkdir(exist_ok=True)
        done = programs.run("pyelfgen", *arguments, status=status, cwd=tmp_path / "here", timeout=60, **options)
        assert re.fullmatch(r"pyelfgen: [^\n]+\n", done.stderr), done.stderr
        assert done.stdout == ""
        assert list((tmp_path / "here").iterdir()) == []
        return done.stderr[len("pyelfgen: ") : -1]

    return run


@pytest.fixture
def refused(wrong, tmp_path):
    """Runs pyelfgen with a text as the profile, which it must refuse. Returns the line without the file's name."""

    def run(text):
        path = tmp_path / "a.prof"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        said = wrong("-P", path, "-o", "set", status=1)
        return said[len(f"{path}:") :] if said.startswith(f"{path}:") else said

    return run


# --- options --------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "nothing to generate: give --profile PROFILE, or Pynamic's arguments; see --help"),
        (["-P", "small", "-o", "set", "more"], "'more' is one argument too many beside --profile; see --help"),
        (["-P", "small"], "nowhere to write: give -o SET, or --dry-run; see --help"),
        (["-P", "small", "-o", ""], "-o needs the name of a directory; see --help"),
        (
            ["-P", "small", "-o", "-"],
            "-o takes a directory, not the standard output; one called '-' is given as ./-",
        ),
        (["-P"], "option '-P' needs an argument; see --help"),
        (["--profile"], "option '--profile' needs an argument; see --help"),
        (["--nonsense"], "there is no option '--nonsense'; see --help"),
        (["-x"], "there is no option '-x'; see --help"),
        (["--quiet=1", "-P", "small"], "option '--quiet' takes no argument; see --help"),
        (["--prof", "small"], "nowhere to write: give -o SET, or --dry-run; see --help"),
        (["--with", "x"], "option '--with' is ambiguous; see --help"),
        (["-P", "small", "-o", "set", "-j0"], "the number of threads '0' is not a whole number from 1 to"),
        (["-P", "small", "-o", "set", "-j", "many"], "the number of threads 'many' is not a whole number from 1 to"),
        (["-P", "small", "-o", "set", "--seed=-1"], "the seed '-1' is not a whole number from 0 to 1844674407370955"),
        (["-P", "small", "-o", "set", "--seed=18446744073709551616"], "the seed '18446744073709551616' is not a"),
        (["-P", "small", "-o", "set", "--seed", ""], "the seed '' is not a whole number"),
        (["-P", "small", "-o", "set", "12"], "--profile and Pynamic's arguments exclude each other; see --help"),
        (["-P", "small", "-n", "5", "-o", "set"], "--profile and Pynamic's arguments exclude each other; see --help"),
        (["--verify", "set", "-P", "small"], "--verify takes no profile and no -o; see --help"),
        (["--verify", "set", "other"], "--verify: one set at a time: 'other' comes after 'set'; see --help"),
        (["--verify", "set", "--verify", "other"], "--verify: one set at a time: 'other' comes after 'set'; see --help"),
        (["--verify", "set", "-o", "set"], "--verify takes no profile and no -o; see --help"),
        (["--verify", "set", "--split"], "--verify takes no option that says what to generate, as a set is as its "),
        (["--verify", "set", "--seed", "9"], "--verify takes no option that says what to generate, as a set is as its "),
        (["--force", "--verify", "set"], "--verify takes no option that says what to generate, as a set is as its "),
        (["12", "-o", "set"], "give the number of files and the average number of functions; see --help"),
        (["12", "20", "30", "-o", "set"], "'30' is one argument too many; see --help"),
        (["0", "20", "-o", "set"], "the number of files '0' is not a whole number from 1 to 1000000; see --help"),
        (["12", "0", "-o", "set"], "the average number of functions '0' is not a whole number from 1 to"),
        (["small", "-o", "set"], "'small' is no number of files; a profile is given as --profile=small"),
        (["twelve", "20", "-o", "set"], "the number of files 'twelve' is not a whole number"),
        (["12", "20", "-u", "12", "20", "-o", "set"], "12 utilities of 12 files leave no module; see --help"),
        (["12", "20", "-o", "set", "-u", "4"], "-u needs two numbers: utilities and their average functions; see"),
        (["-P", "small", "-o", "set", "--hash", "sha1"], "'sha1' is no style of hash tables; use gnu, sysv or both"),
        (["12", "20", "-p", "-o", "set"], "-p (functions that print) is not available"),
        (["12", "20", "-d", "0", "-o", "set"], "' is not a whole number from 1 to"),
        (["12", "20", "-n", "4097", "-o", "set"], "' is not a whole number from "),
        (["--help=all"], "option '--help' takes no argument; see --help"),
    ],
)
def test_wrong_usage(arguments, message, wrong):
    assert message in wrong(*arguments, status=2)


def test_profile_that_is_nowhere(wrong):
    assert re.match(r"there is no profile 'nowhere'; ", wrong("-P", "nowhere", "-o", "set", status=1))
    assert "no/where.prof" in wrong("-P", "no/where.prof", "-o", "set", status=1)


def test_set_that_is_nowhere(wrong):
    assert wrong("--verify", "nowhere", status=1) == "nowhere: cannot be opened: No such file or directory"


def test_line_ends_in_names_are_shown_harmlessly(wrong):
    assert "\x1b" not in wrong("-P", "no\x1b[31m\nwhere", "-o", "set", status=1)
    assert "\x1b" not in wrong("--no\x1b[31m\nsuch", status=2)


# --- profiles ----------------------------------------------------------------------

HEAD = "pyelfgen-profile: 1\nmodules: 3\n"
ROW = "pyelfgen-profile: 1\nlibraries:\n- {{kind: module, functions: 9, {}}}\n"
FULL = HEAD + "sections: {text: 400 kB, data: 40 kB, debug: 700 kB, symtab: 30 kB, strtab: 90 kB}\n"


def sized(**changed):
    """A profile with SIZES, some of them replaced by these texts, or left out where the text is None."""
    texts = {size: f"{number} B" for size, number in SIZES.items()}
    return HEAD + "sections: {" + ", ".join(f"{k}: {v}" for k, v in {**texts, **changed}.items() if v) + "}\n"


WRONG = [
    ("", None, ""),
    ("# nothing\n", None, ""),
    ("---\n...\n", None, ""),
    ("modules: 3\nfunctions: 9\n", None, "pyelfgen-profile: is missing"),
    ("pyelfgen-profile: 2\nmodules: 3\nfunctions: 9\n", 1, "pyelfgen-profile: '2'"),
    ("pyelfgen-profile: 1\nfunctions: 9\n", None, "modules: is missing"),
    (HEAD, None, "functions: is missing; a profile without 'sections' needs it"),
    (sized(text=None), 3, "sections: text: is missing"),
    (sized(strtab=None), 3, "sections: strtab: is missing"),
    (HEAD + "functions: 9\nfunktions: 9\n", 4, "unknown key 'funktions'"),
    (HEAD + "functions: 9\ncalls: {deep: 9}\n", 4, "calls: unknown key 'deep'"),
    (HEAD + "functions: 9\nmodules: 4\n", 4, "modules"),
    (FULL + "sections: {}\n", 4, "sections"),
    (HEAD + "functions: 9\n---\nmodules: 4\n", 4, ""),
    (HEAD + "functions: &a 9\nutilities: *a\n", 3, ""),
    (HEAD + "functions: !!int 9\n", 3, ""),
    (HEAD + "functions: nan\n", 3, "functions: 'nan' is not a whole number"),
    (HEAD + "functions: .inf\n", 3, "functions: '.inf' is not a whole number"),
    (HEAD + "functions: 1e3\n", 3, "functions: '1e3' is not a whole number"),
    (HEAD + "functions: 0x10\n", 3, "functions: "),
    (HEAD + "functions: 010\n", 3, "functions: begins with 0"),
    (HEAD + "functions: -9\n", 3, "functions: '-9' is not a whole number"),
    (HEAD + "functions: 0\n", 3, "functions: '0' is not a whole number from 1 to 4000000"),
    (HEAD + "functions: 99999999999999999999999\n", 3, "functions: '99999999999999999999999' is not a whole"),
    (HEAD + "functions:\n", 3, "functions: has no value"),
    (HEAD + "functions: [9]\n", 3, "functions: is a list or a mapping"),
    ("pyelfgen-profile: 1\nmodules: 0\nfunctions: 9\n", 2, "modules: is 0, and there are no utilities; a set has one library or more"),
    ("pyelfgen-profile: 1\nmodules: 1000001\nfunctions: 9\n", 2, "modules: '1000001' is not a whole number"),
    (HEAD + "functions: 9\nutilities: 999999\n", 4, "utilities: with 3 modules and 999999 utilities"),
    (sized(text="400 KB"), 3, "sections: text: '400 KB' has an unknown unit; use B, kB, MB, GB"),
    (sized(data="40000"), 3, "sections: data: '40000' has no unit"),
    (sized(debug="nan MB"), 3, "sections: debug: 'nan MB'"),
    (sized(debug="inf"), 3, "sections: debug: 'inf'"),
    (sized(symtab="-30 kB"), 3, "sections: symtab: '-30 kB' is negative"),
    (sized(strtab="0.5 B"), 3, "sections: strtab: '0.5 B' is not a whole number of bytes"),
    (sized(strtab="2000000 GiB"), 3, "sections: strtab: '2000000 GiB'"),
    (sized(strtab="99999999999999999999999 B"), 3, "sections: strtab: '99999999999999999999999 B'"),
    (sized(symtab="0"), 3, "sections: symtab: is 0 and strtab is not"),
    (HEAD + "functions: 9\ncalls: {coverage: 0}\n", 4, "calls: coverage: '0' is not a number above 0"),
    (HEAD + "functions: 9\ncalls: {coverage: nan}\n", 4, "calls: coverage: 'nan' is not a number above 0"),
    (HEAD + "functions: 9\nelf: {relro: full}\n", 4, "elf: relro: 'full' needs 'bind: now'"),
    (HEAD + "functions: 9\nelf: {max-page-size: 5000}\n", 4, "elf: max-page-size: '5000' is not a power of two"),
    (HEAD + "functions: 9\ndwarf: {compiler: icc}\n", 4, "dwarf: compiler: 'icc' is not one of gcc, clang"),
    (HEAD + "functions: 9\ndwarf: {compiler: clang, language: fortran}\n", 4, "compiler: 'clang' does not go with 'language: fortran'"),
    (HEAD + "functions: 9\ndwarf: {language: fortran, index: gdb_index}\n", 4, "index: does not go with 'language: fortran'"),
    (HEAD + "functions: 9\ndwarf: {language: fortran, type-units: true}\n", 4, "type-units: goes with 'language: c' only"),
    (HEAD + "functions: 9\ndwarf: {compiler: clang, version: 4}\n", 4, "compiler: 'clang' needs 'version: 5', which is 4"),
    (HEAD + "functions: 9\ndwarf: {compiler: clang, split: true}\n", 4, "compiler: 'clang' excludes 'split'"),
    (HEAD + "functions: 9\ndwarf: {compiler: clang, index: gdb_index}\n", 4, "compiler: 'clang' excludes 'index'"),
    (HEAD + "functions: 9\ndwarf: {compiler: clang, type-units: true}\n", 4, "compiler: 'clang' excludes 'type-units'"),
    (HEAD + "functions: 9\ndwarf: {compiler: clang, views: true}\n", 4, "compiler: 'clang' excludes 'views'"),
    (FULL + "dwarf: {compiler: clang, mix: {info: 300 kB}}\n", 4, "compiler: 'clang' excludes 'mix'"),
    (HEAD + "functions: 9\nnames: {length: 9, pad: 9}\n", 4, "names: pad: excludes 'length'"),
    (HEAD + 'functions: 9\napplication: "a\\0b"\n', 4, "the text has a NUL character"),
    (HEAD + 'functions: 9\napplication: "\\e[31m"\n', 4, "application: has a control character"),
    (ROW.format("function-sizes: abc"), 3, "function-sizes: 'abc' is not 11, 51, 21, 41 ... numbers that ascend"),
    (ROW.format("name-lengths: '1 2 x'"), 3, "name-lengths: '1 2 x' is not 11, 51, 21, 41"),
    (ROW.format("name-lengths: '9*10 8'"), 3, "name-lengths: '9*10 8' is not 11, 51, 21, 41"),
    (ROW.format("function-sizes: ''"), 3, "function-sizes: '' is not 11, 51, 21, 41"),
    (HEAD + "functions: 9\ndistributions: {degree: 'a:b'}\n", 4, "degree: 'a:b' is not LOWEST:COUNT"),
    (HEAD + "functions: 9\ndistributions: {degree: '5:1 4:2'}\n", 4, "degree: '5:1 4:2' is not LOWEST:COUNT"),
    (HEAD + "functions: 9\ndistributions: {tags: 'member:1 x'}\n", 4, "tags: 'member:1 x' is not WORD:COUNT"),
    (HEAD + "functions: 9\napplication: " + "x" * 201 + "\n", 4, "application: is 201 bytes long"),
    (b"\x7fELF\x02\x01\x01\0\0\0\0", None, ""),
    (bytes(range(256)), None, ""),
    (b"\xff\xfe\x00", None, ""),
    (HEAD.encode() + b"application: \xff\n", None, ""),
    (b"\0" * 4096, None, ""),
    ("[" * 100000, None, ""),
    ("a: " * 1000, None, ""),
    (HEAD + "#" * (1 << 26), None, "MiB"),
]


@pytest.mark.parametrize("text, line, message", WRONG, ids=range(len(WRONG)))
def test_wrong_profile(text, line, message, refused):
    said = refused(text)
    assert message in said
    if line is not None:
        assert said.startswith(f"{line}: ")
    assert "\x1b" not in said and len(said) < 600


def test_no_bss_at_all(refused):
    said = refused(FULL.replace("}", ", bss: 0}"))
    assert "sections: bss: 0 bytes are too few" in said


@pytest.mark.parametrize("size", FIVE)
def test_size_that_is_too_small(size, refused):
    """The message names the library, the size, the least that is possible, and the key to change."""
    said = refused(profile_text(modules=3, functions=200, sections={**SIZES, "text": 900_000, size: 5000}))
    found = re.match(
        rf"sections: {size}: 5000 bytes are too few: (\w+)\.so needs at least (\d+), all 3 libraries together (\d+); "
        r"raise it to (\d+) B or more, or use fewer functions",
        said,
    )
    assert found, said
    assert re.fullmatch(r"libmodule[0-2]", found[1]) and int(found[2]) < int(found[3]) == int(found[4])


@pytest.mark.parametrize("size", FIVE)
def test_least_that_is_named_is_enough(size, refused, programs, tmp_path):
    keys = {"modules": 3, "functions": 200}
    roomy = {"text": 2_000_000, "data": 400_000, "debug": 7_000_000, "symtab": 300_000, "strtab": 900_000}
    least = int(re.search(r"raise it to (\d+) B", refused(profile_text(**keys, sections={**roomy, size: 5000})))[1])
    (tmp_path / "b.prof").write_text(profile_text(**keys, sections={**roomy, size: least}))
    done = programs.run("pyelfgen", "-P", tmp_path / "b.prof", "-o", tmp_path / "set", "-q")
    assert done.stderr == ""
    assert abs(manifest_of(tmp_path / "set")["actual"][size] - least) <= 12
    ran = programs.command([PYTHON, tmp_path / "set" / "driver.py", "--no-mpi"], leaks=False)
    assert "every result right" in ran.stdout


def test_names_that_cannot_be_so_long(refused):
    said = refused(profile_text(modules=3, functions=50, sections={**SIZES, "strtab": 50_000_000}))
    message = r"sections: strtab: libmodule[0-2]\.so .* at most \d+ are possible; lower it, or raise "
    assert re.match(message, said), said


@pytest.mark.parametrize("key", ["length", "pad"])
def test_longest_names(key, programs, tmp_path):
    """The longest names that a profile may ask for are either made, or refused with the name of the key."""
    (tmp_path / "a.prof").write_text(profile_text(modules=1, functions=9, names={key: 4096}))
    done = programs.run("pyelfgen", "-P", tmp_path / "a.prof", "-o", tmp_path / "set", "-q", status=None)
    if done.returncode == 0:
        assert {len(name) for name, _ in functions(tmp_path / "set" / "libmodule0.so")} >= {4096 if key == "length" else 4096 + len("libmodule0_fun0")}
        programs.command([PYTHON, tmp_path / "set" / "driver.py", "--no-mpi"], leaks=False)
    else:
        assert re.match(rf"pyelfgen: \S*names: {key}: ", done.stderr), done.stderr


def test_library_that_is_too_large(refused):
    said = refused(profile_text(modules=1, sections={**SIZES, "text": 3_000_000_000, "symtab": 60_000}))
    assert re.match(r"sections: text, data and bss: libmodule0\.so would load \d+ bytes, one library at most", said)


@pytest.mark.parametrize(
    "key, size, most",
    [
        ("debug", 4_400_000_000, 2**32 - 1 - 2**26),
        ("strtab", 4_400_000_000, 2**32 - 1),
        ("symtab", 24 * (2**32 + 200), 2**32 - 1),  # more symbols than 32 bits can count
    ],
)
def test_section_that_is_too_large(key, size, most, refused):
    said = refused(profile_text(modules=1, sections={**SIZES, "symtab": 60_000, key: size}))
    assert re.match(rf"sections: {key}: libmodule0\.so would have \d+ bytes, one library at most {most};", said), said


@pytest.mark.parametrize("libraries, billions", [(1000, 8), (100_000, 800)])
def test_more_functions_than_a_plan_may_have(libraries, billions, refused):
    """They are refused at once: nothing before that takes time for each function."""
    said = refused(profile_text(modules=libraries, utilities=libraries, functions=4_000_000))
    assert said.startswith(f"functions: {billions}000000000 in all libraries are too many, at most 1000000000 are possible;")


def test_more_calls_than_code_may_be(refused):
    said = refused(profile_text(modules=2, utilities=2, functions=4_000_000, calls={"utility": 1000, "random": True}))
    assert said.startswith("calls: utility: 4000000000 calls in a module are more code than a library can have;")


def test_profile_that_is_no_file(wrong, tmp_path):
    assert "directory" in wrong("-P", tmp_path, "-o", "set", status=1)
    assert "/dev/zero: " in wrong("-P", "/dev/zero", "-o", "set", status=1)


# --- what is right -----------------------------------------------------------------


def test_help(programs):
    said = programs.run("pyelfgen", "--help").stdout
    assert said.startswith("Usage: pyelfgen [OPTION]... --profile PROFILE -o SET\n")
    assert "Exit status:\n" in said
    for option in ("--profile=", "--output=", "--seed=", "--jobs=", "--force", "--dry-run", "--verify=", "--quiet"):
        assert option in said


def test_version(programs):
    said = programs.run("pyelfgen", "--version").stdout
    assert re.match(r"pyelfgen \(pyelfgen\) \d+\.\d+\.\d+\n", said)


def test_dry_run_writes_nothing(programs, tmp_path):
    done = programs.run("pyelfgen", "-P", "small", "--dry-run", "-o", "set", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == [] and done.stderr == ""
    assert done.stdout.splitlines()[4].split() == ["planned", "8.000", "0.400", "18.000", "0.600", "3.000", "30.000"]


@pytest.mark.parametrize("more", [[], ["--link", "--static", "--sources"]], ids=["plain", "more"])
def test_a_small_stack(more, programs, small, tmp_path):
    """With 200 kB, of which threads get as much each, it makes the set, and the twin of one."""
    if programs.sanitized:
        pytest.skip("sanitizers make stacks larger")
    limit = lambda: resource.setrlimit(resource.RLIMIT_STACK, (200 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    programs.run("pyelfprof", "-o", tmp_path / "small.prof", small, preexec_fn=limit)
    for profile in ("small", *([] if more else [tmp_path / "small.prof"])):
        directory = tmp_path / f"set-{len(str(profile))}"
        programs.run("pyelfgen", "--profile", profile, "-o", directory, "--quiet", *more, preexec_fn=limit)
        programs.run("pyelfgen", "--verify", directory, preexec_fn=limit)


@pytest.mark.parametrize("program", ["pyelfgen", "pyelfrun", "pyelfstat", "pyelfprof", "pyelfprobe", "pyelfmount"])
def test_a_stack_that_is_too_small(program, programs):
    limit = lambda: resource.setrlimit(resource.RLIMIT_STACK, (100 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    if programs.sanitized:
        pytest.skip("sanitizers make stacks larger")
    said = programs.run(program, "--version", status=1, preexec_fn=limit).stderr
    assert said == f"{program}: stacks are limited to 102400 bytes, of which 196608 are needed; raise the limit (ulimit -s)\n"


def test_a_directory_whose_name_a_terminal_would_obey(programs, tmp_path):
    """What is printed of it is harmless, and on one line."""
    name = tmp_path / "\x1b[31m\nset"
    profile = tmp_path / "small.prof"
    profile.write_text(profile_text(modules=1, utilities=1, functions=20))
    for options in (["-P", profile, "-o", name], ["--verify", name]):
        printed = programs.run("pyelfgen", *options).stdout
        assert printed.startswith(f"{tmp_path}/?[31m?set: ") and "\x1b" not in printed
    assert name.is_dir()


def test_quiet(programs, tmp_path):
    done = programs.run("pyelfgen", "-P", "small", "-o", tmp_path / "set", "-q")
    assert done.stdout == done.stderr == ""


def test_no_progress_without_a_terminal(programs, tmp_path):
    assert programs.run("pyelfgen", "-P", "small", "-o", tmp_path / "set").stderr == ""


@pytest.mark.parametrize("program", ["pyelfgen", "pyelfrun", "pyelfstat", "pyelfprof", "pyelfprobe"])
def test_short_help(program, programs):
    said = programs.run(program, "-h").stdout
    assert said == programs.run(program, "--help").stdout
    assert "\n  -h, --help  " in said


def test_dry_run_names_every_executable(programs):
    lines = programs.run("pyelfgen", "-P", "small", "--link", "--static", "--dry-run").stdout.splitlines()
    assert lines[-2].startswith("pyelf-link ") and lines[-1].startswith("pyelf-static ")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["-P", "small", "--dry-run"]])
def test_full_disk_is_noticed(arguments, programs):
    with open("/dev/full", "w") as full:
        done = programs.run("pyelfgen", *arguments, status=1, stdout=full)
    assert done.stderr == "pyelfgen: standard output: cannot write: No space left on device\n"


# --- Pynamic's arguments ---------------------------------------------------------------


@pytest.fixture(scope="module")
def pynamic(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("pynamic") / "set"
    arguments = "12 20 -e -u 4 20 -n 30 -s 42 -d 5 -o".split()
    done = programs.run("pyelfgen", *arguments, directory)
    assert done.stderr == "" and "8 modules and 4 utilities with " in done.stdout
    return directory


def test_pynamic_counts(pynamic):
    found = manifest_of(pynamic)
    assert (found["modules"], found["utilities"], found["seed"], found["wanted"]) == (8, 4, 42, None)
    assert all(10 <= row["functions"] <= 30 for row in libraries_of(pynamic, "module", "utility"))


def test_pynamic_names(pynamic):
    """A name is that of the library and the function's number, and then exactly as many digits as -n says."""
    for row in libraries_of(pynamic, "module", "utility"):
        stem = row["name"][:-3]
        names = [name for name, _ in functions(pynamic / row["name"])]
        assert names == [f"{stem}_fun{i}" + "0123456789" * 3 for i in range(row["functions"])]


def test_pynamic_needs(pynamic):
    """What ld writes for Pynamic's commands: modules need all utilities, libmodulebegin all modules, in their order."""
    modules, utilities = ([f"lib{kind}{i}.so" for i in range(n)] for kind, n in (("module", 8), ("utility", 4)))
    wanted = dict.fromkeys(modules, utilities) | dict.fromkeys(utilities, [])
    wanted |= {"libmodulebegin.so": modules, "libmodulefinal.so": []}
    for name, needed in wanted.items():
        dynamic = ask("readelf", "-dW", pynamic / name)
        found = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        assert found == [*needed, "libc.so.6"], name
        assert "(SONAME)" not in dynamic


def test_pynamic_calls_any_utility(pynamic):
    """A module calls about as many functions of utilities as it has, each of them once. All utilities are called."""
    utilities = set()
    for i in range(8):
        rows = ask("readelf", "-rW", pynamic / f"libmodule{i}.so").splitlines()
        called = [row.split()[4] for row in rows if "JUMP_SLO" in row and " libutility" in row]
        count = len(functions(pynamic / f"libmodule{i}.so"))
        assert count * 0.6 <= len(called) <= count and len(called) == len(set(called))
        found = {name.split("_")[0] for name in called}
        assert len(found) >= 2
        utilities |= found
    assert utilities == {f"libutility{u}" for u in range(4)}


def test_pynamic_extern_chain(pynamic):
    """A module's entry calls the extern function of the module before; the last module's calls its own besides."""
    for i in range(8):
        made = [name for _, name in calls(pynamic / f"libmodule{i}.so")[f"libmodule{i}_entry"]]
        externs = [name for name in made if name.endswith("_extern")]
        assert externs == [f"libmodule{n}_extern" for n in ([i - 1] if i else []) + ([7] if i == 7 else [])]


def test_pynamic_depth(pynamic):
    made = calls(pynamic / "libmodule3.so")
    suffix = "0123456789" * 3
    heads = [name for _, name in made["libmodule3_entry"] if "_fun" in name]
    count = len(functions(pynamic / "libmodule3.so"))
    assert heads == [f"libmodule3_fun{i}{suffix}" for i in range(0, count, 5)]
    for i in range(count):
        own = [name for _, name in made[f"libmodule3_fun{i}{suffix}"] if name.startswith("libmodule3_")]
        assert own == ([f"libmodule3_fun{i + 1}{suffix}"] if i % 5 != 4 and i + 1 < count else [])


def test_pynamic_runs(pynamic, programs):
    done = programs.command([PYTHON, pynamic / "driver.py", "--no-mpi"], leaks=False)
    functions_of_all = manifest_of(pynamic)["functions"]
    assert f"{functions_of_all} of {functions_of_all} functions visited, every result right" in done.stdout


def test_pynamic_options_of_its_compiler_are_accepted(programs, tmp_path):
    arguments = ["-c", "-O2", "-i", "/usr/include", "--with-cc=gcc", "--with-python=python3", "--with-mpi4py"]
    done = programs.run("pyelfgen", "3", "5", *arguments, "--with-pympi", "-o", tmp_path / "set", "-q")
    assert done.stderr == ""
    assert manifest_of(tmp_path / "set")["modules"] == 3


def test_pynamic_without_extern(programs, tmp_path):
    programs.run("pyelfgen", "3", "5", "-o", tmp_path / "set", "-q")
    symbols = subprocess.run(["nm", "-D", tmp_path / "set" / "libmodule1.so"], capture_output=True, text=True).stdout
    assert "libmodule1_entry" in symbols and "extern" not in symbols


def test_table_without_wanted_sizes(programs):
    lines = programs.run("pyelfgen", "3", "5", "--dry-run").stdout.splitlines()
    assert re.fullmatch(r"3 modules and 0 utilities with \d+ functions", lines[0])
    assert lines[2].split() == ["MB", *FIVE, "total"] and lines[3].split()[0] == "planned" and len(lines) == 4


@pytest.mark.parametrize("style, sections", [("gnu", {".gnu.hash"}), ("sysv", {".hash"}), ("both", {".gnu.hash", ".hash"})])
def test_hash_style(style, sections, programs, tmp_path):
    programs.run("pyelfgen", "12", "20", "--hash", style, "-q", "-o", tmp_path / "set")
    found = subprocess.run(
        ["readelf", "-SW", tmp_path / "set" / "libmodule0.so"], capture_output=True, text=True, check=True
    ).stdout
    assert {name for name in (".gnu.hash", ".hash") if f" {name} " in found} == sections
