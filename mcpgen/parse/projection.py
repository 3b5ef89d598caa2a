"""JSON Schema of the document → JSON Schema as clients take it (the portable profile).

References are inlined, `allOf` is merged, null is taken out of types (and remembered by pointer),
keys that clients refuse get a safe name (the wire name is remembered by pointer), and keywords
outside an allow-list are dropped. What does not fit the detail asked for is cut in one way only:
**optional properties of deep objects are left out, required ones stay, the object stays open and
its description names what else it takes.** So whatever the projection accepts can still become a
valid request, and whatever the document accepts can still be said.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..text import escape_token, plain, shorten, visible
from .pattern import pattern_of, portable_pattern, wider_pattern
from .schema import merge, type_of

if TYPE_CHECKING:
    from ..ir import Schema
    from .schema import Reader

# Formats that JSON Schema or ajv-formats know; any other is said in the description.
FORMATS = frozenset("""
    date-time date time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid
    json-pointer regex int32 int64 float double byte
    """.split())
KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
NUMBER_KEYWORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
COUNT_KEYWORDS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
ANY_VALUE = ("string", "number", "boolean", "object")
# Required properties are said this deep; a schema that requires itself has no finite value anyway.
HARD_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a schema is said.

    `depth`: levels of optional properties. `text`, `nested_text`: characters of a description.
    `enum`: values of an enum. `nodes`: schemas in all. `long_limits`: whether a `maxLength` of 256
    and more is worth its bytes. `union`, `inner_union`: objects that a union may have, and one
    inside another, before they are said as one. `patterns`: whether a long enum may become a
    pattern.
    """

    depth: int
    text: int
    nested_text: int
    enum: int = 1000
    nodes: int = 600
    examples: bool = True
    long_limits: bool = True
    union: int = 1000
    inner_union: int = 1000
    patterns: bool = True


@dataclass(slots=True)
class Projection:
    """A projected schema and what the projection learned. Pointers are relative to `schema`."""

    schema: Schema
    nullable: list[str] = field(default_factory=list)
    wire_names: list[tuple[str, str]] = field(default_factory=list)
    cut: bool = False
    accepts_null: bool = False


class TooLarge(Exception):
    """The projection has more nodes than the detail allows."""


def project(reader: Reader, node: Any, detail: Detail, *, writing: bool = True) -> Projection:
    """`node` as the portable profile says it. Raises TooLarge when `detail.nodes` is exceeded.

    `writing`: the schema is an input, and `readOnly` properties are left out; else `writeOnly` ones
    are.
    """
    run = _Run(reader, detail, writing)
    projection = Projection(schema={})
    projection.schema, projection.accepts_null = run.schema(node, 0, "")
    projection.nullable, projection.wire_names, projection.cut = (
        run.nullable,
        run.wire_names,
        run.cut,
    )
    return projection


def safe_key(wire_name: str, taken: set[str]) -> str:
    """A property key every client takes: the wire name where it is one, else a readable unique
    stand-in.
    """
    if KEY.fullmatch(wire_name) and wire_name not in taken:
        return wire_name
    stem = re.sub(r"[^a-zA-Z0-9_.-]+", "_", wire_name).strip("_")[:50] or "key"
    key = stem
    if len(wire_name) > 64:
        key = f"{stem}_{_digest(wire_name)}"
    attempt = 0
    while key in taken:
        suffix = f"#{attempt}" if attempt else ""
        key = f"{stem}_{_digest(wire_name + suffix)}"
        attempt += 1
    return key


