"""YAML 1.2 core schema: what is text stays text, as it would in JSON."""

from typing import Any

import pytest

from .conftest import Write, loaded, refused

HEAD = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"


@pytest.mark.parametrize(("written", "value"), [
    ("no", "no"), ("yes", "yes"), ("on", "on"), ("NO", "NO"), ("y", "y"), ("true", True),
    ("False", False), ("null", None), ("~", None), ("", None), ("22:30", "22:30"), ("012", 12),
    ("0o17", 15), ("0x1F", 31), ("1_000", "1_000"), ("2020-01-01", "2020-01-01"), ("1.0", 1.0),
    ("-0.0", -0.0), (".5", 0.5), ("1e3", 1000.0), ("+7", 7), ("'7'", "7"), ('"true"', "true"),
    ("!!str 7", "7"), ("!!int '7'", 7), ("=", "="), ("0.0.1", "0.0.1"),
])  # fmt: skip
def test_a_scalar_is_what_the_core_schema_says(write: Write, written: str, value: Any) -> None:
    root = loaded(write("x.yaml", HEAD + f"x: {written}\n"))[0].root
    assert root["x"] == value and type(root["x"]) is type(value) and str(root["x"]) == str(value)


def test_keys_are_the_text_that_was_written(write: Write) -> None:
    keys = "paths: {/a: {get: {responses: {200: {}, 4XX: {}}}}}\nx-k: {no: 1, on: 2, 1.0: 3}\n"
    root = loaded(write("x.yaml", HEAD + keys))[0].root
    assert list(root["paths"]["/a"]["get"]["responses"]) == ["200", "4XX"]
    assert root["x-k"] == {"no": 1, "on": 2, "1.0": 3}


@pytest.mark.parametrize(("text", "code", "column"), [
    *((text, "E0114", 0) for text in (
        "~: x\n", "? [a]\n: 1\n", "? {a: b}\n: 1\n", "null: 1\n", "<<: text\n",
    )),
    *((f"x: {tag}\n", "E0119", 4) for tag in (
        "!!python/object/apply:os.system ['true']", "!Ref y", "!!binary aGk=", "!!int no",
    )),
    ("---\nopenapi: 3.0.0\n", "E0120", 0),
])  # fmt: skip
def test_keys_that_are_no_text_tags_and_second_documents_are_errors(
    write: Write, text: str, code: str, column: int
) -> None:
    refusal = refused(write("x.yaml", HEAD + text))
    assert refusal.codes == [code] and refusal.where == (3, column or refusal.where[1])


def test_json_never_falls_back_to_yaml(write: Write) -> None:
    assert refused(write("x.json", "{openapi: 3.1.0, info: {}}")).codes == ["E0111"]


@pytest.mark.parametrize("text", [
    "{openapi: 3.1.0, info: {title: T, version: '1'}, x: 5}", '{"openapi": 3.1.0, "x": 5}',
    '{"openapi": "3.1.0", # a comment\n "x": 5}', '{"openapi": "3.1.0", "x": 5}',
])  # fmt: skip
def test_a_file_with_a_name_of_yaml_may_begin_with_a_brace(write: Write, text: str) -> None:
    root = loaded(write("x.yaml", text))[0].root
    assert (root["openapi"], root["x"]) == ("3.1.0", 5)


def test_a_quoted_merge_key_is_a_key(write: Write) -> None:
    assert loaded(write("x.yaml", HEAD + 'x: {"<<": {a: 1}}\n'))[0].root["x"] == {"<<": {"a": 1}}


def test_a_directive_and_document_marks_are_fine(write: Write) -> None:
    assert loaded(write("x.yaml", "%YAML 1.2\n---\n" + HEAD + "...\n"))[0].version == "3.1.0"


def test_json_and_yaml_of_the_same_document_are_the_same(write: Write) -> None:
    as_yaml = loaded(write("a.yaml", HEAD + "x: [1, 2.5, null, true, 'é', {a: {}}]\n"))[0]
    text = (
        '{"x": [1, 2.5, null, true, "\\u00e9", {"a": {}}], "info": {"version": "1", "title": "T"}'
    )
    as_json = loaded(write("a.json", text + ', "openapi": "3.1.0"}'))[0]
    assert as_json.root == as_yaml.root and as_json.source.sha256 == as_yaml.source.sha256


@pytest.mark.parametrize("line", ["\t# a comment", "  \t# a comment", "\t", "  \t \r"])
def test_tabs_on_a_line_without_content_are_no_indentation(write: Write, line: str) -> None:
    text = f"{HEAD}paths:\n{line}\n  /a:\n{line}\n    get: {{}}\n"
    assert loaded(write("x.yaml", text))[0].root["paths"] == {"/a": {"get": {}}}
