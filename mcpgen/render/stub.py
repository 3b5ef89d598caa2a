"""What the template of a user's own tool prints: a function with typed arguments that is not
implemented yet.

The file is written once and then the user's, so it is made to be read and changed: the contract
stands above the body in words, and nothing of mcpgen is in the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..ir import Argument, Server, Tool, Toolset
from .code import Types, annotate
from .layout import Expression, atoms, lay_out, union
from .literal import Code, py_ident, py_literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """One tool's module. `models`: the toolset whose TypedDicts it imports, or nothing."""

    name: str
    tool: str
    toolset: str
    docstring: str
    typing: Code | None
    models: bool
    parameters: tuple[Code, ...]
    answer: Code
    message: Code


def stubs(toolset: Toolset, types: Types) -> Mapping[str, Stub]:
    """File name without its ending → the stub, for every tool of a toolset that has no request."""
    return {
        module_name(tool.name): _stub(tool, toolset.name, types)
        for tool in toolset.tools
        if tool.request is None
    }


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


def calls(toolset: Toolset, types: Types, server: Server) -> CallsModule | None:
    """The calls of a toolset's functions that are the user's; None where there are none."""
    own = [tool for tool in toolset.tools if tool.request is None]
    used: set[str] = set()
    functions = tuple(_called(tool, types, used) for tool in own)
    typing = [name for name, atom in (("Any", "Any"), ("Literal", "Literal[")) if atom in used]
    root = py_ident(server.package)
    imports = [
        f"from {root}.custom import {py_ident(name)} as _{name}"
        for name in sorted(module_name(tool.name) for tool in own)
    ]
    if any(atom.startswith("models.") for atom in used):
        imports.append(f"from {root}.models import {py_ident(toolset.name)} as models")
    room = "runtime.client" if server.calls_api else "runtime"
    imports.append(f"from {root}.{room}.signatures import arguments as _arguments")
    return (
        CallsModule(
            toolset=toolset.name,
            typing=Code(", ".join(["TYPE_CHECKING", *typing])),
            imports=tuple(map(Code, imports)),
            functions=functions,
        )
        if own
        else None
    )


def _called(tool: Tool, types: Types, used: set[str]) -> CalledFunction:
    name = module_name(tool.name)
    parameters = []
    for argument in tool.arguments:
        known = types.arguments.get((tool.name, argument.name))
        kind = known if known is not None else annotate(argument.annotation)
        kind = union([kind, "None"]) if argument.annotation.nullable and kind != "Any" else kind
        used.update(atoms(kind))
        parameters.append(lay_out(f"{py_ident(argument.name)}: ", kind, ",", depth=2))
    every = [argument.name for argument in tool.arguments]
    needed = [argument.name for argument in tool.arguments if argument.required]
    return CalledFunction(
        name=name,
        parameters=tuple(parameters),
        calls=tuple(
            _call(name, given) for given in ([every, needed] if needed != every else [every])
        ),
    )


def _call(function: str, names: list[str]) -> Code:
    """`_arguments(_module.function)(name=name, ...)`, one argument on each line."""
    lines = "".join(f"            {py_ident(name)}={name},\n" for name in names)
    given = f"(\n{lines}        )" if names else "()"
    return Code(f"_arguments(_{function}.{function}){given}")


def module_name(tool: str) -> str:
    """What the function of a tool and its file in `custom/` are called."""
    return tool.replace("-", "_").replace(".", "_")


def _stub(tool: Tool, toolset: str, types: Types) -> Stub:
    parameters = [(argument, _annotation(tool, argument, types)) for argument in tool.arguments]
    answer = _answer(tool, types)
    used = {atom for _, item in (*parameters, ("", answer)) for atom in atoms(item)}
    models = any(atom.startswith("models.") for atom in used)
    typing = [name for name, atom in (("Any", "Any"), ("Literal", "Literal[")) if atom in used]
    if tool.takes_more and "Any" not in typing:
        typing.insert(0, "Any")
    names = [*(["TYPE_CHECKING"] if models else []), *typing]
    laid_out = [
        lay_out(f"{py_ident(argument.name)}: ", item, f"{_default(argument)},", depth=1)
        for argument, item in parameters
    ]
    if laid_out:
        laid_out.insert(0, Code("*,"))
    if tool.takes_more:
        laid_out.append(Code(f"**{_free('more', tool)}: Any,"))
    return Stub(
        name=module_name(tool.name),
        tool=tool.name,
        toolset=toolset,
        docstring=tool.docstring or f"{tool.title}.",
        typing=Code(", ".join(names)) if names else None,
        models=models,
        parameters=tuple(laid_out),
        answer=lay_out(") -> ", answer, ":", depth=0),
        message=py_literal(f"`{tool.name}` is not implemented yet"),
    )


def _annotation(tool: Tool, argument: Argument, types: Types) -> Expression:
    """The type of one argument; None where null is a value or stands for an argument that was left
    out.
    """
    known = types.arguments.get((tool.name, argument.name))
    operands = [known if known is not None else annotate(argument.annotation)]
    optional = not argument.required and not argument.default
    if (argument.annotation.nullable or optional) and operands != ["Any"]:
        operands.append("None")
    return union(operands)


def _default(argument: Argument) -> str:
    if argument.default:
        return f" = {py_literal(argument.default[0])}"
    return "" if argument.required else " = None"


def _answer(tool: Tool, types: Types) -> Expression:
    """What the function returns: what its output schema says, else a text."""
    if tool.output_schema is None:
        return "str"
    if tool.name in types.answers:
        return types.answers[tool.name]
    return "Any" if tool.response.wrapped else "dict[str, Any]"


def _free(name: str, tool: Tool) -> Code:
    """A name that no argument has."""
    while any(argument.name == name for argument in tool.arguments):
        name += "_"
    return py_ident(name)
