"""Run inside gdb by pyelfprobe (gdb -x): one session, as the plan says, with a mark after each step.

$PYELFPROBE_PLAN names a JSON file, whose members are those of `struct plan` in
tools/pyelfprobe_plan.h. Marks go to the file that it names, one line each: the
step's name, seconds on CLOCK_MONOTONIC, seconds of CPU and kB of peak memory of
this process so far, and how many were found. pyelfprobe takes the differences.
A line `error` has the reason why there are no more.
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
        self.marks = open(plan["marks"], "w", buffering=1)
        self.signal = self.status = None
        gdb.events.stop.connect(self.stopped)
        gdb.events.exited.connect(self.ended)

    def stopped(self, event):
        self.signal = getattr(event, "stop_signal", None)

    def ended(self, event):
        self.status = getattr(event, "exit_code", None)

    def mark(self, step, found=0):
        now = time.monotonic()
        used = resource.getrusage(resource.RUSAGE_SELF)
        self.marks.write(f"{step} {now:.9f} {used.ru_utime + used.ru_stime:.6f} {used.ru_maxrss} {found}\n")

    def fail(self, reason):
        self.marks.write("error " + " ".join(reason.split()) + "\n")

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
        gdb.execute("file " + shlex.quote(plan["program"]), to_string=True)
        # without a shell gdb divides at blanks, whatever the quotes
        shell = any(set(word) & SPECIAL or not word for word in plan["arguments"])
        gdb.execute(f"set startup-with-shell {'on' if shell else 'off'}")
        gdb.execute("set args " + " ".join(map(shlex.quote, plan["arguments"]) if shell else plan["arguments"]))
        for name, value in plan["environment"].items():
            gdb.execute(f"set environment {name} {value}", to_string=True)
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

    def linked(self):
        plan = self.plan
        self.start()
        self.mark("phase1", objects())
        if plan["break"]:
            place = gdb.Breakpoint(plan["break"])
            self.mark("break", 0 if place.pending else len(getattr(place, "locations", [0])))
        if plan["pattern"]:
            found = gdb.execute("info functions " + plan["pattern"], to_string=True).splitlines()
            # with debug information `12:   int f(int);`, without `0x0000000000001000  f`
            self.mark("functions", sum(line.endswith(";") or line.startswith("0x") for line in found))
        if plan["backtrace"]:
            if plan["until"] and plan["until"] != plan["break"]:
                gdb.Breakpoint(plan["until"])
            if not self.run():
                return self.fail("the program ended before there was a place to look at")
            self.mark("reached")
            frames = gdb.execute("backtrace", to_string=True).splitlines()
            self.mark("backtrace", sum(line.startswith("#") for line in frames))

    def events(self):
        plan = self.plan
        for place in plan["breakpoints"] + [plan["until"]] * bool(plan["until"]):
            gdb.Breakpoint(place)
        self.start()
        before = objects()
        self.mark("entry", before)
        if not self.run() and (plan["signal"] or self.status != 0):
            return self.fail(f"the program ended before all was loaded, with status {self.status}")
        self.mark("phase2", objects() - before if self.lives() else 0)

    def attach(self):
        gdb.execute(f"attach {self.plan['pid']}", to_string=True)
        self.mark("attach", objects())
        gdb.execute("detach", to_string=True)


def objects():
    """Files of the program that gdb knows, without separate ones of debug information."""
    return sum(object.is_valid() and object.owner is None for object in gdb.objfiles())


def main():
    with open(os.environ["PYELFPROBE_PLAN"]) as file:
        plan = json.load(file)
    session = Session(plan)
    session.mark("begin")
    for setting in SETTINGS:
        try:
            gdb.execute("set " + setting, to_string=True)
        except gdb.error:
            pass  # one that this gdb does not have
    directories = [gdb.parameter("debug-file-directory"), *plan["debug-directories"]]
    gdb.execute("set debug-file-directory " + ":".join(filter(None, directories)))
    gdb.execute("handle SIGUSR1 stop print nopass", to_string=True)
    try:
        {"linked": session.linked, "events": session.events, "attach": session.attach}[plan["session"]]()
        if plan["session"] != "attach" and session.lives():
            gdb.execute("kill", to_string=True)
        session.mark("end")
    except Exception as failure:
        session.fail(str(failure) or type(failure).__name__)


main()
