"""Runs inside lldb (command script import lldb_probe.py): does what $PROBE says and prints lines of JSON.

As for gdb_probe.py, $PROBE is a JSON object. `mode` names one of the functions below, and the other members are its
arguments.
"""

import json
import os

import lldb

FRAMES_MOST = 40


def show(**what):
    print("PROBE " + json.dumps(what), flush=True)


def value_of(value):
    """The value as a Python object; None if it is not available."""
    if not value.GetError().Success():
        return None
    kind = value.GetType().GetCanonicalType()
    if kind.IsPointerType():
        if kind.GetPointeeType().GetByteSize() == 1:
            return json.loads(value.GetSummary())
        return value.GetValueAsUnsigned()
    data, error = value.GetData(), lldb.SBError()
    if kind.GetBasicType() == lldb.eBasicTypeFloat:
        return data.GetFloat(error, 0)
    if kind.GetBasicType() == lldb.eBasicTypeDouble:
        return data.GetDouble(error, 0)
    return value.GetValueAsSigned()


def variables(found):
    return [[value.GetName(), value.GetTypeName(), value_of(value)] for value in found]


def describe(frame):
    """A frame as `bt` shows it."""
    entry = frame.GetLineEntry()
    library = frame.GetModule().GetFileSpec().GetFilename()
    described = {"function": frame.GetFunctionName(), "library": library, "pc": frame.GetPCAddress().GetFileAddress()}
    described["file"] = entry.GetFileSpec().GetFilename() if entry.IsValid() else None
    described["line"] = entry.GetLine() if entry.IsValid() else None
    ours = (library or "").startswith(("libmodule", "libutility"))
    described["arguments"] = variables(frame.GetVariables(True, False, False, True)) if ours else []
    return described


def calls(thread):
    """The frames of calls, without those of inlined code between them."""
    return [frame for frame in thread.frames if not frame.IsInlined()]


def frames(thread):
    return [describe(frame) for frame in calls(thread)[:FRAMES_MOST]]


def launch(debugger, command, name=None, file=None, line=None):
    """Runs a command to a function or a line; returns the process and the thread that stopped there."""
    target = debugger.CreateTarget(command[0])
    if name:
        breakpoint = target.BreakpointCreateByName(name)
    else:
        breakpoint = target.BreakpointCreateByLocation(file, line)
    error = lldb.SBError()
    process = target.Launch(lldb.SBLaunchInfo(command[1:]), error)
    thread = process.GetSelectedThread()
    reached = error.Success() and thread.GetStopReason() == lldb.eStopReasonBreakpoint
    show(error=error.GetCString(), reached=reached, locations=breakpoint.GetNumLocations())
    return process, thread


def stop(debugger, command, finish=0, step=0, commands=(), **place):
    """Shows the frames and locals at a place, and what commands print there.

    Then finishes `finish` functions and takes `step` steps, and shows each result.
    """
    process, thread = launch(debugger, command, **place)
    show(frames=frames(thread))
    show(locals=variables(thread.GetFrameAtIndex(0).GetVariables(False, True, False, True)))
    tell(debugger, commands, lldb.SBExecutionContext(thread.GetFrameAtIndex(0)))
    for _ in range(finish):
        frame = calls(thread)[0]
        name = frame.GetFunctionName()
        thread.StepOutOfFrame(frame)
        show(finished=name, returned=thread.GetStopReturnValue().GetValueAsUnsigned(), now=describe(calls(thread)[0]))
    for _ in range(step):
        thread.StepInto()
        show(stepped=describe(thread.frames[0]))
    process.Kill()


def types(debugger, library, names):
    """Shows the sizes, members (name, offset, size) and bases of structures, without running anything."""
    target = debugger.CreateTarget(library)
    for name in names:
        kind = target.FindFirstType(name)
        members = [kind.GetFieldAtIndex(i) for i in range(kind.GetNumberOfFields())]
        rows = [[member.GetName(), member.GetOffsetInBytes(), member.GetType().GetByteSize()] for member in members]
        bases = [kind.GetDirectBaseClassAtIndex(i).GetName() for i in range(kind.GetNumberOfDirectBaseClasses())]
        show(name=kind.GetName(), size=kind.GetByteSize(), members=rows, bases=bases)


def breakpoints(debugger, library, names):
    """Shows the places where breakpoints by name would be, without running anything."""
    target = debugger.CreateTarget(library)
    for name in names:
        found = target.BreakpointCreateByName(name)
        places = []
        for i in range(found.GetNumLocations()):
            address = found.GetLocationAtIndex(i).GetAddress()
            entry = address.GetLineEntry()
            place = {"function": address.GetFunction().GetName(), "at": address.GetFileAddress()}
            places.append({**place, "file": entry.GetFileSpec().GetFilename(), "line": entry.GetLine()})
        show(name=name, places=places)


def tell(debugger, commands, context):
    for command in commands:
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, context, result)
        show(command=command, out=result.GetOutput(), error=result.GetError())


def said(debugger, library, commands):
    """Shows what commands of lldb print, without running anything."""
    tell(debugger, commands, lldb.SBExecutionContext(debugger.CreateTarget(library)))


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    what = json.loads(os.environ["PROBE"])
    {"stop": stop, "types": types, "said": said, "breakpoints": breakpoints}[what.pop("mode")](debugger, **what)
