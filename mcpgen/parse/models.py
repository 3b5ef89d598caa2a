"""The types of arguments and answers, for people and type checkers: shallow annotations of
projected schemas, and models of the schemas of a document.

A type is a JSON Schema of a few keywords: `type`, `enum`, `anyOf`, `items`, `additionalProperties`,
and `$ref` to a model. A model is an object with properties: each component of the document, under
its own name, and each inline object, named after the tool or component around it and its place
there.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ..ir import LITERALS, Annotation, Schema
from ..load.values import as_list, as_object, as_text, keywords, picked
from ..text import words
from .schema import component_name, is_barred

if TYPE_CHECKING:
    from .schema import Reader

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
"""JSON type → the kind of its annotation."""
LONGEST_LITERAL = 60
"""Values of an enum above which its type is said instead."""
LARGEST_UNION = 4
DEEPEST = 2

ANYTHING = Annotation(kind="any")

DEPTH: Final = 12
"""Levels of properties, items and branches within one component; a deeper value is `Any`."""
NODES: Final = 5000
"""Schemas read for one component. `allOf` can say a schema far larger than its text."""
MOST_TYPES: Final = 1000
"""Types of a union above which it is said to be any value."""
NAME_LENGTH: Final = 60
RESERVED: Final = frozenset(
    {"Any", "Literal", "NotRequired", "Optional", "TypedDict", "Union", "None", "True", "False"}
)
CLASS_NAME: Final = re.compile(rf"(?!(?:{'|'.join(RESERVED)})\Z)[A-Z][A-Za-z0-9]*")
"""Names that are taken from a lock, which people can edit."""
ANNOTATIONS: Final = frozenset(
    (
        "$comment default deprecated description example examples externalDocs readOnly "
        "summary title writeOnly xml"
    ).split()
)
"""Keywords beside a `$ref` that leave its target the same type (JSON Schema 2020-12 §9)."""
DIRECTIONS: Final = ("readOnly", "writeOnly")
VALUES: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords whose value is data: `$ref` is an ordinary key there."""
DEFINITIONS: Final = "#/$defs/"
NULL: Final[Schema] = {"type": "null"}


def annotation(schema: Schema, *, nullable: bool, depth: int = 0) -> Annotation:
    """Return the Python type of a projected schema; items and branches are said `DEEPEST` levels
    deep.
    """
    values = as_list(schema.get("enum"))
    if _are_literals(values):
        return Annotation(kind="literal", members=tuple(values), nullable=nullable)
    kind = as_text(schema.get("type"))
    if kind == "array":
        items = _inner(schema.get("items", {}), depth)
        return Annotation(kind="list", members=(items,), nullable=nullable)
    if kind == "object":
        return Annotation(kind="dict", nullable=nullable)
    if kind in SCALARS:
        return Annotation(kind=SCALARS[kind], nullable=nullable)
    branches = as_list(schema.get("anyOf"))
    if 1 < len(branches) <= LARGEST_UNION:
        return _one_of([_inner(branch, depth) for branch in branches], nullable)
    return ANYTHING


def _are_literals(values: list[Any]) -> bool:
    """Return whether an enum has 1 to 60 values, all of them texts, integers or booleans."""
    if not 0 < len(values) <= LONGEST_LITERAL:
        return False
    return all(type(value) in (str, int, bool) for value in values)


def _inner(schema: Schema, depth: int) -> Annotation:
    if depth >= DEEPEST:
        return ANYTHING
    return annotation(schema, nullable=False, depth=depth + 1)


def _one_of(branches: list[Annotation], nullable: bool) -> Annotation:
    """Return the union of distinct annotations; with `any` among them, `any`."""
    members = tuple(dict.fromkeys(branches))
    if any(member.kind == "any" for member in members):
        return ANYTHING
    if len(members) == 1:
        return replace(members[0], nullable=nullable)
    return Annotation(kind="union", members=members, nullable=nullable)


