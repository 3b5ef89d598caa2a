"""Header fields of each caller that go to the API (`forward_headers`)."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..facts import origin_of
from ..secrets import Redactor, Secret, masks_now
from . import MissingCredential
from .credentials import BEARERS
from .request import VALUE, Outgoing
from .settings import ApiSettings, Credential


@dataclass(frozen=True, slots=True)
class Forwarded:
    """Header fields of a caller that go to the API, and their SHA-256."""

    fields: Mapping[str, Secret]
    digest: bytes


forwarded_now: ContextVar[Forwarded | None] = ContextVar("forwarded_now", default=None)
"""Caller's own header fields of the running call; None on stdio."""


class Forwarding:
    """Header fields of callers for one API, masked in their caller's calls alone."""

    def __init__(self, settings: ApiSettings) -> None:
        self._settings = settings

    def begin(self, request: Any) -> None:
        """Note and mask, for the running call, the fields to forward that a request over HTTP has
        once (RFC 9110, section 5.3) with a usable value; for None (stdio) none.
        """
        if request is None:
            forwarded_now.set(None)
            return
        found = {name: request.headers.getlist(name) for name in self._settings.forward_headers}
        given = {name: values[0] for name, values in found.items() if _is_usable(values)}
        named = (f"{name}:{value}" for name, value in given.items())
        digest = sha256("\0".join(named).encode()).digest()
        fields = {name: Secret(value) for name, value in given.items()}
        forwarded_now.set(Forwarded(fields, digest))
        masks = masks_now.get() or Redactor()
        for value in given.values():
            masks.add(value)
        masks_now.set(masks)

    @property
    def key(self) -> bytes:
        """Digest of the caller's forwarded fields, by which callers differ; empty on stdio."""
        forwarded = forwarded_now.get()
        return forwarded.digest if forwarded is not None else b""

    def credentials(self, own: Mapping[str, Credential]) -> frozenset[str]:
        """Return the names of `own` whose header field is in `forward_headers`; none on stdio."""
        if forwarded_now.get() is None:
            return frozenset()
        names = {name.lower() for name in self._settings.forward_headers}
        return frozenset(name for name, one in own.items() if _header_of(one) in names)

    def add(self, request: Outgoing) -> None:
        """Add the caller's header fields to a request for the API's own origin. Raises
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


def _is_usable(values: list[str]) -> bool:
    """Return whether a field was sent once, with a value that can be sent on."""
    return len(values) == 1 and VALUE.fullmatch(values[0]) is not None


def _header_of(credential: Credential) -> str:
    """Return the header field of a credential in lower case; empty if sent elsewhere."""
    if credential.kind in (*BEARERS, "basic"):
        return "authorization"
    is_field = credential.kind == "api_key" and credential.place == "header"
    return credential.wire_name.lower() if is_field else ""
