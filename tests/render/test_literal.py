"""Document text becomes source text through one literal filter, and means there what it meant
before.
"""

import ast
import enum
import json
import math
import re
import tomllib
from collections import OrderedDict
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markupsafe import Markup

from mcpgen.render.literal import (
    Code,
    UnsafeValue,
    code,
    docstring,
    markdown,
    py_ident,
    py_literal,
    toml,
    word,
)
from mcpgen.text import visible

EVERY_TEXT = st.text(st.characters(exclude_categories=()))
TRICKY = st.text(
    st.sampled_from(
        "\"'\\\n\r\t{}%#`$ \x00\x1b\u2028\u202e\ud800\N{FULLWIDTH LATIN SMALL LETTER E}é💥aN"
    )
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | EVERY_TEXT
    | TRICKY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TRICKY, inner, max_size=4),
    max_leaves=12,
)
thorough = settings(derandomize=True, max_examples=1000, deadline=None)


@thorough
@given(VALUES)
def test_a_literal_evaluates_to_the_value_and_is_ascii(value: Any) -> None:
    spelled = py_literal(value)
    assert spelled.isascii() and "\n" not in spelled
    assert json.dumps(ast.literal_eval(spelled)) == json.dumps(value)


@thorough
@given(EVERY_TEXT | TRICKY)
def test_a_docstring_is_one_docstring_whatever_the_text(text: str) -> None:
    source = f"async def f():\n    {docstring(text)}\n"
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.AsyncFunctionDef) and len(function.body) == 1
    assert (ast.get_docstring(function) or "...").split()[0] and source.isascii()
    assert all(len(line) <= 100 and not line.endswith(" ") for line in source.splitlines())


@thorough
@given(st.text("az AZ\"'\\é💥.", max_size=400))
def test_a_docstring_says_the_words_of_the_text(text: str) -> None:
    (function,) = ast.parse(f"async def f():\n    {docstring(text)}\n").body
    said = (ast.get_docstring(function) or "").split()  # type: ignore[arg-type]
    long = [item for item in text.split() if len(item.encode("unicode_escape")) > 60]
    assert long or said == (text.split() or ["..."])


@thorough
@given(EVERY_TEXT | TRICKY | st.from_regex(r"[A-Za-z_]\w{0,20}"))
def test_a_name_is_printed_as_it_is_or_refused(name: str) -> None:
    try:
        printed = py_ident(name)
    except UnsafeValue:
        return
    assert printed == name and name.isidentifier() and name.isascii()
    ast.parse(f"def {name}(): pass")


class Shouting(str):
    def __repr__(self) -> str:
        return "__import__('os')"


class Colour(enum.StrEnum):
    RED = "red"


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 0


@pytest.mark.parametrize("value", [
    Shouting("x"), Markup("x"), Colour.RED, Decimal(1), date(2026, 1, 1), b"x", {1, 2}, frozenset(),
    OrderedDict(a=1), object(), {1: "x"}, {Shouting("x"): 1}, [Shouting("x")], Code("x"), 1j, ...,
    {"maximum": math.nan}, {"maximum": math.inf}, {"maximum": -math.inf}, 10**5000, nested(65),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_only_finite_values_of_exact_types_of_json_have_a_literal(value: Any) -> None:
    with pytest.raises(UnsafeValue):
        py_literal(value)


def test_the_deepest_value_and_negative_zero_have_theirs() -> None:
    assert ast.literal_eval(py_literal(nested(64))) == nested(64) and py_literal(-0.0) == "-0.0"


@pytest.mark.parametrize(
    "text", ["\\", '"', "'''", '"""', "\\N{", "\\u12", "\\x4", "a\\", 'a"', "\\'", '\\"', "'\"'"]
)
def test_backslashes_and_quotes_come_back_byte_for_byte(text: str) -> None:
    assert ast.literal_eval(py_literal(text)) == text
    assert ast.literal_eval(docstring(text)).strip() == text


@pytest.mark.parametrize(
    "text",
    ["plain", "it's", 'say "hi"', "both ' and \"", "two '' and one \"", "\\'", "\t\n\x00é💥"],
)
def test_text_is_spelled_as_black_spells_it(text: str) -> None:
    import black

    line = f"x = {py_literal(text)}\n"
    assert black.format_str(line, mode=black.Mode()) == line


def test_only_code_is_code() -> None:
    assert type(code(Code("x"))) is Code
    for value in ("x", Markup("x"), None, 3):
        with pytest.raises(UnsafeValue):
            code(value)


@pytest.mark.parametrize(
    "text", ["a b", "", "$x", "a;b", "a\nb", "-x", "..", "../x", "x/y", "a'", "é"]
)
def test_a_word_has_no_meaning_in_any_file(text: str) -> None:
    with pytest.raises(UnsafeValue):
        word(text)


@pytest.mark.parametrize("name", [
    "class", "None", "_", "__x", "__init__", "1a", "", "a-b", "a b", "ｅｖａｌ", "данные", "a\n",
    "a" * 129, "a;b", "a.b",
])  # fmt: skip
def test_what_is_no_plain_identifier_is_never_printed(name: str) -> None:
    with pytest.raises(UnsafeValue):
        py_ident(name)


@thorough
@given(EVERY_TEXT | TRICKY)
def test_toml_gives_the_same_text_back(text: str) -> None:
    source = f"x = {toml(text)}\n"
    assert source.isascii() and source.count("\n") == 1
    assert tomllib.loads(source) == {
        "x": "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    }


MARKED = TRICKY | st.text("<>[]()!`*_~#|&;:/@.-+=1a \\\n\"'", max_size=60) | EVERY_TEXT
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False, "html": True})


@thorough
@given(MARKED)
def test_text_in_markdown_is_shown_as_text(text: str) -> None:
    """One paragraph of text and words of code: no link, image, HTML or emphasis, nothing lost."""
    (_, inline, _), *rest = [MARKDOWN.parse(f"{markdown(text)} x")]
    assert not rest
    children = inline.children or ()
    assert {child.type for child in children} <= {"text", "code_inline"}
    assert all(child.content.isascii() for child in children if child.type == "code_inline")
    shown = "".join(
        f"`{child.content}`" if child.type == "code_inline" else child.content for child in children
    )
    assert shown == " ".join([*visible(text).split(), "x"])


def test_a_word_between_backticks_is_shown_as_code() -> None:
    assert markdown("as `Accept: x …`") == "as `Accept: x …`"
    assert (
        markdown("in `X-API-Key`, ``a`` and `a b`") == "in `X-API-Key`, \\`\\`a\\`\\` and \\`a b\\`"
    )
    address = "by default `https://u@[::1]:80/~a/v1%20+,;=(!$&'*)?q#f`"
    assert markdown(address) == address


@pytest.mark.parametrize("text", [
    "<script>alert(1)</script>", "![x](http://evil/b.png)", "[c](javascript:alert(1))",
    "```\nrm\n```", "\x1b[31m", "http://evil.example", "www.evil.example", "mailto:a@evil.example",
    "a@evil.example", "&lt;b&gt;", "$x$",
])  # fmt: skip
def test_the_known_ways_out_of_markdown_are_closed(text: str) -> None:
    assert not re.search(
        r"<|\x1b|(?<!\\)(?:://|mailto:|www\.|[@$`!\[\]])", markdown(text).replace("www\\.", "")
    )
