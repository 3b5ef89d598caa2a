"""Cleaning of document text: the text that a model, a terminal or a file receives.

Characters that are invisible or steer the display (controls, bidirectional overrides, zero-width
and tag characters) become U+FFFD, so that nothing hides in a text; parts of an emoji stay. Markdown
and HTML become plain text; the items of a list keep their lines.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import TypeVar

from .runtime.results import INVISIBLE as _INVISIBLE

_EMOJI = (
    "#*0-9\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"  # what a variation selector can follow
)
INVISIBLE = re.compile(
    rf"{_INVISIBLE}(?<![{_EMOJI}]\ufe0f)(?<![{_EMOJI}\ufe0f]\u200d(?=[{_EMOJI}]))"
)
"""One invisible character that is no part of an emoji."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\x1b"}

_TAGS = (
    "a|abbr|b|blockquote|br|caption|center|code|col|colgroup|dd|del|details|div|dl|dt|em|figure"
    "|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|section|small|span|strike|strong|sub|summary"
    "|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video|iframe"
)
_BLOCK_TAG = re.compile(
    r"<\s*/?\s*(?:br|p|div|li|ul|ol|tr|table|h[1-6]|dd|dt|hr|pre|blockquote)\b[^<>]*>", re.I
)
_TAG = re.compile(rf"<\s*/?\s*(?:{_TAGS})\b[^<>]*>", re.I)
_ANCHOR = re.compile(r"<a\b[^<>]*>([^<>\[\]\n]{1,300})</a\s*>", re.I)
_CODE_BLOCK = re.compile(r"<pre>\s*<code>")
_ESCAPED_HTML = re.compile(r"&lt;/?(?:code|note)&gt;|^\s*&lt;/\w+&gt;\s*$")
"""HTML that a converter took for code because it was indented; it occurs in no code."""
_ITEM_TAG = re.compile(r"<\s*li\b[^<>]*>", re.I)
# Tags of a documentation tool (`<Warning>`) end somewhere; a placeholder (`<owner>`) does not.
_OTHER_TAG = re.compile(r"</?([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_END_TAG = re.compile(r"</([A-Za-z][\w.-]*)\s*>")
_EMPTY_TAG = re.compile(r"<[A-Za-z][\w.-]*(?:\s[^<>]*)?/>")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
_LINK = re.compile(
    r"\[((?:[^\[\]]|\[[^\[\]\n]*\]){1,500})\](?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^\[\]\n]*\]"
    r"|\(https?://[^\s()]*[^\s().,;:](?=[.,;:]?(?:\s|$)))"  # a link that nobody closed
)
_LOOSE_REFERENCE = re.compile(r"^([^\[\]\n]*)\]\[[^\[\]\n]*\]", re.M)
"""The end of a link without a beginning."""
_LINK_TARGET = re.compile(r"^[ \t]*\[[^\[\]\n]+\]:[ \t]*\S+.*$", re.M)
# A sentence that does nothing but send its reader to another page.
_FURTHER = re.compile(
    r"\[(?:learn|read|see) more\b[^\]\n]{0,200}\]\([^()\s]{0,500}\)\.?"
    r"|(?:For (?:more|further|additional) (?:information|details|info)|(?:To )?learn more)"
    r"[^.\[\n]{0,80}\[[^\]\n]{1,200}\]\([^()\s]{0,500}\)[^.\n\[]{0,20}(?:\.[\"”']?|$)",
    re.I | re.M,
)
_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.M)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.M)
_IDLE_HEADING = re.compile(
    r"^[ \t]{0,3}#{1,6}[ \t]+"
    r"(?:(?:description|overview|summary)[ \t]*:?|(\w+)(?=[ \t#:]*\n+\1\b))[ \t#:]*$",
    re.I | re.M,
)
"""A heading without content of its own, or with the first words of the text below."""
_INLINE_HEADING = re.compile(r"(?<=[.:!?`])[ \t]+#{2,6}[ \t]+(?=[A-Z])")
"""A heading inside a line: the lines of the text were joined."""
_INLINE_FENCE = re.compile(r"```([^`\n]{1,500})```")
_NOTHING = re.compile(r"\s*(?:none|null|undefined|n/?a|tbd)\.?\s*", re.I)
"""A converter's text for a missing text: `None`, `N/A`."""
_UNMARKED = re.compile(r"(?=[A-Za-z])[A-Za-z0-9 ,.:;!?'\"()/%=@$-]{1,1000}")
"""A line without a mark of Markdown, HTML or anything else."""
_TEMPLATE_TAG = re.compile(r"\{%-?[^{}\n]{0,300}?%\}[ \t]?")
"""A tag of Markdoc or Liquid: `{% admonition type="info" %}`."""
_RULE = re.compile(r"^[ \t]*(?:[-*_=][ \t]*){3,}$", re.M)
_TABLE_RULE = re.compile(r"^[ \t]*(?:\|[ \t:|-]*-|[ \t:|-]*-{3})[ \t:|-]*$", re.M)
_BARE_TABLE = re.compile(
    r"^[^\n|]+\|[^\n]*\n[ \t:-]*-[ \t:-]*\|[ \t:|-]*(?:\n[^\n|]*\|[^\n]*)*", re.M
)
"""A table whose rows have no border."""
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|(\d{1,3})[.)])[ \t]+(?=\S)", re.M)
_TABLE_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.M)
_QUOTE = re.compile(r"^[ \t]*>[ \t]?(?:\[![A-Z]+\])?[ \t]*", re.M)
_EMPHASIS = re.compile(r"(?<![\w*])(\*\*|__|\*)(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_ESCAPED = re.compile(r"\\([_*<>#|])")
"""An escaped Markdown mark (CommonMark 2.4); other escapes occur in patterns."""
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,7}|#x[0-9a-fA-F]{2,5});")
_SPACES = re.compile(r"[ \t\u00a0]+")
_LINES = re.compile(r"\n\s*\n+")
# Before a lower-case letter only a full stop after a whole word ends a sentence; before a name in
# code and before `deprecated` any does.
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!\b(?:vs|cf|eg|ex|ie)\.)[\"')\]]?\s+"
    r"(?=[A-Z0-9\"'`(\[]|[*\u2022] |$)"
    r"|(?<=[A-Za-z]{5}\.)(?<!approx\.)\s+(?=[a-z]{3})"
    r"|(?<=[A-Za-z]{3}\.)\s+(?=[a-z]+_[a-z]|deprecated\b)"
    r"|(?<=[\u3002\uff01\uff1f])(?=.)"  # the full stops of Chinese and Japanese
    r"|(?<=[a-z]{3}\.)"  # somebody forgot the space
    r"(?=(?:The|This|These|It|If|You|With|For|When|Use|Note|Please|Only|To|An?|In) )"
)
LEAST_CUT = 30
"""Characters that a cut of a description saves at least."""
_ONE_WORD = re.compile(
    r"OAuth|(?<![a-z])oAuth|IPv(?=[46])|GraphQL|GitHub|GitLab|MySQL|PostgreSQL|MongoDB|YouTube"
    r"|LinkedIn|PayPal|WhatsApp|DevOps|macOS|iOS(?![a-z])|mTLS|SAML"
)
"""Names whose capitals begin no word."""
_BOUNDARY = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])"
    r"|(?<=[A-Z])(?=[A-Z][a-z])(?![B-Z]s(?![a-z])|As(?![a-zA-Z]))"  # `IDs` is one word
    r"|(?<=Saml)(?=[a-z]{2})"  # `SAMLmetadata`
)
"""Word boundaries in a name in capitals."""

