"""Destinations of credentials and requests, in words."""

from __future__ import annotations

from ..ir import Auth, Server


def credential_goes(auth: Auth) -> str:
    """Return the place of a credential in a request, in words."""
    where = {"header": f"header `{auth.wire_name}`", "cookie": f"cookie `{auth.wire_name}`"}
    goes = where.get(auth.place, f"query `{auth.wire_name}`, which servers write into their logs")
    if auth.kind == "basic":
        return f"{goes}, user name and password"
    if auth.kind == "client_credentials":
        return f"{goes}, a token fetched from {auth.token_url or 'an address nobody named'}"
    if auth.kind == "mutual_tls":
        return "the TLS handshake, a client certificate"
    if auth.kind == "unsupported":
        return "not supported: give the server a way in `auth.py`"
    return goes


def other_origins(server: Server) -> dict[str, list[str]]:
    """Tools that go elsewhere than the base URL of their API, by base URL."""
    names: dict[str, list[str]] = {}
    called = [(tool.name, tool.request) for tool in server.tools if tool.request is not None]
    for name, request in called:
        if request.base_url not in (None, "", server.api(request.api).base_url):
            names.setdefault(str(request.base_url), []).append(name)
    return names
