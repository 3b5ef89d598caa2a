"""The stable codes of everything mcpgen has to say, explained offline by `mcpgen explain CODE`.

01 reading · 02 references · 03 versions and structure · 04 operations · 05 schemas · 06 names · 07
security and servers · 08 limits and clients · 11 configuration · 12 output · 13 changes. The table
is `data/codes.toml`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The meaning of a code: title, importance (`why`), remedy, and example (may be empty)."""

    code: str
    title: str
    why: str
    remedy: str
    example: str = ""


@cache
def table() -> dict[str, Explanation]:
    """Return code → its explanation, sorted by code."""
    text = (resources.files("mcpgen") / "data" / "codes.toml").read_text("utf-8")
    rows = tomllib.loads(text)
    return {
        code: Explanation(
            code=code,
            title=row["title"],
            why=row["why"].strip(),
            remedy=row["remedy"].strip(),
            example=row.get("example", "").strip("\n"),
        )
        for code, row in sorted(rows.items())
    }


def explanation(code: str) -> Explanation | None:
    """Return the meaning of a code; None if unknown. `203` and `e0203` are `E0203`."""
    digits = code.strip().upper().removeprefix("E")
    return table().get(f"E{digits.zfill(4)}")
