"""Counters of pyelfrun, compared with what the kernel, the dynamic linker, binutils and PAPI say."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from objects import ask, tool

DEVICES = pathlib.Path("/sys/bus/event_source/devices")
HAS_PMU = any((DEVICES / name).exists() for name in ("cpu", "cpu_core"))


class Counted:
    """What --json says of the first run: one number for each counter and phase, None where it is absent."""

    def __init__(self, file):
        self.run = json.loads(file.read_text())["runs"][0]
        self.phases = {phase["name"]: phase for phase in self.run["phases"]}

    def counter(self, name, phase="import", source=None):
        (found,) = (
            c for c in self.phases[phase]["counters"] if c["name"] == name and source in (None, c["source"])
        )
        return found

    def __call__(self, name, phase="import", source=None):
        return self.counter(name, phase, source)["max"]

    def names(self, phase="import"):
        return [c["name"] for c in self.phases[phase]["counters"]]


@pytest.fixture
def count(programs, tmp_path):
    """Runs pyelfrun, and gives what it counted."""

    def run(*arguments, **options):
        file = tmp_path / "results.json"
        programs.run("pyelfrun", "--json", file, *arguments, leaks=False, **options)
        return Counted(file)

    return run


@pytest.fixture(scope="module")
def linked(programs, tmp_path_factory):
    """A small set with an executable, System V hash tables and names of one length."""
    directory = tmp_path_factory.mktemp("linked")
    profile = directory / "linked.prof"
    profile.write_text(
        "pyelfgen-profile: 1\nmodules: 12\nutilities: 8\nfunctions: 60\nnames: {length: 60}\nelf: {hash: sysv}\n"
    )
    programs.run("pyelfgen", "-P", profile, "-o", directory / "set", "--link", "-q")
    return directory / "set"


def test_system_counts_are_the_kernels(programs, small, tmp_path):
    """The counts of the phases agree with the kernel's own account of the whole process, which wait4 gives."""
    file = tmp_path / "results.json"
    command = [programs.path("pyelfrun"), "--quiet", "--json", file, small]
    with open(os.devnull, "w") as nothing:
        process = subprocess.Popen(command, stdout=nothing, env=programs.environment(leaks=False))
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    counted = Counted(file)
    faults = sum(counted("minor-faults", phase) for phase in counted.phases)
    # fewer than the kernel counts, because the interpreter and MPI start and stop between the phases
    assert 100 < faults < usage.ru_minflt
    # the kernel counts pages for each processor and adds up now and then, so a difference of 1 MiB is allowed
    about = 1 << 20
    resident = [counted("rss", phase) for phase in counted.phases]
    assert 0 < resident[0] < resident[1] + about
    # at least an interpreter with MPI; the kernel's maximum includes the process of this test before execve
    assert 10_000_000 < max(resident) < usage.ru_maxrss * 1024 + about
    assert all(counted("major-faults", phase) <= usage.ru_majflt for phase in counted.phases)


def test_faults_of_the_launcher_are_not_the_programs(programs, small, count):
    """pyelfrun becomes the program. What it has read and touched before that is subtracted."""
    warm = count("--warm", "--phases", "import", small)
    plain = count("--phases", "import", small)
    files = sum(f.stat().st_size for f in pathlib.Path(small).glob("*.so"))
    assert warm("read-bytes", "startup") < plain("read-bytes", "startup") + files / 4


def test_waits_of_the_launcher_are_not_the_programs(small, count):
    """pyelfrun waits for a child before it becomes the program. A program whose files are cached does not wait."""
    runs = [count("--phases", "import", small) for _ in range(5)]
    assert min(counted("voluntary-switches", "startup") for counted in runs) == 0


