"""Every node is shown where its author wrote it: the right file, line and column."""

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.problems import Problems
from mcpgen.runtime.pointer import escape
from mcpgen.upgrade import upgrade

from .conftest import Write, loaded

YAML = Path(__file__).with_name("places.yaml").read_text("utf-8")
JSON = """\
{"openapi": "3.0.3", "info": {"title": "\\"T\\"", "version": "1"},
 "tags": [
  {"name": "a"},
  {"name": "b", "x": {}}
 ]}"""




@pytest.mark.parametrize(("text", "pointer", "line", "column", "width"), [
    (YAML, "/openapi", 1, 10, 5), (YAML, "/info/title", 2, 15, 8), (YAML, "/info", 2, 1, 4),
    (YAML, "/paths/~1books~1{id}", 7, 3, 11),
    (YAML, "/paths/~1books~1{id}/get/parameters/0", 12, 11, 1),
    (YAML, "/paths/~1books~1{id}/get/parameters/0/in", 13, 15, 4),
    (YAML, "/paths/~1books~1{id}/get/parameters/1/name", 14, 18, 1),
    (YAML, "/components/schemas/A/type", 4, 9, 6), (YAML, "/components/schemas/B/type", 4, 9, 6),
    (YAML, "/components/schemas/B/description", 20, 20, 3),
    (YAML.replace("\n", "\r\n"), "/components/schemas/B/description", 20, 20, 3),
    (YAML, "/components/schemas/B/nothing/there", 18, 5, 1),
    (JSON, "/openapi", 1, 13, 7), (JSON, "/info/title", 1, 40, 7), (JSON, "/tags/1/name", 4, 12, 3),
    (JSON, "/tags/1", 4, 3, 1), (JSON, "/tags/1/x", 4, 17, 3), (JSON, "/tags/9", 2, 2, 6),
    (JSON, "", 1, 1, 1),
])  # fmt: skip
def test_a_place_is_a_line_a_column_and_a_width(
    write: Write, text: str, pointer: str, line: int, column: int, width: int
) -> None:
    place = loaded(write("x.json" if text == JSON else "x.yaml", text))[0].place(pointer)
    assert (place.line, place.column, place.width) == (line, column, width)


@pytest.mark.parametrize("is_read", [True, False])
def test_a_place_that_cannot_be_found_in_the_text_keeps_its_pointer(
    write: Write, is_read: bool
) -> None:
    document = loaded(write("x.yaml", YAML))[0]
    document._finders[""] = None  # type: ignore[assignment]
    if not is_read:
        document.files.clear()
    place = document.place("/info/title")
    assert (place.pointer, place.line) == ("/info/title", 0)
    assert place.file.endswith("x.yaml")


def test_every_value_of_a_document_is_found(write: Write) -> None:
    """The text at a place is the value: checked for every scalar of a document, in both
    notations.
    """
    tree = {
        "openapi": "3.1.0",
        "a": {"b/c": ["x0", {"~d": "x1"}, ["x2"]], "": "x3", "e": {"0": "x4", "f g": "x5"}},
    }
    block = (
        'openapi: 3.1.0\na:\n  b/c: [x0, {~d: x1}, [x2]]\n  "": x3\n  e:\n    0: x4\n    f g: x5\n'
    )
    pointers: dict[str, str] = {}

    def collect(node: Any, pointer: str) -> None:
        if isinstance(node, str):
            pointers[pointer] = node
        for key, value in (
            node.items()
            if isinstance(node, dict)
            else enumerate(node) if isinstance(node, list) else ()
        ):
            collect(value, f"{pointer}/{escape(str(key))}")

    collect(tree, "")
    for name, text in (("x.json", json.dumps(tree, indent=2)), ("x.yaml", block)):
        document = loaded(write(name, text))[0]
        for pointer, value in pointers.items():
            place = document.place(pointer)
            line = text.split("\n")[place.line - 1]
            assert line[place.column - 1 :][: place.width].strip('"') == value


def test_in_the_right_file_of_many(write: Write) -> None:
    write(
        "schemas/pet.yaml",
        "Cat: {}\nPet:\n  type: object\n  nullable: true\n  properties:\n    a: {type: string}\n",
    )
    write("schemas/dog.json", '{"type":\n "object"}')
    main = write(
        "x.yaml",
        "openapi: 3.0.0\ninfo: {}\ncomponents:\n  schemas:\n    P: {$ref: schemas/pet.yaml#/Pet}\n"
        "    D: {$ref: schemas/dog.json}\n",
    )
    document = upgrade(loaded(main)[0], Problems())
    _, pet = document.resolve("#/components/schemas/P")
    _, dog = document.resolve("#/components/schemas/D")
    place = document.place(f"{pet}/properties/a/type")
    assert (place.file, place.line, place.pointer) == (
        str(main.parent / "schemas/pet.yaml"),
        6,
        "/Pet/properties/a/type",
    )
    assert document.place(f"{dog}/type").line == 2
    assert document.place("/components/schemas/P").file == str(main)


def test_the_excerpt_is_the_line_with_its_neighbours(write: Write) -> None:
    place = loaded(write("x.yaml", YAML))[0].place("/info/title")
    assert [number for number, _ in place.excerpt] == [1, 2, 3]
    assert place.excerpt[1][1] == "info: {title: \"Bücher\", version: '1'}"
