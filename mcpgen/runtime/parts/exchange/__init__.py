"""Token exchange: calls to the API on behalf of each caller (RFC 8693)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...facts.origin import origin_of
from ...part import CallerTokens, Part
from ...secrets import Secret
from ...settings import Reader, Settings, variable


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


def _check(own: ExchangeSettings, reader: Reader) -> None:
    if not own.exchange_url:
        return
    try:
        origin = origin_of(own.exchange_url)
    except ValueError as error:
        reader.refuse("EXCHANGE_URL", f"cannot be used: {error}")
        return
    if origin.is_open:
        reader.refuse("EXCHANGE_URL", "has to be an https URL: callers' tokens are sent there")
    needed = ["EXCHANGE_CLIENT_ID", "EXCHANGE_CLIENT_SECRET"]
    if reader.http:
        needed.append("HTTP_ISSUER")
    for name in needed:
        is_set = reader.value(name) or reader.value(f"{name}_FILE")
        if not is_set:
            reader.refuse(name, f"is not set, and `{reader.prefix}_EXCHANGE_URL` needs it")


def _tokens(settings: Settings) -> CallerTokens | None:
    own = settings.part(ExchangeSettings)
    if not own.exchange_url:
        return None
    from .tokens import TokenExchange

    return TokenExchange(settings, own)


def _origins(settings: Settings) -> tuple[str, ...]:
    url = settings.part(ExchangeSettings).exchange_url
    return (url,) if url else ()


PART = Part(settings=ExchangeSettings, check=_check, caller_tokens=_tokens, origins=_origins)
