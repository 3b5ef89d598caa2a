"""The part of `make production` about callers with tokens: the issuer is away when the server starts,
half of the callers may not write, and the API limits one of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import jwt

from tests.issuer import AUDIENCE, Issuer
from tests.judges.production import API, BACK, DOCUMENT, Api, Found, Load, Replicas, figures
from tests.judges.referee_server import generate
from tests.loopback import JSON, Answer, Asked, free_port

READS, WRITES = "books:read", "books:read books:write"
CALLERS = 8
"""With each token."""
OWN_SCHEME = "type: apiKey\n      in: header\n      name: X-API-Key"


class Authority(Issuer):
    """An issuer that exchanges the tokens of callers as well."""

    def published(self, asked: Asked) -> Answer:
        """Give a token for the API to whoever asks for one."""
        if asked.method != "POST":
            return super().published(asked)
        [token] = urllib.parse.parse_qs(asked.body.decode())["subject_token"]
        subject = jwt.decode(token, options={"verify_signature": False})["sub"]
        grant = {"access_token": f"for-{subject}", "token_type": "Bearer", "expires_in": 300}
        return 200, JSON, json.dumps(grant).encode()


def is_ready() -> bool:
    """Return whether the replica is."""
    with contextlib.suppress(urllib.error.HTTPError):
        urllib.request.urlopen(f"http://127.0.0.1:{BACK}/ready", timeout=10).close()
        return True
    return False


async def called(seconds: float, *tokens: str) -> tuple[Load, list[list[str]]]:
    """All calls of callers with these tokens, and how those with each ended."""
    loads = [Load(port=BACK, token=token) for token in tokens]
    for load in loads:
        load.begin(CALLERS)
    await asyncio.sleep(seconds)
    for load in loads:
        await load.end()
    outcomes = sorted((each for load in loads for each in load.outcomes), key=lambda each: each.at)
    return Load(outcomes), [[each.kind for each in load.outcomes] for load in loads]


async def judge(folder: Path, seconds: float) -> Found:
    """The rows of the table, and what did not hold."""
    document, audit, port = folder.with_name("api.yaml"), folder.with_name("audit"), free_port()
    own = DOCUMENT.read_text().replace(OWN_SCHEME, "type: http\n      scheme: bearer")
    document.write_text(own)
    api, issuer = Api(), Authority()
    server = await asyncio.start_server(api.serve, "127.0.0.1", API)
    replicas = Replicas(
        generate(str(document), folder, "audit", "exchange", "oauth", "telemetry"),
        HTTP_ISSUER=issuer.url, HTTP_JWKS_URL=f"{issuer.url}/keys", HTTP_AUDIENCE=AUDIENCE,
        HTTP_SCOPES=READS, HTTP_WRITE_SCOPES=WRITES, EXCHANGE_URL=f"{issuer.url}/token",
        EXCHANGE_CLIENT_ID="gateway", EXCHANGE_CLIENT_SECRET="secret-of-the-gateway",
        METRICS_PORT=str(port), AUDIT=str(audit),
    )  # fmt: skip
    keys, issuer.answer = issuer.answer, b"out of order"
    ann, ben = (issuer.token(sub=sub, scope=WRITES) for sub in ("ann", "ben"))
    try:
        await replicas.start(0)
        held = {"a server without keys is not ready": not is_ready()}
        issuer.answer, back = keys, time.monotonic()
        while not is_ready():
            await asyncio.sleep(0.05)
        late = time.monotonic() - back
        held["a server is ready five seconds after its issuer"] = late < 5
        load, [kinds] = await called(seconds, ann)
        rows = [figures(f"callers with tokens, {late:.1f} s after the issuer has keys", load)]
        held["good tokens are good"] = {*kinds} == {"ok"}
        load, [readers, kinds] = await called(seconds, issuer.token(scope=READS), ann)
        refused = readers.count("403")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            metrics = answer.read().decode()
        counted = re.findall(r'(?:_calls_.*status="403"|_events_.*="refused").* (\S+)', metrics)
        entries = [json.loads(line)["status"] for line in audit.read_text().splitlines()].count(403)
        rows.append(figures(f"half of them may not write; audit: {entries:,} times 403", load))
        seen = [entries, *map(float, counted)]
        held["audit, metric and log have every refusal"] = seen == [refused] * 3 and refused > 0
        api.limited = b"for-ann"
        load, [_, others] = await called(seconds, ann, ben)
        rows.append(
            figures(f"API limits writes of one caller of two ({api.limits} times 429)", load)
        )
        held["a limited caller leaves the API alone"] = 0 < api.limits <= CALLERS
        held["other callers go on"] = {*kinds, *others} == {"ok"}
    finally:
        await replicas.stop()
        server.close()
        issuer.close()
    return rows, [f"not so: {text}" for text, holds in held.items() if not holds]
