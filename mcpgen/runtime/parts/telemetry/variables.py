"""Variables of the part `telemetry`."""

from __future__ import annotations

from dataclasses import dataclass

from ...settings import variable


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Variables of telemetry; `metrics_port` is 0 for no port."""

    telemetry: bool = variable(False, "flag", "calls")
    metrics_port: int = variable(0, "count", "calls", 0, 65_535)
