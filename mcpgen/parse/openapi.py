"""An OpenAPI document → a server: every operation becomes a tool, or is counted with its reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
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
from .servers import Address, address, origin, screen

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
            self.aliases = beside.aliases
            self.recognised = f"OpenAPI, and beside it {describe_document(self.document)}"
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
            aliases=self.aliases,
            extra={"recognised": self.recognised} if self.recognised else {},
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
        """The base URL: the operator's, else the document's own, else the one its operations agree
        on.
        """
        if self.config.base_url:
            return Address(self.config.base_url.rstrip("/"))
        servers = self.document.root.get("servers")
        if not servers:
            lower = [
                found.url
                for _, path_item, operation in self.operations(report=False)
                if (found := self.nearest(path_item, operation)) is not None and found.url
            ]
            if lower:
                return Address(Counter(lower).most_common(1)[0][0])
        return address(servers, self.document.source.url)

    def nearest(self, path_item: dict[str, Any], operation: dict[str, Any]) -> Address | None:
        """The server an operation or its path names; None where both leave it to the document."""
        for owner in (operation, path_item):
            if isinstance(owner.get("servers"), list) and owner["servers"]:
                return address(owner["servers"], self.document.source.url)
        return None

    # -- operations
    # ---------------------------------------------------------------------------------------------

    def operations(
        self, *, report: bool = True
    ) -> Iterator[tuple[Origin, dict[str, Any], dict[str, Any]]]:
        """Every operation of the document with its path item, in a fixed order: by path, then by
        method.
        """
        given = self.document.root.get("paths")
        paths: dict[str, Any] = given if isinstance(given, dict) else {}
        for path in sorted(paths):
            if not path.startswith("/") and path.startswith("x-"):
                continue
            at = f"/paths/{escape_token(path)}"
            path_item, pointer = self.reader.deref(paths[path], at)
            if not isinstance(path_item, dict):
                if report:
                    self.problems.warn(
                        "E0401", f"path `{visible(path)[:80]}` is not an object", pointer=at
                    )
                continue
            found = {method: path_item[method] for method in METHODS if method in path_item}
            more = path_item.get("additionalOperations")
            found |= (
                {str(key): value for key, value in more.items()} if isinstance(more, dict) else {}
            )
            if "trace" in path_item:
                found["trace"] = path_item["trace"]
            for method in sorted(found):
                inside = (
                    f"{pointer}/additionalOperations"
                    if method not in (*METHODS, "trace")
                    else pointer
                )
                operation, where = self.reader.deref(
                    found[method], f"{inside}/{escape_token(method)}"
                )
                if isinstance(operation, dict):
                    given = operation.get("operationId")
                    identity = given.strip() if isinstance(given, str) and given.strip() else None
                    yield (
                        Origin(
                            method=method.upper(), path=path, operation_id=identity, pointer=where
                        ),
                        path_item,
                        operation,
                    )
                elif report:
                    self.problems.warn(
                        "E0401",
                        f"operation `{method.upper()} {visible(path)[:80]}` is not an object",
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
        own = self.nearest(path_item, operation)
        base_url = own.url if own is not None and own.url and own.url != base.url else None
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
            why.code, f"`{label}` skipped: {why.reason}", pointer=why.pointer or where.pointer
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
        if self.config.base_url is not None:
            found = screen(self.config.base_url)
            if found.url is None and "is not a URL" in found.note:
                self.problems.error("E0706", found.note)
