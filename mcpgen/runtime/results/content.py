"""Return values of a tool's function, and its helpers while it works.

A function returns text, data (a dict, a list, a dataclass, ...), one of the helpers below,
or a list of texts and helpers:

    return Image(png_bytes, "image/png")
    return [Text("Three books"), ResourceLink("https://example.com/books.csv", "books.csv")]
    return Structured({"books": 3}, text="Three books found")

It raises `ToolError("...")` to report an error to the model, and reports progress through
its `context`.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import decimal
import enum
import json
import re
import uuid
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from . import compact, sendable

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

CALLER = "mcp.caller"
"""Key of a request's caller in the ASGI scope; None if callers are not distinguished."""

SENDER = "mcp.sender"
"""Key under which the ASGI scope has what is written down of a request: its `address`, its id
(`request`), and `issuer`, `subject`, `client` and `key` where callers are authenticated.
"""

CHOICE = "mcp.choice"
"""Key of the tools that a connection wants (`guard.Choice`) in the ASGI scope."""

Block = dict[str, Any]
"""A content block as JSON (MCP, `ContentBlock`)."""


class ToolError(Exception):
    """A call that cannot be done; its text is for the model and must say what to do instead."""

    status = "tool_error"
    """Status in the log."""


class InputRequired(Exception):
    """A call that is answered with a question (MCP 2026-07-28); `result` is the answer."""

    def __init__(self, result: dict[str, Any]) -> None:
        super().__init__("a person has to answer first")
        self.result = result


@dataclasses.dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str

    def block(self) -> Block:
        """Return the content block, as JSON."""
        return {"type": "text", "text": self.text}


_PICTURES = {
    "image/png": rb"\x89PNG\r\n\x1a\n",
    "image/jpeg": rb"\xff\xd8\xff",
    "image/gif": b"GIF8[79]a",
    "image/webp": rb"RIFF[\0-\xff]{4}WEBP",
}


def picture(data: bytes) -> str:
    """Return the media type of a PNG, JPEG, GIF or WebP, by its first bytes; else empty."""
    return next((kind for kind, first in _PICTURES.items() if re.match(first, data)), "")


@dataclasses.dataclass(frozen=True, slots=True)
class Image:
    """Picture: its bytes and their media type; known first bytes overrule this."""

    data: bytes
    media_type: str = "image/png"

    def block(self) -> Block:
        """Return the content block, the bytes as base64."""
        return _encoded("image", self.data, picture(self.data) or self.media_type)


@dataclasses.dataclass(frozen=True, slots=True)
class Audio:
    """A sound: its bytes and their media type."""

    data: bytes
    media_type: str = "audio/wav"

    def block(self) -> Block:
        """Return the content block, the bytes as base64."""
        return _encoded("audio", self.data, self.media_type)


def _encoded(kind: str, data: bytes, media_type: str) -> Block:
    return {"type": kind, "data": base64.b64encode(data).decode(), "mimeType": media_type}


