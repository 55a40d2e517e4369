"""A second, independent computation of what the functions of a set are passed and return.

Two things are read from objdump's disassembly of the libraries: who calls whom, and the numbers that entries and extern
functions begin with. What a numbered function makes of its arguments and calls follows from the seed. This file was
written from the description in emit/plan/function.h and not from evaluate.c, because it checks the results that evaluate.c
puts into the manifest.
"""

import functools
import re
import struct

import objects
from sets import manifest_of

WORD = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
KINDS = {"libmodule": 0, "libutility": 1}
TYPES = ["int", "long", "float", "double", "const char *"]
CODES = {"int": "i", "long": "l", "float": "f", "double": "d", "const char *": "PKc"}
WORDS = "ready running done failed north south east west matrix vector scalar tensor mesh field coarse fine".split()


def mix(x):
    """SplitMix64's finaliser."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def at(key, index):
    return mix((key + (index + 1) * STEP) & WORD)


def below(value, n):
    return (value >> 32) * n >> 32


def tag(text):
    """The letters as one number, the first in the highest byte."""
    return int.from_bytes(text.encode(), "big")


class Constants:
    """A set's constants: calls pass the values of the numbers and the addresses of the strings."""

    def __init__(self, seed):
        key = mix(seed ^ tag("const"))
        random = [at(key, i) for i in range(32)]
        self.float = [1 + (r & 1023) + (r >> 60) / 16 for r in random]
        self.double = [1 + (r >> 10 & 2047) + (r >> 24 & 255) / 256 for r in random]
        self.text = [f"{WORDS[i % 16]}-{below(r, 1000)}" for i, r in enumerate(random)]


class Function:
    """One numbered function: its library, and what follows from its hash."""

    def __init__(self, library, index, name):
        self.library, self.index, self.name = library, index, name
        self.hash = at(library.key, index)
        self.own = mix(self.hash ^ tag("own"))
        weights = mix(self.hash ^ tag("weight"))
        self.types = [TYPES[(self.hash >> 5 * j & 31) * 5 >> 5] for j in range(below(self.hash, 6))]
        self.weights = [(weights >> 12 * j & 0xFFF) << 1 | 1 for j in range(len(self.types))]
        self.calls = []  # the functions that it calls, in order

    def is_named_rightly(self):
        """Whether the name has the function's number behind "_fun", or, if mangled, the right class and parameters."""
        name = self.name
        if not name.startswith("_ZN"):
            return name[len(self.library.name) + len("_fun") :].startswith(str(self.index))
        template = "EEEm" in name
        parameters = "".join(CODES[kind] for kind in self.types) or "v"
        first, text, others = parameters.partition("PKc")  # its repetitions are substitutions
        others = others.replace("PKc", "S3_" if template else "S2_")
        end = "EEEm" if template else "E"
        number = re.match(rf"_ZN\d+{self.library.name}\d+[A-Za-z]+{self.index // 8}\d\d?[a-z]", name)
        return number and name.endswith(end + first + text + others)

    def passed(self, caller):
        """The arguments of a call to this function, as a debugger shows them; `caller` is 0 within a library."""
        values = mix(((self.hash ^ tag("call")) + caller) & WORD)
        constants = self.library.constants
        kinds = {
            "int": lambda v: v - 1024,
            "long": lambda v: (v - 1024) * 100003,
            "float": lambda v: constants.float[v % 32],
            "double": lambda v: constants.double[v % 32],
            "const char *": lambda v: constants.text[v % 32],
        }
        return [kinds[type_name](values >> 12 * j & 0xFFF) for j, type_name in enumerate(self.types)]

    def calls_with_callers(self):
        """(called function, the number that stands for this caller in its `passed`) of each call."""
        turn = 0
        for callee in self.calls:
            if callee.library is self.library:
                yield callee, 0
            else:
                yield callee, (self.hash | 1) + (turn << 32)
                turn += 1

    def mixed(self, caller):
        """The weighted sum of its arguments."""
        numbers = (
            struct.unpack("<I", value.encode()[:4])[0] if isinstance(value, str) else int(value)
            for value in self.passed(caller)
        )
        return sum(weight * number for weight, number in zip(self.weights, numbers))

    @functools.cached_property
    def rest(self):
        """Its result without what its own arguments add.

        Model asks the called functions first, so this does not recurse.
        """
        return self.own + sum(
            times * (callee.mixed(caller) + callee.rest)
            for times, (callee, caller) in zip(self.times, self.calls_with_callers())
        )

    def returned(self, caller=0):
        return (self.mixed(caller) + self.rest) & WORD


class Library:
    def __init__(self, model, path, stem, number):
        self.path, self.name, self.constants = path, path.name[:-3], model.constants
        self.key = at(mix(model.seed), KINDS[stem] << 32 | number)
        self.is_module = stem == "libmodule"
        self.functions = [Function(self, i, name) for i, (name, _) in enumerate(objects.functions(path))]
        for function in self.functions:
            assert function.is_named_rightly(), function.name
        self.code = objects.code(path)
        self.extern = self.code[f"{self.name}_extern"].number if f"{self.name}_extern" in self.code else None

    def call_sites(self, function):
        """The addresses of the calls that a function makes."""
        return [address for address, _ in self.code[function.name].calls]


class Model:
    """The model of the set in a directory."""

    def __init__(self, directory):
        manifest = manifest_of(directory)
        self.seed = manifest["seed"]
        self.constants = Constants(self.seed)
        numbered = [("libutility", i) for i in range(manifest["utilities"])]
        numbered += [("libmodule", i) for i in range(manifest["modules"])]
        made = objects.each(lambda one: Library(self, directory / f"{one[0]}{one[1]}.so", *one), numbered)
        self.libraries = {library.name: library for library in made}
        self.by_name = {function.name: function for library in made for function in library.functions}
        for function in self.by_name.values():
            function.calls = [self.by_name[name] for _, name in function.library.code[function.name].calls]
            function.times = function.library.code[function.name].times
        for library in made:  # utilities come first, and each function after those it calls: see Function.rest
            for function in reversed(library.functions):
                function.rest

    def entry_calls(self, module):
        """The numbered functions and the extern functions that a module's entry calls."""
        names = [name for _, name in self.libraries[module].code[f"{module}_entry"].calls]
        functions = [self.by_name[name] for name in names if name in self.by_name]
        externs = [self.libraries[name[: -len("_extern")]] for name in names if name.endswith("_extern")]
        assert len(functions) + len(externs) == len(names)
        return functions, externs

    def entry_result(self, module):
        functions, externs = self.entry_calls(module)
        own = self.libraries[module].code[f"{module}_entry"].number
        return (own + sum(f.returned() for f in functions) + sum(library.extern for library in externs)) & WORD

    def visited(self):
        """The names of the functions that run when the entry of every module is called."""
        found = set()
        modules = [name for name, library in self.libraries.items() if library.is_module]
        waiting = [function for name in modules for function in self.entry_calls(name)[0]]
        while waiting:
            function = waiting.pop()
            if function.name not in found:
                found.add(function.name)
                waiting.extend(function.calls)
        return found
