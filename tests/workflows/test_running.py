"""What a workflow's tool does when it is called: the requests it makes, and what comes back."""

import copy
import importlib
import time
from typing import Any

import pytest
from workflow_things import (
    API,
    NUMBER,
    TEXT,
    arazzo,
    inputs,
    path,
    query,
    step,
    text_of,
    when,
    workflow,
)


def add_body(**payload: Any) -> dict[str, Any]:
    return {"requestBody": {"contentType": "application/json", "payload": payload}}


FIRST = step("list", "listThings", outputs={"id": "$response.body#/items/0/id"})
GET = step("get", "getThing", parameters=[path("id", "$steps.list.outputs.id")])


def test_steps_run_in_order_and_hand_their_outputs_on(flow: Any, api: Any) -> None:
    api.answers["GET /things/t1"] = [(200, {"name": "Lamp"})]
    get = {**GET, "outputs": {"name": "$response.body#/name"}}
    project = flow("find", FIRST, get, outputs={"it": "$steps.get.outputs.name"})
    assert project.outputs("find") == {"it": "Lamp"}
    assert api.lines == ["GET /things", "GET /things/t1"]
    assert project.seen == [(0, 2, "list"), (1, 2, "get")]


def test_an_input_that_is_not_given_is_not_sent(flow: Any, api: Any) -> None:
    listing = step("list", "listThings", parameters=[query("kind", "$inputs.kind")])
    project = flow("find", listing, inputs=inputs(kind={"type": "string"}))
    project.outputs("find")
    project.outputs("find", {"kind": "big one"})
    assert api.lines == ["GET /things", "GET /things?kind=big%20one"]


def test_inputs_are_checked_like_those_of_any_tool(flow: Any, api: Any) -> None:
    listing = step("list", "listThings", parameters=[query("limit", "$inputs.most")])
    schema = inputs(most={"type": "integer", "maximum": 5})
    result = flow("find", listing, inputs=schema).call("find", {"most": 9})
    assert result.is_error and "`most`" in text_of(result) and "9" in text_of(result)
    assert api.lines == []


def test_arguments_of_a_step_are_checked_before_anything_is_sent(flow: Any, api: Any) -> None:
    add = step("add", "addThing", **add_body(name="$steps.list.outputs.id", count="many"))
    result = flow("add_one", FIRST, add).call("add_one")
    assert result.is_error
    text = text_of(result)
    assert "Invalid arguments for `add_thing`" in text
    assert "It failed at step `add`. Done before it:\n- `list` (`list_things`)" in text
    assert api.lines == ["GET /things"]


def test_a_failure_says_what_was_done_and_what_can_be_undone(flow: Any, api: Any) -> None:
    api.answers["GET /things/t1"] = [(503, {"message": "closed"})]
    add = step("add", "addThing", outputs={"id": "$response.body#/id"}, **add_body(name="Lamp"))
    get = step("get", "getThing", parameters=[path("id", "$steps.add.outputs.id")])
    text = text_of(flow("add_and_get", add, get).call("add_and_get"))
    assert "503" in text and "failed at step `get`" in text
    assert "- `add` (`add_thing`): it changed something, which `remove_thing` can undo" in text


@pytest.mark.parametrize(("payload", "body"), [
    ({"name": "A {$inputs.word} b"}, {"name": "A x b"}),
    ({"name": "{$inputs.word}", "count": "{$inputs.number}"}, {"name": "x", "count": 3}),
    ('{"name": "{$inputs.word}", "count": {$inputs.number}}', {"name": "x", "count": 3}),
    ({"name": "n", "owner": {"id": "$inputs.word", "mail": "$inputs.none"}},
     {"name": "n", "owner": {"id": "x"}}),
    ({"name": "n", "tags": ["$inputs.word", "two"]}, {"name": "n", "tags": ["x", "two"]}),
    ("$inputs.whole", {"name": "all", "count": 1}),
    ({"name": "$inputs.whole.name"}, {"name": "all"}),
    ({"name": "$inputs.whole#/name"}, {"name": "all"}),
])  # fmt: skip
def test_payloads_are_filled_in(flow: Any, api: Any, payload: Any, body: Any) -> None:
    schema = inputs(
        word={"type": "string"},
        number={"type": "integer"},
        whole={"type": "object"},
        none={"type": "string"},
    )
    add = step("add", "addThing", requestBody={"payload": payload})
    project = flow("add_one", add, inputs=schema)
    arguments = {"word": "x", "number": 3, "whole": {"name": "all", "count": 1}}
    project.outputs("add_one", arguments)
    assert api.requests == [("POST /things", body)]


