"""Projects made of lists of tools, and calls of their tools through the official client."""

import asyncio
import importlib
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import Client

from mcpgen.config import Config
from mcpgen.problems import Problems
from mcpgen.project.run import CommandInput, Run, run
from mcpgen.project.save import save

_numbers = itertools.count()


class Project:
    """A generated project; its package has a name of its own, so that many can be imported side by
    side.
    """

    def __init__(self, source: Any, folder: Path, **config: Any) -> None:
        self.source = folder / "source.json"
        if isinstance(source, Path):
            self.source = source
        else:
            self.source.write_text(json.dumps(source))
        self.folder = folder / "project"
        self.config = Config(
            sources=(str(self.source),), name=config.pop("name", f"own{next(_numbers)}"), **config
        )
        self.made = self.generate(first=True)

    def generate(
        self, *, first: bool = False, renew: bool = False, add: tuple[str, ...] = ()
    ) -> Run:
        """Generate, or generate anew; with `renew` also the files that are written once."""
        self.problems = Problems()
        config = self.config if first else Config()
        made = run(CommandInput(config=config, folder=self.folder, add=add), self.problems)
        self.changes = save(made, renew=renew)
        self.problems.items.extend(self.changes.problems)
        return made

    def say(self, source: Any) -> None:
        """Change the source."""
        self.source.write_text(json.dumps(source))

    @property
    def package(self) -> Path:
        """The package's folder."""
        return self.folder / "src" / self.made.server.package

    def function(self, tool: str, text: str) -> Path:
        """Write the module of a tool."""
        path = self.package / "custom" / f"{tool}.py"
        path.write_text(text)
        return path

    def imported(self, module: str) -> Any:
        """A module of the package, imported anew."""
        name = self.made.server.package
        for known in [
            known for known in sys.modules if known == name or known.startswith(f"{name}.")
        ]:
            del sys.modules[known]
        importlib.invalidate_caches()
        sys.path.insert(0, str(self.folder / "src"))
        try:
            return importlib.import_module(f"{name}.{module}")
        finally:
            sys.path.remove(str(self.folder / "src"))

    def call(self, tool: str, arguments: dict[str, Any], **options: Any) -> Any:
        """The result of one call, through the official client."""
        return self.talk(lambda client: client.call_tool(tool, arguments, **options))

    def talk(self, conversation: Callable[[Client], Any], era: str = "auto", **options: Any) -> Any:
        """What a conversation with the server returns; `options` are those of `App`."""

        async def begin() -> Any:
            app = self.imported("runtime.app").App(self.made.server.package, **options)
            async with Client(app.server, mode=era) as client:
                return await conversation(client)

        return asyncio.run(begin())


def tool(
    name: str = "find_book", properties: dict[str, Any] | None = None, *required: str, **more: Any
) -> dict[str, Any]:
    """An MCP tool."""
    given = (
        properties
        if properties is not None
        else {"title": {"type": "string"}, "limit": {"type": "integer"}}
    )
    schema = {"type": "object", "properties": given, "required": list(required)}
    return {"name": name, "description": "Find a book.", "inputSchema": schema, **more}
