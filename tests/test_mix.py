"""Each section of the debug information has the size that `dwarf: mix` wants, to the byte; readelf is the judge.

The tests make a profile without a mix, change the sizes that come out, and want these. A small
change must be met. A large one may be refused, with a size that is met.
"""

import random
import re
import shutil

import pytest

from conftest import SOURCE
from objects import ask, counted_libraries, sums

KEYS = ["info", "abbrev", "line", "str", "line_str", "loclists", "rnglists"]
VERSION_4 = {"loclists": "loc", "rnglists": "ranges"}
PLAIN = """\
pyelfgen-profile: 1
seed: {seed}
modules: {modules}
utilities: {utilities}
functions: {functions}
sections: {{text: {text} B, data: {data} B, debug: {debug} B, symtab: {symtab} B, strtab: {strtab} B}}
"""


def sections(directory):
    """{section: bytes} of the debug information of a set's libraries together."""
    shown = ask("readelf", "-SW", *counted_libraries(directory))
    found = {}
    for name, size in re.findall(r"\] \.debug_(\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ", shown):
        found[name] = found.get(name, 0) + int(size, 16)
    return found


def random_profile(chance):
    libraries = (chance.randint(1, 5), chance.randint(0, 3))
    functions = chance.choice([3, 10, 40, 52, 120])
    count = sum(libraries)
    return PLAIN.format(
        seed=chance.randint(0, 99),
        modules=libraries[0],
        utilities=libraries[1],
        functions=functions,
        text=count * (9000 + functions * chance.randint(300, 700)),
        data=count * (9000 + functions * 60),
        debug=count * (40_000 + functions * chance.choice([1500, 2300, 4000])),
        symtab=count * (3000 + functions * 80) // 24 * 24,
        strtab=count * (3000 + functions * 120),
    )


@pytest.fixture
def make(programs, roomy):
    """Generates a set: (status, what was said, sections)."""

    def run(plain, dwarf, mix):
        wanted = ", ".join(f"{key}: {size} B" for key, size in mix.items())
        text = plain + f"dwarf: {{{', '.join([*dwarf, f'mix: {{{wanted}}}'] if mix else dwarf)}}}\n"
        (roomy / "mix.prof").write_text(text)
        shutil.rmtree(roomy / "set", ignore_errors=True)
        command = ["pyelfgen", "--profile", roomy / "mix.prof", "-o", roomy / "set", "-q"]
        done = programs.run(*command, timeout=900, status=None)
        return done.returncode, done.stderr, sections(roomy / "set") if done.returncode == 0 else None

    yield run
    shutil.rmtree(roomy / "set", ignore_errors=True)


def wanted_of(chance, natural, version, amount):
    """(mix, {key: section}). The mix has natural sizes, changed by at most `amount`; names of files only get longer."""
    names = {key: VERSION_4.get(key, key) if version == 4 else key for key in KEYS if version == 5 or key != "line_str"}
    mix = {}
    there = [key for key in names if names[key] in natural]  # a small set may have no ranges
    for key in chance.sample(there, chance.randint(1, 4)):
        size = natural[names[key]]
        size += chance.randint(2, 400) if key == "line_str" else int(size * chance.uniform(-amount, amount))
        if key == "abbrev":
            size = max(size, natural["abbrev"])
        mix[key] = size // 16 * 16 if version == 4 and key == "rnglists" else size
    return mix, names


def check(chance, make, amount):
    """Tries a random profile and mix. True if the mix was met, False if it was refused for a good reason."""
    plain = random_profile(chance)
    version = chance.choice([5, 5, 4])
    dwarf = [f"version: {version}", f"views: {chance.choice(['true', 'false'])}"]
    status, said, natural = make(plain, dwarf, {})
    if status:
        assert re.fullmatch(r"pyelfgen: sections: .*\n", said)
        return False
    mix, names = wanted_of(chance, natural, version, amount)
    status, said, found = make(plain, dwarf, mix)
    if status:
        assert status == 1 and re.fullmatch(r"pyelfgen: .*dwarf: mix: .*\n", said), said
        nearest = re.search(r"mix: (\w+): (\d+) bytes are too (?:few|many) .* and the other .* is (\d+)\n", said)
        if nearest:
            key, was, size = nearest[1], int(nearest[2]), int(nearest[3])
            assert mix[key] == was != size
            status, said, found = make(plain, dwarf, {**mix, key: size})
            assert status == 0, said
            assert found[names[key]] == size
        return False
    assert {key: found[names[key]] for key in mix} == mix
    assert sum(found.values()) == sum(natural.values())
    return True


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_little_is_met(seed, make):
    """Of six random profiles, three or more can have sections up to a hundredth larger or smaller."""
    chance = random.Random(seed)
    assert sum(check(chance, make, 0.01) for _ in range(6)) >= 3


@pytest.mark.long
@pytest.mark.parametrize("amount", [0.02, 0.1, 0.3, 0.6])
def test_some_hundred_random_ones(amount, make):
    chance = random.Random(int(amount * 100))
    met = sum(check(chance, make, amount) for _ in range(80))
    assert met >= 20


LARGE = [pytest.param(name, marks=pytest.mark.long) for name in ("llnl-2007", "pynamic-2007", "llnl-900", "c", "c++")]


@pytest.mark.parametrize("name", ["small", *LARGE])
def test_shipped_profiles(name, make, programs, roomy):
    """Five sections are a hundredth smaller than without a mix, no round numbers. .debug_info takes what they leave."""
    text = (SOURCE / "profiles" / f"{name}.prof").read_text()
    dwarf = re.findall(r"^dwarf: {(.*)}$", text, flags=re.M) or ["version: 5"]
    plain = re.sub(r"^dwarf: .*\n", "", text, flags=re.M)
    status, said, natural = make(plain, dwarf, {})
    assert status == 0, said
    mix = {key: natural[key] // 100 * 99 + 1 for key in ("line", "loclists", "rnglists", "str", "abbrev")}
    status, said, found = make(plain, dwarf, mix)
    assert status == 0, said
    assert {key: found[key] for key in mix} == mix
    assert sum(found.values()) == sums(roomy / "set")["debug"] == sum(natural.values())


def test_all_but_one_given(make):
    """Five sections of natural size are met, although only .debug_rnglists and two small sections are left open."""
    plain = random_profile(random.Random(5))
    _, _, natural = make(plain, ["version: 5"], {})
    mix = {key: natural[key] for key in ("info", "abbrev", "line", "str", "loclists")}
    status, said, found = make(plain, ["version: 5"], mix)
    assert status == 0, said
    assert {key: found[key] for key in mix} == mix


@pytest.mark.alike
@pytest.mark.parametrize("key", ["line", "loclists", "str"])
@pytest.mark.parametrize("factor", [0.001, 1.9])
def test_what_cannot_be_is_refused(key, factor, make):
    """A size that is impossible is refused with the nearest possible one, which is then met."""
    plain = random_profile(random.Random(7))
    _, _, natural = make(plain, ["version: 5"], {})
    mix = {key: int(natural[key] * factor) or 1}
    status, said, found = make(plain, ["version: 5"], mix)
    if status == 0:
        assert found[key] == mix[key]
        return
    nearest = re.search(rf"dwarf: mix: {key}: {mix[key]} bytes are too (few|many) for this code.*; the nearest is (\d+)\n", said)
    assert nearest and (nearest[1] == "many") == (factor > 1)
    status, said, found = make(plain, ["version: 5"], {key: int(nearest[2])})
    assert status == 0 and found[key] == int(nearest[2])
