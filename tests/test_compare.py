"""pyelfstat --compare, run as a program: what it reports as different, its JSON, and its page, also in a browser."""

import collections
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import closed_schema
from objects import tool
from sets import SMALL

STATES = ("equal", "within", "told", "off")

# Elements that have no end tag in HTML.
VOID = {"meta", "link", "br", "img", "hr", "input"}

# A file name that becomes markup wherever the page has it unescaped.
HOSTILE = "<img src=x onerror=alert(1)>\"'&amp;<svg>.so"


def library(directory, name, text, *options):
    """Compiles a C text to a small shared library, stripped, so that only the text makes libraries differ."""
    directory.mkdir(exist_ok=True)
    source = directory / "source.c"
    source.write_text(text)
    command = [tool("gcc"), "-O1", "-s", "-fPIC", "-shared", "-Wl,--no-as-needed", "-o", directory / name, source]
    subprocess.run([*command, *options], check=True)
    source.unlink()


def make_application(directory, zeroed=4000, order="bc", letters="abc"):
    """Makes a.so and the libraries that it needs, in this order. b.so has so many zeroed bytes."""
    for letter in letters[1:]:
        size = zeroed if letter == "b" else 64
        text = f"static char zero[{size}]; int of_{letter}(int i) {{ return zero[i]++; }}"
        library(directory, f"{letter}.so", text, f"-Wl,-soname,{letter}.so")
    text = "int of_b(int); int of_c(int); int of_a(int i) { return of_b(i) + of_c(i); }"
    library(directory, "a.so", text, *(directory / f"{letter}.so" for letter in order))
    return directory


@pytest.fixture
def application(tmp_path):
    return lambda name, **change: make_application(tmp_path / name, **change)


class Comparison:
    def __init__(self, done, path):
        self.status = done.returncode
        self.said = done.stderr
        self.printed = done.stdout
        self.json = json.loads(path.read_text())
        self.set = {quantity["name"]: quantity for quantity in self.json["set"]}
        self.libraries = self.json["libraries"]

    def differing(self):
        """{name: (real, twin)} of the numbers of the set that differ."""
        return {name: (q["real"], q["twin"]) for name, q in self.set.items() if q["state"] != "equal" and "real" in q}

    def first(self, name):
        """The state of the quantity in the first library."""
        return next(quantity["state"] for quantity in self.libraries[0]["quantities"] if quantity["name"] == name)

    def library(self, name):
        (found,) = [one for one in self.libraries if one["real"] and one["real"]["name"] == name]
        return {quantity["name"]: quantity for quantity in found["quantities"]}


def validate(content):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(closed_schema("compare")).validate(content)


def check_sums(content, strict):
    """The `summary` of the JSON follows from the quantities and libraries that it lists."""
    of_set = collections.Counter(quantity["state"] for quantity in content["set"])
    of_each = collections.Counter(q["state"] for one in content["libraries"] for q in one["quantities"])
    assert content["summary"]["set"] == {state: of_set[state] for state in STATES}
    assert content["summary"]["libraries"] == {state: of_each[state] for state in STATES}
    matched = [one["matched"] for one in content["libraries"]]
    assert content["summary"]["matched"] == len(matched) - matched.count("none")
    assert content["summary"]["matched-by-name"] == matched.count("name")
    off = [one for one in content["libraries"] if one["matched"] == "none" or one["states"]["off"]]
    assert content["summary"]["libraries-off"] == len(off)
    told = of_set["told"] + of_each["told"] > 0
    assert content["summary"]["agrees"] == (of_set["off"] == 0 and not off and not (told and strict))


@pytest.fixture
def compare(programs, tmp_path):
    """Compares two sides. The JSON must follow its schema, and the table must have the same sums as the JSON."""

    def run(real, twin, *options, status=0, **more):
        path = tmp_path / "compared.json"
        path.unlink(missing_ok=True)
        done = programs.run("pyelfstat", "--compare", "--json", path, *options, real, twin, status=status, **more)
        found = Comparison(done, path)
        validate(found.json)
        check_sums(found.json, "--told" not in options)
        states = found.json["summary"]["set"]
        said = re.search(r"set: (\d+) quan.*: (\d+) eq.*, (\d+) wi[^,]*(?:, (\d+) told)?, (\d+) off", done.stdout).groups()
        assert [int(n or 0) for n in said] == [sum(states.values()), *(states[state] for state in STATES)]
        return found

    return run


# ---- what differs ----


def test_what_is_left_out_is_not_off(programs, application, tmp_path):
    """--without leaves out what its patterns match, in the set and each library, and no more. The report names them."""
    profile = tmp_path / "real.prof"
    programs.run("pyelfprof", "-o", profile, application("real"))
    text = re.sub(r"bss: (\d+)", lambda m: f"bss: {int(m[1]) + 5000}", profile.read_text())
    (tmp_path / "twin.prof").write_text(re.sub(r"\}, plt: (\d+)", lambda m: f"}}, plt: {int(m[1]) + 900}", text))
    command = ["pyelfstat", "--compare", profile, tmp_path / "twin.prof"]
    whole = json.loads(programs.run(*command, "--json", "-", status=1).stdout)
    assert {"bss", "plt"} <= {one["name"] for one in whole["set"] if one["state"] == "off"} and whole["summary"]["without"] == []
    programs.run(*command, "--without", "bss", status=1)
    left = ["--without", "bss", "--without", "p?t", "--without", "relocations.*"]
    done = programs.run(*command, *left)
    assert "not compared, as was asked: bss, p?t, relocations.*\n" in done.stdout
    less = json.loads(programs.run(*command, *left, "--json", "-").stdout)
    assert less["summary"]["agrees"] and less["summary"]["without"] == ["bss", "p?t", "relocations.*"]
    gone = {one["name"] for one in whole["set"]} - {one["name"] for one in less["set"]}
    assert {"bss", "plt"} <= gone and all(name in ("bss", "plt") or name.startswith("relocations.") for name in gone)
    for library in less["libraries"]:
        assert not gone & {one["name"] for one in library["quantities"]} and library["states"]["off"] == 0
    page = programs.run(*command, *left, "--html", "-").stdout
    assert "Not compared, as was asked: bss, p?t, relocations.*." in page


