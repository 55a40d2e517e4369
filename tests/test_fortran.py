"""Debug information as gfortran writes it; and the twin of what gfortran compiled.

Other tests, of which it is a variant (sets.py), check its sizes and that readers find nothing wrong with it.
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess

import pytest

from objects import ask, counted_libraries, functions, tool
from sets import PLAIN, profile_text

KEYS = {**PLAIN, "sections": {**PLAIN["sections"], "debug": 3_000_001}}

# Captured from the double precision of LAPACK 3.12 and its BLAS, compiled by gfortran 12 with -g -O2, as one library.
REAL = pathlib.Path(__file__).with_name("fortran.prof")

SOURCE = """
module shapes
  implicit none
  real(8), parameter :: half = 0.5d0
  type box
    real(8), allocatable :: side(:)
    real(8), pointer :: other(:, :)
    integer :: number
  end type
contains
  subroutine scale(b, by, name)
    type(box), intent(inout) :: b
    real(8), intent(in) :: by(:, :)
    character(len=12) :: name
    integer :: i
    real(8) :: work(4, 3)
    external :: work_on
    do i = 1, b%number
      work(1, 2) = half * by(i, 1)
      call work_on(work, i, name)
      b%side(i) = b%side(i) * work(1, 1)
    end do
  end subroutine
