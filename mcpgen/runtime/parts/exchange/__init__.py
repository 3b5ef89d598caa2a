"""Part `exchange`: call the API for each caller, by token exchange (RFC 8693) or on-behalf-of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...client.settings import ApiSettings
from ...facts import origin_of
from ...settings import Reader, Settings
from .. import Part
from .variables import GRANTS, ExchangeSettings

if TYPE_CHECKING:
    from ...client.oauth import CallerTokens


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
    if own.exchange_grant not in GRANTS:
        reader.refuse("EXCHANGE_GRANT", f"has to be {' or '.join(f'`{name}`' for name in GRANTS)}")
    needed = ["EXCHANGE_CLIENT_ID", "EXCHANGE_CLIENT_SECRET"]
    if reader.http:
        needed.append("HTTP_ISSUER")
    for name in needed:
        is_set = reader.value(name) or reader.value(f"{name}_FILE")
        if not is_set:
            reader.refuse(name, f"is not set, and `{reader.prefix}_EXCHANGE_URL` needs it")


def _tokens(settings: ApiSettings) -> CallerTokens | None:
    own = settings.part(ExchangeSettings)
    if not own.exchange_url:
        return None
    from .tokens import TokenExchange

    return TokenExchange(settings, own)


def _origins(settings: Settings) -> tuple[str, ...]:
    url = settings.part(ExchangeSettings).exchange_url
    return (url,) if url else ()


PART = Part(settings=ExchangeSettings, check=_check, caller_tokens=_tokens, origins=_origins)
