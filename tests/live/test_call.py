"""From a document to the first answered call: generate, set the one variable that is named, call."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from mcpgen.live.inside.call import masked, noted_answer

from .conftest import Ended, StandIn

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CORPUS = Path(os.environ.get("MCPGEN_CORPUS", ROOT.parent / "shared" / "corpus"))
GITHUB = CORPUS / "openapi" / "github.json"
PAGERDUTY = CORPUS / "openapi" / "pagerduty.json"
PAGER_HEADERS = {
    "Authorization": "Token token=canary0123456789",
    "Content-Type": "application/json",
}
Command = Callable[..., Ended]


def variables_to_set(generated: str) -> list[str]:
    """The variables that `generate` names under its heading."""
    block = generated.partition("set in the environment\n")[2].partition("\n\n")[0]
    return re.findall(r"^\s+([A-Z_]+_MCP_\w+)", block, re.M)


@pytest.fixture
def pager(
    mcpgen: Command, api: StandIn, here: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Command, StandIn]:
    """The project of `pager.yaml`, its one variable set, in front of the stand-in."""
    api.wanted = {**PAGER_HEADERS, "Accept": "application/vnd.pager+json;version=2"}
    generated = mcpgen("generate", HERE / "pager.yaml", "-o", "pager", "--base-url", api.url)
    (variable,) = variables_to_set(generated.out)
    assert "`Token token=<API_KEY>`" in generated.out
    monkeypatch.setenv(variable, PAGER_HEADERS["Authorization"])
    monkeypatch.chdir(here / "pager")
    return mcpgen, api


def test_an_api_with_peculiar_headers_is_read_and_written(pager: tuple[Command, StandIn]) -> None:
    mcpgen, api = pager
    read = mcpgen("call", "list_incidents", "limit=5", "statuses=open", "statuses=closed")
    assert read.code == 0, read.err
    assert json.loads(read.out)["path"].startswith("/incidents?limit=5")
    assert "tokens" in read.err
    written = mcpgen("call", "create_incident", "title=Fire, again", "urgent=true")
    assert written.code == 0, written.err
    (_, target, _), (method, _, body) = api.requests
    assert target == "/incidents?limit=5&statuses%5B%5D=open&statuses%5B%5D=closed"
    assert (method, json.loads(body)) == ("POST", {"title": "Fire, again", "urgent": True})


def test_a_dry_run_shows_the_request_and_sends_nothing(pager: tuple[Command, StandIn]) -> None:
    mcpgen, api = pager
    ended = mcpgen("call", "create_incident", "title=Fire", "--dry-run")
    assert ended.code == 0
    assert f"POST {api.url}/incidents" in ended.err
    assert "Authorization: ****" in ended.err
    assert '{"title":"Fire"}' in ended.err.replace(" ", "")
    assert "canary" not in ended.out + ended.err
    assert api.requests == []


def test_a_call_that_fails_says_why_and_ends_with_1(
    pager: tuple[Command, StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    mcpgen, _ = pager
    wrong = mcpgen("call", "list_incidents", "limit=many")
    assert wrong.code == 1
    assert "limit" in wrong.out
    unknown = mcpgen("call", "list_incident")
    assert unknown.code == 1
    assert "`list_incidents`" in unknown.err
    monkeypatch.setenv("PAGER_MCP_API_KEY", "canary0123456789")
    refused = mcpgen("call", "list_incidents")
    assert refused.code == 1
    assert "`PAGER_MCP_API_KEY`" in refused.out
    assert "Token token=<API_KEY>" in refused.out


def test_the_outcome_of_a_call_is_data_too(pager: tuple[Command, StandIn]) -> None:
    mcpgen, _ = pager
    outcome = json.loads(mcpgen("call", "list_incidents", "--args", '{"limit": 3}', "--json").out)
    assert outcome["requests"][0]["url"].endswith("/incidents?limit=3")
    assert outcome["result"]["content"][0]["type"] == "text"


@pytest.mark.parametrize("token", ["eyJhbGciOi.canary.0123456789", "AT1"])
def test_a_token_that_is_fetched_is_not_shown(
    mcpgen: Command, api: StandIn, here: Path, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    flow = {"tokenUrl": f"{api.url}/token", "scopes": {"all": "Everything"}}
    scheme = {"type": "oauth2", "flows": {"clientCredentials": flow}}
    document = yaml.safe_load((HERE / "pager.yaml").read_text("utf-8"))
    document["components"]["securitySchemes"] = {"oauth": scheme}
    document["security"] = [{"oauth": ["all"]}]
    (here / "oauth.json").write_text(json.dumps(document), "utf-8")
    mcpgen("generate", "oauth.json", "-o", "pager", "--name", "oauth", "--base-url", api.url)
    for variable in ("CLIENT_ID", "CLIENT_SECRET"):
        monkeypatch.setenv(f"OAUTH_MCP_OAUTH_{variable}", "canary-0123456789")
    api.wanted = {"Authorization": f"Bearer {token}"}
    api.token = token
    monkeypatch.chdir("pager")
    ended = mcpgen("call", "list_incidents", "--json")
    assert ended.code == 0, ended.err
    fetched, call = json.loads(ended.out)["requests"]
    assert json.loads(fetched["answer"]) == {"access_token": "****", "expires_in": 60}
    assert "grant_type=client_credentials" in fetched["body"]
    assert call["headers"]["Authorization"] == "Bearer ****"
    shown = mcpgen("call", "list_incidents")
    for text in (ended.out, ended.err, shown.out, shown.err):
        assert token not in text
        assert "canary" not in text


@pytest.mark.parametrize("sent", [b"{}", gzip.compress(b"{}", mtime=0)])
def test_an_answer_that_says_it_is_gzip_is_noted_if_it_is_none(sent: bytes) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield sent

    async def read(answer: Any) -> list[bytes]:
        return [chunk async for chunk in answer.chunks()]

    request: dict[str, Any] = {}
    headers = {"content-encoding": "gzip"}
    answer = noted_answer(SimpleNamespace(status=200, headers=headers, chunks=chunks), request)
    assert (asyncio.run(read(answer)), request["answer"]) == ([sent], b"{}")


@pytest.mark.parametrize("letter", ["e", "\u20ac", "\U0001f600"])
def test_half_a_secret_is_not_shown(letter: str) -> None:
    settings = SimpleNamespace(redactor=lambda text: text.replace("canary", "****"), credentials={})
    for length in {(8_000 - 5) // len(letter.encode()), 4_000 - 5}:
        body = f"{letter * length}canary".encode()
        shown = masked({"url": "", "headers": {}, "body": body}, settings)["body"]
        assert "can" not in shown and len(shown) <= 4_000


@pytest.mark.parametrize("words", [["limit"], ["=5"], ["--args", "[1]"], ["--args", "{"]])
def test_unreadable_arguments_are_refused(pager: tuple[Command, StandIn], words: list[str]) -> None:
    mcpgen, api = pager
    ended = mcpgen("call", "list_incidents", *words)
    assert ended.code == 2
    assert "E1178" in ended.err
    assert api.requests == []


def test_tools_are_listed_with_their_arguments(pager: tuple[Command, StandIn]) -> None:
    mcpgen, _ = pager
    assert "create_incident(title, [urgent])" in mcpgen("list").out
    assert "list_incidents" not in mcpgen("list", "create").out
    assert [tool["name"] for tool in json.loads(mcpgen("list", "--json").out)] == [
        "create_incident",
        "list_incidents",
    ]


def test_an_api_on_this_machine_needs_no_address(mcpgen: Command, api: StandIn, here: Path) -> None:
    """As frameworks write it: no `servers` at all."""
    document = yaml.safe_load((HERE / "pager.yaml").read_text("utf-8"))
    del document["servers"], document["security"], document["components"]["securitySchemes"]
    api.document = json.dumps(document).encode()
    generated = mcpgen("generate", f"{api.url}/openapi.json", "-o", "pager")
    assert re.search(rf"^  API +{api.url} *$", generated.out, re.M)
    assert "set in the environment" not in generated.out
    assert mcpgen("call", "list_incidents", "--project", "pager").code == 0
    assert mcpgen("check", "pager").code == 0


def test_outside_of_a_project_there_is_nothing_to_call(mcpgen: Command) -> None:
    ended = mcpgen("call", "list_books")
    assert ended.code == 2
    assert "--project" in ended.err


REAL: dict[str, Any] = {
    "github": (GITHUB, {"Authorization": "Bearer canary0123456789"}, "canary0123456789",
        ["meta_root"], ["create_gist", '{"files": {"a.txt": {"content": "x"}}, "public": false}']),
    "pagerduty": (
        PAGERDUTY, {**PAGER_HEADERS, "Accept": "application/vnd.pagerduty+json;version=2"},
        PAGER_HEADERS["Authorization"], ["list_incidents"],
        ["create_tags", '{"body": {"tag": {"type": "tag", "label": "x"}}}']),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_a_real_document_works_as_generated(
    mcpgen: Command, api: StandIn, here: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    document, wanted, value, read, write = REAL[name]
    if not document.is_file():
        pytest.skip(f"{document} is not there")
    api.wanted = wanted
    generated = mcpgen("generate", document, "-o", "server", "--base-url", api.url)
    (variable,) = variables_to_set(generated.out)
    monkeypatch.setenv(variable, value)
    monkeypatch.chdir(here / "server")
    assert mcpgen("call", *read).code == 0
    ended = mcpgen("call", write[0], "--args", write[1])
    assert ended.code == 0, ended.out + ended.err
    assert [request[0] for request in api.requests] == ["GET", "POST"]