Progress = Callable[[str], None]
"""A function that is called with a message on the progress of a stage."""
Item = TypeVar("Item")
MANY = 30


def silent(_: str) -> None:
    """Ignore a message."""


def shares(items: Collection[Item], tell: Progress, doing: str) -> Iterator[Item]:
    """Return an iterator over items; for `MANY` or more, `tell` is called with each new percentage:
    `upgrading, 40 %`.
    """
    if len(items) < MANY:
        return iter(items)
    return _counted(items, tell, doing)


def _counted(items: Collection[Item], tell: Progress, doing: str) -> Iterator[Item]:
    last = -1
    for count, item in enumerate(items):
        share = 100 * count // len(items)
        if share != last:
            tell(f"{doing}, {share} %")
        last = share
        yield item


def visible(text: str) -> str:
    """Return `text` with U+FFFD for invisible or display-steering characters; CR LF becomes LF."""
    return INVISIBLE.sub("\ufffd", text.replace("\r\n", "\n"))


def escape(text: str, limit: int = 0) -> str:
    """Return a text, first cut to `limit` characters if given, with escape sequences for control,
    invisible and direction-changing characters.
    """
    if limit and len(text) > limit:
        text = text[: limit - 1] + "…"
    return INVISIBLE.sub(_spelt_out, _CONTROL.sub(_spelt_out, text))


