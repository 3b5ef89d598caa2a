"""Your own authentication, where an API key, a token or OAuth client credentials are not enough.

This file was written once and is yours: it is never overwritten.

`authorize` is called with every request that credentials go with: to the API's own origin, and to
the further origins that the settings allow. The configured credentials were added, and the request
is sent next. `authorize` may change `request.headers`, `request.cookies` and the query
(`request.set_query`). Leave the rest as it is; a request to another origin is refused:

    async def authorize(request: Outgoing) -> None:
        signature = sign(request.method, str(request.url), request.content)
        request.set_header("X-Signature", request.conceal(signature))

`request.caller` is who makes the call, where callers have tokens of an OAuth issuer, so that each
may have a credential of its own (`subject` and `client` say whom its token was given to):

    async def authorize(request: Outgoing) -> None:
        if request.caller is None or request.caller.subject not in KEYS:
            raise ToolError("there is no key for you: ask the operator of this server")
        request.set_header("X-Api-Key", request.conceal(KEYS[request.caller.subject]))

`conceal` returns its argument and keeps it out of results, errors and logs. Name in `PROVIDES` the
security schemes that `authorize` takes care of, so that operations which need them do not ask for
an environment variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Outgoing

PROVIDES: frozenset[str] = frozenset()


async def authorize(request: Outgoing) -> None:
    """Add what the API wants to see. Does nothing as it comes."""
