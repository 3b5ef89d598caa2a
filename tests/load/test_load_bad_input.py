"""Input that is not malicious and not a document either: each says what is wrong, where, and what
to do.
"""

import errno
import gzip
import json
import os
import time
from unittest.mock import Mock

import pytest

from mcpgen.load import source
from mcpgen.problems import McpgenError

from .conftest import Write, loaded, refused

HEAD = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"

FORMATS = {
    "markdown.md": ("# My API\n\nSome *text*: with `code`\n\n- [a](b)\n", "a Markdown text"),
    "data.csv": ("name,age,city\nann,3,rome\nbob,4,oslo\n", "a table (CSV)"),
    "postman.json": ('{"info": {"_postman_id": "1", "name": "x"}, "item": []}',
        "a Postman collection"),
    "traffic.har": ('{"log": {"version": "1.2", "entries": []}}', "an HTTP archive (HAR)"),
    "soap.wsdl": ('<?xml version="1.0"?><wsdl:definitions name="x"></wsdl:definitions>',
        "a WSDL description"),
    "schema.graphql": ("type Query {\n  book(id: ID!): Book\n}\n", "a GraphQL schema"),
    "api.proto": ('syntax = "proto3";\npackage x;\nmessage Book { string id = 1; }\n',
        "a protobuf file"),
    "weather.smithy": ('$version: "2.0"\nnamespace example.weather\nservice Weather {\n}\n',
        "a Smithy model"),
    "shapes.smithy": ("namespace example\n\nstructure CityId {\n    id: String\n}\n",
        "give the `.openapi.json` that it writes"),
    "asyncapi.yaml": ("asyncapi: 3.0.0\ninfo: {title: x, version: '1'}\n", "an AsyncAPI document"),
    "arazzo.yaml": ("arazzo: 1.0.0\ninfo: {title: x, version: '1'}\n", "an Arazzo description"),
    "overlay.yaml": ("overlay: 1.0.0\nactions: []\n", "`--overlay`"),
    "books.raml": ("#%RAML 1.0\ntitle: Books\n/books:\n  get:\n", "a RAML document"),
    "polls.apib": ("FORMAT: 1A\nHOST: https://x.example\n\n# Polls\n", "an API Blueprint"),
    "message.apib": ("# The API\n\n# GET /message\n+ Response 200\n\n        Hello\n",
        "an API Blueprint"),
    "notes.apib": ("# Notes\n\n## Note [/notes/{id}]\n\n### Read [GET]\n", "an API Blueprint"),
    "drive.json": (
        '{"kind": "discovery#restDescription", "discoveryVersion": "v1", "name": "drive"}',
        "a Google API discovery document"),
    "openrpc.json": ('{"openrpc": "1.2.6", "methods": []}', "an OpenRPC document"),
    "old.json": ('{"swaggerVersion": "1.2", "apis": []}', "a Swagger 1 document"),
    "plugin.json": (
        '{"schema_version": "v2.1", "functions": [{"name": "find", "description": "Find."}],'
        ' "runtimes": []}',
        "the OpenAPI document that its `runtimes` name",
    ),
    "agent.json": ('{"version": "v1.5", "instructions": "Find.", "actions": []}',
        "a declarative agent"),
    "manifest.json": (
        '{"manifest_version": "0.3", "server": {}, "tools": [{"name": "a", "description": "A."}]}',
        "a desktop extension (MCPB)"),
    "server.json": (
        '{"name": "io.example/books", "description": "Books.", "version": "1", "remotes": []}',
        "what the server answers to `tools/list`"),
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
    # Without an ending that says so
    "wsdl": ('<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>', "a WSDL description"),
    "har": ('{"log": {"entries": []}}', "an HTTP archive (HAR)"),
    "graphql": ("type Query {\n  a: Int\n}\n", "a GraphQL schema"),
    "proto": ('syntax = "proto3";\n', "a protobuf file"),
    "apib": ("FORMAT: 1A\n# API\n", "an API Blueprint"),
    "feed.xml": ("<?xml version='1.0'?><feed/>", "an XML file"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_another_format_is_named(write: Write, name: str) -> None:
    content, said = FORMATS[name]
    refusal = refused(write(name, content))
    assert said in refusal.text and refusal.exit_code == 1 and refusal.codes == ["E0110"]


@pytest.mark.parametrize("text", [
    "," * 2_000 + "x\n}\n", ("," * 60 + "x\n") * 40 + "}", " " * 4_000 + "}", "\n" * 4_000 + "}",
    "# " * 2_000 + "}", "#" * 4_000 + "}", "type " * 800 + "}", "message a\n" * 400 + "}",
])  # fmt: skip
def test_a_text_of_no_format_is_looked_at_in_linear_time(write: Write, text: str) -> None:
    started = time.process_time()
    assert refused(write("odd.yaml", text)).exit_code == 1
    assert time.process_time() - started < 2


def test_a_missing_file_suggests_the_nearest_name(write: Write) -> None:
    refusal = refused(write("petstore.yaml", HEAD).with_name("petsore.yaml"))
    assert "no such file" in refusal.text and "did you mean `petstore.yaml`?" in refusal.text
    assert refusal.exit_code == 2 and "did you mean" not in refused("nowhere").text
    assert "give the file itself: `/a/x.yaml`" in refused("file:///a/x.yaml").text


def test_a_directory_lists_the_documents_in_it(write: Write) -> None:
    refusal = refused(write("openapi.yaml", HEAD).parent)
    assert "is a directory" in refusal.text and "`openapi.yaml`" in refusal.text


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
    assert "the file is empty" in refusal.text and "openapi: 3.1.0" in refusal.text


@pytest.mark.parametrize(("content", "said"), [
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"), (b"PK\x03\x04\x14\0\0\0", "unpack it first"),
    (gzip.compress(HEAD.encode(), mtime=0), "unpack it first"),
    (b"%PDF-1.7\n", "a PDF"), (b"SQLite format 3\0\x10\0", "an SQLite database"),
])  # fmt: skip
def test_a_binary_file_is_named(write: Write, content: bytes, said: str) -> None:
    assert said in refused(write("x.yaml", content)).text


@pytest.mark.parametrize(
    "start", ["<!DOCTYPE html>\n<html>", "\n  <html lang='en'><body>", "<script>"]
)
def test_a_page_says_where_the_document_usually_is(write: Write, start: str) -> None:
    refusal = refused(write("openapi.json", start + "Swagger UI</html>"))
    assert "this is an HTML page" in refusal.text and "/openapi.json" in refusal.text
    assert refusal.codes == ["E0109"]


INFO = "openapi: 3.1.0\ninfo:\n  {}\n  version: '1'\n"
QUOTES = "put text that begins with this character in quotes"


@pytest.mark.parametrize(("name", "content", "line", "column", "said"), [
    ("x.yaml", HEAD + "paths:\n  /a:\n    get:\n      summary: 'open\n      tags: []\n", 6, 16,
     ["does not end"]),
    ("x.yaml", HEAD + "tags: [a, b\npaths: {}\n", 3, 7, []),
    ("x.json", '{\n  "openapi": "3.1.0",\n  "info": {\n    "title": "x",\n', 0, 0,
     ["the JSON ends inside the object opened at 3:11"]),
    ("x.yaml", "openapi: 3.1.0\ninfo:\n\ttitle: T\n\tversion: '1'\n", 3, 1,
     ["tab used for indentation", "2 lines"]),
    ("x.yaml", HEAD + "tags:\n  - name: a\n description: b\n", 5, 0, ["begins at"]),
    ("x.json", '{"openapi": "3.1.0",\n "info": {},\n}', 2, 12, ["trailing comma"]),
    ("x.json", '{"tags": ["a", ]}', 1, 14, ["trailing comma"]),
    ("x.json", '{\n// note\n"openapi": "3.1.0"}', 2, 1, ["JSON has no comments"]),
    ("x.json", '// note\n{"openapi": "3.1.0"}', 1, 1, ["JSON has no comments"]),
    ("x.json", '\n/* note */ {"openapi": "3.1.0"}', 2, 1, ["JSON has no comments"]),
    ("x.json", "{'openapi': '3.1.0'}", 1, 2, ["double quotes"]),
    ("x.json", '{"openapi": "3.1.0"} trailing', 1, 22, ["more text after the end"]),
    ("x.json", '{"a": "line\nbreak"}', 1, 12, ["line break"]),
    ("x.yaml", INFO.format("title: Books: the shop"), 3, 0,
     ["E0112", "put text that contains `: ` in quotes"]),
    ("x.yaml", INFO.format("title: @shop"), 3, 0, ["E0112", QUOTES]),
    ("x.yaml", INFO.format("title: `shop`"), 3, 0, ["E0112", QUOTES]),
    ("x.yaml", INFO.format("title: - shop"), 3, 0,
     ["E0112", "put text that begins with `- ` in quotes"]),
    ("x.yaml", f"{HEAD}host: ***\n", 0, 0, [QUOTES, "the alias begins at"]),
    *((name, content, 0, 0, [f"first at {first} and again at {second}", "take the second", "E0113"])
      for name, content, first, second in (
        ("x.json", '{"openapi": "3.1.0",\n "paths": {},\n "paths": {"/": 1}}', "2:2", "3:2"),
        ("y.json", '{"a": {"b": 1}, "c": [{"b": 2, "\\u0062": 3}]}', "1:24", "1:32"),
        ("x.yaml", "openapi: 3.1.0\npaths: {}\npaths: []\n", "2:1", "3:1"),
        ("z.json", '{"a": 1, "a": 1, "b": 1,\n "b": true}', "1:18", "2:2"),
        ("s.json", '{"\\ud800": 1, "\\ud801": 2}', "1:2", "1:15"),
        ("s.json", '{"b": {"\ufffd": 1, "\\udfff": 2}}', "1:8", "1:16"),
        ("y.yaml", 'a:\n  1: x\n  "1": y\n', "2:3", "3:3"),
    )),
])  # fmt: skip
def test_a_slip_is_named_and_shown_where_it_is(
    write: Write, name: str, content: str, line: int, column: int, said: list[str]
) -> None:
    refusal = refused(write(name, content))
    assert [part for part in said if part not in refusal.text] == []
    assert refusal.where == (line or refusal.where[0], column or refusal.where[1])


@pytest.mark.parametrize(("content", "at", "said"), [
    ((HEAD + "x: é\n").encode("latin-1"), (3, 4), "iconv -f LATIN1 -t UTF-8"),
    (HEAD.encode("utf-16-le"), (1, 2), "UTF-16LE"), (HEAD.encode("utf-16-be"), (1, 1), "UTF-16BE"),
    (b"openapi: 3.1.0\nx: \0\n", (2, 4), "byte offset 18"),
    (b"\xef\xbb\xbfx: \0\n", (1, 4), "byte offset 6"),
    (b"\xef\xbb\xbfx: \xff\n", (1, 4), "byte offset 6"),
    (HEAD.encode() + b"x" * 302 + b"\xff\n", (3, 303), "byte offset"),
    ("é".encode() + b"\xe9", (1, 2), "help: save the file as UTF-8"),
    (b"x" * 5_000 + b"\0", (1, 5_001), "help: remove it"),
    (b"\xff\xfea\0\n\0\0\0", (2, 1), "byte offset 6"),
    (b"\xff\xfea\0\0\0", (1, 2), "a NUL character at byte offset 4\n"),
    (b"\xff\xfea\0\0\0", (1, 2), "help: remove it"),
    (b"\xff\xfe\0\0a\0\0\0\0\0\0\0", (1, 2), "byte offset 8"),
    (b"\xfe\xff\0a\0", (1, 2), "not UTF-16: an invalid byte at byte offset 4"),
    (b"\xfe\xff\0a\xd8\0\0a", (1, 2), "help: save the file as UTF-8"),
])  # fmt: skip
def test_another_encoding_is_named_with_the_offset(
    write: Write, content: bytes, at: tuple[int, int], said: str
) -> None:
    refusal = refused(write("x.yaml", content))
    assert said in refusal.text and "byte offset" in refusal.text and refusal.codes == ["E0108"]
    assert refusal.where == at


@pytest.mark.parametrize("content", [
    b"\xef\xbb\xbf" + HEAD.encode(), HEAD.replace("\n", "\r\n").encode(), HEAD.encode("utf-16"),
    b"\xef\xbb\xbf" + b'{\r\n\t"openapi": "3.1.0",\r\n\t"info": {"title": "T", "version": "1"}}',
])  # fmt: skip
def test_marks_line_ends_and_tabs_in_json_are_no_matter(write: Write, content: bytes) -> None:
    document, problems = loaded(write("x", content))
    assert document.root["info"] == {"title": "T", "version": "1"} and problems == []


@pytest.mark.parametrize(("content", "said"), [
    ("[1, 2]", "a list"), ("- a\n- b\n", "a list"), ("hello", "text"), ("42", "a number"),
    ("true", "true or false"),
])  # fmt: skip
def test_a_root_that_is_no_object_is_named(write: Write, content: str, said: str) -> None:
    assert f"the document is {said}, not an object" in refused(write("x.yaml", content)).text


@pytest.mark.parametrize(("root", "said"), [
    ('openapi: "4.0.0"', '`openapi: "3.2.0"`'), ("openapi: 3.0", "in quotes"),
    ("openapi: 3.1", '`openapi: "3.1.1"`'), ("openapi: v3", '`openapi: "3.0.3"`'),
    ('openapi: "2.0"', '`swagger: "2.0"`'), ('openapi: "3.3.0"', '`openapi: "3.2.0"`'),
    ("openapi: [3]", "a version is text"), ("openapi:", "a version is text"),
    ("swagger: 3.0.0", '`openapi: "3.0.0"`'), ('swagger: "1.2"', "convert the document"),
])  # fmt: skip
def test_an_unknown_version_is_answered_with_the_nearest(
    write: Write, root: str, said: str
) -> None:
    refusal = refused(write("x.yaml", f"info: {{}}\n{root}\npaths: {{}}\n"))
    assert len(refusal.problems) == 1 and said in refusal.text
    assert "supported: 2.0, 3.0.x, 3.1.x, 3.2.x" in refusal.text and refusal.where[0] == 2


@pytest.mark.parametrize(("root", "version", "codes"), [
    ("swagger: 2.0", "2.0", ["E0303"]), ('swagger: "2.0"', "2.0", []),
    ('openapi: "3.1"', "3.1.1", ["E0302"]), ("openapi: 3.0.0-rc2", "3.0.0-rc2", []),
    ("openapi: 3.2.0", "3.2.0", []),
])  # fmt: skip
def test_an_unmistakable_version_is_taken(
    write: Write, root: str, version: str, codes: list[str]
) -> None:
    document, problems = loaded(write("x.yaml", f"{root}\npaths: {{}}\n"))
    assert document.version == version and [problem.code for problem in problems] == codes


@pytest.mark.parametrize(("key", "said"), [
    ("OpenAPI: 3.1.0", "`OpenAPI` should be `openapi`"),
    ("info: {}", "neither `openapi` nor `swagger`"),
])  # fmt: skip
def test_a_misspelt_root_key_is_named(write: Write, key: str, said: str) -> None:
    assert said in refused(write("x.yaml", f"{key}\npaths: {{}}\n")).text


BLOCK = HEAD + """\
paths:
  /a:
    get:
      tags: [a, 'b', "c"]
      summary: >-
        folded
        text
"""
PATHS = {"/a": {"get": {"responses": {"200": {"description": "fine 'quoted' \"text\""}}}}}
WHOLE = {"openapi": "3.1.0", "info": {"title": "Tïtle", "version": "1"}, "paths": PATHS}


@pytest.mark.parametrize("text", [json.dumps(WHOLE, indent=1), BLOCK])
def test_a_document_cut_anywhere_gives_one_clear_error_or_loads(write: Write, text: str) -> None:
    raw = text.encode()
    for end in range(0, len(raw), 3):
        path = write("cut", raw[:end])
        try:
            loaded(path)
        except McpgenError:
            refusal = refused(path)
            assert refusal.exit_code == 1 and len(refusal.problems) == 1
            assert not any(ord(letter) < 32 and letter != "\n" for letter in refusal.text)


@pytest.mark.parametrize(("name", "content", "first", "second"), [
    ("x.json", '{"openapi": "3.1.0", "info": {},\n "paths": {"/": [1.0, {"a": 1, "b": 2}]},\n'
     ' "paths": {"/": [1.0, {"b": 2, "a": 1}]}}', "2:2", "3:2"),
    ("x.yaml", "openapi: 3.1.0\ninfo: {}\npaths: {}\npaths:\n  {}\n", "3:1", "4:1"),
    ("y.yaml", "openapi: 3.1.0\ninfo: {title: A, title: A}\npaths: {}\n", "2:8", "2:18"),
])  # fmt: skip
def test_a_key_that_comes_twice_with_one_value_is_a_warning(
    write: Write, name: str, content: str, first: str, second: str
) -> None:
    _, problems = loaded(write(name, content))
    [problem] = [each for each in problems if each.code == "E0113"]
    assert problem.severity == "warning" and problem.place is not None
    assert f"first at {first} and again at {second}" in problem.message
    assert f"{problem.place.line}:{problem.place.column}" == second


def test_a_file_on_a_broken_disk_is_told_with_its_reason(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = OSError(errno.EIO, "Input/output error")
    monkeypatch.setattr(source.os, "open", Mock(side_effect=fault))
    [problem] = refused("shop.yaml").problems
    assert (problem.code, problem.message) == ("E0103", "cannot be opened: Input/output error")
