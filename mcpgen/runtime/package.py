"""Package of one server: the folder around this runtime, with the tools and the user's code; and
one tool of it.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

_RUNTIME = Path(__file__).parent
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_DECORATED = re.compile(rb"^@(\w+\.)*tool\b", re.MULTILINE)


def decorated(package: Path) -> list[Path]:
    """Return the user's modules in the folder of a package that make tools of functions, by their
    text: every file below `custom/` with `@tool` at the beginning of a line.
    """
    modules = sorted((package / "custom").rglob("*.py"))
    return [path for path in modules if _DECORATED.search(path.read_bytes())]


def toolset_of(module: Path) -> str:
    """Return the toolset of a module's functions: the name of the module, or of the package."""
    return module.parent.name if module.stem == "__init__" else module.stem


class StartError(Exception):
    """Error: the server cannot start as it was asked to; the text says what to change."""


@dataclass(frozen=True, slots=True)
class Package:
    """A server's package: its import name (`bookshop_mcp`) and its folder."""

    name: str
    folder: Path

    @classmethod
    def named(cls, name: str) -> Package:
        """Return the package of that import name, imported. Raises ImportError without any."""
        module = sys.modules.get(name) or importlib.import_module(name)
        return cls(name, Path(module.__path__[0]))

    def facts(self) -> dict[str, Any]:
        """Return the facts about the API and the server: the content of `api.json`."""
        return self.json("api.json")

    def json(self, path: str) -> dict[str, Any]:
        """Return the JSON object in a file of the package; `{}` if there is no such file."""
        file = self.folder / path
        if not file.is_file():
            return {}
        content: dict[str, Any] = json.loads(file.read_bytes())
        return content

    def has(self, module: str) -> bool:
        """Return whether the package has a module of that name (`hooks`)."""
        return (self.folder / f"{module}.py").is_file()

    def module(self, name: str) -> ModuleType:
        """Import a module of the package (`tools.books`). Raises what its import raises."""
        return importlib.import_module(f"{self.name}.{name}")

    def where(self, error: BaseException, note: str = "") -> dict[str, Any]:
        """Return an error's text as `reason`, and its `file` and `line` in this package.

        These name the innermost line of the package that is not the runtime's, or the innermost
        line of the runtime; they are missing if the error comes from elsewhere. `note` is added to
        the reason.
        """
        reason = f"{type(error).__name__}: {error}"
        fields: dict[str, Any] = {"reason": f"{reason} ({note})" if note else reason}
        if isinstance(error, SyntaxError):
            return fields | {"file": error.filename, "line": error.lineno}
        frame = self._frame(error)
        if frame is not None:
            fields |= {"file": frame.filename, "line": frame.lineno}
        return fields

    def _frame(self, error: BaseException) -> traceback.FrameSummary | None:
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if Path(frame.filename).is_relative_to(self.folder)]
        outside_runtime = [
            frame for frame in inside if not Path(frame.filename).is_relative_to(_RUNTIME)
        ]
        candidates = outside_runtime or inside
        return candidates[-1] if candidates else None


@dataclass(slots=True)
class Entry:
    """One tool: its Tool object as clients see it, and the module of its function."""

    package: Package
    tool: dict[str, Any]
    toolset: str
    module: str
    generated: bool
    contract: dict[str, Any] | None = None
    """Contract in `contracts.json` of a tool without a generated function: the schemas that
    check a call.
    """
    wholes: Any = None
    """Whole input schemas, among them this tool's where the list leaves something out (a
    `arguments.wholes.Wholes`).
    """
    replaces: str = ""
    """Module of the replaced generated function; empty if none is replaced."""
    own: Callable[..., Any] | None = None
    """Function of a tool made of a function."""
    prepared: Any = field(default=None)
    """Objects that the server keeps between calls of this tool (its function, its checker)."""

    name: str = field(init=False)
    read_only: bool = field(init=False)
    """Whether the contract says that a call changes nothing."""

    def __post_init__(self) -> None:
        self.name = str(self.tool["name"])
        self.read_only = self.tool.get("annotations", {}).get("readOnlyHint") is True

    def function(self) -> Callable[..., Any]:
        """Return the tool's function, its module imported if it is not yet. Raises ImportError or
        AttributeError, and what the module raises.
        """
        if self.own is not None:
            return self.own
        module = self.package.module(self.module)
        function: Callable[..., Any] = getattr(module, module_name(self.name))
        return function

    def input(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the whole input schema, and JSON Pointer -> name on the wire for properties in its
        `$defs`; `{}` if the listed schema is whole.
        """
        listed: dict[str, Any] = self.tool["inputSchema"]
        whole = None if self.wholes is None else self.wholes.schema(self.name)
        return (listed, {}) if whole is None else (whole, self.wholes.names())

    def described(self) -> dict[str, Any]:
        """Return the Tool object; if it is listed with less, with the full input schema in
        `wholeInputSchema` beside the listed schema, which has the texts.
        """
        whole, _ = self.input()
        if whole is self.tool["inputSchema"]:
            return self.tool
        return {**self.tool, "wholeInputSchema": whole}

    def sends(self) -> Any:
        """Return the `wire.Sends` of the generated function, also for its replacement: pointers of
        nullable values, and pointer -> key on the wire of nested properties with another name. None
        for a function without any.
        """
        function: Any = self.function()
        if self.replaces and not hasattr(function, "sends"):
            module = self.package.module(self.replaces)
            function = getattr(module, module_name(self.name), None)
        return getattr(function, "sends", None)


def module_name(tool: str) -> str:
    """Return the name of a tool's function, and of its file in `custom/`: `get_book`."""
    return re.sub(r"\W", "_", tool)


def fault(tool: Any) -> str:
    """Explain why a contract not written by mcpgen cannot be used, or return an empty text."""
    return malformed(tool) or _invalid(tool)


def _invalid(tool: dict[str, Any]) -> str:
    """Explain why a contract is not a usable Tool or schema, or return an empty text."""
    import jsonschema_rs
    from mcp.types import Tool
    from pydantic import ValidationError

    from .arguments.checker import compiled

    try:
        Tool.model_validate(tool, by_name=False)
        for key in ("inputSchema", "outputSchema"):
            compiled(tool.get(key, True))
    except ValidationError as error:
        fault = error.errors()[0]
        return f"`{tool['name']}`: `{'.'.join(str(part) for part in fault['loc'])}`: {fault['msg']}"
    except jsonschema_rs.ValidationError as error:
        return f"`{tool['name']}`: not a valid schema: {error.message[:300]}"
    return ""


def malformed(tool: Any) -> str:
    """Explain why a tool cannot be listed, or return an empty text: one bad Tool object would cost
    clients the whole list.
    """
    name = tool.get("name") if isinstance(tool, dict) else None
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "a tool needs a `name` of letters, digits, `_`, `-` and `.`"
    for key in ("inputSchema", "outputSchema"):
        schema = tool.get(key)
        if schema is None and key == "outputSchema":
            continue
        if not isinstance(schema, dict) or schema.get("type") != "object":
            return f"the `{key}` of `{name}` must be a schema with `type: object` at its root"
    for key in ("title", "description"):
        if not isinstance(tool.get(key, ""), str):
            return f"the `{key}` of `{name}` must be text"
    return ""