def test_same(compare, application):
    real = application("real")
    shutil.copytree(real, real.parent / "twin")
    found = compare(real, real.parent / "twin", "--tolerance", 0)
    assert found.json["summary"]["agrees"] is True
    assert {quantity["state"] for quantity in found.json["set"]} == {"equal"}
    assert found.set["libraries"]["real"] == 3
    assert found.set["needed.same-order"]["twin"] == 2
    assert found.set["hash: gnu"]["real"] + found.set.get("hash: both", {"real": 0})["real"] == 3
    assert "zstd.text" in found.set and "share.code" in found.set and "function-sizes" in found.set
    assert [one["matched"] for one in found.libraries] == ["name"] * 3
    assert "\noff" not in found.printed and "within in" not in found.printed


def test_set_with_itself(compare, small):
    found = compare(small, small)
    assert found.json["summary"]["set"]["off"] == found.json["summary"]["libraries"]["off"] == 0
    assert found.json["summary"]["set"]["within"] == 0
    for name in ("dwarf.dies", "mix.info", "tags", "forms", "name-lengths", "degree.needed-by", "methods", "plt"):
        assert found.set[name]["state"] == "equal", name
    assert found.set["function-sizes"]["of"] == "values"
    assert found.library("libmodule0.so")["function-sizes"]["distance"] == 0


def test_one_number(compare, application):
    found = compare(application("real"), application("twin", zeroed=8000), "--no-dwarf", status=1)
    real, twin = found.differing()["bss"]
    assert twin - real == 4000
    assert list(found.differing()) == ["bss"] and found.set["bss"]["difference"] == 4000
    assert found.set["bss"]["libraries"] == {"equal": 2, "within": 0, "told": 0, "off": 1}
    off = {name for one in found.libraries for name in [one["real"]["name"]] if one["states"]["off"]}
    assert off == {"b.so"}
    assert [name for name, q in found.library("b.so").items() if q["state"] != "equal"] == ["bss"]
    lines = found.printed.splitlines()
    first = next(line for line in lines if line.startswith("  "))
    assert first.split()[:4] == ["bss", str(real), str(twin), "+4000"] and first.endswith("off in 1 of 3")
    assert f"b.so: 1 off, 0 within, {len(found.library('b.so')) - 1} equal" in lines


def test_tolerance(compare, application):
    real, twin = application("real"), application("twin", zeroed=4128)
    found = compare(real, twin, "--no-dwarf")
    assert found.set["bss"]["state"] == "within" and found.json["tolerance"] == 0.05
    assert "differs in 1 of 3" in found.printed
    assert compare(real, twin, "--no-dwarf", "--tolerance", "1.5", status=1).set["bss"]["state"] == "off"


@pytest.mark.alike
@pytest.mark.parametrize("percent", ["0x10", "+1", " 1", "1 ", "-1", "101", "nan", "inf", "1e1", ".", ""])
def test_a_tolerance_that_is_none(programs, application, percent):
    real = application("real")
    done = programs.run("pyelfstat", "--compare", f"--tolerance={percent}", real, real, status=2)
    assert done.stderr == f"pyelfstat: --tolerance: '{percent}' is no number from 0 to 100; see --help\n"


def test_graph(compare, application):
    found = compare(application("real"), application("twin", order="cb"), "--no-dwarf", status=1)
    assert found.differing() == {"needed.same-order": (2, 0)}
    found = compare(application("same"), application("fewer", order="c"), "--no-dwarf", status=1)
    differing = found.differing()
    assert differing["needed.libraries"] == differing["needed.same-libraries"] == (2, 1)
    assert differing["needed.symbols"] == differing["needed.same-symbols"] == (2, 1)
    assert differing["needed.same-order"] == (2, 0)
    assert found.set["degree.needs"]["distance"] == found.set["degree.needed-by"]["distance"] == pytest.approx(1 / 3)


def test_words(compare, tmp_path):
    text = "int f(int i) { return i; }"
    library(tmp_path / "real", "a.so", text, "-Wl,--hash-style=gnu")
    library(tmp_path / "twin", "a.so", text, "-Wl,--hash-style=sysv")
    found = compare(tmp_path / "real", tmp_path / "twin", "--no-dwarf", status=1)
    assert found.differing()["hash: gnu"] == (1, 0) and found.differing()["hash: sysv"] == (0, 1)
    assert found.library("a.so")["hash"] == {"name": "hash", "state": "off", "real": "gnu", "twin": "sysv"}


def functions(count, statements):
    body = " ".join(["x = x * x + 1;"] * statements)
    return "".join(f"unsigned f{i:03}(unsigned x) {{ {body} return x; }}\n" for i in range(count))


def test_distribution(compare, tmp_path):
    """A tenth of 400 functions is larger, so the distance is a tenth, wherever the borders of buckets are."""
    library(tmp_path / "real", "a.so", functions(400, 8))
    library(tmp_path / "twin", "a.so", functions(360, 8) + functions(400, 9)[-40 * len(functions(1, 9)) :])
    for real in (tmp_path / "real", tmp_path / "real" / "a.so"):
        found = compare(real, tmp_path / "twin", "--no-dwarf", status=1)
        for quantity in (found.set["function-sizes"], found.library("a.so")["function-sizes"]):
            assert quantity["distance"] == pytest.approx(0.1) and quantity["of"] == "values"
            assert quantity["items"]["real"] == quantity["items"]["twin"] == 400
        assert found.set["name-lengths"]["state"] == "equal"


def test_debug_files(compare, tmp_path):
    """Debug information in a file of its own counts as if it were in the library."""
    real, twin, debug = tmp_path / "real", tmp_path / "twin", tmp_path / "debug"
    text = tmp_path / "a.c"
    text.write_text(functions(3, 8))
    for directory in (real, twin):
        directory.mkdir()
        command = [tool("gcc"), "-g", "-O1", "-fPIC", "-shared", "-Wl,--build-id=0xabcdef0123456789", "-o", directory / "a.so", text]
        subprocess.run(command, check=True)
    (debug / ".build-id" / "ab").mkdir(parents=True)
    subprocess.run([tool("objcopy"), "--only-keep-debug", twin / "a.so", debug / ".build-id" / "ab" / "cdef0123456789.debug"], check=True)
    subprocess.run([tool("strip"), twin / "a.so"], check=True)
    assert compare(real, twin, status=1).set["debug"]["twin"] == 0
    found = compare(real, twin, "--debug-dir", debug, status=1)
    assert found.set["debug"]["twin"] == found.set["debug"]["real"] > 0
    assert found.set["dwarf.dies"]["state"] == found.set["tags"]["state"] == "equal"
    off = [name for name, quantity in found.set.items() if quantity["state"] == "off" and name != "zstd.names"]
    assert off == ["debug-file: false", "debug-file: true"]


# ---- which with which ----


