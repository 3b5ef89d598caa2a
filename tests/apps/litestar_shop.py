from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from litestar import Litestar, Request, Response, get, post
from litestar.background_tasks import BackgroundTask
from litestar.datastructures import State, UploadFile
from litestar.enums import RequestEncodingType
from litestar.exceptions import NotAuthorizedException, NotFoundException
from litestar.params import Body
from litestar.response import Stream
from stock import REALM, book, caller, events, page, written


@dataclass
class Cover:
    cover: UploadFile


@asynccontextmanager
async def life(app: Litestar) -> AsyncIterator[None]:
    app.state.greeting = "hello from the lifespan"
    yield


@get("/books", operation_id="list_books")
async def list_books(request: Request, offset: int = 0, limit: int = 10) -> dict[str, Any]:
    return page(offset, limit, str(request.url))


@get("/books/{id:int}", operation_id="get_book", sync_to_thread=True)
def get_book(id: int) -> dict[str, Any]:
    found = book(id)
    if found is None:
        raise NotFoundException("There is no such book.")
    return found


@post("/notes", operation_id="add_note")
async def add_note(text: str) -> Response[dict[str, str]]:
    return Response({"text": text}, background=BackgroundTask(written.append, text))


@post("/covers", operation_id="add_cover", status_code=200)
async def add_cover(
    data: Annotated[Cover, Body(media_type=RequestEncodingType.MULTI_PART)],
) -> dict[str, int]:
    return {"bytes": len(await data.cover.read())}


@get("/state", operation_id="get_state")
async def get_state(state: State) -> dict[str, Any]:
    return {"greeting": state.greeting, "notes": written}


@get("/me", operation_id="get_me")
async def get_me(request: Request) -> dict[str, str]:
    name = caller(request.headers.get("authorization"))
    if name is None:
        raise NotAuthorizedException("Unknown token.", headers=REALM)
    return {"name": name}


@get("/events", operation_id="list_events")
async def list_events(count: int = 3) -> Stream:
    return Stream(events(count), media_type="application/x-ndjson")


app = Litestar(
    [list_books, get_book, add_note, add_cover, get_state, get_me, list_events],
    lifespan=[life],
)
