"""A captured profile must not have a word of the application, wherever the word stands in the application's files."""

import getpass
import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest

from captures import SYSTEM
from objects import ask, each, every, tool
from sets import mostly

DOCUMENTED = pathlib.Path(__file__).parent.parent / "docs" / "capture.md"

# All words that a profile may have besides those of DWARF: its keys, and words that are values.
SCHEMA = set(
    """
    pyelfgen-profile modules utilities sections text data debug symtab strtab bss names style itanium dwarf version
    language c c++ fortran units compiler clang views compress zlib zstd captured from files exec python run pid core libraries unreadable
    distributions function-sizes name-lengths degree tags forms attributes tags-c forms-c attributes-c tags-c++ forms-c++ attributes-c++
    tags-fortran forms-fortran attributes-fortran others kind module utility machine loaded
    import functions dynamic objects other undefined weak weak-functions weak-objects unique versioned aliases used dynstr local sections unnamed global relocations relative jump-slot glob-dat
    copy tls irelative relr plt needed outside indirect hash sysv both none bind now relro full build-id false soname
    cf-protection data-rel-ro runpath versions versions-defined ifunc constructors constructor-code constructor-memory constructor-bss init-code unwind-entries unwind-small unwind-rsp unwind-rbp called exceptions table destructors page pages loads mangled demangled cold cold-code
    methods compressed debug-file debug-link separate debuglink true split alternate share code constants unwind symbols dies uneven partial type-units defined rows
    entries addresses entry-values type-names inlined sampled error mix info abbrev line str line_str loclists rnglists aranges addr str_offsets macro B
    """.split()
)
# Languages that are not above, as libdwarf calls them, spelled as in profiles.
LANGUAGES = set("ada83 ada95 fortran90 fortran95 fortran03 fortran08 rust go d zig mips-assembler".split())
NUMBER = re.compile(r"\d+(\.\d{1,3})?|\d+\*\d+|\d+-\d+")


def dwarf_words():
    """What libdwarf calls tags, attributes and forms."""
    for header in ("/usr/include/libdwarf/dwarf.h", "/usr/include/libdwarf-0/dwarf.h", "/usr/include/dwarf.h"):
        if os.path.exists(header):
            return set(re.findall(r"DW_(?:TAG|AT|FORM)_(\w+)", pathlib.Path(header).read_text(errors="replace")))
    pytest.skip("there is no dwarf.h")


def foreign_words(text):
    """The words of a profile that are neither numbers nor known."""
    tokens = set(re.split(r"[\s{}:,'\"\[\]]+", re.sub(r"^- ", "", text, flags=re.M))) - {""}
    return {token for token in tokens if not NUMBER.fullmatch(token)} - SCHEMA - LANGUAGES - dwarf_words()


def strings_of(path):
    """Words of five characters and more from anywhere in the file and its path, and its build-id."""
    found = set(re.findall(r"[A-Za-z0-9_]{5,}", str(path)))
    done = subprocess.run([tool("strings"), "-a", "-n", "5", path], capture_output=True, text=True, errors="replace")
    for line in done.stdout.splitlines():
        found |= set(re.findall(r"[A-Za-z0-9_]{5,}", line))
    notes = subprocess.run([tool("readelf"), "-n", path], capture_output=True, text=True, errors="replace").stdout
    return {word for word in found | set(re.findall(r"Build ID: (\w+)", notes)) if not word.isdigit()}


def of_this_machine():
    """Words that say who captures, and on which machine. A profile must not have them either."""
    kernel = os.uname()
    python = re.findall(r"[\d.]+", ask("python3", "--version"))
    words = {socket.gethostname(), getpass.getuser(), os.getcwd(), kernel.release, kernel.version, *python}
    return {word for word in words if len(word) > 4}


@pytest.fixture
def anonymous(programs, tmp_path):
    """Captures, checks all words of the profile, and returns its text."""

    def run(*arguments, **options):
        output = tmp_path / "captured-output.prof"
        output.unlink(missing_ok=True)
        programs.run("pyelfprof", "-o", output, *arguments, leaks=False, **options)
        text = output.read_text()
        assert foreign_words(text) == set()
        assert not any(word in text for word in of_this_machine())
        return text

    return run


def test_the_page_lists_all_words():
    quoted = " ".join(re.findall(r"`([^`]*)`", DOCUMENTED.read_text()))
    listed = set(re.findall(r"[\w+-]+", quoted))
    # the words that are left out here are explained in profile.md
    assert SCHEMA - listed - {"pyelfgen-profile", "itanium", "B", "both"} == set()


# ---- real libraries ----


