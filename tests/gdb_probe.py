"""Runs inside gdb (gdb -x gdb_probe.py): does what $PROBE says and prints what it saw as lines of JSON.

$PROBE is a JSON object. `mode` names one of the functions below, and the other members are its arguments. gdb prints to
the same place, errors too. Our lines begin with the marker "PROBE ".
"""

import json
import os
import re

import gdb

FRAMES_MOST = 40


def show(**what):
    print("PROBE " + json.dumps(what))


def value_of(value):
    if value.is_optimized_out:
        return None
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        return value.string() if kind.target().code == gdb.TYPE_CODE_INT else int(value)
    return float(value) if kind.code == gdb.TYPE_CODE_FLT else int(value)


def describe(frame):
    """A frame as `backtrace` shows it: function, file, line, arguments by name, type and value."""
    described = {"function": frame.name(), "pc": frame.pc(), "library": None, "file": None, "line": None}
    described["arguments"] = []
    object_file = gdb.solib_name(frame.pc())
    if object_file:
        described["library"] = os.path.basename(object_file)
    place = frame.find_sal()
    if place and place.symtab:
        described["file"], described["line"] = place.symtab.filename, place.line
    if (described["library"] or "").startswith(("libmodule", "libutility")) and frame.function():
        block = frame.block()
        while block.function is None:  # a lexical block lists its own symbols only, not the function's
            block = block.superblock
        for symbol in block:
            if symbol.is_argument:
                value = symbol.value(frame)
                described["arguments"].append([symbol.name, str(symbol.type), value_of(value)])
    return described


def frames(most=FRAMES_MOST):
    """The frames of calls, innermost first. `inlined` of each has the names of the functions inlined there."""
    found = []
    inlined = []
    frame = gdb.newest_frame()
    while frame is not None and len(found) < most:
        if frame.type() == gdb.INLINE_FRAME:
            inlined.append(frame.name())
        else:
            found.append({**describe(frame), "inlined": inlined})
            inlined = []
        frame = frame.older()
    return found


def outermost(frame):
    """The frame of the function that a frame's code was inlined into."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


def run_to(place):
    gdb.execute(f"break {place}")
    gdb.execute("run")
    return gdb.selected_thread() is not None


def stop(place, finish=0, locals=False):
    """Runs to a place and shows the frames there; then finishes so many functions and shows what each returns."""
    run_to(place)
    show(frames=frames())
    if locals:
        show(locals=gdb.execute("info locals", to_string=True).splitlines())
    for _ in range(finish):
        frame = outermost(gdb.newest_frame())
        name = frame.name()
        frame.select()
        gdb.execute("finish")
        show(finished=name, returned=int(gdb.history(0)), now=describe(outermost(gdb.newest_frame())))


def is_entry_value(name, frame):
    """Whether the location list of a variable says at a frame's address what a register held at the function's entry."""
    frame.select()
    said = gdb.execute(f"info address {name}", to_string=True)
    pc = frame.pc() - (frame.level() > 0)  # a caller's location is that of its call
    parts = re.findall(r"Range (0x[0-9a-f]+)-(0x[0-9a-f]+): (.*(?:\n +\d+: .*)*)", said)
    here = [what for low, high, what in parts if int(low, 16) <= pc < int(high, 16)]
    return bool(here) and "entry_value" in here[0]


def held(place):
    """Runs to a place; shows the arguments of each frame, and which of them are entry values there."""
    run_to(place)
    frame = outermost(gdb.newest_frame())
    while frame is not None and (gdb.solib_name(frame.pc()) or "").endswith(".so"):
        shown = describe(frame)
        shown["held"] = [is_entry_value(name, frame) for name, *_ in shown["arguments"]]
        show(**shown)
        frame = frame.older() and outermost(frame.older())


def walk(place):
    """Steps through a function by instructions, over its calls; shows arguments and callers at each."""
    run_to(place)
    name = outermost(gdb.newest_frame()).name()
    level = len(frames())
    while True:
        frame = outermost(gdb.newest_frame())
        if frame.name() != name:
            return
        callers = []
        older = frame.older()
        while older is not None and len(callers) < level:
            older = outermost(older)
            callers.append(older.name())
            older = older.older()
        show(at=frame.pc(), arguments=describe(frame)["arguments"], callers=callers)
        gdb.execute("nexti", to_string=True)


def steps(place, times):
    """Runs to a place and steps on from line to line; shows each stop."""
    run_to(place)
    for _ in range(times + 1):
        show(stopped=describe(gdb.newest_frame()))
        gdb.execute("step", to_string=True)


def plt(place):
    """Runs to a function and steps through its first call's PLT stub, by instructions, until it leaves the library.

    Shows the callers at each instruction of the stub, and behind it.
    """
    run_to(place)
    library = gdb.solib_name(gdb.newest_frame().pc())
    entered = False
    for _ in range(2000):
        gdb.execute("stepi", to_string=True)
        pc = gdb.newest_frame().pc()
        symbol = gdb.execute(f"info symbol {pc}", to_string=True).strip()
        entered = entered or re.search(r"section \.plt(\.sec)? of", symbol)
        if entered and gdb.solib_name(pc) == library:  # still there in PLT0, where the stub leads: it has no symbol
            code = gdb.execute("x/i $pc", to_string=True).split("\t")[-1].strip()
            show(stub=code, symbol=symbol, callers=[frame["function"] for frame in frames()[1:]])
        elif entered:
            show(left_for=gdb.solib_name(pc) or "", callers=[frame["function"] for frame in frames()])
            return


def main():
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute("set width 0")
    gdb.execute("set debuginfod enabled off")
    gdb.execute("set breakpoint pending on")
    gdb.execute("set disable-randomization off")
    what = json.loads(os.environ["PROBE"])
    {"stop": stop, "walk": walk, "steps": steps, "plt": plt, "held": held}[what.pop("mode")](**what)
    gdb.execute("kill")


main()
