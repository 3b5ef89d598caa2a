"""What a docstring says of a tool: Google, NumPy and reST style."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import docstring_parser


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring in parts: the text for the model, the arguments by name, and the result."""

    description: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    returns: str = ""


def documentation(function: Callable[..., Any]) -> Documentation:
    """The docstring of a function. One that no style can read is a description as a whole."""
    text = inspect.getdoc(function) or ""
    try:
        parsed = docstring_parser.parse(text)
    except docstring_parser.ParseError:
        return Documentation(text)
    paragraphs = [parsed.short_description, parsed.long_description]
    for example in parsed.examples:
        paragraphs += ["Example:", example.snippet, example.description]
    returns = ""
    if parsed.returns is not None:
        returns = parsed.returns.description or ""
    return Documentation(
        "\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        {each.arg_name: each.description for each in parsed.params if each.description},
        returns,
    )
