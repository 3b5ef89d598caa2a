"""The parts of a generated project that some servers do without (`data/parts.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ..ir import Server, Tool
from ..load.values import as_object
from ..runtime.client.settings import ListAnswer
from ..runtime.client.wire import FUNCTIONS
from ..runtime.parts import NAMED
from ..version import __version__
from . import workflows
from .whole import leave_out, with_contract

PACKAGE = "src/package/"
DISTRIBUTION = "mcpgen-runtime"
"""The distribution of the runtime, on which the packages of servers without a copy depend."""


@cache
def on_request() -> Mapping[str, tuple[str, ...]]:
    """Return group → paths, of the files that a project has only on request."""
    return {row["needs"]: tuple(row["paths"]) for row in _rows() if row.get("on_request")}


def requested(paths: Collection[str], folder: Path) -> tuple[str, ...]:
    """Return the groups of `on_request` of which a project has a file; `paths` are its lock's."""
    return tuple(
        name
        for name, own in on_request().items()
        if any(path.startswith(own) and (folder / path).is_file() for path in paths)
    )


@cache
def parts() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return (feature that a part needs, its paths) for each part; a path that ends with `/` is a
    folder.
    """
    return tuple((row["needs"], tuple(row["paths"])) for row in _rows())


@cache
def _rows() -> list[dict[str, Any]]:
    text = (resources.files("mcpgen") / "data" / "parts.toml").read_text("utf-8")
    rows: list[dict[str, Any]] = tomllib.loads(text)["part"]
    return rows


def features(server: Server) -> Mapping[str, bool]:
    """Return feature → whether a server has it, by the words that parts and templates use."""
    tools = server.tools
    used = server.uses.union(*map(_used_by, tools))
    leaves_out, calls_api, is_searched = leave_out(server), server.calls_api, server.is_searched
    return {
        "calls_api": calls_api,
        "catalogue": server.catalogue,
        "asks": server.asks,
        "code": server.code,
        "describes": leaves_out or is_searched,
        "fetches_tokens": fetches_tokens(server),
        "forwards": bool(server.forward_headers) or "asgi" in server.parts,
        "has_apis": bool(server.apis),
        "has_contracts": has_contracts(server),
        "reads_contracts": bool(tools) or server.has_contracts,
        "has_functions": server.has_functions,
        "has_files": calls_api and "files" in used,
        "has_login": has_login(server),
        "has_tools": bool(tools),
        "only_functions": not tools,
        "has_secrets": has_secrets(server),
        "has_lists": calls_api and has_lists(server),
        "has_tables": all((calls_api, has_tables(server))),
        "has_answers": calls_api or server.code,
        "has_styles": calls_api and "styles" in used,
        "has_whole": bool(with_contract(server)),
        "is_searched": is_searched,
        "has_workflows": workflows.are_in(server),
        "installed": server.runtime == "installed",
        "lazy": server.lazy,
        "leaves_out": leaves_out,
        "names_origins": calls_api or "exchange" in server.parts,
        "alone": not server.inside,
        "own_tools": any(tool.is_own for tool in tools),
        "reads_paths": workflows.need_paths(server),
        "reads_xml": any(shaping.xml for _, shaping in server.answers),
        **{name: name in server.parts for name in NAMED},
        "withholds": withholds(server),
        "oauth": not {"oauth", "exchange"}.isdisjoint(server.parts),
        **{name: name in server.files for name in on_request()},
    }


def _used_by(tool: Tool) -> Iterator[str]:
    """Yield the parts of the runtime that the request of a tool uses: those whose functions write
    its arguments and its body.
    """
    body = tool.request and tool.request.body
    if body and body.kind in ("binary", "multipart", "text"):
        yield "files"
    for argument in tool.arguments:
        if argument.place == "cookie":
            yield "styles"
        options = dict(argument.options)
        fields = [each for own in map(as_object, options.values()) for each in own.values()]
        yield from ["styles"] * any("within" in each for each in (options, *map(as_object, fields)))
        writers = [argument.encode, *(name for name, _ in argument.options)]
        writers += ["with_fields"] * bool(argument.fixed_fields + argument.default_fields)
        yield from (FUNCTIONS[name] for name in writers if name in FUNCTIONS)


def part_names(server: Server) -> list[str]:
    """Return the parts of the runtime that a server has, in the order of their names."""
    has = features(server)
    needs = {
        "code": "code",
        "confirm": "asks",
        "describe": "leaves_out",
        "functions": "has_functions",
        "login": "has_login",
        "oauth": "oauth",
        "search": "is_searched",
        "workflows": "has_workflows",
    }
    return sorted({*server.parts, *(part for part, need in needs.items() if has[need])})


def requirements(**has: bool) -> list[str]:
    """Return the dependencies of a server's package, as `pyproject.toml` lists them; `has` are its
    `features`.
    """
    text = (resources.files("mcpgen") / "data" / "requirements.toml").read_text("utf-8")
    rows = tomllib.loads(text)
    if has.get("installed"):
        major, minor, _ = __version__.split(".", 2)
        rows = {name: row for name, row in rows.items() if name in NAMED}
        rows["always"] = [f"{DISTRIBUTION}>={__version__},<{major}.{int(minor) + 1}"]
    needed = (rows[name] for name in rows if name == "always" or has.get(name))
    return sorted(requirement for row in needed for requirement in row)


def runtime_requirements() -> list[str]:
    """Return the dependencies of the distribution of the runtime, for servers of all kinds."""
    every = ("calls_api", "has_functions", "reads_paths", "reads_xml")
    return requirements(**dict.fromkeys(every, True))


def has_contracts(server: Server) -> bool:
    """Return whether some tool of a server is no request: a function or a workflow."""
    return server.has_functions or any(tool.request is None for tool in server.tools)


def fetches_tokens(server: Server) -> bool:
    """Return whether a server gets access tokens from a token endpoint."""
    kinds = {auth.kind for auth in server.auth}
    return has_login(server) or "client_credentials" in kinds or "exchange" in server.parts


def has_secrets(server: Server) -> bool:
    """Return whether a server reads secrets, or withholds fields."""
    readers = {"asgi", "audit", "exchange", "http", "oauth", "redis"}
    first = (server.calls_api, server.asks, server.redact, server.code)
    return any(first) or not readers.isdisjoint(server.parts)


def has_lists(server: Server) -> bool:
    """Return whether an answer of a server is a list, may be one, or is written as one."""
    tables = has_tables(server)
    unknown = any(tool.hints.read_only and tool.response.type is None for tool in server.tools)
    listed = any(tool.listing != ListAnswer() for tool in server.tools)
    return any((tables, unknown, listed))


def has_tables(server: Server) -> bool:
    """Return whether an answer of a server is written as a table."""
    return any(shaping.table for _, shaping in server.answers)


def withholds(server: Server) -> bool:
    """Return whether a server withholds fields of answers, or asks a person before calls."""
    of_answers = any(shaping.redact for _, shaping in server.answers)
    return bool(server.redact) or of_answers or server.asks


def has_login(server: Server) -> bool:
    """Return whether a person can log in to the API behind a server."""
    return any(auth.login is not None for auth in server.auth)


def unused(server: Server) -> tuple[str, ...]:
    """Return the beginnings of the paths of all parts that a server's project does without."""
    has = features(server)
    return tuple(
        path.replace(PACKAGE, server.home, 1)
        for needs, paths in parts()
        if not has[needs]
        for path in paths
    )
