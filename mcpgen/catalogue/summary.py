"""The summary of a run at its end: the same facts as data for programs and as a table for
people.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..ir import Server, Skip, Tool
from ..render.facts import wire
from ..render.manifests import environment
from ..runtime.parts.search.lazy import tools as lazy_tools
from ..workflows.model import KIND

if TYPE_CHECKING:
    from ..load import Document

BYTES_PER_TOKEN = 4
"""A tool list in JSON costs a model about one token for four bytes (measured: 4.0 to 4.6 with
o200k).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Size of something in the tool list: bytes of compact JSON."""

    bytes: int

    @property
    def tokens(self) -> int:
        """About as many tokens of a model's context."""
        return round(self.bytes / BYTES_PER_TOKEN)

    def data(self) -> dict[str, int]:
        """For programs."""
        return {"bytes": self.bytes, "tokens": self.tokens}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A server in numbers. `sizes` is by tool name, in the order of the list."""

    server: Server
    source: str
    sha256: str
    sizes: dict[str, Size]

    @property
    def total(self) -> Size:
        """The whole list, with the commas and brackets around its tools."""
        return Size(bytes=sum(size.bytes for size in self.sizes.values()) + len(self.sizes) + 1)

    @property
    def read_only(self) -> Size:
        """The list with `--read-only`."""
        names = [tool.name for tool in self.server.tools if tool.hints.read_only]
        return Size(bytes=sum(self.sizes[name].bytes for name in names) + len(names) + 1)

    @property
    def lazy(self) -> Size:
        """The list with `--lazy`: the tools that find and call all others."""
        return Size(bytes=len(json.dumps(lazy_tools(read_only=False), separators=(",", ":"))))

    @property
    def filtered(self) -> int:
        """Operations the user did not want."""
        return sum(skip.filtered for skip in self._skips)

    @property
    def skipped(self) -> int:
        """Operations that could not become tools."""
        return sum(not skip.filtered for skip in self._skips)

    @property
    def operations(self) -> int:
        """All of the document's operations."""
        return self.tools + self.filtered + self.skipped

    @property
    def tools(self) -> int:
        """The operations that are tools."""
        return len(self.sizes) - self.workflows

    @property
    def workflows(self) -> int:
        """The workflows that are tools."""
        return sum(tool.workflow is not None for tool in self.server.tools)

    @property
    def workflows_left_out(self) -> int:
        """The workflows that are no tools, whatever the reason."""
        return len(self.server.skips) - len(self._skips)

    @property
    def _skips(self) -> list[Skip]:
        """The operations that are no tools."""
        return [skip for skip in self.server.skips if skip.origin.method != KIND]

    def toolset_size(self, name: str) -> Size:
        """Return the size of one toolset."""
        (toolset,) = [toolset for toolset in self.server.toolsets if toolset.name == name]
        return Size(bytes=sum(self.sizes[tool.name].bytes for tool in toolset.tools))

    def largest(self, count: int) -> list[tuple[Tool, Size]]:
        """The tools that cost most, largest first."""
        tools = sorted(
            self.server.tools, key=lambda tool: (-self.sizes[tool.name].bytes, tool.name)
        )
        return [(tool, self.sizes[tool.name]) for tool in tools[:count]]

    def data(self) -> dict[str, Any]:
        """The summary for programs; `docs/cli.md` describes it."""
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
                {
                    "name": variable.name,
                    "meaning": variable.meaning,
                    "about": variable.about,
                    "required": variable.required,
                    "secret": variable.secret,
                }
                for variable in environment(server)
            ],
        }


def size_of(tool: Tool) -> Size:
    """Return the size of a tool in the list."""
    return Size(bytes=len(json.dumps(wire(tool), separators=(",", ":")).encode()))


def summarise(document: Document, server: Server) -> Summary:
    """Count and weigh a server."""
    sizes = {tool.name: size_of(tool) for tool in server.tools}
    return Summary(
        server=server, source=document.source.name, sha256=document.source.sha256, sizes=sizes
    )