@dataclasses.dataclass(frozen=True, slots=True)
class ResourceLink:
    """A link to something the client can fetch by itself. `size` is in bytes."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    media_type: str | None = None
    size: int | None = None

    def block(self) -> Block:
        """Return the content block, without the members that are None."""
        members = {"type": "resource_link", **dataclasses.asdict(self)}
        members["mimeType"] = members.pop("media_type")
        return {key: value for key, value in members.items() if value is not None}


@dataclasses.dataclass(frozen=True, slots=True)
class Resource:
    """An embedded resource: text or bytes together with their URI."""

    uri: str
    data: str | bytes
    media_type: str | None = None

    def block(self) -> Block:
        """Return the content block, bytes as base64."""
        inner: Block = {"uri": self.uri}
        if self.media_type is not None:
            inner["mimeType"] = self.media_type
        if isinstance(self.data, str):
            inner["text"] = self.data
        else:
            inner["blob"] = base64.b64encode(self.data).decode()
        return {"type": "resource", "resource": inner}


@dataclasses.dataclass(frozen=True, slots=True)
class Structured:
    """Data for programs and, beside it, a text for the model (the data as JSON where none is
    given).
    """

    data: Any
    text: str | None = None


class Context:
    """Call that a function is working for.

    A function that wants it takes a parameter called `context` before its arguments.
    """

    def __init__(
        self, request: ServerRequestContext[Any, Any] | None = None, tool: str = ""
    ) -> None:
        self.tool = tool
        self.server: Any = None
        """Server (`App`) that was called."""
        self.steps: list[Any] = []
        """The `Steps` of the workflows that are running, the outermost first."""
        self.remarks: list[str] = []
        """Texts to add to the result of a successful call."""
        self.reading: Mapping[str, Any] = {}
        """Arguments of the server itself for reading the API's answer (`answer_part`)."""
        self.limit: Any = None
        """Time limit of the call (`anyio.CancelScope`)."""
        self.end = contextlib.ExitStack()
        """Contexts that end with the call."""
        self.begun = False
        """Whether a function works for the call, which then cannot be repeated."""
        self.confirmed = False
        """Whether a person agreed to the call."""
        self.sent_by = request
        """Request of the protocol, if there is one."""
        self._last = float("-inf")

    async def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the caller how far the work is; nothing is sent unless the caller asked.

        Values that do not grow are left out, as the protocol wants them to grow, and so is what is
        no finite number.
        """
        if self.sent_by is None or not self._last < done < float("inf"):
            return
        self._last = done
        if total is not None and not abs(total) < float("inf"):
            total = None
        await self.sent_by.session.report_progress(done, total, sendable(message))

    @property
    def request(self) -> Any:
        """Transport's request; None on stdio."""
        return self.sent_by.request if self.sent_by is not None else None

    def done(self) -> list[Block]:
        """Return a text block for each running workflow: the steps done before the call ended."""
        return [Text(steps.summary()).block() for steps in self.steps]

    @property
    def wanted(self) -> bool:
        """Whether the caller asked for progress."""
        meta = getattr(self.sent_by, "meta", None)
        return "progress_token" in (meta or ())

    @property
    def caller(self) -> Any:
        """Caller (`secrets.Caller`); None on stdio, and if all callers share one token."""
        return None if self.request is None else self.request.scope.get(CALLER)

    def offers(self, entry: Any) -> bool:
        """Return whether the connection wants `entry` (or chose nothing); false for None."""
        scope: Any = getattr(self.request, "scope", {})
        if entry is None or CHOICE not in scope:
            return entry is not None
        return bool(scope[CHOICE].takes(entry))

    @property
    def sender(self) -> Mapping[str, str]:
        """Fields that say who called (`SENDER`); none on stdio."""
        sender: Mapping[str, str] = getattr(self.request, "scope", {}).get(SENDER, {})
        return sender

    async def say(self, message: str) -> None:
        """Send a message as progress, one step after the last, if the caller asked for it."""
        await self.progress(max(self._last, 0) + 1, None, message)


@dataclasses.dataclass(slots=True)
class Call:
    """One call as `hooks.py` sees it: tool, checked arguments (yours to change), and context."""

    tool: str
    arguments: dict[str, Any]
    read_only: bool
    context: Context


def failure(text: str) -> dict[str, Any]:
    """Return a failed call with this text, as a `CallToolResult` in JSON."""
    return {"content": [Text(text).block()], "isError": True}


def result_of(value: Any, *, structured: bool) -> dict[str, Any]:
    """Convert a function's return value to a `CallToolResult` in JSON.

    With `structured` the tool declares an output schema: the result then also has the data
    as `structuredContent`, a value that is not an object as `{"result": value}`. Raises
    TypeError or ValueError for a value that JSON cannot express.
    """
    if isinstance(value, Text | Image | Audio | ResourceLink | Resource):
        return {"content": [value.block()]}
    if not structured:
        blocks = _blocks(value)
        if blocks:
            return {"content": blocks}
    text: str | None = None
    if isinstance(value, Structured):
        text, value, structured = value.text, value.data, True
    data = as_json(value)
    if text is None:
        text = data if isinstance(data, str) else compact(data)
    result: dict[str, Any] = {"content": [Text(text).block()]}
    if structured:
        result["structuredContent"] = data if isinstance(data, dict) else {"result": data}
    return result


def _blocks(value: Any) -> list[Block]:
    """Return content blocks for None, a text, or a list of texts and helpers; else none."""
    if value is None:
        return [Text("Done").block()]
    if isinstance(value, str):
        return [Text(value).block()]
    if not isinstance(value, list | tuple):
        return []
    blocks = []
    for item in value:
        if isinstance(item, str):
            item = Text(item)
        if not hasattr(item, "block"):
            return []
        blocks.append(item.block())
    return blocks


def as_json(value: Any) -> Any:
    """Return a value as JSON data, also a dataclass, model, date, enumeration, set or path. Raises
    TypeError or ValueError for what JSON cannot express.
    """
    return json.loads(json.dumps(value, default=_plain, allow_nan=False))


def _plain(value: Any) -> Any:
    """Return a dataclass, model, date, enumeration, set or path for `json`. Raises TypeError."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, uuid.UUID | PurePath | decimal.Decimal):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")
