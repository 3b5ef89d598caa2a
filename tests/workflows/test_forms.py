"""Payloads of forms whose names have brackets: what is sent of them, and what is said."""

import copy
import json
import math
from typing import Any
from urllib.parse import parse_qsl

import pytest
from workflow_things import API, NUMBER, TEXT, arazzo, inputs, step, workflow

from mcpgen.runtime.client.wire import OMIT
from mcpgen.runtime.parts.workflows import paths, values
from mcpgen.runtime.results.answer import Answer

FORM = "application/x-www-form-urlencoded"
ITEM = {"type": "object", "properties": {"price": TEXT, "quantity": NUMBER}}
FIELDS = {
    "line_items": {"type": "array", "items": ITEM},
    "metadata": {"type": "object", "additionalProperties": TEXT},
    "either": {"anyOf": [{"type": "object", "additionalProperties": TEXT}, TEXT]},
    "expand": {"type": "array", "items": TEXT},
    "mode": TEXT,
    "odd[name]": TEXT,
}
LIST = {"type": "array", "items": TEXT}
NESTED = ("line_items", "metadata", "either", "expand")


def with_form(media_type: str = FORM) -> dict[str, Any]:
    """The API with another operation, which takes a form."""
    document = copy.deepcopy(API)
    encoding = {name: {"style": "deepObject", "explode": True} for name in NESTED}
    media = {"schema": {"type": "object", "properties": FIELDS}, "encoding": encoding}
    taken = {"requestBody": {"content": {media_type: media}}}
    post = {"operationId": "addCart", **taken, "responses": {"200": {"description": "ok"}}}
    document["paths"]["/carts"] = {"post": post}
    return document


def flow(payload: Any) -> dict[str, Any]:
    """A workflow that sends one payload."""
    add = step("add", "addCart", requestBody={"payload": payload})
    return arazzo(
        workflow("add_it", add, inputs=inputs(price=TEXT, number=NUMBER, none=TEXT, list=LIST))
    )


def sent(make: Any, api: Any, payload: Any) -> dict[str, str]:
    """The form that a workflow sends of a payload."""
    api.answers["POST /carts"] = [(200, {})]
    project = make(with_form(), flow(payload))
    assert project.codes.count("E1541") == 0
    project.outputs("add_it", {"price": "p1", "number": 2, "list": ["l0", "l1"]})
    [(_, form)] = api.requests
    return dict(parse_qsl(form))


@pytest.mark.parametrize("payload", [
    {"line_items[0][price]": "$inputs.price", "line_items[0][quantity]": "$inputs.number"},
    {"metadata[order_id]": "no. {$inputs.number}", "metadata[0]": "a", "mode": "test"},
    {"either[a]": "1", "either[b]": "$inputs.price"},
    {"expand[0]": "a", "expand[1]": "b"}, {"odd[name]": "as it is"},
])  # fmt: skip
def test_names_with_brackets_arrive_as_they_are_written(make: Any, api: Any, payload: Any) -> None:
    values = {"$inputs.price": "p1", "$inputs.number": "2", "no. {$inputs.number}": "no. 2"}
    expected = {name: values.get(value, value) for name, value in payload.items()}
    assert sent(make, api, payload) == expected


@pytest.mark.parametrize(("payload", "form"), [
    ({"expand[10]": "c", "expand[9]": "b", "expand[]": "d"}, {"0": "b", "1": "c", "2": "d"}),
    ({"expand[]": ["a", "$inputs.price"]}, {"0": "a", "1": "p1"}),
    ("expand[]=a&expand[]=b", {"0": "a", "1": "b"}),
    ("expand%5B%5D=a&expand%5b1%5d=b", {"0": "b", "1": "a"}),
    ({"expand[0]": "a", "expand[1]": "$inputs.none"}, {"0": "a"}),
    ({"expand[]": "$inputs.list"}, {"0": "l0", "1": "l1"}),
    ({"expand[]": "$inputs.price"}, {"0": "p1"}),
    ({"expand[0]": "a", "expand[]": "$inputs.list"}, {"0": "a", "1": "l0", "2": "l1"}),
    ({"expand[0]": "a", "expand[]": "$inputs.none"}, {"0": "a"}),
])  # fmt: skip
def test_items_are_sent_in_order(make: Any, api: Any, payload: Any, form: dict[str, str]) -> None:
    assert sent(make, api, payload) == {f"expand[{index}]": text for index, text in form.items()}


def test_an_input_that_is_not_given_leaves_its_part_out(make: Any, api: Any) -> None:
    payload = {"metadata[a]": "$inputs.none", "line_items[][price]": "p", "mode": "m"}
    assert sent(make, api, payload) == {"line_items[0][price]": "p", "mode": "m"}


