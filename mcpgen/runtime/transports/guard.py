"""What stands between the network and the MCP endpoint: Host, Origin, method, credentials, size.

Every rule is checked here whatever address the server listens on, exactly and before anything is
parsed: a page in a browser can reach a server on loopback, by its address or by a name that
suddenly resolves to it.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..log import event
from ..server.search import CALL
from .jsonrpc import BadMessage, parse

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

ENDPOINT = "/mcp"
HEALTH = "/health"
METADATA = "/.well-known/oauth-protected-resource"
MAX_BODY_BYTES = 4 * 1024 * 1024
GRANTED = "mcp.granted_scopes"
"""The key under which a request's scopes stand in the ASGI scope: a frozenset, or None for all of
them.
"""

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a caller may do. `scopes` is None for a caller who may do everything."""

    scopes: frozenset[str] | None = None


class Unavailable(Exception):
    """Nobody can say now whether a token is good; `seconds` is when to ask again."""

    def __init__(self, seconds: float) -> None:
        super().__init__("the authorization server's keys cannot be fetched")
        self.seconds = max(1, math.ceil(seconds))


class Authority(Protocol):
    """Knows callers by their bearer token."""

    challenge: str
    """Parameters of the `WWW-Authenticate` header that tell a client where to get a token."""

    async def grant(self, token: str) -> Grant | None:
        """What the bearer of a token may do, or None for a token that is not good. Raises
        Unavailable.
        """


def hosts_of(names: Iterable[str]) -> frozenset[tuple[str, int | None]]:
    """Allowed hosts as (name, port); no port allows any. Raises ValueError for what is not a
    host.
    """
    found = set()
    for name in names:
        parsed = _parse_host(name)
        if parsed is None:
            raise ValueError(f"`{name}` is not a host name")
        found.add(parsed)
    return frozenset(found)


def _parse_host(value: str) -> tuple[str, int | None] | None:
    """A Host header as (lower-case name, port) (RFC 9110, section 7.2), or None when it is anything
    else.
    """
    found = _HOST.fullmatch(value)
    if found is None or (found[2] and not 0 < int(found[2]) < 65_536):
        return None
    return found[1].lower(), int(found[2]) if found[2] else None


