"""Swagger 2.0, OpenAPI 3.0, 3.1 and 3.2, and older JSON Schema drafts → OpenAPI 3.1 with JSON
Schema 2020-12.
"""

from __future__ import annotations

from .stage import upgrade

__all__ = ["upgrade"]
