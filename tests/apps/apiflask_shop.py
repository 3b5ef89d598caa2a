from apiflask import APIFlask, Schema, abort
from apiflask.fields import File, Integer, String
from flask import Response, request
from stock import REALM, book, caller, events, later, page, state

app = APIFlask(__name__, title="Shop")
state["greeting"] = "hello from the lifespan"


class Paging(Schema):
    offset = Integer(load_default=0)
    limit = Integer(load_default=10)


class Count(Schema):
    count = Integer(load_default=3)


class Note(Schema):
    text = String(required=True)


class Cover(Schema):
    cover = File(required=True)


@app.get("/books")
@app.input(Paging, location="query")
@app.doc(operation_id="list_books")
def list_books(query_data):
    return page(**query_data, url=request.base_url)


@app.get("/books/<int:id>")
@app.doc(operation_id="get_book")
def get_book(id):
    return book(id) or abort(404, "There is no such book.")


@app.post("/notes")
@app.input(Note, location="query")
@app.doc(operation_id="add_note")
def add_note(query_data):
    later(query_data["text"])
    return query_data, 201


@app.post("/covers")
@app.input(Cover, location="files")
@app.doc(operation_id="add_cover")
def add_cover(files_data):
    return {"bytes": len(files_data["cover"].read())}


@app.get("/state")
@app.doc(operation_id="get_state")
def get_state():
    return state


@app.get("/me")
@app.doc(operation_id="get_me")
def get_me():
    name = caller(request.headers.get("authorization"))
    return {"name": name} if name else abort(401, "Unknown token.", headers=REALM)


@app.get("/events")
@app.input(Count, location="query")
@app.doc(operation_id="list_events")
def list_events(query_data):
    return Response(events(**query_data), mimetype="application/x-ndjson")
