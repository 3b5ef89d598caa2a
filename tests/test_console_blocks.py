"""Every console block of the pages is run as it is printed: in order, in a home of its own, with
nothing installed but what the text installs.

What a block shows of a command's output is compared; `…` stands for anything, alone on a line for
any lines. A comment above a block or a page is for this test:

* `<!-- not run: REASON -->`: the block is left out.
* `<!-- until: TEXT -->`: its commands serve; each is interrupted when it has printed the text.
* `<!-- append to: FILE -->`, above TOML: the reader enters it at the end of the file.
* `<!-- begins with: FILE ... -->`, at the top: the page speaks of these files (`STAND_INS`), or of
  the project that the README makes.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.loopback import free_port

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PROJECT = "mcp-bookshop"
SPECS = ROOT / "samples" / "specs"
STAND_INS = {
    "openapi.yaml": SPECS / "bookshop.yaml",
    "flows.arazzo.yaml": ROOT / "samples" / "workflows" / "bookshop.arazzo.yaml",
}
"""What plays the files that a page calls the reader's own."""
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
OWN = "README.md of a generated project"
PASSED_ON = re.compile("(PIP|UV|SSL|REQUESTS)_.*|(?i:https?|all|no)_proxy")
"""Variables that say how this machine reaches the package index."""
TIMEOUT = 200
MARK = "\x1e"
FENCE = re.compile(
    r"(?:<!-- (?P<note>[^\n]*) -->\n)?```(?P<language>console|sh|toml)\n(?P<text>.*?)^```",
    re.M | re.S,
)
APPENDED = "append to: "


@dataclass
class Command:
    """One command of a block: what is typed, and the lines that the page shows of its output."""

    text: str
    shown: list[str] = field(default_factory=list)


@dataclass
class Block:
    """A block of a page that is to be run, or is not: `note` is the comment above it."""

    language: str
    text: str
    note: str

    @property
    def is_excused(self) -> bool:
        return self.note.startswith("not run: ")

    def commands(self) -> list[Command]:
        """The commands. In a console, what follows `$ ` is typed and the rest is shown."""
        if self.language == "toml":
            name = self.note.removeprefix(APPENDED)
            return [Command(f"cat >> {name} <<'END'\n{self.text}END")]
        made: list[Command] = []
        continued = False
        for line in self.text.splitlines():
            if continued:
                made[-1].text += f"\n{line}"
            elif self.language == "sh" and line.strip():
                made.append(Command(line))
            elif line.startswith("$ "):
                made.append(Command(line[2:]))
            elif line.strip():
                made[-1].shown.append(line.rstrip())
                continue
            continued = line.endswith("\\")
        return made


def blocks_of(text: str) -> list[Block]:
    """The console blocks of a page, and the tables that it appends to a file."""
    found = [
        Block(match["language"], match["text"], match["note"] or "")
        for match in FENCE.finditer(text)
    ]
    return [block for block in found if block.language != "toml" or APPENDED in block.note]


def pattern_of(shown: list[str]) -> str:
    """The regular expression of what a page shows."""
    lines = [
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in shown
    ]
    return "".join(lines)