def _digest(text: str) -> str:
    """Six characters that are the same for the same text on every run."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


class _Run:
    """One projection: counts its nodes and collects what is said by pointer."""

    def __init__(self, reader: Reader, detail: Detail, writing: bool) -> None:
        self.at, self.detail, self.writing = reader, detail, writing
        self.nullable: list[str] = []
        self.wire_names: list[tuple[str, str]] = []
        self.cut = False
        self.nodes = 0
        self.unions = 0

    def schema(self, node: Any, depth: int, pointer: str) -> tuple[Schema, bool]:
        """The projection of one schema at `pointer`, and whether it accepts null."""
        self.nodes += 1
        if self.nodes > self.detail.nodes:
            raise TooLarge
        base, branches, null = self.at.expand(node)
        if len(branches) > 1 and self.unions < HARD_DEPTH:
            self.unions += 1
            out = self.union(base, branches, depth, pointer)
            self.unions -= 1
        else:
            types = [name for name in self.at.types(base) if name != "null"]
            if "number" in types and "integer" in types:
                types.remove("integer")
            if len(types) > 1:
                out = self.alternatives([{**base, "type": name} for name in types], depth, pointer)
            else:
                out = self.typed(base, types[0] if types else "", depth, pointer)
        if null and pointer:
            self.nullable.append(pointer)
        return self.described(out, base, depth, null), null

    def union(self, base: dict[str, Any], branches: list[Any], depth: int, pointer: str) -> Schema:
        """`oneOf`/`anyOf`: one schema where it can be said so, else `anyOf` of the branches merged
        with the base.
        """
        discriminator = base.get("discriminator")
        merged = []
        for branch in branches:
            whole = merge(base, self.at.flatten(branch))
            for noise in (
                "description",
                "title",
                "default",
                "discriminator",
                "example",
                "examples",
            ):
                if noise in base:
                    whole.pop(noise, None)
            if isinstance(discriminator, dict):
                whole = self.discriminated(whole, branch, discriminator)
            merged.append(whole)
        return self.alternatives(merged, depth, pointer)

    def discriminated(
        self, whole: dict[str, Any], branch: Any, discriminator: dict[str, Any]
    ) -> dict[str, Any]:
        """A branch whose discriminator property can only have the branch's own values (OpenAPI 3.1
        §4.8.25).
        """
        name = discriminator.get("propertyName")
        ref = branch.get("$ref") if isinstance(branch, dict) else None
        properties = whole.get("properties")
        if (
            not isinstance(name, str)
            or not isinstance(ref, str)
            or not isinstance(properties, dict)
        ):
            return whole
        own = self.at.flatten(properties.get(name, {}))
        if "const" in own or (isinstance(own.get("enum"), list) and len(own["enum"]) == 1):
            return whole
        mapping = discriminator.get("mapping")
        component = ref.rsplit("/", 1)[-1]
        values = [
            key
            for key, target in (mapping.items() if isinstance(mapping, dict) else ())
            if target in (ref, component)
        ] or [component]
        tagged = {**own, "type": "string", "enum": values}
        required = [key for key in whole.get("required", []) if isinstance(key, str)]
        return {
            **whole,
            "properties": {**properties, name: tagged},
            "required": [*required, *([] if name in required else [name])],
        }

    def alternatives(self, options: list[dict[str, Any]], depth: int, pointer: str) -> Schema:
        """The shortest schema that accepts what any of `options` accepts."""
        out: list[Schema] = []
        for option in options:
            if option.get("not") == {}:
                continue
            mark = len(self.nullable), len(self.wire_names)
            projected, _ = self.schema(option, depth, f"{pointer}/anyOf/{len(out)}")
            bare = {key: value for key, value in projected.items() if key != "description"}
            if any(
                bare == {key: value for key, value in other.items() if key != "description"}
                for other in out
            ):
                del self.nullable[mark[0] :], self.wire_names[mark[1] :]
                continue
            out.append(projected)
        strings = [item for item in out if item.get("type") == "string"]
        open_string = any(not (set(item) - {"type", "description"}) for item in strings)
        if open_string and len(strings) > 1:
            hints = [str(value) for item in strings for value in item.get("enum", ())][:20]
            kept = {
                "type": "string",
                **({"description": f"e.g. {', '.join(hints)}"} if hints else {}),
            }
            out = [kept, *(item for item in out if item.get("type") != "string")]
        enums = all("enum" in item and set(item) <= {"type", "enum", "description"} for item in out)
        if len(out) > 1 and enums and len({item.get("type") for item in out}) == 1:
            values = list(dict.fromkeys(value for item in out for value in item["enum"]))
            out = [{**({"type": out[0]["type"]} if "type" in out[0] else {}), "enum": values}]
        objects = [item for item in out if item.get("type") == "object"]
        if len(objects) > (
            self.detail.union
            if self.unions < 2
            else min(self.detail.union, self.detail.inner_union)
        ):
            self.cut = True
            self.nullable[:] = [
                item for item in self.nullable if not item.startswith(f"{pointer}/anyOf/")
            ]
            self.wire_names[:] = [
                item for item in self.wire_names if not item[0].startswith(f"{pointer}/anyOf/")
            ]
            out = [in_common(objects), *(item for item in out if item.get("type") != "object")]
        if len(out) == 1:
            self.lift(pointer)
            return dict(out[0])
        return {"anyOf": out} if out else {}

    def lift(self, pointer: str) -> None:
        """Pointers into a one-branch union become pointers into its only branch."""
        prefix = f"{pointer}/anyOf/0"
        moved = [item for item in self.nullable if item != prefix]
        self.nullable[:] = [
            pointer + item[len(prefix) :] if item.startswith(prefix + "/") else item
            for item in moved
        ]
        self.wire_names[:] = [
            (pointer + item[len(prefix) :] if item.startswith(prefix + "/") else item, wire)
            for item, wire in self.wire_names
        ]

    def typed(self, base: dict[str, Any], name: str, depth: int, pointer: str) -> Schema:
        """A schema of one type (or of any: `name` is empty)."""
        if not name:
            given = self.values(base, "")
            return {"enum": given} if 0 < len(given) <= self.detail.enum else {}
        out: Schema = {"type": name}
        if name == "object":
            out.update(self.object(base, depth, pointer))
        elif name == "array":
            items = base.get("items", {})
            if "prefixItems" in base and items in ({}, False, True):
                tuples = base["prefixItems"]
                items = {"anyOf": tuples} if isinstance(tuples, list) and tuples else {}
            item, _ = self.schema(items, depth + 1, f"{pointer}/items")
            if not (item.keys() & {"type", "anyOf", "enum"}):
                item = {**item, "anyOf": [{"type": kind} for kind in ANY_VALUE]}
            out["items"] = item
            if base.get("uniqueItems") is True:
                out["uniqueItems"] = True
        elif name == "string":
            self.text(base, out)
        elif name in ("integer", "number"):
            for keyword in NUMBER_KEYWORDS:
                value = base.get(keyword)
                if isinstance(value, bool) or not isinstance(value, (int, float)):
                    if value is not None:
                        self.refuse(keyword, value, "a number")
                elif keyword != "multipleOf" or value > 0:
                    out[keyword] = value
                else:
                    self.refuse(keyword, value, "greater than 0")
            if base.get("format") in FORMATS:
                out["format"] = base["format"]
        for keyword in COUNT_KEYWORDS.get(name, ()):
            value = base.get(keyword)
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                if (value or keyword.startswith("max")) and (
                    value < 256 or self.detail.long_limits
                ):
                    out[keyword] = value
            elif value is not None:
                self.refuse(keyword, value, "a whole number of at least 0")
        values = self.values(base, name)
        pattern = self.as_pattern(values) if name == "string" else ""
        if pattern:
            out["pattern"] = pattern
            for keyword in ("minLength", "maxLength", "format"):
                out.pop(keyword, None)
        elif values == [""]:
            out = {
                "type": "string",
                "maxLength": 0,
            }  # clients that refuse empty values in an enum take this
        elif 0 < len(values) <= self.detail.enum:
            out["enum"] = values
            for keyword in ("pattern", "minLength", "maxLength", "minimum", "maximum"):
                out.pop(keyword, None)
        return out

    def text(self, base: dict[str, Any], out: Schema) -> None:
        """The keywords of a string."""
        kind = base.get("format")
        if kind == "binary" or base.get("contentEncoding") == "base64":
            out["format"] = "byte"
        elif isinstance(kind, str) and kind in FORMATS:
            out["format"] = kind
        if isinstance(base.get("pattern"), str):
            pattern = portable_pattern(base["pattern"]) or wider_pattern(base["pattern"])
            if pattern:
                out["pattern"] = pattern

    def refuse(self, keyword: str, value: Any, wanted: str) -> None:
        """Report a keyword whose value cannot be meant."""
        self.at.problems.warn(
            "E0503",
            f"`{keyword}` must be {wanted}, not `{visible(json.dumps(value, default=str))[:60]}`:"
            " left out",
        )

    def values(self, base: dict[str, Any], name: str) -> list[Any]:
        """The values of a schema's enum that fit its type, in order, without null and repeats."""
        if "const" in base:
            given = [base["const"]]
        elif isinstance(base.get("enum"), list):
            given = base["enum"]
        else:
            return []
        found: dict[Any, Any] = {}
        for value in given:
            kind = type_of(value)
            fits = not name or kind == name or (name == "number" and kind == "integer")
            if not fits and name == "string" and kind in ("integer", "number", "boolean"):
                value, fits = json.dumps(value), True
            if not fits and name in ("integer", "number") and kind == "string":
                value, fits = _as_number(value, name)
            if isinstance(value, str) and visible(value) != value:
                fits = False
            if value is not None and fits:
                # 1, 1.0 and true are three values
                key = (
                    value
                    if isinstance(value, str)
                    else (type(value), json.dumps(value, sort_keys=True))
                )
                found.setdefault(key, value)
        return list(found.values())

    def as_pattern(self, values: list[str]) -> str:
        """Many values that begin alike as one pattern, where that is much shorter and short enough;
        else nothing.
        """
        if len(values) < 20 or not self.detail.patterns:
            return ""
        listed = len(json.dumps(values))
        if listed < 600:
            return ""
        pattern = pattern_of(values)
        return pattern if len(pattern) <= min(0.6 * listed, 12 * self.detail.enum) else ""

    def object(self, base: dict[str, Any], depth: int, pointer: str) -> Schema:
        """The properties of an object: all of them, or below the depth asked for the required ones
        only.
        """
        given = base.get("properties")
        properties = given if isinstance(given, dict) else {}
        listed = base.get("required")
        required = (
            {key for key in listed if isinstance(key, str)} if isinstance(listed, list) else set()
        )
        shallow = depth < self.detail.depth
        out: dict[str, Schema] = {}
        needed: list[str] = []
        left_out: list[str] = []
        for wire_name, child in in_order(properties, required):
            flat = self.at.flatten(child)
            if (
                flat.get("readOnly" if self.writing else "writeOnly") is True
                or flat.get("not") == {}
            ):
                continue
            if flat.get("type") == "null" and wire_name not in required:
                continue  # null and left out are one to a tool
            if (wire_name not in required and not shallow) or depth > HARD_DEPTH:
                left_out.append(wire_name)
                continue
            key = safe_key(wire_name, set(out))
            place = f"{pointer}/properties/{escape_token(key)}"
            out[key], _ = self.schema(child, depth + 1, place)
            if key != wire_name:
                self.wire_names.append((place, wire_name))
            if wire_name in required:
                needed.append(key)
        for wire_name in (
            sorted(required - set(properties)) if self.writing and depth <= HARD_DEPTH else ()
        ):
            key = safe_key(wire_name, set(out))
            out[key] = {}
            needed.append(key)
            if key != wire_name:
                self.wire_names.append((f"{pointer}/properties/{escape_token(key)}", wire_name))
        result: Schema = {"properties": out} if out else {}
        if needed:
            result["required"] = needed
        if left_out:
            self.cut = True
            result["description"] = shorten(
                ("also takes: " if out else "takes: ") + ", ".join(left_out),
                240 if self.detail.text >= 60 else 60,
            )
        elif not properties or base.get("additionalProperties") is False:
            extra = self.extra(base, depth, pointer)
            if extra is not None and (extra is not False or self.writing):
                result["additionalProperties"] = extra
        return result

    def extra(self, base: dict[str, Any], depth: int, pointer: str) -> Schema | bool | None:
        """`additionalProperties` of a map or of a closed object; None where it says nothing."""
        extra = base.get("additionalProperties")
        patterns = base.get("patternProperties")
        if isinstance(patterns, dict) and len(patterns) == 1 and extra in (None, False):
            extra = next(iter(patterns.values()))
        elif isinstance(patterns, dict) and patterns:
            return None
        if extra is False and base.get("unevaluatedProperties") in (None, False):
            return False
        if isinstance(extra, dict) and extra and depth <= self.detail.depth:
            projected, _ = self.schema(extra, depth + 1, f"{pointer}/additionalProperties")
            return projected or None
        return None

    def described(self, out: Schema, base: dict[str, Any], depth: int, null: bool) -> Schema:
        """`out` with a description: the document's text, and what the profile does not say in
        keywords.
        """
        limit = self.detail.text if depth <= 1 else self.detail.nested_text
        said = out.pop("description", "")
        text = shorten(
            plain(base.get("description") or (base.get("title") if depth <= 1 else "")), limit
        )
        notes = self.notes(out, base, null) if limit else []
        pieces = [text, said, *notes]
        whole = "; ".join(piece.strip().rstrip(".;") for piece in pieces if piece and piece.strip())
        if whole:
            out = {**out, "description": whole}
        default = base.get("default")
        file = (
            base.get("format") == "binary"
        )  # nobody's default file: a path would be read as one, or sent as base64
        if (
            default is not None
            and not file
            and _fits(default, out)
            and len(json.dumps(default)) <= 200
        ):
            out["default"] = default
        return out

    def notes(self, out: Schema, base: dict[str, Any], null: bool) -> list[str]:
        """What the profile dropped, in words: a format, a pattern, an example, null."""
        notes = []
        kind = base.get("format")
        if kind == "binary" or base.get("contentEncoding") == "base64":
            notes.append("base64")
        elif (
            isinstance(kind, str)
            and kind not in FORMATS
            and re.fullmatch(r"[A-Za-z0-9_ ./:-]{1,40}", kind)
        ):
            notes.append(f"format {kind}")
        pattern = base.get("pattern")
        exact = (
            isinstance(pattern, str) and "pattern" in out and portable_pattern(pattern) is not None
        )
        if isinstance(pattern, str) and not exact and "enum" not in out and len(pattern) <= 80:
            notes.append(f"pattern {visible(pattern)}")
        enum = base.get("enum")
        named = "enum" in out or ("pattern" in out and "pattern" not in base)
        if isinstance(enum, list) and not named and len(enum) > self.detail.enum:
            shown = ", ".join(str(value) for value in enum[:12])
            notes.append(shorten(visible(f"one of {len(enum)} values such as {shown}"), 200))
        if self.detail.examples and "enum" not in out and "default" not in base:
            example = base.get(
                "example", (base.get("examples") or [None])[0] if _is_list(base) else None
            )
            if isinstance(example, (str, int, float)) and not isinstance(example, bool):
                said = visible(str(example)).strip()
                if 0 < len(said) <= 40 and "\n" not in said and out.get("type") == type_of(example):
                    notes.append(f"e.g. {said}")
        if null and out:
            notes.append("may be null")
        return notes


