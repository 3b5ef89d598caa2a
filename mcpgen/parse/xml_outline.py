"""The outline of a body in XML, as a line of text (OpenAPI 3.1 §4.8.26)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..load.values import as_list, as_object, as_text, first_text, texts_in
from ..text import visible
from .schema import is_barred

if TYPE_CHECKING:
    from .schema import Reader

MOST = 700
"""Characters of an outline."""
DEEPEST = 5
"""Levels of elements that an outline shows where there is room; the last ones are names alone."""
VALUES = 5
"""Values of an enum that an outline shows."""
NAMELESS = "\u2026"
"""The name of an element that the document does not give."""
TAG = re.compile(r"[A-Za-z_][\w.-]{0,80}", re.ASCII)


def outline(reader: Reader, schema: Any) -> str:
    """Return an example document in XML with types as values: `<book
    id="integer"><title>string</title></book>`. It has as many levels and optional fields as fit in
    `MOST` characters; empty for a schema without properties, and if nothing fits.
    """
    flat = reader.flatten(schema)
    if not as_object(flat.get("properties")):
        return ""
    name = as_text(flat.get("$name"))
    longest = ""
    for needed_only in (False, True):
        for depth in range(1, DEEPEST):
            text = _element(reader, name, schema, depth, needed_only)
            if len(text) > MOST:
                break
            longest = max(longest, text, key=len)
    return visible(longest)


def _element(reader: Reader, name: str, schema: Any, depth: int, needed_only: bool) -> str:
    """Return an element with `depth` levels inside: an empty tag at 0, the value alone for a text
    node, one example and `…` for a list. `needed_only`: optional fields are `…`.
    """
    flat = reader.flatten(schema)
    xml = as_object(flat.get("xml"))
    if _is_text(flat):
        return _value(reader, flat)
    tag, attributes = _tag(name, xml)
    if not depth:
        return f"<{tag}/>"
    if reader.kinds(flat) == {"array"}:
        inside = depth - 1 if _is_node(xml, "element", "wrapped") else depth
        items = _items(reader, name, flat.get("items", {}), inside, needed_only)
        return f"<{tag}{attributes}>{items}</{tag}>" if inside < depth else items
    if not as_object(flat.get("properties")):
        return f"<{tag}{attributes}>{_value(reader, flat)}</{tag}>"
    children, rest = "", ""
    for key, child, is_needed in _members(reader, flat):
        inner = reader.flatten(child)
        inner_xml = as_object(inner.get("xml"))
        if needed_only and not is_needed:
            rest = NAMELESS
        elif _is_node(inner_xml, "attribute", "attribute"):
            attributes += f' {_tag(key, inner_xml)[0]}="{_value(reader, inner)}"'
        else:
            is_same = inner.get("$name") == flat.get("$name", "")
            children += _element(reader, key, child, 0 if is_same else depth - 1, needed_only)
    return f"<{tag}{attributes}>{children}{rest}</{tag}>"


def _is_node(xml: dict[str, Any], kind: str, flag: str) -> bool:
    """Return whether an XML Object is for a kind of node: its `nodeType` is `kind` (OpenAPI 3.2
    §4.26), or its `flag` is true (before).
    """
    return xml.get("nodeType") == kind or xml.get(flag) is True


def _is_text(flat: dict[str, Any]) -> bool:
    """Return whether a flat schema is a text without an element around it (OpenAPI 3.2 §4.26)."""
    is_text = as_object(flat.get("xml")).get("nodeType") in ("text", "cdata")
    return all([is_text, not as_object(flat.get("properties")), "items" not in flat])


def _items(reader: Reader, name: str, schema: Any, depth: int, needed_only: bool) -> str:
    """Return the first item of a list as an example, then `…`; for a list of lists, unknown to XML,
    only `…`.
    """
    if reader.kinds(schema) == {"array"}:
        return NAMELESS
    return _element(reader, name, schema, depth, needed_only) + NAMELESS


def _members(reader: Reader, flat: dict[str, Any]) -> list[tuple[str, Any, bool]]:
    """Return (name, schema, required) of the properties that a caller gives and XML can name; a
    text node needs no name.
    """
    required = texts_in(flat.get("required"))
    members: list[tuple[str, Any, bool]] = []
    for key, child in as_object(flat.get("properties")).items():
        inner = reader.flatten(child)
        tag, _ = _tag(key, as_object(inner.get("xml")))
        is_there = any([tag != NAMELESS, _is_text(inner)])
        if is_there and not is_barred(inner, "readOnly"):
            members.append((key, child, key in required))
    return members


def _tag(name: str, xml: dict[str, Any]) -> tuple[str, str]:
    """Return the prefixed name of an element or attribute, `…` if invalid, and the declaration of
    its namespace, ` xmlns:p="urn:x"`, or an empty text.
    """
    name = first_text(xml.get("name"), name)
    prefix, namespace = as_text(xml.get("prefix")), as_text(xml.get("namespace"))
    if not TAG.fullmatch(name):
        return NAMELESS, ""
    colon = ""
    if TAG.fullmatch(prefix):
        name, colon = f"{prefix}:{name}", f":{prefix}"
    if not re.fullmatch(r"[!#-;=?-~]{1,200}", namespace):
        return name, ""
    return name, f' xmlns{colon}="{namespace}"'


def _value(reader: Reader, flat: dict[str, Any]) -> str:
    """Return the content of an element or attribute: up to 5 texts of its enum (`new | used | …`),
    else its format, else its types, else `…`.
    """
    values = as_list(flat.get("enum"))
    texts = [value for value in values if isinstance(value, str) and len(value) < 40]
    if texts:
        return " | ".join([*texts[:VALUES], *[NAMELESS][: len(values) - VALUES]])
    kinds = " or ".join(sorted(reader.kinds(flat)))
    return first_text(flat.get("format"), kinds, NAMELESS)
