"""The files of a generated project that are written once: complete, valid, and free of the
document's text.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import threading
import tomllib
from fnmatch import fnmatch
from http.server import HTTPServer, SimpleHTTPRequestHandler
from importlib import resources
from pathlib import Path

import pytest
import yaml

from mcpgen.config import Config
from mcpgen.pipeline import generate
from mcpgen.problems import Problems
from mcpgen.project.manifest import manifest_problems
from mcpgen.render.parts import on_request
from mcpgen.runtime.client.settings import VARIABLES, ApiSettings
from mcpgen.runtime.parts import PARTS, parts_of
from mcpgen.runtime.parts import VARIABLES as PART_VARIABLES
from mcpgen.runtime.parts.install.files import CLIENTS
from mcpgen.runtime.settings import settings_with

ROOT = Path(__file__).parents[2]
MARKER = "zqxv"
READERS = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    config = Config(sources=(str(ROOT / "samples" / "specs" / "bookshop.yaml"),))
    return generate(config, Problems(), files=tuple(on_request()))[2]


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of a document that has a marker and Markdown in every text, the title too."""
    text = (ROOT / "samples" / "specs" / "logins.yaml").read_text()
    document = yaml.safe_load(text)

    def mark(node: object, key: str = "") -> object:
        if isinstance(node, dict):
            return {name: mark(value, str(name)) for name, value in node.items()}
        if isinstance(node, list):
            return [mark(value) for value in node]
        if key in ("title", "summary", "description", "version"):
            return f"{node} {MARKER} <script> ![x](http://evil.example/b.png) `\" ' \\ \n[tool.x]"
        return node

    path = tmp_path_factory.mktemp("marked") / "openapi.json"
    path.write_text(json.dumps(mark(document)))
    config = Config(sources=(str(path),), name="logins")
    return generate(config, Problems(), files=tuple(on_request()))[2]


def test_no_text_of_the_document_is_in_files_that_run_or_configure(marked):
    for path in (
        *tuple(
            (
                "Dockerfile Makefile .env.example .gitignore .dockerignore "
                ".github/workflows/mcpgen.yml"
            ).split()
        ),
        *(path for path in marked if path.startswith("clients/")),
    ):
        assert MARKER not in marked[path].lower(), path


def test_the_readme_shows_the_title_as_text(marked):
    readme = marked["README.md"]
    assert MARKER in readme
    assert "<script>" not in readme
    assert "![x](" not in readme


def test_the_project_file_is_what_was_meant(marked):
    project = tomllib.loads(marked["pyproject.toml"])
    assert set(project) == {"build-system", "project", "tool"}
    assert set(project["tool"]) == {"hatch", "black", "ruff", "mypy", "pytest"}
    assert MARKER in project["project"]["description"]
    assert project["project"]["classifiers"] == ["Private :: Do Not Upload"]


def test_the_console_script_and_its_package_exist(files):
    project = tomllib.loads(files["pyproject.toml"])["project"]
    ((command, target),) = project["scripts"].items()
    module, function = target.split(":")
    source = files[f"src/{module.replace('.', '/')}.py"]
    assert function in {
        node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)
    }
    assert (
        command in files["Dockerfile"]
        and command in files["Makefile"]
        and command in files["README.md"]
    )


def test_every_setting_of_the_runtime_is_in_one_list_to_which_the_readme_leads(files):
    assert "BASE_URL" in VARIABLES
    listed = files["document/VARIABLES.md"]
    for name in sorted(VARIABLES - set(PART_VARIABLES)):
        assert listed.count(f"| `BOOKSHOP_MCP_{name}` |") == 1, name
    assert "(document/VARIABLES.md)" in files["README.md"]


def test_the_tools_are_listed_with_a_sentence_where_the_readme_leads(files, marked):
    listed = files["document/TOOLS.md"].splitlines()
    assert "* `add_book` (changes data): Add a book to the catalogue." in listed
    assert sum(line.startswith("* `") for line in listed) == 13
    assert "(document/TOOLS.md)" in files["README.md"]
    assert MARKER in marked["document/TOOLS.md"] and "<script>" not in marked["document/TOOLS.md"]


