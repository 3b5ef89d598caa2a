"""The official schema is compared: what is wrong has its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.lint.hidden_text import report_hidden
from mcpgen.lint.structure import check
from mcpgen.lint.validation import Validation
from mcpgen.problems import Problems
from mcpgen.runtime.pointer import child, split

from .conftest import Write, loaded

BAD = """\
openapi: 3.0.3
info: {title: 3}
paths:
  /a/{b}:
    get:
      parameters:
        - {name: q, in: Query, schema: {type: int}}
      respones: {}
  c: {}
"""


def checked(document: Any) -> Problems:
    """Everything that is found in a document."""
    problems = Problems()
    check(document, problems)
    return problems


def test_what_the_official_schema_does_not_allow_is_found_with_its_place(write: Write) -> None:
    document = loaded(write("x.yaml", BAD))[0]
    problems = checked(document)
    found = {(document.place(problem.pointer).line, problem.message) for problem in problems}
    assert found >= {
        (2, "`title` must be text, not a number"), (2, "`version` is missing"),
        (8, "unexpected key `respones`"), (9, "unexpected key `c`"),
    }  # fmt: skip
    assert {problem.severity for problem in problems} == {"warning"}
    strict = Problems()
    check(document, strict, severity="error")
    assert strict.has_errors


@pytest.mark.parametrize(("text", "messages"), [
    ('swagger: "2.0"\ninfo: {title: T, version: "1"}\npaths: {/a: {get: {responses: {}}}}\n',
     ["`responses` must not be empty"]),
    ('openapi: 3.0.3\ninfo: {title: A, version: "1"}\npaths: {}\ncomponents: {schemas: {a:'
     ' {maximum: "50", minimum: "0", additionalProperties: "no"}}}\n',
     ["`additionalProperties` must be an object or true or false, not text",
      "`maximum` must be a number, not text", "`minimum` must be a number, not text"]),
], ids=["wrong in two ways", "several faults of one object"])  # fmt: skip
def test_every_fault_is_told_once(write: Write, text: str, messages: list[str]) -> None:
    problems = checked(loaded(write("x.yaml", text))[0])
    assert sorted(problem.message for problem in problems) == messages


def test_a_valid_document_of_each_version_has_no_findings(write: Write) -> None:
    for version in ("3.0.3", "3.1.0", "3.2.0"):
        text = f"openapi: {version}\ninfo: {{title: T, version: '1'}}\npaths: {{}}\n"
        assert list(checked(loaded(write("x.yaml", text))[0])) == []


def test_an_operation_in_another_file_is_one_finding_at_its_reference(write: Write) -> None:
    write("get.yaml", "operationId: a\nresponses: {default: {description: ok}}\n")
    text = 'openapi: 3.0.3\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    get:\n      '
    [problem] = checked(loaded(write("x.yaml", f"{text}$ref: get.yaml\n"))[0])
    assert problem.message == "`$ref` may not stand here" and problem.place is not None
    assert (Path(problem.place.file).name, problem.place.line) == ("x.yaml", 6)


def test_a_reference_to_nothing_or_recursion_does_not_end_the_run(write: Write) -> None:
    schemas = {
        "A": {"allOf": [{"$ref": "#/components/schemas/A"}]},
        "B": {"$ref": "#/components/schemas/None"},
    }
    root = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {},
        "components": {"schemas": schemas},
    }
    problems = checked(loaded(write("x.json", json.dumps(root)))[0])
    assert {problem.code for problem in problems} <= {"E0304"}


@pytest.mark.parametrize(("text", "hides"), [
    (r'{"a": "\\b"}', False), (r'{"a": "\b"}', True), (r'{"a": "\u200b"}', True),
    (r'{"a": "\u00e4 \ud83d\ude00"}', False), (r'{"a": "\udb40\udc41"}', True),
    (r'{"a": "\\u200b"}', False), (r'a: "\x85"', True),
])  # fmt: skip
def test_an_escaped_character_that_nobody_sees_is_reported(
    text: str, hides: bool, write: Write
) -> None:
    root = text.replace("a:", "openapi: 3.1.0\na:")
    if text.startswith("{"):
        root = text.replace("{", '{"openapi": "3.1.0", ', 1)
    problems = Problems()
    report_hidden(loaded(write("x.yaml", root))[0], problems)
    assert bool(len(problems)) is hides


PARTS_OF_A_KIND = """\
openapi: {version}
info: {{title: A, version: "1"}}
paths:
  /a/{{x}}:
    get:
      parameters:
        - {{name: q, in: query, style: matrix, schema: {{type: string}}}}
        - {{name: x, in: path, schema: {{type: string}}}}
        - {{name: y, in: querry, schema: {{type: string}}}}
      responses: {{"200": {{description: OK}}}}
components:
  securitySchemes:
    key: {{type: apiKey, name: k}}
    token: {{type: http}}
    login: {{type: oauth2, flows: {{password: {{tokenUrl: "https://example.com"}}}}}}
