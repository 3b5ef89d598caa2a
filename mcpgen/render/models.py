"""TypedDicts for the objects in arguments and answers, made with datamodel-code-generator, for type checkers alone.

The library never sees a word of the document: every object becomes a *shape*, in which properties are `f0 f1 ...`,
allowed texts `v0 v1 ...` and other objects `R0 R1 ...`. It answers with the type of every field, and names are put back
here. So no text can steer it, equal shapes are asked for once, and one question serves all toolsets (`catalogue`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeGuard

from ..ir import Schema, Server, Toolset
from ..text import words
from .catalogue import Catalogue, Shape, TypeTree
from .code import LITERALS, Types
from .layout import Expression, Group, atoms, declare, dictionary, lay_out, subscript, union
from .literal import Code, is_field, py_ident, py_literal, quoted

DEPTH: Final = 6
"""Objects within objects that get a TypedDict of their own; deeper ones are `dict[str, Any]`."""
NAME_LENGTH: Final = 60
OBJECT: Final = {"type": "object"}
SCALARS: Final = ("string", "integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class Model:
    """One TypedDict: keys, and the shape in which they are fields; what stands for `R0 ...` and `v0 ...` there."""

    keys: tuple[str, ...]
    required: tuple[bool, ...]
    shape: Shape
    references: tuple[str, ...]
    values: tuple[str | int | bool, ...]


@dataclass(frozen=True, slots=True)
class ModelView:
    """A TypedDict as the template prints it: a class, or a `literal` where a key is no identifier."""

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
    """The models of one toolset, before their types are known. Equal objects share the name that came first."""

    def __init__(self, toolset: Toolset) -> None:
        self.models: dict[str, Model] = {}
        self._names: dict[Model, str] = {}
        self._arguments: dict[tuple[str, str], Model] = {}
        self._answers: dict[str, Model] = {}
        for tool in toolset.tools:
            if tool.request is None:
                continue
            nullable, wire_names = frozenset(tool.nullable), dict(tool.wire_names)
            properties = tool.input_schema.get("properties", {})
            for argument in tool.arguments:
                schema = properties.get(argument.name)
                if schema and not argument.fixed and holds_object(schema):
                    pointer = f"/properties/{escape(argument.name)}"
                    drawing = _Drawing(self, nullable - {pointer}, wire_names)
                    self._arguments[tool.name, argument.name] = drawing.root(
                        schema, pointer, pascal(tool.name) + pascal(argument.name)
                    )
            if tool.response.schema and holds_object(tool.response.schema):
                drawing = _Drawing(self, frozenset(tool.response.nullable), {})
                self._answers[tool.name] = drawing.root(tool.response.schema, "", pascal(tool.name) + "Answer")

    def named(self, name: str, model: Model) -> str:
        """The name of a model: `name`, with a number where another model has it."""
        if model not in self._names:
            free, number = name, 2
            while free in self.models:
                free, number = f"{name}{number}", number + 1
            self._names[model] = free
            self.models[free] = model
        return self._names[model]

    def shapes(self) -> list[Shape]:
        """Every shape whose types have to be known."""
        return [model.shape for model in (*self.models.values(), *self._arguments.values(), *self._answers.values())]

    def known(self, catalogue: Catalogue) -> dict[str, list[TypeTree]]:
        """The fields' types of every model the catalogue knows."""
        found = {name: catalogue.fields(model.shape) for name, model in self.models.items()}
        return {name: fields for name, fields in found.items() if fields is not None}

    def types(self, catalogue: Catalogue) -> Types:
        """What the functions' signatures say. Whatever is not known keeps its plain annotation."""
        known = self.known(catalogue)
        arguments = {key: self._root(model, catalogue, known) for key, model in self._arguments.items()}
        answers = {key: self._root(model, catalogue, known) for key, model in self._answers.items()}
        return Types(
            arguments={key: found for key, found in arguments.items() if found is not None},
            answers={key: found for key, found in answers.items() if found is not None},
        )

    def _root(self, model: Model, catalogue: Catalogue, known: Mapping[str, Any]) -> Expression | None:
        fields = catalogue.fields(model.shape)
        return None if fields is None else _Names(model, known, "models.").expression(fields[0])

    def view(self, name: str, catalogue: Catalogue) -> ModelsView | None:
        """The module of TypedDicts, or None where there is none."""
        known = self.known(catalogue)
        used: set[str] = set()
        views = tuple(_view(model, self.models[model], fields, known, used) for model, fields in known.items())
        typing = [item for item in ("Any", "Literal", "NotRequired") if item in used or f"{item}[" in used]
        return ModelsView(name, Code(", ".join([*typing, "TypedDict"])), views) if views else None


def _view(name: str, model: Model, fields: list[TypeTree], known: Mapping[str, Any], used: set[str]) -> ModelView:
    """One TypedDict. As a call its types are evaluated at once, so that names of other ones stand in quotes."""
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
        declared = (declare(key, item, depth=1) for key, item in zip(model.keys, types, strict=True))
        return ModelView(name, tuple(declared), None)
    entries = dictionary(dict(zip(model.keys, types, strict=True)))
    literal = Group("TypedDict(", (("", quoted(name)), ("", entries)), ")")
    return ModelView(name, (), lay_out(f"{py_ident(name)} = ", literal, depth=0))


