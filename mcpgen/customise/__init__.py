"""The stage between parse and render: what `mcpgen.toml` says of single operations, applied to the
server.
"""

from __future__ import annotations

from .apply import customise

__all__ = ["customise"]
