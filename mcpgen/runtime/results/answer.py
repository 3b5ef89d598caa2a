"""Answer of the API as data, and as much of it as a model has room for.

`fit` spends a number of tokens on data. Nothing is cut silently: `Cuts` lists what was left out.
"""

from __future__ import annotations

import codecs
import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from json.encoder import encode_basestring
from typing import Any, Generic, TypeVar

from . import Answered, compact

T = TypeVar("T")

LARGE = 1_000_000
"""Bytes of an answer that is read and cut in a thread, so that other calls go on meanwhile."""

STREAMS = frozenset(
    (
        "text/event-stream application/x-ndjson application/ndjson application/jsonl"
        " application/x-jsonl application/json-lines application/json-seq application/stream+json"
    ).split()
)
"""Media types of answers that may have no end."""

NEXT_PAGE = ("next-page", "x-next-page")
"""Header fields with the number or the URL of the next page, where there is one."""

UNTYPED = ("", "application/octet-stream", "binary/octet-stream")
# Names under which servers that do not care send their JSON
_MISNAMED = (*UNTYPED, "text/plain", "text/html", "text/javascript", "application/javascript")
_BEFORE_JSON = codecs.BOM_UTF8 + b" \t\r\n"
_TEXTS = re.compile(
    r"text/.*|.*[+/](xml|yaml|x-yaml|csv|graphql|sql|javascript|ecmascript|x-sh|toml"
    r"|x-www-form-urlencoded)|image/svg\+xml"
)
_UNCERTAIN = re.compile("(?!application/pdf)(application|binary|message|multipart)/.*")
"""Media types of texts and of bytes: `application/jwt`, `application/zip`."""
_BINARY = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
"""Bytes that occur in no text."""

_CHARSET = re.compile(r"charset=[\"']?([\w.:-]{1,40})", re.I | re.A)
_DECLARED = re.compile(
    rb"(?:<\?xml[^>]{1,100}\bencoding|<meta\s[^>]{0,100}\bcharset)\s*=\s*[\"']?([\w.:-]{1,40})",
    re.I,
)
"""Charset that an XML declaration or a page names."""

_CHARSETS = frozenset(
    (
        "ascii big5 big5hkscs cp932 cp949 cp950 euc_jp euc_kr gb18030 gb2312 gbk iso2022_jp koi8-r"
        " koi8-u mac-roman shift_jis tis-620 utf-16 utf-16-be utf-16-le utf-32 utf-32-be utf-32-le"
        " utf-8 utf-8-sig"
    ).split()
    + [f"cp{number}" for number in (437, 850, 866, 874, *range(1250, 1259))]
    + [f"iso8859-{number}" for number in (*range(1, 12), 13, 14, 15, 16)]
)
"""Names of the codecs that are used, as `codecs.lookup` gives them.

Python has others that take quadratic time (`punycode`), or do not decode text (`hex`, `rot13`).
"""

_LABELS = {
    "iso-8859-8-i": "iso8859-8", "windows-31j": "cp932", "x-euc-jp": "euc_jp", "x-gbk": "gbk",
    "x-sjis": "cp932",
}  # fmt: skip
"""Names of charsets that Python does not know."""
_READ_AS = {
    "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030",
}  # fmt: skip
"""Codec that reads all that is sent under the name of another (WHATWG Encoding, section 4.2):
quotation marks of Windows, for example, as ISO 8859-1.
"""

# The marks of UTF-32 begin like those of UTF-16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


_Tree = dict[str | None, Any]
_Paths = tuple[_Tree, _Tree]


def selected(value: Any, keep: Iterable[str], drop: Iterable[str] = ()) -> Any:
    """Return the part of JSON data at the dotted paths in `keep` (empty: all) without the paths in
    `drop`. `*` means any key, and a path continues in every item of a list.
    """
    return _selected(value, (_tree(keep), _tree(drop)))


def _selected(value: Any, paths: _Paths) -> Any:
    if isinstance(value, list):
        return [_selected(item, paths) for item in value]
    if not isinstance(value, dict):
        return value
    found = ((key, item, _below(paths, key, item)) for key, item in value.items())
    return {key: _selected(item, below) for key, item, below in found if below is not None}


def _tree(paths: Iterable[str]) -> _Tree:
    """Return paths as nested keys with None at each end: `a.b` is `{"a": {"b": {None: True}}}`."""
    root: _Tree = {}
    for path in paths:
        node = root
        for key in path.replace("[]", "").strip(".").split("."):
            node = node.setdefault(key, {})
        node[None] = True
    return root


