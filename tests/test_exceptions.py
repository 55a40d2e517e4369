"""Exception tables of libraries whose rows have them: their bytes, and what passes through functions with a table: C++
exceptions, the end of threads, and debuggers. gcc's unwinder and programs that others wrote are the judges.
"""

import json
import re
import subprocess

import pytest

import lsda
from objects import ask, counted_libraries, dwarfdump_complaints, functions, section, tool
from sets import variant_text
from test_rows_extra import check_readers, make

# In this order: all numbered functions have a table; some of a stripped module with methods; more than are numbered, so
# that small functions have one too, and start-up code has all the relocations, so that the routine uses one of them; as
# few bytes as can be; too few bytes; more than there is room for; no tables, as of code of C; no functions; no bytes;
# much for few functions; unaligned code without constants, and too little room in `share: unwind`; little code and no
# constants.
ROWS = [
    """{kind: utility, text: 60000, data: 4000, bss: 900, debug: 60000, symtab: 4800, strtab: 6000, functions: 60,
        exceptions: {table: 2222, functions: 52}, needed: '2:20'}""",
    """{kind: module, text: 60000, data: 9000, bss: 900, functions: 60, dynamic: {functions: 60}, methods: 20,
        relocations: {relative: 70}, exceptions: {table: 1001, functions: 31}}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, debug: 30000, symtab: 4800, strtab: 4000, functions: 120,
        function-sizes: '0 4 9 12 16*2 20 24 30 36 40 44 50 60 80 100 130 160 200 300 900', relocations: {relative: 3},
        exceptions: {table: 1500, functions: 90}}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, functions: 60, exceptions: {table: 163, functions: 40}}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, functions: 60, exceptions: {table: 159, functions: 40}}""",
    """{kind: utility, text: 9000, data: 3000, bss: 900, functions: 9, exceptions: {table: 9000, functions: 8}}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, functions: 60}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, functions: 60, exceptions: {table: 159, functions: 0}}""",
    """{kind: utility, text: 40000, data: 3000, bss: 900, functions: 60, exceptions: {functions: 9}}""",
    """{kind: utility, text: 90000, data: 3000, bss: 900, functions: 60, exceptions: {table: 50001, functions: 3}}""",
    """{kind: module, text: 30000, data: 3000, bss: 8, functions: 60, relocations: {relative: 30}, plt: 20,
        share: {code: 24000, unwind: 3500}, exceptions: {table: 800, functions: 30}}""",
    """{kind: utility, text: 3000, data: 1400, bss: 8, symtab: 1200, strtab: 900, functions: 12,
        relocations: {relative: 40}, exceptions: {table: 90, functions: 3}}""",
]
NAMES = ["libutility0", "libmodule0", *(f"libutility{i}" for i in range(1, 9)), "libmodule1", "libutility9"]
WANTED = [(2222, 52), (1001, 31), (1500, 90), (163, 40), (159, 39), (0, 0), (0, 0), (0, 0), (0, 0), (50001, 3), (540, 30)]
WANTED += [(90, 3)]


@pytest.fixture(scope="module")
def made(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("exceptions"), ROWS)


def paths(made):
    return [made[0] / f"{name}.so" for name in NAMES]


def has_section(path):
    return ".gcc_except_table" in ask("readelf", "-SW", path)


def sections_of(path):
    """[(name, address, bytes), ...] of the sections that are loaded."""
    rows = re.findall(r"\] (\S+)\s+\S+\s+(\w{16}) \w+ (\w+) ", ask("readelf", "-SW", path))
    return [(name, int(begin, 16), int(size, 16)) for name, begin, size in rows if int(begin, 16)]


def test_rows_have_what_they_say(made):
    """Bytes and functions are those of the row, or differences.json says what they are."""
    for path, differs, wanted, row in zip(paths(made), made[1], WANTED, ROWS):
        tabled = [f for f in lsda.functions(path) if f.table]
        size = section(path, ".gcc_except_table")[2] if has_section(path) else 0
        assert (size, len(tabled)) == wanted, path
        said = dict(re.findall(r"(table|functions): (\d+)", re.search(r"exceptions: {(.*?)}|$", row)[0] or ""))
        for key, got in zip(("table", "functions"), wanted):
            if key in said:
                told = [int(said[key]), got] if int(said[key]) != got else None
                assert differs.get(f"exceptions: {key}") == told, path