def _spelt_out(match: re.Match[str]) -> str:
    character = match.group()
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if ord(character) < 0x10000:
        return f"\\u{ord(character):04x}"
    return f"\\U{ord(character):08x}"


def plain(text: object) -> str:
    """Return document text as plain text: visible characters, no Markdown or HTML, paragraphs on a
    line each. At most 40,000 characters are read; empty for `None`, `N/A` and what is no text.
    """
    if not isinstance(text, str) or _NOTHING.fullmatch(text):
        return ""
    return " ".join(text.split()) if _UNMARKED.fullmatch(text) else _plain(text)


@lru_cache(maxsize=20_000)
def _plain(text: str) -> str:
    text = _TEMPLATE_TAG.sub("", visible(text[:40_000]))
    if "<" in text:
        text = _without_tags(text)
    if "&" in text:
        text = visible(_ENTITY.sub(lambda match: html.unescape(match.group()), text))
    if "[" in text:
        text = _LINK_TARGET.sub("", _FURTHER.sub("", text))
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
        text = _LOOSE_REFERENCE.sub(r"\1", text)
    if "```" in text:
        text = _INLINE_FENCE.sub(lambda match: f"`{match.group(1).strip()}`", text)
    if "|" in text:
        text = _BARE_TABLE.sub(_with_borders, text)
    text = _INLINE_HEADING.sub("\n\n", text)
    if "\n" in text or text.startswith(("#", ">")):
        text = _IDLE_HEADING.sub("", text)
        text = _QUOTE.sub("", _RULE.sub("", _TABLE_RULE.sub("", _FENCE.sub("", text))))
        text = _HEADING.sub(_heading, text)
        text = _TABLE_ROW.sub(
            lambda match: "\n- " + " ".join(match.group(1).replace("|", " ").split()), text
        )
        text = _ITEM.sub(_item, text)
    paragraphs = (" ".join(part.split()) for part in _LINES.split(_SPACES.sub(" ", text)))
    lines: list[str] = []
    for paragraph in paragraphs:
        if lines and _goes_on(lines[-1], paragraph):
            lines[-1] += f" {paragraph}"
        elif paragraph:
            lines.append(paragraph)
    return _ESCAPED.sub(r"\1", _EMPHASIS.sub(r"\2", "\n".join(lines)))


def _with_borders(table: re.Match[str]) -> str:
    """Return a table with `|` at both ends of each row."""
    return "\n".join(f"|{line.strip()}|" for line in table.group().split("\n"))


def _goes_on(line: str, following: str) -> bool:
    """Return whether a paragraph continues the sentence of the line before it."""
    return line[-1] not in ".:!?;" and following[:1].islower()


def _heading(heading: re.Match[str]) -> str:
    """Return a heading as a paragraph; with a colon, as the beginning of the next paragraph."""
    title = heading.group(1)
    if title.endswith(":"):
        return f"\n\n{title}"
    return f"\n\n{title}\n\n"


def _item(marker: re.Match[str]) -> str:
    """Return the beginning of a list's item, on a line of its own."""
    number = marker.group(1)
    if number is None:
        return "\n\n- "
    return f"\n\n{number}. "


def _without_tags(text: str) -> str:
    """Return a text without tags of HTML and, where they are ended, of documentation tools; items
    become lines, links Markdown.
    """
    text = _with_escaped_html(text)
    text = _ANCHOR.sub(r"[\1](#)", _COMMENT.sub("", text))
    text = _ITEM_TAG.sub("\n- ", text)
    text = _EMPTY_TAG.sub("", _TAG.sub("", _BLOCK_TAG.sub("\n", text)))
    ended = {*_END_TAG.findall(text)}
    return _OTHER_TAG.sub(lambda tag: "" if tag.group(1) in ended else tag.group(), text)


