"""The tool `analyze_csv`."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Literal

from .. import ToolError
from .places import inside

if TYPE_CHECKING:
    from .. import models

BYTES = 10_000_000
COLUMNS = 200


def analyze_csv(
    *,
    filepath: str,
    operations: list[Literal["sum", "average", "count", "min", "max"]],
) -> models.AnalyzeCsvAnswer:
    """Analyse a CSV file: rows, and for the columns of numbers what was asked for."""
    path = inside(filepath)
    if path.stat().st_size > BYTES:
        raise ToolError(f"`{filepath}` is larger than {BYTES:,} bytes")
    numbers: dict[str, list[float]] = {}
    rows = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            names = list(reader.fieldnames or ())
            if len(names) > COLUMNS:
                raise ToolError(f"`{filepath}` has more than {COLUMNS} columns")
            if len(set(names)) < len(names):
                raise ToolError(f"`{filepath}` has two columns of the same name")
            texts: set[str] = set()
            for row in reader:
                rows += 1
                for name in names:
                    text = (row.get(name) or "").strip()
                    value = _number(text)
                    if value is not None:
                        numbers.setdefault(name, []).append(value)
                    elif text:
                        texts.add(name)
    except (UnicodeDecodeError, csv.Error):
        raise ToolError(f"`{filepath}` is not a CSV file in UTF-8") from None
    found = {name: values for name, values in numbers.items() if name not in texts}
    return {
        "rows": rows,
        "columns": {name: _worked_out(values, operations) for name, values in found.items()},
    }


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _worked_out(
    values: list[float], operations: list[Literal["sum", "average", "count", "min", "max"]]
) -> dict[str, float]:
    every = {
        "sum": math.fsum(values),
        "average": math.fsum(values) / len(values),
        "count": len(values),
        "min": min(values),
        "max": max(values),
    }
    return {name: every[name] for name in operations}
