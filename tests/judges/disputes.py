"""What the referee cannot decide because the document itself does not: the reason, with the
specification's section.

A reason is read off the document and off what the referee planted, and it excuses the value it is
about alone: a call that was refused because of a value, where the refusal names that value. The score without these calls stands beside the raw one,
for every server alike.
"""

from __future__ import annotations

import base64
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from mcpgen.runtime.pointer import split

WHY = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text("utf-8"))["disputes"]
"""The reasons, by name."""
LAYOUT = ("pretty", "optpretty", "prettyprint")
SENDABLE = {
    "path": re.compile(r"[^\x00-\x1f\x7f-\x9f]+"),
    "header": re.compile(r"[!-~]([ -~]*[!-~])?"),
}
"""Place of a parameter → the texts it can hold."""
CONTENT = {"contentEncoding", "contentMediaType"}
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "array": (list,), "object": (dict,), "null": (type(None),),
}  # fmt: skip
DEEPEST = 6


def template(operation: str) -> str:
    """`METHOD /path` without the names of its parameters, its query and its fragment."""
    return re.sub(r"\{[^{}]*\}", "{}", operation.split("?")[0].split("#")[0])


class Disputes:
    """The disputes over the calls of one document."""

    def __init__(self, document: Path) -> None:
        self.root = json.loads(document.read_text())

    def over_call(self, call: dict[str, Any]) -> str:
        """Why the verdict on a call is disputed, or nothing. A call that only finds out which
        operation a tool is has no verdict.
        """
        if call["want_op"] is None:
            return ""
        if self._is_same_request(call):
            return WHY["SAME_REQUEST"]
        places = {fault[0] for fault in call.get("bad") or ()}
        if places == {"body"} and self._is_unnamed(call["want_op"]):
            return WHY["UNNAMED"]
        if self._is_file_read_as_json(call):
            return WHY["FILE_AS_JSON"]
        if _is_sent_as_text(call):
            return WHY["AS_TEXT"]
        if call["n_http"]:
            return ""
        if self._is_text_for_a_file(call):
            return WHY["NO_BASE64"]
        for slot in call.get("slots", ()):
            if reason := self.over_slot(call, slot):
                return reason
        if any(_is_unsendable(call, slot) for slot in call.get("slots", ())):
            return WHY["UNSENDABLE"]
        if call.get("verdict") != "valid" and self._means_its_body(call):
            return WHY["MEANT"]
        if {} in call["args"].values() and self._is_empty(call["want_op"]):
            return WHY["LEFT_OUT"]
        return WHY["UNDEFINED"] if self._is_undefined(call) else ""

    def over_slot(self, call: dict[str, Any], slot: tuple[str, str]) -> str:
        """Why a planted value that was not delivered is disputed, or nothing."""
        place, _, name = slot[0].partition(".")
        if place == "query" and _letters(name) in LAYOUT:
            return WHY["LEFT_OUT"]
        if slot[0] == "body" and self._is_empty(call["want_op"]):
            return WHY["LEFT_OUT"]
        if self._contradicts(self._schema(call["want_op"], place, name)):
            return WHY["CONTRADICTION"]
        if call["n_http"] and self._is_credential(call["want_op"], place, name):
            return WHY["CREDENTIAL"]
        if call.get("kind") == "spec" and self._is_file(call["want_op"], place, name):
            return WHY["NO_BASE64"]
        others = self._names(call["want_op"], place) - {name}
        return WHY["ONE_NAME"] if _letters(name) in map(_letters, others) else ""

    def _is_same_request(self, call: dict[str, Any]) -> bool:
        """Whether a request that is valid for another operation is this one's as well."""
        wanted, got = str(call.get("want_op")), call.get("op")
        if not got or got == wanted or call.get("verdict") != "valid":
            return False
        sent = parse_qsl(call["http"]["target"].partition("?")[2])
        fixed = parse_qsl(wanted.partition("#")[0].partition("?")[2])
        return template(got) == template(wanted) and set(fixed) <= set(sent)

    def _is_unnamed(self, operation: str) -> bool:
        """Whether an operation has nothing but forms without names for its body."""
        content = self._content(operation)
        kinds = [self._kinds(media) for media in content.values()]
        return set(content) <= set(FORMS) and all(one and "object" not in one for one in kinds)

    def _means_its_body(self, call: dict[str, Any]) -> bool:
        """Whether a call gives none of the fields that a body requires, while the body itself is
        optional.
        """
        operation = call["want_op"]
        body = self._object(self._operation(operation)[1].get("requestBody"))
        if "required" in body or not operation.startswith(("POST ", "PUT ", "PATCH ")):
            return False
        schemas = [self._object(schema) for schema in self._content(operation).values()]
        needed = {name for schema in schemas for name in schema.get("required") or ()}
        return bool(needed) and not needed & set(call["args"])

    def _is_empty(self, operation: str) -> bool:
        """Whether an operation has a body, and none that can hold anything."""
        schemas = [self._object(schema) for schema in self._content(operation).values()]
        return bool(schemas) and all(one.get("properties") == {} for one in schemas)

    def _is_undefined(self, call: dict[str, Any]) -> bool:
        """Whether a call plants, in a query or a form, what those cannot say."""
        slots = {str(slot[0]).partition(".")[0] for slot in call.get("slots", ())}
        in_form = "body" in slots and set(self._content(call["want_op"])) <= set(FORMS)
        if not in_form and "query" not in slots:
            return False
        return any(_is_unsayable(value) for value in call["args"].values())

    def _is_text_for_a_file(self, call: dict[str, Any]) -> bool:
        """Whether a call was refused for a text that is no base64, and gives a text for a file."""
        if "not base64" not in (call.get("error") or call.get("text") or ""):
            return False
        operation = call["want_op"]
        texts = {_letters(key) for key, value in call["args"].items() if _is_text(value)}
        names = {name for name in self._names(operation, "body") if _letters(name) in texts}
        return any(self._is_file(operation, "body", name) for name in names) or (
            "body" in texts and self._is_file(operation, "body", "")
        )

    def _is_file_read_as_json(self, call: dict[str, Any]) -> bool:
        """Whether the referee read a part with a file's name as JSON, since a branch of its schema
        is an object, while another branch is a file.
        """
        why = [fault[2] for fault in call.get("bad") or ()]
        if not any(
            re.match(r"cannot read as multipart/\S+: (JSON|Unicode)Decode", one) for one in why
        ):
            return False
        sent = base64.b64decode(call["http"]["body"]).decode("latin-1")
        names = re.findall(r'(?i); name="([^"]*)"; filename=', sent)
        schemas = [self._schema(call["want_op"], "body", name) for name in names]
        return any(
            "object" in self._kinds(schema) and self._holds_bytes(schema) for schema in schemas
        )

    def _is_file(self, operation: str, place: str, name: str) -> bool:
        """Whether a field of a body is a file or a list of files; without a name the body is."""
        if place != "body":
            return False
        if name:
            return self._holds_bytes(self._schema(operation, place, name))
        return any(
            not re.search(r"json|xml|^text/|\bform-", media)
            and not self._kinds(schema) - {"string"}
            for media, schema in self._content(operation).items()
        )

    def _holds_bytes(self, node: Any, depth: int = 0) -> bool:
        """Whether a schema, its items or one of its branches are bytes."""
        schema = self._object(node)
        if schema.get("format") in ("binary", "base64", "byte") or CONTENT & set(schema):
            return True
        parts = (schema.get("items"), *self._parts(schema))
        return depth < DEEPEST and any(self._holds_bytes(part, depth + 1) for part in parts)

    def _schema(self, operation: str, place: str, name: str) -> Any:
        """The schema of a parameter or of a property of the body."""
        if place == "body":
            schemas = [self._property(schema, name) for schema in self._content(operation).values()]
        else:
            schemas = [
                entry.get("schema")
                for entry in self._parameters(operation)
                if (entry.get("in"), entry.get("name")) == (place, name)
            ]
        return self._deref(next(filter(None, schemas), {}))

    def _names(self, operation: str, place: str) -> set[str]:
        """The names of the parameters in a place, or of the body's properties."""
        if place != "body":
            return {
                str(entry.get("name"))
                for entry in self._parameters(operation)
                if entry.get("in") == place
            }
        schemas = [self._object(schema) for schema in self._content(operation).values()]
        declared = [self._object(schema.get("properties")) for schema in schemas]
        return {
            str(name)
            for names in (*declared, *(schema.get("required") or () for schema in schemas))
            for name in names
        }

    def _contradicts(self, schema: Any) -> bool:
        """Whether a schema, or that of its items, has an enum of which no value is of its type."""
        items = self._object(self._object(schema).get("items"))
        return any(_has_no_value(part) for part in (schema, items) if isinstance(part, dict))

    def _is_credential(self, operation: str, place: str, name: str) -> bool:
        """Whether a parameter is the API key of a security scheme that an operation names."""
        components = self._object(self.root.get("components"))
        schemes = self._object(components.get("securitySchemes"))
        required = self._operation(operation)[1].get("security", self.root.get("security"))
        named = [self._object(schemes.get(key)) for names in required or () for key in names]
        keys = [(scheme.get("type"), scheme.get("in"), scheme.get("name")) for scheme in named]
        return ("apiKey", place, name) in keys

    # The document.

    def _operation(self, operation: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The path item and the operation of `METHOD /path`."""
        method, _, path = operation.partition(" ")
        item = self._object((self.root.get("paths") or {}).get(path))
        return item, self._object(item.get(method.lower()))

    def _parameters(self, operation: str) -> Iterator[dict[str, Any]]:
        """The parameters of an operation and of its path."""
        for owner in self._operation(operation):
            for entry in owner.get("parameters") or ():
                yield self._object(entry)

    def _content(self, operation: str) -> dict[str, Any]:
        """The schemas of an operation's body by media type."""
        body = self._object(self._operation(operation)[1].get("requestBody"))
        content = self._object(body.get("content"))
        return {
            name.partition(";")[0].strip(): self._object(media).get("schema")
            for name, media in content.items()
        }

    def _property(self, node: Any, name: str, depth: int = 0) -> Any:
        """The schema of a property of an object; None where there is none."""
        schema = self._object(node)
        own = self._object(schema.get("properties")).get(name)
        if own is not None or depth > DEEPEST:
            return own
        for part in self._parts(schema):
            inner = self._property(part, name, depth + 1)
            if inner is not None:
                return inner
        return None

    def _kinds(self, node: Any, depth: int = 0) -> set[str]:
        """The types that a schema names; `object` for one with properties."""
        schema = self._object(node)
        written = schema.get("type") or []
        kinds = {written} if isinstance(written, str) else set(written)
        if "properties" in schema:
            kinds.add("object")
        if depth < DEEPEST:
            for part in self._parts(schema):
                kinds |= self._kinds(part, depth + 1)
        return kinds

    def _parts(self, schema: dict[str, Any]) -> Iterator[Any]:
        for keyword in ("allOf", "anyOf", "oneOf"):
            yield from schema.get(keyword) or ()

    def _object(self, node: Any) -> dict[str, Any]:
        """What a node or its reference is, if that is an object; else an empty one."""
        target = self._deref(node)
        return target if isinstance(target, dict) else {}

    def _deref(self, node: Any) -> Any:
        for _ in range(20):
            if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                break
            target: Any = self.root
            for token in split(node["$ref"].partition("#")[2]):
                if isinstance(target, list) and token.isdigit() and int(token) < len(target):
                    target = target[int(token)]
                else:
                    target = target.get(token) if isinstance(target, dict) else None
            node = target
        return node


def _has_no_value(schema: dict[str, Any]) -> bool:
    """Whether a schema has an enum of which no value is of its type."""
    kinds = KINDS.get(str(schema.get("type")))
    values = schema.get("enum")
    if kinds is None or not isinstance(values, list):
        return False
    return not any(type(value) in kinds for value in values)


def _is_unsendable(call: dict[str, Any], slot: Any) -> bool:
    """Whether the argument of a slot is a text that its place cannot hold, and the refusal names
    it.
    """
    place, _, name = str(slot[0]).partition(".")
    if place not in SENDABLE:
        return False
    names = {_letters(name), _letters(name + place), _letters(place + name)}
    refused = _letters(call.get("error") or call.get("text") or "")
    if not any(each in refused for each in names):
        return False
    values = [value for key, value in call["args"].items() if _letters(key) in names]
    texts = [value for value in values if isinstance(value, str)]
    return any(SENDABLE[place].fullmatch(text) is None for text in texts)


def _is_sent_as_text(call: dict[str, Any]) -> bool:
    """Whether the number that the referee gives in the place of a text or of an object of texts
    became a valid request.
    """
    if (call.get("kind"), call["n_http"], call.get("verdict")) != ("neg", 1, "valid"):
        return False
    return call["profile"] == "wrong type" and any(
        _is_planted_number(value) for value in call["args"].values()
    )


def _is_planted_number(value: Any) -> bool:
    """Whether a value is the referee's object of a wrong type, or holds it."""
    if isinstance(value, dict):
        return value == {"__bad__": 1} or any(map(_is_planted_number, value.values()))
    return isinstance(value, list) and any(map(_is_planted_number, value))


def _is_text(value: Any) -> bool:
    """Whether a value is a text or a list of texts."""
    values = value if isinstance(value, list) else [value]
    return any(isinstance(one, str) for one in values)


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_unsayable(value: Any, depth: int = 0) -> bool:
    """Whether a value holds an empty one inside another, or a key with a bracket."""
    if isinstance(value, dict):
        if any("[" in key or "]" in key for key in value):
            return True
        inner = list(value.values())
    elif isinstance(value, list):
        inner = value
    else:
        return value is None and depth > 1
    if not inner:
        return depth > 1
    return any(_is_unsayable(child, depth + 1) for child in inner)
