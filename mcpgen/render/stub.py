"""The values for the templates of a user's own tools: functions with typed arguments that are not
implemented yet, and calls of them for type checkers.

A stub is written once and then the user's: the contract is above the body in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..ir import Argument, Server, Tool, Toolset
from .code import Names, annotated, docstring_of, listing
from .literal import Code, py_ident, py_literal, union
from .models import Types


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """One tool's module. `models`: whether it imports the TypedDicts."""

    name: str
    tool: str
    docstring: str
    typing: Code | None
    models: bool
    parameters: tuple[Code, ...]
    answer: Code
    message: Code


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledFunction:
    """One function of the user's, called with all arguments and with the required ones alone."""

    name: str
    parameters: tuple[Code, ...]
    calls: tuple[Code, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsModule:
    """The file in which type checkers find every call of one toolset's functions."""

    toolset: str
    typing: Code
    imports: tuple[Code, ...]
    functions: tuple[CalledFunction, ...]


def stubs(toolset: Toolset, types: Types) -> Mapping[str, Stub]:
    """Return file name without its ending → stub, for every tool that the user implements."""
    return {module_name(tool.name): _stub(tool, types) for tool in _own(toolset)}


def calls(toolset: Toolset, types: Types, server: Server) -> CallsModule | None:
    """Return the calls of those functions of a toolset that the user implements, or None."""
    tools = _own(toolset)
    if not tools:
        return None
    names = Names()
    functions = tuple(_called(tool, types, names) for tool in tools)
    root = py_ident(server.package)
    modules = sorted(py_ident(module_name(tool.name)) for tool in tools)
    imports = [f"from {root} import arguments as _arguments"]
    if "models" in names.read:
        imports.append(f"from {root} import models")
    imports += [f"from {root}.custom import {name} as _{name}" for name in modules]
    typing = dict.fromkeys(["TYPE_CHECKING", *names.typing()])
    return CallsModule(
        toolset=toolset.name,
        typing=Code(", ".join(typing)),
        imports=tuple(map(Code, imports)),
        functions=functions,
    )


def module_name(tool: str) -> str:
    """Return the name of a tool's function and of its file in `custom/`: `a.b-c` → `a_b_c`."""
    return tool.replace("-", "_").replace(".", "_")


def _own(toolset: Toolset) -> list[Tool]:
    return [tool for tool in toolset.tools if tool.is_own]


def _called(tool: Tool, types: Types, names: Names) -> CalledFunction:
    name = module_name(tool.name)
    parameters = []
    for argument in tool.arguments:
        annotation = union(annotated(argument, types))
        names.add(annotation)
        parameters.append(Code(f"{py_ident(argument.name)}: {annotation}"))
    every = [argument.name for argument in tool.arguments]
    required = [argument.name for argument in tool.arguments if argument.required]
    combinations = [every] if required == every else [every, required]
    return CalledFunction(
        name=name,
        parameters=tuple(parameters),
        calls=tuple(_call(name, arguments) for arguments in combinations),
    )


def _call(function: str, arguments: list[str]) -> Code:
    """Return `_arguments(_module.function)(name=name, ...)`, one argument on each line."""
    inner = ", ".join(f"{py_ident(name)}={name}" for name in arguments)
    return Code(f"_arguments(_{function}.{function})({inner}{',' * bool(arguments)})")


def _stub(tool: Tool, types: Types) -> Stub:
    parameters = [(argument, _annotation(argument, types)) for argument in tool.arguments]
    answer = _answer(tool, types)
    names = Names()
    names.add(answer, *(annotation for _, annotation in parameters))
    declared = [
        Code(f"{py_ident(argument.name)}: {annotation}{_default(argument)}")
        for argument, annotation in parameters
    ]
    if declared:
        declared.insert(0, Code("*"))
    if tool.takes_more:
        names.add("Any")
        declared.append(Code(f"**{_free('more', tool)}: Any"))
    return Stub(
        name=module_name(tool.name),
        tool=tool.name,
        docstring=docstring_of(tool),
        typing=listing(names.typing()),
        models="models" in names.read,
        parameters=tuple(declared),
        answer=Code(answer),
        message=py_literal(f"`{tool.name}` is not implemented yet"),
    )


def _annotation(argument: Argument, types: Types) -> str:
    """Return the type of one argument, with None if null is a value or means an omitted
    argument.
    """
    operands = annotated(argument, types)
    if _default(argument) == " = None" and operands != ["Any"]:
        operands.append("None")
    return union(operands)


def _default(argument: Argument) -> str:
    if argument.default:
        return f" = {py_literal(argument.default[0])}"
    return "" if argument.required else " = None"


def _answer(tool: Tool, types: Types) -> str:
    """Return the return type of the function: that of its output schema, else a text."""
    if tool.output_schema is None:
        return "str"
    known = types.answer(tool)
    if known is not None:
        return known
    return "Any" if tool.response.wrapped else "dict[str, Any]"


def _free(name: str, tool: Tool) -> Code:
    """Return a name that no argument has: `name`, or with underscores behind it."""
    while any(argument.name == name for argument in tool.arguments):
        name += "_"
    return py_ident(name)
