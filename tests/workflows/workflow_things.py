"""A small API and small workflows, made of what a test is about."""

from typing import Any

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def _operation(name: str, *parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "additionalProperties": True}
    content = {"application/json": {"schema": schema}}
    responses = {"200": {"description": "ok", "content": content}}
    return {"operationId": name, "parameters": list(parameters), "responses": responses, **more}


def _parameter(name: str, place: str, schema: dict[str, Any] = TEXT) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


def _body(*required: str, **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields, "required": list(required)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


API: dict[str, Any] = {
    "openapi": "3.1.0", "info": {"title": "Things", "version": "1"},
    "servers": [{"url": "https://api.example.com"}],
    "paths": {
        "/things": {
            "get": _operation(
                "listThings", _parameter("kind", "query"), _parameter("limit", "query", NUMBER),
                _parameter("X-Trace", "header"),
            ),
            "post": _operation(
                "addThing",
                **_body(
                    "name", name=TEXT, count=NUMBER, tags={"type": "array", "items": TEXT},
                    owner={"type": "object", "properties": {"id": TEXT, "mail": TEXT}},
                ),
            ),
        },
        "/things/{id}": {
            "get": _operation("getThing", _parameter("id", "path")),
            "delete": _operation("removeThing", _parameter("id", "path")),
            "put": _operation("replaceThing", _parameter("id", "path"), **_body("name", name=TEXT)),
        },
    },
}  # fmt: skip


def workflow(name: str, *steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One Workflow Object."""
    return {"workflowId": name, "steps": list(steps), **more}


def arazzo(*workflows: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An Arazzo document of these workflows."""
    return {
        "arazzo": "1.0.1",
        "info": {"title": "Things", "version": "1"},
        "sourceDescriptions": [{"name": "things", "url": "openapi.yaml", "type": "openapi"}],
        "workflows": list(workflows),
        **more,
    }


def inputs(**properties: Any) -> dict[str, Any]:
    """The inputs of a workflow, none of them required."""
    return {"type": "object", "properties": properties}


def step(name: str, operation: str, **more: Any) -> dict[str, Any]:
    """One Step Object that calls an operation."""
    return {"stepId": name, "operationId": operation, **more}


def query(name: str, value: Any) -> dict[str, Any]:
    """One Parameter Object."""
    return {"name": name, "in": "query", "value": value}


def path(name: str, value: Any) -> dict[str, Any]:
    """One Parameter Object."""
    return {"name": name, "in": "path", "value": value}


def when(*conditions: str) -> list[dict[str, Any]]:
    """Simple criteria."""
    return [{"condition": condition} for condition in conditions]


def text_of(result: Any) -> str:
    """All texts of a result."""
    return "\n".join(block.text for block in result.content)
