"""The values for the templates of a project's own files: README, pyproject, Dockerfile and the
like.

From the document come only title and description, in README and pyproject, and the
descriptions of credentials, in README and `.env.example`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from ..ir import Server
from ..runtime.client.settings import ApiSettings
from ..runtime.parts import parts_of
from ..runtime.parts.install.files import CLIENTS
from ..runtime.settings import Setting, Settings, settings_with
from ..text import plural
from .literal import Code
from .manifests import (
    OWNER,
    Variable,
    about,
    client_files,
    command,
    environment,
    login_variables,
    overfull_clients,
    title_of,
    writing_variables,
)
from .parts import features, part_names, requirements

_RUNTIMES = {"copied": ".runtime", "installed": "mcpgen_runtime"}
"""The runtime that the package of a server imports."""

MOST_NAMED = 100
"""Most tools of a server whose skill names them all."""
LONGEST_LINE = 300
"""Characters of a tool's line in `TOOLS.md`."""


@dataclass(frozen=True, slots=True)
class VariableView:
    """An environment variable, as `manifests.Variable`, for templates."""

    name: str
    meaning: Code
    about: str
    required: bool
    one_of: bool
    secret: bool
    default: str


@dataclass(frozen=True, slots=True)
class SettingView:
    """A setting of the runtime. `group` is `main` for those the README lists first; `default_text`
    says what holds without a value, if need be `none`.
    """

    name: str
    group: str
    text: Code
    default_text: Code


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool: its name in backticks, the first line of its description, and whether it changes
    anything.
    """

    name: Code
    sentence: str
    changes: bool


@dataclass(frozen=True, slots=True)
class ToolsetView:
    """A toolset: the names of its tools or their number, and a line for each tool."""

    name: str
    tools: Code
    lines: tuple[ToolView, ...]


def project_context(server: Server) -> dict[str, Any]:
    """Return the context of the templates of a server's project: its names, its features (`parts`),
    and what its README and manifests list.
    """
    title = title_of(server)
    overfull = [f"{each.title} ({each.tool_limit} tools)" for each in overfull_clients(server)]
    variables = _variables(environment(server))
    # Those that only calls that write use, and those that only a login uses
    writing = _variables(writing_variables(server))
    login = _variables(login_variables(server))
    has, files = features(server), client_files(server)
    return {
        **has,
        "requirements": requirements(**has),
        "runtime": Code(_RUNTIMES[server.runtime]),
        "runtime_prefix": f"{_RUNTIMES[server.runtime]}.",
        "is_copied": server.runtime == "copied",
        "documentation": server.documentation,
        "fetched": server.fetched,
        "name": server.name,
        "title": title,
        "skill_description": (
            f"{about(server, title)}, on the command line ({command(server)}). Use it for every"
            f" task that reads or changes data of {title} where no MCP server of it is connected."
        ),
        "toolsets": _toolsets(server),
        "description": f"{about(server, title)}, over the Model Context Protocol",
        "distribution": server.distribution,
        "command": command(server),
        "entry_point": f"{server.package}.__main__:main",
        "source": f"src/{server.package}",
        "package": server.package,
        "prefix": server.env_prefix,
        # Gigabytes that a process may take: PyTorch takes one
        "memory": Code(("1", "2")["search-model" in server.parts]),
        "owner": OWNER,
        "variables": variables,
        "writing": writing,
        "login": login,
        "every_variable": (*variables, *login, *writing),
        "settings": _settings(server),
        # The clients by the names that `install` takes, and those that cannot list every tool
        "clients": Code(", ".join(f"`{client}`" for client in sorted(CLIENTS))),
        "overfull_clients": ", ".join(overfull),
        "http_entry": Code(files["clients/http.json"].rstrip("\n")),
        "entry": Code(files["clients/claude-desktop.json"].rstrip("\n")),
    }


def _variables(variables: Iterable[Variable]) -> tuple[VariableView, ...]:
    return tuple(
        VariableView(
            item.name,
            Code(item.meaning),
            item.about,
            item.required,
            item.one_of,
            item.secret,
            item.default,
        )
        for item in variables
    )


def _toolsets(server: Server) -> tuple[ToolsetView, ...]:
    """Return the toolsets, with the names of their tools, or only how many they are if the server
    has more than `MOST_NAMED`; `lines` has every tool.
    """
    views = []
    for toolset in server.toolsets:
        tools = ", ".join(f"`{tool.name}`" for tool in toolset.tools)
        if len(server.tools) > MOST_NAMED:
            tools = plural(len(toolset.tools), "tool")
        lines = [
            ToolView(
                Code(f"`{tool.name}`"),
                tool.description.partition("\n")[0][:LONGEST_LINE],
                not tool.hints.read_only,
            )
            for tool in toolset.tools
        ]
        views.append(ToolsetView(toolset.name, Code(tools), tuple(lines)))
    return tuple(views)


def _settings(server: Server) -> tuple[SettingView, ...]:
    """Return the settings of a server without `BASE_URL`, in the order of the README."""
    parts = parts_of({"parts": part_names(server)})
    if server.calls_api:
        settings = [each for each in settings_with(ApiSettings, parts) if each.name != "BASE_URL"]
    else:
        settings = [*settings_with(Settings, parts)]
    rows = tomllib.loads((resources.files("mcpgen") / "data" / "settings.toml").read_text("utf-8"))
    places = {name: place for place, name in enumerate(rows)}
    return tuple(
        SettingView(
            item.name, item.group, Code(rows[item.name]["text"]), Code(_default(item, rows))
        )
        for item in sorted(settings, key=lambda item: places[item.name])
    )


def _default(setting: Setting, rows: Mapping[str, Mapping[str, str]]) -> str:
    """Return the default of a setting: `60`, `1 MiB`, `none`."""
    unset = rows[setting.name].get("unset", "none")
    default = setting.default
    if setting.kind == "bytes":
        is_small = default < 1024**2
        return f"{default // 1024} KiB" if is_small else f"{default // 1024**2} MiB"
    if setting.kind == "rate" and not default:
        return unset
    if setting.kind in ("seconds", "count", "rate"):
        return f"{default:,g}"
    return unset
