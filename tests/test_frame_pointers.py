"""Functions that have a frame pointer, and functions whose frame is found by %rsp alone: how many a capture counts, and
what twins make of them. The judges are readelf and objdump: at each instruction, the table has to say where the frame
is that the instructions before it have led to.
"""

import bisect
import itertools
import re
import subprocess

import pytest

from objects import ask, program_that_calls, section, tool
from test_exceptions import has_section
from test_rows_extra import check_readers, make
from captures import Capture
from test_twin import Twin

# In this order: all functions without a frame pointer; six in ten, with what their entries take at least; debug
# information, room for some; exception tables, and functions that begin with an endbr64; no room for any; cold parts;
# much room, and no constants; some functions of more than 64 KiB, and exception tables; few functions, and far more
# room than these can use; frame pointers alone, and room for registers; the same with cold parts and exception tables;
# rows that do not say it.
ROWS = [
    """{kind: utility, text: 200000, data: 4000, bss: 900, symtab: 4800, strtab: 6000, functions: 120,
        share: {code: 150000, unwind: 12000}, unwind-rsp: 100}""",
    """{kind: utility, text: 90000, data: 4000, bss: 900, symtab: 4800, strtab: 6000, functions: 120,
        share: {code: 70000, unwind: 5700}, unwind-rsp: 60, unwind-rbp: 40}""",
    """{kind: utility, text: 120000, data: 4000, bss: 900, debug: 300000, symtab: 4800, strtab: 6000, functions: 120,
        share: {code: 100000, unwind: 9000}, unwind-rsp: 119, unwind-rbp: 1}""",
    """{kind: utility, text: 160000, data: 4000, bss: 900, symtab: 4800, strtab: 6000, functions: 120,
        cf-protection: true, share: {code: 120000, unwind: 16000}, relocations: {relative: 70},
        exceptions: {table: 1500, functions: 40}, unwind-rsp: 100}""",
    """{kind: utility, text: 60000, data: 4000, bss: 900, symtab: 4800, strtab: 6000, functions: 120,
        share: {code: 50000, unwind: 4000}, unwind-rsp: 100}""",
    """{kind: utility, text: 200000, data: 4000, bss: 900, symtab: 9600, strtab: 9000, functions: 160,
        share: {code: 160000, unwind: 20000}, unwind-rsp: 160, cold: 40, cold-code: 3000}""",
    """{kind: utility, text: 90000, data: 4000, bss: 900, symtab: 4800, strtab: 6000, functions: 40,
        share: {code: 70000, unwind: 9000}, relocations: {relative: 3}, unwind-rsp: 60, unwind-rbp: 0}""",
    """{kind: utility, text: 4000000, data: 4000, bss: 900, symtab: 960, strtab: 1200, functions: 30,
        function-sizes: '400 1000 9000 20000 70000*2 90000 200000 300000*2 400000', share: {code: 3900000, unwind: 9000},
        relocations: {relative: 70}, exceptions: {table: 900, functions: 10}, unwind-rsp: 100}""",
    """{kind: utility, text: 300000, data: 4000, bss: 900, symtab: 9600, strtab: 9000, functions: 200,
        share: {code: 240000, unwind: 20000}, unwind-rsp: 4, unwind-rbp: 196}""",
    """{kind: utility, text: 90000, data: 4000, bss: 900, symtab: 4800, strtab: 6000, functions: 120,
        share: {code: 70000, unwind: 6400}, unwind-rsp: 0, unwind-rbp: 120}""",
    """{kind: utility, text: 200000, data: 4000, bss: 900, symtab: 9600, strtab: 9000, functions: 160,
        share: {code: 150000, unwind: 16000}, unwind-rbp: 160, cold: 40, cold-code: 3000, cf-protection: true,
        relocations: {relative: 70}, exceptions: {table: 1500, functions: 90}}""",
    """{kind: module, text: 90000, data: 9000, bss: 900, symtab: 4800, strtab: 6000, functions: 60,
        share: {code: 60000, unwind: 6000}}""",
    """{kind: module, text: 90000, data: 9000, bss: 900, debug: 300000, symtab: 4800, strtab: 6000, functions: 60,
        share: {code: 60000, unwind: 6000}, unwind-rsp: 60, cf-protection: true}""",
    """{kind: module, text: 90000, data: 9000, bss: 900, symtab: 4800, strtab: 6000, functions: 60, methods: 3,
        relocations: {relative: 9}, share: {code: 60000, unwind: 6000}, unwind-rsp: 60, init-code: 90}""",
]
PATHS = [*(f"libutility{i}.so" for i in range(11)), *(f"libmodule{i}.so" for i in range(3))]