def test_names_before_order(compare, application):
    real, twin = application("real"), application("twin")
    (twin / "c.so").rename(twin / "0.so")
    found = compare(real, twin, "--no-dwarf", "--tolerance", 100)
    pairs = {one["real"]["name"]: (one["twin"]["name"], one["matched"]) for one in found.libraries}
    assert pairs == {"a.so": ("a.so", "name"), "b.so": ("b.so", "name"), "c.so": ("0.so", "order")}
    assert "libraries: 3 matched, 2 by name, 0 only real, 0 only twin" in found.printed
    found = compare(real, twin, "--no-dwarf", "--match", "order", status=1)
    assert [one["twin"]["name"] for one in found.libraries] == ["0.so", "a.so", "b.so"]


def test_without_match(compare, application):
    real, twin = application("real"), application("twin")
    (twin / "c.so").unlink()
    found = compare(real, twin, "--no-dwarf", "--tolerance", 100, status=1)
    alone = [one for one in found.libraries if one["matched"] == "none"]
    assert len(alone) == 1 and alone[0]["real"]["name"] == "c.so" and alone[0]["twin"] is None
    assert "c.so: only in the real" in found.printed
    found = compare(twin, real, "--no-dwarf", "--tolerance", 100, status=1)
    assert found.libraries[-1]["real"] is None and "c.so: only in the twin" in found.printed


def test_profiles(compare, programs, small, tmp_path):
    """A side may be a profile instead of files. The profile may have no names, and may be a summary without rows."""
    profile, summary = tmp_path / "small.prof", tmp_path / "summary.prof"
    programs.run("pyelfprof", "-o", profile, small)
    programs.run("pyelfprof", "--summary", "-o", summary, small)
    found = compare(profile, small)
    assert found.json["real"]["from"] == "profile" and found.json["twin"]["from"] == "files"
    assert {quantity["state"] for quantity in found.json["set"]} == {"equal"}
    assert {one["matched"] for one in found.libraries} == {"order"}
    assert found.set["function-sizes"]["of"] == "buckets"
    quantities = {quantity["name"]: quantity for quantity in found.libraries[0]["quantities"]}
    assert quantities["function-sizes"]["of"] == "quantiles" and quantities["function-sizes"]["distance"] == 0
    found = compare(summary, profile)
    assert found.json["real"]["libraries"] is None and found.libraries == []
    assert set(found.set) == {"kind: module", "kind: utility", "text", "data", "debug", "symtab", "strtab"}


def test_twin(compare, programs, small, tmp_path):
    """A twin has its libraries in the order of the profile, with the sizes and the DT_NEEDED graph of the real ones."""
    programs.run("pyelfprof", "-o", tmp_path / "small.prof", small)
    programs.run("pyelfgen", "--profile", tmp_path / "small.prof", "-o", tmp_path / "twin", "-q")
    found = compare(small, tmp_path / "twin", "--match", "order", status=None)
    assert found.status in (0, 1) and found.json["summary"]["matched"] == 12
    for name in ("text", "data", "debug", "symtab", "strtab", "needed.same-libraries"):
        assert found.set[name]["libraries"]["off"] == found.set[name]["libraries"]["within"] == 0, name
    assert (found.status == 0) == found.json["summary"]["agrees"]


# Without distributions, which say nothing of three functions.
NUMBERS = ["--no-dwarf", "--without", "function-sizes", "--without", "name-lengths"]


