"""Commands `install` and `uninstall` of a server."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...catalog import Catalog
from ...command import choices, command_line
from ...package import Package, StartError
from ...settings import Setting, Settings, read, settings_with
from .files import CLIENTS, FORMS, Client

if sys.platform != "win32":
    import fcntl

COMMANDS = ("install", "uninstall")
PLACEHOLDER = "REPLACE_ME"
_TRIES = 20
_KIND = {"type", "source", "url"}
"""Members that say what kind of server an entry is."""
_OFF = {"disabled": True, "enabled": False}
"""Members by which an entry is switched off, with their values then."""


def main(package: str, argv: list[str]) -> int:
    """Run `install` or `uninstall` for this server; return 0.

    Raises SettingsError and StartError where the server could not start as it would be installed,
    and StartError for a file that cannot be edited.
    """
    home = Package.named(package)
    start = _start(package, f"{home.facts()['name']}-mcp")

    def count(options: argparse.Namespace) -> int:
        with redirect_stdout(sys.stderr):  # what the user's modules print is no part of `--print`
            catalog = Catalog(
                home,
                toolsets=options.toolsets.split(","),
                tools=options.tools.split(","),
                read_only=options.read_only,
            )
        return len(catalog.listed)

    return run(home, argv, start, count)


def run(
    home: Package,
    argv: list[str],
    start: list[str],
    count: Callable[[argparse.Namespace], int],
    further: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Run `install` or `uninstall` for a server that the words of `start` start, with `further`
    variables; return 0. `count` returns the number of tools listed with options. Raises as `main`.
    """
    facts = home.facts()
    name = str(facts["name"])
    parser = _parser(name, choices(home))
    options = parser.parse_args(argv)
    if options.client is None:
        parser.error(f"name a client, {unchosen()}")
    client = CLIENTS[options.client]
    path = client.path(os.environ)
    is_edited = client.form in FORMS
    if options.command == "uninstall":
        if not is_edited:
            print(f"Take `{name}` and the lines below it out of `{client.key}` in {path}")
            return 0
        return _uninstall(client, path, name)
    settings = read(facts)
    for note in settings.notes:
        print(f"note: {note}", file=sys.stderr)
    arguments, reason = _arguments(facts, client, options, count)
    start = [*start, *arguments]
    env = _environment(settings)
    if reason:
        print(f"note: {reason}", file=sys.stderr)
    if options.print or not is_edited:
        hidden = {key: _printable(key, value, settings) for key, value in env.items()}
        entry = client.entry(name, start, {**further, **hidden})
        how = "this belongs in" if is_edited else "nothing was changed: paste this into"
        print(f"note: {how} {path}", file=sys.stderr)
        print(client.text(name, entry))
        return 0
    return _install(client, path, name, client.entry(name, start, {**further, **env}))


