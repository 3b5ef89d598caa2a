"""The HTTP transport: the official client in both eras, and everything that must be turned away."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import http.client
import importlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from mcp import Client
from shop import PACKAGE, PREFIX, Recorder, process_environment, write_package

TOKEN = "t0ken-" + "a" * 40
AUDIENCE = "http://127.0.0.1/mcp"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
PLAIN = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class Server:
    """A served package: its port, and its stderr when it has ended."""

    def __init__(self, package: Path, environment: dict[str, str], *arguments: str) -> None:
        self._errors = (package / "stderr").open("w+")
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                PACKAGE,
                "--http",
                "--port",
                "0",
                "--log-level",
                "info",
                *arguments,
            ],
            stdin=subprocess.DEVNULL,
            stderr=self._errors,
            env={**process_environment(), **environment, "PYTHONPATH": str(package.parent)},
        )
        for _ in range(400):
            said = (package / "stderr").read_text()
            if "Serving MCP at" in said:
                break
            assert self._process.poll() is None, said
            time.sleep(0.025)
        self.url = said.split("Serving MCP at ")[1].split()[0]
        self.port = int(self.url.rsplit(":", 1)[1].removesuffix("/mcp"))

    def stop(self) -> str:
        """End the process; what it wrote to stderr."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(10)
        self._errors.seek(0)
        return self._errors.read()

    def send(
        self,
        body: Any = LIST,
        *,
        method: str = "POST",
        path: str = "/mcp",
        raw: list[tuple[str, str]] | None = None,
        **headers: str,
    ) -> tuple[int, dict[str, str], bytes]:
        """One request; header names with `_` for `-`. `raw` headers are sent as they are, a Host
        among them.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        fields = {**PLAIN, **{name.replace("_", "-"): value for name, value in headers.items()}}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        names = [name.lower() for name, _ in raw or ()] + [name.lower() for name in fields]
        connection.putrequest(method, path, skip_host="host" in names, skip_accept_encoding=True)
        for name, value in [*fields.items(), *(raw or ())]:
            connection.putheader(name, value)
        if "content-length" not in names:
            connection.putheader("content-length", str(len(content)))
        connection.endheaders(content if method == "POST" else None)
        answer = connection.getresponse()
        found = (
            answer.status,
            {key.lower(): value for key, value in answer.getheaders()},
            answer.read(),
        )
        connection.close()
        return found


Start = Callable[..., Server]


@pytest.fixture
def start(package: Path, environment: dict[str, str]) -> Iterator[Start]:
    """A function that serves the package, with further settings and arguments."""
    running: list[Server] = []

    def run(*arguments: str, **settings: str) -> Server:
        named = {f"{PREFIX}_{name}": value for name, value in settings.items()}
        running.append(Server(package, {**environment, **named}, *arguments))
        return running[-1]

    yield run
    for server in running:
        server.stop()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Recorder]]:
    """One server without any settings, shared by the tests that leave it as it is, and the API
    behind it.
    """
    recorder = Recorder()
    environment = {f"{PREFIX}_BASE_URL": recorder.url, f"{PREFIX}_API_KEY": "canary-key-0123456789"}
    server = Server(write_package(tmp_path_factory.mktemp("plain")), environment)
    yield server, recorder
    server.stop()
    recorder.close()


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_lists_calls_and_sees_progress(
    plain: tuple[Server, Recorder], mode: str
) -> None:
    server, api = plain
    api.requests.clear()
    seen: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async def run() -> Any:
        async with Client(server.url, mode=mode) as client:
            listed = await client.list_tools()
            await client.call_tool("slow", {"steps": 2}, progress_callback=note)
            return listed, await client.call_tool("get_book", {"book_id": "1"})

    listed, called = asyncio.run(run())
    assert "list_books" in [tool.name for tool in listed.tools]
    assert called.is_error is False
    assert seen == [1, 2]
    assert len(api.requests) == 1


def test_only_requests_for_this_host_from_this_origin_are_served(
    plain: tuple[Server, Recorder],
) -> None:
    server, _ = plain
    port = server.port
    for host in (
        f"127.0.0.1:{port}",
        f"localhost:{port}",
        "localhost",
        f"[::1]:{port}",
        f"LOCALHOST:{port}",
    ):
        assert server.send(raw=[("Host", host)])[0] == 200, host
    for host in (
        "evil.test",
        "localhost.evil.test",
        "127.0.0.1:evil",
        "127.0.0.1:0",
        "127.0.0.1:99999",
        "127.0.0.1.evil.test",
        f"evil.test:{port}",
        f"127.0.0.1:{port}@evil.test",
        "127.0.0.1:80:80",
        "2130706433",
        "localhost.",
    ):
        assert server.send(raw=[("Host", host)])[0] in (400, 421), host
    assert server.send(raw=[("Host", "localhost"), ("Host", "evil.test")])[0] == 400
    assert server.send(origin=f"http://127.0.0.1:{port}")[0] == 200
    for origin in (
        "https://evil.test",
        "null",
        "http://localhost.evil",
        "http://127.0.0.1.evil",
        f"HTTP://LOCALHOST:{port}",
        f"https://localhost:{port}",
        f"http://localhost:{port + 1}",
        f"http://localhost:{port}/",
    ):
        status, headers, _ = server.send(origin=origin)
        assert status == 403, origin
        assert "access-control-allow-origin" not in headers
    assert server.send(x_forwarded_host="evil.test", forwarded="host=evil.test")[0] == 200
    assert server.send(raw=[("Host", "evil.test"), ("X-Forwarded-Host", "localhost")])[0] == 421


def test_what_is_not_a_json_post_is_turned_away(plain: tuple[Server, Recorder]) -> None:
    server, _ = plain
    assert server.send(content_type="text/plain")[0] in (400, 415)
    assert server.send(b"a=1", content_type="application/x-www-form-urlencoded")[0] in (400, 415)
    for method in ("GET", "DELETE", "PUT"):
        assert server.send(method=method)[0] == 405
    status, headers, _ = server.send(method="OPTIONS", origin="https://evil.test")
    assert status in (403, 405)
    assert "access-control-allow-origin" not in headers
    assert server.send(b"{nope")[0] == 400


def test_a_body_that_is_too_large_is_turned_away_before_it_is_parsed(
    plain: tuple[Server, Recorder],
) -> None:
    server, _ = plain
    assert server.send(b" " * (4 * 1024 * 1024 + 1))[0] == 413
    assert server.send(b"{}", content_length="10485760")[0] == 413


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_method": "tools/call"},
        {"mcp_method": "tools/list", "mcp_protocol_version": "2025-11-25-x"},
        {},
    ],
)
def test_modern_headers_must_say_what_the_body_says(
    plain: tuple[Server, Recorder], headers: dict[str, str]
) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    }
    status, _, body = plain[0].send(
        {**LIST, "params": {"_meta": meta}}, **{"mcp_protocol_version": "2026-07-28", **headers}
    )
    assert status == 400
    assert json.loads(body)["error"]["code"] in (-32020, -32022)


def test_health_says_ok_and_nothing_else(plain: tuple[Server, Recorder]) -> None:
    server, _ = plain
    status, _, body = server.send(method="GET", path="/health", raw=[("Host", "10.0.0.7:8000")])
    assert (status, json.loads(body)) == (200, {"status": "ok"})
    assert server.send(path="/health")[0] == 405


def test_query_strings_are_not_logged(start: Start) -> None:
    server = start()
    server.send(path="/mcp?access_token=opensesame")
    server.send(path="/nothing?access_token=opensesame")
    said = server.stop()
    assert "opensesame" not in said
    assert '"path": "/mcp"' in said


def test_an_own_token_is_needed_where_one_is_set_and_never_goes_to_the_api(
    start: Start, api: Recorder
) -> None:
    server = start("--host", "0.0.0.0", "--allowed-host", "127.0.0.1", HTTP_TOKEN=TOKEN)
    call = {
        **LIST,
        "method": "tools/call",
        "params": {"name": "get_book", "arguments": {"book_id": "1"}},
    }
    for wrong in (
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": TOKEN},
    ):
        status, headers, _ = server.send(call, **wrong)
        assert status == 401
        assert headers["www-authenticate"].startswith("Bearer")
    assert server.send(call, path=f"/mcp?access_token={TOKEN}")[0] == 401
    twice = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer other")]
    assert server.send(call, raw=twice)[0] == 401
    assert api.requests == []
    assert server.send(call, authorization=f"Bearer {TOKEN}")[0] == 200
    assert len(api.requests) == 1
    assert TOKEN not in str(api.requests[0])
    assert server.send(call, authorization=f"Bearer {TOKEN}", raw=[("Host", "localhost")])[0] == 421
    assert TOKEN not in server.stop()


class Issuer:
    """An authorization server: its keys at a URL, and tokens signed with them or with others."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.curve = ec.generate_private_key(ec.SECP256R1())
        self.fetched = 0
        self.answer: bytes | None = None
        keys = [
            {
                **json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key())),
                "kid": "one",
                "alg": "RS256",
            },
            {
                **json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.curve.public_key())),
                "kid": "two",
            },
        ]
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.fetched += 1
                self.send_response(200)
                self.end_headers()
                self.wfile.write(
                    issuer.answer
                    if issuer.answer is not None
                    else json.dumps({"keys": keys}).encode()
                )

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def token(
        self,
        *,
        key: Any = None,
        kid: str = "one",
        algorithm: str = "RS256",
        headers: Any = None,
        **claims: Any,
    ) -> str:
        """A good token, but for what is given."""
        now = int(time.time())
        good = {
            "iss": self.url,
            "aud": AUDIENCE,
            "exp": now + 300,
            "sub": "me",
            "scope": "books:read",
            **claims,
        }
        good = {name: value for name, value in good.items() if value is not None}
        return jwt.encode(
            good, key or self.key, algorithm=algorithm, headers={"kid": kid, **(headers or {})}
        )

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    """An authorization server."""
    server = Issuer()
    yield server
    server.close()


