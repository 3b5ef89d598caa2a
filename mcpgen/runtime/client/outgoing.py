"""A request on its way out."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote, unquote_plus

import httpx2

from ..caller import Caller
from ..secrets import Redactor, Secret


@dataclass(slots=True, repr=False)
class Outgoing:
    """A request on its way out, as `auth.authorize` sees it."""

    method: str
    url: httpx2.URL
    headers: dict[str, str]
    cookies: dict[str, str]
    content: bytes | None
    redactor: Redactor
    tokens: dict[str, Secret] = field(default_factory=dict)
    """The access token that was used for each OAuth credential, by its first variable."""
    caller: Caller | None = None
    """The caller, on a server that distinguishes its callers."""

    def conceal(self, secret: str) -> str:
        """Mask a text in results, errors and logs from now on; returns the text."""
        self.redactor.add(secret)
        return secret

    def set_header(self, name: str, value: str) -> None:
        """Set a header, replacing any of that name, whatever its case."""
        for other in [key for key in self.headers if key.lower() == name.lower()]:
            del self.headers[other]
        self.headers[name] = value

    def set_query(self, name: str, value: str) -> None:
        """Set a query parameter, replacing any of that name."""
        path, _, query = self.url.raw_path.decode("ascii").partition("?")
        pairs = [pair for pair in query.split("&") if pair and _name_of(pair) != name]
        pairs.append(f"{quote(name, safe='')}={quote(value, safe='')}")
        self.url = self.url.copy_with(raw_path=f"{path}?{'&'.join(pairs)}".encode("ascii"))


def _name_of(pair: str) -> str:
    return unquote_plus(pair.partition("=")[0])
