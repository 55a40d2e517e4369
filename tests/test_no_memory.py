"""pyelfgen where memory runs out: it says so, ends by no signal, and makes no other set than usual."""

import filecmp
import os
import subprocess

import pytest

PROFILE = """\
pyelfgen-profile: 1
modules: 2
functions: 60
sections: {text: 150 kB, data: 20 kB, debug: 600 kB, symtab: 10 kB, strtab: 30 kB}
names: {style: itanium}
dwarf: {language: c++}
"""
CAPTURED = """\
pyelfgen-profile: 1
modules: 0
utilities: 2
dwarf: {version: 5, language: c, units: 2, views: true}
distributions:
  name-lengths: '1:3 3:1 4:6 5:13 6:25 7:22 8:20 9:31 11:82 13:62 16:29 19:14 22:3 26:4 38:1'
libraries:
- {kind: utility, text: 107512, data: 1296, bss: 8, functions: 88, dynamic: {functions: 88, objects: 14, undefined:
    22, weak: 4, versioned: 19, dynstr: 1497}, relocations: {relative: 28, jump-slot: 48, glob-dat: 4, symbols: 4,
    pages: 2, relro: 25}, plt: 48, outside: 1, used: 7, data-rel-ro: 336, versions: 19, versions-defined: 15,
    unwind-entries: 123, unwind-small: 3, unwind-rsp: 76, debug-link: true, name-lengths: '4*2 5 6*6 7*5 8*6 9*2
    10*3 11*4 12*7 13*3 14*2 15 16*5 17 20*2 27', share: {code: 72931, plt: 792, constants: 18514, unwind: 7028,
    symbols: 6291, relocations: 1920}, zstd: {text: 60097, data: 395, names: 1579}}
- {kind: utility, text: 1048, data: 480, bss: 8, debug: 638, symtab: 648, strtab: 344, functions: 8, dynamic:
    {functions: 2, objects: 1, undefined: 4, weak: 4, dynstr: 91}, local: {functions: 6, objects: 8, other: 5},
    relocations: {relative: 3, jump-slot: 1, glob-dat: 5, symbols: 5, pages: 2}, plt: 1, outside: 0, soname: false,
    unwind-rsp: 1, debug-file: true, share: {code: 245, plt: 40, unwind: 180, symbols: 331, relocations: 216}, zstd:
    {text: 470, data: 166, debug: 431, names: 790}, dwarf: {version: 5, language: c, units: 1, code: 28, dies: 9,
    defined: 6, attributes: 58, rows: 12, entries: 4, addresses: 8, entry-values: 2, inlined: 0}, mix: {info: 191,
    abbrev: 145, line: 104, str: 86, line_str: 16, loclists: 48, aranges: 48}}
"""
PROFILES = {
    "made": PROFILE,
    "packed": PROFILE.replace("language: c++", "language: c++, compress: zstd"),
    "captured": CAPTURED,
}
# Of the allocations one in so many fails, each in a run of its own. A buffer that is freed twice shows in many.
STEP = 9


def same(one, other):
    left = filecmp.dircmp(one, other)
    names = left.common_files
    return not left.left_only + left.right_only and filecmp.cmpfiles(one, other, names, shallow=False)[0] == names


@pytest.mark.parametrize("name", PROFILES)
def test_memory_that_runs_out(programs, tmp_path, name):
    if programs.sanitized:
        pytest.skip("what is preloaded has no sanitizers")
    (tmp_path / "a.prof").write_text(PROFILES[name])
    command = [programs.build / "bin" / "pyelfgen", "-q", "-j1", "--force", "--profile", tmp_path / "a.prof", "-o"]
    subprocess.run([*command, tmp_path / "usual"], check=True)
    command.append(tmp_path / "set")
    preload = {"LD_PRELOAD": str(programs.build / "lib" / "libno_memory.so")}
    refused = 0
    for at in range(2, 2000, STEP):
        environment = {**os.environ, **preload, "NO_MEMORY_AT": str(at)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.stderr.endswith("not reached\n"):
            break
        assert done.returncode in (0, 1), (at, done)
        assert done.returncode == 0 or "memory" in done.stderr, (at, done)
        assert done.returncode or same(tmp_path / "usual", tmp_path / "set"), at
        refused += done.returncode
    assert at > 100 and refused > 20
