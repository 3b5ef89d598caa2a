"""Endpoints of a person's login, from a security scheme (OpenAPI 3.2 §4.29, §4.30)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..ir import Auth, Login
from ..load.values import as_object, as_text, first_text

_URL = re.compile(r"https?://[!-.0-~][!-~]*")
_NAMES = r"`?[\w:.*/-]+`?(?:,? (?:(?:or|and) )?`?[\w*/-]*[:.][\w:.*/-]+`?)*"
SCOPE = re.compile(
    rf"(?:\w+ ){{0,2}}(?:requires?d?|oauth2?) scopes?: ?{_NAMES}$|scopes: ?{_NAMES}$"
    r"|\w+ required scopes?(?: \w+ \w+:\w+(?:, \w+:\w+)*)+$|(?:if [^,]{1,60}, )?"
    r"(?:oauth|you must (?:authenticate|use)) .{1,200}\btokens?\b.{1,200}\bscopes?\b",
    re.I,
)
"""Sentence of an operation about a credential, the operator's: `Required scope: books:read`."""


def login_of(scheme: Mapping[str, Any], variables: tuple[str, str]) -> Login | None:
    """The login of an `oauth2` or `openIdConnect` scheme, None where there is none.

    `variables` are those of the client's id and secret. A flow without a token endpoint counts
    only where the scheme names a document that has it.
    """
    flows = as_object(scheme.get("flows"))
    browser = as_object(flows.get("authorizationCode"))
    device = as_object(flows.get("deviceAuthorization"))
    metadata = first_text(scheme.get("openIdConnectUrl"), scheme.get("oauth2MetadataUrl"))
    login = Login(
        authorization_url=absolute_url(browser.get("authorizationUrl")),
        device_url=absolute_url(device.get("deviceAuthorizationUrl")),
        token_url=first_text(*(absolute_url(flow.get("tokenUrl")) for flow in (browser, device))),
        metadata_url=absolute_url(metadata),
        scopes=tuple(dict.fromkeys([*scopes_of(browser), *scopes_of(device)])),
        variables=variables,
    )
    if login.metadata_url:
        return login
    if not login.token_url:
        return None
    if first_text(login.authorization_url, login.device_url):
        return login
    return None


def with_scopes(auth: Auth, scopes: tuple[str, ...]) -> Auth:
    """A credential whose login asks for these scopes, or without any for those of its flow."""
    if auth.login is None:
        return auth
    if not scopes:
        return auth
    return replace(auth, login=replace(auth.login, scopes=scopes))


def scopes_of(flow: Mapping[str, Any]) -> tuple[str, ...]:
    """The scopes that a flow offers."""
    return tuple(name for name in as_object(flow.get("scopes")) if isinstance(name, str))


def absolute_url(value: Any) -> str:
    """A value where it is an http or https URL in ASCII, else nothing."""
    text = as_text(value).strip()
    if _URL.fullmatch(text):
        return text
    return ""
