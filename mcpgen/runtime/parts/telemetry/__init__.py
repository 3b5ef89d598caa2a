"""Traces and metrics with OpenTelemetry."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...part import Part
from ...settings import Settings, variable

if TYPE_CHECKING:
    from ...app import App


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """The variables of telemetry; `metrics_port` is 0 for no port."""

    # fmt: off
    telemetry: bool = field(default=False, metadata=variable(
        "flag", "calls", "`1`: traces and metrics over OTLP, as the `OTEL_*` variables say",
        unset="0"))
    metrics_port: int = field(default=0, metadata=variable(
        "count", "calls", "Port on which Prometheus finds `/metrics` (with `--workers`, the first "
        "of them)", 0, 65_535))
    # fmt: on


def _running(app: App, settings: Settings, host: str, index: int) -> AbstractContextManager[None]:
    own = settings.part(TelemetrySettings)
    if not (own.telemetry or own.metrics_port):
        return nullcontext()
    from .instruments import running

    return running(app, settings, own, host, index)


PART = Part(settings=TelemetrySettings, running=_running)