"""


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_of_alternatives_the_one_that_was_meant_is_told(version: str, write: Write) -> None:
    problems = Problems()
    check(loaded(write("a.yaml", PARTS_OF_A_KIND.format(version=version)))[0], problems)
    query, path, unknown, *others = [
        f"{problem.pointer.rpartition('/')[2]}: {problem.message}" for problem in problems
    ]
    assert query.startswith('style: `"matrix"` is not one of `form`, ')
    assert path == "1: `required` is missing"
    assert all(f"`{place}`" in unknown for place in ("path", "query", "header", "cookie"))
    assert sorted(others) == [
        "key: `in` is missing",
        "password: `scopes` is missing",
        "token: `scheme` is missing",
    ]


def test_a_fault_of_one_object_hides_no_key_of_another(write: Write) -> None:
    """In 3.1 keys are unexpected also where what knows them failed: in the same object alone."""
    parameters = [
        {"name": "q", "in": "query", "schema": {}, "foo": 1},
        {"name": "r", "in": "query", "schema": {}, "style": "matrix"},
    ]
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"parameters": parameters}},
    }
    pointers = [
        problem.pointer for problem in checked(loaded(write("x.json", json.dumps(document)))[0])
    ]
    assert pointers == ["/paths/~1a/parameters/0/foo", "/paths/~1a/parameters/1/style"]


ANSWER = "/paths/~1books~1{id}/get/responses/200/content/application~1json"
# The version, what is changed, to what, and the code of the finding with its place below that.
FAULTS = [
    ("3.1.0", "/components/securitySchemes/key/type", "apikey", "E0702"),
    ("3.1.0", "/components/securitySchemes/key/type", {}, "E0702"),
    ("3.2.0", "/components/securitySchemes/key/in", "hedaer", "E0703"),
    ("3.2.0", "/components/securitySchemes/key/type", 5, "E0702"),
    ("3.0.3", "/components/securitySchemes/key/in", 5, "E0703"),
    ("3.0.3", "/paths/~1books~1{id}/parameters/0/name", "ident", "E0408"),
    ("3.1.0", "/paths/~1books~1{id}/parameters/0/name", ["id"], "E0405"),
    ("3.2.0", "/paths/~1books~1{id}/parameters/0/in", "pat", "E0406"),
    ("3.1.0", "/paths/~1books~1{id}/parameters/0/schema/maxLength", "many", "E0503"),
    ("3.0.3", "/paths/~1books~1{id}/parameters/0/schema/maxLength", -1, "E0503"),
    ("3.1.0", "/paths/~1books~1{id}/parameters/0/schema/enum", "red", "E0304"),
    ("3.0.3", "/paths/~1books~1{id}/parameters/0/schema/enum", [], "E0304"),
    ("3.0.3", f"{ANSWER}/example", {"id": 1, "name": "A"}, None),
    ("3.0.3", "/paths/~1books~1{id}/parameters/0/schema/nullable", True, None),
    ("3.1.0", "/paths/~1books~1{id}/get/security", [{"nowhere": []}], "E0701 /0/nowhere"),
    (
        "3.2.0",
        "/paths/~1books~1{id}/get/security",
        [{"#/components/securitySchemes/nowhere": []}],
        "E0701 /0/#~1components~1securitySchemes~1nowhere",
    ),
    ("3.0.3", "/tags", [{"name": "a"}, {"name": "a"}], "E0304 /1"),
    ("3.1.0", "/components/schemas/Book/properties/id/default", "x", "E0304"),
    (
        "3.1.0",
        "/paths/~1books~1{id}/get/parameters",
        [{"name": "a", "in": "query", "schema": {}}] * 2,
        "E0304 /1",
    ),
    ("3.1.0", "/paths/~1shelves", {"get": {"operationId": "getBook"}}, "E0602 /get/operationId"),
    ("3.0.3", "/info", {"title": "Books"}, "E0304"),
    ("3.0.3", "/paths/books", {"get": {"responses": {"200": {"description": "ok"}}}}, "E0402"),
    ("3.1.0", "/paths/~1books~1{id}/get/responses", {}, "E0304"),
    ("3.1.0", "/paths/~1books~1{id}/get/parameters", [{"$ref": "#/nowhere"}], "E0203 /0/$ref"),
    ("3.1.0", "/paths/~1books~1{id}/get/responses/200/unknown", 1, "E0304"),
    ("3.0.3", "/paths/~1books~1{id}/get/responses/404/unknown", 1, None),
]


@pytest.mark.parametrize(("version", "at", "value", "finding"), FAULTS)
def test_one_fault_is_one_finding_at_its_key(
    write: Write, version: str, at: str, value: Any, finding: str | None
) -> None:
    schema = {"type": "string", "maxLength": 9, "enum": ["a"], "default": "a"}
    answer = {"schema": {"allOf": [{"$ref": "#/components/schemas/Book"}]}}
    properties = {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "password": {"type": "string", "writeOnly": True},
    }
    book = {"type": "object", "required": ["id", "password"], "properties": properties}
    document = {
        "openapi": version, "info": {"title": "Books", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "security": [{"key": []}],
        "paths": {
            "/books/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": schema}],
                "get": {
                    "operationId": "getBook", "parameters": [],
                    "responses": {
                        "200": {"description": "ok", "content": {"application/json": answer}},
                        "404": {"$ref": "#/components/responses/Gone"},
                    },
                },
            },
        },
        "components": {
            "responses": {"Gone": {"description": "gone"}},
            "examples": {"book": {"value": {"id": 1}}}, "schemas": {"Book": book},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        },
    }  # fmt: skip
    *above, last = split(at)
    holder: Any = document
    for key in above:
        holder = child(holder, key)
    holder[last] = value
    problems = Problems()
    source = str(write("x.json", json.dumps(document)))
    config = Config(sources=(source,))
    validation = Validation(None, "warning", files=True)
    read = pipeline.read(config, problems, validate=validation)
    pipeline.understood(read, config, problems)
    code, _, below = (finding or "").partition(" ")
    found = [(problem.code, read.written(problem.pointer)) for problem in problems]
    assert found == [(code, f"{at}{below}")] * bool(finding), list(problems)
