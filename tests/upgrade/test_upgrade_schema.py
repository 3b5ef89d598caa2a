"""Schemas of older drafts and of OpenAPI 3.0 say the same in JSON Schema 2020-12."""

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.load import Document, load
from mcpgen.load.source import Source
from mcpgen.problems import Problems
from mcpgen.upgrade import upgrade

NULL = {"type": "null"}
REF = {"$ref": "#/components/schemas/B"}


@pytest.fixture
def upgraded(tmp_path: Path) -> Any:
    """The schema `A` of a document after `upgrade`, the document, and the codes of what was
    found.
    """

    def act(schema: Any, version: str = "3.0.3") -> tuple[Any, Document, list[str]]:
        root = {
            "openapi": version,
            "info": {},
            "paths": {},
            "components": {"schemas": {"A": schema, "B": {"type": "object"}}},
        }
        path = tmp_path / "x.json"
        path.write_text(json.dumps(root))
        problems = Problems()
        document = upgrade(load(path, problems=problems), problems)
        return (
            document.root["components"]["schemas"]["A"],
            document,
            [problem.code for problem in problems],
        )

    return act


@pytest.mark.parametrize(("given", "want"), [
    ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ({"type": "string", "nullable": False}, {"type": "string"}),
    ({"type": "string", "nullable": "yes"}, {"type": "string"}),
    ({"type": "string", "enum": ["a"], "nullable": True},
     {"type": ["string", "null"], "enum": ["a", None]}),
    ({"type": "string", "enum": ["a", None], "nullable": True},
     {"type": ["string", "null"], "enum": ["a", None]}),
    ({"nullable": True}, {}), ({"nullable": True, **REF}, {"anyOf": [REF, NULL]}),
    ({"nullable": True, "allOf": [REF], "description": "d", "x-y": 1},
     {"description": "d", "x-y": 1, "anyOf": [{"allOf": [REF]}, NULL]}),
    ({"nullable": True, "anyOf": [REF]}, {"anyOf": [REF, NULL]}),
    ({"nullable": True, "oneOf": [REF, {"type": "string", "nullable": True}]},
     {"oneOf": [REF, {"type": ["string", "null"]}]}),
    ({"type": "array", "items": {"nullable": True, **REF}},
     {"type": "array", "items": {"anyOf": [REF, NULL]}}),
    ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
    ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
    ({"exclusiveMaximum": "5", "minLength": "3"}, {"exclusiveMaximum": 5, "minLength": 3}),
    ({"type": "number", "multipleOf": 0}, {"type": "number"}),
    ({"type": "string", "minLength": -1, "maxLength": True}, {"type": "string"}),
    ({"type": "array", "minItems": 1.5, "maxItems": None}, {"type": "array"}),
    ({"exclusiveMaximum": True}, {}), ({"exclusiveMinimum": 5}, {"exclusiveMinimum": 5}),
    ({"example": {"nullable": True}}, {"examples": [{"nullable": True}]}),
    ({"example": 1, "examples": [2]}, {"examples": [2]}),
    ({"properties": {"nullable": {"type": "string"}}},
     {"properties": {"nullable": {"type": "string"}}}),
    ({"properties": {"example": {"example": 1}}}, {"properties": {"example": {"examples": [1]}}}),
    ({"default": {"nullable": True, "type": "x"}}, {"default": {"nullable": True, "type": "x"}}),
    ({"enum": [{"example": 1}], "const": {"id": "x"}},
     {"enum": [{"example": 1}], "const": {"id": "x"}}),
    ({"x-schema": {"nullable": True, "type": "string"}},
     {"x-schema": {"nullable": True, "type": "string"}}),
    (
        {
            "items": [{"type": "string"}, {"nullable": True, "type": "integer"}],
            "additionalItems": False,
        },
        {"prefixItems": [{"type": "string"}, {"type": ["integer", "null"]}], "items": False},
    ),
    ({"items": {}, "additionalItems": {}}, {"items": {}}),
    ({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
     {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}}),
    ({"id": "urn:x"}, {"$id": "urn:x"}),
    ({"properties": {"id": {"id": 5}}}, {"properties": {"id": {"id": 5}}}),
    ({"type": "file"}, {"type": "string", "format": "binary"}),
    ({"type": "STRING"}, {"type": "string"}), ({"type": "int"}, {"type": "integer"}),
    ({"type": ["uuid", "null"]}, {"type": ["string", "null"]}),
    ({"type": "strin"}, {"type": "strin"}),
    ({"$recursiveRef": "#"}, {"$ref": "#/components/schemas/A"}),
    ({"discriminator": "kind"}, {"discriminator": {"propertyName": "kind"}}),
])  # fmt: skip
def test_a_keyword_becomes_its_modern_form(upgraded: Any, given: Any, want: Any) -> None:
    assert upgraded(given)[0] == want


