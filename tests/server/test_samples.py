"""Sample arguments: valid for their schemas, deterministic, and found again where they must
arrive.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jsonschema_rs
import pytest

from mcpgen.ir import (
    Annotation,
    Argument,
    Auth,
    Body,
    Hints,
    Origin,
    Request,
    Response,
    Server,
    Tool,
    Toolset,
)
from mcpgen.render import sample
from mcpgen.render.expectations import expectations
from mcpgen.render.pattern_text import text_for
from mcpgen.render.sample import sample_arguments
from mcpgen.runtime.client import wire

NODE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
}


def tool(
    properties: dict[str, Any], *arguments: Argument, body: Body | None = None, **schema: Any
) -> Tool:
    """A tool with those properties."""
    return Tool(
        name="sample", title="Sample", description="Sample.",
        input_schema={
            "type": "object", "properties": properties, "additionalProperties": False, **schema},
        output_schema=None, hints=Hints(read_only=True, destructive=False, idempotent=True),
        arguments=arguments, request=Request(method="POST", path="/samples/{id}", body=body),
        response=Response(json=True, wrapped=False),
        origin=Origin(method="POST", path="/samples/{id}", operation_id=None, pointer=""),
    )  # fmt: skip


def argument(name: str, place: Any, encode: str = "", **options: Any) -> Argument:
    """An argument whose wire name ends in `-wire`."""
    return Argument(
        name=name, wire_name=f"{name}-wire", place=place, annotation=Annotation(kind="any"),
        required=False, encode=encode, options=tuple(options.items()),
    )  # fmt: skip


SCHEMAS: list[dict[str, Any]] = [
    {"type": "string"}, {"type": "string", "minLength": 30}, {"type": "string", "maxLength": 2},
    {"type": "string", "minLength": 24, "maxLength": 24, "pattern": "[a-z0-9]"},
    {"type": "string", "pattern": "^[A-Z]{2}-\\d{3,5}$"},
    {"type": "string", "pattern": "^(?:red|green)[^a-z]$"},
    {"type": "string", "enum": ["one", "two"]}, {"type": "string", "format": "date"},
    {"type": "integer", "minimum": 5, "maximum": 5},
    {"type": "integer", "exclusiveMinimum": 5, "maximum": 7}, {"type": "integer", "maximum": -3},
    {"type": "integer", "multipleOf": 7, "minimum": 10},
    {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    {"type": "number", "multipleOf": 0.01}, {"type": "boolean"}, {"type": ["null", "string"]},
    {"const": {"a": [1]}},
    {"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": True},
    {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "maxItems": 2},
    {"type": "array", "maxItems": 0},
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"]},
    {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
    {"type": "object"}, {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 3}]},
    {"oneOf": [{"type": "string", "maxLength": 1}, {"type": "string", "minLength": 2}]},
    {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"required": ["a"]}]},
    {"$ref": "#/$defs/Node"}, {},
]  # fmt: skip


def samples_of(tool: Tool) -> dict[str, Any] | None:
    """Sample arguments of a tool that is listed whole."""
    return sample_arguments(tool, tool.input_schema, tool.input_schema)


def expected_of(tool: Tool, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """What the request of a tool that is listed whole must hold."""
    return expectations(tool, arguments, tool.input_schema, dict(tool.wire_names))


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_a_sample_is_valid_and_always_the_same(schema: dict[str, Any]) -> None:
    made = tool({"value": schema}, required=["value"], **{"$defs": {"Node": NODE}})
    arguments = samples_of(made)
    assert arguments is not None
    assert "value" in arguments
    assert jsonschema_rs.Draft202012Validator(made.input_schema).is_valid(arguments)
    assert samples_of(made) == arguments


def test_an_argument_without_a_known_value_is_left_out_or_where_required_gives_up() -> None:
    riddle = {
        "type": "string", "pattern": "(?=nothing)known", "minLength": 400, "maxLength": 401,
        "format": "date",
    }  # fmt: skip
    properties = {"id": {"type": "string"}, "riddle": riddle}
    assert list(samples_of(tool(properties)) or {}) == ["id"]
    assert samples_of(tool(properties, required=["riddle"])) is None


@pytest.mark.parametrize("encode", ["space_delimited", "pipe_delimited", "tab_delimited"])
def test_the_items_of_a_sample_do_not_hold_what_separates_them(encode: str) -> None:
    texts = {"type": "array", "items": {"type": "string"}}
    delimited = argument("value", "query", encode)
    arguments = samples_of(tool({"value": texts}, delimited))
    assert arguments is not None and len(arguments["value"]) > 1
    assert wire.simple_text(getattr(wire, encode)(arguments["value"]))


def test_samples_of_different_arguments_differ() -> None:
    properties = {
        f"a{index}": {"type": kind}
        for index, kind in enumerate(["string", "integer", "number"] * 3)
    }
    values = list((samples_of(tool(properties)) or {}).values())
    assert len({str(value) for value in values}) == len(values)


@pytest.mark.parametrize(("pattern", "text"), [
    ("^a+$", "a"), ("^[0-9]{3}-[a-f]{2}$", "000-aa"), (r"^\d{4}\.\w$", "0000.a"),
    ("(one|two)?three", "three"), ("^[^abc]$", "d"), (r"^\u0041\x42$", "AB"), ("[]a]", "a"),
    ("a{2,}", "aa"), ("(?<name>x)(?!y)", "x"), ("(", None), ("[a", None), ("x" * 501, None),
])  # fmt: skip
def test_a_text_for_a_pattern(pattern: str, text: str | None) -> None:
    assert text_for(pattern) == text


@pytest.mark.parametrize(("place", "encode", "value", "expected"), [
    ("path", "", "a b", [{"text": "a b"}]),
    ("path", "label", 5, [{"leaves": ["5"]}]),
    ("query", "", True, [{"text": "true"}]),
    ("query", "", 2.0, [{"text": "2"}]),
    ("query", "", 1e-07, [{"text": "0.0000001"}]),
    ("query", "", [1, 2], [{"texts": ["1", "2"]}]),
    ("query", "csv", [1, 2], [{"leaves": ["1", "2"]}]),
    ("query", "", {"k": 1}, [{"name": "k", "text": "1"}]),
    ("query", "deep_object", {"a": {"b": 1}, "c": [2]},
     [{"name": "x-wire[a][b]", "text": "1"}, {"name": "x-wire[c][0]", "text": "2"}]),
    ("query", "json_text", {"a": 1}, [{"json": {"a": 1}}]),
    ("query", "query_string", {"a": 1}, [{"name": "a", "text": "1"}]),
    ("header", "", [1, 2], [{"leaves": ["1", "2"]}]),
    ("body", "", {"a": None}, [{"json": {"a": None}}]),
])  # fmt: skip
def test_a_value_is_expected_where_its_style_puts_it(
    place: str, encode: str, value: Any, expected: list[Any]
) -> None:
    found = expected_of(tool({"x": {}}, argument("x", place, encode)), {"x": value})
    assert found == [{"place": place, "name": "x-wire", **each} for each in expected]


@pytest.mark.parametrize(("kind", "encode", "value", "expected"), [
    ("form", "", ["x", "y"], {"texts": ["x", "y"]}),
    ("multipart", "", ["x", "y"], {"texts": ["x", "y"]}),
    ("multipart", "file", "eA==", {"base64": "eA=="}),
    ("multipart", "json_part", {"a": 1}, {"json": {"a": 1}}),
])  # fmt: skip
def test_a_field_is_expected_as_its_body_writes_it(
    kind: Any, encode: str, value: Any, expected: dict[str, Any]
) -> None:
    body = Body(kind=kind, media_type="", whole=False, required=True)
    found = expected_of(tool({"f": {}}, argument("f", "body", encode), body=body), {"f": value})
    assert found == [{"place": "body", "name": "f-wire", **expected}]


def test_nested_names_are_expected_as_on_the_wire() -> None:
    schema = {
        "type": "object",
        "properties": {"eq_": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
    }
    made = tool({"b": schema}, argument("b", "body"), **{"$defs": {"Node": NODE}})
    names = (("/properties/b/properties/eq_", "$eq"), ("/$defs/Node/properties/name", "@name"))
    made = dataclasses.replace(made, wire_names=names)
    [expected] = expected_of(made, {"b": {"eq_": [{"name": "x", "next": {"name": "y"}}]}})
    assert expected["json"] == {"$eq": [{"@name": "x", "next": {"@name": "y"}}]}


def test_the_data_of_the_tests_says_which_credentials_arrive() -> None:
    auths = (
        Auth(name="key", kind="api_key", place="query", wire_name="k", variables=("P_KEY",)),
        Auth(name="user", kind="basic", variables=("P_USER", "P_PASSWORD")),
        Auth(name="odd", kind="unsupported"),
        Auth(name="client", kind="client_credentials", variables=("P_ID", "P_SECRET", "P_TOKEN")),
    )
    made = Server(
        name="s", package="s_mcp", distribution="mcp-s", title="S", version="1", description="",
        instructions="", env_prefix="P", base_url=None, base_url_note="", auth=auths,
        security=(("key", "user"), ("odd",)),
        toolsets=(Toolset(name="t", title="T", description="", tools=(tool({}),)),),
    )  # fmt: skip
    data = sample.tests_data(made)
    assert sorted(data["environment"]) == ["P_ID", "P_KEY", "P_PASSWORD", "P_SECRET", "P_USER"]
    [alternative] = data["tools"][0]["request"]["security"]
    assert alternative[0] == {"place": "query", "name": "k", "one_of": ["canary-p-key-0123456789"]}
    assert alternative[1]["one_of"][0].startswith("Basic ")
