"""The same API written in Swagger 2.0, OpenAPI 3.0 and OpenAPI 3.1 gives the same tree."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.load import load
from mcpgen.problems import Problems
from mcpgen.upgrade import upgrade

TWINS = Path(__file__).parent / "twins"
TWO = (TWINS / "swagger2.yaml").read_text("utf-8")
THREE = (TWINS / "openapi3.yaml").read_text("utf-8")


def modern() -> dict[str, Any]:
    """The 3.0 document by hand as 3.1."""
    root: dict[str, Any] = copy.deepcopy(yaml.safe_load(THREE))
    root["openapi"] = "3.1.1"
    root["components"]["parameters"]["limit"]["schema"] = {"type": "integer", "exclusiveMaximum": 9}
    del root["paths"]["/books/{id}/cover"]["put"]["parameters"][0]["schema"]["nullable"]
    book = root["components"]["schemas"]["Book"]["properties"]
    book["title"] = {"type": "string", "examples": ["Emma"]}
    book["price"] = {"type": ["number", "null"], "exclusiveMinimum": 0}
    book["size"] = {"type": ["string", "null"], "enum": ["s", "l", None]}
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Any:
    def act(text: str) -> dict[str, Any]:
        path = tmp_path / "x.yaml"
        path.write_text(text)
        problems = Problems()
        document = upgrade(load(path, problems=problems), problems)
        assert list(problems) == []
        return document.root

    return act


def test_swagger_2_and_openapi_3_0_give_the_same_tree(tree: Any) -> None:
    assert tree(TWO) == tree(THREE)


def test_openapi_3_0_and_3_1_give_the_same_tree(tree: Any) -> None:
    assert tree(THREE) == tree(yaml.safe_dump(modern(), sort_keys=False))


def test_a_modern_document_stays_as_it_is(tree: Any) -> None:
    assert tree(yaml.safe_dump(modern())) == {**modern(), "openapi": "3.1.0"}


def test_upgrading_twice_changes_nothing(tree: Any) -> None:
    once = tree(TWO)
    assert tree(yaml.safe_dump(once)) == once
