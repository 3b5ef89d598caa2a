"""A tool that leaves something out has used its budget: large bodies, each of the shape of one
that people call most.
"""

import json
import re
from typing import Any

import jsonschema_rs
import pytest

from mcpgen.config import Config, ToolConfig
from mcpgen.customise import customise
from mcpgen.parse.budget import BUDGET, size

from .conftest import one_tool, parse_document

LARGE_LIST = Config(tools={"POST /books": ToolConfig(budget=BUDGET["portable"])})
"""A tool by itself would have more room."""
LEFT_OUT = re.compile(r"\d+ (?:more )?fields|one of \d+ (?:values|shapes)|…")
TEXT = "What this field is for, when it may be left out, and what happens then. " * 3


def field(number: int, *, text: str = TEXT, values: int = 0) -> dict[str, Any]:
    """A text with a description; with `values` one of so many."""
    schema: dict[str, Any] = {"type": "string", "description": text}
    if values:
        schema["enum"] = [f"value_{number}_{index}" for index in range(values)]
    return schema


def fields(count: int, prefix: str = "field", **more: Any) -> dict[str, Any]:
    """An object with so many texts."""
    properties = {f"{prefix}_{number}": field(number, **more) for number in range(count)}
    return {"type": "object", "properties": properties}


def shapes(count: int, size: int, tag: str = "type") -> list[dict[str, Any]]:
    """Objects that one property tells apart, most of their other properties in common."""
    branches = []
    for number in range(count):
        branch = fields(size, "common")
        branch["properties"][tag] = {"type": "string", "enum": [f"kind_{number}"]}
        branch["properties"][f"own_{number}"] = field(number)
        branches.append({**branch, "required": [tag]})
    return branches


def nested(name: str, schema: Any, count: int = 10) -> dict[str, Any]:
    """An object of several texts with one large property."""
    body = fields(count)
    body["properties"][name] = schema
    return body


TREE = {"type": "object", "properties": {**fields(60, "query")["properties"]}}
TREE["properties"]["must"] = {"type": "array", "items": TREE["properties"]["query_0"]}

KEYS = [nested(f"kind_{number}", shapes(1, 3)[0], 0) for number in range(18)]
BODIES = {
    "an integration: one of 18 credentials, in each of two ways": {
        "anyOf": [nested("credentials", {"oneOf": KEYS}, count) for count in (2, 4)]
    },
    "a channel: any of four objects": {
        "anyOf": [fields(6, f"of_{number}", values=12) for number in range(4)] + [fields(20)]
    },
    "a DNS record: one of twenty that a type tells apart": {"oneOf": shapes(20, 8)},
    "a record to be changed: the same beside fields of its own": {
        "allOf": [fields(4, "meta"), {"oneOf": shapes(20, 8)}]
    },
    "a setting: one of 55 small objects": {"oneOf": shapes(55, 1, "id")},
    "a payment: 74 fields, one of them any of 31 methods": nested(
        "method", {"oneOf": shapes(31, 6)}, 73
    ),
    "a session: 60 fields with long texts": fields(60),
    "a payment link: long lists of values": fields(40, values=30),
    "a chat: texts, and messages of several roles": nested(
        "messages", {"type": "array", "items": {"oneOf": shapes(4, 10, "role")}}, 30
    ),
    "a dashboard: widgets of 41 types": nested(
        "widgets", {"type": "array", "items": nested("definition", {"oneOf": shapes(41, 12)}, 3)}
    ),
    "a monitor: options of 40 fields": nested("options", fields(40)),
    "a container: a host's settings of 70 fields": nested("host_config", fields(70), 30),
    "a search: a query of 60 kinds": nested("query", TREE, 20),
}


def top_level(schema: dict[str, Any]) -> set[str]:
    """The names of a body's own fields, those of all its alternatives included."""
    names = set(schema.get("properties", ()))
    for keyword in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(keyword, ()):
            names |= top_level(part)
    return names


@pytest.mark.parametrize("is_required", [True, False])
@pytest.mark.parametrize("name", BODIES)
def test_nothing_is_left_out_while_a_fifth_of_the_budget_is_free(
    name: str, is_required: bool
) -> None:
    content = {"application/json": {"schema": BODIES[name]}}
    operation = {"requestBody": {"required": is_required, "content": content}}
    tool = one_tool(operation, method="post", config=LARGE_LIST)
    listed = json.dumps(tool.input_schema, ensure_ascii=False)
    left_out = len(json.dumps(BODIES[name])) - len(listed)
    assert LEFT_OUT.search(listed) or left_out > BUDGET["portable"]
    assert 0.8 * BUDGET["portable"] <= size(tool) <= 1.1 * BUDGET["portable"]
    assert {key for key in top_level(BODIES[name]) if key not in listed} == set()