def test_loaded_is_what_the_set_has(small, count):
    manifest = json.loads((pathlib.Path(small) / "manifest.json").read_text())
    libraries = sorted(pathlib.Path(small).glob("*.so"))
    counted = count(small)
    assert counted("sde:::pyelf::libraries_loaded") == len(libraries) == len(manifest["libraries"])
    assert counted("sde:::pyelf::libraries_loaded", "visit") == 0
    modules = [library for library in libraries if library.name.startswith("libmodule")]
    assert counted("sde:::pyelf::modules_imported") == len(modules)
    assert counted("sde:::pyelf::entries_visited", "visit") == len(modules)
    relocations = ask("readelf", "-rW", *libraries)
    kinds = re.findall(r" (R_X86_64_\w+) ", relocations)
    assert counted("sde:::pyelf::relocations_plt") == kinds.count("R_X86_64_JUMP_SLOT")
    assert counted("sde:::pyelf::relocations_relative") == kinds.count("R_X86_64_RELATIVE")
    symbolic = len(kinds) - kinds.count("R_X86_64_JUMP_SLOT") - kinds.count("R_X86_64_RELATIVE")
    assert counted("sde:::pyelf::relocations_symbolic") == symbolic
    # libraries are opened with RTLD_NOW; with --lazy, functions of the PLT are looked up later
    assert counted("sde:::pyelf::symbols_looked_up") == symbolic + kinds.count("R_X86_64_JUMP_SLOT")
    assert count("--lazy", small)("sde:::pyelf::symbols_looked_up") == symbolic


UNNAMED = r"""
static __thread int own; int *where(void) {return &own;}
static int one(void) {return 1;} static int (*choose(void))(void) {return one;}
static int chosen(void) __attribute__((ifunc("choose"))); int call(void) {return chosen();}
static int here; int *const places[] = {&here, &here}; int (*const functions[])(void) = {chosen, call};
extern int puts(const char *); int (*const outside)(const char *) = puts;
"""


@pytest.mark.parametrize("options", [[], ["-Wl,-z,nocombreloc"], ["-ftls-model=initial-exec", "-Wl,-z,now"]], ids=" ".join)
def test_relocations_without_a_symbol(programs, small, count, tmp_path, options):
    """What a library adds is what readelf says: relocations of indirect functions and thread-local storage name no
    symbol, and without DT_RELACOUNT others do not either."""
    if programs.sanitized:
        pytest.skip("the sanitizer's library has to come first")
    (tmp_path / "unnamed.c").write_text(UNNAMED)
    library = tmp_path / "unnamed.so"
    subprocess.run([tool("gcc"), "-shared", "-fPIC", "-nostdlib", *options, "-o", library, tmp_path / "unnamed.c"], check=True)
    assert ("(RELACOUNT)" in ask("readelf", "-dW", library)) == ("-Wl,-z,nocombreloc" not in options)
    data, _, plt = ask("readelf", "-rW", library).partition("'.rela.plt'")
    kinds = [re.findall(r"^\w{16}  (\w{8})\w{8} R_", table, re.M) for table in (data, plt)]
    unnamed = [kind.count("0" * 8) for kind in kinds]
    assert unnamed[0] >= 4 and unnamed[1] >= 1 and len(kinds[0]) > unnamed[0]
    with_it, without = (count("--phases", "import", small, env={"LD_PRELOAD": path}) for path in (str(library), None))
    more = [
        with_it(f"sde:::pyelf::{event}", "startup") - without(f"sde:::pyelf::{event}", "startup")
        for event in ("relocations_relative", "relocations_symbolic", "relocations_plt", "symbols_looked_up")
    ]
    symbolic = len(kinds[0]) - unnamed[0]
    bound = len(kinds[1]) - unnamed[1] if "-Wl,-z,now" in options else 0
    assert more == [unnamed[0], symbolic, len(kinds[1]), symbolic + bound]


def test_binding_of_executables(linked, count):
    """In mode link the startup loads all, and first calls bind functions. In mode bind-now the startup binds all."""
    lazily = count("--mode", "link", linked)
    now = count("--mode", "bind-now", linked)
    libraries = len(list(linked.glob("*.so")))
    assert lazily("sde:::pyelf::libraries_loaded", "startup") > libraries
    assert lazily("sde:::pyelf::libraries_loaded") == now("sde:::pyelf::libraries_loaded") == 0
    looked_up = "sde:::pyelf::symbols_looked_up"
    assert now(looked_up, "startup") > lazily(looked_up, "startup") + 500


