"""Several APIs in one server: nothing of one meets anything of another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client

from tests.commands import Command
from tests.generated import importable
from tests.loopback import JSON, Asked, Loopback

USER = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}


def described(version: str, *fields: str) -> dict[str, Any]:
    """An API of a version with the paths, names, schemas, tags and schemes of every other one; its
    users have fields of their own.
    """
    old = version == "2.0"
    user = {
        **USER,
        "properties": {**USER["properties"], **{key: {"type": "string"} for key in fields}},
    }
    ref = {"$ref": f"#/{'definitions' if old else 'components/schemas'}/User"}
    body: dict[str, Any] = {"requestBody": {"content": {"application/json": {"schema": ref}}}}
    content = {"content": {"application/json": {"schema": {"type": "array", "items": ref}}}}
    if old:
        body = {"parameters": [{"in": "body", "name": "body", "schema": ref}]}
        content = {"schema": {"type": "array", "items": ref}}
    parts = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}
    parts["schemas"] = {"User": user}
    answer = {"200": {"description": "ok", **content}}
    users = {
        "get": {"operationId": "listUsers", "tags": ["users"], "responses": answer},
        "post": {"operationId": "addUser", "tags": ["users"], **body, "responses": answer},
    }
    head: dict[str, Any] = {"openapi": version, "components": parts}
    if old:
        head = {"swagger": version, "definitions": parts["schemas"]}
        head["securityDefinitions"] = parts["securitySchemes"]
    return {
        **head, "info": {"title": "Users", "version": "1"}, "security": [{"key": []}],
        "tags": [{"name": "users", "description": f"Users with {fields}"}], "paths": {"/users": users},
    }  # fmt: skip


VERSIONS = {"shop": "3.0.3", "billing": "2.0", "mail": "3.1.0", "stock": "3.2.0"}


class Recorder(Loopback):
    """An API that notes its requests."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        super().__init__(self.answer)

    def answer(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(asked)
        return 200, JSON, b'[{"id": "u1"}]'


@pytest.fixture
def apis() -> Iterator[dict[str, Recorder]]:
    """A stand-in for each API."""
    recorders = {name: Recorder() for name in VERSIONS}
    yield recorders
    for recorder in recorders.values():
        recorder.close()


def configuration(apis: dict[str, Recorder], *names: str) -> str:
    """The tables of these APIs."""
    lines = ['name = "office"', "[select]"]
    for name in names:
        lines += [f"[apis.{name}]", f'path = "{name}.yaml"']
        lines += [f'base_url = "{apis[name].url}/v1"', f'headers = {{ "X-{name}" = "yes" }}']
    return "\n".join(lines)


@pytest.fixture
def office(tmp_path: Path, mcpgen: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Generate a project of the APIs that a configuration names."""
    for name, version in VERSIONS.items():
        document = described(version, f"of_{name}")
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    monkeypatch.chdir(tmp_path)

    def generated(text: str) -> Path:
        Path("mcpgen.toml").write_text(text)
        done = mcpgen("generate", "--accept-changes")
        assert done.code == 0, done.said
        return tmp_path / "src"

    return generated


def called(source: Path, **environment: str) -> Any:
    """Call every tool as the official client does; the texts of the answers by the tool."""
    settings = {f"MCPGEN_OFFICE_{name}": value for name, value in environment.items()}
    with importable(source, "office_mcp", **settings) as module:
        app = module("runtime.app").App("office_mcp")

        async def go() -> dict[str, str]:
            async with Client(app.server) as client:
                tools = [tool.name for tool in (await client.list_tools()).tools]
                answers = [(name, await client.call_tool(name, {})) for name in tools]
            return {name: answer.content[0].text for name, answer in answers}

        return asyncio.run(go())


def test_each_call_reaches_its_own_api_with_its_own_credential(
    apis: dict[str, Recorder], office: Callable[..., Path]
) -> None:
    source = office(configuration(apis, *VERSIONS))
    keys = {f"{name.upper()}_KEY": f"secret-of-{name}" for name in VERSIONS}
    called(source, ALLOW_PRIVATE="true", **keys)
    for name, recorder in apis.items():
        assert {(asked.method, asked.target) for asked in recorder.asked} == {
            ("GET", "/v1/users"), ("POST", "/v1/users"),
        }  # fmt: skip
        for asked in recorder.asked:
            sent = asked.fields
            assert sent["x-key"] == f"secret-of-{name}" and sent[f"x-{name}"] == "yes"
            assert not {f"x-{other}" for other in VERSIONS.keys() - {name}} & sent.keys()