def in_order(properties: dict[str, Any], required: set[str]) -> list[tuple[str, Any]]:
    """Properties as a reader wants them: the required ones first."""
    return sorted(properties.items(), key=lambda item: item[0] not in required)


def in_common(objects: list[Schema]) -> Schema:
    """One open object for many: what all of them require, with every value that any of them gives
    an enum.
    """
    required = [
        key
        for key in objects[0].get("required", ())
        if all(key in item.get("required", ()) for item in objects)
    ]
    properties: dict[str, Schema] = {}
    for key in required:
        told = [item.get("properties", {}).get(key, {}) for item in objects]
        if all("enum" in child for child in told):
            values = list(dict.fromkeys(value for child in told for value in child["enum"]))
            properties[key] = {"type": told[0].get("type", "string"), "enum": values}
        else:
            properties[key] = {}
    out: Schema = {"type": "object", "description": f"one of {len(objects)} shapes"}
    return {**out, "properties": properties, "required": required} if required else out


def _is_list(base: dict[str, Any]) -> bool:
    return isinstance(base.get("examples"), list)


def _as_number(text: str, name: str) -> tuple[Any, bool]:
    try:
        return (int(text), True) if name == "integer" else (float(text), True)
    except ValueError:
        return text, False


def _fits(value: Any, out: Schema) -> bool:
    """Whether a default is of its schema's type and, for an enum, one of its values."""
    name = out.get("type")
    kind = type_of(value)
    if "enum" in out and value not in out["enum"]:
        return False
    if isinstance(value, str) and visible(value) != value:
        return False
    return (
        (name is None and "anyOf" not in out)
        or kind == name
        or (name == "number" and kind == "integer")
    )
