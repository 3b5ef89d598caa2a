"""Generated tools over the official client: what arrives at the API, and what comes back."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import test_server_calls
from shop import Recorder
from test_server_calls import ERAS, list_tools


def ask(tools: Any, *calls: tuple[str, Any], mode: str = "auto") -> list[Any]:
    """Make calls one after the other; the results as on the wire."""
    return test_server_calls.ask(tools, mode, *calls)


def update(**more: Any) -> tuple[str, dict[str, Any]]:
    """A call of the tool that takes most."""
    return "update_book", {"book_id": "1", "title": "T", **more}


@pytest.mark.parametrize("mode", ERAS)
def test_a_call_becomes_a_request_and_a_result(in_process: Any, api: Recorder, mode: str) -> None:
    arguments = {"genre": "poetry", "page_size": 5, "ids": [1, 2]}
    [result] = ask(in_process(), ("list_books", arguments), mode=mode)
    [(method, target, headers, _)] = api.requests
    assert method == "GET"
    assert urlsplit(target).path == "/v1/books"
    query = {"genre": ["poetry"], "page-size": ["5"], "ids": ["1,2"]}
    assert parse_qs(urlsplit(target).query) == query
    assert headers["x-api-key"] == "canary-key-0123456789"
    assert json.loads(result["content"][0]["text"]) == [{"id": 1}]
    assert result["structuredContent"] == {"result": [{"id": 1}]}


def test_an_alias_is_callable_and_not_listed(in_process: Any, api: Recorder) -> None:
    tools = in_process()
    assert "find_books" not in [tool.name for tool in list_tools(tools).tools]
    [result] = ask(tools, ("find_books", {}))
    assert result["isError"] is False
    assert len(api.requests) == 1


def test_null_is_left_out_unless_it_is_a_value_and_nested_names_become_wire_names(
    in_process: Any, api: Recorder
) -> None:
    meta = {"eq_": "x", "note": None}
    wire = update(meta={"[eq]": "x"})  # as the API spells it
    whole, text = update(blurb=None, meta=meta), update(meta=json.dumps(meta))
    ask(in_process(), whole, ("list_books", {"genre": None}), text, wire)
    first, second, third, fourth = api.requests
    assert json.loads(first[3]) == {"title": "T", "blurb": None, "meta": {"[eq]": "x"}}
    assert urlsplit(second[1]).query == ""
    for request in (third, fourth):
        assert json.loads(request[3]) == {"title": "T", "meta": {"[eq]": "x"}}


def test_a_slip_in_an_open_object_is_sent_and_told(in_process: Any, api: Recorder) -> None:
    meta = {"origin": {"Country": "x", "other": 1}}
    [result] = ask(in_process(), update(meta=meta))
    assert json.loads(api.requests[0][3])["meta"] == meta
    [_, remark, other] = result["content"]
    assert remark["text"].startswith("`meta.origin.Country` was sent as it is")
    assert remark["text"].count("`country`") == 1
    assert other["text"].startswith("`meta.origin.other` was sent as it is")


INVALID = [
    ("an unknown argument",
     {"book_id": "1", "titel": "x"},
     ["`titel`", "did you mean `title`"]),
    ("a wrong type", {"book_id": [1], "title": "T"}, ["`book_id`", "a string", "got [1]"]),
    ("a missing argument", {"book_id": "1"}, ["`title`", "required"]),
    ("null where it is no value", {"book_id": "1", "title": None}, ["`title`", "got null"]),
    ("too long", {"book_id": "1", "title": "T" * 21}, ["`title`", "at most 20"]),
    ("a nested unknown name", {"book_id": "1", "title": "T", "meta": {"x": 1}}, ["`meta.x`"]),
    ("a broken JSON text",
     {"book_id": "1", "title": "T", "meta": "{nope"},
     ["`meta`", "an object"]),
    ("nested 200 deep",
     {"book_id": "1", "title": "T", "meta": eval("[" * 80 + "]" * 80)},
     ["nested deeper"]),
    ("100,000 items",
     {"book_id": "1", "title": "T", "meta": [1] * 100_000},
     ["more than 50,000 values"]),
]  # fmt: skip


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("arguments", "told"), [case[1:] for case in INVALID], ids=[case[0] for case in INVALID]
)
def test_invalid_arguments_are_told_and_nothing_is_sent(
    in_process: Any, api: Recorder, mode: str, arguments: dict[str, Any], told: list[str]
) -> None:
    [result] = ask(in_process(), ("update_book", arguments), mode=mode)
    assert result["isError"] is True
    assert all(text in result["content"][0]["text"] for text in told)
    assert api.requests == []


@pytest.mark.parametrize("value", [True, "1.5", 0, 101, 1.5, [1], None.__class__.__name__])
def test_an_integer_is_an_integer(in_process: Any, api: Recorder, value: Any) -> None:
    [result] = ask(in_process(), ("list_books", {"page_size": value}))
    assert "`page_size`" in result["content"][0]["text"]
    assert result["isError"] is True
    assert api.requests == []


def test_a_value_outside_the_enumeration_is_told_with_the_allowed_ones(in_process: Any) -> None:
    [result] = ask(in_process(), ("list_books", {"genre": "Poetry"}))
    told = 'one of "fiction", "poetry"; got "Poetry"; did you mean "poetry"?'
    assert told in result["content"][0]["text"]


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("status", [400, 401, 404, 500, 503])
def test_an_error_of_the_api_is_a_result_that_says_so(
    in_process: Any, api: Recorder, mode: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    api.answer = (status, b'{"message": "no such book"}')
    [result] = ask(in_process(), ("get_book", {"book_id": "1"}), mode=mode)
    assert result["isError"] is True
    assert str(status) in result["content"][0]["text"]
    assert "no such book" in result["content"][0]["text"]
    assert "canary" not in json.dumps(result)
    [record] = [record for record in caplog.records if record.getMessage() == "call_failed"]
    assert record.fields["tool"] == "get_book"
    assert record.fields["status"] == status
    assert record.fields["reason"] == result["content"][0]["text"][:500]


def test_a_body_that_was_left_out_is_named_where_the_api_misses_it(
    in_process: Any, api: Recorder
) -> None:
    tools = in_process()
    needed = [f"n{number}" for number in range(12)]
    body = {"type": "object", "properties": {}, "required": needed}
    tools.catalog.find("get_book").tool["inputSchema"]["properties"]["body"] = body
    for status, hint in ((422, "`body` was not given: the API may need it"), (404, "")):
        api.answer = (status, b"{}")
        [result] = ask(tools, ("get_book", {"book_id": "1"}))
        assert [hint in block["text"] for block in result["content"][1:]] == [True] * bool(hint)
        assert result["content"][-1]["text"].endswith("`n9`") == bool(hint)


def test_a_shape_hook_changes_what_the_model_sees(package: Any, in_process: Any) -> None:
    (package / "hooks.py").write_text(
        "def shape_list_books(call, data):\n    return [x['id'] for x in data]\n"
    )
    [result] = ask(in_process(), ("list_books", {}))
    assert result["structuredContent"] == {"result": [1]}
    assert result["content"][0]["text"] == "[1]"


def test_custom_functions_may_use_generated_ones(
    package: Any, in_process: Any, api: Recorder
) -> None:
    (package / "custom" / "more.json").write_text('{"name": "count_books"}')
    (package / "custom" / "more.py").write_text(
        "from .. import Api\nfrom ..tools import books\n\n\n"
        "async def count_books(api: Api) -> str:\n"
        "    return f'{len((await books.list_books(api)).data)} books'\n"
    )
    [result] = ask(in_process(), ("count_books", {}))
    assert result["content"][0]["text"] == "1 books"
    assert len(api.requests) == 1
