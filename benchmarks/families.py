"""How `generate` grows: `python -m benchmarks.families [LEAST [MOST]]`.

Families of documents whose types refer to each other as a web, a chain, a star or in pieces of 40.
For each, prints CPU seconds and memory at both sizes, and what so many times the operations cost
without the constant of the start. 640 and 2,560 operations by default.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

FAMILIES: dict[str, Callable[[int, int], list[int]]] = {
    "web": lambda number, count: [(number * step + 1) % count for step in (7, 13, 31)],
    "chain": lambda number, count: [number + 1][: count - 1 - number],
    "star": lambda number, count: [0][:number],
    "pieces": lambda number, count: [number + 1] if (number + 1) % 40 else [],
}
"""Family → the types that a type of some refers to."""
EMPTY = 4


def document(family: str, operations: int) -> dict[str, Any]:
    """Return a document with half of its operations reading and half of them writing."""
    count = max(operations // 4, 1)
    schemas = {}
    for number in range(count):
        others = [other for other in FAMILIES[family](number, count) if other < count]
        references = {f"part{at}_{one}": reference(one) for at, one in enumerate(others)}
        own = {"id": {"type": "integer"}, f"name{number}": {"type": "string"}}
        schemas[f"T{number}"] = {"type": "object", "properties": own | references}
    paths = {}
    for number in range(operations // 2):
        about = {"tags": [f"t{number // 40}"], "summary": f"Use the things of kind {number}"}
        body = {"content": {"application/json": {"schema": reference(number % count)}}}
        answers = {"200": {"description": "ok", **body}}
        get = {"operationId": f"getThing{number}", **about, "responses": answers}
        post = {"operationId": f"addThing{number}", **about, "responses": answers}
        paths[f"/things{number}"] = {"get": get, "post": {**post, "requestBody": body}}
    servers = [{"url": "https://api.example.com"}]
    info = {"title": f"The {family}"[:16], "version": "1"}
    head = {"openapi": "3.1.0", "info": info, "servers": servers}
    return {**head, "paths": paths, "components": {"schemas": schemas}}


def reference(number: int) -> dict[str, str]:
    """Return a reference to a type."""
    return {"$ref": f"#/components/schemas/T{number}"}


def cost(family: str, operations: int) -> tuple[float, float]:
    """Return the CPU seconds and the megabytes of `generate` for a document."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "api.json"
        path.write_text(json.dumps(document(family, operations)))
        words = ["-m", "mcpgen", "generate", str(path), "-o", f"{place}/out", "--quiet"]
        script = (
            "import resource, subprocess, sys\n"
            "subprocess.run([sys.executable, *sys.argv[1:]], check=True)\n"
            "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
            "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)\n"
        )
        words = [sys.executable, "-c", script, *words]
        said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    seconds, megabytes = said.split()[-2:]
    return float(seconds), float(megabytes)


def main(least: int = 640, most: int = 2560) -> None:
    """Print a line for each family."""
    print(f"{'':8} {least:>8,} {most:>8,}  × {most / least:g} operations")
    for family in FAMILIES:
        start, _ = cost(family, EMPTY)
        (few, small), (many, large) = cost(family, least), cost(family, most)
        factor = (many - start) / (few - start)
        print(
            f"{family:8} {few:6.1f} s {many:6.1f} s  × {factor:.1f} CPU, × {large / small:.1f}"
            f" memory ({large:.0f} MB)",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