def _inside(tree: _Tree, key: str) -> _Tree:
    """Return the paths inside a key, which may hold dots (`@odata.etag`), or inside any (`*`)."""
    node = tree
    for part in key.split("."):
        node = node.get(part, {})
    return {**node, **tree.get("*", {})}


def _below(paths: _Paths, key: str, item: Any) -> _Paths | None:
    """Return the paths to keep and to drop inside a member; None if the member goes."""
    keep, drop = (_inside(tree, key) for tree in paths)
    if None in drop:
        return None
    if not paths[0]:
        return keep, drop
    if None in keep:
        return {}, drop
    inside = keep if isinstance(item, dict | list) else None
    return (inside, drop) if inside else None


@dataclass(frozen=True)
class Answer(Answered, Generic[T]):
    """Answer of the API: `data` is its JSON, or None when it is null, not JSON or not parsed;
    `text` is its text, or None for bytes.

    `headers` have lower-case names; `path` is the template of the operation, not the URL;
    `incomplete` says why the content is not all of it.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    content: bytes = field(default=b"", repr=False)
    data: T | None = field(default=None, repr=False)
    method: str = ""
    path: str = ""
    incomplete: str = ""

    @property
    def media_type(self) -> str:
        """Media type without parameters, in lower case; of several the first. Empty without any,
        and for a word such as `json`.
        """
        named = re.split("[;,]", self.headers.get("content-type", ""))[0].strip().lower()[:100]
        return named if "/" in named else ""

    @cached_property
    def text(self) -> str | None:
        """Content as text, undecodable bytes as U+FFFD; None for bytes, by the media type or, if
        that is uncertain, by the first bytes.
        """
        if self._is_text:
            return decode(self.content, self._codec)
        return None

    @property
    def _is_text(self) -> bool:
        """Whether the media type is text; for an uncertain media type, by the content's first
        bytes.
        """
        if self.is_json or self.media_type in STREAMS:
            return True
        if _TEXTS.fullmatch(self.media_type):
            return True
        if self.media_type and not _UNCERTAIN.fullmatch(self.media_type):
            return False
        return looks_like_text(self.content)

    @property
    def is_json(self) -> bool:
        """Whether the media type is a JSON one (RFC 8259, RFC 6839 section 3.1)."""
        return self.media_type.endswith(("/json", "+json", "/x-json", "/vnd.api+json"))

    @property
    def charset(self) -> str:
        """Charset that the media type names; empty without any."""
        return charset_of(self.headers.get("content-type", ""))

    @property
    def _codec(self) -> str:
        """Codec of the charset named by the media type or the document itself; without a charset,
        or for ASCII, UTF-8, or `cp1252` (browsers' default) for text that is not UTF-8.
        """
        if codec_of(self.charset or "ascii") != "ascii":
            return _reader_of(self.charset)
        if re.search("xml|html", self.media_type):
            declared = _DECLARED.search(self.content[:1024])
            if declared is not None:
                return _reader_of(declared[1].decode("ascii"))
        if _is_utf8(self.content, is_whole=not self.incomplete):
            return "utf-8"
        return "cp1252"


def goes_on(headers: Mapping[str, str], content: bytes) -> bool:
    """Return whether an answer, of which some has come, may have no end: a stream by its media type
    or its JSON lines, or a text of no known length, such as a log that is followed.
    """
    answer: Answer[Any] = Answer(200, headers, content)
    if answer.media_type in STREAMS:
        return bool(content)
    if answer.media_type.startswith("text/") and "content-length" not in headers:
        return bool(content)
    return answer.is_json and lines_of_json(content)


def lines_of_json(content: bytes) -> bool:
    """Return whether the first line is a JSON object and ends with a line feed, as in streams that
    call themselves JSON.
    """
    line, end, _ = content.partition(b"\n")
    try:
        return bool(end) and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


MAX_VALUES = 1_000_000
"""Values of all large answers at once: each takes up to 310 bytes of memory until it is cut and
written.
"""
BYTES_OF_A_VALUE = 10
"""Bytes of an answer that take the memory of a value."""
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def values_in(answer: Answer[Any]) -> int:
    """Return about how many values an answer has, by commas and brackets if it may be JSON; at
    least one for each `BYTES_OF_A_VALUE` bytes, up to `MAX_VALUES`.
    """
    least = len(answer.content) // BYTES_OF_A_VALUE
    marks = _marks(answer.content) * _may_be_json(answer)
    if marks > MAX_VALUES:
        marks = _marks(_STRINGS.sub(b"", answer.content))
    return max(marks, min(least, MAX_VALUES))


def _marks(content: bytes) -> int:
    """Count commas and opening brackets: about the number of values in JSON."""
    return sum(map(content.count, (b",", b"[", b"{")))


def parsed(answer: Answer[Any]) -> Answer[Any]:
    """Return the answer with its `data`, if its content is JSON by its media type or without any,
    or an object or array under one that servers give JSON (`text/html`); else the same answer.
    """
    if not answer.content or not _may_be_json(answer):
        return answer
    try:
        text = _json_text(answer)
        return dataclasses.replace(answer, data=json.loads(text, parse_constant=_not_json))
    except (ValueError, RecursionError):
        return answer


def _may_be_json(answer: Answer[Any]) -> bool:
    if answer.is_json or answer.media_type == "":
        return True
    begins_like_json = answer.content[:64].lstrip(_BEFORE_JSON).startswith((b"{", b"["))
    return begins_like_json and answer.media_type in _MISNAMED


def _json_text(answer: Answer[Any]) -> str:
    """Decode the body of a JSON answer: UTF-8 (RFC 8259, section 8.1), also with a byte order mark,
    UTF-16, or the charset that the answer names. Raises ValueError for bytes of no such encoding.
    """
    charset = answer.charset
    for codec in (json.detect_encoding(answer.content[:4]), _reader_of(charset)):
        with suppress(UnicodeDecodeError):
            return answer.content.decode(codec)
    return answer.content.decode(codec_of(charset))  # cp1252 has no characters for five bytes


def _not_json(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def looks_like_text(content: bytes) -> bool:
    """Return whether the first 4 KiB are UTF-8 without control characters of binary data."""
    head = content[:4096]
    return _BINARY.search(head) is None and _is_utf8(head, is_whole=False)


def _is_utf8(content: bytes, *, is_whole: bool) -> bool:
    """Return whether bytes are UTF-8; unless `is_whole`, the last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content, is_whole)
    except UnicodeDecodeError:
        return False
    return True