@pytest.mark.parametrize(("text", "body"), [
    ('{"name": "n", "count": 2}', {"name": "n", "count": 2}),
    ("name=a%20b&tags=x&tags=y", {"name": "a b", "tags": ["x", "y"]}),
])  # fmt: skip
def test_an_input_that_is_a_payload_as_text_is_sent(
    flow: Any, api: Any, text: str, body: dict[str, Any]
) -> None:
    add = step("add", "addThing", requestBody={"payload": "$inputs.thing"})
    flow("add_one", add, inputs=inputs(thing=TEXT)).outputs("add_one", {"thing": text})
    assert api.requests == [("POST /things", body)]


@pytest.mark.parametrize("thing", ["not json", '{"name"', ""])
def test_a_text_that_is_no_payload_is_refused_before_anything_is_sent(
    flow: Any, api: Any, thing: str
) -> None:
    add = step("add", "addThing", requestBody={"payload": "$inputs.thing"})
    project = flow("add_one", add, inputs=inputs(thing=TEXT))
    assert "`name` is required" in text_of(project.call("add_one", {"thing": thing}))
    assert api.requests == []


@pytest.mark.parametrize("targets", [("/owner/id", "/count"), ("$.owner['id']", "$.count")])
def test_parts_of_a_payload_are_replaced(flow: Any, api: Any, targets: tuple[str, str]) -> None:
    replacements = [
        {"target": targets[0], "value": "$inputs.who"},
        {"target": targets[1], "value": 2},
    ]
    payload = {"name": "n", "owner": {"id": "nobody", "mail": "m"}, "count": 1}
    body = {"payload": payload, "replacements": replacements}
    add = step("add", "addThing", requestBody=body)
    project = flow("add_one", add, inputs=inputs(who={"type": "string"}))
    project.outputs("add_one", {"who": "ana"})
    assert api.requests[0][1] == {"name": "n", "owner": {"id": "ana", "mail": "m"}, "count": 2}


@pytest.mark.parametrize(("condition", "is_met"), [
    ("$statusCode == 200", True), ("$statusCode == 201", False),
    ("$statusCode >= 200 && $statusCode < 300", True),
    ("$statusCode == 201 || $response.body#/name == 'LAMP'", True),
    ("!($response.body#/name == 'lamp')", False), ("$response.body#/count > 2", True),
    ("$response.body#/count > $inputs.most", False), ("$response.body#/text == 5", True),
    ("$response.body#/text < 5.5", True), ("$response.body#/gone == null", True),
    ("$response.body#/gone != null", False), ("$response.body#/gone > 1", False),
    ("$response.body#/on", True), ("$response.body#/off", False),
    ("$response.body#/on == true", True), ("$response.body.items[1].id == 'b'", True),
    ("$response.body.items.length == 2", True), ("$response.body.box.size == 5", True),
    ("$response.body.box.size() == 2", True), ("$response.body.box.length == 2", True),
    ("$response.header.X-Kind == 'odd'", True),
    ("$method == 'get'", True), ("$request.query.kind == 'k'", True),
    ("$response.body#/quote == 'it''s'", True),
])  # fmt: skip
def test_simple_conditions(flow: Any, api: Any, condition: str, is_met: bool) -> None:
    data = {
        "name": "lamp", "count": 3, "text": "5", "on": True, "off": False, "quote": "It's",
        "items": [{"id": "a"}, {"id": "b"}], "box": {"size": 5, "": 1},
    }  # fmt: skip
    api.answers["GET /things"] = [(200, data, {"X-Kind": "odd"})]
    listing = step(
        "list", "listThings", parameters=[query("kind", "k")], successCriteria=when(condition)
    )
    schema = inputs(most={"type": "integer"})
    result = flow("find", listing, inputs=schema).call("find", {"most": 3})
    assert result.is_error is not is_met, text_of(result)
    if not is_met:
        assert f"does not meet `{condition}`" in text_of(result)