def test_only_functions_with_a_table_name_a_personality_routine(made):
    """Other functions have the common entry of C. The routine is found by a word that the dynamic linker relocates."""
    found = set()
    for path in paths(made):
        functions = lsda.functions(path)
        assert all((f.personality is None) == (f.table is None) for f in functions)
        words = {f.personality for f in functions if f.table}
        assert len(words) == any(f.table for f in functions)
        relocated = dict(re.findall(r"^0*(\w+) +\w+ R_X86_64_RELATIVE +(\w+)$", ask("readelf", "-rW", path), flags=re.M))
        for word in words:
            target = int(relocated[f"{word:x}"], 16)
            found.update(name for name, begin, size in sections_of(path) if begin <= word < begin + size)
            span = [f"--start-address={target}", f"--stop-address={target + 6}"]
            code = ask("objdump", "-d", "--no-show-raw-insn", *span, path)
            assert re.search(r"\tmov +\$0x8,%eax\n.*\tret", code)
    assert found == {".data.rel.ro", ".data", ".init_array"}


def test_tables_are_of_their_functions(made):
    """Call sites are in order and within their function. They and landing pads begin where instructions do."""
    for path, (size, count) in zip(paths(made), WANTED):
        starts = lsda.instructions(path)
        sites = 0
        for function, table in lsda.tables_of(path).values():
            for start, end, pad, _ in table.sites:
                assert start in starts and (end in starts or end == function.end)
                assert pad is None or (pad in starts and function.start < pad < function.end)
            sites += len(table.sites)
        assert sites > count or size < 8 * count or not count, path


def test_tables_say_what_compilers_say(made):
    """Most call sites are calls, most have landing pads, some have actions, and some tables have types."""
    path = paths(made)[0]
    tables = [table for _, table in lsda.tables_of(path).values()]
    sites = [site for table in tables for site in table.sites]
    calls = set(re.findall(r"^ *(\w+):\tcall ", ask("objdump", "-d", "--no-show-raw-insn", path), flags=re.M))
    assert sum(f"{site[0]:x}" in calls for site in sites) > len(sites) / 2
    assert len(sites) > sum(site[2] is not None for site in sites) > len(sites) / 2
    assert any(site[3] for site in sites) and not all(site[3] for site in sites)
    typed = [table.types for table in tables if table.types]
    assert len(tables) / 2 > len(typed) > len(tables) / 9 and typed == len(typed) * [[None]]


READERS = {"readelf": ["-wF", "-wf", "-u"], "llvm-readelf": ["--unwind"], "objdump": ["-d"]}


def test_readers_have_nothing_to_say(made):
    for path in paths(made):
        for reader, options in READERS.items():
            assert not any("arning" in ask(tool(reader), option, path) for option in options)
        frames = ask(tool("dwarfdump"), "-F", path)
        assert dwarfdump_complaints(frames) == [] and ("zPLR" in frames) == has_section(path)
        if has_section(path):
            said = ask(tool("eu-readelf"), "--exception", path)
            assert "Exception handling table section" in said and "???" not in said and "invalid" not in said
    check_readers(paths(made))


def test_code_is_whole(made, programs):
    programs.run("decode_text", *paths(made)[:1], *paths(made)[2:5])


def test_modules_run(programs, made):
    assert "every result right" in programs.run("pyelfrun", "--phases", "import,visit", made[0]).stdout


