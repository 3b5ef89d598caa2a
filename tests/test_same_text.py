"""The same document gives the same text: in another process, in another order, with another hash
seed.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

SAMPLES = Path(__file__).parents[1] / "samples" / "specs"
NAMES = ("bookshop", "names", "recursion", "styles", "swagger2", "unions", "openapi32")
GENERATE = """
import json, sys
from mcpgen import pipeline
from mcpgen.config import Config
from mcpgen.problems import Problems
json.dump(pipeline.generate(Config(sources=(sys.argv[1],)), Problems())[2], sys.stdout)
"""


def generated(document: Path, seed: int) -> dict[str, str]:
    """The files of a package, made by a process of its own with that hash seed."""
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(seed),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-c", GENERATE, document.name],
        cwd=document.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def shuffled(node: Any, order: random.Random) -> Any:
    """The same JSON with the keys of every object in another order."""
    if isinstance(node, dict):
        keys = list(node)
        order.shuffle(keys)
        return {key: shuffled(node[key], order) for key in keys}
    return [shuffled(item, order) for item in node] if isinstance(node, list) else node


@pytest.mark.parametrize("name", NAMES)
def test_neither_order_nor_hash_seed_changes_a_byte(tmp_path: Path, name: str) -> None:
    document = yaml.safe_load((SAMPLES / f"{name}.yaml").read_text())
    found = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = folder / "document.json"
        path.write_text(
            json.dumps(
                document if seed == 1 else shuffled(document, random.Random(seed)), default=str
            )
        )
        found.append(generated(path, seed))
    assert found[0].keys() == found[1].keys()
    for file, text in found[0].items():
        assert found[1][file] == text, file
