"""The Jinja environment: a template prints only what went through a filter of `literal`.

`finalize` sees whatever a template prints and refuses all that is not exactly `Code`. Every
undefined name is an error, and there are no globals, tests or filters but our own. Templates are
mcpgen's own files; a test refuses in them what `finalize` cannot see, such as filter blocks.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import jinja2

from ..paths import template_root
from .literal import Code, code, comment, docstring, markdown, py_ident, py_literal, toml, word

FILTERS = {
    "literal": py_literal,
    "identifier": py_ident,
    "docstring": docstring,
    "code": code,
    "comment": comment,
    "markdown": markdown,
    "toml": toml,
    "word": word,
}
"""Python: `literal identifier docstring code`; other files: `comment markdown toml word`."""


class UnsafeOutput(TypeError):
    """A template prints something that went through no filter."""


def only_code(value: Any) -> Code:
    """Jinja's `finalize`: pass `Code`, refuse the rest."""
    if type(value) is not Code:
        raise UnsafeOutput(f"a template prints `{type(value).__name__}` instead of code")
    return value


def make_environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """An environment over `loader` in which only `FILTERS` can print."""
    environment = jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        finalize=only_code,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        extensions=(),
    )
    environment.globals.clear()
    environment.tests.clear()
    environment.filters.clear()
    environment.filters.update(FILTERS)
    return environment


@cache
def environment() -> jinja2.Environment:
    """The environment over the template tree."""
    return make_environment(jinja2.FileSystemLoader(template_root()))
