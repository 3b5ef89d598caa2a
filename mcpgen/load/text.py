"""Bytes → text: the encodings a document may have, and positions in it.

RFC 8259 section 8.1 wants UTF-8 for JSON, YAML 1.2.2 section 5.2 wants UTF-8 or UTF-16 with a byte
order mark. Nothing is guessed: bytes that are neither are an error that says what they look like,
and how to convert them.
"""

from __future__ import annotations

import bisect
import codecs
from dataclasses import dataclass, field

from ..problems import DocumentError, McpgenError, Place, Problem, Problems, RefusedError, Severity


@dataclass(slots=True)
class Text:
    """One file as the author wrote it: the name shown in messages, and its characters."""

    name: str
    content: str
    lone_surrogate: int | None = None
    """The offset of the first escape of half a surrogate pair, which was read as U+FFFD."""
    _starts: list[int] = field(default_factory=list, repr=False)

    @property
    def starts(self) -> list[int]:
        """The offset of the first character of every line; found when first asked."""
        if not self._starts:
            starts = [0]
            find = self.content.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts
        return self._starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both counted from 1."""
        offset = max(0, min(offset, len(self.content)))
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column counted from 0, as YAML marks are."""
        starts = self.starts
        if line >= len(starts):
            return len(self.content)
        return min(starts[line] + column, len(self.content))

    def line(self, number: int) -> str:
        """The text of a line counted from 1, without its end."""
        start = self.starts[number - 1]
        end = self.starts[number] if number < len(self.starts) else len(self.content)
        return self.content[start:end].rstrip("\r\n")

    def at(self, offset: int) -> str:
        """`12:3`, for a second position named within a message."""
        line, column = self.line_column(offset)
        return f"{line}:{column}"

    def place(self, offset: int, width: int = 1, pointer: str = "") -> Place:
        """The position with the line before and the line after it."""
        number, column = self.line_column(offset)
        last = len(self.starts)
        lines = tuple(
            (n, self.line(n)) for n in range(max(1, number - 1), min(last, number + 1) + 1)
        )
        room = len(self.line(number)) - column + 1
        return Place(
            file=self.name,
            line=number,
            column=column,
            pointer=pointer,
            excerpt=lines,
            width=max(1, min(width, room)),
        )


class Fault(Exception):
    """Something a reader stumbled over, at an offset of the text it was given."""

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
    """A resource limit reached: refused for safety."""


class TagFault(Fault):
    """A YAML tag: a request to build something. It ends the run in whichever file it stands."""


def raised(text: Text, fault: Fault) -> McpgenError:
    """The error that ends the run because of a fault in a text."""
    kind = RefusedError if isinstance(fault, LimitFault) else DocumentError
    return kind(
        Problem(
            code=fault.code,
            severity="error",
            message=fault.message,
            hint=fault.hint,
            notes=fault.notes,
            place=text.place(fault.offset, fault.width),
        )
    )


def problem(
    code: str,
    message: str,
    name: str,
    *,
    hint: str = "",
    notes: tuple[str, ...] = (),
    severity: Severity = "error",
) -> Problem:
    """A problem of a whole file, before there is text to point into."""
    return Problem(
        code=code,
        severity=severity,
        message=message,
        hint=hint,
        notes=notes,
        place=Place(file=name),
    )


def note_surrogates(text: Text, problems: Problems) -> None:
    """Report that half a surrogate pair was replaced."""
    if text.lone_surrogate is None:
        return
    problems.add(
        "E0125",
        "note",
        "an escape of half a surrogate pair is no character: read as U+FFFD",
        hint="write both halves, or the character itself",
        place=text.place(text.lone_surrogate, width=6),
    )


def decode(name: str, raw: bytes) -> Text:
    """Text of the bytes: strict UTF-8, or UTF-16 or UTF-32 that says so with a byte order mark.
    Line ends become LF.

    Raises `DocumentError` with the byte offset and the encoding the bytes look like.
    """
    encoding = "utf-8-sig"
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        encoding = "utf-32"
    elif raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        content = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise _not_text(name, raw, encoding, error.start) from None
    nul = content.find("\0")
    if nul >= 0:
        raise _not_text(name, raw, encoding, raw.find(b"\0"))
    if "\r" in content:
        content = content.replace("\r\n", "\n").replace("\r", "\n")
    return Text(name, content)


def _not_text(name: str, raw: bytes, encoding: str, offset: int) -> DocumentError:
    """The error for bytes that are not the text they should be."""
    detected = _looks_like(raw)
    line = raw.count(b"\n", 0, offset) + 1 if encoding == "utf-8-sig" else 0
    expected = "UTF-8" if encoding == "utf-8-sig" else encoding.upper()
    what = "a NUL character" if raw[offset : offset + 1] == b"\0" else "a byte"
    convert = {
        "UTF-16 without a byte order mark": "UTF-16LE",
        "UTF-16": "UTF-16",
        "Latin-1": "LATIN1",
    }.get(detected)
    hint = (
        f"convert it: `iconv -f {convert} -t UTF-8 {name} > utf8.yaml`"
        if convert
        else "save the file as UTF-8"
    )
    return DocumentError(
        Problem(
            code="E0108",
            severity="error",
            message=(
                f"the file is not {expected}: {what} that does not belong there at byte offset"
                f" {offset}"
            ),
            hint=hint,
            notes=(f"it looks like {detected}",) if detected else (),
            place=Place(file=name, line=line),
        )
    )


def _looks_like(raw: bytes) -> str:
    """The likeliest encoding of bytes that are not UTF-8."""
    sample = raw[:4096]
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    if sample.count(b"\0") > len(sample) // 4:
        return "UTF-16 without a byte order mark"
    if b"\0" in sample:
        return ""
    controls = sum(1 for byte in sample if byte < 32 and byte not in (9, 10, 13))
    return "Latin-1" if not controls else ""
