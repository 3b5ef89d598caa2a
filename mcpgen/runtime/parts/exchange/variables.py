"""The variables of the part."""

from __future__ import annotations

from dataclasses import dataclass

from ...secrets import Secret
from ...settings import variable


@dataclass(frozen=True, slots=True)
class ExchangeSettings:
    """The variables of token exchange; without its URL the API is called as the operator."""

    exchange_url: str = variable("", "text", "api")
    exchange_client_id: str = variable("", "text", "api")
    exchange_client_secret: Secret | None = variable(None, "secret", "api")
    exchange_audience: str = variable("", "text", "api")
    exchange_scopes: frozenset[str] = variable(frozenset(), "scopes", "api")
