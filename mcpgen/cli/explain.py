"""`mcpgen explain`: what the code of a problem means, offline."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from .screen import Screen

if TYPE_CHECKING:
    from ..report.codes import Explanation


def explain(code: str | None = None, as_json: bool = False) -> int:
    """Explain the code of a problem.

    Prints its meaning, its consequences and the remedy. Without CODE, lists every code.
    """
    from ..problems import UsageError
    from ..report.codes import explanation, table

    screen = Screen(as_json=as_json)
    if code is None:
        rows = list(table().values())
        titles = "\n".join(f"{row.code}  {row.title}" for row in rows)
        screen.result(list(map(dataclasses.asdict, rows)), lambda: screen.out.print(titles))
        return 0
    known = explanation(code)
    if known is None:
        hint = "`mcpgen explain` lists all of them"
        raise UsageError.of("E0903", f"there is no code `{code}`", hint)
    screen.result(dataclasses.asdict(known), lambda: _show(screen, known))
    return 0


def _show(screen: Screen, known: Explanation) -> None:
    from rich.padding import Padding

    screen.out.print(f"{known.code}  {known.title}", style="bold")
    for text in (known.why, known.remedy):
        screen.out.print()
        screen.out.print(text, soft_wrap=not screen.out.is_terminal)
    if known.example:
        screen.out.print()
        screen.out.print(Padding(known.example, (0, 0, 0, 4)))
