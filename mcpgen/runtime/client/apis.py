"""Settings of a server that calls several APIs: each has its own address and credentials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ..facts import origin_of
from ..settings import NUMBERS, settings_of
from .settings import SETTINGS, ApiReader, ApiSettings

OF_EACH_API = (
    *("TIMEOUT", "CONNECT_TIMEOUT", "RETRIES", "MAX_CONCURRENCY", "MAX_WAITING", "RATE_LIMIT"),
    *("BREAKER_FAILURES", "BREAKER_SECONDS", "CLIENT_CERT", "CLIENT_KEY", "ALLOW_PRIVATE"),
    *("EXCHANGE_AUDIENCE", "EXCHANGE_SCOPES"),
)
"""Settings that a further API can have values of its own for, as in `BILLING_TIMEOUT`."""
ADDRESSES = ("BASE_URL", "TOKEN_URL", "ALLOW_ORIGINS")
"""Settings each API has separately: its credentials never go to another API's addresses."""
INHERITED = (*NUMBERS, "flag")
"""Kinds of settings that a further API has from the first unless it has its own."""
_BY_NAME = {setting.name: setting for setting in SETTINGS}


def variables_of(api: str) -> set[str]:
    """Return the names of a further API's own settings without the prefix (`BILLING_TIMEOUT`)."""
    return {f"{api.upper()}_{name}" for name in (*ADDRESSES, *OF_EACH_API)}


def is_near(base_url: str, other: str) -> bool:
    """Return whether two base URLs are on one origin; true if either is empty."""
    return not all([base_url, other]) or origin_of(base_url) == origin_of(other)


def beside(facts: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of an API on the base URL of `host` with another path: beside
    `https://example.com/v1/orders` it is `https://example.com/v1/books`; empty if `host` has none.
    """
    shares, base_url = facts["shares"], str(host["base_url"]).rstrip("/")
    start = base_url.removesuffix(shares["from"])
    if all([start == base_url, shares["from"]]):
        start = "/".join(base_url.split("/")[:3])
    return {
        **facts,
        "base_url": start + shares["to"] if base_url else "",
        "base_url_configured": any([host["base_url_given"], host["base_url_configured"]]),
        "calls_api": bool(base_url),
    }


class ApisReader(ApiReader):
    """One reading of the environment for a server that calls several APIs."""

    def read(self) -> ApiSettings:
        """Return the settings, with those of further APIs in `apis`. Raises SettingsError."""
        first = self.first()
        apis = {each["api"]: self.api(first, each) for each in self.further(first)}
        self.raise_problems()
        return replace(first, apis=MappingProxyType(apis), notes=tuple(self.notes))

    def token_urls(self, first: str) -> dict[str, str]:
        """Return API -> the operator's token endpoint, empty if not set; `first` is for `""`."""
        self._token_urls = {api: self.own("TOKEN_URL", api) for api in self.facts["apis"]}
        return {"": first, **self._token_urls}

    def further(self, first: ApiSettings) -> list[dict[str, Any]]:
        """Return the fields of `address` for each further API, hosts before APIs that share one."""
        facts = self.facts["apis"]
        fields = ("base_url", "base_url_given", "base_url_configured", "trusted_origins")
        addresses = {"": {name: getattr(first, name) for name in fields}}
        for api in sorted(facts, key=lambda api: "shares" in facts[api]):
            own, shares = facts[api], facts[api].get("shares")
            allowed = self.own("ALLOW_ORIGINS", api)
            if shares is not None:
                own = beside(own, addresses[shares["api"]])
                allowed |= addresses[shares["api"]]["trusted_origins"]
            token_url = self._token_urls[api]
            addresses[api] = self.address(api, own, allowed, token_url, first.credentials)
            if shares is not None and not is_near(addresses[api]["base_url"], own["base_url"]):
                self.refuse(
                    f"{api.upper()}_BASE_URL",
                    "is on another origin than the API whose credentials it has: generate the"
                    f" server with `separate = true` under `[apis.{api}]`",
                )
        return list(addresses.values())[1:]

    def own(self, name: str, api: str) -> Any:
        """Return the value of a further API's own variable (`BILLING_TIMEOUT`), or the default."""
        return self.checked(replace(_BY_NAME[name], name=f"{api.upper()}_{name}"))

    def known(self) -> set[str]:
        """Return the full names of all variables that the server reads."""
        own = set().union(*map(variables_of, self.facts["apis"]))
        return super().known() | {f"{self.prefix}_{variable}" for variable in own}

    def api(self, settings: ApiSettings, address: Mapping[str, Any]) -> ApiSettings:
        """Return the settings of a further API: the first API's with its own `address` and limits,
        without forwarded headers, and without tokens of callers unless values for them are set.
        """
        name = address["api"]
        own: dict[Any, Any] = {}
        for kind in [part.settings for part in self.parts if part.caller_tokens]:
            first = settings.part_settings[kind]
            values = self.own_values(first, name)
            if any(values.values()):
                own[kind] = replace(first, **values)
        kept = [part for part in self.parts if part.settings in own or not part.caller_tokens]
        changes = {**address, "open_origins": settings.open_origins | address["open_origins"]}
        return replace(
            settings,
            own_variables=frozenset((*ADDRESSES, *OF_EACH_API)),
            forward_headers=(),
            parts=tuple(kept),
            part_settings=MappingProxyType({**settings.part_settings, **own}),
            **changes,
            **self.own_values(settings, name),
        )

    def own_values(self, first: Any, name: str) -> dict[str, Any]:
        """Return field -> value read for API `name`; numbers and flags default to `first`'s."""
        own: dict[str, Any] = {}
        for each in settings_of(first):
            if each.name not in OF_EACH_API:
                continue
            field, setting = each.name.lower(), replace(each, name=f"{name.upper()}_{each.name}")
            if each.kind in INHERITED:
                setting = replace(setting, default=getattr(first, field))
            own[field] = self.checked(setting)
        return own


READER = ApisReader
