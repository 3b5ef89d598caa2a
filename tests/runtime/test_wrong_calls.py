"""Wrong calls: the text names the one change, and the call with that change is accepted."""

import gc
import json
import time
import weakref
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.runtime.arguments import suggest
from mcpgen.runtime.arguments.checker import BadArguments, Checker
from mcpgen.runtime.client import BadStatus
from mcpgen.runtime.client.report import report_error
from mcpgen.runtime.client.settings import ApiSettings
from mcpgen.runtime.results.answer import Answer
from tests.judges.wrong_calls import given, judged

TABLE = yaml.safe_load(Path(__file__).with_name("wrong_calls.yaml").read_text())
SCHEMA: dict[str, Any] = TABLE["schema"]
ORG = {"org": "acme"}


def test_each_of_forty_calls_to_a_server_is_mended(tmp_path: Path) -> None:
    calls = list(judged(tmp_path))
    assert len(calls) == 40 and not [call for call in calls if call[1]]


@pytest.mark.parametrize("call", TABLE["calls"], ids=lambda call: call["slip"])
def test_a_refusal_names_the_one_change(call: dict[str, Any]) -> None:
    checker, mended = Checker("list_repos", SCHEMA), ORG | call.get("change", {})
    with pytest.raises(BadArguments) as refusal:
        checker.checked(given(ORG, call))
    assert call["says"] in str(refusal.value) and checker.checked(mended)[0] == mended


PERSON = {"name": {"type": "string"}, "age": {"type": "integer"}}
FLAT: dict[str, Any] = {"properties": {"id": {"type": "string"}, **PERSON}, "required": ["id"]}
WHOLE: dict[str, Any] = {"properties": {"id": {"type": "string"}, "body": {"properties": PERSON}}}


@pytest.mark.parametrize(("schema", "given", "taken"), [
    (FLAT, {"id": "7", "body": {"name": "Ada"}}, {"id": "7", "name": "Ada"}),
    (FLAT, {"id": "7", "request_body": {}}, {"id": "7"}),
    (WHOLE, {"id": "7", "name": "Ada", "age": 36}, {"id": "7", "body": {"name": "Ada", "age": 36}}),
])  # fmt: skip
def test_a_body_is_taken_whole_or_as_its_fields(
    schema: dict[str, Any], given: dict[str, Any], taken: dict[str, Any]
) -> None:
    assert Checker("save_person", schema).checked(given)[0] == taken


@pytest.mark.parametrize(("schema", "given"), [
    (FLAT, {"id": "7", "body": {"nome": "Ada"}}),
    (FLAT, {"id": "7", "name": "Ada", "body": {"name": "Eva"}}),
    (WHOLE, {"id": "7", "name": "Ada", "body": {"age": 36}}),
    (WHOLE, {"id": "7", "name": "Ada", "body.age": 36}),
])  # fmt: skip
def test_a_body_in_two_forms_is_refused(schema: dict[str, Any], given: dict[str, Any]) -> None:
    with pytest.raises(BadArguments):
        Checker("save_person", schema).checked(given)


MILESTONE: dict[str, Any] = {
    "allOf": [
        {"properties": {"due_on": {}, "title": {}}, "required": ["title"]},
        {"properties": {"labels": {}, "description": {}}},
    ]
}


@pytest.mark.parametrize(("milestone", "told"), [
    ({"title": "x", "dueOn": "y"}, "due_on"), ({"title": "x", "descripton": "y"}, "description"),
    ({"title": "x", "label": ["bug"]}, "labels"),
    ({"title": "x", "label": ["bug"], "labels": []}, "due_on"),
    ({"title": "x", "due_on": "y", "description": "z", "other": 1}, "due_on"),
])  # fmt: skip
def test_a_slip_in_an_open_object_is_remarked_and_not_refused(
    milestone: dict[str, Any], told: str
) -> None:
    checker = Checker("x", {"properties": {"all": {"type": "array", "items": MILESTONE}}})
    checked, remarks = checker.checked({"all": [milestone]})
    assert checked == {"all": [milestone]}
    assert "".join(remark.split("`")[3] for remark in remarks) == told


