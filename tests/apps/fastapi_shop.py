"""A FastAPI app with a login, an upload, pages, a stream, a lifespan and a background task."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import BackgroundTasks, Depends, FastAPI, HTTPException, Request, UploadFile
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

NAMES = [f"book {number}" for number in range(50)]
written: list[str] = []


@asynccontextmanager
async def life(app: FastAPI) -> AsyncIterator[dict[str, str]]:
    """Give each request the state `greeting`."""
    yield {"greeting": "hello from the lifespan"}


class Book(BaseModel):
    """A book."""

    id: int
    name: str


class Page(BaseModel):
    """A page of books."""

    items: list[Book]
    total: int
    next: str | None


app = FastAPI(title="Shop", lifespan=life)
login = HTTPBearer()


@app.get("/books", operation_id="list_books")
async def list_books(request: Request, offset: int = 0, limit: int = 10) -> Page:
    """List the books."""
    after = {"offset": offset + limit, "limit": limit}
    more = str(request.url.replace_query_params(**after)) if offset + limit < len(NAMES) else None
    found = NAMES[offset : offset + limit]
    items = [Book(id=offset + at, name=name) for at, name in enumerate(found)]
    return Page(items=items, total=len(NAMES), next=more)


@app.get("/books/{id}", operation_id="get_book")
def get_book(id: int) -> Book:
    """Get a book. A function without `async`, which runs in a thread."""
    if id >= len(NAMES):
        raise HTTPException(404, "There is no such book.")
    if id == len(NAMES) - 1:
        time.sleep(0.3)
    return Book(id=id, name=NAMES[id])


@app.post("/notes", operation_id="add_note", status_code=201)
async def add_note(text: str, tasks: BackgroundTasks) -> dict[str, str]:
    """Add a note, which a background task writes."""
    tasks.add_task(written.append, text)
    return {"text": text}


@app.post("/covers", operation_id="add_cover")
async def add_cover(cover: UploadFile) -> dict[str, int]:
    """Add a cover. Returns its size in bytes."""
    return {"bytes": len(await cover.read())}


@app.get("/state", operation_id="get_state")
async def get_state(request: Request) -> dict[str, Any]:
    """Get the greeting of the lifespan, and the notes."""
    return {"greeting": request.state.greeting, "notes": written}


@app.get("/me", operation_id="get_me")
async def get_me(
    given: Annotated[HTTPAuthorizationCredentials, Depends(login)],
) -> dict[str, str]:
    """Get the name of the caller."""
    if given.credentials == "wrong":
        raise HTTPException(401, "Unknown token.", {"WWW-Authenticate": 'Bearer realm="shop"'})
    return {"name": given.credentials}


@app.get("/events", operation_id="list_events")
async def list_events(count: int = 3) -> StreamingResponse:
    """Stream events."""

    async def events() -> AsyncIterator[str]:
        for number in range(count):
            yield f'{{"event": {number}}}\n'
            await asyncio.sleep(0)

    return StreamingResponse(events(), media_type="application/x-ndjson")


def make() -> FastAPI:
    """Return the app, as a factory does."""
    return app


def document() -> dict[str, object]:
    """Return the document itself."""
    return app.openapi()
