"""Keep tokens in the system's keyring, by way of the library `keyring` (the extra `login`).

macOS keeps them in the Keychain, Windows in the Credential Manager, Linux in the Secret Service.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from ...client.settings import ApiSettings, Credential

LONGEST = 1_000_000
"""Characters of one entry."""
if sys.platform == "win32":
    LONGEST = 1_200  # the Credential Manager takes 2,560 bytes of UTF-16


class NoKeyring(Exception):
    """Raised if the keyring cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True, repr=False)
class Tokens:
    """Tokens of one login. `expires_at` is in seconds of the epoch, 0 if unknown."""

    access_token: str
    refresh_token: str = ""
    expires_at: float = 0.0
    token_url: str = ""
    client_id: str = ""
    client_secret: str = ""


UNREADABLE = Tokens("")
"""An entry of another version, or one that was written in part."""


class Store:
    """Keyring entry of one credential of this server, for the API at its origin."""

    def __init__(self, settings: ApiSettings, credential: Credential) -> None:
        self._service = f"{settings.name}-mcp"
        self._user = f"{credential.name} at {settings.origin}"
        self._variable = credential.variables[-1]

    def load(self) -> Tokens | None:
        """Return the tokens, `UNREADABLE` or None without a login. Raises NoKeyring."""
        library = _keyring()
        try:
            first = library.get_password(self._service, self._user)
            if first is None:
                return None
            head, _, text = first.partition(" ")
            number, _, check = head.partition("-")
            for index in range(1, int(number)):
                text += library.get_password(self._service, self._name(index))
            return UNREADABLE if check not in ("", _sum(text)) else Tokens(**json.loads(text))
        except (TypeError, ValueError):
            return UNREADABLE
        except (library.errors.KeyringError, OSError) as error:
            raise self._no_keyring(error) from None

    def save(self, tokens: Tokens) -> None:
        """Write the tokens over earlier ones. Raises NoKeyring."""
        library = _keyring()
        text = json.dumps(asdict(tokens))
        parts = [text[start : start + LONGEST] for start in range(0, len(text), LONGEST)]
        check = f"-{_sum(text)}" if len(parts) > 1 else ""  # parts of two logins may fit together
        parts[0] = f"{len(parts)}{check} {parts[0]}"
        try:
            for index in reversed(range(len(parts))):
                library.set_password(self._service, self._name(index), parts[index])
        except (library.errors.KeyringError, OSError) as error:
            raise self._no_keyring(error) from None

    def delete(self) -> bool:
        """Delete the tokens; return False if there were none. Raises NoKeyring."""
        library = _keyring()
        index = 0
        try:
            while library.get_password(self._service, self._name(index)) is not None:
                library.delete_password(self._service, self._name(index))
                index += 1
        except (library.errors.KeyringError, OSError) as error:
            raise self._no_keyring(error) from None
        return index > 0

    def _name(self, index: int) -> str:
        if index == 0:
            return self._user
        return f"{self._user} {index}"

    def _no_keyring(self, error: Exception) -> NoKeyring:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return NoKeyring(
            f"the keyring of this machine cannot be used ({reason}): set"
            f" `{self._variable}` to an access token, or install `keyrings.alt` beside this server,"
            " which keeps tokens in a file that only its owner can read (as in `pipx inject"
            " PACKAGE keyrings.alt`)"
        )

    def place(self) -> str:
        """Return the name of the keyring, for a person. Raises NoKeyring without the library."""
        return str(getattr(_keyring().get_keyring(), "name", "the keyring"))

    def lock_file(self) -> Path:
        """Make the folder of a file that a process locks while it renews these tokens; return the
        file's path. Raises OSError.
        """
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(cache) / self._service
        folder.mkdir(parents=True, exist_ok=True)
        return folder / "login.lock"


def _sum(text: str) -> str:
    """Return the checksum of a text that is kept in several parts."""
    return f"{crc32(text.encode()):x}"


def _keyring() -> Any:
    try:
        return importlib.import_module("keyring")
    except ImportError:
        raise NoKeyring(
            "the library `keyring` is not installed: install this server with its extra `login`,"
            " as in `pipx install '.[login]'`"
        ) from None
