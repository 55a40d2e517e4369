"""Type units: types of headers stand in units of their own, once in each library.

Signatures lead to them, and sizes are exact.
"""

import filecmp
import os
import re
import subprocess

import pytest

from entries import declared
from objects import FIVE, LLDB_ENVIRONMENT, ask, counted_libraries, each, every, sums, tool
from sets import profile_text

# Marked as slow, which is left out under the sanitizers: test_python.py generates and runs such sets there, and the
# readers are not ours.
pytestmark = pytest.mark.slow

SIZES = {"text": 500_001, "data": 60_003, "debug": 4_000_007, "symtab": 60_000, "strtab": 200_013}
SMALL = {"modules": 3, "utilities": 2, "functions": 80, "sections": SIZES}
VERSIONS = [5, 4]


@pytest.fixture(scope="module")
def generate(programs, tmp_path_factory):
    """get(options, keys under `dwarf`) generates a set, once."""
    directory = tmp_path_factory.mktemp("type-units")
    made = {}

    def get(*options, **dwarf):
        name = "-".join([*options, *(f"{key}-{value}" for key, value in dwarf.items())]).replace("/", "_")
        if name not in made:
            dwarf = {key.replace("_", "-"): value for key, value in dwarf.items()}
            (directory / f"{name}.prof").write_text(profile_text(**SMALL, dwarf=dwarf))
            made[name] = directory / name
            programs.run("pyelfgen", "--profile", directory / f"{name}.prof", "-o", made[name], "-q", *options)
        return made[name]

    return get


@pytest.fixture(scope="module", params=VERSIONS)
def made(request, generate):
    return generate("--sources", version=request.param, type_units=True)


def debug_sections(path):
    return set(re.findall(r"\] \.(debug_\w+) ", ask("readelf", "-SW", path)))


class TypeUnit:
    """A type unit as llvm-dwarfdump shows it."""

    def __init__(self, text):
        head, text = text.split("\n", 1)
        start = int(head.split(":")[0], 16)
        self.signature = int(re.search("type_signature = 0x(\\w+)", head)[1], 16)
        place = start + int(re.search("type_offset = 0x(\\w+)", head)[1], 16)
        entries = re.split(r"^(?=0x\w+:)", text, flags=re.M)[1:]
        self.type = next(entry for entry in entries if int(entry.split(":")[0], 16) == place)
        self.tag = re.match(r"0x\w+: +(DW_TAG_\w+)", self.type)[1]
        # comparable between libraries: places relative to the unit, and no offset of the line table
        text = re.sub("DW_AT_stmt_list.*", "", text)
        self.content = re.sub(r"\b0x([0-9a-f]{8})\b", lambda found: hex(int(found[1], 16) - start), text)

    def value(self, attribute):
        found = re.search(rf"{attribute}\s+\((.*)\)$", self.type, flags=re.M)
        return found and found[1].strip('"')


def units_of(path):
    """([TypeUnit], [texts of compile units]) of a library."""
    dump = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-info", "--debug-types", path)
    texts = re.split(r"^(?=0x\w+: (?:Compile|Type) Unit:)", dump, flags=re.M)[1:]
    types = [TypeUnit(text) for text in texts if " Type Unit:" in text[:60]]
    return types, [text for text in texts if " Type Unit:" not in text[:60]]


@pytest.fixture(scope="module")
def units(made):
    """{library: units_of it}"""
    paths = counted_libraries(made)
    return dict(zip(paths, each(units_of, paths)))


@pytest.mark.alike(2)
def test_they_are_where_the_version_has_them(made, units):
    is_4 = "version-4" in made.name
    for path, (types, compiled) in units.items():
        assert ("debug_types" in debug_sections(path)) == is_4
        assert len(types) > 30 and compiled
        assert {unit.tag for unit in types} >= {"DW_TAG_structure_type", "DW_TAG_union_type"}
        assert {unit.tag for unit in types} <= {f"DW_TAG_{tag}_type" for tag in ("structure", "union", "enumeration")}


