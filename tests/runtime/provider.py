"""An OAuth provider for one client that a test holds in its hands: authorization code with PKCE,
device code, refresh tokens that are rotated and whose second use ends the login.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT_ID = "desktop:client"


@dataclass
class Provider:
    """Serves in a thread; `requests` are the forms that came to the token endpoint."""

    secret: str = ""
    seconds: int | None = 3600
    approval: str = ""
    """The error that stands for a code; empty where the person agrees."""
    pending: int = 0
    """How often a device is told to wait."""
    delay: float = 0.0
    """Seconds until the token endpoint answers."""
    rotates: bool = True
    """Whether a refresh token is exchanged for another one."""
    issuer: str = ""
    """What the answer to the browser says of who sends it; empty for nothing."""
    metadata: dict[str, Any] = field(default_factory=dict)
    requests: list[dict[str, str]] = field(default_factory=list)
    granted: list[dict[str, str]] = field(default_factory=list)
    """The queries of the authorization endpoint."""

    def __post_init__(self) -> None:
        self.codes: dict[str, dict[str, str]] = {}
        self.access: list[str] = []
        self.refresh = ""
        self.ended = False
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.get(self)

            def do_POST(self) -> None:
                provider.post(self)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Provider:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def get(self, handler: Any) -> None:
        parts = urlsplit(handler.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/authorize":
            self.authorize(handler, query)
        elif parts.path == "/.well-known/openid-configuration":
            answer(handler, 200, self.metadata)
        else:
            self.api(handler)

    def api(self, handler: Any) -> None:
        """The API that tokens are for."""
        word, _, token = handler.headers.get("Authorization", "").partition(" ")
        valid = word == "Bearer" and token in self.access and not self.ended
        answer(handler, 200 if valid else 401, {"path": handler.path})

    def authorize(self, handler: Any, query: dict[str, str]) -> None:
        """Agree at once, as a person with a session would."""
        self.granted.append(query)
        fields = {"state": query["state"]}
        if self.approval:
            fields["error"] = self.approval
        else:
            fields["code"] = f"code-{len(self.codes)}"
            self.codes[fields["code"]] = query
        if self.issuer:
            fields["iss"] = self.issuer
        handler.send_response(302)
        handler.send_header("Location", f"{query['redirect_uri']}?{urlencode(fields)}")
        handler.end_headers()

    def post(self, handler: Any) -> None:
        content = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        if handler.path not in ("/token", "/device"):
            self.api(handler)
            return
        form = {name: values[0] for name, values in parse_qs(content).items()}
        self.requests.append(form)
        time.sleep(self.delay)
        if not self.knows(handler, form):
            answer(handler, 401, {"error": "invalid_client"})
        elif handler.path == "/device":
            codes = {"device_code": "dev-code-1", "user_code": "ABCD-EFGH", "interval": 0.05}
            page = {"verification_uri": f"{self.url}/enter", "expires_in": 60}
            page["verification_uri_complete"] = f"{self.url}/enter?code=ABCD-EFGH"
            answer(handler, 200, codes | page)
        else:
            self.token(handler, form)

    def knows(self, handler: Any, form: dict[str, str]) -> bool:
        if not self.secret:
            return form.get("client_id") == CLIENT_ID
        pair = base64.b64encode(f"{CLIENT_ID.replace(':', '%3A')}:{self.secret}".encode()).decode()
        return handler.headers.get("Authorization") == f"Basic {pair}"

    def token(self, handler: Any, form: dict[str, str]) -> None:
        error = self.fault(form)
        if error:
            answer(handler, 400, {"error": error})
            return
        self.access.append(f"access-token-{len(self.access)}")
        tokens = {"access_token": self.access[-1]}
        if self.rotates:
            self.refresh = f"refresh-token-{len(self.access)}"
            tokens["refresh_token"] = self.refresh
        if self.seconds is not None:
            tokens |= {"expires_in": self.seconds}  # type: ignore[dict-item]
        answer(handler, 200, {**tokens, "token_type": "Bearer"})

    def fault(self, form: dict[str, str]) -> str:
        """Why there are no tokens for a form, or nothing."""
        match form.get("grant_type"):
            case "authorization_code":
                asked = self.codes.pop(form["code"], {})
                digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
                same = asked.get("redirect_uri") == form["redirect_uri"]
                return "" if same and asked.get("code_challenge") == challenge else "invalid_grant"
            case "refresh_token":
                if form["refresh_token"] == self.refresh and not self.ended:
                    return ""
                self.ended = True
                return "invalid_grant"
            case "urn:ietf:params:oauth:grant-type:device_code":
                self.pending -= 1
                return "authorization_pending" if self.pending >= 0 else self.approval
        return "unsupported_grant_type"


def answer(handler: Any, status: int, data: Any) -> None:
    content = json.dumps(data).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def follow(address: str) -> None:
    """Go to an address and wherever it leads, as a browser does."""

    def go() -> None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=10).read()

    threading.Thread(target=go, daemon=True).start()
