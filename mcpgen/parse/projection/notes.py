"""Descriptions: the document's text, and what the portable profile does not say in keywords."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...load.values import as_list, as_text
from ...text import plain, shorten, visible
from ..pattern import portable_pattern
from ..schema import type_of
from .scalars import FORMATS, is_base64

if TYPE_CHECKING:
    from ...ir import Schema
    from ..detail import Detail

LONGEST_PATTERN = 80
LONGEST_EXAMPLE = 40


def description(
    detail: Detail, out: Schema, base: dict[str, Any], own_text: str, depth: int, null: bool
) -> str:
    """The description of a projected schema; `own_text` is what the projection itself has to
    say.
    """
    limit = detail.text if depth <= 1 else detail.nested_text
    text = base.get("description")
    if not text and depth <= 1:
        text = base.get("title")
    parts = [shorten(plain(text), limit), own_text]
    if limit:
        parts += [
            _format_note(base),
            _pattern_note(out, base),
            _enum_note(detail, out, base),
            _example_note(detail, out, base),
        ]
        if null and out:
            parts.append("may be null")
    return "; ".join(part.strip().rstrip(".;") for part in parts if part.strip())


def _format_note(base: dict[str, Any]) -> str:
    if is_base64(base):
        return "base64"
    name = as_text(base.get("format"))
    if name in FORMATS or not re.fullmatch(r"[A-Za-z0-9_ ./:-]{1,40}", name):
        return ""
    return f"format {name}"


def _pattern_note(out: Schema, base: dict[str, Any]) -> str:
    pattern = as_text(base.get("pattern"))
    if "enum" in out or len(pattern) > LONGEST_PATTERN:
        return ""
    if "pattern" in out and portable_pattern(pattern) is not None:
        return ""
    return f"pattern {visible(pattern)}" if pattern else ""


def _enum_note(detail: Detail, out: Schema, base: dict[str, Any]) -> str:
    values = as_list(base.get("enum"))
    became_pattern = "pattern" in out and "pattern" not in base
    if len(values) <= detail.enum or "enum" in out or became_pattern:
        return ""
    some = ", ".join(str(value) for value in values[:12])
    return shorten(visible(f"one of {len(values)} values such as {some}"), 200)


def _example_note(detail: Detail, out: Schema, base: dict[str, Any]) -> str:
    if not detail.examples or "enum" in out or "default" in base:
        return ""
    examples = as_list(base.get("examples"))[:1]
    if "example" in base:
        examples = [base["example"]]
    if not examples or out.get("type") != type_of(examples[0]):
        return ""
    if type(examples[0]) not in (str, int, float):
        return ""
    text = visible(str(examples[0])).strip()
    if not 0 < len(text) <= LONGEST_EXAMPLE or "\n" in text:
        return ""
    return f"e.g. {text}"
