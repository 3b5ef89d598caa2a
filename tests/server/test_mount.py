"""`mount`: MCP at a path of an app, whose endpoints the tools call in process."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from asgiref.wsgi import WsgiToAsgi
from fastapi import FastAPI
from starlette.responses import RedirectResponse
from starlette.testclient import TestClient

from benchmarks import mounted_load
from tests.generated import importable
from tests.loopback import free_port

APPS = Path(__file__).parents[1] / "apps"
JSON = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}

Made = Callable[..., SimpleNamespace]


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the apps, and beside them the project of each that is asked for."""
    folder = tmp_path_factory.mktemp("mounted")
    shutil.copytree(APPS, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture
def made(projects: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """A function that generates the package of an app, and imports both."""
    opened: list[Any] = []

    def make(name: str, place: str = "", application: str = "") -> SimpleNamespace:
        module, _, attribute = (application or name).partition(":")
        folder = projects / place
        short = name.partition(":")[0].replace(".", "_").replace("_shop", "")
        project = generated(folder, name, short)
        monkeypatch.syspath_prepend(str(projects))
        monkeypatch.syspath_prepend(str(folder))
        source = project / "src"
        [package] = [path.name for path in source.iterdir() if path.is_dir()]
        context = importable(source, package)
        opened.append(context)
        context.__enter__()
        app = getattr(importlib.import_module(module), attribute)
        sys.modules.pop(module)  # each test mounts an app of its own
        mount = importlib.import_module(package).mount
        return SimpleNamespace(app=app, mount=mount, package=package, source=source)

    yield make
    for context in opened:
        context.__exit__(None, None, None)


def generated(folder: Path, name: str, short: str) -> Path:
    """The project of an app, generated once."""
    project = folder / f"{short}-project"
    if not project.is_dir():
        run(folder, "generate", name, "-o", project.name, "--name", short[:16])
        run(project, "add", "asgi")
        run(project, "add", "audit")
    return project


def run(folder: Path, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mcpgen", *words, "--quiet"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def asked(client: TestClient, method: str, params: Any, path: str = "/mcp", **headers: str) -> Any:
    """The HTTP answer to a request of MCP."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return client.post(path, json=message, headers={**JSON, **headers})


def called(client: TestClient, name: str, arguments: Any, **headers: str) -> Any:
    """The result of a tool."""
    answer = asked(client, "tools/call", {"name": name, "arguments": arguments}, **headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


BEARER = {"authorization": "Bearer ada"}
WRONG = {"authorization": "Bearer wrong"}
PNG = "data:image/png;base64,aGVsbG8="
OPERATIONS: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("list_books", {"offset": 10, "limit": 5}, "GET /books?offset=10&limit=5", {}),
    ("list_books", {"offset": 48, "limit": 5}, "GET /books?offset=48&limit=5", {}),
    ("get_book", {"id": 3}, "GET /books/3", {}),
    ("add_note", {"text": "new"}, "POST /notes?text=new", {}),
    ("add_cover", {"cover": PNG}, "POST /covers", {"files": {"cover": b"hello"}}),
    ("get_state", {}, "GET /state", {}),
    ("get_me", {}, "GET /me", {"headers": BEARER}),
]
SHOPS = {
    "FastAPI": ("fastapi_shop:app", "fastapi_shop:app", "", ""),
    "Litestar": ("litestar_shop:app", "litestar_shop:app", "", ""),
    "Starlette": ("starlette_shop:app", "starlette_shop:app", "", ""),
    "APIFlask": ("apiflask_shop:app", "apiflask_shop:app", "", ""),
    "Django REST framework": ("store.asgi:application", "store.asgi:application", "django", ""),
    "Django Ninja": ("store.api:api", "store.asgi:application", "django", "/ninja"),
}
"""Framework -> its document, the application, their folder, and the prefix of the paths. Each has
the same operations.
"""


@pytest.fixture(params=SHOPS)
def client(made: Made, request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """A client of each framework's app with its tools; `prefix` is that of the direct calls."""
    document, application, place, prefix = SHOPS[request.param]
    shop = made(document, place, application)
    app = shop.app
    if not asyncio.iscoroutinefunction(type(app).__call__):
        app = WsgiToAsgi(app)
    with TestClient(shop.mount(app)) as client:
        client.prefix = prefix
        yield client


def test_every_operation_answers_as_a_direct_call(client: TestClient) -> None:
    for tool, arguments, request, options in OPERATIONS:
        method, path = request.split()
        direct = client.request(method, client.prefix + path, **options)
        assert direct.is_success, direct.text
        result = called(client, tool, arguments, **options.get("headers", {}))
        assert json.loads(result["content"][0]["text"]) == direct.json(), tool


def test_a_failure_is_that_of_a_direct_call(client: TestClient) -> None:
    assert client.get(f"{client.prefix}/books/99").status_code == 404
    result = called(client, "get_book", {"id": 99})
    assert result["isError"] and "404" in result["content"][0]["text"]
    assert "There is no such book." in result["content"][0]["text"]
    for fields in ({}, WRONG):
        direct = client.get(f"{client.prefix}/me", headers=fields)
        answer = asked(client, "tools/call", {"name": "get_me", "arguments": {}}, **fields)
        assert answer.status_code == direct.status_code == 401
        challenge = direct.headers.get("www-authenticate", "Bearer")
        assert answer.headers["www-authenticate"] == challenge


def test_a_stream_is_read_to_its_end(client: TestClient) -> None:
    text = client.get(f"{client.prefix}/events?count=40").text
    assert text.count("event") == 40
    result = called(client, "list_events", {"count": 40})
    assert result["content"][-1]["text"] == text


def test_a_background_task_runs_after_its_answer(client: TestClient) -> None:
    text = f"afterwards {time.monotonic_ns()}"
    called(client, "add_note", {"text": text})
    deadline = time.monotonic() + 5
    notes: list[str] = []
    while text not in notes and time.monotonic() < deadline:
        notes = client.get(f"{client.prefix}/state").json()["notes"]
    assert text in notes
    assert text in called(client, "get_state", {})["content"][0]["text"]


def test_a_function_without_async_does_not_block_the_loop(client: TestClient) -> None:
    answered = 0
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(called, client, "get_book", {"id": 49})
        while not slow.done():
            answered += asked(client, "tools/list", {}).is_success
    assert json.loads(slow.result()["content"][0]["text"]) == {"id": 49, "name": "book 49"}
    assert answered > 2


@pytest.mark.parametrize("token", ["", "Bearer wrong"])
def test_the_endpoint_decides_about_callers_and_the_client_is_told(made: Made, token: str) -> None:
    shop = made("fastapi_shop:app")
    app = shop.mount(shop.app, authorization_servers=["https://login.example.com"])
    fields = {"authorization": token} if token else {}
    with TestClient(app) as client:
        answer = asked(client, "tools/call", {"name": "get_me", "arguments": {}}, **fields)
        assert answer.status_code == 401
        challenge = answer.headers["www-authenticate"]
        place = "http://testserver/.well-known/oauth-protected-resource/mcp"
        assert challenge.startswith("Bearer ") and f'resource_metadata="{place}"' in challenge
        assert client.get(place).json() == {
            "resource": "http://testserver/mcp",
            "authorization_servers": ["https://login.example.com"],
        }
        assert asked(client, "tools/list", {}).status_code == 200


def test_a_token_of_the_caller_is_not_kept_for_the_next_one(made: Made) -> None:
    shop = made("fastapi_shop:app")
    with TestClient(shop.mount(shop.app)) as client:
        assert called(client, "get_me", {}, **BEARER)["structuredContent"] == {"name": "ada"}
        answer = asked(client, "tools/call", {"name": "get_me", "arguments": {}})
        assert answer.status_code == 401


def test_no_other_path_changes_and_none_is_redirected(made: Made) -> None:
    shop = made("fastapi_shop:app")
    before = shop.app.openapi()["paths"].keys()
    shop.app.openapi_schema = None
    app = shop.mount(shop.app, path="/ai/mcp")
    with TestClient(app, follow_redirects=False) as client:
        assert asked(client, "tools/list", {}, "/ai/mcp").status_code == 200
        assert client.post("/mcp").status_code == 404
        assert client.get("/ai/mcp").status_code == 405
        assert client.get("/openapi.json").json()["paths"].keys() == before


def test_an_endpoint_by_itself_serves_its_path_alone(made: Made) -> None:
    shop = made("fastapi_shop:app")
    module = importlib.import_module(f"{shop.package}.runtime.parts.asgi.mount")
    with TestClient(module.Endpoint(shop.package, path="/ai", app=shop.app)) as client:
        assert asked(client, "tools/list", {}, "/ai").status_code == 200
        other = client.get("/mcp")
        assert (other.status_code, other.json()) == (404, {"error": "Only `/ai` is served here"})


def test_an_app_below_the_prefix_of_another_is_called_and_named_with_it(made: Made) -> None:
    shop = made("fastapi_shop:app")
    outside = FastAPI()
    servers = ["https://login.example.com"]
    outside.mount("/v1", shop.mount(shop.app, authorization_servers=servers))
    with TestClient(outside) as client:
        message: dict[str, Any] = {"name": "list_books", "arguments": {"limit": 5}}
        result = asked(client, "tools/call", message, "/v1/mcp").json()["result"]
        direct = client.get("/v1/books?limit=5").json()
        assert direct["next"] == "http://testserver/v1/books?offset=5&limit=5"
        assert json.loads(result["content"][0]["text"]) == direct
        refused = asked(client, "tools/call", {"name": "get_me", "arguments": {}}, "/v1/mcp")
        place = re.search('resource_metadata="(.+)"', refused.headers["www-authenticate"])[1]
        assert client.get(place).json()["resource"] == "http://testserver/v1/mcp"


@pytest.mark.parametrize("origin", ["", "http://testserver"])
def test_a_redirect_of_the_app_stays_inside(made: Made, origin: str) -> None:
    shop = made("fastapi_shop:app")
    shop.app.router.routes[:] = [each for each in shop.app.routes if each.path != "/books"]
    shop.app.get("/books")(lambda: RedirectResponse(f"{origin}/v1/books/"))
    shop.app.get("/books/")(lambda: {"items": [], "total": 0, "next": None})
    outside = FastAPI()
    outside.mount("/v1", shop.mount(shop.app))
    with TestClient(outside) as client:
        message: dict[str, Any] = {"name": "list_books", "arguments": {}}
        result = asked(client, "tools/call", message, "/v1/mcp").json()["result"]
        assert json.loads(result["content"][0]["text"]) == client.get("/v1/books/").json()


def test_the_server_is_made_once_for_the_first_event_loop(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = made("fastapi_shop:app")
    module = importlib.import_module(f"{shop.package}.runtime.parts.asgi.mount")
    counted = Mock(wraps=module.App)
    monkeypatch.setattr(module, "App", counted)
    app = shop.mount(shop.app)
    assert counted.call_count == 1
    for made_until_now in (1, 2):
        with TestClient(app) as client:
            assert called(client, "get_book", {"id": 1})["structuredContent"]["id"] == 1
        assert counted.call_count == made_until_now


def test_variables_choose_the_tools_and_a_call_is_in_the_audit_once(
    made: Made, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shop = made("fastapi_shop:app")
    monkeypatch.setenv("FASTAPI_MCP_AUDIT", str(tmp_path / "audit"))
    app = shop.mount(shop.mount(shop.app), path="/other")
    note: dict[str, Any] = {"name": "add_note", "arguments": {"text": "x"}}
    with TestClient(app) as client:
        asked(client, "tools/call", note, "/other")
        [line] = (tmp_path / "audit").read_text().splitlines()
        assert json.loads(line)["tool"] == "add_note"
    monkeypatch.setenv("FASTAPI_MCP_TOOLS", "add_note,get_book")
    monkeypatch.setenv("FASTAPI_MCP_READ_ONLY", "1")
    with TestClient(shop.mount(app, path="/third")) as client:
        [tool] = asked(client, "tools/list", {}, "/third").json()["result"]["tools"]
        assert tool["name"] == "get_book"
        assert asked(client, "tools/call", note, "/third").json()["result"]["isError"]


def test_pages_of_others_and_names_of_others_are_refused(made: Made) -> None:
    shop = made("fastapi_shop:app")
    app = shop.mount(shop.app)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        assert asked(client, "tools/list", {}).status_code == 200
        assert asked(client, "tools/list", {}, host="evil.example.com").status_code == 421
        own = {"origin": "http://127.0.0.1:8000"}
        assert asked(client, "tools/list", {}, **own).status_code == 200
        assert asked(client, "tools/list", {}, origin="http://evil.example.com").status_code == 403


def test_a_tool_cannot_call_the_server_that_it_is_part_of(made: Made) -> None:
    shop = made("fastapi_shop:app")
    app = shop.mount(shop.app, path="/books")
    with TestClient(app) as client:
        message = {"name": "list_books", "arguments": {}}
        result = asked(client, "tools/call", message, "/books").json()["result"]
        assert result["isError"]
        assert "cannot call the MCP server that it is part of" in result["content"][0]["text"]


def test_it_needs_no_lifespan_and_serves_one_event_loop_after_the_other(made: Made) -> None:
    shop = made("fastapi_shop:app")
    client = TestClient(shop.mount(shop.app))  # not entered: no lifespan, a loop for each request
    for number in range(3):
        result = called(client, "get_book", {"id": number})
        assert result["structuredContent"]["id"] == number


PAGE = (Path(__file__).parents[2] / "docs" / "your-app.md").read_text("utf-8")


def block(heading: str, language: str = "python") -> str:
    """The first block of code below a heading of the page."""
    found = PAGE.partition(f"# {heading}\n")[2].partition(f"```{language}\n")[2]
    return found.partition("```")[0]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Your own app: FastAPI, Django, Litestar, Flask", "FastAPI"),
        ("Django", "Django Ninja"),
        ("Litestar", "Litestar"),
        ("Flask", "APIFlask"),
    ],
)
def test_the_lines_of_the_page_put_the_tools_into_an_app(
    made: Made, monkeypatch: pytest.MonkeyPatch, heading: str, name: str
) -> None:
    document, application, place, _ = SHOPS[name]
    shop = made(document, place, application)
    monkeypatch.setitem(sys.modules, "shop_mcp", sys.modules[shop.package])
    scope = {"app": shop.app}
    exec(block(heading), scope)
    app = scope.get("application", scope["app"])
    with TestClient(app) as client:
        assert json.loads(called(client, "get_book", {"id": 3})["content"][0]["text"])["id"] == 3
    if name == "FastAPI":  # its endpoint says what it answers, so that there is structured content
        exec(block("Tests"), {"app": app})


def test_the_commands_of_the_page_make_the_package(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    shutil.copy(APPS / "fastapi_shop.py", tmp_path / "shop" / "main.py")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    script = block("Your own app: FastAPI, Django, Litestar, Flask", "sh")
    subprocess.run(
        ["sh", "-ec", script], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True
    )
    [package] = (tmp_path / "shop-mcp" / "src").iterdir()
    assert package.name == "shop_mcp" and "mount" in (package / "__init__.py").read_text("utf-8")
    source = block("The app as a source", "sh").splitlines()[0]
    shutil.rmtree(tmp_path / "shop-mcp")
    subprocess.run(
        ["sh", "-ec", source], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True
    )
    assert "https://shop.example.com" in (package / "api.json").read_text("utf-8")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an app and its tools, to be served by uvicorn."""
    folder = tmp_path_factory.mktemp("loaded")
    mounted_load.project(folder)
    return folder


def test_a_mounted_server_loses_no_call_that_its_workers_took(loaded: Path) -> None:
    running = mounted_load.ended(loaded, free_port(), workers=4, callers=12, seconds=2)
    became = asyncio.run(running)
    assert became["answered"] and became["refused"]
    assert became["lost"] == 0, became


def test_callers_who_leave_leave_nothing_behind(loaded: Path) -> None:
    became, before, after = asyncio.run(mounted_load.soaked(loaded, free_port(), seconds=8))
    assert became["answered"] and became["left"] and not became["broken"]
    assert (before["tasks"], before["files"]) == (after["tasks"], after["files"])
    assert after["kilobytes"] < before["kilobytes"] + 20_000


def test_a_call_that_reports_progress_reaches_the_app_alike(made: Made) -> None:
    shop = made("fastapi_shop:app")
    params = {"name": "get_state", "arguments": {}, "_meta": {"progressToken": 7}}
    with TestClient(shop.mount(shop.app)) as client:
        answer = asked(client, "tools/call", params)
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert "hello from the lifespan" in answer.text
