"""The intermediate representation: what a server is, after OpenAPI and before Python.

`parse` makes these dataclasses, `customise` changes them, `render` reads them. They are frozen,
hold tuples, and know neither OpenAPI nor Jinja nor files. The only plain dictionaries are JSON
Schemas (`Schema`) and JSON values (an argument's fixed value or default): data on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from .runtime.results import ListAnswer, Shaping
from .workflows.model import Workflow

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema 2020-12 object, as the model sees it."""

CHOOSES_FIELDS = ("answer", "fields")
"""The key of the argument that chooses fields of a list's items, as (`query`, `limit`) is one."""
WITHOUT_API = ("tools", "schema")
"""Versions of documents that hold tool definitions or JSON Schemas, with no API behind them."""
LITERALS = 16
"""The longest list of allowed values that a type spells out; a longer one is no help to read."""


def within(api: str, word: str) -> str:
    """Return a word of one of several APIs in a form that no other has: `billing:/invoices`."""
    return f"{api}:{word}" if api else word


Place: TypeAlias = Literal["path", "query", "header", "cookie", "body"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """The four behaviour hints of a tool (MCP `ToolAnnotations`)."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A shallow Python type, for the reader and for type checkers; never derived code.

    `kind` is one of `str int float bool any literal list dict union`. `members` holds the
    literal's values, the item type of a list, or the union's branches.
    """

    kind: str
    members: tuple[Any, ...] = ()
    nullable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One keyword of a tool function.

    `encode` names the function of the generated `wire.py` that puts the value on the wire, or is
    empty where the default of the place does (a scalar as text, a list repeated in a query and
    comma-joined elsewhere, JSON in a JSON body). `options` are further keyword arguments of that
    function (`{"explode": True}`).

    `fixed` and `default` hold one value or none. A fixed argument is no keyword of the function and
    not in the input schema: its value is always sent. A default is sent where the caller leaves the
    argument out. `type` is the type of an argument that holds objects with properties (see
    `Server.models`), null not included; None where `annotation` says everything.
    `fixed_fields` and `default_fields` are likewise for the objects inside the value: pairs of a
    JSON Pointer, of names on the wire, and a value.
    """

    name: str
    wire_name: str
    place: Place
    annotation: Annotation
    required: bool
    type: Schema | None = None
    encode: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    fixed: tuple[Any, ...] = ()
    default: tuple[Any, ...] = ()
    fixed_fields: tuple[tuple[str, Any], ...] = ()
    default_fields: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The request body: how it is written and whether one argument is the whole of it.

    `kind` is `json`, `form`, `multipart`, `text` or `binary`. With `whole` the single body argument
    is the body; otherwise every body argument is one of its fields.
    """

    kind: Literal["json", "form", "multipart", "text", "binary"]
    media_type: str
    whole: bool
    required: bool

    @property
    def is_merge_patch(self) -> bool:
        """Whether null removes a field (RFC 7396)."""
        return self.media_type.lower().split(";")[0].strip() == "application/merge-patch+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The HTTP call of a tool. `security` and `base_url` are None where the server's own apply;
    `content_type` is the field that a request without a body carries all the same. `api` is the one
    of several that is called (`Server.apis`).
    """

    method: str
    path: str
    fixed_query: tuple[tuple[str, str], ...] = ()
    fixed_headers: tuple[tuple[str, str], ...] = ()
    body: Body | None = None
    security: tuple[tuple[str, ...], ...] | None = None
    base_url: str | None = None
    accept: str = "application/json"
    content_type: str = ""
    api: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The mapping of an answer to a result. `wrapped`: the JSON is not an object and is put under
    `result`.

    `type` is the type of the success response if it holds objects with properties (see
    `Server.models`), else None. `headers` are the names, in lower case, of the header
    fields that are part of the answer.
    """

    json: bool
    wrapped: bool
    type: Schema | None = None
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The operation in the document from which a tool is made."""

    method: str
    path: str
    operation_id: str | None
    pointer: str
    api: str = ""
    """The name of one of several APIs; empty for the first."""

    @property
    def own_id(self) -> str | None:
        """The operationId without the name of the API."""
        if self.operation_id is None:
            return None
        return self.operation_id.removeprefix(f"{self.api}:")

    @property
    def place(self) -> str:
        """The path, with the name of the API."""
        return within(self.api, self.path)

    @property
    def operation(self) -> str:
        """`METHOD /path`, by which the configuration and the lock name an operation."""
        return f"{self.method} {self.place}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One operation: what the model sees, and what a call does.

    `contract` is what a call is checked against where that says more than `input_schema`; that of a
    tool with a request may refer to `Server.definitions`. `nullable` and `wire_names` are JSON
    Pointers: positions where null is a value of its own, and nested properties whose key differs on
    the wire. They point into `contract` where a tool with a request has one, else into
    `input_schema`. A tool of a `workflow` calls others. One without `request` and `workflow` is
    implemented by the user: `output_contract` is what
    its result is checked against where that says more than `output_schema`, and with `takes_more`
    it takes arguments that are not named.
    `passed_on` are members of the author's own Tool object (`icons`, `_meta`) that clients get as
    they are.
    """

    name: str
    title: str
    description: str
    input_schema: Schema
    output_schema: Schema | None
    hints: Hints
    arguments: tuple[Argument, ...]
    request: Request | None
    response: Response
    origin: Origin
    nullable: tuple[str, ...] = ()
    wire_names: tuple[tuple[str, str], ...] = ()
    deprecated: bool = False
    docstring: str = ""
    contract: Schema | None = None
    output_contract: Schema | None = None
    takes_more: bool = False
    passed_on: dict[str, Any] = field(default_factory=dict, hash=False)
    listing: ListAnswer = field(default_factory=ListAnswer)
    workflow: Workflow | None = None
    confirm: bool | None = None
    """Whether a person has to agree to each call; None where the server's setting counts."""
    rate: str = ""

    def argument(self, word: str) -> Argument | None:
        """The argument of that name, else the one the API knows by that name."""
        by_name = {argument.name: argument for argument in self.arguments}
        by_wire_name = {argument.wire_name: argument for argument in reversed(self.arguments)}
        return by_name.get(word, by_wire_name.get(word))

    def with_argument(self, old: Argument, new: Argument) -> Tool:
        """The tool with one argument in the place of another."""
        arguments = list(self.arguments)
        arguments[arguments.index(old)] = new
        return replace(self, arguments=tuple(arguments))

    @property
    def is_own(self) -> bool:
        """Whether the user implements this tool."""
        return self.request is None and self.workflow is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """One tag: one Python module and one JSON file of tools."""

    name: str
    title: str
    description: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """Endpoints at which a person logs in for an OAuth credential: with a browser (RFC 6749
    section 4.1) or with a device code (RFC 8628).

    Absent endpoints are empty; `metadata_url` is a document that names them (OpenID Connect
    Discovery, RFC 8414). `variables` are those of the client's id and secret.
    """

    authorization_url: str = ""
    device_url: str = ""
    token_url: str = ""
    metadata_url: str = ""
    scopes: tuple[str, ...] = ()
    variables: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Auth:
    """One credential: where it goes, and the environment variables it comes from.

    `kind`: `api_key`, `basic`, `bearer`, `client_credentials`, `mutual_tls` or `unsupported`.
    `scheme` is the HTTP scheme word of a bearer-like credential. `variables` are full environment
    variable names, in the order the runtime reads them: `(key,)`, `(username, password)`,
    `(token,)`, `(client_id, client_secret, token)`, `(cert, key)`.
    """

    name: str
    kind: Literal["api_key", "basic", "bearer", "client_credentials", "mutual_tls", "unsupported"]
    place: Literal["header", "query", "cookie"] = "header"
    wire_name: str = "Authorization"
    scheme: str = "Bearer"
    variables: tuple[str, ...] = ()
    token_url: str | None = None
    scopes: tuple[str, ...] = ()
    description: str = ""
    login: Login | None = None
    declared: bool = True
    """Whether the document declares it; else the configuration does, or mcpgen assumes it."""
    api: str = ""
    """The API of several that it is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """An operation that did not become a tool: `filtered` by the user's choice, or `skipped` with a
    reason. `tool` is the name it had as one, if it had one.
    """

    origin: Origin
    reason: str
    code: str
    filtered: bool
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One of several APIs, as `Server` describes the first."""

    name: str
    title: str
    base_url: str | None
    base_url_note: str
    base_url_configured: bool
    headers: tuple[tuple[str, str], ...]
    security: tuple[tuple[str, ...], ...]
    allowed_origins: tuple[str, ...]
    shares: tuple[str, str, str] | None = None
    """The API whose base URL and credentials it has, and the paths of both at that address."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """One generated package.

    `name` is the key clients use (`bookshop`), `package` the import name (`bookshop_mcp`),
    `distribution` the name pip installs (`mcp-bookshop`), `env_prefix` the start of every
    environment variable (`MCPGEN_BOOKSHOP`). `base_url` is None when the document names none that
    can be trusted unasked; `base_url_note` says why. With `base_url_configured` it is not the
    document's word but the user's. Pairs: `headers` are constant headers of every request,
    `aliases` further names of tools (alias, tool), `answers` how answers are reduced (tool,
    shaping), `original_names` the names of renamed tools before that (`METHOD /path`, name).
    `redact` are fields that no answer shows. `recognised` says what kind of tool definitions the
    document holds, if it is no API description. `lazy`: its tools can be searched instead of
    listed; `code`: a program can call them; `parts` are those that the user named;
    `runtime`: `copied` into the package or `installed` beside it; `files` are the groups of files
    that somebody asked for; `catalogue`: a page at `/` shows
    them; `structured_content`: results have it, unless a variable says otherwise. `models` are the
    objects that types refer to with `{"$ref": "#/$defs/Name"}`: class name → object schema;
    `model_names`: what each is of → class name.
    `definitions` are the schemas that contracts refer to, `definition_names` pointers of properties
    in them whose key differs on the wire (pointer, name). `has_functions` says that the user's code
    makes tools of functions with `@tool`, `functions` are the names of these tools,
    `profile` is that of their schemas. `apis` are further APIs, to which nothing of the first one
    is sent; `documentation` is the public https URL of the API's documentation.
    """

    name: str
    package: str
    distribution: str
    title: str
    version: str
    description: str
    instructions: str
    env_prefix: str
    base_url: str | None
    base_url_note: str
    auth: tuple[Auth, ...]
    security: tuple[tuple[str, ...], ...]
    toolsets: tuple[Toolset, ...]
    models: dict[str, Schema] = field(default_factory=dict)
    model_names: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, Schema] = field(default_factory=dict)
    definition_names: tuple[tuple[str, str], ...] = ()
    skips: tuple[Skip, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    forward_headers: tuple[str, ...] = ()
    """Headers of a caller's request that go to the first API."""
    base_url_configured: bool = False
    document_version: str = ""
    aliases: tuple[tuple[str, str], ...] = ()
    answers: tuple[tuple[str, Shaping], ...] = ()
    redact: tuple[str, ...] = ()
    original_names: tuple[tuple[str, str], ...] = ()
    recognised: str = ""
    lazy: bool = False
    code: bool = False
    parts: tuple[str, ...] = ()
    runtime: str = "copied"
    files: tuple[str, ...] = ()
    catalogue: bool = False
    structured_content: bool = True
    has_functions: bool = False
    functions: tuple[str, ...] = ()
    profile: str = "portable"
    confirm: bool = False
    """Whether a person has to agree to each call of a tool that may delete or overwrite."""
    apis: tuple[Api, ...] = ()
    documentation: str = ""

    def api(self, name: str) -> Server | Api:
        """Return the API of a name; the first one, whose name is empty, is the server's."""
        return next((api for api in self.apis if api.name == name), self)

    def call_of(self, tool: Tool) -> tuple[str | None, tuple[tuple[str, ...], ...] | None]:
        """Return the base URL and the security of a tool's calls, None where they are those of the
        first API; the base URL is empty where it is not known.
        """
        request = tool.request
        if request is None:
            return None, None
        if not request.api:
            return request.base_url, request.security
        api = self.api(request.api)
        security = api.security if request.security is None else request.security
        return request.base_url or api.base_url or "", security

    @cached_property
    def calls_first(self) -> bool:
        """Whether a tool calls the first API, or one of `apis` that has its base URL."""
        called = {each.request.api for each in self.tools if each.request is not None}
        called |= {api.shares[0] for api in self.apis if api.shares}
        return "" in called or not self.apis

    @cached_property
    def addresses(self) -> tuple[tuple[str, str | None, str], ...]:
        """The name of each API that is called, its base URL, and a note on that."""
        first = [("", self.base_url, self.base_url_note)] if self.calls_first else []
        return (*first, *((api.name, api.base_url, api.base_url_note) for api in self.apis))

    @cached_property
    def calls_api(self) -> bool:
        """Whether there is an API behind this server; without one every tool is the user's own."""
        return self.document_version not in WITHOUT_API

    @cached_property
    def asks(self) -> bool:
        """Whether a person is asked before some calls."""
        return self.confirm or any(tool.confirm for tool in self.tools)

    @property
    def is_searched(self) -> bool:
        """Whether its tools can be found by words."""
        return self.lazy or self.code

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool of every toolset, in the order of the list."""
        return tuple(tool for toolset in self.toolsets for tool in toolset.tools)
