"""Files that only have the names of a set's: pyelfgen neither overwrites nor removes what it has not written."""

import os
import shutil

import pytest

from objects import tool
from sets import SMALL, manifest_of, profile_text

# A name of each kind of file that sets have, and what others may have under it.
NAMES = {
    "manifest.json": '{"manifest_version": 3, "name": "an extension"}\n',
    "driver.py": "print(1)\n",
    "differences.json": '{"left": 1, "right": 2}\n',
    "libmodule99.so": "x",
    "libmodulebegin.so": "INPUT(-lc)\n",
    "libutility0.so": "x\n",
    "pyelf-link": "#!/bin/sh\n",
    "pyelf-static": "#!/bin/sh\n",
    "libmodule5.so.debug": "x\n",
    "libutility3.dwo": "x\n",
    "libutility3_data1.dwo": "x\n",
    "libmodule0.so.dwp": "x\n",
}

# Sets that together have every kind of file that is named above: (end of the profile, options).
KINDS = {
    "plain": ("", []),
    "executables": ("", ["--link", "--static"]),
    "debuglink": ("", ["--separate=debuglink"]),
    "build-id": ("", ["--separate=build-id", "--link"]),
    "split": ("", ["--split", "--link"]),
    "split-zlib": ("", ["--split", "--compress=zlib"]),
    "split-zstd": ("", ["--split", "--compress=zstd"]),
    "package": ("dwarf: {version: 4, split: true, compress: zlib}\n", []),
    "c++": ("dwarf: {language: c++, split: true}\n", []),
    "sources": ("", ["--sources"]),
    "rows": (
        "libraries:\n- {kind: utility, text: 60 kB, data: 6 kB, debug: 90 kB, symtab: 3 kB, strtab: 9 kB, functions: 40}\n",
        [],
    ),
}


def profile_of(kind, directory):
    path = directory / f"{kind}.prof"
    if kind == "rows":
        path.write_text("pyelfgen-profile: 1\nmodules: 0\nutilities: 1\n" + KINDS[kind][0])
    else:
        path.write_text(profile_text(modules=2, utilities=1, functions=20) + KINDS[kind][0])
    return path


