"""Rules of OpenAPI that its schema cannot state are held, by openapi-spec-validator."""

import json
from typing import Any

import pytest

from mcpgen.lint import rules
from mcpgen.lint.rules import check_rules
from mcpgen.lint.soundness import is_sound
from mcpgen.problems import Problems

from .conftest import Write, loaded

INFO = {"title": "T", "version": "1"}
ANSWERS = {"200": {"description": "ok"}}


def found(write: Write, document: dict[str, Any]) -> list[tuple[str, str]]:
    """The pointers and messages of what a document breaks."""
    problems = Problems()
    read = loaded(write("x.json", json.dumps({"info": INFO, **document})))[0]
    check_rules(read, problems)
    assert not (is_sound(read) and problems.items)
    return [(problem.pointer, problem.message) for problem in problems]


def test_a_default_is_valid_for_its_schema_wherever_it_is(write: Write) -> None:
    size = {"type": "integer", "minimum": 1, "default": "ten"}
    page = {"type": "object", "properties": {"size": {**size, "default": 0}, "at": {"default": 1}}}
    answer = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Page"}}}}
    post = {
        "parameters": [{"name": "size", "in": "query", "schema": size}],
        "requestBody": {"content": {"application/json": {"schema": {"items": size}}}},
        "responses": {"200": {"description": "ok", **answer}},
    }
    document = {"paths": {"/a": {"post": post}}, "components": {"schemas": {"Page": page}}}
    body = "/paths/~1a/post/requestBody/content/application~1json/schema/items/default"
    for version in ("3.0.3", "3.1.0", "3.2.0"):
        assert sorted(found(write, {"openapi": version, **document})) == [
            (
                "/components/schemas/Page/properties/size/default",
                "the default `0` breaks `minimum` of its schema",
            ),
            (
                "/paths/~1a/post/parameters/0/schema/default",
                'the default `"ten"` breaks `type` of its schema',
            ),
            (body, 'the default `"ten"` breaks `type` of its schema'),
        ]


def test_a_parameter_is_there_once(write: Write) -> None:
    both = [
        {"name": "n", "in": "query", "schema": {"type": kind}} for kind in ("integer", "string")
    ]
    other = {"name": "n", "in": "header", "schema": {}}
    paths = {"/a": {"get": {"parameters": [other, *both], "responses": ANSWERS}}}
    [(pointer, message)] = found(write, {"openapi": "3.1.0", "paths": paths})
    assert pointer == "/paths/~1a/get/parameters/2" and "'n'" in message


def test_tags_are_there_once_and_have_a_parent_that_is(write: Write) -> None:
    tags = [{"name": "a"}, {"name": "b", "parent": "z"}, {"name": "a", "description": "again"}]
    messages = [text for _, text in found(write, {"openapi": "3.2.0", "paths": {}, "tags": tags})]
    assert messages == [
        "Duplicate tag name 'a'",
        "Tag 'b' references unknown parent tag 'z'",
    ]


def test_a_required_key_needs_no_schema(write: Write) -> None:
    schema = {"allOf": [{"type": "object"}], "required": ["a"]}
    document = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": {"A": schema}}}
    assert found(write, document) == []


@pytest.mark.parametrize("schema", [
    {"type": "string", "pattern": "^(a+)+$", "default": "a" * 40 + "!"},
    {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string",
     "pattern": "^(a+)+$", "default": "a" * 40 + "!"},
    {"uniqueItems": True, "default": [{"a": n} for n in range(20_000)]},
    {"$ref": "https://127.0.0.1:1/elsewhere.json", "default": 1},
    {"allOf": [{"$ref": "#/components/schemas/A"}], "default": 1},
], ids=["backtracking", "of a dialect", "items", "elsewhere", "itself"])  # fmt: skip
def test_what_costs_without_a_bound_is_not_done(write: Write, schema: dict[str, Any]) -> None:
    document = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": {"A": schema}}}
    assert found(write, document) == []


