"""Regular expressions that every reader of a tool understands the same way.

A `pattern` in a tool's schema is compiled by clients as ECMAScript with the `u` flag (one that does
not compile loses every tool of the server, in clients that compile schemas when they list) and by
the generated server with a linear-time engine. What both accept is kept, after needless escapes are
taken away; anything else is said in the description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import jsonschema_rs

_SYNTAX = set("^$\\.*+?()[]{}|/")
_CLASS_ESCAPES = set("dDsSwWbB")
_CONTROL_ESCAPES = set("fnrtv0")
# Escape → how it is spelled inside a class (empty: it cannot be) and outside.
_SPELLED = {
    "d": ("0-9", "[0-9]"),
    "w": ("A-Za-z0-9_", "[A-Za-z0-9_]"),
    "D": ("", "[^0-9]"),
    "W": ("", "[^A-Za-z0-9_]"),
}
_UNSAFE = re.compile(
    r"\(\?(?![:=!]|<[A-Za-z_$][\w$]*>)|[*+?}]\+|\[\[:|\\[AZzGhHRXQE]|\\p\{(?!\w+(?:=\w+)?\})"
)
_LONGEST = 500
_ESCAPED = re.compile(r"[\^$.*+?()\[\]{}|/\\]")
# Bytes of a compiled pattern: `.{0,1024}` takes three million, and three milliseconds.
_LARGEST = 1 << 22
_CONTROLS = "\\x00-\\x1f\\x7f-\\x9f"
PRINTABLE = f"[^{_CONTROLS}]"
"""A character that is no control character, as a pattern."""


@lru_cache(maxsize=4096)
def portable_pattern(pattern: str) -> str | None:
    """`pattern` as both engines take it (ECMA-262 `u` syntax, linear time), or None."""
    if not isinstance(pattern, str) or len(pattern) > _LONGEST or _UNSAFE.search(pattern):
        return None
    rewritten = _rewrite(pattern)
    if rewritten is None:
        return None
    try:
        jsonschema_rs.validator_for(
            {"pattern": rewritten}, pattern_options=jsonschema_rs.RegexOptions(size_limit=_LARGEST)
        )
    except Exception:
        return None
    return rewritten


def wider_pattern(pattern: str) -> str | None:
    """A portable pattern that takes all that `pattern` takes, and more: look-around is left out.
    None where none is.
    """
    if len(pattern) > _LONGEST:
        return None
    kept: list[str] = []
    opened: list[bool] = []  # for each open group, whether it is look-around, or inside of it
    for piece, in_class in _pieces(pattern):
        hidden = bool(opened) and opened[-1]
        if not in_class and piece.startswith("("):
            hidden = hidden or len(piece) > 1
            opened.append(hidden)
        elif not in_class and piece == ")" and opened:
            opened.pop()
        if not hidden:
            kept.append(piece)
    text = "".join(kept)
    return portable_pattern(text) if text and text != pattern else None


def _pieces(pattern: str) -> Iterator[tuple[str, bool]]:
    """A pattern's escapes, openings and other characters, each with whether it stands inside a
    class.
    """
    in_class = False
    for piece in re.findall(r"\\.|\(\?<?[=!]|\[\^|.", pattern, re.DOTALL):
        yield piece, in_class
        in_class = piece != "]" if in_class else piece.startswith("[")


def pattern_of(values: list[str]) -> str:
    """A pattern that takes these texts and no other; what several begin with is said once, up to
    the end of a word.
    """
    tree: dict[str, Any] = {}
    for value in values:
        node = tree
        for word in re.findall(r"[A-Za-z0-9]+|[^A-Za-z0-9]", value):
            node = node.setdefault(word, {})
        node[""] = {}

    def said(node: dict[str, Any]) -> str:
        branches = [
            _ESCAPED.sub(r"\\\g<0>", word) + said(child) for word, child in node.items() if word
        ]
        if len(branches) == 1 and "" not in node:
            return branches[0]
        return f"({'|'.join(branches)}){'?' if '' in node else ''}" if branches else ""

    return f"^{said(tree)}$"


def printable(pattern: str) -> str:
    """A portable pattern that takes what `pattern` takes, but for texts with control characters.

    A pattern may be found anywhere in a text: what it says nothing of is filled with characters
    that are no controls.
    """
    outside = {".": PRINTABLE, "\\S": f"[^\\s{_CONTROLS}]", "[^": f"[^{_CONTROLS}"}
    out: list[str] = []
    depth, alternatives, closed = 0, False, False
    for piece, in_class in _pieces(pattern):
        closed = piece == "$" and not in_class
        if not in_class:
            depth += (piece == "(") - (piece == ")")
            alternatives = alternatives or (piece == "|" and not depth)
        out.append(piece if in_class else outside.get(piece, piece))
    text = "".join(out)
    if alternatives:
        text = f"^{PRINTABLE}*(?:{text}){PRINTABLE}*$"
    else:
        text = text if text.startswith("^") else f"^{PRINTABLE}*{text}"
        text = text if closed else f"{text}{PRINTABLE}*$"
    return portable_pattern(text) or pattern


def _rewrite(pattern: str) -> str | None:
    """The pattern without the identity escapes that the `u` flag forbids; None where it is not
    ECMAScript.
    """
    out: list[str] = []
    index, in_class, depth = 0, False, 0
    while index < len(pattern):
        char = pattern[index]
        if char == "\\":
            following = pattern[index + 1 : index + 2]
            if not following:
                return None
            piece, length = _escape(pattern, index, following, in_class)
            if piece is None:
                return None
            index += length
            if in_class and following in _SPELLED:
                # A hyphen beside a class of characters is one itself; beside their spelling it
                # would be a range.
                out[-1] = "\\-" if out[-1] == "-" else out[-1]
                if pattern[index : index + 1] == "-" and pattern[index + 1 : index + 2] != "]":
                    piece, index = piece + "\\-", index + 1
            out.append(piece)
            continue
        if in_class:
            in_class = char != "]"
            # A bare `[` in a class is a nested set to the linear engine and a plain character to
            # ECMAScript.
            out.append("\\[" if char == "[" else char)
        elif char == "[":
            in_class = True
            out.append(char)
            if pattern[index + 1 : index + 2] == "]" or pattern[index + 1 : index + 3] == "^]":
                return None
        elif char == "{" and not re.match(r"\{\d+(,\d*)?\}", pattern[index:]):
            out.append("\\{")
        elif char == "}" and not re.search(r"\{\d+(,\d*)?$", pattern[:index]):
            out.append("\\}")
        elif char == "]":
            out.append("\\]")
        else:
            depth += (char == "(") - (char == ")")
            if depth < 0:
                return None
            out.append(char)
        index += 1
    return None if in_class or depth else "".join(out)


def _escape(pattern: str, index: int, following: str, in_class: bool) -> tuple[str | None, int]:
    """One escape sequence: its portable spelling (None: there is none) and how many characters it
    took.
    """
    if following in _SYNTAX or (following == "-" and in_class):
        return "\\" + following, 2
    if following in _SPELLED:
        # Some readers count every digit and letter of Unicode, ECMAScript the ASCII ones alone:
        # spelled out, all do.
        inside, outside = _SPELLED[following]
        return (inside or "\\" + following if in_class else outside), 2
    if following in _CLASS_ESCAPES:
        return (None if following in "bB" and in_class else "\\" + following), 2
    if following == "x" and re.match(r"[0-9a-fA-F]{2}", pattern[index + 2 :]):
        return pattern[index : index + 4], 4
    if following == "u" and re.match(r"[0-9a-fA-F]{4}", pattern[index + 2 :]):
        return pattern[index : index + 6], 6
    if following in "pP":
        match = re.match(r"\{\w+(=\w+)?\}", pattern[index + 2 :])
        return (pattern[index : index + 2] + match.group(), 2 + match.end()) if match else (None, 2)
    if following in _CONTROL_ESCAPES and not (
        following == "0" and pattern[index + 2 : index + 3].isdigit()
    ):
        return ("\\x00" if following == "0" else "\\" + following), 2
    if following.isalnum():
        return None, 2
    return following, 2