def content(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def refusal(directory, name, in_set=False):
    if in_set:
        return f"pyelfgen: {directory}: the set holds '{name}', which is not of it; remove that, or give another directory\n"
    return f"pyelfgen: {directory}: the directory holds '{name}', which is not of a set; give an empty or a new one\n"


@pytest.fixture
def generate(programs, tmp_path):
    """Runs pyelfgen, which writes into `into`; returns what it said."""

    def run(*arguments, status=0, profile=SMALL):
        return programs.run("pyelfgen", "-q", "-P", profile, "-o", tmp_path / "into", *arguments, status=status).stderr

    return run


@pytest.fixture
def into(tmp_path):
    (tmp_path / "into").mkdir()
    return tmp_path / "into"


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_not_enough(name, force, generate, into):
    (into / name).write_text(NAMES[name])
    assert generate(*force, status=2) == refusal(into, name)
    assert content(into) == {name: NAMES[name].encode()}


def test_a_project(generate, into):
    """A manifest of something else makes the directory no set. In a set, other files would be left alone."""
    for name, text in [("manifest.json", '{"manifest_version": 3}\n'), ("background.js", "x\n"), ("notes.txt", "x\n")]:
        (into / name).write_text(text)
    before = content(into)
    assert "which is not of a set; give an empty or a new one" in generate(status=2)
    assert content(into) == before


def test_a_library_of_a_compiler(programs, generate, into):
    """The library's .comment says that a compiler made it. A .dwo of the compiler is refused as well."""
    (into / "a.c").write_text("int f(void) { return 1; }\n")
    programs.command([tool("gcc"), "-shared", "-fPIC", "-g", "-gsplit-dwarf", "-o", "libmodule0.so", "a.c"], cwd=into)
    (into / "a.c").unlink()
    units = list(into.glob("*.dwo"))
    before = (into / "libmodule0.so").read_bytes()
    for unit in units:
        unit.rename(into / "libmodule1.dwo")
    for name in ("libmodule1.dwo", "libmodule0.so") if units else ("libmodule0.so",):
        others = [path for path in into.iterdir() if path.name != name]
        for path in others:
            path.rename(into.parent / path.name)
        assert generate(status=2) == refusal(into, name)
        for path in others:
            (into.parent / path.name).rename(path)
    assert (into / "libmodule0.so").read_bytes() == before


@pytest.mark.alike
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
@pytest.mark.parametrize("name", ["driver.py", "differences.json", "libmodule99.so", "libutility7.dwo"])
def test_in_a_set(name, force, generate, into):
    """Foreign files are refused in a set, too, beside its own. Only what its manifest lists is always the set's."""
    generate()
    (into / name).write_text(NAMES.get(name, "mine\n"))
    before = content(into)
    assert generate(*force, status=2) == refusal(into, name, in_set=True)
    assert content(into) == before


def test_sources_in_a_set(generate, into):
    generate()
    (into / "sources").mkdir()
    (into / "sources" / "mine.c").write_text("int mine;\n")
    (into / "sources" / "libmodule0_1.c").write_text("int mine;\n")
    before = content(into)
    assert generate("--sources", "--force", status=2) == refusal(into, "sources/libmodule0_1.c", in_set=True)
    assert content(into) == before
    (into / "sources" / "libmodule0_1.c").unlink()
    generate("--sources")
    header = next((into / "sources" / "include").iterdir())
    header.write_text("int mine;\n")
    assert "is not of a set, but has the name of one of its headers; remove it\n" in generate("--sources", status=2)
    assert header.read_text() == "int mine;\n"


@pytest.mark.alike
@pytest.mark.parametrize("kind", KINDS)
def test_what_pyelfgen_writes_is_its_own(kind, generate, into, tmp_path):
    """Without the manifest, as after a run that was killed, each file shows that it is pyelfgen's, and is replaced."""
    profile = profile_of(kind, tmp_path)
    generate(*KINDS[kind][1], profile=profile)
    before = content(into)
    (into / "manifest.json").unlink()
    (into / ".libmodule0.so.tmp").write_bytes(b"half")
    generate(*KINDS[kind][1], profile=profile)
    assert content(into) == before
    (into / "manifest.json").unlink()
    generate()
    of_small = {"driver.py", "manifest.json"} | {row["name"] for row in manifest_of(into)["libraries"]}
    assert set(content(into)) == of_small


@pytest.mark.alike
@pytest.mark.parametrize("size", [0, 3, 63, 64, 5000, -1])
@pytest.mark.parametrize("name", ["libmodule0.so", "libmodule0.dwo", "pyelf-link"])
def test_a_file_without_its_end(name, size, generate, into):
    """A crash of the machine may leave a truncated file. Nobody can use it, so it is replaced even without manifest."""
    options = ["--link", "--split"]
    generate(*options)
    whole = content(into)
    (into / "manifest.json").unlink()
    os.truncate(into / name, size if size >= 0 else len(whole[name]) + size)
    generate(*options)
    assert content(into) == whole


@pytest.mark.parametrize("size", [0, 1, 10, 30, 300])
def test_a_manifest_without_its_end(size, generate, into):
    generate()
    whole = content(into)
    os.truncate(into / "manifest.json", size)
    generate()
    assert content(into) == whole


def test_a_manifest_that_was_written_anew(generate, into):
    """A manifest that some program has written again without blanks still makes the directory a set."""
    generate()
    text = (into / "manifest.json").read_text()
    (into / "manifest.json").write_text("".join(text.split()))
    (into / "notes.txt").write_text("mine")
    generate()
    assert (into / "manifest.json").read_text() == text


@pytest.mark.parametrize("what", ["damaged", "a link", "of another"])
def test_what_the_manifest_lists_is_made_again(what, generate, into, tmp_path):
    generate()
    whole = content(into)
    library = into / "libmodule1.so"
    if what == "damaged":
        library.write_bytes(b"damaged")
    elif what == "a link":
        library.unlink()
        (tmp_path / "precious").write_text("mine")
        library.symlink_to(tmp_path / "precious")
    else:
        shutil.copyfile(tool("true"), library)
    generate()
    assert content(into) == whole and not library.is_symlink()
    assert what != "a link" or (tmp_path / "precious").read_text() == "mine"


def test_a_run_that_fails_over_a_damaged_set(programs, generate, into):
    """The failed run has removed the manifest and what is the set's by it alone, so the next run refuses nothing."""
    generate()
    whole = content(into)
    (into / "libmodule1.so").write_bytes(b"damaged")
    command = ["sh", "-c", f'ulimit -f 8; exec "$0" "$@"', programs.path("pyelfgen"), "-q", "-P", SMALL, "-o", into]
    assert "cannot write" in programs.command([*command, "--force"], status=1).stderr
    assert "manifest.json" not in content(into)
    generate()
    assert content(into) == whole


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("nowhere"), os.mkfifo], ids=["link", "FIFO"])
def test_what_is_no_file(make, generate, into):
    make(into / "libmodule0.so")
    assert generate(status=2) == refusal(into, "libmodule0.so")
    assert os.path.lexists(into / "libmodule0.so")