def needing(count: int, inner: dict[str, Any] | None = None) -> dict[str, Any]:
    """An object that needs so many fields, the last of them `inner`."""
    schema = fields(count, text="")
    if inner is not None:
        schema["properties"]["inner"] = inner
    schema["required"] = list(schema["properties"])
    schema["properties"] |= fields(3, "more")["properties"]
    return schema


def objects(count: int, schema: dict[str, Any]) -> dict[str, Any]:
    """An object of so many texts, and of as many of these objects."""
    body = fields(count)
    body["properties"] |= {f"object_{number}": schema for number in range(count)}
    return body


ADDRESS = {
    "type": "string",
    "pattern": f"^arn:({'|'.join(f'service_{number}' for number in range(30))}):[a-z]+$",
}


def methods(count: int) -> list[dict[str, Any]]:
    """Objects that their type tells apart, if it is given; each is one of eight."""
    branches = shapes(count, 6)
    for number, branch in enumerate(branches):
        del branch["required"]
        values = [f"{number * 8 + index}_method_of_payment" for index in range(8)]
        branch["properties"]["type"]["enum"] = values
    return branches


DEMANDING = {
    "an order: 12 objects that need four fields": objects(12, needing(4)),
    "a pod: 40 fields, 40 lists of objects that need a name": nested("spec",
        objects(40, {"type": "array", "items": needing(1)})),
    "a cart: lists whose objects need objects that need others": nested("cart",
        objects(8, {"type": "array", "items": needing(3, needing(3, needing(3)))})),
    "a volume: one of 20 sources, each in a field of its own": nested("volumes",
        {"type": "array", "items": objects(20, needing(2))}),
    "a payment: a method that is needed, of 480 types": {
        **nested("method", {"anyOf": methods(60)}, 73),
        "required": ["method"],
    },
    "a payment: a method that is needed, of 40 types, and no value is of two": {
        **nested("method", {"oneOf": methods(5)}, 73),
        "required": ["method"],
    },
    "a card: 20 limits by category, one of 80": nested("limits",
        objects(20, {"type": "array", "items": field(0, text="", values=80)})),
    "a link: 20 addresses with patterns": nested("addresses", objects(20, ADDRESS)),
    "a tree: nodes that need a list of nodes": nested("tree",
        objects(15, needing(2, {"type": "array", "items": needing(1)}))),
}  # fmt: skip


def filled(schema: dict[str, Any]) -> Any:
    """A value with everything that a listed schema names."""
    if "anyOf" in schema:
        return filled(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    if "pattern" in schema:
        return "arn:service_0:a"
    if schema.get("type") == "array":
        return [filled(schema["items"])]
    if schema.get("type") == "object":
        return {key: filled(child) for key, child in schema.get("properties", {}).items()}
    return {"string": "a", "boolean": True}.get(schema.get("type", ""), 1)


@pytest.mark.parametrize("is_required", [True, False])
@pytest.mark.parametrize("name", DEMANDING)
def test_whoever_gives_all_that_is_listed_has_given_all_that_is_needed(
    name: str, is_required: bool
) -> None:
    content = {"application/json": {"schema": DEMANDING[name]}}
    operation = {"requestBody": {"required": is_required, "content": content}}
    tool = one_tool(operation, method="post", config=LARGE_LIST)
    assert tool.contract is not None
    value = filled(tool.input_schema)
    assert [str(error) for error in jsonschema_rs.iter_errors(tool.contract, value)] == []
    assert size(tool) <= 1.1 * BUDGET["portable"]


def test_full_lists_need_no_argument_that_chooses_fields_in_what_is_checked() -> None:
    values = {"schema": {"enum": [f"value {number}" for number in range(200)]}}
    given = [{"name": f"by{number}", "in": "query", **values} for number in range(9)]
    answer = {"type": "array", "items": {"type": "object"}}
    ok = {"description": "ok", "content": {"application/json": {"schema": answer}}}
    paths = {"/books": {"get": {"parameters": given, "responses": {"200": ok}}}}
    server, problems = parse_document(paths)
    [tool] = customise(server, Config(full_answers=True), problems).tools
    assert tool.contract is not None
    assert len(tool.contract["properties"]) == len(given) + bool(tool.listing.part)
