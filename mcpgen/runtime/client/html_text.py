"""The text of an HTML page, for error pages: one pass, in time that grows with the page alone."""

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
    """Whether a text begins as an HTML page does."""
    return text.lstrip()[:14].lower().startswith(("<!doctype html", "<html"))


def text_of_html(page: str) -> str:
    """What a reader sees of a page: no tags, comments, scripts or styles, spaces run together."""
    pieces: list[str] = []
    unclosed: set[str] = set()
    at = 0
    while (start := page.find("<", at)) >= 0:
        pieces.append(page[at:start])
        at, text = _after_markup(page, start, unclosed)
        pieces.append(text)
    pieces.append(page[at:])
    # No character has a longer number, and Python refuses to read the longest
    text = html.unescape(_LONG_REFERENCE.sub(" ", "".join(pieces)))
    return _SPACES.sub(" ", text).strip()


def _after_markup(page: str, start: int, unclosed: set[str]) -> tuple[int, str]:
    """Where the page goes on after the `<` at `start`, and the text that stands for what was there.

    `unclosed` holds the elements that end nowhere behind here: they are not looked for again.
    """
    if page.startswith("<!--", start):
        end = page.find("-->", start + 4)
        return (len(page), "") if end < 0 else (end + 3, " ")
    element = _NAME.match(page, start)
    name = element[1].lower() if element else ""
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
