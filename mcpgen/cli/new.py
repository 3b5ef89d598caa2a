"""`mcpgen new`: a new project with an example tool, ready to run."""

from __future__ import annotations

import shlex
import shutil
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from .screen import Screen, may_ask, or_ask


class RunTransport(StrEnum):
    """Transport of `make run`."""

    stdio = "stdio"
    http = "http"


def new(
    name: str | None = None,
    description: str | None = None,
    transport: RunTransport | None = None,
    yes: bool = False,
    quiet: bool = False,
    as_json: bool = False,
) -> int:
    """Create a server without an API.

    The project runs at once, with one example tool and its test: a typed function in `custom/`.
    Tools whose contract is written first, as JSON, go into `tools.json`. Where nothing is asked
    (`--yes`, `--json`, no terminal) a name must be given.
    """
    from ..problems import Problems, UsageError
    from ..project.run import CommandInput, run
    from ..project.scaffold import Wish, begin
    from ..write import write

    screen = Screen(quiet=quiet, as_json=as_json)
    silent = yes or as_json
    ask = not silent and may_ask()
    name = or_ask(name, lambda: typer.prompt("Name", default="my-tools"), ask=ask)
    if not name:
        hint = "for example `mcpgen new demo --yes`"
        raise UsageError.of("E1106", "a new project needs a name", hint)
    description = or_ask(description, _description, ask=ask)
    transport = or_ask(transport, _transport, ask=ask)
    wish = Wish(
        folder=Path(name),
        description=(description or "").strip(),
        transport=(transport or RunTransport.stdio).value,
    )
    there = wish.folder.exists()
    begin(wish)
    try:
        with screen.working("writing") as step:
            made = run(CommandInput(folder=wish.folder), Problems(), step)
            write(made.files, made.folder, lock_facts=made.facts)
    except BaseException:
        if not there:
            shutil.rmtree(wish.folder, ignore_errors=True)
        raise
    data = {
        "folder": str(wish.folder),
        "package": made.server.package,
        "tools": ["count_words"],
        "next": f"cd {shlex.quote(str(wish.folder))} && make test",
    }
    screen.result(data, lambda: _say_what_is_there(screen, data))
    return 0


def _description() -> str:
    return str(typer.prompt("What is it for", default="", show_default=False))


def _transport() -> RunTransport:
    chosen: RunTransport = typer.prompt(
        "Transport (stdio or http)", default="stdio", value_proc=_as_transport
    )
    return chosen


def _as_transport(answer: str) -> RunTransport:
    """Return the transport that a person typed. Raises BadParameter for another word: Typer asks
    again.
    """
    try:
        return RunTransport(answer.strip().lower())
    except ValueError:
        raise typer.BadParameter("write `stdio` or `http`") from None


def _say_what_is_there(screen: Screen, data: dict[str, Any]) -> None:
    screen.out.print(f"{data['folder']}/ is ready: one tool, `count_words`, and its test")
    screen.out.print()
    screen.out.print(f"  {data['next']}", style="bold")
    screen.out.print(
        "  without make: python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' &&"
        " .venv/bin/pytest"
    )
    screen.out.print()
    screen.out.print(f"  src/{data['package']}/custom/    your tools: functions with `@tool`")
    screen.out.print("  README.md     the next three steps")
