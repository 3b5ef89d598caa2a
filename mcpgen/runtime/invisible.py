"""Characters that nobody sees."""

from __future__ import annotations

from typing import Final

INVISIBLE: Final = (
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    "\u00ad\u034f\u061c"  # soft hyphen, combining grapheme joiner, Arabic letter mark
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # fillers of Hangul and Khmer
    "\u180b-\u180f\ufe00-\ufe0f"  # Mongolian and other variation selectors
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, bidi marks, separators, operators
    "\ufeff\ufff0-\ufffb"  # byte order mark, interlinear marks
    "\ud800-\udfff"  # lone surrogates
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of shorthand and of music
    "\U000e0000-\U000e0fff"  # tags
    "]"
)
"""A class of a regular expression (Unicode categories Cc, Cf, Cs and look-alikes of nothing)."""