end module
"""


def uses(path):
    """{(tag, attribute): {form: how often}}, as LLVM sees it."""
    found = collections.defaultdict(collections.Counter)
    tag = None
    dump = ask("llvm-dwarfdump", "--debug-info", "--verbose", path)
    for line in dump.splitlines():
        entry = re.match(r"0x\w+: +(?:\[\d+\] )?DW_TAG_(\w+)", line)
        tag = entry[1] if entry else tag
        attribute = re.match(r" +DW_AT_(\w+) \[DW_FORM_(\w+)\]", line)
        if attribute:
            found[tag, attribute[1]][attribute[2]] += 1
    return found


@pytest.fixture(scope="module", params=[5, 4])
def library(request, programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("fortran")
    dwarf = {"language": "fortran", "version": request.param}
    (directory / "a.prof").write_text(profile_text(**KEYS, dwarf=dwarf))
    programs.run("pyelfgen", "--profile", directory / "a.prof", "-o", directory / str(request.param), "--quiet")
    return counted_libraries(directory / str(request.param))[0]


def test_units_are_of_fortran(library):
    dump = ask("llvm-dwarfdump", "--debug-info", library)
    units = dump.split("DW_TAG_compile_unit")[1:]
    assert len(units) > 1
    wanted = "DW_LANG_Fortran08" if library.parent.name == "5" else "DW_LANG_Fortran95"
    for unit in units:
        assert wanted in unit and "DW_AT_identifier_case\t(DW_ID_down_case)" in unit
        assert re.search(r'DW_AT_producer\t\("GNU Fortran2008 .*written by pyelfgen', unit)
        assert re.search(r'DW_AT_name\t\("[^"]+\.f90"\)', unit)
        assert len(re.findall("DW_TAG_base_type", unit)) == 5


def test_what_only_c_has_is_not_there(library):
    found = uses(library)
    tags = {tag for tag, _ in found}
    assert not tags & {"typedef", "union_type", "atomic_type", "label"}
    assert {"constant", "string_type", "array_type", "restrict_type"} <= tags
    assert not [tag for tag, attribute in found if attribute == "prototyped"]


def test_everything_is_declared_in_the_source(library):
    """All but inlined functions are declared there. In version 5 the abbreviations say so, and not each entry."""
    if library.parent.name == "4":
        return
    found = uses(library)
    files = collections.Counter()
    for (_, attribute), forms in found.items():
        if attribute == "decl_file":
            files.update(forms)
    assert files["implicit_const"] > 20 * files["data1"] > 0


def test_arrays_with_a_descriptor_are_those_of_libgfortran(library):
    """The expressions for address and bounds read the descriptor at the offsets that libgfortran uses."""
    dump = ask("llvm-dwarfdump", "--debug-info", library)
    assert "DW_AT_data_location\t(DW_OP_push_object_address, DW_OP_deref)" in dump
    offsets = {int(offset, 16) for offset in re.findall(r"bound\t\(DW_OP_push_object_address, DW_OP_plus_uconst (\w+), DW_OP_deref\)", dump)}
    assert offsets == {0x30, 0x38, 0x48, 0x50}


def test_the_first_element_is_the_first(library):
    """The default lower bound is 1 in Fortran, so the upper bound is the number of elements."""
    dump = ask("llvm-dwarfdump", "--debug-info", library)
    (upper,) = re.findall(r'DW_AT_upper_bound\t\((\w+)\)(?:\n.*){3,5}DW_AT_name\t\("libmodule0_visits"\)', dump)
    (size,) = re.findall(r"(\d+) OBJECT .* libmodule0_visits\n", ask("readelf", "-sW", "--dyn-syms", library))[-1:]
    assert int(upper, 16) == int(size)


def test_gdb_speaks_fortran(library):
    """gdb prints types of functions and of their variables as those of Fortran."""
    name, _ = functions(library)[5]
    commands = ["set language fortran", f"ptype {name}", f"info scope {name}", "whatis libmodule0_visits"]
    options = [option for command in commands for option in ("-ex", command)]
    done = subprocess.run([tool("gdb"), "-nx", "-batch", *options, library], capture_output=True, text=True)
    assert done.stderr == ""
    assert re.search(r"type = integer\(kind=8\) \(.*\)\n", done.stdout)
    assert "Symbol" in done.stdout and re.search(r"type = character", done.stdout)


def test_addresses_of_locals_are_passed(programs, tmp_path):
    """Arguments beyond the usual two are addresses of locals. Call sites describe them as places in the frame."""
    programs.run("pyelfgen", "--profile", REAL, "-o", tmp_path / "set", "--quiet")
    path = max((tmp_path / "set").glob("*.so"), key=lambda path: path.stat().st_size)
    dump = ask("llvm-dwarfdump", "--debug-info", path)
    references = re.findall(r"DW_OP_reg[128-9]\b.*\n +DW_AT_call_value\t\(DW_OP_fbreg -\d+\)", dump)
    assert len(references) > 1000
    code = ask("objdump", "-d", "--no-show-raw-insn", path)
    assert len(re.findall(r"lea +-0x\w+\(%rbp\),%r(?:dx|cx|8|9)\b", code)) > 1000


@pytest.mark.skipif(not shutil.which("gfortran"), reason="no gfortran")
def test_what_gfortran_says_is_what_is_said(library, tmp_path):
    """Tags have the attributes that gfortran gives them, in forms that it chooses for the source above."""
    (tmp_path / "a.f90").write_text(SOURCE)
    shared = tmp_path / "a.so"
    options = ["-g", f"-gdwarf-{library.parent.name}", "-O2", "-fPIC", "-shared", "-J", tmp_path]
    subprocess.run([tool("gfortran"), *options, tmp_path / "a.f90", "-o", shared], check=True)
    real, made = uses(shared), uses(library)
    assert len(set(real) & set(made)) > 40
    for tag, attribute in [
        ("array_type", "data_location"),
        ("array_type", "ordering"),
        ("array_type", "allocated"),
        ("subrange_type", "byte_stride"),
        ("compile_unit", "identifier_case"),
        ("constant", "const_value"),
        ("string_type", "byte_size"),
    ]:
        assert real[tag, attribute], (tag, attribute)
        # gcc may put a value into the abbreviation that all entries of a unit share
        wanted = {re.sub("implicit_const|data1", "number", form) for form in real[tag, attribute]}
        assert {re.sub("implicit_const|data1", "number", form) for form in made[tag, attribute]} <= wanted


# --- the twin of what gfortran compiled ------------------------------------------------


@pytest.fixture(scope="module")
def twin(programs, tmp_path_factory):
    """(what pyelfstat says of the twin beside the real one, text of the twin's profile)"""
    return programs.twin(REAL, tmp_path_factory.mktemp("twin"))


def test_its_profile_says_that_it_is_fortran(twin):
    assert "language: fortran, " in twin[1] and "language: fortran08, " in twin[1]


def test_each_section_has_the_size_of_the_real_one(twin):
    (library,) = twin[0]["libraries"]
    sizes = {row["name"]: (row["real"], row["twin"]) for row in library["quantities"] if row["name"].startswith("mix.")}
    assert len(sizes) >= 8
    assert {name: both for name, both in sizes.items() if both[0] != both[1]} == {}


def test_entries_are_as_the_real_ones(twin):
    found = {row["name"]: row for row in twin[0]["set"]}
    assert found["tags"]["distance"] < 0.04
    assert found["attributes"]["distance"] < 0.07
    assert found["forms"]["distance"] < 0.12
    assert abs(found["dwarf.dies"]["difference"]) < 0.08 * found["dwarf.dies"]["real"]


def test_rows_of_another_language(programs, tmp_path):
    """In an application of C and Fortran the units of each library are in the language of its row."""
    text = REAL.read_text()
    row = re.search(r"^- \{.*\}$", text, re.M)[0]
    c = row.replace("language: fortran08", "language: c")
    text = re.sub("^sections: .*\n", "", text, flags=re.M)
    text = text.replace("utilities: 1\n", "utilities: 2\n").replace("libraries: 1,", "libraries: 2,")
    (tmp_path / "a.prof").write_text(text + c + "\n")
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", "--quiet")
    languages = collections.Counter()
    for path in (tmp_path / "set").glob("libutility*.so"):
        dump = ask("llvm-dwarfdump", "--debug-info", path)
        (language,) = set(re.findall(r"DW_AT_language\t\((\w+)\)", dump))
        languages[language] += 1
        assert ("DW_AT_prototyped" in dump) == (language == "DW_LANG_C11")
        assert ("DW_AT_identifier_case" in dump) == (language == "DW_LANG_Fortran08")
    assert languages == {"DW_LANG_Fortran08": 1, "DW_LANG_C11": 1}


def test_rows_of_fortran_in_the_form_of_clang(programs, tmp_path):
    """Clang has no form of Fortran here: the library is described as C, and differences.json says so."""
    text = REAL.read_text().replace("language: fortran, units: 1, views: true", "language: c, units: 1, compiler: clang")
    (tmp_path / "a.prof").write_text(text)
    programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "-o", tmp_path / "set", "--quiet")
    (library,) = json.loads((tmp_path / "set" / "differences.json").read_text())["libraries"]
    assert library["differs"]["dwarf: language"] == ["fortran08", "c"]
    made = tmp_path / "made.prof"
    programs.run("pyelfprof", "-o", made, tmp_path / "set")
    assert "language: c, " in made.read_text() and "compiler: clang" in made.read_text()


def test_summary_says_the_languages_where_all_that_differ_have_the_same(programs, tmp_path):
    """--dry-run writes no differences.json, so the summary has the words itself."""
    row = "- {kind: utility, text: 40 kB, data: 6 kB, debug: 60 kB, dwarf: {language: %s}}\n"

    def said(*languages):
        rows = "".join(row % language for language in languages)
        (tmp_path / "a.prof").write_text(f"pyelfgen-profile: 1\nlibraries:\n{rows}")
        printed = programs.run("pyelfgen", "--profile", tmp_path / "a.prof", "--dry-run").stdout
        return [line.split() for line in printed.splitlines() if line.startswith("dwarf: language")]

    head = ["dwarf:", "language"]
    assert said("fortran77", "c", "fortran77") == [[*head, *"2 of 3 fortran77 fortran08".split()]]
    assert said("fortran77", "rust") == [[*head, *"2 of 2 not all the same".split()]]
    assert said("c", "c++", "fortran08") == []
