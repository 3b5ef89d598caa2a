"""The corners of Swagger 2.0: what has no equal, what is shared, and where things were written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.load import Document, load
from mcpgen.problems import Problem, Problems
from mcpgen.upgrade import upgrade


@pytest.fixture
def upgraded(tmp_path: Path) -> Callable[[str], tuple[Document, list[Problem]]]:
    def act(text: str) -> tuple[Document, list[Problem]]:
        path = tmp_path / "x.yaml"
        path.write_text('swagger: "2.0"\ninfo: {title: T, version: "1"}\n' + text)
        problems = Problems()
        return upgrade(load(path, problems=problems), problems), list(problems)

    return act


@pytest.mark.parametrize(("text", "servers"), [
    ("host: h\n", [{"url": "https://h"}]),
    ("host: h:8080\nbasePath: /\nschemes: [http]\n", [{"url": "http://h:8080"}]),
    ("basePath: /v1/\n", [{"url": "/v1"}]),
    ("host: https://h\nbasePath: v1\n", [{"url": "https://h/v1"}]),
    ("paths: {}\n", None),
])  # fmt: skip
def test_host_base_path_and_schemes_are_servers(upgraded: Any, text: str, servers: Any) -> None:
    assert upgraded(text)[0].root.get("servers") == servers


def test_a_scheme_of_an_operation_is_a_server_below_the_base_path(upgraded: Any) -> None:
    text = "host: http://h/\nbasePath: v1\nschemes: [http]\npaths: {/x: {get: {schemes: [https]}}}"
    operation = upgraded(text)[0].root["paths"]["/x"]["get"]
    assert operation["servers"] == [{"url": "https://h/v1"}]


def test_a_shared_response_answers_in_the_media_types_of_each_operation(upgraded: Any) -> None:
    document = upgraded("""
produces: [application/json]
responses: {r: {description: d, schema: {type: string}}}
paths:
  /a:
    get: {responses: {200: {$ref: '#/responses/r'}}}
    put: {responses: {200: {$ref: '#/responses/r'}}, produces: [text/plain]}
""")[0]
    get = document.deref(document.root["paths"]["/a"]["get"]["responses"]["200"], "")[0]
    put = document.deref(document.root["paths"]["/a"]["put"]["responses"]["200"], "")[0]
    assert (list(get["content"]), list(put["content"])) == (["application/json"], ["text/plain"])


def test_a_shared_body_takes_the_media_types_of_each_operation(upgraded: Any) -> None:
    operations = upgraded("""
consumes: [application/json]
parameters: {b: {name: b, in: body, schema: {type: object}}}
paths:
  /a:
    post: {parameters: [{$ref: '#/parameters/b'}]}
    put: {parameters: [{$ref: '#/parameters/b'}], consumes: [application/xml, text/json]}
""")[0].root["paths"]["/a"]
    assert list(operations["post"]["requestBody"]["content"]) == ["application/json"]
    assert list(operations["put"]["requestBody"]["content"]) == ["application/xml", "text/json"]
    assert "parameters" not in operations["put"]


def test_parameters_of_a_path_reach_the_body_unless_overridden(upgraded: Any) -> None:
    item = upgraded("""
paths:
  /a:
    parameters: [{name: f, in: formData, type: string}, {name: q, in: query, type: string}]
    post: {}
    put: {parameters: [{name: f, in: formData, type: integer}]}
""")[0].root["paths"]["/a"]
    assert item["parameters"] == [{"name": "q", "in": "query", "schema": {"type": "string"}}]
    for method, kind in (("post", "string"), ("put", "integer")):
        [form] = item[method]["requestBody"]["content"].items()
        assert form[0] == "application/x-www-form-urlencoded"
        assert form[1]["schema"]["properties"] == {"f": {"type": kind}}


def test_a_file_makes_the_form_multipart(upgraded: Any) -> None:
    post = "consumes: [application/json], parameters: [{name: f, in: formData, type: file}]"
    root = upgraded(f"paths: {{/a: {{post: {{{post}}}}}}}\n")[0].root
    assert list(root["paths"]["/a"]["post"]["requestBody"]["content"]) == ["multipart/form-data"]


def test_examples_follow_their_media_type(upgraded: Any) -> None:
    response = "{schema: {type: string}, examples: {text/csv: 'a,b'}}"
    get = f"produces: [text/csv], responses: {{200: {response}}}"
    root = upgraded(f"paths: {{/a: {{get: {{{get}}}}}}}\n")[0].root
    content = root["paths"]["/a"]["get"]["responses"]["200"]["content"]
    assert content == {"text/csv": {"schema": {"type": "string"}, "example": "a,b"}}


def test_what_cannot_be_said_is_a_warning_with_its_place(upgraded: Any) -> None:
    document, problems = upgraded("""paths:
  /a:
    post:
      parameters:
        - {name: a, in: body, schema: {}}
        - {name: b, in: formData, type: string}
        - name: q
          in: query
          type: array
          items: {type: string}
          collectionFormat: dots
