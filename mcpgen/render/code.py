"""What the template of a module of tools prints: every value is code already, arranged as black
would.

A function asks for its arguments and makes one request of them. All decisions are taken here; the
template only puts things in their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from ..ir import Annotation, Argument, Body, Request, Tool, Toolset
from .layout import Expression, atoms, call, dictionary, lay_out, subscript, union, value
from .literal import WIDTH, Code, UnsafeValue, py_ident, py_literal

SCALARS = {"str": "str", "int": "int", "float": "float", "bool": "bool", "any": "Any"}
LITERALS = 16
"""The longest list of allowed values that is said in a type; a longer one is in the tool's input
schema alone.
"""
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


@dataclass(frozen=True, slots=True)
class Types:
    """The TypedDicts a toolset's functions speak of. Where there are none, a plain annotation
    stands.
    """

    arguments: Mapping[tuple[str, str], Expression] = field(default_factory=dict)
    """(tool, argument) → its type, null not included."""
    answers: Mapping[str, Expression] = field(default_factory=dict)
    """Tool → the type of its answer's data."""


@dataclass(frozen=True, slots=True)
class Function:
    """One tool's function. `signature` and `request` are what stands in their brackets where that
    fits on one line.
    """

    name: str
    docstring: str
    decorator: Code | None
    parameters: tuple[Code, ...]
    signature: Code | None
    answer: Code
    method: Code
    path: Code
    keywords: tuple[Code, ...]
    request: Code | None


@dataclass(frozen=True, slots=True)
class Module:
    """One toolset's module of functions. `typing` and `api` are the names it imports from there."""

    name: str
    functions: tuple[Function, ...]
    typing: Code | None
    api: Code
    wire: bool
    models: bool


def module(toolset: Toolset, types: Types) -> Module:
    """The view of a toolset's Python module. A tool without a request is the user's to write and
    left out.
    """
    used: set[str] = set()
    functions = tuple(_function(tool, types, used) for tool in toolset.tools if tool.request)
    models = any(atom.startswith("models.") for atom in used)
    typing = [name for name, atom in (("Any", "Any"), ("Literal", "Literal[")) if atom in used]
    omit = "Omit" in used
    return Module(
        name=toolset.name,
        functions=functions,
        typing=(
            _names([*(["TYPE_CHECKING"] if models else []), *typing]) if models or typing else None
        ),
        api=_names([*(["OMIT"] if omit else []), "Answer", "Api", *(["Omit"] if omit else [])]),
        wire=any(atom.startswith("wire.") for atom in used),
        models=models,
    )


def _names(names: Iterable[str]) -> Code:
    return Code(", ".join(names))


def _function(tool: Tool, types: Types, used: set[str]) -> Function:
    """The function of one tool; the names it needs are added to `used`."""
    request = tool.request
    assert request is not None
    shown = [argument for argument in tool.arguments if not argument.fixed]
    parameters = [(argument, _parameter(tool, argument, types)) for argument in shown]
    answer = subscript("Answer", types.answers.get(tool.name, "Any"))
    keywords = _keywords(tool, request)
    sends = _sends(tool)
    for expression in chain(
        (item for _, item in parameters), keywords.values(), (answer,), [sends] if sends else []
    ):
        used.update(atoms(expression))
    method, path = py_literal(request.method), py_literal(request.path)
    laid_out = tuple(
        lay_out(f"{py_ident(item.name)}: ", kind, f"{_default(item)},", depth=1)
        for item, kind in parameters
    )
    returns = lay_out("", answer, depth=0)
    said = tuple(lay_out(f"{name}=", item, ",", depth=2) for name, item in keywords.items())
    return Function(
        name=tool.name,
        docstring=tool.docstring or f"{tool.title}.",
        decorator=lay_out("@", sends, depth=0) if sends else None,
        parameters=laid_out,
        signature=_brief(
            f"async def {tool.name}(", "api: Api", ["*, ", *laid_out], f") -> {returns}:"
        ),
        answer=returns,
        method=method,
        path=path,
        keywords=said,
        request=_brief("    return await api.request(", f"{method}, {path}", ["", *said], ")"),
    )


def _brief(opening: str, start: str, items: list[str], closing: str) -> Code | None:
    """What stands in brackets if at most one item follows the start and the line is not too
    long.
    """
    separator, *lines = items
    inner = f"{start}, {separator}{lines[0].removesuffix(',')}" if lines else start
    fits = (
        len(lines) < 2 and "\n" not in inner and len(opening) + len(inner) + len(closing) <= WIDTH
    )
    return Code(inner) if fits else None


