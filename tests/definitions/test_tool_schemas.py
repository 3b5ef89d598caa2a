"""A tool of a list is read as its author wrote it: its schema is a document of its own."""

import json
from pathlib import Path
from typing import Any

import pytest
from acceptance import refusal, server_of

from mcpgen.ir import Tool
from mcpgen.problems import McpgenError, RefusedError
from mcpgen.render.facts import wire

PARENT = {"type": "object", "properties": {"page_id": {"type": "string"}}, "required": ["page_id"]}
NESTED = {
    "type": "object",
    "properties": {"parent": {"$ref": "#/$defs/Parent"}},
    "required": ["parent"],
    "$defs": {"Parent": PARENT},
}


OLD = {
    "$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"Parent": PARENT},
    **NESTED, "properties": {"parent": {"$ref": "#/definitions/Parent"}},
}  # fmt: skip


def renamed(ref: str, key: str, **more: Any) -> dict[str, Any]:
    """The schema, which finds its definition by a name."""
    definitions = {"Parent": {key: ref, **PARENT}}
    ref = f"#{ref}" if key == "$anchor" else ref
    return {**NESTED, "properties": {"parent": {"$ref": ref}}, "$defs": definitions, **more}


ANCHORED = renamed("parent", "$anchor")
IDENTIFIED = renamed("parent", "$id", **{"$id": "https://example.com/tools/move"})


WORDS = {"name": "move_page", "description": "Move a page."}
MOVE = {**WORDS, "inputSchema": NESTED}


def written(folder: Path, content: Any, name: str = "tools.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def only_tool(folder: Path, content: Any) -> Tool:
    server, problems = server_of(written(folder, content))
    assert {problem.code for problem in problems} <= {"E0454"}
    [tool] = server.tools
    return tool


@pytest.mark.parametrize("content", [
    {"tools": [MOVE]}, MOVE, {**NESTED, "title": "move_page"},
    {"tools": [{**WORDS, "inputSchema": OLD}]}, {"tools": [{**WORDS, "inputSchema": ANCHORED}]},
    {"tools": [{**WORDS, "inputSchema": IDENTIFIED}]}, [{**WORDS, "input_schema": NESTED}],
    [{"type": "function", "function": {**WORDS, "parameters": NESTED}}],
    [{"functionDeclarations": [{**WORDS, "parametersJsonSchema": NESTED}]}],
    [{"toolSpec": {**WORDS, "inputSchema": {"json": NESTED}}}],
], ids="list single-tool schema draft-7 anchor id Anthropic OpenAI Gemini Bedrock".split())  # fmt: skip
def test_a_reference_begins_at_the_schema_of_its_tool(content: Any, tmp_path: Path) -> None:
    tool = only_tool(tmp_path, content)
    assert tool.input_schema["properties"]["parent"] == PARENT
    assert refusal(tool, {"parent": {"page_id": "1"}}) == ""
    assert "page_id" in refusal(tool, {"parent": {}})


def test_two_tools_may_use_one_name_for_different_definitions(tmp_path: Path) -> None:
    other = {**NESTED, "$defs": {"Parent": {"type": "integer"}}}
    tools = [MOVE, {"name": "count", "description": "Count.", "inputSchema": other}]
    server, _ = server_of(written(tmp_path, tools))
    count, move = server.tools
    assert refusal(count, {"parent": 1}) == "" and refusal(move, {"parent": {"page_id": "1"}}) == ""
    assert refusal(move, {"parent": 1})


def test_a_tool_that_refers_to_itself_is_checked_at_every_depth(tmp_path: Path) -> None:
    children = {"type": "array", "items": {"$ref": "#"}}
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": children},
        "required": ["name"],
    }
    tool = only_tool(tmp_path, {"tools": [{"name": "tree", "inputSchema": schema}]})
    leaf = {"name": "leaf"}
    assert refusal(tool, {"name": "root", "children": [{"name": "a", "children": [leaf]}]}) == ""
    assert "name" in refusal(tool, {"name": "root", "children": [{"name": "a", "children": [{}]}]})


