"""What the documents show as the output of commands is what the commands print today.

A block of ```text has commands behind `$ ` and what they print. A line of three dots stands for any lines. A block of
```yaml that begins with `# NAME.prof` is a profile. Only programs whose output is the same everywhere are run.
"""

import os
import re
import subprocess

import pytest

from conftest import SOURCE
from objects import ask, tool

pytestmark = pytest.mark.slow

RUN = {"pyelfgen", "pyelfstat", "readelf", "objdump", "llvm-dwarfdump", "llvm-dwarfdump-14", "eu-elflint", "size"}
# {document: (words, one of which a command must have to be run; the least number of commands that are run)}
SETS = {
    "README.md": ("first|495", 5),
    "docs/dwarf.md": ("one|split|held", 6),
    "docs/static.md": ("small", 1),
    "docs/executables.md": ("small", 1),
}


def blocks(text, language):
    return re.findall(rf"^( *)```{language}\n(.*?)^ *```$", text, flags=re.M | re.S)


def shown(text):
    """(command, output) of each command, in their order."""
    for indent, block in blocks(text, "text"):
        block = re.sub(f"^{indent}", "", block, flags=re.M)
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, rest = re.fullmatch(r"((?:.*[\\|]\n)*.*\n)([\s\S]*)", part).groups()
            yield command, rest


def lines(text):
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def not_there(wanted, printed):
    """The first wanted lines between lines of dots that were not printed in this order, or what was printed behind."""
    at, printed = 0, lines(printed)
    for number, part in enumerate(re.split(r"^\.\.\.$", "\n".join(lines(wanted)), flags=re.M)):
        part = lines(part)
        last = len(printed) - len(part)
        places = [i for i in range(at, last + 1) if printed[i : i + len(part)] == part]
        if number == 0 and part and not wanted.startswith("..."):
            places = places if places and places[0] == 0 else []
        if not places:
            return part
        at = places[0] + len(part)
    return [] if wanted.rstrip().endswith("...") or at == len(printed) else printed[at:]


@pytest.mark.parametrize("name", SETS)
def test_documents_show_what_commands_print(programs, tmp_path, name):
    if programs.sanitized:
        pytest.skip("what is shown is the usual build's")
    text = (SOURCE / name).read_text()
    for _, block in blocks(text, "yaml"):
        if profile := re.match(r"# (\w+\.prof)\n", block):
            (tmp_path / profile[1]).write_text(block)
    path = os.pathsep.join([os.path.dirname(programs.path("pyelfgen")), os.environ["PATH"]])
    how = {"cwd": tmp_path, "env": {**os.environ, "PATH": path, "LC_ALL": "C"}}
    asked, (words, least) = 0, SETS[name]
    for command, wanted in shown(text):
        if command.split()[0] not in RUN or not re.search(rf"\b(?:{words})\b", command):
            continue
        done = subprocess.run(command, shell=True, capture_output=True, text=True, **how)
        assert not_there(wanted, done.stdout + done.stderr) == [], f"{name}: {command}"
        asked += 1
    assert asked >= least


def test_entries_and_bytes_shown_are_those_of_the_example(programs, tmp_path):
    """dwarf.md shows entries and bytes without a command. The example has each entry's first line and these bytes."""
    text = (SOURCE / "docs" / "dwarf.md").read_text()
    profile = next(block for _, block in blocks(text, "yaml") if block.startswith("# one.prof\n"))
    (tmp_path / "one.prof").write_text(profile)
    programs.run("pyelfgen", "--profile", tmp_path / "one.prof", "-o", tmp_path / "one", "-q")
    library = tmp_path / "one" / "libmodule0.so"
    there, image = set(lines(ask(tool("llvm-dwarfdump"), "--debug-info", library))), library.read_bytes()
    shown_lines = [line for _, block in blocks(text, "text") for line in lines(block)]
    entries = [line for line in shown_lines if re.match(r"0x[0-9a-f]{8}: ", line)]
    dumps = [line for line in shown_lines if re.fullmatch(r"([0-9a-f]{2} ){7,}[0-9a-f]{2}", line)]
    assert len(entries) > 10 and len(dumps) > 1
    assert [line for line in entries if line not in there] == []
    assert [line for line in dumps if bytes.fromhex(line) not in image] == []


def test_documents_show_the_lines_that_a_debugger_shows(programs, tmp_path):
    """gdb shows the frames of the README's backtrace and the listing of howto.md, both of the same set."""
    if programs.sanitized:
        pytest.skip("what is shown is the usual build's")
    readme, howto = ((SOURCE / name).read_text() for name in ("README.md", "docs/howto.md"))
    profile = next(block for _, block in blocks(readme, "yaml") if block.startswith("# first.prof\n"))
    (tmp_path / "first.prof").write_text(profile)
    programs.run("pyelfgen", "--profile", tmp_path / "first.prof", "--sources", "-o", tmp_path / "first", "-q")
    command, wanted = next(said for said in shown(readme) if " gdb -q -batch " in said[0])
    printed = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path).stdout
    frame = r"^#\d+ .*?(\w+) \(.*\) at (\S+:\d+)$"
    frames = re.findall(frame, wanted, flags=re.M)
    assert len(frames) == 16 and frames == re.findall(frame, printed, flags=re.M)
    asked, listing = re.search(r"^\(gdb\) (list .*)\n([^`]*)```$", howto, flags=re.M).groups()
    sources = tmp_path / "first" / "sources"
    command = [tool("gdb"), "-q", "-batch", "-d", sources, "-ex", asked, tmp_path / "first" / "libmodule0.so"]
    printed = subprocess.run(command, capture_output=True, text=True).stdout
    assert lines(listing) == lines(printed)


