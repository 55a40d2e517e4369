"""Cold parts of functions: counted in real libraries, and what twins make of them. The judges are nm, readelf, objdump
and gdb."""

import collections
import json
import re
import struct
import subprocess

import pytest

from objects import ask, dwarfdump_complaints, program_that_calls, section, tool
from test_twin import Twin

FUNCTIONS = 120
# An unlikely part that gcc moves away. Names and sizes differ, and every third function is local.
FUNCTION = """
{binding}long work_{name}{n}(long *a, long count)
{{
    long s = {n};
    for (long i = 0; i < count; i++) {{
        if (__builtin_expect(a[i] < 0, 0)) {{
            fail("negative {n}", (int)i);
            {calls}
            s -= a[i];
        }}
        s += a[i] * {n} ^ (s >> 3);
        s += (a[i] + s) % ({n} + 3);
        s ^= a[i] * s + (s << 2) - count * {n};
    }}
    return s;
}}
"""


def write_sources(directory, calls_most):
    """Two sources with half of the functions each."""
    for half in range(2):
        text = ["extern void fail(const char *, int) __attribute__((cold));\n"]
        for n in range(1 + half * FUNCTIONS // 2, 1 + (half + 1) * FUNCTIONS // 2):
            calls = "".join(f'fail("again {k}", {k}); ' for k in range(n % calls_most))
            binding = "" if n % 3 else "static __attribute__((noinline, used)) "
            text.append(FUNCTION.format(n=n, name="x" * (n % 13), binding=binding, calls=calls))
        text.append("".join(f"long small_{n}(long x) {{ return x * {n}; }}\n" for n in range(30 * half, 30 * half + 30)))
        (directory / f"work{half}.c").write_text("".join(text))


def make_twin(programs, directory, options, calls_most):
    write_sources(directory, calls_most)
    sources = [directory / "work0.c", directory / "work1.c"]
    command = [tool("gcc"), "-O2", *options, "-fPIC", "-shared", *sources, "-o"]
    subprocess.run([*command, directory / "libwork.so"], check=True)
    return Twin(programs, directory / "libwork.so", directory / "twin")


@pytest.fixture(scope="module", params=[["-g"], [], ["-g1"]], ids=["debug", "plain", "lines"])
def twin(request, programs, tmp_path_factory):
    return make_twin(programs, tmp_path_factory.mktemp("cold"), request.param, 4)


@pytest.fixture(scope="module", params=[["-g"], ["-gdwarf-4"], ["-g", "-x", "c++"]], ids=["5", "4", "cpp"])
def described(request, programs, tmp_path_factory):
    """Twins whose debug information describes cold parts, most of which have some hundred bytes."""
    return make_twin(programs, tmp_path_factory.mktemp("described"), request.param, 20)


def symbols(path):
    """{name: (address, bytes, binding)} of the functions in .symtab."""
    rows = re.findall(
        r"^ *\d+: ([0-9a-f]{16}) +(\d+) FUNC +(\S+) .* \d+ (\S+)$",
        ask("readelf", "-sW", path).split("'.symtab'")[1],
        flags=re.M,
    )
    return {name: (int(address, 16), int(size), binding) for address, size, binding, name in rows}


def parts(path):
    return {name: value for name, value in symbols(path).items() if name.endswith(".cold")}


def test_the_capture_counts_them(twin):
    (wanted,) = twin.real
    found = parts(twin.directory.parent / "libwork.so")
    assert len(found) >= FUNCTIONS
    assert wanted["cold"] == len(found)
    assert wanted["cold-code"] == sum(size for _, size, _ in found.values())


def test_parts_are_of_functions(twin):
    """Each has the name of a function with .cold behind it, and is local. As many are there as the twin says."""
    (made,) = twin.made
    all_ = symbols(twin.path / "libutility0.so")
    found = parts(twin.path / "libutility0.so")
    assert made["cold"] == len(found) > FUNCTIONS / 3
    assert made["cold-code"] == sum(size for _, size, _ in found.values())
    for name, (_, _, binding) in found.items():
        assert binding == "LOCAL" and name.removesuffix(".cold") in all_, name
    listed = twin.differences().get(0, {})
    (wanted,) = twin.real
    assert listed.get("cold", [made["cold"]] * 2) == [wanted["cold"], made["cold"]]


def test_parts_are_before_all_other_code(twin):
    """As GNU ld has them: from the beginning of .text on, one behind the other. What follows is aligned again."""
    library = twin.path / "libutility0.so"
    text, _, size = section(library, ".text")
    spans = sorted((address, address + bytes_) for address, bytes_, _ in parts(library).values())
    assert spans[0][0] == text and all(end == start for (_, end), (start, _) in zip(spans, spans[1:]))
    for path in (library, twin.directory.parent / "libwork.so"):
        end = max(address + bytes_ for address, bytes_, _ in parts(path).values())
        text, _, size = section(path, ".text")
        others = {
            name: address
            for name, (address, _, _) in symbols(path).items()
            if text <= address < text + size and not name.endswith(".cold")
        }
        assert min(others.values()) >= end, path
    assert min(others.values()) % 16 == 0


def test_unwinders_find_them(twin):
    """.eh_frame_hdr is sorted by address, and has each part with the entry that begins there."""
    library = twin.path / "libutility0.so"
    address, offset, size = section(library, ".eh_frame_hdr")
    data = library.read_bytes()[offset : offset + size]
    rows = [(address + start, address + at) for start, at in struct.iter_unpack("<ii", data[12:])]
    assert rows == sorted(rows) and len(rows) == struct.unpack_from("<I", data, 8)[0]
    frames = ask("readelf", "--debug-dump=frames", library)
    frame_address = section(library, ".eh_frame")[0]
    entries = re.findall(r"^([0-9a-f]{8}) [0-9a-f]{16} [0-9a-f]{8} FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", frames, re.M)
    told = {frame_address + int(at, 16): (int(start, 16), int(end, 16)) for at, start, end in entries}
    assert all(told[at][0] == start for start, at in rows)
    found = set(told.values())
    for name, (start, bytes_, _) in parts(library).items():
        assert (start, start + bytes_) in found, name


def test_sizes_are_the_real_ones(twin):
    (wanted,), (made,) = twin.real, twin.made
    for key in ("text", "symtab", "strtab", "debug", "functions", "local"):
        assert made.get(key) == wanted.get(key), key


def test_functions_jump_there_and_back(twin):
    """A function has a jump to its cold part, on a condition that never holds, and the part ends with a jump to where
    the function returns."""
    library = twin.path / "libutility0.so"
    all_ = symbols(library)
    lines = ask("objdump", "-d", "--no-show-raw-insn", library)
    code = {int(address, 16): text for address, text in re.findall(r"^ +([0-9a-f]+):\t(.*)$", lines, flags=re.M)}
    jumps = 0
    for name, (address, size, _) in parts(library).items():
        host, host_size, _ = all_[name.removesuffix(".cold")]
        inside = [(a, code[a]) for a in sorted(code) if host <= a < host + host_size]
        leaves = [i for i, (_, text) in enumerate(inside) if re.match(rf"je +{address:x} ", text)]
        assert len(leaves) <= 1, name
        jumps += len(leaves)
        for i in leaves:
            assert re.fullmatch(r"test +%rsp,%rsp", inside[i - 1][1])
        back = re.match(r"jmp +([0-9a-f]+) ", code[address + size - 5])  # five bytes
        assert host < int(back[1], 16) < host + host_size
        ends = " ".join(text.split()[0] for a, text in inside if a >= int(back[1], 16))
        assert re.fullmatch(r"mov leave ret|mov (pop )*mov pop ret", ends)  # with and without a frame pointer
    assert jumps > 0.75 * len(parts(library))  # some functions here are so small that there is no room for one


def test_readers_have_nothing_to_say(programs, twin):
    library = twin.path / "libutility0.so"
    assert ask("eu-elflint", "--gnu-ld", library) == "No errors\n"
    assert "rror" not in ask("readelf", "-wF", library)
    ask(programs.path("decode_text"), library)


def test_the_set_runs(programs, twin):
    assert ", 1 library opened by dlopen" in programs.run("pyelfrun", "--no-python", twin.path).stdout


def test_debuggers_unwind_from_there(twin):
    """With the frame of its function, where that would jump there."""
    library = twin.path / "libutility0.so"
    jumps = ask("objdump", "-d", "--no-show-raw-insn", library)
    jumps = re.findall(r"^ +([0-9a-f]+):\tje +[0-9a-f]+ <([^>+]+\.cold)>", jumps, flags=re.M)
    jump, name = min(jumps, key=lambda pair: pair[1])
    host = name.removesuffix(".cold")
    into = int(jump, 16) - symbols(library)[host][0]
    program = program_that_calls(twin.directory)
    commands = ["set debuginfod enabled off", "set breakpoint pending on", f"break {host}", "run"]
    commands += [f"break *((long)&'{host}' + {into})", "continue", f"set $pc = (long)&'{name}'", "backtrace"]
    arguments = [part for c in commands for part in ("-ex", c)]
    command = [tool("gdb"), "-q", "-nx", "-batch", *arguments, "--args", program, library]
    address = f"{symbols(library)[host][0]:x}"
    text = subprocess.run([*command, address], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    shown = rf"{re.escape(host)} \(.+\) at libutility0(_1)?\.c:\d+$"  # where debug information describes the part
    assert re.search(rf"^#0 .*\b({re.escape(host)}(\.cold|\[cold\]) \(|{shown})", text, flags=re.M), text
    assert re.search(r"^#1 .* main \(", text, flags=re.M), text


# --- in debug information ---------------------------------------------------------------


def functions(path):
    """[(name, all calls are described, [(from, to)], text of the entry with its children)] of functions in .debug_info."""
    entries = ask(tool("llvm-dwarfdump"), "--debug-info", path)
    found = []
    for text in re.split(r"\n(?=0x[0-9a-f]{8}:   DW_TAG_subprogram)", entries)[1:]:
        text = re.split(r"\n0x[0-9a-f]{8}: (?:  )?DW_TAG_(?!subprogram)", text)[0]
        own = re.split(r"\n0x[0-9a-f]{8}:     DW_TAG_", text)[0]
        name = re.search(r'DW_AT_(?:name|specification)\t\((?:0x\w+ )?"([^"]+)"', own)
        low = re.search(r"DW_AT_low_pc\t\((0x\w+)\)\n.*DW_AT_high_pc\t\((0x\w+)\)", own)
        places = re.findall(r"\[(0x\w+), (0x\w+)\)", own) if "DW_AT_ranges" in own else low and [low.groups()]
        if places:
            all_calls = "_all_calls" in own or "_all_call_sites" in own
            found.append((name and name[1], all_calls, [(int(a, 16), int(b, 16)) for a, b in places], text))
    return found


def test_functions_have_ranges(described):
    """Of their own code, where they are entered, and then of their cold part below that, to the byte."""
    library = described.path / "libutility0.so"
    all_ = symbols(library)
    places = {p[0][0]: p for _, _, p, _ in functions(library)}
    told = 0
    for name, (address, size, _) in parts(library).items():
        host, host_size, _ = all_[name.removesuffix(".cold")]
        if places[host] != [(host, host + host_size)]:
            assert places[host] == [(host, host + host_size), (address, address + size)]
            assert address < host
            told += 1
    assert told == len(parts(library)) > FUNCTIONS / 4


def test_sizes_of_parts_are_the_real_ones(described):
    (wanted,), (made,) = described.real, described.made
    assert made["cold"] > FUNCTIONS / 4
    assert abs(made["cold-code"] / made["cold"] * wanted["cold"] - wanted["cold-code"]) < 0.1 * wanted["cold-code"]
    for key in ("text", "symtab", "strtab", "debug", "functions", "local"):
        assert made.get(key) == wanted.get(key), key
    for key in ("line", "loclists", "rnglists", "aranges"):
        assert made["mix"].get(key) == wanted["mix"].get(key), key


def test_units_have_these_ranges_too(described):
    """In their own entries and in .debug_aranges, so that readers find the function of each byte."""
    library = described.path / "libutility0.so"
    ask(tool("llvm-dwarfdump"), "--verify", library)
    addresses = {name: [a, a + size // 2, a + size - 1] for name, (a, size, _) in parts(library).items()}
    asked = [hex(a) for some in addresses.values() for a in some]
    wanted = [name.removesuffix(".cold") for name, some in addresses.items() for _ in some]
    by_ranges = ask(tool("llvm-symbolizer"), "--no-inlines", "--no-demangle", "-f=linkage", f"--obj={library}", *asked)
    by_aranges = ask(tool("eu-addr2line"), "-f", "-e", library, *asked)
    names = [block.split("\n")[0].removesuffix(".cold") for block in by_ranges.strip().split("\n\n")]
    assert names == wanted
    assert not [a for a in asked[::9] if not re.match(r".+:[1-9]\d*", ask("addr2line", "-e", library, a))]
    lines = by_aranges.split("\n")[1::2]
    assert len(lines) == len(asked) and not [line for line in lines if not re.match(r".+:[1-9]\d*", line)]
    dumped = ask("readelf", "--debug-dump=aranges", library)
    tuples = [(int(a, 16), int(size, 16)) for a, size in re.findall(r"^    ([0-9a-f]{16}) ([0-9a-f]{16})", dumped, re.M)]
    for address, size, _ in parts(library).values():
        assert any(a <= address and address + size <= a + length for a, length in tuples)


def test_calls_in_parts_are_described(described):
    """Where a function says that all its calls are: each call of its cold part has an entry with its return address, and
    each number that it passes is that of the instruction."""
    library = described.path / "libutility0.so"
    lines = ask("objdump", "-d", "--no-show-raw-insn", library)
    code = [(int(a, 16), text) for a, text in re.findall(r"^ +([0-9a-f]+):\t(.*)$", lines, flags=re.M)]
    behind = {code[i][0]: [text for _, text in code[max(0, i - 7) : i]] for i in range(1, len(code))}
    registers = ["edi", "esi", "edx", "ecx", "r8d", "r9d"]
    calls = numbers = 0
    for name, all_calls, places, text in functions(library):
        if len(places) < 2 or not all_calls:
            continue
        start, end = places[1]
        entries = re.findall(
            r"DW_TAG_(?:GNU_)?call_site\n +DW_AT_(?:call_return_pc|low_pc)\t\((0x\w+)\)(.*?)(?=DW_TAG_(?:GNU_)?call_site\n|\Z)",
            text,
            flags=re.S,
        )
        told = {int(pc, 16): more for pc, more in entries if start < int(pc, 16) <= end}
        wanted = {a for a, texts in behind.items() if start < a <= end and texts[-1].startswith("call")}
        assert set(told) == wanted, name
        calls += len(told)
        for pc, more in told.items():
            passed = re.findall(r"DW_OP_reg(\d+) \w+\)\n.*\((?:DW_OP_lit|DW_OP_const\d[us] )(0x\w+|\d+)\)", more)
            for register, value in passed:
                loaded = registers[{5: 0, 4: 1, 1: 2, 2: 3, 8: 4, 9: 5}[int(register)]]
                assert any(t.split() == ["mov", f"${int(value, 0):#x},%{loaded}"] for t in behind[pc]), (name, hex(pc))
                numbers += 1
    assert calls > 20 and numbers > 10


def test_dwarf_readers_have_nothing_to_say(programs, described):
    library = described.path / "libutility0.so"
    assert ask("eu-elflint", "--gnu-ld", library) == "No errors\n"
    kinds = []
    for path in (library, described.directory.parent / "libwork.so"):  # units in several places are beyond dwarfdump
        complaints = dwarfdump_complaints(programs.command([tool("dwarfdump"), "-ka", path], leaks=False).stdout)
        kinds.append({re.sub(r"0x\w+|: TAG DW_TAG_\w+.*", "", text) for text in complaints})
    other = {text for text in kinds[0] - kinds[1] if "end_sequence address does not exactly match high" not in text}
    assert not other  # it compares the end of parts with that of their unit's first range
    for command in (["readelf", "--debug-dump"], [tool("eu-readelf"), "--debug-dump"], ["objdump", "--dwarf"]):
        ask(*command, library)
    ask(programs.path("decode_text"), library)


def test_rows_of_parts(described):
    """Each instruction of a part has a line of its function or of a function that is inlined there, and rows begin at
    instructions."""
    library = described.path / "libutility0.so"
    lines = ask("objdump", "-d", "--no-show-raw-insn", library)
    code = [int(a, 16) for a in re.findall(r"^ +([0-9a-f]+):\t", lines, flags=re.M)]
    at = set(code)
    rows = re.findall(r"^0x([0-9a-f]{16}) +(\d+) ", ask(tool("llvm-dwarfdump"), "--debug-line", library), flags=re.M)
    inside = [(int(a, 16), int(line)) for a, line in rows]
    spans = [(a, a + size) for a, size, _ in parts(library).values()]
    mine = [(a, line) for a, line in inside if any(start <= a < end for start, end in spans)]
    assert len(mine) > 2 * len(spans) and all(a in at and line for a, line in mine)
    told = {places[1]: places[0] for _, _, places, _ in functions(library) if len(places) > 1}
    asked = [a for a in code if any(start <= a < end for start, end in spans)]
    shown = ask(tool("llvm-symbolizer"), "--no-demangle", "-f=linkage", f"--obj={library}", *map(hex, asked))
    of = {address: name.removesuffix(".cold") for name, (address, _, _) in parts(library).items()}
    for address, block in zip(asked, shown.strip().split("\n\n"), strict=True):
        outermost = block.split("\n")[-2:]
        start = max(start for start, _ in spans if start <= address)
        assert outermost[0].removesuffix(".cold") == of[start], hex(address)
        assert re.search(r"libutility0(_1)?\.c\w*:[1-9]\d*:\d+$", outermost[1]), outermost
    assert len(told) == len(spans)


def test_a_part_that_is_larger_than_all_else(programs, tmp_path):
    """What is written for its function has to have room, as its bytes count for lists, ranges and rows of all."""
    for unit in range(3):
        functions = "".join(
            f"long f{i}(std::vector<long> &a, const std::string &k) {{ std::string t = k + \"x{i}\"; K z(\"q\"); long s = 0;"
            f" for (auto x : a) {{ if (x < 0) throw std::runtime_error(\"negative\" + t); s += x * {i} ^ (s >> 3); }}"
            f" try {{ s += std::stol(t); }} catch (const std::exception &e) {{ fail(e.what(), {i}, s); s -= 1; }}"
            " return s + z.v.size(); }\n"
            for i in range(12)
        )
        (tmp_path / f"unit{unit}.cc").write_text(
            "#include <stdexcept>\n#include <string>\n#include <vector>\n"
            "void fail(const char *, int, long) __attribute__((cold));\n"
            f"namespace n{unit} {{ struct K {{ std::string v; K(const char *x) : v(x) {{}} ~K() {{}} }};\n{functions}}}\n"
        )
    reports = "".join(f'fail("report {i}", {i}, s); ' for i in range(250))
    (tmp_path / "large.cc").write_text(
        "void fail(const char *, int, long) __attribute__((cold));\n"
        "long large(long *a, long n) { long s = 0; for (long i = 0; i < n; i++) {"
        f" if (__builtin_expect(a[i] < 0, 0)) {{ {reports} }} s += a[i] * 7 ^ (s >> 3); s += (a[i] + s) % 11; }} return s; }}\n"
    )
    options = ["-gdwarf-4", "-O2", "-fPIC", "-c"]
    for name, more in [("unit0", 1), ("unit1", 1), ("unit2", 1), ("large", 0)]:
        command = [tool("g++"), *options, *["-fno-reorder-blocks-and-partition"] * more, f"{name}.cc"]
        subprocess.run(command, cwd=tmp_path, check=True)
    objects = [tmp_path / f"{name}.o" for name in ("unit0", "unit1", "unit2", "large")]
    subprocess.run([tool("g++"), "-shared", *objects, "-o", tmp_path / "liblarge.so"], check=True)
    twin = Twin(programs, tmp_path / "liblarge.so", tmp_path / "twin")
    (made,) = twin.made
    assert made["cold"] == 1 and made["cold-code"] > 1500
    ask(tool("llvm-dwarfdump"), "--verify", twin.path / "libutility0.so")


NAMED = """
static __attribute__((noinline, used)) long compute_the_residual_of_block_{name}{n}(long *a, long count)
{{
    long s = {n};
    for (long i = 0; i < count; i++) {{
        if (__builtin_expect(a[i] < 0, 0)) {{ fail(__func__, (int)i); s -= a[i]; fail("again", {n}); }}
        s += a[i] * {n} ^ (s >> 3);
    }}
    return s;
}}
"""


def test_lengths_of_names_are_as_said(programs, tmp_path):
    """Parts have long names, and constants called __func__.0 have short ones, which several share. Where the twin's
    names have other lengths for that, it says how far these are."""
    for source in range(60):
        functions = [NAMED.format(n=6 * source + k + 1, name="x" * (3 * k)) for k in range(6)]
        text = "extern void fail(const char *, int) __attribute__((cold));\n" + "".join(functions)
        (tmp_path / f"work{source}.c").write_text(text)
    library = tmp_path / "libwork.so"
    subprocess.run(
        [tool("gcc"), "-O2", "-fPIC", "-shared", "-g", *sorted(tmp_path.glob("*.c")), "-o", library], check=True
    )
    twin = Twin(programs, library, tmp_path / "twin")
    assert sum(line.endswith(".cold") for line in ask("nm", library).splitlines()) > 300
    report = tmp_path / "told.json"
    programs.run("pyelfstat", "--compare", "--told", library, twin.path, "--json", report)
    (found,) = [row for row in json.loads(report.read_text())["set"] if row["name"] == "name-lengths"]
    said = json.loads((twin.path / "differences.json").read_text())["libraries"][0]["differs"].get("name-lengths", [0, 0])
    assert said[1] == pytest.approx(found["distance"], abs=0.02) or max(said[1], found["distance"]) < 0.05


# A tenth of PETSc: three of four names of static functions and objects are used more than once.
SHARED = """\
pyelfgen-profile: 1
captured: {{from: files, libraries: 1, unreadable: 0}}
libraries:
- {{kind: utility, text: 2135894, data: 18292, bss: 210804, debug: 4923404, symtab: 109032, strtab: {strtab}, functions: 2879,
   dynamic: {{functions: 1171, objects: 89, undefined: 97, weak: 4, dynstr: 30573}}, outside: 1, plt: 632,
   local: {{functions: 1708, objects: 1324, other: 151}}, cold: 1099, cold-code: 622099, name-lengths: '{lengths}',
   relocations: {{relative: 181, jump-slot: 632, glob-dat: 235, symbols: 273, pages: 32, relro: 89}},
   share: {{code: 1570367, unwind: 330636}}, dwarf: {{version: 5, units: 150}}}}
"""
LENGTHS = """2 7 8 9 10*15 11*13 12*3 13*2 14*2 15*2 16*3 17*2 18*3 19*4 20*3 21*3 22*4 23*3 24*4 25*3 26*3 27*3 28*3 29*2 30*3
31*2 32 33*2 34 35 36 37 38 40 42 48 100""".replace("\n", " ")


@pytest.mark.parametrize("strtab", [72000, 68000])
def test_parts_leave_the_lengths_of_shared_names(programs, tmp_path, strtab):
    """Where many symbols share names, a few names have many symbols each, so that each part finds a name of its
    function's length, and lengths are as the row says."""
    (tmp_path / "a.prof").write_text(SHARED.format(strtab=strtab, lengths=LENGTHS))
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", "-q")
    names = [line.split()[-1] for line in ask("nm", "-a", tmp_path / "set" / "libutility0.so").splitlines()]
    uses = collections.Counter(names)
    assert sum(name.endswith(".cold") for name in names) == 1099
    assert 32 < max(uses.values()) < 80
    wanted = [int(n) for word in LENGTHS.split() for n in [word.partition("*")[0]] * int(word.partition("*")[2] or 1)]
    lengths = sorted(len(name) for name in names)
    for i, length in enumerate(wanted):  # shares up to each of the row's quantiles
        share = sum(made <= length for made in lengths) / len(lengths)
        last = max(k for k, other in enumerate(wanted) if other == length)
        assert i / (len(wanted) - 1) - 0.06 < share < last / (len(wanted) - 1) + 0.06, length
