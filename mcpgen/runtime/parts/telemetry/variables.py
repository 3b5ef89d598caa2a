"""The variables of the part."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...settings import variable


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
