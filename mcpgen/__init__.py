"""mcpgen turns an API description into an MCP server people are glad to own.

As a library: `generate`, `check` and `diff` do what the commands of these names do, and return what
the commands print. A run that cannot be finished raises `McpgenError`, whose `problems` say why.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .config import Config as Config
    from .library import check, diff, generate
    from .problems import McpgenError as McpgenError
    from .problems import Problem as Problem

__all__ = ["Config", "McpgenError", "Problem", "__version__", "check", "diff", "generate"]

_HOME = {
    "Config": "config",
    "McpgenError": "problems",
    "Problem": "problems",
    "check": "library",
    "diff": "library",
    "generate": "library",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is first asked for, so that `import mcpgen` stays cheap."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
