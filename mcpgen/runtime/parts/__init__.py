"""Seam between the kernel and the parts of a server.

A part is a package in `parts/` with a `PART`. `api.json` names the parts of a server, and the
kernel knows each by the class `Part` alone. A part imports its large modules when it is called.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ..package import StartError


def _nothing(settings: Any, *, stdio: bool) -> None:
    """Prepare nothing, for a part without a `prepare` of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFacts:
    """Facts about a part, for servers made without it."""

    variables: str = ""
    """Its settings, without the server's prefix, with spaces between them."""
    commands: tuple[str, ...] = ()
    about: str = ""
    """The use of it by people; `{command}` is the server's."""
    option: str = ""
    """The option that lists the tools its way."""
    remedy: str = ""
    """The way a server gets the part; empty for a part that `mcpgen.toml` names."""


PARTS = {
    "asgi": PartFacts(),
    "audit": PartFacts(variables="AUDIT LOG_ARGUMENTS"),
    "code": PartFacts(
        option="--code",
        remedy="put `code = true` at the top of mcpgen.toml and run `mcpgen generate`",
    ),
    "confirm": PartFacts(
        variables="CONFIRM_OPTIONAL CONFIRM_KEY",
        remedy="put `confirm = true` at the top of mcpgen.toml and run `mcpgen generate`",
    ),
    "describe": PartFacts(remedy="run `mcpgen generate`"),
    "exchange": PartFacts(
        variables=(
            "EXCHANGE_URL EXCHANGE_GRANT EXCHANGE_CLIENT_ID EXCHANGE_CLIENT_SECRET "
            "EXCHANGE_AUDIENCE EXCHANGE_SCOPES"
        )
    ),
    "functions": PartFacts(remedy="run `mcpgen generate`"),
    "http": PartFacts(
        about="`{command} --http` serves Streamable HTTP",
        variables=(
            "HTTP_TOKEN HTTP_OTHER_TOKEN HTTP_ALLOWED_ORIGINS HTTP_BODY_TIMEOUT "
            "HTTP_IDLE_TIMEOUT HTTP_MAX_CONNECTIONS HTTP_LIST_BYTES HTTP_GRACE "
            "MAX_CALLS_PER_CALLER CALL_RATE_PER_CALLER"
        ),
    ),
    "install": PartFacts(
        commands=("install", "uninstall"),
        about="`{command} install CLIENT` enters it into a client's settings",
    ),
    "login": PartFacts(
        commands=("login", "logout"),
        remedy="the API's description offers no login for a person: set its credentials",
    ),
    "oauth": PartFacts(
        variables=(
            "HTTP_ISSUER HTTP_AUTHORIZATION_SERVERS HTTP_AUDIENCE HTTP_RESOURCE HTTP_JWKS_URL "
            "HTTP_SCOPES HTTP_OFFERED_SCOPES HTTP_WRITE_SCOPES HTTP_TOOL_SCOPES "
            "INTROSPECTION_URL INTROSPECTION_CLIENT_ID INTROSPECTION_CLIENT_SECRET"
        )
    ),
    "redis": PartFacts(variables="REDIS_URL REDIS_MAX_CONCURRENCY"),
    "search": PartFacts(
        option="--lazy",
        remedy="put `lazy = true` at the top of mcpgen.toml and run `mcpgen generate`",
    ),
    "search-model": PartFacts(about="`search_tools` ranks by meaning, too"),
    "shell": PartFacts(
        commands=("list", "describe", "call", "completion"),
        about=(
            "`{command} list`, `{command} describe TOOL` and `{command} call TOOL KEY=VALUE...` use"
            " the tools from a shell"
        ),
    ),
    "telemetry": PartFacts(variables="TELEMETRY METRICS_PORT"),
    "workflows": PartFacts(variables="MAX_STEPS", remedy="run `mcpgen generate`"),
}
NAMED = tuple(name for name, part in PARTS.items() if not part.remedy)
"""The parts that `mcpgen.toml` names; the others follow from the document and the user's code."""
VARIABLES = {variable: name for name, part in PARTS.items() for variable in part.variables.split()}
"""Variable -> the part that reads it."""


