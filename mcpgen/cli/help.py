"""The help of a command: plain text in groups, which folds at any width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from textwrap import wrap
from typing import Any, ClassVar

from typer._click.shell_completion import CompletionItem
from typer.core import TyperCommand, TyperGroup

GENERAL = "Options"
HOME = "generate"
"""The command whose help explains the options of the keys of `mcpgen.toml`."""
SHARED = ("Document and server", "Selection of operations")
"""Groups of options shared with another command; the help lists only their names."""


class Commands(MutableMapping[str, Any]):
    """The commands by name, each made at its first use. `panels`: group → name → first sentence."""

    def __init__(
        self, panels: Mapping[str, Mapping[str, str]], make: Callable[[str], Command]
    ) -> None:
        self.panels, self._make = panels, make
        self._made: dict[str, Any] = {}
        self._names = [name for names in panels.values() for name in names]

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Group(TyperGroup):
    """The commands in groups. Help and completion of names import no command."""

    lazy: ClassVar[Commands]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = self.lazy

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names of the commands."""
        return list(self.lazy)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[CompletionItem]:
        """Return the commands that begin with a word; without any, the options of `mcpgen`."""
        names = {name: text for names in self.lazy.panels.values() for name, text in names.items()}
        found = [
            CompletionItem(name, help=text)
            for name, text in names.items()
            if name.startswith(incomplete)
        ]
        return found or super(TyperGroup, self).shell_complete(ctx, incomplete)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each group of commands."""
        for title, rows in self.lazy.panels.items():
            with formatter.section(title):
                formatter.write_dl(list(rows.items()))


class Command(TyperCommand):
    """A command whose options are listed in the groups they name (`rich_help_panel`)."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then each group of options; of `SHARED` ones only names."""
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
    """Write the names of options, which the help of `HOME` explains."""
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
