"""The one cleaner of document text: what a model, a terminal or a file gets to see of it.

Characters that are invisible or steer the display (controls, bidirectional overrides, zero-width
and tag characters) become U+FFFD, so that nothing hides in a description and nothing silently
disappears. Markdown and HTML become plain text, because a tool description is read as text.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from .runtime import invisible

INVISIBLE = re.compile(invisible.INVISIBLE)

_TAGS = (
    "a|abbr|b|blockquote|br|caption|center|code|col|colgroup|dd|del|details|div|dl|dt|em|figure"
    "|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|section|small|span|strike|strong|sub|summary"
    "|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video|iframe"
)
_BLOCK_TAG = re.compile(
    r"<\s*/?\s*(?:br|p|div|li|ul|ol|tr|table|h[1-6]|dd|dt|hr|pre|blockquote)\b[^<>]*>", re.I
)
_TAG = re.compile(rf"<\s*/?\s*(?:{_TAGS})\b[^<>]*>", re.I)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)")
_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.M)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.M)
_RULE = re.compile(r"^[ \t]*(?:[-*_=][ \t]*){3,}$", re.M)
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{3}[ \t:|-]*$", re.M)
_TABLE_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.M)
_QUOTE = re.compile(r"^[ \t]*>[ \t]?(?:\[![A-Z]+\])?[ \t]*", re.M)
_EMPHASIS = re.compile(r"(?<![\w*])(\*\*|__|\*)(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,5}|#x[0-9a-fA-F]{2,5});")
_SPACES = re.compile(r"[ \t\u00a0]+")
_LINES = re.compile(r"\n\s*\n+")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)[\"')\]]?\s+(?=[A-Z0-9\"'`(\[]|$)"
)


def visible(text: str) -> str:
    """`text` with every invisible or display-steering character replaced by U+FFFD; CR LF becomes
    LF.
    """
    return INVISIBLE.sub("\ufffd", text.replace("\r\n", "\n"))


def plain(text: object) -> str:
    """Document text as plain text: visible characters, no Markdown or HTML furniture, paragraphs on
    a line each.
    """
    return _plain(text) if isinstance(text, str) and text else ""


@lru_cache(maxsize=20_000)
def _plain(text: str) -> str:
    text = visible(text[:40_000])
    if "<" in text:
        text = _TAG.sub("", _BLOCK_TAG.sub("\n", _COMMENT.sub("", text)))
    if "&" in text:
        text = visible(_ENTITY.sub(lambda match: html.unescape(match.group()), text))
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if "\n" in text or text.startswith(("#", ">")):
        text = _HEADING.sub(r"\1", _RULE.sub("", _TABLE_RULE.sub("", _FENCE.sub("", text))))
        text = _QUOTE.sub("", text)
        text = _TABLE_ROW.sub(
            lambda match: " ".join(match.group(1).replace("|", " ").split()), text
        )
    text = _EMPHASIS.sub(r"\2", text)
    paragraphs = (" ".join(part.split()) for part in _LINES.split(_SPACES.sub(" ", text)))
    return "\n".join(part for part in paragraphs if part)


def shorten(text: str, limit: int) -> str:
    """`text` cut to at most `limit` characters, at a sentence where one ends late enough, else at a
    word.
    """
    if len(text) <= limit:
        return text
    if limit < 12:
        return ""
    head = text[:limit]
    ends = [match.start() for match in _SENTENCE_END.finditer(head)]
    if ends and ends[-1] >= limit * 2 // 5:
        return head[: ends[-1]].rstrip()
    return head[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:.-(") + "\u2026"


def first_sentence(text: str) -> tuple[str, str]:
    """The first sentence of plain text without its full stop, and the rest."""
    line, _, rest = text.partition("\n")
    match = _SENTENCE_END.search(line)
    if match:
        head, tail = line[: match.start()], line[match.end() :]
        return head.rstrip(" ."), "\n".join(part for part in (tail, rest) if part)
    return line.rstrip(" ."), rest


def sentences(line: str) -> list[str]:
    """The sentences of one line of plain text, each with its full stop."""
    ends = [match.end() for match in _SENTENCE_END.finditer(line)]
    starts = [0, *ends]
    parts = [line[start:end].strip() for start, end in zip(starts, [*ends, len(line)], strict=True)]
    return [part for part in parts if part]


def words(text: str) -> list[str]:
    """The lower-case ASCII words of a name in any convention: `listBooks`, `list-books`,
    `HTTPServer2` and so on.
    """
    import unicodedata

    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", ascii_text)
    return re.findall(r"[a-z0-9]+", spaced.lower())


def humanise(name: str) -> str:
    """A wire name as words: `pageSize` → `page size`."""
    return " ".join(words(name)) or name
