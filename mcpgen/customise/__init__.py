"""The stage between parse and render: the tables of `mcpgen.toml` for single operations, applied to
the server.
"""

from __future__ import annotations

from .apply import customise
from .mentions import with_tool_names

__all__ = ["customise", "with_tool_names"]