def remedy(name: str) -> str:
    """Return how the owner of a server adds a part: "run `mcpgen add http` in its project"."""
    return PARTS[name].remedy or f"run `mcpgen add {name}` in its project"


Command = Callable[[str, list[str]], int]
"""Runs a command of the package of that name with these arguments; returns the exit code."""


@dataclass(frozen=True, slots=True)
class Mode:
    """Option for a different list of the tools: its name (`--lazy`), its help, and its maker."""

    option: str
    help: str
    front: Callable[..., Any]
    """Returns a `catalog.Front`, given the package, the catalog, the settings and a
    function that returns the quota.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Additions of a part; `settings` below are the server's (`settings.Settings`)."""

    settings: type[Any] | None = None
    """A dataclass whose fields are variables of the environment (`settings.variable`)."""
    reads: tuple[str, ...] = ()
    """The names of settings of a server with an API that it reads, too."""
    check: Callable[..., None] | None = None
    """Given its own settings and a `settings.Reader`, refuses those that do not fit together."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """First word of the command line -> the function that runs it."""
    words: Callable[[], Iterable[str]] = tuple
    """Returns the words that may follow its commands, for completion."""
    mode: Mode | None = None
    listener: Any = None
    """The module with the options of a transport for callers over a network (`http`)."""
    beside: Callable[..., Sequence[Any]] | None = None
    """Given the catalog, returns an `Entry` for each tool beside the whole list."""
    prepare: Callable[..., None] = _nothing
    """Given the settings, and whether stdout has the answers (`stdio`), called before the server
    starts. Raises StartError.
    """
    running: Callable[..., AbstractContextManager[None]] | None = None
    """Given the app, the settings and the host, wraps the process. Raises StartError."""
    pace: Callable[..., Any] | None = None
    """Given the settings, the name of a limit, calls a second, and seconds' worth of them at once,
    returns a `limits.Pace` for all replicas, or None.
    """
    place: Callable[..., Any] | None = None
    """The same for how many run (None: as its own settings say); returns a `limits.Place`."""
    authority: Callable[..., Any] | None = None
    """Given the app and the settings, returns a `guard.Authority`, or None. Raises StartError."""
    caller_tokens: Callable[..., Any] | None = None
    """Given the settings, returns a `client.oauth.CallerTokens`, or None."""
    origins: Callable[..., tuple[str, ...]] | None = None
    """Given the settings, returns the URLs it calls, whose hosts may be at private addresses."""
    login_token: Callable[..., Any] | None = None
    """Given a credential and the settings, returns a `client.oauth.LoginToken`."""
    consent: Callable[..., Callable[..., Awaitable[None]]] | None = None
    """Given a function that reads the settings, and the content of `api.json`, returns what is
    awaited with each `Entry` and `Call` before the function of the tool is called. Raises ToolError
    or InputRequired.
    """
    ranking: Callable[..., Any] | None = None
    """Given the texts of the tools by name, returns a function that ranks for a search: given the
    query, the names found by their words and those that may join them, it returns the best first.
    """
    functions: Callable[..., Iterable[Any]] | None = None
    """Given the catalog, the user's modules with `@tool` and a `catalog.ToolFilter`, yields an
    `Entry` for each function that is offered. Raises StartError.
    """


@contextmanager
def running(app: Any, settings: Any, host: str = "127.0.0.1") -> Iterator[None]:
    """Enter the `running` of each part around a process of the server. Raises StartError."""
    with ExitStack() as stack:
        for part in settings.parts:
            if part.running is not None:
                stack.enter_context(part.running(app, settings, host))
        yield


def mode_of(option: str, parts: Iterable[Part]) -> Mode:
    """Return the mode of an option (`--lazy`) among parts. Raises StartError without it."""
    for part in parts:
        if part.mode is not None and part.mode.option == option:
            return part.mode
    [name] = [name for name, each in PARTS.items() if each.option == option]
    raise StartError(f"this server was made without `{option}`: {remedy(name)}")


def parts_of(facts: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return the parts of a server; `facts` is the content of `api.json`."""
    names = (name.replace("-", "_") for name in facts.get("parts", ()))
    return tuple(import_module(f".{name}", __package__).PART for name in names)
