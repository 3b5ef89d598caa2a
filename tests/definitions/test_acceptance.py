"""A call is accepted when an independent validator accepts it for the schema as it was written."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from acceptance import Tally, checker, in_body, refusal, server_of
from own_project import tool

EXACT: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "acceptance.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("case", EXACT)
def test_the_verdict_is_the_validators(case: str, tmp_path: Path) -> None:
    tally = Tally()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **EXACT[case]["schema"]}
    instances = EXACT[case]["instances"]
    tally.schema(schema, instances, tmp_path, case)
    assert tally.differences == [] and tally.reasons == {}
    assert tally.counts["agreed"] >= len(instances) - 1


def one(tmp_path: Path, properties: dict[str, Any], *required: str, **more: Any) -> Any:
    made = tool("find", properties, *required)
    made["inputSchema"] |= more
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([made]))
    return server_of(path)[0].tools[0]


OF_PARTS: list[tuple[Any, list[Any]]] = [
    ({"type": "array", "contains": {"const": 1}, "maxContains": 2}, [[], [1], [1, 1, 1], ["1"]]),
    ({"type": "array", "prefixItems": [{"type": "integer"}]}, [[], [1, "x"], ["x"], [1, None]]),
    ({"type": "array", "prefixItems": [{}], "items": {"type": "integer"}}, [["x"], ["x", "y"]]),
    ({"type": "array", "items": False}, [[], [1]]),
    ({"minimum": 3, "minItems": 1}, [2, 3, "x", [], [0]]),
    ({"type": "null"}, [None, 0, "", False]),
    (
        {"properties": {"a": {}}, "additionalProperties": {"type": "integer"}, "type": "object"},
        [{"a": "x"}, {"b": 1}, {"b": "x"}],
    ),
    (
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "anyOf": [{"properties": {"b": {"const": 1}}, "required": ["b"]}, {"required": ["a"]}],
            "unevaluatedProperties": False,
        },
        [{"a": "x"}, {"b": 1}, {"a": "x", "c": 1}, {"b": 2}, {"a": "x", "b": 1}],
    ),
]


@pytest.mark.parametrize(("schema", "values"), OF_PARTS)
def test_the_body_of_an_operation_is_judged_like_a_tool(
    schema: Any, values: list[Any], tmp_path: Path
) -> None:
    tally = Tally()
    tally.schema(schema, values, tmp_path, "body", within=in_body)
    assert tally.differences == []
    assert tally.counts["agreed"] == len(values), tally


def test_an_argument_nobody_named_is_refused_with_the_one_that_was_meant(tmp_path: Path) -> None:
    deep = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    found = one(tmp_path, {"repo-name": {"type": "string"}, "deep": deep})
    assert "did you mean `repo-name`" in refusal(found, {"repo-nam": "x"})
    assert (
        checker(found).checked({"repo-name": "x"})[0]
        == {"repo_name": "x"}
        == checker(found).checked({"repo_name": "x"})[0]
    )


def test_a_schema_that_takes_more_gets_more(tmp_path: Path) -> None:
    found = one(tmp_path, {"a": {"type": "string"}}, additionalProperties={"type": "integer"})
    assert found.takes_more and checker(found).checked({"a": "x", "b": 1})[0] == {"a": "x", "b": 1}
    assert refusal(found, {"a": "x", "b": "y"})


def test_an_object_may_come_as_text_and_null_may_mean_nothing(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        yaml.safe_load("""
            where: {type: object, properties: {id: {type: integer}}, minProperties: 1}
            note: {type: string}
            any: {anyOf: [{type: string}, {type: object}]}
        """),
    )
    checked = checker(found).checked
    assert checked({"where": '{"id": 2}'})[0] == {"where": {"id": 2}}
    assert checked({"note": None})[0] == {}
    assert checked({"any": '{"id": 2}'})[0] == {"any": '{"id": 2}'}


def test_a_whole_number_is_whole_for_the_function(tmp_path: Path) -> None:
    tool = one(tmp_path, {"n": {"type": "integer"}, "x": {"type": "number"}})
    taken, _ = checker(tool).checked({"n": 2.0, "x": 2.0})
    assert [type(value) for value in taken.values()] == [int, float]


def test_a_pattern_made_to_hang_gives_up_in_time(tmp_path: Path) -> None:
    found = one(tmp_path, {"a": {"type": "string", "pattern": r"^(?=(a+)+$)(a|aa)+$"}})
    started = time.process_time()
    assert refusal(found, {"a": "a" * 200 + "!"}) and time.process_time() - started < 5


@pytest.mark.parametrize("schema", [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}])
def test_a_schema_without_end_is_told_or_refuses_and_never_hangs(
    schema: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"name": "a", "inputSchema": {"type": "object", **schema}}]))
    server, _ = server_of(path)
    for found in server.tools:
        refusal(found, {"a": {"b": 1}})


def test_a_schema_that_is_none_is_told_with_its_place(tmp_path: Path) -> None:
    found = {
        "name": "a",
        "inputSchema": {"type": "object", "properties": {"x": {"type": "string", "pattern": "("}}},
    }
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([found]))
    server, problems = server_of(path)
    assert [(problem.code, problem.pointer) for problem in problems if problem.code == "E0441"] == [
        ("E0441", "/tools/0")
    ]
    assert len(server.tools) == 1
