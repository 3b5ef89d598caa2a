"""A small document in several versions, and projects made from it."""

from __future__ import annotations

import atexit
import copy
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

from mcpgen.config import Config
from mcpgen.lock import Lock, read_lock
from mcpgen.problems import Problems
from mcpgen.project.run import CommandInput, Run, run
from mcpgen.write import Changes, write

Document = dict[str, Any]
Change = Callable[[Document], Any]

BOOK = {
    "type": "object", "required": ["id", "title"],
    "properties": {
        "id": {"type": "string"}, "title": {"type": "string"}, "price": {"type": "number"}},
}  # fmt: skip
DOCUMENT: Document = {
    "openapi": "3.1.0", "info": {"title": "Corner Shop", "version": "1.0"},
    "servers": [{"url": "https://api.shop.example/v1"}], "security": [{"key": []}],
    "paths": {
        "/books": {
            "get": {
                "operationId": "listBooks", "tags": ["books"], "summary": "List books",
                "description": "All of them, newest first.",
                "parameters": [
                    {"name": "genre", "in": "query",
                     "schema": {"type": "string", "enum": ["poetry", "science"]}},
                    {"name": "limit", "in": "query",
                     "schema": {"type": "integer", "minimum": 1, "maximum": 100}},
                    {"name": "tenant", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {
                    "description": "ok",
                    "content": {"application/json": {"schema": {
                        "type": "object",
                        "properties": {"items": {
                            "type": "array", "items": {"$ref": "#/components/schemas/Book"}}}}}}}}},
            "post": {
                "operationId": "addBook", "tags": ["books"], "summary": "Add a book",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {
                        "$ref": "#/components/schemas/Book"}}}},
                "responses": {"201": {"description": "added"}}}},
        "/books/{bookId}": {
            "parameters": [{
                "name": "bookId", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {
                "operationId": "getBook", "tags": ["books"], "summary": "Read a book",
                "responses": {"200": {
                    "description": "ok",
                    "content": {"application/json": {"schema": {
                        "$ref": "#/components/schemas/Book"}}}}}}},
        "/orders": {"get": {
            "operationId": "listOrders", "tags": ["orders"], "summary": "List orders",
            "responses": {"200": {"description": "ok"}}}}},
    "components": {
        "schemas": {"Book": BOOK},
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
}  # fmt: skip


def set_in(*path: Any, to: Any) -> Change:
    """A change of one value."""

    def change(document: Document) -> None:
        reduce(getitem, path[:-1], document)[path[-1]] = copy.deepcopy(to)

    return change


def cut(*path: Any) -> Change:
    """A change that removes one value."""

    def change(document: Document) -> None:
        del reduce(getitem, path[:-1], document)[path[-1]]

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(document: Document) -> None:
        for each in changes:
            each(document)

    return change


def get(name: str, **more: Any) -> Document:
    """A path with an operation that answers nothing in particular."""
    return {"get": {"operationId": name, "responses": {}, **more}}


def changed(change: Change, document: Document | None = None) -> Document:
    """The document after a change."""
    document = copy.deepcopy(document or DOCUMENT)
    change(document)
    return document


def save(document: Document, path: Path, *, indent: int | None = None, sort: bool = False) -> Path:
    """The document as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=indent, sort_keys=sort))
    return path


def generate(
    folder: Path, source: Path | None = None, *, force: bool = False, accept: bool = False
) -> tuple[Changes, Problems]:
    """`mcpgen generate`, for the first time with a source and later without."""
    made, problems = prepared(folder, source)
    return (
        write(made.files, made.folder, lock_facts=made.facts, force=force, accept=accept),
        problems,
    )


def prepared(folder: Path, source: Path | None = None) -> tuple[Run, Problems]:
    """Everything up to the text of every file."""
    problems = Problems()
    config = Config(sources=(os.fspath(source),)) if source else Config()
    return run(CommandInput(config=config, folder=folder), problems), problems


def project(tmp_path: Path, document: Document | None = None, config: str = "") -> Path:
    """A generated project beside its document; `config` is added to its `mcpgen.toml` before the
    second run.
    """
    made = _project(json.dumps(document or DOCUMENT), config)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "project"


@cache
def _project(document: str, config: str) -> Path:
    """Where the project of a document and a configuration is, to be copied."""
    place = Path(tempfile.mkdtemp(prefix="mcpgen-shop-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    source = save(json.loads(document), place / "shop.json")
    folder = place / "project"
    generate(folder, source)
    if config:
        add(folder, config)
        generate(folder)
    return place


def lock_of(folder: Path) -> Lock:
    """The lock of a project."""
    lock = read_lock(folder)
    assert lock is not None
    return lock


def add(folder: Path, config: str) -> None:
    """More text for the end of `mcpgen.toml`."""
    with (folder / "mcpgen.toml").open("a") as file:
        file.write(f"\n{config}\n")


def package(folder: Path) -> Path:
    """The folder of the generated package."""
    (found,) = (folder / "src").iterdir()
    return found


def tools(folder: Path) -> dict[str, dict[str, Any]]:
    """Every generated tool as on the wire, by name."""
    lists = (
        json.loads(path.read_text()) for path in sorted((package(folder) / "tools").glob("*.json"))
    )
    return {tool["name"]: tool for found in lists for tool in found}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a project."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if "__pycache__" not in path.parts
    }


def users_files(folder: Path) -> dict[str, bytes]:
    """Everything that is not mcpgen's."""
    owned = {*lock_of(folder).files, "mcpgen.lock"}
    return {path: text for path, text in contents(folder).items() if path not in owned}
