"""A set's sources have on each line what its debug information says there, by llvm-dwarfdump, gdb and gcc."""

import collections
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import SOURCE
from objects import ask, each, functions, tool
from sets import PLAIN, SECTIONS, SMALL, libraries_of, manifest_of, mostly_long, profile_text, variant_text

PYTHON = "/usr/bin/python3"
DIRECTORY = "/usr/src/application"
MARK = "/* pyelfgen's: "

# {name of a type as llvm-dwarfdump prints it: as the sources have it}
TYPES = {"long int": "long", "long unsigned int": "unsigned long", "short int": "short"}

# Profiles of small sets whose debug information differs in kind.
PROFILES = {
    "small": SMALL.read_text(),
    "shipped-small": (SOURCE / "profiles" / "small.prof").read_text(),
    "plain": variant_text("odd"),
    "version-4": profile_text(**PLAIN, dwarf={"version": 4}),
    "itanium": variant_text("itanium"),
    "little": profile_text(**{**PLAIN, "modules": 1, "utilities": 1, "sections": {**SECTIONS, "debug": 110_000}}),
    "separate": profile_text(**PLAIN, dwarf={"separate": "debuglink"}),
    "compressed": profile_text(**PLAIN, dwarf={"compress": "zlib"}),
    "units-of-one": variant_text("units-of-one"),
    "bare": variant_text("bare"),
}


@pytest.fixture(scope="module")
def listed(programs, tmp_path_factory):
    """get(name) generates the set of a profile in PROFILES with its sources, once."""
    directory = tmp_path_factory.mktemp("listed")
    made = {}

    def get(name):
        if name not in made:
            profile = directory / f"{name}.prof"
            profile.write_text(PROFILES[name])
            made[name] = directory / name
            programs.run("pyelfgen", "--profile", profile, "-o", made[name], "--sources", "-q")
        return made[name]

    return get


class Files:
    """The lines of a set's sources, by the paths that debug information gives."""

    def __init__(self, directory):
        self.directory = directory / "sources"
        self.lines = {}

    def line(self, path, number):
        path = os.path.relpath(path, DIRECTORY) if path.startswith("/") else path
        if path not in self.lines:
            self.lines[path] = (self.directory / path).read_text().split("\n")
        lines = self.lines[path]
        return lines[number - 1] if number <= len(lines) else ""


def debug_of(library):
    beside = library.with_name(library.name + ".debug")
    return beside if beside.exists() else library


def rows(library):
    """{(path, line)} of all rows of the line tables."""
    found = set()
    names, directories = {}, {}
    first = 0
    for text in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-line", debug_of(library)).splitlines():
        row = re.match(r"0x[0-9a-f]{16} +(\d+) +\d+ +(\d+) ", text)
        if row:
            if not text.rstrip().endswith("end_sequence"):
                directory = directories[names[int(row[2])][1]]
                name = names[int(row[2])][0]
                found.add((name if directory in ("", DIRECTORY) else f"{directory}/{name}", int(row[1])))
        elif text.startswith("debug_line["):
            names, directories = {}, {0: ""}
        elif match := re.match(r'include_directories\[ *(\d+)\] = "(.*)"', text):
            directories[int(match[1])] = match[2]
        elif match := re.match(r"file_names\[ *(\d+)\]:", text):
            first = int(match[1])
        elif match := re.match(r' *name: "(.*)"', text):
            names[first] = (match[1], 0)
        elif match := re.match(r" *dir_index: (\d+)", text):
            names[first] = (names[first][0], int(match[1]))
    return found


def entries(library):
    """Yields the entries of the debug information: (tag, {attribute: text}, tags of the entries around it)."""
    tag, attributes, around = None, {}, []
    for text in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-info", debug_of(library)).splitlines():
        begin = re.match(r"0x[0-9a-f]{8}: ( *)(?:DW_TAG_(\w+)|NULL)", text)
        if begin:
            if tag:
                yield tag, attributes, tuple(around)
            depth = len(begin[1]) // 2
            around = [*around[:depth], tag] if tag and depth > len(around) else around[:depth]
            tag, attributes = begin[2], {}
        elif tag and (match := re.match(r"\s+DW_AT_(\w+)\s+\((.*?)\)?$", text)):
            attributes[match[1]] = match[2]
    if tag:
        yield tag, attributes, tuple(around)