def test_definitions_beside_the_list_are_found_too(tmp_path: Path) -> None:
    schema = {key: value for key, value in NESTED.items() if key != "$defs"}
    content = {"tools": [{**WORDS, "inputSchema": schema}], "$defs": {"Parent": PARENT}}
    assert refusal(only_tool(tmp_path, content), {"parent": {}})


@pytest.mark.parametrize("draft", ["draft-04", "draft-07", "draft/2020-12"])
def test_a_meta_schema_is_known_by_its_address(draft: str, tmp_path: Path) -> None:
    scheme = "http" if draft.startswith("draft-") else "https"
    uri = f"{scheme}://json-schema.org/{draft}/schema"
    schema = {"type": "object", "properties": {"schema": {"$ref": f"{uri}#"}}}
    tool = only_tool(tmp_path, [{"name": "add_form", "inputSchema": schema}])
    assert refusal(tool, {"schema": {"properties": {"a": {"type": "string"}}}}) == ""
    assert refusal(tool, {"schema": {"properties": {"a": {"type": "text"}}}})


def schema_with_id(name: str, **properties: Any) -> dict[str, Any]:
    return {
        "$id": f"https://example.com/schemas/{name}.json",
        "title": name,
        "type": "object",
        "properties": properties,
    }


def test_a_reference_relative_to_an_id_finds_the_file_beside_it(tmp_path: Path) -> None:
    written(tmp_path, schema_with_id("address", street={"type": "string"}), "address.json")
    for ref in ("address.json", "https://example.com/schemas/address.json"):
        customer = written(
            tmp_path, schema_with_id("customer", address={"$ref": ref}), "customer.json"
        )
        for source in (customer, tmp_path):
            server, problems = server_of(source)
            assert not len(problems)
            tool = next(tool for tool in server.tools if tool.name == "customer")
            assert refusal(tool, {"address": {"street": "Main"}}) == ""
            assert refusal(tool, {"address": {"street": [1]}})


def test_a_reference_that_cannot_be_followed_costs_one_tool(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}}
    lost = {"name": "lost", "inputSchema": schema}
    missing = {**schema, "properties": {"a": {"$ref": "missing.json"}}}
    server, problems = server_of(
        written(tmp_path, [lost, MOVE, {"name": "gone", "inputSchema": missing}])
    )
    assert [tool.name for tool in server.tools] == ["move_page"]
    assert [(skip.origin.path, skip.code) for skip in server.skips] == [
        ("lost", "E0201"),
        ("gone", "E0204"),
    ]
    messages = {problem.code: problem.message for problem in problems}
    assert "`lost` is left out" in messages["E0201"] and "`gone` is left out" in messages["E0204"]
    with pytest.raises(RefusedError, match="`lost` is left out"):
        server_of(written(tmp_path, [lost]))


AUTHORS_WORDS = {
    "name": "press_key",
    "description": "Press a key on the **keyboard**.\n\n- one\n- two\n" + "More. " * 400 + "End",
    "inputSchema": {"type": "object"},
    "annotations": {"title": "Press Key"},
    "icons": [{"src": "https://example.com/key.png"}],
    "_meta": {"example.com/a": 1},
}


def test_the_words_of_the_author_are_passed_on_as_they_are(tmp_path: Path) -> None:
    listed = wire(only_tool(tmp_path, [AUTHORS_WORDS]))
    assert listed["title"] == listed["annotations"]["title"] == "Press Key"
    for key in ("description", "icons", "_meta"):
        assert listed[key] == AUTHORS_WORDS[key]


