"""C++: what entries say, mangled names and debuggers agree with one another and with the model."""

import json
import re
import subprocess

import pytest

import model
from conftest import SOURCE
from dies import Dies
from objects import ask, counted_libraries, demangled, dwarfdump_complaints, each, every, functions, sums, tool
from sets import SECTIONS, mostly_long, profile_text

pytestmark = pytest.mark.slow

PYTHON = "/usr/bin/python3"
DRIVE = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.{0}_entry())"
SIZES = {**SECTIONS, "text": 900_001, "debug": 4_000_003}

KINDS = {
    "itanium": {"names": {"style": "itanium", "length": 70}, "dwarf": {"language": "c++"}},
    "itanium-4": {"names": {"style": "itanium", "length": 70}, "dwarf": {"language": "c++", "version": 4}},
    "pynamic": {"dwarf": {"language": "c++"}},
    "units-of-one": {"names": {"style": "itanium", "length": 70}, "dwarf": {"language": "c++", "units": 1}},
}


class Made:
    """A set and what its libraries' entries say."""

    def __init__(self, kind, directory):
        self.kind, self.directory = kind, directory
        self.read = {}

    def dies(self, path):
        if path not in self.read:
            self.read[path] = Dies(path)
        return self.read[path]

    def libraries(self):
        return counted_libraries(self.directory)


@pytest.fixture(scope="module", params=mostly_long(KINDS, "itanium", "itanium-4", "pynamic"))
def made(request, programs, tmp_path_factory):
    return make(request.param, programs, tmp_path_factory)


@pytest.fixture(scope="module", params=mostly_long(["itanium", "itanium-4"], "itanium"))
def methods(request, programs, tmp_path_factory):
    """The sets whose functions are methods."""
    return make(request.param, programs, tmp_path_factory)


def make(kind, programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp(kind)
    keys = {"modules": 2, "utilities": 1, "functions": 90, "sections": SIZES, **KINDS[kind]}
    (directory / "a.prof").write_text(profile_text(**keys))
    programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / "set", "-q", timeout=120)
    return Made(kind, directory / "set")


def test_sizes_are_exact(made):
    found = sums(made.directory)
    wanted = {**SIZES, "symtab": round(SIZES["symtab"] / 24) * 24}
    assert {name: found[name] for name in SIZES} == wanted


@pytest.mark.alike(1)
def test_linkage_names_are_what_entries_say(made):
    """Linkage names demangle to what entries say: scopes, names, template arguments, parameters, const, results."""
    for path in made.libraries():
        dies = made.dies(path)
        named = [die for die in dies.at.values() if "linkage_name" in die]
        texts = demangled(die.text("linkage_name") for die in named)
        assert [dies.function(die) for die in named] == texts
        assert len(named) > 100
        kinds = {"C4E": 0, "D4Ev": 0, "_ZNK": 0, "IT": 0}
        for die in named:
            for kind in kinds:
                kinds[kind] += kind in die.text("linkage_name")
        assert kinds["C4E"] and kinds["D4Ev"] and kinds["_ZNK"]


def check_instances(made):
    """Instances of templates have the names that gcc gives them."""
    for path in made.libraries():
        dies = made.dies(path)
        instances = [die for die in dies.at.values() if die.of("template_type_parameter", "template_value_parameter")]
        instances = [die for die in instances if "name" in die]
        assert [die.text("name") for die in instances] == [dies.instance(die) for die in instances]


def test_instances_are_named_by_their_arguments(made):
    """And no two classes of a unit have the same name."""
    check_instances(made)
    for path in made.libraries():
        dies = made.dies(path)
        for unit in dies.units:
            classes = [die for die in below(unit, "class_type", "structure_type") if die.text("name")]
            names = [dies.qualified(die) for die in classes]
            assert len(set(names)) == len(names)


def below(die, *tags):
    for child in die.children:
        if child.tag in tags:
            yield child
        if child.tag in ("namespace", "class_type", "structure_type"):
            yield from below(child, *tags)


