"""The options that several commands share, and how a function becomes a command."""

from __future__ import annotations

import functools
import inspect
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from .completion import offer

if TYPE_CHECKING:
    from ..config.keys import Key, Option, Table

GROUPS = {"Config": "Document and server", "Selection": "Selection of operations"}
"""The group of a key's option in the help, by the dataclass that holds its value."""

Format: TypeAlias = Literal["text", "json", "sarif", "github"]


@cache
def rows() -> dict[str, dict[str, dict[str, Any]]]:
    """Return command → parameter → settings of `data/options.toml`; `shared` holds those of several
    commands.
    """
    return tomllib.loads((resources.files("mcpgen") / "data" / "options.toml").read_text("utf-8"))


def command(name: str, function: Callable[..., int]) -> Callable[..., int]:
    """Return a function as a command of Typer.

    Its parameter `config`, if any, becomes the options of the keys of `mcpgen.toml`. Every command
    gets `--debug`, which `mcpgen.cli.run` reads.
    """
    keys = _keys_of(function)
    known = {**rows()["shared"], **rows().get(name, {})}
    parameters: list[inspect.Parameter] = []
    names = {**function.__globals__, "Config": object}  # imported when the command runs
    for parameter in inspect.signature(function, eval_str=True, globals=names).parameters.values():
        if parameter.name == "config":
            parameters += [_parameter(*row) for row in keys]
        else:
            row = known[parameter.name]
            parameters.append(
                _keyword(parameter.name, parameter.annotation, parameter.default, row)
            )
    parameters.append(_keyword("debug", bool, False, known["debug"]))

    @functools.wraps(function)
    def run(**values: Any) -> int:
        del values["debug"]
        if keys:
            from ..config.options import config_from_options

            options = {option.parameter: values.pop(option.parameter) for _, _, option in keys}
            values["config"] = config_from_options(options)
        return function(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _keys_of(function: Callable[..., int]) -> tuple[tuple[Table, Key, Option], ...]:
    """Return the keys of `mcpgen.toml` that are options; none for a command without `config`."""
    if "config" not in inspect.signature(function).parameters:
        return ()
    from ..config.keys import OPTIONS

    return tuple(OPTIONS)


def _keyword(name: str, kind: Any, default: object, row: Mapping[str, Any]) -> inspect.Parameter:
    """Return a parameter of a command; `row` has Typer's settings, `names` of an option and
    `group`.
    """
    settings = {key: value for key, value in row.items() if key not in ("names", "group")}
    settings["rich_help_panel"] = row.get("group")
    settings["autocompletion"] = offer(name)
    info = typer.Argument(**settings)
    if "names" in row:
        info = typer.Option(*row["names"], **settings)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, info], default=default
    )


def _parameter(table: Table, key: Key, option: Option) -> inspect.Parameter:
    """Return the parameter of a command for the option of a key."""
    row: dict[str, Any] = {
        "help": option.help or key.text,
        "show_default": False,
        "group": GROUPS[table.dataclass],
        "metavar": option.metavar,
    }
    if key.kind == "count":
        row["min"] = 1
    if key.choices:
        del row["metavar"]
        row["case_sensitive"] = False
    if option.is_argument:
        row["metavar"] = option.name
    else:
        row["names"] = [option.name]
    default = False if key.kind == "flag" else None
    return _keyword(option.parameter, _type(key), default, row)


def _type(key: Key) -> Any:
    if key.choices:
        return Literal[key.choices] | None
    match key.kind:
        case "flag":
            return bool
        case "count":
            return int | None
        case "text" | "name":
            return str | None
        case _:
            return list[str] | None
