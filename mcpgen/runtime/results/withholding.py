"""Fields that no answer shows (`redact` in `mcpgen.toml`)."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any

from . import NOTE, Shown, Sieve, fold

_ASSIGNMENT = re.compile(r"[\"'<&?\s{,]?([A-Za-z_][\w.-]{0,63})[\"'\\]{0,3}\s?[:=>]")
_WORD = re.compile(r"[A-Za-z_][\w-]{0,63}")


class Withheld(Shown):
    """Names of fields that no answer may show, at any depth (`redact` in `mcpgen.toml`), compared
    without case and punctuation: `dateOfBirth` is `date_of_birth`.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(fold(name) for name in names)

    def without(
        self, value: Any, text: Callable[[str], str] = str, deepest: int = sys.maxsize
    ) -> Any:
        """Return JSON data without the fields, after `text` changed its texts and keys. A text that
        gives one of the fields a value (as JSON does) is replaced whole by a note. Raises TooDeep.
        """
        text = functools.partial(self._without_values, text)
        return Sieve(text, self._names, deepest=deepest).of(value)

    def _without_values(self, change: Callable[[str], str], text: str) -> str:
        text = change(text)
        return f"[{NOTE}]" if self.assigned_in(text) else text

    def of_result(self, value: Any) -> Any:
        """Return what a user's function returned without the fields."""
        from .content import Resource, ResourceLink, Structured, Text, as_json

        match value:
            case Structured():
                return Structured(self.without(as_json(value.data)), self.without(value.text))
            case Text() | Resource() | ResourceLink():
                own = {each.name: self.without(getattr(value, each.name)) for each in fields(value)}
                return replace(value, **own)
            case list() | tuple() if any(hasattr(item, "block") for item in value):
                return [self.of_result(item) for item in value]
        return value if hasattr(value, "block") else self.without(as_json(value))

    def assigned_in(self, text: str) -> bool:
        """Return whether a text gives a value to one of the fields: `"ssn":`, `ssn=`, `<ssn>`."""
        return any(fold(match[1]) in self._names for match in _ASSIGNMENT.finditer(text))

    def named_in(self, text: str) -> bool:
        """Return whether a text has one of the names as a word, as in the first line of a table."""
        if self.assigned_in(text):
            return True
        return any(fold(word) in self._names for word in _WORD.findall(text))