def test_rooms_include_what_the_table_of_rooms_says():
    """The table in architecture.md names the directory of each header that the files of a room include."""
    text = (SOURCE / "docs" / "architecture.md").read_text()
    table = re.search(r"^\| room \|.*\n\| ---.*\n((?:\|.*\n)+)", text, flags=re.M)[1]
    columns = [line.split(" | ") for line in table.splitlines()]
    said = {re.search(r"`(.*?)`", room)[1]: used for room, _, used, *_ in columns}
    rooms = [room.rstrip("/") for room in said if room.endswith("/") and room != "tests/"]
    assert len(rooms) > 20

    def uses(room):
        """The rooms that the room may include from, itself among them."""
        used = said.get(f"{room}/", said.get(room))
        found = {room, *re.findall(r"`(.*?)`", used)}
        for name in re.findall(r"`([^`]*)`(?=[^,]* and what (?:that|they) use)", used):
            found |= uses(name)
        if "all rooms in it" in used:
            found |= {name for other in rooms if other.startswith("emit/") for name in uses(other)}
        return found

    wrong, folders = [], set()
    tops = {room.split("/")[0] for room in rooms}
    for path in (path for top in tops for path in SOURCE.glob(f"{top}/**/*.[ch]")):
        name = str(path.relative_to(SOURCE))
        folder = str(path.relative_to(SOURCE).parent)
        folders.add(folder)
        room = name.rsplit(".", 1)[0] if name.rsplit(".", 1)[0] in said else folder
        allowed = uses(room)
        for header in re.findall(r'^#include "(.*)/.*"', path.read_text(), flags=re.M):
            if header not in allowed:
                wrong.append((name, header))
    assert wrong == []
    assert sorted(folders - {"tools"}) == sorted(rooms)


def test_guards_of_headers_follow_from_their_paths():
    tops = "base", "elf", "dwarf", "emit", "runtime", "driver", "tools"
    headers = [path for top in tops for path in SOURCE.glob(f"{top}/**/*.h")]
    assert len(headers) > 150
    for path in headers:
        guard = re.sub(r"\W", "_", str(path.relative_to(SOURCE))).upper()
        assert f"\n#ifndef {guard}\n#define {guard}\n" in path.read_text(), path


@pytest.fixture(scope="module")
def installed(programs, tmp_path_factory):
    """The directory into which everything was installed."""
    prefix = tmp_path_factory.mktemp("installed")
    command = ["cmake", "--install", programs.build, "--prefix", prefix]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "DESTDIR": ""})
    return prefix


def test_installed_programs_know_nothing_of_the_build(programs, installed, tmp_path):
    """They find what was installed with them, and name no file or directory of the machine where they were built."""
    if programs.sanitized:
        pytest.skip("sanitizers have the names of source files")
    found = [path for name in ("bin", "lib", "libexec/pyelfgen") for path in (installed / name).iterdir()]
    assert len(found) > 10
    for path in found:
        subprocess.run(["objcopy", "--strip-all", path, tmp_path / "stripped"], check=True)
        contents = (tmp_path / "stripped").read_bytes()
        for directory in (SOURCE, programs.build):
            assert os.fsencode(directory) not in contents, path
    command = [installed / "bin" / "pyelfgen", "-q", "-P", "small", "-o", tmp_path / "set"]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
    command = [installed / "bin" / "pyelfgen", "-q", "-P", "none", "-o", tmp_path / "none"]
    assert "one of the profiles c, c++," in subprocess.run(command, capture_output=True, text=True).stderr


def test_installed_pages(installed):
    """What installed pages link to is installed, and so are the scripts that they have a user run or read."""
    top = installed / "share" / "doc" / "pyelfgen"
    pages = [*top.glob("*.md"), *top.glob("docs/*.md")]
    assert len(pages) > 20
    missing = []
    for page in pages:
        text = page.read_text()
        named = [page.parent / link for link in re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", text)]
        named += [top / name for name in re.findall(r"\btests/\w+\.(?:sh|env)\b", text)]
        missing += [(page.name, str(path)) for path in named if not path.exists()]
    assert missing == []


def test_installed_completion(installed):
    """Each program has its own file, where bash-completion looks for it."""
    programs = {path.name for path in (installed / "bin").iterdir()}
    assert {path.name for path in (installed / "share" / "bash-completion" / "completions").iterdir()} == programs
