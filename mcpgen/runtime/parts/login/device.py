"""Log in on another device: a short code to type into a page there (RFC 8628)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from yarl import URL

from ...client import ApiError, Refused
from ...client.oauth import (
    OAuthClient,
    TokenRefused,
    TokenResponse,
    ask,
    error_of,
    error_text,
    grant_of,
    lifetime,
)
from ...client.request import Post
from ...results import visible
from ...results.answer import Answer
from ...secrets import Redactor
from .endpoints import Endpoints, safe_url

GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
LONGEST = 1_800.0
"""Seconds that a code is waited for, whatever the provider says."""

Tell = Callable[[str, str, str], None]
"""Shows a page, the code to type there, and a page that holds the code already (may be empty)."""


async def log_in(
    endpoints: Endpoints, client: OAuthClient, post: Post, redactor: Redactor, tell: Tell
) -> TokenResponse:
    """Show a code; return the tokens once the person has confirmed it. Raises ApiError."""
    form = {"client_id": client.id}
    if endpoints.scopes:
        form["scope"] = " ".join(endpoints.scopes)
    url = URL(safe_url(endpoints.device_url, "the device authorization endpoint"))
    data = _codes(await ask(post, url, form, client, redactor))
    redactor.add(data["device_code"])
    page = safe_url(visible(data["verification_uri"]), "the page to log in")
    complete = data.get("verification_uri_complete")
    tell(page, visible(data["user_code"])[:100], _safe_or_empty(complete))
    interval = lifetime(data.get("interval")) or 5.0
    until = time.monotonic() + min(lifetime(data.get("expires_in")) or LONGEST, LONGEST)
    return await _poll(endpoints, client, post, redactor, data["device_code"], interval, until)


def _codes(answer: Answer[Any]) -> dict[str, Any]:
    """Return an answer's data with the codes (RFC 8628 section 3.2). Raises TokenRefused."""
    data = answer.data
    names = ("device_code", "user_code", "verification_uri")
    if answer.status == 200 and isinstance(data, dict):
        data.setdefault("verification_uri", data.get("verification_url"))  # before the RFC
        if all(isinstance(data.get(name), str) for name in names):
            return data
    raise TokenRefused(
        f"the device authorization endpoint answered {answer.status}{error_text(answer)} and gave"
        " no code"
    )


def _safe_or_empty(url: Any) -> str:
    try:
        return safe_url(visible(str(url)), "the page")
    except Refused:
        return ""


async def _poll(
    endpoints: Endpoints,
    client: OAuthClient,
    post: Post,
    redactor: Redactor,
    device_code: str,
    interval: float,
    until: float,
) -> TokenResponse:
    """Poll for the tokens (RFC 8628 sections 3.4 and 3.5). Raises TokenRefused after `until`."""
    form = {"grant_type": GRANT_TYPE, "device_code": device_code}
    url = URL(safe_url(endpoints.token_url, "the token endpoint"))
    while time.monotonic() + interval < until:
        await asyncio.sleep(interval)
        try:
            answer = await ask(post, url, form, client, redactor)
        except Refused:
            raise
        except ApiError:  # the network: ask less often
            interval *= 2
            continue
        grant = grant_of(answer)
        if grant is not None:
            return grant
        error = error_of(answer)
        if error == "slow_down":
            interval += 5
        elif error != "authorization_pending":
            raise TokenRefused(f"the provider refused the login{error_text(answer)}")
    raise TokenRefused("the code has expired; run the command again for another one")
