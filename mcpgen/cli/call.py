"""`mcpgen call`: one call of one tool, with the request and the answer on the screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..problems import UsageError
from .screen import Screen, shown


def call(
    tool: str,
    words: list[str] | None = None,
    arguments: str = "",
    dry_run: bool = False,
    project: Path = Path(),
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Call a tool of a project.

    Shows the request to the API, with secrets masked, and the answer as the model gets it, with
    about as many tokens. The exit code is 1 when the call fails. The first call installs what the
    server needs (with uv where there is one), unless the project has its own environment.
    """
    from ..live.environment import home_of, python_of
    from ..live.outcome import outcome_of
    from ..live.tools import listed_tools
    from .project_folder import project_folder

    screen = Screen(quiet=quiet, as_json=as_json)
    folder = project_folder(project)
    tools = {item.name: item.tool for item in listed_tools(home_of(folder))}
    outcome = outcome_of(
        folder,
        tool,
        _arguments(words or [], arguments, tools.get(tool, {})),
        dry_run=dry_run,
        python=python_of(folder, screen.remark),
    )
    if as_json:
        screen.data(json.dumps(outcome, indent=2))
    else:
        _show(screen, outcome, dry_run=dry_run)
    return _exit_code(outcome, dry_run=dry_run)


def _arguments(words: list[str], text: str, tool: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call: a JSON object as text, and `name=value` words. Raises
    UsageError.
    """
    from ..runtime.parts.shell import arguments_of

    try:
        return arguments_of(words, tool.get("inputSchema", {}), text)
    except ValueError as error:
        raise UsageError.of(
            "E1178", str(error), "write `name=value`, or `--args` with a JSON object"
        ) from None


def _exit_code(outcome: dict[str, Any], *, dry_run: bool) -> int:
    if dry_run and outcome["requests"]:
        return 0
    if "error" in outcome or outcome["result"].get("isError"):
        return 1
    return 0


def _show(screen: Screen, outcome: dict[str, Any], *, dry_run: bool) -> None:
    """Print the requests on stderr, and the answer on stdout."""
    from ..runtime.parts.shell import block_text

    for request in outcome["requests"]:
        _show_request(screen, request)
    if dry_run and outcome["requests"]:
        screen.remark("dry run: nothing was sent")
        return
    if "error" in outcome:
        screen.err.print(f"error: {shown(outcome['error'])}", style="red")
        return
    result = outcome["result"]
    text = "\n".join(map(block_text, result.get("content", [])))
    screen.data(_lines(text))
    size = len(json.dumps(result.get("content", []), ensure_ascii=False).encode())
    verdict = "the call failed" if result.get("isError") else "answered"
    screen.remark(f"{verdict}, ≈ {round(size / 4):,} tokens")


def _show_request(screen: Screen, request: dict[str, Any]) -> None:
    screen.remark(f"{request['method']} {shown(request['url'])}", style="bold")
    for name, value in request["headers"].items():
        screen.remark(f"  {name}: {shown(value)}")
    if request["body"]:
        screen.remark(f"\n{_lines(request['body'])}")
    screen.remark("")


def _lines(text: str) -> str:
    """Return a text of many lines, with control characters made visible."""
    return "\n".join(map(shown, text.splitlines()))
