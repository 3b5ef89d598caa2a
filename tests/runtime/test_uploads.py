"""Uploads to APIs of today's frameworks: the bytes of a file arrive as they are."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import pytest
import uvicorn
from fastapi import FastAPI, Form, UploadFile
from mcp import Client
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from tests.generated import importable, written

DOCUMENTS = Path(__file__).parent / "uploads"
WORD, ZEROS = b"HelloWorld12", bytes(range(256))
"""Bytes of which the first look like base64 themselves."""


def fastapi_app() -> FastAPI:
    """An API whose document is FastAPI's own."""
    app = FastAPI(title="Files")

    @app.post("/files", operation_id="upload")
    async def upload(
        one: UploadFile,
        many: list[UploadFile],
        note: Annotated[str, Form()],
        maybe: UploadFile | None = None,
    ) -> dict[str, list[str]]:
        files = {"one": [one], "many": many, "maybe": [maybe] if maybe else []}
        read = {name: [(await file.read()).hex() for file in each] for name, each in files.items()}
        return {**read, "note": [note]}

    return app


def reading_app() -> Starlette:
    """An API that tells the files and the texts of a form as its parser reads them."""

    async def upload(request: Request) -> Response:
        told: dict[str, list[str]] = {}
        for name, value in (await request.form()).multi_items():
            text = value if isinstance(value, str) else (await value.read()).hex()
            told.setdefault(name, []).append(text)
        return JSONResponse(told)

    return Starlette(routes=[Route("/files", upload, methods=["POST"])])


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an app on this machine, and give its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


def called(document: Path, app: Any, folder: Path, arguments: Mapping[str, Any]) -> tuple[Any, Any]:
    """The only tool of a document's server as it is listed, and what the API answers to a call."""
    _, server, files = pipeline.generate(Config(sources=(str(document),)), Problems())
    source = written(files, folder) / "src"

    async def ask(url: str) -> tuple[Any, Any]:
        given = {"BASE_URL": url, "ALLOW_PRIVATE": "true"}
        settings = {f"{server.env_prefix}_{name}": value for name, value in given.items()}
        with importable(source, server.package, **settings) as module:
            async with Client(module("runtime.app").App(server.package).server) as client:
                (tool,) = (await client.list_tools()).tools
                result = await client.call_tool(tool.name, dict(arguments))
                return tool.input_schema, json.loads(result.content[0].text)

    with served(app) as url:
        return asyncio.run(ask(url))


@pytest.mark.parametrize("framework", ["fastapi", "typespec", "elysia"])
def test_files_arrive_byte_for_byte(framework: str, tmp_path: Path) -> None:
    document, app = DOCUMENTS / f"{framework}.yaml", reading_app()
    if framework == "fastapi":
        app = fastapi_app()
        document = tmp_path / "openapi.json"
        document.write_text(json.dumps(app.openapi()))
    one, zeros = (base64.b64encode(content).decode() for content in (WORD, ZEROS))
    arguments: dict[str, Any] = {"one": one, "many": [zeros, one], "note": "a", "maybe": zeros}
    if framework != "fastapi":
        del arguments["maybe"]
    schema, answer = called(document, app, tmp_path / "project", arguments)
    many = schema["properties"]["many"]["items"]
    for listed in (schema["properties"]["one"], many):
        assert (listed["type"], listed["format"]) == ("string", "byte")
        assert "base64" in listed["description"]
    told = {"one": [WORD.hex()], "many": [ZEROS.hex(), WORD.hex()], "note": ["a"]}
    assert answer == told | ({"maybe": [ZEROS.hex()]} if framework == "fastapi" else {})
