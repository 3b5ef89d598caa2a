"""Every tool does what its contract says: written by mcpgen, run against a recorder in the place of
the API.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
import pytest

DATA = json.loads((Path(__file__).parent / "tools.json").read_bytes())
TOOLS = {tool["name"]: tool for tool in DATA["tools"]}
SENDING = [name for name, tool in TOOLS.items() if tool["request"] is not None]
OWN = [name for name, tool in TOOLS.items() if tool["request"] is None]

FOLDERS = (Path(__file__).parents[1] / "src").glob("*/contracts.json")
CONTRACTS = {
    name: contract for path in FOLDERS for name, contract in json.loads(path.read_bytes()).items()
}
EXACT = [name for name in TOOLS if not CONTRACTS.get(name, {}).get("more")]
"""The tools that take no arguments but their own."""
SAMPLED = [name for name in SENDING if TOOLS[name]["arguments"] is not None]
"""The tools with arguments to try them with."""
READY = [
    name
    for name in SAMPLED
    if TOOLS[name]["request"]["security"] is not None and TOOLS[name]["request"]["method"] != "HEAD"
]
SECURED = [name for name in SAMPLED if TOOLS[name]["request"]["security"]]
ASKED = [name for name in READY if name in SECURED]

each_era = pytest.mark.parametrize("era", ["auto", "legacy"])


def each(names: Sequence[str]) -> pytest.MarkDecorator:
    """Run a test for each of these tools; without any there is no such test."""
    if names:
        return pytest.mark.parametrize("name", names)
    return cast("pytest.MarkDecorator", lambda test: None)


def called(outcomes: Any, era: str, kind: str, name: str) -> Any:
    """The outcome of a call."""
    outcome = outcomes.called[era, kind, name]
    assert outcome.error is None, f"the client raised {outcome.error!r}"
    return outcome


@each_era
def test_every_tool_is_listed_once(outcomes: Any, era: str) -> None:
    names = [tool["name"] for tool in outcomes.listed[era]]
    assert len(names) == len(set(names))
    assert set(TOOLS) <= set(names)


@each_era
def test_every_listed_tool_is_complete_and_its_schemas_are_valid(outcomes: Any, era: str) -> None:
    for tool in outcomes.listed[era]:
        assert tool["title"], tool["name"]
        hints = tool["annotations"]
        for hint in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"):
            assert isinstance(hints[hint], bool), tool["name"]
        for schema in (tool["inputSchema"], tool.get("outputSchema", {"type": "object"})):
            assert schema["type"] == "object", tool["name"]
            jsonschema_rs.meta.validate(schema)


@each(SAMPLED)
@each_era
def test_a_call_becomes_the_request_of_its_operation(outcomes: Any, era: str, name: str) -> None:
    request, outcome = TOOLS[name]["request"], called(outcomes, era, "valid", name)
    if request["security"] is None:
        assert outcome.failed, "this operation needs a credential that cannot be configured"
        assert outcome.requests == []
        return
    assert not outcome.failed, outcome.text
    assert len(outcome.requests) == 1
    [sent] = outcome.requests
    assert sent.method == request["method"]
    assert sent.goes_to(request["path"]), sent.path
    for expected in request["expect"]:
        assert sent.holds(
            expected, request["path"]
        ), f"{expected} is not in {sent.path}?{sent.query} {sent.body!r}"


@each(SECURED)
def test_the_credentials_are_where_they_belong(outcomes: Any, name: str) -> None:
    request, outcome = TOOLS[name]["request"], called(outcomes, "auto", "valid", name)
    [sent] = outcome.requests
    assert any(
        all(sent.holds(one, request["path"]) for one in group) for group in request["security"]
    )


@each(EXACT)
@each_era
def test_an_unknown_argument_is_refused_and_nothing_is_sent(
    outcomes: Any, era: str, name: str
) -> None:
    outcome = called(outcomes, era, "unknown", name)
    assert outcome.failed
    assert "no_such_argument" in outcome.text
    assert outcome.requests == []


def test_tools_that_only_you_know_refuse_what_their_signatures_do_not_take(outcomes: Any) -> None:
    for (_, kind, name), outcome in outcomes.called.items():
        if name in TOOLS:
            continue
        kind, _, argument = kind.partition(" ")
        told = {
            "unknown": "no_such_argument",
            "missing": f"`{argument}` is required",
            "wrong": f"`{argument}` must be",
        }
        assert outcome.failed, (name, kind, argument)
        assert told[kind] in outcome.text, (name, kind, argument)


def test_every_function_with_tool_is_served_as_it_is_written(outcomes: Any) -> None:
    assert not outcomes.left_out, "\n".join(outcomes.left_out)


@each([name for name in SAMPLED if TOOLS[name]["required"]])
@each_era
def test_a_missing_argument_is_asked_for_and_nothing_is_sent(
    outcomes: Any, era: str, name: str
) -> None:
    outcome = called(outcomes, era, "missing", name)
    assert outcome.failed
    assert f"`{TOOLS[name]['required']}` is required" in outcome.text
    assert outcome.requests == []


@each(SAMPLED)
@each_era
@pytest.mark.parametrize("status", ["404", "500"])
def test_an_error_of_the_api_is_a_result_the_model_can_read(
    outcomes: Any, era: str, status: str, name: str
) -> None:
    outcome = called(outcomes, era, status, name)
    assert outcome.failed
    if outcome.requests and outcome.requests[0].method != "HEAD":
        assert status in outcome.text


if READY:

    @each_era
    def test_an_api_that_is_too_slow_is_told_with_the_setting(outcomes: Any, era: str) -> None:
        outcome = called(outcomes, era, "late", READY[0])
        assert outcome.failed
        assert "TIMEOUT" in outcome.text


if ASKED:

    @each_era
    def test_without_its_credential_a_call_sends_nothing_and_names_it(
        outcomes: Any, era: str
    ) -> None:
        outcome = called(outcomes, era, "unset", ASKED[0])
        assert outcome.failed
        assert outcome.requests == []
        assert any(name in outcome.text for name in DATA["environment"])

    @each_era
    def test_a_credential_that_the_api_refuses_is_named(outcomes: Any, era: str) -> None:
        outcome = called(outcomes, era, "401", ASKED[0])
        assert outcome.failed
        assert "401" in outcome.text
        assert any(name in outcome.text for name in DATA["environment"])


def test_no_credential_is_in_any_result(outcomes: Any) -> None:
    for (era, kind, name), outcome in outcomes.called.items():
        said = json.dumps(outcome.result) + str(outcome.error)
        for secret in (*DATA["environment"].values(), "canary-fetched-token-0123456789"):
            assert secret not in said, (era, kind, name)


@each(OWN)
def test_a_function_of_your_own_takes_the_arguments_of_its_contract(
    outcomes: Any, package: str, name: str
) -> None:
    tools = importlib.import_module(package).App(package, yours=False)
    entry = tools.catalog.find(name)
    assert (
        entry is not None
    ), "its function is missing, or its module cannot be imported: see the log"
    function = inspect.unwrap(entry.function())
    place = f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"
    parameters = inspect.signature(function).parameters.values()
    keywords = {
        parameter.name: parameter
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    arguments = outcomes.contracts[name]["arguments"]
    needed = {
        keyword for keyword, parameter in keywords.items() if parameter.default is parameter.empty
    }
    promised = {
        arguments.get(argument, argument)
        for argument in entry.tool["inputSchema"].get("required", ())
    }
    assert needed <= promised, f"{place}: these are not required: {sorted(needed - promised)}"
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        missing = sorted(set(arguments.values()) - set(keywords))
        assert not missing, f"{place}: these arguments are missing: {missing}"
        assert not outcomes.contracts[name].get(
            "more"
        ), f"{place}: it has to take further arguments: `**more: Any`"