def test_classes(made):
    """A base is the first child. Members are in order, within the size. Virtual functions have slots of their own."""
    seen = {"inheritance": 0, "virtual": 0, "static": 0, "artificial": 0}
    for path in made.libraries():
        dies = made.dies(path)
        for die in dies.at.values():
            if die.tag not in ("class_type", "structure_type") or "declaration" in die:
                continue
            size = die.number("byte_size")
            for base in die.of("inheritance"):
                of = dies.follow(base, "type")
                assert base is die.children[0] and of.at < die.at and of.number("byte_size") <= size
                seen["inheritance"] += 1
            places = [member.number("data_member_location") for member in die.of("member")]
            assert places == sorted(set(places)) and all(place < size for place in places)
            virtual = [method for method in die.of("subprogram") if "virtuality" in method]
            slots = [method.attributes["vtable_elem_location"] for method in virtual]
            assert len(set(slots)) == len(slots)
            for method in die.of("subprogram"):
                seen["static"] += "object_pointer" not in method
                if "virtuality" in method:
                    seen["virtual"] += 1
                    assert dies.follow(method, "containing_type") is die and "containing_type" in die
            seen["artificial"] += any(member.text("name").startswith("_vptr.") for member in die.of("member"))
    assert all(seen.values()) or made.kind == "units-of-one", seen  # units of one function have few classes


def test_definitions_are_behind_declarations(made):
    """Specifications and abstract origins point backwards. Inlined calls have their origin's children, in order."""
    for path in made.libraries():
        dies = made.dies(path)
        for die in dies.at.values():
            for name in ("specification", "abstract_origin"):
                assert name not in die or die.tag.endswith("call_site") or die.reference(name) < die.at
            if die.tag == "inlined_subroutine":
                origin = dies.follow(die, "abstract_origin")
                children = [child.at for child in origin.of("formal_parameter", "variable")]
                mine = [child.reference("abstract_origin") for child in die.of("formal_parameter", "variable")]
                assert mine == children


def test_blocks_of_inlined_functions(made):
    """A block stands directly in the inlined call, with the ranges of the call and the variables of its own origin."""
    seen = 0
    for path in made.libraries():
        dies = made.dies(path)
        for die in dies.at.values():
            if die.tag != "lexical_block" or "abstract_origin" not in die:
                continue
            origin = dies.follow(die, "abstract_origin")
            assert origin.tag == "lexical_block" and not {"low_pc", "ranges"} & origin.attributes.keys()
            assert die.parent.tag == "inlined_subroutine" and dies.follow(die.parent, "abstract_origin") is origin.parent
            mine = [child.reference("abstract_origin") for child in die.of("variable")]
            assert mine == [child.at for child in origin.of("variable")] != []
            for name in ("low_pc", "high_pc"):
                assert die.attributes.get(name) == die.parent.attributes.get(name)
            assert ("ranges" in die) == ("ranges" in die.parent)
            seen += 1
    assert seen > 20 or made.kind == "units-of-one"  # units of one function describe few calls


def test_an_inlined_method_is_told_alike_in_all_units(made):
    """Its parameters and variables have the same names, at the same columns, in each unit that has calls of it."""
    for path in made.libraries():
        dies = made.dies(path)
        told = {}
        units = {}
        for die in dies.at.values():
            if die.tag != "subprogram" or "inline" not in die or "specification" not in die:
                continue
            method = dies.follow(die, "specification")
            inside = [(child.tag, child.text("name"), child.attributes.get("decl_column")) for child in walk(die)]
            name = method.text("linkage_name")
            assert told.setdefault(name, inside) == inside
            units[name] = units.get(name, 0) + 1
        assert made.kind == "units-of-one" or sum(count > 1 for count in units.values()) > 20


def walk(die):
    for child in die.children:
        yield child
        yield from walk(child)


def test_a_namespace_of_headers_is_told_in_one_place(made):
    """A namespace of headers has one entry in a unit. Definitions of its methods stand outside of that entry."""
    for path in made.libraries():
        for unit in made.dies(path).units:
            spaces = [scope for scope in unit.of("namespace") if scope.text("name") != path.stem]
            assert len({scope.text("name") for scope in spaces}) == len(spaces) > 0
            assert all(scope.children for scope in spaces)
            assert not [die for scope in spaces for die in scope.of("subprogram") if "specification" in die]


