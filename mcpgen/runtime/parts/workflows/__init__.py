"""Part `workflows`: functions that the generated tools of workflows call."""

from __future__ import annotations

from .. import Part
from .variables import WorkflowSettings

PART = Part(settings=WorkflowSettings)