def test_without_the_key_there_are_none(generate):
    for version in VERSIONS:
        for path in counted_libraries(generate("--sources", version=version)):
            assert "debug_types" not in debug_sections(path)
            assert "DW_UT_type" not in ask("readelf", "--debug-dump=info", path)


def test_compile_units_have_no_such_types(units):
    """Compile units have only references by signature in place of such types, without any members."""
    for _, compiled in units.values():
        entries = re.findall(r"DW_TAG_(?:structure|union|enumeration)_type\n((?: +DW_AT.*\n)*)", "".join(compiled))
        assert len(entries) > 30
        for attributes in entries:
            assert set(re.findall("DW_AT_(\\w+)", attributes)) <= {"signature", "declaration"}


def test_every_type_is_there_once(units):
    for types, _ in units.values():
        signatures = [unit.signature for unit in types]
        assert len(signatures) == len(set(signatures))
        named = [(unit.tag, unit.value("DW_AT_name")) for unit in types if unit.value("DW_AT_name")]
        assert len(named) == len(set(named)) > 20


def test_every_signature_leads_to_a_type(made):
    def check(path):
        dump = ask("readelf", "--debug-dump=info", path)
        there = {int(number, 16) for number in re.findall(r"^ +Signature: +0x(\w+)", dump, flags=re.M)}
        asked = {int(number, 16) for number in re.findall(r": signature: 0x(\w+)", dump)}
        assert asked and asked <= there

    each(check, counted_libraries(made))


def test_a_signature_is_one_type_in_all_libraries(units):
    contents = {}
    met = 0
    for types, _ in units.values():
        for unit in types:
            met += unit.signature in contents
            assert contents.setdefault(unit.signature, unit.content) == unit.content
    assert met > 100
    assert len(set(contents.values())) == len(contents)


def test_signatures_are_those_of_the_type_alone(generate):
    """Signatures do not depend on how much of a header a library includes. With another seed they are different."""
    here, there, other = (
        {unit.signature for path in counted_libraries(made) for unit in units_of(path)[0]}
        for made in (
            generate("--sources", version=5, type_units=True),
            generate(version=5, type_units=True, units=7),
            generate("--seed", "5", version=5, type_units=True),
        )
    )
    assert len(here & there) > 100
    assert not here & other


def test_lines_are_those_of_the_headers(made, units):
    """The file and line of a type, by its unit's line table, are those where the header declares it."""
    keywords = {"structure": "struct", "union": "union", "enumeration": "enum"}
    checked = 0
    for types, _ in units.values():
        for unit in types:
            file, line, name = (unit.value(f"DW_AT_{what}") for what in ("decl_file", "decl_line", "name"))
            assert file.startswith("include/")
            text = (made / "sources" / file).read_text().splitlines()[int(line) - 1]
            keyword = keywords[re.match(r"DW_TAG_(\w+)_type", unit.tag)[1]]
            assert text.startswith(f"{keyword} {name} {{" if name else f"typedef {keyword} {{"), (file, line, text)
            checked += 1
    assert checked > 200


def test_headers_declare_the_same_without(made, generate):
    """Headers declare the same with type units and without."""
    plain = generate("--sources", version=int(made.name.split("version-")[1][0]))
    names = sorted(path.name for path in (made / "sources" / "include").iterdir())
    same, _, _ = filecmp.cmpfiles(made / "sources" / "include", plain / "sources" / "include", names, shallow=False)
    assert names and sorted(same) == names


def test_sizes_are_exact(programs, made):
    assert [sums(made)[size] for size in FIVE] == [SIZES[size] for size in FIVE]


def test_gdb_finds_types_by_their_signatures(made, units):
    path, (types, _) = next(iter(units.items()))
    keywords = {"DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union"}
    named = [unit for unit in types if unit.tag in keywords and unit.value("DW_AT_name")]
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set complaints 100", "-iex", "set width 0", path]
    for unit in every(named, 8):
        kind = f"{keywords[unit.tag]} {unit.value('DW_AT_name')}"
        shown = ask(*command, "-ex", f"ptype {kind}", "-ex", f"print sizeof({kind})")
        assert shown.startswith(f"type = {kind} {{\n")
        wanted = re.findall(r"DW_TAG_member\n +DW_AT_name\s+\(\"(\w+)\"\)", unit.content)
        assert [declared(line) for line in shown.split("\n}")[0].splitlines()[1:]] == wanted
        assert shown.split("$1 = ")[1].strip() == str(int(unit.value("DW_AT_byte_size"), 0))


