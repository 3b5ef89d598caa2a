from ninja import NinjaAPI

api = NinjaAPI(title="Shop")


@api.get("/things/{id}")
def read_thing(request, id: int) -> dict:
    return {"id": id}
