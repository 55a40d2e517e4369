"""Twins of small libraries that gcc makes in unusual ways: differences.json has every quantity in which a twin differs,
with both numbers. pyelfstat --compare judges that, and binutils where a symbol is.
"""

import json
import re

import pytest

from objects import ask, tool

# Functions without unwind tables, some of them static, with pointers to these; and constructors.
BARE = """
int t[64];
__attribute__((constructor)) static void first(void) { t[3] = 4; }
__attribute__((constructor)) static void second(void) { t[4] = 4; }
""" + "".join(
    f"int f{i}(int a, int b) {{ int s = 0; for (int i = 0; i < a; i++) s += t[(i * {i} + b) & 63] * b; return s; }}\n"
    f"static int g{i}(int a) {{ return t[a & 63] + {i}; }}\nint (*p{i})(int) = g{i};\n"
    for i in range(1, 41)
)
# A constructor and a destructor, an indirect function, thread-local memory, and a weak function with an alias.
MIXED = """
#include <stdio.h>
#include <stdlib.h>
__thread int own = 5;
__thread char more[100];
int table[5000];
const char *names[] = {"a", "bb", "ccc"};
int print(const char *s) { own++; return printf("%s %d %s\\n", s, own, names[own % 3]); }
void *take(size_t n) { return malloc(n + sizeof more); }
__attribute__((constructor)) static void begin(void) { table[3] = 4; }
__attribute__((destructor)) static void end(void) { table[3] = 5; }
__attribute__((weak)) int weak(int a) { return a + 1; }
int alias(int) __attribute__((alias("weak")));
static int chosen(int x) { return x; }
static void *resolver(void) { return chosen; }
int indirect(int) __attribute__((ifunc("resolver")));
"""
# With more functions and types, so that there is room for units of types.
LARGE = MIXED + "".join(
    f"struct s{i} {{ int a[{i}]; long b; struct s{i} *next; }};\n"
    f"int h{i}(struct s{i} *s, int b) {{ int c = 0; for (; s; s = s->next) c += s->a[b % {i}] * (int)s->b; return c; }}\n"
    for i in range(1, 121)
)
SMALL = "int x(int a) { return a * 3; }\nint main(void) { return x(3); }\n"
# Functions that debug information does not know of, beside types that it does.
UNKNOWN = "".join(
    f'__asm__(".text\\n.globl f{i}\\n.type f{i}, @function\\nf{i}: .skip 100, 0x90\\nret\\n.size f{i}, .-f{i}");\n'
    for i in range(1, 41)
) + "".join(f"struct s{i} {{ int a[{i}]; long b; struct s{i} *next; }};\nstruct s{i} v{i};\n" for i in range(1, 121))
# No units of debug information, but a section of what gdb is to run.
SCRIPT = BARE + """
__asm__(".pushsection .debug_gdb_scripts, \\"MS\\", @progbits, 1\\n.byte 1\\n.asciz \\"script.py\\"\\n.popsection");
"""
# The same in a section that is loaded, as Rust has it: it is text and debug at once.
LOADED = SCRIPT.replace('"MS', '"aMS')
# Neither data nor names.
NOTHING = "void _start(void) { for (;;); }\n"
SHARED = ["-fPIC", "-shared"]
CASES = {
    "bare": (BARE, ["-O2", "-fno-asynchronous-unwind-tables", *SHARED]),
    "mixed": (MIXED, ["-g", "-O2", "-Wl,--hash-style=both", *SHARED]),
    "compressed": (MIXED, ["-g", "-gz", "-O2", *SHARED]),
    "program": (SMALL, ["-g", "-O2"]),
    "static": (SMALL, ["-s", "-static"]),
    "alone": ("int own = 5;\nvoid _start(void) { for (;;) own++; }\n", ["-s", "-static", "-nostdlib"]),
    "unknown": (UNKNOWN, ["-g", "-O2", *SHARED]),
    "script": (SCRIPT, ["-O2", *SHARED]),
    "loaded": (LOADED, ["-O2", *SHARED]),
    "nothing": (NOTHING, ["-s", "-static", "-nostdlib"]),
    "unoptimised": (MIXED, ["-g", "-O0", *SHARED]),
}


# Functions of C that call mangled ones of another library, as wrappers do.
WRAPPERS = "".join(
    f'int takes{i}(int, const char *);\nextern "C" int wrapper_{i}(int a) {{ return takes{i}(a, "{i}") * {i}; }}\n'
    for i in range(3, 60)
)


@pytest.fixture(scope="module", params=CASES)
def twin(programs, tmp_path_factory, request):
    text, options = CASES[request.param]
    directory = tmp_path_factory.mktemp(request.param)
    (directory / "a.c").write_text(text)
    programs.command([tool("gcc"), *options, "-o", directory / "real", directory / "a.c"], leaks=False)
    programs.run("pyelfprof", "--quiet", "-o", directory / "real.prof", directory / "real")
    programs.run("pyelfgen", "--quiet", "--profile", directory / "real.prof", "-o", directory / "set")
    return directory


def test_all_is_told(programs, twin):
    """Nothing is off that is not told, not even what pyelfgen does not count in a set: zstd's ratios, words of DWARF.
    Nor are distributions, where there are few functions."""
    programs.run("pyelfstat", "--compare", "--told", twin / "real.prof", twin / "set")


