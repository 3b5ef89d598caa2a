"""Path templates (OpenAPI 3.1 §4.8.8.2): which of them can be called, and their query."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from ..runtime.pointer import escape
from ..text import visible
from .unsupported import Unsupported

LITERAL = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*(?<!%20)")
SYMBOLS = re.compile(r"[!$&'()*+,;=:@]")
"""Characters of a URL that words do not have: with a space among them a path is no path."""
TEMPLATE_NAME = re.compile(r"\{([^{}]+)\}")

Query = tuple[tuple[str, str], ...]


def split_path(path: str) -> tuple[str, Query]:
    """A path key as (template, fixed query); a fragment is dropped. Raises Unsupported where no
    request can have that path.
    """
    at = f"/paths/{escape(path)}"
    template, _, query = path.partition("#")[0].partition("?")
    if not re.match("/(?!/)", template):
        raise Unsupported("E0402", "the path does not start with one `/`", at)
    literal = re.sub(r"\{[^{}/]+\}", "x", template)
    if re.search("[{}]", literal):
        raise Unsupported("E0402", "the path's braces do not match", at)
    literal = "".join(map(_percent_encoded, literal))
    if not LITERAL.fullmatch(literal) or visible(literal) != literal:
        raise Unsupported("E0402", "the path has characters a URL cannot have", at)
    if " " in template and SYMBOLS.search(literal) is not None:
        raise Unsupported("E0402", "the path has spaces among symbols, which no path has", at)
    segments = re.sub(r"%2[eE]", ".", literal.replace("%25", "%")).split("/")
    if not {".", ".."}.isdisjoint(segments):
        raise Unsupported("E0402", "the path has a dot segment", at)
    # A pattern behind a parameter's name (`{id:[0-9]+}`) is of other path languages.
    template = re.sub(r"\{([^{}:]+):[^{}]*\}", r"{\1}", template)
    return template, tuple(parse_qsl(query, keep_blank_values=True))


def _percent_encoded(char: str) -> str:
    if char == " ":
        return "%20"
    if char.isascii():
        return char
    return "".join(f"%{octet:02X}" for octet in char.encode("utf-8", "replace"))


def parameter_names(template: str) -> list[str]:
    """The names in the braces of a path template, in order, with repeats."""
    return TEMPLATE_NAME.findall(template)
