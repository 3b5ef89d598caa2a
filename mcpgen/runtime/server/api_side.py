"""What the MCP side needs of the HTTP side, which servers without an API do not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..errors import ApiError
from ..results.answer import Answer
from ..results.content import Block, Context


class ApiSide(Protocol):
    """The API behind a server. `api` is what functions get as their argument of that name."""

    api: Any

    def content(
        self, answer: Answer[Any], tool: Mapping[str, Any], call: Mapping[str, Any]
    ) -> tuple[list[Block], dict[str, Any] | None]:
        """An answer as content blocks, and as structured content where the tool declares it. `call`
        has the arguments of the call.
        """

    def report(self, error: ApiError) -> list[Block]:
        """A failed request as content blocks."""

    def tell_progress(self, context: Context) -> None:
        """Let requests of this call say that they are waiting, if the caller wants to know."""

    async def aclose(self) -> None:
        """Close every connection."""
