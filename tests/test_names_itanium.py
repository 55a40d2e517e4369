"""Mangled names: what demanglers make of them, what a compiler would have called the functions, and how long they are.
"""

import json
import random
import re
import subprocess

import pytest

import model
from objects import ask, counted_libraries, demangled, each, functions, sums, tool
from sets import SECTIONS, libraries_of, manifest_of, mostly_long, profile_text
from test_sizes_exact import MB, a_profile_by_chance, exact

# test_python.py generates and runs such sets under the sanitizers. The programs that read them here are not ours.
pytestmark = pytest.mark.slow

ITANIUM = {"style": "itanium"}
SYSTEM = "/usr/bin/python3"
PLAIN = r"(?P<library>lib(?:module|utility)\d+)::(?P<cls>[A-Z][A-Za-z]*(?P<number>\d+))::(?P<method>[a-z]+_[a-z]+)"
TEMPLATE = r"unsigned long " + PLAIN + r"<(?P<type>int|long|double|char), (?P<integer>1?\d)>"
PARAMETERS = r"\((?P<parameters>[a-z *,]*)\)"


def names_of(directory):
    """Returns {library: the names of its numbered functions, in their order}."""
    paths = counted_libraries(directory)
    return dict(zip(paths, each(lambda path: [name for name, _ in functions(path)], paths)))


def average(directory):
    lengths = [len(name) for names in names_of(directory).values() for name in names]
    return sum(lengths) / len(lengths)


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    """Makes a set that only this module uses."""

    def make(name, **keys):
        directory = tmp_path_factory.mktemp(name)
        (directory / "a.prof").write_text(profile_text(**keys))
        programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / "set", "-q", timeout=120)
        return directory / "set"

    return make


@pytest.mark.parametrize("program", [("c++filt",), ("llvm-cxxfilt-14", "llvm-cxxfilt")], ids=["binutils", "llvm"])
@pytest.mark.parametrize("variant", ["itanium", "itanium-natural"])
def test_every_name_demangles(program, variant, sets):
    directory = sets.get(variant)
    expected = model.Model(directory)
    for path, names in names_of(directory).items():
        assert len(names) == expected_count(directory, path)
        types = [function.types for function in expected.libraries[path.stem].functions]
        for index, text in enumerate(demangled(names, *program)):
            found = re.fullmatch(PLAIN + PARAMETERS, text) or re.fullmatch(TEMPLATE + PARAMETERS, text)
            assert found, text
            assert found["library"] == path.stem and int(found["number"]) == index // 8
            assert found["parameters"] == ", ".join(types[index]).replace("const char *", "char const*")


def expected_count(directory, path):
    return next(row["functions"] for row in libraries_of(directory) if row["name"] == path.name)


def test_classes_have_eight_methods(sets):
    for names in names_of(sets.get("itanium")).values():
        texts = [re.search(PLAIN, text) for text in demangled(names)]
        classes = [found["cls"] for found in texts]
        for first in range(0, len(names), 8):
            assert len(set(classes[first : first + 8])) == 1
            assert len({found["method"] for found in texts[first : first + 8]}) == len(texts[first : first + 8])
        assert len(set(classes)) == (len(names) + 7) // 8


def test_one_in_six_is_a_template(sets):
    names = [name for part in names_of(sets.get("itanium")).values() for name in part]
    assert 1 / 8 < sum("EEEm" in name for name in names) / len(names) < 1 / 5
    assert {match[1] for match in re.finditer(r"I([a-z])Li\d+EEEm", " ".join(names))} == set("ildc")


def test_names_are_different(sets):
    for variant in ["itanium", "itanium-natural"]:
        names = [name for part in names_of(sets.get(variant)).values() for name in part]
        assert len(set(names)) == len(names) == manifest_of(sets.get(variant))["functions"]


