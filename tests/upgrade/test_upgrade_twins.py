"""The same API written in Swagger 2.0, OpenAPI 3.0 and OpenAPI 3.1 gives the same tree."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.load import load
from mcpgen.problems import Problems
from mcpgen.upgrade import upgrade

TWO = """
swagger: "2.0"
info: {title: Books, version: "1"}
host: api.example.com
basePath: /v1
schemes: [http, https]
consumes: [application/json]
produces: [application/json]
tags: [{name: books}]
securityDefinitions:
  key: {type: apiKey, in: header, name: X-Key}
  user: {type: basic}
  code: {type: oauth2, flow: accessCode, authorizationUrl: "https://a/a", tokenUrl: "https://a/t", scopes: {r: read}}
  app: {type: oauth2, flow: application, tokenUrl: "https://a/t", scopes: {}}
security: [{key: []}]
parameters:
  limit: {name: limit, in: query, type: integer, maximum: 9, exclusiveMaximum: true}
responses:
  missing: {description: none here, schema: {$ref: "#/definitions/Error"}}
paths:
  /books:
    parameters: [{$ref: "#/parameters/limit"}]
    get:
      operationId: listBooks
      parameters:
        - {name: ids, in: query, type: array, items: {type: integer}}
        - {name: tags, in: query, type: array, items: {type: string}, collectionFormat: multi}
        - {name: by, in: query, type: array, items: {type: string}, collectionFormat: pipes}
        - {name: of, in: query, type: array, items: {type: string}, collectionFormat: ssv}
        - {name: X-Trace, in: header, type: string, required: true, description: t}
      responses:
        "200":
          description: fine
          schema: {type: array, items: {$ref: "#/definitions/Book"}}
          headers: {X-Rate: {type: integer, description: left}}
        "404": {$ref: "#/responses/missing"}
    post:
      operationId: addBook
      parameters: [{name: book, in: body, required: true, description: the book, schema: {$ref: "#/definitions/Book"}}]
      responses: {"204": {description: done}}
  /books/{id}/cover:
    put:
      operationId: setCover
      consumes: [multipart/form-data]
      parameters:
        - {name: id, in: path, required: true, type: string, x-nullable: false}
        - {name: file, in: formData, type: file, required: true, description: the picture}
        - {name: words, in: formData, type: array, items: {type: string}, collectionFormat: multi}
      responses: {"200": {description: fine, schema: {type: file}}}
      produces: [image/png]
    patch:
      operationId: editCover
      consumes: [application/x-www-form-urlencoded]
      parameters:
        - {name: id, in: path, required: true, type: string}
        - {name: alt, in: formData, type: string, minLength: 1}
      responses: {default: {description: fine}}
definitions:
  Error: {type: object, properties: {message: {type: string}}}
  Book:
    type: object
    required: [title]
    discriminator: kind
    properties:
      title: {type: string, example: Emma}
      kind: {type: string}
      price: {type: number, minimum: 0, exclusiveMinimum: true, x-nullable: true}
      size: {type: string, enum: [s, l], x-nullable: true}
      nullable: {type: boolean}
"""

THREE = """
openapi: 3.0.3
info: {title: Books, version: "1"}
servers: [{url: "https://api.example.com/v1"}, {url: "http://api.example.com/v1"}]
tags: [{name: books}]
security: [{key: []}]
paths:
  /books:
    parameters: [{$ref: "#/components/parameters/limit"}]
    get:
      operationId: listBooks
      parameters:
        - {name: ids, in: query, style: form, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: tags, in: query, style: form, explode: true, schema: {type: array, items: {type: string}}}
        - {name: by, in: query, style: pipeDelimited, explode: false, schema: {type: array, items: {type: string}}}
        - {name: of, in: query, style: spaceDelimited, explode: false, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, required: true, description: t, schema: {type: string}}
      responses:
        "200":
          description: fine
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Book"}}}}
          headers: {X-Rate: {description: left, schema: {type: integer}}}
        "404": {$ref: "#/components/responses/missing"}
    post:
      operationId: addBook
      requestBody:
        required: true
        description: the book
        content: {application/json: {schema: {$ref: "#/components/schemas/Book"}}}
      responses: {"204": {description: done}}
  /books/{id}/cover:
    put:
      operationId: setCover
      parameters: [{name: id, in: path, required: true, schema: {type: string, nullable: false}}]
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [file]
              properties:
                file: {type: string, format: binary, description: the picture}
                words: {type: array, items: {type: string}}
      responses:
        "200": {description: fine, content: {image/png: {schema: {type: string, format: binary}}}}
    patch:
      operationId: editCover
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {alt: {type: string, minLength: 1}}}
      responses: {default: {description: fine}}
components:
  parameters:
    limit: {name: limit, in: query, schema: {type: integer, maximum: 9, exclusiveMaximum: true}}
  responses:
    missing: {description: none here, content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    user: {type: http, scheme: basic}
    code:
      type: oauth2
      flows: {authorizationCode: {authorizationUrl: "https://a/a", tokenUrl: "https://a/t", scopes: {r: read}}}
    app: {type: oauth2, flows: {clientCredentials: {tokenUrl: "https://a/t", scopes: {}}}}
  schemas:
    Error: {type: object, properties: {message: {type: string}}}
    Book:
      type: object
      required: [title]
      discriminator: {propertyName: kind}
      properties:
        title: {type: string, example: Emma}
        kind: {type: string}
        price: {type: number, minimum: 0, exclusiveMinimum: true, nullable: true}
        size: {type: string, enum: [s, l], nullable: true}
        nullable: {type: boolean}
"""


def modern() -> dict[str, Any]:
    """The 3.0 document by hand as 3.1."""
    root: dict[str, Any] = copy.deepcopy(yaml.safe_load(THREE))
    root["openapi"] = "3.1.1"
    root["components"]["parameters"]["limit"]["schema"] = {"type": "integer", "exclusiveMaximum": 9}
    del root["paths"]["/books/{id}/cover"]["put"]["parameters"][0]["schema"]["nullable"]
    book = root["components"]["schemas"]["Book"]["properties"]
    book["title"] = {"type": "string", "examples": ["Emma"]}
    book["price"] = {"type": ["number", "null"], "exclusiveMinimum": 0}
    book["size"] = {"type": ["string", "null"], "enum": ["s", "l", None]}
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Any:
    def act(text: str) -> dict[str, Any]:
        path = tmp_path / "x.yaml"
        path.write_text(text)
        problems = Problems()
        document = upgrade(load(path, problems=problems), problems)
        assert list(problems) == []
        return document.root

    return act


def test_swagger_2_and_openapi_3_0_give_the_same_tree(tree: Any) -> None:
    assert tree(TWO) == tree(THREE)


def test_openapi_3_0_and_3_1_give_the_same_tree(tree: Any) -> None:
    assert tree(THREE) == tree(yaml.safe_dump(modern(), sort_keys=False))


def test_a_modern_document_stays_as_it_is(tree: Any) -> None:
    assert tree(yaml.safe_dump(modern())) == {**modern(), "openapi": "3.1.0"}


def test_upgrading_twice_changes_nothing(tree: Any) -> None:
    once = tree(TWO)
    assert tree(yaml.safe_dump(once)) == once
