"""The HTTP transport: the official client in both eras, and everything that must be turned away."""

from __future__ import annotations

import asyncio
import base64
import gc
import hashlib
import hmac
import importlib
import json
import os
import signal
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from ipaddress import ip_address
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from mcp import Client
from served import HALF_HEAD, LIST, PLAIN, Server, Start, call, opened, received, slow_call
from shop import PACKAGE, PREFIX, Recorder, write_package

from mcpgen.runtime.package import StartError
from mcpgen.runtime.parts.oauth import callers, tokens
from mcpgen.runtime.settings import read
from mcpgen.runtime.transports import http
from tests.issuer import AUDIENCE, Issuer, jwk

TOKEN = "t0ken-" + "a" * 40


@pytest.fixture(scope="module")
def behind() -> Iterator[Recorder]:
    """The API behind `plain`."""
    with closing(Recorder()) as recorder:
        yield recorder


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, behind: Recorder) -> Iterator[Server]:
    """One server without any settings, shared by the tests that leave it as it is."""
    environment = {f"{PREFIX}_BASE_URL": behind.url, f"{PREFIX}_API_KEY": "canary-key-0123456789"}
    server = Server(write_package(tmp_path_factory.mktemp("plain")), environment)
    yield server
    server.stop()


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_sees_tools_and_progress(
    plain: Server, behind: Recorder, mode: str
) -> None:
    behind.requests.clear()
    seen: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async def run() -> Any:
        async with Client(plain.url, mode=mode) as client:
            listed = await client.list_tools()
            await client.call_tool("slow", {"steps": 2}, progress_callback=note)
            return listed, await client.call_tool("get_book", {"book_id": "1"})

    listed, called = asyncio.run(run())
    assert "list_books" in [tool.name for tool in listed.tools]
    assert called.is_error is False
    assert seen == [1, 2, 3]
    assert len(behind.requests) == 1


def test_many_connections_wait_until_the_server_takes_them(start: Start) -> None:
    server = start()
    waiting: list[socket.socket] = []
    os.kill(server.process, signal.SIGSTOP)
    try:
        for _ in range(200):
            # The second packet of a client whose first one was dropped would come after a second
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=0.9)
            waiting.append(connection)
    finally:
        os.kill(server.process, signal.SIGCONT)
        for connection in waiting:
            connection.close()


def test_only_requests_for_this_host_from_this_origin_are_served(plain: Server) -> None:
    port = str(plain.port)
    good = "127.0.0.1:PORT localhost:PORT localhost [::1]:PORT LOCALHOST:PORT"
    for host in good.replace("PORT", port).split():
        assert plain.send(raw=[("Host", host)])[0] == 200, host
    bad = "evil.test localhost.evil.test 127.0.0.1:evil 127.0.0.1:0 127.0.0.1:99999 2130706433"
    bad += " 127.0.0.1.evil.test evil.test:PORT 127.0.0.1:PORT@evil.test 127.0.0.1:80:80 localhost."
    for host in bad.replace("PORT", port).split():
        assert plain.send(raw=[("Host", host)])[0] in (400, 421), host
    assert plain.send(raw=[("Host", "localhost"), ("Host", "evil.test")])[0] == 400
    assert plain.send(origin=f"http://127.0.0.1:{port}")[0] == 200
    bad = "https://evil.test null http://localhost.evil http://127.0.0.1.evil HTTP://LOCALHOST:PORT"
    bad += f" https://localhost:PORT http://localhost:{plain.port + 1} http://localhost:PORT/"
    for origin in bad.replace("PORT", port).split():
        status, headers, _ = plain.send(origin=origin)
        assert status == 403, origin
        assert "access-control-allow-origin" not in headers
    assert plain.send(x_forwarded_host="evil.test", forwarded="host=evil.test")[0] == 200
    assert plain.send(raw=[("Host", "evil.test"), ("X-Forwarded-Host", "localhost")])[0] == 421


def test_a_page_of_an_origin_that_was_named_may_call(start: Start) -> None:
    page = "https://app.example.com"
    server = start(HTTP_ALLOWED_ORIGINS=page, HTTP_TOKEN=TOKEN)
    asks = {"access_control_request_method": "POST", "access_control_request_headers": "x-a, x-b"}
    status, fields, body = server.send(method="OPTIONS", origin=page, **asks)
    assert (status, body) == (204, b"")
    assert fields["access-control-allow-origin"] == page
    assert fields["access-control-allow-methods"] == "POST"
    assert fields["access-control-allow-headers"] == "x-a, x-b"
    assert fields["vary"].startswith("origin, ")
    for credentials, expected in (({}, 401), ({"authorization": f"Bearer {TOKEN}"}, 200)):
        status, fields, _ = server.send(origin=page, **credentials)
        assert status == expected
        assert fields["access-control-allow-origin"] == page
        assert "www-authenticate" in fields["access-control-expose-headers"]
        assert "access-control-allow-credentials" not in fields
    status, fields, _ = server.send(method="OPTIONS", origin="https://evil.test", **asks)
    assert status == 403
    assert not [name for name in fields if name.startswith("access-control")]
    assert server.send(method="OPTIONS", **asks)[1].get("access-control-allow-origin") is None


def test_every_address_is_that_of_ipv4_too(start: Start) -> None:
    if not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    server = start("--host", "::", "--allowed-host", "mcp.example.com", HTTP_TOKEN=TOKEN)
    for address in ("127.0.0.1", "::1"):
        connection = HTTPConnection(address, server.port, timeout=10)
        connection.request("GET", "/health")
        assert connection.getresponse().read() == b'{"status": "ok"}'
        connection.close()


def test_an_address_may_name_its_interface(start: Start) -> None:
    rows = map(str.split, Path("/proc/net/if_inet6").read_text().splitlines())
    links = [f"{ip_address(bytes.fromhex(row[0]))}%{row[-1]}" for row in rows if row[3] == "20"]
    if not links:
        pytest.skip("this machine has no address of a link")
    options = ("--host", links[0], "--allowed-host", "mcp.example.com", "--workers", "2")
    connection = HTTPConnection(links[0], start(*options, HTTP_TOKEN=TOKEN).port, timeout=10)
    connection.request("GET", "/health")
    assert connection.getresponse().status == 200
    connection.close()


def test_a_slash_after_the_path_makes_no_difference(plain: Server) -> None:
    """A redirect would lead to an address that a proxy in front may not know."""
    same = {"x_request_id": "same"}
    assert plain.send(path="/mcp/", **same) == plain.send(path="/mcp", **same)
    assert plain.send(path="/mcp//")[0] == 404