NOTE = "a" * 40 + "!"
"""A text that takes patterns years on an engine that goes back."""


@pytest.mark.parametrize(("criterion", "is_met"), [
    ({"context": "$statusCode", "condition": "^2\\d\\d$", "type": "regex"}, True),
    ({"context": "$response.body#/name", "condition": "^b", "type": "regex"}, False),
    ({"context": "$response.body#/gone", "condition": ".*", "type": "regex"}, False),
    ({"context": "$response.body", "condition": "$.items[?@.id == 'a']", "type": "jsonpath"}, True),
    ({"context": "$response.body", "condition": "$.items[?@.id == '{$inputs.id}']",
      "type": "jsonpath"}, False),
    ({"context": "$response.body", "condition": "$.gone[*]",
      "type": {"type": "jsonpath", "version": "rfc9535"}}, False),
    ({"context": "$response.body", "condition": "$[?match(@, '(a|a)*!')]", "type": "jsonpath"},
     True),
    ({"context": "$response.body", "condition": "$[?search(@, '(a+)+$')]", "type": "jsonpath"},
     False),
])  # fmt: skip
def test_other_criteria(flow: Any, api: Any, criterion: Any, is_met: bool) -> None:
    api.answers["GET /things"] = [(200, {"name": "lamp", "items": [{"id": "a"}], "note": NOTE})]
    listing = step("list", "listThings", successCriteria=[criterion])
    schema = inputs(id={"type": "string"})
    result = flow("find", listing, inputs=schema).call("find", {"id": "z"})
    assert result.is_error is not is_met, text_of(result)


def retry(**more: Any) -> dict[str, Any]:
    return {"name": "again", "type": "retry", "retryAfter": 0.01, **more}


def test_a_step_is_tried_again_until_it_succeeds(flow: Any, api: Any) -> None:
    api.answers["GET /things"] = [(503, {}), (200, {"state": "wait"}), (200, {"state": "done"})]
    criteria = when("$statusCode == 200", "$response.body#/state == 'done'")
    listing = step(
        "list", "listThings", successCriteria=criteria, onFailure=[retry(retryLimit=5)],
        outputs={"state": "$response.body#/state"},
    )  # fmt: skip
    project = flow("wait_for", listing, outputs={"state": "$steps.list.outputs.state"})
    assert project.outputs("wait_for") == {"state": "done"} and api.lines == ["GET /things"] * 3
    assert "while True:" in project.code and "match " not in project.code


def test_attempts_are_limited_and_then_the_step_fails(flow: Any, api: Any) -> None:
    api.answers["GET /things"] = [(503, {"message": "closed"})]
    actions = [retry(retryAfter=0.2, retryLimit=2, criteria=when("$statusCode == 503"))]
    listing = step(
        "list", "listThings", successCriteria=when("$statusCode == 200"), onFailure=actions
    )
    project, started = flow("wait_for", listing), time.monotonic()
    result = project.call("wait_for")
    assert time.monotonic() - started >= 0.4
    assert result.is_error and "503" in text_of(result) and len(api.lines) == 3


def test_each_step_has_attempts_of_its_own(flow: Any, api: Any) -> None:
    api.answers["GET /things"] = [(503, {}), (200, {})]
    api.answers["POST /things"] = [(503, {}), (200, {"id": "t1"})]
    again = [retry(retryLimit=1, criteria=when("$statusCode == 503"))]
    both = {"successCriteria": when("$statusCode == 200"), "onFailure": again}
    steps = (
        step("list", "listThings", **both),
        step("add", "addThing", **both, **add_body(name="Key")),
    )
    result = flow("wait_for", *steps).call("wait_for")
    assert not result.is_error, text_of(result)
    assert len(api.lines) == 4


