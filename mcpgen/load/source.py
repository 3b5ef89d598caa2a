"""Where a document comes from: a file, a URL the user named, or standard input. All reading is
bounded.
"""

from __future__ import annotations

import difflib
import errno
import os
import stat
import sys
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

from ..problems import DocumentError, McpgenError, RefusedError, UsageError
from .limits import Limits
from .text import problem

_DOCUMENT_ENDINGS = (".json", ".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a document was read from.

    `name` is what messages show. `url` is set for `kind == "url"`: without credentials, query and
    fragment, for relative servers to be resolved against. `sha256` is of the loaded tree with
    sorted keys: the same document with its keys in another order has the same.
    """

    name: str
    kind: Literal["path", "url", "stdin"]
    path: Path | None = None
    url: str | None = None
    sha256: str = ""


def find(name: str | os.PathLike[str]) -> Source:
    """What kind of source a name given on the command line is."""
    name = os.fspath(name)
    if name == "-":
        return Source(name="<stdin>", kind="stdin")
    if name[:8].lower().startswith(("http://", "https://")):
        parts = urllib.parse.urlsplit(name)
        if parts.username is not None or parts.password is not None:
            raise UsageError(
                problem(
                    "E0122",
                    "a URL with a user name or a password in it",
                    parts.hostname or "url",
                    hint="download the document and give the file",
                )
            )
        shown = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
        return Source(name=shown, kind="url", url=shown)
    if "://" in name:
        raise UsageError(
            problem(
                "E0122",
                f"cannot read from `{name.split('://')[0][:20]}:` URLs",
                name,
                hint="give a file or an http(s) URL",
            )
        )
    return Source(name=name, kind="path", path=Path(name))


def read(source: Source, limits: Limits, *, given: str = "") -> bytes:
    """The bytes of a source, at most `limits.bytes`. `given` is the URL as the user wrote it, query
    included.
    """
    if source.kind == "stdin":
        return _bounded(sys.stdin.buffer, source.name, limits)
    if source.kind == "url":
        return fetch(given or source.url or "", limits)
    assert source.path is not None
    return read_file(source.path, source.name, limits)


def read_file(path: Path, name: str, limits: Limits) -> bytes:
    """The bytes of a regular file; anything else (folder, pipe, device, socket) is refused
    unread.
    """
    try:
        # O_NONBLOCK: opening a FIFO must not wait for a writer.
        descriptor = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
    except OSError as error:
        raise _cannot_open(path, name, error) from None
    except ValueError:
        raise UsageError(problem("E0101", "no such file", name)) from None
    try:
        state = os.fstat(descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise _is_directory(path, name)
        if not stat.S_ISREG(state.st_mode):
            hint = "use `-` to read standard input, or copy it to a file"
            raise RefusedError(problem("E0104", "not a regular file", name, hint=hint))
        if state.st_size > limits.bytes:
            raise too_large(name, limits)
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return _bounded(stream, name, limits)
    finally:
        os.close(descriptor)


def _bounded(stream: IO[bytes], name: str, limits: Limits) -> bytes:
    raw = stream.read(limits.bytes + 1)
    if len(raw) > limits.bytes:
        raise too_large(name, limits)
    return raw


def too_large(name: str, limits: Limits) -> RefusedError:
    """The refusal of a file over the size limit."""
    size = f"{limits.bytes / 1024 / 1024:g} MiB"
    return RefusedError(
        problem(
            "E0105",
            f"larger than {size}",
            name,
            hint="split the document, or raise the limit with `--max-bytes`",
        )
    )


def _cannot_open(path: Path, name: str, error: OSError) -> McpgenError:
    if isinstance(error, FileNotFoundError) or error.errno in (
        errno.ENOTDIR,
        errno.ENAMETOOLONG,
        errno.EINVAL,
    ):
        near = _near(path)
        hint = f"did you mean `{near}`?" if near else ""
        return UsageError(problem("E0101", f"no such file: {name}", name, hint=hint))
    if isinstance(error, PermissionError):
        return UsageError(
            problem(
                "E0103",
                f"no permission to read {name}",
                name,
                hint=f"`chmod u+r {name}`, or run as its owner",
            )
        )
    if isinstance(error, IsADirectoryError):
        return _is_directory(path, name)
    if error.errno in (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP):
        return RefusedError(problem("E0104", "not a regular file", name))
    if error.errno == errno.ELOOP:
        return RefusedError(problem("E0104", "a symbolic link that leads to itself", name))
    return UsageError(problem("E0103", f"cannot be opened: {error.strerror}", name))


def _near(path: Path) -> str:
    """The file beside a missing one whose name is closest to it."""
    try:
        names = [entry.name for entry in os.scandir(path.parent) if entry.is_file()][:10_000]
    except OSError:
        return ""
    folded = {name.lower(): name for name in names}
    close = difflib.get_close_matches(path.name.lower(), folded, n=1, cutoff=0.6)
    if not close:
        close = [
            name
            for name in folded
            if Path(name).stem == path.stem.lower() and name.endswith(_DOCUMENT_ENDINGS)
        ]
    return folded[close[0]] if close else ""


def _is_directory(path: Path, name: str) -> UsageError:
    try:
        inside = sorted(
            entry.name for entry in os.scandir(path) if entry.name.endswith(_DOCUMENT_ENDINGS)
        )
    except OSError:
        inside = []
    hint = (
        "give a file in it: " + ", ".join(f"`{item}`" for item in inside[:5])
        if inside
        else "give a file"
    )
    return UsageError(problem("E0102", f"{name} is a directory", name, hint=hint))


# URLs.


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Redirects stay where the user sent us: the same host, and never from https to http."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,
        newurl: str,
    ) -> urllib.request.Request | None:
        old, new = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        same = (old.hostname, old.port) == (new.hostname, new.port) and old.scheme == new.scheme
        upgraded = (
            old.hostname == new.hostname
            and (old.scheme, new.scheme) == ("http", "https")
            and not new.port
        )
        if not (same or upgraded):
            raise _Elsewhere(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Elsewhere(Exception):
    """A redirect to another host."""


def fetch(url: str, limits: Limits) -> bytes:
    """The bytes at an http or https URL the user named. No credentials are sent, redirects stay on
    the host.
    """
    shown = find(url).name
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _SameHost(),
    ):
        opener.add_handler(handler)
    headers = {
        "Accept": "application/json, application/yaml, */*;q=0.5",
        "Accept-Encoding": "identity",
        "User-Agent": "mcpgen",
    }
    try:
        request = urllib.request.Request(url, headers=headers)
        with opener.open(request, timeout=limits.seconds) as answer:
            return _bounded(answer, shown, limits)
    except _Elsewhere as error:
        raise RefusedError(
            problem(
                "E0122",
                "redirected to another host",
                shown,
                hint=f"if you trust it, give that URL: {str(error)[:200]}",
            )
        ) from None
    except urllib.error.HTTPError as error:
        hint = (
            "download it with your credentials and give the file"
            if error.code in (401, 403)
            else "check the URL"
        )
        raise DocumentError(
            problem("E0122", f"the server answered {error.code}", shown, hint=hint)
        ) from None
    except (OSError, ValueError, urllib.error.URLError) as error:
        reason = getattr(error, "reason", None) or error
        raise DocumentError(
            problem(
                "E0122",
                f"cannot be fetched: {str(reason)[:200]}",
                shown,
                hint="check the URL and the network",
            )
        ) from None
    except McpgenError:
        raise
    except Exception as error:  # http.client raises its own kinds for answers that are not HTTP
        raise DocumentError(
            problem("E0122", f"cannot be fetched: {type(error).__name__}", shown)
        ) from None


def with_hash(source: Source, digest: str) -> Source:
    """The source with the hash of what was loaded from it."""
    return replace(source, sha256=digest)
