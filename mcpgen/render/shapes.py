"""JSON Schema → models and shapes: what of an argument or an answer a TypedDict can say.

A *shape* is what the library is asked (see `catalogue`): in it properties are `f0 f1 ...`, allowed
values `v0 v1 ...` and other objects `R0 R1 ...`. A model is a shape together with what those stand
for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeGuard

from ..ir import Schema
from ..text import escape_token, words
from .catalogue import Shape
from .code import LITERALS

DEPTH: Final = 6
"""Objects within objects that get a TypedDict of their own; deeper ones are `dict[str, Any]`."""
NAME_LENGTH: Final = 60
OBJECT: Final = {"type": "object"}
SCALARS: Final = ("string", "integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class Model:
    """One TypedDict: keys, and the shape in which they are fields; what stands for `R0 ...` and `v0
    ...` there.
    """

    keys: tuple[str, ...]
    required: tuple[bool, ...]
    shape: Shape
    references: tuple[str, ...]
    values: tuple[str | int | bool, ...]


@dataclass(slots=True)
class Drawing:
    """Draws the models of one schema. `named` takes a model and the name it would have, and gives
    the name it has.
    """

    named: Callable[[str, Model], str]
    nullable: frozenset[str]
    wire_names: Mapping[str, str]

    def root(self, schema: Schema, pointer: str, name: str, item: str = "item") -> Model:
        """A schema as a model of one field: a type, the objects in which are models of the plan.

        An object in a list is named after `item` as well; with an empty one the name itself is the
        object's.
        """
        run = _Fields(self, name, 0, item)
        return run.model(("",), (True,), [run.reduced(schema, pointer, "")])

    def draw(self, schema: Schema, pointer: str, name: str, depth: int) -> str:
        """An object with properties as a model of the plan; its name."""
        run = _Fields(self, name, depth)
        keys, required, fields = [], [], []
        demanded = set(schema.get("required", ()))
        for key, child in schema["properties"].items():
            at = f"{pointer}/properties/{escape_token(key)}"
            wire_name = self.wire_names.get(at, key)
            if wire_name in keys:
                continue
            keys.append(wire_name)
            required.append(key in demanded)
            fields.append(run.reduced(child, at, key))
        return self.named(name, run.model(tuple(keys), tuple(required), fields))


@dataclass(slots=True)
class _Fields:
    """The fields of one model while it is drawn: which objects and values they mention, in
    order.
    """

    drawing: Drawing
    name: str
    depth: int
    item: str = "item"
    references: dict[str, None] = field(default_factory=dict)
    values: list[str | int | bool] = field(default_factory=list)

    def model(
        self, keys: tuple[str, ...], required: tuple[bool, ...], fields: list[Schema]
    ) -> Model:
        """The finished model."""
        shape = json.dumps(
            list(zip(required, fields, strict=True)), separators=(",", ":"), sort_keys=True
        )
        return Model(keys, required, shape, tuple(self.references), tuple(self.values))

    def reduced(self, schema: Any, pointer: str, key: str) -> Schema:
        """A schema reduced to what a type can say, without a word of the document."""
        if not isinstance(schema, dict):
            return {}
        found = self._reduced(schema, pointer, key)
        return (
            {"anyOf": [found, {"type": "null"}]}
            if pointer in self.drawing.nullable and found
            else found
        )

    def _reduced(self, schema: Schema, pointer: str, key: str) -> Schema:
        values = schema.get("enum")
        if _are_literals(values):
            start = len(self.values)
            self.values += values
            return {"enum": [f"v{start + index}" for index in range(len(values))]}
        branches = schema.get("anyOf")
        if isinstance(branches, list) and branches:
            return self._union(
                [
                    self.reduced(item, f"{pointer}/anyOf/{at}", key)
                    for at, item in enumerate(branches)
                ]
            )
        kind = schema.get("type")
        if kind == "array":
            items = self.reduced(schema.get("items"), f"{pointer}/items", key or self.item)
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
    inner = [
        schema.get("items"),
        schema.get("additionalProperties"),
        *(branches if isinstance(branches, list) else ()),
    ]
    return any(holds_object(item, depth + 1) for item in inner)


def class_name(name: str) -> str:
    """A component's name as a class name."""
    found = pascal(name)
    return (found if found[0].isalpha() else f"Model{found}")[:NAME_LENGTH]


def pascal(name: str) -> str:
    """A name as part of a class name: `page-size` → `PageSize`."""
    return "".join(word.capitalize() for word in words(name)) or "Item"
