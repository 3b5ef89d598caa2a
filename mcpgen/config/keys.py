"""Every key of `mcpgen.toml`, once: the reader, the JSON Schema and the documentation are all made
from this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "texts", "text or texts", "flag", "count", "any"]

COUNT_LIMIT = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key: what it holds, what it means, and an example in TOML. `field` is the dataclass field
    it becomes.
    """

    name: str
    kind: Kind
    text: str
    example: str
    field: str = ""
    choices: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The name of the dataclass field."""
        return self.field or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table. A `*` in its name stands for a name the user gives; `dataclass` is what it
    becomes.
    """

    name: str
    dataclass: str
    text: str
    keys: tuple[Key, ...]

    @property
    def header(self) -> str:
        """How the table is written in the file."""
        if not self.name:
            return "top of the file"
        shown = self.name.replace("tools.*", 'tools."<operation>"').replace(
            "arguments.*", "arguments.<argument>"
        )
        return f"[{shown}]"


TOP = Table(
    name="",
    dataclass="Config",
    text="What holds for the whole server.",
    keys=(
        Key(
            name="name",
            kind="text",
            example='"bookshop"',
            text=(
                "The server's name: clients show it, and package and environment variables are"
                " called after it. Written down on the first run, so that a new title of the"
                " document moves nothing."
            ),
        ),
        Key(
            name="title",
            kind="text",
            example='"Bookshop"',
            text="The title people see, in place of the document's.",
        ),
        Key(
            name="profile",
            kind="text",
            choices=("portable", "rich"),
            example='"portable"',
            text=(
                "`portable` keeps input schemas to what every client understands; `rich` keeps"
                " `$defs` and unions."
            ),
        ),
        Key(
            name="base_url",
            kind="text",
            example='"https://api.example.com/v1"',
            text="Where the API is, in place of the document's `servers`.",
        ),
        Key(
            name="allow_origins",
            kind="texts",
            example='["https://uploads.example.com"]',
            text=(
                "Further origins that operations with servers of their own may call, with"
                " credentials."
            ),
        ),
    ),
)

SOURCE = Table(
    name="source",
    dataclass="Config",
    text="Where the document comes from: `mcpgen generate` without arguments reads it again.",
    keys=(
        Key(
            name="path",
            kind="text or texts",
            field="sources",
            example='"../openapi.yaml"',
            text="A file, relative to this one; a list when several documents make one server.",
        ),
        Key(
            name="url",
            kind="text or texts",
            field="sources",
            example='"https://api.example.com/openapi.json"',
            text="A URL that is fetched on every run, without credentials.",
        ),
        Key(
            name="obtained",
            kind="text",
            field="",
            example='"exported from the developer portal, version 7"',
            text=(
                "A note on how the document was obtained, for whoever regenerates next year."
                " Nothing reads it."
            ),
        ),
        Key(
            name="draft",
            kind="text",
            choices=("4", "6", "7", "2019-09", "2020-12"),
            example='"7"',
            text="The draft of JSON Schema that schemas without `$schema` are written in.",
        ),
        Key(
            name="ref_root",
            kind="text",
            example='".."',
            text=(
                "The folder that references to other files may reach, relative to this file; by"
                " default the document's own."
            ),
        ),
        Key(
            name="max_bytes",
            kind="count",
            example="60000000",
            text=(
                "How large the document and its files may be together, in bytes; 26,214,400 by"
                " default."
            ),
        ),
        Key(
            name="fetch_seconds",
            kind="count",
            example="300",
            text=(
                "How long fetching the document and its files from a URL may take together, in"
                " seconds; 60 by default."
            ),
        ),
        Key(
            name="overlays",
            kind="texts",
            example='["fixes.overlay.yaml"]',
            text="OpenAPI Overlays applied to the document first, in order; relative to this file.",
        ),
    ),
)