@dataclass(frozen=True, slots=True)
class _Names:
    """Puts the names of one model back into type trees. What a tree says is checked: it may come from a cache."""

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
                return union([self.expression(item) for item in inner])
            case ["literal", *texts]:
                return subscript("Literal", *(py_literal(self.model.values[_index(text)]) for text in texts))
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


@dataclass(slots=True)
class _Drawing:
    """Draws the models of one schema."""

    plan: Plan
    nullable: frozenset[str]
    wire_names: Mapping[str, str]

    def root(self, schema: Schema, pointer: str, name: str) -> Model:
        """A schema as a model of one field: a type, the objects in which are models of the plan."""
        run = _Fields(self, name, 0)
        return run.model(("",), (True,), [run.reduced(schema, pointer, "")])

    def draw(self, schema: Schema, pointer: str, name: str, depth: int) -> str:
        """An object with properties as a model of the plan; its name."""
        run = _Fields(self, name, depth)
        keys, required, fields = [], [], []
        demanded = set(schema.get("required", ()))
        for key, child in schema["properties"].items():
            at = f"{pointer}/properties/{escape(key)}"
            wire_name = self.wire_names.get(at, key)
            if wire_name in keys:
                continue
            keys.append(wire_name)
            required.append(key in demanded)
            fields.append(run.reduced(child, at, key))
        return self.plan.named(name, run.model(tuple(keys), tuple(required), fields))


@dataclass(slots=True)
class _Fields:
    """The fields of one model while it is drawn: which objects and values they mention, in order."""

    drawing: _Drawing
    name: str
    depth: int
    references: dict[str, None] = field(default_factory=dict)
    values: list[str | int | bool] = field(default_factory=list)

    def model(self, keys: tuple[str, ...], required: tuple[bool, ...], fields: list[Schema]) -> Model:
        """The finished model."""
        shape = json.dumps(list(zip(required, fields, strict=True)), separators=(",", ":"), sort_keys=True)
        return Model(keys, required, shape, tuple(self.references), tuple(self.values))

    def reduced(self, schema: Any, pointer: str, key: str) -> Schema:
        """A schema reduced to what a type can say, without a word of the document."""
        if not isinstance(schema, dict):
            return {}
        found = self._reduced(schema, pointer, key)
        return {"anyOf": [found, {"type": "null"}]} if pointer in self.drawing.nullable and found else found

    def _reduced(self, schema: Schema, pointer: str, key: str) -> Schema:
        values = schema.get("enum")
        if _are_literals(values):
            start = len(self.values)
            self.values += values
            return {"enum": [f"v{start + index}" for index in range(len(values))]}
        branches = schema.get("anyOf")
        if isinstance(branches, list) and branches:
            return self._union([self.reduced(item, f"{pointer}/anyOf/{at}", key) for at, item in enumerate(branches)])
        kind = schema.get("type")
        if kind == "array":
            items = self.reduced(schema.get("items"), f"{pointer}/items", key or "item")
            return {"type": "array", "items": items}
        if kind == "object" or "properties" in schema:
            return self._object(schema, pointer, key)
        return {"type": kind} if kind in SCALARS else {}

    def _union(self, members: list[Schema]) -> Schema:
        """The members without repeats; anything at all where one of them is."""
        unique = list({json.dumps(member, sort_keys=True): member for member in members}.values())
        if {} in unique:
            return {}
        return unique[0] if len(unique) == 1 else {"anyOf": unique}

    def _object(self, schema: Schema, pointer: str, key: str) -> Schema:
        if schema.get("properties") and self.depth < DEPTH:
            name = (self.name + pascal(key) if key else self.name)[:NAME_LENGTH]
            model = self.drawing.draw(schema, pointer, name, self.depth + 1)
            self.references.setdefault(model)
            return {"$ref": f"#/$defs/R{list(self.references).index(model)}"}
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and extra and not schema.get("properties"):
            return {
                "type": "object",
                "additionalProperties": self.reduced(extra, f"{pointer}/additionalProperties", key),
            }
        return OBJECT


def _are_literals(values: Any) -> TypeGuard[list[str | int | bool]]:
    """Whether an `enum` can be said as a `Literal` that is short enough to read."""
    return (
        isinstance(values, list)
        and 0 < len(values) <= LITERALS
        and all(type(value) in (str, int, bool) for value in values)
    )


def holds_object(schema: Any, depth: int = 0) -> bool:
    """Whether there is an object with known properties in a schema, itself included."""
    if not isinstance(schema, dict) or depth > DEPTH:
        return False
    if schema.get("properties"):
        return True
    branches = schema.get("anyOf")
    inner = [schema.get("items"), schema.get("additionalProperties"), *(branches if isinstance(branches, list) else ())]
    return any(holds_object(item, depth + 1) for item in inner)


def pascal(name: str) -> str:
    """A name as part of a class name: `page-size` → `PageSize`."""
    return "".join(word.capitalize() for word in words(name)) or "Item"


def escape(token: str) -> str:
    """One token of a JSON Pointer (RFC 6901 §3)."""
    return token.replace("~", "~0").replace("/", "~1")