def quoted(text):
    return re.search(r'"(.*)"', text)[1]


def has_word(line, word):
    return re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", line) is not None


def check_declarations(directory, library):
    """Asserts that the line of each declaration and inlined call has its name; returns the number of each tag."""
    files = Files(directory)
    seen = collections.Counter()
    wrong = []
    for tag, attributes, around in entries(library):
        if "decl_line" in attributes and "name" in attributes:
            name, line = quoted(attributes["name"]), int(attributes["decl_line"])
            path = quoted(attributes["decl_file"])
            if tag == "variable" and "declaration" in attributes and not path.endswith((".c", ".cpp")):
                if line >= 65000:  # only this library declares it, in a header that others have too
                    continue
            seen[tag] += 1
            text = files.line(path, line)
            if not has_word(text, name.split("<")[0]):
                wrong.append((tag, name, path, line, text))
            elif tag in ("formal_parameter", "variable") and path.endswith(".c"):
                type_name = quoted(attributes["type"])
                array = re.fullmatch(r"(.*)\[\d+\]", type_name)
                type_name = TYPES.get(array[1] if array else type_name, array[1] if array else type_name)
                if f"{type_name} {name}{'[' if array else ''}".replace("* ", "*") not in text:
                    wrong.append((tag, type_name, name, path, line, text))
        if tag == "inlined_subroutine":
            name, line = quoted(attributes["abstract_origin"]), int(attributes["call_line"])
            seen[tag] += 1
            if f"{name}(" not in files.line(quoted(attributes["call_file"]), line):
                wrong.append((tag, name, attributes["call_file"], line))
    assert wrong[:5] == []
    return seen


def check_rows(directory, library):
    files = Files(directory)
    found = rows(library)
    assert [(path, line) for path, line in sorted(found) if not files.line(path, line).strip()][:5] == []
    return found


# --- every variant -------------------------------------------------------------------


@pytest.mark.alike(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_long([name for name in PROFILES if name not in ("bare", "shipped-small")], "plain", "version-4", "itanium"))
def test_lines_of_variants(name, listed):
    directory = listed(name)
    for library in ("libmodule0.so", "libutility0.so"):
        assert len(check_rows(directory, directory / library)) > 50
        seen = check_declarations(directory, directory / library)
        assert seen["subprogram"] > 10 and seen["formal_parameter"] > 10


def test_where_little_is_told_one_line_has_it_all(listed):
    text = (listed("little") / "sources" / "libmodule0.c").read_text()
    assert re.search(r"\n    libmodule0_visits\[10\] = 1;\n    return 0x[0-9a-f]+UL( \+ .*)?;\n}\n", text)


def test_without_debug_information_there_are_only_headers(listed):
    assert [path.name for path in (listed("bare") / "sources").iterdir()] == ["include"]


def test_units_and_headers_have_files(listed):
    """There is one file for each unit's source and for each header that a line table names."""
    directory = listed("small")
    names = {path for library in directory.glob("*.so") for path, _ in rows(library)}
    there = {str(path.relative_to(directory / "sources")) for path in (directory / "sources").rglob("*.*")}
    assert {name for name in names if name.endswith(".c")} == {name for name in there if name.endswith(".c")}
    assert {name for name in names if name.endswith(".h")} <= there
    assert all((directory / "sources" / name).read_text().startswith(MARK) for name in there)


# --- small --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("library", ["libmodule3.so", "libutility2.so", "libmodulebegin.so"])
def test_names_are_on_their_lines(library, listed):
    directory = listed("small")
    seen = check_declarations(directory, directory / library)
    if "begin" not in library:
        assert all(seen[tag] > 100 for tag in ("subprogram", "formal_parameter", "variable", "member", "typedef"))
        assert seen["inlined_subroutine"] > 80 and seen["structure_type"] > 100


