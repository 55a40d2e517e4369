"""Indexes of names that dwarf/form/index.h makes for gcc's libraries: llvm, binutils, elfutils and gdb accept them.

The program write_index (tool_index.c) makes an index of the entries that
llvm-dwarfdump shows. llvm says whether an entry is missing from .debug_names, and
gdb's own .gdb_index for the same library must have the same contents.
"""

import re
import shutil
import subprocess

import pytest

from objects import ask, each, tool

ONE = """
struct pair { int a, b; }; typedef struct pair pair_t; enum colour { RED, GREEN }; union word { int i; float f; };
extern int undefined;
long l; unsigned long ul; short s; unsigned short us; long long ll; unsigned long long ull; signed char sc; char c;
unsigned char uc; _Bool b; double d; long double ld; __int128 i128; _Complex double cd;
 static int hidden = 3; int shown = 4; __thread int own; int other(pair_t *);
static const int seven = 7; struct opaque; struct opaque *behind;
static __attribute__((noinline)) int helper(enum colour c, union word *w)
{
    static long kept;
    kept += c;
    return (int)kept + w->i + own + undefined + seven;
}
static inline int twice(int x) { return 2 * x + hidden; }
int first(pair_t *p)
{
    struct inner { union word w; } x = {{p->a}};
again:
    if (p->b-- > 5)
        goto again;
    p->a += helper(GREEN, &x.w) + twice(hidden++);
    return other(p) + shown;
}
"""
TWO = """
struct pair { int a, b; }; typedef struct pair pair_t;
static int hidden = 5;
static inline int twice(int x) { return 2 * x + hidden; }
int other(pair_t *p) { hidden++; return twice(p->a) + twice(p->b); }
"""
CPLUS = """
namespace ns {
struct S { int v; static int count; int get(int k) const; template <class T> T tm(T t) { return t + v; } };
int S::count = 2;
int S::get(int k) const { return v * k + count; }
enum class E { A, B };
int f(E e) { return (int)e; }
typedef long my_long;
int g(my_long l) { return (int)l; }
int over(int i) { return i; }
int over(double d) { return (int)d; }
}
namespace { int anon_var = 7; int anon(int x) { return x + anon_var++; } }
enum plain { P1, P2 };
class K { public: virtual ~K(); virtual int m(); int d; };
K::~K() {}
int K::m() { return d; }
int use(plain p, ns::S &s, K *k)
{
    return anon(p) + s.tm(3) + ns::f(ns::E::A) + ns::over(2.0) + k->m();
}
"""
# More units than one byte of ULEB128 can number.
MANY = [f"struct all {{ long x; }}; int fun_{i}(struct all *a) {{ return (int)a->x + {i}; }}\n" for i in range(131)]
LIBRARIES = {
    "c": (["-O1"], "c", [ONE, TWO]),
    "optimised": (["-O3"], "c", [ONE, TWO]),
    "cplus": (["-O1"], "cpp", [CPLUS]),
    "many": (["-O0"], "c", MANY),
}

TAGS = {
    name: number
    for number, name in enumerate(
        "- array_type class_type entry_point enumeration_type formal_parameter - - imported_declaration - label "
        "lexical_block - member - pointer_type reference_type compile_unit string_type structure_type - "
        "subroutine_type typedef union_type unspecified_parameters variant common_block common_inclusion inheritance "
        "inlined_subroutine module ptr_to_member_type set_type subrange_type with_stmt access_declaration base_type "
        "catch_block const_type constant enumerator file_type friend namelist namelist_item packed_type subprogram "
        "template_type_parameter template_value_parameter thrown_type try_block variant_part variable volatile_type "
        "dwarf_procedure restrict_type interface_type namespace imported_module unspecified_type partial_unit "
        "imported_unit - condition shared_type type_unit rvalue_reference_type template_alias coarray_type "
        "generic_subrange dynamic_type atomic_type call_site call_site_parameter skeleton_unit immutable_type".split()
    )
}
SCOPES = ("namespace", "class_type", "structure_type", "union_type")


