"""The tools of a large API that are worth having first."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mcpgen import pipeline
from mcpgen.cli import run
from mcpgen.config import Config
from mcpgen.config.file import parse_config
from mcpgen.problems import Problems
from mcpgen.suggest import lines, suggest


def operation(path: str, **more: Any) -> dict[str, Any]:
    """An Operation Object that takes the parameters of its path."""
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)\}", path)
    ]
    return {"parameters": parameters, "responses": {"200": {"description": "Done"}}, **more}


def api(folder: Path, *lines: str, **more: dict[str, Any]) -> Path:
    """A document of operations, such as `GET POST /orders`; `more` is what some say by their path's
    last word.
    """
    paths: dict[str, Any] = {}
    for line in lines:
        *methods, path = line.split()
        said = more.get(re.findall(r"\w+", path)[-1], {})
        paths[path] = {method.lower(): operation(path, **said) for method in methods}
    document = {
        "openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}], "paths": paths,
    }  # fmt: skip
    (folder / "openapi.json").write_text(json.dumps(document))
    return folder / "openapi.json"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return api(
        tmp_path, "GET POST /orders", "GET PUT PATCH DELETE /orders/{id}", "GET /orders/{id}/lines",
        "GET /orders/{id}/lines/{line}/notes/{note}", "GET /old", "GET /status",
        old={"deprecated": True},
    )  # fmt: skip


def chosen(document: Path, limit: int) -> set[str]:
    _, server = pipeline.understand(Config(sources=(str(document),)), Problems())
    return {choice.key for choice in suggest(server, limit)}


def test_the_reads_and_main_writes_of_the_main_resource_come_first(document: Path) -> None:
    assert chosen(document, 4) == {"GET /orders", "POST /orders", "GET /orders/{id}", "PATCH /orders/{id}"}  # fmt: skip


def test_a_second_way_to_change_the_same_thing_comes_after_other_resources(document: Path) -> None:
    assert "GET /status" in chosen(document, 7) and "PUT /orders/{id}" not in chosen(document, 6)


def test_a_collection_below_its_owner_is_one_with_items_that_stand_alone(tmp_path: Path) -> None:
    """Zoom has `/users/{id}/meetings` and `/meetings/{id}`; Asana the same of sections and tasks."""
    document = api(
        tmp_path, "GET POST /users/{id}/meetings", "GET POST /users/{id}/badges",
        "GET PATCH /meetings/{id}", "GET POST /meetings/{id}/polls",
    )  # fmt: skip
    first = chosen(document, 4)
    assert {"GET /users/{id}/meetings", "POST /users/{id}/meetings", "GET /meetings/{id}"} < first
    assert not [key for key in first if "badges" in key]


def test_verbs_of_one_thing_are_one_resource(tmp_path: Path) -> None:
    calls = [f"POST /messages/{verb}.json" for verb in ("list", "get", "send", "search")]
    others = [f"POST /{thing}/list.json" for thing in ("colors", "sizes", "tags")]
    assert chosen(api(tmp_path, *others, *calls), 4) == set(calls)


def test_what_is_deprecated_comes_last(document: Path) -> None:
    everything = chosen(document, 100)
    assert everything - chosen(document, len(everything) - 1) == {"GET /old"}


def test_the_lines_are_a_configuration_that_keeps_these_tools(document: Path) -> None:
    _, server = pipeline.understand(Config(sources=(str(document),)), Problems())
    text = lines(suggest(server, 3))
    config = parse_config(f'[source]\npath = "openapi.json"\n{text}\n', folder=document.parent)
    _, smaller = pipeline.understand(config, Problems())
    assert len(smaller.tools) == 3


def test_the_limit_of_a_client_is_known(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["suggest", str(document), "--client", "cursor", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 10
    assert run(["suggest", str(document), "--client", "claude-code"]) == 2
    assert "E0870" in capsys.readouterr().err


def test_a_put_that_adds_to_a_collection_is_its_main_write(tmp_path: Path) -> None:
    path = api(
        tmp_path, "GET PUT /lists", "GET POST /lists/{id}", "PUT /lists/{id}/tasks",
        "PUT /lists/{id}/users", "GET POST /tasks/{id}",
    )  # fmt: skip
    document = json.loads(path.read_text())
    document["paths"]["/tasks"] = {"get": operation("/tasks")}
    for name, summary in (
        ("/lists", "Creates a list"), ("/lists/{id}/tasks", "Create a task"),
        ("/lists/{id}/users", "Add a user"),
    ):  # fmt: skip
        document["paths"][name]["put"]["summary"] = summary
    path.write_text(json.dumps(document))
    both = {"PUT /lists", "PUT /lists/{id}/tasks"}
    assert both <= chosen(path, 6) and "PUT /lists/{id}/users" not in chosen(path, 6)


def test_what_ends_a_thing_is_not_among_the_first(tmp_path: Path) -> None:
    below = [f"GET /account/{name}" for name in "abcdef"]
    document = api(
        tmp_path, "GET DELETE /account", "POST /account/cancel", "POST /account/settings", *below,
        cancel={"operationId": "cancelAccount"}, settings={"operationId": "disableSettings"},
    )  # fmt: skip
    assert chosen(document, 7) == {"GET /account", *below}


def test_actions_and_parts_of_the_main_things_come_before_what_is_set_up_once(
    tmp_path: Path,
) -> None:
    document = api(
        tmp_path, "GET POST /servers", "GET DELETE /servers/{id}", "POST /servers/{id}/reboot",
        "GET POST /servers/{id}/disks", "GET POST /retention_policies", "GET PUT /account_settings",
        "GET POST /budgets/{id}/custom_budget_settings",
    )  # fmt: skip
    assert chosen(document, 6) == {
        "GET /servers", "POST /servers", "GET /servers/{id}", "POST /servers/{id}/reboot",
        "GET /servers/{id}/disks", "POST /servers/{id}/disks",
    }  # fmt: skip


def test_what_is_done_to_a_thing_and_what_reads_it_by_post_come_first(tmp_path: Path) -> None:
    document = api(
        tmp_path, "POST /games/{id}/move/{move}", "POST /games/{id}/resign", "POST /games/prune",
        "POST /games/{id}/metadata", "POST /balance/get", "POST /balance/refresh_settings",
        move={"operationId": "moveGame"}, resign={"operationId": "resignGame"},
        prune={"operationId": "pruneGames"},
    )  # fmt: skip
    assert chosen(document, 4) == {"moveGame", "resignGame", "POST /balance/get", "POST /games/{id}/metadata"}  # fmt: skip
    assert "pruneGames" not in chosen(document, 5)


def test_of_two_alike_the_one_that_more_can_be_said_to_comes_first(tmp_path: Path) -> None:
    much = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in "abcd"]
    document = api(tmp_path, "GET /apples", "GET /pears", "GET /figs", pears={"parameters": much})
    assert chosen(document, 1) == {"GET /pears"}


@pytest.mark.parametrize("place", ["/v1.0", "/accounts/{user.name}", "/providers/Shop.Web"])
def test_only_a_dot_at_the_end_of_a_path_names_a_verb(tmp_path: Path, place: str) -> None:
    rows = ["GET POST {}/orders", "GET PATCH {}/orders/{{id}}", "GET {}/orders/{{id}}/lines"]
    rows += ["GET {}/colors", "GET POST {}/sizes"]
    dotted, plain = (
        {key.replace(at, "") for key in chosen(api(tmp_path, *(row.format(at) for row in rows)), 4)}
        for at in (place, place.replace(".", ""))
    )
    assert dotted == plain