def test_lldb_finds_types_by_their_signatures(made, units):
    path, (types, _) = next(iter(units.items()))
    named = every([unit for unit in types if unit.value("DW_AT_name")], 5)
    options = [part for unit in named for part in ("-o", f"image lookup -t {unit.value('DW_AT_name')}")]
    command = [tool("lldb-14", "lldb"), "--no-lldbinit", "-b", "-o", f"target create {path}", *options]
    environment = {**os.environ, "LC_ALL": "C", **LLDB_ENVIRONMENT}
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout
    for unit in named:
        file = unit.value("DW_AT_decl_file").split("/")[-1]
        assert f'name = "{unit.value("DW_AT_name")}", byte-size = {int(unit.value("DW_AT_byte_size"), 0)}' in shown
        assert f"decl = {file}:{unit.value('DW_AT_decl_line')}:" in shown


def test_llvm_verifies_them(made):
    for shown in each(lambda path: ask(tool("llvm-dwarfdump-14"), "--verify", path), every(counted_libraries(made), 3)):
        assert shown.endswith("No errors.\n")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("change", [-0.01, 0.01])
def test_a_mix_counts_them_as_entries(generate, version, change):
    """`mix: info` is met to the byte; in version 4 it counts .debug_info and .debug_types together."""

    def entries(directory):
        shown = ask("readelf", "-SW", *counted_libraries(directory))
        return sum(int(size, 16) for size in re.findall(r"\] \.debug_(?:info|types) +\S+ +\w+ \w+ (\w+) ", shown))

    wanted = int(entries(generate("--sources", version=version, type_units=True)) * (1 + change))
    directory = generate(version=version, type_units=True, mix="{info: " + f"{wanted} B" + "}")
    assert entries(directory) == wanted
    assert [sums(directory)[size] for size in FIVE] == [SIZES[size] for size in FIVE]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_option_is_the_key(generate, version):
    by_key, by_option = generate(version=version, type_units=True), generate("--type-units", version=version)
    names = sorted(path.name for path in by_key.iterdir())
    assert filecmp.cmpfiles(by_key, by_option, names, shallow=False)[0] == names


@pytest.mark.parametrize("version", VERSIONS)
def test_one_thread_makes_the_same(generate, version):
    one, two = (generate("--jobs", jobs, version=version, type_units=True) for jobs in ("1", "3"))
    names = sorted(path.name for path in one.iterdir())
    assert filecmp.cmpfiles(one, two, names, shallow=False)[0] == names


@pytest.mark.parametrize(
    "keys, said",
    [
        ({"language": "c++"}, "dwarf: type-units: goes with 'language: c' only; remove one of them"),
        ({"index": "gdb_index"}, "dwarf: type-units: excludes 'index'; remove one of them"),
        ({"index": "debug_names"}, "dwarf: type-units: excludes 'index'; remove one of them"),
    ],
    ids=["c++", "gdb_index", "debug_names"],
)
def test_what_it_does_not_go_with_is_refused(programs, tmp_path, keys, said):
    (tmp_path / "a.prof").write_text(profile_text(**SMALL, dwarf={"type-units": True, **keys}))
    done = programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", status=1)
    assert said in done.stderr and len(done.stderr.splitlines()) == 1
    (tmp_path / "b.prof").write_text(profile_text(**SMALL, dwarf=keys))
    done = programs.run("pyelfgen", "--profile", tmp_path / "b.prof", "-o", tmp_path / "set", "--type-units", status=None)
    if "index" in keys:
        assert done.stderr.endswith("--type-units excludes 'dwarf: index', which the profile has; give --index=none too\n")
    else:
        assert said in done.stderr
    assert not (tmp_path / "set").exists()
