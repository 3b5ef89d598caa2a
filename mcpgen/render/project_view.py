"""What the templates of a project's own files print: README, pyproject, Dockerfile and the like.

Of the document only title and description occur, in README and pyproject, and what it says of its
credentials, in README and `.env.example`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from ..ir import Server
from ..runtime.install.clients import CLIENTS
from ..runtime.settings import SETTINGS
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
from .parts import features


@dataclass(frozen=True, slots=True)
class VariableView:
    """An environment variable."""

    name: str
    meaning: Code
    about: str
    required: bool
    secret: bool


@dataclass(frozen=True, slots=True)
class SettingView:
    """A setting of the runtime. `group` is `main` for those the README lists first."""

    name: str
    group: str
    text: Code
    default_text: Code


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectView:
    """The context of a project's templates; `http` is JSON."""

    name: str
    title: str
    description: str
    distribution: str
    command: str
    entry_point: str
    source: str
    package: str
    prefix: str
    owner: str
    calls_api: bool
    """Whether there is an API behind the tools."""
    has_functions: bool
    """Whether the user's code makes tools of functions."""
    reads_xml: bool
    """Whether an answer in XML becomes JSON."""
    reads_paths: bool
    """Whether a workflow has a JSONPath."""
    lazy: bool
    """Whether the tools can be searched."""
    code: bool
    """Whether a program can call them."""
    catalogue: bool
    """Whether a page at `/` shows them."""
    own_tools: bool
    """Whether there are tools that the user implements."""
    variables: tuple[VariableView, ...]
    writing: tuple[VariableView, ...]
    """The variables that only calls that write use."""
    has_login: bool
    has_workflows: bool
    is_searched: bool
    """Whether a person can log in to the API."""
    login: tuple[VariableView, ...]
    """The variables that only a login uses."""
    settings: tuple[SettingView, ...]
    """The settings that no variable of `variables` stands for."""
    clients: Code
    """The clients whose settings `install` knows, by the names it takes."""
    overfull_clients: str
    """The clients that cannot list every tool, as `VS Code (128 tools)`; empty without any."""
    http: Code

    def context(self) -> dict[str, Any]:
        """The fields by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


def project_view(server: Server) -> ProjectView:
    """The view of a server's project."""
    title = title_of(server)
    return ProjectView(
        name=server.name,
        title=title,
        description=f"{about(server, title)}, over the Model Context Protocol",
        **features(server),
        distribution=server.distribution,
        command=command(server),
        entry_point=f"{server.package}.__main__:main",
        source=f"src/{server.package}",
        package=server.package,
        prefix=server.env_prefix,
        owner=OWNER,
        variables=_variables(environment(server)),
        writing=_variables(writing_variables(server)),
        login=_variables(login_variables(server)),
        settings=_settings(server.calls_api),
        clients=Code(", ".join(f"`{client}`" for client in sorted(CLIENTS))),
        overfull_clients=", ".join(
            f"{client.title} ({client.tool_limit} tools)" for client in overfull_clients(server)
        ),
        http=Code(client_files(server)["clients/http.json"].rstrip("\n")),
    )


def _variables(variables: Iterable[Variable]) -> tuple[VariableView, ...]:
    return tuple(
        VariableView(item.name, Code(item.meaning), item.about, item.required, item.secret)
        for item in variables
    )


def _settings(calls_api: bool) -> tuple[SettingView, ...]:
    """The settings of a server, in the order of the README."""
    settings = [item for item in SETTINGS if item.name != "BASE_URL"]
    if not calls_api:
        settings = [item for item in settings if item.group != "api"]
    return tuple(
        SettingView(item.name, item.group, Code(item.text), Code(item.default_text))
        for item in settings
    )
