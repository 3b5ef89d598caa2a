"""Documents at a URL the user named: bounded in size and time, and held to the server they named.

The headers that the user asks for go to the server of the first URL alone; no other credentials and
no cookies are sent. A redirect must stay on that server. The address itself is the user's choice,
plain http and private networks included.
"""

from __future__ import annotations

import errno
import hashlib
import http.client
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from ..problems import DocumentError, McpgenError, RefusedError, UsageError
from ..runtime.facts import is_public
from ..text import Progress, plural, silent, visible
from .text import Limits

CHUNK = 65_536
READ_SECONDS = 30.0
"""Read timeout in seconds."""
QUIET_SECONDS = 1.0
"""A download that takes no longer is not worth a line on the terminal."""
TICK_SECONDS = 0.2
PORTS = {"http": 80, "https": 443}
HEADERS = {
    "Accept": "application/json, application/yaml, */*;q=0.5",
    "Accept-Encoding": "identity",
    "User-Agent": "mcpgen",
}

CONDITIONS = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}
"""Headers of a request for what has changed, and those of the answer before that they repeat
(RFC 9110, section 13.1).
"""

SECRET_HEADER = (
    "`--header 'Authorization: env:NAME'` sends what the environment variable NAME holds"
)
PLACES = (
    "check the URL; descriptions are often at `/openapi.json`, `/openapi.yaml`, `/swagger.json` or"
    " `/v3/api-docs`"
)
FILE_INSTEAD = "or download the document and give the file"
_HINTS = {
    **dict.fromkeys((401, 403), f"{SECRET_HEADER}; {FILE_INSTEAD}"),
    **dict.fromkeys((404, 405, 410), PLACES),
    **dict.fromkeys(
        (301, 302, 303, 307, 308),
        f"it redirects in a circle, or to no web address: check the URL, {FILE_INSTEAD}",
    ),
}
"""Status of an answer → the hint."""

Certificate = tuple[str | None, str | None]
"""The files of a client's certificate and its key. None: no certificate, or one file for both."""


def plain_url(url: str) -> str:
    """Return a URL for messages: without query and fragment, which may hold secrets.

    Raises `UsageError` for a malformed URL, and for a user name or a password in it.
    """
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError as error:
        hint = "a URL is written `https://api.example.com/openapi.yaml`"
        raise UsageError.of("E0122", f"not a URL: {error}", hint, file=url[:80]) from None
    if parts.username is not None or parts.password is not None:
        raise UsageError.of(
            "E0122",
            "a URL with a user name or a password in it",
            file=parts.hostname or "url",
            hint=f"{SECRET_HEADER}; {FILE_INSTEAD}",
        )
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))


@dataclass(slots=True)
class Downloads:
    """The downloads of one run, with one deadline for all and one limit of size for each.

    `progress` is told how much of a slow download has arrived. `spent` counts the seconds of all
    downloads. `reached_public` is true once a public address answered. `headers` returns the
    headers for the server of the first URL and is called at each fetch; only this server sees the
    client's `certificate`. `validators`: URL → the headers of its next, conditional request, from
    its last answer (RFC 9110, section 13.1).
    """

    limits: Limits
    progress: Progress = silent
    headers: Callable[[], Mapping[str, str]] = dict
    certificate: Certificate = (None, None)
    first_url: str = ""
    validators: dict[str, dict[str, str]] = field(default_factory=dict)
    spent: float = 0.0
    reached_public: bool = False

    def fetch(self, url: str) -> bytes:
        """Return the bytes at an http or https URL.

        Raises `UsageError`, `DocumentError` or `RefusedError` (E0105, E0122), and `Unchanged` for
        status 304.
        """
        self.first_url = self.first_url or url
        transfer = _Transfer(url, self)
        if self.spent >= self.limits.seconds:
            raise self._too_slow(transfer)
        worker = threading.Thread(target=transfer.run, daemon=True)
        started = time.monotonic()
        worker.start()
        try:
            self._wait(transfer, started)
        finally:
            self.spent += time.monotonic() - started
            transfer.close()
        return transfer.result()

    def headers_for(self, url: str) -> dict[str, str]:
        """Return the headers for a URL: mcpgen's, the validators of its last answer and, on the
        first URL's server, the user's. Raises `ValueError` for a port that is no number.
        """
        if _origin(url) == _origin(self.first_url):
            return {**HEADERS, **self.validators.get(url, {}), **self.headers()}
        return {**HEADERS, **self.validators.get(url, {})}

    def context_for(self, url: str) -> ssl.SSLContext:
        """Return the TLS settings for a URL; on the first URL's server with the client's
        certificate. Raises `UsageError` for a certificate that cannot be read.
        """
        context = ssl.create_default_context()
        certificate, key = self.certificate
        if certificate is None:
            return context
        if _origin(url) != _origin(self.first_url):
            return context
        try:
            context.load_cert_chain(certificate, key, password="")
        except OSError as error:
            message = f"the certificate or its key cannot be read: {error.strerror or error}"
            hint = "give PEM files, the key without a password: `--cert FILE --key FILE`"
            raise UsageError.of("E0122", message[:260], hint, file=certificate) from None
        return context

    def _wait(self, transfer: _Transfer, started: float) -> None:
        allowed = self.limits.seconds - self.spent
        while not transfer.done.wait(TICK_SECONDS):
            elapsed = time.monotonic() - started
            if elapsed > allowed:
                raise self._too_slow(transfer)
            if elapsed > QUIET_SECONDS:
                arrived = _size(transfer.arrived)
                self.progress(
                    f"fetching {transfer.name}: {arrived} in {elapsed:.0f} s,"
                    f" at most {allowed:.0f} s"
                )

    def _too_slow(self, transfer: _Transfer) -> RefusedError:
        return RefusedError.of(
            "E0122",
            f"not fetched within {self.limits.seconds:g} s: {_size(transfer.arrived)} had arrived",
            file=transfer.name,
            hint=(
                f"download it, for example `curl -o openapi.yaml {transfer.name}`, and give the"
                " file; `fetch_seconds` in `mcpgen.toml` allows more time"
            ),
        )