def test_arguments_keep_their_order_and_their_texts(tmp_path: Path) -> None:
    said = (
        "Size as `<width>x<height>[,mobile][,touch]`.\n\n- *one*\n" + "More of it. " * 60 + "End."
    )
    properties = {
        "viewport": {"type": "string", "description": said},
        "because": {"type": "string", "description": "Why."},
        "at": {"type": "object", "properties": {"y": {"type": "integer"}, "x": {}}},
    }
    schema = {"type": "object", "properties": properties}
    tool = only_tool(tmp_path, [{"name": "emulate", "inputSchema": schema}])
    listed = tool.input_schema["properties"]
    assert list(listed) == [argument.name for argument in tool.arguments] == list(properties)
    assert list(listed["at"]["properties"]) == ["y", "x"]
    assert [listed[name]["description"] for name in ("viewport", "because")] == [said, "Why."]


def test_texts_that_do_not_fit_the_budget_are_counted(tmp_path: Path) -> None:
    long = {"type": "string", "description": "More of it. " * 800}
    schema = {"type": "object", "properties": {"a": long, "b": long, "c": {"type": "integer"}}}
    server, problems = server_of(written(tmp_path, [{"name": "say", "inputSchema": schema}]))
    [problem] = problems
    assert (problem.code, problem.severity, problem.pointer) == ("E0454", "note", "/tools/0")
    assert "1 text of its arguments" in problem.message
    assert list(server.tools[0].input_schema["properties"]) == ["a", "b", "c"]


def test_arguments_as_docker_lists_them_are_read(tmp_path: Path) -> None:
    arguments = [
        {"name": "query", "type": "string", "desc": "Cypher"},
        {"name": "limit", "type": "integer", "desc": "Rows", "optional": True},
    ]
    content = [{"name": "read-cypher", "description": "Run a query.", "arguments": arguments}]
    tool = only_tool(tmp_path, content)
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Cypher"},
            "limit": {"type": "integer", "description": "Rows"},
        },
        "required": ["query"],
    }
    assert "limit" in refusal(tool, {"query": "a", "limit": "many"})


GEMINI = {
    "name": "get_weather",
    "description": "Get weather.",
    "parameters": {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING"},
            "days": {"type": "INTEGER", "nullable": True},
            "tags": {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "1"},
        },
        "required": ["city"],
    },
}


@pytest.mark.parametrize("content", [
    [{"functionDeclarations": [GEMINI]}], [{"function_declarations": [GEMINI]}],
    {"functionDeclarations": [GEMINI]},
])  # fmt: skip
def test_gemini_is_read_as_gemini_writes_it(content: Any, tmp_path: Path) -> None:
    tool = only_tool(tmp_path, content)
    assert refusal(tool, {"city": "Rome", "days": None, "tags": ["a"]}) == ""
    for wrong in ({}, {"city": [5]}, {"city": "Rome", "tags": []}):
        assert refusal(tool, wrong)


def test_what_is_required_stays_required_where_the_schema_is_not_valid(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "strng"}}, "required": ["a"]}
    server, problems = server_of(written(tmp_path, [{"name": "odd", "inputSchema": schema}]))
    [tool] = server.tools
    assert "E0441" in {problem.code for problem in problems} and "a" in refusal(tool, {})
    assert refusal(tool, {"a": 5}) == ""


def test_names_that_change_and_names_that_come_twice_are_told(tmp_path: Path) -> None:
    names = ["db.query", "db_query", "DB_query", "db_query", "list_pages"]
    tools = [{"name": name, "description": name, "inputSchema": {}} for name in names]
    server, problems = server_of(written(tmp_path, tools))
    listed = {tool.origin.pointer: tool.name for tool in server.tools}
    assert listed["/tools/1"] == "db_query" and listed["/tools/4"] == "list_pages"
    assert len(set(listed.values())) == len(names)
    codes = {problem.pointer: problem.code for problem in problems}
    assert codes == {"/tools/0": "E0452", "/tools/2": "E0452", "/tools/3": "E0451"}


def test_a_name_that_changes_costs_no_text(tmp_path: Path) -> None:
    said = "Ask with `DB_query`, not with `db_query`. " + "More of it. " * 90 + "End."
    names = ["DB_query", "db_query", "db_query"]
    tools = [{"name": name, "description": said, "inputSchema": {}} for name in names]
    server, _ = server_of(written(tmp_path, tools))
    other = next(tool.name for tool in server.tools if tool.origin.pointer == "/tools/0")
    assert {tool.description for tool in server.tools} == {said.replace("DB_query", other)}


