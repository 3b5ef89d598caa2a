"""The ordinary request and the ordinary answer of HTTP/1.1, written and read in a few steps.

h11 knows every form that a message can have, and took a quarter of a call's CPU. What is taken here
is part of what h11 takes, with the same meaning; everything else is left to h11.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import h11

Fields = list[tuple[bytes, bytes]]
"""The fields of a head as they were received."""

_TOKEN = "[-!#$%&'*+.^_`|~0-9A-Za-z]+"
_REQUEST = re.compile(
    rf"{_TOKEN} [!-~]+ HTTP/1\.1\r\n(?:{_TOKEN}: (?:[!-~](?:[ -~]*[!-~])?)?\r\n)+\r\n"
)
_ANSWER = re.compile(
    rf"HTTP/1\.1 ([2-5][0-9]{{2}}) [ -~]*\r\n((?:{_TOKEN}:[\t -~]*\r\n)*)\r\n".encode()
)
_FRAMING = frozenset(("connection", "content-length", "host", "transfer-encoding", "upgrade"))
"""What says where a message ends, and what its connection is for afterwards."""
_BARE_METHODS = frozenset(("HEAD", "CONNECT"))
_BARE_STATUS = frozenset((204, 304))
"""Answers to these methods, and of these statuses, have no body, whatever their length says (RFC
9112, section 6.3).
"""
_LENGTH = re.compile(rb"[0-9]{1,15}")


class Request:
    """A request without its body. `own` are the fields that its connection needs, and `others` come
    after them. Raises LocalProtocolError where they cannot be written.
    """

    def __init__(
        self, method: str, target: bytes, own: Mapping[str, str], others: Mapping[str, str]
    ) -> None:
        names = {name.lower() for name in others}
        self.method = method
        self.target = target
        self.fields = [item for item in own.items() if item[0].lower() not in names]
        self.fields += others.items()
        self._for_h11: h11.Request | None = None
        self.head: bytes | None = None
        """Its bytes, unless h11 has to write them."""
        if names.isdisjoint(_FRAMING):
            self.head = self._written()
        if self.head is None:
            self.for_h11()

    def _written(self) -> bytes | None:
        lines = [f"{name}: {value}\r\n" for name, value in self.fields]
        text = f"{self.method} {self.target.decode('latin-1')} HTTP/1.1\r\n{''.join(lines)}\r\n"
        # No value may bring a line of its own
        if text.count("\n") != len(lines) + 2 or not _REQUEST.fullmatch(text):
            return None
        return text.encode("ascii")

    def for_h11(self) -> h11.Request:
        """The same for h11. Raises LocalProtocolError."""
        if self._for_h11 is None:
            self._for_h11 = h11.Request(method=self.method, target=self.target, headers=self.fields)
        return self._for_h11


class Head:
    """The head of an answer whose body has a length. `body` is what has arrived of what follows."""

    def __init__(self, status: int, fields: Fields, length: int, body: bytes) -> None:
        self.status = status
        self.fields = fields
        self.length = length
        self.body = body


def ordinary(data: bytes, method: str) -> Head | None:
    """The head that the first bytes of an answer begin with; None for one that h11 has to read."""
    match = _ANSWER.match(data)
    if match is None or method in _BARE_METHODS:
        return None
    status = int(match[1])
    fields = [_field(line) for line in match[2].split(b"\r\n")[:-1]]
    length = _length(fields)
    if length is None or status in _BARE_STATUS:
        return None
    return Head(status, fields, length, data[match.end() :])


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.strip(b" \t")


def _length(fields: Iterable[tuple[bytes, bytes]]) -> int | None:
    """The length of the body; None unless it is what says where the answer ends, on a connection
    that stays open.
    """
    length = None
    for name, value in fields:
        kind = name.decode("ascii").lower()
        if kind not in _FRAMING or (kind == "connection" and value.lower() == b"keep-alive"):
            continue
        if kind != "content-length" or length is not None or not _LENGTH.fullmatch(value):
            return None
        length = int(value)
    return length
