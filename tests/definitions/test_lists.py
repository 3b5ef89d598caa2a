"""Lists of tools that real public servers gave: every tool is listed and checked exactly."""

import json
from pathlib import Path
from typing import Any

import pytest
from acceptance import checker, refusal, server_of
from jsonschema import Draft202012Validator

from mcpgen.config import Selection
from mcpgen.problems import McpgenError
from mcpgen.render import render

CAPTURED = Path(__file__).parents[3] / "shared" / "corpus" / "tool_lists"
TEXT, WHOLE, NUMBER, FLAG = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))


def takes(required: str = "", /, **properties: Any) -> dict[str, Any]:
    """An object's schema: the names it needs, and its properties."""
    return {"type": "object", "properties": properties, "required": required.split()}


def many(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


CLOSED = {"additionalProperties": False}
OFF = {**FLAG, "default": False}
EDIT = takes("oldText newText", oldText=TEXT, newText=TEXT)
ENTITY = takes("name", name=TEXT, entityType=TEXT, observations=many(TEXT))
ONE_LONG = {"default": 5000, "exclusiveMinimum": 0, "exclusiveMaximum": 1000000}
NOTION = {"Notion-Version": TEXT}
LISTS: dict[str, dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "filesystem": {
        "read_text_file": (
            takes("path", path=TEXT, tail=NUMBER, head=NUMBER), {"path": "/a", "head": 3}),
        "edit_file": (
            takes("path edits", path=TEXT, edits=many(EDIT), dryRun=OFF) | CLOSED,
            {"path": "/a", "edits": [{"oldText": "a", "newText": "b"}]}),
    },
    "memory": {
        "create_entities": (
            takes("entities", entities=many(ENTITY)),
            {"entities": [{"name": "a", "entityType": "b", "observations": ["c"]}]}),
        "read_graph": (takes(), {}),
    },
    "fetch": {"fetch": (
        takes("url", url={**TEXT, "format": "uri", "minLength": 1}, max_length=WHOLE | ONE_LONG,
              raw=OFF),
        {"url": "https://example.com", "max_length": 10})},
    "time": {
        "get_current_time": (takes("timezone", timezone=TEXT), {"timezone": "UTC"}),
        "convert_time": (
            takes("time", source_timezone=TEXT, time=TEXT, target_timezone=TEXT),
            {"time": "16:30"}),
    },
    "thinking": {"sequentialthinking": (
        takes("thought nextThoughtNeeded thoughtNumber", thought=TEXT, nextThoughtNeeded=FLAG,
              thoughtNumber={**WHOLE, "minimum": 1}, branchId=TEXT),
        {"thought": "a", "nextThoughtNeeded": True, "thoughtNumber": 1})},
    "git": {
        "git_diff": (
            takes("repo_path target", repo_path=TEXT, target=TEXT, context_lines=WHOLE),
            {"repo_path": "/a", "target": "b"}),
        "git_log": (
            takes("repo_path", repo_path=TEXT, max_count=WHOLE,
                  start={"anyOf": [TEXT, {"type": "null"}], "default": None}),
            {"repo_path": "/a", "start": None}),
    },
    "code host": {
        "create_pull_request": (
            takes("owner repo title head base", owner=TEXT, repo=TEXT, title=TEXT, head=TEXT,
                  base=TEXT, draft=FLAG),
            {"owner": "a", "repo": "b", "title": "c", "head": "d", "base": "e"}),
        "list_issues": (
            takes("owner repo", owner=TEXT, repo=TEXT, state={"enum": ["open", "closed", "all"]},
                  labels=many(TEXT)),
            {"owner": "a", "repo": "b", "state": "open"}),
    },
    "documentation": {
        "resolve-library-id": (takes("libraryName", libraryName=TEXT) | CLOSED, {"libraryName": "a"}),
        "get-library-docs": (
            takes("context7CompatibleLibraryID", context7CompatibleLibraryID=TEXT, topic=TEXT,
                  tokens=NUMBER),
            {"context7CompatibleLibraryID": "/a/b", "tokens": 5000}),
    },
    "browser": {
        "browser_click": (
            takes("element ref", element=TEXT, ref=TEXT) | CLOSED, {"element": "a", "ref": "e1"}),
        "browser_select_option": (
            takes("element ref values", element=TEXT, ref=TEXT, values=many(TEXT)),
            {"element": "a", "ref": "e1", "values": ["b"]}),
        "browser_snapshot": ({"type": "object"}, {}),
    },
    "notes": {"API-post-search": (
        takes(query=TEXT, filter={"type": "object", "additionalProperties": True},
              page_size={**WHOLE, "default": 100}, **NOTION),
        {"query": "a", "Notion-Version": "2025-09-03", "filter": {"value": "page"}})},
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_a_list_goes_in_whole_and_its_calls_are_taken(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    tools = [
        {"name": tool, "description": tool, "inputSchema": given}
        for tool, (given, _) in LISTS[name].items()
    ]
    path.write_text(json.dumps({"tools": tools}))
    server, problems = server_of(path)
    assert not len(problems)
    assert {tool.origin.operation_id for tool in server.tools} == set(LISTS[name])
    render(server)
    for tool in server.tools:
        given, call = LISTS[name][str(tool.origin.operation_id)]
        assert Draft202012Validator(given).is_valid(call) and refusal(tool, call) == ""
        for wrong in ({**call, "no_such_argument": 1}, *({**call, key: [{}]} for key in call)):
            assert refusal(tool, wrong), wrong
        for key in given.get("required", ()):
            assert key in refusal(
                tool, {name: value for name, value in call.items() if name != key}
            )


def test_a_tool_of_a_list_that_a_filter_leaves_out_is_counted(tmp_path: Path) -> None:
    tools = [{"name": name, "inputSchema": takes()} for name in ("read_a", "read_b", "write_c")]
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": tools}))
    server, _ = server_of(path, selection=Selection(exclude_operations=("read_*",)))
    assert [tool.name for tool in server.tools] == ["write_c"]
    skips = [(skip.origin.operation_id, skip.filtered) for skip in server.skips]
    assert skips == [("read_a", True), ("read_b", True)]


@pytest.mark.skipif(not CAPTURED.is_dir(), reason="the captured lists are not here")
def test_captured_lists_become_every_tool_or_say_why_not() -> None:
    counts: dict[str, int] = {}
    for path in sorted(CAPTURED.glob("*.json")):
        data = json.loads(path.read_text())
        given = data if isinstance(data, list) else data.get("tools", [])
        try:
            server, _ = server_of(path)
        except McpgenError as error:
            assert given == [] and "no tool" in error.problems[0].message
            continue
        assert len(server.tools) == len(given)
        render(server)
        for tool in server.tools:
            checker(tool)
        counts[path.name] = len(given)
    assert len(counts) >= 8
