"""A generated server as an OAuth resource server, with oidc-provider as the authorization server
and the official client; left out where Node or npm is missing.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, chdir
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata

from mcpgen.cli import run
from tests.issuer import Memory
from tests.loopback import Recorder, free_port

from .conformance_suite import process
from .node import Absent, node, packages

DOCUMENT = """
openapi: 3.1.0
info: {title: Shelf, version: "1"}
servers: [{url: "https://shelf.example"}]
security: [{bearer: []}]
components: {securitySchemes: {bearer: {type: http, scheme: bearer}}}
paths:
  /books:
    get:
      operationId: list_books
      responses: {"200": {description: Books}}
    post:
      operationId: add_book
      responses: {"201": {description: Added}}
"""
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
LEEWAY = 5  # seconds in the project of these tests; a server as generated waits thirty


def call(tool: str) -> dict[str, Any]:
    return {**LIST, "method": "tools/call", "params": {"name": tool, "arguments": {}}}


def claims_of(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims


class Authority:
    """oidc-provider as a process."""

    def __init__(self, resource: str) -> None:
        self.opaque_port = free_port()
        """The port of a server whose tokens are no JWTs."""
        script, modules = Path(__file__).with_name("oidc.mjs"), packages("oidc-provider")
        self._process = subprocess.Popen(
            [node(), script, modules, resource, f"http://127.0.0.1:{self.opaque_port}/mcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        lines = iter(self._process.stdout.readline, "")
        self.url = next((line.strip() for line in lines if line.startswith("http")), "")
        assert self.url, "oidc-provider did not start"

    def token(self, client: str, scope: str = "books:read", resource: str = "") -> str:
        form = {"grant_type": "client_credentials", "scope": scope}
        if resource:
            form["resource"] = resource
        pair = (client, f"{client}-secret-0123456789")
        answer = httpx2.post(f"{self.url}/token", data=form, auth=pair, timeout=20)
        return str(answer.json()["access_token"])

    def rotate(self) -> None:
        httpx2.get(f"{self.url}/rotate", timeout=20)

    def close(self) -> None:
        self._process.kill()
        self._process.wait(20)


class Server:
    """The generated server over HTTP."""

    def __init__(self, project: Path, port: int, **variables: str) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/mcp"
        environment = {f"SHELF_MCP_{name}": value for name, value in variables.items()}
        environment["PYTHONPATH"] = str(project / "src")
        command = [sys.executable, "-m", "shelf_mcp", "--http", "--port", str(port)]
        self._ended = ExitStack()
        self._ended.enter_context(process(command, port, environment))

    def send(self, body: dict[str, Any], token: str) -> tuple[int, dict[str, str]]:
        accepted = "application/json, text/event-stream"
        fields = {"accept": accepted, "authorization": f"Bearer {token}"}
        answer = httpx2.post(self.url, json=body, headers=fields, timeout=30)
        return answer.status_code, dict(answer.headers)

    def close(self) -> None:
        self._ended.close()


@asynccontextmanager
async def connected(server: Server, auth: httpx2.Auth) -> AsyncIterator[Client]:
    """The official client of a server."""
    web = httpx2.AsyncClient(auth=auth, timeout=30)
    async with web, Client(streamable_http_client(server.url, http_client=web)) as client:
        yield client


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shelf")
    (folder / "openapi.yaml").write_text(DOCUMENT)
    assert run(["generate", str(folder / "openapi.yaml"), "--output", str(folder / "p"), "-q"]) == 0
    with chdir(folder / "p"):
        assert run(["add", "production", "-q"]) == 0
    module = folder / "p" / "src" / "shelf_mcp" / "runtime" / "parts" / "oauth" / "tokens.py"
    text, changed = re.subn(
        "(?m)(RY|AY)_SECONDS = 30", rf"\1_SECONDS = {LEEWAY}", module.read_text()
    )
    assert changed == 2
    module.write_text(text)
    return folder / "p"


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def authority(port: int) -> Iterator[Authority]:
    try:
        server = Authority(f"http://127.0.0.1:{port}/mcp")
    except Absent as absent:
        pytest.skip(f"no authorization server: {absent}")
    yield server
    server.close()


@pytest.fixture(scope="module")
def api() -> Iterator[Recorder]:
    server = Recorder(b"{}")
    yield server
    server.close()


def settings(authority: Authority, port: int, api: Recorder) -> dict[str, str]:
    """Read by everybody, written with one scope more, and each caller with a token of their own."""
    return {
        "BASE_URL": api.url, "HTTP_GRACE": "0", "HTTP_ISSUER": authority.url,
        "HTTP_AUDIENCE": f"http://127.0.0.1:{port}/mcp", "HTTP_JWKS_URL": f"{authority.url}/jwks",
        "HTTP_SCOPES": "books:read", "HTTP_WRITE_SCOPES": "books:write",
        "EXCHANGE_URL": f"{authority.url}/token", "EXCHANGE_CLIENT_ID": "gateway",
        "EXCHANGE_CLIENT_SECRET": "gateway-secret-0123456789",
        "EXCHANGE_AUDIENCE": "https://api.example.com",
    }  # fmt: skip


@pytest.fixture(scope="module")
def server(project: Path, port: int, authority: Authority, api: Recorder) -> Iterator[Server]:
    server = Server(project, port, **settings(authority, port, api))
    yield server
    server.close()


def test_the_official_client_finds_the_authority_and_asks_for_more_scopes(
    server: Server, authority: Authority, api: Recorder
) -> None:
    memory = Memory()
    granted: list[str] = []

    async def use() -> None:
        auth = ClientCredentialsOAuthProvider(
            server.url, memory, "ann", "ann-secret-0123456789", issuer=authority.url
        )
        async with connected(server, auth) as client:
            assert len((await client.list_tools()).tools) == 2
            granted.append(memory.tokens.scope)
            result = await client.call_tool("add_book", {})
            assert not result.is_error, result.content[0].text
            granted.append(memory.tokens.scope)

    asyncio.run(use())
    # Discovery told which scope everybody needs, the refused call which more
    assert granted == ["books:read", "books:read books:write"]


async def consented(url: str, callback: str) -> str:
    """Log in and consent as a person does; return the address that the browser ends at."""
    async with httpx2.AsyncClient() as browser:
        answer = await browser.get(url)
        while True:
            url = urllib.parse.urljoin(url, answer.headers.get("location", ""))
            if url.startswith(callback):
                return url
            if answer.is_redirect:
                answer = await browser.get(url)
                continue
            form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', answer.text))
            action = re.search(r'<form[^>]*action="([^"]+)"', answer.text)
            assert action, answer.text
            form.update({"login": "ann", "password": "x"} if form["prompt"] == "login" else {})
            url = urllib.parse.urljoin(url, action[1])
            answer = await browser.post(url, data=form)


@pytest.mark.parametrize("kind", ["signed", "opaque", "known"])
def test_a_person_may_write_later_whether_or_not_the_client_is_known(
    server: Server, project: Path, authority: Authority, api: Recorder, kind: str
) -> None:
    own = settings(authority, server.port, api) | {
        "HTTP_OFFERED_SCOPES": "books:write,offline_access"
    }
    own |= {"EXCHANGE_URL": "", "BEARER_TOKEN": "token-of-the-operator"}
    port = authority.opaque_port if kind == "opaque" else free_port()
    own["HTTP_AUDIENCE"] = f"http://127.0.0.1:{port}/mcp"
    if kind == "opaque":
        del own["HTTP_JWKS_URL"]
        own["INTROSPECTION_URL"] = f"{authority.url}/token/introspection"
        own["INTROSPECTION_CLIENT_ID"] = own["EXCHANGE_CLIENT_ID"]
        own["INTROSPECTION_CLIENT_SECRET"] = own["EXCHANGE_CLIENT_SECRET"]
    served = Server(project, port, **own)
    memory = Memory()
    if kind == "known":
        memory.client = OAuthClientInformationFull(client_id="desk", issuer=authority.url)
    ends: list[str] = []
    callback = "http://127.0.0.1:33333/callback"
    about = OAuthClientMetadata(
        redirect_uris=[callback], token_endpoint_auth_method="none", application_type="native"
    )

    async def show(url: str) -> None:
        ends.append(await consented(url, callback))

    async def code() -> AuthorizationCodeResult:
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(ends[-1]).query))
        return AuthorizationCodeResult(**query)

    async def use() -> None:
        auth = OAuthClientProvider(served.url, about, memory, show, code)
        async with connected(served, auth) as client:
            assert len((await client.list_tools()).tools) == 2
            result = await client.call_tool("add_book", {})
            assert not result.is_error, result.content[0].text
            seen, before = len(ends), memory.tokens.access_token
            if kind == "known":
                await asyncio.sleep(2)
            assert not (await client.call_tool("list_books", {})).is_error
            # A token that has ended is replaced without the person
            assert len(ends) == seen
            assert (memory.tokens.access_token != before) == (kind == "known")

    try:
        asyncio.run(use())
    finally:
        served.close()
    assert (memory.client.client_id == "desk") == (kind == "known")
    assert (memory.tokens.access_token.count(".") == 2) == (kind != "opaque")
    assert set(memory.tokens.scope.split()) >= {"books:read", "books:write"}


def test_a_token_for_another_audience_is_refused(server: Server, authority: Authority) -> None:
    token = authority.token("ann", "api", "https://api.example.com")
    status, headers = server.send(LIST, token)
    assert status == 401
    assert 'error="invalid_token"' in headers["www-authenticate"]
    assert "resource_metadata=" in headers["www-authenticate"]


def test_a_token_is_told_which_scopes_it_lacks(server: Server, authority: Authority) -> None:
    token = authority.token("ann")
    assert server.send(call("list_books"), token)[0] == 200
    status, headers = server.send(call("add_book"), token)
    assert status == 403
    assert (
        'error="insufficient_scope", scope="books:read books:write"' in headers["www-authenticate"]
    )


def test_the_api_sees_each_caller_and_never_their_own_token(
    server: Server, authority: Authority, api: Recorder
) -> None:
    api.asked.clear()
    tokens = {name: authority.token(name) for name in ("ann", "bob")}
    for name in ("ann", "bob", "ann", "bob", "ann"):
        assert server.send(call("list_books"), tokens[name])[0] == 200
    sent = [each.fields["authorization"].removeprefix("Bearer ") for each in api.asked]
    callers = [claims_of(token)["on_behalf_of"] for token in sent]
    assert callers == ["ann", "bob", "ann", "bob", "ann"]
    assert {claims_of(token)["aud"] for token in sent} == {"https://api.example.com"}
    # One exchange for each caller
    assert len(set(sent)) == 2
    assert not set(sent) & set(tokens.values())


def test_expiry_in_mid_session_and_new_keys(server: Server, authority: Authority) -> None:
    brief, old = authority.token("brief"), authority.token("ann")
    assert [server.send(LIST, token)[0] for token in (brief, old)] == [200, 200]
    authority.rotate()
    time.sleep(LEEWAY + 2)
    status, headers = server.send(LIST, brief)
    assert status == 401
    assert 'error="invalid_token"' in headers["www-authenticate"]
    # An unknown key is asked for, and one that is no longer published lets nobody in
    assert server.send(LIST, authority.token("ann"))[0] == 200
    assert server.send(LIST, old)[0] == 401


def test_without_an_authority_known_keys_hold_and_nobody_else_is_sent_away(
    server: Server, project: Path, port: int, authority: Authority, api: Recorder
) -> None:
    token = authority.token("ann")
    assert server.send(LIST, token)[0] == 200
    authority.close()
    assert server.send(LIST, token)[0] == 200
    # A server that never had the keys cannot tell: that is no fault of the caller's
    variables = settings(authority, port, api)
    fresh = Server(project, free_port(), **variables)
    try:
        status, headers = fresh.send(LIST, token)
    finally:
        fresh.close()
    assert status == 503
    assert int(headers["retry-after"]) >= 1
    assert "www-authenticate" not in headers