def test_fields_after_a_body_are_not_fields_of_the_request(start: Start, parser: str) -> None:
    """A proxy that takes `Authorization` away looks for it in the head."""
    server = start(HTTP_TOKEN=TOKEN)
    body = json.dumps(LIST).encode()
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    for name, value in PLAIN.items():
        head += f"{name}: {value}\r\n".encode()
    chunks = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n" % (len(body), body)
    token = f"Authorization: Bearer {TOKEN}\r\n".encode()
    assert received(opened(server, head + token + chunks + b"\r\n")).startswith(b"HTTP/1.1 200 ")
    after = opened(server, head + chunks + token + b"\r\n")
    assert received(after).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize("path", ["/mcp", "/health"])
def test_a_request_with_two_lengths_is_refused_and_ends_its_connection(
    start: Start, parser: str, api: Recorder, path: str
) -> None:
    """A proxy that reads the other one would take what follows for the next caller's request."""
    server = start()
    body = json.dumps(call("get_book", {})).encode()
    fields = "".join(f"{name}: {value}\r\n" for name, value in PLAIN.items()).encode()
    hidden = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields
    hidden += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n".encode()
    head += fields + b"Content-Length: %d\r\n\r\n" % (len(hidden) + 5)
    answers = received(opened(server, head + b"0\r\n\r\n" + hidden))
    assert answers.startswith(b"HTTP/1.1 400 ")
    assert answers.count(b"HTTP/1.1") == 1
    assert api.requests == []


@pytest.mark.parametrize("length", ["Content-Length: {}", "Transfer-Encoding: chunked"])
def test_the_body_of_an_upgrade_is_not_a_request(start: Start, parser: str, length: str) -> None:
    """Proxies that are ready for WebSockets send `Upgrade` on."""
    server = start(HTTP_IDLE_TIMEOUT="1", HTTP_BODY_TIMEOUT="1")
    hidden = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    head = "POST /ready HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: upgrade\r\nUpgrade: h2c\r\n"
    connection = opened(server, f"{head}{length.format(len(hidden))}\r\n\r\n".encode())
    time.sleep(0.2)
    with suppress(ConnectionError):
        connection.sendall(hidden)
    answers = received(connection)
    assert b'"ok"' not in answers
    assert answers.startswith(b"HTTP/1.1 40")


def test_where_it_was_asked_for_the_server_is_ready_once_the_api_is(start: Start) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        server = start(BASE_URL=url, HTTP_READY_API="1")
        assert server.get("/ready")[::2] == (503, b'{"status": "the API cannot be reached"}')
        assert server.get("/health")[0] == 200
        bound.listen()
        until = time.monotonic() + 20
        while server.get("/ready")[0] != 200:
            assert time.monotonic() < until
            time.sleep(0.2)


def test_what_is_not_a_json_post_is_turned_away(plain: Server) -> None:
    assert plain.send(content_type="text/plain")[0] in (400, 415)
    assert plain.send(b"a=1", content_type="application/x-www-form-urlencoded")[0] in (400, 415)
    for method in ("GET", "DELETE", "PUT"):
        status, fields, _ = plain.send(method=method)
        assert (status, fields["allow"]) == (405, "POST")
    status, headers, _ = plain.send(method="OPTIONS", origin="https://evil.test")
    assert status in (403, 405)
    assert "access-control-allow-origin" not in headers
    assert plain.send(b"{nope")[0] == 400


def test_a_body_that_is_too_large_is_turned_away_before_it_is_parsed(plain: Server) -> None:
    assert plain.send(b" " * (4 * 1024 * 1024 + 1))[0] == 413
    assert plain.send(b" " * (4 * 1024 * 1024 - 5) + b"{nope")[0] == 400
    assert plain.send(b"{}", content_length="10485760")[0] == 413


@pytest.mark.parametrize("headers", [
    {"mcp_method": "tools/call"},
    {"mcp_method": "tools/list", "mcp_protocol_version": "2025-11-25-x"},
    {},
])  # fmt: skip
def test_modern_headers_must_say_what_the_body_says(plain: Server, headers: Any) -> None:
    said = {"protocolVersion": "2026-07-28", "clientCapabilities": {}}
    said["clientInfo"] = {"name": "t", "version": "1"}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in said.items()}
    fields = {"mcp_protocol_version": "2026-07-28", **headers}
    status, _, body = plain.send({**LIST, "params": {"_meta": meta}}, **fields)
    assert status == 400
    assert json.loads(body)["error"]["code"] in (-32020, -32022)


def test_the_root_names_the_endpoint_and_nothing_of_the_api(
    plain: Server, behind: Recorder
) -> None:
    before = len(behind.requests)
    status, _, body = plain.get("/")
    assert status == 200
    assert json.loads(body)["endpoint"] == "/mcp"
    assert b"shop" not in body.lower()
    assert plain.get("/", raw=[("Host", "evil.example")])[0] == 421
    assert plain.get("/books", body=b"")[0] == 404
    assert len(behind.requests) == before


def test_health_says_ok_and_nothing_else(plain: Server) -> None:
    status, _, body = plain.get("/health", raw=[("Host", "10.0.0.7:8000")])
    assert (status, json.loads(body)) == (200, {"status": "ok"})
    status, fields, _ = plain.send(path="/health")
    assert (status, fields["allow"]) == (405, "GET, HEAD")


def test_query_strings_are_not_logged(start: Start) -> None:
    server = start()
    server.send(path="/mcp?access_token=opensesame")
    server.send(path="/nothing?access_token=opensesame")
    said = server.stop()
    assert "opensesame" not in said
    assert '"path": "/mcp"' in said


def test_an_own_token_is_needed_and_never_goes_to_the_api(start: Start, api: Recorder) -> None:
    server = start("--host", "0.0.0.0", "--allowed-host", "127.0.0.1", HTTP_TOKEN=TOKEN)
    body = call("get_book", {"book_id": "1"})
    for wrong in ("Bearer wrong", f"Basic {TOKEN}", TOKEN, None):
        status, headers, _ = server.send(body, **({"authorization": wrong} if wrong else {}))
        assert status == 401
        assert headers["www-authenticate"].startswith("Bearer")
        has_token = str(wrong).startswith("Bearer")  # RFC 6750 section 3.1: else no error code
        assert ("error=" in headers["www-authenticate"]) == has_token
    assert server.send(body, path=f"/mcp?access_token={TOKEN}")[0] == 401
    twice = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer other")]
    assert server.send(body, raw=twice)[0] == 401
    assert api.requests == []
    assert server.bearer(TOKEN, body)[0] == 200
    assert len(api.requests) == 1
    assert TOKEN not in str(api.requests[0])
    assert server.bearer(TOKEN, body, raw=[("Host", "localhost")])[0] == 421
    assert TOKEN not in server.stop()


def oauth(issuer: Issuer, **more: str) -> dict[str, str]:
    """The settings that trust it."""
    keys = f"{issuer.url}/keys"
    return {"HTTP_ISSUER": issuer.url, "HTTP_AUDIENCE": AUDIENCE, "HTTP_JWKS_URL": keys, **more}


