"""Criterion Objects (Arazzo 1.1, section *Criterion Object*) as conditions of the model."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, get_args

import jsonpath
import jsonschema_rs

from ..load.values import as_object, as_text
from ..runtime.arguments.checker import compiled
from ..runtime.parts.workflows import paths
from ..runtime.parts.workflows.values import scalar
from .expressions import EMBEDDED, Inexpressible, Scope, expression, template, value_of
from .model import (
    Comparison,
    Condition,
    Constant,
    Criterion,
    Exists,
    Holds,
    Joined,
    Matches,
    Not,
    Operator,
    Value,
)

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<operator>&&|\|\||[=!<>]=|[<>!()])
    |'(?P<single>(?:[^']|'')*)'
    |"(?P<double>[^"]*)"
    |(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<word>true|false|null)\b
    |\{(?P<braced>\$[^{}]+)\}
    |(?P<expression>\$[^\s()=!<>&|]+(?:\(\))?)
    )""",
    re.X,
)
_COMPARED = re.compile(
    r"""\$((?:\.(?!length\b)\w+)+)\s*([=!<>]=|[<>])\s*
    (?:"([^"']*)"|('[^']*'|-?[\d.]+|true|false|null))""",
    re.X,
)
"""A comparison that looks like a JSONPath: path, operator, and a text or another literal."""
_WORDS = {"true": True, "false": False, "null": None}
_COMPARISONS = get_args(Operator)
_DEEPEST = 30
_KINDS = ("simple", "regex", "jsonpath")


def criterion(data: Any, scope: Scope) -> Criterion:
    """Parse a Criterion Object. Raises Inexpressible, also for an invalid regular expression or
    JSONPath without embedded expressions.
    """
    members = as_object(data)
    text = as_text(members.get("condition")).strip()
    if not text:
        raise Inexpressible("a criterion needs a `condition`")
    kind = members.get("type", "simple")
    if isinstance(kind, dict):
        kind = kind.get("type")
    if kind not in _KINDS:
        raise Inexpressible(f"criteria of type `{kind}` are not supported")
    if kind == "simple":
        return Criterion(text=text, condition=simple(text, scope))
    if members.get("context") is None:
        raise Inexpressible(
            f"a criterion of type `{kind}` needs a `context`, such as `context: $response.body`"
        )
    context = value_of(members.get("context"), scope)
    pattern = template(text, scope)
    is_known = not EMBEDDED.search(text)
    if kind == "regex":
        if is_known:
            _check_regex(text)
        return Criterion(text=text, condition=Matches(pattern, context))
    if is_known:
        _check_path(text, as_text(members.get("context")))
    return Criterion(text=text, condition=Exists(pattern, context))


def _check_regex(text: str) -> None:
    """Raise Inexpressible for an invalid regular expression, and for one like `/^…/`."""
    try:
        compiled({"pattern": text})
    except jsonschema_rs.ValidationError as error:
        reason = str(error).partition("\n")[0]
        raise Inexpressible(f"`{text}` is not a regular expression: {reason}") from error
    if text.startswith("/^"):
        pattern, _, flags = text[1:].rpartition("/")
        meant = {"": pattern, "i": f"(?i:{pattern})"}.get(flags, "")
        advice = f"; write `{meant}`" if meant else ""
        raise Inexpressible(
            f"`{text}` never matches: a regular expression has no slashes around it{advice}"
        )


def _check_path(text: str, context: str) -> None:
    """Raise Inexpressible for an invalid JSONPath (RFC 9535), with the condition that says the same
    of a comparison.
    """
    try:
        paths.check(text)
    except jsonpath.JSONPathError as error:
        reason = str(error).partition("\n")[0]
        compared = _COMPARED.fullmatch(text)
        if compared:
            path, operator, text_, value = compared.groups()
            literal = f"'{text_}'" if value is None else value
            pointer = "#" * ("#" not in context) + path.replace(".", "/")
            reason = f"write `{context}{pointer} {operator} {literal}` without a `type`"
        message = f"`{text}` is not a JSONPath (RFC 9535), so that it never holds: {reason}"
        raise Inexpressible(message) from error


def simple(text: str, scope: Scope) -> Condition:
    """Parse a condition of type `simple`. Raises Inexpressible."""
    parser = _Parser(text, scope)
    condition = parser.either(0)
    if parser.tokens:
        raise parser.refuse()
    return condition


class _Parser:
    """A condition, read by recursive descent: or, and, not, comparison. Raises Inexpressible."""

    def __init__(self, text: str, scope: Scope) -> None:
        self.text = text
        self.scope = scope
        self.tokens = self._tokens()

    def _tokens(self) -> list[tuple[str, str]]:
        tokens: list[tuple[str, str]] = []
        end = 0
        text = self.text.rstrip()
        while end < len(text):
            match = _TOKEN.match(text, end)
            if match is None:
                raise self.refuse()
            kind = match.lastgroup or ""
            tokens.append((kind, match[kind]))
            end = match.end()
        return tokens

    def refuse(self) -> Inexpressible:
        return Inexpressible(f"the condition `{self.text}` cannot be read")

    def takes(self, *operators: str) -> str:
        """Take the next token and return it if it is among these operators; else return an empty
        text.
        """
        expected = [("operator", operator) for operator in operators]
        if self.tokens and self.tokens[0] in expected:
            return self.tokens.pop(0)[1]
        return ""

    def either(self, depth: int) -> Condition:
        if depth > _DEEPEST:
            raise self.refuse()
        return self.joined("||", lambda: self.both(depth))

    def both(self, depth: int) -> Condition:
        return self.joined("&&", lambda: self.negated(depth))

    def joined(self, operator: str, part: Callable[[], Condition]) -> Condition:
        conditions = [part()]
        while self.takes(operator):
            conditions.append(part())
        if len(conditions) == 1:
            return conditions[0]
        return Joined("and" if operator == "&&" else "or", tuple(conditions))

    def negated(self, depth: int) -> Condition:
        if self.takes("!"):
            return Not(self.negated(depth + 1))
        if self.takes("("):
            inner = self.either(depth + 1)
            if not self.takes(")"):
                raise self.refuse()
            return inner
        return self.comparison()

    def comparison(self) -> Condition:
        left = self.operand()
        operator = self.takes(*_COMPARISONS)
        for comparison in _COMPARISONS:
            if comparison == operator:
                return Comparison(comparison, left, self.operand())
        return Holds(left)

    def operand(self) -> Value:
        if not self.tokens:
            raise self.refuse()
        kind, text = self.tokens.pop(0)
        match kind:
            case "single":
                return value_of(text.replace("''", "'"), self.scope)
            case "double":
                return value_of(text, self.scope)
            case "number":
                number = scalar(text)
                if number == text:  # JSON has no such number
                    raise self.refuse()
                return Constant(number)
            case "word":
                return Constant(_WORDS[text])
            case "braced" | "expression":
                return expression(text, self.scope)
        raise self.refuse()
