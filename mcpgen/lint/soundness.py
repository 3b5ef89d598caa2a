"""Proof that a document keeps the rules beyond its official schema, in a hundredth of the time that
`rules` take and without their library. A document that is not proven may keep them, too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from ..load.document import UnresolvedReference
from ..runtime.facts import PATH_ITEM

if TYPE_CHECKING:
    from ..load import Document

STEPS: Final = 100_000
"""Schemas that defaults are compared with."""
NUMBERS: Final = (int, float)
KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    **{"string": (str,), "integer": (int,), "number": NUMBERS, "boolean": (bool,)},
    **{"array": (list,), "object": (dict,)},
}
"""JSON type → the Python types of its values."""
KEYWORDS: Final[Mapping[str, tuple[tuple[type, ...], Callable[[Any, Any], bool]]]] = {
    "minimum": (NUMBERS, operator.ge),
    "maximum": (NUMBERS, operator.le),
    "exclusiveMinimum": (NUMBERS, lambda value, said: said is False),
    "exclusiveMaximum": (NUMBERS, lambda value, said: said is False),
    "minLength": ((str,), lambda value, said: len(value) >= said),
    "maxLength": ((str,), lambda value, said: len(value) <= said),
    "minItems": ((list,), lambda value, said: len(value) >= said),
    "maxItems": ((list,), lambda value, said: len(value) <= said),
    "enum": ((list, dict), lambda value, said: False),
    "properties": ((dict,), lambda value, said: not value),
    "additionalProperties": ((dict,), lambda value, said: not value),
    "maxProperties": ((dict,), lambda value, said: not value),
    "required": ((dict,), lambda value, said: not said),
    "minProperties": ((dict,), lambda value, said: not said),
    "format": ((str, int), lambda value, said: _has_format(value, said)),
}
"""Keyword → the types of the values it constrains, and whether a value fits for sure."""
INTEGERS: Final = {"int32": 2**31, "int64": 2**63}
"""Format → what is more than any of its integers."""
METHODS: Final = (*PATH_ITEM, "additionalOperations")
UNPROVEN: Final = frozenset(
    (
        "$dynamicRef $recursiveRef $schema const contains dependencies dependentRequired"
        " dependentSchemas discriminator else if multipleOf not oneOf patternProperties prefixItems"
        " propertyNames then unevaluatedItems unevaluatedProperties"
    ).split()
)
"""Keywords that constrain a value in a way that is not looked at here."""


def is_sound(document: Document) -> bool:
    """Return whether a document surely has no violation of `rules`."""
    try:
        _Walk(document).root()
    except (UnresolvedReference, LookupError, TypeError, AttributeError, RecursionError):
        return False
    return True


class _Walk:
    """A walk through the parts of a document that `rules` read. Its methods raise LookupError, or
    what strange values raise, where there is no proof.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.seen: set[int] = set()
        self.steps = STEPS

    def node(self, value: Any) -> dict[str, Any]:
        """Return an object, or the object that a reference leads to."""
        match value:
            case {"$ref": str(reference)}:
                value = self.document.resolve(reference)[0]
        match value:
            case {"$id": _}:
                raise LookupError
            case dict():
                return value
        raise LookupError

    def below(self, holder: Mapping[str, Any], key: str) -> Iterator[dict[str, Any]]:
        """Yield the objects in the list or object at a key."""
        inner = holder.get(key, {})
        values = inner if isinstance(inner, list) else self.node(inner).values()
        return map(self.node, values)

    def root(self) -> None:
        """Look at the whole document."""
        root = self.document.root
        tags = [*self.below(root, "tags")]
        _once([tag["name"] for tag in tags])
        if any("parent" in tag for tag in tags):
            raise LookupError
        names = []
        for item in self.below(root, "paths"):
            self.parameters(item)
            operations = [item[method] for method in METHODS if method in item]
            for operation in map(self.node, operations):
                names += [operation[key] for key in ("operationId",) if key in operation]
                self.parameters(operation)
                self.content(self.node(operation.get("requestBody", {})))
                for response in self.below(operation, "responses"):
                    self.content(response)
        _once(names)
        for schema in self.below(self.node(root.get("components", {})), "schemas"):
            self.schema(schema)

    def parameters(self, holder: Mapping[str, Any]) -> None:
        """Look at the parameters of a path or an operation."""
        parameters = [*self.below(holder, "parameters")]
        _once([(each["name"], each["in"]) for each in parameters])
        for parameter in parameters:
            self.default(parameter)
            self.schema(parameter.get("schema", True))

    def content(self, holder: Mapping[str, Any]) -> None:
        """Look at the schemas of a request body or a response."""
        for each in (holder, *self.below(holder, "content")):
            self.schema(each.get("schema", True))

    def schema(self, value: Any) -> None:
        """Look at a schema and all below it."""
        if isinstance(value, bool):
            return
        schema = self.node(value)
        if id(schema) in self.seen:
            return
        self.seen.add(id(schema))
        for key in ("allOf", "anyOf", "oneOf"):
            for inner in schema.get(key, ()):
                self.schema(inner)
        for inner in (schema.get("not", True), schema.get("items", True)):
            self.schema(inner)
        for inner in self.node(schema.get("properties", {})).values():
            self.schema(inner)
        self.default(schema)

    def default(self, schema: dict[str, Any]) -> None:
        """Look at the default of a schema."""
        match schema:
            case {"default": None, "nullable": True}:
                return
            case {"default": value} if not self.fits(value, schema):
                raise LookupError

    def fits(self, value: Any, schema: Any) -> bool:
        """Return whether a value surely fits a schema."""
        self.steps -= 1
        if not self.steps:
            raise LookupError
        return all(self.keeps(value, key, said) for key, said in self.node(schema).items())

    def keeps(self, value: Any, keyword: str, said: Any) -> bool:
        """Return whether a value surely fits a keyword of a schema."""
        types, holds = KEYWORDS.get(keyword, ((), operator.eq))
        if type(value) in types:
            return bool(holds(value, said))
        match keyword:
            case "type":
                names = [said] if isinstance(said, str) else said
                return any(type(value) in KINDS.get(name, ()) for name in names)
            case "enum":
                return (type(value), value) in [(type(each), each) for each in said]
            case "items" if type(value) is list:
                return all(self.fits(each, said) for each in value)
            case "allOf":
                return all(self.fits(value, each) for each in said)
            case "anyOf":
                return any(self.fits(value, each) for each in said)
        return keyword not in UNPROVEN


def _once(names: list[Any]) -> None:
    """Raise LookupError for a name that comes twice."""
    if len(names) > len(set(names)):
        raise LookupError


def _has_format(value: str | int, name: str) -> bool:
    """Return whether a value surely has a format. A URI is checked where a module can."""
    if isinstance(value, int):
        return abs(value) < INTEGERS.get(name, math.inf)
    return not any([name != "uri", *map(find_spec, ("rfc3987", "rfc3986_validator"))])
