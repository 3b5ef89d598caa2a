"""Every way people write tools down becomes the same tool, and is called by its name."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from acceptance import refusal, server_of

from mcpgen.config import Config
from mcpgen.pipeline import understand
from mcpgen.problems import McpgenError, Problems

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["title"],
}
FLAGS = {"title": {"type": "str", "required": True}, "limit": {"type": "int"}}
WORDS = {"name": "find_book", "description": "Find a book."}
MCP = {**WORDS, "inputSchema": SCHEMA}

DIALECTS: dict[str, tuple[Any, str]] = {
    "MCP list": ({"tools": [MCP]}, "MCP tools list"),
    "bare array": ([MCP], "MCP tools list"), "one tool": (MCP, "MCP tools list"),
    "answer": ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
        "captured answer to tools/list"),
    "Bedrock request": (
        {"toolConfig": {"tools": [{"toolSpec": {**WORDS, "inputSchema": {"json": SCHEMA}}}]}},
        "Bedrock tools"),
    "Chat Completions": ([{"type": "function", "function": {**WORDS, "parameters": SCHEMA}}],
        "OpenAI function definitions (Chat Completions)"),
    "Responses": ([{"type": "function", **WORDS, "parameters": SCHEMA}],
        "OpenAI function definitions (Responses)"),
    "request body": (
        {"model": "some",
         "tools": [{"type": "function", "function": {**WORDS, "parameters": SCHEMA}}]},
        "OpenAI function definitions (Chat Completions)"),
    "functions": ({"functions": [{**WORDS, "parameters": SCHEMA}]}, "OpenAI function definitions"),
    "Anthropic": ([{**WORDS, "input_schema": SCHEMA}], "Anthropic tools"),
    "Gemini": ({"tools": [{"functionDeclarations": [{**WORDS, "parameters": SCHEMA}]}]},
        "Gemini function declarations"),
    "LangChain": ([{**WORDS, "args_schema": SCHEMA}], "LangChain tools"),
    "LangChain's args": (
        [{**WORDS,
          "args": {"title": {"type": "string"}, "limit": {"type": "integer", "default": 1}}}],
        "LangChain tools"),
    "Cohere": ({"tools": [{**WORDS, "parameterDefinitions": FLAGS}]}, "Cohere tools"),
    "Bedrock action group": ({"functionSchema": {"functions": [{**WORDS, "parameters": FLAGS}]}},
        "Bedrock action group"),
    "smolagents": (
        [{**WORDS, "inputs": {
            "title": {"type": "string"}, "limit": {"type": "integer", "nullable": True}}}],
        "smolagents tools"),
    "UTCP": ({"tools": [{**WORDS, "inputs": SCHEMA, "tool_call_template": {}}]}, "UTCP manual"),
    "Realtime session": (
        {"type": "session.update",
         "session": {"tools": [{"type": "function", **WORDS, "parameters": SCHEMA}]}},
        "OpenAI function definitions (Responses)"),
    "tools by their names": (
        {"tools": {"find_book": {"description": "Find a book.", "inputSchema": SCHEMA}}},
        "MCP tools list"),
    "AI SDK's jsonSchema()": (
        {"tools": {"find_book": {**WORDS, "inputSchema": {"jsonSchema": SCHEMA}}}},
        "MCP tools list"),
    "namespace of OpenAI's": (
        [{"type": "namespace", "name": "books", "description": "Books.",
          "tools": [{"type": "function", **WORDS, "parameters": SCHEMA}]}],
        "OpenAI function definitions (Responses)"),
    "pages of answers": (
        [{"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP], "nextCursor": "1"}},
         {"jsonrpc": "2.0", "id": 2, "result": {"tools": []}}],
        "captured answer to tools/list"),
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_is_recognised_and_becomes_the_tool(dialect: str, tmp_path: Path) -> None:
    source, recognised = DIALECTS[dialect]
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(source))
    server, problems = server_of(path)
    [found] = server.tools
    assert (found.name, found.input_schema["required"]) == ("find_book", ["title"])
    assert set(found.input_schema["properties"]) == {"title", "limit"}
    assert found.description.startswith("Find a book.") and server.recognised == recognised
    assert not len(problems) and not server.calls_api


def test_an_answer_as_an_event_carries_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shop.txt"
    answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}})
    path.write_text(f"event: message\ndata: {answer}\n\n")
    server, problems = server_of(path)
    assert [tool.name for tool in server.tools] == ["find_book"]
    assert server.recognised == "captured answer to tools/list" and not len(problems)


@pytest.mark.parametrize(("said", "words"), [
    ("http://json-schema.org/draft-04/schema#", {"minimum": 1, "exclusiveMinimum": True}),
    ("http://json-schema.org/draft-06/schema#", {"exclusiveMinimum": 1}),
    ("http://json-schema.org/draft-07/schema#", {"exclusiveMinimum": 1}),
    ("https://json-schema.org/draft/2019-09/schema", {"exclusiveMinimum": 1}),
    ("https://json-schema.org/draft/2020-12/schema", {"exclusiveMinimum": 1}),
])  # fmt: skip
def test_a_schema_means_its_own_draft(said: str, words: dict[str, Any], tmp_path: Path) -> None:
    schema = {
        "$schema": said,
        "title": "Find book",
        "type": "object",
        "properties": {
            "limit": {"type": "integer", **words}, "day": {"type": "string", "format": "date"},
        },
    }  # fmt: skip
    path = tmp_path / "any.schema.json"
    path.write_text(json.dumps(schema))
    server, _ = server_of(path)
    [found] = server.tools
    assert (found.name, server.recognised) == ("find_book", "JSON Schema")
    assert refusal(found, {"limit": 2}) == "" and "limit" in refusal(found, {"limit": 1})
    assert refusal(found, {"day": "2026-01-31"}) == ""
    assert "`day` must be a date such as `2026-01-31`" in refusal(found, {"day": "any"})


def test_a_schema_without_a_draft_is_read_as_the_one_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "limit.json"
    path.write_text('{"minimum": 1, "exclusiveMinimum": true}')
    with pytest.raises(McpgenError):
        server_of(path)
    [found] = server_of(path, draft="4")[0].tools
    assert refusal(found, {"value": 2}) == "" and refusal(found, {"value": 1})
    path.write_text('{"properties": {"a": {"id": "#a", "type": "string"}, "b": {"$ref": "#a"}}}')
    [found] = server_of(path, draft="4")[0].tools
    assert refusal(found, {"b": "x"}) == "" and refusal(found, {"b": [1]})


def test_beside_a_reference_older_drafts_ignore_everything(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    schema = {"definitions": {"name": {"type": "string"}}, "type": "object"}
    for draft, verdict in (("7", False), ("2019-09", True)):
        part = {"$ref": "#/definitions/name", "maxLength": 1}
        path.write_text(json.dumps({**schema, "properties": {"name": part}}))
        [found] = server_of(path, draft=draft)[0].tools
        assert bool(refusal(found, {"name": "long"})) is verdict


def test_of_a_document_of_definitions_the_ones_nobody_refers_to_are_tools(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    defs = yaml.safe_load("""
        Page: {type: object, properties: {size: {type: integer}}}
        FindBook: {type: object, properties: {page: {$ref: '#/$defs/Page'}}}
        AddBook: {type: object, description: Add a book., properties: {title: {type: string}}}
        Word: {type: string}
    """)
    path.write_text(json.dumps({"$defs": defs}))
    server, _ = server_of(path)
    assert [found.name for found in server.tools] == ["AddBook", "FindBook"]
    assert [skip.reason for skip in server.skips] == ["not an object's schema"]


def test_a_folder_is_one_server_with_a_tool_for_each_schema(tmp_path: Path) -> None:
    for name in ("find_book", "add_book"):
        (tmp_path / f"{name}.schema.json").write_text(
            json.dumps({"type": "object", "properties": {"a": {}}})
        )
    server, _ = server_of(tmp_path)
    assert [found.name for found in server.tools] == ["add_book", "find_book"]
    assert server.recognised == "2 × JSON Schema"


def test_tools_stand_beside_an_api(tmp_path: Path) -> None:
    api = yaml.safe_load("""
        openapi: '3.1.0'
        info: {title: Shop, version: '1'}
        servers: [{url: https://example.com}]
        paths: {/books: {get: {operationId: listBooks, responses: {'200': {description: ok}}}}}
    """)
    (tmp_path / "openapi.json").write_text(json.dumps(api))
    (tmp_path / "own.json").write_text(json.dumps([MCP]))
    server, _ = server_of([tmp_path / "openapi.json", tmp_path / "own.json"])
    assert {found.name: found.request is None for found in server.tools} == {
        "find_book": True,
        "list_books": False,
    }
    assert server.calls_api


def test_what_is_said_under_x_mcp_holds(tmp_path: Path) -> None:
    said = {
        "name": "count_pages",
        "toolset": "library",
        "annotations": {"readOnlyHint": True, "idempotentHint": True},
        "outputSchema": {"type": "array", "items": {"type": "integer"}},
    }
    path = tmp_path / "book.json"
    path.write_text(
        json.dumps({"title": "Book", "type": "object", "properties": {"a": {}}, "x-mcp": said})
    )
    server, _ = server_of(path)
    [toolset] = server.toolsets
    [found] = toolset.tools
    assert (toolset.name, found.name, found.hints.read_only) == ("library", "count_pages", True)
    assert found.output_schema is not None and set(found.output_schema["properties"]) == {"result"}


def test_names_are_kept_and_others_stay_reachable(tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    names = ["find-book", "list", "books.list", "Add_Book", "x" * 80]
    path.write_text(json.dumps([{**MCP, "name": name} for name in names]))
    server, _ = server_of(path)
    called = {found.origin.operation_id: found.name for found in server.tools}
    assert (called["find-book"], called["Add_Book"]) == ("find-book", "Add_Book")
    assert called["list"] != "list"
    for name in ("list", "books.list", "x" * 80):
        assert dict(server.aliases)[name] == called[name]


def test_a_tool_that_the_provider_runs_is_left_out_and_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    provided = [
        {"type": "web_search"},
        {"type": "bash_20250124", "name": "bash"},
        {"codeExecution": {}},
    ]
    path.write_text(json.dumps({"tools": [*provided, {**WORDS, "input_schema": SCHEMA}]}))
    server, problems = server_of(path)
    assert server.recognised == "Anthropic tools"
    assert [(problem.severity, problem.pointer) for problem in problems] == [
        ("note", "/tools/0"),
        ("note", "/tools/1"),
        ("note", "/tools/2"),
    ]
    assert "`bash_20250124`" in server.skips[1].reason


def test_an_entry_that_is_no_tool_is_told_and_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps([MCP, {"oops": 1}, 7]))
    server, problems = server_of(path)
    assert [found.name for found in server.tools] == ["find_book"]
    assert [problem.code for problem in problems] == ["E0440", "E0440"] and len(server.skips) == 2


def test_a_problem_of_a_bare_list_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "bare.json"
    path.write_text(json.dumps([MCP, {"oops": 1}], indent=1))
    problems = Problems()
    document, _ = understand(Config(sources=(str(path),)), problems)
    [problem] = problems
    line = path.read_text().split("\n").index('  "oops": 1')
    assert document.place(problem.pointer).line == line
