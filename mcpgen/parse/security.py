"""Security schemes and requirements → credentials from the environment (OpenAPI 3.1 §4.8.27,
§4.8.30).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ..ir import Auth
from ..runtime.headers import CREDENTIAL_HEADERS, FORBIDDEN_HEADERS, TOKEN
from ..text import escape_token, plain, shorten, words
from .naming import digest

if TYPE_CHECKING:
    from .schema import Reader

Requirement = tuple[tuple[str, ...], ...]

# Variables of a generated server's settings, without their prefix: a credential that took one would
# be read as both.
SETTINGS = frozenset("""
    BASE_URL TIMEOUT CONNECT_TIMEOUT TOTAL_TIMEOUT RETRIES MAX_CONCURRENCY MAX_WAITING RATE_LIMIT
    MAX_RESULT_CHARS MAX_REQUEST_BYTES MAX_RESPONSE_BYTES MAX_BINARY_BYTES ALLOW_ORIGINS
    ALLOW_PRIVATE FILE_ROOTS SAVE_DIR CA_FILE CLIENT_CERT CLIENT_KEY TOKEN_URL TOOLSETS READ_ONLY
    HTTP_TOKEN HTTP_ISSUER HTTP_AUDIENCE HTTP_JWKS_URL HTTP_SCOPES HTTP_WRITE_SCOPES
    HTTP_TOOL_SCOPES HTTP_ALLOWED_ORIGINS HTTP_HEAD_TIMEOUT HTTP_BODY_TIMEOUT HTTP_IDLE_TIMEOUT
    HTTP_MAX_CONNECTIONS HTTP_MAX_PER_ADDRESS MAX_CALLS CALL_RATE
    """.split())


class Security:
    """The credentials of one document, and what each operation requires of them."""

    def __init__(self, reader: Reader, prefix: str) -> None:
        self.prefix, self.problems = prefix, reader.problems
        document = reader.document
        components = document.root.get("components")
        given = components.get("securitySchemes") if isinstance(components, dict) else None
        self.auth: dict[str, Auth] = {}
        self.slugs: dict[str, str] = {}
        for name, scheme in given.items() if isinstance(given, dict) else ():
            pointer = f"/components/securitySchemes/{escape_token(name)}"
            scheme, pointer = reader.deref(scheme, pointer)
            if isinstance(scheme, dict):
                auth = self.credential(self.slug(name), scheme, pointer)
                if self.taken(auth):
                    auth = self.credential(f"{auth.name}_{digest(name)}", scheme, pointer)
                self.slugs[name] = auth.name
                self.auth[auth.name] = auth
        self.default = self.requirement(document.root.get("security"), "/security") or ()

    def slug(self, name: str) -> str:
        """A scheme's name as an identifier."""
        slug = "_".join(words(name))[:40].strip("_")
        if not slug or slug in self.auth:
            slug = f"{slug or 'auth'}_{digest(name)}"
        return slug

    def taken(self, auth: Auth) -> bool:
        """Whether a variable of a credential is one of another credential or of the settings."""
        settings = {f"{self.prefix}_{name}" for name in SETTINGS}
        others = {variable for other in self.auth.values() for variable in other.variables}
        return auth.kind != "mutual_tls" and not (settings | others).isdisjoint(auth.variables)

    def credential(self, slug: str, scheme: dict[str, Any], pointer: str) -> Auth:
        """One security scheme as a credential."""
        start = f"{self.prefix}_{slug.upper()}"
        said = shorten(plain(scheme.get("description")).replace("\n", " "), 160)
        kind = scheme.get("type")
        if kind == "apiKey":
            return self.api_key(slug, scheme, pointer, start, said)
        if kind == "http":
            word = scheme.get("scheme")
            word = word.strip() if isinstance(word, str) else "bearer"
            if word.lower() == "basic":
                return Auth(
                    name=slug,
                    kind="basic",
                    scheme="Basic",
                    variables=(f"{start}_USERNAME", f"{start}_PASSWORD"),
                    description=said,
                )
            if TOKEN.fullmatch(word) and word.lower() not in (
                "digest",
                "hoba",
                "mutual",
                "negotiate",
                "scram-sha-256",
            ):
                shown = "Bearer" if word.lower() == "bearer" else word
                return Auth(
                    name=slug,
                    kind="bearer",
                    scheme=shown,
                    variables=(f"{start}_TOKEN",),
                    description=said,
                )
        if kind == "oauth2":
            return self.oauth2(slug, scheme, start, said)
        if kind == "openIdConnect":
            return Auth(name=slug, kind="bearer", variables=(f"{start}_TOKEN",), description=said)
        if kind == "mutualTLS":
            variables = (f"{self.prefix}_CLIENT_CERT", f"{self.prefix}_CLIENT_KEY")
            return Auth(name=slug, kind="mutual_tls", variables=variables, description=said)
        self.problems.warn(
            "E0702",
            f"security scheme of type `{str(kind)[:40]}` is not supported",
            pointer=pointer,
            hint="add the credential in `auth.py` of the generated package",
        )
        return Auth(name=slug, kind="unsupported", description=said)

    def api_key(
        self, slug: str, scheme: dict[str, Any], pointer: str, start: str, said: str
    ) -> Auth:
        """An apiKey scheme, if its name can be put where it belongs."""
        place, wire_name = scheme.get("in"), scheme.get("name")
        wire_name = wire_name.strip() if isinstance(wire_name, str) else ""
        usable = place in ("header", "query", "cookie") and bool(wire_name)
        if place in ("header", "cookie"):
            usable = usable and bool(TOKEN.fullmatch(wire_name))
        if not usable:
            self.problems.warn("E0703", "API key without a usable place and name", pointer=pointer)
            return Auth(name=slug, kind="unsupported", description=said)
        if place == "header" and wire_name.lower() in FORBIDDEN_HEADERS - CREDENTIAL_HEADERS:
            self.problems.warn(
                "E0703",
                f"API key in the header `{wire_name}`, which the HTTP client sets itself",
                pointer=pointer,
                hint="correct `name`; an API key usually has a header of its own",
            )
            return Auth(name=slug, kind="unsupported", description=said)
        if place == "query":
            self.problems.note(
                "E0704", "API key in the query: it may end up in logs on the way", pointer=pointer
            )
        return Auth(
            name=slug,
            kind="api_key",
            place=place,  # type: ignore[arg-type]
            wire_name=wire_name,
            scheme="",
            variables=(start,),
            description=said,
        )

    def oauth2(self, slug: str, scheme: dict[str, Any], start: str, said: str) -> Auth:
        """An oauth2 scheme: client credentials where the flow is offered, and always a token of the
        operator's own.
        """
        flows = scheme.get("flows")
        flow = flows.get("clientCredentials") if isinstance(flows, dict) else None
        url = flow.get("tokenUrl") if isinstance(flow, dict) else None
        if isinstance(flow, dict) and isinstance(url, str) and re.match(r"https?://[^\s/]", url):
            scopes = flow.get("scopes")
            return Auth(
                name=slug,
                kind="client_credentials",
                variables=(f"{start}_CLIENT_ID", f"{start}_CLIENT_SECRET", f"{start}_TOKEN"),
                token_url=url,
                scopes=(
                    tuple(name for name in scopes if isinstance(name, str))
                    if isinstance(scopes, dict)
                    else ()
                ),
                description=said,
            )
        return Auth(name=slug, kind="bearer", variables=(f"{start}_TOKEN",), description=said)

    def requirement(self, given: Any, pointer: str) -> Requirement | None:
        """Alternatives (OR) of credentials (AND); an empty alternative means optional; None where
        nothing is said.
        """
        if not isinstance(given, list):
            return None
        alternatives: list[tuple[str, ...]] = []
        for index, entry in enumerate(given):
            if not isinstance(entry, dict):
                continue
            unknown = [name for name in entry if name not in self.slugs]
            for name in unknown:
                self.problems.warn(
                    "E0701",
                    f"security scheme `{name[:60]}` is used but not declared",
                    pointer=f"{pointer}/{index}",
                    hint="declare it under `components.securitySchemes`",
                )
            if not unknown:
                alternatives.append(tuple(self.slugs[name] for name in entry))
        if given and not alternatives:
            return ()
        return tuple(dict.fromkeys(alternatives))

    def filling(self, place: str, wire_name: str, schemes: Collection[str]) -> str | None:
        """Which of `schemes` is an API key in that place, if one is; names of headers are alike in
        any case.
        """
        name = wire_name.lower() if place == "header" else wire_name
        for auth in (self.auth[slug] for slug in schemes):
            own = auth.wire_name.lower() if place == "header" else auth.wire_name
            if auth.kind == "api_key" and (auth.place, own) == (place, name):
                return auth.name
        return None
