"""Document → Server. OpenAPI and the dialects of tool definitions end here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .definitions import parse_definitions
from .openapi import parse_openapi

if TYPE_CHECKING:
    from ..config import Config
    from ..ir import Server
    from ..load import Document
    from ..problems import Problems

__all__ = ["parse"]


def parse(document: Document, config: Config, problems: Problems) -> Server:
    """The server a document describes, with every operation as a tool or counted with its reason.

    Problems are collected, not raised: one bad operation never costs the others.
    """
    if not document.describes_api:
        return parse_definitions(document, config, problems)
    return parse_openapi(document, config, problems)