class Models:
    """The models of one document, and types with references to them.

    `schemas`: class name → `{"type": "object", "properties": …, "required": […]}`, and
    `additionalProperties` if the document allows further properties; keys are as on the wire.
    `names`: origin of a model → its class name. `pinned`: the `names` of the last run, which are
    kept.
    """

    def __init__(
        self,
        reader: Reader,
        pinned: Mapping[str, str],
        prefix: str = "",
        beside: Models | None = None,
    ) -> None:
        """Start names of components with `prefix`, and join the models to those of another API,
        `beside`.
        """
        self.reader, self.pinned, self.prefix = reader, pinned, prefix
        self.schemas: dict[str, Schema] = beside.schemas if beside else {}
        self.names: dict[str, str] = beside.names if beside else {}
        self._types: dict[tuple[str, bool], Schema] = {}
        self._unread: deque[tuple[str, str, bool]] = deque()
        self._directions: dict[str, bool] = {}
        self._numbers: dict[tuple[str, bool], int] = {}
        """Class name, and whether it is a component's → the number that was given last."""
        self._pinned_names = frozenset(pinned.values())
        self._component_names = {prefix + class_name(name) for name in self._components()}

    def argument(self, schema: Any, tool: str, argument: str) -> Schema | None:
        """Return the type of an argument, null not included; None if it holds no model."""
        return self._root(schema, pascal(tool) + pascal(argument), writing=True)

    def answer(self, schema: Any, tool: str) -> Schema | None:
        """Return the type of an answer, null not included; None if it holds no model."""
        return self._root(schema, f"{pascal(tool)}Answer", writing=False)

    def _root(self, schema: Any, name: str, *, writing: bool) -> Schema | None:
        found = _Walk(self, writing).type_of(schema, name, 0)
        while self._unread:
            model, reference, is_input = self._unread.popleft()
            walk = _Walk(self, is_input)
            self.schemas[model] = walk.fields({"$ref": reference}, model, 0)
        return found if refers_to_model(found) else None

    def component(self, reference: str, *, writing: bool, depth: int) -> Schema:
        """Return the type of what a `$ref` points to.

        A component with fields that are sent or received alone has a second model for requests,
        `BookInput` beside `Book`.
        """
        is_input = writing and self._has_direction(reference)
        key = reference, is_input
        if key in self._types:
            return self._types[key]
        self._types[key] = {}  # what a component that is nothing but itself says
        target, _ = self.reader.resolve(reference)
        name = self.prefix + class_name(component_name(reference))
        if referenced(target) is None and _has_properties(self.reader.flatten(target)):
            model_key = self.prefix + reference
            if is_input:
                name, model_key = f"{name}Input", f"{model_key} input"
            model = self.reserve(name, model_key, is_component=not is_input)
            self._unread.append((model, reference, is_input))
            self._types[key] = {"$ref": DEFINITIONS + model}
        else:
            self._types[key] = _Walk(self, writing).type_of(target, name, depth + 1)
        return self._types[key]

    def reserve(self, name: str, key: str, *, is_component: bool = False) -> str:
        """Reserve and return the class name of a model's origin, another for each call: the last
        run's, else `name`, numbered if it is taken, or is a component's without `is_component`.
        """
        while key in self.names:
            key += "+"
        free = self.pinned.get(key, "")
        if not CLASS_NAME.fullmatch(free) or free in self.schemas:
            free = stem = name[:NAME_LENGTH]
            while self._is_used(free, is_component):
                number = self._numbers.get((stem, is_component), 1) + 1
                self._numbers[stem, is_component] = number
                free = f"{stem}{number}"
        self.names[key] = free
        self.schemas[free] = {}
        return free

    def _is_used(self, name: str, is_component: bool) -> bool:
        if any(name in names for names in (RESERVED, self.schemas, self._pinned_names)):
            return True
        if is_component:
            return False
        return name in self._component_names

    def _components(self) -> list[str]:
        root = self.reader.root
        groups = [root.get("$defs"), root.get("definitions")]
        components = root.get("components")
        if isinstance(components, dict):
            groups.append(components.get("schemas"))
        return [str(name) for group in groups if isinstance(group, dict) for name in group]

    def _has_direction(self, reference: str) -> bool:
        """Return whether anything that can be reached from a component is `readOnly` or
        `writeOnly`.
        """
        if reference not in self._directions:
            around = self._read_directions(reference)
            flagged = [name for name in around if self._directions[name]]
            while flagged:
                users = around.pop(flagged.pop(), [])
                self._directions |= dict.fromkeys(users, True)
                flagged += users
        return self._directions[reference]

    def _read_directions(self, reference: str) -> dict[str, list[str]]:
        """Note for a component, and for each component that it refers to at any depth, whether it
        holds `readOnly` or `writeOnly` itself. Return component → the components read in this call
        that refer to it.
        """
        around: defaultdict[str, list[str]] = defaultdict(list)
        pending = [reference]
        while pending:
            name = pending.pop()
            self._directions[name], references = self._links_of(name)
            for other in references:
                around[other].append(name)
            unread = references - self._directions.keys()
            self._directions |= dict.fromkeys(unread, False)
            pending += unread
        return around

    def _links_of(self, reference: str) -> tuple[bool, set[str]]:
        """Return whether a component itself holds `readOnly` or `writeOnly`, and the references in
        it.
        """
        has_direction = False
        references: set[str] = set()
        pending = [self.reader.resolve(reference)[0]]
        while pending:
            node = pending.pop()
            if isinstance(node, list):
                pending += node
            elif isinstance(node, dict):
                pending += [value for key, value in node.items() if key not in VALUES]
                has_direction |= any(node.get(keyword) is True for keyword in DIRECTIONS)
                if isinstance(node.get("$ref"), str):
                    references.add(node["$ref"])
        return has_direction, references


