"""The values for the template of a module of tools: every value is code already, on one line.

A function takes its arguments and makes one request of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..ir import LITERALS, Annotation, Argument, Body, Request, Tool, Toolset
from .literal import (
    Code,
    UnsafeValue,
    call,
    dictionary,
    names_in,
    py_ident,
    py_literal,
    subscript,
    union,
)
from .models import Types

SCALARS = {"str": "str", "int": "int", "float": "float", "bool": "bool", "any": "Any"}
DICTIONARIES = {"path": "path_args", "query": "query", "header": "headers", "cookie": "cookies"}
"""Place of an argument → keyword of `Api.request`."""
BODIES = {
    "json": "json",
    "form": "form",
    "multipart": "multipart",
    "text": "content",
    "binary": "content",
}
"""Kind of a body → keyword of `Api.request`."""
OBVIOUS = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "multipart": "multipart/form-data",
}
"""The media type `Api.request` writes of itself."""


@dataclass(slots=True)
class Names:
    """The names read by a module's expressions, collected to know its imports."""

    read: set[str] = field(default_factory=set)

    def add(self, *expressions: str) -> None:
        """Add the names that these expressions read to `read`."""
        for expression in expressions:
            self.read |= names_in(expression)

    def typing(self) -> list[str]:
        """Return the names to import from `typing`; `TYPE_CHECKING` is for `models`."""
        names = ["TYPE_CHECKING"] if "models" in self.read else []
        return names + [name for name in ("Any", "Literal") if name in self.read]


@dataclass(frozen=True, slots=True)
class Function:
    """One tool's function. `parameters` follow `api`; `request` is the `return` statement."""

    name: str
    docstring: str
    decorator: Code | None
    parameters: tuple[Code, ...]
    answer: Code
    request: Code


@dataclass(frozen=True, slots=True)
class Module:
    """One toolset's module of functions. `typing` are the names it imports from there, `api` those
    from the package's face, so that a copy of a function in `custom/` imports nothing else.
    """

    name: str
    functions: tuple[Function, ...]
    typing: Code | None
    api: Code
    models: bool


def module(toolset: Toolset, types: Types) -> Module:
    """Return the view of a toolset's Python module: a function for each tool with a request."""
    names = Names()
    functions = tuple(
        _function(tool, tool.request, types, names)
        for tool in toolset.tools
        if tool.request is not None
    )
    api = ["OMIT", "Answer", "Api", "Omit"] if "Omit" in names.read else ["Answer", "Api"]
    if "wire" in names.read:
        api.append("wire")
    return Module(
        name=toolset.name,
        functions=functions,
        typing=listing(names.typing()),
        api=Code(", ".join(api)),
        models="models" in names.read,
    )


def listing(names: Iterable[str]) -> Code | None:
    """Return names with commas between them, as an import lists them; None without any."""
    text = ", ".join(names)
    return Code(text) if text else None


def docstring_of(tool: Tool) -> str:
    """Return the docstring of a tool's function: one sentence, or the title if there is none."""
    return tool.docstring or f"{tool.title}."


def answer_of(tool: Tool, types: Types) -> Code:
    """Return the return type of a tool's function."""
    return subscript("Answer", types.answer(tool) or "Any")


def _function(tool: Tool, request: Request, types: Types, names: Names) -> Function:
    """Return the function of one tool; the names it uses are added to `names`."""
    parameters = [
        (argument, parameter(argument, types)) for argument in tool.arguments if not argument.fixed
    ]
    answer = answer_of(tool, types)
    keywords = _keywords(tool, request)
    sends = _sends(tool)
    names.add(answer, *(annotation for _, annotation in parameters), *keywords.values())
    if sends is not None:
        names.add(sends)
    api = f"api.of({py_literal(request.api)})" if request.api else "api"
    path = [py_literal(request.method), py_literal(request.path)]
    request_call = call(f"{api}.request", *path, **keywords)
    if len(keywords) > 1:
        request_call = Code(f"{request_call.removesuffix(')')},)")  # each on a line of its own
    return Function(
        name=tool.name,
        docstring=docstring_of(tool),
        decorator=None if sends is None else Code(f"@{sends}"),
        parameters=tuple(
            Code(f"{py_ident(argument.name)}: {annotation}{default(argument)}")
            for argument, annotation in parameters
        ),
        answer=answer,
        request=Code(f"return await {request_call}"),
    )


def annotated(argument: Argument, types: Types) -> list[str]:
    """Return the operands of an argument's annotation: its type, and `None` if it may be null."""
    operands = types.argument(argument) or _operands(argument.annotation)
    return [*operands, "None"] if argument.annotation.nullable and operands != ["Any"] else operands


def parameter(argument: Argument, types: Types) -> str:
    """Return the annotation of one parameter, with `Omit` if it is optional."""
    operands = annotated(argument, types)
    return union([*operands, "Omit"] if default(argument) == " = OMIT" else operands)


