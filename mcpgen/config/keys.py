"""Every key of `mcpgen.toml`, once.

From this table come the reader of the file, its JSON Schema, its documentation, the options of
`generate`, `inspect` and `lint`, and the check that options agree with the file of a project. A new
key is one row here and one field of the dataclass that its table names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..runtime.facts.parts import NAMED

Kind = Literal["text", "name", "texts", "text or texts", "flag", "count", "headers", "any"]

COUNT_LIMIT = 1_000_000_000
NAME_PATTERN = r"^(?=.{1,16}$)[a-z][a-z0-9]*(_[a-z0-9]+)*$"
"""A server's name. Packages, commands and environment variables are made of it unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The command-line option of a key.

    A `name` without dashes is the argument. Without `help` the key's own text helps. The
    option of a `flag` key takes no value: it sets the field to `sets`.
    """

    name: str
    help: str = ""
    metavar: str = ""
    sets: bool = True

    @property
    def parameter(self) -> str:
        """The name of the Python parameter."""
        return self.name.lower().lstrip("-").replace("-", "_")

    @property
    def is_argument(self) -> bool:
        """Whether this is an argument: a word without an option's name before it."""
        return not self.name.startswith("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key: the kind of its value, its meaning, an example in TOML, and its option, if any.

    The value is stored in the dataclass field `field`, or in the one of the key's own name. It is
    not stored with `is_note`. With `is_path` a relative path starts at the file's folder.
    """

    name: str
    kind: Kind
    text: str
    example: str
    field: str = ""
    choices: tuple[str, ...] = ()
    is_path: bool = False
    is_note: bool = False
    lower_case: bool = False
    option: Option | None = None

    @property
    def target(self) -> str:
        """The name of the dataclass field."""
        return self.field or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table. A `*` in its name stands for the user's names; `dataclass` holds its values."""

    name: str
    dataclass: str
    text: str
    keys: tuple[Key, ...]

    @property
    def header(self) -> str:
        """The table's header in the file."""
        if not self.name:
            return "top of the file"
        header = self.name.replace("tools.*", 'tools."<operation>"')
        return f"[{header.replace('arguments.*', 'arguments.<argument>')}]"


TOP = Table(
    name="",
    dataclass="Config",
    text="Settings of the whole server.",
    keys=(
        Key(
            name="name",
            kind="name",
            example='"bookshop"',
            text=(
                "The server's name, as it stands: up to 16 letters of a to z, digits and"
                " underscores. Clients show it, and the package and the environment variables are"
                " named after it. The first run writes it down, so that a new title in the"
                " document renames nothing."
            ),
            option=Option(
                name="--name",
                metavar="NAME",
                help="The server's name, as it stands. Default: made from the title.",
            ),
        ),
        Key(
            name="title",
            kind="text",
            example='"Bookshop"',
            text="The title people see, instead of the document's.",
        ),
        Key(
            name="profile",
            kind="text",
            choices=("portable", "rich"),
            example='"portable"',
            text=(
                "`portable` limits input schemas to what every client understands; `rich` keeps"
                " `$defs` and unions."
            ),
            option=Option(
                name="--profile",
                help=(
                    "`portable` (the default) works in every client; `rich` keeps `$defs` and"
                    " unions."
                ),
            ),
        ),
        Key(
            name="runtime",
            kind="text",
            choices=("copied", "installed"),
            example='"installed"',
            text=(
                "`copied` (the default) puts the server's runtime into the package; with"
                " `installed` the package depends on the distribution `mcpgen-runtime` of the same"
                " code, and holds what the document and you wrote alone."
            ),
        ),
        Key(
            name="lazy",
            kind="flag",
            example="false",
            text=(
                "Whether the server can be started with `--lazy`, which lists three tools that"
                " search, describe and call the others; true by default. `false` leaves out the"
                " search and its index."
            ),
        ),
        Key(
            name="code",
            kind="flag",
            example="true",
            text=(
                "Whether the server can be started with `--code`, which lists a tool that runs"
                " programs over all others in a sandbox; false by default."
            ),
            option=Option(
                name="--code",
                help="Let the server be started with `--code`: programs over its tools.",
            ),
        ),
        Key(
            name="parts",
            kind="texts",
            choices=NAMED,
            example='["audit", "telemetry"]',
            text=(
                "Parts of the server beyond what its document and your code need: `audit` writes"
                " down every call that can change something, `telemetry` has traces and metrics,"
                " `redis` shares limits between replicas, `exchange` calls the API on behalf of"
                " each caller. Each brings variables of its own. `mcpgen add production` enters"
                " them all."
            ),
        ),
        Key(
            name="catalogue",
            kind="flag",
            example="true",
            text=(
                "Whether the server shows a page with every tool at `/` over HTTP, as `mcpgen"
                " inspect --html` makes it; false by default. Whoever reaches the server sees it,"
                " without a token."
            ),
        ),
        Key(
            name="base_url",
            kind="text",
            example='"https://api.example.com/v1"',
            text="The API's address, instead of the document's `servers`.",
            option=Option(
                name="--base-url",
                metavar="URL",
            ),
        ),
        Key(
            name="allow_origins",
            kind="texts",
            example='["https://uploads.example.com"]',
            text=(
                "Further origins that operations may call, with credentials, when the document"
                " gives them servers of their own."
            ),
            option=Option(
                name="--allow-origin",
                metavar="ORIGIN",
                help="Also let operations call this origin. Repeatable.",
            ),
        ),
        Key(
            name="headers",
            kind="headers",
            example='{ "X-Api-Version" = "2" }',
            text=(
                "Headers that every request to the API carries. No secrets: those come from the"
                " environment."
            ),
        ),
    ),
)

SOURCE = Table(
    name="source",
    dataclass="Config",
    text="Where the document comes from. `mcpgen generate` without arguments reads it again.",
    keys=(
        Key(
            name="path",
            kind="text or texts",
            field="sources",
            example='"../openapi.yaml"',
            text="A file, relative to this one; a list when several documents make one server.",
            is_path=True,
            option=Option(
                name="SPEC",
                help=(
                    "The API description, list of tools or JSON Schema: a file, a URL, or `-` for"
                    " standard input. Several files, or a folder, make one server. Default: the"
                    " document that the project in this folder names."
                ),
            ),
        ),
        Key(
            name="url",
            kind="text or texts",
            field="sources",
            example='"https://api.example.com/openapi.json"',
            text="A URL that is fetched on every run.",
        ),
        Key(
            name="headers",
            kind="texts",
            field="fetch_headers",
            example='["Authorization: env:DOCS_TOKEN"]',
            text=(
                "Headers that are sent when the document is fetched from its URL. A value is named"
                " by an environment variable that holds it, and never written down."
            ),
            option=Option(
                name="--header",
                metavar="HEADER",
                help=(
                    "Send this header when the document is fetched, as in `Authorization:"
                    " env:NAME`: the value is what the environment variable NAME holds. Repeatable."
                ),
            ),
        ),
        Key(
            name="obtained",
            kind="text",
            field="",
            example='"exported from the developer portal, version 7"',
            text=(
                "A note on how you obtained the document, for whoever regenerates next year. mcpgen"
                " ignores it."
            ),
            is_note=True,
        ),
        Key(
            name="draft",
            kind="text",
            choices=("4", "6", "7", "2019-09", "2020-12"),
            example='"7"',
            text="The draft of JSON Schema that schemas without `$schema` are written in.",
            option=Option(
                name="--draft", help="The JSON Schema draft of schemas without `$schema`."
            ),
        ),
        Key(
            name="ref_root",
            kind="text",
            example='".."',
            text=(
                "The folder that a `$ref` to another file may reach, relative to this file."
                " Default: the document's folder."
            ),
            is_path=True,
            option=Option(
                name="--ref-root",
                metavar="DIR",
                help="The folder that a `$ref` to another file may reach. Default: the document's.",
            ),
        ),
        Key(
            name="ref_map",
            kind="texts",
            example='["https://example.com/schemas/=../schemas"]',
            text=(
                "Folders with the files that a `$ref` to a URL means, as `URL=FOLDER`: what the"
                " address begins with, and the folder, relative to this file. Nothing is fetched."
            ),
            is_path=True,
            option=Option(
                name="--ref-map",
                metavar="URL=DIR",
                help="Read a `$ref` to an address below URL from the folder DIR. Repeatable.",
            ),
        ),
        Key(
            name="max_bytes",
            kind="count",
            example="60000000",
            text=(
                "The size limit of the document and its files together, in bytes. Default:"
                " 26,214,400."
            ),
            option=Option(
                name="--max-bytes",
                metavar="N",
                help="The size limit of the document and its files. Default: 26214400.",
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
            text=(
                "OpenAPI Overlays to apply to the document first, in order; relative to this file."
            ),
            is_path=True,
            option=Option(
                name="--overlay",
                metavar="FILE",
                help="Apply this OpenAPI Overlay to the document first. Repeatable, in order.",
            ),
        ),
        Key(
            name="workflows",
            kind="texts",
            example='["flows.arazzo.yaml"]',
            text=(
                "Arazzo documents: each of their workflows becomes a tool that calls the operations"
                " of its steps; relative to this file."
            ),
            is_path=True,
            option=Option(
                name="--workflows",
                metavar="FILE",
                help="Make a tool of each workflow in this Arazzo document. Repeatable.",
            ),
        ),
    ),
)

AUTH = Table(
    name="auth",
    dataclass="Config",
    text=(
        "The credential of an API whose document declares none, or a wrong one: it takes the place"
        " of everything the document says about credentials. Its value comes from the environment."
    ),
    keys=(
        Key(
            name="scheme",
            kind="text",
            field="auth_scheme",
            example='"header:X-Api-Key"',
            text=(
                "How it is sent: `bearer`, `basic` (user name and password), `header:NAME` or"
                " `query:NAME`."
            ),
            option=Option(
                name="--auth",
                metavar="SCHEME",
                help=(
                    "The credential that the API wants and the document does not declare: `bearer`,"
                    " `basic`, `header:NAME` or `query:NAME`."
                ),
            ),
        ),
        Key(
            name="description",
            kind="text",
            field="auth_description",
            example='"A personal access token, as in `ghp_...`"',
            text="What the credential looks like and where to get one, for whoever sets it.",
        ),
    ),
)

SELECT = Table(
    name="select",
    dataclass="Selection",
    text=(
        "Which operations become tools. An operation must match every `include_…` key and no"
        " `exclude_…` key. A word that matches nothing in the document is an error."
    ),
    keys=(
        Key(
            name="include_tags",
            kind="texts",
            example='["books", "orders"]',
            text="Only operations with one of these tags.",
            option=Option(
                name="--include-tag",
                metavar="TAG",
                help="Include only operations with this tag. Repeatable.",
            ),
        ),
        Key(
            name="exclude_tags",
            kind="texts",
            example='["internal"]',
            text="No operations with one of these tags.",
            option=Option(
                name="--exclude-tag",
                metavar="TAG",
                help="Exclude operations with this tag. Repeatable.",
            ),
        ),
        Key(
            name="include_paths",
            kind="texts",
            example='["/books/*"]',
            text="Only these paths: `*` stands for any characters, slashes included.",
            option=Option(
                name="--include-path",
                metavar="GLOB",
                help="Include only paths that match, as in `/books/*`. Repeatable.",
            ),
        ),
        Key(
            name="exclude_paths",
            kind="texts",
            example='["/admin/*"]',
            text="None of these paths.",
            option=Option(
                name="--exclude-path", metavar="GLOB", help="Exclude paths that match. Repeatable."
            ),
        ),
        Key(
            name="include_methods",
            kind="texts",
            example='["get"]',
            text="Only these HTTP methods.",
            lower_case=True,
            option=Option(
                name="--include-method",
                metavar="METHOD",
                help="Include only this HTTP method. Repeatable.",
            ),
        ),
        Key(
            name="exclude_methods",
            kind="texts",
            example='["delete"]',
            text="None of these HTTP methods.",
            lower_case=True,
            option=Option(
                name="--exclude-method",
                metavar="METHOD",
                help="Exclude this HTTP method. Repeatable.",
            ),
        ),
        Key(
            name="include_operations",
            kind="texts",
            example='["listBooks", "GET /orders/{id}"]',
            text="Only these operations, by operationId (a glob) or `METHOD /path`.",
            option=Option(
                name="--include-operation",
                metavar="ID",
                help=(
                    "Include only this operation: an operationId, which may be a glob, or `METHOD"
                    " /path`. Repeatable."
                ),
            ),
        ),
        Key(
            name="exclude_operations",
            kind="texts",
            example='["delete*"]',
            text="None of these operations, by operationId (a glob) or `METHOD /path`.",
            option=Option(
                name="--exclude-operation",
                metavar="ID",
                help=(
                    "Exclude this operation: an operationId, which may be a glob, or `METHOD"
                    " /path`. Repeatable."
                ),
            ),
        ),
        Key(
            name="deprecated",
            kind="flag",
            example="false",
            text="`false` excludes deprecated operations.",
            option=Option(
                name="--no-deprecated", help="Exclude deprecated operations.", sets=False
            ),
        ),
    ),
)

TOOL = Table(
    name="tools.*",
    dataclass="ToolConfig",
    text=(
        "Settings of one operation, by its operationId or `METHOD /path`. When the document"
        " renames the operationId or moves the path, the table still applies, and a warning asks"
        " you to rename it. A key with `*` is for every tool whose name, operationId or `METHOD"
        ' /path` matches, `[tools.tag."Orders"]` for every tool with that tag; of what several'
        " tables say of a tool, the most special counts: the operation's own, then the glob with"
        " the most letters, then the tag's. `name`, `aliases` and `budget` are for one tool."
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
            text="What the model reads, instead of the document's text.",
        ),
        Key(
            name="toolset",
            kind="text",
            example='"catalogue"',
            text="The tool's toolset, instead of its tag.",
        ),
        Key(
            name="enabled",
            kind="flag",
            example="false",
            text="`false` leaves this operation out.",
        ),
        Key(
            name="aliases",
            kind="texts",
            example='["list_books"]',
            text=(
                "Other names the tool can be called by, for example its former ones. They are not"
                " listed."
            ),
        ),
        Key(
            name="budget",
            kind="count",
            example="8192",
            text=(
                "The bytes this tool may have in the list: 4096, or more where the list is short or"
                " the profile is `rich`. What does not fit is left out, the least important first;"
                " calls are always checked against the whole schema."
            ),
        ),
    ),
)

HINTS = Table(
    name="tools.*.hints",
    dataclass="ToolConfig",
    text="Behaviour hints. Clients use them to decide whether to ask before a call.",
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
    text="Settings of one argument, by its name in the tool or in the document.",
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
                "Hide the argument from the model. It is sent with `value`, or not at all without"
                " one."
            ),
        ),
        Key(
            name="value",
            kind="any",
            example='"acme"',
            text="The value that is always sent for a hidden argument.",
        ),
        Key(
            name="default",
            kind="any",
            example="20",
            text="The value that is sent when the model leaves the argument out.",
        ),
    ),
)

