"""A Starlette app, whose docstrings are its document."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.schemas import SchemaGenerator
from stock import REALM, book, caller, events, page, written

schemas = SchemaGenerator({"openapi": "3.0.0", "info": {"title": "Shop", "version": "1.0"}})


@asynccontextmanager
async def life(app: Starlette) -> AsyncIterator[dict[str, str]]:
    yield {"greeting": "hello from the lifespan"}


async def list_books(request: Request) -> Response:
    """
    operationId: list_books
    parameters:
      - {name: offset, in: query, schema: {type: integer}}
      - {name: limit, in: query, schema: {type: integer}}
    """
    given = request.query_params
    found = page(int(given.get("offset", 0)), int(given.get("limit", 10)), str(request.url))
    return JSONResponse(found)


def get_book(request: Request) -> Response:
    """
    operationId: get_book
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
    """
    found = book(request.path_params["id"])
    if found is None:
        raise HTTPException(404, "There is no such book.")
    return JSONResponse(found)


async def add_note(request: Request) -> Response:
    """
    operationId: add_note
    parameters:
      - {name: text, in: query, required: true, schema: {type: string}}
    """
    text = request.query_params["text"]
    task = BackgroundTask(written.append, text)
    return JSONResponse({"text": text}, 201, background=task)


async def add_cover(request: Request) -> Response:
    """
    operationId: add_cover
    requestBody:
      content:
        multipart/form-data:
          schema:
            type: object
            required: [cover]
            properties: {cover: {type: string, format: binary}}
    """
    async with request.form() as form:
        return JSONResponse({"bytes": len(await form["cover"].read())})


async def get_state(request: Request) -> Response:
    """operationId: get_state"""
    return JSONResponse({"greeting": request.state.greeting, "notes": written})


async def get_me(request: Request) -> Response:
    """operationId: get_me"""
    name = caller(request.headers.get("authorization"))
    if name is None:
        raise HTTPException(401, "Unknown token.", REALM)
    return JSONResponse({"name": name})


async def list_events(request: Request) -> Response:
    """
    operationId: list_events
    parameters:
      - {name: count, in: query, schema: {type: integer}}
    """
    lines = events(int(request.query_params.get("count", 3)))
    return StreamingResponse(lines, media_type="application/x-ndjson")


def schema(request: Request) -> Response:
    return schemas.OpenAPIResponse(request=request)


app = Starlette(
    routes=[
        Route("/books", list_books),
        Route("/books/{id:int}", get_book),
        Route("/notes", add_note, methods=["POST"]),
        Route("/covers", add_cover, methods=["POST"]),
        Route("/state", get_state),
        Route("/me", get_me),
        Route("/events", list_events),
        Route("/schema", schema, include_in_schema=False),
    ],
    lifespan=life,
)
