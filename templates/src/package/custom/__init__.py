"""Tools of your own. This folder is yours: what is in it was written once and stays as you left it.

A typed function with `@tool` is a tool. Its contract is its signature, docstring and return type:

    from typing import Annotated

    from pydantic import Field

    from .. import tool

    @tool(read_only=True, description="Repeat a text.")
    def repeat(text: str, times: Annotated[int, Field(ge=1)] = 2) -> str:
        return text * times

After the first such function run `mcpgen generate`; later edits do not need it.

Where the contract comes first, a tool is two files with one name. `custom/reports.json` holds the
contract, a list of MCP Tool objects:

    [{"name": "count_books", "description": "Count the books of a genre.",
      "inputSchema": {"type": "object", "properties": {"genre": {"type": "string"}},
                      "required": ["genre"]}}]

and `custom/reports.py` the function, which may use generated ones:

    from .. import Api
    from ..tools import books

    async def count_books(api: Api, *, genre: str) -> str:
        answer = await books.list_books(api, genre=genre)
        return f"{len(answer.data['items'])} books"

Arguments come after the `*`; before it a function may ask for `api` (the HTTP side) and `context`
(progress). With `@tool` a parameter of the type `Api` or `Context` may be anywhere. A contract
with the name of a generated tool replaces it, and what it leaves out stays as generated. A function
returns a text, data, or one of the helpers that the package offers (`from .. import Image,
ResourceLink, Structured`).
"""
