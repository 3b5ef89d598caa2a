"""The values for the template of a module of tools: every value is code already, arranged as
black would arrange it.

A function takes its arguments and makes one request of them. All decisions are made here;
the template only puts things in their place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ..ir import LITERALS, Annotation, Argument, Body, Request, Tool, Toolset
from .layout import Expression, atoms, call, dictionary, lay_out, subscript, union, value
from .literal import WIDTH, Code, UnsafeValue, py_ident, py_literal
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
    """The names that a module's expressions use, collected to know what it imports."""

    atoms: set[str] = field(default_factory=set)

    def add(self, *expressions: Expression) -> None:
        """Take in the names of expressions."""
        for expression in expressions:
            self.atoms.update(atoms(expression))

    def has(self, prefix: str) -> bool:
        """Return whether a name of a module is used: `models.`."""
        return any(atom.startswith(prefix) for atom in self.atoms)

    def typing(self) -> list[str]:
        """The names to import from `typing`."""
        names = ["TYPE_CHECKING"] if self.has("models.") else []
        if "Any" in self.atoms:
            names.append("Any")
        if "Literal[" in self.atoms:
            names.append("Literal")
        return names


@dataclass(frozen=True, slots=True)
class Function:
    """One tool's function. `signature` is what stands in its brackets where that fits on one line,
    else None.
    """

    name: str
    docstring: str
    decorator: Code | None
    parameters: tuple[Code, ...]
    signature: Code | None
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
    """The view of a toolset's Python module, without the tools that the user implements."""
    names = Names()
    functions = tuple(
        _function(tool, tool.request, types, names)
        for tool in toolset.tools
        if tool.request is not None
    )
    api = ["OMIT", "Answer", "Api", "Omit"] if "Omit" in names.atoms else ["Answer", "Api"]
    if names.has("wire."):
        api.append("wire")
    return Module(
        name=toolset.name,
        functions=functions,
        typing=listing(names.typing()),
        api=Code(", ".join(api)),
        models=names.has("models."),
    )


def listing(names: Iterable[str]) -> Code | None:
    """Names as an import lists them; None where there are none."""
    text = ", ".join(names)
    return Code(text) if text else None


def docstring_of(tool: Tool) -> str:
    """The docstring of a tool's function: the tool's own, else its title."""
    return tool.docstring or f"{tool.title}."


def answer_of(tool: Tool, types: Types) -> Expression:
    """Return the return type of a tool's function."""
    return subscript("Answer", types.answer(tool) or "Any")


def _function(tool: Tool, request: Request, types: Types, names: Names) -> Function:
    """The function of one tool; the names it uses are added to `names`."""
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
    called = call(
        f"{api}.request", py_literal(request.method), py_literal(request.path), **keywords
    )
    declared = tuple(
        lay_out(f"{py_ident(argument.name)}: ", annotation, f"{default(argument)},", depth=1)
        for argument, annotation in parameters
    )
    returns = lay_out("", answer, depth=0)
    return Function(
        name=tool.name,
        docstring=docstring_of(tool),
        decorator=None if sends is None else lay_out("@", sends, depth=0),
        parameters=declared,
        signature=_signature(tool.name, declared, returns),
        answer=returns,
        request=lay_out("return await ", replace(called, spread=len(keywords) > 1), depth=1),
    )


def _signature(name: str, declared: tuple[Code, ...], returns: Code) -> Code | None:
    """The arguments of a function with at most one besides `api`, if they fit on its line."""
    inner = ", ".join(["api: Api", *(f"*, {item.removesuffix(',')}" for item in declared)])
    line = f"async def {name}({inner}) -> {returns}:"
    if len(declared) > 1 or "\n" in inner:
        return None
    return Code(inner) if len(line) <= WIDTH else None


def annotated(argument: Argument, types: Types) -> list[Expression]:
    """The operands of an argument's annotation: its type, and None where null is a value."""
    known = types.argument(argument)
    base = annotate(argument.annotation) if known is None else known
    return [base, "None"] if argument.annotation.nullable and base != "Any" else [base]


def parameter(argument: Argument, types: Types) -> Expression:
    """The annotation of one parameter, with `Omit` where it may be left out."""
    operands = annotated(argument, types)
    if default(argument) == " = OMIT":
        operands.append("Omit")
    return union(operands)


def default(argument: Argument) -> str:
    """Return the default that follows the annotation.

    A list or an object would be shared by all calls: it goes into the request.
    """
    if not argument.default:
        return "" if argument.required else " = OMIT"
    if isinstance(argument.default[0], (list, dict)):
        return " = OMIT"
    return f" = {py_literal(argument.default[0])}"


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
    return SCALARS.get(annotation.kind, "Any")


def _nullable(annotation: Annotation) -> Expression:
    inner = annotate(annotation)
    return union([inner, "None"]) if annotation.nullable and inner != "Any" else inner


def literal_type(values: tuple[str | int | bool, ...]) -> Expression:
    """`Literal` of the values, or their types where there are too many to read."""
    if len(values) <= LITERALS:
        return subscript("Literal", *(py_literal(item) for item in values))
    return union(list(dict.fromkeys(type(item).__name__ for item in values)))


def _sends(tool: Tool) -> Expression | None:
    """The decorator that says what the input schema cannot: where null is a value, and which keys
    differ on the wire.
    """
    body = tool.request.body if tool.request else None
    facts: dict[str, Any] = {
        "nullable": tuple(tool.nullable),
        "names": dict(tool.wire_names),
        "merge_patch": body is not None and body.is_merge_patch,
    }
    keywords = {name: value(data) for name, data in facts.items() if data}
    return call("wire.sends", **keywords) if keywords else None


def _keywords(tool: Tool, request: Request) -> dict[str, Expression]:
    """The keyword arguments of `Api.request`, in the order of its signature."""
    keywords: dict[str, Expression] = {}
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
        keywords["security"] = value(request.security)
    if request.base_url is not None:
        keywords["base_url"] = py_literal(request.base_url)
    return keywords


def _constants(request: Request, place: str) -> dict[str, Expression]:
    """Return the constants of every request; a repeated query key becomes a list."""
    pairs = {"query": request.fixed_query, "header": request.fixed_headers}.get(place, ())
    values: dict[str, list[str]] = {}
    for name, text in pairs:
        values.setdefault(name, []).append(text)
    return {name: value(texts if len(texts) > 1 else texts[0]) for name, texts in values.items()}


def _entries(tool: Tool, place: str) -> dict[str, Expression]:
    """Wire name → expression for the arguments of one place."""
    entries: dict[str, Expression] = {}
    for argument in tool.arguments:
        if argument.place != place:
            continue
        if argument.wire_name in entries:
            raise UnsafeValue(
                f"`{tool.name}` has two arguments for {place} {argument.wire_name!a:.60}"
            )
        entries[argument.wire_name] = _encoded(argument)
    return entries


def _encoded(argument: Argument) -> Expression:
    """The argument as it is put on the wire: by name, or through a function of `wire`."""
    name: Expression = py_ident(argument.name)
    if argument.fixed:
        name = value(argument.fixed[0])
    elif argument.default and default(argument) == " = OMIT":
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
    keywords: dict[str, Expression] = {}
    keywords[BODIES[body.kind]] = next(iter(fields.values())) if body.whole else dictionary(fields)
    if body.media_type != OBVIOUS.get(body.kind):
        keywords["media_type"] = py_literal(body.media_type)
    if not body.required and not body.whole:
        keywords["optional_body"] = "True"
    return keywords
