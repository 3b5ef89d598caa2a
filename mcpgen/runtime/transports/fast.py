"""Connections that httptools reads, where it is installed (the extra `fast`)."""

from __future__ import annotations

from typing import Literal

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .connections import Connection

MAX_HEAD = 64 * 1024
"""Bytes of a request's head. h11 has a limit of its own, httptools has none."""


class HttpToolsConnection(Connection, HttpToolsProtocol):  # type: ignore[misc]
    """A connection that httptools reads."""

    _arrives: Literal["nothing", "head", "body"] = "nothing"
    """The part of a request that is to arrive next, once one has begun."""
    _head_bytes = 0

    @property
    def has_partial_head(self) -> bool:  # type: ignore[override]
        """Whether part of a request's head has arrived."""
        return self._arrives == "head"

    @property
    def awaits_rest(self) -> bool:  # type: ignore[override]
        """Whether a request's head has arrived and its body has not."""
        return self._arrives == "body"

    def data_received(self, data: bytes) -> None:
        """Read on, unless the request's head has become too long."""
        super().data_received(data)
        if self._arrives != "head":
            return
        self._head_bytes += len(data)
        if self._head_bytes > MAX_HEAD and not self.transport.is_closing():
            self._end(b"431 Request Header Fields Too Large", b"")

    def on_message_begin(self) -> None:
        """Note that a request's head has begun."""
        super().on_message_begin()
        self._arrives = "head"
        self._head_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a field of the head. Those after a body are forgotten, as h11 does (RFC 9110,
        section 6.5.1): a proxy that takes fields away does not look for them there.
        """
        if self._arrives == "head":
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Note that its body is next, and serve it. httptools does not read the body of a request
        that asks for another protocol, and would take it for the next request.
        """
        if self.parser.should_upgrade() and self._declares_body():
            self._arrives = "nothing"
            self._end(b"400 Bad Request", b"")
            return
        self._arrives = "body"
        super().on_headers_complete()

    def _declares_body(self) -> bool:
        if any(name == b"transfer-encoding" for name, _ in self.headers):
            return True
        return any(name == b"content-length" and int(value) > 0 for name, value in self.headers)

    def on_message_complete(self) -> None:
        """Note that all of the request is there."""
        self._arrives = "nothing"
        super().on_message_complete()