# The program defines a function that the library calls through the PLT. That function counts the library's frames above
# it, and then throws or ends its thread. Arguments are addresses of memory that can be read.
CATCHES = """
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <unwind.h>
typedef void *any;
typedef long called(any, any, any, any, any);
static long here[9];
static int passed, tabled, threw, ended;
static bool ends;
struct held { ~held() { ended++; } };
static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *)
{
    Dl_info info;
    if (dladdr((any)_Unwind_GetIP(context), &info) && strstr(info.dli_fname, "/libutility0.so")) {
        passed++;
        tabled += _Unwind_GetLanguageSpecificData(context) != 0;
    }
    return _URC_NO_REASON;
}
extern "C" __attribute__((noinline)) long CALLED()
{
    _Unwind_Backtrace(look, nullptr);
    if (ends)
        pthread_exit(here);
    throw 42;
}
static any thread(any function)
{
    held object;
    reinterpret_cast<called *>(function)(here, here, here, here, here);
    return nullptr;
}
int main(int, char **argv)
{
    any library = dlopen(argv[1], RTLD_LAZY);
    if (!library)
        return puts(dlerror()), 1;
    called *function = reinterpret_cast<called *>(dlsym(library, argv[2]));
    for (int i = 0; i < 9; i++) {
        try {
            held object;
            function(here, here, here, here, here);
        } catch (int number) {
            threw += number;
        }
    }
    ends = true;
    pthread_t id;
    any result = nullptr;
    pthread_create(&id, nullptr, thread, any(function));
    pthread_join(id, &result);
    printf("%d %d %d %d %d\\n", threw, ended, passed, tabled, result == here);
}
"""


def calls_of(path):
    """{function: what it calls through the PLT, in order} of a library."""
    listing = ask("objdump", "-d", "--no-show-raw-insn", "-j", ".text", path)
    here, called = None, {}
    for label, callee in re.findall(r"^\w{16} <(\w+)>:$|\tcall +\w+ <(\w+)@plt>", listing, flags=re.M):
        if label:
            here = label
        else:
            called.setdefault(here, []).append(callee)
    return called


def stack(calls, start, wanted):
    """The functions from `start` on that are active at the first call of `wanted`; None if it is never called."""
    for callee in calls.get(start, []):
        above = [] if callee == wanted else stack(calls, callee, wanted)
        if above is not None:
            return [start, *above]
    return None


def deepest_stack(library, other):
    """The longest chain of functions of the library, and what its last function calls through the PLT."""
    own = calls_of(library)
    calls = {**own, **calls_of(other)}
    wanted = sorted({callee for callees in own.values() for callee in callees})
    found = [(stack(calls, start, callee), callee) for start in sorted(own) for callee in wanted]
    only = [(one, callee) for one, callee in found if one and set(one) <= set(own)]
    return max(only, key=lambda pair: len(pair[0]))


FRAMES = {"pointer": "", "rsp": ", share: {unwind: 9000}, unwind-rsp: 45, unwind-rbp: 15"}


@pytest.fixture(scope="module", params=FRAMES)
def catching(request, programs, made, tmp_path_factory):
    """(program, library, functions of the library that lead to a call of the program, name of what they call)"""
    if FRAMES[request.param]:
        row = ROWS[0].replace("}, needed", f"}}{FRAMES[request.param]}, needed")
        made = make(programs, tmp_path_factory.mktemp("by_rsp"), [row, *ROWS[1:3]])
        pushed = re.findall(r"\tpush +%rbx\n", ask("objdump", "-d", "--no-show-raw-insn", paths(made)[0]))
        assert len(pushed) > 30
    library = paths(made)[0]
    chain, called = deepest_stack(library, paths(made)[2])
    directory = tmp_path_factory.mktemp("catching")
    (directory / "catches.cc").write_text(CATCHES)
    program = directory / "catches"
    source = [f"-DCALLED={called}", directory / "catches.cc"]
    ask(tool("g++"), "-g", "-rdynamic", "-o", program, *source, "-ldl", "-pthread")
    return program, library, chain, called


def test_exceptions_and_the_end_of_threads_pass(catching):
    """Both pass through functions with tables and enter no landing pads of these. The program catches and cleans up."""
    program, library, chain, _ = catching
    threw, ended, passed, tabled, right = map(int, ask(program, library, chain[0]).split())
    assert threw == 9 * 42 and ended == 10 and right
    assert passed == tabled == 10 * len(chain) and len(chain) > 2


