"""An OpenAPI document → a server: every operation becomes a tool, or is counted with its reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..ir import Origin, Server, Skip, Tool, Toolset
from ..load.definitions import SOURCES
from ..text import escape_token, plain, shorten, visible
from . import naming, select
from .definitions import Definitions, describe_document, grouped
from .models import Models
from .operation import Operation
from .parameter import Unsayable
from .schema import Reader
from .security import Security
from .servers import Address, address, origin

if TYPE_CHECKING:
    from ..config import Config
    from ..load import Document
    from ..problems import Problems

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "query")


def parse_openapi(document: Document, config: Config, problems: Problems) -> Server:
    """The server a document describes."""
    return _Parser(document, config, problems).server()


class _Parser:
    def __init__(self, document: Document, config: Config, problems: Problems) -> None:
        self.document, self.config, self.problems = document, config, problems
        info = document.root.get("info")
        self.info: dict[str, Any] = info if isinstance(info, dict) else {}
        title = config.title or plain(self.info.get("title")).split("\n")[0] or "API"
        self.title = shorten(title, 100)
        self.name = naming.server_name(config.name or self.title)
        self.prefix = f"MCPGEN_{self.name.upper()}"
        self.reader = Reader(document, problems)
        self.models = Models(self.reader)
        self.security = Security(self.reader, self.prefix)
        self.skips: list[Skip] = []
        self.aliases: dict[str, str] = {}
        self.recognised = ""

    # -- the server
    # ---------------------------------------------------------------------------------------------

    def server(self) -> Server:
        """Everything together."""
        everything = list(self.operations())
        known = [(where, operation) for where, _, operation in everything]
        wanted: list[tuple[Origin, dict[str, Any], dict[str, Any]]] = []
        for where, path_item, operation in everything:
            reason = select.left_out(self.config.selection, where, operation)
            if reason is not None:
                self.skips.append(Skip(origin=where, reason=reason, code="", filtered=True))
            else:
                wanted.append((where, path_item, operation))
        self.report_duplicates([where for where, _, _ in wanted])
        # Of all operations, so that leaving some out renames none of the others.
        names = naming.tool_names(
            (
                (where.method, where.path, self.named(where, operation))
                for where, _, operation in everything
            ),
            self.name,
            self.config.bindings,
        )
        base = self.base()
        tools: list[tuple[str, Tool]] = []
        for where, path_item, operation in wanted:
            try:
                tool = self.tool(
                    where, path_item, operation, names[f"{where.method} {where.path}"], base
                )
            except Unsayable as why:
                self.skip(where, why)
                continue
            tools.append((self.tag(operation), tool))
        if SOURCES in self.document.root:
            beside = Definitions(self.reader, self.models, self.config, self.name)
            tools += beside.tools(taken=names.values())
            self.skips += beside.skips
            known += beside.known
            self.aliases = beside.aliases
            self.recognised = f"OpenAPI, and beside it {describe_document(self.document)}"
        select.refuse_unknown(self.config.selection, known)
        self.report_unsaid()
        version = self.info.get("version")
        return Server(
            name=self.name,
            package=f"{self.name}_mcp",
            distribution=f"mcp-{self.name.replace('_', '-')}",
            title=self.title,
            version=shorten(visible(str(version)), 40) if version is not None else "0",
            description=shorten(
                plain(self.info.get("summary") or self.info.get("description")).split("\n")[0], 300
            ),
            instructions=self.instructions(),
            env_prefix=self.prefix,
            base_url=base.url,
            base_url_note=base.note,
            auth=tuple(self.security.auth.values()),
            security=self.security.default,
            toolsets=self.toolsets(tools),
            models=self.models.schemas,
            skips=tuple(self.skips),
            allowed_origins=self.config.allow_origins,
            document_version=self.document.version,
            aliases=tuple(self.aliases.items()),
            recognised=self.recognised,
        )

    def named(self, where: Origin, operation: dict[str, Any]) -> str | None:
        """What a tool is named after: the document's own wish (`x-mcp`), else the operationId."""
        wish = select.extension(operation).get("name")
        return wish if isinstance(wish, str) and wish.strip() else where.operation_id

    def instructions(self) -> str:
        """A few words to the model about the whole server."""
        said = shorten(plain(self.info.get("description")).replace("\n", " "), 600)
        return f"Tools that call {self.title}." + (f" {said}" if said else "")

    def base(self) -> Address:
        """The base URL: the operator's, else the document's."""
        if self.config.base_url:
            return Address(self.config.base_url.rstrip("/"))
        return self.home

    @cached_property
    def home(self) -> Address:
        """The server of the whole document: its own, else the one most of its operations name."""
        servers = self.document.root.get("servers")
        if servers:
            return address(servers, self.document.source.url)
        lower = [
            found
            for _, path_item, operation in self.operations(report=False)
            if (found := self.own_server(path_item, operation)) is not None
        ]
        named = [found for found in lower if found.url] or lower
        if not named:
            return address(None, None)
        return Counter(named).most_common(1)[0][0]

    def own_server(self, path_item: dict[str, Any], operation: dict[str, Any]) -> Address | None:
        """The server an operation or its path names; None where both leave it to the document."""
        vouched = {*self.config.allow_origins}
        if self.config.base_url:
            vouched.add(origin(self.config.base_url))
        for owner in (operation, path_item):
            if isinstance(owner.get("servers"), list) and owner["servers"]:
                return address(owner["servers"], self.document.source.url, vouched)
        return None

    def other_server(
        self, path_item: dict[str, Any], operation: dict[str, Any], pointer: str
    ) -> str | None:
        """The base URL of an operation that does not go to the document's server; None if it does.

        Raises Unsayable where it cannot be used: the document's server is not meant (OpenAPI 3.1
        section 4.8.10), and must not get the call and its credential.
        """
        own = self.own_server(path_item, operation)
        if own is None or own.text == self.home.text:
            return None
        if own.url is None:
            hint = "write a whole https URL there, in the document or with an overlay"
            if re.match(r"https?://[^\s/{}@]+(/|$)", own.text):
                hint = f"`--allow-origin {visible(origin(own.text))}` if you trust it"
            raise Unsayable(
                "E0708", f"its own server cannot be used: {own.note}", pointer, hint=hint
            )
        return own.url

    # -- operations
    # ---------------------------------------------------------------------------------------------

    def operations(
        self, *, report: bool = True
    ) -> Iterator[tuple[Origin, dict[str, Any], dict[str, Any]]]:
        """Every operation of the document with its path item, in a fixed order: by path, then by
        method.
        """
        declared = self.document.root.get("paths")
        paths: dict[str, Any] = declared if isinstance(declared, dict) else {}
        templates: dict[str, str] = {}
        for path in sorted(paths):
            if path.startswith("x-"):
                continue
            at = f"/paths/{escape_token(path)}"
            path_item, pointer = self.reader.deref(paths[path], at)
            if not isinstance(path_item, dict):
                if report:
                    dangling = isinstance(paths[path], dict) and path_item is None
                    self.unreadable("*", path, at, dangling=dangling)
                continue
            if report:
                self.report_identical(path, at, templates)
            members = self.members(path_item)
            for method in sorted(members):
                inside = pointer
                if method not in (*METHODS, "trace"):
                    inside = f"{pointer}/additionalOperations"
                at = f"{inside}/{escape_token(method)}"
                operation, where = self.reader.deref(members[method], at)
                if isinstance(operation, dict):
                    yield self.origin(method, path, operation, where), path_item, operation
                elif report:
                    dangling = isinstance(members[method], dict) and operation is None
                    self.unreadable(method.upper(), path, at, dangling=dangling)

    def members(self, path_item: dict[str, Any]) -> dict[str, Any]:
        """The operations of a path item by method, as they stand in the document."""
        members = {name: path_item[name] for name in (*METHODS, "trace") if name in path_item}
        more = path_item.get("additionalOperations")
        if isinstance(more, dict):
            members |= {str(method): operation for method, operation in more.items()}
        return members

    def origin(self, method: str, path: str, operation: dict[str, Any], pointer: str) -> Origin:
        """Where an operation stands."""
        identity = operation.get("operationId")
        if not isinstance(identity, str) or not identity.strip():
            return Origin(method=method.upper(), path=path, operation_id=None, pointer=pointer)
        return Origin(
            method=method.upper(), path=path, operation_id=identity.strip(), pointer=pointer
        )

    def unreadable(self, method: str, path: str, pointer: str, *, dangling: bool) -> None:
        """Count what could not be read: an operation, or with `*` for its method a whole path. A
        reference that leads nowhere (`dangling`) is a problem already.
        """
        what, name = "operation", f"{method} {visible(path)[:80]}"
        if method == "*":
            what, name = "path", visible(path)[:80]
        reason = f"the {what} is a reference that points to nothing"
        if not dangling:
            reason = f"the {what} is not an object"
            self.problems.warn("E0401", f"{what} `{name}` is not an object", pointer=pointer)
        where = Origin(method=method, path=path, operation_id=None, pointer=pointer)
        self.skips.append(Skip(origin=where, reason=reason, code="E0401", filtered=False))

    def report_identical(self, path: str, pointer: str, templates: dict[str, str]) -> None:
        """Two paths that differ in the names of their parameters alone are identical and invalid
        (OpenAPI 3.1 §4.8.8.1). `templates` are the paths so far, without those names.
        """
        other = templates.setdefault(re.sub(r"\{[^{}]*\}", "{}", path), path)
        if other != path:
            self.problems.warn(
                "E0411",
                f"path `{visible(path)[:80]}` is the same as `{visible(other)[:80]}`",
                pointer=pointer,
                hint="the API cannot tell them apart: put their operations under one path",
            )

    def tool(
        self,
        where: Origin,
        path_item: dict[str, Any],
        operation: dict[str, Any],
        name: str,
        base: Address,
    ) -> Tool:
        """One operation as a tool. Raises Unsayable."""
        if where.method in ("TRACE", "CONNECT") or not re.fullmatch(
            r"[A-Z][A-Z-]{0,31}", where.method
        ):
            raise Unsayable(
                "E0403", f"method `{visible(where.method)[:40]}` is not one a tool can call"
            )
        base_url = self.other_server(path_item, operation, where.pointer)
        if base_url == base.url:
            base_url = None
        work = Operation(
            self.reader,
            self.security,
            where,
            path_item,
            operation,
            models=self.models,
            profile=self.config.profile,
        )
        tool = work.tool(name, base_url=base_url)
        if (
            base_url
            and base.url
            and origin(base_url) not in (origin(base.url), *self.config.allow_origins)
        ):
            self.problems.note(
                "E0705",
                f"`{name}` calls another origin, {origin(base_url)}: it is refused there until you"
                " allow it",
                pointer=where.pointer,
                hint=f"`--allow-origin {origin(base_url)}`",
            )
        return self.overridden(tool, select.extension(operation))

    def overridden(self, tool: Tool, said: dict[str, Any]) -> Tool:
        """A tool with what the document's `x-mcp` says of it."""
        changes: dict[str, Any] = {}
        for key in ("title", "description"):
            text = plain(said.get(key))
            if text:
                changes[key] = shorten(text, 80 if key == "title" else 1900)
        hints = {}
        for key, names in {
            "read_only": ("readOnly", "readOnlyHint", "read_only"),
            "destructive": ("destructive", "destructiveHint"),
            "idempotent": ("idempotent", "idempotentHint"),
            "open_world": ("openWorld", "openWorldHint", "open_world"),
        }.items():
            for name in names:
                if isinstance(said.get(name), bool):
                    hints[key] = said[name]
        if hints:
            changes["hints"] = replace(tool.hints, **hints)
        return replace(tool, **changes) if changes else tool

    def tag(self, operation: dict[str, Any]) -> str:
        """The tag an operation's toolset is made from: its first, else the empty text."""
        tags = operation.get("tags")
        return (
            next((tag for tag in tags if isinstance(tag, str) and tag.strip()), "")
            if isinstance(tags, list)
            else ""
        )

    def toolsets(self, tools: list[tuple[str, Tool]]) -> tuple[Toolset, ...]:
        """The tools by tag, sorted by name, so that a list does not depend on the document's
        order.
        """
        declared = self.document.root.get("tags")
        said = {
            tag["name"]: tag
            for tag in (declared if isinstance(declared, list) else ())
            if isinstance(tag, dict) and isinstance(tag.get("name"), str)
        }
        return grouped(tools, said)

    # -- what is told
    # -------------------------------------------------------------------------------------------

    def skip(self, where: Origin, why: Unsayable) -> None:
        """Count an operation that cannot be a tool, and say why."""
        self.skips.append(Skip(origin=where, reason=why.reason, code=why.code, filtered=False))
        label = f"{where.method} {visible(where.path)[:80]}"
        self.problems.warn(
            why.code,
            f"`{label}` skipped: {why.reason}",
            pointer=why.pointer or where.pointer,
            hint=why.hint,
        )

    def report_duplicates(self, origins: list[Origin]) -> None:
        """Two operations with one operationId: both get a hash, and the author is told."""
        count = Counter(where.operation_id for where in origins if where.operation_id)
        for where in origins:
            if where.operation_id and count[where.operation_id] > 1:
                self.problems.warn(
                    "E0602",
                    f"operationId `{visible(where.operation_id)[:80]}` is used"
                    f" {count[where.operation_id]} times",
                    pointer=f"{where.pointer}/operationId",
                    hint=(
                        "operationIds must be unique: each of these tools carries a hash of its"
                        " method and path"
                    ),
                )

    def report_unsaid(self) -> None:
        """Parts of the document that no tool can stand for."""
        webhooks = self.document.root.get("webhooks")
        if isinstance(webhooks, dict) and webhooks:
            self.problems.note(
                "E0430",
                f"{len(webhooks)} webhooks are not tools: the API calls you there",
                pointer="/webhooks",
            )
        count = sum(
            1 for _, _, operation in self.operations(report=False) if operation.get("callbacks")
        )
        if count:
            self.problems.note(
                "E0431", f"{count} operations have callbacks, which are not tools", pointer="/paths"
            )