class Entry:
    """One entry of .eh_frame as readelf tells it: the function's place, and what holds from each address on."""

    def __init__(self, start, end):
        self.start, self.end = start, end
        self.rows = []  # (address, CFA, {register: place})

    def at(self, address):
        _, cfa, saved = self.rows[bisect.bisect_right([row[0] for row in self.rows], address) - 1]
        return cfa, saved

    def kind(self):
        """"rbp", "rsp", or None for a function without a frame or one whose CFA is an expression."""
        places = {cfa for _, cfa, _ in self.rows}
        if "exp" in places:
            return None
        return "rbp" if any(cfa.startswith("rbp") for cfa in places) else "rsp" if len(places) > 1 else None


def entries(path):
    found, columns = [], []
    for line in ask("readelf", "--debug-dump=frames-interp", "-W", path).splitlines():
        begins = re.search(r" FDE .* pc=(\w+)\.\.(\w+)$", line)
        if begins:
            found.append(Entry(int(begins[1], 16), int(begins[2], 16)))
        elif line.split()[:1] == ["LOC"]:
            columns = line.split()[2:]
        elif found and re.match(r"[0-9a-f]{16} ", line):
            address, cfa, *places = line.split()
            found[-1].rows.append((int(address, 16), cfa, dict(zip(columns, places))))
    for entry in found:
        entry.rows = entry.rows or [(entry.start, "rsp+8", {})]
    return found


def instructions(path):
    """[(address, text)] of .text, in order."""
    rows = re.findall(r"^ +(\w+):\t(.+?)(?: +#.*)?$", ask("objdump", "-dw", "--no-show-raw-insn", "-j.text", path), flags=re.M)
    return [(int(address, 16), re.sub(r" +", " ", text)) for address, text in rows]


class Machine:
    """How far %rsp is below the CFA, and where registers are saved, by the instructions so far."""

    KEPT = {"rbx", "rbp", "r12", "r13", "r14", "r15"}

    def __init__(self):
        self.depth, self.base, self.saved, self.popped = 8, {}, {}, set()

    def step(self, text):
        operation, _, operands = text.partition(" ")
        first, _, last = operands.rpartition(",")
        register = operands.removeprefix("%")
        if operation == "push":
            self.depth += 8
            if register in self.KEPT:
                self.saved.setdefault(register, self.depth)
        elif operation == "pop":
            self.depth -= 8
            self.popped.add(register)
        elif operation == "leave":
            self.depth = self.base["rbp"] - 8
        elif operation in ("add", "sub") and last == "%rsp":
            number = int(first.removeprefix("$"), 16)
            number -= 2**64 if number >= 2**63 else 0
            self.depth += number if operation == "sub" else -number
        elif text in ("mov %rsp,%rbp", "mov %rsp,%rbx"):
            self.base[last[1:]] = self.depth
        elif text == "mov %rbx,%rsp":
            self.depth = self.base["rbx"]

    def cfa(self, said):
        """What the CFA is from the register that the table names."""
        register = said.partition("+")[0]
        return f"{register}+{self.depth if register == 'rsp' else self.base.get(register)}"


def check_frames(path, parts=False):
    """Walks through each function. Returns how many entries are by %rsp and by %rbp, and the frames that were seen where
    a part of a function begins."""
    code_of = instructions(path)
    addresses = [address for address, _ in code_of]
    kinds = {"rsp": 0, "rbp": 0, None: 0}
    found = entries(path)
    for entry in found:
        span = code_of[bisect.bisect_left(addresses, entry.start) : bisect.bisect_left(addresses, entry.end)]
        is_part = entry.rows[0][1] != "rsp+8"
        if not span or (is_part and parts):
            continue
        kinds[entry.kind()] += 1
        machine = Machine()
        assert {row[0] for row in entry.rows} <= {address for address, _ in span}
        for address, text in span:
            cfa, saved = entry.at(address)
            assert machine.cfa(cfa) == cfa, f"{path}: {address:x}: {text}"
            kept = {register: place for register, place in saved.items() if register != "ra" and place != "u"}
            there = {register: f"c-{depth}" for register, depth in machine.saved.items()}
            # until it is changed a register is as it was, so that gcc tells of several pushes at once
            assert kept.items() <= there.items(), f"{path}: {address:x}: {text}"
            if not re.match(r"push +%|mov +%edi,%ebp", text):
                assert there.keys() - kept.keys() <= machine.popped, f"{path}: {address:x}: {text}"
            # what is further below %rsp a signal handler may overwrite (psABI 3.2.2, the red zone)
            assert all(machine.saved[register] - machine.depth <= 128 for register in kept), f"{path}: {address:x}"
            if entry.kind() == "rsp":
                assert "(%rbp" not in text
            if text.startswith("ret"):
                assert machine.depth == 8
            machine.step(text)
    return kinds, found, dict(code_of)


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("frames"), ROWS)