def test_a_compiler_gives_the_same_names(sets, tmp_path):
    """The names are demangled, declared in C++ and compiled. The compiler mangles them to the same names."""
    names = next(iter(names_of(sets.get("itanium-natural")).values()))
    classes = {}
    definitions = []
    for text in demangled(names):
        found = re.fullmatch(PLAIN + PARAMETERS, text) or re.fullmatch(TEMPLATE + PARAMETERS, text)
        member = f"{found['method']}({found['parameters']})"
        if "type" in found.groupdict():
            arguments = f"<{found['type']}, {found['integer']}>"
            member_of = f"template<class T, int N> static unsigned long {member} {{ return N; }}"
            instance = f"{found['cls']}::{found['method']}{arguments}({found['parameters']})"
            definitions.append(f"template unsigned long {instance};")
        else:
            member_of = f"static unsigned long {member};"
            definitions.append(f"unsigned long {found['cls']}::{member} {{ return 1; }}")
        classes.setdefault(found["cls"], []).append(member_of)
    declared = "\n".join(f"struct {name} {{ {' '.join(members)} }};" for name, members in classes.items())
    source = tmp_path / "names.cc"
    source.write_text(f"namespace {found['library']} {{\n{declared}\n" + "\n".join(definitions) + "\n}\n")
    ask(tool("g++", "c++"), "-c", "-o", tmp_path / "names.o", source)
    symbols = ask("nm", "--defined-only", tmp_path / "names.o").split()[2::3]
    assert sorted(symbols) == sorted(names)


def test_imports_are_names_of_functions(sets):
    directory = sets.get("itanium")
    defined = {name for part in names_of(directory).values() for name in part}
    wanted = set(re.findall(r" U (_ZN\S+)", ask("nm", "-D", *directory.glob("*.so"))))
    assert wanted and wanted <= defined


def test_other_names_stay(sets):
    names = ask("nm", "-D", "--defined-only", sets.get("itanium") / "libmodule2.so").split()[2::3]
    others = {name for name in names if not name.startswith("_ZN10libmodule2")}
    assert others == {"libmodule2_entry", "libmodule2_extern", "PyInit_libmodule2", "libmodule2_visits"}


# --- lengths -------------------------------------------------------------------------


@pytest.mark.parametrize("length", [50, 60, 75, 100, 200, 1000, 4096])
def test_average_is_met(length, made):
    names = {**ITANIUM, "length": length}
    directory = made(f"length-{length}", modules=3, utilities=2, functions=300, names=names)
    assert length - 1 < average(directory) <= length
    lengths = {len(name) for part in names_of(directory).values() for name in part}
    assert len(lengths) > 15


def test_shortest_where_shorter_is_wanted(made):
    short = average(made("short", modules=2, functions=300, names={**ITANIUM, "length": 20}))
    assert 35 < short < 45
    assert average(made("shorter", modules=2, functions=300, names={**ITANIUM, "length": 1})) == short


@pytest.mark.parametrize("strtab", [250_000, 400_000, 700_000, 1_500_000])
def test_strtab_decides(strtab, made):
    """The names of functions and imports are as long as .strtab has room for. Little is left for names of objects."""
    sections = {"text": 4 * MB, "data": 300_000, "debug": 6 * MB, "symtab": 120_000, "strtab": strtab}
    directory = made(f"strtab-{strtab}", modules=4, utilities=2, sections=sections, names=ITANIUM)
    assert sums(directory).items() >= exact(sections).items()
    rows = [ask("nm", path).splitlines() for path in counted_libraries(directory)]
    objects = [row.split()[-1] for part in rows for row in part if "_var" in row]
    left = sum(len(re.search(r"_var(.*)", name)[1]) for name in objects)
    assert objects and left < 0.01 * strtab


# --- sets ------------------------------------------------------------------------------


def test_pad_is_refused(programs, tmp_path):
    (tmp_path / "a.prof").write_text(profile_text(modules=1, functions=3, names={**ITANIUM, "pad": 3}))
    done = programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "--dry-run", status=1)
    assert done.stdout == ""
    said = "names: pad: goes with 'style: pynamic' only; use 'length', or remove it"
    assert done.stderr == f"pyelfgen: {tmp_path}/a.prof:4: {said}\n"


def test_the_same_bytes_on_any_threads(programs, tmp_path):
    (tmp_path / "a.prof").write_text(profile_text(modules=5, utilities=3, sections=SECTIONS, names=ITANIUM))
    for name, threads in [("one", 1), ("three", 3)]:
        programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / name, "-q", f"--jobs={threads}")
    assert subprocess.run(["diff", "-r", tmp_path / "one", tmp_path / "three"], capture_output=True).returncode == 0


