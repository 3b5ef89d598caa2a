"""Answer `tools/call`, `tools/list` and `ping` over HTTP with one JSON document, where nothing
streams: the caller did not ask for progress.

The SDK's transports open a session, four streams and two tasks for each request of the handshake
era, and read the body of a later one twice more; its runner needs none of that.
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
"""Never set: a call that answers in one piece is cancelled, not asked to end."""


@dataclass(slots=True)
class OneAnswer:
    """Context of a request that gets a single answer: no question, notification or progress.

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
        """Raise NoBackChannelError: nothing can be asked of the caller."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        """Drop a notification: it has no way to the caller."""

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Drop a report: the caller did not ask for progress."""


class Exchange:
    """ASGI application behind the guard. A plain request gets its answer here, in one piece.

    `streaming`, the SDK's application for `server`, serves every other request and the lifespan.
    """

    def __init__(self, server: Server[Any], streaming: ASGIApp) -> None:
        self._server = server
        self._streaming = streaming

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a plain request here, cancelled if its client leaves; pass on every other."""
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
        """Return the HTTP status and the JSON body for a request. The status of an error is 200 in
        the handshake era, and follows its code in 2026-07-28 (Transports, "Streamable HTTP").
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
    """Return the connection of a request of 2026-07-28. Raises MCPError if its `_meta` and headers
    are incomplete, repeated or do not agree (Transports, "Standard Request Headers").
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
    """Wait until the client closes the connection, then cancel its call."""
    while (await receive())["type"] != "http.disconnect":
        pass
    call.cancel()


def _is_plain(message: JSONRPCRequest) -> bool:
    """Return whether a request is one of `METHODS` without a progress token: it gets one answer."""
    if message.method not in METHODS:
        return False
    meta = (message.params or {}).get("_meta")
    return not isinstance(meta, dict) or "progressToken" not in meta


def _version(scope: Scope) -> str:
    """Return the protocol version in a request's header, or the default version (MCP 2025-11-25,
    Transports, "Protocol Version Header").
    """
    for key, value in scope["headers"]:
        if key == _VERSION:
            return str(value.decode("latin-1"))
    return DEFAULT_NEGOTIATED_VERSION
