"""`mcpgen.toml` as data: the sources, the selection of operations, and changes to texts and
names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ..problems import Place
from ..runtime.client.settings import Shaping

DEFAULT_PARTS = ("http",)
"""The `parts` of a new project."""


class KnownFields(type):
    """The type of a dataclass whose error about an unknown field names a similar one."""

    def __call__(cls, *args: Any, **given: Any) -> Any:
        """Make an instance. Raises TypeError for wrong fields."""
        try:
            return super().__call__(*args, **given)
        except TypeError:
            from .keywords import refuse_fields

            refuse_fields(cls, given)
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentConfig(metaclass=KnownFields):
    """The user's settings for an argument of a tool."""

    name: str | None = None
    description: str | None = None
    hidden: bool = False
    value: Any = None
    default: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerConfig(Shaping):
    """The shape of one tool's answer, as the model sees it; `full`: items stay whole."""

    full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConfig(metaclass=KnownFields):
    """The user's settings for one operation, keyed by its operationId or by `METHOD /path`."""

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
    confirm: bool | None = None
    budget: int | None = None
    rate: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(metaclass=KnownFields):
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
class ApiConfig(metaclass=KnownFields):
    """The user's settings for an API of several. Without `path` and `url` its document is one of
    `Config.sources`.
    """

    path: str | None = None
    url: str | None = None
    prefix: str | None = None
    base_url: str | None = None
    auth: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    toolset: str | None = None
    overlays: tuple[str, ...] = ()
    allow_origins: tuple[str, ...] = ()
    separate: bool = False
    """Whether it shares no variables with another API at the same address."""
    selection: Selection = Selection()
    """Which of its operations become tools, in the words of its own document."""

    @property
    def source(self) -> str | None:
        """The path or URL of its document; None without any."""
        return self.path or self.url


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """Names that a run must keep: from the last run, and chosen by the user.

    Operations are `METHOD /path` in today's document, unless a field says otherwise.

    * `tools`: operation → name of its tool.
    * `arguments`: operation → (place, wire name) → argument name.
    * `bodies`: operation → wire names of its body arguments at the last run.
    * `gone_arguments`: operation → words for arguments of earlier documents.
    * `toolsets`: operation → its toolset at the last run.
    * `models`: origin of a type in `models.py` → its class name.
    * `credentials`: name of a credential → its variables.
    * `chosen`: name in `mcpgen.toml` → its operation.
    * `chosen_arguments`: operation → chosen argument name → key of the argument's table.
    * `formerly`: key of `[tools]` in words of an older document → today's operation; empty if gone.
    * `successors`: key of `[tools]` whose operation is gone → the operation it may be today.
    * `tags`: operation → its tags.
    * `env_prefix`: that of the last run; empty for a renamed server.
    """

    tools: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, dict[tuple[str, str], str]] = field(default_factory=dict)
    bodies: dict[str, frozenset[str]] = field(default_factory=dict)
    gone_arguments: dict[str, frozenset[str]] = field(default_factory=dict)
    toolsets: dict[str, str] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    credentials: dict[str, tuple[str, ...]] = field(default_factory=dict)
    chosen: dict[str, str] = field(default_factory=dict)
    chosen_arguments: dict[str, dict[str, str]] = field(default_factory=dict)
    formerly: dict[str, str] = field(default_factory=dict)
    successors: dict[str, str] = field(default_factory=dict)
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    env_prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(metaclass=KnownFields):
    """Everything `generate` takes besides the document."""

    sources: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    workflows: tuple[str, ...] = ()
    """Arazzo documents whose workflows become tools."""
    draft: str | None = None
    ref_root: str | None = None
    ref_map: tuple[str, ...] = ()
    """Items such as `https://example.com/schemas/=schemas`."""
    max_bytes: int | None = None
    fetch_seconds: int | None = None
    fetch_headers: tuple[str, ...] = ()
    """Items such as `Authorization: env:NAME`."""
    python: str | None = None
    """The interpreter that imports an app. None: the environment that is active, or near it."""
    fetch_certificate: str | None = None
    fetch_key: str | None = None
    lazy: bool | None = None
    """None: where the list of tools is long."""
    code: bool = False
    confirm: bool = False
    parts: tuple[str, ...] | None = None
    """None: `DEFAULT_PARTS`."""
    runtime: Literal["copied", "installed"] = "copied"
    catalogue: bool = False
    inside: bool = False
    """The project is a package of the app around it."""
    structured_content: bool = True
    profile: Literal["portable", "rich"] = "portable"
    name: str | None = None
    env_prefix: str | None = None
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
    forward_headers: tuple[str, ...] = ()
    """Headers that are the caller's own."""
    apis: dict[str, ApiConfig] = field(default_factory=dict)
    """Further APIs by their names."""
    selection: Selection = Selection()
    tools: dict[str, ToolConfig] = field(default_factory=dict)
    globs: dict[str, ToolConfig] = field(default_factory=dict)
    """Tables for the tools whose names, operationIds or `METHOD /path` match."""
    tags: dict[str, ToolConfig] = field(default_factory=dict)
    """Tables for the tools with a tag of the document."""
    pinned: Pinned = field(default_factory=Pinned)
    known_apis: dict[str, str] = field(default_factory=dict)
    """`Lock.apis` of the last run."""
    known_servers: Mapping[str, Any] = field(default_factory=dict)
    """`Lock.servers` of the last run."""
    known_operations: dict[str, set[str]] = field(default_factory=dict)
    """API → `METHOD /path` of each tool of the last run."""
    project: Path | None = None
    """The project whose copies of the document may be read. None: the originals are read."""
    folder: Path | None = None
    """The project, where there is one."""
    anew: bool = False
    """Whether what came from a URL or standard input is read from there, though it has a copy."""
    places: dict[tuple[str, ...], Place] = field(default_factory=dict, compare=False, repr=False)
    """Positions of the tables and keys under `answers` and `tools` in `mcpgen.toml`."""

    @property
    def documents(self) -> tuple[str, ...]:
        """The paths and URLs of all documents, those of further APIs last."""
        return (*self.sources, *filter(None, (api.source for api in self.apis.values())))

    def of_api(self, name: str) -> Config:
        """Return the configuration for a further API: base URL, credentials and headers are its own
        alone (none for an unknown API), its allowed origins are added, and there is no title.
        """
        api = self.apis.get(name, ApiConfig())
        return replace(
            self,
            title=None,
            base_url=api.base_url,
            auth_scheme=api.auth,
            auth_description=None,
            headers=api.headers,
            allow_origins=(*self.allow_origins, *api.allow_origins),
        )
