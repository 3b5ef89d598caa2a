"""Select an operation's credentials and add them to the request after everything else.

Credentials come from the environment. They go to the API's own origin, or to one that the operator
trusts, and never elsewhere. They replace whatever an argument set in their place.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from hashlib import sha256
from importlib import import_module
from typing import Any

from ..facts import origin_of
from ..secrets import AccessToken, Forwarded, LoginToken, Redactor, Secret, forwarded_now, own_token
from . import MissingCredential
from .request import VALUE, Outgoing, Post
from .settings import ApiSettings, Credential

Security = tuple[tuple[str, ...], ...]

BEARERS = ("bearer", "client_credentials")
"""Kinds of credentials that a token on behalf of the caller replaces."""
ON_BEHALF = "on behalf of the caller"
"""Placeholder for a variable in `Outgoing.tokens`."""


class Credentials:
    """The configured credentials of one API."""

    def __init__(self, settings: ApiSettings, provided: frozenset[str]) -> None:
        self._settings = settings
        self._own = settings.own_credentials
        self._provided = provided
        self._tokens: dict[str, AccessToken] = {}
        """By the first variable of the credential."""
        self._logins: dict[str, LoginToken] = {}
        """By the name of the credential, those that the environment does not hold."""
        sources = [part.caller_tokens(settings) for part in settings.parts if part.caller_tokens]
        self._exchange = next(filter(None, sources), None)
        for credential in self._own.values():
            for one in (credential, credential.for_writing):
                if one is not None and one.kind == "client_credentials":
                    # Only servers that fetch tokens have this module
                    oauth = import_module(".oauth", __package__)
                    self._tokens[one.variables[0]] = oauth.Token(one, settings)
            if credential.login is not None and not credential.present:
                self._add_login(credential)

    def _add_login(self, credential: Credential) -> None:
        """Use the tokens of a login for a credential."""
        [login_token] = [part.login_token for part in self._settings.parts if part.login_token]
        token = login_token(credential, self._settings)
        self._logins[credential.name] = token
        self._tokens[credential.variables[0]] = token

    @property
    def are_per_caller(self) -> bool:
        """Whether each caller has an access token of its own."""
        return self._exchange is not None

    async def find_logins(self, security: Security | None) -> None:
        """Look for the tokens of logins that an operation can use."""
        for names in self._alternatives(security):
            for name in self._logins.keys() & set(names):
                await self._logins[name].find()

    def select(self, security: Security | None, *, writes: bool) -> tuple[Credential, ...]:
        """Return the credentials of the first complete alternative (OpenAPI 3.1 section 4.8.30),
        without those that `auth.py` or the caller provides.

        For a request that `writes` the operator may have set other credentials. An empty
        alternative means that the API may be called without credentials; it is chosen only if no
        other is complete. Raises MissingCredential naming the variables of every alternative.
        """
        given = self._of_callers()
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

    async def add(self, credentials: tuple[Credential, ...], request: Outgoing, post: Post) -> None:
        """Add credentials to a request; `post` fetches access tokens. Raises ApiError."""
        for credential in credentials:
            if self._exchange is not None and credential.kind in BEARERS:
                own = await self._exchange.token(request.caller, post)
                request.tokens[ON_BEHALF] = own
                own_token.set(own)
                request.set_header("Authorization", f"Bearer {own.reveal()}")
            elif credential.kind == "api_key":
                _add_api_key(request, credential)
            elif credential.kind == "basic":
                request.set_header("Authorization", f"Basic {request.conceal(_basic(credential))}")
            elif credential.kind == "bearer" and credential.present:
                token = _bare_token(credential, 0)
                request.set_header("Authorization", f"{credential.scheme} {token}")
            elif credential.kind in BEARERS:
                token = await self._access_token(credential, request, post)
                request.set_header("Authorization", f"Bearer {token}")

    def _of_callers(self) -> frozenset[str]:
        """Return the names of the credentials that forwarded header fields hold; none on stdio."""
        if forwarded_now.get() is None:
            return frozenset()
        names = {name.lower() for name in self._settings.forward_headers}
        return frozenset(name for name, one in self._own.items() if _header_of(one) in names)

    def forward(self, request: Outgoing) -> None:
        """Add the caller's own header fields, unless the request goes to another origin. Raises
        MissingCredential for a field that the caller did not send (`inside`: it is left out).
        """
        forwarded = forwarded_now.get()
        if forwarded is None or origin_of(str(request.url)) != self._settings.origin:
            return
        for name in self._settings.forward_headers:
            if name not in forwarded.fields and self._settings.inside:
                continue
            if name not in forwarded.fields:
                raise MissingCredential(
                    "nothing was sent: the API is called with a header of the caller's own, and"
                    f" this request does not have `{name}`, or not once with a usable value; set"
                    " it in the client's settings of this server"
                )
            request.set_header(name, forwarded.fields[name].reveal())

    async def _access_token(self, credential: Credential, request: Outgoing, post: Post) -> str:
        """The operator's own access token, or one from the token endpoint."""
        if credential.ready_token:
            return _bare_token(credential, 2)
        token = await self._tokens[credential.variables[0]].get(post)
        request.tokens[credential.variables[0]] = token
        return token.reveal()

    def renew(self, refused: dict[str, Secret]) -> bool:
        """Forget access tokens that the API refused. Returns whether there were any, so that trying
        again makes sense.
        """
        for variable, token in refused.items():
            if self._exchange is not None and variable == ON_BEHALF:
                self._exchange.forget(token)
            else:
                self._tokens[variable].forget(token)
        return bool(refused)

    def variables(self, security: Security | None, *, writes: bool = False) -> tuple[str, ...]:
        """The environment variables of every alternative, once each."""
        variables: dict[str, None] = {}
        for names in self._alternatives(security):
            for name in names:
                credential = self._credential(name, writes)
                if credential is not None:
                    variables |= dict.fromkeys(credential.variables)
        return tuple(variables)

    def _alternatives(self, security: Security | None) -> Security:
        """An operation's alternatives; without its own, those of the whole API."""
        return self._settings.security if security is None else security

    def _credential(self, name: str, writes: bool) -> Credential | None:
        """Return the credential of a name; for a request that writes, the operator's credential for
        writing.
        """
        credential = self._own.get(name)
        if credential is None:
            return None
        return credential.when_writing if writes else credential

    def _is_there(self, name: str, credential: Credential | None) -> bool:
        """Return whether a credential is set, made for each caller, or of a login."""
        if credential is None:
            return False
        if self._exchange is not None and credential.kind in BEARERS:
            return True
        if credential.present:
            return True
        return self._logins[name].is_there if name in self._logins else False

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
        if any(name in self._logins for names in alternatives for name in names):
            text += f", or log in with `{self._settings.login_command}`"
        if self._settings.unread:
            set_ones = ", ".join(f"`{name}`" for name in self._settings.unread[:3])
            text += f"; set, but not read by it: {set_ones}"
        return MissingCredential(text, self.variables(alternatives))

    def _unset_variables(self, names: tuple[str, ...]) -> list[str]:
        """The variables that complete an alternative when they are set; none if they cannot."""
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


