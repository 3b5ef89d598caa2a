"""Where the referee's verdict is disputed: the reason, with the specification's section, read off the raw call.

The referee is never changed or worked around. Its score is reported as it is, and beside it the score without the
calls listed here, for every server alike.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

SAME_REQUEST = (
    "two operations of the document are one request: paths that differ in the names of their parameters, their query "
    "or their fragment alone (OpenAPI 3.1 §4.8.8.2, RFC 3986 §3.5); the referee counts the other one as meant"
)
EMPTY_BODY = (
    "the value of the body is `{}`, which no argument can hold when the body's fields are the arguments; the request "
    "carried `{}`, which is that value"
)
READ_ONLY = (
    "the argument of a parameter is taken for a body's `readOnly` property of the same name, which a request should "
    "not carry (OpenAPI 3.0.3 §4.7.24.2)"
)
NO_PART = (
    "the document requires a multipart body and no part of it; a body without parts is its closing delimiter, which "
    "the referee's parser does not read (RFC 2046 §5.1.1)"
)
RENAMED = (
    "a nested key that clients refuse (`$schema`, `{code}`) has another name in the tool; under its own it stands in "
    "the request, and the referee compares the names"
)
CONTRADICTION = "the document's schema allows no value: its enum's values are not of its `type` (JSON Schema §6.1)"
NAMELESS = "the document's parameter has an empty name (OpenAPI 3.1 §4.8.12.2)"
DISCRIMINATOR = "the document's `discriminator` names schemas that do not exist (OpenAPI 3.1 §4.8.25)"


def template(operation: str) -> str:
    """`METHOD /path` without what a request does not show: names of parameters, query and fragment."""
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
            if "could not be resolved" in said:
                return DISCRIMINATOR
        if call.get("verdict") == "valid" and self._renamed(call):
            return RENAMED
        if self.read_only(wanted) and any(slot[1] != "delivered" for slot in call.get("slots", ())):
            return READ_ONLY
        return ""

    def over_slot(self, slot: tuple[str, str]) -> str:
        """Why a planted value that was not delivered is disputed, or nothing."""
        name, outcome = slot
        if name == "body.None" and outcome == "inexpressible":
            return EMPTY_BODY
        if name in ("query.", "header.", "path.", "cookie."):
            return NAMELESS
        return ""

    def _renamed(self, call: dict[str, Any]) -> bool:
        """Whether the request has, for every key it seems to have lost, one that clients would have refused."""
        try:
            sent = json.loads(base64.b64decode((call.get("http") or {}).get("body") or ""))
        except ValueError:
            return False
        return _keys(sent) != _keys(call["args"]) and any(not _CLIENTS_TAKE.fullmatch(key) for key in _keys(sent))

    def read_only(self, operation: str) -> bool:
        """Whether a parameter has the name of a readOnly property of the operation's body."""
        if operation not in self._read_only:
            self._read_only[operation] = self._clash(operation)
        return self._read_only[operation]

    def _clash(self, operation: str) -> bool:
        method, _, path = operation.partition(" ")
        item = self._deref((self.root.get("paths") or {}).get(path))
        found = self._deref((item or {}).get(method.lower())) or {}
        names = {
            _normal(self._deref(entry).get("name"))
            for owner in (item or {}, found)
            for entry in owner.get("parameters") or ()
            if isinstance(self._deref(entry), dict)
        }
        body = self._deref(found.get("requestBody")) or {}
        return any(
            _normal(name) in names
            for media in (body.get("content") or {}).values()
            for name, child in self._properties((media or {}).get("schema")).items()
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
                here = here.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(here, dict) else None
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
        return any(entry.strip("'\"").lower() == value and entry != match.group(1) for entry in values)


_CLIENTS_TAKE = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def _keys(value: Any) -> set[str]:
    """The keys of a value, at every level."""
    if isinstance(value, dict):
        return set(value) | {key for child in value.values() for key in _keys(child)}
    if isinstance(value, list):
        return {key for child in value for key in _keys(child)}
    return set()


def _normal(name: Any) -> str:
    return re.sub(r"[^a-z0-9]", "", str(name).lower())
