"""The content of the next lock of a server, and its hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .. import ir
from ..config.model import DEFAULT_PARTS
from ..lint.hidden_text import kinds_of
from ..version import __version__
from .model import HINTS, LOGIN, ArgumentKey, Former, Lock, Operation, ToolLock, same

if TYPE_CHECKING:
    from ..config import Config

LATER = (
    *("code", "draft", "auth_scheme", "auth_description", "headers", "full_answers", "redact"),
    *("globs", "tags", "apis", "confirm", "catalogue", "forward_headers", "env_prefix"),
    "inside",
)
"""Fields that came later than others: unset, they leave the hash of a project as it was."""
DEFAULTS = {
    "lazy": (None,),
    "parts": (None, DEFAULT_PARTS),
    "runtime": ("copied",),
    "structured_content": (True,),
}
"""Field → its values that leave the hash of a project as it was."""
NOT_HASHED = tuple(
    (
        "sources overlays workflows ref_root ref_map max_bytes fetch_seconds fetch_headers places "
        "project folder anew python fetch_certificate fetch_key pinned known_apis known_servers "
        "known_operations"
    ).split()
)
"""Fields of a `Config` that do not shape the result, or that shape it by way of the document or the
lock.
"""


def text_hash(content: str | bytes) -> str:
    """Return the SHA-256 of a file, in hexadecimal, with CRLF and lone CR read as LF; bytes with a
    NUL are hashed as they are.
    """
    data = content.encode() if isinstance(content, str) else content
    if b"\r" in data and b"\0" not in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return hashlib.sha256(data).hexdigest()


def data_hash(value: Any) -> str:
    """Return the first 16 hex digits of the SHA-256 of a JSON value in canonical form."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def config_hash(config: Config) -> str:
    """Return the `data_hash` of all in the configuration that shapes the result, besides the
    document and its overlays.
    """
    data = asdict(config)
    for key in NOT_HASHED:
        del data[key]
    for api in data["apis"].values():
        del api["path"], api["url"], api["overlays"]
        if not api["separate"]:
            del api["separate"]
    for table in (*data["tools"].values(), *data["tags"].values()):
        if table["rate"] is None:
            del table["rate"]
    for key in LATER:
        if not data[key]:
            del data[key]
    for key, defaults in DEFAULTS.items():
        if data[key] in defaults:
            del data[key]
    return data_hash(data)


def facts(
    server: ir.Server, *, parsed: ir.Server | None = None, before: Lock | None = None, **known: Any
) -> Lock:
    """Return the lock of one run, without the files.

    `parsed` is the server before the configuration changed it, `before` the lock of the last run,
    and `known` are fields of `Lock` that the server does not tell: `document` (hash of the
    normalised document), `openapi` (its version), `config` (hash of the configuration).
    """
    memory = _Memory(parsed or server, before)
    original_names = dict(server.original_names)
    tools = []
    for toolset in server.toolsets:
        for tool in toolset.tools:
            operation = tool.origin.operation
            own_name = original_names.get(operation, tool.name)
            tools.append(_tool(server, tool, toolset.name, own_name, memory))
    return Lock(
        generator=__version__,
        **{"document": "", "openapi": "", "config": "", **known},
        base_url=server.base_url,
        allowed_origins=server.allowed_origins,
        auth={auth.name: _auth(auth) for auth in server.auth},
        security=server.security,
        tools=tuple(tools),
        former=memory.former(tools),
        models=server.model_names,
        name=server.name,
        env_prefix=server.env_prefix,
    )


class _Memory:
    """The names that tools and arguments have and had, before the configuration renamed them."""

    def __init__(self, parsed: ir.Server, before: Lock | None) -> None:
        self.before = before
        self.arguments: dict[str, dict[str, ArgumentKey]] = {}
        listed: list[Operation] = []
        for tool in parsed.tools:
            operation = tool.origin.operation
            listed.append((operation, tool.origin.operation_id))
            self.arguments[operation] = {
                argument.name: (argument.place, argument.wire_name) for argument in tool.arguments
            }
            if tool.listing.fields:
                self.arguments[operation][tool.listing.fields] = ir.CHOOSES_FIELDS
        self.last: dict[str, ToolLock | Former] = {}
        """`METHOD /path` today → what the last lock says of that operation."""
        self.unmatched: list[ToolLock | Former] = []
        if before is not None:
            self._remember(before.tools, listed)
            left = [pair for pair in listed if pair[0] not in self.last]
            self._remember(before.former, left)

    def _remember(self, entries: Sequence[ToolLock | Former], listed: list[Operation]) -> None:
        today = same([entry.identity for entry in entries], listed)
        for entry in entries:
            operation = today.get(entry.identity)
            if operation is None:
                self.unmatched.append(entry)
            else:
                self.last[operation] = entry

    def gone_arguments(self, operation: str) -> dict[str, ArgumentKey]:
        """Return name → key of the arguments of earlier documents, without those whose name or key
        is in use today.
        """
        entry = self.last.get(operation)
        if entry is None:
            return {}
        earlier = dict(entry.arguments)
        if isinstance(entry, ToolLock):
            earlier = {**entry.gone_arguments, **earlier}
        now = self.arguments.get(operation, {})
        keys = set(now.values())
        return {name: key for name, key in earlier.items() if name not in now and key not in keys}

    def former(self, tools: list[ToolLock]) -> tuple[Former, ...]:
        """Return all former tools: tools of the last lock that are none today, and its former
        ones.
        """
        current = {tool.operation for tool in tools}
        entries = [entry for operation, entry in self.last.items() if operation not in current]
        former = [_former(entry) for entry in (*self.unmatched, *entries)]
        return tuple(sorted(former, key=lambda entry: (entry.own_name, entry.operation)))


def _former(entry: ToolLock | Former) -> Former:
    if isinstance(entry, Former):
        return entry
    return Former(
        operation=entry.operation,
        operation_id=entry.operation_id,
        own_name=entry.own_name,
        arguments={**entry.gone_arguments, **entry.arguments},
    )


def _auth(auth: ir.Auth) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "kind": auth.kind,
        "place": auth.place,
        "wire_name": auth.wire_name,
        "scheme": auth.scheme,
        "token_url": auth.token_url,
        "scopes": list(auth.scopes),
        "variables": list(auth.variables),
    }
    if auth.login is not None:
        facts["login"] = _login(auth.login)
    if not auth.declared:
        facts["declared"] = False
    return facts


def _login(login: ir.Login) -> dict[str, Any]:
    """Return the endpoints and scopes of a login, without empty ones."""
    facts: dict[str, Any] = {}
    for key in LOGIN:
        value = getattr(login, key)
        if value:
            facts[key] = value
    return facts


def _tool(
    server: ir.Server, tool: ir.Tool, toolset: str, own_name: str, memory: _Memory
) -> ToolLock:
    operation = tool.origin.operation
    base_url, security = server.call_of(tool)
    return ToolLock(
        name=tool.name,
        own_name=own_name,
        operation_id=tool.origin.operation_id,
        method=tool.origin.method,
        path=tool.origin.place,
        toolset=toolset,
        text=data_hash([tool.title, tool.description]),
        schema=data_hash([tool.input_schema, tool.output_schema]),
        hints={name: getattr(tool.hints, name) for name in HINTS},
        arguments=memory.arguments.get(operation, {}),
        gone_arguments=memory.gone_arguments(operation),
        base_url=base_url,
        security=security,
        odd=kinds_of(
            tool.title,
            tool.description,
            json.dumps([tool.input_schema, tool.output_schema], ensure_ascii=False),
        ),
    )