OTHERWISE: Any = {"scopes": frozenset(), "offered": (), "ca_file": None}


def trusting(issuer: Issuer) -> Any:
    """What judges the tokens of an issuer, and asks for its keys now."""
    return tokens.Issuer(
        {issuer.url: f"{issuer.url}/keys"}, audiences=[AUDIENCE], resource=AUDIENCE, **OTHERWISE
    )


def test_only_good_tokens_of_the_issuer_are_accepted(start: Start, issuer: Issuer) -> None:
    server = start(**oauth(issuer))
    public = issuer.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    now = int(time.time())
    payload = base64.urlsafe_b64encode(
        json.dumps({"iss": issuer.url, "aud": AUDIENCE, "exp": now + 300}).encode()
    )
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"one"}')
    forged = b".".join([head.rstrip(b"="), payload.rstrip(b"=")])
    mac = base64.urlsafe_b64encode(hmac.new(public, forged, hashlib.sha256).digest()).rstrip(b"=")
    own_key = jwk(issuer.other)
    good = [
        issuer.token(),
        issuer.token(aud=["https://else.example", AUDIENCE]),
        issuer.token(key=issuer.curve, kid="two", algorithm="ES256"),
    ]
    bad = {
        "another audience": issuer.token(aud="https://else.example/mcp"),
        "no audience": issuer.token(aud=None),
        "another issuer": issuer.token(iss="https://else.example"),
        "expired": issuer.token(exp=now - 300), "never expires": issuer.token(exp=None),
        "not yet valid": issuer.token(nbf=now + 3000),
        "another key": issuer.token(key=issuer.other), "an unknown key": issuer.token(kid="three"),
        "a key in its own header": issuer.token(key=issuer.other, headers={"jwk": own_key}),
        "a key from elsewhere": issuer.token(
            key=issuer.other, headers={"jku": "http://127.0.0.1:1/"}),
        "an algorithm the key is not for": issuer.token(algorithm="PS256"),
        "no signature": jwt.encode(
            {"iss": issuer.url, "aud": AUDIENCE, "exp": now + 300}, None, algorithm="none"),
        "the public key as a secret": (forged + b"." + mac).decode(), "nonsense": "a.b.c",
        "far too long": "a" * 10_000,
    }  # fmt: skip
    for token in good:
        assert server.bearer(token)[0] == 200
    for reason, token in bad.items():
        status, headers, _ = server.bearer(token)
        assert status == 401, reason
        assert 'error="invalid_token"' in headers["www-authenticate"]
    said = server.stop()
    assert not any(token in said for token in (*good, *bad.values()))
    assert issuer.fetched == 1


def test_a_client_without_a_token_is_told_where_to_get_one(start: Start, issuer: Issuer) -> None:
    server = start(**oauth(issuer, HTTP_SCOPES="books:read"))
    status, headers, _ = server.send()
    assert status == 401
    url = headers["www-authenticate"].split('resource_metadata="')[1].split('"')[0]
    assert url == "http://127.0.0.1/.well-known/oauth-protected-resource/mcp"
    status, _, body = server.get(url.removeprefix("http://127.0.0.1"))
    assert status == 200
    assert json.loads(body) == {
        "resource": AUDIENCE,
        "authorization_servers": [issuer.url],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["books:read"],
    }


GUID = "6e74172b-be56-4843-9ff4-e66a39bb12e3"
PROVIDERS: dict[str, tuple[dict[str, str], dict[str, Any], str]] = {
    "Microsoft Entra": (
        {"HTTP_AUDIENCE": GUID, "HTTP_SCOPES": "read", "HTTP_WRITE_SCOPES": "write",
         "HTTP_OFFERED_SCOPES": f"read=api://{GUID}/read,write=api://{GUID}/write"},
        {"aud": GUID, "scope": None, "scp": "read", "azp": "desk", "ver": "2.0", "tid": "t"},
        f"api://{GUID}/read api://{GUID}/write",
    ),
    "Microsoft Entra v1": (
        {"HTTP_AUDIENCE": f"api://{GUID}", "HTTP_ISSUER": "https://sts.windows.net/TENANT/",
         "HTTP_AUTHORIZATION_SERVERS": "https://login.microsoftonline.com/TENANT/v2.0",
         "HTTP_SCOPES": "read", "HTTP_OFFERED_SCOPES": f"read=api://{GUID}/read"},
        {"aud": f"api://{GUID}", "iss": "https://sts.windows.net/TENANT/", "scope": None,
         "scp": "read", "appid": "desk", "appidacr": "0", "ver": "1.0", "headers": {"x5t": "one"}},
        f"api://{GUID}/read",
    ),
    "AD FS": (
        {"HTTP_ISSUER": "http://adfs.example/adfs/services/trust",
         "HTTP_AUTHORIZATION_SERVERS": "https://adfs.example/adfs",
         "HTTP_AUDIENCE": f"microsoft:identityserver:{GUID}", "HTTP_SCOPES": "books:read"},
        {"iss": "http://adfs.example/adfs/services/trust", "apptype": "Public", "appid": "desk",
         "aud": f"microsoft:identityserver:{GUID}", "scope": None, "scp": "books:read openid"},
        "books:read",
    ),
    "Okta": (
        {"HTTP_AUDIENCE": "api://default", "HTTP_SCOPES": "books:read",
         "HTTP_WRITE_SCOPES": "books:write", "HTTP_OFFERED_SCOPES": "books:write,offline_access"},
        {"aud": "api://default", "scope": None, "scp": ["books:read"], "cid": "desk", "ver": 1},
        "books:read books:write offline_access",
    ),
    "Keycloak": (
        {"HTTP_AUDIENCE": "account,bookshop", "HTTP_SCOPES": "books:read"},
        {"aud": ["realm-management", "account"], "scope": "email books:read", "azp": "desk",
         "typ": "Bearer", "acr": "1"},
        "books:read",
    ),
    "Auth0": (
        {"HTTP_AUDIENCE": "https://bookshop.example/api", "HTTP_SCOPES": "books:read"},
        {"aud": ["https://bookshop.example/api", "https://tenant.example/userinfo"],
         "scope": "openid books:read", "azp": "desk", "permissions": ["books:read"]},
        "books:read",
    ),
    "Auth0, RFC 9068": (
        {"HTTP_AUDIENCE": "https://bookshop.example/api", "HTTP_SCOPES": "books:read"},
        {"aud": "https://bookshop.example/api", "scope": "books:read", "client_id": "desk",
         "headers": {"typ": "at+jwt"}},
        "books:read",
    ),
    "Amazon Cognito": (
        {"HTTP_AUDIENCE": "client_id=desk", "HTTP_SCOPES": "shop/read"},
        {"aud": None, "client_id": "desk", "token_use": "access", "scope": "shop/read"},
        "shop/read",
    ),
    "Amazon Cognito, resource binding": (
        {"HTTP_AUDIENCE": AUDIENCE, "HTTP_SCOPES": "shop/read"},
        {"aud": AUDIENCE, "client_id": "desk", "token_use": "access", "scope": "shop/read"},
        "shop/read",
    ),
    "PingFederate": (
        {"HTTP_AUDIENCE": AUDIENCE, "HTTP_SCOPES": "books:read"},
        {"aud": AUDIENCE, "scope": ["books:read", "openid"], "client_id": "desk", "sub": None,
         "headers": {"pi.atm": "1"}},
        "books:read",
    ),
    "PingOne": (
        {"HTTP_AUDIENCE": "books-api", "HTTP_SCOPES": "books:read"},
        {"aud": ["books-api"], "scope": "books:read", "client_id": "desk", "env": GUID},
        "books:read",
    ),
}  # fmt: skip
"""Settings, what is in the provider's tokens, and the scopes that a client is told to ask for."""


