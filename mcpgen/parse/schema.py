"""The schemas of a document, as they are meant: references are followed and `allOf` is merged (JSON
Schema 2020-12).

`projection` says them to clients; everything else of `parse` asks here what a schema allows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..text import escape_token, visible

if TYPE_CHECKING:
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


class Reader:
    """The schemas of one document: references followed, `allOf` merged, types and unions told
    apart.
    """

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self._resolved: dict[str, tuple[Any, str]] = {}
        self._flat: dict[str, dict[str, Any]] = {}
        # By identity, with the node itself, which keeps its id from being used again.
        self._merged: dict[int, tuple[Any, dict[str, Any]]] = {}

    def resolve(self, ref: str) -> tuple[Any, str]:
        """The target of a local reference and its pointer; `({}, "")` and a problem where there is
        none.
        """
        if ref not in self._resolved:
            from ..load import UnresolvedReference

            try:
                self._resolved[ref] = self.document.resolve_one(ref)
            except UnresolvedReference as error:
                self.dangling(error, "")
                self._resolved[ref] = ({}, "")
        return self._resolved[ref]

    def deref(self, node: Any, pointer: str) -> tuple[Any, str]:
        """A node that may be a reference, followed to its end; `(None, pointer)` and a problem
        where it has none.
        """
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
        """The pointer of the first object that holds a reference: looked for only when there is
        something to report.
        """
        pending: list[tuple[Any, str]] = [(self.document.root, "")]
        while pending:
            node, pointer = pending.pop()
            if isinstance(node, dict):
                if node.get("$ref") == ref:
                    return pointer
                pending += [(node[key], f"{pointer}/{escape_token(key)}") for key in reversed(node)]
            elif isinstance(node, list):
                pending += [
                    (item, f"{pointer}/{index}") for index, item in reversed(list(enumerate(node)))
                ]
        return ""

    def flatten(self, node: Any, seen: frozenset[str] = frozenset()) -> dict[str, Any]:
        """A schema with its `$ref` followed and its `allOf` merged; children are left as they are
        in the document.

        A boolean schema is `{}` (anything) or `{"not": {}}` (nothing). The key `$name` is the last
        component name that was followed. Shared: never change the result.
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
                self.problems.warn(
                    "E0203",
                    f"`$ref` chains of more than {self.document.limits.hops} are not followed",
                )
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
        for key in ("description", "title", "default", "readOnly"):
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
        """The types of a flattened schema, `null` included; inferred from other keywords where none
        is given.
        """
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
                self.problems.warn(
                    "E0502", f"unknown type `{name}`", hint=f"read as `{right}`: write that"
                )
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
        values = (
            flat["enum"]
            if isinstance(flat.get("enum"), list)
            else [flat["const"]] if "const" in flat else []
        )
        found = dict.fromkeys(type_of(value) for value in values)
        if "number" in found:
            found.pop("integer", None)
        if found:
            return list(found)
        if any(key in flat for key in ("pattern", "minLength", "maxLength", "format")):
            return (
                ["string"]
                if flat.get("format") not in ("int32", "int64", "float", "double")
                else []
            )
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
        """A schema as (base without union, union branches, accepts null); a union of one is merged
        into the base.

        Shared: never change the base.
        """
        flat = self.flatten(node)
        if "anyOf" not in flat and "oneOf" not in flat:
            return flat, [], self._allows_null(flat)
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
    """The schema that accepts what both accept, for the keywords a projection reads (JSON Schema
    2020-12 §10.2.1.1).
    """
    if not left or not right:
        return dict(left or right)
    out = dict(left)
    for key, value in right.items():
        if key not in out or out[key] == value:
            out[key] = value
        elif key == "properties" and isinstance(value, dict) and isinstance(out[key], dict):
            mine = dict(out[key])
            for name, child in value.items():
                mine[name] = (
                    child if name not in mine or mine[name] == child else _both(mine[name], child)
                )
            out[key] = mine
        elif key == "required" and isinstance(value, list) and isinstance(out[key], list):
            out[key] = list(
                dict.fromkeys(name for name in [*out[key], *value] if isinstance(name, str))
            )
        elif key == "enum" and isinstance(value, list) and isinstance(out[key], list):
            out[key] = [item for item in out[key] if item in value] or out[key]
        elif key == "type":
            out[key] = _common_types(out[key], value)
        elif key in ("minimum", "minLength", "minItems", "minProperties", "exclusiveMinimum"):
            out[key] = _extreme(max, out[key], value)
        elif key in ("maximum", "maxLength", "maxItems", "maxProperties", "exclusiveMaximum"):
            out[key] = _extreme(min, out[key], value)
        elif (
            key in ("items", "additionalProperties")
            and isinstance(value, dict)
            and isinstance(out[key], dict)
        ):
            out[key] = {"allOf": [out[key], value]}
        elif key == "additionalProperties":
            out[key] = (
                False if False in (value, out[key]) else value if out[key] is True else out[key]
            )
        elif key in ("anyOf", "oneOf") and isinstance(value, list) and isinstance(out[key], list):
            # Two unions at once: the product is rarely meant; the one with more to say stays.
            out[key] = max(
                out[key], value, key=lambda branches: len(json.dumps(branches, default=str))
            )
        elif key in ("readOnly", "writeOnly", "deprecated", "uniqueItems"):
            out[key] = bool(out[key]) or bool(value)
    return out


def _both(given: Any, again: Any) -> dict[str, Any]:
    """A property that two parts of an `allOf` declare; one that the second says anew without
    `readOnly` is writable.
    """
    both: dict[str, Any] = {"allOf": [given, again]}
    if isinstance(given, dict) and given.get("readOnly") is True and isinstance(again, dict):
        both["readOnly"] = again.get("readOnly") is True or "$ref" in again
    return both


def _common_types(left: Any, right: Any) -> Any:
    mine = left if isinstance(left, list) else [left]
    theirs = right if isinstance(right, list) else [right]
    common = [name for name in mine if name in theirs]
    if not common and {"integer", "number"} <= {*mine, *theirs}:
        common = ["integer"]
    return (common[0] if len(common) == 1 else common) if common else left


def _extreme(choose: Any, left: Any, right: Any) -> Any:
    numbers = [
        value
        for value in (left, right)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    return choose(numbers) if numbers else left
