"""Secrets: read from variables or files, and masked in every text; and the caller of a request."""

from __future__ import annotations

import base64
import hmac
import html
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote, unquote

from .results import Masks

MASK = "****"

_PLACEHOLDER = re.compile(
    r"<.*>|\$\{.*\}|\{\{.*\}\}|x{3,}|\*+|\.{3,}|-+|none|null|todo|tbd|fixme|placeholder"
    r"|(change|replace|fill|insert|put|enter|add)[-_ ]?(me|this|it|in|your|here).*|your[-_ ].*",
    re.I,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_PASSWORD = re.compile(r"://[^/?#@]*?:([^/?#]*)@")
_MAX_SECRETS = 200
"""Half are the operator's secrets, which stay; half are tokens, of which the oldest goes."""


class Secret:
    """Text that no `repr`, format or pickle shows: only `reveal` returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the text itself."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret('{MASK}')"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return MASK

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(
            self._value.encode(), other._value.encode()
        )

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a secret is not pickled")


masks_now: ContextVar[Redactor | None] = ContextVar("masks_now", default=None)
"""Masks what the running call brought or got for its caller alone, in that call; None for nothing.
"""


class Redactor(Masks):
    """Function that masks known secrets (`****`) in a text: plain, escaped as in JSON, HTML and
    URLs from 4 characters on, base64 at any alignment from 6 bytes on.

    The last line of defence: no code relies on it to remove a secret.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: dict[str, list[str]] = {}
        self._pattern: re.Pattern[str] | None = None
        for secret in secrets:
            self.add(secret)

    def __repr__(self) -> str:
        return f"Redactor({len(self._forms)} secrets)"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a redactor is not pickled")

    def add(self, secret: str) -> None:
        """Mask this text from now on; past 200 texts the oldest token is forgotten. A text of fewer
        than 4 characters is never masked: it would be found inside ordinary words.
        """
        if len(secret) < 4 or secret in self._forms:
            return
        self._forms[secret] = _forms(secret)
        if len(self._forms) > _MAX_SECRETS:
            oldest_token = list(self._forms)[_MAX_SECRETS // 2]
            del self._forms[oldest_token]
        forms = {form for spellings in self._forms.values() for form in spellings}
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(re.escape(form) for form in longest_first))

    def __call__(self, text: str) -> str:
        """Return the text with the known secrets masked, and those of the running call."""
        own = masks_now.get()
        if own is not None and own is not self:
            text = own(text)
        if self._pattern is None:
            return text
        return self._pattern.sub(MASK, text)

    @property
    def is_needed(self) -> bool:  # type: ignore[override]
        """Whether a secret is known, here or for the running call."""
        return any(each is not None for each in (self._pattern, masks_now.get()))


def _forms(secret: str) -> list[str]:
    """Return the spellings of 4 characters or more under which a secret can occur in a text."""
    raw = secret.encode("utf-8", "surrogatepass")
    in_json, in_html = json.dumps(secret)[1:-1], html.escape(secret)
    forms = {secret, secret.strip(), in_json, in_json.replace("/", "\\/")}
    forms |= {in_html, in_html.replace("&#x27;", "&#39;")}
    for letters, digits in (("&<>", "04x"), ("&<>+'`", "04X")):  # as Go, and as .NET, write JSON
        spelt = (f"\\u{ord(one):{digits}}" if one in letters else one for one in in_json)
        forms.add("".join(spelt))
    for safe in ("", "/", "!'()*"):
        text = quote(raw, safe=safe)
        for each in (text, text.replace("%20", "+")):
            forms |= {each, re.sub(r"%[0-9A-F]{2}", lambda escape: escape[0].lower(), each)}
    forms.update(_in_base64(raw) if len(raw) >= 6 else ())
    return [form for form in forms if len(form) >= 4]


def _in_base64(raw: bytes) -> Iterator[str]:
    """Yield bytes in Base64, as far as they alone decide its characters, at each offset."""
    for offset in range(3):
        start, end = -(-offset * 8 // 6), (offset + len(raw)) * 8 // 6
        plain = base64.b64encode(b"\0" * offset + raw).decode()[start:end]
        yield plain
        yield plain.replace("+", "-").replace("/", "_")


@dataclass(frozen=True, slots=True)
class Caller:
    """Bearer of an access token that was checked."""

    issuer: str
    subject: str
    """`sub`: unique among the issuer's users and clients (RFC 9068, section 2.2)."""
    client: str
    """`client_id`: the program that acts for the subject; empty where the token does not say."""
    token: Secret
    """For the issuer alone, never for the API."""
    expires: float
    """When the token ends, in seconds since the epoch."""

    key: str
    """`kid`: the id of the key that the token is signed with."""

    def fields(self) -> dict[str, str]:
        """Return issuer, subject, client and key id, for logs (`results.content.SENDER`)."""
        return {name: getattr(self, name) for name in ("issuer", "subject", "client", "key")}


caller_now: ContextVar[Caller | None] = ContextVar("caller_now", default=None)
"""The caller of the tool call that runs."""


def read(reader: Any, name: str, may_be_empty: bool) -> Secret | None:
    """Return a secret from its variable, or from the file that the variable with `_FILE` names;
    None if neither is set, for an empty text unless it `may_be_empty`, and after a fault, which
    `reader` (a `settings.Reader`) notes.
    """
    value = reader.environ.get(f"{reader.prefix}_{name}")
    if not value and f"{reader.prefix}_{name}_FILE" in reader.environ:
        name = f"{name}_FILE"
        value = _content_of(reader, name)
    if value is None:
        return None
    if value == "":
        return Secret(value) if may_be_empty else None
    fault = _fault_of_secret(value)
    if fault:
        reader.refuse(name, fault)
        return None
    return Secret(value)


def _content_of(reader: Any, name: str) -> str | None:
    """Return the content of a secret's file; None if others can read it, or this server cannot."""
    path = Path(reader.environ[f"{reader.prefix}_{name}"])
    try:
        if not _is_private(path):
            reader.refuse(name, "has to name a file that only its owner can read (mode 0600)")
            return None
        return path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError):
        reader.refuse(name, "names a file that cannot be read")
        return None


def revealed(
    secrets: Iterable[Secret | None], values: Mapping[str, Any], parts: Iterable[Any]
) -> list[str]:
    """Return the texts of all secrets, those among variables and of parts included, sorted."""
    masked = [*secrets, *_secrets_in(values, parts)]
    return sorted(secret.reveal() for secret in masked if secret)


def _secrets_in(values: Mapping[str, Any], parts: Iterable[Any]) -> Iterator[Secret]:
    """Yield the secrets among variables and those of parts, and the passwords of URLs."""
    own = (getattr(part, each.name) for part in parts for each in fields(part))
    for value in (*values.values(), *own):
        if isinstance(value, Secret):
            yield value
            yield from (Secret(unquote(found)) for found in _PASSWORD.findall(value.reveal()))


def _fault_of_secret(value: str) -> str:
    """Explain why a text cannot be a secret, or return an empty text."""
    if _CONTROL.search(value):
        return "holds a line break or another control character"
    if not value.isascii():
        return "holds characters other than ASCII"
    if value != value.strip():
        return "begins or ends with a space"
    if _PLACEHOLDER.fullmatch(value):
        return "holds a placeholder: put the real value there, or unset it"
    return ""


def _is_private(path: Path) -> bool:
    """Return whether a path is a file that only its owner can read, or one of `/run/` (where
    containers mount secrets). Raises OSError.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        return False
    if os.name != "posix" or str(path).startswith("/run/"):
        return True
    return not mode & 0o077