def test_the_table_tells_where_the_frame_is(made):
    """At each instruction, in the proportion of the row, as far as entries have room for it."""
    directory, differs = made
    numbered = [120, 120, 120, 120, 120, 160, 40, 30, 200, 120, 160, 60, 60, 60]
    for number, (name, functions_of) in enumerate(zip(PATHS, numbered)):
        kinds, _, _ = check_frames(directory / name, parts=number in (5, 10))
        told = differs[number]
        made_of = {kind: told.get(f"unwind-{kind}", [None, None])[1] for kind in ("rsp", "rbp")}
        if number in (9, 10, 11):
            assert kinds["rsp"] == 0 and kinds["rbp"] >= 50
            continue
        for kind, wanted in re.findall(r"unwind-(\w+): (\d+)", ROWS[number]):
            parts = 0 if number != 5 else made_of[kind] - kinds[kind] if made_of[kind] is not None else 0
            assert kinds[kind] + parts == (int(wanted) if made_of[kind] is None else made_of[kind])
        share = {1: 0.6, 4: 0, 8: 0.02}.get(number, 1)
        assert kinds["rsp"] <= functions_of + 7 and abs(kinds["rsp"] - share * (kinds["rsp"] + kinds["rbp"] - 5)) <= 6


def test_sizes_of_tables_are_the_rows(made):
    for name, row in zip(PATHS, ROWS):
        path = made[0] / name
        unwind = sum(section(path, s)[2] for s in (".eh_frame", ".eh_frame_hdr"))
        unwind += section(path, ".gcc_except_table")[2] if has_section(path) else 0
        wanted = int(re.search(r"unwind: (\d+)", row)[1])
        assert unwind in range(wanted - 7, wanted + 1) or (wanted == 4000 and unwind > wanted)


def test_rows_say_something(made):
    """Hardly any row of a table repeats the one before, and entries are of many lengths."""
    path = made[0] / PATHS[0]
    found = [entry for entry in entries(path) if entry.kind() == "rsp"]
    pairs = [pair for entry in found for pair in itertools.pairwise(entry.rows)]
    same = sum(before[1:] == behind[1:] for before, behind in pairs)
    assert same < len(pairs) / 10
    assert len({len(entry.rows) for entry in found}) > 10
    saved = [max(len([r for r, p in row[2].items() if r != "ra" and p != "u"]) for row in e.rows) for e in found]
    assert set(saved) == {0, 1, 2, 3, 4, 5, 6} and saved.count(0) == 4  # helpers


def test_no_entry_takes_more_than_it_can_use(made):
    """What functions without a frame pointer have no code for is spread over all entries."""
    path = made[0] / PATHS[8]
    sizes = {}
    for size, start in re.findall(r"^\w{8} 0*(\w+) \w{8} FDE .* pc=(\w+)\.\.", ask("readelf", "-wf", path), flags=re.M):
        sizes[int(start, 16)] = int(size, 16)
    pointed = [sizes[entry.start] for entry in entries(path) if entry.kind() == "rbp"]
    assert len(pointed) > 150 and sorted(pointed)[8] > 60 and max(sizes.values()) < 2000  # but for helpers


def test_thousands_of_functions(programs, tmp_path):
    """Each entry has room for what it has to say, however near that comes to what it has."""
    row = """{kind: utility, text: 12000000, data: 4000, bss: 900, symtab: 480000, strtab: 600000, functions: 15000,
        share: {code: 6800000, unwind: 1200000}, unwind-rsp: 100}"""
    directory, _ = make(programs, tmp_path, [row])
    assert len([e for e in entries(directory / PATHS[0]) if e.kind() == "rsp"]) > 12000


