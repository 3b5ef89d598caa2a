"""One line of JSON per event on stderr: text from elsewhere cannot forge a second line, and secrets
are masked.

Stdout belongs to the protocol; nothing here writes to it.
"""

from __future__ import annotations

import datetime
import json
import logging
import sys
from collections.abc import Callable
from typing import Any

LEVELS = ("debug", "info", "warning", "error")
LEVEL_INFO = logging.INFO

logger = logging.getLogger(__package__ or "mcp-server")


class JsonLines(logging.Formatter):
    """A log record as one JSON object on one line, ASCII only, every text passed through
    `redact`.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The line: time, level, event, and the record's own fields."""
        time = datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(
            timespec="milliseconds"
        )
        line: dict[str, Any] = {
            "time": time,
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if record.name != logger.name:
            line["logger"] = record.name
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps({key: self._mask(value) for key, value in line.items()}, default=str)

    def _mask(self, value: Any) -> Any:
        return self._redact(value) if isinstance(value, str) else value


def configure(level: str, redact: Callable[[str], str]) -> None:
    """Send every log record and warning of the process to stderr as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(redact))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # An upstream URL may carry a key in its query, and these libraries log URLs at level INFO
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)


def event(level: str, name: str, *, traceback: bool = False, **fields: Any) -> None:
    """Write one event with its fields; with `traceback`, that of the exception being handled."""
    logger.log(getattr(logging, level.upper()), name, extra={"fields": fields}, exc_info=traceback)
