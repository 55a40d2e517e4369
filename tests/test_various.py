"""What not every header of C has: structures that are only declared, bit fields, and volatile types."""

import re
import subprocess

import pytest

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


def entries_of(path):
    """(tag, attributes) of each entry, as llvm-dwarfdump shows them."""
    shown = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-info", path)
    parts = re.split(r"^0x[0-9a-f]+: +DW_TAG_(\w+)", shown, flags=re.M)[1:]
    return [(tag, dict(re.findall(r"DW_AT_(\w+)\s+\((.*)\)", body))) for tag, body in zip(parts[::2], parts[1::2])]


def counts_of(path):
    entries = entries_of(path)
    return {
        "structures": sum(tag == "structure_type" for tag, _ in entries),
        "declared": sum(tag == "structure_type" and "declaration" in it for tag, it in entries),
        "bits": sum("bit_size" in it for _, it in entries),
        "volatile": sum(tag == "volatile_type" for tag, _ in entries),
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
    used, end, fields = set(), 0, 0
    for tag, it in entries_of(twin.path):
        if tag != "member":
            used, end = (set(), 0) if tag in ("structure_type", "union_type") else (used, end)
            continue
        if "bit_size" in it:
            first, width = int(it["data_bit_offset"], 16), int(it["bit_size"], 16)
            bits = set(range(first, first + width))
            assert "unsigned int" in it["type"] and not bits & used and first >= end * 8
            assert first // 32 == (first + width - 1) // 32
            used |= bits
            fields += 1
        elif "data_member_location" in it:
            place = int(it["data_member_location"], 16)
            assert not used or place == 0 or place * 8 > max(used)
            end = max(end, place)
    assert (fields > 0) == (name in ("5", "clang"))


def test_lists_have_a_pointer_to_themselves(kind):
    """A reader that walks types meets cycles."""
    name, twin = kind
    entries = entries_of(twin.path)
    pairs = [(one, other) for (tag, one), (_, other) in zip(entries, entries[1:]) if tag == "structure_type"]
    links = sum("name" in one and other.get("type", "").endswith(f'{one["name"][:-1]} *"') for one, other in pairs)
    assert links == 0 if name == "none" else links > len(pairs) / 40


def test_readers_find_nothing_wrong(kind):
    _, twin = kind
    assert ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", twin.path).endswith("No errors.\n")
    assert ask("eu-elflint", "--gnu-ld", twin.path) == "No errors\n"


def test_no_structure_has_more_members_than_there_are_names(crowded):
    tags = [tag for tag, _ in entries_of(crowded)]
    members = "".join("m" if tag == "member" else "s" for tag in tags)
    assert 0 < max(map(len, members.split("s"))) < 100
    assert ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", crowded).endswith("No errors.\n")


def test_types_of_one_name_in_a_unit_are_the_same(crowded):
    """Where there are more structures than names. Of structures with members, these are compared by name and place."""
    found, here = {}, None
    for tag, it in entries_of(crowded):
        if tag == "compile_unit":
            unit = len(found)
            found[unit] = {}
        elif tag in ("structure_type", "union_type", "enumeration_type") and "name" in it:
            here = [tag, it.get("byte_size")]
            found[unit].setdefault(it["name"], []).append(here)
        elif tag in ("member", "enumerator") and here:
            here.append((it["name"], it.get("data_member_location"), it.get("data_bit_offset"), it.get("const_value")))
        else:
            here = None
    several = [types for names in found.values() for types in names.values()]
    assert all(types.count(types[0]) == len(types) for types in several)
    assert len(several) > 100


@pytest.mark.slow
def test_gdb_shows_them(kind):
    """gdb says how wide bit fields are, and has members that point to structures of which it knows nothing."""
    name, twin = kind
    if name == "none":
        pytest.skip("there are none")
    entries = entries_of(twin.path)
    structures = [(it["name"].strip('"'), it) for tag, it in entries if tag == "structure_type" and "name" in it]
    hidden = [structure for structure, it in structures if "declaration" in it]
    owners = [structure for structure, it in structures if "byte_size" in it]
    command = [tool("gdb"), "-nx", "-batch"]
    command += [part for owner in owners[:60] for part in ("-ex", f"ptype struct {owner}")]
    shown = ask(*command, twin.path)
    assert shown.count("type = struct") == min(len(owners), 60)
    assert set(hidden) & set(re.findall(r"struct (\w+) \*", shown))
    assert (re.search(r"unsigned int \w+ : [1-8];", shown) is not None) == (name != "4")
