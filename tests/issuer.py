"""An authorization server on this machine that publishes keys and signs tokens."""

from __future__ import annotations

import json
import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.loopback import JSON, Asked, Loopback

AUDIENCE = "http://127.0.0.1/mcp"


class Issuer(Loopback):
    """An authorization server: its keys at a URL, and tokens signed with them or with others."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.curve = ec.generate_private_key(ec.SECP256R1())
        self.fetched = 0
        curve = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.curve.public_key()))
        keys = [jwk(self.key, kid="one", alg="RS256"), {**curve, "kid": "two"}]
        self.keys = self.answer = json.dumps({"keys": keys}).encode()
        super().__init__(self.published)

    def published(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Give the keys to whoever asks."""
        self.fetched += 1
        return 200, JSON, self.answer

    def token(
        self, *, key: Any = None, kid: str | None = "one", algorithm: str = "RS256",
        headers: Any = None, **claims: Any,
    ) -> str:  # fmt: skip
        """A good token, but for what is given."""
        now = int(time.time())
        good = {
            "iss": self.url, "aud": AUDIENCE, "exp": now + 300, "sub": "me", "scope": "books:read",
            **claims,
        }  # fmt: skip
        good = {name: value for name, value in good.items() if value is not None}
        fields = {**({"kid": kid} if kid else {}), **(headers or {})}
        return jwt.encode(good, key or self.key, algorithm=algorithm, headers=fields)


def jwk(key: Any, **more: Any) -> dict[str, Any]:
    """A public key as an authorization server publishes it."""
    return {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), **more}


class Memory:
    """Where the official client keeps its tokens."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info
