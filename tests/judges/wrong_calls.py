"""The wrong calls of the answers judge: each is made to a generated server over stdio, whose answer
must name the one change, and again with that change, when it must reach the API.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.loopback import Recorder

from . import referee_server

TABLE = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())


def given(right: dict[str, Any], call: dict[str, Any]) -> Any:
    """The arguments of a wrong call."""
    arguments = right | call.get("with", {})
    return call.get("raw", {name: one for name, one in arguments.items() if one is not None})


def judged(folder: Path) -> Iterator[tuple[str, str]]:
    """The slip of each call, and what was answered where that does not mend it."""
    (folder / "orders.json").write_text(json.dumps(TABLE["document"]))
    package = referee_server.generate(str(folder / "orders.json"), folder)
    api = Recorder(b'{"id": 7}')
    server = subprocess.Popen(
        [sys.executable, "-m", package.name],
        env=referee_server.environment(package, api.url),
        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    def ask(method: str, **params: Any) -> tuple[str, list[Any]]:
        """What is answered, and the bodies that the API was sent."""
        api.asked.clear()
        assert server.stdin and server.stdout
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        print(json.dumps(request), file=server.stdin, flush=True)
        answer = json.loads(server.stdout.readline())
        blocks = answer.get("result", {}).get("content", [{"text": str(answer.get("error"))}])
        said = "\n".join(block["text"] for block in blocks)
        return said, [json.loads(asked.body or b"{}") for asked in api.asked]

    with server:
        ask("initialize", **TABLE["hello"])
        for tool, calls in TABLE["calls"].items():
            right = TABLE["right"][tool]
            for call in calls:
                said, sent = ask(
                    "tools/call", name=call.get("tool", tool), arguments=given(right, call)
                )
                again = ask("tools/call", name=tool, arguments=right | call.get("change", {}))[1]
                wanted = [right | call["sent"]] if "sent" in call else []
                mends = call.get("says", "") in said and sent == wanted and len(again) == 1
                yield call["slip"], "" if mends else f"{said} {sent} {again}"
    api.close()
