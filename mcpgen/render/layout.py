"""Expressions laid out in lines as black lays them out, so that the generated Python needs no
formatter.

An expression is a `str` (an atom), a `Group` in brackets or a `Union`. It stands on one line where
it fits; else every item of its outermost brackets gets its own line and a trailing comma, which
black keeps. A test compares with black.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .literal import WIDTH, Code, py_literal, quoted

INDENT = "    "


@dataclass(frozen=True, slots=True)
class Group:
    """Items in brackets: `list[...]`, `wire.csv(...)`, `{...}`. `spread`: on lines of their own
    even where they fit.

    Every item is a prefix (`"genre": `, `explode=`, mostly empty) and an expression.
    """

    opening: str
    items: tuple[tuple[str, Expression], ...]
    closing: str
    spread: bool = False

    @property
    def last_comma(self) -> str:
        """The comma after the last of items on lines of their own. A lone subscript has none: it
        would be a tuple.
        """
        return "" if self.closing == "]" and len(self.items) == 1 else ","


@dataclass(frozen=True, slots=True)
class Union:
    """`A | B`: two or more expressions, none of them a union."""

    operands: tuple[Expression, ...]


Expression: TypeAlias = str | Group | Union


def subscript(name: str, *items: Expression) -> Group:
    """`name[items]`."""
    return Group(f"{name}[", tuple(("", item) for item in items), "]")


def dictionary(entries: Mapping[str, Expression]) -> Group:
    """`{"key": expression}`; more than one entry is easier to read on lines of their own."""
    items = tuple((f"{quoted(key)}: ", value) for key, value in entries.items())
    return Group("{", items, "}", spread=len(items) > 1)


def call(name: str, *items: Expression, **keywords: Expression) -> Group:
    """`name(items, keyword=expression)`."""
    named = tuple((f"{key}=", value) for key, value in keywords.items())
    return Group(f"{name}(", (*(("", item) for item in items), *named), ")")


def union(operands: Sequence[Expression]) -> Expression:
    """The operands joined by `|`, inner unions opened, without repeats."""
    flat: dict[Expression, None] = {}
    for operand in operands:
        flat |= dict.fromkeys(operand.operands if isinstance(operand, Union) else (operand,))
    return next(iter(flat)) if len(flat) == 1 else Union(tuple(flat))


def atoms(expression: Expression) -> Iterator[str]:
    """The atoms of an expression and its opening brackets: the names it uses, among others."""
    if isinstance(expression, Group):
        yield expression.opening
        for _, item in expression.items:
            yield from atoms(item)
    elif isinstance(expression, Union):
        for operand in expression.operands:
            yield from atoms(operand)
    else:
        yield expression


def value(data: Any) -> Expression:
    """A JSON value or a tuple as an expression."""
    if type(data) is tuple:
        return Group("(", tuple(("", value(item)) for item in data), ")")
    if type(data) is list:
        return Group("[", tuple(("", value(item)) for item in data), "]")
    if type(data) is dict and data:
        py_literal(data)
        return Group(
            "{", tuple((f"{quoted(key)}: ", value(item)) for key, item in data.items()), "}"
        )
    return py_literal(data)


def flat(expression: Expression) -> str:
    """The expression on one line; empty where a group in it wants lines of its own."""
    if isinstance(expression, Union):
        parts = [flat(operand) for operand in expression.operands]
        return " | ".join(parts) if all(parts) else ""
    if isinstance(expression, Group):
        if expression.spread:
            return ""
        inner: list[str] = []
        for prefix, item in expression.items:
            text = flat(item)
            if not text:
                return ""
            inner.append(prefix + text)
        comma = "," if expression.opening == "(" and len(inner) == 1 else ""
        return expression.opening + ", ".join(inner) + comma + expression.closing
    return expression


def lay_out(prefix: str, expression: Expression, suffix: str = "", *, depth: int) -> Code:
    """`prefix expression suffix` at `depth` levels of indentation; the first line without its
    own.
    """
    return Code("\n".join(_lines(prefix, expression, suffix, depth)).removeprefix(INDENT * depth))


def declare(name: str, expression: Expression, *, depth: int) -> Code:
    """`name: expression` as a statement: a name too long for the line stands in parentheses on a
    line of its own.
    """
    laid_out = lay_out(f"{name}: ", expression, depth=depth)
    if isinstance(expression, str) and len(INDENT) * depth + len(laid_out) > WIDTH:
        margin = INDENT * depth
        if len(margin) + len(INDENT) + len(expression) <= WIDTH:
            return Code(f"{name}: (\n{margin}{INDENT}{expression}\n{margin})")
    return laid_out


def _lines(prefix: str, expression: Expression, suffix: str, depth: int) -> list[str]:
    margin = INDENT * depth
    text = flat(expression)
    if text and len(margin) + len(prefix) + len(text) + len(suffix) <= WIDTH:
        return [margin + prefix + text + suffix]
    if isinstance(expression, Group) and expression.items:
        lines = [margin + prefix + expression.opening]
        for index, (inner, item) in enumerate(expression.items):
            last = index == len(expression.items) - 1
            lines += _item(
                inner,
                item,
                expression.last_comma if last else ",",
                depth + 1,
                bool(expression.last_comma),
            )
        return [*lines, margin + expression.closing + suffix]
    if isinstance(expression, Union):
        return [f"{margin}{prefix}(", *_operands(expression, "", depth + 1), f"{margin}){suffix}"]
    return [margin + prefix + text + suffix]


def _item(prefix: str, item: Expression, comma: str, depth: int, several: bool) -> list[str]:
    """One item of a spread group. A union alone in brackets needs no parentheses of its own."""
    if isinstance(item, Union) and not several:
        return _operands(item, comma, depth)
    return _lines(prefix, item, comma, depth)


def _operands(expression: Union, suffix: str, depth: int) -> list[str]:
    """The operands of a union inside brackets: on one line where they fit, else one under the
    other.
    """
    text = flat(expression)
    if text and len(INDENT) * depth + len(text) + len(suffix) <= WIDTH:
        return [INDENT * depth + text + suffix]
    lines: list[str] = []
    for index, operand in enumerate(expression.operands):
        last = index == len(expression.operands) - 1
        lines += _lines("| " if index else "", operand, suffix if last else "", depth)
    return lines
