"""What not every header of C has: structures that are only declared, bit fields, and volatile types."""

import re
import subprocess

import pytest

from dies import Dies
from objects import ask, counted_libraries, tool
from sets import mostly_long

UNITS, TYPES = 8, 120
KINDS = {
    "5": ["gcc", "-gdwarf-5"],
    "4": ["gcc", "-gdwarf-4"],
    "clang": ["clang", "-gdwarf-5"],
    "none": ["gcc", "-gdwarf-5", "-DNONE"],
}

TYPE = """
#ifdef NONE
struct hidden{n} {{ int field; }};
#define BITS(width)
#define VOLATILE
#else
struct hidden{n};
#define BITS(width) : width
#define VOLATILE volatile
#endif
struct known{n} {{
    struct hidden{n} *owner;
    unsigned is_open BITS(1), is_last BITS(1), level BITS(5);
    long first, last, *table;
    double weight[{n} + 1];
    VOLATILE struct known{n} *state;
    int (*call)(struct known{n} *, long);
}};
typedef struct known{n} known{n}_t;
enum kind{n} {{ NONE{n}, SOME{n}, MANY{n} }};
long function{n}_{unit}(known{n}_t *k, enum kind{n} e, long more)
{{
    return k->call ? k->call(k, more) + k->state->last + (e == SOME{n} && k->owner) : more;
}}
#undef BITS
#undef VOLATILE
"""


class Twin:
    """A library that a compiler made, and its twin."""

    def __init__(self, programs, directory, compiler, *flags):
        sources = []
        for unit in range(UNITS):
            sources.append(directory / f"unit{unit}.c")
            sources[-1].write_text("".join(TYPE.format(n=n, unit=unit) for n in range(TYPES)))
        self.real = directory / "libreal.so"
        subprocess.run([tool(compiler), *flags, "-O2", "-fPIC", "-shared", "-o", self.real, *sources], check=True)
        programs.run("pyelfprof", "-q", "-o", directory / "it.prof", self.real)
        programs.run("pyelfgen", "-q", "-P", directory / "it.prof", "-o", directory / "set")
        self.path = counted_libraries(directory / "set")[0]


@pytest.fixture(scope="module", params=mostly_long(KINDS, "5", "4"))
def kind(request, programs, tmp_path_factory):
    name = request.param
    return name, Twin(programs, tmp_path_factory.mktemp(name), *KINDS[name])


@pytest.fixture(scope="module", params=["gcc", "clang"])
def crowded(request, programs, tmp_path_factory):
    """The twin of a library with nothing but structures of twenty bit fields each, whose names are long."""
    directory = tmp_path_factory.mktemp(f"crowded-{request.param}")
    fields = "".join(f" unsigned field_with_a_long_name{i} : {1 + i % 9};" for i in range(20))
    each = f"struct crowd%u {{{fields} }} it%u; long of%u(int a) {{ return a; }}\n"
    (directory / "crowd.c").write_text("".join(each % (n, n, n) for n in range(600)))
    command = [tool(request.param), "-gdwarf-5", "-O1", "-fPIC", "-shared", "-o", directory / "libcrowd.so"]
    subprocess.run([*command, directory / "crowd.c"], check=True)
    programs.run("pyelfprof", "-q", "-o", directory / "it.prof", directory / "libcrowd.so")
    programs.run("pyelfgen", "-q", "-P", directory / "it.prof", "-o", directory / "set")
    return counted_libraries(directory / "set")[0]


def counts_of(path):
    entries = Dies(path).at.values()
    structures = [die for die in entries if die.tag == "structure_type"]
    return {
        "structures": len(structures),
        "declared": sum("declaration" in die for die in structures),
        "bits": sum("bit_size" in die for die in entries),
        "volatile": sum(die.tag == "volatile_type" for die in entries),
    }