def elf(sections=b"", **fields):
    """An ELF header that says that section headers follow it, and these."""
    f = {"shoff": 64, "shentsize": 64, "shnum": 0, "shstrndx": 0, "machine": 62, **fields}
    return (
        b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
        + b"\3\0"
        + f["machine"].to_bytes(2, "little")
        + bytes(20)
        + f["shoff"].to_bytes(8, "little")
        + bytes(10)
        + f["shentsize"].to_bytes(2, "little")
        + f["shnum"].to_bytes(2, "little")
        + f["shstrndx"].to_bytes(2, "little")
        + sections
    )


def section(name=0, kind=1, flags=0, offset=0, size=0):
    return (
        name.to_bytes(4, "little")
        + kind.to_bytes(4, "little")
        + flags.to_bytes(8, "little")
        + bytes(8)
        + offset.to_bytes(8, "little")
        + size.to_bytes(8, "little")
        + bytes(24)
    )


FAR = (1 << 64) - 8
STRINGS = b"\0.comment\0.debug_str.dwo\0"
AT = 64 * 4  # offset of STRINGS, behind the ELF header and three section headers


def three(marked):
    return section(kind=0) + section(kind=3, offset=AT, size=len(STRINGS)) + marked + STRINGS


HOSTILE = {
    "another machine": elf(machine=3),
    "no sections": elf(shnum=0),
    "many sections": elf(shnum=0xFFFF),
    "names out of range": elf(section() * 2, shnum=2, shstrndx=9),
    "names far away": elf(section(offset=FAR, size=FAR) * 2, shnum=2, shstrndx=1),
    "name far away": elf(three(section(name=0xFFFFFFFF, size=9)), shnum=3, shstrndx=1),
    "comment far away": elf(three(section(name=1, offset=FAR, size=FAR)), shnum=3, shstrndx=1),
    "comment of no bytes": elf(three(section(name=1, kind=8, offset=0, size=1 << 40)), shnum=3, shstrndx=1),
    "packed by nothing": elf(three(section(name=10, flags=0x800, offset=0, size=1 << 40)), shnum=3, shstrndx=1),
    "packed by zlib": elf(three(section(name=10, flags=0x800, offset=AT + len(STRINGS), size=60)), shnum=3, shstrndx=1)
    + b"\1".ljust(24, b"\0")
    + b"\x78\x9c broken",
    "packed by zstd": elf(three(section(name=10, flags=0x800, offset=AT + len(STRINGS), size=60)), shnum=3, shstrndx=1)
    + b"\2".ljust(24, b"\0")
    + b"\x28\xb5\x2f\xfd broken",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_nothing_in_a_file_is_believed(what, generate, into):
    (into / "libmodule0.so").write_bytes(HOSTILE[what])
    assert generate(status=2) == refusal(into, "libmodule0.so")


def test_a_comment_is_enough(generate, into):
    """With pyelfgen's .comment such a file is the set's. So the files above are refused for what is wrong with them."""
    marked = three(section(name=1, offset=AT + len(STRINGS), size=9)) + b"pyelfgen "
    (into / "libmodule0.so").write_bytes(elf(marked, shnum=3, shstrndx=1))
    generate()


def without_rights(programs, *arguments, **options):
    """Runs pyelfgen without root's right to read and write any file."""
    prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    return programs.command([*prefix, programs.path("pyelfgen"), "-q", "-P", SMALL, *arguments], **options)


ROOT_READS_ALL = pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root reads everything")


@ROOT_READS_ALL
@pytest.mark.parametrize("name", ["driver.py", "manifest.json"])
def test_a_file_that_may_not_be_read(programs, into, name):
    """pyelfgen cannot know whose file it is, and says what to do."""
    (into / name).write_text("mine\n")
    (into / name).chmod(0)
    done = without_rights(programs, "-o", into, status=1)
    said = f"it cannot be told whether '{name}' is of a set: it may not be read; allow that, with chmod u+r, and run again"
    assert done.stderr == f"pyelfgen: {into}: {said}\n"
    (into / name).chmod(0o600)
    assert (into / name).read_text() == "mine\n"


@ROOT_READS_ALL
def test_a_header_that_may_not_be_read(programs, into):
    """pyelfgen cannot know whose header it is, so it stays."""
    programs.run("pyelfgen", "-q", "-P", SMALL, "--sources", "-o", into)
    header = next((into / "sources" / "include").iterdir())
    header.write_text("mine\n")
    header.chmod(0)
    assert "and may not be read; remove it" in without_rights(programs, "--sources", "-o", into, status=2).stderr
    header.chmod(0o600)
    assert header.read_text() == "mine\n"


@ROOT_READS_ALL
def test_a_library_of_the_set_that_may_not_be_read(programs, tmp_path):
    """The manifest lists the library, so it is made again."""
    into = tmp_path / "set"
    programs.run("pyelfgen", "-q", "-P", SMALL, "-o", into)
    wanted = content(into)
    for name in ("libmodule1.so", "libutility0.so"):
        (into / name).chmod(0)
    without_rights(programs, "-o", into)
    assert content(into) == wanted
    programs.run("pyelfgen", "--verify", into, "-q")


def with_directory(programs, into, name, finished):
    """Makes a set, finished or as an interrupted run leaves it, in which a directory is called `name`."""
    programs.run("pyelfgen", "-q", "-P", SMALL, "-o", into)
    if not finished:
        (into / "manifest.json").unlink()
    (into / name).unlink(missing_ok=True)
    (into / name).mkdir(parents=True)
    return content(into)


@pytest.mark.parametrize("name", ["libmodule0.so", "libmodule99.so", "libmodule0.so.debug", "pyelf-link", ".libmodule0.so.tmp"])
@pytest.mark.parametrize("finished", [True, False])
def test_a_directory_by_the_name_of_a_file(programs, tmp_path, name, finished):
    """The message names the directory, and nothing is changed: the manifest stays."""
    into = tmp_path / "set"
    before = with_directory(programs, into, name, finished)
    done = programs.run("pyelfgen", "-q", "-P", SMALL, "-o", into, status=2)
    said = refusal(into, name, in_set=finished)
    if finished and name == "libmodule0.so":  # the set has a file of that name
        said = said.replace(f"holds '{name}', which is not of it", f"holds a directory in the place of '{name}'")
    assert done.stderr == said
    assert content(into) == before


@pytest.mark.parametrize("name", ["sources/.libmodule0.c.tmp", "sources/include/.array_limbf.h.tmp", f".build-id/ab/.{'c' * 38}.debug.tmp"])
@pytest.mark.parametrize("finished", [True, False])
def test_a_directory_by_the_name_of_an_unfinished_file(programs, tmp_path, name, finished):
    """It is found before anything is written, also where no such file would be written."""
    into = tmp_path / "set"
    before = with_directory(programs, into, name, finished)
    for option in ("--sources", "--separate=build-id", "--seed=7"):
        done = programs.run("pyelfgen", "-q", "-P", SMALL, "-o", into, option, status=2)
        assert done.stderr == refusal(into, name, in_set=finished)
    assert content(into) == before


def test_unfinished_sources_of_others_stay(programs, tmp_path):
    into = tmp_path / "set"
    programs.run("pyelfgen", "-q", "-P", SMALL, "-o", into)
    (into / "sources" / ".mine.c.tmp").mkdir(parents=True)
    (into / "sources" / ".other.c.tmp").write_text("mine\n")
    programs.run("pyelfgen", "-q", "-P", SMALL, "-o", into, "--seed=7")
    assert (into / "sources" / ".mine.c.tmp").is_dir() and (into / "sources" / ".other.c.tmp").read_text() == "mine\n"


@pytest.mark.parametrize("what", ["damaged", pytest.param("unreadable", marks=ROOT_READS_ALL)])
def test_a_damaged_debug_file_of_the_set_goes(programs, tmp_path, what):
    """The manifest lists the debug file, so it is the set's. Others' debug files stay."""
    into = tmp_path / "set"
    programs.run("pyelfgen", "-q", "-P", SMALL, "--separate=build-id", "-o", into)
    debug_file = next((into / ".build-id").glob("*/*"))
    other = into / ".build-id" / "ab" / f"{'cd' * 19}.debug"
    other.parent.mkdir(exist_ok=True)
    other.write_text("mine\n")
    debug_file.write_text("damaged\n")
    debug_file.chmod(0 if what == "unreadable" else 0o644)
    without_rights(programs, "-o", into)
    assert list((into / ".build-id").glob("*/*")) == [other] and other.read_text() == "mine\n"
    programs.run("pyelfgen", "--verify", into, "-q")


def test_what_nfs_keeps_of_a_removed_file(programs, tmp_path):
    """A file of an interrupted run that another host has open."""
    into = tmp_path / "set"
    programs.run("pyelfgen", "-q", "-P", SMALL, "--separate=build-id", "--sources", "-o", into)
    (into / "manifest.json").unlink()
    debug_files = next((into / ".build-id").iterdir())
    kept = [directory / f".nfs{'0a' * 12}" for directory in (into, into / "sources", debug_files)]
    for path in kept:
        path.write_text("open\n")
    programs.run("pyelfgen", "-q", "-P", SMALL, "-o", into)
    assert all(path.exists() for path in kept)