def test_functions_of_a_library_are_methods(methods):
    """At each symbol's address is the definition of the method that the symbol's name demangles to."""
    for path in methods.libraries():
        dies = methods.dies(path)
        defined = {}
        for die in dies.at.values():
            if die.tag == "subprogram" and "specification" in die and "low_pc" in die:
                defined[die.number("low_pc")] = die
        symbols = functions(path)
        texts = demangled(name for name, _ in symbols)
        assert len(symbols) == len(defined)
        for (name, address), text in zip(symbols, texts):
            die = defined[address]
            declared = dies.follow(die, "specification")
            assert declared.text("linkage_name") == name and dies.function(declared) == text
            assert text.removeprefix("unsigned long ").startswith(dies.qualified(declared.parent) + "::")
            assert "declaration" in declared and "external" in declared and "object_pointer" not in declared
            own = [dies.type(dies.follow(p, "type")) for p in die.of("formal_parameter")]
            assert own == [dies.type(dies.follow(p, "type")) for p in declared.of("formal_parameter")]


def test_a_class_is_declared_once_in_a_unit(methods):
    """The declaration of a class has all its methods, also where their code is in two units."""
    for path in methods.libraries():
        dies = methods.dies(path)
        classes = {}
        for unit in dies.units:
            own = [scope for scope in unit.of("namespace") if scope.text("name") == path.stem]
            declared = [die for scope in own for die in scope.children]
            assert len({die.text("name") for die in declared}) == len(declared)
            for die in declared:
                names = [method.text("linkage_name") for method in die.of("subprogram")]
                assert classes.setdefault(die.text("name"), names) == names
        symbols = [name for name, _ in functions(path)]
        assert sorted(name for shown in classes.values() for name in shown) == sorted(symbols)


@pytest.mark.alike(8)
@pytest.mark.parametrize("check", ["verify", "dwarfdump", "lint", "gdb", "abidw"])
def test_readers_do_not_complain(check, made):
    def one(path):
        if check == "verify":
            return re.findall(r"(?:error|warning): .*", run("llvm-dwarfdump-14", "--verify", path))
        if check == "dwarfdump":
            out = run("dwarfdump", "-ka", path)
            return dwarfdump_complaints(out, known=())
        if check == "lint":
            return [row for row in run("eu-elflint", "--gnu-ld", path).splitlines() if row != "No errors"]
        if check == "abidw":
            return [] if "class-decl" in run("abidw", path) else ["no class"]
        out = run("gdb", "-nx", "-batch", "-iex", "set complaints 1000000", "-ex", "maint expand-symtabs", path)
        # gdb says that of every call that was inlined into another
        return [row for row in out.splitlines() if "have different parents" not in row]

    def run(name, *arguments):
        command = [tool(name), *map(str, arguments)]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120).stdout

    assert [complaint for found in each(one, made.libraries()) for complaint in found] == []


def type_names(programs, *paths):
    counts = json.loads(programs.run("pyelfstat", "--dwarf", "--json", *paths).stdout)["dwarf"]["counts"]
    return counts["type_name_bytes"], counts["type_names"]


def with_more_names(row, mean, names):
    """The row with three times as many bytes of names, and names of types of that mean."""
    number = {key: int(re.search(rf"\b{key}: (\d+)", row)[1]) for key in ("debug", "str", "type-names")}
    more = {"debug": number["debug"] + 2 * number["str"], "str": 3 * number["str"], "type-names": mean * names}
    for key, value in more.items():
        row = re.sub(rf"\b{key}: \d+", f"{key}: {value}", row, count=1)
    return row


