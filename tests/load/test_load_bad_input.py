"""Input that is not malicious and not a document either: each says what is wrong, where, and what
to do.
"""

from __future__ import annotations

import gzip
import json
import os

import pytest

from mcpgen.problems import McpgenError

from .conftest import Write, loaded, refused

HEAD = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"

FORMATS = {
    "markdown.md": ("# My API\n\nSome *text*: with `code`\n\n- [a](b)\n", "a Markdown text"),
    "data.csv": ("name,age,city\nann,3,rome\nbob,4,oslo\n", "a table (CSV)"),
    "postman.json": (
        '{"info": {"_postman_id": "1", "name": "x"}, "item": []}',
        "a Postman collection",
    ),
    "traffic.har": ('{"log": {"version": "1.2", "entries": []}}', "an HTTP archive (HAR)"),
    "soap.wsdl": (
        '<?xml version="1.0"?><wsdl:definitions name="x"></wsdl:definitions>',
        "a WSDL description",
    ),
    "schema.graphql": ("type Query {\n  book(id: ID!): Book\n}\n", "a GraphQL schema"),
    "api.proto": (
        'syntax = "proto3";\npackage x;\nmessage Book { string id = 1; }\n',
        "a protobuf file",
    ),
    "asyncapi.yaml": ("asyncapi: 3.0.0\ninfo: {title: x, version: '1'}\n", "an AsyncAPI document"),
    "arazzo.yaml": ("arazzo: 1.0.0\ninfo: {title: x, version: '1'}\n", "an Arazzo description"),
    "overlay.yaml": ("overlay: 1.0.0\nactions: []\n", "`--overlay`"),
    "books.raml": ("#%RAML 1.0\ntitle: Books\n/books:\n  get:\n", "a RAML document"),
    "polls.apib": ("FORMAT: 1A\nHOST: https://x.example\n\n# Polls\n", "an API Blueprint"),
    "message.apib": (
        "# The API\n\n# GET /message\n+ Response 200\n\n        Hello\n",
        "an API Blueprint",
    ),
    "notes.apib": ("# Notes\n\n## Note [/notes/{id}]\n\n### Read [GET]\n", "an API Blueprint"),
    "drive.json": (
        '{"kind": "discovery#restDescription", "discoveryVersion": "v1", "name": "drive"}',
        "a Google API discovery document",
    ),
    "openrpc.json": ('{"openrpc": "1.2.6", "methods": []}', "an OpenRPC document"),
    "old.json": ('{"swaggerVersion": "1.2", "apis": []}', "a Swagger 1 document"),
    "plugin.json": (
        '{"schema_version": "v2.1", "functions": [{"name": "find", "description": "Find."}],'
        ' "runtimes": []}',
        "the OpenAPI document that its `runtimes` name",
    ),
    "agent.json": (
        '{"version": "v1.5", "instructions": "Find.", "actions": []}',
        "a declarative agent",
    ),
    "manifest.json": (
        '{"manifest_version": "0.3", "server": {}, "tools": [{"name": "a", "description": "A."}]}',
        "a desktop extension (MCPB)",
    ),
    "server.json": (
        '{"name": "io.example/books", "description": "Books.", "version": "1", "remotes": []}',
        "what the server answers to `tools/list`",
    ),
    "servers.json": ('{"servers": [], "metadata": {}}', "servers of the MCP registry"),
    "catalog.yaml": ("version: 3\nname: books\nregistry: {}\n", "a catalogue of MCP servers"),
    "mcp.json": ('{"inputs": [], "servers": {}}', "a client configuration"),
    "started.json": ('{"result": {"serverInfo": {}}}', "an answer to `initialize`"),
    "prompts.json": ('{"result": {"prompts": []}}', "an answer to `prompts/list`"),
    "card.json": ('{"name": "a", "capabilities": {}, "skills": []}', "an A2A agent card"),
    "team.json": ('{"provider": "x", "component_type": "team"}', "an AutoGen component"),
    "flow.json": ('{"name": "a", "nodes": [], "connections": {}}', "an n8n workflow"),
    "app.yaml": ("kind: app\napp: {mode: workflow}\n", "a Dify app"),
    "tool.yaml": ("identity: {}\ndescription: {llm: Find.}\n", "a Dify tool"),
    "feed.xml": ("<?xml version='1.0'?><feed/>", "an XML file"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_another_format_is_named(write: Write, name: str) -> None:
    content, said = FORMATS[name]
    refusal = refused(write(name, content))
    assert said in refusal.text
    assert refusal.exit_code == 1
    assert refusal.codes == ["E0110"]


def test_a_missing_file_suggests_the_nearest_name(write: Write) -> None:
    there = write("petstore.yaml", HEAD)
    refusal = refused(there.with_name("petsore.yaml"))
    assert "no such file" in refusal.text
    assert "did you mean `petstore.yaml`?" in refusal.text
    assert refusal.exit_code == 2


def test_a_directory_lists_the_documents_in_it(write: Write) -> None:
    folder = write("openapi.yaml", HEAD).parent
    refusal = refused(folder)
    assert "is a directory" in refusal.text
    assert "`openapi.yaml`" in refusal.text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_says_which_is_needed(write: Write) -> None:
    path = write("secret.yaml", HEAD)
    path.chmod(0)
    assert "chmod u+r" in refused(path).text


@pytest.mark.parametrize(
    "content", ["", "   \n\n", "# only a comment\n", "---\n", "---\n# nothing\n", "\ufeff"]
)
def test_an_empty_file_says_how_a_document_begins(write: Write, content: str) -> None:
    refusal = refused(write("empty.yaml", content))
    assert "the file is empty" in refusal.text
    assert "openapi: 3.1.0" in refusal.text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"PK\x03\x04\x14\0\0\0", "unpack it first"),
        (gzip.compress(HEAD.encode(), mtime=0), "unpack it first"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"SQLite format 3\0\x10\0", "an SQLite database"),
    ],
)
def test_a_binary_file_is_named(write: Write, content: bytes, said: str) -> None:
    assert said in refused(write("x.yaml", content)).text