def _parameter(tool: Tool, argument: Argument, types: Types) -> Expression:
    """The annotation of one argument: its type, None where null is a value, Omit where it may be
    left out.
    """
    known = types.arguments.get((tool.name, argument.name))
    operands = [known if known is not None else annotate(argument.annotation)]
    if argument.annotation.nullable and operands != ["Any"]:
        operands.append("None")
    if _default(argument) == " = OMIT":
        operands.append("Omit")
    return union(operands)


def _default(argument: Argument) -> str:
    """What stands behind the annotation. A list or an object would be shared by all calls: it goes
    into the request.
    """
    if argument.default and not isinstance(argument.default[0], (list, dict)):
        return f" = {py_literal(argument.default[0])}"
    return "" if argument.required and not argument.default else " = OMIT"


def annotate(annotation: Annotation) -> Expression:
    """A shallow annotation as an expression, null not included at the top."""
    members = annotation.members
    match annotation.kind:
        case "literal":
            return literal_type(members)
        case "list":
            return subscript("list", _nullable(members[0]) if members else "Any")
        case "dict":
            return subscript("dict", "str", "Any")
        case "union":
            return union([_nullable(member) for member in members])
        case kind if kind in SCALARS:
            return SCALARS[kind]
    return "Any"


def _nullable(annotation: Annotation) -> Expression:
    inner = annotate(annotation)
    return union([inner, "None"]) if annotation.nullable and inner != "Any" else inner


def literal_type(values: tuple[str | int | bool, ...]) -> Expression:
    """`Literal` of the values, or their types where there are too many to read."""
    if len(values) <= LITERALS:
        return subscript("Literal", *(py_literal(item) for item in values))
    return union(list(dict.fromkeys(type(item).__name__ for item in values)))


def _sends(tool: Tool) -> Expression | None:
    """The decorator that says what the input schema cannot: where null is meant, and which keys
    differ on the wire.
    """
    said = {"nullable": tuple(tool.nullable), "names": dict(tool.wire_names)}
    keywords = {name: value(data) for name, data in said.items() if data}
    return call("wire.sends", **keywords) if keywords else None


def _keywords(tool: Tool, request: Request) -> dict[str, Expression]:
    """The keyword arguments of `Api.request`, in the order of its signature."""
    found: dict[str, Expression] = {}
    for place, keyword in DICTIONARIES.items():
        entries = _fixed(request, place) | _entries(tool, place)
        if entries:
            found[keyword] = dictionary(entries)
    if request.body:
        found |= _body(tool, request.body)
    if request.accept != "application/json":
        found["accept"] = py_literal(request.accept)
    if request.security is not None:
        found["security"] = value(request.security)
    if request.base_url is not None:
        found["base_url"] = py_literal(request.base_url)
    return found


def _fixed(request: Request, place: str) -> dict[str, Expression]:
    """What the document itself puts into every request; a repeated query key becomes a list."""
    given = {"query": request.fixed_query, "header": request.fixed_headers}.get(place, ())
    values: dict[str, list[str]] = {}
    for name, text in given:
        values.setdefault(name, []).append(text)
    return {name: value(texts if len(texts) > 1 else texts[0]) for name, texts in values.items()}


def _entries(tool: Tool, place: str) -> dict[str, Expression]:
    """Wire name → expression for the arguments of one place."""
    found: dict[str, Expression] = {}
    for argument in tool.arguments:
        if argument.place == place:
            if argument.wire_name in found:
                raise UnsafeValue(
                    f"`{tool.name}` has two arguments for {place} {argument.wire_name!a:.60}"
                )
            found[argument.wire_name] = _encoded(argument)
    return found


def _encoded(argument: Argument) -> Expression:
    """The argument as it is put on the wire: by name, or through a function of `wire`."""
    name: Expression = py_ident(argument.name)
    if argument.fixed:
        name = value(argument.fixed[0])
    elif argument.default and _default(argument) == " = OMIT":
        name = f"{py_literal(argument.default[0])} if {name} is OMIT else {name}"
    if not argument.encode:
        return name
    options = {str(py_ident(option)): value(data) for option, data in argument.options}
    return call(f"wire.{py_ident(argument.encode)}", name, **options)


def _body(tool: Tool, body: Body) -> dict[str, Expression]:
    """The keywords that say the body: one argument that is all of it, or its fields."""
    fields = _entries(tool, "body")
    if not fields and (body.whole or not body.required):
        return {}
    found: dict[str, Expression] = {}
    found[BODIES[body.kind]] = next(iter(fields.values())) if body.whole else dictionary(fields)
    if body.media_type != OBVIOUS.get(body.kind):
        found["media_type"] = py_literal(body.media_type)
    if not body.required and not body.whole:
        found["optional_body"] = "True"
    return found
