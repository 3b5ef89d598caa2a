"""A recorder in the place of an API, for the tests of a project."""

from __future__ import annotations

import base64
import email
import http.server
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

BASE = "/recorded/base"
TOKEN = "canary-fetched-token-0123456789"
DISPOSITION = "content-disposition"


class Recorded:
    """One request, as the API saw it."""

    def __init__(
        self, method: str, target: str, headers: list[tuple[str, str]], body: bytes
    ) -> None:
        self.method, self.target = method, target
        self.path, _, self.query = target.partition("?")
        self.headers = [(name.lower(), value) for name, value in headers]
        self.body = body

    def goes_to(self, template: str) -> bool:
        """Return whether the path is this template below the base path, or after `origin:` below
        the origin.
        """
        return self._in_path(template) is not None

    def holds(self, expected: dict[str, Any], template: str) -> bool:
        """Return whether the request has an expected value of `tools.json`: in its `place`, under
        its `name` (None: the whole body or query), compared by a key of `_FITS`.
        """
        values = self._values(expected["place"], expected["name"], template)
        return any(fits(expected[kind], values) for kind, fits in _FITS.items() if kind in expected)

    def names(self, place: str) -> set[str]:
        """Return the names in the query for `query`; for any other place a JSON body's fields."""
        if place == "query":
            return {name for name, _ in parse_qsl(self.query, keep_blank_values=True)}
        return set(self._fields())

    def _fields(self) -> dict[str, Any]:
        """Return the fields of a JSON body; empty for another body."""
        with suppress(ValueError):
            fields = json.loads(_text(self.body))
            if isinstance(fields, dict):
                return fields
        return {}

    def _values(self, place: str, name: str | None, template: str) -> list[str]:
        """Return the decoded values of a name in a place; without a name, the whole place."""
        if place == "path":
            return [unquote(value) for key, value in self._in_path(template) or () if key == name]
        if place == "query":
            return _named(self.query, name)
        if place == "cookie":
            texts = [text for key, text in self.headers if key == "cookie"]
            cookies = [pair.strip().partition("=") for text in texts for pair in text.split(";")]
            return [unquote(value).strip('"') for key, _, value in cookies if key == name]
        if place == "header":
            return [value for key, value in self.headers if key == str(name).lower()]
        return self._in_body(name)

    def _in_path(self, template: str) -> list[tuple[str, str]] | None:
        """Return the encoded values of the template's variables; None if the path does not
        match.
        """
        base = "" if template.startswith("origin:") else re.escape(BASE)
        parts = re.split(r"\{([^{}]+)\}", template.removeprefix("origin:"))
        literals = [re.escape(quote(part, safe="/:@!$&'()*+,;=~%")) for part in parts[::2]]
        found = re.fullmatch(base + "([^/]*)".join(literals), self.path)
        return list(zip(parts[1::2], found.groups(), strict=True)) if found else None

    def _in_body(self, name: str | None) -> list[str]:
        media_type = next((value for key, value in self.headers if key == "content-type"), "")
        if name is None:
            return [_text(self.body)]
        if media_type.startswith("application/x-www-form-urlencoded"):
            return _named(self.body.decode(), name)
        if media_type.startswith("multipart/"):
            head = f"Content-Type: {media_type}\r\n\r\n".encode()
            parts = email.message_from_bytes(head + self.body).walk()
            named = [one for one in parts if one.get_param("name", header=DISPOSITION) == name]
            return [_text(bytes(part.get_payload(decode=True) or b"")) for part in named]
        return [json.dumps(value) for key, value in self._fields().items() if key == name]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _named(pairs: str, name: str | None) -> list[str]:
    if name is None:
        return [unquote(pairs)]
    return [value for key, value in parse_qsl(pairs, keep_blank_values=True) if key == name]


def _is_json(text: str, expected: Any) -> bool:
    try:
        return bool(json.loads(text) == expected)
    except ValueError:
        return False


_FITS: dict[str, Callable[[Any, list[str]], bool]] = {
    "text": lambda text, values: text in values,
    "one_of": lambda texts, values: not set(texts).isdisjoint(values),
    "texts": lambda texts, values: list(texts) == values,
    "leaves": lambda leaves, values: any(all(leaf in one for leaf in leaves) for one in values),
    "base64": lambda content, values: _text(base64.b64decode(content)) in values,
    "json": lambda data, values: any(_is_json(value, data) for value in values),
}
"""Key of a value that `tools.json` expects -> how it fits the texts that were sent."""


class Recorder:
    """An API on a free port of this machine. `requests`: those it got, except for `/token`;
    `status` and `seconds`: the status and delay of its answers.
    An answer with an error status repeats the request, as careless servers do.
    """

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.status, self.seconds = 200, 0.0
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet for head and body: two would wait for each other (RFC 896)

            def __getattr__(self, name: str) -> Callable[[], None]:
                if name.startswith("do_"):
                    return self.answer
                raise AttributeError(name)

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                status, content = api.status, '{"id": 1, "name": "sample"}'
                if self.path.startswith("/token"):
                    status = 200
                    content = json.dumps({"access_token": TOKEN, "token_type": "Bearer"})
                else:
                    request = Recorded(self.command, self.path, self.headers.items(), body)
                    api.requests.append(request)
                    time.sleep(api.seconds)
                    if status >= 400:
                        repeated = self.path + str(self.headers)
                        content = json.dumps({"message": "recorded", "request": repeated})
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                with suppress(ConnectionError):  # the client may have given up
                    self.end_headers()
                    self.wfile.write(content.encode() * (self.command != "HEAD"))
                    self.wfile.flush()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Waiting(http.server.ThreadingHTTPServer):
            request_queue_size = 128  # callers that come at once wait here, and are not refused

        self._server = Waiting(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def taken(self) -> list[Recorded]:
        """Return the requests since the last call, and forget them."""
        requests, self.requests = self.requests, []
        return requests

    def settings(self, facts: Mapping[str, Any]) -> dict[str, str]:
        """Return environment variables for a server with these facts (`api.json`): all its APIs and
        token URLs are this API, without retries.
        """
        return {f"{facts['env_prefix']}_RETRIES": "0"} | addresses(facts, self.origin, BASE)


def addresses(facts: Mapping[str, Any], origin: str, base: str = "") -> dict[str, str]:
    """Return environment variables for a server with these facts (`api.json`): all its APIs are at
    `base` of this origin, their token URLs at `/token`, and private addresses are allowed.
    """
    prefix = facts["env_prefix"]
    settings = {f"{prefix}_ALLOW_PRIVATE": "true"}
    for name in ("", *(f"{api.upper()}_" for api in facts.get("apis", ()))):
        settings[f"{prefix}_{name}BASE_URL"] = origin + base
        settings[f"{prefix}_{name}TOKEN_URL"] = f"{origin}/token"
    return settings
