"""One Schema Object, from OpenAPI 3.0, Swagger 2.0 or an older JSON Schema draft → JSON Schema
2020-12, in place.

Sources: OpenAPI 3.0.3 section 4.7.24, the 3.0 → 3.1 migration notes of the OpenAPI Initiative, and
the change logs of JSON Schema draft-06 to 2020-12. Values of an unexpected shape stay: `parse`
reports invalid schemas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, TypeAlias

import jsonschema_rs

from ..load.definitions import DECLARATIONS
from ..load.document import Document
from ..load.values import (
    TYPES,
    as_list,
    as_object,
    as_text,
    examples_of,
    is_number,
    keywords,
    listed_types,
)
from ..problems import Problems
from ..runtime.pointer import escape
from ..text import visible
from .walk import At, pointer

Schema: TypeAlias = dict[str, Any]
Deref: TypeAlias = Callable[[Any, str], tuple[Any, str]]

ANNOTATIONS = tuple(
    "title description default deprecated readOnly writeOnly examples externalDocs xml".split()
)
"""Keywords that say something and demand nothing; they stay outside when a schema is wrapped."""
BESIDE_A_REFERENCE = ("$ref", *(key for key in ANNOTATIONS if key not in ("readOnly", "writeOnly")))
MISSPELT_TYPES = {
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "str": "string",
    "text": "string",
    "date": "string",
    "datetime": "string",
    "date-time": "string",
    "timestamp": "string",
    "uuid": "string",
    "file": "string",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "map": "object",
}
COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
LIMITS = {
    **dict.fromkeys(COUNTS, "a whole number of at least 0"),
    **dict.fromkeys(("minimum", "maximum"), "a number"),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), "a number"),
    "multipleOf": "a number greater than 0",
}
"""Keyword → what its value must be."""
NEVER = re.compile(r"^/\^|\$/[a-z]*$")
"""A pattern that asks for a character before the beginning of a text, or behind its end."""
DELIMITED = re.compile(r"^/|/[a-z]*$")
ELEMENTS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\+")
"""Escapes, classes and quantifiers of a pattern."""
CUT = re.compile(r"(?:\.\.\.|\u2026)$")
"""The end of an example that its author cut off."""
LARGEST = 1 << 22
"""Bytes of a compiled pattern."""
NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")


Failed: TypeAlias = tuple[Schema, str, str]
"""A schema, its pointer, and the example that does not match its pattern."""


class SchemaUpgrade:
    """The rules, with their facts: the document's version, and its log of moves. Call it with a
    schema.
    """

    def __init__(self, document: Document, problems: Problems) -> None:
        self.moved = document.moved
        self.problems = problems
        self.renamed: list[tuple[str, str]] = []
        """(old pointer, new pointer) of what references may point into."""
        self.modern = not document.version.startswith(("2", "3.0"))

    def __call__(self, schema: Schema, at: At) -> None:
        """Bring one schema up to date, in place; its children are not visited."""
        for key in filter(schema.__contains__, _RULES):
            _RULES[key](self, schema, at)
        if not self.modern:
            self.drop_siblings(schema, at)

    def rename(self, schema: Schema, at: At, old: str, new: str, *, reference: bool = True) -> None:
        """Rename a keyword of a schema, and log it. `reference`: references into it follow."""
        here = pointer(at)
        schema[new] = schema.pop(old)
        self.moved.append((f"{here}/{escape(new)}", f"{here}/{escape(old)}"))
        if reference:
            self.renamed.append((f"{here}/{escape(old)}", f"{here}/{escape(new)}"))

    def drop_siblings(self, schema: Schema, at: At) -> None:
        """Drop the siblings of a `$ref`, ignored before 3.1 (3.0.3 section 4.7.23), with a note.
        Descriptions and other texts stay.
        """
        if type(schema.get("$ref")) is not str:
            return
        ignored = keywords(schema, BESIDE_A_REFERENCE)
        if not ignored:
            return
        for key in ignored:
            del schema[key]
        names = ", ".join(f"`{key[:40]}`" for key in sorted(ignored)[:5])
        verb = "are"
        if len(ignored) == 1:
            verb = "is"
        self.problems.note(
            "E0320",
            f"{names} beside a `$ref` {verb} ignored before OpenAPI 3.1",
            pointer=f"{pointer(at)}/{escape(min(ignored))}",
            hint="put the `$ref` into an `allOf`",
        )

    # The rules.

    def exclusive(self, schema: Schema, at: At, *, key: str, bound: str) -> None:
        """Turn draft-4's flag beside the bound into a bound of its own (draft-06); false is left
        out.
        """
        flag = schema[key]
        if type(flag) is not bool:
            self.limit(schema, at, key=key)
            return
        del schema[key]
        if flag and bound in schema:
            schema[key] = schema.pop(bound)

    def example(self, schema: Schema, at: At) -> None:
        """Turn `example` into `examples`, a list of it, unless there is such a list."""
        value = schema.pop("example")
        if type(schema.get("examples")) is not list:
            schema["examples"] = [value]
            self.moved.append((f"{pointer(at)}/examples/0", f"{pointer(at)}/example"))

    def nullable(self, schema: Schema, at: At) -> None:
        """Turn `nullable: true` into null among the types and the enum's values, or a branch for
        null.
        """
        nullable = schema.pop("nullable", None)
        if schema.pop("x-nullable", nullable) is not True:
            return
        if self.modern and not _is_geminis(at):
            self.problems.note(
                "E0321",
                "`nullable` is a keyword of OpenAPI 3.0: read as if `null` were among the types",
                pointer=f"{pointer(at)}/nullable",
                hint='write `type: ["string", "null"]`',
            )
        if not schema.keys().isdisjoint(("$ref", "allOf")):
            self.wrap(schema, at)
            return
        for key in ("anyOf", "oneOf"):
            branches = as_list(schema.get(key))
            if branches and not any(map(_is_null, branches)):
                branches.append({"type": "null"})
        _add_null(schema)

    def wrap(self, schema: Schema, at: At) -> None:
        """Turn `{$ref, nullable}` into `{anyOf: [{$ref}, {type: null}]}`; texts stay outside."""
        inner = {key: schema.pop(key) for key in keywords(schema, ANNOTATIONS)}
        if "$ref" in inner and not self.modern:
            inner = {"$ref": inner["$ref"]}
        schema["anyOf"] = [inner, {"type": "null"}]
        here = pointer(at)
        self.moved.append((f"{here}/anyOf/0", here))

    def pattern(self, schema: Schema, at: At) -> None:
        """Drop a pattern that no text matches (`/^…$/`, as JavaScript writes patterns; it moves
        into the description), or that an example or the default beside it fails by more than its
        length.
        """
        written = as_text(schema["pattern"])
        if not NEVER.search(written):
            texts = [*as_list(schema.get("examples")), schema.get("default")]
            for example in [each for each in texts if _fails(written, each)][:1]:
                self.drop_failed(schema, pointer(at), example)
            return
        meant = DELIMITED.sub("", written)
        about = [as_text(schema.get("description")), f"pattern {meant}"]
        schema["description"] = "; ".join(filter(None, about))
        reason = "the pattern is between slashes, so no text matches it"
        self.drop_pattern(schema, pointer(at), reason, f"write `{visible(meant)[:80]}`")

    def drop_failed(self, schema: Schema, at: str, example: str) -> None:
        """Drop the pattern of a schema that an example of its values does not match."""
        reason = f"`{visible(example)[:60]}`, an example or default, does not match `pattern`"
        self.drop_pattern(schema, at, reason, "correct one of them")

    def drop_pattern(self, schema: Schema, at: str, reason: str, hint: str) -> None:
        """Drop the pattern of a schema, and warn (E0323) with the reason."""
        del schema["pattern"]
        message = f"{reason}: values are not checked against it"
        self.problems.warn("E0323", message, pointer=f"{at}/pattern", hint=hint)

    def failed_around(self, node: Schema, at: str, deref: Deref) -> Iterator[Failed]:
        """Yield (schema, pointer, example) for each example of a Parameter or Media Type Object
        (OpenAPI 3.1 §4.8.12, §4.8.14), or part of it, that fails a pattern by more than its length.
        `deref` follows a reference.
        """
        examples = examples_of(node, lambda entry: deref(entry, "")[0])
        pending = [(node.get("schema"), f"{at}/schema", example) for example in examples]
        for written, place, example in pending:
            schema, place = deref(written, place)
            if type(schema) is not dict:
                continue
            if _fails(as_text(schema.get("pattern")), example):
                yield schema, place, example
            pending += _inside(schema, place, example)

    def discriminator(self, schema: Schema, at: At) -> None:
        """Turn Swagger 2.0's name of the property into an object with `propertyName`."""
        if type(schema["discriminator"]) is str:
            schema["discriminator"] = {"propertyName": schema["discriminator"]}

    def items(self, schema: Schema, at: At) -> None:
        """Turn a tuple in `items` into `prefixItems`, and its `additionalItems` into `items`
        (2020-12).
        """
        if type(schema["items"]) is list:
            self.rename(schema, at, "items", "prefixItems")
            if "additionalItems" in schema:
                self.rename(schema, at, "additionalItems", "items")
        else:
            schema.pop("additionalItems", None)

    def definitions(self, schema: Schema, at: At) -> None:
        if type(schema["definitions"]) is dict and "$defs" not in schema:
            self.rename(schema, at, "definitions", "$defs")

    def dependencies(self, schema: Schema, at: At) -> None:
        """Turn `dependencies` into `dependentRequired` for lists, `dependentSchemas` for schemas
        (2019-09).
        """
        if type(schema["dependencies"]) is not dict:
            return
        here = pointer(at)
        for name, value in schema.pop("dependencies").items():
            new = "dependentSchemas"
            if type(value) is list:
                new = "dependentRequired"
            if type(schema.setdefault(new, {})) is dict:
                schema[new][name] = value
                self.moved.append(
                    (f"{here}/{new}/{escape(name)}", f"{here}/dependencies/{escape(name)}")
                )

    def identifier(self, schema: Schema, at: At) -> None:
        """Rename draft-4's `id` to `$id` (draft-06), unless there is one."""
        if type(schema["id"]) is str and "$id" not in schema:
            self.rename(schema, at, "id", "$id", reference=False)

    def required(self, schema: Schema, at: At) -> None:
        """Turn names that YAML reads as numbers into texts, like the keys of properties."""
        for index, name in enumerate(as_list(schema["required"])):
            if type(name) is int:
                schema["required"][index] = str(name)

    def properties(self, schema: Schema, at: At) -> None:
        """Move `required: true` of a property (a frequent slip) into the object's `required`, with
        a note; drop `false`.
        """
        for name, member in as_object(schema["properties"]).items():
            flag = as_object(member).get("required")
            if type(flag) is not bool:
                continue
            if flag:
                _require(schema, name)
            self.problems.note(
                "E0322",
                f"`required: {str(flag).lower()}` on a property means nothing; read"
                " as the object's",
                pointer=f"{pointer(at)}/properties/{escape(name)}/required",
                hint="list the name in `required` of the object",
            )
            del member["required"]

    def type(self, schema: Schema, at: At) -> None:
        """Correct a `type`: Swagger 2.0's `file` → binary text; Gemini's `STRING` → `string`; a
        misspelt type → the intended type.
        """
        written = schema["type"]
        if written == "file":
            schema["type"] = "string"
            schema["format"] = "binary"
        elif type(written) is list:
            here = (at, "type")
            schema["type"] = [
                self.type_named(name, (here, str(index))) for index, name in enumerate(written)
            ]
        else:
            schema["type"] = self.type_named(written, (at, "type"))

    def type_named(self, name: Any, at: At) -> Any:
        """Return a type by its name, even a misspelt one; an unknown one unchanged. Warns (E0502)
        of both.
        """
        word = as_text(name).lower()
        if word in TYPES:
            return word
        right = MISSPELT_TYPES.get(word)
        hint = f"read as `{right}`: write that"
        if right is None:
            hint = "one of " + ", ".join(f"`{known}`" for known in sorted(TYPES))
        text = visible(str(name))[:60]
        self.problems.warn("E0502", f"unknown type `{text}`", pointer=pointer(at), hint=hint)
        return right or name

    def limit(self, schema: Schema, at: At, *, key: str) -> None:
        """Turn `"minItems": "1"` into a number: protocol buffers, and so Gemini, write 64 bits as
        text. Drops an impossible value, with a warning.
        """
        written = schema[key]
        schema[key] = _number(written)
        if _is_limit(key, schema[key]):
            return
        del schema[key]
        if written is None:
            return
        text = visible(json.dumps(written))[:60]
        self.problems.warn(
            "E0503",
            f"`{key}` must be {LIMITS[key]}, not `{text}`: left out",
            pointer=f"{pointer(at)}/{key}",
        )

    def recursive(self, schema: Schema, at: At) -> None:
        """Turn 2019-09's `$recursiveRef` into a `$ref` to the outermost schema, its meaning if no
        other schema extends that.
        """
        del schema["$recursiveRef"]
        schema.setdefault("$ref", "#" + pointer(_schema_root(at)))


