"""The parts of a generated project that some servers do without (`data/parts.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from ..ir import Server
from ..runtime.facts.parts import NAMED
from . import workflows

PACKAGE = "src/package/"


@cache
def parts() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(what a part needs, its paths) for each part; a path that ends with `/` is a folder."""
    text = (resources.files("mcpgen") / "data" / "parts.toml").read_text("utf-8")
    rows = tomllib.loads(text)["part"]
    return tuple((row["needs"], tuple(row["paths"])) for row in rows)


def features(server: Server) -> Mapping[str, bool]:
    """Return the features of a server, by the words that parts and templates use."""
    return {
        "calls_api": server.calls_api,
        "catalogue": server.catalogue,
        "code": server.code,
        "has_functions": server.has_functions,
        "has_login": has_login(server),
        "is_searched": server.is_searched,
        "has_workflows": workflows.are_in(server),
        "lazy": server.lazy,
        "own_tools": any(tool.is_own for tool in server.tools),
        "reads_paths": workflows.need_paths(server),
        "reads_xml": any(shaping.xml for _, shaping in server.answers),
        **{name: name in server.parts for name in NAMED},
    }


def part_names(server: Server) -> list[str]:
    """Return the parts of the runtime that a server has, in the order of their names."""
    has = features(server)
    needs = {
        "code": "code",
        "functions": "has_functions",
        "login": "has_login",
        "search": "is_searched",
        "workflows": "has_workflows",
    }
    return sorted({"install", *server.parts, *(part for part, need in needs.items() if has[need])})


def has_login(server: Server) -> bool:
    """Return whether a person can log in to the API behind a server."""
    return any(auth.login is not None for auth in server.auth)


def unused(server: Server) -> tuple[str, ...]:
    """The beginnings of the paths, in the project of a server, that it does without."""
    has = features(server)
    package = f"src/{server.package}/"
    return tuple(
        path.replace(PACKAGE, package, 1)
        for needs, paths in parts()
        if not has[needs]
        for path in paths
    )
