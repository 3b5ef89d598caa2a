"""One line of JSON per event on stderr: text from elsewhere cannot forge a second line, and secrets
are masked.

Stdout belongs to the protocol; nothing here writes to it.
"""

from __future__ import annotations

import datetime
import json
import logging
import os
import select
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .results import Sieve

LEVELS = ("debug", "info", "warning", "error")
LEVEL_INFO = logging.INFO

PIECE = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe with free space takes without a wait (POSIX, `write`)."""

logger = logging.getLogger(__package__ or "mcp-server")


class Stderr:
    """Standard error as far as it has room. A client may leave its end of the pipe unread: lines
    without room are lost, and the next line comes after a line with their number.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._lost = 0
        self._end = b""
        """End of a line of which only a part was written."""

    def write(self, text: str) -> None:
        """Write a line, in pieces that need no wait; count it as lost if there is no room."""
        data = text.encode()
        if self._lost:
            data = self._end + _note_of_lost(self._lost).encode() + data
        for start in range(0, len(data), PIECE):
            if not self._poll.poll(0):
                self._lost += 1
                return
            os.write(self._descriptor, data[start : start + PIECE])
            self._end = b"\n"
        self._lost = 0
        self._end = b""

    def flush(self) -> None:
        """Do nothing: no text is kept."""


def _note_of_lost(lines: int) -> str:
    line = {"time": _iso(time.time()), "level": "warning", "event": "lines_lost", "lines": lines}
    return f"{json.dumps(line)}\n"


def _iso(seconds: float) -> str:
    at = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return at.isoformat(timespec="milliseconds")


class JsonLines(logging.Formatter):
    """A log record as one JSON object on one line, ASCII only. Every text in it passes through
    `redact`.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """Return the line as JSON: time, level, event, the record's own fields; secrets masked."""
        line: dict[str, Any] = {
            "time": _iso(record.created),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if record.name != logger.name:
            line["logger"] = record.name
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        masked = {key: Sieve(self._redact).of(value) for key, value in line.items()}
        return json.dumps(masked, default=lambda value: self._redact(str(value)))


def configure(level: str, redact: Callable[[str], str]) -> None:
    """Send every log record of `level` and warning of the process to stderr as JSON lines."""
    stream: Any = sys.stderr
    with suppress(AttributeError, OSError):  # Windows cannot poll; what replaces it may be no file
        stream = Stderr(sys.stderr.fileno())
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(redact))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # An upstream URL may carry a key in its query, and these libraries log URLs at level INFO
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)


def event(level: str, name: str, *, traceback: bool = False, **fields: Any) -> None:
    """Log an event with its fields; with `traceback`, that of the exception being handled."""
    logger.log(getattr(logging, level.upper()), name, extra={"fields": fields}, exc_info=traceback)
