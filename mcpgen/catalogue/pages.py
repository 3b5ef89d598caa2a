"""The catalogue as one HTML page and as Markdown, and the templates that the workbench shares.

Every text of a document is escaped, after invisible and direction-changing characters are spelt
out. The page allows one style and one script by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ..text import visible
from ..version import __version__
from .model import Catalogue, Row
from .treemap import treemap

TEMPLATES = Path(str(resources.files("mcpgen"))) / "catalogue" / "templates"
MARK = "<!-- made by `mcpgen inspect` -->"
"""A line at the start of a page and of its Markdown: the command overwrites no other file."""
STEPS = (2.0, 3.0, 3.5, 4.0)
"""Scores at which the colour changes."""
_BACKTICKS = re.compile(r"`([^`\n]+)`")
_STRING = r"&#34;(?:\\.|(?!&#34;)[^\\\n])*&#34;"
_JSON = re.compile(
    rf"(?P<key>{_STRING}(?=:))|(?P<string>{_STRING})|(?P<value>true|false|null|-?\d[\d.eE+-]*)"
)
"""The tokens of JSON whose quotes are escaped for HTML."""
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#!|~&@:])")


def html(catalogue: Catalogue) -> str:
    """Return the catalogue as one self-contained page."""
    style, script = text_of("page.css"), text_of("table.js")
    return (
        environment(TEMPLATES)
        .get_template("catalogue.html.jinja")
        .render(
            catalogue=catalogue,
            scores=catalogue.scores,
            areas=treemap(catalogue),
            anchor=_anchor,
            style=Markup(style),
            style_hash=_hash(style),
            script=Markup(script),
            script_hash=_hash(script),
            version=__version__,
            mark=Markup(MARK),
        )
    )


def markdown(catalogue: Catalogue) -> str:
    """Return the catalogue as Markdown for a pull request or a wiki."""
    plain = environment(TEMPLATES)
    plain.autoescape = False
    return plain.get_template("catalogue.md.jinja").render(catalogue=catalogue, mark=MARK)


def _anchor(row: Row) -> str:
    return f"#t{row.number}"


@cache
def text_of(name: str) -> str:
    """Return the text of a style sheet or script in the folder of the templates."""
    return (TEMPLATES / name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash of an element's text as in a Content-Security-Policy: `sha256-…` (CSP level
    3, section 2.3.1).
    """
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def environment(*folders: Path) -> Environment:
    """Return the template engine of the pages, with templates in `folders`: everything is escaped,
    and undefined names are errors.
    """
    engine = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=False,
        finalize=_visible,
    )
    engine.filters.update(
        number=_number,
        px=_px,
        quality=_quality,
        md=_markdown,
        json=_json,
        laid_out=_laid_out,
        code=_code,
    )
    return engine


def _visible(value: Any) -> Any:
    """Return a text with invisible characters spelt out; markup and other values unchanged."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def _number(value: float) -> str:
    return f"{value:,}"


def _code(text: str) -> Markup:
    """Return a message as HTML: text in backticks becomes code."""
    return Markup(_BACKTICKS.sub(r"<code>\1</code>", str(escape(visible(text)))))


def _json(value: Any) -> Markup:
    """Return a value as indented JSON in HTML, with a class for each kind of token."""
    text = escape(visible(json.dumps(value, indent=2, ensure_ascii=False)))
    return Markup(
        _JSON.sub(lambda token: f'<span class="{token.lastgroup}">{token[0]}</span>', str(text))
    )


def _laid_out(text: str) -> str:
    """Return a JSON text as the HTML of `_json`; any other text unchanged."""
    try:
        return _json(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _px(value: float) -> str:
    """Return a length with at most one decimal: `12.5`, `12`."""
    return f"{value:.1f}".removesuffix(".0")


def _quality(score: float | None) -> str:
    """Return the CSS class of a score: ` q1` to ` q5`; empty for None."""
    if score is None:
        return ""
    return f" q{1 + sum(score >= step for step in STEPS)}"


def _markdown(text: str) -> str:
    """Return text for Markdown on one line, without markup, links or mentions."""
    return _MARKDOWN.sub(r"\\\1", " ".join(visible(text).split()))
