"""`mcpgen eval`: whether an agent gets tasks done with a project's server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .screen import Screen, shown

if TYPE_CHECKING:
    from ..evaluate.tasks import Outcome


def eval(
    tasks: Path,
    folder: Path = Path(),
    model: str | None = None,
    provider: Literal["openai", "anthropic"] = "openai",
    lazy: bool = False,
    minimum: float | None = None,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Let an agent do tasks.

    The server is started here, with an API behind it that records: a task is done when the request
    arrives that it names. Without `--model` a scripted agent searches with the task's words and
    calls what it finds with the task's arguments. With `--model` the model chooses.
    """
    import asyncio

    from ..evaluate.model import run_model
    from ..evaluate.scripted import run_scripted
    from ..evaluate.tasks import read_tasks, summary

    screen = Screen(quiet=quiet, as_json=as_json)
    chosen = read_tasks(tasks)
    if model is None:
        outcomes = asyncio.run(run_scripted(folder, chosen))
    else:
        asking = run_model(folder, chosen, model, provider=provider, lazy=lazy)
        outcomes = asyncio.run(asking)
    data = summary(outcomes)
    screen.result(data, lambda: _show(screen, outcomes, data))
    return int(minimum is not None and data["success"] < minimum)


def _show(screen: Screen, outcomes: list[Outcome], data: dict[str, Any]) -> None:
    from ..text import plural
    from . import tables

    table = tables.grid()
    for one in outcomes:
        result = "done"
        if not one.done:
            result = f"not done: {shown(one.reason)}"
        table.add_row(shown(one.task), plural(one.calls, "call"), f"{one.tokens:,} tokens", result)
    screen.out.print(table)
    screen.out.print()
    screen.out.print(
        f"{data['done']} of {plural(data['tasks'], 'task')} done; in the mean"
        f" {data['calls']:g} calls and {data['tokens']:,} tokens a task;"
        f" {data['wrong_tools']} wrong"
    )