def _schema_root(at: At) -> At:
    """Return the place of the outermost schema around a place: a named one, or that of a parameter
    or media type.
    """
    while at is not None:
        above, key = at
        if above is None:
            return at
        if key == "schema":
            return at
        if above[1] == "schemas":
            return at
        at = above
    return at


def _require(schema: Schema, name: str) -> None:
    """Add a name to `required`, if that is a list."""
    required = schema.setdefault("required", [])
    if type(required) is not list:
        return
    if name not in required:
        required.append(name)


def _is_geminis(at: At) -> bool:
    """Return whether a place is in a function declaration of Gemini, where `nullable` is a
    keyword.
    """
    while at is not None:
        at, key = at
        if key in DECLARATIONS:
            return True
    return False


def _number(value: Any) -> Any:
    """Return the number that a text spells; any other value unchanged."""
    text = as_text(value)
    if not NUMBER.fullmatch(text):
        return value
    number = float(text)
    return int(number) if number.is_integer() else number


def _is_limit(key: str, value: Any) -> bool:
    """Return whether a keyword of `LIMITS` can have a value."""
    if not is_number(value):
        return False
    if key in COUNTS:
        return bool(value >= 0 and value % 1 == 0)
    return key != "multipleOf" or value > 0


def _is_null(branch: Any) -> bool:
    branch = as_object(branch)
    if branch.get("nullable") is True:
        return True
    return "null" in listed_types(branch.get("type"))


