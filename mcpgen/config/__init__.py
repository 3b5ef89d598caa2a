"""`mcpgen.toml`: a project's configuration (`Config`), its reader, and the table of its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..version import exports

if TYPE_CHECKING:
    from .file import NAME, SCHEMA, parse_config, read_config
    from .model import (
        AnswerConfig,
        ApiConfig,
        ArgumentConfig,
        Config,
        Pinned,
        Selection,
        ToolConfig,
    )

__all__ = [
    "NAME",
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
__getattr__ = exports(
    __name__,
    {
        **dict.fromkeys(("NAME", "SCHEMA", "parse_config", "read_config"), "file"),
        **dict.fromkeys(("AnswerConfig", "ApiConfig", "ArgumentConfig", "Config"), "model"),
        **dict.fromkeys(("Pinned", "Selection", "ToolConfig"), "model"),
    },
)