@pytest.mark.parametrize("criterion", [
    {"condition": "$statusCode == 410"}, {"condition": "410 == $statusCode"},
    {"condition": "^410$", "type": "regex", "context": "$statusCode"},
])  # fmt: skip
def test_a_criterion_may_ask_for_a_failure(flow: Any, api: Any, criterion: Any) -> None:
    api.answers["GET /things"] = [(410, {})]
    listing = step(
        "list", "listThings", successCriteria=[criterion], outputs={"status": "$statusCode"}
    )
    found = {"status": "$steps.list.outputs.status"}
    assert flow("find", listing, outputs=found).outputs("find") == {"status": 410}


@pytest.mark.parametrize("repair_first", [True, False])
def test_a_retry_runs_another_step_first(flow: Any, api: Any, repair_first: bool) -> None:
    api.answers["GET /things"] = [(401, {}), (200, {"id": "t1"})]
    api.answers["POST /things"] = [(200, {"id": "first"}), (200, {"id": "second"})]
    add = step(
        "add", "addThing", outputs={"id": "$response.body#/id"},
        onFailure=[{"name": "stop", "type": "end"}], **add_body(name="Key"),
    )  # fmt: skip
    listing = step(
        "list", "listThings", parameters=[query("kind", "$steps.add.outputs.id")],
        successCriteria=when("$statusCode == 200"), onFailure=[retry(stepId="add")],
    )  # fmt: skip
    steps = (add, listing) if repair_first else (listing, add)
    found = {"id": "$steps.add.outputs.id"}
    assert flow("find", *steps, outputs=found).outputs("find") == {"id": "second"}
    if repair_first:
        again = ["POST /things", "GET /things?kind=second"]
        assert api.lines == ["POST /things", "GET /things?kind=first", *again]
    else:
        again = ["POST /things", "GET /things?kind=first"]
        assert api.lines == ["GET /things", *again, "POST /things"]


def test_a_retry_whose_other_step_fails_fails(flow: Any, api: Any) -> None:
    api.answers["GET /things"] = [(401, {})]
    api.answers["POST /things"] = [(503, {})]
    add = step("add", "addThing", **add_body(name="Key"))
    listing = step("list", "listThings", onFailure=[retry(stepId="add")])
    assert "It failed at step `add`" in text_of(flow("find", listing, add).call("find"))
    assert api.lines == ["GET /things", "POST /things"]


def test_a_retry_runs_another_workflow_first(make: Any, api: Any) -> None:
    api.answers["GET /things"] = [(401, {}), (200, {})]
    listing = step("list", "listThings", onFailure=[retry(workflowId="addIt")])
    schema = inputs(name={"type": "string"})
    listing["parameters"] = [query("kind", "$workflows.addIt.outputs.id")]
    found = {"id": "$workflows.addIt.outputs.id"}
    flow = workflow("find", listing, inputs=schema, outputs=found)
    project = make(API, arazzo(nested(), flow))
    assert project.outputs("find", {"name": "Lamp"}) == {"id": "t1"}
    assert api.lines == ["GET /things", "POST /things", "GET /things?kind=t1"]


def test_nothing_follows_a_step_that_always_ends(make: Any) -> None:
    ending = step("list", "listThings", onSuccess=[{"name": "end", "type": "end"}])
    project = make(API, arazzo(workflow("find", ending, step("get", "listThings"))))
    [module] = project.folder.glob("src/*/tools/workflows.py")
    assert module.read_text().count("await") == module.read_text().count("    return ") == 1


def test_a_failure_that_is_expected_ends_the_workflow_with_its_outputs(flow: Any, api: Any) -> None:
    api.answers["GET /things/t1"] = [(404, {})]
    get = {
        **GET, "successCriteria": when("$statusCode == 200"), "outputs": {"n": "$response.body#/n"},
        "onFailure": [{"name": "gone", "type": "end", "criteria": when("$statusCode == 404")}],
    }  # fmt: skip
    found = {"id": "$steps.list.outputs.id", "n": "$steps.get.outputs.n"}
    assert flow("find", FIRST, get, outputs=found).outputs("find") == {"id": "t1"}