@pytest.mark.parametrize("how", ([], ["--lazy"], ["--mode", "link"]), ids=["vanilla", "lazy", "link"])
def test_binding_of_mpi4py(linked, count, how):
    """mpi4py is opened with RTLD_NOW in every mode, and counted so: what it needs of the PLT is bound at once."""
    counted = count("--audit", *how, linked)
    if counted("sde:::pyelf::libraries_loaded", "mpi") == 0:
        pytest.skip("there is no mpi4py")
    relocations = [counted(f"sde:::pyelf::relocations_{kind}", "mpi") for kind in ("symbolic", "plt")]
    assert counted("sde:::pyelf::symbols_looked_up", "mpi") == sum(relocations)
    assert counted("symbols-bound", "mpi") >= relocations[1] > 0


def linker_says(programs, directory, text):
    """The lines that LD_DEBUG=files,libs prints while the modules are imported."""
    program = programs.build / "libexec" / "pyelfgen" / "pyelf-vanilla"
    output = text / "ld"
    programs.command(
        [program, "--phases", "import", "--counters", "none", "--quiet", directory],
        leaks=False,
        env={"LD_DEBUG": "files,libs", "LD_DEBUG_OUTPUT": str(output)},
    )
    (lines,) = (
        file.read_text().splitlines()
        for file in text.glob("ld.*")
        if "pyelf-vanilla" in file.read_text(errors="replace")
    )
    first = next(i for i, line in enumerate(lines) if "libmodulebegin.so [0];  dynamically loaded" in line)
    last = max(i for i, line in enumerate(lines) if "libmodulefinal.so" in line and "calling init" in line)
    return lines[first : last + 1]


def test_audit_counts_what_the_linker_says(programs, small, count, tmp_path):
    if programs.sanitized:
        pytest.skip("the sanitizer's library has to come first")
    counted = count("--audit", "--phases", "import", small)
    said = linker_says(programs, small, tmp_path)
    by_path = sum("dynamically loaded by" in line for line in said)
    needed = sum("find library=" in line for line in said)
    tried = sum("trying file=" in line for line in said)
    opened = sum("generating link map" in line for line in said)
    assert counted("objects-opened") == opened == len(list(pathlib.Path(small).glob("*.so")))
    assert counted("names-searched") == by_path + needed
    assert counted("files-tried") == by_path + tried
    assert counted("files-failed") == by_path + tried - opened
    assert counted("objects-closed") == 0
    plt = counted("sde:::pyelf::relocations_plt")
    # Python has bound some functions of its own meanwhile
    assert plt <= counted("symbols-bound") <= plt + 50
    assert counted("objects-opened", "startup") >= 5


def test_audit_in_mode_link(programs, linked, count):
    if programs.sanitized:
        pytest.skip("the sanitizer's library has to come first")
    counted = count("--audit", "--mode", "link", linked)
    assert counted("objects-opened", "startup") > len(list(linked.glob("*.so")))
    assert counted("objects-opened") == 0
    # each function of the set that another calls is bound during the visit
    assert counted("symbols-bound", "visit") > 500


def test_what_is_not_asked_for_is_not_there(programs, small, count):
    counted = count("--counters", "none", small)
    assert counted.names() == [] and counted.names("startup") == []
    assert "counters" not in programs.run("pyelfrun", "--counters", "none", small).stdout
    assert {c["source"] for c in count("--counters", "os", small).phases["import"]["counters"]} == {"os"}
    sources = {c["source"] for c in count(small).phases["import"]["counters"]}
    assert sources == {"os", "sde", "papi"}


