"""What holds for any input at all: a thousand examples here, a million with `FUZZ=1000` (`make
fuzz`).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path

import h11
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from mcpgen.cli.report import render
from mcpgen.lint.hidden_text import findings
from mcpgen.load import Limits, load
from mcpgen.parse import naming
from mcpgen.parse.naming import RESERVED, Subject
from mcpgen.problems import McpgenError, Problems
from mcpgen.render import literal
from mcpgen.render.literal import UnsafeValue, py_ident
from mcpgen.runtime.client import Refused
from mcpgen.runtime.client.request import header_fields
from mcpgen.text import INVISIBLE, plain, visible

from . import fuzz
from .conftest import controls

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


@pytest.mark.parametrize("target", fuzz.TARGETS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_each_target_of_make_fuzz_takes_what_it_starts_with(target: str) -> None:
    one = fuzz.TARGETS[target]()
    for start in sorted(fuzz.starts(target), key=len)[:4]:
        one(start)


class Shouting(str):
    """A text that is something else when it is printed."""

    def __repr__(self) -> str:
        return "__import__('os')"


FILTERS = ["quoted", "docstring", "markdown", "toml", "word", "py_ident", "py_literal"]


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_takes_exact_types_alone(name: str) -> None:
    with pytest.raises(UnsafeValue):
        getattr(literal, name)(Shouting("x"))


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
    server = naming.server_name(title)
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,15}", server)
    subjects = [
        Subject(method=method, path=path, operation_id=operation_id)
        for method, path, operation_id in wanted
    ]
    names = naming.tool_names(subjects, server)
    count = len({f"{method} {path}" for method, path, _ in wanted})
    assert len(set(names.values())) == len(names) == count
    for name in names.values():
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,49}", name) and name not in RESERVED
        assert len(f"mcp__{server}__{name}") <= 64


@thorough
@given(
    some.lists(some.tuples(some.sampled_from(["path", "query", "body"]), TEXTS), max_size=6), TEXTS
)
def test_arguments_and_toolsets_are_identifiers(wanted: list[tuple[str, str]], tag: str) -> None:
    names = naming.argument_names(wanted)
    assert len(set(names.values())) == len(names) == len(set(wanted))
    for name in (*names.values(), *naming.toolset_names([tag]).values()):
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
        assert not controls(render(error.problems))
    else:
        json.dumps(root, allow_nan=False)


PLACE = tempfile.mkdtemp()


@thorough
@given(TEXTS, TEXTS)
def test_a_header_is_one_header_or_refused(name: str, value: str) -> None:
    """Judged by the grammar of RFC 9110 and by h11, which serves as an independent parser."""
    fields = {}
    with contextlib.suppress(Refused):
        fields = header_fields({name: value})
    for key, text in fields.items():
        assert re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", key)
        assert text.isascii() and text.strip() == text
        wire = f"GET / HTTP/1.1\r\nHost: a\r\n{key}: {text}\r\n\r\n".encode("ascii")
        reader = h11.Connection(h11.SERVER)
        reader.receive_data(wire)
        event = reader.next_event()
        assert isinstance(event, h11.Request)
        assert [got.decode() for header, got in event.headers if header != b"host"] == [text]
