"""Run inside lldb by pyelfprobe (command script import): as gdb.py does, with the same plan and marks."""

import json
import os
import resource
import shlex
import struct
import time

import lldb

AT_ENTRY = 9


class Session:
    def __init__(self, debugger, plan):
        self.debugger = debugger
        self.plan = plan
        self.marks = open(plan["marks"], "w", buffering=1, encoding="utf-8", errors="surrogateescape")
        self.target = self.process = None
        self.signalled = False

    def mark(self, step, found=-1):
        now = time.monotonic()
        used = resource.getrusage(resource.RUSAGE_SELF)
        self.marks.write(f"{step} {now:.9f} {used.ru_utime + used.ru_stime:.6f} {used.ru_maxrss} {found}\n")

    def miss(self, step, reason):
        """The step has no time; that of the next one begins here."""
        self.marks.write(f"missed {step} " + " ".join(reason.split()) + "\n")
        self.mark("next")

    def fail(self, reason):
        self.marks.write("error " + " ".join(reason.split()) + "\n")

    def lives(self):
        return self.process.GetState() == lldb.eStateStopped

    def stopped(self):
        """The thread that the program stopped for, and why."""
        for thread in self.process:
            reason = thread.GetStopReason()
            if reason not in (lldb.eStopReasonNone, lldb.eStopReasonInvalid):
                self.process.SetSelectedThread(thread)
                return thread, reason
        return self.process.GetSelectedThread(), lldb.eStopReasonNone

    def sayable(self, command):
        """The command, in which paths need not be text. Functions of lldb take text alone, but it reads any file."""
        if command.isascii():
            return command
        with open(self.plan["marks"] + ".lldb", "wb") as file:
            file.write(command.encode("utf-8", "surrogateescape") + b"\n")
        return "command source -s true " + file.name

    def create(self):
        program = self.plan["program"]
        if program.isascii():
            self.target = self.debugger.CreateTarget(program)
        else:
            self.debugger.HandleCommand(self.sayable("target create " + shlex.quote(program)))
            self.target = self.debugger.GetSelectedTarget()
        if not self.target.IsValid():
            raise RuntimeError("lldb cannot read the program")

    def launch_info(self):
        """With the program's arguments and environment."""
        arguments = self.plan["arguments"]
        environment = [f"{name}={value}" for name, value in self.plan["environment"].items()]
        if all(map(str.isascii, arguments + environment)):
            launch = lldb.SBLaunchInfo(arguments)
            launch.SetEnvironmentEntries(environment, True)
            return launch
        for entry in environment:
            self.tell("settings append target.env-vars " + shlex.quote(entry))
        self.tell("settings set -- target.run-args " + " ".join(map(shlex.quote, arguments)))
        return self.target.GetLaunchInfo()

    def start(self):
        """To the program's entry point, where the dynamic linker has loaded all that it is linked with."""
        error = lldb.SBError()
        # that of this lldb, which the program would inherit
        self.tell("settings append target.unset-env-vars PYTHONPATH")
        launch = self.launch_info()
        launch.SetLaunchFlags(launch.GetLaunchFlags() | lldb.eLaunchFlagStopAtEntry)
        self.process = self.target.Launch(launch, error)
        if not error.Success() or not self.lives():
            raise RuntimeError(error.GetCString() or "the program could not be started")
        signals = self.process.GetUnixSignals()
        number = signals.GetSignalNumberFromName("SIGUSR1")
        signals.SetShouldStop(number, True)
        signals.SetShouldSuppress(number, True)
        with open(f"/proc/{self.process.GetProcessID()}/auxv", "rb") as file:
            entry = dict(struct.iter_unpack("QQ", file.read()))[AT_ENTRY]
        place = self.target.BreakpointCreateByAddress(entry)
        self.process.Continue()
        if not self.lives() or self.stopped()[0].GetFrameAtIndex(0).GetPC() != entry:
            raise RuntimeError("the program did not come to its entry point")
        self.target.BreakpointDelete(place.GetID())

    def run(self):
        """To the signal that says that all is loaded, or to a place; whether it came there."""
        while self.process.Continue().Success() and self.lives():
            thread, reason = self.stopped()
            if reason == lldb.eStopReasonSignal:
                name = self.process.GetUnixSignals().GetSignalAsCString(thread.GetStopReasonDataAtIndex(0))
                if name == "SIGUSR1":
                    self.signalled = True
                    return True
                raise RuntimeError(f"the program was stopped by {name}")
            if reason == lldb.eStopReasonBreakpoint and self.plan["until"]:
                return True
        return False

    def tell(self, command, target=None):
        """The lines that a command prints, and what it complains of."""
        result = lldb.SBCommandReturnObject()
        where = target or (self.stopped()[0] if self.process else self.target)
        self.debugger.GetCommandInterpreter().HandleCommand(self.sayable(command), lldb.SBExecutionContext(where), result)
        return (result.GetOutput() or "").splitlines(), result.GetError() or ""

    def set_break(self, name):
        """A breakpoint at a function that is there now; whether it is."""
        locations = self.target.BreakpointCreateByName(name).GetNumLocations()
        if locations:
            self.mark("break", locations)
        else:
            self.miss("break", f"not found: no function '{name}' in what is loaded at the entry point")
        return locations > 0

    def wrong_pattern(self, pattern):
        """What is wrong with it, which `image lookup` does not say: asked of a target without files."""
        empty = self.debugger.CreateTarget("")
        complaint = self.tell("breakpoint set -r " + shlex.quote(pattern), empty)[1]
        self.debugger.DeleteTarget(empty)
        self.debugger.SetSelectedTarget(self.target)
        error, _, rest = complaint.partition("\n")[0].partition("error: ")
        return rest if not error else ""

    def list_functions(self, pattern):
        wrong = self.wrong_pattern(pattern)
        if wrong:
            return self.miss("functions", f"--pattern '{pattern}': {wrong}")
        self.mark("checked")
        found = self.tell("image lookup -r -n " + shlex.quote(pattern))[0]
        self.mark("functions", sum(line.lstrip().startswith("Summary:") for line in found))

    def linked(self):
        plan = self.plan
        self.create()
        self.start()
        self.mark("phase1", self.target.GetNumModules())
        is_there = not plan["break"] or self.set_break(plan["break"])
        if plan["pattern"]:
            self.list_functions(plan["pattern"])
        if not plan["backtrace"]:
            return
        if not is_there and not plan["until"]:
            return self.miss("backtrace", f"not found: no function '{plan['break']}' to stop at")
        until = self.target.BreakpointCreateByName(plan["until"]) if plan["until"] else None
        if not self.run():
            return self.miss("backtrace", self.why_not_reached(until))
        self.mark("reached", int(not self.signalled))
        self.mark("backtrace", sum("frame #" in line for line in self.tell("thread backtrace")[0]))

    def why_not_reached(self, until):
        """Of a program that has ended, and should have stopped before."""
        status = self.process.GetExitStatus() if self.process.GetState() == lldb.eStateExited else -1
        if status != 0 or not until:
            return f"the program ended before all was loaded, with status {status}"
        if not until.GetNumLocations():
            return f"not found: no function '{self.plan['until']}' in all that the program has loaded"
        return f"the program ended, and never called '{self.plan['until']}'"

    def events(self):
        plan = self.plan
        self.create()
        places = [self.target.BreakpointCreateByName(place) for place in plan["breakpoints"]]
        until = self.target.BreakpointCreateByName(plan["until"]) if plan["until"] else None
        self.start()
        before = self.target.GetNumModules()
        self.mark("entry", before)
        if not self.run():
            ended = self.process.GetState() == lldb.eStateExited and self.process.GetExitStatus() == 0
            if plan["signal"] or plan["until"] or not ended:
                return self.fail(self.why_not_reached(until))
        self.mark("phase2", self.target.GetNumModules() - before if self.lives() else -1)
        absent = [name for name, place in zip(plan["breakpoints"], places) if not place.GetNumLocations()]
        if absent:
            self.miss("breakpoints", f"not found: {len(absent)} of {len(places)} functions to break at, '{absent[0]}' first")

    def attach(self):
        error = lldb.SBError()
        self.target = self.debugger.CreateTarget("")
        self.process = self.target.AttachToProcessWithID(self.debugger.GetListener(), self.plan["pid"], error)
        if not error.Success():
            raise RuntimeError(error.GetCString() or "lldb cannot attach")
        self.mark("attach", self.target.GetNumModules())
        self.process.Detach()


def __lldb_init_module(debugger, _):
    with open(os.environ["PYELFPROBE_PLAN"], encoding="ascii", errors="surrogateescape") as file:
        plan = json.load(file)
    debugger.SetAsync(False)
    session = Session(debugger, plan)
    session.mark("begin")
    for directory in plan["debug-directories"]:
        debugger.HandleCommand(session.sayable(f'settings append target.debug-file-search-paths "{directory}"'))
    try:
        {"linked": session.linked, "events": session.events, "attach": session.attach}[plan["session"]]()
        if plan["session"] != "attach" and session.lives():
            session.process.Kill()
        session.mark("end")
    except Exception as failure:
        session.fail(str(failure) or type(failure).__name__)
