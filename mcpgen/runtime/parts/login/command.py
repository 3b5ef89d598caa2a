"""Commands `login` and `logout` of a server."""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
import webbrowser
from dataclasses import replace

from ...client import ApiError
from ...client.api import Api
from ...client.oauth import OAuthClient, TokenResponse
from ...client.settings import ApiSettings, Credential
from ...command import command_line
from ...facts import origin_of
from ...package import Package, StartError
from ...settings import port, read
from . import browser, device
from .endpoints import Endpoints, endpoints_of, safe_url
from .settings import Login
from .store import NoKeyring, Store, Tokens
from .token import after


def main(package: str, argv: list[str]) -> int:
    """Run `login` or `logout`, as `argv` says; return 0. Raises SettingsError and StartError."""
    settings: ApiSettings = read(Package.named(package).facts())
    credentials = {
        name: credential
        for name, credential in settings.credentials.items()
        if credential.login is not None
    }
    options = _parser(settings, list(credentials)).parse_args(argv)
    if options.credential is None and len(credentials) > 1:
        names = ", ".join(f"`{name}`" for name in credentials)
        raise StartError(f"name the credential to log in for with --credential: {names}")
    credential = credentials[options.credential or next(iter(credentials))]
    settings = settings.of(credential.api)
    store = Store(settings, credential)
    try:
        if options.command == "logout":
            return _log_out(store)
        return asyncio.run(_log_in(settings, credential, store, options))
    except (NoKeyring, ApiError, OSError) as error:
        raise StartError(settings.redactor(str(error))) from None


def _parser(settings: ApiSettings, names: list[str]) -> argparse.ArgumentParser:
    parser = command_line(
        prog=f"{settings.name}-mcp",
        description=(
            "Logs in to the API as a person (login), or forgets that login (logout). The tokens are"
            " kept in the system's keyring; servers that clients start on this machine use them"
            " when the environment holds no token, and renew them."
        ),
    )
    parser.add_argument("command", choices=("login", "logout"))
    parser.add_argument("--credential", choices=names, help="which one, where there are several")
    parser.add_argument(
        "--device", action="store_true", help="confirm a code on another device, without a browser"
    )
    parser.add_argument(
        "--port",
        type=port,
        default=0,
        help=(
            "port that the browser comes back to, for a provider that takes no other than the one"
            f" registered (http://{browser.HOST}:PORT{browser.PATH})"
        ),
    )
    parser.add_argument("--scopes", help="what to ask for, separated by spaces")
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address and open no browser"
    )
    parser.add_argument(
        "--yes", action="store_true", help="trust the addresses that the API's description names"
    )
    return parser


def _log_out(store: Store) -> int:
    if store.delete():
        print("Logged out: the tokens are no longer in the keyring.")
        print("The provider may keep them valid for a while; its account page can end that.")
    else:
        print("Nobody was logged in.")
    return 0


async def _log_in(
    settings: ApiSettings, credential: Credential, store: Store, options: argparse.Namespace
) -> int:
    store.load()  # a machine without a keyring says so before anybody logs in
    assert credential.login is not None
    client = _client(credential.login)
    async with Api(settings) as api:
        endpoints = await endpoints_of(credential.login, api.post, settings.redactor)
        if options.scopes is not None:
            endpoints = replace(endpoints, scopes=tuple(options.scopes.split()))
        by_device = options.device or not endpoints.authorization_url
        _check(settings, endpoints, by_device=by_device, trusted=options.yes)
        if by_device:
            grant = await device.log_in(endpoints, client, api.post, settings.redactor, _tell)
        else:
            show = _Page(opens=not options.no_browser)
            grant = await browser.log_in(
                endpoints, client, api.post, settings.redactor, show, options.port
            )
    _keep(store, endpoints, client, grant)
    if credential.present:
        names = " and ".join(
            f"`{name}`"
            for name, value in zip(credential.variables, credential.values, strict=True)
            if value
        )
        print(f"note: as long as {names} is set, servers use that and not this login")
    return 0


def _client(login: Login) -> OAuthClient:
    """Return the OAuth client registered with the provider. Raises StartError without a client."""
    id_, secret = ("" if value is None else value.reveal() for value in login.client)
    if id_:
        return OAuthClient(id_, secret)
    raise StartError(
        f"`{login.variables[0]}` is not set: register an application with the API's provider, and"
        f" put its client id there (and its secret into `{login.variables[1]}`, where it has one)"
    )


def _check(settings: ApiSettings, endpoints: Endpoints, *, by_device: bool, trusted: bool) -> None:
    """Have the person confirm origins that the API does not trust, unless `trusted` (`--yes`).
    Raises StartError if the API offers no such login, or if the person does not confirm.
    """
    start = endpoints.device_url if by_device else endpoints.authorization_url
    if not start:
        raise StartError("the API's description offers no login with a code; leave out --device")
    origins = {
        origin_of(safe_url(url, "the address to log in")) for url in (start, endpoints.token_url)
    }
    foreign = sorted(str(origin) for origin in origins if not settings.trusts(origin))
    if not foreign or trusted:
        return
    names = " and ".join(foreign)
    question = f"The login goes to {names}, and the API is at {settings.origin}. Continue? [y/N] "
    if not sys.stdin.isatty():
        raise StartError(f"the login goes to {names}: confirm that with --yes")
    if input(question).strip().lower() not in ("y", "yes"):
        raise StartError("nothing was done")


def _keep(store: Store, endpoints: Endpoints, client: OAuthClient, grant: TokenResponse) -> None:
    before = Tokens(
        access_token="",
        token_url=endpoints.token_url,
        client_id=client.id,
        client_secret=client.secret,
    )
    store.save(after(before, grant))
    print(f"Logged in. The tokens are in {store.place()}.")
    if not grant.refresh_token:
        print("note: the provider gave no refresh token, so you have to log in again one day")


class _Page:
    """Prints the address to log in at; with `opens`, opens a browser, too."""

    def __init__(self, *, opens: bool) -> None:
        self._opens = opens

    def __call__(self, address: str) -> None:
        print(f"Log in with a browser on this machine:\n\n  {address}\n", flush=True)
        if self._opens:
            # Some browsers keep their command waiting until they are closed
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _tell(page: str, code: str, complete: str) -> None:
    print(f"On any device, open\n\n  {page}\n\nand enter the code  {code}", flush=True)
    if complete:
        print(f"(or open {complete} and compare the code)", flush=True)