@pytest.fixture(scope="module")
def plain(programs, tmp_path_factory):
    """The captured profile of a library whose row leaves out what options and keys may change."""
    directory = tmp_path_factory.mktemp("plain")
    (directory / "a.c").write_text(LARGE)
    options = ["-g", "-O2", "-Wl,--hash-style=gnu,-z,lazy,-z,relro", *SHARED]
    programs.command([tool("gcc"), *options, "-o", directory / "real", directory / "a.c"], leaks=False)
    programs.run("pyelfprof", "--quiet", "-o", directory / "real.prof", directory / "real")
    return directory / "real.prof"


def differs_with(programs, profile, real, directory, *options):
    """What differences.json has of a library; nothing else is off, and compression is estimated."""
    programs.run("pyelfgen", "--quiet", *options, "--profile", profile, "-o", directory)
    programs.run("pyelfstat", "--compare", "--told", "--without", "zstd.*", real, directory)
    (library,) = json.loads((directory / "differences.json").read_text())["libraries"]
    return library["differs"]


@pytest.mark.parametrize(
    "option, key",
    [
        ("--hash=sysv", "hash"),
        ("--cf-protection", "cf-protection"),
        ("--index=debug_names", "mix: names"),
        ("--type-units", "dwarf: type-units"),
    ],
)
def test_what_an_option_changes_is_off(programs, plain, tmp_path, option, key):
    """pyelfgen could have done as the profile says, so the twin is not what the profile asks for."""
    programs.run("pyelfgen", "--profile", plain, "-o", tmp_path / "set", "-q", option)
    (library,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert key not in library["differs"]
    done = programs.run("pyelfstat", "--compare", "--told", plain, tmp_path / "set", status=1)
    off = re.search(r"^off .*\n((?:  .*\n)+)", done.stdout, flags=re.M)[1]
    assert key.replace(": ", ".") in off


def test_what_the_profile_changes_is_told(programs, plain, tmp_path):
    head, rest = plain.read_text().split("\n", 1)
    (tmp_path / "a.prof").write_text(f"{head}\nelf: {{build-id: false, relro: none, max-page-size: 65536}}\n{rest}")
    differs = differs_with(programs, tmp_path / "a.prof", plain, tmp_path / "set")
    assert (differs["build-id"], differs["relro"]) == ([True, False], ["partial", "none"])
    assert differs["page"] == [4096, 65536]
    (tmp_path / "c.prof").write_text(f"{head}\nelf: {{separate-code: false}}\n{rest}")
    assert differs_with(programs, tmp_path / "c.prof", plain, tmp_path / "noseparate")["loads"] == [4, 2]
    (tmp_path / "b.prof").write_text(f"{head}\nelf: {{bind: now}}\n{rest}")
    differs = differs_with(programs, tmp_path / "b.prof", plain, tmp_path / "now")
    assert (differs["bind"], differs["relro"]) == (["lazy", "now"], ["partial", "full"])


@pytest.mark.parametrize("units", [True, False], ids=["clang", "hollow"])
def test_a_level_that_is_not_followed_is_told(programs, tmp_path, units):
    """In clang's form all is said, whatever the row says; without units nothing is. Neither is lines alone. clang says
    of a function only what was inlined into it."""
    inlined = "static inline int twice(int x) { return x * 2 + (x & 5); }\n"
    (tmp_path / "a.c").write_text(inlined + LARGE.replace("(int)s->b", "twice((int)s->b)"))
    command = [tool("clang" if units else "gcc"), "-g1", "-O2", *SHARED, "-o", tmp_path / "real", tmp_path / "a.c"]
    programs.command(command, leaks=False)
    profile = tmp_path / "real.prof"
    programs.run("pyelfprof", "--quiet", "-o", profile, tmp_path / "real")
    if not units:
        text = re.sub(r"^(sections|modules|utilities): .*\n", "", profile.read_text(), flags=re.M)
        text = re.sub(r", mix: {.*?}", ", mix: {info: 300, abbrev: 60}", re.sub(r", debug: \d+,", ", debug: 400,", text))
        profile.write_text(text)
    assert differs_with(programs, profile, profile, tmp_path / "set")["dwarf: level"] == [1, 2]


def test_local_symbols_are_somewhere(twin):
    (library,) = (twin / "set").glob("libutility*.so")
    symbols = re.findall(r"^ +\d+: .* LOCAL +DEFAULT +UND +(\S+)$", ask("readelf", "-sW", library), flags=re.M)
    assert symbols == []


def test_names_that_the_row_does_not_mangle(programs, tmp_path):
    """A row without `demangled` says that it is 0."""
    (tmp_path / "a.cc").write_text(WRAPPERS)
    programs.command([tool("g++"), "-O2", "-s", *SHARED, "-o", tmp_path / "real", tmp_path / "a.cc"], leaks=False)
    programs.run("pyelfprof", "--quiet", "-o", tmp_path / "real.prof", tmp_path / "real")
    programs.run("pyelfgen", "--quiet", "--profile", tmp_path / "real.prof", "-o", tmp_path / "set")
    programs.run("pyelfstat", "--compare", "--told", tmp_path / "real.prof", tmp_path / "set")
