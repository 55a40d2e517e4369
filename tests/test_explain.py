"""pyelfprof --explain says what is true of a profile, and nothing about what the profile does not hold."""

import pathlib
import re
import subprocess

import pytest

from captures import Capture
from objects import tool

PROFILES = pathlib.Path(__file__).resolve().parent.parent / "profiles"

# What --explain says only of a captured profile with rows.
OF_ROWS = ["captured from", "They export", "relocations", "need", "SONAME", "each of them", "recognise"]


@pytest.fixture
def explain(programs, tmp_path):
    """Returns what --explain says of a profile, given as a path or as its text."""

    def run(profile):
        path = profile
        if isinstance(profile, str):
            path = tmp_path / "hand.prof"
            path.write_text(profile)
        return programs.run("pyelfprof", "--explain", path).stdout

    return run


@pytest.fixture
def captured(programs, tmp_path):
    def run(*arguments):
        output = tmp_path / "captured.prof"
        programs.run("pyelfprof", "-o", output, *arguments)
        return output

    return run


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A library with debug information, and the same one stripped."""
    directory = tmp_path_factory.mktemp("pair")
    (directory / "one.c").write_text("int f(int a) {return a + 1;}")
    whole, stripped = directory / "whole.so", directory / "stripped.so"
    subprocess.run([tool("gcc"), "-shared", "-fPIC", "-g", "-gdwarf-4", "-o", whole, directory / "one.c"], check=True)
    subprocess.run([tool("strip"), "-o", stripped, whole], check=True)
    return whole, stripped


# ---- those that are shipped ----


@pytest.mark.parametrize("path", sorted(PROFILES.glob("*.prof")), ids=lambda path: path.stem)
def test_shipped(explain, path):
    text = explain(path)
    application = next(line for line in path.read_text().splitlines() if line.startswith("application: "))
    assert f"It says what the application is: {application.removeprefix('application: ')}.\n" in text
    assert "It has comments: read them before you share it.\n" in text
    assert "It is about all libraries together: nothing is said of single ones.\n" in text
    assert "how much is in all of them" in text
    assert [words for words in OF_ROWS if words in text] == []
    assert ("The debug information is DWARF of C++.\n" in text) == (path.stem == "c++")


def test_small(explain):
    lines = explain(PROFILES / "small.prof").splitlines()
    assert lines[:2] == [
        "The application has 12 shared libraries: 8 Python extension modules and 4 others.",
        "Together they have 8.0 MB of code and constants (text), 400.0 kB of data, 18.0 MB of debug information, "
        "600.0 kB of symbol tables and 3.0 MB of their names.",
    ]


# ---- captured ones ----


def test_captured(explain, captured, shipped_small):
    path = captured(shipped_small)
    rows = Capture(path).rows
    text = explain(path)
    assert text.startswith(
        "The application has 12 libraries and programs: 8 Python extension modules and 4 others.\n"
        "They were captured from files.\nTogether they have 8.0 MB of code and constants (text), "
    )
    assert f"They have {sum(row['functions'] for row in rows)} functions with a symbol.\n" in text
    framed = sum(row["unwind-rbp"] for row in rows)
    assert f"\n{framed} functions have a frame, {framed} of them with a frame pointer.\n" in text
    dwarf = [row["dwarf"] for row in rows]
    counts = [sum(row.get(key, 0) for row in dwarf) for key in ("units", "dies", "rows", "entries")]
    assert (
        "It is DWARF 5 in 12, of C in 12, and has {} units, {} entries, {} rows of line tables "
        "and {} entries of location lists.\n".format(*counts) in text
    )
    code, inlined = (sum(row[key] for row in dwarf if "inlined" in row) for key in ("code", "inlined"))
    assert "entry values" not in text
    assert f"Of the code that it describes, {100 * inlined / code:.0f} % is in inlined calls.\n" in text
    assert "It names no library, function, type, variable or directory, and has no string of the application.\n" in text
    for words in ("stripped", "no debug information", "NAMES", "comments", "only the sizes", "what the application is"):
        assert words not in text
    assert "which options of the linker were used, which language it is in" in text
    assert text.endswith(": captured with --summary, a profile has but the sums, where these are enough for a set.\n")


def test_with_names(explain, captured, small):
    text = explain(captured("--names", "--no-dwarf", small))
    assert "It NAMES 12 files: it is for use in house.\n" in text
    assert "It names no function, type, variable or directory, and has no string of the application.\n" in text
    assert "names no library" not in text


def test_without_dwarf(explain, captured, small, pair):
    text = explain(captured("--no-dwarf", small))
    assert "Of the debug information only the sizes are said.\n" in text
    assert "DWARF" not in text.replace("DT_NEEDED", "") and "units" not in text
    for words in ("which language", "compress", "no debug information"):
        assert words not in text
    assert "1 of them has debug information.\nOf the debug information only" in explain(captured("--no-dwarf", *pair))


def test_summary(explain, captured, small):
    text = explain(captured("--summary", small))
    assert text.startswith("The application has 12 shared libraries: 8 Python extension modules and 4 others.\n")
    assert [words for words in OF_ROWS if words in text] == []
    assert text.endswith(
        "It is about all libraries together: nothing is said of single ones.\nIt names no library.\n"
        "Its numbers reveal how many libraries there are and how much is in all of them.\n"
    )
    text = explain("pyelfgen-profile: 1\nmodules: 1\nfunctions: 9\nnames: {length: 15}\n")
    assert text.endswith(" is in all of them, how large functions are and how long names are.\n")
    sums = "sections: {text: 60000 B, data: 3000 B, debug: 0 B, symtab: 0 B, strtab: 0 B}"
    text = explain(f"pyelfgen-profile: 1\nmodules: 0\nutilities: 1\n{sums}\n")
    assert text.startswith("The application has 1 shared library, no Python extension module.\nIt has ")
    assert "There is no debug information.\nThere are no symbol tables but those for the dynamic linker" in text


def test_stripped(explain, captured, pair):
    text = explain(captured(pair[1]))
    assert "There is no debug information.\n" in text
    assert "all is stripped.\nIt has 1 function with a symbol.\nOnly functions that others can call have one" in text
    assert "It exports 1 function and 0 objects, and imports " in text
    for words in ("DWARF", "only the sizes", "of them has", "They", "0 bytes", "which language"):
        assert words not in text


def test_one_of_two_is_stripped(explain, captured, pair):
    text = explain(captured(*pair))
    assert "1 of them is stripped: of its functions only those that others can call are counted.\n" in text
    assert "1 of them has debug information.\nIt is DWARF 4 in 1, of C in 1, and has 1 unit, " in text
    assert "2 have no SONAME.\n" in text and "None of them needs another of them.\n" in text
    assert "all is stripped" not in text and "no debug information" not in text


def test_a_run(explain, captured, programs):
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    path = captured("--no-dwarf", "--run", "/usr/bin/python3", "-c", "import _decimal")
    text = explain(path)
    last = max(float(row["loaded"]) for row in Capture(path).rows)
    assert "They were captured from what a run loaded, in that order.\n" in text
    assert f"The last was loaded {last:.0f} ms after the first.\nPython took " in text
    assert "and how long its start took.\n" in text


# ---- written by hand ----

HAND = """pyelfgen-profile: 1
libraries:
- {kind: module, text: 30000, data: 2500, bss: 300, debug: 60 kB, symtab: 2400, strtab: 2000, functions: 40, needed: '1:5 2'}
- {kind: utility, text: 40000, data: 3000, bss: 5000, functions: 60, needed: '2:3'}
- {kind: utility, functions: 20}
"""


def test_rows_count(explain):
    """Where `modules`, `utilities` and `sections` are missing, the numbers come from the rows."""
    text = explain(HAND)
    assert text == (
        "The application has 3 shared libraries: 1 Python extension module and 2 others.\n"
        "Those 2 whose sizes are said have together 70.0 kB of code and constants (text), 5.5 kB of data, "
        "5.3 kB of zeroed memory (bss), 60.0 kB of debug information, 2.4 kB of symbol tables and 2.0 kB of their names.\n"
        "They have 120 functions with a symbol.\n"
        "1 of them is stripped: of its functions only those that others can call are counted.\n"
        "They need one another 3 times (DT_NEEDED); the one that needs most needs 2 of them.\n"
        "1 of them has debug information.\n"
        "Of the debug information only the sizes are said.\n"
        "It names no library.\n"
        "Its numbers reveal how many libraries there are and how much is in each of them and how they need one another.\n"
    )


@pytest.mark.parametrize("functions, said", [("", True), ("functions: 5, ", False)])
def test_functions_of_rows_that_do_not_say_them(explain, functions, said):
    """The average is for those rows alone."""
    rows = f"libraries:\n- {{{functions}kind: utility}}\n- {{kind: utility, functions: 2}}\n"
    text = explain("pyelfgen-profile: 1\nfunctions: 30\n" + rows)
    assert "on average" not in text
    assert ("A library that is no module gets 30 functions where its row does not say how many it has.\n" in text) == said


def test_functions_of_utilities_that_do_not_say_them(explain):
    rows = "libraries:\n- {kind: utility}\n- {kind: module}\n"
    text = explain("pyelfgen-profile: 1\nfunctions: 30\nutility-functions: 700\n" + rows)
    assert "A module gets 30 functions where" in text and "A library that is no module gets 700 functions where" in text
    text = explain("pyelfgen-profile: 1\nutility-functions: 1\n" + rows)
    assert "A module gets" not in text and "A library that is no module gets 1 function where" in text


def test_what_is_not_there_is_not_spoken_of(explain):
    text = explain("pyelfgen-profile: 1\nmodules: 1\nfunctions: 1\nsections: {debug: 1 kB}\n")
    assert text.startswith("The application has 1 ") and "A library has 1 function on average.\n" in text


def test_a_profile_of_which_no_set_follows(explain):
    """Such a profile is explained all the same: numbers that no set can have reveal no more than others."""
    text = explain(HAND.replace("data: 2500", "data: 0").replace("text: 40000", "text: 0"))
    assert text.endswith("how much is in each of them and how they need one another.\n")


def refused(programs, profile):
    """The one line in which pyelfprof refuses to explain a profile. Nothing else is printed."""
    done = programs.run("pyelfprof", "--explain", profile, status=1, timeout=30)
    assert done.stderr.startswith(f"pyelfprof: {profile}:") and len(done.stderr.splitlines()) == 1 and done.stdout == ""
    return done.stderr.removeprefix(f"pyelfprof: {profile}:")


def test_what_is_no_profile(programs, small, tmp_path):
    assert "is not text: it has a NUL byte" in refused(programs, small / "libmodule0.so")
    profile = tmp_path / "x.prof"
    for text, said in (
        ("pyelfgen-profile: 1\na: " + 1_000_000 * "[", "2: unknown key 'a'"),
        ("pyelfgen-profile: 1\nmodules: " + 1_000_000 * "[", "2: modules: is a list or a mapping"),
        ("- list", "1: the profile is not a mapping"),
        ("", "the profile is empty"),
        ("a: [", "1: unknown key 'a'"),
    ):
        profile.write_text(text)
        assert said in refused(programs, profile)


# ---- what is no profile's ----


@pytest.fixture(scope="module")
def whole(programs, tmp_path_factory, pair):
    """The text of a captured profile."""
    output = tmp_path_factory.mktemp("whole") / "captured.prof"
    programs.run("pyelfprof", "-o", output, pair[0])
    return output.read_text()


@pytest.mark.parametrize(
    "found, instead, said",
    [
        ("^modules:", 'project: "Secret Manhattan"\nmodules:', "2: unknown key 'project'"),
        ("kind: utility", 'kind: utility, path: "/opt/secret/libfoo.so"', "unknown key 'path'"),
        ("captured: {", "captured: {host: secretcluster, ", "captured: unknown key 'host'"),
        ("from: files", "from: secretcluster", "captured: from: 'secretcluster' is not one of files, exec, "),
        ("tags: '", "tags: 'secret_type:17022 ", "tags: 'secret_type' is no word of DWARF"),
        ("forms: '", "forms: 'member:1 ", "forms: 'member' is no word of DWARF"),
        ("attributes: '", "attributes: 'ecret:1 ", "attributes: 'ecret' is no word of DWARF"),
        ("degree: '", "degree: 'secret:1 ", "degree: 'secret:1 "),
        ("functions: 1,", "functions: secret,", "functions: 'secret' is not a whole number"),
        ("version: 4, language: c, units: 1, code", "version: 4, language: secret, units: 1, code", "'secret' is no language"),
        ("kind: utility", "kind: utility, loaded: 12.secret", "loaded: '12.secret' is not a number"),
        ("kind: utility", "kind: utility, import: '1.'", "import: '1.' is not a number"),
        ("kind: utility", "kind: utility, needed: secret", "needed: 'secret' is not INDEX"),
        (r"text: \d+ B", "text: 2 mb", "sections: text: '2 mb' has an unknown unit"),
        (r"text: \d+ B", "text: 287", "sections: text: '287' has no unit"),
        ("utilities: 1", "utilities: 2", "utilities: is 2, and the rows of 'libraries' come to 1"),
        (r"\Z", "---\nsecret: 1\n", "a second document begins here"),
    ],
)
def test_what_is_no_profiles_is_refused(programs, tmp_path, whole, found, instead, said):
    """A text with what no profile has is refused by --explain and by pyelfgen, so that nothing stays unexplained."""
    text = re.sub(found, instead, whole, count=1, flags=re.M)
    profile = tmp_path / "x.prof"
    profile.write_text(text)
    assert text != whole and said in refused(programs, profile)
    assert said in programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", status=1).stderr


def test_a_profile_that_was_cut_off(programs, tmp_path, pair):
    """Cut off behind any line, a captured profile with fewer rows than it says is refused by all that read profiles.
    Before the line that says so, it is one of sums, or none."""
    programs.run("pyelfprof", "-o", tmp_path / "whole.prof", *pair)
    lines = (tmp_path / "whole.prof").read_text().splitlines(keepends=True)
    cut = tmp_path / "cut.prof"
    says = next(i for i, line in enumerate(lines) if line.startswith("captured: "))
    assert lines[-3] == "libraries:\n"
    for count in range(says + 1, len(lines)):
        if lines[count - 1] == "distributions:\n":  # which needs something below it, and that is said
            continue
        cut.write_text("".join(lines[:count]))
        rows = "1" if count == len(lines) - 1 else "none"
        wrong = f"{says + 1}: captured: libraries: says that the profile has 2 rows of libraries, and it has {rows}; it seems cut off"
        assert refused(programs, cut).startswith(wrong)
        assert wrong in programs.run("pyelfgen", "-P", cut, "-o", tmp_path / "set", status=1).stderr
        for sides in (cut, tmp_path / "whole.prof"), (tmp_path / "whole.prof", cut):
            assert wrong in programs.run("pyelfstat", "--compare", *sides, status=2).stderr
    # whoever takes a row out corrects what else says how many there are, or takes that out too
    text = "".join(lines[:-1])
    for instead in ("utilities: 1", "# utilities"):
        cut.write_text(re.sub("^sections:.*\n", "", text, flags=re.M).replace("utilities: 2", instead))
        programs.run("pyelfprof", "--explain", cut)


# ---- exceptions ----


def test_exceptions(explain):
    rows = ["{kind: utility, exceptions: {table: 1540, functions: 31}}", "{kind: utility, exceptions: {table: 60, functions: 1}}"]
    said = explain("pyelfgen-profile: 1\nlibraries:\n" + "".join(f"- {row}\n" for row in rows))
    assert "32 functions say what to do when an exception passes, in 1.6 kB.\n" in said
    assert "exception" not in explain("pyelfgen-profile: 1\nlibraries:\n- {kind: utility}\n")


def test_what_clang_compiled(explain):
    """The sentence stands where the profile says so, and only there."""
    said = "Most of it has the form that clang writes.\n"
    text = (pathlib.Path(__file__).parent / "clang.prof").read_text()
    assert said in explain(text)
    assert said not in explain(text.replace(", compiler: clang", ""))


def test_what_constructors_do_is_said(explain):
    row = "{kind: utility, text: 60000, data: 3000, bss: 900000, constructor-memory: 65536, constructor-bss: 131072}"
    head = "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 1, unreadable: 0}\nlibraries:\n"
    text = explain(f"{head}- {row}\n")
    assert re.search(r"^Its constructors take 65\.5 kB of memory when all are loaded\.$", text, flags=re.M)
    assert re.search(r"^Its constructors write to 131\.1 kB of \.bss\.$", text, flags=re.M)
    assert "constructors" not in explain(f"{head}- {{kind: utility, text: 60000, data: 3000}}\n")
