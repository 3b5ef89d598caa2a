"""Regular expressions and numbers that every reader of a tool understands the same way.

A `pattern` in a tool's schema is compiled by clients as ECMAScript with the `u` flag, by providers
of models as RE2 or by Python, and by the generated server with a linear-time engine; where one does
not compile, some lose every tool of the server. What all accept is kept, without needless escapes;
other patterns are said in the description.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from ..load.values import as_text, is_number
from ..text import visible

if TYPE_CHECKING:
    from ..ir import Schema

# Outside or inside a class → what follows the backslash of escapes that stay as they are.
_UNCHANGED = {
    "outside": frozenset("^$\\.*+?()[]{}|/sSbB"),
    "inside": frozenset("^$\\.*+?()[]{}|/sS-"),
}
_CONTROL_ESCAPES = set("fnrtv")
_CODE = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})")
"""Characters by their number. RE2 has no `\\u`; Python has no properties (`\\p{L}`)."""
_PROPERTY = re.compile(
    r"""\\[pP]\{(?: (?:gc|General_Category|sc|Script)=[A-Z]\w* | [CLMNPSZ][a-zC]?
          | (?:Lowercase_|Uppercase_)?Letter | Number | Punctuation | Alphabetic )\}""",
    re.X,
)
"""Properties that ECMAScript has under that name (`\\p{L}`, not Java's `\\p{IsLetter}` or Perl's
`\\p{Greek}`).
"""
_GROUP = re.compile(r"\(\?(?::|<[A-Za-z_$][\w$]*>)")
"""The opening of a group that captures nothing, or by a name, which Python spells otherwise."""
_REPEAT = re.compile(r"[*+?]|\{(\d+)(?:,(\d*))?\}")
_ATOM = ("", "atom")
_MOST_REPEATS = (1_000, 100_000)
"""Repetitions that every engine takes (RE2 refuses more), and that the server's own takes."""
_SET_OPERATORS = ("&&", "--", "~~")
"""Pairs that some engines read as operators between classes."""
# Escape → how it is spelled inside a class (empty: it cannot be) and outside.
_SPELLED = {
    "d": ("0-9", "[0-9]"),
    "w": ("A-Za-z0-9_", "[A-Za-z0-9_]"),
    "D": ("", "[^0-9]"),
    "W": ("", "[^A-Za-z0-9_]"),
}
_UNSAFE = re.compile(r"\(\?(?![:=!]|<[A-Za-z_$][\w$]*>)|[*+?}]\+|\[\[:|\\[AZzGhHRXQE]")
_LONGEST = 500
# Bytes of a compiled pattern: `.{0,1024}` takes three million, and three milliseconds.
_LARGEST = 1 << 22


@lru_cache(maxsize=4096)
def portable_pattern(pattern: str, checked: bool = False) -> str | None:
    """Return `pattern` as every engine takes it (ECMA-262 `u`, RE2, Python, linear time), or None;
    with `checked` as the server's own takes it, which has properties and more repetitions besides.
    """
    if len(pattern) > _LONGEST:
        return None
    if _UNSAFE.search(pattern):
        return None
    try:
        rewritten = _Rewriter(pattern, checked).text()
    except _NotPortable:
        return None
    try:
        jsonschema_rs.validator_for(
            {"pattern": rewritten}, pattern_options=jsonschema_rs.RegexOptions(size_limit=_LARGEST)
        )
        if not checked:
            re.compile(rewritten)
    except Exception:
        return None
    return rewritten


def wider_pattern(pattern: str) -> str | None:
    """Return a portable pattern that takes all that `pattern` takes, and more, as look-around is
    left out; None if that changes nothing, or is not portable.
    """
    if len(pattern) > _LONGEST:
        return None
    text = "".join(_without_look_around(pattern))
    if not text:
        return None
    if text == pattern:
        return None
    return portable_pattern(text)


def _without_look_around(pattern: str) -> Iterator[str]:
    dropped: list[bool] = []
    """For each open group, whether it is look-around, or inside of it."""
    for token, in_class in _tokens(pattern):
        drop = True in dropped[-1:]
        if not in_class:
            if token.startswith("("):
                drop |= len(token) > 1
                dropped.append(drop)
            elif token == ")":
                del dropped[-1:]
        if not drop:
            yield token


def _tokens(pattern: str) -> Iterator[tuple[str, bool]]:
    """Yield a pattern's escapes, openings and other characters, each with whether it is inside a
    class.
    """
    in_class = False
    for token in re.findall(r"\\.|\(\?<?[=!]|\[\^|.", pattern, re.DOTALL):
        yield token, in_class
        in_class = token != "]" if in_class else token.startswith("[")


class _NotPortable(Exception):
    """A pattern is no ECMAScript, or holds what the other engine reads differently."""


