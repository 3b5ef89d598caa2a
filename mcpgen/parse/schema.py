"""JSON Schema of the document → JSON Schema as clients take it (the portable profile).

References are inlined, `allOf` is merged, null is taken out of types (and remembered by pointer), keys that clients
refuse get a safe name (the wire name is remembered by pointer), and keywords outside an allow-list are dropped. What
does not fit the detail asked for is cut in one way only: **optional properties of deep objects are left out, required
ones stay, the object stays open and its description names what else it takes.** So whatever the projection accepts can
still become a valid request, and whatever the document accepts can still be said.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..text import plain, shorten, visible
from .pattern import portable_pattern, wider_pattern

if TYPE_CHECKING:
    from ..ir import Schema
    from ..load import Document, UnresolvedReference
    from ..problems import Problems

TYPES = ("null", "boolean", "object", "array", "number", "string", "integer")
MISSPELT_TYPES = {
    "int": ("integer", None),
    "int32": ("integer", "int32"),
    "int64": ("integer", "int64"),
    "long": ("integer", "int64"),
    "float": ("number", "float"),
    "double": ("number", "double"),
    "decimal": ("number", None),
    "str": ("string", None),
    "text": ("string", None),
    "date": ("string", "date"),
    "datetime": ("string", "date-time"),
    "date-time": ("string", "date-time"),
    "timestamp": ("string", None),
    "uuid": ("string", "uuid"),
    "file": ("string", "binary"),
    "bool": ("boolean", None),
    "list": ("array", None),
    "dict": ("object", None),
    "map": ("object", None),
}
# Formats that JSON Schema or ajv-formats know; any other is said in the description.
FORMATS = frozenset("""
    date-time date time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid json-pointer regex
    int32 int64 float double byte
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

    `depth`: levels of optional properties. `text`, `nested_text`: characters of a description. `enum`: values of an
    enum. `nodes`: schemas in all. `long_limits`: whether a `maxLength` of 256 and more is worth its bytes. `union`,
    `inner_union`: objects that a union may have, and one inside another, before they are said as one.
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


def escape_token(token: str) -> str:
    """One token of a JSON Pointer (RFC 6901 §3)."""
    return token.replace("~", "~0").replace("/", "~1")


def safe_key(wire_name: str, taken: set[str]) -> str:
    """A property key every client takes: the wire name where it is one, else a readable unique stand-in."""
    if KEY.fullmatch(wire_name) and wire_name not in taken:
        return wire_name
    import hashlib

    stem = re.sub(r"[^a-zA-Z0-9_.-]+", "_", wire_name).strip("_")[:50] or "key"
    if stem in taken or len(wire_name) > 64:
        stem = f"{stem}_{hashlib.sha256(wire_name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"
    return stem


