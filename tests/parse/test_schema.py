"""A schema of the document as the portable profile says it."""

import json
from typing import Any

import jsonschema_rs
import pytest

from mcpgen.parse.budget import TEXTS
from mcpgen.parse.pattern import portable_pattern, wider_pattern
from mcpgen.parse.projection import Listing, Nodes, Projection, projection
from mcpgen.parse.schema import Reader, merge
from mcpgen.problems import Problems

from .conftest import upgraded

PLENTY = 100_000
"""Bytes that hold every schema here."""


def project(
    schema: Any, room: int = PLENTY, *, writing: bool = True, **components: Any
) -> Projection:
    """List a schema that may refer to the given component schemas, in `room` bytes."""
    nodes = Nodes(reader_of(components), writing=writing)
    listing = Listing(nodes, room, TEXTS["portable"])
    place = listing.add("x", schema)
    listing.spend()
    return projection(place)


def reader_of(components: dict[str, Any]) -> Reader:
    """Return the reader of a document with these component schemas."""
    problems = Problems()
    return Reader(upgraded(problems, paths={}, components={"schemas": components}), problems)


def ref(name: str) -> dict[str, str]:
    """A reference to a component schema."""
    return {"$ref": f"#/components/schemas/{name}"}


STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def thing(*required: str, **properties: Any) -> dict[str, Any]:
    """An object's schema."""
    return {"type": "object", "required": list(required), "properties": properties}


def test_all_of_is_merged() -> None:
    schema = {"allOf": [ref("Base"), {"properties": {"b": INTEGER}, "required": ["b"]}]}
    merged = project(schema, Base=thing("a", a=STRING)).schema
    assert merged == thing("a", "b", a=STRING, b=INTEGER)


@pytest.mark.parametrize(("one", "other", "common"), [
    (["number", "null"], ["integer", "null"], ["integer", "null"]),
    (["string", "integer"], ["string", "number"], ["string", "integer"]),
    (["null", "number"], ["number", "string"], "number"), ("number", ["string", "integer"], "integer"),
    ("number", "number", "number"), ("integer", "integer", "integer"), ("string", "number", "string"),
])  # fmt: skip
def test_the_types_of_two_parts_have_integers_in_common_with_numbers(
    one: Any, other: Any, common: Any
) -> None:
    assert merge({"type": one}, {"type": other}) == {"type": common}


def test_a_property_that_is_declared_anew_is_not_read_only() -> None:
    tag = thing(id={**STRING, "readOnly": True}, kind={"readOnly": True})
    team = thing("kind", kind={**STRING, "enum": ["team"]})
    got = project({"allOf": [ref("Tag"), team]}, Tag=tag).schema
    assert list(got["properties"]) == got["required"] == ["kind"]
    again = thing(kind={**STRING, "readOnly": True})
    assert "properties" not in project({"allOf": [ref("Tag"), again]}, Tag=tag).schema


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_siblings_of_a_reference_count(keyword: str) -> None:
    said = {**STRING, "description": "The id"}
    for given in (ref("Id"), {keyword: [ref("Id")]}):
        given["description"] = "The id"
        assert project(given, Id={**STRING, "description": "Some text"}).schema == said


def test_null_is_remembered_by_pointer() -> None:
    many = {"type": "array", "items": {"type": ["integer", "null"]}}
    inner = {"anyOf": [{"type": ["string", "integer", "null"]}, {"type": "boolean"}]}
    projection = project(thing(a={"type": ["string", "null"]}, l=many, u=inner))
    assert projection.nullable == ["/properties/a", "/properties/l/items", "/properties/u"]
    assert '"null"' not in json.dumps(projection.schema)


def test_branches_that_differ_in_a_condition_are_two() -> None:
    either = [{"not": {"required": [name]}} for name in "ab"]
    node = Nodes(reader_of({})).node({**thing(a=STRING, b=STRING), "oneOf": either})
    assert [branch.conditions[0] for branch in node.branches] == either


def test_keys_that_clients_refuse_get_a_safe_name_and_the_wire_name_is_kept() -> None:
    projection = project(thing(**{"filter[eq]": STRING, "@type": STRING, "ok": {}}))
    assert list(projection.schema["properties"]) == ["filter_eq", "type", "ok"]
    wire_names = {"/properties/filter_eq": "filter[eq]", "/properties/type": "@type"}
    assert projection.wire_names == [*wire_names.items()]


def test_read_only_properties_are_no_inputs_and_write_only_ones_no_outputs() -> None:
    schema = thing("r", "w", r={**STRING, "readOnly": True}, w={**STRING, "writeOnly": True})
    assert list(project(schema).schema["properties"]) == ["w"]
    assert list(project(schema, writing=False).schema["properties"]) == ["r"]