class Die:
    def __init__(self, offset, depth, tag, parent):
        self.offset, self.depth, self.tag, self.parent = offset, depth, tag, parent
        self.attributes = {}
        self.origin = None  # the entry that abstract_origin or specification refers to

    def has(self, *names):
        """Whether it has one of these attributes, or the entry that it refers to has."""
        return any(name in self.attributes for name in names) or bool(self.origin and self.origin.has(*names))

    def text(self, name):
        if name in self.attributes:
            return re.fullmatch(r'\("(.*)"\)\n*', self.attributes[name])[1]
        return self.origin and self.origin.text(name)

    @property
    def first(self):
        """The declaration that it completes, if need be by way of an abstract instance; otherwise itself."""
        return self.origin.first if self.origin else self

    @property
    def name(self):
        return self.text("name") or ("(anonymous namespace)" if self.tag == "namespace" else None)

    @property
    def linkage_name(self):
        linkage_name = self.text("linkage_name")
        return linkage_name if linkage_name != self.name else None

    @property
    def qualified_name(self):
        scope = self.first.parent
        if scope and scope.tag == "enumeration_type" and "enum_class" not in scope.attributes:
            scope = scope.parent
        if self.name and scope and scope.tag in (*SCOPES, "enumeration_type"):
            return f"{scope.qualified_name}::{self.name}"
        return self.name

    @property
    def is_local(self):
        return bool(self.parent) and (self.parent.tag == "subprogram" or self.parent.is_local)

    @property
    def flags(self):
        location = self.attributes.get("location", "")
        flags = {
            "d": "declaration" in self.attributes,
            "c": self.has("low_pc", "high_pc", "ranges", "entry_pc"),
            "a": re.search(r"DW_OP_(addr|form_tls_address|GNU_push_tls_address)\b", location),
            "v": self.has("location", "const_value"),
            "e": self.has("external"),
            "l": self.is_local,
        }
        return "".join(flag for flag, is_set in flags.items() if is_set)


class Unit:
    def __init__(self, offset, length):
        self.offset, self.length = offset, length + 4
        self.dies = []

    @property
    def is_cplus(self):
        return "C_plus_plus" in self.dies[0].attributes["language"]

    @property
    def addresses(self):
        attributes = self.dies[0].attributes
        numbers = re.findall("0x([0-9a-f]{16})", attributes.get("ranges") or attributes["low_pc"] + attributes["high_pc"])
        return min(int(number, 16) for number in numbers), max(int(number, 16) for number in numbers)


def read_units(path):
    units, stack, by_offset, attribute = [], [], {}, None
    for line in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), path).splitlines():
        if unit := re.match("0x([0-9a-f]+): Compile Unit: length = 0x([0-9a-f]+)", line):
            units.append(Unit(int(unit[1], 16), int(unit[2], 16)))
            stack = []
        elif tag := re.match(r"0x([0-9a-f]+):( +)DW_TAG_(\w+)", line):
            while stack and stack[-1].depth >= len(tag[2]):
                stack.pop()
            die = Die(int(tag[1], 16), len(tag[2]), tag[3], stack[-1] if stack else None)
            stack.append(die)
            units[-1].dies.append(die)
            by_offset[die.offset] = die
        elif value := re.match(r" +DW_AT_(\w+)\t(.*)", line):
            attribute = value[1]
            die.attributes[attribute] = value[2]
        elif line.startswith(" "):
            die.attributes[attribute] = die.attributes.get(attribute, "") + line
    for die in by_offset.values():
        reference = die.attributes.get("abstract_origin") or die.attributes.get("specification")
        die.origin = by_offset[int(re.match("\\(0x([0-9a-f]+)", reference)[1], 16)] if reference else None
    return units


class Strings:
    """A table of strings. Those whose first byte is odd are there twice, and offset() returns either place in turn."""

    def __init__(self, data=b""):
        self.data, self.known, self.turn = data, {}, 0
        for text in data.split(b"\0")[:-1]:
            self.known.setdefault(text, [data.index(text + b"\0")])

    def offset(self, text):
        if text is None:
            return -1
        text = text.encode()
        places = self.known.setdefault(text, [])
        if not places or (len(places) == 1 and text[0] & 1):
            places.append(len(self.data))
            self.data += text + b"\0"
        self.turn += 1
        return places[self.turn % len(places)]


