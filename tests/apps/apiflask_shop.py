from apiflask import APIFlask, Schema
from apiflask.fields import Integer

app = APIFlask(__name__, title="Shop")


class Item(Schema):
    id = Integer()


@app.get("/items/<int:id>")
@app.output(Item)
def read_item(id):
    return {"id": id}
