"""An OpenAPI document → a server: every operation becomes a tool, or a `Skip` with its reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from ..config import ApiConfig
from ..config.credentials import fault
from ..ir import Api, Auth, Origin, Server, Skip, Tool
from ..load.beside import stem_of
from ..load.definitions import SOURCES
from ..load.methods import PATH_ITEM, UNCALLABLE
from ..load.operations import DocumentedOperation, DocumentedPath, Unreadable, operations_of, paths
from ..load.values import as_list, as_object, as_text, first_text, texts_in
from ..problems import Problems, Unsupported
from ..text import plain, plural, shares, shorten, visible
from . import naming, select
from .budget import LIMITS, MANY, Draft, Texts, frequent_texts, own_budget, size, within_budget
from .describe import described_sentence, sentence_verbs, spoken_verb, written_sentence
from .first_sentences import Opening, openings
from .models import Models, pascal
from .naming.server import GENERAL, toolset_name
from .operation import Operation
from .projection import Nodes, Whole
from .repeated import repeated
from .response import items_of
from .schema import Reader
from .security import Security, credential_parameters, find_clue
from .servers import Address, address, is_same, origin, own_network, screen
from .toolsets import areas, toolsets
from .vocabulary import READING

if TYPE_CHECKING:
    from ..config import Config
    from ..load import Document

METHOD = re.compile(r"[A-Z][A-Z-]{0,31}")
HINT_KEYS = {
    "read_only": ("readOnly", "readOnlyHint", "read_only"),
    "destructive": ("destructive", "destructiveHint"),
    "idempotent": ("idempotent", "idempotentHint"),
    "open_world": ("openWorld", "openWorldHint", "open_world"),
}
"""Field of `Hints` → the keys of `x-mcp` that set it; of several the last counts."""


def parse_openapi(document: Document, config: Config, problems: Problems) -> Server:
    """Return the server a document describes, with the tools of further APIs in it."""
    first = _Parser(document, config, problems)
    for name in document.apis:
        _Parser(document, config.of_api(name), problems, name, first)
    for api in (first, *first.beside):
        api.find_host(first)
    for api in (first, *first.beside):
        api.add_credentials(first)
    unmoved = [api.api for api in first.beside if not any([api.host, api.own.base_url])]
    if all([config.base_url, unmoved]):
        mine = stem_of(document.source.name)
        message = f"the base URL is that of `{mine}`, and not of `{'`, `'.join(unmoved)}`"
        hint = f"write `base_url` under `[apis.{unmoved[0]}]` in `mcpgen.toml`"
        problems.note("E0710", message, hint=hint)
    return first.server()


def _inner(toolset: str, own: str) -> str:
    """Return a toolset's name without that of its further API, `own`: `invoices` for
    `billing_invoices`, and `general` for `billing`.
    """
    return GENERAL if toolset == own else toolset.removeprefix(f"{own}_")


def api_name(document: Document, config: Config) -> str:
    """Return the name of the server an OpenAPI document describes; problems are dropped."""
    return _Parser(document, config, Problems()).name


class _Parser:
    """One API on its way to tools: the document's API, or a further API, with `first` as the
    document's.
    """

    def __init__(
        self,
        document: Document,
        config: Config,
        problems: Problems,
        api: str = "",
        first: _Parser | None = None,
    ) -> None:
        self.document, self.config, self.problems = document, config, problems
        self.api, self.own = api, config.apis.get(api, ApiConfig())
        self.beside: list[_Parser] = []
        self.source = document.apis[api].source if api else document.source
        self.reader = Reader(document, problems, api)
        self.root = self.reader.root
        self.info = as_object(self.root.get("info"))
        title = config.title or plain(self.info.get("title")).split("\n")[0] or "API"
        self.title: str = shorten(title.removesuffix("."), 100)
        self.skips: list[Skip] = []
        self.operations = self.read_operations()
        self.repeated = repeated(self.reader, self.operations)
        self.frequent = frequent_texts(self.reader, self.operations)
        self.home = self.home_address()
        self.base = self.base_address()
        self.name: str = first.name if first else self.server_name()
        prefix = config.env_prefix or config.pinned.env_prefix
        self.prefix = prefix or f"{self.name.upper()}_MCP"
        kept = config.pinned.models
        self.models: Models = Models(self.reader, kept)
        self.whole: Whole = Whole(Nodes(self.reader))
        if first is not None:
            self.models = Models(self.reader, kept, pascal(api), first.models)
            self.whole = Whole(self.whole.nodes, first.whole)
        self.suggested = ""
        """The parameter proposed for `--auth`, in the option's format."""
        self.host: _Parser | None = None
        self.security: Security
        self.secured: list[_Parser] = []
        self.openings: dict[str, Opening] = {}
        self.aliases: dict[str, str] = {}
        self.recognised = ""
        if first is not None:
            first.beside.append(self)

    def server_name(self) -> str:
        """Return the server's name: the configuration's, else what title and host call the API."""
        if self.config.name:
            return self.config.name
        return naming.server_name(self.title, self.home.url or "", self.pages())

    def pages(self) -> list[str]:
        """Return the addresses in the document that may be its vendor's, first the API's, even if
        it cannot be called as written; last the URL of the document, empty for a file.
        """
        contact = as_object(self.info.get("contact"))
        more = as_object(self.root.get("externalDocs"))
        pages = (
            self.home.text,
            self.info.get("termsOfService"),
            more.get("url"),
            contact.get("url"),
        )
        return [*filter(None, map(as_text, pages)), self.source.url or ""]

    def documentation(self) -> str:
        """Return the public https URL of the API's documentation; empty without one."""
        written = as_text(as_object(self.root.get("externalDocs")).get("url"))
        return screen(written).url or ""

    def every_credential(self) -> tuple[Auth, ...]:
        """Return the credentials of this API and of the APIs beside it."""
        apis = (self, *self.beside)
        return tuple(auth for api in apis for auth in api.security.credentials())

    def find_host(self, first: _Parser) -> None:
        """Set `host`, the API at the same address whose environment variables this API uses: that
        of the last run, else the first with variables of its own. None stays for the document's
        own API, and where the owner wants its own (`separate`, `base_url`).
        """
        known = self.config.known_apis
        last = known.get(self.api)
        if any([self is first, self.own.separate, self.own.base_url, last == self.api]):
            return
        best = 3
        for api in (first, *first.beside):
            is_there = any([api.operations, api.api == last])
            if all([api is not self, is_there, self.home.is_at(api.home)]):
                is_earlier = all([api.api < self.api, api.host is None])
                ranks = [api.api == last, api.api in ("", known.get(api.api)), is_earlier, True]
                rank = ranks.index(True)
                if rank < best:
                    best, self.host = rank, api

    def add_credentials(self, first: _Parser) -> None:
        """Read the credentials once, after those of the API whose variables this API shares, and
        report on them.
        """
        if self in first.secured:
            return
        if self.host:
            self.host.add_credentials(first)
        others: list[Auth] = []
        for api in first.secured:
            others += api.security.credentials()
        theirs = self.host.security.credentials() if self.host else ()
        self.security = Security(
            self.reader, self.prefix, self.config, self.api, others, theirs, self.base.url
        )
        has_gone = not self.host.operations if self.host else False
        if has_gone:
            self.security.keep_variables()
        self.assume_credential()
        self.report_credentials()
        first.secured.append(self)

    def described(self) -> Api:
        """Return this further API as an `Api`."""
        return Api(
            name=self.api,
            title=self.title,
            base_url=self.base.url,
            base_url_note=self.base.note,
            base_url_configured=self.is_base_url_named(),
            headers=tuple(self.config.headers.items()),
            security=self.security.default,
            allowed_origins=self.own.allow_origins,
            shares=(self.host.api, self.host.home.path, self.home.path) if self.host else None,
        )

    def server(self) -> Server:
        """Return the server, with the tools of all APIs; to be called on the document's own API."""
        tools = self.tools()
        for api in (self, *self.beside):
            api.report_unused()
        tags = {name: tag for api in (self, *self.beside) for name, tag in api.tags().items()}
        version = self.info.get("version")
        about = plain(first_text(self.info.get("summary"), self.info.get("description")))
        return Server(
            name=self.name,
            package=f"{self.name}_mcp",
            distribution=f"mcp-{self.name.replace('_', '-')}",
            title=self.title,
            version="0" if version is None else shorten(visible(str(version)), 40),
            description=shorten(about.split("\n")[0], 300),
            instructions=self.instructions(),
            env_prefix=self.prefix,
            base_url=self.base.url,
            base_url_note=self.base.note,
            auth=self.every_credential(),
            security=self.security.default,
            toolsets=toolsets(tools, tags, self.config.pinned.toolsets),
            models=self.models.schemas,
            model_names=self.models.names,
            definitions=self.whole.definitions,
            definition_names=tuple(self.whole.names.items()),
            skips=tuple(self.skips),
            allowed_origins=self.config.allow_origins,
            headers=tuple(self.config.headers.items()),
            forward_headers=self.config.forward_headers,
            base_url_configured=self.is_base_url_named(),
            document_version=self.document.version,
            aliases=tuple(self.aliases.items()),
            recognised=self.recognised,
            apis=tuple(api.described() for api in self.beside),
            documentation=self.documentation(),
        )

    def instructions(self) -> str:
        """Return the text to the model about the whole server: the API's title and description, and
        the sentences that many operations repeat, on lines of their own; then, for each further
        API, its title and its sentences.
        """
        about = shorten(plain(self.info.get("description")).replace("\n", " "), 600)
        lines = [f"Tools that call {self.title}. {about}".strip(), self.repeated.instructions()]
        for api in self.beside:
            line = f"Tools `{api.own.prefix or api.api}_*` call {api.title}."
            lines += [line, api.repeated.instructions()]
        return "\n".join(filter(None, lines))

    def tags(self) -> dict[str, Any]:
        """Return the Tag Objects of the document, by the tag of their toolset."""
        tags = list(map(as_object, as_list(self.root.get("tags"))))
        return {self.tag(tag["name"]): tag for tag in tags if isinstance(tag.get("name"), str)}

    def tag(self, tag: str) -> str:
        """Return the tag of a toolset for a tag of the document: unchanged in the document's own
        API, else the configured `toolset` of the further API, else `billing: Invoices` (`billing`
        for an empty tag).
        """
        if not self.api:
            return tag
        return self.own.toolset or f"{self.api}: {tag}".removesuffix(": ")

    # Servers.

    def base_address(self) -> Address:
        """Return the base URL: the operator's, else the document's."""
        if self.config.base_url:
            return Address(self.config.base_url.rstrip("/"))
        return self.home

    def is_base_url_named(self) -> bool:
        """Return whether the base URL is the user's: configured, or on the private origin from
        which the user fetched the document.
        """
        if self.config.base_url is not None:
            return True
        if self.base.url is None:
            return False
        return origin(self.base.url) in own_network(self.source.url)

    def home_address(self) -> Address:
        """Return the server of the whole document: its own, else the one that most of its
        operations name.
        """
        source_url = self.source.url
        servers = self.root.get("servers")
        if servers:
            home = address(servers, source_url, own_network(source_url))
            self.report_choice(home, f"{self.reader.home}/servers")
            return home
        addresses = list(map(self.own_server, self.operations))
        named = [own for own in addresses if own is not None]
        usable = [own for own in named if own.url]
        count = Counter(usable or named)
        if not count:
            return address(None, source_url, own_network(source_url))
        return count.most_common(1)[0][0]

    def own_server(self, operation: DocumentedOperation) -> Address | None:
        """Return the server named by an operation or its path; None if both use the document's
        servers.
        """
        vouched = {*self.config.allow_origins, *own_network(self.source.url)}
        if self.config.base_url:
            vouched.add(origin(self.config.base_url))
        for owner in (operation.node, operation.path_item):
            servers = as_list(owner.get("servers"))
            if servers:
                return address(servers, self.source.url, vouched)
        return None

    def other_server(self, operation: DocumentedOperation) -> str | None:
        """Return the base URL of an operation with another server than the document's, as a path
        (`/v2`) where only the operator knows the origin; else None.

        Raises Unsupported where it cannot be used: the document's server is not meant (OpenAPI 3.1
        section 4.8.10), and must not get the call and its credential.
        """
        own = self.own_server(operation)
        if own is None:
            return None
        self.report_choice(own, operation.pointer)
        if is_same(own.text, self.home.text):
            return None
        if own.on_origin and self.home.on_origin:
            return own.text or "/"
        if own.url is None:
            hint = "write a whole https URL there, in the document or with an overlay"
            if not fault(own.text):
                hint = f"`--allow-origin {visible(origin(own.text))}` if you trust it"
            reason = f"its own server cannot be used: {own.note}"
            raise Unsupported("E0708", reason, operation.pointer, hint)
        if own.url == self.base.url:
            return None
        return own.url

    # Operations.

    def read_operations(self) -> list[DocumentedOperation]:
        """Return every operation that can be read, by path, then by method; the others become
        `skips`.
        """
        operations: list[DocumentedOperation] = []
        same: defaultdict[str, list[DocumentedPath]] = defaultdict(list)
        for path in paths(self.document, self.reader.deref, self.skip_unreadable, self.api):
            # The names of parameters do not tell two paths apart (OpenAPI 3.1 §4.8.8.1).
            earlier = same[re.sub(r"\{[^{}]*\}", "{}", path.path)]
            if earlier:
                self.report_identical(path, earlier)
            earlier.append(path)
            operations += operations_of(path, self.reader.deref, self.skip_unreadable)
        return operations

    def tools(self) -> list[tuple[str, Tool]]:
        """Return (tag, tool) for all operations, and for the definitions and workflows beside them.
        Raises UsageError for a filter that matches nothing.
        """
        apis, pinned = (self, *self.beside), self.config.pinned.tools
        theirs = {operation.key for api in self.beside for operation in api.operations}
        taken = [pinned[key] for key in sorted(theirs & pinned.keys())]
        drafts: list[Draft] = []
        for api in apis:
            names = api.names(taken)
            drafts += api.drafts(names)
            taken += names.values()
        choices = [(_origin_of(item), item.node) for api in apis for item in api.operations]
        if SOURCES in self.document.root:
            from .definitions import Definitions  # late: few documents have any beside them
            from .dialects import describe_document

            beside = Definitions(self.reader, self.models, self.config, self.name)
            drafts += beside.drafts(reserved=taken)
            self.skips += beside.skips
            choices += beside.choices
            self.aliases = beside.aliases
            self.recognised = f"OpenAPI, and beside it {describe_document(self.document)}"
        tools = within_budget(drafts)
        self.report_questions((tool for _, tool in tools), choices)
        self.skips += [skip for api in self.beside for skip in api.skips]
        if self.document.workflows:
            tools += self.workflow_tools(tools, choices)
        select.refuse_unknown(self.config, choices)
        return tools

    def drafts(self, names: dict[str, str]) -> list[Draft]:
        """Return the drafts of the selected operations. `names`: `METHOD /path` → tool name. An
        operation that cannot be a tool is counted in `skips`.
        """
        selected = self.selected()
        self.openings = openings(self.operations, names)
        tags = self.tags_of_operations()
        budget, texts = LIMITS[self.config.profile, len(selected) >= MANY]
        drafts: list[Draft] = []
        for operation in shares(selected, self.document.tell, "describing the operations"):
            key = operation.key
            try:
                tag = self.tag(tags[key])
                drafts.append(self.draft(operation, names[key], tag, texts, budget))
            except Unsupported as reason:
                self.skip(operation, reason)
        return drafts

    def names(self, taken: Collection[str]) -> dict[str, str]:
        """Return `METHOD /path` → the name of its tool, none of `taken`. The names of a further API
        are found as if it were alone, and begin with its prefix.

        Operations that are left out have names as well, so that a filter renames no tool.
        """
        subjects = list(map(self.subject_of, self.operations))
        pinned = self.config.pinned
        last = {item.key: pinned.tools.get(item.key, "") for item in self.operations}
        foreign = set(taken).difference(last.values())
        if not self.api:
            return naming.tool_names(subjects, self.name, pinned.tools, foreign, pinned.chosen)
        start = f"{self.own.prefix or self.api}_"
        keys = dict(zip(last, (subject.key for subject in subjects), strict=True))
        before = _inside(start, last)
        chosen = _inside(start, {name: name for name in pinned.chosen})
        names = naming.tool_names(
            subjects,
            f"{self.name}_{start}",
            {keys[key]: name for key, name in before.items()},
            _inside(start, {name: name for name in foreign}).values(),
            {name: keys.get(pinned.chosen[full], "") for full, name in chosen.items()},
        )
        return {key: start + names[own] for key, own in keys.items()}

    def subject_of(self, operation: DocumentedOperation) -> naming.Subject:
        """Return the facts that name a tool: the document's own wish (`x-mcp`), else the
        operationId, else method and path.
        """
        wish = as_text(select.extension(operation.node).get("name")).strip()
        sentence = written_sentence(operation.node)
        verb = spoken_verb(sentence)
        if not verb and (operation.method, operation.path[-1:]) == ("POST", "}"):
            told = spoken_verb(described_sentence(operation.node))
            if told in READING and not sentence_verbs(sentence):
                verb = told  # to fetch a table by POST is no update of it
        return naming.Subject(
            method=operation.method,
            path=operation.path,
            operation_id=wish or _origin_of(operation).own_id,
            toolset=_tag(operation),
            verb=verb,
            sentence=sentence,
            items=items_of(self.reader, operation.node, operation.pointer, sentence),
            base=re.sub(r"^\w+://[^/]*", "", self.home.text),
        )

    def tags_of_operations(self) -> dict[str, str]:
        """Return operation → the tag of its toolset; empty for the general toolset."""
        tags = {item.key: _tag(item) for item in self.operations}
        untagged = {item.key: item.path for item in self.operations if not tags[item.key]}
        last = self.config.pinned.toolsets
        if self.api:
            own = toolset_name(self.tag(""))  # that of operations without a tag
            last = {key: _inner(name, own) for key, name in last.items()}
        by_path = areas(untagged, filter(None, tags.values()), last)
        return tags | by_path

    def workflow_tools(
        self, tools: list[tuple[str, Tool]], choices: list[select.Choice]
    ) -> list[tuple[str, Tool]]:
        """Return (tag, tool) of the workflows beside the document, which call the other tools; add
        them to `choices`.
        """
        from ..workflows.tools import Workflows  # late: it builds on this package

        workflows = Workflows(self.reader, self.models, self.config, self.name)
        credentials = [auth.wire_name for auth in self.every_credential()]
        found = workflows.workflow_tools(tools, self.skips, credentials)
        self.skips += workflows.skips
        choices += workflows.choices
        return found

    def selected(self) -> list[DocumentedOperation]:
        """Return the operations that the configuration and the document ask for, and those that a
        workflow calls; the others are counted in `skips` as filtered.
        """
        selected: list[DocumentedOperation] = []
        called = self.called_by_workflows()
        for operation in self.operations:
            where = _origin_of(operation)
            node = select.inherited(operation.node, operation.path_item, self.root)
            reason = select.left_out(self.config, where, node)
            caller = called.get(as_text(where.own_id), called.get(operation.pointer, ""))
            if caller and as_text(reason).startswith(select.NOT_INCLUDED):
                message = f"`{where.operation}` is a tool too: workflow `{caller}` calls it"
                self.problems.note("E1547", visible(message)[:200], pointer=operation.pointer)
                reason = None
            if reason is None:
                selected.append(operation)
            else:
                self.skips.append(Skip(origin=where, reason=reason, code="", filtered=True))
        self.report_duplicates(selected)
        return selected

    def called_by_workflows(self) -> dict[str, str]:
        """Return operationId or pointer of an operation that a step calls → the workflow's id."""
        if not self.document.workflows:
            return {}
        from ..workflows.tools import called  # late: it builds on this package

        return called(self.document, self.config.selection.exclude_operations)

    def draft(
        self, operation: DocumentedOperation, name: str, tag: str, texts: Texts, budget: int
    ) -> Draft:
        """Return the draft of an operation's tool, of at most `budget` bytes, or the user's own
        limit. Raises Unsupported.
        """
        method = operation.method
        if not _is_callable(method):
            reason = f"method `{visible(method)[:40]}` is not one a tool can call"
            raise Unsupported("E0403", reason)
        base_url = self.other_server(operation)
        where = _origin_of(operation)
        own = own_budget(self.config, where)
        work = Operation(
            self.reader,
            self.security,
            where,
            operation.path_item,
            operation.node,
            opening=self.openings[operation.key],
            models=self.models,
            whole=self.whole,
            repeated=self.repeated,
            frequent=self.frequent,
            profile=self.config.profile,
            texts=texts,
            budget=own or budget,
            pinned=self.config.pinned,
        )
        tool = work.tool(name, base_url=base_url, api=self.api)
        if base_url:
            self.report_other_origin(operation, base_url)
        again = partial(self.draft, operation, name, tag, texts)
        return Draft(
            tag=tag,
            size=size(tool),
            within=again if work.lacks_room and own is None else None,
            finished=partial(self.finished, work, tool, operation),
        )

    def finished(self, work: Operation, tool: Tool, operation: DocumentedOperation) -> Tool:
        """Return a tool with its types and the changes of its `x-mcp`; a tool over its budget is
        noted.
        """
        bytes_of_tool = size(tool)
        if bytes_of_tool > work.budget:
            self.problems.note(
                "E0801",
                f"tool `{tool.name}` is {bytes_of_tool:,} bytes, over the {work.budget:,} of its"
                " budget",
                pointer=tool.origin.pointer,
                hint="hide arguments it does not need in `mcpgen.toml`",
            )
        return _customised(work.typed(tool), select.extension(operation.node))

    def report_credentials(self) -> None:
        """Report parameters that are credentials and that no credential of the server fills."""
        known = self.security.auth.values()
        for place, name in credential_parameters(self.reader, self.operations):
            if f"{place}:{name}" == self.suggested:
                continue
            if self.security.filling(place, name, [auth.name for auth in known]) is None:
                message = f"`{visible(name)[:60]}` ({place}) looks like a credential, and the model"
                hint = f"`--auth '…, {place}:{visible(name)[:60]}'` adds it to the others"
                if self.security.auth and not self.security.is_undeclared:
                    hint = "declare it under `components.securitySchemes`, with an overlay"
                at = f"{self.reader.home}/security"
                self.problems.note("E0776", f"{message} is asked for it", pointer=at, hint=hint)

    def assume_credential(self) -> None:
        """Note the credential that a document without any suggests, and add it as an optional one;
        a parameter is only proposed (`suggested`).
        """
        if self.security.auth:
            return
        clue = find_clue(self.reader, self.info, self.operations)
        if clue is None:
            return
        others = "`--auth basic`, `header:NAME` or `query:NAME`"
        if clue.is_argument:
            self.suggested = clue.scheme
            hint = f"`--auth '{visible(clue.scheme)[:60]}'` takes it from the environment"
        else:
            self.security.add_undeclared(clue.scheme, optional=True)
            (auth,) = self.security.auth.values()
            names = " and ".join(f"`{name}`" for name in auth.variables)
            hint = f"where you set {names}, it is sent ({clue.scheme}); for another kind: {others}"
        message = f"the document declares no credential, but {clue.reason}"
        self.problems.note("E0775", message, pointer=f"{self.reader.home}/security", hint=hint)

    # Reports.

    def report_choice(self, chosen: Address, pointer: str) -> None:
        """Note how an address was chosen that differs from the server's URL."""
        if chosen.said:
            hint = "write the whole URL, or `--base-url`"
            self.problems.note("E0709", chosen.said, pointer=pointer, hint=hint)

    def skip_unreadable(self, unreadable: Unreadable) -> None:
        """Count a path or an operation that cannot be read in `skips`, with a warning; a dangling
        reference has one already.
        """
        kind, name = "operation", f"{unreadable.method} {visible(unreadable.path)[:80]}"
        if unreadable.method == "*":
            kind, name = "path", visible(unreadable.path)[:80]
        reason = f"the {kind} is a reference that points to nothing"
        if not unreadable.is_dangling:
            reason = f"the {kind} is not an object"
            message = f"{kind} `{name}` is not an object"
            self.problems.warn("E0401", message, pointer=unreadable.pointer)
        where = Origin(
            method=unreadable.method,
            path=unreadable.path,
            operation_id=None,
            pointer=unreadable.pointer,
        )
        self.skips.append(Skip(origin=where, reason=reason, code="E0401", filtered=False))

    def report_identical(self, path: DocumentedPath, earlier: list[DocumentedPath]) -> None:
        """Report a path that differs from earlier paths in the names of its parameters alone: by a
        warning if they share a method, else by a note.
        """
        methods = path.node.keys() & PATH_ITEM
        clashing = [other for other in earlier if methods & other.node.keys()]
        first, *_ = [*clashing, *earlier]
        message = f"path `{visible(path.path)[:80]}` is the same as `{visible(first.path)[:80]}`"
        if clashing:
            hint = "the API cannot tell them apart: put their operations under one path"
            self.problems.warn("E0411", message, pointer=path.key, hint=hint)
        else:
            hint = "their methods differ: put the operations under one path, as OpenAPI asks"
            self.problems.note("E0411", message, pointer=path.key, hint=hint)

    def report_other_origin(self, operation: DocumentedOperation, base_url: str) -> None:
        """Note that a tool calls an origin that the operator has not allowed."""
        if not self.base.url:
            return
        other = origin(urljoin(self.base.url, base_url))
        if other in (origin(self.base.url), *self.config.allow_origins):
            return
        self.problems.note(
            "E0705",
            f"another origin is called, {other}: it is refused until you allow it",
            pointer=operation.pointer,
            hint=f"`--allow-origin {other}`",
        )

    def report_questions(self, tools: Iterable[Tool], choices: Iterable[select.Choice]) -> None:
        """Note the POSTs that are read-only by their texts alone: neither the configuration nor
        their author says so.
        """
        said: set[str | None] = set()
        for key, tool_config in self.config.tools.items():
            if tool_config.read_only is not None:
                said.add(key)
        for where, node in choices:
            if not select.extension(node).keys().isdisjoint(HINT_KEYS["read_only"]):
                said.add(where.operation)
        names = []
        for tool in tools:
            where = tool.origin
            if (where.method, tool.hints.read_only) != ("POST", True):
                continue
            if said.isdisjoint([where.operation, where.operation_id]):
                names.append(where.operation)
        if names:
            self.problems.note(
                "E0420",
                f"{plural(len(names), 'POST')} listed as read-only, as the document describes"
                f" `{visible(names[0])[:80]}`",
                pointer=f"{self.reader.home}/paths",
                hint='`read_only = false` under `[tools."METHOD /path".hints]` if one changes data',
            )

    def skip(self, operation: DocumentedOperation, reason: Unsupported) -> None:
        """Count an operation that cannot be a tool, and say why."""
        where = _origin_of(operation)
        self.skips.append(
            Skip(origin=where, reason=reason.reason, code=reason.code, filtered=False)
        )
        label = f"{operation.method} {visible(operation.path)[:80]}"
        self.problems.warn(
            reason.code,
            f"`{label}` skipped: {reason.reason}",
            pointer=reason.pointer or operation.pointer,
            hint=reason.hint,
        )

    def report_duplicates(self, selected: list[DocumentedOperation]) -> None:
        """Report repeated operationIds. A path item shared by two paths counts once."""
        first: dict[str, DocumentedOperation] = {}
        for operation in {id(operation.node): operation for operation in selected}.values():
            identity = operation.operation_id
            if identity is None:
                continue
            other = first.setdefault(identity, operation)
            if other is operation:
                continue
            owner = f"{other.method} {visible(other.path)[:80]}"
            self.problems.warn(
                "E0602",
                f"operationId `{visible(identity)[:80]}` is that of `{owner}` too",
                pointer=f"{operation.pointer}/operationId",
                hint=(
                    "operationIds must be unique: words of their methods and paths tell these tools"
                    " apart"
                ),
            )

    def report_unused(self) -> None:
        """Note that webhooks and callbacks become no tools."""
        webhooks = as_object(self.root.get("webhooks"))
        if webhooks:
            message = f"{len(webhooks):,} webhooks are not tools: the API calls you there"
            if len(webhooks) == 1:
                message = "1 webhook is not a tool: the API calls you there"
            self.problems.note("E0430", message, pointer=f"{self.reader.home}/webhooks")
        count = sum(bool(operation.node.get("callbacks")) for operation in self.operations)
        if count:
            message = f"the callbacks of {plural(count, 'operation')} are not tools"
            self.problems.note("E0431", message, pointer=f"{self.reader.home}/paths")