@pytest.mark.parametrize(
    "start", ["<!DOCTYPE html>\n<html>", "\n  <html lang='en'><body>", "<script>"]
)
def test_a_page_says_where_the_document_usually_is(write: Write, start: str) -> None:
    refusal = refused(write("openapi.json", start + "Swagger UI</html>"))
    assert "this is an HTML page" in refusal.text
    assert "/openapi.json" in refusal.text
    assert refusal.codes == ["E0109"]


def test_an_open_quote_is_shown_where_it_began(write: Write) -> None:
    refusal = refused(
        write("x.yaml", HEAD + "paths:\n  /a:\n    get:\n      summary: 'open\n      tags: []\n")
    )
    assert refusal.where == (6, 16)
    assert "does not end" in refusal.text


def test_an_open_bracket_is_shown_where_it_began(write: Write) -> None:
    refusal = refused(write("x.yaml", HEAD + "tags: [a, b\npaths: {}\n"))
    assert refusal.where == (3, 7)


def test_cut_off_json_names_the_object_it_ends_in(write: Write) -> None:
    refusal = refused(write("x.json", '{\n  "openapi": "3.1.0",\n  "info": {\n    "title": "x",\n'))
    assert "the JSON ends inside the object opened at 3:11" in refusal.text


def test_tabs_are_counted_and_the_command_to_replace_them_given(write: Write) -> None:
    refusal = refused(write("x.yaml", "openapi: 3.1.0\ninfo:\n\ttitle: T\n\tversion: '1'\n"))
    assert "tab used for indentation" in refusal.text
    assert "2 lines" in refusal.text
    assert refusal.where == (3, 1)


