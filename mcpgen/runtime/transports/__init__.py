"""Read one JSON-RPC 2.0 message from a client's text, for stdio and Streamable HTTP, or make the
error that answers it.

The SDK drops a line of stdio that it cannot read, and takes a request with an invalid `id` for a
notification: its client would wait for ever.
"""

from __future__ import annotations

import json
from typing import Any

from mcp.types import jsonrpc_message_adapter
from mcp.types.jsonrpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    RequestId,
)
from pydantic import ValidationError
from pydantic_core import from_json

from ..log import event


class BadMessage(Exception):
    """Text from a client that is not a message.

    `code` is -32700 (no JSON) or -32600 (no message; JSON-RPC 2.0, section 5.1), `request_id` the
    id of the request, or None if it cannot be read. `expects_answer` is false for a notification
    and for a response: neither is ever answered (section 4.1).
    """

    def __init__(
        self,
        code: int,
        reason: str,
        request_id: RequestId | None = None,
        expects_answer: bool = True,
    ) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.request_id = request_id
        self.expects_answer = expects_answer

    def answer(self) -> JSONRPCError:
        """Return the JSON-RPC error for the client: code and reason."""
        heading = "Parse error" if self.code == PARSE_ERROR else "Invalid request"
        data = ErrorData(code=self.code, message=f"{heading}: {self.reason}")
        return JSONRPCError(jsonrpc="2.0", id=self.request_id, error=data)

    def log(self, transport: str) -> None:
        """Log a warning `message_refused` with code, reason and transport, without any content."""
        event(
            "warning",
            "message_refused",
            transport=transport,
            code=self.code,
            answered=self.expects_answer,
            reason=self.reason,
        )


def parse(text: str) -> JSONRPCMessage:
    """Return the message in a JSON text. Raises BadMessage, also for an `id` of null or 1.5."""
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        raise bad_message(error, text) from None
    if isinstance(message, JSONRPCNotification) and "id" in from_json(text):
        raise BadMessage(INVALID_REQUEST, "`id` must be text or a whole number")
    return message


def bad_message(error: ValidationError, text: str | None = None) -> BadMessage:
    """Return the fault of a message that the SDK's model refused: code -32700 for text that is no
    JSON (its id is read from `text`, or from the error), else -32600.
    """
    errors = error.errors(include_url=False, include_context=True)
    if errors[0]["type"] == "json_invalid":
        source = text if text is not None else str(errors[0]["input"])
        return BadMessage(PARSE_ERROR, str(errors[0]["ctx"]["error"]), _readable_id(source))
    return _not_a_request(_whole(errors))


def _whole(errors: list[Any]) -> Any:
    """Return the JSON value that was judged: the object that lacks a member, or the value that is
    no object; `{}` if no error has it.
    """
    for error in errors:
        if error["type"] == "missing" or len(error["loc"]) == 1:
            return error["input"]
    return {}


def _not_a_request(value: Any) -> BadMessage:
    """Return a BadMessage (-32600) with the reason why a JSON value is not a message."""
    if isinstance(value, list):
        return BadMessage(
            INVALID_REQUEST, "batches are not part of MCP; send one message at a time"
        )
    if not isinstance(value, dict):
        return BadMessage(INVALID_REQUEST, "a message is a JSON object")
    request_id = value.get("id")
    method = value.get("method")
    outcome = value.keys() & {"result", "error"}
    if outcome and "method" not in value:
        return BadMessage(INVALID_REQUEST, "a malformed response", expects_answer=False)
    reason = "`method` must be text"
    if isinstance(method, str):
        reason = "`params` must be an object"
    if value.get("jsonrpc") != "2.0":
        reason = '`jsonrpc` must be `"2.0"`'
    if "id" in value and not _is_id(request_id):
        return BadMessage(INVALID_REQUEST, "`id` must be text or a whole number")
    is_notification = isinstance(method, str) and "id" not in value
    return BadMessage(INVALID_REQUEST, reason, request_id, expects_answer=not is_notification)


def _is_id(value: Any) -> bool:
    return type(value) in (str, int)


def _readable_id(text: str) -> RequestId | None:
    """Return the `id` of a message that only a lenient parser reads (a lone surrogate, a huge
    number); None if that fails, too, or the `id` is neither text nor a whole number.
    """
    try:
        value = json.loads(text, parse_int=_short)
        request_id = value.get("id")
        str(request_id).encode()
    except (ValueError, AttributeError, RecursionError):
        return None
    return request_id if _is_id(request_id) else None


def _short(digits: str) -> float:
    """Return a whole number as int, or as float (no valid id) from 19 characters on."""
    return int(digits) if len(digits) < 19 else float(digits)