@pytest.mark.parametrize("name", PROVIDERS)
def test_tokens_of_providers_as_they_come_are_taken(
    start: Start, issuer: Issuer, name: str
) -> None:
    settings, claims, asked = PROVIDERS[name]
    server = start(**{**oauth(issuer), **settings, "HTTP_RESOURCE": AUDIENCE})
    status, headers, _ = server.send()
    assert (status, headers["www-authenticate"].split('scope="')[1].split('"')[0]) == (401, asked)
    described = server.get("/.well-known/oauth-protected-resource/mcp")[2]
    metadata = json.loads(described)
    assert metadata["resource"] == AUDIENCE
    told = settings.get("HTTP_AUTHORIZATION_SERVERS", issuer.url)
    assert metadata["authorization_servers"] == [told]
    assert metadata["scopes_supported"] == asked.split()
    token = issuer.token(**claims)
    assert server.bearer(token)[0] == 200
    assert server.bearer(token, call("get_book", {"book_id": "1"}))[0] == 200
    other = issuer.token(**{**claims, "aud": "https://else.example"})
    assert server.bearer(other)[0] == 401
    said = server.stop()
    assert '"client": "desk"' in said and ('"subject": "me"' in said) is ("sub" not in claims)
    if "HTTP_WRITE_SCOPES" in settings:
        server = start(**{**oauth(issuer), **settings, "HTTP_RESOURCE": AUDIENCE})
        status, headers, _ = server.bearer(token, call("update_book", {"book_id": "1"}))
        needed = headers["www-authenticate"].split('scope="')[1].split('"')[0].split()
        assert (status, set(needed) <= set(asked.split()), len(needed)) == (403, True, 2)


@pytest.mark.parametrize(("claims", "fault"), [
    # Google's ID token; its access tokens are no JWTs, and it introspects none
    ({"scope": None, "azp": AUDIENCE, "at_hash": "h"}, "may be an ID token"),
    # A program's token of Microsoft Entra
    ({"scope": None, "roles": ["read"], "idtyp": "app"}, "names no scope"),
    ({"aud": None, "client_id": "desk"}, "it has no `aud`"),
    ({"aud": "client_id=desk"}, "another audience"), ({"aud": {AUDIENCE: 1}}, "another audience"),
    ({"exp": None}, "it has no `exp`"), ({"token_use": "id"}, "`token_use`"),
    ({"typ": "Refresh"}, "`typ`"), ({"typ": "ID"}, "`typ`"), ({"token_type": "N_A"}, "`token_type`"),
])  # fmt: skip
def test_a_token_that_is_not_for_calls_is_refused_with_the_reason_in_the_log(
    start: Start, issuer: Issuer, claims: dict[str, Any], fault: str
) -> None:
    server = start(**oauth(issuer, HTTP_AUDIENCE=f"{AUDIENCE},client_id=web,client_id=None"))
    assert server.bearer(issuer.token(**claims))[0] == 401
    [line] = [each for each in server.stop().splitlines() if '"event": "refused"' in each]
    assert fault in json.loads(line)["fault"]


def test_two_issuers_are_trusted_each_with_its_own_keys(start: Start, issuer: Issuer) -> None:
    second = Issuer()
    both = {"HTTP_ISSUER": f"{issuer.url},{second.url}"}
    both["HTTP_JWKS_URL"] = f"{issuer.url}/keys,{second.url}/keys"
    server = start(**{**oauth(issuer), **both})
    for good in (issuer.token(), second.token()):
        assert server.bearer(good)[0] == 200
    for bad in (issuer.token(iss=second.url), second.token(iss=issuer.url)):
        assert server.bearer(bad)[0] == 401
    second.close()


OAUTH = {
    "HTTP_ISSUER": "https://a.example", "HTTP_AUDIENCE": "https://s.example/mcp",
    "HTTP_JWKS_URL": "https://a.example/keys",
}  # fmt: skip
NAMES = "`P_HTTP_ISSUER`, `P_HTTP_AUDIENCE`, `P_HTTP_JWKS_URL`"
REACHED = "is reachable by others: "


@pytest.mark.parametrize(("host", "names", "variables", "says"), [
    ("127.0.0.1", [], OAUTH, ""), ("localhost", [], {}, ""), ("[::1]", [], {}, ""),
    ("0.0.0.0", ["s.example"], OAUTH, ""),
    ("::", [], OAUTH, f"--host :: {REACHED}say by which names, with --allowed-host"),
    ("s.example", ["s.example"], {}, f"--host s.example {REACHED}set `P_HTTP_TOKEN` to a token of"
     " at least 32 characters, or let callers log in: `mcpgen add oauth`"),
    ("", ["s"], {"HTTP_TOKEN": "short"}, "`P_HTTP_TOKEN` must have at least 32 characters;"
     " `openssl rand -hex 32` makes one"),
    ("", ["s"], {**OAUTH, "HTTP_OTHER_TOKEN": TOKEN, "HTTP_TOKEN": TOKEN},
     f"set either `P_HTTP_TOKEN` or {NAMES}, not both"),
    ("", ["s"], {**OAUTH, "HTTP_JWKS_URL": ""}, f"OAuth needs {NAMES} together"),
    ("", ["s"], {**OAUTH, "HTTP_ISSUER": "https://a.example,https://b.example"},
     "`P_HTTP_JWKS_URL` needs a URL for each of `P_HTTP_ISSUER`"),
    ("", ["s"], {**OAUTH, "HTTP_AUDIENCE": "api://s"},
     "`P_HTTP_RESOURCE`, the URL of this server and by default the first audience: `api://s` must be"
     " an https URL"),
    ("", ["s"], {**OAUTH, "HTTP_ISSUER": "http://adfs.example/trust"},
     "`P_HTTP_AUTHORIZATION_SERVERS`, what clients are told and by default the issuers:"
     " `http://adfs.example/trust` must be an https URL"),
    ("", ["s"], {**OAUTH, "HTTP_JWKS_URL": "http://a.example/keys"},
     "`P_HTTP_JWKS_URL`: `http://a.example/keys` must be an https URL"),
    ("", ["s"], {**OAUTH, "HTTP_JWKS_URL": "https://[a"},
     "`P_HTTP_JWKS_URL`: `https://[a` must be an https URL"),
    ("", ["s.example"], {**OAUTH, "HTTP_ISSUER": "urn:any:text",
     "HTTP_AUTHORIZATION_SERVERS": "https://register.example"}, ""),
])  # fmt: skip
def test_nothing_is_served_to_others_without_names_and_callers_that_are_known(
    host: str, names: list[str], variables: dict[str, str], says: str
) -> None:
    facts = {"name": "p", "env_prefix": "P", "calls_api": False, "parts": ["http", "oauth"]}
    environ = {f"P_{name}": value for name, value in variables.items()}
    settings = read(facts, environ, http=True)
    options = SimpleNamespace(host=host, allowed_host=names)
    said = ""
    try:
        authority = http.authority_of(SimpleNamespace(catalog=None), settings)
        http._check_exposure(options, settings, authority)
    except StartError as error:
        said = str(error)
    assert said == says