@pytest.mark.skipif(HAS_PMU, reason="this machine has hardware counters")
def test_absent_counters_say_why(programs, small, count):
    for arguments in ((), ("--counters", "papi")):
        counter = count(*arguments, small).counter("PAPI_L1_DCM")
        assert counter["max"] is None and counter["per-rank"] == []
        assert "no hardware counters here" in counter["absent"] or "not built in" in counter["absent"]
    table = programs.run("pyelfrun", small).stdout
    assert re.search(r"^not counted: PAPI_L1_DCM, .*: PAPI: .+$", table, flags=re.M)
    assert not re.search(r"^PAPI_", table, flags=re.M)


def test_papi_may_be_missing(small, count, tmp_path):
    """Where PAPI cannot be loaded, its counters are absent, and the reason is what the dynamic linker says."""
    for name in ("libpapi.so.7.0", "libsde.so.1"):
        (tmp_path / name).write_bytes(b"no library")
    counted = count("--counters", "papi", small, env={"LD_LIBRARY_PATH": str(tmp_path)})
    counter = counted.counter("PAPI_TOT_CYC")
    assert counter["max"] is None and re.search(r"libpapi\.so|not built in", counter["absent"])


def test_no_event_of_papi_is_lost_in_silence(small, count):
    """Long names are not cut. The first event that has no room says that it is left out, whether PAPI is there or not."""
    names = [f"no_such::EVENT_{i}:{'x' * 150}" for i in range(18)]
    for given in (16, 18):
        counted = count("--counters", "papi", "--phases", "import", small, env={"PAPI_EVENTS": ",".join(names[:given])})
        assert counted.names() == names[: min(given, 17)]
        assert all(counted.counter(name)["absent"].startswith("PAPI") for name in counted.names())
    assert re.search("left out|not built in|cannot open", counted.counter(names[16])["absent"])


def test_papi_reads_our_events(programs, small, count):
    """PAPI reads in the same process what pyelfrun publishes as SDE."""
    name = "sde:::pyelf::modules_imported"
    counted = count("--counters", "sde,papi", small, env={"PAPI_EVENTS": f"{name},perf::PAGE-FAULTS"})
    papi = counted.counter(name, source="papi")
    if "absent" in papi and re.search("not built in|cannot open", papi["absent"]):
        pytest.skip(papi["absent"])
    assert papi["max"] == counted(name, source="sde") > 0
    assert counted(name, "startup", "papi") is None
    assert "first line" in counted.counter(name, "startup", "papi")["absent"]


def test_papi_lists_our_events(programs):
    papi = tool("papi_native_avail")
    library = programs.build / "lib" / "libpyelfrun.so.0"
    if programs.sanitized:
        pytest.skip("the sanitizer's library has to come first")
    listed = programs.command([papi, "-sde", library], status=None).stdout
    for event in ("libraries_loaded", "bytes_mapped", "symbols_looked_up", "relocations_plt"):
        assert f"| sde:::pyelf::{event} " in listed


def test_programs_do_without_papi(programs):
    for file in (programs.path("pyelfrun"), programs.build / "lib" / "libpyelfrun.so.0"):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", ask("readelf", "-dW", file))
        assert not [name for name in needed if "papi" in name or "sde" in name]
    audit = programs.build / "libexec" / "pyelfgen" / "libpyelfaudit.so"
    assert "(NEEDED)" not in ask("readelf", "-dW", audit)


def test_counters_of_all_ranks(programs, small, tmp_path):
    file = tmp_path / "results.json"
    table = programs.mpirun(2, "pyelfrun", "--json", file, small).stdout
    assert re.search(r"^counters, of the rank with most +startup +import +visit +MPI$", table, flags=re.M)
    counter = Counted(file).counter("sde:::pyelf::libraries_loaded")
    assert len(counter["per-rank"]) == 2 and counter["min"] == counter["max"] > 0


@pytest.fixture
def simulated(programs, count):
    tool("valgrind")
    if programs.sanitized:
        pytest.skip("valgrind cannot run what has a sanitizer")
    return lambda *arguments, **more: count("--simulate", "--phases", "import,visit", *arguments, timeout=300, **more)