ANSWER = Table(
    name="tools.*.answer",
    dataclass="AnswerConfig",
    text="How the API's JSON is reduced before the model reads it.",
    keys=(
        Key(
            name="keep",
            kind="texts",
            example='["id", "title", "author.name"]',
            text=(
                "Keep only these fields, as dotted paths. A path goes through lists: `items.id` is"
                " the `id` of every item."
            ),
        ),
        Key(
            name="drop",
            kind="texts",
            example='["_links"]',
            text="Leave out these fields, as dotted paths.",
        ),
        Key(
            name="strip_nulls",
            kind="flag",
            example="true",
            text="Leave out fields whose value is null.",
        ),
        Key(
            name="full",
            kind="flag",
            example="true",
            text="Show the items of a list whole, and offer no argument that chooses their fields.",
        ),
        Key(
            name="redact",
            kind="texts",
            example='["ssn"]',
            text="Fields that this tool's answers do not show, beside those of `[answers]`.",
        ),
        Key(
            name="table",
            kind="flag",
            example="true",
            text=(
                "Write a list as tab-separated values, a line for each item. The structured content"
                " stays JSON."
            ),
        ),
        Key(
            name="xml",
            kind="flag",
            example="true",
            text=(
                "Show an answer in XML as JSON: attributes as `@name`, every value as text. The"
                " server then needs the library `xmltodict`."
            ),
        ),
    ),
)

