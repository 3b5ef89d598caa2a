"""The options that several commands share, and how a function becomes a command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from ..config.keys import OPTIONS, Key, Option, Table
from ..config.options import config_from_options
from .completion import OFFERS

OUTPUT = "Output"
GROUPS = {"Config": "Document and server", "Selection": "Selection of operations"}
"""The group of a key's option in the help, by the dataclass that holds its value."""

PROJECT = "The project's folder. Default: the project that this folder is in."

Format: TypeAlias = Literal["text", "json", "sarif", "github"]

Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print only problems.", rich_help_panel=OUTPUT),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON.", rich_help_panel=OUTPUT)
]
FormatOption = Annotated[
    Format,
    typer.Option(
        "--format", help="How to print problems.", case_sensitive=False, rich_help_panel=OUTPUT
    ),
]
ProjectArgument = Annotated[Path, typer.Argument(metavar="[DIR]", help=PROJECT)]
ProjectOption = Annotated[
    Path,
    typer.Option(
        "--project",
        metavar="DIR",
        help=PROJECT,
        show_default=False,
    ),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", help="Print the traceback of a failure.", rich_help_panel=OUTPUT),
]


def command(function: Callable[..., int]) -> Callable[..., int]:
    """A function as a command of Typer.

    Its parameter `config`, if it has one, becomes the options of the keys of `mcpgen.toml`. Every
    command that has options gets `--debug`, which `mcpgen.cli.run` reads.
    """
    parameters: list[inspect.Parameter] = []
    takes_config = False
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        if parameter.name == "config":
            takes_config = True
            parameters += [_parameter(*row) for row in OPTIONS]
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    parameters.append(_keyword("debug", Debug, False))

    @functools.wraps(function)
    def run(**values: Any) -> int:
        del values["debug"]
        if takes_config:
            options = {option.parameter: values.pop(option.parameter) for _, _, option in OPTIONS}
            values["config"] = config_from_options(options)
        return function(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _keyword(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
    )


def _parameter(table: Table, key: Key, option: Option) -> inspect.Parameter:
    """The parameter of a key's option."""
    settings: dict[str, Any] = {
        "help": option.help or key.text,
        "show_default": False,
        "rich_help_panel": GROUPS[table.dataclass],
    }
    if key.kind == "count":
        settings["min"] = 1
    if key.choices:
        settings["case_sensitive"] = False
    else:
        settings["metavar"] = option.metavar
    if option.is_argument:
        info = typer.Argument(**settings | {"metavar": option.name})
    else:
        info = typer.Option(option.name, autocompletion=OFFERS.get(key.name), **settings)
    default = False if key.kind == "flag" else None
    return _keyword(option.parameter, Annotated[_type(key), info], default)


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