def test_goto_jumps_to_another_step(flow: Any, api: Any) -> None:
    api.answers["GET /things"] = [(200, {"items": [{"id": "t1"}]}), (200, {"items": []})]
    api.answers["DELETE /things/t1"] = [(200, {})]
    more = [
        {"name": "none", "type": "end", "criteria": when("$response.body#/items/0 == null")},
        {"name": "one", "type": "goto", "stepId": "remove"},
    ]
    listing = {**FIRST, "onSuccess": more}
    never = step("never", "getThing", parameters=[path("id", "never")])
    remove = step(
        "remove", "removeThing", parameters=[path("id", "$steps.list.outputs.id")],
        onSuccess=[{"name": "next", "type": "goto", "stepId": "list"}],
    )  # fmt: skip
    found = {"last": "$steps.list.outputs.id"}
    project = flow("clear", listing, never, remove, outputs=found)
    assert project.outputs("clear") == {}
    assert api.lines == ["GET /things", "DELETE /things/t1", "GET /things"]
    [tool] = [tool for tool in project.server.tools if tool.workflow]
    assert tool.hints.destructive and not tool.hints.read_only


def test_goto_to_the_next_step_goes_on(flow: Any, api: Any) -> None:
    api.answers["GET /things/t1"] = [(200, {"id": "t1"})]
    listing = {**FIRST, "onSuccess": [{"name": "on", "type": "goto", "stepId": "get"}]}
    assert flow("find", listing, GET).outputs("find") == {}
    assert api.lines == ["GET /things", "GET /things/t1"]


def nested() -> dict[str, Any]:
    add = step(
        "add", "addThing", outputs={"id": "$response.body#/id"}, **add_body(name="$inputs.name")
    )
    schema = {**inputs(name={"type": "string"}), "required": ["name"]}
    return workflow("addIt", add, inputs=schema, outputs={"id": "$steps.add.outputs.id"})


def test_a_step_runs_another_workflow(make: Any, api: Any) -> None:
    api.answers["GET /things/t1"] = [(404, {})]
    run = {
        "stepId": "run", "workflowId": "addIt", "parameters": [{"name": "name", "value": "Lamp"}],
        "outputs": {"id": "$outputs.id"},
    }  # fmt: skip
    get = step("get", "getThing", parameters=[path("id", "$steps.run.outputs.id")])
    text = text_of(make(API, arazzo(nested(), workflow("both", run, get))).call("both"))
    assert api.lines == ["POST /things", "GET /things/t1"]
    assert "- run, `add` (`add_thing`): it changed something" in text


def test_the_outputs_of_a_workflow_that_a_step_ran_are_known(make: Any, api: Any) -> None:
    run = {
        "stepId": "run", "workflowId": "addIt", "parameters": [{"name": "name", "value": "Lamp"}],
        "successCriteria": when("$workflows.addIt.outputs.id == 't1'"),
    }  # fmt: skip
    found = {"id": "$workflows.addIt.outputs.id"}
    project = make(API, arazzo(nested(), workflow("both", run, outputs=found)))
    assert project.outputs("both") == {"id": "t1"}


def test_workflows_it_depends_on_run_first(make: Any, api: Any) -> None:
    api.answers["GET /things/t1"] = [(200, {"name": "Lamp"})]
    get = step("get", "getThing", parameters=[path("id", "$workflows.addIt.outputs.id")])
    schema = {**inputs(name={"type": "string"}), "required": ["name"]}
    project = make(
        API, arazzo(nested(), workflow("after", get, dependsOn=["addIt"], inputs=schema))
    )
    project.outputs("after", {"name": "Lamp"})
    assert api.requests[0] == ("POST /things", {"name": "Lamp"})
    assert api.lines[1] == "GET /things/t1"


def test_goto_hands_over_to_another_workflow(make: Any, api: Any) -> None:
    api.answers["GET /things"] = [(404, {})]
    listing = step(
        "list", "listThings", successCriteria=when("$statusCode == 200"),
        onFailure=[{"name": "make", "type": "goto", "workflowId": "addIt"}],
    )  # fmt: skip
    project = make(
        API, arazzo(nested(), workflow("find", listing, inputs=inputs(name={"type": "string"})))
    )
    assert project.outputs("find", {"name": "Lamp"}) == {"id": "t1"}


