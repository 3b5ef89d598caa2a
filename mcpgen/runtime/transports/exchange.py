"""Answer a request over HTTP in one piece, where nothing streams.

A caller that did not ask for progress gets one JSON document. The SDK's transports open a session,
four streams and two tasks for each request of the handshake era, and read the body of a later one
twice more; its runner needs none of that. The checks of an envelope are the SDK's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.connection import Connection
from mcp.server.runner import ServerRunner, modern_error_data
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
)
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp.types import DEFAULT_NEGOTIATED_VERSION
from mcp.types.jsonrpc import HEADER_MISMATCH, JSONRPCError, JSONRPCRequest, RequestId
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic_core import to_json
from starlette.requests import Request

from .guard import MESSAGE, ASGIApp, Receive, Scope, Send, respond

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

METHODS = frozenset({"tools/call", "tools/list", "ping"})
_VERSION = b"mcp-protocol-version"
_JSON = (b"content-type", b"application/json")
_NEVER = anyio.Event()
"""Nothing asks a call that answers in one piece to end: it is cancelled."""


@dataclass(slots=True)
class OneAnswer:
    """A request's way back to its caller: one answer, and nothing before it.

    Has the shape of the SDK's `DispatchContext`.
    """

    request_id: RequestId
    transport: TransportContext
    message_metadata: ServerMessageMetadata
    cancel_requested: anyio.Event = _NEVER
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

    `streaming` is the SDK's application for `server`.
    """

    def __init__(self, server: Server[Any], streaming: ASGIApp) -> None:
        self._server = server
        self._streaming = streaming

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        message = scope.get(MESSAGE)
        if not isinstance(message, JSONRPCRequest) or not _is_plain(message):
            await self._streaming(scope, receive, send)
            return
        request = Request(scope)
        if not all(check_accept_headers(request)):
            await self._streaming(scope, receive, send)
            return
        with anyio.CancelScope() as call:
            watch = asyncio.ensure_future(_leaves(receive, call))
            try:
                status, body = await self._answer(message, request)
            finally:
                watch.cancel()
            headers = [_JSON, (b"content-length", b"%d" % len(body))]
            await respond(send, status, headers, body)

    async def _answer(self, message: JSONRPCRequest, request: Request) -> tuple[int, bytes]:
        """The answer to a request and its status: 200 for an error of the handshake era, a status
        of its own for one of 2026-07-28 (Transports, "Streamable HTTP").
        """
        transport = TransportContext(
            kind="streamable-http", can_send_request=False, headers=request.headers
        )
        context = OneAnswer(message.id, transport, ServerMessageMetadata(request_context=request))
        version = _version(request.scope)
        is_handshake = version in HANDSHAKE_PROTOCOL_VERSIONS
        try:
            if is_handshake:
                connection = Connection(context, protocol_version=version)
                connection.initialized.set()
            else:
                connection = _connection(message, request)
            # Nothing is to be closed after it: no tool can reach the connection
            runner = ServerRunner(self._server, connection, {})
            result = await runner.on_request(context, message.method, message.params)
            with suppress(AttributeError):
                del runner.on_request  # mcp 2.3 keeps it: the runner holds itself, and the call
        except Exception as error:
            data = modern_error_data(error)
            failure = JSONRPCError(jsonrpc="2.0", id=message.id, error=data)
            body = failure.model_dump_json(by_alias=True, exclude_none=True).encode()
            if is_handshake:
                return 200, body
            return ERROR_CODE_HTTP_STATUS.get(data.code, 200), body
        return 200, to_json({"jsonrpc": "2.0", "id": message.id, "result": result})


def _connection(message: JSONRPCRequest, request: Request) -> Connection:
    """Read the caller of a request of 2026-07-28. Raises MCPError if its `_meta` and its
    headers are not complete or do not agree (Transports, "Standard Request Headers").
    """
    repeated = find_duplicated_routing_header(request.headers.items())
    if repeated is not None:
        reason = f"{repeated} header appears more than once"
        raise MCPError(HEADER_MISMATCH, reason)
    envelope = {"method": message.method, "params": message.params}
    route = classify_inbound_request(envelope, headers=request.headers)
    if isinstance(route, InboundLadderRejection):
        raise MCPError(route.code, route.message, route.data)
    return Connection.from_envelope(
        route.protocol_version, route.client_info, route.client_capabilities
    )


async def _leaves(receive: Receive, call: anyio.CancelScope) -> None:
    """Cancel a call when its client closes the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
    call.cancel()


def _is_plain(message: JSONRPCRequest) -> bool:
    """Return whether nothing but the answer can be sent for a request."""
    if message.method not in METHODS:
        return False
    meta = (message.params or {}).get("_meta")
    return not isinstance(meta, dict) or "progressToken" not in meta


def _version(scope: Scope) -> str:
    """Return the protocol version named by a request, or the default version (MCP 2025-11-25,
    Transports, "Protocol Version Header").
    """
    for key, value in scope["headers"]:
        if key == _VERSION:
            return str(value.decode("latin-1"))
    return DEFAULT_NEGOTIATED_VERSION
