"""The tools of a large API that are worth having first."""

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen import pipeline
from mcpgen.cli import run
from mcpgen.config import Config
from mcpgen.config.file import parse_config
from mcpgen.problems import Problems
from mcpgen.suggest import lines, suggest


def operation(*names: str, **more: Any) -> dict[str, Any]:
    """An Operation Object that takes these path parameters."""
    parameters = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]  # fmt: skip
    return {"parameters": parameters, "responses": {"200": {"description": "Done"}}, **more}


DOCUMENT = {
    "openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "https://api.example.com/v1"}],
    "paths": {
        "/orders": {"get": operation(), "post": operation()},
        "/orders/{id}": {"get": operation("id"), "put": operation("id"), "patch": operation("id"), "delete": operation("id")},
        "/orders/{id}/lines": {"get": operation("id")},
        "/orders/{id}/lines/{line}/notes/{note}": {"get": operation("id", "line", "note")},
        "/old": {"get": operation(deprecated=True)},
        "/status": {"get": operation()},
    },
}  # fmt: skip


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


def chosen(document: Path, limit: int) -> set[str]:
    _, server = pipeline.understand(Config(sources=(str(document),)), Problems())
    return {choice.key for choice in suggest(server, limit)}


def test_the_reads_and_main_writes_of_the_main_resource_come_first(document: Path) -> None:
    assert chosen(document, 4) == {"GET /orders", "POST /orders", "GET /orders/{id}", "PATCH /orders/{id}"}  # fmt: skip


def test_a_second_way_to_change_the_same_thing_comes_after_other_resources(document: Path) -> None:
    assert "GET /status" in chosen(document, 7) and "PUT /orders/{id}" not in chosen(document, 6)


def test_a_collection_below_its_owner_is_one_with_items_that_stand_alone(tmp_path: Path) -> None:
    """Zoom has `/users/{id}/meetings` and `/meetings/{id}`; Asana the same of sections and tasks."""
    paths = {
        "/users/{id}/meetings": {"get": operation("id"), "post": operation("id")},
        "/users/{id}/badges": {"get": operation("id"), "post": operation("id")},
        "/meetings/{id}": {"get": operation("id"), "patch": operation("id")},
        "/meetings/{id}/polls": {"get": operation("id"), "post": operation("id")},
    }
    path = tmp_path / "meetings.json"
    path.write_text(json.dumps({**DOCUMENT, "paths": paths}))
    first = chosen(path, 4)
    assert {"GET /users/{id}/meetings", "POST /users/{id}/meetings", "GET /meetings/{id}"} < first
    assert not [key for key in first if "badges" in key]


def test_verbs_of_one_thing_are_one_resource(tmp_path: Path) -> None:
    calls = [f"/messages/{verb}.json" for verb in ("list", "get", "send", "search")]
    others = [f"/{thing}/list.json" for thing in ("colors", "sizes", "tags")]
    paths = {path: {"post": operation()} for path in (*others, *calls)}
    (tmp_path / "calls.json").write_text(json.dumps({**DOCUMENT, "paths": paths}))
    assert chosen(tmp_path / "calls.json", 4) == {f"POST {path}" for path in calls}


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
    document = tmp_path / "openapi.json"
    paths = {
        "/lists": {"get": operation(), "put": operation(summary="Creates a list")},
        "/lists/{id}": {"get": operation("id"), "post": operation("id")},
        "/lists/{id}/tasks": {"put": operation("id", summary="Create a task")},
        "/lists/{id}/users": {"put": operation("id", summary="Add a user")},
        "/tasks": {"get": operation()},
        "/tasks/{id}": {"get": operation("id"), "post": operation("id")},
    }
    document.write_text(json.dumps({**DOCUMENT, "paths": paths}))
    both = {"PUT /lists", "PUT /lists/{id}/tasks"}
    assert both <= chosen(document, 6) and "PUT /lists/{id}/users" not in chosen(document, 6)


def test_what_ends_a_thing_is_not_among_the_first(tmp_path: Path) -> None:
    below = {f"/account/{name}": {"get": operation()} for name in ("a", "b", "c", "d", "e", "f")}
    document = {**DOCUMENT, "paths": {
        "/account": {"get": operation(), "delete": operation()},
        "/account/cancel": {"post": operation(operationId="cancelAccount")},
        "/account/settings": {"post": operation(operationId="disableSettings")},
        **below,
    }}  # fmt: skip
    path = tmp_path / "account.json"
    path.write_text(json.dumps(document))
    assert chosen(path, 7) == {"GET /account", *(f"GET {name}" for name in below)}


def test_actions_and_parts_of_the_main_things_come_before_what_is_set_up_once(
    tmp_path: Path,
) -> None:
    paths = {
        "/servers": {"get": operation(), "post": operation()},
        "/servers/{id}": {"get": operation("id"), "delete": operation("id")},
        "/servers/{id}/reboot": {"post": operation("id")},
        "/servers/{id}/disks": {"get": operation("id"), "post": operation("id")},
        "/retention_policies": {"get": operation(), "post": operation()},
        "/account_settings": {"get": operation(), "put": operation()},
        "/budgets/{id}/custom_budget_settings": {"get": operation("id"), "post": operation("id")},
    }
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({**DOCUMENT, "paths": paths}))
    assert chosen(path, 6) == {
        "GET /servers", "POST /servers", "GET /servers/{id}", "POST /servers/{id}/reboot",
        "GET /servers/{id}/disks", "POST /servers/{id}/disks",
    }  # fmt: skip
