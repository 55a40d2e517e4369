"""Imports each module of a set in a process of its own and says what it found; for test_python.py.

    PYTHON import_each.py SET MODULE...

Calls the module's entry twice. Prints a line of JSON for each module: the two results, how many functions the module
says it has, how many it says were visited before, between and after the calls, and which modules were loaded. The
process is a fork of this one, in which nothing of the set is loaded.
"""

import importlib
import json
import os
import sys


def look_at(name):
    module = importlib.import_module(name)
    entry = getattr(module, name + "_entry")
    visited = [module.visited()]
    results = []
    for _ in range(2):
        results.append(entry())
        visited.append(module.visited())
    loaded = sorted(n for n in sys.modules if n.startswith("libmodule"))
    print(json.dumps({"results": results, "functions": module.functions, "visited": visited, "loaded": loaded}))
    sys.stdout.flush()


def main():
    sys.path.insert(0, sys.argv[1])
    sys.dont_write_bytecode = True
    for name in sys.argv[2:]:
        child = os.fork()
        if not child:
            try:
                look_at(name)
            finally:
                os._exit(0)
        os.waitpid(child, 0)


main()