@pytest.fixture(scope="module")
def real_and_twin(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("twin")
    programs.run("pyelfprof", "-o", directory / "real.prof", make_application(directory / "real"))
    programs.run("pyelfgen", "--profile", directory / "real.prof", "-o", directory / "twin", "-q")
    return directory


@pytest.fixture
def twin(real_and_twin, tmp_path):
    """The profile of three small libraries, and its twin, which differs from it. differences.json says where.

    Both are copies, which a test may change.
    """
    real = shutil.copy(real_and_twin / "real.prof", tmp_path)
    return pathlib.Path(real), shutil.copytree(real_and_twin / "twin", tmp_path / "twin")


def test_what_is_told(compare, twin):
    """What is off and stands in differences.json is told, in the table and on the page. With --told the sides agree."""
    real, made = twin
    differs = [library["differs"] for library in json.loads((made / "differences.json").read_text())["libraries"]]
    found = compare(real, made, *NUMBERS, status=1)
    for library, expected in zip(found.libraries, differs):
        told = {q["name"].replace(".", ": "): [q["real"], q["twin"]] for q in library["quantities"] if q["state"] == "told"}
        assert told and told.items() <= expected.items()
        assert not [q for q in library["quantities"] if q["state"] == "off"]
    assert found.set["share.constants"]["state"] == "told" and found.json["summary"]["set"]["off"] == 0
    assert re.search(r"\ntold  .*\n(  .*\n)*  share.constants .*  told in 3 of 3\n", found.printed)
    assert "told is off, as the twin's differences.json says" in found.printed
    assert compare(real, made, *NUMBERS, "--told").json["summary"]["agrees"]
    page = made.parent / "page.html"
    compare(real, made, *NUMBERS, "--told", "--html", page)
    assert '<td class="told">told</td>' in page.read_text()


def test_a_twin_that_tells_nothing(programs, twin):
    """One line says so: the file is not there, or the operands are in the wrong order."""
    real, made = twin
    said = "pyelfstat: --told: there is no differences.json in {}, so nothing is told; give the directory that"
    done = programs.run("pyelfstat", "--compare", "--told", made, real, status=1)
    assert done.stderr.startswith(said.format(real)) and done.stderr.count("\n") == 1
    assert programs.run("pyelfstat", "--compare", real, made, status=1).stderr == ""
    (made / "differences.json").unlink()
    assert programs.run("pyelfstat", "--compare", "--told", real, made, status=1).stderr.startswith(said.format(made))
    assert programs.run("pyelfstat", "--compare", "--told", made, made).stderr == ""


def test_what_is_not_counted(compare, twin):
    """What differences.json lists as unknown is told whatever its numbers are, of a library and of the set."""
    real, made = twin
    path = made / "differences.json"
    content = json.loads(path.read_text())
    assert content["unknown"] == ["distributions: degree"]
    content["libraries"][0]["unknown"].append("share: constants")
    content["libraries"][0]["differs"]["share: constants"] = [3, 4]
    path.write_text(json.dumps(content))
    real.write_text(re.sub(r", needed: '[^']*'", "", real.read_text()))
    found = compare(real, made, "--told", status=1)
    assert found.first("share.constants") == "told" and found.set["degree.needs"]["state"] == "told"
    content["libraries"][0]["unknown"].remove("share: constants")
    content["unknown"].remove("distributions: degree")
    path.write_text(json.dumps(content))
    found = compare(real, made, "--told", status=1)
    assert found.first("share.constants") == "off" and found.set["degree.needs"]["state"] == "off"


@pytest.mark.parametrize("distance, state", [(None, "off"), (0.0499, "off"), (0.08, "told")])
def test_a_distance_that_quantiles_do_not_show(compare, programs, tmp_path, distance, state):
    """Quantiles of the library are within, and buckets of the set are not. That is told where differences.json has a
    distance of all the library's values that is off."""
    source, library, real, made = (tmp_path / name for name in ("names.c", "names.so", "real.prof", "twin"))
    source.write_text("".join(f"int f{'x' * (n % 100)}{n}(void) {{ return {n}; }}\n" for n in range(300)))
    subprocess.run([tool("gcc"), "-shared", "-fPIC", "-o", library, source], check=True)
    programs.run("pyelfprof", "-q", "-o", real, library)
    programs.run("pyelfgen", "-q", "--profile", real, "-o", made)
    text = real.read_text()
    first, count, last = re.search(r"\n  name-lengths: '(\d+):(\d+) .*:(\d+)'", text).groups()
    text = text.replace(f"name-lengths: '{first}:{count} ", f"name-lengths: '{first}:{int(count) + int(last)} ", 1)
    real.write_text(re.sub(r"(\n  name-lengths: '.*):\d+'", r"\1:1'", text))
    content = json.loads((made / "differences.json").read_text())
    content["libraries"][0]["differs"].pop("name-lengths", None)
    if distance:
        content["libraries"][0]["differs"]["name-lengths"] = [0, distance]
    (made / "differences.json").write_text(json.dumps(content))
    found = compare(real, made, "--told", status=state == "off")
    assert found.first("name-lengths") in ("equal", "within") and found.set["name-lengths"]["of"] == "buckets"
    assert found.set["name-lengths"]["state"] == state


def test_a_distribution_of_many_small_libraries(compare, programs, tmp_path):
    """Libraries with fewer than 200 functions are not judged. Where all have fewer, the sizes of the set's functions are
    told, and off where nothing tells of the set."""
    real, made = tmp_path / "real", tmp_path / "twin"
    real.mkdir()
    for library in range(4):
        source = tmp_path / f"{library}.c"
        source.write_text("".join(f"int f{library}_{n}(int i) {{ return i + {n}; }}\n" for n in range(90)))
        subprocess.run([tool("gcc"), "-O2", "-shared", "-fPIC", "-o", real / f"{library}.so", source], check=True)
    programs.run("pyelfprof", "-q", "-o", tmp_path / "real.prof", real)
    programs.run("pyelfgen", "-q", "--profile", tmp_path / "real.prof", "-o", made)
    text = (tmp_path / "real.prof").read_text()
    (tmp_path / "real.prof").write_text(re.sub(r"function-sizes: '\d+:", "function-sizes: '2000:", text, count=1))
    found = compare(tmp_path / "real.prof", made, "--told")
    assert found.set["function-sizes"]["state"] == "told"
    (made / "differences.json").unlink()
    assert compare(tmp_path / "real.prof", made, "--told", status=1).set["function-sizes"]["state"] == "off"


@pytest.mark.parametrize("of", [0, 1])
def test_what_is_told_wrongly(compare, twin, of):
    """A quantity is told only if both numbers in differences.json are those that are compared. Otherwise it is off."""
    real, made = twin
    path = made / "differences.json"
    content = json.loads(path.read_text())
    content["libraries"][1]["differs"]["share: constants"][of] += 1
    path.write_text(json.dumps(content))
    found = compare(real, made, *NUMBERS, "--told", status=1)
    assert found.set["share.constants"]["libraries"] == {"equal": 0, "within": 0, "told": 2, "off": 1}
    assert found.set["share.constants"]["state"] == "off" and found.json["summary"]["libraries-off"] == 1
    assert re.search(r"share.constants .*  off in 1, told in 2 of 3\n", found.printed)


def test_edges_that_are_told(programs, compare, tmp_path):
    """The library has no room for symbols of the one that it needs. The edge says so, with both numbers, and where the
    numbers are others it does not."""
    real, made = tmp_path / "real.prof", tmp_path / "set"
    real.write_text(
        "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 2, unreadable: 0}\nlibraries:\n"
        "- {kind: utility, text: 60000, data: 3000, functions: 30, dynamic: {functions: 30, undefined: 9, weak: 4,"
        " dynstr: 800}, plt: 5}\n"
        "- {kind: utility, text: 1846, data: 672, bss: 8, functions: 7, dynamic: {functions: 1, undefined: 94, weak: 4,"
        " dynstr: 359}, relocations: {relative: 3, glob-dat: 12, symbols: 12, pages: 2}, needed: '0:90', outside: 1}\n"
    )
    programs.run("pyelfgen", "--profile", real, "-o", made, "--quiet")
    written = made / "differences.json"
    text = written.read_text()
    assert re.search(r'"needed": \[ \[ 0, 90, 0 \] \]', text)
    for edge, state in (("0, 90, 0 ]", "told"), ("0, 90, 1 ]", "off"), ("0, 90 ]", "off")):
        written.write_text(text.replace("0, 90, 0 ]", edge))
        found = compare(real, made, "--told", status=None)
        assert [found.set[f"needed.{name}"]["state"] for name in ("symbols", "same-symbols")] == [state, state]


@pytest.mark.parametrize("text", ["{", "[]", '{"pyelfgen-differences": 1', "[" * 100])
def test_what_is_told_cannot_be_read(programs, twin, text):
    """If differences.json cannot be read, nothing is told, and the error names the file."""
    real, made = twin
    (made / "differences.json").write_text(text)
    done = programs.run("pyelfstat", "--compare", *NUMBERS, "--told", real, made, status=2)
    assert done.stderr.count("\n") == 1 and f"{made}/differences.json: " in done.stderr
    assert " told" not in done.stdout


@pytest.mark.parametrize("text", ["{}", '{"pyelfgen-differences": 1}', '{"pyelfgen-differences": 1, "libraries": [3, {}]}'])
def test_nothing_is_told(programs, twin, text):
    """A differences.json of another program, or one that lists nothing, is no error. Nothing is told then."""
    real, made = twin
    (made / "differences.json").write_text(text)
    done = programs.run("pyelfstat", "--compare", *NUMBERS, "--told", real, made, status=1)
    assert not done.stderr and " told" not in done.stdout


def test_what_is_told_of_a_pipe(programs, twin):
    real, made = twin
    (made / "differences.json").unlink()
    os.mkfifo(made / "differences.json")
    done = programs.run("pyelfstat", "--compare", *NUMBERS, "--told", real, made, status=2, timeout=20)
    assert "differences.json: is not a regular file" in done.stderr


@pytest.mark.parametrize("key", ["constructor-memory", "constructor-bss"])
def test_memory_of_constructors_is_of_those_that_were_loaded(compare, twin, key):
    """Only profiles of pyelfprof --load have these keys. Beside files, which have none, they are not compared."""
    real, made = twin
    text = real.read_text().replace("kind: utility", f"{key}: 65536, kind: utility", 1)
    real.write_text(text)
    found = compare(real, made, "--no-dwarf", status=1)
    assert found.json["summary"]["not-compared"] == ["zstd", "constructor-memory"]
    assert compare(real, real, "--no-dwarf").set[key]["twin"] == 65536
    (made.parent / "less.prof").write_text(text.replace("65536", "16384"))
    assert compare(real, made.parent / "less.prof", status=1).set[key]["state"] == "off"


def test_not_asked_for(compare, programs, small, tmp_path):
    """What one side was captured without (--no-dwarf) is not compared, and so does not differ."""
    profile = tmp_path / "small.prof"
    programs.run("pyelfprof", "--no-dwarf", "-o", profile, small)
    found = compare(profile, small)
    assert not [name for name in found.set if name.startswith(("dwarf.", "zstd.")) or name == "tags"]
    assert found.json["summary"]["not-compared"] == ["zstd", "dwarf"]
    assert "not compared, because the real does not say: zstd, dwarf\n" in found.printed
    # files without .debug_info have 0 entries, which is compared, also where they have other debug sections
    library(tmp_path / "bare", "a.so", "int f(int i) { return i; }")
    for options in [], ["--add-section", f".debug_gdb_scripts={profile}"]:
        subprocess.run([tool("objcopy"), *options, tmp_path / "bare" / "a.so"], check=True)
        found = compare(tmp_path / "bare", small, status=1)
        assert found.json["summary"]["not-compared"] == [] and found.set["dwarf.dies"]["real"] == 0
        assert found.set["tags"]["state"] == "off"


def rows(path, *texts, top=""):
    path.write_text(f"pyelfgen-profile: 1\n{top}libraries:\n" + "".join(f"- {{{text}}}\n" for text in texts))
    return path


def test_rows_that_do_not_say(compare, programs, tmp_path):
    """What a hand-written row leaves out is unknown, neither 0 nor the usual value. It is not compared."""
    real = rows(
        tmp_path / "real.prof",
        "kind: utility, text: 5, bss: 0, hash: sysv, local: {functions: 3, objects: 2}, needed: '1', outside: 3",
        "kind: utility, text: 5, bss: 0, debug: 7, local: {functions: 4}, outside: 1",
    )
    twin = rows(tmp_path / "twin.prof", "kind: utility, text: 5, bss: 0", "kind: utility, text: 6, debug: 7, local: {functions: 5}")
    found = compare(real, twin, status=1)
    assert found.json["summary"]["not-compared"] == ["local.objects", "needed", "outside", "hash"]
    numbers = {name: (q["real"], q["twin"]) for name, q in found.set.items()}
    # the sums are over the libraries for which both sides give the quantity
    assert numbers == {
        "libraries": (2, 2),
        "kind: utility": (2, 2),
        "text": (10, 11),
        "debug": (7, 7),
        "local.functions": (4, 5),
    }
    assert found.set["local.functions"]["libraries"] == {"equal": 0, "within": 0, "told": 0, "off": 1, "not-compared": 1}
    assert found.set["text"]["libraries"] == {"equal": 1, "within": 0, "told": 0, "off": 1}
    assert [one["states"].get("not-compared") for one in found.libraries] == [7, 1]
    assert [q["name"] for q in found.libraries[0]["quantities"]] == ["kind", "text"]
    assert "not compared, because the twin does not say: local.objects, needed, outside, hash\n" in found.printed
    assert re.search(r"local.functions .*\+25.00 %  off in 1 of 1  not compared in 1\n", found.printed)
    assert "\n1: 2 off, 0 within, 2 equal, 1 not compared\n" in found.printed
    assert compare(real, real).json["summary"]["not-compared"] == []
    page = programs.run("pyelfstat", "--compare", "--html", "-", real, twin, status=1).stdout
    assert "<p>Not compared, because the twin does not say: local.objects, needed, outside, hash.</p>" in page
    assert "<td>1 not compared</td>" in page and ", 7 not compared" in page


def test_edges_without_a_number(compare, tmp_path):
    """An edge of a hand-written row that gives no number of symbols carries an unknown number of them."""
    rest = ("kind: utility, functions: 20",) * 2
    unsaid, half, said = (
        rows(tmp_path / f"{name}.prof", f"kind: module, functions: 20, needed: '{needed}'", *rest)
        for name, needed in (("unsaid", "1 2"), ("half", "1:5 2"), ("said", "1:4 2:3"))
    )
    found = compare(unsaid, said)
    assert found.set["needed.libraries"]["state"] == found.set["needed.same-libraries"]["state"] == "equal"
    assert not [name for name in found.set if name.endswith("symbols")]
    assert found.json["summary"]["not-compared"] == ["needed.symbols"]
    for real, twin, differs in ((half, said, (5, 4)), (said, half, None), (half, unsaid, None), (unsaid, half, None)):
        assert compare(real, twin, status=int(bool(differs))).differing() == (
            {"needed.same-symbols": differs} if differs else {}
        )
    # in a captured profile such an edge carries no symbols
    captured = rows(tmp_path / "captured.prof", "kind: module, functions: 20, needed: '1 2'", *rest, top="captured: {}\n")
    assert compare(captured, said, status=1).set["needed.symbols"]["real"] == 0


def test_pictures_of_what_one_side_says(programs, small, tmp_path):
    """The pictures have no point for what a side does not give, and no bar of 0 %."""
    (tmp_path / "twin.prof").write_text("pyelfgen-profile: 1\nlibraries:\n- {kind: module, text: 50 kB}\n")
    found = check_page(programs.run("pyelfstat", "--compare", "--html", "-", small, tmp_path / "twin.prof", status=1).stdout)
    assert found.count("circle", "ring") == 1 and found.count("rect", "real") > 6 * 12
    assert found.count("rect", "twin") == 0 and found.count("path", "twin") == 0


def test_no_heading_without_pictures(programs, tmp_path):
    """A part of the page for which neither side has anything to show is not there."""
    real = rows(tmp_path / "sizes.prof", "kind: utility, text: 1000, bss: 8")
    page = programs.run("pyelfstat", "--compare", "--html", "-", real, real).stdout
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Sizes of each library", "The set", "Each library"]


def test_pictures_of_many(compare, programs, tmp_path):
    """100 libraries have no room for squares and rings. The pictures have a band and dots, and say what these are."""
    row = "kind: utility, text: {}, bss: 8"
    real = rows(tmp_path / "many.prof", *(row.format(1000 + i) for i in range(100)))
    found = check_page(programs.run("pyelfstat", "--compare", "--html", "-", real, real).stdout)
    assert found.text["text"].count("100 libraries, largest first; band: real, dots: twin") == 2
    assert found.count("circle", "dot") == 200 and found.count("path", "band") == 2


def test_names_beside_bars_have_room(programs, tmp_path):
    """The longest names of DWARF are not cut off at the left: a character takes up to 6.5 units of a picture."""
    tags = "GNU_template_parameter_pack:9 template_value_parameter:5 member:3"
    top = f"captured: {{}}\ndistributions: {{tags: '{tags}'}}\n"
    real = rows(tmp_path / "tags.prof", "kind: utility, text: 1000, bss: 8", top=top)
    page = programs.run("pyelfstat", "--compare", "--html", "-", real, real).stdout
    for name in (tag.split(":")[0] for tag in tags.split()):
        (place,) = re.findall(rf'<text x="([\d.]+)" y="[\d.]+" class="end">{name}</text>', page)
        assert float(place) >= 6.5 * len(name), name


def test_lines_of_the_largest_sizes(programs, tmp_path):
    """The lines for powers of ten stand above one another, also that of 10^20, which 64 bits do not hold."""
    sizes = [1, 2**64 - 1]
    real = rows(tmp_path / "large.prof", *(f"kind: utility, text: 100, data: {size}, bss: 8" for size in sizes))
    page = programs.run("pyelfstat", "--compare", "--html", "-", real, real).stdout
    (picture,) = re.findall(r'aria-label="data, bytes">(.*?)</svg>', page, flags=re.S)
    places = [float(y) for y in re.findall(r'class="grid" d="M\d+ ([\d.]+)H', picture)]
    assert len(places) > 2 and places == sorted(places, reverse=True)


def test_rows_that_do_not_say_and_files(compare, programs, small, tmp_path):
    """What a captured row leaves out is 0 or the usual value. What a hand-written row leaves out is unknown."""
    captured = tmp_path / "captured.prof"
    programs.run("pyelfprof", "-o", captured, small)
    text = captured.read_text()
    assert {q["state"] for q in compare(captured, small).json["set"]} == {"equal"}
    # without `captured` the rows count as hand-written
    captured.write_text(re.sub("^captured: .*\n", "", text, flags=re.M))
    found = compare(captured, small)
    silent = found.json["summary"]["not-compared"]
    assert {"hash", "bind", "relro", "page", "loads"} <= set(silent) and "global" in silent
    assert not {"text", "dynamic", "dwarf", "mix", "function-sizes"} & set(silent)
    assert found.json["summary"]["set"]["off"] == 0 and "hash: gnu" not in found.set
    # a row without `plt`, which every captured row has, counts as hand-written
    captured.write_text(re.sub(r", plt: \d+", "", text, count=1))
    found = compare(captured, small, status=None)
    assert found.set["plt"]["libraries"] == {"equal": 11, "within": 0, "told": 0, "off": 0, "not-compared": 1}
    assert found.set["hash: gnu"]["real"] == found.set["hash: gnu"]["twin"] == 11


def test_summary_that_does_not_say(compare, small, tmp_path):
    (tmp_path / "some.prof").write_text("pyelfgen-profile: 1\nmodules: 8\nsections: {text: 5 kB}\n")
    found = compare(tmp_path / "some.prof", small, status=1)
    assert set(found.set) == {"kind: module", "text"}
    assert found.json["summary"]["not-compared"] == ["kind: utility", "data", "bss", "debug", "symtab", "strtab"]


# ---- tables ----


@pytest.mark.parametrize("percent", ["5", "0.5", "12", "0"])
def test_headings_have_the_tolerance(compare, programs, application, percent):
    """The headings of the table and of the sums, and the page, have the tolerance as it was given."""
    real, twin = application("real"), application("twin", zeroed=4008)
    printed = compare(real, twin, "--no-dwarf", "--tolerance", percent, status=None).printed
    assert set(re.findall(r"within ([\d.]+) %", printed)) == {percent}
    assert (f"\nwithin {percent} % " in printed) == (percent != "0")
    page = programs.run("pyelfstat", "--compare", "--html", "-", "--tolerance", percent, real, real, "--no-dwarf").stdout
    assert f"differs by at most {percent} %" in page


def test_libraries_lists_all(compare, application):
    real = application("real")
    short = compare(real, application("twin", zeroed=8000), "--no-dwarf", status=1).printed
    full = compare(real, real.parent / "twin", "--no-dwarf", "--libraries", status=1).printed
    assert "\na.so:" not in short and "\na.so:" in full and "\nc.so:" in full
    assert full.count("share.code") == 4 and short.count("share.code") == 1


def test_json_alone(programs, application):
    real = application("real")
    done = programs.run("pyelfstat", "--compare", real, real, "--json", "-", "--no-dwarf")
    validate(json.loads(done.stdout))
    page = programs.run("pyelfstat", "--compare", real, real, "--html", "-", "--no-dwarf").stdout
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")


# ---- what goes wrong ----


@pytest.mark.parametrize(
    "arguments, says",
    [
        ([], "REAL and TWIN are needed, and 0 are given"),
        (["a"], "and 1 is given"),
        (["a", "b", "c"], "and 3 are given"),
        (["-", "-"], "standard input can be read once"),
        (["a", "b", "--tolerance", "many"], "--tolerance: 'many'"),
        (["a", "b", "--tolerance", "nan"], "--tolerance: 'nan'"),
        (["a", "b", "--tolerance", "-1"], "--tolerance: '-1'"),
        (["a", "b", "--match", "size"], "--match: 'size'"),
        (["a", "b", "--html", ""], "--html: which file"),
        (["a", "b", "--html", "x", "--json", "x"], "the same file"),
        (["a", "b", "--html", "x", "--json", "./x"], "the same file"),
        (["a", "b", "--runs"], "--runs"),
    ],
)
def test_wrong_command_line(programs, arguments, says):
    done = programs.run("pyelfstat", "--compare", *arguments, status=2)
    assert says in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""


def test_help(programs):
    helped = programs.run("pyelfstat", "--compare", "--help").stdout
    assert "--tolerance" in helped and max(map(len, helped.splitlines())) <= 80
    assert "--compare" in programs.run("pyelfstat", "--help").stdout
    assert programs.run("pyelfstat", "--comp", "--help").stdout == helped


def test_unreadable(programs, compare, application, tmp_path):
    real = application("real")
    shutil.copytree(real, tmp_path / "twin")
    (tmp_path / "twin" / "b.so").write_bytes((real / "b.so").read_bytes()[:2000])
    found = compare(real, tmp_path / "twin", "--no-dwarf", status=2)
    assert "twin/b.so: " in found.said and found.json["errors"][0]["file"].endswith("twin/b.so")
    assert found.json["summary"]["only-real"] == 1
    (tmp_path / "empty").mkdir()
    for wrong in ("none", "empty"):
        done = programs.run("pyelfstat", "--compare", real, tmp_path / wrong, status=2)
        assert wrong in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""


@pytest.mark.parametrize("text", ["", "nothing", "a: [", "pyelfgen-profile: 1\nlibraries: [" + "[" * 5000, "\0\0\0"])
def test_no_profile(programs, application, tmp_path, text):
    (tmp_path / "wrong.prof").write_text(text)
    done = programs.run("pyelfstat", "--compare", application("real"), tmp_path / "wrong.prof", status=2)
    assert "wrong.prof:" in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""


@pytest.mark.parametrize(
    "found, instead, said",
    [
        ("undefined:", "undefned:", "3: libraries: row 0 (line 3): dynamic: unknown key 'undefned'; the keys here are"),
        ("functions: 3,", "functons: 3,", "3: libraries: row 0 (line 3): unknown key 'functons'"),
        ("libraries:", "something: 5\nlibraries:", "2: unknown key 'something'"),
        ("libraries:", "captured: {form: files}\nlibraries:", "2: captured: unknown key 'form'"),
        ("plt: 5", "plt: 5, plt: 6", "3: plt: the key is already on line 3"),
        ("libraries:", "foo: " + 400_000 * "[" + 400_000 * "]" + "\nlibraries:", "2: unknown key 'foo'"),
        ("libraries:", "captured: " + 400_000 * "[" + 400_000 * "]" + "\nlibraries:", "2: captured: needs keys"),
        ("plt: 5", "plt: " + 400_000 * "[" + 400_000 * "]", "3: libraries: row 0 (line 3): plt: is a list or a mapping"),
    ],
    ids=["in a mapping", "in a row", "at the top", "captured", "twice", "deep", "deep in captured", "deep in a row"],
)
def test_keys_that_no_profile_has(programs, tmp_path, found, instead, said):
    """An unknown key is an error on either side, and no quantity of its own. Deep nesting behind it does no harm."""
    right = rows(tmp_path / "right.prof", "kind: module, functions: 3, dynamic: {undefined: 4}, plt: 5")
    wrong = tmp_path / "wrong.prof"
    wrong.write_text(right.read_text().replace(found, instead, 1))
    for sides in ((right, wrong), (wrong, right)):
        done = programs.run("pyelfstat", "--compare", *sides, status=2, timeout=20)
        assert f"wrong.prof:{said}" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("list_of", ["1*22", "3 2*20", "4*11 5*191"])
def test_no_quantiles(programs, application, tmp_path, list_of):
    """These lists are refused: one of a length that no profile has, one that descends, one that is too long."""
    row = f"- {{kind: module, text: 9000, data: 900, bss: 8, name-lengths: '{list_of}'}}"
    (tmp_path / "wrong.prof").write_text(f"pyelfgen-profile: 1\nlibraries:\n{row}\n")
    done = programs.run("pyelfstat", "--compare", application("real"), tmp_path / "wrong.prof", status=2)
    assert "name-lengths: is no list of quantiles that ascend (11, 21, 41 ... 201, or 51)" in done.stderr


def test_whole_or_not_at_all(programs, application, tmp_path):
    real = application("real")
    output = tmp_path / "output"
    output.mkdir()
    done = programs.run("pyelfstat", "--compare", real, real, "--html", output / "no" / "a.html", status=2)
    assert "cannot be written; choose another directory" in done.stderr
    done = programs.run("pyelfstat", "--compare", real, real, "--json", "/dev/full", status=2)
    assert "/dev/full: cannot be written: No space left" in done.stderr
    done = programs.run("pyelfstat", "--compare", real, real, "--json", next(real.glob("*.so")), status=2)
    assert "is a library or program, which no result replaces; give another name" in done.stderr
    (tmp_path / "x.prof").write_text("pyelfgen-profile: 1\n")
    done = programs.run("pyelfstat", "--compare", tmp_path / "x.prof", real, "--json", tmp_path / "x.prof", status=2)
    assert "x.prof: is what is compared; give another name" in done.stderr
    (tmp_path / "app.prof").write_text("# kept\npyelfgen-profile: 1\n")
    done = programs.run("pyelfstat", "--compare", "--json", tmp_path / "app.prof", real, real, status=2)
    assert "app.prof: is a profile, which no result replaces; give another name" in done.stderr
    done = programs.run("pyelfstat", "--json", "--compare", real, real, status=2)
    assert "--json needs a FILE, and '--compare' is an option" in done.stderr
    (output / "a.html").write_text("before")
    programs.run("pyelfstat", "--compare", real, tmp_path / "none", "--html", output / "a.html", status=2)
    assert (output / "a.html").read_text() == "before"
    programs.run("pyelfstat", "--compare", real, real, "--html", output / "a.html")
    assert sorted(file.name for file in output.iterdir()) == ["a.html"]
    assert (output / "a.html").read_text() != "before"


def test_full_disk(programs, application, file_system):
    real = application("real")
    directory = file_system("16k")
    done = programs.run("pyelfstat", "--compare", real, real, "--html", directory / "a.html", status=2)
    assert "No space left" in done.stderr and list(directory.iterdir()) == []


# ---- the page ----


class Page(html.parser.HTMLParser):
    """The elements of a page with their attributes, and its texts. Every element must end in its place."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.elements = []
        self.text = collections.defaultdict(list)
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes), (tag, attributes)
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert "svg" in self.open, tag
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text[self.open[-1] if self.open else ""].append(data)

    def count(self, tag, name=None):
        names = [attributes.get("class", "").split() for found, attributes in self.elements if found == tag]
        return sum(name is None or name in of for of in names)


def check_page(text):
    """The page loads nothing from outside and runs no script. Returns what is on it."""
    page = Page(text)
    assert not re.search(r"(https?:)?//[a-z]", re.sub(r"<t(itle|d|h)[^>]*>[^<]*", "", text)), "an address"
    assert "url(" not in text and "@import" not in text and "javascript:" not in text
    for tag, attributes in page.elements:
        assert tag not in {"script", "img", "link", "iframe", "object", "embed", "base", "form", "foreignobject", "use"}
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "href", "xlink:href", "style")]
    return page


@pytest.fixture
def page(programs, tmp_path):
    def make(real, twin, *options, status=None):
        path = tmp_path / "page.html"
        programs.run("pyelfstat", "--compare", "--html", path, *options, real, twin, status=status)
        return path

    return make


def test_page(page, small, programs, tmp_path):
    programs.run("pyelfgen", "--profile", SMALL, "--seed", 7, "-o", tmp_path / "twin", "-q")
    path = page(small, tmp_path / "twin", status=1)
    found = check_page(path.read_text())
    libraries = 12
    # pictures: six of sizes; two of each distribution and degree, one of them cumulated; five of shares
    assert found.count("svg") == 6 + 2 * 4 + 5
    assert found.count("rect", "real") >= 6 * libraries and found.count("circle", "ring") == 6 * libraries
    assert found.count("path", "curve") == 2 * 8
    shares = [text for text in found.text["title"] if text.startswith("real: info ")]
    assert len(shares) == 1 and re.fullmatch(r"real: info [\d.]+M, \d+\.\d+ %", shares[0])
    assert "bss" in found.text["th"] and "libmodule7.so" in found.text["span"]
    assert "prefers-color-scheme: dark" in path.read_text()
    numbers = [float(n) for _, of in found.elements for n in re.findall(r"-?\d+\.?\d*", of.get("d", ""))]
    assert numbers and all(-1 <= n <= 421 for n in numbers)
    assert "nan" not in " ".join(of.get("d", "") + of.get("y", "") for _, of in found.elements)


def labels(found):
    """[(height, [attributes of a label, ...]), ...] of the pictures."""
    pictures = []
    for name, of in found.elements:
        if name == "svg":
            pictures.append((float(of["viewbox"].split()[3]), []))
        elif name == "text":
            pictures[-1][1].append(of)
    return pictures


def test_labels_of_pictures(page, programs, small, tmp_path):
    """No label is cut off by the picture's edge or overlaps another, and the axes say what they show."""
    programs.run("pyelfgen", "--profile", SMALL, "--seed", 7, "-o", tmp_path / "twin", "-q")
    found = check_page(page(small, tmp_path / "twin", status=1).read_text())
    for height, texts in labels(found):
        assert texts and all(9 <= float(of["y"]) <= height - 5 for of in texts)
        ticks = sorted(float(of["x"]) for of in texts if of.get("class") == "middle")
        assert all(b - a >= 28 for a, b in zip(ticks, ticks[1:]))
        # the labels at the right edge: unit and distance
        ends = sorted(float(of["y"]) for of in texts if of.get("class") == "end" and float(of["x"]) > 400)
        assert all(b - a >= 13 for a, b in zip(ends, ends[1:]))
    captions = found.text["figcaption"]
    assert "Sizes of functions, % of functions" in captions and "Lengths of names, cumulated, % of names" in captions
    assert "12 libraries, largest first" in found.text["text"]
    assert [text for text in found.text["text"] if re.fullmatch(r"at most 0\.\d{3} apart", text)]
    assert {"0 %", "50 %", "100 %"} <= set(found.text["text"]) and found.text["th"].count("relative") > 1


def test_page_of_hostile_names(page, application, tmp_path):
    real = application(HOSTILE.replace(".so", ""))
    (real / "b.so").rename(real / HOSTILE)
    (real / "c.so").rename(real / "\x1b[31m\udcff\u009b.so")
    shutil.copytree(real, tmp_path / "twin")
    os.truncate(tmp_path / "twin" / "a.so", 1000)
    found = check_page(page(real, tmp_path / "twin", "--no-dwarf").read_text())
    assert HOSTILE in found.text["span"]
    assert any(HOSTILE in text for text in found.text["title"])
    assert any(HOSTILE.replace(".so", "") in text for text in found.text["li"])
    assert "?[31m??.so" in found.text["span"]
    assert any("a.so" in text for text in found.text["p"])


def test_page_of_hostile_profile(page, tmp_path):
    """The page escapes words of a profile as it escapes names, because a profile may hold any text."""
    (tmp_path / "evil.prof").write_text(
        "pyelfgen-profile: 1\ndistributions: {tags: '<b>x</b>:5 others:0', forms: '\"><i>:1'}\n"
        "libraries:\n- {kind: module, name: '</td><script>', text: 5, hash: '<u>', mix: {info: 7}}\n"
    )
    found = check_page(page(tmp_path / "evil.prof", tmp_path / "evil.prof").read_text())
    assert "</td><script>" in found.text["span"] and "hash: <u>" in found.text["th"]
    assert any("<b>x</b>" in text for text in found.text["title"])


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip("chromium is not installed")
    directory = tmp_path_factory.mktemp("browser")

    def run(path, *options):
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={directory}"]
        done = subprocess.run([*command, *options, path.as_uri()], capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.slow
def test_page_in_browser(page, browser, programs, small, tmp_path):
    """A browser finds the same elements in the page as the parser here. Its pictures in light and in dark differ."""
    path = page(small, small, status=0)
    wanted, found = check_page(path.read_text()), Page(browser(path, "--dump-dom"))
    for tag, name in (("svg", None), ("rect", "real"), ("circle", "ring"), ("path", "curve"), ("table", None)):
        assert found.count(tag, name) == wanted.count(tag, name) > 0, tag
    pictures = []
    for scheme in (0, 1):
        picture = tmp_path / f"{scheme}.png"
        browser(path, f"--blink-settings=preferredColorScheme={scheme}", "--window-size=1200,2400", f"--screenshot={picture}")
        pictures.append(picture.read_bytes())
    assert all(picture.startswith(b"\x89PNG") and len(picture) > 50_000 for picture in pictures)
    assert pictures[0] != pictures[1]
