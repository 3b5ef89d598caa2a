"""Colour, width and movement: only where somebody looks."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen import Config, generate
from mcpgen.problems import Problems
from mcpgen.project.run import CommandInput, run

from .conftest import SPECS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")


def on_a_terminal(*words: str, **environment: str) -> str:
    """What a command shows on a terminal of 80 columns."""
    leader, follower = pty.openpty()
    env = {
        key: value
        for key, value in os.environ.items()
        if key not in ("NO_COLOR", "CI", "FORCE_COLOR")
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpgen", *words], stdout=follower, stderr=follower,
        stdin=subprocess.DEVNULL, cwd=ROOT,
        env={**env, "TERM": "xterm-256color", "COLUMNS": "80", **environment},
    )  # fmt: skip
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    assert process.wait(timeout=30) == 0
    return shown.decode()


def test_a_terminal_gets_colour():
    assert "\x1b[" in on_a_terminal("inspect", str(SPECS / "bookshop.yaml"))


def test_no_color_is_respected():
    shown = on_a_terminal("explain", "E0203", NO_COLOR="1")
    assert "\x1b[3" not in shown and "\x1b[9" not in shown


def test_a_pipe_gets_neither_colour_nor_movement(mcpgen):
    ended = mcpgen("inspect", SPECS / "faulty.yaml")
    assert "\x1b" not in ended.out + ended.err and "reading" not in ended.err


def test_of_a_large_document_the_share_that_is_done_is_told(here):
    operation = {"responses": {"200": {"description": "ok"}}}
    paths = {f"/things{n}": {"get": {"tags": [f"t{n}"], **operation}} for n in range(60)}
    info = {"title": "Large", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "servers": [{"url": "/"}], "paths": paths}
    (here / "large.json").write_text(json.dumps(document))
    steps = []
    run(CommandInput(config=Config(sources=("large.json",))), Problems(), steps.append)
    told = [re.fullmatch("([a-z]+) the [a-z]+, ([0-9]+) %", step) for step in steps]
    shares = [(found[1], int(found[2])) for found in told if found]
    assert list(dict(shares)) == ["checking", "upgrading", "describing", "writing"]
    for stage in dict(shares):
        mine = [share for name, share in shares if name == stage]
        assert mine == sorted(mine) and mine[0] == 0 and mine[-1] >= 95, stage


def test_the_output_fits_eighty_columns():
    shown = on_a_terminal("inspect", "samples/specs/bookshop.yaml", NO_COLOR="1", TERM="dumb")
    assert max(len(line.rstrip("\r")) for line in shown.split("\n")) <= 80


def completions(words: str, shell: str = "bash", folder: Path = ROOT) -> list[str]:
    """What a shell offers for the last of these words, which are read as the shell reads them."""
    environment = {
        **os.environ, "_MCPGEN_COMPLETE": f"complete_{shell}", "COMP_WORDS": f"mcpgen {words}",
        "COMP_CWORD": str(len(words.replace("\\ ", "").split(" "))),
        "_TYPER_COMPLETE_ARGS": f"mcpgen {words}", "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }  # fmt: skip
    code = "from typer.main import get_command; from mcpgen.cli import app;"
    code += "get_command(app)(prog_name='mcpgen')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=folder
    )
    assert done.stderr == ""
    return done.stdout.split("\n")


@pytest.mark.parametrize(
    ("words", "offer"), [("explain E020", "E0203"), ("lint --client curs", "cursor")]
)
def test_a_shell_completes_codes_and_clients(words, offer):
    assert offer in completions(words)


BOOKSHOP = str(SPECS / "bookshop.yaml").replace(" ", "\\ ")  # as a shell's line has it
OF_THE_DOCUMENT = {
    f"generate {BOOKSHOP} --include-tag ": ["authors", "books", "orders", "shop"],
    f"generate {BOOKSHOP} --exclude-tag b": ["books"],
    f"inspect {BOOKSHOP} --include-operation listB": ["listBooks"],
    f"lint {BOOKSHOP} --exclude-path /auth": ["/authors", "/authors/{authorId}"],
}


@pytest.mark.parametrize(("words", "offers"), OF_THE_DOCUMENT.items(), ids=OF_THE_DOCUMENT)
def test_a_shell_completes_words_of_the_document_that_is_named(words, offers):
    assert [line for line in completions(words) if line] == offers


def test_a_shell_completes_words_of_the_document_of_the_project(mcpgen, bookshop, here):
    mcpgen("generate", "bookshop.yaml", "-o", "out")
    words = completions("generate --include-tag o", folder=here / "out")
    assert [line for line in words if line] == ["orders"]


def test_a_word_of_several_words_is_offered_as_each_shell_takes_it(here):
    (here / "api.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {tags: [Two words]}}}\n"
    )
    words = "generate api.yaml --include-tag "
    for so_far in ("", "Tw", "Two\\ w"):
        assert "Two\\ words" in completions(words + so_far, folder=here)
    assert "Two words" in completions(words, "fish", here)


OF_THE_PROJECT = {
    "call list_b": ["list_books"], "list --toolset ": ["authors", "books", "orders", "shop"],
    "call list_books pr": ["price="], "call list_books genre=po": ["genre=poetry"],
    "call list_books genre = po": ["poetry"], "call list_books genre=poetry ge": [],
    "call nothing x": [], "call get_author ": ["authorId="],
}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return generate(SPECS / "bookshop.yaml", tmp_path_factory.mktemp("made") / "shop").folder


@pytest.mark.parametrize(("words", "offers"), OF_THE_PROJECT.items(), ids=OF_THE_PROJECT)
def test_a_shell_completes_the_tools_of_a_project_and_their_arguments(words, offers, project):
    assert [line for line in completions(words, folder=project) if line] == offers
    command, rest = words.split(" ", 1)
    elsewhere = completions(f"{command} --project {project} {rest}", folder=SPECS)
    assert [line for line in elsewhere if line] == offers


@pytest.mark.parametrize("words", ["call ", "call list", "call list_books a", "list --toolset b"])
def test_a_project_that_is_not_generated_yet_offers_nothing(words, here):
    (here / "mcpgen.toml").write_text('[source]\npath = "missing.yaml"\n')
    assert "".join(completions(words, folder=here)) == ""


def test_a_tool_of_ones_own_without_a_schema_has_no_arguments(mcpgen, here):
    package = generate(SPECS / "bookshop.yaml", here / "shop").folder / "src" / "bookshop_mcp"
    (package / "custom" / "own.json").write_text('{"name": "own"}')
    assert "".join(completions("call own x", folder=here / "shop")) == ""


@pytest.mark.parametrize("source", ["missing.yaml", "http://127.0.0.1:9/openapi.json", "-"])
def test_where_no_document_can_be_read_nothing_is_offered(source, here):
    (here / "empty.yaml").write_text("")
    assert "".join(completions(f"generate {source} --include-tag ", folder=here)) == ""
