"""Bytes → text: the encodings of a document, positions in it, and limits on its size.

RFC 8259 section 8.1 wants UTF-8 for JSON, YAML 1.2.2 section 5.2 wants UTF-8 or UTF-16 with a byte
order mark. Nothing is guessed: other bytes are an error with the likely encoding and the command to
convert them.
"""

from __future__ import annotations

import bisect
import codecs
import json
import re
import shlex
from dataclasses import dataclass, field

from ..problems import DocumentError, McpgenError, Place, Problems, RefusedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of one run, well above the largest real document seen."""

    bytes: int = 25 * 1024 * 1024
    """Of every file, and of all the files of a document together."""
    depth: int = 100
    nodes: int = 2_000_000
    """After alias expansion, over all files."""
    alias_ratio: int = 10
    """Limit on the growth of a YAML file through aliases, as a multiple of its text."""
    alias_floor: int = 100_000
    """Nodes up to which the ratio does not matter: a small file cannot do harm."""
    integer_digits: int = 400
    files: int = 5_000
    """DigitalOcean's document has 1,300."""
    hops: int = 64
    """Longest chain of references to references."""
    seconds: float = 60.0
    """For everything that is fetched from URLs, connecting and redirects included."""


@dataclass(slots=True)
class SourceText:
    """One file as the author wrote it: the name shown in messages, and its characters."""

    name: str
    content: str
    lone_surrogate: int | None = None
    """The offset of the first escape of half a surrogate pair, which was read as U+FFFD."""
    repeats: list[Fault] = field(default_factory=list)
    """The keys that come twice with the same value, which was read once."""
    _starts: list[int] = field(default_factory=list, repr=False)
    _is_json: bool | None = field(default=None, repr=False)

    @property
    def is_json(self) -> bool:
        """Whether the text is read as JSON: it begins with an object, an array, or a comment of
        JSON's dialects, which the parser then refuses. A file named `.yaml` or `.yml` is read as
        YAML unless it is valid JSON.
        """
        if self._is_json is None:
            begins = self.content.lstrip(" \t\r\n").startswith(("{", "[", "//", "/*"))
            if begins and self.name.lower().endswith((".yaml", ".yml")):
                begins = _is_json(self.content)
            self._is_json = begins
        return self._is_json

    @property
    def starts(self) -> list[int]:
        """The offset of the first character of every line; computed when first needed."""
        if not self._starts:
            lines = re.finditer("\n", self.content)
            self._starts = [0, *(end.end() for end in lines)]
        return self._starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both counted from 1."""
        offset = max(0, min(offset, len(self.content)))
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and a column counted from 0, as YAML marks are."""
        starts = self.starts
        if line >= len(starts):
            return len(self.content)
        return min(starts[line] + column, len(self.content))

    def line(self, number: int) -> str:
        """Return the text of a line counted from 1, without its end."""
        start = self.starts[number - 1]
        end = len(self.content)
        if number < len(self.starts):
            end = self.starts[number]
        return self.content[start:end].rstrip("\r\n")

    def at(self, offset: int) -> str:
        """Return an offset as `12:3` (line, column), for a second position in a message."""
        line, column = self.line_column(offset)
        return f"{line}:{column}"

    def place(self, offset: int, width: int = 1, pointer: str = "") -> Place:
        """Return the position of an offset, with its line and the lines before and after it as
        excerpt.
        """
        number, column = self.line_column(offset)
        first = max(1, number - 1)
        last = min(len(self.starts), number + 1)
        excerpt = tuple((each, self.line(each)) for each in range(first, last + 1))
        room = len(self.line(number)) - column + 1
        return Place(
            file=self.name,
            line=number,
            column=column,
            pointer=pointer,
            excerpt=excerpt,
            width=max(1, min(width, room)),
        )