def forwarded_of(request: Any, names: Iterable[str]) -> Forwarded | None:
    """Return the header fields of these names that a request over HTTP has once (RFC 9110, section
    5.3); None without a request (on stdio) or names.
    """
    if request is None or not names:
        return None
    values = {name: request.headers.getlist(name) for name in names}
    given = {
        name: found[0]
        for name, found in values.items()
        if len(found) == 1 and VALUE.fullmatch(found[0])
    }
    digest = sha256("\0".join(given.values()).encode()).digest()
    fields = {name: Secret(value) for name, value in given.items()}
    return Forwarded(fields, Redactor(given.values()), digest)


def _header_of(credential: Credential) -> str:
    """The header field that a credential is sent in, in lower case; empty for another place."""
    if credential.kind in (*BEARERS, "basic"):
        return "authorization"
    is_field = credential.kind == "api_key" and credential.place == "header"
    return credential.wire_name.lower() if is_field else ""


def _variables_without_value(credential: Credential) -> list[str]:
    """The variables to set for a credential. A ready access token is optional."""
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
    """User name and password as RFC 7617 joins them."""
    return base64.b64encode(f"{_reveal(credential, 0)}:{_reveal(credential, 1)}".encode()).decode()


def _bare_token(credential: Credential, index: int) -> str:
    """A token without the scheme word that people paste in front of it."""
    token = _reveal(credential, index)
    first_word, space, rest = token.partition(" ")
    if space and first_word.lower() == credential.scheme.lower():
        return rest.strip()
    return token
