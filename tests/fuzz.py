"""Runs the fuzzers, for so many seconds each: tests/fuzz.py [SECONDS [TARGET...]]

Fuzzers of ELF readers start from small files that pyelfgen and gcc make. Those of readers of text start from profiles
and a manifest of ours. libdwarf has errors of its own, so the programs read debug information in a separate process.
For the same reason a crash of the target `fuzz_stats` is a finding only if it is outside of libdwarf.

PYELFGEN_BUILD names the build with pyelfgen, PYELFGEN_FUZZ_BUILD the one with the fuzzers. Inputs that are findings are
left in the temporary directory.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = SOURCE / os.environ.get("PYELFGEN_BUILD", "build")
FUZZ = SOURCE / os.environ.get("PYELFGEN_FUZZ_BUILD", "build-fuzz")
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0"}

TARGETS = sorted(path.stem for path in (SOURCE / "tests").glob("fuzz_*.c"))
ELF = ["fuzz_capture", "fuzz_probe_object", "fuzz_sizes", "fuzz_stats"]

PROFILE = """pyelfgen-profile: 1
modules: 1
utilities: 1
sections: {{text: 30 kB, data: 4 kB, debug: {debug} kB, symtab: 2 kB, strtab: 6 kB}}
dwarf: {{version: {version}}}
"""
CODE = """
__thread int t; int v = 3; struct s {int a; char b[4];} s;
__attribute__((constructor)) void begin(void) {t++;}
static int g(int c) {return c * v;} int b(int c) {int d = g(c); if (d > t) d = b(d - 1); return d + s.a;}
static void *r(void) {return g;} __attribute__((ifunc("r"))) void f(void);
int PyInit_sample(void) {return 0;}
"""
COMPILED = {
    "relr": ["-O1", "-g", "-Wl,-z,pack-relative-relocs"],
    "hashes": ["-g", "-gz=zlib", "-Wl,--hash-style=both"],
    "zdebug": ["-g", "-gdwarf-4", "-gz=zlib-gnu"],
    "types": ["-O2", "-g", "-fdebug-types-section"],
    "split": ["-O2", "-g", "-gsplit-dwarf"],
    **{f"version{n}": ["-O2", "-g", f"-gdwarf-{n}"] for n in (2, 3, 4, 5)},
}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", **options)


def texts(directory):
    """Fills a directory with profiles and a manifest."""
    directory.mkdir()
    for path in sorted((SOURCE / "profiles").glob("*.prof")):
        (directory / path.name).write_bytes(path.read_bytes())
    with tempfile.TemporaryDirectory() as work:
        made = pathlib.Path(work) / "set"
        done = run(BUILD / "bin" / "pyelfgen", "--profile", SOURCE / "profiles" / "small.prof", "-q", "-o", made)
        assert done.returncode == 0, done.stderr
        done = run(BUILD / "bin" / "pyelfprof", "-o", directory / "captured.prof", *sorted(made.glob("*.so"))[:2])
        assert done.returncode == 0, done.stderr
        os.rename(made / "manifest.json", directory / "manifest.json")


def corpus(directory):
    directory.mkdir()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for version in (4, 5):
            (work / "p.prof").write_text(PROFILE.format(version=version, debug=120))
            for compress in ("none", "zlib", "zstd"):
                made = work / f"set{version}{compress}"
                options = ["--profile", work / "p.prof", "-q", "--compress", compress, "-o", made]
                done = run(BUILD / "bin" / "pyelfgen", *options)
                assert done.returncode == 0, done.stderr
                os.rename(made / "libmodule0.so", directory / f"ours{version}{compress}.so")
        (work / "sample.c").write_text(CODE)
        for name, options in COMPILED.items():
            run("gcc", "-shared", "-fPIC", *options, "-o", directory / f"{name}.so", work / "sample.c", cwd=work)
    run("strip", "-o", directory / "stripped.so", directory / "version5.so")
    run("objcopy", "--only-keep-debug", directory / "version5.so", directory / "only.debug")


def innermost(target, file):
    """The innermost frame, outside of the sanitizers and libc, in which the target crashes on a file; or "nowhere".

    A read of uninitialised memory does not crash every time. So all allocated memory is filled, and the file is read
    again and again.
    """
    filled = {**ENVIRONMENT, "ASAN_OPTIONS": ENVIRONMENT["ASAN_OPTIONS"] + ":max_malloc_fill_size=1000000"}
    said = run(FUZZ / "bin" / target, "-runs=300", file, env=filled).stderr
    frames = re.findall(r"^ +#\d+ 0x\w+ (?:in )?(.*)$", said, flags=re.M)
    theirs = r"__(interceptor|sanitizer|asan)|fuzzer::|.*libc\.so|(raise|abort)\b"
    frames = [frame for frame in frames if not re.match(theirs, frame)]
    return frames[0] if frames else "nowhere"


def fuzz(target, seconds, work):
    if not (FUZZ / "bin" / target).exists():
        sys.exit(f"{target} is not built: cmake --preset fuzz && ninja -C {FUZZ} {target}")
    found = work / f"found-{target}"
    found.mkdir()
    options = ["-fork=1", "-ignore_crashes=1"] if target == "fuzz_stats" else []
    options += [f"-max_total_time={seconds}", "-rss_limit_mb=3000", "-timeout=30", "-max_len=200000"]
    options += [f"-artifact_prefix={found}/"]
    done = run(FUZZ / "bin" / target, *options, work / ("elf" if target in ELF else "texts"), env=ENVIRONMENT)
    runs = re.findall(r"^#(\d+)", done.stderr, flags=re.M)
    findings = []
    for file in sorted(found.iterdir()):
        where = innermost(target, file)
        if target != "fuzz_stats" or "libdwarf" not in where:
            findings.append(f"{file.name}: {where}")
            file.rename(pathlib.Path(tempfile.gettempdir()) / f"{target}-{file.name}")
    print(f"{target}: {runs[-1] if runs else 0} runs, {len(findings)} findings", *findings, sep="\n  ", flush=True)
    return not findings and runs


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory(prefix="pyelfgen-fuzz-") as work:
        work = pathlib.Path(work)
        corpus(work / "elf")
        texts(work / "texts")
        results = [fuzz(target, seconds, work) for target in sys.argv[2:] or TARGETS]
    sys.exit(0 if all(results) else 1)


main()
