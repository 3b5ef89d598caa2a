"""Repairs of a document, written as an overlay."""

from pathlib import Path

import pytest
import yaml

from mcpgen.config import Config
from mcpgen.lint.repairs import overlay, path, repairs
from mcpgen.load import load
from mcpgen.parse import parse
from mcpgen.problems import Problems
from mcpgen.upgrade import upgrade

INTEGER = {"type": "integer"}
FAULTY = """\
openapi: 3.1.0
info: {title: "Pets' API", version: "1"}
paths:
  /pets/{petId}:
    get:
      responses: {}
  /pets/{petId}/it's:
    post:
      operationId: said
      summary: Add one
      parameters: [{name: q, in: query, schema: {type: string}}]
      responses: {}
components:
  schemas:
    Pet: {required: [id, name], properties: {id: {type: integer}}}
"""


def repairs_of(source: Path, *overlays: Path) -> str:
    """The overlay with the repairs of a document."""
    document = load(str(source), overlays=list(map(str, overlays)), problems=Problems())
    return overlay(document, repairs(document))


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    """A document with one fault of each kind."""
    name = tmp_path / "pets.yaml"
    name.write_text(FAULTY)
    return name


def test_what_can_be_known_is_repaired_and_the_rest_is_asked(faulty: Path) -> None:
    text = repairs_of(faulty)
    actions = {
        (action["target"], *action["update"]): action["update"]
        for action in yaml.safe_load(text)["actions"]
    }
    got = path("paths", "/pets/{petId}", "get")
    assert actions[got, "operationId"] == {"operationId": "getPet"}
    comments = [line for line in text.splitlines() if line.startswith("  # ")]
    assert any("no server" in line for line in comments)
    assert any("what does GET /pets/{petId} do?" in line for line in comments)


def test_the_repaired_document_has_no_fault_left_that_could_be_known(
    faulty: Path, tmp_path: Path
) -> None:
    mended = tmp_path / "mended.overlay.yaml"
    mended.write_text(repairs_of(faulty))
    problems = Problems()
    document = upgrade(load(str(faulty), overlays=[str(mended)], problems=problems), problems)
    server = parse(document, Config(), problems)
    assert [tool.name for tool in server.tools] == ["get_pet", "said"]
    assert not [problem.message for problem in problems if problem.code == "E0404"]
    assert repairs_of(faulty, mended) == "", "an overlay has at least one action"


def test_applied_twice_it_changes_nothing_more(faulty: Path, tmp_path: Path) -> None:
    mended = tmp_path / "mended.overlay.yaml"
    mended.write_text(repairs_of(faulty))
    once, twice = (
        load(str(faulty), overlays=[str(mended)] * times, problems=Problems()).root["paths"]
        for times in (1, 2)
    )
    assert once == twice
    pet_id = {"name": "petId", "in": "path", "required": True, "schema": {"type": "string"}}
    assert once["/pets/{petId}"]["get"]["parameters"] == [pet_id]
    query, *added = once["/pets/{petId}/it's"]["post"]["parameters"]
    assert (query["name"], added) == ("q", [pet_id])


def test_shared_operations_and_templates_in_a_query_make_no_new_problem(tmp_path: Path) -> None:
    document = tmp_path / "shared.yaml"
    document.write_text("""\
openapi: 3.1.0
info: {title: T, version: "1"}
servers: [{url: https://api.example.com}]
paths:
  /address:
    get: {responses: {"200": {description: ok}}}
  /support/address: {$ref: "#/paths/~1address"}
  /find?query={query}:
    get: {responses: {"200": {description: ok}}}
""")
    mended = tmp_path / "mended.overlay.yaml"
    mended.write_text(repairs_of(document))
    problems = Problems()
    parse(
        upgrade(load(str(document), overlays=[str(mended)], problems=problems), problems),
        Config(),
        problems,
    )
    assert list(problems) == []


@pytest.mark.parametrize(("written", "text"), [
    ("1.10", "1.10"), ("1e3", "1e3"), ("010", "010"), ("0x10", "0x10"), ("+1", "+1"), ("0", "0"),
    ("0.0", "0.0"), ("-.5", "-.5"), ("1" * 30, "1" * 30), ("&a 1.10", "1.10"),
    ("!!float 1.10", "1.10"), ("1_000", None), ("2024-01-01", None), ("yes", None),
])  # fmt: skip
def test_a_number_for_a_text_is_taken_as_it_is_written(
    tmp_path: Path, written: str, text: str | None
) -> None:
    document = tmp_path / "x.yaml"
    document.write_text(
        "openapi: 3.1.0\nservers: [{url: https://x.org}]\npaths: {}\n"
        f"info:\n  title: {written}\n  version: v\n"
    )
    actions = (yaml.safe_load(repairs_of(document)) or {"actions": []})["actions"]
    assert actions == [{"target": path("info"), "update": {"title": text}}][: text is not None]


def test_a_number_is_taken_from_the_overlay_that_writes_it(tmp_path: Path) -> None:
    document, changes = tmp_path / "x.yaml", tmp_path / "changes.yaml"
    document.write_text("openapi: 3.1.0\ninfo: {title: T, version: v}\n")
    action = f'{{target: "{path("info")}", update: {{title: 1.20}}}}'
    changes.write_text(f"overlay: 1.0.0\ninfo: {{title: O, version: v}}\nactions: [{action}]\n")
    assert '{"title": "1.20"}' in repairs_of(document, changes)
