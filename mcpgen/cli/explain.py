"""`mcpgen explain`: what the code of a problem means, offline."""

from __future__ import annotations

import dataclasses
import json

from rich.padding import Padding

from .screen import Screen


def explain(code: str | None = None, as_json: bool = False) -> int:
    """Explain the code of a problem.

    Says what it means, why it matters and what to do. Without CODE, lists every code.
    """
    from ..problems import UsageError
    from ..report.codes import explanation

    screen = Screen()
    if code is None:
        _list(screen, as_json=as_json)
        return 0
    known = explanation(code)
    if known is None:
        raise UsageError.of(
            "E0903", f"there is no code `{code}`", "`mcpgen explain` lists all of them"
        )
    if as_json:
        screen.data(json.dumps(dataclasses.asdict(known), indent=2))
        return 0
    screen.out.print(f"{known.code}  {known.title}", style="bold")
    for text in (known.why, known.remedy):
        screen.out.print()
        screen.out.print(text, soft_wrap=not screen.out.is_terminal)
    if known.example:
        screen.out.print()
        screen.out.print(Padding(known.example, (0, 0, 0, 4)))
    return 0


def _list(screen: Screen, *, as_json: bool) -> None:
    """Print every code."""
    from ..report.codes import table

    rows = list(table().values())
    if as_json:
        screen.data(json.dumps(list(map(dataclasses.asdict, rows)), indent=2))
        return
    for row in rows:
        screen.out.print(f"{row.code}  {row.title}")