def test_clangs_form(programs, tmp_path):
    """Debug information that is written again as clang does finds variables below %rbx, too."""
    top = "pyelfgen-profile: 1\ndwarf: {compiler: clang}\nlibraries:\n"
    (tmp_path / "clang.prof").write_text(f"{top}- {ROWS[2]}\n")
    programs.run("pyelfgen", "--profile", tmp_path / "clang.prof", "-o", tmp_path / "set")
    path = tmp_path / "set" / "libutility0.so"
    assert check_frames(path)[0]["rsp"] > 100
    assert "DW_OP_breg6" not in re.sub(r"DW_OP_breg6 RBP\+16", "", ask(tool("llvm-dwarfdump"), "--debug-info", path))
    assert "No errors" in ask(tool("llvm-dwarfdump"), "--verify", path)


@pytest.mark.parametrize("number", [5, 10])
def test_parts_have_the_frame_of_their_function(made, number):
    """Where a part jumps back to, the frame is what it was in the part."""
    _, found, code_of = check_frames(made[0] / PATHS[number], parts=True)
    parts = [entry for entry in found if entry.rows[0][1] != "rsp+8" and "exp" not in str(entry.rows)]
    parts = [entry for entry in parts if any(address in code_of for address, _, _ in entry.rows)]
    assert len(parts) == 40
    seen = set()
    for part in parts:
        address = max(a for a in code_of if part.start <= a < part.end)
        back = int(re.fullmatch(r"jmp (\w+).*", code_of[address])[1], 16)
        (host,) = [entry for entry in found if entry.start <= back < entry.end]
        (_, cfa, saved), *more = part.rows
        where, there = host.at(back)
        assert not more and (cfa, {r: p for r, p in saved.items() if p != "u"}) == (where, {r: p for r, p in there.items() if p != "u"})
        seen.add(cfa)
    assert len(seen) > 2 or number == 10


def test_functions_with_a_frame_pointer_save_registers(made):
    """From none to all, as many as their entries have room for, and in hardly any row of the table is nothing new."""
    found = [entry for entry in entries(made[0] / PATHS[9]) if entry.kind() == "rbp"]
    saved = [max(len([r for r, p in row[2].items() if r != "ra" and p != "u"]) for row in e.rows) for e in found]
    assert set(saved) == {1, 2, 3, 4, 5, 6} and sum(saved) > 3.5 * len(saved)
    pairs = [pair for entry in found for pair in itertools.pairwise(entry.rows)]
    assert sum(before[1:] == behind[1:] for before, behind in pairs) < len(pairs) / 4


def test_readers_have_nothing_to_say(made):
    check_readers([made[0] / name for name in PATHS])


def test_the_set_runs(made, programs):
    done = programs.run("pyelfrun", made[0])
    assert re.search(r"^(\d+) of \d+ functions visited as the manifest says, every result right$", done.stdout, flags=re.M)


def test_a_debugger_sees_through_words_on_the_stack(made, tmp_path):
    """gdb finds the callers of what a function calls with words on the stack, without any frame pointer to help it."""
    path = made[0] / PATHS[2]
    program = program_that_calls(tmp_path)
    by_address = instructions(path)
    symbols = re.findall(r"^(\w+) (\w+) [tT] (\S+)$", ask("nm", "-S", path), flags=re.M)
    spans = [(int(address, 16), int(size, 16), name) for address, size, name in symbols]
    passing = [
        here
        for (_, push), (_, _), (_, _), (here, text) in zip(by_address, by_address[1:], by_address[2:], by_address[3:])
        if re.match(r"push .*\(%rbx\)", push) and text.startswith("call")
    ]
    name, address, here = next(
        (name, address, here)
        for here in passing
        for address, size, name in spans
        if address < here < address + size
    )
    commands = ["set debuginfod enabled off", "set breakpoint pending on", f"break {name}", "run", "delete"]
    commands += [f"break *((long)&{name} + {here - address})", "continue", "stepi", "backtrace"]
    arguments = [part for c in commands for part in ("-ex", c)]
    command = [tool("gdb"), "-q", "-nx", "-batch", *arguments, "--args", program, path, f"{address:x}"]
    text = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    assert re.search(rf"^#0 .*helper.*\n#1 .* {name} \(.*\n(#2 .* main \()", text, flags=re.M), text


# --- captures --------------------------------------------------------------------------------

