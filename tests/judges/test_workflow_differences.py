"""Which section decides between two engines whose requests differ, and that none is made up."""

from __future__ import annotations

from typing import Any

import pytest

from .workflow_differences import WHY, Request, reason


def get(path: str, *query: tuple[str, str]) -> Request:
    return "GET", path, query, None


def post(body: Any) -> Request:
    return "POST", "/things", (), body


@pytest.mark.parametrize(("ours", "theirs", "errors", "refused", "section"), [
    ([post({"a": 1})], [post({"a": 1, "b": None})], [], False, WHY["ABSENT"]),
    ([get("/things/4")], [get("/things/{id}")], [], False, WHY["ABSENT"]),
    ([get("/things", ("page", "1"))], [get("/things")], [], False, WHY["REUSED"]),
    ([post({"a": 1})], [post({"a": 1, "b": 2})], [], False, WHY["UNKNOWN_FIELD"]),
    ([post([("o[a]", "1"), ("x", "2")])], [post([("o", "a"), ("x", "2")])], [], False, WHY["FORM"]),
    ([post([("o[0][a]", "1"), ("t[0]", "2")])], [post([("o", "a"), ("t", "2")])], [], False,
     WHY["FORM"]),
    ([post([("o", '{"a":1,"b":2}')])], [post([("o", "a"), ("o", "b")])], [], False, WHY["FORM"]),
    ([post([("o", '{"a":1,"b":2}')])], [post([("o", "a")])], [], False, ""),
    ([get("/things", ("page", "1"))], [get("/things", ("page", "2"))], [], False, ""),
    ([get("/things", ("o[a]", "1"))], [get("/things", ("o", "a"))], [], False, WHY["FORM"]),
    ([post([("o[a]", "1"), ("x", "2")])], [post([("o", "a"), ("x", "3")])], [], False, ""),
    ([post([("o[a]", "1")])], [post([("o", "b")])], [], False, ""),
    ([post([("o[a]", "1")])], [post([("o[a]", "2")])], [], False, ""),
    ([post([("o", "1")])], [post([("o", "2")])], [], False, ""),
    ([post([("t[0]", "1")])], [post([("t", "2")])], [], False, ""),
    ([post({"a": "$own.b", "c": 1})], [post({"c": 1, "a": "x"})], [], False, WHY["LITERAL"]),
    ([post({"a": "$own.b", "c": 1})], [post({"c": 2, "a": "x"})], [], False, ""),
    ([post({"a": "$own.b", "c": 1})], [post({"c": 1, "a": None})], [], False, WHY["LITERAL"]),
    ([post({})], [post(None)], [], False, WHY["EMPTY_BODY"]),
    ([post({"a": 1, "b": 2})], [post({"a": None, "b": 2})], [], False, WHY["LOST_OUTPUT"]),
    ([post({"a": 1, "b": 2})], [post({"a": None, "b": 3})], [], False, ""),
    ([post({"a": 1, "b": 2})], [post({"b": 2})], [], False, ""),
    ([post(None)], [post({})], [], False, ""),
    ([post(None)], [post({"a": 1})], [], False, WHY["UNKNOWN_FIELD"]),
    ([post({"a": [1]})], [post({"a": "[1]", "b": None})], [], False, WHY["JSON_TEXT"]),
    ([post({"a": [1]})], [post({"a": "[2]"})], [], False, ""),
    ([get("/things", ("a", "x"), ("a", "y"))], [get("/things", ("a", '["x", "y"]'))], [], False,
     WHY["JSON_TEXT"]),
    ([get("/things/t1")], [get("/things/None")], [], False, WHY["ABSENT"]),
    ([get("/things/t1")], [get("/things/t2")], [], False, ""),
    ([post({}), post({"a": 1})], [post(None), post({"a": 2})], [], False, ""),
    ([get("/a")], [get("/a"), get("/b")], [], True, WHY["CHECKED"]),
    ([get("/a"), get("/b")], [get("/a")], ["KeyError"], False, WHY["CRASH"]),
    ([get("/a"), get("/b")], [get("/a")], [], False, ""),
    ([get("/a"), get("/b")], [get("/b"), get("/a")], [], False, ""),
    ([post({"a": 1})], [post({"a": 2})], [], False, ""),
    ([post({"a": 1, "b": 2})], [post({"a": 1})], [], False, ""),
])  # fmt: skip
def test_a_difference_is_decided_by_its_section_or_by_none(
    ours: list[Request], theirs: list[Request], errors: list[str], refused: bool, section: str
) -> None:
    decided = reason(ours, theirs, errors, refused)
    assert decided.startswith(section)
    assert bool(decided) is bool(section)


def test_each_request_has_a_section_of_its_own() -> None:
    ours = [get("/things"), post({}), post({"a": "$own.b"}), post({"a": 1})]
    theirs = [get("/things"), post(None), post({"a": "x"}), post({"a": 1, "b": None})]
    assert (
        reason(ours, theirs, [], False)
        == f"{WHY['EMPTY_BODY']}; and {WHY['LITERAL']}; and {WHY['ABSENT']}"
    )


def test_an_action_on_the_answer_decides_what_comes_after_its_step() -> None:
    ours, theirs = [get("/a"), get("/c")], [get("/a"), get("/b"), get("/c")]
    assert reason(ours, theirs, [], False, branch=1) == WHY["BRANCHED"]
    assert reason(ours, theirs, [], False, branch=2) == ""
    assert reason(ours, theirs, [], False) == ""