def default(argument: Argument) -> str:
    """Return the default that follows the annotation: ` = 5`; ` = OMIT` for an optional argument,
    and for a list or an object, which all calls would share; empty for a required argument.
    """
    if not argument.default:
        return "" if argument.required else " = OMIT"
    if isinstance(argument.default[0], (list, dict)):
        return " = OMIT"
    return f" = {py_literal(argument.default[0])}"


def _operands(annotation: Annotation) -> list[str]:
    """Return the operands of a shallow annotation, null not included at the top."""
    members = annotation.members
    match annotation.kind:
        case "literal" if len(members) <= LITERALS:
            return [subscript("Literal", *map(py_literal, members))]
        case "literal":
            return [type(member).__name__ for member in members]
        case "list":
            return [subscript("list", union(_nullable(members)) or "Any")]
        case "dict":
            return ["dict[str, Any]"]
        case "union":
            return _nullable(members)
    return [SCALARS.get(annotation.kind, "Any")]


def _nullable(annotations: Iterable[Annotation]) -> list[str]:
    """Return annotations as operands of one union, each with `None` if it may be null."""
    operands: list[str] = []
    for annotation in annotations:
        found = _operands(annotation)
        operands += [*found, "None"] if annotation.nullable and found != ["Any"] else found
    return operands


def _sends(tool: Tool) -> str | None:
    """Return the call `wire.sends(…)` for facts beyond the input schema: nullable positions, keys
    with another name on the wire, a merge patch. None without any.
    """
    body = tool.request.body if tool.request else None
    facts: dict[str, Any] = {
        "nullable": tuple(tool.nullable),
        "names": dict(tool.wire_names),
        "merge_patch": body is not None and body.is_merge_patch,
    }
    keywords = {name: py_literal(data) for name, data in facts.items() if data}
    return call("wire.sends", **keywords) if keywords else None


def _keywords(tool: Tool, request: Request) -> dict[str, str]:
    """Return the keyword arguments of `Api.request`, in the order of its signature."""
    keywords: dict[str, str] = {}
    for place, keyword in DICTIONARIES.items():
        entries = _constants(request, place) | _entries(tool, place)
        if entries:
            keywords[keyword] = dictionary(entries)
    if request.body:
        keywords |= _body(tool, request.body)
    if request.accept != "application/json":
        keywords["accept"] = py_literal(request.accept)
    if request.content_type:
        keywords["content_type"] = py_literal(request.content_type)
    if request.security is not None:
        keywords["security"] = py_literal(request.security)
    if request.base_url is not None:
        keywords["base_url"] = py_literal(request.base_url)
    return keywords


def _constants(request: Request, place: str) -> dict[str, str]:
    """Return name → literal of the fixed query parameters or headers; a list for a repeated key."""
    pairs = {"query": request.fixed_query, "header": request.fixed_headers}.get(place, ())
    values: dict[str, list[str]] = {}
    for name, text in pairs:
        values.setdefault(name, []).append(text)
    return {
        name: py_literal(texts if len(texts) > 1 else texts[0]) for name, texts in values.items()
    }


def _entries(tool: Tool, place: str) -> dict[str, str]:
    """Return wire name → expression for arguments of a place. Raises UnsafeValue for repeats."""
    entries: dict[str, str] = {}
    for argument in tool.arguments:
        if argument.place != place:
            continue
        if argument.wire_name in entries:
            raise UnsafeValue(
                f"`{tool.name}` has two arguments for {place} {argument.wire_name!a:.60}"
            )
        entries[argument.wire_name] = _encoded(argument)
    return entries


def _encoded(argument: Argument) -> str:
    """Return the expression to send: the argument's name (a list or object with its default) or
    fixed value, in a call of `wire` if it is encoded.
    """
    name: str = py_ident(argument.name)
    if argument.fixed:
        name = py_literal(argument.fixed[0])
    elif argument.default and default(argument) == " = OMIT":
        name = f"{py_literal(argument.default[0])} if {name} is OMIT else {name}"
    given = {"fixed": dict(argument.fixed_fields), "defaults": dict(argument.default_fields)}
    fields = {key: py_literal(values) for key, values in given.items() if values}
    if fields:
        name = call("wire.with_fields", name, **fields)
    if not argument.encode:
        return name
    options = {str(py_ident(option)): py_literal(data) for option, data in argument.options}
    return call(f"wire.{py_ident(argument.encode)}", name, **options)


def _body(tool: Tool, body: Body) -> dict[str, str]:
    """Return the keywords of the body: a single argument as the whole body, or its fields; empty
    without arguments, unless fields are required.
    """
    fields = _entries(tool, "body")
    if not fields and (body.whole or not body.required):
        return {}
    keywords: dict[str, str] = {}
    keywords[BODIES[body.kind]] = next(iter(fields.values())) if body.whole else dictionary(fields)
    if body.media_type != OBVIOUS.get(body.kind):
        keywords["media_type"] = py_literal(body.media_type)
    if not body.required and not body.whole:
        keywords["optional_body"] = "True"
    return keywords
