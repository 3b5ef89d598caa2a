"""What is said of workflows that cannot be read, or not in all, with its place in their document."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from workflow_things import API, arazzo, inputs, path, query, step, text_of, when, workflow

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import DocumentError, Problems, UsageError


def said(make: Any, *workflows: Any, **more: Any) -> list[tuple[str, int, str]]:
    """Code, line and message of every problem of the workflows."""
    problems = Problems()
    project = make(API, arazzo(*workflows, **more))
    flows = project.folder.parent / "flows.arazzo.yaml"
    config = Config(
        sources=(str(project.folder.parent / "openapi.yaml"),), workflows=(str(flows),), name="x"
    )
    document, _, _ = pipeline.generate(config, problems)
    found = []
    for problem in problems:
        if problem.code.startswith("E15"):
            place = document.place(problem.pointer)
            assert place.file == str(flows)
            found.append((problem.code, place.line, problem.message))
    return found


def judged(condition: str, kind: str) -> Any:
    """A step with one criterion on its answer."""
    criterion = {"condition": condition, "type": kind, "context": "$response.body"}
    return step("a", "listThings", successCriteria=[criterion])


def replacing(target: str, kind: str) -> Any:
    """A step that replaces a part of its payload."""
    replacement = {"target": target, "targetSelectorType": kind, "value": "b"}
    body = {"payload": {"name": "a", "list": ["a"]}, "replacements": [replacement]}
    return step("a", "addThing", requestBody=body)


GOOD = workflow("good", step("list", "listThings"))


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (step("a", "noSuch"), "it calls `noSuch`, which the document does not have"),
        ({"stepId": "a", "channelPath": "x"}, "it sends or receives messages (AsyncAPI)"),
        ({"stepId": "a"}, "it needs one of `operationId`, `operationPath`, `workflowId`"),
        (step("a", "listThings", successCriteria=[{"condition": "/x", "type": "xpath"}]),
         "criteria of type `xpath` are not supported"),
        (step("a", "listThings", successCriteria=when("$statusCode in [200]")),
         "the condition `$statusCode in [200]` cannot be read"),
        (step("a", "listThings", parameters=[query("kind", "$url")]),
         "`$url` has no value here"),
        (step("a", "listThings", onSuccess=[{"name": "n", "type": "goto", "stepId": "z"}]),
         "it goes to `z`, which is no step"),
        (step("a", "listThings", successCriteria=when("$response.body#/kind == NEW")),
         "the condition `$response.body#/kind == NEW` cannot be read"),
        (step("a", "listThings", successCriteria=when("$statusCode < 1e999")),
         "the condition `$statusCode < 1e999` cannot be read"),
        (judged("$.kind == 'a' || $.things.length > 0", "jsonpath"),
         "`$.kind == 'a' || $.things.length > 0` is not a JSONPath (RFC 9535), so that it never"
            " holds: unexpected token '=='"),
        (judged("$.things[?search(@.kind, '(?=a)')]", "jsonpath"),
         "`$.things[?search(@.kind, '(?=a)')]` is not a JSONPath (RFC 9535), so that it never"
            ' holds: "(?=a)" is not a "regex"'),
        (judged('$.a.kind == "x"', "jsonpath"),
         "`$.a.kind == \"x\"` is not a JSONPath (RFC 9535), so that it never holds: write"
            " `$response.body#/a/kind == 'x'` without a `type`"),
        (judged("/^[a-z]+$/i", "regex"),
         "`/^[a-z]+$/i` never matches: a regular expression has no slashes around it;"
            " write `(?i:^[a-z]+$)`"),
        (step("a", "listThings", outputs={"kind": "$response.body/kind"}),
         "`/kind` is not a path into a value: a JSON Pointer begins with `#`"),
        (replacing("/name", "xpath"),
         "the `target` `/name` of a replacement is neither a JSON Pointer nor a JSONPath to one"
            " place in the payload"),
        (replacing("", ""), "the `target` `` of a replacement is neither a JSON Pointer nor a"
            " JSONPath to one place in the payload"),
        (replacing("/tags/0", ""), "a replacement has the target `/tags/0`, and the `payload` has"
            " nothing there"),
        (replacing("/list/1", ""), "a replacement has the target `/list/1`, and the `payload` has"
            " nothing there"),
        (replacing("/name/a", "jsonpointer"), "a replacement has the target `/name/a`, and the"
            " `payload` has nothing there"),
        (step("a", "listThings", successCriteria=[{"condition": "^2", "type": "regex"}]),
         "a criterion of type `regex` needs a `context`, such as `context: $response.body`"),
        (step("a", "listThings", outputs=["$response.body"]), "its `outputs` must be an object"),
        (step("a", "listThings", parameters={"kind": "a"}), "its `parameters` must be a list"),
        (step("a", "listThings", onFailure=[{"name": "n", "type": "retry", "retryLimit": 1.5}]),
         "`retryLimit` must be a whole number"),
        (replacing("$..name", "jsonpath"), "`..name` is not a path into a value"),
        ({"stepId": "a", "workflowId": "none"}, "it runs the workflow `none`, which no document has that `--workflows` names"),
    ],
)  # fmt: skip
def test_a_workflow_that_cannot_be_expressed_is_skipped_with_its_reason(
    make: Any, broken: Any, reason: str
) -> None:
    [(code, line, message)] = said(make, GOOD, workflow("bad", broken))
    assert code == "E1543" and message == f"workflow `bad` skipped: step `a`: {reason}"
    assert line > 10


@pytest.mark.parametrize("flows", [
    [workflow("a", step("s", "listThings", onSuccess=[{"type": "goto", "stepId": "s"}]))],
    [workflow("a", step("s", "listThings"), step("t", "listThings", onSuccess=[{"type": "goto", "stepId": "s"}]))],
    [workflow("a", {"stepId": "s", "workflowId": "a"})],
    [workflow("a", {"stepId": "s", "workflowId": "b"}), workflow("b", step("s", "listThings"), dependsOn=["a"])],
    [workflow("a", step("s", "listThings"), dependsOn=["a"])],
])  # fmt: skip
def test_a_workflow_that_never_ends_is_skipped(make: Any, flows: Any) -> None:
    found = said(make, GOOD, *flows)
    assert len(found) == len(flows)
    assert all("never come to an end" in text or "without an end" in text for _, _, text in found)


def test_a_way_to_the_end_is_enough(make: Any) -> None:
    back = {"type": "goto", "stepId": "s"}
    done = {"type": "end", "criteria": when("$statusCode == 201")}
    assert said(make, workflow("a", step("s", "listThings", onSuccess=[done, back]))) == []
    over = step("s", "listThings", onSuccess=[back], onFailure=[{"type": "end"}])
    assert said(make, workflow("a", over)) == []
    again = {"stepId": "t", "workflowId": "a"}
    assert said(make, workflow("a", step("s", "listThings", onSuccess=[done]), again)) == []


@pytest.mark.parametrize("keys", [
    {"dependsOn": ["need"]}, {"failureActions": [{"type": "goto", "workflowId": "need"}]},
])  # fmt: skip
def test_an_input_that_another_workflow_needs_is_there_or_a_warning(make: Any, keys: Any) -> None:
    text = inputs(name={"type": "string"})
    need = workflow("need", step("list", "listThings"), inputs={**text, "required": ["name"]})
    asks = workflow("asks", step("list", "listThings"), **keys)
    [(code, _, message)] = said(make, need, asks)
    assert code == "E1545" and "has no `name`, which `need` needs" in message
    assert said(make, need, {**asks, "inputs": text}) == []


def test_a_workflow_that_runs_one_the_configuration_leaves_out_says_so(make: Any) -> None:
    from mcpgen.config import Selection

    selection = Selection(exclude_operations=("WORKFLOW good",))
    runs = workflow("runs", {"stepId": "r", "workflowId": "good"})
    project = make(API, arazzo(GOOD, runs), selection=selection)
    [_, message] = [each.message for each in project.problems if each.code == "E1543"]
    assert (
        message
        == "workflow `runs` skipped: it runs `good`, which is no tool: `mcpgen.toml` says so"
    )


def test_a_workflow_without_an_id_is_skipped(make: Any) -> None:
    [(_, _, message)] = said(make, GOOD, {"steps": []})
    assert message == "a workflow is skipped: it needs a `workflowId` of its own"


@pytest.mark.parametrize(
    "condition", ["$.kind == 1", "$.a.kind!='x'", '$.kind >= "it"', "$.a == null"]
)
def test_the_condition_that_a_message_advises_is_read(make: Any, condition: str) -> None:
    [(_, _, message)] = said(make, GOOD, workflow("bad", judged(condition, "jsonpath")))
    advised = message.partition("write `")[2].partition("`")[0]
    mended = step("a", "listThings", successCriteria=when(advised))
    assert said(make, workflow("good", mended)) == []


def test_inputs_that_are_no_object_have_no_names(make: Any) -> None:
    inputs = {"type": "number", "properties": {"kind": {"type": "string"}}}
    asks = step("a", "listThings", parameters=[query("kind", "$inputs.kind")])
    [(_, _, message)] = said(make, GOOD, workflow("bad", asks, inputs=inputs))
    assert message == "workflow `bad` skipped: its `inputs` are not those of an object"


def test_what_runs_a_skipped_workflow_is_skipped_too(make: Any) -> None:
    bad = workflow("bad", step("a", "noSuch"))
    runs = workflow("runs", {"stepId": "r", "workflowId": "bad"})
    messages = [message for _, _, message in said(make, GOOD, bad, runs)]
    assert "workflow `runs` skipped: it runs `bad`, which is skipped" in messages


def test_a_workflow_whose_operation_was_filtered_says_so(make: Any) -> None:
    from mcpgen.config import Selection

    selection = Selection(exclude_operations=("listThings",))
    project = make(API, arazzo(GOOD), selection=selection)
    [problem] = [problem for problem in project.problems if problem.code == "E1543"]
    assert "which is no tool: excluded operation `listThings`" in problem.message
    assert not [tool for tool in project.server.tools if tool.workflow]


def test_an_expression_that_refers_to_nothing_is_a_warning(make: Any) -> None:
    get = step("get", "getThing", parameters=[path("id", "$steps.list.outputs.idd")])
    found = said(make, workflow("find", step("list", "listThings"), get))
    assert [code for code, _, _ in found] == ["E1542"]
    assert "`$steps.list.outputs.idd` refers to nothing" in found[0][2]


@pytest.mark.parametrize("text", [
    "$response.body#/id", "$response.body.size()", "$response.header.x", "$statusCode", "$method",
    "$request.query.kind", "$request.body#/id",
])  # fmt: skip
def test_what_a_call_sent_and_received_is_known_beside_that_call_alone(
    make: Any, api: Any, text: str
) -> None:
    first = step("list", "listThings", parameters=[query("kind", "k")])
    run = {"stepId": "run", "workflowId": "good", "outputs": {"x": text}}
    found = {"x": text, "y": "$steps.run.outputs.x"}
    project = make(API, arazzo(GOOD, workflow("find", first, run, outputs=found)))
    problems = [problem for problem in project.problems if problem.code == "E1542"]
    assert {problem.message for problem in problems} == {
        f"`{text}` refers to nothing: it is left out"
    }
    assert [problem.pointer.rpartition("/")[2] for problem in problems] == ["1", "outputs"]
    assert "make it an output of its step" in problems[0].hint
    assert project.outputs("find") == {}


@pytest.mark.parametrize(
    "text", ["$response.body#/items/0/id", "$response.header.x", "$statusCode"]
)
def test_an_answer_is_not_known_before_the_call(make: Any, api: Any, text: str) -> None:
    asks = step("list", "listThings", parameters=[query("kind", text)])
    project = make(API, arazzo(workflow("find", asks)))
    assert [problem.code for problem in project.problems] == ["E1542"]
    project.outputs("find")
    assert api.lines == ["GET /things"]


@pytest.mark.parametrize("name", ["list", "later"])
def test_an_output_of_a_step_that_has_not_run_refers_to_nothing(
    make: Any, api: Any, name: str
) -> None:
    found = {"id": "$response.body#/items/0/id"}
    asks = step("list", "listThings", parameters=[query("kind", f"$steps.{name}.outputs.id")])
    steps = [{**asks, "outputs": found}, step("later", "listThings", outputs=found)]
    project = make(API, arazzo(workflow("find", *steps, outputs={"id": "$steps.later.outputs.id"})))
    assert [problem.code for problem in project.problems] == ["E1542"]
    assert project.outputs("find") == {"id": "t1"}


def test_an_output_is_there_after_the_criteria_of_its_step(make: Any) -> None:
    found = {"id": "$response.body#/items/0/id"}
    own = when("$steps.list.outputs.id == 't1'")
    end = [{"name": "no", "type": "end", "criteria": own}]
    judged = step("list", "listThings", outputs=found, successCriteria=own, onFailure=end)
    project = make(API, arazzo(workflow("find", judged)))
    assert [problem.code for problem in project.problems] == ["E1542"]
    assert "the answer does not meet" in text_of(project.call("find"))


@pytest.mark.parametrize("step_id", ["list", "later"])
def test_an_output_read_before_it_is_there_is_left_out(make: Any, api: Any, step_id: str) -> None:
    found = {"early": f"$steps.{step_id}.outputs.id", "id": "$response.body#/items/0/id"}
    on = [{"name": "on", "type": "goto", "stepId": "later"}]
    early = [query("kind", "$steps.later.outputs.id")]
    listing = step("list", "listThings", outputs=found, onSuccess=on, parameters=early)
    outputs = {"early": "$steps.list.outputs.early", "id": "$steps.later.outputs.id"}
    later = step("later", "listThings", outputs=found)
    project = make(API, arazzo(workflow("find", listing, later, outputs=outputs)))
    assert project.outputs("find") == {"id": "t1"}
    assert api.lines == ["GET /things", "GET /things"]


def test_an_output_that_leads_to_itself_has_no_type(make: Any) -> None:
    own = {"all": "$steps.list.outputs.all", "id": "$response.body#/items/0/id"}
    listing = step("list", "listThings", outputs=own)
    later = step("later", "listThings", parameters=[query("kind", "$steps.list.outputs.all")])
    outputs = {"all": "$steps.list.outputs.all", "id": "$steps.list.outputs.id"}
    project = make(API, arazzo(workflow("find", listing, later, outputs=outputs)))
    assert project.outputs("find") == {"id": "t1"}


def test_a_step_beside_the_reference_of_an_action_may_have_run(make: Any) -> None:
    found = {"id": "$response.body#/items/0/id"}
    again = {"reference": "$components.failureActions.again", "stepId": "later"}
    early = [query("kind", "$steps.later.outputs.id")]
    listing = step("list", "listThings", parameters=early, onFailure=[again])
    components = {"failureActions": {"again": {"name": "again", "type": "retry"}}}
    steps = listing, step("later", "listThings", outputs=found)
    project = make(API, arazzo(workflow("find", *steps), components=components))
    assert [problem.code for problem in project.problems] == []


def test_an_output_without_the_word_outputs_refers_to_nothing(make: Any) -> None:
    listing = step("list", "listThings", outputs={"id": "$response.body#/id"})
    get = step("get", "getThing", parameters=[path("id", "$steps.list.id")])
    project = make(API, arazzo(workflow("find", listing, get)))
    [problem] = [problem for problem in project.problems if problem.code == "E1542"]
    assert "`$steps.STEP.outputs.NAME`" in problem.hint


@pytest.mark.parametrize(
    ("text", "codes"),
    [("$dependencies.setup.id", ["E1590"]), ("$5.00", []), ("$ref", []), ("costs $a.b", [])],
)
def test_a_text_that_looks_like_an_expression_is_a_warning(
    make: Any, text: str, codes: list[str]
) -> None:
    get = step("get", "getThing", parameters=[path("id", text)])
    assert [code for code, _, _ in said(make, workflow("find", get))] == codes


def test_a_time_limit_of_a_step_is_not_kept_and_said(make: Any) -> None:
    found = said(make, workflow("find", step("list", "listThings", timeout=5000)))
    assert [(code, message) for code, _, message in found] == [
        ("E1546", "the `timeout` of step `list` is not kept")
    ]


def test_what_an_operation_does_not_have_is_not_sent_and_said(make: Any) -> None:
    parameters = [
        query("colour", "red"),
        {"name": "Authorization", "in": "header", "value": "Bearer x"},
        {"name": "x_trace", "in": "header", "value": "t"},
    ]
    found = said(make, workflow("find", step("list", "listThings", parameters=parameters)))
    assert [code for code, _, _ in found] == ["E1541"] * 3
    messages = [message for _, _, message in found]
    assert messages[0].endswith("`colour`: the operation does not have it")
    assert messages[1].endswith("`Authorization`: the server sends its own")
    assert messages[2].endswith("sends `x_trace` as `X-Trace`: so the operation calls it")


def test_a_step_without_an_argument_that_its_operation_needs_is_a_warning(make: Any) -> None:
    [(code, _, message)] = said(make, workflow("find", step("get", "getThing")))
    assert code == "E1545"
    assert message.startswith("step `get` does not send `id`, which `GET /things/{id}` needs")
    need = workflow("need", step("a", "listThings"), inputs={"required": ["id"], **inputs(id={})})
    [(code, _, message)] = said(make, need, workflow("b", {"stepId": "r", "workflowId": "need"}))
    assert code == "E1545" and message.startswith("step `r` does not send `id`, which `need` needs")


@pytest.mark.parametrize(("tree", "message"), [
    ({"openapi": "3.1.0"}, "this is not an Arazzo document"),
    ({"arazzo": "2.0.0", "workflows": []}, "`arazzo: 2.0.0` is not supported"),
    ({"arazzo": "1.0.0"}, "`workflows` must be a list"),
])  # fmt: skip
def test_another_document_is_an_error(make: Any, tree: Any, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        make(API, tree)
    [problem] = caught.value.problems
    assert (problem.code, problem.message) == ("E1540", message)


def test_workflows_need_an_api(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"name": "x", "inputSchema": {"type": "object"}}]))
    flows = tmp_path / "flows.yaml"
    flows.write_text(yaml.safe_dump(arazzo(GOOD)))
    with pytest.raises(UsageError) as caught:
        pipeline.generate(Config(sources=(str(tools),), workflows=(str(flows),)), Problems())
    assert caught.value.problems[0].code == "E1544"


@pytest.mark.parametrize(
    ("url", "reach"), [("api.yaml", ""), ("api%2Eyaml", ""), ("../api.yaml", ".")]
)
def test_a_document_of_workflows_alone_brings_the_apis_below_its_folder(
    tmp_path: Path, url: str, reach: str
) -> None:
    flows = arazzo(GOOD)
    flows["sourceDescriptions"] = [{"name": "things", "url": url}]
    folder = tmp_path / "flows"
    folder.mkdir()
    (folder / "flows.yaml").write_text(yaml.safe_dump(flows))
    (folder / url.replace("%2E", ".")).write_text(yaml.safe_dump(API))
    config = Config(sources=(str(folder / "flows.yaml"),))
    if reach:
        with pytest.raises(DocumentError, match="Arazzo"):
            pipeline.generate(config, Problems())
        config = replace(config, ref_root=str(tmp_path / reach))
    document, server, _ = pipeline.generate(config, Problems())
    assert Path(document.source.name).name == "api.yaml"
    assert [tool.name for tool in server.tools if tool.workflow] == [GOOD["workflowId"]]


@pytest.mark.parametrize("url", ["", "%00", "\0", None, ["api.yaml"]])
def test_a_source_without_a_url_is_named(tmp_path: Path, url: Any) -> None:
    flows = tmp_path / "flows.json"
    sources = [{"name": "other", "type": "arazzo"}, {"name": "things", "url": url}]
    flows.write_text(json.dumps({**arazzo(GOOD), "sourceDescriptions": sources}))
    with pytest.raises(DocumentError) as caught:
        pipeline.generate(Config(sources=(str(flows),)), Problems())
    [problem] = caught.value.problems
    assert (problem.code, problem.message) == ("E1540", "the source `things` has no `url`")
    assert problem.place and problem.place.pointer == "/sourceDescriptions/1" and problem.place.line


def test_inputs_come_from_the_components(make: Any) -> None:
    listing = step("list", "listThings", parameters=[{"reference": "$components.parameters.k"}])
    schema = {"$ref": "#/components/inputs/find"}
    components = {
        "inputs": {
            "find": {**inputs(kind={"$ref": "#/components/inputs/kind"}), "required": ["kind"]},
            "kind": {"type": "string", "enum": ["a", "b"]},
        },
        "parameters": {"k": query("kind", "$inputs.kind")},
    }
    project = make(API, arazzo(workflow("find", listing, inputs=schema), components=components))
    [tool] = [tool for tool in project.server.tools if tool.workflow]
    assert tool.input_schema["properties"] == {"kind": {"type": "string", "enum": ["a", "b"]}}
    assert tool.input_schema["required"] == ["kind"] and not project.problems.has_errors


def test_outputs_have_the_types_of_what_they_are_taken_from(make: Any) -> None:
    document = copy.deepcopy(API)
    thing = {"type": "object", "properties": {"id": {"type": "string"}, "tags": {"type": "array"}}}
    answer = {"type": "object", "properties": {"items": {"type": "array", "items": thing}}}
    listing = document["paths"]["/things"]["get"]
    listing["responses"]["200"]["content"]["application/json"]["schema"] = answer
    outputs = {
        "id": "$response.body#/items/0/id", "first": "$response.body#/items/0",
        "tags": "$response.body.items[0].tags", "status": "$statusCode",
        "etag": "$response.header.ETag", "limit": "$inputs.limit",
        "text": "{$inputs.limit} of {$statusCode}", "made": {"a": "$statusCode"},
        "gone": "$response.body#/nothing",
    }  # fmt: skip
    first = step("list", "listThings", outputs=outputs)
    results = {name: f"$steps.list.outputs.{name}" for name in outputs}
    inner = workflow("find", first, outputs=results, inputs=inputs(limit={"type": "integer"}))
    run = {"stepId": "run", "workflowId": "find", "outputs": {"id": "$outputs.id"}}
    outer = workflow("outer", run, outputs={"id": "$steps.run.outputs.id"})
    project = make(document, arazzo(inner, outer), profile="rich")
    schemas = {tool.name: tool.output_schema for tool in project.server.tools}
    types = {name: each.get("type") for name, each in schemas["find"]["properties"].items()}
    assert types == {
        "id": ["string", "null"], "first": ["object", "null"], "tags": ["array", "null"],
        "status": ["integer", "null"], "etag": ["string", "null"], "limit": ["integer", "null"],
        "text": ["string", "null"], "made": ["object", "null"], "gone": None,
    }  # fmt: skip
    assert schemas["outer"]["properties"]["id"] == {"type": ["string", "null"]}
    models = (project.folder / "src" / project.package / "models.py").read_text()
    assert "class FindAnswer(TypedDict):" in models and "    status: NotRequired[int]" in models


def test_an_output_of_another_type_than_documented_is_in_the_text_alone(
    make: Any, api: Any
) -> None:
    document = copy.deepcopy(API)
    answer = {"type": "object", "properties": {"id": {"type": "string"}}}
    listing = document["paths"]["/things"]["get"]
    listing["responses"]["200"]["content"]["application/json"]["schema"] = answer
    outputs = {"id": "$response.body#/id", "status": "$statusCode"}
    first = step("list", "listThings", outputs=outputs)
    results = {name: f"$steps.list.outputs.{name}" for name in outputs}
    api.answers["GET /things"] = [(200, {"id": 5})]
    project = make(document, arazzo(workflow("find", first, outputs=results)), profile="rich")
    result = project.call("find", {})  # the official client checks it against the listed schema
    assert not result.is_error and result.structured_content == {"status": 200}
    assert json.loads(result.content[0].text) == {"id": 5, "status": 200}


def test_names_that_collide_are_told_apart(make: Any, api: Any) -> None:
    api.answers["GET /things"] = [(200, {"id": "t"})]
    schema = inputs(values={"type": "string"}, steps={"type": "string"}, general={"type": "string"})
    parameters = [query("kind", "{$inputs.values}{$inputs.steps}{$inputs.general}")]
    first = step(
        "list_things", "listThings", parameters=parameters, outputs={"values": "$response.body#/id"}
    )
    found = {"values": "$steps.list_things.outputs.values"}
    project = make(API, arazzo(workflow("listThings", first, inputs=schema, outputs=found)))
    arguments = {"values": "v", "steps": "s", "general": "g"}
    [tool] = [tool for tool in project.server.tools if tool.workflow]
    assert tool.name != "list_things" and project.outputs(tool.name, arguments) == {"values": "t"}
    assert api.lines == ["GET /things?kind=vsg"]


def test_a_workflow_calls_operations_of_several_apis(tmp_path: Path) -> None:
    other = {**copy.deepcopy(API), "openapi": "3.0.3"}
    other["servers"] = [{"url": "https://other.example.com"}]
    other["paths"]["/posts"] = {
        "post": {**API["paths"]["/things"]["get"], "operationId": "addPost"}
    }
    other["paths"]["/parts"] = {
        "get": {**API["paths"]["/things"]["get"], "operationId": "listParts"}
    }
    steps = (
        step("a", "$sourceDescriptions.api.listThings"),
        step("b", "listParts"),
        step("c", "$sourceDescriptions.b.listThings"),
    )
    url = "{$sourceDescriptions.b.url}#/paths/~1"
    path = {"stepId": "d", "operationPath": f"{url}things/post"}
    any_method = {"stepId": "f", "operationPath": f"{url}posts"}
    flows = arazzo(
        workflow("both", *steps, path, any_method), workflow("either", step("e", "listThings"))
    )
    flows["sourceDescriptions"] = [
        {"name": "api", "url": "a.yaml", "type": "openapi"},
        {"name": "b", "url": "somewhere.yaml", "type": "openapi"},
    ]
    for name, content in (("a", API), ("b", other), ("flows", flows)):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(content))
    problems = Problems()
    config = Config(
        sources=(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")),
        workflows=(str(tmp_path / "flows.yaml"),),
    )
    document, server, _ = pipeline.generate(config, problems)
    tools = {tool.name: tool for tool in server.tools}
    called = [each.operation for each in tools["both"].workflow.steps]
    assert called == [
        "GET /things", "GET b:/parts", "GET b:/things", "POST b:/things", "POST b:/posts"
    ]  # fmt: skip
    assert "either" not in tools
    assert any("several APIs have `listThings`" in problem.message for problem in problems)
    place = document.place(tools["b_list_parts"].origin.pointer)
    assert (Path(place.file).name, place.line > 1) == ("b.yaml", True) and not problems.has_errors


def test_a_workflow_brings_the_operations_that_it_calls(make: Any) -> None:
    from mcpgen.config import Selection

    project = make(API, arazzo(GOOD), selection=Selection(include_operations=("getThing",)))
    [workflow_tool] = [tool for tool in project.server.tools if tool.workflow]
    names = {tool.origin.operation_id for tool in project.server.tools}
    assert workflow_tool.workflow.id == "good" and "listThings" in names
    assert {problem.code for problem in project.problems} == {"E1547"}


def test_a_workflow_that_is_excluded_says_so_and_brings_nothing(make: Any) -> None:
    from mcpgen.config import Selection

    selection = Selection(include_operations=("getThing",), exclude_operations=("good",))
    project = make(API, arazzo(GOOD), selection=selection)
    assert [tool.origin.operation_id for tool in project.server.tools] == ["getThing"]
    [problem] = project.problems
    assert problem.message == "workflow `good` skipped: excluded operation `good`"
