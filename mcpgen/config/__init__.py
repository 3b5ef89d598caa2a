"""`mcpgen.toml`: a project's configuration (`Config`), its reader, and the table of its keys."""

from __future__ import annotations

from .file import NAME, OLD_SCHEMA, SCHEMA, parse_config, read_config
from .model import AnswerConfig, ApiConfig, ArgumentConfig, Config, Pinned, Selection, ToolConfig

__all__ = [
    "NAME",
    "OLD_SCHEMA",
    "SCHEMA",
    "AnswerConfig",
    "ApiConfig",
    "ArgumentConfig",
    "Config",
    "Pinned",
    "Selection",
    "ToolConfig",
    "parse_config",
    "read_config",
]
