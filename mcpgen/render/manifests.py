"""Files about a generated server for other programs: `server.json` (registry), `manifest.json`
(MCPB 0.4), client settings (those of `install`).

Environment variables are named, never filled in. From the document come only the title, in the two
manifests, and the descriptions of credentials, in the prompts for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..ir import Auth, Server
from ..runtime.client.settings import TWOFOLD, write_variable
from ..runtime.parts.install.files import CLIENTS, Client
from ..text import shorten, visible

SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
OWNER = "your-name"
"""The publisher in `server.json` and the README until the user fills in a name."""
VERSION = "0.1.0"
"""The version of a package that was just generated. It is the server's own, not the API's."""
HTTP_ADDRESS = "http://127.0.0.1:8000/mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One environment variable of a generated server.

    `about` is how its value is sent, and the document's text about it. `one_of`: this credential or
    another is required. `for_writing`: it is used for calls that write, instead of the variable
    without `WRITE`. `default` is what holds without the variable, in backticks.
    """

    name: str
    meaning: str
    required: bool = False
    one_of: bool = False
    secret: bool = False
    about: str = ""
    for_writing: bool = False
    default: str = ""

    @property
    def text(self) -> str:
        """The meaning, and behind a comma `about` if there is any."""
        if not self.about:
            return self.meaning
        return f"{self.meaning}, {self.about}"

    @property
    def key(self) -> str:
        """The name as a setting of a bundle: `BOOKSHOP_MCP_API_KEY` → `bookshop_mcp_api_key`."""
        return self.name.removeprefix("MCPGEN_").lower()


_PARTS: dict[str, tuple[tuple[str, bool], ...]] = {
    "api_key": (("API key", True),),
    "bearer": (("Token", True),),
    "basic": (("User name", False), ("Password", True)),
    "client_credentials": (
        ("OAuth client id", False),
        ("OAuth client secret", True),
        ("OAuth token, in place of client id and secret", True),
    ),
    "mutual_tls": (
        ("File of the client certificate (PEM)", False),
        ("File of its key (PEM)", False),
    ),
}
"""Meaning of each variable of a credential, and whether it is a secret, in the order of
`Auth.variables`.
"""


def environment(server: Server) -> tuple[Variable, ...]:
    """Return the variables a user has to think of: the base URL, then every credential once; empty
    without an API.
    """
    if not server.calls_api:
        return ()
    found: dict[str, Variable] = {}
    for auth in server.auth:
        one_of = _is_one_of(server, auth)
        for variable in _variables(auth, required=_is_required(server, auth), one_of=one_of):
            found.setdefault(variable.name, variable)
    return (*_base_urls(server), *found.values())


def to_set(server: Server) -> tuple[Variable, ...]:
    """Return the variables to set before the first call: credentials, an unknown base URL."""
    known = [each for each in _base_urls(server) if not each.required]
    return tuple(each for each in environment(server) if each not in known)


def _base_urls(server: Server) -> list[Variable]:
    """Return the variables of the base URLs of the first API and of all further APIs but those that
    share the variables of another API.
    """
    sharing = [api.name for api in server.apis if api.shares]
    return [
        Variable(
            name="_".join(filter(None, (server.env_prefix, name.upper(), "BASE_URL"))),
            meaning=f"Base URL of {f'the API `{name}`' if name else 'the API'}",
            required=url is None,
            default="" if url is None else f"`{url}`",
        )
        for name, url, _ in server.addresses
        if name not in sharing
    ]


def _variables(auth: Auth, *, required: bool, one_of: bool) -> Iterator[Variable]:
    """Yield the variables of one credential. `required` holds for the first two, and for none with
    a login; `one_of`: another credential may be given instead.
    """
    parts = zip(auth.variables, _PARTS.get(auth.kind, ()), strict=False)
    about = about_credential(auth)
    if auth.login is not None:
        required = False  # A login stands for all of them
    for index, (name, (meaning, secret)) in enumerate(parts):
        yield Variable(
            name=name,
            meaning=meaning,
            # A third one stands for the other two
            required=required and index < 2,
            one_of=one_of,
            secret=secret,
            about=about,
        )


def writing_variables(server: Server) -> tuple[Variable, ...]:
    """Return the variables of credentials that are used only for calls that write, instead of
    another variable.
    """
    pairs = {
        write_variable(server.env_prefix, name): name
        for auth in server.auth
        if auth.kind in TWOFOLD
        for name in auth.variables
    }
    secrets = {variable.name for variable in environment(server) if variable.secret}
    return tuple(
        Variable(
            name=name,
            meaning=f"In place of {other} for calls that write",
            secret=other in secrets,
            for_writing=True,
            default=f"`{other}`",
        )
        for name, other in pairs.items()
    )


def login_variables(server: Server) -> tuple[Variable, ...]:
    """Return the variables that only the command `login` reads; empty without a login."""
    others = {variable.name for variable in environment(server)}
    variables: dict[str, Variable] = {}
    for auth in server.auth:
        if auth.login is None:
            continue
        client_id, secret = auth.login.variables
        for_login = f"for `{command(server)} login`"
        meanings = {client_id: "OAuth client id", secret: "OAuth client secret, if there is one"}
        for name, meaning in meanings.items():
            meaning = f"{meaning}, {for_login}"
            variables[name] = Variable(name=name, meaning=meaning, secret=name == secret)
    return tuple(variable for name, variable in variables.items() if name not in others)


