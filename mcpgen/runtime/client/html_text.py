"""The text of an HTML error page, in one pass and in time proportional to its length."""

from __future__ import annotations

import html
import re

# Elements whose content is not for readers
_HIDDEN = {
    name: re.compile(f"</{name}\\s*>", re.I) for name in ("script", "style", "head", "template")
}
_NAME = re.compile(r"<([A-Za-z]{1,20})\b")
_BRACKET = re.compile(r"[<>]")
_SPACES = re.compile(r"\s+")
_LONG_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{8,}")


def is_html(text: str) -> bool:
    """Return whether a text begins as an HTML page does."""
    return text.lstrip()[:14].lower().startswith(("<!doctype html", "<html"))


def text_of_html(page: str) -> str:
    """The visible text of a page: no tags, comments, scripts or styles; one space between words."""
    texts: list[str] = []
    unclosed: set[str] = set()
    position = 0
    while (start := page.find("<", position)) >= 0:
        texts.append(page[position:start])
        position, text = _after_markup(page, start, unclosed)
        texts.append(text)
    texts.append(page[position:])
    # No character has a longer number, and Python refuses to read the longest
    text = html.unescape(_LONG_REFERENCE.sub(" ", "".join(texts)))
    return _SPACES.sub(" ", text).strip()


def _after_markup(page: str, start: int, unclosed: set[str]) -> tuple[int, str]:
    """The position after the markup at `start`, and the text that replaces it.

    `unclosed` collects hidden elements without an end in the rest of the page: their end is not
    searched for again.
    """
    if page.startswith("<!--", start):
        end = page.find("-->", start + 4)
        if end < 0:
            return len(page), ""
        return end + 3, " "
    element = _NAME.match(page, start)
    if element is not None:
        name = element[1].lower()
        if name in _HIDDEN and name not in unclosed:
            closing = _HIDDEN[name].search(page, start)
            if closing is not None:
                return closing.end(), " "
            unclosed.add(name)
    bracket = _BRACKET.search(page, start + 1)
    if bracket is None:
        return len(page), ""
    if bracket[0] == "<":
        return bracket.start(), page[start : bracket.start()]
    return bracket.end(), " "
