"""A new function with `@tool` in a project: a stub that is the user's from its first moment."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..lock import read_lock
from ..problems import UsageError
from ..render.literal import WIDTH, docstring
from .functions import functions
from .package import package_on_disk
from .scaffold import new_tool

TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "dict[str, Any]",
    "array": "list[Any]",
}
"""JSON type → Python type."""
MODULE = '''\
"""The tool `{tool}`. This file is yours: it was written once and is never touched again."""

{typing}from .. import tool


{function}
    {docstring}
    raise NotImplementedError("`{tool}` is not implemented yet")
'''


def add_function(
    folder: Path, name: str, description: str, arguments: Sequence[str], *, read_only: bool = False
) -> Path:
    """Write the stub of a tool to `custom/<name>.py`, and return the file.

    `arguments` are words for `new_tool`. Raises UsageError for an invalid name or argument, for a
    name with a tool or a file already, and before the first `mcpgen generate`.
    """
    tool = new_tool(name, description, arguments, read_only=read_only)
    lock = read_lock(folder)
    package = None
    if lock is not None:
        package = package_on_disk(folder, lock)
    if package is None:
        raise UsageError.of("E1310", "nothing was generated here yet", "run `mcpgen generate`")
    names = {function.name for function in functions(package.home)}
    if name in names.union(package.tools):
        message = f"this project has a tool `{name}` already"
        raise UsageError.of("E1116", message, "choose another name")
    path = package.home / "custom" / f"{_python_name(name)}.py"
    if path.exists():
        raise UsageError.of("E1201", f"`{path}` is there already", "choose another name")
    path.parent.mkdir(exist_ok=True)
    path.write_text(module_text(tool, read_only=read_only), encoding="utf-8", newline="\n")
    return path


def module_text(tool: dict[str, Any], *, read_only: bool) -> str:
    """Return the module of a new function, from a contract that `new_tool` made. Raises UsageError
    for an argument that cannot be a parameter.
    """
    schema = tool["inputSchema"]
    required = schema.get("required", ())
    properties: dict[str, Any] = schema["properties"]
    parameters = [f"{_parameter(key)}: {annotation(properties[key])}" for key in required]
    for key, value in properties.items():
        if key not in required:
            parameters.append(f"{_parameter(key)}: {annotation(value)} | None = None")
    return MODULE.format(
        tool=tool["name"],
        typing=_typing(" ".join(parameters)),
        function=_function(tool["name"], parameters, read_only),
        docstring=_docstring(tool["description"], properties),
    )


def _docstring(text: str, properties: dict[str, Any]) -> str:
    """Return the docstring of a function, quotes included, with an `Args` for described
    arguments.
    """
    described = [
        f"        {key}: {_escaped(schema['description'])}\n"
        for key, schema in properties.items()
        if "description" in schema
    ]
    if not described:
        return docstring(text)
    return f'"""{_escaped(text)}\n\n    Args:\n{"".join(described)}    """'


def _escaped(text: str) -> str:
    """Return a text as in a docstring, on one line, without quotes."""
    return " ".join(docstring(text).removeprefix('"""').removesuffix('"""').split())


def annotation(schema: dict[str, Any]) -> str:
    """Return the Python type, as text, for a schema made by `new_tool`: `int`, `list[str]`,
    `Literal["a", "b"]`.
    """
    if "enum" in schema:
        values = ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
        return f"Literal[{values}]"
    if "items" in schema:
        return f"list[{annotation(schema['items'])}]"
    return TYPES[schema["type"]]


def _parameter(name: str) -> str:
    if name.isidentifier() and not keyword.iskeyword(name):
        return name
    message = f"`{name}` is no name of a Python parameter"
    raise UsageError.of("E1115", message, "letters, digits and `_` make a name")


def _python_name(tool: str) -> str:
    return re.sub(r"\W", "_", tool)


def _function(tool: str, parameters: list[str], read_only: bool) -> str:
    """Return the lines of a function up to its colon: decorator and signature."""
    name = _python_name(tool)
    options = []
    if name != tool:
        options.append(f'name="{tool}"')
    if read_only:
        options.append("read_only=True")
    decorator = "@tool"
    if options:
        decorator += f"({', '.join(options)})"
    signature = f"async def {name}({', '.join(parameters)}) -> str:"
    if len(signature) > WIDTH:
        lines = "".join(f"    {parameter},\n" for parameter in parameters)
        signature = f"async def {name}(\n{lines}) -> str:"
    return f"{decorator}\n{signature}"


def _typing(annotations: str) -> str:
    """Return the import of `Any` and `Literal` that annotations need; empty for none."""
    names = [name for name in ("Any", "Literal") if re.search(rf"\b{name}\b", annotations)]
    if not names:
        return ""
    return f"from typing import {', '.join(names)}\n\n"