class Guard:
    """The outermost ASGI application.

    `needs` maps a tool's name to the scopes a call of it takes.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: frozenset[tuple[str, int | None]],
        origins: frozenset[str],
        authority: Authority | None = None,
        needs: Callable[[str], frozenset[str]] = lambda name: frozenset(),
        body_seconds: float = 30.0,
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins
        self._authority = authority
        self._needs = needs
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            started = time.perf_counter()
            status = 0

            async def noting(message: Message) -> None:
                nonlocal status
                status = message.get("status", status)
                await send(message)

            await self._serve(scope, receive, noting)
            milliseconds = round((time.perf_counter() - started) * 1000)
            # The path only: a query string may hold a token that a client put there by mistake
            event(
                "info",
                "request",
                method=scope["method"],
                path=scope["path"][:200],
                status=status,
                ms=milliseconds,
            )

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == HEALTH:
            known = scope["method"] in ("GET", "HEAD")
            return await _answer(send, 200 if known else 405, {"status": "ok"} if known else {})
        refused = self._refuse(scope)
        if refused is not None:
            return await _answer(send, *refused)
        if scope["path"].startswith(METADATA):
            return await self._app(scope, receive, send)
        granted: frozenset[str] | None = None
        if self._authority is not None:
            token = _bearer(scope)
            try:
                grant = await self._authority.grant(token) if token else None
            except Unavailable as error:
                retry = (b"retry-after", str(error.seconds).encode())
                return await _answer(send, 503, {"error": f"Try again later: {error}"}, retry)
            if grant is None:
                fault = 'error="invalid_token"' if token else ""
                return await self._challenge(send, 401, fault)
            granted = grant.scopes
        scope[GRANTED] = granted
        try:
            async with asyncio.timeout(self._body_seconds):
                body = await _read(scope, receive)
        except ClientGone:
            return None
        except TimeoutError:
            return await _answer(send, 408, {"error": "The request's body did not arrive in time"})
        if body is None:
            return await _answer(
                send, 413, {"error": f"The request's body is larger than {MAX_BODY_BYTES} bytes"}
            )
        if scope["path"] == ENDPOINT and _is_json(scope):
            try:
                parse(body.decode(errors="replace"))
            except BadMessage as error:
                error.log("http")
                content = error.answer().model_dump(by_alias=True, exclude_unset=True)
                return await _answer(send, 400, content)
        if granted is not None:
            needed = frozenset().union(*(self._needs(name) for name in _called(body)))
            if not needed <= granted:
                scopes = " ".join(sorted(needed))
                return await self._challenge(
                    send, 403, f'error="insufficient_scope", scope="{scopes}"'
                )
        await self._app(scope, _replay(body, receive), send)

    def _refuse(self, scope: Scope) -> tuple[int, dict[str, str]] | None:
        """Status and reason for a request that did not come the way clients come, or None."""
        hosts = _header(scope, b"host")
        if len(hosts) != 1:
            return 400, {"error": "A request needs exactly one Host header"}
        host = _parse_host(hosts[0])
        if host is None or not {host, (host[0], None)} & self._hosts:
            return 421, {
                "error": (
                    "This Host is not allowed; start the server with `--allowed-host` to allow it"
                )
            }
        origins = _header(scope, b"origin")
        if any(origin not in self._origins for origin in origins):
            return 403, {"error": "This Origin is not allowed"}
        if scope["path"] == ENDPOINT and scope["method"] != "POST":
            return 405, {"error": "Only POST is served here"}
        return None

    async def _challenge(self, send: Send, status: int, error: str) -> None:
        """Tell a client which credential is missing (RFC 6750, section 3; RFC 9728, section
        5.1).
        """
        challenge = self._authority.challenge if self._authority else ""
        parameters = ", ".join(part for part in (error, challenge) if part)
        text = (
            "A valid bearer token is needed"
            if status == 401
            else "The token's scopes do not allow this call"
        )
        header = f"Bearer {parameters}".strip().encode("latin-1", "replace")
        await _answer(send, status, {"error": text}, (b"www-authenticate", header))


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _bearer(scope: Scope) -> str:
    """The one bearer token of a request, or nothing."""
    values = _header(scope, b"authorization")
    scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else ""


class ClientGone(Exception):
    """The client closed the connection before its request was whole."""


async def _read(scope: Scope, receive: Receive) -> bytes | None:
    """The body, or None when it is too large; what a client declares is believed only when it is
    too much. Raises ClientGone.
    """
    declared = _header(scope, b"content-length")
    if declared and declared[0].isdecimal() and int(declared[0][:20]) > MAX_BODY_BYTES:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body once and then waits for the client to go."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _is_json(scope: Scope) -> bool:
    """Whether a request says that its body is JSON; for any other the SDK has an answer."""
    types = _header(scope, b"content-type")
    return len(types) == 1 and types[0].partition(";")[0].strip().lower() == "application/json"


def _called(body: bytes) -> list[str]:
    """The tool a request's body calls, in a list, or nothing; the call itself is judged again where
    it is made.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return []
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return []
    params = message.get("params")
    if not isinstance(params, dict):
        return []
    name, arguments = params.get("name"), params.get("arguments")
    if name == CALL and isinstance(arguments, dict):
        name = arguments.get("name")
    return [name] if isinstance(name, str) else []


async def _answer(
    send: Send, status: int, content: dict[str, Any], *fields: tuple[bytes, bytes]
) -> None:
    body = json.dumps(content).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 405:
        headers.append((b"allow", b"POST"))
    headers += fields
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