@dataclass
class World:
    """A home, a clone, and the programs that the text takes for granted: Python and pipx."""

    folder: Path
    port: int

    def __post_init__(self) -> None:
        self.home, self.clone, self.desk = (
            self.folder / name for name in ("home", "my clone", "desk")
        )
        self.state = self.folder / "state"
        self.home.mkdir()
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, names.decode().split("\0")):
            if (ROOT / name).is_file() and not name.startswith("tests/"):
                (self.clone / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.clone / name)
        programs = self.folder / "programs"
        programs.mkdir()
        base = Path(sys.base_prefix, "bin", "python3")
        (programs / "python3").symlink_to(base)
        for name in ("pipx", "uv"):
            (programs / name).symlink_to(Path(sys.executable).parent / name)
        paths = [self.home / ".local" / "bin", programs, "/usr/bin", "/bin"]
        cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        self.environment = {
            "PIP_CACHE_DIR": str(cache / "pip"), "UV_CACHE_DIR": str(cache / "uv"),
            **{name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)},
            "PIP_NO_COMPILE": "0", "PIPX_DEFAULT_PYTHON": str(base), "HOME": str(self.home),
            "PATH": os.pathsep.join(map(str, paths)), "BROWSER": "true", "COLUMNS": "120",
            "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", "TERM": "dumb",
        }  # fmt: skip

    def begin(self, text: str) -> None:
        """Lay out what a page begins with."""
        wanted = re.match(r"<!-- begins with: (.*) -->", text)
        names = wanted[1].split() if wanted else []
        shutil.rmtree(self.desk, ignore_errors=True)
        shutil.rmtree(self.clone / PROJECT, ignore_errors=True)
        self.desk.mkdir()
        for name in names:
            if name in STAND_INS:
                shutil.copy(STAND_INS[name], self.desk / name)
        self.start = f"cd {shlex.quote(str(self.desk if names else self.clone))}"
        if PROJECT in names:
            shutil.copytree(self.folder / PROJECT, self.clone / PROJECT)
            self.start = f". {shlex.quote(str(self.state))}\n{self._api()} >/dev/null 2>&1 &"

    def _api(self) -> str:
        script = shlex.quote(str(self.clone / "samples" / "bookshop_api.py"))
        return f"python3 {script} {self.port}"

    def run(self, blocks: list[Block]) -> None:
        """Run the blocks of a page, in order, in one shell."""
        run = [block for block in blocks if not block.is_excused]
        commands = [(block, each) for block in run for each in block.commands()]
        script = [self.start, *(self._line(block, each) for block, each in commands)]
        state = f"{shlex.quote(str(self.state))}.new"
        script.append(f'{{ export -p; echo cd $(printf %q "$PWD"); }} > {state}')
        with (self.folder / "output").open("w+") as shown:
            process = subprocess.Popen(
                ["bash", "-c", "\n".join(script)], env=self.environment, stdin=subprocess.DEVNULL,
                stdout=shown, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            with suppress(subprocess.TimeoutExpired):
                process.wait(TIMEOUT)
            with suppress(ProcessLookupError):  # no command of the page is left behind
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            shown.seek(0)
            parts = shown.read().split(MARK)
        assert len(parts) > len(commands), f"it hangs, or is no command: {parts[-1]}"
        for (_, command), part in zip(commands, parts, strict=False):
            shown, _, status = self._published(part).rpartition("\n")
            assert status == "0", f"$ {command.text}\n{shown}"
            lines = "".join(f"{line.rstrip()}\n" for line in shown.splitlines() if line.strip())
            if command.shown:
                assert re.fullmatch(pattern_of(command.shown), lines), f"$ {command.text}\n{lines}"

    def _line(self, block: Block, command: Command) -> str:
        """A command for the shell, and the mark behind its output with its status."""
        text = self._here(command.text)
        if block.note.startswith("until: ") and not text.startswith("export "):
            wanted = self._here(block.note.removeprefix("until: "))
            words = [sys.executable, __file__, wanted, text]
            text = " ".join(shlex.quote(word) for word in words)
        elif text.endswith(" &"):
            log = shlex.quote(str(self.folder / "background"))
            text = (
                f"rm -f {log}; {text[:-1]} >{log} 2>&1 &\n"
                f"for _ in $(seq 600); do [ -s {log} ] && break; sleep 0.05; done; cat {log}"
            )
        return f"{text}\nprintf '\\n%s{MARK}' $?"

    def _here(self, text: str) -> str:
        """The text with what is the reader's own: a key, and ports that are free on this machine."""
        text = text.replace("'...'", "demo-key")
        text = text.replace("bookshop_api.py", f"bookshop_api.py {self.port}")
        text = text.replace(":8080", f":{self.port}").replace(" --port 8000", "")
        return re.sub(" --http(?= |$)", f" --http --port {self.port + 1}", text)

    def _published(self, text: str) -> str:
        return text.replace(f":{self.port}", ":8080")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The world after the README: mcpgen is installed, and there is a project."""
    made = World(tmp_path_factory.mktemp("world"), free_port())
    text = README.read_text("utf-8")
    made.begin(text)
    made.run(blocks_of(text))
    made.state.with_suffix(".new").rename(made.state)
    shutil.copytree(made.clone / PROJECT, made.folder / PROJECT)
    return made


def test_the_readme_leads_from_a_clone_to_an_answered_call(world: World) -> None:
    assert (world.folder / PROJECT / "mcpgen.lock").is_file()


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_every_console_block_of_a_page_runs_as_it_is_printed(world: World, page: Path) -> None:
    text = page.read_text("utf-8")
    world.begin(text)
    world.run(blocks_of(text))


def test_every_console_block_of_a_projects_readme_runs(world: World) -> None:
    """All but those of `make`, which `.ci/run` runs from the wheel (tests/packaging)."""
    text = (world.folder / PROJECT / "README.md").read_text("utf-8")
    text = re.sub("^make .*\n", "", text, flags=re.M)
    world.begin(f"<!-- begins with: {PROJECT} -->")
    world.run(blocks_of(text))


def test_no_console_block_is_overlooked_or_left_out_without_a_reason() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        found = [block for block in blocks_of(text) if block.language != "toml"]
        assert len(found) == len(re.findall(r"```(?:console|sh|bash|shell)\b", text)), page
        notes = [block.note for block in found if block.note]
        assert all(re.match("not run: .{8}|until: .", note) for note in notes), notes


def main(arguments: list[str]) -> int:
    """Run a command until it has printed a text, then interrupt it; without arguments, count."""
    if not arguments:
        blocks = [block for page in PAGES for block in blocks_of(page.read_text("utf-8"))]
        excused = [block for block in blocks if block.is_excused]
        print(f"console blocks: {len(blocks) - len(excused)} run, {len(excused)} excused")
        for block in excused:
            print(f"  {block.note.removeprefix('not run: ')}: {block.text.splitlines()[0]}")
        return 0
    wanted, command = arguments
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="")
        if wanted in line:
            process.send_signal(signal.SIGINT)
    return int(process.wait(30) not in (0, 130, -signal.SIGINT))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
