"""The intermediate representation: a server after OpenAPI and before Python.

Dataclasses that `parse` makes, `customise` changes and `render` reads: frozen, with tuples, and
without OpenAPI, Jinja or files. The only plain dictionaries are JSON Schemas (`Schema`) and JSON
values (an argument's fixed value or default): data on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from .runtime.client.settings import ListAnswer, Shaping
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
    """Return a word with the name of its API before it, `billing:/invoices`; unchanged if `api` is
    empty.
    """
    return f"{api}:{word}" if api else word


Place: TypeAlias = Literal["path", "query", "header", "cookie", "body"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """The four behaviour hints of a tool (MCP `ToolAnnotations`)."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool = True

    def changed(self, said: dict[str, bool]) -> Hints:
        """Return the hints as a person says; what is said to be read-only is not destructive, and
        vice versa.
        """
        if said.get("read_only"):
            said = {"destructive": False, **said}
        elif said.get("destructive"):
            said = {"read_only": False, **said}
        return replace(self, **said)


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

    `encode` names the function of the runtime's `wire` that puts the value on the wire, or is
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
    """The request body: its encoding, and whether a single argument is the whole body.

    `kind` is `json`, `form`, `multipart`, `text` or `binary`. With `whole` the single body argument
    is the body; otherwise every body argument is one of its fields.
    """

    kind: Literal["json", "form", "multipart", "text", "binary"]
    media_type: str
    whole: bool
    required: bool

    @property
    def is_merge_patch(self) -> bool:
        """Whether it is a JSON Merge Patch, in which null removes a field (RFC 7396)."""
        return self.media_type.lower().split(";")[0].strip() == "application/merge-patch+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The HTTP call of a tool. `security` and `base_url` are None where the server's own apply;
    `content_type` is the Content-Type header of a request without a body. `api` is the name of the
    called API, if there are several (`Server.apis`).
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
        """The operationId without the name of the API; None if there is none."""
        if not self.operation_id or not self.api:
            return self.operation_id
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
    """One operation: a tool for the model, and its call.

    * `contract`: the schema that checks calls, if it says more than `input_schema`. With a request,
      it may refer to `Server.definitions`.
    * `nullable`, `wire_names`: JSON Pointers to nullable positions, and to nested properties with a
      different key on the wire. They point into `contract` for a tool with a request and a
      contract, else into `input_schema`.
    * `workflow`: set for a tool that calls other tools. Without `request` and `workflow`, the user
      implements the tool.
    * `output_contract`: the schema that checks the result of the user's tool, if it says more than
      `output_schema`.
    * `takes_more`: the user's tool accepts arguments beyond its properties.
    * `passed_on`: members of the author's own Tool object (`icons`, `_meta`), given to clients
      unchanged.
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
        """Return the argument with this name, else the first with this wire name, else None."""
        by_name = {argument.name: argument for argument in self.arguments}
        by_wire_name = {argument.wire_name: argument for argument in reversed(self.arguments)}
        return by_name.get(word, by_wire_name.get(word))

    def with_argument(self, old: Argument, new: Argument) -> Tool:
        """Return a copy of the tool with `new` for `old`."""
        arguments = list(self.arguments)
        arguments[arguments.index(old)] = new
        return replace(self, arguments=tuple(arguments))

    @property
    def is_own(self) -> bool:
        """Whether the user implements this tool."""
        return self.request is None and self.workflow is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """The tools of a tag, in a Python module and a JSON file."""

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
    """One credential: its place in the request, and its environment variables.

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
    """The API of the credential, if there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """An operation without a tool: `filtered` by the user's choice, or skipped for a `reason`.
    `tool` is the name of the tool it had before, if any.
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

    Names:

    * `name` is the key clients use (`bookshop`), `package` the import name (`bookshop_mcp`),
      `distribution` the name pip installs (`mcp-bookshop`), `env_prefix` the start of every
      environment variable (`BOOKSHOP_MCP`).
    * `aliases`: further names of tools (alias, tool). `original_names`: earlier names of renamed
      tools (`METHOD /path`, name).

    The API:

    * `base_url`: None if the document has no base URL that is safe without asking; `base_url_note`
      is the reason. With `base_url_configured` the base URL is from the user, not from the
      document.
    * `headers`: constant headers of every request, as pairs.
    * `apis`: further APIs; nothing of the first API is sent to them.
    * `documentation`: the public https URL of the API's documentation.

    Tools and answers:

    * `answers`: reduction of answers (tool, shaping). `redact`: fields hidden in every answer.
    * `recognised`: the kind of tool definitions in the document, unless it describes an API.
    * `lazy`: tools can be searched instead of listed. `code`: a program can call them.
    * `structured_content`: results have structured content, unless a variable says otherwise.
    * `models`: class name → object schema, for types with `{"$ref": "#/$defs/Name"}`.
      `model_names`: origin of the object → class name.
    * `definitions`: schemas used by contracts. `definition_names`: (pointer, wire name) of
      properties in `definitions` with a different key on the wire.
    * `has_functions`: the user's code has functions with `@tool`. `functions`: names of these
      tools. `profile`: the profile of their schemas.

    The project:

    * `parts`: parts named by the user. `files`: groups of files on request.
    * `runtime`: `copied` into the package, or `installed` beside it.
    * `catalogue`: a page at `/` shows the tools.
    * `inside`: the project is a package of an app, and has no manifest, tests or README.
    * `fetched`: some document of it comes from a URL.
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
    has_contracts: bool = False
    """Whether the user wrote contracts: `custom/*.json`."""
    functions: tuple[str, ...] = ()
    uses: frozenset[str] = frozenset()
    """The parts whose functions the user's code calls (`wire.file`)."""
    profile: str = "portable"
    confirm: bool = False
    """Whether a person has to agree to each call of a tool that may delete or overwrite."""
    apis: tuple[Api, ...] = ()
    documentation: str = ""
    inside: bool = False
    fetched: bool = False

    @cached_property
    def home(self) -> str:
        """The folder of the package in its project, with its `/`; empty if it is the project."""
        return "" if self.inside else f"src/{self.package}/"

    def api(self, name: str) -> Server | Api:
        """Return the further API of a name; the server itself for the empty name of the first API,
        and for an unknown name.
        """
        return next((api for api in self.apis if api.name == name), self)

    def call_of(self, tool: Tool) -> tuple[str | None, tuple[tuple[str, ...], ...] | None]:
        """Return the base URL and the security of a tool's calls: None if they are the first API's,
        and for a tool without a request; an empty base URL if it is unknown.
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
        """Whether the first API is in use: a tool calls it, a further API shares its base URL, or
        there is no further API.
        """
        called = {each.request.api for each in self.tools if each.request is not None}
        called |= {api.shares[0] for api in self.apis if api.shares}
        return "" in called or not self.apis

    @cached_property
    def addresses(self) -> tuple[tuple[str, str | None, str], ...]:
        """(name, base URL, note on the base URL) of the first API, named "", if it is in use, then
        of each further API.
        """
        first = [("", self.base_url, self.base_url_note)] if self.calls_first else []
        return (*first, *((api.name, api.base_url, api.base_url_note) for api in self.apis))

    @cached_property
    def calls_api(self) -> bool:
        """Whether there is an API behind this server; without one every tool is the user's own."""
        return self.document_version not in WITHOUT_API

    @cached_property
    def asks(self) -> bool:
        """Whether a person is asked before some calls: by `confirm` of the server or of a tool."""
        return self.confirm or any(tool.confirm for tool in self.tools)

    @property
    def is_searched(self) -> bool:
        """Whether its tools can be found by words: `lazy` or `code`."""
        return self.lazy or self.code

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool of every toolset, in the order of `tools/list`: by toolset, then by name."""
        return tuple(tool for toolset in self.toolsets for tool in toolset.tools)
