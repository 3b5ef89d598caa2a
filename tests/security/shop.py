"""Hostile documents: the payloads, a document that holds them everywhere, and how a run over it is
looked at.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.ir import Server
from mcpgen.problems import Problems
from mcpgen.render.parts import on_request

Document = dict[str, Any]
OK: dict[str, Any] = {"200": {"description": "OK"}}

PAYLOADS: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("payloads.toml").read_text("utf-8")
)
"""Named after the cases they belong to."""


def document(paths: Mapping[str, Any] | None = None, **root: Any) -> Document:
    """A small document; `root` replaces or adds keys at its root."""
    given: Document = {
        "openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": (paths if paths is not None else {"/books": {"get": {
            "operationId": "listBooks", "responses": OK}}}),
    }  # fmt: skip
    return {**given, **root}


def operation(**more: Any) -> dict[str, Any]:
    """An operation; `more` are its keys."""
    return {"responses": OK, **more}


def single(method: str = "get", **more: Any) -> Document:
    """A small document with one operation."""
    return document({"/x": {method: operation(**more)}})


def query(name: str = "q", **schema: Any) -> dict[str, Any]:
    """A query parameter with a schema."""
    return {"name": name, "in": "query", "schema": schema}


def everywhere(text: str, *, operation_id: str) -> dict[str, Any]:
    """An operation with `text` in every field that holds text and gives nothing its name on the
    wire's outside.
    """
    schema = {
        "type": "object", "title": text, "description": text, "required": [text],
        "properties": {
            text: {
                "type": "string", "title": text, "description": text, "default": text,
                "example": text},
            f"{text} 2": {
                "type": "string", "enum": [text, f"{text} 2"], "x-enum-varnames": [text, text]},
            f"{text} 3": {"const": text, "description": text},
            f"{text} 4": {
                "type": "object",
                "properties": {text: {"type": "array", "items": {"type": "string"}}}},
            f"{text} 5": {
                "type": "string", "pattern": text, "format": text, "contentMediaType": text}},
        "x-enumDescriptions": [text], "externalDocs": {"url": text, "description": text},
    }  # fmt: skip
    return {
        "operationId": operation_id, "summary": text, "description": text,
        "externalDocs": {"url": "https://example.com", "description": text},
        "parameters": [
            {"name": text, "in": "query", "description": text,
             "schema": {"type": "string", "default": text}},
            {"name": f"{text} 2", "in": "query",
             "schema": {"type": "string", "enum": [text, "other"]}},
            {"name": f"{text} 3", "in": "query",
             "schema": {"type": "array", "items": {}, "default": [[text], {}]}}],
        "requestBody": {
            "description": text,
            "content": {"application/json": {"schema": schema, "example": text}}},
        "responses": {
            "200": {"description": text, "content": {"application/json": {"schema": schema}}},
            "404": {"description": text}},
    }  # fmt: skip


def hostile(texts: Mapping[str, str]) -> Document:
    """One operation for each text, which stands everywhere in it."""
    held = enumerate(texts.values())
    return document(
        {f"/p{n}": {"post": everywhere(text, operation_id=f"hold{n}")} for n, text in held}
    )


def around(text: str) -> Document:
    """A document with `text` in every field outside the operations."""
    return document(
        info={
            "title": text, "summary": text, "description": text, "version": text,
            "termsOfService": text, "license": {"name": text, "url": text},
            "contact": {"name": text, "url": text, "email": text}},
        servers=[{"url": "https://api.example.com/v1", "description": text, "name": text}],
        tags=[{
            "name": "books", "description": text,
            "externalDocs": {"url": text, "description": text}}],
        externalDocs={"url": text, "description": text},
        paths={"/books": {
            "summary": text, "description": text,
            "get": operation(operationId="a", tags=["books"])}},
        components={"securitySchemes": {"key": {
            "type": "apiKey", "in": "header", "name": "X-Key", "description": text}}},
        security=[{"key": []}],
    )  # fmt: skip


def save(folder: Path, given: Document | str | bytes, name: str = "openapi.json") -> Path:
    """The document as a file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(given, dict):
        given = json.dumps(given)
    path.write_bytes(given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given)
    return path


def understood(
    folder: Path, given: Document | str | bytes, **config: Any
) -> tuple[Server, Problems]:
    """What a document becomes, without rendering it, and the problems on the way."""
    problems = Problems()
    path = save(folder, given)
    _, server = pipeline.understand(Config(sources=(str(path),), **config), problems)
    return server, problems


def said(problems: Problems) -> str:
    """Every problem's message and hint."""
    return "\n".join(f"{each.code} {each.severity} {each.message} {each.hint}" for each in problems)


def rendered(folder: Path, given: Document | str | bytes, **config: Any) -> dict[str, str]:
    """Every file a document becomes."""
    path = save(folder, given)
    groups = tuple(on_request())
    return pipeline.generate(Config(sources=(str(path),), **config), Problems(), files=groups)[2]