def test_what_holds_without_a_variable_is_named(files):
    url = "`https://api.bookshop.example/v1`"
    assert f"| Base URL of the API | {url} |" in files["document/VARIABLES.md"]
    assert "calls that write (secret) | `BOOKSHOP_MCP_API_KEY` |" in files["document/VARIABLES.md"]


def test_every_credential_is_named_where_people_look(marked):
    facts = json.loads(marked["src/logins_mcp/api.json"])
    variables = [name for auth in facts["auth"].values() for name in auth["variables"]]
    assert len(variables) >= 6
    server = {
        entry["name"]
        for entry in json.loads(marked["server.json"])["packages"][0]["environmentVariables"]
    }
    for name in variables:
        assert name in marked[".env.example"] and name in marked["README.md"] and name in server


def test_secrets_are_marked_as_such(files):
    entries = json.loads(files["server.json"])["packages"][0]["environmentVariables"]
    assert {entry["name"]: (entry["isRequired"], entry["isSecret"]) for entry in entries} == {
        "BOOKSHOP_MCP_BASE_URL": (False, False),
        "BOOKSHOP_MCP_API_KEY": (True, True),
    }
    options = json.loads(files["manifest.json"])["user_config"]
    assert options["bookshop_mcp_api_key"]["sensitive"]
    assert options["bookshop_mcp_api_key"]["required"]


def test_the_registry_entry_keeps_the_registrys_limits(marked):
    entry = json.loads(marked["server.json"])
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 1 <= len(entry["description"]) <= 100 and 1 <= len(entry["title"]) <= 100
    assert f"mcp-name: {entry['name']}" in marked["README.md"]


@pytest.mark.parametrize("client", CLIENTS)
def test_client_settings_start_the_server_and_hold_no_secret(files, client):
    text = files[f"clients/{client}.{CLIENTS[client].form}"]
    settings = READERS[CLIENTS[client].form](text)
    (server,) = settings[CLIENTS[client].key].values()
    command = server.get("command", server.get("cmd"))
    assert command in ("bookshop-mcp", ["bookshop-mcp"]) and server.get("args", []) == []
    env = next(server[word] for word in ("env", "envs", "environment") if word in server)
    assert set(env) == {"BOOKSHOP_MCP_API_KEY"}


def test_client_settings_ask_for_what_they_may_not_hold(files):
    key = "BOOKSHOP_MCP_API_KEY"
    vscode = json.loads(files["clients/vscode.json"])
    assert vscode["inputs"][0]["password"] is True
    value = vscode["servers"]["bookshop"]["env"][key]
    assert value == f"${{input:{vscode['inputs'][0]['id']}}}"
    cursor = json.loads(files["clients/cursor.json"])["mcpServers"]["bookshop"]
    assert cursor["env"] == {key: f"${{env:{key}}}"}
    assert json.loads(files["clients/http.json"])["mcpServers"]["bookshop"]["url"].startswith(
        "http://127.0.0.1:"
    )


