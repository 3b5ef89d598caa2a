"""What every test of `parse` starts from: a small document, and the server it becomes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcpgen.config import Config
from mcpgen.ir import Server, Tool
from mcpgen.load import load
from mcpgen.parse import parse
from mcpgen.problems import Problems
from mcpgen.upgrade import upgrade

Parse = Callable[..., tuple[Server, Problems]]


@pytest.fixture
def parse_document(tmp_path: Path) -> Parse:
    """Parse a document given as its paths, with whatever else belongs at its root."""

    def run(
        paths: dict[str, Any], *, config: Config | None = None, **root: Any
    ) -> tuple[Server, Problems]:
        document = {
            "openapi": "3.1.0",
            "info": {"title": "Bookshop API", "version": "1"},
            "paths": paths,
            **root,
        }
        path = tmp_path / "document.json"
        path.write_text(json.dumps(document))
        problems = Problems()
        loaded = upgrade(load((str(path),), problems=problems), problems)
        return parse(loaded, config or Config(), problems), problems

    return run


@pytest.fixture
def one_tool(parse_document: Parse) -> Callable[..., Tool]:
    """The tool of a document with one operation."""

    def run(
        operation: dict[str, Any], path: str = "/books", method: str = "get", **root: Any
    ) -> Tool:
        server, problems = parse_document({path: {method: {"responses": {}, **operation}}}, **root)
        assert len(server.tools) == 1, [problem.message for problem in problems]
        return server.tools[0]

    return run