def test_definitions_move_and_references_into_them_follow(upgraded: Any) -> None:
    schema, document, _ = upgraded(
        {
            "definitions": {"in/ner": {"type": "string", "nullable": True}},
            "properties": {"a": {"$ref": "#/components/schemas/A/definitions/in~1ner"}},
            "discriminator": {
                "propertyName": "a",
                "mapping": {"x": "#/components/schemas/A/definitions/in~1ner"},
            },
        }
    )
    assert schema["$defs"] == {"in/ner": {"type": ["string", "null"]}}
    assert document.resolve(schema["properties"]["a"]["$ref"])[0] == {"type": ["string", "null"]}
    assert schema["discriminator"]["mapping"]["x"] == "#/components/schemas/A/$defs/in~1ner"


def test_required_on_a_property_is_the_objects(upgraded: Any) -> None:
    schema, _, codes = upgraded(yaml.safe_load("""
            properties: {a: {required: true}, b: {required: false}, required: {type: string}}
        """))
    assert schema == {
        "properties": {"a": {}, "b": {}, "required": {"type": "string"}},
        "required": ["a"],
    }
    assert codes == ["E0322", "E0322"]


def test_keywords_beside_a_reference_count_from_3_1_on(upgraded: Any) -> None:
    given = {**REF, "minProperties": 1, "readOnly": True, "description": "d"}
    schema, _, codes = upgraded(dict(given))
    assert schema == {**REF, "description": "d"} and codes == ["E0320"]
    schema, _, codes = upgraded(dict(given), "3.1.0")
    assert schema == given and codes == []


def test_nullable_in_3_1_is_read_as_meant_with_a_note(upgraded: Any) -> None:
    schema, _, codes = upgraded({"type": "string", "nullable": True}, "3.1.0")
    assert schema == {"type": ["string", "null"]} and codes == ["E0321"]


def test_moved_nodes_are_shown_where_they_were_written(upgraded: Any) -> None:
    _, document, _ = upgraded(
        {"nullable": True, "allOf": [REF, {"items": [{"type": "string"}]}], "example": 1}
    )
    above = "/components/schemas/A"
    assert (
        document.written(f"{above}/anyOf/0/allOf/1/prefixItems/0/type")
        == f"{above}/allOf/1/items/0/type"
    )
    assert document.written(f"{above}/examples/0") == f"{above}/example"


