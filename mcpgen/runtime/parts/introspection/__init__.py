"""Opaque tokens of callers: the authorization server says what each is good for (RFC 7662)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...part import Part
from ...secrets import Secret
from ...settings import Reader, Settings, variable


@dataclass(frozen=True, slots=True)
class IntrospectionSettings:
    """The endpoint, and this server's own credentials there; without a URL tokens are JWTs."""

    introspection_url: str = variable("", "text", "http")
    introspection_client_id: str = variable("", "text", "http")
    introspection_client_secret: Secret | None = variable(None, "secret", "http")


def _check(own: IntrospectionSettings, reader: Reader) -> None:
    if not (own.introspection_url and reader.http):
        return
    for name in ("HTTP_ISSUER", "HTTP_AUDIENCE", "INTROSPECTION_CLIENT_ID"):
        if not reader.value(name):
            reader.refuse(name, f"is not set, and `{reader.prefix}_INTROSPECTION_URL` needs it")
    if own.introspection_client_secret is None:
        reader.refuse("INTROSPECTION_CLIENT_SECRET", "is not set, and the endpoint asks for it")
    if len(reader.items("HTTP_JWKS_URL")) > len(reader.items("HTTP_ISSUER")):
        reader.refuse("HTTP_JWKS_URL", f"has more URLs than `{reader.prefix}_HTTP_ISSUER`")


def _authority(settings: Settings, about: Mapping[str, Any]) -> Any:
    own = settings.part(IntrospectionSettings)
    secret = own.introspection_client_secret
    if not own.introspection_url or secret is None:
        return None
    from ...transports.tokens import Issuer
    from .tokens import EitherKind, Introspection

    login = (own.introspection_client_id, secret.reveal())
    keys_urls = dict(zip(settings.http_issuer, settings.http_jwks_url, strict=False))
    issuers = settings.http_issuer[len(keys_urls) :] or settings.http_issuer
    opaque = Introspection(issuers, own.introspection_url, *login, **about)
    if not keys_urls:
        return opaque
    return EitherKind(Issuer(keys_urls, **about), opaque, **about)


PART = Part(settings=IntrospectionSettings, check=_check, authority=_authority)
