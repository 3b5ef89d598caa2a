"""The summary of a run: facts about a server, as data for programs and for the tables people
see.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..ir import Auth, Server, Skip, Tool
from ..render.facts import wire
from ..render.manifests import environment
from ..runtime.parts.search.lazy import tools as lazy_tools
from ..workflows.model import KIND

if TYPE_CHECKING:
    from ..load import Document

VARIABLE = ("name", "meaning", "about", "required", "secret")
BYTES_PER_TOKEN = 4
"""A tool list in JSON costs a model about one token for four bytes (measured: 4.0 to 4.6 with
o200k).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of something in the tool list: `bytes` of compact JSON."""

    bytes: int

    @property
    def tokens(self) -> int:
        """About the number of tokens of a model's context: a quarter of the bytes."""
        return round(self.bytes / BYTES_PER_TOKEN)

    def data(self) -> dict[str, int]:
        """Return the size for programs."""
        return {"bytes": self.bytes, "tokens": self.tokens}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A server in numbers. `source` is the document's name, `sha256` its hash. `sizes` is by tool
    name, in the order of the list. `functions` are the tools of the user's code, if their server
    was asked.
    """

    server: Server
    source: str
    sha256: str
    sizes: dict[str, Size]
    functions: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the size of every tool is known."""
        return bool(self.functions) or not self.server.functions

    @property
    def total(self) -> Size:
        """The size of the whole list."""
        return _list(self.sizes.values(), map(weight, self.functions))

    @property
    def read_only(self) -> Size:
        """The size of the list with `--read-only`."""
        sizes = [self.sizes[tool.name] for tool in self.server.tools if tool.hints.read_only]
        reading = filter(reads, self.functions)
        return _list(sizes, map(weight, reading))

    @property
    def lazy(self) -> Size:
        """The size of the list with `--lazy`: the tools to find and call all others."""
        return Size(bytes=len(json.dumps(lazy_tools(read_only=False), separators=(",", ":"))))

    @property
    def filtered(self) -> int:
        """The number of operations that the user's filters left out."""
        return sum(skip.filtered for skip in self._skips)

    @property
    def skipped(self) -> int:
        """The number of operations that could not become tools."""
        return sum(not skip.filtered for skip in self._skips)

    @property
    def operations(self) -> int:
        """The number of the document's operations: tools, filtered and skipped."""
        return self.tools + self.filtered + self.skipped

    @property
    def tools(self) -> int:
        """The number of operations that are tools."""
        return len(self.sizes) - self.workflows

    @property
    def workflows(self) -> int:
        """The number of workflows that are tools."""
        return sum(tool.workflow is not None for tool in self.server.tools)

    @property
    def workflows_left_out(self) -> int:
        """The number of workflows that are no tools, for any reason."""
        return len(self.server.skips) - len(self._skips)

    @property
    def _skips(self) -> list[Skip]:
        """The operations that are no tools."""
        return [skip for skip in self.server.skips if skip.origin.method != KIND]

    def toolset_size(self, name: str) -> Size:
        """Return the sum of the sizes of a toolset's tools."""
        (toolset,) = [toolset for toolset in self.server.toolsets if toolset.name == name]
        return Size(bytes=sum(self.sizes[tool.name].bytes for tool in toolset.tools))

    def largest(self, count: int) -> list[tuple[str, Size]]:
        """Return name and size of at most `count` tools and functions that cost most, largest
        first.
        """
        sizes = {**self.sizes, **{str(tool["name"]): weight(tool) for tool in self.functions}}
        return sorted(sizes.items(), key=lambda pair: (-pair[1].bytes, pair[0]))[:count]

    def data(self) -> dict[str, Any]:
        """Return the summary for `--json`; `docs/cli.md` describes it."""
        server = self.server
        recognised = {}
        if server.recognised:
            recognised["recognised"] = server.recognised
        return {
            "document": {
                "source": self.source,
                "sha256": self.sha256,
                "version": server.document_version,
                **recognised,
                "title": server.title,
                "api_version": server.version,
            },
            "server": {
                "name": server.name,
                "package": server.package,
                "distribution": server.distribution,
                "base_url": server.base_url,
                "base_url_note": server.base_url_note,
                "allowed_origins": list(server.allowed_origins),
            },
            "operations": {
                "total": self.operations,
                "tools": self.tools,
                "filtered": self.filtered,
                "skipped": self.skipped,
            },
            "workflows": {"tools": self.workflows, "skipped": self.workflows_left_out},
            "functions": list(server.functions),
            "function_sizes": {str(each["name"]): weight(each).data() for each in self.functions},
            "skips": [
                {
                    "operation": skip.origin.operation,
                    "operation_id": skip.origin.operation_id,
                    "filtered": skip.filtered,
                    "code": skip.code,
                    "reason": skip.reason,
                }
                for skip in server.skips
            ],
            "list": self.total.data(),
            "list_read_only": self.read_only.data(),
            "list_lazy": self.lazy.data(),
            "toolsets": [
                {
                    "name": toolset.name,
                    "tools": len(toolset.tools),
                    **self.toolset_size(toolset.name).data(),
                }
                for toolset in server.toolsets
            ],
            "tools": [
                {
                    "name": tool.name,
                    "toolset": toolset.name,
                    "operation": tool.origin.operation,
                    "read_only": tool.hints.read_only,
                    "destructive": tool.hints.destructive,
                    **self.sizes[tool.name].data(),
                }
                for toolset in server.toolsets
                for tool in toolset.tools
            ],
            "environment": [
                {name: getattr(variable, name) for name in VARIABLE}
                for variable in environment(server)
            ],
        }


