"""The runtime of servers that have no copy of it, from mcpgen's own package."""

from pathlib import Path

__path__ = [str(Path(__file__).parents[3] / "runtime")]