def about_credential(auth: Auth) -> str:
    """Describe the use of a credential, with the document's text on it, on one line; can be empty
    text.
    """
    place = f"{auth.place} `{shorten(visible(auth.wire_name), 60)}`"
    if auth.kind == "bearer":
        way = f"sent as `Authorization: {auth.scheme} …`"
    elif auth.kind == "basic":
        way = "sent as `Authorization: Basic …`"
    elif auth.kind != "api_key":
        way = ""
    elif auth.wire_name.lower() == "authorization":
        way = (
            "sent as the whole value of the header `Authorization`,"
            " with `Bearer` in front if the API expects that"
        )
    else:
        way = f"sent in the {place}"
    if not auth.description:
        return way
    if not auth.declared:
        return f"{way}. {auth.description}"
    return f"{way}. In the API's own words: {auth.description}".removeprefix(". ")


def _is_required(server: Server, auth: Auth) -> bool:
    """Return whether every alternative that the credential's API offers by default needs the
    credential.
    """
    security = server.api(auth.api).security
    return bool(security) and all(auth.name in alternative for alternative in security)


def _is_one_of(server: Server, auth: Auth) -> bool:
    """Return whether a credential is in some but not all alternatives by default, and a call needs
    one of them.
    """
    security = server.api(auth.api).security
    if () in security or _is_required(server, auth):
        return False
    return any(auth.name in alternative for alternative in security)


def command(server: Server) -> str:
    """Return the console script: `bookshop-mcp` for the package `bookshop_mcp`."""
    return server.package.replace("_", "-")


def registry_name(server: Server) -> str:
    """Return the name in the MCP registry: `io.github.your-name/bookshop-mcp`."""
    return f"io.github.{OWNER}/{server.distribution}"


def server_json(server: Server) -> dict[str, Any]:
    """Return the registry's description of the package."""
    return {
        "$schema": SERVER_SCHEMA,
        "name": registry_name(server),
        "title": title_of(server),
        "description": _description(server),
        "version": VERSION,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": server.distribution,
                "version": VERSION,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "environmentVariables": [
                    {
                        "name": variable.name,
                        "description": variable.text,
                        "isRequired": variable.required,
                        "isSecret": variable.secret,
                    }
                    for variable in environment(server)
                ],
            }
        ],
    }


def manifest_json(server: Server) -> dict[str, Any]:
    """Return the content of `manifest.json`: `mcpb pack` makes a bundle of the folder, which Claude
    Desktop installs with a click.
    """
    variables = environment(server)
    options = {
        variable.key: {
            "type": "string",
            "title": variable.meaning,
            "description": f"Becomes {variable.name}. {variable.text}",
            "required": variable.required,
            "sensitive": variable.secret,
            **({} if variable.required else {"default": ""}),
        }
        for variable in variables
    }
    return {
        "manifest_version": "0.4",
        "name": server.distribution,
        "display_name": title_of(server),
        "version": VERSION,
        "description": _description(server),
        "author": {"name": OWNER},
        "server": {
            "type": "uv",
            "entry_point": f"{server.home}__main__.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "python", "-m", server.package],
                "env": {
                    variable.name: f"${{user_config.{variable.key}}}" for variable in variables
                },
            },
        },
        "tools_generated": True,
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": ">=3.11"},
        },
        "user_config": options,
    }


def client_files(server: Server) -> dict[str, str]:
    """Return path → settings to paste: what each client's file has to hold for this server.

    Of a `lazy` server, clients that cannot take all its tools get an entry with `--lazy`.
    """
    http = {"mcpServers": {server.name: {"type": "http", "url": HTTP_ADDRESS}}}
    files = {"clients/http.json": _json(http)}
    variables = to_set(server)
    start = [command(server)]
    overfull = overfull_clients(server) if server.lazy else ()
    for name, client in CLIENTS.items():
        env = {
            item.name: client.reference.format(name=item.name, key=item.key) for item in variables
        }
        words = [*start, "--lazy"] if client in overfull else start
        entry = client.entry(server.name, words, env)
        path = f"clients/{name}.{client.form}"
        files[path] = client.text(server.name, entry)
    prompts = [
        {"type": "promptString", "id": item.key, "description": item.text, "password": item.secret}
        for item in variables
    ]
    vscode = json.loads(files["clients/vscode.json"])
    files["clients/vscode.json"] = _json({"inputs": prompts, **vscode})
    return files


def overfull_clients(server: Server) -> tuple[Client, ...]:
    """Return the clients that take fewer tools than the server has."""
    count = len(server.tools)
    return tuple(client for client in CLIENTS.values() if not client.lists(count))


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2) + "\n"


def title_of(server: Server) -> str:
    """Return the server's title on one line of at most 100 characters; its name without a title."""
    return shorten(" ".join(visible(server.title).split()), 100) or server.name


def _description(server: Server) -> str:
    return shorten(about(server, title_of(server)), 100) or about(server, server.name)


def about(server: Server, title: str) -> str:
    """Return `The operations of TITLE as tools`; without an API, `TITLE as tools`."""
    return f"The operations of {title} as tools" if server.calls_api else f"{title} as tools"