def test_a_token_without_scopes_grants_none() -> None:
    assert tokens.scopes_of({"sub": "ada"}) == frozenset()
    assert tokens.scopes_of({"scp": ["a"], "scope": "b c"}) == {"b", "c"}


def test_scopes_of_single_tools_name_tools(in_process: Any) -> None:
    catalog = in_process().catalog
    scopes = callers.Scopes(catalog, frozenset(["w"]), ["delete_book=a:b c", "get_book=d"])
    needed = {name: scopes.needed(name) for name in ("delete_book", "get_book", "no_tool")}
    assert needed == {"delete_book": {"a:b", "c", "w"}, "get_book": {"d"}, "no_tool": set()}
    catalog.aliases["remove_book"] = "delete_book"
    renamed = callers.Scopes(catalog, frozenset(), ["remove_book=a"])
    assert {renamed.needed("remove_book"), renamed.needed("delete_book")} == {frozenset("a")}
    with pytest.raises(StartError, match="names no tool: `delete_bok`; did you mean `delete_book`"):
        callers.Scopes(catalog, frozenset(), ["delete_bok=x"])
    with pytest.raises(StartError, match="`b` has no scopes: write `TOOL=SCOPE`, several"):
        callers.Scopes(catalog, frozenset(), ["delete_book=a", "b"])


def test_a_token_without_a_key_id_is_checked_with_the_only_key(issuer: Issuer) -> None:
    good, bad = (issuer.token(key=key, kid=None) for key in (issuer.key, issuer.other))
    assert grants(issuer, good, bad) == [False, False]
    issuer.answer = json.dumps({"keys": [jwk(issuer.key, kid="one")]}).encode()
    assert grants(issuer, good, bad) == [True, False]


def test_two_fixed_tokens_are_good_during_a_change(start: Start) -> None:
    other = "0ther-" + "b" * 40
    server = start(HTTP_TOKEN=TOKEN, HTTP_OTHER_TOKEN=other)
    for token, status in ((TOKEN, 200), (other, 200), (other[:-1], 401), (TOKEN + other, 401)):
        assert server.bearer(token)[0] == status


def test_every_refusal_leaves_a_line_and_a_refused_write_an_entry(
    start: Start, issuer: Issuer, tmp_path: Path
) -> None:
    audit = tmp_path / "audit"
    server = start(**oauth(issuer, HTTP_WRITE_SCOPES="books:write", AUDIT=str(audit)))
    good = issuer.token(client_id="desk")
    write = call("update_book", {"book_id": "1", "title": "T"})
    expired = issuer.token(exp=int(time.time()) - 300, client_id="desk")
    requests: list[tuple[int, dict[str, Any]]] = [
        (401, {}),
        (401, {"authorization": f"Bearer {expired}"}),
        (403, {"authorization": f"Bearer {good}", "body": write}),
        (403, {"origin": "https://evil.test"}),
        (413, {"authorization": f"Bearer {good}", "content_length": "10485760", "body": b"{}"}),
        (421, {"raw": [("Host", "evil.test")]}),
    ]  # fmt: skip
    made = []
    for number, (status, request) in enumerate(requests):
        answer = server.send(x_request_id=f"from-the-proxy-{number}", **request)
        assert (answer[0], answer[1]["x-request-id"]) == (status, f"from-the-proxy-{number}")
        made.append(server.send(x_request_id="no id", **request)[1]["x-request-id"])
    said = server.stop()
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    refused = {line["request"]: line for line in lines if line["event"] == "refused"}
    assert len({*made, *refused}) == len(refused) == 2 * len(requests)
    for number, (status, _) in enumerate(requests):
        line = refused[f"from-the-proxy-{number}"]
        assert (line["status"], line["address"]) == (status, "127.0.0.1")
    named = {"issuer": issuer.url, "subject": "me", "client": "desk", "key": "one"}
    claimed = refused["from-the-proxy-1"]
    assert claimed["fault"] == "ExpiredSignatureError"
    assert {name: claimed[f"claimed_{name}"] for name in named} == named
    entry, _ = (json.loads(line) for line in audit.read_text().splitlines())
    for line in (refused["from-the-proxy-2"], entry):
        assert (line["tool"], line["status"]) == ("update_book", 403)
        assert named.items() <= line.items()
    assert entry["arguments"] == write["params"]["arguments"]
    assert not any(token in said + audit.read_text() for token in (good, expired))


def test_a_write_tool_takes_the_scope_for_writing(start: Start, issuer: Issuer, api: Any) -> None:
    scopes = {"HTTP_WRITE_SCOPES": "books:write", "HTTP_TOOL_SCOPES": "delete_book=books:admin"}
    server = start(**oauth(issuer, **scopes))

    def status(name: str, scope: str) -> int:
        arguments = {"book_id": "1", **({"title": "T"} if name == "update_book" else {})}
        return server.bearer(issuer.token(scope=scope), call(name, arguments))[0]

    body = call("update_book", {"book_id": "1", "title": "T"})
    refused, headers, _ = server.bearer(issuer.token(scope="books:read"), body)
    assert refused == 403
    assert 'error="insufficient_scope", scope="books:write"' in headers["www-authenticate"]
    assert "resource_metadata=" in headers["www-authenticate"]
    assert status("delete_book", "books:write") == 403
    assert api.requests == []
    assert status("get_book", "books:read") == 200
    assert status("update_book", "books:read books:write") == 200
    assert status("delete_book", "books:write books:admin") == 200
    assert len(api.requests) == 3
    assert "authorization" not in api.requests[0][2]


