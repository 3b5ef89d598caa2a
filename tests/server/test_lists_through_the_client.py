"""A generated server with a list, called by the official client: the call chooses, nothing of the
choice reaches the API, and what comes back fits the listed output schema.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import jsonschema_rs
import pytest
from mcp import Client

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from tests.generated import importable, written
from tests.loopback import JSON, Asked, Loopback

PACKAGE = "listing_mcp"
TEXT = {"type": "string"}
ITEM = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"}, "name": TEXT, "html_url": TEXT, "events_url": TEXT,
        "owner": {"type": "object", "properties": {"login": TEXT, "id": {"type": "integer"}}}},
}  # fmt: skip
ENVELOPE = {
    "type": "object",
    "properties": {"total": {"type": "integer"}, "things": {"type": "array", "items": ITEM}},
}
ITEMS = [{
    "id": number, "name": f"thing {number}", "html_url": f"https://example.com/{number}",
    "events_url": f"https://api.example.com/things/{number}/events",
    "owner": {"login": "ada", "id": 1},
} for number in range(60)]  # fmt: skip


def operation(name: str, schema: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {
        "operationId": name,
        "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}],
        "responses": {"200": {"description": "OK", "content": content}},
    }


class Upstream(Loopback):
    """An API with two lists."""

    targets: ClassVar[list[str]] = []

    def __init__(self) -> None:
        super().__init__(self.answered)

    def answered(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        self.targets.append(asked.target)
        wrapped = {"total": 100, "things": ITEMS}
        data = wrapped if asked.target.startswith("/wrapped") else ITEMS
        return 200, JSON, json.dumps(data).encode()


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server = Upstream()
    server.targets.clear()
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Listing", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {
            "/plain": {"get": operation("listPlain", {"type": "array", "items": ITEM})},
            "/wrapped": {"get": operation("listThings", ENVELOPE)},
        },
    }
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document))
    files = pipeline.generate(Config(sources=(str(path),)), Problems())[2]
    source = written(files, tmp_path) / "src"
    with importable(source, PACKAGE, LISTING_MCP_BASE_URL=server.url) as module:
        yield module("runtime.app").App(PACKAGE)
    server.close()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("name", ["list_plain", "list_things"])
@pytest.mark.parametrize("fields", [None, ["all"], ["id", "owner.login"], ["nope"]])
def test_every_choice_of_fields_fits_the_listed_output_schema(
    app: Any, mode: str, name: str, fields: Any
) -> None:
    arguments = {"page": 2} | ({"fields": fields} if fields else {})

    async def run() -> Any:
        async with Client(app.server, mode=mode) as client:
            listed = await client.list_tools()
            return listed.tools, await client.call_tool(name, arguments)

    tools, result = asyncio.run(run())
    [tool] = [tool for tool in tools if tool.name == name]
    assert not result.is_error, result.content[0].text
    assert jsonschema_rs.is_valid(tool.output_schema, result.structured_content)
    shown = json.loads(result.content[0].text)
    key = "result" if name == "list_plain" else "things"
    items = result.structured_content[key]
    assert items == (shown if name == "list_plain" else shown["things"])
    expected = {
        None: {
            "id": 3,
            "name": "thing 3",
            "html_url": "https://example.com/3",
            "owner": {"login": "ada", "id": 1},
        },
        "all": ITEMS[3],
        "id": {"id": 3, "owner": {"login": "ada"}},
    }
    expected["nope"] = expected[None]
    assert items[3] == expected[fields[0] if fields else None]
    assert [target.partition("?")[2] for target in Upstream.targets] == ["page=2"]