def _with_escaped_html(text: str) -> str:
    """Return a text whose blocks of code are unescaped where they hold documentation in HTML."""
    before, *blocks = _CODE_BLOCK.split(text)
    parts = [before]
    for block in blocks:
        code, _, after = block.partition("</code>")
        if _ESCAPED_HTML.search(code):
            code = visible(html.unescape(code))
        parts.append(f"\n{code}{after}")
    return "".join(parts)


@lru_cache(maxsize=20_000)
def shorten(text: str, limit: int) -> str:
    """Return `text` cut to at most `limit` characters, at a sentence that ends late enough, else at
    a word. Empty for a longer text and a limit below 12.
    """
    if len(text) <= limit:
        return text
    if limit < 12:
        return ""
    head = text[:limit]
    ends = [match.start() for match in _SENTENCE_END.finditer(head)]
    if ends and ends[-1] >= limit * 2 // 5:
        return head[: ends[-1]].rstrip()
    head = head[: limit - 1].rsplit(" ", 1)[0]
    if head.count("`") % 2 and head.rfind("`") > limit // 2:
        head = head[: head.rfind("`")]
    if head.count("(") > head.count(")") and head.rfind("(") > limit // 2:
        head = head[: head.rfind("(")]
    return head.rstrip(" \n,;:.-(") + "\u2026"


def shortened(text: str, limit: int) -> str:
    """Return a text cut by `shorten`; whole if the cut would save fewer than `LEAST_CUT`
    characters, and `limit` is at least four times as many.
    """
    if limit >= 4 * LEAST_CUT and len(text) < limit + LEAST_CUT:
        return text
    return shorten(text, limit)


@lru_cache(maxsize=20_000)
def first_sentence(text: str) -> tuple[str, str]:
    """Return the first sentence of plain text without its full stop, and the rest."""
    line, _, rest = text.partition("\n")
    match = _SENTENCE_END.search(line)
    if match:
        head, tail = line[: match.start()], line[match.end() :]
        return head.rstrip(" ."), "\n".join(part for part in (tail, rest) if part)
    return line.rstrip(" ."), rest


@lru_cache(maxsize=20_000)
def sentences(line: str) -> tuple[str, ...]:
    """Return the sentences of one line of plain text, each with its full stop."""
    ends = [match.end() for match in _SENTENCE_END.finditer(line)]
    starts = [0, *ends]
    parts = [line[start:end].strip() for start, end in zip(starts, [*ends, len(line)], strict=True)]
    return tuple(part for part in parts if part)


def words(text: str) -> list[str]:
    """Return the lower-case ASCII words of a name in any convention: `listBooks`, `list-books`,
    `HTTPServer2`, `userIDs`, `OAuthApp` and so on.
    """
    return list(_words(text))


@lru_cache(maxsize=20_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(split_words(_ONE_WORD.sub(lambda word: word[0].capitalize(), text)))


def split_words(text: str) -> list[str]:
    """Return the words of a name by its capitals alone: `OAuth2` is `o`, `auth2`."""
    return re.findall(r"[a-z0-9]+", _BOUNDARY.sub(" ", ascii_of(text)).lower())


def ascii_of(text: str) -> str:
    """Return a text in ASCII: letters without accents, others transliterated (`цена` → `tsena`)."""
    letters = unaccented(text)
    if letters.isascii():
        return letters
    from anyascii import anyascii  # late: few documents have such names

    return anyascii(letters)


def unaccented(text: str) -> str:
    """Return a text without accents; `ß` is `ss`, letters that are not Latin stay."""
    if text.isascii():
        return text
    import unicodedata

    letters = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def humanise(name: str) -> str:
    """Return a wire name as words, `pageSize` → `page size`; unchanged if it has none."""
    return " ".join(words(name)) or name


def plural(count: int, word: str) -> str:
    """Return a number and a noun: `1 tool`, `2,000 tools`."""
    return f"{count:,} {word}{'s' * (count != 1)}"


def age(seconds: float) -> str:
    """Return a passed time in its largest unit, `3 days`; below a minute `a moment`."""
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return plural(int(seconds // size), word)
    return "a moment"
