"""Tools of your own. This folder is yours: what is in it was written once and stays as you left it.

A tool is two files with one name. `custom/reports.json` holds the contract, a list of MCP Tool
objects:

    [{"name": "count_books", "description": "Count the books of a genre.",
      "inputSchema": {"type": "object", "properties": {"genre": {"type": "string"}},
                      "required": ["genre"]}}]

and `custom/reports.py` the function, which may use generated ones:

    from .. import Api
    from ..tools import books

    async def count_books(api: Api, *, genre: str) -> str:
        answer = await books.list_books(api, genre=genre)
        return f"{len(answer.data)} books"

Arguments come after the `*`; before it a function may ask for `api` (the HTTP side) and `context`
(progress). A tool with the name of a generated one replaces it, and what its contract leaves out
stays as generated. A function returns a text, data, or one of the helpers that the package offers
(`from .. import Image, ResourceLink, Structured`).
"""