class Fault(Exception):
    """A fault of a text, at an offset."""

    def __init__(
        self,
        code: str,
        message: str,
        offset: int,
        *,
        width: int = 1,
        hint: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.offset = offset
        self.width = width
        self.hint = hint
        self.notes = notes


class LimitFault(Fault):
    """A limit of `Limits` is exceeded; it becomes a RefusedError."""


def raised(text: SourceText, fault: Fault) -> McpgenError:
    """Return the error for a fault that ends the run: RefusedError for a `LimitFault`, else
    DocumentError.
    """
    kind: type[McpgenError] = DocumentError
    if isinstance(fault, LimitFault):
        kind = RefusedError
    place = text.place(fault.offset, fault.width)
    return kind.of(fault.code, fault.message, fault.hint, notes=fault.notes, place=place)


def tell_slips(text: SourceText, problems: Problems) -> None:
    """Report each key that comes twice with one value (warning), and the first lone surrogate that
    was replaced (note E0125).
    """
    for fault in text.repeats:
        place = text.place(fault.offset, fault.width)
        problems.add(fault.code, "warning", fault.message, hint=fault.hint, place=place)
    if text.lone_surrogate is None:
        return
    problems.add(
        "E0125",
        "note",
        "half a surrogate pair is not a character: it was read as U+FFFD",
        hint="write both halves, or the character itself",
        place=text.place(text.lone_surrogate, width=6),
    )


def decode(name: str, raw: bytes) -> SourceText:
    """Return the text of the bytes: strict UTF-8, or UTF-16 or UTF-32 that says so with a byte
    order mark. Line ends become LF.

    Raises `DocumentError` (E0108) with the byte offset and the encoding the bytes look like.
    """
    encoding = "utf-8-sig"
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        encoding = "utf-32"
    elif raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        content = raw.decode(encoding)
    except UnicodeDecodeError as error:
        expected = encoding.upper().removesuffix("-SIG")
        what = f"{expected}: an invalid byte", "save the file as UTF-8"
        # The object lacks a byte order mark of UTF-8
        before = error.object[: error.start].decode(encoding)
        raise _not_text(name, raw, encoding, before, *what) from None
    before, nul, _ = content.partition("\0")
    if nul:
        raise _not_text(name, raw, encoding, before, "text: a NUL character", "remove it")
    if "\r" in content:
        content = content.replace("\r\n", "\n").replace("\r", "\n")
    return SourceText(name, content)


def _not_text(
    name: str, raw: bytes, encoding: str, before: str, what: str, hint: str
) -> DocumentError:
    """Return the error for bytes that are not text in an encoding, after the text `before`."""
    offset = len(before.encode(encoding))
    notes: tuple[str, ...] = ()
    if encoding == "utf-8-sig":
        offset -= 3 * (not raw.startswith(codecs.BOM_UTF8))
        detected, codec = _looks_like(raw)
        if detected and before.isascii():
            command = f"iconv -f {codec} -t UTF-8 {shlex.quote(name)} > utf8.yaml"
            hint, notes = f"convert it: `{command}`", (f"it looks like {detected}",)
    return DocumentError.of(
        "E0108",
        f"the file is not {what} at byte offset {offset}",
        hint,
        notes=notes,
        place=Place(
            file=name, line=before.count("\n") + 1, column=len(before) - before.rfind("\n")
        ),
    )


def _looks_like(raw: bytes) -> tuple[str, str]:
    """Return the likeliest encoding of bytes that are not UTF-8, in words and as `iconv` names it;
    both empty if there is none.
    """
    sample = raw[:4096]
    if sample.count(b"\0") > len(sample) // 4:
        return "UTF-16 without a byte order mark", "UTF-16LE" if raw[0] else "UTF-16BE"
    if b"\0" in raw or any(byte < 32 and byte not in b"\t\n\r" for byte in sample):
        return "", ""
    return "Latin-1", "LATIN1"


def _is_json(content: str) -> bool:
    """Return whether a text is JSON (RFC 8259)."""
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True
