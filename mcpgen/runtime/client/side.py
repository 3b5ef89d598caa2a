"""The HTTP side as the MCP side sees it (`server.calls.ApiSide`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ApiError, BadStatus
from ..results.answer import Answer
from ..results.content import Block, Context
from ..secrets import caller_now
from ..settings import Settings
from .api import Api, progress
from .blocks import content_of
from .health import Reach
from .report import is_page, report_error


class HttpSide:
    """The API behind a server, and its answers and errors as results."""

    def __init__(self, settings: Settings, auth: Any) -> None:
        """`auth` is the module `auth.py` of the server's package, or None."""
        self.api = Api(settings, auth)
        self._reach = Reach(self.api.reach)

    def content(
        self, answer: Answer[Any], tool: Mapping[str, Any], call: Mapping[str, Any]
    ) -> tuple[list[Block], dict[str, Any] | None]:
        """An answer as content blocks, and as structured content where the tool declares it."""
        if tool.get("outputSchema") and is_page(answer):
            error = BadStatus(answer)
            error.method, error.path = answer.method, answer.path
            raise error
        return content_of(answer, tool, self.api.settings, call)

    def report(self, error: ApiError) -> list[Block]:
        """A failed request as content blocks."""
        return report_error(error, self.api.settings)

    def tell_progress(self, context: Context) -> None:
        """Let requests of this call report that they are waiting, if the caller asked for it, and
        be made on the caller's behalf.
        """
        caller_now.set(context.caller)
        if context.wanted:
            progress.set(context.say)
        else:
            progress.set(None)

    async def fault(self) -> str:
        """Explain why no calls should come here now, or return an empty text."""
        if self.api.is_overfull:
            return "the queue for the API is full"
        if self.api.settings.http_ready_api and not await self._reach.ask():
            return "the API cannot be reached"
        return ""

    async def aclose(self) -> None:
        """Close every connection."""
        await self.api.aclose()
