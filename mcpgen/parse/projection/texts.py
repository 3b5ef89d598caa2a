"""Descriptions: the document's text, and what the portable profile does not say in keywords."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ...load.values import as_list, as_object, as_text
from ...text import plain, shorten, shortened, visible
from ..pattern import is_listable, portable_pattern
from ..schema import is_of_type
from .scalars import ANY_TEXT, FORMATS, is_base64, is_raw

if TYPE_CHECKING:
    from ...ir import Schema
    from .node import Node

LONGEST_PATTERN = 80
FORMAT = re.compile(r"[A-Za-z0-9_ ./:-]{1,40}")
EXAMPLE = re.compile(r"[^<>]{1,40}")
"""An example that is short enough to be named, and no markup."""
EXAMPLES = {"object": re.compile(r"[^<>]{3,120}")}
"""Type → examples of its own length: that of an object shows its names; `{}` shows nothing."""
LONGEST_DEFAULT = 200
"""Characters of JSON of the longest default that is listed."""
SOME_VALUES = 12
"""Values of a long enum that are said as examples."""
ENCODE = "x-encode"
"""Key of a schema for the function that writes its value."""
FILES = {
    "file": "padded base64, or `data:TYPE;name=NAME;base64,…`",
    "from_base64": "padded base64, or `data:TYPE;base64,…`",
}
"""Function that writes a file → the ways to give one."""


def text_of(node: Node, limit: int, titled: bool) -> str:
    """Return the document's text about a schema in at most `limit` characters, and notes on facts
    missing from its keywords. In a `titled` schema the title replaces a missing text.
    """
    text = shortened(plain(_text(node, titled)), limit)
    return sentence([text, node.note[:limit], *_notes(node)])


def written_of(node: Node, limit: int, titled: bool) -> str:
    """Return `text_of` with the text as its author wrote it, Markdown included."""
    text = shorten(visible(as_text(_text(node, titled))).strip(), limit)
    return joined([text, node.note[:limit], *_notes(node)])


def _text(node: Node, titled: bool) -> object:
    text = node.base.get("description")
    if not text and titled:
        return node.base.get("title")
    return text


def _notes(node: Node) -> list[str]:
    """Return notes on facts that the keywords of a schema leave out."""
    notes = [_format_note(node), _pattern_note(node), _example_note(node)]
    if node.null and (node.rules or node.branches):
        notes.append("may be null")
    return notes


def joined(parts: list[str]) -> str:
    """Join texts by `; `; a single text keeps its full stop."""
    texts = [part for part in parts if part.strip()]
    return texts[0] if len(texts) == 1 else sentence(texts)


def sentence(parts: list[str]) -> str:
    """Join texts by `; `, without full stops and blank texts."""
    return "; ".join(part.strip().rstrip(".;") for part in parts if part.strip())


def _format_note(node: Node) -> str:
    base = node.base
    if "enum" in node.rules:
        return ""
    if is_base64(base):
        return FILES.get(as_text(base.get(ENCODE)), "base64")
    name = as_text(base.get("format"))
    if name in FORMATS:
        return ""
    if not FORMAT.fullmatch(name):
        return ""
    return f"format {name}"


def _pattern_note(node: Node) -> str:
    pattern = as_text(node.base.get("pattern"))
    if "enum" in node.rules:
        return ""
    if len(pattern) > LONGEST_PATTERN:
        return ""
    if "pattern" in node.rules and portable_pattern(pattern) is not None:
        return ""
    if pattern in ("", *ANY_TEXT):
        return ""
    return f"pattern {visible(pattern)}"


def _example_note(node: Node) -> str:
    if "enum" in node.rules:
        return ""
    if node.base.get("default") is not None:
        return ""
    if "enum" in as_object(node.base.get("items")):
        return ""
    if node.members:
        return ""
    shown = (_shown(value, node.kind) for value in as_list(node.base.get("examples")))
    text = next(filter(None, shown), "")
    return f"e.g. {text}" if text else ""


def _shown(value: Any, kind: str) -> str:
    """Return an example as it is listed; empty if its type is not `kind`, or it is too long or
    markup.
    """
    if value is None or not is_of_type(value, kind):
        return ""
    if isinstance(value, str):
        text = visible(value).strip()
    else:
        text = visible(json.dumps(value, ensure_ascii=False))
    return text if EXAMPLES.get(kind, EXAMPLE).fullmatch(text) else ""


def values_note(values: list[Any]) -> str:
    """Return the note on an unlisted enum: `one of 30 values such as a, b`."""
    some = ", ".join(map(str, values[:SOME_VALUES]))
    return shorten(visible(f"one of {len(values)} values such as {some}"), 200)


def names_note(needed: list[str], names: list[str], rest: int, *, others: bool) -> str:
    """Return the note on properties that are not listed: those that are `needed`, the names of
    some, and the number of the rest. `others`: some are listed.
    """
    notes = [needs_note(needed)]
    start, more = "takes", ""
    if others or needed:
        start, more = "also takes", "more "
    fields = "field" if rest == 1 else "fields"
    if names and rest:
        notes.append(f"{start}: {', '.join(names)} and {rest} more {fields}")
    elif names:
        notes.append(f"{start}: {', '.join(names)}")
    elif rest:
        notes.append(f"{start} {rest} {more}{fields}")
    return sentence(notes)


def needs_note(names: list[str]) -> str:
    """Return the note on required properties; empty if there are none."""
    return f"needs {', '.join(names)}" if names else ""


def together_note(names: tuple[str, ...]) -> str:
    """Return the note on the properties a property depends on; empty if there are none."""
    return f"only together with {', '.join(names)}" if names else ""


def default_of(node: Node) -> Schema:
    """Return `{"default": value}`; `{}` for a default that is missing, long, a file's, not allowed,
    or a number too large for JSON.
    """
    default = node.base.get("default")
    # A default file would be read as a path, or sent as base64.
    if default is None:
        return {}
    if is_raw(node.base):
        return {}
    if not _fits(default, node):
        return {}
    if not is_listable(default):
        return {}
    if len(json.dumps(default)) > LONGEST_DEFAULT:
        return {}
    return {"default": default}


def _fits(value: Any, node: Node) -> bool:
    """Return whether a default has its schema's type, no hidden characters and, for an enum, is one
    of its values.
    """
    if value not in node.rules.get("enum", [value]):
        return False
    if visible(as_text(value)) != as_text(value):
        return False
    if not node.kind:
        return not node.branches
    return is_of_type(value, node.kind)