class Indexed:
    """A library, and a copy of it with an index, which lacks entries of the name `without`."""

    def __init__(self, programs, path, kind, without=None):
        kind_of = f"{kind}-without-{without}" if without else kind
        self.plain = path
        self.path, strings, output = (path.with_suffix(f".{kind_of}.{suffix}") for suffix in ["so", "strings", "index"])
        ask("objcopy", "--dump-section", f".debug_str={strings}", path, "/dev/null")
        self.strings = Strings(strings.read_bytes() if kind == "names" else b"")
        self.units = read_units(path)
        rows = "".join(row for unit in self.units for row in self.rows(unit, kind, without))
        strings.write_bytes(self.strings.data)
        done = subprocess.run(
            [programs.path("write_index"), kind, strings, output], input=rows, text=True, capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        self.names, self.entries = (int(number) for number in re.findall(r"\d+", done.stdout))
        command = ["objcopy", "--add-section", f"{'.debug_names' if kind == 'names' else '.gdb_index'}={output}"]
        if kind == "names":
            command += ["--update-section", f".debug_str={strings}"]
        ask(*command, path, self.path)

    def rows(self, unit, kind, without):
        yield f"unit {unit.offset} {unit.length} {unit.addresses[0]} {unit.addresses[1]}\n"
        for die in unit.dies:
            name = self.strings.offset(die.name if kind == "names" else die.qualified_name)
            linkage_name = self.strings.offset(die.linkage_name if kind == "names" else None)
            flags = die.flags + ("+" if unit.is_cplus else "")
            if die.tag in TAGS and not (without and die.name == without):
                yield f"die {die.offset - unit.offset} {TAGS[die.tag]} {flags or '-'} {name} {linkage_name}\n"


@pytest.fixture(scope="module", params=LIBRARIES)
def library(request, tmp_path_factory):
    return build(request.param, tmp_path_factory.mktemp(request.param))


def build(name, directory):
    options, suffix, texts = LIBRARIES[name]
    sources = [directory / f"source_{i}.{suffix}" for i in range(len(texts))]
    for source, text in zip(sources, texts):
        source.write_text(text)
    path = directory / f"{name}.so"
    ask(tool("g++" if suffix == "cpp" else "gcc"), "-gdwarf-5", *options, "-fPIC", "-shared", "-o", path, *sources)
    return path


@pytest.fixture(scope="module")
def names(programs, library):
    return Indexed(programs, library, "names")


@pytest.fixture(scope="module")
def gdb_index(programs, library):
    return Indexed(programs, library, "gdb")


def errors_of(done):
    return [line for line in (done.stdout + done.stderr).splitlines() if re.match("error|warning", line)]


def verify(path):
    """Verifies all of `many`, and .debug_names alone of optimised code, at whose call sites llvm may never end."""
    command = [tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", path]
    if "many" not in path.name:
        command.append("--debug-names")
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60)


@pytest.mark.alike(4)
@pytest.mark.slow
def test_llvm_verifies_debug_names(names):
    done = verify(names.path)
    assert "Verifying .debug_names" in done.stdout
    assert errors_of(done) == []
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "No errors.")


@pytest.mark.alike
def test_llvm_misses_an_entry(programs, library):
    """The test above is able to fail: llvm reports the entry that an index lacks."""
    missing = "fun_7" if "many" in library.name else "plain" if "cplus" in library.name else "behind"
    said = errors_of(verify(Indexed(programs, library, "names", without=missing).path))
    assert len(said) == 1 and f"with name {missing} missing" in said[0]


def test_llvm_reads_debug_names(names):
    shown = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-names", names.path)
    assert f"Name count: {names.names}\n" in shown
    assert f"CU count: {len(names.units)}\n" in shown
    assert shown.count("Entry @") == names.entries
    listed = set(re.findall(r'^ *String: 0x[0-9a-f]+ "(.*)"$', shown, flags=re.M))
    assert len(listed) == names.names


def test_readelf_reads_debug_names(names):
    shown = ask("readelf", "--debug-dump=gdb_index", names.path)
    assert len(re.findall(r"^\[ *\d+\] #", shown, flags=re.M)) == names.names
    assert shown.count("DW_IDX_die_offset=") == names.entries


def index_by_readelf(path):
    shown = ask("readelf", "-W", "--debug-dump=gdb_index", path)
    tables = re.split("^(CU|TU|Address|Symbol) table:$", shown, flags=re.M)
    return {name: rows.split("\n") for name, rows in zip(tables[1::2], tables[2::2])}


def symbols_by_readelf(rows):
    """{name: {units with their attributes}}"""
    found = {}
    name = None
    for row in rows:
        if start := re.match(r"\[ *\d+\] (.*?):(?: (\d.*))?$", row):
            name, row = start[1], start[2] or ""
            found[name] = set()
        found.setdefault(name, set()).update(re.findall(r"\d+ \[[^]]*\]", row))
    found.pop(None)
    return found


def first_of_variables(units):
    variables = sorted((unit for unit in units if "variable]" in unit), key=lambda unit: int(unit.split()[0]))
    return units - set(variables[1:])


