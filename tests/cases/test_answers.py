"""What a model reads of answers to calls of a case's tools: `answers.yaml` lists them.

Each entry is a call (a tool with its arguments) and the API's reply: `json`, `text` or `base64`,
with `status` and `headers`. A list `{times: 3, of: ITEM}` stands for items in which `#` is the
number. `read.txt` holds the text blocks and, after `==`, the structured content; of data that is
long the beginning and the length. A text that comes out otherwise is written there and the test
fails, as in `test_cases`.
"""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from tests.generated import importable, written

from .test_calls import HERE, Upstream

CASES = sorted(path.parent.name for path in HERE.glob("*/answers.yaml"))
LONGEST = 600


@pytest.mark.parametrize("name", CASES)
def test_a_model_reads_what_is_expected(name: str, tmp_path: Path) -> None:
    table = yaml.safe_load((HERE / name / "answers.yaml").read_text())
    config = Config(sources=(str(HERE / name / "openapi.yaml"),))
    _, server, files = pipeline.generate(config, Problems())
    source = written(files, tmp_path) / "src"

    async def read() -> list[str]:
        async with Upstream() as upstream:
            given = {"BASE_URL": upstream.url, "ALLOW_PRIVATE": "true", **table["variables"]}
            settings = {f"{server.env_prefix}_{name}": value for name, value in given.items()}
            with importable(source, server.package, **settings) as module:
                async with Client(module("runtime.app").App(server.package).server) as client:
                    return [await told(client, upstream, each) for each in table["answers"]]

    now = "\n".join(asyncio.run(read()))
    expected = HERE / name / "read.txt"
    before = expected.read_text() if expected.is_file() else ""
    expected.write_text(now)
    assert now == before, f"written to {expected}, read the difference"


async def told(client: Any, upstream: Any, each: dict[str, Any]) -> str:
    """A call and what is read of its result, whose channels hold the same notes."""
    upstream.replies = [reply(each)]
    result = await client.call_tool(each["tool"], each.get("arguments", {}))
    lines = [f">>> {each['tool']} {json.dumps(each.get('arguments', {}))}"]
    lines += [short(getattr(block, "text", block.type)) for block in result.content]
    structured = result.structured_content
    if structured is not None:
        notes = [note for key, value in structured.items() if key.startswith("server_notes")
                 if isinstance(value, list) for note in value]  # fmt: skip
        texts = [block.text for block in result.content if block.type == "text"]
        assert notes == texts[len(texts) - len(notes) :]
        assert all(note in notes for note in texts[1:] if note.startswith("[truncated"))
        lines += ["==", short(json.dumps({**structured, "notes": len(notes)}, ensure_ascii=False))]
    return "\n".join(lines) + "\n"


def short(text: str) -> str:
    """A text, or of a long one the beginning and the length."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... {len(text)} characters"


def reply(each: dict[str, Any]) -> bytes:
    """The reply to a call, as bytes of HTTP."""
    media_type = "application/json"
    content = base64.b64decode(each["base64"]) if "base64" in each else b""
    if "json" in each:
        content = json.dumps(made(each["json"])).encode()
    if "text" in each:
        content, media_type = "".join(made(each["text"])).encode(), "text/plain"
    fields = {"Content-Type": media_type, **each.get("headers", {})}
    lines = [f"HTTP/1.1 {each.get('status', 200)} X", f"Content-Length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join([*lines, "", ""]).encode() + content


def made(value: Any, number: int = 0) -> Any:
    """A value with its repeated items, `#` replaced by the number of each."""
    match value:
        case {"times": int(times), "of": item}:
            return [made(item, number) for number in range(times)]
        case dict():
            return {key: made(item, number) for key, item in value.items()}
        case list():
            return [made(item, number) for item in value]
        case "#":
            return number
        case str():
            return value.replace("#", str(number))
    return value
