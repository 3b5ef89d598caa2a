"""The caller of a tool, as identified by its access token."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from .secrets import Secret

CALLER = "mcp.caller"
"""The key under which a request's caller stands in the ASGI scope; None where callers are not
told apart.
"""

SENDER = "mcp.sender"
"""The key under which the ASGI scope has what is written down of a request: its `address`, its id
(`request`), and `issuer`, `subject`, `client` and `key` where callers are authenticated.
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """The bearer of an access token that was checked."""

    issuer: str
    subject: str
    """`sub`: unique among the issuer's users and clients (RFC 9068, section 2.2)."""
    client: str
    """`client_id`: the program that acts for the subject; empty where the token does not say."""
    token: Secret
    """For the issuer alone, never for the API."""
    expires: float
    """When the token ends, in seconds since the epoch."""

    key: str = ""
    """`kid`: the id of the key that the token is signed with."""

    def fields(self) -> dict[str, str]:
        """Return what is written down of a caller (`SENDER`)."""
        names = ("issuer", "subject", "client", "key")
        return {name: getattr(self, name) for name in names}


caller_now: ContextVar[Caller | None] = ContextVar("caller_now", default=None)
"""The caller of the tool call that runs."""
