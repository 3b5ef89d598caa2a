"""`mcpgen eval`: the request that arrives judges."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen import generate
from mcpgen.cli import run
from mcpgen.evaluate.recorder import Recorded
from mcpgen.evaluate.scripted import fitted
from mcpgen.evaluate.stage import serving
from mcpgen.evaluate.tasks import Task, read_tasks
from mcpgen.problems import UsageError
from tests.loopback import JSON, Asked, Loopback

SAMPLES = Path(__file__).parents[2] / "samples"
TASKS = SAMPLES / "tasks" / "bookshop.jsonl"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated project."""
    folder = tmp_path_factory.mktemp("project") / "shop"
    generate(SAMPLES / "specs" / "bookshop.yaml", folder)
    return folder


def evaluated(capfd: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What the command says, as data."""
    capfd.readouterr()
    assert run(["eval", *arguments, "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_the_scripted_agent_does_the_tasks_of_the_bookshop(project: Path, capfd: Any) -> None:
    data = evaluated(capfd, str(TASKS), "--project", str(project))
    assert [one["reason"] for one in data["outcomes"] if not one["done"]] == []
    assert data["success"] == 1 and data["calls"] == 2 and data["tokens"] < 700


@pytest.mark.parametrize("properties", [
    {"id": {}, "from": {}, "into": {}},
    {"id": {}, "body": {"properties": {"from": {}, "into": {}}}},
    {"id": {}, "request_body": {"properties": {"from": {}, "into": {}}}},
    {"id": {}, "from_": {}, "into": {}},
])  # fmt: skip
@pytest.mark.parametrize("said", [
    {"arguments": {"id": 1}, "body": {"from": "a", "into": "b"}},
    {"arguments": {"id": 1, "body": {"from": "a", "into": "b"}}},
    {"arguments": {"id": 1, "into": "b"}, "body": {"from": "a"}},
])  # fmt: skip
def test_the_body_of_a_task_is_given_as_a_tool_takes_it(
    properties: dict[str, Any], said: dict[str, Any]
) -> None:
    task = Task(task="merge", method="POST", path="/merge", **said)
    given = fitted({"properties": properties}, task)
    assert given.keys() == properties.keys() and given["id"] == 1
    inside = given.get("body", given.get("request_body", given))
    assert inside.get("from", inside.get("from_")) == "a" and inside["into"] == "b"


def test_no_api_of_a_project_is_the_real_one(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(project, tmp_path / "copy")
    [path] = folder.glob("src/*/api.json")
    facts = json.loads(path.read_text())
    path.write_text(json.dumps({**facts, "apis": {"stock": {}}}))
    given: dict[str, str] = {}

    def started(parameters: Any, **streams: Any) -> Any:
        given.update(parameters.env)
        raise ConnectionError

    async def go() -> None:
        async with serving(folder, "http://127.0.0.1:9"):
            pass

    monkeypatch.setattr("mcp.client.stdio.stdio_client", started)
    with pytest.raises(ConnectionError):
        asyncio.run(go())
    for name in ("", "STOCK_"):
        prefix = f"{facts['env_prefix']}_{name}"
        assert given[f"{prefix}BASE_URL"] == "http://127.0.0.1:9"
        assert given[f"{prefix}TOKEN_URL"] == "http://127.0.0.1:9/token"


def test_a_line_of_tasks_may_hold_separators_of_unicode(tmp_path: Path) -> None:
    text = json.dumps({"task": "a\u2028b", "method": "GET", "path": "/a"}, ensure_ascii=False)
    (tmp_path / "tasks.jsonl").write_text(f"{text}\n{text}\n", "utf-8")
    assert [task.task for task in read_tasks(tmp_path / "tasks.jsonl")] == ["a\u2028b"] * 2


def test_a_field_that_no_tool_knows_is_told() -> None:
    task = Task(task="merge", method="POST", path="/merge", arguments={"body": {"colour": 1}})
    assert fitted({"properties": {"id": {}}}, task) == {"colour": 1}


def test_a_task_whose_request_never_arrives_is_not_done(
    project: Path, tmp_path: Path, capfd: Any
) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(json.dumps({"task": "list books", "method": "GET", "path": "/elsewhere"}))
    data = evaluated(capfd, str(tasks), "--project", str(project))
    assert data["done"] == 0 and ": list_books " in data["outcomes"][0]["reason"]
    assert run(["eval", str(tasks), "--project", str(project), "--min", "0.5", "-q"]) == 1


def chat_completion(question: Any) -> dict[str, Any]:
    """What an endpoint answers: a call of `list_authors` at once, then `done`."""
    message: dict[str, Any] = {"role": "assistant", "content": "done"}
    if question["messages"][-1]["role"] == "user":
        call = {"name": "list_authors", "arguments": "{}"}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": call}]}  # fmt: skip
    return {
        "id": "1", "object": "chat.completion", "created": 1, "model": "played",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }  # fmt: skip


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """An endpoint that plays a model for both providers. What it was asked is in the list; without
    the key `played` it refuses.
    """
    asked: list[Any] = []

    def answer(request: Asked) -> tuple[int, dict[str, str], bytes]:
        question = json.loads(request.body)
        asked.append(question)
        assert request.target == "/v1/chat/completions"
        status, data = 401, {"error": {"type": "authentication_error", "message": "no"}}
        if request.fields["authorization"] == "Bearer played":
            status, data = 200, chat_completion(question)
        return status, JSON, json.dumps(data).encode()

    server = Loopback(answer)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "played")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "played")
    yield asked
    server.close()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_model_chooses_calls_and_is_judged_by_what_arrives(
    project: Path, tmp_path: Path, model: list[Any], capfd: Any, provider: str
) -> None:
    tasks = tmp_path / "tasks.jsonl"
    lines = [
        {"task": "Who are our authors?", "method": "GET", "path": "/authors"},
        {"task": "Which books are there?", "method": "GET", "path": "/books"},
    ]
    tasks.write_text("\n".join(json.dumps(line) for line in lines))
    options = ("--project", str(project), "--model", "played", "--provider", provider)
    data = evaluated(capfd, str(tasks), *options)
    assert [one["done"] for one in data["outcomes"]] == [True, False]
    assert data["outcomes"][1]["wrong"] == ["GET /authors"] and data["outcomes"][0]["tokens"] == 20
    assert [one["calls"] for one in data["outcomes"]] == [1, 1]
    assert "list_books" in {tool["function"]["name"] for tool in model[0]["tools"]}
    assert "404" not in json.dumps(model[1]["messages"][-1])  # the tool's own result comes back


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("key", ["wrong", ""])
def test_an_endpoint_that_refuses_is_told(
    project: Path, model: list[Any], monkeypatch: Any, capfd: Any, provider: str, key: str
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", key)
    options = ["--project", str(project), "--model", "played", "--provider", provider]
    assert run(["eval", str(TASKS), *options]) == 2
    said = capfd.readouterr().err
    assert "E1474" in said and "Traceback" not in said


def _request(method: str, target: str, body: Any = None) -> Recorded:
    return Recorded(method, target, [], json.dumps(body).encode())


@pytest.mark.parametrize(("request_", "done"), [
    (_request("GET", "/books?genre=poetry&page=1"), True),
    (_request("GET", "/books"), False),
    (_request("POST", "/books?genre=poetry"), False),
    (_request("GET", "/books/7?genre=poetry"), False),
])  # fmt: skip
def test_a_request_is_the_one_that_was_meant_when_it_holds_what_the_task_says(
    request_: Recorded, done: bool
) -> None:
    assert Task(task="", method="GET", path="/books?genre=poetry").done_by(request_) is done


@pytest.mark.parametrize("path", ["/bücher/a b", "/b%C3%BCcher/a%20b", "/b%c3%bccher/a b"])
def test_a_task_may_write_its_path_and_method_as_people_do(path: str) -> None:
    task = Task(task="", method="get", path=path)
    assert task.done_by(_request("GET", "/b%C3%BCcher/a%20b"))
    assert not task.done_by(_request("GET", "/b%C3%BCcher%2Fa%20b"))


def test_a_body_must_hold_what_the_task_says() -> None:
    task = Task(task="", method="POST", path="/books", body={"title": "Momo"})
    assert task.done_by(_request("POST", "/books", {"title": "Momo", "n": 1}))
    assert not task.done_by(_request("POST", "/books", {"title": "Krabat"}))
    assert not task.done_by(_request("POST", "/books"))
    task = Task(task="", method="POST", path="/books", body={"due": {"at": None}})
    assert task.done_by(_request("POST", "/books", {"due": {"at": None, "n": 1}}))
    for other in ({"due": {"at": "2026"}}, {"due": {}}, {"due": None}):
        assert not task.done_by(_request("POST", "/books", other))
    task = Task(task="", method="POST", path="/books", body={"paid": True, "all": [1, [False]]})
    for paid, items in ((True, [1, [False]]), (True, [1.0, [False]])):
        assert task.done_by(_request("POST", "/books", {"paid": paid, "all": items}))
    for paid, items in ((1, [1, [False]]), (True, [True, [False]]), (True, [1, [0]])):
        assert not task.done_by(_request("POST", "/books", {"paid": paid, "all": items}))


@pytest.mark.parametrize(("body", "names"), [
    (b'{"a": 1, "b": {}}', {"a", "b"}), (b"{not json", set()), (b"[1", set()), (b'["a"]', set()),
    (b"a=1", set()), (b"", set()), (b"{\xff", set()),
])  # fmt: skip
def test_a_body_has_the_names_of_its_fields_if_it_is_an_object(body: bytes, names: Any) -> None:
    request = Recorded("POST", "/", [("content-type", "text/plain")], body)
    assert request.names("body") == names
    assert request.holds({"place": "body", "name": "a", "json": 1}, "/") is ("a" in names)


@pytest.mark.parametrize(("text", "reason"), [
    ("", "holds no tasks"), ("{", "line 1: not JSON"), ("[]", "line 1: not an object"),
    ('\n{"task": "a", "method": "GET"}', "line 2: `path` must be text"),
    ('{"task": "a", "method": "GET", "path": "/", "tool": "b"}', "unknown key `tool`"),
    ('{"task": "a", "method": "GET", "path": "/", "query": 5}', "`query` must be text"),
    ('{"task": "a", "method": "GET", "path": "/", "arguments": null}', "must be an object"),
])  # fmt: skip
def test_tasks_that_cannot_be_read_are_told(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=reason):
        read_tasks(path)


def test_a_folder_without_a_server_is_told(tmp_path: Path, capfd: Any) -> None:
    assert run(["eval", str(TASKS), "--project", str(tmp_path)]) == 2
    assert "E1177" in capfd.readouterr().err