class _Transfer:
    """One download, in a thread of its own: no timeout of a socket ends the lookup of a host's
    name, or a server that sends a byte now and then.
    """

    def __init__(self, url: str, downloads: Downloads) -> None:
        self.url = url
        self.name = plain_url(url)
        self.downloads = downloads
        self.done = threading.Event()
        self.arrived = 0
        self._content = b""
        self._error: BaseException | None = None
        self._sockets: list[Any] = []

    def run(self) -> None:
        """Download, and keep the bytes or the error for `result`; nothing is raised."""
        try:
            self._content = self._download()
        except BaseException as error:
            self._error = error
        finally:
            self.done.set()

    def result(self) -> bytes:
        """Return the bytes. Raises the error of `_explained` if the download failed."""
        if self._error is None:
            return self._content
        raise _explained(self._error, self.name) from None

    def close(self) -> None:
        """Shut the connections down, which also ends waiting threads."""
        for connected in self._sockets:
            try:
                connected.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def connected(self, connection: Any) -> None:
        """Note a new connection. Raises `Elsewhere` for a private address after a public one (DNS
        rebinding).
        """
        self._sockets.append(connection)
        address = str(connection.getpeername()[0])
        if is_public(address):
            self.downloads.reached_public = True
        elif self.downloads.reached_public:
            raise Elsewhere(f"{self.name} at {address}")

    def _download(self) -> bytes:
        limits = self.downloads.limits
        request = urllib.request.Request(self.url, headers=self.downloads.headers_for(self.url))
        parts: list[bytes] = []
        with _opener(self).open(request, timeout=READ_SECONDS) as answer:
            self.downloads.validators[self.url] = {
                asked: answer.headers[name]
                for asked, name in CONDITIONS.items()
                if answer.headers[name]
            }
            announced = answer.length
            while announced is None or self.arrived < announced:
                part = answer.read1(CHUNK)
                if not part:
                    break
                parts.append(part)
                self.arrived += len(part)
                if self.arrived > limits.bytes:
                    raise too_large(self.name, limits)
        if announced is not None and self.arrived < announced:
            raise http.client.IncompleteRead(b"", announced - self.arrived)
        return b"".join(parts)


def may_redirect(old: str, new: str) -> bool:
    """Return whether a redirect stays on the server the user named: same scheme, host and port, or
    from http to https at the default ports.
    """
    try:
        before, after = _origin(old), _origin(new)
    except ValueError:
        return False
    if before == after:
        return True
    host = before[1]
    return (before, after) == (("http", host, 80), ("https", host, 443))


def _origin(url: str) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port, by default the scheme's. Raises `ValueError` for a port that is
    no number.
    """
    parts = urllib.parse.urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, parts.hostname, parts.port or PORTS.get(scheme)


@dataclass(slots=True)
class Poll:
    """A poll of a file at a URL for changes. `digest` is the SHA-256 of the content known; a server
    that supports validators sends content only after a change.
    """

    url: str
    digest: bytes
    downloads: Downloads

    def has_changed(self) -> bool:
        """Fetch the file and return whether its content is new; False for a failure and for status
        304.
        """
        self.downloads.spent = 0.0
        try:
            content = self.downloads.fetch(self.url)
        except (McpgenError, Unchanged):
            return False
        before, self.digest = self.digest, hashlib.sha256(content).digest()
        return self.digest != before


class Unchanged(Exception):
    """The answer 304: the file is unchanged since the answer that `validators` belong to."""


class Elsewhere(Exception):
    """A redirect to another server, or a private address after a public one."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect that stays on the server the user named, else raises Elsewhere."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,
        newurl: str,
    ) -> urllib.request.Request | None:
        if not may_redirect(req.full_url, newurl):
            raise Elsewhere(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _noted(kind: type[http.client.HTTPConnection], transfer: _Transfer) -> Any:
    """Return a class of connections that call `transfer.connected` when they are open."""

    class Noted(kind):  # type: ignore[valid-type,misc]
        def connect(self) -> None:
            super().connect()
            transfer.connected(self.sock)

    return Noted


class _Http(urllib.request.HTTPHandler):
    def __init__(self, transfer: _Transfer) -> None:
        super().__init__()
        self._connection = _noted(http.client.HTTPConnection, transfer)

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connection, req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, transfer: _Transfer) -> None:
        super().__init__()
        self._transfer = transfer
        self._connection = _noted(http.client.HTTPSConnection, transfer)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        context = self._transfer.downloads.context_for(req.full_url)
        return self.do_open(self._connection, req, context=context)


