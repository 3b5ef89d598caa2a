"""Endpoints and client of a login, from the facts and the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...secrets import Secret
from ...settings import Reader


@dataclass(frozen=True, slots=True)
class Login:
    """Endpoints at which a person logs in for an OAuth credential (the command `login`).

    Absent endpoints are empty; `metadata_url` is a document that names them. `variables` are those
    of the client's id and secret, `client` their values.
    """

    authorization_url: str
    device_url: str
    token_url: str
    metadata_url: str
    scopes: tuple[str, ...]
    variables: tuple[str, ...]
    client: tuple[Secret | None, ...]


def login_of(reader: Reader, facts: Mapping[str, Any], token_url: str) -> Login:
    """Return the login of `facts` with its client's values; `token_url` goes before its own."""
    variables = tuple(facts["variables"])
    names = [variable.removeprefix(f"{reader.prefix}_") for variable in variables]
    return Login(
        authorization_url=facts.get("authorization_url", ""),
        device_url=facts.get("device_url", ""),
        token_url=token_url or facts.get("token_url", ""),
        metadata_url=facts.get("metadata_url", ""),
        scopes=tuple(facts.get("scopes", ())),
        variables=variables,
        client=tuple(reader.secret(name) for name in names),
    )
