"""Endpoints of a login: of the API's description, completed by the provider's metadata."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from yarl import URL

from ...client import Refused
from ...client.oauth import TokenRefused
from ...client.request import Outgoing
from ...facts import origin_of
from ...results import visible
from ...results.answer import Answer
from ...secrets import Redactor
from .settings import Login

_PRINTABLE = re.compile(r"[!-~]+")

Send = Callable[[Outgoing], Awaitable[Answer[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Endpoints and scopes of a login at a provider; the URL of an absent endpoint is empty.

    `issuer` is the issuer named in the browser's answer (RFC 9207), empty if unknown; with
    `names_itself` the answer must name it.
    """

    authorization_url: str
    device_url: str
    token_url: str
    scopes: tuple[str, ...]
    issuer: str = ""
    names_itself: bool = False


MEMBERS = {
    "authorization_url": "authorization_endpoint",
    "device_url": "device_authorization_endpoint",
    "token_url": "token_endpoint",
}
"""Field of `Endpoints` -> member of the provider's document."""


async def endpoints_of(login: Login, send: Send, redactor: Redactor) -> Endpoints:
    """Return the endpoints of a login. Raises ApiError if its `metadata_url` cannot be read."""
    known = Endpoints(
        authorization_url=login.authorization_url,
        device_url=login.device_url,
        token_url=login.token_url,
        scopes=login.scopes,
    )
    if not login.metadata_url:
        return known
    return _completed(known, await _metadata(login.metadata_url, send, redactor))


async def _metadata(url: str, send: Send, redactor: Redactor) -> dict[str, Any]:
    """Return the provider's metadata (OpenID Connect Discovery 1.0, RFC 8414). Raises ApiError."""
    address = URL(safe_url(url, "the provider's metadata"))
    answer = await send(
        Outgoing("GET", address, {"Accept": "application/json"}, {}, None, redactor)
    )
    if answer.status != 200 or not isinstance(answer.data, dict):
        raise TokenRefused(f"{url} answered {answer.status} and no metadata of a provider")
    issuer = _text(answer.data, "issuer")
    if issuer and not same_origin(issuer, url):  # RFC 8414 section 3.3
        raise TokenRefused(f"{url} is the metadata of another provider, {visible(issuer)[:200]}")
    return answer.data


def _completed(known: Endpoints, metadata: dict[str, Any]) -> Endpoints:
    """Return the endpoints, with empty URLs, issuer and usual scopes filled in from the
    metadata.
    """
    scopes = list(known.scopes)
    supported = metadata.get("scopes_supported")
    if isinstance(supported, list):
        # OpenID Connect Core 1.0 sections 3.1.2.1 and 11
        usual = [scope for scope in ("openid", "offline_access") if scope in supported]
        scopes = list(dict.fromkeys([*usual, *scopes]))
    absent = {field: name for field, name in MEMBERS.items() if not getattr(known, field)}
    return replace(
        known,
        scopes=tuple(scopes),
        issuer=_text(metadata, "issuer"),
        names_itself=metadata.get("authorization_response_iss_parameter_supported") is True,
        **{field: _text(metadata, name) for field, name in absent.items()},
    )


def _text(metadata: dict[str, Any], name: str) -> str:
    value = metadata.get(name)
    if isinstance(value, str):
        return value
    return ""


def same_origin(first: str, second: str) -> bool:
    """Return whether two URLs have the same scheme, host and port; false for an invalid URL."""
    try:
        return origin_of(first) == origin_of(second)
    except ValueError:
        return False


def safe_url(url: str, name: str) -> str:
    """Return the URL unchanged. Raises Refused unless it is https, or on this machine."""
    if not _PRINTABLE.fullmatch(url):
        raise Refused(f"{name} is not known, or no URL")
    try:
        origin = origin_of(url)
    except ValueError:
        raise Refused(f"{name} is not known, or no URL") from None
    if origin.is_open:
        raise Refused(f"{name} is at {origin}, which is not https")
    return url