def decode(content: bytes, codec: str) -> str:
    """Return bytes as text. A byte order mark overrules the codec, and undecodable bytes become
    U+FFFD.
    """
    for mark, codec_of_mark in _MARKS:
        if content.startswith(mark):
            return content.decode(codec_of_mark, "replace")
    return content.decode(codec, "replace")


def charset_of(media_type: str) -> str:
    """Return the charset that a media type names; empty without any."""
    named = _CHARSET.search(media_type)
    return named[1] if named else ""


def codec_of(charset: str) -> str:
    """Return the codec of a charset name, if one of `_CHARSETS`; `utf-8` for any other."""
    try:
        name = codecs.lookup(_LABELS.get(charset.lower(), charset)).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if name in _CHARSETS else "utf-8"


def _reader_of(charset: str) -> str:
    """Return the codec that reads an answer in a charset: `cp1252` for ISO 8859-1."""
    codec = codec_of(charset)
    return _READ_AS.get(codec, codec)


_SLICE = re.compile(r"(.*)\[(\d{1,9}):\]", re.DOTALL)


_INDEX = re.compile(r"\[(\d{1,9})\]\.?")


_WHOLE = {"items": "the list", "fields": "the object", "characters": "the text"}


Narrow = Callable[[list[Any], int], list[Any]]
"""Takes less of every item of a list, for a number of tokens."""

LEAST = 25
"""Tokens of its value that a field is worth listing with."""


CORE = 200
"""Characters of a text in a list's item that stay before items go."""


