"""`list`, `describe` and `call` of a server, from a shell."""

from __future__ import annotations

import asyncio
import importlib
import io
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from shop import PACKAGE, PREFIX, Recorder

from mcpgen.runtime.parts import shell
from mcpgen.runtime.parts.shell import arguments_of, words_of_call

Run = Callable[..., tuple[int, str, str]]
SCHEMA = {"properties": {
    "name": {"type": "string"}, "ids": {"type": "array", "items": {"type": "integer"}},
    "size": {"type": "integer"}, "any": True, "list": {"type": "array", "items": True},
}}  # fmt: skip


@pytest.fixture
def run(in_process: Any, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line of the server: its exit code, standard output and standard error."""

    def command(*words: str) -> tuple[int, str, str]:
        main = importlib.import_module(f"{PACKAGE}.runtime.command").main
        code = main(PACKAGE, list(words))
        return code, *capsys.readouterr()

    return command


def test_a_call_is_sent_with_credentials_and_answered(run: Run, api: Recorder) -> None:
    code, out, _ = run("call", "list_books", "genre=poetry", "ids=1", "ids=2")
    assert (code, json.loads(out)) == (0, [{"id": 1}])
    [(method, target, headers, _)] = api.requests
    assert (method, target) == ("GET", "/v1/books?genre=poetry&ids=1,2")
    assert headers["x-api-key"] == "canary-key-0123456789"
    code, out, _ = run("call", "--json", "get_book", "--args", '{"book_id": "b1"}')
    assert (code, json.loads(out)["isError"]) == (0, False)


def test_a_call_is_checked_like_that_of_a_client(run: Run, api: Recorder) -> None:
    code, out, err = run("call", "get_book", "bookid=b1")
    assert (code, out) == (1, "")
    assert "did you mean `book_id`?" in err
    code, _, err = run("call", "--read-only", "delete_book", "book_id=b1")
    assert code == 1
    assert "read-only" in err
    assert api.requests == []


def test_a_call_is_limited_by_what_the_environment_says(
    run: Run, api: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{PREFIX}_TOOLSETS", "desk")
    assert run("call", "get_book", "book_id=b1")[0] == 2
    monkeypatch.setenv(f"{PREFIX}_TOTAL_TIMEOUT", "0.1")
    code, _, err = run("call", "slow", "steps=100")
    assert code == 1
    assert "gave no result in 0.1 seconds" in err


@pytest.mark.parametrize(("words", "reason"), [
    (["call", "get_boook"], "did you mean `get_book`?"),
    (["call", "get_book", "b1"], "write `key=value`"),
    (["call", "get_book", "--args", "["], "`--args` is not JSON"),
    (["call", "get_book", "--args", "[]"], "must be one JSON object"),
    (["call", "get_book", "--args", "[" * 50_000], "`--args` is not JSON"),
    (["call", "get_book", "--args", f'{{"a":{"[" * 50_000}'], "`--args` is not JSON"),
    (["describe", "nothing"], "there is no tool `nothing`"),
])  # fmt: skip
def test_wrong_usage_is_explained(run: Run, words: list[str], reason: str) -> None:
    code, _, err = run(*words)
    assert code == 2
    assert reason in err


@pytest.mark.parametrize(("word", "code"), [
    (f"text={'[' * 50_000}", 0), (f"text={'[' * 900}{']' * 900}", 0),
    (f"ids={'[' * 50_000}", 1), (f"ids={'[' * 900}{']' * 900}", 2),
])  # fmt: skip
def test_a_value_that_is_nested_too_deeply_is_text_or_refused(
    run: Run, word: str, code: int
) -> None:
    tool = "echo" if word.startswith("text") else "list_books"
    assert run("call", tool, word)[0] == code


@pytest.mark.parametrize("words", [
    ["call", "\x1b[2J"], ["\x1b]0;title\a"], ["describe", "get_book", "--\x9b2J"], ["call", "x\u202e"],
    ["login", "--port", "\x1b[2J"], ["--port", "\x1b[2J"],
])  # fmt: skip
def test_no_word_of_the_command_line_steers_the_terminal(
    run: Run, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code, _, err = run(*words)
    except SystemExit as ended:
        code, err = ended.code, capsys.readouterr().err
    assert code == 2 and err
    assert not set(err) & set("\x1b\x07\x9b\u202e")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_standard_output_cannot_write_is_escaped(
    run: Run, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    content = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(content, encoding=encoding))
    assert run("call", "echo", "text=Łódź")[0] == 0
    assert content.getvalue().decode(encoding).startswith(r"\u0141")


@pytest.mark.parametrize("words", [["call"], ["describe"], ["list", "--args", "{}"]])
def test_a_command_without_what_it_needs_is_refused(run: Run, words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*words)
    assert ended.value.code == 2


def test_what_the_code_of_a_tool_prints_is_not_its_answer(run: Run) -> None:
    code, out, err = run("call", "noise")
    assert (code, out) == (0, "quiet\nand\u2028more\n")
    assert "printed" in err
    code, out, _ = run("call", "picture")
    assert out.splitlines() == [
        "a text", "(image image/png, 4 bytes)", "(audio audio/wav, 4 bytes)",
        "(resource_link text/csv, https://example.com/a.csv)",
        "(resource application/octet-stream, 5 bytes)", "text",
    ]  # fmt: skip


def test_tools_are_listed_by_words_and_described(run: Run, package: Path) -> None:
    (package / "custom/bare.json").write_text('{"name": "bare", "inputSchema": {"type": "object"}}')
    (package / "custom/bare.py").write_text("def bare() -> None: ...\n")
    assert run("list", "bare") == (0, "bare\n", "")
    assert "bare" not in run("list", "bare", "x")[1]
    code, out, _ = run("list", "book", "newest")
    assert (code, out) == (0, "list_books  List the books in the catalogue.\n")
    assert [tool["name"] for tool in json.loads(run("list", "--json", "replace")[1])] == [
        "update_book"
    ]
    out = run("describe", "list_books")[1]
    assert out.startswith("list_books: only reads\n")
    assert 'genre: Only this genre\n    {"type": "string", "enum"' in out
    assert json.loads(run("describe", "delete_book", "--json")[1])["name"] == "delete_book"


def test_a_reader_that_has_read_enough_is_no_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        monkeypatch.setattr("sys.stdout", gone)
        assert run("list")[0] == 0


@pytest.mark.parametrize(
    ("line", "agrees"), [("y", True), ("Yes \n", True), ("", False), ("no\n", False)]
)
def test_a_question_is_answered_at_the_terminal(
    line: str, agrees: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(line))
    asked = SimpleNamespace(message="Delete it?")
    answer = asyncio.run(shell._consent(None, asked))
    assert answer.action == ("accept" if agrees else "decline")
    assert capsys.readouterr().err == "Delete it?\n[y/N] "


def test_the_tools_are_those_that_the_server_would_list(run: Run) -> None:
    names = [line.split()[0] for line in run("list", "--lazy")[1].splitlines()]
    assert names == ["search_tools", "describe_tool", "call_tool"]
    assert "list_books" in run("call", "--lazy", "search_tools", "query=books")[1]


@pytest.mark.parametrize(("words", "arguments"), [
    (["name=12", "size=12"], {"name": "12", "size": 12}),
    (["ids=1", "ids=2"], {"ids": [1, 2]}),
    (["ids=[1, 2]"], {"ids": [1, 2]}),
    (["any=1", "list=2"], {"any": 1, "list": [2]}), (["size=many", "other=true"], {"size": "many", "other": True}),
])  # fmt: skip
def test_words_become_what_the_schema_wants(words: list[str], arguments: dict[str, Any]) -> None:
    assert arguments_of(words, SCHEMA, "") == arguments
    assert arguments_of(words, SCHEMA, '{"name": "x", "given": 1}') == {
        "name": "x",
        "given": 1,
        **arguments,
    }


TEXT: Any = {"type": ["string", "null"], "pattern": "[.a]"}
ID = {"$ref": "#/$defs/id"}


@pytest.mark.parametrize(("schema", "word", "value"), [
    (TEXT, "1.10", "1.10"), (TEXT, "7", "7"), (ID, "1.10", "1.10"), ({"enum": ["1.10"]}, "1.10", "1.10"),
    ({"type": "array", "items": ID}, "1.10", ["1.10"]), ({"anyOf": [{"const": "a"}, ID]}, "1.10", "1.10"),
    ({"anyOf": [{"type": "integer"}, {"enum": ["all"]}]}, "7", 7), ({"enum": ["all", 7]}, "7", 7),
    ({"anyOf": [TEXT, {"type": "array"}]}, "[1]", [1]), ({"type": ["array", "null"]}, "array", ["array"]),
    ({"type": ["array", "null"]}, "null", None), ({"type": ["integer", "null"]}, "null", None),
    (ID, "null", None), ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "null", None),
    ({"type": "string"}, "null", "null"), ({"$ref": "#/$defs/9"}, "1.10", 1.1),
    ({"$ref": "#/$defs/c0"}, "1.10", "1.10"),
])  # fmt: skip
def test_a_word_stays_as_it_is_where_the_schema_takes_text(
    schema: Any, word: str, value: Any
) -> None:
    many = {f"{count}": {"anyOf": [{"$ref": f"#/$defs/{count - 1}"}] * 50} for count in range(10)}
    chain = {f"c{count}": {"anyOf": [{"$ref": f"#/$defs/c{count + 1}"}]} for count in range(999)}
    defs = {"id": {"allOf": [TEXT]}, **many, **chain, "c999": TEXT}
    root = {"properties": {"a": schema}, "$defs": defs}
    assert arguments_of([f"a={word}"], root, "") == {"a": value}


@pytest.mark.parametrize(("line", "offered"), [
    ("demo-mcp ca", ["call "]), ("demo-mcp describe get_b", ["get_book "]),
    ("demo-mcp call list_books ge", ["genre=", "genre=fiction ", "genre=poetry "]),
    ("demo-mcp call list_books genre=po", ["poetry "]), ("demo-mcp call list_books genre=p i", ["ids="]),
    ("demo-mcp call nothing x", []), ("demo-mcp list ", []), ("demo-mcp frobnicate x", []),
    ("demo-mcp install cu", ["cursor "]), ("demo-mcp uninstall  zed", ["zed "]),
])  # fmt: skip
def test_a_line_is_completed_with_what_may_follow(run: Run, line: str, offered: list[str]) -> None:
    for name in ("bash", "zsh"):
        code, out, _ = run("completion", name, line)
        assert (code, out.splitlines()) == (0, offered)


@pytest.mark.parametrize(("line", "offered"), [
    ("demo-mcp ca", ["call"]), ("demo-mcp call list_books genre=po", ["genre=poetry"]),
    ("demo-mcp call list_books genre=p i", ["ids="]), ("demo-mcp completion f", ["fish"]),
])  # fmt: skip
def test_fish_is_offered_whole_words(run: Run, line: str, offered: list[str]) -> None:
    assert run("completion", "fish", line)[1].splitlines() == offered


@pytest.mark.parametrize("words", [["tcsh"], ["demo-mcp ca"], ["bash", "demo-mcp ca", "more"]])
def test_completion_names_its_shells(run: Run, words: list[str]) -> None:
    code, _, err = run("completion", *words)
    assert code == 2 and "takes the name of a shell: bash, zsh, fish" in err


ASKED = {
    "bash": """
        COMP_LINE='{line}z' COMP_POINT={length}
        _{package}
        printf "[%s]" "${{COMPREPLY[@]}}" """,
    "zsh": """
        compset() {{ [[ $PREFIX == *=* ]] && PREFIX=${{PREFIX##*=}} }}
        compadd() {{ shift 4; printf "[%s]" $PREFIX "$@" }}
        words=({line}z) CURRENT=$#words PREFIX=y=
        _{package}""",
    "fish": "\nfor word in (complete -C '{line}'); printf '[%s]' $word; end",
}
"""By the shell, how a script asks for what completes a line."""


@pytest.mark.parametrize(("name", "shown"), [
    ("bash", "[{line} ][after ]"), ("zsh", "[{line} ][after ]"), ("fish", "[y=1][y=2]"),
])  # fmt: skip
def test_a_shell_completes_what_the_server_offers(
    run: Run, tmp_path: Path, name: str, shown: str
) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    _, script, _ = run("completion", name)
    command = run("completion")[1].split()[-1]
    line = f"{command} call x y="
    program = tmp_path / command
    answer = {"fish": "printf '%s\\n' y=1 y=2"}.get(name, 'printf "%s \\n" "$3" after')
    program.write_text(f"#!/bin/sh\n{answer}\n")
    program.chmod(0o755)
    asked = ASKED[name].format(package=PACKAGE, line=line, length=len(line))
    done = subprocess.run(
        [name, "-c", f"{script}\n{asked}"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == shown.format(line=line)


def test_values_that_an_argument_may_have_are_offered() -> None:
    schema = {"properties": {
        "genre": {"enum": ["poetry", "prose"]}, "size": True,
    }}  # fmt: skip
    assert list(words_of_call(schema, [])) == ["genre=", "genre=poetry", "genre=prose", "size="]
    assert list(words_of_call(schema, ["genre=poetry"])) == ["size="]