def _list(*parts: Iterable[Size]) -> Size:
    """Return the size of a list of tools, with its commas and brackets."""
    sizes = [size.bytes for part in parts for size in part]
    return Size(bytes=sum(sizes) + max(len(sizes), 1) + 1)


def weight(tool: Mapping[str, Any]) -> Size:
    """Return the size of a Tool object in the list."""
    return Size(bytes=len(json.dumps(tool, separators=(",", ":")).encode()))


def reads(tool: Mapping[str, Any]) -> bool:
    """Return whether a Tool object only reads."""
    return tool.get("annotations", {}).get("readOnlyHint") is True


def deletes(tool: Mapping[str, Any]) -> bool:
    """Return whether a Tool object may delete or overwrite, as it may without the hint."""
    return tool.get("annotations", {}).get("destructiveHint") is not False


def size_of(tool: Tool) -> Size:
    """Return the size of a tool in the list."""
    return weight(wire(tool))


def summarise(
    document: Document, server: Server, functions: Iterable[Mapping[str, Any]] = ()
) -> Summary:
    """Return the summary of a server and of its user's functions, as Tool objects."""
    return Summary(
        server=server,
        source=document.source.name,
        sha256=document.source.sha256,
        sizes={tool.name: size_of(tool) for tool in server.tools},
        functions=tuple(functions),
    )


def credential_goes(auth: Auth) -> str:
    """Return the place of a credential in a request, in words: "header `X-Api-Key`"."""
    where = {"header": f"header `{auth.wire_name}`", "cookie": f"cookie `{auth.wire_name}`"}
    goes = where.get(auth.place, f"query `{auth.wire_name}`, which servers write into their logs")
    if auth.kind == "basic":
        return f"{goes}, user name and password"
    if auth.kind == "client_credentials":
        return f"{goes}, a token fetched from {auth.token_url or 'an address nobody named'}"
    if auth.kind == "mutual_tls":
        return "the TLS handshake, a client certificate"
    if auth.kind == "unsupported":
        return "not supported: give the server a way in `auth.py`"
    return goes


def other_origins(server: Server) -> dict[str, list[str]]:
    """Return base URL → names of the tools that call it, without the base URLs of their APIs."""
    names: dict[str, list[str]] = {}
    called = [(tool.name, tool.request) for tool in server.tools if tool.request is not None]
    for name, request in called:
        if request.base_url not in (None, "", server.api(request.api).base_url):
            names.setdefault(str(request.base_url), []).append(name)
    return names
