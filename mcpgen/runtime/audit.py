"""Write down every call that can change something: who, which tool, with which arguments, and what
came of it. One line of JSON for each, in a file that is only added to, or in the system's log.
"""

from __future__ import annotations

import datetime
import json
import logging.handlers
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .log import event
from .record import Record
from .secrets import Redactor, Withheld
from .server.catalog import StartError

SYSLOG = "syslog"
SOCKET = "/dev/log"
MAX_ARGUMENTS = 64 * 1024
"""Characters of a call's arguments as JSON; longer ones are cut."""


class Arguments:
    """The arguments of a call as others may read them: without the secrets of this process and the
    fields in `withheld`.
    """

    def __init__(self, redactor: Redactor, withheld: Iterable[str]) -> None:
        self._redactor = redactor
        self._withheld = Withheld(withheld)

    def __call__(self, record: Record) -> dict[str, Any]:
        """The arguments as a field of a line."""
        arguments = self._redactor.data(self._withheld.without(record.arguments or {}))
        text = json.dumps(arguments)
        if len(text) > MAX_ARGUMENTS:
            arguments = text[:MAX_ARGUMENTS]
        return {"arguments": arguments}


class Audit:
    """Notes calls with `write`, which gets a line."""

    def __init__(self, write: Callable[[str], None], arguments: Arguments) -> None:
        self._write = write
        self._arguments = arguments

    def __call__(self, record: Record) -> None:
        """Note a call, unless its tool changes nothing."""
        if not record.writes:
            return
        line = {
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
            "subject": record.subject,
            "tool": record.tool,
            **self._arguments(record),
            "status": record.status,
            "requests": record.requests,
            "trace": record.trace,
        }
        try:
            self._write(json.dumps(line))
        except OSError as error:
            event("error", "audit_failed", tool=record.tool, reason=error.strerror or "")


def audit(place: str, arguments: Arguments) -> Audit:
    """The audit that writes to a file of that path, or to `syslog`. Raises StartError where that
    cannot be written to.
    """
    try:
        write = _syslog() if place == SYSLOG else _file(Path(place))
    except OSError as error:
        reason = error.strerror or str(error)
        raise StartError(f"the audit cannot be written to `{place}`: {reason}") from error
    return Audit(write, arguments)


def _file(path: Path) -> Callable[[str], None]:
    """Add lines to a file which only its owner can read; each in one write, so that those of
    several processes do not mix.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    descriptor = os.open(path, flags, 0o600)

    def write(line: str) -> None:
        os.write(descriptor, f"{line}\n".encode())

    return write


def _syslog() -> Callable[[str], None]:
    """Send lines to the system's log, facility `authpriv`."""
    facility = logging.handlers.SysLogHandler.LOG_AUTHPRIV
    handler = logging.handlers.SysLogHandler(SOCKET, facility)

    def write(line: str) -> None:
        handler.emit(logging.LogRecord("audit", logging.INFO, "", 0, line, None, None))

    return write
