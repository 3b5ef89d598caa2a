"""Select an operation's credentials and add them to the request after everything else.

Credentials come from the environment. They go to the API's own origin, or to one that the operator
trusts, and never elsewhere. They replace whatever an argument set in their place.
"""

from __future__ import annotations

import base64
from importlib import import_module
from typing import Any

from ..secrets import Secret, caller_now
from . import MissingCredential
from .request import Outgoing, Post
from .settings import ApiSettings, Credential

Security = tuple[tuple[str, ...], ...]

BEARERS = ("bearer", "client_credentials")
"""Kinds of credentials that a token on behalf of the caller replaces."""


class Credentials:
    """Configured credentials of one API; `provided` names those that `auth.py` adds."""

    def __init__(self, settings: ApiSettings, provided: frozenset[str]) -> None:
        self._settings = settings
        self._own = settings.own_credentials
        self._provided = provided
        self.forwarding: Any = None
        """Header fields of callers; None on a server that forwards none."""
        if settings.forward_headers:
            # Only servers that forward header fields have this module
            forwarded = import_module(".forwarded", __package__)
            self.forwarding = forwarded.Forwarding(settings)

    @property
    def are_per_caller(self) -> bool:
        """Whether each caller has credentials of its own."""
        return self.forwarding is not None

    def key_of_caller(self) -> tuple[Any, ...]:
        """Return the key of the running call's caller: the digest of its forwarded header fields,
        else issuer and subject; empty without a caller, as on stdio.
        """
        if self.forwarding is not None and self.forwarding.key:
            return (self.forwarding.key,)
        caller = caller_now.get()
        return () if caller is None else (caller.issuer, caller.subject)

    async def select(self, security: Security | None, *, writes: bool) -> tuple[Credential, ...]:
        """Return the credentials of the first complete alternative (OpenAPI 3.1 section 4.8.30),
        without those that `auth.py` or the caller provides. None means the API's alternatives.

        An alternative with a caller's credential comes first, an empty one (no credentials) last;
        no alternatives give `()`. If the request `writes`, credentials for writing are preferred.
        Raises MissingCredential naming the variables of every alternative.
        """
        given: frozenset[str] = frozenset()
        if self.forwarding is not None:
            given = self.forwarding.credentials(self._own)
        # What the caller brings comes first: the operator's own must not stand in for it
        alternatives = sorted(self._alternatives(security) or ((),), key=given.isdisjoint)
        for names in alternatives:
            found = {name: self._credential(name, writes) for name in names if name not in given}
            there = {name: one for name, one in found.items() if one if self._is_there(name, one)}
            # `auth.py` may provide the others
            if names and self._provided.union(there, given).issuperset(names):
                return tuple(there.values())
        if () in alternatives:
            return ()
        raise self._missing(tuple(alternatives))

    async def add(self, credential: Credential, request: Outgoing, post: Post) -> None:
        """Add an API key, Basic or bearer credential to a request; `post` is for subclasses."""
        if credential.kind == "api_key":
            _add_api_key(request, credential)
        elif credential.kind == "basic":
            request.set_header("Authorization", f"Basic {request.conceal(_basic(credential))}")
        elif credential.kind == "bearer":
            token = bare_token(credential, 0)
            request.set_header("Authorization", f"{credential.scheme} {token}")

    def renew(self, refused: dict[str, Secret]) -> bool:
        """Return False: there are no access tokens to forget."""
        return False

    def variables(self, security: Security | None, *, writes: bool = False) -> tuple[str, ...]:
        """Return the environment variables of every alternative, set or not, once each."""
        variables: dict[str, None] = {}
        for names in self._alternatives(security):
            for name in names:
                credential = self._credential(name, writes)
                if credential is not None:
                    variables |= dict.fromkeys(credential.variables)
        return tuple(variables)

    def _alternatives(self, security: Security | None) -> Security:
        """Return an operation's alternatives; for None, those of the whole API."""
        return self._settings.security if security is None else security

    def _credential(self, name: str, writes: bool) -> Credential | None:
        """Return the credential of a name, None if unknown; for a request that writes, the
        operator's credential for writing, if set.
        """
        credential = self._own.get(name)
        if credential is None:
            return None
        return credential.when_writing if writes else credential

    def _is_there(self, name: str, credential: Credential | None) -> bool:
        """Return whether a credential is set; false for None."""
        return credential is not None and credential.present

    def _missing(self, alternatives: Security) -> MissingCredential:
        unset = [self._unset_variables(names) for names in alternatives]
        ways = [" and ".join(f"`{name}`" for name in variables) for variables in unset if variables]
        if not ways:
            return MissingCredential(
                "nothing was sent: the operation needs a kind of credential that this server cannot"
                " make by itself (its owner can add it in `auth.py`)"
            )
        text = (
            "nothing was sent: the operation needs a credential that the environment does not hold"
            f" ({', or '.join(ways)}); only the operator of this server can set it"
        )
        text += self._way_to_log_in(alternatives)
        if self._settings.unread:
            set_ones = ", ".join(f"`{name}`" for name in self._settings.unread[:3])
            text += f"; set, but not read by it: {set_ones}"
        return MissingCredential(text, self.variables(alternatives))

    def _way_to_log_in(self, alternatives: Security) -> str:
        """Return an empty text. `TokenCredentials` names the command of a login."""
        return ""

    def _unset_variables(self, names: tuple[str, ...]) -> list[str]:
        """Return the variables to set to complete an alternative; none if they cannot."""
        variables: list[str] = []
        for name in names:
            credential = self._own.get(name)
            if name in self._provided:
                continue
            if credential is None:
                return []
            if credential.kind == "unsupported":
                return []
            if not credential.present:
                variables += _variables_without_value(credential)
        return variables


def _variables_without_value(credential: Credential) -> list[str]:
    """Return the unset variables of a credential, but not that of a ready access token."""
    optional = "_TOKEN" if credential.kind == "client_credentials" else " "
    pairs = zip(credential.variables, credential.values, strict=True)
    return [name for name, value in pairs if not value if not name.endswith(optional)]


def _reveal(credential: Credential, index: int) -> str:
    value = credential.values[index]
    return "" if value is None else value.reveal()


def _add_api_key(request: Outgoing, credential: Credential) -> None:
    key = _reveal(credential, 0)
    if credential.place == "query":
        request.set_query(credential.wire_name, key)
    elif credential.place == "cookie":
        request.cookies[credential.wire_name] = key
    else:
        request.set_header(credential.wire_name, key)


def _basic(credential: Credential) -> str:
    """Return `user:password` in base64 (RFC 7617)."""
    return base64.b64encode(f"{_reveal(credential, 0)}:{_reveal(credential, 1)}".encode()).decode()


def bare_token(credential: Credential, index: int) -> str:
    """Return a value of a credential without its scheme word: `Bearer abc` -> `abc`."""
    token = _reveal(credential, index)
    first_word, space, rest = token.partition(" ")
    if space and first_word.lower() == credential.scheme.lower():
        return rest.strip()
    return token


def credentials_of(settings: ApiSettings, provided: frozenset[str]) -> Credentials:
    """Return the credentials of an API, `TokenCredentials` if it fetches tokens."""
    kinds = {credential.kind for credential in settings.own_credentials.values()}
    if "client_credentials" in kinds or any(
        part.caller_tokens or part.login_token for part in settings.parts
    ):
        # Only servers that fetch tokens have this module
        made: Credentials = import_module(".oauth", __package__).TokenCredentials(
            settings, provided
        )
        return made
    return Credentials(settings, provided)