def test_guards_of_the_tools_hold_inside_a_workflow(make: Any, api: Any) -> None:
    project = make(API, arazzo(nested()))
    hooks = project.folder / "src" / project.package / "hooks.py"
    guard = "from . import ToolError\n\n\ndef before_add_thing(call):\n    raise ToolError('not today')\n"
    hooks.write_text(guard)
    result = project.call("add_it", {"name": "Lamp"})
    assert "not today" in text_of(result) and "Nothing had been done before it" in text_of(result)
    assert api.lines == []


def test_a_function_of_the_users_takes_the_place_of_a_step(make: Any, api: Any) -> None:
    flow = nested()
    flow["steps"][0]["successCriteria"] = when("$statusCode == 200")
    project = make(API, arazzo(flow))
    own = project.folder / "src" / project.package / "custom" / "add_thing.py"
    own.write_text("async def add_thing(*, name, **more):\n    return {'id': name.upper()}\n")
    assert project.outputs("add_it", {"name": "lamp"}) == {"id": "LAMP"} and api.lines == []


def test_a_workflow_works_where_only_its_toolset_is_chosen(make: Any, api: Any) -> None:
    project = make(API, arazzo(nested()))
    assert project.outputs("add_it", {"name": "x"}, toolsets=["workflows"]) == {"id": "t1"}


def test_a_read_only_server_has_the_workflows_that_only_read(make: Any, api: Any) -> None:
    project = make(API, arazzo(nested(), workflow("find", FIRST)))
    project.outputs("find", read_only=True)
    assert "read-only" in text_of(project.call("add_it", {"name": "x"}, read_only=True))
    hints = {tool.name: tool.hints.read_only for tool in project.server.tools if tool.workflow}
    assert hints == {"add_it": False, "find": True}


def test_a_text_that_stands_for_a_number_is_sent_as_one(flow: Any, api: Any) -> None:
    listing = step("list", "listThings", parameters=[query("limit", "7"), query("kind", "7")])
    flow("find", listing).outputs("find")
    assert api.lines == ["GET /things?kind=7&limit=7"]


@pytest.mark.parametrize(("text", "sent"), [("7", "limit=7"), ("many", ""), ("NaN", "")])
def test_an_input_that_is_a_text_is_sent_as_the_number_it_stands_for(
    flow: Any, api: Any, text: str, sent: str
) -> None:
    listing = step("list", "listThings", parameters=[query("limit", "$inputs.most")])
    result = flow("find", listing, inputs=inputs(most=TEXT)).call("find", {"most": text})
    assert api.lines == [f"GET /things?{sent}"] * bool(sent) and result.is_error is (sent == "")


def test_a_text_in_an_answer_is_sent_as_the_number_it_stands_for(flow: Any, api: Any) -> None:
    api.answers["GET /things"] = [(200, {}, {"X-Next": "8"})]
    first = step("first", "listThings", outputs={"next": "$response.header.X-Next"})
    then = step("then", "listThings", parameters=[query("limit", "$steps.first.outputs.next")])
    flow("find", first, then).outputs("find")
    assert api.lines == ["GET /things", "GET /things?limit=8"]


def test_a_workflow_gets_the_number_that_a_text_stands_for(make: Any, api: Any) -> None:
    listing = step("list", "listThings", parameters=[query("limit", "$inputs.most")])
    inner = workflow("inner", listing, inputs=inputs(most=NUMBER))
    call = {"stepId": "call", "workflowId": "inner", "parameters": [{"name": "most", "value": "3"}]}
    make(API, arazzo(inner, workflow("outer", call))).outputs("outer")
    assert api.lines == ["GET /things?limit=3"]


def test_workflows_that_run_each_other_without_end_are_stopped(flow: Any, api: Any) -> None:
    listing = {**FIRST, "onSuccess": [{"type": "end", "criteria": when("$statusCode == 201")}]}
    result = flow("turn", listing, {"stepId": "again", "workflowId": "turn"}).call("turn")
    assert "more than 20 deep" in text_of(result) and len(api.lines) == 20


BYTES_OF_A_TEXT = {"type": "string", "contentEncoding": "base64"}


