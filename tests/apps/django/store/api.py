from django.http import JsonResponse, StreamingHttpResponse
from ninja import File, NinjaAPI, UploadedFile
from ninja.errors import HttpError
from ninja.security import HttpBearer
from stock import book, caller, later, page, state

api = NinjaAPI(title="Shop")


class Login(HttpBearer):
    def authenticate(self, request, token):
        return caller(f"Bearer {token}")


@api.get("/books", operation_id="list_books")
async def list_books(request, offset: int = 0, limit: int = 10) -> dict:
    return page(offset, limit, request.build_absolute_uri())


@api.get("/books/{id}", operation_id="get_book")
def get_book(request, id: int) -> dict:
    found = book(id)
    if found is None:
        raise HttpError(404, "There is no such book.")
    return found


@api.post("/notes", operation_id="add_note")
def add_note(request, text: str):
    later(text)
    return JsonResponse({"text": text}, status=201)


@api.post("/covers", operation_id="add_cover")
def add_cover(request, cover: File[UploadedFile]) -> dict:
    return {"bytes": len(cover.read())}


@api.get("/state", operation_id="get_state")
def get_state(request) -> dict:
    return state


@api.get("/me", operation_id="get_me", auth=Login())
def get_me(request) -> dict:
    return {"name": request.auth}


@api.get("/events", operation_id="list_events")
def list_events(request, count: int = 3):
    return StreamingHttpResponse(lines(count), content_type="application/x-ndjson")


async def lines(count):
    for number in range(count):
        yield f'{{"event": {number}}}\n'