def _parser(name: str, tool_options: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser = command_line(
        prog=f"{name}-mcp",
        parents=[tool_options],
        description=(
            "Enters this server into a client's settings (install), or removes it (uninstall)."
            " Other entries stay, and the file as it was is kept beside it."
        ),
        epilog="Variables of the environment that this server reads are written with it.",
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument(
        "client", nargs="?", choices=sorted(CLIENTS), metavar="CLIENT", help=_clients()
    )
    parser.add_argument(
        "--print", action="store_true", help="show what would be written, and change nothing"
    )
    return parser


def _clients() -> str:
    return f"one of {', '.join(sorted(CLIENTS))}"


def unchosen() -> str:
    """Return the hint for a command without a client: all clients, and those on this machine."""
    here = ", ".join(name for name in sorted(CLIENTS) if CLIENTS[name].is_here(os.environ))
    return f"{_clients()}; found here: {here or 'none of them'}"


def _start(package: str, script: str) -> list[str]:
    """Return the words that start this server: the script's full path, else Python's and `-m`."""
    called = sys.argv[0]
    if Path(called).stem == script:
        return [str(Path(shutil.which(called) or called).absolute())]
    return [sys.executable, "-m", package]


def _arguments(
    facts: Mapping[str, Any],
    client: Client,
    options: argparse.Namespace,
    count: Callable[[argparse.Namespace], int],
) -> tuple[list[str], str]:
    """Return the server's arguments, with `--lazy` if the client needs it, and a note on that."""
    arguments = []
    for option in ("toolsets", "tools"):
        if getattr(options, option):
            arguments += [f"--{option}", getattr(options, option)]
    if options.read_only:
        arguments.append("--read-only")
    for option in ("lazy", "code"):
        if getattr(options, option):
            return [*arguments, f"--{option}"], ""
    number = count(options)
    if client.lists(number):
        return arguments, ""
    fact = f"{client.title} takes {client.tool_limit} tools and this server has {number}"
    if "search" not in facts.get("parts", ()):
        return arguments, f"{fact}; choose some with --toolsets or --tools"
    reason = (
        f"{fact}, so it is started with --lazy; choose some with --toolsets or --tools to see them"
    )
    return [*arguments, "--lazy"], reason


def _environment(settings: Settings) -> dict[str, str]:
    """Return the variables that are set here and that this server reads on stdio."""
    env = {}
    for variable, value in sorted(os.environ.items()):
        setting = _setting(variable.removesuffix("_FILE"), settings)
        if variable in settings.variables and (setting is None or setting.group != "http"):
            env[variable] = value
    return env


def _printable(variable: str, value: str, settings: Settings) -> str:
    """Return the value of a setting; `REPLACE_ME` for a value that is, or may be, a secret."""
    setting = _setting(variable, settings)
    if setting is None or setting.kind == "secret":
        return PLACEHOLDER
    return value


def _setting(variable: str, settings: Settings) -> Setting | None:
    name = variable.removeprefix(f"{settings.env_prefix}_")
    return next(
        (each for each in settings_with(type(settings), settings.parts) if each.name == name), None
    )


def _install(client: Client, path: Path, name: str, entry: dict[str, Any]) -> int:
    is_here = client.is_here(os.environ)
    word = next(word for word, ours in client.members.items() if ours == "env")
    given = entry.pop(word, {})

    def with_rest(text: str) -> dict[str, Any]:
        # What somebody wrote there by hand, as a key or a time limit, outlives another `install`
        there = _object(_entry(client, text, path).get(name))
        variables = _object(there.get(word)) | given
        if variables:
            entry[word] = variables
        if "command" in there:
            ours = client.members.keys() | _KIND
            entry.update({key: there[key] for key in there if key not in ours})
        return entry

    is_changed = _rewritten(client, path, name, with_rest)
    hindrance = _hindrance(client, entry, is_here=is_here)
    if not is_changed:
        _make_private(path)
        print(f"{path} has this entry already{hindrance}")
        return 0
    if hindrance:
        print(f"Written to {path}{hindrance}")
    else:
        print(f"{client.title} starts `{name}` now, as {path} says")
    if entry.get(word):
        print(f"Values in that file, in plain text: {', '.join(entry[word])}")
    if not hindrance:
        print(client.afterwards)
    return 0


def _hindrance(client: Client, entry: Mapping[str, Any], *, is_here: bool) -> str:
    """Return the reason why the client does not start an entry's server; empty if it does."""
    if not is_here:
        return f", but {client.title} was not found here"
    for key, value in _OFF.items():
        if entry.get(key) is value:
            return f", but the entry is switched off there (`{key}`)"
    return ""


def _object(value: Any) -> dict[str, Any]:
    """Return a copy of a value that is an object, else an empty object."""
    return dict(value) if isinstance(value, dict) else {}


def _uninstall(client: Client, path: Path, name: str) -> int:
    if _rewritten(client, path, name, lambda _: None):
        print(f"{client.title} no longer starts `{name}`: its entry is gone from {path}")
    else:
        print(f"{path} has no entry `{name}`")
    for copy in path.resolve().parent.glob(f"{path.resolve().name}.*-mcp.bak"):
        if _rewritten(client, copy, name, lambda _: None):
            print(f"Its entry is gone from {copy} too")
    return 0


def _read(path: Path) -> str:
    """Return the text of a file, with its line ends; empty without a file. Raises StartError."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StartError(f"{path} cannot be read: {error}") from error


def _entry(client: Client, text: str, path: Path) -> dict[str, Any]:
    """Return the servers in the text of a file (name -> entry). Raises StartError."""
    try:
        servers = FORMS[client.form].load(text).get(client.key, {})
    except ValueError as error:
        raise StartError(f"{path} was not changed, as it cannot be read: {error}") from error
    if not isinstance(servers, dict):
        raise StartError(f"{path} was not changed: its `{client.key}` is no table of servers")
    return dict(servers)


def _edited(
    client: Client, path: Path, before: str, name: str, entry: dict[str, Any] | None
) -> str:
    """Return the text with the entry (None: without). Raises StartError rather than change more."""
    form = FORMS[client.form]
    expected = _entry(client, before, path)
    if expected.get(name) == entry:
        return before
    try:
        if entry is None:
            after = form.drop(before, client.key, name)
            expected.pop(name, None)
        else:
            after = form.put(before, client.key, name, entry)
            expected[name] = entry
    except (ValueError, LookupError, TypeError) as error:
        raise _refusal(path, str(error)) from error
    if not _only_servers_changed(form.load, client.key, before, after, expected):
        raise _refusal(path, "it is written in a way that is not understood")
    return after


def _only_servers_changed(
    load: Callable[[str], dict[str, Any]],
    key: str,
    before: str,
    after: str,
    expected: dict[str, Any],
) -> bool:
    """Return whether the new text has exactly the expected servers, under `key`, and else says the
    same as the old text; False if a text cannot be read.
    """
    try:
        old, new = load(before), load(after)
    except ValueError:
        return False
    old.pop(key, None)
    return bool(new.pop(key, {}) == expected and new == old)


def _refusal(path: Path, reason: str) -> StartError:
    hint = "`install CLIENT --print` shows what to write there by hand"
    return StartError(f"{path} was not changed: {reason}; {hint}")


def _make_private(path: Path) -> None:
    """Let only its owner read a file; say so if others could. Raises OSError."""
    if os.name == "posix" and path.exists() and path.stat().st_mode & 0o077:
        path.chmod(0o600)
        print(f"Others could read {path}; now only its owner can")


def _rewritten(
    client: Client, path: Path, name: str, entry_in: Callable[[str], dict[str, Any] | None]
) -> bool:
    """Write the entry that `entry_in` returns for a file's text (None: no entry) into the file;
    return whether the text changed.

    Changes by others at the same time, such as the client's, are not undone. Raises StartError.
    """
    try:
        file = path.resolve()
        is_circle = file.is_symlink()  # where nothing is raised: from Python 3.13 on
    except (OSError, RuntimeError):
        is_circle = True
    if is_circle:
        raise _refusal(path, "its links lead in a circle")
    copy = file.with_name(f"{file.name}.{name}-mcp.bak")
    for _ in range(_TRIES):
        before = _read(file)
        try:
            after = _edited(client, path, before, name, entry_in(before))
            # A copy of what has this entry would keep its secrets, and replace the original
            is_original = before == _edited(client, path, before, name, None)
        except RecursionError:
            raise _refusal(path, "it is nested too deeply") from None
        if after == before:
            return False
        if _replaced(file, before, after, copy if is_original else None):
            return True
    raise _refusal(path, "something else writes to it all the time")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock a folder against other servers' `install`, if the system has such locks."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replaced(path: Path, before: str, after: str, copy: Path | None) -> bool:
    """Replace a file's text at once, after `copy` of the old one if given; return False if the file
    has no longer the text `before`. Only the owner can read the file. Raises StartError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            draft = Path(folder, path.name)
            draft.touch(0o600)
            draft.write_bytes(after.encode())
            _make_private(path)
            if before and copy:
                shutil.copy2(path, copy)
                print(f"The file as it was: {copy}")
            with _alone(path.parent):
                if _read(path) != before:
                    return False
                draft.replace(path)
    except OSError as error:
        raise StartError(f"{path} cannot be written: {error}") from error
    return True
