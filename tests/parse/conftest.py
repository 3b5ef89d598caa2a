"""What every test of `parse` starts from: a small document, and the server it becomes."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mcpgen.config import Config
from mcpgen.ir import Server, Tool
from mcpgen.load import Document, load
from mcpgen.parse import parse
from mcpgen.problems import Problems
from mcpgen.upgrade import upgrade


def upgraded(problems: Problems, **root: Any) -> Document:
    """Load and upgrade a document of which the test says only what it is about."""
    info = {"title": "Bookshop API", "version": "1"}
    with TemporaryDirectory() as folder:
        path = Path(folder, "document.json")
        path.write_text(json.dumps({"openapi": "3.1.0", "info": info, **root}))
        return upgrade(load((str(path),), problems=problems), problems)


def parse_document(
    paths: dict[str, Any], *, config: Config | None = None, **root: Any
) -> tuple[Server, Problems]:
    """Parse a document given as its paths, with whatever else belongs at its root."""
    problems = Problems()
    loaded = upgraded(problems, paths=paths, **root)
    return parse(loaded, config or Config(), problems), problems


def one_tool(
    operation: dict[str, Any], path: str = "/books", method: str = "get", **root: Any
) -> Tool:
    """Return the tool of a document with one operation."""
    server, problems = parse_document({path: {method: {"responses": {}, **operation}}}, **root)
    assert len(server.tools) == 1, [problem.message for problem in problems]
    return server.tools[0]