""")
    assert [(problem.code, document.place(problem.pointer).line) for problem in problems] == [
        ("E0310", 13),
        ("E0311", 5),
    ]
    assert list(document.root["paths"]["/a"]["post"]["requestBody"]["content"]) == [
        "application/json"
    ]


def test_everything_is_shown_where_it_was_written(upgraded: Any) -> None:
    document = upgraded("""parameters:
  q: {name: q, in: query, type: string, pattern: x}
definitions:
  D: {type: object}
responses:
  R: {description: d, schema: {type: integer}}
securityDefinitions:
  S: {type: basic}
paths:
  /a:
    post:
      parameters:
        - name: body
          in: body
          schema: {type: number}
        - {name: h, in: header, type: string}
      responses:
        200: {description: d, schema: {type: boolean}}
  /b:
    post:
      parameters:
        - {name: f, in: formData, type: string}
""")[0]
    lines = {
        "/components/parameters/q/schema/pattern": 4,
        "/components/schemas/D/type": 6,
        "/components/responses/R/content/application~1json/schema/type": 8,
        "/components/securitySchemes/S/scheme": 10,
        "/paths/~1a/post/requestBody/content/application~1json/schema/type": 17,
        "/paths/~1a/post/parameters/0/schema/type": 18,
        "/paths/~1a/post/responses/200/content/application~1json/schema/type": 20,
        "/paths/~1b/post/requestBody/content/application~1x-www-form-urlencoded/schema/properties/f/type": (
            24
        ),
    }
    assert {pointer: document.place(pointer).line for pointer in lines} == lines


def test_the_order_of_keys_does_not_matter(upgraded: Any) -> None:
    text = """
definitions: {D: {type: object, properties: {a: {type: string, x-nullable: true, example: b}}}}
paths:
  /a:
    post:
      parameters: [{name: b, in: body, schema: {$ref: '#/definitions/D'}}]
      responses: {200: {schema: {type: file}}}
"""
    tree = yaml.safe_load(text)

    def turned(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: turned(node[key]) for key in reversed(node)}
        return [turned(item) for item in node] if isinstance(node, list) else node

    assert upgraded(text)[0].root == upgraded(yaml.safe_dump(turned(tree), sort_keys=False))[0].root


def test_other_files_of_a_swagger_document_are_converted_too(tmp_path: Path) -> None:
    (tmp_path / "path.yaml").write_text(
        "get:\n  parameters: [{$ref: 'parameter.yaml'}]\n"
        "  responses: {200: {description: d, schema: {$ref: 'pet.yaml'}}}\n"
    )
    (tmp_path / "parameter.yaml").write_text(
        "name: q\nin: query\ntype: array\nitems: {type: string}\n"
    )
    (tmp_path / "pet.yaml").write_text("type: object\nx-nullable: true\n")
    (tmp_path / "x.yaml").write_text('swagger: "2.0"\ninfo: {}\npaths: {/a: {$ref: path.yaml}}\n')
    problems = Problems()
    document = upgrade(load(tmp_path / "x.yaml", problems=problems), problems)
    get = document.deref(document.root["paths"]["/a"], "")[0]["get"]
    assert document.deref(get["parameters"][0], "")[0]["schema"] == {
        "type": "array",
        "items": {"type": "string"},
    }
    schema = get["responses"]["200"]["content"]["application/json"]["schema"]
    assert document.deref(schema, "")[0]["type"] == ["object", "null"]
