"""Answer a request over HTTP in one piece, where nothing streams.

A caller that did not ask for progress gets one JSON document. In the handshake era the SDK opens a
session, four memory streams, two tasks and an event stream for each request; `serve_one`, its
driver for single requests, needs none of them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.connection import Connection
from mcp.server.runner import modern_error_data, serve_one
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp.types import DEFAULT_NEGOTIATED_VERSION
from mcp.types.jsonrpc import JSONRPCError, JSONRPCRequest, RequestId
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

from .guard import MESSAGE, ASGIApp, Message, Receive, Scope, Send

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

METHODS = frozenset({"tools/call", "tools/list", "ping"})
_VERSION = b"mcp-protocol-version"
_JSON = (b"content-type", b"application/json")


@dataclass(slots=True)
class OneAnswer:
    """A request's way back to its caller: one answer, and nothing before it.

    Has the shape of the SDK's `DispatchContext`.
    """

    request_id: RequestId
    transport: TransportContext
    message_metadata: ServerMessageMetadata
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    can_send_request: bool = False

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: Any = None
    ) -> dict[str, Any]:
        """Nothing can be asked of the caller."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        """A notification has no way to the caller, and is dropped."""

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """The caller did not ask for progress."""


class Exchange:
    """The application behind the guard: it chooses how a request is answered.

    `streaming` is the SDK's application, `plain` its manager that answers with JSON; both serve
    `server`.
    """

    def __init__(
        self, server: Server[Any], streaming: ASGIApp, plain: StreamableHTTPSessionManager
    ) -> None:
        self._server = server
        self._streaming = streaming
        self._plain = plain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        if scope["type"] == "lifespan":
            async with self._plain.run():
                await self._streaming(scope, receive, send)
            return
        message = scope.get(MESSAGE)
        if not isinstance(message, JSONRPCRequest) or not _is_plain(message):
            await self._streaming(scope, receive, send)
            return
        request = Request(scope)
        if not all(check_accept_headers(request)):
            await self._streaming(scope, receive, send)
            return
        body = await receive()
        with anyio.CancelScope() as call:
            caller = asyncio.create_task(_cancel_when_gone(call, receive))
            try:
                if _version(scope) in HANDSHAKE_PROTOCOL_VERSIONS:
                    await _send_json(await self._answer(message, request), send)
                else:
                    await self._plain.handle_request(scope, _once(body), send)
            finally:
                caller.cancel()

    async def _answer(self, message: JSONRPCRequest, request: Request) -> bytes:
        """The answer to a request of the handshake era."""
        transport = TransportContext(
            kind="streamable-http", can_send_request=False, headers=request.headers
        )
        context = OneAnswer(message.id, transport, ServerMessageMetadata(request_context=request))
        try:
            result = await serve_one(
                self._server,
                context,
                message.method,
                message.params,
                connection=Connection.from_envelope(_version(request.scope), None, None),
                lifespan_state={},
            )
        except Exception as error:
            failure = JSONRPCError(jsonrpc="2.0", id=message.id, error=modern_error_data(error))
            return failure.model_dump_json(by_alias=True, exclude_unset=True).encode()
        answer = {"jsonrpc": "2.0", "id": message.id, "result": result}
        return json.dumps(answer, separators=(",", ":")).encode()


def _is_plain(message: JSONRPCRequest) -> bool:
    """Whether nothing but the answer can be sent for a request."""
    if message.method not in METHODS:
        return False
    meta = (message.params or {}).get("_meta")
    return not isinstance(meta, dict) or "progressToken" not in meta


def _version(scope: Scope) -> str:
    """The protocol version a request names, or the one it stands for where it names none (MCP
    2025-11-25, Transports, "Protocol Version Header").
    """
    for key, value in scope["headers"]:
        if key == _VERSION:
            return str(value.decode("latin-1"))
    return DEFAULT_NEGOTIATED_VERSION


async def _cancel_when_gone(call: anyio.CancelScope, receive: Receive) -> None:
    """Cancel a call when its caller closes the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
    call.cancel()


def _once(body: Message) -> Receive:
    """A `receive` that gives a body, and then waits until it is cancelled."""
    pending = [body]

    async def receive() -> Message:
        if not pending:
            await anyio.sleep_forever()
        return pending.pop()

    return receive


async def _send_json(body: bytes, send: Send) -> None:
    headers = [_JSON, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
