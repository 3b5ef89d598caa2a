"""Names: of tools, toolsets, arguments and the server.

Names are ASCII, lower-case (but for arguments, which keep their name on the wire) and never a
Python keyword, a builtin or a name the generated modules use.
"""

from __future__ import annotations

from .arguments import argument_names
from .digest import definition_name, digest
from .reserved import RESERVED, WINDOWS_NAMES
from .server import server_name
from .tools import tool_limit, tool_names
from .toolsets import toolset_names
from .verb import Subject, verb_and_resource

__all__ = [
    "RESERVED",
    "WINDOWS_NAMES",
    "Subject",
    "argument_names",
    "definition_name",
    "digest",
    "server_name",
    "tool_limit",
    "tool_names",
    "toolset_names",
    "verb_and_resource",
]
