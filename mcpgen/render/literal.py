"""The only way from document text to source text.

Everything a template prints is `Code`, made by the functions of this module: literals, names, and
expressions of them on one line, which black breaks. Python literals are pure ASCII and spelled as
black spells them. The escapers for other files (Markdown, TOML, plain words) follow, then the Jinja
environment, which refuses everything but exactly `Code`.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any, Final, final

import jinja2

from ..paths import template_root
from ..text import visible

DEPTH: Final = 64
"""The deepest value that becomes a literal. Python itself gives up at about 200 brackets."""
WIDTH: Final = 100
"""Columns of a line of generated Python, unless the project chooses others."""
ELLIPSIS = "..."

TEXT: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
"""A string literal on one line."""
_IDENTIFIER = re.compile(r"(?:_[A-Za-z0-9]|[A-Za-z])[A-Za-z0-9_]{0,127}")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")


@final
class Code(str):
    """Source text that is safe to print unchanged. A mark, checked by exact type: any operation
    loses it.
    """

    __slots__ = ()


class UnsafeValue(ValueError):
    """A value that has no literal: a bug of an earlier stage, never the user's fault."""


def py_literal(value: Any) -> Code:
    """Return a JSON value as a Python literal on one line.

    Raises UnsafeValue for any other type (also a subclass), for infinite floats, for keys that are
    not text, and below depth 64.
    """
    return Code(_spell(value, DEPTH))


def _spell(value: Any, depth: int) -> str:
    if depth < 0:
        raise UnsafeValue(f"value nested deeper than {DEPTH}")
    kind = type(value)
    if kind in _SCALARS:
        return _SCALARS[kind](value)
    if kind is dict:
        return _spell_object(value, depth)
    if kind not in (list, tuple):
        raise UnsafeValue(f"unsupported type: `{kind.__name__}`")
    inner = ", ".join(_spell(item, depth - 1) for item in value)
    if kind is list:
        return f"[{inner}]"
    return f"({inner},)" if len(value) == 1 else f"({inner})"


def _spell_object(value: dict[Any, Any], depth: int) -> str:
    for key in value:
        if type(key) is not str:
            raise UnsafeValue(f"unsupported type of a key: `{type(key).__name__}`")
    items = (f"{quoted(key)}: {_spell(item, depth - 1)}" for key, item in value.items())
    return "{" + ", ".join(items) + "}"


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise UnsafeValue("a float that is not finite has no literal")
    return repr(value)


def _integer(value: int) -> str:
    try:
        return repr(value)
    except ValueError:  # more digits than `sys.set_int_max_str_digits` allows
        raise UnsafeValue("an integer with too many digits has no literal") from None


def quoted(text: str) -> Code:
    """Return a string literal in ASCII, in the quotes black would choose: double ones unless they
    need more escapes. Raises UnsafeValue for another type.
    """
    if type(text) is not str:
        raise UnsafeValue(f"unsupported type: `{type(text).__name__}`")
    quote = "'" if text.count('"') > text.count("'") else '"'
    return Code(quote + escaped(text).replace(quote, "\\" + quote) + quote)


_SCALARS: Final[dict[type, Callable[[Any], str]]] = {
    type(None): repr,
    bool: repr,
    str: quoted,
    int: _integer,
    float: _float,
}


def escaped(text: str) -> str:
    """Return `text` as `ascii()` writes it between quotes, without the quotes."""
    return text.encode("unicode_escape", "surrogatepass").decode("ascii")


def py_ident(name: str) -> Code:
    """Return a name unchanged. Raises UnsafeValue for anything but an ASCII identifier."""
    if type(name) is not str or not _IDENTIFIER.fullmatch(name) or keyword.iskeyword(name):
        raise UnsafeValue(f"not an identifier: {name!a:.80}")
    return Code(name)


def subscript(name: str, *items: str) -> Code:
    """Return `name[items]`."""
    return Code(f"{name}[{', '.join(items)}]")


def dictionary(entries: Mapping[str, str]) -> Code:
    """Return `{"key": expression}`. A comma behind several entries makes black give each a line."""
    items = [f"{quoted(key)}: {value}" for key, value in entries.items()]
    return Code(f"{{{', '.join(items)}{',' * (len(items) > 1)}}}")


def call(function: str, /, *items: str, **keywords: str) -> Code:
    """Return `function(items, keyword=expression)`. Raises UnsafeValue for a bad keyword."""
    named = (f"{py_ident(key)}={value}" for key, value in keywords.items())
    return Code(f"{function}({', '.join([*items, *named])})")


def union(operands: Iterable[str]) -> Code:
    """Return the operands joined by `|`, without repeats."""
    return Code(" | ".join(dict.fromkeys(operands)))


def names_in(expression: str) -> set[str]:
    """Return the words of an expression outside its texts: names that it reads (`wire`, `Any`), but
    also attributes and keywords.
    """
    return set(re.findall(r"[A-Za-z_]\w*", TEXT.sub("", expression)))


