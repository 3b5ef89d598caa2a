"""`mcpgen.toml` as data: what to generate from, what to leave out, and what to say differently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ..problems import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentConfig:
    """What the user says of one argument of one tool."""

    name: str | None = None
    description: str | None = None
    hidden: bool = False
    value: Any = None
    default: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerConfig:
    """How the answer of one tool is shaped before the model sees it."""

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    strip_nulls: bool = False
    full: bool = False
    redact: tuple[str, ...] = ()
    table: bool = False
    xml: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConfig:
    """What the user says of one operation, keyed by its operationId or by `METHOD /path`."""

    name: str | None = None
    title: str | None = None
    description: str | None = None
    toolset: str | None = None
    enabled: bool = True
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    arguments: dict[str, ArgumentConfig] = field(default_factory=dict)
    answer: AnswerConfig = AnswerConfig()
    budget: int | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which operations become tools: every given include must match, no exclude may."""

    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    include_paths: tuple[str, ...] = ()
    exclude_paths: tuple[str, ...] = ()
    include_methods: tuple[str, ...] = ()
    exclude_methods: tuple[str, ...] = ()
    include_operations: tuple[str, ...] = ()
    exclude_operations: tuple[str, ...] = ()
    deprecated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything `generate` takes besides the document."""

    sources: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    draft: str | None = None
    ref_root: str | None = None
    max_bytes: int | None = None
    fetch_seconds: int | None = None
    fetch_headers: tuple[str, ...] = ()
    """Items such as `Authorization: env:NAME`."""
    lazy: bool = True
    profile: Literal["portable", "rich"] = "portable"
    name: str | None = None
    title: str | None = None
    base_url: str | None = None
    allow_origins: tuple[str, ...] = ()
    full_answers: bool = False
    redact: tuple[str, ...] = ()
    auth_scheme: str | None = None
    """`bearer`, `basic`, `header:NAME` or `query:NAME`."""
    auth_description: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    """Constant headers of every request to the API."""
    selection: Selection = Selection()
    tools: dict[str, ToolConfig] = field(default_factory=dict)
    bindings: dict[str, str] = field(default_factory=dict)
    """Tool names pinned by the lock file: `METHOD /path` → tool name."""
    formerly: dict[str, str] = field(default_factory=dict)
    """Keys of `tools` in words of an older document: key → `METHOD /path` today, or empty when it
    is gone.
    """
    places: dict[tuple[str, ...], Place] = field(default_factory=dict, compare=False, repr=False)
    """Where the tables and keys under `tools` stand in `mcpgen.toml`."""
