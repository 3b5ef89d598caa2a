"""Documents with mistakes: the command says in words what is wrong, where, and what to do. What
is no document at all is in `load/test_load_bad_input.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import run

from .conftest import Generate
from .shop import document, operation, query, single

HEAD = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\n"


def with_schema(schema: dict[str, Any], version: str = "3.0.3") -> str:
    """A document with a schema, as JSON."""
    return json.dumps(
        document({"/x": {"get": operation(parameters=[query(**schema)])}}, openapi=version)
    )


def with_operation(**more: Any) -> str:
    """A document with an operation, as JSON."""
    return json.dumps(document({"/x": {"get": operation(**more)}}, openapi="3.0.3"))


ROWS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "no title": (
        "a.yaml", "openapi: 3.0.3\ninfo: {version: '1'}\npaths: {}\n", ("`title` is missing",)),
    "no info": ("a.yaml", "openapi: 3.0.3\npaths: {}\n", ("`info` is missing",)),
    "no paths": ("a.yaml", HEAD, ("`paths` is missing",)),
    "parameters": ("a.json", with_operation(parameters={"a": 1}), ("must be a list",)),
    "responses": ("a.json", with_operation(responses=[]), ("must be an object",)),
    "tags": ("a.json", with_operation(tags="x"), ("must be a list",)),
    "Query": ("a.json", with_operation(parameters=[{"name": "q", "in": "Query"}]),
        ("did you mean `query`",)),
    "body": ("a.json", with_operation(parameters=[{"name": "q", "in": "body"}]), ('`"body"` is not one of',)),
    "int": ("a.json", with_schema({"type": "int"}), ("read as `integer`",)),
    "date": ("a.json", with_schema({"type": "date"}), ("read as `string`",)),
    "misspelt": ("a.json",
        json.dumps(document(
            {"/x": {"get": operation(parameters=[query(**{"$ref": "#/components/schemas/pet"})])}},
            components={"schemas": {"Pet": {"type": "string"}}})),
        ("Pet", "did you mean")),
    "siblings": ("a.json",
        json.dumps(document({"/x": {"get": operation(parameters=[query(**{
                "$ref": "#/components/schemas/P", "maxLength": 3})])}},
            openapi="3.0.3", components={"schemas": {"P": {"type": "string"}}})),
        ("maxLength", "$ref")),
    "remote": ("a.yaml", HEAD + "paths: {/x: {$ref: 'ftp://evil.example/x'}}\n",
        ("download it and use a relative path",)),
    "duplicate": ("a.json",
        json.dumps(document({"/x": {
            "get": operation(operationId="a"), "put": operation(operationId="a")}})),
        ("operationId `a` is that of `GET /x` too",)),
    "undeclared": (
        "a.json", with_operation(security=[{"key": []}]), ("`key` is used but not declared",)),
    "unsupported": ("a.json",
        json.dumps(document(
            components={"securitySchemes": {"m": {"type": "http", "scheme": "digest"}}},
            security=[{"m": []}])),
        ("not supported",)),
    "nullable": (
        "a.json", with_schema({"type": "string", "nullable": True}, "3.1.0"), ("nullable",)),
    "mixed": ("a.json",
        json.dumps(single("post", requestBody={"content": {
            "multipart/mixed": {}}})),
        ("skipped", "multipart/mixed")),
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are named without their folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("row", ROWS)
def test_each_fault_is_told_in_words_with_its_place(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content, told = ROWS[row]
    (tmp_path / name).write_text(content)
    code = run(["lint", name])
    shown = capsys.readouterr()
    text = shown.out + shown.err
    assert code in (0, 1, 3) and "Traceback" not in text
    assert name in text
    flat = " ".join(text.split())
    assert [words for words in told if words not in flat] == [], text


@pytest.mark.parametrize("paths", [{}, {"/x": {}}])
def test_nothing_to_generate_is_told(generate: Generate, paths: dict[str, Any]) -> None:
    result = generate(document(paths))
    assert result.code == 1
    assert "the document has no operations: nothing was written" in result.err
    assert not result.files


def test_a_filter_that_leaves_nothing_is_told(generate: Generate) -> None:
    result = generate(document(), "--include-tag", "boks")
    assert result.code == 2
    assert "`boks` matches no tag of the document" in result.err
    assert not result.files


@pytest.mark.parametrize("servers", [[], [{"url": "/v1"}], [{"url": "https://{host}/v1"}]])
def test_a_server_that_is_not_known_is_asked_for(generate: Generate, servers: Any) -> None:
    result = generate(document(servers=servers))
    assert "SHOP_MCP_BASE_URL" in result.out or "--base-url" in result.out


def test_an_example_that_does_not_fit_harms_nothing(generate: Generate) -> None:
    given = single(parameters=[query(type="integer", example="x", default="y")])
    result = generate(given)
    assert result.code == 0
    assert '"y"' not in result.files["src/shop_mcp/tools/general.json"]


def test_an_unknown_flag_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", "x.yaml", "--outptu", "d"]) == 2
    assert "--output" in capsys.readouterr().err
