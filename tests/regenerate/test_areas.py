"""Many operations without a tag are grouped by their paths, and stay where they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcpgen.parse.toolsets import LEAST, MANY, areas

from .shop import generate, lock_of, package, save


def operations(word: str, count: int, start: int = 0) -> dict[str, Any]:
    """Paths that begin with a word, one operation each, without a tag."""
    return {f"/v1/{word}/{{id}}/part_{number}": {
        "parameters": [{
            "name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        "get": {"responses": {"200": {"description": "ok"}}},
    } for number in range(start, start + count)}  # fmt: skip


def generated(folder: Path, paths: dict[str, Any]) -> dict[str, int]:
    """The toolsets of a project that is generated (again) for these paths: how many tools each."""
    document = {"openapi": "3.1.0", "info": {"title": "Pay", "version": "1"}, "paths": paths}
    source = folder / "api.json"
    save(document, source)
    project = folder / "project"
    generate(project, source)
    names = [tool.toolset for tool in lock_of(project).tools]
    modules = {path.stem for path in (package(project) / "tools").glob("[a-z]*.py")}
    assert modules == set(names)
    return {name: names.count(name) for name in names}


def test_many_operations_without_a_tag_are_toolsets_by_their_paths(tmp_path: Path) -> None:
    paths = operations("charges", 25) | operations("test_helpers", 15) | operations("balance", 2)
    assert generated(tmp_path, paths) == {"charges": 25, "test_helpers": 15, "general": 2}


def test_a_few_operations_without_a_tag_are_one_toolset(tmp_path: Path) -> None:
    paths = operations("charges", 25) | operations("refunds", 15)
    assert generated(tmp_path, paths) == {"general": 40}


def test_a_tool_stays_in_its_toolset_when_its_api_grows_or_shrinks(tmp_path: Path) -> None:
    small = operations("charges", 25) | operations("refunds", 10)
    large = small | operations("charges", 5, 25) | operations("payouts", 10)
    assert generated(tmp_path, small) == {"general": 35}
    assert generated(tmp_path, large) == {"general": 40, "payouts": 10}
    less = operations("charges", 30) | operations("payouts", 9)
    assert generated(tmp_path, less) == {"general": 30, "payouts": 9}


@pytest.mark.parametrize("tag", ["Test Helpers", "test_helpers", "testHelpers"])
def test_operations_without_a_tag_join_the_tag_that_their_path_names(tag: str) -> None:
    untagged = {f"GET /test_helpers/{number}x": f"/test_helpers/{number}x" for number in range(50)}
    assert set(areas(untagged, [tag], {}).values()) == {tag}


@pytest.mark.parametrize("path", ["/", "/v1", "/api/v2/{id}", "/2015-03-31/", "/{tenant}"])
def test_a_path_that_names_nothing_is_general(path: str) -> None:
    untagged = {f"{method} {path}": path for method in map(str, range(MANY + 1))}
    assert areas(untagged, [], {}) == {}


def test_a_toolset_has_some_tools() -> None:
    untagged = {f"GET /{word}": f"/{word}" for word in map(chr, range(97, 123))}
    many = untagged | {f"GET /many/{number}": f"/many/{number}" for number in range(MANY)}
    assert LEAST > 1
    assert set(areas(many, [], {})) == {key for key in many if key.startswith("GET /many")}