@pytest.mark.parametrize("rule", [
    {"additionalProperties": True}, {"anyOf": [{"properties": {"titel": {}}}]},
    {"allOf": [{"if": {}, "then": {"properties": {"titel": {}}}}]},
    {"properties": {}},
])  # fmt: skip
def test_where_other_names_are_meant_none_is_a_slip(rule: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, **rule}
    checker = Checker("x", {"properties": {"one": schema}})
    assert checker.checked({"one": {"titel": "x"}})[1] == []


def test_a_field_that_no_other_resembles_is_told_with_those_there_are() -> None:
    [remark] = Checker("add_note", NOTE).checked({"author": {"foo": 1}})[1]
    assert remark == (
        "`author.foo` was sent as it is, but the API does not describe it, and may have ignored"
        " it; the fields there are `name`"
    )


DATE = {"type": "string", "format": "date"}


@pytest.mark.parametrize(("schema", "sent"), [
    (DATE, "2026-01-31"), ({**DATE, "type": ["string", "null"]}, "2026-01-31"),
    ({"anyOf": [DATE, {"type": "null"}]}, "2026-01-31"),
    ({"anyOf": [DATE, {"type": "string", "format": "date-time"}]}, "2026-01-31T09:00:00Z"),
    ({**DATE, "examples": ["now"]}, "2026-01-31T09:00:00Z"),
])  # fmt: skip
def test_a_date_is_sent_without_its_time(schema: dict[str, Any], sent: str) -> None:
    checker = Checker("list_notes", {"type": "object", "properties": {"day": schema}})
    assert checker.checked({"day": "2026-01-31T09:00:00Z"})[0] == {"day": sent}


@pytest.mark.parametrize("name", ["orders_search", "OrdersSearch", "search_order", "order_search"])
def test_a_name_in_another_order_is_meant(name: str) -> None:
    known = ["list_orders", "orders_archive", "search_orders", "search_books"]
    assert suggest(name, known) == "; did you mean `search_orders`?"


@pytest.mark.parametrize(("name", "known"), [
    ("ä", ["ö", "日"]), ("open", ["operation_enabled"]), ("qty", ["x_quantity"]),
])  # fmt: skip
def test_a_name_that_only_shares_letters_is_no_other(name: str, known: list[str]) -> None:
    assert suggest(name, known) == ""


def test_a_name_of_equal_letters_is_compared_in_no_time() -> None:
    start = time.process_time()
    assert suggest("x" * 50, [f"{'x' * 12}y"]) == suggest(f"{'x' * 12}y", ["x" * 50]) == ""
    assert time.process_time() - start < 1


@pytest.mark.parametrize(("rule", "is_told"), [
    ({}, True), ({"examples": ["ab1"]}, False), ({"default": "none"}, False), ({"pattern": "b"}, False),
])  # fmt: skip
def test_a_text_of_another_form_is_remarked_where_the_schema_names_no_such(
    rule: dict[str, Any], is_told: bool
) -> None:
    schema = {"properties": {"ids": {"items": {"type": "string", "format": "uuid", **rule}}}}
    checked, remarks = Checker("x", schema).checked({"ids": ["b"]})
    assert checked == {"ids": ["b"]}
    told = [
        "`ids[0]` was sent as it is, but the API describes a UUID such as `123e4567-e89b-12d3-a456-426614174000`"
    ]
    assert remarks == told * is_told


def test_a_missing_argument_is_told_beside_the_one_that_is_not_known() -> None:
    with pytest.raises(BadArguments, match="`org` is required"):
        Checker("list_repos", SCHEMA).checked({"zzz": 1})