def test_wrong_indentation_shows_both_lines(write: Write) -> None:
    refusal = refused(write("x.yaml", HEAD + "tags:\n  - name: a\n description: b\n"))
    assert refusal.where[0] == 5
    assert "begins at 1:1" in refusal.text or "begins at" in refusal.text


@pytest.mark.parametrize(
    ("name", "content", "first", "second"),
    [
        ("x.json", '{"openapi": "3.1.0",\n "paths": {},\n "paths": {}}', "2:2", "3:2"),
        ("y.json", '{"a": {"b": 1}, "c": [{"b": 2, "\\u0062": 3}]}', "1:24", "1:32"),
        ("x.yaml", "openapi: 3.1.0\npaths: {}\npaths: {}\n", "2:1", "3:1"),
        ("y.yaml", 'a:\n  1: x\n  "1": y\n', "2:3", "3:3"),
    ],
)
def test_a_repeated_key_is_shown_at_both_places(
    write: Write, name: str, content: str, first: str, second: str
) -> None:
    refusal = refused(write(name, content))
    assert f"first at {first} and again at {second}" in refusal.text
    assert "take the second" in refusal.text
    assert refusal.codes == ["E0113"]


@pytest.mark.parametrize(
    ("content", "said", "where"),
    [
        ('{"openapi": "3.1.0",\n "info": {},\n}', "trailing comma", (2, 12)),
        ('{"tags": ["a", ]}', "trailing comma", (1, 14)),
        ('{\n// note\n"openapi": "3.1.0"}', "JSON has no comments", (2, 1)),
        ('// note\n{"openapi": "3.1.0"}', "JSON has no comments", (1, 1)),
        ('\n/* note */ {"openapi": "3.1.0"}', "JSON has no comments", (2, 1)),
        ("{'openapi': '3.1.0'}", "double quotes", (1, 2)),
        ('{"openapi": "3.1.0"} trailing', "more text after the end", (1, 22)),
        ('{"a": "line\nbreak"}', "line break", (1, 12)),
    ],
)
def test_a_slip_in_json_is_named(
    write: Write, content: str, said: str, where: tuple[int, int]
) -> None:
    refusal = refused(write("x.json", content))
    assert said in refusal.text
    assert refusal.where == where


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ((HEAD + "x: é\n").encode("latin-1"), "Latin-1"),
        (HEAD.encode("utf-16-le"), "UTF-16 without a byte order mark"),
        (b"openapi: 3.1.0\nx: \0\n", "byte offset 18"),
        (HEAD.encode() + b"x" * 302 + b"\xff\n", "byte offset"),
    ],
)
def test_another_encoding_is_named_with_the_offset(write: Write, content: bytes, said: str) -> None:
    refusal = refused(write("x.yaml", content))
    assert said in refusal.text
    assert "byte offset" in refusal.text
    assert refusal.codes == ["E0108"]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + HEAD.encode(),
        HEAD.replace("\n", "\r\n").encode(),
        HEAD.encode("utf-16"),
        b"\xef\xbb\xbf"
        + b'{\r\n\t"openapi": "3.1.0",\r\n\t"info": {"title": "T", "version": "1"}}',
    ],
)
def test_marks_line_ends_and_tabs_in_json_are_no_matter(write: Write, content: bytes) -> None:
    document, problems = loaded(write("x", content))
    assert document.root["info"] == {"title": "T", "version": "1"}
    assert problems == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[1, 2]", "a list"),
        ("- a\n- b\n", "a list"),
        ("hello", "text"),
        ("42", "a number"),
        ("true", "true or false"),
    ],
)
def test_a_root_that_is_no_object_is_named(write: Write, content: str, said: str) -> None:
    assert f"the document is {said}, not an object" in refused(write("x.yaml", content)).text


