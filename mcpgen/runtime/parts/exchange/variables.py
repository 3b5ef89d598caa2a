"""The variables of the part."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...secrets import Secret
from ...settings import variable


@dataclass(frozen=True, slots=True)
class ExchangeSettings:
    """The variables of token exchange; without its URL the API is called as the operator."""

    # fmt: off
    exchange_url: str = field(default="", metadata=variable(
        "text", "api", "Token endpoint where each caller's token is exchanged for one of the API "
        "(RFC 8693)"))
    exchange_client_id: str = field(default="", metadata=variable(
        "text", "api", "This server's client id at that endpoint"))
    exchange_client_secret: Secret | None = field(default=None, metadata=variable(
        "secret", "api", "The secret that belongs to it (secret)"))
    exchange_audience: str = field(default="", metadata=variable(
        "text", "api", "Audience of the tokens it issues"))
    exchange_scopes: frozenset[str] = field(default=frozenset(), metadata=variable(
        "scopes", "api", "Scopes of the tokens it issues"))
    # fmt: on