def test_there_are_as_many(kind):
    """gcc describes bit fields of version 4 by the storage around them; twins have none there."""
    name, twin = kind
    real, made = counts_of(twin.real), counts_of(twin.path)
    if name == "none":
        assert real["declared"] == real["bits"] == real["volatile"] == 0
        assert made["declared"] == made["bits"] == made["volatile"] == 0
        return
    assert real["declared"] >= UNITS * TYPES
    for quantity, wanted in real.items():
        if name == "4" and quantity == "bits":
            assert made["bits"] == 0
        else:
            assert made[quantity] == pytest.approx(wanted, rel=0.35 if name == "clang" else 0.25), quantity


def test_bit_fields_are_within_their_words(kind):
    """In a structure no two share a bit, none crosses its unsigned int, and none reaches the next member."""
    name, twin = kind
    fields = 0
    for structure in Dies(twin.path).at.values():
        used, end = set(), 0
        for member in structure.of("member"):
            if "bit_size" in member:
                first, width = member.number("data_bit_offset"), member.number("bit_size")
                bits = set(range(first, first + width))
                assert "unsigned int" in member.attributes["type"] and not bits & used and first >= end * 8
                assert first // 32 == (first + width - 1) // 32
                used |= bits
                fields += 1
            elif "data_member_location" in member:
                place = member.number("data_member_location")
                assert not used or place == 0 or place * 8 > max(used)
                end = max(end, place)
    assert (fields > 0) == (name in ("5", "clang"))


def test_lists_have_a_pointer_to_themselves(kind):
    """A reader that walks types meets cycles."""
    name, twin = kind
    dies = Dies(twin.path)
    structures = [die for die in dies.at.values() if die.tag == "structure_type"]
    links = 0
    for structure in structures:
        pointer = dies.follow(structure.children[0], "type") if structure.children else None
        links += pointer is not None and pointer.tag == "pointer_type" and dies.follow(pointer, "type") is structure
    assert links == 0 if name == "none" else links > len(structures) / 50


def test_readers_find_nothing_wrong(kind):
    _, twin = kind
    assert ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", twin.path).endswith("No errors.\n")
    assert ask("eu-elflint", "--gnu-ld", twin.path) == "No errors\n"


def test_no_structure_has_more_members_than_there_are_names(crowded):
    members = [len(die.of("member")) for die in Dies(crowded).at.values()]
    assert 0 < max(members) < 100
    assert ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", crowded).endswith("No errors.\n")


def test_types_of_one_name_in_a_unit_are_the_same(crowded):
    """Where there are more structures than names. Of what is in them, these are compared by name and place."""
    told = ("name", "data_member_location", "data_bit_offset", "const_value")
    several = []
    for unit in Dies(crowded).units:
        found = {}
        for die in unit.of("structure_type", "union_type", "enumeration_type"):
            inside = [[child.attributes.get(name) for name in told] for child in die.of("member", "enumerator")]
            found.setdefault(die.text("name"), []).append((die.tag, die.attributes.get("byte_size"), inside))
        several += [types for name, types in found.items() if name]
    assert all(types.count(types[0]) == len(types) for types in several)
    assert len(several) > 100


@pytest.mark.slow
def test_gdb_shows_them(kind):
    """gdb says how wide bit fields are, and has members that point to structures of which it knows nothing."""
    name, twin = kind
    if name == "none":
        pytest.skip("there are none")
    structures = [die for die in Dies(twin.path).at.values() if die.tag == "structure_type" and "name" in die]
    hidden = [die.text("name") for die in structures if "declaration" in die]
    owners = [die.text("name") for die in structures if "byte_size" in die]
    command = [tool("gdb"), "-nx", "-batch"]
    command += [part for owner in owners[:60] for part in ("-ex", f"ptype struct {owner}")]
    shown = ask(*command, twin.path)
    assert shown.count("type = struct") == min(len(owners), 60)
    assert set(hidden) & set(re.findall(r"struct (\w+) \*", shown))
    assert (re.search(r"unsigned int \w+ : [1-8];", shown) is not None) == (name != "4")
