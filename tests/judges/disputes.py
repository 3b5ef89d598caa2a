"""Where the referee's verdict is disputed: the reason, with the specification's section, read off
the raw call.

The referee is never changed or worked around. Its score is reported as it is, and beside it the
score without the calls listed here, for every server alike.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

SAME_REQUEST = (
    "two operations of the document are one request: paths that differ in the names of their"
    " parameters, their query or their fragment alone (OpenAPI 3.1 §4.8.8.2, RFC 3986 §3.5); the"
    " referee counts the other one as meant"
)
EMPTY_BODY = (
    "the value of the body is `{}`, which no argument can hold when the body's fields are the"
    " arguments; the request carried `{}`, which is that value"
)
READ_ONLY = (
    "the argument of a parameter is taken for a body's `readOnly` property of the same name, which"
    " a request should not carry (OpenAPI 3.0.3 §4.7.24.2)"
)
NO_PART = (
    "the document requires a multipart body and no part of it; a form without fields is its closing"
    " delimiter alone, as browsers send it (WHATWG HTML §4.10.21.8), which the referee's parser"
    " does not read"
)
RENAMED = (
    "a nested key that clients refuse (`$schema`, `{code}`) has another name in the tool; under its"
    " own it stands in the request, and the referee compares the names"
)
CONTRADICTION = (
    "the document's schema allows no value: its enum's values are not of its `type` (JSON Schema"
    " §6.1)"
)
ALIKE = (
    "names that differ in symbols alone (`DateSent`, `DateSent<`; `id`, `_id`) are one name to the"
    " referee: the argument is there, under a name that clients take (OpenAPI 3.1 §4.8.12.1: names"
    " are compared as they are)"
)
MISTAKEN = (
    "the referee takes a tool whose name ends in a number for another operation's: the operationIds"
    " differ in that number (`list`, `list_1`), and each tool has the name of its own"
)
CREDENTIAL = (
    "a parameter that is also an API key of the operation's security requirement comes from the"
    " environment, never from a model (OpenAPI 3.1 §4.8.27, §4.8.30); the request carried the key"
    " of the environment"
)
STEERING = (
    "the document requires a header that overrides the method, which no caller may set: the tool"
    " says so, and calls"
)
UNDEFINED = (
    "a query or a form cannot say this: the empty object or list inside another, or the key that"
    " holds `[` or `]` (OpenAPI 3.1 §4.8.12.3, deepObject: nested values are not defined; RFC 6570"
    " §2.3: empty lists are undefined)"
)
LIST_IN_MAP = (
    "indices of a list are read as an object's keys where the list is inside a map's values: the"
    " referee looks for the schema of `a[key][list][0]` among `properties` alone, not in"
    " `additionalProperties`"
)
CLOSED = (
    "the document's body is an `allOf` of closed objects, which together allow no property at all "
    "(JSON Schema §10.3.2.3)"
)
WITHIN = (
    "the property is `readOnly` in a part of its `allOf`, which makes it so (JSON Schema Validation"
    " §9.4); the referee looks at the property itself alone"
)
TEXT = (
    "the request body is XML or a file, whose bytes are what a model gives; the referee gives an"
    " object, and reads none of its values back"
)
LACKING = (
    "the referee's own call lacks a parameter or body that the document requires: it found no value"
    " for its schema"
)
REQUIRED = (
    "the request lacks a property that is required and `readOnly`: it is required of answers alone "
    "(OpenAPI 3.0.3 §4.7.24.2)"
)
UNTRIED = (
    "tools that are there and count as missing: the referee knows a tool by its operation's name,"
    " and tries out eighty of the others; names over 50 characters are shortened, with a hash in"
    " place of the rest"
)
ELSEWHERE = (
    "the document declares a path parameter that its path does not have (OpenAPI 3.1 §4.8.12.1)"
)
FORMAT = (
    "the value tried is not of the `format` that the tool's own schema says (the referee takes its"
    " pattern alone)"
)
MEDIA = (
    "the document's media type is none: its parameters stand behind a comma (RFC 9110 §8.3.1); a"
    " semicolon was sent"
)
SCALAR = (
    "the body is a number or a truth value as text; the referee compares the text with the schema"
    " without reading it"
)
HEAD = "the answer to a HEAD request has no content (RFC 9110 §9.3.2), and so no structured result"
NAMELESS = "the document's parameter has an empty name (OpenAPI 3.1 §4.8.12.2)"
DISCRIMINATOR = (
    "the document's `discriminator` names schemas that do not exist (OpenAPI 3.1 §4.8.25)"
)


def template(operation: str) -> str:
    """`METHOD /path` without what a request does not show: names of parameters, query and
    fragment.
    """
    return re.sub(r"\{[^{}]*\}", "{}", operation.split("?")[0].split("#")[0])


class Disputes:
    """The disputes over the calls of one document."""

    def __init__(self, document: Path) -> None:
        self.root = json.loads(document.read_text())
        self._read_only: dict[str, bool] = {}

    def over_call(self, call: dict[str, Any]) -> str:
        """Why the verdict on a call is disputed, or nothing."""
        wanted, got = str(call.get("want_op")), call.get("op")
        if got and got != wanted and template(got) == template(wanted):
            return SAME_REQUEST
        faults = call.get("bad") or []
        if faults:
            said = str(faults[0][2])
            if "not a multipart body" in said and self._closing_delimiter(call):
                return NO_PART
            if all(self._contradicts(str(fault[2])) for fault in faults):
                return CONTRADICTION
            if "could not be resolved" in said or re.search(r" reference '#/", said):
                return DISCRIMINATOR
            if all("Override" in str(fault[1]) and "missing" in str(fault[2]) for fault in faults):
                return STEERING
            if re.search(r": \{'0': .*is not of type 'array'", said):
                return LIST_IN_MAP
            if "Additional properties are not allowed" in said and self._closed(wanted):
                return CLOSED
            missing = re.search(r"'(.+)' is a required property", said)
            if missing and self._read_only_property(wanted, missing.group(1)):
                return REQUIRED
            if faults[0][0] == "query" and re.search(r": '\{.*is not of type 'object'", said):
                return UNDEFINED
            if re.search(r"is not declared \([^()]*/[^();]*,\s*[\w-]+=", said):
                return MEDIA
            if re.fullmatch(
                r": '(true|false|-?[0-9.]+)' is not of type '(boolean|integer|number)'", said
            ):
                return SCALAR
            if all(
                fault[0] == "path" and "{" + str(fault[1]) + "}" not in wanted for fault in faults
            ):
                return ELSEWHERE
            if call["kind"] == "schema" and all(
                re.search(r"is not a '(uuid|uri|email|date|date-time)'", str(fault[2]))
                for fault in faults
            ):
                return FORMAT
        if call["kind"] == "spec" and self._text(wanted):
            return TEXT
        if not call.get("n_http") and call["kind"] == "spec":
            if self._lacks(call):
                return LACKING
            if any(
                self._alike(wanted, *slot[0].split(".", 1))
                for slot in call.get("slots", ())
                if "." in slot[0]
            ):
                return ALIKE
        refused = str(call.get("text")) if not call.get("n_http") else ""
        if (
            "cannot be said in a query" in refused
            or "cannot stand in a list separated by it" in refused
        ):
            return UNDEFINED
        if got and got != wanted and self._mistaken(call["tool"], wanted, got):
            return MISTAKEN
        if call.get("verdict") == "valid" and self._renamed(call):
            return RENAMED
        if self.read_only(wanted) and any(slot[1] != "delivered" for slot in call.get("slots", ())):
            return READ_ONLY
        return ""

    def over_slot(self, call: dict[str, Any], slot: tuple[str, str]) -> str:
        """Why a planted value that was not delivered is disputed, or nothing."""
        name, outcome = slot
        if name == "body.None" and outcome == "inexpressible":
            return EMPTY_BODY
        if name in ("query.", "header.", "path.", "cookie."):
            return NAMELESS
        place, _, wire_name = name.partition(".")
        if (place, wire_name) in self._keys():
            return CREDENTIAL
        if self._alike(str(call.get("want_op")), place, wire_name):
            return ALIKE
        if (
            outcome == "inexpressible"
            and place == "body"
            and self._read_only_within(call, wire_name)
        ):
            return WITHIN
        json_body = place == "body" and (call.get("http") or {}).get("body", "").startswith("ey")
        if (
            outcome == "altered"
            and place in ("query", "body")
            and not json_body
            and _hollow(call["args"])
        ):
            return UNDEFINED
        return ""

    def _operation(self, operation: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The path item and the operation of `METHOD /path`."""
        method, _, path = operation.partition(" ")
        item = self._deref((self.root.get("paths") or {}).get(path)) or {}
        return item, self._deref(item.get(method.lower())) or {}

    def _names(self, operation: str) -> list[tuple[str, str]]:
        """The place and name of every parameter and body property of an operation."""
        names = [
            (str(entry.get("in")), str(entry.get("name"))) for entry in self._parameters(operation)
        ]
        for schema in self._schemas(operation):
            names += [
                ("body", name)
                for name in (*self._properties(schema), *(schema.get("required") or ()))
            ]
        return list(dict.fromkeys(names))

    def _alike(self, operation: str, place: str, name: str) -> bool:
        """Whether there is another name in that place that has the same letters and digits."""
        same = [
            other
            for at, other in self._names(operation)
            if at == place and _normal(other) == _normal(name)
        ]
        return len(same) > 1

    def _keys(self) -> set[tuple[str, str]]:
        """The place and name of every API key of the document."""
        schemes = ((self.root.get("components") or {}).get("securitySchemes") or {}).values()
        found = [scheme for scheme in map(self._deref, schemes) if isinstance(scheme, dict)]
        return {
            (str(one.get("in")), str(one.get("name")))
            for one in found
            if one.get("type") == "apiKey"
        }

    def _mistaken(self, tool: str, wanted: str, got: str) -> bool:
        """Whether a tool has the name of the operation it calls, and not of the one it was called
        for.
        """
        mine, theirs = (
            _normal(self._operation(one)[1].get("operationId", "")) for one in (got, wanted)
        )
        return bool(mine) and mine == _normal(tool) != theirs

    def _parameters(self, operation: str) -> list[dict[str, Any]]:
        """The parameters of an operation and of its path."""
        owners = self._operation(operation)
        found = [self._deref(entry) for owner in owners for entry in owner.get("parameters") or ()]
        return [entry for entry in found if isinstance(entry, dict)]

    def _body(self, operation: str) -> dict[str, Any]:
        """The request body of an operation; empty where it has none."""
        return self._deref(self._operation(operation)[1].get("requestBody")) or {}

    def _schemas(self, operation: str) -> list[dict[str, Any]]:
        """The schemas of an operation's body."""
        content = self._body(operation).get("content") or {}
        found = [self._deref((media or {}).get("schema")) for media in content.values()]
        return [schema for schema in found if isinstance(schema, dict)]

    def _lacks(self, call: dict[str, Any]) -> bool:
        """Whether a call from the document has no value for a parameter that the document
        requires.
        """
        wanted = str(call.get("want_op"))
        ignored = ("accept", "content-type", "authorization")
        needed = {
            f"{entry.get('in')}.{entry.get('name')}"
            for entry in self._parameters(wanted)
            if entry.get("required") and str(entry.get("name")).lower() not in ignored
        }
        given = {slot[0] for slot in call.get("slots", ())}
        bare = not any(name.startswith("body.") for name in given)
        return not needed <= given or (bare and self._body(wanted).get("required") is True)

    def _read_only_property(self, operation: str, name: str) -> bool:
        """Whether a body of the operation has that property somewhere, for answers alone."""
        pending: list[Any] = list(self._schemas(operation))
        seen: set[int] = set()
        while pending and len(seen) < 5000:
            node = self._deref(pending.pop())
            if not isinstance(node, dict | list) or id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, dict) and isinstance(node.get("properties"), dict):
                child = self._deref(node["properties"].get(name))
                if isinstance(child, dict) and child.get("readOnly") is True:
                    return True
            pending += node.values() if isinstance(node, dict) else node
        return False

    def _closed(self, operation: str) -> bool:
        """Whether an operation's body is an `allOf` with a closed object in it, and another."""
        for schema in self._schemas(operation):
            parts = [
                part
                for part in map(self._deref, schema.get("allOf") or ())
                if isinstance(part, dict)
            ]
            owners = [schema, *parts]
            if len(parts) > 0 and any(
                owner.get("additionalProperties") is False for owner in owners
            ):
                return sum("properties" in owner or "allOf" in owner for owner in owners) > 1
        return False

    def _text(self, operation: str) -> bool:
        """Whether an operation's body is an object in the document, and neither JSON nor a form on
        the wire.
        """
        types = self._body(operation).get("content") or ()
        return bool(self._schemas(operation)) and not any(
            re.search(r"json|form|\*/\*", name) for name in types
        )

    def _read_only_within(self, call: dict[str, Any], name: str) -> bool:
        """Whether a property of the body is read-only in a part of its `allOf`."""
        for schema in self._schemas(str(call.get("want_op"))):
            child = self._deref(self._properties(schema).get(name)) or {}
            if any(
                (self._deref(part) or {}).get("readOnly") is True
                for part in child.get("allOf") or ()
            ):
                return True
        return False

    def _renamed(self, call: dict[str, Any]) -> bool:
        """Whether the request has, for every key it seems to have lost, one that clients would have
        refused.
        """
        try:
            sent = json.loads(base64.b64decode((call.get("http") or {}).get("body") or ""))
        except ValueError:
            return False
        return _keys(sent) != _keys(call["args"]) and any(
            not _CLIENTS_TAKE.fullmatch(key) for key in _keys(sent)
        )

    def read_only(self, operation: str) -> bool:
        """Whether a parameter has the name of a readOnly property of the operation's body."""
        if operation not in self._read_only:
            self._read_only[operation] = self._clash(operation)
        return self._read_only[operation]

    def _clash(self, operation: str) -> bool:
        names = {_normal(entry.get("name")) for entry in self._parameters(operation)}
        return any(
            _normal(name) in names
            for schema in self._schemas(operation)
            for name, child in self._properties(schema).items()
            if (self._deref(child) or {}).get("readOnly") is True
        )

    def _properties(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        schema = self._deref(schema)
        if not isinstance(schema, dict) or depth > 6:
            return {}
        out = dict(schema.get("properties") or {})
        for keyword in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(keyword) or ():
                out |= self._properties(part, depth + 1)
        return out

    def _deref(self, node: Any) -> Any:
        for _ in range(20):
            if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                break
            here: Any = self.root
            for token in node["$ref"].partition("#")[2].split("/")[1:]:
                if isinstance(here, list):
                    here = here[int(token)] if token.isdigit() and int(token) < len(here) else None
                else:
                    here = (
                        here.get(token.replace("~1", "/").replace("~0", "~"))
                        if isinstance(here, dict)
                        else None
                    )
            node = here
        return node

    def _closing_delimiter(self, call: dict[str, Any]) -> bool:
        content = base64.b64decode((call.get("http") or {}).get("body") or "")
        return bool(re.fullmatch(rb"--[^\r\n]+--\r\n", content))

    def _contradicts(self, said: str) -> bool:
        match = re.search(r"(\S+) is not one of \[(.*)\]?$", said)
        if not match:
            return False
        value = match.group(1).strip("'\"").lower()
        values = [entry.strip().strip("[]") for entry in match.group(2).split(",")]
        return any(
            entry.strip("'\"").lower() == value and entry != match.group(1) for entry in values
        )


_CLIENTS_TAKE = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def _keys(value: Any) -> set[str]:
    """The keys of a value, at every level."""
    if isinstance(value, dict):
        return set(value) | {key for child in value.values() for key in _keys(child)}
    if isinstance(value, list):
        return {key for child in value for key in _keys(child)}
    return set()


def _hollow(value: Any, depth: int = 0) -> bool:
    """Whether there is an empty object or list inside another."""
    if isinstance(value, dict | list):
        inside = value.values() if isinstance(value, dict) else value
        return (not value and depth > 1) or any(_hollow(child, depth + 1) for child in inside)
    return value is None and depth > 1


def _normal(name: Any) -> str:
    return re.sub(r"[^a-z0-9]", "", str(name).lower())
