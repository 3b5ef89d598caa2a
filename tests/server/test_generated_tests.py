"""The tests a generated project brings pass as they land, and notice when the client in it is
wrong.
"""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml
from shop import process_environment

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.evaluate.recorder import Recorder
from mcpgen.problems import Problems
from tests.generated import written

DOCUMENT = yaml.safe_load(Path(__file__).with_name("generated_tests.yaml").read_text("utf-8"))

MUTATIONS = {
    "another path": ("src/*/tools/*.py", '"/things/{thingId}"', '"/thing/{thingId}"'),
    "another server": ("src/*/tools/*.py", 'base_url="/"', "base_url=None"),
    "another method": ("src/*/tools/*.py", '"PUT"', '"PATCH"'),
    "a query name that is not the wire's": ("src/*/tools/*.py", '"page-size"', '"page_size"'),
    "another style": ("src/*/tools/*.py", "wire.csv(ids)", "ids"),
    "a header that is dropped": ("src/*/tools/*.py", '"X-Trace": x_trace', '"X-Trace": OMIT'),
    "a cookie that is dropped": ("src/*/tools/*.py", '"flavour": flavour', '"flavour": OMIT'),
    "two fields swapped": ("src/*/tools/*.py", '"title": title', '"title": author'),
    "a field too many": ("src/*/tools/*.py", '"title": title', '"title": title, "more": title'),
    "a nested name that is not the wire's": ("src/*/tools/*.py", '"$eq"', '"eq"'),
    "a file that is sent as text": ("src/*/tools/*.py", "wire.file(file)", "file"),
    "a credential in another place": ("src/*/api.json", '"X-API-Key"', '"X-Key"'),
    "arguments that are not checked": ("src/*/runtime/calls.py", "checker.checked(arguments)",
        "checker and (dict(arguments or {}), [])"),
    "required arguments that are not asked for": ("src/*/runtime/arguments/checker.py",
        "                if self._validator.is_valid(repaired):\n", "                if True:\n"),
    "errors that look like answers": (
        "src/*/runtime/calls.py", '"isError": True', '"isError": False'),
    "a time limit that is not named": (
        "src/*/runtime/client/api.py", " seconds (`{variable}`)", " seconds"),
    "a missing credential that is not noticed": ("src/*/runtime/client/credentials.py",
        "return MissingCredential(text, self.variables(alternatives))", "return ValueError(text)"),
    "a refused credential that is not named": (
        "src/*/runtime/client/report.py", "if status in (401, 403):", "if status == 403:"),
    "texts that are not escaped": (
        "src/*/runtime/client/wire.py", "return quote(text_of(value), safe=safe)",
        "return text_of(value)"),
    "a rate that limits nothing": (
        "src/*/runtime/limits.py", 'too_many("calls", wait, name) if wait', '"" if wait'),
    "calls that wait for each other until one fails": ("src/*/runtime/limits.py",
        'running >= self._settings.max_calls', 'running >= 20'),
    "a command that does not start": (
        "src/*/__main__.py", "return serve(__package__)", "return 1"),
    "secrets that are not masked": (
        "src/*/runtime/secrets.py", "return self._pattern.sub(MASK, text)", "return text"),
}  # fmt: skip


SET = {"THINGS_MCP_READ_ONLY": "1", "THINGS_MCP_CALL_RATE": "1/m"}
"""Settings of a developer, which change no test."""
RUNNER = """
import contextlib, io, json, os, sys
import mcp, pytest
results, path = {}, list(sys.path)
for folder in sys.argv[1:]:
    os.chdir(folder)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "--rootdir", folder, "tests"])
    results[os.path.basename(folder)] = [int(code), said.getvalue()]
    sys.path[:] = path
    for name in [name for name in sys.modules if name.startswith(("things_mcp", "conftest", "test_"))]:
        del sys.modules[name]
print(json.dumps(results))
"""


def generate(folder: Path) -> None:
    """Write the project of the document."""
    document = folder.parent / "document.json"
    document.write_text(json.dumps(DOCUMENT))
    written(
        pipeline.generate(Config(sources=(str(document),), confirm=True), Problems())[2], folder
    )


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Mutation → exit code and output of the project's own tests; `as it is` without one. One
    process runs all.
    """
    root = tmp_path_factory.mktemp("things")
    generate(root / "as it is")
    for mutation, (pattern, good, bad) in MUTATIONS.items():
        shutil.copytree(root / "as it is", root / mutation)
        texts = {path: path.read_text() for path in (root / mutation).glob(pattern)}
        assert any(good in text for text in texts.values()), f"nothing to mutate: {good}"
        for path, text in texts.items():
            path.write_text(text.replace(good, bad))
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, *(str(root / name) for name in ("as it is", *MUTATIONS))],
        capture_output=True, text=True, timeout=300, env=process_environment() | SET,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[int, str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_generated_project_passes_its_tests(outcomes: dict[str, tuple[int, str]]) -> None:
    code, said = outcomes["as it is"]
    assert code == 0 and "skipped" not in said, said


@pytest.mark.parametrize("mutation", list(MUTATIONS))
def test_a_wrong_client_fails_them(outcomes: dict[str, tuple[int, str]], mutation: str) -> None:
    code, said = outcomes[mutation]
    assert code == 1, said
    assert "1 failed" in said


def test_the_api_of_a_projects_tests_gives_tokens_whatever_it_answers_else() -> None:
    api = Recorder()
    api.status = 500
    try:
        assert json.load(urllib.request.urlopen(f"{api.origin}/token"))["token_type"] == "Bearer"
        connection = http.client.HTTPConnection(api.origin.rpartition("/")[2])
        for method in ("HEAD", "GET"):  # a body after HEAD would be taken for the next answer
            connection.request(method, "/v1/x")
            assert (answer := connection.getresponse()).status == 500
            assert (answer.read() == b"") == (method == "HEAD")
        assert [one.method for one in api.taken()] == ["HEAD", "GET"] and not api.requests
        names = api.settings({"env_prefix": "X", "apis": {"shop": {}}})
        assert {"X_BASE_URL", "X_SHOP_BASE_URL", "X_TOKEN_URL", "X_SHOP_TOKEN_URL"} <= names.keys()
    finally:
        api.close()
