"""Names: of tools, toolsets, arguments and the server.

Names are ASCII, lower-case (but for arguments, which keep their name on the wire) and never a
Python keyword, a builtin or a name the generated modules use.
"""

from __future__ import annotations

from .identifiers import RESERVED, WINDOWS_NAMES, argument_names, definition_name, digest
from .server import server_name, toolset_names
from .tools import tool_limit, tool_names
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