@pytest.mark.parametrize(("payload", "media_type", "unsent"), [
    ({"other[a]": "1"}, FORM, ["other[a]"]), ({"mode[a]": "1"}, FORM, ["mode[a]"]),
    ({"metadata[]": "1"}, FORM, ["metadata[]"]), ({"expand[a]": "1"}, FORM, ["expand[a]"]),
    ({"expand[0": "1"}, FORM, ["expand[0"]),
    ({"either[]": "1", "either[a]": "2"}, FORM, ["either[]", "either[a]"]),
    ({"metadata": {"b": "1"}, "metadata[a]": "1"}, FORM, ["metadata[a]"]),
    ({"metadata[a]" + "[b]" * 3000: "1"}, "multipart/form-data", ["metadata[a]"]),
    ({"metadata[a]": "1"}, "multipart/form-data", []),
    ({"metadata[a]": "1"}, "application/json", ["metadata[a]"]),
])  # fmt: skip
def test_a_name_that_fits_no_field_is_said(
    make: Any, payload: Any, media_type: str, unsent: list[str]
) -> None:
    project = make(with_form(media_type), flow(payload))
    messages = [each.message for each in project.problems if each.code == "E1541"]
    assert len(messages) == len(unsent)
    for name, message in zip(unsent, messages, strict=True):
        assert f"the operation has no field `{name[:-1]}" in message


DATA = {"a": {"b": 1}, "l": [1, 2]}
REPLACED = {"/a/b": 2, "/a/n~1m": 3, "/l/1": 9, "/l/7": 1, "/x/y": 1}
FUNCTIONS: dict[str, list[tuple[tuple[Any, ...], Any]]] = {
    "at": [((DATA, "/l/1"), 2), ((DATA, "/l/2"), OMIT), ((DATA, ""), DATA)],
    "body": [((Answer(200, data=[1]),), [1]), ((Answer(204, {}, b""),), "")],
    "count": [(([1, 2],), 2), (("abc",), 3), ((5,), OMIT)],
    "text": [((1, "a", None, OMIT, {"é": [2]}), '1a{"é": [2]}')],
    "scalar": [(("1.5",), 1.5), (("no",), "no"), (("NaN",), "NaN"), (("[1]",), "[1]"), ((7,), 7)],
    "written": [((1.5,), "1.5"), (("a",), "a")],
    "listed": [(("a",), ["a"]), (("[1]",), "[1]"), (({},), {})],
    "octets": [(("é",), "w6k="), ((5,), 5), (("\ud800",), "Pw==")],
    "several": [(([1],), [1]), ((OMIT,), []), ((1,), [1])],
    "same": [
        ((None, OMIT), True), ((None, 0), False), (("A", "a"), True), ((True, 1), False),
        (("5", 5), True), (("x", 5), False), (([1], [1]), True), (([1], [2]), False),
        (("1_0", 10), False), ((" 10", 10), False), (("\u0661\u0660", 10), False), (("-1.0e1", -10), True),
        ((2**53, 2**53 + 1), False), ((f"{2**53 + 1}", 2**53 + 1), True), (("nan", "nan"), True),
    ],
    "number": [(("1.5",), 1.5), ((10**400,), 10**400), (("inf",), math.nan), ((True,), math.nan), (([],), math.nan)],
    "holds": [((0,), True), ((False,), False), ((None,), False)],
    "matches": [(("^a", "ab"), True), (("a", None), False), (("5", 5), True)],
    "replaced": [((DATA, REPLACED), {"a": {"b": 2, "n/m": 3}, "l": [1, 9]})],
    "members": [
        (({"a": 1}, {"a": "b"}), {"b": 1}), (('{"a": 1}',), {"a": 1}), (("{",), {}), (([1],), {}),
        (("a=1&a=2&b=",), {"a": ["1", "2"], "b": ""}),
    ],
    "exists": [
        (("$[?match(@.a, @.p)]", [{"a": "xy", "p": "x."}]), True), (("$[", {}), False),
        (("$[?match(@.a, @.p)]", [{"a": "[", "p": "["}]), False), (("$.a", 7), False),
        (("$[?search(@.a, 5)]", [{"a": "5"}]), False),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_of_a_workflow_has_its_values(name: str) -> None:
    function = getattr(paths if name == "exists" else values, name)
    for arguments, expected in FUNCTIONS[name]:
        found = function(*arguments)
        assert repr(found) == repr(expected), arguments


@pytest.mark.parametrize(("content", "body"), [
    (b"null", None), (b" null\n", None), (b'"null"', "null"), (b"", ""), (b"nul", "nul"),
])  # fmt: skip
def test_the_body_of_an_answer_that_is_null_is_null(content: bytes, body: Any) -> None:
    data = json.loads(content) if content.startswith(b'"') else None
    answer = Answer(200, {"content-type": "application/json"}, content, data)
    assert values.body(answer) == body


def test_no_number_is_too_long_for_a_pointer() -> None:
    assert values.at([1], "/" + "9" * 5_000) is OMIT
