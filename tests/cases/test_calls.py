"""What calls of a case's tools send: `calls.yaml` lists them, each as a tool and its arguments.

`requests.txt` holds the requests as the API gets them, or what the model is told in place
of one. A text that comes out otherwise is written there and the test fails, as in `test_cases`.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.config.file import parse_config
from mcpgen.problems import Problems
from tests.generated import importable, written

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "runtime"))

from upstream import Request, Upstream  # noqa: E402

CASES = sorted(path.parent.name for path in HERE.glob("*/calls.yaml"))
SENT_BY_EVERY_REQUEST = frozenset(
    "host accept accept-encoding connection user-agent content-length".split()
)


@pytest.mark.parametrize("name", CASES)
def test_calls_of_a_case_send_what_is_expected(name: str, tmp_path: Path) -> None:
    text = HERE / name / "mcpgen.toml"
    config = Config(sources=(str(HERE / name / "openapi.yaml"),))
    if text.is_file():
        config = parse_config(text.read_text(), folder=text.parent)
    _, server, files = pipeline.generate(config, Problems())
    source = written(files, tmp_path) / "src"
    calls = yaml.safe_load((HERE / name / "calls.yaml").read_text())

    async def requests() -> list[str]:
        async with Upstream() as upstream:
            given = {"BASE_URL": upstream.url, "ALLOW_PRIVATE": "true"}
            settings = {f"{server.env_prefix}_{name}": value for name, value in given.items()}
            with importable(source, server.package, **settings) as module:
                async with Client(module("runtime.app").App(server.package).server) as client:
                    return [await sent(client, upstream, *call.items()) for call in calls]

    now = "\n".join(asyncio.run(requests()))
    expected = HERE / name / "requests.txt"
    before = expected.read_text() if expected.is_file() else ""
    expected.write_text(now)
    assert now == before, f"written to {expected}, read the difference"


async def sent(client: Any, upstream: Upstream, call: tuple[str, Any]) -> str:
    """A call and the request that came of it, as text."""
    tool, arguments = call
    upstream.requests.clear()
    result = await client.call_tool(tool, arguments)
    lines = [f">>> {tool} {json.dumps(arguments, ensure_ascii=False)}"]
    lines += [text for request in upstream.requests for text in shown(request)]
    if result.is_error:
        lines += [block.text for block in result.content]
    return "\n".join(lines) + "\n"


def shown(request: Request) -> list[str]:
    """A request as lines, without the fields that every request has."""
    fields = [
        f"{name}: {value}"
        for name, value in request.fields
        if name.lower() not in SENT_BY_EVERY_REQUEST
    ]
    text = "\n".join([*fields, "", request.body.decode("utf-8", "backslashreplace")])
    boundary = re.search("boundary=([0-9a-f]+)", text)
    if boundary:
        text = text.replace(boundary[1], "BOUNDARY")
    return [f"{request.method} {request.target}", *text.replace("\r\n", "\n").rstrip().split("\n")]
