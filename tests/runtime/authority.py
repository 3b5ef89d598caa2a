"""An OAuth 2 authorisation server for one client, made with Authlib; run as a process:
`authority.py TTL METHOD`.

Prints its URL. `GET /issued` says how many tokens it has given out, `GET /me` wants one of them,
and `POST /revoke` makes all of them invalid.
"""

import sys
import threading
import wsgiref.simple_server
from typing import Any

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin
from authlib.oauth2.rfc6749.grants import ClientCredentialsGrant

CLIENT_ID, CLIENT_SECRET = "shop:client", "s3cr3t/with+signs="


class Client(ClientMixin):  # type: ignore[misc]
    """The one client; it may use one way of saying who it is."""

    def __init__(self, method: str) -> None:
        self.method = method

    def get_client_id(self) -> str:
        return CLIENT_ID

    def get_default_redirect_uri(self) -> None:
        return None

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_client_secret(self, secret: str) -> bool:
        return secret == CLIENT_SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == self.method

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "client_credentials"


def make(ttl: int, method: str) -> flask.Flask:
    """The application. Tokens say they live `ttl` seconds."""
    app, tokens = flask.Flask("authority"), dict[str, Any]()
    client, issued = Client(method), list[str]()

    def save(token: dict[str, Any], request: Any) -> None:
        tokens[token["access_token"]] = token
        issued.append(token["access_token"])

    def find(client_id: str) -> Client | None:
        return client if client_id == CLIENT_ID else None

    app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"client_credentials": ttl}
    server = AuthorizationServer(app, query_client=find, save_token=save)

    class Grant(ClientCredentialsGrant):  # type: ignore[misc]
        TOKEN_ENDPOINT_AUTH_METHODS = (method,)

    server.register_grant(Grant)

    @app.post("/token")
    def token() -> Any:
        return server.create_token_response()

    @app.get("/issued")
    def count() -> Any:
        return {
            "issued": len(issued),
            "scopes": [one["scope"] for one in tokens.values() if "scope" in one],
        }

    @app.get("/me")
    def me() -> Any:
        word, _, given = flask.request.headers.get("Authorization", "").partition(" ")
        return (
            ({"ok": True}, 200) if word == "Bearer" and given in tokens else ({"error": given}, 401)
        )

    @app.post("/revoke")
    def revoke() -> Any:
        tokens.clear()
        return {}

    return app


def main() -> None:
    """Serve until standard input ends."""
    server = wsgiref.simple_server.make_server("127.0.0.1", 0, make(int(sys.argv[1]), sys.argv[2]))
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