SOURCE = """
extern long take(long, long, long, long, long, long, long, long);
extern void use(void *);
long leaf(long a) { return a * 3; }
long plain(long a) { long x = take(a, 1, 2, 3, 4, 5, 6, 7); return x + take(a, x, 2, 3, 4, 5, 6, 7); }
long variable(long a) { use(__builtin_alloca(a)); return a; }
long saves(long a, long b, long c) { use(&a); use(&b); return a + b + c; }
"""


@pytest.mark.parametrize("options", [["-O2"], ["-O0"], ["-O2", "-fno-omit-frame-pointer"], ["-Os"], ["-O2", "clang"]], ids="-".join)
def test_frames_are_counted(programs, tmp_path, options):
    """As many entries of either kind as readelf tells."""
    compiler = tool("clang") if "clang" in options else tool("gcc")
    (tmp_path / "f.c").write_text(SOURCE)
    flags = [option for option in options if option != "clang"]
    subprocess.run([compiler, *flags, "-fPIC", "-shared", tmp_path / "f.c", "-o", tmp_path / "libf.so"], check=True)
    programs.run("pyelfprof", "-o", tmp_path / "f.prof", tmp_path / "libf.so")
    (row,) = Capture(tmp_path / "f.prof").rows
    kinds = [entry.kind() for entry in entries(tmp_path / "libf.so")]
    assert (row.get("unwind-rsp", 0), row.get("unwind-rbp", 0)) == (kinds.count("rsp"), kinds.count("rbp"))
    assert kinds.count("rbp") >= 1 and len(kinds) >= 5


def test_a_twin_has_the_real_frames(programs, tmp_path):
    """As near as functions of a twin can be."""
    text = SOURCE.split("long leaf")[0]
    each = SOURCE[len(text) :]
    text += "".join(each.replace("(long a", f"{n}(long a").replace("return ", f"return {n} * ") for n in range(2, 62))
    (tmp_path / "f.c").write_text(text)
    command = [tool("gcc"), "-O2", "-fPIC", "-shared", tmp_path / "f.c", "-o", tmp_path / "libf.so"]
    subprocess.run(command, check=True)
    twin = Twin(programs, tmp_path / "libf.so", tmp_path / "twin")
    (real,), (mine,) = twin.real, twin.made
    assert 60 <= real["unwind-rbp"] < real["unwind-rsp"]
    share = [row["unwind-rsp"] / (row["unwind-rsp"] + row["unwind-rbp"]) for row in (real, mine)]
    assert abs(share[0] - share[1]) < 0.02
    kinds, _, _ = check_frames(twin.path / "libutility0.so")
    assert (kinds["rsp"], kinds["rbp"]) == (mine["unwind-rsp"], mine["unwind-rbp"])


def test_parts_count_in_the_proportion(programs, tmp_path):
    """A twin of a twin has as many of either kind, where cold parts have the frames of their functions."""
    row = """{kind: utility, text: 300000, data: 4000, bss: 900, symtab: 19600, strtab: 19000, functions: 200,
        share: {code: 250000, unwind: 30000}, cold: 80, cold-code: 5000, unwind-rsp: 50, unwind-rbp: 50}"""
    made, _ = make(programs, tmp_path, [row])
    found = []
    for _ in range(3):
        programs.run("pyelfprof", "-o", tmp_path / "again.prof", made / PATHS[0])
        (said,) = Capture(tmp_path / "again.prof").rows
        found.append((said["unwind-rsp"], said["unwind-rbp"]))
        programs.run("pyelfgen", "--profile", tmp_path / "again.prof", "-o", made, "--force")
    assert len(set(found)) == 1 and abs(found[0][0] - found[0][1]) <= 2


def test_old_profiles_are_not_compared_by_frames(programs, tmp_path, made):
    """A profile from before frames were counted does not say that there are none."""
    programs.run("pyelfprof", "-o", tmp_path / "new.prof", made[0] / PATHS[0])
    old = re.sub(r" unwind-r[sb]p: \d+,", "", (tmp_path / "new.prof").read_text())
    (tmp_path / "old.prof").write_text(old)
    shown = programs.run("pyelfstat", "--compare", tmp_path / "old.prof", tmp_path / "new.prof").stdout
    assert "unwind-rsp" in re.search(r"^.*not .*$", shown, flags=re.M)[0]
    assert not re.search(r"^  unwind-r", shown, flags=re.M)
