"""What rows say that libraries have beyond what their functions take: methods of modules. CPython and binutils are the
judges.
"""

import json
import subprocess
import sys

import pytest

from objects import ask, tool

# Room for all; relocations for some of them only, and not all of these documented; stripped, so that no function is to
# spare; as many as have names of two words, and more; too little data for most; no wish for relocations.
MODULES = [
    """{kind: module, text: 60000, data: 9000, bss: 8, debug: 90000, symtab: 4800, strtab: 4000, functions: 120,
        dynamic: {functions: 1, undefined: 30}, plt: 25, relocations: {relative: 190}, outside: 1, methods: 40,
        function-sizes: '0 4 9 12 16*2 20 24 30 36 40 44 50 60 80 100 130 160 200 300 900'}""",
    """{kind: module, text: 40000, data: 9000, bss: 900, relocations: {relative: 99}, outside: 1, methods: 40}""",
    """{kind: module, text: 40000, data: 9000, bss: 900, functions: 30, relocations: {relative: 200}, methods: 40}""",
    """{kind: module, text: 90000, data: 40000, bss: 900, functions: 9, relocations: {relative: 2200}, methods: 700}""",
    """{kind: module, text: 60000, data: 1600, bss: 900, functions: 9, relocations: {relative: 2200}, methods: 700}""",
    """{kind: module, functions: 9, methods: 12}""",
]

METHODS = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
for number in range(int(sys.argv[2])):
    module = importlib.import_module(f"libmodule{number}")
    methods = [getattr(module, name) for name in dir(module) if not name.startswith("__")]
    methods = [method for method in methods if callable(method)]
    print(json.dumps([len(methods), sum(method.__doc__ is not None for method in methods), [method() for method in methods]]))
"""


def make(programs, directory, rows):
    text = "\n".join(["pyelfgen-profile: 1", "libraries:", *(f"- {row}" for row in rows), ""])
    (directory / "rows.prof").write_text(text)
    programs.run("pyelfgen", "--profile", directory / "rows.prof", "-o", directory / "set")
    told = json.loads((directory / "set" / "differences.json").read_text())["libraries"]
    return directory / "set", [library["differs"] for library in sorted(told, key=lambda library: library["row"])]


def check_readers(paths):
    lint = tool("eu-elflint")
    for path in paths:
        assert ask(lint, "--gnu-ld", path) == "No errors\n"
        ask("readelf", "-aW", path)


@pytest.fixture(scope="module")
def modules(programs, tmp_path_factory):
    return make(programs, tmp_path_factory.mktemp("modules"), MODULES)


def test_modules_have_as_many_methods_as_their_rows_say(modules):
    """Or as differences.json says; each may be called, and returns a number."""
    directory, differs = modules
    command = [sys.executable, "-c", METHODS, directory, len(MODULES)]
    out = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout
    found = [json.loads(line) for line in out.splitlines()]
    wanted = [40, 40, 40, 700, 700, 12]
    for number, (count, _, results) in enumerate(found):
        assert count == differs[number].get("methods", [wanted[number], wanted[number]])[1]
        assert all(isinstance(result, int) for result in results)
    assert [count for count, _, _ in found][:4] == [40, 40, 40, 700]
    assert 2 <= found[4][0] < 60
    assert found[5][0] == 12
    documented = [count for _, count, _ in found]
    assert documented[0] == 40 and 2 <= documented[1] < 40 and documented[2:4] == [40, 700]


def test_methods_lead_to_functions_of_their_own(modules):
    """Where there are functions that nothing else calls, no two methods lead to the same."""
    out = ask(sys.executable, "-c", METHODS, modules[0], 1)
    results = json.loads(out)[2]
    assert len(set(results)) == 40


def test_relocations_stay_those_of_the_rows(modules):
    directory, differs = modules
    for number, wanted in enumerate([190, 99, 200, 2200, 2200]):
        relocations = ask("readelf", "-rW", directory / f"libmodule{number}.so")
        found = relocations.count("R_X86_64_RELATIVE")
        assert found == differs[number].get("relocations: relative", [wanted, wanted])[1]
        assert found == wanted or number == 4


def test_readers_have_nothing_to_complain_of(modules):
    check_readers(sorted(modules[0].glob("libmodule*.so")))


def test_the_set_runs(programs, modules):
    ran = programs.run("pyelfrun", "--phases", "import,visit", modules[0])
    assert "every result right" in ran.stdout
