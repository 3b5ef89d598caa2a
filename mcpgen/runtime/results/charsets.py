"""Text of an answer: bytes and a charset in, text out, in time that grows with the bytes alone."""

from __future__ import annotations

import codecs

_CHARSETS = frozenset(
    (
        "ascii",
        "big5",
        "big5hkscs",
        "cp932",
        "cp949",
        "cp950",
        "euc_jp",
        "euc_kr",
        "gb18030",
        "gb2312",
        "gbk",
        "iso2022_jp",
        "koi8-r",
        "koi8-u",
        "mac-roman",
        "shift_jis",
        "tis-620",
        "utf-16",
        "utf-16-be",
        "utf-16-le",
        "utf-32",
        "utf-32-be",
        "utf-32-le",
        "utf-8",
        "utf-8-sig",
        *(f"cp{number}" for number in (437, 850, 866, 874, *range(1250, 1259))),
        *(f"iso8859-{number}" for number in (*range(1, 12), 13, 14, 15, 16)),
    )
)
"""Names of the codecs that are used, as `codecs.lookup` gives them.

Python has others that take quadratic time (`punycode`), or do not decode text (`hex`, `rot13`).
"""

# The marks of UTF-32 begin like those of UTF-16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(content: bytes, charset: str) -> str:
    """The bytes as text. A byte order mark goes before the charset, an unknown charset is UTF-8,
    and what cannot be decoded becomes U+FFFD.
    """
    for mark, codec in _MARKS:
        if content.startswith(mark):
            return content.decode(codec, "replace")
    return content.decode(codec_of(charset), "replace")


def codec_of(charset: str) -> str:
    """The codec of a charset name, one of a short list; UTF-8 for any other."""
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if name in _CHARSETS else "utf-8"