ANSWERS = Table(
    name="answers",
    dataclass="Config",
    text="How the answers of all tools are shown.",
    keys=(
        Key(
            name="full",
            kind="flag",
            field="full_answers",
            example="true",
            text=(
                "Show the items of lists whole, and offer no argument that chooses their fields. By"
                " default a long list shows of each item the fields that tell it apart, and says"
                " how to get the others."
            ),
            option=Option(name="--full-answers", help="Show the items of lists whole."),
        ),
        Key(
            name="redact",
            kind="texts",
            example='["ssn", "date_of_birth"]',
            text=(
                "Fields that no answer and no error shows, at any depth. Case and punctuation do"
                " not matter. Text that is not JSON and names one of them is withheld."
            ),
        ),
    ),
)

TABLES = (TOP, SOURCE, AUTH, SELECT, ANSWERS, TOOL, HINTS, ARGUMENT, ANSWER)
BY_NAME = {table.name: table for table in TABLES}

SUBTABLES = {
    "": ("source", "auth", "select", "answers", "tools"),
    "tools.*": ("hints", "arguments", "answer"),
}
"""Tables within tables: `tools` and `arguments` hold one table for each operation and argument."""

REMOVED = {
    ("tools.*.answer", "page_size"): (
        'set the default of the argument that limits the page: `[tools."…".arguments.limit]` with'
        " `default = 20`"
    ),
}
"""Keys of earlier versions, by table and name, with what to write instead."""

OPTIONS = tuple(
    (table, key, key.option) for table in TABLES for key in table.keys if key.option is not None
)
"""The keys that have an option on the command line, each with its table and the option."""
