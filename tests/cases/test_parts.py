"""Servers of some cases with every part there is, and with none that their documents do not need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
from mcpgen.runtime.parts import NAMED
from tests.generated import written

HERE = Path(__file__).parent
IMPORTS = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, f"{sys.argv[1]}."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for name in package._HOME:
    getattr(package, name)
print(*sorted(name for name in sys.modules if name.startswith(f"{sys.argv[1]}.runtime.")))
"""
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
DOCUMENTS: dict[str, set[str]] = {
    "one_operation": set(),
    "fields_that_the_api_chooses": {"lists"},
    "styles_of_every_place": {"lists", "wire_styles"},
    "files_of_several_types": {"multipart", "wire_files"},
    "logins_of_a_person": {"lists", "oauth"},
    "cookies_and_empty_values": {"lists", "wire_styles"},
    "bodies_of_every_kind": {"lists", "multipart", "wire_files", "wire_styles"},
}
"""Case -> the modules that its document brings, of those that few documents do."""
OF_PARTS = {"forwarded", "oauth", "queues", "withholding"}
"""Those of them that parts bring."""
FEW = {"apis", "lists", "multipart", "table", "wire_files", "wire_styles", *OF_PARTS}


@pytest.mark.parametrize("parts", [(), NAMED], ids=["none", "every"])
@pytest.mark.parametrize("case", DOCUMENTS)
def test_a_server_starts_with_every_part_and_with_none(
    case: str, parts: tuple[str, ...], tmp_path: Path, mypy_cache: Path
) -> None:
    more = {"code": True, "confirm": True, "catalogue": True} if parts else {}
    config = replace(Config(sources=(str(HERE / case / "openapi.yaml"),), parts=parts), **more)
    _, server, files = pipeline.generate(config, Problems())
    folder = written(files, tmp_path)

    def said(*words: str, text: str = "") -> str:
        return subprocess.run(
            [sys.executable, *words], input=text, env={**os.environ, "PYTHONPATH": "src"},
            cwd=folder, stdout=subprocess.PIPE, text=True, check=True,
        ).stdout  # fmt: skip

    there = {name.rpartition(".")[2] for name in said("-c", IMPORTS, server.package).split()}
    assert there & FEW == DOCUMENTS[case] | (OF_PARTS if parts else set())
    assert json.loads(said("-m", server.package, text=PING))["id"] == 1
    if not parts:
        options = ("--strict", "--cache-dir", str(mypy_cache), "--no-error-summary")
        assert said("-m", "mypy", *options, "src") == ""