def test_pyelfstat_compares(programs, sets):
    found = json.loads(programs.run("pyelfstat", "--json", sets.get("itanium")).stdout)["sets"][0]
    assert all(found["difference"][size] == 0 for size in ["text", "data", "debug", "strtab"])


def an_itanium_profile_by_chance(seed):
    keys = a_profile_by_chance(seed)
    chance = random.Random(f"itanium {seed}")
    keys["names"] = dict(ITANIUM)
    kind = chance.choice(["sizes", "sizes", "length", "counts"])
    if kind != "sizes":
        keys["names"]["length"] = int(2 ** chance.uniform(4, 9))
    if kind == "counts":
        del keys["sections"]
        keys["functions"] = int(2 ** chance.uniform(0, 9))
        keys["utility-functions"] = int(2 ** chance.uniform(0, 9))
    return keys


@pytest.mark.parametrize("seed", mostly_long(range(16), *range(6)))
def test_exact_or_refused(seed, programs, tmp_path):
    keys = an_itanium_profile_by_chance(seed)
    wanted = keys.get("sections")
    profile = tmp_path / "a.prof"
    profile.write_text(profile_text(**keys))
    done = programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "-q", status=None, timeout=120)
    if done.returncode != 0:
        key = r"(sections: (text|data|debug|symtab|strtab)|utility-functions|names: length|calls: utility)"
        assert done.returncode == 1
        assert re.fullmatch(rf"pyelfgen: [^\n]*\b{key}\b[^\n]*\n", done.stderr), done.stderr
        assert not (tmp_path / "set").exists()
        return
    if wanted:
        assert sums(tmp_path / "set").items() >= exact(wanted).items()
    lint = tool("eu-elflint")
    for path in (tmp_path / "set").glob("*.so"):
        assert ask(lint, "--gnu-ld", "--strict", path) == "No errors\n"
    names = [name for part in names_of(tmp_path / "set").values() for name in part]
    assert len(set(names)) == len(names)
    visited = programs.command([SYSTEM, tmp_path / "set" / "driver.py", "--no-mpi"], leaks=False, timeout=60)
    assert "every result right" in visited.stdout


def test_an_interface_in_c_of_a_library_in_cpp(programs, tmp_path):
    """Its twin exports no mangled names either, and who imports from it imports as many functions. Of the local names
    many are mangled."""
    hidden = "".join(
        f"namespace inner_{n % 7} {{ struct Part{n} {{ __attribute__((noinline)) long take(long a, double b) "
        f"{{ return a * {n} + (long)b; }} }} part{n}; }}\n"
        f'extern "C" __attribute__((visibility("default"))) long api_{n}(long a) '
        f"{{ return inner_{n % 7}::part{n}.take(a, {n}); }}\n"
        for n in range(80)
    )
    (tmp_path / "inner.cpp").write_text(hidden)
    calls = "".join(
        f'extern "C" long api_{n % 40}(long);\n'
        f"long outer_{n}(long a, double *b) {{ b[{n}] += a; return api_{n % 40}(a + {n}) * 3 + (long)b[{n}]; }}\n"
        for n in range(120)
    )
    table = "static long table[4000] = {1, 2};\nlong *tables() { return table; }\n"
    (tmp_path / "outer.cpp").write_text(table + calls)
    flags = ["-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-fvisibility-inlines-hidden"]
    subprocess.run([tool("g++"), *flags, "-o", "libinner.so", "inner.cpp"], check=True, cwd=tmp_path)
    command = [tool("g++"), *flags, "-fvisibility=default", "-o", "libouter.so", "outer.cpp", "-L.", "-linner"]
    subprocess.run(command, check=True, cwd=tmp_path)
    programs.run("pyelfprof", "-q", "-o", tmp_path / "it.prof", tmp_path / "libinner.so", tmp_path / "libouter.so")
    programs.run("pyelfgen", "-q", "-P", tmp_path / "it.prof", "-o", tmp_path / "set")
    inner, outer = counted_libraries(tmp_path / "set")
    defined = ask("nm", "-D", "--defined-only", inner).split()[2::3]
    assert len(defined) >= 80 and not [name for name in defined if name.startswith("_Z")]
    imported = set(ask("nm", "-D", "--undefined-only", outer).split()[1::2])
    assert len(imported & set(defined)) == 40
    assert " _Z" in ask("nm", inner)
