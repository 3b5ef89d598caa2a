"""Write down every call that can change something: caller, tool, arguments and outcome. One line of
JSON for each, in a file that is only appended to, or in the system's log.
"""

from __future__ import annotations

import datetime
import errno
import json
import os
import socket
import stat
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from ...log import event
from ...package import StartError
from ...record import Record, notes, observers
from ...results import MAX_DEPTH, Masks, TooDeep, withheld
from ...settings import Settings

SYSLOG = "syslog"
SOCKET = "/dev/log"
PRIORITY = 10 * 8 + 6
"""Facility `authpriv`, severity informational (RFC 5424, section 6.2.1)."""
PATIENCE_SECONDS = 0.1
"""Seconds for which a line, and with it every call, waits for the system's log."""
MAX_ARGUMENTS = 64 * 1024
"""Characters of a call's arguments as JSON; longer ones are cut."""


class Arguments:
    """Arguments of a call, safe to read: without the secrets of this process and fields of
    `names`.
    """

    def __init__(self, redactor: Masks, names: Collection[str]) -> None:
        self._redactor = redactor
        self._withheld = withheld(names)

    def __call__(self, record: Record) -> dict[str, Any]:
        """Return the field `arguments` of a line; above `MAX_ARGUMENTS`, their JSON text, cut."""
        try:
            arguments = self._withheld.without(record.arguments or {}, deepest=MAX_DEPTH)
            arguments = self._redactor.data(arguments)
        except (RecursionError, TooDeep):
            return {"arguments": "not written: they are nested too deeply"}
        text = json.dumps(arguments)
        if len(text) > MAX_ARGUMENTS:
            arguments = text[:MAX_ARGUMENTS]
        return {"arguments": arguments}


class Audit:
    """Observer of calls: passes a line of JSON about each to `write`."""

    def __init__(self, write: Callable[[str], None], arguments: Arguments) -> None:
        self._write = write
        self._arguments = arguments

    def __call__(self, record: Record) -> None:
        """Note a call, unless its tool changes nothing; a line that cannot be written is logged."""
        if not record.writes:
            return
        line = {
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
            "subject": "",
            **record.sender,
            "tool": record.tool,
            **self._arguments(record),
            "status": record.status,
            "requests": record.requests,
            "trace": record.trace,
        }
        try:
            self._write(json.dumps(line))
        except OSError as error:
            event("error", "audit_failed", tool=record.tool, reason=error.strerror or str(error))


def note(settings: Settings, place: str, *, log: bool, stdio: bool) -> None:
    """Note calls at `place` (none if empty), with `log` arguments in the log. Raises StartError."""
    arguments = Arguments(settings.redactor, settings.redact)
    if place:
        if stdio:
            _refuse_stdout(place)
        observers[settings.name, place] = audit(place, settings.name, arguments)
    if log:
        notes[settings.name] = arguments


def audit(place: str, name: str, arguments: Arguments) -> Audit:
    """Return the audit of the server `name`, in a file at the path `place` or in the system's log
    (`syslog`). Raises StartError if the audit cannot be written to.
    """
    try:
        write = SystemLog(name).write if place == SYSLOG else File(Path(place)).write
    except OSError as error:
        reason = error.strerror or str(error)
        raise StartError(f"the audit cannot be written to `{place}`: {reason}") from error
    return Audit(write, arguments)


def _refuse_stdout(place: str) -> None:
    """Raise StartError for a path that leads to what stdout does, unless it is a terminal."""
    try:
        answers, found = os.fstat(1), Path(place).stat()
    except OSError:
        return
    if os.path.samestat(answers, found) and not stat.S_ISCHR(found.st_mode):
        reason = "over stdio that is where the client reads the answers; name a file"
        raise StartError(f"the audit cannot be written to `{place}`: {reason}")


class File:
    """File for lines, readable only by its owner. Each line is a single write, so that lines of
    several processes do not mix. After the file is moved away, a new file begins.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open()

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._descriptor = os.open(self._path, flags, 0o600)
        self._start = b""

    def write(self, line: str) -> None:
        """Append a line. Raises OSError if the line is not written, or not all of it."""
        if not self._is_there():
            before = self._descriptor
            self._open()
            os.close(before)
        data = self._start + line.encode() + b"\n"
        if os.write(self._descriptor, data) < len(data):
            self._start = b"\n"  # the next line does not go on where this one broke off
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._start = b""

    def _is_there(self) -> bool:
        """Return whether the path still leads to the file that is open."""
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False


class SystemLog:
    """Log of the system, which gets lines under the name of the server. Raises OSError without."""

    def __init__(self, name: str) -> None:
        self._start = f"<{PRIORITY}>{name}-mcp"
        self._patience = PATIENCE_SECONDS
        with _datagrams() as probe:
            probe.connect(SOCKET)

    def write(self, line: str) -> None:
        """Send a line. Raises OSError if the log accepts nothing; the next line then does not
        wait.
        """
        patience, self._patience = self._patience, 0.0
        with _datagrams() as log:
            log.settimeout(patience)
            log.sendto(f"{self._start}[{os.getpid()}]: {line}".encode(), SOCKET)
        self._patience = PATIENCE_SECONDS


def _datagrams() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
