"""How `generate` grows: `python -m benchmarks.families [LEAST [MOST]]`.

Families of documents: types that refer to each other as a web, a chain, a star or in pieces of 40;
types that are deep or wide; and a file for each path and type. Prints CPU seconds and memory, and
the factor of four times the operations without the constant of the start: 640 and 2,560 by default,
`640 10240` for one step more.
"""

from __future__ import annotations

import json
import math
import re
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
    "deep": lambda number, count: [],
    "wide": lambda number, count: [],
    "files": lambda number, count: [],
}
"""Family → the types that a type of some refers to."""
DEPTH = {"deep": 10}
WIDTH = {"wide": 60}
"""Family → levels of objects around the fields of a type, and further fields of a type."""
EMPTY = 4


def document(family: str, operations: int) -> dict[str, Any]:
    """Return a document with half of its operations reading and half of them writing."""
    count = max(operations // 4, 1)
    info = {"title": f"The {family}"[:16], "version": "1"}
    return {
        "openapi": "3.1.0",
        "info": info,
        "servers": [{"url": "https://api.example.com"}],
        "paths": {f"/things{n}": path_item(n, n % count) for n in range(operations // 2)},
        "components": {"schemas": {f"T{n}": schema(family, n, count) for n in range(count)}},
    }


def schema(family: str, number: int, count: int) -> dict[str, Any]:
    """Return a type of `count`."""
    others = [other for other in FAMILIES[family](number, count) if other < count]
    references = {f"part{at}_{one}": reference(one) for at, one in enumerate(others)}
    own: dict[str, Any] = {"id": {"type": "integer"}, f"name{number}": {"type": "string"}}
    own |= {f"field{at}": {"type": "string"} for at in range(WIDTH.get(family, 0))}
    found: dict[str, Any] = {"type": "object", "properties": own | references}
    for level in range(DEPTH.get(family, 0)):
        found = {"type": "object", "properties": {f"level{level}": found}}
    return found


def path_item(number: int, kind: int) -> dict[str, Any]:
    """Return the two operations of a path, on things of a kind."""
    about = {"tags": [f"t{number // 40}"], "summary": f"Use the things of kind {number}"}
    body = {"content": {"application/json": {"schema": reference(kind)}}}
    answers = {"200": {"description": "ok", **body}}
    get = {"operationId": f"getThing{number}", **about, "responses": answers}
    post = {"operationId": f"addThing{number}", **about, "responses": answers}
    return {"get": get, "post": {**post, "requestBody": body}}


def write(family: str, operations: int, folder: Path) -> Path:
    """Write a document, in the family `files` with a file for each path and each type."""
    whole = document(family, operations)
    parts = {"paths": whole["paths"], "schemas": whole["components"]["schemas"]}
    for kind in parts if family == "files" else ():
        (folder / kind).mkdir()
        for name, part in parts[kind].items():
            path = folder / kind / f"{name.strip('/')}.json"
            path.write_text(re.sub(r"#/components/(schemas/\w+)", r"../\1.json", json.dumps(part)))
            parts[kind][name] = {"$ref": f"{kind}/{path.name}"}
    path = folder / "api.json"
    path.write_text(json.dumps(whole))
    return path


def reference(number: int) -> dict[str, str]:
    """Return a reference to a type."""
    return {"$ref": f"#/components/schemas/T{number}"}


def cost(family: str, operations: int) -> tuple[float, float]:
    """Return the CPU seconds and the megabytes of `generate` for a document."""
    with tempfile.TemporaryDirectory() as place:
        path = write(family, operations, Path(place))
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
    """Print a line for each family and step of four times the operations."""
    for family in FAMILIES:
        start, _ = cost(family, EMPTY)
        few, small = cost(family, least)
        operations = least * 4
        while operations <= most:
            try:
                many, large = cost(family, operations)
            except subprocess.CalledProcessError as error:
                reason = error.stderr.strip().rpartition("\n")[2]
                print(f"{family:6} {operations:6,} operations ended: {reason}", flush=True)
                break
            factor = (many - start) / (few - start)
            print(
                f"{family:6} {operations:6,} operations {many:6.1f} s  × {factor:.1f} CPU (exponent"
                f" {math.log(factor, 4):.2f}), × {large / small:.1f} memory ({large:.0f} MB)",
                flush=True,
            )
            few, small, operations = many, large, operations * 4


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
