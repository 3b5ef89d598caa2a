"""Work grows with its input and not faster: every case is counted at one size and at twice the
size.

What Python does is counted in bytecodes. What happens inside a regular expression, or inside a
slice, is invisible to that count, so texts are counted in the characters that were read or copied.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from calls import runtime

from mcpgen.render.search import content
from mcpgen.runtime.parts.search.entries import entry, fields_of
from mcpgen.runtime.parts.search.index import Index


def bytecodes(act: Callable[[], object], most: int) -> int:
    """How many bytecodes a call takes, counted up to `most`."""
    count = 0

    class Enough(Exception):
        pass

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        if event == "opcode":
            count += 1
            if count > most:
                raise Enough
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    except Enough:
        pass
    finally:
        sys.settrace(before)
    return count


class Counted(str):
    """A text that counts the characters that are cut out of it."""

    copied = 0

    def __getitem__(self, key: Any) -> Counted:
        part = Counted(str.__getitem__(self, key))
        Counted.copied += len(part)
        return part


def alternative(operator: str) -> dict[str, Any]:
    args = {"type": "array", "items": {"$ref": "#/$defs/filter"}}
    return {
        "type": "object",
        "properties": {"op": {"const": operator}, "args": args},
        "required": ["op"],
    }


SCHEMA = {
    "type": "object",
    "properties": {"f": {"$ref": "#/$defs/filter"}},
    "$defs": {"filter": {"oneOf": [alternative(operator) for operator in ("and", "or", "not")]}},
}
"""An ordinary recursive schema: alternatives that hold each other."""
CHECKER = runtime.checker.Checker("t", SCHEMA)


def nested(depth: int, last: str) -> dict[str, Any]:
    value: dict[str, Any] = {"op": last}
    for _ in range(depth):
        value = {"op": "not", "args": [value]}
    return {"f": value}


def names(size: int) -> list[str]:
    return [f"get_{index}" for index in range(size)]


def index_of(size: int) -> Index:
    tools = {
        name: entry(fields_of({"name": name, "inputSchema": {}}, "books"), "one", [])
        for name in names(size)
    }
    return Index(content(tools))


def of_page(piece: str) -> Callable[[int], Any]:
    return lambda n: runtime.report.text_of_html(piece * n)


def tried(act: Callable[[int], object]) -> Callable[[int], None]:
    """Call, and take a refusal for an answer."""

    def attempt(size: int) -> None:
        with contextlib.suppress(runtime.client.Refused, runtime.checker.BadArguments):
            act(size)

    return attempt


CASES: dict[str, tuple[int, Callable[[int], object]]] = {
    "comments that do not end": (400, of_page("<!--")),
    "comments that end": (400, of_page("<!-- -->")),
    "scripts that do not end": (400, of_page("<script ")),
    "scripts without end tags": (400, of_page("<script>")),
    "styles and scripts by turns": (400, of_page("<style><script>")),
    "brackets": (400, of_page("<")),
    "values encoded many times": (
        500, tried(lambda n: runtime.request.expand("/{a}", {"a": "%" + "25" * n}))),
    "values of many segments": (500, tried(lambda n: runtime.request.expand("/{a}", {"a": "a/" * n}))),
    "valid alternatives in each other": (10, lambda n: CHECKER.checked(nested(n, "not"))),
    "wrong alternatives in each other": (12, tried(lambda n: CHECKER.checked(nested(n, "no")))),
    "unknown arguments": (400, tried(lambda n: CHECKER.checked(dict.fromkeys(map(str, range(n)))))),
    "a list that is too long": (1_000, lambda n: runtime.answer.fit([{"a": "b"}] * n, 2_000)),
    "an object of many fields": (400, lambda n: runtime.answer.fit(
        {str(index): "x" * (40 + index) for index in range(n)}, 20 * n)),
    "a text of escapes": (1_000, lambda n: runtime.answer.fit('"\\a' * n, n)),
    "hidden characters": (1_000, lambda n: runtime.results.visible("\u200ba" * n)),
    "a search in more tools": (200, lambda n: index_of(n).search("get one", 5, names(n))),
    "a longer search": (400, lambda n: index_of(3).search("get one " * n, 5, names(3))),
    "a suggestion for a longer name": (
        200, lambda n: runtime.arguments.suggest("abcdefghij" * n, ["abc", "abd"] * 20)),
    "a query of many values": (
        500, lambda n: runtime.request.query_text({"a": runtime.wire.form(["b"] * n)})),
}  # fmt: skip
"""Each way in: a size, and what to do with an input of that size."""


@pytest.mark.parametrize("name", CASES)
def test_twice_the_input_is_at_most_little_more_than_twice_the_work(name: str) -> None:
    size, act = CASES[name]
    # The first run fills the caches, and from Python 3.12 on its count is not whole
    bytecodes(lambda: act(2 * size), 5_000_000)
    first = bytecodes(lambda: act(size), 2_000_000)
    second = bytecodes(lambda: act(2 * size), 5_000_000)
    assert second <= 2.3 * first + 2_000, f"{first:,} bytecodes became {second:,}"


def test_replacing_hidden_characters_copies_no_more_than_it_replaces() -> None:
    found = runtime.results._INVISIBLE.finditer(Counted("\u200ba" * 500))
    Counted.copied = 0
    for match in found:
        runtime.results._replacement(match)
    assert Counted.copied <= 2 * 500


def test_the_error_of_deep_alternatives_names_the_argument() -> None:
    with pytest.raises(runtime.checker.BadArguments, match="`f` does not fit its schema"):
        CHECKER.checked(nested(20, "no"))
    with pytest.raises(runtime.checker.BadArguments, match=r"f\.args\[0\]\.op"):
        CHECKER.checked(nested(1, "no"))


def test_a_key_is_not_written_more_often_than_a_query_has_room() -> None:
    value = {"k" * 100_000: ["x"] * 20_000}
    for write in (runtime.wire.deep_object, runtime.wire.form, runtime.wire.reserved):
        with pytest.raises(runtime.client.Refused, match="too long"):
            write(value)
    with pytest.raises(runtime.client.Refused, match="too long"):
        runtime.request.query_text({"a": value})


@pytest.mark.parametrize(
    "charset", ["punycode", "idna", "utf-7", "unicode_escape", "hex", "rot13", "zlib", "hz", "x y"]
)
def test_a_codec_that_is_not_a_charset_of_the_list_is_not_used(charset: str) -> None:
    assert runtime.answer.codec_of(charset) == "utf-8"


@pytest.mark.parametrize(
    "charset",
    "utf-8 UTF-16 utf-32 latin-1 iso-8859-15 ascii windows-1252 cp1251 shift_jis euc-jp euc-kr"
    " gb18030 gbk gb2312 big5 koi8-r".split(),
)
def test_the_charsets_of_the_web_are_read(charset: str) -> None:
    assert runtime.answer.decode("abc".encode(charset), charset) == "abc"


def test_a_number_that_is_too_long_is_an_error_page_like_any_other() -> None:
    page = f"<html><h1>Bad &#{'9' * 5_000}; gateway &#x{'f' * 5_000};</h1>"
    assert runtime.report.text_of_html(page) == "Bad ; gateway ;"


def test_what_is_wrong_is_written_for_the_lines_that_are_shown_alone() -> None:
    many = {"type": "array", "items": {"enum": [f"v{n}" for n in range(50)]}}
    checker = runtime.checker.Checker("t", {"type": "object", "properties": {"a": many}})
    with pytest.raises(runtime.checker.BadArguments) as caught:
        checker.checked({"a": [f"w{index}" for index in range(60)]})
    lines = str(caught.value).splitlines()
    assert len(lines) == 7 and lines[-1] == "- and 45 more" and len(json.dumps(lines)) < 6_000
    assert '"v39" and 10 more' in lines[1]
    with pytest.raises(
        runtime.checker.BadArguments, match=r'got "x{99}\.\.\. \(5,002 characters\)'
    ):
        checker.checked({"a": ["x" * 5_000]})
