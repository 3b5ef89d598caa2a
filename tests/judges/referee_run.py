"""The referee's `run.py` with two of its slips mended: `referee_run.py SOURCES --spec …`.

Runs with the referee's own Python.

* The alarm that ends the search for arguments of one tool may go off where the referee does not
  expect it, and would end the score of a whole document: here it ends that search alone.
* The referee goes through the operations one by one, and takes for each the first tool whose name
  fits: a tool whose name is the beginning of the operation's counts as one that was shortened, and
  one whose name is the method and the path as the operation's. Where another operation has that
  name, the tool is given away, and that operation counts as one without a tool. Here an operation
  gets the tool of its own name first, and every other tool is known by the request that it makes.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Letters: TypeAlias = Callable[[object], str]


def arguments() -> argparse.Namespace:
    """What the referee's own command line would hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sources", type=Path)
    for name in ("spec", "name", "out", "server"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("seed", "max-ops"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.set_defaults(base_path="/ref/v1", port=0, fuzz=1, fuzz_s=30.0)
    return parser.parse_args()


async def call_by_tools(harness: Any, client: Any, tools: list[Any], letters: Letters) -> None:
    """Name every operation like the tool that makes its request, unless a tool has the name that
    the document gives it; those with a tool of their name come first. `letters` is how the referee
    compares names.
    """
    names = {letters(tool["name"]) for tool in tools}
    called = {id(operation) for operation in harness.S.ops if letters(name_of(operation)) in names}
    own = {letters(name_of(operation)) for operation in harness.S.ops}
    for tool in tools:
        if letters(tool["name"]) in own:
            continue
        operation = await operation_of(harness, client, tool)
        if operation is not None and id(operation) not in called:
            called.add(id(operation))
            operation.raw = {**operation.raw, "operationId": tool["name"]}
    harness.S.ops.sort(key=lambda operation: id(operation) not in called)


def name_of(operation: Any) -> str:
    """The operationId; empty where there is none."""
    return str(operation.raw.get("operationId") or "")


async def operation_of(harness: Any, client: Any, tool: Any) -> Any:
    """The operation whose request a tool makes with its required arguments; None where it makes
    none.
    """
    # As the referee prepares a tool before it calls it
    tool["inputSchema"] = tool.get("inputSchema") or {"type": "object"}
    tool["_v"] = tool["_vf"] = harness.validator(tool["inputSchema"])
    arguments = harness.gen_from_tool(tool, "minimal")
    if arguments is None:
        return None
    _, record = await harness.call(client, tool, arguments, "probe", "minimal")
    return record and record["op"]


def main() -> None:
    """Run the referee."""
    given = arguments()
    sys.path[0] = str(given.sources)
    import gen  # type: ignore[import-not-found]
    import run  # type: ignore[import-not-found]

    search = gen.fuzz
    drive = run.Harness.drive

    def fuzz(*arguments: Any) -> tuple[list[Any], str]:
        try:
            return search(*arguments)  # type: ignore[no-any-return]
        except gen.Timeout:
            return [], "timeout"

    async def drive_by_calls(harness: Any, client: Any, tools: list[Any], score: Any) -> None:
        await call_by_tools(harness, client, tools, run.norm)
        await drive(harness, client, tools, score)

    gen.fuzz = fuzz
    run.Harness.drive = drive_by_calls
    asyncio.run(run.Harness(given).main())


if __name__ == "__main__":
    main()