ODD: list[Any] = [
    None, True, 1, "text", [], [1], {}, {"a": 1}, [[{}]], {"$ref": 5}, {"$ref": "#/"},
    {"$ref": "#"},
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
@pytest.mark.parametrize("version", ["2.0", "3.0.3", "3.1.0"])
def test_anything_may_stand_anywhere(tmp_path: Path, odd: Any, version: str) -> None:
    """Every value of a full document is replaced, one at a time, by something that does not belong
    there.
    """
    full: dict[str, Any] = yaml.safe_load("""
        info: {title: T}
        host: h
        basePath: /b
        schemes: [http]
        consumes: [a/b]
        parameters: {p: {name: p, in: body, schema: {type: array, items: {type: string}}}}
        responses: {r: {schema: {type: file}, headers: {h: {type: string}}, examples: {a/b: 1}}}
        securityDefinitions: {s: {type: oauth2, flow: implicit, scopes: {a: b}}}
        definitions: {D: {properties: {a: {required: true}}, nullable: true, discriminator: a}}
        paths:
          /a:
            parameters: [{name: f, in: formData, type: array, collectionFormat: tsv}]
            get:
              parameters: [{name: q, in: query, type: array, items: {collectionFormat: csv}}]
              requestBody: {content: {a/b: {schema: {items: [{}]}, encoding: {a: {headers: {}}}}}}
              responses: {'200': {content: {a/b: {schema: {allOf: [{type: string}]}}}}}
              callbacks: {c: {'{$url}': {post: {}}}}
        components: {schemas: {S: {dependencies: {a: [b]}, definitions: {d: {}}, enum: [1]}}}
        x-ms-paths: {'/a?b': {get: {}}}
        x-webhooks: {w: {post: {}}}
    """)
    spots: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
            spots.append((node, key))
            if isinstance(value, (dict, list)):
                collect(value)

    collect(full)
    path = tmp_path / "x.json"
    key = "swagger" if version == "2.0" else "openapi"
    for node, member in spots:
        before = node[member]
        node[member] = odd
        path.write_text(json.dumps({key: version, **full}))
        node[member] = before
        problems = Problems()
        document = upgrade(load(path, problems=problems), problems)
        for problem in problems:
            assert document.place(problem.pointer).line == 1


@pytest.mark.parametrize(("version", "keeps"), [("3.0.4", False), ("3.1.1", True)])
@pytest.mark.parametrize("media_type", ["multipart/form-data", "Multipart/Mixed"])
def test_parts_have_styles_since_openapi_31(
    tmp_path: Path, version: str, keeps: bool, media_type: str
) -> None:
    encoding = {"a": {"style": "form", "explode": False, "contentType": "text/csv"}}
    path = tmp_path / "x.json"
    body = {"content": {media_type: {"encoding": encoding}}}
    path.write_text(json.dumps({"openapi": version, "components": {"requestBodies": {"B": body}}}))
    document = upgrade(load(path, problems=Problems()), Problems())
    content = document.root["components"]["requestBodies"]["B"]["content"]
    assert ("style" in content[media_type]["encoding"]["a"]) == keeps
    assert content[media_type]["encoding"]["a"]["contentType"] == "text/csv"


def test_a_key_beside_a_reference_stays_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(
        "openapi: 3.1.0\ninfo: {}\ncomponents: {pathItems: {a: {get: {}, parameters: [{}]}}}\n"
        "paths: {/a: {$ref: '#/components/pathItems/a', parameters: [{name: x}]}}\n"
    )
    document = upgrade(load(path, problems=Problems()), Problems())
    assert document.written("/paths/~1a/parameters/0") == "/paths/~1a/parameters/0"
    assert document.written("/paths/~1a/get") == "/components/pathItems/a/get"


def test_what_bodies_share_is_walked_once() -> None:
    def events(count: int) -> int:
        shared = {"content": {"text/plain": {"x-shared": {f"x{n}": {} for n in range(500)}}}}
        text = {"schema": {"type": "string", "pattern": "^a$"}, "example": "not a"}
        answer = {"200": {"description": "OK", "content": {"text/plain": text}}}
        bodies = [{"x-own": n, **shared} for n in range(count)]
        paths: dict[str, Any] = {
            f"/x{at}": {"post": {"requestBody": body}} for at, body in enumerate(bodies)
        }
        paths["/y"] = {"get": {"responses": answer}}
        root = {"openapi": "3.1.0", "info": {}, "paths": paths}
        source = Source(name="x", kind="path")
        document = Document(root=root, version="3.1.0", source=source, files={})
        seen: Iterator[int] = itertools.count()
        sys.setprofile(lambda *_: next(seen) and None)
        try:
            upgrade(document, Problems())
        finally:
            sys.setprofile(None)
        return next(seen)

    events(1)
    assert events(40) - events(10) < 30 * 500
