"""Code that no unit describes: a library that is linked of objects with and without debug information, and its twin."""

import re
import subprocess

import pytest

from objects import ask, code_by_readelf, tool
from test_twin import COMMON, FUNCTION, Twin

WITH, WITHOUT = 40, 90  # functions of the objects with, and of those without

# {name: (compiler, what the objects with debug information are compiled with)}
SHAPES = {
    "c": ("gcc", []),
    "c-4": ("gcc", ["-gdwarf-4"]),
    "c-sections": ("gcc", ["-ffunction-sections"]),
    "c-O0": ("gcc", ["-O0"]),
    "lines": ("gcc", ["-g1"]),
    "c++": ("g++", []),
}


def objects(directory, compiler, flags):
    """Compiles objects with debug information and, half of the functions before and half behind them, without."""
    ending = "cc" if compiler == "g++" else "c"
    parts = [("before", WITHOUT // 2, []), ("mesh", WITH, ["-g", *flags]), ("behind", WITHOUT // 2, [])]
    for name, count, more in parts:
        text = "".join(FUNCTION.format(n=n, name=name, calls="") for n in range(count))
        source = directory / f"{name}.{ending}"
        source.write_text(COMMON.format(size=10 + count, functions=text))
        command = [tool(compiler), "-O2", "-fPIC", "-c", *more, source, "-o", directory / f"{name}.o"]
        subprocess.run(command, cwd=directory, check=True)
    return [directory / f"{name}.o" for name, _, _ in parts]


@pytest.fixture(scope="module")
def twins(programs, tmp_path_factory):
    """get(shape) compiles a library and makes its twin, once."""
    made = {}

    def get(shape):
        if shape not in made:
            directory = tmp_path_factory.mktemp(shape)
            compiler, flags = SHAPES[shape]
            real = directory / "libmesh.so"
            subprocess.run(
                [tool(compiler), "-shared", *objects(directory, compiler, flags), "-o", real], check=True
            )
            made[shape] = (real, Twin(programs, real, directory / "twin"))
        return made[shape]

    return get


def functions(path):
    """[(address, bytes)] of the functions, except for those without bytes, which are start-up code."""
    rows = re.findall(
        r"^ *\d+: ([0-9a-f]{16}) +(\d+) FUNC .* \d+ \S+$", ask("readelf", "-sW", path).split("'.symtab'")[1], flags=re.M
    )
    return sorted({(int(a, 16), int(size)) for a, size in rows if int(size)})


def lines_of(path, addresses):
    """{address: whether it has a line}, as addr2line sees it. It takes the file of others from the symbols."""
    asked = [hex(a) for a in addresses]
    answers = ask("addr2line", "-e", path, *asked).splitlines()
    return {a: not answer.endswith("?") for a, answer in zip(addresses, answers, strict=True)}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_twin_describes_as_much_code(twins, shape):
    """All that debug information takes is that of the described functions, so sections have their sizes."""
    real, twin = twins(shape)
    (wanted,), (made,) = twin.real, twin.made
    assert wanted["dwarf"]["code"] == code_by_readelf(real) < 0.6 * wanted["share"]["code"]
    library = twin.path / "libutility0.so"
    assert made["dwarf"]["code"] == code_by_readelf(library)
    assert abs(made["dwarf"]["code"] / wanted["dwarf"]["code"] - 1) < 0.05
    assert made["debug"] == wanted["debug"]
    listed = twin.differences().get(0, {})
    assert listed["dwarf: code"] == [wanted["dwarf"]["code"], made["dwarf"]["code"]]
    different = {key for key in listed if key.startswith("mix: ")}
    if shape == "lines":  # so short that inlined calls have no room for as many ranges
        assert different <= {"mix: info", "mix: abbrev", "mix: rnglists"}
    elif shape != "c++":  # so short that names do not fit
        assert not different


@pytest.mark.parametrize("shape", SHAPES)
def test_each_function_is_described_or_not(twins, shape):
    """A described function has a line at each end; another has neither, and debug information lacks its name."""
    _, twin = twins(shape)
    library = twin.path / "libutility0.so"
    all_ = functions(library)
    found = lines_of(library, [a for a, _ in all_] + [a + size - 1 for a, size in all_])
    described = [(a, size) for a, size in all_ if found[a]]
    assert all(found[a] == found[a + size - 1] for a, size in all_)
    covered = sum(size for _, size in described)
    assert 0.85 * code_by_readelf(library) < covered <= code_by_readelf(library)  # between functions there is padding
    names = dict(re.findall(r"^([0-9a-f]{16}) [tTW] (\S+)$", ask("nm", library), flags=re.M))
    told = set(re.findall(r"\b\w+\b", ask("readelf", "-p", ".debug_str", library)))
    for a, _ in all_:
        name = names[f"{a:016x}"]
        has_none = shape == "c++" and not re.match(r"_ZN\d", name)  # only methods have linkage names
        assert found[a] == (name in told) or has_none and name not in told, name


@pytest.mark.parametrize("binding", ["static __attribute__((noinline, used))", ""])
def test_names_of_others_may_be_long(programs, tmp_path, binding):
    """What debug information does not describe it needs no room for, and names are as long as the real ones."""
    loop = "for (long i = 0; i < x; i++) {{ s += i * y; if (s > 1000) s /= 3; s ^= y >> 2; s += s % {n}; }}"
    body = "(long x, long y) {{ long s = {n}; " + loop + " return s; }}\n"
    long_name = "work_{n}_of_a_very_long_name_that_goes_on_for_quite_a_while_until_it_ends_here"
    (tmp_path / "told.c").write_text("".join(f"long shown_{{n}}{body}".format(n=n) for n in range(1, 61)))
    (tmp_path / "others.c").write_text("".join(f"{binding} long {long_name}{body}".format(n=n) for n in range(1, 601)))
    for name, flags in (("told", ["-g"]), ("others", [])):
        command = [tool("gcc"), "-O2", *flags, "-fPIC", "-c", tmp_path / f"{name}.c", "-o", tmp_path / f"{name}.o"]
        subprocess.run(command, check=True)
    subprocess.run(
        [tool("gcc"), "-shared", tmp_path / "told.o", tmp_path / "others.o", "-o", tmp_path / "real.so"], check=True
    )
    twin = Twin(programs, tmp_path / "real.so", tmp_path / "twin")
    listed = twin.differences().get(0, {})
    assert not {"name-lengths", "dynamic: dynstr", "strtab"} & listed.keys()


def test_explained(programs, twins):
    _, twin = twins("c")
    said = programs.run("pyelfprof", "--explain", twin.directory / "real.prof").stdout
    kb = r"[\d.]+ kB"
    assert re.search(rf"^In 1 library it describes {kb} of {kb} of code: the rest was compiled without\.$", said, flags=re.M)


@pytest.mark.parametrize("shape", SHAPES)
def test_other_readers_find_nothing_wrong(twins, shape):
    _, twin = twins(shape)
    library = twin.path / "libutility0.so"
    assert "No errors." in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--verify", library)
    assert ask("eu-elflint", "--gnu-ld", library) == "No errors\n"
    assert ask("readelf", "-wiolRF", library)


@pytest.mark.parametrize("few", [1, 4, 12, 24])
def test_code_stays_where_hardly_any_of_it_is_described(programs, tmp_path, few):
    """Whether its debug information has room for units or not, a library keeps the code that is in none."""
    bare = "int {name}_{n}(int a) {{ return a * {n}; }}\n"
    for name, count, text, flags in (("many", 200, FUNCTION, []), ("few", few, bare, ["-g"])):
        source = tmp_path / f"{name}.c"
        body = "".join(text.format(n=n, name=name, calls="") for n in range(count))
        source.write_text(COMMON.format(size=10, functions=body) if text is FUNCTION else body)
        subprocess.run([tool("gcc"), "-O2", "-fPIC", "-c", *flags, source, "-o", source.with_suffix(".o")], check=True)
    real = tmp_path / "libmesh.so"
    subprocess.run([tool("gcc"), "-shared", tmp_path / "many.o", tmp_path / "few.o", "-o", real], check=True)
    twin = Twin(programs, real, tmp_path / "twin")
    (wanted,), (made,) = twin.real, twin.made
    assert abs(made["share"]["code"] / wanted["share"]["code"] - 1) < 0.05
    assert made["debug"] == wanted["debug"]
