"""A dispute is the document's own and excuses one value: a call that is broken otherwise stays a
failure.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from .disputes import WHY, Disputes

FORM = "application/x-www-form-urlencoded"
DOCUMENT = {
    "openapi": "3.0.0",
    "paths": {
        "/files/{id}": {"get": {}}, "/files/{name}?beta=true": {"get": {}},
        "/books": {"post": {
            "parameters": [
                {"name": "size", "in": "query", "schema": {"type": "number", "enum": ["1"]}},
                {"name": "kind", "in": "query", "schema": {"type": "string", "enum": ["1"]}},
                {"name": "tags", "in": "query", "schema": {"type": "array", "enum": ["1"]}},
                {"name": "key", "in": "query", "schema": {"type": "string"}}],
            "security": [{"key": []}],
            "requestBody": {"content": {FORM: {"schema": {"type": "object"}}}}}},
        "/json": {"post": {"requestBody": {"content": {"application/json": {"schema": {}}}}}},
        "/names/{id}": {"put": {
            "parameters": [{"name": "id", "in": "path", "schema": {"type": "string"}}],
            "requestBody": {"content": {"application/json": {"schema": {
                "type": "object", "properties": {"_id": {}, "size": {}}, "required": ["id"]}}}}}},
        "/open": {"get": {"parameters": [{"name": "key", "in": "query"}],
            "requestBody": {"content": {FORM: {"schema": {"type": "object", "properties": {}}}}}}},
        "/raw": {"post": {"requestBody": {"content": {FORM: {"schema": {"type": "string"}}}}}},
        "/films": {"post": {"requestBody": {"content": {"multipart/form-data": {"schema": {
            "type": "object", "properties": {
                "film": {"anyOf": [{"type": "string", "format": "binary"}, {"type": "object"}]},
                "notes": {"type": "object"}, "title": {"type": "string"},
                "stills": {"items": {"contentMediaType": "image/png"}}}}}}}}},
        "/bytes": {"put": {"requestBody": {"content": {"image/png": {}}}}},
        "/text": {"put": {"requestBody": {"content": {"text/plain": {}}}}}},
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}}},
}  # fmt: skip


@pytest.fixture
def disputes(tmp_path: Path) -> Disputes:
    place = tmp_path / "document.json"
    place.write_text(json.dumps(DOCUMENT))
    return Disputes(place)


def call(wanted: str, **facts: Any) -> dict[str, Any]:
    """A call that became one valid request for the operation it was meant for."""
    target = wanted.partition(" ")[2]
    usual = {"want_op": wanted, "op": wanted, "n_http": 1, "verdict": "valid", "args": {}}
    return usual | {"bad": [], "slots": [], "http": {"target": target}} | facts


def test_paths_that_are_one_are_one_if_the_query_of_the_path_was_sent(disputes: Disputes) -> None:
    wanted, got = "GET /files/{name}?beta=true", "GET /files/{id}"
    sent = call(wanted, op=got, http={"target": "/files/1?beta=true"})
    assert disputes.over_call(sent) == WHY["SAME_REQUEST"]
    assert disputes.over_call(sent | {"http": {"target": "/files/1"}}) == ""
    assert disputes.over_call(sent | {"verdict": "invalid"}) == ""
    assert disputes.over_call(call(wanted, op="POST /books")) == ""


def test_an_enum_that_contradicts_its_type_excuses_its_own_parameter(disputes: Disputes) -> None:
    sent = call("POST /books")
    assert disputes.over_slot(sent, ("query.size", "altered")) == WHY["CONTRADICTION"]
    assert disputes.over_slot(sent, ("query.tags", "altered")) == WHY["CONTRADICTION"]
    assert disputes.over_slot(sent, ("query.kind", "altered")) == ""
    assert disputes.over_slot(sent, ("header.size", "altered")) == ""
    refused = call("POST /books", n_http=0, slots=[("query.size", "no_request")])
    assert disputes.over_call(refused) == WHY["CONTRADICTION"]
    assert disputes.over_call(refused | {"n_http": 1}) == ""
    assert disputes.over_call(refused | {"slots": [("query.kind", "no_request")]}) == ""


def test_the_key_of_a_scheme_of_the_operation_is_no_value_of_the_models(disputes: Disputes) -> None:
    sent = call("POST /books")
    assert disputes.over_slot(sent, ("query.key", "inexpressible")) == WHY["CREDENTIAL"]
    assert disputes.over_slot(sent, ("header.key", "inexpressible")) == ""
    assert disputes.over_slot(call("GET /open"), ("query.key", "inexpressible")) == ""
    refused = call("POST /books", n_http=0, slots=[("query.key", "inexpressible")])
    assert disputes.over_call(refused) == ""


def test_what_a_server_leaves_out_by_a_rule_of_its_own_is_called_that(disputes: Disputes) -> None:
    refused = call("GET /open", n_http=0, args={"fields": {}})
    assert disputes.over_slot(refused, ("query.prettyPrint", "inexpressible")) == WHY["LEFT_OUT"]
    assert disputes.over_slot(refused, ("body", "dropped")) == WHY["LEFT_OUT"]
    assert disputes.over_slot(call("POST /books"), ("body", "dropped")) == ""
    assert disputes.over_call(refused) == WHY["LEFT_OUT"]
    assert disputes.over_call(refused | {"args": {"fields": []}}) == ""


def test_a_key_with_a_bracket_is_excused_in_a_form_and_nowhere_else(disputes: Disputes) -> None:
    slots = [("body.map", "no_request")]
    refused = call("POST /books", n_http=0, args={"map": {"a[b": 1}}, slots=slots)
    assert disputes.over_call(refused) == WHY["UNDEFINED"]
    assert disputes.over_call(refused | {"args": {"map": {"ab": 1}}}) == ""
    assert disputes.over_call(refused | {"want_op": "POST /json"}) == ""
    assert disputes.over_call(refused | {"n_http": 1}) == ""


def test_a_call_that_finds_out_what_a_tool_is_has_no_verdict(disputes: Disputes) -> None:
    body = ["body", "", "is not of type"]
    asked = call("POST /raw", verdict="invalid", bad=[body]) | {"want_op": None}
    assert disputes.over_call(asked) == ""


def test_a_form_without_names_excuses_its_body_alone(disputes: Disputes) -> None:
    body, query = ["body", "", "is not of type"], ["query", "q", "is not of type"]
    assert disputes.over_call(call("POST /raw", verdict="invalid", bad=[body])) == WHY["UNNAMED"]
    assert disputes.over_call(call("POST /raw", verdict="invalid", bad=[body, query])) == ""
    assert disputes.over_call(call("POST /books", verdict="invalid", bad=[body])) == ""


def test_a_text_that_a_path_cannot_hold_excuses_that_path_alone(disputes: Disputes) -> None:
    slots = [("path.file_id", "no_request")]
    refused = call("GET /files/{id}", n_http=0, args={"fileId": "a\x18b", "note": "c"}, slots=slots)
    refused["text"] = "`file_id`: a control character"
    assert disputes.over_call(refused) == WHY["UNSENDABLE"]
    assert disputes.over_call(refused | {"text": "`note` is too long"}) == ""
    assert disputes.over_call(refused | {"args": {"fileId": "þ é", "note": "a\x18b"}}) == ""
    assert disputes.over_call(refused | {"slots": [("query.file_id", "no_request")]}) == ""
    assert disputes.over_call(refused | {"n_http": 1}) == ""


@pytest.mark.parametrize(("slot", "args", "said", "others"), [
    ("header.X-Shelf", {"x_shelf": "é"}, {"error": "`X-Shelf`: not visible ASCII"}, {"x_shelf": "a b"}),
    ("path.id", {"id_path": "a\x18b"}, {"text": "`id`: a control character"}, {"id_body": "a\x18b"}),
])  # fmt: skip
def test_a_text_that_a_place_cannot_hold_excuses_the_argument_of_that_place_alone(
    disputes: Disputes, slot: str, args: Any, said: Any, others: Any
) -> None:
    refused = call("GET /files/{id}", n_http=0, args=args, slots=[(slot, "no_request")]) | said
    assert disputes.over_call(refused) == WHY["UNSENDABLE"]
    assert disputes.over_call(refused | {"args": others}) == ""


def test_names_that_differ_in_signs_alone_excuse_each_other(disputes: Disputes) -> None:
    sent = call("PUT /names/{id}")
    assert disputes.over_slot(sent, ("body._id", "misplaced")) == WHY["ONE_NAME"]
    assert disputes.over_slot(sent, ("body.id", "altered")) == WHY["ONE_NAME"]
    assert disputes.over_slot(sent, ("body.size", "altered")) == ""
    assert disputes.over_slot(sent, ("path.id", "altered")) == ""
    refused = call("PUT /names/{id}", n_http=0, slots=[("body.id", "no_request")])
    assert disputes.over_call(refused) == WHY["ONE_NAME"]
    assert disputes.over_call(refused | {"slots": [("body.size", "no_request")]}) == ""


@pytest.mark.parametrize(("operation", "args", "other"), [
    ("POST /films", {"film": "k1 é"}, {"title": "k1 é"}),
    ("POST /films", {"stills": ["k1 é"]}, {"stills": [1]}),
    ("PUT /bytes", {"body": "k1 é"}, {"body": {}}),
])  # fmt: skip
def test_a_text_in_the_place_of_a_file_excuses_the_refusal_that_asks_for_base64(
    disputes: Disputes, operation: str, args: Any, other: Any
) -> None:
    refused = call(operation, n_http=0, args=args, text="not base64: give the bytes")
    assert disputes.over_call(refused) == WHY["NO_BASE64"]
    assert disputes.over_call(refused | {"args": other}) == ""
    assert disputes.over_call(refused | {"text": "`film` is required"}) == ""
    assert disputes.over_call(refused | {"n_http": 1}) == ""


def test_a_text_that_is_base64_by_chance_may_arrive_as_its_bytes(disputes: Disputes) -> None:
    sent = call("PUT /bytes", kind="spec")
    assert disputes.over_slot(sent, ("body", "altered")) == WHY["NO_BASE64"]
    assert disputes.over_slot(sent | {"kind": "schema"}, ("body", "altered")) == ""
    assert disputes.over_slot(call("PUT /text", kind="spec"), ("body", "altered")) == ""


def test_a_part_with_a_files_name_is_no_json_whatever_else_its_field_may_be(
    disputes: Disputes,
) -> None:
    def sent(disposition: str, why: str) -> dict[str, Any]:
        part = f"--b\r\nContent-Disposition: form-data; {disposition}\r\n\r\nhello\r\n--b--"
        http = {"target": "/films", "body": base64.b64encode(part.encode()).decode()}
        bad = [["body", "", f"cannot read as multipart/form-data: {why}"]]
        return call("POST /films", verdict="invalid", bad=bad, http=http)

    unreadable = "JSONDecodeError Expecting value"
    named = 'name="film"; filename="f"'
    assert disputes.over_call(sent(named, unreadable)) == WHY["FILE_AS_JSON"]
    assert disputes.over_call(sent('name="film"', unreadable)) == ""
    assert disputes.over_call(sent('name="notes"; filename="f"', unreadable)) == ""
    assert disputes.over_call(sent(named, "ValueError not a multipart body")) == ""


def test_a_number_that_arrives_as_a_valid_text_was_mended(disputes: Disputes) -> None:
    args = {"notes": [{"tags": {"__bad__": 1}}]}
    sent = call("POST /films", kind="neg", profile="wrong type", args=args)
    assert disputes.over_call(sent) == WHY["AS_TEXT"]
    assert disputes.over_call(sent | {"verdict": "invalid"}) == ""
    assert disputes.over_call(sent | {"profile": "unexpected argument"}) == ""
    assert disputes.over_call(sent | {"args": {"notes": 1}}) == ""