def _inside(start: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return the names that begin with `start`, without this prefix; other names are left out."""
    return {key: name.removeprefix(start) for key, name in names.items() if name.startswith(start)}


def _is_callable(method: str) -> bool:
    """Return whether a tool can call a method: a valid name, except `CONNECT` and `TRACE`."""
    if method in UNCALLABLE:
        return False
    return METHOD.fullmatch(method) is not None


def _origin_of(operation: DocumentedOperation) -> Origin:
    return Origin(
        method=operation.method,
        path=operation.path,
        operation_id=operation.operation_id,
        pointer=operation.pointer,
        api=operation.api,
    )


def _tag(operation: DocumentedOperation) -> str:
    """Return the first tag of an operation that is not blank, else an empty text."""
    tags = texts_in(operation.node.get("tags"))
    return next((tag for tag in tags if tag.strip()), "")


def _customised(tool: Tool, extension: dict[str, Any]) -> Tool:
    """Return a tool with the title (80 characters), description (1,900) and hints of `x-mcp`."""
    changes: dict[str, Any] = {}
    for key, limit in (("title", 80), ("description", 1900)):
        text = plain(extension.get(key))
        if text:
            changes[key] = shorten(text, limit)
    hints: dict[str, bool] = {}
    for field, keys in HINT_KEYS.items():
        for key in keys:
            if isinstance(extension.get(key), bool):
                hints[field] = extension[key]
    if hints:
        changes["hints"] = tool.hints.changed(hints)
    return replace(tool, **changes)
