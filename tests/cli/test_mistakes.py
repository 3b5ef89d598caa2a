"""The mistakes of somebody's first hour: each gets one message that says what is wrong and what to do,
and nothing is written.

Mistakes in filters, addresses and documents without operations are in `test_no_silent_loss.py`;
those at a server's own command line are in `tests/server`.
"""

import errno
import gzip
import io
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mcpgen import generate

from .conftest import SPECS

COMMAND_LINE = {
    "a misspelt file": (["generate", "bokshop.yaml"], "did you mean `bookshop.yaml`?"),
    "a path of Windows": (["generate", ".\\bookshop.yaml"], "did you mean `./bookshop.yaml`?"),
    "a host that does not exist": (["generate", "http://api.invalid/openapi.json"],
        "the host `api.invalid` is not known"),
    "an empty folder": (["generate", "empty"], "a folder with JSON or YAML documents in it"),
    "no document": (["generate"], "`mcpgen generate openapi.yaml` makes one"),
    "a misspelt command": (["generat", "bookshop.yaml"], "Did you mean 'generate'?"),
    "a misspelt option": (["generate", "bookshop.yaml", "--includ-tag", "books"], "--include-tag"),
    "an option without its value": (["generate", "bookshop.yaml", "--name"], "--name"),
    "a profile that is none": (["generate", "bookshop.yaml", "--profile", "gemini"],
        "'gemini' is not one of 'portable', 'rich'"),
    "a credential of an unknown kind": (["generate", "bookshop.yaml", "--auth", "digest"],
        "it is `bearer`, `basic`, `header:NAME` or `query:NAME`"),
    "a secret on the command line": (
        ["generate", "bookshop.yaml", "--header", "Authorization: canary-0123456789"],
        "as in `Authorization: env:NAME`"),
    "a header from a variable that is not set": (
        ["generate", "http://api.invalid/openapi.json", "--header", "X-Key: env:UNSET_0123"],
        "the environment variable `UNSET_0123` is not set"),
    "an address without its scheme": (["generate", "api.invalid/openapi.json"],
        "did you mean `https://api.invalid/openapi.json`?"),
    "an address of this machine without its scheme": (["generate", "localhost:8000/openapi.json"],
        "did you mean `http://localhost:8000/openapi.json`?"),
    "the URL of a file": (["generate", "file:///srv/openapi.yaml"],
        "give the file itself: `/srv/openapi.yaml`"),
    "a file in the place of the folder": (["generate", "bookshop.yaml", "-o", "bookshop.yaml"],
        "bookshop.yaml` is a file, not a folder = help: choose another folder"),
    "a folder below a file": (["generate", "bookshop.yaml", "-o", "bookshop.yaml/sub"],
        "bookshop.yaml` is a file, not a folder = help: choose another folder"),
    "an overlay that is missing": (["generate", "bookshop.yaml", "--overlay", "o.yaml"], "o.yaml"),
    "an unknown client": (["lint", "bookshop.yaml", "--client", "curser"], "did you mean `cursor`"),
    "an unknown code": (["explain", "E9999"], "`mcpgen explain` lists all of them"),
    "add without its words": (["add"], "it is one of tool, production, confirm"),
    "add of something unknown": (["add", "toll", "x"], "'toll' is not one of 'tool', 'production'"),
    "add outside of a project": (["add", "tool", "x"], "`mcpgen new NAME` makes one"),
    "call outside of a project": (["call", "get_author"], "name one with `--project DIR`"),
    "call without a tool": (["call"], "Missing argument 'TOOL'"),
    "list outside of a project": (["list"], "name one with `--project DIR`"),
    "check outside of a project": (["check"], "give the folder of a project"),
    "verify outside of a project": (["verify"], "give the folder of a project"),
    "diff outside of a project": (["diff"], "`mcpgen diff OLD NEW`"),
    "serving a missing file": (["serve", "nothing.yaml"], "no such file: nothing.yaml"),
    "a command of the server": (["login"], "as in `bookshop-mcp login`"),
    "new without a name": (["new"], "for example `mcpgen new demo --yes`"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "remedy"), COMMAND_LINE.values(), ids=COMMAND_LINE)
def test_a_mistake_on_the_command_line_says_what_to_do(
    mcpgen, bookshop, here, words, remedy, monkeypatch
):
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    (here / "empty").mkdir()
    ended = mcpgen(*words)
    assert ended.code in (1, 2, 4) and remedy in " ".join(ended.err.split())
    assert "Traceback" not in ended.err and "Errno" not in ended.err and "canary" not in ended.err
    assert {path.name for path in here.iterdir()} == {"bookshop.yaml", "empty"}


