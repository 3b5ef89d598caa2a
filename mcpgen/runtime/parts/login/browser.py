"""Log in with a browser that comes back to this machine: authorization code with PKCE (RFC 8252,
RFC 7636).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from yarl import URL

from ...client.oauth import OAuthClient, TokenRefused, TokenResponse, ask, error_text, grant_of
from ...client.request import Post
from ...results import visible
from ...secrets import Redactor
from .endpoints import Endpoints, safe_url, same_origin

HOST = "127.0.0.1"
PATH = "/callback"
SECONDS = 300.0
"""Seconds that a person may take to log in."""
MOST_HEAD = 16 * 1024

Show = Callable[[str], None]
"""Brings an address before the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRequest:
    """One login: `state` identifies its answer, `verifier` proves that it is ours (PKCE)."""

    client: OAuthClient
    endpoints: Endpoints
    state: str
    verifier: str
    redirect_uri: str

    def address(self) -> str:
        """Return the URL for the person's login (RFC 6749 section 4.1.1). Raises Refused."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self.client.id,
            "redirect_uri": self.redirect_uri,
            "state": self.state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        if self.endpoints.scopes:
            query["scope"] = " ".join(self.endpoints.scopes)
        parts = urlsplit(safe_url(self.endpoints.authorization_url, "the authorization endpoint"))
        joined = "&".join(filter(None, [parts.query, urlencode(query)]))
        return urlunsplit(parts._replace(query=joined, fragment=""))

    def is_answer(self, fields: dict[str, str]) -> bool:
        """Return whether a request to this machine (its query) answers this attempt by its `state`,
        and was not planted.
        """
        return hmac.compare_digest(fields.get("state", "").encode(), self.state.encode())

    def code(self, fields: dict[str, str]) -> str:
        """Return the code of an answer. Raises TokenRefused without one (RFC 9207 section 2.4)."""
        self._check_issuer(fields.get("iss", ""))
        if "error" in fields:
            reason = visible(fields.get("error_description") or fields["error"])[:300]
            raise TokenRefused(f"the provider refused the login: {reason}")
        if not fields.get("code"):
            raise TokenRefused("the provider's answer holds no code")
        return fields["code"]

    def _check_issuer(self, issuer: str) -> None:
        if not issuer and not self.endpoints.names_itself:
            return
        if self.endpoints.issuer:
            is_expected = issuer == self.endpoints.issuer
        else:
            is_expected = same_origin(issuer, self.endpoints.authorization_url)
        if not is_expected:
            raise TokenRefused("the answer comes from another provider than the one asked")


async def log_in(
    endpoints: Endpoints, client: OAuthClient, post: Post, redactor: Redactor, show: Show, port: int
) -> TokenResponse:
    """Show the provider's page, wait for its answer on this machine, and return the tokens.

    `port` is where the answer is awaited, 0 for any. Raises ApiError, also after `SECONDS` without
    an answer, and OSError for a port that is taken.
    """
    own_socket = socket.create_server((HOST, port))
    attempt = AuthorizationRequest(
        client=client,
        endpoints=endpoints,
        state=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(48),
        redirect_uri=f"http://{HOST}:{own_socket.getsockname()[1]}{PATH}",
    )
    answers: asyncio.Queue[dict[str, str]] = asyncio.Queue()

    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fields = await _query(reader)
        is_answer = attempt.is_answer(fields)
        await _respond(writer, is_answer)
        if is_answer:
            answers.put_nowait(fields)

    async with await asyncio.start_server(receive, sock=own_socket, limit=MOST_HEAD):
        show(attempt.address())
        try:
            fields = await asyncio.wait_for(answers.get(), SECONDS)
        except TimeoutError:
            raise TokenRefused(f"nobody logged in within {SECONDS / 60:.0f} minutes") from None
    return await _exchange(attempt, attempt.code(fields), post, redactor)


async def _exchange(
    attempt: AuthorizationRequest, code: str, post: Post, redactor: Redactor
) -> TokenResponse:
    """Return the tokens for a code (RFC 6749 section 4.1.3). Raises ApiError if there are none."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": attempt.redirect_uri,
        "code_verifier": attempt.verifier,
    }
    url = URL(safe_url(attempt.endpoints.token_url, "the token endpoint"))
    answer = await ask(post, url, form, attempt.client, redactor)
    grant = grant_of(answer)
    if grant is None:
        fact = f"answered {answer.status}{error_text(answer)}"
        raise TokenRefused(f"the token endpoint {fact} and gave no access token")
    return grant


async def _query(reader: asyncio.StreamReader) -> dict[str, str]:
    """Return the query of a GET of the redirect's path; empty for any other request."""
    try:
        line = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        method, _, rest = line.decode("latin-1").partition(" ")
        target = urlsplit(rest.partition(" ")[0])
    except (OSError, EOFError, TimeoutError, ValueError, asyncio.LimitOverrunError):
        return {}
    if (method, target.path) != ("GET", PATH):
        return {}
    return {name: values[0] for name, values in parse_qs(target.query).items()}


async def _respond(writer: asyncio.StreamWriter, is_answer: bool) -> None:
    """Answer the browser with a page and close: 200 for the awaited answer, 404 for any other."""
    status, text = "404 Not Found", "This is not the answer that is awaited here."
    if is_answer:
        status, text = "200 OK", "This window can be closed; the terminal says how it went."
    body = f"<!doctype html><title>Login</title><p>{text}".encode()
    head = [
        f"HTTP/1.1 {status}",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Referrer-Policy: no-referrer",
        "Connection: close",
    ]
    try:
        writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await writer.drain()
        writer.close()
    except OSError:
        return
