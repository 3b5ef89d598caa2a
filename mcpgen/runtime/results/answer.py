"""An answer of the API, as data."""

from __future__ import annotations

import codecs
import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from ..errors import ApiError
from . import Answered

T = TypeVar("T")

STREAMS = frozenset(
    (
        "text/event-stream application/x-ndjson application/ndjson application/jsonl"
        " application/x-jsonl application/json-lines application/json-seq application/stream+json"
    ).split()
)
"""Media types of answers that may have no end."""

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
"""The charset that an XML declaration or a page names."""

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

# The marks of UTF-32 begin like those of UTF-16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Answer(Answered, Generic[T]):
    """An answer of the API: `data` is its JSON, or None when it is not JSON; `text` is its text, or
    None for bytes.

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
        """The media type without parameters, lower-case; of several the first, and empty when there
        is none.
        """
        return re.split("[;,]", self.headers.get("content-type", ""))[0].strip().lower()[:100]

    @cached_property
    def text(self) -> str | None:
        """The answer as text, or None when its media type is a binary one. Undecodable bytes become
        U+FFFD.
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
        """The charset that the media type names; empty where it names none."""
        return charset_of(self.headers.get("content-type", ""))

    @property
    def _codec(self) -> str:
        """Return the codec of the charset named by the media type or the document itself; without a
        charset UTF-8, or the browsers' default for text that is not UTF-8.
        """
        if self.charset:
            return codec_of(self.charset)
        if re.search("xml|html", self.media_type):
            declared = _DECLARED.search(self.content[:1024])
            if declared is not None:
                return codec_of(declared[1].decode("ascii"))
        if _is_utf8(self.content, is_whole=not self.incomplete):
            return "utf-8"
        return "cp1252"


class BadStatus(ApiError):
    """An answer with a status of 400 or more, or an HTML page where JSON was announced."""

    sent = True
    nothing_found: bool = False
    """Whether no call has succeeded below the same base URL."""

    def __init__(self, answer: Answer[Any]) -> None:
        super().__init__(f"the API answered {answer.status}")
        self.answer = answer

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.answer.status

    def __reduce__(self) -> Any:
        return (type(self), (self.answer,))


def goes_on(headers: Mapping[str, str], content: bytes) -> bool:
    """Return whether an answer may have no end: a stream by its media type, or by what has come of
    it; or a text of no known length, such as a log that is followed.
    """
    answer: Answer[Any] = Answer(200, headers, content)
    if answer.media_type in STREAMS:
        return bool(content)
    if answer.media_type.startswith("text/") and "content-length" not in headers:
        return bool(content)
    return answer.is_json and lines_of_json(content)


def lines_of_json(content: bytes) -> bool:
    """Return whether there is a JSON object on each line, as in streams that call themselves
    JSON.
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
    """Count the values that an answer would be read as, or that take as much memory."""
    least = len(answer.content) // BYTES_OF_A_VALUE
    marks = _marks(answer.content) * _may_be_json(answer)
    if marks > MAX_VALUES:
        marks = _marks(_STRINGS.sub(b"", answer.content))
    return max(marks, min(least, MAX_VALUES))


def _marks(content: bytes) -> int:
    """Count what begins a value in JSON."""
    return sum(map(content.count, (b",", b"[", b"{")))


def parsed(answer: Answer[Any]) -> Answer[Any]:
    """The answer with its `data`, if its content is JSON by name, or an object or array whatever
    its name.
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
    """JSON as text. RFC 8259 section 8.1 says UTF-8; a byte order mark, UTF-16 and a charset of the
    answer's own are read anyway. Raises ValueError.
    """
    try:
        return answer.content.decode(json.detect_encoding(answer.content[:4]))
    except UnicodeDecodeError:
        return answer.content.decode(codec_of(answer.charset))


def _not_json(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def looks_like_text(content: bytes) -> bool:
    """Return whether the first bytes are those of a text."""
    head = content[:4096]
    return _BINARY.search(head) is None and _is_utf8(head, is_whole=False)


def _is_utf8(content: bytes, *, is_whole: bool) -> bool:
    """Return whether bytes are UTF-8, or, where they are not the whole, begin a text that is."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content, is_whole)
    except UnicodeDecodeError:
        return False
    return True


def decode(content: bytes, codec: str) -> str:
    """The bytes as text. A byte order mark goes before the codec, and what cannot be decoded
    becomes U+FFFD.
    """
    for mark, codec_of_mark in _MARKS:
        if content.startswith(mark):
            return content.decode(codec_of_mark, "replace")
    return content.decode(codec, "replace")


def charset_of(media_type: str) -> str:
    """The charset that a media type names; empty where it names none."""
    named = _CHARSET.search(media_type)
    return named[1] if named else ""


def codec_of(charset: str) -> str:
    """The codec of a charset name, one of a short list; UTF-8 for any other."""
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if name in _CHARSETS else "utf-8"
