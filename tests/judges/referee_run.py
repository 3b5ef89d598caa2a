"""The referee's `run.py` with two of its slips mended: `referee_run.py SOURCES --spec …`.

Runs with the referee's own Python.

* The alarm that ends the search for arguments of one tool may go off where the referee does not
  expect it, and would end the score of a whole document: here it ends that search alone.
* The referee goes through the operations one by one, and takes for each the first tool whose name
  fits: a tool whose name is the beginning of the operation's counts as one that was shortened.
  Where that name is the whole name of an operation that comes later, the tool is given away, and
  the later operation counts as one without a tool. Here every operation whose name a tool has
  comes first.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


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


def own_name_first(
    operations: Iterable[Any], tools: Iterable[Any], letters: Callable[[object], str]
) -> list[Any]:
    """The operations, those first whose operationId is a tool's name; `letters` is how the referee
    compares names.
    """
    names = {letters(tool["name"]) for tool in tools}

    def nameless(operation: Any) -> bool:
        return letters(operation.raw.get("operationId") or "") not in names

    return sorted(operations, key=nameless)


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

    async def drive_in_order(harness: Any, client: Any, tools: list[Any], score: Any) -> None:
        harness.S.ops = own_name_first(harness.S.ops, tools, run.norm)
        await drive(harness, client, tools, score)

    gen.fuzz = fuzz
    run.Harness.drive = drive_in_order
    asyncio.run(run.Harness(given).main())


if __name__ == "__main__":
    main()