@pytest.mark.long
def test_simulated_misses(simulated, linked):
    vanilla = simulated(linked)
    link = simulated("--mode", "link", linked)
    for counted in (vanilla, link):
        assert {c["source"] for c in counted.phases["visit"]["counters"]} == {"cachegrind", "sde"}
        # the time of a simulated run means nothing
        seconds = counted.phases["visit"]["seconds"]
        assert seconds["max"] is None and seconds["absent"] == "simulated"
        for phase in counted.phases:
            instructions, accesses, misses = (
                counted(f"simulated_{what}", phase) for what in ("instructions", "data_accesses", "D1_misses")
            )
            assert 0 < misses < accesses < instructions
    # mode link binds during the visit, and looks for each function in every library before the right one
    assert link("simulated_D1_misses", "visit") > 5 * vanilla("simulated_D1_misses", "visit")
    assert link("simulated_instructions") < vanilla("simulated_instructions")
    # the visit takes about as many instructions in every run
    again = simulated(linked)
    ours, theirs = (counted("simulated_instructions", "visit") for counted in (vanilla, again))
    assert abs(ours - theirs) < 0.02 * ours


@pytest.mark.parametrize("options", ["--time-stamp=yes", "-q"])
def test_options_of_the_user_for_valgrind(simulated, linked, options):
    """They would change the lines that the counts are read from, or leave them out."""
    assert simulated(linked, env={"VALGRIND_OPTS": options})("simulated_instructions") > 0


def test_no_memory_for_what_cachegrind_writes(programs, small, without):
    command = [without("memfd_create"), programs.path("pyelfrun"), "--simulate", small]
    said = programs.command(command, status=1, leaks=False).stderr
    assert said == "pyelfrun: memfd: there is no memory for what cachegrind writes: Function not implemented\n"


@pytest.mark.slow
@pytest.mark.long
def test_table_2(programs, count, tmp_path):
    """Table 2 of the Pynamic paper: many more data misses of a visit that binds at the first call, in 495 libraries."""
    tool("valgrind")
    profile = tmp_path / "table-2.prof"
    profile.write_text(
        "pyelfgen-profile: 1\nmodules: 280\nutilities: 215\nfunctions: 25\nnames: {length: 100}\nelf: {hash: sysv}\n"
    )
    programs.run("pyelfgen", "-P", profile, "-o", tmp_path / "set", "--link", "-q")
    vanilla, link = (
        count("--simulate", "--mode", mode, "--phases", "import,visit", tmp_path / "set", timeout=1800)
        for mode in ("vanilla", "link")
    )
    assert link("simulated_D1_misses", "visit") > 100 * vanilla("simulated_D1_misses", "visit")
    assert link("simulated_I1_misses", "visit") < 2 * vanilla("simulated_I1_misses", "visit")


def test_wrong_use(programs, small, tmp_path):
    def refused(*arguments, status=2, env=None):
        said = programs.run("pyelfrun", *arguments, small, status=status, env=env).stderr
        assert said.count("\n") == 1, said
        return said

    assert "--counters: there is no 'hardware', but: os, sde, papi, none" in refused("--counters", "hardware")
    assert "none excludes the others" in refused("--counters", "os,none")
    assert "would count the simulator" in refused("--simulate", "--counters", "os")
    assert "one rank is simulated" in refused("--simulate", env={"OMPI_COMM_WORLD_SIZE": "2"})
    # a PATH without valgrind
    said = refused("--simulate", status=1, env={"PATH": str(tmp_path)})
    assert "there is no valgrind; install the Debian package valgrind" in said


def test_an_installation_without_the_audit_library(programs, small, tmp_path):
    bin_ = tmp_path / "bin"
    libexec = tmp_path / "libexec" / "pyelfgen"
    bin_.mkdir()
    libexec.mkdir(parents=True)
    shutil.copy(programs.path("pyelfrun"), bin_)
    shutil.copy(programs.build / "libexec" / "pyelfgen" / "pyelf-vanilla", libexec)
    done = programs.command([bin_ / "pyelfrun", "--audit", small], status=1, leaks=False)
    assert "libpyelfaudit.so is missing" in done.stderr and done.stderr.count("\n") == 1
