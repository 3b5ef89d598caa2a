"""Write `docs/cli.md` from the commands' own help: `make docs`. A test compares."""

from __future__ import annotations

import inspect
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_type_hints

from typer.models import ArgumentInfo

from mcpgen.cli import app

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"

_HEAD = """\
# Commands

<!-- Written by `make docs` from the commands' own help. Do not edit. -->

`mcpgen COMMAND --help` says the same in a terminal. Results go to standard output; problems, remarks and progress go to
standard error. Colour and movement appear only on a terminal, and `NO_COLOR` is respected.
"""

_TAIL = """\
## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | the document has errors or no operation that can be read, or a comparison found a difference |
| 2 | wrong usage: of a command, or of `mcpgen.toml`; a filter that matches nothing, a base URL that is none |
| 3 | refused for safety; the message says how to accept it |
| 4 | the output folder is not mcpgen's to write, or somebody edited generated files |
| 10–13 | `mcpgen diff`: text only, additive, breaking, or a change that must be accepted |
| 70 | a bug in mcpgen |
| 130 | interrupted |

## The summary for programs

`mcpgen generate --json` and `mcpgen inspect --json` print one JSON object:

| key | holds |
|---|---|
| `document` | `source`, `sha256` (of the normalised document), `version` (of OpenAPI), `title`, `api_version` |
| `server` | `name`, `package`, `distribution`, `base_url` (or null, and `base_url_note` says why), `allowed_origins` |
| `operations` | `total` = `tools` + `filtered` + `skipped` |
| `skips` | one entry for every operation that is no tool: `operation`, `operation_id`, `filtered`, `code`, `reason` |
| `list` | what the tool list costs: `bytes` of JSON, about as many `tokens` |
| `toolsets` | `name`, `tools`, `bytes`, `tokens` |
| `tools` | `name`, `toolset`, `operation`, `read_only`, `destructive`, `bytes`, `tokens` |
| `environment` | the variables to set: `name`, `meaning`, `required`, `secret` |
| `problems` | `code`, `severity`, `message`, `hint`, `notes`, `file`, `line`, `column`, `width`, `pointer` |
| `output`, `dry_run` | (`generate`) the folder; whether nothing was written |
| `tools_moved` | (`generate`) since the last run: names under `added` and `gone`, `from` and `to` under `renamed` |
| `files` | (`generate`) `created`, `updated`, `removed`, `kept` and `conflicts` by path, `unchanged` as a number |
| `credentials`, `other_origins`, `suspicious` | (`inspect`) where credentials go; tools that call elsewhere; odd text |
"""


def page() -> str:
    """The whole page."""
    commands = {command.name or "": command.callback for command in app.registered_commands}
    toc = ["| command | |", "|---|---|"]
    toc += [
        f"| [`mcpgen {name}`](#mcpgen-{name}) | {_first(function)} |"
        for name, function in commands.items()
    ]
    sections = [_section(name, function) for name, function in commands.items()]
    return "\n".join([_HEAD, "\n".join(toc) + "\n", *sections, _TAIL])


def _section(name: str, function: Any) -> str:
    hints = get_type_hints(function, include_extras=True)
    rows, arguments = [], []
    for parameter in inspect.signature(function).parameters.values():
        kind, said = get_args(hints[parameter.name])[:2]
        if said.hidden:
            continue
        if isinstance(said, ArgumentInfo):
            word = said.metavar or parameter.name.upper()
            arguments.append(word if word.startswith("[") else f"[{word}]")
            word = f"`{word.strip('[]')}`" if word.count("[") < 2 else f"`{word}`"
        else:
            flags = (
                said.default,
                *(said.param_decls or ()),
            )  # Annotated: the first flag stands where a default may
            word = ", ".join(f"`{flag}`" for flag in flags if isinstance(flag, str))
            value = _value(kind, said)
            word += f" `{value}`" if value else ""
        default = parameter.default
        shown = f" Default: `{default.value}`." if isinstance(default, StrEnum) else ""
        rows.append(f"| {word} | {' '.join((said.help or '').split())}{shown} |")
    usage = " ".join(["mcpgen", name, "[OPTIONS]", *arguments])
    return "\n".join(
        [f"## mcpgen {name}", "", _text(function), "", "```", usage, "```", "", *_TABLE, *rows, ""]
    )


_TABLE = ("| option | meaning |", "|---|---|")


def _text(function: Any) -> str:
    return inspect.cleandoc(function.__doc__ or "")


def _first(function: Any) -> str:
    return _text(function).split("\n\n")[0].replace("\n", " ").rstrip(".")


def _value(kind: Any, said: Any) -> str:
    """What an option takes: nothing, one of a few words, or its metavar."""
    if kind is bool:
        return ""
    if inspect.isclass(kind) and issubclass(kind, StrEnum):
        return "/".join(kind)
    return str(said.metavar or "TEXT")


def main() -> int:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
