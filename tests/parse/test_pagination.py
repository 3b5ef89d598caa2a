"""The way on in a list, for every style of the table: from a document to what the model reads."""

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen import pipeline
from mcpgen.config import ArgumentConfig, Config, ToolConfig
from mcpgen.customise import customise
from mcpgen.parse.listing import Style, styles
from mcpgen.problems import Problems
from mcpgen.render.facts import api_facts, wire
from mcpgen.runtime.client.side import content_of
from mcpgen.runtime.results import fold
from mcpgen.runtime.results.answer import Answer
from mcpgen.runtime.settings import read as read_settings

from .conftest import parse_document

ITEMS = "ITEMS"
"""Stands for the items in an answer."""
TEN = [{"id": f"i{number}", "text": "x" * 90} for number in range(10)]


@dataclass(frozen=True, kw_only=True)
class Example:
    """An answer in a style, and the value that gets the next part. `call` is by wire name."""

    answer: Any
    value: Any
    call: dict[str, Any] = field(default_factory=dict)
    link: str = ""
    more: list[str] = field(default_factory=list)
    """Further arguments of the operation."""


EXAMPLES = {
    name: Example(**told)
    for name, told in yaml.safe_load(
        Path(__file__).with_name("pagination.yaml").read_text("utf-8")
    ).items()
}


def filled(answer: Any, items: list[Any]) -> Any:
    """The answer with its items."""
    if answer == ITEMS:
        return items
    if isinstance(answer, dict):
        return {key: filled(value, items) for key, value in answer.items()}
    return answer


def schema_of(value: Any) -> dict[str, Any]:
    """The schema that a document would have for a value."""
    if isinstance(value, dict):
        return {"type": "object", "properties": {k: schema_of(v) for k, v in value.items()}}
    if isinstance(value, list):
        return {"type": "array", "items": schema_of(value[0])}
    kinds = {bool: "boolean", int: "integer", str: "string", type(None): "string"}
    return {"type": kinds[type(value)]}


def tool_of(style: Style, example: Example, schema: dict[str, Any], tmp_path: Any) -> Any:
    """The server made of a document with one operation in this style."""
    numbers = style.how in ("page", "offset")
    names = ["since", "sort", "filter", style.next, *example.more]
    if style.size:
        names.append(style.size)
    parameters = []
    for name in names:
        kind = "integer" if name == style.size or (numbers and name == style.next) else "string"
        parameters.append({"name": name, "in": "query", "schema": {"type": kind}})
    answers = {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}}
    operation = {"operationId": "listThings", "parameters": parameters, "responses": answers}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {"/things": {"get": operation}},
    }
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document))
    return pipeline.understand(Config(sources=(str(path),)), Problems())[1]


def read(
    style: Style, example: Example, items: list[Any], schema: Any, tmp_path: Any, **limits: int
) -> str:
    """The last line that the model reads of an answer with these items."""
    server = tool_of(style, example, schema, tmp_path)
    [tool] = server.tools
    settings = replace(read_settings(api_facts(server), {}), **limits)
    names = {argument.wire_name: argument.name for argument in tool.arguments}
    call = {names[wire_name]: value for wire_name, value in example.call.items()}
    if tool.listing.fields:
        call[tool.listing.fields] = ["all"]
    data = filled(example.answer, items)
    headers = {
        "content-type": "application/json",
        "link": f'<{example.link}>; rel="next"' if example.link else "",
    }
    answer = Answer(200, headers, json.dumps(data).encode(), data)
    blocks, _ = content_of(answer, wire(tool), settings, call)
    return str(blocks[-1]["text"])


each_style = pytest.mark.parametrize("style", styles(), ids=lambda style: style.name)


def test_there_are_fifty_styles_and_an_example_of_each() -> None:
    assert len(styles()) >= 50 and [style.name for style in styles()] == list(EXAMPLES)