class Projector:
    """Projects the schemas of one document. `writing`: the schema is an input (readOnly properties are left out)."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self._resolved: dict[str, tuple[Any, str]] = {}
        self._flat: dict[str, dict[str, Any]] = {}
        # By identity, with the node itself, which keeps its id from being used again.
        self._merged: dict[int, tuple[Any, dict[str, Any]]] = {}

    # -- reading ------------------------------------------------------------------------------------------------

    def resolve(self, ref: str) -> tuple[Any, str]:
        """The target of a local reference and its pointer; `({}, "")` and a problem where there is none."""
        if ref not in self._resolved:
            from ..load import UnresolvedReference

            try:
                self._resolved[ref] = self.document.resolve_one(ref)
            except UnresolvedReference as error:
                self.dangling(error, "")
                self._resolved[ref] = ({}, "")
        return self._resolved[ref]

    def deref(self, node: Any, pointer: str) -> tuple[Any, str]:
        """A node that may be a reference, followed to its end; `(None, pointer)` and a problem where it has none."""
        from ..load import UnresolvedReference

        try:
            return self.document.deref(node, pointer)
        except UnresolvedReference as error:
            self.dangling(error, pointer)
            return None, pointer

    def dangling(self, error: UnresolvedReference, pointer: str) -> None:
        """Report a reference that points to nothing."""
        suggestions = [f"`{name}`" for name in error.suggestions][:3]
        self.problems.warn(
            "E0203",
            f"`$ref` points to nothing: `{visible(error.ref)[:120]}`",
            pointer=f"{pointer or self.holder(error.ref)}/$ref",
            hint=f"did you mean {' or '.join(suggestions)}?" if suggestions else "",
        )

    def holder(self, ref: str) -> str:
        """The pointer of the first object that holds a reference: looked for only when there is something to report."""
        pending: list[tuple[Any, str]] = [(self.document.root, "")]
        while pending:
            node, pointer = pending.pop()
            if isinstance(node, dict):
                if node.get("$ref") == ref:
                    return pointer
                pending += [(node[key], f"{pointer}/{escape_token(key)}") for key in reversed(node)]
            elif isinstance(node, list):
                pending += [(item, f"{pointer}/{index}") for index, item in reversed(list(enumerate(node)))]
        return ""

    def flatten(self, node: Any, seen: frozenset[str] = frozenset()) -> dict[str, Any]:
        """A schema with its `$ref` followed and its `allOf` merged; children are left as they are in the document.

        A boolean schema is `{}` (anything) or `{"not": {}}` (nothing). The key `$name` is the last component name
        that was followed. Shared: never change the result.
        """
        if not isinstance(node, dict):
            return {"not": {}} if node is False else {}
        ref = node.get("$ref")
        if not isinstance(ref, str) and "allOf" not in node:
            return node
        if isinstance(ref, str) and len(node) == 1:
            if ref in seen:
                return {}
            if len(seen) >= self.document.limits.hops:
                self.problems.warn("E0203", f"`$ref` chains of more than {self.document.limits.hops} are not followed")
                return {}
            if ref not in self._flat:
                target, _ = self.resolve(ref)
                flat = dict(self.flatten(target, seen | {ref}))
                flat["$name"] = ref.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
                if seen:
                    return flat
                self._flat[ref] = flat
            return self._flat[ref]
        if not seen and id(node) in self._merged:
            return self._merged[id(node)][1]
        merged: dict[str, Any] = {}
        own = {key: value for key, value in node.items() if key not in ("$ref", "allOf")}
        for part in [{"$ref": ref}] if isinstance(ref, str) else []:
            merged = merge(merged, self.flatten(part, seen))
        for part in node["allOf"] if isinstance(node.get("allOf"), list) else []:
            merged = merge(merged, self.flatten(part, seen))
        result = merge(merged, own)
        for key in ("description", "title", "default"):
            if key in own:
                result[key] = own[key]
        if not seen:
            self._merged[id(node)] = node, result
        return result

    def kinds(self, node: Any, depth: int = 0) -> set[str]:
        """The JSON types a schema allows, without null; empty when it says nothing."""
        flat = self.flatten(node)
        kinds = set(self.types(flat))
        for keyword in ("anyOf", "oneOf"):
            branches = flat.get(keyword)
            if isinstance(branches, list) and not kinds and depth < 6:
                for branch in branches:
                    kinds |= self.kinds(branch, depth + 1)
        kinds.discard("null")
        return kinds

    def types(self, flat: dict[str, Any]) -> list[str]:
        """The types of a flattened schema, `null` included; inferred from other keywords where none is given."""
        given = flat.get("type")
        names = given if isinstance(given, list) else [given] if given is not None else []
        types: list[str] = []
        for name in names:
            if isinstance(name, str) and name in TYPES:
                types.append(name)
            elif isinstance(name, str) and name.lower() in TYPES:
                types.append(name.lower())
            elif isinstance(name, str) and name.lower() in MISSPELT_TYPES:
                right, _ = MISSPELT_TYPES[name.lower()]
                self.problems.warn("E0502", f"unknown type `{name}`", hint=f"read as `{right}`: write that")
                types.append(right)
            else:
                self.problems.warn(
                    "E0502",
                    f"unknown type `{visible(str(name))[:60]}`",
                    hint="one of " + ", ".join(f"`{known}`" for known in sorted(TYPES)),
                )
        if types or given is not None:
            return types
        if any(key in flat for key in ("properties", "additionalProperties", "patternProperties")):
            return ["object"]
        if isinstance(flat.get("required"), list) and not ("anyOf" in flat or "oneOf" in flat):
            return ["object"]
        if "items" in flat or "prefixItems" in flat:
            return ["array"]
        values = flat["enum"] if isinstance(flat.get("enum"), list) else [flat["const"]] if "const" in flat else []
        found = dict.fromkeys(type_of(value) for value in values)
        if "number" in found:
            found.pop("integer", None)
        if found:
            return list(found)
        if any(key in flat for key in ("pattern", "minLength", "maxLength", "format")):
            return ["string"] if flat.get("format") not in ("int32", "int64", "float", "double") else []
        return []

    def branches(self, flat: dict[str, Any]) -> tuple[list[Any], bool]:
        """The branches of a schema's union other than null, and whether null is one of them."""
        for keyword in ("anyOf", "oneOf"):
            given = flat.get(keyword)
            if isinstance(given, list) and given:
                rest = [branch for branch in given if not self.is_null(branch)]
                return rest, len(rest) < len(given)
        return [], False

    def is_null(self, node: Any) -> bool:
        """Whether a schema allows null and nothing else."""
        flat = self.flatten(node)
        return flat.get("type") in ("null", ["null"]) or flat.get("enum") == [None]

    def expand(self, node: Any, hops: int = 0) -> tuple[dict[str, Any], list[Any], bool]:
        """A schema as (base without union, union branches, accepts null); a union of one is merged into the base."""
        flat = self.flatten(node)
        branches, nullable = self.branches(flat)
        base = {key: value for key, value in flat.items() if key not in ("anyOf", "oneOf")}
        if len(branches) == 1 and hops < 8:
            inner, more, null = self.expand(branches[0], hops + 1)
            return merge(inner, base), more, nullable or null or self._allows_null(base)
        return base, branches, nullable or self._allows_null(base)

    def _allows_null(self, flat: dict[str, Any]) -> bool:
        given = flat.get("type")
        if isinstance(given, list):
            return "null" in given
        return given is None and isinstance(flat.get("enum"), list) and None in flat["enum"]

    def properties(self, node: Any) -> dict[str, Any]:
        """The properties of an object schema, those of its union branches included."""
        base, branches, _ = self.expand(node)
        found = dict(base["properties"]) if isinstance(base.get("properties"), dict) else {}
        for branch in branches:
            inner = self.flatten(branch).get("properties")
            for key, value in inner.items() if isinstance(inner, dict) else ():
                found.setdefault(key, value)
        return found

    # -- projecting ---------------------------------------------------------------------------------------------

    def project(self, node: Any, detail: Detail, *, writing: bool = True) -> Projection:
        """`node` as the portable profile says it. Raises TooLarge when `detail.nodes` is exceeded."""
        run = _Run(self, detail, writing)
        projection = Projection(schema={})
        projection.schema, projection.accepts_null = run.schema(node, 0, "")
        projection.nullable, projection.wire_names, projection.cut = run.nullable, run.wire_names, run.cut
        return projection


