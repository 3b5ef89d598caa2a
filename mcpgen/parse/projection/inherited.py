"""The fields of an object that only subtypes of its schema have.

A parent says with a `discriminator` that a value may be one of its subtypes, and not what fields
these have (OpenAPI 3.1 section 4.8.25). Their fields are optional beside its own: only the value of
the discriminator says which of them an object has, and no keyword of a root says that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...load.values import as_object, as_text, frozen, texts_in, without
from ...runtime.pointer import escape
from ...text import plain, visible
from .texts import sentence

if TYPE_CHECKING:
    from ..schema import Reader

MOST_FIELDS = 60
"""Fields of subtypes that an object is given; a parent of more is one of everything."""
MOST_VALUES = 4
"""Values of the discriminator that are said of a field."""
CLOSED = (("additionalProperties", False), ("unevaluatedProperties", False))


@dataclass(slots=True)
class _Field:
    """A field of some subtypes: its schemas, and the discriminator values that have or require the
    field (`needing`).
    """

    schemas: list[Any] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    needing: list[str] = field(default_factory=list)

    def schema(self, tag: str, text: str) -> dict[str, Any]:
        """Return its schema, described by `text` and the values of the discriminator `tag` that
        have or need the field.
        """
        note = f"where `{tag}` is {_any_of(self.values)}"
        if self.needing == self.values:
            note = f"needed {note}"
        elif self.needing:
            note = f"{note}, needed where it is {_any_of(self.needing)}"
        keyword = "allOf" if len(self.schemas) == 1 else "anyOf"
        return {keyword: self.schemas, "description": sentence([text, note])}


def with_fields_of_subtypes(reader: Reader, schema: Any) -> Any:
    """Return `{"allOf": [schema], "properties": …}` with the fields that only subtypes have, none
    required. Unchanged without a discriminator, with a union or closed, and if subtypes add no
    field or more than `MOST_FIELDS`.
    """
    flat, branches, _ = reader.expand(schema)
    discriminator = as_object(flat.get("discriminator"))
    tag = as_text(discriminator.get("propertyName"))
    if branches or not tag or not _is_parent(flat):
        return schema
    mapping = as_object(discriminator.get("mapping"))
    key = flat["$name"], tag, frozen(mapping)
    if key not in reader.of_subtypes:
        reader.of_subtypes[key] = _fields_of_subtypes(reader, *key[:2], mapping)
    properties = without(reader.of_subtypes[key], flat["properties"])
    if not properties or len(properties) > MOST_FIELDS:
        return schema
    return {"allOf": [schema], "properties": properties}


def _fields_of_subtypes(
    reader: Reader, name: str, tag: str, mapping: dict[str, Any]
) -> dict[str, Any]:
    """Return the fields of a component's subtypes, and their schemas."""
    fields: dict[str, _Field] = {}
    for subtype, values in reader.subtypes.kinds(name, mapping).items():
        _add_fields(reader, fields, subtype, values)
    return {
        field_name: one.schema(visible(tag)[:40], _text(reader, one.schemas[0]))
        for field_name, one in fields.items()
    }


def _is_parent(flat: dict[str, Any]) -> bool:
    """Return whether a flat schema is a component with properties, open and without a union: only
    its subtypes declare further fields.
    """
    if any(flat.get(key) is value for key, value in CLOSED):
        return False
    return {"$name", "properties"} <= flat.keys()


def _add_fields(reader: Reader, fields: dict[str, _Field], subtype: str, values: list[str]) -> None:
    flat = reader.flatten({"$ref": f"#{reader.home}/components/schemas/{escape(subtype)}"})
    required = texts_in(flat.get("required"))
    for name, schema in as_object(flat.get("properties")).items():
        one = fields.setdefault(name, _Field())
        one.values += values
        if schema not in one.schemas:
            one.schemas.append(schema)
        if name in required:
            one.needing += values


def _text(reader: Reader, schema: Any) -> str:
    return plain(reader.flatten(schema).get("description"))


def _any_of(values: list[str]) -> str:
    some = [visible(value)[:40] for value in values[:MOST_VALUES]]
    rest = len(values) - len(some)
    if rest:
        return f"{', '.join(some)} or one of {rest} more"
    return " or ".join(some)
