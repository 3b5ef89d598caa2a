"""The types of answers in a project, and what a change of them means."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcpgen import pipeline
from mcpgen.compare.reports import as_text
from mcpgen.compare.servers import diff
from mcpgen.compare.sides import ANSWERS, side_of_files, side_of_project, side_of_server
from mcpgen.config import Config
from mcpgen.lock import facts
from mcpgen.problems import Problems
from tests.render.servers import server

from .shop import DOCUMENT, Document, generate, project, save

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def shop(author: dict[str, Any], *, series: str = "Series") -> Document:
    """The shop, where a book has an author and may belong to a series, which has the author too."""
    document = copy.deepcopy(DOCUMENT)
    document["components"]["schemas"] |= {
        "Book": of(title=TEXT, author={"$ref": "#/components/schemas/Author"},
            series={"anyOf": [{"$ref": f"#/components/schemas/{series}"}, {"type": "null"}]}),
        "Author": author, series: of(name=TEXT, editor={"$ref": "#/components/schemas/Author"}),
    }  # fmt: skip
    return document


AUTHOR = of(name=TEXT, born=NUMBER, prize={"type": "string", "enum": ["a", "b"]})
AUTHOR["required"] = ["name"]


def author(**changes: Any) -> dict[str, Any]:
    """The author with some properties changed; those that are None are gone."""
    properties = {**AUTHOR["properties"], **changes}
    kept = {name: schema for name, schema in properties.items() if schema is not None}
    return {**AUTHOR, "properties": kept}


@pytest.mark.parametrize(
    ("new", "kind", "text"),
    [
        (author(born=None), "breaking", "answers no longer have `author.born`"),
        (author(born=TEXT), "breaking", "`author.born` of the answer is string instead of integer"),
        (author(born={"type": ["integer", "null"]}), "breaking",
         "`author.born` of the answer is integer or null instead of integer"),
        (author(died=NUMBER), "additive", "answers have `author.died` as well"),
        ({**AUTHOR, "required": []}, "breaking", "`author.name` of the answer may be missing"),
        (author(prize={"type": "string", "enum": ["a", "b", "c"]}), "additive",
         "`author.prize` of the answer may be `c` as well"),
        (author(works={"type": "array", "items": of(year=NUMBER)}), "additive",
         "answers have `author.works` as well"),
    ],
)  # fmt: skip
def test_a_change_deep_in_an_answer_is_seen_in_projects_and_documents(
    tmp_path: Path, new: dict[str, Any], kind: str, text: str
) -> None:
    folder = project(tmp_path)
    source = save(shop(AUTHOR), tmp_path / "shop.json")
    generate(folder)
    before = side_of_project(folder)
    save(shop(new), source)
    _, server = pipeline.understand(Config(sources=(str(source),)), Problems(), lock=before.lock)
    announced = diff(before, side_of_server(server))
    generate(folder)
    found = diff(before, side_of_project(folder))
    for difference in (announced, found):
        seen = {(item.tool, item.kind, item.text) for item in difference.changes}
        assert ("get_book", kind, text) in seen, as_text(difference)
        assert ("list_books", kind, text.replace("`author", "`items[].author")) in seen
    assert diff(side_of_server(server), side_of_project(folder)).changes == ()


BOOK = {"$ref": "#/$defs/Book"}
MODELS = {
    "Book": {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "series": {"anyOf": [{"$ref": "#/$defs/Series"}, {"type": "null"}]},
            "sizes": {"type": "object", "additionalProperties": {"type": "number"}},
        },
        "required": ["title", "sizes"],
    },
    "Series": {"type": "object", "properties": {"no.": {"enum": [1, 2]}}, "required": ["no."]},
}


def whole(answer: dict[str, Any]) -> dict[str, Any]:
    """The whole schema of one tool's answer, as a project's file has its type."""
    files = {ANSWERS: json.dumps({"$defs": MODELS, "tools": {"f": answer}})}
    lock = replace(facts(server()), files=dict.fromkeys(files, ""))
    return dict(side_of_files(lock, files.get).answers["f"])


def test_every_form_of_a_type_is_one_schema() -> None:
    book = {"$ref": "#/$defs/Book", "type": ["object"]}
    series = {"$ref": "#/$defs/Series", "type": ["object"]}
    definitions = whole(BOOK)["$defs"]
    assert definitions["Book"]["properties"] == {
        "title": {"type": "string"},
        "series": {"$ref": "#/$defs/Series", "type": ["null", "object"]},
        "sizes": {"type": "object", "additionalProperties": {"type": "number"}},
    }
    assert definitions["Series"]["properties"] == {"no.": {"enum": [1, 2], "type": ["integer"]}}
    assert whole(BOOK) == {**book, "$defs": definitions}
    assert whole({"type": "array", "items": BOOK}) == {
        "type": ["object"],
        "properties": {"result": {"type": "array", "items": book}},
        "$defs": definitions,
    }
    assert whole({"anyOf": [BOOK, {"$ref": "#/$defs/Series"}]}) == {
        "type": ["object"],
        "anyOf": [book, series],
        "$defs": definitions,
    }
    assert whole({}) == {}


@pytest.mark.parametrize("text", [
    "", "<<<<<<< yours", "[]", '{"tools": {"f": 1}}', '{"tools": {"f": {"enum": [[]]}}}',
    '{"$defs": {"Book": {"properties": []}}}', '{"tools": {"f": {"anyOf": 3}}}',
])  # fmt: skip
def test_what_cannot_be_read_has_no_type(text: str) -> None:
    lock = replace(facts(server()), files={ANSWERS: ""})
    assert side_of_files(lock, {ANSWERS: text}.get).answers == {}


def test_a_project_without_readable_types_is_compared_by_its_list(tmp_path: Path) -> None:
    folder = project(tmp_path)
    before = side_of_project(folder)
    (folder / ANSWERS).unlink()
    after = side_of_project(folder)
    assert {"get_book", "list_books"} <= before.answers.keys()
    assert after.answers == {}
    assert diff(before, after).changes == ()


def test_a_list_of_the_answer_is_compared_below_result(tmp_path: Path) -> None:
    def side(items: dict[str, Any]) -> Any:
        document = copy.deepcopy(DOCUMENT)
        answer = document["paths"]["/books"]["get"]["responses"]["200"]
        answer["content"]["application/json"]["schema"] = {"type": "array", "items": items}
        source = save(document, tmp_path / "list.json")
        _, server = pipeline.understand(Config(sources=(str(source),)), Problems())
        return side_of_server(server)

    difference = diff(side(of(name=TEXT, id=TEXT)), side(of(id=NUMBER)))
    assert {item.text for item in difference.of("breaking")} == {
        "answers no longer have `result[].name`",
        "`result[].id` of the answer is integer instead of string",
    }


def test_a_new_name_of_an_object_is_no_change_of_its_fields(tmp_path: Path) -> None:
    sides = []
    for number, series in enumerate(("Series", "Cycle")):
        source = save(shop(AUTHOR, series=series), tmp_path / f"{number}.json")
        _, server = pipeline.understand(Config(sources=(str(source),)), Problems())
        sides.append(side_of_server(server))
    assert diff(*sides).kind == "text"
