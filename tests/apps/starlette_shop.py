"""A Starlette app, whose docstrings are its document."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.schemas import SchemaGenerator

schemas = SchemaGenerator({"openapi": "3.0.0", "info": {"title": "Shop", "version": "1.0"}})


def get_item(request: Request) -> Response:
    """
    operationId: get_item
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
    responses:
      200:
        description: An item.
        content: {application/json: {schema: {type: object}}}
    """
    return JSONResponse({"id": request.path_params["id"]})


def schema(request: Request) -> Response:
    return schemas.OpenAPIResponse(request=request)


app = Starlette(
    routes=[Route("/items/{id:int}", get_item), Route("/schema", schema, include_in_schema=False)]
)
