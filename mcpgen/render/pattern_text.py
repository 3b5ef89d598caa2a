"""A text that matches a regular expression, built by reading the expression once.

Only for sample arguments: look-around and back-references are skipped, and the caller checks the
result with a real engine.
"""

from __future__ import annotations

import re

_MEANINGS = {
    **{"d": "0123456789", "w": "abcdefghijklmnopqrstuvwxyz0123456789_", "s": " "},
    **{"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"},
}
"""Letter behind a backslash → the characters it means."""
_RANGE = re.compile(r"-[^\]]", re.S)
"""Rest of a range in a class, after its first character."""
_ANY = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ./:@"
_LONGEST = 500


def text_for(pattern: str, extra: int = 0) -> str | None:
    """Return a text that should match, or None for a pattern that cannot be read. Repetitions,
    except `?`, are taken `extra` times more than the pattern demands, within its limits.
    """
    if len(pattern) > _LONGEST:
        return None
    try:
        reader = _Reader(pattern, extra)
        found = reader.alternatives()
        return found if reader.at == len(pattern) else None
    except (IndexError, ValueError, RecursionError):
        return None


class _Reader:
    """One reading of a pattern: `at` is the position of the next character."""

    def __init__(self, pattern: str, extra: int) -> None:
        self._pattern = pattern
        self._extra = extra
        self.at = 0

    def alternatives(self) -> str:
        """Return a text for the first alternative, and read past the others."""
        first = self._sequence()
        while self._next("|"):
            self._sequence()
        return first

    def _sequence(self) -> str:
        text = ""
        while self._pattern[self.at : self.at + 1] not in ("", "|", ")"):
            text += self._repeated(self._atom())
            if len(text) > 4096:
                raise ValueError("too long")
        return text

    def _atom(self) -> str:
        character = self._take()
        if character in "^$":
            return ""
        if character == ".":
            return "a"
        if character == "(":
            return self._group()
        if character == "[":
            return self._class()
        return self._escape() if character == "\\" else character

    def _group(self) -> str:
        ignored = False
        if self._next("?"):
            kind = self._take()
            if kind == "<" and self._pattern[self.at] not in "=!":
                self.at = self._pattern.index(">", self.at) + 1
            elif kind != ":":
                ignored = True
                self.at += kind == "<"
        text = self.alternatives()
        if not self._next(")"):
            raise ValueError("group without end")
        return "" if ignored else text

    def _escape(self) -> str:
        character = self._take()
        if character in "bB":
            return ""
        if character in "pP" and self._next("{"):
            self.at = self._pattern.index("}", self.at) + 1
            return "a" if character == "p" else "-"
        if character in "xu":
            length = 2 if character == "x" else 4
            digits = self._pattern[self.at : self.at + length]
            self.at += length
            return chr(int(digits, 16))
        return _member(character)[:1]

    def _class(self) -> str:
        negated = self._next("^")
        members = ""
        while self._pattern[self.at] != "]" or not members:
            first = self._class_member()
            if len(first) == 1 and _RANGE.match(self._pattern, self.at):
                self.at += 1
                last = self._class_member()
                members += "".join(
                    chr(code) for code in range(ord(first), min(ord(last), ord(first) + 200) + 1)
                )
            else:
                members += first
        self.at += 1
        if negated:
            return next(character for character in _ANY if character not in members)
        return next((character for character in members if character in _ANY), members[0])

    def _class_member(self) -> str:
        character = self._take()
        if character != "\\":
            return character
        escaped = self._take()
        if escaped in "xu":
            self.at -= 1
            return self._escape_code()
        return _member(escaped)

    def _escape_code(self) -> str:
        length = 2 if self._take() == "x" else 4
        digits = self._pattern[self.at : self.at + length]
        self.at += length
        return chr(int(digits, 16))

    def _repeated(self, text: str) -> str:
        if self.at >= len(self._pattern):
            return text
        character = self._pattern[self.at]
        if character in "*+?":
            self.at += 1
            count = {"*": self._extra, "+": 1 + self._extra, "?": 0}[character]
        elif character == "{" and self._pattern[self.at + 1].isdigit():
            end = self._pattern.index("}", self.at)
            low, comma, high = self._pattern[self.at + 1 : end].partition(",")
            self.at = end + 1
            limit = int(high) if high else (int(low) + self._extra if comma else int(low))
            count = min(int(low) + self._extra, limit)
        else:
            return text
        self._next("?")
        return text * count

    def _take(self) -> str:
        self.at += 1
        return self._pattern[self.at - 1]

    def _next(self, character: str) -> bool:
        found = self._pattern.startswith(character, self.at)
        self.at += found
        return found


def _member(escaped: str) -> str:
    """Return a character that `\\d`, `\\n` or `\\.` matches."""
    if escaped in "DWS":
        return {"D": "a", "W": "-", "S": "a"}[escaped]
    return _MEANINGS.get(escaped, escaped)
