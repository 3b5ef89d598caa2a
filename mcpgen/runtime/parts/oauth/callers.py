"""Authenticate callers over HTTP by their access tokens, and compare the scopes of a call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...catalog import Catalog
from ...package import Entry, StartError
from ...results.content import CALLER, SENDER
from ...transports.guard import NO_TOKEN, HTTPRefusal, Scope, bearer, challenge
from .tokens import MAX_TOKEN, BadToken, Unavailable

if TYPE_CHECKING:
    from .tokens import ProtectedResource

GRANTED = "mcp.granted_scopes"
"""Key of a request's scopes in the ASGI scope."""


class Scopes:
    """Scopes that calls need: of every tool that writes (`write`), and of single tools (`single`,
    items such as `delete_book=books:admin`). Raises StartError for an unknown tool or no scopes.
    """

    def __init__(self, catalog: Catalog, write: frozenset[str], single: Iterable[str]) -> None:
        self._catalog = catalog
        self._write = write
        self._single: dict[str, frozenset[str]] = {}
        for pair in single:
            name, _, scopes = pair.partition("=")
            if not scopes.strip():
                raise StartError(
                    f"`..._HTTP_TOOL_SCOPES`: `{pair}` has no scopes: write `TOOL=SCOPE`, several"
                    " with spaces between them"
                )
            entry = catalog.find(name)
            if entry is None:
                raise StartError(
                    f"`..._HTTP_TOOL_SCOPES` names no tool: `{name}`{catalog.near(name)}"
                )
            self._single[entry.name] = frozenset(scopes.split())

    def needed(self, name: str) -> frozenset[str]:
        """Return the scopes that a call of the named tool needs; none for an unknown tool."""
        entry = self._catalog.find(name)
        if entry is None:
            return frozenset()
        return self.of(entry)

    def of(self, entry: Entry) -> frozenset[str]:
        """Return the scopes that a call needs: the tool's own, and `write` unless it only reads."""
        single = self._single.get(entry.name, frozenset())
        if entry.read_only:
            return single
        return single | self._write


class Callers:
    """Authority by tokens of an authorization server; its route serves the metadata."""

    def __init__(self, tokens: ProtectedResource, scopes: Scopes) -> None:
        self._tokens = tokens
        self._scopes = scopes
        metadata = tokens.metadata()

        async def describe(request: Request) -> Response:
            return JSONResponse(metadata)

        self.routes = [Route(tokens.metadata_path, describe, methods=["GET"])]

    async def admit(self, scope: Scope) -> None:
        """Note caller and scopes in `scope`. Raises HTTPRefusal (401, 503; 431: too long)."""
        needed = self._tokens.scopes | self._tokens.offered.keys()
        token = bearer(scope)
        if not token:
            raise self._challenge(401, NO_TOKEN, "", needed)
        if len(token) > MAX_TOKEN:
            # Not 401: the client would get another one, which is as long
            reason = f"The token is longer than {MAX_TOKEN} characters: it has to hold fewer claims"
            raise HTTPRefusal(431, {"error": reason})
        try:
            grant = await self._tokens.grant(token)
        except BadToken as error:
            scope[SENDER].update(error.fields)
            raise self._challenge(401, NO_TOKEN, "invalid_token", needed) from error
        except Unavailable as error:
            retry = (b"retry-after", str(error.seconds).encode())
            raise HTTPRefusal(503, {"error": f"Try again later: {error}"}, retry) from error
        scope[GRANTED], scope[CALLER] = grant.scopes, grant.caller
        scope[SENDER].update(grant.caller.fields())

    def check(self, scope: Scope, tool: str | None) -> None:
        """Raise HTTPRefusal (403) for a request without all scopes that server and tool need. The
        answer names these, so that a client may ask for them and try again (RFC 6750, section 3.1).
        """
        needed = self._tokens.scopes
        if tool is not None:
            needed = needed | self._scopes.needed(tool)
        if not needed <= scope[GRANTED]:
            text = "The token's scopes do not allow this call"
            raise self._challenge(403, text, "insufficient_scope", needed)

    def refusal(self, entry: Entry, request: Any) -> str:
        """Explain why the caller of a request may not call a tool, or return an empty text.
        `request` is None on stdio, where every call is allowed.
        """
        granted = None if request is None else request.scope.get(GRANTED)
        if granted is None:
            return ""
        missing = ", ".join(f"`{scope}`" for scope in sorted(self._scopes.of(entry) - granted))
        if not missing:
            return ""
        return f"`{entry.name}` needs a token with the scopes {missing}"

    async def is_ready(self) -> bool:
        """Return whether a token can be checked, or could once."""
        return await self._tokens.is_ready()

    def _challenge(self, status: int, text: str, error: str, needed: frozenset[str]) -> HTTPRefusal:
        """Return a refusal whose `WWW-Authenticate` has the error, the needed scopes by their
        offered names, and the metadata's URL (RFC 6750, section 3; RFC 9728, section 5.1).
        """
        parameters = [f'error="{error}"'] if error else []
        if needed:
            names = sorted(self._tokens.offered.get(scope, scope) for scope in needed)
            parameters.append(f'scope="{" ".join(names)}"')
        return challenge(status, text, *parameters, self._tokens.challenge)