@pytest.mark.parametrize(
    ("root", "said"),
    [
        ('openapi: "4.0.0"', '`openapi: "3.2.0"`'),
        ("openapi: 3.0", "is a number"),
        ("openapi: 3.1", '`openapi: "3.1.1"`'),
        ("openapi: v3", '`openapi: "3.0.3"`'),
        ('openapi: "2.0"', '`swagger: "2.0"`'),
        ('openapi: "3.3.0"', '`openapi: "3.2.0"`'),
        ("openapi: [3]", "a version is text"),
        ("openapi:", "a version is text"),
        ("swagger: 3.0.0", '`openapi: "3.0.0"`'),
        ('swagger: "1.2"', "convert the document"),
    ],
)
def test_an_unknown_version_is_answered_with_the_nearest(
    write: Write, root: str, said: str
) -> None:
    refusal = refused(write("x.yaml", f"info: {{}}\n{root}\npaths: {{}}\n"))
    assert len(refusal.problems) == 1
    assert said in refusal.text
    assert "supported: 2.0, 3.0.x, 3.1.x, 3.2.x" in refusal.text
    assert refusal.where[0] == 2


@pytest.mark.parametrize(
    ("root", "version", "codes"),
    [
        ("swagger: 2.0", "2.0", ["E0303"]),
        ('swagger: "2.0"', "2.0", []),
        ('openapi: "3.1"', "3.1.1", ["E0302"]),
        ("openapi: 3.0.0-rc2", "3.0.0-rc2", []),
        ("openapi: 3.2.0", "3.2.0", []),
    ],
)
def test_an_unmistakable_version_is_taken(
    write: Write, root: str, version: str, codes: list[str]
) -> None:
    document, problems = loaded(write("x.yaml", f"{root}\npaths: {{}}\n"))
    assert document.version == version
    assert [problem.code for problem in problems] == codes


def test_a_misspelt_root_key_is_named(write: Write) -> None:
    assert (
        "`OpenAPI` should be `openapi`"
        in refused(write("x.yaml", "OpenAPI: 3.1.0\npaths: {}\n")).text
    )
    assert (
        "neither `openapi` nor `swagger`" in refused(write("x.yaml", "info: {}\npaths: {}\n")).text
    )


def test_a_document_cut_anywhere_gives_one_clear_error_or_loads(write: Write) -> None:
    paths = {"/a": {"get": {"responses": {"200": {"description": "fine 'quoted' \"text\""}}}}}
    whole = json.dumps(
        {"openapi": "3.1.0", "info": {"title": "Tïtle", "version": "1"}, "paths": paths}, indent=1
    )
    block = (
        HEAD + "paths:\n  /a:\n    get:\n      tags: [a, 'b', \"c\"]\n      summary: >-\n       "
        " folded\n        text\n"
    )
    for text in (whole, block):
        raw = text.encode()
        for end in range(0, len(raw), 3):
            path = write("cut", raw[:end])
            try:
                loaded(path)
            except McpgenError:
                refusal = refused(path)
                assert refusal.exit_code == 1
                assert len(refusal.problems) == 1
                assert not any(
                    ord(character) < 32 and character != "\n" for character in refusal.text
                )


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("title: Books: the shop", "put text that contains `: ` in quotes"),
        ("title: @shop", "put text that begins with this character in quotes"),
        ("title: `shop`", "put text that begins with this character in quotes"),
        ("title: - shop", "put text that begins with `- ` in quotes"),
    ],
)
def test_text_that_needs_quotes_says_so(write: Write, line: str, hint: str) -> None:
    refusal = refused(write("x.yaml", f"openapi: 3.1.0\ninfo:\n  {line}\n  version: '1'\n"))
    assert refusal.codes == ["E0112"]
    assert refusal.where[0] == 3
    assert hint in refusal.text


def test_text_that_begins_like_an_alias_wants_quotes(write: Write) -> None:
    refusal = refused(write("x.yaml", f"{HEAD}host: ***\n"))
    assert "put text that begins with this character in quotes" in refusal.text
    assert "the alias begins at" in refusal.text
