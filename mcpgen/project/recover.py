"""The names of a project whose lock is gone, as its generated functions tell them.

Every function of `tools/` names its operation and sends each argument under its name on the wire.
So tools and arguments keep their names although nothing else is known of the last run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from ..config.file import read_config
from ..ir import within
from ..lock import ArgumentKey, Lock, ToolLock
from .source import parsed

PLACES = {
    "path_args": "path",
    "query": "query",
    "headers": "header",
    "cookies": "cookie",
    "json": "body",
    "form": "body",
    "multipart": "body",
    "content": "body",
}
"""Keyword of `Api.request` → place of the arguments in it."""


def recovered_lock(folder: Path) -> Lock | None:
    """Recover the last run from the files of a project: the name of the server, and the names of
    tools and arguments, but for tools that the configuration names. None if there is no generated
    package.
    """
    modules = sorted(folder.glob("src/*_mcp/tools/*.py"))
    packages = {module.parent.parent.name for module in modules}
    if len(packages) != 1:
        return None
    tools: list[ToolLock] = []
    for module in modules:
        tree = parsed(module)
        if isinstance(tree, ast.Module):
            tools += _tools(tree, module.stem)
    chosen = {table.name for table in read_config(folder).tools.values()}
    return Lock(
        generator="",
        document="",
        openapi="",
        config="",
        base_url=None,
        allowed_origins=(),
        auth={},
        security=(),
        tools=tuple(tool for tool in tools if tool.name not in chosen),
        name=packages.pop().removesuffix("_mcp"),
    )


def _tools(tree: ast.Module, toolset: str) -> Iterator[ToolLock]:
    for function in tree.body:
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        request = _request(function)
        if request is None:
            continue
        method, path = (item.value for item in request.args[:2] if isinstance(item, ast.Constant))
        yield ToolLock(
            name=function.name,
            own_name=function.name,
            operation_id=None,
            method=str(method),
            path=within(_api(request), str(path)),
            toolset=toolset,
            text="",
            schema="",
            hints={},
            arguments=_arguments(function, request),
        )


def _request(function: ast.AsyncFunctionDef) -> ast.Call | None:
    """The call `api.request(METHOD, PATH, …)` of a function."""
    for node in ast.walk(function):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="request"), args=[ast.Constant(), ast.Constant(), *_]
            ):
                return node
    return None


def _api(request: ast.Call) -> str:
    """The name in `api.of(NAME).request(…)`; empty for the first API."""
    match request.func:
        case ast.Attribute(value=ast.Call(args=[ast.Constant(value=str(name))])):
            return name
    return ""


def _arguments(function: ast.AsyncFunctionDef, request: ast.Call) -> dict[str, ArgumentKey]:
    """Name of an argument → its place and its name on the wire."""
    names = {item.arg for item in function.args.kwonlyargs}
    arguments: dict[str, ArgumentKey] = {}
    for keyword in request.keywords:
        place = PLACES.get(keyword.arg or "")
        if place is None:
            continue
        if not isinstance(keyword.value, ast.Dict):
            for name in _names_in(keyword.value, names):
                arguments[name] = (place, name)
            continue
        for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
            if isinstance(key, ast.Constant):
                for name in _names_in(value, names):
                    arguments[name] = (place, str(key.value))
    return arguments


def _names_in(node: ast.expr, names: set[str]) -> Iterator[str]:
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name) if name in names:
                yield name
