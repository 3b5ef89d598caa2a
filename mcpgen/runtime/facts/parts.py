"""The parts of a server: the variables, commands and options that only servers with them have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFacts:
    """One part, for servers that were made without it."""

    variables: tuple[str, ...] = ()
    """Its settings, without the server's prefix. A part with settings is named in
    `mcpgen.toml`, unless there is another `remedy`.
    """
    commands: tuple[str, ...] = ()
    option: str = ""
    """The option that lists the tools its way."""
    remedy: str = ""
    """The way a server gets the part; by default its name among the `parts` of `mcpgen.toml`."""


PARTS = {
    "audit": PartFacts(variables=("AUDIT", "LOG_ARGUMENTS")),
    "code": PartFacts(
        option="--code",
        remedy="put `code = true` at the top of mcpgen.toml and run `mcpgen generate`",
    ),
    "confirm": PartFacts(
        variables=("CONFIRM_OPTIONAL",),
        remedy="put `confirm = true` at the top of mcpgen.toml and run `mcpgen generate`",
    ),
    "describe": PartFacts(remedy="run `mcpgen generate`"),
    "exchange": PartFacts(
        variables=(
            "EXCHANGE_URL",
            "EXCHANGE_CLIENT_ID",
            "EXCHANGE_CLIENT_SECRET",
            "EXCHANGE_AUDIENCE",
            "EXCHANGE_SCOPES",
        )
    ),
    "functions": PartFacts(remedy="run `mcpgen generate`"),
    "install": PartFacts(commands=("install", "uninstall"), remedy="run `mcpgen generate`"),
    "login": PartFacts(
        commands=("login", "logout"),
        remedy="the API's description offers no login for a person: set its credentials",
    ),
    "oauth": PartFacts(
        variables=(
            "HTTP_ISSUER",
            "HTTP_AUDIENCE",
            "HTTP_RESOURCE",
            "HTTP_JWKS_URL",
            "HTTP_SCOPES",
            "HTTP_OFFERED_SCOPES",
            "HTTP_WRITE_SCOPES",
            "HTTP_TOOL_SCOPES",
            "INTROSPECTION_URL",
            "INTROSPECTION_CLIENT_ID",
            "INTROSPECTION_CLIENT_SECRET",
        )
    ),
    "redis": PartFacts(variables=("REDIS_URL", "REDIS_MAX_CONCURRENCY")),
    "search": PartFacts(
        option="--lazy",
        remedy="put `lazy = true` at the top of mcpgen.toml and run `mcpgen generate`",
    ),
    "shell": PartFacts(commands=("list", "describe", "call"), remedy="run `mcpgen generate`"),
    "telemetry": PartFacts(variables=("TELEMETRY", "METRICS_PORT")),
    "workflows": PartFacts(remedy="run `mcpgen generate`"),
}
NAMED = tuple(name for name, part in PARTS.items() if part.variables and not part.remedy)
"""The parts that `mcpgen.toml` names; the others follow from the document and the user's code."""
VARIABLES = {variable: name for name, part in PARTS.items() for variable in part.variables}
"""Variable -> the part that reads it."""


def remedy(name: str) -> str:
    """Return the sentence that tells the owner of a server how it gets a part."""
    return PARTS[name].remedy or (
        f'add `"{name}"` to `parts` at the top of mcpgen.toml and run `mcpgen generate`'
    )
