"""What is found for a profile with rows, and kept in it (emit/search/settled.h): from it the same set is made without a search."""

import filecmp
import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).parent
LIBRARIES = "  libraries: '"

PLAIN = """# of a tiny application
pyelfgen-profile: 1
modules: 1
utilities: 1
libraries:
- {kind: module, text: 9000, data: 2000, debug: 30000, symtab: 2000, strtab: 900, needed: 1}
- {kind: utility, text: 7000, data: 900, debug: 20000, symtab: 1500, strtab: 600, mix: {info: 9000, line: 5000}}
"""


def settled(programs, profile, to):
    programs.run("pyelfgen", "-P", profile, "--settle", to, "-q")
    return to


def made(programs, profile, to, *options):
    """Makes a set, and returns the bytes of its files by name."""
    programs.run("pyelfgen", "-P", profile, "-o", to, "-q", *options)
    return {path.name: path.read_bytes() for path in to.iterdir() if path.is_file()}


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "plain.prof"
    path.write_text(PLAIN)
    return path


@pytest.fixture(scope="module")
def modules(programs, tmp_path_factory):
    """Some of this system's Python modules."""
    path = tmp_path_factory.mktemp("modules") / "modules.prof"
    found = sorted(pathlib.Path("/usr/lib/python3.11/lib-dynload").glob("*.so"))[:12]
    if not found:
        pytest.skip("Debian's Python has no modules here")
    programs.run("pyelfprof", "-o", path, *found)
    return path


def sets_are_the_same(programs, profile, directory):
    first, then = directory / "first", directory / "then"
    with_it = settled(programs, profile, directory / "settled.prof")
    assert made(programs, profile, first) == made(programs, with_it, then)
    assert made(programs, with_it, directory / "alone", "-j1") == made(programs, with_it, directory / "both", "-j2")
    return with_it


@pytest.mark.parametrize("name", ["clang", "fortran", "languages", "large"])
def test_the_same_set(programs, name, tmp_path):
    """Debug information as clang and as gfortran write it, of C++ and Fortran in one set, and so much of C++ that a model
    of it is searched first."""
    sets_are_the_same(programs, HERE / f"{name}.prof", tmp_path)


def test_the_same_set_of_many(programs, modules, tmp_path):
    """What constants are filled with is kept, too."""
    with_it = sets_are_the_same(programs, modules, tmp_path)
    words = re.search(r"libraries: '(.*?)'", with_it.read_text().split("\nsettled:")[1], re.S)[1].split()
    assert len(words) == 12 and any("f" in word or "g" in word for word in words)


def test_what_is_kept_is_used(programs, plain, tmp_path):
    """Another number makes another library. So there is no search that finds the right one again."""
    with_it = settled(programs, plain, tmp_path / "settled.prof")
    first = made(programs, with_it, tmp_path / "first")
    text = with_it.read_text()
    words = re.search(LIBRARIES + "(.*)'", text)[1]
    altered = " ".join([words.split()[0], re.sub(r"t\d+", "", words.split()[1]).strip(".") + "t40"])
    with_it.write_text(text.replace(words, altered))
    then = made(programs, with_it, tmp_path / "then")
    assert first["libmodule0.so"] == then["libmodule0.so"] and first["libutility0.so"] != then["libutility0.so"]


def test_the_text_of_the_profile_stays(programs, plain):
    """Comments stay, too. What was kept before is replaced, wherever it stands."""
    settled(programs, plain, plain)
    text = plain.read_text()
    assert text.startswith(PLAIN + "settled:\n  of: '")
    settled(programs, plain, plain)
    assert plain.read_text() == text
    kept = text[len(PLAIN) :]
    plain.write_text(kept.replace(kept.split("'")[1], "0" * 32) + "# behind\n" + PLAIN)
    settled(programs, plain, plain)
    assert plain.read_text() == "# behind\n" + PLAIN + kept
    plain.write_text(PLAIN.rstrip("\n"))
    settled(programs, plain, plain)
    assert plain.read_text() == text