SELECT = Table(
    name="select",
    dataclass="Selection",
    text=(
        "Which operations become tools: every `include_…` that is given must match, and no"
        " `exclude_…` may. A word that matches nothing in the document is an error."
    ),
    keys=(
        Key(
            name="include_tags",
            kind="texts",
            example='["books", "orders"]',
            text="Only operations with one of these.",
        ),
        Key(
            name="exclude_tags",
            kind="texts",
            example='["internal"]',
            text="No operations with one of these tags.",
        ),
        Key(
            name="include_paths",
            kind="texts",
            example='["/books/*"]',
            text="Only these paths: `*` stands for any characters, slashes included.",
        ),
        Key(
            name="exclude_paths", kind="texts", example='["/admin/*"]', text="None of these paths."
        ),
        Key(
            name="include_methods", kind="texts", example='["get"]', text="Only these HTTP methods."
        ),
        Key(
            name="exclude_methods",
            kind="texts",
            example='["delete"]',
            text="None of these HTTP methods.",
        ),
        Key(
            name="include_operations",
            kind="texts",
            example='["listBooks", "GET /orders/{id}"]',
            text="Only these operations, by operationId (a glob) or `METHOD /path`.",
        ),
        Key(
            name="exclude_operations",
            kind="texts",
            example='["delete*"]',
            text="None of these operations, by operationId (a glob) or `METHOD /path`.",
        ),
        Key(
            name="deprecated",
            kind="flag",
            example="false",
            text="Whether deprecated operations become tools. They do unless this is `false`.",
        ),
    ),
)

TOOL = Table(
    name="tools.*",
    dataclass="ToolConfig",
    text=(
        "What you say of one operation, named by its operationId or by `METHOD /path`. When the"
        " document renames the operationId or moves the path, the table goes on applying, with a"
        " note to rename it."
    ),
    keys=(
        Key(
            name="name",
            kind="text",
            example='"find_books"',
            text="The tool's name: `[a-z][a-z0-9_]*`.",
        ),
        Key(name="title", kind="text", example='"Find books"', text="The title people see."),
        Key(
            name="description",
            kind="text",
            example='"Search the catalogue by words of the title."',
            text="What the model reads, in place of the document's text.",
        ),
        Key(
            name="toolset",
            kind="text",
            example='"catalogue"',
            text="The tool's toolset, in place of its tag.",
        ),
        Key(
            name="enabled",
            kind="flag",
            example="false",
            text="`false` makes no tool of this operation.",
        ),
        Key(
            name="aliases",
            kind="texts",
            example='["list_books"]',
            text=(
                "Further names the tool answers to without being listed under them: its names of"
                " old."
            ),
        ),
    ),
)

HINTS = Table(
    name="tools.*.hints",
    dataclass="ToolConfig",
    text="The behaviour hints that clients decide by whether to ask before a call.",
    keys=(
        Key(name="read_only", kind="flag", example="true", text="The tool changes nothing."),
        Key(
            name="destructive",
            kind="flag",
            example="true",
            text="The tool may delete or overwrite.",
        ),
        Key(
            name="idempotent",
            kind="flag",
            example="true",
            text="Calling it twice does no more than calling it once.",
        ),
        Key(
            name="open_world",
            kind="flag",
            example="false",
            text="The tool reaches beyond this one API.",
        ),
    ),
)

ARGUMENT = Table(
    name="tools.*.arguments.*",
    dataclass="ArgumentConfig",
    text="What you say of one argument, named as the tool or as the document names it.",
    keys=(
        Key(
            name="name",
            kind="text",
            example='"author"',
            text="The argument's name for the model. The API sees its own.",
        ),
        Key(
            name="description",
            kind="text",
            example='"Family name first."',
            text="What the model reads about it.",
        ),
        Key(
            name="hidden",
            kind="flag",
            example="true",
            text=(
                "The model does not see the argument. It is sent with `value`, or not at all where"
                " none is given."
            ),
        ),
        Key(
            name="value",
            kind="any",
            example='"acme"',
            text="What is always sent for a hidden argument.",
        ),
        Key(
            name="default",
            kind="any",
            example="20",
            text="What is sent when the model leaves the argument out.",
        ),
    ),
)

ANSWER = Table(
    name="tools.*.answer",
    dataclass="AnswerConfig",
    text="How the API's JSON is cut down before the model reads it.",
    keys=(
        Key(
            name="keep",
            kind="texts",
            example='["id", "title", "author.name"]',
            text="Only these fields, as dotted paths; a list on the way is entered.",
        ),
        Key(
            name="drop",
            kind="texts",
            example='["_links"]',
            text="Not these fields, as dotted paths.",
        ),
        Key(
            name="strip_nulls",
            kind="flag",
            example="true",
            text="Leave out fields whose value is null.",
        ),
        Key(
            name="page_size",
            kind="count",
            example="20",
            text="The default of the argument that says how many items a page has.",
        ),
    ),
)

TABLES = (TOP, SOURCE, SELECT, TOOL, HINTS, ARGUMENT, ANSWER)
BY_NAME = {table.name: table for table in TABLES}

SUBTABLES = {
    "": ("source", "select", "tools"),
    "tools.*": ("hints", "arguments", "answer"),
}
"""Tables within tables: `tools` and `arguments` hold one table for each operation and argument."""