def test_a_discriminator_tells_the_branches_apart() -> None:
    tells = {"propertyName": "kind", "mapping": {"c": "#/components/schemas/Cat"}}
    union = {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": tells}
    cat, dog = thing(kind=STRING, meow={"type": "boolean"}), thing(kind=STRING, bark=INTEGER)
    got = project(union, Cat=cat, Dog=dog).schema
    assert [branch["properties"]["kind"]["enum"] for branch in got["anyOf"]] == [["c"], ["Dog"]]
    assert all("kind" in branch["required"] for branch in got["anyOf"])


@pytest.mark.parametrize("node", [
    {"type": "object", "properties": {"next": ref("Node")}},
    {"type": "object", "properties": {"children": {"type": "array", "items": ref("Node")}}},
    {"type": "object", "additionalProperties": ref("Node")},
    {"allOf": [{"type": "object", "properties": {"next": ref("Node")}}, ref("Node")]},
    {"oneOf": [{"type": "string"}, {"type": "array", "items": ref("Node")}]},
    {"type": "object", "required": ["next"], "properties": {"next": ref("Node")}},
    ref("Node"), {"anyOf": [ref("Node"), ref("Node")]},
])  # fmt: skip
def test_recursion_of_every_kind_ends(node: Any) -> None:
    got = project(ref("Node"), 4000, Node=node).schema
    assert len(json.dumps(got, separators=(",", ":"))) <= 4000 and "$ref" not in json.dumps(got)
    jsonschema_rs.validator_for(got)


def test_a_bomb_of_references_is_listed_as_far_as_there_is_room() -> None:
    names = [f"L{n}" for n in range(9)]
    bomb = {
        name: {"type": "object", "properties": {f"p{i}": ref(f"L{n + 1}") for i in range(10)}}
        for n, name in enumerate(names)
    } | {"L9": {"type": "string"}}
    brief = project(ref("L0"), 1000, **bomb)
    assert list(brief.schema["properties"]) == [f"p{i}" for i in range(10)]
    assert brief.schema["properties"]["p1"]["description"].startswith("takes: p0, p1, p2")
    assert 800 < len(json.dumps(brief.schema, separators=(",", ":"))) <= 1000 and not brief.is_whole


def test_where_there_is_no_room_required_properties_come_first_and_the_others_are_counted() -> None:
    schema = thing("a", **{"b_" * 20: INTEGER, "a": STRING, "c_" * 20: {}})
    said = {"description": "also takes 2 more fields"}
    assert project(schema, 150).schema == thing("a", a=STRING) | said
    description = "needs a; also takes 2 more fields"
    assert project(schema, 53).schema == {"type": "object", "description": description}


def test_a_wider_pattern_is_said_in_keywords_and_the_whole_one_in_words() -> None:
    got = project({**STRING, "pattern": "^(?!aws:)[a-z:]+$"}).schema
    said = {"pattern": "^[a-z:]+$", "description": "pattern ^(?!aws:)[a-z:]+$"}
    assert got == STRING | said


@pytest.mark.parametrize(("pattern", "portable"), [
    (r"^[\w\-]+$", r"^[A-Za-z0-9_\-]+$"),
    (r"^\d{3}\D\W[\D]$", r"^[0-9]{3}[^0-9][^A-Za-z0-9_][\D]$"),
    (r"[+-\d][\w-x][-\w][\d-]", r"[+\-0-9][A-Za-z0-9_\-x][\-A-Za-z0-9_][0-9-]"),
    (r"^\@\-x$", "^@-x$"), (r"^{id}$", r"^\{id\}$"), (r"(?i)abc", None), (r"^(?!x).*$", None),
    (r"\Z", None), (r"[^\]", None), (r"[[:alpha:]]", None), (r"a{1,65535}{1,65535}", None),
    (r"^\p{L}+$", None), (r"^[\p{L}\p{N}_. ()-]+$", None), (r"[\P{L}]", None), (r"\p{lu}", None),
    (r"(?<year>\d{4})-(?<m>x)(?<m>y)", "(?:[0-9]{4})-(?:x)(?:y)"), (r"^+[0-9]{2}$", None),
    (r"$*x", None), (r"\b+x", None), ("^?x", None), ("a**", None), ("a{2}{3}", None), ("a|*", None),
    ("(*a)", None), ("a+?b*?c{2,}?", "a+?b*?c{2,}?"), ("a+??", None), ("x{2,1}", None),
    ("a{1001}", None), ("[a-z&&[^b]]", None), ("[+--]", None), (r"^[\u00e9\u4e00-\u9fff]$", "^[\\xe9一-鿿]$"),
    (r"[\u200b]", None), ("(", None), ("x" * 1_000_000, None),
])  # fmt: skip
def test_a_pattern_is_kept_where_every_engine_takes_it(pattern: str, portable: str | None) -> None:
    assert portable_pattern(pattern) == portable


@pytest.mark.parametrize(("pattern", "wider"), [
    (r"^(?!aws:)[A-Za-z:]+$", "^[A-Za-z:]+$"), (r"(?=.*\d)(?=.*[a-z])\S{8,}", r"\S{8,}"),
    (r"^(?!(a|b)[)(]\))[a-z]+(?<!x)$", "^[a-z]+$"), (r"[(?!](?!a)b", "[(?!]b"),
    (r"(?!(?=a)b)c", "c"), (r"(?!x)+a", None), (r"(?!a)", None), ("(?i)abc", None), ("^abc$", None),
    ("(?!a)b|" + "c" * 500, None),
])  # fmt: skip
def test_look_around_is_left_out_where_the_rest_is_a_pattern(
    pattern: str, wider: str | None
) -> None:
    assert wider_pattern(pattern) == wider


def test_an_enum_that_is_too_long_is_said_by_some_of_its_values() -> None:
    values = [f"{number}_custom_field" for number in range(33)]
    schema = {"type": "string", "enum": values}
    whole = project(schema)
    assert whole.schema["enum"] == values and whole.is_whole
    brief = project(schema, 500)
    assert brief.schema["type"] == "string"
    assert brief.schema["description"].startswith(
        "one of 33 values such as 0_custom_field, 1_custom_field,"
    )
    assert not brief.is_whole
    assert project(schema, 0).schema == {"type": "string", "description": "one of 33 values"}


@pytest.mark.parametrize("rules", [
    {"type": "array", "items": STRING, "maxItems": 2**53 - 1}, {**STRING, "maxLength": 2**32 - 1},
    {"type": "object", "maxProperties": 2**31}, {**INTEGER, "default": 2**53 + 1},
    {**INTEGER, "maximum": 2**53}, {**INTEGER, "multipleOf": 2**60},
    {**INTEGER, "enum": [2**53 + 1, 1]}, {**STRING, "pattern": "^(?!undefined$)"},
])  # fmt: skip
def test_a_number_that_some_client_cannot_hold_is_checked_and_not_listed(rules: Any) -> None:
    got = project(rules)
    told = got.schema.pop("description", "")
    assert got.schema.keys() <= {"type", "items"}
    assert ("9007199254740993" in told) == ("enum" in rules)
    assert got.is_whole != bool(rules.keys() & {"maximum", "multipleOf", "enum"})


def test_a_pattern_that_some_provider_refuses_is_checked_and_said_in_words() -> None:
    got = project({**STRING, "pattern": r"^[\p{L}\d]+$"})
    assert got.schema == STRING | {"description": r"pattern ^[\p{L}\d]+$"} and not got.is_whole
    assert portable_pattern(r"^[\p{L}\d]+$", True) == r"^[\p{L}0-9]+$"


def test_a_long_repetition_is_kept() -> None:
    pattern = r"arn:[a-z0-9-\.]{1,63}:[a-z0-9-\.]{0,63}:[^/].{0,1000}"
    assert portable_pattern(pattern) == pattern


def test_an_enum_of_the_empty_text_is_said_as_a_length() -> None:
    assert project({"enum": [""]}).schema == {"type": "string", "maxLength": 0}
    assert project({"enum": ["", "a"]}).schema == {"type": "string", "enum": ["", "a"]}


def family(name: str, **own: Any) -> dict[str, Any]:
    """A parent with a discriminator and one subtype, of the value `a`, with these fields."""
    mapping = {"propertyName": "kind", "mapping": {"a": f"Sub{name}"}}
    parent = thing("kind", kind=STRING) | {"discriminator": mapping}
    return {name: parent, f"Sub{name}": {"allOf": [ref(name), thing(**own)]}}


def test_a_field_of_subtypes_is_one_schema_wherever_it_is_read() -> None:
    names = "ABCD"
    components: dict[str, Any] = {}
    for name in names:
        components |= family(name, **{f"to_{other}": ref(other) for other in names})
    nodes = Nodes(reader_of(components))
    level = [nodes.node(ref("A"))]
    for _ in range(4):  # each holds four others: 4 ** 4 paths
        level = [nodes.node(member.schema) for node in level for member in node.members]
    assert len(level) > 300 and len({*map(id, level)}) <= 20


def test_a_parent_or_null_has_the_fields_of_its_subtypes() -> None:
    parent = family("Animal", claws=INTEGER)
    schema = {"oneOf": [ref("Animal"), {"type": "null"}]}
    assert list(project(schema, **parent).schema["properties"]) == ["kind", "claws"]
