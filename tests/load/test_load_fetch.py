"""Documents at a URL: one deadline for all there is to fetch, and redirects that stay where the user
sent us.
"""

import hashlib
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from http.client import BadStatusLine, IncompleteRead
from pathlib import Path
from typing import Any

import pytest

from mcpgen.config import Config
from mcpgen.load import Limits, fetch
from mcpgen.load.fetch import may_redirect
from mcpgen.pipeline import open_document
from mcpgen.problems import McpgenError, Problems, UsageError
from tests.loopback import Answer, Asked, Loopback, self_signed

from .conftest import loaded, refused

DOCUMENT = b"openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\n"
OK = b"HTTP/1.1 200 OK\r\n"
DEADLINE = Limits(seconds=1.0)
SOON = 10.0
"""Seconds within which a deadline of one second must have ended a run on a busy machine."""


class Slow:
    """A server that answers every request with `answer(send, path)` and then hangs up."""

    def __init__(self, answer: Callable[[Callable[[bytes], None], str], None]) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.hung_up = threading.Event()
        self._stop = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    def url(self, path: str = "/x.yaml") -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}{path}"

    def close(self) -> None:
        self._stop.set()
        self._socket.close()

    def rest(self, seconds: float) -> None:
        """Wait, unless the test is over."""
        if self._stop.wait(seconds):
            raise OSError("the test is over")

    def _serve(self) -> None:
        while not self._stop.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection:
            path = connection.recv(65536).split(b" ")[1].decode()
            self.asked.append(path)
            try:
                self.answer(connection.sendall, path)
            except OSError:
                self.hung_up.set()


@pytest.fixture
def slow() -> Iterator[Callable[..., Slow]]:
    """Make a server of an answer."""
    servers: list[Slow] = []

    def make(answer: Callable[[Slow, Callable[[bytes], None], str], None]) -> Slow:
        server = Slow(lambda send, path: answer(server, send, path))
        servers.append(server)
        return server

    yield make
    for server in servers:
        server.close()


def drips(begin: bytes, part: bytes, pause: float = 0.1) -> Any:
    def answer(server: Slow, send: Callable[[bytes], None], _: str) -> None:
        send(begin)
        while True:
            send(part)
            server.rest(pause)

    return answer


def redirects_slowly(server: Slow, send: Callable[[bytes], None], path: str) -> None:
    server.rest(0.3)
    send(b"HTTP/1.1 302 Found\r\nLocation: " + path.encode() + b"x\r\n\r\n")


SILENT = drips(b"", b"")


@pytest.mark.parametrize("answer", [
    drips(OK + b"\r\n", b"#"), drips(OK + b"X-Slow: ", b"x"), SILENT, redirects_slowly,
])  # fmt: skip
def test_a_slow_server_is_cut_off_at_the_deadline(slow: Callable[..., Slow], answer: Any) -> None:
    server = slow(answer)
    started = time.monotonic()
    refusal = refused(server.url(), limits=DEADLINE)
    assert time.monotonic() - started < SOON
    assert (refusal.exit_code, refusal.codes) == (3, ["E0122"])
    assert "not fetched within 1 s" in refusal.text and "fetch_seconds" in refusal.text
    assert f"curl -o openapi.yaml {server.url()}" in refusal.text
    assert answer in (SILENT, redirects_slowly) or server.hung_up.wait(SOON)


def test_a_download_ends_at_the_limit(slow: Callable[..., Slow]) -> None:
    server = slow(drips(OK + b"\r\n", b"#" * 10_000, 0))
    refusal = refused(server.url(), limits=Limits(bytes=100_000, seconds=60))
    assert refusal.codes == ["E0105"] and "larger than 98 KiB" in refusal.text
    assert server.hung_up.wait(SOON)


def test_all_files_of_a_document_share_one_deadline(slow: Callable[..., Slow]) -> None:
    def answer(server: Slow, send: Callable[[bytes], None], path: str) -> None:
        number = int(path.strip("/").partition(".")[0])
        server.rest(0.3)
        following = f"{{$ref: '{number + 1}.yaml#/A'}}".encode()
        if number == 0:
            send(OK + b"\r\n" + DOCUMENT + b"components: {schemas: {A: " + following + b"}}\n")
        elif number < 8:
            send(OK + b"\r\nA: " + following + b"\n")
        else:
            send(OK + b"\r\nA: {}\n")

    server = slow(answer)
    refusal = refused(server.url("/0.yaml"), limits=DEADLINE)
    assert refusal.codes == ["E0122"] and "not fetched within 1 s" in refusal.text
    assert 1 < len(server.asked) <= 4


