"""The way on in a list, for every style of the table: from a document to what the model reads."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.parse.listing import Style, styles
from mcpgen.problems import Problems
from mcpgen.render.facts import api_facts, wire
from mcpgen.runtime.client.side import content_of
from mcpgen.runtime.results import fold
from mcpgen.runtime.results.answer import Answer
from mcpgen.runtime.settings import read as read_settings

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
    more: tuple[str, ...] = ()
    """Further arguments of the operation."""


def at(url: str) -> str:
    return f'<{url}>; rel="next"'


URL = "https://api.example.com/things"
EXAMPLES = {
    "GitHub": Example(answer=ITEMS, link=at(f"{URL}?since=2020-01-01&page=2"), value="2"),
    "GitHub alerts": Example(answer=ITEMS, link=at(f"{URL}?per_page=10&after=Y3Vy"), value="Y3Vy"),
    "GitHub GraphQL, Relay": Example(
        answer={"nodes": ITEMS, "pageInfo": {"hasNextPage": True, "endCursor": "abc"}}, value="abc"
    ),
    "Stripe": Example(answer={"object": "list", "data": ITEMS, "has_more": True}, value="i9"),
    "Stripe search": Example(answer={"data": ITEMS, "has_more": True, "next_page": "tok"},
        value="tok"),
    "Slack": Example(
        answer={"ok": True, "members": ITEMS, "response_metadata": {"next_cursor": "dXNl"}},
        value="dXNl"),
    "Slack, older methods": Example(
        answer={"ok": True, "files": ITEMS, "paging": {"count": 10, "page": 2, "pages": 3}}, value=3
    ),
    "Kubernetes": Example(
        answer={"kind": "PodList", "metadata": {"continue": "eyJ2"}, "items": ITEMS}, value="eyJ2"),
    "Google": Example(answer={"items": ITEMS, "nextPageToken": "CAUQ"}, value="CAUQ"),
    "Google AIP-158": Example(answer={"things": ITEMS, "next_page_token": "t2"}, value="t2"),
    "Amazon Web Services": Example(answer={"Things": ITEMS, "NextToken": "AAA"}, value="AAA"),
    "Amazon S3": Example(
        answer={"Contents": ITEMS, "IsTruncated": True, "NextContinuationToken": "1ueG"},
        value="1ueG"),
    "Amazon IAM, Box": Example(answer={"entries": ITEMS, "next_marker": "m2"}, value="m2"),
    "Microsoft Graph": Example(
        answer={"value": ITEMS, "@odata.nextLink": f"{URL}?$top=10&$skiptoken=X2"}, value="X2"),
    "OData": Example(answer={"value": ITEMS, "@odata.count": 50, "total": 50}, value=10),
    "Azure": Example(answer={"value": ITEMS, "continuationToken": "c2"}, value="c2"),
    "Notion": Example(answer={"results": ITEMS, "has_more": True, "next_cursor": "n2"}, value="n2"),
    "Twilio": Example(
        answer={"calls": ITEMS, "next_page_uri": "/things?PageSize=10&Page=1&PageToken=PACA"},
        value="PACA"),
    "Spotify, PagerDuty": Example(answer={"items": ITEMS, "offset": 20, "total": 45},
        call={"offset": 20}, value=30),
    "Django REST framework, pages": Example(
        answer={"count": 99, "next": f"{URL}?page=3", "results": ITEMS}, call={"page": 2}, value="3"
    ),
    "Django REST framework, cursor": Example(
        answer={"next": f"{URL}?cursor=cD0y", "previous": None, "results": ITEMS}, value="cD0y"),
    "JSON:API, pages": Example(answer={"data": ITEMS, "meta": {"totalPages": 4}},
        call={"page[number]": 3}, value=4),
    "JSON:API, offset": Example(answer={"data": ITEMS, "meta": {"total": 30}}, value=10),
    "JSON:API, cursor": Example(
        answer={"data": ITEMS, "links": {"next": f"{URL}?page[after]=q&page[size]=10"}}, value="q"),
    "Datadog": Example(answer={"data": ITEMS, "meta": {"page": {"after": "d2"}}}, value="d2"),
    "HubSpot": Example(
        answer={"results": ITEMS, "paging": {"next": {"after": "NTI1", "link": URL}}}, value="NTI1"
    ),
    "Facebook, Spotify's followed artists": Example(
        answer={"data": ITEMS, "paging": {"cursors": {"after": "MTAx"}}}, value="MTAx"),
    "X": Example(answer={"data": ITEMS, "meta": {"next_token": "7140"}}, value="7140"),
    "X search": Example(answer={"data": ITEMS, "meta": {"next_token": "b26v"}}, value="b26v"),
    "Jira": Example(answer={"startAt": 10, "total": 30, "issues": ITEMS}, value=20),
    "Confluence": Example(answer={"results": ITEMS, "start": 0, "limit": 10, "total": 12},
        value=10),
    "Bitbucket": Example(answer={"values": ITEMS, "page": 1, "next": f"{URL}?page=2"}, value="2"),
    "GitLab keyset": Example(answer=ITEMS, link=at(f"{URL}?cursor=eyJp&per_page=10"), value="eyJp"),
    "Shopify": Example(answer={"products": ITEMS}, link=at(f"{URL}?limit=10&page_info=hij"),
        value="hij"),
    "Zendesk": Example(answer={"users": ITEMS, "meta": {"has_more": True, "after_cursor": "zz"}},
        value="zz"),
    "Intercom": Example(
        answer={"data": ITEMS, "pages": {"next": {"page": 2, "starting_after": "W1"}}}, value="W1"),
    "Asana, Airtable": Example(answer={"data": ITEMS, "next_page": {"offset": "eyJ0", "uri": URL}},
        value="eyJ0"),
    "Airtable": Example(answer={"records": ITEMS, "offset": "itr/rec"}, value="itr/rec"),
    "Square": Example(answer={"objects": ITEMS, "cursor": "sq2"}, value="sq2"),
    "Plaid, Linear, Brex": Example(answer={"added": ITEMS, "has_more": True, "next_cursor": "p2"},
        value="p2"),
    "Contentful": Example(answer={"items": ITEMS, "skip": 0, "limit": 10, "total": 11}, value=10),
    "Elasticsearch": Example(answer={"hits": {"total": 40, "hits": ITEMS}}, call={"from": 10},
        value=20),
    "Spring": Example(answer={"content": ITEMS, "number": 0, "totalPages": 5, "last": False},
        value=1),
    "Algolia": Example(answer={"hits": ITEMS, "page": 0, "nbPages": 3}, value=1),
    "Mailchimp": Example(answer={"lists": ITEMS, "total_items": 25}, call={"offset": 10}, value=20),
    "TMDB, PayPal, Cloudflare": Example(answer={"page": 1, "results": ITEMS, "total_pages": 9},
        value=2),
    "SCIM": Example(answer={"totalResults": 21, "startIndex": 11, "Resources": ITEMS},
        call={"startIndex": 11}, value=21),
    "Auth0 checkpoints": Example(answer={"logs": ITEMS, "next": "MjAy"}, value="MjAy"),
    "Okta": Example(answer=ITEMS, link=at(f"{URL}?after=00u1&limit=10"), value="00u1"),
    "Discord": Example(answer=ITEMS, call={"limit": 10}, value="i9", more=("before",)),
    "Reddit, Pinterest, others with a cursor of their own": Example(
        answer={"items": ITEMS, "meta": {"next_cursor": "o2"}}, value="o2"),
    "Cosmos, JFrog and others with a continuation": Example(
        answer={"items": ITEMS, "continuation": "c3"}, value="c3"),
    "Numbered pages under other names": Example(
        answer={"rows": ITEMS, "page_number": 1, "page_count": 2}, value=2),
    "Rows from a start": Example(answer={"docs": ITEMS, "numFound": 99, "start": 0}, value=10),
}  # fmt: skip


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
    headers = {"content-type": "application/json", "link": example.link}
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
    line = read(style, example, TEN, schema, tmp_path, max_result_tokens=320)
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