@pytest.mark.parametrize(("value", "examples"), [
    ("2026-01-31", []), ("2026-01-31T09:00:00", []), ("20260131T090000Z", []), ("1769850000", []),
    ("now-2h", ["now-1d"]),
])  # fmt: skip
def test_what_apis_take_for_a_time_is_accepted(value: str, examples: list[str]) -> None:
    since = {"type": "string", "format": "date-time", "examples": examples}
    schema = {"type": "object", "properties": {"since": since}}
    assert Checker("x", schema).checked({"since": value})[0] == {"since": value}


def told(status: int, body: Any = None, **headers: str) -> list[str]:
    """The lines that the model is told."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = json.dumps(body).encode() if body else b""
    answer = Answer(status, {"content-type": "application/json", **named}, content, body)
    error = BadStatus(answer)
    error.method, error.path = "GET", "/repos"
    [block] = report_error(error, ApiSettings(name="x"))
    return str(block["text"]).splitlines()


def advice(status: int, body: Any = None, **headers: str) -> str:
    """The last of them."""
    return told(status, body, **headers)[-1]


@pytest.mark.parametrize(("body", "headers"), [
    (None, {"x_ratelimit_remaining": "0"}), (None, {"retry_after": "5"}),
    ({"message": "API rate limit exceeded for 192.0.2.1."}, {}),
    ({"message": "You have exceeded a secondary rate limit"}, {}),
    ({"error": {"message": "Quota exceeded for quota metric"}}, {}),
    ({"message": "Too Many Requests"}, {}),
])  # fmt: skip
def test_a_rate_limit_is_no_missing_right(body: Any, headers: dict[str, str]) -> None:
    line = advice(403, body, **headers)
    assert line.startswith("Next: wait") and "credential" not in line


def test_a_missing_right_is_no_rate_limit() -> None:
    line = advice(403, {"message": "Must have admin rights"}, x_ratelimit_remaining="4999")
    assert "does not allow this" in line


@pytest.mark.parametrize(("status", "says"), [
    (402, "pay"), (406, "tell the operator"), (409, "read the current state"),
    (412, "read it again"), (413, "send less"), (415, "tell the operator"), (423, "locked"),
    (428, "`If-Match`"), (501, "use another tool"),
])  # fmt: skip
def test_a_status_that_no_argument_mends_asks_for_none(status: int, says: str) -> None:
    assert says in advice(status) and "arguments" not in advice(status)


FIELDS = {"Name": ["is too long"], "Age": ["is not there"]}


@pytest.mark.parametrize(("body", "says"), [
    ({"title": "Not valid.", "errors": FIELDS}, "Not valid: Name: is too long; Age: is not there"),
    ({"error_code": "NO_ITEM", "error_message": "no such item", "id": "1" * 40}, ": no such item"),
    ({"errorDescription": "no such item", "id": "1" * 40}, ": no such item"),
])  # fmt: skip
def test_the_headline_holds_the_message_of_the_body(body: Any, says: str) -> None:
    assert told(400, body)[0].endswith(says)


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("form", ["delta", "epoch"])
def test_the_wait_is_the_one_the_api_names(status: int, form: str) -> None:
    seconds = {"delta": 30, "epoch": int(time.time()) + 30}[form]
    line = advice(status, None, x_ratelimit_remaining="0", x_ratelimit_reset=str(seconds))
    assert line in {f"Next: wait {each} seconds, then call again" for each in (29, 30, 31)}


NOTE = {
    "type": "object",
    "properties": {
        "title": {"type": "string"}, "due": {"allOf": [{}, {"type": ["string", "null"]}]},
        "author": {"type": "object", "properties": {"name": {"type": "string"}}},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/Tag"}},
    },
    "$defs": {"Tag": {"type": "object", "properties": {"text": {"type": "string"}}}},
}  # fmt: skip
NULLS: dict[str, Any] = {
    "title": None, "author": {"name": None}, "tags": [{"text": None}], "due": None
}  # fmt: skip


def test_a_null_that_is_not_sent_is_told_where_something_changes() -> None:
    checked, remarks = Checker("add_note", NOTE).checked(NULLS)
    assert checked == {"author": {}, "tags": [{}], "due": None}
    assert remarks == [
        f"`{place}` was not sent: null is not a value of it"
        for place in ("title", "author.name", "tags[0].text")
    ]
    assert Checker("list_notes", NOTE, reads=True).checked(NULLS) == (checked, [])


@pytest.mark.parametrize("method", ["checked", "on_the_wire"])
def test_nothing_of_a_call_is_kept(method: str) -> None:
    class Given(dict[str, Any]):
        """Arguments that tell when they are gone."""

    checker, given = Checker("add_note", NOTE), Given(author=Given(name="a"))
    kept = weakref.ref(given["author"])
    getattr(checker, method)(given)
    del given
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("schema", [{"const": 2}, {"enum": [1, 2]}])
def test_a_whole_number_with_a_point_is_an_integer_where_only_those_are(schema: Any) -> None:
    checker = Checker("find", {"type": "object", "properties": {"a": schema}})
    assert repr(checker.checked({"a": 2.0})[0]) == "{'a': 2}"


def test_a_branch_of_a_union_is_sent_under_the_names_of_the_api() -> None:
    union = {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"eq_": {}}}]}
    names = {"/properties/a/anyOf/1/properties/eq_": "[eq]"}
    checker = Checker("find", {"type": "object", "properties": {"a": union}}, names=names)
    assert checker.on_the_wire({"a": {"eq_": 1}}) == {"a": {"[eq]": 1}}


def test_json_in_a_text_counts_into_the_depth_of_the_arguments() -> None:
    tree: dict[str, Any] = {"a": {"$ref": "#/$defs/t"}, "b": {"type": "array"}}
    text = json.dumps({"b": "[" * 40 + "]" * 40})
    deep = json.loads('{"a": ' * 40 + text + "}" * 40)
    with pytest.raises(BadArguments, match="nested deeper than 64 levels"):
        Checker("note", {"properties": tree, "$defs": {"t": {"properties": tree}}}).checked(deep)


NUMBER, FLAG, TEXT = {"type": "number"}, {"type": "boolean"}, {"type": "string"}
WHOLE = {"type": "integer"}


@pytest.mark.parametrize(("schema", "value", "meant"), [
    (WHOLE, "5", 5), (WHOLE, "-12", -12), (WHOLE, "725653563933458433", 725653563933458433),
    (NUMBER, "0.5", 0.5), (NUMBER, "7", 7), (FLAG, "true", True), (FLAG, "false", False),
    ({"type": ["integer", "null"]}, "5", 5), ({"enum": [1, 2]}, "2", 2), (TEXT, 123, "123"),
    (TEXT, True, "true"), (TEXT, 0.5, "0.5"), ({"enum": ["1", "2"]}, 1, "1"),
    ({"anyOf": [WHOLE, FLAG]}, "true", True), ({"anyOf": [WHOLE, TEXT]}, "5", "5"),
    ({"anyOf": [TEXT, WHOLE]}, 5, 5), ({"anyOf": [TEXT, {"type": "null"}]}, 5, "5"),
    ({"type": "array", "items": WHOLE}, ["1", 2], [1, 2]), ({}, "5", "5"),
    ({"properties": {"a": {"properties": {"b": FLAG}}}}, {"a": {"b": "true"}}, {"a": {"b": True}}),
    ({"type": ["integer", "string"]}, "5", "5"), ({"type": "array", "items": WHOLE}, "[1]", [1]),
    ({"anyOf": [WHOLE, {"enum": ["all"]}]}, "5", 5), ({"anyOf": [WHOLE, {"enum": ["all"]}]}, "all", "all"),
])  # fmt: skip
def test_what_can_mean_one_thing_is_taken_as_that(schema: Any, value: Any, meant: Any) -> None:
    checked, remarks = Checker("x", {"properties": {"a": schema}}).checked({"a": value})
    assert json.dumps(checked["a"]) == json.dumps(meant) and not remarks


@pytest.mark.parametrize(("schema", "value"), [
    (WHOLE, "abc"), (WHOLE, "1.5"), (WHOLE, "05"), (WHOLE, "+5"), (WHOLE, ""), (WHOLE, "1e400"),
    (NUMBER, "NaN"), (NUMBER, "1e999"), (FLAG, "maybe"), (FLAG, "True"), (FLAG, 1), (WHOLE, True),
    (WHOLE, "null"), (TEXT, [1]), ({**TEXT, "format": "byte"}, 7), ({**WHOLE, "maximum": 3}, "5"), (WHOLE, "9" * 5000),
    ({"anyOf": [{**TEXT, "maxLength": 5}, {**WHOLE, "minimum": 9}]}, 1),
])  # fmt: skip
def test_what_can_mean_nothing_or_two_things_is_refused(schema: Any, value: Any) -> None:
    with pytest.raises(BadArguments):
        Checker("x", {"properties": {"a": schema}}).checked({"a": value})


IS_TEXT = {"if": TEXT, "then": {"maxLength": 9}, "else": {"required": ["b"]}}
ITSELF = {"$ref": "#/properties/a"}


@pytest.mark.parametrize(("schema", "value"), [
    ({"properties": {"b": WHOLE}}, '{"b": "x"}'), ({"properties": {"b": {}}, **IS_TEXT}, "{}"),
    ({"properties": {"b": {}}, "minProperties": 1}, {"b": None}),
    ({"anyOf": [{"not": TEXT, **WHOLE}, {"properties": {"b": ITSELF}, **IS_TEXT}]}, "{}"),
    ({"oneOf": [{"items": ITSELF, "maxItems": 0}, {"const": 1}]}, "[1]"),
    ({"items": {"properties": {"b": WHOLE}}}, ['{"b": []}', {"b": 1}]),
])  # fmt: skip
def test_a_valid_value_stays_itself_where_its_repair_is_invalid(schema: Any, value: Any) -> None:
    checker = Checker("x", {"properties": {"a": schema, "n": WHOLE}})
    assert checker.checked({"a": value})[0] == {"a": value}
    assert checker.checked({"a": value, "n": "5"})[0] == {"a": value, "n": 5}


def test_a_name_of_the_api_is_no_way_past_the_schema() -> None:
    names = {"/properties/a/properties/eq_": "[eq]"}
    checker = Checker("x", {"properties": {"a": {"properties": {"eq_": WHOLE}}}}, names=names)
    assert checker.checked({"a": {"[eq]": "5"}})[0] == {"a": {"[eq]": 5}}
    with pytest.raises(BadArguments, match=r"`a\.eq_` must be an integer"):
        checker.checked({"a": {"[eq]": "five"}})


@pytest.mark.parametrize("place", ["$defs", "definitions", "properties"])
def test_a_branch_of_a_union_may_refer_to_any_part_of_the_schema(place: str) -> None:
    part = {"type": "object", "properties": {"c": WHOLE}}
    union = {"anyOf": [{"type": "null"}, {"$ref": f"#/{place}/b"}]}
    schema: dict[str, Any] = {"properties": {"a": union}}
    schema[place] = schema.get(place, {}) | {"b": part}
    assert Checker("x", schema).checked({"a": {"c": "5"}})[0] == {"a": {"c": 5}}


def test_fields_of_unions_and_of_lists_are_found_and_objects_name_theirs() -> None:
    close = {"properties": {"state": {"enum": ["closed"]}, "admin": TEXT}}
    snooze = {"properties": {"state": {"enum": ["snoozed"]}, "until": WHOLE, "admin": False}}
    lines = {"type": "array", "items": {"properties": {"sku": TEXT}}}
    body = {"type": "object", "oneOf": [close, snooze], "properties": {"lines": lines}}
    checker = Checker("x", {"properties": {"body": body, "owner": {"type": "object", **close}}})
    for call, told in (
        ({"until": 5}, "`until` is not an argument; it is a field of `body`"),
        ({"until": "soon", "state": "x"}, "`until` is not an argument; it is a field of `body`"),
        ({"sku": "a"}, "`sku` is not an argument; it is a field of `body.lines`"),
        ({"owner": 5}, "`owner` must be an object with the fields `state`, `admin`, got 5"),
    ):
        with pytest.raises(BadArguments) as refusal:
            checker.checked(call)
        assert told in str(refusal.value)


def test_a_name_is_not_near_whose_values_are_others() -> None:
    choice = {"enum": ["strict", "none"]}
    checker = Checker("x", {"properties": {"jql": TEXT, "validateQuery": choice, "page": TEXT}})
    for call, told in (
        ({"query": "owner = ann"}, "`query` is not an argument\n"),
        ({"query": "none"}, "did you mean `validateQuery`?"),
        ({"page_no": {"size": 5}}, "`page_no` is not an argument\n"),
        ({"page_no": "2"}, "did you mean `page`?"),
    ):
        with pytest.raises(BadArguments) as refusal:
            checker.checked(call)
        assert told in str(refusal.value)


def test_json_in_a_text_stays_text_where_text_is_allowed() -> None:
    for schema, read in (
        ({"type": ["string", "array"]}, "[1]"), ({"enum": ["[1]", [1]]}, "[1]"), ({}, "[1]"),
        ({"const": [1]}, [1]), ({"allOf": [{}, {"items": {"type": "integer"}}]}, [1]),
        ({"properties": {"b": {}}}, {"b": 1}), ({"type": ["null", "array"]}, [1]),
    ):  # fmt: skip
        checker = Checker("note", {"type": "object", "properties": {"a": schema}})
        text = read if isinstance(read, str) else json.dumps(read)
        assert checker.checked({"a": text})[0] == {"a": read}
    rest = {"type": "object", "additionalProperties": {"type": "array"}}
    assert Checker("note", rest).checked({"x": "[1]"})[0] == {"x": [1]}
    inside = Checker("note", {"type": "object", "properties": {"a": rest}})
    assert inside.checked({"a": {"x": "[1]"}})[0] == {"a": {"x": [1]}}
    for text in ("[NaN]", '[{"b": 1, "b": 2}]'):
        with pytest.raises(BadArguments, match="must be null or an array"):
            checker.checked({"a": text})


AHEAD = "^(?=y)"
"""A pattern that an engine in linear time does not run."""
RULES: list[tuple[Any, Any, str]] = [
    ({"type": ["object", "null"]}, 1, "must be null or an object, got 1"),
    ({"type": ["array", "boolean"]}, 1, "must be true or false or an array, got 1"),
    ({"type": ["integer", "string"]}, {}, "must be an integer or a string, got {}"),
    ({"type": ["number", "string"]}, {}, "must be a number or a string, got {}"),
    ({"type": "boolean"}, "no", 'must be true or false, got "no"'),
    ({"type": "string"}, [None], "must be a string, got [null]"),
    ({"type": "string", "pattern": AHEAD}, [True], "must be a string, got [true]"),
    ({"patternProperties": {AHEAD: {"type": "null"}, "^b": {"type": "integer"}}}, {"b": "c"},
     ".b must be an integer, got \"c\""),
    ({"const": 5}, 6, "must be 5, got 6"),
    ({"exclusiveMinimum": 1}, 1, "must be more than 1, got 1"),
    ({"exclusiveMinimum": 0.0}, 0, "must be more than 0, got 0"),
    ({"minimum": 2.5}, 2, "must be at least 2.5, got 2"),
    ({"exclusiveMaximum": 1}, 1, "must be less than 1, got 1"),
    ({"multipleOf": 3}, 4, "must be a multiple of 3, got 4"),
    ({"minLength": 1}, "", "must have at least 1 character, got 0"),
    ({"minLength": 2}, "x", "must have at least 2 characters, got 1"),
    ({"minItems": 2}, [1], "must have at least 2 items, got 1"),
    ({"minProperties": 1}, {}, "must have at least 1 field, got 0"),
    ({"maxProperties": 1}, {"b": 1, "c": 2}, "must have at most 1 field, got 2"),
    ({"uniqueItems": True}, [1, 1], "must not have the same item twice"),
    ({"not": {"enum": ["b", 2]}}, "b", 'must be none of "b", 2'),
    ({"not": {"required": ["b", "c"]}}, {"b": 1, "c": 1}, "cannot have `b` and `c`"),
    ({"not": {"type": "string"}}, "x", 'must not fit {"type": "string"}'),
    (False, 1, "cannot be given: leave it out"),
    ({"prefixItems": [{}], "items": False}, [1, 2], "[1] cannot be given: leave it out"),
    ({"contains": {"type": "null"}, "minContains": 2}, [None],
     'must have at least 2 of the items that fit {"type": "null"}, got [null]'),
    ({"contains": {"type": "null"}, "maxContains": 1}, [None, None],
     'must have at most 1 of the items that fit {"type": "null"}, got [null, null]'),
    ({"prefixItems": [{}], "unevaluatedItems": False}, [1, "b", 3], 'cannot have the items "b", 3'),
    ({"unevaluatedProperties": {"type": "null"}}, {"b": 1}, '.b must fit {"type": "null"}, got 1'),
    ({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3, "fits more than one of its alternatives"
     ", and may fit only one"),
    ({"dependentRequired": {"b": ["c"]}}, {"b": 1}, ".c is required"),
    ({"anyOf": [{"type": "string", "pattern": AHEAD}, {"type": "integer", "minimum": 3}]}, 1,
     "must be at least 3, got 1"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "told"), RULES)
def test_each_rule_is_told_in_words(schema: Any, value: Any, told: str) -> None:
    checker = Checker("note", {"properties": {"a": schema}})
    with pytest.raises(BadArguments) as refusal:
        checker.checked({"a": value})
    place, _, rule = told.partition(" ") if told[0] in ".[" else ("", "", told)
    assert str(refusal.value).splitlines()[1] == f"- `a{place}` {rule}"


@pytest.mark.parametrize(("names", "told"), [
    ({"maxLength": 1}, "must have at most 1 character, got 2"),
    ({"enum": ["b", "d"]}, 'must be one of "b", "d"; got "bc"'),
    ({"pattern": "^d"}, 'must match the pattern "^d", got "bc"'),
])  # fmt: skip
def test_a_rule_for_names_is_told_of_the_name(names: Any, told: str) -> None:
    checker = Checker("note", {"properties": {"a": {"propertyNames": names}}})
    with pytest.raises(BadArguments) as refusal:
        checker.checked({"a": {"bc": 1}})
    assert str(refusal.value).splitlines()[1] == f"- the name of `a.bc` {told}"


def test_null_for_what_is_required_is_an_error() -> None:
    with pytest.raises(BadArguments, match=r"`title`.*null"):
        Checker("add_note", {**NOTE, "required": ["title"]}).checked(NULLS)


def test_null_is_a_value_of_every_optional_field_of_a_merge_patch() -> None:
    checker = Checker("update_note", NOTE, nullable=("/properties/title",), merge_patch=True)
    assert checker.checked(NULLS) == (NULLS, [])


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize("value", [5, "x", ["1", [2]], {"a": {"b": "2"}}])
def test_a_schema_that_is_a_part_of_itself_is_followed_once(keyword: str, value: Any) -> None:
    itself = {"$ref": "#/properties/it"}
    schema = {"type": "object", "properties": {"it": {keyword: [itself, itself, {}]}}}
    assert Checker("put", schema).on_the_wire({"it": value}) == {"it": value}
    if keyword != "oneOf":  # of which several branches fit
        assert Checker("put", schema).checked({"it": value})[0] == {"it": value}
