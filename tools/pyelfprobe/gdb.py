"""Run inside gdb by pyelfprobe (gdb -x): one session, as the plan says, with a mark after each step.

$PYELFPROBE_PLAN names a JSON file, whose members are those of `struct plan` in
tools/pyelfprobe/plan.h. Marks go to the file that it names, one line each: the
step's name, seconds on CLOCK_MONOTONIC, seconds of CPU and kB of peak memory of
this process so far, and how many were found, or -1. pyelfprobe takes the differences.
A line `missed` has a step that came to nothing, and why; a line `error` the reason
why there are no more.
"""

import json
import os
import resource
import shlex
import struct
import time

import gdb

AT_ENTRY = 9
SPECIAL = set(" \t\n'\"\\$`*?[]()<>|&;~#!{}")
SETTINGS = ["confirm off", "pagination off", "width 0", "height 0", "breakpoint pending on", "debuginfod enabled off"]
SETTINGS += ["auto-load no", "print thread-events off", "print inferior-events off"]


class Session:
    def __init__(self, plan):
        self.plan = plan
        self.marks = open(plan["marks"], "w", buffering=1, encoding="utf-8", errors="surrogateescape")
        self.signal = self.status = None
        gdb.events.stop.connect(self.stopped)
        gdb.events.exited.connect(self.ended)

    def stopped(self, event):
        self.signal = getattr(event, "stop_signal", None)

    def ended(self, event):
        self.status = getattr(event, "exit_code", None)

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

    def tell(self, command):
        """Executes a command in which paths need not be text; gdb.execute takes text alone, but gdb reads any file."""
        if not command.isascii():
            with open(self.plan["marks"] + ".gdb", "wb") as file:
                file.write(command.encode("utf-8", "surrogateescape") + b"\n")
            command = "source " + file.name
        gdb.execute(command, to_string=True)

    def lives(self):
        return gdb.selected_inferior().pid != 0

    def go_on(self):
        """Whether the program stopped somewhere; then self.signal is that which stopped it, or None."""
        self.signal = None
        gdb.execute("continue", to_string=True)
        return self.lives()

    def start(self):
        """To the program's entry point, where the dynamic linker has loaded all that it is linked with."""
        plan = self.plan
        self.tell("file " + shlex.quote(plan["program"]))
        # without a shell gdb divides at blanks, whatever the quotes
        shell = any(set(word) & SPECIAL or not word for word in plan["arguments"])
        gdb.execute(f"set startup-with-shell {'on' if shell else 'off'}")
        self.tell("set args " + " ".join(map(shlex.quote, plan["arguments"]) if shell else plan["arguments"]))
        for name, value in plan["environment"].items():
            self.tell(f"set environment {name} {value}")
        gdb.execute("starti", to_string=True)
        with open(f"/proc/{gdb.selected_inferior().pid}/auxv", "rb") as file:
            entry = dict(struct.iter_unpack("QQ", file.read()))[AT_ENTRY]
        gdb.execute(f"tbreak *{entry:#x}", to_string=True)
        if not self.go_on():
            raise RuntimeError("the program ended before its entry point")
        if int(gdb.parse_and_eval("$pc")) != entry:
            raise RuntimeError(f"the program stopped before its entry point, by {self.signal}")

    def run(self):
        """To the signal that says that all is loaded, or to a place; whether it came there."""
        while self.go_on():
            if self.signal == "SIGUSR1" or (self.signal is None and self.plan["until"]):
                return True
            if self.signal is not None:
                raise RuntimeError(f"the program was stopped by {self.signal}")
        return False

    def set_break(self, name):
        """A breakpoint at a function that is there now; whether it is."""
        try:
            place = gdb.Breakpoint(name)
        except gdb.error as failure:
            self.miss("break", f"not found: '{name}': {failure}")
            return False
        if place.pending:
            self.miss("break", f"not found: no function '{name}' in what is loaded at the entry point")
        else:
            self.mark("break", len(getattr(place, "locations", [0])))
        return not place.pending

    def list_functions(self, pattern):
        try:
            found = gdb.execute("info functions " + pattern, to_string=True).splitlines()
        except gdb.error as failure:
            return self.miss("functions", f"--pattern '{pattern}': {failure}")
        # with debug information `12:   int f(int);`, without `0x0000000000001000  f`
        self.mark("functions", sum(line.endswith(";") or line.startswith("0x") for line in found))

    def linked(self):
        plan = self.plan
        self.start()
        self.mark("phase1", objects())
        is_there = not plan["break"] or self.set_break(plan["break"])
        if plan["pattern"]:
            self.list_functions(plan["pattern"])
        if not plan["backtrace"]:
            return
        if not is_there and not plan["until"]:
            return self.miss("backtrace", f"not found: no function '{plan['break']}' to stop at")
        if plan["until"] and plan["until"] != plan["break"]:
            gdb.Breakpoint(plan["until"])
        if not self.run():
            return self.miss("backtrace", self.why_not_reached())
        self.mark("reached", int(self.signal is None))
        frames = gdb.execute("backtrace", to_string=True).splitlines()
        self.mark("backtrace", sum(line.startswith("#") for line in frames))

    def why_not_reached(self):
        """Of a program that has ended, and should have stopped before."""
        until = self.plan["until"]
        places = [place for place in gdb.breakpoints() if place.location == until]
        if self.status != 0 or not until:
            return f"the program ended before all was loaded, with status {self.status}"
        if all(place.pending for place in places):
            return f"not found: no function '{until}' in all that the program has loaded"
        return f"the program ended, and never called '{until}'"

    def events(self):
        plan = self.plan
        places = [gdb.Breakpoint(place) for place in plan["breakpoints"]]
        if plan["until"]:
            gdb.Breakpoint(plan["until"])
        self.start()
        before = objects()
        self.mark("entry", before)
        if not self.run() and (plan["signal"] or plan["until"] or self.status != 0):
            return self.fail(self.why_not_reached())
        self.mark("phase2", objects() - before if self.lives() else -1)
        absent = [place.location for place in places if place.pending]
        if absent:
            self.miss("breakpoints", f"not found: {len(absent)} of {len(places)} functions to break at, '{absent[0]}' first")

    def attach(self):
        gdb.execute(f"attach {self.plan['pid']}", to_string=True)
        self.mark("attach", objects())
        gdb.execute("detach", to_string=True)


def objects():
    """Files of the program that gdb knows, without separate ones of debug information."""
    return sum(object.is_valid() and object.owner is None for object in gdb.objfiles())


def main():
    with open(os.environ["PYELFPROBE_PLAN"], encoding="ascii", errors="surrogateescape") as file:
        plan = json.load(file)
    session = Session(plan)
    session.mark("begin")
    for setting in SETTINGS:
        try:
            gdb.execute("set " + setting, to_string=True)
        except gdb.error:
            pass  # one that this gdb does not have
    directories = [gdb.parameter("debug-file-directory"), *plan["debug-directories"]]
    session.tell("set debug-file-directory " + ":".join(filter(None, directories)))
    gdb.execute("handle SIGUSR1 stop print nopass", to_string=True)
    try:
        {"linked": session.linked, "events": session.events, "attach": session.attach}[plan["session"]]()
        if plan["session"] != "attach" and session.lives():
            gdb.execute("kill", to_string=True)
        session.mark("end")
    except Exception as failure:
        session.fail(str(failure) or type(failure).__name__)


main()
