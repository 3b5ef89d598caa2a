"""The help of a command: plain text in groups, which folds at any width."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from typer.core import TyperCommand, TyperGroup

GENERAL = "Options"
HOME = "generate"
"""The command whose help explains the options of the keys of `mcpgen.toml`."""
SHARED = ("Document and server", "Selection of operations")
"""Groups of options that other commands share with it; their help lists the names alone."""


class Group(TyperGroup):
    """The commands in the groups they name (`rich_help_panel`)."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each group of commands."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            rows = panels.setdefault(str(getattr(command, "rich_help_panel", "")), [])
            rows.append((name, command.get_short_help_str(formatter.width)))
        for title, rows in panels.items():
            with formatter.section(title):
                formatter.write_dl(rows)


class Command(TyperCommand):
    """A command whose options are listed in the groups they name (`rich_help_panel`)."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and then each group of options."""
        arguments: list[tuple[str, str]] = []
        groups: dict[str, list[tuple[str, str]]] = {GENERAL: []}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is None:
                continue
            if parameter.param_type_name == "argument":
                name, text = row
                arguments.append((name.split(" <")[0], text))  # without its type
                continue
            group = getattr(parameter, "rich_help_panel", None) or GENERAL
            groups.setdefault(group, []).append(row)
        for title, rows in {"Arguments": arguments, **groups}.items():
            if rows:
                with formatter.section(title):
                    if title in SHARED and ctx.info_name != HOME:
                        _write_names(formatter, rows)
                    else:
                        formatter.write_dl(rows)


def _write_names(formatter: Any, rows: list[tuple[str, str]]) -> None:
    """Write the names of options that `HOME` explains."""
    names = ", ".join(name.split(" ")[0] for name, _ in rows)
    indent = " " * formatter.current_indent
    lines = wrap(
        f"{names} (`mcpgen {HOME} --help` explains them)",
        formatter.width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    for line in lines:
        formatter.write(f"{line}\n")
