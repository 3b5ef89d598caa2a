"""The same document gives the same text: in another process, in another order, with another hash
seed, locale, time zone and current folder.
"""

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
# `-S` and links: where a path has letters outside ASCII, Python 3.11 and 3.12 cannot read `.pth`
# files under `LC_ALL=C`, and 3.13 no modules in C in the narrow world
GENERATE = """
import json, sys
sys.path[:] = {path!a}
import mcpgen
from mcpgen.render import render
from tests.render.test_output import every_feature
for name in {names!a}:
    mcpgen.generate(name + "/document.json", name + "/project")
json.dump({{path: ascii(text) for path, text in render(every_feature()).items()}}, sys.stdout)
"""
WORLDS = {
    "as written": {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
    "shuffled": {"PYTHONHASHSEED": "2", "TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8"},
    "narrow": {"PYTHONHASHSEED": "3", "PYTHONUTF8": "0"},
}


def shuffled(node: Any, order: random.Random) -> Any:
    """The same JSON with the keys of every object in another order, but for the fields of answers,
    which are told in the order of their author.
    """
    if isinstance(node, dict):
        keys = list(node)
        order.shuffle(keys)
        inner = {key: shuffled(node[key], order) for key in keys}
        if isinstance(node.get("properties"), dict):
            inner["properties"] = {key: inner["properties"][key] for key in node["properties"]}
        return inner
    return [shuffled(item, order) for item in node] if isinstance(node, list) else node


def generated(folder: Path, world: str) -> tuple[dict[str, str], dict[str, bytes]]:
    """What a process of its own renders of a server, and the files it makes of every sample."""
    for name in NAMES:
        document = yaml.safe_load((SAMPLES / f"{name}.yaml").read_text())
        if world == "shuffled":
            document = shuffled(document, random.Random(2))
        (folder / name).mkdir(parents=True)
        (folder / name / "document.json").write_text(json.dumps(document, default=str))
    links = []
    for number, path in enumerate((Path(__file__).parents[1], *sys.path)):
        links.append(str(folder / f"path_{number}"))
        Path(links[-1]).symlink_to(Path(path).absolute())
    script = GENERATE.format(path=links, names=NAMES)
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=folder, env={**os.environ, **WORLDS[world]},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    projects = (path for name in NAMES for path in (folder / name / "project").rglob("*"))
    files = {str(path.relative_to(folder)): path for path in projects if path.is_file()}
    return json.loads(done.stdout), {name: path.read_bytes() for name, path in files.items()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each world makes."""
    return {world: generated(tmp_path_factory.mktemp(world), world) for world in WORLDS}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("world", ["shuffled", "narrow"])
def test_neither_order_nor_hash_seed_nor_place_changes_a_byte(made: Any, name: str, world: str):
    found = [
        {path: content for path, content in made[each][1].items() if path.startswith(f"{name}/")}
        for each in ("as written", world)
    ]
    assert found[0].keys() == found[1].keys()
    as_given = (f"{name}/project/document/", f"{name}/project/mcpgen.lock")  # it has its hash
    for file, content in found[0].items():
        if world != "shuffled" or not file.startswith(as_given):
            assert found[1][file] == content, file


def test_the_same_server_gives_the_same_text_everywhere(made: Any):
    assert made["as written"][0] == made["shuffled"][0] == made["narrow"][0]