def test_a_tool_that_runs_as_a_task_is_told(tmp_path: Path) -> None:
    tools = [
        {"name": name, "inputSchema": {}, "execution": {"taskSupport": support}}
        for name, support in (("slow", "required"), ("quick", "forbidden"))
    ]
    [problem] = server_of(written(tmp_path, tools))[1]
    assert (problem.code, problem.pointer) == ("E0453", "/tools/0/execution")


def test_a_title_that_repeats_the_name_is_no_description(tmp_path: Path) -> None:
    paid, due_at = {"type": "boolean"}, {"type": "string"}
    said = "Whether it was paid"
    properties = {"due_at": due_at | {"title": "Due At"}, "paid": paid | {"title": said}}
    schema = {"type": "object", "title": "payArguments", "properties": properties}
    server, _ = server_of(written(tmp_path, [{"name": "pay", "inputSchema": schema}]))
    listed = {"due_at": due_at, "paid": paid | {"description": said}}
    assert server.tools[0].input_schema["properties"] == listed


def test_an_argument_that_takes_no_value_says_so(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"not": {}}, "b": {"not": True}}}
    server, _ = server_of(written(tmp_path, [{"name": "a", "inputSchema": schema}]))
    for name in ("a", "b"):
        assert f"`{name}` takes no value" in refusal(server.tools[0], {name: 1})


def test_a_tool_without_a_schema_is_told(tmp_path: Path) -> None:
    tools = [
        {"name": "a", "description": "A."},
        {"name": "b", "inputSchema": None},
        {"type": "function", "name": "c", "description": "C."},
        {"name": "d", "description": "D.", "takes": {"city": {"type": "str"}}},
        {"name": "e", "description": "E.", "parameters": '{"type": "object"}'},
    ]
    server, problems = server_of(written(tmp_path, tools))
    assert len(server.tools) == 5
    assert [(problem.code, problem.severity, problem.pointer) for problem in problems] == [
        ("E0450", "note", "/tools/0"),
        ("E0450", "note", "/tools/1"),
        ("E0450", "warning", "/tools/3"),
        ("E0450", "warning", "/tools/4"),
    ]
    unread, is_text = list(problems)[2:]
    assert unread.notes == ("not read: `takes`",) and "is no object" in is_text.message


@pytest.mark.parametrize(("content", "code", "advice"), [
    ([], "E0121", "tools"),
    ([{"title": "Weather", "type": "object", "properties": {}}], "E0121", "inputSchema"),
    ({"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "fetch failed"}}, "E0121",
     "fetch failed"),
])  # fmt: skip
def test_a_list_without_tools_is_called_that(
    content: Any, code: str, advice: str, tmp_path: Path
) -> None:
    with pytest.raises(McpgenError) as caught:
        server_of(written(tmp_path, content))
    [problem] = caught.value.problems
    assert problem.code == code and advice in f"{problem.message} {problem.hint}"
    assert "openapi" not in problem.hint.lower()


def test_a_type_of_python_is_read_however_long_it_is(tmp_path: Path) -> None:
    arguments = [{"name": "deep", "type": "List[" * 3_000 + "str" + "]" * 3_000}]
    tools = [{"name": "dig", "arguments": arguments}]
    server, problems = server_of(written(tmp_path, tools))
    assert list(server.tools[0].input_schema["properties"]) == ["deep"] and len(list(problems)) > 0


def test_names_do_not_depend_on_the_order_of_a_list(tmp_path: Path) -> None:
    found = set()
    for names in (["42", "42!", "Search", "SEARCH"], ["SEARCH", "Search", "42!", "42"]):
        tools = [{"name": name, "description": name, "inputSchema": {}} for name in names]
        server, _ = server_of(written(tmp_path, tools))
        found.add(frozenset((tool.origin.operation_id, tool.name) for tool in server.tools))
    assert len(found) == 1
