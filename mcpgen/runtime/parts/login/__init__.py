"""Part `login`: the commands `login` and `logout`, and the tokens of a person who logged in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...client.settings import ApiSettings, Credential
from .. import Part

if TYPE_CHECKING:
    from ...client.oauth import LoginToken


def _log_in(package: str, arguments: list[str]) -> int:
    from .command import main

    return main(package, arguments)


def _token(credential: Credential, settings: ApiSettings) -> LoginToken:
    from .token import StoredToken

    return StoredToken(credential, settings)


PART = Part(commands={"login": _log_in, "logout": _log_in}, login_token=_token)
