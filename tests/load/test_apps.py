"""A web app as the source: `MODULE:NAME`, imported by its own Python."""

import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import yaml

from mcpgen.load.app import python_of_app, read_app
from mcpgen.load.inside import document_of
from mcpgen.load.source import is_app
from mcpgen.load.text import Limits
from mcpgen.problems import McpgenError, RefusedError

APPS = Path(__file__).parents[1] / "apps"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with apps of several frameworks, which is the current one."""
    shutil.copytree(APPS, tmp_path / "apps", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path / "apps")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "DJANGO_SETTINGS_MODULE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "apps"


def read(name: str, **limits: float) -> dict[str, object]:
    content = read_app(name, sys.executable, None, Limits(**limits))
    found: dict[str, object] = yaml.safe_load(content)
    return found


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("fastapi_shop:app", "/books/{id}"),
        ("fastapi_shop:make", "/books/{id}"),
        ("fastapi_shop:make()", "/books/{id}"),
        ("fastapi_shop:document", "/books/{id}"),
        ("litestar_shop:app", "/books/{id}"),
        ("apiflask_shop:app", "/books/{id}"),
        ("smorest_shop:api", "/items/{id}"),
        ("starlette_shop:app", "/books/{id}"),
    ],
)
def test_an_app_gives_its_document(name: str, path: str) -> None:
    assert path in read(name)["paths"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("store.api:api", "/ninja/books/{id}"),
        ("store.asgi:application", "/books/{id}"),
        ("store.wsgi:application", "/books/{id}"),
    ],
)
def test_a_django_project_gives_its_document(
    name: str, path: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "django")
    assert path in read(name)["paths"]  # type: ignore[operator]


def test_an_app_that_goes_through_a_set_gives_the_same_document_each_time(folder: Path) -> None:
    (folder / "sets.py").write_text("app = {'openapi': [*{'get', 'post', 'put', 'patch', 'head'}]}")
    assert read("sets:app") == read("sets:app") == read("sets:app")


def test_an_app_is_found_from_a_folder_below_and_in_src(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = folder / "servers" / "shop"
    below.mkdir(parents=True)
    package = folder / "src" / "store"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "web.py").write_text("def openapi(): return {'openapi': '3.1.0', 'paths': {}}\n")
    monkeypatch.chdir(below)
    assert read("store.web:openapi") == {"openapi": "3.1.0", "paths": {}}


@pytest.mark.parametrize(
    ("name", "said", "hint"),
    [
        ("fastapi_shop:ap", "has no `ap`", "`fastapi_shop:app`"),
        ("smorest_shop:app", "describes no API", "`smorest_shop:api`"),
        ("json:dumps", "describes no API", "a function that returns one"),
        ("no_shop.main:app", "no module `no_shop`", "--python"),
    ],
)
def test_an_app_without_a_document_says_what_to_name(name: str, said: str, hint: str) -> None:
    with pytest.raises(McpgenError) as raised:
        read(name)
    [problem] = raised.value.problems
    assert said in problem.message and hint in problem.hint


def test_an_app_that_fails_shows_its_own_traceback_alone(folder: Path) -> None:
    (folder / "broken.py").write_text(
        "def settings():\n    raise RuntimeError('no URL')\nsettings()"
    )
    with pytest.raises(McpgenError) as raised:
        read("broken:app")
    first, *others = raised.value.problems[0].notes
    assert first == "Traceback (most recent call last):"
    assert [line for line in others if "File" in line] == [
        f'  File "{folder.resolve() / "broken.py"}", line {line}, in {where}'
        for line, where in ((3, "<module>"), (2, "settings"))
    ]
    assert others[-1] == "RuntimeError: no URL"


@pytest.mark.parametrize("end", ["import os; os._exit(3)", "import sys; sys.exit(0)"])
def test_an_app_that_ends_its_process_is_told(folder: Path, end: str) -> None:
    (folder / "ending.py").write_text(end)
    with pytest.raises(McpgenError) as raised:
        read("ending:app")
    assert raised.value.problems[0].code == "E0130"


def test_an_app_that_never_ends_is_stopped(folder: Path) -> None:
    (folder / "slow.py").write_text("import time\ntime.sleep(60)")
    with pytest.raises(RefusedError, match="within 1 s"):
        read("slow:app", seconds=1)


def test_what_an_app_prints_is_no_document(folder: Path) -> None:
    (folder / "loud.py").write_text("print('{}')\napp = {'openapi': '3.1.0', 'paths': {}}")
    assert read("loud:app")["openapi"] == "3.1.0"


def test_an_app_that_writes_its_document_when_it_starts_is_started(folder: Path) -> None:
    text = """
        async def app(scope, receive, send):
            if scope["type"] == "lifespan":
                await receive()
                app.document = b'{"openapi": "3.1.0", "paths": {}}'
                await send({"type": "lifespan.startup.complete"})
                await receive()
                return await send({"type": "lifespan.shutdown.complete"})
            found = getattr(app, "document", None)
            status = 200 if found else 404
            await send({"type": "http.response.start", "status": status, "headers": []})
            await send({"type": "http.response.body", "body": found or b""})
    """
    (folder / "late.py").write_text(textwrap.dedent(text))
    assert read("late:app") == {"openapi": "3.1.0", "paths": {}}


def test_a_file_of_that_name_is_a_file(folder: Path) -> None:
    assert is_app("shop.main:app") and not is_app("shop.yaml") and not is_app("C:\\shop:app")
    (folder / "shop:app").write_text("{}")
    assert not is_app("shop:app")


def test_the_python_is_that_of_the_active_environment_or_of_the_nearest_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, active = folder / ".venv", folder / "other"
    for environment in (near, active):
        (environment / "bin").mkdir(parents=True)
        (environment / "bin" / "python").touch()
    below = folder / "src" / "shop"
    assert python_of_app(below, None) == str(near / "bin" / "python")
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    assert python_of_app(below, None) == str(active / "bin" / "python")
    assert python_of_app(below, "mine") == "mine"


def mcpgen(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mcpgen", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_check_is_red_when_an_endpoint_changes_under_its_tool(folder: Path) -> None:
    made = mcpgen("generate", "fastapi_shop:app", "-o", "shop-mcp", cwd=folder)
    assert made.returncode == 0, made.stderr
    project = folder / "shop-mcp"
    assert 'app = "fastapi_shop:app"' in (project / "mcpgen.toml").read_text()
    assert mcpgen("check", cwd=project).returncode == 0
    app = folder / "fastapi_shop.py"
    app.write_text(app.read_text().replace("offset: int = 0", "start: int = 0"))
    found = mcpgen("check", cwd=project)
    assert found.returncode == 1 and "not up to date" in found.stderr
    told = mcpgen("diff", cwd=project)
    assert told.returncode == 12 and "start" in told.stdout and "offset" in told.stdout


def test_a_project_without_its_app_reads_the_copy(folder: Path, tmp_path: Path) -> None:
    assert mcpgen("generate", "fastapi_shop:app", "-o", "shop-mcp", cwd=folder).returncode == 0
    alone = tmp_path / "alone"
    shutil.move(folder / "shop-mcp", alone)
    found = mcpgen("check", cwd=alone)
    assert found.returncode == 0, found.stderr
    assert "`fastapi_shop:app` read from the copy" in found.stderr


def test_the_script_needs_no_more_than_the_standard_library() -> None:
    path = Path(document_of.__file__)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(path), "json:decoder", "."],
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["kind"] == "builtins.module"
