"""What holds for any input at all: a thousand examples here, a million with `FUZZ=1000` (`make
fuzz`).
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from mcpgen.cli.report import render
from mcpgen.lint.hidden_text import findings
from mcpgen.load import Limits, load
from mcpgen.parse.naming import (
    RESERVED,
    Subject,
    argument_names,
    server_name,
    tool_names,
    toolset_names,
)
from mcpgen.problems import McpgenError, Problems
from mcpgen.render.literal import (
    UnsafeValue,
    docstring,
    markdown,
    py_ident,
    py_literal,
    quoted,
    toml,
    word,
)
from mcpgen.text import INVISIBLE, plain, visible

EXAMPLES = 1_000 * int(os.environ.get("FUZZ", "1"))
thorough = settings(
    max_examples=EXAMPLES,
    derandomize="FUZZ" not in os.environ,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TEXTS = some.one_of(
    some.text(some.characters(exclude_categories=()), max_size=30),
    some.text("azAZ09_-./\\ \t\r\n\0\"'é💥ｅ\u202e\u200b\ud800{}$%#:;", max_size=20),
)
ROOT = Path(__file__).parents[2]


class Shouting(str):
    """A text that is something else when it is printed."""

    def __repr__(self) -> str:
        return "__import__('os')"


@pytest.mark.parametrize("act", [quoted, docstring, markdown, toml, word, py_ident, py_literal])
def test_every_filter_takes_exact_types_alone(act: Any) -> None:
    with pytest.raises(UnsafeValue):
        act(Shouting("x"))


@thorough
@given(
    some.lists(
        some.tuples(some.sampled_from(["GET", "POST"]), TEXTS, some.none() | TEXTS), max_size=6
    ),
    TEXTS,
)
def test_names_of_tools_are_legal_and_never_shared(
    wanted: list[tuple[str, str, str | None]], title: str
) -> None:
    server = server_name(title)
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,15}", server)
    subjects = [
        Subject(method=method, path=path, operation_id=operation_id)
        for method, path, operation_id in wanted
    ]
    names = tool_names(subjects, server)
    assert (
        len(set(names.values()))
        == len(names)
        == len({f"{method} {path}" for method, path, _ in wanted})
    )
    for name in names.values():
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,49}", name) and name not in RESERVED
        assert len(f"mcp__{server}__{name}") <= 64


@thorough
@given(
    some.lists(some.tuples(some.sampled_from(["path", "query", "body"]), TEXTS), max_size=6), TEXTS
)
def test_names_of_arguments_and_toolsets_are_identifiers(
    wanted: list[tuple[str, str]], tag: str
) -> None:
    names = argument_names(wanted)
    assert len(set(names.values())) == len(names) == len(set(wanted))
    for name in (*names.values(), *toolset_names([tag]).values()):
        assert py_ident(name) == name


@thorough
@given(TEXTS)
def test_what_is_shown_holds_nothing_hidden(text: str) -> None:
    shown = visible(text)
    assert not INVISIBLE.search(shown) and visible(shown) == shown
    assert len(shown) == len(text.replace("\r\n", "\n"))
    assert not INVISIBLE.search(plain(text))
    hidden = [finding for finding in findings({"a": text}) if "invisible" in finding.what]
    assert bool(hidden) == (shown != text.replace("\r\n", "\n"))


YAMLISH = some.one_of(
    some.binary(max_size=60),
    some.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")),
    some.text("[]{}:,-&*!|>'\"#%@` \n\t~?0ae.x", max_size=60).map(str.encode),
    some.text('[]{}:,"\\0eE.-+ \n\ttruefalsn', max_size=60).map(str.encode),
)
HEAD = b"openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  "


@thorough
@given(YAMLISH, some.booleans())
def test_bytes_are_a_document_or_a_refusal_in_words(data: bytes, headed: bool) -> None:
    path = Path(PLACE) / "openapi.yaml"
    path.write_bytes(HEAD + data if headed else data)
    try:
        root = load(str(path), problems=Problems(), limits=Limits(nodes=5_000)).root
    except McpgenError as error:
        assert error.exit_code in (1, 2, 3) and error.problems
        told = render(error.problems)
        assert not [
            char for char in told if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160)
        ]
    else:
        json.dumps(root, allow_nan=False)


PLACE = tempfile.mkdtemp()


@pytest.fixture(scope="module")
def body() -> Any:
    """The runtime's module of headers."""
    return importlib.import_module("mcpgen.runtime.client.body")


@thorough
@given(TEXTS, TEXTS)
def test_a_header_is_one_header_or_refused(body: Any, name: str, value: str) -> None:
    """Judged by the grammar of RFC 9110 and by h11, which serves as an independent parser."""
    import h11

    refused = importlib.import_module("mcpgen.runtime.errors").Refused
    fields = {}
    with contextlib.suppress(refused):
        fields = body.header_fields({name: value})
    for key, text in fields.items():
        assert (
            re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", key)
            and text.isascii()
            and text.strip() == text
        )
        wire = f"GET / HTTP/1.1\r\nHost: a\r\n{key}: {text}\r\n\r\n".encode("ascii")
        reader = h11.Connection(h11.SERVER)
        reader.receive_data(wire)
        event = reader.next_event()
        assert isinstance(event, h11.Request)
        assert [got.decode() for header, got in event.headers if header != b"host"] == [text]