def test_gdb_shows_who_called(catching):
    program, library, chain, called = catching
    gdb = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null", "-ex", f"break {called}"]
    command = [*gdb, "-ex", "run", "-ex", "backtrace", "--args", program, library, chain[0]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    frames = re.findall(r"^#\d+ .*?(\w+) \((?!.* at include/)", done.stdout, flags=re.M)  # those are inlined
    assert frames == [called, *reversed(chain), "main"], done.stdout


def test_sets_without_rows(sets):
    """With `elf: exceptions` two of five numbered functions have a table, of 30 bytes each."""
    for path in counted_libraries(sets.get("exceptions")):
        tables = lsda.tables_of(path)
        numbered = len(functions(path))
        assert len(tables) == numbered * 2 // 5 and section(path, ".gcc_except_table")[2] == 30 * len(tables)
        starts = lsda.instructions(path)
        assert all(site[0] in starts and site[2] in {None, *starts} for _, table in tables.values() for site in table.sites)


def test_executables_have_none(programs, sets, tmp_path):
    profile = sets.write_profile("exceptions-executable", variant_text("exceptions"))
    said = programs.run("pyelfgen", "--profile", profile, "-o", tmp_path / "set", "--link", status=2).stderr
    assert "a profile with 'exceptions' under 'elf' makes no executables" in said


def test_rows_that_do_not_say(programs, tmp_path):
    """Rows without `exceptions` follow `elf: exceptions` of the profile. In a captured profile they have no tables."""
    row = "kind: utility, text: 40000, data: 3000, bss: 900, functions: 60"
    rows = f"elf: {{exceptions: true}}\nlibraries:\n- {{{row}}}\n- {{{row}, exceptions: {{functions: 3, table: 90}}}}\n"
    for captured, wanted in ("", [(22, 660), (3, 90)]), ("captured: {from: files, libraries: 2}\n", [(0, 0), (3, 90)]):
        (tmp_path / "rows.prof").write_text(f"pyelfgen-profile: 1\n{captured}{rows}")
        programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set", "--force")
        found = []
        for path in sorted(tmp_path.glob("set/libutility*.so")):
            size = section(path, ".gcc_except_table")[2] if has_section(path) else 0
            found.append((len(lsda.tables_of(path)), size))
        assert found == wanted


@pytest.mark.parametrize("relr", [False, True])
def test_captured_rows(programs, tmp_path, relr):
    """pyelfprof and pyelfstat find in a twin what the row says, also where relocations are packed."""
    said = """captured: {from: files, libraries: 2, unreadable: 0}
libraries:
- {kind: module, text: 60269, data: 3208, bss: 3136, functions: 66, dynamic: {functions: 1, undefined: 48, weak: 4,
   dynstr: 1003}, relocations: {RELATIVE: 50, jump-slot: 32, glob-dat: 12, symbols: 12, pages: 2}, plt: 32, outside: 4,
   soname: false, versions: 4, init-code: 1033, unwind-entries: 90, exceptions: {table: 885, functions: 24}, mangled: 4,
   methods: 2, share: {code: 40575, plt: 528, constants: 7746, unwind: 6329, symbols: 2579, relocations: 2280}}
- {kind: utility, text: 40269, data: 3208, bss: 3136, functions: 66, dynamic: {functions: 66, undefined: 48, weak: 4,
   dynstr: 2003}, relocations: {RELATIVE: 20, jump-slot: 32, glob-dat: 12, symbols: 12, pages: 2}, plt: 32, outside: 4,
   versions: 4, share: {code: 30000, plt: 528, constants: 746, unwind: 3328, symbols: 4579, relocations: 1088}}
"""
    said = said.replace("RELATIVE", "relr" if relr else "relative")
    (tmp_path / "rows.prof").write_text(f"pyelfgen-profile: 1\nelf: {{relr: {str(relr).lower()}}}\n{said}")
    programs.run("pyelfgen", "--profile", tmp_path / "rows.prof", "-o", tmp_path / "set")
    told = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    keys = [key for row in told for key in row["differs"]]
    assert not [key for key in keys if key.startswith(("exceptions", "share: unwind", "relocations: rel"))]
    programs.run("pyelfprof", "-o", tmp_path / "twin.prof", tmp_path / "set")
    found = re.findall("exceptions: {.*?}", (tmp_path / "twin.prof").read_text())
    assert found == ["exceptions: {table: 885, functions: 24}"]
    compare = ["--compare", "--match", "order", tmp_path / "rows.prof", tmp_path / "twin.prof"]
    report = programs.run("pyelfstat", *compare, "--json", tmp_path / "report.json", status=None)
    assert "exceptions.table" in report.stdout
    found = json.loads((tmp_path / "report.json").read_text())["set"]
    assert [q["libraries"]["off"] for q in found if q["name"].startswith("exceptions.")] == [0, 0]
