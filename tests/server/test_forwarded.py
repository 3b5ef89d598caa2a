"""Header fields of each caller that go to the API: `forward_headers` in `mcpgen.toml`."""

from __future__ import annotations

import base64
import json
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from served import Start, call
from shop import FACTS, Recorder, write_package
from starlette.datastructures import Headers

from mcpgen.config.file import parse_config
from mcpgen.problems import UsageError
from mcpgen.runtime.client import ApiError, MissingCredential
from mcpgen.runtime.client.api import Api
from mcpgen.runtime.client.forwarded import Forwarding, forwarded_now
from mcpgen.runtime.client.settings import ApiSettings
from mcpgen.runtime.settings import read
from tests.loopback import JSON, Asked, Loopback

ANN, BOB = "ann's own key/1", "bob-key-22222222"
GET = call("get_book", {"book_id": "1"})


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package, to whose API the key of each caller goes."""
    facts = {**FACTS, "forward_headers": ["X-API-Key", "X-Tenant"]}
    return write_package(tmp_path, {"api.json": json.dumps(facts)})


def test_the_callers_own_fields_go_to_the_api_and_are_shown_nowhere(
    start: Start, api: Recorder
) -> None:
    server = start(LOG_ARGUMENTS="1")
    shown = [ANN, base64.b64encode(ANN.encode()).decode(), quote(ANN, safe="")]
    api.answer = (200, json.dumps({"said": shown, ANN: BOB}).encode())
    said = server.send(GET, x_api_key=ANN, x_tenant="t-0001", x_other="o")[2].decode()
    assert not any(form in said for form in shown) and BOB in said
    api.answer = (400, json.dumps({"error": f"the key {ANN} is bad"}).encode())
    said = server.send(GET, x_api_key=ANN, x_tenant="t-0001")[2].decode()
    assert ANN not in said and "the key **** is bad" in said
    api.answer = (200, b"{}")
    server.send(GET, x_api_key=BOB, x_tenant="t-0002")
    sent = [(each.fields["x-api-key"], each.fields["x-tenant"]) for each in api.requests]
    # The operator's key, which is in the environment, takes nobody's place
    assert sent == [(ANN, "t-0001")] * 2 + [(BOB, "t-0002")]
    assert "x-other" not in api.requests[0].fields
    log = server.stop()
    assert [secret for secret in (*shown, BOB, "t-0001") if secret in log] == []


def test_a_field_that_is_missing_is_named_and_nothing_is_sent(start: Start, api: Recorder) -> None:
    server = start()
    for more in ({}, {"x_tenant": "t"}, {"x_api_key": " ", "x_tenant": "t"}):
        said = json.loads(server.send(GET, **more)[2])["result"]
        assert said["isError"] and "does not have `X-API-Key`" in said["content"][0]["text"]
    said = server.send(GET, raw=[("x-tenant", "a"), ("x-tenant", "b")], x_api_key=ANN)[2].decode()
    assert "does not have `X-Tenant`" in said and api.requests == []


def test_a_server_that_checks_tokens_passes_none_of_them_on(package: Path, start: Start) -> None:
    (package / "api.json").write_text(json.dumps({**FACTS, "forward_headers": ["authorization"]}))
    with pytest.raises(AssertionError, match="the token of a caller is for this server alone"):
        start(HTTP_TOKEN="t" * 32)


async def outcome(api: Api, path: str, fields: Any, **more: Any) -> Any:
    """Make a call with the fields of a caller: its status, or what was raised."""
    settings = replace(api.settings, forward_headers=("X-Key",))
    Forwarding(settings).begin(SimpleNamespace(headers=Headers(fields)))
    try:
        return (await api.request("GET", path, **more)).status
    except ApiError as error:
        return type(error) if isinstance(error, MissingCredential) else str(error)
    finally:
        forwarded_now.set(None)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_no_field_of_a_caller_goes_to_a_further_origin() -> None:
    asked: list[Asked] = []

    def answer(each: Asked) -> tuple[int, dict[str, str], bytes]:
        asked.append(each)
        if each.target == "/limited":
            return 429, {**JSON, "Retry-After": "40"}, b"{}"
        away = {"Location": f"{further.url}/away"} if each.target == "/move" else {}
        return 302 if away else 200, {**JSON, **away}, b"{}"

    own, further = Loopback(answer), Loopback(answer)
    key = {"kind": "api_key", "place": "header", "wire_name": "X-Key", "variables": ["P_KEY"]}
    oauth = {"kind": "bearer", "variables": ["P_TOKEN"]}
    facts = {
        "name": "p", "env_prefix": "P", "base_url": own.url, "forward_headers": ["X-Key"],
        "security": [["oauth"], ["key"]], "auth": {"key": key, "oauth": oauth},
        "apis": {"billing": {"base_url": further.url, "security": []}},
    }  # fmt: skip
    environ = {"P_ALLOW_PRIVATE": "1", "P_TOKEN": "operator", "P_ALLOW_ORIGINS": further.url,
               "P_RETRIES": "0"}  # fmt: skip
    async with Api(read(facts, environ)) as api:
        assert await outcome(api, "/a", {"X-Key": "k-of-ann"}) == 200
        assert await outcome(api, "/a", {}) is MissingCredential
        assert await outcome(api, "/b", {"X-Key": "k"}, base_url=further.url) == 200
        await outcome(api, "/move", {"X-Key": "k"})
        assert await outcome(api.of("billing"), "/c", {"X-Key": "k"}) == 200
        # One caller's limit is no other's
        await outcome(api, "/limited", {"X-Key": "k-of-ann"})
        assert "asked for no calls" in await outcome(api, "/limited", {"X-Key": "k-of-ann"})
        assert "answered 429" in await outcome(api, "/limited", {"X-Key": "k-of-bob"})
    own.close(), further.close()
    keys = [(each.target, each.fields.get("x-key")) for each in asked]
    assert keys == [
        ("/a", "k-of-ann"), ("/b", None), ("/move", "k"), ("/c", None),
        ("/limited", "k-of-ann"), ("/limited", "k-of-bob"),
    ]  # fmt: skip
    # The caller's key came first, so the operator's token is not sent beside it
    assert all("authorization" not in each.fields for each in asked)


def test_callers_differ_by_the_field_that_has_a_value() -> None:
    one = Forwarding(ApiSettings(name="x", forward_headers=("X-A", "X-B"), inside=True))

    def key(fields: dict[str, str]) -> bytes:
        one.begin(SimpleNamespace(headers=Headers(fields)))
        return one.key

    callers = ({"X-A": "k"}, {"X-B": "k"}, {"X-A": "k", "X-B": "k"}, {"X-A": "k"})
    assert len({copy_context().run(key, fields) for fields in callers}) == 3


@pytest.mark.parametrize(
    "name", ["Cookie", "host", "X MCP", "Mcp-Session-Id", "X-MCP-Tools", "x:y"]
)
def test_a_field_that_belongs_to_the_connection_is_refused(name: str) -> None:
    assert parse_config('forward_headers = ["X-Api-Key", "Authorization"]').forward_headers
    with pytest.raises(UsageError, match="cannot go to the API"):
        parse_config(f'forward_headers = ["{name}"]')