def _add_null(schema: Schema) -> None:
    types = listed_types(schema.get("type"))
    if types and "null" not in types:
        schema["type"] = [*types, "null"]
    values = as_list(schema.get("enum"))
    if values and None not in values:
        schema["enum"] = [*values, None]


def _inside(schema: Schema, at: str, example: Any) -> Iterator[tuple[Any, str, Any]]:
    """Yield (schema, pointer, part) for schemas inside a schema that hold for an example, or a part
    of it.
    """
    for part in as_list(schema.get("allOf")):
        yield part, at, example
    for each in as_list(example):
        yield schema.get("items"), f"{at}/items", each
    properties = as_object(schema.get("properties"))
    for name, each in as_object(example).items():
        yield properties.get(name), f"{at}/properties/{escape(name)}", each


def _any_number(element: re.Match[str]) -> str:
    """Return `*` for a quantifier (`+`, `{2,3}`); any other element of a pattern unchanged."""
    return "*" if element[0].startswith(("{", "+")) else element[0]


def _fails(pattern: str, example: Any) -> bool:
    """Return whether an example fails a pattern. Examples that are merely too short, too long or
    cut off do not, nor do other values than text.
    """
    if type(example) is not str:
        return False
    if _matches(pattern, example):
        return False
    return not _matches(ELEMENTS.sub(_any_number, pattern), CUT.sub("", example))