class _Run:
    """One projection: counts its nodes and collects what is said by pointer."""

    def __init__(self, projector: Projector, detail: Detail, writing: bool) -> None:
        self.at, self.detail, self.writing = projector, detail, writing
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
        """`oneOf`/`anyOf`: one schema where it can be said so, else `anyOf` of the branches merged with the base."""
        discriminator = base.get("discriminator")
        merged = []
        for branch in branches:
            whole = merge(base, self.at.flatten(branch))
            for noise in ("description", "title", "default", "discriminator", "example", "examples"):
                if noise in base:
                    whole.pop(noise, None)
            if isinstance(discriminator, dict):
                whole = self.discriminated(whole, branch, discriminator)
            merged.append(whole)
        return self.alternatives(merged, depth, pointer)

    def discriminated(self, whole: dict[str, Any], branch: Any, discriminator: dict[str, Any]) -> dict[str, Any]:
        """A branch whose discriminator property can only have the branch's own values (OpenAPI 3.1 §4.8.25)."""
        name = discriminator.get("propertyName")
        ref = branch.get("$ref") if isinstance(branch, dict) else None
        properties = whole.get("properties")
        if not isinstance(name, str) or not isinstance(ref, str) or not isinstance(properties, dict):
            return whole
        own = self.at.flatten(properties.get(name, {}))
        if "const" in own or (isinstance(own.get("enum"), list) and len(own["enum"]) == 1):
            return whole
        mapping = discriminator.get("mapping")
        component = ref.rsplit("/", 1)[-1]
        values = [
            key for key, target in (mapping.items() if isinstance(mapping, dict) else ()) if target in (ref, component)
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
            if any(bare == {key: value for key, value in other.items() if key != "description"} for other in out):
                del self.nullable[mark[0] :], self.wire_names[mark[1] :]
                continue
            out.append(projected)
        strings = [item for item in out if item.get("type") == "string"]
        open_string = any(not (set(item) - {"type", "description"}) for item in strings)
        if open_string and len(strings) > 1:
            hints = [str(value) for item in strings for value in item.get("enum", ())][:20]
            kept = {"type": "string", **({"description": f"e.g. {', '.join(hints)}"} if hints else {})}
            out = [kept, *(item for item in out if item.get("type") != "string")]
        enums = all("enum" in item and set(item) <= {"type", "enum", "description"} for item in out)
        if len(out) > 1 and enums and len({item.get("type") for item in out}) == 1:
            values = list(dict.fromkeys(value for item in out for value in item["enum"]))
            out = [{**({"type": out[0]["type"]} if "type" in out[0] else {}), "enum": values}]
        objects = [item for item in out if item.get("type") == "object"]
        if len(objects) > (self.detail.union if self.unions < 2 else min(self.detail.union, self.detail.inner_union)):
            self.cut = True
            self.nullable[:] = [item for item in self.nullable if not item.startswith(f"{pointer}/anyOf/")]
            self.wire_names[:] = [item for item in self.wire_names if not item[0].startswith(f"{pointer}/anyOf/")]
            out = [in_common(objects), *(item for item in out if item.get("type") != "object")]
        if len(out) == 1:
            self.lift(pointer)
            return dict(out[0])
        return {"anyOf": out} if out else {}

    def lift(self, pointer: str) -> None:
        """Pointers into a one-branch union become pointers into its only branch."""
        prefix = f"{pointer}/anyOf/0"
        moved = [item for item in self.nullable if item != prefix]
        self.nullable[:] = [pointer + item[len(prefix) :] if item.startswith(prefix + "/") else item for item in moved]
        self.wire_names[:] = [
            (pointer + item[len(prefix) :] if item.startswith(prefix + "/") else item, wire)
            for item, wire in self.wire_names
        ]

    def typed(self, base: dict[str, Any], name: str, depth: int, pointer: str) -> Schema:
        """A schema of one type (or of any: `name` is empty)."""
        if not name:
            given = self.values(base, "")
            return {"enum": given} if given else {}
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
                if (value or keyword.startswith("max")) and (value < 256 or self.detail.long_limits):
                    out[keyword] = value
            elif value is not None:
                self.refuse(keyword, value, "a whole number of at least 0")
        values = self.values(base, name)
        if values == [""]:
            out = {"type": "string", "maxLength": 0}  # clients that refuse empty values in an enum take this
        elif values:
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
            "E0503", f"`{keyword}` must be {wanted}, not `{visible(json.dumps(value, default=str))[:60]}`: left out"
        )

    def values(self, base: dict[str, Any], name: str) -> list[Any]:
        """The enum of a schema that fit its type, in order, without null and repeats; empty when there is none."""
        if "const" in base:
            given = [base["const"]]
        elif isinstance(base.get("enum"), list):
            given = base["enum"]
        else:
            return []
        values: list[Any] = []
        keys: set[str] = set()
        for value in given:
            kind = type_of(value)
            fits = not name or kind == name or (name == "number" and kind == "integer")
            if not fits and name == "string" and kind in ("integer", "number", "boolean"):
                value, fits = json.dumps(value), True
            if not fits and name in ("integer", "number") and kind == "string":
                value, fits = _as_number(value, name)
            if isinstance(value, str) and visible(value) != value:
                fits = False
            key = json.dumps(value, sort_keys=True)
            if value is not None and fits and key not in keys:
                keys.add(key)
                values.append(value)
        return values if len(values) <= self.detail.enum else []

    def object(self, base: dict[str, Any], depth: int, pointer: str) -> Schema:
        """The properties of an object: all of them, or below the depth asked for the required ones only."""
        given = base.get("properties")
        properties = given if isinstance(given, dict) else {}
        listed = base.get("required")
        required = {key for key in listed if isinstance(key, str)} if isinstance(listed, list) else set()
        shallow = depth < self.detail.depth
        out: dict[str, Schema] = {}
        needed: list[str] = []
        left_out: list[str] = []
        for wire_name, child in in_order(properties, required):
            flat = self.at.flatten(child)
            if flat.get("readOnly" if self.writing else "writeOnly") is True or flat.get("not") == {}:
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
        for wire_name in sorted(required - set(properties)) if self.writing and depth <= HARD_DEPTH else ():
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
                ("also takes: " if out else "takes: ") + ", ".join(left_out), 240 if self.detail.text >= 60 else 60
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
        """`out` with a description: the document's text, and what the profile does not say in keywords."""
        limit = self.detail.text if depth <= 1 else self.detail.nested_text
        said = out.pop("description", "")
        text = shorten(plain(base.get("description") or (base.get("title") if depth <= 1 else "")), limit)
        notes = self.notes(out, base, null) if limit else []
        pieces = [text, said, *notes]
        whole = "; ".join(piece.strip().rstrip(".;") for piece in pieces if piece and piece.strip())
        if whole:
            out = {**out, "description": whole}
        default = base.get("default")
        file = base.get("format") == "binary"  # nobody's default file: a path would be read as one, or sent as base64
        if default is not None and not file and _fits(default, out) and len(json.dumps(default)) <= 200:
            out["default"] = default
        return out

    def notes(self, out: Schema, base: dict[str, Any], null: bool) -> list[str]:
        """What the profile dropped, in words: a format, a pattern, an example, null."""
        notes = []
        kind = base.get("format")
        if kind == "binary" or base.get("contentEncoding") == "base64":
            notes.append("base64")
        elif isinstance(kind, str) and kind not in FORMATS and re.fullmatch(r"[A-Za-z0-9_ ./:-]{1,40}", kind):
            notes.append(f"format {kind}")
        pattern = base.get("pattern")
        exact = isinstance(pattern, str) and "pattern" in out and portable_pattern(pattern) is not None
        if isinstance(pattern, str) and not exact and "enum" not in out and len(pattern) <= 80:
            notes.append(f"pattern {visible(pattern)}")
        enum = base.get("enum")
        if isinstance(enum, list) and "enum" not in out and len(enum) > self.detail.enum:
            shown = ", ".join(str(value) for value in enum[:12])
            notes.append(shorten(visible(f"one of {len(enum)} values such as {shown}"), 200))
        if self.detail.examples and "enum" not in out and "default" not in base:
            example = base.get("example", (base.get("examples") or [None])[0] if _is_list(base) else None)
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
    """One open object for many: what all of them require, with every value that any of them gives an enum."""
    required = [
        key for key in objects[0].get("required", ()) if all(key in item.get("required", ()) for item in objects)
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
    return (name is None and "anyOf" not in out) or kind == name or (name == "number" and kind == "integer")


def type_of(value: Any) -> str:
    """The JSON type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def merge(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """The schema that accepts what both accept, for the keywords a projection reads (JSON Schema 2020-12 §10.2.1.1)."""
    if not left or not right:
        return dict(left or right)
    out = dict(left)
    for key, value in right.items():
        if key not in out or out[key] == value:
            out[key] = value
        elif key == "properties" and isinstance(value, dict) and isinstance(out[key], dict):
            mine = dict(out[key])
            for name, child in value.items():
                mine[name] = child if name not in mine or mine[name] == child else {"allOf": [mine[name], child]}
            out[key] = mine
        elif key == "required" and isinstance(value, list) and isinstance(out[key], list):
            out[key] = list(dict.fromkeys(name for name in [*out[key], *value] if isinstance(name, str)))
        elif key == "enum" and isinstance(value, list) and isinstance(out[key], list):
            out[key] = [item for item in out[key] if item in value] or out[key]
        elif key == "type":
            out[key] = _common_types(out[key], value)
        elif key in ("minimum", "minLength", "minItems", "minProperties", "exclusiveMinimum"):
            out[key] = _extreme(max, out[key], value)
        elif key in ("maximum", "maxLength", "maxItems", "maxProperties", "exclusiveMaximum"):
            out[key] = _extreme(min, out[key], value)
        elif key in ("items", "additionalProperties") and isinstance(value, dict) and isinstance(out[key], dict):
            out[key] = {"allOf": [out[key], value]}
        elif key == "additionalProperties":
            out[key] = False if False in (value, out[key]) else value if out[key] is True else out[key]
        elif key in ("anyOf", "oneOf") and isinstance(value, list) and isinstance(out[key], list):
            # Two unions at once: the product is rarely meant; the one with more to say stays.
            out[key] = max(out[key], value, key=lambda branches: len(json.dumps(branches, default=str)))
        elif key in ("readOnly", "writeOnly", "deprecated", "uniqueItems"):
            out[key] = bool(out[key]) or bool(value)
    return out


def _common_types(left: Any, right: Any) -> Any:
    mine = left if isinstance(left, list) else [left]
    theirs = right if isinstance(right, list) else [right]
    common = [name for name in mine if name in theirs]
    if not common and {"integer", "number"} <= {*mine, *theirs}:
        common = ["integer"]
    return (common[0] if len(common) == 1 else common) if common else left


def _extreme(choose: Any, left: Any, right: Any) -> Any:
    numbers = [value for value in (left, right) if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return choose(numbers) if numbers else left
