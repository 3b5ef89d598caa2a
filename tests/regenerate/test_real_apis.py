"""Three real APIs of three versions of OpenAPI, with equal paths and tags, two functions and a
workflow, in one server: seen alike by every command.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from mcp import Client

from mcpgen.live.tools import running_tools
from tests.commands import Command
from tests.generated import importable
from tests.loopback import Recorder, recorders
from tests.workbench.conftest import Pages

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("MCPGEN_CORPUS", ROOT.parent / "shared" / "corpus"))
DOCUMENTS = {"slack": "swagger2/slack.json", "box": "openapi/box.json", "ai": "openapi/openai.yaml"}
pytestmark = pytest.mark.skipif(
    not all((CORPUS / path).is_file() for path in DOCUMENTS.values()),
    reason="no real documents beside the checkout (../shared/corpus)",
)
SELECTED = {"slack": ["files", "users"], "box": ["Files", "Users"], "ai": ["Files", "Users"]}
FUNCTIONS = '''
from .. import tool


@tool(read_only=True)
async def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())


@tool(read_only=True)
async def shout(text: str) -> str:
    """Return a text in capitals."""
    return text.upper()
'''
STEPS = [
    {"stepId": name, "operationId": f"$sourceDescriptions.{name}.{operation}",
     "parameters": [{"name": "file_id", "in": "path", "value": "$inputs.id"}],
     "outputs": {"seen": "$response.body#/id"}}
    for name, operation in (("box", "get_files_id"), ("ai", "retrieveFile"))
]  # fmt: skip
FLOW = {
    "arazzo": "1.0.1", "info": {"title": "Flows", "version": "1"},
    "sourceDescriptions": [{"name": name, "url": f"{name}.json"} for name in ("box", "ai")],
    "workflows": [{
        "workflowId": "compareFiles", "summary": "Read a file in both places.", "steps": STEPS,
        "inputs": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
        "outputs": {name: f"$steps.{name}.outputs.seen" for name in ("box", "ai")},
    }],
}  # fmt: skip
MIXED = {"count_words", "shout", "compare_files"}


@pytest.fixture
def apis() -> Iterator[dict[str, Recorder]]:
    """A stand-in for each API."""
    with recorders(DOCUMENTS, b'{"id": "f1", "ok": true}') as apis:
        yield apis


@pytest.fixture
def office(
    tmp_path: Path, apis: dict[str, Recorder], mcpgen: Command, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The project, with the documents beside its `mcpgen.toml`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCPGEN_PYTHON", sys.executable)
    lines = ['name = "office"', "code = true", "[source]", 'workflows = ["flow.json"]']
    for name, path in DOCUMENTS.items():
        document = yaml.load((CORPUS / path).read_text("utf-8"), yaml.CSafeLoader)
        paths = document["paths"].items()
        document["paths"] = {path: item for path, item in paths if re.search("file|user", path)}
        Path(f"{name}.json").write_text(json.dumps(document, default=str))
        lines += [f"[apis.{name}]", f'path = "{name}.json"', f'base_url = "{apis[name].url}/v1"']
        lines += [f"[apis.{name}.select]", f"include_tags = {json.dumps(SELECTED[name])}"]
    Path("mcpgen.toml").write_text("\n".join(lines))
    Path("flow.json").write_text(json.dumps(FLOW))
    custom = tmp_path / "src" / "office_mcp" / "custom"
    custom.mkdir(parents=True)
    (custom / "own.py").write_text(FUNCTIONS)
    done = mcpgen("generate")
    assert done.code == 0, done.said
    return tmp_path


def edited(name: str, path: str) -> None:
    """Make an argument of an operation of one API required that was not there."""
    document = json.loads(Path(f"{name}.json").read_text())
    new = {"name": "since", "in": "query", "required": True, "schema": {"type": "string"}}
    if name == "slack":
        new = {"name": "since", "in": "query", "required": True, "type": "string"}
    document["paths"][path]["get"].setdefault("parameters", []).append(new)
    Path(f"{name}.json").write_text(json.dumps(document, default=str))


def called(mode: str, *calls: tuple[str, dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The names of the listed tools, and the texts of the results of calls."""
    keys = {"BOX_OAUTH2_SECURITY_TOKEN": "of-box", "AI_API_KEY_AUTH_TOKEN": "of-ai"}
    settings = {"ALLOW_PRIVATE": "true", "SLACK_SLACK_AUTH_TOKEN": "of-slack", **keys}
    settings = {f"OFFICE_MCP_{name}": value for name, value in settings.items()}
    with importable(Path("src").resolve(), "office_mcp", **settings) as module:
        app = module("runtime.app").App("office_mcp", mode=mode)

        async def go() -> tuple[list[str], list[str]]:
            async with Client(app.server) as client:
                tools = [tool.name for tool in (await client.list_tools()).tools]
                results = [await client.call_tool(*call) for call in calls]
            return tools, [result.content[0].text for result in results]  # type: ignore[union-attr]

        return asyncio.run(go())


