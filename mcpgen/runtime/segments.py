"""Path segments as every reader between here and the API may understand them.

A server, proxy or framework may decode a path once, twice or not at all before it routes, and some
take a backslash for a slash. A path is judged by each of these readings.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

MAX_DECODINGS = 8

# Slash and backslash, and the characters that compatibility normalisation turns into them
_SEPARATOR = re.compile("[/\\\\\uff0f\uff3c\ufe68]")
# Dots that only careless decoders see: overlong UTF-8 and the %u escapes of old
_DISGUISED_DOT = re.compile(r"%c0%(?:ae|2e)|%e0%80%ae|%u(?:002e|ff0e)", re.I)
_DOTS = (".", "..")


class TooManyDecodings(ValueError):
    """The text is still percent-encoded after `MAX_DECODINGS` decodings."""


def readings(text: str) -> list[str]:
    """The text and the result of each further percent-decoding, until nothing changes.

    Raises TooManyDecodings, so that the work stays in proportion to the length of the text.
    """
    texts = [text]
    if "%" not in text:
        return texts
    while (decoded := _decoded(texts[-1])) != texts[-1]:
        if len(texts) > MAX_DECODINGS:
            raise TooManyDecodings(f"is percent-encoded more than {MAX_DECODINGS} times over")
        texts.append(decoded)
    return texts


def has_dot_segment(text: str) -> bool:
    """Whether some reader takes a segment of the text, undecoded, for `.` or `..`."""
    return any(_is_dots(segment) for segment in _SEPARATOR.split(text))


def may_hold_dots(text: str) -> bool:
    """Whether any reading of a text has a dot segment. Raises TooManyDecodings."""
    return any(has_dot_segment(reading) for reading in readings(text))


def _decoded(text: str) -> str:
    return unquote(_DISGUISED_DOT.sub(".", text), errors="replace")


def _is_dots(segment: str) -> bool:
    """Whether a segment is `.` or `..`, also with path parameters (`..;x`)."""
    name = segment.partition(";")[0].strip()
    # No text of more than two characters normalises to one or two dots
    if len(name) > 2:
        return False
    return unicodedata.normalize("NFKC", name) in _DOTS