def test_every_row_has_a_line(listed):
    directory = listed("small")
    each(lambda library: check_rows(directory, library), sorted(directory.glob("*.so")))


def test_gdb_lists_every_function(listed):
    directory = listed("small")
    library = directory / "libmodule3.so"
    names = [name for name, _ in functions(library)]
    names += [f"libmodule3_{rest}" for rest in ("entry", "extern", "method", "visited", "helper0", "helper3")]
    commands = [part for name in names for part in ("-ex", f"echo @@{name}\\n", "-ex", f"list {name},+1")]
    out = ask(tool("gdb"), "-nx", "-batch", "-d", directory / "sources", *commands, library)
    for shown in out.split("@@")[1:]:
        name, definition, body = shown.split("\n")[:3]
        assert re.match(rf"\d+\t(static )?(unsigned long |void \*){name}\(.*\) {{$", definition), shown
        assert re.match(r"\d+\t    \S", body)


def test_gdb_lists_a_header_from_either_setting(listed):
    """gdb lists an inlined function of a header, with the sources' directory (-d) or with a substituted path."""
    directory = listed("small")
    library = directory / "libmodule3.so"
    found = (attributes for tag, attributes, _ in entries(library) if tag == "subprogram" and "inline" in attributes)
    inlined = next(found)
    name, line = quoted(inlined["name"]), int(inlined["decl_line"])
    place = f"{os.path.basename(quoted(inlined['decl_file']))}:{line}"
    for setting in (["-d", directory / "sources"], ["-iex", f"set substitute-path {DIRECTORY} {directory}/sources"]):
        out = ask(tool("gdb"), "-nx", "-batch", *setting, "-ex", f"list {place}", library)
        assert f"\n{line}\tstatic inline unsigned long {name}(" in out, out


@pytest.mark.slow
def test_gdb_shows_the_line_of_a_stop(listed, programs):
    directory = listed("small")
    script = "import sys; sys.path.insert(0, sys.argv[1]); import libmodule3; libmodule3.libmodule3_entry()"
    name = functions(directory / "libmodule3.so")[15][0]
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null", "-d", directory / "sources"]
    command += ["-ex", "set breakpoint pending on", "-ex", f"break {name}", "-ex", "run"]
    for _ in range(12):
        command += ["-ex", "echo @@", "-ex", "frame", "-ex", "step"]
    command += ["--args", PYTHON, "-I", "-c", script, directory]
    done = programs.command(command, leaks=False, timeout=120)
    files = Files(directory)
    stops = re.findall(r"^@@#0.* at (\S+):(\d+)\n\2\t(.*)$", done.stdout, flags=re.M)
    assert len(stops) == 12
    for path, line, text in stops:
        assert text.strip() and files.line(path, int(line)) == text


@pytest.mark.slow
def test_gcc_takes_the_sources(listed):
    """gcc compiles nearly all sources. It may refuse two files, because a block may give one name to two things."""
    directory = listed("shipped-small") / "sources"
    paths = sorted(directory.glob("libmodule3*.c")) + sorted(directory.glob("libutility1*.c"))
    compiler = tool("gcc")

    def complaints(path):
        done = subprocess.run([compiler, "-std=gnu17", "-w", "-fsyntax-only", path], capture_output=True, text=True)
        return done.returncode

    assert len(paths) > 30 and sum(each(complaints, paths)) <= 2


# --- the directory -----------------------------------------------------------------------------


@pytest.fixture
def generate(programs, tmp_path):
    def run(*arguments, output="set", status=0):
        profile = tmp_path / "a.prof"
        profile.write_text(PROFILES["separate"])
        return programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / output, "-q", *arguments, status=status)

    return run


