"""Fields that no answer may show, at any depth (`redact` in `mcpgen.toml`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .pages import fold

NOTE = "not shown: it names a field that this server withholds"


class Withheld:
    """The names of the fields, compared without case and punctuation: `dateOfBirth` is
    `date_of_birth`.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(fold(name) for name in names)

    def __bool__(self) -> bool:
        return bool(self._names)

    def without(self, value: Any) -> Any:
        """JSON data without the fields. A text that is itself JSON, or any other text that gives
        one of them a value, is replaced whole.
        """
        if not self._names:
            return value
        if isinstance(value, list):
            return [self.without(item) for item in value]
        if isinstance(value, dict):
            return {
                key: self.without(item)
                for key, item in value.items()
                if fold(key) not in self._names
            }
        if isinstance(value, str) and self.assigned_in(value):
            return f"[{NOTE}]"
        return value

    def assigned_in(self, text: str) -> bool:
        """Whether a text gives a value to one of the fields: `"ssn":`, `ssn=`, `<ssn>`."""
        return any(fold(match[1]) in self._names for match in _ASSIGNMENT.finditer(text))

    def named_in(self, text: str) -> bool:
        """Whether one of the names is a word of a text, as in the first line of a table."""
        if not self._names:
            return False
        if self.assigned_in(text):
            return True
        return any(fold(word) in self._names for word in _WORD.findall(text))


_ASSIGNMENT = re.compile(r"[\"'<&?\s{,]?([A-Za-z_][\w.-]{0,63})[\"'\\]{0,3}\s?[:=>]")
_WORD = re.compile(r"[A-Za-z_][\w-]{0,63}")
