"""JSON text → tree, within bounds (RFC 8259).

The standard library reads a valid text; this module finds the place of an error.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from .text import Fault, LimitFault, Limits, SourceText

SPACE = re.compile(r"[ \t\n\r]*")
_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[\[\]{}]')
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPES = re.compile(
    r"""\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
      | (?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})
      | \\.""",
    re.X,
)
"""An escape: a surrogate pair, a lone surrogate, or any other escape."""
_COMMENT = re.compile(r"\s*(//|/\*|#)")


class _BadNumber(ValueError):
    """A number that is not finite, or has too many digits."""


def read(text: SourceText, limits: Limits) -> Any:
    """Return the tree of a JSON text. Raises `Fault` or `LimitFault`; lesser slips are noted in the
    text.
    """

    repeated_keys = 0

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated_keys
        found = dict(pairs)
        repeated_keys += len(pairs) - len(found)
        return found

    def integer(digits: str) -> int:
        if len(digits) > limits.integer_digits:
            raise _BadNumber(digits)
        return int(digits)

    try:
        tree = json.loads(
            text.content,
            object_pairs_hook=members,
            parse_int=integer,
            parse_float=_finite,
            parse_constant=_refuse_constant,
        )
    except _BadNumber as error:
        raise _bad_number(text, str(error), limits) from None
    except json.JSONDecodeError as error:
        raise _syntax(text, error) from None
    except (RecursionError, MemoryError):
        raise _too_deep(text, limits) from None
    if isinstance(tree, (dict, list)):
        _within(tree, text, limits)
        clean = _replaced_surrogates(tree, text)
        if repeated_keys or (clean is not tree and measured(clean) != measured(tree)):
            _tell_repeated_keys(text)
        return clean
    return tree


def _replaced_surrogates(tree: Any, text: SourceText) -> Any:
    """Return the tree with U+FFFD for each lone surrogate, the same tree without one; the text
    remembers the offset of the first.
    """
    if not _SURROGATE.search(text.content):
        return tree
    clean = _without_surrogates(tree)
    if clean == tree:
        return tree
    text.lone_surrogate = _first_lone_surrogate(text.content)
    return clean


def _first_lone_surrogate(content: str) -> int:
    for escape in _ESCAPES.finditer(content):
        if escape["lone"]:
            return escape.start()
    return 0


def _finite(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _BadNumber(literal)
    return number


def _refuse_constant(literal: str) -> Any:
    raise _BadNumber(literal)


def _within(tree: Any, text: SourceText, limits: Limits) -> None:
    """Raise `LimitFault` for a tree with more levels or values than allowed."""
    count, depth, level = 1, 0, [tree]
    while level:
        depth += 1
        if depth > limits.depth:
            raise _too_deep(text, limits)
        deeper = []
        for node in level:
            count += len(node)
            for child in _children(node):
                if type(child) in (dict, list):
                    deeper.append(child)
        if count > limits.nodes:
            raise too_many_nodes(limits)
        level = deeper


def measured(tree: Any) -> tuple[int, int]:
    """Return the number of values in a tree, itself included, and of its levels, 1 for a scalar."""
    count, levels, level = 1, 0, [tree]
    while level:
        containers = [node for node in level if type(node) in (dict, list)]
        count += sum(map(len, containers))
        levels += 1
        level = [child for node in containers for child in _children(node)]
    return count, levels


def _children(node: Any) -> Iterable[Any]:
    """Return the values in an object or array."""
    if type(node) is dict:
        return node.values()
    children: list[Any] = node
    return children


def too_many_nodes(limits: Limits) -> LimitFault:
    """Return the fault (E0116) of a document with more values than the limit."""
    return LimitFault("E0116", f"more than {limits.nodes:,} values", 0, hint="split the document")


def _without_surrogates(node: Any) -> Any:
    """Return a copy of the tree with U+FFFD for each lone half of a surrogate pair."""
    if type(node) is str:
        if node.isascii():
            return node
        return node.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if type(node) is dict:
        return {_without_surrogates(key): _without_surrogates(value) for key, value in node.items()}
    if type(node) is list:
        return [_without_surrogates(item) for item in node]
    return node


# What is wrong, and where: each of these scans the text again.


def _too_deep(text: SourceText, limits: Limits) -> LimitFault:
    depth = 0
    for token in _TOKENS.finditer(text.content):
        first = token.group()[0]
        if first in "[{":
            depth += 1
            if depth > limits.depth:
                return LimitFault("E0115", f"nesting deeper than {limits.depth}", token.start())
        elif first in "]}":
            depth -= 1
    return LimitFault("E0115", f"nesting deeper than {limits.depth}", 0)


def _tell_repeated_keys(text: SourceText) -> None:
    """Add each key that comes twice in an object with one value to `text.repeats`. Raises `Fault`
    for a key with two values.
    """
    content = text.content
    stack: list[dict[str, tuple[int, int]]] = []
    value_at = json.JSONDecoder().raw_decode
    for token in _TOKENS.finditer(content):
        first = token.group()[0]
        if first in "{[":
            stack.append({})
        elif first in "]}":
            stack.pop()
        elif stack:
            end = SPACE.match(content, token.end()).end()  # type: ignore[union-attr]
            if content[end : end + 1] != ":":
                continue
            key = _without_surrogates(scanstring(content, token.start() + 1, True)[0])
            start = SPACE.match(content, end + 1).end()  # type: ignore[union-attr]
            if key in stack[-1]:
                before, earlier = stack[-1][key]
                values = value_at(content, earlier)[0], value_at(content, start)[0]
                repeated(text, key, (before, token.start()), values, len(token.group()))
            stack[-1].setdefault(key, (token.start(), start))


def repeated(
    text: SourceText, key: str, at: tuple[int, int], values: tuple[Any, Any], width: int
) -> None:
    """Add a key that comes twice with one value to `text.repeats`. Raises `Fault` if the values
    differ. `at`: both offsets; `width`: characters to mark at the second.
    """
    message = f"the key `{key[:80]}` comes twice, first at {text.at(at[0])} and again at"
    message += f" {text.at(at[1])}"
    hint = "keep one of the two, or rename one"
    one, other = (json.dumps(value, sort_keys=True) for value in values)
    if one == other:
        hint = "remove one of the two: their values are the same"
        text.repeats.append(Fault("E0113", message, at[1], width=width, hint=hint))
        return
    notes = ("most programs would silently take the second",)
    raise Fault("E0113", message, at[1], width=width, hint=hint, notes=notes)


def _bad_number(text: SourceText, literal: str, limits: Limits) -> Fault:
    at = 0
    pattern = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<![\w.+-])' + re.escape(literal) + r"(?![\w.])")
    for match in pattern.finditer(text.content):
        if match.group()[0] != '"':
            at = match.start()
            break
    return bad_number(literal, at, limits)


def bad_number(literal: str, at: int, limits: Limits) -> Fault:
    """Return the fault (E0118) of a number that is not finite, out of range, or has too many
    digits.
    """
    if literal.lstrip("+-.").lower() in ("nan", "infinity", "inf"):
        return Fault(
            "E0118",
            f"`{literal}` is not a JSON number",
            at,
            width=len(literal),
            hint="leave it out, or write a number",
        )
    if "." not in literal and "e" not in literal.lower():
        message = f"a number of {len(literal)} digits: {limits.integer_digits} are allowed"
        return LimitFault("E0118", message, at, width=min(80, len(literal)))
    return Fault(
        "E0118", f"the number `{literal[:80]}` is out of range", at, width=min(80, len(literal))
    )


def _syntax(text: SourceText, error: json.JSONDecodeError) -> Fault:
    """Return the fault of a text that is not JSON, named after the likely mistake."""
    content, offset = text.content, error.pos
    opened = _open_container(content, offset)
    unterminated = error.msg.startswith("Unterminated string")
    if unterminated or not content[offset : offset + 40].strip():
        return _cut_off(text, offset, opened, unterminated=unterminated)
    notes: tuple[str, ...] = ()
    if opened is not None:
        notes = (f"inside the {_container(content, opened)} opened at {text.at(opened)}",)
    comma = _trailing_comma(content, error)
    if comma is not None:
        return Fault("E0111", "a trailing comma", comma, hint="remove the comma", notes=notes)
    message, hint = _slip(error, content[offset : offset + 40])
    return Fault("E0111", message, offset, hint=hint, notes=notes)


def _slip(error: json.JSONDecodeError, rest: str) -> tuple[str, str]:
    """Return (message, hint) for a syntax error, by the characters at its place."""
    if error.msg.startswith("Extra data"):
        return "more text after the end of the JSON", "a file holds exactly one document"
    if _COMMENT.match(rest):
        hint = "remove it, or rename the file to .yaml with `#` comments"
        return "JSON has no comments", hint
    if rest[:1] == "'":
        return "JSON strings have double quotes, not single ones", "write `\"` instead of `'`"
    if error.msg.startswith("Expecting property name") and rest[:1].isidentifier():
        hint = "a file that begins with `{` or `[` is read as JSON, not as YAML"
        return "JSON keys need double quotes", hint
    if error.msg.startswith("Invalid control character"):
        return "a line break or control character inside a string", "write it as `\\n` or `\\t`"
    return f"JSON: {error.msg[0].lower()}{error.msg[1:]}", ""


def _trailing_comma(content: str, error: json.JSONDecodeError) -> int | None:
    """Return the offset of a comma before a closing bracket (or the end), or None without this
    mistake.
    """
    if error.msg.startswith("Illegal trailing comma"):
        return error.pos
    before = content[: error.pos].rstrip()
    if not before.endswith(","):
        return None
    following = content[error.pos : error.pos + 200].lstrip(" \t\n\r")
    if following.startswith(("]", "}")):
        return len(before) - 1
    if not following and error.msg.startswith("Expecting property name"):
        return len(before) - 1
    return None


def _cut_off(text: SourceText, offset: int, opened: int | None, *, unterminated: bool) -> Fault:
    """Return the fault of a text that ends too early: inside the object or array opened at `opened`
    (None: outside all), or in a string there (`unterminated`).
    """
    if opened is None:
        return Fault("E0111", "the JSON ends too early", offset)
    subject, place = "the end of the file", len(text.content[:offset].rstrip())
    if unterminated:
        subject, place = "a string without a closing quote", offset
    container = _container(text.content, opened)
    return Fault(
        "E0111",
        f"{subject}: the JSON ends inside the {container} opened at {text.at(opened)}",
        place,
        hint="the file seems to be cut off: fetch it again",
    )


def _container(content: str, offset: int) -> str:
    return "object" if content[offset] == "{" else "array"


def _open_container(content: str, end: int) -> int | None:
    """Return the offset of the innermost object or array that is still open at `end`."""
    stack: list[int] = []
    for token in _TOKENS.finditer(content, 0, end):
        first = token.group()[0]
        if first in "[{":
            stack.append(token.start())
        elif first in "]}" and stack:
            stack.pop()
    return stack[-1] if stack else None
