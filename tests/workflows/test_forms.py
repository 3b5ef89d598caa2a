"""Payloads of forms whose names have brackets: what is sent of them, and what is said."""

import copy
from typing import Any
from urllib.parse import parse_qsl

import pytest
from workflow_things import API, NUMBER, TEXT, arazzo, inputs, step, workflow

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
    document["paths"]["/carts"] = {
        "post": {
            "operationId": "addCart",
            "requestBody": {"content": {media_type: media}},
            "responses": {"200": {"description": "ok"}},
        }
    }
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
