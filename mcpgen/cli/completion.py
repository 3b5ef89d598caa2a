"""Shell completion: values from the document and from tables."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from ..live.tools import ListedTool
    from ..load.operations import DocumentedOperation

Words = Callable[["DocumentedOperation"], list[str]]
"""The words by which a filter chooses an operation."""
Offer = Callable[[typer.Context, str], list[str]]
"""(what was typed before, the word so far) → the words that a shell offers."""


class Escaped(str):
    """A word with the backslashes that Bash needs. Typer drops words that do not start with the
    typed word, without backslashes; this was compared before.
    """

    def startswith(self, *_: object) -> bool:
        """Return True."""
        return True


def _tags(operation: DocumentedOperation) -> list[str]:
    from ..load.values import texts_in

    return texts_in(operation.node.get("tags"))


def _paths(operation: DocumentedOperation) -> list[str]:
    return [operation.path]


def _names(operation: DocumentedOperation) -> list[str]:
    return [operation.operation_id or operation.key]


def _offer(words: Words) -> Offer:
    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        from ..problems import McpgenError

        try:
            operations = _operations(_sources(ctx))
        except McpgenError:  # the command itself says what is wrong
            return []
        all_words = {word for operation in operations for word in words(operation)}
        return [_as_typed(word) for word in sorted(all_words) if word.startswith(incomplete)]

    return offer


def _codes(incomplete: str) -> list[tuple[str, str]]:
    """Return (code, title) of the problems whose code begins with a word, in any case."""
    from ..report.codes import table

    start = incomplete.upper()
    return [(row.code, row.title) for row in table().values() if row.code.startswith(start)]


def _clients(incomplete: str) -> list[tuple[str, str]]:
    """Return (name, title) of the clients whose name begins with a word."""
    from ..lint.clients import table

    return [(name, row.title) for name, row in table().items() if name.startswith(incomplete)]


def _tools(ctx: typer.Context) -> list[ListedTool]:
    """Return the tools of the project that `--project` names, else of the project here; none before
    it is generated.
    """
    from ..live.environment import home_of
    from ..live.tools import listed_functions, listed_tools
    from ..paths import here
    from ..problems import McpgenError

    folder = here(ctx.params.get("project", Path()))
    if folder is None:
        return []
    try:
        package = home_of(folder)
    except McpgenError:  # the command itself says what is wrong
        return []
    return [*listed_tools(package), *listed_functions(package)]


def _listed(word: str) -> Offer:
    """Return an offer of one attribute of a project's tools: `name` or `toolset`."""

    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        found = {str(getattr(tool, word)) for tool in _tools(ctx)}
        return sorted(name for name in found if name.startswith(incomplete))

    return offer


def _call_words(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the words `name=value` that may follow, for arguments of the tool that was named. Bash
    takes the `=` for a word of its own.
    """
    from ..runtime.parts.shell import words_of_call

    line = " ".join([*(ctx.params.get("words") or ()), incomplete])
    *given, last = re.sub(" ?= ?", "=", line).split(" ")
    schemas = [tool.tool for tool in _tools(ctx) if tool.name == ctx.params.get("tool")]
    words = [word for tool in schemas for word in words_of_call(tool.get("inputSchema", {}), given)]
    there = len(last) - len(incomplete.lstrip("="))
    return [Escaped(word[there:]) for word in words if word.startswith(last)]


OFFERS: Mapping[str, Callable[..., Any]] = {
    "include_tag": _offer(_tags),
    "exclude_tag": _offer(_tags),
    "include_path": _offer(_paths),
    "exclude_path": _offer(_paths),
    "include_operation": _offer(_names),
    "exclude_operation": _offer(_names),
    "client": _clients,
    "tool": _listed("name"),
    "toolset": _listed("toolset"),
    "words": _call_words,
    "code": _codes,
}
"""By the parameter of a command, what a shell offers for its value."""


def offer(parameter: str) -> Callable[..., Any] | None:
    """Return what a shell offers for a parameter's value; None where only files are."""
    return OFFERS.get(parameter)


def _sources(ctx: typer.Context) -> list[str]:
    """Return the documents that are named so far. While a shell asks for an option's value, they
    are among the words not read yet.
    """
    from ..load.source import STDIN

    words = ctx.params.get("spec") or ctx.args
    return [word for word in words if word == STDIN or not word.startswith("-")]


def _operations(sources: list[str]) -> list[DocumentedOperation]:
    """Return the operations of the documents named, else of the project here; none for a URL or
    standard input, which are not read for it. Raises McpgenError.
    """
    from ..config import Config
    from ..customise.bindings import documented
    from ..load.source import STDIN, is_url
    from ..pipeline import open_document
    from ..problems import Problems
    from ..project.run import request_of, settle

    if any(is_url(source) or source == STDIN for source in sources):
        return []
    plan = settle(request_of(Config(sources=tuple(sources))))
    return documented(open_document(plan.config, Problems()))


def _as_typed(word: str) -> str:
    """Return a word as a person would type it: with escapes if the shell is bash, unchanged for
    shells that quote it themselves.
    """
    if os.environ.get("_MCPGEN_COMPLETE") == "complete_bash":
        return Escaped(re.sub(r"([^\w@%+=:,./{}-])", r"\\\1", word))
    return word
