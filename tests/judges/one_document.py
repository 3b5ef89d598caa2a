"""Everything the corpus judge says of one document, as a plain dictionary.

Runs in a process of its own, so that its time and memory are its own and whatever happens costs no
other document.
"""

from __future__ import annotations

import asyncio
import copy
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs

from mcpgen.config import Config
from mcpgen.customise import with_tool_names
from mcpgen.ir import Server
from mcpgen.load import load
from mcpgen.parse import parse
from mcpgen.problems import McpgenError, Problems
from mcpgen.render import render
from mcpgen.upgrade import upgrade
from tests.generated import written

from . import named, node, portable, referee_server
from .sameness import Original, compare
from .wording import wording

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
META = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How much of a document is judged: whether it is rendered, run (imported, type-checked, called
    by the client).
    """

    rendered: bool = True
    run: bool = False
    ajv: bool = True
    compared: int = 4
    """Operations whose schemas are compared with the document's."""


def judge(path: Path, depth: Depth) -> dict[str, Any]:
    """What is to be said of a document. Never raises."""
    found: dict[str, Any] = {
        "document": str(path),
        "bytes": path.stat().st_size,
        "status": "judged",
    }
    began = time.process_time()
    problems = Problems()
    try:
        document = load((str(path),), problems=problems)
        written = copy.deepcopy(document.root) if depth.compared else {}
        counted = operations(document.root)
        upgraded = upgrade(document, problems)
        server = with_tool_names(parse(upgraded, Config(), problems))
        found["parse_s"] = round(time.process_time() - began, 3)
        found["bodies"], found["unnamed"] = named.bodies(server, upgraded.root)
        files = render(server) if depth.rendered else listed(server)
    except McpgenError as error:
        found |= {
            "status": "refused",
            "why": [problem.message for problem in error.problems][:3] or [str(error)],
        }
        return found
    except Exception:
        found |= {"status": "traceback", "why": [traceback.format_exc()[-1500:]]}
        return found
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found["cpu_s"] = round(time.process_time() - began + children.ru_utime + children.ru_stime, 3)
    found["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    skipped = [skip for skip in server.skips if not skip.filtered]
    found |= {
        "operations": counted,
        "tools": len(server.tools),
        "filtered": len(server.skips) - len(skipped),
        "skipped": len(skipped),
        "skips": [
            [f"{skip.origin.method} {skip.origin.path}", skip.code, skip.reason] for skip in skipped
        ],
        "law": counted == len(server.tools) + len(server.skips),
        "problems": dict(Counter(problem.code for problem in problems)),
    }
    try:
        found |= judged(server, files, written, depth)
    except Exception:
        found |= {"status": "judge failed", "why": [traceback.format_exc()[-1500:]]}
    return found


def operations(root: dict[str, Any]) -> int:
    """The operations of a document as its author wrote it, counted apart from mcpgen."""

    def target(item: Any) -> Any:
        for _ in range(20):
            if not isinstance(item, dict) or not isinstance(item.get("$ref"), str):
                break
            here: Any = root
            for token in item["$ref"].partition("#")[2].split("/")[1:]:
                key = token.replace("~1", "/").replace("~0", "~")
                here = here.get(key) if isinstance(here, dict) else None
            item = here
        return item

    count = 0
    paths = root.get("paths")
    for path, item in paths.items() if isinstance(paths, dict) else ():
        item = target(item)
        if not isinstance(item, dict) or (path.startswith("x-") and not path.startswith("/")):
            continue
        count += sum(isinstance(item.get(method), dict) for method in METHODS)
        more = item.get("additionalOperations")
        count += (
            sum(isinstance(value, dict) for value in more.values()) if isinstance(more, dict) else 0
        )
    return count


def listed(server: Server) -> dict[str, str]:
    """The files that hold what a model sees, without the code."""
    from mcpgen.render.facts import data_files

    return data_files(server)


def judged(
    server: Server, files: dict[str, str], written: dict[str, Any], depth: Depth
) -> dict[str, Any]:
    """The verdicts on a generated package."""
    tools = [
        tool for name, text in sorted(files.items()) if is_list(name) for tool in json.loads(text)
    ]
    found: dict[str, Any] = {
        "list_bytes": len(json.dumps(tools, separators=(",", ":"))),
        "profile": [list(complaint) for complaint in portable.complaints(tools, server.name)][:50],
        "metaschema": list(off_the_metaschema(tools)),
        "compile": list(uncompilable(files)) if depth.rendered else [],
    }
    found |= wording(tools, server)
    if len(tools) != len(server.tools):
        found["profile"].append([0, "", f"{len(server.tools)} tools, {len(tools)} listed"])
    with tempfile.TemporaryDirectory(prefix="mcpgen-corpus-") as folder:
        if depth.ajv and tools:
            found["ajv"] = ajv(tools, Path(folder))
        if depth.rendered and depth.run and tools:
            found |= running(files, server.package, Path(folder))
    if depth.compared:
        found |= sameness(server, written, depth.compared)
    return found


def is_list(name: str) -> bool:
    """Whether a file of a package holds a part of its `tools/list`."""
    return name.startswith("src/") and name.split("/")[-2] == "tools" and name.endswith(".json")


def off_the_metaschema(tools: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Schemas that are no JSON Schema 2020-12: all by one validator, a sample by another."""
    sample = random.Random(1).sample(range(len(tools)), min(5, len(tools)))
    for index, tool in enumerate(tools):
        for key in ("inputSchema", "outputSchema"):
            schema = tool.get(key)
            if schema is None:
                continue
            if not jsonschema_rs.meta.is_valid(
                {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
            ) or (index in sample and not META.is_valid(schema)):
                yield [tool["name"], key]


def uncompilable(files: dict[str, str]) -> Iterator[list[str]]:
    """Modules that are no Python."""
    for name, text in files.items():
        if name.endswith(".py"):
            try:
                compile(text, name, "exec")
            except (SyntaxError, ValueError) as error:
                yield [name, str(error)]


def ajv(tools: list[dict[str, Any]], folder: Path) -> list[list[str]]:
    """Schemas that the TypeScript SDK's client cannot compile."""
    place = folder / "tools.json"
    place.write_text(json.dumps(tools))
    script = Path(__file__).with_name("ajv.mjs")
    packages = node.packages("ajv", "ajv-formats")
    return list(
        json.loads(node.run([node.node(), str(script), str(packages), str(place)], seconds=300))
    )


def running(files: dict[str, str], package: str, folder: Path) -> dict[str, Any]:
    """What becomes of a package that is written: imported, type-checked, started and listed in both
    eras.
    """
    written(files, folder)
    source = folder / "src"
    modules = [
        ".".join(path.relative_to(source).with_suffix("").parts)
        for path in sorted((source / package).rglob("*.py"))
        if path.stem not in ("__init__", "__main__")
    ]
    found: dict[str, Any] = {"imports": [], "mypy": [], "client": []}
    done = subprocess.run(
        [sys.executable, "-c",
         "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)",
         *modules],
        cwd=source, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if done.returncode:
        found["imports"] = [done.stderr.strip().splitlines()[-1][:300]]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(node.root() / "mypy"), "-p",
         package],
        cwd=source, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    if done.returncode:
        found["mypy"] = [
            line[:300] for line in done.stdout.strip().splitlines()[:5] or [done.stderr[-300:]]
        ]
    for mode in ("auto", "legacy"):
        try:
            count = asyncio.run(asyncio.wait_for(ask(source / package, mode), 120))
            if count != sum(len(json.loads(text)) for name, text in files.items() if is_list(name)):
                found["client"].append(f"{mode}: {count} tools")
        except Exception as error:
            found["client"].append(f"{mode}: {type(error).__name__}: {error}"[:300])
    return found


async def ask(package: Path, mode: str) -> int:
    """How many tools the official client gets from a package's server, in one era (`auto` or
    `legacy`), without the one that shows what the list leaves out of others.
    """
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", package.name],
        env=referee_server.environment(package, "http://127.0.0.1:9/api"),
    )
    with tempfile.TemporaryFile("w") as log:
        async with Client(stdio_client(parameters, errlog=log), mode=mode) as client:  # type: ignore[arg-type]
            return sum(tool.name != "describe_tool" for tool in (await client.list_tools()).tools)


def sameness(server: Server, written: dict[str, Any], count: int) -> dict[str, Any]:
    """How often the document's schemas and the tools' judge values apart."""
    original = Original(written)
    tools = [tool for tool in server.tools if tool.request is not None and tool.arguments]
    random.Random(len(tools)).shuffle(tools)
    values, differences = 0, []
    for tool in tools[:count]:
        seen, apart = compare(original, tool)
        values += seen
        differences += [[
            item.refused_by, item.reason, item.tool, item.argument,
            json.dumps(item.value, default=str)[:120],
        ] for item in apart]  # fmt: skip
    return {"compared": values, "differences": differences[:40], "different": len(differences)}