_PIECES = re.compile(
    r"([A-Za-z0-9]{24,48}|(?=[A-Za-z]*[0-9]+[A-Za-z]+[0-9A-Z])[A-Za-z0-9]{7,23})"
    r"|([^\x00-\uffff]|[\u1200-\u1dff\u2070-\u2fff\ua000-\uabff\ue000-\uf8ff])"
    r"| [A-Z]?[a-z]{1,12}(?![a-z])|[A-Z]?[a-z]{1,8}|[A-Za-z]{1,2}|[0-9]{1,3}"
    r'| ?[,:{}\[\]]{0,3}"[",:{}\[\]]{0,3}| ?[,:{}\[\]]{1,2}|</|/>|://|\(\)|="'
    r"| ?([!-/:-@\[-`{-~])\3{0,7}|[\u0370-\u052f]{1,2}|\n{1,16}| {1,16}|\s{1,3}|.",
    re.DOTALL,
)
"""About one token each, but runs without a word in them (hexadecimal, base64, identifiers), emoji
and characters of rare scripts.

Measured with o200k on 60 kinds of text, each is estimated at no less than its tokens: JSON, HTML,
CSV and prose at 1.00 to 1.35 of them, base64 at 1.1, Cyrillic at 1.9, Hindi and Thai at 2 to 3.
Only letters in no order of a language (capitals, Hangul, rare Chinese characters) are more.
"""


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the end of each piece of a text, and about how many tokens it is up to there."""
    total = 0
    for match in _PIECES.finditer(text):
        total += 1
        if match.lastindex == 1:
            total += (match.end() - match.start()) * 3 // 4
        elif match.lastindex == 2:
            total += 2
        yield match.end(), total


def tokens(text: str, most: int) -> int:
    """Return about how many tokens a text is for a model; counting stops past `most`."""
    total = 0
    for _, total in _pieces(text):
        if total > most:
            break
    return total


def beginning(text: str, most: int) -> str:
    """Return the beginning of a text, at most about `most` tokens."""
    if len(text.encode("utf-8", "surrogatepass")) <= most:
        return text
    kept = 0
    for end, total in _pieces(text):
        if total > most:
            return text[:kept]
        kept = end
    return text


def size(value: Any, limit: int) -> int:
    """Return about how many tokens a value is as compact JSON, with the separator after it;
    counting stops past the limit.
    """
    if isinstance(value, str):
        return tokens(encode_basestring(value)[1:-1], limit) + 1
    if not isinstance(value, list | dict):
        return tokens(compact(value), limit) + 1
    total = 1
    for item in value:
        if isinstance(value, dict):
            total += size(item, limit)
            item = value[item]
        total += size(item, limit - total)
        if total > limit:
            break
    return total


@dataclass(frozen=True, slots=True)
class Part:
    """Part of an answer: a list, object or text from index `start` on. `place` is its path in the
    whole answer; `data` holds the part within the keys that lead to it, `inside` is its path there.
    """

    data: Any
    place: str = ""
    inside: str = ""
    start: int = 0

    def following(self, place: str, kept: int) -> str:
        """Return the `answer_part` (`rows[113:]`) that asks for what follows the first `kept`
        items, fields or characters at `place`, a path in `data`.
        """
        if place == self.inside:
            return f"{self.place}[{self.start + kept}:]"
        rest = place[len(self.inside) :]
        index = _INDEX.match(rest)
        if index:
            rest = f"[{int(index[1]) + self.start}]{rest[index.end(1) + 1 :]}"
        return f"{self.place}{rest}[{kept}:]"


def part_of(data: Any, wanted: str) -> Part | None:
    """Return the part that `answer_part` asks for (`a[113:]`); None without such a place."""
    match = _SLICE.fullmatch(wanted)
    if match is None:
        return None
    try:
        walked = list(_steps(data, match[1]))
    except LookupError:
        return None
    steps = [step for step, _ in walked]
    for _, inner in walked[-1:]:
        data = inner
    start, inside = int(match[2]), ""
    if isinstance(data, dict):
        data = dict(list(data.items())[start:])
    elif isinstance(data, list | str):
        data = data[start:]
    else:
        return None
    for step in reversed(steps):
        is_key = isinstance(step, str)
        data = {step: data} if is_key else [data]
        inside = f"{f'.{step}' if is_key else '[0]'}{inside}"
    return Part(data, match[1], inside.removeprefix("."), start)


def _steps(data: Any, place: str) -> Iterator[tuple[Any, Any]]:
    """Yield the keys and indexes that lead to a place, each with its value. Raises LookupError."""
    while place:
        step: Any
        if isinstance(data, list):
            index = _INDEX.match(place)
            if index is None:
                raise LookupError(place)
            step, place = int(index[1]), place[index.end() :]
        else:
            step = _first_key(data, place)
            place = place[len(step) :].removeprefix(".")
        data = data[step]
        yield step, data


def _first_key(data: Any, place: str) -> str:
    """Return the longest key that a place begins with: keys may hold dots. Raises LookupError."""
    ends = (f"{place}."[: len(key) + 1] for key in data) if isinstance(data, dict) else ()
    keys = [end[:-1] for end in ends if end[:-1] in data if end[-1] in ".["]
    if not keys:
        raise LookupError(place)
    return max(keys, key=len)


@dataclass(slots=True)
class Cuts:
    """Cuts of data: `items` has `(dotted place, kept, of how many, of what)`. The list at `rows` is
    first narrowed, every item of it, by `narrow`.
    """

    items: list[tuple[str, int, int, str]] = field(default_factory=list)
    rows: str | None = None
    narrow: Narrow = lambda items, _: items

    def say(self) -> str:
        """Return `Kept 3 of 9 items of ...` for five cuts at most, and the number of the rest."""
        sentences = []
        for place, kept, total, what in self.items[:5]:
            name = f"`{place}`" if place else _WHOLE[what]
            sentences.append(f"{kept:,} of {total:,} {what} of {name}")
        kept_text = f"Kept {', '.join(sentences)}"
        more = len(self.items) - 5
        if more > 0:
            kept_text += f"; {more} more places are cut"
        return kept_text

    def kept_items(self, place: str) -> int | None:
        """Return the number of items left in the list at a place; None if it was not shortened."""
        for cut_place, kept, _, what in self.items:
            if (what, cut_place) == ("items", place):
                return kept
        return None

    def fit(self, value: Any, limit: int, place: str = "") -> Any:
        """Return as much of a value as takes about `limit` tokens; add cuts to `items`."""
        if size(value, limit) <= limit:
            return value
        if isinstance(value, list):
            return self._fit_list(value, limit, place)
        if isinstance(value, dict):
            return self._fit_object(value, limit, place)
        if isinstance(value, str):
            return self._fit_text(value, limit, place)
        self.items.append((place, 0, len(compact(value)), "characters"))
        return None

    def _fit_list(self, value: list[Any], limit: int, place: str) -> list[Any]:
        if place == self.rows:
            value = self.narrow(value, limit)
        left = limit - 1
        least: dict[Any, int] = {}
        for index, item in enumerate(value):
            core = item if place == self.rows else _core(item)
            most = size(core, left) + LEAST
            least[index] = min(size(item, most), most)
            left -= least[index]
            if left < 0:
                left += least.pop(index)
                break
        if len(least) < len(value):
            # One item that is too large by itself is better shortened than lost, when there is room
            # for some of it
            if left > max(50, limit // 2):
                least[len(least)] = LEAST
            self.items.append((place, len(least), len(value), "items"))
        kept = {index: value[index] for index in least}
        return list(self._shared(kept, least, limit - 1, "{}[{}]", place).values())

    def _fit_object(self, value: dict[str, Any], limit: int, place: str) -> dict[str, Any]:
        left = room = limit - 1
        least: dict[Any, int] = {}
        for key, item in value.items():
            cost = size(key, limit)
            # Each field is worth having with some of its value, or not at all
            room -= cost + min(size(item, LEAST), LEAST)
            if room < 0:
                self.items.append((place, len(least), len(value), "fields"))
                break
            least[key] = 0
            left -= cost
        kept = {key: value[key] for key in least}
        return self._shared(kept, least, left, "{}.{}" if place else "{}{}", place)

    def _shared(
        self, values: dict[Any, Any], least: dict[Any, int], left: int, form: str, place: str
    ) -> dict[Any, Any]:
        """Return the values in at most about `left` tokens, with at least `least` for each. A value
        no larger than an even share stays whole, and the rest of its share goes to the other
        values.
        """
        left -= sum(least.values())
        fitted, large = dict(values), list(values)
        while large:
            share = left // len(large)
            costs = {key: size(values[key], least[key] + share) - least[key] for key in large}
            small = [key for key in large if costs[key] <= share]
            if not small:
                break
            left -= sum(costs[key] for key in small)
            large = [key for key in large if costs[key] > share]
        for key in large:
            room = least[key] + left // len(large)
            fitted[key] = self.fit(values[key], room, form.format(place, key))
        return fitted

    def _fit_text(self, value: str, limit: int, place: str) -> str:
        room = max(0, limit - 3)
        kept = beginning(value, room)
        # Escapes count for more than one: what is too much is counted, too, or the cuts were tiny
        while (cost := size(kept, 8 * limit)) > room + 1:
            kept = kept[: len(kept) * room // cost]
        self.items.append((place, len(kept), len(value), "characters"))
        return kept + "\u2026"


def _core(value: Any) -> Any:
    """Return a value with lists emptied and texts cut: the least that a list keeps of an item."""
    if isinstance(value, dict):
        return {key: _core(item) for key, item in value.items()}
    if isinstance(value, list):
        return []
    if isinstance(value, str):
        return value[:CORE]
    return value


def fit(value: Any, limit: int, cuts: Cuts | None = None) -> tuple[str, Any, Cuts]:
    """Return data of at most about `limit` tokens: compact text, data, and `cuts` with what is cut.

    Lists and texts inside the items of a list are cut before these lose items from the end. What is
    small beside them (a cursor, a total) stays whole.
    """
    cuts = Cuts() if cuts is None else cuts
    text = compact(value)
    # A token is a byte at least
    if len(text.encode("utf-8", "surrogatepass")) <= limit:
        return text, value, cuts
    if tokens(text, limit) > limit:
        value = cuts.fit(value, limit)
        text = compact(value)
    return text, value, cuts
