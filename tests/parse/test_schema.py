"""A schema of the document as the portable profile says it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgen.load import load
from mcpgen.parse.detail import Detail, TooLarge
from mcpgen.parse.pattern import pattern_of, portable_pattern, printable, wider_pattern
from mcpgen.parse.projection import Projection
from mcpgen.parse.projection import project as run_projection
from mcpgen.parse.schema import Reader
from mcpgen.problems import Problems
from mcpgen.upgrade import upgrade

FULL = Detail(patterns=False, depth=4, text=300, nested_text=120)
Project = Callable[..., Projection]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Project a schema that may refer to the given component schemas."""

    def run(
        schema: Any, detail: Detail = FULL, *, writing: bool = True, **components: Any
    ) -> Projection:
        document = {
            "openapi": "3.1.0",
            "info": {"title": "T", "version": "1"},
            "paths": {},
            "components": {"schemas": components},
        }
        path = tmp_path / "document.json"
        path.write_text(json.dumps(document))
        problems = Problems()
        reader = Reader(upgrade(load((str(path),), problems=problems), problems), problems)
        return run_projection(reader, schema, detail, writing=writing)

    return run


def ref(name: str) -> dict[str, str]:
    """A reference to a component schema."""
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.parametrize(
    ("given", "want"),
    [
        (
            {"type": "string", "minLength": 2, "example": "ab"},
            {"type": "string", "minLength": 2, "description": "e.g. ab"},
        ),
        ({"type": "int"}, {"type": "integer"}),
        (
            {"enum": ["a", "b", "a", None]},
            {"type": "string", "enum": ["a", "b"], "description": "may be null"},
        ),
        ({"const": 3}, {"type": "integer", "enum": [3]}),
        ({"type": "string", "enum": [1, 2]}, {"type": "string", "enum": ["1", "2"]}),
        (
            {"type": "array"},
            {
                "type": "array",
                "items": {
                    "anyOf": [{"type": t} for t in ("string", "number", "boolean", "object")]
                },
            },
        ),
        (
            {"properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
        ),
        ({"type": "string", "default": 3}, {"type": "string"}),
        ({"type": "string", "default": "x"}, {"type": "string", "default": "x"}),
        ({"type": "integer", "minimum": "0); import os"}, {"type": "integer"}),
        ({"type": "number", "multipleOf": 0}, {"type": "number"}),
        ({"type": "string", "minLength": -1, "maxLength": True}, {"type": "string"}),
        (
            {"type": "string", "format": "binary"},
            {"type": "string", "format": "byte", "description": "base64"},
        ),
        ({"type": "string", "format": "color"}, {"type": "string", "description": "format color"}),
        ({"type": "string", "x-mcp-header": "Pw", "$comment": "c", "xml": {}}, {"type": "string"}),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        (
            {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
            {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "string", "enum": ["auto"]}]},
            {"type": "string", "description": "e.g. auto"},
        ),
        ({"anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]}, {"type": "string", "enum": ["a", "b"]}),
        (
            {"anyOf": [{"enum": [{"a": 1}]}, {"enum": [{"a": 2}]}]},
            {"type": "object", "enum": [{"a": 1}, {"a": 2}]},
        ),
        ({"type": ["integer", "null"]}, {"type": "integer", "description": "may be null"}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            {"type": "integer", "description": "may be null"},
        ),
        (True, {}),
        ({}, {}),
    ],
)
def test_a_schema_is_said_in_portable_words(project: Project, given: Any, want: Any) -> None:
    assert project(given).schema == want


def test_all_of_is_merged(project: Project) -> None:
    schema = {"allOf": [ref("Base"), {"properties": {"b": {"type": "integer"}}, "required": ["b"]}]}
    got = project(
        schema, Base={"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    ).schema
    assert got == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }


def test_a_property_that_is_declared_anew_is_not_read_only(project: Project) -> None:
    tag = {
        "type": "object",
        "properties": {"id": {"type": "string", "readOnly": True}, "kind": {"readOnly": True}},
    }
    team = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string", "enum": ["team"]}},
    }
    got = project({"allOf": [{"$ref": "#/components/schemas/Tag"}, team]}, Tag=tag).schema
    assert list(got["properties"]) == got["required"] == ["kind"]
    again = {"type": "object", "properties": {"kind": {"type": "string", "readOnly": True}}}
    assert (
        "properties"
        not in project({"allOf": [{"$ref": "#/components/schemas/Tag"}, again]}, Tag=tag).schema
    )


def test_siblings_of_a_reference_count(project: Project) -> None:
    got = project(
        {**ref("Id"), "description": "The id"}, Id={"type": "string", "description": "Some text"}
    ).schema
    assert got == {"type": "string", "description": "The id"}


def test_null_is_remembered_by_pointer(project: Project) -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"]},
            "l": {"type": "array", "items": {"type": ["integer", "null"]}},
        },
    }
    projection = project(schema)
    assert projection.nullable == ["/properties/a", "/properties/l/items"]
    assert '"null"' not in json.dumps(projection.schema)


