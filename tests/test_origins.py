"""Inlined calls of C++ with a row are of the many methods that headers declare, as llvm-dwarfdump shows."""

import collections

import pytest

from dies import Dies, check_origins

HEAD = "pyelfgen-profile: 1\ndwarf: {version: %d, language: c++, units: 40}\nlibraries:\n"
ROW = """\
- {kind: utility, text: 200000, data: 4000, bss: 800, debug: 2000000, symtab: 9000, strtab: 9000, functions: 200,
   dwarf: {version: %d, language: c++, units: 3, dies: 100000}}
"""


@pytest.fixture(scope="module", params=[5, 4])
def told(request, programs, tmp_path_factory):
    """(entries of a library, its inlined calls)"""
    directory = tmp_path_factory.mktemp("origins")
    (directory / "one.prof").write_text((HEAD + ROW) % (request.param, request.param))
    programs.run("pyelfgen", "--profile", directory / "one.prof", "-o", directory / "set", "-q")
    dies = Dies(directory / "set" / "libutility0.so")
    return dies, [die for die in dies.at.values() if die.tag == "inlined_subroutine"]


def unit_of(die):
    while die.parent:
        die = die.parent
    return die


def caller_of(die):
    """The inlined call that a call is directly in, or None."""
    die = die.parent
    while die.tag == "lexical_block":
        die = die.parent
    return die if die.tag == "inlined_subroutine" else None


def test_calls_are_of_many_functions(told):
    dies, calls = told
    uses = collections.Counter(dies.at[call.reference("abstract_origin")].reference("specification") for call in calls)
    names = {dies.at[at].text("linkage_name") for at in uses}
    there = sum(die.tag == "subprogram" and "inline" in die for die in dies.at.values())
    assert len(calls) > 2000 and there > 300 and len(uses) > 0.6 * there and len(names) > 3 * 32
    often = sorted(uses.values())
    assert often[-1] > 5 * often[len(often) // 2]  # some are inlined far more often than most


def test_what_calls_have_is_of_their_functions(told):
    check_origins(*told)


def test_functions_stand_before_their_calls(told):
    dies, calls = told
    for call in calls:
        origin = dies.at[call.reference("abstract_origin")]
        assert origin.at < call.at and unit_of(origin) is unit_of(call)


def test_values_fit_into_their_parameters(told):
    """Calls say of eight bytes where they are, or of a number what it is: so no parameter is a reference or larger."""
    dies, calls = told
    for call in calls:
        for child in call.of("formal_parameter"):
            kind = dies.follow(dies.at[child.reference("abstract_origin")], "type")
            while kind.tag in ("const_type", "typedef"):
                kind = dies.follow(kind, "type")
            assert kind.tag == "pointer_type" or (kind.tag == "base_type" and kind.number("byte_size") <= 8)


def test_a_line_calls_one_function(told):
    """A line of a function of a header calls the same function wherever it was inlined."""
    _, calls = told
    called = collections.defaultdict(list)
    for call in calls:
        if caller_of(call):
            line = caller_of(call).reference("abstract_origin"), call.number("call_line")
            called[line].append(call.reference("abstract_origin"))
    assert sum(len(found) > 1 for found in called.values()) > 50
    assert all(len(set(found)) == 1 for found in called.values())


def test_no_function_is_inlined_into_itself(told):
    _, calls = told
    inner = [(call, caller_of(call)) for call in calls if caller_of(call)]
    assert len(inner) > 500
    assert all(call.reference("abstract_origin") != caller.reference("abstract_origin") for call, caller in inner)
