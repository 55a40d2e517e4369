"""What else one asks of gdb in a session: types, symbols, and steps from line to line."""

import json
import re

import pytest

from conftest import SOURCE
from entries import declared, first_lines, structures
from objects import ask, every, functions, section, tool

pytestmark = pytest.mark.slow

PYTHON = "/usr/bin/python3"
DRIVE = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.{0}_entry())"


def session(path, *commands):
    """What gdb says of a library to each command, without running anything."""
    marked = [part for command in commands for part in ("-ex", "echo --\\n", "-ex", command)]
    out = ask(tool("gdb"), "-nx", "-batch", "-iex", "set complaints 100", "-iex", "set width 0", *marked, path)
    return out.split("--\n")[1:]


def members_of(text):
    """[[name, offset, size], ...] out of `ptype /o`, which shows the structures and unions within a structure too."""
    found, open_ones = [], []
    for row in text.splitlines()[1:]:
        # members of unions have no offset
        place = re.match(r"/\*(?: +(\d+) +\|)? +(\d+) \*/", row)
        if row.endswith("{"):
            open_ones.append(place)
        elif declared(row):
            place = place or open_ones.pop()
            if not open_ones:
                found.append([declared(row), int(place[1]), int(place[2])])
    return found


def test_ptype_of_structures(small):
    """Members with their offsets and sizes, as readelf shows them."""
    path = small / "libmodule2.so"
    wanted = structures(path)
    names = every([name for name in wanted if name], 40)
    shown = session(path, *(f"ptype /o struct {name}" for name in names))
    seen = 0
    for name, text in zip(names, shown):
        assert f"type = struct {name} {{\n" in text
        members = members_of(text)
        size = int(re.findall(r"/\* total size \(bytes\): +(\d+) \*/", text)[-1])
        assert (size, members) in wanted[name], text
        seen += len(members)
    assert seen > 2 * len(names)


def test_info_symbol(small):
    """`info symbol` shows the function of an address, and the distance from its start."""
    path = small / "libutility1.so"
    _, _, size = section(path, ".text")
    chosen = every(functions(path), 30)
    assert size > 0 and len(chosen) == 30
    places = [(name, address + distance) for name, address in chosen for distance in (0, 5)]
    shown = session(path, *(f"info symbol {address:#x}" for _, address in places))
    distance = ["", " + 5"]
    wanted = [f"{name}{distance[i % 2]} in section .text\n" for i, (name, _) in enumerate(places)]
    assert shown == wanted


@pytest.mark.parametrize("module", ["libmodule1", "libmodule6"])
def test_step_stops_at_the_lines_that_follow(module, small, programs):
    """From a function's first line on, each step stops at the next line of the line table."""
    path = small / f"{module}.so"
    names = [name for name, _ in functions(path)][1::7]
    name, lines = next((name, lines) for name in names for lines in [first_lines(path, name)] if len(lines) > 5)
    command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null"]
    command += ["-x", SOURCE / "tests" / "gdb_probe.py", "--args", PYTHON, "-I", "-c", DRIVE.format(module), small]
    environment = {"PROBE": json.dumps({"mode": "steps", "place": name, "times": len(lines) - 1}), "LD_BIND_NOW": None}
    out = programs.command(command, leaks=False, env=environment, timeout=120).stdout
    stops = [json.loads(line[6:])["stopped"] for line in out.splitlines() if line.startswith("PROBE ")]
    assert {stop["function"] for stop in stops} == {name}
    assert [(stop["file"], stop["line"]) for stop in stops] == lines