@each_style
def test_the_next_part_is_named_with_its_value(style: Style, tmp_path: Any) -> None:
    example = EXAMPLES[style.name]
    line = read(style, example, TEN, schema_of(filled(example.answer, TEN)), tmp_path)
    match = re.fullmatch(r"\[there is a next page: `(\w+)` = `(.+)`\]", line)
    assert match is not None, line
    assert (fold(match[1]), match[2]) == (fold(style.next), str(example.value))


@each_style
def test_after_a_cut_the_advice_gets_what_was_cut(style: Style, tmp_path: Any) -> None:
    example = EXAMPLES[style.name]
    schema = schema_of(filled(example.answer, TEN))
    line = read(style, example, TEN, schema, tmp_path, max_result_tokens=440)
    assert "truncated: true" in line and "since" not in line
    kept = int(re.search(r"Kept (\d+) of 10 items", line)[1])  # type: ignore[index]
    assert 3 <= kept <= 6
    if style.how == "offset":
        assert f"` = `{example.value - 10 + kept}`" in line
        argument = re.search(r"ask on with `(\w+)`", line)
    elif style.how == "last":
        assert f"` = `i{kept - 1}`" in line
        argument = re.search(r"ask on with `(\w+)`", line)
    elif style.size:
        size = re.search(r"set `(\w+)` to (\d+) or less", line)
        assert size is not None, line
        assert (fold(size[1]), int(size[2])) == (fold(style.size), kept)
        argument = re.search(r"then ask for the next part with `(\w+)`", line)
    else:
        assert "name the fields you need in `fields`" in line
        return
    assert argument is not None, line
    assert fold(argument[1]) == fold(style.next)


@each_style
def test_a_document_that_does_not_describe_its_answers_is_no_worse(
    style: Style, tmp_path: Any
) -> None:
    example = EXAMPLES[style.name]
    if style.how != "cursor":
        pytest.skip("where the list is, nobody said")
    line = read(style, example, TEN, {"type": "object"}, tmp_path)
    assert f"` = `{example.value}`]" in line, line


@pytest.mark.parametrize(("name", "call", "answer"), [
    ("Stripe", {}, {"object": "list", "data": ITEMS, "has_more": False}),
    ("Spotify, PagerDuty", {"offset": 20}, {"items": ITEMS, "offset": 20, "total": 30}),
    ("Slack", {}, {"members": ITEMS, "response_metadata": {"next_cursor": ""}}),
    ("Spring", {}, {"content": ITEMS, "number": 4, "totalPages": 5, "last": True}),
    ("TMDB, PayPal, Cloudflare", {}, {"page": 9, "results": ITEMS, "total_pages": 9}),
    ("Algolia", {}, {"hits": ITEMS, "page": 2, "nbPages": 3}),
    ("SCIM", {}, {"totalResults": 10, "startIndex": 1, "Resources": ITEMS}),
    ("Django REST framework, cursor", {}, {"next": None, "results": ITEMS}),
    ("Discord", {"limit": 50}, ITEMS),
])  # fmt: skip
def test_the_last_part_announces_no_other(
    name: str, call: dict[str, Any], answer: Any, tmp_path: Any
) -> None:
    [style] = [style for style in styles() if style.name == name]
    example = Example(answer=answer, value="", call=call)
    line = read(style, example, TEN, schema_of(filled(answer, TEN)), tmp_path)
    assert "next page" not in line


def test_a_hidden_field_of_an_argument_is_no_way_on() -> None:
    page = {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in ("page", "size")},
    }
    body = {"type": "object", "properties": {"paging": page}}
    answer = {"content": {"application/json": {"schema": {"type": "array", "items": page}}}}
    search = {"requestBody": {"content": {"application/json": {"schema": body}}}}
    paths = {"/books/search": {"post": {**search, "responses": {"200": answer}}}}
    hidden = ToolConfig(arguments={"paging.page": ArgumentConfig(hidden=True)})
    config = Config(tools={"POST /books/search": hidden})
    server, problems = parse_document(paths, config=config)
    [tool] = customise(server, config, problems).tools
    assert server.tools[0].listing.next == "paging.page"
    assert (tool.listing.next, tool.listing.size) == ("", "paging.size")