@dataclass(slots=True)
class _Walk:
    """One reading of one component, or of one argument or answer."""

    models: Models
    writing: bool
    room: int = NODES
    inline: dict[int, tuple[Any, Schema]] = field(default_factory=dict)
    """Identity of a schema → it, and the type of its model. A schema inside itself ends so."""

    def type_of(self, node: Any, name: str, depth: int) -> Schema:
        """Return the type of a schema without null. `name` is the class name for an object in
        it.
        """
        self.room -= 1
        if self.room < 0:
            return {}
        if depth > DEPTH:
            return {}
        reference = referenced(node)
        if reference is not None:
            return self.models.component(reference, writing=self.writing, depth=depth)
        flat = self.models.reader.flatten(node)
        values = _literals(flat)
        if values:
            return {"enum": values}
        if _has_properties(flat):
            return self._model(node, name, depth)
        branches, _ = self.models.reader.branches(flat)
        found = _union([self.with_null(branch, name, depth + 1) for branch in branches])
        if found:
            return found
        kinds = [kind for kind in self.models.reader.types(flat) if kind != "null"]
        return _union([self._of_kind(kind, flat, name, depth) for kind in kinds])

    def with_null(self, node: Any, name: str, depth: int) -> Schema:
        """Return the type of a schema, with null if the schema allows null."""
        found = self.type_of(node, name, depth)
        accepts_null = self.models.reader.expand(node)[2]
        if not found:
            return NULL if self.models.reader.is_null(node) else {}
        return _union([found, NULL]) if accepts_null else found

    def fields(self, node: Any, name: str, depth: int) -> Schema:
        """Return the object schema of a model: every property that goes in this direction."""
        reader = self.models.reader
        other_direction = "readOnly" if self.writing else "writeOnly"
        properties: dict[str, Schema] = {}
        for key, child in reader.properties(node).items():
            flat = reader.flatten(child)
            if is_barred(flat, other_direction):
                continue
            properties[key] = self.with_null(child, name + pascal(key), depth + 1)
        whole = reader.flatten(node)
        required = as_list(whole.get("required"))
        schema: Schema = {
            "type": "object",
            "properties": properties,
            "required": [key for key in properties if key in required],
        }
        if whole.get("additionalProperties"):
            schema["additionalProperties"] = True
        return schema

    def _model(self, node: Any, name: str, depth: int) -> Schema:
        """Return the model of an inline object, shared by all places of the same schema."""
        if id(node) not in self.inline:
            model = self.models.reserve(name, name)
            self.inline[id(node)] = node, {"$ref": DEFINITIONS + model}
            self.models.schemas[model] = self.fields(node, model, depth)
        return self.inline[id(node)][1]

    def _of_kind(self, kind: str, flat: Schema, name: str, depth: int) -> Schema:
        """Return the type of a flattened schema that has no union, for one of its JSON types."""
        if kind == "array":
            if "prefixItems" in flat:
                return {"type": "array", "items": {}}
            items = self.with_null(flat.get("items"), f"{name}Item", depth + 1)
            return {"type": "array", "items": items}
        values = as_object(flat.get("additionalProperties"))
        if kind == "object" and values:
            return {
                "type": "object",
                "additionalProperties": self.with_null(values, f"{name}Value", depth + 1),
            }
        return {"type": kind}


def referenced(node: Any) -> str | None:
    """Return the reference of a schema that is nothing but a reference, keywords aside that change
    no type; else None.
    """
    if not isinstance(node, dict):
        return None
    match picked(node, keywords(node, ANNOTATIONS)):
        case {"$ref": str(reference), **others} if not others:
            return reference
        case {"allOf": [part], **others} if not others:
            return referenced(part)
    return None


def refers_to_model(schema: Schema) -> bool:
    """Return whether there is a `$ref` in a type."""
    if "$ref" in schema:
        return True
    inner = [schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", ())]
    return any(refers_to_model(item) for item in inner if isinstance(item, dict))


def _has_properties(flat: Schema) -> bool:
    return bool(as_object(flat.get("properties")))


def _literals(flat: Schema) -> list[Any]:
    """Return the values of an `enum` or `const` without null; empty for more than 16, or if a
    `Literal` cannot hold them.
    """
    listed = [flat["const"]] if "const" in flat else as_list(flat.get("enum"))
    values = [value for value in listed if value is not None]
    if len(values) > LITERALS:
        return []
    if any(type(value) not in (str, int, bool) for value in values):
        return []
    return list({(type(value), value): value for value in values}.values())


def _union(members: list[Schema]) -> Schema:
    """Return the union of schemas, each once: any value if a member is any value, if there is no
    member, or if there are more than `MOST_TYPES`.
    """
    if len(members) == 1:
        return members[0]
    unique = {json.dumps(member, sort_keys=True): member for member in members}
    if "{}" in unique:
        return {}
    if not 0 < len(unique) <= MOST_TYPES:
        return {}
    return members[0] if len(unique) == 1 else {"anyOf": list(unique.values())}


def class_name(name: str) -> str:
    """Return a component's name as a class name: `2fa` → `Model2fa`."""
    found = pascal(name)
    return (found if found[0].isalpha() else f"Model{found}")[:NAME_LENGTH]


@lru_cache(maxsize=4096)
def pascal(name: str) -> str:
    """Return a name as part of a class name, `page-size` → `PageSize`; `Item` for no words."""
    return "".join(map(str.capitalize, words(name))) or "Item"