@pytest.mark.parametrize("command", ["suggest", "lint"])
def test_a_project_in_the_place_of_a_document_is_called_one(mcpgen, bookshop, here, command):
    assert mcpgen("generate", "bookshop.yaml", "--output", "shop").code == 0
    ended = mcpgen(command, "shop")
    assert ended.code == 2 and "it is a project: run the command in it" in ended.err


NO_DOCUMENT = {
    "empty": (b"", "the file is empty"),
    "nothing but line ends": (b"\n \r\n", "the file is empty"),
    "still packed": (gzip.compress(b"openapi: 3.1.0"), "unpack it first: `gunzip`"),
    "a PDF": (b"%PDF-1.4\n", "ask the API's owner for the OpenAPI file"),
    "cut off": (b"openapi: 3.1.0\ninfo: {title: 'T", "the file ends in the middle of it"),
    "cut JSON": (b'{"openapi": "3.1.0", "info": {', "the JSON ends inside the object"),
    "indented with a tab": (b"openapi: 3.1.0\ninfo:\n\ttitle: T\n", "`expand -t 2 doc`"),
    "a comma too many": (b'{"openapi": "3.1.0",}', "remove the comma"),
    "a list": (b"- openapi: 3.1.0\n", "give one document"),
    "another program's settings": (b'{"name": "x", "version": "1.0.0"}', "begins with `openapi:"),
    "the wrong encoding": (b"openapi: 3.1.0\ninfo: {title: Caf\xe9}\n", "UTF-8"),
    "not text": (b"\xff\xfe\x00bad", "error[E"),
    "an unknown version": (b"openapi: 9.9.9\ninfo: {title: x, version: '1'}\n", "supported: 2.0"),
    "another format": (b"#%RAML 1.0\ntitle: x\n", "a RAML document"),
    "Insomnia": (b'{"_type": "export", "resources": []}', "an Insomnia export"),
    "zip": (b"PK\x03\x04", "a zip archive"),
    "an error without a message": (
        b'{"jsonrpc": "2.0", "error": {"code": -32000}}',
        '{"code": -32000}',
    ),
    "HTML": (b"<!DOCTYPE html><html><body>Not found</body></html>", "an HTML page"),
}


@pytest.mark.parametrize(("content", "remedy"), NO_DOCUMENT.values(), ids=NO_DOCUMENT)
def test_a_file_that_holds_no_document_says_what_it_holds(mcpgen, here, content, remedy):
    (here / "doc").write_bytes(content)
    ended = mcpgen("generate", "doc")
    assert ended.code == 1 and remedy in ended.err and "--> doc" in ended.err and ended.out == ""
    assert ended.err.startswith("error[E") and "= help: " in ended.err
    assert "Traceback" not in ended.err and [path.name for path in here.iterdir()] == ["doc"]


def test_a_byte_order_mark_and_line_ends_of_windows_change_nothing(mcpgen, bookshop, here):
    text = bookshop.read_text("utf-8")
    (here / "windows.yaml").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert mcpgen("generate", "bookshop.yaml", "-o", "one", "-q").code == 0
    assert mcpgen("generate", "windows.yaml", "-o", "two", "-q").code == 0
    one, two = (here / name / "src/bookshop_mcp/tools/books.json" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


REFUSED = {
    errno.EACCES: "choose a folder you may write to",
    errno.EROFS: "choose a folder on a file system that can be written",
    errno.ENOSPC: "free some space and run the command again",
    errno.EIO: "nothing was changed\n",
}


@pytest.mark.parametrize(("code", "remedy"), REFUSED.items(), ids=errno.errorcode.get)
def test_a_disk_that_refuses_says_what_to_do(mcpgen, bookshop, here, monkeypatch, code, remedy):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code), "mcp-bookshop")

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(os, "mkdir", refuse)
    ended = mcpgen("generate", "bookshop.yaml")
    assert ended.code == 4 and remedy in ended.err and "Traceback" not in ended.err
    assert ("= help: " in ended.err) == (code != errno.EIO)


