"""The stage between parse and render: what `mcpgen.toml` says of single operations, applied to the
server.
"""

from __future__ import annotations

from .apply import customise
from .mentions import with_tool_names

__all__ = ["customise", "with_tool_names"]
