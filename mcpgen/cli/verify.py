"""`mcpgen verify`: was a generated file edited?"""

from __future__ import annotations

import json
from pathlib import Path

from .screen import Screen, shown


def verify(folder: Path = Path(), as_json: bool = False, quiet: bool = False) -> int:
    """Check that no generated file was edited.

    Compares every file with its hash in `mcpgen.lock` and ends with 4 when one differs. Needs
    neither the document nor the network, and runs none of your code.
    """
    from .project_folder import generated_project

    project = generated_project(folder)
    from ..project.verify import verify as recompute

    screen = Screen(quiet=quiet, as_json=as_json)
    findings = recompute(project)
    exit_code = 0
    if findings:
        exit_code = 4
    if as_json:
        screen.data(json.dumps({"verified": not findings, "findings": findings}, indent=2))
        return exit_code
    for sentence in findings:
        screen.err.print(f"not as generated: {shown(sentence)}")
    if findings:
        screen.err.print(
            "  hint: `mcpgen generate` shows each difference and says where it belongs", style="dim"
        )
    else:
        screen.remark("every generated file is as it was generated")
    return exit_code
