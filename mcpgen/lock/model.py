"""The content of `mcpgen.lock`, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FORMAT = 1
HINTS = ("read_only", "destructive", "idempotent", "open_world")
LOGIN = ("authorization_url", "device_url", "token_url", "metadata_url", "scopes")
"""Recorded keys of a credential's login."""

Operation = tuple[str, str | None]
"""(`METHOD /path`, operationId)"""
ArgumentKey = tuple[str, str]
"""(place, name on the wire), as (`query`, `page-size`)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolLock:
    """The binding of one tool to its operation, and hashes of what the model sees.

    `own_name` is the name before the configuration renamed the tool. `arguments` maps the name of
    each argument, before the configuration renamed it, to its key, and `gone_arguments` those that
    earlier documents had. `security` is None where the server's own applies. `odd` is what is
    suspicious about its texts (`hidden_text.kinds_of`).
    """

    name: str
    own_name: str
    operation_id: str | None
    method: str
    path: str
    toolset: str
    text: str
    schema: str
    hints: Mapping[str, bool]
    arguments: Mapping[str, ArgumentKey] = field(default_factory=dict)
    gone_arguments: Mapping[str, ArgumentKey] = field(default_factory=dict)
    base_url: str | None = None
    security: tuple[tuple[str, ...], ...] | None = None
    odd: tuple[str, ...] = ()

    @property
    def operation(self) -> str:
        """`METHOD /path`."""
        return f"{self.method} {self.path}"

    @property
    def identity(self) -> Operation:
        """Both names of the operation."""
        return self.operation, self.operation_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """The names of a tool that is none now: its operation is disabled, filtered, or gone. When it
    returns, it gets them again.
    """

    operation: str
    operation_id: str | None
    own_name: str
    arguments: Mapping[str, ArgumentKey] = field(default_factory=dict)

    @property
    def identity(self) -> Operation:
        """Both names of the operation."""
        return self.operation, self.operation_id


@dataclass(frozen=True, slots=True)
class Once:
    """A file that was written once: the hash of what was written, and the version of mcpgen that
    wrote it. Both are empty where a lock of version 0.1.0 does not say it.

    `newest` is the hash of what mcpgen writes today, empty where that is the same.
    """

    hash: str
    generator: str
    newest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Everything `mcpgen.lock` says.

    `name` is the server's, so that a new title of the document does not rename it.
    `customised` is which operation each `[tools."…"]` table of the configuration is about, so that
    the table goes on applying when the document calls the operation something else. `models` is
    the class name of each type in `models.py`, by what the type is of. `files` is
    filled in by `write`: path → `text_hash`. So is `once`, which is about the files that are
    written once and are the user's. `earlier` is not written: it is the document's hash as version
    0.1.0 computed it, where the last run was by another version and had another hash.
    """

    generator: str
    document: str
    openapi: str
    config: str
    base_url: str | None
    allowed_origins: tuple[str, ...]
    auth: Mapping[str, Mapping[str, Any]]
    security: tuple[tuple[str, ...], ...]
    tools: tuple[ToolLock, ...]
    former: tuple[Former, ...] = ()
    customised: Mapping[str, Operation] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    once: Mapping[str, Once] = field(default_factory=dict)
    name: str = ""
    earlier: str = ""