def test_a_default_is_compared_with_schemas_so_many_times_and_no_more(write: Write) -> None:
    """Each schema has the next one twice: a value meets 2 ** 30 of them."""
    schemas: dict[str, Any] = {
        f"A{n}": {"anyOf": [{"$ref": f"#/components/schemas/A{n + 1}"}] * 2} for n in range(30)
    }
    schemas |= {"A30": {"type": "string"}, "B": {"type": "integer", "default": "x"}}
    schemas["A0"]["default"] = 1
    document = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": schemas}}
    assert [message for _, message in found(write, document)] == [
        "not every default could be compared with its schema"
    ]
    assert rules.STEPS < 1_000_000


def test_what_the_library_cannot_read_hides_nothing_else(write: Write) -> None:
    schemas = {"A": {"type": "integer", "default": "x"}}
    item = {
        "get": {"parameters": [{"in": "query"}, 5], "responses": ANSWERS},
        "post": {"$ref": "#/z"},
    }
    document = {"openapi": "3.1.0", "paths": {"/a/{": item}, "components": {"schemas": schemas}}
    assert [pointer for pointer, _ in found(write, document)] == ["/components/schemas/A/default"]


@pytest.mark.parametrize("schema", [
    *({"type": kind, "default": value}
      for kind in ("string", "integer", "number", "boolean", "array", "object", ["null", "string"])
      for value in ("1", 1, 1.5, True, [], {}, None)),
    *({keyword: 2, "default": value}
      for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
                      "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "const", "multipleOf")
      for value in (1, 2, 3, "a", "abc", [1], [1, 2, 3], {}, dict.fromkeys("abc"))),
    *({"enum": [1, "a", [1]], "default": value} for value in (1, True, "a", "b", [True])),
    *({"format": kind, "default": value} for kind in ("int32", "uri", "date", "uuid", "regex")
      for value in (2**31, 1, "", "2026-01-01", "(")),
    *({"items": {"type": "string"}, "default": value} for value in (["a"], ["a", 1], "a")),
    *({kind: [{"type": "string"}, {"$ref": "#/components/schemas/B"}], "default": value}
      for kind in ("allOf", "anyOf", "oneOf") for value in ("a", "b", 1, 2)),
    *({"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False,
       "default": value} for value in ({}, {"a": "b"}, {"a": 1}, {"b": 1}, 1)),
    {"not": {"type": "string"}, "default": "a"}, {"nullable": True, "type": "string", "default": None},
    {"properties": {"a": {"items": {"allOf": [{"type": "string", "default": 1}]}}}},
    {"properties": {"a": 5}}, {"$ref": "#/components/schemas/A"},
], ids=json.dumps)  # fmt: skip
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_what_is_called_sound_breaks_no_rule(
    write: Write, version: str, schema: dict[str, Any]
) -> None:
    schemas = {"A": schema, "B": {"enum": ["a", 1]}}
    found(write, {"openapi": version, "paths": {}, "components": {"schemas": schemas}})


def test_an_ordinary_document_is_proven_without_the_library(write: Write) -> None:
    size = {"type": "integer", "minimum": 1, "default": 10}
    page = {"type": "object", "properties": {"size": size, "kind": {"enum": ["a"], "default": "a"}}}
    media = {"application/json": {"schema": {"$ref": "#/components/schemas/Page"}}}
    get = {
        "operationId": "a",
        "parameters": [{"name": "size", "in": "query", "schema": size}],
        "requestBody": {"content": media},
        "responses": {
            "200": {"description": "ok", "content": media},
            "default": {"description": ""},
        },
    }
    document = {"openapi": "3.1.0", "info": INFO, "paths": {"/a": {"get": get}}}
    document |= {"tags": [{"name": "a"}, {"name": "b"}], "components": {"schemas": {"Page": page}}}
    assert is_sound(loaded(write("x.json", json.dumps(document)))[0])
    size["default"] = 0
    assert not is_sound(loaded(write("y.json", json.dumps(document)))[0])
