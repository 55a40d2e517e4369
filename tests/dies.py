"""Reads the debugging information entries of a library from llvm-dwarfdump's output, and composes C++ names from them.

Nothing here knows how entries are encoded or how names are mangled.
"""

import re
import subprocess

from objects import tool

LINE = re.compile(r"^0x([0-9a-f]+):( +)DW_TAG_(\w+)|^ +DW_AT_(\w+)\t\((.*)\)$")

# {gcc's name of a base type: its name in demangled names}, where they differ
DEMANGLED = {
    "long int": "long",
    "long unsigned int": "unsigned long",
    "short int": "short",
    "short unsigned int": "unsigned short",
    "long long int": "long long",
    "long long unsigned int": "unsigned long long",
    "__int128 unsigned": "unsigned __int128",
}
SUFFIX = {"pointer_type": "*", "reference_type": "&", "rvalue_reference_type": "&&"}


class Die:
    __slots__ = ("at", "tag", "parent", "children", "attributes")

    def __init__(self, at, tag, parent):
        self.at, self.tag, self.parent, self.children, self.attributes = at, tag, parent, [], {}

    def __contains__(self, name):
        return name in self.attributes

    def text(self, name):
        """The value of a string attribute without its quotes, or None."""
        value = self.attributes.get(name)
        return value[1:-1] if value is not None else None

    def reference(self, name):
        """The place of the entry that an attribute refers to, or None."""
        value = self.attributes.get(name)
        return int(value.split()[0], 16) if value is not None else None

    def number(self, name):
        return int(self.attributes[name], 0)

    def of(self, *tags):
        return [child for child in self.children if child.tag in tags]


class Dies:
    """All entries of a library: `units` lists the entries of units, and `at` has every entry by its place."""

    def __init__(self, path):
        program = tool("llvm-dwarfdump-14", "llvm-dwarfdump")
        out = subprocess.run([program, "--debug-info", str(path)], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.units, self.at = [], {}
        stack = []  # (indentation, entry)
        for line in out.splitlines():
            found = LINE.match(line)
            if not found:
                continue
            if found[4]:
                stack[-1][1].attributes[found[4]] = found[5]
                continue
            depth = len(found[2])
            while stack and stack[-1][0] >= depth:
                stack.pop()
            die = Die(int(found[1], 16), found[3], stack[-1][1] if stack else None)
            stack.append((depth, die))
            self.at[die.at] = die
            (die.parent.children if die.parent else self.units).append(die)

    def follow(self, die, name):
        place = die.reference(name)
        return self.at[place] if place is not None else None

    def qualified(self, die):
        """The name of a namespace, class or function with its enclosing scopes, as a demangler prints it."""
        name = die.text("name")
        if die.of("template_type_parameter", "template_value_parameter"):
            name = name[: name.index("<")] if "<" in name else name
            arguments = ", ".join(self.arguments(die, self.type))
            name += f"<{arguments}{' ' if arguments.endswith('>') else ''}>"
        outer = die.parent
        return name if outer.tag == "compile_unit" else f"{self.qualified(outer)}::{name}"

    def arguments(self, die, named):
        """The arguments of a template's instance, with types named by the function `named`."""
        for child in die.of("template_type_parameter", "template_value_parameter"):
            if child.tag == "template_type_parameter":
                yield named(self.follow(child, "type"))
            else:
                yield str(child.number("const_value"))

    def type(self, die):
        """A type as a demangler prints it."""
        if die is None:
            return "void"
        inner = self.follow(die, "type")
        if die.tag == "base_type":
            return DEMANGLED.get(die.text("name"), die.text("name"))
        if die.tag == "typedef":
            return self.type(inner)
        if die.tag == "const_type":
            return self.type(inner) + " const"
        return self.type(inner) + SUFFIX[die.tag] if die.tag in SUFFIX else self.qualified(die)

    def named(self, die):
        """A type as gcc calls it in the names of templates' instances."""
        inner = self.follow(die, "type")
        if die.tag == "base_type":
            return die.text("name")
        if die.tag == "const_type":
            return "const " + self.named(inner)
        if die.tag in SUFFIX:
            return self.named(inner) + SUFFIX[die.tag]
        outer = die.parent
        return die.text("name") if outer.tag == "compile_unit" else f"{self.named(outer)}::{die.text('name')}"

    def instance(self, die):
        """The name that a template's instance must have, composed from the entries of its arguments."""
        arguments = ", ".join(self.arguments(die, self.named))
        name = die.text("name")
        return f"{name[: name.index('<')]}<{arguments}{' ' if arguments.endswith('>') else ''}>"

    def function(self, die):
        """A declared function as a demangler prints its mangled name."""
        parameters = die.of("formal_parameter")
        this = [parameter for parameter in parameters if "artificial" in parameter]
        types = [self.type(self.follow(p, "type")) for p in parameters if "artificial" not in p]
        text = f"{self.qualified(die)}({', '.join(types)})"
        if this:
            assert die.reference("object_pointer") == this[0].at == parameters[0].at
            pointee = self.follow(self.follow(this[0], "type"), "type")
            text += " const" if pointee.tag == "const_type" else ""
        if die.of("template_type_parameter", "template_value_parameter"):
            text = f"{self.type(self.follow(die, 'type'))} {text}"
        return text


def check_origins(dies, calls):
    """What an inlined call has is of what its function has, at the same depth, as gdb wants it."""

    def check(die, origin):
        for child in die.children:
            if child.tag == "inlined_subroutine":
                continue
            of = dies.at[child.reference("abstract_origin")]
            assert of.tag == child.tag and of.parent is origin
            check(child, of)

    for call in calls:
        origin = dies.at[call.reference("abstract_origin")]
        assert origin.tag == "subprogram" and "inline" in origin
        check(call, origin)