@pytest.mark.parametrize(("payload", "body"), [
    ("$inputs.text", "a b"), ("no. {$inputs.number}", "no. 7"), ("$inputs.bytes", "a b"),
    ("plain", "plain"),
])  # fmt: skip
def test_a_text_in_the_place_of_bytes_is_its_bytes(
    make: Any, api: Any, payload: str, body: str
) -> None:
    """Unless the schema of the input says that the text is base64."""
    document = copy.deepcopy(API)
    taken = {"requestBody": {"content": {"application/octet-stream": {}}}}
    post = {"operationId": "addFile", **taken, "responses": {"200": {"description": "ok"}}}
    document["paths"]["/files"] = {"post": post}
    api.answers["POST /files"] = [(200, {})]
    add = step("add", "addFile", requestBody={"payload": payload})
    schema = inputs(text=TEXT, number=NUMBER, bytes=BYTES_OF_A_TEXT)
    project = make(document, arazzo(workflow("add_it", add, inputs=schema)))
    project.outputs("add_it", {"text": "a b", "number": 7, "bytes": "YSBi"})
    assert api.requests == [("POST /files", body)]


@pytest.mark.parametrize(("name", "value", "sent"), [
    ("tags", "$inputs.text", "tags=a%20b"), ("tags", "one", "tags=one"),
    ("tags", ["one", "two"], "tags=one&tags=two"), ("tags", "$inputs.list", "tags=x&tags=y"),
    ("tags", "$inputs.json", "tags=j&tags=k"), ("kind", "$inputs.number", "kind=7"),
    ("kind", 7, "kind=7"), ("kind", True, "kind=true"), ("tags", "$inputs.nothing", ""),
    ("kind", "$inputs.nothing_counted", ""),
])  # fmt: skip
def test_a_parameter_takes_a_value_of_another_type_that_looks_the_same(
    make: Any, api: Any, name: str, value: Any, sent: str
) -> None:
    document = copy.deepcopy(API)
    tags = {"name": "tags", "in": "query", "schema": {"type": "array", "items": TEXT}}
    document["paths"]["/things"]["get"]["parameters"].append(tags)
    listing = step("list", "listThings", parameters=[query(name, value)])
    lists = {"type": "array", "items": TEXT}
    schema = inputs(text=TEXT, number=NUMBER, list=lists, json=TEXT, nothing=TEXT)
    schema["properties"]["nothing_counted"] = NUMBER
    project = make(document, arazzo(workflow("find", listing, inputs=schema)))
    given = {"text": "a b", "number": 7, "list": ["x", "y"], "json": '["j", "k"]'}
    project.outputs("find", given)
    assert api.lines == [f"GET /things?{sent}".rstrip("?")]


@pytest.mark.parametrize(
    ("own", "line"), [("https://x/y", "GET /things?kind=https%3A%2F%2Fx%2Fy"), ("", "GET /things")]
)
def test_self_is_the_uri_of_the_document(make: Any, api: Any, own: str, line: str) -> None:
    find = workflow("find", step("list", "listThings", parameters=[query("kind", "$self")]))
    project = make(API, arazzo(find, **{"arazzo": "1.1.0", "$self": own}))
    project.outputs("find")
    assert api.lines == [line] and ("E1542" in project.codes) is (own == "")


def test_a_step_that_waits_for_something_pauses_and_ends(
    flow: Any, api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = {"name": "done", "type": "end", "criteria": when("$response.body#/state == 'done'")}
    again = {"name": "again", "type": "goto", "stepId": "get"}
    get = step("get", "getThing", parameters=[path("id", "t1")], onSuccess=[done, again])
    api.answers["GET /things/t1"] = [(200, {"state": "waiting"})]
    project = flow("wait", get)
    steps = importlib.import_module(f"{project.package}.runtime.parts.workflows.steps")
    waits: list[float] = []
    monkeypatch.setattr(steps, "sleep", _noting(waits))
    monkeypatch.setenv(f"{project.server.env_prefix}_MAX_STEPS", "40")
    text = text_of(project.call("wait"))
    assert f"at most 40 steps (`{project.server.env_prefix}_MAX_STEPS`)" in text
    assert len(api.lines) == 40
    assert waits == [steps.PAUSE] * 30
    assert text.count("`get` (`get_thing`)") == steps.LISTED
    assert "30 steps, and then" in text


def _noting(waits: list[float]) -> Any:
    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    return sleep
