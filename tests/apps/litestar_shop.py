from litestar import Litestar, get


@get("/items/{id:int}")
async def read_item(id: int) -> dict[str, int]:
    return {"id": id}


app = Litestar([read_item])
