from starlette.applications import Starlette
from starlette.routing import Route
from starlette.schemas import SchemaGenerator

schemas = SchemaGenerator({"openapi": "3.0.0", "info": {"title": "Shop", "version": "1.0"}})


def read_item(request):
    """
    responses:
      200:
        description: An item.
    """


def schema(request):
    return schemas.OpenAPIResponse(request=request)


app = Starlette(
    routes=[Route("/items/{id}", read_item), Route("/schema", schema, include_in_schema=False)]
)