def test_three_real_apis_two_functions_and_a_workflow_are_one_list(
    office: Path, apis: dict[str, Recorder], mcpgen: Command
) -> None:
    file = {"file_id": "f1"}
    tools, texts = called(
        "", ("box_get_file", file), ("ai_retrieve_file", file), ("slack_users_list", {"token": "x"}),
        ("shout", {"text": "a b"}), ("count_words", {"text": "a b"}), ("compare_files", {"id": "f1"}),
    )  # fmt: skip
    assert len(tools) == len(set(tools)) and set(tools) > MIXED
    assert texts[3:5] == ["A B", "2"] and json.loads(texts[5]) == {"box": "f1", "ai": "f1"}, texts
    for name, targets in {
        "box": ["/v1/files/f1"] * 2, "ai": ["/v1/files/f1"] * 2, "slack": ["/v1/users.list"],
    }.items():  # fmt: skip
        asked = apis[name].asked
        assert [each.target.partition("?")[0] for each in asked] == targets
        assert {each.fields["authorization"] for each in asked} == {f"Bearer of-{name}"}

    program = """
    box = await box_get_file(file_id="f2")
    n = await count_words(text=await shout(text="a b c"))
    return [box["id"], n]
    """
    stubs, answers = called("--code", ("run_code", {"code": dedent(program)}))
    assert stubs == ["search_tools", "run_code"] and json.loads(answers[0]) == ["f1", 3], answers

    listed = {line.partition("(")[0] for line in mcpgen("list").out.splitlines()}
    facts = json.loads(mcpgen("inspect", "--json").out)
    whole = json.dumps(running_tools(Path()), separators=(",", ":")).encode()
    scored = json.loads(mcpgen("score", "--json").out)
    assert facts["list"]["bytes"] == len(whole)
    assert listed == set(tools) == {tool["name"] for tool in scored["tools"]}
    assert mcpgen("inspect", "--html", "tools.html").code == 0
    page = Path("tools.html").read_text("utf-8")
    assert all(f">{name}</span>" in page for name in tools)
    assert all(f"{api.url}/v1" in page for api in apis.values())
    workbench = Pages(".")
    workbench.pages.caller.close()
    overview, rows = workbench.get("/"), workbench.get("/tools")
    assert f"<dd>{len(tools)}</dd>" in overview and f"{facts['list']['tokens']:,}" in overview
    assert all(f">{name}<" in overview + rows for name in tools)


def test_each_real_api_is_compared_and_generated_alone(office: Path, mcpgen: Command) -> None:
    changes = {"slack": "/users.list", "box": "/files/{file_id}", "ai": "/files"}
    for name, path in changes.items():
        package = Path("src/office_mcp/tools")
        before = {each.name: each.read_bytes() for each in package.iterdir() if each.is_file()}
        edited(name, path)
        said = mcpgen("diff").out
        found = re.findall(r"`((?:slack|box|ai)_\w+)`", said)
        assert found and {word.partition("_")[0] for word in found} == {name}, said
        assert mcpgen("generate", "--accept-changes").code == 0
        after = {each.name: each.read_bytes() for each in package.iterdir() if each.is_file()}
        moved = {each for each in after if after[each] != before.get(each)}
        assert moved and {each.partition("_")[0] for each in moved} == {name}, moved
    assert mcpgen("diff").said == "nothing changes for callers"
