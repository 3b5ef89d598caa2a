"""The audit: a line for every call that can change something, and arguments in the log."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...part import Part
from ...settings import Settings, variable


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """The variables of the audit."""

    # fmt: off
    audit: str = field(default="", metadata=variable(
        "text", "calls",
        "File (or `syslog`) to which each call that can change something is added"))
    log_arguments: bool = field(default=False, metadata=variable(
        "flag", "calls", "`1`: the log line of each call has its arguments, without secrets",
        unset="0"))
    # fmt: on


def _prepare(settings: Settings) -> None:
    own = settings.part(AuditSettings)
    if own.audit or own.log_arguments:
        from .lines import note

        note(settings, own.audit, log=own.log_arguments)


PART = Part(settings=AuditSettings, prepare=_prepare)
