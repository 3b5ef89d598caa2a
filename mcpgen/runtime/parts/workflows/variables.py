"""Variables of the part `workflows`."""

from __future__ import annotations

from dataclasses import dataclass

from ...settings import variable


@dataclass(frozen=True, slots=True)
class WorkflowSettings:
    """Limits of one call of a workflow."""

    max_steps: int = variable(1_000, "count", "calls", 1, 1_000_000)
