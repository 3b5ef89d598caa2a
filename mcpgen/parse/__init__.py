"""Document → Server. OpenAPI and the dialects of tool definitions end here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..problems import Problem, UsageError
from .openapi import api_name, parse_openapi

if TYPE_CHECKING:
    from ..config import Config
    from ..ir import Server
    from ..load import Document
    from ..problems import Problems

__all__ = ["distribution_of", "parse"]


NO_API = "the document describes no API, so its tools send no credential: leave out `--auth`"


def parse(document: Document, config: Config, problems: Problems) -> Server:
    """Return the server that a document describes: each operation is a tool, or a `Skip` with its
    reason.

    Problems are collected, not raised: one bad operation never costs the others. Raises UsageError
    where the configuration cannot be meant for this document, such as `--auth` without an API.
    """
    if not document.describes_api:
        if config.auth_scheme is not None:
            raise UsageError(Problem(code="E1176", severity="error", message=NO_API))
        from .definitions import parse_definitions  # late: most documents describe an API

        return parse_definitions(document, config, problems)
    return parse_openapi(document, config, problems)


def distribution_of(document: Document, config: Config) -> str:
    """Return the name by which pip installs the server of a document: `mcp-book-shop`."""
    name_of = api_name
    if not document.describes_api:
        from .definitions import definitions_name as name_of
    return f"mcp-{name_of(document, config).replace('_', '-')}"
