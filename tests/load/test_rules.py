"""Rules of OpenAPI that its schema cannot state are held, by openapi-spec-validator."""

import json
from typing import Any

import pytest

from mcpgen.lint import rules
from mcpgen.lint.rules import check_rules
from mcpgen.problems import Problems

from .conftest import Write, loaded

INFO = {"title": "T", "version": "1"}
ANSWERS = {"200": {"description": "ok"}}


def found(write: Write, document: dict[str, Any]) -> list[tuple[str, str]]:
    """The pointers and messages of what a document breaks."""
    problems = Problems()
    check_rules(loaded(write("x.json", json.dumps({"info": INFO, **document})))[0], problems)
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
