"""Part `oauth`: callers with tokens, JWTs (RFC 9068) or opaque by introspection (RFC 7662)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...package import StartError
from ...secrets import Secret
from ...settings import Reader, Settings, variable
from .. import Part
from ..http import HttpSettings

if TYPE_CHECKING:
    from .callers import Callers
    from .tokens import ProtectedResource


@dataclass(frozen=True, slots=True)
class OAuthSettings:
    """Issuers of tokens, and the scopes that calls need. Without a URL for introspection all tokens
    are JWTs.
    """

    http_issuer: tuple[str, ...] = variable((), "names", "http")
    http_authorization_servers: tuple[str, ...] = variable((), "names", "http")
    http_audience: tuple[str, ...] = variable((), "names", "http")
    http_resource: str = variable("", "text", "http")
    http_jwks_url: tuple[str, ...] = variable((), "names", "http")
    http_scopes: frozenset[str] = variable(frozenset(), "scopes", "http")
    http_offered_scopes: tuple[str, ...] = variable((), "names", "http")
    """Items such as `books:write`, or `read=api://app/read` where the authorization server has
    another name for what a token then holds.
    """
    http_write_scopes: frozenset[str] = variable(frozenset(), "scopes", "http")
    http_tool_scopes: tuple[str, ...] = variable((), "names", "http")
    """Items such as `delete_book=books:admin`."""
    introspection_url: str = variable("", "text", "http")
    introspection_client_id: str = variable("", "text", "http")
    introspection_client_secret: Secret | None = variable(None, "secret", "http")


def _check(own: OAuthSettings, reader: Reader) -> None:
    if not (own.introspection_url and reader.http):
        return
    for name in ("HTTP_ISSUER", "HTTP_AUDIENCE", "INTROSPECTION_CLIENT_ID"):
        if not reader.value(name):
            reader.refuse(name, f"is not set, and `{reader.prefix}_INTROSPECTION_URL` needs it")
    if own.introspection_client_secret is None:
        reader.refuse("INTROSPECTION_CLIENT_SECRET", "is not set, and the endpoint asks for it")
    if len(own.http_jwks_url) > len(own.http_issuer):
        reader.refuse("HTTP_JWKS_URL", f"has more URLs than `{reader.prefix}_HTTP_ISSUER`")


def _authority(app: Any, settings: Settings) -> Callers | None:
    """Return the authority for callers with tokens; None if not configured. Raises StartError."""
    own = settings.part(OAuthSettings)
    oauth = (own.http_issuer, own.http_audience, own.http_jwks_url)
    if not any(oauth):
        return None
    from .callers import Callers, Scopes
    from .tokens import InsecureURL

    variables = ("HTTP_ISSUER", "HTTP_AUDIENCE", "HTTP_JWKS_URL")
    names = ", ".join(f"`{settings.variable(variable)}`" for variable in variables)
    http = settings.part(HttpSettings)
    if http.http_token or http.http_other_token:
        raise StartError(f"set either `{settings.variable('HTTP_TOKEN')}` or {names}, not both")
    if not (all(oauth) or own.introspection_url):
        raise StartError(f"OAuth needs {names} together")
    if len(own.http_issuer) != len(own.http_jwks_url) and not own.introspection_url:
        raise StartError(
            f"`{settings.variable('HTTP_JWKS_URL')}` needs a URL for each of"
            f" `{settings.variable('HTTP_ISSUER')}`"
        )
    scopes = Scopes(app.catalog, own.http_write_scopes, own.http_tool_scopes)
    try:
        return Callers(_tokens(own, settings), scopes)
    except InsecureURL as error:
        about = _URLS.get(error.variable, "")
        raise StartError(f"`{settings.variable(error.variable)}`{about}: {error}") from error


_URLS = {
    "HTTP_RESOURCE": ", the URL of this server and by default the first audience",
    "HTTP_AUTHORIZATION_SERVERS": ", what clients are told and by default the issuers",
}
"""Variable -> description of its URL, for messages; the URL may come from another variable."""


def _tokens(own: OAuthSettings, settings: Settings) -> ProtectedResource:
    """Return the check of tokens: by keys, by introspection or both. Raises InsecureURL."""
    from .tokens import Issuer

    about: dict[str, Any] = {
        "audiences": own.http_audience,
        "resource": own.http_resource or own.http_audience[0],
        "scopes": own.http_scopes,
        "offered": own.http_offered_scopes,
        "ca_file": settings.ca_file,
        "authorization_servers": own.http_authorization_servers,
    }
    keys_urls = dict(zip(own.http_issuer, own.http_jwks_url, strict=False))
    secret = own.introspection_client_secret
    if not own.introspection_url or secret is None:
        return Issuer(keys_urls, **about)
    from .introspection import EitherKind, Introspection

    issuers = own.http_issuer[len(keys_urls) :] or own.http_issuer
    login = (own.introspection_client_id, secret.reveal())
    opaque = Introspection(issuers, own.introspection_url, *login, **about)
    if not keys_urls:
        return opaque
    return EitherKind(Issuer(keys_urls, **about), opaque, **about)


PART = Part(settings=OAuthSettings, reads=("CA_FILE",), check=_check, authority=_authority)
