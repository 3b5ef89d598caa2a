"""Part `telemetry`: traces and metrics with OpenTelemetry."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from ...settings import Settings
from .. import Part
from .variables import TelemetrySettings

if TYPE_CHECKING:
    from ...app import App


def _running(app: App, settings: Settings, host: str) -> AbstractContextManager[None]:
    own = settings.part(TelemetrySettings)
    if not (own.telemetry or own.metrics_port):
        return nullcontext()
    from .instruments import running

    return running(app, settings, own, host)


PART = Part(settings=TelemetrySettings, running=_running)