UNREADABLE = [b"x" * 300_000, b"not json", b'{"keys": 3}', b"[]", b"[" * 200_000]


@pytest.mark.parametrize("answer", UNREADABLE)
def test_keys_that_cannot_be_read_let_nobody_in(issuer: Issuer, answer: bytes) -> None:
    authority = trusting(issuer)
    issuer.answer = answer

    async def ask() -> None:
        for _ in range(3):
            with pytest.raises(tokens.Unavailable) as caught:
                await authority.grant(issuer.token())
            assert 1 <= caught.value.seconds <= tokens.RETRY_SECONDS

    asyncio.run(ask())
    assert issuer.fetched == 1


def test_a_server_without_keys_keeps_clients_waiting_and_asks_again_soon(
    start: Start, issuer: Issuer
) -> None:
    issuer.answer = b"out of order"
    server = start(**oauth(issuer))
    began = time.monotonic()
    assert server.get("/ready")[0] == 503
    status, headers, _ = server.bearer(issuer.token())
    assert status == 503
    assert 1 <= int(headers["retry-after"]) <= 30
    assert "www-authenticate" not in headers
    issuer.answer = issuer.keys
    while server.get("/ready")[0] != 200:
        assert time.monotonic() - began < 10
        time.sleep(0.1)
    assert 1 <= time.monotonic() - began < 5
    issuer.answer = b"out of order"
    assert server.get("/ready")[0] == 200
    assert server.bearer(issuer.token())[0] == 200


