"""Cold parts of functions: counted in real libraries, and what twins make of them. The judges are nm, readelf, objdump
and gdb."""

import re
import subprocess

import pytest

from objects import ask, tool
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


def write_source(path):
    text = ["extern void fail(const char *, int) __attribute__((cold));\n"]
    for n in range(1, FUNCTIONS + 1):
        calls = "".join(f'fail("again {k}", {k}); ' for k in range(n % 4))
        binding = "" if n % 3 else "static __attribute__((noinline, used)) "
        text.append(FUNCTION.format(n=n, name="x" * (n % 13), binding=binding, calls=calls))
    text.append("".join(f"long small_{n}(long x) {{ return x * {n}; }}\n" for n in range(60)))
    path.write_text("".join(text))


@pytest.fixture(scope="module", params=[["-g"], [], ["-g1"]], ids=["debug", "plain", "lines"])
def twin(request, programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("cold")
    write_source(directory / "work.c")
    command = [tool("gcc"), "-O2", *request.param, "-fPIC", "-shared", directory / "work.c", "-o"]
    subprocess.run([*command, directory / "libwork.so"], check=True)
    return Twin(programs, directory / "libwork.so", directory / "twin")


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
        assert [text.split()[0] for a, text in inside if a >= int(back[1], 16)] == ["mov", "leave", "ret"]
    assert jumps > 0.75 * len(parts(library))  # some functions here are so small that there is no room for one


def test_readers_have_nothing_to_say(programs, twin):
    library = twin.path / "libutility0.so"
    assert ask("eu-elflint", "--gnu-ld", library) == "No errors\n"
    assert "rror" not in ask("readelf", "-wF", library)
    ask(programs.path("decode_text"), library)


def test_the_set_runs(programs, twin):
    assert ", 1 library opened by dlopen" in programs.run("pyelfrun", "--no-python", twin.path).stdout


def test_debuggers_unwind_from_there(twin):
    """With the frame of its function, as if that had jumped there."""
    library = twin.path / "libutility0.so"
    name = sorted(parts(library))[0]
    host = name.removesuffix(".cold")
    (twin.directory / "call.c").write_text(
        "#include <dlfcn.h>\n#include <link.h>\n#include <stdlib.h>\n"
        "int main(int argc, char **argv)\n{\n    struct link_map *m = dlopen(argv[1], RTLD_NOW);\n"
        "    if (!m || argc < 3)\n        return 1;\n"
        "    ((long (*)(void))(m->l_addr + strtoul(argv[2], NULL, 16)))();\n    return 0;\n}\n"
    )
    program = twin.directory / "call"
    subprocess.run([tool("gcc"), twin.directory / "call.c", "-o", program], check=True)
    commands = ["set debuginfod enabled off", "set breakpoint pending on", f"break {host}", "run"]
    commands += ["stepi 3"]  # gdb may stop at the first instruction, before there is a frame
    commands += [f"set $pc = (long)&'{name}'", "backtrace"]
    arguments = [part for c in commands for part in ("-ex", c)]
    command = [tool("gdb"), "-q", "-nx", "-batch", *arguments, "--args", program, library]
    address = f"{symbols(library)[host][0]:x}"
    text = subprocess.run([*command, address], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    assert re.search(rf"^#0 .*\b{re.escape(host)}(\.cold|\[cold\]) \(", text, flags=re.M), text
    assert re.search(r"^#1 .* main \(", text, flags=re.M), text