def test_keys_that_clients_refuse_get_a_safe_name_and_the_wire_name_is_kept(
    project: Project,
) -> None:
    schema = {
        "type": "object",
        "properties": {"filter[eq]": {"type": "string"}, "@type": {"type": "string"}, "ok": {}},
    }
    projection = project(schema)
    assert list(projection.schema["properties"]) == ["filter_eq", "type", "ok"]
    assert projection.wire_names == [
        ("/properties/filter_eq", "filter[eq]"),
        ("/properties/type", "@type"),
    ]


def test_read_only_properties_are_no_inputs_and_write_only_ones_no_outputs(
    project: Project,
) -> None:
    schema = {
        "type": "object",
        "required": ["r", "w"],
        "properties": {
            "r": {"type": "string", "readOnly": True},
            "w": {"type": "string", "writeOnly": True},
        },
    }
    assert list(project(schema).schema["properties"]) == ["w"]
    assert list(project(schema, writing=False).schema["properties"]) == ["r"]


def test_a_discriminator_tells_the_branches_apart(project: Project) -> None:
    cat = {
        "type": "object",
        "properties": {"kind": {"type": "string"}, "meow": {"type": "boolean"}},
    }
    dog = {
        "type": "object",
        "properties": {"kind": {"type": "string"}, "bark": {"type": "integer"}},
    }
    union = {
        "oneOf": [ref("Cat"), ref("Dog")],
        "discriminator": {"propertyName": "kind", "mapping": {"c": "#/components/schemas/Cat"}},
    }
    got = project(union, Cat=cat, Dog=dog).schema
    assert [branch["properties"]["kind"]["enum"] for branch in got["anyOf"]] == [["c"], ["Dog"]]
    assert all("kind" in branch["required"] for branch in got["anyOf"])


@pytest.mark.parametrize(
    "node",
    [
        {"type": "object", "properties": {"next": ref("Node")}},
        {"type": "object", "properties": {"children": {"type": "array", "items": ref("Node")}}},
        {"type": "object", "additionalProperties": ref("Node")},
        {"allOf": [{"type": "object", "properties": {"next": ref("Node")}}, ref("Node")]},
        {"oneOf": [{"type": "string"}, {"type": "array", "items": ref("Node")}]},
        {"type": "object", "required": ["next"], "properties": {"next": ref("Node")}},
        ref("Node"),
        {"anyOf": [ref("Node"), ref("Node")]},
    ],
)
def test_recursion_of_every_kind_ends(project: Project, node: Any) -> None:
    got = project(
        ref("Node"), Detail(depth=4, text=60, nested_text=0, nodes=3000), Node=node
    ).schema
    assert len(json.dumps(got)) < 20_000
    assert "$ref" not in json.dumps(got)
    jsonschema_rs.validator_for(got)


def test_a_bomb_of_references_is_refused_in_full_and_said_in_brief(project: Project) -> None:
    names = [f"L{n}" for n in range(9)]
    bomb = {
        name: {"type": "object", "properties": {f"p{i}": ref(f"L{n + 1}") for i in range(10)}}
        for n, name in enumerate(names)
    } | {"L9": {"type": "string"}}
    with pytest.raises(TooLarge):
        project(ref("L0"), **bomb)
    brief = project(ref("L0"), Detail(depth=1, text=0, nested_text=0), **bomb)
    assert "takes: " in json.dumps(brief.schema)
    assert len(json.dumps(brief.schema)) < 4096


def test_below_the_depth_asked_for_required_properties_stay_and_the_others_are_named(
    project: Project,
) -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
    }
    got = project(schema, Detail(depth=0, text=60, nested_text=0)).schema
    assert got == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "description": "also takes: b",
    }


@pytest.mark.parametrize(
    ("pattern", "portable"),
    [
        (r"^[\w\-]+$", r"^[A-Za-z0-9_\-]+$"),
        (r"^\d{3}\D\W[\D]$", r"^[0-9]{3}[^0-9][^A-Za-z0-9_][\D]$"),
        (r"[+-\d][\w-x][-\w][\d-]", r"[+\-0-9][A-Za-z0-9_\-x][\-A-Za-z0-9_][0-9-]"),
        (r"^\@\-x$", "^@-x$"),
        (r"^{id}$", r"^\{id\}$"),
        (r"(?i)abc", None),
        (r"^(?!x).*$", None),
        (r"\Z", None),
        (r"[^\]", None),
        (r"[[:alpha:]]", None),
        (r"a{1,65535}{1,65535}", None),
        ("(", None),
        ("x" * 1_000_000, None),
    ],
)
def test_a_pattern_is_kept_where_every_engine_takes_it(pattern: str, portable: str | None) -> None:
    assert portable_pattern(pattern) == portable


