"""Variables of the part `exchange`."""

from __future__ import annotations

from dataclasses import dataclass

from ...secrets import Secret
from ...settings import variable

ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
GRANTS = {
    "token-exchange": (
        "subject_token",
        {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token_type": ACCESS_TOKEN,
            "requested_token_type": ACCESS_TOKEN,
        },
    ),
    "on-behalf-of": (
        "assertion",
        {
            "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "requested_token_use": "on_behalf_of",
        },
    ),
}
"""Way to ask for a token -> the field of the caller's token, and the other fields: RFC 8693 section
2.1, and RFC 7523 section 2.1 as Microsoft Entra extends it ("on-behalf-of flow").
"""


@dataclass(frozen=True, slots=True)
class ExchangeSettings:
    """Variables of token exchange; without its URL the API is called as the operator."""

    exchange_url: str = variable("", "text", "api")
    exchange_grant: str = variable("token-exchange", "text", "api")
    exchange_client_id: str = variable("", "text", "api")
    exchange_client_secret: Secret | None = variable(None, "secret", "api")
    exchange_audience: str = variable("", "text", "api")
    exchange_scopes: frozenset[str] = variable(frozenset(), "scopes", "api")
