"""A library of link-time optimisation, whose symbol table has symbols without a name, and its twin."""

import re
import subprocess

import pytest

from objects import ask, tool
from test_twin import COMMON, FUNCTION, Twin

UNITS, FUNCTIONS = 4, 60


@pytest.fixture(scope="module")
def pair(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("lto")
    sources = []
    for unit in range(UNITS):
        text = "".join(FUNCTION.format(n=n, name=f"mesh{unit}", calls="") for n in range(FUNCTIONS))
        sources.append(directory / f"mesh{unit}.c")
        sources[-1].write_text(COMMON.format(size=100 + unit, functions=text))
    real = directory / "libmesh.so"
    flags = ["-g", "-O2", "-fPIC", "-shared", "-flto", "-ffat-lto-objects"]
    subprocess.run(["gcc", *flags, *sources, "-o", real], check=True)
    return real, Twin(programs, real, directory / "twin").path / "libutility0.so"


def unnamed(path):
    """The values of symbols without a name and a type in .debug_info."""
    sections = re.findall(r"^ *\[ *(\d+)\] (\.\S+)", ask("readelf", "-SW", path), flags=re.M)
    (info,) = (number for number, name in sections if name == ".debug_info")
    rows = re.findall(r"^ *\d+: ([0-9a-f]{16}) +0 NOTYPE +LOCAL +DEFAULT +(\d+) *$", ask("readelf", "-sW", path), re.M)
    return [int(value, 16) for value, section in rows if section == info]


def test_symbols_without_a_name_lead_behind_the_code(pair):
    """llvm-symbolizer takes what they are in .debug_info for an address in the code."""
    _, twin = pair
    text = re.search(r" \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", ask("readelf", "-SW", twin))
    start, size = int(text[1], 16), int(text[2], 16)
    values = unnamed(twin)
    assert len(values) > 10 and not [value for value in values if start <= value < start + size]


def test_each_address_has_a_function(pair):
    _, twin = pair
    rows = re.findall(r"^([0-9a-f]{16}) ([0-9a-f]{16}) [tT] \S+$", ask("nm", "-S", twin), flags=re.M)
    places = [int(start, 16) + int(size, 16) // 2 for start, size in rows]
    said = ask(tool("llvm-symbolizer-14", "llvm-symbolizer"), "--no-inlines", f"--obj={twin}", *map(hex, places))
    names = [block.split("\n")[0] for block in said.rstrip("\n").split("\n\n")]
    assert len(names) == len(places) > FUNCTIONS and all(names) and "??" not in names