@pytest.mark.parametrize(
    ("pattern", "wider"),
    [
        (r"^(?!aws:)[A-Za-z:]+$", "^[A-Za-z:]+$"),
        (r"(?=.*\d)(?=.*[a-z])\S{8,}", r"\S{8,}"),
        (r"^(?!(a|b)[)(]\))[a-z]+(?<!x)$", "^[a-z]+$"),
        (r"[(?!](?!a)b", "[(?!]b"),
        (r"(?!(?=a)b)c", "c"),
        (r"(?!x)+a", None),
        (r"(?!a)", None),
        ("(?i)abc", None),
        ("^abc$", None),
        ("(?!a)b|" + "c" * 500, None),
    ],
)
def test_look_around_is_left_out_where_the_rest_is_a_pattern(
    pattern: str, wider: str | None
) -> None:
    assert wider_pattern(pattern) == wider


def test_a_wider_pattern_is_said_in_keywords_and_the_whole_one_in_words(project: Project) -> None:
    got = project({"type": "string", "pattern": "^(?!aws:)[a-z:]+$"}).schema
    assert got == {
        "type": "string",
        "pattern": "^[a-z:]+$",
        "description": "pattern ^(?!aws:)[a-z:]+$",
    }


@settings(max_examples=200, derandomize=True, deadline=None)
@given(
    st.lists(
        st.text(alphabet="ab._-(|\u00e9 ", min_size=1, max_size=8),
        min_size=1,
        max_size=12,
        unique=True,
    ),
    st.text("ab._-(|"),
)
def test_a_pattern_of_values_takes_them_and_no_other(values: list[str], other: str) -> None:
    check = jsonschema_rs.validator_for({"pattern": pattern_of(values)})
    assert all(check.is_valid(value) for value in values)
    assert check.is_valid(other) == (other in values)
    assert not check.is_valid(f"{values[0]}\n")


def test_many_values_that_begin_alike_become_a_pattern(project: Project) -> None:
    values = [
        f"custom_field.{a}.{b}"
        for a in ("owner", "value", "option")
        for b in ("name", "color", "enabled", *"abcdefgh")
    ]
    given = {"type": "string", "enum": values}
    assert project(given).schema["enum"] == values
    short = project(given, Detail(depth=1, text=60, nested_text=0, enum=60)).schema
    assert "enum" not in short and short["pattern"].startswith(
        "^custom_field\\.(owner\\.(name|color|"
    )
    few = project(given, Detail(depth=1, text=60, nested_text=0, enum=5)).schema
    assert few["type"] == "string" and few["description"].startswith(
        "one of 33 values such as custom_field.owner.name"
    )


def test_a_long_repetition_is_kept() -> None:
    pattern = r"arn:[a-z0-9-\.]{1,63}:[a-z0-9-\.]{0,63}:[^/].{0,1023}"
    assert portable_pattern(pattern) == pattern


PATTERNS = (
    *(
        "^[a-z]+$",
        "[a-z]{2,}",
        "^a|b$",
        "(^a$)|(^[^b]$)",
        "a.c",
        r"\S",
        r"^x\$",
        "[^.$]",
        "^[^*#&+:<>?]+$",
        "a$",
        "^a",
    ),
    *(r"a\.b[\]^]c", "^(a|b)+$", "x*", r"[^0-9]"),
)


@settings(max_examples=400, derandomize=True, deadline=None)
@given(st.sampled_from(PATTERNS), st.text(alphabet="abcx.$]^* \u00e9\u4e2d") | st.text(max_size=6))
def test_a_printable_pattern_differs_in_control_characters_alone(pattern: str, text: str) -> None:
    portable = portable_pattern(pattern)
    assert portable is not None
    takes = jsonschema_rs.validator_for({"pattern": printable(portable)}).is_valid(text)
    if any(unicodedata.category(char) == "Cc" for char in text):
        assert not takes
    else:
        assert takes == jsonschema_rs.validator_for({"pattern": portable}).is_valid(text)


def test_an_enum_of_the_empty_text_is_said_as_a_length(project: Project) -> None:
    assert project({"enum": [""]}).schema == {"type": "string", "maxLength": 0}
    assert project({"enum": ["", "a"]}).schema == {"type": "string", "enum": ["", "a"]}
