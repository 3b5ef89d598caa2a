"""Write `docs/cli.md` from the commands' own help: `make docs`. A test compares."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from typer.main import get_command

from mcpgen.cli import app
from mcpgen.cli.help import HOME, SHARED

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
| `environment` | the variables to set: `name`, `meaning`, `about` (how it is sent), `required`, `secret` |
| `problems` | `code`, `severity`, `message`, `hint`, `notes`, `file`, `line`, `column`, `width`, `pointer` |
| `output`, `dry_run` | (`generate`) the folder; whether nothing was written |
| `tools_moved` | (`generate`) since the last run: names under `added` and `gone`, `from` and `to` under `renamed` |
| `files` | (`generate`) `created`, `updated`, `removed`, `kept` and `conflicts` by path, `unchanged` as a number |
| `credentials`, `other_origins`, `suspicious` | (`inspect`) where credentials go; tools that call elsewhere; odd text |
"""


def page() -> str:
    """The whole page."""
    commands = get_command(app).commands  # type: ignore[attr-defined]
    lines = [_HEAD, "| command | |", "|---|---|"]
    for name, command in commands.items():
        lines.append(f"| [`mcpgen {name}`](#mcpgen-{name}) | {_first_sentence(command)} |")
    lines.append("")
    for name, command in commands.items():
        lines += _section(name, command)
    return "\n".join([*lines, _TAIL])


def _section(name: str, command: Any) -> list[str]:
    context = command.make_context(f"mcpgen {name}", [], resilient_parsing=True)
    usage = context.get_usage().removeprefix("Usage: ")
    lines = [f"## mcpgen {name}", "", inspect.cleandoc(command.help), ""]
    lines += ["```", " ".join(usage.split()).translate(_NO_BRACES), "```", ""]
    lines += ["| option | meaning |", "|---|---|"]
    shared = []
    for parameter in sorted(command.params, key=lambda item: item.param_type_name):
        option, text = parameter.get_help_record(context)
        if name != HOME and _is_shared(parameter):
            shared.append(f"`{option.split(' ')[0]}`")
            continue
        if parameter.param_type_name == "argument":
            option = option.split(" <")[0]
        lines.append(f"| `{option.translate(_NO_ANGLES)}` | {' '.join(text.split())} |")
    if shared:
        lines += ["", f"and, as of [`mcpgen {HOME}`](#mcpgen-{HOME}): {', '.join(shared)}"]
    return [*lines, ""]


def _is_shared(parameter: Any) -> bool:
    is_option = parameter.param_type_name == "option"
    return is_option and getattr(parameter, "rich_help_panel", None) in SHARED


_NO_BRACES = str.maketrans("", "", "{}")
_NO_ANGLES = str.maketrans("|", "/", "<>")


def _first_sentence(command: Any) -> str:
    return str(command.help).split("\n\n")[0].replace("\n", " ").rstrip(".")


def main() -> int:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
