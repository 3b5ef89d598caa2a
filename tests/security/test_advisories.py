"""One test for each published hole of a neighbour that could be here too, named after its
advisory.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from mcpgen.runtime.client import Refused
from mcpgen.runtime.client import request as url
from tests.render.syntax import syntax

from .conftest import Canary, Generate
from .shop import document, operation, query, rendered, single, understood

MODULE = "src/shop_mcp/tools/general.py"


def test_cve_2025_64340_a_server_name_is_no_command_line(tmp_path: Path) -> None:
    """FastMCP: a server's name reached a shell through the command that installs it."""
    title = "shop & calc $(id) `id` | sh\n"
    files = rendered(tmp_path, document(info={"title": title, "version": "1"}))
    kinds = (".json", ".yml", "Makefile", "Dockerfile", ".example")
    for path, text in files.items():
        if path.endswith(kinds) and not path.startswith("src/"):
            assert "$(id)" not in text or path in ("server.json", "manifest.json"), path
    for path in ("clients/claude-desktop.json", "clients/vscode.json"):
        entry = json.dumps(json.loads(files[path])).replace("${input:", "")
        assert not re.search(r"[&$`|;\n]", entry), path


@pytest.mark.parametrize("value", ["../admin", "..%2fadmin", "%2e%2e/admin", "..\\admin"])
def test_ghsa_vv7q_7jx5_f767_a_path_argument_stays_in_its_segment(value: str) -> None:
    """FastMCP's OpenAPI provider: `..` in a path argument reached other endpoints with the
    credential.
    """
    with pytest.raises(Refused):
        url.build("https://api.example.com/v1", "/users/{id}", {"id": value}, "")


@pytest.mark.parametrize("mark", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_ghsa_j884_a_line_break_in_a_description_ends_no_comment(tmp_path: Path, mark: str) -> None:
    """datamodel-code-generator: a carriage return in a description became a line of code."""
    schema = {"type": "object", "title": f"T{mark}import os"}
    schema["description"] = f"safe{mark}raise SystemExit(1)"
    content = {"application/json": {"schema": {**schema, "properties": {"a": schema}}}}
    answers = {"200": {"description": "OK", "content": content}}
    files = rendered(tmp_path, single(operationId="x", responses=answers))
    for path, text in files.items():
        if re.fullmatch(r"src/shop_mcp/(models|tools/\w+)\.py", path):
            assert not any(isinstance(node, ast.Raise) for node in ast.walk(ast.parse(text))), path
            assert "import os" not in text.replace('"', "\n"), path


def test_pysec_2020_71_and_orval_and_harsha_67_a_document_is_no_program(tmp_path: Path) -> None:
    """openapi-python-client, orval, openapi-mcp-generator: names, defaults and enums were pasted
    into source.
    """
    evil = "x'); import os; os.system('touch /tmp/P') #`${process.exit()}`"
    given = single(operationId=evil, parameters=[query(evil, enum=[evil], default=evil)])
    plain = single(operationId="a b", parameters=[query("a b", enum=["b"], default="b")])
    assert syntax(rendered(tmp_path, given)[MODULE]) == syntax(rendered(tmp_path, plain)[MODULE])


def test_pysec_2020_70_a_name_is_no_path(generate: Generate, tmp_path: Path) -> None:
    """openapi-python-client: a title or tag chose where files were written."""
    evil = "../../../../escaped"
    given = document(
        {"/x": {"get": operation(operationId=evil, tags=[evil])}},
        info={"title": evil, "version": "1"},
    )
    assert generate(given).code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"openapi.json", "out"}


@pytest.mark.parametrize("place", ["paths", "schema", "tab"])
def test_awslabs_4141_and_harsha_68_and_json_schema_ref_deref_nothing_is_fetched(
    tmp_path: Path, canary: Canary, place: str
) -> None:
    """awslabs/mcp and openapi-mcp-generator: a `$ref` to another host was followed at generation or
    start.
    """
    ref = {"$ref": canary.url}
    given = {
        "paths": document({"/x": ref}),
        "schema": single(parameters=[query(**ref)]),
        "tab": json.dumps(document({"/x": ref})).replace('"$ref": ', '"$ref":\t'),
    }[place]
    rendered(tmp_path, given)
    assert canary.asked == []


def test_swagger_codegen_11309_a_path_is_no_program(tmp_path: Path) -> None:
    """swagger-codegen: code in a path key reached the generated client."""
    server, _ = understood(
        tmp_path, document({"/pet/{id}'+str(exec('import os'))+'": {"get": operation()}})
    )
    assert server.tools == ()


def test_dcg_2428_the_name_of_a_file_is_no_program(generate: Generate) -> None:
    """datamodel-code-generator: the input file's name stood in a comment of the output."""
    result = generate(document(), name="x\nimport os  # .json")
    assert result.code == 0
    for path, text in result.files.items():
        assert not path.endswith(".py") or "import os  #" not in text, path


def test_fastmcp_3262_3436_a_callers_token_is_not_the_apis() -> None:
    """FastMCP: the transport's Authorization header was sent on to the API. Here the transport
    alone reads headers.

    That it does not arrive is shown with a server and an API in
    tests/server/test_server_http.py.
    """
    root = Path(__file__).parents[2] / "mcpgen" / "runtime"
    reading = re.compile(r"scope\[.headers.\]|request\.headers\b(?!\.items)|\bget_http_request\b")
    readers = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if reading.search(path.read_text("utf-8"))
    }
    # The client reads the headers of the requests that it makes itself, and those of a caller that
    # the operator named; telemetry the trace context
    clients = {"client/api.py", "client/oauth.py", "client/forwarded.py"}
    telemetry = "parts/telemetry/instruments.py"
    # A part that is mounted in the API itself reads the host and the origin, before the guard does
    transports = {"transports/guard.py", "transports/exchange.py", "parts/asgi/mount.py"}
    assert readers == {telemetry, *transports, *clients}