def is_field(key: str) -> bool:
    """Return whether a key can be a field of a TypedDict's class: an ASCII name that Python does
    not mangle.
    """
    if keyword.iskeyword(key) or key.startswith("__"):
        return False
    return key.isascii() and key.isidentifier()


def docstring(text: str, indent: int = 4, width: int = WIDTH) -> Code:
    """Return a sentence as a docstring, wrapped at `width`; `...` for an empty text, and for a word
    that fits no line. Raises UnsafeValue for another type.
    """
    if type(text) is not str:
        raise UnsafeValue(f"unsupported type: `{type(text).__name__}`")
    words = [_docstring_word(word, width) for word in visible(text).split() or [ELLIPSIS]]
    if words[0].startswith('"'):
        words[0] = "\\" + words[0]
    if words[-1].endswith('"'):
        words[-1] += " "  # four quotes in a row would be read as three and one
    room = width - indent
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > (room - 6 if len(lines) == 1 else room):
            lines.append(word)
        else:
            lines[-1] += " " + word
    if len(lines) == 1:
        return Code(f'"""{lines[0]}"""')
    margin = "\n" + " " * indent
    return Code(f'"""{margin.join(lines).rstrip(" ")}{margin}"""')


def _docstring_word(word: str, width: int) -> str:
    safe = escaped(word)
    if '""' in safe:
        safe = safe.replace('"', '\\"')
    return safe if len(safe) <= width - 20 else ELLIPSIS


def code(value: Any) -> Code:
    """Return a value that is `Code` already. Raises UnsafeValue for any other. Jinja's `finalize`:
    all that a template prints comes through here.
    """
    if type(value) is not Code:
        raise UnsafeValue(f"not code: `{type(value).__name__}`")
    return value


def comment(text: Any) -> Code:
    """Return text on one line, to be printed after a `#`. Raises UnsafeValue for another type."""
    if type(text) is not str:
        raise UnsafeValue(f"unsupported type: `{type(text).__name__}`")
    return Code(" ".join(visible(text).split()))


def word(value: Any) -> Code:
    """Return a number or a plain word (`[A-Za-z0-9_.-]`), which means the same in every file
    format. Raises UnsafeValue for anything else.
    """
    if type(value) is int:
        return Code(_integer(value))
    if type(value) is not str or not _WORD.fullmatch(value):
        raise UnsafeValue(f"not a plain word: {value!a:.80}")
    return Code(value)


_URL = r"https?://[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+"
"""An address in all characters of RFC 3986: in a code span none of them has a meaning."""
_CODE_SPAN = rf"(?<!`)`(?:{_URL}|[A-Za-z0-9_.-]+(?:: [A-Za-z0-9_.-]+)?(?: …)?)`(?!`)"
_MARKUP = r"[\\`*_\[\]()<>#|!&~$@{}]|:(?=\S)|(?<=www)\.|^(?:[-+=]|\d+(?=[.)]))"
_MARKDOWN = re.compile(f"{_CODE_SPAN}|{_MARKUP}", re.I)


def markdown(text: Any) -> Code:
    """Return text for the middle of a Markdown line: shown as it is written, without links, images
    and HTML. A plain word between backticks is shown as code, as are a header (`Name: Bearer …`)
    and a URL. Raises UnsafeValue for another type.

    Characters with a meaning in CommonMark or GitHub's dialect get a backslash (CommonMark §2.4),
    those that start HTML or an entity become entities, and addresses are broken so that no renderer
    links them.
    """
    if type(text) is not str:
        raise UnsafeValue(f"unsupported type: `{type(text).__name__}`")
    return Code(_MARKDOWN.sub(_escape_markdown, " ".join(visible(text).split())))


def _escape_markdown(match: re.Match[str]) -> str:
    entities = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    text = match[0]
    if len(text) > 2 and text[0] == "`":
        return text
    if text[0].isdigit():
        return f"&#{ord(text[0])};{text[1:]}"
    return entities.get(text, "\\" + text)


def toml(text: Any) -> Code:
    """Return a TOML basic string (TOML 1.0, *String*), in ASCII. A lone surrogate becomes U+FFFD.
    Raises UnsafeValue for another type.
    """
    if type(text) is not str:
        raise UnsafeValue(f"unsupported type: `{type(text).__name__}`")
    return Code('"' + "".join(map(_toml_character, text)) + '"')


def _toml_character(character: str) -> str:
    point = ord(character)
    if character in '"\\':
        return "\\" + character
    if 0x20 <= point < 0x7F:
        return character
    if 0xD800 <= point < 0xE000:
        return "\\uFFFD"
    return f"\\u{point:04X}" if point < 0x10000 else f"\\U{point:08X}"


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


def make_environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Return an environment over `loader` in which only `FILTERS` can print: `finalize` takes
    `Code` alone.
    """
    environment = jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        finalize=code,
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
def environment(width: int = WIDTH) -> jinja2.Environment:
    """Return the environment over the template tree; docstrings are wrapped at `width` columns."""
    made = make_environment(jinja2.FileSystemLoader(template_root()))
    made.filters["docstring"] = partial(docstring, width=width)
    return made
