"""Record of one call of a tool: its line in the log when it has ended, and its data for telemetry
and the audit.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.propagate import get_global_textmap
from opentelemetry.trace import (
    ProxyTracerProvider,
    format_trace_id,
    get_current_span,
    get_tracer_provider,
)

from .log import LEVEL_INFO, event, logger


@dataclass(slots=True)
class Record:
    """One call. Its arguments are here for the audit, and for the log where that is asked for."""

    tool: str
    sender: Mapping[str, str] = field(default_factory=dict)
    """Fields that say who called (`results.content.SENDER`); none on stdio."""
    status: int | str = "ok"
    """`ok`, `asked` (a person, first), the API's status, or the kind of failure."""
    reason: str = ""
    writes: bool = False
    arguments: Any = None
    bytes: int = 0
    """Size of the result as JSON; 0 if not measured."""
    seconds: float = 0.0
    queued: float = 0.0
    """Seconds of these for which requests to the API waited for their turn."""
    requests: int = 0
    """Number of requests to the API, retries included."""
    trace: str = ""
    """Trace id that the caller or telemetry gave it, 32 hexadecimal digits."""
    details: dict[str, Any] = field(default_factory=dict)

    key: Hashable = field(init=False)
    """Caller that limits are counted for: issuer and subject, or the address; None on stdio."""

    def __post_init__(self) -> None:
        sender = self.sender
        self.key = sender.get("address")
        if "issuer" in sender:
            self.key = sender["issuer"], sender.get("subject") or sender.get("client")

    def fail(self, status: int | str, reason: str, **details: Any) -> None:
        """Note why the call failed."""
        self.status = status
        self.reason = reason
        self.details.update(details)

    def log(self) -> None:
        """Write the call's line; none for a call that worked unless the log has level `info`."""
        has_worked = self.status in ("ok", "asked")
        if has_worked and not logger.isEnabledFor(LEVEL_INFO):
            return
        fields: dict[str, Any] = {
            "tool": self.tool,
            "status": self.status,
            "ms": round(self.seconds * 1000),
            "bytes": self.bytes,
        }
        optional = {
            **self.sender,
            "trace": self.trace,
            "requests": self.requests,
            "queued_ms": round(self.queued * 1000),
            "reason": self.reason,
        }
        fields.update({name: value for name, value in optional.items() if value})
        fields.update(self.details)
        for note in notes.values():
            fields.update(note(self))
        if has_worked:
            event("info", "call", **fields)
        else:
            event("warning", "call_failed", **fields)


observers: dict[Hashable, Callable[[Record], None]] = {}
"""Observers of each call: the metrics and the audit, if they are on. A server that is mounted twice
in a process has one of each.
"""

notes: dict[str, Callable[[Record], dict[str, Any]]] = {}
"""Server -> source of further fields for the log line of each call, if they are requested."""

figures: dict[str, Callable[[], tuple[float, float]]] = {}
"""Sources of what telemetry shows: how much of a limit is in use now, and the limit."""

Send = Callable[..., Awaitable[Any]]

senders: list[Callable[[Send], Send]] = []
"""Wrappers by telemetry of the function that sends one request to the API."""

_now: ContextVar[Record | None] = ContextVar("record", default=None)


def current() -> Record:
    """Return the record of the running call; outside a call, a new record that is not logged."""
    return _now.get() or Record("")


@contextmanager
def recorded(tool: str, sender: Mapping[str, str]) -> Iterator[Record]:
    """Yield a call's record; at its end log it and notify the observers, whatever the outcome."""
    context = get_current_span().get_span_context()
    trace = format_trace_id(context.trace_id) if context.is_valid else ""
    record = Record(tool, sender, trace=trace)
    token = _now.set(record)
    started = time.perf_counter()
    try:
        yield record
    except BaseException as error:
        if record.status == "ok":
            status = "failed" if isinstance(error, Exception) else "cancelled"
            record.fail(status, type(error).__name__)
        raise
    finally:
        _now.reset(token)
        record.seconds = time.perf_counter() - started
        record.log()
        for observe in observers.values():
            observe(record)


def is_read() -> bool:
    """Return whether the record of a successful call has a reader."""
    return bool(observers) or logger.isEnabledFor(LEVEL_INFO)


def is_traced(meta: Mapping[str, Any] | None) -> bool:
    """Return whether spans are kept, or the `_meta` of a request has a trace for its line."""
    if not isinstance(get_tracer_provider(), ProxyTracerProvider):
        return True
    return not get_global_textmap().fields.isdisjoint(meta or ())


def with_readable_trace(meta: Any) -> Any:
    """Return `_meta` without trace fields that are no text, which OpenTelemetry cannot read."""
    if not meta:
        return meta
    fields = get_global_textmap().fields
    return {
        name: value for name, value in meta.items() if name not in fields or isinstance(value, str)
    }