def test_long_lines_are_folded(programs, tmp_path):
    with_it = settled(programs, HERE / "fortran.prof", tmp_path / "settled.prof").read_text()
    kept = with_it.split("\nsettled:\n")[1].splitlines()
    assert len(kept) > 3 and max(map(len, kept)) <= 120


def test_an_edited_profile_is_searched_again(programs, plain, tmp_path):
    with_it = settled(programs, plain, tmp_path / "settled.prof")
    report = programs.run("pyelfgen", "-P", with_it, "-o", tmp_path / "set").stdout
    assert "settled" not in report
    word = "what the profile has as 'settled' is for other keys, options or another pyelfgen: it was not used\n"
    assert word in programs.run("pyelfgen", "-P", with_it, "-o", tmp_path / "seed", "--seed", "7").stdout
    with_it.write_text(with_it.read_text().replace("text: 9000", "text: 9500"))
    assert word in programs.run("pyelfgen", "-P", with_it, "-o", tmp_path / "edited").stdout
    plain.write_text(PLAIN.replace("text: 9000", "text: 9500"))
    assert made(programs, plain, tmp_path / "again") == made(programs, with_it, tmp_path / "edited")


def test_the_standard_output(programs, plain):
    text = programs.run("pyelfgen", "-P", plain, "--settle", "-").stdout
    assert text.startswith(PLAIN + "settled:\n")


def test_what_is_printed(programs, plain, tmp_path):
    to = tmp_path / "to.prof"
    assert re.fullmatch(
        re.escape(str(to)) + r": from it pyelfgen [0-9.]+ makes the set without a search\n",
        programs.run("pyelfgen", "-P", plain, "--settle", to).stdout,
    )


@pytest.mark.parametrize("ranks", [2])
def test_several_ranks(programs, plain, tmp_path, ranks):
    """The first rank writes the profile. Each rank that uses it makes its share without a search."""
    one = settled(programs, plain, tmp_path / "one.prof")
    programs.mpirun(ranks, "pyelfgen", "-P", plain, "--settle", tmp_path / "two.prof", "-q")
    assert filecmp.cmp(one, tmp_path / "two.prof", shallow=False)
    programs.mpirun(ranks, "pyelfgen", "-P", one, "-o", tmp_path / "set", "-q")
    both = {path.name: path.read_bytes() for path in (tmp_path / "set").iterdir()}
    assert both == made(programs, plain, tmp_path / "alone")


def test_sets_that_are_not_stored(programs, plain, tmp_path):
    with_it = settled(programs, plain, tmp_path / "settled.prof")
    done = programs.run("pyelfrun", "--memory", with_it, "--quiet")
    assert "every result right" in done.stdout


@pytest.mark.parametrize(
    "options, message",
    [
        (["-o", "set"], "--settle writes no set; leave -o out"),
        (["--node-local", "set"], "--settle writes no set; leave --node-local out"),
        (["--seed", "3"], "--settle takes no option that says what to generate, or how"),
        (["--link"], "--settle takes no option that says what to generate, or how"),
        (["--compress", "zlib"], "--settle takes no option that says what to generate, or how"),
        (["--settle", "other"], "--settle"),
    ],
)
def test_options_that_do_not_go_with_it(programs, plain, tmp_path, options, message):
    command = ["-P", plain, "--settle", tmp_path / "to.prof", *options]
    done = programs.run("pyelfgen", *command, status=2, cwd=tmp_path)
    assert done.stderr.startswith("pyelfgen: ") and message in done.stderr and done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain.prof"]


def test_profiles_that_have_nothing_to_keep(programs, plain, tmp_path):
    def said(*arguments, status=1, **options):
        done = programs.run("pyelfgen", *arguments, "--settle", tmp_path / "to.prof", status=status, **options)
        assert done.stderr.count("\n") == 1
        return done.stderr

    assert "has no rows ('libraries')" in said("-P", "small")
    assert "can be read twice" in said("-P", "-", status=2, input=PLAIN, stdin=None)
    split = PLAIN.replace("mix: {info: 9000, line: 5000}", "mix: {info: 900, line: 5000}, dwo: {info: 9000, str: 3000}")
    plain.write_text(split)
    assert "have split debug information" in said("-P", plain)
    plain.write_text("{" + ", ".join(PLAIN.split("\n")[1:4]) + ", libraries: [{kind: module}, {kind: utility}]}")
    assert "nothing can be added to the text of the profile" in said("-P", plain)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain.prof"]