def oauth(issuer: Issuer, **more: str) -> dict[str, str]:
    """The settings that trust it."""
    return {
        "HTTP_ISSUER": issuer.url,
        "HTTP_AUDIENCE": AUDIENCE,
        "HTTP_JWKS_URL": f"{issuer.url}/keys",
        **more,
    }


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
    own_key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(issuer.other.public_key()))
    good = [
        issuer.token(),
        issuer.token(aud=["https://else.example", AUDIENCE]),
        issuer.token(key=issuer.curve, kid="two", algorithm="ES256"),
    ]
    bad = {
        "another audience": issuer.token(aud="https://else.example/mcp"),
        "no audience": issuer.token(aud=None),
        "another issuer": issuer.token(iss="https://else.example"),
        "expired": issuer.token(exp=now - 300),
        "never expires": issuer.token(exp=None),
        "not yet valid": issuer.token(nbf=now + 3000),
        "another key": issuer.token(key=issuer.other),
        "an unknown key": issuer.token(kid="three"),
        "a key in its own header": issuer.token(key=issuer.other, headers={"jwk": own_key}),
        "a key from elsewhere": issuer.token(
            key=issuer.other, headers={"jku": "http://127.0.0.1:1/"}
        ),
        "an algorithm the key is not for": issuer.token(algorithm="PS256"),
        "no signature": jwt.encode(
            {"iss": issuer.url, "aud": AUDIENCE, "exp": now + 300}, None, algorithm="none"
        ),
        "the public key as a secret": (forged + b"." + mac).decode(),
        "nonsense": "a.b.c",
        "far too long": "a" * 10_000,
    }
    for token in good:
        assert server.send(authorization=f"Bearer {token}")[0] == 200
    for reason, token in bad.items():
        status, headers, _ = server.send(authorization=f"Bearer {token}")
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
    status, _, body = server.send(method="GET", path=url.removeprefix("http://127.0.0.1"))
    assert status == 200
    assert json.loads(body) == {
        "resource": AUDIENCE,
        "authorization_servers": [issuer.url],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["books:read"],
    }


