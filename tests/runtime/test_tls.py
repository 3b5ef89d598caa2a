"""TLS: certificates that are trusted, those that are not, and the client's own."""

import asyncio
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from calls import run, runtime, settings
from cryptography.hazmat.primitives import serialization
from upstream import ok

from mcpgen.runtime.parts.oauth.tokens import Keys, Unavailable
from tests.loopback import self_signed


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for 127.0.0.1 and its key, in one file."""
    return self_signed(tmp_path_factory.mktemp("tls"))


async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on everything."""
    while data := await reader.read(65_536):
        writer.write(data)
    writer.close()


@pytest.fixture
def over_tls(certificate: Path) -> Any:
    """Call an API over TLS, one that wants the client's certificate where `wants` says so: its
    answer, or the error.
    """

    def call(
        facts: dict[str, Any] | None = None, *, wants: bool = False, host: str = "127.0.0.1",
        tunnels: list[bytes] | None = None, **variables: str,
    ) -> Any:  # fmt: skip
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        context.load_verify_locations(certificate)
        context.set_alpn_protocols(["h2", "http/1.1"])
        context.verify_mode = ssl.CERT_REQUIRED if wants else ssl.CERT_NONE

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await reader.readuntil(b"\r\n\r\n")
                spoken = writer.get_extra_info("ssl_object").selected_alpn_protocol()
                subject = str(writer.get_extra_info("peercert"))
                writer.write(ok({"subject": subject, "spoken": spoken}))
                await writer.drain()
            except (asyncio.IncompleteReadError, ConnectionError):
                pass
            writer.close()

        async def main() -> Any:
            server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
            port = server.sockets[0].getsockname()[1]

            async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                assert tunnels is not None
                tunnels.append(await reader.readuntil(b"\r\n\r\n"))
                inner = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await asyncio.gather(copied(reader, inner[1]), copied(inner[0], writer))

            proxy = await asyncio.start_server(tunnel, "127.0.0.1", 0)
            if tunnels is not None:
                variables["PROXY_URL"] = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
            made = settings(f"https://{host}:{port}", facts, RETRIES="0", **variables)
            try:
                async with runtime.api.Api(made) as api:
                    return await api.request("GET", "/x")
            except runtime.client.ApiError as error:
                return error
            finally:
                server.close()
                proxy.close()

        return run(main())

    return call


def test_a_certificate_nobody_vouches_for_is_refused_and_one_of_the_operators_own_is_not(
    over_tls: Any, certificate: Path
) -> None:
    error = over_tls()
    assert isinstance(error, runtime.client.Unreachable)
    assert "certificate is not trusted" in str(error) and "_CA_FILE`" in error.advice
    answer = over_tls(CA_FILE=str(certificate))
    assert (answer.status, answer.data["spoken"]) == (200, "http/1.1")


@pytest.mark.parametrize(("names", "told"), [
    (["CA_FILE"], "`BOOKSHOP_MCP_CA_FILE` names no certificates (PEM)"),
    (["CLIENT_CERT", "CLIENT_KEY"], "`BOOKSHOP_MCP_CLIENT_CERT` or `BOOKSHOP_MCP_CLIENT_KEY` names"
     " no certificates, or no key that fits (PEM, without a passphrase)"),
])  # fmt: skip
def test_a_file_without_certificates_or_key_is_named_at_each_call(
    over_tls: Any, certificate: Path, names: list[str], told: str
) -> None:
    files = dict.fromkeys(names, str(certificate))
    error = over_tls(**{**files, names[-1]: __file__})
    assert isinstance(error, runtime.client.Refused)
    assert str(error) == f"nothing was sent: {told}"


def test_a_key_with_a_passphrase_is_refused_as_nobody_could_be_asked(
    over_tls: Any, certificate: Path, tmp_path: Path
) -> None:
    key = serialization.load_pem_private_key(certificate.read_bytes(), None)
    locked = serialization.BestAvailableEncryption(b"secret")
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (tmp_path / "key").write_bytes(key.private_bytes(*form, locked))
    error = over_tls(CLIENT_CERT=str(certificate), CLIENT_KEY=str(tmp_path / "key"))
    assert "no key that fits (PEM, without a passphrase)" in str(error)


def test_a_proxy_passes_on_what_only_the_api_can_read(over_tls: Any, certificate: Path) -> None:
    tunnels: list[bytes] = []
    answer = over_tls(CA_FILE=str(certificate), tunnels=tunnels)
    assert answer.status == 200 and [each.split()[0] for each in tunnels] == [b"CONNECT"]


def test_a_certificate_of_another_host_is_refused_whoever_signed_it(
    over_tls: Any, certificate: Path
) -> None:
    error = over_tls(host="localhost", CA_FILE=str(certificate))
    assert isinstance(error, runtime.client.Unreachable)
    assert "certificate is not trusted" in str(error)


def test_the_client_shows_its_own_certificate_where_the_api_wants_one(
    over_tls: Any, certificate: Path
) -> None:
    variables = ["BOOKSHOP_MCP_CLIENT_CERT", "BOOKSHOP_MCP_CLIENT_KEY"]
    facts = {
        "auth": {"mutual": {"kind": "mutual_tls", "variables": variables}},
        "security": [["mutual"]],
    }
    trust = {"CA_FILE": str(certificate)}
    error = over_tls(facts, wants=True, **trust)
    assert isinstance(error, runtime.client.MissingCredential) and variables[0] in str(error)
    answer = over_tls(facts, wants=True, CLIENT_CERT=str(certificate), **trust)
    assert "test" in answer.data["subject"]
    assert isinstance(over_tls(wants=True, **trust), runtime.client.ApiError)


def test_keys_of_an_issuer_come_from_whom_the_operator_trusts(certificate: Path) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"keys": []}')

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    url = f"https://127.0.0.1:{server.server_port}/keys"
    try:
        assert run(Keys(url, certificate).find("one")) == (None, None)
        with pytest.raises(Unavailable):
            run(Keys(url).find("one"))
    finally:
        server.shutdown()
        server.server_close()
