"""One call of a tool by the Python of its project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from ..problems import UsageError
from .environment import INSIDE, package_of, variables


def outcome_of(
    folder: Path, tool: str, arguments: dict[str, Any], *, dry_run: bool, python: str
) -> dict[str, Any]:
    """Call a tool of a project, and return `requests`, and `result` or `error`, as `inside/call.py`
    says.

    With `dry_run` no request is sent. Raises UsageError (E1177) if the server cannot start; its
    output goes to standard error.
    """
    order = {
        "package": package_of(folder),
        "tool": tool,
        "arguments": arguments,
        "dry_run": dry_run,
    }
    done = subprocess.run(
        [python, str(INSIDE / "call.py")],
        input=json.dumps(order),
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=variables(folder),
        check=False,
        process_group=0,  # Ctrl-C is for this process, which ends the other one
    )
    if done.returncode:
        message = "the server could not be started; what it said stands above"
        raise UsageError.of("E1177", message, "mend that, and call again")
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome
