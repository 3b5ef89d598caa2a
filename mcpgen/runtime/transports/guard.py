"""Check Host, Origin, method, credentials and size of a request before the MCP endpoint sees it.

Every rule holds on every address: a page in a browser can reach a server on loopback, by its
address or by a name that suddenly resolves to it (DNS rebinding). The browser first asks whether it
may, and shows the page only what the answer allows (Fetch, section 3.2, "CORS protocol").
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import re
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from mcp.types.jsonrpc import JSONRPCMessage, JSONRPCRequest

from ..catalog import CALL
from ..log import event
from ..package import Entry
from ..record import Record, observers
from ..results.content import CHOICE, SENDER
from . import BadMessage, parse

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Field = tuple[bytes, bytes]
"""The name and the value of a header field."""


class HTTPRefusal(Exception):
    """Refusal of a request: its answer has this status, content (JSON) and header fields."""

    def __init__(self, status: int, content: dict[str, Any], *fields: Field) -> None:
        super().__init__(status)
        self.status = status
        self.content = content
        self.fields = fields


def header(scope: Scope, name: bytes) -> list[str]:
    """Return the values of the header fields of a name (in lower case), in order; `[]` without."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def answer(send: Send, status: int, content: dict[str, Any], *fields: Field) -> None:
    """Send status, JSON content and header fields; a 405 without `allow` gets `allow: POST`."""
    body = json.dumps(content).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    own = dict(fields)
    if status == 405:
        own.setdefault(b"allow", b"POST")
    await respond(send, status, [*headers, *own.items()], body)


async def respond(send: Send, status: int, headers: list[Field], body: bytes = b"") -> None:
    """Send a complete answer: status, header fields and body."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


_ALLOWED = (
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-max-age", b"600"),
    (b"content-length", b"0"),
)
_SEEN = (b"access-control-expose-headers", b"www-authenticate, retry-after")


class Browsers:
    """CORS rules; `origins` are the allowed values of the header field `Origin`."""

    def __init__(self, origins: frozenset[str]) -> None:
        self._origins = origins

    def check(self, scope: Scope) -> None:
        """Raise HTTPRefusal (403) for an `Origin` that is not allowed; none at all passes."""
        if any(origin not in self._origins for origin in header(scope, b"origin")):
            raise HTTPRefusal(403, {"error": "This Origin is not allowed"})

    def fields(self, scope: Scope) -> tuple[Field, ...]:
        """Return the CORS fields of an answer, but no `Vary`; none unless its one `Origin` is
        allowed.
        """
        origins = header(scope, b"origin")
        if len(origins) != 1 or origins[0] not in self._origins:
            return ()
        return (b"access-control-allow-origin", origins[0].encode("latin-1")), _SEEN


def is_question(scope: Scope) -> bool:
    """Return whether a request is a CORS preflight: a browser asks whether a page may send one."""
    return scope["method"] == "OPTIONS" and bool(header(scope, b"access-control-request-method"))


async def answer_question(scope: Scope, send: Send) -> None:
    """Answer a CORS preflight with 204: POST is allowed, with every header field asked for."""
    fields = list(_ALLOWED)
    names = header(scope, b"access-control-request-headers")
    if names:
        fields.append((b"access-control-allow-headers", ", ".join(names).encode("latin-1")))
    await respond(send, 204, fields)


ROOT = "/"
ENDPOINT = "/mcp"
HEALTH = "/health"
"""Answered as long as the process lives."""
READY = "/ready"
"""Answered with 503 while the server is not ready or about to end: send it no requests then."""
ABOUT = {
    "about": (
        "This is an MCP server (Streamable HTTP). Give an MCP client this address with the path"
        " `/mcp`; a browser cannot use it."
    ),
    "endpoint": ENDPOINT,
    "health": HEALTH,
    "ready": READY,
}
"""Answer at the root; it reveals nothing of the API behind the server."""
METADATA = "/.well-known/oauth-protected-resource"
MAX_BODY_BYTES = 4 * 1024 * 1024
MIN_TOKEN = 32
NO_TOKEN = "A valid bearer token is needed"
CLOSE: Field = (b"connection", b"close")
MESSAGE = "mcp.message"
"""Key of a request's JSON-RPC message in the ASGI scope."""

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._~+/=:-]{1,128}")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class Choice:
    """Tools that a connection wants: those that every pair (toolsets, names) takes, by toolset or
    by name; all without pairs. With `read_only`, only read-only tools.
    """

    pairs: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    read_only: bool = False

    def takes(self, entry: Any) -> bool:
        """Return whether an `Entry` is wanted: always if it has no toolset; false for None."""
        if entry is None or not entry.toolset:  # what finds others is in none
            return entry is not None
        named = (
            any((entry.toolset in {"", *sets}, entry.name in tools)) for sets, tools in self.pairs
        )
        return all((entry.read_only >= self.read_only, *named))


EVERYTHING = Choice()


_CHOSEN = re.compile(rf"{ENDPOINT}(?:/x/([^/]+))?(/readonly)?/?")
_VARIES: Field = (b"vary", b"origin, x-mcp-toolsets, x-mcp-tools, x-mcp-readonly")

_NO = {"0", "f", "false", "n", "no", "off"}
"""Values of a field that ask for nothing; any other asks for the safe side."""


def choice_of(scope: Scope) -> Choice:
    """Return the tools that a request wants by `X-MCP-Toolsets`, `-Tools`, `-Readonly` and its path
    (`/mcp/x/TOOLSET/readonly`; in the scope it becomes `/mcp`). Any other path: all tools.
    """
    match = _CHOSEN.fullmatch(scope["path"])
    if match is None:
        return EVERYTHING
    scope["path"] = ENDPOINT
    sets, tools, reading = (
        frozenset(filter(None, re.split("[, ]+", ",".join(header(scope, name)))))
        for name in (b"x-mcp-toolsets", b"x-mcp-tools", b"x-mcp-readonly")
    )
    pairs = [(frozenset(filter(None, match.groups()[:1])), frozenset[str]()), (sets, tools)]
    kept = tuple(pair for pair in pairs if any(pair) if "all" not in pair[0])
    is_read_only = any((match[2], {each.lower() for each in reading} - _NO))
    return Choice(kept, is_read_only)


class Authority(Protocol):
    """Interface that authenticates callers by their bearer token, and says what each may call."""

    routes: Sequence[Any] = ()
    """Routes of its own."""

    @abstractmethod
    async def admit(self, scope: Scope) -> None:
        """Note the caller of a request in its scope. Raises HTTPRefusal without a valid token."""

    @abstractmethod
    def check(self, scope: Scope, tool: str | None) -> None:
        """Raise HTTPRefusal if an admitted caller may not call the tool (None: it calls none)."""

    @abstractmethod
    def refusal(self, entry: Entry, request: Any) -> str:
        """Explain why the caller of a request may not call a tool, or return an empty text."""

    @abstractmethod
    async def is_ready(self) -> bool:
        """Return whether a token can be checked, or could once."""


class OwnToken(Authority):
    """Authority by one token of the operator (two during a change), which allows every tool."""

    def __init__(self, *tokens: str) -> None:
        if min(map(len, tokens)) < MIN_TOKEN:
            raise ValueError(
                f"must have at least {MIN_TOKEN} characters; `openssl rand -hex 32` makes one"
            )
        self._tokens = [token.encode() for token in tokens]

    async def admit(self, scope: Scope) -> None:
        """Compare the token of a request in constant time. Raises HTTPRefusal (401) if it is
        missing or wrong; a wrong token is noted as `fault` in `scope[SENDER]`.
        """
        given = bearer(scope).encode("utf-8", "replace")
        if not given:
            raise challenge(401, NO_TOKEN)
        matches = [hmac.compare_digest(given, each) for each in self._tokens]
        if not any(matches):
            scope[SENDER]["fault"] = "it is not the token of this server"
            raise challenge(401, NO_TOKEN, 'error="invalid_token"')

    def check(self, scope: Scope, tool: str | None) -> None:
        """Do nothing: an admitted caller may call every tool."""

    def refusal(self, entry: Entry, request: Any) -> str:
        """Return an empty text: an admitted caller may call every tool."""
        return ""

    async def is_ready(self) -> bool:
        """Return True: nothing has to be reached to compare tokens."""
        return True


def bearer(scope: Scope) -> str:
    """Return the bearer token in the one `Authorization` field of a request; else an empty text."""
    values = header(scope, b"authorization")
    if len(values) != 1:
        return ""
    scheme, _, token = values[0].partition(" ")
    if scheme.lower() != "bearer":
        return ""
    return token.strip()


def challenge(status: int, text: str, *parameters: str) -> HTTPRefusal:
    """Return a refusal: `text` as error, and `WWW-Authenticate: Bearer` with the parameters."""
    field = f"Bearer {', '.join(parameters)}".strip().encode("latin-1", "replace")
    return HTTPRefusal(status, {"error": text}, (b"www-authenticate", field))


def hosts_of(names: Iterable[str]) -> frozenset[tuple[str, int | None]]:
    """Return hosts (`a.b`, `a.b:80`) as (name, port); None allows any port. Raises ValueError."""
    hosts = {name: _parse_host(name) for name in names}
    for name in hosts:
        if hosts[name] is None:
            raise ValueError(f"`{name}` is not a host name")
    return frozenset(filter(None, hosts.values()))


def _parse_host(value: str) -> tuple[str, int | None] | None:
    """Return a Host header as (lower-case name, port), port None if it has none (RFC 9110, section
    7.2). Anything else, also a port out of range: None.
    """
    match = _HOST.fullmatch(value)
    if match is None:
        return None
    port = int(match[2]) if match[2] else None
    if port is not None and not 0 < port < 65_536:
        return None
    return match[1].lower(), port


@dataclass(kw_only=True)
class Guard:
    """Outermost ASGI application: check and log each request before `app` serves it."""

    app: ASGIApp
    hosts: frozenset[tuple[str, int | None]]
    browsers: Browsers
    authority: Authority | None
    writes: Callable[[str], bool]
    """Whether a tool can change something."""
    body_seconds: float
    front: ASGIApp | None
    """Answers at the root."""
    fault: Callable[[], Awaitable[str]] | None = None
    """Returns why `/ready` may not say yes; an empty text if it may."""
    life: Callable[[], AbstractContextManager[None]] = nullcontext
    """Wraps the life of the process."""
    unknown: Callable[[Choice], str] = lambda _: ""
    """Explains which name of a choice is unknown; an empty text if none is."""
    _is_draining: bool = False

    def drain(self) -> None:
        """Answer 503 to `/ready` from now on, and close each connection with its next answer."""
        self._is_draining = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the lifespan or a request; log the request, add CORS, `vary` and `x-request-id`."""
        if scope["type"] == "lifespan":
            with self.life():
                await self.app(scope, receive, send)
        elif scope["type"] == "http":
            started = time.perf_counter()
            status = 0
            fields = self.browsers.fields(scope)
            identity = _identity(scope)
            fields = (_VARIES, *fields, (b"x-request-id", identity.encode()))
            address = (scope.get("client") or ("",))[0]
            scope[SENDER] = {"address": address, "request": identity}

            async def send_and_note(message: Message) -> None:
                nonlocal status
                if "status" in message:
                    status = message["status"]
                    ends = self._closing(scope)
                    message["headers"] = [*message.get("headers", ()), *fields, *ends]
                await send(message)

            if _has_two_lengths(scope):
                content = {"error": "Content-Length and Transfer-Encoding exclude each other"}
                await self._refuse(scope, send_and_note, HTTPRefusal(400, content, CLOSE))
            else:
                await self._serve(scope, receive, send_and_note)
            # The scope lives as long as the connection is idle, and a message has up to 4 MB
            scope.pop(MESSAGE, None)
            milliseconds = round((time.perf_counter() - started) * 1000)
            # The path only: a query string may hold a token that a client put there by mistake
            event(
                "info",
                "request",
                method=scope["method"],
                path=scope["path"][:200],
                status=status,
                ms=milliseconds,
                **scope[SENDER],
            )

    def _closing(self, scope: Scope) -> tuple[Field, ...]:
        """Return the field `connection: close` once the server drains, or if the request asks for
        an upgrade: what follows may be of another protocol. Else none.
        """
        if not self._is_draining and not header(scope, b"upgrade"):
            return ()
        return (CLOSE,)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == HEALTH:
            return await _answer_probe(scope, send, 200, "ok")
        if scope["path"] == READY:
            return await _answer_probe(scope, send, *await self._readiness())
        scope[CHOICE] = choice_of(scope)
        try:
            _check_host(scope, self.hosts)
            self.browsers.check(scope)
            if is_question(scope):
                return await answer_question(scope, send)
            if scope["path"] == ENDPOINT and scope["method"] != "POST":
                raise HTTPRefusal(405, {"error": "Only POST is served here"})
            if scope["path"] == ROOT and scope["method"] in ("GET", "HEAD"):
                return await self._root(scope, receive, send)
            if scope["path"].startswith(METADATA):
                return await self.app(scope, receive, send)
            body = await self._admitted(scope, receive)
        except HTTPRefusal as refused:
            return await self._refuse(scope, send, refused)
        except ClientGone:
            return None
        await self.app(scope, _replay(body, receive), send)

    async def _refuse(self, scope: Scope, send: Send, refused: HTTPRefusal) -> None:
        """Answer a refused request; log the refusal and pass its record to the observers."""
        name = called(scope.get(MESSAGE)) or ""
        record = Record(name[:128], scope[SENDER], refused.status, str(refused.content["error"]))
        record.details = {"method": scope["method"], "path": scope["path"][:200]}
        record.writes = self.writes(name)
        if record.writes:
            record.arguments = scope[MESSAGE].params.get("arguments")
        fields: dict[str, Any] = {**record.details, **record.sender, "tool": record.tool}
        event("warning", "refused", status=record.status, reason=record.reason, **fields)
        for observe in observers.values():
            observe(record)
        await answer(send, refused.status, refused.content, *refused.fields)

    async def _readiness(self) -> tuple[int, str]:
        """Return the status of `/ready` (200 or 503), and the reason."""
        if self._is_draining:
            return 503, "ending"
        if self.authority is not None and not await self.authority.is_ready():
            return 503, "the authorization server cannot be reached"
        fault = await self.fault() if self.fault else ""
        return (503, fault) if fault else (200, "ready")

    async def _root(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.front is None:
            return await answer(send, 200, ABOUT)
        await self.front(scope, receive, send)

    async def _admitted(self, scope: Scope, receive: Receive) -> bytes:
        """Return a request's body, caller and message checked. Raises HTTPRefusal, ClientGone."""
        if self.authority is not None:
            await self.authority.admit(scope)
        reason = self.unknown(scope[CHOICE])
        if reason:
            raise HTTPRefusal(400, {"error": reason})
        body = await self._body(scope, receive)
        _check_message(scope, body)
        if self.authority is not None:
            self.authority.check(scope, called(scope.get(MESSAGE)))
        return body

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """Return the body. Raises HTTPRefusal (late: 408, too large: 413) and ClientGone."""
        try:
            async with asyncio.timeout(self.body_seconds):
                body = await _read(scope, receive)
        except TimeoutError as error:
            reason = "The request's body did not arrive in time"
            raise HTTPRefusal(408, {"error": reason}, CLOSE) from error
        if body is None:
            reason = f"The request's body is larger than {MAX_BODY_BYTES} bytes"
            raise HTTPRefusal(413, {"error": reason})
        return body


def _has_two_lengths(scope: Scope) -> bool:
    """Return whether a request has both `Transfer-Encoding` and `Content-Length`. A proxy before
    this server may go by either, so that the end of the body is uncertain (RFC 9112, section 6.1).
    """
    return bool(header(scope, b"transfer-encoding") and header(scope, b"content-length"))


def _identity(scope: Scope) -> str:
    """Return the valid `x-request-id` of a request (from a proxy), else 32 random hex digits."""
    names = header(scope, b"x-request-id")
    if len(names) == 1 and _REQUEST_ID.fullmatch(names[0]):
        return names[0]
    return os.urandom(16).hex()


def _check_host(scope: Scope, allowed: frozenset[tuple[str, int | None]]) -> None:
    """Raise HTTPRefusal without exactly one Host (400), or for a host of another server (421)."""
    values = header(scope, b"host")
    if len(values) != 1:
        raise HTTPRefusal(400, {"error": "A request needs exactly one Host header"})
    host = _parse_host(values[0])
    if host is None or not {host, (host[0], None)} & allowed:
        reason = "This Host is not allowed; start the server with `--allowed-host` to allow it"
        raise HTTPRefusal(421, {"error": reason})


def _check_message(scope: Scope, body: bytes) -> None:
    """Put the JSON-RPC message of a body into `scope[MESSAGE]`. Raises HTTPRefusal (400) for a body
    without a valid message. A body of another path or Content-Type is not read.
    """
    if scope["path"] == ENDPOINT and _is_json(scope):
        try:
            scope[MESSAGE] = parse(body.decode(errors="replace"))
        except BadMessage as error:
            error.log("http")
            content = error.answer().model_dump(by_alias=True, exclude_unset=True)
            raise HTTPRefusal(400, content) from error


class ClientGone(Exception):
    """Raised if the client closes the connection before its request is whole."""


async def _read(scope: Scope, receive: Receive) -> bytes | None:
    """Return the body, or None if its declared or actual size is over `MAX_BODY_BYTES`. A smaller
    declared size is not believed. Raises ClientGone.
    """
    declared = header(scope, b"content-length")
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
    """Return a `receive` that gives the body once, whole, and then calls the given one."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        if pending:
            return pending.pop()
        return await receive()

    return replay


def _is_json(scope: Scope) -> bool:
    """Return whether the one Content-Type of a request is JSON; the SDK answers any other."""
    types = header(scope, b"content-type")
    return len(types) == 1 and types[0].partition(";")[0].strip().lower() == "application/json"


def called(message: JSONRPCMessage | None) -> str | None:
    """Return the tool named by a message of `tools/call`, also inside `call_tool`; None for any
    other message, or without a name. The tool may not exist: the caller of a tool checks again.
    """
    if not isinstance(message, JSONRPCRequest) or message.method != "tools/call":
        return None
    params = message.params or {}
    name, arguments = params.get("name"), params.get("arguments")
    if name == CALL and isinstance(arguments, dict):
        name = arguments.get("name")
    return name if isinstance(name, str) else None


async def _answer_probe(scope: Scope, send: Send, status: int, text: str) -> None:
    if scope["method"] in ("GET", "HEAD"):
        await answer(send, status, {"status": text})
    else:
        await answer(send, 405, {}, (b"allow", b"GET, HEAD"))
