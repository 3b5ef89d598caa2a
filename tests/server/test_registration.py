"""A registration proxy: it registers clients for an authorization server that does not."""

from __future__ import annotations

import asyncio
import http.client
import json
from contextlib import closing
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from served import Start

from tests.issuer import Issuer, Memory
from tests.loopback import JSON, Asked, Loopback, free_port

CALLBACK = "http://127.0.0.1:33333/callback"
ABOUT = OAuthClientMetadata(
    redirect_uris=[CALLBACK], token_endpoint_auth_method="none", application_type="native"
)


class Proxy(Loopback):
    """A proxy that registers clients, and hands out the tokens of an authorization server."""

    def __init__(self, issuer: Issuer, audience: str) -> None:
        self.issuer, self.audience = issuer, audience
        self.asked: list[str] = []
        super().__init__(self.answered)

    def answered(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Answer as the authorization server that clients are told."""
        place = urlsplit(asked.target)
        self.asked.append(place.path)
        if place.path == "/authorize":
            [state] = parse_qs(place.query)["state"]
            query = urlencode({"code": "once", "state": state})
            return 302, {"Location": f"{CALLBACK}?{query}"}, b""
        said: Any = {
            "/.well-known/oauth-authorization-server": {
                "issuer": self.url, "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                **{f"{name}_endpoint": f"{self.url}/{path}" for name, path in {
                    "authorization": "authorize", "token": "token", "registration": "register",
                }.items()},
            },
            "/register": {**ABOUT.model_dump(mode="json", exclude_none=True), "client_id": "desk"},
            "/token": {
                "access_token": self.issuer.token(aud=self.audience, azp="desk"),
                "token_type": "Bearer", "expires_in": 300, "scope": "books:read",
            },
        }.get(place.path)  # fmt: skip
        return 200 if said else 404, JSON, json.dumps(said).encode()


def test_a_client_registers_at_the_proxy_and_calls_with_a_token_of_the_issuer(
    start: Start, issuer: Issuer
) -> None:
    port = free_port()
    audience = f"http://127.0.0.1:{port}/mcp"
    with closing(Proxy(issuer, audience)) as proxy:
        server = start(
            "--port", str(port), HTTP_ISSUER=issuer.url, HTTP_AUDIENCE=audience,
            HTTP_JWKS_URL=f"{issuer.url}/keys", HTTP_AUTHORIZATION_SERVERS=proxy.url,
        )  # fmt: skip
        described = json.loads(server.get("/.well-known/oauth-protected-resource/mcp")[2])
        assert described["authorization_servers"] == [proxy.url]
        ends: list[dict[str, str]] = []

        async def show(url: str) -> None:
            connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
            connection.request("GET", url.removeprefix(proxy.url))
            end = connection.getresponse().headers["location"]
            ends.append(dict(parse_qsl(urlsplit(end).query)))

        async def code() -> AuthorizationCodeResult:
            return AuthorizationCodeResult(**ends[-1])

        async def use() -> bool:
            auth = OAuthClientProvider(server.url, ABOUT, Memory(), show, code)
            web = httpx2.AsyncClient(auth=auth, timeout=30)
            async with web, Client(streamable_http_client(server.url, http_client=web)) as client:
                result = await client.call_tool("get_book", {"book_id": "1"})
                return not result.is_error

        assert asyncio.run(use())
        assert [*dict.fromkeys(proxy.asked)][-3:] == ["/register", "/authorize", "/token"]
        # What the proxy signs itself is no token of the issuer
        for bad in (issuer.token(iss=proxy.url, aud=audience), issuer.token()):
            assert server.bearer(bad)[0] == 401