def test_a_client_that_cannot_list_every_tool_gets_the_lazy_ones(tmp_path):
    operation = {"get": {"responses": {"200": {"description": "ok"}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Stars", "version": "1"},
        "servers": [{"url": "https://x.example"}],
        "paths": {f"/star{number}": operation for number in range(90)},
    }
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(document))
    files = generate(Config(sources=(str(path),)), Problems(), files=tuple(on_request()))[2]
    entry = json.loads(files["clients/cursor.json"])["mcpServers"]["stars"]
    assert entry == {"command": "stars-mcp", "args": ["--lazy"]}
    assert json.loads(files["clients/vscode.json"])["servers"]["stars"]["args"] == []
    assert "is started with `--lazy`: Cursor \\(80 tools\\).\n" in files["README.md"]


def test_a_bundle_leaves_out_what_does_not_run(files):
    patterns = files[".mcpbignore"].splitlines()
    for name in (".venv/", ".*_cache/", "__pycache__/", "tests/", ".env*"):
        assert name in patterns
    assert not {"src/", "pyproject.toml", "manifest.json", "README.md"} & set(patterns)


def test_the_workflow_pins_what_it_uses(files):
    workflow = yaml.safe_load(files[".github/workflows/mcpgen.yml"])
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    uses = [step["uses"] for step in steps if "uses" in step]
    assert uses and all(re.search(r"@[0-9a-f]{40}$", use) for use in uses)
    assert any("mcpgen check" in step.get("run", "") for step in steps)
    assert workflow["permissions"] == {"contents": "read"}


@pytest.mark.parametrize(("style", "found"), [
    ("line-length = 120", [("E1321", "add what follows", 'extend-exclude = "/runtime/"\n')]),
    ("line-length = 88\nexclude = '/build/'", [("E1321", "name `/runtime/` in `exclude`", "")]),
    ("line-length = 100", []),
    ('line-length = 120\nextend-exclude = "/runtime/"', []),
    ("line_length = 100", []),
    ('line-length = 120\nextend_exclude = "/runtime/"', []),
    ("", [("E1321", "add what follows", 'extend-exclude = "/runtime/"\n')]),
])  # fmt: skip
def test_a_style_of_black_that_the_runtime_does_not_have_is_told(tmp_path, style, found):
    (tmp_path / "src" / "shop_mcp" / "runtime").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(f"[project]\nname = 'a'\n\n[tool.black]\n{style}\n")
    problems = list(manifest_problems(tmp_path, "shop_mcp"))
    assert [(one.code, one.hint.partition(" below")[0].partition(", too")[0], one.detail)
            for one in problems] == found  # fmt: skip
    assert all(one.place.line == 4 and one.severity == "warning" for one in problems)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'a'\n\n[tool.ruff]\n")
    assert list(manifest_problems(tmp_path, "shop_mcp")) == []
    (tmp_path / "pyproject.toml").write_text("[tool.black]\n")
    (tmp_path / "src" / "shop_mcp" / "runtime").rmdir()
    assert list(manifest_problems(tmp_path, "shop_mcp")) == []


def test_the_image_does_not_run_as_root(files):
    lines = files["Dockerfile"].splitlines()
    assert any(re.fullmatch(r"USER \d+", line) for line in lines)
    assert lines.count("FROM ${BASE}") == lines.count("ARG EXTRAS=fast") == 1
    assert 'prefix=/install ".${EXTRAS:+[$EXTRAS]}"' in files["Dockerfile"]
    assert "--require-hashes -r requirements.lock" in files["Dockerfile"]
    assert "COPY pyproject.toml README.md requirements.lock* ./" in lines
    [check] = [line for line in lines if line.startswith("HEALTHCHECK")]
    program = json.loads(check.partition("CMD ")[2])[2]
    with HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as listening:
        threading.Thread(target=listening.handle_request).start()
        at = f"127.0.0.1:{listening.server_port}"
        ran = [sys.executable, "-c", program.replace("127.0.0.1:8000/health", at)]
        assert subprocess.run(ran, timeout=30).returncode == 0
    assert subprocess.run(ran, timeout=30, stderr=subprocess.DEVNULL).returncode == 1
    assert ".env" not in files[".dockerignore"].replace("!", "").splitlines()
    assert files[".dockerignore"].splitlines()[1] == "*"


def test_every_variable_is_explained_and_no_other():
    every = settings_with(ApiSettings, parts_of({"parts": list(PARTS)}))
    text = (resources.files("mcpgen") / "data" / "settings.toml").read_text("utf-8")
    assert set(tomllib.loads(text)) == {setting.name for setting in every}


def test_a_project_says_whose_the_copied_code_is_and_where_the_api_is_described(
    tmp_path: Path,
) -> None:
    """The licence of the runtime asks for its notice in every copy; an installed one has its own."""
    document = yaml.safe_load((ROOT / "samples" / "specs" / "bookshop.yaml").read_text())
    for url, runtime in (
        ("https://docs.example.com/shop", "copied"),
        ("http://10.0.0.1", "installed"),
    ):
        document["externalDocs"] = {"url": url}
        (tmp_path / "shop.json").write_text(json.dumps(document))
        config = Config(sources=(str(tmp_path / "shop.json"),), runtime=runtime)
        files = generate(config, Problems())[2]
        project = tomllib.loads(files["pyproject.toml"])["project"]
        (is_copied,) = {runtime == "copied", "license-files" in project, "urls" in project}
        if is_copied:
            [path] = [path for path in files if fnmatch(path, project["license-files"][0])]
            assert files[path] == (ROOT / "LICENSE").read_text()
            assert project["urls"] == {"Documentation": url}