def test_contents_are_those_of_gdbs_own(gdb_index, tmp_path):
    own = tmp_path / "own.so"
    shutil.copy(gdb_index.plain, own)
    ask(tool("gdb-add-index"), own)
    ours, gdbs = index_by_readelf(gdb_index.path), index_by_readelf(own)
    assert ours["CU"] == gdbs["CU"]
    assert len(symbols_by_readelf(ours["Symbol"])) == gdb_index.names
    found, expected = symbols_by_readelf(ours["Symbol"]), symbols_by_readelf(gdbs["Symbol"])
    # of a variable that several units have, gdb 13 keeps the first unit alone; later versions keep all, as ours does
    assert {name: first_of_variables(units) for name, units in found.items()} == expected


def test_elfutils_read_gdb_index(gdb_index):
    shown = ask(tool("eu-readelf"), "--debug-dump=gdb_index", gdb_index.path)
    assert f"{gdb_index.names} used" in shown or shown.count("[") >= gdb_index.names


def ask_gdb(path, commands):
    debugger = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null", "-iex", "set complaints 100"]
    for command in ["set language auto", f"file {path}", *commands]:
        debugger += ["-ex", f"echo > {command}\\n", "-ex", command]
    done = subprocess.run(debugger, capture_output=True, text=True, timeout=120)
    assert not re.search(r"\.debug_names|\.gdb_index", done.stderr), done.stderr
    return done.stdout.replace(str(path), "FILE") + done.stderr.replace(str(path), "FILE")


QUESTIONS = {
    "c": [
        *(f"{what} {name}" for name in ["first", "helper", "other"] for what in ["break", "info line"]),
        *("info scope first", "print &shown", "print &'source_1.c'::hidden", "print &behind"),
        *("ptype struct pair", "ptype pair_t", "info line source_1.c:4", "break source_0.c:20", "list helper"),
    ],
    "cplus": ["break use", "info line use", "info scope use", "ptype use"],
    "many": ["break fun_0", "break fun_127", "break fun_128", "info line fun_130", "ptype struct all"],
}
QUESTIONS["optimised"] = ["break first", "info line other", "info scope first", "ptype struct pair"]
# What gdb 13 finds with .gdb_index and not with .debug_names. With the latter it finds no tagged types but structures,
# and no functions but those with code of their own. It looks up a qualified name whole, where each scope has an entry.
GDB_QUESTIONS = {
    "c": ["ptype union word", "ptype enum colour", "print GREEN", "break twice", "print &hidden", "ptype ul", "whatis ull"],
    "cplus": [
        *("ptype K", "ptype plain", "print P2", "break anon", "info line anon", "info line K::m", "ptype ns::g"),
        *("print &'(anonymous namespace)::anon_var'", "print &ns::S::count", "print ns::E::B", "whatis ns::my_long"),
        *("break ns::f", "break ns::over", "info line ns::S::get", "break ns::S::tm<int>", "ptype ns::S", "ptype ns::E"),
    ],
}


def same_answers(indexed, questions):
    """Asks each question in a gdb of its own, because gdb does not look up again what it read for an earlier one."""
    answers = each(lambda question: [ask_gdb(path, [question]) for path in (indexed.plain, indexed.path)], questions)
    assert [pair[1] for pair in answers] == [pair[0] for pair in answers]
    assert not [pair for pair in answers if re.search("^No symbol|No struct|not defined", pair[0], flags=re.M)]


@pytest.mark.alike(2)
@pytest.mark.slow
def test_gdb_answers_the_same_with_debug_names(names):
    assert ".debug_names: exists" in ask_gdb(names.path, ["maint print objfiles"])
    same_answers(names, QUESTIONS[names.plain.stem])


@pytest.mark.alike(2)
@pytest.mark.slow
def test_gdb_answers_the_same_with_gdb_index(gdb_index):
    assert ".gdb_index: version 8" in ask_gdb(gdb_index.path, ["maint print objfiles"])
    same_answers(gdb_index, QUESTIONS[gdb_index.plain.stem] + GDB_QUESTIONS.get(gdb_index.plain.stem, []))


@pytest.mark.parametrize("kind", ["names", "gdb"])
def test_gdb_looks_nowhere_else(programs, tmp_path, kind):
    """A name that the index lacks is one that gdb does not know."""
    path = build("c", tmp_path)
    assert "type = struct pair" in ask_gdb(Indexed(programs, path, kind).path, ["ptype struct pair"])
    broken = Indexed(programs, path, kind, without="pair")
    assert "No struct type named pair" in ask_gdb(broken.path, ["ptype struct pair"])
