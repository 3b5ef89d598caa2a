"""Find text in a document that addresses a model rather than a reader, or that no reader can see.

This is a heuristic and changes nothing: `mcpgen inspect` lists the findings, and a person judges.
Invisible characters are replaced in all generated text (`text.visible`).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from ..runtime.pointer import escape
from ..text import INVISIBLE, plural, visible

if TYPE_CHECKING:
    from ..load import Document
    from ..load.text import SourceText
    from ..problems import Problems

LONGEST = 20_000
"""Characters of one text that are searched."""
EXCERPT = 90
MOST_REPORTED = 2_000
"""Problems of one document after which hidden characters are no longer reported."""


@dataclass(frozen=True, slots=True)
class _Sign:
    """A rule for suspicious text. `what`: its label in messages (`speaks to a model`). `words`:
    lower-case texts; every match contains at least one. `pattern`: the search itself.
    """

    what: str
    words: list[str]
    pattern: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match, or None. In text outside ASCII the words are not looked for
        first: `lower` folds fewer letters than the pattern (U+017F is an s).
        """
        if text.isascii() and not any(map(text.lower().__contains__, self.words)):
            return None
        return self.pattern.search(text)


@cache
def _signs() -> tuple[_Sign, ...]:
    """Return the rows of `data/hidden_text.toml`."""
    text = (resources.files("mcpgen") / "data" / "hidden_text.toml").read_text("utf-8")
    return tuple(
        _Sign(row["what"], row["words"], re.compile("|".join(row["patterns"]), re.I | re.S))
        for row in tomllib.loads(text)["sign"]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspiciousText:
    """One suspicious text: what is suspicious, its JSON Pointer, and an excerpt."""

    what: str
    pointer: str
    excerpt: str


_UNICODE_ESCAPES = re.compile(r"\\u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*")
_JSON_CONTROLS = re.compile(r"\\[bf]")
_YAML_ESCAPES = re.compile(r"\\[UxNLP0abefv_]")
"""Escapes, besides `\\u`, that may mean an invisible character."""


def _may_hide(text: SourceText) -> bool:
    """Return whether a file may hold an invisible character, written out or escaped."""
    content = text.content
    if INVISIBLE.search(content):
        return True
    escapes = _YAML_ESCAPES
    if text.is_json:
        escapes = _JSON_CONTROLS
    if any(_is_escape(content, match.start()) for match in escapes.finditer(content)):
        return True
    runs = set(_UNICODE_ESCAPES.findall(content))
    return any(INVISIBLE.search(json.loads(f'"{run}"')) for run in runs)


def _is_escape(content: str, at: int) -> bool:
    """Return whether the backslash at an offset begins an escape: it is not escaped itself."""
    first = at
    while first > 0 and content[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 0


def report_hidden(document: Document, problems: Problems) -> None:
    """Warn of each text with invisible characters (E0707), until `MOST_REPORTED` problems are
    known.
    """
    if not any(map(_may_hide, document.files.values())):
        return
    for pointer, text in _texts(document.root):
        if len(problems) > MOST_REPORTED:
            return
        if text.isascii() and text.isprintable():
            continue
        hidden = _hidden(text)
        if hidden:
            problems.warn("E0707", f"{_count(hidden)} replaced by U+FFFD", pointer=pointer)


def kinds_of(*texts: str) -> tuple[str, ...]:
    """Return the kinds of suspicious text: `holds invisible characters` (or U+FFFD), and the labels
    of signs; empty for other texts.
    """
    kinds = []
    if any(INVISIBLE.search(text) or "\ufffd" in text for text in texts):
        kinds.append("holds invisible characters")
    for sign in _signs():
        if any(map(sign.search, texts)):
            kinds.append(sign.what)
    return tuple(kinds)


def findings(root: Any) -> Iterator[SuspiciousText]:
    """Yield each sign that a text is meant for a model, once, and invisible characters as one more,
    for each text of a document, and for keys that hold invisible characters.
    """
    for pointer, text in _texts(root):
        hidden = _hidden(text)
        if hidden:
            excerpt = _excerpt(text, text.index(hidden[0]))
            yield SuspiciousText(what=_count(hidden), pointer=pointer, excerpt=excerpt)
        for sign in _signs():
            match = sign.search(text)
            if match:
                yield SuspiciousText(
                    what=sign.what, pointer=pointer, excerpt=_excerpt(text, match.start())
                )


def _hidden(text: str) -> list[str]:
    """Return the invisible characters of a text. CR LF is a line end and not counted."""
    return INVISIBLE.findall(text.replace("\r\n", "\n"))


def _count(hidden: list[str]) -> str:
    return f"{plural(len(hidden), 'invisible character')} ({_code_points(hidden)})"


def _code_points(characters: list[str]) -> str:
    return ", ".join(dict.fromkeys(f"U+{ord(char):04X}" for char in characters[:8]))


def _texts(root: Any) -> Iterator[tuple[str, str]]:
    """Yield (pointer, text) of texts, cut to `LONGEST`, and of keys with hidden characters. What
    has several places, or holds itself, is shown at the first.
    """
    stack: list[tuple[str, Any]] = [("", root)]
    seen: set[int] = set()
    while stack:
        pointer, node = stack.pop()
        if isinstance(node, str):
            yield pointer, node[:LONGEST]
        elif isinstance(node, dict):
            if id(node) in seen:
                continue
            seen.add(id(node))
            inside = [(f"{pointer}/{escape(key)}", key, value) for key, value in node.items()]
            for below, key, _ in inside:
                if INVISIBLE.search(key):
                    yield below, key
            stack.extend((below, value) for below, _, value in reversed(inside))
        elif isinstance(node, list):
            stack.extend(
                (f"{pointer}/{index}", node[index]) for index in reversed(range(len(node)))
            )


def _excerpt(text: str, position: int) -> str:
    """Return up to `EXCERPT` characters around a position, on one line, with `…` at a cut."""
    start = max(0, position - 20)
    excerpt = " ".join(visible(text[start : start + EXCERPT]).split())
    if start:
        excerpt = f"… {excerpt}"
    if start + EXCERPT < len(text):
        excerpt = f"{excerpt} …"
    return excerpt
