"""TypedDicts for the objects in arguments and answers, made with datamodel-code-generator, for type
checkers alone.

The library never sees a word of the document: it is asked for the types of *shapes* (`shapes`), and
names are put back here. So no text can steer it, equal shapes are asked for once, and one question
serves all toolsets (`catalogue`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..ir import Server, Toolset
from ..text import escape_token
from .catalogue import Catalogue, Shape, TypeTree
from .code import Types
from .layout import Expression, Group, atoms, declare, dictionary, lay_out, subscript, union
from .literal import Code, is_field, py_ident, py_literal, quoted
from .shapes import Drawing, Model, class_name, holds_object, pascal

TAKEN: Final = frozenset({"Any", "Literal", "NotRequired", "TypedDict", "None", "True", "False"})


@dataclass(frozen=True, slots=True)
class ModelView:
    """A TypedDict as the template prints it: a class, or a `literal` where a key is no
    identifier.
    """

    name: str
    fields: tuple[Code, ...]
    literal: Code | None


@dataclass(frozen=True, slots=True)
class ModelsView:
    """A module of TypedDicts. `typing` are the names it imports from there."""

    name: str
    typing: Code
    models: tuple[ModelView, ...]


def plan_all(server: Server) -> tuple[dict[str, Plan], Catalogue]:
    """The models every toolset needs, and the catalogue in which their types can be looked up."""
    plans = {toolset.name: Plan(toolset) for toolset in server.toolsets}
    return plans, Catalogue({name: plan.shapes() for name, plan in plans.items()})


class Plan:
    """The models of one toolset, before their types are known. Equal objects share the name that
    came first.
    """

    def __init__(self, toolset: Toolset) -> None:
        self.models: dict[str, Model] = {}
        self._names: dict[Model, str] = {}
        self._arguments: dict[tuple[str, str], Model] = {}
        self._answers: dict[str, Model] = {}
        for tool in toolset.tools:
            nullable, wire_names = frozenset(tool.nullable), dict(tool.wire_names)
            properties = tool.input_schema.get("properties", {})
            for argument in tool.arguments:
                schema = properties.get(argument.name)
                if schema and not argument.fixed and holds_object(schema):
                    pointer = f"/properties/{escape_token(argument.name)}"
                    drawing = Drawing(self.named, nullable - {pointer}, wire_names)
                    self._arguments[tool.name, argument.name] = drawing.root(
                        schema, pointer, pascal(tool.name) + pascal(argument.name)
                    )
            answer = tool.response
            if answer.schema and holds_object(answer.schema):
                drawing = Drawing(self.named, frozenset(answer.nullable) - {""}, {})
                name, item = (
                    (class_name(answer.name), "")
                    if answer.name
                    else (f"{pascal(tool.name)}Answer", "item")
                )
                self._answers[tool.name] = drawing.root(answer.schema, "", name, item)

    def named(self, name: str, model: Model) -> str:
        """The name of a model: `name`, with a number where another model has it."""
        if model not in self._names:
            free, number = name, 2
            while free in self.models or free in TAKEN:
                free, number = f"{name}{number}", number + 1
            self._names[model] = free
            self.models[free] = model
        return self._names[model]

    def shapes(self) -> list[Shape]:
        """Every shape whose types have to be known."""
        return [
            model.shape
            for model in (*self.models.values(), *self._arguments.values(), *self._answers.values())
        ]

    def known(self, catalogue: Catalogue) -> dict[str, list[TypeTree]]:
        """The fields' types of every model the catalogue knows."""
        found = {name: catalogue.fields(model.shape) for name, model in self.models.items()}
        return {name: fields for name, fields in found.items() if fields is not None}

    def types(self, catalogue: Catalogue) -> Types:
        """What the functions' signatures say. Whatever is not known keeps its plain annotation."""
        known = self.known(catalogue)
        arguments = {
            key: self._root(model, catalogue, known) for key, model in self._arguments.items()
        }
        answers = {key: self._root(model, catalogue, known) for key, model in self._answers.items()}
        return Types(
            arguments={key: found for key, found in arguments.items() if found is not None},
            answers={key: found for key, found in answers.items() if found is not None},
        )

    def _root(
        self, model: Model, catalogue: Catalogue, known: Mapping[str, Any]
    ) -> Expression | None:
        fields = catalogue.fields(model.shape)
        return None if fields is None else _Names(model, known, "models.").expression(fields[0])

    def view(self, name: str, catalogue: Catalogue) -> ModelsView | None:
        """The module of TypedDicts, or None where there is none."""
        known = self.known(catalogue)
        used: set[str] = set()
        views = tuple(
            _view(model, self.models[model], fields, known, used) for model, fields in known.items()
        )
        used.add("TypedDict")
        names = ("Any", "Literal", "NotRequired", "TypedDict", "Union")
        typing = [item for item in names if item in used or f"{item}[" in used]
        return ModelsView(name, Code(", ".join(typing)), views) if views else None


def _view(
    name: str, model: Model, fields: list[TypeTree], known: Mapping[str, Any], used: set[str]
) -> ModelView:
    """One TypedDict. As a call its types are evaluated at once, so that names of other ones stand
    in quotes.
    """
    is_class = all(map(is_field, model.keys))
    names = _Names(model, known, "", quote=not is_class)
    types = [names.expression(tree) for tree in fields]
    types = [
        item if required else subscript("NotRequired", item)
        for item, required in zip(types, model.required, strict=True)
    ]
    for item in types:
        used.update(atoms(item))
    if is_class:
        declared = (
            declare(key, item, depth=1) for key, item in zip(model.keys, types, strict=True)
        )
        return ModelView(name, tuple(declared), None)
    entries = dictionary(dict(zip(model.keys, types, strict=True)))
    literal = Group("TypedDict(", (("", quoted(name)), ("", entries)), ")")
    return ModelView(name, (), lay_out(f"{py_ident(name)} = ", literal, depth=0))


@dataclass(frozen=True, slots=True)
class _Names:
    """Puts the names of one model back into type trees."""

    model: Model
    known: Mapping[str, Any]
    prefix: str
    quote: bool = False

    def expression(self, tree: TypeTree) -> Expression:
        """A type tree as an expression."""
        match tree:
            case "str" | "int" | "float" | "bool" | "Any" | "None":
                return str(tree)
            case ["list", inner]:
                return subscript("list", self.expression(inner))
            case ["dict", inner]:
                return subscript("dict", "str", self.expression(inner))
            case ["union", *inner]:
                operands = [self.expression(item) for item in inner]
                # A name in quotes is a text, which `|` does not take when it is evaluated
                is_text = any(isinstance(item, str) and item.startswith('"') for item in operands)
                return subscript("Union", *operands) if is_text else union(operands)
            case ["literal", *texts]:
                return subscript(
                    "Literal", *(py_literal(self.model.values[_index(text)]) for text in texts)
                )
            case ["model", text]:
                return self.reference(self.model.references[_index(text)])
        return "Any"

    def reference(self, name: str) -> Expression:
        """The name of another TypedDict, or a plain dictionary where it has none."""
        if name not in self.known:
            return subscript("dict", "str", "Any")
        return quoted(name) if self.quote else self.prefix + py_ident(name)


def _index(text: Any) -> int:
    """The number in `R3` or `v3`."""
    return int(str(text)[1:])
