"""An HTTP server on this machine that answers as a test says."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Asked(NamedTuple):
    """A request; the names of its fields are in lower case."""

    method: str
    target: str
    fields: dict[str, str]
    body: bytes


Answer = tuple[int, dict[str, str], bytes]
"""Status, fields and body; the length of the body is added."""
JSON = {"Content-Type": "application/json"}


class Loopback:
    """An HTTP server: each request gets what `answer` returns."""

    def __init__(
        self, answer: Callable[[Asked], Answer], context: ssl.SSLContext | None = None
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet for head and body: two would wait for each other (RFC 896)

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                names = {name.lower(): value for name, value in self.headers.items()}
                status, fields, content = answer(Asked(self.command, self.path, names, body))
                self.send_response(status)
                if status != 204:
                    fields = {**fields, "Content-Length": str(len(content))}
                for name, value in fields.items():
                    self.send_header(name, value)
                self.end_headers()
                if status != 204:
                    self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = handle_any

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing on stderr."""

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128  # a hundred callers connect at once

        self._server = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self.url = self.url.replace("http", "https")
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


class Recorder(Loopback):
    """An API that notes its requests and gives each the same answer."""

    def __init__(self, content: bytes) -> None:
        self.asked: list[Asked] = []
        self.content = content
        super().__init__(self.answer)

    def answer(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(asked)
        return 200, JSON, self.content


@contextmanager
def recorders(names: Iterable[str], content: bytes) -> Iterator[dict[str, Recorder]]:
    """A recorder for each of some APIs."""
    apis = {name: Recorder(content) for name in names}
    yield apis
    for api in apis.values():
        api.close()


def self_signed(folder: Path) -> Path:
    """A new self-signed certificate for 127.0.0.1 and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path
