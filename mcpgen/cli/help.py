"""The help of a command: plain text in groups, which folds at any width."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

GENERAL = "Options"


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
                    formatter.write_dl(rows)
