"""Select by JSONPath (RFC 9535) in bounded time: for conditions of workflows, and overlays."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from time import thread_time
from typing import Any, ClassVar, NoReturn

import jsonpath
import jsonschema_rs
from jsonpath.filter import BaseExpression, StringLiteral
from jsonpath.function_extensions import ExpressionType, FilterFunction
from jsonpath.parse import Parser
from jsonpath.stream import TokenStream

from ...arguments.checker import compiled
from ...client.wire import OMIT

SECONDS = 1.0
"""Most seconds of CPU for a path in an answer."""


def exists(path: str, data: Any) -> bool:
    """Return whether a path selects anything, as `first` does."""
    return first(path, data) is not OMIT


def first(path: str, data: Any) -> Any:
    """Return the first value that a path selects; `OMIT` if there is none, for data that is no
    object or list, for text that is no path, and after `SECONDS` of CPU.
    """
    if isinstance(data, dict | list):
        try:
            for match in selected(path, data, SECONDS):
                return match.obj
        except jsonpath.JSONPathError:
            pass
    return OMIT


def check(path: str) -> None:
    """Raise JSONPathError for text that is no path."""
    _Environment(SECONDS).compile(path)


def selected(path: str, data: Any, seconds: float) -> Iterator[jsonpath.JSONPathMatch]:
    """Yield the matches of a path, each place at most once.

    Raises JSONPathError for text that is no path, and after `seconds` of CPU.
    """
    seen = set()
    for match in _Environment(seconds).finditer(path, data):
        if match.parts not in seen:
            seen.add(match.parts)
            yield match


class _Pattern(FilterFunction):
    """Function `match` or `search` on an engine whose time is linear to the text."""

    arg_types: ClassVar[list[ExpressionType]] = [ExpressionType.VALUE, ExpressionType.VALUE]
    return_type = ExpressionType.LOGICAL

    def __init__(self, form: str) -> None:
        self.form = form

    def __call__(self, value: object, pattern: object) -> bool:
        if not isinstance(value, str) or not isinstance(pattern, str):
            return False
        try:
            return self.compiled(pattern).is_valid(value)
        except jsonschema_rs.ValidationError:
            return False  # section 2.4.6 of RFC 9535

    def compiled(self, pattern: str) -> jsonschema_rs.Draft202012Validator:
        """Return a validator of the pattern. Raises jsonschema_rs.ValidationError."""
        return _validator(self.form.format(pattern))


@lru_cache(maxsize=64)
def _validator(pattern: str) -> jsonschema_rs.Draft202012Validator:
    return compiled({"pattern": pattern})


class _Parser(Parser):
    """Parser that refuses the patterns of `=~`."""

    def parse_regex(self, stream: TokenStream) -> NoReturn:
        """Refuse `=~`, whose pattern would run on Python's engine."""
        reason = "`=~` is not part of RFC 9535: use `match()` or `search()`"
        raise jsonpath.JSONPathSyntaxError(reason, token=stream.current())


class _Environment(jsonpath.JSONPathEnvironment):
    """Environment for a single use of one path, with a limit of CPU time."""

    parser_class = _Parser

    def __init__(self, seconds: float) -> None:
        self._end = thread_time() + seconds
        super().__init__()

    def setup_function_extensions(self) -> None:
        """Add the functions of RFC 9535, `match` and `search` in linear time."""
        super().setup_function_extensions()
        self.function_extensions["match"] = _Pattern("^(?:{})$")
        self.function_extensions["search"] = _Pattern("{}")

    def check_well_typedness(self, token: Any, func: Any, args: list[BaseExpression]) -> None:
        """Refuse arguments of wrong types, and a regular expression that can never match. Raises
        JSONPathTypeError.
        """
        super().check_well_typedness(token, func, args)
        if isinstance(func, _Pattern) and isinstance(args[1], StringLiteral):
            try:
                func.compiled(args[1].value)
            except jsonschema_rs.ValidationError as error:
                reason = str(error).partition("\n")[0]
                raise jsonpath.JSONPathTypeError(reason, token=token) from error

    @property
    def max_recursion_depth(self) -> int:  # type: ignore[override]
        """Depth to which `..` looks, read at each place. Raises JSONPathError after the time."""
        self._spend()
        return 100

    def is_truthy(self, obj: object) -> bool:
        """Return whether a filter selects a value. Raises JSONPathError after the time."""
        self._spend()
        return super().is_truthy(obj)

    def _spend(self) -> None:
        if thread_time() > self._end:
            raise jsonpath.JSONPathError("it takes too long", token=None)
