"""What no twin follows, as docs/differences.md says. The judges are binutils."""

import shutil

import pytest

from objects import ask, tool


@pytest.fixture(scope="module")
def twin(programs, tmp_path_factory):
    """A twin of two copies of a library that asks for all of this, and the library."""
    directory = tmp_path_factory.mktemp("twin")
    (directory / "a.c").write_text("int number; int *first(void) { return &number; }\n")
    flags = "-z,execstack,-z,initfirst,-z,interpose,--filter,libc.so.6,--auxiliary,libm.so.6,--audit,libx.so"
    ask(tool("gcc"), "-shared", "-fPIC", f"-Wl,{flags}", "-o", directory / "liba.so", directory / "a.c")
    shutil.copy(directory / "liba.so", directory / "libcopy.so")
    programs.run("pyelfprof", "-o", directory / "a.prof", directory / "liba.so", directory / "libcopy.so")
    programs.run("pyelfgen", "-P", directory / "a.prof", "-o", directory / "set")
    return directory


def test_no_library_asks_for_an_executable_stack(twin):
    def stack(path):
        return next(line.split()[-2] for line in ask("readelf", "-lW", path).splitlines() if "GNU_STACK" in line)

    assert stack(twin / "liba.so") == "RWE" and stack(twin / "set" / "libutility0.so") == "RW"


def test_no_library_is_a_filter_or_comes_first(twin):
    words = ["FILTER", "AUXILIARY", "AUDIT", "INITFIRST", "INTERPOSE"]
    assert [word in ask("readelf", "-dW", twin / "liba.so") for word in words] == [True] * len(words)
    assert not [word for word in words if word in ask("readelf", "-dW", twin / "set" / "libutility0.so")]


def test_twins_of_equal_files_are_not_equal(twin):
    rows = [line for line in (twin / "a.prof").read_text().splitlines() if line.startswith("- {")]
    assert rows[0] == rows[1]
    first, second = [(twin / "set" / f"libutility{i}.so").read_bytes() for i in range(2)]
    assert len(first) == len(second) and first != second


def test_relocations_that_are_packed_for_android_are_not_counted(programs, tmp_path):
    if not shutil.which("ld.lld") or not shutil.which("clang"):
        pytest.skip("needs lld")
    (tmp_path / "a.c").write_text("int x; int *p[9] = {&x, &x, &x};\n")
    counted = {}
    for kind in ["none", "android"]:
        path = tmp_path / f"lib{kind}.so"
        flags = ["-fuse-ld=lld", "-nostdlib", f"-Wl,--pack-dyn-relocs={kind}"]
        ask(tool("clang"), "-shared", "-fPIC", *flags, "-o", path, tmp_path / "a.c")
        counted[kind] = "relocations: {" in programs.run("pyelfprof", "-o", "-", path).stdout
    assert counted == {"none": True, "android": False}