IN_A_PROJECT = {
    "a misspelt key": ("# [select]", '[select]\ninclude_tag = ["books"]', "`include_tags`?"),
    "a misspelt operation": ("# [select]", '[select]\ninclude_operations = ["listBoks"]',
        "did you mean `listBooks`"),
    "a table that stands twice": ("# [select]", "[select]\n\n[select]",
        "`[select]` stands twice in `mcpgen.toml`"),
    "a misspelt table": ("# [select]", "[selekt]", "did you mean `select`?"),
    "text that is not TOML": ("# [select]", "[select", "`mcpgen.toml` is not TOML"),
    "customising an operation that is not there": ("# [select]",
        '[tools."listBoks"]\nname = "x"\n[select]', "listBooks"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "remedy"), IN_A_PROJECT.values(), ids=IN_A_PROJECT)
def test_a_mistake_in_the_configuration_names_the_file_and_what_was_meant(
    mcpgen, bookshop, here, old, new, remedy
):
    mcpgen("generate", "bookshop.yaml", "-o", "shop", "-q")
    path = here / "shop" / "mcpgen.toml"
    assert f"\n{old}\n" in path.read_text()
    path.write_text(path.read_text().replace(f"\n{old}\n", f"\n{new}\n"))
    ended = mcpgen("generate", "-o", "shop")
    assert ended.code == 2 and remedy in ended.err and "mcpgen.toml" in ended.err


def test_a_command_to_copy_is_quoted_for_the_shell(mcpgen, bookshop):
    assert "cd 'my shop' && mcpgen call" in mcpgen("generate", "bookshop.yaml", "-o", "my shop").out
    assert "cd 'my own' && make test" in mcpgen("new", "my own", "--yes").out


WRONG = tomllib.loads((Path(__file__).parent / "wrong_commands.toml").read_text("utf-8"))
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def two_projects(tmp_path_factory):
    """A project, with its document and another project beside it."""
    folder = tmp_path_factory.mktemp("desk")
    shutil.copy(SPECS / "bookshop.yaml", folder)
    for name in ("mcp-bookshop", "x"):
        generate(folder / "bookshop.yaml", folder / name)
    return folder / "mcp-bookshop"


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def is_told(code, said, row):
    _, wanted, answer = row
    assert (code, answer in " ".join(said.split())) == (wanted, True), (code, said)
    assert not [word for word in ("Traceback", "Errno", "this is a bug", "s3cret") if word in said]


@pytest.mark.parametrize("row", WRONG["rows"], ids=[row[0] for row in WRONG["rows"]])
def test_a_wrong_command_is_answered_with_what_to_do(mcpgen, two_projects, monkeypatch, row):
    monkeypatch.chdir(two_projects)
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    before = files_of(two_projects.parent)
    ended = mcpgen(*shlex.split(row[0].replace("$CHECKOUT", shlex.quote(str(ROOT)))))
    is_told(ended.code, ended.out + ended.err, row)
    assert files_of(two_projects.parent) == before


OWN = ("bookshop.yaml", "openapi.yaml", "mcpgen.toml", "hooks.py")
"""Files of the desk that are a user's."""
PLAIN = re.compile("(?:cd ([a-z-]+); )?mcpgen ([^|<>;&]*)")
"""A line that needs no shell: a command, and the folder that it runs in."""


@pytest.mark.parametrize("row", WRONG["lines"], ids=[row[0] for row in WRONG["lines"]])
def test_a_line_of_a_shell_is_answered_and_replaces_nothing(
    mcpgen, two_projects, tmp_path, monkeypatch, row
):
    if "LC_ALL=C " in row[0] and not str(ROOT).isascii():
        pytest.skip("in that locale Python does not start from a path outside ASCII")
    desk, program = tmp_path / "desk", tmp_path / "bin" / "mcpgen"
    shutil.copytree(two_projects.parent, desk)
    shutil.copy(desk / "bookshop.yaml", desk / "openapi.yaml")
    before = {path: text for path, text in files_of(desk).items() if path.name in OWN}
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mcpgen "$@"\n')
    program.chmod(0o755)
    monkeypatch.chdir(desk)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    monkeypatch.setenv("PWD", str(desk))
    plain = PLAIN.fullmatch(os.path.expandvars(row[0]))
    if plain:
        os.chdir(plain[1] or ".")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        ended = mcpgen(*shlex.split(plain[2]))
        is_told(ended.code, ended.out + ended.err, row)
    else:
        done = subprocess.run(
            ["bash", "-c", row[0]], env={**os.environ, "COLUMNS": "100"}, timeout=100,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        is_told(done.returncode, done.stdout, row)
    assert before.items() <= files_of(desk).items()
