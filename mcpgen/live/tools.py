"""The tools of a project as its files list them, and arguments as words of the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..problems import Problem, UsageError
from ..project.custom import INJECTED
from ..project.functions import UserFunction, functions


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One Tool object and the toolset it belongs to."""

    toolset: str
    tool: dict[str, Any]

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.tool.get("name"))


def listed_tools(package: Path) -> list[ListedTool]:
    """The tools in a package's `tools/` and `custom/`; one of `custom/` replaces its namesake."""
    tools: dict[str, ListedTool] = {}
    for room in ("tools", "custom"):
        for path in sorted((package / room).glob("*.json")):
            for tool in _tools_in(path):
                entry = ListedTool(path.stem, tool)
                tools[entry.name] = entry
    return list(tools.values())


def listed_functions(package: Path) -> list[ListedTool]:
    """The tools that functions in `custom/` make, as far as their text says: the types of arguments
    are known only to the server.
    """
    return [_of_function(function) for function in functions(package)]


def _of_function(function: UserFunction) -> ListedTool:
    parameters = function.node.args
    optional = {
        item.arg
        for item, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        if default is not None
    }
    if parameters.defaults:
        optional |= {item.arg for item in parameters.args[-len(parameters.defaults) :]}
    named = [item.arg for item in (*parameters.args, *parameters.kwonlyargs)]
    names = [name for name in named if name not in INJECTED]
    schema = {
        "type": "object",
        "properties": {name: {} for name in names},
        "required": [name for name in names if name not in optional],
    }
    title = function.name.replace("_", " ").capitalize()
    tool = {"name": function.name, "title": title, "inputSchema": schema}
    return ListedTool(function.path.stem, tool)


def _tools_in(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return []
    items = content if isinstance(content, list) else [content]
    return [item for item in items if isinstance(item, dict)]


def arguments_of(words: list[str], schema: dict[str, Any]) -> dict[str, Any]:
    """`key=value` words as a tool's arguments; a key that is repeated makes a list.

    A value is read as JSON where the schema wants anything but text, and is text where that fails:
    the server says what is wrong with it. Raises UsageError for a word without `=`.
    """
    properties = schema.get("properties", {})
    arguments: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            message = f"`{word[:80]}` is no argument: write `key=value`"
            hint = "text with spaces needs quotes, as in `title='War and Peace'`"
            raise UsageError(Problem(code="E1178", severity="error", message=message, hint=hint))
        value = _value(text, properties.get(key, {}))
        if key in arguments:
            value = [*_listed(arguments[key]), *_listed(value)]
        arguments[key] = value
    return arguments


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [value]


def _value(text: str, schema: dict[str, Any]) -> Any:
    """A word as the schema's type wants it; one item of a list stands for the list."""
    kind = schema.get("type")
    if kind == "string":
        return text
    if kind == "array" and not text.lstrip().startswith("["):
        return [_value(text, schema.get("items", {}))]
    try:
        return json.loads(text)
    except ValueError:
        return text