def places():
    return [place for place in SYSTEM if SYSTEM[place]]


@pytest.mark.alike(2)
@pytest.mark.parametrize("place", mostly(pytest.mark.slow, ["small", *places()], "small", "lib-dynload"))
def test_strings_of_real_libraries(anonymous, small, place):
    directory = small if place == "small" else SYSTEM[place][-1]
    text = anonymous("--without", "*/site-packages/*", directory)
    libraries = every([p for p in directory.rglob("*.so*") if p.is_file()], 30)
    strings = set().union(*each(strings_of, libraries))
    assert len(strings) > 100
    words = set(re.findall(r"[A-Za-z0-9_]{5,}", text))
    known = {part for word in SCHEMA | LANGUAGES | dwarf_words() for part in re.findall(r"\w{5,}", word)}
    assert words & strings <= known


# ---- a library with one word everywhere ----

WORD = "hush"
IDENTIFIER = "0123456789abcdef0123456789abcdeffeedbeef"

SOURCE = """
#define HUSHMACRO 1
#include "hushheader.h"
const char hushrodata[] = "hush in rodata";
char hushdata[] = "hush in data";
__thread int hushtls = 7;
enum hushenum { hushone, hushtwo };
struct hushstruct { int hushmember; enum hushenum hushother; } hushobject;
static int hushlocal(int hushparameter) { int hushvariable = hushparameter + hushtls; return hushvariable; }
int hushneeded(void);
int hushfunction(struct hushstruct *hushpointer) {
  hushlabel: if (hushlocal(hushpointer->hushmember) == 3) goto hushlabel;
  return hushneeded() + hushinline(2);
}
__attribute__((section("hushsection"))) int hushplaced = 4;
__asm__(".ident \\"hush in ident\\"");
__asm__(".section .note.hush, \\"a\\", @note; .long 5, 4, 1; .asciz \\"HUSH\\"; .balign 4; .ascii \\"hush\\"; .previous");
__asm__(".symver hushfunction, hushversioned@@HUSHVERSION_2.5");
"""


@pytest.fixture(scope="module")
def hush(tmp_path_factory):
    """{what was done to the file: path} of files that have one word wherever a file can have a word."""
    directory = tmp_path_factory.mktemp("hush") / "hushdirectory"
    directory.mkdir()
    (directory / "hushheader.h").write_text("static inline int hushinline(int hushargument) { return hushargument * 3; }\n")
    (directory / "hushsource.c").write_text(SOURCE)
    (directory / "hushneeded.c").write_text("int hushneeded(void) { return 1; }\n")
    (directory / "hushmap").write_text("HUSHVERSION_2.5 { global: hush*; };\n")
    (directory / "hushmain.c").write_text(
        "int hushversioned(void *); int hushmain[2];\n"
        "int main(int n, char **a) { return n > 9 ? hushversioned(hushmain) : 0; }\n"
    )
    gcc = [tool("gcc"), "-g3", "-O1", "-fPIC", f"-L{directory}"]
    shared = [*gcc, "-shared", "-Wl,--version-script=hushmap", f"-Wl,--build-id=0x{IDENTIFIER}"]
    named = ["-Wl,-soname,libhush.so.hush", "-Wl,-rpath,/opt/hushrunpath:$ORIGIN"]

    def run(*command):
        subprocess.run([*command], check=True, cwd=directory)

    run(*gcc, "-shared", "-o", "libhushneeded.so", "hushneeded.c")
    run(*shared, "-DHUSHOPTION=1", "-o", "libhush.so.hush", "hushsource.c", "-lhushneeded", *named)
    (directory / "libhush.so").symlink_to("libhush.so.hush")
    run(*gcc, "-o", "hushprogram", "hushmain.c", "-lhush", "-Wl,-rpath,$ORIGIN")
    plain = directory / "libhush.so.hush"
    found = {"plain": plain, "program": directory / "hushprogram"}
    for how, options in {"stripped": ["--strip-all"], "packed": ["--compress-debug-sections=zlib"]}.items():
        found[how] = directory / f"libhush{how}.so"
        run(tool("objcopy"), *options, plain, found[how])
    found["separate"] = directory / "libhushseparate.so"
    run(tool("objcopy"), "--only-keep-debug", plain, "libhushseparate.hush.debug")
    link = "--add-gnu-debuglink=libhushseparate.hush.debug"
    run(tool("objcopy"), "--strip-all", link, plain, found["separate"])
    return found


def tells(text):
    return [line for line in text.splitlines() if WORD in line.lower() or IDENTIFIER in line]