def sources_of(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_any_number_of_threads_writes_the_same(generate, tmp_path):
    generate("--sources", "-j1", output="one")
    generate("--sources", "-j2", output="two")
    assert sources_of(tmp_path / "one") == sources_of(tmp_path / "two")
    assert len(sources_of(tmp_path / "one" / "sources")) > 20


def test_libraries_are_the_same_without(generate, tmp_path):
    generate("--sources", output="with")
    generate(output="without")
    with_sources = sources_of(tmp_path / "with")
    names = [name for name in with_sources if name.parts[0] != "sources"]
    assert {name: with_sources[name] for name in names if name.name != "manifest.json"} == {
        name: text for name, text in sources_of(tmp_path / "without").items() if name.name != "manifest.json"
    }
    assert manifest_of(tmp_path / "with")["sources"] is True and "sources" not in manifest_of(tmp_path / "without")
    assert libraries_of(tmp_path / "with") == libraries_of(tmp_path / "without")


def test_verify_takes_no_notice(generate, programs, tmp_path):
    generate("--sources")
    programs.run("pyelfgen", "--verify", tmp_path / "set", "-q")
    shutil.rmtree(tmp_path / "set" / "sources")
    programs.run("pyelfgen", "--verify", tmp_path / "set", "-q")


@pytest.mark.slow
def test_older_sources_go(generate, tmp_path):
    generate("--sources")
    sources = tmp_path / "set" / "sources"
    (sources / "libmodule0_99.c").write_text(MARK + "older */\n")
    (sources / ".libmodule0.c.tmp").write_text("half")
    (sources / "include" / "older.h").write_text(MARK + "older */\n")
    (sources / "mine.c").write_text("int mine;\n")
    before = sources_of(sources)
    generate("--sources", "--force")
    after = sources_of(sources)
    gone = {str(path) for path in before.keys() - after.keys()}
    assert gone == {"libmodule0_99.c", ".libmodule0.c.tmp", "include/older.h"}
    generate("--force")
    assert list(sources_of(sources)) == [(sources / "mine.c").relative_to(sources)]
    (sources / "mine.c").unlink()
    generate("--force")
    assert not sources.exists()


def test_emptied_sources_go(generate, tmp_path):
    """A source that was emptied shows by its name that it is of a set; others' empty files stay."""
    generate("--sources")
    sources = tmp_path / "set" / "sources"
    for name in ["libmodule0.c", "include/" + min(os.listdir(sources / "include"))]:
        (sources / name).write_text("")
    (sources / "include" / "mine.h").write_text("")
    generate("--force")
    assert [str(path) for path in sources_of(sources)] == ["include/mine.h"]


@pytest.mark.parametrize("name", ["mine.c", "notes.txt", "include/mine.h", "other/x.c"])
def test_foreign_files_are_left(name, generate, tmp_path):
    path = tmp_path / "set" / "sources" / name
    path.parent.mkdir(parents=True)
    path.write_text("int mine;\n")
    done = generate("--sources", status=2)
    shown = "other" if name.startswith("other") else name
    assert f"the directory holds 'sources/{shown}', which is not of a set; " in done.stderr
    assert path.read_text() == "int mine;\n"


def test_foreign_header_changes_nothing(generate, tmp_path):
    """Headers of another seed have other names. One of them is somebody's: the others are not written."""
    generate("--sources", "--seed=7", output="other")
    generate("--sources")
    for name in sorted(os.listdir(tmp_path / "other" / "sources" / "include"))[:3]:
        mine = tmp_path / "set" / "sources" / "include" / name
        mine.write_text("int mine;\n")
        before = sources_of(tmp_path / "set")
        done = generate("--sources", "--seed=7", "--force", status=2)
        assert done.stderr == (
            f"pyelfgen: {mine}: is not of a set, but has the name of one of its headers; remove it\n"
        )
        after = sources_of(tmp_path / "set")
        assert [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)] == []
        mine.unlink()


def test_an_interrupted_run_is_gone_over(generate, tmp_path):
    generate("--sources")
    (tmp_path / "set" / "manifest.json").unlink()
    generate("--sources")
    assert json.loads((tmp_path / "set" / "manifest.json").read_text())["sources"]


def test_directory_that_is_in_the_way(generate, tmp_path):
    generate("--sources")
    shutil.rmtree(tmp_path / "set" / "sources")
    (tmp_path / "set" / "sources").write_text("a file")
    assert "/sources: cannot make the directory" in generate("--sources", "--force", status=1).stderr
