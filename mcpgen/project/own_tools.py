"""The tools of the user's code in `custom/` as Tool objects, read from its text and never run."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..ir import Schema
from ..paths import homes
from .annotations import Annotations, last_name, literal
from .functions import INJECTED, FunctionNode, UserFunction, functions_in, tool_options

UNTYPED = {"", "Any", "None", "list"}
CONTENT = {"Answer", "Answered", "Audio", "Image", "Resource", "ResourceLink", "Structured", "Text"}
"""Types of content: functions with these return types have no output schema."""
HINTS = {
    "read_only": ("readOnlyHint", False),
    "destructive": ("destructiveHint", True),
    "idempotent": ("idempotentHint", False),
    "open_world": ("openWorldHint", True),
}
"""Option of `@tool` → the hint of a Tool object, and its default."""


def own_files(folder: Path) -> dict[str, bytes]:
    """Return path → content of the files in a project's `custom/` that may make tools."""
    paths = [path for home in homes(folder) for path in home.glob("custom/**/*") if path.is_file()]
    files = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: path.read_bytes() for name, path in files.items() if is_own(name)}


def is_own(path: str) -> bool:
    """Return whether a path may make tools: a contract `custom/*.json`, or a module below
    `custom/`.
    """
    return re.fullmatch(r"(src/[^/]+/)?custom/([^/]+\.json|.+\.py)", path) is not None


def own_tools(sources: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """Return name → Tool object of files below `custom/`; what cannot be read makes none."""
    tools: dict[str, dict[str, Any]] = {}
    for path, content in sorted(sources.items()):
        if path.endswith(".json"):
            tools |= {tool["name"]: tool for tool in contracts_in(content)}
    return tools | {function.name: tool for function, tool in function_tools(sources)}


def contracts_in(content: bytes) -> list[dict[str, Any]]:
    """Return the objects with a name in a contract, a list or one of them; none if it is no
    JSON.
    """
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return []
    items = found if isinstance(found, list) else [found]
    return [item for item in items if isinstance(item, dict) and isinstance(item.get("name"), str)]


def function_tools(sources: Mapping[str, bytes]) -> Iterator[tuple[UserFunction, dict[str, Any]]]:
    """Yield each function with `@tool` in readable modules, with its Tool object."""
    trees: dict[str, ast.Module] = {}
    for path, content in sorted(sources.items()):
        if path.endswith(".py"):
            with suppress(ValueError, SyntaxError, RecursionError):
                trees[path] = ast.parse(content)
    shared = {name: node for tree in trees.values() for name, node in _named(tree)}
    for path, tree in trees.items():
        types = {**shared, **dict(_named(tree))}
        for function in functions_in(Path(path), tree):
            yield function, _tool(function, Annotations(types))


def _named(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield (name, node) of the classes and assigned values at the top of a module."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name):
                yield name, node
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value


def _tool(function: UserFunction, annotations: Annotations) -> dict[str, Any]:
    title = function.name.replace("_", " ").capitalize()
    tool: dict[str, Any] = {
        "name": function.name,
        "title": title,
        "description": ast.get_docstring(function.node) or title,
        "inputSchema": _arguments(function.node, annotations),
        "outputSchema": _answer(function.node.returns, annotations),
    }
    options = {name: literal(value) for name, value in tool_options(function.node).items()}
    tool |= {name: options[name] for name in ("title", "description") if options.get(name)}
    if options.get("read_only"):
        options |= {"destructive": False, "idempotent": True}
    tool["annotations"] = {hint: options.get(name, value) for name, (hint, value) in HINTS.items()}
    if tool["outputSchema"] is None:
        del tool["outputSchema"]
    for schema in (tool["inputSchema"], tool.get("outputSchema", {})):
        schema["$defs"] = annotations.definitions
    return tool


def _arguments(node: FunctionNode, annotations: Annotations) -> Schema:
    """Return the schema of a function's arguments, without those the server fills in. `**more` is a
    property `**more`: so its loss shows.
    """
    given = node.args
    named = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(named) - len(given.defaults))
    defaults += given.defaults
    pairs = [*zip(named, defaults, strict=True)]
    pairs += zip(given.kwonlyargs, given.kw_defaults, strict=True)
    schema: Schema = {"type": "object", "properties": {}, "required": []}
    for argument, default in pairs:
        if _is_injected(argument):
            continue
        member, is_required = annotations.member(argument.annotation, default)
        schema["properties"][argument.arg] = member
        if is_required:
            schema["required"].append(argument.arg)
    if given.kwarg is not None:
        further = annotations.schema(given.kwarg.annotation)
        schema["properties"][f"**{given.kwarg.arg}"] = further
    return schema


def _is_injected(argument: ast.arg) -> bool:
    """Return whether the server fills in a parameter: by its type (`Context`), or by name without a
    type.
    """
    if argument.annotation is None:
        return argument.arg in INJECTED
    names = {last_name(node).lower() for node in ast.walk(argument.annotation)}
    return not names.isdisjoint(INJECTED)


def _answer(returns: ast.expr | None, annotations: Annotations) -> Schema | None:
    """Return the schema of structured results, with other data than an object as `result`. None for
    content, and where the return type says nothing of data.
    """
    names = {last_name(node) for node in ast.walk(returns or ast.Constant(""))}
    if not names.isdisjoint(CONTENT) or names <= UNTYPED:
        return None
    schema = annotations.schema(returns)
    if schema.get("type") == "object" or "$ref" in schema:
        return dict(schema)
    return {"type": "object", "properties": {"result": schema}}