def _matches(pattern: str, example: str) -> bool:
    """Return whether an example matches a pattern; true if a linear engine cannot run the
    pattern.
    """
    try:
        return bool(_compiled(pattern).is_valid(example))
    except ValueError:
        return True


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    """Return a checker of a pattern. Raises ValueError for a pattern that a linear engine cannot
    run.
    """
    options = jsonschema_rs.RegexOptions(size_limit=LARGEST)
    return jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options)


Rule: TypeAlias = Callable[[SchemaUpgrade, Schema, At], None]
_RULES: dict[str, Rule] = {
    **{key: partial(SchemaUpgrade.limit, key=key) for key in LIMITS},
    "exclusiveMinimum": partial(SchemaUpgrade.exclusive, key="exclusiveMinimum", bound="minimum"),
    "exclusiveMaximum": partial(SchemaUpgrade.exclusive, key="exclusiveMaximum", bound="maximum"),
    "example": SchemaUpgrade.example,
    "pattern": SchemaUpgrade.pattern,
    "discriminator": SchemaUpgrade.discriminator,
    "items": SchemaUpgrade.items,
    "definitions": SchemaUpgrade.definitions,
    "dependencies": SchemaUpgrade.dependencies,
    "id": SchemaUpgrade.identifier,
    "required": SchemaUpgrade.required,
    "properties": SchemaUpgrade.properties,
    "type": SchemaUpgrade.type,
    "$recursiveRef": SchemaUpgrade.recursive,
    # Last: these may put everything else into a branch.
    "nullable": SchemaUpgrade.nullable,
    "x-nullable": SchemaUpgrade.nullable,
}
