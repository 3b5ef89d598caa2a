"""The module `models` of a generated package: a TypedDict for each object that arguments and
answers hold, for type checkers alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir import Argument, Schema, Server, Tool
from ..runtime.pointer import referred_to
from .annotations import NotAType, Writer, annotate_kinds, kind_of
from .layout import Expression, Group, atoms, declare, dictionary, lay_out, subscript
from .literal import Code, is_field, py_ident, quoted

TYPING_NAMES = ("Any", "Literal", "NotRequired", "TypedDict", "Union")


@dataclass(frozen=True, slots=True)
class ModelView:
    """A TypedDict as the template prints it: a class with `fields`, or a `literal` (a call of
    `TypedDict`) where a key is no identifier.
    """

    name: str
    fields: tuple[Code, ...]
    literal: Code | None


@dataclass(frozen=True, slots=True)
class ModelsView:
    """The module. `typing` are the names it imports from there."""

    typing: Code
    models: tuple[ModelView, ...]


class Types:
    """The types of a server's arguments and answers, as annotations."""

    def __init__(self, server: Server) -> None:
        roots = [schema for tool in server.tools for schema in _types_of(tool)]
        self._models = referred_to(roots, server.models)
        fields = [field for model in self._models.values() for field in _properties(model).values()]
        self._annotations = annotate_kinds(map(kind_of, [*roots, *fields]))

    def argument(self, argument: Argument) -> Expression | None:
        """The type of an argument, null not included; None where its annotation says everything."""
        return None if argument.type is None else self._expression(argument.type, "models.")

    def answer(self, tool: Tool) -> Expression | None:
        """The type of a tool's answer, None where it holds no model."""
        schema = tool.response.type
        return None if schema is None else self._expression(schema, "models.")

    def view(self) -> ModelsView | None:
        """The module of TypedDicts in the order of their names; None where there are none."""
        used = {"TypedDict"}
        views = tuple(
            self._view(name, self._models[name], used)
            for name in self._models
            if _properties(self._models[name])
        )
        typing = [name for name in TYPING_NAMES if name in used or f"{name}[" in used]
        return ModelsView(Code(", ".join(typing)), views) if views else None

    def _view(self, name: str, model: Schema, used: set[str]) -> ModelView:
        """One TypedDict; the names it needs are added to `used`."""
        is_class = all(map(is_field, _properties(model)))
        fields: dict[str, Expression] = {}
        for key, schema in _properties(model).items():
            # A call evaluates its types at once, so that names of other models stand in quotes
            expression = self._expression(schema, "" if is_class else '"')
            is_required = key in model.get("required", ())
            fields[key] = expression if is_required else subscript("NotRequired", expression)
            used.update(atoms(fields[key]))
        if is_class:
            declared = (declare(key, item, depth=1) for key, item in fields.items())
            return ModelView(name, tuple(declared), None)
        literal = Group("TypedDict(", (("", quoted(name)), ("", dictionary(fields))), ")")
        return ModelView(name, (), lay_out(f"{py_ident(name)} = ", literal, depth=0))

    def _expression(self, schema: Schema, prefix: str) -> Expression:
        """A type as an expression; `Any` where the library has none."""

        def name(model: str) -> Expression:
            if not _properties(self._models.get(model, {})):
                return subscript("dict", "str", "Any")
            return quoted(model) if prefix == '"' else prefix + py_ident(model)

        kind = kind_of(schema)
        annotation = self._annotations.get(kind.text)
        if annotation is None:
            return "Any"
        try:
            return Writer(kind, name).expression(annotation)
        except NotAType:
            return "Any"


def _types_of(tool: Tool) -> Iterator[Schema]:
    """The types in a tool's signature that hold models."""
    for argument in tool.arguments:
        if argument.type is not None and not argument.fixed:
            yield argument.type
    if tool.response.type is not None:
        yield tool.response.type


def _properties(model: Schema) -> dict[str, Schema]:
    properties: dict[str, Schema] = model.get("properties", {})
    return properties