def test_a_good_token_is_checked_once_while_its_key_is_published(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trusting(issuer)
    token, short = issuer.token(), issuer.token(exp=int(time.time()) - 28)
    checks: list[str] = []
    checked = authority._checked

    async def count(token: str) -> Any:
        checks.append(token)
        return await checked(token)

    monkeypatch.setattr(authority, "_checked", count)
    monkeypatch.setattr(tokens, "MOST_TOKENS", 2)

    async def ask() -> None:
        for _ in range(3):
            assert await authority.grant(token) == await authority.grant(token)
        assert checks == [token]
        # One that lives by the leeway alone is checked each time
        for _ in range(2):
            await authority.grant(short)
        assert checks == [token, short, short]
        for _ in range(3):
            await authority.grant(issuer.token(jti=os.urandom(4).hex()))
        assert len(authority._good) == 2
        await authority.grant(token)
        monkeypatch.setattr(tokens, "KEYS_SECONDS", -1.0)
        monkeypatch.setattr(tokens, "RETRY_SECONDS", 0.0)
        issuer.answer = json.dumps({"keys": [jwk(issuer.other, kid="one")]}).encode()
        for keys in authority._keys.values():
            keys._tried = keys._fetched = float("-inf")
        with pytest.raises(tokens.BadToken):
            await authority.grant(token)

    asyncio.run(ask())


def test_many_calls_at_once_are_all_answered_each_with_its_own(plain: Server) -> None:

    async def run() -> list[str]:
        async with Client(plain.url) as client:
            calls = (client.call_tool("echo", {"text": str(n)}) for n in range(50))
            return [result.content[0].text for result in await asyncio.gather(*calls)]

    assert asyncio.run(run()) == [str(number) for number in range(50)]


def grants(issuer: Issuer, *given: str) -> list[bool]:
    """Which tokens an authority accepts."""
    authority = trusting(issuer)

    async def accepts(token: str) -> bool:
        with suppress(tokens.BadToken):
            return await authority.grant(token) is not None
        return False

    async def ask() -> list[bool]:
        return [await accepts(token) for token in given]

    return asyncio.run(ask())


def test_a_token_without_the_scopes_every_caller_needs_is_told_which(
    start: Start, issuer: Issuer
) -> None:
    server = start(**oauth(issuer, HTTP_SCOPES="b a"))
    answers = [
        server.bearer(issuer.token(scope=scope)) for scope in ("a", "b", "ab", "a b", "a b c")
    ]
    assert [status for status, _, _ in answers] == [403, 403, 403, 200, 200]
    # One scope parameter, from which a client knows what to ask for (RFC 6750, section 3.1)
    challenge = answers[0][1]["www-authenticate"]
    assert challenge.startswith(
        'Bearer error="insufficient_scope", scope="a b", resource_metadata='
    )
    assert challenge.count("scope=") == 1


@pytest.mark.parametrize("scope", [5, {"a": 1}, [5], ["a", None], True])
def test_scopes_that_are_not_text_are_refused(issuer: Issuer, scope: Any) -> None:
    given = [issuer.token(scope=scope), issuer.token(scope=None, scp=scope)]
    assert grants(issuer, *given) == [False, False]


def test_a_scope_that_is_null_is_refused_with_401(start: Start, issuer: Issuer) -> None:
    server = start(**oauth(issuer))
    claims = {"iss": issuer.url, "aud": AUDIENCE, "exp": int(time.time()) + 60, "scope": None}
    token = jwt.encode(claims, issuer.key, algorithm="RS256", headers={"kid": "one"})
    assert server.bearer(token)[0] == 401
    assert "traceback" not in server.stop()


def test_a_token_is_an_access_token_and_no_id_token(issuer: Issuer) -> None:
    good = [
        issuer.token(headers={"typ": "at+jwt"}, scope=None),
        issuer.token(headers={"typ": "application/AT+JWT"}, scope=None),
        issuer.token(headers={"typ": "JWT"}),
        issuer.token(headers={"typ": None}),
        issuer.token(headers={"typ": "JWT"}, scope=None, scp=["a"]),
    ]
    bad = [
        issuer.token(headers={"typ": "JWT"}, scope=None),
        issuer.token(headers={"typ": None}, scope=None),
        *(
            issuer.token(headers={"typ": "JWT"}, **{name: "n"})
            for name in ("nonce", "at_hash", "c_hash", "s_hash")
        ),
        issuer.token(headers={"typ": "logout+jwt"}),
        issuer.token(headers={"typ": "dpop+jwt"}),
    ]
    assert grants(issuer, *good, *bad) == [True] * 5 + [False] * 8


def test_a_header_nested_too_deeply_is_a_bad_token(issuer: Issuer) -> None:
    head = base64.urlsafe_b64encode(b'{"a":' + b"[" * 4_000 + b"]" * 4_000 + b"}").rstrip(b"=")
    assert len(head) < 11_000
    assert grants(issuer, f"{head.decode()[:8_000]}.e30.c2ln") == [False]


def test_a_token_may_have_32768_characters(start: Start, issuer: Issuer, parser: str) -> None:
    server = start(**oauth(issuer))
    short = issuer.token(pad="")
    # Four characters of base64 for three of the claim
    fits = issuer.token(pad="x" * ((32_768 - len(short)) * 3 // 4 - 3))
    too_long = issuer.token(pad="x" * ((32_768 - len(short)) * 3 // 4 + 3))
    assert len(fits) <= 32_768 < len(too_long)
    assert server.bearer(fits)[0] == 200
    status, headers, body = server.bearer(too_long)
    # 401 would let a client log in again, for a token that is as long
    assert (status, "www-authenticate" in headers) == (431, False)
    assert "longer than 32768 characters" in json.loads(body)["error"]
    groups = [f"{number:08d}-1111-4222-8333-444455556666" for number in range(200)]
    assert server.bearer(issuer.token(groups=groups))[0] == 200


def test_a_key_for_encryption_verifies_nothing(issuer: Issuer) -> None:
    # `use` decides, not whatever else the entry says (RFC 7517, section 4.2)
    bare = {name: value for name, value in jwk(issuer.key).items() if name in ("kty", "n", "e")}
    other = {name: value for name, value in jwk(issuer.other).items() if name in ("kty", "n", "e")}
    issuer.answer = json.dumps(
        {"keys": [{**bare, "kid": "one", "use": "enc"}, {**other, "kid": "two", "use": "sig"}]}
    ).encode()
    given = [issuer.token(), issuer.token(key=issuer.other, kid="two")]
    assert grants(issuer, *given) == [False, True]


def test_a_key_that_cannot_be_used_does_not_cost_the_others(issuer: Issuer) -> None:
    good = jwk(issuer.key, kid="one")
    issuer.answer = json.dumps(
        {"keys": [{"kty": "RSA", "kid": "x", "n": 5}, {"kty": "EC", "kid": "y"}, good]}
    ).encode()
    assert grants(issuer, issuer.token()) == [True]


@pytest.mark.parametrize(("padding", "accepted"), [(200_000, True), (300_000, False)])
def test_a_set_of_keys_may_have_256_kib(issuer: Issuer, padding: int, accepted: bool) -> None:
    keys = {"keys": [jwk(issuer.key, kid="one")], "padding": "x" * padding}
    issuer.answer = json.dumps(keys).encode()
    if accepted:
        assert grants(issuer, issuer.token()) == [True]
    else:
        with pytest.raises(Exception, match="cannot be reached"):
            grants(issuer, issuer.token())


@pytest.mark.parametrize("name", ["issuer", "resource", "keys_url"])
@pytest.mark.parametrize("url", ["http://login.example", "ftp://login.example", "login.example"])
def test_issuer_resource_and_keys_need_https(name: str, url: str) -> None:
    good = {
        "issuer": "https://a.example",
        "resource": "https://b.example/mcp",
        "keys_url": "https://a.example/keys",
    }

    def made(issuer: str, resource: str, keys_url: str) -> Any:
        return tokens.Issuer(
            keys_urls={issuer: keys_url}, audiences=["b"], resource=resource, **OTHERWISE
        )

    made(**good)
    with pytest.raises(ValueError, match="must be an https URL"):
        made(**{**good, name: url})


def test_callers_with_known_keys_do_not_wait_for_those_without(issuer: Issuer) -> None:
    keys: Any = tokens.Keys(f"{issuer.url}/keys")

    async def ask() -> None:
        assert (await keys.find("one"))[0] is not None
        answered = asyncio.Event()
        keys._tried = float("-inf")
        keys._fetch = answered.wait
        waiting = asyncio.create_task(keys.find("unknown"))
        await asyncio.sleep(0)
        assert (await keys.find("one"))[0] is not None
        assert not waiting.done()
        keys._fetched = time.monotonic()
        answered.set()
        assert await waiting == (None, None)

    asyncio.run(ask())


def test_keys_that_come_byte_by_byte_are_given_up_and_those_of_one_issuer_suffice(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "FETCH_SECONDS", 0.5)

    async def drip(_: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
        while not writer.is_closing():
            writer.write(b" ")
            await asyncio.sleep(0.05)

    async def ask() -> None:
        server = await asyncio.start_server(drip, "127.0.0.1", 0)
        slow = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        urls = {each: f"{each}/keys" for each in (slow, issuer.url)}
        both = tokens.Issuer(urls, audiences=[AUDIENCE], resource=AUDIENCE, **OTHERWISE)
        assert await asyncio.wait_for(both.is_ready(), 10)

    asyncio.run(ask())


def test_a_caller_who_leaves_takes_no_keys_from_those_who_wait() -> None:
    keys: Any = tokens.Keys("https://login.example/keys")

    async def ask() -> None:
        answered = asyncio.Event()

        async def fetch() -> None:
            await answered.wait()
            keys._keys, keys._fetched = {"one": ("key", None)}, time.monotonic()

        keys._fetch = fetch
        first, second = (asyncio.create_task(keys.find("one")) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first])
        answered.set()
        assert await second == ("key", None)

    asyncio.run(ask())


def test_tools_judge_scopes_themselves_whatever_the_guard_let_through(in_process: Any) -> None:
    tools = in_process()
    scopes = callers.Scopes(tools.catalog, frozenset({"books:write"}), ["delete_book=books:admin"])
    authority = callers.Callers(
        tokens.ProtectedResource([], audiences=[AUDIENCE], resource=AUDIENCE, **OTHERWISE),
        scopes,
    )
    entry = tools.catalog.find("delete_book")

    def refusal(*granted: str) -> str:
        request = SimpleNamespace(scope={callers.GRANTED: frozenset(granted)})
        return authority.refusal(entry, request)

    assert "`books:admin`" in refusal("books:write")
    assert refusal("books:write", "books:admin") == ""
    tools.refusal = lambda entry, request, inside: f"no scope for {entry.name}"

    async def run() -> str:
        async with Client(tools.server) as client:
            result = await client.call_tool("delete_book", {"book_id": "1"})
            return str(result.content[0].text)

    assert asyncio.run(run()) == "no scope for delete_book"


def test_what_is_no_message_is_answered_over_http_as_on_stdio(plain: Server) -> None:
    cases: list[tuple[bytes, Any, int]] = [
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        (b'{"jsonrpc":"1.0","id":2,"method":"ping"}', 2, -32600),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\\ud83d"}}', 3, -32700),
        (b"garbage", None, -32700),
    ]
    for body, request_id, code in cases:
        status, _, content = plain.send(body)
        answer = json.loads(content)
        assert (status, answer["id"], answer["error"]["code"]) == (400, request_id, code), body


def test_an_allowed_host_with_a_port_is_allowed_on_that_port_alone(start: Start) -> None:
    server = start("--allowed-host", "mcp.example:8443", "--allowed-host", "any.example")

    for status, hosts in (
        (200, ("mcp.example:8443", "any.example:9", "any.example")),
        (421, ("mcp.example:9", "mcp.example", "other.example:8443")),
    ):
        for host in hosts:
            assert server.send(raw=[("Host", host)])[0] == status, host


def test_a_body_has_to_arrive_in_time_and_an_answer_may_take_longer(start: Start) -> None:
    server = start(HTTP_BODY_TIMEOUT="0.3")
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{"
    assert received(opened(server, head)).startswith(b"HTTP/1.1 408 ")
    status, _, body = server.send(call("slow", {"steps": 30}))
    assert status == 200
    assert b"done" in body


@pytest.mark.parametrize(
    "body", [b"", b": 1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX"]
)
def test_a_head_or_trailer_may_not_be_endless(start: Start, parser: str, body: bytes) -> None:
    server = start()
    connection = opened(server, HALF_HEAD + body)
    with suppress(ConnectionError):
        for _ in range(64):
            connection.sendall(b"x" * 4096)
    assert received(connection)[9:12] in (b"", b"400", b"431")  # it may be gone with the connection
    assert server.send()[0] == 200


def test_an_idle_connection_is_closed(start: Start, parser: str) -> None:
    server = start(HTTP_IDLE_TIMEOUT="1")
    connection = opened(server, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert connection.recv(65_536).endswith(b'{"status": "ok"}')  # in one piece
    assert received(connection) == b""


def test_a_connection_too_many_is_refused_while_all_others_work(start: Start) -> None:
    server = start(HTTP_MAX_CONNECTIONS="3")
    working = [opened(server, slow_call(2_000)) for _ in range(2)]
    for connection in working:
        assert connection.recv(12) == b"HTTP/1.1 200"  # progress comes before the result
    answer = received(opened(server, slow_call(1)))
    assert answer.startswith(b"HTTP/1.1 503 ")
    for connection in working:
        connection.close()


@pytest.mark.parametrize("progress", [True, False])
def test_a_client_that_leaves_ends_its_call(
    start: Start, parser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, progress: bool
) -> None:
    marker = tmp_path / "marker"
    monkeypatch.setenv("SLOW_MARKER", str(marker))
    server = start()
    connection = opened(server, slow_call(100_000, progress=progress))
    time.sleep(0.5)
    assert not marker.exists()
    connection.close()
    for _ in range(400):
        if marker.exists():
            break
        time.sleep(0.025)
    assert marker.read_text() == "cancelled"


def test_no_call_is_lost_while_a_server_drains(start: Start, parser: str) -> None:
    server = start(HTTP_GRACE="2")
    under_way = [opened(server, slow_call(100, progress=number % 2 == 0)) for number in range(8)]
    assert server.get("/ready")[0] == 200
    server.ask_to_end()
    status, fields, _ = wait_for_not_ready(server)
    assert (status, fields["connection"]) == (503, "close")
    assert server.send()[0] == 200  # still taken: the balancer may not have noticed
    for connection in under_way:
        assert b'"text":' in received(connection)
    assert server.exit_code() == 0


def test_a_stream_that_outlives_the_grace_period_is_answered(start: Start, parser: str) -> None:
    server = start(HTTP_GRACE="0.1")
    connection = opened(server, slow_call(100))
    assert connection.recv(4096).startswith(b"HTTP/1.1 200")
    server.ask_to_end()
    assert b'"text":' in received(connection)
    assert server.exit_code() == 0


def wait_for_not_ready(server: Server) -> tuple[int, dict[str, str], bytes]:
    """The first answer of `/ready` that says no."""
    for _ in range(200):
        answer = server.get("/ready")
        if answer[0] == 503:
            return answer
        time.sleep(0.02)
    raise AssertionError(answer)


def test_a_package_with_a_catalogue_shows_it_at_the_root(start: Start, package: Path) -> None:
    (package / "catalogue.html").write_text("<!doctype html><title>Every tool</title>")
    server = start(HTTP_TOKEN=TOKEN)
    status, fields, body = server.get("/")
    assert (status, b"Every tool" in body) == (200, True)
    assert fields["content-type"] == "text/html; charset=utf-8"
    assert "sandbox" in fields["content-security-policy"]
    assert "frame-ancestors 'none'" in fields["content-security-policy"]
    assert server.get("/catalogue.html")[0] == 401
    assert server.get("/", host="evil.example")[0] == 421
    assert server.send()[0] == 401


def test_a_second_request_to_end_skips_the_grace_period(start: Start) -> None:
    server = start(HTTP_GRACE="600")
    server.ask_to_end()
    wait_for_not_ready(server)
    server.ask_to_end()
    assert server.exit_code() == 0


def test_a_caller_without_interest_in_progress_gets_json(start: Start) -> None:
    server = start()
    for progress, kind in ((True, b"text/event-stream"), (False, b"application/json")):
        connection = opened(server, slow_call(2, progress=progress))
        head = connection.recv(4096).split(b"\r\n\r\n")[0].lower()
        assert b"content-type: " + kind in head
        connection.close()


@pytest.fixture
def inner(in_process: Any) -> tuple[Any, Any, dict[str, Any]]:
    """The application behind the guard, the guard's module, and the scope of a request."""
    app = in_process()
    exchange = importlib.import_module(f"{PACKAGE}.runtime.transports.exchange")
    headers = [(name.encode(), value.encode()) for name, value in PLAIN.items()]
    headers.append((b"host", b"shop"))
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
    guard = importlib.import_module(f"{PACKAGE}.runtime.transports.guard")
    return exchange.Exchange(app.server, None), guard, scope


def test_a_request_leaves_nothing_to_the_garbage_collector(inner: Any) -> None:
    served, guard, like = inner
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def serve() -> weakref.ref[Any]:
        scope = {**like, guard.MESSAGE: guard.parse(json.dumps(LIST))}
        mark = scope["mark"] = threading.Event()  # anything that can be referred to weakly
        await served(scope, None, send)
        return weakref.ref(mark)

    asyncio.run(serve())
    gc.disable()
    try:
        left = asyncio.run(serve())
        assert left() is None
    finally:
        gc.enable()
    assert sent[0]["status"] == 200


def test_an_idle_connection_keeps_nothing_of_what_was_asked(inner: Any) -> None:
    served, guard, scope = inner
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": json.dumps(LIST).encode()}

    async def send(message: Any) -> None:
        assert guard.MESSAGE in scope
        sent.append(message)

    outer = guard.Guard(
        app=served, hosts=guard.hosts_of(["shop"]), browsers=guard.Browsers(frozenset()),
        authority=None, writes=bool, body_seconds=30.0, front=None, fault=AsyncMock(return_value=""),
    )  # fmt: skip
    asyncio.run(outer(scope, receive, send))
    assert sent[0]["status"] == 200
    assert guard.MESSAGE not in scope