def _opener(transfer: _Transfer) -> urllib.request.OpenerDirector:
    """Return an opener of http and https URLs only: no files, no FTP, no cookies."""
    opener = urllib.request.OpenerDirector()
    opener.add_handler(urllib.request.ProxyHandler())
    opener.add_handler(_Http(transfer))
    opener.add_handler(_Https(transfer))
    opener.add_handler(urllib.request.HTTPDefaultErrorHandler())
    opener.add_handler(urllib.request.HTTPErrorProcessor())
    opener.add_handler(_Redirects())
    return opener


def _explained(error: BaseException, name: str) -> BaseException:
    """Return the error to raise for a failed download: `Unchanged` for status 304, RefusedError for
    `Elsewhere`, else DocumentError (E0122); an McpgenError as it is.
    """
    if isinstance(error, McpgenError):
        return error
    if isinstance(error, urllib.error.HTTPError) and error.code == 304:
        return Unchanged()
    if isinstance(error, Elsewhere):
        hint = f"if you trust it, give that URL: {str(error)[:200]}"
        return RefusedError.of("E0122", "redirected to another server", hint, file=name)
    if not isinstance(error, Exception):
        return error
    message, hint = _words(error, getattr(error, "reason", error), name)
    return DocumentError.of("E0122", message, hint, file=name)


def _ends_tls(error: Exception, reason: Any, name: str) -> bool:
    """Return whether the server ended a TLS connection, also without an alert (RFC 8446, section
    6.1).
    """
    ends = getattr(reason, "errno", None) in (errno.ENOTCONN, errno.ECONNRESET, errno.EPIPE)
    return any(isinstance(each, ssl.SSLError) for each in (error, reason)) or (
        ends and name.startswith("https:")
    )


def _words(error: Exception, reason: Any, name: str) -> tuple[str, str]:
    """Return (message, hint) for a failed download; `reason` is the error's cause."""
    again = "try again, or download it and give the file"
    match error, reason:
        case urllib.error.HTTPError(code=code), _:
            return f"the server answered {code}", _HINTS.get(code, "check the URL")
        case _, TimeoutError():
            return f"the server was silent for {READ_SECONDS:g} s", again
        case _, socket.gaierror():
            host = visible(str(urllib.parse.urlsplit(name).hostname))
            return (
                f"the host `{host}` is not known",
                "check the spelling of the URL, and the network",
            )
        case _, ssl.SSLCertVerificationError():
            message = f"the TLS certificate of the server is not trusted: {reason.verify_message}"
            hint = "if you trust it, name the file of its CA (PEM) in `SSL_CERT_FILE`"
            return message[:260], hint
        case _ if _ends_tls(error, reason, name):
            hint = "a server that asks for a client's certificate gets it by `--cert` and `--key`"
            told = getattr(reason, "reason", reason)
            return f"the server ended the TLS connection: {told}"[:260], hint
        case (OSError() | ValueError()), _:
            words = getattr(reason, "strerror", None) or str(reason)
            return (
                f"cannot be fetched{_by_way_of(name)}: {words[:200]}",
                "check the URL and the network",
            )
        case http.client.IncompleteRead(), _:
            return f"the connection ended {error.expected} bytes too early", again
    # http.client has its own kinds for what is not HTTP
    kind = type(error).__name__
    return f"cannot be fetched: {kind}", "check that the URL leads to an HTTP server"


def _by_way_of(url: str) -> str:
    """Return ` through the proxy …`, without the password, or an empty text without a proxy."""
    parts = urllib.parse.urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme, "")
    if not proxy or urllib.request.proxy_bypass(parts.netloc):
        return ""
    return f" through the proxy `{visible(proxy.rpartition('@')[2])[:100]}`"


def too_large(name: str, limits: Limits) -> RefusedError:
    """Return the RefusedError (E0105) for a file over the size limit."""
    return RefusedError.of(
        "E0105",
        f"larger than {_size(limits.bytes)}",
        file=name,
        hint="split the document, or raise the limit with `--max-bytes`",
    )


def _size(count: int) -> str:
    """Return a number of bytes for people: `512 bytes`, `3 KiB`, `25 MiB`."""
    if count < 1024:
        return plural(count, "byte")
    if count < 1024 * 1024:
        return f"{count / 1024:.0f} KiB"
    return f"{count / 1024 / 1024:.3g} MiB"
