"""Text in a document that is written for a model rather than for a reader, or that a reader cannot
see.

Only a heuristic, and never a silent change: `mcpgen inspect` lists what it finds and a person
judges. Invisible characters are replaced in everything that is generated anyway (`text.visible`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..runtime.pointer import escape
from ..text import INVISIBLE, visible

if TYPE_CHECKING:
    from ..load import Document
    from ..problems import Problems

LONGEST = 20_000
"""Characters of one text that are looked at."""
EXCERPT = 90
MOST_REPORTED = 2_000
"""Problems of one document after which hidden characters are no longer told one by one."""

_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "speaks to a model",
        re.compile(
            r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules|prompts?|guidelines)\b"
            r"|\bsystem prompt\b|\byou are (?:now )?(?:an? )?(?:AI|assistant|language model)\b"
            r"|</?(?:important|system|instructions?|secret|hidden)>",
            re.I | re.S,
        ),
    ),
    (
        "wants something kept from the user",
        re.compile(
            r"\b(?:do"
            r" not|don't|never|without)\b.{0,30}\b(?:tell|mention|inform|show|notify|asking|alert)\w*\b"
            r".{0,30}\b(?:user|human|operator|them)\b",
            re.I | re.S,
        ),
    ),
    (
        "wants other tools called first",
        re.compile(
            r"\b(?:before|instead of|prior to) (?:using|calling|invoking)\b.{0,30}\btools?\b",
            re.I | re.S,
        ),
    ),
    (
        "names secrets or files of this machine",
        re.compile(
            r"~/\.(?:ssh|aws|config|netrc)|\bid_(?:rsa|ed25519)\b|/etc/(?:passwd|shadow)|\bmcp\.json\b"
            r"|\b(?:send|include|pass|put|forward|upload)\b.{0,60}\b(?:password|credentials|api"
            r" keys?|tokens?(?! name)|"
            r"conversation|chat history)\b.{0,40}\b(?:parameter|argument|field|to https?)",
            re.I | re.S,
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One suspicious text: what is odd about it, where it stands (JSON Pointer), and the words."""

    what: str
    pointer: str
    excerpt: str


_ESCAPED = re.compile(r"\\[uUxNLP0abefv_]")
"""Escapes of JSON and YAML that may stand for a character nobody sees."""


def report_hidden(document: Document, problems: Problems) -> None:
    """Tell of every text with characters nobody sees (which are replaced wherever the text is
    shown).
    """
    written = [text.content for text in document.files.values()]
    if not any(INVISIBLE.search(content) or _ESCAPED.search(content) for content in written):
        return
    for pointer, text in _texts(document.root):
        if (text.isascii() and text.isprintable()) or len(problems) > MOST_REPORTED:
            continue
        hidden = INVISIBLE.findall(text.replace("\r\n", "\n"))
        if hidden:
            said = f"{len(hidden)} invisible character{'' if len(hidden) == 1 else 's'}"
            problems.warn(
                "E0707", f"{said} ({_code_points(hidden)}) replaced by U+FFFD", pointer=pointer
            )


def kinds_of(*texts: str) -> tuple[str, ...]:
    """What is odd about texts, in the words of `findings`, without the excerpts and counts."""
    found = (
        ["holds invisible characters"]
        if any(INVISIBLE.search(text) or "\ufffd" in text for text in texts)
        else []
    )
    return (*found, *(what for what, sign in _SIGNS if any(sign.search(text) for text in texts)))


def findings(root: Any) -> Iterator[Finding]:
    """Everything odd in a document's texts and keys, in the order of the document."""
    for pointer, text in _texts(root):
        hidden = INVISIBLE.findall(text.replace("\r\n", "\n"))
        if hidden:
            yield Finding(
                what=(
                    f"{len(hidden)} invisible character{'' if len(hidden) == 1 else 's'}"
                    f" ({_code_points(hidden)})"
                ),
                pointer=pointer,
                excerpt=_excerpt(text, INVISIBLE.search(text)),
            )
        for what, sign in _SIGNS:
            found = sign.search(text)
            if found:
                yield Finding(what=what, pointer=pointer, excerpt=_excerpt(text, found))


def _code_points(characters: list[str]) -> str:
    return ", ".join(dict.fromkeys(f"U+{ord(char):04X}" for char in characters[:8]))


def _texts(root: Any) -> Iterator[tuple[str, str]]:
    """(pointer, text) of every text and key; an explicit stack, as documents nest deeply."""
    stack: list[tuple[str, Any]] = [("", root)]
    while stack:
        pointer, node = stack.pop()
        if isinstance(node, str):
            yield pointer, node[:LONGEST]
        elif isinstance(node, dict):
            inside = [(f"{pointer}/{escape(key)}", key, value) for key, value in node.items()]
            for below, key, _ in inside:
                if INVISIBLE.search(key):
                    yield below, key
            stack.extend((below, value) for below, _, value in reversed(inside))
        elif isinstance(node, list):
            stack.extend(
                (f"{pointer}/{index}", node[index]) for index in reversed(range(len(node)))
            )


def _excerpt(text: str, found: re.Match[str] | None) -> str:
    start = max(0, (found.start() if found else 0) - 20)
    cut = " ".join(visible(text[start : start + EXCERPT]).split())
    return ("… " if start else "") + cut + (" …" if start + EXCERPT < len(text) else "")
