"""The sample documents: each gives a server, and each shows what its first lines say it shows."""

from pathlib import Path

import pytest

from mcpgen.config import Config
from mcpgen.ir import Server
from mcpgen.pipeline import understand
from mcpgen.problems import Problems

SPECS = Path(__file__).parents[2] / "samples" / "specs"
DOCUMENTS = sorted(
    [path for path in SPECS.glob("*.yaml") if not path.name.endswith(".overlay.yaml")]
    + list(SPECS.glob("*/openapi.yaml"))
)


def understood(name: str) -> tuple[Server, Problems]:
    problems = Problems()
    return understand(Config(sources=(str(SPECS / name),)), problems)[1], problems


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(SPECS).as_posix())
def test_every_operation_becomes_a_tool(path):
    server, problems = understood(str(path.relative_to(SPECS)))
    assert server.tools and server.skips == () and not problems.has_errors


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(SPECS).as_posix())
def test_every_document_says_its_lesson_and_is_listed(path):
    assert path.read_text().startswith("# ")
    name = path.relative_to(SPECS).as_posix()
    assert f"specs/{name}" in (SPECS.parent / "README.md").read_text()


def test_many_files_are_one_api():
    server, _ = understood("many_files/openapi.yaml")
    assert [tool.name for tool in server.tools] == ["get_plant", "list_plants"]


def test_webhooks_and_callbacks_are_reported():
    _, problems = understood("webhooks.yaml")
    said = " ".join(problem.message for problem in problems)
    assert "webhook" in said and "callback" in said


def test_names_are_safe_for_the_model_and_kept_for_the_wire():
    server, _ = understood("names.yaml")
    (report,) = [tool for tool in server.tools if tool.origin.path == "/reports/{class}"]
    wire = {argument.wire_name for argument in report.arguments}
    assert wire == {"class", "filter[eq]", "filter[ne]", "$select", "X-Request-ID", "from", "größe"}
    assert all(
        argument.name.isascii() and argument.name.isidentifier() for argument in report.arguments
    )
    (item,) = [tool for tool in server.tools if tool.origin.path == "/items/{id}"]
    assert sorted(argument.place for argument in item.arguments if argument.wire_name == "id") == [
        "body",
        "path",
        "query",
    ]


def test_credentials_are_alternatives_or_go_together():
    server, _ = understood("logins.yaml")
    security = {tool.name: tool.request.security for tool in server.tools if tool.request}
    assert security["needs_both"] == (("key", "tenant"),)
    assert security["takes_either"] == (("key",), ("password",))
    assert security["needs_nothing"] in ((), None)
    assert {auth.kind for auth in server.auth} == {"api_key", "basic", "client_credentials"}


def test_the_query_method_only_reads():
    server, _ = understood("openapi32.yaml")
    hints = {tool.name: tool.hints for tool in server.tools}
    assert hints["search_stars"].read_only and "copy_catalogue" in hints


def test_swagger_says_where_the_api_is():
    assert understood("swagger2.yaml")[0].base_url == "https://library.example/api"


def test_one_fault_costs_the_other_operations_nothing():
    server, problems = understood("faulty.yaml")
    assert "fine" in [tool.name for tool in server.tools]
    assert any("Persn" in problem.message for problem in problems)
