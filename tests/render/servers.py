"""Servers built by hand: small ones, and ones in which every text of the document is hostile."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from mcpgen.ir import (
    Annotation,
    Argument,
    Auth,
    Body,
    Hints,
    Origin,
    Place,
    Request,
    Response,
    Schema,
    Server,
    Shaping,
    Tool,
    Toolset,
)
from mcpgen.render import render

TEXT = Annotation(kind="str")
GENERATED = re.compile(r"src/\w+/(models|(tools|custom)/\w+)\.py")


def argument(
    name: str, place: Place = "query", annotation: Annotation = TEXT, *,
    wire_name: str | None = None, required: bool = False, **more: Any,
) -> Argument:  # fmt: skip
    return Argument(
        name=name, wire_name=name if wire_name is None else wire_name, place=place,
        annotation=annotation, required=required, **more,
    )  # fmt: skip


def tool(
    name: str = "list_books", *arguments: Argument, method: str = "GET", path: str = "/books",
    body: Body | None = None, request: dict[str, Any] | None = None,
    properties: dict[str, Schema] | None = None, response: Response | None = None,
    docstring: str = "List the books in the catalogue.", title: str = "List books",
    description: str = "List the books in the catalogue.", output_schema: Schema | None = None,
    **more: Any,
) -> Tool:  # fmt: skip
    given = {item.name: {"type": "string"} for item in arguments if not item.fixed}
    return Tool(
        name=name, title=title, description=description,
        input_schema={"type": "object", "properties": given | (properties or {})},
        output_schema=output_schema,
        hints=Hints(read_only=method == "GET", destructive=False, idempotent=True),
        arguments=arguments,
        request=Request(method=method, path=path, body=body, **(request or {})),
        response=response or Response(json=True, wrapped=False),
        origin=Origin(method=method, path=path, operation_id=None, pointer=""), docstring=docstring,
        **more,
    )  # fmt: skip


def server(*tools: Tool, toolset: str = "books", **facts: Any) -> Server:
    given: dict[str, Any] = {
        "name": "bookshop", "package": "bookshop_mcp", "distribution": "mcp-bookshop",
        "title": "Bookshop API", "version": "1.0", "description": "Sells books.",
        "instructions": "", "env_prefix": "BOOKSHOP_MCP",
        "base_url": "https://api.example.com/v1", "base_url_note": "",
        "auth": (
            Auth(
                name="api_key", kind="api_key", wire_name="X-API-Key",
                variables=("BOOKSHOP_MCP_API_KEY",),
            ),
        ),
        "security": (("api_key",),),
        "toolsets": (Toolset(name=toolset, title="Books", description="", tools=tools),),
    }  # fmt: skip
    return Server(**(given | facts))


def body(
    kind: str = "json", media_type: str = "", *, whole: bool = False, required: bool = True
) -> Body:
    media = "application/json application/x-www-form-urlencoded multipart/form-data text/plain"
    kinds = "json form multipart text binary".split()
    usual = dict(zip(kinds, [*media.split(), "application/octet-stream"], strict=True))
    return Body(kind=kind, media_type=media_type or usual[kind], whole=whole, required=required)  # type: ignore[arg-type]


def files_of(*tools: Tool, **facts: Any) -> dict[str, str]:
    """The rendered project with these tools."""
    return render(server(*tools, **facts))


def module_of(*tools: Tool, **facts: Any) -> str:
    """The rendered module of tools."""
    return files_of(*tools, **facts)["src/bookshop_mcp/tools/books.py"]


def function_of(given: Tool, **facts: Any) -> str:
    """The text of one tool's function, its decorator included."""
    source = module_of(given, **facts)
    node = next(item for item in ast.parse(source).body if isinstance(item, ast.AsyncFunctionDef))
    first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
    return "\n".join(source.splitlines()[first - 1 :])


def models_of(*tools: Tool, models: dict[str, Schema]) -> str:
    """The rendered module of types."""
    return files_of(*tools, models=models)["src/bookshop_mcp/models.py"]


def reference(model: str) -> Schema:
    """The type that is a model."""
    return {"$ref": f"#/$defs/{model}"}


def hostile(text: str, *, key: str | None = None) -> Server:
    """A server in which `text` stands wherever text of a document can stand; `key` wherever it has
    to differ.
    """
    other = text + "2" if key is None else key
    nested: Schema = {
        "type": "object", "title": text, "description": text,
        "properties": {
            text: {
                "type": "string", "description": text, "default": text, "format": text,
                "pattern": text,
            },
            other: {"enum": [text, other], "title": text},
            "plain": {
                "type": "array",
                "items": {"type": "object", "properties": {text: {"type": "integer"}}},
            },
        },
        "required": [text],
    }  # fmt: skip
    every = [
        argument("in_path", "path", wire_name=text, required=True),
        argument(
            "in_query", "query", Annotation(kind="literal", members=(text, other)), wire_name=text,
        ),
        argument(
            "in_header", "header", wire_name=text, encode="simple", options=(("explode", True),),
        ),
        argument("in_cookie", "cookie", wire_name=text),
        argument("fixed", "query", wire_name=other, fixed=({text: [text, {other: None}]},)),
        argument("chosen", "body", wire_name=text, default=(text,)),
        argument(
            "nested", "body", Annotation(kind="dict"), wire_name=other, default=({text: [text]},),
            type=reference("Nested"),
        ),
        argument(
            "file", "body", wire_name="file", encode="file",
            options=(("media_type", text), ("filename", other)),
        ),
    ]  # fmt: skip
    hostile_tool = tool(
        "hostile_tool", *every, method="POST", path=f"/{text}",
        body=Body(kind="multipart", media_type=text, whole=False, required=True),
        request={
            "fixed_query": ((text + "3", text), (text + "3", other)),
            "fixed_headers": ((text + "3", text),), "security": ((text, other), ()),
            "base_url": text, "accept": text,
        },
        properties={"nested": nested},
        response=Response(json=True, wrapped=False, type=reference("Nested")), docstring=text,
        title=text, description=text,
        output_schema={"type": "object", "properties": {text: {"description": text}}},
        nullable=(f"/properties/{text}",), wire_names=((f"/properties/{text}", text),),
    )  # fmt: skip
    inner: Schema = {"type": "object", "properties": {text: {"type": "integer"}}}
    model: Schema = {
        "type": "object",
        "properties": {
            text: {"type": "string"},
            other: {"enum": [text, other]},
            "plain": {"type": "array", "items": reference("Inner")},
        },
        "required": [text],
    }
    return server(
        hostile_tool, models={"Nested": model, "Inner": inner}, title=text, version=text,
        description=text, instructions=text, base_url=text, base_url_note=text,
        auth=(
            Auth(
                name=text, kind="bearer", wire_name=text, scheme=text,
                variables=("BOOKSHOP_MCP_TOKEN",), token_url=text, scopes=(text,),
                description=text,
            ),
        ),
        security=((text,),),
        toolsets=(Toolset(name="books", title=text, description=text, tools=(hostile_tool,)),),
        allowed_origins=(text,), aliases=((text, "hostile_tool"),),
        answers=(("hostile_tool", Shaping(keep=(text,))),), document_version=text,
    )  # fmt: skip


def generated_python(files: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The modules that differ from document to document."""
    return ((path, text) for path, text in files.items() if GENERATED.fullmatch(path))
