"""Part `audit`: a line for every call that can change something, and arguments in the log."""

from __future__ import annotations

from dataclasses import dataclass

from ...settings import Settings, variable
from .. import Part


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """Variables of the audit: where it is written (none if empty), and arguments in the log."""

    audit: str = variable("", "text", "calls")
    log_arguments: bool = variable(False, "flag", "calls")


def _prepare(settings: Settings, *, stdio: bool) -> None:
    own = settings.part(AuditSettings)
    if own.audit or own.log_arguments:
        from .lines import note

        note(settings, own.audit, log=own.log_arguments, stdio=stdio)


PART = Part(settings=AuditSettings, prepare=_prepare)