class _Rewriter:
    """One pattern on its way to its portable spelling."""

    def __init__(self, pattern: str, checked: bool) -> None:
        self.pattern = pattern
        self.checked = checked
        self.index = 0
        self.depth = 0
        self.in_class = False
        self.before = ""
        """The object of a quantifier: an `atom`, or another `repeat`; empty for nothing."""
        self.out: list[str] = []

    def text(self) -> str:
        """Return the rewritten pattern. Raises _NotPortable."""
        while self.index < len(self.pattern):
            char = self.pattern[self.index]
            if char == "\\":
                self._escape()
                continue
            if self.in_class:
                self._in_class(char)
            else:
                self._outside(char)
            self.index += 1
        if self.in_class:
            raise _NotPortable
        if self.depth:
            raise _NotPortable
        return "".join(self.out)

    def _escape(self) -> None:
        rest = self.pattern[self.index :]
        spelling, length = _escape(rest, self.in_class, self.checked)
        self.index += length
        self.before = _ATOM[rest[1] not in "bB"]
        if self.in_class and rest[1] in _SPELLED:
            # A hyphen beside a class of characters is one itself; beside their spelling it would be
            # a range.
            if self.out[-1] == "-":
                self.out[-1] = "\\-"
            if rest[2:3] == "-" and rest[3:4] != "]":
                spelling += "\\-"
                self.index += 1
        self.out.append(spelling)

    def _in_class(self, char: str) -> None:
        self.in_class = char != "]"
        if self.pattern.startswith(_SET_OPERATORS, self.index):
            raise _NotPortable
        self.before = "atom"
        # A bare `[` in a class is a nested set to the linear engine and a plain character to
        # ECMAScript.
        self.out.append("\\[" if char == "[" else char)

    def _outside(self, char: str) -> None:
        rest = self.pattern[self.index :]
        repeat = _REPEAT.match(rest)
        if repeat:
            self._repeat(repeat)
            return
        self.before = _ATOM[char not in "^$|("]
        if char == "[":
            if rest.startswith(("[]", "[^]")):
                raise _NotPortable
            self.in_class = True
        elif char == "(":
            char = self._group(rest)
        elif char == ")":
            self.depth -= 1
            if self.depth < 0:
                raise _NotPortable
        elif char in "{}]":
            char = f"\\{char}"
        self.out.append(char)

    def _group(self, rest: str) -> str:
        """Return the opening of a group, without its name."""
        self.depth += 1
        named = _GROUP.match(rest)
        if named is None:
            return "("
        self.index += named.end() - 1
        return "(?:"

    def _repeat(self, repeat: re.Match[str]) -> None:
        """Translate a quantifier. Raises _NotPortable for a quantifier after nothing, an assertion
        or another quantifier, and for more repetitions than engines allow.
        """
        is_lazy = (self.before, repeat[0]) == ("repeat", "?")
        if (is_lazy, self.before) not in ((False, "atom"), (True, "repeat")):
            raise _NotPortable
        most = max(int(number) for number in (repeat[1], repeat[2], "0") if number)
        if most > _MOST_REPEATS[self.checked]:
            raise _NotPortable
        self.before = "repeat" * (not is_lazy)
        self.index += repeat.end() - 1
        self.out.append(repeat[0])


def _character(code: re.Match[str]) -> str:
    """Return the spelling of a character given by its number: two hexadecimal digits up to 255,
    else the character. Raises _NotPortable for an invisible one.
    """
    if code[1]:
        return code[0]
    number = int(code[2], 16)
    if number < 256:
        return f"\\x{number:02x}"
    if visible(chr(number)) != chr(number):
        raise _NotPortable
    return chr(number)


def _escape(rest: str, in_class: bool, checked: bool) -> tuple[str, int]:
    """Return the portable spelling of the escape sequence that `rest` begins with, and how many
    characters it took. Raises _NotPortable for an unknown escape, and for an invisible
    character.
    """
    escape, following = rest[:2], rest[1:2]
    if following in _UNCHANGED["inside" if in_class else "outside"]:
        return escape, 2
    if following in _SPELLED:
        # Some readers count every digit and letter of Unicode, ECMAScript the ASCII ones alone:
        # spelled out, all do.
        inside, outside = _SPELLED[following]
        if not in_class:
            return outside, 2
        return inside or escape, 2
    own = _PROPERTY.match(rest) if checked else None
    if own:
        return own[0], own.end()
    code = _CODE.match(rest)
    if code:
        return _character(code), code.end()
    if following == "0" and not rest[2:3].isdigit():
        return "\\x00", 2
    if following in _CONTROL_ESCAPES:
        return escape, 2
    if not following:
        raise _NotPortable
    if following.isalnum():
        raise _NotPortable
    return following, 2


FEWEST = ("minLength", "minItems", "minProperties")
UPPER, LOWER = ("maximum", "exclusiveMaximum"), ("minimum", "exclusiveMinimum")
FARTHEST = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
"""Format → the least and the greatest number of it."""
BEYOND = (1 - 2**53, 2**53 - 1)
"""Likewise for other numbers: beyond these, JSON parsers lose precision (RFC 8259 §6)."""


def vacuous_rules(rules: Schema) -> frozenset[str]:
    """Return the keywords that are checked and not listed: bounds that the format sets already, or
    that hardly a caller reaches, numbers that clients cannot hold (counts beyond 32 bits, values
    beyond 53), and a pattern that is not portable.
    """
    least, greatest = FARTHEST.get(as_text(rules.get("format")), BEYOND)
    tests: dict[str, Callable[[Any], bool]] = {
        **dict.fromkeys(UPPER, lambda most: most >= min(greatest, BEYOND[1])),
        **dict.fromkeys(LOWER, lambda fewest: fewest <= max(least, BEYOND[0])),
        **dict.fromkeys(FEWEST, lambda fewest: fewest > FARTHEST["int32"][1]),
        **dict.fromkeys(("enum", "multipleOf"), lambda value: not is_listable(value)),
        "pattern": lambda pattern: portable_pattern(pattern) != pattern,
    }
    return frozenset(key for key in tests.keys() & rules.keys() if tests[key](rules[key]))


def is_listable(value: Any, limit: int = BEYOND[1]) -> bool:
    """Return whether no number in a value is beyond a limit, by default that of what is exact for
    every reader of JSON (RFC 8259 section 6).
    """
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return all(map(is_listable, value, repeat(limit)))
    return abs(value) <= limit if is_number(value) else True