@pytest.mark.parametrize("mean", [60, 120])
def test_names_of_classes_are_as_long_as_a_row_says(methods, programs, tmp_path, mean):
    """Templates of templates: names are as long on average, and linkage names and entries agree all the same."""
    profile = tmp_path / "long.prof"
    programs.run("pyelfprof", "-q", "-o", profile, *methods.libraries())
    rows = profile.read_text().split("\n- ")
    for i, path in enumerate(methods.libraries(), 1):
        length, names = type_names(programs, path)
        assert f"type-names: {length}," in rows[i]
        rows[i] = with_more_names(rows[i], mean, names)
    rows[0] = re.sub("(?m)^sections: .*\n", "", rows[0])  # the sums
    profile.write_text("\n- ".join(rows))
    programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "-q", timeout=120)
    made = Made(methods.kind, tmp_path / "set")
    length, names = type_names(programs, *made.libraries())
    # small libraries have a larger share of names that are no header's
    assert 0.65 * mean < length / names < 1.1 * mean
    test_linkage_names_are_what_entries_say(made)
    check_instances(made)
    test_classes(made)
    for check in ("verify", "gdb"):
        test_readers_do_not_complain(check, made)


# --- gdb ------------------------------------------------------------------------------------


def session(path, *commands):
    marked = [part for command in commands for part in ("-ex", "echo --\\n", "-ex", command)]
    out = ask(tool("gdb"), "-nx", "-batch", "-iex", "set width 0", *marked, path)
    return out.split("--\n")[1:]


def plain(text):
    """A demangled name without its result and parameters."""
    return re.sub(r"^unsigned long ", "", text[: text.rindex("(")])


def test_breakpoints_by_name_and_by_mangled_name(methods):
    """Both kinds of breakpoints are at one place. By name gdb finds the PLT's stub as well, as in g++'s libraries."""
    for path in methods.libraries():
        chosen = every(functions(path), 12)
        texts = demangled(name for name, _ in chosen)
        by_name = session(path, *(f"break {plain(text)}" for text in texts), "info breakpoints")[-1]
        by_mangled_name = session(path, *(f"break {name}" for name, _ in chosen), "info breakpoints")[-1]
        place = r" (0x[0-9a-f]+) in (.*) at .*\.cpp:(\d+)$"
        there = re.findall(place, by_mangled_name, flags=re.M)
        assert [name for _, name, _ in there] == [text.removeprefix("unsigned long ") for text in texts]
        assert re.findall(place, by_name, flags=re.M) == there


def test_info_symbol_and_ptype(methods):
    for path in methods.libraries():
        chosen = every(functions(path), 12)
        texts = demangled(name for name, _ in chosen)
        shown = session(path, *(f"info symbol {address:#x}" for _, address in chosen))
        assert shown == [f"{text} in section .text\n" for text in texts]
        classes = [re.match(r"\w+::\w+", plain(text))[0] for text in texts]
        for text, name, shown in zip(texts, classes, session(path, *(f"ptype {name}" for name in classes))):
            assert shown.startswith(f"type = class {name} {{\n  public:\n")
            method = plain(text)[len(name) + 2 :]
            assert re.search(rf"^    static unsigned long {re.escape(method)}\(", shown, flags=re.M)


def test_backtrace_of_ten_frames(methods, programs):
    """gdb shows the functions of a chain by their qualified names, with the arguments that the model says."""
    expected = model.Model(methods.directory)
    library = expected.libraries["libmodule1"]
    chain = library.functions[10:20]
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null"]
    command += ["-x", SOURCE / "tests" / "gdb_probe.py", "--args", PYTHON, "-I", "-c", DRIVE.format("libmodule1")]
    environment = {"PROBE": json.dumps({"mode": "stop", "place": chain[-1].name, "finish": 2}), "LD_BIND_NOW": None}
    out = programs.command([*command, methods.directory], leaks=False, env=environment, timeout=120).stdout
    shown = [json.loads(line[6:]) for line in out.splitlines() if line.startswith("PROBE ")]
    frames = shown[0]["frames"][:10]
    texts = demangled(function.name for function in reversed(chain))
    assert [frame["function"] for frame in frames] == [plain(text) for text in texts]
    for function, frame in zip(reversed(chain), frames):
        arguments = [(kind, value) for _, kind, value in frame["arguments"]]
        assert arguments == list(zip(function.types, function.passed(0)))
    assert shown[1]["returned"] % 2**64 == chain[-1].returned()
    assert shown[2]["returned"] % 2**64 == chain[-2].returned()
