"""The tool `calculate_sum`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import ToolError

if TYPE_CHECKING:
    from .. import models


def calculate_sum(*, a: float, b: float) -> models.CalculateSumAnswer:
    """Add two numbers."""
    try:
        total = a + b
        if math.isfinite(total):
            return {"sum": total}
    except OverflowError:
        pass
    raise ToolError("the sum is too large for a number")