def test_the_word_is_everywhere(hush):
    """The files have the word that must not be found. Otherwise the tests below would prove nothing."""
    strings = {word.lower() for word in strings_of(hush["plain"])}
    for place in ("rodata", "data", "tls", "struct", "member", "parameter", "variable", "label", "section", "version_2"):
        assert any(WORD + place in word for word in strings), place
    for place in ("runpath", "directory", "source", "header", "macro", "option", "needed", "local", "inline"):
        assert any(WORD + place in word for word in strings), place
    assert IDENTIFIER in strings
    assert any("hush" in word for word in strings_of(hush["stripped"]))


@pytest.mark.alike
@pytest.mark.parametrize("how", ["plain", "stripped", "packed", "separate", "program"])
@pytest.mark.parametrize("options", [[], ["--no-dwarf"], ["--full"], ["--summary"]])
def test_files(anonymous, hush, small, how, options):
    """With --summary a set is captured besides, because one file is too little for a set of sums."""
    text = anonymous(*options, hush[how], *([small] if "--summary" in options else []))
    assert tells(text) == []
    if how == "separate" and not options:
        assert "debug-file: true" in text and "tags: " in text  # the debug file was read


def test_a_name_would_be_seen(programs, hush, tmp_path):
    output = tmp_path / "x.prof"
    programs.run("pyelfprof", "--names", "-o", output, hush["plain"])
    assert foreign_words(output.read_text()) == {"libhush.so.hush"} and len(tells(output.read_text())) == 1


def test_programs(anonymous, hush):
    text = anonymous("--exec", hush["program"])
    assert "from: exec, libraries: 5" in text and tells(text) == []


def test_runs(anonymous, hush, programs):
    if programs.sanitized:
        pytest.skip("sanitizers and audit libraries do not go together")
    text = anonymous("--run", hush["program"], "hushargument", env={"HUSHENVIRONMENT": "hushvalue"})
    assert "from: run, libraries: 5" in text and tells(text) == []


@pytest.fixture
def script(hush, tmp_path):
    """A script that imports an extension module with the word in its names, and waits if its argument is `wait`."""
    include = subprocess.run(
        ["/usr/bin/python3", "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if not pathlib.Path(include, "Python.h").exists():
        pytest.skip("Python.h is not installed")
    directory = tmp_path / "hushscripts"
    directory.mkdir()
    (directory / "hushmodule.c").write_text(
        "#include <Python.h>\nint hushversioned(void *);\n"
        "static PyObject *f(PyObject *s, PyObject *a) {return s;}\n"
        'static PyMethodDef all[] = {{"hushmethod", f, METH_NOARGS, "hush in its documentation"}, {0}};\n'
        'static struct PyModuleDef d = {PyModuleDef_HEAD_INIT, "hushmodule", "hush", -1, all};\n'
        "PyMODINIT_FUNC PyInit_hushmodule(void) {return hushversioned ? PyModule_Create(&d) : NULL;}\n"
    )
    library = hush["plain"].parent
    options = ["-g", "-shared", "-fPIC", f"-I{include}", f"-L{library}", "-lhush", f"-Wl,-rpath,{library}"]
    command = [tool("gcc"), "-o", directory / "hushmodule.so", directory / "hushmodule.c", *options]
    subprocess.run(command, check=True)
    path = directory / "hushscript.py"
    waits = "if 'wait' in sys.argv:\n    print('up', flush=True)\n    time.sleep(99)\n"
    path.write_text(f"import sys, time, hushmodule\n{waits}")
    return path


def debian():
    return {"PATH": os.pathsep.join(["/usr/bin", os.environ["PATH"]])}


def test_scripts(anonymous, script, programs):
    text = anonymous("--python", script, "hushargument", env=debian())
    assert "from: python" in text and "methods: 1" in text and tells(text) == []
    if not programs.sanitized:
        text = anonymous("--run", "/usr/bin/python3", script, env=debian())
        assert "import: " in text and "methods: 1" in text and tells(text) == []


@pytest.mark.slow
def test_processes_and_cores(anonymous, script, tmp_path):
    command = ["/usr/bin/python3", script, "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=debian()) as running:
        assert running.stdout.readline() == "up\n"
        text = anonymous("--pid", running.pid)
        assert "from: pid" in text and "methods: 1" in text and tells(text) == []
        if shutil.which("gcore"):
            core = tmp_path / "hushcore"
            subprocess.run(["gcore", "-o", core, str(running.pid)], capture_output=True, check=True)
            text = anonymous(f"{core}.{running.pid}")
            assert "from: core" in text and "methods: 1" in text and tells(text) == []
        running.kill()
