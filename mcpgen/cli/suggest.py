"""`mcpgen suggest`: the tools of a large API worth having first, as lines for `mcpgen.toml`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .screen import Screen

if TYPE_CHECKING:
    from ..config import Config

DEFAULT = 40


def suggest(
    *,
    config: Config,
    limit: int | None = None,
    client: str | None = None,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Propose which operations to keep.

    Prints lines for `mcpgen.toml` that keep the tools worth having first: the reads and the main
    writes of each resource, chosen by the structure of the API. Nothing is written.
    """
    from ..lint.clients import tool_limit
    from ..problems import Problems
    from ..project.run import CommandInput, run
    from ..suggest import lines
    from ..suggest import suggest as choose
    from ..text import plural
    from .problem_output import tell_kept

    screen = Screen(quiet=quiet, as_json=as_json)
    most = limit or DEFAULT
    if client is not None:
        most = min(limit or tool_limit(client), tool_limit(client))
    problems = Problems()
    with screen.working("starting") as step:
        server = run(CommandInput(config=config), problems, step, files=False).server
    tell_kept(screen, problems)
    if not server.tools and not as_json:
        screen.remark("there are no operations to choose among: functions are all offered")
        return 0
    choices = choose(server, most)
    if as_json:
        data = [
            {"tool": choice.tool.name, "operation": choice.key, "tokens": choice.tokens}
            for choice in choices
        ]
        screen.data(json.dumps(data, indent=2))
        return 0
    screen.data(lines(choices))
    tokens = sum(choice.tokens for choice in choices)
    screen.remark(
        f"{len(choices):,} of {plural(len(server.tools), 'tool')}, about {tokens:,} tokens;"
        " the lines are for mcpgen.toml"
    )
    return 0