def test_a_download_tells_how_far_it_is(
    slow: Callable[..., Slow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "QUIET_SECONDS", 0.0)
    told: list[str] = []

    def answer(server: Slow, send: Callable[[bytes], None], _: str) -> None:
        send(OK + b"\r\n" + DOCUMENT)
        server.rest(1.0)

    server = slow(answer)
    assert loaded(server.url("/x.yaml?form=secret"), progress=told.append)[0].version == "3.1.0"
    assert any(f"fetching {server.url()}: {len(DOCUMENT)} bytes" in line for line in told)
    assert not any("secret" in line for line in told)


def test_a_silent_server_is_named(
    slow: Callable[..., Slow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "READ_SECONDS", 0.2)
    refusal = refused(slow(SILENT).url())
    assert (refusal.exit_code, refusal.codes) == (1, ["E0122"])
    assert "the server was silent for 0.2 s" in refusal.text


def test_a_body_that_ends_too_early_is_not_a_document(slow: Callable[..., Slow]) -> None:
    def answer(_: Slow, send: Callable[[bytes], None], path: str) -> None:
        send(OK + b"Content-Length: 500\r\n\r\n" + DOCUMENT)

    refusal = refused(slow(answer).url())
    assert refusal.codes == ["E0122"] and f"{500 - len(DOCUMENT)} bytes too early" in refusal.text


def test_a_server_that_keeps_the_connection_open_is_not_waited_for(
    slow: Callable[..., Slow],
) -> None:
    def answer(server: Slow, send: Callable[[bytes], None], _: str) -> None:
        send(OK + f"Content-Length: {len(DOCUMENT)}\r\n\r\n".encode() + DOCUMENT)
        server.rest(60)

    assert loaded(slow(answer).url(), limits=Limits(seconds=20))[0].version == "3.1.0"


# Redirects.




@pytest.mark.parametrize(("old", "new", "stays"), [
    ("https://h/a", "https://h/b", True), ("https://h/a", "https://h:443/b", True),
    ("https://H/a", "HTTPS://h/b", True), ("http://h:8080/a", "http://h:8080/b", True),
    ("http://h/a", "https://h/a", True), ("http://127.0.0.1:80/a", "http://127.0.0.1/b", True),
    ("https://h/a", "http://h/a", False), ("https://h/a", "http://h:443/a", False),
    ("https://h/a", "https://h:8443/a", False), ("http://h/a", "http://h:8080/a", False),
    ("http://h/a", "https://h:8443/a", False), ("http://h:8080/a", "https://h/a", False),
    ("http://h:8080/a", "https://h:8080/a", False),
    *(("https://h/a", new, False) for new in (
        "https://h.evil.example/a", "https://127.0.0.1/a", "https://h@169.254.169.254/a",
        "ftp://h/a", "file:///etc/passwd", "https://h:port/a",
    )),
])  # fmt: skip
def test_a_redirect_stays_on_its_server(old: str, new: str, stays: bool) -> None:
    assert may_redirect(old, new) is stays


def test_a_url_with_a_password_is_not_asked_nor_shown() -> None:
    refusal = refused("http://me:c4nary@127.0.0.1/x.yaml")
    assert refusal.codes == ["E0122"] and "c4nary" not in refusal.text
    assert refusal.problems[0].hint == LOGIN


def test_a_redirect_to_another_port_is_refused(canary: Any, slow: Callable[..., Slow]) -> None:
    def answer(_: Slow, send: Callable[[bytes], None], path: str) -> None:
        send(OK + b"\r\n" + DOCUMENT)

    other = slow(answer)
    canary.redirects["/away.yaml"] = other.url()
    refusal = refused(canary.at("/away.yaml"))
    assert (refusal.exit_code, refusal.codes) == (3, ["E0122"]) and other.url() in refusal.text
    assert other.asked == []


def test_a_host_that_was_public_does_not_become_private_by_a_redirect(
    canary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary.redirects["/old.yaml"] = "/new.yaml"
    canary.files["/new.yaml"] = DOCUMENT
    lookups = iter([True, False])
    monkeypatch.setattr(fetch, "is_public", lambda _: next(lookups))
    refusal = refused(canary.at("/old.yaml"))
    assert (refusal.exit_code, refusal.codes) == (3, ["E0122"]) and "/new.yaml" not in canary.asked


@pytest.mark.parametrize("url", ["http://[::1/x", "https://[/x", "ftp://example.com/x"])
def test_what_is_no_url_is_an_error_of_usage(url: str) -> None:
    refusal = refused(url)
    assert (refusal.exit_code, refusal.codes) == (2, ["E0122"]) and f"--> {url}" in refusal.text


@pytest.mark.parametrize(("address", "public"), [
    ("93.184.216.34", True), ("2606:2800:220:1::", True), ("10.0.0.7", False),
    ("169.254.169.254", False), ("::1", False), ("fe80::1%eth0", False),
])  # fmt: skip
def test_public_addresses_are_told_from_private_ones(address: str, public: bool) -> None:
    assert fetch.is_public(address) is public


class Guarded:
    """A server that gives its document to requests with the header it wants."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.requests: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/x.yaml"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            with connection:
                request = connection.recv(65536)
                self.requests.append(request)
                if self.wanted.encode() in request:
                    connection.sendall(OK + b"\r\n" + DOCUMENT)
                else:
                    connection.sendall(b"HTTP/1.1 401 Unauthorized\r\n\r\n")


def opened(config: Config) -> Any:
    return open_document(config, Problems())


def test_a_document_behind_a_login_is_fetched_with_a_header(monkeypatch: Any) -> None:
    server = Guarded("Authorization: Bearer canary-0123456789")
    monkeypatch.setenv("DOCS_TOKEN", "Bearer canary-0123456789")
    config = Config(sources=(server.url,), fetch_headers=("Authorization: env:DOCS_TOKEN",))
    assert opened(config).version == "3.1.0"
    with pytest.raises(McpgenError, match="401") as refused:
        opened(Config(sources=(server.url,)))
    assert "--header" in refused.value.problems[0].hint


@pytest.mark.parametrize(
    "query",
    ["token=canary", "a=1&api_key=canary", "X-Amz-Signature=canary", "sig=canary", "key=canary"],
)
def test_a_secret_in_the_query_of_a_url_is_refused_and_not_repeated(query: str) -> None:
    with pytest.raises(UsageError) as refused:
        opened(Config(sources=(f"http://127.0.0.1:9/x.yaml?{query}",)))
    [problem] = refused.value.problems
    assert problem.code == "E0122" and f"`{query.split('&')[-1].split('=')[0]}`" in problem.message
    assert "--header" in problem.hint and "canary" not in str(refused.value)


def test_a_proxy_that_does_not_answer_is_named_without_its_password(monkeypatch: Any) -> None:
    monkeypatch.setenv("http_proxy", "http://user:canary@127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(McpgenError, match=r"through the proxy `127\.0\.0\.1:9`") as refused:
        opened(Config(sources=("http://api.example/x.yaml",)))
    assert "canary" not in str(refused.value)


def test_a_header_goes_to_the_server_of_the_first_url_alone(monkeypatch: Any) -> None:
    first, other = Guarded("canary-0123456789"), Guarded("")
    monkeypatch.setenv("DOCS_TOKEN", "canary-0123456789")
    downloads = fetch.Downloads(Limits(), headers=lambda: {"X-Token": "canary-0123456789"})
    assert downloads.fetch(first.url) == downloads.fetch(other.url) == DOCUMENT
    assert b"canary" not in other.requests[0]
    assert all(b"User-Agent: mcpgen\r\n" in each.requests[0] for each in (first, other))


def test_a_client_certificate_is_shown_to_the_server_of_the_first_url_alone(
    monkeypatch: Any, tmp_path: Path
) -> None:
    both = self_signed(tmp_path)
    key, border, certificate = both.read_text().partition("-----BEGIN CERTIFICATE")
    (tmp_path / "client.pem").write_text(border + certificate)
    (tmp_path / "client.key").write_text(key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(both))
    context.load_cert_chain(both)
    context.verify_mode = ssl.CERT_REQUIRED
    monkeypatch.setenv("SSL_CERT_FILE", str(both))
    first, other = (Loopback(lambda asked: (200, {}, DOCUMENT), context).url for _ in "12")
    separate = (str(tmp_path / "client.pem"), str(tmp_path / "client.key"))
    for files in (separate, (str(both), None)):
        downloads = fetch.Downloads(Limits(), certificate=files)
        assert downloads.fetch(first) == DOCUMENT
        with pytest.raises(McpgenError, match="the server ended the TLS connection") as refused:
            downloads.fetch(other)
        assert "`--cert`" in refused.value.problems[0].hint
    wanting = Config(sources=(first,), fetch_certificate=separate[0], fetch_key=separate[1])
    assert opened(wanting).version == "3.1.0"
    with pytest.raises(UsageError, match="the certificate or its key cannot be read"):
        opened(Config(sources=(first,), fetch_certificate=separate[0]))


@pytest.mark.parametrize("header", [
    "Authorization: Bearer canary-0123456789", "Authorization", "Authorization: env:",
    "Authorization: env:NOT_SET", "Author ization: env:DOCS_TOKEN", "Authorization: env:TWO_LINES",
])  # fmt: skip
def test_a_header_that_names_no_usable_variable_is_refused(monkeypatch: Any, header: str) -> None:
    monkeypatch.setenv("TWO_LINES", "a\r\nb")
    with pytest.raises(UsageError) as refused:
        opened(Config(sources=("http://127.0.0.1:9/x.yaml",), fetch_headers=(header,)))
    (problem,) = refused.value.problems
    assert problem.code == "E1175" and "canary" not in problem.message


def test_a_certificate_that_is_not_trusted_is_told_with_the_way_to_trust_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        error = ssl.SSLCertVerificationError(1, "certificate verify failed")
        error.verify_message = "self-signed certificate"
        raise urllib.error.URLError(error)

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", refuse)
    with pytest.raises(McpgenError) as refusal:
        open_document(Config(sources=("https://127.0.0.1:9/openapi.json",)), Problems())
    [problem] = refusal.value.problems
    assert problem.message.endswith("is not trusted: self-signed certificate")
    assert "`SSL_CERT_FILE`" in (problem.hint or "")


AGAIN = "try again, or download it and give the file"
LOGIN = (
    "`--header 'Authorization: env:NAME'` sends what the environment variable NAME holds; or"
    " download the document and give the file"
)
CERTIFICATE = ssl.SSLCertVerificationError()
CERTIFICATE.verify_message = "expired"


def answered(status: int) -> urllib.error.HTTPError:
    """The error of an answer with that status."""
    return urllib.error.HTTPError("https://x.example", status, "", Message(), None)


@pytest.mark.parametrize(("error", "says", "hint"), [
    (TimeoutError(), f"the server was silent for {fetch.READ_SECONDS:g} s", AGAIN),
    (urllib.error.URLError(socket.gaierror()), "the host `api.example` is not known",
     "check the spelling of the URL, and the network"),
    (urllib.error.URLError(CERTIFICATE), "the TLS certificate of the server is not trusted: expired",
     "if you trust it, name the file of its CA (PEM) in `SSL_CERT_FILE`"),
    (OSError(111, "Connection refused"), "cannot be fetched: Connection refused",
     "check the URL and the network"),
    (IncompleteRead(b"", 7), "the connection ended 7 bytes too early", AGAIN),
    (BadStatusLine("x"), "cannot be fetched: BadStatusLine",
     "check that the URL leads to an HTTP server"),
    (answered(401), "the server answered 401", LOGIN), (answered(403), "the server answered 403", LOGIN),
    (answered(404), "the server answered 404", fetch.PLACES),
    (answered(302), "the server answered 302", "it redirects in a circle, or to no web address:"
     " check the URL, or download the document and give the file"),
    (answered(500), "the server answered 500", "check the URL"),
    (fetch.Elsewhere("https://b.example/x"), "redirected to another server",
     "if you trust it, give that URL: https://b.example/x"),
])  # fmt: skip
def test_each_failure_of_a_download_has_its_words_and_a_way_out(
    monkeypatch: pytest.MonkeyPatch, error: Exception, says: str, hint: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("urllib.request.OpenerDirector.open", fail)
    [problem] = refused("https://api.example/x.yaml").problems
    assert (problem.code, problem.message, problem.hint) == ("E0122", says, hint)


@pytest.mark.parametrize("field", ["ETag", "Last-Modified"])
def test_a_file_is_not_asked_for_with_what_another_one_said_of_itself(field: str) -> None:
    """A server that takes any condition of an older file as met answers 304 to the second one."""

    def answer(asked: Asked) -> tuple[int, dict[str, str], bytes]:
        if {"if-none-match", "if-modified-since"} & asked.fields.keys():
            return 304, {}, b""
        return 200, {field: "Mon, 01 Jan 2024 00:00:00 GMT"}, asked.target.encode()

    server = Loopback(answer)
    downloads = fetch.Downloads(Limits())
    for target in ("/a.yaml", "/b.yaml"):
        assert downloads.fetch(f"{server.url}{target}") == target.encode()
    with pytest.raises(fetch.Unchanged):
        downloads.fetch(f"{server.url}/a.yaml")
    server.close()


@pytest.mark.parametrize("field", ["ETag", "Last-Modified", ""])
def test_a_document_is_asked_for_again_only_where_it_changed(field: str) -> None:
    shelf, full = {"v1": b"one", "v2": b"two"}, []
    version = "v1"

    def answer(asked: Asked) -> Answer:
        if field and version in asked.fields.values():
            return 304, {}, b""
        full.append(version)
        return 200, {field: version} if field else {}, shelf[version]

    server = Loopback(answer)
    poll = fetch.Poll(server.url, hashlib.sha256(b"one").digest(), fetch.Downloads(Limits()))
    assert not poll.has_changed() and not poll.has_changed()
    version = "v2"
    assert poll.has_changed() and not poll.has_changed()
    server.close()
    assert not poll.has_changed()  # a server that is down has nothing new
    assert full == (["v1", "v2"] if field else ["v1", "v1", "v2", "v2"])


PAGES = {
    "Swagger UI": '<html><script>SwaggerUIBundle({\n  url: "/v1/openapi.yaml",\n dom_id: "#x"})</script>',
    "Swagger UI of ASP.NET": '<html><script>JSON.parse({"urls":[{"url":"/v1/openapi.yaml","name":"V1"}]})',
    "ReDoc": "<!doctype html><redoc spec-url='openapi.yaml'></redoc>",
    "Redoc.init": "<html><script>Redoc.init( '../v1/openapi.yaml', {})</script>",
    "Scalar": '<html><script id="api-reference" data-url="/v1/openapi.yaml"></script>',
    "Stoplight": '<html><elements-api apiDescriptionUrl="/v1/openapi.yaml#x" router="hash"/>',
    "escaped": '<html><rapi-doc spec-url="/v1/&#111;penapi.yaml"></rapi-doc>',
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_that_shows_a_document_is_followed_to_it(page: str) -> None:
    texts = {"/v1/docs": page.encode(), "/v1/openapi.yaml": DOCUMENT}
    server = Loopback(lambda asked: (200, {}, texts[asked.target]))
    document = opened(Config(sources=(f"{server.url}/v1/docs",)))
    [shown] = document.originals
    assert document.source.url == f"{server.url}/v1/openapi.yaml" == shown.partition("#")[0]
    assert document.pages == {f"{server.url}/v1/docs": shown}


@pytest.mark.parametrize("page", [
    '<html><redoc spec-url="https://elsewhere.example/openapi.yaml"></redoc>',
    '<html><redoc spec-url="/again"></redoc>', "<html>No page of a document</html>",
])  # fmt: skip
def test_a_page_is_followed_once_and_not_to_another_server(page: str) -> None:
    server = Loopback(lambda asked: (200, {}, page.encode()))
    with pytest.raises(McpgenError, match="this is an HTML page"):
        opened(Config(sources=(f"{server.url}/docs",)))
