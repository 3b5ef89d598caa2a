"""`mcpgen lint --client`: what a client does not take, with the source of the limit."""

import datetime
import json
import re
from typing import Any

import pytest

from mcpgen.catalogue.model import Catalogue
from mcpgen.config import Config
from mcpgen.lint.clients import RULES, SCHEMA_RULES, check_client, table
from mcpgen.pipeline import understand
from mcpgen.problems import Problems
from mcpgen.runtime.parts.install.files import CLIENTS, TABLE

from .conftest import SPECS


def test_every_client_has_a_date_and_sources_and_every_limit_a_rule():
    assert set(CLIENTS) < set(TABLE) == set(table())
    for client in table().values():
        row = TABLE[client.name]
        assert isinstance(row["checked"], datetime.date)
        assert "settings" not in row or row["settings"]["source"]
        for rule in client.rules:
            assert rule.name in {*RULES, *SCHEMA_RULES, "tool_count"}
            assert re.search(r"20\d\d-\d\d-\d\d", rule.source), (client.name, rule.source)


@pytest.mark.parametrize(
    "document", ["bookshop", "names", "unions", "recursion", "styles", "uploads"]
)
def test_the_portable_profile_fits(document):
    _, server = understand(Config(sources=(str(SPECS / f"{document}.yaml"),)), Problems())
    problems = Problems()
    check_client(server, "all", problems)
    messages = [problem.message for problem in problems]
    # Alternatives stay where nothing simpler says the same
    fable = "(with Claude Fable models)"
    assert [message for message in messages if not message.endswith(fable)] == []
    assert bool(messages) == (document == "unions")


def test_a_client_without_known_limits_is_said_to_have_none(mcpgen):
    ended = mcpgen("lint", SPECS / "bookshop.yaml", "--client", "zed")
    assert ended.code == 0 and "no limit of Zed is known" in ended.err


def test_the_tools_of_functions_are_looked_at_too() -> None:
    document, server = understand(Config(sources=(str(SPECS / "bookshop.yaml"),)), Problems())
    schema = {"properties": {"a": {"anyOf": [{"type": "integer"}]}}}
    function = {"name": "odd", "description": "Add.", "inputSchema": schema, "annotations": {}}
    check_client(server, "cursor", problems := Problems(), [function])
    assert any("refuses `odd`: its input schema has `anyOf`" in each.message for each in problems)
    with_it, without = (Catalogue(document, server, each).budgets for each in ([function], []))
    assert sum(each.refused for each in with_it) > sum(each.refused for each in without)


@pytest.mark.parametrize(("client", "schema", "told"), [
    ("openai", {"type": "string", "pattern": r"^[\p{L}]+$"}, "which not every engine compiles"),
    ("gemini", {"type": "string", "pattern": "^+[0-9]$"}, "the pattern `^+[0-9]$`"),
    ("gemini", {"enum": ["", "a"]}, "an enum with an empty text"),
    ("gemini", {"enum": ["", [1]]}, "an enum whose values are not all text"),
    ("bedrock", {"type": "array", "maxItems": 2**31}, "beyond 2,147,483,647 in `maxItems`"),
    ("claude-code", {"enum": [2**60]}, "a number beyond 9,007,199,254,740,991 in `enum`"),
])  # fmt: skip
def test_what_makes_a_provider_refuse_a_list_is_told(client: str, schema: Any, told: str) -> None:
    _, server = understand(Config(sources=(str(SPECS / "bookshop.yaml"),)), Problems())
    properties = {"properties": {"a": schema}}
    function = {"name": "odd", "description": "Add.", "inputSchema": properties, "annotations": {}}
    check_client(server, client, problems := Problems(), [function])
    assert any("refuses `odd`" in each.message and told in each.message for each in problems)


def test_too_many_tools_are_told_with_what_to_do(mcpgen, here):
    operation = {"get": {"responses": {"200": {"description": "ok"}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Observatory", "version": "1"},
        "servers": [{"url": "https://x.example"}],
        "paths": {f"/star{number}": operation for number in range(90)},
    }
    (here / "openapi.json").write_text(json.dumps(document))
    ended = mcpgen("lint", "openapi.json", "--client", "cursor")
    assert "Cursor takes 80 tools, there are 90" in ended.err
    assert "--toolsets" in ended.err and "seen in" in ended.err


def test_an_unknown_client_gets_a_suggestion(mcpgen):
    ended = mcpgen("lint", SPECS / "bookshop.yaml", "--client", "cursr")
    assert ended.code == 2 and "did you mean `cursor`" in ended.err