def test_a_write_tool_takes_the_scope_for_writing(
    start: Start, issuer: Issuer, api: Recorder
) -> None:
    server = start(
        **oauth(issuer, HTTP_WRITE_SCOPES="books:write", HTTP_TOOL_SCOPES="delete_book=books:admin")
    )

    def call(name: str, scope: str, **arguments: str) -> tuple[int, dict[str, str], bytes]:
        body = {**LIST, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        return server.send(body, authorization=f"Bearer {issuer.token(scope=scope)}")

    status, headers, _ = call("update_book", "books:read", book_id="1", title="T")
    assert status == 403
    assert 'error="insufficient_scope", scope="books:write"' in headers["www-authenticate"]
    assert "resource_metadata=" in headers["www-authenticate"]
    assert call("delete_book", "books:write", book_id="1")[0] == 403
    assert api.requests == []
    assert call("get_book", "books:read", book_id="1")[0] == 200
    assert call("update_book", "books:read books:write", book_id="1", title="T")[0] == 200
    assert call("delete_book", "books:write books:admin", book_id="1")[0] == 200
    assert len(api.requests) == 3
    assert "authorization" not in api.requests[0][2]


@pytest.mark.parametrize("answer", [b"x" * 300_000, b"not json", b'{"keys": 3}', b"[]"])
def test_keys_that_cannot_be_read_let_nobody_in(
    in_process: Any, issuer: Issuer, answer: bytes
) -> None:
    in_process()
    tokens = importlib.import_module(f"{PACKAGE}.runtime.transports.tokens")
    authority = tokens.Issuer(
        issuer=issuer.url, audience=AUDIENCE, keys_url=f"{issuer.url}/keys", scopes=frozenset()
    )
    issuer.answer = answer

    async def ask() -> list[Any]:
        return [await authority.grant(issuer.token()) for _ in range(3)]

    assert asyncio.run(ask()) == [None] * 3
    assert issuer.fetched == 1


def test_many_calls_at_once_are_all_answered_each_with_its_own(
    plain: tuple[Server, Recorder],
) -> None:
    server, _ = plain

    async def run() -> list[str]:
        async with Client(server.url) as client:
            results = await asyncio.gather(
                *(client.call_tool("echo", {"text": str(n)}) for n in range(50))
            )
            return [result.content[0].text for result in results]

    assert asyncio.run(run()) == [str(number) for number in range(50)]