@pytest.mark.parametrize(
    "key, text",
    [
        ("libraries", "."),
        ("libraries", ". . ."),
        ("libraries", ".  ."),
        ("libraries", ". t0"),
        ("libraries", ". t65"),
        ("libraries", ". t"),
        ("libraries", ". q5"),
        ("libraries", ". 5"),
        ("libraries", ". b2001"),
        ("libraries", ". A9999999999999999999"),
        ("libraries", ". A80001"),
        ("libraries", ". A-5"),
        ("libraries", ". x-99"),
        ("manners", ""),
        ("manners", "all"),
        ("manners", "any c"),
        ("manners", "any c 1 2 3"),
        ("manners", "any pascal 1"),
        ("of", "0123"),
    ],
)
def test_numbers_that_cannot_be(programs, plain, tmp_path, key, text):
    with_it = settled(programs, plain, tmp_path / "settled.prof")
    kept = re.sub(rf"  {key}: '.*?'", f"  {key}: '{text}'", with_it.read_text().split("\nsettled:")[1], flags=re.S)
    with_it.write_text(PLAIN + "settled:" + kept)
    done = programs.run("pyelfgen", "-P", with_it, "-o", tmp_path / "set", status=1)
    message = f"settled: {key}: is not what pyelfgen writes there; remove 'settled'\n"
    assert re.fullmatch(rf"pyelfgen: {re.escape(str(with_it))}:(\d+:)? {message}", done.stderr)
    assert not (tmp_path / "set").exists()


def test_numbers_with_which_nothing_can_be_made(programs, plain, tmp_path):
    """They are in range, and the library has no room for what they ask."""
    with_it = settled(programs, plain, tmp_path / "settled.prof")
    with_it.write_text(re.sub(LIBRARIES + ".*'", LIBRARIES + ". A20000'", with_it.read_text()))
    done = programs.run("pyelfgen", "-P", with_it, "-o", tmp_path / "set", status=1)
    assert re.fullmatch(
        r"pyelfgen: settled: libutility0 cannot be made so: .*; remove 'settled' from the profile\n", done.stderr
    )
    programs.run("pyelfgen", "-P", with_it, "--settle", tmp_path / "mended.prof", "-q")
    assert (tmp_path / "mended.prof").read_text() == settled(programs, plain, tmp_path / "right.prof").read_text()
    done = programs.run("pyelfgen", "-P", with_it, "--dry-run", status=1)
    assert done.stderr.startswith("pyelfgen: settled: libutility0 cannot be made so: ")
    assert not (tmp_path / "set" / "libutility0.so").exists() and not (tmp_path / "set" / "manifest.json").exists()


def test_it_has_no_text_of_an_application(programs, plain):
    """--explain says so, and what is not as it is written is refused."""
    settled(programs, plain, plain)
    explained = programs.run("pyelfprof", "--explain", plain).stdout
    assert "What pyelfgen has found for it (settled) follows from the rest, and reveals nothing else.\n" in explained
    text = plain.read_text()
    for key, secret in (("of", "secret"), ("manners", "any secret 3"), ("libraries", "s3c secret")):
        plain.write_text(re.sub(rf"  {key}: '.*?'", f"  {key}: '{secret}'", text, flags=re.S))
        done = programs.run("pyelfprof", "--explain", plain, status=1)
        assert f"settled: {key}: is not what pyelfgen writes there" in done.stderr


def test_comparing_takes_the_profile_as_it_is(programs, plain, tmp_path):
    with_it = settled(programs, plain, tmp_path / "settled.prof")
    programs.run("pyelfstat", "--compare", with_it, plain)
